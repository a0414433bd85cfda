/* SPDX-License-Identifier: MIT
 *
 * The policy for the program. Threads share reductions to one value, over the
 * elements of the outermost of several axes, over the chunks of a single one.
 * Neighbours are one kernel that can be merged, so what they read of the same
 * arrays is read once, and fewer functions are called.
 */
#include "compiler/schedule/schedule.h"

static bool
cut(ix_unit *u, ix_kernel *k, const ix_stmt *loop)
{
    ix_value_text name = ix_value_name('k', k->number);
    ix_directive d = {.row = IX_KERNELS_fission, .nloops = 2};
    d.loop[0] = ix_arena_string(&u->arena, name.s);
    d.loop[1] = ix_loop_name(u, k, loop);
    return ix_kernels_carry(u, &d).class == IX_REFUSAL_NONE;
}

/* Cuts the kernel at the first loop where it can be, inner ones first. */
static void
cut_reduction(ix_unit *u, ix_kernel *k)
{
    for (const ix_stmt *s = k->body; s; s = s->next) {
        if (s->kind != IX_STMT_FOR || !k->variable[s->number].reduction)
            continue;
        bool several = k->variable[s->number].reduction->interior->rank > 1;
        const ix_stmt *inside = several ? s->body : NULL;
        while (inside && inside->kind != IX_STMT_FOR)
            inside = inside->next;
        if ((inside && cut(u, k, inside)) || cut(u, k, s))
            return;
    }
}

/* Kernels are numbered as if they were after each directive: "a" is, and the
 * next one is behind it. */
ix_directive
ix_fuse_next(ix_unit *u, const ix_kernel *a)
{
    ix_directive d = {.row = IX_KERNELS_fuse, .nloops = 2};
    for (int i = 0; i < 2; i++)
        d.loop[i] =
            ix_arena_string(&u->arena, ix_value_name('k', a->number + i).s);
    return d;
}

static bool
is_read(ix_unit *u, int buffer)
{
    bool read = false;
    for (ix_kernel *k = u->kernels; k && !read; k = k->next)
        read = ix_stmts_load(u, k->body, buffer);
    return read;
}

/* Temporaries that all who read them had as values go. */
static void
drop_unread(ix_unit *u)
{
    for (int i = (int)u->nbuffers - 1; i >= 0; i--) {
        ix_directive d = {.row = IX_KERNELS_inline};
        d.name = ix_arena_string(&u->arena, ix_value_name('b', i).s);
        if (u->buffer[i].forwarded && !is_read(u, i))
            ix_kernels_carry(u, &d);
    }
}

void
ix_policy_program(ix_unit *u)
{
    int number = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (k->box->rank == 0)
            cut_reduction(u, k);
    for (ix_kernel *a = u->kernels, *b; a; a = b) {
        a->number = number++;
        for (b = a->next; b; b = a->next) {
            b->apart = ix_kernels_merge(u, a, b);
            if (b->apart)
                break;
            ix_directive d = ix_fuse_next(u, a);
            ix_schedule_note(u, &u->schedule, &d);
        }
    }
    ix_unit_number(u);
    drop_unread(u);
}
