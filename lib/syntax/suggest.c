/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": the fewest letters put in, left out, changed or exchanged
 * with a neighbour (the restricted distance of Damerau and Levenshtein).
 */
#include "lib/syntax/suggest.h"

#include <stdio.h>

#include "lib/build/build.h"
#include "lib/syntax/syntax.h"

enum { LONGEST = 24 }; /* names that are compared */

ix_suggestion
ix_suggest(const ix_word *word)
{
    return (ix_suggestion){.word = word, .distance = word->length < 3 ? 1 : 2};
}

static int
least(int a, int b)
{
    return a < b ? a : b;
}

static int
distance(const char *a, int n, const char *b, int m)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

void
ix_suggest_name(ix_suggestion *s, const char *name, size_t length)
{
    int n = s->word->length;
    if (n > LONGEST || length > LONGEST)
        return;
    int d = distance(s->word->text, n, name, (int)length);
    bool near = s->best ? d < s->distance : d <= s->distance;
    if (!near || d >= n)
        return;
    s->distance = d;
    s->best = name;
    s->length = length;
}

static void
suggest(ix_suggestion *s, const char *name)
{
    ix_suggest_name(s, name, strlen(name));
}

void
ix_suggest_functions(ix_suggestion *s)
{
    static const char *const others[] = {
#define WORD_function(word) word,
#define WORD_reduction(word) word,
#define WORD_clause(word)
#define WORD_mode(word)
#define WORD_constant(word)
#define IX_WORD(word, class, example, meaning) WORD_##class(word)
#include "lib/syntax/words.def"
        "abs"};
    for (unsigned k = 0; k < IX_NOPS; k++)
        suggest(s, ix_op_info_of((ix_op)k)->name);
    for (unsigned k = 0; k < IX_NREDUCTIONS; k++)
        suggest(s, ix_reduction_info_of((ix_reduction)k)->name);
    for (int k = 0; k < IX_NSIGNATURES; k++)
        if (ix_signatures[k].build)
            suggest(s, ix_signatures[k].text);
    for (size_t k = 0; k < IX_COUNT(others); k++)
        suggest(s, others[k]);
}

void
ix_suggest_keywords(ix_suggestion *s)
{
    for (int k = 0; k < IX_STATEMENT_COMMENT; k++)
        suggest(s, ix_statement_keywords[k]);
}

ix_suggestion_text
ix_suggestion_show(const ix_suggestion *s)
{
    ix_suggestion_text t = {""};
    if (s->best)
        snprintf(t.s, sizeof t.s, "; did you mean '%.*s'?", (int)s->length,
                 s->best);
    return t;
}
