/* SPDX-License-Identifier: MIT
 *
 * Nests of loops, chains of FORs with nothing beside them, and kernels, which
 * start as lists of nests.
 */
#include "compiler/tree/tree.h"

/* ---- nests ---- */

ix_stmt *
ix_nest_inside(const ix_stmt *loop)
{
    ix_stmt *s = loop->body;
    while (s->kind != IX_STMT_FOR && s->kind != IX_STMT_STORE)
        s = s->next;
    return s;
}

ix_stmt *
ix_nest_body(ix_stmt *nest)
{
    while (nest->kind == IX_STMT_FOR)
        nest = ix_nest_inside(nest);
    return nest;
}

ix_stmt *
ix_nest_like(ix_unit *u, const ix_stmt *nest, ix_stmt *body)
{
    if (nest->kind != IX_STMT_FOR)
        return body;
    ix_stmt *loop = ix_stmt_copy(u, nest);
    loop->body = ix_nest_like(u, nest->body, body);
    return loop;
}

ilex_array *
ix_nest_values(ix_unit *u, const ix_stmt *store)
{
    size_t n = 0;
    for (const ix_stmt *s = store; s; s = s->next)
        n++;
    ilex_array **value = ix_arena_new(&u->arena, n * sizeof *value),
               **to = value;
    for (const ix_stmt *s = store; s; s = s->next)
        *to++ = ix_store_value(s);
    return n == 1 ? *value : ix_scalar_tuple(u->ctx, (int)n, value);
}

ix_stmt *
ix_nest_stores(ix_unit *u, const ix_stmt *like, ilex_array *values)
{
    ilex_array *const *value = like->next ? values->ops : &values;
    ix_stmt *first = NULL, **tail = &first;
    for (; like; like = like->next) {
        *tail = ix_stmt_store(u, ix_stmt_element(like), *value++);
        tail = &(*tail)->next;
    }
    return first;
}

void
ix_nest_note(ix_stmt *nest, const ilex_array *array)
{
    for (ix_stmt *s = nest; s; s = s->kind == IX_STMT_FOR ? s->body : s->next)
        s->array = array;
}

typedef struct location_search {
    ix_unit *u;
    ix_source_locations *p;
} location_search;

static bool
add_locations(void *user, ix_stmt *s)
{
    location_search *x = user;
    if (s->kind == IX_STMT_STORE)
        ix_source_locations_add(x->u, x->p, s->array, ix_store_value(s));
    return true;
}

void
ix_kernel_locations(ix_unit *u, const ix_kernel *k, ix_source_locations *p)
{
    location_search x = {u, p};
    if (u->ctx->annotations.count)
        ix_stmt_each(k->nests, add_locations, &x);
}

bool
ix_nests_store(ix_stmt *nests, int64_t buffer)
{
    for (ix_stmt *nest = nests; nest; nest = nest->next)
        for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
            if (s->buffer == buffer)
                return true;
    return false;
}

/* Is there a reduction in a nest of stores? */
static bool
has_reduction(ix_stmt *nest)
{
    for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
        if (ix_store_value(s)->flags & IX_HAS_REDUCE)
            return true;
    return false;
}

bool
ix_nest_is_rectangular(ix_stmt *nest, int rank)
{
    int loops = 0;
    for (const ix_stmt *s = nest; s->kind == IX_STMT_FOR; s = s->body, loops++)
        if (ix_stmt_has(s, IX_HAS_INDEX))
            return false;
    return loops == rank && !has_reduction(nest);
}

/* ---- kernels ---- */

ix_kernel *
ix_unit_kernel(ix_unit *u, const ix_domain *box, ix_moment when)
{
    ix_kernel *k = ix_arena_new(&u->arena, sizeof *k);
    k->box = box;
    k->when = when;
    k->axis = box->rank ? 0 : -1;
    k->levels.axis = -1;
    int loop = ix_unit_repeat_at(u, when.calls);
    if (loop >= 0)
        k->facts = ix_unit_repeat_facts(u, loop, u->ctx->facts);
    for (int i = 0; i < box->rank; i++)
        ix_kernel_variable(u, k, IX_VARIABLE_AXIS);
    return k;
}

const ix_env *
ix_kernel_known(ix_unit *u, const ix_kernel *k)
{
    const ix_env *before = u->ctx->facts;
    u->ctx->facts = k->facts ? k->facts : before;
    return before;
}

bool
ix_kernels_each(ix_unit *u, bool (*fn)(ix_unit *u, ix_kernel *k))
{
    bool ok = true;
    for (ix_kernel *k = u->kernels; ok && k && !u->reference; k = k->next) {
        const ix_env *before = ix_kernel_known(u, k);
        ok = fn(u, k);
        u->ctx->facts = before;
    }
    return ok;
}

void
ix_unit_number(ix_unit *u)
{
    u->nkernels = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->number = u->nkernels++;
}

/* ---- what there is in lists ---- */

static bool
is_no_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR;
}

bool
ix_stmt_is_innermost(const ix_stmt *loop)
{
    return ix_stmt_each(loop->body, is_no_loop, NULL);
}

bool
ix_stmt_has_loop(ix_stmt *s)
{
    return !ix_stmt_each_in(s, is_no_loop, NULL);
}

static bool
is_unchecked(void *user, ix_stmt *s)
{
    (void)user;
    return !ix_stmt_has(s, IX_MAY_FAIL) && s->kind != IX_STMT_CHECK;
}

bool
ix_stmts_check(ix_stmt *list)
{
    return !ix_stmt_each(list, is_unchecked, NULL);
}

static bool
is_no_fetch(void *buffer, ix_stmt *s)
{
    bool asks = s->kind == IX_STMT_FETCH || s->kind == IX_STMT_ASIDE;
    return !asks || s->buffer != *(const int *)buffer;
}

bool
ix_stmts_fetch(ix_stmt *list, int buffer)
{
    return !ix_stmt_each(list, is_no_fetch, &buffer);
}

ix_stmt *
ix_stmts_decided(ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (ix_stmt *next; list; list = next) {
        bool known =
            list->kind == IX_STMT_IF && ix_if_condition(list)->kind == IX_CONST;
        next = list->next;
        list->next = NULL;
        list->body = ix_stmts_decided(list->body);
        list->other = ix_stmts_decided(list->other);
        *tail = !known                                    ? list
                : ix_const_value(ix_if_condition(list)).i ? list->body
                                                          : list->other;
        tail = ix_stmt_end(tail);
    }
    return first;
}
