/* SPDX-License-Identifier: MIT
 *
 * A program for ranks, in sections. Where a grid divides an axis, a rank can
 * compute an array near its own part: from what others have it needs a halo of
 * what it reads. What reads an array elsewhere along the axis (a reduction over
 * it, a scan along it, an index that is data or another axis) needs all of the
 * array, so it comes in a later section: the array is an output of the section
 * before, which ranks send each other, and an input of those behind.
 *
 *     r = sum[I](a*b)             section 0    sent0[I] = a*b
 *     x = a - r                   section 1    x = a - sum[I](sent0)
 *
 * Other arrays are computed in each section that reads them. The steps of a
 * loop are sections as well, which a run makes again and again:
 *
 *     loop t[0:n] u = a           section 0    now[I] = a
 *         next u = f(u)           section 1    next[I] = f(now), and they turn
 *     out x = u                   section 2    x = now
 */
#include "compiler/graph/sections.h"

#include "lib/base/axis.h"
#include "lib/build/tuple.h"
#include "lib/graph/counted.h"

#include <stdio.h>

enum { NAME = 64 };

/* ---- what is sent ---- */

/* What an array is called that is sent. */
static void
write_name(const ix_places *p, size_t i, char *name)
{
    const ilex_array *n = p->u->order[i];
    int k, loop = ix_places_loop(p, n, &k);
    int carries = loop < 0 ? 0 : ix_repeat_carries(p->u->repeat[loop].node);
    if (loop < 0)
        snprintf(name, NAME, IX_SENT "%zu", i);
    else if (k < carries)
        snprintf(name, NAME, IX_SENT_NOW, loop, k);
    else
        snprintf(name, NAME, IX_SENT_STACK, loop, k - carries);
}

/* A domain of what is sent: its axes have names, as those of a storage do. NULL
 * after an error. */
static const ix_domain *
named(ilex_context *ctx, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    char name[32];
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        if (ax[k].name)
            continue;
        int n = snprintf(name, sizeof name, IX_SENT "_%d", k);
        ax[k].name = ix_symbol_of(ctx, name, (size_t)n);
        if (ax[k].name < 0)
            return NULL;
    }
    return ix_domain_new(ctx, dom->rank, ax);
}

static const ix_domain *
sent_domain(const ix_places *p, size_t i)
{
    ilex_context *ctx = p->u->ctx;
    const ilex_array *n = p->u->order[i];
    const ix_domain *dom = n->kind == IX_CARRIED ? n->interior : p->u->need[i];
    if (ctx->any_counted && ix_has_step(ctx, dom)) {
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "an array on [%s], whose length changes from step to step of a "
                "loop, is read along an axis that is divided over ranks, which "
                "is not supported",
                ix_domain_show(ctx, dom).s);
        return NULL;
    }
    return named(ctx, dom);
}

/* The input that stands for the array at position "i" in later sections. */
static ilex_array *
received(const ix_places *p, size_t i)
{
    ilex_context *ctx = p->u->ctx;
    char name[NAME];
    write_name(p, i, name);
    int64_t symbol = ix_symbol_of(ctx, name, strlen(name));
    const ix_domain *dom = sent_domain(p, i);
    ix_node_spec spec = {.kind = IX_INPUT,
                         .dtype = (ilex_dtype)p->u->order[i]->dtype,
                         .interior = dom,
                         .valid = dom,
                         .nattr = 1,
                         .attr = &symbol};
    return symbol < 0 || !dom ? ix_poison_again(ctx)
                              : ix_node_scoped(ctx, &spec);
}

/* ---- what is computed in a section ---- */

/* What an array could be where nobody needs it rests on what is not sent, so it
 * is where it is needed alone. Others than these are needed whole. */
static ilex_array *
narrowed(const ix_places *p, size_t i, ilex_array *const *ops)
{
    const ilex_array *n = p->u->order[i];
    const ix_domain *need = p->u->need[i];
    ix_node_spec spec = {.kind = (ix_kind)n->kind,
                         .dtype = (ilex_dtype)n->dtype,
                         .interior = p->whole[i] ? n->interior : need,
                         .valid = need,
                         .nops = n->nops,
                         .nattr = n->nattr,
                         .ops = ops,
                         .attr = n->attr,
                         .env = n->env};
    return ix_node_scoped(n->ctx, &spec);
}

/* Is the array at position "i" of no use to a section? */
static bool
is_elsewhere(const ix_places *p, int section, size_t i)
{
    int loop = ix_unit_inside(p->u, i);
    return p->section[i] > section || p->u->order[i]->kind == IX_LOOP ||
           (loop >= 0 && (section < p->begin[loop] || section >= p->end[loop]));
}

/* An array with what its operands are in the section. */
static ilex_array *
in_section(const ix_places *p, int section, size_t i, ilex_array *const *became)
{
    const ix_unit *u = p->u;
    ilex_array *n = u->order[i];
    bool narrow = u->need[i] && (n->kind == IX_LAMBDA || n->kind == IX_SCAN ||
                                 n->kind == IX_RESULT || n->kind == IX_CONCAT);
    if (is_elsewhere(p, section, i))
        return n;
    if (p->sent[i] && p->section[i] < section)
        return received(p, i);
    ilex_array **ops = ix_mem_new(&u->mem, ((size_t)n->nops + 1) * sizeof *ops);
    for (int k = 0; k < n->nops; k++)
        ops[k] = ix_is_array(n->ops[k]) ? became[ix_unit_position(u, n->ops[k])]
                                        : n->ops[k];
    n = narrow ? narrowed(p, i, ops) : ix_with_operands(n, ops);
    ix_mem_free(&u->mem, ops);
    return n;
}

/* ---- outputs of sections ---- */

typedef enum made_kind {
    MADE_ARRAY,
    MADE_ELEMENT,
    MADE_ZEROS,
    MADE_COUNT,
    MADE_OUTPUT
} made_kind;

/* An output of a section: the array at position "of" on a domain; of a stack
 * the element of a step, or zeros; how many steps a loop has; one of the
 * program's. */
typedef struct made {
    made_kind kind;
    int section;
    char name[NAME];
    size_t of;
    const ix_domain *dom;
    int loop, stack;
    const ix_output *out;
} made;

typedef bool made_fn(void *user, const made *x);

/* Outputs are computed in the first section that can, but for those that may
 * take the place of an input, which other sections read. */
static bool
each_output(const ix_places *p, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = true;
    for (size_t i = 0; ok && i < u->noutputs; i++) {
        made x = {.kind = MADE_OUTPUT,
                  .of = ix_unit_position(u, u->root[i]),
                  .out = &u->module->output[i]};
        x.section = x.out->inplace ? p->last : ix_places_within(p, x.of, -1);
        ok = fn(user, &x);
    }
    return ok;
}

/* What is sent, but for what loops carry and give. */
static bool
each_sent(const ix_places *p, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = true;
    int k;
    for (size_t i = 0; ok && i < u->norder; i++) {
        made x = {.section = p->section[i], .of = i};
        if (!p->sent[i] || !u->need[i] ||
            ix_places_loop(p, u->order[i], &k) >= 0)
            continue;
        write_name(p, i, x.name);
        x.dom = sent_domain(p, i);
        ok = x.dom && fn(user, &x);
    }
    return ok;
}

/* What loop "l" carries: first, and next. */
static bool
each_carried(const ix_places *p, int l, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    const ilex_array *loop = u->repeat[l].node;
    bool ok = true;
    for (int k = 0; ok && k < ix_repeat_carries(loop); k++)
        for (int next = 0; ok && next < 2; next++) {
            const ilex_array *n =
                next ? ix_repeat_next(loop, k) : ix_repeat_first(loop, k);
            made x = {.of = ix_unit_position(u, n)};
            x.dom = named(u->ctx, ix_repeat_carried(loop, k)->interior);
            x.section =
                ix_places_within(p, x.of, next ? l : u->repeat[l].around);
            snprintf(x.name, NAME, next ? IX_SENT_NEXT : IX_SENT_NOW, l, k);
            ok = x.dom && fn(user, &x);
        }
    return ok;
}

/* Is a result of the loop read? */
static bool
is_read(const ix_places *p, const ilex_array *loop, int k)
{
    const ix_unit *u = p->u;
    for (size_t i = 0; i < u->norder; i++)
        if (u->need[i] && u->order[i]->kind == IX_RESULT &&
            u->order[i]->ops[0] == loop && u->order[i]->attr[0] == k)
            return true;
    return false;
}

/* Stack "k" of loop "l": zeros, of which a step writes an element. */
static bool
each_stacked(const ix_places *p, int l, int k, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    ilex_context *ctx = u->ctx;
    const ilex_array *loop = u->repeat[l].node;
    int result = ix_repeat_carries(loop) + k;
    made x = {.kind = MADE_ZEROS, .loop = l, .stack = k};
    if (!is_read(p, loop, result))
        return true;
    snprintf(x.name, NAME, IX_SENT_STACK, l, k);
    x.of = ix_unit_position(u, ix_repeat_stacked(loop, k));
    x.dom = named(ctx, ix_tuple_domain(loop, result));
    x.section = u->repeat[l].around < 0 ? 0 : p->begin[u->repeat[l].around];
    if (!x.dom || !fn(user, &x))
        return false;
    x.kind = MADE_ELEMENT;
    x.dom = ix_repeat_element(ctx, loop, k, x.dom);
    x.section = ix_places_within(p, x.of, l);
    return x.dom && fn(user, &x);
}

static bool
each_of_loop(const ix_places *p, int l, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    const ilex_array *loop = u->repeat[l].node, *until = ix_repeat_until(loop);
    const ix_domain *number = ix_domain_new(u->ctx, 0, NULL);
    made count = {.kind = MADE_COUNT, .loop = l, .dom = number};
    made last = {.dom = number};
    snprintf(count.name, NAME, IX_SENT_COUNT, l);
    snprintf(last.name, NAME, IX_SENT_UNTIL, l);
    bool ok = number && fn(user, &count) && each_carried(p, l, fn, user);
    for (int k = 0; ok && k < ix_repeat_stacks(loop); k++)
        ok = each_stacked(p, l, k, fn, user);
    if (ok && until) {
        last.of = ix_unit_position(u, until);
        last.section = ix_places_within(p, last.of, l);
        ok = fn(user, &last);
    }
    return ok;
}

static bool
each_made(const ix_places *p, made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = each_sent(p, fn, user);
    for (int l = 0; ok && l < u->repeats.n; l++)
        ok = !u->need[u->repeat[l].end] || each_of_loop(p, l, fn, user);
    return ok && each_output(p, fn, user);
}

/* ---- sections without outputs go ---- */

static bool
use_section(void *user, const made *x)
{
    int *is_used = user;
    is_used[x->section] = 1;
    return true;
}

static bool
renumber(ix_places *p)
{
    const ix_unit *u = p->u;
    int n = p->last + 1, count = 0;
    int *number = ix_arena_new(&p->u->arena, ((size_t)n + 1) * sizeof *number);
    if (!each_made(p, use_section, number))
        return false;
    for (int s = 0; s <= n; s++) {
        int used = s < n ? number[s] : 0;
        number[s] = count;
        count += used;
    }
    for (size_t i = 0; i < u->norder; i++) {
        int k, loop = ix_places_loop(p, u->order[i], &k);
        p->section[i] = loop < 0 ? number[p->section[i]]
                        : u->order[i]->kind == IX_CARRIED
                            ? number[p->begin[loop]] - 1
                            : number[p->end[loop]] - 1;
    }
    for (int l = 0; l < u->repeats.n; l++) {
        p->begin[l] = number[p->begin[l]];
        p->end[l] = number[p->end[l]];
    }
    p->last = count - 1;
    return true;
}

/* ---- modules ---- */

/* A section while it is made. */
typedef struct building {
    const ix_places *p;
    int section;
    ilex_array **became;
    ilex_module *m;
} building;

/* The array "x" on a domain; behind "first" axes, which are no axes of "x". */
static ilex_array *
copied(ilex_array *x, const ix_domain *dom, int first)
{
    ilex_context *ctx = x->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, first + k);
    return ix_node_lambda(
        ctx, dom, dom,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index), 1, &x);
}

static ilex_array *
zeros(const ilex_array *like, const ix_domain *dom)
{
    ix_value zero = {.i = 0};
    return ix_node_lambda(
        like->ctx, dom, dom,
        ix_scalar_const(like->ctx, (ilex_dtype)like->dtype, zero), 0, NULL);
}

/* How many steps loop "l" has. */
static ilex_array *
count_of(const ix_unit *u, int l, const ix_domain *dom)
{
    const ilex_array *loop = u->repeat[l].node;
    const ix_lin *n = ix_axis_extent(u->ctx, &loop->interior->ax[0]);
    return n ? ix_node_lambda(u->ctx, dom, dom, ix_index_lin(u->ctx, n), 0,
                              NULL)
             : ix_poison_again(u->ctx);
}

/* An output of the program; the input whose place it may take is one of the
 * section, though that may read what was sent of it. */
static bool
add_output(const building *b, const ix_output *out, ilex_array *x)
{
    const ilex_module *from = b->p->u->module;
    ilex_context *ctx = b->p->u->ctx;
    bool ok = true;
    for (size_t i = 0; ok && out->inplace && i < from->ninputs; i++)
        if (from->input[i]->attr[0] == out->inplace)
            ok = ix_module_add_input(b->m, from->input[i]) == ILEX_OK;
    return ok &&
           ix_module_add_output(b->m, ix_symbol_text(ctx, out->name), x,
                                out->inplace ? ix_symbol_text(ctx, out->inplace)
                                             : NULL) == ILEX_OK;
}

static bool
add_made(void *user, const made *x)
{
    const building *b = user;
    const ix_unit *u = b->p->u;
    ilex_array *n;
    if (x->section != b->section)
        return true;
    switch (x->kind) {
    case MADE_OUTPUT:
        return add_output(b, x->out, b->became[x->of]);
    case MADE_ARRAY:
        n = copied(b->became[x->of], x->dom, 0);
        break;
    case MADE_ELEMENT:
        n = copied(b->became[x->of], x->dom, 1);
        break;
    case MADE_ZEROS:
        n = zeros(u->order[x->of], x->dom);
        break;
    default:
        n = count_of(u, x->loop, x->dom);
    }
    return ix_module_add_output(b->m, x->name, n, NULL) == ILEX_OK;
}

/* Messages call what was sent as the program does. */
static bool
label_received(const building *b)
{
    const ix_places *p = b->p;
    const ix_unit *u = p->u;
    bool ok = true;
    for (size_t i = 0; ok && i < u->norder; i++) {
        const ilex_array *n = u->order[i];
        const size_t *label = ix_map_find(&u->label, ix_unit_program(u, n));
        int32_t name = n->kind == IX_INPUT ? (int32_t)n->attr[0]
                       : label             ? (int32_t)*label
                                           : 0;
        if (name && p->sent[i] && p->section[i] < b->section &&
            !is_elsewhere(p, b->section, i))
            ok = ix_module_label(b->m, name, b->became[i]) == ILEX_OK;
    }
    return ok;
}

/* What the program assumes, and which steps there are. */
static bool
assume(const building *b, const ix_assumption *const *bound)
{
    const ix_places *p = b->p;
    const ilex_module *from = p->u->module;
    bool ok = true;
    for (size_t i = 0; ok && i < from->nassumptions; i++)
        ok = ix_module_assume(b->m, from->assumption[i]) == ILEX_OK;
    for (int l = 0; ok && l < p->u->repeats.n; l++)
        if (b->section >= p->begin[l] && b->section < p->end[l])
            ok = ix_module_assume(b->m, bound[l]) == ILEX_OK;
    return ok;
}

/* One section; NULL after an error. */
static ilex_module *
section_module(const ix_places *p, int section,
               const ix_assumption *const *bound)
{
    ix_unit *u = p->u;
    building b = {
        .p = p,
        .section = section,
        .became = ix_mem_new(&u->mem, (u->norder + 1) * sizeof(ilex_array *)),
        .m = ilex_module_new(u->ctx, u->module->name)};
    bool ok = b.m && assume(&b, bound);
    for (size_t i = 0; ok && i < u->norder; i++) {
        b.became[i] = in_section(p, section, i, b.became);
        ok = !ix_is_poison(b.became[i]);
    }
    ok = ok && label_received(&b) && each_made(p, add_made, &b);
    ix_mem_free(&u->mem, b.became);
    if (ok)
        return b.m;
    ilex_module_free(b.m);
    return NULL;
}

/* Steps become sizes that a run is given: what is known of each. */
static const ix_assumption *const *
give_steps(ix_unit *u)
{
    const ix_assumption **bound =
        ix_arena_new(&u->arena, ((size_t)u->repeats.n + 1) * sizeof *bound);
    char name[NAME];
    for (int l = 0; l < u->repeats.n; l++) {
        int32_t step = ix_repeat_step(u->repeat[l].node);
        int n = snprintf(name, NAME, IX_SENT_STEP "%d", l);
        int32_t symbol = ix_symbol_of(u->ctx, name, (size_t)n);
        if (symbol < 0)
            return NULL;
        bound[l] = ix_step_given(u->ctx, step, symbol);
    }
    return bound;
}

/* The arrays of the whole program, as its passes leave them. */
static bool
prepare(ix_places *p)
{
    ix_unit *u = p->u;
    return ix_pass_check(u) && ix_pass_simplify(u) && ix_pass_contract(u) &&
           ix_pass_lower(u) && ix_unit_summands(u, &p->axes) &&
           ix_pass_extents(u) && ix_unit_places(p) && renumber(p);
}

static void
describe(const ix_places *p, ix_section_list *list)
{
    const ix_unit *u = p->u;
    list->count = (size_t)p->last + 1;
    list->nloops = 0;
    for (int l = 0; l < u->repeats.n; l++) {
        const ilex_array *n = u->repeat[l].node;
        ix_section_loop *x = &list->loop[list->nloops++];
        *x = (ix_section_loop){.begin = p->begin[l],
                               .end = p->end[l],
                               .around = u->repeat[l].around,
                               .carries = ix_repeat_carries(n),
                               .until = ix_repeat_until(n) != NULL};
        snprintf(x->name, sizeof x->name, "%s",
                 ix_symbol_text(u->ctx, n->interior->ax[0].name));
    }
}

static ilex_module *
make(ix_places *p, size_t section, ix_section_list *list)
{
    _Static_assert((int)IX_REPEATS == (int)IX_SECTION_LOOPS,
                   "loops of a program");
    ix_unit *u = p->u;
    if (!IX_ARENA_TRY(&u->arena))
        return ix_fail_memory_null(&u->ctx->error);
    if (!prepare(p))
        return NULL;
    describe(p, list);
    const ix_assumption *const *bound = give_steps(u);
    return bound && section < list->count
               ? section_module(p, (int)section, bound)
               : NULL;
}

ilex_module *
ix_module_section(ilex_module *from, const char *axes, size_t section,
                  ix_section_list *list)
{
    ilex_context *ctx = from->ctx;
    size_t scope = ilex_scope_begin(ctx);
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.facts = from->env});
    ix_unit u = {.ctx = ctx, .module = from};
    ix_places p = {.u = &u};
    ix_divided_axes_read(axes, &p.axes);
    ix_unit_begin(&u);
    ilex_module *m = scope == SIZE_MAX ? NULL : make(&p, section, list);
    ix_arena_free(&u.arena);
    if (scope != SIZE_MAX)
        ilex_scope_end(ctx, scope, NULL);
    ix_assume_instead(ctx, before);
    return m;
}
