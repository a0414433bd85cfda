/* SPDX-License-Identifier: MIT
 *
 * What follows the keywords `recv` and `send`.
 */
#include "lib/syntax/syntax.h"

#include <stdio.h>

/* "name from rank tag 1", "name to rank" */
static void
message(ix_reader *r, ix_statement *s, const char *what, const char *way)
{
    s->name = ix_syntax_name(r, what);
    if (!ix_syntax_accept_name(r, way)) {
        char expected[80];
        snprintf(expected, sizeof expected, "'%s' and a rank, for example %s",
                 way, ix_statement_examples[s->kind]);
        ix_syntax_unexpected(r, expected);
    }
    s->expr = ix_syntax_expr(r);
    if (ix_syntax_accept_name(r, "tag"))
        s->number = ix_syntax_expr(r);
}

void
ix_syntax_recv(ix_reader *r, ix_statement *s)
{
    message(r, s, "the name of an input", "from");
}

void
ix_syntax_send(ix_reader *r, ix_statement *s)
{
    message(r, s, "the name of an output or an input", "to");
}
