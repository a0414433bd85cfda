/* SPDX-License-Identifier: MIT */
#include "lib/shape/refute.h"

#include "lib/shape/relevant.h"

/* ---- index arithmetic at a point ---- */

enum { MOST_INDICES = 2 * ILEX_MAX_RANK };

typedef struct point {
    const ix_frame *frame;
    const int64_t *size;
    int64_t index[MOST_INDICES]; /* _k, then those of reductions */
} point;

int
ix_reduced_place(const ix_frame *frame, int64_t r)
{
    int place = frame->box ? frame->box->rank : 0;
    for (int i = 0; i < frame->nreduce; i++) {
        const ilex_array *n = frame->reduce[i];
        if (r >= n->attr[1] && r < n->attr[1] + n->interior->rank)
            return place + (int)(r - n->attr[1]);
        place += n->interior->rank;
    }
    return -1;
}

static bool index_at(const point *p, const ilex_array *x, int64_t *v);

static bool
sum_at(const point *p, const ilex_array *x, int64_t *v)
{
    bool ok = true;
    *v = x->attr[0];
    for (int i = 0; ok && i < x->nops; i++) {
        int64_t term;
        ok = index_at(p, x->ops[i], &term) &&
             ix_mul(term, x->attr[i + 1], &term) && ix_add(*v, term, v);
    }
    return ok;
}

static bool
op_at(const point *p, const ilex_array *x, int64_t *v)
{
    int64_t a, b;
    if (!index_at(p, x->ops[0], &a) || !index_at(p, x->ops[1], &b))
        return false;
    switch ((int)ix_op_of(x)) {
    case IX_OP_FLOOR_DIVIDE:
        *v = b ? ix_floordiv(a, b) : 0;
        return b != 0;
    case IX_OP_MINIMUM:
        *v = a < b ? a : b;
        return true;
    case IX_OP_MAXIMUM:
        *v = a > b ? a : b;
        return true;
    default:
        return false;
    }
}

/* The value at a point; false if it is not known. */
static bool
index_at(const point *p, const ilex_array *x, int64_t *v)
{
    int place = -1;
    switch (x->kind) {
    case IX_CONST:
        *v = x->attr[0];
        return true;
    case IX_SIZE:
        *v = p->size[x->attr[0]];
        return true;
    case IX_LINEAR:
        return sum_at(p, x, v);
    case IX_OP:
        return op_at(p, x, v);
    case IX_INDEX:
        place = p->frame->box && x->attr[0] < p->frame->box->rank
                    ? (int)x->attr[0]
                    : -1;
        break;
    case IX_RINDEX:
        place = ix_reduced_place(p->frame, x->attr[0]);
        break;
    default:
        break;
    }
    *v = place >= 0 ? p->index[place] : 0;
    return place >= 0;
}

/* ---- corners ---- */

/* Puts the indices of a box at an end each, the lower one where "low" has a
 * bit; false if the box is empty. */
static bool
put_box(point *p, const ix_domain *box, unsigned low, int *place)
{
    for (int k = 0; k < box->rank; k++, (*place)++) {
        int64_t lo, hi;
        if (*place == MOST_INDICES ||
            !ix_lin_eval(box->ax[k].lo, p->size, &lo) ||
            !ix_lin_eval(box->ax[k].hi, p->size, &hi) || lo >= hi)
            return false;
        p->index[*place] = low >> *place % 2 & 1 ? lo : hi - 1;
    }
    return true;
}

/* Brings the index of a range that is computed, the last one that was put, into
 * it; false if the range is empty, or not known. */
static bool
bring_in(point *p, const ilex_array *n, int place)
{
    int64_t lo, hi, *at = &p->index[place - 1];
    if (!index_at(p, n->ops[1], &lo) || !index_at(p, n->ops[2], &hi))
        return false;
    *at = *at < lo ? lo : *at < hi ? *at : hi - 1;
    return lo < hi;
}

bool
ix_refutes_within(const ix_frame *frame, const ilex_array *x, const ix_lin *lo,
                  const ix_lin *hi, const int64_t *size)
{
    int64_t first, last, v;
    point p = {.frame = frame, .size = size};
    if (frame->nguard || !ix_lin_eval(lo, size, &first) ||
        !ix_lin_eval(hi, size, &last))
        return false;
    for (unsigned low = 0; low < 4; low++) {
        int place = 0;
        bool inside = !frame->box || put_box(&p, frame->box, low, &place);
        for (int i = 0; inside && i < frame->nreduce; i++)
            inside = put_box(&p, frame->reduce[i]->interior, low, &place) &&
                     (!ix_is_ranged(frame->reduce[i]) ||
                      bring_in(&p, frame->reduce[i], place));
        if (inside && index_at(&p, x, &v) && (v < first || v >= last))
            return true;
    }
    return false;
}

/* ---- sizes ---- */

static bool
satisfies(const ix_env *e, const int64_t *size)
{
    bool holds = true;
    for (int32_t i = 0; holds && i < ix_env_count(e); i++) {
        int64_t v;
        const ix_assumption *a = e->item[i];
        holds = ix_lin_eval(a->form, size, &v) &&
                (a->modulus ? ix_floormod(v, a->modulus) == 0 : v >= 0);
    }
    return holds;
}

/* Gives what is computed from sizes its value. */
static bool
put_derived(const ilex_context *ctx, int64_t *size)
{
    bool fits = true;
    for (size_t p = 0; fits && p < ctx->nparams; p++)
        if (ix_param_is_derived(ctx, (int32_t)p))
            fits = ix_param_value(ctx, (int32_t)p, size, &size[p]);
    return fits;
}

static bool
try_sizes(ilex_context *ctx, const ix_question *q, const ix_env *facts,
          int64_t *size)
{
    return put_derived(ctx, size) && satisfies(facts, size) &&
           q->refutes(ctx, size, q->user);
}

/* All sizes as small as facts and "least" allow, then one of the question's
 * larger than that. */
static bool
try_around(ilex_context *ctx, const ix_question *q, const ix_env *facts,
           const ix_relevant *r, int64_t least, int64_t *size)
{
    for (size_t p = 0; p < ctx->nparams; p++) {
        ix_size_range range = ix_env_range(facts, (int32_t)p);
        int64_t low =
            range.low > ctx->param[p].floor ? range.low : ctx->param[p].floor;
        size[p] = low > least ? low : least < range.high ? least : range.high;
    }
    bool refuted = try_sizes(ctx, q, facts, size);
    for (size_t p = 0; !refuted && p < ctx->nparams; p++) {
        if (r->at[p] < 0)
            continue;
        int64_t before = size[p];
        size[p] += 7;
        refuted = try_sizes(ctx, q, facts, size);
        size[p] = before;
    }
    return refuted;
}

bool
ix_is_refuted(ilex_context *ctx, const ix_question *q, const ix_env *facts)
{
    static const int64_t least[] = {1, 0, 4, 1024};
    ix_relevant r;
    bool refuted = false;
    int64_t *size = ix_mem_new(&ctx->mem, (ctx->nparams + 1) * sizeof *size);
    if (size && ix_relevant_open(&r, ctx)) {
        q->sizes(&r, q->user);
        for (size_t i = 0; !refuted && i < IX_COUNT(least); i++)
            refuted = try_around(ctx, q, facts, &r, least[i], size);
        ix_relevant_free(&r);
    }
    ix_mem_free(&ctx->mem, size);
    return refuted;
}

/* ---- forms ---- */

static void
form_sizes(ix_relevant *r, const void *user)
{
    ix_relevant_lin(r, *(const ix_lin *const *)user);
}

static bool
form_refuted(ilex_context *ctx, const int64_t *size, const void *user)
{
    int64_t v;
    (void)ctx;
    return ix_lin_eval(*(const ix_lin *const *)user, size, &v) && v < 0;
}

ix_question
ix_form_question(ix_tri (*ask)(ilex_context *ctx, void *user),
                 const ix_lin **form)
{
    return (ix_question){ask, form_sizes, form_refuted, form};
}
