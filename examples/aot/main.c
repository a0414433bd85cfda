/* SPDX-License-Identifier: MIT
 *
 * Five programs compiled ahead of time in one executable, which knows nothing
 * of Ilex: main [DIRECTORY] runs each on made-up numbers, and writes what goes
 * in and what comes out as NumPy files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdiff.h"
#include "matmul.h"
#include "normalise.h"
#include "norms.h"
#include "thomas.h"

enum { NI = 19, NJ = 23, NK = 16, N = 37, M = 70, K = 5000 };

static const char *directory = ".";

static void
fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* "count" numbers of "bytes" bytes, double or float, in [-0.5, 0.5). */
static void *
make(size_t count, size_t bytes)
{
    static unsigned long long state = 1;
    char *all = malloc(count * bytes);
    if (!all)
        fail("make", "out of memory");
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double x = (double)(state >> 11) / 9007199254740992.0 - 0.5;
        float y = (float)x;
        memcpy(all + i * bytes, bytes == sizeof x ? (void *)&x : (void *)&y,
               bytes);
    }
    return all;
}

/* Writes a dense array as "name.npy"; "shape" is as in "3, 4". */
static void
save(const char *name, const void *data, size_t bytes, const char *shape,
     size_t count)
{
    char path[1000], header[119];
    snprintf(path, sizeof path, "%s/%s.npy", directory, name);
    snprintf(header, sizeof header,
             "{'descr': '<f%d', 'fortran_order': False, 'shape': (%s), }",
             (int)bytes, shape);
    FILE *f = fopen(path, "wb");
    if (!f)
        fail(path, "cannot be written");
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fprintf(f, "%-117s\n", header);
    fwrite(data, bytes, count, f);
    if (fclose(f) != 0)
        fail(path, "cannot be written");
}

#define SAVE(name, data, shape, count)                                         \
    save(name, data, sizeof *(data), shape, count)

/* The struct of arguments: u has its halo of 2 in memory, v lies in the middle
 * of an array that is larger. */
static void
diffuse(void)
{
    enum { WI = NI + 4, WJ = NJ + 4 };
    double *u = make(WI * WJ * NK, sizeof *u), *coeff = make(NK, sizeof *coeff);
    double *v = make(WI * WJ * NK, sizeof *v), *dense = make(NI * NJ * NK, 8);
    char text[200] = "";
    hdiff_args a;
    hdiff_args_init(&a);
    a.ni = NI; /* the others follow from shapes */
    a.u.data = u;
    a.u.shape[0] = WI;
    a.u.shape[1] = WJ;
    a.u.shape[2] = NK;
    a.coeff.data = coeff;
    a.v.data = v + (2 * WJ + 2) * NK;
    a.v.stride[0] = WJ * NK;
    a.v.stride[1] = NK;
    a.v.stride[2] = 1;
    a.error = text;
    a.error_bytes = sizeof text;
    if (hdiff(&a) != 0)
        fail("hdiff", text);
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++)
            memcpy(dense + (i * NJ + j) * NK, v + ((i + 2) * WJ + j + 2) * NK,
                   NK * sizeof *v);
    SAVE("hdiff_u", u, "23, 27, 16", WI * WJ * NK);
    SAVE("hdiff_coeff", coeff, "16,", NK);
    SAVE("hdiff_v", dense, "19, 23, 16", NI * NJ * NK);
    free(u);
    free(coeff);
    free(v);
    free(dense);
}

/* The flat function, for dense arrays. */
static void
find_norms(void)
{
    double *a = make(N * K, sizeof *a), largest[N], square;
    int rc = norms_dense(N, K, a, largest, &square);
    if (rc != 0)
        fail("norms", norms_error_text(rc));
    SAVE("norms_a", a, "37, 5000", N * K);
    SAVE("norms_largest", largest, "37,", N);
    SAVE("norms_square", &square, "", 1);
    free(a);
}

static void
multiply(void)
{
    float *a = make(N * K, sizeof *a), *b = make(K * M, sizeof *b);
    float *c = make(N * M, sizeof *c);
    int rc = matmul_dense(N, M, K, a, b, c);
    if (rc != 0)
        fail("matmul", matmul_error_text(rc));
    SAVE("matmul_a", a, "37, 5000", N * K);
    SAVE("matmul_b", b, "5000, 70", K * M);
    SAVE("matmul_c", c, "37, 70", N * M);
    free(a);
    free(b);
    free(c);
}

/* Parts of a loop, as an OpenMP or thread library would run them. */
static void
backwards(void *user, void (*body)(void *arg, int64_t i), void *arg, int64_t n)
{
    (void)user;
    while (n-- > 0)
        body(arg, n);
}

/* In parts, each of which has temporaries of its own. */
static void
solve(void)
{
    double *a = make(N * M, 8), *b = make(N * M, 8), *c = make(N * M, 8);
    double *d = make(N * M, 8), *y = make(N * M, 8);
    thomas_args args;
    int rc;
    for (int i = 0; i < N * M; i++)
        b[i] += 3.0;
    thomas_args_init(&args);
    args.ni = N;
    args.nk = M;
    args.a.data = a;
    args.b.data = b;
    args.c.data = c;
    args.d.data = d;
    args.y.data = y;
    args.parallel_for = backwards;
    args.parts = 5;
    rc = thomas(&args);
    if (rc != 0)
        fail("thomas", thomas_error_text(rc));
    SAVE("thomas_a", a, "37, 70", N * M);
    SAVE("thomas_b", b, "37, 70", N * M);
    SAVE("thomas_c", c, "37, 70", N * M);
    SAVE("thomas_d", d, "37, 70", N * M);
    SAVE("thomas_y", y, "37, 70", N * M);
    free(a);
    free(b);
    free(c);
    free(d);
    free(y);
}

/* With a workspace and a parallel_for of one's own. */
static void
normalise_columns(void)
{
    double *x = make(N * K, sizeof *x), *y = make(N * K, sizeof *y);
    char *memory = NULL;
    int rc;
    normalise_args a;
    normalise_args_init(&a);
    a.n = N;
    a.m = K;
    a.x.data = x;
    a.y.data = y;
    a.parallel_for = backwards;
    a.parts = 7;
    a.workspace_bytes = normalise_workspace(&a);
    if (a.workspace_bytes > 0) {
        memory = malloc(a.workspace_bytes + 64);
        a.workspace = memory + (64 - (uintptr_t)memory % 64) % 64;
    }
    rc = normalise(&a);
    if (rc != 0)
        fail("normalise", normalise_error_text(rc));
    SAVE("normalise_x", x, "37, 5000", N * K);
    SAVE("normalise_y", y, "37, 5000", N * K);
    free(x);
    free(y);
    free(memory);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        directory = argv[1];
    if (hdiff_selftest() != 0)
        fail("self-test", hdiff_error_text(hdiff_selftest()));
    diffuse();
    find_norms();
    multiply();
    solve();
    normalise_columns();
    printf("five programs: hdiff, norms, matmul, thomas, normalise\n");
    return 0;
}
