/* SPDX-License-Identifier: MIT
 *
 * The header text that makes CUDA source C, and programs made of it. Loaded
 * code has no memory of its own that changes: the numbers of the running
 * thread are kept here, and the text holds the address of the function that
 * tells where.
 */
#include "tests/differential/cuda_shim.h"

#include "runtime/program/program.h"

#include <stdio.h>

#include "lib/ops/functions.h"
#include "tests/differential/cuda_shim_head.h"
#include "tests/differential/fibres.h"

/* ---- the running thread ---- */

/* They have fewer threads than most kernels have points; the first one is that
 * of other threads of a run. */
#define ROW                                                                    \
    {                                                                          \
        .block_dim = {4, 1, 1}, .grid_dim = {3, 1, 1}, .run = fibres_run,      \
        .exchange = fibres_exchange, .shared = fibres_shared                   \
    }
static const cuda_shim_grid grids[] = {
    ROW,
    {.block_dim = {2, 3, 1}, .grid_dim = {2, 1, 2}},
    {.block_dim = {1, 2, 2}, .grid_dim = {2, 2, 1}}};

static _Thread_local cuda_shim_grid running = ROW;
static _Thread_local unsigned launches;

static cuda_shim_grid *
where(void)
{
    return &running;
}

void
cuda_shim_backwards(int backwards)
{
    running.backwards = backwards;
}

/* ---- the text ---- */

static const char *const widths[] = {"any", "narrow"};

/* A function of the kind that runs call, around a CUDA kernel: all threads of
 * the grid in one order or the other. */
static const char launcher[] =
    "#define SHIM_LAUNCH(name, kernel, type, passed, nx, ny) \\\n"
    "    typedef struct { \\\n"
    "        const type *a; \\\n"
    "        i64 begin, end; \\\n"
    "    } shim_##kernel; \\\n"
    "    static void shim_run_##kernel(void *user) \\\n"
    "    { \\\n"
    "        const shim_##kernel *s = user; \\\n"
    "        const type *a = s->a; \\\n"
    "        kernel(passed, s->begin, s->end); \\\n"
    "    } \\\n"
    "    int name(const type *a, i64 begin, i64 end, void *local) \\\n"
    "    { \\\n"
    "        shim_##kernel s = {a, begin, end}; \\\n"
    "        shim_grid *const g = shim_where(), before = *g; \\\n"
    "        if (nx && !ny) \\\n"
    "            g->grid_dim.x = 1; \\\n"
    "        if (nx) \\\n"
    "            g->block_dim.x = nx; \\\n"
    "        if (ny) \\\n"
    "            g->block_dim.y = ny, g->block_dim.z = 1; \\\n"
    "        shim_run(g, shim_run_##kernel, &s); \\\n"
    "        *g = before; \\\n"
    "        return 0; \\\n"
    "    }\n";

/* Prototypes of all libm functions, which CUDA knows without. */
static void
put_math(ix_text *t)
{
    for (int m = 0; m < IX_NMATH; m++)
        for (int single = 0; single < 2; single++) {
            const char *type = single ? "float" : "double";
            ix_text_format(t, "%s %s%s", type, ix_math_name((ix_math)m),
                           single ? "f" : "");
            ix_math_parameters((ix_math)m, type, t);
            ix_text_put(t, ";\n");
        }
}

/* "f64 d0[1056];", which threads of a block share, as "f64 *const d0 = ...",
 * since code that is loaded has no memory that changes; where it ends. */
static const char *
put_shared(ix_text *t, const char *p, int array)
{
    int type = (int)strcspn(p, " "), name = (int)strcspn(p + type + 1, "[");
    int all = (int)strcspn(p, ";");
    ix_text_format(t, "%.*s *const %.*s = shim_where()->shared(%d, ", type, p,
                   name, p + type + 1, array);
    ix_text_format(t, "sizeof(%.*s%.*s))", type, p, all - type - 1 - name,
                   p + type + 1 + name);
    return p + all;
}

/* CUDA source without `extern "C"`, which is C++, and `__shared__`. */
static void
put_source(ix_text *t, const char *source)
{
    static const char linkage[] = "extern \"C\" ", shared[] = "__shared__ ";
    for (int arrays = 0; *source;)
        if (!strncmp(source, linkage, sizeof linkage - 1))
            source += sizeof linkage - 1;
        else if (!strncmp(source, shared, sizeof shared - 1))
            source = put_shared(t, source + sizeof shared - 1, arrays++);
        else
            ix_text_char(t, *source++);
}

/* The source as a unit for any indices, or for those of 32 bits, whose
 * functions that a user has written have other names. */
static void
put_unit(ix_text *t, const ix_compiled *c, bool narrow)
{
    ix_text_put(t, narrow ? "#define ILEX_NARROW\n" : "");
    for (size_t i = 0; narrow && i < c->nfunctions; i++)
        ix_text_format(t, "#define %s narrow_%s\n", c->function[i].name,
                       c->function[i].name);
    ix_text_put(t, cuda_shim_head);
    ix_text_format(t,
                   "static inline shim_grid *shim_where(void)\n"
                   "{\n"
                   "    return ((shim_grid *(*)(void))%lluu)();\n"
                   "}\n",
                   (unsigned long long)(uintptr_t)where);
    put_math(t);
    put_source(t, c->source[IX_DIALECT_cuda].unit[0]);
    ix_text_put(t, launcher);
    const ix_kernel_layout *l = c->source[IX_DIALECT_cuda].layout;
    for (size_t i = 0; i < c->nkernels; i++)
        if (l[i].function == (int)i)
            ix_text_format(t, "SHIM_LAUNCH(%s_%s, %s, %s_args, %s, %d, %d)\n",
                           widths[narrow], c->kernel[i].name, c->kernel[i].name,
                           c->kernel[i].name, l[i].indirect ? "a" : "*a",
                           ix_team_threads(c->kernel[i].team, 0),
                           ix_team_threads(c->kernel[i].team, 1));
}

/* ---- programs ---- */

static _Thread_local ix_grid asked;

const ix_grid *
cuda_shim_grid_asked(void)
{
    return &asked;
}

/* The next grid, flat along dimensions that the kernel has no points along. */
static void
take_grid(const ix_compiled_kernel *k)
{
    const cuda_shim_grid *g = &grids[launches++ % IX_COUNT(grids)];
    running.block_dim = g->block_dim;
    running.grid_dim = g->grid_dim;
    if (!k->grid[1].axes)
        running.block_dim.y = running.grid_dim.y = 1;
    if (!k->grid[2].axes)
        running.block_dim.z = running.grid_dim.z = 1;
}

/* Kernels for indices of 32 bits, where they may run, every other time that the
 * grids have had their turns. */
static ix_tier
choose_kernels(const ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    ix_tier t = *r->p->first;
    bool turn = (launches / IX_COUNT(grids) + (unsigned)running.backwards) % 2;
    bool narrow = ix_launch_is_narrow(r, i, lo, hi);
    if (!asked.blocks[0]) {
        asked = ix_kernel_grid(&r->s, (int)i);
        asked.narrow = narrow;
    }
    if (!turn && narrow)
        t.kernel += r->p->c->nkernels;
    return t;
}

/* As the engine of the host, with memory for statuses. */
static ilex_status
launch(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    ilex_program *p = (ilex_program *)r->p;
    int64_t status[IX_STATUS_WORDS] = IX_STATUS_BEFORE;
    take_grid(&p->c->kernel[i]);
    r->status = status;
    const ix_tier tier = choose_kernels(r, i, lo, hi);
    atomic_store(&p->tier, &tier);
    ilex_status rc = ix_engine_host.launch(r, i, lo, hi);
    atomic_store(&p->tier, p->first);
    return rc ? rc : (ilex_status)ix_fail_status(&r->s, status);
}

static ix_engine engine; /* made by the first program */

static const ix_backend backend = {"cuda on the CPU",
                                   "CUDA source compiled by the C compiler",
                                   IX_DIALECT_cuda,
                                   ix_jit_cc_compile,
                                   NULL,
                                   NULL,
                                   false,
                                   &engine};

/* Names of the launchers, those for any indices first, in one block, which the
 * caller frees. */
static const char **
launcher_names(const ix_mem *mem, const ix_compiled *c)
{
    enum { LENGTH = 40 };
    size_t n = 2 * c->nkernels;
    const char **names = ix_mem_new(mem, (n + 1) * (sizeof *names + LENGTH));
    char *text = (char *)(names + n + 1);
    const ix_kernel_layout *l = c->source[IX_DIALECT_cuda].layout;
    for (size_t i = 0; names && i < n; i++, text += LENGTH) {
        int function = l[i % c->nkernels].function;
        snprintf(text, LENGTH, "%s_%s", widths[i / c->nkernels],
                 c->kernel[function].name);
        names[i] = text;
    }
    return names;
}

static bool
load(ilex_context *ctx, ilex_program *p, const char *cflags)
{
    ix_text t[2];
    ix_compiled *c = p->c;
    ix_tier *tier = p->first;
    size_t n = 2 * c->nkernels;
    const char *source[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        ix_text_init(&t[narrow], &ctx->mem);
        put_unit(&t[narrow], c, narrow);
        source[narrow] = ix_text_string(&t[narrow]);
    }
    const char **names = launcher_names(&ctx->mem, c);
    void **entries = ix_mem_new(&ctx->mem, (n + 1) * sizeof *entries);
    tier->kernel = ix_mem_new(&tier->mem, (n + 1) * sizeof *tier->kernel);
    ix_jit_request req = {.sources = source,
                          .nsources = IX_COUNT(source),
                          .symbols = names,
                          .nsymbols = n,
                          .needs_math = c->source[IX_DIALECT_cuda].uses_math,
                          .cflags_opt = cflags};
    if (source[0] && source[1] && names && entries && tier->kernel)
        tier->code =
            cflags || !ix_jit_tcc_available()
                ? ix_jit_cc_compile(&p->mem, &req, entries, &ctx->error)
                : ix_jit_tcc_compile(&p->mem, &req, entries, &ctx->error);
    for (size_t i = 0; tier->code && i < n; i++)
        memcpy(&tier->kernel[i], &entries[i], sizeof tier->kernel[i]);
    ix_mem_free(&ctx->mem, names);
    ix_mem_free(&ctx->mem, entries);
    ix_text_free(&t[0]);
    ix_text_free(&t[1]);
    return tier->code != NULL;
}

/* The module's CUDA source as a program without code. */
ilex_program *
cuda_shim_lower(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    ix_compile_request request = {.facts = true};
    ilex_program *p = ix_mem_new(&ctx->mem, sizeof *p);
    if (!p) {
        ix_fail_memory(&ctx->error);
        return NULL;
    }
    atomic_init(&p->count, 1);
    p->mem = ctx->mem;
    engine = ix_engine_host;
    engine.launch = launch;
    p->backend = &backend;
    p->threads = 1;
    request.dialect[IX_DIALECT_cuda] = true;
    p->c = ix_compile(module, &request);
    p->workspaces = ix_workspaces_new(&p->mem);
    p->profile = p->c ? ix_profile_new(&p->mem, p->c->nkernels) : NULL;
    p->first = ix_mem_new(&p->mem, sizeof *p->first);
    if (p->first)
        *p->first = (ix_tier){.mem = p->mem, .backend = &backend};
    if (p->c && p->workspaces && p->profile && p->first) {
        atomic_init(&p->tier, p->first);
        p->most_arguments = ix_most_arguments(p->c, IX_DIALECT_cuda);
        return p;
    }
    if (ctx->error.code == ILEX_OK)
        ix_fail_memory(&ctx->error);
    ilex_program_release(p);
    return NULL;
}

ilex_program *
cuda_shim_compile(ilex_module *module, const char *cflags)
{
    ilex_context *ctx = module->ctx;
    ilex_program *p = cuda_shim_lower(module);
    if (!p || load(ctx, p, cflags))
        return p;
    if (ctx->error.code == ILEX_OK)
        ix_fail_memory(&ctx->error);
    ilex_program_release(p);
    return NULL;
}

const char *
cuda_shim_source(const ilex_program *p)
{
    return p->c->source[IX_DIALECT_cuda].unit[0];
}

ilex_status
cuda_shim_ptx(const char *source, int narrow, int *skipped, ix_error *err)
{
    char *ptx = NULL;
    *skipped = !ix_nvrtc_available();
    if (*skipped)
        return ILEX_OK;
    ilex_status rc =
        ix_nvrtc_ptx(&ix_mem_default, source, narrow, "sm_90", &ptx, NULL, err);
    ix_mem_free(&ix_mem_default, ptx);
    return rc;
}
