/* SPDX-License-Identifier: MIT
 *
 * Storages with a host and a device buffer, whatever the device is: the fake
 * one of device_fixture.h or the driver's.
 */
#ifndef ILEX_TESTS_PAIR_FIXTURE_H
#define ILEX_TESTS_PAIR_FIXTURE_H

#include "tests/unit/storage_fixture.h"

/* "n" elements of f64 on both sides, all of one value. */
static inline ilex_storage *
pair(int64_t n, double value)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = &n, .device = "gpu",
                                    .name = "u", .fill = &value));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

static inline double
get(const ilex_storage *s, int64_t i)
{
    double v = -1;
    ck_assert_int_eq(ilex_storage_get_f64(s, &i, &v), ILEX_OK);
    return v;
}

#endif
