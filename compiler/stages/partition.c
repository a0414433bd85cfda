/* SPDX-License-Identifier: MIT
 *
 * Pass partition: which arrays are stored, and which are computed again where
 * they are read. needs: lambdas with extents; gives: stages whose bodies load
 * buffers by number; breaks: the graph.
 *
 * An array is stored when it is an output; when a directive says so; when it
 * holds a reduction, unless the one stage that reads it has loops for its axes
 * outside; when it is read at indices that are data, or by a function of the
 * host; when it checks data and is not read at each of its points once; when
 * its index conditions would multiply (read at several places); when it is read
 * where its value would be computed again for every step of a broadcast or
 * reduction and is not cheap; and when storing is cheaper than computing it
 * again: cost times (number of distinct reads - 1) is above a threshold. Users
 * that are fused and read the same point share its value; of a program too long
 * for one body they are taken to be in several.
 */
#include "compiler/stages/partition.h"

typedef ix_partition_info info;
typedef ix_partition partition;

bool
ix_decide_nothing(partition *p, size_t i)
{
    (void)p, (void)i;
    return true;
}

bool
ix_store_elsewhere(partition *p, size_t i)
{
    return p->of[i].stored = true;
}

/* What becomes of arrays, by their kind. */
static const struct {
    bool (*decide)(partition *p, size_t i);
    bool (*store)(partition *p, size_t i);
} kept[IX_NKINDS] = {
#define IX_KEPT(NODE, need, decide, store)                                     \
    [IX_##NODE] = {ix_decide_##decide, ix_store_##store},
#include "compiler/stages.def"
};

/* Users first: by then all reads of an array are counted. */
static bool
decide(partition *p)
{
    ix_unit *u = p->u;
    for (int i = 0; i < u->repeats.n; i++)
        p->of[u->repeat[i].end].loop = i;
    for (size_t i = 0; i < u->nroots; i++) {
        info *x = ix_partition_of(p, u->root[i]);
        x->stored = x->root = true;
    }
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_LAMBDA)
            ix_partition_add_work(p, i);
    ix_partition_checks(p);
    for (size_t i = u->norder; i-- > 0;) {
        ix_partition_note_reader(p, u->order[i]);
        if (u->need[i] && !kept[u->order[i]->kind].decide(p, i))
            return false;
    }
    return true;
}

/* ---- buffers and stages ---- */

static const char *
leaf_name(ix_unit *u, const ilex_array *n)
{
    if (n->kind == IX_INPUT)
        return ix_symbol_text(u->ctx, (int32_t)n->attr[0]);
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_text_format(&t, "_ilex_data%lld", (long long)n->attr[0]);
    return ix_text_string(&t);
}

static void
leaf_buffer(partition *p, const ilex_array *n)
{
    ix_unit *u = p->u;
    size_t at = ix_unit_position(u, n);
    ix_buffer b = {.role = n->kind == IX_INPUT ? IX_ROLE_INPUT : IX_ROLE_DATA,
                   .name = leaf_name(u, n),
                   .dtype = (ilex_dtype)n->dtype,
                   .interior = n->interior,
                   .box = at != SIZE_MAX && u->need[at] ? u->need[at]
                                                        : n->interior,
                   .node = (ilex_array *)(uintptr_t)n,
                   .array = n,
                   .inplace = -1};
    int buffer = ix_unit_buffer(u, b);
    if (at != SIZE_MAX) {
        p->of[at].buffer = buffer;
        p->of[at].stored = true;
    }
}

/* Inputs in the order of the module, then outputs. */
static void
make_io_buffers(partition *p)
{
    ix_unit *u = p->u;
    ilex_module *m = u->module;
    for (size_t i = 0; i < m->ninputs; i++)
        leaf_buffer(p, m->input[i]);
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_DATA)
            leaf_buffer(p, u->order[i]);
    for (size_t i = 0; i < m->noutputs; i++) {
        const ix_output *out = &m->output[i];
        int inplace = -1;
        for (size_t k = 0; out->inplace && k < m->ninputs; k++)
            if (m->input[k]->attr[0] == out->inplace)
                inplace = (int)k;
        ix_unit_buffer(u, (ix_buffer){.role = IX_ROLE_OUTPUT,
                                      .name = ix_symbol_text(u->ctx, out->name),
                                      .dtype = (ilex_dtype)u->root[i]->dtype,
                                      .interior = out->declared
                                                      ? out->declared
                                                      : u->root[i]->interior,
                                      .box = u->root[i]->interior,
                                      .array = ix_unit_program(u, u->root[i]),
                                      .inplace = inplace});
    }
    u->count_buffer = (int)u->nbuffers;
    for (size_t i = u->noutputs; i < u->nroots; i++)
        ix_unit_temporary(u, u->need[ix_unit_position(u, u->root[i])],
                          ILEX_I64);
}

/* What nothing is needed of has no stage. */
static bool
store(partition *p, size_t i)
{
    return p->u->need[i] ? kept[p->u->order[i]->kind].store(p, i)
                         : ix_store_elsewhere(p, i);
}

/* Copies the value of output "i" to it, unless it was written there. */
static bool
copy_output(partition *p, size_t i)
{
    ix_unit *u = p->u;
    ilex_array *n = u->root[i];
    if (ix_partition_output(p, n) >= 0 &&
        ix_partition_of(p, n)->buffer == (int)(p->first_output + i))
        return true;
    ilex_array *body = ix_unit_load(u, ix_partition_of(p, n)->buffer);
    if (ix_is_poison(body))
        return false;
    ix_unit_store(u, (int)(p->first_output + i), n->interior, body, n);
    return true;
}

/* After the array at position "i" is stored: the counts that are known now. */
static bool
finish_counts(partition *p, size_t i)
{
    ix_unit *u = p->u;
    bool ok = true;
    size_t next = u->noutputs + (size_t)u->now.counts;
    while (ok && next < u->nroots && ix_unit_position(u, u->root[next]) <= i) {
        ok = copy_output(p, next++);
        u->now.counts++;
    }
    return ok;
}

bool
ix_pass_partition(ix_unit *u)
{
    partition p = {.u = u, .mem = ix_arena_mem(&u->arena)};
    ix_partition_begin_reads(&p);
    ix_partition_begin_bodies(&p);
    p.of = ix_arena_new(&u->arena, (u->norder + 1) * sizeof *p.of);
    if (!decide(&p))
        return false;
    make_io_buffers(&p);
    p.first_output = u->nbuffers - u->nroots;
    ix_partition_repeat_buffers(&p);
    for (size_t i = 0; i < u->norder; i++)
        if (!ix_partition_begin_repeats(&p, i) || !store(&p, i) ||
            !finish_counts(&p, i))
            return false;
    for (size_t i = 0; i < u->noutputs; i++)
        if (!copy_output(&p, i))
            return false;
    ix_partition_keep(&p);
    u->level = IX_LEVEL_STAGES;
    return u->ctx->error.code == ILEX_OK;
}
