/* SPDX-License-Identifier: MIT
 *
 * Source text of constants.
 */
#ifndef ILEX_LIB_LITERAL_H
#define ILEX_LIB_LITERAL_H

#include "lib/base/text.h"
#include "lib/ops/eval.h"

/* How a language spells what is no number. */
typedef enum ix_literal_spelling {
    IX_LITERAL_C,        /* without headers */
    IX_LITERAL_C_HEADER, /* with <math.h> */
    IX_LITERAL_CUDA
} ix_literal_spelling;

/* A constant of a dtype, or of a part of a complex one, as C or CUDA source of
 * at most "size" characters (48 hold every one). It reads back as the same
 * bits, NaN as some NaN. */
void ix_literal_write(ilex_dtype dtype, ix_value v, bool imaginary,
                      ix_literal_spelling spelling, char *text, size_t size);

/* A constant that is no complex number. */
typedef struct ix_literal {
    ilex_dtype dtype;
    ix_value value;
} ix_literal;

/* Appends it for reading: integers without a letter behind. */
void ix_literal_put(const ix_literal *x, ix_text *t);

/* A truth value or an integer as text: "true", "-7". False for other dtypes. */
bool ix_literal_plain(ilex_dtype dtype, ix_value v, ix_text *t);

#endif
