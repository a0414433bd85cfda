/* SPDX-License-Identifier: MIT
 *
 * fuse K L: two kernels, L the next one behind K, become one:
 *
 *     kernel k0                     kernel k0
 *         for i in [0, n)               for i in [0, n)
 *             s[i] = sum(x[i, :])           s[i] = sum(x[i, :])
 *     kernel k1                             for k in [0, m)
 *         for i in [0, n)                       y[i, k] = x[i, k] / s[i]
 *             for k in [0, m)
 *                 y[i, k] = x[i, k] / s[i]
 *
 * Their statements stand behind each other in a kernel of their own, in which
 * the outermost loops become one as loops do (fuse.c). Threads divide it, so no
 * iteration may wait for another one. The new kernel is called for the axes on
 * which both have the same range; loops over others may have no iteration.
 */
#include "compiler/loop/distances.h"

/* ---- shape ---- */

/* The loop that threads divide, if there are only definitions beside it, and
 * these before it. */
static ix_stmt *
outermost(const ix_kernel *k)
{
    ix_stmt *s = k->body;
    while (s && ix_stmt_defines(s))
        s = s->next;
    bool is = s && !s->next && s->kind == IX_STMT_FOR && s->number == k->axis;
    return is ? s : NULL;
}

/* The first axes, on which both have the same range. */
static int
common_axes(const ix_domain *a, const ix_domain *b)
{
    int n = 0;
    while (n < a->rank && n < b->rank && a->ax[n].lo == b->ax[n].lo &&
           a->ax[n].hi == b->ax[n].hi)
        n++;
    return n;
}

/* Why kernels are not such that they can be one. */
static ix_refusal
look_at(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    const ix_kernel *apart = outermost(a) ? b : a;
    if (a->next != b)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d is not the next kernel behind k%d", b->number,
                         a->number);
    if (a->when.counts != b->when.counts || a->when.calls != b->when.calls)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "between them sizes are counted or a function of the "
                         "host is called");
    if (!outermost(apart))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d is no single loop that threads divide",
                         apart->number);
    if (a->axis != b->axis || common_axes(a->box, b->box) <= a->axis)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "threads do not divide the same range");
    if (!ix_loop_has_room(u, a, 1, b->body))
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "together they are too long for a function");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- the kernel ---- */

/* The nests of both. */
static ix_stmt *
nests_of(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    const ix_kernel *both[] = {a, b};
    ix_stmt *first = NULL, **tail = &first;
    for (int i = 0; i < 2; i++)
        for (const ix_stmt *nest = both[i]->nests; nest; nest = nest->next) {
            *tail = ix_stmt_copy(u, nest);
            (*tail)->body = nest->body;
            tail = &(*tail)->next;
        }
    return first;
}

/* Loops over what is no axis of the kernel's box. */
typedef struct freeing {
    ix_unit *u;
    const ix_kernel *k;
} freeing;

static bool
free_loop(void *user, ix_stmt *s)
{
    const freeing *f = user;
    if (s->kind == IX_STMT_FOR && s->number >= f->k->box->rank &&
        s->number < ix_kernel_axes(f->k))
        s->optional |=
            s->n[IX_for_lo] > 1 || s->n[IX_for_hi] > 1 ||
            ix_stmt_for(f->u, s->number, ix_for_lo(s), ix_for_hi(s))->optional;
    return true;
}

/* Does it read what it writes? */
static bool
reads_own(ix_unit *u, const ix_kernel *k)
{
    ix_accesses a = ix_accesses_in(u, k, k->body);
    for (size_t i = 0; i < a.n; i++)
        if (!a.item[i].write && a.item[i].buffer >= 0 &&
            ix_accesses_write(&a, a.item[i].buffer))
            return true;
    return false;
}

/* A kernel with the statements of both, the second's behind the first's. */
static ix_kernel *
behind(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    int axes = ix_kernel_axes(a), others = ix_kernel_axes(b);
    const ix_domain *box = a->box;
    if (a->box != b->box)
        box = ix_domain_new(u->ctx, common_axes(a->box, b->box), a->box->ax);
    ix_kernel *k = ix_unit_kernel(u, box, a->when);
    while (ix_kernel_axes(k) < axes || ix_kernel_axes(k) < others)
        ix_kernel_variable(u, k, IX_VARIABLE_AXIS);
    k->axis = a->axis;
    k->apart = a->apart;
    k->number = a->number;
    k->next = b->next;
    k->nests = nests_of(u, a, b);
    k->body = ix_kernel_adopt(u, k, a);
    *ix_stmt_end(&k->body) = ix_kernel_adopt(u, k, b);
    k->ordered = a->ordered || b->ordered || reads_own(u, k);
    ix_stmt_each(k->body, free_loop, &(freeing){u, k});
    return k;
}

ix_refusal
ix_kernels_fuse(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    ix_refusal r = look_at(u, k[0], k[1]);
    (void)d;
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_kernel *both = behind(u, k[0], k[1]);
    ix_cursor c[2];
    ix_stmt *loop = both->body;
    for (int i = 0; i < 2; i++, loop = loop->next) {
        while (loop->kind != IX_STMT_FOR)
            loop = loop->next;
        ix_cursor_at(both, loop, &c[i]);
    }
    r = ix_loops_fuse(u, c, true);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    *k[0] = *both;
    ix_unit_number(u);
    return r;
}
