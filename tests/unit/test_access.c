/* SPDX-License-Identifier: MIT
 *
 * Where index expressions go: bounds and proofs against every point of small
 * boxes, counterexamples, and the messages made of them.
 */
#include "lib/shape/refute.h"
#include "tests/unit/index_fixture.h"

enum { TRIALS = 400, MANY = 10000, MOST_GUARDS = 2 };

/* A random box, a reduction and perhaps guards around an expression. */
typedef struct place {
    ix_frame frame;
    const ilex_array *reduce;
    ix_guard guard[MOST_GUARDS];
    const ilex_array *other[MOST_GUARDS]; /* the conditions if data is true */
    int64_t lo[3], hi[3];                 /* _0, _1, _r0 */
} place;

static ix_axis
constant_axis(int64_t lo, int64_t hi)
{
    return (ix_axis){0, ix_lin_const(ctx, lo), ix_lin_const(ctx, hi)};
}

/* "c" as it is, or joined with a datum, which is "datum". */
static ilex_array *
joined(ilex_array *c, int how, int datum)
{
    ilex_array *ops[2] = {c, ix_scalar_load(ctx, ILEX_BOOL, datum, 0, NULL)};
    if (how < 2)
        return c;
    c = ix_scalar_op(ctx, how % 2 ? IX_OP_LOGICAL_AND : IX_OP_LOGICAL_OR,
                     ILEX_BOOL, ILEX_BOOL, ops);
    return how < 4
               ? c
               : ix_scalar_op(ctx, IX_OP_LOGICAL_NOT, ILEX_BOOL, ILEX_BOOL, &c);
}

static void
random_place(place *q)
{
    static const ix_op compare[] = {IX_OP_LESS,    IX_OP_LESS_EQUAL,
                                    IX_OP_GREATER, IX_OP_GREATER_EQUAL,
                                    IX_OP_EQUAL,   IX_OP_NOT_EQUAL};
    ix_axis ax[3];
    for (int k = 0; k < 3; k++) {
        q->lo[k] = draw(-4, 4);
        q->hi[k] = q->lo[k] + draw(1, 5);
        ax[k] = constant_axis(q->lo[k], q->hi[k]);
    }
    q->frame = (ix_frame){.box = ix_domain_new(ctx, 2, ax),
                          .nreduce = 1,
                          .reduce = &q->reduce,
                          .guard = q->guard};
    q->reduce = ix_scalar_reduce(ctx, IX_REDUCTION_SUM, ILEX_I64,
                                 ix_domain_new(ctx, 1, &ax[2]), 0,
                                 ix_scalar_rindex(ctx, 0));
    for (int64_t i = draw(0, MOST_GUARDS); i > 0; i--) {
        ilex_array *ops[2] = {
            ix_index_normal(ctx, random_index((int)draw(0, 1))),
            ix_index_normal(ctx, random_index((int)draw(0, 1)))};
        ilex_array *c =
            ix_scalar_op(ctx, compare[draw(0, 5)], ILEX_I64, ILEX_BOOL, ops);
        int how = (int)draw(0, 5);
        q->other[q->frame.nguard] = joined(c, how, 1);
        q->guard[q->frame.nguard++] = (ix_guard){joined(c, how, 0), draw(0, 1)};
    }
}

/* May all guards let the point pass, whatever the data is? */
static bool
guarded(const place *q, const point *p)
{
    bool all = true;
    for (int i = 0; i < q->frame.nguard; i++) {
        const ix_guard *g = &q->guard[i];
        all &= (value_at(g->condition, p) != 0) == g->holds ||
               (value_at(q->other[i], p) != 0) == g->holds;
    }
    return all;
}

/* Least and greatest value of "x", over points that the guards let pass; false
 * when there is none. */
static bool
extremes(const place *q, const ilex_array *x, int64_t *least, int64_t *most)
{
    bool any = false;
    point p = {.size = {3}};
    for (p.index[0] = q->lo[0]; p.index[0] < q->hi[0]; p.index[0]++)
        for (p.index[1] = q->lo[1]; p.index[1] < q->hi[1]; p.index[1]++)
            for (p.rindex[0] = q->lo[2]; p.rindex[0] < q->hi[2];
                 p.rindex[0]++) {
                if (!guarded(q, &p))
                    continue;
                int64_t v = value_at(x, &p);
                *least = !any || v < *least ? v : *least;
                *most = !any || v > *most ? v : *most;
                any = true;
            }
    return any;
}

/* n is 3: forms are compared as numbers. */
static int64_t
number(const ix_lin *a)
{
    int64_t v = 0;
    ck_assert(ix_lin_eval(a, (const int64_t[]){3}, &v));
    return v;
}

/* The greatest lower bound. */
static int64_t
best(const ix_bounds *b)
{
    int64_t v = INT64_MIN;
    for (int k = 0; k < b->nlo; k++)
        v = number(b->lo[k]) > v ? number(b->lo[k]) : v;
    return v;
}

START_TEST(bounds)
{
    int narrowed = 0;
    make_size();
    assume("n == 3");
    for (int i = 0; i < MANY; i++) {
        size_t scope = ilex_scope_begin(ctx);
        place q;
        ix_bounds b, wide;
        int64_t least, most;
        ilex_array *x = ix_index_normal(ctx, random_index((int)draw(0, 3)));
        random_place(&q);
        bool any = extremes(&q, x, &least, &most);
        ix_index_bounds(ctx, &q.frame, x, &b);
        for (int k = 0; any && k < b.nlo; k++)
            ck_assert_int_le(number(b.lo[k]), least);
        for (int k = 0; any && k < b.nhi; k++)
            ck_assert_int_ge(number(b.hi[k]), most);
        q.frame.nguard = 0;
        ix_index_bounds(ctx, &q.frame, x, &wide);
        narrowed += any && best(&b) > best(&wide);
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(narrowed, MANY / 1000);
    check_fine();
}
END_TEST

/* The sample is a point of the frame at which "x" leaves [lo, hi). */
static void
check_sample(const place *q, const ilex_array *x, int64_t lo, int64_t hi,
             const ix_sample *s)
{
    ck_assert_int_eq(s->nindex, 3);
    int64_t n = s->nsizes ? s->size[0].value : 3; /* n is 3 if it matters */
    point p = {{s->index[0], s->index[1]}, {s->index[2]}, {n}};
    for (int k = 0; k < 3; k++)
        ck_assert(s->index[k] >= q->lo[k] && s->index[k] < q->hi[k]);
    ck_assert(guarded(q, &p));
    ck_assert_int_eq(value_at(x, &p), s->at);
    ck_assert(s->at < lo || s->at >= hi);
}

START_TEST(within)
{
    int yes = 0, no = 0, unknown = 0, refuted = 0, plain = 0;
    make_size();
    assume("n == 3");
    for (int i = 0; i < TRIALS; i++) {
        size_t scope = ilex_scope_begin(ctx);
        place q;
        ix_sample sample;
        int64_t least = 0, most = 0, lo, hi;
        ilex_array *x = ix_index_normal(ctx, random_index(3));
        random_place(&q);
        bool any = extremes(&q, x, &least, &most);
        lo = least + draw(-1, 1);
        hi = most + 1 + draw(-1, 1);
        bool inside = !any || (lo <= least && most < hi);
        ix_tri said = ix_access_within(ctx, &q.frame, x, ix_lin_const(ctx, lo),
                                       ix_lin_const(ctx, hi), &sample);
        unknown += said == IX_UNKNOWN; /* more than isl's quota */
        ck_assert(said == IX_UNKNOWN || said == (inside ? IX_YES : IX_NO));
        ck_assert(said == IX_UNKNOWN ||
                  ix_access_is_within(ctx, &q.frame, x, ix_lin_const(ctx, lo),
                                      ix_lin_const(ctx, hi)) == inside);
        if (said == IX_NO)
            check_sample(&q, x, lo, hi, &sample);
        /* trying corners is never wrong, and finds most of what it may */
        bool outside =
            ix_refutes_within(&q.frame, x, ix_lin_const(ctx, lo),
                              ix_lin_const(ctx, hi), (const int64_t[]){3});
        ck_assert(!outside || !inside);
        refuted += outside;
        plain += !inside && !q.frame.nguard;
        yes += inside;
        no += !inside;
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(yes, TRIALS / 10);
    ck_assert_int_gt(no, TRIALS / 10);
    ck_assert_int_lt(unknown, TRIALS / 20);
    ck_assert_int_gt(refuted, plain / 2);
    check_fine();
}
END_TEST

/* What a memo keeps is one question: another guard, box, reduction, bound or
 * fact makes another one. Each is asked twice, where the first has put its
 * answer into the memo. */
START_TEST(memo)
{
    enum { INDEX, RINDEX };
    static const struct {
        int what, last, guard, facts; /* guard 1: _0 < 5 holds, -1: not */
        int64_t length;
        bool inside;
    } rows[] = {
        {INDEX, 10, 0, 0, 10, true},   {INDEX, 5, 0, 0, 10, false},
        {INDEX, 5, 1, 0, 10, true},    {INDEX, 5, -1, 0, 10, false},
        {INDEX, 5, 0, 0, 5, true},     {RINDEX, 10, 0, 0, 10, true},
        {RINDEX, 10, 0, 0, 11, false}, {INDEX, 0, 0, 0, 3, false},
        {INDEX, 0, 0, 1, 3, true},     {INDEX, 0, 0, 0, 3, false},
    };
    ix_table kept = {NULL, 0, 0};
    make_size();
    given("n >= 3");
    const ix_env *facts = ctx->facts;
    const ix_lin *n = ix_lin_param(ctx, 0), *zero = ix_lin_const(ctx, 0);
    ilex_array *ops[2] = {ix_scalar_index(ctx, 0), ix_index_const(ctx, 5)};
    ix_guard guard = {ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ops),
                      true};
    ctx->proven = &kept;
    for (size_t i = 0; i < 2 * IX_COUNT(rows); i++) {
        size_t r = i / 2;
        ix_sample sample;
        ix_axis ax = constant_axis(0, rows[r].length);
        const ix_domain *box = ix_domain_new(ctx, 1, &ax);
        const ilex_array *sum = ix_scalar_reduce(
            ctx, IX_REDUCTION_SUM, ILEX_I64, box, 0, ix_scalar_rindex(ctx, 0));
        bool reduced = rows[r].what == RINDEX;
        ix_frame frame = {.box = reduced ? NULL : box,
                          .nreduce = reduced,
                          .reduce = &sum,
                          .nguard = rows[r].guard != 0,
                          .guard = &guard};
        const ilex_array *x =
            reduced ? ix_scalar_rindex(ctx, 0) : ix_scalar_index(ctx, 0);
        guard.holds = rows[r].guard > 0;
        ctx->facts = rows[r].facts ? facts : NULL;
        ix_tri said = ix_access_within(
            ctx, &frame, x, zero,
            rows[r].last ? ix_lin_const(ctx, rows[r].last) : n, &sample);
        ck_assert_msg((said == IX_YES) == rows[r].inside, "row %zu", r);
    }
    ctx->facts = NULL;
    ck_assert_uint_eq(kept.count, 5);
    ix_proven_end(ctx);
    ck_assert_ptr_null(ctx->proven);
}
END_TEST

/* ---- programs ---- */

/* The error of a program of two lines; "" when it is accepted. */
static const char *
verdict(const char *in, const char *map)
{
    char text[512];
    ilex_error_clear(ctx);
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m\nassume n >= 2\n%s\n%s\n", in, map);
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ilex_module_free(m);
    return ilex_error_text(ctx);
}

static const struct {
    const char *in, *map, *error; /* "" accepted */
} programs[] = {
    {"in x : f64[n]", "map y[i:n-1] = x[i+1]", ""},
    {"in x : f64[n]", "map y[i:n] = x[n-1-i]", ""},
    {"in x : f64[n]", "map y[i=i:-3:n+3] = x[min(max(i, 0), n-1)]", ""},
    {"in x : f64[n]", "map y[i:5*n] = x[i//5]", ""},
    {"in x : f64[n]", "map y[i:n] = where(i > 0, x[i-1], 0.0)", ""},
    {"in x : f64[n]", "map y[i:n] = where(i >= 1 && i < n-1, x[i-1]+x[i+1], 0)",
     ""},
    {"in x : f64[n]", "map y[i:n-1] = sum[s:2](x[i+s])", ""},
    {"in x : f64[3*n]", "map y[i:n] = x[3*i+2]", ""},
    {"in x : f64[n, m]", "map y[i:m, j:n] = x[j, i]", ""},
    {"in x : f64[7]", "map y[i:100] = x[i%7]", ""},
    {"in x : f64[n]", "map y[i:n] = x[i+1]",
     "y: reads x at axis 0=2 when i=1; x covers axis 0 in [0, n) (for example "
     "n=2)"},
    {"in x : f64[n]", "map y[i:n] = where(i > 0, 0.0, x[i-1])",
     "x at axis 0=-1 when i=0"},
    {"in x : f64[n]", "map y[i:n-1] = sum[s:3](x[i+s])", "reads x at axis 0=2"},
    {"in x : f64[6]", "map y[i:100] = x[i%7]", "reads x at axis 0=6 when i=6"},
    {"in x : f64[I:n]", "map y[I:n] = x[I-1]", "reads x at I=-1 when I=0"},
    {"in x : f64[n]\nin k : i64[n]", "map y[i:n] = x[k[i]]", ""},
    {"in x : f64[n]\nin k : i64[n+1]", "map y[i:n] = x[k[i+2]]",
     "reads k at axis 0=3 when i=1"},
    {"in x : f64[n, n]", "map y[i:n, j:n] = x[i*j, i]", ""},
    {"in x : f64[n]", "map y[i:1] = x[i*2199023255552]", ""},
};

START_TEST(messages)
{
    for (size_t i = 0; i < IX_COUNT(programs); i++) {
        const char *said = verdict(programs[i].in, programs[i].map);
        bool ok = *programs[i].error ? strstr(said, programs[i].error) != NULL
                                     : !*said;
        ck_assert_msg(ok, "%s: %s", programs[i].map, said);
    }
}
END_TEST

/* Arrays of length 3 side by side, written as a chain of `where`. In the last
 * branch of each, or with "up" in the first, stands the rest of the chain. The
 * read of part "wrong" is one off. */
static const char *
side_by_side(int parts, bool up, int wrong)
{
    ix_text t;
    ix_text_init(&t, ix_context_mem(ctx));
    ix_text_put(&t, "ilex 1\nprogram p\n");
    for (int i = 0; i < parts; i++)
        ix_text_format(&t, "in x%d : i64[3]\n", i);
    ix_text_format(&t, "map y[i:%d] = ", 3 * parts);
    for (int i = 0; i + 1 < parts; i++)
        if (up)
            ix_text_format(&t, "where(i >= %d, ", 3 * i + 3);
        else
            ix_text_format(&t, "where(i < %d, x%d[i-%d], ", 3 * i + 3, i,
                           3 * i - (i == wrong));
    ix_text_format(&t, "x%d[i-%d]", parts - 1, 3 * (parts - 1));
    for (int i = parts - 2; i >= 0; i--)
        if (up)
            ix_text_format(&t, ", x%d[i-%d])", i, 3 * i - (i == wrong));
        else
            ix_text_char(&t, ')');
    ix_text_put(&t, "\nout z = y\n");
    ilex_error_clear(ctx);
    ilex_module_free(ilex_module_parse(ctx, ix_text_string(&t), NULL));
    ix_text_free(&t);
    return ilex_error_text(ctx);
}

START_TEST(deep_guards)
{
    static const int parts[] = {2, 16, 17, 18, 19, 40, 150};
    for (size_t i = 0; i < IX_COUNT(parts); i++)
        for (int up = 0; up < 2; up++) {
            int n = parts[i], wrong = n / 2;
            char want[100];
            snprintf(want, sizeof want, "reads x%d at axis 0=3 when i=%d;",
                     wrong, 3 * wrong + 2);
            ck_assert_str_eq(side_by_side(n, up, -1), "");
            if (n > 2) {
                const char *said = side_by_side(n, up, wrong);
                ck_assert_msg(strstr(said, want) != NULL, "%s", said);
            }
        }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("access", bounds, within, memo, messages, deep_guards);
}
