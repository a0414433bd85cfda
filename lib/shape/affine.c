/* SPDX-License-Identifier: MIT
 *
 * isl: proofs about index expressions over symbolic domains.
 *
 * The set space of a question: [] -> { [sizes..., _k..., _r...] }; the sizes
 * that matter are set dimensions too, so that a sample names them; so are
 * products of sizes and index arithmetic by sizes, of which isl is told bounds.
 * isl runs
 * in continue-on-error mode under an operation quota; running out of it is
 * IX_UNKNOWN, never an error. Running out of memory is one. No object of isl
 * outlives a question, so what is lost when GMP has no memory is isl's context,
 * and the next question makes another.
 */
#include "lib/shape/affine.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "lib/shape/access.h"
#include "lib/shape/isl_context.h"
#include "lib/shape/relevant.h"

/* Index arithmetic by a size: a dimension within bounds. */
enum { MAX_OPAQUE = 16 };
typedef struct opaque {
    const ilex_array *atom;
    ix_bounds bounds;
} opaque;

/* A question: the space and where its dimensions start. */
typedef struct question {
    ilex_context *ctx;
    isl_ctx *isl;
    const ix_frame *frame;
    ix_relevant relevant;
    int nparam, nindex, nreduce, nopaque;
    opaque opaque[MAX_OPAQUE];
    isl_space *space;
    /* what is asked */
    const ilex_array *e;
    const ix_lin *lo, *hi;
    ix_sample *sample;
    /* the answer; isl gave none; it had no memory */
    ix_tri answer;
    bool failed, no_memory;
} question;

/* ---- asking ---- */

/* Notes whether isl had no memory; it does not always say so. */
static void
note_memory(question *q)
{
    enum isl_error error = isl_ctx_last_error(q->isl);
    q->no_memory |=
        error == isl_error_alloc || (error == isl_error_none && q->failed);
}

/* Has "work", which asks isl, answer the question. */
static ix_tri
enter(question *q, void (*work)(void *question))
{
    ix_isl_renew_quota(q->ctx);
    q->answer = IX_UNKNOWN;
    q->no_memory = false;
    bool done = ix_isl_run(q->ctx, work, q);
    if (done)
        note_memory(q);
    ix_relevant_free(&q->relevant);
    if (done && !q->no_memory)
        return q->answer;
    ix_fail_memory(&q->ctx->error);
    return IX_UNKNOWN;
}

/* ---- expressions to isl ---- */

static isl_pw_aff *
dimension(question *q, int pos)
{
    isl_local_space *ls = isl_local_space_from_space(isl_space_copy(q->space));
    return isl_pw_aff_from_aff(
        isl_aff_var_on_domain(ls, isl_dim_set, (unsigned)pos));
}

static isl_pw_aff *
number(question *q, int64_t v)
{
    isl_local_space *ls = isl_local_space_from_space(isl_space_copy(q->space));
    isl_val *value = isl_val_int_from_si(q->isl, (long)v);
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(ls, value));
}

static isl_pw_aff *
size(question *q, int64_t param)
{
    return dimension(q, q->relevant.at[param]);
}

/* sum += k * term */
static isl_pw_aff *
add_scaled(question *q, isl_pw_aff *sum, int64_t k, isl_pw_aff *term)
{
    isl_val *v = isl_val_int_from_si(q->isl, (long)k);
    return isl_pw_aff_add(sum, isl_pw_aff_scale_val(term, v));
}

static isl_pw_aff *
from_lin(question *q, const ix_lin *a)
{
    isl_pw_aff *sum = number(q, a->c);
    for (int32_t i = 0; i < a->n; i++)
        sum = add_scaled(q, sum, a->t[i].k, size(q, a->t[i].param));
    return sum;
}

/* Position of reduction index "r" among the frame's; -1: not in scope. */
static int
reduce_position(const question *q, int64_t r)
{
    int pos = q->nparam + q->nindex;
    for (int i = 0; i < q->frame->nreduce; i++) {
        const ilex_array *n = q->frame->reduce[i];
        if (r >= n->attr[1] && r < n->attr[1] + n->interior->rank)
            return pos + (int)(r - n->attr[1]);
        pos += n->interior->rank;
    }
    return -1;
}

static isl_pw_aff *from_index(question *q, const ilex_array *x);

/* Place of "x" among what is opaque; -1 if it is not. */
static int
opaque_place(const question *q, const ilex_array *x)
{
    for (int i = 0; i < q->nopaque; i++)
        if (q->opaque[i].atom == x)
            return i;
    return -1;
}

static isl_pw_aff *
from_opaque(question *q, const ilex_array *x)
{
    int at = opaque_place(q, x);
    return at < 0 ? NULL
                  : dimension(q, q->nparam + q->nindex + q->nreduce + at);
}

static isl_pw_aff *
from_op(question *q, const ilex_array *x)
{
    if (ix_index_is_by_size(x))
        return from_opaque(q, x);
    isl_pw_aff *a = from_index(q, x->ops[0]);
    if (ix_op_of(x) == IX_OP_FLOOR_DIVIDE) {
        isl_val *c = isl_val_int_from_si(q->isl, (long)x->ops[1]->attr[0]);
        return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, c));
    }
    isl_pw_aff *b = from_index(q, x->ops[1]);
    return ix_op_of(x) == IX_OP_MINIMUM ? isl_pw_aff_min(a, b)
                                        : isl_pw_aff_max(a, b);
}

/* Index arithmetic in normal form; NULL when a part is unknown. */
static isl_pw_aff *
from_index(question *q, const ilex_array *x)
{
    switch (x->kind) {
    case IX_CONST:
        return number(q, x->attr[0]);
    case IX_SIZE:
        return size(q, x->attr[0]);
    case IX_INDEX:
        return x->attr[0] < q->nindex
                   ? dimension(q, q->nparam + (int)x->attr[0])
                   : NULL;
    case IX_RINDEX: {
        int pos = reduce_position(q, x->attr[0]);
        return pos >= 0 ? dimension(q, pos) : NULL;
    }
    case IX_LINEAR: {
        isl_pw_aff *sum = number(q, x->attr[0]);
        for (int i = 0; i < x->nops; i++)
            sum = add_scaled(q, sum, x->attr[i + 1], from_index(q, x->ops[i]));
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
from_condition(question *q, const ilex_array *n, bool holds)
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
    isl_set *set =
        compare(op, from_index(q, n->ops[0]), from_index(q, n->ops[1]));
    return holds ? set : isl_set_complement(set);
}

/* ---- sets ---- */

/* set and lo <= dimension < hi */
static isl_set *
restrict_range(question *q, isl_set *set, int pos, const ix_axis *ax)
{
    set = isl_set_intersect(
        set, isl_pw_aff_ge_set(dimension(q, pos), from_lin(q, ax->lo)));
    return isl_set_intersect(
        set, isl_pw_aff_lt_set(dimension(q, pos), from_lin(q, ax->hi)));
}

static isl_set *
restrict_divisible(question *q, isl_set *set, const ix_assumption *a)
{
    isl_val *m = isl_val_int_from_si(q->isl, (long)a->modulus);
    isl_pw_aff *rest = isl_pw_aff_mod_val(from_lin(q, a->form), m);
    return isl_set_intersect(set, isl_pw_aff_eq_set(rest, number(q, 0)));
}

/* Is it an inequality about the question's sizes? */
static bool
is_inequality(const question *q, const ix_assumption *a)
{
    return a->modulus == 0 && ix_relevant_assumption(&q->relevant, a);
}

/* Row "row" of the inequalities: form >= 0. */
static isl_mat *
put_row(question *q, isl_mat *m, int row, const ix_lin *form)
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

/* Writes what is known of products that matter from "row" on, if there is a
 * matrix; how many rows that is. */
static int
product_facts(question *q, isl_mat **m, int row)
{
    const ix_lin *fact;
    int count = 0;
    for (size_t p = 0; p < q->ctx->nparams; p++) {
        int degree = q->ctx->param[p].degree;
        for (int i = 0; degree > 1 && q->relevant.at[p] >= 0 && i < degree; i++)
            if (ix_product_fact(q->ctx, (int32_t)p, i, &fact)) {
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
inequalities(question *q, int dimensions)
{
    const ix_env *facts = q->ctx->facts;
    int rows = q->nparam + product_facts(q, NULL, 0);
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
    int row = q->nparam + product_facts(q, &m, q->nparam);
    for (int32_t i = 0; i < ix_env_count(facts); i++)
        if (is_inequality(q, facts->item[i]))
            m = put_row(q, m, row++, facts->item[i]->form);
    return m;
}

/* set and size "p" is the least, or the largest, of its arms */
static isl_set *
restrict_extremum(question *q, isl_set *set, size_t p)
{
    const ix_param *own = &q->ctx->param[p];
    isl_pw_aff *value = from_lin(q, own->arm[0]);
    for (int i = 1; i < own->narms; i++) {
        isl_pw_aff *arm = from_lin(q, own->arm[i]);
        value = own->largest ? isl_pw_aff_max(value, arm)
                             : isl_pw_aff_min(value, arm);
    }
    return isl_set_intersect(set,
                             isl_pw_aff_eq_set(size(q, (int64_t)p), value));
}

/* Sizes that satisfy the assumptions, all indices free. */
static isl_set *
assumed(question *q)
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
restrict_opaque(question *q, isl_set *set, int pos, const ix_bounds *b)
{
    for (int i = 0; i < b->nlo; i++)
        set = isl_set_intersect(
            set, isl_pw_aff_ge_set(dimension(q, pos), from_lin(q, b->lo[i])));
    for (int i = 0; i < b->nhi; i++)
        set = isl_set_intersect(
            set, isl_pw_aff_le_set(dimension(q, pos), from_lin(q, b->hi[i])));
    return set;
}

/* Every point of the frame's ranges. */
static isl_set *
frame_points(question *q)
{
    isl_set *set = assumed(q);
    for (int k = 0; k < q->nindex; k++)
        set = restrict_range(q, set, q->nparam + k, &q->frame->box->ax[k]);
    int pos = q->nparam + q->nindex;
    for (int i = 0; i < q->frame->nreduce; i++)
        for (int k = 0; k < q->frame->reduce[i]->interior->rank; k++)
            set = restrict_range(q, set, pos++,
                                 &q->frame->reduce[i]->interior->ax[k]);
    for (int i = 0; i < q->nopaque; i++)
        set = restrict_opaque(q, set, pos++, &q->opaque[i].bounds);
    return set;
}

/* Pieces of a set from which on isl tries to join some. */
enum { MANY_PIECES = 4 };

/* What the guards leave of "set". Innermost first, which most often leaves
 * nothing soon: a chain of guards then costs one step, not its length. */
static isl_set *
guarded(question *q, isl_set *set)
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

static const ix_frame empty_frame;

/* Notes what is opaque in index arithmetic or a condition, and its bounds. */
static void
note_opaque(question *q, const ilex_array *x)
{
    if (x->dtype == ILEX_BOOL && !(x->flags & IX_HAS_CONDITION))
        return;
    if (!ix_index_is_by_size(x)) {
        for (int i = 0; i < x->nops; i++)
            note_opaque(q, x->ops[i]);
    } else if (opaque_place(q, x) < 0 && q->nopaque < MAX_OPAQUE) {
        opaque *o = &q->opaque[q->nopaque++];
        *o = (opaque){.atom = x};
        ix_by_size_bounds(q->ctx, q->frame, x, &o->bounds);
    }
}

static void
relevant_bounds(ix_relevant *r, const ix_bounds *b)
{
    for (int k = 0; k < b->nlo; k++)
        ix_relevant_lin(r, b->lo[k]);
    for (int k = 0; k < b->nhi; k++)
        ix_relevant_lin(r, b->hi[k]);
}

/* Opens a question about index "e", if there is one, over "frame"; false when
 * there is no isl or no memory. The sizes of more expressions may be added to
 * "relevant". */
static bool
ask(question *q, ilex_context *ctx, const ix_frame *frame, const ilex_array *e)
{
    *q = (question){.ctx = ctx, .frame = frame ? frame : &empty_frame};
    frame = q->frame;
    if (e)
        note_opaque(q, e);
    for (int i = 0; i < frame->nguard; i++)
        note_opaque(q, frame->guard[i].condition);
    q->isl = ix_isl_of(ctx);
    if (!q->isl || !ix_relevant_open(&q->relevant, ctx))
        return false;
    for (int i = 0; i < q->nopaque; i++)
        relevant_bounds(&q->relevant, &q->opaque[i].bounds);
    ix_relevant_frame(&q->relevant, q->frame);
    return true;
}

/* Fixes the sizes and the space. */
static void
settle(question *q)
{
    ix_relevant_close(&q->relevant);
    q->nparam = q->relevant.count;
    q->nindex = q->frame->box ? q->frame->box->rank : 0;
    for (int i = 0; i < q->frame->nreduce; i++)
        q->nreduce += q->frame->reduce[i]->interior->rank;
    q->space = isl_space_set_alloc(
        q->isl, 0, (unsigned)(q->nparam + q->nindex + q->nreduce + q->nopaque));
}

static int64_t
coordinate(isl_point *point, int pos)
{
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, pos);
    int64_t r = v ? isl_val_get_num_si(v) : 0;
    isl_val_free(v);
    return r;
}

/* Reads a violating point, the first one or, with a quota of its own, any;
 * false if isl finds none within it. Takes "bad" and "e". */
static bool
take_sample(question *q, isl_set *bad, isl_pw_aff *e, ix_sample *sample)
{
    *sample = (ix_sample){0};
    isl_set *first = isl_set_lexmin(isl_set_copy(bad));
    if (!first) {
        note_memory(q);
        ix_isl_renew_quota(q->ctx);
    }
    isl_point *point = isl_set_sample_point(first ? first : isl_set_copy(bad));
    isl_set_free(bad);
    int total = q->nindex + q->nreduce;
    sample->nindex = total < IX_SAMPLE_INDICES ? total : IX_SAMPLE_INDICES;
    for (size_t p = 0; point && p < q->ctx->nparams; p++)
        if (q->relevant.at[p] >= 0 && sample->nsizes < IX_SAMPLE_SIZES)
            sample->size[sample->nsizes++] = (ix_sample_size){
                (int32_t)p, coordinate(point, q->relevant.at[p])};
    for (int k = 0; point && k < sample->nindex; k++)
        sample->index[k] = coordinate(point, q->nparam + k);
    isl_val *at = isl_pw_aff_eval(e, point);
    sample->at = at ? isl_val_get_num_si(at) : 0;
    isl_val_free(at);
    return at != NULL;
}

/* Answers whether "bad" is empty. Takes it and "e", which the sample evaluates.
 */
static void
conclude(question *q, isl_set *bad, isl_pw_aff *e)
{
    isl_bool empty = isl_set_is_empty(bad);
    if (empty == isl_bool_false && q->sample) {
        if (!take_sample(q, bad, e, q->sample))
            empty = isl_bool_error;
    } else {
        isl_set_free(bad);
        isl_pw_aff_free(e);
    }
    isl_space_free(q->space);
    q->failed = empty == isl_bool_error;
    q->answer = empty == isl_bool_true    ? IX_YES
                : empty == isl_bool_false ? IX_NO
                                          : IX_UNKNOWN;
}

/* ---- questions ---- */

static void
answer_nonneg(void *arg)
{
    question *q = arg;
    settle(q);
    isl_set *bad = isl_set_intersect(
        assumed(q), isl_pw_aff_lt_set(from_lin(q, q->lo), number(q, 0)));
    conclude(q, bad, NULL);
}

ix_tri
ix_affine_nonneg(ilex_context *ctx, const ix_lin *a)
{
    question q;
    if (!ask(&q, ctx, NULL, NULL))
        return IX_UNKNOWN;
    ix_relevant_lin(&q.relevant, a);
    q.lo = a;
    return enter(&q, answer_nonneg);
}

static void
answer_within(void *arg)
{
    question *q = arg;
    settle(q);
    isl_pw_aff *at = from_index(q, q->e);
    isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(at), from_lin(q, q->lo));
    isl_set *above = isl_pw_aff_ge_set(isl_pw_aff_copy(at), from_lin(q, q->hi));
    isl_set *bad =
        isl_set_intersect(frame_points(q), isl_set_union(below, above));
    conclude(q, guarded(q, bad), at);
}

ix_tri
ix_affine_within(ilex_context *ctx, const ix_frame *frame, const ilex_array *e,
                 const ix_lin *lo, const ix_lin *hi, ix_sample *sample)
{
    question q;
    if (!ask(&q, ctx, frame, e))
        return IX_UNKNOWN;
    ix_relevant_index(&q.relevant, e);
    ix_relevant_lin(&q.relevant, lo);
    ix_relevant_lin(&q.relevant, hi);
    q.e = e;
    q.lo = lo;
    q.hi = hi;
    q.sample = sample;
    bool by_size = q.nopaque > 0 || ix_affine_is_opaque(ctx, e, lo, hi);
    ix_tri r = enter(&q, answer_within);
    return r == IX_NO && by_size && !ix_sample_is_real(ctx, e, sample)
               ? IX_UNKNOWN
               : r;
}

static void
answer_possible(void *arg)
{
    question *q = arg;
    settle(q);
    conclude(q, assumed(q), NULL);
}

ix_tri
ix_affine_facts_possible(ilex_context *ctx, const ix_env *known)
{
    question q;
    if (!ask(&q, ctx, NULL, NULL))
        return IX_UNKNOWN;
    for (int32_t i = 0; i < ix_env_count(ctx->facts); i++)
        if (!ix_env_has(known, ctx->facts->item[i]))
            ix_relevant_lin(&q.relevant, ctx->facts->item[i]->form);
    ix_tri none = enter(&q, answer_possible);
    return none == IX_YES ? IX_NO : none == IX_NO ? IX_YES : IX_UNKNOWN;
}
