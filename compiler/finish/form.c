/* SPDX-License-Identifier: MIT
 *
 * The form of a kernel, for the pass share: a list of numbers, its statements
 * with buffers and sizes numbered as they are met. The constants of bounds and
 * indices stand beside it, and literals where these may differ; the same walk
 * puts arguments in their places.
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
put(ix_form_writer *w, uint64_t number)
{
    ix_form *f = &w->f;
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
number_of(ix_form_writer *w, int what, int *number, ix_ints *list)
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
put_buffer(ix_form_writer *w, int i)
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
put_leaf(ix_form_writer *w, const ilex_array *x)
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
put_constant(ix_form_writer *w, int64_t c)
{
    ix_form *f = &w->f;
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
put_sum(ix_form_writer *w, ilex_array **x, bool fixed)
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
put_literal(ix_form_writer *w, ilex_array **x)
{
    ix_form *f = &w->f;
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

/* An index that is 0 needs no stride, so it stays 0. */
static void
put_element(ix_form_writer *w, ix_stmt *s)
{
    ix_element *e = &s->at;
    put(w, (uint64_t)e->rank);
    put(w, e->scratch ? (uint64_t)e->scratch->number + 1 : 0);
    put(w, e->row ? (uint64_t)e->row->number + 1 : 0);
    if (ix_stmt_has_element(s) && !e->scratch)
        put_buffer(w, e->buffer);
    for (int k = 0; k < e->rank; k++) {
        const ilex_array *x = e->index[k];
        bool zero = x->kind == IX_CONST && x->attr[0] == 0;
        put_sum(w, &e->index[k], zero || e->scratch);
    }
}

/* The bounds of a loop; the length of a short one stays. */
static void
put_loop(ix_form_writer *w, ix_stmt *s)
{
    const ilex_array *lo = s->lo[0], *hi = s->hi[0];
    bool constant = lo->kind == IX_CONST && hi->kind == IX_CONST;
    int64_t length = constant ? hi->attr[0] - lo->attr[0] : SHORT + 1;
    put(w, (uint64_t)s->how);
    put(w, (uint64_t)s->step);
    put(w, (uint64_t)w->f.k->variable[s->number]);
    put(w, (uint64_t)s->parallel << 1 | (uint64_t)s->optional);
    put(w, (uint64_t)(length > SHORT ? SHORT + 1 : length));
    put_sum(w, &s->lo[0], false);
    put_sum(w, &s->hi[0], false);
}

/* The bound's operand "*x"; its sum with an offset is a statement of its own,
 * before "**at". */
static void
put_bound(ix_form_writer *w, ilex_array **x, ix_stmt ***at)
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
    t->number = w->f.k->nvalues++;
    t->value = *x;
    t->next = s;
    *x = ix_value_of(w->u, t);
    **at = t;
    *at = &t->next;
}

/* An operation on leaves. A constant beside another bound, "max(begin, 1)", may
 * differ, and so may literals. */
static void
put_operation(ix_form_writer *w, ix_stmt **at)
{
    ix_stmt *s = *at;
    bool bound = s->prefix == 'L' || s->prefix == 'H';
    ilex_array *x = s->value, *ops[IX_APPLY_OPERANDS];
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
        s->value = ix_with_operands(x, ops);
}

/* The fields of a statement that are numbers; which of them it uses, its kind
 * says. */
static void
put_numbers(ix_form_writer *w, const ix_stmt *s)
{
    const uint64_t number[] = {
        (uint64_t)s->kind,
        (uint64_t)s->number,
        (uint64_t)s->prefix,
        (uint64_t)s->op,
        (uint64_t)s->better,
        (uint64_t)s->down,
        (uint64_t)s->scratch,
        (uint64_t)s->extent,
        (uint64_t)s->dtype,
        s->from ? (uint64_t)s->from->number + 1 : 0,
        s->to ? (uint64_t)s->to->number + 1 : 0,
    };
    for (size_t i = 0; i < IX_COUNT(number); i++)
        put(w, number[i]);
}

static void
put_list(ix_form_writer *w, ix_stmt **list)
{
    for (ix_stmt **at = list; *at; at = &(*at)->next) {
        ix_stmt *s = *at;
        bool operation = s->value && (ix_is_operation(s->value) ||
                                      s->value->kind == IX_PRODUCT);
        put_numbers(w, s);
        if (s->kind == IX_STMT_FOR)
            put_loop(w, s);
        if (s->kind == IX_STMT_CHECK) {
            put_sum(w, &s->lo[0], true);
            put_sum(w, &s->hi[0], true);
        }
        put_element(w, s);
        put(w, s->value != NULL);
        if (operation)
            put_operation(w, at);
        else if (s->value && s->kind == IX_STMT_LET && s->dtype == ILEX_I64)
            put_sum(w, &s->value, false);
        else if (s->value)
            put_leaf(w, s->value);
        if (s->width)
            put_sum(w, &s->width, true);
        put(w, s->place != NULL);
        if (s->place)
            put_sum(w, &s->place, false);
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
ix_form_write(ix_form_writer *w, ix_kernel *k)
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
ix_form_rewrite(ix_form_writer *w, ix_kernel *k, const ix_arguments *a)
{
    w->a = a;
    w->f.k = k;
    w->next = w->next_literal = 0;
    put_list(w, &k->body);
}
