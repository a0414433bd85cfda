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
 * Other arrays are computed in each section that reads them.
 */
#include "compiler/graph/sections.h"
#include "lib/base/axis.h"
#include "lib/build/scan.h"

#include <stdio.h>

/* What is found out of each array of the unit, operands first. */
typedef struct placing {
    ix_unit *u;
    ix_divided_axes axes;
    uint32_t
        *divided; /* along which axes it is known near a part alone: bits */
    int *section; /* the first in which it can be computed */
    bool *sent;
    bool *whole; /* its own domain is asked for */
    ix_load_visitor loads;
    size_t at; /* the array whose body is visited */
    int last;  /* the last section */
} placing;

/* ---- names of axes ---- */

void
ix_divided_axes_read(const char *text, ix_divided_axes *d)
{
    d->n = 0;
    for (const char *p = text; *p && d->n < ILEX_MAX_RANK; p += *p == ',') {
        d->name[d->n] = p;
        d->length[d->n] = strcspn(p, ",");
        p += d->length[d->n++];
    }
}

int
ix_divided_axis(const ix_divided_axes *d, const ilex_array *x, int k)
{
    const char *name = ix_symbol_text(x->ctx, x->interior->ax[k].name);
    size_t stem = ix_axis_stem(name, strlen(name));
    for (int i = 0; *name && i < d->n; i++)
        if (d->length[i] == stem && !strncmp(name, d->name[i], stem))
            return i;
    return -1;
}

/* ---- where arrays can be computed ---- */

/* The array comes no earlier than the one at position "k", which it reads. */
static void
follow(placing *p, size_t k)
{
    if (p->section[p->at] < p->section[k])
        p->section[p->at] = p->section[k];
}

/* "x", at position "k", is read away from the parts: all of it is needed. */
static void
send(placing *p, size_t k)
{
    p->sent[k] = true;
    if (p->section[p->at] <= p->section[k])
        p->section[p->at] = p->section[k] + 1;
}

/* Is "index" that of an axis of "n" which lies on divided axis "axis", moved by
 * a constant, and are points along it computed in any order? */
static bool
is_near(const placing *p, const ilex_array *n, int axis,
        const ilex_array *index)
{
    index = ix_index_moved(index);
    if (index->kind != IX_INDEX)
        return false;
    int k = (int)index->attr[0];
    return ix_divided_axis(&p->axes, n, k) == axis &&
           !(n->kind == IX_SCAN && ix_scan_axis(n) == k);
}

/* Has it an axis of chunks? A rank has its own. */
static bool
is_of_chunks(const ilex_array *x)
{
    bool chunks = false;
    for (int k = 0; k < ix_rank(x); k++)
        chunks |=
            ix_is_of_chunks(ix_symbol_text(x->ctx, x->interior->ax[k].name));
    return chunks;
}

static bool
place_load(ix_load_visitor *v, const ilex_array *load)
{
    placing *p = v->user;
    const ilex_array *n = p->u->order[p->at];
    const ilex_array *x = n->ops[load->attr[0] + 1];
    size_t at = ix_unit_position(p->u, x);
    follow(p, at);
    if (is_of_chunks(x))
        send(p, at);
    for (int k = 0; k < load->nops; k++) {
        int axis = ix_divided_axis(&p->axes, x, k);
        if (axis < 0 || !(p->divided[at] >> axis & 1))
            continue;
        if (is_near(p, n, axis, load->ops[k]))
            p->divided[p->at] |= UINT32_C(1) << axis;
        else
            send(p, at);
    }
    return true;
}

/* Operand "x" is needed whole. */
static void
place_whole(placing *p, const ilex_array *x)
{
    size_t at = ix_unit_position(p->u, x);
    p->whole[at] = true;
    follow(p, at);
    if (p->divided[at])
        send(p, at);
}

/* An update's read is no array of its own: what it reads is needed. */
static void
place_operands(placing *p, const ilex_array *n)
{
    for (int i = 0; i < n->nops; i++) {
        const ilex_array *x = n->ops[i];
        if (ix_is_array(x) && n->kind == IX_UPDATE && i == 1)
            place_operands(p, x);
        else if (ix_is_array(x))
            place_whole(p, x);
    }
}

static void
place_input(placing *p, const ilex_array *n)
{
    for (int k = 0; k < ix_rank(n); k++) {
        int axis = ix_divided_axis(&p->axes, n, k);
        p->divided[p->at] |= axis < 0 ? 0 : UINT32_C(1) << axis;
    }
}

static bool
place(placing *p, const ilex_array *n)
{
    size_t from;
    switch (n->kind) {
    case IX_INPUT:
        place_input(p, n);
        return true;
    case IX_LAMBDA:
    case IX_SCAN:
        p->loads.frame.box = n->interior;
        return ix_visit_loads(&p->loads, n->ops[0]);
    case IX_RESULT:
        from = ix_unit_position(p->u, n->ops[0]);
        p->divided[p->at] = p->divided[from];
        p->section[p->at] = p->section[from];
        return true;
    case IX_DATA:
    case IX_LOOP:
    case IX_CARRIED:
    case IX_COMPACT:
        ix_fail(&n->ctx->error, ILEX_E_UNSUPPORTED,
                "a program with %s is not supported in sections",
                ix_node_text(n));
        return false;
    default:
        place_operands(p, n);
        return true;
    }
}

/* Outputs are computed in the first section that can, but for those that may
 * take the place of an input, which other sections read. */
static void
place_roots(placing *p)
{
    const ix_unit *u = p->u;
    for (size_t i = 0; i < u->noutputs; i++) {
        size_t at = ix_unit_position(u, u->root[i]);
        p->whole[at] = true;
        p->last = p->last < p->section[at] ? p->section[at] : p->last;
    }
}

static int
section_of_output(const placing *p, size_t i)
{
    const ix_unit *u = p->u;
    return u->module->output[i].inplace
               ? p->last
               : p->section[ix_unit_position(u, u->root[i])];
}

static bool
place_all(placing *p)
{
    ix_unit *u = p->u;
    bool ok = true;
    p->divided = ix_arena_new(&u->arena, (u->norder + 1) * sizeof *p->divided);
    p->section = ix_arena_new(&u->arena, (u->norder + 1) * sizeof *p->section);
    p->sent = ix_arena_new(&u->arena, u->norder + 1);
    p->whole = ix_arena_new(&u->arena, u->norder + 1);
    p->loads = (ix_load_visitor){
        .ctx = u->ctx, .mem = &u->mem, .fn = place_load, .user = p};
    for (p->at = 0; ok && p->at < u->norder; p->at++)
        ok = !u->need[p->at] || place(p, u->order[p->at]);
    ix_visit_end(&p->loads);
    place_roots(p);
    return ok;
}

/* ---- modules ---- */

/* What is sent of the array at position "i": its axes have names, as those of a
 * storage do. NULL after an error. */
static const ix_domain *
sent_domain(const placing *p, size_t i)
{
    ilex_context *ctx = p->u->ctx;
    const ix_domain *need = p->u->need[i];
    ix_axis ax[ILEX_MAX_RANK];
    char name[32];
    for (int k = 0; k < need->rank; k++) {
        ax[k] = need->ax[k];
        if (ax[k].name)
            continue;
        int n = snprintf(name, sizeof name, IX_SENT "_%d", k);
        ax[k].name = ix_symbol_of(ctx, name, (size_t)n);
        if (ax[k].name < 0)
            return NULL;
    }
    return ix_domain_new(ctx, need->rank, ax);
}

/* The input that stands for the array at position "i" in later sections. */
static ilex_array *
received(const placing *p, size_t i)
{
    ilex_context *ctx = p->u->ctx;
    char name[32];
    int n = snprintf(name, sizeof name, IX_SENT "%zu", i);
    int64_t symbol = ix_symbol_of(ctx, name, (size_t)n);
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

/* What is sent of the array at position "i", which is "x" in its section. */
static ilex_array *
sending(const placing *p, size_t i, ilex_array *x)
{
    ilex_context *ctx = p->u->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    const ix_domain *dom = sent_domain(p, i);
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, k);
    return ix_node_lambda(
        ctx, dom, dom,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index), 1, &x);
}

/* What an array could be where nobody needs it rests on what is not sent, so it
 * is where it is needed alone. Others than these are needed whole. */
static ilex_array *
narrowed(const placing *p, size_t i, ilex_array *const *ops)
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

/* An array with what its operands are in the section. */
static ilex_array *
in_section(const placing *p, int section, size_t i, ilex_array *const *became)
{
    const ix_unit *u = p->u;
    ilex_array *n = u->order[i];
    bool narrow = u->need[i] && (n->kind == IX_LAMBDA || n->kind == IX_SCAN ||
                                 n->kind == IX_RESULT || n->kind == IX_CONCAT);
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

static bool
add_sent(const placing *p, int section, ilex_array *const *became,
         ilex_module *m)
{
    const ix_unit *u = p->u;
    char name[32];
    bool ok = true;
    for (size_t i = 0; ok && i < u->norder; i++) {
        if (!p->sent[i] || p->section[i] != section)
            continue;
        snprintf(name, sizeof name, IX_SENT "%zu", i);
        ok = ix_module_add_output(m, name, sending(p, i, became[i]), NULL) ==
             ILEX_OK;
    }
    return ok;
}

/* An output; the input whose place it may take is one of the section, though
 * that may read what was sent of it. */
static bool
add_output(const placing *p, const ix_output *out, ilex_array *x,
           ilex_module *m)
{
    const ilex_module *from = p->u->module;
    ilex_context *ctx = p->u->ctx;
    bool ok = true;
    for (size_t i = 0; ok && out->inplace && i < from->ninputs; i++)
        if (from->input[i]->attr[0] == out->inplace)
            ok = ix_module_add_input(m, from->input[i]) == ILEX_OK;
    return ok &&
           ix_module_add_output(m, ix_symbol_text(ctx, out->name), x,
                                out->inplace ? ix_symbol_text(ctx, out->inplace)
                                             : NULL) == ILEX_OK;
}

static bool
add_outputs(const placing *p, int section, ilex_array *const *became,
            ilex_module *m)
{
    const ix_unit *u = p->u;
    bool ok = add_sent(p, section, became, m);
    for (size_t i = 0; ok && i < u->noutputs; i++)
        if (section_of_output(p, i) == section)
            ok = add_output(p, &u->module->output[i],
                            became[ix_unit_position(u, u->root[i])], m);
    return ok;
}

/* Messages call what was sent as the program does. */
static bool
label_received(const placing *p, int section, ilex_array *const *became,
               ilex_module *m)
{
    const ix_unit *u = p->u;
    bool ok = true;
    for (size_t i = 0; ok && i < u->norder; i++) {
        const ilex_array *n = u->order[i];
        const size_t *label = ix_map_find(&u->label, ix_unit_program(u, n));
        int32_t name = n->kind == IX_INPUT ? (int32_t)n->attr[0]
                       : label             ? (int32_t)*label
                                           : 0;
        if (name && p->sent[i] && p->section[i] < section)
            ok = ix_module_label(m, name, became[i]) == ILEX_OK;
    }
    return ok;
}

/* One section; NULL after an error. */
static ilex_module *
section_module(const placing *p, int section)
{
    ix_unit *u = p->u;
    const ilex_module *from = u->module;
    ilex_array **became = ix_mem_new(&u->mem, (u->norder + 1) * sizeof *became);
    ilex_module *m = ilex_module_new(u->ctx, from->name);
    bool ok = m != NULL;
    for (size_t i = 0; ok && i < from->nassumptions; i++)
        ok = ix_module_assume(m, from->assumption[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < u->norder; i++) {
        became[i] = in_section(p, section, i, became);
        ok = !ix_is_poison(became[i]);
    }
    ok = ok && label_received(p, section, became, m) &&
         add_outputs(p, section, became, m);
    ix_mem_free(&u->mem, became);
    if (ok)
        return m;
    ilex_module_free(m);
    return NULL;
}

/* The arrays of the whole program, as its passes leave them. */
static bool
prepare(placing *p)
{
    ix_unit *u = p->u;
    return ix_pass_check(u) && ix_pass_simplify(u) && ix_pass_contract(u) &&
           ix_pass_lower(u) && ix_unit_summands(u, &p->axes) &&
           ix_pass_extents(u) && place_all(p);
}

static ilex_module *
make(placing *p, size_t section, size_t *count)
{
    ilex_context *ctx = p->u->ctx;
    if (!IX_ARENA_TRY(&p->u->arena))
        return ix_fail_memory_null(&ctx->error);
    if (!prepare(p))
        return NULL;
    *count = (size_t)p->last + 1;
    return section < *count ? section_module(p, (int)section) : NULL;
}

ilex_module *
ix_module_section(ilex_module *from, const char *axes, size_t section,
                  size_t *count)
{
    ilex_context *ctx = from->ctx;
    size_t scope = ilex_scope_begin(ctx);
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.facts = from->env});
    ix_unit u = {.ctx = ctx, .module = from};
    placing p = {.u = &u};
    ix_divided_axes_read(axes, &p.axes);
    ix_unit_begin(&u);
    ilex_module *m = scope == SIZE_MAX ? NULL : make(&p, section, count);
    ix_arena_free(&u.arena);
    if (scope != SIZE_MAX)
        ilex_scope_end(ctx, scope, NULL);
    ix_assume_instead(ctx, before);
    return m;
}
