/* SPDX-License-Identifier: MIT
 *
 * Which loop an array is in: sets of loops, a bit each, of what it depends on.
 */
#include "lib/graph/repeats.h"

#include "lib/graph/counted.h"

typedef struct finder {
    ix_repeats *l;
    const char *program;
    ix_map owner; /* of a CARRIED and of a step's bound: its loop */
    ix_map free;  /* of an array: the set of loops that it depends on */
    bool changed; /* one of these sets, in this pass */
} finder;

static bool
set_owner(finder *f, const void *key)
{
    const ix_repeats *l = f->l;
    return ix_map_find(&f->owner, key)
               ? ix_fail_false(&l->ctx->error, ILEX_E_ARGUMENT,
                               "program %s: two loops have one step or carry "
                               "one array; each has its own (ilex_loop_step, "
                               "ilex_loop_carry)",
                               f->program)
               : ix_map_set(&f->owner, l->mem, key, (size_t)l->n);
}

static bool
add_loop(finder *f, const ilex_array *n)
{
    ix_repeats *l = f->l;
    if (l->n == IX_REPEATS)
        return ix_fail_false(&l->ctx->error, ILEX_E_LIMIT,
                             "program %s has more than %d loops", f->program,
                             (int)IX_REPEATS);
    bool ok = set_owner(f, l->ctx->param[ix_repeat_step(n)].bound);
    for (int k = 0; ok && k < ix_repeat_carries(n); k++)
        ok = set_owner(f, ix_repeat_carried(n, k));
    l->loop[l->n++] = n;
    return ok;
}

/* Adds the loop of a carried array, or of the bound of a step. */
static bool
add_owner(finder *f, const void *key, const char *what, uint64_t *set)
{
    const size_t *loop = ix_map_find(&f->owner, key);
    if (!loop)
        return ix_fail_false(&f->l->ctx->error, ILEX_E_ARGUMENT,
                             "program %s: %s is used outside of the loop; use "
                             "what the loop gives",
                             f->program, what);
    *set |= (uint64_t)1 << *loop;
    return true;
}

static bool
add_steps(finder *f, const ilex_array *n, uint64_t *set)
{
    ilex_context *ctx = f->l->ctx;
    bool ok = true;
    for (int32_t i = 0; ok && i < ix_env_count(n->env); i++) {
        int32_t p = ix_counted_by(ctx, n->env->item[i]);
        ok = p < 0 || !ctx->param[p].steps ||
             add_owner(f, n->env->item[i], "the step of a loop", set);
    }
    return ok;
}

/* The array of which a counted size is how many elements are true, or that is
 * this number. */
static const ilex_array *
counted_in(const ix_repeats *l, int32_t size)
{
    for (size_t i = 0; i < l->ncounted; i++)
        if (l->counted[i] == size)
            return l->number[i];
    return l->ctx->param[size].mask;
}

/* Adds the loops in which sizes are counted that the array mentions: its
 * domain, and the first operands. */
static bool
add_counted(const finder *f, const ilex_array *n, int nops, uint64_t *set)
{
    ilex_context *ctx = f->l->ctx;
    const ix_env *env = NULL;
    const ix_node_spec spec = {.interior = n->interior,
                               .valid = n->valid,
                               .nops = nops,
                               .ops = n->ops};
    bool ok = ix_counted_bounds(ctx, &spec, &env);
    for (int32_t i = 0; ok && i < ix_env_count(env); i++) {
        int32_t p = ix_counted_by(ctx, env->item[i]);
        const ilex_array *x = p < 0 ? NULL : counted_in(f->l, p);
        const size_t *free = x ? ix_map_find(&f->free, x) : NULL;
        *set |= free ? *free : 0;
    }
    return ok;
}

/* The loops that "n" depends on, those that its operands do but its own. */
static bool
find_free(finder *f, const ilex_array *n)
{
    uint64_t set = 0;
    const ilex_array *x;
    bool ok =
        n->kind != IX_CARRIED || add_owner(f, n, "what a loop carries", &set);
    for (int i = 0; ok && (x = ix_operand(n, i)); i++)
        set |= *ix_map_find(&f->free, x);
    ok = ok && add_steps(f, n, &set) && add_counted(f, n, n->nops, &set);
    for (int i = 0; ok && n->kind == IX_LOOP && i < f->l->n; i++)
        if (f->l->loop[i] == n)
            set &= ~((uint64_t)1 << i);
    const size_t *was = ix_map_find(&f->free, n);
    f->changed |= was && *was != set;
    return ok && ix_map_set(&f->free, f->l->mem, n, set);
}

/* Of all, which may mention sizes that are counted in arrays further back. */
static bool
find_all_free(finder *f, ilex_array *const *array, size_t n)
{
    bool ok = true;
    do {
        f->changed = false;
        for (size_t i = 0; ok && i < n; i++)
            ok = find_free(f, array[i]);
    } while (ok && f->changed);
    return ok;
}

/* What a loop has from step to step, and what it gives, is as large in all
 * steps. */
static bool
check_lengths(const finder *f, int i)
{
    const ix_repeats *l = f->l;
    const ilex_array *n = l->loop[i];
    int carries = ix_repeat_carries(n), stacks = ix_repeat_stacks(n);
    uint64_t set = 0;
    bool ok = true;
    for (int k = 0; ok && k < carries + stacks; k++)
        ok = add_counted(f,
                         k < carries ? ix_repeat_carried(n, k)
                                     : ix_repeat_stacked(n, k - carries),
                         0, &set);
    return ok && set >> i & 1
               ? ix_fail_false(&l->ctx->error, ILEX_E_ARGUMENT,
                               "program %s: what a loop carries or stacks has "
                               "a length that is counted anew in each of its "
                               "steps",
                               f->program)
               : ok;
}

/* The innermost of a set, each of which is in the one before. */
static int
innermost(const ix_repeats *l, uint64_t set)
{
    int loop = -1;
    for (int i = 0; i < l->n; i++)
        if (set >> i & 1 && (loop < 0 || l->depth[i] > l->depth[loop]))
            loop = i;
    return loop;
}

/* Which loops are in others: those around them come later. */
static void
nest(finder *f)
{
    ix_repeats *l = f->l;
    for (int i = l->n; i-- > 0;) {
        l->around[i] = innermost(l, *ix_map_find(&f->free, l->loop[i]));
        l->depth[i] = l->around[i] < 0 ? 0 : l->depth[l->around[i]] + 1;
    }
}

/* Those of a list that has some. */
static bool
find(finder *f, ilex_array *const *array, size_t n)
{
    ix_repeats *l = f->l;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = array[i]->kind != IX_LOOP || add_loop(f, array[i]);
    ok = ok && find_all_free(f, array, n);
    for (int i = 0; ok && i < l->n; i++)
        ok = check_lengths(f, i);
    l->inside = ok ? ix_mem_new(l->mem, n * sizeof *l->inside) : NULL;
    if (!l->inside)
        return false;
    nest(f);
    for (size_t i = 0; i < n; i++)
        l->inside[i] = innermost(l, *ix_map_find(&f->free, array[i]));
    return true;
}

bool
ix_repeats_find(ix_repeats *l, const char *program, ilex_array *const *array,
                size_t n)
{
    finder f = {.l = l, .program = program};
    bool any = false;
    l->n = 0;
    l->inside = NULL;
    for (size_t i = 0; i < n && l->ctx->any_counted; i++)
        any |= array[i]->kind == IX_LOOP || array[i]->kind == IX_CARRIED ||
               array[i]->env;
    if (!any)
        return true;
    bool ok = find(&f, array, n);
    ix_map_free(&f.owner, l->mem);
    ix_map_free(&f.free, l->mem);
    if (!ok && l->ctx->error.code == ILEX_OK)
        ix_fail_memory(&l->ctx->error);
    if (l->n == 0)
        ix_repeats_free(l);
    return ok;
}

/* ---- order ---- */

typedef struct gatherer {
    ix_repeats *l;
    ilex_array *const *from;
    const int *inside;
    size_t n;
    ilex_array **to;
    int *to_inside;
    size_t done;
} gatherer;

/* The loop that a node is, or -1. */
static int
loop_of(const ix_repeats *l, const ilex_array *n)
{
    int i = n->kind == IX_LOOP ? l->n : 0;
    while (i-- > 0)
        if (l->loop[i] == n)
            return i;
    return -1;
}

/* Appends what loop "i" has inside, with what its loops have; -1: all. */
static void
gather(gatherer *g, int i)
{
    for (size_t k = 0; k < g->n; k++) {
        if (g->inside[k] != i)
            continue;
        int loop = loop_of(g->l, g->from[k]);
        if (loop >= 0)
            gather(g, loop);
        g->to_inside[g->done] = i;
        g->to[g->done++] = g->from[k];
    }
}

bool
ix_repeats_gather(ix_repeats *l, ilex_array **array, size_t n)
{
    if (!l->inside)
        return true;
    gatherer g = {.l = l, .from = array, .inside = l->inside, .n = n};
    g.to = ix_mem_new(l->mem, n * sizeof(ilex_array *));
    g.to_inside = ix_mem_new(l->mem, n * sizeof *g.to_inside);
    bool ok = g.to && g.to_inside;
    if (ok) {
        gather(&g, -1);
        memcpy(array, g.to, n * sizeof(ilex_array *));
        memcpy(l->inside, g.to_inside, n * sizeof *g.to_inside);
    }
    ix_mem_free(l->mem, g.to);
    ix_mem_free(l->mem, g.to_inside);
    return ok;
}

void
ix_repeats_free(ix_repeats *l)
{
    ix_mem_free(l->mem, l->inside);
    l->inside = NULL;
}
