/* SPDX-License-Identifier: MIT
 *
 * The public functions of the kinds of form node, and of those that this
 * version does not have (ilex/kinds.h), from the rows of nodes.def.
 */
#include "ilex/kinds.h"

#include "lib/build/build.h"
#include "lib/syntax/parse.h"

/* An attribute as C passes it: one of these, by its type. */
typedef struct argument {
    const char *text;         /* AXIS, LIN */
    const char *const *texts; /* LINS */
    const int *axes;          /* AXES */
    const int64_t *ints;      /* INTS */
} argument;

/* Reads a bound; NULL text gives NULL. */
static bool
read_bound(ilex_context *ctx, const char *text, const ix_lin **bound)
{
    *bound = text ? ix_parse_text_lin(ctx, text) : NULL;
    return *bound || !text;
}

static bool
read_axis(ilex_array *x, ix_kind kind, const char *text, ix_given *given)
{
    if (text)
        given->number[0] =
            ix_axis_of(x, ix_kind_infos[kind].text, text, strlen(text));
    return given->number[0] >= 0;
}

/* The value that "from" passes for attribute "a" of operand "x". */
static bool
read_argument(ilex_array *x, ix_kind kind, const ix_attribute_info *a,
              const argument *from, ix_given *given)
{
    int n = ix_attribute_count(a->type, x);
    given->present = from->text || from->texts || from->axes || from->ints;
    if (a->type == IX_ATTRIBUTE_AXIS)
        return read_axis(x, kind, from->text, given);
    for (int k = 0; k < n; k++) {
        if (from->axes)
            given->number[k] = from->axes[k];
        if (from->ints)
            given->number[k] = from->ints[k];
        const char *text = from->texts ? from->texts[k] : from->text;
        if (!read_bound(x->ctx, text, &given->form[k]))
            return false;
    }
    return true;
}

/* A public function with its arguments. */
static ilex_array *
construct(ilex_context *ctx, ix_kind kind, int count,
          ilex_array *const *operands, const argument *from)
{
    const ix_kind_info *info = &ix_kind_infos[kind];
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    ilex_array *x = count > 0 && operands ? operands[0] : NULL;
    if (!ctx)
        return NULL;
    for (int i = 0; x && !ix_is_poison(x) && i < info->nattributes; i++)
        if (!read_argument(x, kind, &info->attribute[i], &from[i], &given[i]))
            return ix_poison_again(ctx);
    return ix_build_kind(ctx, kind, operands, count, given);
}

/* Types and fields of arguments. */
#define C_AXIS const char *
#define C_AXES const int *
#define C_INTS const int64_t *
#define C_LIN const char *
#define C_LINS const char *const *
#define C_MAY_INTS C_INTS
#define C_MAY_LINS C_LINS
#define FIELD_AXIS text
#define FIELD_AXES axes
#define FIELD_INTS ints
#define FIELD_LIN text
#define FIELD_LINS texts
#define FIELD_MAY_INTS ints
#define FIELD_MAY_LINS texts

/* Parameters and arguments for the attributes of a row. */
#define PARAMETERS_A0()
#define PARAMETERS_A1(t, a) , C_##t a
#define PARAMETERS_A2(t, a, u, b) PARAMETERS_A1(t, a), C_##u b
#define PARAMETERS_A3(t, a, u, b, v, c) PARAMETERS_A2(t, a, u, b), C_##v c
#define ARGUMENTS_A0() [0].text = NULL
#define ARGUMENTS_A1(t, a) [0].FIELD_##t = a
#define ARGUMENTS_A2(t, a, u, b) ARGUMENTS_A1(t, a), [1].FIELD_##u = b
#define ARGUMENTS_A3(t, a, u, b, v, c)                                         \
    ARGUMENTS_A2(t, a, u, b), [2].FIELD_##v = c

/* Operands: one, or any number. */
#define OPERANDS_1 ilex_array *x
#define OPERANDS_MANY ilex_context *ctx, int count, ilex_array *const *operands
#define PASSED_1 x ? x->ctx : NULL
#define COUNTED_1 1, &x
#define PASSED_MANY ctx
#define COUNTED_MANY count, operands

#define PUBLIC_own(NAME, function, most, attributes)
#define PUBLIC_later PUBLIC_node
#define PUBLIC_node(NAME, function, most, attributes)                          \
    ilex_array *ilex_##function(OPERANDS_##most PARAMETERS_##attributes)       \
    {                                                                          \
        const argument from[] = {ARGUMENTS_##attributes};                      \
        return construct(PASSED_##most, IX_##NAME, COUNTED_##most, from);      \
    }
#define IX_NODE(NAME, function, text, class, operands, least, most, form,      \
                lower, meaning, attributes)                                    \
    PUBLIC_##form(NAME, function, most, attributes)
#include "lib/graph/nodes.def"
