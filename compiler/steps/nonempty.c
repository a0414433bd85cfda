/* SPDX-License-Identifier: MIT
 *
 * Reductions that need an element (max, min, argmax, argmin): what a run checks
 * before it starts. One over nothing is an error unless it is never evaluated:
 * a loop or a reduction around it has no iteration for these sizes. A guard
 * that peel left in the body does not count as one. With an initial value, and
 * over a range that is computed, it is the identity.
 */
#include "compiler/steps/finish.h"
#include "compiler/tree/tree.h"

typedef struct search {
    ix_unit *u;
    ix_compiled *c;
    ix_stmt *nest;
    const ix_kernel *kernel;
    size_t capacity, outer_capacity;
} search;

static void
add_outer(search *s, ix_compiled_nonempty *to, const ix_lin *lo,
          const ix_lin *hi)
{
    ix_arena_grow(&s->c->arena, &to->outer, &s->outer_capacity,
                  (size_t)to->nouter + 1, sizeof *to->outer);
    to->outer[to->nouter++] =
        (ix_range){ix_finish_lin(s->c, lo), ix_finish_lin(s->c, hi)};
}

/* Every pair of bounds of a loop that depends on sizes alone. */
static void
add_loop(search *s, ix_compiled_nonempty *to, const ix_stmt *loop)
{
    ilex_context *ctx = s->u->ctx;
    for (int i = 0; i < loop->n[IX_for_lo]; i++)
        for (int j = 0; j < loop->n[IX_for_hi]; j++) {
            const ix_lin *lo =
                ix_index_to_lin(ctx, ix_operands(loop, IX_for_lo)[i]);
            const ix_lin *hi =
                ix_index_to_lin(ctx, ix_operands(loop, IX_for_hi)[j]);
            if (lo && hi)
                add_outer(s, to, lo, hi);
        }
}

/* Where the source makes it, or what its kernel computes. */
static const char *
location_of(const search *s, const ilex_array *n)
{
    ix_mem mem = ix_arena_mem(&s->c->arena);
    const ilex_array *made = ix_made_of(s->u, n);
    ix_source_location own = ix_source_location_of(s->u, made);
    ix_source_locations at = {.item = &own, .n = own.line > 0};
    ix_text t;
    if (at.n == 0)
        ix_kernel_locations(s->u, s->kernel, &at);
    ix_source_locations_sort(&at);
    ix_text_init(&t, &mem);
    ix_source_locations_print(&at, &t);
    const char *text = ix_text_string(&t);
    return text ? text : "";
}

/* Reduction "n" with what is around it. */
static void
add(search *s, const ix_frame *frame, const ilex_array *n)
{
    ix_compiled *c = s->c;
    ix_arena_grow(&c->arena, &c->nonempty, &s->capacity, c->nnonempty + 1,
                  sizeof *c->nonempty);
    ix_compiled_nonempty *to = &c->nonempty[c->nnonempty++];
    *to = (ix_compiled_nonempty){
        .what = ix_reduction_info_of(ix_reduction_of(n))->name,
        .location = location_of(s, n),
        .nranges = n->interior->rank};
    s->outer_capacity = 0;
    to->range =
        ix_arena_new(&c->arena, ((size_t)to->nranges + 1) * sizeof *to->range);
    for (int k = 0; k < to->nranges; k++)
        to->range[k] = ix_finish_range(c, &n->interior->ax[k]);
    for (const ix_stmt *x = s->nest; x->kind == IX_STMT_FOR;
         x = ix_nest_inside(x))
        add_loop(s, to, x);
    for (int i = 0; i < frame->nreduce; i++) {
        const ix_domain *box = frame->reduce[i]->interior;
        for (int k = 0; k < box->rank; k++)
            add_outer(s, to, box->ax[k].lo, box->ax[k].hi);
    }
}

static ix_walk_step
visit(ix_walk *w, ilex_array *n, size_t *value)
{
    (void)value;
    if (n->kind == IX_REDUCE && !ix_is_total(n) && !ix_is_ranged(n) &&
        !ix_reduction_info_of(ix_reduction_of(n))->empty)
        add(w->user, &w->frame, n);
    return IX_WALK_IN;
}

void
ix_finish_nonempty(ix_unit *u, ix_compiled *c)
{
    search s = {.u = u, .c = c};
    ix_walk w = {.ctx = u->ctx,
                 .mem = &u->mem,
                 .frames = IX_WALK_REDUCTIONS,
                 .within = IX_HAS_REDUCE,
                 .enter = visit,
                 .user = &s};
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        for (s.nest = k->condition ? NULL : k->nests; s.nest;
             s.nest = s.nest->next)
            for (const ix_stmt *x = ix_nest_body(s.nest); x; x = x->next) {
                ix_walk_forget(&w);
                s.kernel = k;
                ix_walk_body(&w, ix_store_value(x), NULL);
            }
}
