/* SPDX-License-Identifier: MIT
 *
 * The arrays of a program as a picture: boxes and arrows, for a page. Which
 * place each has is for a program to find that lays graphs out.
 */
#ifndef ILEX_COMPILER_PICTURE_H
#define ILEX_COMPILER_PICTURE_H

#include "compiler/unit.h"

typedef struct ix_picture {
    ix_text dot;   /* the graph for such a program */
    ix_text boxes; /* lines "number class\twords\tname\ttype" */
} ix_picture;

void ix_picture_begin(ix_picture *p, const ix_mem *mem);
void ix_picture_end(ix_picture *p);

/* Is array "i" a box: an input, or one that users know? */
bool ix_picture_is_box(const ix_unit *u, size_t i);

/* What users call such an array. */
void ix_picture_name(const ix_unit *u, size_t i, ix_text *t);

/* Adds array "i", which is a box of these words, and the arrows to it. */
void ix_picture_add(ix_picture *p, ix_unit *u, size_t i, const char *words);

/* The whole graph in DOT, once all boxes are there; NULL without memory. */
const char *ix_picture_graph(ix_picture *p);

/* Appends SVG, from what such a program printed for it: lines "node NAME X Y
 * WIDTH HEIGHT ...", "edge TAIL HEAD N X Y ..." in inches, y upwards, behind
 * "graph SCALE WIDTH HEIGHT". False where that is none. */
bool ix_picture_put(const ix_picture *p, const char *places, ix_text *t);

/* Appends text of XML; what is not printable UTF-8 is '?'. */
void ix_xml_put(ix_text *t, const char *s, size_t length);

#endif
