/* SPDX-License-Identifier: MIT
 *
 * A program on a device, over storages of the device alone:
 *
 *     gpubench FILE.ilx SIZE=NUMBER,... [ROUNDS]   how fast it is there, beside
 * a copy on the device, and where its results differ from cc's gpubench -w
 * DIRECTORY                        writes kernels.def as files
 *
 * Functions of libm are others on a device, so that elements may differ by
 * rounding where a program calls them; it is no failure.
 */
#include <ilex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/measure/bench_util.h"
#include "runtime/measure/counts.h"
#include "runtime/measure/device_copy.h"

enum { MOST_TEXT = 1 << 16, MOST = 16, ROUNDS = 15, HOST = 0, DEVICE = 1 };
static const double least = 0.02; /* seconds of one sample */

/* The program by one back end, and its arguments. */
typedef struct side {
    ilex_program *program;
    ilex_storage *storage[MOST];
    ilex_prepared *prepared;
} side;

typedef struct job {
    ilex_context *ctx;
    const char *file;
    ilex_module *module;
    side side[2];
    size_t sizes, counted, arguments;
    ilex_size_binding size[2 * MOST]; /* behind them those that a run counts */
    bench_counts counts;
    double first; /* seconds of the first run, which compiles */
    bench_samples run, copy;
    size_t elements, differ; /* of the outputs */
} job;

/* ---- files ---- */

static int
write_programs(const char *directory)
{
    static const struct {
        const char *name, *text;
    } programs[] = {
#define BENCH_KERNEL(name, arguments, tolerance, text)                         \
    {#name, "ilex 1\nprogram " #name "\n" text},
#include "bench/kernels.def"
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.ilx", directory, programs[i].name);
        FILE *f = fopen(path, "w");
        if (!f || fputs(programs[i].text, f) < 0 || fclose(f) != 0) {
            perror(path);
            return 0;
        }
    }
    return 1;
}

/* The text of the file, NULL after a message. */
static const char *
read_text(const char *path)
{
    static char text[MOST_TEXT];
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return NULL;
    }
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* ---- preparing ---- */

static int
fail(const job *j, const char *what)
{
    fprintf(stderr, "%s: %s\n", j->file, what);
    return 0;
}

static int
compile(job *j)
{
    static const char *const jit[] = {"cc", "nvrtc"};
    const char *text = read_text(j->file);
    j->module = text ? ilex_module_parse(j->ctx, text, j->file) : NULL;
    for (int i = 0; j->module && i < 2; i++)
        if (ilex_option_set(j->ctx, "jit", jit[i]) == ILEX_OK)
            j->side[i].program = ilex_compile_module(j->module);
    const ilex_program *p = j->side[DEVICE].program;
    if (!text || !p)
        return text ? fail(j, ilex_error_text(j->ctx)) : 0;
    j->arguments = ilex_program_argument_count(p);
    j->sizes = ilex_program_size_count(p);
    j->counted = ilex_program_counted_count(p);
    return j->arguments <= MOST && j->sizes <= MOST && j->counted <= MOST
               ? 1
               : fail(j, "it has too many arguments or sizes");
}

/* The value of size "name" in "n=5,m=6"; NULL if it is not there. */
static const char *
find_size(const char *list, const char *name)
{
    size_t n = strlen(name);
    while (list && (strncmp(list, name, n) != 0 || list[n] != '='))
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    return list ? list + n + 1 : NULL;
}

static int
read_sizes(job *j, const char *list)
{
    for (size_t i = 0; i < j->sizes; i++) {
        const char *name = ilex_program_size_name(j->side[DEVICE].program, i);
        const char *value = find_size(list, name);
        if (!value) {
            fprintf(stderr, "%s: size %s is missing\n", j->file, name);
            return 0;
        }
        j->size[i] = (ilex_size_binding){name, strtoll(value, NULL, 10)};
    }
    for (size_t i = 0; i < j->counted; i++)
        j->size[j->sizes + i].name =
            ilex_program_counted_name(j->side[DEVICE].program, i);
    return 1;
}

/* Random numbers in [0.1, 1); integers, which may be indices, below the first
 * size; others are 0. */
static int
fill(const job *j, ilex_storage *s)
{
    int64_t n = ilex_storage_count(s), shape[ILEX_MAX_RANK];
    ilex_dtype dtype = ilex_storage_dtype(s);
    int integer = dtype >= ILEX_I8 && dtype <= ILEX_U64;
    for (int k = 0; k < ilex_storage_rank(s); k++)
        shape[k] = ilex_storage_shape(s)[k];
    ilex_storage *x = ilex_storage_zeros(j->ctx, integer ? ILEX_I64 : ILEX_F64,
                                         ilex_storage_rank(s), shape);
    double *real = x ? ilex_storage_data(x) : NULL;
    if (real)
        bench_fill(real, n, (uint64_t)n);
    for (int64_t i = 0; real && integer && i < n; i++) {
        double v = (real[i] - 0.1) * (double)(j->sizes ? j->size[0].value : 1);
        ((int64_t *)(void *)real)[i] = (int64_t)v;
    }
    int ok = real && (dtype == ILEX_BOOL ||
                      ilex_storage_assign(j->ctx, s, x) == ILEX_OK);
    ilex_storage_release(x);
    return ok;
}

/* Storages for argument "i", just large enough, on both sides the same. */
static int
make_storages(job *j, size_t i)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    const ilex_program *p = j->side[DEVICE].program;
    ilex_argument_info a = ilex_program_argument(p, i);
    char axes[256] = "";
    if (ilex_program_extents(p, i, j->size, j->sizes, lo, hi, halo) != ILEX_OK)
        return fail(j, "its extents are not known");
    for (int k = 0; k < 2 * a.rank; k++)
        halo[k] =
            halo[k] > 0 ? halo[k] : 0; /* it may read less than there is */
    for (int k = 0; k < a.rank; k++) {
        hi[k] += halo[2 * k] + halo[2 * k + 1] - lo[k];
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%s",
                 k ? ", " : "", a.axis[k]);
    }
    int named = a.rank > 0 && *a.axis[0];
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(a.dtype),
                              .rank = a.rank,
                              .shape = hi,
                              .halo = named ? halo : NULL,
                              .axes = named ? axes : NULL};
    ilex_storage *host = ilex_storage_new(j->ctx, &spec);
    spec.space = "device";
    ilex_storage *there = host ? ilex_storage_new(j->ctx, &spec) : NULL;
    j->side[HOST].storage[i] = host;
    j->side[DEVICE].storage[i] = there;
    return there && (a.output || fill(j, host)) &&
                   ilex_storage_assign(j->ctx, there, host) == ILEX_OK
               ? 1
               : fail(j, ilex_error_text(j->ctx));
}

static int
bind(job *j, side *s)
{
    ilex_binding bound[MOST];
    ilex_call call = {.size = sizeof call,
                      .sizes = j->size,
                      .size_count = j->sizes,
                      .counted = j->size + j->sizes,
                      .counted_count = j->counted};
    for (size_t i = 0; i < j->arguments; i++)
        bound[i] = (ilex_binding)ILEX_BIND(
            ilex_program_argument(s->program, i).name, s->storage[i]);
    s->prepared = ilex_bind(j->ctx, s->program, bound, j->arguments, &call);
    return s->prepared ? 1 : fail(j, ilex_error_text(j->ctx));
}

static int
prepare(job *j, const char *sizes)
{
    int ok = compile(j) && read_sizes(j, sizes);
    for (size_t i = 0; ok && i < j->arguments; i++)
        ok = make_storages(j, i);
    return ok && bind(j, &j->side[HOST]) && bind(j, &j->side[DEVICE]);
}

/* ---- running ---- */

/* Seconds of "n" runs; negative, after a message, if one fails. */
static double
time_runs(const job *j, int at, int64_t n)
{
    double start = bench_now();
    for (int64_t i = 0; i < n; i++)
        if (ilex_prepared_run(j->side[at].prepared) != ILEX_OK) {
            fail(j, ilex_prepared_error(j->side[at].prepared));
            return -1;
        }
    return bench_now() - start;
}

/* Counts the elements of an output that differ. */
static int
compare(job *j, size_t i)
{
    ilex_storage *back =
        ilex_storage_to(j->ctx, j->side[DEVICE].storage[i], "cpu");
    const char *a = back ? ilex_storage_const_data(back) : NULL;
    const char *b = ilex_storage_const_data(j->side[HOST].storage[i]);
    if (!a || !b)
        return fail(j, ilex_error_text(j->ctx));
    size_t n = (size_t)ilex_storage_count(back),
           bytes = ilex_dtype_bytes(ilex_storage_dtype(back));
    for (size_t k = 0; k < n; k++)
        j->differ += memcmp(a + k * bytes, b + k * bytes, bytes) != 0;
    j->elements += n;
    ilex_storage_release(back);
    return 1;
}

static int
compare_all(job *j)
{
    int ok = time_runs(j, HOST, 1) >= 0;
    for (size_t i = 0; ok && i < j->arguments; i++)
        if (ilex_program_argument(j->side[HOST].program, i).output)
            ok = compare(j, i);
    return ok;
}

static int
measure(job *j, int rounds)
{
    ix_error err;
    ix_error_clear(&err);
    j->first = time_runs(j, DEVICE, 1);
    double once = j->first < 0 ? -1 : time_runs(j, DEVICE, 1);
    if (once < 0)
        return 0;
    int64_t n = once < least ? (int64_t)(least / (once + 1e-9)) + 1 : 1;
    for (int round = 0; round < rounds; round++) {
        double seconds = time_runs(j, DEVICE, n);
        if (seconds < 0)
            return 0;
        bench_add(&j->run, seconds / (double)n);
    }
    char *text = ilex_module_stage(j->module, "counts");
    int ok = text && bench_counts_read(text, j->size, j->sizes + j->counted,
                                       &j->counts);
    ilex_text_free(j->ctx, text);
    if (!ok)
        return fail(j, "the counts cannot be read");
    double bytes = j->counts.read + j->counts.written;
    return bench_device_copy((size_t)(bytes / 2), rounds, least, &j->copy, &err)
               ? fail(j, err.text)
               : 1;
}

static void
print(job *j)
{
    bench_summary run = bench_summarize(&j->run),
                  copy = bench_summarize(&j->copy);
    const ilex_program *p = j->side[DEVICE].program;
    double rate = (j->counts.read + j->counts.written) / run.median;
    printf("%-12s %2zu kernels, first run %8.1f ms; run %9.4f ms (%.4f to "
           "%.4f), %8.2f GB/s, %4.0f%% of copy (%.2f GB/s); %zu of %zu "
           "elements differ from cc\n",
           ilex_program_name(p), ilex_program_kernel_count(p), 1e3 * j->first,
           1e3 * run.median, 1e3 * run.low, 1e3 * run.high, 1e-9 * rate,
           100 * rate / copy.median, 1e-9 * copy.median, j->differ,
           j->elements);
}

int
main(int argc, char **argv)
{
    static job j;
    int rounds = argc > 3 ? atoi(argv[3]) : ROUNDS;
    if (argc == 3 && strcmp(argv[1], "-w") == 0)
        return !write_programs(argv[2]);
    if (argc < 3 || rounds < 1 || rounds > BENCH_SAMPLES) {
        fprintf(stderr, "usage: gpubench FILE.ilx SIZE=NUMBER,... [ROUNDS]\n"
                        "       gpubench -w DIRECTORY\n");
        return 2;
    }
    j.ctx = ilex_context_new(NULL);
    j.file = argv[1];
    int ok = prepare(&j, argv[2]) && measure(&j, rounds) && compare_all(&j);
    if (ok)
        print(&j);
    for (int i = 0; i < 2; i++) {
        ilex_prepared_release(j.side[i].prepared);
        ilex_program_release(j.side[i].program);
        for (size_t k = 0; k < j.arguments && k < MOST; k++)
            ilex_storage_release(j.side[i].storage[k]);
    }
    ilex_module_free(j.module);
    ilex_context_free(j.ctx);
    return !ok;
}
