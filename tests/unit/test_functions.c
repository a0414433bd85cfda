/* SPDX-License-Identifier: MIT
 *
 * Text of templates and helper functions: tokens, dependencies, layout,
 * failing memory.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>

#include "lib/ops/functions.h"
#include "tests/suite.h"

static const ix_function_dialect plain = {
    .qualifier = "static inline", .inside = "static inline", .math_prefix = ""};

/* Asserts that "code" prints as "want" for x = "a", y = "-1.0". */
static void
expect(const char *code, ilex_dtype loop, ilex_dtype result, const char *want)
{
    const ix_code_names names = {.loop = loop,
                                 .result = result,
                                 .x = {"a", "-1.0", "c"},
                                 .xi = {"ai", "2.0", "ci"},
                                 .re = "r",
                                 .im = "s"};
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_code_write(&t, code, &names, &plain);
    ck_assert_str_eq(ix_text_string(&t), want);
    ix_text_free(&t);
}

START_TEST(tokens)
{
    expect("(T)((U)x + (U)y)", ILEX_I8, ILEX_I8, "(i8)((u32)a + (u32)(-1.0))");
    expect("M(floor)(x)", ILEX_F32, ILEX_F32, "floorf(a)");
    expect("M(fmod)(xr, xi)", ILEX_C64, ILEX_F32, "fmodf(a, ai)");
    expect("FR(exp)(xr)", ILEX_C64, ILEX_F32, "exp_f64(a)");
    expect("F(sqrt)(xr, xi, &re, &im)", ILEX_C128, ILEX_C128,
           "sqrt_c128(a, ai, &r, &s)");
    expect("(T)0 + 0x1p-4 * A", ILEX_F64, ILEX_BOOL, "(u8)0 + 0x1p-4 * f64");
    expect("exp + xrr + zi", ILEX_C64, ILEX_C64, "exp + xrr + ci");
}
END_TEST

/* The definitions that the template of "op" in "loop" needs, as text. */
static char *
definitions(ix_op op, ilex_dtype loop)
{
    ix_function_set set;
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_function_set_init(&set, &ix_mem_default);
    ck_assert(
        ix_function_set_need_template(&set, ix_op_template(op, loop), loop));
    ix_function_set_write(&set, &plain, &t);
    char *text = strdup(ix_text_string(&t));
    ix_function_set_free(&set);
    ix_text_free(&t);
    return text;
}

START_TEST(layout)
{
    char *text = definitions(IX_OP_REMAINDER, ILEX_U16);
    ck_assert_str_eq(text, "/* x modulo y; 0 where y is 0 */\n"
                           "static inline u16\n"
                           "remainder_u16(u16 x, u16 y)\n"
                           "{\n"
                           "    if (y == 0) {\n"
                           "        return 0;\n"
                           "    }\n"
                           "    return (u16)(x % y);\n"
                           "}\n\n");
    free(text);
}
END_TEST

/* Callees stand before callers, each once. */
START_TEST(dependencies)
{
    char *text = definitions(IX_OP_ARCSINH, ILEX_C64);
    static const char *const order[] = {"\nlog_modulus_c128(", "\nsqrt_c128(",
                                        "\narcsin_c128(", "\narcsinh_c128(",
                                        "\narcsinh_c64("};
    const char *at = text;
    for (size_t k = 0; k < IX_COUNT(order); k++) {
        at = strstr(at, order[k]);
        ck_assert_msg(at != NULL, "%s", order[k]);
        ck_assert_ptr_null(strstr(at + 1, order[k]));
    }
    ck_assert_ptr_null(strstr(text, "FC("));
    free(text);
}
END_TEST

START_TEST(maths)
{
    ix_function_set set;
    ix_function_set_init(&set, &ix_mem_default);
    ck_assert(!ix_function_set_uses_math(&set));
    ck_assert(ix_function_set_need(&set, "M(fmod)(x, y)", ILEX_F32));
    ck_assert(ix_function_set_need(&set, "F(log)(xr, xi)", ILEX_C128));
    ck_assert(ix_function_set_uses(&set, IX_MATH_fmod, true));
    ck_assert(ix_function_set_uses(&set, IX_MATH_fabs, false));
    ck_assert(!ix_function_set_uses(&set, IX_MATH_fabs, true));
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_math_parameters(IX_MATH_fmod, "f64", &t);
    ix_math_parameters(IX_MATH_fma, "f32", &t);
    ck_assert_str_eq(ix_text_string(&t), "(f64, f64)(f32, f32, f32)");
    ix_text_free(&t);
    ix_function_set_free(&set);
}
END_TEST

static void *
refuse(void *user, void *block, size_t bytes)
{
    int *left = user;
    if (bytes > 0 && (*left)-- <= 0)
        return NULL;
    return ix_mem_default.resize(ix_mem_default.user, block, bytes);
}

/* Whatever allocation fails, "need" says so and nothing leaks. */
/* Costs are those of the text: a branch is not taken, the sign of an exponent
 * is no operation. */
START_TEST(costs)
{
    ck_assert_int_eq(ix_op_cost(IX_OP_ADD, ILEX_F64), 1);
    ck_assert_int_eq(ix_op_cost(IX_OP_ADD, ILEX_C64), 2);
    ck_assert_int_eq(ix_op_cost(IX_OP_POSITIVE, ILEX_F64), 0);
    ck_assert_int_eq(ix_op_cost(IX_OP_WHERE, ILEX_F64), 1);
    ck_assert_int_eq(ix_op_cost(IX_OP_MAXIMUM, ILEX_F64), 2);
    ck_assert_int_eq(ix_op_cost(IX_OP_TRUE_DIVIDE, ILEX_F64), 6);
    ck_assert_int_eq(ix_op_cost(IX_OP_SIN, ILEX_F64),
                     ix_op_cost(IX_OP_SIN_CORE, ILEX_F64));
    int e = ix_op_cost(IX_OP_EXP, ILEX_F64),
        gcd = ix_op_cost(IX_OP_GCD, ILEX_I64);
    ck_assert(e >= 40 && e <= 48);
    ck_assert(gcd > 40);
    ck_assert(ix_op_cost(IX_OP_EXP, ILEX_F32) < e);
    ck_assert(ix_op_cost(IX_OP_EXP, ILEX_C128) > 2 * e);
}
END_TEST

START_TEST(no_memory)
{
    bool done = false;
    for (int n = 0; !done && n < 100; n++) {
        int left = n;
        ix_mem mem = {refuse, &left};
        ix_function_set set;
        ix_function_set_init(&set, &mem);
        done = true;
        for (int op = 0; op < IX_NOPS; op++)
            done &= ix_function_set_need_template(
                &set, ix_op_template((ix_op)op, ILEX_C64), ILEX_C64);
        ix_function_set_free(&set);
    }
    ck_assert(done);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("functions");
    TCase *tests = tcase_create("functions");
    tcase_add_test(tests, tokens);
    tcase_add_test(tests, layout);
    tcase_add_test(tests, dependencies);
    tcase_add_test(tests, maths);
    tcase_add_test(tests, costs);
    tcase_add_test(tests, no_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
