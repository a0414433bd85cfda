/* SPDX-License-Identifier: MIT
 *
 * Runs over storages on a grid. Each rank computes the points of the outputs
 * that it has, by a program for parts of them (option box=2), whose sizes and
 * indices are those of the whole. What it reads beyond its parts of the inputs
 * comes from the others before: how far that is follows from the program and
 * the sizes, so every rank knows it of all. Where halos are not so wide, the
 * program runs in sections, and ranks send each other what they computed in
 * one before the next.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/again.h"

/* A run while it is planned. */
typedef struct plan {
    ix_run *r; /* of the program for parts */
    ix_parts *parts;
    uint64_t without; /* outputs that this rank has no points of */
    bool idle;        /* it has none of any */
    bool narrow;      /* a halo is not as wide as it is read */
    ix_halo *halo;
    size_t nhalos, all; /* that are old; that there are */
    ix_reading reads;
} plan;

/* ---- what a run over ranks can be ---- */

static ix_parts *
find_parts(const ilex_program *p, const char *axes, size_t section,
           ix_error *err)
{
    const ix_compiled *c = p->c;
    const char *what = p->backend->engine != &ix_engine_host ? "on a device"
                       : c->ncounts > 0 ? "of a program that counts lengths"
                                        : NULL;
    return what ? ix_fail_null(err, ILEX_E_UNSUPPORTED,
                               "%s: a run over ranks %s is not supported",
                               c->name, what)
                : ix_layouts_parts(p, axes, section, err);
}

/* One section, with what is known of it. */
static ilex_status
open_section(ix_sections *s, const ilex_program *p, const char *axes,
             const ilex_size_binding *sizes, size_t count, ix_error *err)
{
    ix_parts *parts = find_parts(p, axes, s->n, err);
    const ilex_program *part = parts ? ix_parts_program(parts, 0, err) : NULL;
    if (!part)
        return err->code;
    int64_t *size = ix_program_sizes(part, sizes, count);
    if (!size)
        return ix_fail(err, ILEX_E_SIZE,
                       "%s: a size is missing, or leaves 64 bits", p->c->name);
    s->program[s->n] = part;
    s->size[s->n] = size;
    if (*axes && !ix_sections_chunks(s->grid, part->c)) {
        ix_mem_free(&p->mem, size);
        return ix_fail(err, ILEX_E_LIMIT,
                       "%s: what ranks send each other has more than %d "
                       "divided axes",
                       p->c->name, ILEX_MAX_RANK);
    }
    s->reads[s->n] = (ix_reading){.parts = parts,
                                  .without = ix_parts_program,
                                  .hash = ix_parts_hash(parts),
                                  .c = part->c,
                                  .grid = s->grid,
                                  .size = size,
                                  .work = size + part->c->nsizes + 1};
    ix_reading_begin(&s->reads[s->n++]);
    return ILEX_OK;
}

ilex_status
ix_ranks_open(ix_sections *s, const ilex_program *p, ilex_grid *grid,
              bool in_one, const ilex_size_binding *sizes, size_t count,
              ix_error *err)
{
    char axes[IX_AXES_TEXT] = "";
    size_t n = 1;
    in_one = in_one && p->c->nloops == 0;
    s->grid = in_one ? grid : ix_grid_open(grid);
    if (!in_one)
        ix_sections_axes(grid, axes);
    ilex_status rc = s->grid ? ILEX_OK : ix_fail_memory(err);
    while (!rc && s->n < n) {
        rc = open_section(s, p, axes, sizes, count, err);
        n = rc ? 0 : ix_parts_sections(s->reads[0].parts)->count;
        if (n > IX_SECTIONS)
            rc = ix_fail(err, ILEX_E_LIMIT,
                         "%s: what ranks send each other comes in %zu sections "
                         "of the program, at most %d are supported",
                         p->c->name, n, (int)IX_SECTIONS);
    }
    s->list = rc || in_one ? NULL : ix_parts_sections(s->reads[0].parts);
    return rc;
}

/* ---- which outputs ---- */

static ilex_status
find_outputs(plan *x)
{
    const ix_run *r = x->r;
    ix_empty e = ix_reading_empty(r->p->c, r->grid, r->s.size);
    x->idle = e.all;
    x->without = e.outputs;
    return e.beyond && !e.all
               ? ix_fail(r->err, ILEX_E_UNSUPPORTED,
                         "%s: rank %d has no points of output %s, which is "
                         "supported for the first 64 outputs",
                         r->p->c->name, r->grid->group->rank, e.beyond->name)
               : ILEX_OK;
}

/* ---- how far it is read ---- */

/* A halo that is not as wide as it would have to be. */
static ilex_status
check_width(plan *x, const ix_halo *h, const char *name)
{
    const ix_run *r = x->r;
    const ilex_storage *s = h->s;
    for (int k = 0; k < s->rank; k++) {
        int axis = s->division->axis[k];
        const int64_t *w = h->width.k[k], *has = s->halo[k];
        if (axis < 0 || (w[0] <= has[0] && w[1] <= has[1]))
            continue;
        x->narrow = true;
        return ix_fail(
            r->err, ILEX_E_HALO,
            "%s: %s is read %lld points before and %lld behind a rank's part "
            "of axis %s, and its halo is %lld:%lld there: make it with a halo "
            "as wide",
            r->p->c->name, name, (long long)w[0], (long long)w[1], s->axis[k],
            (long long)has[0], (long long)has[1]);
    }
    return ILEX_OK;
}

/* The halo that argument "i" needs. */
static ilex_status
find_halo(plan *x, size_t i, ix_halo *h)
{
    const ix_run *r = x->r;
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    ix_index_box whole, width;
    for (int k = 0; k < b->rank; k++) {
        int j = r->axis[b->first_stride + k];
        memcpy(whole.k[k], h->s->division->whole.k[j], sizeof whole.k[k]);
    }
    ilex_status rc = ix_reading_widths(&x->reads, i, &whole, &width, r->err);
    for (int k = 0; !rc && k < b->rank; k++) {
        int j = r->axis[b->first_stride + k];
        memcpy(h->width.k[j], width.k[k], sizeof width.k[k]);
    }
    return rc ? rc : check_width(x, h, b->name);
}

/* Adds a halo, to that of another argument with the same storage if there is
 * one. */
static void
add_halo(plan *x, const ix_halo *h)
{
    size_t i = 0;
    while (i < x->nhalos && x->halo[i].s != h->s)
        i++;
    if (i == x->nhalos)
        x->halo[x->nhalos++] = *h;
    for (int k = 0; k < h->s->rank; k++)
        for (int side = 0; side < 2; side++) {
            int64_t *width = &x->halo[i].width.k[k][side];
            if (*width < h->width.k[k][side])
                *width = h->width.k[k][side];
        }
}

/* Those of the inputs on the grid that are read. */
static ilex_status
find_halos(plan *x)
{
    const ix_run *r = x->r;
    const ix_compiled *c = r->p->c;
    size_t halos = (c->narguments + 1) * sizeof *x->halo;
    x->halo = ix_mem_new(&r->p->mem, halos + c->nsizes * sizeof(int64_t));
    ilex_status rc = x->halo ? ILEX_OK : ix_fail_memory(r->err);
    x->reads = (ix_reading){.parts = x->parts,
                            .without = ix_parts_program,
                            .hash = ix_parts_hash(x->parts),
                            .c = c,
                            .grid = r->grid,
                            .size = r->s.size,
                            .work = (int64_t *)(x->halo + c->narguments + 1)};
    ix_reading_begin(&x->reads);
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        const ilex_storage *s = r->bound[i];
        if (c->buffer[i].role == IX_COMPILED_OUTPUT || !c->buffer[i].used ||
            !s || !s->division || ix_is_listed(c->buffer[i].name))
            continue;
        ix_halo h = {.s = (ilex_storage *)(uintptr_t)s};
        rc = find_halo(x, i, &h);
        add_halo(x, &h);
    }
    return rc;
}

/* ---- the run ---- */

/* Of the halos those that are stale. */
static void
keep_stale(plan *x)
{
    size_t n = 0;
    x->all = x->nhalos;
    for (size_t i = 0; i < x->nhalos; i++)
        if (ix_halo_is_stale(&x->halo[i]))
            x->halo[n++] = x->halo[i];
    x->nhalos = n;
}

static ix_exchange *
begin_exchange(const plan *x)
{
    return ix_exchange_begin(x->halo, x->nhalos, x->reads.meaning,
                             x->r->p->c->name, x->r->err);
}

/* Brings halos up to date before anything else. */
static ilex_status
exchange(const plan *x)
{
    ix_exchange *e = x->nhalos ? begin_exchange(x) : NULL;
    return e           ? ix_exchange_finish(e, x->r->err)
           : x->nhalos ? x->r->err->code
                       : ILEX_OK;
}

/* Finds out what is to be done. */
static ilex_status
prepare(plan *x, void *block)
{
    ix_run *r = x->r;
    ilex_status rc = block ? ix_bind_arguments(r) : ix_fail_memory(r->err);
    rc = rc ? rc : ix_ranks_check(r);
    rc = rc ? rc : (ilex_status)ix_solve_sizes(&r->s);
    ix_ranks_localize(r);
    rc = rc ? rc : ix_bind_box(r);
    rc = rc ? rc : find_outputs(x);
    rc = rc ? rc : find_halos(x);
    if (!rc)
        keep_stale(x);
    return rc;
}

/* This rank's points, by a program without the outputs that it has none of. */
static ilex_status
run_without(const plan *x)
{
    const ix_run *r = x->r;
    const ilex_program *p =
        x->without ? ix_parts_program(x->parts, x->without, r->err) : r->p;
    ilex_call call;
    ix_run part;
    if (!p)
        return r->err->code;
    ilex_status rc = ix_other_begin(r, p, &(ix_other){0}, &part, &call);
    rc = rc ? rc : ix_run_here(&part);
    ix_other_end(&part);
    return rc;
}

/* Halos, then points; how much of it is waiting is noted. */
static ilex_status
run_after(const plan *x)
{
    ix_run *r = x->r;
    ilex_group *g = r->grid->group;
    double begin = x->nhalos ? ix_clock() : 0, waited = g->counts.waited;
    ilex_status rc = exchange(x);
    rc = rc ? rc : ix_run_steps(r);
    if (!rc && x->nhalos)
        ix_overlap_note(g, g->counts.waited - waited, ix_clock() - begin);
    return rc;
}

static ilex_status
run_box(ix_run *r, const ix_overlap *o, int i)
{
    return ix_overlap_take(r, o, i)
               ? ix_run_steps(r)
               : ix_fail(r->err, ILEX_E_OVERFLOW, "%s: a range leaves 64 bits",
                         r->p->c->name);
}

/* What needs no halo while these come, then the rest. */
static ilex_status
run_meanwhile(const plan *x, const ix_overlap *o)
{
    ix_exchange *e = begin_exchange(x);
    if (!e)
        return x->r->err->code;
    x->r->grid->group->overlapped++;
    ilex_status rc = run_box(x->r, o, 0);
    if (rc)
        ix_exchange_drop(e);
    rc = rc ? rc : ix_exchange_finish(e, x->r->err);
    for (int i = 1; !rc && i < o->n; i++)
        rc = run_box(x->r, o, i);
    return rc;
}

/* This rank's points: what was bound to plan the run does, but for arrays that
 * lie otherwise. */
static ilex_status
run_part(const plan *x)
{
    ix_run *r = x->r;
    ix_overlap o; /* 8 KB, which nobody clears */
    if (x->idle || x->without || ix_layouts_find(r) != r->p || r->order) {
        ilex_status rc = exchange(x);
        return rc || x->idle ? rc : run_without(x);
    }
    ilex_status rc = (ilex_status)ix_check_arguments(&r->s);
    if (rc)
        return rc;
    r->threads = ix_run_threads(r);
    if (x->nhalos && ix_overlap_find(r, x->halo, x->nhalos, &o))
        return run_meanwhile(x, &o);
    return run_after(x);
}

static ilex_status run_parts(ix_run *r, ix_parts *parts,
                             const ilex_program *whole);

static ilex_status
run_section(const ix_run *r, const ix_sections *s, size_t k)
{
    ilex_call call;
    ix_run part;
    ilex_status rc =
        ix_other_begin(r, s->program[k],
                       &(ix_other){s->sent, s->nsent, s->step}, &part, &call);
    part.grid = s->grid;
    bool same = !rc && ix_sections_same(s, k, &part);
    rc = rc || same ? rc : ix_sections_lists(s, k, r->err);
    rc = rc || same ? rc : run_parts(&part, s->reads[k].parts, NULL);
    ix_other_end(&part);
    if (!same)
        ix_sections_written(s, k);
    return rc;
}

/* The loop of these sections that begins with one, in the steps of another one
 * (-1: of none); -1: there is none. */
static int
find_loop(const ix_sections *s, int section, int around)
{
    int l = s->list ? s->list->nloops - 1 : -1;
    while (l >= 0 && (s->list->loop[l].begin != section ||
                      s->list->loop[l].end <= section ||
                      s->list->loop[l].around != around))
        l--;
    return l;
}

/* After steps of a loop: does the caller want more? */
static ilex_status
ask_for_more(const ix_run *r, const ix_sections *s, int l)
{
    const ix_section_loop *loop = &s->list->loop[l];
    int64_t made = s->step[l];
    return loop->around < 0 && ix_call_progress(r->call, made - 1, made)
               ? ix_fail(r->err, ILEX_E_CANCELLED,
                         "%s: cancelled when %lld steps over %s were made",
                         r->p->c->name, (long long)made, loop->name)
               : ILEX_OK;
}

/* An error of this rank's names the step. */
static ilex_status
fail_step(const ix_run *r, const ix_sections *s, int l, ilex_status rc)
{
    ix_error *err = r->err;
    size_t at = strlen(err->text);
    if (rc != ILEX_E_GROUP && rc != ILEX_E_TIMEOUT && rc != ILEX_E_CANCELLED)
        snprintf(err->text + at, sizeof err->text - at,
                 ", in step %lld over %s", (long long)s->step[l],
                 s->list->loop[l].name);
    return rc;
}

static ilex_status run_range(const ix_run *r, ix_sections *s, int from, int to,
                             int around);

/* The steps of a loop. */
static ilex_status
run_loop(const ix_run *r, ix_sections *s, int l)
{
    const ix_section_loop *loop = &s->list->loop[l];
    ilex_status rc = ILEX_OK;
    int64_t n = ix_sections_steps(s, l);
    bool last = false;
    for (s->step[l] = 0; !rc && !last && s->step[l] < n;) {
        rc = run_range(r, s, loop->begin, loop->end, l);
        if (rc)
            return fail_step(r, s, l, rc);
        last = ix_sections_turn(s, l);
        s->step[l]++;
        rc = ask_for_more(r, s, l);
    }
    return rc;
}

/* Sections in the steps of a loop (-1: of none). */
static ilex_status
run_range(const ix_run *r, ix_sections *s, int from, int to, int around)
{
    ilex_status rc = ILEX_OK;
    while (!rc && from < to) {
        int l = find_loop(s, from, around);
        rc = l < 0 ? run_section(r, s, (size_t)from) : run_loop(r, s, l);
        from = l < 0 ? from + 1 : s->list->loop[l].end;
    }
    return rc;
}

/* The program "p" in sections, where in one it reads more than there is of a
 * halo, which is an error if there is but one. */
static ilex_status
run_sections(const ix_run *r, const ilex_program *p)
{
    ix_sections s = {.n = 0};
    ix_error narrow = *r->err;
    size_t nsizes;
    ilex_size_binding *sizes = ix_other_sizes(r, r->p, NULL, &nsizes);
    ix_error_clear(r->err);
    ilex_status rc = ix_ranks_check_places(r);
    rc = rc      ? rc
         : sizes ? ix_ranks_open(&s, p, r->grid, false, sizes, nsizes, r->err)
                 : ix_fail_memory(r->err);
    if (!rc && s.n == 1) {
        *r->err = narrow;
        rc = narrow.code;
    }
    rc = rc ? rc : ix_sections_begin(&s, r->grid, r->err);
    rc = rc ? rc : run_range(r, &s, 0, (int)s.n, -1);
    ix_sections_end(&s, &p->mem);
    ix_mem_free(&r->p->mem, sizes);
    return rc;
}

/* Was it carried out as it is bound, and sent nothing? */
static bool
may_be_again(const plan *x)
{
    return !x->narrow && !x->nhalos && !x->idle && !x->without && !x->r->order;
}

/* A run of a program for parts, which is the run's then; of "whole" if that may
 * be in sections. */
static ilex_status
run_parts(ix_run *r, ix_parts *parts, const ilex_program *whole)
{
    plan x = {.r = r, .parts = parts};
    r->p = ix_parts_program(parts, 0, r->err);
    if (!r->p)
        return r->err->code;
    void *block = ix_run_block(r);
    ilex_status rc = prepare(&x, block);
    if (x.narrow && whole)
        rc = run_sections(r, whole);
    else
        rc = rc ? rc : run_part(&x);
    if (!rc && whole && may_be_again(&x) &&
        ix_again_keep(whole, r, block, x.halo, x.all))
        return rc;
    ix_mem_free(&r->p->mem, x.halo);
    ix_mem_free(&r->p->mem, block);
    return rc;
}

/* Loops are in sections however little they read. */
static ilex_status
run_loops(ix_run *r)
{
    void *block = ix_run_block(r);
    ilex_status rc = block ? ix_bind_arguments(r) : ix_fail_memory(r->err);
    rc = rc ? rc : ix_ranks_check(r);
    rc = rc ? rc : (ilex_status)ix_solve_sizes(&r->s);
    rc = rc ? rc : run_sections(r, r->p);
    ix_mem_free(&r->p->mem, block);
    return rc;
}

static ilex_status
run(ix_run *r)
{
    ilex_status rc;
    if (ix_again_run(r, &rc))
        return rc;
    if (r->p->c->nloops > 0)
        return run_loops(r);
    ix_parts *parts = find_parts(r->p, "", 0, r->err);
    return parts ? run_parts(r, parts, r->p) : r->err->code;
}

/* Outputs are written, also where this rank has no points: halos of them are
 * old on all ranks alike. */
static void
note_outputs(const ix_run *r, const ix_compiled *c)
{
    for (size_t i = 0; i < r->nbindings; i++) {
        const ilex_binding *b = &r->bindings[i];
        size_t k = ix_binding_argument(c, b, i);
        if (k < c->narguments && c->buffer[k].role == IX_COMPILED_OUTPUT &&
            b->kind == ILEX_BOUND_STORAGE && b->storage && b->storage->division)
            ix_memory_written(b->storage->memory);
    }
}

ilex_status
ix_ranks_run(ix_run *r)
{
    ilex_group *g = r->grid->group;
    const ix_compiled *c = r->p->c;
    ix_group_begin(g);
    ilex_status rc = r->call && r->call->box
                         ? ix_fail(r->err, ILEX_E_UNSUPPORTED,
                                   "%s: a box of a run over ranks is not "
                                   "supported",
                                   c->name)
                         : run(r);
    note_outputs(r, c);
    return ix_group_end(g, rc, r->err->text);
}
