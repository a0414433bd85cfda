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
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "lib/shape/isl_context.h"
#include "lib/shape/question.h"

/* ---- asking ---- */

/* Notes whether isl had no memory; it does not always say so. */
static void
note_memory(ix_affine_question *q)
{
    enum isl_error error = isl_ctx_last_error(q->isl);
    q->no_memory |=
        error == isl_error_alloc || (error == isl_error_none && q->failed);
}

/* Has "work", which asks isl, answer the question. */
static ix_tri
enter(ix_affine_question *q, void (*work)(void *question))
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

static const ix_frame empty_frame;

/* Notes what is opaque in index arithmetic or a condition, and its bounds. */
static void
note_opaque(ix_affine_question *q, const ilex_array *x)
{
    if (x->dtype == ILEX_BOOL && !(x->flags & IX_HAS_CONDITION))
        return;
    if (!ix_index_is_by_size(x)) {
        for (int i = 0; i < x->nops; i++)
            note_opaque(q, x->ops[i]);
    } else if (ix_affine_opaque(q, x) < 0 && q->nopaque < IX_MOST_OPAQUE) {
        ix_opaque *o = &q->opaque[q->nopaque++];
        *o = (ix_opaque){.atom = x};
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
ask(ix_affine_question *q, ilex_context *ctx, const ix_frame *frame,
    const ilex_array *e)
{
    *q =
        (ix_affine_question){.ctx = ctx, .frame = frame ? frame : &empty_frame};
    frame = q->frame;
    if (e)
        note_opaque(q, e);
    for (int i = 0; i < frame->nguard; i++)
        note_opaque(q, frame->guard[i].condition);
    for (int i = 0; i < frame->nreduce; i++)
        for (int k = 1; k < 3 && ix_has_affine_range(frame->reduce[i]); k++)
            note_opaque(q, frame->reduce[i]->ops[k]);
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
settle(ix_affine_question *q)
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
take_sample(ix_affine_question *q, isl_set *bad, isl_pw_aff *e,
            ix_sample *sample)
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
conclude(ix_affine_question *q, isl_set *bad, isl_pw_aff *e)
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
    ix_affine_question *q = arg;
    settle(q);
    isl_set *bad = isl_set_intersect(
        ix_affine_assumed(q),
        isl_pw_aff_lt_set(ix_affine_of_lin(q, q->lo), ix_affine_number(q, 0)));
    conclude(q, bad, NULL);
}

ix_tri
ix_affine_nonneg(ilex_context *ctx, const ix_lin *a)
{
    ix_affine_question q;
    if (!ask(&q, ctx, NULL, NULL))
        return IX_UNKNOWN;
    ix_relevant_lin(&q.relevant, a);
    q.lo = a;
    return enter(&q, answer_nonneg);
}

static void
answer_within(void *arg)
{
    ix_affine_question *q = arg;
    settle(q);
    isl_pw_aff *at = ix_affine_of_index(q, q->e);
    isl_set *below =
        isl_pw_aff_lt_set(isl_pw_aff_copy(at), ix_affine_of_lin(q, q->lo));
    isl_set *above =
        isl_pw_aff_ge_set(isl_pw_aff_copy(at), ix_affine_of_lin(q, q->hi));
    isl_set *bad =
        isl_set_intersect(ix_affine_points(q), isl_set_union(below, above));
    conclude(q, ix_affine_guarded(q, bad), at);
}

ix_tri
ix_affine_within(ilex_context *ctx, const ix_frame *frame, const ilex_array *e,
                 const ix_lin *lo, const ix_lin *hi, ix_sample *sample)
{
    ix_affine_question q;
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
    return r == IX_NO && by_size &&
                   !(sample && ix_sample_is_real(ctx, e, sample))
               ? IX_UNKNOWN
               : r;
}

static void
answer_possible(void *arg)
{
    ix_affine_question *q = arg;
    settle(q);
    conclude(q, ix_affine_assumed(q), NULL);
}

ix_tri
ix_affine_facts_possible(ilex_context *ctx, const ix_env *known)
{
    ix_affine_question q;
    if (!ask(&q, ctx, NULL, NULL))
        return IX_UNKNOWN;
    for (int32_t i = 0; i < ix_env_count(ctx->facts); i++)
        if (!ix_env_has(known, ctx->facts->item[i]))
            ix_relevant_lin(&q.relevant, ctx->facts->item[i]->form);
    ix_tri none = enter(&q, answer_possible);
    return none == IX_YES ? IX_NO : none == IX_NO ? IX_YES : IX_UNKNOWN;
}
