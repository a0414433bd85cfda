/* SPDX-License-Identifier: MIT
 *
 * What `ilexc replay` finds in a file of ilex_repro(): replay_read.c reads it
 * and believes nothing, replay_fields.c makes the storages, verb_replay.c runs.
 */
#ifndef ILEX_ILEXC_REPLAY_H
#define ILEX_ILEXC_REPLAY_H

#include "runtime/ilexc/ilexc.h"

enum { IX_REPLAY_NAME = 64, IX_REPLAY_MOST = 4096 };

/* A line "name value"; texts lie in the file's bytes. */
typedef struct ix_replay_pair {
    const char *name, *value;
} ix_replay_pair;

typedef struct ix_replay_binding {
    ilex_binding b; /* without its storage */
    int same;       /* number of the binding whose storage it is; -1: its own */
    const char *dtype;
    int writable, rank;
    const char *axis[ILEX_MAX_RANK];
    int64_t shape[ILEX_MAX_RANK], stride[ILEX_MAX_RANK];
    int64_t halo[2 * ILEX_MAX_RANK], origin[ILEX_MAX_RANK];
    size_t element;   /* bytes */
    const char *data; /* in C order, or NULL: made up */
    size_t data_bytes;
} ix_replay_binding;

typedef struct ix_replay {
    char *bytes;
    size_t length;
    const char *version, *program, *error, *box;
    int code; /* of the recorded error; 0 with an error: of a run */
    int threads;
    ix_replay_pair *option;
    ilex_size_binding *size;
    ix_replay_binding *binding;
    size_t noptions, nsizes, nbindings;
} ix_replay;

/* Reads a file; to be freed in any case. */
ix_cli_exit ix_replay_read(ix_replay *r, const char *path);
void ix_replay_free(ix_replay *r);

/* ---- replay_fields.c ---- */

/* Elements of a storage; -1 where they, or their span in memory, are more than
 * replay makes. */
int64_t ix_replay_count(const ix_replay_binding *b, int64_t *lowest,
                        int64_t *span);

/* The storage of a binding, with its elements; NULL after an error, which the
 * context has. */
ilex_storage *ix_replay_storage(ilex_context *ctx, const ix_replay_binding *b);

/* A sum of all elements in C order; every NaN counts as one. */
uint64_t ix_replay_checksum(const ilex_storage *s);

#endif
