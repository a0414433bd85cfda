/* SPDX-License-Identifier: MIT
 *
 * Programs: from a module to something that runs, and queries.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "runtime/program.h"

#include <stdio.h>
#include <time.h>

static const ix_backend backends[] = {
#define IX_BACKEND(name, dialect, compile, command, several, meaning)          \
    {#name, meaning, dialect, compile, command, several},
#include "runtime/backends.def"
};

static const ix_backend *
find_backend(const char *name)
{
    for (size_t i = 0; i < IX_COUNT(backends); i++)
        if (!strcmp(backends[i].name, name))
            return &backends[i];
    return NULL;
}

/* jit=auto: tcc, else cc. */
static const ix_backend *
choose_backend(ilex_context *ctx)
{
    const char *jit = ix_option_text(ctx, IX_OPTION_jit);
    if (strcmp(jit, "auto") != 0)
        return find_backend(jit);
    if (ix_jit_tcc_available())
        return find_backend("tcc");
    ix_log(ctx, ILEX_INFO, "jit=auto: built without libtcc; using cc");
    return find_backend("cc");
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- compiling ---- */

/* Compiles the source and finds the kernels. */
static ilex_status
load_code(ilex_context *ctx, ilex_program *p)
{
    ix_compiled *c = p->c;
    const char **names =
        ix_mem_new(&ctx->mem, (c->nkernels + 1) * sizeof *names);
    void **entries = ix_mem_new(&ctx->mem, (c->nkernels + 1) * sizeof *entries);
    p->kernel = ix_mem_new(&p->mem, (c->nkernels + 1) * sizeof *p->kernel);
    const char *cc = ix_option_text(ctx, IX_OPTION_cc);
    const char *flags = ix_option_text(ctx, IX_OPTION_cflags);
    const ix_sources *source = &c->source[p->backend->dialect];
    ix_jit_request req = {.sources = source->unit,
                          .nsources = source->nunits,
                          .symbols = names,
                          .nsymbols = c->nkernels,
                          .needs_math = source->uses_math,
                          .cc = *cc ? cc : NULL,
                          .cflags_opt = *flags ? flags : NULL};
    double start = now();
    for (size_t i = 0; names && i < c->nkernels; i++)
        names[i] = c->kernel[i].name;
    if (names && entries && p->kernel)
        p->code = p->backend->compile(&p->mem, &req, entries, &ctx->error);
    else
        ix_fail_memory(&ctx->error);
    for (size_t i = 0; p->code && i < c->nkernels; i++)
        memcpy(&p->kernel[i], &entries[i], sizeof p->kernel[i]);
    if (p->code && p->backend->command)
        p->command = p->backend->command(&p->mem, &req, &ctx->error);
    p->jit_seconds = now() - start;
    ix_mem_free(&ctx->mem, names);
    ix_mem_free(&ctx->mem, entries);
    return p->code ? ILEX_OK : ctx->error.code;
}

/* The solver's tables live in the compiled program's arena. */
static bool
make_solver(ilex_program *p)
{
    if (!IX_ARENA_TRY(&p->c->arena))
        return false;
    ix_solver_make(&p->solver, p->c);
    return true;
}

ilex_program *
ilex_compile_module(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    ilex_program *p = ix_mem_new(ix_context_mem(ctx), sizeof *p);
    if (!p) {
        ix_fail_memory(&ctx->error);
        return NULL;
    }
    atomic_init(&p->count, 1);
    p->mem = *ix_context_mem(ctx);
    p->backend = choose_backend(ctx);
    p->threads = (int)ix_option_int(ctx, IX_OPTION_threads);
    ix_compile_request request = {.reference = p->backend->dialect < 0,
                                  .several = p->backend->several};
    if (!request.reference)
        request.dialect[p->backend->dialect] = true;
    p->c = ix_compile(module, &request);
    if (p->c && !make_solver(p))
        ix_fail_memory(&ctx->error);
    else if (p->c && !request.reference)
        load_code(ctx, p);
    if (p->c && ctx->error.code == ILEX_OK)
        return p;
    ilex_program_release(p);
    return NULL;
}

/* "_ilex_out<i>" unless the spec names the output. */
static ilex_status
add_outputs(ilex_module *m, size_t count, ilex_array *const *outputs,
            const ilex_compile_spec *spec)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "_ilex_out%zu", i);
        const char *given = spec->names ? spec->names[i] : NULL;
        const char *inplace = spec->inplace ? spec->inplace[i] : NULL;
        if (!outputs || !outputs[i])
            return ix_fail(&m->ctx->error, ILEX_E_ARGUMENT,
                           "compile: output %zu is NULL", i);
        rc = given ? ilex_module_output(m, given, outputs[i], inplace)
                   : ix_module_add_output(m, name, outputs[i], inplace);
    }
    return rc;
}

ilex_program *
ilex_compile(ilex_context *ctx, size_t count, ilex_array *const *outputs,
             const ilex_compile_spec *spec)
{
    ilex_compile_spec s = {0};
    if (ctx->error.code != ILEX_OK)
        return NULL;
    if (spec && spec->size < offsetof(ilex_compile_spec, names)) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "compile: the size of the spec is not set; start it with "
                ".size = sizeof(ilex_compile_spec)");
        return NULL;
    }
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    ilex_module *m = ilex_module_new(ctx, s.name ? s.name : "program");
    if (!m)
        return NULL;
    ilex_program *p = NULL;
    if (add_outputs(m, count, outputs, &s) == ILEX_OK)
        p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

ilex_program *
ilex_program_retain(ilex_program *p)
{
    if (p)
        atomic_fetch_add(&p->count, 1);
    return p;
}

void
ilex_program_release(ilex_program *p)
{
    if (!p || atomic_fetch_sub(&p->count, 1) != 1)
        return;
    ix_mem mem = p->mem;
    ix_code_release(p->code);
    ix_mem_free(&mem, p->kernel);
    ix_mem_free(&mem, p->command);
    ix_compiled_free(p->c);
    ix_mem_free(&mem, p);
}

/* ---- queries ---- */

const char *
ilex_program_name(const ilex_program *p)
{
    return p->c->name;
}

const char *
ilex_program_backend(const ilex_program *p)
{
    return p->backend->name;
}

size_t
ilex_program_kernel_count(const ilex_program *p)
{
    return p->c->nkernels;
}

size_t
ilex_program_node_count(const ilex_program *p)
{
    return p->c->nnodes;
}

double
ilex_program_lower_seconds(const ilex_program *p)
{
    return p->c->seconds;
}

double
ilex_program_jit_seconds(const ilex_program *p)
{
    return p->jit_seconds;
}

const char *
ilex_program_source(const ilex_program *p, size_t unit)
{
    if (p->backend->dialect < 0)
        return NULL;
    const ix_sources *source = &p->c->source[p->backend->dialect];
    return unit < source->nunits ? source->unit[unit] : NULL;
}

const char *
ilex_program_command(const ilex_program *p)
{
    return p->command ? p->command : "";
}

/* Wrapped data are no arguments: they are bound already. */
static const ix_compiled_buffer *
argument(const ilex_program *p, size_t i, size_t *buffer)
{
    for (size_t k = 0; k < p->c->narguments; k++)
        if (p->c->buffer[k].role != IX_COMPILED_DATA && i-- == 0) {
            *buffer = k;
            return &p->c->buffer[k];
        }
    return NULL;
}

size_t
ilex_program_argument_count(const ilex_program *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->c->narguments; k++)
        n += p->c->buffer[k].role != IX_COMPILED_DATA;
    return n;
}

ilex_argument_info
ilex_program_argument(const ilex_program *p, size_t i)
{
    ilex_argument_info info = {.size = sizeof info, .name = ""};
    size_t k;
    const ix_compiled_buffer *b = argument(p, i, &k);
    if (!b)
        return info;
    info.name = b->name;
    info.dtype = b->dtype;
    info.rank = b->rank;
    info.output = b->role == IX_COMPILED_OUTPUT;
    info.used = b->used;
    info.domain = b->interior_text;
    info.reads = b->box_text;
    for (int a = 0; a < b->rank; a++)
        info.axis[a] = b->axis[a];
    return info;
}

/* Sizes the program uses, in order. */
static const ix_compiled_size *
used_size(const ilex_program *p, size_t i)
{
    for (size_t k = 0; k < p->c->nsizes; k++)
        if (p->c->size[k].used && i-- == 0)
            return &p->c->size[k];
    return NULL;
}

size_t
ilex_program_size_count(const ilex_program *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->c->nsizes; k++)
        n += p->c->size[k].used;
    return n;
}

const char *
ilex_program_size_name(const ilex_program *p, size_t i)
{
    const ix_compiled_size *s = used_size(p, i);
    return s ? s->name : "";
}

/* Values by size; NULL when there is no memory or one is missing. */
static int64_t *
size_values(const ilex_program *p, const ilex_size_binding *sizes, size_t count)
{
    const ix_compiled *c = p->c;
    int64_t *value = ix_mem_new(&p->mem, (c->nsizes + 1) * sizeof *value);
    for (size_t k = 0; value && k < c->nsizes; k++) {
        size_t j = 0;
        while (j < count &&
               (!sizes[j].name || strcmp(sizes[j].name, c->size[k].name) != 0))
            j++;
        if (j < count) {
            value[k] = sizes[j].value;
        } else if (c->size[k].used) {
            ix_mem_free(&p->mem, value);
            return NULL;
        }
    }
    return value;
}

ilex_status
ilex_program_extents(const ilex_program *p, size_t i,
                     const ilex_size_binding *sizes, size_t count, int64_t *lo,
                     int64_t *hi, int64_t *halo)
{
    size_t k;
    const ix_compiled_buffer *b = argument(p, i, &k);
    int64_t *value = b ? size_values(p, sizes, count) : NULL;
    ilex_status rc = !b ? ILEX_E_ARGUMENT : value ? ILEX_OK : ILEX_E_SIZE;
    for (int a = 0; !rc && a < b->rank; a++) {
        int64_t l, h, bl, bh;
        if (!ix_range_eval(&b->interior[a], value, &l, &h) ||
            !ix_range_eval(&b->box[a], value, &bl, &bh)) {
            rc = ILEX_E_OVERFLOW;
            break;
        }
        if (lo)
            lo[a] = l;
        if (hi)
            hi[a] = h;
        if (halo) {
            halo[2 * a] = l - bl;
            halo[2 * a + 1] = bh - h;
        }
    }
    ix_mem_free(&p->mem, value);
    return rc;
}

int64_t
ilex_program_workspace(const ilex_program *p, const ilex_size_binding *sizes,
                       size_t count)
{
    int64_t *value = size_values(p, sizes, count);
    int64_t bytes = value ? ix_workspace_bytes(p->c, value, NULL) : -1;
    ix_mem_free(&p->mem, value);
    return bytes;
}

/* ---- text ---- */

/* The string of a text, owned by the caller, or NULL. */
static char *
take_text(ilex_context *ctx, ix_text *t)
{
    ix_text_put_n(t, "", 0);
    if (t->failed || ctx->error.code != ILEX_OK) {
        if (ctx->error.code == ILEX_OK)
            ix_fail_memory(&ctx->error);
        ix_text_free(t);
        return NULL;
    }
    return t->data;
}

char *
ilex_module_emit(ilex_module *module, const char *dialect)
{
    ilex_context *ctx = module->ctx;
    ix_dialect_id d = IX_DIALECT_cc;
    ix_compile_request request = {.names = true};
    if (dialect && !strcmp(dialect, "cuda"))
        d = IX_DIALECT_cuda;
    else if (!dialect || strcmp(dialect, "c") != 0) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "emit: dialect '%.20s' is neither c nor cuda",
                dialect ? dialect : "(null)");
        return NULL;
    }
    request.dialect[d] = true;
    ix_compiled *c = ix_compile(module, &request);
    if (!c)
        return NULL;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_put(&t, c->source[d].unit[0]);
    ix_compiled_free(c);
    return take_text(ctx, &t);
}

char *
ilex_module_stage(ilex_module *module, const char *pass)
{
    ilex_context *ctx = module->ctx;
    if (pass && !strcmp(pass, "parsed"))
        return ilex_module_print(module);
    if (pass && !strcmp(pass, "emit"))
        return ilex_module_emit(module, "c");
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_compile_request request = {.stop = pass ? pass : "(null)", .text = &t};
    ix_compiled_free(ix_compile(module, &request));
    return take_text(ctx, &t);
}

char *
ilex_module_dot(ilex_module *module)
{
    ix_text t;
    ix_text_init(&t, &module->ctx->mem);
    ix_dot(module, &t);
    return take_text(module->ctx, &t);
}

const char *
ilex_table(const char *table)
{
    if (table && !strcmp(table, "passes"))
        return ix_passes_table();
    if (table && !strcmp(table, "options"))
        return
#define IX_OPTION(name, value, choices, meaning)                               \
#name "\t" meaning " (" choices ", default \"" value "\")\n"
#include "lib/options.def"
            ;
    if (table && !strcmp(table, "backends"))
        return
#define IX_BACKEND(name, dialect, compile, command, several, meaning)          \
#name "\t" meaning "\n"
#include "runtime/backends.def"
            ;
    return NULL;
}
