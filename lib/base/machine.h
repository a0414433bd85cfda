/* SPDX-License-Identifier: MIT
 *
 * What the system says of the machine that this process runs on. Nothing is
 * measured; what nobody says is 0.
 */
#ifndef ILEX_LIB_MACHINE_H
#define ILEX_LIB_MACHINE_H

#include "lib/base/prelude.h"

typedef struct ix_machine {
    int cores; /* processors that this process may use, 1 at least */
    int64_t line_bytes, l1_bytes, l1_ways, l2_bytes, l3_bytes;
    int64_t l3_sharers; /* processors that have one l3 together */
} ix_machine;

/* Asked for once in a process. */
const ix_machine *ix_machine_here(void);

/* Takes what a directory like /sys/devices/system/cpu/cpu0/cache says of caches
 * of data. */
void ix_machine_read_caches(ix_machine *m, const char *directory);

#endif
