/* SPDX-License-Identifier: MIT
 *
 * Files of a program: what the words of the texts stand for, and what cannot be
 * compiled ahead of time.
 */
#include "compiler/host/host.h"

#include <ctype.h>

/* ---- words ---- */

static bool
has_sizes(const ix_host *h)
{
    return h->nsizes > 0;
}

static bool
has_assumptions(const ix_host *h)
{
    return h->c->nassumptions > 0;
}

static bool
has_tests(const ix_host *h)
{
    return h->c->nnonempty > 0;
}

static bool
has_slots(const ix_host *h)
{
    return h->c->nslots > 0;
}

static bool
has_checks(const ix_host *h)
{
    return h->c->nchecks > 0;
}

static bool
has_calls(const ix_host *h)
{
    return h->c->ncalls > 0;
}

static bool
has_counts(const ix_host *h)
{
    return h->c->ncounts > 0;
}

static bool
has_kernels(const ix_host *h)
{
    return h->c->nkernels > 0;
}

static bool
is_grid(const ix_host *h)
{
    return h->grid;
}

static bool
has_variants(const ix_host *h)
{
    return h->nvariants > 0;
}

static bool
uses_math(const ix_host *h)
{
    return h->source->uses_math;
}

const ix_host_word ix_host_words[] = {
    {"assumptions", has_assumptions, ix_host_put_assumptions},
    {"calls", has_calls, ix_host_put_calls},
    {"checks", has_checks, ix_host_put_checks},
    {"grid", is_grid, NULL},
    {"kernels", has_kernels, NULL},
    {"math", uses_math, NULL},
    {"sizes", has_sizes, ix_host_put_sizes},
    {"slots", has_slots, NULL},
    {"variants", has_variants, ix_host_put_variants},
    {"temporaries", NULL, ix_host_put_temporaries},
    {"tests", has_tests, ix_host_put_tests},
    {"arrays", NULL, ix_host_put_arrays},
    {"axes", NULL, ix_host_put_axes},
    {"constants", NULL, ix_host_put_constants},
    {"dense", NULL, ix_host_put_dense},
    {"dense_declaration", NULL, ix_host_put_dense_declaration},
    {"error_text", NULL, ix_host_put_error_text},
    {"errors", NULL, ix_host_put_errors},
    {"formulas", NULL, ix_host_put_formulas},
    {"counts", has_counts, ix_host_put_counts},
    {"functions", has_calls, ix_host_put_functions},
    {"elementwise", ix_host_needs_elementwise, ix_host_put_elementwise},
    {"forms", NULL, ix_host_put_forms},
    {"init", NULL, ix_host_put_init},
    {"launches", NULL, ix_host_put_launches},
    {"load", NULL, ix_host_put_load},
    {"members", NULL, ix_host_put_members},
    {"steps", NULL, ix_host_put_steps},
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

/* Fortran has arrays of up to 15 dimensions, and names of up to 63 letters,
 * "_module" among them. */
static ilex_status
check_fortran(const ix_library *l, ix_error *err)
{
    enum { RANK = 15, LETTERS = 56 };
    const ix_compiled *c = l->program;
    bool fits = strlen(l->prefix) <= LETTERS;
    for (size_t i = 0; i < c->narguments; i++)
        fits = fits && c->buffer[i].rank <= RANK &&
               strlen(c->buffer[i].name) <= LETTERS;
    return fits ? ILEX_OK
                : ix_fail(err, ILEX_E_UNSUPPORTED,
                          "program %s: Fortran has no arrays of more than %d "
                          "axes, and no names of more than %d letters here",
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
    rc = rc ? rc : ix_host_check_variants(l, err);
    rc = rc ? rc : ix_host_check_functions(l, err);
    if (rc || !ix_host_is_reserved(l->prefix))
        return rc;
    return ix_fail(err, ILEX_E_NAME,
                   "program %s: '%.60s' means something in C, C++ or generated "
                   "source and cannot be what a function is called; give "
                   "another prefix, for example my_%.60s",
                   l->program->name, l->prefix, l->prefix);
}

/* ---- files ---- */

/* What stands behind the kernels. */
static void
put_function(ix_host *h)
{
    ix_host_put_text(h, IX_HOST_BODY);
    ix_host_put_text(h, h->grid ? IX_HOST_GRID : IX_HOST_CPU);
    ix_host_put_text(h, IX_HOST_ENTRY);
}

/* The table of forms stands before those that need them: the text behind the
 * kernels is printed twice. */
static void
put_source(ix_host *h, ix_text *t)
{
    ix_text draft;
    ix_mem mem = ix_arena_mem(h->arena);
    ix_text_init(&draft, &mem);
    h->t = &draft;
    put_function(h);
    h->t = t;
    ix_host_put_text(h, IX_HOST_HEAD);
    ix_text_put(t, h->source->unit[0]);
    put_function(h);
}

/* Where the kernels' lines end those of the file go on. */
static void
put_source_with_lines(ix_host *h, ix_text *t)
{
    ix_text source, name;
    ix_mem mem = ix_arena_mem(h->arena);
    ix_text_init(&source, &mem);
    ix_text_init(&name, &mem);
    put_source(h, &source);
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
        ix_host_put_json(h, l);
    else if (file == IX_LIBRARY_FORTRAN)
        ix_host_put_fortran(h);
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
        .source =
            &l->program->source[l->cuda ? IX_DIALECT_grid : IX_DIALECT_aot],
        .grid = l->cuda,
        .variant = l->variant,
        .nvariants = l->nvariants,
        .prefix = l->prefix,
        .arena = &arena};
    ix_arena_init(&arena, &t->mem);
    bool ok = IX_ARENA_TRY(&arena);
    if (ok)
        put_file(&h, l, file, t);
    ix_arena_free(&arena);
    return ok && !t->failed ? ILEX_OK : ix_fail_memory(err);
}
