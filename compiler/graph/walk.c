/* SPDX-License-Identifier: MIT
 *
 * Walks over array graphs with explicit work lists, and over bodies.
 */
#include "compiler/unit.h"
#include "lib/build/foreign.h"

/* A node on the work list; "next" operand to visit. */
typedef struct frame_entry {
    ilex_array *n;
    int next;
} frame_entry;

typedef struct order_walk {
    ix_unit *u;
    ix_mem mem; /* of the unit's arena */
    frame_entry *stack;
    size_t depth, stack_capacity, order_capacity;
} order_walk;

/* What is on the list but not in order yet is among the users of what is
 * visited, which never meets it. */
static void
push(order_walk *w, ilex_array *n)
{
    if (!ix_is_array(n) || ix_unit_position(w->u, n) != SIZE_MAX)
        return;
    ix_mem_grow(&w->mem, &w->stack, &w->stack_capacity, w->depth + 1,
                sizeof *w->stack);
    w->stack[w->depth++] = (frame_entry){n, 0};
}

static void
walk_from(order_walk *w, ilex_array *root)
{
    ix_unit *u = w->u;
    push(w, root);
    while (w->depth) {
        frame_entry *top = &w->stack[w->depth - 1];
        if (top->next < top->n->nops) {
            push(w, top->n->ops[top->next++]);
            continue;
        }
        ix_mem_grow(&w->mem, &u->order, &w->order_capacity, u->norder + 1,
                    sizeof *u->order);
        top->n->position = (uint32_t)u->norder;
        u->order[u->norder++] = top->n;
        w->depth--;
    }
}

void
ix_unit_begin(ix_unit *u)
{
    u->layout = u->layout ? u->layout : "C";
    ix_arena_init(&u->arena, &u->ctx->mem);
    u->mem = ix_arena_mem(&u->arena);
}

void
ix_unit_order(ix_unit *u)
{
    order_walk w = {.u = u, .mem = ix_arena_mem(&u->arena)};
    ix_mem_free(&w.mem, u->order);
    u->order = NULL;
    u->norder = 0;
    for (size_t i = 0; i < u->nroots; i++)
        walk_from(&w, u->root[(i + u->noutputs) % u->nroots]);
    ix_mem_free(&w.mem, w.stack);
    ix_unit_gather(u);
}

/* What an operand became. */
static ilex_array *
replaced(const ix_unit *u, ilex_array *x, ilex_array *const *became)
{
    return ix_is_array(x) ? became[ix_unit_position(u, x)] : x;
}

/* Replaces operands by what they became. */
static ilex_array *
replace_operands(ix_unit *u, ilex_array *n, ilex_array *const *became)
{
    bool same = true;
    for (int i = 0; same && i < n->nops; i++)
        same = replaced(u, n->ops[i], became) == n->ops[i];
    if (same)
        return n;
    ilex_array **ops = ix_mem_new(&u->mem, (size_t)n->nops * sizeof *ops);
    for (int i = 0; i < n->nops; i++)
        ops[i] = replaced(u, n->ops[i], became);
    n = ix_with_operands(n, ops);
    ix_mem_free(&u->mem, ops);
    return n;
}

/* What replaces an array is called like it. */
static void
inherit_label(ix_unit *u, const ilex_array *old, const ilex_array *now)
{
    size_t *label = old == now ? NULL : ix_map_find(&u->label, old);
    if (label && !ix_map_find(&u->label, now))
        ix_map_set(&u->label, &u->mem, now, *label);
}

const ilex_array *
ix_unit_program(const ix_unit *u, const ilex_array *n)
{
    const size_t *at = ix_map_find(&u->program, n);
    return at ? (const ilex_array *)*at : n;
}

/* What replaces an array was made of it. */
static void
inherit_program(ix_unit *u, const ilex_array *old, const ilex_array *now)
{
    if (now != old && !ix_map_find(&u->program, now))
        ix_map_set(&u->program, &u->mem, now, (size_t)ix_unit_program(u, old));
}

const ilex_array *
ix_unit_source(const ix_unit *u, const ilex_array *n)
{
    const ilex_array *x = ix_unit_program(u, n);
    const size_t *whole = ix_map_find(&u->intermediate, x);
    return whole ? (const ilex_array *)*whole : x;
}

/* Arrays that a rewrite of "old" made for its result belong to it. */
static void
note_intermediate(ix_unit *u, const ilex_array *old, const ilex_array *now)
{
    for (int i = 0; i < now->nops; i++) {
        const ilex_array *x = now->ops[i];
        if (!ix_is_array(x) || ix_unit_position(u, x) != SIZE_MAX ||
            ix_map_find(&u->program, x) || ix_map_find(&u->intermediate, x))
            continue;
        ix_map_set(&u->intermediate, &u->mem, x,
                   (size_t)ix_unit_source(u, old));
        note_intermediate(u, old, x);
    }
}

bool
ix_unit_rewrite(ix_unit *u, ix_rewrite_fn fn, void *user)
{
    ix_unit_order(u);
    ilex_array **became = ix_mem_new(&u->mem, (u->norder + 1) * sizeof *became);
    bool changed = false;
    for (size_t i = 0; i < u->norder; i++) {
        ilex_array *n = replace_operands(u, u->order[i], became);
        became[i] = ix_is_poison(n) ? n : ix_with_env(fn(u, user, n), n->env);
        if (ix_is_poison(became[i]))
            return false;
        if (became[i] == u->order[i])
            continue;
        changed = true;
        inherit_label(u, u->order[i], became[i]);
        inherit_program(u, u->order[i], became[i]);
        note_intermediate(u, u->order[i], became[i]);
    }
    for (size_t i = 0; i < u->nroots; i++)
        u->root[i] = became[ix_unit_position(u, u->root[i])];
    ix_mem_free(&u->mem, became);
    u->changed |= changed;
    if (changed)
        ix_unit_order(u);
    return true;
}

int
ix_unit_buffer(ix_unit *u, ix_buffer b)
{
    ix_arena_grow(&u->arena, &u->buffer, &u->buffer_capacity, u->nbuffers + 1,
                  sizeof *u->buffer);
    u->buffer[u->nbuffers] = b;
    return (int)u->nbuffers++;
}

int64_t
ix_box_bytes(const ix_unit *u, const ix_domain *box, ilex_dtype dtype)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(dtype);
    for (int d = 0; d < box->rank; d++) {
        const ix_axis *ax = &box->ax[d];
        const ix_lin *n = ix_lin_try_fma(u->ctx, ax->hi, -1, ax->lo);
        if (!n || n->n > 0 || !ix_mul(bytes, n->c, &bytes))
            return -1;
    }
    return bytes;
}

int
ix_unit_temporary(ix_unit *u, const ix_domain *box, ilex_dtype dtype)
{
    return ix_unit_buffer(u, (ix_buffer){.role = IX_ROLE_TEMP,
                                         .name = "",
                                         .dtype = dtype,
                                         .interior = box,
                                         .box = box,
                                         .whole = box,
                                         .inplace = -1});
}

ilex_array *
ix_unit_load(ix_unit *u, int buffer)
{
    const ix_buffer *b = &u->buffer[buffer];
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < b->box->rank; k++)
        index[k] = ix_scalar_index(u->ctx, k);
    return ix_scalar_load(u->ctx, b->dtype, buffer, b->box->rank, index);
}

void
ix_unit_stage(ix_unit *u, ix_stage stage)
{
    ix_arena_grow(&u->arena, &u->stage, &u->stage_capacity, u->nstages + 1,
                  sizeof *u->stage);
    size_t bytes = (size_t)stage.count * sizeof *stage.buffer;
    stage.buffer = memcpy(ix_arena_new(&u->arena, bytes), stage.buffer, bytes);
    stage.when = u->now;
    u->stage[u->nstages++] = stage;
}

ix_stage *
ix_unit_store(ix_unit *u, int buffer, const ix_domain *box, ilex_array *value,
              const ilex_array *array)
{
    ix_unit_stage(u, (ix_stage){.kind = IX_STAGE_PLAIN,
                                .buffer = &buffer,
                                .count = 1,
                                .box = box,
                                .body = value,
                                .levels.axis = -1,
                                .array = array});
    return &u->stage[u->nstages - 1];
}

void
ix_unit_call(ix_unit *u, ix_foreign_call *call)
{
    ix_arena_grow(&u->arena, &u->call, &u->call_capacity, u->ncalls + 1,
                  sizeof *u->call);
    call->counts = u->now.counts;
    u->call[u->ncalls++] = call;
    u->now.calls++;
}

int
ix_unit_function(ix_unit *u, const ilex_array *apply)
{
    for (size_t i = 0; i < u->nfunctions; i++)
        if (ix_foreign_name(u->function[i]) == ix_foreign_name(apply))
            return (int)i;
    ix_arena_grow(&u->arena, &u->function, &u->function_capacity,
                  u->nfunctions + 1, sizeof *u->function);
    u->function[u->nfunctions] = apply;
    return (int)u->nfunctions++;
}

int
ix_unit_check(ix_unit *u, int buffer, const ilex_array *checked)
{
    ix_checked_what what = ix_checked_what_of(checked);
    const ilex_array *value = checked->ops[what == IX_CHECKED_FROM_END ? 3 : 0];
    while (value->kind == IX_CAST)
        value = value->ops[0];
    ix_check c = {what, buffer,
                  value->kind == IX_LOAD ? (int)value->attr[0] : -1,
                  (int)checked->attr[0]};
    for (size_t i = 0; i < u->nchecks; i++)
        if (u->check[i].what == c.what && u->check[i].buffer == c.buffer &&
            u->check[i].source == c.source && u->check[i].axis == c.axis)
            return (int)i;
    ix_arena_grow(&u->arena, &u->check, &u->check_capacity, u->nchecks + 1,
                  sizeof *u->check);
    u->check[u->nchecks] = c;
    return (int)u->nchecks++;
}

/* ---- loads ---- */

static ix_walk_step
visit_load(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_load_visitor *v = w->user;
    (void)value;
    if (n->kind != IX_LOAD)
        return IX_WALK_IN;
    v->frame = w->frame;
    if (!v->fn(v, n))
        return IX_WALK_END;
    return n->flags & IX_HAS_CHECK ? IX_WALK_IN : IX_WALK_OVER;
}

bool
ix_visit_loads(ix_load_visitor *v, const ilex_array *body)
{
    ix_walk *w = &v->walk;
    w->ctx = v->ctx;
    w->mem = v->mem;
    w->frames = IX_WALK_REDUCTIONS;
    w->within = IX_HAS_LOAD;
    w->frame.box = v->frame.box;
    w->enter = visit_load;
    w->user = v;
    bool ok = ix_walk_body(w, body, NULL);
    v->frame = (ix_frame){.box = w->frame.box};
    ix_walk_forget(w);
    return ok;
}

void
ix_visit_end(ix_load_visitor *v)
{
    ix_walk_free(&v->walk);
}
