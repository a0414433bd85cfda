/* SPDX-License-Identifier: MIT
 *
 * Runs recipes: one program of them all, by every back end, with one, two and
 * three threads, each time over storages of another layout. The results of the
 * reference count.
 */
#define _GNU_SOURCE /* clock_gettime */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/program/program.h"
#include "tests/cuda/cuda_device.h"
#include "tests/differential/cuda_shim.h"
#include "tests/differential/diff_session.h"

/* Recipes of a program that is run for a part; rounds of other sizes. */
enum { PART_GROUP = 12, ROUNDS = 3 };

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- back ends ---- */

/* The program by back end "jit", or by the shim; NULL after a verdict. */
static ilex_program *
compile(diff_session *s, const char *jit)
{
    ilex_program *p = NULL;
    if (!strcmp(jit, "cuda")) {
        p = cuda_shim_compile(s->module, s->o->shim);
    } else {
        ilex_option_set(s->ctx, "jit", jit);
        p = ilex_compile_module(s->module);
    }
    ilex_status rc = ilex_error_code(s->ctx);
    bool refused = !p && diff_is_refusal(rc);
    if (refused && s->count == 1 && !s->parts)
        s->refused = true;
    else if (!p && !(refused && s->parts)) /* parts: halo(auto) has no width
                                              where data says what is read */
        diff_fail_all(s, jit, rc, ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    return p;
}

static void
run_reference(diff_session *s)
{
    double start = now();
    ilex_program *p = compile(s, "reference");
    if (!p)
        return;
    s->totals->seconds[0] += now() - start;
    s->narguments = ilex_program_argument_count(p);
    s->want = calloc(s->narguments + 1, sizeof *s->want);
    if (!s->want)
        abort();
    diff_run_once(s, p, "reference", 1);
    ilex_program_release(p);
}

/* Loops are for a machine that is drawn for each group: one with a name, or a
 * record. */
static void
draw_target(diff_session *s)
{
    static const char *const names[] = {"native", "generic", "avx2", "avx512"};
    diff_random r =
        diff_random_of(s->recipes->seed, s->recipes->number / DIFF_GROUP, 12);
    int name = diff_draw(&r, 2 * (int)(sizeof names / sizeof *names));
    char record[160];
    snprintf(record, sizeof record,
             "vector_bytes=%d,vector_registers=%d,fma=%d,stream_bytes=%d,"
             "l1_bytes=%d,l1_ways=%d,l2_bytes=%d,l3_bytes=%d,cores=%d",
             16 << diff_draw(&r, 3), 8 << diff_draw(&r, 3), diff_draw(&r, 2),
             1 << diff_draw(&r, 20), 1024 << diff_draw(&r, 6),
             1 << diff_draw(&r, 5), 2048 << diff_draw(&r, 8),
             4096 << diff_draw(&r, 10), diff_between(&r, 1, 64));
    if (ilex_option_set(s->ctx, "target", name < 4 ? names[name] : record) !=
        ILEX_OK)
        abort();
}

/* tcc or cc with one, two and three threads. */
static void
run_threads(diff_session *s, const char *jit, int number)
{
    double start = now();
    ilex_program *p = s->broken ? NULL : compile(s, jit);
    if (!p)
        return;
    s->totals->seconds[number] += now() - start;
    s->totals->kernels += (int64_t)ilex_program_kernel_count(p);
    for (int threads = 1; threads <= 3; threads++) {
        char where[40];
        snprintf(where, sizeof where, "%s, %d thread%s", jit, threads,
                 threads > 1 ? "s" : "");
        diff_run_once(s, p, where, threads);
    }
    ilex_program_release(p);
}

/* With an option that must not change a bit: every array stored, axes back to
 * front. */
static void
run_with(diff_session *s, const char *option, const char *value,
         const char *usual)
{
    char where[40];
    snprintf(where, sizeof where, "tcc, %s=%s", option, value);
    ilex_option_set(s->ctx, option, value);
    ilex_program *p = s->broken ? NULL : compile(s, "tcc");
    ilex_option_set(s->ctx, option, usual);
    if (p)
        diff_run_once(s, p, where, 1);
    ilex_program_release(p);
}

/* Forgets what the reference computed. */
static void
forget(diff_session *s)
{
    for (size_t i = 0; s->want && i < s->narguments; i++) {
        free(s->want[i].bytes);
        s->want[i] = (diff_wanted){NULL, 0};
    }
    s->variant = 0;
}

/* What a run of the program says; its results are not looked at. */
static ilex_status
said_by(diff_session *s, const ilex_program *p, const char *where)
{
    ilex_status status = ILEX_OK;
    s->status = &status;
    diff_run_once(s, p, where, 1);
    s->status = NULL;
    return status;
}

/* Programs for any sizes, run with others in turn; for some of which there may
 * be no result, such as the least of no elements: both say so. */
static void
run_again(diff_session *s)
{
    const diff_recipe *first = s->recipes;
    diff_random r = diff_random_of(first->seed, first->number, 10);
    ilex_program *p = compile(s, "reference");
    ilex_program *q = p && !s->broken ? compile(s, "tcc") : NULL;
    for (s->round = 1; q && !s->broken && s->round <= ROUNDS; s->round++) {
        for (int i = 0; i < DIFF_PARAMS; i++)
            s->sizes[i].value = first->sizes.least + diff_draw(&r, 12);
        ilex_status want = said_by(s, p, "reference, other sizes"),
                    got = said_by(s, q, "tcc, other sizes");
        if (want != got)
            diff_fail_all(s, "tcc, other sizes", got,
                          "the reference disagrees");
        forget(s);
        if (want || s->broken)
            continue;
        diff_run_once(s, p, "reference, other sizes", 1);
        diff_run_once(s, q, "tcc, other sizes", s->round);
    }
    ilex_program_release(p);
    ilex_program_release(q);
}

/* A few points of a named axis that some output has; false if none has. */
static bool
choose_part(const diff_session *s, const ilex_program *p, diff_random *r,
            diff_part *part)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    size_t first = (size_t)diff_draw(r, (int)s->narguments);
    for (size_t i = 0; i < s->narguments; i++) {
        size_t at = (first + i) % s->narguments;
        ilex_argument_info info = ilex_program_argument(p, at);
        int k = info.rank ? diff_draw(r, info.rank) : 0;
        if (!info.output || info.rank == 0 || !*info.axis[k] ||
            ilex_program_extents(p, at, s->sizes, DIFF_PARAMS, lo, hi, NULL))
            continue;
        int length = hi[k] > lo[k] ? (int)(hi[k] - lo[k]) : 0;
        part->axis = info.axis[k];
        part->lo = lo[k] + diff_between(r, -1, length);
        part->hi = part->lo + diff_draw(r, 5);
        return true;
    }
    return false;
}

/* Runs a program for a part of its outputs. */
static void
run_part(diff_session *s)
{
    static const char *const jits[] = {"tcc", "reference"};
    const diff_recipe *first = s->recipes;
    diff_random r = diff_random_of(first->seed, first->number, 8);
    diff_part part;
    ilex_option_set(s->ctx, "box", "1");
    s->parts = true;
    for (int i = 0; i < 2; i++) {
        ilex_program *p = s->broken ? NULL : compile(s, jits[i]);
        if (p && choose_part(s, p, &r, &part)) {
            char where[80];
            snprintf(where, sizeof where, "%s, box %s=%lld:%lld", jits[i],
                     part.axis, (long long)part.lo, (long long)part.hi);
            s->part = &part;
            diff_run_once(s, p, where, 2);
            s->part = NULL;
        }
        ilex_program_release(p);
    }
    s->parts = false;
    ilex_option_set(s->ctx, "box", "0");
}

static void
compile_ptx(diff_session *s, const ilex_program *p)
{
    int skipped;
    ix_error err;
    ix_error_clear(&err);
    ilex_status rc = cuda_shim_ptx(cuda_shim_source(p), 0, &skipped, &err);
    rc = rc ? rc : cuda_shim_ptx(cuda_shim_source(p), 1, &skipped, &err);
    if (rc != ILEX_OK)
        diff_fail_all(s, "NVRTC", rc, err.text);
    s->totals->ptx += !rc && !skipped;
}

static void
run_cuda(diff_session *s)
{
    double start = now();
    ilex_program *p = s->broken ? NULL : compile(s, "cuda");
    if (!p)
        return;
    s->totals->seconds[3] += now() - start;
    diff_run_once(s, p, "cuda", 1);
    cuda_shim_backwards(1);
    diff_run_once(s, p, "cuda, last thread first", 1);
    cuda_shim_backwards(0);
    if (s->o->nvrtc)
        compile_ptx(s, p);
    ilex_program_release(p);
}

/* On a GPU, by the library's own back end. */
static void
run_device(diff_session *s)
{
    ilex_program *p = s->broken ? NULL : cuda_device_compile(s->ctx, s->module);
    if (!p && !s->broken)
        diff_fail_all(s, "nvrtc", ilex_error_code(s->ctx),
                      ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    s->on_device = true;
    for (int i = 0; p && i < 2; i++)
        diff_run_once(s, p, "nvrtc", 1);
    s->on_device = false;
    ilex_program_release(p);
}

/* ---- a session ---- */

static bool
build(diff_session *s)
{
    s->ctx = ilex_context_new(NULL);
    s->shops = calloc((size_t)s->count, sizeof *s->shops);
    if (!s->ctx || !s->shops ||
        !diff_context_prepare(s->ctx, &s->recipes[0].sizes))
        abort();
    s->module = ilex_module_new(s->ctx, "random");
    if (s->o->cflags)
        ilex_option_set(s->ctx, "cflags", s->o->cflags);
    for (int i = 0; i < s->count; i++) {
        if (!diff_recipe_build(&s->shops[i], s->ctx, &s->recipes[i], i)) {
            diff_fail(s, i, "building", ilex_error_text(s->ctx));
            ilex_error_clear(s->ctx);
            continue;
        }
        if (diff_recipe_outputs(&s->shops[i], s->module) != ILEX_OK) {
            diff_fail_all(s, "outputs", ilex_error_code(s->ctx),
                          ilex_error_text(s->ctx));
            return false;
        }
    }
    return true;
}

static void
close_session(diff_session *s)
{
    forget(s);
    free(s->want);
    free(s->shops);
    ilex_module_free(s->module);
    ilex_context_free(s->ctx);
}

/* Bounds of a part are sizes of a program, whose proofs grow with the square of
 * its outputs: so of every fourth group a few recipes, for a part and for other
 * sizes; each alone if that fails as a whole. */
static void
run_parts(const diff_session *s)
{
    const diff_recipe *first = s->recipes;
    bool all = first->seed & DIFF_REGIONS;
    bool due = all || first->number / DIFF_GROUP % 4 == 3;
    int n = s->count < PART_GROUP ? s->count : PART_GROUP;
    int at = (int)(first->number % (uint64_t)(s->count - n + 1));
    diff_totals unused = {0};
    diff_session t = {.recipes = s->recipes + at,
                      .count = n,
                      .o = s->o,
                      .verdicts = s->verdicts + at,
                      .totals = &unused};
    if (!due || !s->o->tcc)
        return;
    memcpy(t.sizes, s->sizes, sizeof t.sizes);
    if (build(&t))
        run_reference(&t);
    if (t.want)
        run_part(&t);
    if (t.want && !t.broken)
        run_again(&t);
    bool broken = t.broken && n > 1;
    close_session(&t);
    for (int i = 0; broken && i < n; i++) {
        diff_session one = t;
        memcpy(one.sizes, s->sizes, sizeof one.sizes);
        one.recipes += i;
        one.verdicts += i;
        one.count = 1;
        run_parts(&one);
    }
}

/* The status of a run of one recipe by itself, with its sizes. */
static ilex_status
status_of(diff_session *s, const char *jit)
{
    ilex_program *p = s->broken ? NULL : compile(s, jit);
    s->narguments = p ? ilex_program_argument_count(p) : 0;
    s->variant = 0;
    ilex_status status = p ? said_by(s, p, jit) : ILEX_OK;
    ilex_program_release(p);
    return status;
}

/* Recipe "at" with a size below what is assumed of it, which passes may have
 * made use of and left out: every back end says the same. */
static void
run_violated(const diff_session *s, int at)
{
    diff_totals unused = {0};
    diff_session t = {.recipes = s->recipes + at,
                      .count = 1,
                      .o = s->o,
                      .verdicts = s->verdicts + at,
                      .totals = &unused};
    int size = (int)(t.recipes->number % DIFF_PARAMS);
    memcpy(t.sizes, s->sizes, sizeof t.sizes);
    t.sizes[size].value = t.recipes->sizes.least - 1;
    if (!s->o->tcc || t.sizes[size].value < 0)
        return;
    if (build(&t)) {
        ilex_status want = status_of(&t, "reference"),
                    got = status_of(&t, "tcc");
        if (got != want)
            diff_fail(&t, 0, "tcc, sizes against an assumption",
                      ilex_status_name(got));
    }
    close_session(&t);
}

void
diff_run(const diff_recipe *recipes, int count, const diff_options *o,
         diff_verdict *verdicts, diff_totals *totals)
{
    diff_session s = {.recipes = recipes,
                      .count = count,
                      .o = o,
                      .verdicts = verdicts,
                      .totals = totals};
    if (count == 0)
        return;
    for (int i = 0; i < DIFF_PARAMS; i++)
        s.sizes[i] =
            (ilex_size_binding){diff_param_names[i], recipes[0].sizes.value[i]};
    /* half of them are compiled for each order in which storages lie */
    ix_layouts_bytes = recipes->number / DIFF_GROUP % 2 ? INT64_MAX : 0;
    if (build(&s))
        run_reference(&s);
    if (s.want)
        draw_target(&s);
    if (s.want && o->tcc)
        run_threads(&s, "tcc", 1);
    if (s.want && o->tcc)
        run_with(&s, "fuse", "0", "1");
    if (s.want && o->tcc)
        run_with(&s, "order", "F", "auto");
    if (s.want && o->tcc)
        run_with(&s, "schedule", "none", "auto");
    if (s.want && o->cc)
        run_threads(&s, "cc", 2);
    if (s.want && o->cuda)
        run_cuda(&s);
    if (s.want && o->device)
        run_device(&s);
    if (s.want && !s.broken)
        run_parts(&s);
    if (s.want && !s.broken)
        for (int i = 0; i < count; i += 4)
            run_violated(&s, i);
    totals->programs += count == 1 || !s.broken ? count : 0;
    totals->refused += s.refused;
    bool broken = s.broken && count > 1;
    close_session(&s);
    if (broken) {
        diff_run(recipes, count / 2, o, verdicts, totals);
        diff_run(recipes + count / 2, count - count / 2, o,
                 verdicts + count / 2, totals);
    }
}
