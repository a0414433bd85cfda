/* SPDX-License-Identifier: MIT
 *
 * Texts around the limits of conditions on indices: how deep they nest, how
 * many pieces and bounds of loops they ask for.
 */
#include "tests/property/limits.h"

/* A random condition on i and j. */
static void
put_condition(diff_random *r, ix_text *t, bool mixed)
{
    static const char *const relation[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const term[] = {"i",     "j",     "i+j",  "i-j",
                                       "j-2*i", "2*i-j", "i//2", "j%3"};
    const char *op = relation[diff_draw(r, 6)];
    if (mixed && diff_chance(r, 25)) {
        ix_text_put(t, "(");
        put_condition(r, t, false);
        ix_text_put(t, diff_chance(r, 50) ? " && " : " || ");
        put_condition(r, t, false);
        ix_text_put(t, ")");
        return;
    }
    ix_text_format(t, "%s %s %d", term[diff_draw(r, mixed ? 8 : 2)], op,
                   diff_between(r, -2, 9));
}

/* A tree of `where` of this many conditions. */
static void
put_where(diff_random *r, ix_text *t, int conditions, bool mixed)
{
    if (conditions == 0) {
        ix_text_format(t, "%d*x[i+%d, j]", diff_between(r, 1, 9),
                       diff_draw(r, 3));
        return;
    }
    int first = diff_chance(r, 45)   ? 0
                : diff_chance(r, 80) ? conditions - 1
                                     : diff_draw(r, conditions);
    ix_text_put(t, "where(");
    put_condition(r, t, mixed);
    ix_text_put(t, ", ");
    put_where(r, t, first, mixed);
    ix_text_put(t, ", ");
    put_where(r, t, conditions - 1 - first, mixed);
    ix_text_put(t, ")");
}

/* Chains of branches, each of which alone keeps its read inside: arrays of
 * length 3 side by side, in one branch or the other. */
static void
put_side_by_side(diff_random *r, ix_text *t, int parts)
{
    bool up = diff_chance(r, 50);
    for (int i = 0; i < parts; i++)
        ix_text_format(t, "in x%d : i64[3]\n", i);
    ix_text_format(t, "map y[i:%d, j:2] = ", 3 * parts);
    for (int i = 0; i + 1 < parts; i++)
        if (up)
            ix_text_format(t, "where(i < %d, x%d[i-%d], ", 3 * i + 3, i, 3 * i);
        else
            ix_text_format(t, "where(i >= %d, ", 3 * (i + 1));
    ix_text_format(t, "x%d[i-%d]", parts - 1, 3 * (parts - 1));
    for (int i = parts - 2; i >= 0; i--)
        if (up)
            ix_text_put(t, ")");
        else
            ix_text_format(t, ", x%d[i-%d])", i, 3 * i);
    ix_text_char(t, '\n');
}

/* Maps that read each other in one branch: guards nest when they are fused. */
static void
put_fused(diff_random *r, ix_text *t, int maps)
{
    ix_text_put(t,
                "size n, m\nin x : i64[n+2, m]\nmap t0[i:n, j:m] = x[i, j]\n");
    for (int i = 0; i < maps; i++) {
        ix_text_format(t, "map t%d[i:n, j:m] = where(", i + 1);
        put_condition(r, t, false);
        ix_text_format(t, ", t%d[i, j], %d*x[i+2, j])\n", i,
                       diff_between(r, 1, 9));
    }
    ix_text_format(t, "let y = t%d\n", maps);
}

void
limit_guards(diff_random *r, ix_text *t)
{
    if (diff_chance(r, 30)) {
        put_side_by_side(r, t, diff_between(r, 2, 60));
    } else if (diff_chance(r, 30)) {
        put_fused(r, t, diff_between(r, 1, 90));
    } else {
        ix_text_put(t, "size n, m\nin x : i64[n+2, m]\nmap y[i:n, j:m] = ");
        put_where(r, t, diff_between(r, 1, 90), diff_chance(r, 70));
        ix_text_char(t, '\n');
    }
    ix_text_put(t, "out z = y\n");
}

void
limit_halves(diff_random *r, ix_text *t)
{
    int stages = diff_between(r, 1, 3);
    ix_text_put(t, "size n, m\nassume n >= 1 && m >= 1\n"
                   "in t0 : i64[n+6, m]\n");
    for (int s = 0; s < stages; s++) {
        int terms = diff_between(r, 1, 14);
        ix_text_format(t, "map t%d[i:n+%d, j:m] = 0", s + 1,
                       2 * (stages - s - 1));
        for (int i = 0; i < terms; i++)
            ix_text_format(
                t, " + where(%si %c j %s %d, t%d[i+%d, j], %d*t%d[i, 0])",
                diff_chance(r, 30) ? "n-" : "", "+-"[diff_draw(r, 2)],
                diff_chance(r, 50) ? "<" : ">=", diff_between(r, -3, 8), s,
                diff_draw(r, 3), diff_between(r, 2, 5), s);
        ix_text_char(t, '\n');
    }
    ix_text_format(t, "out y = t%d\n", stages);
}
