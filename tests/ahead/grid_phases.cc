/* SPDX-License-Identifier: MIT
 *
 * Programs compiled ahead of time in CUDA whose runs have several phases, over
 * the stand-in of shim/ and beside the same programs in C: between kernels they
 * count lengths, or call functions of ours; and whose kernels call functions of
 * numbers, which the stand-in has both in C and on the device. grid.sh builds
 * it.
 */
#include "grid_test.h"

#include "cpu_elementwise.h"
#include "cpu_foreign.h"
#include "cpu_peaks.h"
#include "elementwise.h"
#include "elementwise_functions.h"
#include "foreign.h"
#include "peaks.h"

enum { N = 7, M = 9, POINTS = N * M, LENGTH = 300 };

/* ---- lengths that are counted ---- */

static double h[POINTS];

/* Outputs of a run, on the host. */
typedef struct peaks_found {
    int64_t row[POINTS], column[POINTS], counted;
    double height[POINTS];
} peaks_found;

static peaks_found want, found;

static peaks_args
right_peaks(double level)
{
    peaks_args a;
    peaks_args_init(&a);
    memset(&found, 0xff, sizeof found);
    text[0] = '\0';
    a.n = N;
    a.m = M;
    a.h.data = up_doubles(h, POINTS);
    a.level = level;
    a.row.data = (int64_t *)up(found.row, sizeof found.row);
    a.column.data = (int64_t *)up(found.column, sizeof found.column);
    a.height.data = up_doubles(found.height, POINTS);
    a.c = &found.counted;
    a.stream = stream;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

static void
judge_peaks(const char *what, const peaks_args *a, double level, int rc)
{
    memset(&want, 0xff, sizeof want);
    int rc_cpu = cpu_peaks_dense(N, M, h, level, want.row, want.column,
                                 want.height, &want.counted);
    cudaStreamSynchronize(a->stream);
    down(found.row, a->row.data, sizeof found.row);
    down(found.column, a->column.data, sizeof found.column);
    down(found.height, a->height.data, sizeof found.height);
    tried++;
    if (rc || rc_cpu || memcmp(&found, &want, sizeof want) != 0)
        say(what, "other peaks than in C");
}

static void
try_peaks(double level, int64_t least)
{
    peaks_args a = right_peaks(level);
    judge_peaks("peaks", &a, level, peaks(&a));
    tried++;
    if (found.counted < least)
        say("peaks", "hardly any");
    a = right_peaks(level);
    a.stream = NULL;
    judge_peaks("peaks on the default stream", &a, level,
                peaks_dense(N, M, a.h.data, level, a.row.data, a.column.data,
                            a.height.data, a.c, NULL));
    a = right_peaks(level);
    a.workspace_bytes = peaks_workspace(&a);
    a.workspace = room_for(a.workspace_bytes);
    int rc = peaks(&a);
    tried++; /* the count is there, what follows it need not be */
    if ((found.counted > 0 && !shim_state.pending) || found.counted < least)
        say("peaks with a workspace", "waits for more than the count");
    judge_peaks("peaks with a workspace", &a, level, rc);
}

static void
try_peaks_mistakes(void)
{
    peaks_args a = right_peaks(0.4);
    a.c = NULL;
    tried++;
    if (peaks(&a) != 0)
        say("peaks", "somebody must ask how many");
    a = right_peaks(0.4);
    a.row.shape[0] = POINTS - 1;
    tried++;
    if (peaks(&a) != PEAKS_E_BINDING_SHAPE || found.counted != -1 ||
        !strstr(text, "needs room for 63, the most that may be counted"))
        say("peaks", "too little room is taken");
    int blocks = shim_state.blocks;
    for (int nth = 1; nth <= 2; nth++) { /* the count's wait, the last one */
        shim_fail("cudaStreamSynchronize", nth, cudaErrorIllegalAddress);
        a.row.shape[0] = PEAKS_UNSET;
        tried++;
        if (peaks(&a) != PEAKS_E_DEVICE ||
            (nth == 1) != (found.counted == -1) ||
            !strstr(text, "cudaStreamSynchronize: an error"))
            say("peaks", "a wait that fails is none");
        check_rest("peaks that fail", blocks);
    }
}

/* ---- functions that are called ---- */

enum manner { BY_COPIES, ON_DEFAULT, ON_STREAM };

static double u[LENGTH + 4], v[2][LENGTH], w[2][LENGTH];
static int32_t k[2];
static enum manner manner;
static int calls, early, status;

static __global__ void
filter_on_device(const double *from, const double *s, double *to,
                 int32_t *count, int64_t n)
{
    for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        to[i] = from[i] * *s + from[i + 2];
    *count = (int32_t)n;
}

static void
start_filter(const ilex_function_call *call, cudaStream_t on)
{
    const ilex_function_array *a = call->argument, *r = call->result;
    const double *from = (const double *)a[0].data;
    const double *s = (const double *)a[1].data;
    double *to = (double *)r[0].data;
    int32_t *count = (int32_t *)r[1].data;
    int64_t n = r[0].shape[0];
    void *parameters[] = {&from, &s, &to, &count, &n};
    cudaLaunchKernel(filter_on_device, dim3(2), dim3(64), parameters, 0, on);
}

/* The host computes. */
static void
filter_on_host(const ilex_function_call *call)
{
    const ilex_function_array *a = call->argument, *r = call->result;
    int64_t n = r[0].shape[0];
    double from[LENGTH + 4], to[LENGTH + 2], s;
    int32_t count = (int32_t)n;
    down(from, a[0].data, sizeof *from * (size_t)(n + 2));
    down(&s, a[1].data, sizeof s);
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] * s + from[i + 2];
    cudaMemcpy(r[0].data, to, sizeof *to * (size_t)n, cudaMemcpyHostToDevice);
    cudaMemcpy(r[1].data, &count, sizeof count, cudaMemcpyHostToDevice);
}

/* The same function for both programs, as its definition in C says. */
extern "C" int
filter(const ilex_function_call *call)
{
    const ilex_function_array *a = call->argument, *r = call->result;
    calls++;
    if (call->device < 0) {
        const double *from = (const double *)a[0].data;
        for (int64_t i = 0; i < r[0].shape[0]; i++)
            ((double *)r[0].data)[i] =
                from[i] * *(const double *)a[1].data + from[i + 2];
        *(int32_t *)r[1].data = (int32_t)r[0].shape[0];
        return 0;
    }
    early += shim_state.pending > 0;
    if (call->device != 0 || a[0].lower[0] != -1 || a[0].stride[0] != 1)
        early++;
    if (status)
        snprintf(call->error, call->error_bytes, "no more of %d", calls);
    else if (manner == BY_COPIES)
        filter_on_host(call);
    else
        start_filter(call,
                     manner == ON_STREAM ? (cudaStream_t)call->stream : NULL);
    return status;
}

static foreign_args
right_foreign(cudaStream_t on)
{
    foreign_args a;
    foreign_args_init(&a);
    text[0] = '\0';
    a.u.data = up_doubles(u, LENGTH + 4);
    a.u.shape[0] = LENGTH + 4;
    a.s = 0.7;
    a.v.data = up_doubles(v[0], LENGTH);
    a.w.data = up_doubles(w[0], LENGTH);
    a.k.data = (int32_t *)up(k, sizeof *k);
    a.stream = on;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

static void
judge_foreign(const char *what, const foreign_args *a, int rc)
{
    cudaStreamSynchronize(a->stream);
    down(v[0], a->v.data, sizeof *v);
    down(w[0], a->w.data, sizeof *w);
    down(k, a->k.data, sizeof *k);
    tried++;
    if (rc || early || k[0] != k[1] || memcmp(v[0], v[1], sizeof *v) != 0 ||
        memcmp(w[0], w[1], sizeof *w) != 0)
        say(what, "other results than in C, or a call too early");
}

static void
try_foreign(void)
{
    int rc = cpu_foreign_dense(LENGTH, u, 0.7, v[1], w[1], &k[1]);
    int each = calls;
    tried++;
    if (rc || each < 2)
        say("foreign", "fails in C");
    for (int on = 0; on < 2; on++)
        for (int how = BY_COPIES; how <= ON_STREAM; how++) {
            foreign_args a = right_foreign(on ? stream : NULL);
            manner = (enum manner)how;
            calls = 0;
            judge_foreign("foreign", &a, foreign(&a));
            a = right_foreign(on ? stream : NULL);
            a.workspace_bytes = foreign_workspace(&a);
            a.workspace = room_for(a.workspace_bytes);
            judge_foreign("foreign with a workspace", &a, foreign(&a));
            tried++;
            if (calls != 2 * each)
                say("foreign", "another number of calls than in C");
        }
}

/* Each function of CUDA that a run calls may fail, in any of its calls. */
static void
try_foreign_mistakes(void)
{
    static const char *const functions[] = {"cudaMalloc", "cudaMemcpyAsync",
                                            "cudaStreamSynchronize",
                                            "cudaGetDevice"};
    foreign_args a = right_foreign(stream);
    int blocks = shim_state.blocks;
    manner = ON_DEFAULT;
    status = 7;
    calls = 0;
    tried++;
    if (foreign(&a) != FOREIGN_E_FUNCTION || calls != 1 ||
        !strstr(text, "filter failed with status 7: no more of 1"))
        say("foreign", "a status is no error");
    check_rest("a status", blocks);
    status = 0;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        int rc = -1, nth = 0;
        while (rc != 0 && nth < 50) {
            shim_fail(functions[f], ++nth, cudaErrorIllegalAddress);
            rc = foreign(&a);
            tried++;
            if (rc != 0 &&
                (rc != FOREIGN_E_DEVICE || !strstr(text, functions[f])))
                say(functions[f], "its failure is another error");
            cudaStreamSynchronize(stream);
            cudaStreamSynchronize(NULL);
            check_rest(functions[f], blocks);
        }
        shim_fail(NULL, 0, cudaSuccess);
        tried++;
        if (nth < 2 || nth == 50)
            say(functions[f], "never fails, or always");
    }
}

/* ---- functions of numbers ---- */

/* Outputs of a run, on the host; inputs have as many points as u. */
typedef struct numbers {
    double r[LENGTH], s[LENGTH], f[LENGTH - 1], a[LENGTH - 2], h[LENGTH - 3];
    float e[9];
} numbers;

static void
try_elementwise(void)
{
    static numbers in_c, on_device;
    float c[9];
    for (int i = 0; i < 9; i++)
        c[i] = (float)i / 3;
    const double *p = u + 2;
    int rc_cpu = cpu_elementwise_dense(LENGTH, u, p, c, in_c.r, in_c.s, in_c.f,
                                       in_c.a, in_c.h, in_c.e);
    numbers *d = (numbers *)up(&on_device, sizeof on_device);
    int rc =
        elementwise_dense(LENGTH, up_doubles(u, LENGTH), up_doubles(p, LENGTH),
                          (const float *)up(c, sizeof c), d->r, d->s, d->f,
                          d->a, d->h, d->e, NULL);
    cudaStreamSynchronize(NULL);
    down(&on_device, d, sizeof on_device);
    tried++;
    if (rc || rc_cpu || memcmp(&in_c, &on_device, sizeof in_c) != 0 ||
        in_c.r[1] != 2 * (eos(u[1], p[1]) - 1000) + u[1])
        say("elementwise", "other results than in C");
}

int
main(void)
{
    for (int i = 0; i < POINTS; i++)
        h[i] = (double)(i * 29 % 23) / 16.0;
    for (int i = 0; i < LENGTH + 4; i++)
        u[i] = i * i % 17 / 3.0;
    try_peaks(0.4, 3);
    try_peaks(100.0, 0);
    check_rest("peaks", shim_state.blocks);
    try_peaks_mistakes();
    try_foreign();
    check_rest("foreign", shim_state.blocks);
    try_foreign_mistakes();
    try_elementwise();
    printf("%d things tried of runs in phases, %d wrong\n", tried, bad);
    return bad != 0;
}
