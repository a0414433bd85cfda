/* SPDX-License-Identifier: MIT
 *
 * whole L ...: loops whose last strip is shorter run over whole strips each
 * time:
 *
 *     for i in [0, n) step 4            for i in [0, n) step 4
 *         for j in [0, min(4, n - i))       for j in [0, 4)
 *             x[j] = B[i + j]                   x[j] = B[min(i + j, n - 1)]
 *
 * Iterations that are too many read of buffers what the last one does. What
 * they write is scratch memory that has a place for it, and no iteration of any
 * loop reads it but those of the loops that are named together, when they are
 * too many as well. So nothing that is stored depends on them; where a loop
 * stores, such iterations do nothing. An innermost loop that reads buffers is
 * there twice, the first time for whole strips, but on a GPU.
 */
#include "compiler/loop/box.h"

typedef struct strip_loop {
    ix_stmt *loop;
    int64_t most;            /* iterations */
    bool stores;             /* to buffers */
    ilex_array *end;         /* behind the last one that there was */
    const ix_stmt *whole;    /* over all, without a body, */
    const ix_stmt *too_many; /* over those that are new */
} strip_loop;

typedef struct filling {
    ix_unit *u;
    ix_accesses a; /* of the kernel */
    int n;
    strip_loop of[IX_MOST_LOOPS];
    const strip_loop *now;
    ix_refusal refusal; /* of what is looked at */
    ix_substitution s;
} filling;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- the loops ---- */

/* y // n, of a number n? */
static bool
is_quotient(const ilex_array *x)
{
    return x->kind == IX_OP && ix_op_of(x) == IX_OP_FLOOR_DIVIDE &&
           x->ops[1]->kind == IX_CONST && x->ops[1]->attr[0] > 0;
}

/* y + c*n, which is at least 0 where y // n + c is. */
static ilex_array *
at_least(ix_unit *u, const ilex_array *x, int64_t c)
{
    int64_t by;
    return ix_mul(c, x->ops[1]->attr[0], &by)
               ? ix_index_offset(u->ctx, x->ops[0], by)
               : ix_index_const(u->ctx, -1);
}

/* Is x, about indices of loops around, at least 0, by what is known or by a
 * bound of one of the loops? */
static bool
is_positive_in(ix_unit *u, const ix_cursor *c, ilex_array *x)
{
    ix_index_form f;
    bool is = ix_index_is_positive(u, x);
    ix_index_form_of(x, &f);
    if (!is && f.n == 1 && f.t[0].k == 1 && is_quotient(f.t[0].atom))
        return is_positive_in(u, c, at_least(u, f.t[0].atom, f.c));
    for (int i = 0; i < f.n && !is; i++)
        for (int d = 0; d < c->depth && !is; d++) {
            const ix_stmt *s = c->around[d];
            ilex_array *v = f.t[i].atom;
            if (s->kind != IX_STMT_FOR || v->kind != IX_INDEX ||
                v->attr[0] != s->number || f.t[i].k >= 0)
                continue;
            for (int b = 0; b < s->n[IX_for_hi] && !is; b++) {
                ilex_array *last =
                    ix_index_offset(u->ctx, ix_operands(s, IX_for_hi)[b], -1);
                ilex_array *y = ix_index_try_fma(u->ctx, x, -f.t[i].k, v);
                y = y ? ix_index_try_fma(u->ctx, y, f.t[i].k, last) : NULL;
                is = y && ix_index_is_positive(u, y);
            }
        }
    return is;
}

static ix_refusal
look_at_loop(filling *x, const ix_cursor *c, strip_loop *r)
{
    ix_unit *u = x->u;
    ix_stmt *loop = ix_cursor_loop(c);
    ilex_array *zero = ix_index_const(u->ctx, 0), *most;
    if (!ix_loop_is_plain(loop) || loop->step != 1 || loop->down ||
        (loop->how != IX_SERIAL && loop->how != IX_VECTOR) ||
        loop->n[IX_for_lo] != 1 || ix_for_lo(loop) != zero)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "a loop is no strip from 0 on");
    *r = (strip_loop){.loop = loop, .most = ix_loop_most(u, loop)};
    for (int i = 0; i < loop->n[IX_for_hi]; i++) {
        ilex_array *hi = ix_operands(loop, IX_for_hi)[i];
        if (hi->kind != IX_CONST)
            r->end = r->end ? ix_index_min(u->ctx, r->end, hi) : hi;
    }
    if (r->most <= 0 || !r->end)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         r->end ? "no constant bounds a loop"
                                : "a loop is as long each time");
    if (!is_positive_in(u, c, ix_index_offset(u->ctx, r->end, -1)))
        return ix_refuse(u, IX_REFUSAL_UNPROVED,
                         "a loop is not known to have an iteration");
    most = ix_index_const(u->ctx, r->most);
    r->whole = ix_stmt_with(u, loop, IX_OPERANDS({1, &zero}, {1, &most}));
    r->too_many = ix_stmt_with(u, loop, IX_OPERANDS({1, &r->end}, {1, &most}));
    return fine;
}

/* ---- what is in them ---- */

static bool
is_simple(void *user, ix_stmt *s)
{
    filling *x = user;
    bool simple = s->kind == IX_STMT_LET || s->kind == IX_STMT_LOAD ||
                  s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE ||
                  (s->kind == IX_STMT_SCRATCH && s->buffer < 0) ||
                  (s->kind == IX_STMT_FOR && ix_loop_is_plain(s) &&
                   !ix_stmt_has(s, IX_HAS_VALUE)); /* it may be anything */
    if (!simple || ix_stmt_has(s, IX_HAS_CHECK))
        x->refusal = ix_refuse(x->u, IX_REFUSAL_SHAPE,
                               "there is a branch, a check, a loop that a "
                               "value bounds, or what has no element of its "
                               "own in a loop");
    return !x->refusal.class;
}

/* How many loops there are around access's loop, or -1: it is not in it. */
static int
position_in(const ix_access *a, const ix_stmt *loop)
{
    int i = a->depth - 1;
    while (i >= 0 && a->around[i] != loop)
        i--;
    return i;
}

/* Is an index of scratch memory in it, whatever the loops around are at, as far
 * as constants bound them? */
static bool
has_place(const filling *x, const ix_access *a)
{
    ix_index_form f;
    int64_t low, high, by;
    if (a->rank == 0)
        return true;
    ix_index_form_of(a->index[0], &f);
    low = high = f.c;
    for (int i = 0; i < f.n; i++) {
        const ix_stmt *s = NULL;
        for (int d = 0; d < a->depth && !s; d++)
            if (f.t[i].atom == ix_scalar_index(x->u->ctx, a->around[d]->number))
                s = a->around[d];
        if (!s || s->n[IX_for_lo] != 1 || ix_for_lo(s)->kind != IX_CONST)
            return false;
        int64_t most = ix_loop_most(x->u, s), lo = ix_for_lo(s)->attr[0];
        if (most <= 0 || lo < 0 || f.t[i].k < 0 ||
            !ix_mul(f.t[i].k, lo + (most - 1) / s->step * s->step, &by) ||
            !ix_add(high, by, &high) || !ix_mul(f.t[i].k, lo, &by) ||
            !ix_add(low, by, &low))
            return false;
    }
    return low >= 0 && high < a->scratch->extent;
}

/* May iterations that are too many make an access? What they read of buffers is
 * there, as the last one reads it. */
static ix_refusal
look_at_access(const filling *x, const ix_access *a)
{
    if (a->rank < 0 || a->unknown)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "memory is used as a whole in a loop");
    for (int d = 0; d < a->rank; d++)
        if (!ix_index_is_affine(a->index[d]) ||
            a->index[d]->flags & IX_HAS_VALUE)
            return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                             "an index in a loop is data, or a value");
    if (a->buffer >= 0)
        return fine;
    if (!has_place(x, a))
        return ix_refuse(x->u, IX_REFUSAL_UNPROVED,
                         "it is not known that memory has a place for what is "
                         "written when iterations are too many");
    return fine;
}

/* ---- is it read? ---- */

/* The access as iterations make it that are too many. */
static ix_access
too_many(const filling *x, const ix_access *a)
{
    ix_access out = *a;
    const ix_stmt **around =
        ix_arena_new(&x->u->arena, (size_t)a->depth * sizeof *around);
    for (int d = 0; d < a->depth; d++) {
        around[d] = a->around[d];
        for (int i = 0; i < x->n; i++)
            if (a->around[d] == x->of[i].loop)
                around[d] =
                    &x->of[i] == x->now ? x->of[i].too_many : x->of[i].whole;
    }
    out.around = around;
    return out;
}

/* What such iterations write is read by none that there was. */
static ix_refusal
look_at_write(filling *x, const ix_access *w)
{
    ix_direction same[IX_DEEP] = {IX_SAME};
    int depth = x->a.definition[w->scratch->number].depth;
    ix_access written = too_many(x, w);
    if (depth > position_in(w, x->now->loop))
        return fine; /* an iteration has its own */
    for (size_t i = 0; i < x->a.n; i++) {
        const ix_access *r = &x->a.item[i];
        if (r->scratch != w->scratch || r->buffer >= 0 ||
            (r->write && r->stmt->kind == IX_STMT_STORE))
            continue;
        ix_tri meet = r->rank < 0
                          ? IX_UNKNOWN
                          : ix_accesses_meet(&x->a, &written, r, depth, same);
        if (meet != IX_NO)
            return ix_refuse_meeting(x->u, meet, w, r, "which is one too many");
    }
    return fine;
}

static bool
is_no_output(void *user, ix_stmt *s)
{
    (void)user;
    return !ix_stmt_is_output(s);
}

static ix_refusal
look_inside(filling *x, strip_loop *r)
{
    x->now = r;
    r->stores = !ix_stmt_each(r->loop->body, is_no_output, NULL);
    ix_stmt_each(r->loop->body, is_simple, x);
    ix_refusal why = x->refusal;
    for (size_t i = 0; i < x->a.n && !why.class && !r->stores; i++) {
        const ix_access *a = &x->a.item[i];
        if (position_in(a, r->loop) < 0)
            continue;
        why = look_at_access(x, a);
        if (!why.class && a->write)
            why = look_at_write(x, a);
    }
    return why;
}

/* ---- it is done ---- */

/* The list where the index is at most the last one, but for elements of scratch
 * memory. */
static ix_stmt *
with_last(filling *x, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (; list; list = list->next) {
        ix_stmt *t = *tail = ix_stmt_copy(x->u, list);
        int own = t->buffer < 0 ? ix_operands_before(t, IX_INDICES) : IX_GROUPS;
        int n = ix_operands_before(t, IX_GROUPS);
        for (int i = 0; i < n && (t->buffer >= 0 || i < own); i++)
            t->x[i] = ix_substitute(&x->s, t->x[i]);
        t->body = with_last(x, list->body);
        t->other = with_last(x, list->other);
        tail = &t->next;
    }
    return first;
}

/* Does it read buffers, along its index? */
static bool
reads_along(const filling *x, const ix_stmt *loop)
{
    bool reads = false;
    for (size_t i = 0; i < x->a.n && !reads; i++) {
        const ix_access *a = &x->a.item[i];
        for (int d = 0; d < a->rank && a->buffer >= 0; d++)
            reads |= position_in(a, loop) >= 0 &&
                     ix_scalar_uses_index(a->index[d], loop->number);
    }
    return reads;
}

/* Whole strips, and the others. */
static ix_stmt *
either(filling *x, const strip_loop *r, ix_kernel *k, ix_stmt *others)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *ops[2] = {ix_index_const(ctx, r->most), r->end};
    ilex_array *whole =
        ix_scalar_op(ctx, IX_OP_LESS_EQUAL, ILEX_I64, ILEX_BOOL, ops);
    ix_stmt *s = ix_stmt_new(x->u, IX_STMT_IF, IX_OPERANDS({1, &whole}));
    s->array = r->loop->array;
    s->body = ix_stmt_copy(x->u, r->whole);
    s->body->body = r->loop->body;
    s->other = ix_stmt_clone(x->u, k, others);
    return s;
}

/* The body, which stores, for the iterations that there were. */
static ix_stmt *
in_range(const filling *x, const strip_loop *r)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *ops[2] = {ix_scalar_index(ctx, r->loop->number), r->end};
    ilex_array *in = ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ops);
    ix_stmt *s = ix_stmt_new(x->u, IX_STMT_IF, IX_OPERANDS({1, &in}));
    s->array = r->loop->array;
    s->body = r->loop->body;
    return s;
}

/* The body, where iterations that are too many read what the last one does. */
static ix_stmt *
with_last_index(filling *x, const strip_loop *r)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *i = ix_scalar_index(ctx, r->loop->number);
    x->s = (ix_substitution){
        .ctx = ctx, .mem = &x->u->mem, .became = ix_origin_keep, .user = x->u};
    ix_substitution_set(&x->s, i,
                        ix_index_min(ctx, i, ix_index_offset(ctx, r->end, -1)));
    ix_stmt *body = with_last(x, r->loop->body);
    ix_substitution_free(&x->s);
    return body;
}

static void
replace(filling *x, ix_kernel *k, const strip_loop *r)
{
    ix_cursor c;
    if (!ix_cursor_at(k, r->loop, &c))
        return;
    ix_stmt *s = ix_stmt_copy(x->u, r->whole);
    s->optional = false;
    s->body = r->stores ? in_range(x, r) : with_last_index(x, r);
    if (!r->stores && !x->u->target->grid && ix_stmt_is_innermost(r->loop) &&
        reads_along(x, r->loop))
        s = either(x, r, k, s);
    s->next = r->loop->next;
    *c.at = s;
}

ix_refusal
ix_loop_whole(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    filling x = {.u = u, .n = d->nloops};
    ix_refusal r = fine;
    x.a = ix_accesses_in(u, c->k, c->k->body);
    for (int i = 0; i < x.n && !r.class; i++)
        r = look_at_loop(&x, &c[i], &x.of[i]);
    for (int i = 0; i < x.n && !r.class; i++)
        r = look_inside(&x, &x.of[i]);
    if (r.class)
        return r;
    for (int depth = IX_DEEP; depth >= 0; depth--) /* inner ones first */
        for (int i = 0; i < x.n; i++)
            if (c[i].depth == depth)
                replace(&x, c->k, &x.of[i]);
    return fine;
}
