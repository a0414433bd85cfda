/* SPDX-License-Identifier: MIT
 *
 * jam: the statements of a point, with rows for what crosses groups and an axis
 * of points for its temporaries.
 */
#include "compiler/loop/jam.h"

/* ---- the group of a point ---- */

/* The element of a row for element "at" of memory of a point, or for a cell. */
ix_element
ix_jam_row(const ix_jam_state *j, const ix_jam_value *o, ilex_array *at)
{
    ilex_array *x = j->point;
    if (at)
        x = ix_index_fma(j->u->ctx, x, j->points, at);
    return ix_element_scratch(o->row, x);
}

/* Reads what a group needs of rows, before the statement that does. */
typedef struct reading {
    ix_jam_state *j;
    ix_substitution *s;
    ix_stmt **tail;
    ix_walk walk;
} reading;

static ix_walk_step
read_row(ix_walk *w, ilex_array *x, size_t *value)
{
    reading *r = w->user;
    ix_jam_state *j = r->j;
    const ix_jam_value *o =
        x->kind == IX_VALUE ? ix_jam_own(j, x->attr[0]) : NULL;
    (void)value;
    if (!o || !o->stored)
        return IX_WALK_IN;
    ix_stmt *load =
        ix_stmt_at(j->u, IX_STMT_LOAD, ix_jam_row(j, o, NULL), NULL);
    load->prefix = 't';
    load->number = j->k->nvalues++;
    load->dtype = o->by->dtype;
    *r->tail = load;
    r->tail = &load->next;
    ix_substitution_set(r->s, x, ix_value_of(j->u, load));
    return IX_WALK_OVER;
}

bool
ix_jam_is_per_point(const ix_jam_state *j, int64_t buffer)
{
    const ix_buffer *b = buffer < 0 ? NULL : &j->u->buffer[buffer];
    return b && b->own == j->k &&
           ix_is_part_of(j->k, j->loop->number, b->within);
}

/* Its element at "index" for the point at "point". */
static ilex_array *
load_at(const ix_jam_state *j, const ilex_array *load, ilex_array *const *index,
        ilex_array *point)
{
    ilex_array *now[ILEX_MAX_RANK] = {NULL};
    int n = load->nops;
    if (n)
        memcpy(now, index, (size_t)n * sizeof *now);
    now[n] = point;
    return ix_scalar_load(j->u->ctx, (ilex_dtype)load->dtype,
                          (int)load->attr[0], n + 1, now);
}

static ix_stmt *
store_at(const ix_jam_state *j, const ix_stmt *s, ilex_array *point)
{
    ilex_array *now[ILEX_MAX_RANK] = {NULL};
    int n = s->n[IX_INDICES];
    if (n)
        memcpy(now, ix_operands(s, IX_INDICES), (size_t)n * sizeof *now);
    now[n] = point;
    return ix_stmt_with_group(j->u, s, IX_INDICES, n + 1, now);
}

static ilex_array *
load_of_point(void *user, ilex_array *load, ilex_array *const *index)
{
    const ix_jam_state *j = user;
    return ix_jam_is_per_point(j, load->attr[0])
               ? load_at(j, load, index, j->point)
               : NULL;
}

static ix_stmt *of_point(ix_jam_state *j, ix_substitution *s, const ix_stmt *x);

static ix_stmt *
list_of_point(ix_jam_state *j, ix_substitution *s, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (; list; list = list->next) {
        *tail = of_point(j, s, list);
        tail = &(*tail)->next;
    }
    return first;
}

/* The statement with what became rows replaced. */
static ix_stmt *
of_point(ix_jam_state *j, ix_substitution *s, const ix_stmt *x)
{
    ix_stmt *t = ix_stmt_copy(j->u, x);
    const ix_jam_value *o = ix_jam_own_memory(j, x->mem);
    for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
        t->x[i] = ix_substitute(s, t->x[i]);
    if (o && o->row) {
        ix_element e = ix_jam_row(j, o, ix_first_operand(t, IX_INDICES));
        t = ix_stmt_with_group(j->u, t, IX_INDICES, 1, e.index);
        t->mem = o->row;
    }
    if (ix_jam_is_per_point(j, t->buffer))
        t = store_at(j, t, j->point);
    t->body = list_of_point(j, s, x->body);
    t->other = list_of_point(j, s, x->other);
    return t;
}

ix_stmt *
ix_jam_group(ix_jam_state *j, ix_stmt *const *group, size_t n)
{
    ix_substitution s = {.ctx = j->u->ctx,
                         .mem = &j->u->mem,
                         .load = load_of_point,
                         .became = ix_origin_keep,
                         .user = j,
                         .listener = j->u};
    ix_stmt *list = NULL;
    reading r = {.j = j, .s = &s, .tail = &list};
    r.walk = (ix_walk){
        .ctx = j->u->ctx, .mem = &j->u->mem, .enter = read_row, .user = &r};
    for (size_t i = 0; i < n; i++) {
        ix_stmt_walk(&r.walk, group[i]);
        ix_stmt_each(group[i]->body, ix_stmt_walk, &r.walk);
        ix_stmt_each(group[i]->other, ix_stmt_walk, &r.walk);
        *r.tail = of_point(j, &s, group[i]);
        r.tail = &(*r.tail)->next;
    }
    ix_walk_free(&r.walk);
    ix_substitution_free(&s);
    return list;
}

/* ---- temporaries of points ---- */

enum { MOST_BYTES = 16 << 20 }; /* of one, for each thread */

/* Elsewhere a temporary that points have of their own is one point's. */
static ilex_array *
load_elsewhere(void *user, ilex_array *load, ilex_array *const *index)
{
    const ix_jam_state *j = user;
    bool whole = load->nops == j->u->buffer[load->attr[0]].box->rank;
    return ix_jam_is_per_point(j, load->attr[0]) && !whole
               ? load_at(j, load, index, ix_index_const(j->u->ctx, 0))
               : NULL;
}

static ix_stmt *
store_elsewhere(void *user, ix_stmt *s)
{
    const ix_jam_state *j = user;
    return ix_jam_is_per_point(j, s->buffer) &&
                   s->n[IX_INDICES] < j->u->buffer[s->buffer].box->rank
               ? store_at(j, s, ix_index_const(j->u->ctx, 0))
               : s;
}

/* The box with an axis for the points behind the others. */
static const ix_domain *
box_of_points(const ix_jam_state *j, const ix_domain *box)
{
    ilex_context *ctx = j->u->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    int axis = ix_variable_root(j->k, j->loop->number);
    if (box->rank)
        memcpy(ax, box->ax, (size_t)box->rank * sizeof *ax);
    ax[box->rank] =
        (ix_axis){.name = axis < j->k->box->rank ? j->k->box->ax[axis].name : 0,
                  .lo = ix_lin_const(ctx, 0),
                  .hi = ix_lin_const(ctx, j->points)};
    return ix_domain_new(ctx, box->rank + 1, ax);
}

/* Bytes of a temporary with an axis for the points, as far as its lengths are
 * constants: no more than is asked for. */
static bool
fits(const ix_jam_state *j, const ix_buffer *b)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype) * j->points;
    for (int d = 0; d < b->box->rank; d++) {
        const ix_axis *ax = &b->box->ax[d];
        const ix_lin *n = ix_lin_try_fma(j->u->ctx, ax->hi, -1, ax->lo);
        if (n && n->n == 0 &&
            (n->c > MOST_BYTES || !ix_mul(bytes, n->c, &bytes)))
            return false;
    }
    return bytes <= MOST_BYTES && b->box->rank < ILEX_MAX_RANK;
}

bool
ix_jam_has_room(const ix_jam_state *j)
{
    for (size_t i = 0; i < j->u->nbuffers; i++)
        if (ix_jam_is_per_point(j, (int64_t)i) && !fits(j, &j->u->buffer[i]))
            return false;
    return true;
}

/* Gives temporaries of points that axis. */
void
ix_jam_widen(ix_jam_state *j)
{
    bool any = false;
    for (size_t i = 0; i < j->u->nbuffers; i++)
        if (ix_jam_is_per_point(j, (int64_t)i)) {
            ix_buffer *b = &j->u->buffer[i];
            b->interior = b->box = box_of_points(j, b->box);
            any = true;
        }
    if (!any)
        return;
    ix_substitution s = {.ctx = j->u->ctx,
                         .mem = &j->u->mem,
                         .load = load_elsewhere,
                         .became = ix_origin_keep,
                         .user = j,
                         .listener = j->u};
    j->k->body = ix_stmt_rewrite(ix_stmt_substitute(j->u, &s, j->k->body),
                                 store_elsewhere, j);
    ix_substitution_free(&s);
}
