/* SPDX-License-Identifier: MIT
 *
 * Loops from C.
 */
#include "lib/build/loop.h"

#include "lib/graph/counted.h"
#include "lib/syntax/parse.h"

/* ---- steps ---- */

/* The range as one that begins at 0; NULL after an error. "*lo": where it
 * does. */
static const ix_domain *
from_zero(ilex_context *ctx, const char *range, const ix_lin **lo)
{
    const ix_domain *dom =
        ix_parse_text_domain(ctx, range ? range : "", NULL, NULL);
    if (!dom)
        return NULL;
    if (dom->rank != 1 || !dom->ax[0].name) {
        ix_poison(ctx, "loop", -1, ILEX_E_ARGUMENT,
                  "loop: '%.40s' is no range of steps, which is one axis with "
                  "a name, for example t:n, or t:1:n+1",
                  range ? range : "NULL");
        return NULL;
    }
    ix_axis ax = dom->ax[0];
    *lo = ax.lo;
    ax.hi = ix_lin_sub(ctx, ax.hi, ax.lo);
    ax.lo = ix_lin_const(ctx, 0);
    return ax.hi ? ix_domain_new(ctx, 1, &ax) : NULL;
}

/* The index of the step of a range that begins at "lo". */
static ilex_array *
step_over(ilex_context *ctx, const ix_domain *steps, const ix_lin *lo)
{
    int32_t step = ix_build_step(ctx, steps);
    if (step < 0)
        return ix_poison_again(ctx);
    ctx->param[step].from = lo;
    ilex_array *index =
        ix_index_fma(ctx, ix_index_lin(ctx, lo), 1, ix_scalar_size(ctx, step));
    return ix_counted_name(ctx, step)
               ? ix_build_restrict(ctx, "step", index,
                                   ix_domain_new(ctx, 0, NULL))
               : ix_poison_again(ctx);
}

ilex_array *
ilex_loop_step(ilex_context *ctx, const char *range)
{
    const ix_lin *lo = NULL;
    const ix_domain *steps = from_zero(ctx, range, &lo);
    return steps ? step_over(ctx, steps, lo) : ix_poison_again(ctx);
}

ilex_array *
ilex_loop_step_to(ilex_context *ctx, const char *range, ilex_array *count)
{
    const ix_lin *lo = NULL;
    const ix_domain *steps = from_zero(ctx, range, &lo);
    if (!steps)
        return ix_poison_again(ctx);
    if (!count || count->ctx != ctx)
        return ix_poison_stranger(ctx, "loop", -1, count,
                                  "the number of steps");
    const ix_lin *most = ix_lin_add(ctx, lo, steps->ax[0].hi);
    steps = ix_build_steps_to(ctx, steps->ax[0].name, lo, count, most);
    return steps ? step_over(ctx, steps, lo) : ix_poison_again(ctx);
}

ilex_array *
ilex_loop_carry(ilex_context *ctx, ilex_dtype dtype, const char *domain)
{
    return ix_build_carried(
        ctx, 0, dtype,
        ix_parse_text_domain(ctx, domain ? domain : "", NULL, NULL));
}

/* ---- closing ---- */

static bool
check_arrays(ilex_context *ctx, const char *what, size_t n,
             ilex_array *const *x, bool carried)
{
    for (size_t i = 0; i < n; i++) {
        if (!x || !x[i] || x[i]->ctx != ctx) {
            ix_poison_stranger(ctx, "loop", (int)i, x ? x[i] : NULL, "%s %zu",
                               what, i);
            return false;
        }
        if (ix_is_poison(x[i])) {
            ix_poison_again(ctx);
            return false;
        }
        if (carried && x[i]->kind != IX_CARRIED)
            return ix_poison_false(
                ctx, "loop", (int)i, ILEX_E_ARGUMENT,
                "loop: carry %zu does not come from ilex_loop_carry", i);
    }
    return true;
}

static bool
check(ilex_context *ctx, const ilex_loop_spec *s)
{
    enum { MOST = 1024 };
    if (!s || s->size < offsetof(ilex_loop_spec, every) + sizeof s->every)
        return ix_poison_false(ctx, "loop", -1, ILEX_E_ARGUMENT,
                               "loop: the spec is NULL, or its size is not "
                               "set; start it with ILEX_LOOP_SPEC");
    if (!check_arrays(ctx, "step", 1, &s->step, false))
        return false;
    if (ix_step_of(s->step) < 0)
        return ix_poison_false(ctx, "loop", -1, ILEX_E_ARGUMENT,
                               "loop: the step does not come from "
                               "ilex_loop_step");
    if (s->carry_count < 1 || s->carry_count > MOST || s->stack_count > MOST)
        return ix_poison_false(ctx, "loop", -1, ILEX_E_ARGUMENT,
                               "loop: %zu carried arrays and %zu stacks; there "
                               "are 1 to %d, and 0 to %d",
                               s->carry_count, s->stack_count, (int)MOST,
                               (int)MOST);
    return check_arrays(ctx, "carry", s->carry_count, s->carry, true) &&
           check_arrays(ctx, "first", s->carry_count, s->first, false) &&
           check_arrays(ctx, "next", s->carry_count, s->next, false) &&
           check_arrays(ctx, "stack", s->stack_count, s->stack, false) &&
           (!s->until || check_arrays(ctx, "until", 1, &s->until, false));
}

/* Is how many steps there were asked for, or which of a stack's elements? */
static bool
counts_steps(const ilex_loop_spec *s)
{
    return s->counts || (s->until && s->stack_count > 0);
}

/* The arrays of the spec, and how many steps there were. */
typedef struct arrays {
    ilex_array **carried, **first, **next;
} arrays;

static void
copy(ilex_context *ctx, const ilex_loop_spec *s, arrays *a)
{
    size_t n = s->carry_count;
    for (size_t i = 0; i < n; i++) {
        a->carried[i] = s->carry[i];
        a->first[i] = s->first[i];
        a->next[i] = s->next[i];
    }
    if (!counts_steps(s))
        return;
    const ix_domain *point = ix_domain_new(ctx, 0, NULL);
    a->carried[n] = ix_build_carried(ctx, 0, ILEX_I64, point);
    a->first[n] = ilex_i64(ctx, 0);
    a->next[n] = ix_build_count(a->carried[n]);
}

/* The results in the order that is promised: how many steps come last. */
static void
take_results(const ilex_loop_spec *s, ilex_array *loop, const ix_lin *lo,
             ilex_array **result)
{
    size_t n = s->carry_count, out = 0;
    bool counts = counts_steps(s);
    ilex_array *made = counts ? ix_build_result(loop, (int)n) : NULL;
    for (size_t i = 0; i < n; i++)
        result[out++] = ix_build_result(loop, (int)i);
    for (size_t i = 0; i < s->stack_count; i++)
        result[out++] = ix_build_stacked(loop, (int)(n + counts + i), lo,
                                         s->until ? made : NULL);
    if (s->counts)
        result[out++] = made;
}

static ilex_array *
close_loop(ilex_context *ctx, const ilex_loop_spec *s)
{
    size_t n = s->carry_count + 1;
    ilex_array **block = ix_mem_new(&ctx->mem, 3 * n * sizeof(ilex_array *));
    if (!block)
        return ix_poison_again(ctx);
    arrays a = {block, block + n, block + 2 * n};
    copy(ctx, s, &a);
    ix_loop_spec spec = {.step = ix_step_of(s->step),
                         .ncarries = (int)s->carry_count + counts_steps(s),
                         .nstacks = (int)s->stack_count,
                         .carried = a.carried,
                         .first = a.first,
                         .next = a.next,
                         .stack = s->stack,
                         .every = s->every,
                         .until = s->until};
    ilex_array *loop = ix_build_loop(ctx, &spec);
    ix_mem_free(&ctx->mem, block);
    return loop;
}

ilex_status
ilex_loop(ilex_context *ctx, const ilex_loop_spec *spec, ilex_array **result)
{
    if (!check(ctx, spec))
        return ctx->error.code;
    const ix_lin *lo = ctx->param[ix_step_of(spec->step)].from;
    if (!lo)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "loop: the step is that of a loop that is closed; make "
                       "one for each loop");
    ilex_array *loop = close_loop(ctx, spec);
    if (ix_is_poison(loop))
        return ctx->error.code;
    if (result)
        take_results(spec, loop, lo, result);
    return ctx->error.code;
}
