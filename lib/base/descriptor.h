/* SPDX-License-Identifier: MIT
 *
 * Whole reads and writes, and descriptors that are no standard streams: a host
 * may have closed its own, and write to what took their numbers.
 */
#ifndef ILEX_LIB_DESCRIPTOR_H
#define ILEX_LIB_DESCRIPTOR_H

#include "lib/base/prelude.h"

/* "fd" or a duplicate of it that is no standard stream, -1 when "fd" is -1 or
 * there is none; "fd" is closed in the last two cases. */
int ix_fd_high(int fd);

/* Reads or writes "n" bytes; false, with errno on failure, if there are fewer
 * or not all can be written. A limit on the size of files is an error, and not
 * the signal that the system would send. */
bool ix_fd_read(int fd, void *to, size_t n);
bool ix_fd_write(int fd, const void *from, size_t n);

#endif
