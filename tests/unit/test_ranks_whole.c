/* SPDX-License-Identifier: MIT
 *
 * What needs more than one run to be seen: runs that read whole axes, one after
 * the other and in places of others, eager reductions, what many steps send.
 */
#include "tests/unit/ranks_fixture.h"

/* ---- eager reductions ---- */

static int
reduced(ilex_group *g, void *user)
{
    int64_t shape[] = {7, 5}, n = 5;
    double sum = 0, column = 0;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid =
        ilex_grid_new(own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2, J:2",
                                           .domain = "I:1:6, J:3"));
    ilex_storage *x = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape, .axes = "IJ",
                                .halo = ((int64_t[]){1, 1, 1, 1}),
                                .origin = ((int64_t[]){1, 0}),
                                .fill = &(double){100}, .grid = grid));
    int64_t lo, hi, from, to;
    ilex_storage_domain(x, 0, &lo, &hi);
    ilex_storage_domain(x, 1, &from, &to);
    for (int64_t i = lo; i < hi; i++)
        for (int64_t j = from; j < to; j++)
            ilex_storage_set_f64(x, ((int64_t[]){i - lo + 1, j - from + 1}),
                                 (double)(i + 10 * j));
    ilex_storage *s = ilex_eager_reduce(own, "sum", x, NULL, NULL);
    ilex_storage *c = ilex_eager_reduce(own, "sum", x, "I", NULL);
    ilex_storage_get_f64(s, NULL, &sum);
    ilex_storage_get_f64(c, &(int64_t){0}, &column); /* 1 + ... + 5 + 50*j */
    bool same = sum == 195 && (double)(15 + 50 * from) == column &&
                ilex_storage_grid(c) == grid && !ilex_storage_grid(s) &&
                (ilex_storage_whole(c, 0, &lo, &hi), hi - lo == 3);
    ilex_storage *flat = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n, .axes = "I"));
    bool refused = !ilex_eager_reduce(own, "sum", x, "J", flat) &&
                   ilex_error_code(own) == ILEX_E_BINDING;
    if (!same || !refused)
        fprintf(stderr, "%g, %g; %s\n", sum, column, ilex_error_text(own));
    ilex_storage_release(flat);
    ilex_storage_release(c);
    ilex_storage_release(s);
    ilex_storage_release(x);
    ilex_grid_release(grid);
    ilex_context_free(own);
    (void)user;
    return same && refused ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(eager_reductions)
{
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 4), reduced, NULL),
        ILEX_OK);
}
END_TEST

/* ---- eager writes ---- */

/* A part without points is written as others are: the halo is sent again. */
static int
written(ilex_group *g, void *user)
{
    ilex_program *const *p = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:3", .domain = "I:2"));
    ilex_storage *u = filled(own, grid, 2, 1), *v = filled(own, grid, 2, 1);
    ilex_storage *in = ilex_storage_interior(own, u);
    ilex_storage *two = ilex_storage_scalar(own, ILEX_F64, 2), *made = NULL;
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("v", v)};
    int rc = (int)ilex_run(*p, b, 2, NULL);
    for (int turn = 0; !rc && turn < 2; turn++) {
        made = ilex_eager(own, "multiply", 2,
                          ILEX_LIST(ilex_storage *, in, two), in);
        rc = made ? (int)ilex_run(*p, b, 2, NULL) : (int)ilex_error_code(own);
        ilex_storage_release(made);
        rc = rc ? rc : (int)ilex_eager_assign(own, in, two);
        rc = rc ? rc : (int)ilex_run(*p, b, 2, NULL);
    }
    int64_t n = ilex_storage_shape(in)[0];
    double sum = 3; /* of a point that is 2 and one outside of the domain */
    if (n > 0)
        ilex_storage_get_f64(v, &(int64_t){1}, &sum);
    ilex_storage_release(two);
    ilex_storage_release(in);
    ilex_storage_release(v);
    ilex_storage_release(u);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return rc || sum == 3 ? rc : ILEX_E_INTERNAL;
}

START_TEST(eager_writes)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\n"
                              "in u : f64[I:n] halo(I:1:1)\n"
                              "out v : f64[I:n] = u[I-1] + u[I+1]\n");
    ilex_status rc = ilex_group_run(
        ctx, &ILEX_GROUP_SPEC(.ranks = 3, .timeout = 30), written, &p);
    ck_assert_msg(rc == ILEX_OK, "%d: %s", rc, ilex_error_text(ctx));
    ilex_program_release(p);
}
END_TEST

/* ---- runs in sections ---- */

/* u is nine times as much after each of three runs: what one of them sent is
 * old in the next one, and the place of u is written when all of it is read. */
static int
summed_up(ilex_group *g, void *user)
{
    ilex_program *const *p = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *u = filled(own, grid, 8, 2), *x = filled(own, grid, 8, 0);
    ilex_storage *t = ilex_storage_zeros(own, ILEX_F64, 0, NULL);
    ilex_status rc = ilex_error_code(own);
    double want = 16;
    for (int turn = 0; !rc && turn < 3; turn++, want *= 9) {
        ilex_call call = {.size = sizeof call};
        ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("v", u),
                            ILEX_BIND("t", t), ILEX_BIND("x", x)};
        double sum = 0, mean = 0;
        rc = ilex_run(p[0], b, 4, &call);
        ilex_storage_get_f64(t, NULL, &sum);
        ilex_storage_get_f64(x, &(int64_t){1}, &mean);
        bool wrong = rc || sum != want || mean != want + want / 8;
        if (wrong)
            fprintf(stderr, "rank %d: %g, %g in turn %d; %s\n",
                    ilex_group_rank(g), sum, mean, turn, call.error);
        rc = wrong ? ILEX_E_INTERNAL : ILEX_OK;
    }
    ilex_call call = {.size = sizeof call};
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("w", u)};
    ilex_status refused = rc ? rc : ilex_run(p[1], b, 2, &call);
    if (!rc && (refused != ILEX_E_OVERLAP ||
                !strstr(call.error, "output w shares memory with input u")))
        rc = fprintf(stderr, "%d: %s\n", (int)refused, call.error)
                 ? ILEX_E_INTERNAL
                 : ILEX_OK;
    ilex_storage_release(t);
    ilex_storage_release(x);
    ilex_storage_release(u);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return (int)rc;
}

START_TEST(sections_again)
{
    with_programs(summed_up,
                  "ilex 1\nprogram up\nsize n\nin u : f64[I:n] halo(I:1:1)\n"
                  "let s = sum[I](u)\nout v = 9.0*u inplace u\n"
                  "out t : f64[] = s\nout x = u + s\n",
                  "ilex 1\nprogram beside\nsize n\nin u : f64[I:n]\n"
                  "out w = u - max[I](u)\n");
}
END_TEST

/* ---- functions of the host ---- */

/* y(i) = x(i) + x(n-1-i) */
static int
mirror(const ilex_function_call *call)
{
    const ilex_function_array *x = call->argument, *y = call->result;
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((double *)y->data)[i * y->stride[0]] =
            ((const double *)x->data)[i * x->stride[0]] +
            ((const double *)x->data)[(x->shape[0] - 1 - i) * x->stride[0]];
    return ILEX_OK;
}

static double
cube(double x)
{
    return x * x * x;
}

START_TEST(functions)
{
    const ranks_case c = {
        "ilex 1\nprogram calls\nsize n, m\n"
        "extern mirror(x : f64[k]) -> f64[k] pure\n"
        "extern cube(x : f64) -> f64 pure elementwise\n"
        "in u : f64[I:n]\nin v : f64[I:n, J:m] halo(I:1:1)\n"
        "reshape w[n] = u\nlet x = mirror(w)\n"
        "map y[I=i:n] = x[i] + u[i]\nout a = y + sum[J](cube(v[I+1]))\n",
        "I:3",
        "I:10",
        NULL,
        1,
        {{"n", 10}, {"m", 4}},
        2,
        NULL,
        1,
        false};
    ilex_function_register(ctx, "mirror", &ILEX_FUNCTION_SPEC(.host = mirror));
    ilex_function_register(
        ctx, "cube",
        &ILEX_FUNCTION_SPEC(.elementwise = (ilex_elementwise_function)cube));
    ranks_check(&c, 1);
}
END_TEST

/* ---- many steps ---- */

static const char water[] =
    "ilex 1\nprogram step\nsize n\n"
    "in h : f64[I:n, J:n] halo(auto)\nin u : f64[I:n, J:n] halo(auto)\n"
    "in v : f64[I:n, J:n] halo(auto)\n"
    "let us = u - 0.3*(h - h[I-1])\nlet vs = v - 0.3*(h - h[J-1])\n"
    "let fx = us*(h + h[I-1])*0.5\nlet fy = vs*(h + h[J-1])*0.5\n"
    "out hn = h - 0.3*(fx[I+1] - fx + fy[J+1] - fy)\nout un = us\nout vn = "
    "vs\n";

/* Shallow water on a plane that goes round: h is read one point around, u one
 * behind along I, v one behind along J, and both neighbours along an axis are
 * one rank; so a step is a message an axis, of what is read and no more. */
static int
steps(ilex_group *g, void *user)
{
    enum { FIELDS = 6, N = 16, PART = N / 2, STEPS = 20 };
    static const char *const names[] = {"h", "u", "v", "hn", "un", "vn"};
    int64_t shape[] = {N + 2, N + 2};
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2, J:2",
                             .domain = "I:16, J:16", .periodic = "I, J"));
    ilex_binding b[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        b[i] = (ilex_binding)ILEX_BIND(
            names[i],
            ilex_storage_new(
                own, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape, .axes = "IJ",
                                        .halo = ((int64_t[]){1, 1, 1, 1}),
                                        .fill = &(double){1}, .grid = grid)));
    ilex_call call = {.size = sizeof call};
    ilex_group_counts sent;
    ilex_status rc =
        ilex_run_steps(user, b, FIELDS, STEPS, "h=hn, u=un, v=vn", &call);
    ilex_group_counted(g, &sent);
    int64_t along_i = 2 * PART + PART, along_j = 2 * (PART + 2) + PART;
    bool same = !rc && sent.messages == 2 * STEPS &&
                sent.bytes == 8 * STEPS * (along_i + along_j);
    if (!same)
        fprintf(stderr, "%lld messages, %lld bytes; %s\n",
                (long long)sent.messages, (long long)sent.bytes, call.error);
    for (int i = 0; i < FIELDS; i++)
        ilex_storage_release((ilex_storage *)(uintptr_t)b[i].storage);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(many_steps)
{
    ilex_program *p = compile(water);
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 4), steps, p), ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* ---- loops ---- */

/* What a loop sends: of a stencil a point a step, and nothing for what is the
 * same in all of them. */
START_TEST(loop_messages)
{
    const ranks_case c = {
        "ilex 1\nprogram heat\nsize n, nt\nassume n >= 3\n"
        "in a : f64[I:n] halo(I:1:1)\nlet k = 0.1*(a[I-1] + a[I+1])\n"
        "loop t[0:nt] u : f64[I:n] = a\n"
        "  next u = concat_where(I >= 1 && I < n-1, u + k*(u[I-1] + u[I+1]), "
        "u)\nend\nout y = u\n",
        "I:2",
        "I:9",
        NULL,
        1,
        {{"n", 9}, {"nt", 20}},
        2,
        NULL,
        2,
        false};
    ranks_world w;
    ranks_open(&w, &c, 1);
    ranks_compare(&w);
    for (int r = 0; r < 2; r++) { /* a, once; u, in both runs */
        ck_assert_int_eq(w.counts[r].messages, 1 + 2 * 20);
        ck_assert_int_eq(w.counts[r].bytes, 8 * (1 + 2 * 20));
    }
    ranks_close(&w);
}
END_TEST

/* Loops in loops, numbers that are carried, stacks, what is read all over, a
 * step that is the last, none at all. */
START_TEST(loops)
{
    static const char *const texts[] = {
        "loop t[0:nt] u : f64[I:n, J:m] = v, s : f64[] = 1.0 steps made\n"
        "  loop r[0:3] w : f64[I:n, J:m] = u\n"
        "    next w = 0.5*w + 0.25*max[I](w) + 0.01*r*t\n  end\n"
        "  next u = w/(1.0 + sum[I, J](w)) + u[I=t]\n  next s = max(next(u))\n"
        "  until next(s) > 1.0e6\nend\nout x = u + s\nout y = made\n",
        "loop t[0:nt] u : f64[I:n, J:m] = v, w : f64[I:n, J:m] = 2.0*v\n"
        "  next u = w\n  next w = u + random(u64(3), t)\n"
        "  stack e[t] = sum(next(u)*next(w))\n  stack f[t] = next(w)\nend\n"
        "out x = u - w\nout y = e\nout z = f\n",
        "let c = cumsum(v; axis=I)\n"
        "loop t[0:nt] u : f64[I:n, J:m] = 0.0*v steps made\n"
        "  next u = u + c\n  until max(abs(next(u))) > 90.0\nend\n"
        "loop s[0:3] q : f64[J:m] = u[I=0]\n"
        "  next q = q + made\nend\nout x = u\nout y : f64[J:m] = q\n",
    };
    static const char *const grids[] = {"I:2", "I:2, J:2", "I:3, J:2", "J:3"};
    char text[2048];
    for (size_t i = 0; i < IX_COUNT(texts); i++)
        for (size_t k = 0; k < IX_COUNT(grids); k++)
            for (int nt = 0; nt < 6; nt += 5) {
                snprintf(text, sizeof text,
                         "ilex 1\nprogram turns\nsize n, m, nt\n"
                         "assume n >= 3\nassume nt <= n\n"
                         "in v : f64[I:n, J:m]\n%s",
                         texts[i]);
                ranks_case c = {.text = text,
                                .ranks = grids[k],
                                .domain = "I:7, J:5",
                                .size = {{"n", 7}, {"m", 5}, {"nt", nt}},
                                .nsizes = 3,
                                .runs = 2};
                ranks_check(&c, 1);
            }
}
END_TEST

START_TEST(loop_failures)
{
    const ranks_case c = {
        .text = "ilex 1\nprogram far\nsize n, nt\nin a : f64[I:n]\n"
                "loop t[0:nt] u : f64[I:n] = a, k : i64[] = i64(0)\n"
                "  map s[] = a[k[]]\n  next u = u + s\n  next k = k + 2\nend\n"
                "out y = u\n",
        .ranks = "I:2",
        .domain = "I:9",
        .size = {{"n", 9}, {"nt", 20}},
        .nsizes = 2,
        .fails = "in step 5 over t"};
    ranks_check(&c, 1);
}
END_TEST

/* Rank 1 wants no more behind its third step. */
static int
enough(void *user, int64_t made)
{
    const int *rank = user;
    return *rank == 1 && made == 3;
}

static int
cancelled(ilex_group *g, void *user)
{
    ilex_context *own = ilex_context_new(NULL);
    int rank = ilex_group_rank(g);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *u = filled(own, grid, 8, 2), *x = filled(own, grid, 8, 0);
    ilex_call call = {.size = sizeof call,
                      .sizes = &(ilex_size_binding){"nt", 1000000},
                      .size_count = 1,
                      .progress = enough,
                      .user = &rank};
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("x", x)};
    ilex_status rc = ilex_run(user, b, 2, &call);
    const char *says =
        rank == 1 ? "cancelled when 3 steps over t were made" : "rank 1 failed";
    bool same = rc == (rank == 1 ? ILEX_E_CANCELLED : ILEX_E_GROUP) &&
                strstr(call.error, says);
    if (!same)
        fprintf(stderr, "rank %d: %d %s\n", rank, (int)rc, call.error);
    ilex_storage_release(x);
    ilex_storage_release(u);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(loop_cancelled)
{
    ilex_program *p = compile("ilex 1\nprogram on\nsize n, nt\n"
                              "in u : f64[I:n] halo(I:1:1)\n"
                              "loop t[0:nt] w : f64[I:n] = u\n"
                              "  next w = w/2 + sum[I](w)\nend\nout x = w\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), cancelled, p),
        ILEX_OK);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks_whole");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, eager_reductions);
    tcase_add_test(tests, eager_writes);
    tcase_add_test(tests, sections_again);
    tcase_add_test(tests, functions);
    tcase_add_test(tests, many_steps);
    tcase_add_test(tests, loop_messages);
    tcase_add_test(tests, loops);
    tcase_add_test(tests, loop_failures);
    tcase_add_test(tests, loop_cancelled);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
