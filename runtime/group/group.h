/* SPDX-License-Identifier: MIT
 *
 * Groups of ranks inside of the runtime: messages, and what all ranks agree on.
 *
 * Every action that all ranks take together is an epoch. Messages carry the
 * number of theirs, so that what a rank left unread when it failed is not taken
 * for what comes later. A rank that fails in an epoch says so to the others,
 * who fail too where they are in that epoch and still wait for something: where
 * all of them fail by themselves the group goes on.
 */
#ifndef ILEX_RUNTIME_GROUP_H
#define ILEX_RUNTIME_GROUP_H

#include <stdatomic.h>

#include "ilex/group.h"
#include "lib/base/prelude.h"

/* ---- messages ---- */

enum { IX_MOST_RANKS = 4096 }; /* of one process */

/* What is sent in front of each message, and compared where it arrives. */
typedef struct ix_head {
    uint64_t meaning[2]; /* what ranks do: a program, a storage */
    uint64_t epoch;
    uint64_t bytes; /* that follow */
} ix_head;

/* Tags from here on are not those of axes; all are below that of messages of
 * programs, which have their own numbers from there on. */
enum {
    IX_TAG_COVER = ILEX_MAX_RANK,
    IX_TAG_ELEMENTS,
    IX_TAG_LISTS,
    IX_TAG_PROGRAM = 32
};

/* One message, from being posted to being done. Between two ranks those of an
 * epoch have different tags. The memory stays the caller's until then. */
typedef struct ix_message {
    int peer;
    int tag;
    bool sends, done;
    ix_head head; /* of what is sent, or expected */
    ix_head came; /* of what was received: its data are there if they are as
                     many as expected */
    char *data;
    void *request; /* the transport's */
} ix_message;

/* What a rank that failed tells the others. */
typedef struct ix_notice {
    int rank;   /* -1: none */
    int origin; /* whose error it is: it may have failed for that one's */
    char text[400];
} ix_notice;

typedef struct ix_transport {
    bool alone; /* a process has one rank */
    /* Fills in "link", rank and size of members[i], for all that this process
     * has. */
    ilex_status (*open)(const ilex_group_spec *spec, ilex_group **members,
                        ix_error *err);
    void (*close)(ilex_group *g);
    /* Begins to send, or to receive. */
    ilex_status (*post)(ilex_group *g, ix_message *m, ix_error *err);
    /* Returns when one of the "n" messages that was not done, number "*which",
     * is done; at "deadline" (ix_clock()) ILEX_E_TIMEOUT, when a rank gave
     * notice ILEX_E_GROUP and what it said. Nothing is recorded. */
    ilex_status (*wait)(ilex_group *g, ix_message *m, size_t n, double deadline,
                        size_t *which, ix_notice *notice);
    /* Forgets a message that is not done. */
    void (*cancel)(ilex_group *g, ix_message *m);
    /* Tells all others that this rank failed in the group's epoch. */
    void (*tell)(ilex_group *g, const ix_notice *notice);
    /* The last epoch in which others are known to have failed, 0: none. */
    uint64_t (*heard)(ilex_group *g);
} ix_transport;

#define IX_TRANSPORT(name, meaning)                                            \
    extern const ix_transport ix_transport_##name;
#include "runtime/group/transports.def"

struct ilex_group {
    atomic_size_t count;
    const ix_transport *transport;
    void *link; /* the transport's */
    int rank, size;
    double timeout;
    uint64_t epoch;
    ilex_group_counts counts;
    uint64_t age;      /* how many failures are known; what ranks remember of
                          each other from before the last one does not count */
    uint64_t failed;   /* the last epoch of these */
    ix_notice relayed; /* why it failed in this epoch, if for others */
    double waiting;    /* share of runs over ranks that is waiting for halos */
    int overlapped; /* runs that computed meanwhile, since that was measured */
};

/* What a module that was compiled apart must agree on. */
#define IX_GROUP_LAYOUT                                                        \
    {                                                                          \
        2, sizeof(ix_transport), sizeof(ix_message), sizeof(ilex_group),       \
            sizeof(ilex_group_spec), sizeof(ix_notice), sizeof(ix_error)       \
    }

/* ---- what all ranks do ---- */

/* A new epoch begins. */
void ix_group_begin(ilex_group *g);

/* Posts a message of "bytes" bytes at "data". */
ilex_status ix_group_post(ilex_group *g, ix_message *m, ix_error *err);

/* Waits until all of them are done. What came is what was expected, else
 * ILEX_E_GROUP; "what" says what the ranks are about. After an error those that
 * are not done are forgotten. */
ilex_status ix_group_wait(ilex_group *g, ix_message *m, size_t n,
                          const char *what, ix_error *err);

/* Waits until one more of them is done, whose number is "*which", and what came
 * is there; it is not compared with what was expected. At most the group's
 * timeout: ILEX_E_TIMEOUT; or ILEX_E_GROUP, when "notice" is what a rank said.
 * Nothing is recorded. */
ilex_status ix_group_next(ilex_group *g, ix_message *m, size_t n, size_t *which,
                          ix_notice *notice);

/* Posts one of "m->head.bytes" bytes, which is about a thing that all ranks
 * know by a number, and waits for it. */
ilex_status ix_group_pass(ilex_group *g, ix_message *m, uint64_t about,
                          const char *what, ix_error *err);

/* Forgets those that are not done. */
void ix_group_cancel(ilex_group *g, ix_message *m, size_t n);

/* This rank's part in the epoch has ended with "rc", which is returned: if it
 * is an error the others are told its text. */
ilex_status ix_group_end(ilex_group *g, ilex_status rc, const char *text);

#endif
