/* SPDX-License-Identifier: MIT
 *
 * Pass schedule: directives for each kernel transform its loops. Those of
 * kernels that the text of option schedule names come from there, of others
 * from the policy.
 */
#include "compiler/schedule/schedule.h"

/* ---- what is shown ---- */

void
ix_directives_put(const ix_schedule *s, ix_text *t)
{
    for (size_t i = 0; s && i < s->n; i++) {
        ix_text_put(t, "    ");
        ix_directive_put(&s->item[i], t);
        ix_text_char(t, '\n');
    }
}

static void
put_kernel(ix_unit *u, ix_kernel *k, ix_text *t)
{
    ix_text_put(t, "kernel ");
    ix_kernel_name_put(k, t);
    ix_text_put(t, ":\n");
    ix_directives_put(k->schedule, t);
    ix_text_put(t, "    # loops: ");
    ix_loops_put(u, k, t);
    ix_text_char(t, '\n');
}

void
ix_schedule_put(ix_unit *u, ix_text *t)
{
    ix_kernels_put(u, t);
    for (ix_kernel *k = u->kernels; k; k = k->next)
        put_kernel(u, k, t);
}

/* ---- the pass ---- */

/* needs: reductions as loops; gives: the same elements by other loops; for a
 * target with a grid, all is in loops over its points; breaks: nothing. */
bool
ix_pass_schedule(ix_unit *u)
{
    const char *text = ix_option_text(u->ctx, IX_OPTION_schedule);
    if (u->reference)
        return true;
    int *head = ix_arena_new(&u->arena, (size_t)u->nkernels * sizeof *head);
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->schedule = NULL;
    if (ix_schedule_has_text(u) && !ix_schedule_read(u, text, head))
        return false;
    if (!u->naive)
        ix_policy_stages(u, head);
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        const ix_env *before = ix_kernel_known(u, k);
        if (!head[k->number] && !k->schedule && !u->naive)
            ix_policy(u, k);
        if (u->target->grid)
            ix_policy_grid(u, k);
        ix_scratch_place(u, k);
        u->ctx->facts = before;
    }
    return u->ctx->error.code == ILEX_OK;
}
