/* SPDX-License-Identifier: MIT
 *
 * Pass fission: no kernel is too long for one function. needs: nests with one
 * store; gives: the same values, those of a body that is too long in groups of
 * nodes, each a kernel that stores what later groups use, nests that together
 * are too long in kernels of their own; breaks: nothing.
 *
 * Groups are runs of the post-order of the body's graph, so a group uses what
 * groups before it made, and for a tree it hands on few values. A reduction
 * and a guarded `where` stay whole.
 */
#include "compiler/tree/tree.h"

/* A node of the body, operands before users. */
typedef struct part {
    ilex_array *node;
    int group;
    int buffer; /* that holds it for later groups, or -1 */
} part;

typedef struct fission {
    ix_unit *u;
    ix_map position; /* of a node in "part" */
    part *part;
    size_t nparts, capacity;
    int weight; /* of the group so far */
    int group;
} fission;

/* Is "n" handed on by storing it? Others are computed where they are used. */
static bool
is_storable(const ilex_array *n)
{
    bool value = ix_is_operation(n) || n->kind == IX_REDUCE;
    return value && (n->flags & (IX_HAS_LOAD | IX_HAS_REDUCE | IX_HAS_APPLY));
}

static bool
is_whole(const ilex_array *n)
{
    return !is_storable(n) || n->kind == IX_REDUCE || ix_is_guard(n);
}

/* The weight of a node without what stands before it. */
static int
own_weight(fission *c, ilex_array *n)
{
    if (is_whole(n))
        return ix_measure(c->u, 1, &n);
    return ix_dtype_is_complex((ilex_dtype)n->dtype) ? 2 : 1;
}

/* Appends "n", whose operands were, to the group that is being filled. */
static void
append(fission *c, ilex_array *n)
{
    int weight = own_weight(c, n);
    if (c->weight > 0 && c->weight + weight > IX_FUNCTION_PART) {
        c->weight = 0;
        c->group++;
    }
    c->weight += weight;
    ix_arena_grow(&c->u->arena, &c->part, &c->capacity, c->nparts + 1,
                  sizeof *c->part);
    c->part[c->nparts] = (part){n, c->group, -1};
    ix_map_set(&c->position, &c->u->mem, n, c->nparts++);
}

static ix_walk_step
enter_part(ix_walk *w, ilex_array *n, size_t *value)
{
    fission *c = w->user;
    (void)value;
    if (ix_map_find(&c->position, n))
        return IX_WALK_OVER;
    if (!is_whole(n))
        return IX_WALK_IN;
    append(c, n);
    return IX_WALK_OVER;
}

static bool
leave_part(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    (void)operand, (void)value;
    append(w->user, n);
    return true;
}

/* Appends the nodes of a body, operands first. */
static void
collect(fission *c, ilex_array *body)
{
    ix_walk w = {
        .ctx = c->u->ctx, .enter = enter_part, .leave = leave_part, .user = c};
    ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
}

/* Gives a buffer to every node that a later group uses. */
static void
find_handed_on(fission *c, const ix_domain *box)
{
    for (size_t i = 0; i < c->nparts; i++) {
        const ilex_array *n = c->part[i].node;
        for (int k = 0; k < n->nops && !is_whole(n); k++) {
            part *p = &c->part[*ix_map_find(&c->position, n->ops[k])];
            if (p->group == c->part[i].group || p->buffer >= 0 ||
                !is_storable(p->node))
                continue;
            p->buffer =
                ix_unit_temporary(c->u, box, (ilex_dtype)p->node->dtype);
        }
    }
}

/* "n" with loads for what groups before "group" stored. */
static ilex_array *
body_in_group(fission *c, ilex_array *n, int group)
{
    ilex_context *ctx = c->u->ctx;
    ix_substitution s = {
        .ctx = ctx, .mem = &c->u->mem, .became = ix_made_keep, .user = c->u};
    for (size_t i = 0; i < c->nparts; i++) {
        const part *p = &c->part[i];
        if (p->buffer < 0 || p->group >= group)
            continue;
        ix_substitution_set(&s, p->node, ix_unit_load(c->u, p->buffer));
    }
    ilex_array *r = ix_substitute(&s, n);
    ix_substitution_free(&s);
    return r;
}

/* The kernel that stores what group "group" hands on, over the loops of
 * "nest"; NULL if that is nothing or memory ran out. */
static ix_kernel *
kernel_of_group(fission *c, const ix_kernel *k, ix_stmt *nest, int group)
{
    ix_unit *u = c->u;
    ix_stmt *stores = NULL, **tail = &stores;
    ix_element at = ix_stmt_element(ix_nest_body(nest));
    for (size_t i = 0; i < c->nparts; i++) {
        const part *p = &c->part[i];
        if (p->group != group || p->buffer < 0)
            continue;
        ilex_array *body = body_in_group(c, p->node, group);
        if (ix_is_poison(body))
            return NULL;
        at.buffer = p->buffer;
        *tail = ix_stmt_store(u, at, body);
        tail = &(*tail)->next;
    }
    if (!stores)
        return NULL;
    ix_kernel *r = ix_unit_kernel(u, k->box, k->when);
    r->body = ix_nest_like(u, nest, stores);
    ix_nest_note(r->body, nest->array);
    return r;
}

/* Puts the kernels of all groups but the last before "*at", which keeps the
 * last; returns where "*at" is now. */
static ix_kernel **
fission_nest(fission *c, ix_kernel **at, ix_stmt *nest)
{
    ix_kernel *k = *at;
    ix_stmt *store = ix_nest_body(nest);
    ilex_array *body = ix_store_value(store);
    collect(c, body);
    find_handed_on(c, k->box);
    for (int group = 0; group < c->group; group++) {
        ix_kernel *r = kernel_of_group(c, k, nest, group);
        if (!r)
            continue;
        r->next = k;
        *at = r;
        at = &r->next;
        c->u->changed = true;
    }
    ix_set_operand(store, IX_store_value, body_in_group(c, body, c->group));
    return at;
}

/* Moves nests that would make one function too long to a kernel of their own,
 * which follows. */
static void
divide(ix_unit *u, ix_kernel *k)
{
    int sum = 0;
    for (ix_stmt **at = &k->body; *at && (*at)->kind == IX_STMT_FOR;
         at = &(*at)->next) {
        sum += ix_measure_nest(u, *at);
        if (sum <= IX_FUNCTION || at == &k->body)
            continue;
        ix_kernel *rest = ix_unit_kernel(u, k->box, k->when);
        rest->axis = k->axis;
        rest->levels = k->levels;
        rest->ordered = k->ordered;
        rest->body = *at;
        rest->next = k->next;
        *at = NULL;
        k->next = rest;
        u->changed = true;
        return;
    }
}

bool
ix_pass_fission(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel **at = &u->kernels; *at; at = &(*at)->next)
        for (ix_stmt *n = (*at)->body; n; n = n->next) {
            fission c = {.u = u};
            if ((*at)->ordered || ix_measure_nest(u, n) <= IX_FUNCTION)
                continue; /* parts of a level are no levels */
            at = fission_nest(&c, at, n);
        }
    for (ix_kernel *k = u->kernels; k; k = k->next)
        divide(u, k);
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}
