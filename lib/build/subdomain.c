/* SPDX-License-Identifier: MIT
 *
 * Programs whose runs may be restricted to a part: each range [lo, hi) of a
 * named axis of an output becomes [lo + from, lo + to), where "from" and "to"
 * are sizes with 0 <= from <= to <= hi - lo. What is needed for a part follows
 * as for any output, so nothing behind this knows of it but the run, which
 * finds the two sizes.
 */
#include <stdio.h>

#include "lib/build/module.h"
#include "lib/graph/counted.h"
#include "lib/shape/affine.h"

/* A size of the program's own. */
static int32_t
new_size(ilex_context *ctx, const char *what, size_t number)
{
    char text[40];
    int n = snprintf(text, sizeof text, "_ilex_%s%zu", what, number);
    int32_t symbol = ix_symbol_of(ctx, text, (size_t)n);
    return symbol < 0 ? symbol : ix_param_given(ctx, symbol);
}

/* Assumes a <= b in the program. */
static bool
assume_order(ilex_module *m, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *form = a && b ? ix_lin_sub(m->ctx, b, a) : NULL;
    const ix_assumption *assumed =
        form && form->n ? ix_assumption_of(m->ctx, form, 0) : NULL;
    return assumed ? ix_module_assume(m, assumed) == ILEX_OK
                   : form && form->n == 0;
}

/* Do both lie on one axis, I and I+1/2 for one? */
static bool
share_axis(ilex_context *ctx, const ix_axis *a, const ix_axis *b)
{
    const char *x = ix_symbol_text(ctx, a->name);
    const char *y = ix_symbol_text(ctx, b->name);
    return a->name == b->name || ix_axis_is_partner(x, y) ||
           ix_axis_is_partner(y, x);
}

/* "range", without its part, from "size" on: where the part begins, or ends. */
static const ix_lin *
part_end(ilex_context *ctx, const ix_axis *range, int32_t size)
{
    return ix_lin_add(ctx, range->lo, ix_lin_param(ctx, size));
}

/* Assumes that two ends of parts are in the order of the ends of their ranges,
 * where that is known. */
static bool
assume_alike(ilex_module *m, const ix_lin *a, const ix_lin *b,
             const ix_lin *part_a, const ix_lin *part_b)
{
    ilex_context *ctx = m->ctx;
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.in_force = m->env});
    bool up = ix_lin_le(ctx, a, b) == IX_YES;
    bool down = ix_lin_le(ctx, b, a) == IX_YES;
    ix_assume_instead(ctx, before);
    return (!up || assume_order(m, part_a, part_b)) &&
           (!down || assume_order(m, part_b, part_a));
}

/* The points of one part, cut to two ranges: where it has some of both, their
 * ends are in the order of those of the ranges. */
static bool
relate(ilex_module *m, const ix_subdomain_axis *x, const ix_subdomain_axis *y)
{
    ilex_context *ctx = m->ctx;
    const ix_axis *a = &x->range, *b = &y->range;
    return assume_alike(m, a->lo, b->lo, part_end(ctx, a, x->from),
                        part_end(ctx, b, y->from)) &&
           assume_alike(m, a->hi, b->hi, part_end(ctx, a, x->to),
                        part_end(ctx, b, y->to));
}

/* With option box=2: what is known of a new part from those there are. */
static bool
relate_all(ilex_module *m)
{
    const ix_subdomain_axis *new = &m->subdomain[m->nsubdomains - 1];
    bool ok = true;
    if (ix_option_int(m->ctx, IX_OPTION_box) < 2)
        return true;
    for (const ix_subdomain_axis *x = m->subdomain; ok && x < new; x++)
        if (share_axis(m->ctx, &x->range, &new->range))
            ok = relate(m, x, new);
    return ok;
}

/* The part of a range, found or made; NULL after an error. */
static const ix_subdomain_axis *
subdomain_axis(ilex_module *m, const ix_axis *range)
{
    ilex_context *ctx = m->ctx;
    for (size_t i = 0; i < m->nsubdomains; i++)
        if (m->subdomain[i].range.name == range->name &&
            m->subdomain[i].range.lo == range->lo &&
            m->subdomain[i].range.hi == range->hi)
            return &m->subdomain[i];
    if (!ix_mem_grow(&ctx->mem, &m->subdomain, &m->subdomain_capacity,
                     m->nsubdomains + 1, sizeof *m->subdomain))
        return NULL;
    ix_subdomain_axis *b = &m->subdomain[m->nsubdomains];
    b->range = *range;
    b->from = new_size(ctx, "from", m->nsubdomains);
    b->to = new_size(ctx, "to", m->nsubdomains);
    if (b->from < 0 || b->to < 0)
        return NULL;
    m->nsubdomains++;
    const ix_lin *from = ix_lin_param(ctx, b->from);
    const ix_lin *to = ix_lin_param(ctx, b->to);
    return assume_order(m, from, to) &&
                   assume_order(m, to, ix_axis_extent(ctx, range)) &&
                   relate_all(m)
               ? b
               : NULL;
}

/* Is the range known only when the run has counted? */
static bool
is_counted(ilex_context *ctx, const ix_axis *ax)
{
    const ix_lin *side[2] = {ax->lo, ax->hi};
    for (int s = 0; s < 2; s++)
        for (int32_t i = 0; i < side[s]->n; i++)
            if (ix_is_counted(ctx, side[s]->t[i].param))
                return true;
    return false;
}

/* The part of the domain that runs choose; NULL after an error. */
static const ix_domain *
subdomain_of(ilex_module *m, const ix_domain *dom)
{
    ilex_context *ctx = m->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        if (!ax[k].name || is_counted(ctx, &ax[k]))
            continue;
        const ix_subdomain_axis *b = subdomain_axis(m, &dom->ax[k]);
        if (!b)
            return NULL;
        ax[k].lo = part_end(ctx, &dom->ax[k], b->from);
        ax[k].hi = part_end(ctx, &dom->ax[k], b->to);
    }
    return ix_domain_new(ctx, dom->rank, ax);
}

static bool
add_output(ilex_module *m, const ix_output *out)
{
    ilex_context *ctx = m->ctx;
    const char *name = ix_symbol_text(ctx, out->name);
    const char *inplace =
        out->inplace ? ix_symbol_text(ctx, out->inplace) : NULL;
    const ix_domain *part = subdomain_of(m, out->array->interior);
    if (!part)
        return false;
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.in_force = m->env});
    ilex_array *x = ix_build_restrict(ctx, name, out->array, part);
    bool ok = !ix_is_poison(x) &&
              ix_module_add_output(m, name, x, inplace) == ILEX_OK;
    ix_assume_instead(ctx, before);
    if (ok)
        m->output[m->noutputs - 1].declared = out->array->interior;
    return ok;
}

static bool
fill(ilex_module *m, const ilex_module *from)
{
    bool ok = true;
    m->parse_seconds = from->parse_seconds;
    for (size_t i = 0; ok && i < from->nassumptions; i++)
        ok = ix_module_assume(m, from->assumption[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < from->ninputs; i++)
        ok = ix_module_add_input(m, from->input[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < from->ndeclared; i++)
        ok = ix_module_declare(m, from->declared[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < from->nlabels; i++)
        ok = ix_module_label(m, from->label[i].name, from->label[i].array) ==
             ILEX_OK;
    for (size_t i = 0; ok && i < from->noutputs; i++)
        ok = add_output(m, &from->output[i]);
    return ok;
}

ilex_module *
ix_module_subdomain(ilex_module *from)
{
    ilex_context *ctx = from->ctx;
    size_t scope = ilex_scope_begin(ctx);
    ilex_module *m =
        scope == SIZE_MAX ? NULL : ilex_module_new(ctx, from->name);
    bool ok = m && fill(m, from);
    if (scope != SIZE_MAX)
        ilex_scope_end(ctx, scope, NULL);
    if (ok)
        return m;
    ilex_module_free(m);
    return NULL;
}
