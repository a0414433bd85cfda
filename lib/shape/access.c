/* SPDX-License-Identifier: MIT
 *
 * Where index expressions go: interval algebra over linear forms, and the
 * proof that every access of a body is inside its operand's domain.
 */
#include "lib/shape/access.h"

#include "lib/base/stack.h"
#include "lib/shape/refute.h"
#include "lib/shape/relevant.h"

/* ---- intervals ---- */

static void
range_bounds(ilex_context *ctx, const ix_axis *ax, ix_bounds *b)
{
    ix_bounds_lo(b, ax->lo);
    ix_bounds_hi(b, ix_lin_try_offset(ctx, ax->hi, -1));
}

/* A range that is computed: where it begins at least, and ends at most. */
static void
computed_bounds(ilex_context *ctx, const ix_frame *frame, int reduce,
                ix_bounds *b)
{
    const ilex_array *n = frame->reduce[reduce];
    ix_frame around = *frame;
    ix_bounds lo, hi;
    around.nreduce = reduce;
    ix_index_bounds(ctx, &around, n->ops[1], &lo);
    ix_index_bounds(ctx, &around, n->ops[2], &hi);
    for (int i = 0; i < lo.nlo; i++)
        ix_bounds_lo(b, lo.lo[i]);
    for (int i = 0; i < hi.nhi; i++)
        ix_bounds_hi(b, hi.hi[i] ? ix_lin_try_offset(ctx, hi.hi[i], -1) : NULL);
}

static void
rindex_bounds(ilex_context *ctx, const ix_frame *frame, int64_t r, ix_bounds *b)
{
    for (int i = frame->nreduce - 1; i >= 0; i--) {
        const ilex_array *n = frame->reduce[i];
        if (r >= n->attr[1] && r < n->attr[1] + n->interior->rank) {
            range_bounds(ctx, &n->interior->ax[r - n->attr[1]], b);
            if (ix_is_ranged(n))
                computed_bounds(ctx, frame, i, b);
            return;
        }
    }
}

/* floor(a / c) as a linear form, when there is "a" and every coefficient allows
 * it. */
static const ix_lin *
floor_lin(ilex_context *ctx, const ix_lin *a, int64_t c)
{
    if (!a)
        return NULL;
    const ix_lin *r = ix_lin_const(ctx, ix_floordiv(a->c, c));
    for (int32_t i = 0; i < a->n; i++) {
        if (a->t[i].k % c)
            return NULL;
        r = ix_lin_try_fma(ctx, r, a->t[i].k / c,
                           ix_lin_param(ctx, a->t[i].param));
    }
    return r;
}

static void
floordiv_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                ix_bounds *b)
{
    ix_bounds a;
    ix_index_bounds(ctx, frame, x->ops[0], &a);
    int64_t c = x->ops[1]->attr[0];
    for (int i = 0; i < a.nlo; i++)
        ix_bounds_lo(b, floor_lin(ctx, a.lo[i], c));
    for (int i = 0; i < a.nhi; i++)
        ix_bounds_hi(b, floor_lin(ctx, a.hi[i], c));
}

/* min: any upper bound of either is one; a lower bound must be one of both. */
static void
extremum_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                ix_bounds *b)
{
    ix_bounds p, q;
    ix_index_bounds(ctx, frame, x->ops[0], &p);
    ix_index_bounds(ctx, frame, x->ops[1], &q);
    bool is_min = ix_op_of(x) == IX_OP_MINIMUM;
    const ix_bounds *both[2] = {&p, &q};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; is_min && i < both[s]->nhi; i++)
            ix_bounds_hi(b, both[s]->hi[i]);
        for (int i = 0; !is_min && i < both[s]->nlo; i++)
            ix_bounds_lo(b, both[s]->lo[i]);
    }
    if (is_min && p.nlo && q.nlo)
        ix_bounds_lo(b, ix_lin_min(ctx, p.lo[0], q.lo[0]));
    if (!is_min && p.nhi && q.nhi)
        ix_bounds_hi(b, ix_lin_max(ctx, p.hi[0], q.hi[0]));
}

static void
atom_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
            ix_bounds *b)
{
    b->nlo = b->nhi = 0;
    if (x->kind == IX_INDEX && frame->box && x->attr[0] < frame->box->rank) {
        range_bounds(ctx, &frame->box->ax[x->attr[0]], b);
    } else if (x->kind == IX_RINDEX) {
        rindex_bounds(ctx, frame, x->attr[0], b);
    } else if (x->kind == IX_SIZE) {
        const ix_lin *a = ix_lin_param(ctx, (int32_t)x->attr[0]);
        ix_bounds_lo(b, a);
        ix_bounds_hi(b, a);
    } else if (x->kind == IX_CHECKED) {
        ix_bounds_lo(b, ix_index_to_lin(ctx, x->ops[1]));
        ix_bounds_hi(
            b, ix_lin_try_offset(ctx, ix_index_to_lin(ctx, x->ops[2]), -1));
    } else if (x->kind == IX_OP) {
        if (ix_index_is_by_size(x))
            ix_by_size_bounds(ctx, frame, x, b);
        else if (ix_op_of(x) == IX_OP_FLOOR_DIVIDE)
            floordiv_bounds(ctx, frame, x, b);
        else
            extremum_bounds(ctx, frame, x, b);
    }
    ix_guarded_bounds(ctx, frame, x, b);
}

/* sum += k * (bounds of an atom): the first candidate of each side, except
 * that a lone atom keeps all. */
static void
add_term_bounds(ilex_context *ctx, ix_bounds *sum, int64_t k,
                const ix_bounds *a)
{
    const ix_bounds s = *sum;
    sum->nlo = sum->nhi = 0;
    int nlo = k > 0 ? a->nlo : a->nhi, nhi = k > 0 ? a->nhi : a->nlo;
    const ix_lin *const *lo = k > 0 ? a->lo : a->hi;
    const ix_lin *const *hi = k > 0 ? a->hi : a->lo;
    for (int i = 0; i < s.nlo; i++)
        for (int j = 0; j < nlo; j++)
            ix_bounds_lo(sum, ix_lin_try_fma(ctx, s.lo[i], k, lo[j]));
    for (int i = 0; i < s.nhi; i++)
        for (int j = 0; j < nhi; j++)
            ix_bounds_hi(sum, ix_lin_try_fma(ctx, s.hi[i], k, hi[j]));
}

/* Rewrites k*floor(y/c) with c | k as m*(y - y mod c): the remainder has
 * known bounds, and the rest often cancels. */
static void
take_remainders(ilex_context *ctx, ix_index_form *f, ix_bounds *sum)
{
    for (int i = 0; i < f->n; i++) {
        const ilex_array *q = f->t[i].atom;
        if (!ix_index_is_quotient(q))
            continue;
        int64_t c = q->ops[1]->attr[0], m = f->t[i].k / c;
        if (f->t[i].k % c || c >= IX_UNBOUNDED)
            continue;
        ix_index_form rest = *f, y;
        rest.n--;
        memmove(rest.t + i, rest.t + i + 1,
                (size_t)(rest.n - i) * sizeof *rest.t);
        ix_index_form_of(q->ops[0], &y);
        if (!ix_index_form_add(&rest, m, &y) || rest.n >= f->n)
            continue;
        *f = rest;
        ix_bounds mod = {.nlo = 1, .nhi = 1};
        mod.lo[0] = ix_lin_const(ctx, 0);
        mod.hi[0] = ix_lin_const(ctx, c - 1);
        add_term_bounds(ctx, sum, -m, &mod);
        i = -1;
    }
}

static void
index_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
             ix_bounds *b)
{
    b->nlo = b->nhi = 0;
    if (x->kind != IX_CONST && x->kind != IX_LINEAR) {
        atom_bounds(ctx, frame, x, b);
        return;
    }
    ix_index_form f;
    ix_index_form_of(x, &f);
    ix_bounds_lo(b, ix_lin_const(ctx, 0));
    ix_bounds_hi(b, ix_lin_const(ctx, 0));
    take_remainders(ctx, &f, b);
    for (int i = 0; i < f.n; i++) {
        ix_bounds a;
        atom_bounds(ctx, frame, f.t[i].atom, &a);
        add_term_bounds(ctx, b, f.t[i].k, &a);
    }
    for (int i = 0; i < b->nlo; i++)
        b->lo[i] = ix_lin_try_offset(ctx, b->lo[i], f.c);
    for (int i = 0; i < b->nhi; i++)
        b->hi[i] = ix_lin_try_offset(ctx, b->hi[i], f.c);
    ix_guarded_bounds(ctx, frame, x, b);
}

typedef struct bounds_query {
    ilex_context *ctx;
    const ix_frame *frame;
    const ilex_array *x;
    ix_bounds *b;
} bounds_query;

static void
find_bounds(void *arg)
{
    const bounds_query *q = arg;
    index_bounds(q->ctx, q->frame, q->x, q->b);
}

void
ix_index_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                ix_bounds *b)
{
    bounds_query q = {ctx, frame, x, b};
    if (x->depth > IX_SHALLOW)
        ix_on_stack(find_bounds, &q);
    else
        find_bounds(&q);
}

/* ---- proofs ---- */

static bool
shown(ilex_context *ctx, const ix_lin *a)
{
    return a && ix_lin_nonneg_fast(ctx, a);
}

/* Is x >= end, or x < end with "upper", by its bounds? Before an end that is
 * the least of several it is before each, maybe by another bound; so up to
 * "most" times. */
enum { SPLITS = 3 };
static bool
is_beside(ilex_context *ctx, const ix_bounds *b, const ix_lin *end, bool upper,
          int most)
{
    const int32_t i = end ? ix_lin_find_extremum(ctx, end) : -1;
    bool split =
        most > 0 && i >= 0 && ix_term_is_least(ctx, &end->t[i]) == upper;
    bool yes = end && end->n == 0 &&
               (upper ? end->c >= IX_UNBOUNDED : end->c <= -IX_UNBOUNDED);
    for (int k = 0; end && !yes && k < (upper ? b->nhi : b->nlo); k++)
        yes = upper
                  ? shown(ctx,
                          ix_lin_try_offset(
                              ctx, ix_lin_try_fma(ctx, end, -1, b->hi[k]), -1))
                  : shown(ctx, ix_lin_try_fma(ctx, b->lo[k], -1, end));
    if (yes || !split)
        return yes;
    int arms = ctx->param[end->t[i].param].narms, arm = 0;
    while (arm < arms && is_beside(ctx, b, ix_lin_with_arm(ctx, end, i, arm),
                                   upper, most - 1))
        arm++;
    return arm == arms;
}

/* By interval algebra alone. */
static bool
within_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
              const ix_lin *lo, const ix_lin *hi)
{
    ix_bounds b;
    ix_index_bounds(ctx, frame, x, &b);
    return is_beside(ctx, &b, lo, false, SPLITS) &&
           is_beside(ctx, &b, hi, true, SPLITS);
}

/* lo <= x < hi over a frame; "sample" may be NULL. */
typedef struct within {
    ilex_context *ctx;
    const ix_frame *frame;
    const ilex_array *x;
    const ix_lin *lo, *hi;
    ix_sample *sample;
    ix_tri answer;
} within;

static void
within_sizes(ix_relevant *r, const void *question)
{
    const within *w = question;
    ix_relevant_frame(r, w->frame);
    ix_relevant_index(r, w->x);
    ix_relevant_lin(r, w->lo);
    ix_relevant_lin(r, w->hi);
}

static bool
within_refuted(ilex_context *ctx, const int64_t *size, const void *question)
{
    const within *w = question;
    (void)ctx;
    return ix_refutes_within(w->frame, w->x, w->lo, w->hi, size);
}

static ix_tri ask_within(ilex_context *ctx, void *user);

static ix_question
question_of(within *w)
{
    return (ix_question){ask_within, within_sizes, within_refuted, w};
}

/* Under the facts. */
static ix_tri
ask_within(ilex_context *ctx, void *user)
{
    within *w = user;
    if (within_bounds(ctx, w->frame, w->x, w->lo, w->hi))
        return IX_YES;
    if (ctx->error.code == ILEX_E_MEMORY)
        return IX_UNKNOWN;
    const ix_question self = question_of(w);
    if (!w->sample && ix_is_refuted(ctx, &self, ctx->facts))
        return IX_NO;
    ix_frame_sizes sizes;
    ix_frame_enter(ctx, w->frame, &sizes);
    bool shown =
        sizes.n > 0 && within_bounds(ctx, w->frame, w->x, w->lo, w->hi);
    ix_tri r =
        shown ? IX_YES
              : ix_affine_within(ctx, w->frame, w->x, w->lo, w->hi, w->sample);
    ix_frame_leave(ctx, &sizes);
    return r;
}

static void
prove_within(void *arg)
{
    within *w = arg;
    const ix_env *need;
    const ix_question question = question_of(w);
    w->answer = ix_prove(w->ctx, &question, &need);
    if (w->answer == IX_YES)
        ix_proven_add(w->ctx, w->frame, w->x, w->lo, w->hi, need);
}

ix_tri
ix_access_within(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                 const ix_lin *lo, const ix_lin *hi, ix_sample *sample)
{
    within w = {ctx, frame, x, lo, hi, sample, IX_UNKNOWN};
    if (!lo || !hi)
        return IX_UNKNOWN;
    if (x->kind == IX_CHECKED) /* a run sees to it */
        return IX_YES;
    if (ix_proven_find(ctx, frame, x, lo, hi))
        return IX_YES;
    int depth = x->depth;
    for (int i = 0; i < frame->nguard; i++)
        if (frame->guard[i].condition->depth > depth)
            depth = frame->guard[i].condition->depth;
    if (depth > IX_SHALLOW)
        ix_on_stack(prove_within, &w);
    else
        prove_within(&w);
    return w.answer;
}

bool
ix_access_is_within(ilex_context *ctx, const ix_frame *frame,
                    const ilex_array *x, const ix_lin *lo, const ix_lin *hi)
{
    return ix_access_within(ctx, frame, x, lo, hi, NULL) == IX_YES;
}

/* ---- conditions ---- */

static ix_tri
opposite(ix_tri a)
{
    return a == IX_UNKNOWN ? a : a == IX_YES ? IX_NO : IX_YES;
}

/* a and b */
static ix_tri
both(ix_tri a, ix_tri b)
{
    if (a == IX_NO || b == IX_NO)
        return IX_NO;
    return a == IX_YES ? b : IX_UNKNOWN;
}

/* a <= b everywhere, or a > b everywhere? */
static ix_tri
at_most(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    if (ix_lin_le(ctx, a, b) == IX_YES)
        return IX_YES;
    return ix_lin_le(ctx, ix_lin_try_offset(ctx, b, 1), a) == IX_YES
               ? IX_NO
               : IX_UNKNOWN;
}

static ix_tri
comparison_known(ilex_context *ctx, const ilex_array *n)
{
    const ix_lin *a = ix_index_to_lin(ctx, n->ops[0]),
                 *b = ix_index_to_lin(ctx, n->ops[1]);
    if (!a || !b)
        return IX_UNKNOWN;
    switch (ix_op_of(n)) {
    case IX_OP_LESS_EQUAL:
        return at_most(ctx, a, b);
    case IX_OP_GREATER_EQUAL:
        return at_most(ctx, b, a);
    case IX_OP_LESS:
        return opposite(at_most(ctx, b, a));
    case IX_OP_GREATER:
        return opposite(at_most(ctx, a, b));
    case IX_OP_EQUAL:
        return both(at_most(ctx, a, b), at_most(ctx, b, a));
    default:
        return opposite(both(at_most(ctx, a, b), at_most(ctx, b, a)));
    }
}

static ix_tri
condition_known(ilex_context *ctx, const ilex_array *n)
{
    if (n->kind == IX_CONST)
        return ix_const_value(n).i ? IX_YES : IX_NO;
    ix_op op = ix_op_of(n);
    if (ix_loop_of(n) != ILEX_BOOL)
        return comparison_known(ctx, n);
    ix_tri a = condition_known(ctx, n->ops[0]);
    if (op == IX_OP_LOGICAL_NOT)
        return opposite(a);
    ix_tri b = condition_known(ctx, n->ops[1]);
    return op == IX_OP_LOGICAL_AND ? both(a, b)
                                   : opposite(both(opposite(a), opposite(b)));
}

typedef struct condition_query {
    ilex_context *ctx;
    const ilex_array *n;
    ix_tri answer;
} condition_query;

static void
ask_condition(void *arg)
{
    condition_query *q = arg;
    q->answer = condition_known(q->ctx, q->n);
}

ix_tri
ix_condition_known(ilex_context *ctx, const ilex_array *n)
{
    condition_query q = {ctx, n, IX_UNKNOWN};
    if (n->depth > IX_SHALLOW)
        ix_on_stack(ask_condition, &q);
    else
        ask_condition(&q);
    return q.answer;
}

/* ---- bodies ---- */

typedef struct checker {
    const char *name;
    ilex_array *const *operands;
} checker;

/* Why index "k" of "load" is none that can be proved inside. */
static void
refuse_index(ix_walk *w, const ilex_array *load, int k)
{
    const checker *c = w->user;
    const ix_node_name operand = ix_access_name(c->operands[load->attr[0]]);
    if (ix_index_is_outsized(load->ops[k]))
        ix_fail(&w->ctx->error, ILEX_E_LIMIT,
                "%s: index %d of %s is longer than %d terms written out, or "
                "has a number beyond 2^40; put a map in between that reads "
                "at a part of it",
                c->name, k, operand.s, (int)IX_INDEX_WEIGHT);
    else
        ix_fail(&w->ctx->error, ILEX_E_UNSUPPORTED,
                "%s: index %d of %s is not affine in the indices and sizes",
                c->name, k, operand.s);
}

/* Is index "k" of "load" inside its operand, in the frame of the walk? */
static bool
check_axis(ix_walk *w, const ilex_array *load, int k)
{
    const checker *c = w->user;
    ilex_context *ctx = w->ctx;
    const ilex_array *operand = c->operands[load->attr[0]];
    const ix_axis *ax = &operand->valid->ax[k];
    if (load->ops[k]->kind == IX_CHECKED)
        return true;
    if (!ix_index_is_affine(load->ops[k])) {
        refuse_index(w, load, k);
        return false;
    }
    ix_sample sample = {0};
    ix_tri ok =
        ix_access_within(ctx, &w->frame, load->ops[k], ax->lo, ax->hi, &sample);
    if (ok == IX_NO)
        ix_access_report(ctx, c->name, NULL, operand, k, load->ops[k],
                         w->frame.box, &sample);
    if (ok == IX_UNKNOWN &&
        ix_affine_is_opaque(ctx, load->ops[k], ax->lo, ax->hi))
        ix_fail(&ctx->error, ILEX_E_UNDECIDED,
                "%s: whether index %d of %s stays inside [%s, %s) is not "
                "shown: of products of sizes little more is known than their "
                "factors' least values; assume what is missing, for example "
                "n >= 1",
                c->name, k, ix_access_name(operand).s,
                ix_lin_show(ctx, ax->lo).s, ix_lin_show(ctx, ax->hi).s);
    else if (ok == IX_UNKNOWN)
        ix_fail(&ctx->error, ILEX_E_LIMIT,
                "%s: whether index %d of %s stays inside [%s, %s) is more "
                "than isl decides within its quota (option quota, %lld "
                "operations; quota=1000000 is more)",
                c->name, k, ix_access_name(operand).s,
                ix_lin_show(ctx, ax->lo).s, ix_lin_show(ctx, ax->hi).s,
                (long long)ix_option_int(ctx, IX_OPTION_quota));
    return ok == IX_YES;
}

static ix_walk_step
check_load(ix_walk *w, ilex_array *n, size_t *value)
{
    (void)value;
    for (int k = 0; n->kind == IX_LOAD && k < n->nops; k++)
        if (!check_axis(w, n, k))
            return IX_WALK_END;
    return IX_WALK_IN;
}

bool
ix_access_check_body(ilex_context *ctx, const char *name, const ix_domain *box,
                     const ilex_array *body, ilex_array *const *operands)
{
    checker c = {name, operands};
    ix_walk w = {.ctx = ctx,
                 .frames = IX_WALK_REDUCTIONS | IX_WALK_GUARDS,
                 .within = IX_HAS_LOAD,
                 .frame.box = box,
                 .enter = check_load,
                 .user = &c};
    bool ok = ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    return ok;
}
