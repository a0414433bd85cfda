/* SPDX-License-Identifier: MIT
 *
 * Ilex's operators and reductions by the names they have in the golden files,
 * which are those of ops.def and reductions.def.
 */
#include <string.h>

#include "tests/golden/golden.h"

static const golden_operator operators[] = {
#define ILEX_OP(ENUM, name, arity, ...) {#name, arity, .f##arity = ilex_##name},
#include "ilex/ops.def"
};

static const struct {
    const char *name;
    golden_reducer *reduce;
} reducers[] = {
#define ILEX_REDUCTION(ENUM, name, ...) {#name, ilex_##name},
#include "ilex/reductions.def"
};

const golden_operator *
golden_operator_find(const char *name)
{
    for (size_t i = 0; i < GOLDEN_COUNT(operators); i++)
        if (!strcmp(name, operators[i].name))
            return &operators[i];
    return NULL;
}

ilex_array *
golden_operator_apply(const golden_operator *o, ilex_array **x)
{
    switch (o->arity) {
    case 1:
        return o->f1(x[0]);
    case 2:
        return o->f2(x[0], x[1]);
    default:
        return o->f3(x[0], x[1], x[2]);
    }
}

golden_reducer *
golden_reducer_find(const char *name)
{
    for (size_t i = 0; i < GOLDEN_COUNT(reducers); i++)
        if (!strcmp(name, reducers[i].name))
            return reducers[i].reduce;
    return NULL;
}
