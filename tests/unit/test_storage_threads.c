/* SPDX-License-Identifier: MIT
 *
 * Threads over one storage: two read views of it (elements, slices, copies,
 * eager operators) while a third runs a program over it; once in host memory,
 * once with a device buffer that is newer, which exactly one of them fetches.
 * Meant for the thread sanitizer, which sees counts and states; the values are
 * checked in any build.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

#include "ilex.h"

enum { ROWS = 8, COLUMNS = 16, ROUNDS = 40 };

typedef struct job {
    ilex_storage *s;
    const char *jit;
    bool eager;      /* operators too */
    const char *bad; /* what went wrong first */
} job;

/* Element (i, j) of the shared storage. */
static double
value(int64_t i, int64_t j)
{
    return (double)(100 * i + j);
}

static void
note(job *j, bool ok, const char *what)
{
    if (!ok && !j->bad)
        j->bad = what;
}

static bool
is_value(const ilex_storage *s, const int64_t *index, double want)
{
    double v = -1;
    return s && ilex_storage_get_f64(s, index, &v) == ILEX_OK && v == want;
}

/* ---- reading ---- */

static void
read_views(job *j, ilex_context *own, int64_t i)
{
    ilex_storage *row = ilex_storage_index(own, j->s, 0, i);
    ilex_storage *back = ilex_storage_slice(own, row, 0, COLUMNS - 1, -1, -1);
    ilex_storage *turned = ilex_storage_transpose(own, j->s, NULL);
    note(j, is_value(row, SHAPE(3), value(i, 3)), "row");
    note(j, is_value(back, SHAPE(0), value(i, COLUMNS - 1)), "slice");
    note(j, is_value(turned, SHAPE(5, i), value(i, 5)), "transpose");
    ilex_storage *copy = ilex_storage_copy(own, back);
    note(j, is_value(copy, SHAPE(2), value(i, COLUMNS - 3)), "copy");
    ilex_storage_release(copy);
    ilex_storage_release(turned);
    ilex_storage_release(row);
    ilex_storage_release(back);
}

static void
read_eagerly(job *j, ilex_context *own, int64_t i)
{
    ilex_storage *row = ilex_storage_index(own, j->s, 0, i);
    ilex_storage *sum = ilex_storage_add(own, j->s, row);
    ilex_storage *most = ilex_storage_max(own, j->s, "I");
    note(j, is_value(sum, SHAPE(2, 4), value(2, 4) + value(i, 4)), "add");
    note(j, is_value(most, SHAPE(4), value(ROWS - 1, 4)), "max");
    ilex_storage_release(most);
    ilex_storage_release(sum);
    ilex_storage_release(row);
}

static void *
reader(void *arg)
{
    job *j = arg;
    ilex_context *own = ilex_context_new(NULL);
    ilex_option_set(own, "jit", j->jit);
    for (int n = 0; n < ROUNDS; n++) {
        ilex_storage *held = ilex_storage_retain(j->s);
        read_views(j, own, n % ROWS);
        if (j->eager)
            read_eagerly(j, own, n % ROWS);
        ilex_storage_release(held);
    }
    note(j, ilex_error_code(own) == ILEX_OK, "an error");
    ilex_context_free(own);
    return NULL;
}

/* ---- running ---- */

/* y = u + u on storages of its own. */
static void *
runner(void *arg)
{
    job *j = arg;
    ilex_context *own = ilex_context_new(NULL);
    ilex_option_set(own, "jit", j->jit);
    ilex_array *u = ilex_input(own, "u", ILEX_F64, "I:n, J:m");
    ilex_array *y = ilex_add(u, u);
    const char *name = "y";
    ilex_program *p =
        ilex_compile(own, 1, &y,
                     &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                          .names = &name});
    ilex_storage *out =
        ilex_storage_empty(own, ILEX_F64, 2, SHAPE(ROWS, COLUMNS));
    for (int n = 0; p && n < ROUNDS; n++) {
        ilex_binding b[] = {ILEX_BIND("u", j->s), ILEX_BIND("y", out)};
        note(j, ilex_run(p, b, 2, NULL) == ILEX_OK, "run");
        note(j, is_value(out, SHAPE(n % ROWS, 7), 2 * value(n % ROWS, 7)),
             "program");
    }
    note(j, p != NULL, "compile");
    ilex_storage_release(out);
    ilex_program_release(p);
    ilex_context_free(own);
    return NULL;
}

/* Two readers and a runner over "s". */
static void
go(ilex_storage *s, const char *jit, bool eager)
{
    pthread_t thread[3];
    job jobs[3];
    for (int i = 0; i < 3; i++) {
        jobs[i] = (job){.s = s, .jit = jit, .eager = eager};
        ck_assert_int_eq(pthread_create(&thread[i], NULL,
                                        i == 2 ? runner : reader, &jobs[i]),
                         0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(!jobs[i].bad, "thread %d: %s", i, jobs[i].bad);
    ck_assert_uint_eq(atomic_load(&s->count), 1);
    ck_assert_uint_eq(atomic_load(&s->memory->count), 1);
}

static void
write_value(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(double *)element = value(index[0], index[1]);
}

static ilex_storage *
shared(const char *device)
{
    ilex_storage *s = ilex_storage_new(
        NULL, &SPEC(.rank = 2, .shape = SHAPE(ROWS, COLUMNS), .axes = "IJ",
                    .initialize = write_value, .device = device));
    ck_assert_ptr_nonnull(s);
    return s;
}

static const char *const backends[] = {"reference", "tcc"};

START_TEST(on_the_host)
{
    ilex_storage *s = shared(NULL);
    go(s, backends[_i], true);
    ilex_storage_release(s);
}
END_TEST

START_TEST(newer_on_a_device)
{
    ilex_storage *s = shared("gpu");
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 1), ILEX_OK);
    for (int round = 0; round < 5; round++) {
        ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
        go(s, backends[_i], false);
        ck_assert_int_eq(ilex_storage_transfers(s).to_host, round + 1);
        ck_assert_int_eq(ilex_storage_transfers(s).implicit, round + 1);
        ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    }
    ilex_storage_release(s);
}
END_TEST

/* ---- writing parts ---- */

static void *
writer(void *arg)
{
    job *j = arg;
    ilex_context *own = ilex_context_new(NULL);
    ilex_option_set(own, "jit", j->jit);
    ilex_storage *one = ilex_storage_scalar(own, ILEX_F64, 1);
    ilex_storage *x[] = {j->s, one};
    for (int n = 0; n < ROUNDS; n++) {
        ilex_storage *y = ilex_eager(own, "add", 2, x, j->s);
        note(j, y == j->s, "add");
        ilex_storage_release(y);
    }
    ilex_storage_release(one);
    ilex_context_free(own);
    return NULL;
}

/* Each half of one storage has its thread; both make the host newer. */
START_TEST(writers_of_parts)
{
    ilex_storage *s = shared("gpu");
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
    pthread_t thread[2];
    job jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i] = (job){.jit = backends[_i],
                        .s = ilex_storage_slice(ctx, s, 0, i * ROWS / 2,
                                                (i + 1) * ROWS / 2, 1)};
        pthread_create(&thread[i], NULL, writer, &jobs[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_msg(!jobs[i].bad, "%s", jobs[i].bad);
        ilex_storage_release(jobs[i].s);
    }
    for (int64_t i = 0; i < ROWS; i++)
        ck_assert(is_value(s, SHAPE(i, 9), value(i, 9) + ROUNDS));
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert_int_eq(ilex_storage_transfers(s).implicit, 0);
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_threads");
    TCase *tests = tcase_create("threads");
    tcase_add_checked_fixture(tests, open_device, close_device);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, on_the_host, 0, 2);
    tcase_add_loop_test(tests, newer_on_a_device, 0, 2);
    tcase_add_loop_test(tests, writers_of_parts, 0, 2);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
