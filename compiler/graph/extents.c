/* SPDX-License-Identifier: MIT
 *
 * Passes check and extents: what the program's outputs are, and the box that
 * each array must cover, inferred backwards from the outputs.
 */
#include "compiler/unit.h"
#include "lib/build/compress.h"
#include "lib/build/foreign.h"
#include "lib/build/scan.h"
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"

/* ---- check ---- */

static bool
check_output(ix_unit *u, const ix_output *out)
{
    ilex_context *ctx = u->ctx;
    const char *name = ix_symbol_text(ctx, out->name);
    if (ix_is_poison(out->array)) {
        ix_poison_again(ctx);
        return false;
    }
    for (int k = 0; k < ix_rank(out->array); k++) {
        const ix_axis *ax = &out->array->interior->ax[k];
        if (ix_lin_is(ax->lo, -IX_UNBOUNDED) ||
            ix_lin_is(ax->hi, IX_UNBOUNDED)) {
            ix_fail(&ctx->error, ILEX_E_EMPTY,
                    "%s: axis %s has no bounds; give the output a domain, for "
                    "example `out %s : f64[I:n] = ...`, in C by "
                    "ilex_restrict(x, \"I:n\")",
                    name, ix_symbol_text(ctx, ax->name), name);
            return false;
        }
    }
    return !ix_is_array(out->array) ||
           ix_domain_check_extents(ctx, name, out->array->interior);
}

/* Is there an input of the name that an output may share a buffer with, and
 * does it look like the output? */
static bool
check_inplace(ix_unit *u, const ix_output *out)
{
    ilex_context *ctx = u->ctx;
    const ilex_array *x = ix_module_input(u->module, out->inplace);
    if (out->inplace == 0)
        return true;
    if (x && x->dtype == out->array->dtype && ix_is_array(out->array) &&
        x->interior == ix_output_domain(out))
        return true;
    const char *name = ix_symbol_text(ctx, out->name);
    const char *place = ix_symbol_text(ctx, out->inplace);
    if (!x)
        ix_fail(&ctx->error, ILEX_E_UNKNOWN,
                "output %s: there is no input '%s' to share a buffer with "
                "(inplace)",
                name, place);
    else
        ix_fail(&ctx->error, ILEX_E_SHAPE,
                "output %s: %s is %s[%s]; an output in its place (inplace) has "
                "the same dtype and domain",
                name, place, ilex_dtype_name((ilex_dtype)x->dtype),
                ix_domain_show(ctx, x->interior).s);
    return false;
}

/* What is counted are roots behind the outputs. */
static bool
add_counts(ix_unit *u)
{
    static const ix_given all_axes = {.present = false};
    ilex_context *ctx = u->ctx;
    bool ok = true;
    for (size_t i = u->noutputs; ok && i < u->nroots; i++) {
        ilex_array *mask = ctx->param[u->counted[i - u->noutputs]].mask;
        ilex_array *chunks = u->reference ? NULL : ix_mask_chunk_counts(mask);
        u->root[i] =
            chunks ? ix_build_reduce(ctx, IX_REDUCTION_SUM, chunks, 1, false)
                   : ix_build_count_nonzero(ctx, &mask, 1, &all_axes);
        ok = !ix_is_poison(u->root[i]);
    }
    return ok;
}

/* Rank-0 scalars become lambdas, so that every root is an array. */
/* Arrays that are called something, but not in this program. */
static void
add_names(ix_unit *u)
{
    for (size_t i = 0; i < u->norder; i++) {
        const ilex_array *n = u->order[i];
        int32_t name = n->kind == IX_INPUT ? 0 : ix_name_get(n);
        if (name && !ix_map_find(&u->label, n))
            ix_map_set(&u->label, &u->mem, n, (size_t)name);
    }
}

bool
ix_pass_check(ix_unit *u)
{
    ilex_module *m = u->module;
    if (m->noutputs == 0 && m->nmessages == 0) {
        ix_fail(&u->ctx->error, ILEX_E_ARGUMENT,
                "program %s has no outputs; add one, for example "
                "`out y : f64[i:n] = 2.0*x`",
                m->name);
        return false;
    }
    if (ix_module_collect(m) != ILEX_OK)
        return false;
    for (size_t i = 0; i < m->nlabels; i++)
        ix_map_set(&u->label, &u->mem, m->label[i].array,
                   (size_t)m->label[i].name);
    u->noutputs = m->noutputs;
    u->counted = ix_arena_new(&u->arena, ((size_t)ix_env_count(m->env) + 1) *
                                             sizeof *u->counted);
    u->nroots = u->noutputs + (size_t)ix_counted_in(u->ctx, m->env, u->counted);
    u->root = ix_arena_new(&u->arena, u->nroots * sizeof *u->root);
    const ix_domain *point = ix_domain_new(u->ctx, 0, NULL);
    for (size_t i = 0; i < u->noutputs; i++) {
        if (!check_output(u, &m->output[i]) || !check_inplace(u, &m->output[i]))
            return false;
        u->root[i] = m->output[i].array;
        if (!ix_is_array(u->root[i]))
            u->root[i] = ix_build_restrict(u->ctx, "output", u->root[i], point);
        if (ix_is_poison(u->root[i]))
            return false;
    }
    if (!add_counts(u))
        return false;
    ix_unit_order(u);
    add_names(u);
    return true;
}

/* ---- extents ---- */

/* What is being followed: loads of bodies of "lambda". */
typedef struct reader {
    ix_unit *u;
    const ilex_array *lambda;
    ix_load_visitor loads;
    uint32_t *joined; /* by position: the axes of a concat and of those in it,
                         a bit each */
} reader;

/* "a" and "b" are bounds of the same side: the narrower one, where that is
 * known, or, where runs choose a part, found out by the run; else "a". */
static const ix_lin *
narrower(const ix_unit *u, const ix_lin *a, const ix_lin *b, bool upper)
{
    ilex_context *ctx = u->ctx;
    const ix_lin *arm[2] = {a, b};
    if (!b || (upper ? ix_lin_le(ctx, a, b) : ix_lin_le(ctx, b, a)) == IX_YES)
        return a;
    if ((upper ? ix_lin_le(ctx, b, a) : ix_lin_le(ctx, a, b)) == IX_YES)
        return b;
    const ix_lin *run = u->module->nsubdomains > 0
                            ? ix_lin_try_extremum(ctx, !upper, 2, arm)
                            : NULL;
    return run ? run : a;
}

/* Of lower bound candidates the largest that is not below "floor". */
static const ix_lin *
best_lower(const ix_unit *u, const ix_bounds *b, const ix_lin *floor)
{
    const ix_lin *best = floor;
    for (int i = 0; i < b->nlo; i++)
        best = narrower(u, best, b->lo[i], false);
    return best;
}

static const ix_lin *
best_upper(const ix_unit *u, const ix_bounds *b, const ix_lin *ceiling)
{
    const ix_lin *best = ceiling;
    for (int i = 0; i < b->nhi; i++)
        best = narrower(
            u, best, b->hi[i] ? ix_lin_try_offset(u->ctx, b->hi[i], 1) : NULL,
            true);
    return best;
}

/* The end of a hull that ends at "a" or "b"; where that cannot be decided, at
 * "edge", or, where runs choose a part, as they do. */
static const ix_lin *
join_ends(const ix_unit *u, const ix_lin *a, const ix_lin *b, bool upper,
          const ix_lin *edge)
{
    ilex_context *ctx = u->ctx;
    const ix_lin *arm[2] = {a, b};
    const ix_lin *end = upper ? ix_lin_max(ctx, a, b) : ix_lin_min(ctx, a, b);
    if (!end && u->module->nsubdomains > 0)
        end = ix_lin_try_extremum(ctx, upper, 2, arm);
    return end ? end : edge;
}

/* Hull of what is needed already and what one load adds. */
static const ix_domain *
join_boxes(const ix_unit *u, const ix_domain *a, const ix_domain *b,
           const ix_domain *valid)
{
    if (!a || !b || a == b)
        return a ? a : b;
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < a->rank; k++) {
        ax[k].name = a->ax[k].name;
        const ix_axis *edge = &valid->ax[k];
        ax[k].lo = join_ends(u, a->ax[k].lo, b->ax[k].lo, false, edge->lo);
        ax[k].hi = join_ends(u, a->ax[k].hi, b->ax[k].hi, true, edge->hi);
    }
    return ix_domain_new(u->ctx, a->rank, ax);
}

static bool
need_load(ix_load_visitor *v, const ilex_array *load)
{
    reader *r = v->user;
    const ilex_array *x = r->lambda->ops[load->attr[0] + 1];
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < load->nops; k++) {
        ix_bounds b;
        ix_index_bounds(v->ctx, &v->frame, load->ops[k], &b);
        ax[k].name = x->valid->ax[k].name;
        ax[k].lo = best_lower(r->u, &b, x->valid->ax[k].lo);
        ax[k].hi = best_upper(r->u, &b, x->valid->ax[k].hi);
        const ix_axis *end = &x->valid->ax[k]; /* the same in all steps */
        const ix_domain *one = ix_domain_new(v->ctx, 1, &ax[k]);
        if (one && v->ctx->any_counted && ix_has_step(v->ctx, one))
            ax[k] = *end;
    }
    const ix_domain **need = &r->u->need[ix_unit_position(r->u, x)];
    *need = join_boxes(r->u, *need, ix_domain_new(v->ctx, load->nops, ax),
                       x->valid);
    return *need != NULL;
}

static void
note_joined(reader *r)
{
    const ix_unit *u = r->u;
    r->joined = ix_arena_new(&r->u->arena, (u->norder + 1) * sizeof *r->joined);
    for (size_t i = 0; i < u->norder; i++) {
        const ilex_array *n = u->order[i];
        if (n->kind != IX_CONCAT)
            continue;
        r->joined[i] = UINT32_C(1) << n->attr[0];
        for (int k = 0; k < n->nops; k++)
            r->joined[i] |= r->joined[ix_unit_position(u, n->ops[k])];
    }
}

/* A concat that is needed is needed from end to end, so that the box of a
 * segment is the segment, also along the axes of concats in it, which may be
 * parts of its buffer. Along the others its operands are needed where it is. */
static bool
need_segments(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *n = u->order[i];
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(n); k++)
        ax[k] = r->joined[i] >> k & 1 ? n->interior->ax[k] : u->need[i]->ax[k];
    u->need[i] = ix_domain_new(u->ctx, ix_rank(n), ax);
    for (int k = 0; k < n->nops && u->need[i]; k++) {
        const ilex_array *x = n->ops[k];
        const ix_domain **need = &u->need[ix_unit_position(u, x)];
        ax[n->attr[0]] = x->interior->ax[n->attr[0]];
        *need = join_boxes(u, *need, ix_domain_new(u->ctx, ix_rank(x), ax),
                           x->valid);
        if (!*need)
            return false;
    }
    return u->need[i] != NULL;
}

/* Array "x" is needed on a box as well. */
static bool
need_on(ix_unit *u, const ilex_array *x, const ix_domain *box)
{
    const ix_domain **need = &u->need[ix_unit_position(u, x)];
    *need = join_boxes(u, *need, box, x->valid);
    return *need != NULL;
}

/* An update is needed whole, and so is what it changes and what it stores; of
 * its read the arrays in the indices. */
static bool
need_update(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *n = u->order[i], *read = n->ops[1];
    u->need[i] = n->interior;
    for (int k = 0; k < 3; k += 2)
        if (!need_on(u, n->ops[k], n->ops[k]->interior))
            return false;
    r->lambda = read;
    r->loads.frame.box = read->interior;
    for (int k = 0; k < read->ops[0]->nops; k++)
        if (!ix_visit_loads(&r->loads, read->ops[0]->ops[k]))
            return false;
    return true;
}

/* Elements that a mask lets through are found out of all; a routine goes
 * through whole arrays. */
static bool
need_whole(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *n = u->order[i];
    ilex_array *x;
    u->need[i] = n->interior;
    for (int k = 0; (x = ix_operand(n, k)); k++)
        if (!need_on(u, x, x->interior))
            return false;
    return true;
}

/* A call is made as it was written: all of its results, from all of what it is
 * given. */
static bool
need_call(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *n = u->order[i];
    for (int k = 0; k + 1 < n->nops; k++)
        if (!need_on(u, n->ops[k + 1], ix_foreign_box(n, k)))
            return false;
    return true;
}

/* A loop carries what it carries whole. */
static bool
need_loop(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *n = u->order[i];
    for (int k = 1; k < n->nops; k++)
        if (!need_on(u, n->ops[k], n->ops[k]->interior))
            return false;
    return true;
}

/* A result of a scan is needed from the first level on that is computed, and so
 * are all of its results; one of a call or a loop whole. */
static bool
need_result(reader *r, size_t i)
{
    ix_unit *u = r->u;
    const ilex_array *scan = u->order[i]->ops[0];
    const ix_domain **need = &u->need[ix_unit_position(u, scan)];
    if (scan->kind == IX_FOREIGN || scan->kind == IX_LOOP) {
        u->need[i] = u->order[i]->interior;
        *need = scan->interior;
        return true;
    }
    ix_axis ax[ILEX_MAX_RANK], *along = &ax[ix_scan_axis(scan)];
    const ix_axis *whole = &scan->interior->ax[ix_scan_axis(scan)];
    memcpy(ax, u->need[i]->ax, (size_t)ix_rank(scan) * sizeof *ax);
    if (ix_scan_chunks(scan))
        *along = *whole;
    *(ix_scan_is_backward(scan) ? &along->hi : &along->lo) =
        ix_scan_is_backward(scan) ? whole->hi : whole->lo;
    *need = join_boxes(u, *need, ix_domain_new(u->ctx, ix_rank(scan), ax),
                       scan->valid);
    return *need != NULL;
}

/* All results of a scan are computed where one is. */
static void
share_needs(ix_unit *u)
{
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_RESULT && u->need[i] &&
            u->order[i]->ops[0]->kind == IX_SCAN)
            u->need[i] = u->need[ix_unit_position(u, u->order[i]->ops[0])];
}

/* With halo(auto) an input, and what is made of it, is needed where proofs say;
 * at an index or in a range that is data it would be needed everywhere. */
static bool
check_bounded(ix_unit *u, size_t i)
{
    const ilex_array *x = u->order[i];
    const ix_domain *need = u->need[i];
    bool reads = x->kind == IX_INPUT || x->nops > 1;
    for (int k = 0; need && reads && k < need->rank; k++)
        if (ix_lin_is(need->ax[k].lo, -IX_UNBOUNDED) ||
            ix_lin_is(need->ax[k].hi, IX_UNBOUNDED)) {
            const char *axis = ix_symbol_text(u->ctx, need->ax[k].name);
            bool input = x->kind == IX_INPUT;
            ix_fail(
                &u->ctx->error, ILEX_E_UNSUPPORTED,
                "%s%s is read along %s where data says, so that halo(auto) "
                "has no width; say how wide it is, for example halo(%s:2:2)",
                input ? "input " : "an array",
                input ? ix_symbol_text(u->ctx, (int32_t)x->attr[0]) : "", axis,
                axis);
            return false;
        }
    return true;
}

static bool
need_body(reader *r, size_t i)
{
    r->lambda = r->u->order[i];
    r->loads.frame.box = r->u->need[i];
    return ix_visit_loads(&r->loads, r->lambda->ops[0]);
}

static bool
need_nothing(reader *r, size_t i)
{
    (void)r, (void)i;
    return true;
}

/* What the array at position "i" needs of its operands: nothing where nothing
 * is needed of it, for no load reads it. */
static bool
need_operands(reader *r, size_t i)
{
    static bool (*const need_of[IX_NKINDS])(reader *, size_t) = {
#define IX_KEPT(NODE, need, decide, store) [IX_##NODE] = need_##need,
#include "compiler/stages.def"
    };
    return !r->u->need[i] || need_of[r->u->order[i]->kind](r, i);
}

bool
ix_pass_extents(ix_unit *u)
{
    reader r = {.u = u,
                .loads = {.ctx = u->ctx, .mem = &u->mem, .fn = need_load}};
    bool ok = true;
    r.loads.user = &r;
    ix_unit_order(u);
    note_joined(&r);
    u->largest = ix_largest_size(u);
    u->need = ix_arena_new(&u->arena, (u->norder + 1) * sizeof *u->need);
    for (size_t i = 0; i < u->nroots; i++) {
        const ix_domain **need = &u->need[ix_unit_position(u, u->root[i])];
        *need = join_boxes(u, *need, u->root[i]->interior, u->root[i]->valid);
    }
    for (size_t i = u->norder; ok && i-- > 0;)
        ok = need_operands(&r, i);
    ix_visit_end(&r.loads);
    for (size_t i = 0; ok && i < u->norder; i++)
        ok = check_bounded(u, i);
    if (ok)
        share_needs(u);
    return ok;
}
