/* SPDX-License-Identifier: MIT
 *
 * A library's function inside of a program: LAPACK solves systems that are too
 * large for solve(), which is for matrices of up to 8 rows. Built where
 * `configure` finds LAPACK.
 */
#include <ilex.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200 };

static const char text[] =
    "ilex 1\n"
    "program dense\n"
    "size n\n"
    "assume n >= 1\n"
    "in key : u64\n"
    "extern lapack_solve(a : f64[m, m], b : f64[m]) -> f64[m] pure cost 100\n"
    "map a[n, n] = random(key, _0, _1)\n"
    "map b[n] = random(key, 1000, _0)\n"
    "let x = lapack_solve(a, b)\n"
    "out r = max(abs(matmul(a, x) - b))\n"
    "out y : f64[n] = x\n";

/* A general system: a and b are overwritten by factors and the solution, both
 * in the order of Fortran; info tells which pivot is 0. */
extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda,
                   int *pivots, double *b, const int *ldb, int *info);

/* A status other than 0 makes the run fail; the text is in its error. */
static int
refuse(const ilex_function_call *call, const char *why, int info)
{
    snprintf(call->error, call->error_bytes, "%s (info %d)", why, info);
    return 1;
}

/* Copies arguments into the order of Fortran: element (i, j) of an array is
 * i*stride[0] + j*stride[1] elements from its first. */
static int
lapack_solve(const ilex_function_call *call)
{
    const ilex_function_array *a = &call->argument[0], *b = &call->argument[1],
                              *x = &call->result[0];
    int n = (int)a->shape[0], one = 1, info = 0;
    size_t rows = (size_t)n;
    double *matrix = malloc((rows * rows + rows + 1) * sizeof *matrix);
    int *pivots = malloc((rows + 1) * sizeof *pivots);
    if (matrix && pivots) {
        double *side = matrix + rows * rows, *to = x->data;
        const double *from = a->data, *right = b->data;
        for (int i = 0; i < n; i++) {
            side[i] = right[i * b->stride[0]];
            for (int j = 0; j < n; j++)
                matrix[(size_t)i + (size_t)j * rows] =
                    from[i * a->stride[0] + j * a->stride[1]];
        }
        dgesv_(&n, &one, matrix, &n, pivots, side, &n, &info);
        for (int i = 0; i < n; i++)
            to[i * x->stride[0]] = side[i];
    } else {
        info = -1;
    }
    free(matrix);
    free(pivots);
    return info ? refuse(call,
                         info > 0 ? "the matrix is singular"
                                  : "there is no memory",
                         info)
                : 0;
}

static ilex_program *
compile(ilex_context *ctx)
{
    ilex_function_spec spec = {.size = sizeof spec, .host = lapack_solve};
    ilex_module *m = ilex_module_parse(ctx, text, "dense.ilx");
    if (!m || ilex_function_register(ctx, "lapack_solve", &spec) != ILEX_OK)
        return NULL;
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *p = compile(ctx);
    if (!p)
        return fprintf(stderr, "%s\n", ilex_error_text(ctx)), 1;
    ilex_storage *r = ilex_storage_zeros(ctx, ILEX_F64, 0, NULL);
    ilex_storage *y = ilex_storage_zeros(ctx, ILEX_F64, 1, (int64_t[]){N});
    ilex_binding bound[] = {ILEX_BIND("r", r), ILEX_BIND("y", y),
                            ILEX_BIND_U64("key", 7)};
    ilex_call call = {.size = sizeof call};
    if (ilex_run(p, bound, 3, &call) != ILEX_OK)
        return fprintf(stderr, "%s\n", call.error), 1;
    double off = *(const double *)ilex_storage_const_data(r);
    printf("%d equations: a*x is at most %.2g from b\n", N, off);
    ilex_storage_release(r);
    ilex_storage_release(y);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return off < 1e-9 ? 0 : 1;
}
