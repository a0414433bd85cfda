/* SPDX-License-Identifier: MIT
 *
 * The sets that questions to isl are about: sizes under assumptions, points of
 * a frame, what guards leave of them.
 */
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/val.h>

#include "lib/shape/question.h"
#include "lib/shape/refute.h"

/* ---- expressions to isl ---- */

static isl_pw_aff *
dimension(ix_affine_question *q, int pos)
{
    isl_local_space *ls = isl_local_space_from_space(isl_space_copy(q->space));
    return isl_pw_aff_from_aff(
        isl_aff_var_on_domain(ls, isl_dim_set, (unsigned)pos));
}

isl_pw_aff *
ix_affine_number(ix_affine_question *q, int64_t v)
{
    isl_local_space *ls = isl_local_space_from_space(isl_space_copy(q->space));
    isl_val *value = isl_val_int_from_si(q->isl, (long)v);
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(ls, value));
}

static isl_pw_aff *
size(ix_affine_question *q, int64_t param)
{
    return dimension(q, q->relevant.at[param]);
}

/* sum += k * term */
static isl_pw_aff *
add_scaled(ix_affine_question *q, isl_pw_aff *sum, int64_t k, isl_pw_aff *term)
{
    isl_val *v = isl_val_int_from_si(q->isl, (long)k);
    return isl_pw_aff_add(sum, isl_pw_aff_scale_val(term, v));
}

isl_pw_aff *
ix_affine_of_lin(ix_affine_question *q, const ix_lin *a)
{
    isl_pw_aff *sum = ix_affine_number(q, a->c);
    for (int32_t i = 0; i < a->n; i++)
        sum = add_scaled(q, sum, a->t[i].k, size(q, a->t[i].param));
    return sum;
}

int
ix_affine_opaque(const ix_affine_question *q, const ilex_array *x)
{
    for (int i = 0; i < q->nopaque; i++)
        if (q->opaque[i].atom == x)
            return i;
    return -1;
}

static isl_pw_aff *
from_opaque(ix_affine_question *q, const ilex_array *x)
{
    int at = ix_affine_opaque(q, x);
    return at < 0 ? NULL
                  : dimension(q, q->nparam + q->nindex + q->nreduce + at);
}

static isl_pw_aff *
from_op(ix_affine_question *q, const ilex_array *x)
{
    if (ix_index_is_by_size(x))
        return from_opaque(q, x);
    isl_pw_aff *a = ix_affine_of_index(q, x->ops[0]);
    if (ix_op_of(x) == IX_OP_FLOOR_DIVIDE) {
        isl_val *c = isl_val_int_from_si(q->isl, (long)x->ops[1]->attr[0]);
        return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, c));
    }
    isl_pw_aff *b = ix_affine_of_index(q, x->ops[1]);
    return ix_op_of(x) == IX_OP_MINIMUM ? isl_pw_aff_min(a, b)
                                        : isl_pw_aff_max(a, b);
}

isl_pw_aff *
ix_affine_of_index(ix_affine_question *q, const ilex_array *x)
{
    switch (x->kind) {
    case IX_CONST:
        return ix_affine_number(q, x->attr[0]);
    case IX_SIZE:
        return size(q, x->attr[0]);
    case IX_INDEX:
        return x->attr[0] < q->nindex
                   ? dimension(q, q->nparam + (int)x->attr[0])
                   : NULL;
    case IX_RINDEX: {
        int place = ix_reduced_place(q->frame, x->attr[0]);
        return place >= 0 ? dimension(q, q->nparam + place) : NULL;
    }
    case IX_LINEAR: {
        isl_pw_aff *sum = ix_affine_number(q, x->attr[0]);
        for (int i = 0; i < x->nops; i++)
            sum = add_scaled(q, sum, x->attr[i + 1],
                             ix_affine_of_index(q, x->ops[i]));
        return sum;
    }
    default:
        return from_op(q, x);
    }
}

static isl_set *
compare(ix_op op, isl_pw_aff *a, isl_pw_aff *b)
{
    switch ((int)op) {
    case IX_OP_LESS:
        return isl_pw_aff_lt_set(a, b);
    case IX_OP_LESS_EQUAL:
        return isl_pw_aff_le_set(a, b);
    case IX_OP_GREATER:
        return isl_pw_aff_gt_set(a, b);
    case IX_OP_GREATER_EQUAL:
        return isl_pw_aff_ge_set(a, b);
    case IX_OP_EQUAL:
        return isl_pw_aff_eq_set(a, b);
    default:
        return isl_pw_aff_ne_set(a, b);
    }
}

/* The points where a condition may be "holds": of what is not on indices, all.
 */
static isl_set *
from_condition(ix_affine_question *q, const ilex_array *n, bool holds)
{
    bool known = n->flags & IX_HAS_CONDITION;
    if (!known || n->kind == IX_CONST) {
        isl_space *space = isl_space_copy(q->space);
        return !known || (ix_const_value(n).i != 0) == holds
                   ? isl_set_universe(space)
                   : isl_set_empty(space);
    }
    ix_op op = ix_op_of(n);
    if (op == IX_OP_LOGICAL_NOT)
        return from_condition(q, n->ops[0], !holds);
    if (ix_is_logic(n)) {
        isl_set *a = from_condition(q, n->ops[0], holds);
        isl_set *b = from_condition(q, n->ops[1], holds);
        return (op == IX_OP_LOGICAL_AND) == holds ? isl_set_intersect(a, b)
                                                  : isl_set_union(a, b);
    }
    isl_set *set = compare(op, ix_affine_of_index(q, n->ops[0]),
                           ix_affine_of_index(q, n->ops[1]));
    return holds ? set : isl_set_complement(set);
}

/* ---- sets ---- */

/* set and lo <= dimension < hi */
static isl_set *
restrict_range(ix_affine_question *q, isl_set *set, int pos, const ix_axis *ax)
{
    set = isl_set_intersect(
        set, isl_pw_aff_ge_set(dimension(q, pos), ix_affine_of_lin(q, ax->lo)));
    return isl_set_intersect(
        set, isl_pw_aff_lt_set(dimension(q, pos), ix_affine_of_lin(q, ax->hi)));
}

static isl_set *
restrict_divisible(ix_affine_question *q, isl_set *set, const ix_assumption *a)
{
    isl_val *m = isl_val_int_from_si(q->isl, (long)a->modulus);
    isl_pw_aff *rest = isl_pw_aff_mod_val(ix_affine_of_lin(q, a->form), m);
    return isl_set_intersect(set,
                             isl_pw_aff_eq_set(rest, ix_affine_number(q, 0)));
}

/* Is it an inequality about the question's sizes? */
static bool
is_inequality(const ix_affine_question *q, const ix_assumption *a)
{
    return a->modulus == 0 && ix_relevant_assumption(&q->relevant, a);
}

/* Row "row" of the inequalities: form >= 0. */
static isl_mat *
put_row(ix_affine_question *q, isl_mat *m, int row, const ix_lin *form)
{
    isl_val *c = isl_val_int_from_si(q->isl, (long)form->c);
    m = isl_mat_set_element_val(m, row, 0, c);
    for (int32_t i = 0; i < form->n; i++) {
        isl_val *k = isl_val_int_from_si(q->isl, (long)form->t[i].k);
        m = isl_mat_set_element_val(m, row,
                                    1 + q->relevant.at[form->t[i].param], k);
    }
    return m;
}

/* Fact "i" about size "p", a form that is >= 0: of a product, of a quotient p
 * of a by d, which is not negative, d*p - a and a + d - 1 - d*p. False: there
 * is no such fact. */
static bool
derived_fact(ilex_context *ctx, int32_t p, int i, const ix_lin **fact)
{
    const ix_param *own = &ctx->param[p];
    if (own->degree > 1)
        return i < own->degree && ix_product_fact(ctx, p, i, fact);
    if (own->divisor <= 1 || i > 1)
        return false;
    const ix_lin *rest =
        ix_lin_try_fma(ctx, own->arm[0], -own->divisor, ix_lin_param(ctx, p));
    if (!rest)
        return false;
    *fact = i == 1 ? ix_lin_try_offset(ctx, rest, own->divisor - 1)
                   : ix_lin_try_fma(ctx, ix_lin_const(ctx, 0), -1, rest);
    return *fact != NULL;
}

/* Writes what is known of derived sizes that matter from "row" on, if there is
 * a matrix; how many rows that is. */
static int
derived_facts(ix_affine_question *q, isl_mat **m, int row)
{
    const ix_lin *fact;
    int count = 0;
    for (size_t p = 0; p < q->ctx->nparams; p++) {
        int most = q->ctx->param[p].degree > 1 ? q->ctx->param[p].degree : 2;
        for (int i = 0; q->relevant.at[p] >= 0 && i < most; i++)
            if (derived_fact(q->ctx, (int32_t)p, i, &fact)) {
                if (m)
                    *m = put_row(q, *m, row + count, fact);
                count++;
            }
    }
    return count;
}

/* Sizes are not below their least values; then what is assumed of them. One
 * matrix: a long chain of assumptions costs quadratic time when they are met
 * one by one. */
static isl_mat *
inequalities(ix_affine_question *q, int dimensions)
{
    const ix_env *facts = q->ctx->facts;
    int rows = q->nparam + derived_facts(q, NULL, 0);
    for (int32_t i = 0; i < ix_env_count(facts); i++)
        rows += is_inequality(q, facts->item[i]);
    isl_mat *m =
        isl_mat_alloc(q->isl, (unsigned)rows, (unsigned)dimensions + 1);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= dimensions; k++)
            m = isl_mat_set_element_si(m, i, k, i < q->nparam && k == i + 1);
    for (size_t p = 0; p < q->ctx->nparams; p++)
        if (q->relevant.at[p] >= 0)
            m = isl_mat_set_element_val(
                m, q->relevant.at[p], 0,
                isl_val_int_from_si(q->isl,
                                    -(long)ix_param_low(q->ctx, (int32_t)p)));
    int row = q->nparam + derived_facts(q, &m, q->nparam);
    for (int32_t i = 0; i < ix_env_count(facts); i++)
        if (is_inequality(q, facts->item[i]))
            m = put_row(q, m, row++, facts->item[i]->form);
    return m;
}

/* set and size "p" is the least, or the largest, of its arms */
static isl_set *
restrict_extremum(ix_affine_question *q, isl_set *set, size_t p)
{
    const ix_param *own = &q->ctx->param[p];
    isl_pw_aff *value = ix_affine_of_lin(q, own->arm[0]);
    for (int i = 1; i < own->narms; i++) {
        isl_pw_aff *arm = ix_affine_of_lin(q, own->arm[i]);
        value = own->largest ? isl_pw_aff_max(value, arm)
                             : isl_pw_aff_min(value, arm);
    }
    return isl_set_intersect(set,
                             isl_pw_aff_eq_set(size(q, (int64_t)p), value));
}

isl_set *
ix_affine_assumed(ix_affine_question *q)
{
    int dimensions = q->nparam + q->nindex + q->nreduce + q->nopaque;
    isl_mat *none = isl_mat_alloc(q->isl, 0, (unsigned)dimensions + 1);
    isl_set *set =
        isl_set_from_basic_set(isl_basic_set_from_constraint_matrices(
            isl_space_copy(q->space), none, inequalities(q, dimensions),
            isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div));
    for (int32_t i = 0; i < ix_env_count(q->ctx->facts); i++) {
        const ix_assumption *a = q->ctx->facts->item[i];
        if (a->modulus && ix_relevant_assumption(&q->relevant, a))
            set = restrict_divisible(q, set, a);
    }
    for (size_t p = 0; p < q->ctx->nparams; p++)
        if (q->relevant.at[p] >= 0 && ix_param_is_extremum(q->ctx, (int32_t)p))
            set = restrict_extremum(q, set, p);
    return set;
}

/* set and what is known of a dimension that is index arithmetic by a size */
static isl_set *
restrict_opaque(ix_affine_question *q, isl_set *set, int pos,
                const ix_bounds *b)
{
    for (int i = 0; i < b->nlo; i++)
        set = isl_set_intersect(
            set, isl_pw_aff_ge_set(dimension(q, pos),
                                   ix_affine_of_lin(q, b->lo[i])));
    for (int i = 0; i < b->nhi; i++)
        set = isl_set_intersect(
            set, isl_pw_aff_le_set(dimension(q, pos),
                                   ix_affine_of_lin(q, b->hi[i])));
    return set;
}

/* set and what is known of the axes of a reduction, from "pos" on */
static isl_set *
restrict_reduced(ix_affine_question *q, isl_set *set, int pos,
                 const ilex_array *n)
{
    for (int k = 0; k < n->interior->rank; k++)
        set = restrict_range(q, set, pos + k, &n->interior->ax[k]);
    if (!ix_has_affine_range(n))
        return set;
    set = isl_set_intersect(
        set,
        isl_pw_aff_ge_set(dimension(q, pos), ix_affine_of_index(q, n->ops[1])));
    return isl_set_intersect(
        set,
        isl_pw_aff_lt_set(dimension(q, pos), ix_affine_of_index(q, n->ops[2])));
}

isl_set *
ix_affine_points(ix_affine_question *q)
{
    isl_set *set = ix_affine_assumed(q);
    for (int k = 0; k < q->nindex; k++)
        set = restrict_range(q, set, q->nparam + k, &q->frame->box->ax[k]);
    int pos = q->nparam + q->nindex;
    for (int i = 0; i < q->frame->nreduce; i++) {
        set = restrict_reduced(q, set, pos, q->frame->reduce[i]);
        pos += q->frame->reduce[i]->interior->rank;
    }
    for (int i = 0; i < q->nopaque; i++)
        set = restrict_opaque(q, set, pos++, &q->opaque[i].bounds);
    return set;
}

/* Pieces of a set from which on isl tries to join some. */
enum { MANY_PIECES = 4 };

/* Innermost first, which most often leaves nothing soon: a chain of guards then
 * costs one step, not its length. */
isl_set *
ix_affine_guarded(ix_affine_question *q, isl_set *set)
{
    isl_bool empty = isl_bool_false;
    for (int i = q->frame->nguard - 1; i >= 0 && !empty; i--) {
        const ix_guard *g = &q->frame->guard[i];
        set = isl_set_intersect(set, from_condition(q, g->condition, g->holds));
        if (isl_set_n_basic_set(set) > MANY_PIECES)
            set = isl_set_coalesce(set);
        empty = isl_set_is_empty(set);
    }
    return empty == isl_bool_error ? isl_set_free(set) : set;
}
