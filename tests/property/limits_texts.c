/* SPDX-License-Identifier: MIT
 *
 * Texts around the limits of index arithmetic and of bodies.
 */
#include "tests/property/limits.h"

/* "[a, b, c]" of "n" numbers. */
static void
put_list(ix_text *t, int n, const int *v)
{
    ix_text_char(t, '[');
    for (int i = 0; i < n; i++)
        ix_text_format(t, i ? ", %d" : "%d", v[i]);
    ix_text_char(t, ']');
}

/* ---- index arithmetic ---- */

/* Shares the prime factors out to a random number of axes, in random order;
 * returns how many. */
static int
random_shape(diff_random *r, int nprimes, int *prime, int *shape)
{
    int n = 0;
    for (int i = nprimes - 1; i > 0; i--) {
        int j = diff_draw(r, i + 1), v = prime[i];
        prime[i] = prime[j];
        prime[j] = v;
    }
    for (int i = 0; i < nprimes; i++)
        if (n > 0 && diff_chance(r, 25))
            shape[n - 1] *= prime[i];
        else
            shape[n++] = prime[i];
    return n;
}

/* Statement "t1 = permute(t0)" by a random permutation of the shape. */
static void
put_permute(diff_random *r, ix_text *t, int at, int n, int *shape)
{
    int axes[ILEX_MAX_RANK], old[ILEX_MAX_RANK];
    for (int k = 0; k < n; k++) {
        int j = diff_draw(r, k + 1);
        axes[k] = axes[j];
        axes[j] = k;
        old[k] = shape[k];
    }
    for (int k = 0; k < n; k++)
        shape[k] = old[axes[k]];
    ix_text_format(t, "node t%d = permute(t%d; axes=", at + 1, at);
    put_list(t, n, axes);
    ix_text_put(t, ")\n");
}

void
limit_reshapes(diff_random *r, ix_text *t)
{
    int prime[8], shape[ILEX_MAX_RANK], nprimes = diff_between(r, 4, 7);
    int at = 0, rounds = diff_between(r, 1, 6);
    for (int i = 0; i < nprimes; i++)
        prime[i] = diff_chance(r, 70) ? 2 : 3;
    int n = random_shape(r, nprimes, prime, shape);
    ix_text_put(t, "in t0 : i64");
    put_list(t, n, shape);
    ix_text_char(t, '\n');
    for (int i = 0; i < rounds; i++, at += 2) {
        put_permute(r, t, at, n, shape);
        n = random_shape(r, nprimes, prime, shape);
        ix_text_format(t, "reshape t%d", at + 2);
        put_list(t, n, shape);
        ix_text_format(t, " = t%d order %s\n", at + 1,
                       diff_chance(r, 70) ? "C" : "F");
    }
    ix_text_format(t, "out y = t%d\n", at);
}

/* x[i*2^k] of x[i*2^l] ..., which reads x[0] for small sizes. */
void
limit_slices(diff_random *r, ix_text *t)
{
    int rounds = diff_between(r, 1, 8);
    ix_text_put(t, "size n\nassume n >= 1\nin t0 : i64[n]\n");
    for (int i = 0; i < rounds; i++) {
        int k = diff_between(r, 0, 24);
        ix_text_format(t,
                       "map t%d[i:n] = where(i < 1, t%d[%lld*i], t%d[i]-i)\n",
                       i + 1, i, 1ll << k, i);
    }
    ix_text_format(t, "out y = t%d\n", rounds);
}

void
limit_windows(diff_random *r, ix_text *t)
{
    int count = diff_between(r, 2, 36), a = diff_draw(r, count);
    ix_text_put(t, "size n");
    for (int i = 0; i < count; i++)
        ix_text_format(t, ", s%d", i);
    ix_text_put(t, "\n");
    for (int i = 0; i < count; i++)
        ix_text_format(t, "assume s%d <= 1\n", i);
    ix_text_format(t, "in t0 : i64[n+%d]\n", 2 * count);
    for (int i = 0; i < count; i++)
        ix_text_format(t, "map t%d[i:n+%d] = t%d[i+s%d] + t%d[i+s%d]\n", i + 1,
                       2 * (count - i - 1), i, i, i, i < a ? i : i / 2);
    ix_text_format(t, "out y = t%d\n", count);
}

/* "min(max(i+1, 0), n-1)" */
static void
put_clamp(diff_random *r, ix_text *t, const char *index, const char *size,
          int off)
{
    ix_text_format(t,
                   diff_chance(r, 50) ? "min(max(%s%+d, 0), %s-1)"
                                      : "max(min(%s%+d, %s-1), 0)",
                   index, diff_between(r, -off, off), size);
}

void
limit_clamps(diff_random *r, ix_text *t)
{
    int stages = diff_between(r, 1, 4), rank = diff_between(r, 1, 3);
    static const char *const index[] = {"i", "j", "l"};
    static const char *const size[] = {"n", "m", "k"};
    static const char *const box[] = {"i:n", "i:n, j:m", "i:n, j:m, l:k"};
    static const char *const type[] = {"n", "n, m", "n, m, k"};
    ix_text_put(t, "size n, m, k\nassume n >= 1 && m >= 1 && k >= 1\n");
    ix_text_format(t, "in t0 : i64[%s]\n", type[rank - 1]);
    for (int s = 0; s < stages; s++) {
        int reads = diff_between(r, 1, 9);
        ix_text_format(t, "map t%d[%s] = ", s + 1, box[rank - 1]);
        for (int i = 0; i < reads; i++) {
            ix_text_format(t, "%s%d*t%d[", i ? " + " : "",
                           diff_between(r, 1, 9), s);
            for (int a = 0; a < rank; a++) {
                ix_text_put(t, a ? ", " : "");
                put_clamp(r, t, index[a], size[a], 4);
            }
            ix_text_char(t, ']');
        }
        ix_text_char(t, '\n');
    }
    ix_text_format(t, "out y = t%d\n", stages);
}

void
limit_nested_clamps(diff_random *r, ix_text *t)
{
    int stages = diff_between(r, 1, 24), off = diff_between(r, 1, 3);
    ix_text_put(t, "size n, m\nassume n >= 1 && m >= 1\n"
                   "in t0 : i64[n, m]\n");
    for (int s = 0; s < stages; s++) {
        const char *i = diff_chance(r, 80) ? "i" : "2*i";
        ix_text_format(t, "map t%d[i:n, j:m] = t%d[", s + 1, s);
        put_clamp(r, t, i, "n", off);
        ix_text_put(t, ", ");
        put_clamp(r, t, diff_chance(r, 60) ? "j" : "j+i", "m", off);
        ix_text_put(t, "]\n");
    }
    ix_text_format(t, "out y = t%d\n", stages);
}

/* ---- bodies ---- */

void
limit_chains(diff_random *r, ix_text *t)
{
    int n = diff_between(r, 1, 1500), shifts = diff_draw(r, 4);
    int twice = diff_chance(r, 50) ? 90 : 0;
    ix_text_put(t, "size n\nin u : i64[I:n] halo(I:2000:2000)\n"
                   "in v : i64[I:n] halo(I:2000:2000)\nlet t0 = u\n");
    for (int i = 0; i < n; i++)
        if (diff_draw(r, 12) < shifts)
            ix_text_format(t, "let t%d = t%d[I%+d] + %d*v\n", i + 1, i,
                           diff_chance(r, 50) ? 1 : -1, diff_draw(r, 9));
        else if (diff_chance(r, twice))
            ix_text_format(t, "let t%d = t%d*3 + t%d*v\n", i + 1, i,
                           diff_draw(r, i + 1));
        else
            ix_text_format(t, "let t%d = t%d%cv\n", i + 1, i,
                           "+-*^"[diff_draw(r, 4)]);
    ix_text_format(t, "out y : i64[I:n] = t%d\n", n);
}

void
limit_scans(diff_random *r, ix_text *t)
{
    int n = diff_between(r, 1, 1200);
    ix_text_put(t, "size n\nin t0 : i64[n]\n");
    for (int i = 0; i < n; i++)
        if (diff_chance(r, 30))
            ix_text_format(t, "let t%d = t%d + t%d\n", i + 1, i,
                           diff_draw(r, i + 1));
        else
            ix_text_format(t,
                           "scan k forward t%d[k:n] : i64 = where(k == 0, "
                           "t%d[k], t%d[k-1] + t%d[k])\n",
                           i + 1, i, i + 1, diff_draw(r, i + 1));
    ix_text_format(t, "out y : i64[n] = t%d\n", n);
}

void
limit_parts(diff_random *r, ix_text *t)
{
    static const char *const length[] = {"1", "n", "m + 1", "2*n", "n + m"};
    int n = diff_between(r, 1, 300), rank = diff_between(r, 1, 2);
    int axis = diff_draw(r, rank);
    ix_text_put(t, "size n, m\n");
    for (int i = 0; i < n; i++) {
        ix_text_format(t, "in x%d : i64[%s", i,
                       axis == 0 ? length[diff_draw(r, 5)] : "n");
        if (rank > 1)
            ix_text_format(t, ", %s",
                           axis == 1 ? length[diff_draw(r, 5)] : "m");
        ix_text_put(t, "]\n");
    }
    ix_text_put(t, "out y = concat(");
    for (int i = 0; i < n; i++)
        ix_text_format(t, "%sx%d*%d", i ? ", " : "", i, diff_draw(r, 3));
    ix_text_format(t, "; axis=%d)\n", axis);
}

void
limit_nested(diff_random *r, ix_text *t)
{
    int depth = diff_between(r, 1, 240), terms = diff_between(r, 1, 6);
    ix_text_put(t, "size n\nin x : i64[n]\nmap y[i:n] = ");
    for (int s = 0; s < terms; s++) {
        ix_text_put(t, s ? " + " : "");
        for (int i = 0; i < depth; i++)
            ix_text_put(t, diff_chance(r, 70) ? "(x[i]*" : "min(i, ");
        ix_text_put(t, "3");
        for (int i = 0; i < depth; i++)
            ix_text_put(t, diff_chance(r, 50) ? "+ 0*i)" : ")");
    }
    ix_text_put(t, "\nout z = y\n");
}

/* Outputs that share a loop, each of inputs of its own. */
static void
put_wide(diff_random *r, ix_text *t)
{
    int inputs = diff_between(r, 90, 260), outputs = diff_between(r, 1, 3);
    ix_text_put(t, "size n\n");
    for (int i = 0; i < inputs * outputs; i++)
        ix_text_format(t, "in x%d : i64[n]\n", i);
    for (int k = 0; k < outputs; k++) {
        ix_text_format(t, "out y%d : i64[n] = 1", k);
        for (int i = 0; i < inputs; i++)
            ix_text_format(t, " + x%d", k * inputs + i);
        ix_text_char(t, '\n');
    }
}

void
limit_operands(diff_random *r, ix_text *t)
{
    if (diff_chance(r, 20)) {
        put_wide(r, t);
        return;
    }
    int inputs = diff_between(r, 1, 120), uses = diff_between(r, 1, 300);
    ix_text_put(t, "size n\n");
    for (int i = 0; i < inputs; i++)
        ix_text_format(t, "in x%d : i64[I:n] halo(I:1:1)\n", i);
    ix_text_put(t, "let t0 = x0\n");
    for (int i = 0; i < uses; i++)
        ix_text_format(t, "let t%d = t%d*3 + x%d[I%+d]\n", i + 1, i,
                       diff_draw(r, inputs), diff_between(r, -1, 1));
    ix_text_format(t, "out y : i64[I:n] = t%d\n", uses);
}

/* ---- labels and reduction indices ---- */

void
limit_einsums(diff_random *r, ix_text *t)
{
    int operands = diff_between(r, 2, 6), next = 0, rank[6], label[6][8];
    int result[48], nresult = 0;
    for (int i = 0; i < operands; i++) {
        rank[i] = diff_between(r, 1, 5);
        ix_text_format(t, "in x%d : i64[", i);
        for (int k = 0; k < rank[i]; k++) {
            bool old = next > 0 && diff_chance(r, 30);
            label[i][k] = old ? diff_draw(r, next) : next++;
            for (int q = 0; q < k; q++)
                if (label[i][q] == label[i][k])
                    label[i][k] = next++;
            bool kept = label[i][k] == next - 1 && !old && diff_chance(r, 30);
            if (kept && nresult < 6)
                result[nresult++] = label[i][k];
            ix_text_put(t, k ? ", 2" : "2");
        }
        ix_text_put(t, "]\n");
    }
    ix_text_put(t, "einsum y[");
    for (int k = 0; k < nresult; k++)
        ix_text_format(t, k ? ", _%d" : "_%d", result[k]);
    ix_text_put(t, "] = ");
    for (int i = 0; i < operands; i++) {
        ix_text_format(t, i ? "*x%d[" : "x%d[", i);
        for (int k = 0; k < rank[i]; k++)
            ix_text_format(t, k ? ", _%d" : "_%d", label[i][k]);
        ix_text_char(t, ']');
    }
    ix_text_put(t, "\nout z = y\n");
}

void
limit_reductions(diff_random *r, ix_text *t)
{
    int depth = diff_between(r, 1, 17);
    ix_text_put(t, "size n\nin x : i64[n+20]\nmap y[i:n] = ");
    for (int i = 0; i < depth; i++)
        ix_text_format(t, "(%d*x[i] + %s[s%d:%d](", diff_draw(r, 5),
                       diff_chance(r, 70) ? "sum" : "max", i,
                       diff_between(r, 1, 2));
    ix_text_put(t, "x[i");
    for (int i = 0; i < depth; i++)
        if (diff_chance(r, 70))
            ix_text_format(t, "+s%d", i);
    ix_text_put(t, "]");
    for (int i = 0; i < depth; i++)
        ix_text_put(t, "))");
    ix_text_put(t, "\nout z = y\n");
}
