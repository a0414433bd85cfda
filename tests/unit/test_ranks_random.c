/* SPDX-License-Identifier: MIT
 *
 * Random programs over ranks: stencils, broadcasts, reductions, scans, other
 * indices along axes that are whole or divided, conditions on indices, random
 * numbers, staggered axes, outputs on other ranges, of floating and integer
 * numbers; on random grids, with parts of one point or none, periodic or not.
 * The bits are those of one process.
 *
 *     test_ranks_random [PROGRAMS [FIRST [RANKS]]]
 *
 * With a number of RANKS it is one of so many processes of MPI. RANKS_SHOW
 * prints programs and grids.
 */
#include "tests/unit/ranks_text.h"

enum { I, J, K, AXES };
static const char axis_name[] = "IJK";

/* An array so far: its name, its axes as bits, is the first one I+1/2? How far
 * it is read beyond its axes at most. */
typedef struct value {
    char name[8];
    unsigned axes;
    bool staggered;
    int reach;
} value;

enum { MOST_VALUES = 24, REACH = 5 };

typedef struct maker {
    ranks_text t;
    value value[MOST_VALUES];
    int n;
} maker;

/* "I+1/2:n+1, J:m": the domain of a value. */
static void
put_domain(maker *m, const value *v)
{
    static const char *const length[] = {"n", "m", "q"};
    const char *comma = "";
    for (int k = 0; k < AXES; k++)
        if (v->axes >> k & 1) {
            put(&m->t, "%s%c%s:%s%s", comma, axis_name[k],
                k == I && v->staggered ? "+1/2" : "", length[k],
                k == I && v->staggered ? "" : "");
            comma = ", ";
        }
}

static value *
add(maker *m, char letter)
{
    value *v = &m->value[m->n];
    snprintf(v->name, sizeof v->name, "%c%d", letter, m->n);
    m->n++;
    return v;
}

static void
add_input(maker *m)
{
    static const char *const dtypes[] = {"f64", "f64", "f32", "i32", "i64"};
    static const unsigned axes[] = {1 << I | 1 << J, 7, 1 << I, 1 << J | 1 << K,
                                    1 << I | 1 << J};
    value *v = add(m, 'u');
    *v = (value){.axes = axes[pick(&m->t, IX_COUNT(axes))]};
    v->staggered = (v->axes & 1) && pick(&m->t, 4) == 0;
    snprintf(v->name, sizeof v->name, "u%d", m->n - 1);
    put(&m->t, "in %s : %s[", v->name, dtypes[pick(&m->t, IX_COUNT(dtypes))]);
    put_domain(m, v);
    put(&m->t, "] halo(auto)\n");
}

/* A value, read as it is, or some points beside; its axes join "*axes". */
static void
put_read(maker *m, value *now, bool staggered)
{
    const value *v = &m->value[pick(&m->t, (unsigned)m->n)];
    int far = pick(&m->t, 2) ? (int)pick(&m->t, 3) - 1 : 0,
        axis = (int)pick(&m->t, 2);
    bool half = (v->axes & 1) && v->staggered != staggered;
    int reach = v->reach + (half ? 1 : 0);
    if (!half && (far == 0 || !(v->axes >> axis & 1)))
        far = 0;
    reach += far && !half ? abs(far) : 0;
    if (reach > REACH) { /* a number will do */
        put(&m->t, "%u.5", pick(&m->t, 9));
        return;
    }
    now->axes |= v->axes;
    now->reach = reach > now->reach ? reach : now->reach;
    if (half)
        put(&m->t, "f64(%s)[I%c1/2]", v->name, pick(&m->t, 2) ? '+' : '-');
    else if (far)
        put(&m->t, "f64(%s)[%c%s%+d]", v->name, axis_name[axis],
            axis == I && staggered ? "" : "", far);
    else
        put(&m->t, "f64(%s)", v->name);
}

static void
put_condition(maker *m, value *now, bool staggered)
{
    int axis = (int)pick(&m->t, 2);
    now->axes |= 1u << axis;
    put(&m->t, "index(%c%s) %s %u", axis_name[axis],
        axis == I && staggered ? "+1/2" : "",
        pick(&m->t, 2) ? ">=" : "% 3 ==", pick(&m->t, 3));
}

/* An expression of some reads; what it is. */
static value
put_expression(maker *m, bool staggered)
{
    value now = {.staggered = staggered};
    unsigned kind = pick(&m->t, 8);
    if (kind == 0) {
        put(&m->t, "where(");
        put_condition(m, &now, staggered);
        put(&m->t, ", ");
        put_read(m, &now, staggered);
        put(&m->t, ", ");
        put_read(m, &now, staggered);
        put(&m->t, ")");
        return now;
    }
    if (kind == 1) {
        int axis = (int)pick(&m->t, 2);
        now.axes |= 1u << axis;
        put(&m->t, "random(u64(%u), index(%c%s) + 9)*", pick(&m->t, 9),
            axis_name[axis], axis == I && staggered ? "+1/2" : "");
    }
    for (unsigned i = 0, n = 1 + pick(&m->t, 4); i < n; i++) {
        put_read(m, &now, staggered);
        put(&m->t, i + 1 < n ? (pick(&m->t, 3) ? " + " : "*") : "");
    }
    return now;
}

/* A reduction or a scan along an axis of a value, divided or not, or its
 * elements at other places of the axis. */
static bool
put_whole(maker *m, value *now)
{
    static const char *const scans[] = {"cumsum(f64(%s); axis=%s)",
                                        "cumsum(f64(%s); axis=%s, reverse=1)"};
    static const char *const reductions[] = {
        "sum[%s](%s)",         "max[%s](%s)",  "sum[%s](i64(%s))",
        "f64(argmax[%s](%s))", "mean[%s](%s)", "sum[%s](f32(%s)*%s)"};
    const value *v = &m->value[pick(&m->t, (unsigned)m->n)];
    int axis = (int)pick(&m->t, AXES);
    if (!(v->axes >> axis & 1))
        return false;
    bool half = axis == I && v->staggered;
    char name[8];
    snprintf(name, sizeof name, "%c%s", axis_name[axis], half ? "+1/2" : "");
    *now = *v;
    switch (pick(&m->t, 4)) {
    case 0:
        put(&m->t, scans[pick(&m->t, 2)], v->name, name);
        break;
    case 1:
        now->axes &= ~(1u << axis);
        put(&m->t, "f64(%s)[%s=0]", v->name, name);
        break;
    default:
        now->axes &= ~(1u << axis);
        put(&m->t, reductions[pick(&m->t, IX_COUNT(reductions))], name, v->name,
            v->name);
    }
    return true;
}

/* An array that reads another one from the end of an axis, on which it is, or
 * on which it is added to all points. */
static bool
add_map(maker *m)
{
    static const char *const from[] = {"n-1-i",    "m-1-j", "q-1-k",
                                       "(i+2)//3", "j*0",   "k*0"};
    const value *v = &m->value[pick(&m->t, (unsigned)m->n)];
    value now = *v;
    unsigned axis = pick(&m->t, AXES), kind = pick(&m->t, 2);
    if (!(v->axes >> axis & 1) || v->staggered) /* its axis may be last */
        return false;
    snprintf(now.name, sizeof now.name, "t%d", m->n);
    put(&m->t, "map %s[", now.name);
    for (int k = 0, n = 0; k < AXES; k++)
        if (v->axes >> k & 1)
            put(&m->t, "%s%c=%c:%c", n++ ? ", " : "", axis_name[k], "ijk"[k],
                "nmq"[k]);
    put(&m->t, "] = f64(%s[", v->name);
    for (unsigned k = 0, n = 0; k < AXES; k++)
        if (v->axes >> k & 1)
            put(&m->t, "%s%.*s", n++ ? ", " : "", k == axis ? 9 : 1,
                k == axis ? from[3 * kind + k] : &"ijk"[k]);
    put(&m->t, "])\n");
    m->value[m->n++] = now;
    return true;
}

/* ---- loops ---- */

/* What a step adds: something of array "c", which is carried, of arrays around
 * the loop, of the number of the step. */
static void
put_term(maker *m, const value *c, char step)
{
    static const char *const length = "nmq";
    static const char *const whole[] = {"sum[%c](%s)/4", "max[%c](%s)",
                                        "cumsum(%s; axis=%2$c)/8", "%s[%c=0]"};
    int axis = (int)pick(&m->t, AXES);
    const value *v = &m->value[pick(&m->t, (unsigned)m->n)];
    char a = axis_name[axis];
    bool has = c->axes >> axis & 1;
    switch (pick(&m->t, 7)) {
    case 0:
        put(&m->t,
            has ? "0.25*concat_where(%c >= 1 && %c < %c-1, %s[%c-1] + "
                  "%s[%c+1], %s)"
                : "0.5*(%c >= 0)",
            a, a, length[axis], c->name, a, c->name, a, c->name);
        return;
    case 1:
        if (has && axis < 2) {
            unsigned kind = pick(&m->t, 4);
            if (kind > 1)
                put(&m->t, whole[kind], c->name, a);
            else
                put(&m->t, whole[kind], a, c->name);
            return;
        }
        break;
    case 2:
        if (has && axis == I) {
            put(&m->t, "0.5*%s[I=%c]", c->name, step);
            return;
        }
        break;
    case 3:
        put(&m->t, "random(u64(3), %c)", step);
        return;
    case 4:
        put(&m->t, "0.125*%c", step);
        return;
    default:
        if (!(v->axes & ~c->axes) && !v->staggered) {
            put(&m->t, "f64(%s)/2", v->name);
            return;
        }
    }
    put(&m->t, "%s/4", c->name);
}

/* The head of a loop over a copy of "of". */
static void
put_head(maker *m, char step, const char *range, const value *c, const char *of)
{
    put(&m->t, "loop %c[%s] %s : f64[", step, range, c->name);
    put_domain(m, c);
    put(&m->t, "] = f64(%s)", of);
}

/* A loop that carries a copy of a value, perhaps with a loop in its steps. */
static bool
add_loop(maker *m)
{
    const value *v = &m->value[pick(&m->t, (unsigned)m->n)];
    value c = {.axes = v->axes, .reach = REACH}, d = c;
    bool inner = pick(&m->t, 3) == 0, stacked = pick(&m->t, 3) == 0;
    if (v->staggered || !(v->axes & 3))
        return false;
    snprintf(c.name, sizeof c.name, "c%d", m->n);
    snprintf(d.name, sizeof d.name, "d%d", m->n);
    put_head(m, 't', pick(&m->t, 3) ? "0:nt" : "1:nt", &c, v->name);
    put(&m->t, "\n");
    if (inner) {
        put(&m->t, "  ");
        put_head(m, 's', "0:2", &d, c.name);
        put(&m->t, "\n    next %s = ", d.name);
        put_term(m, &d, 's');
        put(&m->t, " + ");
        put_term(m, &c, 't');
        put(&m->t, "\n  end\n");
    }
    put(&m->t, "  next %s = 0.5*%s + ", c.name, inner ? d.name : c.name);
    put_term(m, &c, 't');
    put(&m->t, " + ");
    put_term(m, &c, 't');
    if (stacked)
        put(&m->t, "\n  stack e%d[t] = %s(next(%s))", m->n,
            pick(&m->t, 2) ? "max" : "f32", c.name);
    else if (pick(&m->t, 3) == 0)
        put(&m->t, "\n  until max(abs(next(%s))) > 4.0", c.name);
    put(&m->t, "\nend\n");
    if (stacked)
        put(&m->t, "out z%d = e%d\n", m->n, m->n);
    m->value[m->n++] = c;
    return true;
}

static void
add_let(maker *m)
{
    unsigned kind = pick(&m->t, 16);
    if ((kind < 2 && add_map(m)) || (kind == 2 && add_loop(m)))
        return;
    size_t before = strlen(m->t.text);
    char name[8];
    value now;
    snprintf(name, sizeof name, "t%d", m->n);
    put(&m->t, "let %s = ", name);
    if (pick(&m->t, 4) != 0 || !put_whole(m, &now))
        now = put_expression(m, pick(&m->t, 4) == 0);
    if ((now.axes & 1 << I || now.axes & 1 << J) == 0) {
        m->t.text[before] = 0; /* nothing to divide */
        return;
    }
    put(&m->t, "\n");
    memcpy(now.name, name, sizeof name);
    now.staggered &= (now.axes & 1) != 0;
    m->value[m->n++] = now;
}

/* Outputs: values on their domains, and on smaller ones. */
static int
put_outputs(maker *m, int inputs)
{
    int n = 0;
    for (int i = m->n - 1; i >= inputs && n < 3; i--) {
        const value *v = &m->value[i];
        bool part = n > 0 && (v->axes & 1) && !v->staggered && pick(&m->t, 2);
        if (n > 0 && pick(&m->t, 3) == 0)
            continue;
        put(&m->t, part ? "out y%d = %s[I=1:n-1]\n" : "out y%d = %s\n", n,
            v->name);
        n++;
    }
    return n;
}

static bool
make_program(maker *m, uint64_t first)
{
    memset(m, 0, sizeof *m);
    begin_text(&m->t, first);
    put(&m->t,
        "ilex 1\nprogram random%llu\nsize n, m, q, nt\n"
        "assume n >= 3\nassume nt <= n\nassume m >= 1\nassume q >= 1\n",
        (unsigned long long)first);
    int inputs = 1 + (int)pick(&m->t, 3);
    for (int i = 0; i < inputs; i++)
        add_input(m);
    for (int i = 2 + (int)pick(&m->t, 6); i > 0; i--)
        add_let(m);
    return put_outputs(m, inputs) > 0;
}

static const char *const grids[] = {
    "I:1",      "I:2",      "I:3",           "I:4",      "I:6",      "I:8",
    "J:2",      "J:3",      "I:2, J:2",      "I:3, J:2", "J:2, I:4", "J:4, I:2",
    "I:2, K:1", "J:6, I:1", "I:1, J:1, K:1", "I:2, J:3",
};
static const char *const around[] = {NULL, NULL, "I", "J", "I, J"};

static int processes; /* 0: ranks are threads */

static const char *
choose_grid(maker *m)
{
    const char *found;
    do
        found = grids[pick(&m->t, IX_COUNT(grids))];
    while (processes && ranks_of(&(ranks_case){.ranks = found}) != processes);
    return found;
}

/* The periodic axes among those of the grid; NULL: none. */
static const char *
choose_periodic(maker *m, const char *ranks)
{
    const char *p = around[pick(&m->t, IX_COUNT(around))];
    for (const char *a = p; a && *a; a++)
        if ((*a == 'I' || *a == 'J') && !strchr(ranks, *a))
            return NULL;
    return p;
}

static int overlapped; /* runs that computed while halos came */

/* 1: it was run and compared. */
static int
try_one(uint64_t first)
{
    static maker m;
    char domain[80];
    /* where nothing but index(J) has the axis J its ends are not known */
    if (!make_program(&m, first) || !is_program(m.t.text))
        return 0;
    int64_t n = 3 + pick(&m.t, pick(&m.t, 3)   ? 12
                               : pick(&m.t, 8) ? 60
                                               : 700),
            rows = 1 + pick(&m.t, 9), q = 1 + pick(&m.t, 4);
    ranks_case c = {
        .text = m.t.text,
        .halo = REACH + 1,
        .ranks = choose_grid(&m),
        .domain = domain,
        .runs = 1 + (int)pick(&m.t, 4),
        .overlap = pick(&m.t, 2),
        .size = {{"n", n}, {"m", rows}, {"q", q}, {"nt", pick(&m.t, 4)}},
        .nsizes = 4};
    c.periodic = choose_periodic(&m, c.ranks);
    /* arrays may be on a part of the domain, where nothing goes round */
    long long off = c.periodic || pick(&m.t, 3) ? 0 : pick(&m.t, 9);
    snprintf(domain, sizeof domain, "I:%lld:%lld, J:%lld:%lld, K:%lld", -off,
             (long long)n + 2 * off, -off / 2, (long long)rows + off,
             (long long)q);
    ranks_world w;
    if (getenv("RANKS_SHOW"))
        fprintf(stderr, "%s\n%s %s %s\n", m.t.text, c.ranks, c.domain,
                c.periodic ? c.periodic : "");
    ranks_open(&w, &c, first);
    ranks_compare(&w);
    for (int r = 0; r < ranks_of(&c); r++)
        overlapped += w.overlapped[r];
    ranks_close(&w);
    return 1;
}

static uint64_t programs = 300, begin = 1;

START_TEST(random_programs)
{
    int tried = 0;
    for (uint64_t i = begin; i < begin + programs; i++)
        tried += try_one(i);
    ck_assert_uint_ge((uint64_t)tried, programs * 3 / 4);
    if (!processes) /* which see their own alone */
        ck_assert_int_ge(overlapped, (int)programs / 20);
}
END_TEST

int
main(int argc, char **argv)
{
    programs = argc > 1 ? strtoull(argv[1], NULL, 10) : programs;
    begin = argc > 2 ? strtoull(argv[2], NULL, 10) : begin;
    processes = argc > 3 ? atoi(argv[3]) : 0;
    ranks_transport = processes ? "mpi" : "threads";
    Suite *suite = suite_create("ranks_random");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, argc > 1 ? 3600 : 240);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, random_programs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
