/* SPDX-License-Identifier: MIT
 *
 * Loops. They are built in two steps, as scans are: a CARRIED stands for each
 * array that is carried, what the next step has of it is written over these
 * with any constructors, then the loop closes. The body stays a graph of
 * arrays: which of them are in the loop follows from what they depend on
 * (lib/graph/repeats.h).
 */
#include "lib/build/loop.h"

#include "ilex/elementwise.h"
#include "lib/build/structure.h"
#include "lib/graph/counted.h"
#include "lib/ops/dtype.h"

/* ---- carried arrays ---- */

static bool
check_domain(ilex_context *ctx, const ix_domain *dom)
{
    return dom && ix_build_check_names(ctx, "loop", dom) &&
           ix_domain_check_extents(ctx, "loop", dom) &&
           (!ix_has_step(ctx, dom) ||
            ix_poison_false(ctx, "loop", -1, ILEX_E_UNSUPPORTED,
                            "loop: the domain [%s] changes from step to step; "
                            "take one that does not, and `where` inside it",
                            ix_domain_show(ctx, dom).s));
}

static ilex_array *
build_carried(ilex_context *ctx, int32_t name, ilex_dtype dtype,
              const ix_domain *dom)
{
    int64_t attr[2] = {ctx->serial++, name};
    if (!check_domain(ctx, dom))
        return ix_poison_again(ctx);
    if ((unsigned)dtype >= ILEX_NDTYPES)
        return ix_poison(ctx, "loop", -1, ILEX_E_DTYPE, "loop: %d is no dtype",
                         (int)dtype);
    ix_node_spec spec = {.kind = IX_CARRIED,
                         .dtype = dtype,
                         .interior = dom,
                         .valid = dom,
                         .nattr = 2,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_build_carried(ilex_context *ctx, int32_t name, ilex_dtype dtype,
                 const ix_domain *dom)
{
    const ix_env *proof = ix_proof_open(ctx);
    ctx->any_counted = true;
    return ix_proof_close(ctx, proof, build_carried(ctx, name, dtype, dom));
}

/* ---- steps ---- */

int32_t
ix_build_step(ilex_context *ctx, const ix_domain *steps)
{
    if (!ix_has_step(ctx, steps))
        return ix_step_size(ctx, steps);
    ix_poison(ctx, "loop", -1, ILEX_E_UNSUPPORTED,
              "loop: how many steps there are depends on the step of a loop "
              "around it");
    return -1;
}

int32_t
ix_step_of(const ilex_array *index)
{
    const ilex_context *ctx = index->ctx;
    if (index->kind == IX_LAMBDA)
        index = index->ops[0];
    if (index->kind == IX_SIZE && ctx->param[index->attr[0]].steps)
        return (int32_t)index->attr[0];
    for (int i = 0; index->kind == IX_LINEAR && i < index->nops; i++)
        if (ix_step_of(index->ops[i]) >= 0)
            return ix_step_of(index->ops[i]);
    return -1;
}

/* ---- closing ---- */

static const char *
name_of(const ilex_array *carried)
{
    return carried->attr[1]
               ? ix_symbol_text(carried->ctx, (int32_t)carried->attr[1])
               : "a carried array";
}

/* "x" as carried array "c" on its domain; "what" for messages. */
static ilex_array *
as_carried(ilex_array *c, const char *what, ilex_array *x)
{
    ilex_context *ctx = c->ctx;
    if (ix_is_poison(x))
        return ix_poison_again(ctx);
    if (ix_is_weak(x) && ix_literal_fits(x, (ilex_dtype)c->dtype))
        x = ix_build_cast(ctx, (ilex_dtype)c->dtype, x);
    if (x->dtype != c->dtype)
        return ix_poison(ctx, "loop", -1, ILEX_E_DTYPE,
                         "loop: %s is %s, but %s is %s; convert it: %s(...)",
                         name_of(c), ilex_dtype_name((ilex_dtype)c->dtype),
                         what, ilex_dtype_name((ilex_dtype)x->dtype),
                         ilex_dtype_name((ilex_dtype)c->dtype));
    return ix_build_restrict(ctx, name_of(c), x, c->interior);
}

ilex_array *
ix_build_next(ilex_array *carried, ilex_array *x)
{
    ilex_context *ctx = carried->ctx;
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, as_carried(carried, "its next value", x));
}

ilex_array *
ix_build_count(ilex_array *carried)
{
    return ilex_add(carried, ilex_i64(carried->ctx, 1));
}

static ilex_array *
as_condition(ilex_context *ctx, ilex_array *x)
{
    if (ix_is_poison(x))
        return ix_poison_again(ctx);
    if (x->dtype != ILEX_BOOL || ix_rank(x) > 0)
        return ix_poison(ctx, "loop", -1, ILEX_E_ARGUMENT,
                         "loop: the condition of `until` is one bool, for "
                         "example max(abs(d)) < 1e-6; here it is %s[%s]",
                         ilex_dtype_name((ilex_dtype)x->dtype),
                         ix_is_array(x) ? ix_domain_show(ctx, x->interior).s
                                        : "");
    return ix_build_restrict(ctx, "until", x, ix_domain_new(ctx, 0, NULL));
}

ilex_array *
ix_build_until(ilex_context *ctx, ilex_array *x)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, as_condition(ctx, x));
}

/* How many true elements a mask over so many indices has, which a run counts;
 * NULL after an error. */
static const ix_lin *
count_true(ilex_context *ctx, ilex_array *mask)
{
    int32_t size = ix_is_poison(mask) ? -1 : ix_counted_of(ctx, mask);
    return size < 0 ? NULL : ix_lin_param(ctx, size);
}

/* The domain of a stack: the steps, called as they are where axes have names.
 */
static const ix_domain *
stack_domain(ilex_context *ctx, const ix_domain *steps, int64_t every,
             const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    bool named = dom->rank > 0 && dom->ax[0].name;
    ax[0] = steps->ax[0];
    ax[0].hi = ix_lin_offset(ctx, ax[0].hi, every - 1);
    ax[0].hi = ax[0].hi ? ix_lin_floordiv(ctx, ax[0].hi, every) : NULL;
    ax[0].name = named ? ax[0].name : 0;
    if (!ax[0].hi)
        return NULL;
    for (int k = 0; k < dom->rank; k++) {
        if (named && dom->ax[k].name == ax[0].name) {
            ix_poison(ctx, "loop", -1, ILEX_E_DUPLICATE,
                      "loop: what is stacked has an axis %s, as the steps are "
                      "called; call these otherwise",
                      ix_symbol_text(ctx, ax[0].name));
            return NULL;
        }
        ax[k + 1] = dom->ax[k];
    }
    return ix_domain_new(ctx, dom->rank + 1, ax);
}

static ilex_array *
as_stacked(ilex_context *ctx, int32_t step, int64_t every, ilex_array *x)
{
    if (every < 1)
        return ix_poison(ctx, "loop", -1, ILEX_E_ARGUMENT,
                         "loop: every %lld steps cannot have an element of a "
                         "stack; it is a number from 1 on",
                         (long long)every);
    if (!ix_is_poison(x) && !ix_is_array(x))
        x = ix_build_restrict(ctx, "stack", x, ix_domain_new(ctx, 0, NULL));
    x = ix_is_poison(x) ? x : ix_field_known_part(ctx, "stack", x);
    if (ix_is_poison(x))
        return ix_poison_again(ctx);
    if (ix_rank(x) == ILEX_MAX_RANK)
        return ix_poison(ctx, "loop", -1, ILEX_E_RANK,
                         "loop: what is stacked has %d axes already",
                         (int)ILEX_MAX_RANK);
    const ix_domain *dom =
        stack_domain(ctx, ctx->param[step].steps, every, x->interior);
    return check_domain(ctx, x->interior) && dom &&
                   ix_domain_check_extents(ctx, "stack", dom)
               ? x
               : ix_poison_again(ctx);
}

ilex_array *
ix_build_stacking(ilex_context *ctx, int32_t step, int64_t every, ilex_array *x)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, as_stacked(ctx, step, every, x));
}

static int64_t
every(const ix_loop_spec *spec, int k)
{
    return spec->every ? spec->every[k] : 1;
}

static ilex_array *
type_of(ilex_context *ctx, int dtype, const ix_domain *dom)
{
    ix_node_spec spec = {
        .kind = IX_TYPE, .dtype = (ilex_dtype)dtype, .interior = dom};
    return dom ? ix_node_scoped(ctx, &spec) : ix_poison_again(ctx);
}

/* The TYPEs of the results. */
static ilex_array *
result_types(ilex_context *ctx, const ix_loop_spec *spec,
             ilex_array *const *stacked)
{
    const ix_domain *steps = ctx->param[spec->step].steps;
    int n = spec->ncarries + spec->nstacks;
    ilex_array **type = ix_mem_new(&ctx->mem, (size_t)n * sizeof(ilex_array *));
    if (!type)
        return ix_poison_again(ctx);
    bool ok = true;
    for (int k = 0; ok && k < n; k++) {
        const ilex_array *x =
            k < spec->ncarries ? spec->carried[k] : stacked[k - spec->ncarries];
        type[k] = type_of(ctx, x->dtype,
                          k < spec->ncarries
                              ? x->interior
                              : stack_domain(ctx, steps,
                                             every(spec, k - spec->ncarries),
                                             x->interior));
        ok = !ix_is_poison(type[k]);
    }
    ilex_array *types =
        ok ? ix_scalar_tuple(ctx, n, type) : ix_poison_again(ctx);
    ix_mem_free(&ctx->mem, type);
    return types;
}

/* The operands of the node; false after an error. A text has each of them from
 * its statement as it is carried, where an error has a place (ix_build_next,
 * ...), and it stays as it is here; the C API gives them as they come. */
static bool
put_operands(ilex_context *ctx, const ix_loop_spec *spec, ilex_array **ops)
{
    const int n = spec->ncarries;
    bool ok = true;
    for (int k = 0; ok && k < n; k++) {
        ops[1 + k] = spec->carried[k];
        ops[1 + n + k] =
            as_carried(spec->carried[k], "its first value", spec->first[k]);
        ops[1 + 2 * n + k] =
            as_carried(spec->carried[k], "its next value", spec->next[k]);
        ok = !ix_is_poison(ops[1 + n + k]) && !ix_is_poison(ops[1 + 2 * n + k]);
    }
    for (int k = 0; ok && k < spec->nstacks; k++) {
        ops[1 + 3 * n + k] =
            as_stacked(ctx, spec->step, every(spec, k), spec->stack[k]);
        ok = !ix_is_poison(ops[1 + 3 * n + k]);
    }
    if (ok && spec->until) {
        ops[1 + 3 * n + spec->nstacks] = as_condition(ctx, spec->until);
        ok = !ix_is_poison(ops[1 + 3 * n + spec->nstacks]);
    }
    ops[0] = ok ? result_types(ctx, spec, ops + 1 + 3 * n) : NULL;
    return ok && !ix_is_poison(ops[0]);
}

static ilex_array *
build_loop(ilex_context *ctx, const ix_loop_spec *spec)
{
    const ix_domain *steps = ctx->param[spec->step].steps;
    size_t n = (size_t)(1 + 3 * spec->ncarries + spec->nstacks);
    n += spec->until != NULL;
    size_t nattr = 4 + (size_t)spec->nstacks;
    ilex_array **ops = ix_mem_new(&ctx->mem, n * sizeof(ilex_array *));
    int64_t *attr = ix_mem_new(&ctx->mem, nattr * sizeof *attr);
    if (attr) {
        attr[0] = spec->step;
        attr[1] = spec->ncarries;
        attr[2] = spec->nstacks;
        attr[3] = spec->until != NULL;
        for (int k = 0; k < spec->nstacks; k++)
            attr[4 + k] = every(spec, k);
    }
    ix_node_spec node = {.kind = IX_LOOP,
                         .dtype = ILEX_BOOL,
                         .interior = steps,
                         .valid = steps,
                         .nops = (int)n,
                         .ops = ops,
                         .nattr = (int)nattr,
                         .attr = attr};
    ilex_array *r = ops && attr && put_operands(ctx, spec, ops)
                        ? ix_node_scoped(ctx, &node)
                        : ix_poison_again(ctx);
    ix_mem_free(&ctx->mem, ops);
    ix_mem_free(&ctx->mem, attr);
    return r;
}

ilex_array *
ix_build_loop(ilex_context *ctx, const ix_loop_spec *spec)
{
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *r = ix_proof_close(ctx, proof, build_loop(ctx, spec));
    r = ix_is_poison(r) ? r : ix_repeat_known(r);
    return ix_step_end(ctx, spec->step) ? r : ix_poison_again(ctx);
}

/* ---- results ---- */

/* Those of the indices from 0 to before "n" whose multiple by "by" is below a
 * value plus "from": a mask whose true elements are counted. */
static const ix_lin *
count_below(ilex_context *ctx, const ix_lin *n, int64_t by, ilex_array *value,
            const ix_lin *from)
{
    const ix_domain *dom = ix_structure_shape(ctx, "loop", 1, &n);
    ilex_array *index =
        ix_index_fma(ctx, ix_index_lin(ctx, from), by, ix_scalar_index(ctx, 0));
    if (!dom || ix_is_poison(value))
        return NULL;
    ilex_array *mask = ilex_less(ix_node_lambda(ctx, dom, dom, index, 0, NULL),
                                 ilex_cast(value, ILEX_I64));
    return count_true(ctx, mask);
}

const ix_domain *
ix_build_steps_to(ilex_context *ctx, int32_t name, const ix_lin *lo,
                  ilex_array *count, const ix_lin *most)
{
    const ix_lin *n = ix_lin_sub(ctx, most, lo);
    if (ix_is_poison(count) || !n)
        return NULL;
    if (ix_rank(count) > 0 || !ix_dtype_is_integer((ilex_dtype)count->dtype)) {
        ix_poison(ctx, "loop", -1, ILEX_E_ARGUMENT,
                  "loop: the number of steps is one integer, not %s[%s]",
                  ilex_dtype_name((ilex_dtype)count->dtype),
                  ix_is_array(count) ? ix_domain_show(ctx, count->interior).s
                                     : "");
        return NULL;
    }
    const ix_axis ax = {name, ix_lin_const(ctx, 0),
                        count_below(ctx, n, 1, count, lo)};
    return ax.hi ? ix_domain_new(ctx, 1, &ax) : NULL;
}

/* A stack x without what no step made. */
static ilex_array *
made_part(ilex_array *x, int64_t by, ilex_array *made)
{
    ilex_context *ctx = x->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    if (ix_is_poison(x))
        return x;
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    ax[0].hi = count_below(ctx, ax[0].hi, by, made, ix_lin_const(ctx, 0));
    if (!ax[0].hi)
        return ix_poison_again(ctx);
    return ix_build_restrict(ctx, "stack", x,
                             ix_domain_new(ctx, ix_rank(x), ax));
}

ilex_array *
ix_build_stacked(ilex_array *loop, int k, const ix_lin *lo, ilex_array *made)
{
    ilex_context *ctx = loop->ctx;
    ilex_array *x = ix_build_result(loop, k), *index[ILEX_MAX_RANK];
    int64_t by = ix_is_poison(x)
                     ? 1
                     : ix_repeat_every(loop, k - ix_repeat_carries(loop));
    if (made)
        x = made_part(x, by, made);
    if (ix_is_poison(x) || !x->interior->ax[0].name || ix_lin_is(lo, 0) ||
        by > 1)
        return x;
    ix_axis ax[ILEX_MAX_RANK];
    int rank = ix_rank(x);
    for (int i = 0; i < rank; i++) {
        ax[i] = x->interior->ax[i];
        index[i] = ix_scalar_index(ctx, i);
    }
    ax[0].lo = lo;
    ax[0].hi = ix_lin_add(ctx, ax[0].hi, lo);
    index[0] = ix_index_fma(ctx, index[0], -1, ix_index_lin(ctx, lo));
    const ix_domain *dom = ix_domain_new(ctx, rank, ax);
    return ix_node_lambda(
        ctx, dom, dom,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, rank, index), 1, &x);
}
