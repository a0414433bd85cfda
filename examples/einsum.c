/* SPDX-License-Identifier: MIT
 *
 * Tensor contractions in Einstein's notation: letters that the result lacks
 * are summed over. Sizes stay symbols: one program serves all of them.
 */
#include <ilex.h>
#include <stdio.h>

enum { B = 2, I = 3, J = 4, K = 5 };

/* An array of small integers, so that every sum is exact. */
static ilex_storage *
numbers(ilex_context *ctx, int rank, const int64_t *shape)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F64, rank, shape);
    double *x = s ? ilex_storage_data(s) : NULL;
    for (int64_t n = 0; x && n < ilex_storage_count(s); n++)
        x[n] = (double)((7 * n + 3) % 11 - 5);
    return s;
}

int
main(void)
{
    static const char *const names[] = {"product", "norms"};
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_array *a = ilex_input(ctx, "a", ILEX_F64, "b, i, k");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, "k, j");
    ilex_array *v = ilex_input(ctx, "v", ILEX_F64, "j");
    ilex_array *pair[] = {a, a}, *three[] = {a, w, v};

    /* Three operands: the compiler chooses which two to contract first. */
    ilex_array *outputs[] = {
        ilex_einsum(ctx, "bik,kj,j->bi", 3, three),
        ilex_einsum(ctx, "bik,bik->b", 2, pair),
    };
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_program *p = ilex_compile(ctx, 2, outputs, &spec);
    if (!p) {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_context_free(ctx);
        return 1;
    }

    ilex_storage *s[] = {
        numbers(ctx, 3, (int64_t[]){B, I, K}),
        numbers(ctx, 2, (int64_t[]){K, J}),
        numbers(ctx, 1, (int64_t[]){J}),
        numbers(ctx, 2, (int64_t[]){B, I}),
        numbers(ctx, 1, (int64_t[]){B}),
    };
    ilex_binding args[] = {ILEX_BIND("a", s[0]), ILEX_BIND("w", s[1]),
                           ILEX_BIND("v", s[2]), ILEX_BIND("product", s[3]),
                           ILEX_BIND("norms", s[4])};
    ilex_call call = {.size = sizeof call};
    int wrong = ilex_run(p, args, 5, &call) != ILEX_OK;
    if (wrong)
        fprintf(stderr, "%s\n", call.error);

    const double *x = ilex_storage_const_data(s[0]);
    const double *y = ilex_storage_const_data(s[1]);
    const double *z = ilex_storage_const_data(s[2]);
    const double *product = ilex_storage_const_data(s[3]);
    const double *norms = ilex_storage_const_data(s[4]);
    for (int b = 0; b < B && !wrong; b++) {
        double norm = 0;
        for (int i = 0; i < I; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                double e = x[(b * I + i) * K + k];
                norm += e * e;
                for (int j = 0; j < J; j++)
                    sum += e * y[k * J + j] * z[j];
            }
            printf("product[%d, %d] = %g\n", b, i, product[b * I + i]);
            wrong |= product[b * I + i] != sum;
        }
        printf("norms[%d] = %g\n", b, norms[b]);
        wrong |= norms[b] != norm;
    }
    for (int i = 0; i < 5; i++)
        ilex_storage_release(s[i]);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return wrong;
}
