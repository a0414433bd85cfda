/* SPDX-License-Identifier: MIT
 *
 * pack K T along L: what kernel K reads of T along another axis than its last
 * one as L runs comes from a copy in which that axis is the last one, made by a
 * kernel before K:
 *
 *                                      kernel k0
 *                                          for k in [0, n)
 *                                              for j in [0, m)
 *     kernel k0                                    c[k, j] = T[j, k]
 *         for i in [0, n)              kernel k1
 *             for j in [0, m)              for i in [0, n)
 *                 for k in [0, n)              for j in [0, m)
 *                     ... T[j, k]                  for k in [0, n)
 *                                                      ... c[k, j]
 */
#include "compiler/loop/distances.h"
#include "compiler/lower/recurrence.h"

typedef struct packing {
    ix_unit *u;
    int buffer, copy;  /* from and to */
    int variable;      /* of the loop */
    int axis;          /* of T that is the last one of the copy, -1: none yet */
    bool several;      /* such axes */
    bool others;       /* it is read elsewhere, too */
    ix_substitution s; /* of loads */
} packing;

bool
ix_load_uses(const ilex_array *load, int variable)
{
    bool any = false;
    for (int i = 0; i < load->nops; i++)
        any |= ix_scalar_uses_index(load->ops[i], variable);
    return any;
}

int
ix_load_axis(const ilex_array *load, int variable)
{
    int axis = -1;
    for (int i = 0; i < load->nops; i++)
        if (ix_scalar_uses_index(load->ops[i], variable)) {
            if (axis >= 0)
                return -1;
            axis = i;
        }
    return axis + 1 == load->nops ? -1 : axis;
}

static bool
note_load(void *user, const ilex_array *load)
{
    packing *p = user;
    int axis =
        load->attr[0] == p->buffer ? ix_load_axis(load, p->variable) : -1;
    p->others |= load->attr[0] == p->buffer && axis < 0;
    p->several |= axis >= 0 && p->axis >= 0 && axis != p->axis;
    p->axis = axis >= 0 ? axis : p->axis;
    for (int i = 0; axis >= 0 && i < load->nops; i++)
        p->several |= !ix_index_is_affine(load->ops[i]);
    return true;
}

/* False where what is copied, or its memory, is written. */
static bool
leaves(void *user, ix_stmt *s)
{
    const packing *p = user;
    bool written = s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE;
    return !written || s->buffer < 0 ||
           !ix_is_one_buffer(p->u, s->buffer, p->buffer);
}

static ix_refusal
look_at(packing *p, const ix_kernel *k)
{
    ix_unit *u = p->u;
    ix_stmt_loads(u, k->body, note_load, p);
    if (p->axis < 0 || p->several)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         p->several ? "it is read along several axes, or at "
                                      "indices that are data"
                                    : "it is not read along another axis than "
                                      "its last one");
    if (!ix_stmt_each(k->body, leaves, p))
        return ix_refuse(u, IX_REFUSAL_DISTANCE, "k%d writes it", k->number);
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* Item "i" of those in whose order the axis comes last. */
static int
moved(const packing *p, int rank, int i)
{
    return i + 1 == rank ? p->axis : i + (i >= p->axis);
}

/* The kernel that copies it, to stand before "k". */
static ix_kernel *
copying(packing *p, const ix_kernel *k)
{
    ix_unit *u = p->u;
    const ix_buffer b = u->buffer[p->buffer];
    int rank = b.box->rank;
    ix_axis ax[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        int from = moved(p, rank, i);
        ax[i] = b.box->ax[from];
        index[from] = ix_scalar_index(u->ctx, i);
    }
    const ix_domain *box = ix_domain_new(u->ctx, rank, ax);
    p->copy = ix_unit_temporary(u, box, b.dtype);
    ix_kernel *r = ix_nest_stage(
        u,
        ix_unit_store(u, p->copy, box,
                      ix_scalar_load(u->ctx, b.dtype, p->buffer, rank, index),
                      k->nests->array));
    r->when = k->when;
    r->nests = r->body;
    return r;
}

/* A load of the copy for one that is along the axis. Where all are, it does not
 * matter what the loop's index is called: definitions have no loop yet. */
static ilex_array *
of_copy(void *user, ilex_array *load, ilex_array *const *index)
{
    const packing *p = user;
    ilex_array *other[ILEX_MAX_RANK];
    if (load->attr[0] != p->buffer ||
        (p->others && ix_load_axis(load, p->variable) < 0))
        return NULL;
    for (int i = 0; i < load->nops; i++)
        other[i] = index[moved(p, load->nops, i)];
    return ix_scalar_load(p->u->ctx, (ilex_dtype)load->dtype, p->copy,
                          load->nops, other);
}

static bool
is_other(void *user, const ilex_array *load)
{
    const packing *p = user;
    return load->attr[0] != p->buffer;
}

static bool
pack_stmt(void *user, ix_stmt *s)
{
    packing *p = user;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        if (!ix_body_loads(p->u, s->x[i], is_other, p))
            s->x[i] = ix_substitute(&p->s, s->x[i]);
    return true;
}

ix_refusal
ix_kernels_pack(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    ix_cursor c;
    packing p = {.u = u, .buffer = ix_buffer_find(u, d->name), .axis = -1};
    ix_refusal r = ix_cursor_find(u, *k, d->loop[1], &c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (p.buffer < 0)
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no array, or several, is called %s", d->name);
    p.variable = ix_cursor_loop(&c)->number;
    r = look_at(&p, *k);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_kernel *copy = copying(&p, *k), **at = &u->kernels;
    p.s = (ix_substitution){.ctx = u->ctx,
                            .mem = &u->mem,
                            .load = of_copy,
                            .became = ix_origin_keep,
                            .user = &p,
                            .listener = u};
    ix_stmt_each((*k)->body, pack_stmt, &p);
    ix_stmt_each((*k)->nests, pack_stmt, &p);
    ix_substitution_free(&p.s);
    (*k)->directed |= p.others && p.variable >= (*k)->box->rank;
    while (*at != *k)
        at = &(*at)->next;
    copy->next = *k;
    *at = copy;
    ix_unit_number(u);
    return r;
}
