/* SPDX-License-Identifier: MIT
 *
 * jam L: the points of a loop move inward, past the serial loops in it. Its
 * statements are distributed: those between serial loops are a group, which
 * gets a loop over the points of its own; what a point has of its own and other
 * groups use becomes a row of scratch, an element for each point.
 *
 *     for v in [0, 64)              a[64]
 *         a = 0                     for v in [0, 64)
 *         for j in [0, m)               a[v] = 0
 *             a = a + x[j, v]       for j in [0, m)
 *         y[v] = a                      for v in [0, 64)
 *                                           a[v] = a[v] + x[j, v]
 *                                   for v in [0, 64)
 *                                       y[v] = a[v]
 *
 * needs: a loop whose iterations are independent, of a constant length at most;
 * gives: each point's operations in the order they had.
 */
#include "compiler/loop/loop.h"

/* ---- what a point has of its own ---- */

/* A value or scratch memory of a point. */
typedef struct own {
    const ix_stmt *by; /* what defines it */
    int group;         /* in which */
    bool crosses;      /* others use it */
    ix_stmt *row;      /* which it becomes then */
    bool stored;       /* so its value is read there */
} own;

typedef struct jam {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    int64_t points;    /* at most */
    ilex_array *point; /* index in a row */
    ilex_array *width; /* how many there are, for stacks */
    own *own;          /* by "number": of what is defined + 1 -> place + 1 */
    size_t nown, capacity;
    ix_map number;
    ix_mem mem;
    ix_walk varies, uses;
    int group;     /* that is looked at */
    bool possible; /* there is something to move past */
} jam;

static own *
own_of(const jam *j, int64_t number)
{
    const size_t *at =
        number < 0 ? NULL
                   : ix_map_find(&j->number, (void *)((uintptr_t)number + 1));
    return at ? &j->own[*at - 1] : NULL;
}

static own *
own_memory(const jam *j, const ix_stmt *scratch)
{
    return scratch ? own_of(j, scratch->number) : NULL;
}

/* Does a node differ from point to point, or may it be another one later? */
static ix_walk_step
enter_varies(ix_walk *w, ilex_array *x, size_t *value)
{
    const jam *j = w->user;
    if (x->kind == IX_INDEX)
        *value = x->attr[0] == j->loop->number;
    else if (x->kind == IX_VALUE)
        *value = own_of(j, x->attr[0]) != NULL;
    else if (x->kind == IX_LOAD)
        *value = ix_buffer_is_written(&j->u->buffer[x->attr[0]]);
    return *value ? IX_WALK_OVER : IX_WALK_IN;
}

static bool
leave_varies(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    (void)w;
    for (int i = 0; i < x->nops; i++)
        *value |= operand[i];
    return true;
}

static bool
varies(void *user, ilex_array *x)
{
    jam *j = user;
    size_t value = 0;
    ix_walk_body(&j->varies, x, &value);
    return value != 0;
}

static bool
is_uniform(void *user, ilex_array *x)
{
    return !varies(user, x);
}

static bool
note_own(void *user, ix_stmt *s)
{
    jam *j = user;
    if (!ix_stmt_defines(s) ||
        (s->kind == IX_STMT_LET && ix_stmt_exprs(s, is_uniform, j)))
        return true;
    ix_arena_grow(&j->u->arena, &j->own, &j->capacity, j->nown + 1,
                  sizeof *j->own);
    j->own[j->nown++] = (own){.by = s};
    if (!ix_map_set(&j->number, &j->mem, (void *)((uintptr_t)s->number + 1),
                    j->nown))
        ix_fail_memory(&j->u->ctx->error);
    return true;
}

/* ---- groups ---- */

/* Do the points move into the body of a statement? */
static bool
descends(jam *j, const ix_stmt *s)
{
    bool inside = s->kind == IX_STMT_FOR && !s->parallel;
    if ((s->kind != IX_STMT_FOR && s->kind != IX_STMT_IF) ||
        (s->kind == IX_STMT_FOR && ix_for_while(s)) ||
        !ix_stmt_exprs(s, is_uniform, j))
        return false;
    for (const ix_stmt *x = s->body; x && !inside; x = x->next)
        inside = descends(j, x);
    for (const ix_stmt *x = s->other; x && !inside; x = x->next)
        inside = descends(j, x);
    return inside;
}

static bool
is_of_all_points(const jam *j, const ix_stmt *s)
{
    return s->kind == IX_STMT_LET && !own_of(j, s->number);
}

static bool
is_of_stack(const ix_stmt *s)
{
    return s->kind == IX_STMT_PUSH || s->kind == IX_STMT_POP;
}

static void
use(const jam *j, own *o)
{
    if (o && o->group != j->group)
        o->crosses = true;
}

static ix_walk_step
enter_uses(ix_walk *w, ilex_array *x, size_t *value)
{
    const jam *j = w->user;
    (void)value;
    if (x->kind == IX_VALUE)
        use(j, own_of(j, x->attr[0]));
    return IX_WALK_IN;
}

static bool
use_operand(void *user, ilex_array *x)
{
    jam *j = user;
    return ix_walk_body(&j->uses, x, NULL);
}

static bool
plan_stmt(void *user, ix_stmt *s)
{
    jam *j = user;
    if (ix_stmt_defines(s) && own_of(j, s->number))
        own_of(j, s->number)->group = j->group;
    use(j, own_memory(j, s->mem));
    use(j, own_memory(j, s->from));
    use(j, own_memory(j, s->to));
    return ix_stmt_exprs(s, use_operand, j);
}

static void
next_group(jam *j)
{
    j->group++;
    ix_walk_forget(&j->uses);
}

/* Numbers the groups of a list and finds out what crosses them. */
static void
plan(jam *j, ix_stmt *list)
{
    next_group(j);
    for (ix_stmt *s = list; s; s = s->next) {
        bool into = descends(j, s);
        if (into) {
            plan(j, s->body);
            plan(j, s->other);
            j->possible = true;
        } else if (is_of_stack(s)) {
            next_group(j);
            plan_stmt(j, s);
            next_group(j);
        } else if (!is_of_all_points(j, s)) {
            plan_stmt(j, s);
            ix_stmt_each(s->body, plan_stmt, j);
            ix_stmt_each(s->other, plan_stmt, j);
        }
    }
    next_group(j);
}

/* Lanes are of one point. */
static bool
is_of_one(void *user, ix_stmt *s)
{
    const jam *j = user;
    const own *from = own_memory(j, s->from), *to = own_memory(j, s->to);
    return s->kind != IX_STMT_FOLD ||
           (!(from && from->crosses) && !(to && to->crosses));
}

/* ---- the group of a point ---- */

/* The element of a row for element "at" of memory of a point, or for a cell. */
static ix_element
row_element(const jam *j, const own *o, ilex_array *at)
{
    ilex_array *x = j->point;
    if (at)
        x = ix_index_fma(j->u->ctx, x, j->points, at);
    return ix_element_scratch(o->row, x);
}

/* Reads what a group needs of rows, before the statement that does. */
typedef struct reading {
    jam *j;
    ix_substitution *s;
    ix_stmt **tail;
    ix_walk walk;
} reading;

static ix_walk_step
read_row(ix_walk *w, ilex_array *x, size_t *value)
{
    reading *r = w->user;
    jam *j = r->j;
    const own *o = x->kind == IX_VALUE ? own_of(j, x->attr[0]) : NULL;
    (void)value;
    if (!o || !o->stored)
        return IX_WALK_IN;
    ix_stmt *load =
        ix_stmt_at(j->u, IX_STMT_LOAD, row_element(j, o, NULL), NULL);
    load->prefix = 't';
    load->number = j->k->nvalues++;
    load->dtype = o->by->dtype;
    *r->tail = load;
    r->tail = &load->next;
    if (!ix_map_set(&r->s->memo, &j->u->ctx->mem, x,
                    (size_t)ix_value_of(j->u, load)))
        ix_fail_memory(&j->u->ctx->error);
    return IX_WALK_OVER;
}

static bool
read_operand(void *user, ilex_array *x)
{
    reading *r = user;
    return ix_walk_body(&r->walk, x, NULL);
}

static bool
read_for_stmt(void *user, ix_stmt *s)
{
    return ix_stmt_exprs(s, read_operand, user);
}

static ix_stmt *of_point(jam *j, ix_substitution *s, const ix_stmt *x);

static ix_stmt *
list_of_point(jam *j, ix_substitution *s, const ix_stmt *list)
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
of_point(jam *j, ix_substitution *s, const ix_stmt *x)
{
    ix_stmt *t = ix_stmt_copy(j->u, x);
    const own *o = own_memory(j, x->mem);
    for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
        t->x[i] = ix_substitute(s, t->x[i]);
    if (o && o->row) {
        ix_element e = row_element(j, o, ix_first_operand(t, IX_INDICES));
        t = ix_stmt_with_group(j->u, t, IX_INDICES, 1, e.index);
        t->mem = o->row;
    }
    t->body = list_of_point(j, s, x->body);
    t->other = list_of_point(j, s, x->other);
    return t;
}

static ix_stmt *
group_of_point(jam *j, ix_stmt *const *group, size_t n)
{
    ix_substitution s = {
        .ctx = j->u->ctx, .became = ix_origin_keep, .user = j->u};
    ix_stmt *list = NULL;
    reading r = {.j = j, .s = &s, .tail = &list};
    r.walk = (ix_walk){
        .ctx = j->u->ctx, .mem = &j->mem, .enter = read_row, .user = &r};
    for (size_t i = 0; i < n; i++) {
        ix_stmt_exprs(group[i], read_operand, &r);
        ix_stmt_each(group[i]->body, read_for_stmt, &r);
        ix_stmt_each(group[i]->other, read_for_stmt, &r);
        *r.tail = of_point(j, &s, group[i]);
        r.tail = &(*r.tail)->next;
    }
    ix_walk_free(&r.walk);
    ix_substitution_free(&s);
    return list;
}

/* ---- distributing ---- */

typedef struct output {
    ix_stmt *first, **tail;
    ix_stmt **group; /* statements that wait for their loop over the points */
    size_t n, capacity;
} output;

static void
put(output *o, ix_stmt *s)
{
    *o->tail = s;
    o->tail = &s->next;
}

static void
gather(jam *j, output *o, ix_stmt *s)
{
    ix_arena_grow(&j->u->arena, &o->group, &o->capacity, o->n + 1,
                  sizeof *o->group);
    o->group[o->n++] = s;
}

/* The group that waits, in a loop over the points. */
static void
flush(jam *j, output *o)
{
    if (o->n) {
        ix_stmt *loop = ix_stmt_copy(j->u, j->loop);
        loop->body = group_of_point(j, o->group, o->n);
        put(o, loop);
    }
    for (size_t i = 0; i < o->n; i++)
        if (ix_stmt_defines(o->group[i]) && own_of(j, o->group[i]->number))
            own_of(j, o->group[i]->number)->stored =
                own_of(j, o->group[i]->number)->crosses;
    o->n = 0;
}

/* A row instead of what a point has of its own. */
static void
put_row(jam *j, output *out, own *o)
{
    int64_t extent = o->by->kind == IX_STMT_SCRATCH ? o->by->extent : 0;
    ix_stmt *row = ix_stmt_new(j->u, IX_STMT_SCRATCH, NULL);
    row->scratch = o->by->scratch == IX_SCRATCH_STACK ? IX_SCRATCH_STACK
                                                      : IX_SCRATCH_ARRAY;
    row->dtype = o->by->dtype;
    row->array = o->by->array;
    row->extent = (extent ? extent : 1) * j->points;
    row->prefix = o->by->kind == IX_STMT_SCRATCH ? o->by->prefix : 'a';
    row->number =
        o->by->kind == IX_STMT_SCRATCH ? o->by->number : j->k->nvalues++;
    o->row = row;
    o->stored = o->by->kind == IX_STMT_SCRATCH;
    put(out, row);
}

/* What defines something of a point, as far as it is not the row. */
static void
put_definition(jam *j, output *out, ix_stmt *s)
{
    own *o = own_of(j, s->number);
    bool memory = s->kind == IX_STMT_SCRATCH;
    ilex_array *value = memory ? ix_scratch_first(s) : ix_value_of(j->u, s);
    if (o->crosses)
        put_row(j, out, o);
    if (!o->crosses || !memory)
        gather(j, out, s);
    if (!o->crosses || !value)
        return;
    ix_element at =
        memory ? ix_element_scratch(s, NULL) : row_element(j, o, NULL);
    ix_stmt *first = ix_stmt_store(j->u, at, value);
    first->array = s->array;
    gather(j, out, first);
}

/* A stack's statement has the points itself. */
static void
put_stack(jam *j, output *out, const ix_stmt *s)
{
    int group =
        s->kind == IX_STMT_PUSH ? (int)IX_push_width : (int)IX_pop_width;
    flush(j, out);
    ix_stmt *t = ix_stmt_with_group(j->u, s, group, 1, &j->width);
    t->from = own_memory(j, s->from)->row;
    t->to = own_memory(j, s->to)->row;
    put(out, t);
}

static ix_stmt *distribute(jam *j, ix_stmt *list);

static void
put_stmt(jam *j, output *out, ix_stmt *s)
{
    if (descends(j, s)) {
        flush(j, out);
        ix_stmt *t = ix_stmt_copy(j->u, s);
        t->body = distribute(j, s->body);
        t->other = distribute(j, s->other);
        put(out, t);
    } else if (is_of_stack(s)) {
        put_stack(j, out, s);
    } else if (is_of_all_points(j, s)) {
        put(out, ix_stmt_copy(j->u, s));
    } else if (ix_stmt_defines(s)) {
        put_definition(j, out, s);
    } else {
        gather(j, out, s);
    }
}

static ix_stmt *
distribute(jam *j, ix_stmt *list)
{
    output out = {.tail = &out.first};
    for (ix_stmt *s = list; s; s = s->next)
        put_stmt(j, &out, s);
    flush(j, &out);
    return out.first;
}

/* ---- the loop ---- */

/* How many points there are at most; 0: that is not known. */
static int64_t
most_points(ilex_context *ctx, const ix_stmt *loop)
{
    int64_t most = 0;
    for (int i = 0; i < loop->n[IX_for_hi]; i++) {
        ilex_array *n = ix_index_fma(ctx, ix_operands(loop, IX_for_hi)[i], -1,
                                     ix_for_lo(loop));
        if (n->kind == IX_CONST && (most == 0 || n->attr[0] < most))
            most = n->attr[0];
    }
    return most;
}

/* How many there are, as an index expression. */
static ilex_array *
width_of(ilex_context *ctx, const ix_stmt *loop)
{
    ilex_array *w = ix_for_hi(loop);
    for (int i = 1; i < loop->n[IX_for_hi]; i++)
        w = ix_index_min(ctx, w, ix_operands(loop, IX_for_hi)[i]);
    return ix_index_fma(ctx, w, -1, ix_for_lo(loop));
}

static bool
is_no_stack(void *user, ix_stmt *s)
{
    (void)user;
    return !is_of_stack(s);
}

/* The loop's statements with their points inside, in its place. */
static ix_stmt *
jammed(jam *j)
{
    ilex_context *ctx = j->u->ctx;
    ix_stmt *let = NULL;
    j->width = width_of(ctx, j->loop);
    if (j->width->nops && !ix_stmt_each(j->loop->body, is_no_stack, NULL)) {
        let = ix_stmt_new(j->u, IX_STMT_LET, IX_OPERANDS({1, &j->width}));
        let->prefix = 'w';
        let->number = j->k->nvalues++;
        let->dtype = ILEX_I64;
        j->width = ix_value_of(j->u, let);
    }
    ix_stmt *list = distribute(j, j->loop->body);
    if (!let)
        return list;
    let->next = list;
    return let;
}

/* Why the points cannot move; otherwise it is planned how they do. */
static ix_refusal
look_at(jam *j)
{
    const ix_stmt *loop = j->loop;
    if (!loop->parallel)
        return ix_refuse(j->u, IX_REFUSAL_DISTANCE,
                         "its iterations depend on each other");
    if (loop->step != 1 || loop->n[IX_for_lo] != 1)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE, "it does not go one by one");
    ix_stmt_each(loop->body, note_own, j);
    plan(j, loop->body);
    if (!j->possible)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "there is no serial loop for its points to move past");
    if (!ix_stmt_each(loop->body, is_of_one, j))
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "lanes of several points are not folded together");
    return (ix_refusal){0};
}

static ix_refusal
begin(jam *j, ix_unit *u, const ix_cursor *c)
{
    *j = (jam){.u = u,
               .k = c->k,
               .loop = ix_cursor_loop(c),
               .mem = ix_arena_mem(&u->arena)};
    j->varies = (ix_walk){.ctx = u->ctx,
                          .mem = &j->mem,
                          .enter = enter_varies,
                          .leave = leave_varies,
                          .user = j};
    j->uses = (ix_walk){
        .ctx = u->ctx, .mem = &j->mem, .enter = enter_uses, .user = j};
    return look_at(j);
}

static void
end(jam *j)
{
    ix_walk_free(&j->varies);
    ix_walk_free(&j->uses);
}

bool
ix_loop_jams(ix_unit *u, const ix_cursor *c)
{
    jam j;
    ix_refusal refusal = begin(&j, u, c);
    end(&j);
    return refusal.class == IX_REFUSAL_NONE;
}

ix_refusal
ix_loop_jam(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    (void)d;
    jam j;
    ix_refusal refusal = begin(&j, u, c);
    j.points = most_points(u->ctx, j.loop);
    if (refusal.class == IX_REFUSAL_NONE && j.points <= 0)
        refusal = ix_refuse(u, IX_REFUSAL_SHAPE,
                            "no constant bounds its length: split it");
    if (refusal.class == IX_REFUSAL_NONE) {
        ix_stmt **at = c->at;
        j.point = ix_index_fma(u->ctx, ix_scalar_index(u->ctx, j.loop->number),
                               -1, ix_for_lo(j.loop));
        for (*at = jammed(&j); *at; at = &(*at)->next)
            ;
        *at = j.loop->next;
    }
    end(&j);
    return refusal;
}
