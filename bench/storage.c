/* SPDX-License-Identifier: MIT
 *
 * What storages cost: views, eager operators beside NumPy's, strided against
 * packed input of a memory-bound kernel, huge pages. In each table all rows are
 * measured in turn, once a round, so that what else the machine does hits all
 * of them.
 *
 *     bench/storage [-q]
 *
 * NumPy is asked through a python3 that has it (or the one PYTHON names).
 */
#define _GNU_SOURCE
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/measure/bench_util.h"

enum { ROWS = 12, TINY = 16 };

/* One row of a table: "measure" gives seconds for one operation, negative when
 * it failed. */
typedef struct row {
    const char *name;
    double (*measure)(const struct row *r);
    void *what;
    int number;
    double target; /* seconds; 0: none */
    bench_samples samples;
} row;

static int quick;

/* ---- tables ---- */

/* Measures all rows in turn and prints a table in "unit"s of "scale" a second;
 * ratios are to row 0. False if a measurement failed. */
static int
run_table(const char *title, row *rows, int count, const char *unit,
          double scale)
{
    int rounds = quick ? 7 : 31;
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            double seconds = rows[i].measure(&rows[i]);
            if (seconds < 0) {
                fprintf(stderr, "%s: failed\n", rows[i].name);
                return 0;
            }
            if (round >= 0)
                bench_add(&rows[i].samples, seconds);
        }
    printf("\n%-44s %10s %10s %8s\n", title, "median", "lowest", "ratio");
    double first = 0;
    for (int i = 0; i < count; i++) {
        bench_summary s = bench_summarize(&rows[i].samples);
        first = i ? first : s.median;
        printf("%-44s %7.2f %s %7.2f %s %8.2f", rows[i].name, scale * s.median,
               unit, scale * s.low, unit, s.median / first);
        if (rows[i].target > 0)
            printf("  target %g %s: %s", scale * rows[i].target, unit,
                   s.median <= rows[i].target ? "met" : "missed");
        printf("\n");
    }
    fflush(stdout);
    return 1;
}

static void
check(const ilex_context *ctx, const void *p)
{
    if (p)
        return;
    fprintf(stderr, "bench: %s\n", ilex_error_text(ctx));
    exit(1);
}

/* ---- views ---- */

static ilex_storage *
view_slice(ilex_storage *s)
{
    return ilex_storage_slice(NULL, s, 0, 1, 9, 2);
}

static ilex_storage *
view_index(ilex_storage *s)
{
    return ilex_storage_index(NULL, s, 0, 5);
}

static ilex_storage *
view_transpose(ilex_storage *s)
{
    return ilex_storage_transpose(NULL, s, NULL);
}

static ilex_storage *
view_restrict(ilex_storage *s)
{
    return ilex_storage_restrict(NULL, s, "J", 2, 7);
}

static ilex_storage *
view_interior(ilex_storage *s)
{
    return ilex_storage_interior(NULL, s);
}

static ilex_storage *(*const views[])(ilex_storage *) = {
    view_slice, view_index, view_transpose, view_restrict, view_interior};

static double
measure_view(const row *r)
{
    enum { REPEATS = 20000 };
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++) {
        ilex_storage *v = views[r->number](r->what);
        if (!v)
            return -1;
        ilex_storage_release(v);
    }
    return (bench_now() - start) / REPEATS;
}

static int
bench_views(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    int64_t shape[3] = {12, 12, 12}, halo[6] = {1, 1, 1, 1, 0, 0};
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 3,
                              .shape = shape,
                              .halo = halo,
                              .axes = "IJK"};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    check(ctx, s);
    static row rows[] = {
        {"slice of a 3-D field, and drop", measure_view, NULL, 0, 100e-9, {0}},
        {"index of an axis, and drop", measure_view, NULL, 1, 100e-9, {0}},
        {"transpose, and drop", measure_view, NULL, 2, 100e-9, {0}},
        {"restrict by name, and drop", measure_view, NULL, 3, 100e-9, {0}},
        {"interior, and drop", measure_view, NULL, 4, 100e-9, {0}},
    };
    int count = sizeof rows / sizeof *rows;
    for (int i = 0; i < count; i++)
        rows[i].what = s;
    int ok = run_table("views", rows, count, "ns", 1e9);
    ilex_storage_release(s);
    ilex_context_free(ctx);
    return ok;
}

/* ---- eager operators ---- */

static FILE *ask, *answer; /* pipes to Python; NULL: there is none */

/* Starts Python with bench/numpy_add.py; false if it has no NumPy. */
static int
start_numpy(const char *python)
{
    int to[2], from[2];
    char version[64];
    const char *srcdir = getenv("srcdir");
    char script[1024];
    snprintf(script, sizeof script, "%s/bench/numpy_add.py",
             srcdir && *srcdir ? srcdir : ".");
    if (pipe(to) || pipe(from))
        return 0;
    if (fork() == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        close(to[1]);
        close(from[0]);
        execlp(python, python, script, (char *)NULL);
        _exit(1);
    }
    close(to[0]);
    close(from[1]);
    ask = fdopen(to[1], "w");
    answer = fdopen(from[0], "r");
    if (!ask || !answer || !fgets(version, sizeof version, answer)) {
        ask = answer = NULL;
        return 0;
    }
    version[strcspn(version, "\n")] = 0;
    printf("\nNumPy %s of %s\n", version, python);
    return 1;
}

static double
measure_numpy(const row *r)
{
    char text[64];
    fprintf(ask, "%d %d\n", TINY, r->number);
    fflush(ask);
    return fgets(text, sizeof text, answer) ? strtod(text, NULL) : -1;
}

typedef struct eager {
    ilex_context *ctx;
    ilex_storage *x[2], *out;
} eager;

static double
measure_eager(const row *r)
{
    enum { REPEATS = 5000 };
    eager *e = r->what;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++) {
        ilex_storage *y =
            ilex_eager(e->ctx, "add", 2, e->x, r->number ? e->out : NULL);
        if (!y)
            return -1;
        ilex_storage_release(y);
    }
    return (bench_now() - start) / REPEATS;
}

static double
measure_empty(const row *r)
{
    enum { REPEATS = 5000 };
    eager *e = r->what;
    int64_t n = TINY;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++) {
        ilex_storage *y = ilex_storage_empty(e->ctx, ILEX_F64, 1, &n);
        if (!y)
            return -1;
        ilex_storage_release(y);
    }
    return (bench_now() - start) / REPEATS;
}

/* Storages of TINY elements, with an axis name or without. */
static void
make_eager(eager *e, ilex_context *ctx, const char *axes)
{
    int64_t n = TINY;
    double value[3] = {2, 3, 0};
    ilex_storage *s[3];
    for (int i = 0; i < 3; i++) {
        ilex_storage_spec spec = {.size = sizeof spec,
                                  .rank = 1,
                                  .shape = &n,
                                  .axes = axes,
                                  .fill = &value[i]};
        s[i] = ilex_storage_new(ctx, &spec);
        check(ctx, s[i]);
    }
    *e = (eager){ctx, {s[0], s[1]}, s[2]};
}

static int
bench_eager(void)
{
    static const char *const pythons[] = {NULL, "python3", "/usr/bin/python3"};
    eager plain, named;
    ilex_context *ctx = ilex_context_new(NULL);
    make_eager(&plain, ctx, NULL);
    make_eager(&named, ctx, "I");
    for (int i = 0; i < 3 && !ask; i++)
        if (i || getenv("PYTHON"))
            start_numpy(i ? pythons[i] : getenv("PYTHON"));
    static row rows[ROWS] = {
        {"add of 16 f64 to a new storage", measure_eager, NULL, 0, 1e-6, {0}},
        {"the same with a named axis", measure_eager, NULL, 0, 0, {0}},
        {"add of 16 f64 into a given one", measure_eager, NULL, 1, 1e-6, {0}},
        {"an empty storage of 16 f64, and drop",
         measure_empty,
         NULL,
         0,
         0,
         {0}},
        {"np.add to a new array", measure_numpy, NULL, 0, 0, {0}},
        {"np.add into a given one", measure_numpy, NULL, 1, 0, {0}},
    };
    for (int i = 0; i < 4; i++)
        rows[i].what = i == 1 ? &named : &plain;
    int ok = run_table("eager operators after the first call", rows,
                       ask ? 6 : 4, "us", 1e6);
    if (ask)
        fclose(ask);
    else
        printf("no python3 with NumPy: nothing to compare with\n");
    eager *all[] = {&plain, &named};
    for (int i = 0; i < 2; i++) {
        ilex_storage_release(all[i]->x[0]);
        ilex_storage_release(all[i]->x[1]);
        ilex_storage_release(all[i]->out);
    }
    ilex_context_free(ctx);
    return ok;
}

/* ---- strides ---- */

/* v = 2 u + 1 over one input, whatever its strides. */
static const char kernel_text[] = "ilex 1\n"
                                  "program scale\n"
                                  "size n, m\n"
                                  "in u : f64[i:n, j:m]\n"
                                  "out v : f64[i:n, j:m] = 2.0*u + 1.0\n";

static ilex_program *program;

typedef struct stream {
    ilex_storage *u, *v;
    ilex_storage *room; /* for a packed copy of "u", or NULL */
} stream;

static double
measure_stream(const row *r)
{
    stream *s = r->what;
    ilex_call call = {.size = sizeof call, .threads = 1};
    double start = bench_now();
    ilex_status rc = ilex_run(
        program, (ilex_binding[]){ILEX_BIND("u", s->u), ILEX_BIND("v", s->v)},
        2, &call);
    return rc == ILEX_OK ? bench_now() - start : -1;
}

/* A field of n x m elements that are 1, in "space" and of "layout". */
static ilex_storage *
field(ilex_context *ctx, int64_t n, int64_t m, const char *layout,
      const char *space)
{
    double one = 1;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 2,
                              .shape = (int64_t[]){n, m},
                              .axes = "ij",
                              .layout = layout,
                              .space = space,
                              .fill = &one};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    check(ctx, s);
    return s;
}

static void
compile_kernel(ilex_context *ctx)
{
    ilex_option_set(ctx, "jit", "cc");
    ilex_module *m = ilex_module_parse(ctx, kernel_text, "bench");
    program = m ? ilex_compile_module(m) : NULL;
    check(ctx, program);
    ilex_module_free(m);
}

/* Packing into a kept buffer first, then the kernel: what a strided input has
 * to be slower than for a copy to pay. */
static double
measure_packed(const row *r)
{
    stream *s = r->what;
    double start = bench_now();
    stream packed = {s->room, s->v, NULL};
    row inner = {.what = &packed};
    double seconds = ilex_storage_assign(NULL, s->room, s->u) == ILEX_OK
                         ? measure_stream(&inner)
                         : -1;
    return seconds < 0 ? seconds : bench_now() - start;
}

/* All strided inputs are views of the same number of elements. */
static int
bench_strides(ilex_context *ctx)
{
    enum { N = 2048, M = 2048 };
    ilex_storage *packed = field(ctx, N, M, "C", NULL);
    ilex_storage *wide = field(ctx, N, 2 * M, "C", NULL);
    ilex_storage *columns = field(ctx, N, M, "F", NULL);
    ilex_storage *v = field(ctx, N, M, "C", NULL);
    ilex_storage *rows_cut = ilex_storage_slice(ctx, wide, 1, 8, M + 8, 1);
    ilex_storage *backwards = ilex_storage_slice(ctx, packed, 1, M - 1, -1, -1);
    ilex_storage *second = ilex_storage_slice(ctx, wide, 1, 0, 2 * M, 2);
    ilex_storage *room = field(ctx, N, M, "C", NULL);
    stream streams[] = {{packed, v, NULL},
                        {rows_cut, v, NULL},
                        {backwards, v, NULL},
                        {second, v, room},
                        {columns, v, room}};
    static row rows[] = {
        {"packed", measure_stream, NULL, 0, 0, {0}},
        {"rows cut out of longer ones", measure_stream, NULL, 0, 0, {0}},
        {"rows backwards", measure_stream, NULL, 0, 0, {0}},
        {"every second element", measure_stream, NULL, 0, 0, {0}},
        {"columns (the other layout)", measure_stream, NULL, 0, 0, {0}},
        {"every second element, packed first", measure_packed, NULL, 0, 0, {0}},
        {"columns, packed first", measure_packed, NULL, 0, 0, {0}},
    };
    for (int i = 0; i < 5; i++)
        rows[i].what = &streams[i];
    rows[5].what = &streams[3];
    rows[6].what = &streams[4];
    int ok =
        run_table("v = 2 u + 1 on 2048 x 2048 f64, input", rows, 7, "ms", 1e3);
    ilex_storage *all[] = {packed,   wide,      columns, v,
                           rows_cut, backwards, second,  room};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ilex_storage_release(all[i]);
    return ok;
}

/* ---- huge pages ---- */

/* Allocates, touches every page, and frees. */
static double
measure_touch(const row *r)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "u8",
                              .rank = 1,
                              .shape = (int64_t[]){(int64_t)64 << 20},
                              .space = r->what};
    double start = bench_now();
    ilex_storage *s = ilex_storage_new(NULL, &spec);
    char *p = s ? ilex_storage_data(s) : NULL;
    for (int64_t i = 0; p && i < spec.shape[0]; i += 4096)
        p[i] = 1;
    ilex_storage_release(s);
    return p ? bench_now() - start : -1;
}

static int
bench_pages(ilex_context *ctx)
{
    enum { N = 4096, M = 2048 };
    static char normal[] = "normal", huge[] = "hugepage";
    stream s[4] = {
        {field(ctx, N, M, "C", normal), field(ctx, N, M, "C", normal), NULL},
        {field(ctx, N, M, "C", huge), field(ctx, N, M, "C", huge), NULL},
        {field(ctx, N, M, "F", normal), NULL, NULL},
        {field(ctx, N, M, "F", huge), NULL, NULL}};
    s[2].v = s[0].v;
    s[3].v = s[1].v;
    static row rows[] = {
        {"rows, normal pages", measure_stream, NULL, 0, 0, {0}},
        {"rows, huge pages", measure_stream, NULL, 0, 0, {0}},
        {"columns, normal pages", measure_stream, NULL, 0, 0, {0}},
        {"columns, huge pages", measure_stream, NULL, 0, 0, {0}},
        {"64 MiB allocated and touched, normal",
         measure_touch,
         NULL,
         0,
         0,
         {0}},
        {"64 MiB allocated and touched, huge", measure_touch, NULL, 0, 0, {0}},
    };
    for (int i = 0; i < 4; i++)
        rows[i].what = &s[i];
    rows[4].what = normal;
    rows[5].what = huge;
    int ok = run_table("v = 2 u + 1 on 4096 x 2048 f64", rows, 6, "ms", 1e3);
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i].u);
    ilex_storage_release(s[0].v);
    ilex_storage_release(s[1].v);
    return ok;
}

int
main(int argc, char **argv)
{
    quick = argc == 2 && !strcmp(argv[1], "-q");
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: storage [-q]\n");
        return 2;
    }
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    printf("one operation; ratios of medians to the first row\n");
    compile_kernel(ctx);
    int ok = bench_views() && bench_eager() && bench_strides(ctx) &&
             bench_pages(ctx);
    ilex_program_release(program);
    ilex_context_free(ctx);
    return !ok;
}
