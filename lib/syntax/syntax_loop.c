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

/* "[0:n]", "[0:k max n]" */
static void
range(ix_reader *r, ix_statement *s)
{
    ix_type *box = ix_syntax_box(r, s);
    ix_syntax_expect(r, "[", "and the range of the steps");
    box->brackets = true;
    if (!ix_syntax_at(r, "]"))
        ix_syntax_ranges(r, 0, &box->ranges);
    if (ix_syntax_accept_name(r, "max"))
        s->axis = ix_syntax_expr(r);
    ix_syntax_expect(r, "]", "behind the range of the steps");
}

/* "t[0:n] name : type = expr, ... steps k" */
void
ix_syntax_loop(ix_reader *r, ix_statement *s)
{
    s->option = ix_syntax_name(r, "the name of the step, as in loop t[0:n]");
    range(r, s);
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
    if (ix_syntax_accept_name(r, "whole"))
        s->chunks = s->keyword;
    if (ix_syntax_accept_name(r, "every"))
        s->axis = ix_syntax_expr(r);
}
