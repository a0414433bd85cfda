/* SPDX-License-Identifier: MIT
 *
 * stage B at L: the box of buffer B that one iteration of L reads is copied to
 * memory of its own first (copy.c), with [update] what is written there, too,
 * and back behind the others; with [odd] rows have room for one more where that
 * makes them odd; with [order] the axes of the copy lie in that of the loops:
 *
 *     for i in [0, n) step 4           for i in [0, n) step 4
 *         for k in [0, 4)                  scratch x[4 * m]
 *             for j in [0, m)              for z in [0, 4)
 *                 ... B[j, i + k] ...          for y in [0, m)
 *                                                  x[m*z + y] = B[z, i + y]
 *                                          for k in [0, 4)
 *                                              for j in [0, m)
 *                                                  ... x[4*j + k] ...
 *
 * Where some reads follow the index of L, and others do not, it is copied for
 * the former alone: of a product of a matrix with itself the rows stay.
 */
#include "compiler/loop/box.h"

typedef struct staging {
    ix_unit *u;
    ix_kernel *k;
    ix_accesses a; /* in the loop */
    int depth;     /* loops around it */
    bool update;
    int buffer;         /* what is staged: a buffer, */
    int follow;         /* for reads by this loop's index, -1: all; */
    const ix_stmt *mem; /* or if that is -1 an array, */
    ix_strides strides; /* of which these are the axes */
    const ix_access **access;
    size_t n;
    bool reads;   /* what was there before */
    bool updates; /* an element of it */
    ix_copy copy;
    const ilex_array *array; /* what the loop computes */
    ix_substitution *s;
    ix_stmt **tail; /* where reads of it go */
} staging;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- what is staged ---- */

typedef struct called {
    const char *name;
    const ix_stmt *is;
} called;

static bool
is_not_called(void *user, ix_stmt *s)
{
    called *c = user;
    if (s->kind == IX_STMT_SCRATCH && s->scratch == IX_SCRATCH_ARRAY &&
        !strcmp(ix_value_name(s->prefix, s->number).s, c->name))
        c->is = s;
    return !c->is;
}

/* A buffer, or an array that is made outside of the loop. */
static bool
find_memory(staging *x, const char *name, ix_stmt *loop)
{
    called all = {name, NULL}, inside = {name, NULL};
    x->buffer = ix_buffer_find(x->u, name);
    if (x->buffer >= 0)
        return true;
    ix_stmt_each(x->k->body, is_not_called, &all);
    ix_stmt_each(loop->body, is_not_called, &inside);
    x->mem = all.is;
    return x->mem && !inside.is;
}

static bool
is_staged(const staging *x, const ix_access *a)
{
    return x->mem ? a->scratch && a->scratch->number == x->mem->number
                  : a->buffer == x->buffer;
}

/* Are elements at such indices among those that are copied? */
static bool
follows(const staging *x, int rank, ilex_array *const *index)
{
    bool any = x->follow < 0;
    for (int d = 0; d < rank && !any; d++)
        any = ix_scalar_uses_index(index[d], x->follow);
    return any;
}

/* Is a statement about an element of it that is to be one of the copy? */
static bool
is_about(const staging *x, const ix_stmt *s)
{
    bool it =
        x->mem ? s->buffer < 0 && s->mem && s->mem->number == x->mem->number
               : s->buffer == x->buffer &&
                     follows(x, s->n[IX_INDICES], ix_operands(s, IX_INDICES));
    return it && (s->kind == IX_STMT_LOAD ||
                  (x->update &&
                   (s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE)));
}

/* ---- may it? ---- */

/* The same iteration does not read an element where it was before a write. */
static ix_refusal
meets(void *user, const ix_access *a, const ix_access *b)
{
    staging *x = user;
    ix_direction same[IX_DEEP + 1] = {IX_SAME};
    bool first = is_staged(x, a), second = is_staged(x, b);
    if (x->update ? first == second : !second || b->write)
        return fine;
    ix_tri meet = ix_accesses_meet(&x->a, a, b, x->depth + 1, same);
    if (meet == IX_NO)
        return fine;
    if (meet == IX_YES && first && second)
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         "an iteration reads elements that it writes");
    return ix_refuse(x->u, IX_REFUSAL_UNPROVED,
                     "it is not known that no iteration reads elements that it "
                     "writes");
}

/* The loop's index, if some reads of the buffer follow it and others do not. */
static int
index_that_some_follow(const staging *x, int loop)
{
    staging one = {.follow = loop};
    int some = 0, all = 0;
    for (size_t i = 0; i < x->a.n && x->buffer >= 0; i++) {
        const ix_access *a = &x->a.item[i];
        all += is_staged(x, a);
        some += is_staged(x, a) && follows(&one, a->rank, a->index);
    }
    return some > 0 && some < all && !x->update ? loop : -1;
}

/* The accesses that are to be to the copy. */
static ix_refusal
collect(staging *x, int loop)
{
    bool stores = false, writes = false;
    x->follow = index_that_some_follow(x, loop);
    x->access = ix_arena_new(&x->u->arena, (x->a.n + 1) * sizeof *x->access);
    for (size_t i = 0; i < x->a.n; i++) {
        const ix_access *a = &x->a.item[i];
        if (!is_staged(x, a) || (a->write && !x->update) ||
            !follows(x, a->rank, a->index))
            continue;
        if (a->rank < 0 || a->unknown ||
            (a->stmt->kind == IX_STMT_FOR && a->stmt->n[IX_for_while]))
            return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                             "it is used as a whole, or in the condition of a "
                             "loop");
        writes |= a->write;
        stores |= a->write && a->stmt->kind == IX_STMT_STORE;
        x->updates |= a->stmt->kind == IX_STMT_UPDATE && a->write;
        x->reads |= !a->write || x->updates;
        x->access[x->n++] = a;
    }
    if (x->n == 0 || (x->update && !writes))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "nothing of it is %s there",
                         x->update ? "written" : "read");
    if (stores && x->reads)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is stored and read there, so that it is not known "
                         "what of it was there before");
    return fine;
}

static ilex_dtype
dtype_of(const staging *x)
{
    return x->mem ? x->mem->dtype : x->u->buffer[x->buffer].dtype;
}

static ix_refusal
look_at_box(staging *x, const ix_cursor *c, int nloops)
{
    ix_accesses all = ix_accesses_in(x->u, x->k, x->k->body);
    if (x->mem && !ix_strides_of(x->u, x->access, x->n, x->depth, &x->strides))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "it has too many axes");
    ix_refusal r = ix_box_of(&x->a, c, x->access, x->n, &x->copy.box);
    bool changes = x->mem || ix_accesses_write(&all, x->buffer);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (changes && !x->copy.box.exact)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is written in this kernel, and the loop does not "
                         "use just the elements of a box");
    if (x->mem && !ix_strides_apart(&x->strides, &x->copy.box))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "an element of it has several places in a box");
    if (x->update && (x->buffer >= 0 || !x->reads) && !x->copy.box.always)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "an iteration may write nothing of it");
    r = ix_copy_order(x->u, &x->copy, x->access, x->n, c + 1, nloops - 1);
    if (r.class == IX_REFUSAL_NONE)
        r = ix_copy_fits(x->u, &x->copy, dtype_of(x), x->updates);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    for (size_t i = 0; i < x->n; i++)
        if (!ix_copy_has(x->u, &x->copy, x->access[i]->index))
            return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                             "an index in the copy has too many terms");
    return fine;
}

/* ---- accesses to the copy ---- */

/* That element itself. */
static ix_element
original(const staging *x, ilex_array *const *index)
{
    return x->mem ? ix_element_scratch((ix_stmt *)x->mem,
                                       ix_strides_sum(x->u, &x->strides, index))
                  : ix_element_of(x->buffer, x->copy.box.rank, index);
}

/* The copy of the element at an index of the memory. */
static ix_element
element(const staging *x, ilex_array *const *index)
{
    ilex_array *along[ILEX_MAX_RANK];
    if (!x->mem)
        return ix_copy_element(x->u, &x->copy, index);
    ix_strides_split(x->u, &x->strides, index[0], along);
    return ix_copy_element(x->u, &x->copy, along);
}

/* Defines the value of an element, before the statement that uses it. */
static ilex_array *
put_load(staging *x, ix_element at)
{
    ix_stmt *s = ix_stmt_at(x->u, IX_STMT_LOAD, at, NULL);
    s->prefix = 't';
    s->number = x->k->nvalues++;
    s->dtype = dtype_of(x);
    s->array = x->array;
    *x->tail = s;
    x->tail = &s->next;
    return ix_value_of(x->u, s);
}

static ilex_array *
load_copied(void *user, ilex_array *load, ilex_array *const *index)
{
    staging *x = user;
    return load->attr[0] == x->buffer && follows(x, load->nops, load->ops)
               ? put_load(x, element(x, index))
               : NULL;
}

/* The statement with operands from the copy, whose element it may be about. */
static ix_stmt *
with_copy(staging *x, const ix_stmt *s)
{
    ix_stmt *t = ix_stmt_copy(x->u, s);
    for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
        t->x[i] = ix_substitute(x->s, t->x[i]);
    if (!is_about(x, s))
        return t;
    ix_element e = element(x, ix_operands(t, IX_INDICES));
    t = ix_stmt_with_group(x->u, t, IX_INDICES, e.rank, e.index);
    t->mem = e.mem;
    t->buffer = e.buffer;
    return t;
}

/* How many statements of a list happen at once: neighbouring stores. */
static int
at_once(const ix_stmt *list)
{
    int n = 1;
    for (;
         ix_stmt_is_output(list) && list->next && ix_stmt_is_output(list->next);
         list = list->next)
        n++;
    return n;
}

/* The statements with the copy; of those that happen at once the reads of it
 * come first, then what is stored in it. */
static ix_stmt *
list_with_copy(staging *x, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    while (list) {
        ix_substitution s = {.ctx = x->u->ctx,
                             .mem = &x->u->mem,
                             .load = load_copied,
                             .became = ix_origin_keep,
                             .user = x,
                             .listener = x->u};
        ix_stmt *others = NULL, **end = &others;
        x->s = &s;
        x->tail = tail;
        for (int n = at_once(list); n > 0; n--, list = list->next) {
            ix_stmt *t = with_copy(x, list);
            ix_stmt ***to = ix_stmt_is_output(t) ? &end : &x->tail;
            **to = t;
            *to = &t->next;
            tail = x->tail;
            t->body = list_with_copy(x, list->body);
            t->other = list_with_copy(x, list->other);
            x->s = &s;
            x->tail = tail;
        }
        *tail = others;
        tail = others ? end : tail;
        ix_substitution_free(&s);
    }
    return first;
}

/* ---- copies ---- */

/* A loop over an axis of the box; its index is "*z". */
static ix_stmt *
copying_loop(const staging *x, const ix_box_axis *ax, ilex_array **z)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *lo[IX_MOST_BOUNDS] = {ix_index_const(ctx, 0)},
               *hi[IX_MOST_BOUNDS] = {ix_index_const(ctx, ax->n)};
    memcpy(lo + 1, ax->lo.x, (size_t)ax->lo.n * sizeof *lo);
    memcpy(hi + 1, ax->hi.x, (size_t)ax->hi.n * sizeof *hi);
    ix_stmt *loop = ix_stmt_new(
        x->u, IX_STMT_FOR, IX_OPERANDS({1 + ax->lo.n, lo}, {1 + ax->hi.n, hi}));
    loop->number = ix_kernel_variable(x->u, x->k, IX_VARIABLE_COPIED);
    loop->optional = ax->lo.n > 0 || ax->hi.n > 0;
    loop->parallel = true;
    loop->array = x->array;
    *z = ix_scalar_index(ctx, loop->number);
    return loop;
}

/* Loops over the box, around the statement that copies an element. */
static ix_stmt *
copying(staging *x, bool back)
{
    ilex_array *index[ILEX_MAX_RANK] = {NULL};
    ix_stmt *first = NULL, **at = &first;
    for (int d = 0; d < x->copy.box.rank; d++) {
        const ix_box_axis *ax = &x->copy.box.axis[d];
        index[d] = ax->from;
        if (ax->n == 1 && !ax->lo.n && !ax->hi.n)
            continue;
        ilex_array *z;
        *at = copying_loop(x, ax, &z);
        at = &(*at)->body;
        index[d] = ix_index_fma(x->u->ctx, ax->from, 1, z);
    }
    ix_element copy = ix_copy_element(x->u, &x->copy, index),
               it = original(x, index);
    x->tail = at;
    ilex_array *value = put_load(x, back ? copy : it);
    *x->tail = ix_stmt_store(x->u, back ? it : copy, value);
    (*x->tail)->array = x->array;
    return first;
}

static ix_refusal
may(staging *x, const ix_directive *d, const ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c);
    if (!find_memory(x, d->name, loop))
        return ix_refuse(x->u, IX_REFUSAL_NAME,
                         "no buffer, and no array outside of the loop, is "
                         "called %s",
                         d->name);
    if (loop->how == IX_VECTOR)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "its iterations run together");
    x->a = ix_accesses_in(x->u, x->k, loop->body);
    ix_refusal r = collect(x, loop->number);
    if (r.class == IX_REFUSAL_NONE)
        r = ix_access_pairs(&x->a, meets, x);
    return r.class == IX_REFUSAL_NONE ? look_at_box(x, c, d->nloops) : r;
}

ix_refusal
ix_loop_stage(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    const ix_stmt *was = ix_cursor_loop(c);
    staging x = {.u = u,
                 .k = c->k,
                 .depth = ix_cursor_depth(c),
                 .update = d->words & IX_COPY_BACK,
                 .copy.workspace = d->words & IX_COPY_WORKSPACE,
                 .copy.odd = d->words & IX_COPY_ODD,
                 .array = was->array};
    ix_refusal r = may(&x, d, c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_copy_make(u, c->k, was, &x.copy, dtype_of(&x));
    ix_stmt *loop = ix_stmt_copy(u, was);
    loop->body = x.copy.scratch;
    if (x.reads)
        *ix_stmt_end(&loop->body) = copying(&x, false);
    *ix_stmt_end(&loop->body) = list_with_copy(&x, was->body);
    if (x.update)
        *ix_stmt_end(&loop->body) = copying(&x, true);
    loop->next = was->next;
    *c->at = loop;
    return fine;
}
