/* SPDX-License-Identifier: MIT
 *
 * Programs of jit=nvrtc and eager operators over storages of a device: what is
 * copied, what goes by value, what is refused, and first runs by many threads
 * at once, with a fork or a release in between.
 */
#define _GNU_SOURCE
#include "tests/cuda/cuda_test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/program/program.h"
#include "tests/cuda/fake.h"

/* A sum that is stored, a number, a stencil. */
static const char text[] = "ilex 1\nprogram smooth\nsize n\n"
                           "in a : f64\nin unread : f32[n]\nin x : f64[n]\n"
                           "map s[] = sum[t:n](x[t])\n"
                           "map r[n] = a*x[n - 1 - _0] + s[]\n"
                           "out y : f64[n] = r\n";

enum { N = 1000 };

typedef struct arguments {
    ilex_storage *s[3];
    ilex_binding bound[4];
    ilex_storage *unread;
    ilex_call call;
} arguments;

static void
open_arguments(arguments *r, where a, where x, where y)
{
    memset(r, 0, sizeof *r);
    r->s[0] = make(a, 0, N, 2);
    r->s[1] = make(x, 1, N, 0.5);
    r->s[2] = make(y, 1, N, -1);
    r->unread = ilex_storage_zeros(ctx, ILEX_F32, 1, SHAPE(N));
    r->bound[0] = (ilex_binding)ILEX_BIND("a", r->s[0]);
    r->bound[1] = (ilex_binding)ILEX_BIND("x", r->s[1]);
    r->bound[2] = (ilex_binding)ILEX_BIND("y", r->s[2]);
    r->bound[3] = (ilex_binding)ILEX_BIND("unread", r->unread);
    r->call.size = sizeof r->call;
}

static void
close_arguments(arguments *r)
{
    for (int i = 0; i < 3; i++)
        ilex_storage_release(r->s[i]);
    ilex_storage_release(r->unread);
}

/* What controls the fake driver; NULL on a real one. */
static void *
fake_control(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, "fake_cuda_control") : NULL;
}

/* Over the fake driver: all launches are done, and were before anything they
 * may use was given back. */
static void
check_settled(void)
{
    void (*control)(const char *, int, int, fake_state *);
    void *p = fake_control();
    fake_state s;
    if (!p)
        return;
    memcpy(&control, &p, sizeof control);
    control(NULL, 0, 0, &s);
    ck_assert_int_eq(s.pending, 0);
    ck_assert_int_eq(s.early, 0);
}

static ilex_status
run(const ilex_program *p, arguments *r)
{
    ilex_status rc = ilex_run(p, r->bound, 4, &r->call);
    check_settled();
    return rc;
}

/* y = 2*0.5 + 1000*0.5 everywhere, wherever it lies. */
static bool
is_right(const ilex_storage *y)
{
    ilex_storage *h = ilex_storage_to(ctx, (ilex_storage *)(uintptr_t)y, "cpu");
    ck_assert_msg(h != NULL, "%s", ilex_error_text(ctx));
    bool ok = get(h, 0) == 501 && get(h, N / 2) == 501 && get(h, N - 1) == 501;
    ilex_storage_release(h);
    return ok;
}

/* ---- where arguments lie ---- */

START_TEST(places_of_arguments)
{
    ilex_program *p = compile(text);
    arguments r;
    open_arguments(&r, places[_i].a, places[_i].x, places[_i].y);
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(!run(p, &r), "%s", r.call.error);
        ck_assert(is_right(r.s[2]));
    }
    if (places[_i].y == PAIR && places[_i].x == PAIR) {
        /* x went up once; y went up for what a run does not write */
        ilex_transfers x = ilex_storage_transfers(r.s[1]);
        ck_assert_int_eq(x.to_device, 1);
        ck_assert_int_eq(x.to_host, 0);
        ck_assert_int_eq(x.implicit, 1);
        ck_assert_int_eq(ilex_storage_transfers(r.s[0]).to_device, 0);
    }
    close_arguments(&r);
    ilex_program_release(p);
}
END_TEST

/* What a run does not write of a pair stays, though only the host had it. */
START_TEST(part_of_a_pair)
{
    double old = 9;
    ilex_program *p = compile(text);
    arguments r;
    open_arguments(&r, HOST, PAIR, PAIR);
    ilex_storage *whole =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(N + 2),
                                    .device = "gpu", .fill = &old));
    ilex_storage *part = ilex_storage_slice(ctx, whole, 0, 1, N + 1, 1);
    r.bound[2].storage = part;
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(is_right(part));
    ck_assert(get(whole, 0) == 9 && get(whole, N + 1) == 9);
    ilex_storage_release(part);
    ilex_storage_release(whole);
    close_arguments(&r);
    ilex_program_release(p);
}
END_TEST

/* A pair whose device side is newer goes by pointer, else by value. */
START_TEST(newer_number)
{
    ilex_program *p = compile(text);
    arguments r;
    open_arguments(&r, PAIR, PAIR, PAIR);
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(is_right(r.s[2]));
    device_set(r.s[0], 0, 4);
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(get(r.s[2], 7) == 502);
    ck_assert_int_eq(ilex_storage_transfers(r.s[0]).to_host, 0);
    ck_assert_int_eq(ilex_storage_set_f64(r.s[0], SHAPE(0), 6), ILEX_OK);
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(get(r.s[2], 7) == 503);
    close_arguments(&r);
    ilex_program_release(p);
}
END_TEST

/* transfers=strict: what must be copied is an error, nothing is written. */
START_TEST(strict_transfers)
{
    arguments r;
    ilex_program *p = compile(text);
    ck_assert_int_eq(ilex_option_set(ctx, "transfers", "strict"), ILEX_OK);
    open_arguments(&r, HOST, PAIR, GPU);
    ck_assert_int_eq(run(p, &r), ILEX_E_TRANSFER);
    ck_assert_msg(strstr(r.call.error, "strict") != NULL, "%s", r.call.error);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, r.s[1]), ILEX_OK);
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(is_right(r.s[2]));
    close_arguments(&r);
    ilex_program_release(p);
}
END_TEST

/* ---- indices that are data ---- */

/* A program that overwrites its indices names the first one outside as it was,
 * whatever other threads find and store. */
START_TEST(index_in_place)
{
    ilex_program *p = compile("ilex 1\nprogram chase\nsize n\nin x : i64[n]\n"
                              "in u : i64[n]\n"
                              "out y : i64[n] = u[x] inplace x\n");
    double one = 1, hundred = 100;
    ilex_storage_spec spec = SPEC(.dtype = "i64", .rank = 1, .shape = SHAPE(N),
                                  .device = "gpu", .fill = &one);
    ilex_storage *x = ilex_storage_new(ctx, &spec);
    spec.fill = &hundred;
    ilex_storage *u = ilex_storage_new(ctx, &spec);
    const ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("u", u),
                                  ILEX_BIND("y", x)};
    ilex_call call = {.size = sizeof call};
    for (int i = 0; i < 2; i++) { /* forwards and backwards */
        ck_assert_int_eq(ilex_storage_fill(ctx, x, 1), ILEX_OK);
        int64_t *index = ilex_storage_data(x);
        index[3] = -N - 7;
        index[5] = N + 9;
        index[N - 1] = INT64_MIN;
        ck_assert_int_eq(ilex_run(p, bound, 3, &call), ILEX_E_BOUNDS);
        ck_assert_msg(strstr(call.error, "index -1007 of axis 0 is data and "
                                         "leaves [-1000, 1000)") != NULL,
                      "%s", call.error);
    }
    ilex_storage_release(x);
    ilex_storage_release(u);
    ilex_program_release(p);
}
END_TEST

/* ---- refused ---- */

START_TEST(out_of_reach)
{
    arguments r;
    ilex_program *p = compile(text);
    open_arguments(&r, HOST, HOST, PAIR);
    ck_assert_int_eq(run(p, &r), ILEX_E_DEVICE);
    ck_assert_msg(strstr(r.call.error,
                         "smooth: jit=nvrtc runs on a device, but "
                         "argument x lies on the host") != NULL,
                  "%s", r.call.error);
    close_arguments(&r);
    open_arguments(&r, HOST, PAIR, HOST);
    ck_assert_int_eq(run(p, &r), ILEX_E_DEVICE);
    ck_assert_ptr_nonnull(strstr(r.call.error, "argument y lies on the host"));
    close_arguments(&r);
    if (cuda()->devices() > 1) {
        open_arguments(&r, HOST, GPU1, GPU);
        ck_assert_int_eq(run(p, &r), ILEX_E_DEVICE);
        ck_assert_msg(strstr(r.call.error, "argument x lies on device 1, "
                                           "argument y on device 0") != NULL,
                      "%s", r.call.error);
        close_arguments(&r);
    }
    open_arguments(&r, HOST, GPU, GPU);
    static char memory[4096] __attribute__((aligned(64)));
    r.call.workspace = memory;
    r.call.workspace_bytes = sizeof memory;
    ck_assert_int_eq(run(p, &r), ILEX_E_DEVICE);
    ck_assert_ptr_nonnull(strstr(r.call.error, "workspace"));
    ilex_storage *own = make(GPU, 1, N, 0);
    r.call.workspace = ilex_storage_device(ctx, own, ILEX_READ_WRITE);
    ck_assert_msg(!run(p, &r), "%s", r.call.error);
    ck_assert(is_right(r.s[2]));
    ilex_storage_release(own);
    close_arguments(&r);
    ilex_program_release(p);
}
END_TEST

/* Every device has code of its own. */
START_TEST(second_device)
{
    arguments r;
    if (cuda()->devices() < 2)
        return;
    ilex_program *p = compile(text);
    for (int i = 0; i < 4; i++) {
        open_arguments(&r, HOST, i % 2 ? GPU1 : GPU, i % 2 ? GPU1 : GPU);
        ck_assert_msg(!run(p, &r), "%s", r.call.error);
        ck_assert(is_right(r.s[2]));
        close_arguments(&r);
    }
    ilex_program_release(p);
}
END_TEST

/* ---- eager operators ---- */

static const where eager_places[] = {GPU, UNIFIED, GPU1};

START_TEST(eager)
{
    where w = eager_places[_i];
    if (w == GPU1 && cuda()->devices() < 2)
        return;
    ilex_storage *x[] = {make(w, 1, N, 3), make(w, 1, N, 4)};
    ilex_storage *with_number[] = {x[0], make(HOST, 0, N, 10)};
    ilex_storage *y = ilex_eager(ctx, "multiply", 2, x, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_storage_space(y), ilex_storage_space(x[0]));
    ck_assert_int_eq(ilex_storage_device_index(y), w == GPU1);
    ilex_storage *z = ilex_eager(ctx, "add", 2, with_number, NULL);
    ck_assert_msg(z != NULL, "%s", ilex_error_text(ctx));
    /* into a view of its own operand, through a copy on the device */
    ilex_storage *from = ilex_storage_slice(ctx, y, 0, 0, N - 1, 1);
    ilex_storage *to = ilex_storage_slice(ctx, y, 0, 1, N, 1);
    ilex_storage *shift[] = {from, from};
    ilex_storage *same = ilex_eager(ctx, "add", 2, shift, to);
    ck_assert_msg(same == to, "%s", ilex_error_text(ctx));
    ilex_storage *sum = ilex_eager_reduce(ctx, "sum", y, NULL, NULL);
    ck_assert_msg(sum != NULL, "%s", ilex_error_text(ctx));
    ck_assert(ilex_storage_on_device(sum));
    ilex_storage *h[] = {ilex_storage_to(ctx, y, "cpu"),
                         ilex_storage_to(ctx, z, "cpu"),
                         ilex_storage_to(ctx, sum, "cpu")};
    ck_assert(get(h[0], 0) == 12 && get(h[0], 1) == 24 &&
              get(h[0], N - 1) == 24);
    ck_assert(get(h[1], 5) == 13);
    ck_assert(get(h[2], 0) == 12 + 24 * (N - 1));
    ilex_storage *all[] = {x[0], x[1], with_number[1], y,    z,   from, to,
                           same, sum,  h[0],           h[1], h[2]};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* ---- many threads ---- */

enum { RUNNERS = 8 };

/* A program of its own allocator: that of the fixture is for one thread. */
static ilex_program *
compile_shared(void)
{
    ilex_context *counting = ctx;
    ctx = ilex_context_new(NULL);
    ilex_program *p = compile(text);
    ilex_context_free(ctx);
    ctx = counting;
    return p;
}

typedef struct runner {
    pthread_t thread;
    ilex_program *p;
    ilex_storage *a, *x, *y, *unread;
    pthread_barrier_t *start;
    ilex_status rc;
    char error[200];
} runner;

static ilex_storage *
plain(int rank, double value, bool device)
{
    ix_error err;
    ix_error_clear(&err);
    ilex_storage_spec s = {.size = sizeof s,
                           .rank = rank,
                           .shape = (int64_t[]){N},
                           .fill = &value,
                           .space = device ? "device" : NULL};
    return ix_storage_new(&ix_mem_default, &s, &err);
}

static void *
first_run(void *arg)
{
    runner *r = arg;
    ilex_call call = {.size = sizeof call};
    ilex_binding bound[] = {ILEX_BIND("a", r->a), ILEX_BIND("x", r->x),
                            ILEX_BIND("y", r->y),
                            ILEX_BIND("unread", r->unread)};
    pthread_barrier_wait(r->start);
    for (int i = 0; !r->rc && i < 3; i++)
        r->rc = ilex_run(r->p, bound, 4, &call);
    snprintf(r->error, sizeof r->error, "%.199s", call.error);
    ilex_program_release(r->p);
    return NULL;
}

static void
start_runners(runner *all, pthread_barrier_t *start, ilex_program *p)
{
    pthread_barrier_init(start, NULL, RUNNERS + 1);
    for (int i = 0; i < RUNNERS; i++) {
        ilex_storage_spec s = {.size = sizeof s,
                               .dtype = "f32",
                               .rank = 1,
                               .shape = (int64_t[]){N}};
        all[i] = (runner){.p = ilex_program_retain(p),
                          .a = plain(0, 2, false),
                          .x = plain(1, 0.5, true),
                          .y = plain(1, -1, true),
                          .unread = ix_storage_new(&ix_mem_default, &s, NULL),
                          .start = start};
        ck_assert_int_eq(
            pthread_create(&all[i].thread, NULL, first_run, &all[i]), 0);
    }
}

static void
finish_runners(runner *all)
{
    for (int i = 0; i < RUNNERS; i++) {
        pthread_join(all[i].thread, NULL);
        ck_assert_msg(!all[i].rc, "%s", all[i].error);
        ck_assert(is_right(all[i].y));
        ilex_storage_release(all[i].a);
        ilex_storage_release(all[i].x);
        ilex_storage_release(all[i].y);
        ilex_storage_release(all[i].unread);
    }
}

/* All run first at once; the last one to return frees the program. */
START_TEST(first_run_of_many)
{
    runner all[RUNNERS];
    pthread_barrier_t start;
    ilex_program *p = compile_shared();
    start_runners(all, &start, p);
    pthread_barrier_wait(&start);
    ilex_program_release(p);
    finish_runners(all);
    pthread_barrier_destroy(&start);
}
END_TEST

/* The allocator of the thread sanitizer does not survive fork() either. */
#ifdef __SANITIZE_THREAD__
static const bool sanitized = true;
const char *__tsan_default_options(void);

__attribute__((visibility("default"))) const char *
__tsan_default_options(void)
{
    return "die_after_fork=0:report_thread_leaks=0";
}
#else
static const bool sanitized = false;
#endif

/* A child builds for itself what threads of its parent were building. (CUDA
 * itself does not survive fork(): only over the fake driver.) */
START_TEST(fork_during_build)
{
    runner all[RUNNERS];
    pthread_barrier_t start;
    int status;
    if (!fake_control())
        return;
    ilex_program *p = compile_shared();
    start_runners(all, &start, p);
    pthread_barrier_wait(&start);
    for (int k = 0; k < 3; k++) {
        pid_t pid = fork();
        ck_assert_int_ge(pid, 0);
        if (pid == 0 && sanitized)
            _exit(0);
        if (pid == 0) {
            pthread_barrier_t alone;
            ilex_storage_spec s = {.size = sizeof s,
                                   .dtype = "f32",
                                   .rank = 1,
                                   .shape = (int64_t[]){N}};
            runner r = {.p = ilex_program_retain(p),
                        .a = plain(0, 2, false),
                        .x = plain(1, 0.5, true),
                        .y = plain(1, -1, true),
                        .unread = ix_storage_new(&ix_mem_default, &s, NULL),
                        .start = &alone};
            alarm(60);
            pthread_barrier_init(&alone, NULL, 1);
            first_run(&r);
            _exit(r.rc || !is_right(r.y));
        }
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                      "child %d: status %#x", k, (unsigned)status);
    }
    ilex_program_release(p);
    finish_runners(all);
    pthread_barrier_destroy(&start);
}
END_TEST

/* A process has one NVRTC, which is asked for before it is opened. */
START_TEST(late_nvrtc)
{
    ck_assert(ix_nvrtc_available());
    ck_assert_int_eq(ilex_option_set(ctx, "nvrtc", "/nowhere.so"), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "nvrtc"), ILEX_OK);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ck_assert_ptr_null(ilex_compile(ctx, 1, &x, NULL));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_OPTION);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "comes too late"));
}
END_TEST

TCase *
cuda_program_cases(void)
{
    TCase *cases = tcase_create("program");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 240);
    tcase_add_loop_test(cases, places_of_arguments, 0, PLACES);
    tcase_add_test(cases, part_of_a_pair);
    tcase_add_test(cases, newer_number);
    tcase_add_test(cases, strict_transfers);
    tcase_add_test(cases, index_in_place);
    tcase_add_test(cases, out_of_reach);
    tcase_add_test(cases, second_device);
    tcase_add_loop_test(cases, eager, 0, IX_COUNT(eager_places));
    tcase_add_test(cases, first_run_of_many);
    tcase_add_test(cases, fork_during_build);
    tcase_add_test(cases, late_nvrtc);
    return cases;
}
