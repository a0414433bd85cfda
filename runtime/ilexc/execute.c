/* SPDX-License-Identifier: MIT
 *
 * The steps of `ilexc run`, on the program and side by side on the reference
 * back end: as many at once as nobody looks at, then a comparison and files.
 */
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/clock.h"

/* A program and what its arguments are bound to. */
typedef struct side {
    const ilex_program *program;
    bool reference;
    ilex_binding *binding;
    ilex_storage **storage; /* of each binding, in their order */
} side;

static ilex_storage **
storage_of(ix_cli_field *f, bool reference)
{
    return reference && f->reference ? &f->reference : &f->storage;
}

/* Binds the fields. */
static bool
open_side(ix_cli_run *r, side *s)
{
    s->binding = calloc(r->nfields + 1, sizeof *s->binding);
    s->storage = calloc(r->nfields + 1, sizeof(ilex_storage *));
    if (!s->binding || !s->storage)
        return false;
    for (size_t i = 0; i < r->nfields; i++) {
        ix_cli_field *f = &r->field[i];
        s->binding[i] =
            (ilex_binding)ILEX_BIND(f->info.name, *storage_of(f, s->reference));
    }
    return true;
}

static void
close_side(side *s)
{
    free(s->binding);
    free(s->storage);
}

/* Copies what is newer on one side of host and device to the other. */
static ilex_status
synchronize(ix_cli_run *r, const side *s)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->nfields; i++)
        rc = ilex_storage_synchronize(r->session.ctx, s->binding[i].storage);
    return rc;
}

/* Each field has the storage that its binding had in the last step: the pairs
 * have changed places once more since. */
static bool
note_storages(ix_cli_run *r, side *s)
{
    size_t *at = calloc(r->nfields + 1, sizeof *at);
    for (size_t i = 0; at && i < r->nfields; i++)
        at[i] = i;
    for (size_t i = 0; at && i < r->nswaps; i++) {
        size_t a = r->swap[i].a, b = r->swap[i].b, field = at[a];
        at[a] = at[b];
        at[b] = field;
    }
    for (size_t i = 0; at && i < r->nfields; i++) {
        s->storage[i] = s->binding[i].storage;
        if (!s->reference || r->field[at[i]].reference)
            *storage_of(&r->field[at[i]], s->reference) = s->storage[i];
    }
    free(at);
    return at != NULL;
}

/* Runs "n" steps of one side. */
static ix_cli_exit
advance(ix_cli_run *r, side *s, ilex_call *call, int64_t n)
{
    ilex_status rc = synchronize(r, s);
    double start = ix_clock();
    call->error[0] = '\0';
    if (!rc && r->grid && !s->reference)
        rc = ix_cli_ranks_steps(r, s->program, s->binding, call, n);
    else if (!rc)
        rc = ilex_run_steps(s->program, s->binding, r->nfields, n, r->swaps,
                            call);
    r->seconds += s->reference ? 0 : ix_clock() - start;
    rc = rc ? rc : synchronize(r, s);
    if (!note_storages(r, s) && !rc)
        rc = ILEX_E_MEMORY;
    if (!rc)
        return ix_cli_fields_halos(r, s->storage);
    fprintf(stderr, "ilexc: error[E%d]: %s\n", (int)rc,
            call->error[0] ? call->error : ilex_status_meaning(rc));
    return ix_cli_exit_of(rc);
}

/* The steps up to where somebody looks: files, halos, a terminal. */
static int64_t
steps_at_once(const ix_cli_run *r, const ix_cli_progress *p)
{
    int64_t rest = r->steps - r->done;
    int64_t due = r->every - r->done % r->every;
    if (ix_cli_fields_follow(r))
        return 1;
    return ix_cli_progress_steps(p, r, due < rest ? due : rest);
}

/* Compares and writes what the last step gave. */
static ix_cli_exit
look(ix_cli_run *r, ix_cli_progress *p)
{
    bool due = r->done % r->every == 0 || r->done == r->steps;
    ix_cli_exit status = due ? ix_cli_sizes_counted(r) : IX_EXIT_OK;
    if (due)
        ix_cli_progress_wipe(p);
    if (r->other)
        return status;
    if (due && status == IX_EXIT_OK && r->reference)
        status = ix_cli_compare(r);
    return due && status == IX_EXIT_OK ? ix_cli_save(r) : status;
}

/* All steps on both sides. */
static ix_cli_exit
loop(ix_cli_run *r, side *first, side *second, ilex_call *call)
{
    ix_cli_exit status = IX_EXIT_OK;
    ix_cli_progress progress = ix_cli_progress_begin();
    progress.shown &= r->rank == 0;
    if (progress.shown && r->steps == 1) {
        call->progress = ix_cli_progress_step;
        call->user = &progress;
    }
    while (r->done < r->steps && status == IX_EXIT_OK) {
        int64_t n = steps_at_once(r, &progress);
        status = advance(r, first, call, n);
        if (status == IX_EXIT_OK && second->program)
            status = advance(r, second, call, n);
        r->done += n;
        ix_cli_progress_tell(&progress, r);
        if (status == IX_EXIT_OK)
            status = look(r, &progress);
    }
    ix_cli_progress_wipe(&progress);
    return status;
}

ix_cli_exit
ix_cli_execute(ix_cli_run *r)
{
    side first = {.program = r->program};
    side second = {.program = r->reference, .reference = true};
    ilex_call *call = calloc(1, sizeof *call);
    ix_cli_exit status = IX_EXIT_LIMIT;
    if (call && open_side(r, &first) && open_side(r, &second)) {
        call->size = sizeof *call;
        call->sizes = r->size;
        call->size_count = r->nsizes;
        call->group = r->group;
        call->counted = r->counted;
        call->counted_count = r->ncounted;
        status = loop(r, &first, &second, call);
    } else {
        ix_cli_fail(status, "out of memory");
    }
    close_side(&first);
    close_side(&second);
    free(call);
    return status;
}
