/* SPDX-License-Identifier: MIT
 *
 * Random graphs whose values lie on ranks: each rank has a program of its own,
 * what it reads of others comes by messages, also by way of a third one. The
 * bits are those of one program that computes all. Graphs with a circle are
 * seen by ilex_group_check.
 *
 *     test_messages_random [PROGRAMS [FIRST [RANKS]]]
 *
 * With a number of RANKS it is one of so many processes of MPI.
 */
#include "tests/unit/ranks_text.h"

enum { MOST_RANKS = 6, MOST_VALUES = 24 };

/* Matrices f64[n, n], vectors f64[n], integers i64[n], numbers f64. */
typedef enum kind { MATRIX, VECTOR, INTEGERS, NUMBER, KINDS } kind;
static const char *const types[] = {"f64[n, n]", "f64[n]", "i64[n]", "f64"};
static const int rank_of[] = {2, 1, 1, 0};

/* How a value is made of two: of which kinds; "%1$s", "%2$s". */
static const struct rule {
    kind makes, first, second;
    const char *text;
} rules[] = {
    {MATRIX, MATRIX, MATRIX, "0.5*%1$s + %2$s"},
    {MATRIX, MATRIX, VECTOR, "exp(-abs(%1$s)) - %2$s"},
    {MATRIX, MATRIX, MATRIX, "matmul(%1$s, %2$s)*1e-3"},
    {MATRIX, MATRIX, NUMBER, "cumsum(%1$s; axis=1) / (1.0 + abs(%2$s))"},
    {MATRIX, VECTOR, VECTOR, "outer(%1$s, sort(%2$s))*1e-2"},
    {MATRIX, MATRIX, INTEGERS, "flip(%1$s) + f64(%2$s)"},
    {VECTOR, MATRIX, NUMBER, "sum[1](%1$s*%1$s)*1e-3 + %2$s"},
    {VECTOR, MATRIX, VECTOR, "matmul(%1$s, %2$s)*1e-3"},
    {VECTOR, VECTOR, VECTOR, "sqrt(abs(%1$s)) + sin(%2$s)"},
    {VECTOR, VECTOR, INTEGERS, "sort(%1$s) - f64(%2$s)"},
    {VECTOR, MATRIX, INTEGERS, "max[0](%1$s) + f64(%2$s)"},
    {INTEGERS, VECTOR, INTEGERS, "i64(abs(%1$s)) %% 7 + %2$s"},
    {INTEGERS, VECTOR, VECTOR, "argsort(%1$s) + i64(%2$s < 1.0)"},
    {NUMBER, MATRIX, VECTOR, "sum(%1$s)*1e-3 + max(%2$s)"},
    {NUMBER, VECTOR, NUMBER, "mean(%1$s) + 0.25*%2$s"},
    {NUMBER, INTEGERS, NUMBER, "f64(sum(%1$s)) - %2$s"},
};

typedef struct value {
    int rank;
    kind kind;
    int operand[2]; /* -1: an input */
    const struct rule *rule;
    int from[MOST_RANKS]; /* the rank that sends it to this one; -1: it does
                             not come */
    bool wanted;          /* it is an output of its rank */
} value;

typedef struct graph {
    ranks_text t;
    int ranks, n;
    value v[MOST_VALUES];
    int inplace; /* an output in the place of the first input; -1 */
    int back;    /* a value that reads a later one: -1 */
    int64_t length;
} graph;

/* ---- graphs ---- */

/* A value before the n-th of some kind, wherever it lies. */
static int
pick_value(graph *g, kind wanted)
{
    int found = -1, seen = 0;
    for (int i = 0; i < g->n; i++)
        if (g->v[i].kind == wanted && pick(&g->t, (unsigned)++seen) == 0)
            found = i;
    return found;
}

static void
add_value(graph *g)
{
    value *v = &g->v[g->n];
    do {
        v->rule = &rules[pick(&g->t, IX_COUNT(rules))];
        v->operand[0] = pick_value(g, v->rule->first);
        v->operand[1] = pick_value(g, v->rule->second);
    } while (v->operand[0] < 0 || v->operand[1] < 0);
    v->kind = v->rule->makes;
    v->rank = (int)pick(&g->t, (unsigned)g->ranks);
    v->wanted = pick(&g->t, 4) == 0;
    g->n++;
}

/* Value "i" comes to a rank: from its own, or from one that has got it. */
static void
bring(graph *g, int i, int rank)
{
    value *v = &g->v[i];
    if (v->rank == rank || v->from[rank] >= 0)
        return;
    v->from[rank] = v->rank;
    for (int r = 0; r < g->ranks; r++)
        if (r != rank && v->from[r] >= 0 && pick(&g->t, 3) == 0)
            v->from[rank] = r;
}

static void
make_graph(graph *g, uint64_t first, int ranks)
{
    memset(g, 0, sizeof *g);
    begin_text(&g->t, first);
    g->ranks = ranks ? ranks : 2 + (int)pick(&g->t, MOST_RANKS - 1);
    for (int r = 0; r < g->ranks; r++)
        for (int k = 0; k < (r ? 1 : KINDS); k++, g->n++)
            g->v[g->n] = (value){.rank = r,
                                 .kind = r ? pick(&g->t, KINDS) : (kind)k,
                                 .operand = {-1, -1}};
    for (int more = 4 + (int)pick(&g->t, 10); more > 0; more--)
        add_value(g);
    for (int i = 0; i < g->n; i++)
        for (int r = 0; r < g->ranks; r++)
            g->v[i].from[r] = -1;
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < 2 && g->v[i].rule; k++)
            bring(g, g->v[i].operand[k], g->v[i].rank);
    g->v[g->n - 1].wanted = true;
    for (int i = 0; i < g->n; i++) /* a program has some output */
        g->v[i].wanted |=
            !g->v[i].rule && (g->v[i].rank > 0 || g->v[i].kind == NUMBER);
    g->inplace = g->back = -1;
    g->length = pick(&g->t, 6) ? 1 + pick(&g->t, 9) : 64;
}

/* Does value "i" depend on "on"? */
static bool
depends(const graph *g, int i, int on)
{
    return i == on || (g->v[i].rule && (depends(g, g->v[i].operand[0], on) ||
                                        depends(g, g->v[i].operand[1], on)));
}

/* A value reads a later one that is made of it on another rank: a circle. */
static bool
close_circle(graph *g)
{
    for (int i = 0; i < g->n; i++)
        for (int on = 0; on < i; on++) {
            value *v = &g->v[on];
            if (!v->rule || g->v[i].rank == v->rank || !depends(g, i, on) ||
                v->rule->second != g->v[i].kind)
                continue;
            v->operand[1] = i;
            bring(g, i, v->rank);
            g->back = on;
            return true;
        }
    return false;
}

/* ---- texts ---- */

static void
put_value(graph *g, int i)
{
    const value *v = &g->v[i];
    char a[8], b[8], made[120];
    snprintf(a, sizeof a, "v%d", v->operand[0]);
    snprintf(b, sizeof b, "v%d", v->operand[1]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(made, sizeof made, v->rule->text, a, b);
#pragma GCC diagnostic pop
    put(&g->t, "let v%d = %s\n", i, made);
}

/* What rank "rank" has, -1: all there is. Of a name of a rank some are sizes.
 */
static const char *
write_program(graph *g, int rank)
{
    ranks_text *t = &g->t;
    t->text[0] = 0;
    put(t, "ilex 1\nprogram rank%d\nsize n%s\nassume n >= 1\n",
        rank < 0 ? 0 : rank, rank < 0 ? "" : ", r0, r1, r2, r3, r4, r5");
    for (int i = 0; i < g->n; i++)
        if ((!g->v[i].rule && (rank < 0 || g->v[i].rank == rank)) ||
            (rank >= 0 && g->v[i].from[rank] >= 0))
            put(t, "in v%d : %s\n", i, types[g->v[i].kind]);
    for (int i = 0; i < g->n && rank >= 0; i++)
        if (g->v[i].from[rank] >= 0)
            put(t, "recv v%d from %s%d tag %d\n", i, i % 2 ? "r" : "",
                g->v[i].from[rank], i);
    for (int i = 0; i < g->n; i++)
        if (g->v[i].rule && (rank < 0 || g->v[i].rank == rank))
            put_value(g, i);
    for (int i = 0; i < g->n; i++) {
        bool mine = rank < 0 || g->v[i].rank == rank;
        if (mine && g->v[i].wanted)
            put(t, "out y%d = v%d%s\n", i, i,
                rank >= 0 && g->inplace == i ? " inplace v0" : "");
        bool goes = false;
        for (int r = 0; r < g->ranks; r++)
            goes |= rank >= 0 && mine && g->v[i].from[r] == rank;
        if (goes && g->v[i].rule)
            put(t, "out s%d = v%d\n", i, i);
        for (int r = 0; r < g->ranks && rank >= 0; r++)
            if (g->v[i].from[r] == rank)
                put(t, "send %s%d to %s%d tag %d\n",
                    mine && g->v[i].rule ? "s" : "v", i, i % 3 ? "" : "r", r,
                    i);
    }
    return t->text;
}

/* ---- runs ---- */

typedef struct world {
    graph *g;
    ilex_program *all, *of[MOST_RANKS];
    double *whole[MOST_VALUES]; /* what each output of all is */
    char said[1024];
} world;

static size_t
count_of(const graph *g, int i)
{
    size_t n = 1;
    for (int k = 0; k < rank_of[g->v[i].kind]; k++)
        n *= (size_t)g->length;
    return n;
}

/* A storage for value "i", filled if it is an input. */
static ilex_storage *
storage_of(const graph *g, ilex_context *own, int i)
{
    int64_t shape[] = {g->length, g->length};
    ilex_storage *s = ilex_storage_new(
        own,
        &ILEX_STORAGE_SPEC(.rank = rank_of[g->v[i].kind], .shape = shape,
                           .dtype = g->v[i].kind == INTEGERS ? "i64" : "f64"));
    if (!g->v[i].rule)
        ranks_fill(s, (uint64_t)i + 1000);
    return s;
}

/* Runs a program with all that it has to be given; what it wants is in
 * "result", by value. */
static ilex_status
run(const graph *g, ilex_context *own, const ilex_program *p, int rank,
    ilex_call *call, ilex_storage **result)
{
    ilex_binding b[2 * MOST_VALUES];
    ilex_storage *input[MOST_VALUES] = {0};
    char name[MOST_VALUES][2][8];
    size_t n = 0;
    for (int i = 0; i < g->n; i++) {
        const value *v = &g->v[i];
        snprintf(name[i][0], 8, "v%d", i);
        snprintf(name[i][1], 8, "y%d", i);
        if (rank >= 0 && v->rank != rank)
            continue;
        if (!v->rule) {
            input[i] = storage_of(g, own, i);
            b[n++] = (ilex_binding)ILEX_BIND(name[i][0], input[i]);
        }
        if (!v->wanted)
            continue;
        result[i] = i == g->inplace && rank >= 0 ? ilex_storage_retain(input[0])
                                                 : storage_of(g, own, i);
        b[n++] = (ilex_binding)ILEX_BIND(name[i][1], result[i]);
    }
    ilex_status rc = ilex_run(p, b, n, call);
    for (int i = 0; i < g->n; i++)
        ilex_storage_release(input[i]);
    return rc;
}

static ilex_size_binding *
sizes_of(const graph *g, ilex_size_binding size[7])
{
    static const char *const names[] = {"n",  "r0", "r1", "r2",
                                        "r3", "r4", "r5"};
    for (int k = 0; k < 7; k++)
        size[k] = (ilex_size_binding){names[k], k ? k - 1 : g->length};
    return size;
}

/* Those of them that a program has. */
static size_t
size_count(const ilex_program *p, ilex_size_binding *size)
{
    size_t n = 0;
    for (int k = 0; k < 7; k++)
        for (size_t i = 0; i < ilex_program_size_count(p); i++)
            if (!strcmp(ilex_program_size_name(p, i), size[k].name))
                size[n++] = size[k];
    return n;
}

static int
body(ilex_group *group, void *user)
{
    world *w = user;
    int rank = ilex_group_rank(group);
    ilex_context *own = ilex_context_new(NULL);
    ilex_size_binding size[7];
    ilex_storage *result[MOST_VALUES] = {0};
    ilex_call call = {.size = sizeof call, .threads = 1, .group = group};
    call.sizes = sizes_of(w->g, size);
    call.size_count = size_count(w->of[rank], size);
    ilex_status rc = run(w->g, own, w->of[rank], rank, &call, result);
    if (rc)
        fprintf(stderr, "rank %d: %s\n", rank, call.error);
    for (int i = 0; i < w->g->n; i++) {
        if (result[i] && !rc &&
            memcmp(ilex_storage_data(result[i]), w->whole[i],
                   8 * count_of(w->g, i)) != 0) {
            fprintf(stderr, "rank %d: v%d differs\n", rank, i);
            rc = ILEX_E_INTERNAL;
        }
        ilex_storage_release(result[i]);
    }
    ilex_context_free(own);
    return (int)rc;
}

/* Do the programs fit together? */
static ilex_status
check(world *w)
{
    ilex_size_binding size[MOST_RANKS][7];
    ilex_rank_program rank[MOST_RANKS];
    for (int r = 0; r < w->g->ranks; r++) {
        sizes_of(w->g, size[r]);
        rank[r] = (ilex_rank_program){w->of[r], size[r],
                                      size_count(w->of[r], size[r])};
    }
    ilex_status rc = ilex_group_check(ctx, rank, w->g->ranks);
    snprintf(w->said, sizeof w->said, "%s", ilex_error_text(ctx));
    ilex_error_clear(ctx);
    return rc;
}

static void
compute_whole(world *w)
{
    ilex_storage *result[MOST_VALUES] = {0};
    ilex_size_binding size = {"n", w->g->length};
    ilex_call call = {
        .size = sizeof call, .threads = 1, .sizes = &size, .size_count = 1};
    ilex_status rc = run(w->g, ctx, w->all, -1, &call, result);
    ck_assert_msg(rc == ILEX_OK, "%s", call.error);
    for (int i = 0; i < w->g->n; i++) {
        if (!result[i])
            continue;
        size_t bytes = 8 * count_of(w->g, i);
        w->whole[i] = malloc(bytes + 1);
        memcpy(w->whole[i], ilex_storage_data(result[i]), bytes);
        ilex_storage_release(result[i]);
    }
}

static void
run_ranks(world *w)
{
    ilex_group_spec spec = {.size = sizeof spec,
                            .transport = ranks_transport,
                            .ranks = w->g->ranks,
                            .timeout = 20,
                            .initialize = 1};
    ilex_status rc = ilex_group_run(ctx, &spec, body, w);
    if (rc)
        for (int r = -1; r < w->g->ranks; r++)
            fprintf(stderr, "%s\n", write_program(w->g, r));
    ck_assert_msg(rc == ILEX_OK, "%d %s", (int)rc, ilex_error_text(ctx));
}

static int processes;         /* 0: ranks are threads */
static int circles, in_place; /* so many were met */

static void
try_one(uint64_t first)
{
    static graph g;
    world w = {.g = &g};
    make_graph(&g, first, processes);
    bool circle = pick(&g.t, 4) == 0 && close_circle(&g);
    for (int i = 1; i < g.n; i++)
        if (g.v[i].rule && g.v[i].rank == 0 && g.v[i].kind == MATRIX &&
            pick(&g.t, 2) && !circle) {
            g.inplace = i;
            g.v[i].wanted = true;
        }
    if (!circle)
        w.all = compile(write_program(&g, -1));
    for (int r = 0; r < g.ranks; r++)
        w.of[r] = compile(write_program(&g, r));
    ilex_status rc = check(&w);
    circles += circle;
    if (circle) {
        ck_assert_int_eq(rc, ILEX_E_GROUP);
        ck_assert_msg(strstr(w.said, "wait for each other"), "%s", w.said);
    } else if (g.inplace < 0 || !rc) {
        ck_assert_msg(rc == ILEX_OK, "%llu: %s", (unsigned long long)first,
                      w.said);
        in_place += g.inplace >= 0;
        compute_whole(&w);
        run_ranks(&w);
    }
    ilex_program_release(w.all);
    for (int r = 0; r < g.ranks; r++)
        ilex_program_release(w.of[r]);
    for (int i = 0; i < g.n; i++)
        free(w.whole[i]);
}

static uint64_t programs = 200, begin = 1;

START_TEST(random_graphs)
{
    for (uint64_t i = begin; i < begin + programs; i++) {
        try_one(i);
        if (i % 64 == 0) { /* it keeps the sizes of all */
            close_context();
            open_context();
        }
    }
    ck_assert_int_ge(circles, (int)programs / 20);
    ck_assert_int_ge(in_place, (int)programs / 40);
}
END_TEST

int
main(int argc, char **argv)
{
    programs = argc > 1 ? strtoull(argv[1], NULL, 10) : programs;
    begin = argc > 2 ? strtoull(argv[2], NULL, 10) : begin;
    processes = argc > 3 ? atoi(argv[3]) : 0;
    ranks_transport = processes ? "mpi" : "threads";
    Suite *suite = suite_create("messages_random");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, argc > 1 ? 3600 : 240);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, random_graphs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
