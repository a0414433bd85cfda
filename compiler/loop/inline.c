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
 * T is stored at each point of loops once, and what is stored is an expression:
 * no reduction, no branch, no level before. The expression is the same, so is
 * each bit. It may be stored in pieces, with an expression each. What it reads
 * is as it was when T was computed: outputs in the place of inputs are in the
 * way. An index that is data, which is checked, is neither moved nor
 * multiplied.
 */
#include "compiler/loop/inline.h"

/* ---- how it is stored ---- */

/* An access to the temporary by a statement that is about it. */
static void
meet_access(ix_inlining *x, ix_kernel *k, const ix_access *y)
{
    if (x->wrong)
        return;
    if (!y->write || y->stmt->kind != IX_STMT_STORE)
        x->wrong = "levels before are read, or elements are changed";
    else if (y->branch)
        x->wrong = "it is stored in a branch";
    else if (k->condition || k->version)
        x->wrong = "versions of a kernel store it";
    else if (x->npieces == IX_MOST_PIECES)
        x->wrong = "it is stored in too many pieces";
    if (x->wrong)
        return;
    x->by[x->npieces] = k;
    x->piece[x->npieces++] = y;
}

/* Does a statement store none of these temporaries? */
static bool
is_about_others(void *user, ix_stmt *s)
{
    ix_inlining *const *x = user;
    return s->buffer < 0 || !x[s->buffer];
}

/* Pieces of temporaries, by number; NULL: not asked for. */
static void
find_pieces(ix_unit *u, ix_inlining **x)
{
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        if (ix_stmt_each(k->body, is_about_others, x))
            continue;
        ix_accesses a = ix_accesses_in(u, k, k->body);
        for (size_t i = 0; i < a.n; i++) {
            int b = a.item[i].buffer;
            if (b >= 0 && x[b] && a.item[i].stmt->buffer == b)
                meet_access(x[b], k, &a.item[i]);
        }
    }
}

static const char *
why_no_piece(const ix_inlining *x, const ix_access *piece)
{
    ilex_array *value = ix_store_value(piece->stmt);
    bool fixed = true;
    for (int i = 0; i < piece->depth; i++)
        for (int j = 0; j < ix_operands_before(piece->around[i], IX_GROUPS);
             j++)
            fixed &= !(piece->around[i]->x[j]->flags & IX_HAS_VALUE);
    if (value->flags & (IX_HAS_VALUE | IX_HAS_GUARD))
        return "what is stored holds a reduction or a branch";
    if (value->flags & IX_HAS_CHECK)
        return "what is stored reads at indices that are data, which are "
               "checked";
    if (!fixed || !ix_access_is_once_a_point(piece) ||
        value->dtype != x->u->buffer[x->buffer].dtype)
        return "its elements are not stored at the indices of loops";
    return NULL;
}

/* The same of all pieces, once they are found. */
static const char *
why_no_pieces(ix_inlining *x)
{
    if (!x->wrong && !x->npieces)
        return "no kernel stores it";
    for (int i = 0; i < x->npieces && !x->wrong; i++)
        x->wrong = why_no_piece(x, x->piece[i]);
    return x->wrong;
}

static const char *
why_not_stored_so(ix_inlining *x)
{
    if (!ix_buffer_is_of_kernels(x->u, x->buffer))
        return "it is no temporary that kernels alone use";
    ix_inlining **all =
        ix_arena_new(&x->u->arena, (x->u->nbuffers + 1) * sizeof *all);
    all[x->buffer] = x;
    find_pieces(x->u, all);
    return why_no_pieces(x);
}

/* ---- how it is read ---- */

static bool
is_other_load(void *user, const ilex_array *load)
{
    const ix_inlining *x = user;
    return load->attr[0] != x->buffer;
}

static bool
has_load(ix_inlining *x, ilex_array *n)
{
    return (n->flags & IX_HAS_LOAD) &&
           !ix_body_loads(x->u, n, is_other_load, x);
}

static ix_walk_step
meet_read(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_inlining *x = w->user;
    bool it = n->kind == IX_LOAD && n->attr[0] == x->buffer;
    (void)value;
    for (int i = 0; i < n->nops; i++) {
        if ((n->kind == IX_LOAD || n->kind == IX_CHECKED) &&
            has_load(x, n->ops[i]))
            x->wrong = "it is an index itself";
        if (it && !ix_index_is_affine(n->ops[i]))
            x->wrong = "it is read at indices that are data";
    }
    return IX_WALK_IN;
}

static bool
look_at_reads(void *user, ix_stmt *s)
{
    ix_inlining *x = user;
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

/* Notes what reads of a kernel become. */
static void
note_reads(ix_inlining *x, const ix_kernel *k)
{
    int piece[IX_MOST_PIECES];
    ix_accesses a = ix_accesses_in(x->u, k, k->body);
    x->becomes = NULL;
    for (size_t i = 0; i < a.n; i++) {
        const ix_access *read = &a.item[i];
        if (read->buffer != x->buffer || read->write)
            continue;
        for (int n = ix_inline_pieces(x, &a, read, piece); n > 0; n--) {
            ix_stmt *s = ix_stmt_copy(x->u, x->piece[piece[n - 1]]->stmt);
            s->next = x->becomes;
            x->becomes = s;
        }
    }
}

/* Looks at all reads, and whether there is room for what they become. */
static ix_refusal
look_at_kernels(ix_inlining *x)
{
    for (ix_kernel *k = x->u->kernels; k; k = k->next) {
        ix_stmt_each(k->body, look_at_reads, x);
        if (x->wrong)
            return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s", x->wrong);
        note_reads(x, k);
        x->last = x->becomes ? k : x->last;
        if (x->becomes && !ix_loop_has_room(x->u, k, 1, x->becomes))
            return ix_refuse(x->u, IX_REFUSAL_SIZE,
                             "k%d would be too long for a function", k->number);
    }
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* Is what each piece is computed from as it was where it is read last? */
static ix_refusal
look_at_what_it_reads(const ix_inlining *x)
{
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    for (int i = 0; i < x->npieces && r.class == IX_REFUSAL_NONE; i++)
        if (x->last && x->last->number >= x->by[i]->number)
            r = ix_kernels_keep(x->u, x->by[i], x->last,
                                ix_stmt_copy(x->u, x->piece[i]->stmt));
    return r;
}

/* ---- it goes ---- */

static ix_refusal
refuse_piece(const ix_inlining *x)
{
    const ix_access *p = x->piece[x->among];
    ix_kernel *by = x->by[x->among];
    return ix_refuse(
        x->u, IX_REFUSAL_SHAPE,
        "k%d reads it %s, in the piece of k%d along %s or in another one",
        x->k->number, x->unknown, by->number,
        p->depth ? ix_loop_name(x->u, by, p->around[p->depth - 1]) : "no loop");
}

static bool
inline_stmt(void *user, ix_stmt *s)
{
    ix_inline_stmt(user, s);
    return true;
}

/* A list with expressions instead of reads. */
static ix_stmt *
inlined(ix_inlining *x, const ix_stmt *list)
{
    ix_kernel made = *x->k;
    made.body = ix_stmt_clone(x->u, NULL, list);
    ix_accesses a = ix_accesses_in(x->u, &made, made.body);
    x->a = &a;
    ix_stmt_each(made.body, inline_stmt, x);
    return made.body;
}

/* The kernels' statements and nests without it. */
static ix_refusal
make_all(ix_inlining *x, ix_stmt **made)
{
    for (ix_kernel *k = x->u->kernels; k && !x->unknown; k = k->next) {
        x->k = k;
        *made++ = inlined(x, k->body);
        *made = k->nests == k->body ? made[-1] : inlined(x, k->nests);
        made++;
    }
    if (x->too_large)
        return ix_refuse(x->u, IX_REFUSAL_SIZE,
                         "index sums would be too large");
    return x->unknown ? refuse_piece(x) : (ix_refusal){IX_REFUSAL_NONE, NULL};
}

static ix_refusal
inline_all(ix_inlining *x)
{
    ix_unit *u = x->u;
    ix_stmt **made =
        ix_arena_new(&u->arena, 2 * (size_t)u->nkernels * sizeof *made);
    ix_refusal r = make_all(x, made);
    for (ix_kernel *k = u->kernels; k && r.class == IX_REFUSAL_NONE;
         k = k->next) {
        k->directed |= !ix_stmt_loads(u, k->body, is_other_load, x);
        k->body = *made++;
        k->nests = *made++;
    }
    return r;
}

void
ix_may_inline(ix_unit *u, bool *which)
{
    ix_inlining **x = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *x);
    for (size_t i = 0; i < u->nbuffers; i++)
        if (which[i] && ix_buffer_is_of_kernels(u, (int)i)) {
            x[i] = ix_arena_new(&u->arena, sizeof **x);
            *x[i] = (ix_inlining){.u = u, .buffer = (int)i};
        }
    find_pieces(u, x);
    for (size_t i = 0; i < u->nbuffers; i++)
        which[i] = x[i] && !why_no_pieces(x[i]);
}

ix_refusal
ix_kernels_inline(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    ix_inlining x = {.u = u};
    x.buffer = ix_buffer_find(u, d->name);
    (void)k;
    if (x.buffer < 0)
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no temporary, or several, is called %s", d->name);
    const char *why = why_not_stored_so(&x);
    if (why)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "%s", why);
    ix_refusal r = look_at_kernels(&x);
    if (r.class == IX_REFUSAL_NONE)
        r = look_at_what_it_reads(&x);
    if (r.class == IX_REFUSAL_NONE && x.last)
        r = inline_all(&x);
    if (r.class == IX_REFUSAL_NONE)
        ix_buffers_drop(u, ix_buffers_but(u, x.buffer, false));
    return r;
}
