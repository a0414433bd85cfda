/* SPDX-License-Identifier: MIT
 *
 * Reductions. The order in which a sum is taken is fixed: the result has the
 * same bits on every back end and for any number of threads, which is shown
 * here with a sum that is all rounding errors.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 7, COLUMNS = 20000 };
static double x[ROWS][COLUMNS];

/* Row means, the total and the place of the maximum, as one program. */
static ilex_program *
compile(ilex_context *ctx, const char *jit)
{
    static const char *const names[] = {"means", "total", "where"};
    ilex_array *a = ilex_input(ctx, "x", ILEX_F64, "m, n");
    ilex_array *outputs[] = {ilex_mean(a, "1", 0), ilex_sum(a, NULL, 0),
                             ilex_argmax(a, NULL, 0)};
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_assume(ctx, "m >= 1 && n >= 1");
    ilex_option_set(ctx, "jit", jit);
    ilex_program *p = ilex_compile(ctx, 3, outputs, &spec);
    if (!p)
        printf("%-10s %s\n", jit, ilex_error_text(ctx));
    ilex_error_clear(ctx);
    return p;
}

int
main(void)
{
    static const char *const backends[] = {"reference", "tcc", "cc"};
    double exact = 0, means[ROWS], total = 0, first = 0;
    int64_t where = 0, shape[] = {ROWS, COLUMNS}, rows = ROWS;
    int runs = 0, wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            exact += x[i][j] = 1 / (1.0 + i) + 1e-3 * sin(i + 0.1 * j);
    x[5][777] = 2;
    exact += 2 - (1 / 6.0 + 1e-3 * sin(5 + 0.1 * 777));

    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_storage *s[] = {
        ilex_storage_wrap(ctx, ILEX_F64, 2, shape, NULL, x, NULL, NULL),
        ilex_storage_wrap(ctx, ILEX_F64, 1, &rows, NULL, means, NULL, NULL),
        ilex_storage_wrap(ctx, ILEX_F64, 0, NULL, NULL, &total, NULL, NULL),
        ilex_storage_wrap(ctx, ILEX_I64, 0, NULL, NULL, &where, NULL, NULL)};
    for (int b = 0; b < 3; b++) {
        ilex_program *p = compile(ctx, backends[b]);
        for (int threads = 1; p && threads <= 3; threads += 2) {
            ilex_call call = {.size = sizeof call, .threads = threads};
            ilex_binding args[] = {
                ILEX_BIND("x", s[0]), ILEX_BIND("means", s[1]),
                ILEX_BIND("total", s[2]), ILEX_BIND("where", s[3])};
            if (ilex_run(p, args, 4, &call) != ILEX_OK) {
                printf("%s\n", call.error);
                wrong = 1;
                continue;
            }
            first = runs++ ? first : total;
            printf("%-10s %d thread%s  total %.17g  mean of row 0 %.6f"
                   "  maximum at (%d, %d)\n",
                   backends[b], threads, threads > 1 ? "s" : " ", total,
                   means[0], (int)(where / COLUMNS), (int)(where % COLUMNS));
            wrong |= memcmp(&first, &total, sizeof total) != 0;
            wrong |= fabs(total - exact) > 1e-8 || where != 5 * COLUMNS + 777;
        }
        ilex_program_release(p);
    }
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i]);
    ilex_context_free(ctx);
    return wrong || runs == 0;
}
