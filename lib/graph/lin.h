/* SPDX-License-Identifier: MIT
 *
 * Linear forms in the size parameters, and domains made of them.
 *
 * Both are interned in the context: equal means same pointer, and they live
 * as long as the context. Numbers in a form are at most 2^62 in magnitude.
 * Functions return NULL when they fail (overflow or no memory, recorded in the
 * context) and accept NULL, so that a chain of
 * calls needs one check at its end.
 */
#ifndef ILEX_LIB_LIN_H
#define ILEX_LIB_LIN_H

#include "lib/base/axis.h"
#include "lib/base/digest.h"
#include "lib/base/suggest.h"
#include "lib/base/text.h"
#include "lib/graph/context.h"

typedef struct ix_term {
    int32_t param;
    int64_t k;
} ix_term;

/* Terms that a form may have. */
enum { IX_LIN_TERMS = 24 };

/* c + sum of k * param, by ascending parameter, no k is 0. */
typedef struct ix_lin {
    uint64_t hash;
    int64_t c;
    int32_t n;
    ix_term t[];
} ix_lin;

/* One that is not interned. */
typedef union ix_lin_loose {
    ix_lin lin;
    char space[sizeof(ix_lin) + IX_LIN_TERMS * sizeof(ix_term)];
} ix_lin_loose;

/* Bounds of an axis on which an array is defined everywhere: -IX_UNBOUNDED and
 * IX_UNBOUNDED as constants, smaller and larger than every other form. */
#define IX_UNBOUNDED ((int64_t)1 << 60)

/* ---- size parameters ---- */

/* The parameter named by a symbol: a counted size that can be named, else the
 * one that is given, made if new. Here and below -1 when there is no memory. */
int32_t ix_param_of(ilex_context *ctx, int32_t symbol);
/* The one that is given, of that name. */
int32_t ix_param_given(ilex_context *ctx, int32_t symbol);
int32_t ix_param_add(ilex_context *ctx, ix_param p);
const char *ix_param_name(const ilex_context *ctx, int32_t param);
/* The name, with what is counted: the same in all contexts. */
const char *ix_param_key(const ilex_context *ctx, int32_t param);

/* ---- monomial.c: products of sizes ---- */

/* The parameter a*b; -1, without an error, for more than IX_DEGREE factors;
 * -1 with one when there is no memory. */
int32_t ix_param_product(ilex_context *ctx, int32_t a, int32_t b);

/* The parameter without its factor "i", which exists whenever the product does.
 */
int32_t ix_param_without(ilex_context *ctx, int32_t product, int i);

bool ix_param_is_product(const ilex_context *ctx, int32_t param);
/* Is a product of sizes among the terms, or among what these are computed from?
 */
bool ix_lin_has_product(const ilex_context *ctx, const ix_lin *a);

/* What ctx->facts say of it and of its factors alone: INT64_MAX for no upper
 * end. */
int64_t ix_param_low(const ilex_context *ctx, int32_t param);
int64_t ix_param_high(const ilex_context *ctx, int32_t param);

/* Does "a" come before "b" where forms are written? More factors first. */
bool ix_param_before(const ilex_context *ctx, int32_t a, int32_t b);

/* a*b. The second: NULL without an error where it is too large, has too many
 * terms or too many factors. */
const ix_lin *ix_lin_mul(ilex_context *ctx, const ix_lin *a, const ix_lin *b);
const ix_lin *ix_lin_try_mul(ilex_context *ctx, const ix_lin *a,
                             const ix_lin *b);

/* The quotient of polynomials a / b, as far as it goes: a = quotient*b + rest.
 * NULL without an error where numbers get too large. */
const ix_lin *ix_lin_divide(ilex_context *ctx, const ix_lin *a, const ix_lin *b,
                            const ix_lin **rest);

/* Is "a" >= 0 because, written in what sizes are above their least values, all
 * its terms are? */
bool ix_lin_terms_nonneg(ilex_context *ctx, const ix_lin *a);

/* ---- extremum.c: the least or largest of some forms ---- */

/* min(arm[0], ...), or the max: a form over one parameter at most, the same one
 * in whatever order the arms come. Arms that are themselves such a min or max
 * are taken apart, those that others make idle for all sizes go. */
const ix_lin *ix_lin_extremum(ilex_context *ctx, bool largest, int n,
                              const ix_lin *const *arm);
/* The same; where there are too many arms, NULL without an error. */
const ix_lin *ix_lin_try_extremum(ilex_context *ctx, bool largest, int n,
                                  const ix_lin *const *arm);

bool ix_param_is_extremum(const ilex_context *ctx, int32_t param);
/* The first term that is a min or max, -1: none. */
int32_t ix_lin_find_extremum(const ilex_context *ctx, const ix_lin *a);
/* Is such a term the least of what it is with one of its arms, not the largest?
 */
bool ix_term_is_least(const ilex_context *ctx, const ix_term *t);
/* The form with an arm in its place; NULL without an error where that is too
 * large. */
const ix_lin *ix_lin_with_arm(ilex_context *ctx, const ix_lin *a, int32_t i,
                              int arm);

/* ---- quotient.c ---- */

/* ceil(a / divisor) of an a > -divisor as a form over a parameter of its own,
 * or a number where "a" is one; NULL for NULL. */
const ix_lin *ix_lin_quotient(ilex_context *ctx, const ix_lin *a,
                              int64_t divisor);
/* floor(a / k) of any a, k > 0, in a normal form: equal quotients are mostly
 * the same form. */
const ix_lin *ix_lin_floordiv(ilex_context *ctx, const ix_lin *a, int64_t k);

/* ---- derived.c: what is computed from sizes ---- */

/* The parameter that is computed from the same forms; -1: none. */
int32_t ix_param_find(const ilex_context *ctx, const ix_param *like);

/* A product, a min or max, a quotient? */
bool ix_param_is_derived(const ilex_context *ctx, int32_t param);

/* Does something hold for a parameter, or for what it is computed from? */
typedef bool ix_param_fn(const ilex_context *ctx, int32_t param,
                         const void *user);
bool ix_param_needs(const ilex_context *ctx, int32_t param, ix_param_fn *holds,
                    const void *user);
bool ix_lin_needs(const ilex_context *ctx, const ix_lin *a, ix_param_fn *holds,
                  const void *user);
/* Is a min or max among the terms, or among what these are computed from? */
bool ix_lin_has_extremum(const ilex_context *ctx, const ix_lin *a);

/* The value of what is derived, from those of the parameters before it; false
 * when it leaves 64 bits. */
bool ix_param_value(const ilex_context *ctx, int32_t param, const int64_t *size,
                    int64_t *value);
/* The least or largest of the arms, divided, rounded up. */
bool ix_extremum_value(const ix_lin *const *arm, int n, bool largest,
                       int64_t divisor, const int64_t *size, int64_t *value);
/* The least value of a min, max or quotient, or the largest, as far as ranges
 * of single sizes say: 0 and INT64_MAX for none. */
int64_t ix_extremum_end(const ilex_context *ctx, int32_t param, bool high);

/* ---- linear forms ---- */

const ix_lin *ix_lin_const(ilex_context *ctx, int64_t c);
const ix_lin *ix_lin_param(ilex_context *ctx, int32_t param);
/* a + k*b */
const ix_lin *ix_lin_fma(ilex_context *ctx, const ix_lin *a, int64_t k,
                         const ix_lin *b);
/* The same where a number that is too large means "not known", no error. */
const ix_lin *ix_lin_try_fma(ilex_context *ctx, const ix_lin *a, int64_t k,
                             const ix_lin *b);
const ix_lin *ix_lin_try_offset(ilex_context *ctx, const ix_lin *a, int64_t c);
/* The same, not interned; false where it does not fit. */
bool ix_lin_loose_sum(ix_lin_loose *r, const ix_lin *a, int64_t k,
                      const ix_lin *b);
const ix_lin *ix_lin_add(ilex_context *ctx, const ix_lin *a, const ix_lin *b);
const ix_lin *ix_lin_sub(ilex_context *ctx, const ix_lin *a, const ix_lin *b);
const ix_lin *ix_lin_scale(ilex_context *ctx, const ix_lin *a, int64_t k);
const ix_lin *ix_lin_offset(ilex_context *ctx, const ix_lin *a, int64_t c);
static inline bool
ix_lin_is(const ix_lin *a, int64_t c)
{
    return a && a->n == 0 && a->c == c;
}

/* Value for given parameter values; false on overflow. */
bool ix_lin_eval(const ix_lin *a, const int64_t *param, int64_t *value);

/* The least value over the ranges of the parameters, the largest if "high";
 * false if there is none, or it is too large. */
bool ix_lin_end(const ilex_context *ctx, const ix_lin *a, bool high,
                int64_t *value);

/* Is a >= 0 for all sizes, or for those that satisfy the assumptions in force
 * (lib/graph/env.h)? Own algebra first, isl for the rest; IX_UNKNOWN when isl's
 * quota ran out. */
ix_tri ix_lin_nonneg(ilex_context *ctx, const ix_lin *a);
/* Is a <= b always? */
ix_tri ix_lin_le(ilex_context *ctx, const ix_lin *a, const ix_lin *b);
/* The own algebra alone under ctx->facts: false means "not shown". */
bool ix_lin_nonneg_fast(ilex_context *ctx, const ix_lin *a);

/* The larger (smaller) of two; NULL without an error when neither is always
 * the larger one. */
const ix_lin *ix_lin_max(ilex_context *ctx, const ix_lin *a, const ix_lin *b);
const ix_lin *ix_lin_min(ilex_context *ctx, const ix_lin *a, const ix_lin *b);

/* Records that (a)op(b) has too many terms or too large a number. */
void ix_lin_fail_large(ilex_context *ctx, const ix_lin *a, const char *op,
                       const ix_lin *b);

void ix_lin_print(const ilex_context *ctx, const ix_lin *a, ix_text *t);
/* The name, of a min or max with blanks around signs unless it is "tight". */
void ix_param_print(const ilex_context *ctx, int32_t param, bool tight,
                    ix_text *t);

/* Text of a form in a small buffer, for messages. */
typedef struct ix_lin_text {
    char s[160];
} ix_lin_text;
ix_lin_text ix_lin_show(const ilex_context *ctx, const ix_lin *a);
/* As much of "t" as fits; frees it. */
ix_lin_text ix_lin_text_end(ix_text *t);

/* "n >= 6": a >= 0 (or, if "equal", a == 0) with positive terms on either side.
 */
void ix_lin_print_condition(ilex_context *ctx, const ix_lin *a, bool equal,
                            ix_text *t);

/* The terms of "a" in the order of their names' bytes, into "t". */
void ix_lin_by_name(const ilex_context *ctx, const ix_lin *a, ix_term *t);
/* " m*-2 n*1 3": those terms by their keys, the constant. */
void ix_lin_write_key(const ilex_context *ctx, const ix_lin *a, ix_text *t);

/* "; assume n >= 6 beforehand": what would make a >= 0 (or, if "equal", a == 0)
 * true; nothing for a number, which no assumption changes. */
ix_lin_text ix_lin_propose(ilex_context *ctx, const ix_lin *a, bool equal);

/* ---- domains ---- */

typedef struct ix_axis {
    int32_t name;          /* symbol; 0: unnamed */
    const ix_lin *lo, *hi; /* half open */
} ix_axis;

typedef struct ix_domain {
    uint64_t hash;
    ix_digest merkle; /* lib/graph/merkle.c, once it is `hashed` */
    bool hashed;
    int32_t rank;
    ix_axis ax[];
} ix_domain;

/* Interned domain; the axes are copied. NULL bounds give NULL. */
const ix_domain *ix_domain_new(ilex_context *ctx, int rank, const ix_axis *ax);

/* Position of a named axis, -1 if there is none. */
int ix_domain_find(const ix_domain *dom, int32_t name);
/* The same of an axis that a user names (lib/base/axis.h); "dom" may be NULL.
 */
int ix_domain_axis(const ilex_context *ctx, const ix_domain *dom,
                   const char *name, size_t length);
/* For a message about an axis that "dom" (may be NULL) has not. */
ix_suggestion_text ix_domain_suggest(const ilex_context *ctx,
                                     const ix_domain *dom, const char *name,
                                     size_t length);

static inline bool
ix_domain_named(const ix_domain *dom)
{
    return dom->rank > 0 && dom->ax[0].name != 0;
}

const ix_lin *ix_axis_extent(ilex_context *ctx, const ix_axis *ax);

/* Is every axis provably of length >= 0? Records the error with a proposal;
 * "what" names the array. */
bool ix_domain_check_extents(ilex_context *ctx, const char *what,
                             const ix_domain *dom);

/* Are the numbers in its bounds below 2^60? Axes without bounds are allowed.
 * Records the error. */
bool ix_domain_check_numbers(ilex_context *ctx, const char *what,
                             const ix_domain *dom);

/* "I:ni, J:-1:nj+1" as in text; "" for rank 0. */
void ix_domain_print(const ilex_context *ctx, const ix_domain *dom, ix_text *t);
/* As text (of NULL none), of which at most "size" bytes with the final NUL are
 * written; returns the length it needs without it. */
size_t ix_domain_copy(const ilex_context *ctx, const ix_domain *dom, char *text,
                      size_t size);
typedef struct ix_domain_text {
    char s[512];
} ix_domain_text;
ix_domain_text ix_domain_show(ilex_context *ctx, const ix_domain *dom);

void ix_lin_free_all(ilex_context *ctx);

#endif
