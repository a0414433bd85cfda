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
#include "tests/unit/ranks_fixture.h"

enum { MOST_VALUES = 16 };

typedef struct maker {
    uint64_t state;
    char axis[MOST_VALUES]; /* of value v0, v1, ...: C or E */
    bool deep[MOST_VALUES]; /* it has levels */
    int n;
    char text[4096];
} maker;

static unsigned
pick(maker *m, unsigned below)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->state >> 33) % below;
}

static void IX_PRINTF(2, 3) put(maker *m, const char *format, ...)
{
    size_t n = strlen(m->text);
    va_list args;
    va_start(args, format);
    vsnprintf(m->text + n, sizeof m->text - n, format, args);
    va_end(args);
}

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
    int v = (int)pick(m, (unsigned)m->n);
    if (pick(m, 5) == 0 && m->axis[v] == axis && !m->deep[v])
        put(m, "i64(abs(f64(v%d[i]))*3.0) %% %c", v, length_of(of));
    else if (pick(m, 3) == 0)
        put(m, "(i*%c + 5*%c[i, j])//%c %% %c", length_of(of),
            axis == 'C' ? 'c' : 't', length_of(axis), length_of(of));
    else
        put(m, "(%c[i, j]*7 + i + j) %% %c", axis == 'C' ? 'c' : 't',
            length_of(of));
}

/* v<n> on "axis" reads v<of> at some neighbours. */
static void
put_gather(maker *m, int of, char axis, bool deep)
{
    static const char *const combine[] = {"sum", "max", "sum"};
    const char *reads = m->deep[of] ? ", k" : "";
    bool own = m->axis[of] == axis && pick(m, 2);
    put(m, "map v%d[%c=i:%c%s] = %s[j:2](0.5*f64(v%d[", m->n, axis,
        length_of(axis), deep ? ", K=k:q" : "", combine[pick(m, 3)], of);
    put_place(m, axis, m->axis[of]);
    put(m, "%s])", reads);
    if (own)
        put(m, " - f64(v%d[i%s])", of, reads);
    put(m, ")\n");
}

static void
add_value(maker *m)
{
    int of = (int)pick(m, (unsigned)m->n), other = (int)pick(m, (unsigned)m->n);
    char axis = pick(m, 2) ? 'C' : 'E';
    unsigned kind = pick(m, 8);
    bool deep = m->deep[of];
    if (kind < 5) {
        put_gather(m, of, axis, deep);
    } else if (kind == 5) {
        axis = m->axis[of];
        put(m, "let v%d = concat_where(%c < %c-1, f64(v%d)[%c+1], f64(v%d))\n",
            m->n, axis, length_of(axis), of, axis, of);
    } else if (kind == 6) {
        axis = m->axis[of];
        put(m, "let v%d = f64(v%d) - mean[%c](f64(v%d))\n", m->n, of, axis, of);
    } else {
        axis = m->axis[of];
        other = m->axis[other] == axis ? other : of;
        deep |= m->deep[other];
        put(m, "let v%d = 0.5*f64(v%d) + f64(v%d)\n", m->n, of, other);
    }
    m->axis[m->n] = axis;
    m->deep[m->n++] = deep;
}

/* A loop over a value: some more of it, and back to it. */
static void
add_loop(maker *m)
{
    int of = (int)pick(m, (unsigned)m->n), first = m->n;
    char axis = m->axis[of];
    bool deep = m->deep[of];
    put(m, "loop r[0:3] v%d : f64[%c:%c%s] = f64(v%d)\n", m->n, axis,
        length_of(axis), deep ? ", K:q" : "", of);
    m->axis[m->n] = axis;
    m->deep[m->n++] = deep;
    for (int i = 1 + (int)pick(m, 2); i > 0; i--)
        add_value(m);
    put(m, "  next v%d = 0.5*v%d", first, first);
    for (int v = first + 1; v < m->n; v++)
        if (m->axis[v] == axis && m->deep[v] <= deep)
            put(m, " + 0.125*v%d", v);
    put(m, "\nend\n");
    m->n = first + 1; /* those of its body are its own */
}

static bool
make_program(maker *m, uint64_t first)
{
    memset(m, 0, sizeof *m);
    m->state = first * 0x9e3779b97f4a7c15u + 1;
    pick(m, 2);
    put(m,
        "ilex 1\nprogram mesh%llu\nsize n, m, q\nassume n >= 1\n"
        "assume m >= 1\nassume q >= 1\nin t : i32[E:m, S:2]\n"
        "in c : i64[C:n, S:2]\n",
        (unsigned long long)first);
    for (int i = 0, n = 1 + (int)pick(m, 3); i < n; i++) {
        m->axis[m->n] = pick(m, 2) ? 'C' : 'E';
        m->deep[m->n] = pick(m, 3) == 0;
        put(m, "in v%d : %s[%c:%c%s]\n", m->n, pick(m, 4) ? "f64" : "f32",
            m->axis[m->n], length_of(m->axis[m->n]),
            m->deep[m->n] ? ", K:q" : "");
        m->n++;
    }
    int inputs = m->n;
    for (int i = 1 + (int)pick(m, 4); i > 0; i--)
        if (pick(m, 4))
            add_value(m);
        else
            add_loop(m);
    for (int v = m->n - 1, n = 0; v >= inputs && n < 3; v--)
        put(m, "out y%d = v%d\n", n++, v);
    return true;
}

static bool
is_program(const char *text)
{
    ilex_module *module = ilex_module_parse(ctx, text, "random");
    ilex_program *p = module ? ilex_compile_module(module) : NULL;
    bool ok = p != NULL;
    if (!ok && getenv("RANKS_SHOW"))
        fprintf(stderr, "%s\n%s\n", text, ilex_error_text(ctx));
    ilex_program_release(p);
    ilex_module_free(module);
    ilex_error_clear(ctx);
    return ok;
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
    if (!make_program(&m, first) || !is_program(m.text))
        return 0;
    int64_t n = 1 + pick(&m, pick(&m, 4) ? 20 : 300),
            edges = 1 + pick(&m, pick(&m, 4) ? 30 : 400), q = 1 + pick(&m, 3);
    ranks_case c = {.text = m.text,
                    .halo = 6,
                    .ranks = grids[pick(&m, IX_COUNT(grids))],
                    .domain = domain,
                    .runs = 1 + (int)pick(&m, 2),
                    .size = {{"n", n}, {"m", edges}, {"q", q}},
                    .nsizes = 3};
    while (processes && ranks_of(&c) != processes)
        c.ranks = grids[pick(&m, IX_COUNT(grids))];
    snprintf(domain, sizeof domain, "C:%lld, E:%lld, K:%lld", (long long)n,
             (long long)edges, (long long)q);
    if (getenv("RANKS_SHOW"))
        fprintf(stderr, "%s\n%s %s\n", m.text, c.ranks, c.domain);
    ranks_world w;
    ranks_open(&w, &c, first);
    ranks_compare(&w);
    ranks_close(&w);
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
