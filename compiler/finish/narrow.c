/* SPDX-License-Identifier: MIT
 *
 * Pass narrow: which indices of a kernel for a GPU 32 bits hold while no size
 * is above a limit, and that limit. needs: flat statements; gives: for each
 * kernel the loop variables and values that are narrow then; breaks: nothing.
 *
 * Threads of a GPU multiply, add and compare 32 bits at twice the rate of 64 or
 * better, and most kernels do little else. An index is at most a times the
 * largest size plus c; what nothing is known of, as it is data, stays wide.
 * That offsets in the kernel's arrays fit is found when it is launched.
 */
#include <math.h>

#include "compiler/tree/tree.h"

typedef ix_narrow_bound bound;

/* A loop goes on by the threads of a grid behind its end. */
static const double most = (double)INT32_MAX - (1 << 24);
/* An index for which sizes would have to be less than that stays wide: it is
 * not worth the rest of the kernel. */
enum { LEAST = 1 << 22 };

static const bound wide = {INFINITY, 0};

static bound
larger(bound x, bound y)
{
    return (bound){fmax(x.a, y.a), fmax(x.c, y.c)};
}

static bound
bound_of_value(const ix_narrow *n, int64_t number)
{
    if (number >= 0)
        return n->value[number];
    return (bound){1, 0}; /* an end of the range, an offset: as sizes */
}

static bound
bound_of_leaf(const ix_narrow *n, const ilex_array *x)
{
    if (x->dtype != ILEX_I64)
        return wide;
    switch (x->kind) {
    case IX_CONST:
        return (bound){0, fabs((double)x->attr[0])};
    case IX_SIZE:
        return (bound){1, 0};
    case IX_INDEX:
        return n->variable[x->attr[0]];
    case IX_VALUE:
        return bound_of_value(n, x->attr[0]);
    default:
        return wide;
    }
}

/* Is it -x? One that is stays wide, or ptxas might lose the sign (heads.def).
 */
bool
ix_is_negation(const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    return f.n == 1 && f.c == 0 && f.t[0].k < 0;
}

/* Of a sum, and of any part of it. */
static bound
bound_of_sum(const ix_narrow *n, const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    bound sum = {0, fabs((double)f.c)};
    for (int i = 0; i < f.n; i++) {
        bound atom = bound_of_leaf(n, f.t[i].atom);
        double k = fabs((double)f.t[i].k);
        sum.a += k * atom.a;
        sum.c += k * atom.c;
    }
    return sum;
}

static bound
bound_of_operation(const ix_narrow *n, const ilex_array *x)
{
    ilex_array *const *y = x->ops;
    if (x->kind != IX_OP || x->dtype != ILEX_I64)
        return wide;
    switch (ix_op_of(x)) {
    case IX_OP_MINIMUM:
    case IX_OP_MAXIMUM:
        return larger(bound_of_leaf(n, y[0]), bound_of_leaf(n, y[1]));
    case IX_OP_WHERE:
        return larger(bound_of_leaf(n, y[1]), bound_of_leaf(n, y[2]));
    case IX_OP_FLOOR_DIVIDE: {
        bound b = bound_of_leaf(n, y[0]);
        double by = y[1]->kind == IX_CONST ? fabs((double)y[1]->attr[0]) : 1;
        return by < 1 ? b : (bound){b.a / by, b.c / by + 1};
    }
    case IX_OP_REMAINDER:
        return bound_of_leaf(n, y[1]);
    case IX_OP_ONES:
    case IX_OP_DIGITS:
        return (bound){0, 64};
    default:
        return wide;
    }
}

static bool
is_narrow(bound b)
{
    return b.a * LEAST + b.c <= most;
}

/* The same, in a kernel whose limit allows for that then; else wide. */
static bound
narrow(ix_narrow *n, bound b)
{
    if (!is_narrow(b))
        return wide;
    double limit = floor((most - b.c) / b.a);
    if (limit < (double)n->limit)
        n->limit = (int64_t)limit;
    return b;
}

bool
ix_is_narrow(const ix_kernel *k, const ilex_array *x)
{
    return k->narrow && is_narrow(bound_of_sum(k->narrow, x));
}

/* A loop's variable is narrow if both of its ends are. Threads that have
 * several points each go at most as far behind the end as it is from the begin,
 * but for some. */
static void
note_loop(ix_narrow *n, const ix_stmt *s)
{
    bound b =
        larger(bound_of_sum(n, ix_for_lo(s)), bound_of_sum(n, ix_for_hi(s)));
    if (s->how == IX_GRID && s->step > 1)
        b = (bound){3 * b.a, 3 * b.c};
    n->variable[s->number] = narrow(n, b);
}

static void
note_let(ix_narrow *n, const ix_stmt *s)
{
    const ilex_array *x = ix_let_value(s);
    bool operation = ix_is_operation(x);
    n->value[s->number] =
        narrow(n, s->dtype != ILEX_I64 || ix_is_negation(x) ? wide
                  : operation ? bound_of_operation(n, x)
                              : bound_of_sum(n, x));
}

/* What stands before a statement is known. All that is printed as a sum of
 * narrow atoms is to be narrow. */
static bool
note_stmt(void *user, ix_stmt *s)
{
    ix_narrow *n = user;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        (void)narrow(n, bound_of_sum(n, s->x[i]));
    if (s->kind == IX_STMT_FOR)
        note_loop(n, s);
    else if (s->kind == IX_STMT_LET)
        note_let(n, s);
    return true;
}

static bound *
new_bounds(ix_unit *u, size_t n)
{
    bound *b = ix_arena_new(&u->arena, (n + 1) * sizeof *b);
    for (size_t i = 0; i < n; i++)
        b[i] = wide;
    return b;
}

static bool
narrow_kernel(ix_unit *u, ix_kernel *k)
{
    ix_narrow *n = ix_arena_new(&u->arena, sizeof *n);
    n->limit = INT32_MAX;
    n->variable = new_bounds(u, k->nvariables);
    n->value = new_bounds(u, (size_t)k->nvalues);
    k->narrow = n;
    return ix_stmt_each(k->body, note_stmt, n);
}

bool
ix_pass_narrow(ix_unit *u)
{
    return !u->target->grid || ix_kernels_each(u, narrow_kernel);
}
