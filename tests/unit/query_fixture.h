/* SPDX-License-Identifier: MIT
 *
 * What the tests of queries share: formulas with their numbers, and programs
 * for each back end.
 */
#ifndef ILEX_TESTS_UNIT_QUERY_FIXTURE_H
#define ILEX_TESTS_UNIT_QUERY_FIXTURE_H

#include "tests/formula.h"
#include "tests/unit/graph_fixture.h"

/* What a formula gives. */
static inline int64_t
value_of(const char *text, const ilex_size_binding *size, size_t n, int threads)
{
    int64_t value;
    ck_assert_msg(formula_value(text, size, n, threads, &value),
                  "cannot be read: '%s'", text);
    return value;
}

/* A program and the least that its sizes may be. */
typedef struct sample {
    const char *fuse, *box;
    int64_t least;
    const char *text;
} sample;

#define HEAD "ilex 1\nprogram p\nsize n, m\n"
static const char *const jits[] = {"reference", "tcc", "cc", "nvrtc"};

/* NULL where the back end was not built. */
static inline ilex_program *
compile_for(const char *jit, const sample *s)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "fuse", s->fuse), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "box", s->box), ILEX_OK);
    ilex_module *m = parse(s->text);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    if (!p && ilex_error_code(ctx) == ILEX_E_UNSUPPORTED) {
        take_error();
        return NULL;
    }
    ck_assert_msg(p != NULL, "%s: %s", ilex_error_text(ctx), s->text);
    return p;
}

#endif
