/* SPDX-License-Identifier: MIT
 *
 * The statements of loops, as syntax.c has the others.
 */
#include "lib/syntax/syntax.h"

/* "name : type = expr" */
static void
carried(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a carried array");
    ix_syntax_no_indices(r);
    ix_syntax_optional_type(r, s);
    ix_syntax_assignment(r, s);
}

/* "t[0:n] name : type = expr, ... steps k" */
void
ix_syntax_loop(ix_reader *r, ix_statement *s)
{
    s->option = ix_syntax_name(r, "the name of the step, as in loop t[0:n]");
    ix_syntax_brackets(r, ix_syntax_box(r, s), false);
    carried(r, s);
    for (ix_statement *last = s; ix_syntax_accept(r, ","); last = last->more) {
        last->more = ix_arena_new(&r->arena, sizeof *last->more);
        carried(r, last->more);
    }
    if (ix_syntax_accept_name(r, "steps"))
        s->chunks = ix_syntax_name(r, "a name for how many there were");
}

void
ix_syntax_next(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a carried array");
    ix_syntax_assignment(r, s);
}

void
ix_syntax_until(ix_reader *r, ix_statement *s)
{
    s->expr = ix_syntax_expr(r);
}

void
ix_syntax_stack(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    ix_syntax_expect(r, "[", "and the step, as in stack e[t] = ...");
    s->option = ix_syntax_name(r, "the name of the step");
    ix_syntax_expect(r, "]", "behind the name of the step");
    ix_syntax_assignment(r, s);
}
