/* SPDX-License-Identifier: MIT
 *
 * The node of a call of a function of the host. Its own domain is a point:
 * what it gives are its results, each on a domain of its own.
 */
#include "lib/build/foreign.h"

static ilex_array *
build_type(ilex_context *ctx, const ix_foreign_type *type)
{
    ix_node_spec spec = {
        .kind = IX_TYPE, .dtype = type->dtype, .interior = type->box};
    return ix_node_scoped(ctx, &spec);
}

/* The TYPEs of results and parameters. */
static ilex_array *
build_types(ilex_context *ctx, const ix_foreign_spec *spec)
{
    int n = spec->nresults + spec->nparameters;
    ilex_array **type = ix_mem_new(&ctx->mem, (size_t)n * sizeof(ilex_array *));
    if (!type)
        return ix_poison_again(ctx);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        type[i] = build_type(ctx, &spec->type[i]);
        ok = !ix_is_poison(type[i]);
    }
    ilex_array *types =
        ok ? ix_scalar_tuple(ctx, n, type) : ix_poison_again(ctx);
    ix_mem_free(&ctx->mem, type);
    return types;
}

/* Are the results of lengths that are known to be >= 0, with axes as any
 * array's? */
static bool
check_results(ilex_context *ctx, const ix_foreign_spec *spec)
{
    const char *name = ix_symbol_text(ctx, spec->name);
    for (int i = 0; i < spec->nresults; i++)
        if (!ix_build_check_names(ctx, name, spec->type[i].box) ||
            !ix_domain_check_extents(ctx, name, spec->type[i].box))
            return false;
    return true;
}

/* What an argument is a part of, at the same indices: the function is given
 * that part, without a copy. */
static ilex_array *
whole_of(ilex_array *x)
{
    const ilex_array *load = x->kind == IX_LAMBDA ? x->ops[0] : x;
    bool part = load->kind == IX_LOAD && load->dtype == x->dtype &&
                load->nops == ix_rank(x);
    for (int k = 0; part && k < load->nops; k++)
        part = load->ops[k]->kind == IX_INDEX && load->ops[k]->attr[0] == k;
    return part ? x->ops[load->attr[0] + 1] : x;
}

static ilex_array *
build_call(ilex_context *ctx, const ix_foreign_spec *spec)
{
    const ix_domain *point = ix_domain_new(ctx, 0, NULL);
    if (!point || !check_results(ctx, spec))
        return ix_poison_again(ctx);
    size_t n = (size_t)spec->nparameters + 1;
    ilex_array **ops = ix_mem_new(&ctx->mem, n * sizeof(ilex_array *));
    if (!ops)
        return ix_poison_again(ctx);
    ops[0] = build_types(ctx, spec);
    bool ok = !ix_is_poison(ops[0]);
    for (size_t i = 1; i < n; i++) {
        ilex_array *x = spec->argument[i - 1];
        ops[i] = whole_of(x);
        ok = ok && ix_proof_use(ctx, x->env);
    }
    int64_t attr[3] = {spec->name, spec->declaration, spec->cost};
    ix_node_spec node = {.kind = IX_FOREIGN,
                         .dtype = ILEX_BOOL,
                         .interior = point,
                         .valid = point,
                         .nops = (int)n,
                         .ops = ops,
                         .nattr = 3,
                         .attr = attr};
    ilex_array *r = ok ? ix_node_scoped(ctx, &node) : ix_poison_again(ctx);
    ix_mem_free(&ctx->mem, ops);
    return r;
}

/* ---- functions of numbers ---- */

typedef struct visitor {
    ix_apply_fn *fn;
    void *user;
} visitor;

static bool
visit_apply(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    const visitor *v = w->user;
    (void)operand, (void)value;
    return n->kind != IX_APPLY || v->fn(v->user, n);
}

bool
ix_apply_each(const ilex_array *n, const ix_mem *mem, ix_apply_fn *fn,
              void *user)
{
    visitor v = {fn, user};
    if (!ix_has_body(n) || !(n->ops[0]->flags & IX_HAS_APPLY))
        return true;
    ix_walk w = {.ctx = n->ctx,
                 .mem = mem,
                 .within = IX_HAS_APPLY,
                 .leave = visit_apply,
                 .user = &v};
    bool ok = ix_walk_body(&w, n->ops[0], NULL);
    ix_walk_free(&w);
    return ok;
}

ilex_array *
ix_build_foreign(ilex_context *ctx, const ix_foreign_spec *spec)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, build_call(ctx, spec));
}
