/* SPDX-License-Identifier: MIT
 *
 * Meshes over ranks: what is sent of fields that are read through tables, what
 * is found again when tables change or ranks fail, axes that go along with
 * others, orders by owners.
 */
#include "tests/unit/ranks_fixture.h"

/* ---- what is sent ---- */

static double
square(int64_t i)
{
    return (double)(i * i);
}

/* A ring of cells, each with an edge to the next one: cells go on by a step of
 * each side's values, so a rank gets one of cells, and of edges, a step. */
static int
ring(ilex_group *g, void *user)
{
    enum { N = 12, STEPS = 5 };
    int64_t n = N, two[] = {N, 2};
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid =
        ilex_grid_new(own, &ILEX_GRID_SPEC(.group = g, .ranks = "C:3, E=C",
                                           .domain = "C:12, E:12"));
    ilex_storage *u =
        ilex_storage_new(own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n,
                                                 .axes = "C", .grid = grid));
    ilex_storage *x =
        ilex_storage_new(own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n,
                                                 .axes = "C", .grid = grid));
    ilex_storage *t = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.dtype = "i32", .rank = 2, .shape = two,
                                .axes = "ES", .grid = grid));
    ilex_storage *c = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.dtype = "i32", .rank = 2, .shape = two,
                                .axes = "CS", .grid = grid));
    int64_t lo, hi;
    ilex_storage_domain(u, 0, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        ilex_storage_set_f64(u, &(int64_t){i - lo}, square(i));
        for (int j = 0; j < 2; j++) {
            int64_t at[] = {i - lo, j};
            ilex_storage_set_i64(t, at, (i + j) % N);
            ilex_storage_set_i64(c, at, (i + N - j) % N);
        }
    }
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("t", t), ILEX_BIND("c", c),
                        ILEX_BIND("x", x)};
    ilex_call call = {.size = sizeof call};
    ilex_group_counts first, then;
    ilex_status rc = ilex_run(user, b, 4, &call);
    ilex_group_counted(g, &first);
    for (int i = 0; !rc && i < STEPS; i++)
        rc = ilex_run_steps(user, b, 4, 1, "u=x", &call);
    ilex_group_counted(g, &then);
    int64_t messages = then.messages - first.messages,
            bytes = then.bytes - first.bytes;
    /* of tables that stay as they are nobody asks again */
    bool same = !rc && messages == 2 * STEPS && bytes == 2 * 8 * STEPS;
    if (!same)
        fprintf(stderr, "%lld messages, %lld bytes; %s\n", (long long)messages,
                (long long)bytes, call.error);
    /* an edge of the second rank has no such cell: all fail, and go on */
    int64_t at[] = {0, 1};
    ilex_storage_set_i64(t, at, (lo + 1) % N + (lo == N / 3 ? N : 0));
    same &= ilex_run(user, b, 4, &call) ==
            (lo == N / 3 ? ILEX_E_BOUNDS : ILEX_E_GROUP);
    /* one that is written is read anew: edges to the third next; u and x have
     * changed places */
    ilex_storage *now = (ilex_storage *)(uintptr_t)b[0].storage;
    for (int64_t i = lo; !rc && i < hi; i++) {
        ilex_storage_set_i64(t, (int64_t[]){i - lo, 1}, (i + 3) % N);
        ilex_storage_set_f64(now, &(int64_t){i - lo}, square(i));
    }
    rc = rc ? rc : ilex_run(user, b, 4, &call);
    for (int64_t i = lo; !rc && i < hi; i++) {
        double x1 = 0;
        ilex_storage_get_f64(b[3].storage, &(int64_t){i - lo}, &x1);
        int64_t k = (i + N - 1) % N;
        same &= x1 == square(i) + 0.125 * ((square((i + 3) % N) - square(i)) -
                                           (square((k + 3) % N) - square(k)));
    }
    ilex_storage_release(u);
    ilex_storage_release(x);
    ilex_storage_release(t);
    ilex_storage_release(c);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(messages)
{
    ilex_program *p = compile(
        "ilex 1\nprogram ring\nsize n, m\nin u : f64[C:n]\n"
        "in t : i32[E:m, S:2]\nin c : i32[C:n, S:2]\n"
        "map g[E=e:m] = u[t[e, 1]] - u[t[e, 0]]\n"
        "map d[C=i:n] = g[c[i, 0]] - g[c[i, 1]]\nout x = u + 0.125*d\n");
    ck_assert_int_eq(ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 3), ring, p),
                     ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* Of what a loop carries, and of edges, each step sends what is read, once; the
 * first run asks twice for each, which sends counts to all, and lists. */
START_TEST(loop_messages)
{
    static const char text[] =
        "ilex 1\nprogram turns\nsize n, nt\nin u : f64[C:n]\n"
        "in k : i64[C:n]\nloop t[0:nt] w : f64[C:n] = u\n"
        "  map g[C=i:n] = w[(i + 1 + 0*k[i]) % n] - w[i]\n"
        "  map d[C=i:n] = g[(i + n - 1 + 0*k[i]) % n]\n"
        "  next w = w + 0.125*(g - d)\nend\nout y = w\n";
    int64_t sent[2];
    for (int i = 0; i < 2; i++) {
        const ranks_case c = {.text = text,
                              .ranks = "C:3",
                              .domain = "C:12",
                              .size = {{"n", 12}, {"nt", 10 + 10 * i}},
                              .nsizes = 2};
        ranks_world w;
        ranks_open(&w, &c, 1);
        ranks_compare(&w);
        sent[i] = w.counts[1].messages;
        ck_assert_int_eq(w.counts[1].bytes,
                         2 * 8 * (2 + 1 + 10 + 10 * i)); /* counts, one, w */
        ranks_close(&w);
    }
    ck_assert_int_eq(sent[0], 2 * (2 + 1 + 10));
    ck_assert_int_eq(sent[1], 2 * (2 + 1 + 20));
}
END_TEST

START_TEST(outside)
{
    const ranks_case c = {
        .text = "ilex 1\nprogram far\nsize n, m\nin u : f64[C:n]\n"
                "in t : i64[E:m]\n"
                "map g[E=e:m] = u[t[e] + 10]\nout y = g\n",
        .ranks = "C:2, E=C",
        .domain = "C:10, E:9",
        .size = {{"n", 10}, {"m", 9}},
        .nsizes = 2,
        .fails = "is data and leaves [0, 10), which u covers"};
    ranks_check(&c, 3);
}
END_TEST

/* Places that a section finds behind others, or a step of a loop; an array that
 * is read beside its place as well; rows of it. */
START_TEST(places)
{
    static const char *const texts[] = {
        "let b = abs(u - mean[C](u))\n"
        "map y[C=i:n] = u[i64(b[i]*8.0) % n]\nout z = y\n",
        "loop r[0:4] w : f64[C:n] = u, k : i64[C:n] = c\n"
        "  map s[C=i:n] = w[(k[i]*5 + i) % n]\n"
        "  next w = 0.5*w + s\n  next k = k*3 + 1\nend\nout z = w\n",
        "loop r[0:3] w : f64[C:n] = u\n"
        "  map s[C=i:n] = w[(i//2 + 0*c[i]) % n]\n  next w = 0.5*w + s\nend\n"
        "map y[C=i:n-1] = w[i+1]\nout z = y\n",
        /* the reader reads nothing along the axis that it has */
        "map v[C=i:n] = u[(i*i) % n]\nmap y[C=i:n-1] = v[i+1]\n"
        "out z = y\nout x : f64[] = sum[C](v)\nout q = cumsum(v; axis=C)\n",
        "loop r[0:3] w : f64[C:n] = u\n"
        "  map s[C=i:n] = w[(c[i] + r) % n]\n"
        "  loop p[0:2] v : f64[C:n] = s\n"
        "    map q[C=i:n] = v[(c[i]*p + r + i) % n]\n    next v = q\n  end\n"
        "  next w = 0.5*w + v\nend\nout z = w\n",
        "map y[C=i:n-1] = u[i+1] + u[(c[i]*3 + 4*i) % n]\n"
        "map v[C=i:n-1] = u[(c[i]*3 + 4*i) % n] + u[i+1]\n"
        "out z = y\nout x = v\n",
        "map v[C=i:n, D=j:n] = u[i]*u[j]\n"
        "map y[C=i:n, D=j:n] = v[(c[i]*3 + i) % n, j] - v[i, j]\nout z = y\n",
    };
    char text[1024];
    for (size_t i = 0; i < IX_COUNT(texts); i++) {
        snprintf(text, sizeof text,
                 "ilex 1\nprogram places\nsize n\nassume n >= 2\n"
                 "in u : f64[C:n] halo(C:1:1)\nin c : i64[C:n]\n%s",
                 texts[i]);
        ranks_case c = {.text = text,
                        .ranks = "C:3",
                        .domain = "C:13",
                        .halo = 1,
                        .size = {{"n", 13}},
                        .nsizes = 1,
                        .runs = 1 + (int)i % 2};
        ranks_check(&c, 1);
    }
}
END_TEST

/* A program that goes in sections for one argument does so for all: how far
 * those read another one is what its halo has to be. */
static int
halos(ilex_group *g, void *user)
{
    int64_t halo[2] = {-1, -1};
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "C:3", .domain = "C:23"));
    ilex_status rc = ilex_grid_halo(own, grid, user, "p",
                                    &(ilex_size_binding){"n", 23}, 1, halo);
    bool same = !rc && halo[0] == 2 && halo[1] == 0;
    if (!same)
        fprintf(stderr, "%lld:%lld %s\n", (long long)halo[0],
                (long long)halo[1], ilex_error_text(own));
    ilex_grid_release(grid);
    ilex_context_free(own);
    return same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(halo_of_table)
{
    ilex_program *p =
        compile("ilex 1\nprogram moved\nsize n\nin a : f64[C:n]\n"
                "in p : i32[C:n] halo(auto)\n"
                "map y[C=i:2:n+2] = a[p[i-2]]\nmap z[C=i:n] = y[i+2]\n"
                "out o = z\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 3), halos, p), ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* A table at a pointer, whose writes nobody counts. */
static int
pointed(ilex_group *g, void *user)
{
    enum { N = 12 };
    int64_t n = N, lo, hi;
    int32_t table[N];
    bool same = true;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "C:3", .domain = "C:12"));
    const ilex_storage_spec spec = {
        .size = sizeof spec, .rank = 1, .shape = &n, .axes = "C", .grid = grid};
    ilex_storage *u = ilex_storage_new(own, &spec);
    ilex_storage *x = ilex_storage_new(own, &spec);
    ilex_storage *t = ilex_storage_zeros(own, ILEX_I32, 1, &n);
    ilex_storage_domain(u, 0, &lo, &hi);
    for (int64_t i = lo; i < hi; i++)
        ilex_storage_set_f64(u, &(int64_t){i - lo}, square(i));
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("t", t),
                        ILEX_BIND("x", x)};
    ilex_call call = {.size = sizeof call};
    ilex_prepared *q = ilex_bind(own, user, b, 3, &call);
    ilex_status rc =
        q ? ilex_prepared_set_pointer(q, "t", table) : ilex_error_code(own);
    for (int run = 1; !rc && run < 4; run++) {
        for (int i = 0; i < N; i++)
            table[i] = (5 * run + 7 * i) % N;
        rc = ilex_prepared_run(q);
        for (int64_t i = lo; !rc && i < hi; i++) {
            double found = -1;
            ilex_storage_get_f64(x, &(int64_t){i - lo}, &found);
            same &= found == square(table[i]);
        }
    }
    ilex_prepared_release(q);
    ilex_storage_release(u);
    ilex_storage_release(x);
    ilex_storage_release(t);
    ilex_grid_release(grid);
    ilex_context_free(own);
    if (rc || !same)
        fprintf(stderr, "%d: %s\n", (int)rc, ilex_error_text(own));
    return !rc && same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(pointers)
{
    ilex_program *p =
        compile("ilex 1\nprogram at\nsize n\nin u : f64[C:n]\n"
                "in t : i32[n]\nmap y[C=i:n] = u[t[i]]\nout x = y\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 3), pointed, p), ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* The first rank fails, or the last, and with it those who wait for it, who say
 * why; then all goes on, whatever some ranks had got before. */
static int64_t bad; /* the first index of the rank that fails */

static int
recovered(ilex_group *g, void *user)
{
    enum { N = 12 };
    int64_t n = N, lo, hi;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "C:4", .domain = "C:12"));
    ilex_binding b[6];
    for (int i = 0; i < 6; i++) {
        int64_t halo[] = {0, i == 3}, length = n + (i == 3);
        b[i] = (ilex_binding)ILEX_BIND(
            &"v\0w\0k\0t\0x\0y"[2 * i],
            ilex_storage_new(
                own, &ILEX_STORAGE_SPEC(.dtype = i / 2 == 1 ? "i64" : "f64",
                                        .rank = 1, .shape = &length,
                                        .axes = "C", .halo = halo,
                                        .fill = &(double){0}, .grid = grid)));
    }
    ilex_storage *k = (ilex_storage *)(uintptr_t)b[2].storage;
    ilex_call call = {.size = sizeof call};
    ilex_storage_domain(k, 0, &lo, &hi);
    ilex_storage_set_i64(k, &(int64_t){0}, lo == bad ? 99 : 0);
    ilex_status first = ilex_run(user, b, 6, &call);
    const char *says = strstr(call.error, " failed");
    bool same = first == (lo == bad ? ILEX_E_BOUNDS : ILEX_E_GROUP) || !first;
    same &= !says || !strstr(says + 1, " failed");
    ilex_storage_set_i64(k, &(int64_t){0}, 0);
    ilex_status rc = ILEX_OK;
    for (int run = 0; !rc && run < 3; run++)
        rc = ilex_run(user, b, 6, &call);
    if (rc || !same)
        fprintf(stderr, "%d, %d: %s\n", (int)first, (int)rc, call.error);
    for (int i = 0; i < 6; i++)
        ilex_storage_release((ilex_storage *)(uintptr_t)b[i].storage);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return !rc && same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(recoveries)
{
    ilex_program *p =
        compile("ilex 1\nprogram both\nsize n\nin v : f64[C:n]\n"
                "in w : f64[C:n]\nin k : i64[C:n]\n"
                "in t : i64[C:n] halo(C:0:1)\n"
                "map r[C=i:n] = v[k[i]]\n"
                "loop q[0:2] s : f64[C:n] = r\n"
                "  map a[C=i:n] = w[(t[i+1] + q) % n]\n  next s = s + a\nend\n"
                "out x = s\nout y = r\n");
    for (bad = 0; bad < 12; bad += 9)
        ck_assert_int_eq(
            ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 4, .timeout = 5),
                           recovered, p),
            ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* Elements rank by rank, each as they were; an owner that is none. */
START_TEST(rank_by_rank)
{
    const int32_t owner[] = {2, 0, 2, 3, 0, 2};
    static const int64_t want[] = {1, 4, 0, 2, 5, 3}, ends[] = {0, 2, 2, 5, 6};
    int64_t found[6], boundaries[5];
    ck_assert_int_eq(ilex_grid_order(ctx, owner, 6, 4, found, boundaries),
                     ILEX_OK);
    ck_assert_mem_eq(found, want, sizeof want);
    ck_assert_mem_eq(boundaries, ends, sizeof ends);
    ck_assert_int_eq(ilex_grid_order(ctx, owner, 6, 3, found, boundaries),
                     ILEX_E_ARGUMENT);
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "owner 3 of element 3 is no rank"));
    ck_assert_mem_eq(found, want, sizeof want);
    ck_assert_int_eq(ilex_grid_order(ctx, NULL, 0, 1, NULL, boundaries),
                     ILEX_OK);
    ck_assert_int_eq(boundaries[1], 0);
}
END_TEST

/* A rank has a part along one of the axes that go along with each other. */
static int
refused(ilex_group *g, void *user)
{
    int64_t shape[] = {4, 6};
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid =
        ilex_grid_new(own, &ILEX_GRID_SPEC(.group = g, .ranks = "C:2, E = C",
                                           .domain = "C:4, E:6"));
    ilex_storage *s =
        ilex_storage_new(own, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape,
                                                 .axes = "CE", .grid = grid));
    bool same = grid && !s && ilex_error_code(own) == ILEX_E_AXIS;
    static const char *const wrong[] = {"E=C, C:2", "C:2, E=E", "C:2, E=C:2",
                                        "C:2, E=C, V=E", "C:2, E="};
    for (size_t i = 0; i < IX_COUNT(wrong); i++)
        same &=
            !ilex_grid_new(own, &ILEX_GRID_SPEC(.group = g, .ranks = wrong[i],
                                                .domain = "C:4, E:6"));
    ilex_storage_release(s);
    ilex_grid_release(grid);
    ilex_context_free(own);
    (void)user;
    return same ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(refusals)
{
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), refused, NULL),
        ILEX_OK);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks_mesh");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, messages);
    tcase_add_test(tests, loop_messages);
    tcase_add_test(tests, outside);
    tcase_add_test(tests, places);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, halo_of_table);
    tcase_add_test(tests, pointers);
    tcase_add_test(tests, recoveries);
    tcase_add_test(tests, rank_by_rank);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
