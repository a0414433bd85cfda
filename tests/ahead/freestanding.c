/* SPDX-License-Identifier: MIT
 *
 * Programs on a machine without a C library: with ALONE this is all there is,
 * from the first instruction on; without it the same on a hosted one. The bits
 * of all results are printed.
 */
#include <stdint.h>

#include "alone.h"
#include "q_product.h"
#include "q_some.h"
#include "q_stencil.h"

enum { N = 7, M = 9, K = 13 };

static void
print_bits(const void *data, size_t bytes)
{
    static const char digit[] = "0123456789abcdef";
    uint64_t hash = 0xcbf29ce484222325u;
    char text[17] = {0};
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    for (int i = 0; i < 16; i++)
        text[i] = digit[hash >> (60 - 4 * i) & 15];
    print(text);
}

static double u[N * M], v[K * M], w[N * K], out[N * K];
static char error[300], room[1 << 20] __attribute__((aligned(64)));

static void
multiply(void)
{
    q_product_args a;
    q_product_args_init(&a);
    a.n = N;
    a.m = M;
    a.k = K;
    a.a.data = u;
    a.b.data = v;
    a.c.data = w;
    a.error = error;
    a.error_bytes = sizeof error;
    a.workspace = room;
    a.workspace_bytes = q_product_workspace(&a);
    if (a.workspace_bytes > sizeof room || q_product(&a))
        print(error);
    print_bits(w, sizeof w);
    for (int i = 0; i < N * K; i++)
        w[i] = 0;
#ifdef ALONE
    if (q_product_dense(N, M, K, u, v, w, room, sizeof room))
#else
    if (q_product_dense(N, M, K, u, v, w))
#endif
        print("the flat function failed");
    print_bits(w, sizeof w);
}

static void
smooth(void)
{
    float x[N + 2], y[N];
    q_stencil_args a;
    for (int i = 0; i < N + 2; i++)
        x[i] = (float)(i * i) * 0.3f - 4;
    q_stencil_args_init(&a);
    a.n = N;
    a.u.data = x;
    a.v.data = y;
    a.error = error;
    a.error_bytes = sizeof error;
    if (q_stencil(&a))
        print(error);
    print_bits(y, sizeof y);
    a.n = N + 1;
    a.v.shape[0] = N;
    if (q_stencil(&a))
        print(error);
}

static void
choose(void)
{
    int64_t many;
    q_some_args a;
    q_some_args_init(&a);
    a.n = N * M;
    a.x.data = u;
    a.y.data = out;
    a.k = &many;
    a.error = error;
    a.error_bytes = sizeof error;
    if (q_some(&a))
        print(error);
    a.workspace = room;
    a.workspace_bytes = q_some_workspace(&a);
    if (a.workspace_bytes > sizeof room || q_some(&a))
        print(error);
    print_bits(out, (size_t)many * sizeof *out);
}

int
main(void)
{
    for (int i = 0; i < N * M; i++)
        u[i] = (i * 37 % 101 - 50) / 7.0;
    for (int i = 0; i < K * M; i++)
        v[i] = (i * 53 % 97 - 48) / 3.0;
    multiply();
    smooth();
    choose();
    return 0;
}
