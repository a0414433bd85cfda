/* SPDX-License-Identifier: MIT
 *
 * Carrying out: the text of a run, and what it asks for. Runs, eager operators
 * and devices all come through it.
 */
#include <stdio.h>

#include "lib/base/fpenv.h"
#include "runtime/program/program.h"

#include "compiler/run/asked.inc"

/* ---- what the text asks for ---- */

static const ix_engine *
engine_of(const ix_run *r)
{
    return r->p->backend->engine;
}

static int
ix_transfer_run(ix_state *s, int i)
{
    return engine_of(ix_run_of(s))->transfer(ix_run_of(s), (size_t)i);
}

static int
ix_allocate_run(ix_state *s, size_t bytes, char **memory)
{
    return engine_of(ix_run_of(s))->allocate(ix_run_of(s), bytes, memory);
}

static int
ix_check_run_memory(ix_state *s, const char *memory)
{
    const ix_engine *e = engine_of(ix_run_of(s));
    return e->check_workspace ? (int)e->check_workspace(ix_run_of(s), memory)
                              : 0;
}

static int
ix_launch_run(ix_state *s, int i, int64_t lo, int64_t hi)
{
    ix_run *r = ix_run_of(s);
    double start = ix_profile_begin(r->p);
    r->busy = true;
    ilex_status rc = engine_of(r)->launch(r, (size_t)i, lo, hi);
    return (int)(rc || start <= 0 ? rc : ix_profile_end(r, (size_t)i, start));
}

static bool
has_points(const ix_run *r, const ix_bytecode *code)
{
    int64_t lo, hi;
    for (int k = 0; k < code->rank; k++)
        if (!ix_range_eval(&code->box[k], r->s.size, &lo, &hi) || hi <= lo)
            return false;
    return true;
}

static int
ix_evaluate_run(ix_state *s, int i)
{
    ix_run *r = ix_run_of(s);
    double start = ix_profile_begin(r->p);
    ilex_status rc = ix_reference_evaluate(r, (size_t)i);
    if (rc || start <= 0 || !has_points(r, &r->p->c->bytecode[i]))
        return (int)rc;
    return (int)ix_profile_end(r, (size_t)i, start);
}

/* Waits for what was launched. */
static ilex_status
wait_for(ix_run *r)
{
    const ix_engine *e = engine_of(r);
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    r->busy = false;
    return rc;
}

static int
ix_fetch_run(ix_state *s, void *to, const char *from, size_t bytes)
{
    ix_run *r = ix_run_of(s);
    ilex_status rc = wait_for(r);
    return (int)(rc ? rc : engine_of(r)->fetch(r, to, from, bytes));
}

/* A run that asks for a count gets it. */
static void
ix_tell_run(ix_state *s, int i, int64_t value)
{
    const ix_run *r = ix_run_of(s);
    const char *name = r->p->c->size[r->p->c->count[i].size].name;
    for (size_t k = 0; r->call && k < r->call->counted_count; k++)
        if (r->call->counted[k].name && !strcmp(r->call->counted[k].name, name))
            r->call->counted[k].value = value;
}

static int
ix_call_run(ix_state *s, int i)
{
    return ix_run_call(ix_run_of(s), (size_t)i);
}

/* Is loop "i" in no other? */
static bool
is_outermost(const ix_state *s, int i)
{
    int depth = 0;
    for (int at = 0;; at++) {
        const ix_step_row *x = &s->t->step[at];
        if (x->kind == IX_STEP_REPEAT && x->what == i)
            return depth == 0;
        depth += x->kind == IX_STEP_REPEAT;
        depth -= x->kind == IX_STEP_NEXT;
    }
}

ilex_status
ix_call_progress(const ilex_call *call, int64_t before, int64_t made)
{
    bool asks = call && call->progress &&
                (call->every < 2 || made / call->every > before / call->every);
    return asks && call->progress(call->user, made) != 0 ? ILEX_E_CANCELLED
                                                         : ILEX_OK;
}

static int
ix_made_step_run(ix_state *s, int i, int64_t before, int64_t made)
{
    const ix_run *r = ix_run_of(s);
    if (!r->call || !r->call->progress || !is_outermost(s, i) ||
        !ix_call_progress(r->call, before, made))
        return 0;
    return ix_fail_run(s, ILEX_E_CANCELLED,
                       "cancelled when %lld steps over %s were made",
                       (long long)made, s->t->repeat[i].name);
}

static void
ix_name_step_run(ix_state *s, const char *name, int64_t step)
{
    ix_error *err = ix_run_of(s)->err;
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, ", in step %lld over %s",
             (long long)step, name);
}

/* The workspace may be in use until what was launched is done. */
static int
ix_release_run(ix_state *s)
{
    ix_run *r = ix_run_of(s);
    ilex_status rc = wait_for(r);
    ix_workspace_give(r->p->workspaces, r->workspace);
    r->workspace = NULL;
    return rc;
}

#include "compiler/run/repeats.inc"

#include "compiler/run/steps.inc"

/* ---- runs ---- */

ilex_status
ix_run_steps(ix_run *r)
{
    const ix_engine *e = engine_of(r);
    double begin = ix_meter_begin(r->p);
    ix_fpenv before = ix_fpenv_enter();
    r->s.parts = r->threads;
    ilex_status rc = e->begin ? e->begin(r) : ILEX_OK;
    rc = rc ? rc : (ilex_status)ix_carry_out(&r->s);
    ix_fpenv_leave(before);
    ix_meter_end(r, begin);
    return rc;
}
