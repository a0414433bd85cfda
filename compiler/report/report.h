/* SPDX-License-Identifier: MIT
 *
 * What was compiled, as text for people. Nothing of it matters to a run.
 */
#ifndef ILEX_COMPILER_REPORT_H
#define ILEX_COMPILER_REPORT_H

#include "compiler/report/picture.h"

/* dump.c: the unit at its level */
void ix_dump_unit(const ix_unit *u, ix_text *t);
/* what an array is made of its operands, called as they are in the order */
void ix_dump_array(const ix_unit *u, const ilex_array *n, ix_text *t);

/* explain.c: what was decided and why, for users, when all passes are done */
void ix_explain(ix_unit *u, ix_text *t);

/* describe.c: what queries tell of it. */
void ix_describe(ix_unit *u, ix_compiled *c);

/* page.c, page_note.c: a page of HTML. What it says of arrays, kernels and
 * stages is noted after passes; the source comes when it is put. */
typedef struct ix_page_parts {
    ix_text arrays, kernels, stages, total;
    ix_text names; /* lines "name A3 L12": the words of what has a name; of
                      kernels "/3 K3 A5 L12", with what they store; of outputs
                      "=v A7 L9" */
    ix_picture picture;
    int stored, again; /* how many arrays are */
} ix_page_parts;
void ix_page_begin(ix_page_parts *p, const ix_mem *mem);
/* ix_compile_request.after, with the page as user */
void ix_page_note(void *page, ix_unit *u, const char *pass);
/* "places": where the boxes of the picture are (picture.h), or NULL */
void ix_page_put(ix_page_parts *p, const ilex_module *m, const char *text,
                 const char *source, const char *places, ix_text *t);
void ix_page_end(ix_page_parts *p);

/* workspace.c: bytes of temporary "i", of one thread, and of the workspace;
 * false, without an error, where that is more than 64 bits or no formula. */
bool ix_put_bytes(ix_unit *u, size_t i, ix_text *t);
bool ix_put_workspace(ix_unit *u, ix_text *t);

#endif
