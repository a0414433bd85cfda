/* SPDX-License-Identifier: MIT
 *
 * What operators cost: the operations of their text, and of the helper
 * functions that this calls, are counted.
 */
#include "lib/ops/functions.h"

/* A division in additions; rounds of a loop, which are not known. */
enum { DIVISION = 6, ROUNDS = 8 };

/* The operators between words: a select counts by its comparison; & and * in
 * front of a name are none. */
static int
cost_of_operators(const char *p, const char *end)
{
    int n = 0;
    while (p < end) {
        size_t length = strspn(p, "+-*/%<>=!&|^~");
        bool prefix = length == 1 && strchr("&*", *p) && ix_is_word(p[1]);
        if (length > 0 && !prefix && !(length == 1 && *p == '='))
            n += strchr("/%", *p) ? DIVISION : 1;
        p += length ? length : 1;
    }
    return n;
}

static const char *
block_end(const char *p)
{
    int depth = 0;
    do
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
    while (*p++ != '}' || depth > 0);
    return p;
}

static int cost_of_call(const ix_token *tok, ilex_dtype loop);

/* What a text takes in additions: what stands in a branch is seldom done. */
static int
cost_of(const char *p, const char *end, ilex_dtype loop)
{
    int n = 0;
    while (p < end) {
        const char *word = ix_next_word(p, end);
        n += cost_of_operators(p, word);
        p = word;
        if (p == end)
            break;
        ix_token tok = ix_next_token(&p);
        bool rounds = ix_token_is(&tok, "while");
        if (rounds || ix_token_is(&tok, "if")) {
            const char *block = p;
            p = block_end(strchr(p, '{'));
            n += rounds ? ROUNDS * cost_of(block, p, loop) : 0;
        } else if (tok.argument)
            n += cost_of_call(&tok, loop);
        else
            p += *tok.text <= '9' && p[-1] == 'p'; /* an exponent's sign */
    }
    return n;
}

static int
cost_of_call(const ix_token *tok, ilex_dtype loop)
{
    ix_token name = {tok->argument, tok->argument_length, NULL, 0};
    if (ix_token_is(tok, "M"))
        return ix_token_is(&name, "sqrt") || ix_token_is(&name, "fmod")
                   ? DIVISION
                   : 1;
    const char *body = ix_token_body(tok, &loop);
    return cost_of(body, body + strlen(body), loop);
}

int
ix_op_cost(ix_op op, ilex_dtype loop)
{
    ix_code_template code = ix_op_template(op, loop);
    const char *text[] = {code.re, code.im};
    int n = 0;
    for (int i = 0; i < 2; i++)
        n += text[i] ? cost_of(text[i], text[i] + strlen(text[i]), loop) : 0;
    return n;
}
