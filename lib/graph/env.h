/* SPDX-License-Identifier: MIT
 *
 * Environments: sets of assumptions on sizes, interned in the context, so that
 * equal sets are one pointer; NULL is the empty set. Only sets that some sizes
 * satisfy are interned.
 *
 * A context holds three of them. What a scope assumes is "in_force": a proof
 * may use it, at the price that the array rests on what was needed. "facts" is
 * given: provers take it for true and owe nothing (nothing while arrays are
 * made, the preconditions of the program while it is compiled). "proof" is what
 * the proofs of the constructor at work have needed so far.
 */
#ifndef ILEX_LIB_ENV_H
#define ILEX_LIB_ENV_H

#include "lib/graph/lin.h"

/* "form" >= 0 (modulus 0), or "form" divisible by "modulus". Interned. */
typedef struct ix_assumption {
    int32_t id; /* in the order in which they are first made */
    const ix_lin *form;
    int64_t modulus;
    char key[]; /* what it says, terms by the bytes of names: an order of
                   assumptions that no context changes */
} ix_assumption;

/* What assumptions on one size alone say of it: a closed range. */
typedef struct ix_size_range {
    int32_t param;
    int64_t low, high; /* high INT64_MAX: none */
} ix_size_range;

typedef struct ix_env {
    uint64_t hash;
    int32_t n, nranges;
    bool simple;          /* it says no more than a range for each size */
    ix_size_range *range; /* by parameter */
    const ix_assumption *item[]; /* by key */
} ix_env;

/* NULL when there is no memory, or for NULL. */
const ix_assumption *ix_assumption_of(ilex_context *ctx, const ix_lin *form,
                                      int64_t modulus);

/* "n >= 4", "2*n % 8 == 0" */
void ix_assumption_print(ilex_context *ctx, const ix_assumption *a, ix_text *t);
/* The same for messages, where long ones are cut. */
ix_lin_text ix_assumption_show(ilex_context *ctx, const ix_assumption *a);
/* The same for all of a set, joined by &&. */
ix_domain_text ix_env_show(ilex_context *ctx, const ix_env *e);

static inline int32_t
ix_env_count(const ix_env *e)
{
    return e ? e->n : 0;
}

bool ix_env_has(const ix_env *e, const ix_assumption *a);
/* Is every assumption of "a" one of "b"? */
bool ix_env_within(const ix_env *a, const ix_env *b);

/* The range of a size; 0 to INT64_MAX where nothing is said. */
ix_size_range ix_env_range(const ix_env *e, int32_t param);

/* ---- lib/graph/env.c: making them ---- */

/* A set that is not interned, for a question; freed by ix_mem_free. The items
 * are by key, each once; NULL when there is no memory. */
ix_env *ix_env_draft(ilex_context *ctx, int32_t n,
                     const ix_assumption *const *item);

/* The items of "a" and "b", by key, into "item" (room for both); how many. */
int32_t ix_env_merge(const ix_env *a, const ix_env *b,
                     const ix_assumption **item);

/* The interned set with these items; NULL if there is none. */
const ix_env *ix_env_find(const ilex_context *ctx, int32_t n,
                          const ix_assumption *const *item);
/* Interns a draft, which is the context's then; NULL when there is no memory
 * (the draft is freed). */
const ix_env *ix_env_intern(ilex_context *ctx, ix_env *draft);

/* "*e" without an assumption; false when there is no memory. */
bool ix_env_take(ilex_context *ctx, const ix_env **e, const ix_assumption *a);

void ix_env_free_all(ilex_context *ctx);

/* ---- lib/graph/assume.c ---- */

/* "*e" and "with" together: IX_YES and in "*e"; IX_NO if they contradict each
 * other, IX_UNKNOWN when there is no memory ("*e" stays). */
ix_tri ix_env_unite(ilex_context *ctx, const ix_env **e, const ix_env *with);

/* The same with an error that names the assumptions that contradict each other;
 * "what" begins the sentence. */
bool ix_env_join(ilex_context *ctx, const char *what, const ix_env **e,
                 const ix_env *with);

/* "*e" and one more assumption. */
ix_tri ix_env_add(ilex_context *ctx, const ix_env **e, const ix_assumption *a);

/* ---- lib/shape/proof.c ---- */

struct ix_relevant;

/* What can be asked: the answer under ctx->facts, the sizes that the question
 * names, and whether given sizes, one per parameter, show that the answer is
 * no.
 */
typedef struct ix_question {
    ix_tri (*ask)(ilex_context *ctx, void *user);
    void (*sizes)(struct ix_relevant *r, const void *user);
    bool (*refutes)(ilex_context *ctx, const int64_t *size, const void *user);
    void *user;
} ix_question;

/* The answer without assumptions, or, if that is not IX_YES, with those in
 * force; then what was needed of them, as little as possible, joins ctx->proof.
 * "*need" is that (it may be NULL). */
ix_tri ix_prove(ilex_context *ctx, const ix_question *question,
                const ix_env **need);

/* Is form >= 0? As above, remembered for what is in force; "ask" gets a const
 * ix_lin ** for its question. */
ix_tri ix_prove_form(ilex_context *ctx,
                     ix_tri (*ask)(ilex_context *ctx, void *user),
                     const ix_lin *form);

/* Does something hold under a set of assumptions? */
typedef bool ix_holds_fn(ilex_context *ctx, const ix_env *e, void *user);

/* The assumptions of "all", under which it holds, without those that can be
 * left out, one after another, in the order of their keys: by key, into "item";
 * how many. */
int32_t ix_env_minimise(ilex_context *ctx, const ix_env *all,
                        ix_holds_fn *holds, void *user,
                        const ix_assumption **item);

/* Assumptions of a context, and the place where arrays are made, to be put
 * back. */
typedef struct ix_assumed {
    const ix_env *in_force, *facts, *proof;
    ix_location place;
} ix_assumed;

/* Replaces those of the context, for work of another kind; gives what they
 * were. */
ix_assumed ix_assume_instead(ilex_context *ctx, ix_assumed now);

/* A constructor that proves something opens a proof, which collects what is
 * needed, and closes it with its result, which then rests on that (one that is
 * found, or was made before the proof, as well: ix_with_env). What the
 * constructor around it needs is kept meanwhile. Poison stays poison. */
const ix_env *ix_proof_open(ilex_context *ctx);

/* What the constructor at work makes rests on "env" as well, that of an array
 * whose body it copies or whose domain it takes. False after an error. */
bool ix_proof_use(ilex_context *ctx, const ix_env *env);

ilex_array *ix_proof_close(ilex_context *ctx, const ix_env *outer,
                           ilex_array *result);

#endif
