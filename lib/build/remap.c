/* SPDX-License-Identifier: MIT
 *
 * Fields at the neighbours that a connectivity lists, and fields some of whose
 * points are skipped: a node SKIPPED of the values and of the masks that say
 * where there is one. It lives while a graph is built: element-wise operators
 * take it apart and put it together again, a reduction over the local axes of
 * its masks takes it apart, and nothing else reads it (ix_node_make).
 */
#include "lib/build/skipped.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "lib/shape/broadcast.h"

static const char name[] = "remap";

/* ---- fields with skips ---- */

/* Adds the mask to those that are there. */
static void
add_mask(ix_skips *s, ilex_array *mask)
{
    for (int i = 0; i < s->n; i++)
        if (s->mask[i] == mask)
            return;
    if (s->n < ILEX_MAX_RANK)
        s->mask[s->n] = mask;
    s->n++;
}

bool
ix_skips_take(ix_skips *s, int count, ilex_array **args)
{
    for (int i = 0; i < count; i++) {
        if (!args[i] || args[i]->kind != IX_SKIPPED)
            continue;
        for (int j = 1; j < args[i]->nops; j++)
            add_mask(s, args[i]->ops[j]);
        args[i] = args[i]->ops[0];
    }
    return s->n > 0;
}

ilex_array *
ix_skips_put(const ix_skips *s, ilex_array *x)
{
    ilex_array *ops[1 + ILEX_MAX_RANK] = {x};
    if (ix_is_poison(x) || s->n == 0)
        return x;
    if (s->n > ILEX_MAX_RANK)
        return ix_poison(x->ctx, name, -1, ILEX_E_RANK,
                         "%s: more than %d connectivities with skipped "
                         "neighbours meet",
                         name, ILEX_MAX_RANK);
    for (int i = 0; i < s->n; i++)
        ops[1 + i] = s->mask[i];
    ix_node_spec spec = {.kind = IX_SKIPPED,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = x->interior,
                         .valid = x->valid,
                         .nops = 1 + s->n,
                         .ops = ops};
    return ix_node_scoped(x->ctx, &spec);
}

/* The axis along which a mask's connectivity lists neighbours. */
static int32_t
local_axis(const ilex_array *mask)
{
    return mask->interior->ax[ix_rank(mask) - 1].name;
}

ilex_array *
ix_skips_mask(const ix_skips *s, const char *reduction, const ilex_array *x,
              uint32_t axes, ilex_array *mask)
{
    for (int i = 0; i < s->n; i++) {
        int32_t axis = local_axis(s->mask[i]);
        int k = ix_domain_find(x->interior, axis);
        if (k < 0 || !(axes >> k & 1))
            return ix_poison(x->ctx, reduction, 0, ILEX_E_AXIS,
                             "%s: neighbours along %s are skipped, so that "
                             "axis is reduced too; or give them a value: "
                             "remap(u, c; 0.0)",
                             reduction, ix_symbol_text(x->ctx, axis));
        mask = mask ? ix_build_op(x->ctx, IX_OP_LOGICAL_AND,
                                  (ilex_array *[]){mask, s->mask[i]})
                    : s->mask[i];
    }
    return mask;
}

/* ---- remap ---- */

/* u(..., c(i, k), ...): "to" is the axis of u that c's elements are indices of.
 */
typedef struct remapping {
    ilex_context *ctx;
    ilex_array *u, *c;
    ilex_array *mask; /* true where there is a neighbour; NULL: everywhere */
    int to;
    bool skips;
    int64_t skip;
} remapping;

/* Is c's last axis one of neighbours: behind another one, from 0 to a number?
 */
static bool
has_local(const ilex_array *c)
{
    const ix_axis *last = &c->interior->ax[ix_rank(c) - 1];
    return ix_rank(c) > 1 && ix_lin_is(last->lo, 0) && last->hi->n == 0;
}

static bool
is_field(const ilex_array *x)
{
    return ix_rank(x) > 0 && ix_domain_named(x->interior);
}

static bool
check_operands(const remapping *r)
{
    if (!is_field(r->u) || !is_field(r->c))
        ix_poison(
            r->ctx, name, !is_field(r->c), ILEX_E_AXIS,
            "%s: operand %d is on [%s]; a field and a connectivity have "
            "named axes, for example u : f64[Edge:ne], c : "
            "i32[Vertex:nv, V2E:6]",
            name, !is_field(r->c),
            ix_domain_show(r->ctx, (is_field(r->c) ? r->u : r->c)->interior).s);
    else if (!ix_dtype_is_integer((ilex_dtype)r->c->dtype))
        ix_poison(r->ctx, name, 1, ILEX_E_DTYPE,
                  "%s: the connectivity is %s; it lists indices, integers",
                  name, ilex_dtype_name((ilex_dtype)r->c->dtype));
    else
        return true;
    return false;
}

/* The axis that the connectivity leads to. */
static bool
find_target(remapping *r, const ix_given *to)
{
    int d = ix_rank(r->u);
    int64_t k = to->present ? to->number[0] : d == 1 ? 0 : INT64_MIN;
    r->to = (int)(k < 0 ? k + d : k);
    if (k >= -d && k < d)
        return true;
    if (to->present)
        ix_poison(r->ctx, name, 0, ILEX_E_AXIS,
                  "%s: there is no axis %lld in "
                  "[%s]",
                  name, (long long)k, ix_domain_show(r->ctx, r->u->interior).s);
    else
        ix_poison(r->ctx, name, 0, ILEX_E_AXIS,
                  "%s: say which axis of [%s] the connectivity leads to: "
                  "`in c : i32[Vertex:nv, V2E:6] -> Edge`, or "
                  "remap(u, c; to=Edge)",
                  name, ix_domain_show(r->ctx, r->u->interior).s);
    return false;
}

/* The number that stands for no neighbour. */
static bool
read_skip(remapping *r, const ix_given *skip)
{
    ix_value v, back;
    const ix_lin *form = skip->present ? skip->form[0] : NULL;
    ilex_dtype dtype = (ilex_dtype)r->c->dtype;
    if (!form)
        return true;
    r->skips = true;
    r->skip = form->c;
    ix_cast_eval(ILEX_I64, dtype, &(ix_value){.i = form->c}, &v);
    ix_cast_eval(dtype, ILEX_I64, &v, &back);
    if (form->n == 0 && back.i == form->c && (dtype != ILEX_U64 || back.i >= 0))
        return true;
    return ix_poison_false(r->ctx, name, 1, ILEX_E_LITERAL,
                           "%s: skip=%s is no number that %s holds", name,
                           ix_lin_show(r->ctx, form).s, ilex_dtype_name(dtype));
}

/* One more axis of the result, in both boxes. */
static void
add_axis(ix_axis *interior, ix_axis *valid, int *rank, const ilex_array *x,
         int k)
{
    if (*rank < ILEX_MAX_RANK) {
        interior[*rank] = x->interior->ax[k];
        valid[*rank] = x->valid->ax[k];
    }
    ++*rank;
}

/* The part of an axis that both fields share. */
static bool
meet(const remapping *r, const ix_axis *with, ix_axis *ax)
{
    ax->lo = ix_meet_bounds(r->ctx, name, ax->name, ax->lo, with->lo, false);
    ax->hi = ix_meet_bounds(r->ctx, name, ax->name, ax->hi, with->hi, true);
    return ax->lo && ax->hi;
}

/* c's axis "k", of which u has "j" as well. */
static bool
share_axis(const remapping *r, int j, int k, ix_axis *interior, ix_axis *valid)
{
    if (k == ix_rank(r->c) - 1 && has_local(r->c))
        return ix_poison_false(
            r->ctx, name, 0, ILEX_E_AXIS,
            "%s: the field has the connectivity's local axis %s already; "
            "reduce over it first, or give it another name",
            name, ix_symbol_text(r->ctx, r->c->interior->ax[k].name));
    return meet(r, &r->u->interior->ax[j], interior) &&
           meet(r, &r->u->valid->ax[j], valid);
}

/* u's axes, those of c where "to" was; an axis of both once, at c's place. */
static bool
result_domain(const remapping *r, ix_broadcast *dom)
{
    ix_axis interior[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    int rank = 0;
    for (int k = 0; k < ix_rank(r->u); k++) {
        int32_t axis = r->u->interior->ax[k].name;
        if (k != r->to && ix_domain_find(r->c->interior, axis) < 0)
            add_axis(interior, valid, &rank, r->u, k);
        for (int j = 0; k == r->to && j < ix_rank(r->c); j++) {
            int same =
                ix_domain_find(r->u->interior, r->c->interior->ax[j].name);
            add_axis(interior, valid, &rank, r->c, j);
            if (same >= 0 && same != r->to && rank <= ILEX_MAX_RANK &&
                !share_axis(r, same, j, &interior[rank - 1], &valid[rank - 1]))
                return false;
        }
    }
    if (rank > ILEX_MAX_RANK)
        return ix_poison_false(
            r->ctx, name, 0, ILEX_E_RANK,
            "%s: the result has %d axes; at most %d are supported", name, rank,
            ILEX_MAX_RANK);
    dom->interior = ix_domain_new(r->ctx, rank, interior);
    dom->valid = ix_domain_new(r->ctx, rank, valid);
    return dom->interior && dom->valid;
}

/* c at a point of the result, as an index of "to" that a run checks. */
static ilex_array *
neighbour(const remapping *r, ilex_array *entry)
{
    const ix_axis *ax = &r->u->valid->ax[r->to];
    ilex_array *wide = ix_scalar_cast(r->ctx, ILEX_I64, entry);
    return ix_scalar_checked(r->ctx, wide, r->to, ax->lo, ax->hi, false);
}

/* The value at a neighbour; "other" (of u's dtype) where there is none. */
static ilex_array *
element(const remapping *r, const ix_domain *dom, ilex_array *other)
{
    ilex_array *index[ILEX_MAX_RANK], *at[ILEX_MAX_RANK];
    ilex_context *ctx = r->ctx;
    for (int k = 0; k < ix_rank(r->c); k++)
        at[k] = ix_scalar_index(
            ctx, ix_domain_find(dom, r->c->interior->ax[k].name));
    ilex_array *entry =
        ix_scalar_load(ctx, (ilex_dtype)r->c->dtype, 1, ix_rank(r->c), at);
    for (int k = 0; k < ix_rank(r->u); k++)
        index[k] =
            k == r->to
                ? neighbour(r, entry)
                : ix_scalar_index(
                      ctx, ix_domain_find(dom, r->u->interior->ax[k].name));
    ilex_array *value =
        ix_scalar_load(ctx, (ilex_dtype)r->u->dtype, 0, ix_rank(r->u), index);
    if (!r->mask)
        return value;
    ilex_array *there = ix_scalar_load(ctx, ILEX_BOOL, 2, ix_rank(r->c), at);
    return ix_structure_where(ctx, there, value, other);
}

/* Where the connectivity has a neighbour, as a field on its axes. */
static ilex_array *
mask_of(const remapping *r)
{
    ilex_array *skip =
        ix_structure_number(r->ctx, (ilex_dtype)r->c->dtype, r->skip);
    return ix_build_op(r->ctx, IX_OP_NOT_EQUAL, (ilex_array *[]){r->c, skip});
}

/* The field; "other" is the value where there is no neighbour. */
static ilex_array *
remapped(const remapping *r, ilex_array *other)
{
    ix_broadcast dom;
    ilex_array *operands[4] = {r->u, r->c, r->mask};
    int n = r->mask ? 3 : 2;
    if (ix_is_poison(other) || !result_domain(r, &dom))
        return ix_poison_again(r->ctx);
    if (ix_is_array(other)) {
        operands[n] = other;
        other = ix_scalar_load(r->ctx, (ilex_dtype)r->u->dtype, n++, 0, NULL);
    }
    return ix_build_wide_lambda(r->ctx, name, dom.interior, dom.valid,
                                element(r, dom.interior, other), n, operands);
}

static bool
check_skips(const remapping *r, bool valued)
{
    if (valued && !r->skips)
        ix_poison(r->ctx, name, 1, ILEX_E_ARGUMENT,
                  "%s: the value is for neighbours that are skipped, and the "
                  "connectivity skips none; declare it with `skip -1`, or "
                  "write remap(u, c; skip=-1, value=0.0)",
                  name);
    else if (r->skips && !valued && !has_local(r->c))
        ix_poison(r->ctx, name, 1, ILEX_E_AXIS,
                  "%s: the connectivity [%s] has no local axis (a last one, "
                  "from 0 to a number) over which to reduce; give a value for "
                  "neighbours that are skipped: remap(u, c; 0.0)",
                  name, ix_domain_show(r->ctx, r->c->interior).s);
    else
        return true;
    return false;
}

ilex_array *
ix_build_remap(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    (void)count;
    remapping r = {.ctx = ctx};
    ix_skips skips = {.n = 0};
    bool valued = given[2].present && given[2].value;
    r.u = ix_structure_bounded(ctx, name, operands[0]);
    r.c = ix_structure_bounded(ctx, name, operands[1]);
    if (ix_is_poison(r.u) || ix_is_poison(r.c) || !check_operands(&r) ||
        !find_target(&r, &given[0]) || !read_skip(&r, &given[1]) ||
        !check_skips(&r, valued))
        return ix_poison_again(ctx);
    ilex_dtype dtype = (ilex_dtype)r.u->dtype;
    r.mask = r.skips ? mask_of(&r) : NULL;
    if (r.mask && ix_is_poison(r.mask))
        return r.mask;
    if (valued)
        return remapped(&r,
                        ix_structure_value(ctx, name, dtype, given[2].value));
    ilex_array *values = remapped(&r, ix_structure_number(ctx, dtype, 0));
    if (!r.skips)
        return values;
    add_mask(&skips, r.mask);
    return ix_skips_put(&skips, values);
}
