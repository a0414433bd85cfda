/* SPDX-License-Identifier: MIT
 *
 * Two ways to use threads. A program is immutable: any number of threads may
 * run it at once, each over its own storages. And one run may use several
 * threads, by the member `threads` of its call (or the option of that name),
 * with the same bits as one thread gives.
 */
#include <ilex.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 4, RUNS = 50, N = 20000 };

/* What one thread works on. */
typedef struct worker {
    const ilex_program *program;
    ilex_storage *x, *y;
    double shift;
    int threads, wrong;
} worker;

/* Runs the program again and again and looks at every result. */
static void *
work(void *arg)
{
    worker *w = arg;
    double *x = ilex_storage_data(w->x), *y = ilex_storage_data(w->y);
    ilex_binding args[] = {ILEX_BIND("x", w->x), ILEX_BIND("y", w->y)};
    for (int run = 0; run < RUNS; run++) {
        ilex_call call = {.size = sizeof call, .threads = w->threads};
        for (int i = 0; i < N; i++)
            x[i] = i + w->shift + run;
        if (ilex_run(w->program, args, 2, &call) != ILEX_OK) {
            fprintf(stderr, "%s\n", call.error);
            w->wrong++;
        }
        for (int i = 0; i < N; i++)
            w->wrong += y[i] != x[i] * x[i] + 1;
    }
    return NULL;
}

int
main(void)
{
    pthread_t thread[WORKERS];
    worker w[WORKERS] = {0};
    int64_t shape[] = {N};
    int wrong = 0;
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_expr(ctx, "x*x + 1", "x", x, NULL);
    ilex_compile_spec spec = {.size = sizeof spec,
                              .names = (const char *[]){"y"}};
    ilex_program *p = ilex_compile(ctx, 1, &y, &spec);
    if (!p) {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_context_free(ctx);
        return 1;
    }
    for (int i = 0; i < WORKERS; i++) {
        w[i] = (worker){p,
                        ilex_storage_zeros(ctx, ILEX_F64, 1, shape),
                        ilex_storage_zeros(ctx, ILEX_F64, 1, shape),
                        1000.0 * i,
                        1 + i % 3,
                        0};
        wrong |= !w[i].x || !w[i].y;
    }
    ilex_context_free(ctx); /* programs and storages live on */

    int started = 0;
    while (started < WORKERS && !wrong &&
           pthread_create(&thread[started], NULL, work, &w[started]) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < WORKERS; i++) {
        printf("worker %d: %d runs of %d elements on %d threads, %d wrong\n", i,
               RUNS, N, w[i].threads, w[i].wrong);
        wrong |= w[i].wrong != 0;
        ilex_storage_release(w[i].x);
        ilex_storage_release(w[i].y);
    }
    ilex_program_release(p);
    return wrong || started != WORKERS;
}
