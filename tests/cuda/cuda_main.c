/* SPDX-License-Identifier: MIT
 *
 * check-cuda: skips with one line and exit status 77 where there is no CUDA
 * device. Tests run in processes of their own: a context of the driver does
 * not survive fork(), so that this process never opens one.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/cuda_test.h"

/* Asks the driver in a child what there is: one line in "text". */
static bool
probe(char *text, size_t size)
{
    int ends[2], status = 1;
    if (pipe(ends) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        ix_error err;
        ix_error_clear(&err);
        const ix_driver *driver = ix_cuda_driver(&err);
        dup2(ends[1], STDOUT_FILENO);
        if (driver)
            printf("%d CUDA device%s", driver->devices(),
                   driver->devices() == 1 ? "" : "s");
        else
            printf("%s", err.text);
        fflush(stdout);
        _exit(driver == NULL);
    }
    close(ends[1]);
    ssize_t n = pid > 0 ? read(ends[0], text, size - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    close(ends[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Allocation, copies, states, exchange; the number of failures. */
static int
run_memory(void)
{
    Suite *suite = suite_create("cuda");
    TCase *faults = cuda_fault_cases();
    suite_add_tcase(suite, cuda_memory_cases());
    suite_add_tcase(suite, cuda_sync_cases());
    suite_add_tcase(suite, cuda_exchange_cases());
    if (faults)
        suite_add_tcase(suite, faults);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

int
main(void)
{
    char text[700];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!probe(text, sizeof text)) {
        printf("check-cuda: skipped: %s\n", text);
        return 77;
    }
    printf("check-cuda: %s\n", text);
    return run_memory() != 0;
}
