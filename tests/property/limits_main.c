/* SPDX-License-Identifier: MIT
 *
 * Draws programs around each limit, runs them by the reference and by tcc, and
 * reports one TAP line a family.
 *
 *     limits [--long] [--seed=S] [--number=N] [--count=C] [--only=FAMILY]
 *
 * --number=N prints and tries one program.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/property/limits.h"

enum { SHORT_COUNT = 25, LONG_COUNT = 2000, MOST_FAILURES = 3 };
enum { NEVER, MAYBE };

static const struct {
    const char *name, *meaning;
    void (*draw)(diff_random *r, ix_text *t);
    int refused;
} families[] = {
#define LIMIT(name, refused, meaning) {#name, meaning, limit_##name, refused},
#include "tests/property/limits.def"
};

typedef struct attempt {
    ilex_context *ctx;
    ilex_module *module;
    uint64_t content;
    unsigned char *want; /* what the reference computed */
    size_t nwant;
    char why[2000];
} attempt;

static bool
fail(attempt *a, const char *where, const char *what)
{
    snprintf(a->why, sizeof a->why, "%s: %s", where, what);
    return false;
}

/* ---- running ---- */

/* Keeps the output of the reference, compares that of others. */
static bool
judge(attempt *a, const char *jit, const diff_buffer *b)
{
    size_t n;
    unsigned char *got = diff_buffer_take(b, &n);
    if (!a->want) {
        a->want = got;
        a->nwant = n;
        return true;
    }
    bool same = n == a->nwant && memcmp(got, a->want, n) == 0;
    free(got);
    return same || fail(a, jit, "another result than the reference");
}

/* Values of the program's sizes: s0, s1, ... are 0 or 1, others 1 to 7. */
static ilex_size_binding *
make_sizes(const attempt *a, const ilex_program *p, size_t *n)
{
    *n = ilex_program_size_count(p);
    ilex_size_binding *sizes = calloc(*n + 1, sizeof *sizes);
    if (!sizes)
        abort();
    for (size_t i = 0; i < *n; i++) {
        const char *name = ilex_program_size_name(p, i);
        diff_random r = diff_random_of(a->content, (uint64_t)*name, i);
        bool small = *name == 's';
        sizes[i] = (ilex_size_binding){name, small ? diff_draw(&r, 2)
                                                   : diff_between(&r, 1, 7)};
    }
    return sizes;
}

/* Runs over fresh storages; the output comes last. */
static bool
run(attempt *a, const char *jit, const ilex_program *p)
{
    size_t n = ilex_program_argument_count(p), nsizes;
    ilex_size_binding *sizes = make_sizes(a, p, &nsizes);
    diff_buffer *b = calloc(n, sizeof *b);
    ilex_binding *bindings = calloc(n, sizeof *bindings);
    ilex_call call = {.size = sizeof call,
                      .threads = 2,
                      .sizes = sizes,
                      .size_count = nsizes};
    if (!b || !bindings)
        abort();
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = diff_buffer_make(&b[i], a->ctx, p, i, sizes, nsizes, a->content, 0,
                              false, NULL) ||
             fail(a, "binding", ilex_error_text(a->ctx));
        if (ok)
            diff_buffer_arm(&b[i]);
        bindings[i] = (ilex_binding)ILEX_BIND(ilex_program_argument(p, i).name,
                                              b[i].storage);
    }
    ok = ok && (ilex_run(p, bindings, n, &call) == ILEX_OK ||
                fail(a, jit, call.error));
    for (size_t i = 0; ok && i < n; i++)
        ok = diff_buffer_intact(&b[i], b[i].output ? &b[i] : NULL) ||
             fail(a, jit, "memory outside the output changed");
    ok = ok && judge(a, jit, &b[n - 1]);
    for (size_t i = 0; i < n; i++)
        diff_buffer_free(&b[i]);
    free(b);
    free(bindings);
    free(sizes);
    return ok;
}

static bool
compile_and_run(attempt *a, const char *jit)
{
    ilex_option_set(a->ctx, "jit", jit);
    ilex_program *p = ilex_compile_module(a->module);
    if (!p)
        return fail(a, jit, ilex_error_text(a->ctx));
    bool ok = run(a, jit, p);
    ilex_program_release(p);
    return ok;
}

/* ---- trying ---- */

/* Did a constructor refuse the text as too large? */
static bool
is_refused(const attempt *a)
{
    ilex_status rc = ilex_error_code(a->ctx);
    return rc == ILEX_E_LIMIT || rc == ILEX_E_OVERFLOW || rc == ILEX_E_RANK;
}

/* The program, verified after every pass, by each back end. */
static bool
holds(attempt *a, size_t family, const char *text, int *refused)
{
    a->module = ilex_module_parse(a->ctx, text, "limits");
    if (!a->module && families[family].refused == MAYBE && is_refused(a)) {
        (*refused)++;
        return true;
    }
    if (!a->module)
        return fail(a, "parse", ilex_error_text(a->ctx));
    return compile_and_run(a, "reference") && compile_and_run(a, "tcc");
}

static bool
try_program(uint64_t seed, uint64_t number, size_t family, bool show,
            int *refused)
{
    diff_random r = diff_random_of(seed, number, 200 + family);
    attempt a = {.ctx = ilex_context_new(NULL), .content = seed + number};
    ix_text t;
    if (!a.ctx)
        abort();
    ilex_option_set(a.ctx, "verify", "1");
    ix_text_init(&t, ix_context_mem(a.ctx));
    ix_text_put(&t, "ilex 1\nprogram limits\n");
    families[family].draw(&r, &t);
    const char *text = ix_text_string(&t);
    bool ok = holds(&a, family, text, refused);
    if (!ok)
        printf("# %s, program %llu of seed %llu: %s\n", families[family].name,
               (unsigned long long)number, (unsigned long long)seed, a.why);
    if (show)
        printf("%s", text);
    ix_text_free(&t);
    free(a.want);
    ilex_module_free(a.module);
    ilex_context_free(a.ctx);
    return ok;
}

/* ---- going through ---- */

static const char *
option(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, strlen(name)))
            return argv[i] + strlen(name);
    return NULL;
}

static uint64_t
number_option(int argc, char **argv, const char *name, uint64_t fallback)
{
    const char *text = option(argc, argv, name);
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}

int
main(int argc, char **argv)
{
    const char *only = option(argc, argv, "--only="),
               *given = getenv("ILEX_SEED");
    uint64_t seed = given && *given ? strtoull(given, NULL, 0) : 1;
    seed = number_option(argc, argv, "--seed=", seed);
    bool one = option(argc, argv, "--number=") != NULL;
    uint64_t first = number_option(argc, argv, "--number=", 0);
    uint64_t count = option(argc, argv, "--long") ? LONG_COUNT : SHORT_COUNT;
    count = one ? 1 : number_option(argc, argv, "--count=", count);
    int failed = 0;
    printf("1..%zu\n", IX_COUNT(families));
    for (size_t f = 0; f < IX_COUNT(families); f++) {
        int bad = 0, refused = 0;
        bool skip = only && strcmp(only, families[f].name) != 0;
        for (uint64_t k = first;
             !skip && k < first + count && bad < MOST_FAILURES; k++)
            bad += !try_program(seed, k, f, one, &refused);
        printf("%sok %zu - %s (%d refused)\n", bad ? "not " : "", f + 1,
               families[f].meaning, refused);
        fflush(stdout);
        failed += bad > 0;
    }
    return failed > 0;
}
