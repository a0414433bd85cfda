/* SPDX-License-Identifier: MIT
 *
 * What proofs say of random forms, conditions and indices over sizes under
 * random assumptions, decided by trying all small sizes and all points.
 */
#include "lib/shape/affine.h"
#include "lib/shape/refute.h"
#include "lib/shape/relevant.h"
#include "tests/unit/index_fixture.h"

enum { FORMS = 4000, CONDITIONS = 4000, PLACES = 3000, EXACT = 4000 };
enum {
    FAR = 60,
    NEAR = 4,
    MOST_PARAMS = 100,
    MOST_GUARDS = 2,
    RANK = NINDEX + NRINDEX
};

/* Forms with a min or max, of arms that are one as well. */
static const char *const extrema[] = {"min(n, m + 1)", "max(n - 3, m - n)",
                                      "min(2*n, m, 5)",
                                      "max(min(n, 2*m), m - 4, 3)"};
static const ix_lin *extremum[IX_COUNT(extrema)];

static const ix_lin *
random_extremum(void)
{
    return extremum[draw(0, IX_COUNT(extremum) - 1)];
}

static void
make_sizes(void)
{
    ck_assert_int_eq(ix_param_of(ctx, ix_symbol_of(ctx, "n", 1)), 0);
    ck_assert_int_eq(ix_param_of(ctx, ix_symbol_of(ctx, "m", 1)), 1);
    last_size = NSIZE - 1;
    last_rindex = NRINDEX - 1;
    for (size_t i = 0; i < IX_COUNT(extremum); i++)
        extremum[i] = lin(extrema[i]);
}

/* ---- sizes and assumptions ---- */

/* k*n + l*m + c with small numbers, each size only sometimes, a min or max
 * rarely. */
static const ix_lin *
random_lin(int64_t least, int64_t most)
{
    const ix_lin *a = ix_lin_const(ctx, draw(least, most));
    for (int32_t p = 0; p < NSIZE; p++)
        if (draw(0, 2))
            a = ix_lin_fma(ctx, a, draw(-2, 3), ix_lin_param(ctx, p));
    for (int i = 0; i < 2 && draw(0, 5) == 0; i++)
        a = ix_lin_fma(ctx, a, draw(-2, 2), random_extremum());
    return a;
}

/* Up to two assumptions in force; one that contradicts is left out. */
static void
assume_something(void)
{
    for (int64_t i = draw(0, 2); i > 0; i--) {
        char text[200];
        snprintf(text, sizeof text, draw(0, 3) ? "%s >= 0" : "%s %% 2 == 0",
                 ix_lin_show(ctx, random_lin(-6, 4)).s);
        ilex_assume(ctx, text);
        ilex_error_clear(ctx);
    }
}

/* The values of all parameters: products of sizes as well. */
static const int64_t *
with_products(const int64_t *size)
{
    static int64_t all[MOST_PARAMS];
    if (ctx->nparams > MOST_PARAMS)
        ck_abort_msg("too many products of sizes");
    for (size_t p = 0; p < ctx->nparams; p++)
        all[p] = size_at((int64_t)p, size);
    return all;
}

static int64_t
form_at(const ix_lin *a, const int64_t *size)
{
    int64_t v = 0;
    if (!ix_lin_eval(a, with_products(size), &v))
        ck_abort_msg("no number");
    return v;
}

static bool
satisfies(const ix_env *e, const int64_t *size)
{
    bool all = true;
    for (int32_t i = 0; i < ix_env_count(e); i++) {
        const ix_assumption *a = e->item[i];
        int64_t v = form_at(a->form, size);
        all &= a->modulus ? v % a->modulus == 0 : v >= 0;
    }
    return all;
}

/* The next sizes below "end" that satisfy "e"; from {-1, 0}, false at the end.
 */
static bool
next_sizes(const ix_env *e, int64_t end, int64_t *size)
{
    do {
        size[1] += ++size[0] == end;
        size[0] %= end;
    } while (size[1] < end && !satisfies(e, size));
    return size[1] < end;
}

/* Is the form negative at some small sizes that satisfy "e"? */
static bool
is_negative(const ix_lin *a, const ix_env *e)
{
    int64_t size[NSIZE] = {-1, 0};
    while (next_sizes(e, FAR, size))
        if (form_at(a, size) < 0)
            return true;
    return false;
}

static void
form_sizes(ix_relevant *r, const void *form)
{
    ix_relevant_lin(r, form);
}

static bool
form_refuted(ilex_context *c, const int64_t *size, const void *form)
{
    int64_t v;
    (void)c;
    return ix_lin_eval(form, size, &v) && v < 0;
}

/* Do the sizes that are tried first refute it? */
static bool
is_refuted(const ix_lin *a)
{
    const ix_question q = {.sizes = form_sizes,
                           .refutes = form_refuted,
                           .user = (void *)(size_t)a};
    return ix_is_refuted(ctx, &q, ctx->in_force);
}

/* What is shown under assumptions rests on so many of them that it is true;
 * most of what is not has a small counterexample. */
START_TEST(forms)
{
    int yes = 0, refuted = 0;
    make_sizes();
    for (int i = 0; i < FORMS; i++) {
        size_t scope = ilex_scope_begin(ctx);
        assume_something();
        const ix_lin *a = random_lin(-5, 9);
        const ix_env *outer = ix_proof_open(ctx);
        ix_tri said = ix_lin_nonneg(ctx, a);
        ck_assert_int_eq(said, is_negative(a, ctx->in_force) ? IX_NO : IX_YES);
        ck_assert(said != IX_YES || !is_negative(a, ctx->proof));
        ctx->proof = outer;
        yes += said == IX_YES;
        refuted += is_refuted(a);
        ck_assert(said != IX_YES || !is_refuted(a));
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(yes, FORMS / 10);
    ck_assert_int_lt(yes, FORMS - FORMS / 10);
    ck_assert_int_gt(refuted, (FORMS - yes) / 2);
    check_fine();
}
END_TEST

/* ---- conditions ---- */

static ilex_array *
random_condition(int depth, ilex_array *(*operand)(void))
{
    static const ix_op compare[] = {IX_OP_LESS,    IX_OP_LESS_EQUAL,
                                    IX_OP_GREATER, IX_OP_GREATER_EQUAL,
                                    IX_OP_EQUAL,   IX_OP_NOT_EQUAL};
    static const ix_op join[] = {IX_OP_LOGICAL_AND, IX_OP_LOGICAL_OR,
                                 IX_OP_LOGICAL_NOT};
    bool leaf = depth == 0 || draw(0, 3) == 0;
    ix_op op = leaf ? compare[draw(0, 5)] : join[draw(0, 2)];
    ilex_array *ops[2];
    for (int i = 0; i < 2; i++)
        ops[i] = leaf ? operand() : random_condition(depth - 1, operand);
    return ix_scalar_op(ctx, op, leaf ? ILEX_I64 : ILEX_BOOL, ILEX_BOOL, ops);
}

static ilex_array *
sizes_alone(void)
{
    return ix_index_lin(ctx, random_lin(-4, 4));
}

/* A condition on sizes that is known is what it is said to be; one without
 * `and` and `or` that is not holds for some sizes and fails for others. */
START_TEST(conditions)
{
    int known = 0;
    make_sizes();
    for (int i = 0; i < CONDITIONS; i++) {
        size_t scope = ilex_scope_begin(ctx);
        assume_something();
        bool single = draw(0, 1);
        ilex_array *x = random_condition(single ? 0 : 2, sizes_alone);
        const ix_env *outer = ix_proof_open(ctx);
        ix_tri said = ix_condition_known(ctx, x);
        ctx->proof = outer;
        bool seen[2] = {false, false};
        point p = {.size = {-1, 0}};
        while (next_sizes(ctx->in_force, FAR, p.size))
            seen[value_at(x, &p) != 0] = true;
        ck_assert(!seen[0] || said != IX_YES);
        ck_assert(!seen[1] || said != IX_NO);
        bool equality =
            ix_op_of(x) == IX_OP_EQUAL || ix_op_of(x) == IX_OP_NOT_EQUAL;
        ck_assert(!single || equality || said != IX_UNKNOWN ||
                  (seen[0] && seen[1]));
        known += said != IX_UNKNOWN;
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(known, CONDITIONS / 5);
    check_fine();
}
END_TEST

/* ---- frames ---- */

/* Two indices, reductions over one and over two more, guards; axes from a
 * number or a size to another. */
typedef struct place {
    ix_frame frame;
    const ilex_array *reduce[2];
    ix_guard guard[MOST_GUARDS];
    ix_axis ax[RANK]; /* _0, _1, _r0, _r1, _r2 */
} place;

static ix_axis
random_axis(bool sizes)
{
    const ix_lin *lo = ix_lin_const(ctx, draw(-2, 2)), *hi = lo;
    if (sizes && draw(0, 4) == 0)
        lo = hi = ix_lin_param(ctx, (int32_t)draw(0, 1));
    if (sizes && draw(0, 1))
        hi = ix_lin_fma(ctx, hi, 1, ix_lin_param(ctx, (int32_t)draw(0, 1)));
    if (sizes && draw(0, 9) == 0)
        hi = ix_lin_add(ctx, lo, random_extremum());
    return (ix_axis){0, lo, ix_lin_offset(ctx, hi, draw(0, 3))};
}

static const ilex_array *
reduction(int first, int rank, const ix_axis *ax)
{
    return ix_scalar_reduce(ctx, IX_REDUCTION_SUM, ILEX_I64,
                            ix_domain_new(ctx, rank, ax), first,
                            ix_scalar_rindex(ctx, first));
}

static ilex_array *
any_index(void)
{
    return ix_index_normal(ctx, random_index(1));
}

static void
random_place(place *q, bool sizes, bool guards)
{
    for (int k = 0; k < RANK; k++)
        q->ax[k] = random_axis(sizes);
    q->frame = (ix_frame){.box = ix_domain_new(ctx, NINDEX, q->ax),
                          .nreduce = 2,
                          .reduce = q->reduce,
                          .guard = q->guard};
    bool turned = draw(0, 1);
    q->reduce[turned] = reduction(0, 1, q->ax + NINDEX);
    q->reduce[!turned] = reduction(1, 2, q->ax + NINDEX + 1);
    for (int64_t i = guards ? draw(0, MOST_GUARDS) : 0; i > 0; i--)
        q->guard[q->frame.nguard++] =
            (ix_guard){random_condition(1, any_index), draw(0, 1)};
}

/* The place in a point of index "k" of those of "ax". */
static int64_t *
slot(point *p, int k)
{
    return k < NINDEX ? &p->index[k] : &p->rindex[k - NINDEX];
}

static bool
guarded(const place *q, const point *p)
{
    bool all = true;
    for (int i = 0; i < q->frame.nguard; i++)
        all &= (value_at(q->guard[i].condition, p) != 0) == q->guard[i].holds;
    return all;
}

/* Least and greatest value of an index. */
typedef struct extent {
    bool any;
    int64_t least, most;
} extent;

/* The first point for the sizes in "p"; false if there is none. */
static bool
first_point(const place *q, point *p)
{
    bool any = true;
    for (int k = 0; k < RANK; k++) {
        *slot(p, k) = form_at(q->ax[k].lo, p->size);
        any &= *slot(p, k) < form_at(q->ax[k].hi, p->size);
    }
    return any;
}

static bool
next_point(const place *q, point *p)
{
    int k = RANK - 1;
    while (k >= 0 && ++*slot(p, k) == form_at(q->ax[k].hi, p->size)) {
        *slot(p, k) = form_at(q->ax[k].lo, p->size);
        k--;
    }
    return k >= 0;
}

/* Over the points for these sizes that the guards let pass. */
static extent
extent_of(const place *q, const ilex_array *x, const int64_t *size)
{
    extent e = {.any = false};
    point p = {.size = {size[0], size[1]}};
    for (bool more = first_point(q, &p); more; more = next_point(q, &p)) {
        if (!guarded(q, &p))
            continue;
        int64_t v = value_at(x, &p);
        e.least = !e.any || v < e.least ? v : e.least;
        e.most = !e.any || v > e.most ? v : e.most;
        e.any = true;
    }
    return e;
}

/* ---- indices ---- */

/* What users write, sometimes by a size. */
static ilex_array *
random_read(void)
{
    static const ix_op by_size[] = {IX_OP_MULTIPLY, IX_OP_FLOOR_DIVIDE,
                                    IX_OP_REMAINDER};
    ilex_array *x = random_index(2);
    if (draw(0, 6) == 0)
        x = scalar(by_size[draw(0, 2)], x,
                   ix_scalar_size(ctx, (int)draw(0, 1)));
    return ix_index_normal(ctx, x);
}

/* Bounds where an index goes: what interval algebra says, a little less or
 * more, or anything. */
static void
random_bounds(const place *q, const ilex_array *x, const ix_lin **lo,
              const ix_lin **hi)
{
    ix_bounds b;
    ix_index_bounds(ctx, &q->frame, x, &b);
    *lo = b.nlo && draw(0, 3) ? b.lo[0] : random_lin(-9, 0);
    *hi =
        b.nhi && draw(0, 3) ? ix_lin_offset(ctx, b.hi[0], 1) : random_lin(0, 9);
    *lo = ix_lin_offset(ctx, *lo, draw(-3, 1));
    *hi = ix_lin_offset(ctx, *hi, draw(-1, 3));
}

/* Bounds and corners, for the sizes of "p". */
static void
check_bounds(const place *q, const ilex_array *x, const int64_t *size,
             const ix_lin *lo, const ix_lin *hi)
{
    ix_bounds b;
    extent e = extent_of(q, x, size);
    ix_index_bounds(ctx, &q->frame, x, &b);
    for (int k = 0; e.any && k < b.nlo; k++)
        if (form_at(b.lo[k], size) > e.least)
            ck_abort_msg("a lower bound is above the least value");
    for (int k = 0; e.any && k < b.nhi; k++)
        if (form_at(b.hi[k], size) < e.most)
            ck_abort_msg("an upper bound is below the greatest value");
    if (ix_refutes_within(&q->frame, x, lo, hi, with_products(size)))
        ck_assert(e.any &&
                  (e.least < form_at(lo, size) || e.most >= form_at(hi, size)));
}

/* The sample is a point at which "x" leaves [lo, hi). */
static void
check_sample(const place *q, const ilex_array *x, const ix_lin *lo,
             const ix_lin *hi, const ix_sample *s)
{
    point p = {.size = {0, 0}};
    for (int i = 0; i < s->nsizes; i++)
        if (s->size[i].param < NSIZE)
            p.size[s->size[i].param] = s->size[i].value;
    bool turned = q->reduce[0]->interior->rank > 1;
    static const int order[2][RANK] = {{0, 1, 2, 3, 4}, {0, 1, 3, 4, 2}};
    ck_assert_int_eq(s->nindex, RANK);
    for (int i = 0; i < RANK; i++) {
        int k = order[turned][i];
        *slot(&p, k) = s->index[i];
        ck_assert_int_ge(s->index[i], form_at(q->ax[k].lo, p.size));
        ck_assert_int_lt(s->index[i], form_at(q->ax[k].hi, p.size));
    }
    ck_assert(guarded(q, &p));
    ck_assert_int_eq(value_at(x, &p), s->at);
    ck_assert(s->at < form_at(lo, p.size) || s->at >= form_at(hi, p.size));
}

START_TEST(places)
{
    int yes = 0, no = 0;
    make_sizes();
    for (int i = 0; i < PLACES; i++) {
        size_t scope = ilex_scope_begin(ctx);
        place q;
        ix_sample sample;
        const ix_lin *lo, *hi;
        assume_something();
        random_place(&q, true, true);
        ilex_array *x = random_read();
        random_bounds(&q, x, &lo, &hi);
        const ix_env *outer = ix_proof_open(ctx);
        ix_tri said = ix_access_within(ctx, &q.frame, x, lo, hi, &sample);
        /* what was shown under assumptions rests on so many that it is true */
        const ix_env *proof = said == IX_YES ? ctx->proof : ctx->in_force;
        ctx->proof = outer;
        int64_t size[NSIZE] = {-1, 0};
        while (next_sizes(proof, NEAR, size)) {
            if (satisfies(ctx->in_force, size))
                check_bounds(&q, x, size, lo, hi);
            extent e = extent_of(&q, x, size);
            ck_assert(
                said != IX_YES || !e.any ||
                (e.least >= form_at(lo, size) && e.most < form_at(hi, size)));
        }
        if (said == IX_NO)
            check_sample(&q, x, lo, hi, &sample);
        yes += said == IX_YES;
        no += said == IX_NO;
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(yes, PLACES / 10);
    ck_assert_int_gt(no, PLACES / 10);
    ck_assert_int_gt(yes + no, PLACES - PLACES / 5);
    check_fine();
}
END_TEST

/* ---- without sizes ---- */

/* Grows with each index. */
static ilex_array *
growing_index(int depth)
{
    static const ix_op ops[] = {IX_OP_ADD, IX_OP_MINIMUM, IX_OP_MAXIMUM};
    if (depth == 0) {
        int k = (int)draw(0, RANK);
        return k == RANK    ? ix_index_const(ctx, draw(-3, 3))
               : k < NINDEX ? ix_scalar_index(ctx, k)
                            : ix_scalar_rindex(ctx, k - NINDEX);
    }
    ilex_array *a = growing_index(depth - 1);
    return scalar(ops[draw(0, 2)], a, growing_index(depth - 1));
}

/* The greatest candidate, or with sign -1 the least. */
static int64_t
best(int n, const ix_lin *const *candidate, int sign)
{
    int64_t v = INT64_MIN;
    for (int i = 0; i < n; i++)
        v = sign * candidate[i]->c > v ? sign * candidate[i]->c : v;
    return sign * v;
}

/* Of what grows with each index, bounds are exact and corners show all. */
START_TEST(exact)
{
    static const int64_t none[NSIZE] = {0, 0};
    int outside = 0;
    make_sizes();
    for (int i = 0; i < EXACT; i++) {
        size_t scope = ilex_scope_begin(ctx);
        place q;
        ix_bounds b;
        random_place(&q, false, false);
        bool flat = draw(0, 1);
        ilex_array *x =
            flat ? scalar(IX_OP_ADD, growing_index(1), growing_index(1))
                 : growing_index(3);
        if (draw(0, 2) == 0)
            x = scalar(IX_OP_FLOOR_DIVIDE, x, ix_index_const(ctx, draw(2, 4)));
        x = ix_index_normal(ctx, x);
        extent e = extent_of(&q, x, none);
        int64_t lo = e.least + draw(-1, 1), hi = e.most + 1 + draw(-1, 1);
        bool out = e.any && (e.least < lo || e.most >= hi);
        ck_assert_int_eq(ix_refutes_within(&q.frame, x, ix_lin_const(ctx, lo),
                                           ix_lin_const(ctx, hi), none),
                         out);
        ix_index_bounds(ctx, &q.frame, x, &b);
        ck_assert(!flat || !e.any || best(b.nlo, b.lo, 1) == e.least);
        ck_assert(!flat || !e.any || best(b.nhi, b.hi, -1) == e.most);
        outside += out;
        ilex_scope_end(ctx, scope, NULL);
    }
    ck_assert_int_gt(outside, EXACT / 10);
    check_fine();
}
END_TEST

int
main(void)
{
    return RUN_TESTS("proof", forms, conditions, places, exact);
}
