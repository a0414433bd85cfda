/* SPDX-License-Identifier: MIT
 *
 * Runs of a group: a program with messages is its parts, and which of these
 * make what is sent.
 */
#ifndef ILEX_RUNTIME_MESSAGES_H
#define ILEX_RUNTIME_MESSAGES_H

#include "runtime/program/program.h"

/* A part of the program: what it waits for, as bits by message, and other
 * parts. */
typedef struct ix_message_part {
    ilex_program *program;
    const uint64_t *needs;
    const size_t *after;
    size_t nafter;
} ix_message_part;
struct ix_messages {
    const ix_message_part *part;
    size_t n;
    const int *from; /* of each message the part that makes what is sent; -1 */
};

/* message_parts.c: compiles the parts of a program; NULL after an error. */
ix_messages *ix_messages_new(ilex_module *m, const ilex_program *p);
void ix_messages_free(const ix_mem *mem, ix_messages *x);
/* Have its messages come that are "there", bits, and its parts been "done"? */
bool ix_message_part_is_ready(const ix_message_part *p, size_t messages,
                              const uint64_t *there, const bool *done);

/* message_ends.c: rank "rank" of "ranks"; with which one a message of its is,
 * the lengths of the array. */
typedef struct ix_message_place {
    int rank, ranks;
} ix_message_place;
typedef struct ix_message_end {
    int peer;
    int64_t shape[ILEX_MAX_RANK];
} ix_message_end;
/* Of all messages of a program, for values of sizes: ILEX_E_OVERFLOW,
 * _ARGUMENT for what is no other rank, _DUPLICATE. */
ilex_status ix_message_ends(const ix_compiled *c, const int64_t *size,
                            const ix_message_place *at, ix_message_end *end,
                            ix_error *err);

/* messages.c: a run by all ranks of the call's group. */
ilex_status ix_messages_run(ix_run *r);
/* One that fails before it begins: the others are told. Returns "rc". */
ilex_status ix_messages_fail(ilex_group *g, ilex_status rc, const char *text);

#endif
