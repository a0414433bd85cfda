/* SPDX-License-Identifier: MIT
 *
 * Pass share: kernels that are equal but for their buffers, sizes, and the
 * constants in bounds and indices become one function. needs: placed
 * statements; gives: kernels without statements that are called as another one,
 * with other arguments; breaks: nothing.
 *
 * Of each kernel a form is written, a list of numbers: its statements with
 * buffers and sizes numbered as they are met. The constants of bounds and
 * indices stand beside it. Kernels with equal forms are a group. Constants that
 * differ from the first kernel's by the same amount in all kernels of the group
 * get this offset as an argument:
 *
 *     for i1 in [1, n - 1)               for i1 in [1 + o0, n - 1)
 *         t2 = r0[0, i1 - 1]                 t2 = r0[0, i1 - 1 + o0]
 *
 * so that an argument is added only for what differs, and unit strides stay
 * unit strides. What the constants of short loops differ in is no offset: a
 * compiler unrolls these.
 */
#include "compiler/tree/tree.h"

enum {
    MOST_OFFSETS = 8, /* of a function; they need registers */
    MOST_TRIES = 4,   /* groups with the same form */
    SHORT = 64,       /* a loop whose length stays a constant */
    MOST_BYTES = 10   /* of a number */
};

/* A kernel as bytes of numbers, and its constants. */
typedef struct form {
    ix_kernel *k;
    uint8_t *byte;
    int64_t *constant;
    size_t nbytes, nconstants;
    struct form *next; /* of its group */
} form;

/* Kernels that become one function. */
typedef struct group {
    form *first, *last;
    int *offset; /* per constant: the offset by which it differs, 0: none */
    int noffsets;
    size_t constant[MOST_OFFSETS + 1]; /* one that has the offset */
    struct group *older;               /* with the same hash */
    struct group *next;
} group;

typedef struct sharing {
    ix_unit *u;
    ix_mem mem;
    form f; /* of the kernel that is walked, in memory for any */
    size_t byte_capacity, constant_capacity;
    int *buffer, *size; /* their numbers in it + 1, 0: not met */
    const group *g;     /* to rewrite its first kernel for, or NULL */
    size_t next;        /* constant to rewrite */
    ix_map newest;      /* of groups, by hash */
    group *groups, **tail;
} sharing;

/* ---- numbers ---- */

/* A number in as many bytes as it needs, seven bits each. */
static void
put(sharing *w, uint64_t number)
{
    form *f = &w->f;
    if (w->g)
        return;
    ix_arena_grow(&w->u->arena, &f->byte, &w->byte_capacity,
                  f->nbytes + MOST_BYTES, 1);
    for (; number > 127; number >>= 7)
        f->byte[f->nbytes++] = (uint8_t)(number | 128);
    f->byte[f->nbytes++] = (uint8_t)number;
}

/* The number of "what" among those met before, which the kernel lists. */
static int
number_of(sharing *w, int what, int *number, ix_ints *list)
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
put_buffer(sharing *w, int i)
{
    const ix_buffer *b = &w->u->buffer[i];
    if (w->g)
        return;
    put(w, (uint64_t)number_of(w, i, w->buffer, &w->f.k->buffers));
    put(w, (uint64_t)b->dtype);
    put(w, (uint64_t)b->box->rank);
    put(w, ix_buffer_is_written(b));
    put(w, ix_buffer_by_value(w->u, b));
}

static void
put_leaf(sharing *w, const ilex_array *x)
{
    uint64_t number = (uint64_t)x->attr[0];
    if (w->g)
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
put_constant(sharing *w, int64_t c)
{
    form *f = &w->f;
    if (w->g) {
        int offset = w->g->offset[w->next++];
        return offset ? ix_offset_value(w->u, offset - 1) : NULL;
    }
    ix_arena_grow(&w->u->arena, &f->constant, &w->constant_capacity,
                  f->nconstants + 1, sizeof *f->constant);
    f->constant[f->nconstants++] = c;
    return NULL;
}

/* A sum of leaves. Its constant may differ unless "fixed", or too large to be
 * added to without a care. */
static void
put_sum(sharing *w, ilex_array **x, bool fixed)
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

/* ---- statements ---- */

/* An index that is 0 needs no stride, so it stays 0. */
static void
put_element(sharing *w, ix_stmt *s)
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
put_loop(sharing *w, ix_stmt *s)
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

/* An operation on leaves. A constant beside another bound, "max(begin, 1)", may
 * differ: its sum with the offset is a statement of its own, before "*at". */
static void
put_operation(sharing *w, ix_stmt **at)
{
    ix_stmt *s = *at;
    bool bound = s->prefix == 'L' || s->prefix == 'H';
    ilex_array *x = s->value, *ops[3];
    put(w, (uint64_t)x->kind);
    put(w, (uint64_t)x->dtype);
    for (int i = 0; i < x->nattr; i++)
        put(w, (uint64_t)x->attr[i]);
    for (int i = 0; i < x->nops; i++) {
        ops[i] = x->ops[i];
        if (!bound || ops[i]->kind != IX_CONST) {
            put_leaf(w, ops[i]);
            continue;
        }
        put_sum(w, &ops[i], false);
        if (ops[i] == x->ops[i])
            continue;
        ix_stmt *t = ix_stmt_copy(w->u, s);
        t->prefix = 't';
        t->number = w->f.k->nvalues++;
        t->value = ops[i];
        t->next = s;
        ops[i] = ix_value_of(w->u, t);
        *at = t;
        at = &t->next;
    }
    if (w->g && bound)
        s->value = ix_scalar_op(w->u->ctx, ix_op_of(x), ix_loop_of(x),
                                (ilex_dtype)x->dtype, ops);
}

/* The fields of a statement that are numbers; which of them it uses, its kind
 * says. */
static void
put_numbers(sharing *w, const ix_stmt *s)
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
put_list(sharing *w, ix_stmt **list)
{
    for (ix_stmt **at = list; *at; at = &(*at)->next) {
        ix_stmt *s = *at;
        bool operation =
            s->value && (s->value->kind == IX_OP || s->value->kind == IX_CAST);
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
        if (w->g)
            s->note = NULL; /* it names arrays of one of the kernels */
        while (*at != s)
            at = &(*at)->next;
    }
    put(w, IX_NSTMTS);
}

/* ---- groups ---- */

/* Writes the form of a kernel; its hash. */
static uint64_t
read_kernel(sharing *w, ix_kernel *k)
{
    w->f.k = k;
    w->f.nbytes = w->f.nconstants = 0;
    put_list(w, &k->body);
    for (size_t i = 0; i < k->buffers.count; i++)
        w->buffer[k->buffers.item[i]] = 0;
    for (size_t i = 0; i < k->sizes.count; i++)
        w->size[k->sizes.item[i]] = 0;
    return ix_hash_bytes(1, w->f.byte, w->f.nbytes);
}

/* A copy of the form to keep; of a group's first kernel with its bytes. */
static form *
keep_form(sharing *w, bool first)
{
    form *f = ix_arena_new(&w->u->arena, sizeof *f);
    size_t bytes = w->f.nconstants * sizeof *f->constant;
    *f = w->f;
    f->constant = ix_arena_new(&w->u->arena, bytes + 1);
    if (bytes)
        memcpy(f->constant, w->f.constant, bytes);
    if (first)
        f->byte = memcpy(ix_arena_new(&w->u->arena, f->nbytes + 1), w->f.byte,
                         f->nbytes);
    return f;
}

static bool
same_form(const form *a, const form *b)
{
    return a->nbytes == b->nbytes && a->nconstants == b->nconstants &&
           !memcmp(a->byte, b->byte, a->nbytes);
}

/* Offsets of a group when one more kernel joins. */
typedef struct refinement {
    int before[MOST_OFFSETS + 1];
    int64_t by[MOST_OFFSETS + 1];
    size_t constant[MOST_OFFSETS + 1];
    int count;
} refinement;

/* The offset of a constant that had "before" and differs by "by" in the new
 * kernel; -1 when there are too many. */
static int
refine(refinement *r, int before, int64_t by, size_t constant)
{
    if (before == 0 && by == 0)
        return 0;
    for (int i = 1; i <= r->count; i++)
        if (r->before[i] == before && r->by[i] == by)
            return i;
    if (r->count == MOST_OFFSETS)
        return -1;
    int i = ++r->count;
    r->before[i] = before;
    r->by[i] = by;
    r->constant[i] = constant;
    return i;
}

/* Adds the kernel that was read to a group, if it fits. */
static bool
join(sharing *w, group *g)
{
    refinement r = {.count = 0};
    const form *f = &w->f;
    if (!same_form(g->first, f))
        return false;
    int *offset =
        ix_arena_new(&w->u->arena, (f->nconstants + 1) * sizeof *offset);
    for (size_t i = 0; i < f->nconstants; i++) {
        int64_t by = f->constant[i] - g->first->constant[i];
        offset[i] = refine(&r, g->offset[i], by, i);
        if (offset[i] < 0)
            return false;
    }
    g->offset = offset;
    g->noffsets = r.count;
    memcpy(g->constant, r.constant, sizeof g->constant);
    g->last = g->last->next = keep_form(w, false);
    return true;
}

/* Puts a kernel into a group, a new one if it fits into none. */
static void
classify(sharing *w, ix_kernel *k)
{
    const void *hash = (const void *)(uintptr_t)(read_kernel(w, k) | 1);
    size_t *found = ix_map_find(&w->newest, hash);
    group *newest = found ? (group *)*found : NULL;
    int tries = 0;
    for (group *g = newest; g && tries < MOST_TRIES; g = g->older, tries++)
        if (join(w, g))
            return;
    size_t bytes = (w->f.nconstants + 1) * sizeof(int);
    group *g = ix_arena_new(&w->u->arena, sizeof *g);
    g->first = g->last = keep_form(w, true);
    g->offset = ix_arena_new(&w->u->arena, bytes);
    g->older = newest;
    ix_map_set(&w->newest, &w->mem, hash, (size_t)g);
    *w->tail = g;
    w->tail = &g->next;
}

/* The offsets of a kernel from the first one of its group. */
static void
note_offsets(sharing *w, const group *g, const form *f)
{
    ix_kernel *k = f->k;
    k->noffsets = g->noffsets;
    k->offset = ix_arena_new(&w->u->arena,
                             ((size_t)g->noffsets + 1) * sizeof *k->offset);
    for (int i = 0; i < g->noffsets; i++) {
        size_t c = g->constant[i + 1];
        k->offset[i] = f->constant[c] - g->first->constant[c];
    }
}

/* One function for the kernels of a group. */
static void
unite(sharing *w, const group *g)
{
    for (form *f = g->first; f; f = f->next)
        note_offsets(w, g, f);
    for (form *f = g->first; f->next; f = f->next) {
        f->k->alike = f->next->k;
        f->next->k->like = g->first->k;
        f->next->k->body = NULL;
    }
    w->f.k = g->first->k;
    w->g = g;
    w->next = 0;
    put_list(w, &w->f.k->body);
    w->u->changed = true;
}

bool
ix_pass_share(ix_unit *u)
{
    if (u->reference)
        return true;
    sharing w = {.u = u, .mem = ix_arena_mem(&u->arena), .tail = &w.groups};
    w.buffer = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *w.buffer);
    w.size = ix_arena_new(&u->arena, (u->ctx->nparams + 1) * sizeof *w.size);
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        k->like = k->alike = NULL;
        k->noffsets = 0;
        k->buffers.count = k->sizes.count = 0;
        classify(&w, k);
    }
    for (const group *g = w.groups; g; g = g->next)
        if (g->first != g->last)
            unite(&w, g);
    return u->ctx->error.code == ILEX_OK;
}
