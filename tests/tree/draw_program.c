/* SPDX-License-Identifier: MIT
 *
 * Random directives for the program, and what was tried as text.
 */
#include "tests/tree/transform.h"

#include <stdio.h>

#include "compiler/loop/distances.h"
#include "tests/differential/differential.h"

void
tree_trial_put(ix_unit *u, const ix_directive *d, tree_trial *t)
{
    ix_text text;
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text_init(&text, &mem);
    ix_directive_put(d, &text);
    if (d->row < IX_NLOOPS)
        snprintf(t->text, sizeof t->text, "k%d: %s", t->k->number,
                 ix_text_string(&text));
    else
        snprintf(t->text, sizeof t->text, "program: %s", ix_text_string(&text));
}

/* A condition on what is often near to what is compared. */
static const char *
draw_condition(ix_unit *u, uint64_t *random)
{
    static const char *const operators[] = {"<=", "<", ">", ">=", "=="};
    char text[100];
    const char *size = diff_param_names[tree_draw(random, DIFF_PARAMS)],
               *op = operators[tree_draw(random, IX_COUNT(operators))];
    long long n = (long long)tree_draw(random, tree_draw(random, 2) ? 12 : 70);
    int buffer = (int)tree_draw(random, u->nbuffers);
    switch (tree_draw(random, 4)) {
    case 0:
        snprintf(text, sizeof text, "bytes(b%d) %s %lld", buffer, op, 8 * n);
        break;
    case 1:
        snprintf(text, sizeof text, "stride(b%d, %lld) == 1", buffer, n % 3);
        break;
    default:
        snprintf(text, sizeof text, "%s %s %lld", size, op, n);
    }
    return ix_arena_string(&u->arena, text);
}

ix_directive
tree_draw_version(ix_unit *u, uint64_t *random)
{
    char name[16];
    int at = (int)tree_draw(random, (uint64_t)u->nkernels);
    snprintf(name, sizeof name, "k%d", at);
    return (ix_directive){.row = IX_KERNELS_version,
                          .nloops = 1,
                          .loop = {ix_arena_string(&u->arena, name)},
                          .name = draw_condition(u, random)};
}

const char *
tree_draw_temporary(ix_unit *u, uint64_t *random)
{
    for (int tries = 0; tries < 20; tries++) {
        int i = (int)tree_draw(random, u->nbuffers);
        if (u->buffer[i].role == IX_ROLE_TEMP)
            return ix_arena_string(&u->arena, ix_value_name('b', i).s);
    }
    return NULL;
}

ix_directive
tree_draw_store(ix_unit *u, uint64_t *random)
{
    size_t i = u->norder ? (size_t)tree_draw(random, u->norder) : 0;
    while (i + 1 < u->norder && u->order[i]->kind != IX_LAMBDA)
        i++;
    ix_directive d = {.row = IX_KERNELS_store};
    d.name = ix_arena_string(&u->arena, ix_value_name('v', (int64_t)i).s);
    return d;
}

/* Parts that a kernel combines are combined by another one, if there are any.
 */
static bool
draw_parts(ix_unit *u, uint64_t *random, ix_directive *d)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        for (const ix_stmt *s = k->body; s; s = s->next) {
            bool parts = s->kind == IX_STMT_FOR && k->box->rank == 0 &&
                         k->variable[s->number].role == IX_VARIABLE_CHUNK &&
                         !k->variable[s->number].reduction;
            if (!parts || tree_draw(random, 4) == 0)
                continue;
            *d = (ix_directive){.row = IX_KERNELS_combine, .nloops = 2};
            d->n = 1 << tree_draw(random, 3);
            d->loop[0] =
                ix_arena_string(&u->arena, ix_value_name('k', k->number).s);
            d->loop[1] = ix_loop_name(u, k, s);
            return true;
        }
    return false;
}

ix_directive
tree_draw_pack(ix_unit *u, uint64_t *random)
{
    ix_kernel *k = u->kernels;
    for (uint64_t n = tree_draw(random, (uint64_t)u->nkernels); n > 0; n--)
        k = k->next;
    ix_directive d = {.row = IX_KERNELS_pack, .nloops = 2, .name = "none"};
    if (draw_parts(u, random, &d))
        return d;
    d.loop[0] = ix_arena_string(&u->arena, ix_value_name('k', k->number).s);
    d.loop[1] = "i0";
    ix_accesses a = ix_accesses_in(u, k, k->body);
    for (int tries = 0; a.n && tries < 20; tries++) {
        const ix_access *x = &a.item[tree_draw(random, a.n)];
        if (x->buffer < 0 || x->write || x->depth == 0)
            continue;
        const ix_stmt *loop = x->around[tree_draw(random, (uint64_t)x->depth)];
        d.name = ix_arena_string(&u->arena, ix_value_name('b', x->buffer).s);
        d.loop[1] = ix_loop_name(u, k, loop);
        for (int axis = 0; axis + 1 < x->rank; axis++)
            if (ix_scalar_uses_index(x->index[axis], loop->number))
                return d;
    }
    return d;
}

int
tree_draw_reduction(ix_unit *u, uint64_t *random)
{
    int number = (int)tree_draw(random, 2 * (uint64_t)u->nkernels + 1);
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (k->number >= number && k->box->rank == 0)
            return k->number;
    return -1;
}
