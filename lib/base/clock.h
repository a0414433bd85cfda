/* SPDX-License-Identifier: MIT
 *
 * How long something took.
 */
#ifndef ILEX_LIB_CLOCK_H
#define ILEX_LIB_CLOCK_H

/* Seconds of a clock that only goes forward. */
double ix_clock(void);

#endif
