/* SPDX-License-Identifier: MIT
 *
 * What the tests of the graph and the compiler share: a context, forms and
 * domains from text, random numbers, units that went through some passes,
 * programs that run on numbers, and the runner.
 */
#ifndef ILEX_TESTS_UNIT_GRAPH_FIXTURE_H
#define ILEX_TESTS_UNIT_GRAPH_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/tree/tree.h"
#include "ilex.h"
#include "lib/syntax/parse.h"
#include "tests/suite.h"

static ilex_context *ctx;

static inline void
open_context(void)
{
    ctx = ilex_context_new(NULL);
    ck_assert_ptr_nonnull(ctx);
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "reference"), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "verify", "1"), ILEX_OK);
}

static inline void
close_context(void)
{
    ilex_context_free(ctx);
}

/* ---- forms and domains ---- */

static inline const ix_lin *
lin(const char *text)
{
    const ix_lin *a = ix_parse_text_lin(ctx, text);
    ck_assert_msg(a != NULL, "%s", ilex_error_text(ctx));
    return a;
}

static inline const ix_domain *
domain(const char *text)
{
    const ix_domain *d = ix_parse_text_domain(ctx, text, NULL, NULL);
    ck_assert_msg(d != NULL, "%s", ilex_error_text(ctx));
    return d;
}

static inline void
assume(const char *text)
{
    ck_assert_msg(!ilex_assume(ctx, text), "%s", ilex_error_text(ctx));
}

/* The same as facts: provers use it and owe nothing. */
static inline void
given(const char *text)
{
    const ix_env *in_force = ctx->in_force;
    ctx->in_force = ctx->facts;
    assume(text);
    ctx->facts = ctx->in_force;
    ctx->in_force = in_force;
}

/* The recorded error, which is cleared. */
static inline ilex_status
take_error(void)
{
    ilex_status code = ilex_error_code(ctx);
    ilex_error_clear(ctx);
    return code;
}

static inline void
check_fine(void)
{
    ck_assert_msg(!ilex_error_code(ctx), "%s", ilex_error_text(ctx));
}

/* ---- random numbers ---- */

static uint64_t seed = 1;

/* A number from lo to hi. */
static inline int64_t
draw(int64_t lo, int64_t hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (int64_t)((seed >> 33) % (uint64_t)(hi - lo + 1));
}

/* ---- modules and units ---- */

static inline ilex_module *
parse(const char *text)
{
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    return m;
}

/* Passes that transform loops are left out; kernels are for a GPU. */
static bool naive, for_grid;

/* Runs the passes up to and with "last". */
static inline void
run_passes(ix_unit *u, ilex_module *m, const char *last)
{
    memset(u, 0, sizeof *u);
    u->ctx = ctx;
    u->module = m;
    u->target = &ix_targets[for_grid ? IX_TARGET_cuda : IX_TARGET_generic];
    ctx->facts = m->env;
    ix_unit_begin(u);
    if (!IX_ARENA_TRY(&u->arena))
        ck_abort_msg("out of memory");
    u->naive = naive;
#define RUN_PASS(name, condition)                                              \
    ck_assert_msg(!(condition) ||                                              \
                      (ix_pass_##name(u) && ix_verify_unit(u, #name)),         \
                  "%s: %s", #name, ilex_error_text(ctx));                      \
    if (!strcmp(last, #name))                                                  \
        return;
#define IX_PASS(name, before, after, meaning) RUN_PASS(name, true)
#define IX_TRANSFORMATION(name, before, after, meaning) RUN_PASS(name, !naive)
#include "compiler/passes.def"
    ck_abort_msg("there is no pass %s", last);
}

static inline void
free_unit(ix_unit *u)
{
    ctx->facts = NULL;
    ix_arena_free(&u->arena);
    ilex_module_free(u->module);
}

/* ---- programs ---- */

static inline ilex_program *
compile(const char *text)
{
    ilex_module *m = parse(text);
    ilex_program *p = ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    return p;
}

static inline void
run_program(const ilex_program *p, const ilex_binding *bindings, size_t n)
{
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, bindings, n, &call), "%s", call.error);
}

#define SHAPE(...) ((int64_t[]){__VA_ARGS__})

/* A storage of i64 with the elements 0, 1, 2, ... in C order. */
static inline ilex_storage *
counting(int rank, const int64_t *shape)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_I64, rank, shape);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    int64_t *data = ilex_storage_data(s);
    for (int64_t i = 0; i < ilex_storage_count(s); i++)
        data[i] = i;
    return s;
}

/* ---- the runner ---- */

static inline int
run_tests(const char *name, const TTest *const *test, size_t n)
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, open_context, close_context);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tests, test[i]);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

#define RUN_TESTS(name, ...)                                                   \
    run_tests(name, (const TTest *const[]){__VA_ARGS__},                       \
              sizeof((const TTest *const[]){__VA_ARGS__}) /                    \
                  sizeof(const TTest *))

#endif
