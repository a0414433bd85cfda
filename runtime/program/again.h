/* SPDX-License-Identifier: MIT
 *
 * A run over ranks that is the last one again: of the same program with the
 * same storages and numbers, none of whose halos were old. Then nothing that a
 * run finds out is another, and its steps are carried out at once. Storages do
 * not change and have serial numbers, so those that are gone are not taken for
 * new ones.
 */
#ifndef ILEX_RUNTIME_AGAIN_H
#define ILEX_RUNTIME_AGAIN_H

#include "runtime/program/program.h"

/* Carries out such a run; false: it is another one. */
bool ix_again_run(const ix_run *r, ilex_status *rc);

/* Keeps one of "p" that was carried out, as "r" of the program for parts, and
 * sent nothing; its block and halos go along. False: they do not. */
bool ix_again_keep(const ilex_program *p, const ix_run *r, void *block,
                   ix_halo *halo, size_t nhalos);

#endif
