/* SPDX-License-Identifier: MIT
 *
 * Index arithmetic in normal form: sums of multiples of atoms.
 */
#include "lib/graph/scalar.h"

/* The order of kinds of atoms in a LINEAR node. */
static int
rank_of(const ilex_array *atom)
{
    switch (atom->kind) {
    case IX_INDEX:
        return 0;
    case IX_RINDEX:
        return 1;
    case IX_SIZE:
        return 2;
    case IX_VALUE:
        return 3;
    default:
        return 4;
    }
}

/* The order of atoms: a function of structure alone. */
static int
compare_atoms(const ilex_array *a, const ilex_array *b)
{
    if (a == b)
        return 0;
    if (a->kind != b->kind)
        return rank_of(a) < rank_of(b) ? -1 : 1;
    if (a->kind == IX_SIZE)
        return ix_param_before(a->ctx, (int32_t)a->attr[0], (int32_t)b->attr[0])
                   ? -1
                   : 1;
    if (a->kind != IX_OP)
        return a->attr[0] < b->attr[0] ? -1 : 1;
    return a->hash < b->hash ? -1 : 1;
}

void
ix_index_form_of(const ilex_array *x, ix_index_form *form)
{
    form->c = 0;
    form->n = 0;
    if (x->kind == IX_CONST) {
        form->c = x->attr[0];
    } else if (x->kind == IX_LINEAR) {
        form->c = x->attr[0];
        form->n = x->nops;
        for (int i = 0; i < x->nops; i++) {
            form->t[i].k = x->attr[i + 1];
            form->t[i].atom = x->ops[i];
        }
    } else {
        form->n = 1;
        form->t[0].k = 1;
        form->t[0].atom = (ilex_array *)(uintptr_t)x;
    }
}

/* Inserts k*atom into a sorted form. */
static bool
add_term(ix_index_form *a, int64_t k, ilex_array *atom)
{
    int i = 0;
    while (i < a->n && compare_atoms(a->t[i].atom, atom) < 0)
        i++;
    if (i < a->n && a->t[i].atom == atom) {
        if (!ix_add(a->t[i].k, k, &a->t[i].k))
            return false;
        if (a->t[i].k == 0) {
            a->n--;
            memmove(a->t + i, a->t + i + 1, (size_t)(a->n - i) * sizeof *a->t);
        }
        return true;
    }
    if (a->n == IX_INDEX_ROOM)
        return false;
    memmove(a->t + i + 1, a->t + i, (size_t)(a->n - i) * sizeof *a->t);
    a->t[i].k = k;
    a->t[i].atom = atom;
    a->n++;
    return true;
}

bool
ix_index_form_add(ix_index_form *a, int64_t k, const ix_index_form *b)
{
    int64_t v;
    bool ok = ix_mul(k, b->c, &v) && ix_add(a->c, v, &a->c);
    for (int i = 0; ok && k != 0 && i < b->n; i++)
        ok = ix_mul(k, b->t[i].k, &v) && add_term(a, v, b->t[i].atom);
    return ok;
}

ilex_array *
ix_index_const(ilex_context *ctx, int64_t c)
{
    return ix_scalar_const(ctx, ILEX_I64, (ix_value){.i = c});
}

ilex_array *
ix_index_from(ilex_context *ctx, const ix_index_form *form)
{
    if (form->n == 0)
        return ix_index_const(ctx, form->c);
    if (form->n == 1 && form->c == 0 && form->t[0].k == 1)
        return form->t[0].atom;
    int64_t attr[IX_INDEX_ROOM + 1] = {form->c};
    ilex_array *ops[IX_INDEX_ROOM];
    for (int i = 0; i < form->n; i++) {
        attr[i + 1] = form->t[i].k;
        ops[i] = form->t[i].atom;
    }
    ix_node_spec spec = {.kind = IX_LINEAR,
                         .dtype = ILEX_I64,
                         .nops = form->n,
                         .ops = ops,
                         .nattr = form->n + 1,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_index_too_large(ilex_context *ctx)
{
    return ix_poison(ctx, "index", -1, ILEX_E_OVERFLOW,
                     "index arithmetic leaves 64 bits or has more than %d "
                     "terms",
                     IX_INDEX_TERMS);
}

ilex_array *
ix_index_try_fma(ilex_context *ctx, ilex_array *a, int64_t k, ilex_array *b)
{
    if (ix_is_poison(a) || ix_is_poison(b))
        return ctx->poison;
    ix_index_form x, y;
    ix_index_form_of(a, &x);
    ix_index_form_of(b, &y);
    return ix_index_form_add(&x, k, &y) ? ix_index_from(ctx, &x) : NULL;
}

ilex_array *
ix_index_fma(ilex_context *ctx, ilex_array *a, int64_t k, ilex_array *b)
{
    ilex_array *r = ix_index_try_fma(ctx, a, k, b);
    return r ? r : ix_index_too_large(ctx);
}

ilex_array *
ix_index_offset(ilex_context *ctx, ilex_array *a, int64_t c)
{
    return c == 0 ? a : ix_index_fma(ctx, a, 1, ix_index_const(ctx, c));
}

ilex_array *
ix_index_lin(ilex_context *ctx, const ix_lin *a)
{
    if (!a)
        return ix_poison_again(ctx);
    ilex_array *sum = ix_index_const(ctx, a->c);
    for (int32_t i = 0; i < a->n; i++)
        sum = ix_index_fma(ctx, sum, a->t[i].k,
                           ix_scalar_size(ctx, a->t[i].param));
    return sum;
}

const ix_lin *
ix_index_form_lin(ilex_context *ctx, const ix_index_form *form)
{
    const ix_lin *sum = ix_lin_try_offset(ctx, ix_lin_const(ctx, 0), form->c);
    for (int i = 0; i < form->n; i++) {
        if (form->t[i].atom->kind != IX_SIZE)
            return NULL;
        sum = ix_lin_try_fma(
            ctx, sum, form->t[i].k,
            ix_lin_param(ctx, (int32_t)form->t[i].atom->attr[0]));
    }
    return sum;
}

const ix_lin *
ix_index_to_lin(ilex_context *ctx, const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    return ix_index_form_lin(ctx, &f);
}

/* A minimum or maximum that is added in x, which is then one of x with either
 * operand in its place; NULL: there is none. */
static const ilex_array *
split_extremum(ilex_context *ctx, ilex_array *x, ilex_array *part[2])
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++) {
        ilex_array *e = f.t[i].atom;
        if (f.t[i].k != 1 || e->kind != IX_OP ||
            (ix_op_of(e) != IX_OP_MINIMUM && ix_op_of(e) != IX_OP_MAXIMUM))
            continue;
        ilex_array *rest = ix_index_try_fma(ctx, x, -1, e);
        for (int j = 0; j < 2; j++)
            part[j] = rest ? ix_index_try_fma(ctx, rest, 1, e->ops[j]) : NULL;
        return part[0] && part[1] ? e : NULL;
    }
    return NULL;
}

/* a <= b under the assumptions: by their difference, where it depends on sizes
 * at most, or by what holds for operands of minima and maxima in them. */
static bool
is_at_most(ilex_context *ctx, ilex_array *a, ilex_array *b, int depth)
{
    ix_index_form x, y;
    ilex_array *part[2];
    ix_index_form_of(b, &x);
    ix_index_form_of(a, &y);
    const ix_lin *diff =
        ix_index_form_add(&x, -1, &y) ? ix_index_form_lin(ctx, &x) : NULL;
    if (diff)
        return ix_lin_nonneg_fast(ctx, diff);
    const ilex_array *e = depth ? split_extremum(ctx, a, part) : NULL;
    bool below = e != NULL;
    if (!e && depth)
        e = split_extremum(ctx, b, part);
    if (!e)
        return false;
    bool both = (ix_op_of(e) == IX_OP_MAXIMUM) == below;
    bool holds[2];
    for (int i = 0; i < 2; i++)
        holds[i] = is_at_most(ctx, below ? part[i] : a, below ? b : part[i],
                              depth - 1);
    return both ? holds[0] && holds[1] : holds[0] || holds[1];
}

/* minimum or maximum; one of the two where it is known which. */
static ilex_array *
extremum(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    if (ix_is_poison(a) || ix_is_poison(b))
        return ctx->poison;
    if (is_at_most(ctx, b, a, 3))
        return op == IX_OP_MINIMUM ? b : a;
    if (is_at_most(ctx, a, b, 3))
        return op == IX_OP_MINIMUM ? a : b;
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_I64, ILEX_I64, ops);
}

ilex_array *
ix_index_min(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    return extremum(ctx, IX_OP_MINIMUM, a, b);
}

ilex_array *
ix_index_max(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    return extremum(ctx, IX_OP_MAXIMUM, a, b);
}

/* floor((whole*c + rest)/c) = whole + floor(rest/c): multiples of c leave. */
ilex_array *
ix_index_floordiv(ilex_context *ctx, ilex_array *a, int64_t c)
{
    if (ix_is_poison(a) || c == 1)
        return a;
    ix_index_form x, whole = {0}, rest = {0};
    ix_index_form_of(a, &x);
    whole.c = ix_floordiv(x.c, c);
    rest.c = ix_floormod(x.c, c);
    bool ok = true;
    for (int i = 0; ok && i < x.n; i++)
        ok = x.t[i].k % c == 0 ? add_term(&whole, x.t[i].k / c, x.t[i].atom)
                               : add_term(&rest, x.t[i].k, x.t[i].atom);
    if (!ok)
        return ix_index_too_large(ctx);
    if (rest.n > 0) {
        ilex_array *ops[2] = {ix_index_from(ctx, &rest),
                              ix_index_const(ctx, c)};
        ilex_array *q =
            ix_scalar_op(ctx, IX_OP_FLOOR_DIVIDE, ILEX_I64, ILEX_I64, ops);
        if (ix_is_poison(q) || !add_term(&whole, 1, q))
            return ix_poison_again(ctx);
    }
    return ix_index_from(ctx, &whole);
}

/* ---- recognition ---- */

static ilex_array *
remainder_of(ilex_context *ctx, ilex_array *a, int64_t c)
{
    return ix_index_fma(ctx, a, -c, ix_index_floordiv(ctx, a, c));
}

/* Normal form of an OP node whose operands are in normal form already; NULL
 * if it is no index arithmetic. */
static ilex_array *
normal_op(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    bool constant = b && b->kind == IX_CONST;
    ilex_array *by_size = constant ? NULL : ix_index_by_size(ctx, op, a, b);
    if (by_size)
        return by_size;
    switch ((int)op) {
    case IX_OP_ADD:
        return ix_index_fma(ctx, a, 1, b);
    case IX_OP_SUBTRACT:
        return ix_index_fma(ctx, a, -1, b);
    case IX_OP_NEGATIVE:
        return ix_index_fma(ctx, ix_index_const(ctx, 0), -1, a);
    case IX_OP_POSITIVE:
        return a;
    case IX_OP_MULTIPLY:
        if (a->kind == IX_CONST)
            return ix_index_fma(ctx, ix_index_const(ctx, 0), a->attr[0], b);
        return constant
                   ? ix_index_fma(ctx, ix_index_const(ctx, 0), b->attr[0], a)
                   : NULL;
    case IX_OP_FLOOR_DIVIDE:
        return constant && b->attr[0] > 0
                   ? ix_index_floordiv(ctx, a, b->attr[0])
                   : NULL;
    case IX_OP_REMAINDER:
        return constant && b->attr[0] > 0 ? remainder_of(ctx, a, b->attr[0])
                                          : NULL;
    case IX_OP_MINIMUM:
        return ix_index_min(ctx, a, b);
    case IX_OP_MAXIMUM:
        return ix_index_max(ctx, a, b);
    default:
        return NULL;
    }
}

/* A comparison that isl can read. */
static bool
is_comparison(ix_op op)
{
    return op == IX_OP_LESS || op == IX_OP_LESS_EQUAL || op == IX_OP_GREATER ||
           op == IX_OP_GREATER_EQUAL || op == IX_OP_EQUAL ||
           op == IX_OP_NOT_EQUAL;
}

bool
ix_is_logic(const ilex_array *n)
{
    ix_op op = n->kind == IX_OP ? ix_op_of(n) : IX_OP_ADD;
    return (op == IX_OP_LOGICAL_NOT || op == IX_OP_LOGICAL_AND ||
            op == IX_OP_LOGICAL_OR) &&
           ix_loop_of(n) == ILEX_BOOL;
}

/* May "n" have these operands, which are all part of index arithmetic? */
static bool
is_index_op(const ilex_array *n)
{
    ix_op op = ix_op_of(n);
    if (n->dtype == ILEX_I64)
        return op == IX_OP_MINIMUM || op == IX_OP_MAXIMUM ||
               ix_index_is_quotient(n) || ix_index_is_by_size(n);
    return is_comparison(op) ? ix_loop_of(n) == ILEX_I64 : ix_is_logic(n);
}

/* Are the numbers of a CONST or LINEAR so small that no sum of such terms
 * leaves 64 bits? Others are computed as values, which wrap. */
static bool
is_moderate(const ilex_array *n)
{
    const int64_t most = (int64_t)1 << 40;
    int count = n->kind == IX_CONST ? 1 : n->nattr;
    for (int i = 0; i < count; i++)
        if (n->attr[i] > most || n->attr[i] < -most)
            return false;
    return true;
}

int
ix_index_weight(const ilex_array *n)
{
    int weight = 1;
    switch (n->kind) {
    case IX_CONST:
        return n->dtype == ILEX_BOOL ||
               (n->dtype == ILEX_I64 && is_moderate(n));
    case IX_SIZE:
    case IX_INDEX:
    case IX_RINDEX:
    case IX_VALUE:
        return n->dtype == ILEX_I64;
    case IX_OP:
        if (!is_index_op(n))
            return 0;
        break;
    case IX_LINEAR:
        if (!is_moderate(n) || n->nops > IX_INDEX_TERMS)
            return 0;
        break;
    default:
        return 0;
    }
    for (int i = 0; i < n->nops; i++) {
        if (n->ops[i]->weight == 0)
            return 0;
        weight += n->ops[i]->weight;
    }
    return weight <= IX_INDEX_WEIGHT ? weight : 0;
}

bool
ix_index_is_outsized(const ilex_array *x)
{
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_OP_ADD;
    bool sum = op == IX_OP_ADD || op == IX_OP_SUBTRACT || op == IX_OP_NEGATIVE;
    bool known = x->kind == IX_LINEAR || x->kind == IX_CONST ||
                 (x->kind == IX_OP &&
                  (sum || op == IX_OP_MULTIPLY || op == IX_OP_REMAINDER ||
                   op == IX_OP_FLOOR_DIVIDE || is_index_op(x)));
    if (!known || x->dtype != ILEX_I64 || x->weight > 0)
        return false;
    for (int i = 0; i < x->nops; i++)
        if (x->ops[i]->weight == 0)
            return ix_index_is_outsized(x->ops[i]);
    return x->kind != IX_OP || sum || is_index_op(x);
}

/* Is "x" an operator that index arithmetic may have? A value that is read or
 * summed up is never part of it. */
static bool
may_be_index(const ilex_array *x)
{
    return x->kind == IX_OP && x->dtype == ILEX_I64 && x->nops <= 2 &&
           !(x->flags & (IX_HAS_LOAD | IX_HAS_REDUCE));
}

/* Normal form of an operator with operands in normal form; "x" itself if one
 * of them is no index arithmetic, or a number leaves 64 bits. */
static ilex_array *
normal_form(ilex_context *ctx, ilex_array *x, ilex_array *const *ops)
{
    for (int i = 0; i < x->nops; i++)
        if (!ix_index_is_affine(ops[i]))
            return x;
    ix_error_mark before = ix_errors_mark(&ctx->error);
    ilex_array *r =
        normal_op(ctx, ix_op_of(x), ops[0], x->nops > 1 ? ops[1] : NULL);
    if (r && ix_is_poison(r) &&
        ix_errors_since(&ctx->error, before) == ILEX_E_OVERFLOW) {
        ix_errors_rewind(&ctx->error, before);
        return x;
    }
    return r && r->weight > 0 ? r : x;
}

/* What is no operator of index arithmetic: itself, a number as i64. */
static ilex_array *
as_index(ilex_context *ctx, ilex_array *x)
{
    bool number = x->kind == IX_CONST && x->dtype != ILEX_I64;
    return number ? ix_scalar_cast(ctx, ILEX_I64, x) : x;
}

static ix_walk_step
normal_leaf(ix_walk *w, ilex_array *x, size_t *value)
{
    if (may_be_index(x))
        return IX_WALK_IN;
    *value = (size_t)as_index(w->ctx, x);
    return IX_WALK_OVER;
}

static bool
normal_interior(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    ilex_array *ops[2] = {NULL, NULL};
    for (int i = 0; i < x->nops; i++)
        ops[i] = (ilex_array *)operand[i];
    *value = (size_t)normal_form(w->ctx, x, ops);
    return true;
}

ilex_array *
ix_index_normal(ilex_context *ctx, ilex_array *x)
{
    size_t r = 0;
    ix_walk w = {.ctx = ctx, .enter = normal_leaf, .leave = normal_interior};
    if (!may_be_index(x))
        return as_index(ctx, x);
    bool ok = ix_walk_body(&w, x, &r);
    ix_walk_free(&w);
    return ok ? (ilex_array *)r : ix_poison_again(ctx);
}

bool
ix_index_is_shift(const ilex_array *x, int *k, int64_t *offset)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    if (f.n != 1 || f.t[0].k != 1 || f.t[0].atom->kind != IX_INDEX)
        return false;
    *k = (int)f.t[0].atom->attr[0];
    *offset = f.c;
    return true;
}

/* ---- chunks ---- */

const ix_lin *
ix_chunk_count(ilex_context *ctx, const ix_axis *ax, int chunk)
{
    const ix_lin *extent = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    if (!extent)
        return NULL;
    for (int32_t i = 0; i < extent->n; i++)
        if (extent->t[i].k < 0)
            return NULL;
    return ix_lin_quotient(ctx, extent, chunk);
}

void
ix_chunk_range(ilex_context *ctx, const ix_axis *ax, int chunk, ilex_array **lo,
               ilex_array **hi)
{
    *lo = ix_index_fma(ctx, ix_index_lin(ctx, ax->lo), chunk,
                       ix_scalar_index(ctx, 0));
    *hi = ix_index_min(ctx, ix_index_offset(ctx, *lo, chunk),
                       ix_index_lin(ctx, ax->hi));
}
