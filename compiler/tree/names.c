/* SPDX-License-Identifier: MIT
 *
 * Names of values and sums of indices as text, for dumps and for the source.
 */
#include "compiler/tree/tree.h"

#include <stdio.h>

ix_value_text
ix_value_name(char prefix, int64_t number)
{
    ix_value_text v;
    if (number <= IX_VALUE_OFFSET)
        snprintf(v.s, sizeof v.s, "%c%d", prefix,
                 (int)(IX_VALUE_OFFSET - number));
    else if (number < 0)
        snprintf(v.s, sizeof v.s, number == IX_VALUE_BEGIN ? "begin" : "end");
    else if (prefix == 'L' || prefix == 'H') /* letters that stand for words */
        snprintf(v.s, sizeof v.s, "%s%d", prefix == 'L' ? "lo" : "hi",
                 (int)number);
    else
        snprintf(v.s, sizeof v.s, "%c%d", prefix, (int)number);
    return v;
}

/* " + 3 * i0", without the plus for the first term. */
static void
put_term(const ix_sum_writer *w, int64_t k, const ilex_array *atom, bool first,
         ix_text *t)
{
    ix_text_put(t, first ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
    if (k != 1 && k != -1) {
        ix_text_uint(t, k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
        ix_text_put(t, w->times);
    }
    w->atom(w->user, atom, t);
}

void
ix_sum_put(const ix_sum_writer *w, const ilex_array *x, ix_text *t)
{
    ix_index_form f;
    bool first = true;
    ix_index_form_of(x, &f);
    for (int negative = 0; negative < 2; negative++)
        for (int i = 0; i < f.n; i++)
            if ((f.t[i].k < 0) == negative) {
                put_term(w, f.t[i].k, f.t[i].atom, first, t);
                first = false;
            }
    if (first)
        ix_text_int(t, f.c);
    else if (f.c)
        ix_text_format(
            t, " %c %llu", f.c < 0 ? '-' : '+',
            (unsigned long long)(f.c < 0 ? 0 - (uint64_t)f.c : (uint64_t)f.c));
}
