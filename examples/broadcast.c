/* SPDX-License-Identifier: MIT
 *
 * Broadcasting: fields by the names of their axes, plain arrays by position.
 * A field that lacks an axis is repeated along it, and the result lies where
 * all operands do; nobody transposes or reshapes anything.
 */
#include <ilex.h>
#include <stdio.h>

enum { NI = 2, NJ = 3, NK = 4 };

/* Prints the domain of an array. */
static void
show(const char *what, const ilex_array *x)
{
    char domain[256];
    ilex_array_domain(x, domain, sizeof domain);
    printf("%-28s %s[%s]\n", what, ilex_dtype_name(ilex_array_dtype(x)),
           domain);
}

/* An element is 100 i + 10 j + k, of the axes that the storage has. */
static void
number(void *user, const int64_t *index, void *element)
{
    static const double weight[] = {100, 10, 1};
    double value = 0;
    for (const char *axis = user; *axis; axis++)
        value += weight[*axis - 'I'] * (double)*index++;
    *(double *)element = value;
}

/* A field of the axes "axes", such as "KI". */
static ilex_storage *
field(ilex_context *ctx, const char *axes)
{
    static const int64_t length[] = {NI, NJ, NK};
    int64_t shape[3] = {0};
    int rank = 0;
    for (; axes[rank]; rank++)
        shape[rank] = length[axes[rank] - 'I'];
    return ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.rank = rank, .shape = shape, .axes = axes,
                                .initialize = number,
                                .initialize_user = (void *)(uintptr_t)axes));
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_array *rain = ilex_input(ctx, "rain", ILEX_F64, "J:nj, I:ni");
    ilex_array *share = ilex_input(ctx, "share", ILEX_F64, "K:nk");
    ilex_array *wet = ilex_add(rain, share);
    ilex_array *a = ilex_input(ctx, "a", ILEX_F32, "n, 1, m");
    ilex_array *b = ilex_input(ctx, "b", ILEX_I32, "5, m");
    show("rain", rain);
    show("share", share);
    show("rain + share, by name", wet);
    show("a", a);
    show("b", b);
    show("a * b, by position", ilex_multiply(a, b));

    ilex_compile_spec spec = {.size = sizeof spec,
                              .names = (const char *[]){"wet"}};
    ilex_program *p = ilex_compile(ctx, 1, &wet, &spec);
    ilex_storage *rs = field(ctx, "JI"), *ss = field(ctx, "K");
    ilex_storage *ws = field(ctx, "IJK");
    int failed = 1;
    if (p && rs && ss && ws) {
        ilex_storage_fill(ctx, ws, -1);
        failed = ilex_run(p,
                          (ilex_binding[]){ILEX_BIND("rain", rs),
                                           ILEX_BIND("share", ss),
                                           ILEX_BIND("wet", ws)},
                          3, NULL) != ILEX_OK;
    }
    for (int64_t i = 0; i < NI * NJ * NK && !failed; i++) {
        int64_t at[] = {i / (NJ * NK), i / NK % NJ, i % NK};
        double value = -1;
        ilex_storage_get_f64(ws, at, &value);
        failed = value != (double)(100 * at[0] + 10 * at[1] + at[2]);
    }
    printf("%s\n", failed ? "WRONG" : "every element is as it should be");
    ilex_storage_release(rs);
    ilex_storage_release(ss);
    ilex_storage_release(ws);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return failed;
}
