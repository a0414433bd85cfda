/* SPDX-License-Identifier: MIT
 *
 * What the pass partition knows of arrays, for the files that it is made of: a
 * pair of functions for each kind of array (stages.def), partition.c, which
 * calls them, and below them reads.c, which counts, checks.c, which knows which
 * arrays check data, storing.c and bodies.c, which make buffers and stages.
 */
#ifndef ILEX_COMPILER_PARTITION_H
#define ILEX_COMPILER_PARTITION_H

#include "compiler/unit.h"

/* Where a concat is: the whole of a buffer, or a part of another concat that
 * has no other reader. */
typedef struct ix_whereabouts {
    size_t root;                         /* position of the one with a buffer */
    const ix_lin *offset[ILEX_MAX_RANK]; /* of index 0, in the buffer */
} ix_whereabouts;

/* What partition knows of an array. */
typedef struct ix_partition_info {
    int64_t reads; /* distinct (user, index) pairs, seen from stores */
    int64_t work;  /* additions that its body and those computed with it take */
    int segments;  /* how often it is an operand of a concat */
    int users;     /* arrays whose bodies read it */
    int stages;    /* temporaries that are computed from it, one from the other
                    */
    bool stored;
    ix_reason reason;  /* why it is, or is not */
    bool root;         /* is an output */
    bool loaded;       /* read by a body */
    bool conditions;   /* body decides on indices */
    int cases;         /* bodies that do, one inside of the other, this one and
                          those that it reads */
    bool many;         /* with those of what reads it they are too many */
    bool repeated;     /* read by fewer indices than there are loops */
    bool factor;       /* of a contraction, which takes its elements often */
    bool steps;        /* read in the steps of a loop that it is not in */
    bool gathered;     /* read at indices that are data */
    bool checks;       /* data, or has an operand that may */
    bool apart;        /* read otherwise than at each of its points once */
    bool branches;     /* it, or what may be computed with it, has conditions or
                          guards */
    bool in_reduction; /* read in a reduction */
    bool hosts_strided_reduction; /* its stage computes one whose elements are
                                     not dense in memory: that wants the
                                     innermost free index inside */
    size_t sole_consumer; /* position + 1 of the stored array in whose stage all
                             of its reads are, in no such reduction; 0: not
                             read, IX_SEVERAL: there is none */
    int aligned; /* by all reads its leading axes that are those of that
                    stage */
    const ilex_array *guard;       /* it checks where this one, read at ... */
    int guard_axis[ILEX_MAX_RANK]; /* ... these of its axes, is true; or NULL */
    int loop;                      /* LOOP: which of the unit's */
    int into;   /* 1 + the buffer that it is stored in if it is stored; 0: any;
                   IX_INTO_LOOP: one of its loop, which is not made yet */
    int buffer; /* when stored; of a concat -1 until it has one */
    ilex_array *body;   /* over buffers, when computed again */
    int statements;     /* of it, or more */
    ix_whereabouts *at; /* CONCAT */
    size_t
        *result; /* SCAN, FOREIGN: position + 1 of each result, 0: not read */
} ix_partition_info;

typedef struct ix_partition {
    ix_unit *u;
    ix_partition_info *of;     /* by position */
    size_t first_output;       /* buffer of output 0 */
    int64_t work;              /* operations of all bodies */
    int64_t reductions;        /* numbers of their indices are below this */
    int64_t raised;            /* by this much were those in others raised */
    ix_mem mem;                /* the unit's */
    ix_walk branches, indices; /* over index arithmetic of all bodies */
    ix_map measured;           /* body: what it takes */
    ix_load_visitor loads;     /* of one body after the other */
    ix_substitution inlined;   /* the same */
} ix_partition;

static inline ix_partition_info *
ix_partition_of(ix_partition *p, const ilex_array *n)
{
    return &p->of[ix_unit_position(p->u, n)];
}

/* Is an array read by one concat, once, and by nothing else? It is computed
 * where its segment of that is stored. */
static inline bool
ix_partition_is_segment(const ix_partition_info *x)
{
    return x->segments == 1 && !x->loaded && !x->root;
}

#define IX_SEVERAL SIZE_MAX
#define IX_INTO_LOOP (-1)

/* operations a point may spend on computing again */
enum { IX_RECOMPUTE = 64 };

/* The functions of the kinds of arrays, for that at position "i"; false after
 * an error. */
#define IX_KEPT(NODE, need, decide, store)                                     \
    bool ix_decide_##decide(ix_partition *p, size_t i);                        \
    bool ix_store_##store(ix_partition *p, size_t i);
#include "compiler/stages.def"

/* An array is read otherwise than by a body. */
static inline ix_partition_info *
ix_partition_note_read(ix_partition *p, const ilex_array *n)
{
    ix_partition_info *x = ix_partition_of(p, n);
    x->loaded = true;
    x->reads++;
    return x;
}

/* ---- reads.c ---- */

/* Before the others. */
void ix_partition_begin_reads(ix_partition *p);
/* Operands first: what computing the array at position "i" again costs if
 * nothing it reads is stored but reductions. */
void ix_partition_add_work(ix_partition *p, size_t i);
/* Users first: what "n", which is no lambda, reads, or is read in more steps of
 * loops than it is made in, has no sole consumer. */
void ix_partition_note_reader(ix_partition *p, const ilex_array *n);
/* Users first: what "n", of which is known whether it is stored, reads. */
bool ix_partition_count_reads(ix_partition *p, const ilex_array *n);

/* Keeps what was decided, for `ilexc explain` (reasons.c). */
void ix_partition_keep(ix_partition *p);

/* Finds out which arrays check data, and which are read apart from that
 * (checks.c). */
void ix_partition_checks(ix_partition *p);

/* Is it an array of indices that are checked in it (tables.c)? */
bool ix_is_table(const ilex_array *n);

/* ---- storing.c ---- */

/* The output that holds "n" itself: the one output it is the value of, unless
 * others read more of it than the output covers. -1: none. */
int ix_partition_output(ix_partition *p, const ilex_array *n);

/* The buffer that the array at position "i" is stored in from now on: an
 * output's if it is one, else a new temporary. */
int ix_partition_buffer(ix_partition *p, size_t i);

/* Stores the array at position "i", which has a body, in such a buffer. */
void ix_partition_store(ix_partition *p, size_t i);

/* Element [_0, _1, ...] of an array: of its buffer, or its body. */
ilex_array *ix_partition_read(ix_partition *p, const ilex_array *n);

/* The buffer of result "k" of the tuple at position "i" (recurrences.c); one
 * that nobody reads has one on "box". */
int ix_result_buffer(ix_partition *p, size_t i, int k, const ix_domain *box);

/* ---- loops.c ---- */

/* Buffers for what is carried and stacked, once what is stored is decided. */
void ix_partition_repeat_buffers(ix_partition *p);
/* Before the array at position "i" is stored: loops whose steps begin there. */
bool ix_partition_begin_repeats(ix_partition *p, size_t i);

/* ---- bodies.c ---- */

/* Before the others. */
void ix_partition_begin_bodies(ix_partition *p);
/* Operands first: the body of "n" over buffers; false if it is poison. */
bool ix_partition_make_body(ix_partition *p, const ilex_array *n);

#endif
