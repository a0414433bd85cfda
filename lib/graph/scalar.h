/* SPDX-License-Identifier: MIT
 *
 * Scalar expressions: the bodies of index lambdas. Constructors return nodes
 * held by the current scope, poison on failure.
 *
 * Index arithmetic has a normal form: a LINEAR node over atoms (indices,
 * sizes, minimum, maximum and floor division), so that equal accesses are the
 * same node. A remainder is written x - c*(x // c). Products with a size,
 * quotients and remainders by sizes are atoms as well.
 */
#ifndef ILEX_LIB_SCALAR_H
#define ILEX_LIB_SCALAR_H

#include "lib/graph/walk.h"
#include "lib/ops/eval.h"

ilex_array *ix_scalar_const(ilex_context *ctx, ilex_dtype dtype, ix_value v);
/* A literal that takes its neighbour's dtype; "dtype" is I64, F64 or BOOL. */
ilex_array *ix_scalar_weak(ilex_context *ctx, ilex_dtype dtype, ix_value v);
bool ix_is_weak(const ilex_array *n);
ix_value ix_const_value(const ilex_array *n);

ilex_array *ix_scalar_size(ilex_context *ctx, int32_t param);
ilex_array *ix_scalar_index(ilex_context *ctx, int k);
/* Does "x" depend on index _k? */
bool ix_scalar_uses_index(const ilex_array *x, int64_t k);
ilex_array *ix_scalar_rindex(ilex_context *ctx, int k);

/* op(ops...) where the operands have dtype "loop" (where: op 0 is bool). */
ilex_array *ix_scalar_op(ilex_context *ctx, ix_op op, ilex_dtype loop,
                         ilex_dtype result, ilex_array *const *ops);
static inline ix_op
ix_op_of(const ilex_array *n)
{
    return (ix_op)n->attr[0];
}
static inline ilex_dtype
ix_loop_of(const ilex_array *n)
{
    return (ilex_dtype)n->attr[1];
}

/* A foreign function of numbers, what `extern ... elementwise` declares:
 * operands and the result are of "dtype". */
enum { IX_APPLY_OPERANDS = 8 };
typedef struct ix_apply {
    int32_t name, declaration; /* symbols; the declaration with the name */
    int64_t cost;              /* in operations */
    ilex_dtype dtype;
    int noperands;
} ix_apply;
ilex_array *ix_scalar_apply(ilex_context *ctx, const ix_apply *f,
                            ilex_array *const *ops);

/* Is it computed from the values of its operands, and nothing else? */
static inline bool
ix_is_operation(const ilex_array *n)
{
    return n->kind == IX_OP || n->kind == IX_CAST || n->kind == IX_APPLY;
}

/* x as "dtype"; x itself if it has it; constants are converted. */
ilex_array *ix_scalar_cast(ilex_context *ctx, ilex_dtype dtype, ilex_array *x);

/* Operand "slot" at "rank" indices, which are brought to normal form. */
ilex_array *ix_scalar_load(ilex_context *ctx, ilex_dtype dtype, int slot,
                           int rank, ilex_array *const *index);

/* Integers that are data, which runs check. */
typedef enum ix_checked_what {
    IX_CHECKED_INDEX,
    IX_CHECKED_COPIED,   /* an index of a copy of the array that is read */
    IX_CHECKED_FROM_END, /* an index: "at" is what was given, which counts from
                            the end where it is negative */
    IX_CHECKED_UNSIGNED, /* an index that was given as u64 */
    IX_CHECKED_SHIFTED,  /* an index: its place and a shift that is data */
    IX_CHECKED_WORD,     /* an argument of random */
    IX_CHECKED_END,      /* of a reduction's range */
    IX_CHECKED_ROW,      /* csr_matmul: where a row begins or ends */
    IX_CHECKED_COLUMN    /* csr_matmul: an index */
} ix_checked_what;

/* "value" is in [lo, hi), which may be data too, or the run fails, unless
 * "trusted". "axis": of what it is an index of; "at": where it stands, or what
 * was given, for messages, or NULL. */
typedef struct ix_checked {
    ix_checked_what what;
    int axis;
    bool trusted;
    int of; /* while it stands for no index of the load around it: 1 + of which
               operand, or buffer, it is one; 0: of none */
    ilex_array *value, *lo, *hi, *at;
} ix_checked;
ilex_array *ix_scalar_checked_as(ilex_context *ctx, const ix_checked *c);
/* The same for an index of an axis that covers [lo, hi). What a message calls
 * it is read off "value", so that a text gives the node that it was printed
 * from. */
ilex_array *ix_scalar_checked(ilex_context *ctx, ilex_array *value, int axis,
                              const ix_lin *lo, const ix_lin *hi, bool trusted);
static inline bool
ix_is_trusted(const ilex_array *n)
{
    return n->attr[1] != 0;
}
static inline int
ix_checked_of(const ilex_array *n)
{
    return (int)n->attr[3];
}
static inline ix_checked_what
ix_checked_what_of(const ilex_array *n)
{
    return (ix_checked_what)n->attr[2];
}

/* Of a scan: result "result" at the same point, "levels" >= 1 before; several
 * bodies side by side. */
ilex_array *ix_scalar_carry(ilex_context *ctx, ilex_dtype dtype, int result,
                            int64_t levels);
ilex_array *ix_scalar_tuple(ilex_context *ctx, int n, ilex_array *const *ops);

/* Elements of a chunk: in lanes, of a chain and wherever the order changes
 * nothing; in one lane; of a scan. IX_SMALL_CHUNKS is for tests: short axes
 * have many chunks, and what takes one for the other shows. */
enum { IX_CHUNK = 4096, IX_LANE_BYTES = 256 };
#ifdef IX_SMALL_CHUNKS
enum {
    IX_CHUNK_LANES = 192,
    IX_CHUNK_CHAIN = 24,
    IX_CHUNK_ONE = 8,
    IX_CHUNK_SCAN = 20
};
#else
enum {
    IX_CHUNK_LANES = IX_CHUNK,
    IX_CHUNK_CHAIN = IX_CHUNK,
    IX_CHUNK_ONE = 256,
    IX_CHUNK_SCAN = IX_CHUNK
};
#endif

/* body folded over _r<first>.._r<first+rank-1>, which range over "box". The
 * order of combination is fixed here, from the body as it was built.
 *
 * A nest of one-axis reductions, last axis innermost: along one axis, chunks
 * of elements, on the last axis each in lanes that are folded pairwise, chunks
 * combined pairwise in index order. There are 256 bytes of lanes when every
 * load that uses the last axis uses it in its last index only, else one; one as
 * well where the axis is known to be shorter than the lanes and the body
 * depends on a free index. Chunks have IX_CHUNK_LANES elements where there are
 * lanes, else IX_CHUNK_ONE. */
ilex_array *ix_scalar_reduce(ilex_context *ctx, ix_reduction reduction,
                             ilex_dtype result, const ix_domain *box, int first,
                             ilex_array *body);

/* The same; over nothing it has the identity for a value, where the
 * reduction has none: max and min with an initial value. */
ilex_array *ix_scalar_reduce_total(ilex_context *ctx, ix_reduction reduction,
                                   ilex_dtype result, const ix_domain *box,
                                   int first, ilex_array *body);

/* The sum over the labels that an einsum's result lacks, or of products of two
 * elements. As above, but chunks have IX_CHUNK_LANES elements on every axis; a
 * "chain" has one accumulator that goes through all axes, in C order, chunks of
 * IX_CHUNK_CHAIN on the first axis alone. */
ilex_array *ix_scalar_contraction(ilex_context *ctx, ix_reduction reduction,
                                  const ix_domain *box, bool chain,
                                  ilex_array *body);
/* What such a sum adds: a*b, for real and complex "acc"; factors of that dtype
 * or of its real part's. See ix_product_add(). */
ilex_array *ix_scalar_product(ilex_context *ctx, ilex_dtype acc,
                              ilex_array *const *factors);

/* The same over one axis with a range that is computed: [lo, hi), i64, known to
 * be inside of "box" or checked; nothing where hi <= lo. In one lane, chunks
 * from lo on of IX_CHUNK_ONE elements, of products IX_CHUNK_CHAIN. */
ilex_array *ix_scalar_reduce_ranged(ilex_context *ctx, ix_reduction reduction,
                                    ilex_dtype result, const ix_domain *box,
                                    int first, ilex_array *const *body_lo_hi);
static inline bool
ix_is_ranged(const ilex_array *n)
{
    return n->nops == 3;
}
static inline ix_reduction
ix_reduction_of(const ilex_array *n)
{
    return (ix_reduction)n->attr[0];
}
static inline int64_t
ix_lanes_of(const ilex_array *n)
{
    return n->attr[2];
}
/* Do its elements lie side by side, so that vectors run along them, in lanes or
 * in any order? */
bool ix_reduces_row(const ilex_array *n);
enum { /* bits of attribute 3 */
       IX_REDUCE_CHAIN = 1,
       IX_REDUCE_TOTAL = 2
};
/* Elements that make a chunk of axis "k". */
static inline int
ix_chunk_of(const ilex_array *n, int k)
{
    return (int)n->attr[k + 1 == n->interior->rank ? 4 : 5];
}
static inline bool
ix_is_chain(const ilex_array *n)
{
    return (n->attr[3] & IX_REDUCE_CHAIN) != 0;
}
/* Has it a value over nothing only because there is an initial one? */
static inline bool
ix_is_total(const ilex_array *n)
{
    return (n->attr[3] & IX_REDUCE_TOTAL) != 0;
}

/* ---- index arithmetic (all i64, normal form in, normal form out) ---- */

ilex_array *ix_index_const(ilex_context *ctx, int64_t c);
/* Is an integer the constant 0? */
static inline bool
ix_index_is_zero(const ilex_array *x)
{
    return x->kind == IX_CONST && x->attr[0] == 0;
}
ilex_array *ix_index_lin(ilex_context *ctx, const ix_lin *a);
/* The other way; NULL, without an error, for one that depends on more than
 * sizes. */
const ix_lin *ix_index_to_lin(ilex_context *ctx, const ilex_array *x);
/* a + k*b */
ilex_array *ix_index_fma(ilex_context *ctx, ilex_array *a, int64_t k,
                         ilex_array *b);
/* The same; NULL, without an error, when it leaves 64 bits or has too many
 * terms. */
ilex_array *ix_index_try_fma(ilex_context *ctx, ilex_array *a, int64_t k,
                             ilex_array *b);
ilex_array *ix_index_offset(ilex_context *ctx, ilex_array *a, int64_t c);
ilex_array *ix_index_min(ilex_context *ctx, ilex_array *a, ilex_array *b);
ilex_array *ix_index_max(ilex_context *ctx, ilex_array *a, ilex_array *b);
/* Chunks of "chunk" elements of an axis: how many there are; NULL where there
 * might be fewer although a size is larger, or after an error. */
const ix_lin *ix_chunk_count(ilex_context *ctx, const ix_axis *ax, int chunk);
/* The range of chunk _0: [lo, hi). */
void ix_chunk_range(ilex_context *ctx, const ix_axis *ax, int chunk,
                    ilex_array **lo, ilex_array **hi);
/* floor(a / c), c > 0 */
ilex_array *ix_index_floordiv(ilex_context *ctx, ilex_array *a, int64_t c);

/* ---- by_size.c: the same by sizes, atoms that only bounds are known of ----
 */

/* a*s, floor(a / s), the remainder; a division by 0 gives 0. The product is
 * NULL without an error where a term has too many sizes, or too large a number.
 */
ilex_array *ix_index_mul_lin(ilex_context *ctx, ilex_array *a, const ix_lin *s);
ilex_array *ix_index_floordiv_lin(ilex_context *ctx, ilex_array *a,
                                  const ix_lin *s);
ilex_array *ix_index_mod_lin(ilex_context *ctx, ilex_array *a, const ix_lin *s);

/* One of these for operands in normal form; NULL for what is none. */
ilex_array *ix_index_by_size(ilex_context *ctx, ix_op op, ilex_array *a,
                             ilex_array *b);

/* Is "n" such an atom: something times a size, or a quotient or a remainder by
 * a form in sizes? */
bool ix_index_is_by_size(const ilex_array *n);

/* Is one of them in index arithmetic "x"? */
bool ix_index_has_by_size(const ilex_array *x);

/* Is "n" a quotient by a positive number? */
static inline bool
ix_index_is_quotient(const ilex_array *n)
{
    return n->kind == IX_OP && n->attr[0] == IX_OP_FLOOR_DIVIDE &&
           n->ops[1]->kind == IX_CONST && n->ops[1]->attr[0] > 0;
}

/* Records that index arithmetic is too large; poison. */
ilex_array *ix_index_too_large(ilex_context *ctx);

/* Normal form of an integer expression made of indices, sizes, constants,
 * + - *, // and remainder by positive constants or by forms in sizes, products
 * with sizes, minimum and maximum; "x" itself when it is something else. */
ilex_array *ix_index_normal(ilex_context *ctx, ilex_array *x);

/* Size of index arithmetic in normal form, or of a condition on it, written
 * out as a tree; 0 for anything else, when it is larger than IX_INDEX_WEIGHT,
 * and when a number in it is so large that sums may leave 64 bits. Walks over
 * index arithmetic visit that many places. */
enum { IX_INDEX_WEIGHT = 1000 };
int ix_index_weight(const ilex_array *n);

/* Is "x" index arithmetic (quasi-affine) in normal form? */
static inline bool
ix_index_is_affine(const ilex_array *x)
{
    return x->dtype == ILEX_I64 && x->weight > 0;
}

/* Would it be, were it not too long or its numbers not too large? */
bool ix_index_is_outsized(const ilex_array *x);

/* A LINEAR node, atom or constant seen uniformly: constant c plus terms. Index
 * arithmetic has IX_INDEX_TERMS at most; a pass that cuts loops has room for a
 * few more. */
enum { IX_INDEX_TERMS = 32, IX_INDEX_ROOM = 40 };
typedef struct ix_index_form {
    int64_t c;
    int n;
    struct {
        int64_t k;
        ilex_array *atom;
    } t[IX_INDEX_ROOM];
} ix_index_form;
void ix_index_form_of(const ilex_array *x, ix_index_form *form);
/* a += k*b; false on overflow or too many terms. */
bool ix_index_form_add(ix_index_form *a, int64_t k, const ix_index_form *b);
/* One without indices as a linear form in the sizes; NULL if it has any, or if
 * a number is too large for one. */
const ix_lin *ix_index_form_lin(ilex_context *ctx, const ix_index_form *form);
ilex_array *ix_index_from(ilex_context *ctx, const ix_index_form *form);

/* Is "x" the plain index _k plus a constant? */
bool ix_index_is_shift(const ilex_array *x, int *k, int64_t *offset);

/* Is "n" a condition on indices: comparisons of index arithmetic, true and
 * false, joined by and, or, not? */
static inline bool
ix_is_index_condition(const ilex_array *n)
{
    return n->dtype == ILEX_BOOL && n->weight > 0;
}

/* Is "n" and, or, not of conditions? */
bool ix_is_logic(const ilex_array *n);

/* Is "n" a `where` that guards reads, which may be outside where their branch
 * is not taken? One on indices does, also where they are joined with data, and
 * one on anything of reads at indices that are data. */
static inline bool
ix_is_guard(const ilex_array *n)
{
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_WHERE)
        return false;
    unsigned branches = n->ops[1]->flags | n->ops[2]->flags;
    return (branches & IX_HAS_CHECK) ||
           ((n->ops[0]->flags & IX_HAS_CONDITION) && (branches & IX_HAS_LOAD));
}

/* The constant that an operator or a conversion of constants is, else NULL. */
ilex_array *ix_scalar_fold(ilex_array *n);
/* What constant conditions leave of a `where`, and, or, not; else "n". */
ilex_array *ix_scalar_decided(ilex_context *ctx, ilex_array *n);

/* ---- rewriting ---- */

/* Replaces indices and loads in a body, bottom-up, each node once. */
typedef struct ix_substitution {
    ilex_context *ctx;
    const ix_mem *mem;        /* NULL: the context's */
    ilex_array *const *index; /* for _k, or NULL: keep */
    int nindex;
    ilex_array *const *rindex; /* for _r<from> and the following, or NULL */
    int nrindex;
    int64_t from;
    int64_t raise; /* added to the numbers of reductions' indices */
    /* replaces a load; "index" are its rewritten indices; NULL: keep */
    ilex_array *(*load)(void *user, ilex_array *load, ilex_array *const *index);
    /* called for every interior node once its operands are done, and for every
     * CARRY; or NULL */
    ilex_array *(*rewrite)(void *user, ilex_array *n);
    /* told what every interior node became; or NULL */
    void (*became)(void *listener, const ilex_array *from, ilex_array *to);
    void *user;
    void *listener; /* NULL: the same */
    /* Index arithmetic that outgrows its limits (terms, 64 bits, weight) is no
     * error but noted in "too_large"; the result is of no use then. */
    bool quiet, too_large;
    unsigned set; /* flags of nodes that contain what was set */
    ix_map memo;
    ix_walk walk; /* its own */
} ix_substitution;

/* What "body" becomes; of what earlier calls met, what it became for them. */
ilex_array *ix_substitute(ix_substitution *s, ilex_array *body);
/* "from" becomes "to" wherever it is met. */
void ix_substitution_set(ix_substitution *s, const ilex_array *from,
                         const ilex_array *to);
/* Forgets what nodes became, for another body with the same memory. */
void ix_substitution_forget(ix_substitution *s);
void ix_substitution_free(ix_substitution *s);

#endif
