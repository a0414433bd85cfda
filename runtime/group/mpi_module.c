/* SPDX-License-Identifier: MIT
 *
 * The module ilex-mpi.so: ranks that are processes of MPI. Compiled by mpicc
 * apart from libilex, which opens it when it is first asked for; it calls
 * nothing of libilex, of which it has the structs of group.h.
 *
 * Only nonblocking messages between two ranks, never a barrier; all calls are
 * those of the thread that uses the group (MPI_THREAD_FUNNELED). Messages are
 * copied, head first, into memory of the module's, so that one that nobody
 * takes any more may be left to MPI.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/group/group.h"

/* Tags: of 512 epochs in turn, with 32 for each; that of notices; those of
 * programs, whose messages come in the order of epochs. MPI has tags up to
 * 32767 at least. */
enum { EPOCHS = 512, TAGS = IX_TAG_PROGRAM, TAG_NOTICE = EPOCHS * TAGS };
enum { CHUNK = 1 << 20 }; /* bytes: counts of MPI are ints */

typedef struct notice {
    uint64_t epoch;
    ix_notice said;
} notice;

/* A message with its head, until MPI is done with it. */
typedef struct parcel {
    struct parcel *next;
    MPI_Request request;
    int peer, tag; /* of one that is received */
    size_t bytes;
    char memory[];
} parcel;

typedef struct process {
    MPI_Comm comm;
    parcel *sent;    /* that nobody waits for any more */
    parcel *early;   /* that came before the epoch that they are of */
    notice *notices; /* by rank, the last one; epoch 0: none */
    notice incoming;
    MPI_Request listening;
    bool failed; /* somebody did */
} process;

static ilex_status
fail(ix_error *err, ilex_status code, const char *text)
{
    if (err && !err->code) {
        err->code = code;
        snprintf(err->text, sizeof err->text, "group: %s", text);
    }
    return code;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- life ---- */

static void
finalize(void)
{
    int done = 0;
    MPI_Finalized(&done);
    if (!done)
        MPI_Finalize();
}

/* Is MPI there, or can it be had? */
static ilex_status
initialize(const ilex_group_spec *spec, ix_error *err)
{
    int there = 0, gone = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&there);
    MPI_Finalized(&gone);
    if (gone || (!there && !spec->initialize))
        return fail(err, ILEX_E_GROUP,
                    gone ? "MPI has been finalised"
                         : "MPI is not initialised; call MPI_Init_thread with "
                           "MPI_THREAD_FUNNELED, or set `initialize`");
    if (there)
        return ILEX_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return fail(err, ILEX_E_GROUP, "MPI_Init_thread failed");
    atexit(finalize);
    return ILEX_OK;
}

static void
listen_again(process *p)
{
    MPI_Irecv(&p->incoming, (int)sizeof p->incoming, MPI_BYTE, MPI_ANY_SOURCE,
              TAG_NOTICE, p->comm, &p->listening);
}

static ilex_status
join(const ilex_group_spec *spec, ilex_group *g, process *p, ix_error *err)
{
    MPI_Comm given = spec->communicator ? *(const MPI_Comm *)spec->communicator
                                        : MPI_COMM_WORLD;
    if (MPI_Comm_dup(given, &p->comm) != MPI_SUCCESS)
        return fail(err, ILEX_E_GROUP, "MPI_Comm_dup failed");
    MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(p->comm, &g->rank);
    MPI_Comm_size(p->comm, &g->size);
    p->notices = calloc((size_t)g->size, sizeof *p->notices);
    if (!p->notices)
        return fail(err, ILEX_E_MEMORY, "out of memory");
    listen_again(p);
    g->link = p;
    return ILEX_OK;
}

static ilex_status
open_process(const ilex_group_spec *spec, ilex_group **members, ix_error *err)
{
    process *p = calloc(1, sizeof *p);
    ilex_status rc =
        p ? initialize(spec, err) : fail(err, ILEX_E_MEMORY, "out of memory");
    rc = rc ? rc : join(spec, members[0], p, err);
    if (!rc)
        return rc;
    if (p)
        free(p->notices);
    free(p);
    return rc;
}

/* Frees what has been sent. */
static void
sweep(process *p)
{
    for (parcel **at = &p->sent; *at;) {
        int done = 0;
        parcel *x = *at;
        if (MPI_Test(&x->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
            !done) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        free(x);
    }
}

static void
close_process(ilex_group *g)
{
    process *p = g->link;
    int gone = 0;
    MPI_Finalized(&gone);
    for (double end = now() + 1; !gone && p->sent && now() < end;)
        sweep(p);
    if (!gone) {
        MPI_Cancel(&p->listening);
        MPI_Wait(&p->listening, MPI_STATUS_IGNORE);
    }
    if (!gone && !p->failed && !p->sent)
        MPI_Comm_free(&p->comm);
    for (parcel *x = p->early, *next; x; x = next) {
        next = x->next;
        free(x);
    }
    if (p->sent) /* MPI may still read it */
        return;
    free(p->notices);
    free(p);
}

/* ---- messages ---- */

/* A type of so many bytes. */
static MPI_Datatype
type_of(size_t bytes)
{
    MPI_Datatype chunk, type;
    int lengths[2] = {(int)(bytes / CHUNK), (int)(bytes % CHUNK)};
    MPI_Aint at[2] = {0, (MPI_Aint)(bytes - bytes % CHUNK)};
    MPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk);
    MPI_Type_create_struct(2, lengths, at, (MPI_Datatype[]){chunk, MPI_BYTE},
                           &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&chunk);
    return type;
}

/* Begins to pass a parcel to or from "peer". */
static int
pass(process *p, parcel *x, int peer, int tag, bool sends)
{
    if (x->bytes <= INT_MAX)
        return sends ? MPI_Isend(x->memory, (int)x->bytes, MPI_BYTE, peer, tag,
                                 p->comm, &x->request)
                     : MPI_Irecv(x->memory, (int)x->bytes, MPI_BYTE, peer, tag,
                                 p->comm, &x->request);
    MPI_Datatype type = type_of(x->bytes);
    int rc =
        sends ? MPI_Isend(x->memory, 1, type, peer, tag, p->comm, &x->request)
              : MPI_Irecv(x->memory, 1, type, peer, tag, p->comm, &x->request);
    MPI_Type_free(&type);
    return rc;
}

static int
tag_of(const ilex_group *g, const ix_message *m)
{
    return m->tag < TAGS ? (int)(g->epoch % EPOCHS) * TAGS + m->tag
                         : TAG_NOTICE + 1 + m->tag - TAGS;
}

/* One that is received is of an epoch to come: it is for a message of that. */
static bool
keep_early(ilex_group *g, parcel *x)
{
    process *p = g->link;
    ix_head head;
    memcpy(&head, x->memory, sizeof head);
    if (x->tag < TAGS || head.epoch <= g->epoch)
        return false;
    parcel **at = &p->early;
    while (*at)
        at = &(*at)->next;
    x->next = NULL;
    x->request = MPI_REQUEST_NULL;
    *at = x;
    return true;
}

/* One that came early for a message, if there is one; MPI has done with it. */
static parcel *
take_early(const ilex_group *g, const ix_message *m)
{
    process *p = g->link;
    for (parcel **at = &p->early; *at; at = &(*at)->next) {
        parcel *x = *at;
        if (x->peer == m->peer && x->tag == m->tag) {
            *at = x->next;
            return x;
        }
    }
    return NULL;
}

static ilex_status
post(ilex_group *g, ix_message *m, ix_error *err)
{
    process *p = g->link;
    size_t bytes = m->head.bytes;
    m->request = m->sends ? NULL : take_early(g, m);
    if (m->request)
        return ILEX_OK;
    parcel *x = malloc(sizeof *x + sizeof m->head + bytes);
    if (!x)
        return fail(err, ILEX_E_MEMORY, "out of memory");
    *x = (parcel){
        .peer = m->peer, .tag = m->tag, .bytes = sizeof m->head + bytes};
    if (m->sends) {
        memcpy(x->memory, &m->head, sizeof m->head);
        if (bytes)
            memcpy(x->memory + sizeof m->head, m->data, bytes);
    }
    if (pass(p, x, m->peer, tag_of(g, m), m->sends) != MPI_SUCCESS) {
        free(x);
        return fail(err, ILEX_E_GROUP, "MPI refused a message");
    }
    m->request = x;
    return ILEX_OK;
}

/* What a parcel brought. */
static void
take_in(ix_message *m, const parcel *x, bool whole)
{
    memcpy(&m->came, x->memory, sizeof m->came);
    if (!whole) /* it was longer, say */
        m->came.bytes = UINT64_MAX;
    else if (m->came.bytes == m->head.bytes && m->head.bytes)
        memcpy(m->data, x->memory + sizeof m->head, m->head.bytes);
}

/* Has a message come, or gone? */
static bool
is_done(ilex_group *g, ix_message *m)
{
    int done = 0;
    parcel *x = m->request;
    int rc = MPI_Test(&x->request, &done, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && !done)
        return false;
    if (!m->sends)
        take_in(m, x, rc == MPI_SUCCESS);
    if (!m->sends && m->came.epoch < m->head.epoch &&
        pass(g->link, x, m->peer, tag_of(g, m), false) == MPI_SUCCESS)
        return false; /* it was left unread some turns of tags ago */
    m->request = NULL;
    m->done = true;
    if (m->sends || rc != MPI_SUCCESS || !keep_early(g, x))
        free(x);
    return true;
}

/* Takes notices that have come. */
static void
hear(process *p)
{
    for (int done = 1; done;) {
        done = 0;
        MPI_Test(&p->listening, &done, MPI_STATUS_IGNORE);
        if (done) {
            p->notices[p->incoming.said.rank] = p->incoming;
            p->failed = true;
            listen_again(p);
        }
    }
}

/* Did a rank fail, so that one of the messages may not come? */
static const notice *
find_failed(const ilex_group *g, const ix_message *m, size_t n)
{
    const process *p = g->link;
    for (int r = 0; p->failed && r < g->size; r++)
        if (p->notices[r].epoch == g->epoch)
            return &p->notices[r];
    for (size_t i = 0; p->failed && i < n; i++)
        if (!m[i].done && p->notices[m[i].peer].epoch > g->epoch)
            return &p->notices[m[i].peer];
    return NULL;
}

static ilex_status
wait(ilex_group *g, ix_message *m, size_t n, double deadline, size_t *which,
     ix_notice *said)
{
    enum { SPINS = 2000, LOOKS = 64 };
    for (long spin = 0;; spin++) {
        for (size_t i = 0; i < n; i++)
            if (!m[i].done && is_done(g, &m[i])) {
                *which = i;
                return ILEX_OK;
            }
        if (spin % LOOKS)
            continue;
        hear(g->link);
        const notice *failed = find_failed(g, m, n);
        if (failed) {
            *said = failed->said;
            return ILEX_E_GROUP;
        }
        if (now() >= deadline)
            return ILEX_E_TIMEOUT;
        if (spin > SPINS) /* the others may need the processor */
            sched_yield();
    }
}

static void
cancel(ilex_group *g, ix_message *m)
{
    process *p = g->link;
    parcel *x = m->request;
    m->done = true;
    m->request = NULL;
    if (m->sends) { /* it cannot be taken back */
        x->next = p->sent;
        p->sent = x;
        return;
    }
    MPI_Status status;
    int cancelled = 0;
    MPI_Cancel(&x->request);
    int rc = MPI_Wait(&x->request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled || rc != MPI_SUCCESS || !keep_early(g, x))
        free(x);
}

static void
tell(ilex_group *g, const ix_notice *said)
{
    process *p = g->link;
    p->failed = true;
    for (int r = 0; r < g->size; r++) {
        parcel *x = r == g->rank ? NULL : malloc(sizeof *x + sizeof(notice));
        if (!x)
            continue;
        *x = (parcel){.bytes = sizeof(notice)};
        memcpy(x->memory, &(notice){g->epoch, *said}, sizeof(notice));
        if (pass(p, x, r, TAG_NOTICE, true) != MPI_SUCCESS) {
            free(x);
            continue;
        }
        x->next = p->sent;
        p->sent = x;
    }
    sweep(p);
}

static uint64_t
heard(ilex_group *g)
{
    process *p = g->link;
    uint64_t last = 0;
    hear(p);
    for (int r = 0; p->failed && r < g->size; r++)
        last = p->notices[r].epoch > last ? p->notices[r].epoch : last;
    return last;
}

#define EXPORT __attribute__((visibility("default")))

/* What libilex looks for: the table, and what both must agree on. */
EXPORT extern const ix_transport ilex_mpi_transport;
EXPORT extern const size_t ilex_mpi_layout[];
const ix_transport ilex_mpi_transport = {.open = open_process,
                                         .close = close_process,
                                         .post = post,
                                         .wait = wait,
                                         .cancel = cancel,
                                         .tell = tell,
                                         .heard = heard};
const size_t ilex_mpi_layout[] = IX_GROUP_LAYOUT;
