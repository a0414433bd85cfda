/* SPDX-License-Identifier: MIT
 *
 * Ranks that are threads of this process: a message is copied into a packet,
 * which waits in the list of the rank that it is for. With delays it may be
 * taken from there some time later only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/clock.h"
#include "runtime/group/group.h"
#include "runtime/threads/pool.h"

typedef struct packet {
    struct packet *next;
    int from, tag;
    ix_head head;
    double ready; /* may be taken from then on; 0: at once */
    char data[];
} packet;

/* What the others know of a rank; what came for it, in the order of posting. */
typedef struct member {
    pthread_cond_t came;
    _Atomic int64_t signals; /* so far */
    int64_t swept;           /* of these when what is old was dropped */
    packet *first, **last;
    _Atomic(uint64_t) failed; /* the epoch of the notice */
    ix_notice notice;
    bool gone;   /* it left */
    double sent; /* when its last message has gone */
} member;

typedef struct world {
    pthread_mutex_t lock;
    int size, open; /* members; those that have not left */
    double latency, bandwidth;
    member member[];
} world;

/* ---- life ---- */

static world *
new_world(const ilex_group_spec *spec)
{
    size_t size = (size_t)spec->ranks;
    world *w = calloc(1, sizeof *w + size * sizeof w->member[0]);
    pthread_condattr_t monotonic;
    if (!w)
        return NULL;
    *w = (world){.size = spec->ranks,
                 .open = spec->ranks,
                 .latency = spec->latency,
                 .bandwidth = spec->bandwidth};
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    for (size_t i = 0; i < size; i++) {
        pthread_cond_init(&w->member[i].came, &monotonic);
        w->member[i].last = &w->member[i].first;
    }
    pthread_condattr_destroy(&monotonic);
    return w;
}

static ilex_status
open_world(const ilex_group_spec *spec, ilex_group **members, ix_error *err)
{
    if (spec->ranks < 1)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "group: %d ranks; a group of threads has 1 or more",
                       spec->ranks);
    world *w = new_world(spec);
    if (!w)
        return ix_fail_memory(err);
    for (int i = 0; i < w->size; i++) {
        members[i]->link = w;
        members[i]->rank = i;
        members[i]->size = w->size;
    }
    return ILEX_OK;
}

static void
free_packets(packet *p)
{
    for (packet *next; p; p = next) {
        next = p->next;
        free(p);
    }
}

/* The lock is held. */
static void
wake(member *m)
{
    atomic_fetch_add(&m->signals, 1);
    pthread_cond_signal(&m->came);
}

static void
wake_all(world *w)
{
    for (int i = 0; i < w->size; i++)
        wake(&w->member[i]);
}

static void
close_world(ilex_group *g)
{
    world *w = g->link;
    pthread_mutex_lock(&w->lock);
    member *m = &w->member[g->rank];
    m->gone = true;
    bool last = --w->open == 0;
    wake_all(w);
    pthread_mutex_unlock(&w->lock);
    if (!last)
        return;
    for (int i = 0; i < w->size; i++) {
        free_packets(w->member[i].first);
        pthread_cond_destroy(&w->member[i].came);
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---- sending ---- */

/* When a message that is sent now may be taken. */
static double
arrival(const world *w, member *from, size_t bytes)
{
    if (w->latency <= 0 && w->bandwidth <= 0)
        return 0;
    double now = ix_clock();
    double start = from->sent > now ? from->sent : now;
    from->sent = start + (w->bandwidth > 0 ? (double)bytes / w->bandwidth : 0);
    return from->sent + w->latency;
}

static ilex_status
send(ilex_group *g, ix_message *m, ix_error *err)
{
    world *w = g->link;
    packet *p = malloc(sizeof *p + m->head.bytes);
    if (!p)
        return ix_fail_memory(err);
    *p = (packet){.from = g->rank, .tag = m->tag, .head = m->head};
    if (m->head.bytes)
        memcpy(p->data, m->data, m->head.bytes);
    pthread_mutex_lock(&w->lock);
    member *to = &w->member[m->peer];
    p->ready = arrival(w, &w->member[g->rank], m->head.bytes);
    *to->last = p;
    to->last = &p->next;
    wake(to);
    pthread_mutex_unlock(&w->lock);
    m->done = true;
    return ILEX_OK;
}

static ilex_status
post(ilex_group *g, ix_message *m, ix_error *err)
{
    return m->sends ? send(g, m, err) : ILEX_OK; /* wait() looks for it */
}

/* ---- receiving; the lock is held ---- */

/* Drops what was left unread in earlier epochs. */
static void
drop_old(member *me, uint64_t epoch)
{
    packet **at = &me->first;
    while (*at)
        if ((*at)->head.epoch < epoch) {
            packet *old = *at;
            *at = old->next;
            free(old);
        } else {
            at = &(*at)->next;
        }
    me->last = at;
}

/* Where the packet for a message is linked; "later": or one of a later epoch,
 * for then it does not come. */
static packet **
find(member *me, const ix_message *m, bool later)
{
    for (packet **at = &me->first; *at; at = &(*at)->next) {
        const packet *p = *at;
        bool same = p->head.epoch == m->head.epoch && p->tag == m->tag;
        if (p->from == m->peer &&
            (same || (later && p->head.epoch > m->head.epoch)))
            return at;
    }
    return NULL;
}

static packet *
take(member *me, packet **at)
{
    packet *p = *at;
    *at = p->next;
    if (me->last == &p->next)
        me->last = at;
    return p;
}

/* Takes what may be taken now for one of the messages; else "*next" is when to
 * look again, if that is before. */
static packet *
take_any(member *me, ix_message *m, size_t n, size_t *which, double *next)
{
    double now = -1;
    for (size_t i = 0; i < n; i++) {
        packet **at = m[i].done ? NULL : find(me, &m[i], false);
        if (!at)
            continue;
        now = (*at)->ready > 0 && now < 0 ? ix_clock() : now;
        if ((*at)->ready <= 0 || (*at)->ready <= now) {
            *which = i;
            return take(me, at);
        }
        *next = (*at)->ready < *next ? (*at)->ready : *next;
    }
    return NULL;
}

/* What will not come, for its rank has sent in a later epoch, is done; what was
 * sent stays for that. */
static bool
note_later(member *me, ix_message *m, size_t n, size_t *which)
{
    for (size_t i = 0; i < n; i++) {
        packet **at = m[i].done ? NULL : find(me, &m[i], true);
        if (at) {
            m[i].came = (*at)->head;
            m[i].done = true;
            *which = i;
            return true;
        }
    }
    return false;
}

/* Did a rank fail, or leave, so that one of the messages may not come? What it
 * said. */
static bool
find_failed(const world *w, const ilex_group *g, const ix_message *m, size_t n,
            ix_notice *notice)
{
    const member *failed = NULL;
    for (int r = 0; r < w->size && !failed; r++)
        if (r != g->rank && w->member[r].failed == g->epoch)
            failed = &w->member[r];
    for (size_t i = 0; i < n && !failed; i++)
        if (!m[i].done && w->member[m[i].peer].failed > g->epoch)
            failed = &w->member[m[i].peer];
    if (failed)
        *notice = failed->notice;
    for (size_t i = 0; i < n && !failed; i++)
        if (!m[i].done && w->member[m[i].peer].gone) {
            *notice = (ix_notice){.rank = m[i].peer,
                                  .origin = m[i].peer,
                                  .text = "it has left the group"};
            return true;
        }
    return failed != NULL;
}

/* Looks for a while first, where each rank may have a processor and messages
 * come at once. */
static void
sleep_until(world *w, member *me, double when)
{
    int64_t seen = atomic_load(&me->signals);
    if (w->size <= ix_pool_cores() && w->latency <= 0 && w->bandwidth <= 0) {
        pthread_mutex_unlock(&w->lock);
        ix_pool_watch(&me->signals, seen, true);
        pthread_mutex_lock(&w->lock);
    }
    if (atomic_load(&me->signals) != seen)
        return;
    struct timespec t = {.tv_sec = (time_t)when};
    t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
    pthread_cond_timedwait(&me->came, &w->lock, &t);
}

/* A packet for one of the messages, whose number is "*which"; NULL: what ended
 * the wait is "*rc", or it does not come. */
static packet *
await(world *w, ilex_group *g, ix_message *m, size_t n, double deadline,
      size_t *which, ix_notice *notice, ilex_status *rc)
{
    member *me = &w->member[g->rank];
    for (;;) {
        drop_old(me, g->epoch);
        double next = deadline;
        packet *p = take_any(me, m, n, which, &next);
        bool comes = p || next < deadline; /* if not now */
        bool failed = !comes && find_failed(w, g, m, n, notice);
        *rc = failed ? ILEX_E_GROUP : ILEX_OK;
        if (!comes && !failed && note_later(me, m, n, which))
            return NULL;
        if (!failed && !p && next >= deadline && ix_clock() >= deadline)
            *rc = ILEX_E_TIMEOUT;
        if (p || *rc)
            return p;
        sleep_until(w, me, next);
    }
}

static ilex_status
wait(ilex_group *g, ix_message *m, size_t n, double deadline, size_t *which,
     ix_notice *notice)
{
    world *w = g->link;
    ilex_status rc = ILEX_OK;
    pthread_mutex_lock(&w->lock);
    packet *p = await(w, g, m, n, deadline, which, notice, &rc);
    pthread_mutex_unlock(&w->lock);
    if (!p)
        return rc;
    ix_message *got = &m[*which];
    if (p->head.bytes == got->head.bytes && p->head.bytes)
        memcpy(got->data, p->data, p->head.bytes);
    got->came = p->head;
    got->done = true;
    free(p);
    return ILEX_OK;
}

static void
cancel(ilex_group *g, ix_message *m)
{
    (void)g;
    m->done = true;
}

static void
tell(ilex_group *g, const ix_notice *notice)
{
    world *w = g->link;
    pthread_mutex_lock(&w->lock);
    w->member[g->rank].failed = g->epoch;
    w->member[g->rank].notice = *notice;
    wake_all(w);
    pthread_mutex_unlock(&w->lock);
}

/* Drops what nobody took in the epoch that has ended, if something came. */
static void
sweep(world *w, const ilex_group *g)
{
    member *me = &w->member[g->rank];
    int64_t signals = atomic_load(&me->signals);
    if (signals == me->swept)
        return;
    me->swept = signals;
    pthread_mutex_lock(&w->lock);
    drop_old(me, g->epoch + 1);
    pthread_mutex_unlock(&w->lock);
}

static uint64_t
heard(ilex_group *g)
{
    world *w = g->link;
    uint64_t last = 0;
    sweep(w, g);
    for (int r = 0; r < w->size; r++) {
        uint64_t failed = r == g->rank ? 0 : atomic_load(&w->member[r].failed);
        last = failed > last ? failed : last;
    }
    return last;
}

#define ROW(row)                                                               \
    const ix_transport ix_transport_##row = {.open = open_world,               \
                                             .close = close_world,             \
                                             .post = post,                     \
                                             .wait = wait,                     \
                                             .cancel = cancel,                 \
                                             .tell = tell,                     \
                                             .heard = heard}
ROW(threads);
ROW(delay);
