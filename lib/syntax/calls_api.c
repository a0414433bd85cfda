/* SPDX-License-Identifier: MIT
 *
 * The public functions of whole arrays (ilex/kinds.h), from the rows of
 * nodes.def and functions.def.
 */
#include "ilex/kinds.h"

#include "lib/build/build.h"
#include "lib/syntax/parse.h"

/* An attribute as C passes it: one of these, by its type. */
typedef struct argument {
    const char *text;         /* AXIS, SET, PLACES, PAIRS, LIN, SHAPE, WORD */
    const char *const *texts; /* LINS */
    const int *axes;          /* AXES */
    const int64_t *ints;      /* INTS */
    int64_t number;           /* INT, DTYPE */
    ilex_array *value;        /* VALUE */
} argument;

/* Reads a bound; NULL text gives NULL. */
static bool
read_bound(ilex_context *ctx, const char *text, const ix_lin **bound)
{
    *bound = text ? ix_parse_text_lin(ctx, text) : NULL;
    return *bound || !text;
}

static bool
read_axis(ilex_array *x, const ix_signature *s, const char *text,
          ix_given *given)
{
    if (text)
        given->number[0] = ix_axis_of(x, s->text, text, strlen(text));
    return given->number[0] >= 0;
}

/* "I, J", "0, -1": axes of "x". */
static bool
read_set(ilex_array *x, const ix_signature *s, const char *text,
         ix_given *given)
{
    const char *const blanks = " \t";
    while (text && text[strspn(text, blanks)]) {
        text += strspn(text, blanks);
        size_t length = strcspn(text, ", \t");
        int k = given->n < ILEX_MAX_RANK ? ix_axis_of(x, s->text, text, length)
                                         : -1;
        if (k < 0)
            return false;
        given->number[given->n++] = k;
        text += length;
        text += strspn(text, blanks);
        text += *text == ',';
    }
    return true;
}

/* "0, -1": axes of a result. */
static bool
read_places(ilex_context *ctx, const ix_signature *s, const char *text,
            ix_given *given)
{
    ix_given list = {.n = 0};
    if (!text)
        return true;
    if (!ix_parse_text_shape(ctx, text, &list))
        return false;
    for (given->n = 0; given->n < list.n; given->n++) {
        const ix_lin *k = list.form[given->n];
        if (k->n)
            return ix_poison_false(
                ctx, s->text, 0, ILEX_E_AXIS,
                "%s: '%.40s' are no numbers of axes (for example: \"0, -1\")",
                s->text, text);
        given->number[given->n] = k->c;
    }
    return true;
}

/* One value for each axis. */
static bool
read_list(ilex_array *x, const argument *from, ix_given *given)
{
    for (int k = 0; k < ix_rank(x); k++) {
        if (from->axes)
            given->number[k] = from->axes[k];
        if (from->ints)
            given->number[k] = from->ints[k];
        const char *text = from->texts ? from->texts[k] : NULL;
        if (!read_bound(x->ctx, text, &given->form[k]))
            return false;
    }
    return true;
}

/* The value that "from" passes for attribute "a"; "x": the first operand, if
 * the function has one. */
static bool
read_argument(ilex_context *ctx, ilex_array *x, const ix_signature *s,
              const ix_attribute_info *a, const argument *from, ix_given *given)
{
    given->present = from->text || from->texts || from->axes || from->ints ||
                     from->value || a->type == IX_ATTRIBUTE_INT ||
                     a->type == IX_ATTRIBUTE_DTYPE;
    given->number[0] = from->number;
    given->value = from->value;
    switch (a->type) {
    case IX_ATTRIBUTE_AXIS:
        return read_axis(x, s, from->text, given);
    case IX_ATTRIBUTE_SET:
        return read_set(x, s, from->text, given);
    case IX_ATTRIBUTE_PLACES:
        return read_places(ctx, s, from->text, given);
    case IX_ATTRIBUTE_PAIRS:
        return !from->text || ix_parse_text_pairs(ctx, from->text, given);
    case IX_ATTRIBUTE_LIN:
        return read_bound(ctx, from->text, &given->form[0]);
    case IX_ATTRIBUTE_SHAPE:
        return !from->text || ix_parse_text_shape(ctx, from->text, given);
    case IX_ATTRIBUTE_WORD:
        given->word = from->text;
        given->length = from->text ? strlen(from->text) : 0;
        return true;
    case IX_ATTRIBUTE_INT:
    case IX_ATTRIBUTE_VALUE:
    case IX_ATTRIBUTE_DTYPE:
        return true;
    default:
        return read_list(x, from, given);
    }
}

/* A public function with its arguments. */
static ilex_array *
construct(ilex_context *ctx, const ix_signature *s, int count,
          ilex_array *const *operands, const argument *from)
{
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    ilex_array *x = count > 0 && operands ? operands[0] : NULL;
    if (!ctx)
        return NULL;
    bool read = s->most == 0 || (x && !ix_is_poison(x));
    for (int i = 0; read && i < s->nattributes; i++)
        if (!read_argument(ctx, x, s, &s->attribute[i], &from[i], &given[i]))
            return ix_poison_again(ctx);
    return ix_build_call(ctx, s, operands, count, given);
}

/* Types and fields of arguments. */
#define C_AXIS const char *
#define C_AXES const int *
#define C_INTS const int64_t *
#define C_LIN const char *
#define C_LINS const char *const *
#define C_SHAPE const char *
#define C_SET const char *
#define C_PLACES const char *
#define C_PAIRS const char *
#define C_INT int64_t
#define C_VALUE ilex_array *
#define C_WORD const char *
#define C_DTYPE ilex_dtype
#define C_MAY_AXIS C_AXIS
#define C_MAY_AXES C_AXES
#define C_MAY_INTS C_INTS
#define C_MAY_LIN C_LIN
#define C_MAY_LINS C_LINS
#define C_MAY_SET C_SET
#define C_MAY_PLACES C_PLACES
#define C_MAY_PAIRS C_PAIRS
#define C_MAY_INT C_INT
#define C_MAY_VALUE C_VALUE
#define C_MAY_WORD C_WORD
#define C_MAY_DTYPE C_DTYPE
#define FIELD_AXIS text
#define FIELD_AXES axes
#define FIELD_INTS ints
#define FIELD_LIN text
#define FIELD_LINS texts
#define FIELD_SHAPE text
#define FIELD_SET text
#define FIELD_PLACES text
#define FIELD_PAIRS text
#define FIELD_INT number
#define FIELD_VALUE value
#define FIELD_WORD text
#define FIELD_DTYPE number
#define FIELD_MAY_AXIS FIELD_AXIS
#define FIELD_MAY_AXES FIELD_AXES
#define FIELD_MAY_INTS FIELD_INTS
#define FIELD_MAY_LIN FIELD_LIN
#define FIELD_MAY_LINS FIELD_LINS
#define FIELD_MAY_SET FIELD_SET
#define FIELD_MAY_PLACES FIELD_PLACES
#define FIELD_MAY_PAIRS FIELD_PAIRS
#define FIELD_MAY_INT FIELD_INT
#define FIELD_MAY_VALUE FIELD_VALUE
#define FIELD_MAY_WORD FIELD_WORD
#define FIELD_MAY_DTYPE FIELD_DTYPE

/* Parameters and arguments for the attributes of a row. */
#define PARAMETERS_A0()
#define PARAMETERS_A1(t, a) , C_##t a
#define PARAMETERS_A2(t, a, u, b) PARAMETERS_A1(t, a), C_##u b
#define PARAMETERS_A3(t, a, u, b, v, c) PARAMETERS_A2(t, a, u, b), C_##v c
#define PARAMETERS_A4(t, a, u, b, v, c, w, d)                                  \
    PARAMETERS_A3(t, a, u, b, v, c), C_##w d
#define ARGUMENTS_A0() [0].text = NULL
#define ARGUMENTS_A1(t, a) [0].FIELD_##t = a
#define ARGUMENTS_A2(t, a, u, b) ARGUMENTS_A1(t, a), [1].FIELD_##u = b
#define ARGUMENTS_A3(t, a, u, b, v, c)                                         \
    ARGUMENTS_A2(t, a, u, b), [2].FIELD_##v = c

#define ARGUMENTS_A4(t, a, u, b, v, c, w, d)                                   \
    ARGUMENTS_A3(t, a, u, b, v, c), [3].FIELD_##w = d

/* Operands: none, one, two, three, four, or any number. */
#define OPERANDS_0 ilex_context *ctx
#define OPERANDS_1 ilex_array *x
#define OPERANDS_2 ilex_array *x, ilex_array *y
#define OPERANDS_3 ilex_array *x, ilex_array *y, ilex_array *z
#define OPERANDS_4 ilex_array *x, ilex_array *y, ilex_array *z, ilex_array *w
#define OPERANDS_MANY ilex_context *ctx, int count, ilex_array *const *operands
#define PASSED_0 ctx
#define COUNTED_0 0, NULL
#define PASSED_1 x ? x->ctx : NULL
#define COUNTED_1 1, &x
#define PASSED_2 x ? x->ctx : NULL
#define COUNTED_2                                                              \
    2, (ilex_array *[])                                                        \
    {                                                                          \
        x, y                                                                   \
    }
#define PASSED_3 x ? x->ctx : NULL
#define COUNTED_3                                                              \
    3, (ilex_array *[])                                                        \
    {                                                                          \
        x, y, z                                                                \
    }
#define PASSED_4 x ? x->ctx : NULL
#define COUNTED_4                                                              \
    4, (ilex_array *[])                                                        \
    {                                                                          \
        x, y, z, w                                                             \
    }
#define PASSED_MANY ctx
#define COUNTED_MANY count, operands

#define PUBLIC_own(function, most, attributes)
#define PUBLIC_later PUBLIC_node
#define PUBLIC_node(function, most, attributes)                                \
    ilex_array *ilex_##function(OPERANDS_##most PARAMETERS_##attributes)       \
    {                                                                          \
        const argument passed[] = {ARGUMENTS_##attributes};                    \
        return construct(PASSED_##most,                                        \
                         &ix_signatures[IX_SIGNATURE_##function],              \
                         COUNTED_##most, passed);                              \
    }
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, lower, meaning, attributes)                              \
    PUBLIC_##form(function, most, attributes)
#include "lib/graph/nodes.def"
#define IX_FUNCTION(function, text, least, most, names, meaning, attributes)   \
    PUBLIC_node(function, most, attributes)
#include "lib/build/functions.def"
