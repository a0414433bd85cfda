/* SPDX-License-Identifier: MIT
 *
 * Scalar semantics against the golden files promote, scalar_unary,
 * scalar_binary and cast: type rules, values, conversions. The directory is
 * the first argument, or ILEX_GOLDEN_DIR, or tests/golden/data. Rows of class
 * "undefined" are held to Ilex's own rule where it has one, else skipped.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "lib/ops/op.h"
#include "tests/suite.h"

static char golden_dir[768];

/* NumPy has no bf16; f16 is in test_half. */
enum { DTYPES = ILEX_C128 + 1, MAX_COLUMNS = 3 + DTYPES, MAX_LINE = 4096 };

typedef struct tally {
    int rows, passed, skipped, failed;
} tally;

/* ---- reading ---- */

/* Splits "line" at tabs into "columns"; returns their number. */
static int
split(char *line, char **columns)
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line; p && n < MAX_COLUMNS; n++) {
        columns[n] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = 0;
    }
    return n;
}

/* NumPy's name of a dtype ("float64") as ours; ILEX_NDTYPES if it is none. */
static ilex_dtype
dtype_of(const char *name)
{
    static const char kinds[][2][8] = {
        {"uint", "u"}, {"int", "i"}, {"float", "f"}, {"complex", "c"}};
    char text[16];
    ilex_dtype dtype;
    snprintf(text, sizeof text, "%s", name);
    for (size_t k = 0; k < IX_COUNT(kinds); k++)
        if (strncmp(name, kinds[k][0], strlen(kinds[k][0])) == 0) {
            snprintf(text, sizeof text, "%s%s", kinds[k][1],
                     name + strlen(kinds[k][0]));
            break;
        }
    return ix_dtype_find(text, strlen(text), &dtype) ? dtype : ILEX_NDTYPES;
}

/* The value written as "text". */
static ix_value
value_of(ilex_dtype dtype, const char *text)
{
    ix_value v = {.u = 0};
    char *end = NULL;
    switch (ix_dtype_kind(dtype)) {
    case 'f':
        v.f = strtod(text, NULL);
        break;
    case 'c':
        v.f = strtod(text, &end);
        v.im = strtod(end + 1, NULL);
        break;
    case 'i':
        v.i = strtoll(text, NULL, 10);
        break;
    default:
        v.u = strtoull(text, NULL, 10);
        break;
    }
    return v;
}

/* ---- comparing ---- */

/* Distance from |x| to the next larger number of dtype "part". */
static double
ulp(ilex_dtype part, double x)
{
    int exponent = 0, digits = part == ILEX_F32 ? 24 : 53;
    int smallest = part == ILEX_F32 ? -149 : -1074;
    (void)frexp(x, &exponent);
    int e = isfinite(x) && x != 0 ? exponent - digits : smallest;
    return ldexp(1, e < smallest ? smallest : e);
}

/* Whether "got" is "want" within "n" units "u"; NaN and infinities exactly. */
static bool
close_double(double got, double want, double n, double u)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return !(want < got) && !(want > got);
    return fabs(got - want) <= n * u;
}

/* Whether "got" is "want" under the tolerance class "tol". */
static bool
agrees(ilex_dtype dtype, ix_value got, ix_value want, const char *tol)
{
    ilex_dtype part = ix_dtype_part(dtype);
    if (strcmp(tol, "exact") == 0)
        return ix_value_same(dtype, got, want);
    double n = atof(tol + strlen("ulp"));
    double u = ulp(part, fmax(fabs(want.f), fabs(want.im)));
    return close_double(got.f, want.f, n, u) &&
           close_double(got.im, want.im, n, u);
}

/* ---- rules of ours where NumPy has none ---- */

/* The smallest or largest integer of "dtype". */
static ix_value
limit(ilex_dtype dtype, bool largest)
{
    size_t bits = 8 * ilex_dtype_bytes(dtype);
    ix_value v = {.u = 0};
    if (ix_dtype_kind(dtype) == 'u')
        v.u = largest ? UINT64_MAX >> (64 - bits) : 0;
    else
        v.i = largest ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits);
    return v;
}

/* An integer "x" to a negative power "y". */
static int64_t
inverse_power(int64_t x, int64_t y)
{
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
}

/* Sets "want" to what Ilex defines for a row that NumPy leaves undefined;
 * "a", "b" are operands of dtype "loop". False: nothing is defined. */
static bool
our_rule(const char *op, const char *note, ilex_dtype loop, ix_value a,
         ix_value b, ix_value *want)
{
    if (strcmp(note, "shift_range") == 0)
        return true;
    if (strcmp(note, "int_div_zero") == 0)
        want->u = 0;
    else if (strcmp(note, "np1_sign") == 0)
        return !isfinite(a.f) || !isfinite(a.im);
    else if (strcmp(note, "int_min_div_m1") == 0)
        want->i = strcmp(op, "floor_divide") == 0 ? limit(loop, false).i : 0;
    else if (strcmp(note, "int_neg_pow") == 0)
        want->i = inverse_power(a.i, b.i);
    else
        return false;
    return true;
}

/* The same for a conversion of the real number "x" to the integers "to". */
static bool
our_cast(const char *note, ilex_dtype to, double x, ix_value *want)
{
    if (strcmp(note, "nan_to_int") != 0 && strcmp(note, "out_of_range") != 0)
        return false;
    *want = limit(to, x > 0);
    if (isnan(x))
        want->u = 0;
    return true;
}

/* ---- running ---- */

typedef void row_test(char **columns, int n, tally *t);

/* Runs "test" on each row of the golden file "name". */
static void
run_file(const char *name, row_test *test)
{
    char path[1024], line[MAX_LINE], *columns[MAX_COLUMNS];
    tally t = {0, 0, 0, 0};
    snprintf(path, sizeof path, "%s/%s.tsv", golden_dir, name);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "cannot open %s (set ILEX_GOLDEN_DIR)", path);
    while (fgets(line, sizeof line, f)) {
        int n = split(line, columns);
        if (line[0] == '#')
            continue;
        t.rows++;
        test(columns, n, &t);
    }
    fclose(f);
    t.failed = t.rows - t.passed - t.skipped;
    printf("%s: rows %d, passed %d, skipped %d, failed %d\n", name, t.rows,
           t.passed, t.skipped, t.failed);
    ck_assert_int_gt(t.passed, 0);
    ck_assert_int_eq(t.failed, 0);
}

/* Counts a row as passed, or prints it. */
static void
judge(tally *t, bool passed, char **columns, int n, ilex_dtype dtype,
      ix_value got)
{
    if (passed) {
        t->passed++;
        return;
    }
    printf("FAILED");
    for (int k = 0; k < n; k++)
        printf(" %s", columns[k]);
    if (ix_dtype_is_real(ix_dtype_part(dtype)))
        printf(": got %a,%a\n", got.f, got.im);
    else
        printf(": got %lld\n", (long long)got.i);
}

/* Evaluates "op" of "arity" on the texts "operands" of "dtypes" and compares
 * with columns result, tolerance, note, which end the row. */
static void
check_values(char **columns, int n, int arity, tally *t)
{
    ilex_dtype types[2], loop, result;
    ix_value args[2], got, want;
    ix_op op;
    char **operands = columns + 2 + arity;
    const char *tol = columns[n - 2], *note = columns[n - 1];
    bool known = ix_op_find(columns[0], strlen(columns[0]), &op);
    ck_assert_msg(known, "no operator %s", columns[0]);
    for (int k = 0; k < arity; k++)
        types[k] = dtype_of(columns[1 + k]);
    ck_assert(ix_op_type(op, types, &loop, &result));
    ck_assert_int_eq(result, dtype_of(columns[1 + arity]));
    for (int k = 0; k < arity; k++) {
        args[k] = value_of(types[k], operands[k]);
        ix_cast_eval(types[k], loop, &args[k], &args[k]);
    }
    ix_op_eval(op, loop, args, &got);
    want = value_of(result, columns[n - 3]);
    if (strcmp(tol, "undefined") == 0) {
        tol = "exact";
        if (!our_rule(columns[0], note, loop, args[0], args[arity - 1],
                      &want)) {
            t->skipped++;
            return;
        }
    }
    judge(t, agrees(result, got, want, tol), columns, n, result, got);
}

static void
check_unary(char **columns, int n, tally *t)
{
    check_values(columns, n, 1, t);
}

static void
check_binary(char **columns, int n, tally *t)
{
    check_values(columns, n, 2, t);
}

static void
check_cast(char **columns, int n, tally *t)
{
    ilex_dtype from = dtype_of(columns[0]), to = dtype_of(columns[1]);
    ix_value x = value_of(from, columns[2]), got;
    ix_value want = value_of(to, columns[3]);
    const char *tol = columns[4];
    ix_cast_eval(from, to, &x, &got);
    if (strcmp(tol, "undefined") == 0) {
        tol = "exact";
        if (!our_cast(columns[5], to, x.f, &want)) {
            t->skipped++;
            return;
        }
    }
    judge(t, agrees(to, got, want, tol), columns, n, to, got);
}

/* Whether result dtype "want" (or "error") is what `where` or an operator or
 * a reduction called "name" gives for "types". */
static bool
type_agrees(const char *kind, const char *name, const ilex_dtype *types,
            const char *want)
{
    ilex_dtype expected = dtype_of(want), loop, result = ILEX_NDTYPES;
    ix_reduction r;
    ix_op op;
    if (strcmp(kind, "reduce") == 0) {
        ck_assert(ix_reduction_find(name, strlen(name), &r));
        ck_assert(ix_reduction_type(r, types[0], &loop, &result));
        return result == expected;
    }
    if (strcmp(kind, "result_type") == 0)
        return ilex_dtype_promote(types[0], types[1]) == expected;
    ck_assert(ix_op_find(name, strlen(name), &op));
    if (op == IX_OP_WHERE) {
        ilex_dtype three[] = {ILEX_BOOL, types[0], types[1]};
        return ix_op_type(op, three, &loop, &result) && result == expected;
    }
    return ix_op_type(op, types, &loop, &result) ? result == expected
                                                 : expected == ILEX_NDTYPES;
}

/* A row of promote.tsv: one result for each dtype of the last operand. */
static void
check_promote(char **columns, int n, tally *t)
{
    ix_value none = {.u = 0};
    bool ours = strcmp(columns[0], "struct") || !strcmp(columns[1], "where");
    ck_assert_int_eq(n, 3 + DTYPES);
    t->rows += DTYPES - 1;
    for (int i = 0; i < DTYPES; i++) {
        ilex_dtype types[] = {(ilex_dtype)i, (ilex_dtype)i};
        char *cell[] = {columns[0], columns[1], columns[2], columns[3 + i]};
        if (strcmp(columns[2], "-"))
            types[0] = dtype_of(columns[2]);
        if (ours)
            judge(t, type_agrees(cell[0], cell[1], types, cell[3]), cell, 4,
                  ILEX_I64, none);
        else
            t->skipped++;
    }
}

START_TEST(golden_promote)
{
    run_file("promote", check_promote);
}
END_TEST

START_TEST(golden_unary)
{
    run_file("scalar_unary", check_unary);
}
END_TEST

START_TEST(golden_binary)
{
    run_file("scalar_binary", check_binary);
}
END_TEST

START_TEST(golden_cast)
{
    run_file("cast", check_cast);
}
END_TEST

/* Sets "golden_dir" from the argument, the environment or the sources. */
static void
find_golden(int argc, char **argv)
{
    const char *named = argc > 1 ? argv[1] : getenv("ILEX_GOLDEN_DIR");
    const char *top = getenv("srcdir");
    if (named)
        snprintf(golden_dir, sizeof golden_dir, "%s", named);
    else
        snprintf(golden_dir, sizeof golden_dir, "%s/tests/golden/data",
                 top ? top : ".");
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("op");
    TCase *tests = tcase_create("golden");
    find_golden(argc, argv);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, golden_promote);
    tcase_add_test(tests, golden_unary);
    tcase_add_test(tests, golden_binary);
    tcase_add_test(tests, golden_cast);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
