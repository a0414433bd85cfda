/* SPDX-License-Identifier: MIT
 *
 * Files of a program: what the words of the texts stand for, and what cannot be
 * compiled ahead of time.
 */
#include "compiler/host/host.h"

#include <ctype.h>

#include "lib/base/letter.h"
#include "lib/ops/functions.h"

/* ---- words ---- */

static bool
has_calls(const ix_host *h)
{
    return h->c->ncalls > h->c->nroutines;
}

/* Is the text of the library's routines there? */
static bool
has_routines(const ix_host *h)
{
    return h->library->routines;
}

/* Is that of loops? */
static bool
has_loops(const ix_host *h)
{
    return h->library->loops;
}

static bool
has_counts(const ix_host *h)
{
    return h->c->ncounts > 0;
}

static bool
is_grid(const ix_host *h)
{
    return h->grid;
}

/* Is ilex_local there, before the kernels? */
static bool
has_local(const ix_host *h)
{
    return !h->grid || strstr(h->source->unit[0], "} ilex_local;") != NULL;
}

static bool
has_variants(const ix_host *h)
{
    return h->nvariants > 0;
}

static bool
has_support(const ix_host *h)
{
    return h->support != NULL;
}

static bool
is_freestanding(const ix_host *h)
{
    return h->library->freestanding;
}

static void
put_freestanding(ix_host *h)
{
    ix_host_put_text(h, IX_HOST_FREESTANDING);
}

static void
put_function_text(ix_host *h)
{
    ix_host_put_text(h, IX_HOST_FUNCTION);
}

static void
put_support_name(ix_host *h)
{
    ix_text_format(h->t,
                   "#include \"%s.h\"\n"
                   "#if ILEX_SUPPORT != 0x%xu\n"
                   "#error \"%s.h is of another version: write all anew\"\n"
                   "#endif\n",
                   h->support, ix_host_shared_hash(), h->support);
}

/* Is somebody asked which variant a run takes? */
static bool
has_choice(const ix_host *h)
{
    return h->nvariants > 0 || h->support;
}

const ix_host_word ix_host_words[] = {
    {"calls", has_calls, ix_host_put_calls},
    {"choice", has_choice, NULL},
    {"codes", NULL, ix_host_put_codes},
    {"counts", has_counts, NULL},
    {"dense", NULL, ix_host_put_dense},
    {"dense_declaration", NULL, ix_host_put_dense_declaration},
    {"elementwise", ix_host_needs_elementwise, ix_host_put_elementwise},
    {"error_codes", NULL, ix_host_put_error_codes},
    {"error_text", NULL, ix_host_put_error_text},
    {"errors", NULL, ix_host_put_errors},
    {"formulas", NULL, ix_host_put_formulas},
    {"freestanding", is_freestanding, put_freestanding},
    {"function", NULL, put_function_text},
    {"functions", has_calls, ix_host_put_functions},
    {"grid", is_grid, NULL},
    {"json", NULL, ix_host_put_json},
    {"kernels", NULL, ix_host_put_kernels},
    {"local", has_local, NULL},
    {"math", ix_host_uses_math, NULL},
    {"members", NULL, ix_host_put_members},
    {"places", NULL, ix_host_put_places},
    {"plan", NULL, ix_host_put_plan},
    {"program", NULL, ix_host_put_program},
    {"routines", has_routines, NULL},
    {"loops", has_loops, NULL},
    {"support", has_support, put_support_name},
    {"tables", NULL, ix_host_put_tables},
    {"variants", has_variants, ix_host_put_variants},
    {"workspace", ix_host_takes_workspace, NULL},
    {NULL, NULL, NULL}};

/* ---- what is not there ---- */

/* Counts of elements, data of the caller and parts of outputs belong to runs by
 * the library. */
static ilex_status
check_program(const ix_compiled *c, ix_error *err)
{
    if (c->nboxes > 0)
        return ix_fail(err, ILEX_E_UNSUPPORTED,
                       "program %s: option box=1 is for runs by the library",
                       c->name);
    for (size_t i = 0; i < c->narguments; i++)
        if (c->buffer[i].role == IX_COMPILED_DATA)
            return ix_fail(err, ILEX_E_UNSUPPORTED,
                           "program %s: it wraps a storage (ilex_data), which "
                           "files cannot hold; make it an input",
                           c->name);
    return ILEX_OK;
}

/* The routines of the library are C for the host. */
static ilex_status
check_routines(const ix_compiled *c, ix_error *err)
{
    for (size_t i = 0; i < c->ncalls; i++)
        if (c->call[i].routine)
            return ix_fail(err, ILEX_E_UNSUPPORTED,
                           "program %s: %s%s runs on the host, and CUDA that "
                           "is compiled ahead of time has nothing of it; "
                           "write C, or compile by jit=nvrtc",
                           c->name, c->call[i].name, c->call[i].location);
    return ILEX_OK;
}

/* Fortran has arrays of up to 15 dimensions, and names of up to 63 letters of
 * ASCII, "_module" among them. */
static ilex_status
check_fortran(const ix_library *l, ix_error *err)
{
    enum { RANK = 15, LETTERS = 56 };
    const ix_compiled *c = l->program;
    size_t letters = strlen(l->prefix);
    bool fits = letters <= LETTERS && ix_letters(l->prefix, letters) == letters;
    for (size_t i = 0; i < c->narguments; i++)
        fits = fits && c->buffer[i].rank <= RANK &&
               ix_host_fortran_length(c->buffer[i].name) <= LETTERS;
    for (size_t p = 0; p < c->nsizes; p++)
        fits = fits && ix_host_fortran_length(c->size[p].name) <= LETTERS;
    return fits ? ILEX_OK
                : ix_fail(err, ILEX_E_UNSUPPORTED,
                          "program %s: Fortran has no arrays of more than %d "
                          "axes, and no names of more than %d letters here, "
                          "those of programs of ASCII; --prefix gives another",
                          c->name, RANK, LETTERS);
}

ilex_status
ix_library_check(const ix_library *l, bool fortran, ix_error *err)
{
    ilex_status rc = check_program(l->program, err);
    if (!rc && l->cuda && fortran)
        rc = ix_fail(err, ILEX_E_UNSUPPORTED,
                     "program %s: there are no modules in Fortran for CUDA: "
                     "its arrays lie on the host; leave --fortran out, or "
                     "write C",
                     l->program->name);
    if (!rc && fortran)
        rc = check_fortran(l, err);
    if (!rc && l->freestanding && l->cuda)
        rc = ix_fail(err, ILEX_E_UNSUPPORTED,
                     "program %s: CUDA has a C library; leave --freestanding "
                     "out, or write C",
                     l->program->name);
    rc = rc || !l->cuda ? rc : check_routines(l->program, err);
    rc = rc ? rc : ix_host_check_variants(l, err);
    rc = rc ? rc : ix_host_check_functions(l, err);
    if (rc || (!ix_host_is_reserved(l->prefix) &&
               !ix_host_is_of_libraries(l->prefix)))
        return rc;
    return ix_fail(
        err, ILEX_E_NAME,
        "program %s: '%.60s' means something in C, its libraries, C++ "
        "or generated source and cannot be what a function is called; give "
        "another prefix, for example my_%.60s",
        l->program->name, l->prefix, l->prefix);
}

/* ---- files ---- */

/* One program has all in its file. */
static void
put_source(ix_host *h, ix_text *t)
{
    ix_host_put_text(h, IX_HOST_HEAD);
    ix_text_put(t, h->source->unit[0]);
    ix_text_put(t, h->support ? "" : "\n#define ILEX_OFFERED static\n");
    if (!h->support) {
        ix_host_put_text(h, IX_HOST_TYPES);
        ix_host_put_tables(h); /* before functions, which know them */
        ix_host_put_text(h, IX_HOST_FUNCTIONS);
    }
    ix_host_put_text(h, IX_HOST_PROGRAM);
}

static void
put_support_header(ix_host *h, ix_text *t)
{
    ix_host_put_text(h, IX_HOST_SUPPORT);
    ix_text_format(t, "#define ILEX_SUPPORT 0x%xu /* of the types here */\n\n",
                   ix_host_shared_hash());
    ix_emit_common(IX_DIALECT_aot, t);
    ix_host_put_text(h, IX_HOST_TYPES);
    ix_text_put(t, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void
put_support_source(ix_host *h, ix_text *t)
{
    ix_text_format(t,
                   "/* %s.c: what programs share; see %s.h. */\n"
                   "#include \"%s.h\"\n\n",
                   h->prefix, h->prefix, h->prefix);
    ix_host_put_text(h, IX_HOST_FUNCTIONS);
}

/* Where the kernels' lines end those of the file go on. */
static void
put_source_with_lines(ix_host *h, ix_text *t)
{
    ix_text source, name;
    ix_mem mem = ix_arena_mem(h->arena);
    ix_text_init(&source, &mem);
    ix_text_init(&name, &mem);
    h->t = &source;
    put_source(h, &source);
    h->t = t;
    ix_text_format(&name, h->grid ? "%s.cu" : "%s.c", h->prefix);
    ix_finish_lines(ix_text_string(&source), ix_text_string(&name), t);
}

static void
put_file(ix_host *h, const ix_library *l, ix_library_file file, ix_text *t)
{
    h->upper = ix_arena_string(h->arena, h->prefix);
    for (char *p = h->upper; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    ix_host_make_names(h);
    h->t = t;
    if (file == IX_LIBRARY_HEADER)
        ix_host_put_text(h, IX_HOST_HEADER);
    else if (file == IX_LIBRARY_JSON)
        ix_host_put_json(h);
    else if (file == IX_LIBRARY_FORTRAN)
        ix_host_put_fortran(h);
    else if (file == IX_LIBRARY_PYTHON)
        ix_host_put_text(h, IX_HOST_PYTHON);
    else if (file == IX_LIBRARY_SUPPORT_HEADER)
        put_support_header(h, t);
    else if (file == IX_LIBRARY_SUPPORT_SOURCE)
        put_support_source(h, t);
    else if (l->lines)
        put_source_with_lines(h, t);
    else
        put_source(h, t);
}

ilex_status
ix_library_print(const ix_library *l, ix_library_file file, ix_text *t,
                 ix_error *err)
{
    ix_arena arena;
    ix_host h = {
        .c = l->program,
        .tables = l->program->tables,
        .source =
            &l->program->source[l->cuda ? IX_DIALECT_grid : IX_DIALECT_aot],
        .grid = l->cuda,
        .variant = l->variant,
        .nvariants = l->nvariants,
        .prefix = l->prefix,
        .library = l,
        .support = l->support,
        .arena = &arena};
    ix_arena_init(&arena, &t->mem);
    bool ok = IX_ARENA_TRY(&arena);
    if (ok)
        put_file(&h, l, file, t);
    ix_arena_free(&arena);
    return ok && !t->failed ? ILEX_OK : ix_fail_memory(err);
}
