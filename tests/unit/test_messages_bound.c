/* SPDX-License-Identifier: MIT
 *
 * Runs of a group and what is bound: storages that messages come into, what is
 * kept for other parts, prepared calls, runs without a group; and what runs are
 * after one that failed.
 */
#include "runtime/program/messages.h"
#include "tests/unit/ranks_fixture.h"

#define HEAD "ilex 1\nprogram p\nsize n, left, right\nin x : f64[n]\n"

enum { LENGTH = 5 };

/* ---- what is bound, what is kept ---- */

/* Which arguments have one storage, of x, a, b, w, v; the error, or none. */
static const struct sharing {
    int first, second;
    const char *fails;
} sharings[] = {
    {1, 3, NULL},
    {1, 0, "a comes from a rank, and overlaps argument x"},
    {1, 2, "a comes from a rank, and overlaps argument b"},
    {1, 4, "a comes from a rank, and overlaps argument v"},
};

typedef struct pair {
    const struct sharing *sharing;
    ilex_program *p, *q;
} pair;

static int
share(ilex_group *g, void *user)
{
    static const char *const names[] = {"x", "a", "b", "w", "v"};
    const pair *y = user;
    const struct sharing *s = y->sharing;
    ilex_storage *of[5];
    ilex_binding b[5];
    ilex_context *own = ilex_context_new(NULL);
    int64_t n = LENGTH;
    double ten = 10;
    ilex_size_binding size = {"right", 1 - ilex_group_rank(g)};
    ilex_call call = {
        .size = sizeof call, .group = g, .sizes = &size, .size_count = 1};
    for (int i = 0; i < 5; i++)
        of[i] = ilex_storage_new(
            own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n, .fill = &ten));
    for (int i = 0; i < 5; i++)
        b[i] = (ilex_binding)ILEX_BIND(names[i],
                                       of[i == s->second ? s->first : i]);
    ilex_status rc = ilex_run(y->p, b, 5, &call);
    double w = ((const double *)ilex_storage_data(b[3].storage))[1];
    bool ok = s->fails ? rc == ILEX_E_OVERLAP && strstr(call.error, s->fails)
                       : !rc && w == 30;
    if (!ok)
        fprintf(stderr, "%d %s %g\n", (int)rc, call.error, w);
    for (int i = 0; i < 5; i++)
        ilex_storage_release(of[i]);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(shared)
{
    pair y = {.sharing = &sharings[_i]};
    y.p = compile("ilex 1\nprogram p\nsize n, right\nin x : f64[n]\n"
                  "in a : f64[n]\nin b : f64[n]\nrecv a from right\n"
                  "out w = x + a + b inplace a\nout v = exp(x) inplace a\n"
                  "send x to right\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), share, &y), ILEX_OK);
    ilex_program_release(y.p);
}
END_TEST

/* What is kept is kept in the halo, too; a prepared call is such a run. */
static int
near(ilex_group *g, void *user)
{
    const pair *y = user;
    ilex_context *own = ilex_context_new(NULL);
    int64_t n = LENGTH, wide = LENGTH + 2, halo[] = {1, 1}, at[] = {0};
    ilex_storage *u =
        ilex_storage_new(own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &wide,
                                                 .axes = "I", .halo = halo));
    ilex_storage *s[4];
    for (int i = 0; i < 4; i++)
        s[i] = ilex_storage_new(
            own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n, .axes = "I"));
    ranks_fill(u, (uint64_t)ilex_group_rank(g));
    ilex_size_binding size = {"right", 1 - ilex_group_rank(g)};
    ilex_call call = {.size = sizeof call, .sizes = &size, .size_count = 1};
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("w", s[0]),
                        ILEX_BIND("t", s[1]), ILEX_BIND("a", s[2])};
    call.group = g;
    ilex_prepared *q = ilex_bind(own, y->p, b, 4, &call);
    ilex_status rc = q ? ilex_prepared_run(q) : ilex_error_code(own);
    b[1].storage = s[3];
    call.group = NULL;
    bool ok = !rc && !ilex_run(y->p, b, 4, &call);
    for (at[0] = 0; ok && at[0] < n; at[0]++)
        ok = !memcmp(ilex_storage_at(s[0], at), ilex_storage_at(s[3], at), 8);
    if (!ok)
        fprintf(stderr, "%d %s %s\n", (int)rc, call.error,
                ilex_error_text(own));
    ilex_prepared_release(q);
    ilex_storage_release(u);
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i]);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(halos)
{
    pair y = {.p = compile("ilex 1\nprogram p\nsize n, right\n"
                           "in u : f64[I:n] halo(I:1:1)\nin a : f64[I:n]\n"
                           "recv a from right\nlet e = exp(sin(u))\n"
                           "out t = e\nsend t to right\n"
                           "out w = a*e[I-1] + e[I+1]\n")};
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), near, &y), ILEX_OK);
    ck_assert_uint_eq(y.p->messages->n, 2);
    ck_assert_uint_eq(
        ilex_program_argument_count(y.p->messages->part[1].program),
        3); /* a, w, what is kept; not u */
    ck_assert_int_eq(ilex_program_wait(y.p, 30), ILEX_OK);
    for (size_t i = 0; i < y.p->messages->n; i++)
        ck_assert_str_eq(ilex_program_backend(y.p->messages->part[i].program),
                         ilex_program_backend(y.p));
    ilex_program_release(y.p);
}
END_TEST

/* ---- after a failure ---- */

/* Rank 1 waits in vain, or a rank fails before it begins: then all run a
 * program that fits, twice. */
static int
recover(ilex_group *g, void *user)
{
    const pair *y = user;
    int rank = ilex_group_rank(g);
    int64_t n = LENGTH;
    ilex_context *own = ilex_context_new(NULL);
    ilex_storage_spec spec = ILEX_STORAGE_SPEC(.rank = 1, .shape = &n);
    ilex_storage *x = ilex_storage_new(own, &spec),
                 *w = ilex_storage_new(own, &spec);
    ilex_size_binding size = {"right", 1 - rank};
    ilex_call call = {
        .size = sizeof call, .group = g, .sizes = &size, .size_count = 1};
    ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("w", w)};
    *(double *)ilex_storage_data(x) = 1 + rank;
    if (rank == 1)
        ilex_run(y->p, b, 2, &call);
    else if (y->q == y->p)
        ilex_run(y->p, NULL, 2, &call);
    else if (y->q)
        ilex_run(y->q, b, 2, &call);
    else
        ilex_run_steps(y->p, b, 2, 1, "x=", &call);
    bool ok = true;
    for (int k = 0; k < 3; k++) { /* the first may hear of it */
        ilex_status rc = ilex_run(y->p, b, 2, &call);
        ok = !rc && *(double *)ilex_storage_data(w) == 3;
        if (k == 2 && !ok)
            fprintf(stderr, "rank %d: %d %s\n", rank, (int)rc, call.error);
    }
    ilex_storage_release(x);
    ilex_storage_release(w);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(recovered)
{
    static const char good[] =
        "ilex 1\nprogram p\nsize n, right\nin x : f64[n]\nin a : f64[n]\n"
        "recv a from right\nsend x to right\nout w = x + a\n";
    pair y = {.p = compile(good)};
    y.q = _i == 0   ? compile("ilex 1\nprogram p\nsize n, right\n"
                                "assume right >= 0\n"
                                "in x : f64[n]\nout w = x\n")
          : _i == 1 ? y.p
                    : NULL;
    ck_assert_int_eq(ilex_group_run(ctx,
                                    &ILEX_GROUP_SPEC(.ranks = 2, .timeout = 5),
                                    recover, &y),
                     ILEX_OK);
    ilex_program_release(y.p);
    if (_i == 0)
        ilex_program_release(y.q);
}
END_TEST

/* ---- what a run wants ---- */

static ilex_storage *
vector(double first, double second)
{
    int64_t n = 2;
    ilex_storage *s =
        ilex_storage_new(ctx, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n));
    double *x = ilex_storage_data(s);
    x[0] = first;
    x[1] = second;
    return s;
}

/* Without a group messages are arguments. */
START_TEST(alone)
{
    ilex_program *p = compile(HEAD "in a : f64[n]\nrecv a from left\n"
                                   "out w = x + a\nsend w to right\n");
    ilex_storage *s[] = {vector(1, 2), vector(3, 4), vector(0, 0)};
    ilex_binding b[] = {ILEX_BIND("x", s[0]), ILEX_BIND("w", s[2]),
                        ILEX_BIND("a", s[1])};
    ilex_call call = {.size = sizeof call};
    ilex_size_binding size[] = {{"left", 0}, {"right", 0}};
    call.sizes = size;
    call.size_count = 2;
    ck_assert_int_eq(ilex_run(p, b, 2, &call), ILEX_E_BINDING);
    ck_assert_msg(strstr(call.error, "comes from another rank where the call "
                                     "has a group"),
                  "%s", call.error);
    ck_assert_msg(!ilex_run(p, b, 3, &call), "%s", call.error);
    ck_assert_double_eq(((double *)ilex_storage_data(s[2]))[1], 6);
    for (size_t i = 0; i < IX_COUNT(s); i++)
        ilex_storage_release(s[i]);
    ilex_program_release(p);
}
END_TEST

/* Boxes of messages are none. */
START_TEST(boxes)
{
    ilex_option_set(ctx, "box", "1");
    ilex_module *m = parse(HEAD "out w = x\nsend w to right\n");
    ck_assert_ptr_null(ilex_compile_module(m));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_UNSUPPORTED);
    ilex_error_clear(ctx);
    ilex_module_free(m);
}
END_TEST

/* What a run of a group cannot be. */
static int
on_a_grid(ilex_group *g, void *user)
{
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *x = filled(own, grid, 8, 1), *w = filled(own, grid, 8, 1);
    ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("w", w)};
    ilex_call call = {.size = sizeof call, .group = g};
    ilex_status rc = ilex_run(user, b, 2, &call);
    bool ok = rc == ILEX_E_UNSUPPORTED &&
              strstr(call.error, "with storages on a grid");
    if (!ok)
        fprintf(stderr, "%d %s\n", (int)rc, call.error);
    ilex_storage_release(x);
    ilex_storage_release(w);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(grids)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\nin x : f64[I:n]\n"
                              "out w = x\nsend x to 1\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), on_a_grid, p),
        ILEX_OK);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("messages_bound");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, shared, 0, IX_COUNT(sharings));
    tcase_add_test(tests, halos);
    tcase_add_loop_test(tests, recovered, 0, 3);
    tcase_add_test(tests, boxes);
    tcase_add_test(tests, alone);
    tcase_add_test(tests, grids);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
