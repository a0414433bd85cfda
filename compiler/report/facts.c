/* SPDX-License-Identifier: MIT
 *
 * What kernels and buffers are, for users who know neither passes nor stages:
 * `ilexc explain` and queries of programs say the same of them.
 */
#include "compiler/report/facts.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what a kernel touches ---- */

static void
note(ix_usage *x, unsigned char bit, ix_ints *list, int64_t buffer)
{
    if (x->seen[buffer] & bit)
        return;
    x->seen[buffer] |= bit;
    ix_arena_grow(&x->u->arena, &list->item, &list->capacity, list->count + 1,
                  sizeof *list->item);
    list->item[list->count++] = (int)buffer;
}

static bool
note_load(void *user, const ilex_array *load)
{
    ix_usage *x = user;
    note(x, 1, &x->reads, load->attr[0]);
    return true;
}

static bool
note_store(void *user, ix_stmt *s)
{
    ix_usage *x = user;
    if (s->kind == IX_STMT_STORE && s->buffer >= 0)
        note(x, 2, &x->writes, s->buffer);
    return true;
}

static void
forget(ix_usage *x, ix_ints *list)
{
    for (size_t i = 0; i < list->count; i++)
        x->seen[list->item[i]] = 0;
    list->count = 0;
}

static int
by_number(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : 1;
}

static void
sort(ix_ints *list)
{
    if (list->count > 1)
        qsort(list->item, list->count, sizeof *list->item, by_number);
}

static void
begin_usage(ix_unit *u, ix_usage *x)
{
    if (!x->seen)
        x->seen = ix_arena_new(&u->arena, u->nbuffers + 1);
    x->u = u;
    forget(x, &x->reads);
    forget(x, &x->writes);
}

/* Has a loop of its nests a condition? */
static bool
ends_by_data(const ix_kernel *k)
{
    for (const ix_stmt *nest = k->nests; nest; nest = nest->next) {
        const ix_stmt *s = nest;
        while (s->kind == IX_STMT_FOR && !ix_for_while(s))
            s = ix_nest_inside(s);
        if (s->kind == IX_STMT_FOR)
            return true;
    }
    return false;
}

void
ix_fact_usage(ix_unit *u, const ix_kernel *k, ix_usage *x)
{
    begin_usage(u, x);
    ix_stmt_each(k->nests, note_store, x);
    ix_stmt_loads(u, k->nests, note_load, x);
    sort(&x->reads);
    sort(&x->writes);
    x->stores = ends_by_data(k) ? NULL : k->box;
}

void
ix_fact_stage_usage(ix_unit *u, const ix_stage *s, ix_usage *x)
{
    begin_usage(u, x);
    for (int i = 0; i < s->count; i++)
        note(x, 2, &x->writes, s->buffer[i]);
    ix_body_loads(u, s->body, note_load, x);
    sort(&x->reads);
    sort(&x->writes);
    x->stores = s->box;
}

/* ---- parts of outputs ---- */

/* Is it the end of a part? Then into "*form" what it is where the part is all.
 */
static bool
is_end(const ix_unit *u, int32_t size, const ix_lin **form)
{
    const ilex_module *m = u->module;
    *form = ix_lin_const(u->ctx, 0);
    for (size_t i = 0; i < m->nsubdomains; i++) {
        const ix_axis *range = &m->subdomain[i].range;
        if (size == m->subdomain[i].from)
            return true;
        if (size == m->subdomain[i].to) {
            *form = ix_lin_try_fma(u->ctx, range->hi, -1, range->lo);
            return true;
        }
    }
    return false;
}

static bool
is_any_end(const ilex_context *ctx, int32_t size, const void *u)
{
    const ix_lin *form;
    (void)ctx;
    return is_end(u, size, &form);
}

/* Is the end of a part in the size, or in what it is computed from? */
static bool
hides_end(const ix_unit *u, int32_t size)
{
    return ix_param_needs(u->ctx, size, is_any_end, u);
}

const ix_lin *
ix_fact_form(const ix_unit *u, const ix_lin *a)
{
    if (u->module->nsubdomains == 0 || !a)
        return a;
    const ix_lin *sum = ix_lin_const(u->ctx, a->c);
    for (int32_t i = 0; i < a->n; i++) {
        const ix_lin *form;
        if (!is_end(u, a->t[i].param, &form))
            form = hides_end(u, a->t[i].param)
                       ? NULL
                       : ix_lin_param(u->ctx, a->t[i].param);
        sum = ix_lin_try_fma(u->ctx, sum, a->t[i].k, form);
    }
    return sum;
}

const ix_domain *
ix_fact_domain(const ix_unit *u, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    bool ok = true;
    if (u->module->nsubdomains == 0)
        return dom;
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        ax[k].lo = ix_fact_form(u, ax[k].lo);
        ax[k].hi = ix_fact_form(u, ax[k].hi);
        ok = ok && ax[k].lo && ax[k].hi;
    }
    return ok ? ix_domain_new(u->ctx, dom->rank, ax) : NULL;
}

/* ---- bytes ---- */

void
ix_fact_add_box(ix_unit *u, ix_traffic *x, const ix_domain *box, int64_t each)
{
    box = ix_fact_domain(u, box);
    x->unknown |= !box;
    if (!box)
        return;
    ix_arena_grow(&u->arena, &x->box, &x->boxes, x->n + 1, sizeof *x->box);
    ix_arena_grow(&u->arena, &x->each, &x->sizes, x->n + 1, sizeof *x->each);
    x->each[x->n] = each;
    x->box[x->n++] = box;
}

void
ix_fact_add_traffic(ix_unit *u, ix_traffic *x, const ix_usage *usage,
                    bool written)
{
    const ix_ints *which = written ? &usage->writes : &usage->reads;
    const ix_domain *box = written ? usage->stores : NULL;
    for (size_t i = 0; i < which->count; i++) {
        const ix_buffer *b = &u->buffer[which->item[i]];
        bool own = box && box->rank == b->box->rank;
        if (!b->own)
            ix_fact_add_box(u, x, own ? box : b->box,
                            (int64_t)ilex_dtype_bytes(b->dtype));
    }
}

bool
ix_fact_bytes(ix_unit *u, const ix_traffic *x, size_t first, ix_text *t)
{
    size_t n = x->n - first; /* none: there may be no lists */
    return !x->unknown &&
           ix_print_elements(u->ctx, n, n > 0 ? x->box + first : NULL,
                             n > 0 ? x->each + first : NULL, t);
}

/* ---- operations ---- */

/* How often the loop runs, "*most" if it may be less often; NULL: not known. */
static const ix_lin *
trips(ix_unit *u, const ix_kernel *k, const ix_stmt *loop, bool *most)
{
    const ix_lin *lo = NULL, *hi = NULL;
    if (loop->n[IX_for_lo] == 1 && loop->n[IX_for_hi] == 1) {
        lo = ix_index_to_lin(u->ctx, ix_for_lo(loop));
        hi = ix_index_to_lin(u->ctx, ix_for_hi(loop));
    }
    if (lo && hi)
        return ix_fact_form(u, ix_lin_try_fma(u->ctx, hi, -1, lo));
    if (loop->number >= k->box->rank)
        return NULL;
    const ix_axis *ax = &k->box->ax[loop->number];
    *most = true;
    return ix_fact_form(u, ix_lin_try_fma(u->ctx, ax->hi, -1, ax->lo));
}

/* The loops of a nest and what it stores. */
static bool
read_nest(ix_unit *u, const ix_kernel *k, ix_stmt *nest, ix_counted_loops *c,
          bool *most)
{
    size_t room = 0;
    ix_stmt *s = nest;
    c->box = k->box;
    c->in_order = true;
    for (; s->kind == IX_STMT_FOR && c->nloops < IX_COUNTED_LOOPS;
         s = ix_nest_inside(s)) {
        const ix_lin *length = trips(u, k, s, most);
        if (!length)
            return false;
        c->in_order &= s->number == c->nloops;
        c->length[c->nloops++] = length;
    }
    for (; s; s = s->next) {
        ix_arena_grow(&u->arena, &c->body, &room, c->nbodies + 1,
                      sizeof *c->body);
        if (s->kind == IX_STMT_STORE)
            c->body[c->nbodies++] = ix_store_value(s);
    }
    return true;
}

bool
ix_fact_operations(ix_unit *u, const ix_kernel *k, bool *most, ix_text *t)
{
    ix_counted_loops *nests;
    size_t n = 0, room = 0;
    for (const ix_stmt *s = k->nests; s && s->kind == IX_STMT_FOR; s = s->next)
        room++;
    nests = ix_arena_new(&u->arena, (room + 1) * sizeof *nests);
    for (ix_stmt *s = k->nests; s && n <= room; s = s->next)
        if (!read_nest(u, k, s, &nests[n++], most))
            return false;
    return ix_print_operations(u->ctx, n, nests, most, t);
}

bool
ix_fact_stage_operations(ix_unit *u, const ix_stage *s, bool *most, ix_text *t)
{
    ix_counted_loops loops = {.box = s->box,
                              .nloops = s->box->rank,
                              .body =
                                  (ilex_array **)(uintptr_t)ix_stage_values(s),
                              .nbodies = (size_t)s->count};
    for (int k = 0; k < s->box->rank; k++) {
        const ix_axis *ax = &s->box->ax[k];
        loops.length[k] =
            ix_fact_form(u, ix_lin_try_fma(u->ctx, ax->hi, -1, ax->lo));
        if (!loops.length[k])
            return false;
    }
    return ix_print_operations(u->ctx, 1, &loops, most, t);
}

/* ---- statements ---- */

/* The notes of statements without their indices, each once, of as many as
 * anyone reads. */
typedef struct note_list {
    const char *item[64];
    size_t length[64], n;
    bool more;
} note_list;

static bool
note_name(void *user, ix_stmt *s)
{
    note_list *x = user;
    if (s->kind != IX_STMT_LET || !s->note)
        return true;
    size_t length = strcspn(s->note, "[");
    for (size_t i = 0; i < x->n; i++)
        if (x->length[i] == length && !memcmp(x->item[i], s->note, length))
            return true;
    x->more = x->n == IX_COUNT(x->item);
    if (x->more)
        return false;
    x->item[x->n] = s->note;
    x->length[x->n++] = length;
    return true;
}

void
ix_fact_computed(const ix_kernel *k, ix_text *t)
{
    note_list list = {.n = 0};
    ix_stmt_each((k->like ? k->like : k)->body, note_name, &list);
    for (size_t i = 0; i < list.n; i++)
        ix_text_format(t, "%s%.*s", i ? ", " : "", (int)list.length[i],
                       list.item[i]);
    ix_text_put(t, list.more ? ", ..." : "");
}
