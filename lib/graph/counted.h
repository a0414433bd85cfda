/* SPDX-License-Identifier: MIT
 *
 * Counted sizes: the number of true elements of a mask, which a run finds out,
 * or of the steps that a loop has made.
 *
 * Such a size is a parameter like any other, known to be no more than the
 * elements there are; an array that mentions it rests on that bound
 * (lib/graph/env.h), so that whoever has the array knows what has to be
 * counted. What tells two of one name apart is the mask.
 */
#ifndef ILEX_LIB_COUNTED_H
#define ILEX_LIB_COUNTED_H

#include "lib/graph/node.h"

/* The size called by a symbol (0: it has no name of its own) that counts
 * "mask", a bounded array of bool; found or made. A reshaped mask is the same
 * one. The context keeps the mask. -1 after an error. */
int32_t ix_counted_size(ilex_context *ctx, int32_t name, ilex_array *mask);

/* The one that counts "mask": one that can be named, else one without a name.
 * -1 after an error. */
int32_t ix_counted_of(ilex_context *ctx, ilex_array *mask);

/* What text calls by the name of a size. */
const ix_lin *ix_counted_form(ilex_context *ctx, int32_t param);

/* Lets text name a size until the scope ends. */
bool ix_counted_name(ilex_context *ctx, int32_t param);
/* Lets it name those that "env" is about, and no other. */
bool ix_counted_name_only(ilex_context *ctx, const ix_env *env);

/* Is the size counted or a step, or the product has a factor that is? */
bool ix_is_counted(const ilex_context *ctx, int32_t param);

/* Is the size the step of a loop, or computed from one? Does a domain mention
 * such a one? */
bool ix_is_step(const ilex_context *ctx, int32_t param);
bool ix_has_step(const ilex_context *ctx, const ix_domain *dom);

/* A new size, called as the axis of a range, for the number of the step, from 0
 * on, of a loop over it. What mentions it rests on its being below their
 * number, which proofs may use until the loop is closed (ix_step_end). -1 after
 * an error. */
int32_t ix_step_size(ilex_context *ctx, const ix_domain *steps);
bool ix_step_end(ilex_context *ctx, int32_t param);

/* The number of a step becomes a size that runs are given, called by a symbol:
 * what there is without the loop. What an array needs is the same in all steps
 * still. Gives what was known of it, which nothing proves by itself now. */
const ix_assumption *ix_step_given(ilex_context *ctx, int32_t param,
                                   int32_t name);

/* The size whose bound an assumption is; -1: it is none. */
int32_t ix_counted_by(const ilex_context *ctx, const ix_assumption *a);

/* The counted sizes that "env" is about, in the order in which they were made:
 * each after those that its mask mentions. "param" has room for all of "env";
 * how many. */
int32_t ix_counted_in(const ilex_context *ctx, const ix_env *env,
                      int32_t *param);

/* The size without a name that is called so in lengths; -1: none is. */
int32_t ix_counted_called(const ilex_context *ctx, const char *text,
                          size_t length);

/* How the name of a size without one starts; hexadecimal digits follow.
 * lin_text.c: is it such a name? */
#define IX_NAMELESS "_ilex_len_"
bool ix_is_counted_name(const char *text, size_t length);

/* Joins to "*env" what a node rests on because it mentions counted sizes. */
bool ix_counted_rests(ilex_context *ctx, const ix_node_spec *spec,
                      const ix_env **env);
/* The bounds of these sizes, but not what their masks rest on. */
bool ix_counted_bounds(ilex_context *ctx, const ix_node_spec *spec,
                       const ix_env **env);

#endif
