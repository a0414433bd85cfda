/* SPDX-License-Identifier: MIT
 *
 * Initialisers of the members "nattributes" and "attribute" of a struct from
 * the last column of a row of nodes.def or functions.def.
 */
#ifndef ILEX_LIB_ATTRIBUTES_H
#define ILEX_LIB_ATTRIBUTES_H

/* An attribute of a row: its type, and whether it may be missing. */
#define IX_TYPE_AXIS(i) .attribute[i].type = IX_ATTRIBUTE_AXIS
#define IX_TYPE_AXES(i) .attribute[i].type = IX_ATTRIBUTE_AXES
#define IX_TYPE_INTS(i) .attribute[i].type = IX_ATTRIBUTE_INTS
#define IX_TYPE_LIN(i) .attribute[i].type = IX_ATTRIBUTE_LIN
#define IX_TYPE_LINS(i) .attribute[i].type = IX_ATTRIBUTE_LINS
#define IX_TYPE_SHAPE(i) .attribute[i].type = IX_ATTRIBUTE_SHAPE
#define IX_TYPE_SET(i) .attribute[i].type = IX_ATTRIBUTE_SET
#define IX_TYPE_PLACES(i) .attribute[i].type = IX_ATTRIBUTE_PLACES
#define IX_TYPE_PAIRS(i) .attribute[i].type = IX_ATTRIBUTE_PAIRS
#define IX_TYPE_INT(i) .attribute[i].type = IX_ATTRIBUTE_INT
#define IX_TYPE_VALUE(i) .attribute[i].type = IX_ATTRIBUTE_VALUE
#define IX_TYPE_WORD(i) .attribute[i].type = IX_ATTRIBUTE_WORD
#define IX_TYPE_DTYPE(i) .attribute[i].type = IX_ATTRIBUTE_DTYPE
#define IX_OPTIONAL(i) .attribute[i].optional = true
#define IX_TYPE_MAY_AXIS(i) IX_TYPE_AXIS(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_AXES(i) IX_TYPE_AXES(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_INTS(i) IX_TYPE_INTS(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_LIN(i) IX_TYPE_LIN(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_LINS(i) IX_TYPE_LINS(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_SET(i) IX_TYPE_SET(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_PLACES(i) IX_TYPE_PLACES(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_PAIRS(i) IX_TYPE_PAIRS(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_INT(i) IX_TYPE_INT(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_VALUE(i) IX_TYPE_VALUE(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_WORD(i) IX_TYPE_WORD(i), IX_OPTIONAL(i)
#define IX_TYPE_MAY_DTYPE(i) IX_TYPE_DTYPE(i), IX_OPTIONAL(i)
#define IX_ATTRIBUTE_ROW(i, t, a) .attribute[i].name = #a, IX_TYPE_##t(i)

#define IX_ATTRIBUTES_A0() .nattributes = 0
#define IX_ATTRIBUTES_A1(t, a) .nattributes = 1, IX_ATTRIBUTE_ROW(0, t, a)
#define IX_ATTRIBUTES_A2(t, a, u, b)                                           \
    .nattributes = 2, IX_ATTRIBUTE_ROW(0, t, a), IX_ATTRIBUTE_ROW(1, u, b)
#define IX_ATTRIBUTES_A3(t, a, u, b, v, c)                                     \
    .nattributes = 3, IX_ATTRIBUTE_ROW(0, t, a), IX_ATTRIBUTE_ROW(1, u, b),    \
    IX_ATTRIBUTE_ROW(2, v, c)
#define IX_ATTRIBUTES_A4(t, a, u, b, v, c, w, d)                               \
    .nattributes = 4, IX_ATTRIBUTE_ROW(0, t, a), IX_ATTRIBUTE_ROW(1, u, b),    \
    IX_ATTRIBUTE_ROW(2, v, c), IX_ATTRIBUTE_ROW(3, w, d)

#endif
