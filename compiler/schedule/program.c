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

/* On a GPU threads combine the parts of a reduction: one alone takes longer for
 * these than all others for the elements. The next kernel is then the one that
 * combines the blocks. */
static ix_kernel *
combine_parts(ix_unit *u, ix_kernel *k)
{
    enum { BLOCK = 128 };
    ix_value_text name = ix_value_name('k', k->number);
    ix_directive d = {.row = IX_KERNELS_combine, .nloops = 2, .n = BLOCK};
    d.loop[0] = ix_arena_string(&u->arena, name.s);
    for (const ix_stmt *s = k->body; s; s = s->next) {
        if (s->kind != IX_STMT_FOR || s->how != IX_SERIAL ||
            k->variable[s->number].role != IX_VARIABLE_CHUNK)
            continue;
        d.loop[1] = ix_loop_name(u, k, s);
        if (ix_kernels_carry(u, &d).class == IX_REFUSAL_NONE)
            return k->next;
    }
    return k;
}

/* Cuts the kernel at the first loop where it can be, inner ones first. */
static bool
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
            return true;
    }
    return false;
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
note_load(void *user, const ilex_array *load)
{
    bool *unread = user;
    unread[load->attr[0]] = false;
    return true;
}

/* Those that nothing reads, all at once, nests neither, of which a body that
 * reduces over no elements may have less; notes it as done to one after the
 * other, the last one first, which leaves the numbers of those before. */
static bool
drop_those_unread(ix_unit *u)
{
    bool any = false, *unread = ix_arena_new(&u->arena, u->nbuffers + 1);
    for (size_t i = 0; i < u->nbuffers; i++)
        unread[i] = u->buffer[i].forwarded;
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        ix_stmt_loads(u, k->body, note_load, unread);
        ix_stmt_loads(u, k->nests, note_load, unread);
    }
    ix_may_inline(u, unread);
    for (int i = (int)u->nbuffers - 1; i >= 0; i--) {
        ix_directive d = {.row = IX_KERNELS_inline};
        if (!unread[i])
            continue;
        d.name = ix_arena_string(&u->arena, ix_value_name('b', i).s);
        ix_schedule_note(u, &u->schedule, &d);
        any = true;
    }
    if (any)
        ix_buffers_drop(u, unread);
    ix_unit_number(u);
    return any;
}

/* Temporaries that all who read them had as values go; others are unread
 * then. */
static void
drop_unread(ix_unit *u)
{
    while (drop_those_unread(u))
        ;
    if (u->kernels && ix_option_int(u->ctx, IX_OPTION_verify))
        ix_check_kernels(u, "kernels");
}

void
ix_policy_program(ix_unit *u)
{
    int number = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (k->box->rank == 0 && cut_reduction(u, k) && u->target->grid)
            k = combine_parts(u, k->next);
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
