/* SPDX-License-Identifier: MIT
 *
 * Loops built from C: that they are those of text, what is refused; where they
 * end: at the end of the range, by `until`, by an error that names the step, by
 * the caller. Values are in tests/repeat and tests/numpy.
 */
#include "runtime/jit/jit.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/watch.h"

static void
expect_error(ilex_status code, const char *text)
{
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(ilex_error_code(ctx), code);
    ilex_error_clear(ctx);
}

static ilex_array *
text(const char *expression, const char *a, ilex_array *x, const char *b,
     ilex_array *y)
{
    ilex_array *r = ilex_expr(ctx, expression, a, x, b, y, NULL);
    ck_assert_msg(!ilex_is_poison(r), "%s", ilex_error_text(ctx));
    return r;
}

/* ---- as in text ---- */

/* Has the program of these outputs, o0, o1, ..., the hash of the text's, which
 * has a context of its own? What both count would have two names in one. */
static bool
is_program(const char *source, ilex_array *const *out, int n)
{
    uint8_t a[16], b[16];
    ilex_context *other = ilex_context_new(NULL);
    ilex_module *m = ilex_module_parse(other, source, "text"),
                *own = ilex_module_new(ctx, "p");
    for (int i = 0; i < n; i++) {
        char name[] = {'o', (char)('0' + i), 0};
        ck_assert_msg(!ilex_module_output(own, name, out[i], NULL), "%s",
                      ilex_error_text(ctx));
    }
    ck_assert_int_eq(ilex_module_hash(m, a), ILEX_OK);
    ck_assert_int_eq(ilex_module_hash(own, b), ILEX_OK);
    ilex_module_free(m);
    ilex_module_free(own);
    ilex_context_free(other);
    return !memcmp(a, b, sizeof a);
}

/* Two carried arrays, the step as a value and an index, a stack, a count. */
START_TEST(as_text)
{
    static const char source[] =
        "ilex 1\nprogram p\nsize n, nt\nin x : f64[I:n]\nin a : f64[nt]\n"
        "loop t[0:nt] %s : f64[I:n] = x, %s : f64 = 0.0 steps %s\n"
        "    next %s = %s*f64(t) + a[t]\n    next %s = %s + sum(next(%s))\n"
        "    stack %s[t] = %s*%s\nend\n"
        "out o0 = %s\nout o1 = %s\nout o2 = %s\nout o3 : i64 = %s\n";
    char one[600], two[600];
    snprintf(one, sizeof one, source, "u", "v", "k", "u", "u", "v", "v", "u",
             "e", "u", "v", "u", "v", "e", "k");
    snprintf(two, sizeof two, source, "p", "q", "r", "p", "p", "q", "q", "p",
             "s", "p", "q", "p", "q", "s", "r");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"),
               *a = ilex_input(ctx, "a", ILEX_F64, "nt");
    ilex_array *t = ilex_loop_step(ctx, "t:nt"),
               *carry[] = {ilex_loop_carry(ctx, ILEX_F64, "I:n"),
                           ilex_loop_carry(ctx, ILEX_F64, "")},
               *first[] = {x, ilex_f64(ctx, 0.0)}, *next[2], *stack, *r[4];
    next[0] = ilex_add(text("u*f64(s)", "u", carry[0], "s", t),
                       text("a[t]", "a", a, "u", carry[0]));
    next[1] = ilex_add(carry[1], ilex_sum(next[0], NULL, 0));
    stack = ilex_multiply(carry[0], carry[1]);
    ck_assert_msg(!ilex_loop(ctx,
                             &ILEX_LOOP_SPEC(.step = t, .carry_count = 2,
                                             .carry = carry, .first = first,
                                             .next = next, .stack_count = 1,
                                             .stack = &stack, .counts = 1),
                             r),
                  "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_array_kind(carry[0]), "carried");
    ck_assert_str_eq(ilex_array_kind(r[0]), "result");
    ck_assert_int_eq(ilex_array_rank(r[2]), 2);
    ck_assert_int_eq(ilex_array_dtype(r[3]), ILEX_I64);
    ck_assert(is_program(one, r, 4));
    ck_assert(is_program(two, r, 4)); /* names do not count */
    r[1] = r[0];
    ck_assert(!is_program(one, r, 4));
}
END_TEST

/* A range from elsewhere, and `until`. */
START_TEST(until_as_text)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"), *r[2];
    ilex_array *t = ilex_loop_step(ctx, "t:1:n+1"),
               *u = ilex_loop_carry(ctx, ILEX_F64, "I:n");
    ilex_array *next = text("0.5*u + x", "u", u, "x", x);
    ilex_array *until = text("t*t > 9", "t", t, "x", x);
    ck_assert_msg(
        !ilex_loop(ctx,
                   &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                                   .first = &x, .next = &next, .until = until,
                                   .counts = 1),
                   r),
        "%s", ilex_error_text(ctx));
    ck_assert(is_program("ilex 1\nprogram p\nsize n\nin x : f64[I:n]\n"
                         "loop t[1:n+1] u = x steps k\n    until t*t > 9\n"
                         "    next u = 0.5*u + x\nend\n"
                         "out o0 = u\nout o1 = k\n",
                         r, 2));
}
END_TEST

/* As many steps as a run finds, elements of those alone that were made. */
START_TEST(counted_as_text)
{
    static const int64_t every[] = {1, 3};
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"), *r[4];
    ilex_array *k = ilex_input(ctx, "k", ILEX_I32, "");
    ilex_array *t = ilex_loop_step_to(ctx, "t:1:n+1", k),
               *u = ilex_loop_carry(ctx, ILEX_F64, "I:n");
    ilex_array *next = text("0.5*u + x", "u", u, "x", x),
               *stack[] = {ilex_sum(u, NULL, 0), u};
    ilex_array *until = text("t*t > 9", "t", t, "x", x);
    ck_assert_msg(
        !ilex_loop(ctx,
                   &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                                   .first = &x, .next = &next, .until = until,
                                   .stack_count = 2, .stack = stack,
                                   .every = every),
                   r),
        "%s", ilex_error_text(ctx));
    ck_assert(is_program("ilex 1\nprogram p\nsize n\nin x : f64[I:n]\n"
                         "in k : i32\nloop t[1:k max n+1] u = x\n"
                         "    next u = 0.5*u + x\n    until t*t > 9\n"
                         "    stack e[t] = sum(u)\n"
                         "    stack f[t] = u every 3\nend\n"
                         "out o0 = u\nout o1 = e\nout o2 = f\n",
                         r, 3));
}
END_TEST

/* ---- refused ---- */

/* A loop u = x that is fine but for what a test changes. */
static ilex_array *t, *u, *x, *r[4];

static ilex_loop_spec
fine(const char *dtype)
{
    static ilex_array *first, *next;
    x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    t = ilex_loop_step(ctx, "t:n");
    u = ilex_loop_carry(ctx, *dtype == 'i' ? ILEX_I32 : ILEX_F64, "I:n");
    first = x;
    next = u;
    return ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                          .first = &first, .next = &next);
}

static void
refused(const ilex_loop_spec *s, ilex_status code, const char *message)
{
    ck_assert_int_eq(ilex_loop(ctx, s, r), code);
    expect_error(code, message);
}

START_TEST(specs)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_array *none = NULL, *foreign = ilex_input(other, "x", ILEX_F64, "I:n");
    refused(NULL, ILEX_E_ARGUMENT, "the spec is NULL, or its size is not set");
    refused(&(ilex_loop_spec){.carry_count = 1}, ILEX_E_ARGUMENT,
            "start it with ILEX_LOOP_SPEC");
    ilex_loop_spec s = fine("f64");
    s.step = NULL;
    refused(&s, ILEX_E_ARGUMENT, "step 0 is NULL");
    s.step = x;
    refused(&s, ILEX_E_ARGUMENT, "the step does not come from ilex_loop_step");
    s = fine("f64");
    s.carry_count = 0;
    refused(&s, ILEX_E_ARGUMENT, "0 carried arrays and 0 stacks; there are 1");
    s.carry_count = 2000;
    refused(&s, ILEX_E_ARGUMENT, "2000 carried arrays");
    s.carry_count = 1;
    s.stack_count = 2000;
    refused(&s, ILEX_E_ARGUMENT, "and 2000 stacks");
    s = fine("f64");
    s.carry = &x;
    refused(&s, ILEX_E_ARGUMENT, "carry 0 does not come from ilex_loop_carry");
    s.carry = NULL;
    refused(&s, ILEX_E_ARGUMENT, "carry 0 is NULL");
    s = fine("f64");
    s.first = &foreign;
    refused(&s, ILEX_E_CONTEXT, "first 0 belongs to another context");
    s = fine("f64");
    s.next = &none;
    refused(&s, ILEX_E_ARGUMENT, "next 0 is NULL");
    s = fine("f64");
    s.stack_count = 1;
    refused(&s, ILEX_E_ARGUMENT, "stack 0 is NULL");
    s = fine("f64");
    s.until = foreign;
    refused(&s, ILEX_E_CONTEXT, "until 0 belongs to another context");
    ilex_context_free(other);
}
END_TEST

START_TEST(values)
{
    ilex_loop_spec s = fine("i32");
    refused(&s, ILEX_E_DTYPE,
            "a carried array is i32, but its first value is f64; convert it: "
            "i32(...)");
    s = fine("f64");
    ilex_array *next = ilex_cast(u, ILEX_C128), *y;
    s.next = &next;
    refused(&s, ILEX_E_DTYPE, "but its next value is c128; convert it: f64(");
    s = fine("f64");
    next = ilex_shift(u, "I", 1);
    s.next = &next;
    refused(&s, ILEX_E_BOUNDS, "a carried array");
    s = fine("f64");
    s.until = u;
    refused(&s, ILEX_E_ARGUMENT,
            "one bool, for example max(abs(d)) < 1e-6; here it is f64[I:n]");
    s.step = ilex_loop_step(ctx, "t:n");
    s.until = text("t*t", "t", t, "u", u);
    refused(&s, ILEX_E_ARGUMENT, "here it is i64[]");
    static const int64_t never = 0;
    s = fine("f64");
    s.stack_count = 1;
    s.stack = &u;
    s.every = &never;
    refused(&s, ILEX_E_ARGUMENT, "every 0 steps cannot have an element");
    ck_assert(ilex_is_poison(ilex_loop_step_to(ctx, "t:n", x)));
    expect_error(ILEX_E_ARGUMENT, "the number of steps is one integer, not");
    ck_assert(ilex_is_poison(ilex_loop_step_to(ctx, "t:n", NULL)));
    expect_error(ILEX_E_ARGUMENT, "the number of steps is NULL");
    s = fine("f64");
    s.step = ilex_loop_step(ctx, "I:n");
    s.stack_count = 1;
    s.stack = &u;
    refused(&s, ILEX_E_DUPLICATE, "what is stacked has an axis I");
    s = fine("f64");
    y = ilex_input(ctx, "y", ILEX_F64, "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
    s.stack_count = 1;
    s.stack = &y;
    refused(&s, ILEX_E_RANK, "what is stacked has 16 axes already");
}
END_TEST

/* The length of such a stack follows the loop, which a rewrite changes. */
START_TEST(stacks_of_other_loops)
{
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, ""),
               *a = ilex_input(ctx, "a", ILEX_F64, ""),
               *step = ilex_loop_step(ctx, "t:9"),
               *c = ilex_loop_carry(ctx, ILEX_F64, NULL),
               *next = ilex_add(c, c), *made[2];
    ck_assert_int_eq(
        ilex_loop(ctx,
                  &ILEX_LOOP_SPEC(.step = step, .carry_count = 1, .carry = &c,
                                  .first = &a, .next = &next,
                                  .until = ilex_greater(next, ilex_lit(ctx, 9)),
                                  .stack_count = 1, .stack = &next),
                  made),
        ILEX_OK);
    ck_assert(!ilex_is_poison(ilex_substitute(made[0], a, w)));
    ck_assert(ilex_is_poison(ilex_substitute(made[1], a, w)));
    expect_error(ILEX_E_UNSUPPORTED, "a loop that ends by itself");
}
END_TEST

START_TEST(heads)
{
    static const char *const ranges[] = {"", "n", "t:n, s:n", NULL};
    for (int i = 0; i < 4; i++) {
        ck_assert(ilex_is_poison(ilex_loop_step(ctx, ranges[i])));
        ck_assert_ptr_nonnull(
            strstr(ilex_error_text(ctx), "one axis with a name"));
        expect_error(ILEX_E_ARGUMENT, "for example t:n, or t:1:n+1");
    }
    ck_assert(ilex_is_poison(ilex_loop_step(ctx, "t:n+")));
    ck_assert_int_eq(take_error(), ILEX_E_SYNTAX);
    ck_assert(ilex_is_poison(ilex_loop_carry(ctx, (ilex_dtype)77, "n")));
    expect_error(ILEX_E_DTYPE, "loop: 77 is no dtype");
    ck_assert(ilex_is_poison(ilex_loop_carry(ctx, ILEX_F64, "n-5")));
    ck_assert_int_eq(take_error(), ILEX_E_EMPTY);
    ilex_array *step = ilex_loop_step(ctx, "t:n");
    ck_assert(!ilex_is_poison(step));
    ck_assert(ilex_is_poison(ilex_loop_carry(ctx, ILEX_F64, "t")));
    expect_error(ILEX_E_UNSUPPORTED,
                 "the domain [t] changes from step to step");
    ck_assert(ilex_is_poison(ilex_loop_step(ctx, "s:t")));
    expect_error(ILEX_E_UNSUPPORTED,
                 "how many steps there are depends on the step of a loop");
}
END_TEST

/* Loops that are not closed, or twice. */
START_TEST(uses)
{
    ilex_loop_spec s = fine("f64");
    ilex_array *y = ilex_add(u, x);
    ck_assert_ptr_null(ilex_compile(ctx, 1, &y, NULL));
    expect_error(ILEX_E_ARGUMENT, "what a loop carries is used outside of the");
    ck_assert_int_eq(ilex_loop(ctx, &s, r), ILEX_OK);
    ck_assert_ptr_null(ilex_compile(ctx, 1, &y, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_array *both[] = {r[0], ilex_multiply(u, u)};
    ck_assert_ptr_null(ilex_compile(ctx, 2, both, NULL));
    expect_error(ILEX_E_ARGUMENT, "use what the loop gives");
    refused(&s, ILEX_E_ARGUMENT, "the step is that of a loop that is closed");
    s.step = ilex_loop_step(ctx, "s:n");
    ck_assert_int_eq(ilex_loop(ctx, &s, r + 1), ILEX_OK);
    ck_assert_ptr_null(ilex_compile(ctx, 2, r, NULL));
    expect_error(ILEX_E_ARGUMENT, "two loops have one step or carry one array");
    s = fine("f64");
    y = text("f64(t)", "t", t, "u", u);
    ck_assert_ptr_null(ilex_compile(ctx, 1, &y, NULL));
    expect_error(ILEX_E_ARGUMENT, "the step of a loop is used outside of the");
}
END_TEST

START_TEST(many)
{
    enum { MOST = 64 };
    ilex_array *sum = ilex_input(ctx, "x", ILEX_F64, "I:n");
    for (int i = 0; i <= MOST; i++) {
        ilex_loop_spec s = fine("f64");
        ilex_array *next = ilex_multiply(u, ilex_f64(ctx, i + 2.0));
        s.next = &next;
        ck_assert_int_eq(ilex_loop(ctx, &s, r), ILEX_OK);
        sum = ilex_add(sum, r[0]);
    }
    ck_assert_ptr_null(ilex_compile(ctx, 1, &sum, NULL));
    expect_error(ILEX_E_LIMIT, "has more than 64 loops");
}
END_TEST

/* ---- runs ---- */

enum { N = 6 };

typedef struct bound {
    ilex_storage *x, *j, *y, *k;
    ilex_call call;
} bound;

/* x = 1, 2, ..., j = 0 everywhere; y and k hold -1. */
static void
bind(bound *b, int64_t steps)
{
    *b = (bound){.call = {.size = sizeof b->call, .threads = 2}};
    b->x = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(N));
    b->y = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(N));
    b->j = ilex_storage_zeros(ctx, ILEX_I64, 1, SHAPE(steps));
    b->k = ilex_storage_zeros(ctx, ILEX_I64, 0, NULL);
    for (int i = 0; i < N; i++) {
        ((double *)ilex_storage_data(b->x))[i] = i + 1;
        ((double *)ilex_storage_data(b->y))[i] = -1;
    }
    *(int64_t *)ilex_storage_data(b->k) = -1;
}

static void
unbind(bound *b)
{
    ilex_storage_release(b->x);
    ilex_storage_release(b->y);
    ilex_storage_release(b->j);
    ilex_storage_release(b->k);
}

static ilex_status
run(const ilex_program *p, bound *b, bool inplace)
{
    ilex_binding all[] = {ILEX_BIND("x", b->x), ILEX_BIND("j", b->j),
                          ILEX_BIND("y", inplace ? b->x : b->y),
                          ILEX_BIND("k", b->k)};
    return ilex_run(p, all, 4, &b->call);
}

static double
element(const ilex_storage *s, int i)
{
    return ((const double *)ilex_storage_const_data(s))[i];
}

static int64_t
made(const bound *b)
{
    return *(const int64_t *)ilex_storage_const_data(b->k);
}

/* y doubles in each step, in which element j(t) of x is read; it is left when
 * the condition holds. */
static ilex_program *
doubling(const char *jit, const char *range, const char *condition,
         const char *more)
{
    char source[500];
    snprintf(source, sizeof source,
             "ilex 1\nprogram p\nsize n, m\nassume n >= 1 && m >= 1\n"
             "in x : f64[n]\nin j : i64[m]\n"
             "loop t[%s] u = x steps s\n    next u = 2.0*u + 0.0*x[j[t%s]]\n"
             "    %s\nend\nout y : f64[n] = u%s\nout k : i64 = s\n",
             range, *range == '0' ? "" : "-2", condition, more);
    ilex_option_set(ctx, "jit", jit);
    return compile(source);
}

static const char *
jit_of(int i)
{
    return i == 0 ? "reference" : ix_jit_tcc_available() ? "tcc" : "cc";
}

/* Steps that are made: those of the range, or up to the condition. */
START_TEST(ends)
{
    static const struct {
        const char *condition;
        int steps, made;
    } rows[] = {{"", 0, 0},
                {"", 1, 1},
                {"", 9, 9},
                {"until true", 9, 1},
                {"until t >= 0", 9, 1},
                {"until t == 8", 9, 9},
                {"until t > 8", 9, 9},
                {"until u[0] > 7.0", 9, 4},
                {"until next(u)[0] > 7.0", 9, 3},
                {"until next(u)[0] > 7.0", 3, 3},
                {"until next(u)[0] > 7.0", 2, 2},
                {"until u[0] > 7.0", 0, 0}};
    for (size_t i = 0; i < 2 * IX_COUNT(rows); i++) {
        int made_steps = rows[i / 2].made;
        bound b;
        bind(&b, 20);
        char source[400];
        snprintf(source, sizeof source,
                 "ilex 1\nprogram p\nsize n, m, nt\nassume n >= 1 && m >= 1\n"
                 "in x : f64[n]\nin j : i64[m]\n"
                 "loop t[nt] u = x steps s\n    next u = 2.0*u + 0.0*f64(j[0])"
                 "\n    %s\nend\nout y : f64[n] = u\nout k : i64 = s\n",
                 rows[i / 2].condition);
        ilex_option_set(ctx, "jit", jit_of(i % 2));
        ilex_program *p = compile(source);
        ilex_size_binding size = {"nt", rows[i / 2].steps};
        b.call.sizes = &size;
        b.call.size_count = 1;
        ck_assert_msg(!run(p, &b, false), "%s", b.call.error);
        ck_assert_int_eq(made(&b), made_steps);
        ck_assert_double_eq(element(b.y, 2), 3.0 * (1 << made_steps));
        unbind(&b);
        ilex_program_release(p);
    }
}
END_TEST

/* An index that is wrong in step 7 of 0 to 19, or of 2 to 21. */
START_TEST(failing_step)
{
    static const char *const ranges[] = {"0:m", "2:m+2"};
    for (int i = 0; i < 4; i++) {
        bound b;
        bind(&b, 20);
        ((int64_t *)ilex_storage_data(b.j))[7] = 99;
        ((int64_t *)ilex_storage_data(b.j))[9] = -5;
        ilex_program *p = doubling(jit_of(i % 2), ranges[i / 2], "", "");
        ck_assert_int_eq(run(p, &b, false), ILEX_E_BOUNDS);
        ck_assert_msg(strstr(b.call.error, "in step 7 over t") &&
                          strstr(b.call.error, "99"),
                      "%s", b.call.error);
        ck_assert_double_eq(element(b.x, 5), 6.0);
        ((int64_t *)ilex_storage_data(b.j))[7] = 5;
        ((int64_t *)ilex_storage_data(b.j))[9] = 0;
        ck_assert_msg(!run(p, &b, false), "%s", b.call.error);
        ck_assert_double_eq(element(b.y, 5), 6.0 * (1 << 20));
        unbind(&b);
        ilex_program_release(p);
    }
}
END_TEST

/* A stack of what each step counts, and more steps than there are numbers. */
START_TEST(sizes)
{
    ilex_module *m = parse("ilex 1\nprogram p\nin x : f64[3]\n"
                           "loop t[3] u = x\n    next u = 0.5*u\n"
                           "    stack e[t] = compress(u, u > 1)\nend\n"
                           "out o = e\n");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_ARGUMENT, "a length that is counted anew in each");
    ilex_module_free(m);
    for (int i = 0; i < 2; i++) {
        ilex_option_set(ctx, "jit", jit_of(i));
        ilex_program *p =
            compile("ilex 1\nprogram p\nsize q\nin x : f64[6]\nin j : i64[1]\n"
                    "loop t[-4*q:4*q] u = x steps s\n    next u = 0.5*u\n"
                    "    until u[0] < 0.1\nend\nout y : f64[6] = u\n"
                    "out k : i64 = s + j[0]\n");
        ilex_size_binding size = {"q", (int64_t)1 << 60};
        bound b;
        bind(&b, 1);
        b.call.sizes = &size;
        b.call.size_count = 1;
        ck_assert_int_eq(run(p, &b, false), ILEX_E_OVERFLOW);
        ck_assert_msg(strstr(b.call.error, "leaves 64 bits") != NULL, "%s",
                      b.call.error);
        size.value = ((int64_t)1 << 60) - 1;
        ck_assert_msg(!run(p, &b, false), "%s", b.call.error);
        ck_assert_int_eq(made(&b), 5);
        unbind(&b);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- the caller ends it ---- */

START_TEST(progress)
{
    for (int i = 0; i < 2; i++) {
        ilex_program *p = doubling(jit_of(i), "0:m", "", "");
        for (int64_t every = 0; every < 9; every++) {
            bound b;
            bind(&b, 20);
            watch w = {0, 0, -1};
            b.call.progress = watched;
            b.call.user = &w;
            b.call.every = every;
            ck_assert_msg(!run(p, &b, false), "%s", b.call.error);
            ck_assert_int_eq(w.calls, 20 / (every ? every : 1));
            ck_assert_int_eq(w.last, every ? 20 / every * every : 20);
            unbind(&b);
        }
        ilex_program_release(p);
    }
}
END_TEST

/* At each step of 50: inputs are as they were; in place they hold what a step
 * left. */
START_TEST(cancelled)
{
    for (int i = 0; i < 4; i++) {
        bool inplace = i >= 2;
        ilex_program *p =
            doubling(jit_of(i % 2), "0:m", "", inplace ? " inplace x" : "");
        for (int64_t at = 1; at <= 50; at++) {
            char where[80];
            bound b;
            bind(&b, 50);
            watch w = {0, 0, at};
            b.call.progress = watched;
            b.call.user = &w;
            ck_assert_int_eq(run(p, &b, inplace), ILEX_E_CANCELLED);
            snprintf(where, sizeof where, "cancelled when %d steps over t",
                     (int)at);
            ck_assert_msg(strstr(b.call.error, where) != NULL, "%s",
                          b.call.error);
            ck_assert_int_eq(w.calls, at);
            double x0 = element(b.x, 0), times = 1;
            for (int k = 0; inplace && k < 50 && times < x0; k++)
                times *= 2;
            ck_assert_double_eq(x0, times);
            for (int k = 0; k < N; k++)
                ck_assert_double_eq(element(b.x, k), (k + 1) * times);
            unbind(&b);
        }
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("loop", as_text, until_as_text, counted_as_text, specs,
                     values, stacks_of_other_loops, heads, uses, many, ends,
                     failing_step, sizes, progress, cancelled);
}
