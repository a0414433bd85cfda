/* SPDX-License-Identifier: MIT
 *
 * Indices that are data: where the range ends in which they may be, and which
 * of several that leave theirs a message speaks of.
 */
#include "tests/unit/graph_fixture.h"

enum { N = 5, M = 3 };

static const char *const jits[] = {"reference", "tcc", "cc"};

/* Elements of u from -1 to N + 1, of v from 0 to N - 1. */
static const char text[] = "ilex 1\nprogram p\nsize n, m\n"
                           "in u : f64[i:n] halo(i:1:2)\nin v : f64[j:n]\n"
                           "in s : i64[c:m]\nin t : i32[c:m]\n"
                           "map w[c:m] = u[s[c]] + v[t[c]]\nout d = w\n";

typedef struct job {
    ilex_program *p;
    ilex_storage *u, *v, *s, *t, *d;
} job;

static job
open_job(void)
{
    job j = {.p = compile(text),
             .u = ilex_storage_new(
                 ctx, &ILEX_STORAGE_SPEC(.dtype = "f64", .rank = 1,
                                         .shape = SHAPE(N + 3), .axes = "i",
                                         .halo = (int64_t[]){1, 2})),
             .v = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(N)),
             .s = ilex_storage_zeros(ctx, ILEX_I64, 1, SHAPE(M)),
             .t = ilex_storage_zeros(ctx, ILEX_I32, 1, SHAPE(M)),
             .d = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(M))};
    return j;
}

static void
close_job(job *j)
{
    ilex_storage *all[] = {j->u, j->v, j->s, j->t, j->d};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
    ilex_program_release(j->p);
}

/* With indices "s" and "t" at the last point, the run says "want"; NULL:
 * nothing is wrong. */
static void
run_at(job *j, int64_t s, int64_t t, const char *want)
{
    ilex_binding b[] = {ILEX_BIND("u", j->u), ILEX_BIND("v", j->v),
                        ILEX_BIND("s", j->s), ILEX_BIND("t", j->t),
                        ILEX_BIND("d", j->d)};
    ilex_call call = {.size = sizeof call, .threads = 1};
    for (int i = 0; i < M; i++) {
        ((int64_t *)ilex_storage_data(j->s))[i] = i + 1 < M ? 0 : s;
        ((int32_t *)ilex_storage_data(j->t))[i] = i + 1 < M ? 0 : (int32_t)t;
    }
    ilex_status rc = ilex_run(j->p, b, IX_COUNT(b), &call);
    ck_assert_msg(rc == (want ? ILEX_E_BOUNDS : ILEX_OK), "%s", call.error);
    ck_assert_msg(!want || strstr(call.error, want), "%s", call.error);
}

START_TEST(ends)
{
    for (size_t k = 0; k < IX_COUNT(jits); k++) {
        if (ilex_option_set(ctx, "jit", jits[k]))
            continue;
        job j = open_job();
        run_at(&j, -1, 0, NULL);
        run_at(&j, N + 1, N - 1, NULL);
        run_at(&j, -2, 0, "index -2");
        run_at(&j, N + 2, 0, "index 7");
        run_at(&j, INT64_MIN, 0, "index -9223372036854775808");
        run_at(&j, INT64_MAX, 0, "index 9223372036854775807");
        run_at(&j, 0, N, "index 5");
        run_at(&j, 0, -1, "index -1");
        run_at(&j, -3, N + 1, "index -3");
        close_job(&j);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("outside", ends);
}
