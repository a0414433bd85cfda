/* SPDX-License-Identifier: MIT
 *
 * Files that appear complete or not at all: written under a temporary name in
 * the same directory, then renamed. And reading of regular files with every
 * failure told in a sentence.
 */
#ifndef ILEX_RUNTIME_FILE_H
#define ILEX_RUNTIME_FILE_H

#include "lib/base/prelude.h"

enum { IX_FILE_PATH = 4096 };

/* A file being written. */
typedef struct ix_file_out {
    int fd; /* -1: closed */
    ix_error *err;
    ilex_status status; /* of the first failure */
    char path[IX_FILE_PATH], temporary[IX_FILE_PATH + 64];
} ix_file_out;

/* Starts to write "path", which may not exist or be a regular file; a
 * symbolic link is followed. */
ilex_status ix_file_begin(ix_file_out *out, const char *path, ix_error *err);

/* Joins one that another process, or thread, has begun: "temporary" is its
 * name until it ends, which takes it to its place. */
ilex_status ix_file_join(ix_file_out *out, const char *temporary,
                         const char *path, ix_error *err);

/* Makes room for "bytes" bytes in all; what is not written is 0. */
ilex_status ix_file_extend(ix_file_out *out, int64_t bytes);

/* Writes bytes from byte "at" on; as ix_file_put after a failure. */
ilex_status ix_file_put_at(ix_file_out *out, const void *data, size_t bytes,
                           int64_t at);

/* Closes a file that was joined; returns the first failure. */
ilex_status ix_file_leave(ix_file_out *out, ilex_status status);

/* Appends bytes. After a failure it does nothing and returns the failure. */
ilex_status ix_file_put(ix_file_out *out, const void *data, size_t bytes);

/* Puts the file in place, or removes what was written if "status" or an
 * earlier step is a failure; returns that failure. */
ilex_status ix_file_end(ix_file_out *out, ilex_status status);

/* Opens a regular file for reading; "*bytes" is its length. -1 on failure. */
int ix_file_open(const char *path, int64_t *bytes, ix_error *err);

/* Reads exactly "bytes" bytes; "path" is for the message. */
ilex_status ix_file_get(int fd, const char *path, void *data, size_t bytes,
                        ix_error *err);
/* The same from byte "at" on. */
ilex_status ix_file_get_at(int fd, const char *path, void *data, size_t bytes,
                           int64_t at, ix_error *err);

#endif
