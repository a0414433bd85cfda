/* SPDX-License-Identifier: MIT
 *
 * What freestanding files compute of <math.h> themselves, beside the C
 * library's: all of it has one right result.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

static double (*const lib_fma)(double, double, double) = fma;
static float (*const lib_fmaf)(float, float, float) = fmaf;
static double (*const lib_fmod)(double, double) = fmod;
static double (*const lib_of_one[])(double) = {rint, floor, ceil, trunc, fabs};
static int (*const lib_print)(char *, size_t, const char *, ...) = snprintf;

#undef snprintf
#undef vsnprintf
#include "q_support.h"

static double (*const of_one[])(double) = {ilex_rint, ilex_floor, ilex_ceil,
                                           ilex_trunc, ilex_fabs};

static uint64_t seed = 88172645463325252u;
static long bad;

static uint64_t
random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* A number whose exponent is near that of 2^near, with many or few digits. */
static double
draw(int near)
{
    uint64_t word = random_word();
    int exponent = near + (int)(random_word() % 9) - 4;
    double x = ilex_of_word((word >> 12) | (uint64_t)1023 << 52);
    if (word & 1)
        x = floor(x * 1024.0) / 1024.0;
    if ((word & 0xf0) == 0)
        return ilex_of_word(random_word());
    return ldexp(word & 2 ? x : -x, exponent);
}

static void
same(const char *what, double is, double want)
{
    if (memcmp(&is, &want, sizeof is) == 0 || (is != is && want != want))
        return;
    if (bad++ < 9)
        printf("%s: %a, not %a\n", what, is, want);
}

static void
try_products(int near)
{
    int other = (int)(random_word() % 120) - 60;
    double x = draw(near / 2 + other), y = draw(near - near / 2 - other);
    double z = random_word() & 3   ? draw(near + (int)(random_word() % 12) - 6)
               : random_word() & 1 ? -x * y
                                   : draw((int)(random_word() % 2000) - 1000);
    same("fma", ilex_fma(x, y, z), lib_fma(x, y, z));
    same("fmaf", ilex_fmaf((float)x, (float)y, (float)z),
         lib_fmaf((float)x, (float)y, (float)z));
}

/* Products half way between two floats, and something small beside. */
static void
try_halves(void)
{
    float x = (float)(4096 + random_word() % 4096);
    float y = (float)((2048 + random_word() % 2048) | 1);
    float z = random_word() & 1 ? 0x1p-40f : -0x1p-40f;
    same("fmaf of halves", ilex_fmaf(x, y, z), lib_fmaf(x, y, z));
    same("fmaf of halves", ilex_fmaf(x, -y, z), lib_fmaf(x, -y, z));
}

int
main(void)
{
    char is[99], want[99];
    for (int i = 0; i < 300000; i++) {
        try_products(i % 2 ? 0 : (int)(random_word() % 2300) - 1150);
        try_halves();
        double x = draw(i % 64), y = draw(i % 64 - (int)(random_word() % 40));
        for (int k = 0; k < 5; k++)
            same("of one", of_one[k](x), lib_of_one[k](x));
        same("fmod", ilex_fmod(x, y), lib_fmod(x, y));
    }
    same("infinite", ilex_fmod(3.0, HUGE_VAL), 3.0);
    for (size_t room = 0; room < sizeof is; room++) {
        is[0] = want[0] = 0;
        int n =
            ilex_snprintf(is, room, "%s|%.3s|%d|%lld|%llu|", "word", "letters",
                          -2147483647 - 1, -9223372036854775807LL - 1,
                          18446744073709551615ULL);
        int m = lib_print(want, room, "%s|%.3s|%d|%lld|%llu|", "word",
                          "letters", -2147483647 - 1,
                          -9223372036854775807LL - 1, 18446744073709551615ULL);
        if (n != m || strcmp(is, want) != 0)
            bad += printf("'%s', not '%s'\n", is, want) > 0;
    }
    printf("%ld wrong\n", bad);
    return bad != 0;
}
