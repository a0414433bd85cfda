/* SPDX-License-Identifier: MIT
 *
 * Every operator and conversion at the ends of every dtype: limits, not a
 * number, denormals, zeros of both signs, divisors of 0, shifts by the width,
 * the smallest number by -1. Of two arrays, of an array and a literal, of two
 * literals, by every back end: what ops.def says, bit for bit.
 */
#include <float.h>
#include <math.h>

#include "lib/build/build.h"
#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* ---- values ---- */

/* Integers of dtypes of W bits: what they are short of a power of two. */
static const struct {
    int shift; /* in bits from W, or 0: the number alone */
    int64_t plus;
} whole[] = {{0, 0},  {0, 1},   {0, -1}, {0, 2},  {0, -2}, {0, 7},
             {-1, 0}, {-1, -1}, {-1, 1}, {-2, 0}, {0, -7}, {0, 31},
             {0, 32}, {0, 64},  {0, 8},  {0, 33}};

static const double reals[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               5e-324,
                               -1e-310,
                               DBL_MIN,
                               DBL_MAX,
                               -DBL_MAX,
                               1 + DBL_EPSILON,
                               2147483648.0,
                               -9223372036854775808.0,
                               18446744073709551616.0,
                               -0.9,
                               255.5,
                               1e-45,
                               FLT_MIN,
                               FLT_MAX,
                               -3.0};
static const int parts[] = {0, 1, 2, 5, 7, 8, 11}; /* of complex numbers */

enum { TYPES = ILEX_NDTYPES, STEPS = 40 };

static int
count_of(ilex_dtype d)
{
    int n = (int)IX_COUNT(parts);
    return d == ILEX_BOOL           ? 2
           : ix_dtype_is_integer(d) ? (int)IX_COUNT(whole)
           : ix_dtype_is_complex(d) ? n * n
                                    : (int)IX_COUNT(reals);
}

static ix_value
value(ilex_dtype d, int i)
{
    ix_value v = {.i = i};
    if (ix_dtype_is_integer(d)) {
        int bits = 8 * (int)ilex_dtype_bytes(d) + whole[i].shift;
        v.u = (whole[i].shift ? (uint64_t)1 << bits : 0) +
              (uint64_t)whole[i].plus;
        ix_cast_eval(ILEX_I64, d, &v, &v);
    } else if (ix_dtype_is_complex(d)) {
        int n = (int)IX_COUNT(parts);
        v = (ix_value){.f = reals[parts[i / n]], .im = reals[parts[i % n]]};
        ix_cast_eval(ILEX_C128, d, &v, &v);
    } else if (d != ILEX_BOOL) {
        v.f = reals[i];
        ix_cast_eval(ILEX_F64, d, &v, &v);
    }
    return v;
}

/* ---- programs ---- */

/* An operand is the array x, the array y, or a literal: the value of number
 * "literal" of the dtype. */
typedef enum operand { X, Y, LITERAL } operand;

/* An operator, IX_NOPS: a conversion, or MISSING. */
enum { MISSING = -1 };
typedef struct step {
    int op;
    ilex_dtype to;
} step;

/* The first step takes the operands, the second what it gives. */
typedef struct entry {
    step step[2];
    operand of[3];
    int literal[3];
    ilex_dtype result;
} entry;

/* Operators on one dtype, an output each. */
typedef struct batch {
    ilex_dtype dtype;
    int n;
    entry entry[4096];
    ilex_module *module;
} batch;

static ilex_array *
array_of(const batch *b, const entry *e, int k)
{
    if (e->of[k] == LITERAL)
        return ix_scalar_const(ctx, b->dtype, value(b->dtype, e->literal[k]));
    char domain[32];
    snprintf(domain, sizeof domain, e->of[k] == X ? "%d, 1" : "1, %d",
             count_of(b->dtype));
    return ilex_input(ctx, e->of[k] == X ? "x" : "y", b->dtype, domain);
}

/* Is it defined for operands of the dtype? */
static bool
type_of(const step *s, ilex_dtype from, ilex_dtype *loop, ilex_dtype *result)
{
    ilex_dtype args[3] = {from, from, from};
    *loop = *result = s->op == MISSING ? from : s->to;
    if (s->op >= 0 && s->op < IX_NOPS)
        return ix_op_type((ix_op)s->op, args, loop, result);
    return !ix_dtype_is_complex(from) || ix_dtype_is_complex(*result);
}

static ilex_array *
apply(const step *s, ilex_array *const *x)
{
    return s->op == MISSING   ? x[0]
           : s->op == IX_NOPS ? ilex_cast(x[0], s->to)
                              : ix_build_op(ctx, (ix_op)s->op, x);
}

/* Adds an output unless a step is not defined for its operands. */
static void
add(batch *b, entry e)
{
    ilex_dtype loop;
    ilex_array *ops[3], *y;
    char name[16];
    if (!type_of(&e.step[0], b->dtype, &loop, &e.result) ||
        !type_of(&e.step[1], e.result, &loop, &e.result))
        return;
    for (int k = 0; k < 3; k++)
        ops[k] = array_of(b, &e, k);
    y = apply(&e.step[0], ops);
    y = apply(&e.step[1], &y);
    snprintf(name, sizeof name, "o%d", b->n);
    ck_assert_int_lt(b->n, (int)IX_COUNT(b->entry));
    ck_assert_msg(!ilex_module_output(b->module, name, y, NULL), "%s",
                  ilex_error_text(ctx));
    b->entry[b->n++] = e;
}

/* Every operator on arrays, or a literal among them, or two. */
static void
add_all(batch *b, operand first, operand second, int i, int j)
{
    for (int op = 0; op < IX_NOPS; op++)
        add(b, (entry){.step = {{.op = op}, {.op = MISSING}},
                       .of = {first, second, first},
                       .literal = {i, j, i}});
}

/* Every conversion, and there and back, and some steps in a row. */
static void
add_steps(batch *b, operand x, int i)
{
    step s[2] = {{.op = IX_NOPS}, {.op = MISSING}};
    for (int to = 0; to < 2 * TYPES; to++) {
        s[0].to = (ilex_dtype)(to / 2);
        s[1] = (step){to % 2 ? IX_NOPS : MISSING, b->dtype};
        add(b, (entry){.step = {s[0], s[1]}, .of = {x}, .literal = {i}});
    }
    for (int k = 0; k < STEPS; k++) {
        for (int n = 0; n < 2; n++)
            do
                s[n] = (step){(int)draw(0, IX_NOPS),
                              (ilex_dtype)draw(0, TYPES - 1)};
            while (s[n].op < IX_NOPS &&
                   ix_op_info_of((ix_op)s[n].op)->arity > 1);
        add(b, (entry){.step = {s[0], s[1]}, .of = {x}, .literal = {i}});
    }
}

/* ---- what is right ---- */

/* What a step makes of values, the first of which it replaces. */
static ilex_dtype
evaluate(const step *s, ilex_dtype from, ix_value *v)
{
    ilex_dtype loop, result;
    type_of(s, from, &loop, &result);
    for (int k = 0; k < 3; k++)
        ix_cast_eval(from, s->op == IX_OP_WHERE && k == 0 ? ILEX_BOOL : loop,
                     &v[k], &v[k]);
    if (s->op >= 0 && s->op < IX_NOPS) {
        ix_op_eval((ix_op)s->op, loop, v, &v[0]);
        ix_cast_eval(ix_op_result((ix_op)s->op, loop), result, &v[0], &v[0]);
    }
    return result;
}

static ix_value
expected(const batch *b, const entry *e, int i, int j)
{
    ix_value v[3];
    for (int k = 0; k < 3; k++)
        v[k] = value(b->dtype, e->of[k] == X   ? i
                               : e->of[k] == Y ? j
                                               : e->literal[k]);
    ilex_dtype middle = evaluate(&e->step[0], b->dtype, v);
    v[1] = v[2] = v[0];
    evaluate(&e->step[1], middle, v);
    return v[0];
}

static const char *
name_of(const step *s)
{
    return s->op == MISSING   ? ""
           : s->op == IX_NOPS ? ilex_dtype_name(s->to)
                              : ix_op_info_of((ix_op)s->op)->name;
}

static const char *
show(ilex_dtype d, ix_value v)
{
    static char text[4][80];
    static int at;
    char *t = text[at++ % 4];
    if (d == ILEX_BOOL || ix_dtype_is_integer(d))
        snprintf(t, 80, "%lld", (long long)v.i);
    else
        snprintf(t, 80, "%a %a", v.f, v.im);
    return t;
}

static void
check_output(const batch *b, const entry *e, ilex_storage *s, const char *who)
{
    const char *data = ilex_storage_const_data(s);
    bool x = ilex_storage_rank(s) > 0 && ilex_storage_shape(s)[0] > 1;
    bool y = ilex_storage_rank(s) > 1 && ilex_storage_shape(s)[1] > 1;
    int n = count_of(b->dtype);
    for (int i = 0; i < (x ? n : 1); i++)
        for (int j = 0; j < (y ? n : 1); j++) {
            ix_value want = expected(b, e, i, j),
                     have = ix_value_load(e->result, data);
            data += ilex_dtype_bytes(e->result);
            if (!ix_value_same(e->result, want, have))
                ck_abort_msg(
                    "%s: %s %s of %s (%d %d %d; literals %d %d) at %s, %s is "
                    "%s, not %s",
                    who, name_of(&e->step[1]), name_of(&e->step[0]),
                    ilex_dtype_name(b->dtype), e->of[0], e->of[1], e->of[2],
                    e->literal[0], e->literal[1],
                    show(b->dtype, value(b->dtype, i)),
                    show(b->dtype, value(b->dtype, j)), show(e->result, have),
                    show(e->result, want));
        }
}

/* ---- running ---- */

static ilex_storage *
all_values(ilex_dtype d, bool across)
{
    int64_t n = count_of(d), shape[2] = {across ? 1 : n, across ? n : 1};
    ilex_storage *s = ilex_storage_zeros(ctx, d, 2, shape);
    char *data = ilex_storage_data(s);
    for (int i = 0; i < n; i++)
        ix_value_store(d, data + (size_t)i * ilex_dtype_bytes(d), value(d, i));
    return s;
}

static void
run_batch(const batch *b, const char *who)
{
    bool cuda = !strcmp(who, "cuda");
    ilex_option_set(ctx, "jit", cuda ? "reference" : who);
    ilex_program *p = cuda ? cuda_shim_compile(b->module, NULL)
                           : ilex_compile_module(b->module);
    ck_assert_msg(p != NULL, "%s: %s", who, ilex_error_text(ctx));
    size_t n = ilex_program_argument_count(p);
    ilex_binding *bound = calloc(n, sizeof *bound);
    for (size_t i = 0; i < n; i++) {
        ilex_argument_info a = ilex_program_argument(p, i);
        int64_t shape[2] = {0};
        ilex_program_extents(p, i, NULL, 0, NULL, shape, NULL);
        bound[i] = (ilex_binding)ILEX_BIND(
            a.name, a.output ? ilex_storage_zeros(ctx, a.dtype, a.rank, shape)
                             : all_values(a.dtype, a.name[0] == 'y'));
    }
    run_program(p, bound, n);
    for (size_t i = 0; i < n; i++) {
        const char *name = bound[i].name;
        if (name[0] == 'o')
            check_output(b, &b->entry[atoi(name + 1)], bound[i].storage, who);
        ilex_storage_release(bound[i].storage);
    }
    free(bound);
    ilex_program_release(p);
}

static batch *
open_batch(ilex_dtype d)
{
    batch *b = calloc(1, sizeof *b);
    b->dtype = d;
    b->module = ilex_module_new(ctx, "extremes");
    return b;
}

static void
run_everywhere(batch *b, bool slow)
{
    static const char *const who[] = {"reference", "tcc", "cuda", "cc"};
    for (int i = 0; i < (slow ? 4 : 2); i++)
        run_batch(b, who[i]);
    ilex_module_free(b->module);
    free(b);
}

START_TEST(arrays)
{
    for (int d = 0; d < TYPES; d++) {
        batch *b = open_batch((ilex_dtype)d);
        add_all(b, X, Y, 0, 0);
        add_steps(b, X, 0);
        run_everywhere(b, true);
    }
}
END_TEST

/* On either side, so that laws of rewriting meet every value; some by cc. */
START_TEST(one_literal)
{
    for (int d = 0; d < TYPES; d++) {
        int n = count_of((ilex_dtype)d), by = n > 32 ? 5 : 1;
        for (int i = 0; i < n; i += by) {
            batch *b = open_batch((ilex_dtype)d);
            add_all(b, X, LITERAL, i, i);
            add_all(b, LITERAL, X, i, i);
            run_everywhere(b, d % 3 == 1 && i == d % n);
        }
    }
}
END_TEST

START_TEST(two_literals)
{
    for (int d = 0; d < TYPES; d++) {
        batch *b = open_batch((ilex_dtype)d);
        int n = count_of((ilex_dtype)d);
        for (int i = 0; i < 8; i++)
            add_all(b, LITERAL, LITERAL, (int)draw(0, n - 1),
                    (int)draw(0, n - 1));
        add_steps(b, LITERAL, (int)draw(0, n - 1));
        run_everywhere(b, d % 3 == 2);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("extremes", arrays, one_literal, two_literals);
}
