/* SPDX-License-Identifier: MIT
 *
 * Files of all ranks: each reads, or writes, its part of one .npy file.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/ranks_fixture.h"

static const char path[] = "test_ranks_files.npy";

/* A storage on a grid and the file of the whole. */
static const struct layout {
    const char *dtype, *axes, *ranks, *domain, *order;
    int rank;
    int64_t shape[3], origin[3];
} layouts[] = {
    {"f64", "IJ", "I:2", "I:7", "C", 2, {7, 5}, {0, 0}},
    {"f64", "IJ", "J:3", "J:7", "F", 2, {5, 7}, {0, 0}},
    {"c64", "IJK", "I:2, K:2", "I:6, K:5", "C", 3, {6, 4, 5}, {0, 3, 0}},
    {"i16", "IJK", "I:2, K:2", "I:6, K:5", "F", 3, {6, 4, 5}, {0, 3, 0}},
    {"bool", "JI", "I:4", "I:-1:9", "C", 2, {3, 10}, {0, -1}},
    {"f32", "I", "I:3, J:2", "I:11, J:4", "C", 1, {11}, {0}}, /* J: all alike */
    {"f64", "I", "I:4", "I:2", "C", 1, {2}, {0}}, /* some have nothing */
    {"f64", "I", "I:2", "I:0:4", "C", 1, {0}, {2}},
    {"f64", "IJ", "I:2", "I:4", "C", 2, {4, 200000}, {0, 0}}, /* long rows */
};

static ilex_storage *
make(ilex_context *own, const struct layout *l, ilex_grid *grid)
{
    int64_t halo[6] = {0}, shape[3], h = grid ? 1 : 0;
    for (int k = 0; k < l->rank; k++) {
        halo[2 * k] = halo[2 * k + 1] = h;
        shape[k] = l->shape[k] + 2 * h;
    }
    return ilex_storage_new(
        own,
        &ILEX_STORAGE_SPEC(.rank = l->rank, .shape = shape, .dtype = l->dtype,
                           .axes = l->axes, .halo = halo, .origin = l->origin,
                           .layout = grid ? NULL : l->order, .grid = grid));
}

/* A number for each point, by its index; true if it is there. */
static bool
visit(ilex_storage *s, bool set)
{
    int64_t lo[3] = {0}, hi[3] = {1, 1, 1}, at[3], index[3];
    bool same = true;
    int rank = ilex_storage_rank(s);
    for (int k = 0; k < rank; k++)
        ilex_storage_domain(s, k, &lo[k], &hi[k]);
    for (at[0] = lo[0]; at[0] < hi[0]; at[0]++)
        for (at[1] = lo[1]; at[1] < hi[1]; at[1]++)
            for (at[2] = lo[2]; at[2] < hi[2]; at[2]++) {
                double v[2] = {0}, want = (double)(at[0] * 31 + at[1] * 7 % 97 +
                                                   at[2] * 3 + 5);
                if (ilex_storage_dtype(s) == ILEX_BOOL)
                    want = at[0] * 5 % 3 == at[1] % 2;
                for (int k = 0; k < rank; k++) /* of the memory */
                    index[k] = at[k] - lo[k] + (ilex_storage_grid(s) ? 1 : 0);
                if (set)
                    ilex_storage_set_c128(s, index, (double[2]){want, 0});
                ilex_storage_get_c128(s, index, v);
                same &= v[0] == want;
            }
    return same;
}

/* Writes parts, reads them; the first rank looks at the file, and writes one in
 * the order that is asked for. */
static int
write_and_read(ilex_group *g, void *user)
{
    const struct layout *l = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid =
        ilex_grid_new(own, &ILEX_GRID_SPEC(.group = g, .ranks = l->ranks,
                                           .domain = l->domain));
    ilex_storage *s = make(own, l, grid), *t = make(own, l, grid);
    ck_assert_msg(s && t, "%s", ilex_error_text(own));
    visit(s, true);
    ilex_status rc = ilex_npy_gather(own, path, s);
    if (!rc && ilex_group_rank(g) == 0) {
        ilex_storage *read = ilex_npy_read(own, path);
        ilex_storage *whole = make(own, l, NULL);
        rc = !read || ilex_storage_assign(own, whole, read) ||
                     !visit(whole, false)
                 ? ILEX_E_INTERNAL
                 : ilex_npy_write(own, path, whole);
        ilex_storage_release(read);
        ilex_storage_release(whole);
    }
    rc = rc ? rc : ilex_storage_exchange(own, t); /* the file is there */
    rc = rc ? rc : ilex_npy_scatter(own, path, t);
    rc = rc || visit(t, false) ? rc : ILEX_E_INTERNAL;
    if (rc)
        fprintf(stderr, "rank %d: %s\n", ilex_group_rank(g),
                ilex_error_text(own));
    ilex_storage_release(s);
    ilex_storage_release(t);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return (int)rc;
}

START_TEST(parts)
{
    struct layout l = layouts[_i];
    ranks_case c = {.ranks = l.ranks};
    ck_assert_int_eq(ilex_group_run(ctx,
                                    &ILEX_GROUP_SPEC(.ranks = ranks_of(&c)),
                                    write_and_read, &l),
                     ILEX_OK);
    unlink(path);
}
END_TEST

/* ---- what fails ---- */

static const struct layout four = {"f64", "I", "I:2", "I:4", "C", 1, {4}, {0}};

/* What each rank gets, which has a part of "four"; does it say so? */
typedef struct failure {
    const char *path;
    bool gathers;
    ilex_status code, other; /* of the first rank, of the second one */
    const char *says;        /* the first one */
} failure;

static int
hear(ilex_group *g, void *user)
{
    const failure *f = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:4"));
    ilex_storage *s = make(own, &four, grid);
    bool first = ilex_group_rank(g) == 0;
    ilex_status rc = f->gathers ? ilex_npy_gather(own, f->path, s)
                                : ilex_npy_scatter(own, f->path, s);
    const char *text = ilex_error_text(own);
    bool said = rc == (first ? f->code : f->other) &&
                strstr(text, first || !f->gathers ? f->says : "rank 0 failed");
    if (!said)
        fprintf(stderr, "%d: %s\n", (int)rc, text);
    ilex_storage_release(s);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return said ? ILEX_OK : ILEX_E_INTERNAL;
}

static void
check_failure(failure f)
{
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), hear, &f), ILEX_OK);
}

/* How many files here are called like ours, with a suffix. */
static int
count_temporaries(void)
{
    DIR *d = opendir(".");
    int n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += !strncmp(e->d_name, path, strlen(path)) &&
             strlen(e->d_name) > strlen(path);
    closedir(d);
    return n;
}

/* A file that others have made. */
static void
write_whole(const char *dtype, int64_t n)
{
    double one = 1;
    ilex_storage *s =
        ilex_storage_new(ctx, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n,
                                                 .dtype = dtype, .fill = &one));
    ck_assert_int_eq(ilex_npy_write(ctx, path, s), ILEX_OK);
    ilex_storage_release(s);
}

START_TEST(unreadable)
{
    write_whole("f32", 4);
    check_failure((failure){path, false, ILEX_E_DTYPE, ILEX_E_DTYPE,
                            "is of f32, and the storage of f64"});
    write_whole("f64", 5);
    check_failure((failure){path, false, ILEX_E_SHAPE, ILEX_E_SHAPE,
                            "has 5 elements, and the parts of the storage have "
                            "4"});
    unlink(path);
    check_failure((failure){path, false, ILEX_E_FILE, ILEX_E_FILE, "open"});
}
END_TEST

/* No room on the disk, or no place: all ranks hear of it, what was there stays,
 * and nothing is left beside it. */
START_TEST(unwritable)
{
    struct rlimit before, small;
    check_failure((failure){"no/such/directory.npy", true, ILEX_E_FILE,
                            ILEX_E_GROUP, "cannot write"});
    write_whole("f64", 1);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 130; /* the header, and no element */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_failure(
        (failure){path, true, ILEX_E_FILE, ILEX_E_GROUP, "cannot write"});
    setrlimit(RLIMIT_FSIZE, &before);
    ilex_storage *s = ilex_npy_read(ctx, path);
    ck_assert_msg(s && ilex_storage_shape(s)[0] == 1, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(count_temporaries(), 0);
    ilex_storage_release(s);
    unlink(path);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks_files");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, parts, 0, (int)IX_COUNT(layouts));
    tcase_add_test(tests, unreadable);
    tcase_add_test(tests, unwritable);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
