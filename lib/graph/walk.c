/* SPDX-License-Identifier: MIT
 *
 * The walk over a body.
 */
#include "lib/graph/walk.h"

#include "lib/graph/scalar.h"

/* A node whose operands are being visited. */
typedef struct ix_walk_entry {
    ilex_array *n;
    size_t first; /* where the values of its operands are */
    size_t value; /* its own, as enter left it */
    int next;     /* operand to visit */
    bool framed;  /* operand next-1 opened a frame */
} ix_walk_entry;

static const ix_mem *
memory(const ix_walk *w)
{
    return w->mem ? w->mem : &w->ctx->mem;
}

static bool
no_memory(ix_walk *w)
{
    return ix_fail_memory_false(&w->ctx->error);
}

/* The memo of the innermost frame that is open. */
static ix_map *
memo_of(ix_walk *w)
{
    if (w->ninner)
        return &w->inner[w->ninner - 1];
    return w->memo ? w->memo : &w->own;
}

/* ---- frames ---- */

/* Is operand "i" of "n" in a frame of its own? */
static bool
opens_frame(const ix_walk *w, const ilex_array *n, int i)
{
    if (n->kind == IX_REDUCE)
        return i == 0 && (w->frames & IX_WALK_REDUCTIONS);
    if (i > 0 && (w->frames & IX_WALK_BRANCHES) && ix_is_guard(n))
        return true;
    return (w->frames & IX_WALK_GUARDS) && i > 0 && n->kind == IX_OP &&
           ix_op_of(n) == IX_OP_WHERE && (n->ops[0]->flags & IX_HAS_CONDITION);
}

static bool
push_frame(ix_walk *w, const ilex_array *n, int i)
{
    const ix_mem *mem = memory(w);
    ix_frame *f = &w->frame;
    bool ok = ix_mem_grow(mem, &w->inner, &w->inner_capacity, w->ninner + 1,
                          sizeof *w->inner);
    if (n->kind == IX_REDUCE) {
        ok = ok && ix_mem_grow(mem, &f->reduce, &w->reduce_capacity,
                               (size_t)f->nreduce + 1, sizeof *f->reduce);
        if (ok)
            f->reduce[f->nreduce++] = n;
    } else if (w->frames & IX_WALK_GUARDS) {
        ok = ok && ix_mem_grow(mem, &f->guard, &w->guard_capacity,
                               (size_t)f->nguard + 1, sizeof *f->guard);
        if (ok)
            f->guard[f->nguard++] = (ix_guard){n->ops[0], i == 1};
    }
    if (!ok)
        return no_memory(w);
    w->inner[w->ninner++] = (ix_map){0};
    return true;
}

static void
pop_frame(ix_walk *w, const ilex_array *n)
{
    if (n->kind == IX_REDUCE)
        w->frame.nreduce--;
    else if (w->frames & IX_WALK_GUARDS)
        w->frame.nguard--;
    ix_map_free(&w->inner[--w->ninner], memory(w));
}

/* ---- nodes ---- */

/* Those of operands are for "leave" alone. */
static bool
push_value(ix_walk *w, size_t value)
{
    w->last = value;
    if (!w->leave)
        return true;
    if (!ix_mem_grow(memory(w), &w->value, &w->value_capacity, w->nvalues + 1,
                     sizeof *w->value))
        return no_memory(w);
    w->value[w->nvalues++] = value;
    return true;
}

/* The value of "n" is known: its user gets it. */
static bool
finish(ix_walk *w, const ilex_array *n, size_t value)
{
    if (!ix_map_set(memo_of(w), memory(w), n, value))
        return no_memory(w);
    return push_value(w, value);
}

/* Meets "n": takes what is remembered of it, or puts it on the stack. */
static bool
meet(ix_walk *w, ilex_array *n)
{
    size_t value = 0;
    if (w->within && !(n->flags & w->within))
        return push_value(w, 0);
    const size_t *known = ix_map_find(memo_of(w), n);
    if (known)
        return push_value(w, *known);
    ix_walk_step step = w->enter ? w->enter(w, n, &value) : IX_WALK_IN;
    if (step == IX_WALK_END)
        return false;
    if (step == IX_WALK_OVER || (n->nops == 0 && !w->leave))
        return finish(w, n, value);
    if (!ix_mem_grow(memory(w), &w->stack, &w->stack_capacity, w->depth + 1,
                     sizeof *w->stack))
        return no_memory(w);
    w->stack[w->depth++] =
        (ix_walk_entry){.n = n, .first = w->nvalues, .value = value};
    return true;
}

/* Visits the next operand of the node on top of the stack, or leaves it. */
static bool
step(ix_walk *w)
{
    ix_walk_entry *top = &w->stack[w->depth - 1];
    ilex_array *n = top->n;
    if (top->framed)
        pop_frame(w, n);
    top->framed = false;
    if (top->next < n->nops) {
        int i = top->next++;
        ilex_array *operand = n->ops[i];
        bool visited = !w->within || (operand->flags & w->within);
        if (visited && opens_frame(w, n, i)) {
            if (!push_frame(w, n, i))
                return false;
            top->framed = true;
        }
        return meet(w, operand);
    }
    size_t value = top->value, first = top->first;
    const size_t *operands = n->nops > 0 ? w->value + first : NULL;
    if (w->leave && !w->leave(w, n, operands, &value))
        return false;
    w->depth--;
    w->nvalues = first;
    return finish(w, n, value);
}

bool
ix_walk_body(ix_walk *w, const ilex_array *body, size_t *value)
{
    size_t depth = w->depth, values = w->nvalues;
    bool ok = meet(w, (ilex_array *)(uintptr_t)body);
    while (ok && w->depth > depth)
        ok = step(w);
    while (w->depth > depth) { /* it was ended */
        ix_walk_entry *top = &w->stack[--w->depth];
        if (top->framed)
            pop_frame(w, top->n);
    }
    if (ok && value)
        *value = w->last;
    w->nvalues = values;
    return ok;
}

void
ix_walk_forget(ix_walk *w)
{
    ix_map_clear(memo_of(w), memory(w));
}

void
ix_walk_free(ix_walk *w)
{
    if (!w->ctx && !w->mem) /* it did not begin */
        return;
    const ix_mem *mem = memory(w);
    ix_map_free(&w->own, mem);
    ix_mem_free(mem, w->stack);
    ix_mem_free(mem, w->value);
    ix_mem_free(mem, w->inner);
    ix_mem_free(mem, w->frame.reduce);
    ix_mem_free(mem, w->frame.guard);
    *w = (ix_walk){.ctx = w->ctx, .mem = w->mem};
}
