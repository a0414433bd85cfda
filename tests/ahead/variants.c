/* SPDX-License-Identifier: MIT
 *
 * Code for sizes that are known: each row calls a program that has variants and
 * the same program without; results are the same bits, and the variant that
 * NAME_variant() tells is the one whose kernels ran, or none. variants.sh has
 * each kernel of a variant count in ilex_taken.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "any_hdiff.h"
#include "any_merge.h"
#include "any_normalise.h"
#include "hdiff.h"
#include "merge.h"
#include "normalise.h"

enum { VARIANTS = 4, ROOM = 1 << 14 };

int ilex_taken[VARIANTS]; /* calls of kernels of variants 1, 2, ... */

static double in[ROOM], coeff[64], out[ROOM], want[ROOM];

static void
prepare(void)
{
    for (int i = 0; i < ROOM; i++) {
        in[i] = (double)(i * 37 % 101) / 7.0;
        out[i] = want[i] = -1.0;
    }
    for (int i = 0; i < 64; i++)
        coeff[i] = 0.01 * i;
    memset(ilex_taken, 0, sizeof ilex_taken);
}

/* The variant "told" is "expected", its kernels alone ran, and results are the
 * same. */
static int
judge(const char *what, int rc, int told, int expected)
{
    int good = rc == 0 && told == expected;
    for (int v = 1; v < VARIANTS; v++)
        good = good && (ilex_taken[v] > 0) == (v == expected);
    good = good && memcmp(out, want, sizeof out) == 0 && out[0] != -1.0;
    if (!good)
        printf("%s: returns %d, tells variant %d, not %d; taken %d %d %d\n",
               what, rc, told, expected, ilex_taken[1], ilex_taken[2],
               ilex_taken[3]);
    return !good;
}

/* Runs the parts of a loop from the last to the first. */
static void
backwards(void *user, void (*body)(void *arg, int64_t i), void *arg, int64_t n)
{
    (void)user;
    while (n-- > 0)
        body(arg, n);
}

/* Both programs with the same arguments, then "change" in both. */
#define BOTH(program, change, expected)                                        \
    do {                                                                       \
        program##_args a;                                                      \
        any_##program##_args b;                                                \
        prepare();                                                             \
        program##_args_init(&a);                                               \
        any_##program##_args_init(&b);                                         \
        SET_##program(a, out);                                                 \
        SET_##program(b, want);                                                \
        a.parallel_for = b.parallel_for = parts ? backwards : NULL;            \
        a.parts = b.parts = parts;                                             \
        change(a);                                                             \
        change(b);                                                             \
        int rc = any_##program(&b);                                            \
        rc = rc ? rc : program(&a);                                            \
        bad +=                                                                 \
            judge(#program " " #change, rc, program##_variant(&a), expected);  \
        tried++;                                                               \
    } while (0)

#define SET_hdiff(a, to)                                                       \
    (a.u.data = in, a.coeff.data = coeff, a.v.data = to, a.ni = 12, a.nj = 10, \
     a.nk = 8)
#define SET_normalise(a, to) (a.x.data = in, a.y.data = to, a.n = 16, a.m = 24)
#define SET_merge(a, to) (a.x.data = in, a.y.data = to, a.n = 6, a.m = 7)

#define as_known(a) (void)a
#define other_ni(a) (a.ni = 13)
#define other_nk(a) (a.nk = 16)
#define other_nj_and_ni(a) (a.ni = a.nj = 11)
#define other_m(a) (a.m = 25)
#define other_n(a) (a.n = 17)
#define empty(a) (a.n = 0)
/* a row more in memory than there are points */
#define longer_rows(a)                                                         \
    (a.u.stride[0] = 15 * 8, a.u.stride[1] = 8, a.u.stride[2] = 1)
#define axes_swapped(a)                                                        \
    (a.v.stride[0] = 8, a.v.stride[1] = 12 * 8, a.v.stride[2] = 1)
#define wider_halo(a)                                                          \
    (a.u.shape[0] = 17, a.u.shape[1] = 14, a.u.shape[2] = 8, a.u.halo[0][1] = 3)
#define written_out(a)                                                         \
    (a.u.stride[0] = 14 * 8, a.u.stride[1] = 8, a.u.stride[2] = 1)
#define backwards_in_j(a)                                                      \
    (a.x.data = in + 23, a.x.stride[0] = 24, a.x.stride[1] = -1)

int
main(void)
{
    int bad = 0, tried = 0;
    for (int parts = 0; parts < 4; parts += 3) {
        BOTH(hdiff, as_known, 1);
        BOTH(hdiff, written_out, 1);
        BOTH(hdiff, wider_halo, 1); /* along the outermost axis */
        BOTH(hdiff, other_ni, 2);
        BOTH(hdiff, other_nj_and_ni, 3);
        BOTH(hdiff, other_nk, 0);
        BOTH(hdiff, longer_rows, 3);
        BOTH(hdiff, axes_swapped, 0);
        BOTH(normalise, as_known, 1);
        BOTH(normalise, other_n, 0);
        BOTH(normalise, other_m, 0);
        BOTH(normalise, backwards_in_j, 0);
        BOTH(merge, as_known, 1);
        BOTH(merge, other_n, 0);
    }
    printf("%d runs, %d not as they should be\n", tried, bad);
    return bad != 0;
}
