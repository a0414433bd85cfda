/* SPDX-License-Identifier: MIT
 *
 * The arguments of a compiled program: which one is meant, what a range of one
 * is for values of sizes.
 */
#include "runtime/program/program.h"

size_t
ix_find_argument(const ix_compiled *c, const char *name)
{
    size_t i = 0;
    while (i < c->narguments && (c->buffer[i].role == IX_COMPILED_DATA ||
                                 strcmp(c->buffer[i].name, name) != 0))
        i++;
    return i;
}

/* Most bindings stand in the order of the arguments: the one at the same place
 * is looked at first. */
size_t
ix_binding_argument(const ix_compiled *c, const ilex_binding *x, size_t place)
{
    size_t i = 0;
    if (x->name && place < c->narguments &&
        c->buffer[place].role != IX_COMPILED_DATA &&
        strcmp(c->buffer[place].name, x->name) == 0)
        return place;
    if (x->name)
        return ix_find_argument(c, x->name);
    while (i < c->narguments &&
           (c->buffer[i].role == IX_COMPILED_DATA || place-- > 0))
        i++;
    return i;
}

bool
ix_range_eval(const ix_range *range, const int64_t *size, int64_t *lo,
              int64_t *hi)
{
    return ix_lin_eval(range->lo, size, lo) && ix_lin_eval(range->hi, size, hi);
}

bool
ix_is_message(const ix_compiled *c, size_t argument)
{
    size_t i = 0;
    while (i < c->nmessages && c->message[i].argument != argument)
        i++;
    return i < c->nmessages;
}
