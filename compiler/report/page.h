/* SPDX-License-Identifier: MIT
 *
 * What the parts of a page share: words that belong together, and stages.
 */
#ifndef ILEX_COMPILER_PAGE_H
#define ILEX_COMPILER_PAGE_H

#include "compiler/report/report.h"

/* Words of an element, "K3 A5 L12", that stand somewhere; none: "". */
typedef struct ix_page_words {
    const char *text;
    size_t length;
} ix_page_words;

/* The words of a whole text, NULL for none. */
ix_page_words ix_page_words_of(const char *text);
/* The words noted for the name of "length". */
ix_page_words ix_page_find(const ix_page_parts *p, const char *name,
                           size_t length);

/* Begins an element of such words. */
void ix_page_open(ix_text *t, const char *element, ix_page_words w);

/* What of the way is shown, by the pass behind which it is. */
enum { IX_PAGE_STAGES = 4 };
extern const struct ix_page_stage {
    const char *pass, *title;
} ix_page_stages[IX_PAGE_STAGES];

#endif
