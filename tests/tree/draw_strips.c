/* SPDX-License-Identifier: MIT
 *
 * Random directives for strips of which the last one is shorter, and for lines
 * of the caches.
 */
#include "tests/tree/transform.h"

/* Where a loop ends that is a strip, sometimes a shorter one, or NULL. */
static const ilex_array *
end_of_strip(ix_unit *u, const ix_stmt *loop)
{
    const ilex_array *end = NULL;
    for (int i = 0; i < loop->n[IX_for_hi]; i++)
        if (ix_operands(loop, IX_for_hi)[i]->kind != IX_CONST)
            end = ix_operands(loop, IX_for_hi)[i];
    return loop->step == 1 && ix_loop_most(u, loop) > 0 ? end : NULL;
}

bool
tree_is_strip(ix_unit *u, const ix_stmt *loop)
{
    return end_of_strip(u, loop) != NULL;
}

/* Of a loop with a constant number of points at most strips lie across, too. */
void
tree_draw_across(ix_unit *u, const ix_stmt *loop, uint64_t *random,
                 ix_directive *d)
{
    int64_t most = ix_loop_most(u, loop);
    if (d->row != IX_LOOP_split || most <= 1 || tree_draw(random, 2))
        return;
    d->words = IX_REST_ACROSS;
    d->n = most % 2 == 0 ? 2 : most % 3 == 0 ? 3 : most;
}

/* Other strips, often all that end where the i-th loop does. */
void
tree_draw_strips(ix_unit *u, const tree_loops *l, int i, uint64_t *random,
                 ix_directive *d)
{
    const ilex_array *end = end_of_strip(u, l->loop[i]);
    bool all = tree_draw(random, 3) > 0;
    for (int k = 0; k < l->n && end && d->nloops < IX_MOST_LOOPS; k++) {
        const ilex_array *other = end_of_strip(u, l->loop[k]);
        if (k != i && other && (all ? other == end : tree_draw(random, 3) == 0))
            d->loop[d->nloops++] = l->name[k];
    }
}

void
tree_draw_lines(uint64_t *random, ix_directive *d)
{
    unsigned in = d->row == IX_LOOP_stream ? IX_STREAM_IN : 0;
    d->words = (unsigned)tree_draw(random, 4) & (IX_STREAM_FROM | in);
    d->nloops = !in || d->words & IX_STREAM_IN;
    d->n *= 100;
}
