/* SPDX-License-Identifier: MIT
 *
 * The layout of a program, whose statements fmt.c lays out. It has the tokens
 * of the text it is of, all of them, or it is not given to anybody.
 */
#include "lib/syntax/fmt.h"

#include "lib/syntax/parse.h"

/* Bodies of functions and loops, of which it is in "depth", are moved to the
 * right. */
static void
write_line(ix_text *t, const ix_statement *s, int depth)
{
    if (s->blank_before)
        ix_text_char(t, '\n');
    for (int i = s->kind == IX_STATEMENT_END; i < depth; i++)
        ix_text_put(t, "    ");
    ix_fmt_statement(t, s);
    for (const ix_statement *b = s->body; b; b = b->next)
        write_line(t, b, depth + 1);
}

static void
write_program(ix_parser *p, void *user)
{
    ix_text *t = user;
    const ix_statement *s = ix_syntax_program(&p->reader);
    for (; s; s = s->next)
        write_line(t, s, 0);
}

/* Adds the tokens to a hash, but not the ends of lines. */
static void
hash_tokens(ix_parser *p, void *user)
{
    uint64_t *hash = user;
    const ix_token *x = &p->reader.token;
    for (; x->kind != IX_TOKEN_END; ix_lex_next(&p->reader)) {
        if (x->kind == IX_TOKEN_NEWLINE)
            continue;
        *hash = ix_hash_bytes(*hash, x->word.text, (size_t)x->word.length);
        *hash = ix_hash_bytes(*hash, " ", 1);
    }
}

/* Reads a text for "work". */
static ilex_status
read_text(ilex_context *ctx, const ix_parser_text *text, ix_parser_work work,
          void *user)
{
    ix_parser p;
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, text, work, user)) {
        ix_parser_fail(&p);
        return ctx->error.code;
    }
    ix_parser_end(&p, NULL);
    return ILEX_OK;
}

ilex_status
ix_fmt_text(ilex_context *ctx, const char *text, size_t length,
            const char *file, ix_text *out)
{
    ix_parser_text whole = {text, length, file};
    uint64_t given = 0, laid_out = 0;
    ilex_status rc = read_text(ctx, &whole, write_program, out);
    ix_text_put(out, "");
    if (!rc && out->failed)
        rc = ix_fail_memory(&ctx->error);
    rc = rc ? rc : read_text(ctx, &whole, hash_tokens, &given);
    if (!rc) {
        ix_parser_text made = {out->data, out->length, file};
        rc = read_text(ctx, &made, hash_tokens, &laid_out);
    }
    return rc || given == laid_out
               ? rc
               : ix_fail(&ctx->error, ILEX_E_INTERNAL,
                         "fmt: the layout would lose a word of the program");
}
