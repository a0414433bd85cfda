/* SPDX-License-Identifier: MIT
 *
 * Carrying out the steps of a run: their order, what kernels complain of, and
 * the memory of temporaries that programs keep.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

/* A column sum that is stored, a reduction that needs an element. */
static const char text[] = "ilex 1\nprogram walked\nsize n, m\n"
                           "in u : f64[I:n, J:m]\nin unread : f64[I:n]\n"
                           "let s = max[I](u)\n"
                           "out v : f64[I:n, J:m] = u - s\n";

static ilex_program *
compile_compiled(void)
{
    ilex_option_set(ctx, "jit", ix_jit_tcc_available() ? "tcc" : "cc");
    ilex_option_set(ctx, "order", "C"); /* and no variant for few rows */
    return compile(text);
}

typedef struct arguments {
    ilex_storage *s[3];
    ilex_binding bound[3];
} arguments;

static void
open_arguments(arguments *a, int64_t n, int64_t m)
{
    static const char *const names[] = {"u", "unread", "v"};
    for (int i = 0; i < 3; i++) {
        a->s[i] =
            ilex_storage_zeros(ctx, ILEX_F64, i == 1 ? 1 : 2, SHAPE(n, m));
        a->bound[i] = (ilex_binding)ILEX_BIND(names[i], a->s[i]);
    }
    double *u = ilex_storage_data(a->s[0]);
    for (int64_t i = 0; i < n * m; i++)
        u[i] = (double)i;
}

static void
close_arguments(arguments *a)
{
    for (int i = 0; i < 3; i++)
        ilex_storage_release(a->s[i]);
}

/* v[0, 0] is u[0, 0] less the largest of its column. */
static bool
is_right(const arguments *a, int64_t n, int64_t m)
{
    return *(const double *)ilex_storage_const_data(a->s[2]) ==
           (double)(-(n - 1) * m);
}

/* ---- the list ---- */

START_TEST(steps_as_text)
{
    static const char want[] =
        "program walked\n"
        "  test      max over [0, n) for [0, m)\n"
        "  transfer  in  b0 u : f64 on [0, n), [0, m)\n"
        "  transfer  out b2 v : f64 on [0, n), [0, m)\n"
        "  alloc     slot 0 for b3 : f64 on [0, m)\n"
        "  launch    k0 on [0, m): writes b3; buffers b0 b3; strides b0.0 b0.1 "
        "b3.0; sizes n\n"
        "  launch    k1 on [0, n), [0, m): writes b2; buffers b0 b2 b3; "
        "strides "
        "b0.0 b0.1 b2.0 b2.1 b3.0; sizes m\n"
        "  free      slot 0\n";
    ilex_option_set(ctx, "jit", "cc");
    ilex_option_set(ctx, "target", "generic"); /* no streams */
    ilex_module *m = parse(text);
    char *have = ilex_module_stage(m, "steps");
    ck_assert_str_eq(have, want);
    ilex_text_free(ctx, have);
    ilex_module_free(m);
}
END_TEST

/* ---- an engine that writes down what it is asked for ---- */

static char log_text[400];
static int failing = -1; /* kernel */

static void
note(const char *what, int64_t i)
{
    size_t n = strlen(log_text);
    snprintf(log_text + n, sizeof log_text - n, "%s%lld ", what, (long long)i);
}

static ilex_status
note_begin(ix_run *r)
{
    (void)r;
    note("begin", 0);
    return ILEX_OK;
}

static ilex_status
note_transfer(ix_run *r, size_t i)
{
    note("transfer", (int64_t)i);
    return ix_engine_host.transfer(r, i);
}

static ilex_status
note_allocate(ix_run *r, size_t bytes, char **memory)
{
    note("allocate", (int64_t)bytes);
    return ix_engine_host.allocate(r, bytes, memory);
}

static ilex_status
note_launch(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    ck_assert_int_eq(lo, 0);
    note("launch", hi);
    return (int)i == failing ? ix_fail(r->err, ILEX_E_DEVICE, "no launch")
                             : ILEX_OK;
}

static ilex_status
note_wait(ix_run *r)
{
    note(r->workspace ? "wait" : "late", 0);
    return ILEX_OK;
}

START_TEST(order_of_steps)
{
    static const ix_engine engine = {.begin = note_begin,
                                     .transfer = note_transfer,
                                     .allocate = note_allocate,
                                     .launch = note_launch,
                                     .wait = note_wait};
    ilex_program *p = compile_compiled();
    ix_backend backend = *p->backend;
    arguments a;
    ilex_call call = {.size = sizeof call};
    backend.engine = &engine;
    p->backend = &backend;
    open_arguments(&a, 5, 8);
    ck_assert_int_eq(ilex_run(p, a.bound, 3, NULL), ILEX_OK);
    ck_assert_str_eq(log_text, "begin0 transfer0 transfer2 allocate64 launch8 "
                               "launch5 wait0 ");
    /* what was launched before a failure is waited for */
    for (failing = 0; failing < 2; failing++) {
        *log_text = 0;
        ck_assert_int_eq(ilex_run(p, a.bound, 3, &call), ILEX_E_DEVICE);
        ck_assert_str_eq(call.error, "no launch");
        ck_assert_str_eq(
            log_text, failing ? "begin0 transfer0 transfer2 allocate64 launch8 "
                                "launch5 wait0 "
                              : "begin0 transfer0 transfer2 allocate64 launch8 "
                                "wait0 ");
    }
    close_arguments(&a);
    /* nothing is written, copied or launched where a test fails */
    open_arguments(&a, 0, 8);
    *log_text = 0;
    ck_assert_int_eq(ilex_run(p, a.bound, 3, &call), ILEX_E_EMPTY_REDUCTION);
    ck_assert_str_eq(log_text, "begin0 ");
    close_arguments(&a);
    ilex_program_release(p);
}
END_TEST

/* ---- statuses ---- */

static int64_t seen[2]; /* calls, scratch that was not NULL */

/* A kernel that dislikes every index from 3 on, the later the sooner. */
static int32_t
complain(const void *args, int64_t begin, int64_t end, ix_local *local)
{
    (void)args;
    __atomic_fetch_add(&seen[0], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&seen[1], local->scratch != NULL, __ATOMIC_RELAXED);
    if (end <= 3)
        return 0;
    local->node = 0;
    local->index = begin < 3 ? 3 : begin;
    local->value = 100 + local->index;
    return 1;
}

/* The first complaint ends the run, the same for any number of threads. */
START_TEST(status_is_read)
{
    ilex_program *p = compile_compiled();
    arguments a;
    open_arguments(&a, 5, 16);
    p->first->kernel[0] = complain;
    ix_check_row check = {'i', "x", "", "I"};
    ((ix_tables *)(uintptr_t)p->c->tables)->check = &check;
    for (int threads = 1; threads < 6; threads++) {
        ilex_call call = {.size = sizeof call, .threads = threads};
        seen[0] = 0;
        ck_assert_int_eq(ilex_run(p, a.bound, 3, &call), ILEX_E_BOUNDS);
        ck_assert_msg(strstr(call.error, "walked: index 103 of "), "%s",
                      call.error);
        int parts = threads > 1 ? 4 * threads : 1;
        ck_assert_int_eq(seen[0], parts < 16 ? parts : 16);
        ck_assert_int_eq(seen[1], 0);
    }
    close_arguments(&a);
    ilex_program_release(p);
}
END_TEST

/* ---- workspace ---- */

static long
faults(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
}

/* A steady run touches no new page. */
START_TEST(no_new_pages)
{
    enum { N = 1 << 17, M = 40 }; /* a temporary of 40 MiB */
    static const char pages[] =
        "ilex 1\nprogram pages\nsize n, m\nassume m >= 1\nin u : f64[n, m]\n"
        "in w : f64[m, m]\n"
        "einsum t[i, k] = u[i, j]*w[j, k]\n"
        "map r[n, m] = t[_0, m - 1 - _1]\n"
        "out v : f64[n, m] = r\n";
    ilex_option_set(ctx, "jit", ix_jit_tcc_available() ? "tcc" : "cc");
    ilex_program *p = compile(pages);
    ilex_storage *u = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(N, M));
    ilex_storage *w = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(M, M));
    ilex_storage *v = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(N, M));
    ilex_binding bound[] = {ILEX_BIND("u", u), ILEX_BIND("w", w),
                            ILEX_BIND("v", v)};
    const ilex_size_binding sizes[] = {{"n", N}, {"m", M}};
    ck_assert_int_gt(ilex_program_workspace(p, sizes, 2, 1), 39 << 20);
    long before = 0, third;
    for (int i = 0; i < 3; i++) {
        before = faults();
        run_program(p, bound, 3);
    }
    third = faults() - before;
    ck_assert_msg(SANITIZED || third <= 4, "%ld page faults", third);
    ck_assert_uint_ge(ilex_program_trim(p), 39u << 20);
    ck_assert_uint_eq(ilex_program_trim(p), 0);
    run_program(p, bound, 3);
    ilex_storage_release(u);
    ilex_storage_release(w);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

/* A block serves smaller runs, and is replaced by a larger one. */
START_TEST(grows)
{
    ilex_program *p = compile_compiled();
    static const int64_t columns[] = {8, 1000, 8, 1000, 4000};
    static const size_t want[] = {64, 8000, 8000, 8000, 32000};
    for (size_t i = 0; i < IX_COUNT(columns); i++) {
        arguments a;
        open_arguments(&a, 3, columns[i]);
        run_program(p, a.bound, 3);
        ck_assert(is_right(&a, 3, columns[i]));
        close_arguments(&a);
        ix_workspace *w =
            ix_workspace_take(p->workspaces, IX_SPACE_NORMAL, 0, 1, NULL);
        ck_assert_uint_eq(w->bytes, want[i]);
        ix_workspace_give(p->workspaces, w);
    }
    ilex_program_release(p);
}
END_TEST

/* A block that is too small is not used again. */
START_TEST(too_small)
{
    ix_workspaces *all = ix_workspaces_new(&ix_mem_default);
    for (size_t bytes = 1000; bytes < 4000; bytes += 900) {
        ix_workspace *w =
            ix_workspace_take(all, IX_SPACE_NORMAL, 0, bytes, NULL);
        ck_assert_uint_ge(w->bytes, bytes);
        memset(w->memory, 1, bytes);
        ix_workspace_give(all, w);
        ck_assert_uint_eq(ix_workspaces_trim(all), bytes);
        w = ix_workspace_take(all, IX_SPACE_NORMAL, 0, bytes, NULL);
        ix_workspace_give(all, w);
    }
    ix_workspaces_free(all);
}
END_TEST

/* Not more is kept than the limits say; one block of any size is. */
START_TEST(capped)
{
    ix_workspaces *all = ix_workspaces_new(&ix_mem_default);
    ix_workspace *w[40];
    for (int i = 0; i < 40; i++)
        w[i] = ix_workspace_take(all, IX_SPACE_NORMAL, 0, 1000, NULL);
    for (int i = 0; i < 40; i++)
        ix_workspace_give(all, w[i]);
    ck_assert_uint_eq(ix_workspaces_trim(all), 16 * 1000);
    for (int i = 0; i < 3; i++)
        w[i] = ix_workspace_take(all, IX_SPACE_NORMAL, 0, 200 << 20, NULL);
    for (int i = 0; i < 3; i++)
        ix_workspace_give(all, w[i]);
    ck_assert_uint_eq(ix_workspaces_trim(all), 200 << 20);
    w[0] = ix_workspace_take(all, IX_SPACE_NORMAL, 0, 300 << 20, NULL);
    ix_workspace_give(all, w[0]);
    ix_workspaces_free(all);
}
END_TEST

static void *
run_often(void *program)
{
    bool ok = true;
    arguments a;
    for (int i = 0; ok && i < 40; i++) {
        int64_t m = 8 + 100 * (i % 7);
        open_arguments(&a, 4, m);
        ok = !ilex_run(program, a.bound, 3, NULL) && is_right(&a, 4, m);
        close_arguments(&a);
        if (i % 9 == 0)
            ilex_program_trim(program);
    }
    ilex_program_release(program);
    return ok ? program : NULL;
}

START_TEST(many_threads)
{
    ilex_program *p = compile_compiled();
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(
            pthread_create(&thread[i], NULL, run_often, ilex_program_retain(p)),
            0);
    ilex_program_release(p);
    for (int i = 0; i < 8; i++) {
        void *ok = NULL;
        pthread_join(thread[i], &ok);
        ck_assert_ptr_nonnull(ok);
    }
}
END_TEST

static const ilex_program *forked_program;

/* Runs the kernel's parts after a child has run the same program, while its
 * parent's workspace is checked out. */
static void
fork_first(void *user, void (*body)(void *arg, int64_t i), void *arg, int64_t n)
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        arguments a;
        alarm(30);
        open_arguments(&a, 6, 16);
        bool ok = !ilex_run(forked_program, a.bound, 3, NULL) &&
                  is_right(&a, 6, 16) &&
                  ilex_program_trim(forked_program) == 128;
        _exit(ok ? 0 : 1);
    }
    ++*(int *)user;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    while (n-- > 0)
        body(arg, n);
}

START_TEST(forked_while_checked_out)
{
    ilex_program *p = compile_compiled();
    int forks = 0;
    arguments a;
    ilex_call call = {.size = sizeof call,
                      .threads = 2,
                      .parallel_for = fork_first,
                      .user = &forks};
    forked_program = p;
    open_arguments(&a, 6, 16);
    ck_assert_int_eq(ilex_run(p, a.bound, 3, &call), ILEX_OK);
    ck_assert(is_right(&a, 6, 16));
    ck_assert_int_eq(forks, 2);
    ck_assert_uint_eq(ilex_program_trim(p), 128);
    close_arguments(&a);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("steps", steps_as_text, order_of_steps, status_is_read,
                     no_new_pages, grows, capped, too_small, many_threads,
                     forked_while_checked_out);
}
