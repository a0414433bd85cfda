/* SPDX-License-Identifier: MIT
 *
 * Random programs on meshes: fields on cells and edges that read each other
 * through tables, and through indices that are computed, on grids that divide
 * both along the same ranks, or one of them. The bits are those of one process.
 *
 *     test_ranks_mesh_random [PROGRAMS [FIRST [RANKS]]]
 *
 * With a number of RANKS it is one of so many processes of MPI.
 */
#include "tests/unit/ranks_text.h"

enum { MOST_VALUES = 16 };

typedef struct maker {
    ranks_text t;
    char axis[MOST_VALUES]; /* of value v0, v1, ...: C or E */
    bool deep[MOST_VALUES]; /* it has levels */
    int n;
} maker;

static char
length_of(char axis)
{
    return axis == 'C' ? 'n' : 'm';
}

/* A place along the axis of what is read, at place "i" of "axis": by a table,
 * moved, or what a value says. */
static void
put_place(maker *m, char axis, char of)
{
    int v = (int)pick(&m->t, (unsigned)m->n);
    if (pick(&m->t, 5) == 0 && m->axis[v] == axis && !m->deep[v])
        put(&m->t, "i64(abs(f64(v%d[i]))*3.0) %% %c", v, length_of(of));
    else if (pick(&m->t, 3) == 0)
        put(&m->t, "(i*%c + 5*%c[i, j])//%c %% %c", length_of(of),
            axis == 'C' ? 'c' : 't', length_of(axis), length_of(of));
    else
        put(&m->t, "(%c[i, j]*7 + i + j) %% %c", axis == 'C' ? 'c' : 't',
            length_of(of));
}

/* v<n> on "axis" reads v<of> at some neighbours. */
static void
put_gather(maker *m, int of, char axis, bool deep)
{
    static const char *const combine[] = {"sum", "max", "sum"};
    const char *reads = m->deep[of] ? ", k" : "";
    bool own = m->axis[of] == axis && pick(&m->t, 2);
    put(&m->t, "map v%d[%c=i:%c%s] = %s[j:2](0.5*f64(v%d[", m->n, axis,
        length_of(axis), deep ? ", K=k:q" : "", combine[pick(&m->t, 3)], of);
    put_place(m, axis, m->axis[of]);
    put(&m->t, "%s])", reads);
    if (own)
        put(&m->t, " - f64(v%d[i%s])", of, reads);
    put(&m->t, ")\n");
}

static void
add_value(maker *m)
{
    int of = (int)pick(&m->t, (unsigned)m->n),
        other = (int)pick(&m->t, (unsigned)m->n);
    char axis = pick(&m->t, 2) ? 'C' : 'E';
    unsigned kind = pick(&m->t, 8);
    bool deep = m->deep[of];
    if (kind < 5) {
        put_gather(m, of, axis, deep);
    } else if (kind == 5) {
        axis = m->axis[of];
        put(&m->t,
            "let v%d = concat_where(%c < %c-1, f64(v%d)[%c+1], f64(v%d))\n",
            m->n, axis, length_of(axis), of, axis, of);
    } else if (kind == 6) {
        axis = m->axis[of];
        put(&m->t, "let v%d = f64(v%d) - mean[%c](f64(v%d))\n", m->n, of, axis,
            of);
    } else {
        axis = m->axis[of];
        other = m->axis[other] == axis ? other : of;
        deep |= m->deep[other];
        put(&m->t, "let v%d = 0.5*f64(v%d) + f64(v%d)\n", m->n, of, other);
    }
    m->axis[m->n] = axis;
    m->deep[m->n++] = deep;
}

/* A loop over a value: some more of it, and back to it. */
static void
add_loop(maker *m)
{
    int of = (int)pick(&m->t, (unsigned)m->n), first = m->n;
    char axis = m->axis[of];
    bool deep = m->deep[of];
    put(&m->t, "loop r[0:3] v%d : f64[%c:%c%s] = f64(v%d)\n", m->n, axis,
        length_of(axis), deep ? ", K:q" : "", of);
    m->axis[m->n] = axis;
    m->deep[m->n++] = deep;
    for (int i = 1 + (int)pick(&m->t, 2); i > 0; i--)
        add_value(m);
    put(&m->t, "  next v%d = 0.5*v%d", first, first);
    for (int v = first + 1; v < m->n; v++)
        if (m->axis[v] == axis && m->deep[v] <= deep)
            put(&m->t, " + 0.125*v%d", v);
    put(&m->t, "\nend\n");
    m->n = first + 1; /* those of its body are its own */
}

static bool
make_program(maker *m, uint64_t first)
{
    memset(m, 0, sizeof *m);
    begin_text(&m->t, first);
    put(&m->t,
        "ilex 1\nprogram mesh%llu\nsize n, m, q\nassume n >= 1\n"
        "assume m >= 1\nassume q >= 1\nin t : i32[E:m, S:2]\n"
        "in c : i64[C:n, S:2]\n",
        (unsigned long long)first);
    for (int i = 0, n = 1 + (int)pick(&m->t, 3); i < n; i++) {
        m->axis[m->n] = pick(&m->t, 2) ? 'C' : 'E';
        m->deep[m->n] = pick(&m->t, 3) == 0;
        put(&m->t, "in v%d : %s[%c:%c%s]\n", m->n,
            pick(&m->t, 4) ? "f64" : "f32", m->axis[m->n],
            length_of(m->axis[m->n]), m->deep[m->n] ? ", K:q" : "");
        m->n++;
    }
    int inputs = m->n;
    for (int i = 1 + (int)pick(&m->t, 4); i > 0; i--)
        if (pick(&m->t, 4))
            add_value(m);
        else
            add_loop(m);
    for (int v = m->n - 1, n = 0; v >= inputs && n < 3; v--)
        put(&m->t, "out y%d = v%d\n", n++, v);
    return true;
}

static int processes; /* 0: ranks are threads */

static int
try_one(uint64_t first)
{
    static const char *const grids[] = {
        "C:2, E=C", "C:3, E=C", "E:4, C=E",      "C:6, E=C",
        "C:2",      "E:3",      "C:2, E:2",      "C:2, K:2, E=C",
        "K:2",      "E:2, K:1", "C:1, E=C, K:3", "C:8, E=C",
    };
    static maker m;
    char domain[80];
    if (!make_program(&m, first) || !is_program(m.t.text))
        return 0;
    int64_t n = 1 + pick(&m.t, pick(&m.t, 4) ? 20 : 300),
            edges = 1 + pick(&m.t, pick(&m.t, 4) ? 30 : 400),
            q = 1 + pick(&m.t, 3);
    ranks_case c = {.text = m.t.text,
                    .halo = 6,
                    .ranks = grids[pick(&m.t, IX_COUNT(grids))],
                    .domain = domain,
                    .runs = 1 + (int)pick(&m.t, 2),
                    .size = {{"n", n}, {"m", edges}, {"q", q}},
                    .nsizes = 3};
    while (processes && ranks_of(&c) != processes)
        c.ranks = grids[pick(&m.t, IX_COUNT(grids))];
    snprintf(domain, sizeof domain, "C:%lld, E:%lld, K:%lld", (long long)n,
             (long long)edges, (long long)q);
    if (getenv("RANKS_SHOW"))
        fprintf(stderr, "%s\n%s %s\n", m.t.text, c.ranks, c.domain);
    ranks_check(&c, first);
    return 1;
}

static uint64_t programs = 150, begin = 1;

START_TEST(random_programs)
{
    int tried = 0;
    for (uint64_t i = begin; i < begin + programs; i++) {
        tried += try_one(i);
        if (i % 64 == 0) { /* it keeps the sizes of all */
            close_context();
            open_context();
        }
    }
    ck_assert_uint_ge((uint64_t)tried, programs * 3 / 4);
}
END_TEST

int
main(int argc, char **argv)
{
    programs = argc > 1 ? strtoull(argv[1], NULL, 10) : programs;
    begin = argc > 2 ? strtoull(argv[2], NULL, 10) : begin;
    processes = argc > 3 ? atoi(argv[3]) : 0;
    ranks_transport = processes ? "mpi" : "threads";
    Suite *suite = suite_create("ranks_mesh_random");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, argc > 1 ? 3600 : 240);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, random_programs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
