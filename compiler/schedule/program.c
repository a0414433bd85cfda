/* SPDX-License-Identifier: MIT
 *
 * The policy for the program: which kernels are one. Neighbours are that can be
 * merged, so what they read of the same arrays is read once, and fewer
 * functions are called.
 */
#include "compiler/schedule/schedule.h"

/* Kernels are numbered as if they were after each directive: "a" is, and the
 * next one is behind it. */
static void
note(ix_unit *u, const ix_kernel *a)
{
    ix_directive d = {.row = IX_KERNELS_fuse, .nloops = 2};
    for (int i = 0; i < 2; i++)
        d.loop[i] =
            ix_arena_string(&u->arena, ix_value_name('k', a->number + i).s);
    ix_schedule_note(u, &u->schedule, &d);
}

void
ix_policy_program(ix_unit *u)
{
    int number = 0;
    for (ix_kernel *a = u->kernels, *b; a; a = b) {
        a->number = number++;
        for (b = a->next; b; b = a->next) {
            b->apart = ix_kernels_merge(u, a, b);
            if (b->apart)
                break;
            note(u, a);
        }
    }
    ix_unit_number(u);
}
