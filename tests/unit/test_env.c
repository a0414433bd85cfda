/* SPDX-License-Identifier: MIT
 *
 * Environments: which assumptions a proof needs, that arrays rest on exactly
 * those and on those of their operands, that scopes and programs have their
 * own, and that every run verifies what its program rests on.
 */
#include "tests/unit/graph_fixture.h"

/* ---- what a proof needs ---- */

static const char *
env(const ilex_array *x)
{
    static ix_domain_text text;
    ck_assert_msg(!ilex_is_poison(x), "%s", ilex_error_text(ctx));
    text = ix_env_show(ctx, x->env);
    return text.s;
}

/* What needs no assumption is one node, whatever is in force. */
START_TEST(none_needed)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_map(ctx, "i:n", "x[i//2]", "x", x, NULL);
    ilex_array *s = ilex_sum(ilex_add(x, y), NULL, 0);
    size_t scope = ilex_scope_begin(ctx);
    assume("n >= 4 && m >= n");
    ck_assert_ptr_eq(ilex_input(ctx, "x", ILEX_F64, "n"), x);
    ck_assert_ptr_eq(ilex_map(ctx, "i:n", "x[i//2]", "x", x, NULL), y);
    ck_assert_ptr_eq(ilex_sum(ilex_add(x, y), NULL, 0), s);
    ck_assert_ptr_null(s->env);
    ilex_scope_end(ctx, scope, NULL);
}
END_TEST

/* Of many assumptions one is needed: of the own algebra, of isl, of an
 * intersection. */
START_TEST(least_needed)
{
    assume("k % 8 == 0 && n >= 4 && m <= 90 && k >= m && m >= n && q >= 2");
    ck_assert_str_eq(env(ilex_input(ctx, "x", ILEX_F64, "n-3")), "n >= 4");
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_array *v = ilex_input(ctx, "v", ILEX_F64, "I:m");
    ck_assert_str_eq(env(u), "");
    ilex_array *w = ilex_add(u, v);
    ck_assert_str_eq(env(w), "m >= n");
    ck_assert_ptr_eq(w->interior, u->interior);
    /* the counterexamples n = 0 and k = 3 are excluded by three together */
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ck_assert_str_eq(env(ilex_restrict(x, "n-1")), "n >= 4");
    ck_assert_str_eq(env(ilex_input(ctx, "z", ILEX_F64, "k-8")),
                     "k >= m && m >= n && n >= 4 && k % 8 == 0");
    check_fine();
}
END_TEST

/* An operand that reads nothing is taken over, with what it rests on: users are
 * the same nodes wherever proofs needed less. */
START_TEST(taken_over)
{
    assume("n >= 4 && m >= n");
    ilex_array *one = ilex_full(ctx, "n-3", ilex_lit(ctx, 1));
    ck_assert_str_eq(env(one), "n >= 4");
    ilex_array *y = ilex_cast(one, ILEX_F32);
    ck_assert_int_eq(y->nops, 1);
    ck_assert_str_eq(env(y), "n >= 4");
    ck_assert_str_eq(env(ilex_add(y, one)), "n >= 4");
    check_fine();
}
END_TEST

/* Small sizes show what does not hold without an assumption: isl is not asked.
 */
START_TEST(refuted)
{
    assume("m >= n && n >= 3 && k >= m");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "m, 3");
    ilex_array *y =
        ilex_map(ctx, "i:n-2", "x[i+1, 1] + sum[l:2](x[i+l, l])", "x", x, NULL);
    ck_assert_str_eq(env(y), "m >= n && n >= 3");
    ck_assert_ptr_null(ctx->affine);
}
END_TEST

/* Sets that a proof needs do not depend on the order in which assumptions are
 * written, nor on the context. */
START_TEST(same_elsewhere)
{
    static const char *const order[] = {"n >= 3", "2*n >= 5", "n >= 4"};
    ix_domain_text all = {""};
    for (int first = 0; first < 3; first++) {
        ilex_context *other = ilex_context_new(NULL);
        for (int i = 0; i < 3; i++)
            ilex_assume(other, order[(first + i) % 3]);
        ilex_array *x = ilex_input(other, "x", ILEX_F64, "n-2");
        ck_assert_int_eq(x->env->n, 1);
        ix_domain_text text = ix_env_show(other, x->env);
        ck_assert(first == 0 || !strcmp(all.s, text.s));
        all = text;
        ilex_context_free(other);
    }
}
END_TEST

/* Operands hand on what they rest on, and the body of an array that rests on
 * something is not copied. */
START_TEST(inherited)
{
    size_t scope = ilex_scope_begin(ctx);
    assume("n >= 4");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n-3");
    ilex_array *ones = ilex_full(ctx, "I:n-3", ilex_f64(ctx, 1));
    ilex_keep(x);
    ilex_keep(ones);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_ptr_null(ctx->in_force);
    scope = ilex_scope_begin(ctx);
    assume("m >= 2");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "m-1");
    ilex_array *product = ilex_outer(ilex_sqrt(x), y);
    ck_assert_str_eq(env(product), "m >= 2 && n >= 4");
    ck_assert_str_eq(env(ilex_sum(product, NULL, 0)), "m >= 2 && n >= 4");
    ck_assert_str_eq(env(ilex_shift(ones, "I", 1)), "n >= 4");
    ck_assert_str_eq(env(ilex_multiply(ones, ilex_index(ctx, "I"))), "n >= 4");
    ck_assert_str_eq(env(ilex_concat(ctx, 1, &x, NULL)), "n >= 4");
    ck_assert_str_eq(env(ilex_std(x, NULL, 0, 0)), "n >= 4");
    ck_assert_str_eq(env(ilex_sin(y)), "m >= 2"); /* nothing of those before */
    ck_assert_ptr_null(ctx->proof);
    ilex_scope_end(ctx, scope, NULL);
    ilex_drop(x);
    ilex_drop(ones);
}
END_TEST

/* What a constructor makes on its way rests on its own proofs alone. */
START_TEST(on_the_way)
{
    assume("m == n && n >= 4");
    ilex_array *parts[] = {ilex_input(ctx, "x", ILEX_F32, "n, 2"),
                           ilex_input(ctx, "y", ILEX_F64, "m, 3")};
    ilex_array *z = ilex_concat(ctx, 2, parts, "1");
    ck_assert_str_eq(env(z), "n >= m && m >= n");
    ck_assert_str_eq(env(ilex_array_operand(z, 0)), ""); /* converted */
    ck_assert_ptr_ne(ilex_array_operand(z, 0), parts[0]);
}
END_TEST

/* An error, also one that leaves the reader, ends the proof it belongs to. */
START_TEST(errors)
{
    assume("n >= 4");
    const ix_env *in_force = ctx->in_force;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n-3");
    ck_assert(
        ilex_is_poison(ilex_expr(ctx, "x[1:n-1] + x[0:n-5]", "x", x, NULL)));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_map(ctx, "i:n-3", "x[i+1]", "x", x, NULL)));
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_assume(ctx, "m >= 2 && n <= 3"), ILEX_E_ASSUME);
    ilex_error_clear(ctx);
    ck_assert_ptr_null(ilex_module_parse(
        ctx, "ilex 1\nprogram p\nsize m\nassume m >= 2\nout y = z\n", NULL));
    ilex_error_clear(ctx);
    ck_assert_ptr_null(ctx->proof);
    ck_assert_ptr_null(ctx->facts);
    ck_assert_ptr_eq(ctx->in_force, in_force);
    ck_assert_str_eq(env(ilex_input(ctx, "y", ILEX_F64, "m")), "");
}
END_TEST

/* ---- scopes ---- */

/* q >= 8 and q <= 4 live in one context, not in one array. */
START_TEST(contradictions)
{
    size_t scope = ilex_scope_begin(ctx);
    assume("q >= 8");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:q");
    ilex_array *a = ilex_keep(ilex_restrict(x, "I:8"));
    ck_assert_int_eq(ilex_assume(ctx, "q <= 4"), ILEX_E_ASSUME);
    ilex_error_clear(ctx);
    ilex_scope_end(ctx, scope, NULL);

    scope = ilex_scope_begin(ctx);
    assume("q <= 4");
    x = ilex_input(ctx, "x", ILEX_F64, "I:q");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "I:4");
    ilex_array *b = ilex_restrict(y, "I:q");
    ck_assert_str_eq(env(b), "q <= 4");
    ck_assert_str_eq(env(a), "q >= 8");
    ck_assert(ilex_is_poison(ilex_restrict(x, "I:8")));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ck_assert_str_eq(env(ilex_sqrt(a)), "q >= 8"); /* owes nothing to q <= 4 */
    ck_assert(
        ilex_is_poison(ilex_add(ilex_sum(a, NULL, 0), ilex_sum(b, NULL, 0))));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx),
                                 "that no sizes satisfy: q <= 4 and q >= 8"));
    ck_assert_int_eq(take_error(), ILEX_E_ASSUME);
    ilex_scope_end(ctx, scope, NULL);
    ilex_drop(a);
}
END_TEST

/* Only those that contradict each other are named. */
START_TEST(chain_of_three)
{
    size_t scope = ilex_scope_begin(ctx);
    assume("n >= m + 1 && m >= k && k % 2 == 0");
    ilex_array *a = ilex_keep(ilex_input(ctx, "a", ILEX_F64, "n-k-1"));
    ilex_scope_end(ctx, scope, NULL);
    assume("k >= n && l >= 1");
    ilex_array *b = ilex_input(ctx, "b", ILEX_F64, "k-n, l-1");
    ck_assert(ilex_is_poison(ilex_multiply(ilex_sum(a, NULL, 0), b)));
    ck_assert_ptr_nonnull(strstr(
        ilex_error_text(ctx), "no sizes satisfy: m >= k, k >= n and n >= m+1"));
    ilex_drop(a);
}
END_TEST

/* ---- programs ---- */

static ilex_status
run_with(ilex_program *p, int64_t n, const char **message)
{
    static ilex_call call;
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 1, &n);
    ilex_storage *y = ilex_storage_zeros(ctx, ILEX_F64, 0, NULL);
    ilex_binding bindings[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    call = (ilex_call){.size = sizeof call};
    ilex_status rc = ilex_run(p, bindings, 2, &call);
    *message = call.error;
    ilex_storage_release(x);
    ilex_storage_release(y);
    return rc;
}

static ilex_program *
compiled(ilex_module *m)
{
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_program *p = ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    return p;
}

/* Texts that contradict each other, and what is assumed around them. */
START_TEST(two_programs)
{
    static const char large[] = "ilex 1\nprogram p\nsize q\nassume q >= 8\n"
                                "in x : f64[q]\nmap t0[] = x[7]\n"
                                "out y : f64 = t0\n";
    static const char small[] = "ilex 1\nprogram p\nsize q\nassume q <= 4\n"
                                "in x : f64[q]\nout y : f64 = sum[0](x)\n";
    const char *message;
    assume("q == 6");
    ilex_module *m[2] = {ilex_module_parse(ctx, large, NULL),
                         ilex_module_parse(ctx, small, NULL)};
    ilex_program *p[2] = {compiled(m[0]), compiled(m[1])};
    ck_assert_int_eq(run_with(p[0], 9, &message), ILEX_OK);
    ck_assert_int_eq(run_with(p[1], 3, &message), ILEX_OK);
    ck_assert_int_eq(run_with(p[0], 7, &message), ILEX_E_ASSUMPTION);
    ck_assert_ptr_nonnull(strstr(message, "q >= 8"));
    ck_assert_int_eq(run_with(p[1], 5, &message), ILEX_E_ASSUMPTION);
    ck_assert_ptr_nonnull(strstr(message, "q <= 4"));
    for (int i = 0; i < 2; i++) {
        char *text = ilex_module_print(m[i]);
        ck_assert_str_eq(text, i ? small : large);
        ilex_text_free(ctx, text);
        ilex_module_free(m[i]);
        ilex_program_release(p[i]);
    }
}
END_TEST

/* A program does not borrow what the C code around it assumes. */
START_TEST(self_contained)
{
    static const char text[] = "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                               "out y = x[7]\n";
    assume("n >= 8");
    ck_assert_ptr_null(ilex_module_parse(ctx, text, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ck_assert_ptr_nonnull(
        ilex_expr(ctx, "x[7]", "x", ilex_input(ctx, "x", ILEX_F64, "n"), NULL));
    check_fine();
}
END_TEST

/* An array made under an assumption brings it along. */
START_TEST(brought_along)
{
    const char *message;
    size_t scope = ilex_scope_begin(ctx);
    assume("n >= 8 && m >= 2");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_keep(ilex_expr(ctx, "x[7]", "x", x, NULL));
    ilex_scope_end(ctx, scope, NULL);
    ilex_module *m = ilex_module_new(ctx, "m");
    ck_assert_int_eq(ilex_module_output(m, "y", y, NULL), ILEX_OK);
    ck_assert_uint_eq(m->nassumptions, 1); /* not m >= 2 */
    ilex_program *p = compiled(m);
    ck_assert_int_eq(run_with(p, 8, &message), ILEX_OK);
    ck_assert_int_eq(run_with(p, 7, &message), ILEX_E_ASSUMPTION);
    char *text = ilex_module_print(m);
    ck_assert_ptr_nonnull(strstr(text, "\nassume n >= 8\n"));
    ilex_module *again = ilex_module_parse(ctx, text, NULL);
    ck_assert_ptr_eq(again->output[0].array, y);
    ilex_text_free(ctx, text);
    ilex_module_free(again);
    ilex_module_free(m);
    ilex_program_release(p);
    p = ilex_compile(ctx, 1, &y, NULL);
    ck_assert_int_eq(run_with(p, 7, &message), ILEX_E_BINDING);
    ilex_program_release(p);
    ilex_drop(y);
}
END_TEST

/* Arrays of a program, in another graph, rest on what the program assumes. */
START_TEST(out_of_a_program)
{
    ilex_module *m = ilex_module_parse(
        ctx,
        "ilex 1\nprogram p\nsize n\nassume n >= 8\nin x : f64[n]\n"
        "let t = x[7]\nlet s = x[0:n]\nout y = t + sum(s)\n",
        NULL);
    ck_assert_str_eq(env(ilex_module_array(m, "t")), "n >= 8");
    ck_assert_str_eq(env(ilex_module_array(m, "s")), "");
    ilex_array *twice =
        ilex_multiply(ilex_module_array(m, "t"), ilex_lit(ctx, 2.0));
    ck_assert_str_eq(env(twice), "n >= 8");
    ilex_module_free(m);
}
END_TEST

/* What is in force where an output is added is its program's, needed or not:
 * runs verify it, the text says it. */
START_TEST(written)
{
    const char *message;
    assume("n >= 3");
    ilex_module *m = ilex_module_new(ctx, "m");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_sum(x, NULL, 0);
    ck_assert_str_eq(env(y), "");
    ck_assert_int_eq(ilex_module_output(m, "y", y, NULL), ILEX_OK);
    ilex_program *p = compiled(m);
    ck_assert_int_eq(run_with(p, 2, &message), ILEX_E_ASSUMPTION);
    ck_assert_int_eq(run_with(p, 3, &message), ILEX_OK);
    ilex_module_free(m);
    ilex_program_release(p);
}
END_TEST

/* Proofs of compilation use the preconditions, and owe nothing. */
START_TEST(compiling)
{
    ilex_module *m = ilex_module_parse(
        ctx,
        "ilex 1\nprogram p\nsize n, m\nassume m >= n + 1\nin u : f64[I:n]\n"
        "in v : f64[I:m]\nlet s = u + v\nlet t = s*v[I+1]\nout y = sum(t)\n",
        NULL);
    ilex_program *p = compiled(m);
    ck_assert_ptr_null(ctx->facts);
    ck_assert_ptr_null(ctx->proof);
    ck_assert_ptr_null(ctx->in_force);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* ---- many ---- */

/* What is needed of 100 assumptions is found in time that does not multiply. */
START_TEST(many)
{
    char text[64];
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "s%d >= s%d + 1", i + 1, i);
        assume(text);
    }
    ck_assert_int_eq(ilex_input(ctx, "x", ILEX_F64, "s9-s3-6")->env->n, 6);
    ck_assert_str_eq(env(ilex_input(ctx, "x", ILEX_F64, "s1-s0-1")),
                     "s1 >= s0+1");
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "s%d-s%d", i + 1, i);
        ck_assert_int_eq(ilex_input(ctx, "y", ILEX_F64, text)->env->n, 1);
    }
    check_fine();
}
END_TEST

int
main(void)
{
    return RUN_TESTS("env", none_needed, least_needed, taken_over, refuted,
                     same_elsewhere, inherited, on_the_way, errors,
                     contradictions, chain_of_three, two_programs,
                     self_contained, brought_along, out_of_a_program, written,
                     compiling, many);
}
