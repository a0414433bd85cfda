/* SPDX-License-Identifier: MIT
 *
 * The fingerprint of a kernel, for the pass share: a list of numbers, its
 * statements with buffers and sizes numbered as they are met. The constants of
 * bounds and indices stand beside it, and literals where these may differ; the
 * same walk puts arguments in their places.
 */
#include "compiler/finish/share.h"

#include <math.h>

enum {
    SHORT = 64,     /* a loop whose length stays a constant */
    MOST_BYTES = 10 /* of a number */
};

/* ---- numbers ---- */

/* A number in as many bytes as it needs, seven bits each. */
static void
put(ix_fingerprint_writer *w, uint64_t number)
{
    ix_fingerprint *f = &w->f;
    if (w->a)
        return;
    ix_arena_grow(&w->u->arena, &f->byte, &w->byte_capacity,
                  f->nbytes + MOST_BYTES, 1);
    for (; number > 127; number >>= 7)
        f->byte[f->nbytes++] = (uint8_t)(number | 128);
    f->byte[f->nbytes++] = (uint8_t)number;
}

/* The number of "what" among those met before, which the kernel lists. */
static int
number_of(ix_fingerprint_writer *w, int what, int *number, ix_ints *list)
{
    if (number[what] == 0) {
        ix_arena_grow(&w->u->arena, &list->item, &list->capacity,
                      list->count + 1, sizeof *list->item);
        list->item[list->count++] = what;
        number[what] = (int)list->count;
    }
    return number[what] - 1;
}

static void
put_buffer(ix_fingerprint_writer *w, int i)
{
    const ix_buffer *b = &w->u->buffer[i];
    if (w->a)
        return;
    put(w, (uint64_t)number_of(w, i, w->buffer, &w->f.k->buffers));
    put(w, (uint64_t)b->dtype);
    put(w, (uint64_t)b->box->rank);
    put(w, ix_buffer_is_written(b));
    put(w, ix_buffer_by_value(w->u, b));
}

static void
put_leaf(ix_fingerprint_writer *w, const ilex_array *x)
{
    uint64_t number = (uint64_t)x->attr[0];
    if (w->a)
        return;
    if (x->kind == IX_CONST)
        number = (uint64_t)(uintptr_t)x;
    if (x->kind == IX_SIZE)
        number =
            (uint64_t)number_of(w, (int)x->attr[0], w->size, &w->f.k->sizes);
    put(w, (uint64_t)x->kind);
    put(w, number);
}

/* ---- constants ---- */

/* A constant that may differ; the offset by which it does, or NULL. */
static ilex_array *
put_constant(ix_fingerprint_writer *w, int64_t c)
{
    ix_fingerprint *f = &w->f;
    if (w->a) {
        int offset = w->a->offset[w->next++];
        return offset ? ix_offset_value(w->u, offset - 1, ILEX_I64) : NULL;
    }
    ix_arena_grow(&w->u->arena, &f->constant, &w->constant_capacity,
                  f->nconstants + 1, sizeof *f->constant);
    f->constant[f->nconstants++] = c;
    return NULL;
}

/* A sum of leaves. Its constant may differ unless "fixed", or too large to be
 * added to without a care. */
static void
put_sum(ix_fingerprint_writer *w, ilex_array **x, bool fixed)
{
    const int64_t most = (int64_t)1 << 31;
    ix_index_form f;
    ix_index_form_of(*x, &f);
    put(w, (uint64_t)f.n);
    for (int i = 0; i < f.n; i++) {
        put(w, (uint64_t)f.t[i].k);
        put_leaf(w, f.t[i].atom);
    }
    fixed |= f.c > most || f.c < -most;
    put(w, fixed);
    if (fixed) {
        put(w, (uint64_t)f.c);
        return;
    }
    ilex_array *offset = put_constant(w, f.c);
    if (offset)
        *x = ix_index_fma(w->u->ctx, *x, 1, offset);
}

/* ---- literals ---- */

/* May operand "i" of an operation be an argument? Not where a compiler knows
 * something better to do with it: nothing (0, 1), a sum (2), a product instead
 * of a division, no call. Complex literals are two numbers. */
static bool
may_differ(const ilex_array *x, int i)
{
    const ilex_array *y = x->ops[i];
    int exponent;
    if (x->kind != IX_OP || y->kind != IX_CONST ||
        (y->dtype != ILEX_F32 && y->dtype != ILEX_F64))
        return false;
    double v = fabs(ix_const_value(y).f);
    if (!(v < INFINITY) || v == 0 || v == 1 || v == 2)
        return false;
    switch (ix_op_of(x)) {
    case IX_OP_TRUE_DIVIDE:
        return i == 0 || frexp(v, &exponent) != 0.5;
    case IX_OP_ADD:
    case IX_OP_SUBTRACT:
    case IX_OP_MULTIPLY:
    case IX_OP_MAXIMUM:
    case IX_OP_MINIMUM:
    case IX_OP_LESS:
    case IX_OP_LESS_EQUAL:
    case IX_OP_GREATER:
    case IX_OP_GREATER_EQUAL:
    case IX_OP_WHERE:
        return true;
    default:
        return false;
    }
}

/* A literal that may differ; it becomes the argument that takes its place. */
static void
put_literal(ix_fingerprint_writer *w, ilex_array **x)
{
    ix_fingerprint *f = &w->f;
    if (w->a) {
        int i = w->a->literal[w->next_literal++];
        if (i)
            *x = ix_offset_value(w->u, w->a->noffsets + i - 1,
                                 (ilex_dtype)(*x)->dtype);
        return;
    }
    put(w, IX_NKINDS); /* no leaf has this kind */
    put(w, (uint64_t)(*x)->dtype);
    ix_arena_grow(&w->u->arena, &f->literal, &w->literal_capacity,
                  f->nliterals + 1, sizeof *f->literal);
    f->literal[f->nliterals++] = *x;
}

/* ---- statements ---- */

/* The length of a loop that is short and constant, which it stays. */
static uint64_t
length_of(const ix_stmt *loop)
{
    const ilex_array *lo = ix_for_lo(loop), *hi = ix_for_hi(loop);
    bool constant = lo->kind == IX_CONST && hi->kind == IX_CONST;
    int64_t length = constant ? hi->attr[0] - lo->attr[0] : SHORT + 1;
    return (uint64_t)(length > SHORT ? SHORT + 1 : length);
}

/* The bound's operand "*x"; its sum with an offset is a statement of its own,
 * before "**at". */
static void
put_bound(ix_fingerprint_writer *w, ilex_array **x, ix_stmt ***at)
{
    ilex_array *was = *x;
    if (was->kind != IX_CONST) {
        put_leaf(w, was);
        return;
    }
    put_sum(w, x, false);
    if (*x == was)
        return;
    ix_stmt *s = **at, *t = ix_stmt_copy(w->u, s);
    t->prefix = 't';
    t->bound = false;
    t->number = w->f.k->nvalues++;
    t->x[0] = *x;
    t->next = s;
    *x = ix_value_of(w->u, t);
    **at = t;
    *at = &t->next;
}

/* The operation on leaves that is operand "*x" of "**at". A constant beside
 * another bound, "max(begin, 1)", may differ, and so may literals. */
static void
put_operation(ix_fingerprint_writer *w, ilex_array **operand, ix_stmt **at)
{
    bool bound = (*at)->bound;
    ilex_array *x = *operand, *ops[IX_APPLY_OPERANDS];
    put(w, (uint64_t)x->kind);
    put(w, (uint64_t)x->dtype);
    for (int i = 0; i < x->nattr; i++)
        put(w, (uint64_t)x->attr[i]);
    for (int i = 0; i < x->nops; i++) {
        ops[i] = x->ops[i];
        if (bound)
            put_bound(w, &ops[i], &at);
        else if (w->literals && may_differ(x, i))
            put_literal(w, &ops[i]);
        else
            put_leaf(w, ops[i]);
    }
    if (w->a)
        *operand = ix_with_operands(x, ops);
}

static uint64_t
number_or_none(const ix_stmt *s)
{
    return s ? (uint64_t)s->number + 1 : 0;
}

/* What a statement is but for its operands. Its first bytes are as they are. */
static void
put_attributes(ix_fingerprint_writer *w, const ix_stmt *s)
{
    enum { FIRST = offsetof(ix_stmt, n) + IX_GROUPS };
    ix_fingerprint *f = &w->f;
    if (w->a)
        return;
    ix_arena_grow(&w->u->arena, &f->byte, &w->byte_capacity, f->nbytes + FIRST,
                  1);
    memcpy(f->byte + f->nbytes, s, FIRST);
    f->nbytes += FIRST;
    put(w, (uint64_t)s->number);
    put(w, (uint64_t)s->step);
    put(w, number_or_none(s->mem));
    put(w, number_or_none(s->from));
    put(w, number_or_none(s->to));
    if (s->buffer >= 0)
        put_buffer(w, s->buffer);
    if (s->kind == IX_STMT_FOR) {
        put(w, (uint64_t)w->f.k->variable[s->number].role);
        put(w, length_of(s));
    }
}

/* Operand "*x" of "**at", which may get a statement before it. An index that is
 * 0 needs no stride, so it stays 0. */
static void
put_operand(ix_fingerprint_writer *w, int group, ilex_array **x, ix_stmt **at)
{
    ix_flat flat = ix_stmt_rows[(*at)->kind].flat[group];
    bool zero = (*x)->kind == IX_CONST && (*x)->attr[0] == 0;
    bool fixed =
        group == IX_INDICES ? zero || (*at)->buffer < 0 : flat == IX_FLAT_FIXED;
    bool sum = flat == IX_FLAT_OPERATION ? (*x)->dtype == ILEX_I64
                                         : flat >= IX_FLAT_SUM;
    if (ix_is_operation(*x) || (*x)->kind == IX_PRODUCT)
        put_operation(w, x, at);
    else if (sum)
        put_sum(w, x, fixed);
    else
        put_leaf(w, *x);
}

static void
put_list(ix_fingerprint_writer *w, ix_stmt **list)
{
    for (ix_stmt **at = list; *at; at = &(*at)->next) {
        ix_stmt *s = *at;
        ilex_array **x = s->x;
        put_attributes(w, s);
        for (int g = 0; g < IX_GROUPS; g++)
            for (int i = 0; i < s->n[g]; i++)
                put_operand(w, g, x++, at);
        put_list(w, &s->body);
        put_list(w, &s->other);
        if (w->a)
            s->note = NULL; /* it names arrays of one of the kernels */
        while (*at != s)
            at = &(*at)->next;
    }
    put(w, IX_NSTMTS);
}

/* ---- kernels ---- */

uint64_t
ix_fingerprint_write(ix_fingerprint_writer *w, ix_kernel *k)
{
    w->a = NULL;
    w->f.k = k;
    w->f.nbytes = w->f.nconstants = w->f.nliterals = 0;
    k->buffers.count = k->sizes.count = 0;
    put_list(w, &k->body);
    for (size_t i = 0; i < k->buffers.count; i++)
        w->buffer[k->buffers.item[i]] = 0;
    for (size_t i = 0; i < k->sizes.count; i++)
        w->size[k->sizes.item[i]] = 0;
    return ix_hash_bytes(1, w->f.byte, w->f.nbytes);
}

void
ix_fingerprint_rewrite(ix_fingerprint_writer *w, ix_kernel *k,
                       const ix_arguments *a)
{
    w->a = a;
    w->f.k = k;
    w->next = w->next_literal = 0;
    put_list(w, &k->body);
}
