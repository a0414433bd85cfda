/* SPDX-License-Identifier: MIT
 *
 * Eager operators inside the runtime: how operands meet, and the programs.
 */
#ifndef ILEX_RUNTIME_EAGER_H
#define ILEX_RUNTIME_EAGER_H

#include "ilex/eager.h"
#include "runtime/program/program.h"

/* Most operands; most buffers of a program: the reference stores what it
 * computes on the way. */
enum {
    IX_EAGER_OPERANDS = 3,
    IX_EAGER_BUFFERS = 16,
    /* bytes of a kernel's arguments: a pointer, an element and strides of each
     * buffer, and the sizes */
    IX_EAGER_WORDS = 2048,
    IX_EAGER_ARGUMENTS =
        8 * (IX_EAGER_BUFFERS * (3 + ILEX_MAX_RANK) + ILEX_MAX_RANK)
};

/* The parameters of a result. */
typedef struct ix_eager_result {
    int rank;
    const char *axis[ILEX_MAX_RANK]; /* "" unnamed */
    int64_t shape[ILEX_MAX_RANK];
    int64_t halo[2 * ILEX_MAX_RANK];
    int64_t origin[ILEX_MAX_RANK];
    uint32_t has_origin; /* eager_match.c: axes of which it is known */
    int64_t aligned[ILEX_MAX_RANK];
    size_t alignment;
    const char *managed, *preset; /* where it lies, as in a spec; or NULL */
    char device[16];              /* "" the host */
    bool on_device;               /* it is computed there */
    char layout[ILEX_MAX_RANK * (IX_AXIS_NAME + 2)]; /* words, "" none */
    ilex_dtype dtype;
} ix_eager_result;

/* An operand against the result's axes: bit k of "mask" says that it varies
 * along axis k, with this stride. */
typedef struct ix_eager_operand {
    const ilex_storage *storage;
    uint32_t mask;
    int64_t stride[ILEX_MAX_RANK];
} ix_eager_operand;

/* ---- eager_match.c ---- */

/* How operands broadcast; fills all of "result" but dtype and place. */
ilex_status ix_eager_match(size_t count, ilex_storage *const *operands,
                           ix_eager_result *result, ix_error *err);

/* The result "is" the storage "out": operands must fit into it. If it has no
 * names beside operands that have, it must have the shape they broadcast to,
 * and its axes are called as theirs. */
ilex_status ix_eager_result_of(const ilex_storage *out, size_t count,
                               ilex_storage *const *operands,
                               ix_eager_result *result, ix_error *err);

/* Where "s" lies against the result's axes; an error if it does not fit. */
ilex_status ix_eager_place(const ix_eager_result *result, const ilex_storage *s,
                           ix_eager_operand *operand, ix_error *err);

/* A new storage with these parameters. */
ilex_storage *ix_eager_allocate(ilex_context *ctx,
                                const ix_eager_result *result);

/* ---- eager_side.c ---- */

/* Decides where "what" is computed and checks that this side can address
 * everything ("out" may be NULL), says in "result" where a new storage lies. */
ilex_status ix_eager_side(ilex_context *ctx, const char *what, size_t count,
                          ilex_storage *const *operands,
                          const ilex_storage *out, ix_eager_result *result);

/* The result shall lie in memory like that of "s". */
void ix_eager_lie_beside(const ilex_storage *s, ix_eager_result *result);

/* ---- eager_run.c ---- */

/* out = op(x[0], ...), converted to its dtype; IX_NOPS copies. Operands may
 * overlap "out". "device": it is computed there. */
ilex_status ix_eager_evaluate(ilex_context *ctx, int op,
                              const ix_eager_operand *x, int count,
                              ilex_storage *out, bool device);

/* ---- eager.c ---- */

/* NULL operands, a result that cannot be written. */
ilex_status ix_eager_check(ilex_context *ctx, const char *what, size_t count,
                           ilex_storage *const *operands,
                           const ilex_storage *out);

/* May values of "dtype" go into "out"? Only within a kind, or upwards. */
ilex_status ix_eager_check_cast(ilex_context *ctx, const char *what,
                                ilex_dtype dtype, const ilex_storage *out);

/* ---- eager_ranks.c ---- */

/* A reduction over the axes of a mask of a storage on a grid, by all ranks. */
ilex_storage *ix_eager_reduce_parts(ilex_context *ctx, const char *name,
                                    ilex_storage *x, uint32_t mask,
                                    ilex_storage *out);

/* ---- eager_reduce.c, eager_arrays.c ---- */

/* The parameters of "x" without the axes of a mask, with their markers; not
 * dtype and place. */
void ix_eager_kept_axes(const ilex_storage *x, uint32_t mask,
                        ix_eager_result *r);

/* to = from, both taken as plain arrays. */
ilex_status ix_eager_assign_plain(ilex_context *ctx, ilex_storage *to,
                                  ilex_storage *from);

/* ---- eager_cache.c ---- */

/* What a program depends on. Cleared before it is filled: it is hashed and
 * compared as bytes. */
typedef struct ix_eager_key {
    int32_t op;     /* ix_op; IX_NOPS: copy; -1 - ix_reduction */
    int32_t rank;   /* of the result; of the operand for a reduction */
    int32_t count;  /* operands */
    int32_t result; /* dtype */
    int32_t dtype[IX_EAGER_OPERANDS];
    uint32_t mask[IX_EAGER_OPERANDS]; /* for a reduction: reduced axes */
    char jit[12];
} ix_eager_key;

/* The program for a key, made if it is new; NULL after an error. It lives as
 * long as the process. Any thread. */
const ilex_program *ix_eager_program(ilex_context *ctx,
                                     const ix_eager_key *key);

/* Notes the back end: on the host the one that the context asks for. */
void ix_eager_key_jit(ilex_context *ctx, bool device, ix_eager_key *key);

/* Programs compiled so far in this process. */
size_t ix_eager_compilations(void);

#endif
