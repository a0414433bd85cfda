/* SPDX-License-Identifier: MIT
 *
 * Every row of build_errors.def fails with this code and message; NULL and
 * poison operands of every constructor give NULL and poison.
 */
#include "lib/graph/context.h"
#include "tests/error/errors.h"

static ilex_context *ctx, *other;
static ilex_array *x, *y, *a, *t, *f, *e, *b, *c, *i, *u, *w, *k, *three, *z,
    *v;
static ilex_module *module;

#define LONG_NAME                                                              \
    "a23456789012345678901234567890123456789012345678901234567890123456"

static ilex_array *
deep_sin(ilex_context *context)
{
    ilex_array *r = ilex_f64(context, 1.0);
    for (int n = 0; n < 1002; n++)
        r = ilex_sin(r);
    return r;
}

static ilex_array *
slice(ilex_array *from, const char *start, const char *stop, int64_t step)
{
    return ilex_slice(from, &start, &stop, &step);
}

static ilex_program *
compile_one(ilex_context *context, ilex_array *value)
{
    return ilex_compile(context, 1, &value, NULL);
}

/* An f64 input that rests on an assumption. */
static ilex_array *
input_under(ilex_context *context, const char *condition, const char *name,
            const char *domain)
{
    size_t scope = ilex_scope_begin(context);
    ilex_assume(context, condition);
    ilex_array *r = ilex_input(context, name, ILEX_F64, domain);
    return ilex_scope_end(context, scope, r);
}

static void
open_fixture(void)
{
    ctx = ilex_context_new(NULL);
    other = ilex_context_new(NULL);
    ck_assert(ctx && other);
    x = ilex_input(ctx, "x", ILEX_F64, "n");
    y = ilex_input(ctx, "y", ILEX_F64, "m");
    a = ilex_input(ctx, "a", ILEX_F64, "n, m");
    t = ilex_input(ctx, "t", ILEX_F64, "3");
    f = ilex_input(ctx, "f", ILEX_F64, "4");
    e = ilex_input(ctx, "e", ILEX_F64, "0");
    b = ilex_input(ctx, "b", ILEX_BOOL, "n");
    c = ilex_input(ctx, "c", ILEX_C128, "n");
    i = ilex_input(ctx, "i", ILEX_I32, "n");
    u = ilex_input(ctx, "u", ILEX_F64, "I:ni, J:nj halo(I:1:1)");
    w = ilex_input(ctx, "w", ILEX_F64, "I:nk");
    k = ilex_input(ctx, "k", ILEX_F64, "K:7");
    three = ilex_input(ctx, "three", ILEX_F64, "n, m, 3");
    z = ilex_input(other, "z", ILEX_F64, "n");
    module = ilex_module_new(ctx, "empty");
    ck_assert_msg(!ilex_error_code(ctx), "%s", ilex_error_text(ctx));
}

static void
close_fixture(void)
{
    ilex_module_free(module);
    ilex_context_free(ctx);
    ilex_context_free(other);
}

/* ---- the table ---- */

static ilex_status
of_array(const ilex_array *r)
{
    return ilex_is_poison(r) ? ilex_error_code(ctx) : ILEX_OK;
}

#define TABLE "tests/error/build_errors.def"
#include "tests/error/rows.inc"

START_TEST(build_table)
{
    ilex_status code = rows[_i].run();
    check_error(rows[_i].text, code, ilex_error_text(ctx), rows[_i].code,
                rows[_i].fragment);
    ck_assert_int_eq(ilex_error_query(ctx).code, code);
}
END_TEST

/* ---- kinds that are not there yet ---- */

START_TEST(later_kinds)
{
#define CHECK_own(function, text)
#define CHECK_node(function, text)
#define CHECK_later(function, text)                                            \
    ck_assert(ilex_is_poison(ilex_##function(ctx, 1, &x)));                    \
    check_error(#function, ilex_error_code(ctx), ilex_error_text(ctx),         \
                ILEX_E_UNSUPPORTED, text " is not supported in this version"); \
    ilex_error_clear(ctx);
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, ...)                                                     \
    CHECK_##form(function, text)
#include "lib/graph/nodes.def"
}
END_TEST

/* ---- poison in, poison out, and no new message ---- */

static ilex_array *
fresh_poison(void)
{
    ilex_array *p = ilex_add(x, y);
    ck_assert(ilex_is_poison(p));
    ilex_error_clear(ctx);
    return p;
}

#define SILENT(...)                                                            \
    do {                                                                       \
        const ilex_array *r_ = __VA_ARGS__;                                    \
        ck_assert_msg(r_ &&ilex_is_poison(r_), "%s", #__VA_ARGS__);            \
        ck_assert_msg(!ilex_error_code(ctx), "%s: %s", #__VA_ARGS__,           \
                      ilex_error_text(ctx));                                   \
    } while (0)

START_TEST(poison_operators)
{
    ilex_array *p = fresh_poison();
#define OPERATOR_1(name) SILENT(ilex_##name(p));
#define OPERATOR_2(name)                                                       \
    SILENT(ilex_##name(p, x));                                                 \
    SILENT(ilex_##name(x, p));                                                 \
    SILENT(ilex_##name(p, p));
#define OPERATOR_3(name)                                                       \
    SILENT(ilex_##name(p, x, x));                                              \
    SILENT(ilex_##name(b, p, x));                                              \
    SILENT(ilex_##name(b, x, p));
#define ILEX_OP(ENUM, name, arity, infix, precedence, rule, laws, ulp,         \
                on_bool, on_int, on_real, on_complex, doc)                     \
    OPERATOR_##arity(name)
#include "ilex/ops.def"
}
END_TEST

START_TEST(poison_constructors)
{
    ilex_array *p = fresh_poison();
    const char *bound = "0";
    SILENT(ilex_cast(p, ILEX_F32));
    SILENT(ilex_clip(p, x, x));
    SILENT(ilex_clip(x, x, p));
    SILENT(ilex_full(ctx, "n", p));
    SILENT(ilex_shift(p, "I", 1));
    SILENT(ilex_restrict(p, "n"));
    SILENT(ilex_reshape(p, "n", "C"));
    SILENT(ilex_permute(p, NULL));
    SILENT(ilex_slice(p, &bound, &bound, NULL));
    SILENT(ilex_einsum(ctx, "i,i", 2, (ilex_array *[]){x, p}));
    SILENT(ilex_expr(ctx, "a + b", "a", x, "b", p, NULL));
#define POISON_own(function)
#define POISON_node(function)
#define POISON_later(function)                                                 \
    SILENT(ilex_##function(ctx, 2, (ilex_array *[]){x, p}));
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, ...)                                                     \
    POISON_##form(function)
#include "lib/graph/nodes.def"
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    SILENT(ilex_##name(p, "0", 0));
#include "ilex/reductions.def"
    ck_assert_ptr_eq(ilex_keep(p), p);
    ilex_drop(p);
    ilex_drop_later(p);
}
END_TEST

/* Only what compiles or names poison says that something is wrong. */
START_TEST(poison_result)
{
    ilex_array *p = fresh_poison();
    ck_assert_ptr_null(ilex_compile(ctx, 1, &p, NULL));
    check_error("compile", ilex_error_code(ctx), ilex_error_text(ctx),
                ILEX_E_ARGUMENT, "failed, and its error was cleared");
    ck_assert_ptr_null(ilex_compile(ctx, 1, &x, NULL)); /* until cleared */
}
END_TEST

/* ---- NULL ---- */

START_TEST(null_operands)
{
#define NULL_1(name) ck_assert_ptr_null(ilex_##name(NULL));
#define NULL_2(name) ck_assert_ptr_null(ilex_##name(NULL, NULL));
#define NULL_3(name) ck_assert_ptr_null(ilex_##name(NULL, NULL, NULL));
#define ILEX_OP(ENUM, name, arity, infix, precedence, rule, laws, ulp,         \
                on_bool, on_int, on_real, on_complex, doc)                     \
    NULL_##arity(name)
#include "ilex/ops.def"
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    ck_assert_ptr_null(ilex_##name(NULL, NULL, 0));
#include "ilex/reductions.def"
    ck_assert_ptr_null(ilex_cast(NULL, ILEX_F64));
    ck_assert_ptr_null(ilex_shift(NULL, "I", 1));
    ck_assert_ptr_null(ilex_restrict(NULL, "n"));
    ck_assert_ptr_null(ilex_reshape(NULL, "n", NULL));
    ck_assert_ptr_null(ilex_permute(NULL, NULL));
    ck_assert_ptr_null(ilex_slice(NULL, NULL, NULL, NULL));
    ck_assert_ptr_null(ilex_clip(NULL, NULL, NULL));
#define NULL_own(function)
#define NULL_node(function)
#define NULL_later(function) ck_assert_ptr_null(ilex_##function(NULL, 0, NULL));
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, ...)                                                     \
    NULL_##form(function)
#include "lib/graph/nodes.def"
    ck_assert_ptr_null(ilex_keep(NULL));
    ilex_drop(NULL);
    ilex_drop_later(NULL);
    ilex_module_free(NULL);
    ilex_context_free(NULL);
    ilex_program_release(NULL);
    ilex_storage_release(NULL);
    ck_assert_int_eq(ilex_is_poison(NULL), 1);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
}
END_TEST

/* ---- the record ---- */

START_TEST(first_error_wins)
{
    ilex_location(ctx, "model.f90", 12, 3);
    ilex_add(x, y);
    ilex_location(ctx, NULL, 0, 0);
    ilex_negative(b);
    ilex_error_info info = ilex_error_query(ctx);
    ck_assert_int_eq(info.code, ILEX_E_SHAPE);
    ck_assert_str_eq(info.operation, "add");
    ck_assert_str_eq(info.file, "model.f90");
    ck_assert_int_eq(info.line, 12);
    ck_assert_int_eq(info.column, 3);
    ilex_error_clear(ctx);
    ck_assert_str_eq(ilex_error_text(ctx), "");
    ck_assert_int_eq(ilex_error_query(ctx).line, 0);
    ilex_add(x, NULL);
    ck_assert_int_eq(ilex_error_query(ctx).operand, 1);
    ck_assert_int_eq(ilex_error_query(ctx).line, 0);
}
END_TEST

Suite *
build_errors_suite(void)
{
    Suite *suite = suite_create("build_errors");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, open_fixture, close_fixture);
    tcase_add_loop_test(table, build_table, 0, (int)IX_COUNT(rows));
    suite_add_tcase(suite, table);
    TCase *rest = tcase_create("poison");
    tcase_add_checked_fixture(rest, open_fixture, close_fixture);
    tcase_add_test(rest, later_kinds);
    tcase_add_test(rest, poison_operators);
    tcase_add_test(rest, poison_constructors);
    tcase_add_test(rest, poison_result);
    tcase_add_test(rest, null_operands);
    tcase_add_test(rest, first_error_wins);
    suite_add_tcase(suite, rest);
    return suite;
}
