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

#include "compiler/graph/made.h"
#include "lib/base/axis.h"
#include "lib/graph/counted.h"

#include <stdio.h>

/* The input, called so, that stands for the array at position "i" in later
 * sections. */
static ilex_array *
received(const ix_places *p, size_t i, const char *name)
{
    ilex_context *ctx = p->u->ctx;
    const ix_domain *dom = ix_made_domain(p, i);
    return ix_build_received(ctx, name, (ilex_dtype)p->u->order[i]->dtype, dom,
                             dom);
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
is_elsewhere(const ix_places *p, int turn, size_t i)
{
    int loop = ix_unit_inside(p->u, i), section = turn / 2;
    return p->section[i] > section || p->u->order[i]->kind == IX_LOOP ||
           (loop >= 0 && (section < p->begin[loop] || section >= p->end[loop]));
}

/* What operand "k" of the array at position "i" is. */
static ilex_array *
operand(const ix_places *p, size_t i, int k, ilex_array *const *became)
{
    const ix_unit *u = p->u;
    const ix_listing *l = ix_places_listing(p, i, k);
    char name[IX_MADE_NAME];
    if (!l)
        return became[ix_unit_position(u, u->order[i]->ops[k])];
    if (ix_places_is_direct(p, l))
        ix_made_name(p, l->of, name);
    else
        snprintf(name, IX_MADE_NAME, IX_SENT_LIST, l->of, l->axis);
    return received(p, l->of, name);
}

/* An array with what its operands are in the section. */
static ilex_array *
in_section(const ix_places *p, int turn, size_t i, ilex_array *const *became)
{
    const ix_unit *u = p->u;
    ilex_array *n = u->order[i];
    bool narrow = u->need[i] && (n->kind == IX_LAMBDA || n->kind == IX_SCAN ||
                                 n->kind == IX_RESULT || n->kind == IX_CONCAT);
    char name[IX_MADE_NAME];
    if (is_elsewhere(p, turn, i))
        return n;
    if (p->sent[i] && 2 * p->section[i] < turn) {
        ix_made_name(p, i, name);
        return received(p, i, name);
    }
    ilex_array **ops = ix_mem_new(&u->mem, ((size_t)n->nops + 1) * sizeof *ops);
    for (int k = 0; k < n->nops; k++)
        ops[k] = ix_is_array(n->ops[k]) ? operand(p, i, k, became) : n->ops[k];
    n = narrow ? narrowed(p, i, ops) : ix_with_operands(n, ops);
    ix_mem_free(&u->mem, ops);
    return n;
}

/* ---- modules ---- */

/* A section while it is made. */
typedef struct building {
    const ix_places *p;
    int turn;
    ilex_array **became;
    ilex_module *m;
} building;

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

static bool
note_operand(ix_load_visitor *v, const ilex_array *load)
{
    bool *read = v->user;
    read[load->attr[0] + 1] = true;
    return true;
}

/* The places of a listing; any other array is in the place of operands that
 * they do not read, which may be of another section. */
static ilex_array *
places_of(const building *b, const ix_made *x)
{
    const ix_unit *u = b->p->u;
    const ilex_array *n = u->order[x->list->reader];
    ilex_array **ops =
        ix_arena_new(&b->p->u->arena, (size_t)n->nops * sizeof *ops);
    bool *read = ix_arena_new(&b->p->u->arena, (size_t)n->nops * sizeof *read);
    ilex_array *body = x->list->body[x->number];
    ix_load_visitor v = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .frame = {.box = x->dom},
                         .fn = note_operand,
                         .user = read};
    bool ok = ix_visit_loads(&v, body);
    ix_visit_end(&v);
    int any = 1;
    while (any < n->nops && !read[any])
        any++;
    for (int k = 1; k < n->nops && any < n->nops; k++)
        ops[k - 1] = b->became[ix_unit_position(u, n->ops[read[k] ? k : any])];
    return ok ? ix_node_lambda(u->ctx, x->dom, x->dom, body,
                               any < n->nops ? n->nops - 1 : 0, ops)
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
    if (out->inplace)
        ok = ix_module_add_input(b->m, ix_module_input(from, out->inplace)) ==
             ILEX_OK;
    return ok &&
           ix_module_add_output(b->m, ix_symbol_text(ctx, out->name), x,
                                out->inplace ? ix_symbol_text(ctx, out->inplace)
                                             : NULL) == ILEX_OK;
}

static bool
add_made(void *user, const ix_made *x)
{
    const building *b = user;
    const ix_unit *u = b->p->u;
    ilex_array *n;
    if (ix_made_turn(x) != b->turn)
        return true;
    switch (x->kind) {
    case IX_MADE_OUTPUT:
        return add_output(b, x->out, b->became[x->of]);
    case IX_MADE_ARRAY:
        n = ix_build_copied(b->became[x->of], x->dom, 0);
        break;
    case IX_MADE_ELEMENT:
        n = ix_build_copied(b->became[x->of], x->dom, 1);
        break;
    case IX_MADE_PLACES:
        n = places_of(b, x);
        break;
    case IX_MADE_ZEROS:
        n = zeros(u->order[x->of], x->dom);
        break;
    default:
        n = count_of(u, x->loop, x->dom);
    }
    return ix_module_add_output(b->m, x->name, n, NULL) == ILEX_OK;
}

/* What the program calls the array at position "i"; 0: nothing. */
static int32_t
name_of(const ix_unit *u, size_t i)
{
    const ilex_array *n = u->order[i];
    const size_t *label = ix_map_find(&u->label, ix_unit_program(u, n));
    return n->kind == IX_INPUT ? (int32_t)n->attr[0]
           : label             ? (int32_t)*label
                               : 0;
}

/* Messages call what was sent as the program does. */
static bool
label_received(const building *b)
{
    const ix_places *p = b->p;
    const ix_unit *u = p->u;
    bool ok = true;
    for (size_t i = 0; ok && i < u->norder; i++)
        if (name_of(u, i) && p->sent[i] && 2 * p->section[i] < b->turn &&
            !is_elsewhere(p, b->turn, i))
            ok = ix_module_label(b->m, name_of(u, i), b->became[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < p->nlistings; i++) {
        const ix_listing *l = &p->listing[i];
        ilex_array *x =
            name_of(u, l->of) && 2 * p->section[l->reader] <= b->turn
                ? operand(p, l->reader, l->slot, b->became)
                : NULL;
        ok = !x || ix_module_label(b->m, name_of(u, l->of), x) == ILEX_OK;
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
        if (b->turn / 2 >= p->begin[l] && b->turn / 2 < p->end[l])
            ok = ix_module_assume(b->m, bound[l]) == ILEX_OK;
    return ok;
}

/* One section; NULL after an error. */
static ilex_module *
section_module(const ix_places *p, int turn, const ix_assumption *const *bound)
{
    ix_unit *u = p->u;
    building b = {
        .p = p,
        .turn = turn,
        .became = ix_mem_new(&u->mem, (u->norder + 1) * sizeof(ilex_array *)),
        .m = ilex_module_new(u->ctx, u->module->name)};
    bool ok = b.m && assume(&b, bound);
    for (size_t i = 0; ok && i < u->norder; i++) {
        b.became[i] = in_section(p, turn, i, b.became);
        ok = !ix_is_poison(b.became[i]);
    }
    ok = ok && label_received(&b) && ix_each_made(p, add_made, &b);
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
    char name[IX_MADE_NAME];
    for (int l = 0; l < u->repeats.n; l++) {
        int32_t step = ix_repeat_step(u->repeat[l].node);
        int n = snprintf(name, IX_MADE_NAME, IX_SENT_STEP "%d", l);
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
           ix_pass_extents(u) && ix_unit_places(p);
}

static void
describe(const ix_places *p, const int *number, ix_section_list *list)
{
    const ix_unit *u = p->u;
    int turns = 2 * (p->last + 1);
    *list = (ix_section_list){.count = (size_t)number[turns]};
    for (int t = 1; t < turns; t += 2)
        if (number[t] < number[t + 1] && number[t] < IX_SECTIONS)
            list->places |= UINT64_C(1) << number[t];
    for (int l = 0; l < u->repeats.n; l++) {
        const ilex_array *n = u->repeat[l].node;
        ix_section_loop *x = &list->loop[list->nloops++];
        *x = (ix_section_loop){.begin = number[2 * p->begin[l]],
                               .end = number[2 * p->end[l]],
                               .around = u->repeat[l].around,
                               .carries = ix_repeat_carries(n),
                               .until = ix_repeat_until(n) != NULL};
        snprintf(x->name, sizeof x->name, "%s",
                 ix_symbol_text(u->ctx, n->interior->ax[0].name));
    }
}

/* The turn of the section that has a number. */
static int
find_turn(const int *number, size_t section)
{
    int t = 0;
    while (number[t + 1] <= (int)section)
        t++;
    return t;
}

static ilex_module *
make(ix_places *p, size_t section, ix_section_list *list)
{
    _Static_assert((int)IX_REPEATS == (int)IX_SECTION_LOOPS,
                   "loops of a program");
    ix_unit *u = p->u;
    if (!IX_ARENA_TRY(&u->arena))
        return ix_fail_memory_null(&u->ctx->error);
    const int *number = prepare(p) ? ix_made_numbers(p) : NULL;
    const ix_assumption *const *bound = number ? give_steps(u) : NULL;
    if (!bound)
        return NULL;
    describe(p, number, list);
    return section < list->count
               ? section_module(p, find_turn(number, section), bound)
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
