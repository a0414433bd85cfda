/* SPDX-License-Identifier: MIT
 *
 * Programs: queries, lifetimes, runs by any number of threads, several runs at
 * once, the caller's own threads and workspace, back ends compared.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/graph_fixture.h"

static const char smooth[] =
    "ilex 1\nprogram smooth\nsize n, m\n"
    "in u : f64[I:n, J:m] halo(I:1:1)\nin c : f64[J:m]\nin unread : f32[I:n]\n"
    "let s = sum[I](u)\n"
    "out v : f64[I:n, J:m] = (u[I+1] + u[I-1] - 2.0*u)*c + s\n"
    "out t : f64[J:m] = s*s\n";

enum { ROWS = 37, COLUMNS = 11, CELLS = ROWS * COLUMNS };

typedef struct arguments {
    ilex_storage *u, *c, *v, *t, *unread;
    ilex_binding bound[5];
} arguments;

static ilex_storage *
field(const char *axes, const char *dtype, int rank, const int64_t *shape,
      int64_t halo)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = dtype,
                              .rank = rank,
                              .shape = shape,
                              .axes = axes,
                              .halo = SHAPE(halo, halo, 0, 0),
                              .fill = &(double){-1.0}};
    ilex_storage *s = ilex_storage_new(NULL, &spec);
    ck_assert_ptr_nonnull(s);
    return s;
}

static void
open_arguments(arguments *a)
{
    a->u = field("IJ", "f64", 2, SHAPE(ROWS + 2, COLUMNS), 1);
    a->c = field("J", "f64", 1, SHAPE(COLUMNS), 0);
    a->v = field("IJ", "f64", 2, SHAPE(ROWS, COLUMNS), 0);
    a->t = field("J", "f64", 1, SHAPE(COLUMNS), 0);
    a->unread = field("I", "f32", 1, SHAPE(ROWS), 0);
    double *u = ilex_storage_data(a->u), *c = ilex_storage_data(a->c);
    for (int i = 0; i < CELLS + 2 * COLUMNS; i++)
        u[i] = 1.0 / (i + 3);
    for (int i = 0; i < COLUMNS; i++)
        c[i] = 0.1 * i;
    const ilex_binding bound[] = {ILEX_BIND("u", a->u), ILEX_BIND("c", a->c),
                                  ILEX_BIND("v", a->v), ILEX_BIND("t", a->t),
                                  ILEX_BIND("unread", a->unread)};
    memcpy(a->bound, bound, sizeof bound);
}

static void
close_arguments(arguments *a)
{
    for (int i = 0; i < 5; i++)
        ilex_storage_release(a->bound[i].storage);
}

/* The result of the reference back end, run serially. */
static double want[CELLS];

static void
make_reference(void)
{
    arguments a;
    open_arguments(&a);
    ilex_program *p = compile(smooth);
    run_program(p, a.bound, 5);
    memcpy(want, ilex_storage_const_data(a.v), sizeof want);
    close_arguments(&a);
    ilex_program_release(p);
}

static bool
as_wanted(const arguments *a)
{
    return !memcmp(want, ilex_storage_const_data(a->v), sizeof want);
}

static const char *const jits[] = {"reference", "tcc", "cc"};

/* smooth for back end "jit"; NULL where it was not built. */
static ilex_program *
compile_for(const char *jit)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_module *m = parse(smooth);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    if (!p && take_error() == ILEX_E_UNSUPPORTED)
        return NULL;
    ck_assert_ptr_nonnull(p);
    ck_assert_str_eq(ilex_program_backend(p), jit);
    return p;
}

/* ---- runs ---- */

START_TEST(with_threads)
{
    make_reference();
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j]);
        for (int threads = 1; p && threads < 9; threads++) {
            arguments a;
            ilex_call call = {.size = sizeof call, .threads = threads};
            open_arguments(&a);
            ck_assert_msg(!ilex_run(p, a.bound, 5, &call), "%s", call.error);
            ck_assert_msg(as_wanted(&a), "%s, %d threads", jits[j], threads);
            close_arguments(&a);
        }
        ilex_program_release(p);
    }
}
END_TEST

static void *
run_often(void *program)
{
    arguments a;
    bool ok = true;
    open_arguments(&a);
    for (int i = 0; ok && i < 30; i++) {
        ilex_call call = {.size = sizeof call, .threads = 1 + i % 3};
        memset(ilex_storage_data(a.v), 0, sizeof want);
        ok = ilex_run(program, a.bound, 5, &call) == ILEX_OK && as_wanted(&a);
    }
    close_arguments(&a);
    ilex_program_release(program);
    return ok ? program : NULL;
}

/* One program from several threads; each holds a count, the last frees it. */
START_TEST(concurrent_runs)
{
    make_reference();
    for (int j = 0; j < 2; j++) {
        ilex_program *p = compile_for(jits[j]);
        pthread_t thread[4];
        for (int i = 0; p && i < 4; i++)
            ck_assert_int_eq(pthread_create(&thread[i], NULL, run_often,
                                            ilex_program_retain(p)),
                             0);
        ilex_program_release(p);
        for (int i = 0; p && i < 4; i++) {
            void *ok = NULL;
            pthread_join(thread[i], &ok);
            ck_assert_ptr_nonnull(ok);
        }
    }
}
END_TEST

/* ---- the caller's threads and memory ---- */

static int64_t hook_calls, hook_parts;

/* Backwards: order must not matter. */
static void
backwards(void *user, void (*body)(void *arg, int64_t i), void *arg, int64_t n)
{
    ck_assert_str_eq(user, "hook");
    hook_calls++;
    hook_parts += n;
    while (n-- > 0)
        body(arg, n);
}

START_TEST(parallel_for)
{
    make_reference();
    ilex_program *p = compile_for("tcc");
    p = p ? p : compile_for("cc");
    arguments a;
    char name[] = "hook";
    ilex_call call = {.size = sizeof call,
                      .threads = 3,
                      .parallel_for = backwards,
                      .user = name};
    open_arguments(&a);
    ck_assert_msg(!ilex_run(p, a.bound, 5, &call), "%s", call.error);
    ck_assert(as_wanted(&a));
    ck_assert_int_gt(hook_calls, 0);
    ck_assert_int_eq(hook_parts, 3 * hook_calls);
    close_arguments(&a);
    ilex_program_release(p);
}
END_TEST

/* Left to Ilex, a run of a few elements wakes no other thread. */
START_TEST(few_elements)
{
    make_reference();
    ilex_option_set(ctx, "threads", "0");
    ilex_program *p = compile_for("tcc");
    p = p ? p : compile_for("cc");
    arguments a;
    char name[] = "hook";
    ilex_call call = {
        .size = sizeof call, .parallel_for = backwards, .user = name};
    open_arguments(&a);
    hook_calls = 0;
    ck_assert_msg(!ilex_run(p, a.bound, 5, &call), "%s", call.error);
    ck_assert(as_wanted(&a));
    ck_assert_int_eq(hook_calls, 0);
    close_arguments(&a);
    ilex_program_release(p);
}
END_TEST

START_TEST(workspace)
{
    static char memory[1 << 16] __attribute__((aligned(64)));
    make_reference();
    for (int j = 0; j < 2; j++) {
        ilex_program *p = compile_for(jits[j]);
        arguments a;
        const ilex_size_binding sizes[] = {{"n", ROWS}, {"m", COLUMNS}};
        int64_t bytes = p ? ilex_program_workspace(p, sizes, 2, 1) : 0;
        if (!p)
            continue;
        ck_assert_int_gt(bytes, 0);
        ck_assert_int_lt(bytes + 64, (int64_t)sizeof memory);
        ilex_call call = {.size = sizeof call,
                          .workspace = memory,
                          .workspace_bytes = (size_t)bytes};
        memset(memory, 0x5a, sizeof memory);
        open_arguments(&a);
        ck_assert_msg(!ilex_run(p, a.bound, 5, &call), "%s", call.error);
        ck_assert(as_wanted(&a));
        for (size_t i = (size_t)bytes; i < sizeof memory; i++)
            ck_assert_int_eq(memory[i], 0x5a);
        close_arguments(&a);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- sizes ---- */

/* A size that only a condition names, which `peel` decides: kernels do not
 * need it, the reference evaluates the condition. Left out of the call it is an
 * error there, never 0. */
START_TEST(size_of_a_condition)
{
    static const char text[] =
        "ilex 1\nprogram q\nsize n, m\nassume n >= 2 && m >= 9\n"
        "in x : f64[n]\nmap t[1] = where(_0 > m-2, x[0], x[1])\n"
        "out o : f64[1] = t\n";
    static const double numbers[] = {5.0, 7.0};
    const ilex_size_binding sizes[] = {{"m", 9}};
    for (int j = 0; j < 3; j++) {
        ilex_program *p;
        ck_assert_int_eq(ilex_option_set(ctx, "jit", jits[j]), ILEX_OK);
        ilex_module *m = parse(text);
        p = ilex_compile_module(m);
        ilex_module_free(m);
        if (!p && take_error() == ILEX_E_UNSUPPORTED)
            continue;
        ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(2));
        ilex_storage *o = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(1));
        memcpy(ilex_storage_data(x), numbers, sizeof numbers);
        const ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("o", o)};
        ilex_call call = {.size = sizeof call, .sizes = sizes, .size_count = 1};
        ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
        ck_assert_msg(*(const double *)ilex_storage_const_data(o) == 7.0, "%s",
                      jits[j]);
        ck_assert_int_eq(ilex_run(p, bound, 2, NULL), ILEX_E_SIZE);
        ilex_storage_release(x);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- lifetimes ---- */

/* Nothing of the context is needed after compiling. */
START_TEST(context_freed)
{
    make_reference();
    ilex_program *p[3];
    for (int j = 0; j < 3; j++)
        p[j] = compile_for(jits[j]);
    ilex_context_free(ctx);
    for (int j = 0; j < 3; j++) {
        arguments a;
        open_arguments(&a);
        ilex_call call = {.size = sizeof call, .threads = 2};
        if (p[j])
            ck_assert_msg(!ilex_run(p[j], a.bound, 5, &call), "%s", call.error);
        ck_assert(!p[j] || as_wanted(&a));
        close_arguments(&a);
        ilex_program_release(p[j]);
    }
    open_context();
}
END_TEST

static int released;

static void
note_release(void *user, void *data)
{
    (void)user, (void)data;
    released++;
}

/* A program holds the storages that its graph wraps. */
START_TEST(data_lives)
{
    static double numbers[4] = {1.0, 2.0, 3.0, 4.0};
    ilex_storage *x = ilex_storage_wrap(ctx, ILEX_F64, 1, SHAPE(4), NULL,
                                        numbers, note_release, NULL);
    size_t scope = ilex_scope_begin(ctx);
    ilex_array *y = ilex_sum(ilex_data(ctx, x), NULL, 0);
    ilex_program *p = ilex_compile(ctx, 1, &y, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_release(x);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_int_eq(released, 0);
    ilex_storage *out = ilex_storage_zeros(ctx, ILEX_F64, 0, SHAPE(0));
    ck_assert_uint_eq(ilex_program_argument_count(p), 1);
    run_program(p, (ilex_binding[]){ILEX_BIND("_ilex_out0", out)}, 1);
    ck_assert(*(const double *)ilex_storage_const_data(out) == 10.0);
    ilex_program_release(p);
    ck_assert_int_eq(released, 1);
    ilex_storage_release(out);
}
END_TEST

/* ---- queries ---- */

START_TEST(queries)
{
    ilex_program *p = compile(smooth);
    ilex_argument_info u = ilex_program_argument(p, 0);
    ck_assert_str_eq(ilex_program_name(p), "smooth");
    ck_assert_uint_eq(ilex_program_argument_count(p), 5);
    ck_assert_str_eq(u.name, "u");
    ck_assert(u.dtype == ILEX_F64 && u.rank == 2 && !u.output && u.used);
    ck_assert_str_eq(u.domain, "I:n, J:m");
    ck_assert_str_eq(u.reads, "I:-1:n+1, J:m");
    ck_assert_str_eq(u.axis[1], "J");
    ck_assert(!ilex_program_argument(p, 2).used);
    ck_assert(ilex_program_argument(p, 3).output);
    ck_assert_str_eq(ilex_program_argument(p, 4).name, "t");
    ilex_argument_info got = ILEX_ARGUMENT_INFO();
    ck_assert_int_eq(ilex_program_argument_get(p, 0, &got), ILEX_OK);
    ck_assert_mem_eq(&got, &u, sizeof u);
    got = (ilex_argument_info){.size = offsetof(ilex_argument_info, rank),
                               .rank = -1};
    ck_assert_int_eq(ilex_program_argument_get(p, 0, &got), ILEX_OK);
    ck_assert(got.dtype == ILEX_F64 && got.rank == -1);
    ck_assert_uint_eq(got.size, offsetof(ilex_argument_info, rank));
    ck_assert_int_eq(ilex_program_argument_get(p, 5, &u), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_argument_get(p, 0, NULL), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_program_source(p, 0));
    ck_assert_str_eq(ilex_program_command(p), "");
    ck_assert(ilex_program_lower_seconds(p) > 0.0);
    ck_assert_uint_ge(ilex_program_node_count(p), 5);
    ilex_program_release(p);
}
END_TEST

/* Sizes that are not there are told, by -1 or a status. */
START_TEST(queries_without_sizes)
{
    ilex_program *p = compile(smooth);
    int64_t lo[2];
    ck_assert_int_eq(ilex_program_workspace(p, NULL, 3, 1), -1);
    ck_assert_int_eq(ilex_program_workspace(p, NULL, 0, 1), -1);
    ck_assert_int_eq(ilex_program_extents(p, 0, NULL, 3, lo, NULL, NULL),
                     ILEX_E_SIZE);
    ilex_program_release(p);
}
END_TEST

START_TEST(queries_of_cc)
{
    ilex_program *p = compile_for("cc");
    ck_assert_ptr_nonnull(strstr(ilex_program_source(p, 0), "k0"));
    ck_assert_ptr_null(ilex_program_source(p, 1));
    ck_assert_ptr_nonnull(strstr(ilex_program_command(p), "-ffp-contract=off"));
    ck_assert(ilex_program_jit_seconds(p) > 0.0);
    ck_assert_uint_gt(ilex_program_kernel_count(p), 0);
    ilex_program_release(p);
}
END_TEST

/* Option cc_timeout is the limit that the compiler gets, and the message names
 * it. */
START_TEST(time_limit_of_cc)
{
    char path[] = "/tmp/ilex-slow-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    dprintf(fd, "#!/bin/sh\nsleep 30\n");
    ck_assert_int_eq(fchmod(fd, 0700), 0);
    close(fd);
    ilex_option_set(ctx, "jit", "cc");
    ilex_option_set(ctx, "cc", path);
    ilex_option_set(ctx, "cc_timeout", "1");
    ilex_module *m = parse(smooth);
    time_t start = time(NULL);
    ck_assert_ptr_null(ilex_compile_module(m));
    ck_assert_int_lt(time(NULL) - start, 15);
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "time limit of 1 s is over"));
    ck_assert_int_eq(take_error(), ILEX_E_TOOLCHAIN);
    ilex_module_free(m);
    unlink(path);
}
END_TEST

static ilex_program *
compiled_in(ilex_context *where, const char *text)
{
    ilex_module *m = ilex_module_parse(where, text, "p");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(where));
    ilex_module_free(m);
    return p;
}

/* A program that was compiled before is the same one, in any context; what it
 * depends on makes it another. */
START_TEST(compiled_again)
{
    ilex_kept kept, then;
    ilex_programs_kept(&kept);
    ck_assert_uint_eq(kept.limit, 256);
#define AGAIN "ilex 1\nprogram p\nsize n\n"
    static const char first[] = AGAIN
        "in u : f64[I:n]\nin w : f64[I:n]\nlet a = u*w\nout v = a + 1.0\n";
    static const struct {
        const char *text, *option, *value;
    } other[] = {
        {AGAIN "in w : f64[I:n]\nin u : f64[I:n]\nout v = u*w + 1.0\n", NULL,
         NULL},
        {AGAIN "in u : f64[I:n]\nin w : f64[I:n]\nout v = u*w + 2.0\n", NULL,
         NULL},
        {AGAIN "assume n >= 2\nin u : f64[I:n]\nin w : f64[I:n]\n"
               "out v = u*w + 1.0\n",
         NULL, NULL},
        {AGAIN "in u : f64[I:n]\nin w : f64[I:n]\nout y = u*w + 1.0\n", NULL,
         NULL},
        {first, "threads", "2"},
        {first, "jit", "reference"},
        {first, "box", "1"},
        {first, "reuse", "0"},
        {first, "verify", "1"},
        {first, "target", "generic"},
        {first, "target", "cores=3"},
    };
    ilex_context *one = ilex_context_new(NULL);
    ilex_context *another = ilex_context_new(NULL);
    ilex_program *p = compiled_in(one, first);
    ilex_context_free(one);
    ilex_size(another, "m"); /* sizes have other numbers there */
    ilex_program *same =
        compiled_in(another, AGAIN "in u : f64[I:n]\n"
                                   "in w : f64[I:n]\nlet b = u*w\n"
                                   "out v = b + 1.0\n");
    ck_assert_ptr_eq(same, p);
    ilex_program_release(same);
    ilex_programs_kept(&then);
    ck_assert_uint_eq(then.count, kept.count + 1);
    ck_assert_uint_eq(then.hits, kept.hits + 1);
    ck_assert_uint_eq(then.misses, kept.misses + 1);
    for (size_t i = 0; i < IX_COUNT(other); i++) {
        ilex_context *third = ilex_context_new(NULL);
        if (other[i].option)
            ck_assert_int_eq(
                ilex_option_set(third, other[i].option, other[i].value),
                ILEX_OK);
        ilex_program *q = compiled_in(third, other[i].text);
        ck_assert_msg(q != p, "row %zu", i);
        ilex_program_release(q);
        ilex_context_free(third);
    }
    ilex_context_free(another);
    ilex_program_release(p);
}
END_TEST

/* Whoever gives the last count back gives the memory of runs back. */
START_TEST(kept_without_memory)
{
    static const char text[] =
        AGAIN "in u : f64[I:n]\nlet s = sum(u)\nout v = u - s\n";
    ilex_context *own = ilex_context_new(NULL);
    ilex_storage *u = ilex_storage_full(own, ILEX_F64, 1, SHAPE(9), 2);
    ilex_storage *field = ilex_storage_reinterpret(own, u, "I"), *v = NULL;
    for (int held = 0; held < 2; held++) {
        ilex_program *p = compiled_in(own, text);
        ilex_program *other = held ? compiled_in(own, text) : NULL;
        ck_assert_int_eq(
            ilex_evaluate(own, p, &(ilex_binding)ILEX_BIND("u", field), 1, &v),
            ILEX_OK);
        ilex_storage_release(v);
        ilex_program_release(p);
        ilex_program *again = compiled_in(own, text);
        ck_assert_ptr_eq(again, p);
        ck_assert_int_eq(ilex_program_trim(again) > 0, held);
        ilex_program_release(again);
        ilex_program_release(other);
    }
    ilex_storage_release(u);
    ilex_storage_release(field);
    ilex_context_free(own);
}
END_TEST

/* Storages that a graph wraps are its own. */
START_TEST(data_are_not_shared)
{
    double result[2];
    ilex_context *own = ilex_context_new(NULL);
    for (int i = 0; i < 2; i++) {
        ilex_storage *s = ilex_storage_full(own, ILEX_F64, 1, SHAPE(3), i + 1);
        ilex_array *y = ilex_sum(ilex_data(own, s), NULL, 0);
        ilex_program *p = ilex_compile(own, 1, &y, NULL);
        ilex_storage *out = NULL;
        ck_assert_msg(p && !ilex_evaluate(own, p, NULL, 0, &out), "%s",
                      ilex_error_text(own));
        result[i] = *(const double *)ilex_storage_const_data(out);
        ilex_storage_release(out);
        ilex_storage_release(s);
        ilex_program_release(p);
    }
    ilex_context_free(own);
    ck_assert_double_eq(result[0], 3);
    ck_assert_double_eq(result[1], 6);
}
END_TEST

/* The choices of option jit are auto and the rows of backends.def: lib knows no
 * back end, so the names stand in options.def, too. */
START_TEST(jit_choices)
{
    static const char rows[] = "auto"
#define IX_BACKEND(name, dialect, compile, find, command, several, engine,     \
                   meaning)                                                    \
    "|" #name
#include "runtime/jit/backends.def"
        ;
    static const struct {
        const char *name, *choices;
    } options[] = {
#define IX_OPTION(name, value, choices, meaning) {#name, choices},
#include "lib/graph/options.def"
    };
    for (size_t i = 0; i < IX_COUNT(options); i++)
        if (!strcmp(options[i].name, "jit"))
            ck_assert_str_eq(options[i].choices, rows);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("program", with_threads, concurrent_runs, parallel_for,
                     few_elements, workspace, size_of_a_condition,
                     context_freed, data_lives, queries, queries_without_sizes,
                     queries_of_cc, time_limit_of_cc, compiled_again,
                     kept_without_memory, data_are_not_shared, jit_choices);
}
