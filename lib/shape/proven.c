/* SPDX-License-Identifier: MIT
 *
 * Accesses that are proven already, while a program is compiled. An entry holds
 * its nodes, so that no other one gets their addresses.
 */
#include "lib/graph/node.h"
#include "lib/shape/access.h"

/* Bounds memory: of a program with more accesses than that the rest is proven
 * whenever it is asked. */
enum { MOST_PROVEN = 1 << 15 };

typedef struct proven {
    ix_frame frame; /* the lists are behind the entry */
    const ilex_array *x;
    const ix_lin *lo, *hi;
    const ix_env *in_force, *bounds, *facts;
    const ix_env *need;
} proven;

static proven
key_of(const ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
       const ix_lin *lo, const ix_lin *hi)
{
    return (proven){*frame,        x,           lo,         hi,
                    ctx->in_force, ctx->bounds, ctx->facts, NULL};
}

static uint64_t
hash_of(const proven *p)
{
    const void *part[] = {p->x,        p->lo,     p->hi,   p->frame.box,
                          p->in_force, p->bounds, p->facts};
    uint64_t hash = 0;
    for (size_t i = 0; i < IX_COUNT(part); i++)
        hash = ix_mix(hash, (uintptr_t)part[i]);
    for (int i = 0; i < p->frame.nreduce; i++)
        hash = ix_mix(hash, (uintptr_t)p->frame.reduce[i]);
    for (int i = 0; i < p->frame.nguard; i++)
        hash = ix_mix(hash, (uintptr_t)p->frame.guard[i].condition);
    return hash;
}

static bool
frames_equal(const ix_frame *a, const ix_frame *b)
{
    bool equal =
        a->box == b->box && a->nreduce == b->nreduce && a->nguard == b->nguard;
    for (int i = 0; equal && i < a->nreduce; i++)
        equal = a->reduce[i] == b->reduce[i];
    for (int i = 0; equal && i < a->nguard; i++)
        equal = a->guard[i].condition == b->guard[i].condition &&
                a->guard[i].holds == b->guard[i].holds;
    return equal;
}

static bool
proven_equal(const void *item, const void *key)
{
    const proven *a = item, *b = key;
    return a->x == b->x && a->lo == b->lo && a->hi == b->hi &&
           a->in_force == b->in_force && a->bounds == b->bounds &&
           a->facts == b->facts && frames_equal(&a->frame, &b->frame);
}

static void
hold(const ilex_array *n)
{
    ix_node_retain((ilex_array *)n);
}

static void
let_go(const ilex_array *n)
{
    ix_node_release((ilex_array *)n);
}

static void
each_node(const proven *p, void (*fn)(const ilex_array *n))
{
    fn(p->x);
    for (int i = 0; i < p->frame.nreduce; i++)
        fn(p->frame.reduce[i]);
    for (int i = 0; i < p->frame.nguard; i++)
        fn(p->frame.guard[i].condition);
}

void
ix_proven_end(ilex_context *ctx)
{
    ix_table *table = ctx->proven;
    ctx->proven = NULL;
    for (size_t i = 0; i < table->capacity; i++) {
        proven *p = table->entries[i].item;
        if (p)
            each_node(p, let_go);
        ix_mem_free(&ctx->mem, p);
    }
    ix_table_free(table, &ctx->mem);
}

bool
ix_proven_find(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
               const ix_lin *lo, const ix_lin *hi)
{
    if (!ctx->proven)
        return false;
    const proven key = key_of(ctx, frame, x, lo, hi);
    const proven *p =
        ix_table_find(ctx->proven, hash_of(&key), &key, proven_equal);
    return p && ix_env_unite(ctx, &ctx->proof, p->need) == IX_YES;
}

void
ix_proven_add(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
              const ix_lin *lo, const ix_lin *hi, const ix_env *need)
{
    if (!ctx->proven || ctx->proven->count >= MOST_PROVEN)
        return;
    const proven key = key_of(ctx, frame, x, lo, hi);
    size_t guards = (size_t)frame->nguard * sizeof *frame->guard,
           reduces = (size_t)frame->nreduce * sizeof *frame->reduce;
    proven *p = ix_mem_new(&ctx->mem, sizeof *p + guards + reduces);
    if (!p)
        return;
    *p = key;
    p->need = need;
    p->frame.guard = (ix_guard *)(p + 1);
    p->frame.reduce = (const ilex_array **)((char *)(p + 1) + guards);
    if (guards)
        memcpy(p->frame.guard, frame->guard, guards);
    if (reduces)
        memcpy(p->frame.reduce, frame->reduce, reduces);
    if (ix_table_keep(ctx->proven, &ctx->mem, hash_of(p), p))
        each_node(p, hold);
}
