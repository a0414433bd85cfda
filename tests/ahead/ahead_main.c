/* SPDX-License-Identifier: MIT
 *
 * Random programs compiled ahead of time: many of them in one library, which
 * the C compiler builds from their files and functions that call each with what
 * a storage says of itself. Results are those of the reference, bit for bit,
 * over any layout, in one part and in several, with a workspace of the caller
 * or without; nothing else in memory changes. Every other program has code of
 * its own for the sizes that it is run with. With --cuda they are in CUDA, over
 * the stand-in in DIR, whose device shares the host's memory.
 *
 *     ahead [--seed=S] [--first=N] [--count=C] [--flags=FLAGS]
 *           [--seconds=S] [--cuda=DIR]
 */
#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/program/program.h"
#include "tests/ahead/ahead.h"

enum { MOST = 3000, VARIANTS = 4, GUARD = 4096, EVERY = 8 };

static subject *subjects;
static int seconds = 60; /* a slow one must not hold up `make check` */
static int nsubjects, ncounting, nrefused, nfailures, nfixed;
static long noutputs;
static const char *flags = "-O1", *cuda;
static char directory[] = "/tmp/ilex-random.XXXXXX";

void
ahead_fail(const subject *s, const char *what, const char *more)
{
    nfailures++;
    if (!s) {
        printf("FAILED %s %s\n", what, more);
        return;
    }
    printf("FAILED %s, program %llu of seed %llu: %s %s\n", s->name,
           (unsigned long long)s->recipe.number,
           (unsigned long long)s->recipe.seed, what, more);
    if (nfailures < 4)
        diff_recipe_print(&s->recipe, stdout);
}

/* ---- the library's files ---- */

/* "n=5,m=7": what the program is run with. */
static void
fix_sizes(subject *s)
{
    char *to = s->fixed, *end = to + sizeof s->fixed;
    for (size_t i = 0; i < ilex_program_size_count(s->p); i++)
        for (int k = 0; k < DIFF_PARAMS; k++)
            if (!strcmp(ilex_program_size_name(s->p, i), s->sizes[k].name))
                to += snprintf(to, (size_t)(end - to), "%s%s=%lld",
                               to > s->fixed ? "," : "", s->sizes[k].name,
                               (long long)s->sizes[k].value);
}

/* What a subject is: a random program, or one of those in texts.def. */
static ilex_module *
make_module(subject *s)
{
    static const char *const texts[] = {
#define TEXT(text) text,
#include "tests/ahead/texts.def"
#undef TEXT
    };
    char text[1000];
    diff_shop shop;
    if (s->has_text) {
        snprintf(text, sizeof text, "ilex 1\nprogram %s\n%s", s->name,
                 texts[(size_t)nsubjects / EVERY % IX_COUNT(texts)]);
        ilex_module *parsed = ilex_module_parse(s->ctx, text, s->name);
        if (!parsed)
            abort();
        return parsed;
    }
    ilex_module *m = ilex_module_new(s->ctx, s->name);
    if (diff_recipe_build(&shop, s->ctx, &s->recipe, 0) &&
        diff_recipe_outputs(&shop, m) == ILEX_OK)
        return m;
    ilex_module_free(m);
    return NULL;
}

/* Draws a program, writes its files, compiles it for the reference. */
static bool
make_subject(subject *s, uint64_t seed, uint64_t number)
{
    if (!diff_recipe_make(&s->recipe, seed, number))
        return false;
    s->has_text = nsubjects % EVERY == EVERY - 1;
    snprintf(s->name, sizeof s->name, "r%d", nsubjects);
    s->ctx = ilex_context_new(NULL);
    for (int i = 0; i < DIFF_PARAMS; i++)
        s->sizes[i] =
            (ilex_size_binding){diff_param_names[i], s->recipe.sizes.value[i]};
    if (!s->ctx || !diff_context_prepare(s->ctx, &s->recipe.sizes) ||
        ilex_option_set(s->ctx, "jit", "reference") ||
        ilex_option_set(s->ctx, "verify", "0"))
        abort();
    ilex_module *m = make_module(s);
    ilex_library_spec spec = {
        .size = sizeof spec, .directory = directory, .cuda = cuda != NULL};
    s->p = m ? ilex_compile_module(m) : NULL;
    if (s->p && nsubjects % 2) {
        fix_sizes(s);
        spec.sizes = *s->fixed ? s->fixed : NULL;
    }
    bool files = s->p && ilex_emit_library(s->ctx, &m, 1, &spec) == ILEX_OK;
    /* routines of the library are not there in CUDA */
    bool host = cuda && ilex_error_code(s->ctx) == ILEX_E_UNSUPPORTED;
    if (!files && !host)
        ahead_fail(s, "no files:", ilex_error_text(s->ctx));
    else if (!cuda && !ilex_option_set(s->ctx, "jit", "tcc"))
        s->simplified = ilex_compile_module(m);
    ilex_module_free(m);
    return s->p && (cuda || s->simplified) &&
           ilex_error_code(s->ctx) == ILEX_OK;
}

/* What functions of the library have in common. */
static const char glue[] =
    "#include <string.h>\n"
    "typedef struct argument {\n"
    "    void *data;\n"
    "    int64_t shape[16], stride[16], origin[16], halo[16][2];\n"
    "} argument;\n"
    "typedef struct call {\n"
    "    const argument *argument;\n"
    "    const int64_t *size;\n"
    "    int parts;\n"
    "    void (*parallel_for)(void *, void (*)(void *, int64_t), void *, "
    "int64_t);\n"
    "    void *workspace;\n"
    "    size_t workspace_bytes;\n"
    "    char *error;\n"
    "    size_t error_bytes;\n"
    "    int64_t *counted;\n"
    "} call;\n"
    "#define ARRAY(i, name) \\\n"
    "    a->name.data = c->argument[i].data; \\\n"
    "    a->name.flags = 1; \\\n"
    "    memcpy(a->name.shape, c->argument[i].shape, sizeof a->name.shape); "
    "\\\n"
    "    memcpy(a->name.stride, c->argument[i].stride, sizeof a->name.stride); "
    "\\\n"
    "    memcpy(a->name.origin, c->argument[i].origin, sizeof a->name.origin); "
    "\\\n"
    "    memcpy(a->name.halo, c->argument[i].halo, sizeof a->name.halo);\n";

static void
put_arguments(FILE *f, const subject *s)
{
    for (size_t i = 0; i < ilex_program_argument_count(s->p); i++) {
        ilex_argument_info a = ilex_program_argument(s->p, i);
        if (a.rank > 0)
            fprintf(f, "    ARRAY(%zu, %s)\n", i, a.name);
        else if (a.output)
            fprintf(f, "    a->%s.data = c->argument[%zu].data;\n", a.name, i);
        else
            fprintf(f,
                    "    memcpy(&a->%s, c->argument[%zu].data, sizeof "
                    "a->%s);\n",
                    a.name, i, a.name);
    }
}

/* Has the struct the size? Not if no result depends on it. */
static bool
has_size(const subject *s, const char *name)
{
    char path[100], line[1000], wanted[100];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s.json", directory, s->name);
    snprintf(wanted, sizeof wanted, "{\"name\": \"%s\", \"counted\": false}",
             name);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, wanted) != NULL;
    if (f)
        fclose(f);
    return found;
}

/* The functions that fill a program's struct and call it. */
static void
put_glue(FILE *f, const subject *s)
{
    const char *n = s->name;
    fprintf(f, "static void fill_%s(%s_args *a, const call *c)\n{\n", n, n);
    fprintf(f, "    %s_args_init(a);\n", n);
    for (size_t i = 0; i < ilex_program_size_count(s->p); i++) {
        const char *size = ilex_program_size_name(s->p, i);
        for (int k = 0; k < DIFF_PARAMS; k++)
            if (!strcmp(size, diff_param_names[k]) && s->has_size[k])
                fprintf(f, "    a->%s = c->size[%d];\n", size, k);
    }
    put_arguments(f, s);
    for (size_t i = 0; i < ilex_program_counted_count(s->p); i++)
        if (*ilex_program_counted_name(s->p, i) == '_') /* it has no name */
            fprintf(f, "    a->count_%zu = &c->counted[%zu];\n", i, i);
        else
            fprintf(f, "    a->%s = &c->counted[%zu];\n",
                    ilex_program_counted_name(s->p, i), i);
    if (!cuda)
        fputs("    a->parts = c->parts; a->parallel_for = c->parallel_for;\n",
              f);
    fprintf(f,
            "    a->workspace = c->workspace;\n"
            "    a->workspace_bytes = c->workspace_bytes;\n"
            "    a->error = c->error; a->error_bytes = c->error_bytes;\n}\n");
    fprintf(f,
            "int call_%s(const call *c)\n"
            "{ %s_args a; int rc; fill_%s(&a, c); rc = %s(&a); FINISH(); "
            "return rc; }\n"
            "size_t room_%s(const call *c)\n"
            "{ %s_args a; fill_%s(&a, c); return %s_workspace(&a); }\n",
            n, n, n, n, n, n, n, n);
    if (*s->fixed)
        fprintf(f,
                "int variant_%s(const call *c)\n"
                "{ %s_args a; fill_%s(&a, c); return %s_variant(&a); }\n",
                n, n, n, n);
}

/* Compiles all files and links them, two compilers at a time. */
static bool
run_compilers(void)
{
    char command[2000];
    const char *cc = getenv("CC"), *cxx = getenv("CXX");
    cc = cc ? cc : "cc";
    snprintf(command, sizeof command,
             "cd %s && ls *.c | xargs -n 4 -P 2 %s -std=c99 -Wall -Wextra "
             "-Wpedantic -Wconversion -Werror %s -fPIC -c",
             directory, cc, flags);
    if (system(command) != 0)
        return false;
    snprintf(command, sizeof command,
             "cd %s && %s %s -shared *.o -o all.so -lm", directory, cc, flags);
    if (cuda) /* kernels call libm, not what a compiler takes for it */
        snprintf(command, sizeof command,
                 "cd %s && cxx='%s -std=c++17 %s -ffp-contract=off "
                 "-fno-builtin -fPIC -I%s' && "
                 "ls *.cu | xargs -n 4 -P 2 $cxx -c -x c++ && "
                 "$cxx -DSHIM_SHARED=1 -shared *.o %s/runtime.cc "
                 "-o all.so -lm",
                 directory, cxx ? cxx : "g++", flags, cuda, cuda);
    return system(command) == 0;
}

/* A function of the library for a program. */
static void *
find(void *library, const char *what, const subject *s)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s", what, s->name);
    return dlsym(library, name);
}

static void
find_functions(void *library, subject *s)
{
    *(void **)&s->run = find(library, "call", s);
    *(void **)&s->room = find(library, "room", s);
    if (!s->run || !s->room)
        abort();
}

/* The shared library. */
static void *
build(void)
{
    char path[200];
    snprintf(path, sizeof path, "%s/glue.c", directory);
    FILE *f = fopen(path, "w");
    if (!f)
        abort();
    for (int i = 0; i < nsubjects; i++)
        fprintf(f, "#include \"%s.h\"\n", subjects[i].name);
    fputs(glue, f);
    fputs(cuda ? "" : diff_foreign_source, f);
    fputs(cuda ? "int shim_finish(void);\n#define FINISH() shim_finish()\n"
               : "#define FINISH() (void)0\n",
          f);
    for (int i = 0; i < nsubjects; i++) {
        for (int k = 0; k < DIFF_PARAMS; k++)
            subjects[i].has_size[k] =
                has_size(&subjects[i], diff_param_names[k]);
        put_glue(f, &subjects[i]);
    }
    if (fclose(f) != 0)
        abort();
    snprintf(path, sizeof path, "%s/all.so", directory);
    bool built = run_compilers();
    void *library = built ? dlopen(path, RTLD_NOW) : NULL;
    if (!library)
        printf("no library: %s\n", built ? dlerror() : "not built");
    for (int i = 0; library && i < nsubjects; i++)
        find_functions(library, &subjects[i]);
    return library;
}

/* ---- running ---- */

void
ahead_describe(argument *a, const ilex_program *p, size_t i,
               const diff_buffer *b)
{
    const ix_compiled_buffer *to = &p->c->buffer[i];
    const ilex_storage *s = b->storage;
    a->data = b->origin;
    for (int k = 0; k < b->rank; k++) {
        int j = 0;
        while (*to->axis[k] && *s->axis[0] && strcmp(s->axis[j], to->axis[k]))
            j++;
        j = *to->axis[k] && *s->axis[0] ? j : k;
        a->shape[k] = s->shape[j];
        a->stride[k] = s->stride[j];
        a->origin[k] = s->origin[j];
        a->halo[k][0] = s->halo[j][0];
        a->halo[k][1] = s->halo[j][1];
    }
}

bool
ahead_buffers(const subject *s, diff_buffer *b, int variant)
{
    uint64_t content = s->recipe.seed * 1000003u + s->recipe.number;
    for (size_t i = 0; i < s->p->c->narguments; i++) {
        const ix_compiled_buffer *a = &s->p->c->buffer[i];
        bool written = false;
        for (size_t j = 0; j < s->p->c->narguments; j++)
            written |= s->p->c->buffer[j].inplace == (int)i;
        int shares = a->inplace;
        if (!diff_buffer_make(&b[i], s->ctx, s->p, i, s->sizes, DIFF_PARAMS,
                              content, variant, written,
                              shares >= 0 ? &b[shares] : NULL))
            return false;
        b[i].shares = shares;
        diff_buffer_arm(&b[i]);
    }
    return true;
}

void
ahead_backwards(void *user, void (*body)(void *arg, int64_t i), void *arg,
                int64_t n)
{
    (void)user;
    while (n-- > 0)
        body(arg, n);
}

/* Does the run take the code that knows its sizes? */
static bool
is_fixed(const subject *s, void *library, const call *c)
{
    int (*variant)(const call *c);
    *(void **)&variant = *s->fixed ? find(library, "variant", s) : NULL;
    return variant && variant(c) > 0;
}

/* By the library: in 1, 2, ... parts, every other time with a workspace. */
static int
run_ahead(const subject *s, void *library, const diff_buffer *b, int variant,
          char *text, size_t bytes)
{
    size_t n = s->p->c->narguments;
    argument *arguments = calloc(n + 1, sizeof *arguments);
    int64_t size[DIFF_PARAMS], counted[AHEAD_COUNTS] = {0};
    void *block = NULL;
    if (!arguments)
        abort();
    for (size_t i = 0; i < n; i++)
        ahead_describe(&arguments[i], s->p, i, &b[i]);
    for (int k = 0; k < DIFF_PARAMS; k++)
        size[k] = s->sizes[k].value;
    call c = {.argument = arguments,
              .size = size,
              .parts = variant,
              .parallel_for = variant > 1 ? ahead_backwards : NULL,
              .error = text,
              .error_bytes = bytes,
              .counted = counted};
    if (variant % 2 == 0 && (c.workspace_bytes = s->room(&c)) > 0 &&
        c.workspace_bytes != SIZE_MAX &&
        !posix_memalign(&block, 64, c.workspace_bytes + GUARD))
        c.workspace = memset(block, 0xff, c.workspace_bytes + GUARD);
    nfixed += is_fixed(s, library, &c);
    int rc = s->run(&c);
    for (size_t i = 0; c.workspace && i < GUARD; i++)
        if (((unsigned char *)block)[c.workspace_bytes + i] != 0xff) {
            ahead_fail(s, "memory behind the workspace changed", "");
            break;
        }
    for (size_t i = 0; rc == 0 && i < ilex_program_counted_count(s->p); i++)
        if (counted[i] != s->counted[DIFF_PARAMS + i].value)
            ahead_fail(s, "another count:", s->counted[DIFF_PARAMS + i].name);
    free(block);
    free(arguments);
    return rc;
}

static int
run_reference(subject *s, const diff_buffer *b, char *text, size_t bytes)
{
    ilex_binding bindings[64];
    ilex_call c = {
        .size = sizeof c, .sizes = s->sizes, .size_count = DIFF_PARAMS};
    size_t n = s->p->c->narguments;
    size_t ncounted = ilex_program_counted_count(s->p);
    if (n > IX_COUNT(bindings) || ncounted > AHEAD_COUNTS)
        abort();
    memcpy(s->counted, s->sizes, sizeof s->sizes);
    for (size_t i = 0; i < ncounted; i++)
        s->counted[DIFF_PARAMS + i].name = ilex_program_counted_name(s->p, i);
    c.counted = s->counted + DIFF_PARAMS;
    c.counted_count = ncounted;
    ncounting += ncounted > 0;
    for (size_t i = 0; i < n; i++)
        bindings[i] =
            (ilex_binding)ILEX_BIND(s->p->c->buffer[i].name, b[i].storage);
    ilex_status rc = ilex_run(s->p, bindings, n, &c);
    snprintf(text, bytes, "%.*s", (int)bytes - 1, c.error);
    return (int)rc;
}

/* Nothing but the domains of outputs has changed. */
static bool
is_intact(const subject *s, const diff_buffer *b)
{
    bool intact = true;
    size_t n = s->p->c->narguments;
    for (size_t i = 0; i < n; i++)
        intact = intact && !diff_buffer_changed(b, n, i);
    return intact;
}

/* Keeps the elements of outputs, or compares them with those that were kept. */
static void
judge(const subject *s, const diff_buffer *b, unsigned char **want, bool keep)
{
    for (size_t i = 0; i < s->p->c->narguments; i++) {
        size_t bytes;
        if (!b[i].output)
            continue;
        unsigned char *got = diff_buffer_take(&b[i], &bytes);
        noutputs += keep;
        if (keep) {
            want[i] = got;
            continue;
        }
        if (memcmp(got, want[i], bytes) != 0)
            ahead_fail(s, "another result:", s->p->c->buffer[i].name);
        free(got);
    }
}

static void
try_subject(subject *s, void *library)
{
    size_t n = s->p->c->narguments;
    unsigned char **want = calloc(n + 1, sizeof *want);
    diff_buffer *b = calloc(n + 1, sizeof *b);
    char text[400];
    int first = 0;
    if (!want || !b)
        abort();
    for (int variant = 0; variant < VARIANTS; variant++) {
        text[0] = '\0';
        if (!ahead_buffers(s, b, variant))
            abort();
        int rc = variant == 0
                     ? run_reference(s, b, text, sizeof text)
                     : run_ahead(s, library, b, variant, text, sizeof text);
        if (variant == 0)
            first = rc;
        for (size_t i = 0; rc == 0 && i < n; i++)
            if (b[i].output && ilex_program_counted_count(s->p))
                diff_buffer_shrink(&b[i], s->p, i, s->counted,
                                   DIFF_PARAMS +
                                       ilex_program_counted_count(s->p));
        if (rc != first)
            ahead_fail(s, "another error:", text);
        else if (rc == 0 && !is_intact(s, b))
            ahead_fail(s, "memory changed", "");
        else if (rc == 0)
            judge(s, b, want, variant == 0);
        for (size_t i = n; i > 0; i--)
            diff_buffer_free(&b[i - 1]);
    }
    for (size_t i = 0; i < n; i++)
        free(want[i]);
    free(want);
    free(b);
}

/* ---- all ---- */

static void
make_subjects(uint64_t seed, uint64_t first, int count)
{
    for (uint64_t i = first; nsubjects < count; i++) {
        subject *s = &subjects[nsubjects];
        if (make_subject(s, seed, i)) {
            nsubjects++;
            continue;
        }
        nrefused++;
        ilex_program_release(s->p);
        ilex_program_release(s->simplified);
        ilex_context_free(s->ctx);
        memset(s, 0, sizeof *s);
    }
}

static void
close_subjects(void)
{
    char command[100];
    for (int i = 0; i < nsubjects; i++) {
        ilex_program_release(subjects[i].p);
        ilex_program_release(subjects[i].simplified);
        ilex_context_free(subjects[i].ctx);
    }
    free(subjects);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        nfailures++;
}

int
main(int argc, char **argv)
{
    const char *environment = getenv("ILEX_SEED");
    uint64_t seed =
        environment && *environment ? strtoull(environment, NULL, 0) : 1;
    uint64_t first = 100; /* before it, one takes the reference 20 seconds */
    int count = 60;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--seed=", 7))
            seed = strtoull(argv[i] + 7, NULL, 0);
        else if (!strncmp(argv[i], "--first=", 8))
            first = strtoull(argv[i] + 8, NULL, 0);
        else if (!strncmp(argv[i], "--count=", 8))
            count = atoi(argv[i] + 8);
        else if (!strncmp(argv[i], "--flags=", 8))
            flags = argv[i] + 8;
        else if (!strncmp(argv[i], "--cuda=", 7))
            cuda = argv[i] + 7;
        else if (!strncmp(argv[i], "--seconds=", 10))
            seconds = atoi(argv[i] + 10);
        else
            return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    subjects = calloc(MOST, sizeof *subjects);
    if (!subjects || count > MOST || !mkdtemp(directory))
        return 99;
    make_subjects(seed, first, count);
    void *library = build();
    nfailures += !library;
    time_t start = time(NULL);
    int tried = 0;
    for (; library && tried < nsubjects && time(NULL) - start < seconds;
         tried++) {
        try_subject(&subjects[tried], library);
        if (!cuda)
            wrong_try(&subjects[tried]);
    }
    if (!cuda)
        wrong_report(tried >= 200);
    close_subjects();
    printf("ahead of time: seed %llu: %d programs in one library, %d run, %d "
           "refused, %d that count lengths, %ld outputs, %d runs of code with "
           "known sizes, "
           "%d failures\n",
           (unsigned long long)seed, nsubjects, tried, nrefused, ncounting,
           noutputs, nfixed, nfailures);
    return nfailures != 0;
}
