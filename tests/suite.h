/* SPDX-License-Identifier: MIT
 *
 * Running one suite: how every test program ends.
 */
#ifndef ILEX_TESTS_SUITE_H
#define ILEX_TESTS_SUITE_H

#include <check.h>

/* Runs and frees the suite; the exit status. */
static inline int
run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
