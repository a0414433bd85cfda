/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": the fewest letters put in, left out, changed or exchanged
 * with a neighbour (the restricted distance of Damerau and Levenshtein).
 */
#include "lib/base/suggest.h"

#include <stdio.h>

enum { LONGEST = 24 }; /* names that are compared */

ix_suggestion
ix_suggest(const char *text, size_t length)
{
    return (ix_suggestion){
        .text = text, .written = length, .distance = length < 3 ? 1 : 2};
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
    if (s->written > LONGEST || length > LONGEST)
        return;
    int n = (int)s->written, d = distance(s->text, n, name, (int)length);
    bool near = s->best ? d < s->distance : d <= s->distance;
    if (!near || d >= n)
        return;
    s->distance = d;
    s->best = name;
    s->length = length;
}

void
ix_suggest_words(ix_suggestion *s, const char *list, const char *between)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, between);
        if (n)
            ix_suggest_name(s, at, n);
        at += n + (at[n] != '\0');
    }
}

void
ix_suggest_lines(ix_suggestion *s, const char *lines)
{
    for (const char *at = lines; at && *at;) {
        size_t line = strcspn(at, "\n");
        ix_suggest_name(s, at, strcspn(at, "\t\n"));
        at += line + (at[line] != '\0');
    }
}

ix_suggestion_text
ix_suggestion_show(const ix_suggestion *s)
{
    ix_suggestion_text t = {""};
    if (s->best && s->distance > 0) /* what is written itself is no help */
        snprintf(t.s, sizeof t.s, "; did you mean '%.*s'?", (int)s->length,
                 s->best);
    return t;
}
