/* SPDX-License-Identifier: MIT
 *
 * Ranks that do not do the same, that fail, that go away or never come: the
 * others get an error that says so, in time, and nobody hangs. Grids and groups
 * that cannot be.
 */
#define _GNU_SOURCE
#include <time.h>

#include "lib/base/clock.h"
#include "tests/unit/ranks_fixture.h"

static const char smooth[] =
    "ilex 1\nprogram smooth\nsize n\nin u : f64[I:n] halo(I:1:1)\n"
    "out v = u[I-1] + u[I+1]\n";
static const char other[] =
    "ilex 1\nprogram smooth\nsize n\nin u : f64[I:n] halo(I:1:1)\n"
    "out v = u[I-1] - u[I+1]\n";

enum { RANKS = 3, ODD = 1 }; /* the odd one does something else */

typedef enum deed {
    RUN,       /* as all others */
    OTHER,     /* runs another program */
    NOT_BOUND, /* forgets an argument */
    SWAP,      /* swaps what is not there */
    CUT,       /* has a grid that divides otherwise */
    NEVER,     /* does not run */
    LEAVE      /* gives its group back */
} deed;

/* What the odd rank does, and what the others' error is and says. */
static const struct fault {
    const char *name;
    deed odd;
    ilex_status code;
    const char *says, *odd_says; /* "": no error */
} faults[] = {
    {"nothing", RUN, ILEX_OK, "", ""},
    {"other", OTHER, ILEX_E_GROUP, "rank 1", "does something else"},
    {"binding", NOT_BOUND, ILEX_E_GROUP, "rank 1 failed: smooth: argument v",
     "argument v"},
    {"swap", SWAP, ILEX_E_GROUP, "rank 1 failed: ", "'q'"},
    {"cut", CUT, ILEX_E_GROUP, "rank 1", "does something else"},
    {"never", NEVER, ILEX_E_TIMEOUT,
     /* or told by one that was first */ "waited 0.5 s for rank 1", ""},
    {"leave", LEAVE, ILEX_E_GROUP, "rank 1 failed: it has left", ""},
};

typedef struct scene {
    const struct fault *fault;
    ilex_program *p, *q;
    double seconds[RANKS];
    ilex_status code[RANKS];
    char said[RANKS][1024];
    ilex_status after[RANKS]; /* of a run that all make once more */
} scene;

static ilex_storage *
part(ilex_context *own, ilex_grid *grid)
{
    int64_t n = 12 + 2, halo[2] = {1, 1};
    double one = 1;
    return ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n, .axes = "I",
                                .halo = halo, .fill = &one, .grid = grid));
}

static ilex_status
act(scene *s, int rank, deed what, ilex_binding *b)
{
    ilex_call call = {.size = sizeof call, .threads = 1};
    double start = ix_clock();
    ilex_status rc = ILEX_OK;
    if (what == SWAP)
        rc = ilex_run_steps(s->p, b, 2, 1, "q=v", &call);
    else if (what != NEVER && what != LEAVE)
        rc = ilex_run(what == OTHER ? s->q : s->p, b, what == NOT_BOUND ? 1 : 2,
                      &call);
    s->seconds[rank] = ix_clock() - start;
    snprintf(s->said[rank], sizeof s->said[rank], "%s", call.error);
    return s->code[rank] = rc;
}

static int
play(ilex_group *g, void *user)
{
    scene *s = user;
    int rank = ilex_group_rank(g);
    deed what = rank == ODD ? s->fault->odd : RUN;
    ilex_context *own = ilex_context_new(NULL);
    static const int64_t cuts[] = {0, 3, 6, 12};
    static const int64_t *const otherwise[] = {cuts};
    ilex_grid_spec spec =
        ILEX_GRID_SPEC(.group = g, .ranks = "I:3", .domain = "I:12");
    ilex_grid *even = ilex_grid_new(own, &spec), *grid = even;
    if (what == CUT) {
        spec.boundaries = otherwise;
        grid = ilex_grid_new(own, &spec);
    }
    ilex_storage *u = part(own, grid), *v = part(own, grid);
    ck_assert_msg(u && v, "%s", ilex_error_text(own));
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("v", v)};
    act(s, rank, what, b);
    if (what == CUT) {
        ilex_storage_release(u);
        ilex_storage_release(v);
        ilex_grid_release(grid);
        grid = even;
        b[0].storage = u = part(own, grid);
        b[1].storage = v = part(own, grid);
    }
    if (what == NEVER)
        nanosleep(&(struct timespec){.tv_nsec = 800000000}, NULL);
    if (s->fault->odd == NEVER || what == LEAVE) {
        ilex_storage_release(u);
        ilex_storage_release(v);
        ilex_grid_release(grid);
        ilex_context_free(own);
        return ILEX_OK; /* and gives the group back */
    }
    /* the group goes on where all know what happened */
    ilex_call call = {.size = sizeof call, .threads = 1};
    ilex_storage_data(u);
    s->after[rank] = ilex_run(s->p, b, 2, &call);
    if (s->after[rank])
        fprintf(stderr, "rank %d afterwards: %s\n", rank, call.error);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return ILEX_OK;
}

START_TEST(faulty)
{
    scene s = {.fault = &faults[_i]};
    s.p = compile(smooth);
    s.q = compile(other);
    ilex_group_spec spec = {
        .size = sizeof spec, .ranks = RANKS, .timeout = 0.5};
    ck_assert_int_eq(ilex_group_run(ctx, &spec, play, &s), ILEX_OK);
    for (int r = 0; r < RANKS; r++) {
        const char *says = r == ODD ? s.fault->odd_says : s.fault->says;
        ck_assert_msg(strstr(s.said[r], says) && !*says == !*s.said[r],
                      "%s: rank %d says '%s', not '%s'", s.fault->name, r,
                      s.said[r], says);
        if (r != ODD && !(s.code[r] == ILEX_E_GROUP && s.fault->odd == NEVER))
            ck_assert_int_eq(s.code[r], s.fault->code);
        ck_assert_msg(s.seconds[r] < spec.timeout + 1, "%s: %g s",
                      s.fault->name, s.seconds[r]);
        if (s.fault->odd != NEVER && s.fault->odd != LEAVE)
            ck_assert_int_eq(s.after[r], ILEX_OK);
    }
    ilex_program_release(s.p);
    ilex_program_release(s.q);
}
END_TEST

/* ---- grids that cannot be ---- */

static const struct {
    const char *ranks, *domain, *periodic, *says;
} bad_grids[] = {
    {"I:2", "I:8", NULL, "are 2 in all; the group has 1"},
    {"I", "I:8", NULL, "an axis has a number of ranks"},
    {"I:0", "I:8", NULL, "an axis has a number of ranks"},
    {"I:1, I:1", "I:8", NULL, "an axis is named once"},
    {"I+1/2:1", "I:8", NULL, "name I alone"},
    {"I:1;", "I:8", NULL, "is not understood"},
    {"I:x", "I:8", NULL, "is not understood"},
    {"I:1", "I", NULL, "is not understood"},
    {"I:1", "I:5:2", NULL, "of axis I ends at 2, before it begins, at 5"},
    {"I:1", "I:-1", NULL, "of axis I ends at -1, before it begins, at 0"},
    {"I:1", "I:1152921504606846977", NULL, "of axis I is beyond 2^60"},
    {"I:1", NULL, NULL, "which indices has axis I?"},
    {"I:1", "J:3", NULL, "which indices has axis I?"},
    {"I:1", "I:8", "J", "the periodic axis J is not divided"},
    {"I:1", "I:8", "I:3", "is not understood"},
};

START_TEST(grids_refused)
{
    ilex_group *g = NULL;
    ck_assert_int_eq(ilex_group_new(ctx, &ILEX_GROUP_SPEC(.ranks = 1), &g),
                     ILEX_OK);
    for (size_t i = 0; i < IX_COUNT(bad_grids); i++) {
        ilex_grid_spec spec = {.size = sizeof spec,
                               .group = g,
                               .ranks = bad_grids[i].ranks,
                               .domain = bad_grids[i].domain,
                               .periodic = bad_grids[i].periodic};
        ck_assert_ptr_null(ilex_grid_new(ctx, &spec));
        ck_assert_msg(strstr(ilex_error_text(ctx), bad_grids[i].says), "%s: %s",
                      bad_grids[i].ranks, ilex_error_text(ctx));
        ilex_error_clear(ctx);
    }
    const int64_t cuts[] = {0, 5, 3};
    ilex_grid_spec spec = {.size = sizeof spec,
                           .group = g,
                           .ranks = "I:1",
                           .boundaries = (const int64_t *[]){cuts + 1}};
    ck_assert_ptr_null(ilex_grid_new(ctx, &spec));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "3 comes after 5"));
    ilex_error_clear(ctx);
    ilex_group_release(g);
}
END_TEST

START_TEST(groups_refused)
{
    ilex_group *g[2];
    ck_assert_int_eq(ilex_group_new(ctx, &ILEX_GROUP_SPEC(.ranks = 0), g),
                     ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(
        ilex_group_new(ctx, &ILEX_GROUP_SPEC(.transport = "thread"), g),
        ILEX_E_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "threads"));
    ilex_error_clear(ctx);
    ck_assert_int_eq(
        ilex_group_new(ctx, &ILEX_GROUP_SPEC(.ranks = 2, .timeout = -1), g),
        ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_group_new(ctx, NULL, g), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
}
END_TEST

/* ---- given boundaries, and what they say ---- */

START_TEST(given_boundaries)
{
    ilex_group *g[3];
    int64_t lo, hi;
    const int64_t cuts[] = {-2, 1, 1, 9};
    ck_assert_int_eq(ilex_group_new(ctx, &ILEX_GROUP_SPEC(.ranks = 3), g),
                     ILEX_OK);
    for (int r = 0; r < 3; r++) {
        ilex_grid *grid = ilex_grid_new(
            ctx, &ILEX_GRID_SPEC(.group = g[r], .ranks = "I:3",
                                 .boundaries = (const int64_t *[]){cuts}));
        ck_assert_msg(grid != NULL, "%s", ilex_error_text(ctx));
        ck_assert_int_eq(ilex_grid_part(grid, "I+1/2", r, &lo, &hi), 1);
        ck_assert_int_eq(lo, cuts[r]);
        ck_assert_int_eq(hi, cuts[r + 1]);
        ck_assert_int_eq(ilex_grid_part(grid, "J", r, &lo, &hi), 0);
        ck_assert_int_eq(ilex_grid_part(grid, NULL, r, &lo, &hi), 0);
        int64_t n = 12, origin = -2;
        ilex_storage *s = ilex_storage_new(
            ctx, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &n, .axes = "I",
                                    .origin = &origin, .grid = grid));
        static const int64_t lengths[] = {3, 0, 9}; /* to its end, 10 */
        ck_assert_int_eq(ilex_storage_shape(s)[0], lengths[r]);
        ck_assert_ptr_eq(ilex_storage_grid(s), grid);
        ilex_storage_whole(s, 0, &lo, &hi);
        ck_assert_int_eq(lo, -2);
        ck_assert_int_eq(hi, 10);
        ilex_storage *like = ilex_storage_zeros_like(ctx, s);
        ck_assert_ptr_eq(ilex_storage_grid(like), grid);
        ck_assert_int_eq(ilex_storage_shape(like)[0], lengths[r]);
        ilex_storage_release(like);
        ilex_storage_release(s);
        ilex_grid_release(grid);
        ilex_group_release(g[r]);
    }
}
END_TEST

/* ---- what is written, where nothing is computed ---- */

/* The first rank has one point, of which the first program writes none; the
 * second one reads its neighbour's. */
static int
idle_writer(ilex_group *g, void *user)
{
    ilex_program *const *p = user;
    const int64_t cuts[] = {0, 1, 8};
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2",
                             .boundaries = (const int64_t *[]){cuts}));
    ilex_storage *b = filled(own, grid, 8, 0), *c = filled(own, grid, 7, 0);
    ilex_status rc = ilex_error_code(own);
    for (int turn = 5; !rc && turn < 8; turn++) {
        ilex_call call = {.size = sizeof call};
        ilex_binding first[] = {ILEX_BIND_F64("s", turn), ILEX_BIND("b", b),
                                ILEX_BIND_I64("n", 8)};
        ilex_binding second[] = {ILEX_BIND("b", b), ILEX_BIND("c", c)};
        double value = 0;
        rc = ilex_run(p[0], first, 3, &call);
        rc = rc ? rc : ilex_run(p[1], second, 2, &call);
        ilex_storage_get_f64(c, &(int64_t){1}, &value);
        if (rc || value != turn)
            fprintf(stderr, "rank %d: %g in turn %d; %s\n", ilex_group_rank(g),
                    value, turn, call.error);
        rc = rc || value != turn ? ILEX_E_INTERNAL : ILEX_OK;
    }
    ilex_storage_release(b);
    ilex_storage_release(c);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return (int)rc;
}

START_TEST(idle_ranks_write)
{
    with_programs(idle_writer,
                  "ilex 1\nprogram first\nsize n\nassume n >= 2\nin s : f64\n"
                  "out b : f64[I:1:n] = s\n",
                  "ilex 1\nprogram second\nsize n\nassume n >= 2\n"
                  "in b : f64[I:n]\nout c : f64[I:0:n-1] = b[I+1]\n");
}
END_TEST

/* ---- what cannot be bound ---- */

static void
check_error(ilex_context *own, ilex_status got, ilex_status code,
            const char *text, const char *says)
{
    ck_assert_msg(got == code && strstr(text, says), "%d: %s", (int)got, text);
    ilex_error_clear(own);
}

static int
bound_badly(ilex_group *g, void *user)
{
    ilex_program *const *p = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_call call = {.size = sizeof call};
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *u = filled(own, grid, 8, 1);
    int64_t shape[2] = {8, 8}, wide[2] = {3, 3};

    ilex_storage *t = ilex_storage_zeros(own, ILEX_F64, 0, NULL);
    ilex_binding sum[] = {ILEX_BIND("u", u), ILEX_BIND("t", t)};
    check_error(own, ilex_run(p[0], sum, 2, &call), ILEX_E_BINDING, call.error,
                "axis 0 of argument u has no name");

    ilex_storage *flat = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = shape, .grid = grid));
    ilex_binding copy[] = {ILEX_BIND("u", u), ILEX_BIND("v", flat)};
    check_error(own, ilex_run(p[1], copy, 2, &call), ILEX_E_BINDING, call.error,
                "which its storage has whole");

    call.box = "I=0:4";
    copy[1].storage = u;
    check_error(own, ilex_run(p[1], copy, 2, &call), ILEX_E_UNSUPPORTED,
                call.error, "a box of a run over ranks");

    ck_assert_ptr_null(
        ilex_storage_new(own, &ILEX_STORAGE_SPEC(.like = u, .halo = wide)));
    check_error(own, ilex_error_code(own), ILEX_E_ARGUMENT,
                ilex_error_text(own), "are those of `like`");
    ck_assert_ptr_null(ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape, .axes = "I, I+1/2",
                                .grid = grid)));
    check_error(own, ilex_error_code(own), ILEX_E_AXIS, ilex_error_text(own),
                "lie on one axis of the grid");

    ilex_storage *fixed = ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &(int64_t){10}, .axes = "I",
                                .halo = (int64_t[]){1, 1}, .grid = grid,
                                .flags = ILEX_STORAGE_READONLY));
    check_error(own, ilex_storage_exchange(own, fixed), ILEX_E_READONLY,
                ilex_error_text(own), "");
    check_error(own, ilex_storage_scatter(own, fixed, NULL, 0), ILEX_E_READONLY,
                ilex_error_text(own), "");
    check_error(own, ilex_storage_scatter(own, u, NULL, 7), ILEX_E_ARGUMENT,
                ilex_error_text(own), "there is no rank 7");
    ilex_storage_release(u);
    ilex_storage_release(t);
    ilex_storage_release(flat);
    ilex_storage_release(fixed);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return ILEX_OK;
}

START_TEST(bindings_refused)
{
    with_programs(
        bound_badly,
        "ilex 1\nprogram total\nsize n\nin u : f64[n]\nout t = sum(u)\n",
        "ilex 1\nprogram same\nsize n\nin u : f64[I:n]\nout v = u\n");
}
END_TEST

/* A message that is on its way comes, though its sender has left. */
static int
last_word(ilex_group *g, void *user)
{
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *u = filled(own, grid, 8, 3);
    bool first = ilex_group_rank(g) == 0;
    ilex_status rc = ilex_storage_gather(own, u, first ? user : NULL, 0);
    ilex_storage_release(u);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return (int)rc;
}

START_TEST(on_its_way)
{
    ilex_storage *whole = ilex_storage_zeros(ctx, ILEX_F64, 1, &(int64_t){8});
    double last = 0;
    ck_assert_int_eq(
        ilex_group_run(
            ctx,
            &ILEX_GROUP_SPEC(.transport = "delay", .ranks = 2, .latency = 0.1),
            last_word, whole),
        ILEX_OK);
    ilex_storage_get_f64(whole, &(int64_t){7}, &last);
    ck_assert_double_eq(last, 3);
    ilex_storage_release(whole);
}
END_TEST

/* ---- what is made by a run ---- */

static int
evaluate(ilex_group *g, void *user)
{
    const ilex_program *p = user;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:3", .domain = "I:12"));
    ilex_storage *u = part(own, grid), *v = NULL;
    ilex_binding b = ILEX_BIND("u", u);
    int64_t lo = 0, hi = 0, halo[2] = {9, 9};
    double value = 0;
    ck_assert_int_eq(ilex_evaluate(own, p, &b, 1, &v), ILEX_OK);
    ck_assert_ptr_eq(ilex_storage_grid(v), grid);
    ilex_storage_domain(v, 0, &lo, &hi);
    ck_assert_int_eq(lo, 4 * ilex_group_rank(g));
    ck_assert_int_eq(hi, lo + 4);
    ilex_storage_get_f64(v, &(int64_t){0}, &value);
    ck_assert_double_eq(value, 2);

    /* a prepared call is a run of all ranks each time */
    ilex_binding both[] = {ILEX_BIND("u", u), ILEX_BIND("v", v)};
    ilex_prepared *q = ilex_bind(own, p, both, 2, NULL);
    ck_assert_msg(q != NULL, "%s", ilex_error_text(own));
    for (int turn = 3; turn < 6; turn++) {
        ilex_storage_fill(own, u, turn);
        ck_assert_int_eq(ilex_prepared_run(q), ILEX_OK);
        ilex_storage_get_f64(v, &(int64_t){3}, &value);
        ck_assert_double_eq(value, 2 * turn);
    }
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "u", &value),
                     ILEX_E_UNSUPPORTED);
    ilex_prepared_release(q);
    ck_assert_int_eq(ilex_grid_halo(own, grid, p, "u",
                                    &(ilex_size_binding){"n", 12}, 1, halo),
                     ILEX_OK);
    ck_assert(halo[0] == 1 && halo[1] == 1);
    ck_assert_int_eq(ilex_grid_halo(own, grid, p, "w", NULL, 0, halo),
                     ILEX_E_BINDING);
    ilex_error_clear(own);
    ck_assert_ptr_null(ilex_eval(own, "u + 1", "u", u, NULL));
    ck_assert_int_eq(ilex_error_code(own), ILEX_E_UNSUPPORTED);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return ILEX_OK;
}

START_TEST(made_by_runs)
{
    ilex_program *p = compile(smooth);
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 3), evaluate, p),
        ILEX_OK);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks_faults");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, faulty, 0, (int)IX_COUNT(faults));
    tcase_add_test(tests, grids_refused);
    tcase_add_test(tests, groups_refused);
    tcase_add_test(tests, given_boundaries);
    tcase_add_test(tests, made_by_runs);
    tcase_add_test(tests, idle_ranks_write);
    tcase_add_test(tests, bindings_refused);
    tcase_add_test(tests, on_its_way);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
