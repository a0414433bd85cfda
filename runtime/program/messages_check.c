/* SPDX-License-Identifier: MIT
 *
 * Do the messages of the programs of all ranks fit together? Each that is sent
 * is received, as what it is; and runs of them would come to an end: they are
 * played without computing anything.
 */
#include "runtime/program/messages.h"

#include "lib/base/structs.h"
#include "runtime/group/group.h"

/* A rank and what has come to it, gone from it, been made there. */
typedef struct player {
    const ilex_program *p;
    ix_message_end *end;
    uint64_t *there;
    bool *sent, *done;
} player;

typedef struct game {
    player *player;
    int ranks;
    ix_error *err;
} game;

/* Message "i" of a rank. */
typedef struct place {
    int rank;
    size_t i;
} place;

static const ix_compiled_message *
message_of(const game *g, place at)
{
    return &g->player[at.rank].p->c->message[at.i];
}

static const ix_compiled_buffer *
array_of(const game *g, place at)
{
    return &g->player[at.rank].p->c->buffer[message_of(g, at)->argument];
}

static bool
has_come(const player *r, size_t i)
{
    return r->there[i / 64] >> i % 64 & 1;
}

/* ---- pairs ---- */

/* The other end of a message; its number is that of all there are if it has
 * none. */
static place
find_other(const game *g, place at)
{
    const ix_compiled_message *m = message_of(g, at);
    place to = {g->player[at.rank].end[at.i].peer, 0};
    const player *r = &g->player[to.rank];
    const ix_compiled *c = r->p->c;
    while (to.i < c->nmessages &&
           (c->message[to.i].sends == m->sends ||
            c->message[to.i].tag != m->tag || r->end[to.i].peer != at.rank))
        to.i++;
    return to;
}

static ilex_status
fail_alone(const game *g, place at)
{
    const ix_compiled_message *m = message_of(g, at);
    int peer = g->player[at.rank].end[at.i].peer;
    return ix_fail(g->err, ILEX_E_GROUP,
                   "rank %d, %s: %s %s rank %d with tag %d, and program %s of "
                   "that rank has nothing that %s",
                   at.rank, g->player[at.rank].p->c->name,
                   array_of(g, at)->name, m->sends ? "goes to" : "comes from",
                   peer, m->tag, g->player[peer].p->c->name,
                   m->sends ? "it comes to" : "goes there with it");
}

/* Are both ends arrays of one kind? */
static ilex_status
check_pair(const game *g, place from, place to)
{
    const ix_compiled_buffer *a = array_of(g, from), *b = array_of(g, to);
    const int64_t *is = g->player[from.rank].end[from.i].shape;
    const int64_t *wants = g->player[to.rank].end[to.i].shape;
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (int k = 0; same && k < a->rank; k++)
        same = is[k] == wants[k];
    if (same)
        return ILEX_OK;
    return ix_fail(g->err, a->dtype != b->dtype ? ILEX_E_DTYPE : ILEX_E_SHAPE,
                   "rank %d sends %s : %s[%s] to rank %d with tag %d, which "
                   "takes it for %s : %s[%s]%s",
                   from.rank, a->name, ilex_dtype_name(a->dtype),
                   a->interior_text, to.rank, message_of(g, to)->tag, b->name,
                   ilex_dtype_name(b->dtype), b->interior_text,
                   a->rank == b->rank && a->dtype == b->dtype
                       ? ": the lengths differ with these sizes"
                       : "");
}

static ilex_status
check_pairs(const game *g)
{
    ilex_status rc = ILEX_OK;
    for (int r = 0; r < g->ranks; r++)
        for (size_t i = 0; !rc && i < g->player[r].p->c->nmessages; i++) {
            place at = {r, i}, to = find_other(g, at);
            if (to.i == g->player[to.rank].p->c->nmessages)
                rc = fail_alone(g, at);
            else if (message_of(g, at)->sends)
                rc = check_pair(g, at, to);
        }
    return rc;
}

/* ---- the game ---- */

/* Is there what a message sends? */
static bool
can_go(const game *g, place at)
{
    const player *r = &g->player[at.rank];
    const ix_compiled *c = r->p->c;
    int part = r->p->messages->from[at.i];
    bool there = true;
    if (part >= 0)
        return r->done[part];
    for (size_t i = 0; i < c->nmessages; i++)
        if (!c->message[i].sends &&
            c->message[i].argument == message_of(g, at)->argument)
            there = has_come(r, i);
    return there;
}

/* All that a rank can do; did it do something? */
static bool
play(const game *g, int rank)
{
    player *r = &g->player[rank];
    const ix_messages *x = r->p->messages;
    size_t n = r->p->c->nmessages;
    bool moved = false;
    for (size_t p = 0; x && p < x->n; p++)
        if (!r->done[p] &&
            ix_message_part_is_ready(&x->part[p], n, r->there, r->done))
            moved = r->done[p] = true;
    for (size_t i = 0; i < n; i++) {
        place at = {rank, i};
        if (!r->p->c->message[i].sends || r->sent[i] || !can_go(g, at))
            continue;
        place to = find_other(g, at);
        g->player[to.rank].there[to.i / 64] |= UINT64_C(1) << to.i % 64;
        moved = r->sent[i] = true;
    }
    return moved;
}

/* ---- who waits for whom ---- */

/* A message that a part of a rank waits for. */
static size_t
awaited_by(const player *r, size_t part)
{
    const ix_message_part *p = &r->p->messages->part[part];
    for (size_t i = 0; i < r->p->c->nmessages; i++)
        if ((p->needs[i / 64] >> i % 64 & 1) && !has_come(r, i))
            return i;
    for (size_t i = 0; i < p->nafter; i++)
        if (!r->done[p->after[i]])
            return awaited_by(r, p->after[i]);
    return r->p->c->nmessages;
}

/* What the rank that is to send "at" waits for itself. */
static place
find_cause(const game *g, place at)
{
    place from = find_other(g, at);
    const player *r = &g->player[from.rank];
    const ix_compiled *c = r->p->c;
    int part = r->p->messages->from[from.i];
    if (part >= 0)
        return (place){from.rank, awaited_by(r, (size_t)part)};
    size_t i = 0;
    while (c->message[i].sends ||
           c->message[i].argument != message_of(g, from)->argument)
        i++;
    return (place){from.rank, i};
}

static void
name_place(const game *g, place at, ix_text *text)
{
    ix_text_format(text, "%s%s from rank %d (tag %d)", text->length ? ", " : "",
                   array_of(g, at)->name, g->player[at.rank].end[at.i].peer,
                   message_of(g, at)->tag);
}

/* From any message that does not come one gets, in as many steps as there are
 * messages, into the circle; then once around. */
static ilex_status
fail_circle(const game *g, place at)
{
    enum { NAMED = 8 };
    ix_text text;
    size_t steps = 0, n = 0;
    ix_text_init(&text, &ix_mem_default);
    for (int r = 0; r < g->ranks; r++)
        steps += g->player[r].p->c->nmessages;
    while (steps-- > 0)
        at = find_cause(g, at);
    place first = at;
    do {
        if (n++ < NAMED)
            name_place(g, at, &text);
        at = find_cause(g, at);
    } while (at.rank != first.rank || at.i != first.i);
    if (n > NAMED)
        ix_text_format(&text, " and %zu more", n - NAMED);
    const char *names = ix_text_string(&text);
    ilex_status rc = ix_fail(g->err, ILEX_E_GROUP,
                             "ranks wait for each other: rank %d waits for %s, "
                             "which waits for the first",
                             first.rank, names ? names : "messages");
    ix_text_free(&text);
    return rc;
}

static ilex_status
check_end(const game *g)
{
    for (int r = 0; r < g->ranks; r++) {
        const ix_compiled *c = g->player[r].p->c;
        for (size_t i = 0; i < c->nmessages; i++)
            if (!c->message[i].sends && !has_come(&g->player[r], i))
                return fail_circle(g, (place){r, i});
    }
    return ILEX_OK;
}

/* ---- all of it ---- */

/* A size that is not given, or is negative; NULL: all are right. */
static const char *
find_bad_size(const ix_compiled *c, const ilex_rank_program *from)
{
    for (size_t k = 0; k < c->nsizes; k++) {
        bool good = !ix_compiled_size_is_given(&c->size[k]);
        for (size_t i = 0; i < from->size_count && !good; i++)
            good = from->sizes[i].name && from->sizes[i].value >= 0 &&
                   !strcmp(from->sizes[i].name, c->size[k].name);
        if (!good)
            return c->size[k].name;
    }
    return NULL;
}

/* A rank before the game. */
static ilex_status
enter(const game *g, int rank, const ilex_rank_program *from)
{
    player *r = &g->player[rank];
    const ilex_program *p = from->program;
    size_t n = p->c->nmessages + 1, parts = p->messages ? p->messages->n : 0;
    const char *bad = find_bad_size(p->c, from);
    int64_t *size =
        bad ? NULL : ix_program_sizes(p, from->sizes, from->size_count);
    if (bad)
        return ix_fail(g->err, ILEX_E_SIZE,
                       "rank %d, %s: the size %s is not given, or negative",
                       rank, p->c->name, bad);
    r->p = p;
    if (!size)
        return ix_fail(g->err, ILEX_E_SIZE,
                       "rank %d, %s: a size that is made of others leaves 64 "
                       "bits",
                       rank, p->c->name);
    r->end = ix_mem_new(&p->mem, n * sizeof *r->end);
    r->there = ix_mem_new(&p->mem, (n / 64 + 1) * sizeof *r->there);
    r->sent = ix_mem_new(&p->mem, n);
    r->done = ix_mem_new(&p->mem, parts + 1);
    bool ok = r->end && r->there && r->sent && r->done;
    ilex_status rc =
        ok ? ix_message_ends(p->c, size, &(ix_message_place){rank, g->ranks},
                             r->end, g->err)
           : ix_fail_memory(g->err);
    ix_mem_free(&p->mem, size);
    return rc;
}

static void
leave(player *r)
{
    if (!r->p)
        return;
    ix_mem_free(&r->p->mem, r->end);
    ix_mem_free(&r->p->mem, r->there);
    ix_mem_free(&r->p->mem, r->sent);
    ix_mem_free(&r->p->mem, r->done);
}

static ilex_status
check(const game *g, const ilex_rank_program *ranks)
{
    ilex_status rc = ILEX_OK;
    for (int r = 0; !rc && r < g->ranks; r++)
        rc = enter(g, r, &ranks[r]);
    rc = rc ? rc : check_pairs(g);
    for (bool moved = !rc; moved;) {
        moved = false;
        for (int r = 0; r < g->ranks; r++)
            moved |= play(g, r);
    }
    return rc ? rc : check_end(g);
}

ilex_status
ilex_group_check(ilex_context *ctx, const ilex_rank_program *ranks, int count)
{
    game g = {.ranks = count, .err = ctx ? ix_storage_error(ctx) : NULL};
    if (count < 1 || count > IX_MOST_RANKS || !ranks)
        return ix_fail(g.err, ILEX_E_ARGUMENT,
                       "group_check: %d programs, or NULL; there are 1 to %d",
                       count, (int)IX_MOST_RANKS);
    for (int r = 0; r < count; r++)
        if (!ranks[r].program)
            return ix_fail(g.err, ILEX_E_ARGUMENT,
                           "group_check: the program of rank %d is NULL", r);
    g.player = ix_mem_new(&ix_mem_default, (size_t)count * sizeof *g.player);
    ilex_status rc = g.player ? check(&g, ranks) : ix_fail_memory(g.err);
    for (int r = 0; g.player && r < count; r++)
        leave(&g.player[r]);
    ix_mem_free(&ix_mem_default, g.player);
    return rc;
}
