/* SPDX-License-Identifier: MIT
 *
 * Code for sizes that are known in CUDA, over the stand-in of shim/: the kernels
 * of the variant that NAME_variant() tells are those that are started, and
 * results are the bits of the program in C. grid.sh has each function that
 * starts a kernel of a variant count in ilex_taken.
 */
#include "grid_test.h"

#include "cpu_hdiff.h"
#include "cpu_many.h"
#include "cpu_normalise.h"
#include "cpu_pick.h"
#include "fixed_hdiff.h"
#include "fixed_many.h"
#include "fixed_normalise.h"
#include "fixed_pick.h"

enum { VARIANTS = 4, ROOM = 1 << 14 };

int ilex_taken[VARIANTS]; /* starts of kernels of variants 1, 2, ... */

static double in[ROOM], out[ROOM], want[ROOM];
static double *in_device, *out_device;
static int32_t at[64], *at_device;

/* The variant "told" is "expected", its kernels alone are started, and results
 * are the same. */
static void
judge(const char *what, int rc, int told, int expected)
{
    int good = rc == 0 && told == expected;
    cudaStreamSynchronize(stream);
    down(out, out_device, sizeof out);
    for (int v = 1; v < VARIANTS; v++)
        good = good && (ilex_taken[v] > 0) == (v == expected);
    tried++;
    if (!good || memcmp(out, want, sizeof out) != 0 || out[0] == -1.0) {
        printf("returns %d, tells variant %d, not %d\n", rc, told, expected);
        say(what, "not as it should be");
    }
}

static void
prepare(void)
{
    for (int i = 0; i < ROOM; i++)
        want[i] = -1.0;
    cudaMemcpy(out_device, want, sizeof want, cudaMemcpyHostToDevice);
    memset(ilex_taken, 0, sizeof ilex_taken);
}

/* Both programs with the same arguments, then "change" in both. */
#define BOTH(program, change, expected)                                        \
    do {                                                                       \
        fixed_##program##_args a;                                              \
        cpu_##program##_args b;                                                \
        prepare();                                                             \
        fixed_##program##_args_init(&a);                                       \
        cpu_##program##_args_init(&b);                                         \
        SET_##program(a, in_device, at_device, out_device);                    \
        SET_##program(b, in, at, want);                                        \
        a.stream = stream;                                                     \
        a.error = text;                                                        \
        a.error_bytes = sizeof text;                                           \
        change(a);                                                             \
        change(b);                                                             \
        int rc = cpu_##program(&b);                                            \
        rc = rc ? rc : fixed_##program(&a);                                    \
        judge(#program " " #change, rc, fixed_##program##_variant(&a),         \
              expected);                                                       \
    } while (0)

#define SET_hdiff(a, from, index, to)                                          \
    (a.u.data = from, a.coeff.data = from + 100, a.v.data = to, a.ni = 12,     \
     a.nj = 10, a.nk = 8)
#define SET_normalise(a, from, index, to)                                      \
    (a.x.data = from, a.y.data = to, a.n = 16, a.m = 24)
#define SET_pick(a, from, index, to)                                           \
    (a.x.data = from, a.j.data = index, a.y.data = to, a.n = 5, a.m = 8)
/* many_set.h, which the script writes, gives each input another part. */
#define SET_many(a, from, index, to)                                           \
    do {                                                                       \
        const double *x = from;                                                \
        a.y.data = to;                                                         \
        a.n = 3;                                                               \
        MANY_SET(a, x);                                                        \
    } while (0)
#include "many_set.h"

#define as_known(a) (void)a
#define other_ni(a) (a.ni = 13)
#define other_nk(a) (a.nk = 16)
#define other_n(a) (a.n = 17)
#define smaller_n(a) (a.n = 2)
#define other_m(a) (a.m = 9)
/* a row more in memory than there are points */
#define longer_rows(a)                                                         \
    (a.u.stride[0] = 15 * 8, a.u.stride[1] = 8, a.u.stride[2] = 1)
#define axes_swapped(a)                                                        \
    (a.v.stride[0] = 8, a.v.stride[1] = 12 * 8, a.v.stride[2] = 1)
#define backwards(a) (a.x.data += 4, a.x.stride[0] = -1)

/* What a variant's kernel finds out of range is told as by any other. */
static void
try_bounds(void)
{
    fixed_pick_args a;
    int32_t far[8] = {0, 1, 9, 2, -3, 0, 0, 0};
    prepare();
    fixed_pick_args_init(&a);
    SET_pick(a, in_device, (int32_t *)up(far, sizeof far), out_device);
    a.error = text;
    a.error_bytes = sizeof text;
    tried++;
    if (fixed_pick(&a) != FIXED_PICK_E_BOUNDS || ilex_taken[1] == 0 ||
        !strstr(text, "index 9 of axis 0 is data and leaves [0, 5)"))
        say("pick", "an index out of range is none");
}

int
main(void)
{
    for (int i = 0; i < ROOM; i++)
        in[i] = (double)(i * 37 % 101) / 7.0;
    for (int i = 0; i < 64; i++)
        at[i] = i * 7 % 5;
    in_device = up_doubles(in, ROOM);
    out_device = up_doubles(in, ROOM);
    at_device = (int32_t *)up(at, sizeof at);
    BOTH(hdiff, as_known, 1);
    BOTH(hdiff, other_ni, 2);
    BOTH(hdiff, other_nk, 0);
    BOTH(hdiff, longer_rows, 2);
    BOTH(hdiff, axes_swapped, 0);
    BOTH(normalise, as_known, 1);
    BOTH(normalise, other_n, 0);
    BOTH(pick, as_known, 1);
    BOTH(pick, other_m, 0);
    BOTH(pick, backwards, 0);
    BOTH(many, as_known, 1);
    BOTH(many, smaller_n, 0);
    try_bounds();
    printf("%d variants tried over the stand-in, %d wrong\n", tried, bad);
    return bad != 0;
}
