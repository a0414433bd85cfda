/* SPDX-License-Identifier: MIT
 *
 * What an array is, for users: its operator, and whether two are the same.
 */
#include "ilex/graph.h"

#include "lib/build/build.h"
#include "lib/shape/broadcast.h"

/* ---- equality ---- */

int
ilex_identical(const ilex_array *a, const ilex_array *b)
{
    uint8_t hash[2][16];
    if (!a || !b || ix_is_poison(a) || ix_is_poison(b))
        return 0;
    if (a->ctx == b->ctx)
        return a == b;
    return ilex_hash(a, hash[0]) == ILEX_OK &&
           ilex_hash(b, hash[1]) == ILEX_OK &&
           !memcmp(hash[0], hash[1], sizeof *hash);
}

/* ---- operators ---- */

/* Does "load", in the body of "x", read the element that broadcasting gives? */
static bool
reads_alike(const ilex_array *x, const ilex_array *load)
{
    const ilex_array *operand = x->ops[load->attr[0] + 1];
    ilex_array *index[ILEX_MAX_RANK];
    bool alike = load->nops == ix_rank(operand);
    for (int k = 0; k < ix_rank(operand); k++)
        alike &=
            !operand->interior->ax[k].name ||
            ix_domain_find(x->interior, operand->interior->ax[k].name) >= 0;
    alike = alike && ix_rank(operand) <= ix_rank(x);
    if (alike)
        ix_broadcast_indices(x->ctx, x->interior, operand, index);
    for (int k = 0; alike && k < load->nops; k++)
        alike = load->ops[k] == index[k];
    return alike;
}

/* Is "s", in the body of "x", an element of an operand or a number, converted
 * or not? */
static bool
is_plain(const ilex_array *x, const ilex_array *s)
{
    if (s->kind == IX_CAST)
        s = s->ops[0];
    return s->kind == IX_CONST || s->kind == IX_SIZE ||
           (s->kind == IX_LOAD && reads_alike(x, s));
}

const char *
ilex_array_operator(const ilex_array *x)
{
    if (ix_is_poison(x) || (ix_is_array(x) && x->kind != IX_LAMBDA))
        return NULL;
    const ilex_array *body = x->kind == IX_LAMBDA ? x->ops[0] : x;
    if (body->kind != IX_OP && body->kind != IX_CAST)
        return NULL;
    for (int i = 0; i < body->nops; i++)
        if (!is_plain(x, body->ops[i]))
            return NULL;
    return body->kind == IX_CAST ? "cast" : ix_op_info_of(ix_op_of(body))->name;
}
