/* SPDX-License-Identifier: MIT
 *
 * Running one suite: how every test program ends.
 */
#ifndef ILEX_TESTS_SUITE_H
#define ILEX_TESTS_SUITE_H

#include <check.h>

/* Is the program compiled for the sanitizer of addresses or threads? It keeps
 * freed memory mapped, has wide frames, and a child may wait for its locks for
 * ever. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

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
