/* SPDX-License-Identifier: MIT
 *
 * Kernels that are equal but for what a call can say: their fingerprints
 * (fingerprint.c) and the groups of those with one fingerprint (share.c).
 */
#ifndef ILEX_COMPILER_FINISH_SHARE_H
#define ILEX_COMPILER_FINISH_SHARE_H

#include "compiler/tree/tree.h"

enum {
    IX_MOST_OFFSETS = 8,  /* of a function; they need registers */
    IX_MOST_LITERALS = 64 /* of a function; they lie in memory anyway */
};

/* A kernel as bytes of numbers; its constants, and its literals if these may
 * differ. */
typedef struct ix_fingerprint {
    ix_kernel *k;
    uint8_t *byte;
    int64_t *constant;
    ilex_array **literal;
    size_t nbytes, nconstants, nliterals;
    struct ix_fingerprint *next; /* of its group */
} ix_fingerprint;

/* Which constant, or literal, is which argument: 0, it is what it is in all
 * kernels of a group, or 1 + the argument's number. */
typedef struct ix_arguments {
    int *offset, *literal;
    int noffsets, nliterals;
} ix_arguments;

typedef struct ix_fingerprint_writer {
    ix_unit *u;
    bool literals;    /* may differ */
    ix_fingerprint f; /* of the kernel that is walked, in memory for any */
    size_t byte_capacity, constant_capacity, literal_capacity;
    int *buffer, *size;        /* their numbers in it + 1, 0: not met */
    const ix_arguments *a;     /* to rewrite a kernel for, or NULL */
    size_t next, next_literal; /* to rewrite */
} ix_fingerprint_writer;

/* Writes the fingerprint of a kernel; its hash. */
uint64_t ix_fingerprint_write(ix_fingerprint_writer *w, ix_kernel *k);
/* Makes a kernel take what differs as arguments. */
void ix_fingerprint_rewrite(ix_fingerprint_writer *w, ix_kernel *k,
                            const ix_arguments *a);

#endif
