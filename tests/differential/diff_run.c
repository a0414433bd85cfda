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
#include "tests/differential/differential.h"

/* Recipes of a program that is run for a part; rounds of other sizes. */
enum { PART_GROUP = 12, ROUNDS = 3 };

/* What the reference computed for one output. */
typedef struct wanted {
    unsigned char *bytes;
    size_t n;
} wanted;

typedef struct session {
    const diff_recipe *recipes;
    int count;
    const diff_options *o;
    diff_verdict *verdicts;
    diff_totals *totals;
    ilex_context *ctx;
    ilex_module *module;
    diff_shop *shops;
    ilex_size_binding sizes[DIFF_PARAMS];
    size_t narguments;
    wanted *want; /* by argument; NULL before the reference ran */
    int variant;
    bool refused;   /* by the compiler, all alone */
    bool broken;    /* the program as a whole failed: look at fewer recipes */
    bool on_device; /* runs go to a GPU */
    bool parts;     /* programs are compiled to be run on parts */
    int round;      /* of runs with other sizes; 0: those of the recipes */
    const diff_part *part; /* of the outputs, NULL: all of them */
    ilex_status *status;   /* all that is wanted of a run; NULL: its results */
} session;

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- verdicts ---- */

static void
fail(session *s, int slot, const char *where, const char *what)
{
    diff_verdict *v = &s->verdicts[slot];
    if (v->failed)
        return;
    v->failed = true;
    snprintf(v->text, sizeof v->text, "%s: %s", where, what);
}

/* Something failed that may be any recipe's fault. */
static void
fail_all(session *s, const char *where, ilex_status rc, const char *text)
{
    char what[900];
    snprintf(what, sizeof what, "%s: %s", ilex_status_name(rc), text);
    if (s->count == 1)
        fail(s, 0, where, what);
    s->broken = true;
}

/* ---- one run ---- */

/* Keeps the results of the reference, compares those of the others, of a part
 * with those of the reference there ("whole": all of the output). */
static void
judge(session *s, const ilex_program *p, const diff_buffer *b,
      const diff_buffer *whole, size_t i, const char *where)
{
    wanted got, want = s->want[i];
    unsigned char *picked = NULL;
    got.bytes = diff_buffer_take(b, &got.n);
    if (s->variant == 0) {
        s->want[i] = got;
        s->totals->outputs++;
        s->totals->elements += (int64_t)(got.n / ilex_dtype_bytes(b->dtype));
        return;
    }
    if (s->part) {
        picked = diff_buffer_pick(whole, want.bytes, b);
        want = (wanted){picked, diff_buffer_bytes(b)};
    }
    if (got.n != want.n)
        fail(s, b->slot, where, "an output has another size");
    else if (got.n && memcmp(got.bytes, want.bytes, got.n) != 0) {
        char what[600];
        diff_buffer_difference(b, p->c->buffer[i].name, got.bytes, want.bytes,
                               want.n, what, sizeof what);
        fail(s, b->slot, where, what);
    }
    free(got.bytes);
    free(picked);
}

static void
check_memory(session *s, const diff_buffer *b, size_t i, const char *where)
{
    const diff_buffer *mine = b[i].output ? &b[i] : NULL;
    if (b[i].shares >= 0)
        return;
    for (size_t k = 0; k < s->narguments; k++)
        if (b[k].shares == (int)i)
            mine = &b[k];
    if (!diff_buffer_intact(&b[i], mine))
        fail(s, b[i].slot, where,
             mine ? "memory outside an output's domain changed"
                  : "an input changed");
}

static bool
make_buffers(session *s, const ilex_program *p, diff_buffer *b)
{
    for (size_t i = 0; i < s->narguments; i++) {
        int shares = p->c->buffer[i].inplace;
        int slot = atoi(p->c->buffer[i].name + 1);
        const diff_recipe *recipe = &s->recipes[slot];
        bool written = diff_is_inplace(recipe, p->c->buffer[i].name);
        uint64_t content = recipe->seed * 1000003u + recipe->number;
        if (!diff_buffer_make(&b[i], s->ctx, p, i, s->sizes, DIFF_PARAMS,
                              content, s->variant + 10 * s->round, written,
                              shares >= 0 ? &b[shares] : NULL)) {
            fail_all(s, "binding", ilex_error_code(s->ctx),
                     ilex_error_text(s->ctx));
            return false;
        }
        b[i].shares = shares;
    }
    return true;
}

/* What a run wrote: compared, and nothing else. */
static void
check_results(session *s, const ilex_program *p, diff_buffer *b,
              const char *where)
{
    diff_buffer *whole = calloc(s->narguments + 1, sizeof *whole);
    if (!whole)
        abort();
    memcpy(whole, b, s->narguments * sizeof *whole);
    for (size_t i = 0; s->part && i < s->narguments; i++) {
        ilex_argument_info info = ilex_program_argument(p, i);
        if (b[i].output)
            diff_buffer_cut(&b[i], info.axis, s->part);
    }
    for (size_t i = 0; i < s->narguments; i++) {
        check_memory(s, b, i, where);
        if (b[i].output)
            judge(s, p, &b[i], &whole[i], i, where);
    }
    free(whole);
}

/* For every second run a workspace between pages that nothing may touch. */
static void
make_workspace(const session *s, const ilex_program *p, ilex_call *call)
{
    bool none = call->counted_count || s->on_device || s->part;
    int64_t bytes =
        none || s->variant % 2
            ? 0
            : ilex_program_workspace(p, s->sizes, DIFF_PARAMS, call->threads);
    if (bytes <= 0)
        return;
    call->workspace_bytes = ((size_t)bytes + 63) / 64 * 64;
    call->workspace = diff_pages_new(call->workspace_bytes, s->variant % 4);
    memset(call->workspace, 0xff, call->workspace_bytes);
}

/* One run over fresh storages; "where" names it in verdicts. */
static void
run_once(session *s, const ilex_program *p, const char *where, int threads)
{
    diff_buffer *b = calloc(s->narguments + 1, sizeof *b);
    ilex_binding *bindings = calloc(s->narguments + 1, sizeof *bindings);
    char box[120];
    ilex_call call = {.size = sizeof call,
                      .threads = threads,
                      .sizes = s->sizes,
                      .size_count = DIFF_PARAMS};
    call.counted = diff_counted(p, s->sizes, &call.counted_count);
    if (s->part) {
        snprintf(box, sizeof box, "%s=%lld:%lld", s->part->axis,
                 (long long)s->part->lo, (long long)s->part->hi);
        call.box = box;
    }
    if (!b || !bindings)
        abort();
    if (make_buffers(s, p, b)) {
        for (size_t i = 0; i < s->narguments; i++) {
            diff_buffer_arm(&b[i]);
            bindings[i] =
                (ilex_binding)ILEX_BIND(p->c->buffer[i].name, b[i].storage);
        }
        make_workspace(s, p, &call);
        diff_shuffle(bindings, s->narguments, s->variant);
        ilex_status rc =
            s->on_device ? cuda_device_run(p, bindings, s->narguments, &call)
                         : ilex_run(p, bindings, s->narguments, &call);
        if (s->status)
            *s->status = rc;
        else if (rc != ILEX_OK)
            fail_all(s, where, rc, call.error);
        for (size_t i = 0; !s->status && !rc && i < s->narguments; i++)
            diff_buffer_shrink(&b[i], p, i, call.counted,
                               call.counted_count + DIFF_PARAMS);
        if (!s->status && !rc)
            check_results(s, p, b, where);
        diff_pages_free(call.workspace, call.workspace_bytes, s->variant % 4);
    }
    for (size_t i = s->narguments; i > 0; i--)
        diff_buffer_free(&b[i - 1]);
    free(b);
    free(bindings);
    free(call.counted);
    s->variant++;
}

/* ---- back ends ---- */

/* The program by back end "jit", or by the shim; NULL after a verdict. */
static ilex_program *
compile(session *s, const char *jit)
{
    ilex_program *p = NULL;
    if (!strcmp(jit, "cuda")) {
        p = cuda_shim_compile(s->module, s->o->cflags ? s->o->cflags : "-O1");
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
        fail_all(s, jit, rc, ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    return p;
}

static void
run_reference(session *s)
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
    run_once(s, p, "reference", 1);
    ilex_program_release(p);
}

/* tcc or cc with one, two and three threads. */
static void
run_threads(session *s, const char *jit, int number)
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
        run_once(s, p, where, threads);
    }
    ilex_program_release(p);
}

/* With an option that must not change a bit: every array stored, axes back to
 * front. */
static void
run_with(session *s, const char *option, const char *value, const char *usual)
{
    char where[40];
    snprintf(where, sizeof where, "tcc, %s=%s", option, value);
    ilex_option_set(s->ctx, option, value);
    ilex_program *p = s->broken ? NULL : compile(s, "tcc");
    ilex_option_set(s->ctx, option, usual);
    if (p)
        run_once(s, p, where, 1);
    ilex_program_release(p);
}

/* Forgets what the reference computed. */
static void
forget(session *s)
{
    for (size_t i = 0; s->want && i < s->narguments; i++) {
        free(s->want[i].bytes);
        s->want[i] = (wanted){NULL, 0};
    }
    s->variant = 0;
}

/* Programs for any sizes, run with others in turn. */
static void
run_again(session *s)
{
    const diff_recipe *first = s->recipes;
    diff_random r = diff_random_of(first->seed, first->number, 10);
    ilex_program *p = compile(s, "reference");
    ilex_program *q = p && !s->broken ? compile(s, "tcc") : NULL;
    for (s->round = 1; q && !s->broken && s->round <= ROUNDS; s->round++) {
        for (int i = 0; i < DIFF_PARAMS; i++)
            s->sizes[i].value = first->sizes.least + diff_draw(&r, 12);
        forget(s);
        run_once(s, p, "reference, other sizes", 1);
        run_once(s, q, "tcc, other sizes", s->round);
    }
    ilex_program_release(p);
    ilex_program_release(q);
}

/* A few points of a named axis that some output has; false if none has. */
static bool
choose_part(const session *s, const ilex_program *p, diff_random *r,
            diff_part *part)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    size_t first = (size_t)diff_draw(r, (int)s->narguments);
    for (size_t i = 0; i < s->narguments; i++) {
        size_t at = (first + i) % s->narguments;
        ilex_argument_info info = ilex_program_argument(p, at);
        int k = info.rank ? diff_draw(r, info.rank) : 0;
        if (!info.output || info.rank == 0 || !*info.axis[k] ||
            strchr(info.axis[k], '/') ||
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
run_part(session *s)
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
            run_once(s, p, where, 2);
            s->part = NULL;
        }
        ilex_program_release(p);
    }
    s->parts = false;
    ilex_option_set(s->ctx, "box", "0");
}

static void
compile_ptx(session *s, const ilex_program *p)
{
    int skipped;
    ix_error err;
    ix_error_clear(&err);
    ilex_status rc = cuda_shim_ptx(cuda_shim_source(p), &skipped, &err);
    if (rc != ILEX_OK)
        fail_all(s, "NVRTC", rc, err.text);
    s->totals->ptx += !rc && !skipped;
}

static void
run_cuda(session *s)
{
    double start = now();
    ilex_program *p = s->broken ? NULL : compile(s, "cuda");
    if (!p)
        return;
    s->totals->seconds[3] += now() - start;
    run_once(s, p, "cuda", 1);
    cuda_shim_backwards(1);
    run_once(s, p, "cuda, last thread first", 1);
    cuda_shim_backwards(0);
    if (s->o->nvrtc)
        compile_ptx(s, p);
    ilex_program_release(p);
}

/* On a GPU, by the library's own back end. */
static void
run_device(session *s)
{
    ilex_program *p = s->broken ? NULL : cuda_device_compile(s->ctx, s->module);
    if (!p && !s->broken)
        fail_all(s, "nvrtc", ilex_error_code(s->ctx), ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    s->on_device = true;
    for (int i = 0; p && i < 2; i++)
        run_once(s, p, "nvrtc", 1);
    s->on_device = false;
    ilex_program_release(p);
}

/* ---- a session ---- */

static bool
build(session *s)
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
            fail(s, i, "building", ilex_error_text(s->ctx));
            ilex_error_clear(s->ctx);
            continue;
        }
        if (diff_recipe_outputs(&s->shops[i], s->module) != ILEX_OK) {
            fail_all(s, "outputs", ilex_error_code(s->ctx),
                     ilex_error_text(s->ctx));
            return false;
        }
    }
    return true;
}

static void
close_session(session *s)
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
run_parts(const session *s)
{
    const diff_recipe *first = s->recipes;
    bool all = first->seed & DIFF_REGIONS;
    bool due = all || first->number / DIFF_GROUP % 4 == 3;
    int n = s->count < PART_GROUP ? s->count : PART_GROUP;
    int at = (int)(first->number % (uint64_t)(s->count - n + 1));
    diff_totals unused = {0};
    session t = {.recipes = s->recipes + at,
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
        session one = t;
        one.recipes += i;
        one.verdicts += i;
        one.count = 1;
        run_parts(&one);
    }
}

/* The status of a run of one recipe by itself, with its sizes. */
static ilex_status
status_of(session *s, const char *jit)
{
    ilex_status status = ILEX_OK;
    ilex_program *p = s->broken ? NULL : compile(s, jit);
    s->narguments = p ? ilex_program_argument_count(p) : 0;
    s->status = &status;
    s->variant = 0;
    if (p)
        run_once(s, p, jit, 1);
    ilex_program_release(p);
    return status;
}

/* Recipe "at" with a size below what is assumed of it, which passes may have
 * made use of and left out: every back end says the same. */
static void
run_violated(const session *s, int at)
{
    diff_totals unused = {0};
    session t = {.recipes = s->recipes + at,
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
            fail(&t, 0, "tcc, sizes against an assumption",
                 ilex_status_name(got));
    }
    close_session(&t);
}

void
diff_run(const diff_recipe *recipes, int count, const diff_options *o,
         diff_verdict *verdicts, diff_totals *totals)
{
    session s = {.recipes = recipes,
                 .count = count,
                 .o = o,
                 .verdicts = verdicts,
                 .totals = totals};
    if (count == 0)
        return;
    for (int i = 0; i < DIFF_PARAMS; i++)
        s.sizes[i] =
            (ilex_size_binding){diff_param_names[i], recipes[0].sizes.value[i]};
    if (build(&s))
        run_reference(&s);
    if (s.want && o->tcc)
        run_threads(&s, "tcc", 1);
    if (s.want && o->tcc)
        run_with(&s, "fuse", "0", "1");
    if (s.want && o->tcc)
        run_with(&s, "order", "F", "C");
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
