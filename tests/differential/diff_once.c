/* SPDX-License-Identifier: MIT
 *
 * One run of a program over fresh storages, whose results are kept, if it is
 * the reference's, or compared with those.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/program/program.h"
#include "tests/cuda/cuda_device.h"
#include "tests/differential/diff_session.h"

/* ---- verdicts ---- */

void
diff_fail(diff_session *s, int slot, const char *where, const char *what)
{
    diff_verdict *v = &s->verdicts[slot];
    if (v->failed)
        return;
    v->failed = true;
    snprintf(v->text, sizeof v->text, "%s: %s", where, what);
}

void
diff_fail_all(diff_session *s, const char *where, ilex_status rc,
              const char *text)
{
    char what[900];
    snprintf(what, sizeof what, "%s: %s", ilex_status_name(rc), text);
    if (s->count == 1)
        diff_fail(s, 0, where, what);
    s->broken = true;
}

/* ---- one run ---- */

/* Keeps the results of the reference, compares those of the others, of a part
 * with those of the reference there ("whole": all of the output). */
static void
judge(diff_session *s, const ilex_program *p, const diff_buffer *b,
      const diff_buffer *whole, size_t i, const char *where)
{
    diff_wanted got, want = s->want[i];
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
        want = (diff_wanted){picked, diff_buffer_bytes(b)};
    }
    if (got.n != want.n)
        diff_fail(s, b->slot, where, "an output has another size");
    else if (got.n && memcmp(got.bytes, want.bytes, got.n) != 0) {
        char what[600];
        diff_buffer_difference(b, p->c->buffer[i].name, got.bytes, want.bytes,
                               want.n, what, sizeof what);
        diff_fail(s, b->slot, where, what);
    }
    free(got.bytes);
    free(picked);
}

static void
check_memory(diff_session *s, const diff_buffer *b, size_t i, const char *where)
{
    const char *changed = diff_buffer_changed(b, s->narguments, i);
    if (changed)
        diff_fail(s, b[i].slot, where, changed);
}

static bool
make_buffers(diff_session *s, const ilex_program *p, diff_buffer *b)
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
            diff_fail_all(s, "binding", ilex_error_code(s->ctx),
                          ilex_error_text(s->ctx));
            return false;
        }
        b[i].shares = shares;
    }
    return true;
}

/* What a run wrote: compared, and nothing else. */
static void
check_results(diff_session *s, const ilex_program *p, diff_buffer *b,
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
make_workspace(const diff_session *s, const ilex_program *p, ilex_call *call)
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

void
diff_run_once(diff_session *s, const ilex_program *p, const char *where,
              int threads)
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
            diff_fail_all(s, where, rc, call.error);
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
