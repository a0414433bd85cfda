/* SPDX-License-Identifier: MIT
 *
 * Every error a user can meet, one row each.
 */
#include "tests/error/errors.h"

int
main(void)
{
    SRunner *runner = srunner_create(text_errors_suite());
    srunner_add_suite(runner, build_errors_suite());
    srunner_add_suite(runner, storage_errors_suite());
    srunner_add_suite(runner, run_errors_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
