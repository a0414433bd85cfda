/* SPDX-License-Identifier: MIT
 *
 * Eager operators against values that were computed elsewhere: the golden
 * files' rows, whose cases are run here by ilex_eager() and its siblings, on
 * storages with gaps and negative strides; and every operator over every
 * combination of dtypes against the scalar evaluator.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/eager/eager.h"
#include "tests/golden/golden.h"
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

static const char *const backends[] = {"tcc", "reference"};

/* ---- cases of the golden files, run eagerly ---- */

static const char *const names[] = {NULL, "A", "AB", "ABC", "ABCD", "ABCDE"};

/* A view of "a" whose last axis runs backwards over every other element, so
 * that nothing depends on dense operands; named axes from rank 1 on. */
static ilex_storage *
spread(const golden_array *a)
{
    int64_t shape[ILEX_MAX_RANK];
    ck_assert_uint_lt((size_t)a->rank, IX_COUNT(names));
    memcpy(shape, a->shape, sizeof shape);
    ilex_storage *dense =
        ilex_storage_from(ctx, a->dtype, a->rank, a->shape, a->data);
    if (a->rank == 0)
        return dense;
    int last = a->rank - 1;
    shape[last] = 2 * shape[last] + 1;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(a->dtype),
                              .rank = a->rank,
                              .shape = shape,
                              .axes = names[a->rank]};
    ilex_storage *wide = ilex_storage_new(ctx, &spec);
    ilex_storage *s =
        ilex_storage_slice(ctx, wide, last, shape[last] - 1, 0, -2);
    ck_assert_msg(dense && s, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_assign(ctx, s, dense), ILEX_OK);
    ilex_storage_release(dense);
    ilex_storage_release(wide);
    return s;
}

/* Runs one case; NULL on error. */
static ilex_storage *
run_case(const golden_case *c, ilex_storage **x)
{
    const golden_operator *o = c->what;
    if (o)
        return ilex_eager(ctx, o->name, (size_t)c->operands, x, NULL);
    if (c->text[0])
        return ilex_eager_reduce(ctx, c->text[0], x[0], c->text[1], NULL);
    ilex_storage *to =
        ilex_storage_empty(ctx, c->want.dtype, c->want.rank, c->want.shape);
    if (ilex_eager_assign(ctx, to, x[0]) == ILEX_OK)
        return to;
    ilex_storage_release(to);
    return NULL;
}

/* Takes the elements of "y" as the result of "c". */
static void
take_result(golden_case *c, const ilex_storage *y)
{
    ilex_storage *dense = ilex_storage_empty(ctx, y->dtype, y->rank, y->shape);
    ilex_storage *plain =
        ilex_storage_reinterpret(ctx, (ilex_storage *)y, NULL);
    ck_assert_int_eq(ilex_storage_assign(ctx, dense, plain), ILEX_OK);
    int64_t n = ilex_storage_count(y);
    bool as_wanted =
        c->want.data && c->want.dtype == y->dtype && c->want.count == n;
    c->got = as_wanted
                 ? golden_array_new(y->dtype, c->want.rank, c->want.shape, n)
                 : golden_array_new(y->dtype, y->rank, y->shape, n);
    memcpy(c->got.data, dense->data, (size_t)n * ilex_dtype_bytes(y->dtype));
    c->status = ILEX_OK;
    if (c->want.data && !as_wanted) {
        c->status = ILEX_E_DTYPE;
        snprintf(c->error, sizeof c->error, "%s of %d elements",
                 ilex_dtype_name(y->dtype), (int)n);
    }
    if (!c->want.data)
        c->want = golden_array_new(y->dtype, y->rank, y->shape, n);
    ilex_storage_release(plain);
    ilex_storage_release(dense);
}

/* In place of golden_batch.c. */
void
golden_batch_run(const char *jit, golden_case *cases, size_t count)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    for (size_t i = 0; i < count; i++) {
        golden_case *c = &cases[i];
        ilex_storage *x[GOLDEN_OPERANDS];
        for (int k = 0; k < c->operands; k++)
            x[k] = spread(&c->in[k]);
        ilex_storage *y = run_case(c, x);
        c->status = ilex_error_code(ctx);
        snprintf(c->error, sizeof c->error, "%.300s", ilex_error_text(ctx));
        ilex_error_clear(ctx);
        if (y)
            take_result(c, y);
        ilex_storage_release(y);
        for (int k = 0; k < c->operands; k++)
            ilex_storage_release(x[k]);
    }
}

void
golden_case_free(golden_case *c)
{
    for (int k = 0; k < c->operands; k++)
        golden_array_free(&c->in[k]);
    golden_array_free(&c->want);
    golden_array_free(&c->got);
}

static void
open_file(golden_table *t, const char *name, int columns)
{
    char dir[1024], error[512];
    const char *srcdir = getenv("srcdir");
    snprintf(dir, sizeof dir, "%s/tests/golden/data",
             srcdir && *srcdir ? srcdir : ".");
    ck_assert_msg(golden_table_read(t, dir, name, columns, error, sizeof error),
                  "%s", error);
}

static void
run_file(const char *name, int columns, const char *jit,
         void (*judge)(const golden_table *t, golden_report *r))
{
    golden_table t;
    open_file(&t, name, columns);
    golden_report r = {.file = name, .jit = jit};
    judge(&t, &r);
    golden_report_print(&r);
    golden_table_free(&t);
    ck_assert_uint_eq(r.failed, 0);
    ck_assert_uint_gt(r.passed, 9 * r.rows / 10);
}

START_TEST(golden_unary)
{
    run_file("scalar_unary.tsv", 7, backends[_i], golden_scalar_unary);
}
END_TEST

START_TEST(golden_binary)
{
    run_file("scalar_binary.tsv", 9, backends[_i], golden_scalar_binary);
}
END_TEST

START_TEST(golden_casts)
{
    run_file("cast.tsv", 6, backends[_i], golden_cast);
}
END_TEST

START_TEST(golden_reductions)
{
    run_file("reduce.tsv", 9, backends[_i], golden_reduce);
}
END_TEST

/* ---- dtypes of results: promote.tsv ---- */

static void
check_promotion(const golden_promotion *p)
{
    ilex_dtype type[2] = {ILEX_BOOL, ILEX_BOOL}, want = ILEX_BOOL;
    bool two = strcmp(p->type[0], "-") != 0, refused;
    refused = !strcmp(p->result, "error");
    ck_assert(golden_dtype(p->type[!two ? 1 : 0], &type[0]));
    ck_assert(golden_dtype(p->type[1], &type[1]));
    ck_assert(refused || golden_dtype(p->result, &want));
    ilex_storage *x[] = {ilex_storage_ones(ctx, type[0], 1, SHAPE(1)),
                         ilex_storage_ones(ctx, type[1], 1, SHAPE(1))};
    ilex_storage *y = !strcmp(p->kind, "reduce")
                          ? ilex_eager_reduce(ctx, p->name, x[0], NULL, NULL)
                          : ilex_eager(ctx, p->name, two ? 2 : 1, x, NULL);
    if (refused)
        ck_assert_msg(!y && ilex_error_code(ctx) == ILEX_E_DTYPE, "%s(%s, %s)",
                      p->name, p->type[0], p->type[1]);
    else
        ck_assert_msg(y && y->dtype == want, "%s(%s, %s): %s", p->name,
                      p->type[0], p->type[1], ilex_error_text(ctx));
    ilex_error_clear(ctx);
    ilex_storage_release(y);
    ilex_storage_release(x[0]);
    ilex_storage_release(x[1]);
}

START_TEST(promotion)
{
    golden_table t;
    size_t rows = 0;
    open_file(&t, "promote.tsv", 3 + GOLDEN_PROMOTIONS);
    ilex_option_set(ctx, "jit", "reference");
    for (size_t i = 0; i < t.rows * GOLDEN_PROMOTIONS; i++) {
        golden_promotion p =
            golden_promotion_of(golden_row(&t, i / GOLDEN_PROMOTIONS),
                                (int)(i % GOLDEN_PROMOTIONS));
        bool ours = !strcmp(p.kind, "unary") || !strcmp(p.kind, "binary") ||
                    !strcmp(p.kind, "reduce");
        if (ours)
            check_promotion(&p);
        rows += ours;
    }
    golden_table_free(&t);
    ck_assert_uint_gt(rows, 6000);
}
END_TEST

/* ---- every operator, every combination of dtypes ---- */

enum { MOST = 12 };

/* Values that are hard for a dtype; returns how many. */
static int
hard_values(ilex_dtype dtype, bool few, ix_value *v)
{
    static const double reals[] = {0,    -0.0, 1,        -1,        0.5, -2.5,
                                   3e20, -7,   INFINITY, -INFINITY, NAN, 1e-40};
    static const int64_t whole[] = {0,   1,    -1, 2,         -3,        7,
                                    127, -128, 33, INT64_MAX, INT64_MIN, 300};
    char kind = ix_dtype_kind(dtype);
    int n = kind == 'b' ? 2 : few ? 5 : MOST;
    for (int i = 0; i < n; i++) {
        ix_value from = {.i = whole[i]};
        if (kind == 'f' || kind == 'c')
            from =
                (ix_value){.f = reals[few ? 2 * i + 2 : i],
                           .im = kind == 'c' ? reals[(5 * i + 2) % MOST] : 0};
        ix_cast_eval(kind == 'c'   ? ILEX_C128
                     : kind == 'f' ? ILEX_F64
                                   : ILEX_I64,
                     dtype, &from, &v[i]);
    }
    return n;
}

/* The values along an axis of their own. */
static ilex_storage *
along(ilex_dtype dtype, int axis, bool few, ix_value *v)
{
    static const char *const own[] = {"I", "J", "K"};
    int64_t n = hard_values(dtype, few, v);
    size_t bytes = ilex_dtype_bytes(dtype);
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(dtype),
                              .rank = 1,
                              .shape = &n,
                              .axes = own[axis]};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_ptr_nonnull(s);
    for (int64_t i = 0; i < n; i++)
        ix_value_store(dtype, s->data + i * (int64_t)bytes, v[i]);
    return s;
}

/* How exact an operator is on a dtype, as in ops.def. */
static golden_tolerance
tolerance_of(ix_op op, ilex_dtype loop)
{
    bool complex = ix_dtype_kind(loop) == 'c';
    int ulp = ix_op_info_of(op)->ulp;
    bool hard = complex && ulp == 0 &&
                (op == IX_OP_TRUE_DIVIDE || op == IX_OP_SQRT ||
                 op == IX_OP_RECIPROCAL || op == IX_OP_SIGN);
    return ulp || hard ? GOLDEN_ULP4 : GOLDEN_EXACT;
}

/* How two integers compare of which the one has a sign and the other has not:
 * as whole numbers, although no dtype holds both. */
static bool
compare_mixed(ix_op op, const ilex_dtype *type, const ix_value *x,
              ix_value *want)
{
    static const int results[][3] = {
        /* less, equal, greater */
        [IX_OP_EQUAL] = {0, 1, 0},   [IX_OP_NOT_EQUAL] = {1, 0, 1},
        [IX_OP_LESS] = {1, 0, 0},    [IX_OP_LESS_EQUAL] = {1, 1, 0},
        [IX_OP_GREATER] = {0, 0, 1}, [IX_OP_GREATER_EQUAL] = {0, 1, 1}};
    bool first = type[0] == ILEX_I64 && type[1] == ILEX_U64,
         second = type[0] == ILEX_U64 && type[1] == ILEX_I64;
    bool order = op == IX_OP_EQUAL || op == IX_OP_NOT_EQUAL ||
                 op == IX_OP_LESS || op == IX_OP_LESS_EQUAL ||
                 op == IX_OP_GREATER || op == IX_OP_GREATER_EQUAL;
    if (!order || (!first && !second))
        return false;
    uint64_t a = (uint64_t)x[0].i, b = (uint64_t)x[1].i;
    int sign = x[first ? 0 : 1].i < 0 ? (first ? -1 : 1) : (a > b) - (a < b);
    *want = (ix_value){.i = results[op][sign + 1]};
    return true;
}

/* Every element of y = op(x[0][i], x[1][j], x[2][k]). */
static void
check_values(ix_op op, const ilex_dtype *type, ilex_dtype loop,
             const ilex_storage *y, ix_value v[3][MOST])
{
    const ix_op_info *info = ix_op_info_of(op);
    int64_t index[3] = {0};
    for (int64_t e = ilex_storage_count(y); e > 0; e--) {
        ix_value args[3], given[3], want;
        unsigned char element[16];
        for (int k = 0; k < info->arity; k++)
            given[k] = v[k][index[k]];
        for (int k = 0; k < info->arity; k++)
            ix_cast_eval(type[k],
                         op == IX_OP_WHERE && k == 0 ? ILEX_BOOL : loop,
                         &given[k], &args[k]);
        if (!compare_mixed(op, type, given, &want))
            ix_op_eval(op, loop, args, &want);
        ix_cast_eval(ix_op_result(op, loop), y->dtype, &want, &want);
        ix_value_store(y->dtype, element, want);
        ck_assert_msg(golden_same(y->dtype, ilex_storage_at(y, index), element,
                                  tolerance_of(op, loop), true),
                      "%s(%s %d, %s %d): got %s, want %s", info->name,
                      ilex_dtype_name(type[0]), (int)index[0],
                      ilex_dtype_name(type[1]), (int)index[1],
                      golden_show(y->dtype, ilex_storage_at(y, index)).s,
                      golden_show(y->dtype, element).s);
        for (int k = y->rank - 1; k >= 0 && ++index[k] == y->shape[k]; k--)
            index[k] = 0;
    }
}

static void
check_combination(ix_op op, const ilex_dtype *type, int *accepted)
{
    const ix_op_info *info = ix_op_info_of(op);
    ix_value v[3][MOST];
    ilex_storage *x[3];
    ilex_dtype loop, dtype;
    for (int k = 0; k < info->arity; k++)
        x[k] = along(type[k], k, info->arity == 3, v[k]);
    bool defined = ix_op_type(op, type, &loop, &dtype);
    ilex_storage *y = ilex_eager(ctx, info->name, (size_t)info->arity, x, NULL);
    ck_assert_msg((y != NULL) == defined, "%s(%s, %s): %s", info->name,
                  ilex_dtype_name(type[0]), ilex_dtype_name(type[1]),
                  ilex_error_text(ctx));
    ilex_error_clear(ctx);
    if (y) {
        ck_assert_int_eq(y->dtype, dtype);
        check_values(op, type, loop, y, v);
        ++*accepted;
    }
    ilex_storage_release(y);
    for (int k = 0; k < info->arity; k++)
        ilex_storage_release(x[k]);
}

/* One test a row of ops.def. `where` takes its condition of each dtype with
 * pairs of choices, and all pairs with bool. */
START_TEST(combinations)
{
    const ix_op op = (ix_op)_i;
    int accepted = 0, arity = ix_op_info_of(op)->arity;
    ilex_option_set(ctx, "jit", "tcc");
    for (int a = 0; a < ILEX_NDTYPES; a++)
        for (int b = 0; b < (arity > 1 ? ILEX_NDTYPES : 1); b++)
            for (int c = 0; c < (arity > 2 ? ILEX_NDTYPES : 1); c++)
                if (arity < 3 || a == ILEX_BOOL || b == c)
                    check_combination(op,
                                      (ilex_dtype[]){(ilex_dtype)a,
                                                     (ilex_dtype)b,
                                                     (ilex_dtype)c},
                                      &accepted);
    ck_assert_int_gt(accepted, 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_golden");
    TCase *t = tcase_create("values");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, golden_unary, 0, 2);
    tcase_add_loop_test(t, golden_binary, 0, 2);
    tcase_add_loop_test(t, golden_casts, 0, 2);
    tcase_add_loop_test(t, golden_reductions, 0, 2);
    tcase_add_test(t, promotion);
    tcase_add_loop_test(t, combinations, 0, IX_NOPS);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
