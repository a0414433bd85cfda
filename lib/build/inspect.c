/* SPDX-License-Identifier: MIT
 *
 * What an array is, for users: its operator, which of the usual forms it has,
 * and whether two are the same. Texts are those of lib/syntax/graph_api.c.
 */
#include "ilex/graph.h"

#include "lib/build/build.h"
#include "lib/graph/annotation.h"
#include "lib/shape/broadcast.h"

/* ---- equality ---- */

int
ilex_identical(const ilex_array *a, const ilex_array *b)
{
    uint8_t hash[2][16];
    if (!a || !b || ix_is_poison(a) || ix_is_poison(b))
        return 0;
    if (a->ctx == b->ctx)
        return a == b;
    return ilex_hash(a, hash[0]) == ILEX_OK &&
           ilex_hash(b, hash[1]) == ILEX_OK &&
           !memcmp(hash[0], hash[1], sizeof *hash);
}

/* ---- operators ---- */

/* Does "load", in the body of "x", read the element that broadcasting gives? */
static bool
reads_alike(const ilex_array *x, const ilex_array *load)
{
    const ilex_array *operand = x->ops[load->attr[0] + 1];
    ilex_array *index[ILEX_MAX_RANK];
    bool alike = load->nops == ix_rank(operand);
    for (int k = 0; k < ix_rank(operand); k++)
        alike &=
            !operand->interior->ax[k].name ||
            ix_domain_find(x->interior, operand->interior->ax[k].name) >= 0;
    alike = alike && ix_rank(operand) <= ix_rank(x);
    if (alike)
        ix_broadcast_indices(x->ctx, x->interior, operand, index);
    for (int k = 0; alike && k < load->nops; k++)
        alike = load->ops[k] == index[k];
    return alike;
}

/* Is "s", in the body of "x", an element of an operand or a number, converted
 * or not? */
static bool
is_plain(const ilex_array *x, const ilex_array *s)
{
    if (s->kind == IX_CAST)
        s = s->ops[0];
    return s->kind == IX_CONST || s->kind == IX_SIZE ||
           (s->kind == IX_LOAD && reads_alike(x, s));
}

const char *
ilex_array_operator(const ilex_array *x)
{
    if (ix_is_poison(x) || (ix_is_array(x) && x->kind != IX_LAMBDA))
        return NULL;
    const ilex_array *body = x->kind == IX_LAMBDA ? x->ops[0] : x;
    if (body->kind != IX_OP && body->kind != IX_CAST)
        return NULL;
    for (int i = 0; i < body->nops; i++)
        if (!is_plain(x, body->ops[i]))
            return NULL;
    return body->kind == IX_CAST ? "cast" : ix_op_info_of(ix_op_of(body))->name;
}

/* ---- leaves ---- */

ilex_status
ilex_name(ilex_array *x, const char *name)
{
    if (!x || ix_is_poison(x))
        return ILEX_E_ARGUMENT;
    ilex_context *ctx = x->ctx;
    if (!ix_name_check(&ctx->error, "array", name, name ? strlen(name) : 0))
        return ctx->error.code;
    if (!ix_is_array(x) || x->kind == IX_INPUT)
        return ILEX_OK;
    int32_t symbol = ix_symbol_of(ctx, name, strlen(name));
    return symbol < 0 || !ix_name_note(x, symbol) ? ctx->error.code : ILEX_OK;
}

const char *
ilex_array_name(const ilex_array *x)
{
    return x->kind == IX_INPUT ? ix_symbol_text(x->ctx, (int32_t)x->attr[0])
                               : NULL;
}

int
ilex_array_number(const ilex_array *x, double *re, double *im)
{
    ix_value v, number;
    if (x->kind != IX_CONST)
        return 0;
    v = ix_const_value(x);
    ix_cast_eval((ilex_dtype)x->dtype, ILEX_C128, &v, &number);
    if (re)
        *re = number.f;
    if (im)
        *im = number.im;
    return 1;
}

/* ---- forms ---- */

/* Goes on while loads read what broadcasting gives. */
static ix_walk_step
stay_at_place(ix_walk *w, ilex_array *n, size_t *value)
{
    const ilex_array *x = w->user;
    (void)value;
    if (n->kind == IX_REDUCE || (n->kind == IX_LOAD && !reads_alike(x, n)))
        return IX_WALK_END;
    return n->kind == IX_LOAD ? IX_WALK_OVER : IX_WALK_IN;
}

int
ilex_is_elementwise(const ilex_array *x)
{
    ix_walk w = {.ctx = x->ctx,
                 .within = IX_HAS_LOAD | IX_HAS_REDUCE,
                 .enter = stay_at_place,
                 .user = (ilex_array *)(uintptr_t)x};
    if (x->kind != IX_LAMBDA)
        return 0;
    bool ok = ix_walk_body(&w, x->ops[0], NULL);
    ix_walk_free(&w);
    return ok;
}

int
ilex_is_shift(const ilex_array *x, int64_t *offset)
{
    const ilex_array *body = x->kind == IX_LAMBDA ? x->ops[0] : NULL;
    bool shift = body && body->kind == IX_LOAD && body->nops == ix_rank(x);
    bool moves = false;
    int64_t by[ILEX_MAX_RANK];
    int k = 0;
    for (int i = 0; shift && i < body->nops; i++) {
        shift = ix_index_is_shift(body->ops[i], &k, &by[i]) && k == i;
        moves |= shift && by[i] != 0;
    }
    for (int i = 0; shift && moves && offset && i < body->nops; i++)
        offset[i] = by[i];
    return shift && moves;
}

int
ilex_is_broadcast(const ilex_array *x)
{
    const ilex_array *body = x->kind == IX_LAMBDA ? x->ops[0] : NULL;
    if (!body || body->kind != IX_LOAD || !reads_alike(x, body))
        return 0;
    bool wider = body->nops < ix_rank(x);
    for (int k = 0; k < body->nops; k++)
        wider |= body->ops[k]->kind == IX_CONST;
    return wider;
}

const char *
ilex_is_reduction(const ilex_array *x, unsigned *axes)
{
    const ilex_array *body = x->kind == IX_LAMBDA ? x->ops[0] : NULL;
    if (!body || body->kind != IX_REDUCE || ix_is_ranged(body) ||
        body->ops[0]->kind != IX_LOAD)
        return NULL;
    const ilex_array *load = body->ops[0];
    const ilex_array *operand = x->ops[load->attr[0] + 1];
    unsigned mask = 0;
    for (int k = 0; k < load->nops; k++) {
        const ilex_array *index = load->ops[k];
        if (index->kind == IX_RINDEX)
            mask |= 1u << k;
        else if (index->kind != IX_INDEX)
            return NULL;
    }
    /* all of each axis: no part of it, no axis twice */
    int64_t r = body->attr[1];
    for (int k = 0, at = 0; k < load->nops; k++) {
        if (!(mask >> k & 1))
            continue;
        const ix_axis *ax = &body->interior->ax[at];
        if (load->ops[k]->attr[0] != r + at++ ||
            ax->lo != operand->interior->ax[k].lo ||
            ax->hi != operand->interior->ax[k].hi)
            return NULL;
    }
    if (axes)
        *axes = mask;
    return ix_reduction_info_of(ix_reduction_of(body))->name;
}

int
ilex_is_contraction(const ilex_array *x)
{
    return x->kind == IX_EINSUM && ix_operand_count(x) > 1;
}
