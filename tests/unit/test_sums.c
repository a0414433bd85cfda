/* SPDX-License-Identifier: MIT
 *
 * The order in which sums are formed, pinned on numbers where it matters: every
 * back end, with one to three threads, gives the bits of loops written here
 * from the definition (doc/ilx.md), and other orders give other bits.
 */
#include "tests/unit/sums_fixture.h"

/* ---- sums of one array ---- */

/* Sums over the last axis of x in this order. */
static numbers
row_sums(const numbers *x, order how)
{
    int64_t n = x->n[x->rank - 1], rows = n ? count(x) / n : 0;
    numbers z = make(x->rank - 1, x->n[0], 0, 0);
    term *v = calloc((size_t)n + 1, sizeof *v);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < n; j++)
            v[j].x = x->v[i * n + j];
        z.v[i] = summed(v, n, 1, how);
    }
    free(v);
    return z;
}

static void
check_rows(const char *statements, int rank, int64_t rows, int64_t n, order how)
{
    numbers x = rank == 2 ? noise(2, rows, n, 0) : noise(1, n, 0, 0);
    numbers want = row_sums(&x, how),
            other = row_sums(&x, how == LANES ? ONE_LANE : LANES);
    check_differ(&want, &other);
    free(other.v);
    check_everywhere(statements, &x, 1, &want);
}

/* A length that is known and shorter than the lanes: one lane, but only where
 * the result has an axis. */
START_TEST(short_rows)
{
    static const char known[] = "size n\nin a : T[n, %d]\n"
                                "out z : T[n] = sum[1](a)\n";
    char text[200];
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        const int lengths[] = {
            3, 4, 5, single ? 63 : 31, single ? 64 : 32, single ? 65 : 33};
        for (size_t i = 0; i < IX_COUNT(lengths); i++) {
            snprintf(text, sizeof text, known, lengths[i]);
            check_rows(text, 2, 37, lengths[i], i < 4 ? ONE_LANE : LANES);
        }
        check_rows("size n, m\nin a : T[n, m]\nout z : T[n] = sum[1](a)\n", 2,
                   37, 3, LANES);
        check_rows("in a : T[23]\nout z : T = sum[0](a)\n", 1, 0, 23, LANES);
    }
}
END_TEST

/* Rows of several chunks. */
START_TEST(long_rows)
{
    single = false;
    check_rows("size n, m\nin a : T[n, m]\nout z : T[n] = sum[1](a)\n", 2, 3,
               7 * CHUNK + 5, LANES);
    check_rows("in a : T[2, 9000]\nout z : T[2] = sum[1](a)\n", 2, 2, 9000,
               LANES);
}
END_TEST

/* A whole array: its chunks are shared by threads. */
START_TEST(whole_arrays)
{
    const int64_t lengths[] = {CHUNK - 1,     CHUNK,     CHUNK + 1,
                               3 * CHUNK + 1, 4 * CHUNK, 7 * CHUNK + 5};
    char text[200];
    for (size_t i = 0; i < IX_COUNT(lengths); i++) {
        single = i % 2 == 1;
        check_rows("size n\nin a : T[n]\nout z : T = sum[0](a)\n", 1, 0,
                   lengths[i], LANES);
        snprintf(text, sizeof text, "in a : T[%d]\nout z : T = sum[0](a)\n",
                 (int)lengths[i]);
        check_rows(text, 1, 0, lengths[i], LANES);
    }
}
END_TEST

/* Columns, and rows of rows: 256 at a time. */
enum { NL = 70 };

START_TEST(columns)
{
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        numbers x = noise(2, 5 * SHORT + 3, NL, 0), want = make(1, NL, 0, 0),
                other = make(1, NL, 0, 0);
        term v[5 * SHORT + 3] = {{0}};
        for (int64_t l = 0; l < NL; l++) {
            for (int64_t j = 0; j < x.n[0]; j++)
                v[j].x = at(&x, j, l, 0);
            want.v[l] = summed(v, x.n[0], 1, ONE_LANE);
            other.v[l] = summed(v, x.n[0], 1, CHAIN);
        }
        check_differ(&want, &other);
        free(other.v);
        check_everywhere("size n, m\nin a : T[n, m]\n"
                         "out z : T[m] = sum[0](a)\n",
                         &x, 1, &want);
        numbers y = noise(2, 2 * SHORT + 9, 40, 0), sum = make(0, 0, 0, 0);
        term *w = calloc((size_t)count(&y), sizeof *w);
        for (int64_t i = 0; i < count(&y); i++)
            w[i].x = y.v[i];
        sum.v[0] = summed(w, y.n[0], 40, LANES);
        free(w);
        check_everywhere("size n, m\nin a : T[n, m]\nout z : T = sum(a)\n", &y,
                         1, &sum);
    }
}
END_TEST

/* ---- cumulative sums and products ---- */

static double
combined(double a, double b, bool product)
{
    return product ? rounded(a * b) : plus(a, b);
}

/* Of "n" levels that are "step" elements apart. */
static void
cumulate(const double *x, double *y, int64_t n, int64_t step, bool product)
{
    double before = 0, local = 0;
    for (int64_t k = 0; k < n; k++, x += step, y += step) {
        bool first = k % CHUNK == 0;
        if (first && k > 0)
            before = k == CHUNK ? local : combined(before, local, product);
        local = first ? *x : combined(local, *x, product);
        *y = k < CHUNK ? local : combined(before, local, product);
    }
}

/* The same for each row of a matrix, or each column, both ways. */
static numbers
cumulated(const numbers *x, int axis, bool reverse, bool product)
{
    numbers y = make(2, x->n[0], x->n[1], 0);
    int64_t n = x->n[axis], step = axis ? 1 : x->n[1];
    int64_t row = axis ? x->n[1] : 1;
    for (int64_t i = 0; i < x->n[1 - axis]; i++) {
        int64_t first = i * row + (reverse ? (n - 1) * step : 0);
        cumulate(x->v + first, y.v + first, n, reverse ? -step : step, product);
    }
    return y;
}

/* Numbers whose products are no infinities. */
static numbers
near_one(int64_t n0, int64_t n1)
{
    numbers x = noise(2, n0, n1, 0);
    for (int64_t i = 0; i < count(&x); i++)
        x.v[i] = rounded(1.0 + x.v[i] / 65536);
    return x;
}

START_TEST(scans)
{
    char text[200];
    for (int i = 0; i < 8; i++) {
        int axis = i % 2, reverse = i / 2 % 2, product = i / 4;
        int64_t n = 3 * CHUNK + (i % 3 ? 5 : 0);
        single = i % 3 == 1;
        numbers x = axis ? near_one(2, n) : near_one(n, 3);
        numbers want = cumulated(&x, axis, reverse, product);
        snprintf(text, sizeof text,
                 "size n, m\nin a : T[n, m]\nout z : T[n, m] = "
                 "%s(a; axis=%d, reverse=%d)\n",
                 product ? "cumprod" : "cumsum", axis, reverse);
        check_everywhere(text, &x, 1, &want);
    }
}
END_TEST

/* Of a length that is a difference of sizes: how many chunks there may be is
 * known, how many there are is not. */
START_TEST(scans_of_parts)
{
    enum { AHEAD = 5, LEVELS = 2 * CHUNK + 9 };
    single = false;
    for (int reverse = 0; reverse < 2; reverse++) {
        numbers in[2] = {noise(1, AHEAD + LEVELS, 0, 0), noise(1, AHEAD, 0, 0)};
        numbers rest = {2, {LEVELS, 1}, in[0].v + AHEAD};
        numbers want = cumulated(&rest, 0, reverse, false);
        want.rank = 1;
        check_everywhere(reverse
                             ? "size n, m\nassume m <= n\nin a : T[n]\n"
                               "in b : T[m]\n"
                               "out z : T[n-m] = cumsum(a[m:]; reverse=1)\n"
                             : "size n, m\nassume m <= n\nin a : T[n]\n"
                               "in b : T[m]\nout z : T[n-m] = cumsum(a[m:])\n",
                         in, 2, &want);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("sums", short_rows, long_rows, whole_arrays, columns,
                     scans, scans_of_parts);
}
