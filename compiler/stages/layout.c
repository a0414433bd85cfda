/* SPDX-License-Identifier: MIT
 *
 * Pass layout: all axes back to front, for arrays that lie in the order of
 * Fortran. Passes behind take the last axis for the one along which memory is
 * contiguous, and make the loop over it the innermost one; temporaries are
 * dense in that order.
 *
 * needs: stages; gives: the same stages over boxes, and with loads, whose axes
 * are in reverse; breaks: that arguments have the axes of the program, which
 * ix_layout_back gives them again. The order in which elements of a reduction
 * are combined is the node's, so no bit of a result changes.
 */
#include "compiler/unit.h"

static const ix_domain *
reversed(ix_unit *u, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < dom->rank; k++)
        ax[k] = dom->ax[dom->rank - 1 - k];
    return ix_domain_new(u->ctx, dom->rank, ax);
}

static void
reverse_buffer(ix_unit *u, ix_buffer *b)
{
    b->box = reversed(u, b->box);
    b->interior = reversed(u, b->interior);
}

static ilex_array *
load_reversed(void *user, ilex_array *load, ilex_array *const *index)
{
    ix_unit *u = user;
    ilex_array *back[ILEX_MAX_RANK];
    for (int k = 0; k < load->nops; k++)
        back[k] = index[load->nops - 1 - k];
    return ix_scalar_load(u->ctx, (ilex_dtype)load->dtype, (int)load->attr[0],
                          load->nops, back);
}

static void
turn_nothing(ix_unit *u, ix_stage *s)
{
    (void)u, (void)s;
}

static void
turn_levels(ix_unit *u, ix_stage *s)
{
    (void)u;
    s->levels.axis = s->box->rank - 1 - s->levels.axis;
}

/* The indices of what an update changes; the value stays. */
static void
turn_indices(ix_unit *u, ix_stage *s)
{
    ilex_array *part[ILEX_MAX_RANK + 1];
    int n = s->body->nops;
    if (ix_is_poison(s->body))
        return;
    part[IX_UPDATE_VALUE] = s->body->ops[IX_UPDATE_VALUE];
    for (int k = IX_UPDATE_INDEX; k < n; k++)
        part[k] = s->body->ops[n - 1 + IX_UPDATE_INDEX - k];
    s->body = ix_scalar_tuple(u->ctx, n, part);
}

static void (*const turn_kind[])(ix_unit *u, ix_stage *s) = {
#define IX_STAGE(KIND, turn, nest, put) [IX_STAGE_##KIND] = turn_##turn,
#include "compiler/stages.def"
};

static void
reverse_stage(ix_unit *u, ix_stage *s)
{
    ilex_array *index[ILEX_MAX_RANK];
    int rank = s->box->rank;
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(u->ctx, rank - 1 - k);
    ix_substitution sub = {.ctx = u->ctx,
                           .index = index,
                           .nindex = rank,
                           .load = load_reversed,
                           .became = ix_made_keep,
                           .user = u};
    s->body = ix_substitute(&sub, s->body);
    ix_substitution_free(&sub);
    s->box = reversed(u, s->box);
    turn_kind[s->kind](u, s);
}

/* Which of several checks fails first, which of several updates of an element,
 * whose place is data, is the last, and what functions of the host are given,
 * depend on the order; such programs keep that of C. */
static bool
suits(const ix_unit *u)
{
    for (size_t i = 0; i < u->nstages; i++)
        if (u->stage[i].body->flags & IX_HAS_CHECK)
            return false;
    return u->ncalls == 0;
}

bool
ix_pass_layout(ix_unit *u)
{
    u->turned = u->fortran && !u->reference && suits(u);
    if (!u->turned)
        return true;
    for (size_t i = 0; i < u->nbuffers; i++)
        reverse_buffer(u, &u->buffer[i]);
    for (size_t i = 0; i < u->nstages; i++)
        reverse_stage(u, &u->stage[i]);
    u->changed = true;
    return u->ctx->error.code == ILEX_OK;
}

void
ix_layout_back(ix_unit *u)
{
    for (size_t i = 0; i < u->nbuffers && u->turned; i++)
        if (u->buffer[i].role != IX_ROLE_TEMP)
            reverse_buffer(u, &u->buffer[i]);
}
