/* SPDX-License-Identifier: MIT
 *
 * The node: one immutable struct for array expressions and for the scalar
 * expressions inside index lambdas, hash-consed in its context: structural
 * equality is pointer equality. What a kind's attributes and operands mean is
 * said in nodes.def.
 *
 * Counting: a node counts its operands; whoever else holds a node (scope,
 * user, pass) holds a count. The consing table is weak.
 */
#ifndef ILEX_LIB_NODE_H
#define ILEX_LIB_NODE_H

#include "lib/graph/env.h"
#include "lib/ops/op.h"

typedef enum ix_kind {
#define IX_NODE(NAME, ...) IX_##NAME,
#include "lib/graph/nodes.def"
    IX_NKINDS
} ix_kind;

typedef enum ix_kind_form {
    IX_FORM_OF_own,
    IX_FORM_OF_node,
    IX_FORM_OF_later
} ix_kind_form;

typedef enum ix_attribute_type {
    IX_ATTRIBUTE_AXIS,
    IX_ATTRIBUTE_AXES,
    IX_ATTRIBUTE_INTS,
    IX_ATTRIBUTE_LIN,
    IX_ATTRIBUTE_LINS,
    /* of functions that are no kind of node */
    IX_ATTRIBUTE_SET,
    IX_ATTRIBUTE_PLACES,
    IX_ATTRIBUTE_PAIRS,
    IX_ATTRIBUTE_INT,
    IX_ATTRIBUTE_SHAPE,
    IX_ATTRIBUTE_VALUE,
    IX_ATTRIBUTE_WORD,
    IX_ATTRIBUTE_DTYPE
} ix_attribute_type;

enum { IX_KIND_ATTRIBUTES = 4 };
typedef struct ix_attribute_info {
    const char *name;
    ix_attribute_type type;
    bool optional; /* in text */
} ix_attribute_info;

/* A row of nodes.def. */
typedef struct ix_kind_info {
    const char *text, *meaning;
    bool array;
    int first, last; /* operands by themselves; last: INT_MAX for all */
    int least, most; /* of these; INT_MAX: any number */
    ix_kind_form form;
    int nattributes;
    ix_attribute_info attribute[IX_KIND_ATTRIBUTES];
} ix_kind_info;
extern const ix_kind_info ix_kind_infos[IX_NKINDS];

struct ilex_array {
    ilex_context *ctx; /* NULL: it has ended */
    uint64_t hash;
    int32_t count;
    uint8_t kind, dtype;
    uint16_t flags;
    int16_t nops, nattr;
    uint16_t depth;  /* scalars: operations on the longest way to a leaf */
    uint16_t weight; /* scalars: see ix_index_weight */
    uint8_t merkle_state;
    uint8_t annotated;         /* something is noted: lib/graph/annotation.h */
    uint8_t scope_hint;        /* recorded by some scope already */
    uint32_t position;         /* arrays: the last that a unit gave it, see
                                  ix_unit_position */
    uint64_t merkle[2];        /* lib/graph/merkle.c */
    const ix_domain *interior; /* arrays, the ranges of REDUCE and TYPE */
    const ix_domain *valid;    /* arrays: where it may be read */
    const ix_env *env;         /* arrays: what it rests on; see ix_node_make */
    void *ext;                 /* DATA: the wrapped object; after the context's
                                  end its ix_remains */
    ilex_array *later;         /* list of ilex_drop_later */
    int32_t later_count;       /* drops of that list */
    int32_t kept;              /* of "count", the user's: lib/graph/keep.c */
    int64_t *attr;
    ilex_array *ops[];
};

/* The reader, the printer and proofs walk bodies by recursion, on a stack of
 * their own (lib/base/stack.h): constructors keep them this deep at most, the
 * compiler may add what it fuses. (lib/graph/walk.h has no such limit.) */
enum { IX_BUILD_DEPTH = 1000, IX_BODY_DEPTH = 4000 };

/* Flags, inherited from operands: what a body contains. */
enum {
    IX_HAS_INDEX = 1,  /* depends on an index _k */
    IX_HAS_RINDEX = 2, /* depends on a reduction index */
    IX_HAS_LOAD = 4,
    IX_HAS_REDUCE = 8,
    IX_HAS_CHECK = 16,   /* an index that is data */
    IX_HAS_GUARD = 32,   /* a `where` that guards reads (ix_is_guard) */
    IX_HAS_COUNTED = 64, /* mentions a counted size */
    IX_HAS_APPLY = 128,  /* calls a foreign function */
    /* is a condition on indices, or such and others joined by and, or, not */
    IX_HAS_CONDITION = 256,
    IX_MAY_FAIL = 512,   /* an integer that is data and that runs check */
    IX_HAS_VALUE = 1024, /* needs what statements compute */
    IX_HAS_SELF = 2048   /* arrays: is made of a result of a scan that is being
                            written */
};

/* Description of a node to be made. */
typedef struct ix_node_spec {
    ix_kind kind;
    ilex_dtype dtype;
    const ix_domain *interior, *valid;
    int nops, nattr;
    ilex_array *const *ops;
    const int64_t *attr;
    void *ext;
    const ix_env *env; /* what it rests on besides */
} ix_node_spec;

/* The node for "spec", found or made, with one count for the caller; NULL when
 * there is no memory, or its operands rest on assumptions that contradict each
 * other (an error that names them). Operands are borrowed. An array rests on
 * the assumptions that proofs about it needed and on those of its operands;
 * they are part of what it is. */
ilex_array *ix_node_make(ilex_context *ctx, const ix_node_spec *spec);

/* As ix_node_make, but the count goes to the current scope: the result is
 * valid until the scope ends. Poison (never NULL) on failure. */
ilex_array *ix_node_scoped(ilex_context *ctx, const ix_node_spec *spec);

/* "n" with other operands, scoped; n itself if they are the same. */
ilex_array *ix_with_operands(ilex_array *n, ilex_array *const *ops);
/* "n", a reduction, over another box, scoped. */
ilex_array *ix_with_interior(ilex_array *n, const ix_domain *interior);

/* "n" resting on "env" as well, scoped; n itself if it does. */
ilex_array *ix_with_env(ilex_array *n, const ix_env *env);

/* The lambda of "body" over "n" operands, scoped; NULL domains give poison.
 * Nothing is proved here. */
ilex_array *ix_node_lambda(ilex_context *ctx, const ix_domain *interior,
                           const ix_domain *valid, ilex_array *body, int n,
                           ilex_array *const *operands);

/* Operands that one lambda may have. */
enum { IX_LAMBDA_OPERANDS = 4096 };

/* Reports that "x", of kind SKIPPED, is used where values are needed. */
void ix_fail_skipped(ilex_context *ctx, const ilex_array *x);

ilex_array *ix_node_retain(ilex_array *n);
/* Gives a count back; releases whatever dies with a work list. */
void ix_node_release(ilex_array *n);

bool ix_node_make_poison(ilex_context *ctx);
/* Frees every node that is not kept, counts or not: the context dies. */
void ix_node_free_all(ilex_context *ctx);

/* lib/graph/keep.c: releases what other threads dropped; and at the end of the
 * context takes that off, makes husks of what is still kept, frees the rest. */
void ix_keep_drain(ilex_context *ctx);
void ix_keep_end(ilex_context *ctx);

/* What makes a node is called in programs: the text of its row, or the name of
 * an update that combines. */
const char *ix_node_text(const ilex_array *n);

static inline bool
ix_is_poison(const ilex_array *n)
{
    return n->kind == IX_POISON;
}

static inline bool
ix_is_array(const ilex_array *n)
{
    return ix_kind_infos[n->kind].array;
}

/* Has the array a scalar body in op 0, over the arrays behind it? */
static inline bool
ix_has_body(const ilex_array *n)
{
    return n->kind == IX_LAMBDA || n->kind == IX_SCAN;
}

static inline int
ix_rank(const ilex_array *n)
{
    return ix_is_array(n) ? n->interior->rank : 0;
}

/* The operands of an array that stand by themselves: how many, and the i-th,
 * NULL if there are no more. A body or an index of the node is none of them. */
int ix_operand_count(const ilex_array *n);
ilex_array *ix_operand(const ilex_array *n, int i);

/* How a DATA leaf's wrapped object is counted: set once by the runtime, so
 * that lib need not know what a storage is. */
typedef struct ix_data_hooks {
    void (*retain)(void *object);
    void (*release)(void *object);
    /* Do two show the same elements, whatever is written to them? */
    bool (*same)(const void *a, const void *b);
} ix_data_hooks;
extern ix_data_hooks ix_data;

/* Do two leaves that wrap data have the same elements at the same indices? */
static inline bool
ix_same_data(const ilex_array *a, const ilex_array *b)
{
    return a == b || (a->dtype == b->dtype && a->interior == b->interior &&
                      a->valid == b->valid && a->ext && b->ext &&
                      ix_data.same && ix_data.same(a->ext, b->ext));
}

#endif
