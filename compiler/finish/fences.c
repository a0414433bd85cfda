/* SPDX-License-Identifier: MIT
 *
 * Pass fences: where threads of a group, or of a block, wait for each other,
 * before they read what others may have stored and before they store where
 * others may still read. needs: loads as statements, in their order; gives:
 * fences; breaks: nothing.
 *
 *     for k in [0, n) group              for k in [0, n) group
 *         t[i, k] = ...                      t[i, k] = ...
 *     for j in [0, 32) group             fence
 *         l[j] = t[i, j + 32*r]          for j in [0, 32) group
 *                                            l[j] = t[i, j + 32*r]
 *
 * What lanes read has been read when they are folded. Groups need none: no
 * point of a grid reads what another one stores. The points of a block share
 * arrays.
 */
#include "compiler/tree/tree.h"

/* What threads have done, each for itself, since they last waited. */
typedef struct since {
    bool read, stored;
} since;

typedef struct fencing {
    ix_unit *u;
    bool blocks;
    bool *written; /* by buffer: does the kernel store it? */
} fencing;

static bool
note_store(void *user, ix_stmt *s)
{
    fencing *f = user;
    if (ix_stmt_is_output(s))
        f->written[s->buffer] = true;
    return true;
}

/* ---- what a statement does to buffers ---- */

/* With what stands in it. What lanes read is not open: it is read when they are
 * folded. */
typedef struct using
{
    bool open, again, stores; /* reads; what the kernel stores */
}
using;

static void
note_use(const fencing *f, const ix_stmt *s, bool lanes, using *x)
{
    bool shared = ix_stmt_is_shared(s);
    bool reads = s->kind == IX_STMT_LOAD && (s->buffer >= 0 || shared);
    lanes |= s->how == IX_GROUP && !ix_loop_is_points(s);
    x->open |= reads && !lanes;
    x->again |= reads && (shared || f->written[s->buffer]);
    x->stores |= ix_stmt_is_output(s) || (shared && s->kind == IX_STMT_STORE);
    for (const ix_stmt *in = s->body; in; in = in->next)
        note_use(f, in, lanes, x);
    for (const ix_stmt *in = s->other; in; in = in->next)
        note_use(f, in, lanes, x);
}

/* ---- fences ---- */

static void
wait_for_others(const fencing *f, ix_stmt **at)
{
    ix_stmt *fence = ix_stmt_new(f->u, IX_STMT_FENCE, NULL);
    fence->array = (*at)->array;
    fence->next = *at;
    *at = fence;
}

static void
add(since *now, using x)
{
    now->read |= x.open;
    now->stored |= x.stores;
}

static void put_fences(const fencing *f, ix_stmt *s, using x, since now);

/* In a list that begins as "now", and behind that of the loop around. */
static void
put_in_list(const fencing *f, ix_stmt **list, since now)
{
    for (ix_stmt **at = list, *s; (s = *at); at = &s->next) {
        using x = {false, false, false};
        note_use(f, s, false, &x);
        if (s->how != IX_GRID &&
            ((x.stores && now.read) || (x.again && now.stored))) {
            wait_for_others(f, at);
            now = (since){false, false};
        }
        put_fences(f, s, x, now);
        add(&now, x);
    }
}

/* In a statement, where that is done by all threads. A loop begins as what it
 * did the last time may have left it; groups of a grid do their points alone.
 */
static void
put_fences(const fencing *f, ix_stmt *s, using x, since now)
{
    if (s->how == IX_GROUP || s->how == IX_BLOCK)
        return;
    if (s->how == IX_GRID && !f->blocks)
        now = (since){false, false};
    else if (s->kind == IX_STMT_FOR)
        add(&now, x);
    put_in_list(f, &s->body, now);
    put_in_list(f, &s->other, now);
}

static bool
put_fences_in(ix_unit *u, ix_kernel *k)
{
    fencing f = {.u = u, .blocks = k->team == IX_TEAM_BLOCK};
    if (!k->team)
        return true;
    f.written = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *f.written);
    ix_stmt_each(k->body, note_store, &f);
    put_in_list(&f, &k->body, (since){false, false});
    return true;
}

bool
ix_pass_fences(ix_unit *u)
{
    return ix_kernels_each(u, put_fences_in);
}
