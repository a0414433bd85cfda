/* SPDX-License-Identifier: MIT
 *
 * Graphs: walking over arrays and rewriting them, for those who build languages
 * and passes on Ilex.
 *
 * An array is a node, its operands are those of ilex_array_operand(). Graphs
 * are shared and immutable: a rewrite makes new nodes, and equal nodes of a
 * context are one pointer. What is made of numbers and sizes alone (ilex_lit,
 * ilex_size, sums of them) is a node without operands here, and where it meets
 * an array it is part of what is made, no operand of it. The array that a size
 * counts (ilex_size_count, ilex_loop_step_to) is no operand either: sizes stay
 * what they are, also where a rewrite replaces what they are counted from.
 *
 * All functions are for the context thread; none may be called with arrays of
 * several contexts, except ilex_identical.
 */
#ifndef ILEX_GRAPH_H
#define ILEX_GRAPH_H

#include "expr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Do both mean the same: 1 or 0? Of one context they are one node then; arrays
 * of two contexts are compared by their hashes (ilex_hash), for which wrapped
 * storages of one dtype and domain are equal. 0 for poison; "a" and "b" may be
 * NULL: 0. (What compares elements is ilex_equal.) */
ILEX_API int ilex_identical(const ilex_array *a, const ilex_array *b);

/* The operator that an array applies to the elements of its operands, and to
 * numbers: its name in ops.def ("add", "exp", "where"), or "cast"; for example
 * of x + y, 2 - x, exp(x), f32(x). NULL for all else: several operators at
 * once, other indices than those of broadcasting, reductions, other kinds.
 * Operands that are equal are one. The name lives as long as the library is
 * loaded. */
ILEX_API const char *ilex_array_operator(const ilex_array *x);

/* ---- what an array is ----
 *
 * Beside kind, dtype, domain and operands (expr.h). Texts: at most `size` bytes
 * with the final NUL are written to `text`; the length that is needed without
 * it is returned. Questions are answered 1 or 0, of poison 0.
 */

/* Name of an input, NULL of all else. Lives as long as the context. */
ILEX_API const char *ilex_array_name(const ilex_array *x);

/* The value of a constant (ilex_f64, ilex_lit, ...): 1, and its parts in *re
 * and *im, each of which may be NULL; 0 for what is no constant. Integers
 * beyond 2^53 are rounded. */
ILEX_API int ilex_array_number(const ilex_array *x, double *re, double *im);

/* What a node says beside its operands, as text has it: "axes=[1, 0]" of a
 * permute, "start=[1], stop=[n], step=[2]" of a slice, "ij,jk->ik : i32" of an
 * einsum, as ilex_einsum takes it (dtypes where they are not the default), "0
 * forward" of a scan, "C" of a reshape, the name of an input; "" where there is
 * nothing to say. */
ILEX_API size_t ilex_array_attributes(const ilex_array *x, char *text,
                                      size_t size);

/* The elements of a lambda or scan (of this result, from 0) as a formula:
 * operand k is _in<k>, indices are _0, _1, ..., those of reductions _r0, ...:
 * "_in0[_0 + 1, _1]*2.0", "sum[_r0:m](_in0[_0, _r0])". Of a scalar the
 * expression; "" for other kinds; "..." at the end where it is too large to be
 * written. */
ILEX_API size_t ilex_array_body(const ilex_array *x, int result, char *text,
                                size_t size);

/* Does every element depend on the elements of the operands at the same place
 * alone, broadcasting included: any operators of them, numbers and indices? */
ILEX_API int ilex_is_elementwise(const ilex_array *x);

/* Is it y(i) = x(i + offset) for one operand with as many axes, not all offsets
 * 0? They are put into offset[0 ...rank - 1], which may be NULL. An axis whose
 * name differs is the staggered one. */
ILEX_API int ilex_is_shift(const ilex_array *x, int64_t *offset);

/* Is it the only operand, unchanged, along further axes or longer ones? */
ILEX_API int ilex_is_broadcast(const ilex_array *x);

/* Is it one reduction of the elements of one operand: the name ("sum", "max"),
 * else NULL; bit k of "axes", which may be NULL, says that axis k of the
 * operand is reduced. The name lives as long as the library is loaded. */
ILEX_API const char *ilex_is_reduction(const ilex_array *x, unsigned *axes);

/* Is it an einsum of two operands or more? ilex_array_attributes() are its
 * subscripts, ilex_einsum_path() its order. */
ILEX_API int ilex_is_contraction(const ilex_array *x);

/* ---- walking ---- */

/* Looks at a node; anything but 0 ends the walk, which is no error. It may make
 * arrays, and drop none that the roots reach. */
typedef int (*ilex_visit)(void *user, ilex_array *node);

/* Calls "visit" for every node that the "count" roots reach: once, operands
 * first, in the order of the roots and of operands. Errors: ILEX_E_ARGUMENT
 * (NULL), ILEX_E_CONTEXT, ILEX_E_MEMORY; a poison root ends with the error that
 * made it. Nothing is visited then. */
ILEX_API ilex_status ilex_walk(ilex_context *ctx, size_t count,
                               ilex_array *const *roots, ilex_visit visit,
                               void *user);

/* ---- rewriting ---- */

/* What replaces "node", whose operands became these; NULL: the node as it is,
 * over these operands. It may be any array of the same dtype and domain that is
 * known wherever the node is, for example operands[0]; or a number or literal,
 * which then fills the domain. Arrays that it makes carry the location of the
 * node, and errors in it report that (ilex_location). A poison array ends the
 * rewrite. */
typedef ilex_array *(*ilex_rewrite)(void *user, ilex_array *node, int count,
                                    ilex_array *const *operands);

/* Rewrites what the "count" roots reach: calls "rewrite" for every node once,
 * operands first; results[i] is what roots[i] became, the same pointer where
 * nothing below it changed. The results belong to the current scope. A node
 * over changed operands keeps its domain, and what was proved and assumed of
 * it; tags and user data stay with the old node.
 *
 * Example: exp(a)*exp(b) becomes exp(a + b).
 *
 *     static ilex_array *
 *     join(void *user, ilex_array *node, int count, ilex_array *const *x)
 *     {
 *         const char *op = ilex_array_operator(node);
 *         if (!op || strcmp(op, "multiply") || count != 2 ||
 *             !is_exp(x[0]) || !is_exp(x[1]))
 *             return NULL;
 *         return ilex_exp(ilex_add(ilex_array_operand(x[0], 0),
 *                                  ilex_array_operand(x[1], 0)));
 *     }
 *     ilex_map_graph(ctx, 1, &y, join, NULL, &z);
 *
 * Errors, after which all results are poison: those of "rewrite";
 * ILEX_E_ARGUMENT for NULL and for what replaces a tuple (scan, extern, whose
 * results are arrays of their own) or the read that an update changes;
 * ILEX_E_CONTEXT; ILEX_E_DTYPE and ILEX_E_SHAPE for a replacement of another
 * dtype or domain, ILEX_E_BOUNDS for one that is not known wherever the node
 * is; ILEX_E_UNSUPPORTED where the mask of a compress changes, which its length
 * depends on, or a loop with `until` that stacks; ILEX_E_MEMORY. */
ILEX_API ilex_status ilex_map_graph(ilex_context *ctx, size_t count,
                                    ilex_array *const *roots,
                                    ilex_rewrite rewrite, void *user,
                                    ilex_array **results);

/* x with "to" wherever "from" is in it: ilex_map_graph with that rewrite. x
 * itself if it does not reach "from", NULL if x is NULL, poison after an error:
 * those of ilex_map_graph. */
ILEX_API ilex_array *ilex_substitute(ilex_array *x, ilex_array *from,
                                     ilex_array *to);

/* ---- other contexts ---- */

/* x in another context, where it has the same hash (ilex_identical): its text,
 * read there. x itself if it is of "ctx". Tags come along; user data and
 * registered functions do not, and places are those in that text, called
 * "import". The result belongs to the current scope of "ctx". Poison after an
 * error, which "ctx" has: ILEX_E_ARGUMENT for NULL and poison;
 * ILEX_E_UNSUPPORTED for what text does not give back as it is: arrays that
 * reach wrapped storages (put an input in their place), fields that are not
 * known wherever they are defined (ilex_restrict), expressions of sizes alone;
 * ILEX_E_LIMIT for bodies that are too large to be written; errors of
 * ilex_module_output. The thread may use both contexts. */
ILEX_API ilex_array *ilex_import(ilex_context *ctx, ilex_array *x);

#ifdef __cplusplus
}
#endif
#endif
