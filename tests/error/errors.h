/* SPDX-License-Identifier: MIT
 *
 * What the error tables share: the suites of this program, and the check that
 * a call failed with the right code and message.
 */
#ifndef ILEX_TESTS_ERROR_ERRORS_H
#define ILEX_TESTS_ERROR_ERRORS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilex.h"

Suite *text_errors_suite(void);
Suite *build_errors_suite(void);
Suite *storage_errors_suite(void);
Suite *run_errors_suite(void);

/* "code" and "message" are what row "row" wants: this code, this fragment. */
static inline void
check_error(const char *row, ilex_status code, const char *message,
            ilex_status want, const char *fragment)
{
    ck_assert_msg(code == want, "%s: %s, not %s: %s", row,
                  ilex_status_name(code), ilex_status_name(want), message);
    ck_assert_msg(strstr(message, fragment) != NULL, "%s: no \"%s\" in: %s",
                  row, fragment, message);
}

#endif
