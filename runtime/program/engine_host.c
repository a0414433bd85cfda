/* SPDX-License-Identifier: MIT
 *
 * The engine of the host: kernels are functions of this process, called for
 * parts of their range by Ilex's threads or the caller's.
 */
#include <pthread.h>

#include "lib/base/fpenv.h"
#include "runtime/program/program.h"

static ilex_status
transfer(ix_run *r, size_t i)
{
    bool output = r->p->c->buffer[i].role == IX_COMPILED_OUTPUT;
    r->s.base[i] = r->s.home[i];
    if (!r->bound[i])
        return ILEX_OK;
    return ix_storage_acquire(r->bound[i], output ? ILEX_READ_WRITE : ILEX_READ,
                              r->err);
}

static ilex_status
allocate(ix_run *r, size_t bytes, char **memory)
{
    r->workspace =
        ix_workspace_take(r->p->workspaces, IX_SPACE_NORMAL, 0, bytes, r->err);
    *memory = r->workspace ? r->workspace->memory : NULL;
    return *memory ? ILEX_OK : r->err->code;
}

/* ---- launching ---- */

/* One kernel over its range, in parts; "found" is the first of what parts
 * complain of, if "failed". */
typedef struct launch_state {
    ix_kernel_fn fn;
    const char *arguments;
    size_t bytes; /* from the arguments of a part to those of the next; 0: all
                     have the same */
    int64_t lo, hi, parts;
    bool failed;
    ix_local found;
} launch_state;

/* Keeps the complaint of the first part: the same for any number of threads.
 * A part ends at its first one. */
static void
note(launch_state *l, const ix_local *local)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const ix_local *f = &l->found;
    if (!l->failed || local->index < f->index)
        l->found = *local;
    l->failed = true;
    pthread_mutex_unlock(&lock);
}

static void
call(launch_state *l, int64_t part, int64_t from, int64_t to)
{
    ix_local local = {.scratch = NULL};
    if (l->fn(l->arguments + (size_t)part * l->bytes, from, to, &local) != 0)
        note(l, &local);
}

static void
run_part(void *arg, int64_t i)
{
    launch_state *l = arg;
    int64_t n = l->hi - l->lo;
    int64_t from =
        l->lo + n / l->parts * i + (i < n % l->parts ? i : n % l->parts);
    int64_t to = from + n / l->parts + (i < n % l->parts ? 1 : 0);
    ix_fpenv before = ix_fpenv_enter(); /* the thread may be the caller's */
    call(l, i, from, to);
    ix_fpenv_leave(before);
}

/* From what one part has of the buffer of a field to what the next one has; 0:
 * all parts share it. */
static int64_t
own_bytes(const ix_run *r, const ix_field *field)
{
    return field->kind == IX_FIELD_BUFFER ? r->s.own[field->index] : 0;
}

/* Do parts have temporaries of their own? */
static bool
has_own(const ix_run *r, const ix_kernel_layout *l)
{
    bool own = false;
    for (size_t f = 0; f < l->nfields; f++)
        own |= own_bytes(r, &l->field[f]) > 0;
    return own;
}

/* Arguments for each part, with the temporaries that are its own; NULL: no
 * memory. */
static char *
own_arguments(const ix_run *r, const ix_kernel_layout *l, int64_t parts)
{
    char *all = ix_mem_new(&r->p->mem, (size_t)parts * l->bytes);
    for (int64_t i = 0; i < parts && all; i++) {
        char *mine = all + (size_t)i * l->bytes, *base;
        memcpy(mine, r->arguments, l->bytes);
        for (size_t f = 0; f < l->nfields; f++) {
            const ix_field *field = &l->field[f];
            int64_t bytes = own_bytes(r, field);
            if (bytes == 0)
                continue;
            memcpy(&base, mine + field->offset, sizeof base);
            base = (char *)((uintptr_t)base + (uintptr_t)(i * bytes));
            memcpy(mine + field->offset, &base, sizeof base);
        }
    }
    return all;
}

/* One part for each thread that has memory of its own or is the caller's; for
 * Ilex's own a few, so that one that came late leaves the others work. */
static int64_t
count_parts(const ix_run *r, bool own, int64_t n)
{
    bool ours = !(r->call && r->call->parallel_for);
    int64_t most = r->threads > 1 && ours && !own ? IX_PARTS_EACH * r->threads
                                                  : r->threads;
    return most < n ? most : n;
}

static ilex_status
launch(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    const ilex_program *p = r->p;
    const ix_tier *tier = ix_program_tier(p);
    launch_state l = {
        .fn = tier->kernel[i], .arguments = r->arguments, .lo = lo, .hi = hi};
    const ix_kernel_layout *layout =
        &p->c->source[tier->backend->dialect].layout[i];
    char *own = NULL;
    ix_pack_arguments(r, layout, r->arguments);
    bool has = r->threads > 1 && has_own(r, layout);
    l.parts = count_parts(r, has, hi - lo);
    if (l.parts > 1 && has) {
        own = own_arguments(r, layout, l.parts);
        if (!own)
            return ix_fail_memory(r->err);
        l.arguments = own;
        l.bytes = layout->bytes;
    }
    if (l.parts <= 1)
        call(&l, 0, lo, hi);
    else if (r->call && r->call->parallel_for)
        r->call->parallel_for(r->call->user, run_part, &l, l.parts);
    else
        ix_pool_run(r->threads, l.parts, run_part, &l);
    ix_mem_free(&p->mem, own);
    return l.failed ? (ilex_status)ix_fail_outside(&r->s, &l.found) : ILEX_OK;
}

static ilex_status
fetch(ix_run *r, void *to, const char *from, size_t bytes)
{
    (void)r;
    memcpy(to, from, bytes);
    return ILEX_OK;
}

const ix_engine ix_engine_host = {.transfer = transfer,
                                  .allocate = allocate,
                                  .launch = launch,
                                  .fetch = fetch};
