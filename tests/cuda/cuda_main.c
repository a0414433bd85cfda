/* SPDX-License-Identifier: MIT
 *
 * check-cuda: memory, then the kernels of the golden files.
 *
 *     cuda [--memory | --kernels | --probe] [--file=NAME] [--jobs=N]
 *
 * --probe only says what devices there are.
 * It skips with one line and exit status 77 where there is no CUDA device.
 * Tests run in processes of their own: a context of the driver does not survive
 * fork(), so that this process never opens one. ILEX_GOLDEN_DIR is the
 * directory of the golden files.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/cuda_test.h"
#include "tests/golden/golden_jobs.h"

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
    suite_add_tcase(suite, cuda_program_cases());
    suite_add_tcase(suite, cuda_kernels_cases());
    suite_add_tcase(suite, cuda_prepared_cases());
    suite_add_tcase(suite, cuda_foreign_cases());
    if (faults)
        suite_add_tcase(suite, faults);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

/* Every kernel of the golden files; 77 if it cannot be launched here. */
static int
run_kernels(const char *file, int processes)
{
    golden_options o = {.file = file, .kernels = true, .processes = processes};
    golden_options_backends(&o, "cuda");
    golden_totals sum = golden_files_run(&o);
    if (sum.failed || sum.passed + sum.skipped == 0)
        return 1;
    return sum.passed ? 0 : 77;
}

/* What to do; all of it unless the command line says. */
typedef struct options {
    bool memory, kernels;
    const char *file;
    int processes;
} options;

static bool
read_options(options *o, int argc, char **argv)
{
    *o = (options){true, true, NULL, (int)sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--memory"))
            o->kernels = false;
        else if (!strcmp(argv[i], "--kernels"))
            o->memory = false;
        else if (!strcmp(argv[i], "--probe"))
            o->memory = o->kernels = false;
        else if (!strncmp(argv[i], "--file=", 7))
            o->file = argv[i] + 7;
        else if (!strncmp(argv[i], "--jobs=", 7))
            o->processes = (int)(strtoul(argv[i] + 7, NULL, 10) % 64);
        else
            return false;
    }
    return true;
}

int
main(int argc, char **argv)
{
    char text[700];
    options o;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: cuda [--memory | --kernels | --probe] "
                        "[--file=NAME] [--jobs=N]\n");
        return 2;
    }
    if (!probe(text, sizeof text)) {
        printf("check-cuda: skipped: %s\n", text);
        return 77;
    }
    printf("check-cuda: %s\n", text);
    int failed = o.memory ? run_memory() : 0;
    int kernels = o.kernels ? run_kernels(o.file, o.processes) : 0;
    if (kernels == 77)
        printf("check-cuda: kernels skipped, see above\n");
    return failed ? 1 : kernels;
}
