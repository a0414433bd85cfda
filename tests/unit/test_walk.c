/* SPDX-License-Identifier: MIT
 *
 * The walk over bodies: order, once in each frame, values, depth.
 */
#include "lib/graph/walk.h"
#include "tests/unit/index_fixture.h"

/* ---- bodies ---- */

static ilex_array *
load_at(ilex_array *index)
{
    return ix_scalar_load(ctx, ILEX_F64, 0, 1, &index);
}

static ilex_array *
sum_of(ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, IX_OP_ADD, ILEX_F64, ILEX_F64, ops);
}

/* sum over _r<first> of 0..n-1 */
static ilex_array *
reduction(int first, ilex_array *body)
{
    ix_axis ax = {0, ix_lin_const(ctx, 0), lin("n")};
    return ix_scalar_reduce(ctx, IX_REDUCTION_SUM, ILEX_F64,
                            ix_domain_new(ctx, 1, &ax), first, body);
}

/* _0 < c ? a : b */
static ilex_array *
choice(int64_t c, ilex_array *a, ilex_array *b)
{
    ilex_array *less[2] = {ix_scalar_index(ctx, 0), ix_index_const(ctx, c)};
    ilex_array *ops[3] = {
        ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, less), a, b};
    return ix_scalar_op(ctx, IX_OP_WHERE, ILEX_F64, ILEX_F64, ops);
}

/* ---- what walks see ---- */

typedef struct record {
    const ilex_array *left[64];
    int nleft, nreduce[64], nguard[64], entered, ends;
} record;

static ix_walk_step
count_entered(ix_walk *w, ilex_array *n, size_t *value)
{
    record *r = w->user;
    (void)n;
    ck_assert_uint_eq(*value, 0);
    return ++r->entered == r->ends ? IX_WALK_END : IX_WALK_IN;
}

static bool
note_left(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    record *r = w->user;
    (void)operand;
    (void)value;
    r->nreduce[r->nleft] = w->frame.nreduce;
    r->nguard[r->nleft] = w->frame.nguard;
    r->left[r->nleft++] = n;
    return true;
}

static record
walked(ilex_array *body, unsigned frames, unsigned within)
{
    record r = {.nleft = 0};
    ix_walk w = {.ctx = ctx,
                 .frames = frames,
                 .within = within,
                 .enter = count_entered,
                 .leave = note_left,
                 .user = &r};
    ck_assert(ix_walk_body(&w, body, NULL));
    ck_assert_int_eq(r.entered, r.nleft);
    ck_assert_int_eq(w.frame.nreduce + w.frame.nguard, 0);
    ix_walk_free(&w);
    return r;
}

static int
times(const record *r, const ilex_array *n)
{
    int count = 0;
    for (int i = 0; i < r->nleft; i++)
        count += r->left[i] == n;
    return count;
}

START_TEST(operands_first_and_once)
{
    ilex_array *i = ix_scalar_index(ctx, 0), *x = load_at(i);
    ilex_array *y = sum_of(x, x), *z = sum_of(y, x);
    record r = walked(z, 0, 0);
    ck_assert_int_eq(r.nleft, 4);
    ck_assert_ptr_eq(r.left[0], i);
    ck_assert_ptr_eq(r.left[1], x);
    ck_assert_ptr_eq(r.left[2], y);
    ck_assert_ptr_eq(r.left[3], z);
    r = walked(z, 0, IX_HAS_LOAD);
    ck_assert_int_eq(r.nleft, 3);
    ck_assert_int_eq(times(&r, i), 0);
}
END_TEST

START_TEST(frames_of_reductions)
{
    ilex_array *x = load_at(ix_scalar_rindex(ctx, 0));
    ilex_array *y = load_at(ix_scalar_index(ctx, 0));
    ilex_array *inner = sum_of(x, y);
    ilex_array *s = reduction(0, inner), *body = sum_of(s, y);
    record r = walked(body, IX_WALK_REDUCTIONS, IX_HAS_LOAD);
    ck_assert_int_eq(times(&r, x), 1);
    ck_assert_int_eq(times(&r, y), 2); /* inside and outside */
    for (int i = 0; i < r.nleft; i++)
        ck_assert_int_eq(r.nreduce[i], i < 3);
    r = walked(body, 0, IX_HAS_LOAD);
    ck_assert_int_eq(times(&r, y), 1);
    ck_assert_int_eq(r.nreduce[0], 0);
}
END_TEST

START_TEST(frames_of_guards)
{
    ilex_array *x = load_at(ix_scalar_index(ctx, 0));
    ilex_array *inner = choice(5, x, ix_scalar_cast(ctx, ILEX_F64, x));
    ilex_array *body = choice(3, x, sum_of(inner, inner));
    record r = walked(body, IX_WALK_GUARDS, IX_HAS_LOAD);
    ck_assert_int_eq(times(&r, x), 3);
    ck_assert_int_eq(times(&r, inner), 1);
    ck_assert_ptr_eq(r.left[0], x);
    ck_assert_int_eq(r.nguard[0], 1);
    ck_assert_ptr_eq(r.left[1], x);
    ck_assert_int_eq(r.nguard[1], 2);
    ck_assert_int_eq(r.nguard[r.nleft - 1], 0);
    r = walked(body, IX_WALK_REDUCTIONS, IX_HAS_LOAD);
    ck_assert_int_eq(times(&r, x), 1);
}
END_TEST

/* Which conditions hold at the load. */
static ix_walk_step
at_load(ix_walk *w, ilex_array *n, size_t *value)
{
    size_t *bits = w->user;
    (void)value;
    for (int i = 0; n->kind == IX_LOAD && i < w->frame.nguard; i++)
        *bits |= (size_t)w->frame.guard[i].holds << i;
    return IX_WALK_IN;
}

START_TEST(guards_of_every_depth)
{
    enum { DEEP = 40 };
    ilex_array *body = load_at(ix_scalar_index(ctx, 0));
    ilex_array *zero = ix_scalar_const(ctx, ILEX_F64, (ix_value){.f = 0});
    size_t bits = 0, want = 0;
    for (int i = DEEP; i-- > 0;) {
        body = i % 3 ? choice(i, body, zero) : choice(i, zero, body);
        want |= (size_t)(i % 3 != 0) << i;
    }
    ix_walk w = {.ctx = ctx,
                 .frames = IX_WALK_GUARDS,
                 .within = IX_HAS_LOAD,
                 .enter = at_load,
                 .user = &bits};
    ck_assert(ix_walk_body(&w, body, NULL));
    ck_assert_uint_eq(bits, want);
    ix_walk_free(&w);
}
END_TEST

/* ---- values ---- */

/* The number of paths to leaves: exponential in what the walk visits. */
static bool
count_paths(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    ++*(int *)w->user;
    *value = n->nops == 0;
    for (int i = 0; i < n->nops; i++)
        *value += operand[i];
    return true;
}

START_TEST(values_are_remembered)
{
    int visits = 0;
    size_t value = 0;
    ilex_array *body = load_at(ix_scalar_index(ctx, 0));
    ix_walk w = {.ctx = ctx, .leave = count_paths, .user = &visits};
    for (int i = 0; i < 40; i++)
        body = sum_of(body, body);
    ck_assert(ix_walk_body(&w, body, &value));
    ck_assert_uint_eq(value, (size_t)1 << 40);
    ck_assert_int_eq(visits, 42);
    body = sum_of(body, body);
    ck_assert(ix_walk_body(&w, body, &value)); /* goes on where it was */
    ck_assert_uint_eq(value, (size_t)1 << 41);
    ck_assert_int_eq(visits, 43);
    ix_walk_forget(&w);
    ck_assert(ix_walk_body(&w, body, &value));
    ck_assert_int_eq(visits, 43 + 43);
    ix_walk_free(&w);
}
END_TEST

/* An operand has the value that it has in its frame. */
static bool
frame_value(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    *value = (size_t)w->frame.nreduce + 1;
    for (int i = 0; i < n->nops; i++)
        *value = *value * 10 + operand[i];
    return true;
}

/* Lanes are decided by one visit of each node, not one for each path. */
START_TEST(shared_body_of_a_reduction)
{
    ilex_array *last = load_at(ix_scalar_rindex(ctx, 0));
    ilex_array *value = ix_scalar_cast(ctx, ILEX_F64, ix_scalar_rindex(ctx, 0));
    for (int i = 0; i < 60; i++) {
        last = sum_of(last, last);
        value = sum_of(value, value);
    }
    ck_assert_int_eq(reduction(0, last)->attr[2], IX_LANE_BYTES / 8);
    ck_assert_int_eq(reduction(0, sum_of(last, value))->attr[2], 1);
}
END_TEST

START_TEST(values_of_frames)
{
    size_t value;
    ilex_array *x = load_at(ix_scalar_index(ctx, 0));
    ix_walk w = {.ctx = ctx,
                 .frames = IX_WALK_REDUCTIONS,
                 .within = IX_HAS_LOAD,
                 .leave = frame_value};
    ck_assert(ix_walk_body(&w, sum_of(reduction(0, x), x), &value));
    /* x is 20 inside and 10 outside, the sum is (1, x inside) */
    ck_assert_uint_eq(value, ((size_t)1 * 10 + (10 + 20)) * 10 + 10);
    ix_walk_free(&w);
}
END_TEST

START_TEST(ends)
{
    ilex_array *x = load_at(ix_scalar_index(ctx, 0));
    ilex_array *body = reduction(0, choice(1, x, reduction(1, sum_of(x, x))));
    for (int last = 1; last <= 9; last++) {
        record r = {.ends = last};
        ix_walk w = {.ctx = ctx,
                     .frames = IX_WALK_GUARDS | IX_WALK_REDUCTIONS,
                     .enter = count_entered,
                     .user = &r};
        ck_assert(!ix_walk_body(&w, body, NULL));
        ck_assert_int_eq(r.entered, last);
        ck_assert_int_eq(w.frame.nreduce + w.frame.nguard, 0);
        r.ends = 0; /* and begins anew with what it knows */
        ck_assert(ix_walk_body(&w, body, NULL));
        ix_walk_free(&w);
    }
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
}
END_TEST

/* ---- depth ---- */

/* A substitution over the deepest body that can be built, shared throughout. */
START_TEST(deep)
{
    ilex_array *i = ix_scalar_index(ctx, 0), *j = ix_index_offset(ctx, i, 1);
    ilex_array *body = load_at(i), *want = load_at(j);
    for (int k = 1; k < IX_BODY_DEPTH - 1; k++) {
        body = sum_of(body, body);
        want = sum_of(want, want);
    }
    ck_assert(!ix_is_poison(want));
    ix_substitution s = {.ctx = ctx, .index = &j, .nindex = 1};
    ck_assert_ptr_eq(ix_substitute(&s, body), want);
    ck_assert_ptr_eq(ix_substitute(&s, body), want);
    ix_substitution_free(&s);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("walk", operands_first_and_once, frames_of_reductions,
                     frames_of_guards, guards_of_every_depth,
                     values_are_remembered, shared_body_of_a_reduction,
                     values_of_frames, ends, deep);
}
