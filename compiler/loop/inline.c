/* SPDX-License-Identifier: MIT
 *
 * inline T: what reads a temporary computes the element instead.
 *
 *     kernel k0                     kernel k0
 *         for i in [0, n)               for i in [0, n)
 *             T[i] = exp(x[i])              y[i] = exp(x[i - 1]) + exp(x[i])
 *     kernel k1
 *         for i in [1, n)
 *             y[i] = T[i - 1] + T[i]
 *
 * T is stored by one statement, at each point of its loops once, and what it
 * stores is an expression: no reduction, no branch, no level before. The
 * expression is the same, so is each bit. What it reads is as it was when T was
 * computed: outputs in the place of inputs are in the way. An index that is
 * data, which is checked, is neither moved nor multiplied.
 */
#include "compiler/loop/distances.h"

typedef struct inlining {
    ix_unit *u;
    int buffer;
    ix_kernel *k;           /* that stores it */
    const ix_access *store; /* NULL: none was found */
    const char *wrong;      /* about how it is stored or read, or NULL */
    ix_kernel *last;        /* that reads it, or NULL */
    int64_t reads;          /* of the kernel that is looked at */
    bool too_large;         /* index sums */
} inlining;

/* ---- how it is stored ---- */

static void
find_store(inlining *x, ix_kernel *k)
{
    ix_accesses a = ix_accesses_in(x->u, k, k->body);
    for (size_t i = 0; i < a.n && !x->wrong; i++) {
        const ix_access *y = &a.item[i];
        if (y->buffer != x->buffer || y->stmt->buffer != x->buffer)
            continue;
        if (!y->write || y->stmt->kind != IX_STMT_STORE)
            x->wrong = "levels before are read, or elements are changed";
        else if (x->store)
            x->wrong = "it is stored by several statements";
        else if (y->branch)
            x->wrong = "it is stored in a branch";
        x->store = y;
        x->k = k;
    }
}

static ix_walk_step
meet_value(ix_walk *w, ilex_array *n, size_t *value)
{
    (void)value;
    *(bool *)w->user |= n->kind == IX_VALUE;
    return IX_WALK_IN;
}

/* Does it need what other statements compute? */
static bool
has_value(ix_unit *u, ilex_array *x)
{
    bool has = false;
    ix_walk w = {
        .ctx = u->ctx, .mem = &u->mem, .enter = meet_value, .user = &has};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    return has;
}

static const char *
why_not_stored_so(inlining *x)
{
    if (!ix_buffer_is_of_kernels(x->u, x->buffer))
        return "it is no temporary that kernels alone use";
    for (ix_kernel *k = x->u->kernels; k && !x->wrong; k = k->next)
        find_store(x, k);
    if (x->wrong || !x->store)
        return x->wrong ? x->wrong : "no kernel stores it";
    ilex_array *value = ix_store_value(x->store->stmt);
    if (has_value(x->u, value) || (value->flags & IX_HAS_GUARD))
        return "what is stored holds a reduction or a branch";
    if (value->flags & IX_HAS_CHECK)
        return "what is stored reads at indices that are data, which are "
               "checked";
    if (!ix_access_is_once_a_point(x->store) ||
        value->dtype != x->u->buffer[x->buffer].dtype)
        return "its elements are not stored at the indices of loops";
    return NULL;
}

/* ---- how it is read ---- */

static bool
is_other_load(void *user, const ilex_array *load)
{
    const inlining *x = user;
    return load->attr[0] != x->buffer;
}

static bool
has_load(inlining *x, ilex_array *n)
{
    return (n->flags & IX_HAS_LOAD) &&
           !ix_body_loads(x->u, n, is_other_load, x);
}

static ix_walk_step
meet_read(ix_walk *w, ilex_array *n, size_t *value)
{
    inlining *x = w->user;
    bool it = n->kind == IX_LOAD && n->attr[0] == x->buffer;
    (void)value;
    for (int i = 0; i < n->nops; i++) {
        if ((n->kind == IX_LOAD || n->kind == IX_CHECKED) &&
            has_load(x, n->ops[i]))
            x->wrong = "it is an index itself";
        if (it && !ix_index_is_affine(n->ops[i]))
            x->wrong = "it is read at indices that are data";
    }
    x->reads += it;
    return IX_WALK_IN;
}

static bool
look_at_reads(void *user, ix_stmt *s)
{
    inlining *x = user;
    ix_walk w = {
        .ctx = x->u->ctx, .mem = &x->u->mem, .enter = meet_read, .user = x};
    int indices = ix_operands_before(s, IX_INDICES);
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++) {
        if ((i >= indices || s->kind == IX_STMT_FOR) && has_load(x, s->x[i]))
            x->wrong = "it is an index itself";
        ix_walk_body(&w, s->x[i], NULL);
    }
    ix_walk_free(&w);
    return !x->wrong;
}

/* Looks at all reads, and whether there is room for what they become. */
static ix_refusal
look_at_kernels(inlining *x)
{
    ix_stmt *one = ix_stmt_copy(x->u, x->store->stmt);
    for (ix_kernel *k = x->u->kernels; k; k = k->next) {
        x->reads = 0;
        ix_stmt_each(k->body, look_at_reads, x);
        if (x->wrong)
            return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s", x->wrong);
        x->last = x->reads ? k : x->last;
        if (x->reads && !ix_loop_has_room(x->u, k, x->reads, one))
            return ix_refuse(x->u, IX_REFUSAL_SIZE,
                             "k%d would be too long for a function", k->number);
    }
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- it goes ---- */

static ix_substitution replacing(inlining *x);

/* The expression at the indices of a load; buffers behind are one number
 * further ahead. */
static ilex_array *
at_element(void *user, ilex_array *load, ilex_array *const *index)
{
    inlining *x = user;
    if (load->attr[0] < x->buffer)
        return NULL;
    if (load->attr[0] > x->buffer)
        return ix_scalar_load(x->u->ctx, (ilex_dtype)load->dtype,
                              (int)load->attr[0] - 1, load->nops, index);
    ix_substitution s = replacing(x);
    for (int a = 0; a < load->nops; a++) {
        const ilex_array *was = x->store->index[a];
        if (was->kind == IX_INDEX)
            ix_substitution_set(&s, was, index[a]);
    }
    ilex_array *value = ix_substitute(&s, ix_store_value(x->store->stmt));
    x->too_large |= s.too_large;
    ix_substitution_free(&s);
    return value;
}

static ix_substitution
replacing(inlining *x)
{
    return (ix_substitution){.ctx = x->u->ctx,
                             .mem = &x->u->mem,
                             .load = at_element,
                             .became = ix_origin_keep,
                             .user = x,
                             .listener = x->u,
                             .quiet = true};
}

static bool
renumber(void *user, ix_stmt *s)
{
    const inlining *x = user;
    s->buffer -= s->buffer > x->buffer;
    return true;
}

/* A list with the expression instead of reads, without the store. */
static ix_stmt *
inlined(inlining *x, const ix_stmt *list)
{
    ix_substitution s = replacing(x);
    ix_stmt *made =
        ix_stmts_without(ix_stmt_substitute(x->u, &s, list), x->buffer, false);
    ix_stmt_each(made, renumber, x);
    x->too_large |= s.too_large;
    ix_substitution_free(&s);
    return made;
}

/* Leaves kernels without it; false where index sums would be too large. */
static bool
inline_all(inlining *x)
{
    ix_unit *u = x->u;
    size_t n = 0;
    ix_stmt **made =
        ix_arena_new(&u->arena, 2 * (size_t)u->nkernels * sizeof *made);
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        made[n++] = inlined(x, k->body);
        made[n] = k->nests == k->body ? made[n - 1] : inlined(x, k->nests);
        n++;
    }
    if (x->too_large)
        return false;
    n = 0;
    for (ix_kernel **k = &u->kernels; *k;) {
        (*k)->directed |= !ix_stmt_loads(u, (*k)->body, is_other_load, x);
        (*k)->body = made[n++];
        (*k)->nests = made[n++];
        if ((*k)->body)
            k = &(*k)->next;
        else
            *k = (*k)->next;
    }
    return true;
}

/* The buffer goes from what is known beside kernels. */
static void
forget(ix_unit *u, int buffer)
{
    memmove(&u->buffer[buffer], &u->buffer[buffer + 1],
            (--u->nbuffers - (size_t)buffer) * sizeof *u->buffer);
    u->ncalled = SIZE_MAX;
    u->count_buffer -= u->count_buffer > buffer;
    for (size_t i = 0; i < u->ncalls; i++) {
        ix_foreign_call *c = u->call[i];
        for (int a = 0; a < c->narguments + c->nresults; a++)
            c->slice[a].buffer -= c->slice[a].buffer > buffer;
    }
    for (size_t i = 0; i < u->norder && u->decision; i++) {
        ix_decision *d = &u->decision[i];
        if (d->buffer == buffer)
            *d = (ix_decision){IX_REASON_INLINED, d->reads, d->work, -1};
        d->buffer -= d->buffer > buffer;
    }
}

ix_refusal
ix_kernels_inline(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    inlining x = {.u = u};
    x.buffer = ix_buffer_find(u, d->name);
    (void)k;
    if (x.buffer < 0)
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no temporary, or several, is called %s", d->name);
    const char *why = why_not_stored_so(&x);
    if (why)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "%s", why);
    ix_refusal r = look_at_kernels(&x);
    if (r.class == IX_REFUSAL_NONE && x.last)
        r = ix_kernels_keep(u, x.k, x.last, ix_stmt_copy(u, x.store->stmt));
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (!inline_all(&x))
        return ix_refuse(u, IX_REFUSAL_SIZE, "index sums would be too large");
    forget(u, x.buffer);
    return r;
}
