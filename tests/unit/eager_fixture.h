/* SPDX-License-Identifier: MIT
 *
 * Storages of counted elements for the tests of eager operators, and sums that
 * succeed or are refused.
 */
#ifndef ILEX_TESTS_EAGER_FIXTURE_H
#define ILEX_TESTS_EAGER_FIXTURE_H

#include <string.h>

#include "runtime/eager/eager.h"
#include "tests/unit/storage_fixture.h"

/* A storage of i64 by "spec" whose elements are 1, 2, 3, ... in C order times
 * "unit"; the test fails if there is none. */
static inline ilex_storage *
make(ilex_storage_spec spec, int64_t unit)
{
    spec.dtype = "i64";
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    int64_t index[ILEX_MAX_RANK] = {0};
    for (int64_t i = 1; i <= ilex_storage_count(s); i++) {
        ck_assert_int_eq(ilex_storage_set_i64(s, index, i * unit), ILEX_OK);
        for (int k = s->rank - 1; k >= 0 && ++index[k] == s->shape[k]; k--)
            index[k] = 0;
    }
    return s;
}

static inline ilex_storage *
named(const char *axes, int rank, const int64_t *shape, int64_t unit)
{
    return make(SPEC(.rank = rank, .shape = shape, .axes = axes), unit);
}

/* a + b; takes both. The test fails if it is refused. */
static inline ilex_storage *
sum_of(ilex_storage *a, ilex_storage *b)
{
    ilex_storage *x[] = {a, b};
    ilex_storage *y = ilex_eager(ctx, "add", 2, x, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_release(a);
    ilex_storage_release(b);
    return y;
}

/* a + b is refused with "want"; takes both. */
static inline void
refuse_sum(ilex_storage *a, ilex_storage *b, ilex_storage *out,
           ilex_status want)
{
    ilex_storage *x[] = {a, b};
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, out));
    ck_assert_msg(ilex_error_code(ctx) == want, "%s", ilex_error_text(ctx));
    take_error();
    ilex_storage_release(a);
    ilex_storage_release(b);
}

static inline void
check_axes(const ilex_storage *s, const char *const *axes, int rank)
{
    ck_assert_int_eq(s->rank, rank);
    for (int k = 0; k < rank; k++)
        ck_assert_str_eq(ilex_storage_axis_name(s, k), axes[k]);
}

#define AXES(s, ...)                                                           \
    check_axes(s, (const char *[]){__VA_ARGS__},                               \
               (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

#endif
