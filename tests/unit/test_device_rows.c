/* SPDX-License-Identifier: MIT
 *
 * Kernels over the same rows are one on a device, whose groups of threads do a
 * row each: the bits of the reference, whichever thread is first.
 */
#include "tests/unit/grid_fixture.h"

#define SOFTMAX                                                                \
    "let e = exp(x - max[1](x; keep=1))\nout y = e/sum[1](e; keep=1)\n"

#define ROWS "assume m >= 400\nmap r[i:n, k:4, j:100] = x[i, 100*k + j]\n"
#define BACK "map z[i:n, j:400] = q[i, j//100, j%100]\nout y = z\n"

/* What becomes of x, f64[n, m]; of how many kernels; y is [n, m] or [n]. */
static const struct row {
    const char *name;
    int64_t n, m;
    size_t kernels;
    int rank;
    const char *text;
} rows[] = {
    {"softmax", 5, 70, 1, 2, SOFTMAX},
    {"a row", 1, 1, 1, 2, SOFTMAX},
    {"chunks", 3, 9000, 1, 2, SOFTMAX},
    {"numbers", 4, 50, 1, 2,
     "let d = x - mean[1](x; keep=1)\n"
     "out y = d/sqrt(mean[1](d*d; keep=1) + 1e-5)\n"},
    {"what others stored", 4, 50, 1, 2,
     "let e = exp(x - max[1](x; keep=1))\nlet s = sum[1](e)\n"
     "map z[i:n, j:m] = e[i, m-1-j]*s[i]\nout y = z\n"},
    {"what others have just stored", 4, 50, 1, 2,
     "let s = sum[1](x; keep=1)\nlet e = exp(x*s)\n"
     "map z[i:n, j:m] = e[i, m-1-j] - e[i, j]/2.0\nout y = z\n"},
    {"a number is stored", 4, 50, 1, 1,
     "let e = sin(x)\nlet s = sum[1](e)\nout y = s\nout z = e/sum[1](e; "
     "keep=1)\n"},
    {"numbers of the next row", 6, 50, 2, 2,
     "let s = sum[1](x)\nmap z[i:n, j:m] = x[i, j] - s[n-1-i]\nout y = z\n"},
    {"integers", 4, 50, 3, 2,
     "let c = sum[1](x > 0.25; keep=1)\n"
     "let d = max[1](i64(1000.0*x); keep=1)\n"
     "out y = x*f64(c) - f64(d)\n"},
    {"in place", 4, 50, 2, 2,
     "let e = exp(x - max[1](x; keep=1))\n"
     "out y = e/sum[1](e; keep=1) inplace x\n"},
    {"rows of rows", 4, 400, 2, 2,
     ROWS "let e = exp(r - max[2](r; keep=1))\n"
          "let q = e/sum[2](e; keep=1)\n" BACK},
    {"rows of two axes", 4, 400, 1, 2,
     ROWS "let e = exp(r - max[1,2](r; keep=1))\n"
          "let q = e/sum[1,2](e; keep=1)\n" BACK},
    {"in place of what is read elsewhere", 4, 50, 2, 2,
     "let s = sum[1](x)\nmap e[i:n, j:m] = x[i, m-1-j]*s[i]\nout z = e\n"
     "map q[i:n, j:m] = s[i]*f64(j)\nout y = q inplace x\n"},
};

static ilex_storage *
some_rows(const struct row *r)
{
    ilex_storage *x =
        ilex_storage_zeros(ctx, ILEX_F64, 2, (const int64_t[]){r->n, r->m});
    double *v = ilex_storage_data(x);
    uint64_t state = 1;
    for (int64_t i = 0; i < r->n * r->m; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        v[i] = (double)(int64_t)state / 1e19;
    }
    return x;
}

/* What the program makes of the rows. */
static ilex_storage *
result_of(const void *row, ilex_program *p)
{
    const struct row *r = row;
    bool other = strstr(r->text, "out z") != NULL;
    const int64_t lengths[] = {r->n, r->m};
    ilex_storage *x = some_rows(r), *z = NULL;
    ilex_storage *y = strstr(r->text, "inplace")
                          ? x
                          : ilex_storage_zeros(ctx, ILEX_F64, r->rank, lengths);
    ilex_binding b[3] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    if (other)
        b[2] = (ilex_binding)ILEX_BIND(
            "z", z = ilex_storage_zeros(ctx, ILEX_F64, 2, lengths));
    run_program(p, b, 2 + other);
    if (y != x)
        ilex_storage_release(x);
    if (z)
        ilex_storage_release(z);
    return y;
}

START_TEST(one_kernel)
{
    const struct row *r = &rows[_i];
    char text[500];
    snprintf(text, sizeof text,
             "ilex 1\nprogram rows\nsize n, m\nassume m >= 1\n"
             "in x : f64[n, m]\n%s",
             r->text);
    size_t n = (size_t)(r->rank == 2 ? r->n * r->m : r->n);
    ilex_program *p =
        compare_on_device(r->name, text, result_of, r, n * sizeof(double));
    ck_assert_msg(p->c->nkernels == r->kernels &&
                      p->c->kernel[0].team == IX_TEAM_GROUP,
                  "%s: %zu kernels", r->name, p->c->nkernels);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("device_rows");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, one_kernel, 0, (int)IX_COUNT(rows));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
