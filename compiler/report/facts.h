/* SPDX-License-Identifier: MIT
 *
 * What kernels and buffers of a unit are, for users: names, what is read and
 * written, how many bytes. For `ilexc explain` and for queries of programs.
 * All passes are done.
 */
#ifndef ILEX_COMPILER_FACTS_H
#define ILEX_COMPILER_FACTS_H

#include "compiler/tree/tree.h"

/* The numbers of the buffers that a kernel reads and writes, ascending. One for
 * all kernels, all zero before the first. */
typedef struct ix_usage {
    ix_unit *u;
    unsigned char *seen;
    ix_ints reads, writes;
    const ix_domain *stores; /* where it stores; NULL: at indices that are data,
                                as many elements as the buffers have */
} ix_usage;
void ix_fact_usage(ix_unit *u, const ix_kernel *k, ix_usage *x);
/* The same of a stage that is no call, for the reference back end. */
void ix_fact_stage_usage(ix_unit *u, const ix_stage *s, ix_usage *x);

/* "a, b": the arrays whose values a kernel computes on the way; nothing where
 * there are none. */
void ix_fact_computed(const ix_kernel *k, ix_text *t);

/* The form, the box, in runs that compute all of the outputs, whatever part
 * others compute (option box); NULL without an error where there is none. */
const ix_lin *ix_fact_form(const ix_unit *u, const ix_lin *a);
const ix_domain *ix_fact_domain(const ix_unit *u, const ix_domain *dom);

/* Boxes, and how many bytes a point of each has. */
typedef struct ix_traffic {
    const ix_domain **box;
    int64_t *each;
    size_t n, boxes, sizes;
    bool unknown; /* one has no form */
} ix_traffic;
void ix_fact_add_box(ix_unit *u, ix_traffic *x, const ix_domain *box,
                     int64_t each);
/* Adds what a kernel reads, or writes if "written", of each buffer that it
 * uses, once; temporaries of which a point at a time is kept stay in a cache.
 */
void ix_fact_add_traffic(ix_unit *u, ix_traffic *x, const ix_usage *usage,
                         bool written);
/* The polynomial of the boxes from "first" on; false if it leaves 64 bits. */
bool ix_fact_bytes(ix_unit *u, const ix_traffic *x, size_t first, ix_text *t);

/* The operations of a kernel's nests as a polynomial, "*most" if it may be
 * fewer; false if it leaves 64 bits. */
bool ix_fact_operations(ix_unit *u, const ix_kernel *k, bool *most, ix_text *t);
bool ix_fact_stage_operations(ix_unit *u, const ix_stage *s, bool *most,
                              ix_text *t);

#endif
