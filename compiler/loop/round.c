/* SPDX-License-Identifier: MIT
 *
 * round L N: L runs over a multiple of N points, so that vectors leave none:
 *
 *     for j in [lo, hi)                 for j in [0, 8*((hi - lo + 3 + 7)/8))
 *         T[j - lo + 11] =                  T[j + 8] = f(S[j + 7], S[j + 8])
 *             f(S[j - lo + 10], S[j - lo + 11])
 *
 * so that it begins where T's index is a multiple, too, as lines of the cache
 * do. T and S are memory that each part of a run has of its own, which gets
 * room for it. What is computed of the points beside its own is anything, and
 * stored where nothing is that is used: T has no other stores, the loop begins
 * and ends at the same elements of it in all iterations that have one T. They
 * are floating-point numbers, for which no operation stops a program.
 */
#include "compiler/loop/distances.h"

/* Points; lines of the cache that a row has which begins at one. */
enum { MOST_POINTS = 4096, LINES = 8 };

bool
ix_row_is_long(const ix_unit *u, ilex_dtype of, int64_t n)
{
    return u->target->line_bytes > 0 &&
           n >= LINES * u->target->line_bytes / (int64_t)ilex_dtype_bytes(of);
}

int64_t
ix_row_room(const ix_unit *u, ilex_dtype of, int64_t n)
{
    int64_t line = u->target->line_bytes / (int64_t)ilex_dtype_bytes(of);
    return ix_row_is_long(u, of, n) ? (n + line - 1) / line * line : n;
}

typedef struct rounding {
    const ix_cursor *c;
    ix_unit *u;
    ilex_array *lo, *hi;
    int64_t before; /* points before "lo" */
    int64_t most;   /* iterations, with these, rounded */
    ix_accesses a;  /* of the kernel */
} rounding;

/* ---- what is computed ---- */

static ix_walk_step
look_at_number(ix_walk *w, ilex_array *x, size_t *value)
{
    (void)w, (void)value;
    if (x->kind != IX_OP)
        return x->kind == IX_LOAD ? IX_WALK_OVER : IX_WALK_IN;
    bool number =
        x->dtype == ILEX_F32 || x->dtype == ILEX_F64 || x->dtype == ILEX_BOOL;
    return number && ix_op_info_of(ix_op_of(x))->ulp < IX_ULP_ELEMENTARY
               ? IX_WALK_IN
               : IX_WALK_END;
}

/* Is all it does to store numbers, whatever they are? */
static bool
stores_numbers(ix_unit *u, const ix_stmt *loop)
{
    ix_walk w = {.ctx = u->ctx, .mem = &u->mem, .enter = look_at_number};
    bool all = ix_stmt_is_innermost(loop);
    for (const ix_stmt *s = loop->body; s && all; s = s->next)
        all = s->kind == IX_STMT_LOAD ||
              (s->kind == IX_STMT_LET &&
               ix_walk_body(&w, ix_let_value(s), NULL)) ||
              (s->kind == IX_STMT_STORE &&
               ix_walk_body(&w, ix_store_value(s), NULL));
    ix_walk_free(&w);
    return all;
}

/* ---- where it is stored ---- */

/* Is a bound the same for all iterations that have one of memory that an
 * iteration of variable "within" has? */
static bool
is_same(const rounding *x, int within, ilex_array *bound)
{
    bool inside = false, same = !(bound->flags & IX_HAS_VALUE);
    for (int d = 0; d < x->c->depth; d++) {
        const ix_stmt *s = x->c->around[d];
        if (s->kind != IX_STMT_FOR)
            continue;
        same &= !inside || !ix_scalar_uses_index(bound, s->number);
        inside |= ix_is_part_of(x->c->k, s->number, within);
    }
    return same && inside;
}

static int
stores_of(const rounding *x, int buffer)
{
    int n = 0;
    for (size_t i = 0; i < x->a.n; i++)
        n += x->a.item[i].buffer == buffer && x->a.item[i].write;
    return n;
}

/* The element along a last axis from which on the loop uses it; -1: it is not
 * known, or goes there otherwise. */
static int64_t
first_of(const rounding *x, const ix_access *a)
{
    int loop = ix_cursor_loop(x->c)->number;
    ilex_array *index = ix_scalar_index(x->u->ctx, loop);
    for (int d = 0; d + 1 < a->rank; d++)
        if (ix_scalar_uses_index(a->index[d], loop))
            return -1;
    index = a->rank > 0
                ? ix_index_try_fma(x->u->ctx, a->index[a->rank - 1], -1, index)
                : NULL;
    index = index ? ix_index_try_fma(x->u->ctx, index, 1, x->lo) : NULL;
    return index && index->kind == IX_CONST ? index->attr[0] : -1;
}

/* May the loop go on with what it uses here? */
static bool
goes_on(const rounding *x, const ix_access *a)
{
    bool along = a->unknown;
    int loop = ix_cursor_loop(x->c)->number;
    for (int d = 0; d < a->rank && !along; d++)
        along = ix_scalar_uses_index(a->index[d], loop);
    if (!along && !a->write)
        return true;
    if (a->buffer < 0 || a->unknown)
        return false;
    const ix_buffer *b = &x->u->buffer[a->buffer];
    const ix_axis *last = a->rank > 0 ? &b->box->ax[a->rank - 1] : NULL;
    return b->own == x->c->k && a->rank == b->box->rank && last &&
           last->lo->n == 0 && last->lo->c == 0 && last->hi->n == 0 &&
           first_of(x, a) >= x->before &&
           (!a->write ||
            (stores_of(x, a->buffer) == 1 && is_same(x, b->within, x->lo) &&
             is_same(x, b->within, x->hi)));
}

/* Rows of it get room. */
static void
make_room(const rounding *x, const ix_access *a)
{
    ilex_context *ctx = x->u->ctx;
    ix_buffer *b = &x->u->buffer[a->buffer];
    ix_axis ax[ILEX_MAX_RANK];
    int64_t end =
        ix_row_room(x->u, b->dtype, first_of(x, a) - x->before + x->most);
    memcpy(ax, b->box->ax, (size_t)a->rank * sizeof *ax);
    if (ax[a->rank - 1].hi->c >= end)
        return;
    ax[a->rank - 1].hi = ix_lin_const(ctx, end);
    b->interior = b->box = ix_domain_new(ctx, a->rank, ax);
}

/* ---- the directive ---- */

static ix_refusal
look_at(rounding *x, int64_t n)
{
    const ix_stmt *loop = ix_cursor_loop(x->c);
    int64_t most = ix_loop_most(x->u, loop);
    if (!ix_loop_is_plain(loop) || loop->step != 1 || loop->down ||
        loop->n[IX_for_lo] != 1 || !stores_numbers(x->u, loop))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is no loop upwards that does nothing but store "
                         "floating-point numbers");
    if (most <= 0 || n > MOST_POINTS || most > INT32_MAX)
        return ix_refuse(x->u, IX_REFUSAL_SIZE,
                         "its length is bounded by no number");
    x->lo = ix_loop_end(x->u, loop, IX_for_lo);
    x->hi = ix_loop_end(x->u, loop, IX_for_hi);
    x->a = ix_accesses_in(x->u, x->c->k, x->c->k->body);
    for (size_t i = 0; i < x->a.n; i++) {
        const ix_access *a = &x->a.item[i];
        if (a->write && ix_access_is_in(a, loop) && first_of(x, a) > 0)
            x->before = first_of(x, a) % n;
    }
    x->most = (most + x->before + n - 1) / n * n;
    for (size_t i = 0; i < x->a.n; i++)
        if (ix_access_is_in(&x->a.item[i], loop) && !goes_on(x, &x->a.item[i]))
            return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                             "it uses memory that has other elements, or none, "
                             "beside its points");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

bool
ix_loop_rounds(ix_unit *u, const ix_cursor *c, int64_t n)
{
    rounding x = {.u = u, .c = c};
    return look_at(&x, n).class == IX_REFUSAL_NONE;
}

ix_refusal
ix_loop_round(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    rounding x = {.u = u, .c = c};
    ilex_context *ctx = u->ctx;
    ix_refusal r = look_at(&x, d->n);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_stmt *loop = ix_cursor_loop(c);
    for (size_t i = 0; i < x.a.n; i++)
        if (ix_access_is_in(&x.a.item[i], loop) &&
            first_of(&x, &x.a.item[i]) >= 0)
            make_room(&x, &x.a.item[i]);
    ilex_array *zero = ix_index_const(ctx, 0);
    x.lo = ix_index_offset(ctx, x.lo, -x.before);
    ilex_array *length = ix_index_fma(ctx, x.hi, -1, x.lo);
    ilex_array *end = ix_index_fma(
        ctx, zero, d->n,
        ix_index_floordiv(ctx, ix_index_offset(ctx, length, d->n - 1), d->n));
    ix_stmt *now = ix_stmt_with(u, loop, IX_OPERANDS({1, &zero}, {1, &end}));
    now->body = ix_loop_put_index(
        u, loop->body, loop->number,
        ix_index_fma(ctx, ix_scalar_index(ctx, loop->number), 1, x.lo));
    now->next = loop->next;
    *c->at = now;
    return r;
}
