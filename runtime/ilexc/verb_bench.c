/* SPDX-License-Identifier: MIT
 *
 * `ilexc bench`: the time of a program by each back end in turn, and what of
 * the bandwidth of the machine, or of the device, it reaches by its own count
 * of bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ilexc/run.h"
#include "runtime/measure/counts.h"
#include "runtime/measure/device_copy.h"
#include "runtime/measure/limits.h"

enum {
    BACK_ENDS = 4,
    ROUNDS = 9,
    POINTS = 1 << 22 /* product of the sizes that are not given */
};
static const double least = 0.02; /* seconds of one sample */

/* A back end and its timings. */
typedef struct contender {
    char name[16];
    ilex_program *program;
    ilex_prepared *prepared;
    int64_t repeats;
    bench_samples samples;
} contender;

typedef struct bench {
    ix_cli_run run;
    contender *contender;
    size_t n;
    bench_counts counts;
    bench_limits limits;
    bool device; /* it runs on one: only that one's copy counts */
    bench_samples device_copy;
} bench;

/* ---- programs ---- */

/* Was a back end asked for? Then it is the only one. */
static const char *
asked_back_end(const ix_cli_command *c)
{
    const char *name = NULL;
    for (size_t i = 0; i < c->nsettings; i++)
        if (c->setting[i].name && strcmp(c->setting[i].name, "jit") == 0)
            name = c->setting[i].value;
    return name && strcmp(name, "auto") != 0 ? name : NULL;
}

/* Compiles the program for back end "name"; one that is not there is left out
 * unless it was asked for. */
static ix_cli_exit
add_contender(bench *b, const char *name, size_t length, bool asked)
{
    ilex_context *ctx = b->run.session.ctx;
    contender *x = &b->contender[b->n];
    snprintf(x->name, sizeof x->name, "%.*s", (int)length, name);
    if (ilex_option_set(ctx, "jit", x->name) == ILEX_OK)
        x->program = ilex_compile_module(b->run.session.module);
    ix_cli_exit status = ix_cli_exit_of(ilex_error_code(ctx));
    if (x->program) {
        b->n++;
        return IX_EXIT_OK;
    }
    if (asked || status != IX_EXIT_TOOLCHAIN)
        return ix_cli_library_error(ctx);
    printf("%s: left out, it is not there\n", x->name);
    ilex_error_clear(ctx);
    return IX_EXIT_OK;
}

/* The back ends of the host that compile, or the one that was asked for. */
static ix_cli_exit
compile_all(bench *b)
{
    const char *asked = asked_back_end(b->run.command);
    ix_cli_exit status = ix_cli_session_parse(&b->run.session, b->run.command);
    if (status != IX_EXIT_OK)
        return status;
    if (asked)
        return add_contender(b, asked, strlen(asked), true);
    const char *at = ilex_table("backends");
    while (at && *at && status == IX_EXIT_OK && b->n < BACK_ENDS) {
        size_t word = strcspn(at, "\t\n"), line = strcspn(at, "\n");
        bool device = word == 5 && strncmp(at, "nvrtc", word) == 0;
        if (!device && !(word == 9 && strncmp(at, "reference", word) == 0))
            status = add_contender(b, at, word, false);
        at += line + (at[line] != '\0');
    }
    if (status == IX_EXIT_OK && b->n == 0)
        return ix_cli_fail(IX_EXIT_TOOLCHAIN, "no back end compiles here; "
                                              "--jit=reference is always "
                                              "there");
    return status;
}

/* ---- arguments ---- */

/* Inputs that nothing was said of: random numbers, 0 for integers, which may be
 * indices, 1 for single numbers. */
static void
default_sources(ix_cli_run *r)
{
    for (size_t i = 0; i < r->nfields; i++) {
        ix_cli_field *f = &r->field[i];
        ilex_dtype type = f->info.dtype;
        bool real = type >= ILEX_F32; /* or complex */
        if (f->info.output || f->source.kind != IX_CLI_SOURCE_NONE)
            continue;
        f->source.kind = real && f->info.rank ? IX_CLI_SOURCE_RANDOM
                                              : IX_CLI_SOURCE_CONSTANT;
        f->source.seed = i + 1;
        f->source.constant = f->info.rank == 0;
    }
}

/* Without files, sizes that nothing was said of have equal values. */
static void
default_sizes(ix_cli_run *r)
{
    size_t open = 0;
    int64_t value = 8;
    for (size_t i = 0; i < r->nfields; i++)
        if (r->field[i].source.kind == IX_CLI_SOURCE_FILE)
            return;
    for (size_t j = 0; j < r->nsizes; j++)
        open += !r->known[j];
    for (double product = 0; product <= POINTS; value += 8) {
        product = 1;
        for (size_t j = 0; j < open; j++)
            product *= (double)(value + 8);
        if (open == 0 || product > POINTS)
            break;
    }
    for (size_t j = 0; j < r->nsizes; j++)
        if (!r->known[j]) {
            r->size[j].value = value;
            r->known[j] = true;
        }
}

static ix_cli_exit
make_arguments(bench *b)
{
    ix_cli_run *r = &b->run;
    r->program = b->contender[0].program;
    ix_cli_exit status = ix_cli_run_list(r);
    status = status ? status : ix_cli_values_read(r);
    if (status != IX_EXIT_OK)
        return status;
    default_sources(r);
    default_sizes(r);
    status = ix_cli_fields_load(r);
    status = status ? status : ix_cli_sizes_solve(r);
    return status ? status : ix_cli_fields_make(r);
}

/* Binds the storages to every program. */
static ix_cli_exit
bind_all(bench *b)
{
    ix_cli_run *r = &b->run;
    ilex_call call = {
        .size = sizeof call, .sizes = r->size, .size_count = r->nsizes};
    ilex_binding *binding = calloc(r->nfields + 1, sizeof *binding);
    bool ok = binding != NULL;
    for (size_t i = 0; ok && i < r->nfields; i++)
        binding[i] =
            (ilex_binding)ILEX_BIND(r->field[i].info.name, r->field[i].storage);
    for (size_t i = 0; ok && i < b->n; i++) {
        contender *x = &b->contender[i];
        x->prepared =
            ilex_bind(r->session.ctx, x->program, binding, r->nfields, &call);
        ok = x->prepared != NULL;
    }
    free(binding);
    return ok ? IX_EXIT_OK : ix_cli_library_error(r->session.ctx);
}

/* ---- timing ---- */

/* Seconds of "n" runs; negative, after a message, if one fails. */
static double
time_runs(contender *x, int64_t n)
{
    double start = bench_now();
    for (int64_t i = 0; i < n; i++)
        if (ilex_prepared_run(x->prepared) != ILEX_OK) {
            ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", x->name,
                        ilex_prepared_error(x->prepared));
            return -1;
        }
    return bench_now() - start;
}

/* All back ends in turn, so that what disturbs the machine disturbs all. */
static ix_cli_exit
measure(bench *b)
{
    for (size_t i = 0; i < b->n; i++) {
        contender *x = &b->contender[i];
        double first = time_runs(x, 1), once = first < 0 ? -1 : time_runs(x, 1);
        if (once < 0)
            return IX_EXIT_PROGRAM;
        x->repeats = once < least ? (int64_t)(least / (once + 1e-9)) + 1 : 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < b->n; i++) {
            contender *x = &b->contender[i];
            double seconds = time_runs(x, x->repeats);
            if (seconds < 0)
                return IX_EXIT_PROGRAM;
            bench_add(&x->samples, seconds / (double)x->repeats);
        }
    return IX_EXIT_OK;
}

/* What the program costs at these sizes, by its own count. */
static ix_cli_exit
count(bench *b)
{
    ilex_context *ctx = b->run.session.ctx;
    char *text = ilex_module_stage(b->run.session.module, "counts");
    if (!text)
        return ix_cli_library_error(ctx);
    int ok = bench_counts_read(text, b->run.size,
                               b->run.nsizes + b->run.ncounted, &b->counts);
    ilex_text_free(ctx, text);
    return ok ? IX_EXIT_OK
              : ix_cli_fail(IX_EXIT_PROGRAM, "the counts cannot be read");
}

/* The bytes that a run moves at least. */
static double
bytes_of(const bench *b)
{
    return b->counts.read + b->counts.written;
}

/* What the program is compared with: on a device a copy of as many bytes. */
static ix_cli_exit
measure_machine(bench *b)
{
    b->device = ix_cli_on_device(b->run.program);
    ix_error err;
    ix_error_clear(&err);
    if (b->device && bench_device_copy((size_t)(bytes_of(b) / 2), ROUNDS, least,
                                       &b->device_copy, &err))
        return ix_cli_fail(ix_cli_exit_of(err.code), "bench: %s", err.text);
    if (b->device)
        return IX_EXIT_OK;
    return bench_limits_measure(&b->limits, 5, least)
               ? IX_EXIT_OK
               : ix_cli_fail(IX_EXIT_LIMIT, "the machine cannot be measured");
}

/* ---- report ---- */

/* Bytes a second of a copy, for one thread or all, in memory or in a cache. */
static bench_summary
copy_bandwidth(bench *b, bool one, bench_set set)
{
    for (int i = 0; i < LIMITS; i++) {
        bench_limit *l = &b->limits.limit[i];
        if (strcmp(l->name, "copy") == 0 && l->set == set &&
            l->threads == (one ? 1 : b->limits.threads))
            return bench_summarize(&l->samples);
    }
    return (bench_summary){0};
}

static void
print_copy(bench_summary s)
{
    printf(": %.2f GB/s (%.2f to %.2f)\n", 1e-9 * s.median, 1e-9 * s.low,
           1e-9 * s.high);
}

/* The copies by one thread and by all; the one to compare with. */
static bench_summary
print_host_copies(bench *b, const char *threads)
{
    bench_set set =
        bytes_of(b) <= (double)b->limits.cache_bytes ? SET_CACHE : SET_MEMORY;
    bench_summary one = copy_bandwidth(b, true, set);
    bench_summary all = copy_bandwidth(b, false, set);
    const char *where = bench_set_name(set);
    printf("copy by 1 thread, arrays in %s", where);
    print_copy(one);
    if (b->limits.threads == 1)
        return one;
    printf("copy by %d threads, arrays in %s", b->limits.threads, where);
    print_copy(all);
    return strcmp(threads, "1") != 0 && all.median > one.median ? all : one;
}

static bench_summary
print_device_copy(bench *b)
{
    bench_summary s = bench_summarize(&b->device_copy);
    printf("copy on the device, of as many bytes");
    print_copy(s);
    return s;
}

static void
print_head(const bench *b)
{
    const ix_cli_run *r = &b->run;
    printf("program %s", ilex_program_name(r->program));
    for (size_t j = 0; j < r->nsizes; j++)
        printf("%s%s=%lld", j ? ", " : ": ", r->size[j].name,
               (long long)r->size[j].value);
    printf("\na run moves at least %.4g MB (%.4g read, %.4g written) and takes "
           "%.4g million operations\n",
           1e-6 * bytes_of(b), 1e-6 * b->counts.read, 1e-6 * b->counts.written,
           1e-6 * b->counts.operations);
}

static void
print_report(bench *b)
{
    double bytes = bytes_of(b);
    const char *threads =
        b->device ? "-" : ilex_option_get(b->run.session.ctx, "threads");
    print_head(b);
    bench_summary copy =
        b->device ? print_device_copy(b) : print_host_copies(b, threads);
    printf("%-10s %8s %11s %11s %11s %8s %8s %9s\n", "back end", "threads",
           "median ms", "low", "high", "GB/s", "of copy", "Gop/s");
    for (size_t i = 0; i < b->n; i++) {
        bench_summary s = bench_summarize(&b->contender[i].samples);
        printf("%-10s %8s %11.4f %11.4f %11.4f %8.2f %7.0f%% %9.2f\n",
               b->contender[i].name, threads, 1e3 * s.median, 1e3 * s.low,
               1e3 * s.high, 1e-9 * bytes / s.median,
               100 * bytes / s.median / copy.median,
               1e-9 * b->counts.operations / s.median);
    }
}

/* The time of each kernel in as many runs as one sample has: beside those that
 * were measured, which were not disturbed by clocks. */
static ix_cli_exit
profile(bench *b)
{
    for (size_t i = 0; i < b->n; i++) {
        contender *x = &b->contender[i];
        ilex_program_profile(x->program, 1);
        double seconds = time_runs(x, x->repeats);
        ilex_program_profile(x->program, 0);
        if (seconds < 0)
            return IX_EXIT_PROGRAM;
        ix_cli_profile_print(x->program, seconds, x->repeats);
    }
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_verb_bench(const ix_cli_command *c)
{
    static ix_cli_exit (*const steps[])(bench * b) = {
        compile_all, make_arguments, bind_all, count, measure_machine, measure};
    bench *b = calloc(1, sizeof *b);
    ix_cli_exit status = IX_EXIT_OK;
    if (b)
        b->contender = calloc(BACK_ENDS, sizeof *b->contender);
    if (!b || !b->contender) {
        free(b);
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    }
    b->run.command = c;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == 0; i++)
        status = steps[i](b);
    if (status == IX_EXIT_OK)
        print_report(b);
    if (status == IX_EXIT_OK && ix_cli_options_value(c, IX_FLAG_PROFILE, NULL))
        status = profile(b);
    for (size_t i = 0; i < b->n; i++) {
        ilex_prepared_release(b->contender[i].prepared);
        ilex_program_release(b->contender[i].program);
    }
    b->run.program = NULL;
    ix_cli_run_close(&b->run);
    free(b->contender);
    free(b);
    return status;
}
