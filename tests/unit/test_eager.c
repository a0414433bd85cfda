/* SPDX-License-Identifier: MIT
 *
 * Eager operators: every row of the tables against programs, against the
 * evaluator, and what is particular to storages: broadcasting, `out`, overlap,
 * layouts, errors, the cache, threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "lib/build/build.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/eager/eager.h"
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

static const char *const backends[] = {"reference", "tcc", "cc"};
static const ilex_dtype dtypes[] = {ILEX_BOOL, ILEX_I8,  ILEX_U32,
                                    ILEX_F32,  ILEX_F64, ILEX_C128};

static void
use(int backend)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", backends[backend]), ILEX_OK);
}

/* Small random values. */
static ilex_storage *
random_storage(ilex_dtype dtype, int rank, const int64_t *shape)
{
    ilex_storage *s = ilex_storage_empty(ctx, dtype, rank, shape);
    ck_assert_ptr_nonnull(s);
    int64_t n = ilex_storage_count(s);
    for (int64_t i = 0; i < n; i++) {
        ix_value v = {.i = draw(7)}, w;
        ix_cast_eval(ILEX_I64, dtype, &v, &w);
        ix_value_store(dtype, s->data + i * (int64_t)ilex_dtype_bytes(dtype),
                       w);
    }
    return s;
}

/* ---- every operator, every reduction ---- */

/* The same by a program over named inputs. */
static ilex_storage *
by_program(ilex_array *y, ilex_storage **x, int count, int rank,
           const int64_t *shape)
{
    static const char *const names[] = {"x0", "x1", "x2"};
    const char *out = "y";
    ilex_binding b[4];
    ilex_compile_spec spec = {.size = sizeof spec, .names = &out};
    ilex_dtype dtype = ilex_array_dtype(y);
    ilex_program *p = ilex_compile(ctx, 1, &y, &spec);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *s = ilex_storage_zeros(ctx, dtype, rank, shape);
    for (int i = 0; i < count; i++)
        b[i] = (ilex_binding)ILEX_BIND(names[i], x[i]);
    b[count] = (ilex_binding)ILEX_BIND("y", s);
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, b, (size_t)count + 1, &call), "%s", call.error);
    ilex_program_release(p);
    return s;
}

static void
check_same(const ilex_storage *a, const ilex_storage *b, const char *what)
{
    ck_assert_int_eq(a->dtype, b->dtype);
    ck_assert_int_eq(a->rank, b->rank);
    int64_t n = ilex_storage_count(a),
            bytes = (int64_t)ilex_dtype_bytes(a->dtype);
    ck_assert_int_eq(n, ilex_storage_count(b));
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(
            ix_value_same(a->dtype,
                          ix_value_load(a->dtype, a->data + i * bytes),
                          ix_value_load(b->dtype, b->data + i * bytes)),
            "%s of %s, element %d", what, ilex_dtype_name(a->dtype), (int)i);
}

static void
check_op(ix_op op, ilex_dtype d)
{
    static const char *const names[] = {"x0", "x1", "x2"};
    const ix_op_info *info = ix_op_info_of(op);
    ilex_dtype types[3] = {d, d, d}, loop, dtype;
    ilex_storage *x[3];
    ilex_array *in[3];
    for (int i = 0; i < info->arity; i++) {
        x[i] = random_storage(d, 1, SHAPE(5));
        in[i] = ilex_input(ctx, names[i], d, "n");
    }
    ilex_storage *y = ilex_eager(ctx, info->name, (size_t)info->arity, x, NULL);
    if (!ix_op_type(op, types, &loop, &dtype)) {
        ck_assert_ptr_null(y);
        ck_assert_int_eq(take_error(), ILEX_E_DTYPE);
    } else {
        ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
        ilex_storage *z =
            by_program(ix_build_op(ctx, op, in), x, info->arity, 1, SHAPE(5));
        check_same(y, z, info->name);
        ilex_storage_release(z);
        ilex_storage_release(y);
    }
    for (int i = 0; i < info->arity; i++)
        ilex_storage_release(x[i]);
}

START_TEST(operators)
{
    use(_i);
    for (int op = 0; op < IX_NOPS; op++)
        for (size_t d = 0; d < IX_COUNT(dtypes); d++)
            if (_i < 2 || (op % 16 == 0 && d == 4))
                check_op((ix_op)op, dtypes[d]);
}
END_TEST

START_TEST(reductions)
{
    static const char *const lists[] = {NULL, "0",    "1",  "0, 1",
                                        "-1", "0, 2", "1,2"};
    static const int64_t full[] = {3, 2, 4};
    use(_i);
    for (int r = 0; r < IX_NREDUCTIONS; r++)
        for (uint32_t mask = 1; mask < 8; mask++) {
            const char *name = ix_reduction_info_of((ix_reduction)r)->name;
            const char *list = lists[mask % 7];
            int64_t shape[3];
            int rank = 0;
            for (int k = 0; k < 3; k++)
                if (!(mask >> k & 1))
                    shape[rank++] = full[k];
            ilex_storage *x = random_storage(ILEX_F64, 3, full);
            ilex_storage *y = ilex_eager_reduce(ctx, name, x, list, NULL);
            ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
            ilex_array *in = ilex_input(ctx, "x0", ILEX_F64, "a, b, c");
            ilex_storage *z = by_program(
                ix_build_reduce(ctx, (ix_reduction)r, in, mask, false), &x, 1,
                rank, shape);
            check_same(y, z, name);
            ilex_storage_release(x);
            ilex_storage_release(y);
            ilex_storage_release(z);
        }
}
END_TEST

/* ---- storages ---- */

static ilex_storage *
named(const char *axes, int rank, const int64_t *shape, const char *layout)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "i64",
                              .rank = rank,
                              .shape = shape,
                              .axes = axes,
                              .layout = layout,
                              .fill = (const double[]){0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *c = counting(rank, shape);
    ck_assert_int_eq(ilex_storage_assign(ctx, s, c), ILEX_OK);
    ilex_storage_release(c);
    return s;
}

START_TEST(layouts)
{
    static const char *const layout[] = {"C", "F", "KJI"};
    use(_i);
    for (int k = 0; k < 3; k++) {
        ilex_storage *a = named("IJK", 3, SHAPE(2, 3, 4), layout[k]);
        ilex_storage *x[] = {a, named("K", 1, SHAPE(4), NULL)};
        ilex_storage *y = ilex_eager(ctx, "add", 2, x, NULL);
        ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
        ck_assert_str_eq(ilex_storage_layout_order(y), layout[k]);
        for (int i = 0; i < 24; i++)
            ck_assert_int_eq(at(y, i / 12, i / 4 % 3, i % 4), i + i % 4);
        ilex_storage *s = ilex_eager_reduce(ctx, "sum", a, "J", NULL);
        ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
        ck_assert_str_eq(ilex_storage_axis_name(s, 1), "K");
        ck_assert_int_eq(at(s, 1, 2, 0), 14 + 18 + 22);
        ilex_storage_release(s);
        ilex_storage_release(y);
        ilex_storage_release(x[1]);
        ilex_storage_release(a);
    }
}
END_TEST

/* x[1:] += x[:-1] reads what was there before; x += x works in place. */
START_TEST(overlap)
{
    use(_i);
    ilex_storage *s = counting(1, SHAPE(6));
    ilex_storage *low = ilex_storage_slice(ctx, s, 0, 0, 5, 1);
    ilex_storage *high = ilex_storage_slice(ctx, s, 0, 1, 6, 1);
    ilex_storage *x[] = {high, low};
    ilex_storage *y = ilex_eager(ctx, "add", 2, x, high);
    ck_assert_ptr_eq(y, high);
    for (int i = 1; i < 6; i++)
        ck_assert_int_eq(at(s, i, 0, 0), 2 * i - 1);
    ilex_storage *both[] = {s, s};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, both, s), s);
    for (int i = 1; i < 6; i++)
        ck_assert_int_eq(at(s, i, 0, 0), 4 * i - 2);
    ck_assert_int_eq(ilex_eager_assign(ctx, low, high), ILEX_OK);
    ck_assert_int_eq(at(s, 0, 0, 0), 2);
    ilex_storage_release(y);
    ilex_storage_release(s);
    ilex_storage_release(s);
    ilex_storage_release(low);
    ilex_storage_release(high);
}
END_TEST

START_TEST(empty)
{
    use(_i);
    ilex_storage *a = counting(2, SHAPE(0, 3));
    ilex_storage *x[] = {a, a};
    ilex_storage *y = ilex_eager(ctx, "multiply", 2, x, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_shape(y)[0], 0);
    ilex_storage *s = ilex_eager_reduce(ctx, "sum", a, "0", NULL);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(at(s, 2, 0, 0), 0);
    ilex_storage_release(s);
    ilex_storage_release(y);
    ilex_storage_release(a);
}
END_TEST

static void
refuses(const char *op, size_t count, ilex_storage **x, ilex_storage *out,
        ilex_status want)
{
    ck_assert_ptr_null(ilex_eager(ctx, op, count, x, out));
    ck_assert_int_eq(take_error(), want);
}

START_TEST(errors)
{
    ilex_storage *a = counting(1, SHAPE(3)), *b = counting(1, SHAPE(4));
    refuses("add", 2, NULL, NULL, ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_eager_assign(ctx, NULL, a), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_eager_assign(ctx, a, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage *r = ilex_storage_readonly(ctx, a);
    ilex_storage *named_i = named("I", 1, SHAPE(4), NULL);
    refuses("add", 2, (ilex_storage *[]){a, b}, NULL, ILEX_E_SHAPE);
    refuses("add", 2, (ilex_storage *[]){a, named_i}, NULL, ILEX_E_SHAPE);
    refuses("add", 2, (ilex_storage *[]){a, a}, b, ILEX_E_SHAPE);
    refuses("add", 2, (ilex_storage *[]){a, a}, r, ILEX_E_READONLY);
    refuses("add", 2, (ilex_storage *[]){a, NULL}, NULL, ILEX_E_ARGUMENT);
    refuses("add", 1, (ilex_storage *[]){a}, NULL, ILEX_E_ARGUMENT);
    refuses("plus", 1, (ilex_storage *[]){a}, NULL, ILEX_E_UNKNOWN);
    refuses(NULL, 1, (ilex_storage *[]){a}, NULL, ILEX_E_UNKNOWN);
    ck_assert_ptr_null(ilex_eager_reduce(ctx, "sum", a, "I", NULL));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_eager_reduce(ctx, "sum", a, "0, 0", NULL));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_eager_reduce(ctx, "total", a, NULL, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_UNKNOWN);
    ilex_storage_release(named_i);
    ilex_storage_release(r);
    ilex_storage_release(b);
    ilex_storage_release(a);
}
END_TEST

/* ---- under their own names ---- */

START_TEST(named_functions)
{
    ilex_storage *a = counting(1, SHAPE(4)), *b = counting(1, SHAPE(4));
    ilex_storage *y[] = {
        ilex_storage_add(ctx, a, b),      ilex_storage_negative(ctx, a),
        ilex_storage_where(ctx, a, a, b), ilex_storage_sum(ctx, a, NULL),
        ilex_storage_max(ctx, a, "0"),    ilex_storage_isnan(ctx, a)};
    ck_assert_int_eq(at(y[0], 3, 0, 0), 6);
    ck_assert_int_eq(at(y[1], 3, 0, 0), -3);
    ck_assert_int_eq(at(y[2], 3, 0, 0), 3);
    ck_assert_int_eq(at(y[3], 0, 0, 0), 6);
    ck_assert_int_eq(at(y[4], 0, 0, 0), 3);
    ck_assert_int_eq(y[5]->dtype, ILEX_BOOL);
    for (size_t i = 0; i < IX_COUNT(y); i++)
        ilex_storage_release(y[i]);
    ck_assert_ptr_null(ilex_storage_add(ctx, a, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_storage_add(NULL, a, b));
    ilex_storage_release(a);
    ilex_storage_release(b);
}
END_TEST

/* ---- the cache ---- */

static ilex_storage *
zeros_named(const char *axes, ilex_dtype dtype, int64_t length)
{
    int64_t shape[3] = {length, length, length};
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(dtype),
                              .rank = (int)strlen(axes),
                              .shape = shape,
                              .axes = axes,
                              .fill = (const double[]){0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_ptr_nonnull(s);
    return s;
}

/* How many programs a + b compiles; takes both. */
static size_t
compiled_by(const char *op, ilex_storage *a, ilex_storage *b)
{
    size_t before = ix_eager_compilations();
    ilex_storage *x[] = {a, b};
    ilex_storage *y = *op == '+' ? ilex_eager(ctx, "add", 2, x, NULL)
                                 : ilex_eager_reduce(ctx, op, a, "I", NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_release(y);
    ilex_storage_release(a);
    ilex_storage_release(b);
    return ix_eager_compilations() - before;
}

/* One compilation for a signature: shapes, strides, halos and names of axes are
 * not part of it; operator, dtypes, missing axes and back end
 * are. */
START_TEST(one_compilation)
{
    /* dtypes that no other test takes together, should all run in one process
     */
    ilex_dtype d = _i ? ILEX_U16 : ILEX_C64, e = _i ? ILEX_I16 : ILEX_F32;
    use(_i);
    ilex_storage *wide = zeros_named("IJ", d, 9);
    const struct {
        const char *op;
        ilex_storage *a, *b;
        size_t want;
    } rows[] = {
        {"+", zeros_named("IJ", d, 3), zeros_named("J", d, 3), 1},
        {"+", zeros_named("IJ", d, 3), zeros_named("J", d, 3), 0},
        {"+", zeros_named("IJ", d, 500), zeros_named("J", d, 500), 0},
        {"+", zeros_named("JK", d, 4), zeros_named("K", d, 4), 0},
        {"+", ilex_storage_slice(ctx, wide, 0, 8, -1, -2),
         ilex_storage_index(ctx, wide, 0, 1), 0},
        {"+", zeros_named("IJ", d, 3), zeros_named("J", e, 3), 1},
        {"+", zeros_named("IJ", d, 3), zeros_named("I", d, 3), 1},
        {"+", zeros_named("IJ", d, 3), zeros_named("IJ", d, 3), 1},
        {"sum", zeros_named("IJ", d, 3), NULL, 1},
        {"sum", zeros_named("IJ", d, 80), NULL, 0},
        {"sum", zeros_named("IK", d, 5), NULL, 0},
        {"sum", zeros_named("IK", e, 5), NULL, 1},
        {"max", zeros_named("IJ", d, 3), NULL, 1},
        {"sum", zeros_named("JI", d, 3), NULL, 1},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        ck_assert_msg(compiled_by(rows[i].op, rows[i].a, rows[i].b) ==
                          rows[i].want,
                      "row %zu", i);
    ilex_storage_release(wide);
    use((_i + 1) % 2);
    ck_assert_uint_eq(
        compiled_by("+", zeros_named("IJ", d, 3), zeros_named("J", d, 3)), 1);
}
END_TEST

/* Nothing is kept of a failure; nothing leaks at any point of it. */
START_TEST(no_memory)
{
    ilex_storage *s = counting(2, SHAPE(3, 3));
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL), *x[] = {s, t};
    int failures = 0;
    for (int n = 0; n < 200; n++) {
        heap.left = n;
        ilex_storage *y[] = {ilex_eager(ctx, "add", 2, x, NULL),
                             ilex_eager_reduce(ctx, "sum", s, "0", NULL),
                             ilex_eager(ctx, "bitwise_xor", 2, x, s)};
        heap.left = -1;
        bool all = y[0] && y[1] && y[2];
        ck_assert_int_eq(take_error(), all ? ILEX_OK : ILEX_E_MEMORY);
        failures += !all;
        for (int i = 0; i < 3; i++)
            ilex_storage_release(y[i]);
        if (all)
            break;
    }
    ck_assert(failures > 3 && failures < 200);
    ilex_storage_release(s);
    ilex_storage_release(t);
}
END_TEST

static void *
work(void *unused)
{
    (void)unused;
    ilex_context *own = ilex_context_new(NULL);
    ilex_option_set(own, "jit", "tcc");
    ilex_storage *a = ilex_storage_ones(own, ILEX_F64, 1, SHAPE(100));
    const char *bad = NULL;
    for (int op = 0; op < 40 && a; op++) {
        const ix_op_info *info = ix_op_info_of((ix_op)op);
        ilex_storage *x[] = {a, a, a};
        ilex_storage *y =
            ilex_eager(own, info->name, (size_t)info->arity, x, NULL);
        bad = y || ilex_error_code(own) == ILEX_E_DTYPE ? bad : info->name;
        ilex_error_clear(own);
        ilex_storage_release(y);
    }
    ilex_storage_release(a);
    ilex_context_free(own);
    return (void *)(uintptr_t)bad;
}

START_TEST(threads)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, work, NULL), 0);
    for (int i = 0; i < 2; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        ck_assert_msg(!bad, "%s", (const char *)bad);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager");
    TCase *t = tcase_create("eager");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, operators, 0, 3);
    tcase_add_loop_test(t, reductions, 0, 2);
    tcase_add_loop_test(t, layouts, 0, 3);
    tcase_add_loop_test(t, overlap, 0, 3);
    tcase_add_loop_test(t, empty, 0, 3);
    tcase_add_test(t, errors);
    tcase_add_test(t, named_functions);
    tcase_add_loop_test(t, one_compilation, 0, 2);
    tcase_add_test(t, no_memory);
    tcase_add_test(t, threads);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
