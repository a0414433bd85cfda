/* SPDX-License-Identifier: MIT
 *
 * Pass simplify: constants are folded by the evaluator of ops.def, and laws
 * that hold bit for bit are applied. needs: a graph; gives: a graph with the
 * same values, which reads nothing behind conditions that never hold, and wraps
 * each storage once; breaks: nothing.
 */
#include "compiler/unit.h"
#include "lib/ops/dtype.h"
#include "lib/shape/access.h"

/* Is "x" the number "v" in its dtype? -0.0 is not 0. */
static bool
is_number(const ilex_array *x, int v)
{
    if (x->kind != IX_CONST)
        return false;
    ix_value have = ix_const_value(x), want, i = {.i = v};
    ix_cast_eval(ILEX_I64, (ilex_dtype)x->dtype, &i, &want);
    return !memcmp(&have, &want, sizeof want);
}

/* x*1, x/1, and for integers x+0, x-0: what is left, else NULL. */
static ilex_array *
drop_neutral(ilex_array *n)
{
    ix_op op = ix_op_of(n);
    bool integer = ix_dtype_is_integer((ilex_dtype)n->dtype);
    bool real = ix_dtype_is_real((ilex_dtype)n->dtype);
    if (!integer && !real)
        return NULL;
    for (int i = 0; i < 2; i++) {
        ilex_array *x = n->ops[i], *y = n->ops[1 - i];
        bool right = i == 0; /* y is the right operand */
        if (op == IX_OP_MULTIPLY && is_number(y, 1))
            return x;
        if (op == IX_OP_TRUE_DIVIDE && right && is_number(y, 1))
            return x;
        if (integer && is_number(y, 0) &&
            (op == IX_OP_ADD || (op == IX_OP_SUBTRACT && right)))
            return x;
    }
    return NULL;
}

/* The square that a power with the exponent 2 is, but for complex numbers, or
 * NULL. */
static ilex_array *
square_of(ilex_array *n)
{
    ilex_dtype t = (ilex_dtype)n->dtype;
    if (ix_op_of(n) != IX_OP_POWER || ix_dtype_is_complex(t) ||
        n->dtype != ix_loop_of(n) || !is_number(n->ops[1], 2))
        return NULL;
    return ix_scalar_op(n->ctx, IX_OP_SQUARE, t, t, n->ops);
}

/* f(f(x)) = x, f(f(x)) = f(x), f(x, x) = x, by the laws of the row. */
static ilex_array *
apply_laws(ilex_array *n)
{
    unsigned laws = ix_op_info_of(ix_op_of(n))->laws;
    ilex_array *x = n->ops[0];
    if (n->nops == 2 && (laws & IX_LAW_IDEMPOTENT) && x == n->ops[1] &&
        x->dtype == n->dtype)
        return x;
    bool twice = n->nops == 1 && x->kind == IX_OP &&
                 ix_op_of(x) == ix_op_of(n) && x->dtype == n->dtype &&
                 ix_loop_of(x) == ix_loop_of(n) && n->dtype == ix_loop_of(n);
    if (twice && (laws & IX_LAW_INVOLUTION))
        return x->ops[0];
    return twice && (laws & IX_LAW_PROJECTION) ? x : NULL;
}

/* The branch that a `where` always takes, or NULL. */
static ilex_array *
live_branch(ilex_array *n)
{
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_WHERE ||
        !ix_is_index_condition(n->ops[0]))
        return NULL;
    ix_tri holds = ix_condition_known(n->ctx, n->ops[0]);
    return holds == IX_UNKNOWN ? NULL : n->ops[holds == IX_YES ? 1 : 2];
}

static ilex_array *
simplify_where(ilex_array *n)
{
    return n->ops[1] == n->ops[2] ? n->ops[1] : live_branch(n);
}

static ilex_array *
simplify_scalar(void *user, ilex_array *n)
{
    (void)user;
    ilex_array *r = ix_scalar_fold(n);
    if (n->kind != IX_OP)
        return r ? r : n;
    if (!r && ix_op_of(n) == IX_OP_WHERE)
        r = simplify_where(n);
    r = r ? r : apply_laws(n);
    r = r || n->nops != 2 ? r : drop_neutral(n);
    r = r ? r : square_of(n);
    return r ? r : n;
}

static ilex_array *
take_branch(void *user, ilex_array *n)
{
    (void)user;
    ilex_array *branch = live_branch(n);
    return branch ? branch : n;
}

/* The first leaf that wraps the elements of "n", itself if there is none
 * before.
 */
static ilex_array *
first_data(ix_unit *u, ilex_array *n)
{
    for (size_t i = 0; i < u->ndata; i++)
        if (ix_same_data(u->data[i], n))
            return u->data[i];
    ix_arena_grow(&u->arena, &u->data, &u->data_capacity, u->ndata + 1,
                  sizeof *u->data);
    return u->data[u->ndata++] = n;
}

/* The reference back end runs what the user wrote, but for reads that never
 * happen: what they would need must not be asked of anybody. */
static ilex_array *
simplify_array(ix_unit *u, void *scalars, ilex_array *n)
{
    if (n->kind == IX_DATA && !u->reference)
        return first_data(u, n);
    if (!ix_has_body(n))
        return n;
    size_t bytes = (size_t)n->nops * sizeof *n->ops;
    ilex_array **ops = memcpy(ix_arena_new(&u->arena, bytes), n->ops, bytes);
    ops[0] = ix_substitute(scalars, n->ops[0]);
    return ix_is_poison(ops[0]) ? ops[0] : ix_with_operands(n, ops);
}

bool
ix_pass_simplify(ix_unit *u)
{
    ix_substitution scalars = {.ctx = u->ctx,
                               .mem = &u->mem,
                               .rewrite = u->reference ? take_branch
                                                       : simplify_scalar};
    bool ok = ix_unit_rewrite(u, simplify_array, &scalars);
    ix_substitution_free(&scalars);
    return ok;
}
