/* SPDX-License-Identifier: MIT
 *
 * Statements: making, walking, counting.
 */
#include "compiler/tree/tree.h"

/* ---- making ---- */

ix_stmt *
ix_stmt_new(ix_unit *u, ix_stmt_kind kind)
{
    ix_stmt *s = ix_arena_new(&u->arena, sizeof *s);
    s->kind = kind;
    s->step = 1;
    return s;
}

ix_stmt *
ix_stmt_copy(ix_unit *u, const ix_stmt *s)
{
    ix_stmt *t = ix_arena_new(&u->arena, sizeof *t);
    *t = *s;
    t->next = t->body = t->other = NULL;
    return t;
}

ilex_array **
ix_stmt_nodes(ix_unit *u, int n, ilex_array *const *nodes)
{
    ilex_array **r = ix_arena_new(&u->arena, ((size_t)n + 1) * sizeof *r);
    if (n)
        memcpy(r, nodes, (size_t)n * sizeof *r);
    return r;
}

/* Is lo < hi for all sizes? */
static bool
is_longer(ilex_context *ctx, const ilex_array *lo, const ilex_array *hi)
{
    const ix_lin *from = ix_index_to_lin(ctx, lo),
                 *to = ix_index_to_lin(ctx, hi);
    const ix_lin *length =
        from && to ? ix_lin_try_fma(ctx, to, -1, from) : NULL;
    length = length ? ix_lin_try_offset(ctx, length, -1) : NULL;
    return length && ix_lin_nonneg_fast(ctx, length);
}

ix_stmt *
ix_stmt_for(ix_unit *u, int variable, ilex_array *lo, ilex_array *hi)
{
    ix_stmt *s = ix_stmt_new(u, IX_STMT_FOR);
    s->number = variable;
    s->nlo = s->nhi = 1;
    s->lo = ix_stmt_nodes(u, 1, &lo);
    s->hi = ix_stmt_nodes(u, 1, &hi);
    s->optional = !is_longer(u->ctx, lo, hi);
    return s;
}

ix_element
ix_element_of(ix_unit *u, int buffer, int rank, ilex_array *const *index)
{
    return (ix_element){
        .buffer = buffer, .rank = rank, .index = ix_stmt_nodes(u, rank, index)};
}

ix_element
ix_element_scratch(ix_unit *u, ix_stmt *scratch, ilex_array *index)
{
    return (ix_element){.scratch = scratch,
                        .rank = index != NULL,
                        .index = ix_stmt_nodes(u, index != NULL, &index)};
}

bool
ix_stmt_same_bounds(const ix_stmt *a, const ix_stmt *b)
{
    return a->number == b->number && a->nlo == b->nlo && a->nhi == b->nhi &&
           !memcmp(a->lo, b->lo, (size_t)a->nlo * sizeof *a->lo) &&
           !memcmp(a->hi, b->hi, (size_t)a->nhi * sizeof *a->hi);
}

ix_stmt *
ix_stmt_store(ix_unit *u, ix_element at, ilex_array *value)
{
    ix_stmt *s = ix_stmt_new(u, IX_STMT_STORE);
    s->at = at;
    s->value = value;
    return s;
}

ix_stmt *
ix_stmt_update(ix_unit *u, ix_op op, ix_element at, ilex_array *value)
{
    ix_stmt *s = ix_stmt_new(u, IX_STMT_UPDATE);
    s->op = op;
    s->at = at;
    s->value = value;
    return s;
}

int
ix_kernel_variable(ix_unit *u, ix_kernel *k, char prefix)
{
    ix_arena_grow(&u->arena, &k->variable, &k->variable_capacity,
                  k->nvariables + 1, 1);
    k->variable[k->nvariables] = prefix;
    return (int)k->nvariables++;
}

ilex_array *
ix_value_leaf(ix_unit *u, char prefix, int number, ilex_dtype dtype)
{
    int64_t attr[2] = {number, prefix};
    ix_node_spec spec = {
        .kind = IX_VALUE, .dtype = dtype, .nattr = 2, .attr = attr};
    return ix_node_scoped(u->ctx, &spec);
}

ilex_array *
ix_value_of(ix_unit *u, const ix_stmt *s)
{
    return ix_value_leaf(u, s->prefix, s->number, s->dtype);
}

ilex_array *
ix_range_value(ix_unit *u, bool end)
{
    return ix_value_leaf(u, end ? 'e' : 'b',
                         end ? IX_VALUE_END : IX_VALUE_BEGIN, ILEX_I64);
}

ilex_array *
ix_offset_value(ix_unit *u, int i, ilex_dtype dtype)
{
    return ix_value_leaf(u, 'o', IX_VALUE_OFFSET - i, dtype);
}

/* ---- substituting ---- */

static ilex_array **
substitute_nodes(ix_unit *u, ix_substitution *s, int n, ilex_array *const *x)
{
    ilex_array **r = ix_stmt_nodes(u, n, x);
    for (int i = 0; i < n; i++)
        r[i] = ix_substitute(s, r[i]);
    return r;
}

ix_stmt *
ix_stmt_substitute(ix_unit *u, ix_substitution *s, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (; list; list = list->next) {
        ix_stmt *t = ix_stmt_copy(u, list);
        t->lo = substitute_nodes(u, s, t->nlo, t->lo);
        t->hi = substitute_nodes(u, s, t->nhi, t->hi);
        t->at.index = substitute_nodes(u, s, t->at.rank, t->at.index);
        t->value = t->value ? ix_substitute(s, t->value) : NULL;
        t->body = ix_stmt_substitute(u, s, list->body);
        t->other = ix_stmt_substitute(u, s, list->other);
        *tail = t;
        tail = &t->next;
    }
    return first;
}

/* ---- walking ---- */

bool
ix_stmt_each(ix_stmt *list, ix_stmt_fn fn, void *user)
{
    for (ix_stmt *s = list; s; s = s->next)
        if (!fn(user, s) || !ix_stmt_each(s->body, fn, user) ||
            !ix_stmt_each(s->other, fn, user))
            return false;
    return true;
}

static bool
each_node(int n, ilex_array *const *x, ix_expr_fn fn, void *user)
{
    for (int i = 0; i < n; i++)
        if (!fn(user, x[i]))
            return false;
    return true;
}

bool
ix_stmt_exprs(const ix_stmt *s, ix_expr_fn fn, void *user)
{
    return each_node(s->nlo, s->lo, fn, user) &&
           each_node(s->nhi, s->hi, fn, user) &&
           each_node(s->value != NULL, &s->value, fn, user) &&
           each_node(s->width != NULL, &s->width, fn, user) &&
           each_node(s->place != NULL, &s->place, fn, user) &&
           each_node(s->at.rank, s->at.index, fn, user);
}

static bool
has_none_of(void *user, ilex_array *x)
{
    const unsigned *flags = user;
    return !(x->flags & *flags);
}

static bool
stmt_has_none_of(void *user, ix_stmt *s)
{
    return ix_stmt_exprs(s, has_none_of, user);
}

bool
ix_kernel_has(const ix_kernel *k, unsigned flags)
{
    return !ix_stmt_each(k->body, stmt_has_none_of, &flags);
}

/* A walk over loads, each once. */
typedef struct load_walk {
    ix_walk walk;
    ix_mem mem;
    ix_load_fn fn;
    void *user;
} load_walk;

static ix_walk_step
meet_load(ix_walk *w, ilex_array *x, size_t *value)
{
    load_walk *l = w->user;
    (void)value;
    return x->kind != IX_LOAD || l->fn(l->user, x) ? IX_WALK_IN : IX_WALK_END;
}

static void
start_loads(load_walk *l, ix_unit *u, ix_load_fn fn, void *user)
{
    *l = (load_walk){.mem = ix_arena_mem(&u->arena), .fn = fn, .user = user};
    l->walk = (ix_walk){.ctx = u->ctx,
                        .mem = &l->mem,
                        .within = IX_HAS_LOAD,
                        .enter = meet_load,
                        .user = l};
}

static bool
walk_loads(void *user, ilex_array *x)
{
    return ix_walk_body(user, x, NULL);
}

static bool
loads_of_stmt(void *user, ix_stmt *s)
{
    return ix_stmt_exprs(s, walk_loads, user);
}

bool
ix_stmt_loads(ix_unit *u, ix_stmt *list, ix_load_fn fn, void *user)
{
    load_walk l;
    start_loads(&l, u, fn, user);
    bool ok = ix_stmt_each(list, loads_of_stmt, &l.walk);
    ix_walk_free(&l.walk);
    return ok;
}

bool
ix_body_loads(ix_unit *u, ilex_array *body, ix_load_fn fn, void *user)
{
    load_walk l;
    start_loads(&l, u, fn, user);
    bool ok = walk_loads(&l.walk, body);
    ix_walk_free(&l.walk);
    return ok;
}

/* ---- counting ---- */

/* Lines that a statement takes in the source. */
static int
lines_of(const ix_stmt *s)
{
    bool complex = ix_dtype_is_complex(s->dtype);
    switch (s->kind) {
    case IX_STMT_FOLD:
        return 3;
    case IX_STMT_PUSH:
        return 6;
    case IX_STMT_POP:
        return 7;
    case IX_STMT_RECORD:
        return 6;
    case IX_STMT_SCRATCH:
        return s->scratch == IX_SCRATCH_STACK ? 3 : 1;
    default:
        return complex ? 2 : 1;
    }
}

int
ix_stmt_count(const ix_stmt *list)
{
    int64_t sum = 0;
    for (const ix_stmt *s = list; s; s = s->next)
        sum += lines_of(s) + ix_stmt_count(s->body) + ix_stmt_count(s->other);
    return sum > INT32_MAX ? INT32_MAX : (int)sum;
}
