/* SPDX-License-Identifier: MIT
 *
 * `fmt`: program text in canonical layout, from its syntax tree alone.
 * Comments, names, parentheses and the order of statements are kept.
 */
#ifndef ILEX_LIB_FMT_H
#define ILEX_LIB_FMT_H

#include "lib/base/text.h"
#include "lib/syntax/syntax.h"

/* fmt_program.c */
ilex_status ix_fmt_text(ilex_context *ctx, const char *text, size_t length,
                        const char *file, ix_text *out);

/* An expression as it is laid out inside brackets. */
void ix_fmt_expr(ix_text *t, const ix_syntax *x);

/* "(8, -1)", nothing for a tag without values. */
void ix_fmt_tag_values(ix_text *t, const ix_tag *tag);

/* A statement, its tags, the comment behind it; without what is in it. */
void ix_fmt_statement(ix_text *t, const ix_statement *s);

/* What stands behind `extern`. */
void ix_fmt_extern(ix_text *t, const ix_statement *s);

#endif
