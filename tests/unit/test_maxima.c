/* SPDX-License-Identifier: MIT
 *
 * Maxima and minima in lanes, with registers for NaNs beside them: wherever a
 * NaN stands, the result is one; which zero it is, of many, the reference says.
 * In the third program other statements read and write lanes, too.
 */
#include <math.h>

#include "tests/unit/graph_fixture.h"

enum { ROWS = 2, PROGRAMS = 4 };

static const char text[] =
    "ilex 1\nprogram p\nsize n, m\nassume m >= 1\n"
    "in x : f64[i:n, j:m]\nin y : f32[i:n, j:m]\n"
    "out a : f64[i:n] = max[j](x)\nout b : f64[i:n] = min[j](x)\n"
    "out c : f32[i:n] = max[j](y)\nout d : f32[i:n] = min[j](y)\n";

static ilex_program *
compile_by(const char *jit, const char *schedule)
{
    if (ilex_option_set(ctx, "jit", jit))
        return NULL;
    ck_assert(!ilex_option_set(ctx, "target", "avx512"));
    ck_assert(!ilex_option_set(ctx, "schedule", schedule));
    return compile(text);
}

/* One row of x and y: zeros of both signs, and "value" at "at". */
static void
fill(ilex_storage *x, ilex_storage *y, int64_t m, double sign, int64_t at,
     double value)
{
    double *p = ilex_storage_data(x);
    float *q = ilex_storage_data(y);
    for (int64_t i = 0; i < ROWS * m; i++)
        p[i] = draw(0, 1) ? (double)draw(0, 9) * sign : draw(0, 1) ? 0.0 : -0.0;
    p[m + at] = value;
    for (int64_t i = 0; i < ROWS * m; i++)
        q[i] = (float)p[i];
}

/* Results as numbers with a sign; of NaNs none. */
static void
results(const ilex_program *p, ilex_storage *x, ilex_storage *y, double *v)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    ilex_storage *s[4];
    ilex_binding bound[6] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    for (int k = 0; k < 4; k++) {
        s[k] = ilex_storage_zeros(ctx, k < 2 ? ILEX_F64 : ILEX_F32, 1,
                                  SHAPE(ROWS));
        bound[2 + k] = (ilex_binding)ILEX_BIND(names[k], s[k]);
    }
    run_program(p, bound, 6);
    for (int k = 0; k < 4; k++) {
        for (int64_t i = 0; i < ROWS; i++)
            ck_assert(!ilex_storage_get_f64(s[k], &i, v++));
        ilex_storage_release(s[k]);
    }
}

static void
compare(ilex_program *const *p, int64_t m, double sign, int64_t at,
        double value)
{
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(ROWS, m)),
                 *y = ilex_storage_zeros(ctx, ILEX_F32, 2, SHAPE(ROWS, m));
    double want[4 * ROWS], got[4 * ROWS];
    fill(x, y, m, sign, at, value);
    results(p[0], x, y, want);
    for (int j = 1; j < PROGRAMS; j++) {
        if (!p[j])
            continue;
        results(p[j], x, y, got);
        for (int k = 0; k < 4 * ROWS; k++)
            ck_assert_msg(
                isnan(want[k]) ? isnan(got[k])
                               : want[k] == got[k] &&
                                     !signbit(want[k]) == !signbit(got[k]),
                "m %lld, %g at %lld: result %d of %d is %g, not %g",
                (long long)m, value, (long long)at, k, j, got[k], want[k]);
    }
    for (int k = 0; k < 4; k++)
        ck_assert(!isnan(value) == !isnan(want[ROWS * k + 1]));
    ilex_storage_release(x);
    ilex_storage_release(y);
}

START_TEST(rows)
{
    static const int64_t lengths[] = {1, 31, 64, 67, 200, 4096, 4100, 8200};
    ilex_program *p[PROGRAMS] = {
        compile_by("reference", "auto"), compile_by("cc", "auto"),
        compile_by("cc", "kernel k0:\n    stage l3 at r0.w update\n"),
        compile_by("tcc", "auto")};
    for (size_t i = 0; i < IX_COUNT(lengths); i++)
        for (int k = 0; k < 12; k++) {
            int64_t m = lengths[i], at = k ? draw(0, (int)m - 1) : m - 1;
            double value = k % 3 == 0   ? NAN
                           : k % 3 == 1 ? INFINITY
                                        : copysign(0.0, k - 6);
            compare(p, m, k % 2 ? 1.0 : -1.0, at, value);
        }
    for (int j = 0; j < PROGRAMS; j++)
        ilex_program_release(p[j]);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("maxima", rows);
}
