/* SPDX-License-Identifier: MIT
 *
 * Sizes are symbols, and programs are proved for all of them when they are
 * built, long before there is any data. What cannot be proved is an error
 * with a counterexample; an assumption on the sizes mends it, and each run
 * verifies the assumption on the sizes it gets.
 */
#include <ilex.h>
#include <stdio.h>
#include <string.h>

/* y(i) = x(i + 1) - x(i) for i < m, where x has n elements. */
static ilex_array *
differences(ilex_context *ctx)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    return ilex_restrict(ilex_expr(ctx, "x[I+1] - x", "x", x, NULL), "I:m");
}

/* A vector i*i of the axis I, owned by the caller. */
static ilex_storage *
squares(ilex_context *ctx, int64_t length)
{
    ilex_storage_spec spec = {
        .size = sizeof spec, .rank = 1, .shape = &length, .axes = "I"};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    for (int64_t i = 0; s && i < length; i++)
        ilex_storage_set_f64(s, &i, (double)(i * i));
    return s;
}

/* Runs the program for lengths n and m; 0 if all went as "expected". */
static int
run(ilex_context *ctx, const ilex_program *p, int64_t n, int64_t m,
    ilex_status expected)
{
    ilex_storage *x = squares(ctx, n), *y = squares(ctx, m);
    ilex_call call = {.size = sizeof call};
    ilex_binding args[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_status status = x && y ? ilex_run(p, args, 2, &call) : ILEX_E_MEMORY;
    int wrong = status != expected;
    for (int64_t i = 0; i < m && status == ILEX_OK; i++) {
        double value = 0;
        ilex_storage_get_f64(y, &i, &value);
        wrong |= value != (double)(2 * i + 1);
    }
    printf("n = %d, m = %d: %s\n", (int)n, (int)m,
           status == ILEX_OK ? "runs" : call.error);
    ilex_storage_release(x);
    ilex_storage_release(y);
    return wrong;
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;

    differences(ctx);
    int wrong = ilex_error_code(ctx) != ILEX_E_BOUNDS;
    printf("Without an assumption:\n  %s\n", ilex_error_text(ctx));
    ilex_error_clear(ctx);

    wrong |= ilex_assume(ctx, "m + 1 <= n") != ILEX_OK;
    ilex_array *y = differences(ctx);
    ilex_program *p = ilex_compile(
        ctx, 1, &y, &ILEX_COMPILE_SPEC(.names = (const char *[]){"y"}));
    if (p) {
        printf("Assuming m + 1 <= n:\n");
        wrong |= run(ctx, p, 10, 9, ILEX_OK);
        wrong |= run(ctx, p, 10, 0, ILEX_OK);
        wrong |= run(ctx, p, 10, 10, ILEX_E_ASSUMPTION);
    } else {
        printf("%s\n", ilex_error_text(ctx));
    }
    wrong |= !p;
    ilex_program_release(p);
    ilex_context_free(ctx);
    return wrong;
}
