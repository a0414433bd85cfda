/* SPDX-License-Identifier: MIT
 *
 * Rules of the policy: directives with holes, rows of policy.def.
 */
#ifndef ILEX_COMPILER_RULES_H
#define ILEX_COMPILER_RULES_H

#include "compiler/schedule/schedule.h"

typedef enum ix_rule {
#define IX_RULE(name, directives, why) IX_RULE_##name,
#include "compiler/schedule/policy.def"
    IX_NRULES
} ix_rule;

/* What stands for capital letters, for a kernel. */
typedef struct ix_holes {
    ix_unit *u;
    ix_kernel *k;
    const char *text[26];
} ix_holes;

/* The text with what stands for its letters. */
const char *ix_holes_fill(const ix_holes *h, const char *text);
/* A letter stands for a text, with letters; for a number. */
void ix_holes_set(ix_holes *h, char letter, const char *text);
void ix_holes_number(ix_holes *h, char letter, int64_t n);

/* What is in a nest of parallel loops over the axes of a kernel's box, with
 * nothing beside them, or NULL. */
ix_stmt *ix_kernel_inside(const ix_kernel *k);
/* Of such a nest I and J are the loops over axes i < j, X those between, a
 * blank behind each; false: one of the two is too short for blocks. */
bool ix_holes_nest(ix_holes *h, int i, int j);

/* The loop that a name, with letters, means, or NULL. */
ix_stmt *ix_holes_loop(const ix_holes *h, const char *name);

/* Carries out a rule, until a directive is refused, which is noted; was none?
 */
bool ix_rule_carry(const ix_holes *h, ix_rule rule);
/* Directives of the kernel from the n-th on were carried out for a rule. */
void ix_rule_note(const ix_holes *h, ix_rule rule, size_t n);
/* streams.c: may what a nest over the kernel's box stores, by that statement
 * alone, go past the caches? A rule about B, which it stores, from N bytes on.
 */
bool ix_policy_may_stream(ix_unit *u, const ix_kernel *k);
bool ix_policy_carry_stream(ix_holes *h, ix_rule rule, const ix_stmt *store);
/* How many there are. */
size_t ix_rule_count(const ix_holes *h);

#endif
