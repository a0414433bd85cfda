/* SPDX-License-Identifier: MIT
 *
 * Wrong arguments of programs compiled ahead of time: each is an error with its
 * number and a sentence, nothing is written, nothing crashes. One row a
 * mistake; project.sh builds it with what `ilexc compile` writes.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grow.h"
#include "hdiff.h"
#include "highest.h"
#include "last.h"
#include "merge.h"
#include "normalise.h"
#include "pick.h"

enum { N = 6, WIDE = N + 4, MARK = 77, ROOM = 1 << 20 };

/* What the programs work on; outputs hold MARK until they are written. */
static double u[WIDE * WIDE * 8], coeff[8], v[N * N * 8 + 8], x[64], y[64];
static int32_t at[8];
static uint64_t first[8];
static char text[400];
static char room[ROOM + 64], *workspace;

static void
prepare(void)
{
    for (size_t i = 0; i < sizeof u / sizeof *u; i++)
        u[i] = (double)(i % 13);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        v[i] = MARK;
    for (int i = 0; i < 64; i++) {
        x[i] = i;
        y[i] = MARK;
    }
    for (int i = 0; i < 8; i++) {
        coeff[i] = 0.1;
        at[i] = i % 5;
        first[i] = 0;
    }
    text[0] = '\0';
    workspace = room + (64 - (uintptr_t)room % 64) % 64;
}

static int
is_untouched(void)
{
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (v[i] != MARK)
            return 0;
    for (int i = 0; i < 64; i++)
        if (y[i] != MARK)
            return 0;
    return 1;
}

/* ---- arguments that are right ---- */

/* The members that all structs of arguments have. */
#define START(program, a)                                                      \
    program##_args a;                                                          \
    program##_args_init(&a);                                                   \
    a.error = text;                                                            \
    a.error_bytes = sizeof text

static hdiff_args
right_hdiff(void)
{
    START(hdiff, a);
    a.u.data = u;
    a.u.shape[0] = a.u.shape[1] = WIDE;
    a.u.shape[2] = 8;
    a.coeff.data = coeff;
    a.v.data = v;
    return a;
}

static normalise_args
right_normalise(void)
{
    START(normalise, a);
    a.n = a.m = 8;
    a.x.data = x;
    a.y.data = y;
    a.workspace = workspace;
    a.workspace_bytes = ROOM;
    return a;
}

static pick_args
right_pick(void)
{
    START(pick, a);
    a.x.data = x;
    a.x.shape[0] = 5;
    a.j.data = at;
    a.j.shape[0] = 8;
    a.y.data = y;
    return a;
}

static last_args
right_last(void)
{
    START(last, a);
    a.x.data = x;
    a.x.shape[0] = 5;
    a.j.data = at;
    a.j.shape[0] = 8;
    a.k.data = first;
    a.y.data = y;
    return a;
}

static grow_args
right_grow(void)
{
    START(grow, a);
    a.n = 32;
    a.x.data = x;
    a.y.data = y;
    return a;
}

static highest_args
right_highest(void)
{
    START(highest, a);
    a.x.data = x;
    a.x.shape[0] = 0;
    a.y.data = y;
    return a;
}

static merge_args
right_merge(void)
{
    START(merge, a);
    a.n = 4;
    a.m = 8;
    a.x.data = x;
    a.y.data = y;
    return a;
}

/* ---- mistakes: M(program, name, what is wrong with "a", number, part of the
 * sentence) ---- */

#define MISTAKES                                                               \
    M(hdiff, size_not_set, a.size = 0, ARGUMENT, "")                           \
    M(hdiff, another_abi, a.abi = 99, ARGUMENT, "start with hdiff_args_init")  \
    M(hdiff, no_data, a.u.data = NULL, BINDING, "u has no data")               \
    M(hdiff, no_output, a.v.data = NULL, BINDING, "v has no data")             \
    M(hdiff, length_below_unset, a.u.shape[0] = -2, BINDING_SHAPE, "-2")       \
    M(hdiff, halo_missing, a.u.halo[0][0] = 0, HALO, "covers [0, 10)")         \
    M(hdiff, halo_negative, a.u.halo[1][1] = -1, ARGUMENT, "halo of 2:-1")     \
    M(hdiff, halo_too_wide, a.u.halo[1][1] = 9, ARGUMENT, "halo of 2:9")       \
    M(hdiff, halo_huge, a.u.halo[1][1] = INT64_MAX, ARGUMENT, "halo of 2:")    \
    M(hdiff, origin_elsewhere, a.u.origin[0] = 1, SIZE, "set the origin")      \
    M(hdiff, origin_huge, a.u.origin[0] = INT64_MIN, OVERFLOW, "61 bits")      \
    M(hdiff, size_against_shape, a.ni = 7, SIZE, "given as 7, but the shapes") \
    M(hdiff, size_negative, a.nj = -5, SIZE, "-5")                             \
    M(hdiff, lengths_differ, a.v.shape[2] = 7, BINDING_SHAPE, "length")        \
    M(hdiff, output_too_short, a.v.shape[0] = 5, BINDING_SHAPE, "length 6")    \
    M(hdiff, assumption, a.u.shape[2] = 7, ASSUMPTION, "nk % 8 == 0")          \
    M(hdiff, empty_domain, a.u.shape[0] = 4, ASSUMPTION, "ni")                 \
    M(hdiff, misaligned, a.u.data = (double *)(void *)((char *)u + 1),         \
      ALIGNMENT, "u is not aligned to 8")                                      \
    M(hdiff, alias, a.v.data = u + 1, OVERLAP, "overlaps argument u")          \
    M(hdiff, alias_in_the_halo, a.v.data = u + WIDE * WIDE * 8 - 1, OVERLAP,   \
      "overlaps argument u")                                                   \
    M(hdiff, output_on_itself, a.v.stride[2] = 1, OVERLAP, "share memory")     \
    M(hdiff, stride_huge,                                                      \
      (a.u.stride[0] = INT64_MAX / 8, a.u.stride[1] = 8, a.u.stride[2] = 1),   \
      OVERFLOW, "u leaves 64 bits")                                            \
    M(hdiff, parts_negative, a.parts = -1, ARGUMENT, "parts is -1")            \
    M(hdiff, parts_many, a.parts = 257, ARGUMENT, "parts is 257")              \
    M(normalise, workspace_small, a.workspace_bytes = 64, ARGUMENT,            \
      "the workspace has 64 bytes")                                            \
    M(normalise, workspace_null, a.workspace = NULL, ARGUMENT, "NULL")         \
    M(normalise, workspace_misaligned, a.workspace = workspace + 8, ALIGNMENT, \
      "not aligned to 64")                                                     \
    M(normalise, workspace_on_input, a.x.data = (double *)(void *)workspace,   \
      OVERLAP, "overlaps argument x")                                          \
    M(normalise, size_open, a.n = -1, SIZE, "size n follows from no shape")    \
    M(normalise, size_beyond, (a.n = INT64_MAX, a.m = 2), OVERFLOW, "64 bits") \
    M(pick, index_behind, at[3] = 5, BOUNDS, "index 5 of axis 0 is data")      \
    M(pick, index_before, at[3] = -6, BOUNDS, "[0, 5), which x covers")        \
    M(last, index_before, at[3] = -6, BOUNDS,                                  \
      "index -6 of axis 0 is data and leaves [-5, 5), which x covers from")    \
    M(last, index_huge, first[3] = UINT64_MAX, BOUNDS,                         \
      "index 18446744073709551615 of axis 0 is data and leaves [0, 5)")        \
    M(grow, alias_moved, a.y.data = x + 1, OVERLAP, "inplace")                 \
    M(grow, alias_strided,                                                     \
      (a.y.data = x, a.x.shape[0] = 32, a.x.stride[0] = 2), OVERLAP,           \
      "inplace")                                                               \
    M(highest, nothing, (void)a, EMPTY_REDUCTION, "max over an axis of")       \
    M(merge, product_beyond, (a.n = a.m = INT64_C(1) << 40), OVERFLOW, "")

#define M(program, name, wrong, number, part)                                  \
    static int program##_##name(const char **want)                             \
    {                                                                          \
        program##_args a = right_##program();                                  \
        *want = part;                                                          \
        wrong;                                                                 \
        return program(&a) == (int)number_of_##number;                         \
    }
#define number_of_ARGUMENT HDIFF_E_ARGUMENT
#define number_of_BOUNDS HDIFF_E_BOUNDS
#define number_of_OVERFLOW HDIFF_E_OVERFLOW
#define number_of_BINDING HDIFF_E_BINDING
#define number_of_BINDING_SHAPE HDIFF_E_BINDING_SHAPE
#define number_of_HALO HDIFF_E_HALO
#define number_of_OVERLAP HDIFF_E_OVERLAP
#define number_of_ALIGNMENT HDIFF_E_ALIGNMENT
#define number_of_ASSUMPTION HDIFF_E_ASSUMPTION
#define number_of_SIZE HDIFF_E_SIZE
#define number_of_EMPTY_REDUCTION HDIFF_E_EMPTY_REDUCTION
MISTAKES
#undef M

static const struct {
    const char *name;
    int (*make)(const char **want);
    int checked_before; /* than anything is written */
} mistakes[] = {
#define M(program, name, wrong, number, part)                                  \
    {#program " " #name, program##_##name,                                     \
     number_of_##number != HDIFF_E_BOUNDS},
    MISTAKES
#undef M
};

/* ---- what is right ---- */

/* The arguments that mistakes start from have none, sizes are solved, and what
 * is not set is filled in. */
static int
check_right(void)
{
    hdiff_args h = right_hdiff();
    normalise_args n = right_normalise();
    pick_args p = right_pick();
    grow_args g = right_grow();
    merge_args m = right_merge();
    int good = hdiff(&h) == 0 && hdiff_query(&h) == 0 && h.ni == N &&
               h.nk == 8 && h.v.shape[1] == N && h.v.stride[0] == N * 8 &&
               h.u.halo[0][0] == 2 && h.coeff.shape[0] == 8 &&
               hdiff_workspace(&h) == 0;
    good = good && normalise(&n) == 0 && normalise_workspace(&n) > 64 &&
           pick(&p) == 0 && y[6] == 1.0 && grow(&g) == 0 && merge(&m) == 0;
    n.n = -7;
    good = good && normalise_workspace(&n) == SIZE_MAX && pick(NULL) != 0;
    g.y.data = x; /* in place */
    good = good && grow(&g) == 0 && x[1] == 3.0;
    return good;
}

/* Nothing behind a struct is read, whatever it says about its size. */
static int
check_size(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *fence = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hdiff_args a = right_hdiff();
    if (fence == MAP_FAILED || mprotect(fence + page, page, PROT_NONE))
        return 0;
    a.size = SIZE_MAX;
    memcpy(fence + page - sizeof a, &a, sizeof a);
    int rc = hdiff((hdiff_args *)(void *)(fence + page - sizeof a));
    munmap(fence, 2 * page);
    return rc == HDIFF_E_ARGUMENT;
}

int
main(void)
{
    int bad = 0, count = (int)(sizeof mistakes / sizeof *mistakes);
    for (int i = 0; i < count; i++) {
        const char *want;
        prepare();
        int fine = mistakes[i].make(&want) && strstr(text, want) &&
                   (is_untouched() || !mistakes[i].checked_before);
        if (!fine)
            printf("%s: \"%s\", not \"%s\"\n", mistakes[i].name, text, want);
        bad += !fine;
    }
    prepare();
    if (!check_right()) {
        printf("what is right is refused: %s\n", text);
        bad++;
    }
    if (!check_size()) {
        printf("a size of SIZE_MAX is believed\n");
        bad++;
    }
    printf("%d mistakes, %d not as they should be\n", count, bad);
    return bad != 0;
}
