/* SPDX-License-Identifier: MIT
 *
 * Buffers of the compiled program: boxes, names and texts that outlive the
 * unit.
 */
#include "compiler/steps/finish.h"

/* The domain as text in the program's arena. */
static const char *
domain_text(ix_unit *u, ix_compiled *c, const ix_domain *dom)
{
    ix_mem mem = ix_arena_mem(&c->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_domain_print(u->ctx, dom, &t);
    return ix_text_string(&t);
}

void
ix_finish_axes(const ix_unit *u, ix_compiled *c, const ix_buffer *b,
               ix_compiled_buffer *to)
{
    const ix_domain *dom = b->whole ? b->whole : b->box;
    for (int k = 0; k < dom->rank; k++)
        to->axis[k] =
            ix_arena_string(&c->arena, ix_symbol_text(u->ctx, dom->ax[k].name));
}

/* Is the halo found by what is read? */
static bool
is_open(const ix_domain *valid)
{
    for (int k = 0; k < valid->rank; k++)
        if (valid->ax[k].lo->c == -IX_UNBOUNDED ||
            valid->ax[k].hi->c == IX_UNBOUNDED)
            return true;
    return false;
}

/* Where a dense array of the buffer's elements begins and ends, but for what
 * of the interior is outside of it. */
static ix_range
whole_range(ix_compiled *c, const ix_buffer *b, int axis)
{
    bool declared = b->role == IX_ROLE_INPUT && !is_open(b->node->valid);
    const ix_domain *dom = declared ? b->node->valid : b->box;
    return ix_finish_range(c, &dom->ax[axis]);
}

/* Names of axes and texts, for messages and queries. */
static void
name_buffer(ix_unit *u, ix_compiled *c, const ix_buffer *b,
            ix_compiled_buffer *to)
{
    to->interior_text = domain_text(u, c, b->interior);
    to->box_text =
        b->box == b->interior ? to->interior_text : domain_text(u, c, b->box);
    to->whole_text = b->role != IX_ROLE_INPUT || is_open(b->node->valid)
                         ? to->box_text
                         : domain_text(u, c, b->node->valid);
    ix_finish_axes(u, c, b, to);
}

static void
copy_buffer(ix_unit *u, ix_compiled *c, const ix_buffer *b, bool used)
{
    static const ix_compiled_role roles[] = {
        IX_COMPILED_INPUT, IX_COMPILED_DATA, IX_COMPILED_OUTPUT,
        IX_COMPILED_TEMP};
    ix_compiled_buffer *to = &c->buffer[c->nbuffers++];
    to->role = roles[b->role];
    to->name = ix_arena_string(&c->arena, b->name);
    to->dtype = b->dtype;
    to->rank = b->box->rank;
    to->used = used;
    to->first_stride = c->nstrides;
    to->slot = b->slot;
    to->own = b->own != NULL;
    to->inplace = b->inplace;
    c->nstrides += to->rank;
    int named =
        b->whole && b->whole->rank > to->rank ? b->whole->rank : to->rank;
    size_t axes = (size_t)named + 1;
    to->axis = ix_arena_new(&c->arena, axes * sizeof *to->axis);
    to->interior = ix_arena_new(&c->arena, axes * sizeof *to->interior);
    to->box = ix_arena_new(&c->arena, axes * sizeof *to->box);
    to->whole = ix_arena_new(&c->arena, axes * sizeof *to->whole);
    to->interior_text = to->box_text = to->whole_text = "";
    for (size_t k = 0; k < axes; k++)
        to->axis[k] = "";
    for (int k = 0; k < to->rank; k++) {
        to->interior[k] = ix_finish_range(c, &b->interior->ax[k]);
        to->box[k] = ix_finish_range(c, &b->box->ax[k]);
        to->whole[k] = whole_range(c, b, k);
    }
    int box = ix_compiled_ranges_phase(c, to->box, to->rank);
    int interior = ix_compiled_ranges_phase(c, to->interior, to->rank);
    to->phase = box > interior ? box : interior;
    if (b->role != IX_ROLE_TEMP)
        name_buffer(u, c, b, to);
    if (b->role == IX_ROLE_DATA && b->node->ext) {
        to->data = b->node->ext;
        if (ix_data.retain)
            ix_data.retain(to->data);
    }
}

void
ix_finish_buffers(ix_unit *u, ix_compiled *c)
{
    c->buffer = ix_arena_new(&c->arena, (u->nbuffers + 1) * sizeof *c->buffer);
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        size_t at = b->node ? ix_unit_position(u, b->node) : SIZE_MAX;
        bool used = !b->node || (at != SIZE_MAX && u->need[at]);
        if (b->role != IX_ROLE_TEMP)
            c->narguments = i + 1;
        copy_buffer(u, c, b, used);
    }
    c->nslots = u->nslots;
}
