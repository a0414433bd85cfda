/* SPDX-License-Identifier: MIT
 *
 * Programs compiled ahead of time in CUDA, over the stand-in of shim/, beside
 * the same programs in C: results are the same bits, in streams, with a
 * workspace of the caller and without; what is wrong is an error with its
 * number and a sentence, and leaves no memory behind. grid.sh builds it.
 */
#include "grid_test.h"

#include "axpy.h"
#include "cpu_axpy.h"
#include "cpu_hdiff.h"
#include "cpu_matmul.h"
#include "cpu_normalise.h"
#include "cpu_norms.h"
#include "cpu_pick.h"
#include "cpu_sized.h"
#include "cpu_thomas.h"
#include "hdiff.h"
#include "matmul.h"
#include "normalise.h"
#include "norms.h"
#include "pick.h"
#include "sized.h"
#include "thomas.h"

enum { NI = 9, NJ = 11, NK = 8, N = 37, M = 70, K = 150, ROOM = 1 << 14 };

static double in[4][ROOM], out[ROOM], want[ROOM];
static float fin[2][ROOM], fout[ROOM], fwant[ROOM];
static int32_t at[64];

static void
fill(void)
{
    uint64_t state = 1;
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < ROOM; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            in[a][i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
            if (a < 2)
                fin[a][i] = (float)in[a][i];
        }
    for (int i = 0; i < 64; i++)
        at[i] = i * 7 % 5;
}

/* The results of both, of which "n" are at "device". */
static void
compare(const char *what, int rc_cpu, int rc, const double *device, size_t n)
{
    tried++;
    cudaStreamSynchronize(stream);
    if (rc_cpu || rc)
        say(what, "fails");
    down(out, device, n * sizeof *out);
    if (memcmp(out, want, n * sizeof *out) != 0)
        say(what, "other bits than in C");
}

/* ---- programs ---- */

static void
try_hdiff(void)
{
    size_t points = (NI + 4) * (NJ + 4) * NK, n = NI * NJ * NK;
    double *u = up_doubles(in[0], points), *c = up_doubles(in[1], NK);
    double *v = up_doubles(out, n);
    compare("hdiff", cpu_hdiff_dense(NI, NJ, NK, in[0], in[1], want),
            hdiff_dense(NI, NJ, NK, u, c, v, stream), v, n);
}

static void
try_norms(void)
{
    double *a = up_doubles(in[0], N * M), *largest = up_doubles(out, N);
    double *square = up_doubles(out, 1);
    int rc_cpu = cpu_norms_dense(N, M, in[0], want, want + N);
    int rc = norms_dense(N, M, a, largest, square, stream);
    compare("norms", rc_cpu, rc, largest, N);
    want[0] = want[N];
    compare("norms of all", rc_cpu, rc, square, 1);
}

static void
try_matmul(void)
{
    float *a = (float *)up(fin[0], N * K * sizeof(float));
    float *b = (float *)up(fin[1], K * M * sizeof(float));
    float *c = (float *)up(fout, N * M * sizeof(float));
    int rc = cpu_matmul_dense(N, M, K, fin[0], fin[1], fwant);
    rc = rc ? rc : matmul_dense(N, M, K, a, b, c, NULL);
    down(fout, c, sizeof(float) * N * M);
    tried++;
    if (rc || memcmp(fout, fwant, sizeof(float) * N * M) != 0)
        say("matmul", "other bits than in C");
}

static void
try_thomas(void)
{
    double *a[4], *y = up_doubles(out, N * M);
    for (int i = 0; i < 4; i++)
        a[i] = up_doubles(in[i], N * M);
    compare("thomas",
            cpu_thomas_dense(N, M, in[0], in[1], in[2], in[3], want),
            thomas_dense(N, M, a[0], a[1], a[2], a[3], y, stream), y, N * M);
}

/* With a workspace nothing is waited for. */
static void
try_normalise(void)
{
    normalise_args a;
    double *x = up_doubles(in[0], N * M), *y = up_doubles(out, N * M);
    int rc_cpu = cpu_normalise_dense(N, M, in[0], want);
    compare("normalise", rc_cpu, normalise_dense(N, M, x, y, stream), y, N * M);
    normalise_args_init(&a);
    a.n = N;
    a.m = M;
    a.x.data = x;
    a.y.data = up_doubles(out, N * M);
    a.stream = stream;
    a.workspace_bytes = normalise_workspace(&a);
    a.workspace = up(out, a.workspace_bytes);
    int rc = normalise(&a);
    tried++;
    if (a.workspace_bytes < N * sizeof(double) || !shim_state.pending)
        say("normalise with a workspace", "is not asynchronous");
    compare("normalise with a workspace", rc_cpu, rc, a.y.data, N * M);
}

/* A number by value, an output in place of an input, strides. */
static void
try_axpy(void)
{
    axpy_args a;
    cpu_axpy_args b;
    double *y = up_doubles(in[1], N);
    axpy_args_init(&a);
    cpu_axpy_args_init(&b);
    memcpy(want, in[1], N * sizeof *want);
    a.a = b.a = 0.3;
    a.n = b.n = N;
    b.x.data = in[0];
    a.x.data = up_doubles(in[0], 2 * N);
    a.x.stride[0] = b.x.stride[0] = 2;
    a.y.data = a.z.data = y;
    b.y.data = b.z.data = want;
    a.stream = stream;
    a.error = text;
    a.error_bytes = sizeof text;
    compare("axpy", cpu_axpy(&b), axpy(&a), y, N);
}

static pick_args
right_pick(void)
{
    pick_args a;
    pick_args_init(&a);
    text[0] = '\0';
    a.x.data = up_doubles(in[0], 5);
    a.x.shape[0] = 5;
    a.j.data = (int32_t *)up(at, 8 * sizeof *at);
    a.j.shape[0] = 8;
    a.y.data = up_doubles(out, 8);
    a.stream = stream;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

static void
try_pick(void)
{
    pick_args a = right_pick();
    compare("pick", cpu_pick_dense(5, 8, in[0], at, want), pick(&a), a.y.data,
            8);
}

/* Indices of 32 bits, and of 64. */
static void
try_sizes(void)
{
    const int64_t sizes[] = {5, 3000000000};
    double *z = up_doubles(out, 4);
    for (int i = 0; i < 2; i++)
        compare("sizes of both kinds", cpu_sized_dense(sizes[i], want),
                sized_dense(sizes[i], z, stream), z, 4);
}

/* ---- what is wrong ---- */

/* "wrong" is done to arguments that are right. */
#define MISTAKE(wrong, number, part)                                           \
    do {                                                                       \
        pick_args a = right_pick();                                            \
        int blocks = shim_state.blocks;                                        \
        wrong;                                                                 \
        int rc = pick(&a);                                                     \
        shim_fail(NULL, 0, cudaSuccess);                                       \
        tried++;                                                               \
        if (rc != PICK_E_##number || !strstr(text, part))                      \
            say(#wrong, "is not " #number ": " part);                          \
        check_rest(#wrong, blocks);                                            \
    } while (0)

static void
try_mistakes(void)
{
    int32_t wrong[8] = {0, 1, 9, 2, -3, 0, 0, 0};
    int32_t *far = (int32_t *)up(wrong, sizeof wrong);
    MISTAKE(a.j.data = far, BOUNDS, "index 9 of axis 0 is data and leaves [0, 5)");
    MISTAKE(a.x.data = NULL, BINDING, "x has no data");
    MISTAKE(a.x.data = in[0], DEVICE, "x lies on the host");
    MISTAKE(a.y.data = out, DEVICE, "y lies on the host");
    MISTAKE(a.y.shape[0] = 7, BINDING_SHAPE, "must have length 8");
    MISTAKE(a.y.data = (double *)a.x.data + 1, OVERLAP, "overlaps argument x");
    MISTAKE(a.y.data = (double *)(void *)((char *)a.y.data + 4), ALIGNMENT, "8");
    MISTAKE(a.workspace = out, DEVICE, "the workspace lies on the host");
    MISTAKE(shim_fail("cudaMalloc", 1, cudaErrorMemoryAllocation), MEMORY,
            "cudaMalloc: out of memory (cudaErrorMemoryAllocation)");
    MISTAKE(shim_fail("cudaLaunchKernel", 1, cudaErrorInvalidValue), DEVICE,
            "cudaLaunchKernel: an error of the stand-in (cudaErrorInvalidValue)");
    MISTAKE(shim_fail("cudaMemcpyAsync", 2, cudaErrorIllegalAddress), DEVICE,
            "cudaMemcpyAsync: an error of the stand-in (cudaErrorIllegal");
    MISTAKE(shim_fail("cudaStreamSynchronize", 1, cudaErrorIllegalAddress),
            DEVICE, "cudaStreamSynchronize");
    MISTAKE(shim_fail("cudaGetDevice", 1, cudaErrorInvalidValue), DEVICE,
            "cudaGetDevice");
}

int
main(void)
{
    fill();
    try_hdiff();
    try_norms();
    try_matmul();
    try_thomas();
    try_normalise();
    try_axpy();
    try_pick();
    try_sizes();
    check_rest("all programs", shim_state.blocks);
    try_mistakes();
    tried++;
    if (hdiff_selftest() != 0 || norms_workspace(NULL) != SIZE_MAX ||
        strcmp(pick_error_text(PICK_E_DEVICE),
               "a device or its driver failed") != 0)
        say("hdiff", "the self-test, or what errors mean");
    shim_fail("cudaMalloc", 1, cudaErrorInvalidValue);
    tried++;
    if (hdiff_selftest() != HDIFF_E_DEVICE)
        say("hdiff", "the self-test without a device");
    printf("%d things tried over the stand-in, %d wrong\n", tried, bad);
    return bad != 0;
}
