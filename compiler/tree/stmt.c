/* SPDX-License-Identifier: MIT
 *
 * Statements: making, walking, counting.
 */
#include "compiler/tree/tree.h"

/* ---- making ---- */

const ix_stmt_row ix_stmt_rows[IX_NSTMTS] = {
#define IX_STMT(KIND, kind, in_source, in_dump, meaning)                       \
    [IX_STMT_##KIND].name = #kind, [IX_STMT_##KIND].text = in_dump,            \
    [IX_STMT_##KIND].lines = in_source,
#define IX_GROUP(kind, group, from, to, is)                                    \
    [IX_ROW_##kind].least[IX_##kind##_##group] = from,                         \
    [IX_ROW_##kind].most[IX_##kind##_##group] = to,                            \
    [IX_ROW_##kind].flat[IX_##kind##_##group] = IX_FLAT_##is,
#define IX_ELEMENT(kind)                                                       \
    [IX_ROW_##kind].most[IX_INDICES] = ILEX_MAX_RANK,                          \
    [IX_ROW_##kind].flat[IX_INDICES] = IX_FLAT_SUM,
#include "compiler/tree/stmts.def"
};

ix_stmt *
ix_stmt_new(ix_unit *u, ix_stmt_kind kind, const ix_group *group)
{
    static const ix_group none[IX_GROUPS];
    size_t n = 0;
    group = group ? group : none;
    for (int g = 0; g < IX_GROUPS; g++)
        n += (size_t)group[g].n;
    ix_stmt *s = ix_arena_new(&u->arena, sizeof *s + n * sizeof *s->x);
    ilex_array **to = s->x;
    s->kind = kind;
    s->buffer = -1;
    s->step = kind == IX_STMT_FOR;
    for (int g = 0; g < IX_GROUPS; g++) {
        s->n[g] = (uint8_t)group[g].n;
        for (int i = 0; i < group[g].n; i++)
            *to++ = group[g].x[i];
    }
    return s;
}

ix_stmt *
ix_stmt_with(ix_unit *u, const ix_stmt *s, const ix_group *group)
{
    ix_stmt *t = ix_stmt_new(u, s->kind, group), head = *s;
    memcpy(head.n, t->n, sizeof head.n);
    head.next = head.body = head.other = NULL;
    *t = head;
    return t;
}

ix_stmt *
ix_stmt_with_group(ix_unit *u, const ix_stmt *s, int group, int n,
                   ilex_array *const *x)
{
    ix_group groups[IX_GROUPS];
    for (int g = 0; g < IX_GROUPS; g++)
        groups[g] = (ix_group){s->n[g], ix_operands(s, g)};
    groups[group] = (ix_group){n, x};
    return ix_stmt_with(u, s, groups);
}

ix_stmt *
ix_stmt_copy(ix_unit *u, const ix_stmt *s)
{
    size_t n = (size_t)ix_operands_before(s, IX_GROUPS);
    size_t bytes = sizeof *s + n * sizeof *s->x;
    ix_stmt *t = memcpy(ix_arena_new(&u->arena, bytes), s, bytes);
    t->next = t->body = t->other = NULL;
    return t;
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
    ix_stmt *s = ix_stmt_new(u, IX_STMT_FOR, IX_OPERANDS({1, &lo}, {1, &hi}));
    s->number = variable;
    s->optional = !is_longer(u->ctx, lo, hi);
    return s;
}

ix_stmt *
ix_stmt_bound_by(ix_unit *u, const ix_stmt *loop, int group, ilex_array *bound,
                 bool alone)
{
    ilex_array *x[IX_MOST_BOUNDS] = {bound};
    int n = alone ? 0 : loop->n[group];
    memcpy(x + 1, ix_operands(loop, group), (size_t)n * sizeof *x);
    return ix_stmt_with_group(u, loop, group, n + 1, x);
}

ix_element
ix_element_of(int buffer, int rank, ilex_array *const *index)
{
    ix_element e = {.buffer = buffer, .rank = rank};
    if (rank)
        memcpy(e.index, index, (size_t)rank * sizeof *index);
    return e;
}

ix_element
ix_element_scratch(ix_stmt *scratch, ilex_array *index)
{
    return (ix_element){
        .mem = scratch, .buffer = -1, .rank = index != NULL, .index = {index}};
}

ix_element
ix_stmt_element(const ix_stmt *s)
{
    ix_element e =
        ix_element_of(s->buffer, s->n[IX_INDICES], ix_operands(s, IX_INDICES));
    e.mem = s->mem;
    return e;
}

static bool
same_group(const ix_stmt *a, const ix_stmt *b, int group)
{
    return a->n[group] == b->n[group] &&
           !memcmp(ix_operands(a, group), ix_operands(b, group),
                   a->n[group] * sizeof *a->x);
}

bool
ix_stmt_same_range(const ix_stmt *a, const ix_stmt *b)
{
    return a->step == b->step && a->down == b->down &&
           same_group(a, b, IX_for_lo) && same_group(a, b, IX_for_hi);
}

bool
ix_stmt_same_bounds(const ix_stmt *a, const ix_stmt *b)
{
    return a->number == b->number && ix_stmt_same_range(a, b);
}

ix_stmt *
ix_stmt_at(ix_unit *u, ix_stmt_kind kind, ix_element at, ilex_array *value)
{
    ix_stmt *s = ix_stmt_new(
        u, kind,
        IX_OPERANDS(
            {value != NULL, &value}, [IX_INDICES] = {at.rank, at.index}));
    s->mem = at.mem;
    s->buffer = at.buffer;
    return s;
}

ix_stmt *
ix_stmt_store(ix_unit *u, ix_element at, ilex_array *value)
{
    return ix_stmt_at(u, IX_STMT_STORE, at, value);
}

ix_stmt *
ix_stmt_update(ix_unit *u, ix_op op, ix_element at, ilex_array *value)
{
    ix_stmt *s = ix_stmt_at(u, IX_STMT_UPDATE, at, value);
    s->op = op;
    return s;
}

int
ix_kernel_variable(ix_unit *u, ix_kernel *k, ix_variable_role role)
{
    return ix_kernel_part(u, k, role, -1);
}

int
ix_kernel_part(ix_unit *u, ix_kernel *k, ix_variable_role role, int variable)
{
    ix_arena_grow(&u->arena, &k->variable, &k->variable_capacity,
                  k->nvariables + 1, sizeof *k->variable);
    k->variable[k->nvariables] = (ix_variable){(uint8_t)role, variable, NULL};
    return (int)k->nvariables++;
}

int
ix_kernel_axes(const ix_kernel *k)
{
    int n = 0;
    while ((size_t)n < k->nvariables && k->variable[n].part_of < 0 &&
           k->variable[n].role == IX_VARIABLE_AXIS)
        n++;
    return n;
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

/* ---- copying lists ---- */

/* Names that copies define of their own: leaves become others in "s", which
 * goes through all operands; copies of what others are about. */
typedef struct renaming {
    ix_unit *u;
    ix_kernel *k; /* NULL: names stay */
    ix_substitution s;
    ix_map made; /* number of a definition + 1 -> its copy */
    const ix_kernel
        *from; /* of another kernel, or NULL: its axes are k's, by */
    int axes, variables, values; /* how much others' numbers become larger */
} renaming;

static ix_stmt *
copy_of(const renaming *r, ix_stmt *s)
{
    const size_t *copy =
        s ? ix_map_find(&r->made, (void *)((uintptr_t)s->number + 1)) : NULL;
    return copy ? (ix_stmt *)*copy : s;
}

/* Loops side by side over one variable are so again. */
static void
rename_variable(renaming *r, ix_stmt *loop)
{
    ilex_array *was = ix_scalar_index(r->u->ctx, loop->number);
    const size_t *again = ix_map_find(&r->s.memo, was);
    ix_variable v = r->k->variable[loop->number];
    int part_of = v.part_of < 0 ? loop->number : v.part_of; /* all of it */
    loop->number = again ? (int)((ilex_array *)*again)->attr[0]
                         : ix_kernel_part(r->u, r->k, v.role, part_of);
    ix_substitution_set(&r->s, was, ix_scalar_index(r->u->ctx, loop->number));
}

static int
moved(const renaming *r, int variable)
{
    return variable + (variable < r->axes ? 0 : r->variables);
}

/* The loop runs over what the variable of the other kernel became. */
static void
move_variable(renaming *r, ix_stmt *loop)
{
    ilex_array *was = ix_scalar_index(r->u->ctx, loop->number);
    loop->number = moved(r, loop->number);
    ix_substitution_set(&r->s, was, ix_scalar_index(r->u->ctx, loop->number));
}

/* What the statement defines gets another name. */
static void
rename_definition(renaming *r, ix_stmt *t)
{
    if (t->kind == IX_STMT_FOR)
        (r->from ? move_variable : rename_variable)(r, t);
    if (!ix_stmt_defines(t))
        return;
    ilex_array *leaf = ix_value_of(r->u, t);
    t->number = r->from ? t->number + r->values : r->k->nvalues++;
    ix_substitution_set(&r->s, leaf, ix_value_of(r->u, t));
}

static void
rename_stmt(renaming *r, ix_stmt *t)
{
    int was = t->number;
    t->mem = copy_of(r, t->mem);
    t->from = copy_of(r, t->from);
    t->to = copy_of(r, t->to);
    if (r->k)
        rename_definition(r, t);
    if (ix_stmt_defines(t) &&
        !ix_map_set(&r->made, &r->u->mem, (void *)((uintptr_t)was + 1),
                    (size_t)t))
        ix_fail_memory(&r->u->ctx->error);
}

/* Copies of a list, with other operands if "s" is there, and, if "r" is, that
 * are about copies. */
static ix_stmt *
copy_list(ix_unit *u, ix_substitution *s, renaming *r, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (; list; list = list->next) {
        ix_stmt *t = ix_stmt_copy(u, list);
        for (int i = 0; s && i < ix_operands_before(t, IX_GROUPS); i++)
            t->x[i] = ix_substitute(s, t->x[i]);
        if (r)
            rename_stmt(r, t);
        t->body = copy_list(u, s, r, list->body);
        t->other = copy_list(u, s, r, list->other);
        *tail = t;
        tail = &t->next;
    }
    return first;
}

ix_stmt *
ix_stmt_substitute(ix_unit *u, ix_substitution *s, const ix_stmt *list)
{
    return copy_list(u, s, NULL, list);
}

ix_stmt *
ix_stmt_clone(ix_unit *u, ix_kernel *k, const ix_stmt *list)
{
    renaming r = {.u = u, .k = k};
    r.s = (ix_substitution){
        .ctx = u->ctx, .mem = &u->mem, .became = ix_origin_keep, .user = u};
    ix_stmt *copy = copy_list(u, k ? &r.s : NULL, &r, list);
    ix_substitution_free(&r.s);
    ix_map_free(&r.made, &u->mem);
    return copy;
}

ix_stmt *
ix_kernel_adopt(ix_unit *u, ix_kernel *k, const ix_kernel *from)
{
    renaming r = {.u = u, .k = k, .from = from, .axes = ix_kernel_axes(from)};
    r.s = (ix_substitution){
        .ctx = u->ctx, .mem = &u->mem, .became = ix_origin_keep, .user = u};
    r.variables = (int)k->nvariables - r.axes;
    r.values = k->nvalues;
    for (size_t i = (size_t)r.axes; i < from->nvariables; i++)
        ix_kernel_part(u, k, from->variable[i].role,
                       moved(&r, from->variable[i].part_of));
    k->nvalues += from->nvalues;
    ix_stmt *copy = copy_list(u, &r.s, &r, from->body);
    ix_substitution_free(&r.s);
    ix_map_free(&r.made, &u->mem);
    return copy;
}

ix_stmt *
ix_stmt_rewrite(ix_stmt *list, ix_stmt *(*fn)(void *user, ix_stmt *s),
                void *user)
{
    ix_stmt *first = NULL, **tail = &first;
    for (ix_stmt *s = list, *next; s; s = next) {
        ix_stmt *body = s->body, *other = s->other, *t = fn(user, s);
        next = s->next;
        t->body = ix_stmt_rewrite(body, fn, user);
        t->other = ix_stmt_rewrite(other, fn, user);
        *tail = t;
        tail = &t->next;
    }
    *tail = NULL;
    return first;
}

ix_stmt **
ix_stmt_end(ix_stmt **list)
{
    while (*list)
        list = &(*list)->next;
    return list;
}

/* ---- walking ---- */

bool
ix_stmt_each_in(ix_stmt *s, ix_stmt_fn fn, void *user)
{
    return fn(user, s) && ix_stmt_each(s->body, fn, user) &&
           ix_stmt_each(s->other, fn, user);
}

bool
ix_stmt_each(ix_stmt *list, ix_stmt_fn fn, void *user)
{
    while (list && ix_stmt_each_in(list, fn, user))
        list = list->next;
    return !list;
}

bool
ix_stmt_exprs(const ix_stmt *s, ix_expr_fn fn, void *user)
{
    int n = ix_operands_before(s, IX_GROUPS);
    for (int i = 0; i < n; i++)
        if (!fn(user, s->x[i]))
            return false;
    return true;
}

static bool
walk_expr(void *walk, ilex_array *x)
{
    return ix_walk_body(walk, x, NULL);
}

bool
ix_stmt_walk(void *walk, ix_stmt *s)
{
    return ix_stmt_exprs(s, walk_expr, walk);
}

bool
ix_stmt_has(const ix_stmt *s, unsigned flags)
{
    unsigned all = 0;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        all |= s->x[i]->flags;
    return all & flags;
}

static bool
has_none_of(void *user, ix_stmt *s)
{
    const unsigned *flags = user;
    return !ix_stmt_has(s, *flags);
}

bool
ix_kernel_has(const ix_kernel *k, unsigned flags)
{
    return !ix_stmt_each(k->body, has_none_of, &flags);
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

bool
ix_stmt_loads(ix_unit *u, ix_stmt *list, ix_load_fn fn, void *user)
{
    load_walk l;
    start_loads(&l, u, fn, user);
    bool ok = ix_stmt_each(list, ix_stmt_walk, &l.walk);
    ix_walk_free(&l.walk);
    return ok;
}

bool
ix_body_loads(ix_unit *u, ilex_array *body, ix_load_fn fn, void *user)
{
    load_walk l;
    start_loads(&l, u, fn, user);
    bool ok = ix_walk_body(&l.walk, body, NULL);
    ix_walk_free(&l.walk);
    return ok;
}

bool
ix_load_is_constant(void *unit, const ilex_array *load)
{
    const ix_unit *u = unit;
    return !ix_buffer_is_written(&u->buffer[load->attr[0]]);
}

/* ---- rows ---- */

/* Does an index differ from iteration to iteration, or is it a value that may?
 */
static bool
varies(const ilex_array *x, const ix_stmt *loop)
{
    bool is = x->kind == IX_INDEX && x->attr[0] == loop->number;
    for (const ix_stmt *s = loop->body; s && x->kind == IX_VALUE; s = s->next)
        is |= ix_stmt_defines(s) && s->number == x->attr[0];
    for (int i = 0; i < x->nops && !is; i++)
        is = varies(x->ops[i], loop);
    return is;
}

bool
ix_stmt_moves_along(const ix_stmt *s, const ix_stmt *loop)
{
    int last = s->n[IX_INDICES] - 1;
    bool along = last >= 0;
    for (int d = 0; d <= last && along; d++) {
        const ilex_array *x = ix_operands(s, IX_INDICES)[d];
        ix_index_form f;
        ix_index_form_of(x, &f);
        bool one = false;
        for (int i = 0; i < f.n && along; i++) {
            bool is = f.t[i].atom->kind == IX_INDEX &&
                      f.t[i].atom->attr[0] == loop->number;
            along =
                is ? d == last && f.t[i].k == 1 : !varies(f.t[i].atom, loop);
            one |= is;
        }
        along &= d < last || one;
    }
    return along;
}

bool
ix_stmt_copies_row(const ix_stmt *loop)
{
    const ix_stmt *load = loop->body, *store = load ? load->next : NULL;
    return store && !store->next && load->kind == IX_STMT_LOAD &&
           load->buffer < 0 && ix_stmt_is_output(store) &&
           ix_store_value(store)->kind == IX_VALUE &&
           ix_store_value(store)->attr[0] == load->number &&
           ix_stmt_moves_along(load, loop) && ix_stmt_moves_along(store, loop);
}

/* ---- counting ---- */

/* Lines that a statement takes in the source. */
static int
lines_of(const ix_stmt *s)
{
    return ix_stmt_rows[s->kind].lines + ix_dtype_is_complex(s->dtype);
}

int
ix_stmt_count(const ix_stmt *list)
{
    int64_t sum = 0;
    for (const ix_stmt *s = list; s; s = s->next)
        sum += lines_of(s) + ix_stmt_count(s->body) + ix_stmt_count(s->other);
    return sum > INT32_MAX ? INT32_MAX : (int)sum;
}
