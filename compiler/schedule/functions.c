/* SPDX-License-Identifier: MIT
 *
 * The policy for points that take elementary functions of one another: each of
 * these has a loop of its own over a strip of points. What is stored does not
 * go past the caches: the memory is not what they wait for.
 */
#include "compiler/schedule/rules.h"

enum { STRIP = 64, MOST_LOOPS = 16 };

typedef struct function_loops {
    ix_unit *u;
    ix_kernel *k;
    ix_stmt *loop[MOST_LOOPS];
    int n;
} function_loops;

static bool
note_loop(void *user, ix_stmt *s)
{
    function_loops *x = user;
    if (s->kind == IX_STMT_FOR && x->n < MOST_LOOPS &&
        ix_stmt_is_innermost(s) && !ix_loop_is_short(x->u, s) &&
        ix_loop_functions(x->u, x->k, s) > 1)
        x->loop[x->n++] = s;
    return true;
}

bool
ix_policy_functions(ix_unit *u, ix_kernel *k)
{
    function_loops x = {.u = u, .k = k};
    ix_holes h = {.u = u, .k = k};
    ix_cursor c;
    ix_stmt_each(k->body, note_loop, &x);
    if (x.n == 0)
        return false;
    u->asks_registers = true;
    if (u->target->vector_registers == 0)
        return false;
    ix_holes_number(&h, 'N', STRIP);
    for (int i = 0; i < x.n; i++) {
        if (!ix_cursor_at(k, x.loop[i], &c))
            continue;
        int64_t length = ix_loop_length(u, x.loop[i]);
        ix_holes_set(&h, 'I', ix_loop_name(u, k, x.loop[i]));
        ix_rule_carry(&h, length > 0 && length <= STRIP ? IX_RULE_strip_of
                                                        : IX_RULE_strips);
    }
    return true;
}
