/* SPDX-License-Identifier: MIT
 *
 * Pass lower: only lambdas remain; reshapes in C and Fortran order, slices,
 * permutations and einsums against loops that say what they mean.
 */
#include "tests/unit/graph_fixture.h"

enum { MOST = 6 };

/* ---- shapes ---- */

typedef struct shape {
    int rank;
    int64_t n[MOST];
} shape;

/* A random way to write "count" as a product, with ones in between. */
static shape
random_shape(int64_t count)
{
    shape s = {0, {0}};
    while (s.rank < MOST - 1 && (count > 1 || draw(0, 3) == 0)) {
        int64_t d = draw(1, count);
        while (count % d)
            d--;
        s.n[s.rank++] = d;
        count /= d;
    }
    if (count > 1 || s.rank == 0)
        s.n[s.rank++] = count;
    return s;
}

static void
put_shape(char *text, const shape *s)
{
    text[0] = 0;
    for (int k = 0; k < s->rank; k++)
        sprintf(text + strlen(text), "%s%d", k ? ", " : "", (int)s->n[k]);
}

/* Number of an index in order "F" or "C". */
static int64_t
place(const shape *s, const int64_t *index, char order)
{
    int64_t at = 0;
    for (int i = 0; i < s->rank; i++) {
        int k = order == 'C' ? i : s->rank - 1 - i;
        at = at * s->n[k] + index[k];
    }
    return at;
}

/* The next index in C order; false after the last one. */
static bool
advance(const shape *s, int64_t *index)
{
    int k = s->rank - 1;
    while (k >= 0 && ++index[k] == s->n[k])
        index[k--] = 0;
    return k >= 0;
}

/* The array x, whose element is its number in C order, under "statement". */
static ilex_storage *
apply(const char *dom, ilex_storage *x, const char *statement, const char *out,
      const shape *result)
{
    char text[600];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n\nin x : i64[%s]\n%s\n"
             "out z : i64[%s] = y\n",
             dom, statement, out);
    ilex_program *p = compile(text);
    ilex_storage *z =
        ilex_storage_full(ctx, ILEX_I64, result->rank, result->n, -1);
    run_program(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("z", z)}, 2);
    ilex_program_release(p);
    return z;
}

/* ---- reshape ---- */

static void
check_reshape(const shape *from, const shape *to, const char *dom,
              const char *out, char order)
{
    char statement[200];
    int64_t i[MOST] = {0}, where[256];
    ilex_storage *x = counting(from->rank, from->n);
    snprintf(statement, sizeof statement, "reshape y[%s] = x order %c", out,
             order);
    ilex_storage *z = apply(dom, x, statement, out, to);
    do
        where[place(from, i, order)] = place(from, i, 'C');
    while (advance(from, i));
    memset(i, 0, sizeof i);
    do {
        int64_t v = 0;
        ck_assert_int_eq(ilex_storage_get_i64(z, i, &v), ILEX_OK);
        ck_assert_msg(v == where[place(to, i, order)], "[%s] to [%s] %c", dom,
                      out, order);
    } while (advance(to, i));
    ilex_storage_release(x);
    ilex_storage_release(z);
}

START_TEST(reshapes)
{
    static const int64_t counts[] = {1, 7, 12, 24, 36, 60, 96, 210};
    for (int i = 0; i < 120; i++) {
        char dom[80], out[80];
        int64_t count = counts[draw(0, 7)];
        shape from = random_shape(count), to = random_shape(count);
        put_shape(dom, &from);
        put_shape(out, &to);
        check_reshape(&from, &to, dom, out, draw(0, 1) ? 'C' : 'F');
    }
}
END_TEST

/* Symbolic lengths: the slowest axis of a group, which order decides. */
static const struct {
    const char *from, *to;
    shape a, b; /* for n = 3 */
    char order;
} symbolic[] = {
    {"n, 4, 6", "n, 24", {3, {3, 4, 6}}, {2, {3, 24}}, 'C'},
    {"n, 24", "2*n, 12", {2, {3, 24}}, {2, {6, 12}}, 'C'},
    {"8*n", "n, 8", {1, {24}}, {2, {3, 8}}, 'C'},
    {"n, 8", "8*n", {2, {3, 8}}, {1, {24}}, 'C'},
    {"8*n", "8, n", {1, {24}}, {2, {8, 3}}, 'F'},
    {"4, 6, n", "24, n", {3, {4, 6, 3}}, {2, {24, 3}}, 'F'},
    {"5, n, 2", "5, 2*n", {3, {5, 3, 2}}, {2, {5, 6}}, 'C'},
    {"1, n, 1", "n", {3, {1, 3, 1}}, {1, {3}}, 'C'},
};

START_TEST(symbolic_reshapes)
{
    for (size_t i = 0; i < sizeof symbolic / sizeof *symbolic; i++)
        check_reshape(&symbolic[i].a, &symbolic[i].b, symbolic[i].from,
                      symbolic[i].to, symbolic[i].order);
}
END_TEST

/* Without elements any shape without elements will do, as in NumPy. */
START_TEST(empty_reshapes)
{
    static const char *const reshape[] = {
        "in x : i64[0, 4]\nreshape y[2, 0] = x\n",
        "in x : i64[n, 0]\nreshape y[0, 3, m] = x order F\n",
        "in x : i64[3, 0]\nreshape y[0] = x\n"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n, m\n%sout z = sum[0](y)\n",
                 reshape[i]);
        ilex_program_release(compile(text));
    }
}
END_TEST

/* ---- permute, slice ---- */

START_TEST(permutes)
{
    const shape result = {3, {4, 2, 3}};
    ilex_storage *x = counting(3, SHAPE(2, 3, 4));
    ilex_storage *z = apply("2, 3, 4", x, "node y = permute(x; axes=[2, 0, 1])",
                            "4, 2, 3", &result);
    int64_t i[MOST] = {0}, v = 0;
    do {
        ck_assert_int_eq(ilex_storage_get_i64(z, i, &v), ILEX_OK);
        ck_assert_int_eq(v, i[1] * 12 + i[2] * 4 + i[0]);
    } while (advance(&result, i));
    ilex_storage_release(x);
    ilex_storage_release(z);
}
END_TEST

/* y(i) = x(start + step*i) as Python's x[start:stop:step]. */
START_TEST(slices)
{
    for (int i = 0; i < 100; i++) {
        int64_t start = draw(0, 9), step = draw(1, 4);
        int64_t stop = step > 0 ? draw(start, 10) : draw(-1, start);
        if (draw(0, 1)) {
            stop = draw(-1, start);
            step = -step;
        }
        int64_t span = stop - start;
        int64_t count =
            span == 0 ? 0 : (span - (step > 0) + (step < 0)) / step + 1;
        char statement[120], out[24];
        snprintf(statement, sizeof statement,
                 "node y = slice(x; start=[%d], stop=[%d], step=[%d])",
                 (int)start, (int)stop, (int)step);
        snprintf(out, sizeof out, "%d", (int)count);
        ilex_storage *x = counting(1, SHAPE(10));
        ilex_storage *z = apply("10", x, statement, out, &(shape){1, {count}});
        const int64_t *v = ilex_storage_const_data(z);
        for (int64_t k = 0; k < count; k++)
            ck_assert_int_eq(v[k], start + step * k);
        ilex_storage_release(x);
        ilex_storage_release(z);
    }
}
END_TEST

/* y(i) = x(i - by), round the ends: "domain" is x's, which starts at "low" and
 * has "count" elements, "length" at n = 5 and k = 3; "by" is "shift" there. */
static const struct {
    const char *sizes, *count, *domain, *low, *axis, *by;
    int length, shift;
} rolled[] = {
    {"", "7", "7", "0", "0", "3", 7, 3},
    {"", "7", "7", "0", "-1", "-3", 7, -3},
    {"", "7", "7", "0", "0", "1000000000007", 7, 1},
    {"", "7", "7", "0", "0", "-9", 7, -9},
    {"", "1", "1", "0", "0", "5", 1, 0},
    {"", "0", "0", "0", "0", "5", 0, 0},
    {"", "7", "7", "0", "0", "k", 7, 3},
    {"", "7", "7", "0", "0", "1 - 9*k", 7, -26},
    {"", "7", "I:-2:5", "-2", "I", "k - 100", 7, -97},
    {"", "7", "I:-2:5", "-2", "I", "2", 7, 2},
    {"", "n", "n", "0", "0", "1", 5, 1},
    {"", "n", "n", "0", "0", "-1", 5, -1},
    {"", "n", "n", "0", "0", "8", 5, 8},
    {"", "n", "n", "0", "0", "-7", 5, -7},
    {"", "n", "n", "0", "0", "3*n + 1", 5, 1},
    {"", "n", "n", "0", "0", "n - 1", 5, 4},
    {"assume n >= 4\n", "n", "n", "0", "0", "13", 5, 13},
    {"assume k <= n\n", "n", "n", "0", "0", "k", 5, 3},
    {"assume k <= n\n", "n", "n", "0", "0", "-k", 5, -3},
    {"assume k <= 2*n\n", "n", "n", "0", "0", "k + n", 5, 3},
    {"", "2*n", "I:-1:2*n - 1", "-1", "I", "3", 10, 3},
    {"assume k <= n\n", "n", "I:k:n + k", "k", "I", "-k", 5, -3},
};

static void
check_roll(int row)
{
    int length = rolled[row].length, shift = rolled[row].shift;
    const char *dom = rolled[row].domain, *low = rolled[row].low;
    const char *count = rolled[row].count;
    char text[500];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, k\n%sin x : i64[%s]\n"
             "in s : i64[n]\nin t : i64[k]\ndomain d = [%s]\n"
             "map r on d = x[_0 - (%s)]\n"
             "node y = roll(r; axis=%s, by=%s)\nmap v[%s] = y[_0 + %s]\n"
             "out z : i64[%s] = v\nout q : i64 = sum[0](s) + sum[0](t)\n",
             rolled[row].sizes, count, dom, low, rolled[row].axis,
             rolled[row].by, count, low, count);
    ilex_storage *all[] = {counting(1, SHAPE(length)), counting(1, SHAPE(5)),
                           counting(1, SHAPE(3)), counting(1, SHAPE(length)),
                           ilex_storage_full(ctx, ILEX_I64, 0, NULL, 0)};
    ilex_binding bindings[] = {ILEX_BIND("x", all[0]), ILEX_BIND("s", all[1]),
                               ILEX_BIND("t", all[2]), ILEX_BIND("z", all[3]),
                               ILEX_BIND("q", all[4])};
    ilex_program *p = compile(text);
    run_program(p, bindings, 5);
    const int64_t *v = ilex_storage_const_data(all[3]);
    for (int i = 0; i < length; i++)
        ck_assert_msg(v[i] == ix_floormod(i - shift, length), "%s[%d]", text,
                      i);
    ilex_program_release(p);
    for (int i = 0; i < 5; i++)
        ilex_storage_release(all[i]);
}

START_TEST(rolls)
{
    for (size_t i = 0; i < IX_COUNT(rolled); i++)
        check_roll((int)i);
}
END_TEST

/* ---- einsum ---- */

static int64_t
element(const ilex_storage *s, int64_t i, int64_t j)
{
    int64_t v = 0;
    ck_assert_int_eq(ilex_storage_get_i64(s, SHAPE(i, j), &v), ILEX_OK);
    return v;
}

START_TEST(einsums)
{
    ilex_storage *x = counting(2, SHAPE(3, 3));
    ilex_storage *z =
        apply("n, n", x, "einsum y[i, k] = x[i, j]*x[k, j]*x[j, j]", "n, n",
              &(shape){2, {3, 3}});
    for (int64_t i = 0; i < 3; i++)
        for (int64_t k = 0; k < 3; k++) {
            int64_t sum = 0;
            for (int64_t j = 0; j < 3; j++)
                sum += element(x, i, j) * element(x, k, j) * element(x, j, j);
            ck_assert_int_eq(element(z, i, k), sum);
        }
    ilex_storage_release(x);
    ilex_storage_release(z);
}
END_TEST

/* ---- what remains ---- */

START_TEST(only_lambdas)
{
    ix_unit u;
    run_passes(&u,
               parse("ilex 1\nprogram p\nsize n\nassume n >= 1\n"
                     "in x : f64[n, 4]\nreshape r[4*n] = x\nnode t = "
                     "permute(x; axes=[1, 0])\n"
                     "node s = slice(r; start=[1], stop=[4*n])\n"
                     "einsum e[i, j] = x[i, k]*t[k, j]*x[i, k]\n"
                     "assume n >= 1\n"
                     "out a : f64[n, n] = e\nout b : f64[4*n-1] = s\n"
                     "assume n >= 1\n"),
               "lower");
    for (size_t i = 0; i < u.norder; i++)
        ck_assert(u.order[i]->kind == IX_LAMBDA ||
                  u.order[i]->kind == IX_INPUT);
    free_unit(&u);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("lower", reshapes, symbolic_reshapes, empty_reshapes,
                     permutes, slices, rolls, einsums, only_lambdas);
}
