/* SPDX-License-Identifier: MIT
 *
 * Array expressions: leaves, structural constructors, inspection, text.
 *
 * An array is a function from a domain (one half-open index range per axis,
 * bounds sums of products of size parameters, min and max of such) to values of
 * one dtype.
 * Constructors return arrays of the current scope; on error they return the
 * context's poison array and record the first error (see base.h). Every
 * function here is for the context thread.
 *
 * Domains as text: "n, m" are unnamed axes from 0; "I:ni, J:-1:nj+1" are named
 * axes; bounds use + - * and size parameters, which come to
 * exist by being named. Unnamed arrays broadcast like NumPy's; named ones
 * broadcast by axis name, on the intersection of their domains. "I+1/2" is the
 * staggered axis of I, half a cell further; no array has both. Where an axis of
 * an array is named, I is I+1/2 if the array has no axis I.
 */
#ifndef ILEX_EXPR_H
#define ILEX_EXPR_H

#include "base.h"
#include "kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sizes and assumptions ---- */

/* Adds assumptions on sizes, e.g. "n >= 4 && m == 2*n && k % 8 == 0", which
 * hold until the current scope ends (without one, as long as the context).
 * ILEX_E_ASSUME if they contradict those that hold already.
 *
 * A constructor proves without assumptions; only where that fails, with them:
 * then the array rests on those it needed, and with it every array made of it,
 * in whatever scope. Equal arrays that rest on different assumptions are two.
 * Arrays of which no sizes satisfy both assumptions do not meet
 * (ILEX_E_ASSUME). Every run verifies what the outputs of its program rest on,
 * and what held where they were added to it. */
ILEX_API ilex_status ilex_assume(ilex_context *ctx, const char *condition);

/* The value of a size parameter, rank 0, i64. */
ILEX_API ilex_array *ilex_size(ilex_context *ctx, const char *name);

/* From here to the end of the scope the size `name` is the number of elements
 * of `mask` that are not 0 (true): a run counts them, before anything that
 * needs the size. 0 <= name <= elements of the mask, which proofs use. It may
 * stand in the domains of all arrays but inputs, and ilex_compress of this mask
 * gives arrays of this length. Such an output is bound to a storage with room
 * for as many elements as could be counted; the run writes the first ones and
 * reports the count (ilex_call.counted). The context keeps the mask.
 * ILEX_E_DUPLICATE if the name counts another mask in this scope. In text
 * `size name = count_nonzero(mask)`. */
ILEX_API ilex_status ilex_size_count(ilex_context *ctx, const char *name,
                                     ilex_array *mask);

/* ---- leaves ---- */

/* Placeholder bound by name at run time: x(i) for i in the domain. "" and
 * domain NULL are rank 0. A halo after the domain, "I:ni, J:nj halo(I:2:2,
 * J:1:1)", widens where it may be read, "halo(auto)" as far as the program
 * reads. Errors: ILEX_E_NAME, ILEX_E_SYNTAX, ILEX_E_EMPTY (a length that is not
 * provably >= 0). */
ILEX_API ilex_array *ilex_input(ilex_context *ctx, const char *name,
                                ilex_dtype dtype, const char *domain);

/* Rank-0 constants of exactly this dtype. */
ILEX_API ilex_array *ilex_bool(ilex_context *ctx, int value);
ILEX_API ilex_array *ilex_i32(ilex_context *ctx, int32_t value);
ILEX_API ilex_array *ilex_i64(ilex_context *ctx, int64_t value);
ILEX_API ilex_array *ilex_f32(ilex_context *ctx, float value);
ILEX_API ilex_array *ilex_f64(ilex_context *ctx, double value);
ILEX_API ilex_array *ilex_c128(ilex_context *ctx, double re, double im);

/* Literals: take the dtype of what they meet, within their kind (NumPy 2's
 * rule for Python scalars): x*2 keeps the dtype of any numeric x, x*0.5 that
 * of any real or complex floating x. */
ILEX_API ilex_array *ilex_lit(ilex_context *ctx, double value);
ILEX_API ilex_array *ilex_lit_int(ilex_context *ctx, int64_t value);

/* y(i) = i along the named axis, i64, defined everywhere on that axis. */
ILEX_API ilex_array *ilex_index(ilex_context *ctx, const char *axis);

/* y(i) = value for every i of the domain; domain NULL: of rank 0. `value` has
 * rank 0. */
ILEX_API ilex_array *ilex_full(ilex_context *ctx, const char *domain,
                               ilex_array *value);

/* y(i) = start + step*i, i64, one unnamed axis of the given length, e.g.
 * ("2*n", 0, 1). */
ILEX_API ilex_array *ilex_arange(ilex_context *ctx, const char *length,
                                 int64_t start, int64_t step);

/* ---- structural constructors ---- */

/* y = x converted to dtype: floats to integers saturate and NaN gives 0;
 * complex to real drops the imaginary part; to bool is != 0. */
ILEX_API ilex_array *ilex_cast(ilex_array *x, ilex_dtype dtype);

/* y(i) = x(i + offset) along a named axis, on x's domain: what is known of x
 * moves by -offset. */
ILEX_API ilex_array *ilex_shift(ilex_array *x, const char *axis,
                                int64_t offset);

/* y(r) = x(r + halves/2) along a named axis, positions counted in cells: index
 * k of "I+1/2" lies at k + 1/2. By an odd number of halves the result has the
 * other one of the two axes. In text u[I+1/2]. */
ILEX_API ilex_array *ilex_shift_halves(ilex_array *x, const char *axis,
                                       int64_t halves);

/* y(i) = x(i + by) along a named axis, where `by` is an integer of rank 0 that
 * is data: an input, a result. Nominally on x's domain, and known where x is: a
 * run fails where it would read x outside of that (ILEX_E_BOUNDS, with the
 * shift, the index and the range). With a mode, "wrap", "edge", "reflect" or
 * "symmetric", or else a value of rank 0 and x's dtype, what is outside of x's
 * interior is read as that says, whatever the shift; a halo is not read. `mode`
 * and `value` may be NULL. */
ILEX_API ilex_array *ilex_shift_by(ilex_array *x, const char *axis,
                                   ilex_array *by, const char *mode,
                                   ilex_array *value);

/* y = x on the given domain (all axes of x, in any order and with the same
 * names), which must lie inside x's readable domain for all sizes, else
 * ILEX_E_BOUNDS with a counterexample; axes that x lacks are broadcast. */
ILEX_API ilex_array *ilex_restrict(ilex_array *x, const char *domain);

/* Reductions over the listed axes: names "I, J" or numbers "0, -1"; NULL for
 * all axes. keep != 0 keeps them with length 1 (unnamed axes only). Result
 * dtypes as NumPy; the order of combination is fixed (ilx.md says which), the
 * same on every back end and for any number of threads. argmax and argmin give
 * the position in C order of the reduced axes. */
ILEX_API ilex_array *ilex_sum(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_prod(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_max(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_min(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_all(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_any(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_mean(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_argmax(ilex_array *x, const char *axes, int keep);
ILEX_API ilex_array *ilex_argmin(ilex_array *x, const char *axes, int keep);

/* Variance and standard deviation over axes as ilex_sum, as NumPy's: the mean,
 * then the sum of the squared distances from it, for complex elements of their
 * moduli, divided by the number of elements less ddof (at least 0). f64 of bool
 * and integers, real of complex. */
ILEX_API ilex_array *ilex_var(ilex_array *x, const char *axes, int keep,
                              int64_t ddof);
ILEX_API ilex_array *ilex_std(ilex_array *x, const char *axes, int keep,
                              int64_t ddof);

/* The reduction called "sum", "prod", "max", ..., "mean", "var" or "std", over
 * axes as ilex_sum, of the elements where the mask `where` (or NULL) holds,
 * bool, with x's axes or fewer of them, combined with `initial` (or NULL), a
 * value of rank 0 or on the result's axes. argmax and argmin have neither,
 * mean, var and std no initial value. */
ILEX_API ilex_array *ilex_reduce(ilex_array *x, const char *reduction,
                                 const char *axes, int keep, ilex_array *where,
                                 ilex_array *initial);

/* Random numbers in [0, 1), f64, or f32 for the second: one for each point of
 * the "count" (1 to 4) integer arrays "words", which are broadcast. It depends
 * on the key, a u64 of rank 0, and on the words alone: equal arguments give the
 * same number, on every back end, with any number of threads. Words are in
 * [0, 2^32); those not known to be are checked by a run (ILEX_E_BOUNDS).
 * Philox 4x32-10: the words are the counter, followed by zeros; f64 has the
 * upper 53 bits of its first two words, f32 the upper 24 of the first. Not
 * NumPy's stream. Errors: ILEX_E_DTYPE, ILEX_E_RANK, ILEX_E_ARGUMENT. The
 * result belongs to the current scope. */
ILEX_API ilex_array *ilex_random(ilex_array *key, int count,
                                 ilex_array *const *words);
ILEX_API ilex_array *ilex_random_f32(ilex_array *key, int count,
                                     ilex_array *const *words);

/* NumPy's einsum, e.g. ("ij,jk->ik", 2, {a, b}); "..." (under which axes with
 * names meet by name) and implicit results are understood. 1 to 16 operands.
 * Sums do not widen the dtype; a colon and the result's dtype, that of sums,
 * both, and whether products are rounded before they are added, may follow:
 * "ij,jk->ik : i32", "ij,jk : acc f64", "ij,jk->ik : f32 acc f64 rounded"
 * (ilx.md says what the second is without the word). More than two operands are
 * multiplied in pairs, along the path with the fewest multiplications (ilx.md
 * says which); parentheses in the subscripts give another one: "(ij,jk),kl->il"
 * forms the first product first, and factors that they do not group are
 * multiplied from left to right. */
ILEX_API ilex_array *ilex_einsum(ilex_context *ctx, const char *subscripts,
                                 int count, ilex_array *const *operands);

/* The path of an einsum (also of what ilex_matmul and other products give), as
 * text: a line for each product of it, in order, operands by their numbers,
 *
 *     1*2: 2*m*k*l flops, m*l elements
 *     0*(1*2): 2*n*m*l flops, n*l elements
 *     flops: 2*m*k*l + 2*n*m*l
 *     largest: m*l elements
 *
 * For each combination of its labels a product of k factors takes k - 1
 * multiplications, and an addition if it sums; elements are those of what it
 * makes. Figures are products of lengths, true for all sizes; which array is
 * the largest, the result included, and which path is the best, is decided with
 * 64 for a length that is no number. NULL after an error: ILEX_E_ARGUMENT for
 * an array of another kind. Owned by the caller: ilex_text_free(). */
ILEX_API char *ilex_einsum_path(ilex_array *x);

/* y has the given domain and x's elements in C ("C", or order NULL) or Fortran
 * ("F") order; the number of elements must be provably equal: [n, m] and [n*m],
 * [2*n] and [n, 2]. One unnamed length may be -1: what is left. */
ILEX_API ilex_array *ilex_reshape(ilex_array *x, const char *domain,
                                  const char *order);

/* An expression of .ilx text over named operands: pairs of name and array,
 * ended by NULL. ilex_expr(ctx, "u - 0.1*(lap[I+1] - lap)", "u", u, "lap",
 * lap, NULL). */
ILEX_API ilex_array *ilex_expr(ilex_context *ctx, const char *text, ...);

/* As ilex_expr with arrays of names and operands, for bindings. */
ILEX_API ilex_array *ilex_expr_n(ilex_context *ctx, const char *text,
                                 size_t count, const char *const *names,
                                 ilex_array *const *operands);

/* An index lambda, as the statement `map` of .ilx text: y(i, j, ...) = body for
 * every index of the domain. Subscripts are absolute, one index for each axis;
 * indices are called as the domain says or _0, _1, ...; operands are pairs of
 * name and array, ended by NULL.
 *
 *     ilex_map(ctx, "i:n, j:m", "x[i, j]*w[j+1]", "x", x, "w", w, NULL)
 *     ilex_map(ctx, "n", "x[min(_0+1, size(n)-1)]", "x", x, NULL)
 *     ilex_map(ctx, "I=i:-1:n+1", "x[min(max(i, 0), n-1)]", "x", x, NULL)
 *
 * An index is a bound variable: its axis is called as the axes that are read at
 * it, and "I=i:n" calls it I on purpose. Errors: those of text, ILEX_E_BOUNDS
 * with a counterexample where a read leaves its array; indices that are data
 * are checked by runs. */
ILEX_API ilex_array *ilex_map(ilex_context *ctx, const char *domain,
                              const char *body, ...);

/* As ilex_map with arrays of names and operands, for bindings. */
ILEX_API ilex_array *ilex_map_n(ilex_context *ctx, const char *domain,
                                const char *body, size_t count,
                                const char *const *names,
                                ilex_array *const *operands);

/* A scan: arrays on one domain that are computed level by level along an axis,
 * each from the levels before. Here y(k) = a(k)*y(k-1) + b(k):
 *
 *     ilex_array *y = ilex_scan_self(ctx, ILEX_F64, "k:n");
 *     ilex_array *v = ilex_map(ctx, "k:n",
 *         "where(k == 0, b[k], a[k]*y[k-1] + b[k])",
 *         "a", a, "b", b, "y", y, NULL);
 *     ilex_scan(ctx, "k", "forward", 1, &y, &v, &y);
 *
 * ilex_scan_self makes what stands for a result inside of the values: an array
 * of this dtype on this domain, whose axes are called so, that may be given to
 * any element-wise constructor, shift or map. ilex_scan closes the scan:
 * value[i] is what self[i] is, result[i] becomes the array ("result" may be
 * NULL). "axis": its name or number; "direction": "forward" (from the first
 * level on; reads y at k-1, k-2, ..., constant distances) or "backward" (from
 * the last; k+1, ...), behind which " chunked sum" or " chunked prod" may
 * stand: of one floating or complex result, whose chunks of 4096 levels are
 * combined (ilx.md, "The order of sums"). A value may read self[j] at its
 * own level if j comes before it. Operations are those of the values, in the
 * order of the levels, so the bits do not depend on back end or threads.
 *
 * Errors: ILEX_E_SHAPE unless all selves have one domain, ILEX_E_DTYPE unless
 * values have the dtypes of the selves, ILEX_E_ARGUMENT for a read of another
 * level or point, or chunks of several results or of integers, ILEX_E_BOUNDS
 * with a counterexample where a level outside of the domain is read: guard it
 * by `where`. A self that is used without its scan is an error of the program
 * that holds it. Results are kept by the current scope. */
ILEX_API ilex_array *ilex_scan_self(ilex_context *ctx, ilex_dtype dtype,
                                    const char *domain);
ILEX_API ilex_status ilex_scan(ilex_context *ctx, const char *axis,
                               const char *direction, int count,
                               ilex_array *const *self,
                               ilex_array *const *value, ilex_array **result);

/* A loop: whole arrays that are carried from step to step, each of which reads
 * what the step before left, at any points. Here 100 steps of u = u + a*lap(u):
 *
 *     ilex_array *t = ilex_loop_step(ctx, "t:100");
 *     ilex_array *u = ilex_loop_carry(ctx, ILEX_F64, "I:n");
 *     ilex_array *next = ...;                   made of u, t, and other arrays
 *     ilex_loop(ctx, &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
 *                                    .first = &u0, .next = &next), &u);
 *
 * ilex_loop_step is the number of the step, i64 of rank 0, over a range "t:n"
 * or "t:lo:hi" (no step if that is empty); text in this scope may name it, and
 * x[t] is read where it is shown to be inside. ilex_loop_step_to is the same,
 * but the range ends before "count", an integer of rank 0 that a run finds,
 * where that is less. ilex_loop_carry is what the step before left of an array
 * of this dtype on this domain (domain NULL: of rank 0), the same in all steps;
 * what lies outside is not carried. All constructors take both. Each loop has
 * its own.
 *
 * ilex_loop closes the loop. carry[i] is first[i] before the first step and
 * next[i] after each; these cover its domain, for all sizes, and have its
 * dtype, literals take it. `until`, or NULL: a bool of rank 0 after each step;
 * where it is true there is no further one. stack[k]: what each step adds to an
 * array, along a new first axis, called as the step where the array's axes have
 * names; with `every`, of the first step and each every[k]-th one behind it
 * (then the axis counts from 0). After `until` the length of a stack is a
 * counted size: what no step made is not there. Results: the carried arrays
 * after the last step (after none: what they are first), the stacks, then, if
 * `counts` is not 0, how many steps were made, i64.
 *
 * What does not depend on the step or on what is carried is computed once,
 * before the loop. Errors: ILEX_E_DTYPE, those of a restriction to a domain,
 * ILEX_E_ARGUMENT, ILEX_E_UNSUPPORTED for a domain or a number of steps that
 * changes from step to step. What is carried, or made of the step, is an error
 * of a program that uses it outside of the loop. Results are kept by the
 * current scope; "result" may be NULL. */
typedef struct ilex_loop_spec {
    size_t size;
    ilex_array *step;
    size_t carry_count;
    ilex_array *const *carry, *const *first, *const *next;
    ilex_array *until;
    size_t stack_count;
    ilex_array *const *stack;
    int counts;
    const int64_t *every;
} ilex_loop_spec;
#define ILEX_LOOP_SPEC(...) ILEX_STRUCT(ilex_loop_spec, __VA_ARGS__)

ILEX_API ilex_array *ilex_loop_step(ilex_context *ctx, const char *range);
ILEX_API ilex_array *ilex_loop_step_to(ilex_context *ctx, const char *range,
                                       ilex_array *count);
ILEX_API ilex_array *ilex_loop_carry(ilex_context *ctx, ilex_dtype dtype,
                                     const char *domain);
ILEX_API ilex_status ilex_loop(ilex_context *ctx, const ilex_loop_spec *spec,
                               ilex_array **result);

/* a where a condition on the indices of named axes holds, b elsewhere, each
 * computed on its own side only: "I < 3", "1 <= I && J != n-1", "K+1/2 == 0",
 * comparisons with sums of sizes joined by && and ||. At each of them the
 * result begins where the one on the lower side does, and ends where that on
 * the upper side does; one that has no point on its side goes. Along other axes
 * domains and what is known intersect; one that lacks an axis is broadcast,
 * dtypes are promoted. In text concat_where(I < 3, a, b). Errors: those of
 * text, ILEX_E_BOUNDS where a or b is not known on its side, ILEX_E_EMPTY where
 * neither has a point, ILEX_E_UNDECIDED. */
ILEX_API ilex_array *ilex_concat_where(const char *condition, ilex_array *a,
                                       ilex_array *b);

/* min(max(x, low), high) */
ILEX_API ilex_array *ilex_clip(ilex_array *x, ilex_array *low,
                               ilex_array *high);

/* ---- inspection ---- */

/* 1 for the array that a constructor returns after an error, else 0. */
ILEX_API int ilex_is_poison(const ilex_array *x);

/* Its dtype, and its number of axes. */
ILEX_API ilex_dtype ilex_array_dtype(const ilex_array *x);
ILEX_API int ilex_array_rank(const ilex_array *x);

/* What makes the node: "input", "data", "lambda" (element-wise operators, maps,
 * shifts, reductions, alone or together), "reshape", "einsum", "scan",
 * "extern", "loop", "result" (one array of the last three), "carried", or the
 * function that made it:
 * "roll", "concat". Of numbers and sizes: "const", "size", "op", "linear",
 * "cast". The text lives as long as the library is loaded. */
ILEX_API const char *ilex_array_kind(const ilex_array *x);

/* Number of array operands, and one of them. */
ILEX_API int ilex_array_operand_count(const ilex_array *x);
ILEX_API ilex_array *ilex_array_operand(const ilex_array *x, int i);

/* The domain as text ("I:ni, J:nj"), of which at most `size` bytes with the
 * final NUL are written to `text`; returns the length it needs without it. */
ILEX_API size_t ilex_array_domain(const ilex_array *x, char *text, size_t size);

/* What users call an array: in messages, in what `explain` and pages say, in
 * comments of the generated source. Equal arrays are one, which keeps its first
 * name, of this or of a `let`; an input keeps its own, a number has none. No
 * result and no hash depends on it. In text names are those of statements.
 * Errors: ILEX_E_ARGUMENT for poison and NULL, ILEX_E_NAME, ILEX_E_MEMORY. */
ILEX_API ilex_status ilex_name(ilex_array *x, const char *name);

/* A tag on an array, "stored"; on one of its axes, "tile[I](8)", or on an axis
 * that it reduces, "unroll[J](4)"; with any number of strings and numbers
 * behind it, "loc(\"f.py\", 12, 3)". An axis is a name or a number from either
 * end; that of a reduction its name, or its number as _r0, _r1, ... In text
 * `@tile[I](8)` behind the statement that makes the array.
 *
 * Tags are about a value: equal arrays are one and have all their tags, each
 * once, in the order in which they came; what is made from an array has none of
 * them. They are printed and read back, and dumps of passes show them. They are
 * no part of hashes, and no result depends on them. Nothing reads them but
 * tools, and errors in text the places of loc.
 * ILEX_E_ARGUMENT for poison, NULL or a number, ILEX_E_SYNTAX, ILEX_E_AXIS. */
ILEX_API ilex_status ilex_tag(ilex_array *x, const char *tag);
/* Takes a tag away; ILEX_OK also where it is not there. The same errors. */
ILEX_API ilex_status ilex_untag(ilex_array *x, const char *tag);
/* How many tags an array has, and the i-th, canonical: axes by their names, if
 * they have one, reduced ones as _r0, _r1, ...; of which at most `size` bytes
 * with the final NUL are written to `text`. Returns the length it needs without
 * it; 0 if there is no such tag. */
ILEX_API size_t ilex_tag_count(const ilex_array *x);
ILEX_API size_t ilex_tag_text(const ilex_array *x, size_t i, char *text,
                              size_t size);

/* The user's data with an array, by a key (compared as text): what is set last
 * is what is got; NULL if there is none. They are about a value, not a place:
 * equal arrays are one, and what is made from it has none of them. They are no
 * part of the array's hash, and nothing in a graph depends on them.
 * `destroy` (or NULL) is called with a value that is replaced, or whose array
 * dies, on the context's thread, whoever dropped the array; it may drop
 * arrays, and when the context is freed do nothing else with it.
 * ILEX_E_ARGUMENT for poison or NULL, ILEX_E_MEMORY: then nothing is set and
 * nothing destroyed. */
ILEX_API ilex_status ilex_user_set(ilex_array *x, const char *key, void *value,
                                   void (*destroy)(void *value));
ILEX_API void *ilex_user_get(const ilex_array *x, const char *key);

/* A hash of what the array means, 16 bytes: of its kind, dtype, domain and
 * attributes, the assumptions it rests on, and the hashes of its operands, with
 * the names of inputs, sizes and axes. Another context, or another order in
 * which things are made, gives the same hash; wrapped data count by dtype and
 * domain, numbered as they are met. It is not meant to withstand an attack.
 * ILEX_E_ARGUMENT for poison, ILEX_E_MEMORY; the bytes are 0 then. */
ILEX_API ilex_status ilex_hash(const ilex_array *x, uint8_t hash[16]);

/* ---- modules: named programs, as in .ilx text ---- */

typedef struct ilex_module ilex_module;

/* Parses a program, whose own assumptions hold in it and no others. NULL on
 * error: ilex_error_text() then holds a diagnostic with line, column and caret.
 * `file`, or NULL, is used in messages. Owned by the caller; used while the
 * context lives. */
ILEX_API ilex_module *ilex_module_parse(ilex_context *ctx, const char *text,
                                        const char *file);

/* A program without outputs, which ilex_module_output() adds: what it computes
 * is what they reach. NULL on error: ILEX_E_NAME for what is no identifier
 * or a constant (true), ILEX_E_MEMORY. Owned by the caller; used while the
 * context lives. */
ILEX_API ilex_module *ilex_module_new(ilex_context *ctx, const char *name);

/* Gives back the program and its arrays, also after the end of the context;
 * compiled programs live on. NULL is ignored. */
ILEX_API void ilex_module_free(ilex_module *module);

/* Its name; lives as long as the module. */
ILEX_API const char *ilex_module_name(const ilex_module *module);

/* What a program calls `name`: an input, a constant, what let, map or another
 * statement defines, or an output; for use in other graphs of the context. The
 * current scope holds it. NULL with ILEX_E_UNKNOWN if there is none. */
ILEX_API ilex_array *ilex_module_array(ilex_module *module, const char *name);

/* Adds an output; `inplace`, or NULL, names the input whose buffer it may
 * reuse. */
ILEX_API ilex_status ilex_module_output(ilex_module *module, const char *name,
                                        ilex_array *value, const char *inplace);

/* Input `name` comes from another rank, output or input `name` goes to one:
 * from and to rank number `rank`, text affine in sizes ("left", "0"), with a
 * number by which two ranks tell their messages apart, 0 <= tag < 16000. Runs
 * that have a group (ilex_call.group) send and receive; for others these are
 * arguments like all. An array may go to several ranks; what comes has no halo,
 * and the dtype and lengths of what was sent. Errors: those of text,
 * ILEX_E_ARGUMENT for a tag, ILEX_E_DUPLICATE for two messages of one rank and
 * tag, or to one input; when the program is printed or compiled ILEX_E_UNKNOWN
 * for a name, ILEX_E_UNSUPPORTED for a halo. */
ILEX_API ilex_status ilex_module_recv(ilex_module *module, const char *name,
                                      const char *rank, int64_t tag);
ILEX_API ilex_status ilex_module_send(ilex_module *module, const char *name,
                                      const char *rank, int64_t tag);

/* A hash of the program: its name, its outputs in order with their names and
 * those of inputs they may overwrite, its inputs, and the assumptions on its
 * sizes; see ilex_hash. What `let` calls an array does not count. */
ILEX_API ilex_status ilex_module_hash(ilex_module *module, uint8_t hash[16]);

/* The program as canonical text; parsing it gives the same graph. The string
 * is owned by the caller: ilex_text_free(). NULL on error. */
ILEX_API char *ilex_module_print(ilex_module *module);

/* The text in canonical layout; comments and names are kept. `file` as for
 * ilex_module_parse. NULL on error. */
ILEX_API char *ilex_text_fmt(ilex_context *ctx, const char *text,
                             const char *file);

/* Frees a string that a function of `ctx` returned. */
ILEX_API void ilex_text_free(ilex_context *ctx, char *text);

#ifdef __cplusplus
}
#endif
#endif
