/* SPDX-License-Identifier: MIT
 *
 * Foreign functions beside their values: how they fail, what is registered,
 * that text and C make one node, what a declaration is part of. Errors of text
 * are in text_errors.tsv.
 */
#include "tests/unit/foreign_fixture.h"

static void
expect_error(ilex_status code, const char *text)
{
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), code);
}

/* ---- failing ---- */

static const char solve[] =
    "ilex 1\nprogram solve\nsize n\nin a : f64[n, n]\nin b : f64[n]\n" GAUSS
    "let x, p = gauss(a, b)\nout o = x\n";

START_TEST(failing)
{
    give(ctx, "gauss", gauss, NULL);
    for (int j = 0; j < 3; j++) {
        ilex_option_set(ctx, "jit", jits[j]);
        ilex_module *m = ilex_module_parse(ctx, solve, "s.ilx");
        ilex_program *p = ilex_compile_module(m);
        ilex_module_free(m);
        if (!p && take_error() == ILEX_E_UNSUPPORTED)
            continue;
        ilex_storage *a = ilex_storage_zeros(NULL, ILEX_F64, 2, SHAPE(3, 3)),
                     *b = vector(3, 1, 1), *o = vector(3, 0, 0);
        ilex_call call = {.size = sizeof call};
        ck_assert_int_eq(
            ilex_run(p,
                     (ilex_binding[]){ILEX_BIND("a", a), ILEX_BIND("b", b),
                                      ILEX_BIND("o", o)},
                     3, &call),
            ILEX_E_FUNCTION);
        ck_assert_str_eq(call.error, "solve: gauss (s.ilx:7:12) failed with "
                                     "status 7: pivot 0 is 0");
        ilex_storage_release(a);
        ilex_storage_release(b);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

START_TEST(unregistered)
{
    ilex_module *m = ilex_module_parse(ctx, solve, "s.ilx");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNKNOWN,
                 "program solve calls gauss (s.ilx:7:12), which "
                 "is not registered");
    char *stages = ilex_module_stage(m, "steps");
    ck_assert_msg(stages && strstr(stages, "call      gauss(b0 on"), "%s",
                  stages ? stages : ilex_error_text(ctx));
    ilex_text_free(ctx, stages);
    give(ctx, "gauss", gauss, NULL);
    ilex_option_set(ctx, "jit", "nvrtc");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNKNOWN, "which is not registered for devices; give");
    ilex_module_free(m);
}
END_TEST

START_TEST(registering)
{
    ilex_function_spec spec = {.size = sizeof spec};
    ck_assert_int_ne(ilex_function_register(ctx, "f", &spec), ILEX_OK);
    expect_error(ILEX_E_ARGUMENT,
                 "function f: there is no function for the host");
    ck_assert_int_ne(ilex_function_register(ctx, "f", NULL), ILEX_OK);
    expect_error(ILEX_E_ARGUMENT, "the size of the spec is not set");
    spec.host = gauss;
    ck_assert_int_ne(ilex_function_register(ctx, "_ilex_f", &spec), ILEX_OK);
    expect_error(ILEX_E_NAME, "_ilex_f");
    ck_assert_int_ne(ilex_function_register(ctx, NULL, &spec), ILEX_OK);
    ck_assert_int_eq(take_error(), ILEX_E_NAME);
    spec.host = NULL;
    spec.device = gauss;
    ck_assert_int_eq(ilex_function_register(ctx, "f", &spec), ILEX_OK);
    spec.size = offsetof(ilex_function_spec, device); /* an older caller */
    ck_assert_int_ne(ilex_function_register(ctx, "f", &spec), ILEX_OK);
    expect_error(ILEX_E_ARGUMENT, "none for devices");
    spec.host = gauss;
    ck_assert_int_eq(ilex_function_register(ctx, "f", &spec), ILEX_OK);
}
END_TEST

/* ---- registrations and programs ---- */

static int
constant(const ilex_function_call *call)
{
    *(double *)call->result[0].data = *(const double *)call->user;
    return 0;
}

static double
result_of(ilex_context *c, double *user)
{
    give(c, "f", constant, user);
    ilex_option_set(c, "jit", "tcc");
    ilex_module *m = ilex_module_parse(
        c, "ilex 1\nprogram p\nextern f() -> f64 pure\nout o = f()\n", NULL);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    if (!p)
        return *user;
    ilex_storage *o = ilex_storage_zeros(NULL, ILEX_F64, 0, NULL);
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, (ilex_binding[]){ILEX_BIND("o", o)}, 1, &call),
                  "%s", call.error);
    double r = *(const double *)ilex_storage_const_data(o);
    ilex_storage_release(o);
    ilex_program_release(p);
    return r;
}

/* Equal programs of two contexts call each what was registered there. */
START_TEST(per_context)
{
    double one = 1, two = 2, three = 3;
    ilex_context *other = ilex_context_new(NULL);
    ilex_option_set(ctx, "verify", "0"); /* else programs are not kept */
    ck_assert(result_of(ctx, &one) == 1);
    ck_assert(result_of(other, &two) == 2);
    ck_assert(result_of(ctx, &one) == 1);
    ck_assert(result_of(ctx, &three) == 3);
    ilex_context_free(other);
}
END_TEST

/* ---- nodes, text and hashes ---- */

START_TEST(from_c)
{
    ilex_module *m = parse(solve);
    ilex_array *in[2] = {ilex_module_array(m, "a"), ilex_module_array(m, "b")};
    ilex_array *out[2];
    const char *declaration =
        "gauss(a:f64[k, k], b : f64[k])->f64[k], f64[k] pure";
    ck_assert_msg(!ilex_foreign(ctx, declaration, 2, in, 2, out), "%s",
                  ilex_error_text(ctx));
    ck_assert_ptr_eq(out[0], ilex_module_array(m, "x"));
    ck_assert_ptr_eq(out[1], ilex_module_array(m, "p"));
    ck_assert_str_eq(ilex_array_kind(ilex_array_operand(out[0], 0)), "extern");
    ck_assert_int_ne(ilex_foreign(ctx, declaration, 1, in, 2, out), ILEX_OK);
    ck_assert(ilex_is_poison(out[0]) && ilex_is_poison(out[1]));
    expect_error(ILEX_E_SYNTAX, "gauss has 2 parameters, not 1");
    ck_assert_int_ne(ilex_foreign(ctx, declaration, 2, in, 1, out), ILEX_OK);
    expect_error(ILEX_E_SYNTAX, "gauss has 2 results, not 1");
    ck_assert_int_ne(ilex_foreign(ctx, NULL, 2, in, 1, out), ILEX_OK);
    expect_error(ILEX_E_ARGUMENT, "are NULL");
    in[1] = NULL;
    ck_assert_int_ne(ilex_foreign(ctx, declaration, 2, in, 2, out), ILEX_OK);
    expect_error(ILEX_E_ARGUMENT, "argument 1 is NULL");
    in[1] = ilex_input(ctx, "c", ILEX_F64, "m");
    ck_assert_int_ne(ilex_foreign(ctx, declaration, 2, in, 2, out), ILEX_OK);
    expect_error(ILEX_E_SHAPE, "axis 0 has length");
    ilex_module_free(m);
}
END_TEST

/* One name, one declaration. */
START_TEST(two_declarations)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y[2];
    ck_assert(!ilex_foreign(ctx, "f(x : f64[n]) -> f64[n] pure", 1, &x, 1, y));
    ck_assert(
        !ilex_foreign(ctx, "f(x : f64[n]) -> f64[n+1] pure", 1, &x, 1, y + 1));
    ck_assert_ptr_null(ilex_compile(ctx, 2, y, NULL));
    expect_error(ILEX_E_DUPLICATE, "the foreign function f is declared in two "
                                   "ways: f(x : f64[n]) -> f64[n] pure, and");
}
END_TEST

static void
hash_of(ilex_context *c, const char *text, uint8_t hash[16], char **printed)
{
    ilex_module *m = ilex_module_parse(c, text, NULL);
    ck_assert_msg(m && !ilex_module_hash(m, hash), "%s", ilex_error_text(c));
    if (printed)
        *printed = ilex_module_print(m);
    ilex_module_free(m);
}

/* Printing and reading gives the same program; the declaration is part of its
 * hash, what is registered is not, nor the context. */
START_TEST(printed)
{
    uint8_t hash[3][16];
    char *text, *again;
    hash_of(ctx, several, hash[0], &text);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "\n" GAUSS));
    give(ctx, "gauss", gauss, NULL);
    hash_of(ctx, text, hash[1], &again);
    ck_assert_str_eq(text, again);
    ck_assert(!memcmp(hash[0], hash[1], 16));
    ilex_context *other = ilex_context_new(NULL);
    ilex_input(other, "first", ILEX_F32, "q, r");
    hash_of(other, text, hash[1], NULL);
    ck_assert(!memcmp(hash[0], hash[1], 16));
    ilex_context_free(other);
    char *cost = strstr(text, " pure");
    char longer[2000];
    snprintf(longer, sizeof longer, "%.*s pure cost 2%s", (int)(cost - text),
             text, cost + 5);
    hash_of(ctx, longer, hash[2], NULL);
    ck_assert(memcmp(hash[0], hash[2], 16) != 0);
    ilex_text_free(ctx, text);
    ilex_text_free(ctx, again);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("foreign_node", failing, unregistered, registering,
                     per_context, from_c, two_declarations, printed);
}
