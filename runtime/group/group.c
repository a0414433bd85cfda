/* SPDX-License-Identifier: MIT
 *
 * Groups: their life, waiting with a limit and with words for what went wrong.
 */
#include "runtime/group/group.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/structs.h"
#include "lib/base/suggest.h"
#include "lib/graph/context.h"

/* ---- life ---- */

static const struct {
    const char *name;
    const ix_transport *row;
} transports[] = {
#define IX_TRANSPORT(name, meaning) {#name, &ix_transport_##name},
#include "runtime/group/transports.def"
};

static const ix_transport *
find_transport(const char *name, ix_error *err)
{
    for (size_t i = 0; i < IX_COUNT(transports); i++)
        if (!strcmp(transports[i].name, name))
            return transports[i].row;
    ix_suggestion near = ix_suggest(name, strlen(name));
    for (size_t i = 0; i < IX_COUNT(transports); i++)
        ix_suggest_name(&near, transports[i].name, strlen(transports[i].name));
    return ix_fail_null(err, ILEX_E_UNKNOWN,
                        "group: there is no transport '%.40s'%s", name,
                        ix_suggestion_show(&near).s);
}

/* The caller's spec with what is not given; false after an error. */
static bool
read_spec(const ilex_group_spec *given, ilex_group_spec *spec, ix_error *err)
{
    enum { SECONDS = 60, LONG = 1000000000 };
    size_t size = given ? given->size : 0;
    if (!ix_struct_is_known(given, size, offsetof(ilex_group_spec, timeout),
                            sizeof *spec))
        return ix_fail_false(err, ILEX_E_ARGUMENT,
                             "group: the spec is NULL, or its size is not set; "
                             "start it with .size = sizeof(ilex_group_spec)");
    memset(spec, 0, sizeof *spec);
    memcpy(spec, given, size < sizeof *spec ? size : sizeof *spec);
    if (spec->ranks < 0 || spec->ranks > IX_MOST_RANKS)
        return ix_fail_false(err, ILEX_E_ARGUMENT,
                             "group: %d ranks; a process has 1 to %d",
                             spec->ranks, (int)IX_MOST_RANKS);
    if (!(spec->timeout >= 0 && spec->timeout < LONG && spec->latency >= 0 &&
          spec->latency < LONG && spec->bandwidth >= 0))
        return ix_fail_false(err, ILEX_E_ARGUMENT,
                             "group: timeout, latency and bandwidth are 0 or "
                             "more, seconds below 10^9 and bytes a second");
    spec->transport = spec->transport ? spec->transport : "threads";
    spec->timeout = spec->timeout > 0 ? spec->timeout : SECONDS;
    if (strcmp(spec->transport, "delay") != 0)
        spec->latency = spec->bandwidth = 0;
    return true;
}

static void
free_members(ilex_group **members, int n)
{
    for (int i = 0; i < n; i++) {
        free(members[i]);
        members[i] = NULL;
    }
}

/* How many members this process has of a group. */
static int
count_members(const ix_transport *t, const ilex_group_spec *spec)
{
    return t->alone ? 1 : spec->ranks;
}

static ilex_status
make(const ix_transport *t, const ilex_group_spec *spec, ilex_group **members,
     ix_error *err)
{
    int n = count_members(t, spec);
    ilex_status rc = ILEX_OK;
    memset(members, 0, (size_t)n * sizeof *members);
    for (int i = 0; !rc && i < n; i++) {
        members[i] = calloc(1, sizeof **members);
        if (!members[i]) {
            rc = ix_fail_memory(err);
            break;
        }
        atomic_init(&members[i]->count, 1);
        members[i]->transport = t;
        members[i]->timeout = spec->timeout;
    }
    rc = rc ? rc : t->open(spec, members, err);
    if (rc)
        free_members(members, n);
    return rc;
}

ilex_status
ilex_group_new(ilex_context *ctx, const ilex_group_spec *given,
               ilex_group **members)
{
    ilex_group_spec spec;
    ix_error *err = ctx ? ix_context_error(ctx) : NULL;
    if (!read_spec(given, &spec, err))
        return ILEX_E_ARGUMENT;
    if (!members)
        return ix_fail(err, ILEX_E_ARGUMENT, "group: members is NULL");
    const ix_transport *t = find_transport(spec.transport, err);
    return t ? make(t, &spec, members, err) : ILEX_E_UNKNOWN;
}

ilex_group *
ilex_group_retain(ilex_group *g)
{
    if (g)
        atomic_fetch_add_explicit(&g->count, 1, memory_order_relaxed);
    return g;
}

void
ilex_group_release(ilex_group *g)
{
    if (!g ||
        atomic_fetch_sub_explicit(&g->count, 1, memory_order_acq_rel) != 1)
        return;
    g->transport->close(g);
    free(g);
}

int
ilex_group_rank(const ilex_group *g)
{
    return g->rank;
}

int
ilex_group_size(const ilex_group *g)
{
    return g->size;
}

void
ilex_group_counted(const ilex_group *g, ilex_group_counts *counts)
{
    *counts = g->counts;
}

/* ---- a thread for each rank ---- */

typedef struct seat {
    pthread_t thread;
    ilex_group *group;
    ilex_rank body;
    void *user;
    ilex_status rc;
} seat;

static void *
sit(void *arg)
{
    seat *s = arg;
    s->rc = (ilex_status)s->body(s->group, s->user);
    ilex_group_release(s->group);
    return NULL;
}

/* The body on all ranks, those without a thread leave; where there is one it
 * is on the caller's. */
static ilex_status
run_all(seat *seats, int n, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    int started = 0;
    if (n == 1) {
        sit(&seats[0]);
        return seats[0].rc;
    }
    while (started < n &&
           !pthread_create(&seats[started].thread, NULL, sit, &seats[started]))
        started++;
    for (int i = started; i < n; i++) {
        ilex_group_release(seats[i].group);
        seats[i].rc =
            ix_fail(err, ILEX_E_MEMORY,
                    "group: there is no thread for rank %d of %d", i, n);
    }
    for (int i = 0; i < started; i++)
        pthread_join(seats[i].thread, NULL);
    for (int i = 0; i < n; i++)
        rc = rc ? rc : seats[i].rc;
    return rc;
}

ilex_status
ilex_group_run(ilex_context *ctx, const ilex_group_spec *given, ilex_rank body,
               void *user)
{
    ilex_group_spec spec;
    ix_error *err = ctx ? ix_context_error(ctx) : NULL;
    if (!read_spec(given, &spec, err))
        return ILEX_E_ARGUMENT;
    if (!body)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "group run: there is no function for the ranks");
    const ix_transport *t = find_transport(spec.transport, err);
    if (!t)
        return ILEX_E_UNKNOWN;
    size_t n = (size_t)count_members(t, &spec);
    seat *seats = calloc(n + 1, sizeof *seats);
    ilex_group **members = calloc(n + 1, sizeof(ilex_group *));
    ilex_status rc =
        !seats || !members ? ix_fail_memory(err) : make(t, &spec, members, err);
    for (size_t i = 0; !rc && i < n; i++)
        seats[i] = (seat){.group = members[i], .body = body, .user = user};
    rc = rc ? rc : run_all(seats, (int)n, err);
    free(seats);
    free(members);
    return rc;
}

/* ---- messages ---- */

void
ix_group_begin(ilex_group *g)
{
    uint64_t failed = g->transport->heard(g);
    if (failed > g->failed) {
        g->failed = failed;
        g->age++;
    }
    g->epoch++;
    g->relayed.rank = -1;
}

ilex_status
ix_group_post(ilex_group *g, ix_message *m, ix_error *err)
{
    m->head.epoch = g->epoch;
    m->done = false;
    if (m->sends && m->peer != g->rank) {
        g->counts.messages++;
        g->counts.bytes += (int64_t)m->head.bytes;
    }
    return g->transport->post(g, m, err);
}

/* "2, 5 and others": the ranks that messages are awaited of. */
static void
name_peers(const ix_message *m, size_t n, char *text, size_t room)
{
    enum { MOST = 4 };
    int named = 0, last = -1;
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < n && named <= MOST; i++) {
        if (m[i].done || m[i].peer == last)
            continue;
        last = m[i].peer;
        at += (size_t)snprintf(text + at, room - at,
                               named == MOST ? " and others"
                               : named       ? ", %d"
                                             : "%d",
                               last);
        named++;
    }
}

static ilex_status
fail_wait(const ilex_group *g, const ix_message *m, size_t n, ilex_status rc,
          const ix_notice *notice, const char *what, ix_error *err)
{
    char peers[80];
    name_peers(m, n, peers, sizeof peers);
    if (rc == ILEX_E_TIMEOUT)
        return ix_fail(err, rc,
                       "%s: rank %d waited %g s for rank %s, which did not "
                       "come here; runs, and access to storages for writing, "
                       "are made by all ranks alike",
                       what, g->rank, g->timeout, peers);
    return ix_fail(err, ILEX_E_GROUP, "%s: rank %d failed: %.300s", what,
                   notice->origin, notice->text);
}

/* Did what came differ from what was expected? */
static ilex_status
check_head(const ilex_group *g, const ix_message *m, const char *what,
           ix_error *err)
{
    const ix_head *a = &m->head, *b = &m->came;
    bool means = !memcmp(a->meaning, b->meaning, sizeof a->meaning);
    if (means && a->epoch == b->epoch && a->bytes == b->bytes)
        return ILEX_OK;
    return ix_fail(err, ILEX_E_GROUP,
                   "%s: rank %d does something else than rank %d: %s; all "
                   "ranks do the same, with the same sizes, in the same order",
                   what, m->peer, g->rank,
                   a->epoch != b->epoch ? "it has gone on"
                   : means              ? "what it sends has another length"
                           : "another program, grid or other storages");
}

/* One more of them, of which one is not done. */
static ilex_status
wait_one(ilex_group *g, ix_message *m, size_t n, double deadline,
         const char *what, ix_error *err)
{
    ix_notice notice = {.rank = -1};
    size_t which = 0;
    ilex_status rc = g->transport->wait(g, m, n, deadline, &which, &notice);
    if (rc)
        g->relayed = notice;
    if (rc)
        return fail_wait(g, m, n, rc, &notice, what, err);
    return m[which].sends ? ILEX_OK : check_head(g, &m[which], what, err);
}

ilex_status
ix_group_next(ilex_group *g, ix_message *m, size_t n, size_t *which,
              ix_notice *notice)
{
    double begin = ix_clock();
    ilex_status rc =
        g->transport->wait(g, m, n, begin + g->timeout, which, notice);
    g->counts.waited += ix_clock() - begin;
    if (rc)
        g->relayed = *notice;
    return rc;
}

static bool
is_pending(const ix_message *m, size_t n)
{
    size_t i = 0;
    while (i < n && m[i].done)
        i++;
    return i < n;
}

ilex_status
ix_group_pass(ilex_group *g, ix_message *m, uint64_t about, const char *what,
              ix_error *err)
{
    m->head.meaning[0] = ix_hash_bytes(about, what, strlen(what));
    m->head.meaning[1] = (uint64_t)m->tag;
    ilex_status rc = ix_group_post(g, m, err);
    return rc ? rc : ix_group_wait(g, m, 1, what, err);
}

void
ix_group_cancel(ilex_group *g, ix_message *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!m[i].done)
            g->transport->cancel(g, &m[i]);
}

ilex_status
ix_group_wait(ilex_group *g, ix_message *m, size_t n, const char *what,
              ix_error *err)
{
    ilex_status rc = ILEX_OK;
    double begin = is_pending(m, n) ? ix_clock() : 0;
    while (!rc && is_pending(m, n))
        rc = wait_one(g, m, n, begin + g->timeout, what, err);
    if (begin > 0)
        g->counts.waited += ix_clock() - begin;
    if (rc)
        ix_group_cancel(g, m, n);
    return rc;
}

ilex_status
ix_group_end(ilex_group *g, ilex_status rc, const char *text)
{
    ix_notice notice = {.rank = g->rank, .origin = g->rank};
    if (!rc)
        return rc;
    if (rc == ILEX_E_GROUP && g->relayed.rank >= 0)
        notice.origin = g->relayed.origin;
    snprintf(notice.text, sizeof notice.text, "%s",
             notice.origin == g->rank ? text : g->relayed.text);
    g->transport->tell(g, &notice);
    g->failed = g->epoch;
    g->age++;
    return rc;
}
