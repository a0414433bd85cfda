/* SPDX-License-Identifier: MIT
 *
 * Accumulators: what they take in, and lanes that are combined. Where there are
 * vector registers for both, lanes of maxima and minima pass over NaNs, by an
 * instruction each, and beside each stands -0, or the NaN that was there:
 *
 *     l3[j4] = t5 > l3[j4] ? t5 : l3[j4];
 *     l3n[j4] = t5 != t5 ? t5 : l3n[j4];
 *
 * in place of two choices of which one waits for the other. In the end it is
 * added, as x + -0 is x.
 */
#include "compiler/emit/emit.h"

#include <math.h>
#include <stdio.h>

/* ---- lanes with NaNs beside them ---- */

static bool
is_extremum(ix_op op, ilex_dtype dtype)
{
    return (op == IX_OP_MAXIMUM || op == IX_OP_MINIMUM) &&
           ix_dtype_is_real(dtype);
}

static char
comparison(ix_op op)
{
    return op == IX_OP_MAXIMUM ? '>' : '<';
}

/* Are lanes folded for which a NaN is noted? */
static bool
notes_nan(const ix_emitter *e, const ix_stmt *s)
{
    int64_t room = e->target->vector_registers * e->target->vector_bytes;
    return s->kind == IX_STMT_FOLD && is_extremum(s->op, s->from->dtype) &&
           2 * s->from->extent * (int64_t)ilex_dtype_bytes(s->from->dtype) <
               room;
}

static bool
note_fold(void *emitter, ix_stmt *s)
{
    ix_emitter *e = emitter;
    ix_ints *x = &e->watched;
    if (!notes_nan(e, s))
        return true;
    ix_mem_grow(&e->mem, &x->item, &x->capacity, x->count + 1, sizeof *x->item);
    x->item[x->count++] = s->from->number;
    return true;
}

typedef struct lanes {
    int number;
    ix_op op;
} lanes;

/* Is what a statement does to lanes to begin with a number, to take one in, or
 * to combine them, by one operator? */
static bool
is_plain_use(void *user, ix_stmt *s)
{
    lanes *x = user;
    const ilex_array *first;
    bool is_op = s->op == x->op || x->op == IX_NOPERATORS;
    if (s->number == x->number && s->kind == IX_STMT_SCRATCH)
        return s->buffer < 0;
    if (s->kind == IX_STMT_FOLD ? s->from->number != x->number
                                : !s->mem || s->mem->number != x->number)
        return true;
    switch (s->kind) {
    case IX_STMT_STORE:
        first = ix_store_value(s);
        return first->kind == IX_CONST && !isnan(ix_const_value(first).f);
    case IX_STMT_UPDATE:
    case IX_STMT_FOLD:
        x->op = s->op;
        return is_op;
    default:
        return false;
    }
}

void
ix_emit_watch(ix_emitter *e, ix_stmt *body)
{
    ix_ints *x = &e->watched;
    size_t count = 0;
    x->count = 0;
    ix_stmt_each(body, note_fold, e);
    for (size_t i = 0; i < x->count; i++) {
        lanes l = {x->item[i], IX_NOPERATORS};
        if (ix_stmt_each(body, is_plain_use, &l))
            x->item[count++] = l.number;
    }
    x->count = count;
}

bool
ix_emit_is_watched(const ix_emitter *e, const ix_stmt *scratch)
{
    for (size_t i = 0; scratch && i < e->watched.count; i++)
        if (e->watched.item[i] == scratch->number)
            return true;
    return false;
}

/* into = y > x ? y : x */
static void
put_plain(ix_emitter *e, ix_op op, const char *x, const char *y,
          const char *into)
{
    ix_emit_put(e, "%s = %s %c %s ? %s : %s;", into, y, comparison(op), x, y,
                x);
}

/* ---- updates ---- */

/* acc = fma(a, b, acc), for each part. */
static void
emit_product(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_update_value(s), *f[2] = {x->ops[0], x->ops[1]};
    ilex_dtype part = ix_dtype_part((ilex_dtype)x->dtype);
    ix_name a = ix_emit_leaf(e, f[0]), b = ix_emit_leaf(e, f[1]);
    ix_parts acc = ix_emit_scratch_element(e, s);
    const ix_product_step *p = NULL;
    while ((p = ix_product_next((ilex_dtype)f[0]->dtype,
                                (ilex_dtype)f[1]->dtype, p))) {
        char minus[sizeof a.re + 4];
        snprintf(minus, sizeof minus, p->minus ? "-(%s)" : "%s",
                 p->a ? a.im : a.re);
        const char *into = p->acc ? acc.im : acc.re;
        ix_code_names names = {.loop = part,
                               .result = part,
                               .x = {minus, p->b ? b.im : b.re, into},
                               .re = into};
        ix_emit_template(e, ix_op_template(IX_OP_FMA, part), &names, NULL,
                         NULL);
    }
}

/* Is an extremum taken in by a branch? Where there are no vectors its function
 * is called, for which a number that replaces another one is rare enough. */
static bool
by_branch(const ix_emitter *e, ix_op op, ilex_dtype dtype)
{
    return e->target->vector_registers == 0 && !e->target->grid &&
           is_extremum(op, dtype);
}

void
ix_emit_update(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_update_value(s);
    if (x->kind == IX_PRODUCT) {
        emit_product(e, s);
        return;
    }
    ix_name v = ix_emit_leaf(e, x);
    ix_parts at = ix_emit_scratch_element(e, s);
    if (by_branch(e, s->op, (ilex_dtype)x->dtype)) {
        ix_emit_put(e, "if (%s %c %s || %s != %s) %s = %s;", v.re,
                    comparison(s->op), at.re, v.re, v.re, at.re, v.re);
        return;
    }
    if (!ix_emit_is_watched(e, s->mem)) {
        ix_emit_combine(e, s->op, (ilex_dtype)x->dtype, at,
                        (ix_parts){v.re, v.im}, at);
        return;
    }
    put_plain(e, s->op, at.re, v.re, at.re);
    ix_emit_put(e, "%s = %s != %s ? %s : %s;", at.im, v.re, v.re, v.re, at.im);
}

/* ---- lanes that are combined ---- */

/* into = op(x, y), of lanes or of the accumulator that they become */
static void
combine(ix_emitter *e, const ix_stmt *s, ix_parts x, ix_parts y, ix_parts into)
{
    if (!ix_emit_is_watched(e, s->from)) {
        ix_emit_combine(e, s->op, s->from->dtype, x, y, into);
        return;
    }
    put_plain(e, s->op, x.re, y.re, into.re);
    if (*into.im)
        ix_emit_put(e, "%s = %s + %s;", into.im, x.im, y.im);
    else
        ix_emit_put(e, "%s = %s + (%s + %s);", into.re, into.re, x.im, y.im);
}

/* l[j] = op(l[j], l[j + h]) for j < h */
static void
emit_halves(ix_emitter *e, const ix_stmt *s, const char *h)
{
    char other[IX_NAME];
    snprintf(other, sizeof other, "[j + %s]", h);
    ix_parts p = ix_emit_scratch(e, s->from, "[j]");
    ix_emit_open(e, "for (i64 j = 0; j < %s; j++)", h);
    combine(e, s, p, ix_emit_scratch(e, s->from, other), p);
    ix_emit_close(e);
}

/* Of each part of lane 0, what another thread of the group has: "call" is how
 * it is asked for. */
static ix_parts
ask_thread(ix_emitter *e, const ix_stmt *s, const char *call, const char *from)
{
    ix_parts own = ix_emit_scratch(e, s->from, "[0]");
    const char *type = ix_c_type(ix_dtype_part(s->from->dtype));
    const char *part[2] = {own.re, own.im}, *got[2] = {"", ""};
    for (int i = 0; i < 2 && *part[i]; i++) {
        ix_value_text name = ix_value_name('t', e->next++);
        ix_emit_put(e, "const %s %s = %s(group(), %s, %s, %d);", type, name.s,
                    call, part[i], from, IX_GROUP_THREADS);
        char *copy = ix_mem_new(&e->mem, sizeof name.s);
        e->t->failed |= !copy;
        got[i] = copy ? strcpy(copy, name.s) : "";
    }
    return (ix_parts){got[0], got[1]};
}

/* Lanes of a thread are combined, which are 16 apart; then those of threads,
 * the lower ones with those h further up; all take what the lowest has. */
static void
fold_group(ix_emitter *e, const ix_stmt *s)
{
    int each = (int)s->from->extent / IX_GROUP_THREADS;
    ix_parts first = ix_emit_scratch(e, s->from, "[0]");
    for (int half = each / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) {
            char at[2][IX_NAME];
            snprintf(at[0], IX_NAME, "[%d]", j);
            snprintf(at[1], IX_NAME, "[%d]", j + half);
            ix_parts low = ix_emit_scratch(e, s->from, at[0]);
            combine(e, s, low, ix_emit_scratch(e, s->from, at[1]), low);
        }
    ix_emit_open(e, "for (i32 h = %d; h > 0; h >>= 1)", IX_GROUP_THREADS / 2);
    combine(e, s, first, ask_thread(e, s, "__shfl_down_sync", "h"), first);
    ix_emit_close(e);
    ix_parts all = ask_thread(e, s, "__shfl_sync", "0");
    ix_parts to = ix_emit_scratch(e, s->to, "");
    ix_emit_put(e, "%s = %s;", to.re, all.re);
    if (*to.im)
        ix_emit_put(e, "%s = %s;", to.im, all.im);
}

/* This for h = lanes/2 ... 2, then a = op(l[0], l[1]). Compilers that make
 * vectors get loops of constant length. */
void
ix_emit_fold(ix_emitter *e, const ix_stmt *s)
{
    int half = (int)s->from->extent / 2;
    if (s->from->spread) {
        fold_group(e, s);
        return;
    }
    if (*e->dialect->vector_pragma) {
        char h[IX_NAME];
        for (; half > 1; half /= 2) {
            snprintf(h, sizeof h, "%d", half);
            ix_emit_rolled(e);
            emit_halves(e, s, h);
        }
    } else {
        ix_emit_open(e, "for (i64 h = %d; h > 1; h >>= 1)", half);
        emit_halves(e, s, "h");
        ix_emit_close(e);
    }
    combine(e, s, ix_emit_scratch(e, s->from, "[0]"),
            ix_emit_scratch(e, s->from, "[1]"), ix_emit_scratch(e, s->to, ""));
}
