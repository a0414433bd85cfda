/* SPDX-License-Identifier: MIT
 *
 * fission K L: a reduction to one value becomes two kernels. The first one,
 * whose loop threads divide, stores what an iteration of L computes; the second
 * one is K, where the iteration reads that:
 *
 *     kernel k0                     kernel k0
 *         for q in [0, n)               for i in [0, n)
 *             ...                           ...
 *             p[ones(q)] = a                T[i] = a
 *             ...                   kernel k1
 *                                       for q in [0, n)
 *                                           p[ones(q)] = T[q]
 *                                           ...
 *
 * L is over chunks of the outermost axis or over its elements, maybe those of a
 * chunk: together they are all. As pass reduce leaves loops, iterations are
 * combined in memory that is defined beside L, and what one does up to there
 * follows from its index.
 */
#include "compiler/loop/distances.h"

typedef struct cut {
    ix_unit *u;
    ix_stmt *loop, *outside; /* L; it or the loop around */
    ilex_array *n;           /* the reduction */
    ix_stmt *at, **end;      /* where iterations are combined; it hangs there */
    ilex_array *value;       /* what one gives */
} cut;

/* ---- where ---- */

/* Is it a loop that is meant, and nothing stored before it? */
static bool
is_outermost(cut *x, const ix_cursor *c)
{
    const ix_variable *v = c->k->variable;
    const ix_stmt *loop = x->loop = ix_cursor_loop(c), *s = c->k->body;
    const ix_stmt *outside = x->outside = c->depth ? c->around[0] : x->loop;
    x->n = v[outside->number].reduction;
    if (c->k->box->rank > 0 || !x->n || ix_is_ranged(x->n) ||
        outside->kind != IX_STMT_FOR ||
        ix_variable_root(c->k, loop->number) != outside->number)
        return false;
    bool elements = v[loop->number].role == IX_VARIABLE_ELEMENT;
    bool chunks = v[outside->number].role == IX_VARIABLE_CHUNK;
    while (s != outside && !ix_stmt_is_output(s))
        s = s->next;
    return s == outside && c->depth <= chunks &&
           (elements ? x->n->interior->rank > 1 : chunks && !c->depth);
}

static bool
is_in(const ix_stmt *list, const ix_stmt *end, const ix_stmt *s)
{
    while (list != end && list != s)
        list = list->next;
    return list != end;
}

/* Finds where iterations are combined. */
static bool
find_value(cut *x, const ix_stmt *list)
{
    for (x->end = &x->loop->body; *x->end; x->end = &x->at->next) {
        x->at = *x->end;
        const ix_stmt *s = x->at->kind == IX_STMT_IF ? x->at->body : x->at;
        if ((s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE) &&
            is_in(list, x->loop, s->mem)) {
            x->value = s->x[0];
            return x->value->kind == IX_VALUE || x->value->kind == IX_OP;
        }
    }
    return false;
}

/* All iterations; NULL: there may be fewer for larger sizes. */
static const ix_domain *
box_of(const cut *x, const ix_kernel *k)
{
    ilex_context *ctx = x->u->ctx;
    ix_axis ax = *x->n->interior->ax;
    if (k->variable[x->loop->number].role == IX_VARIABLE_CHUNK) {
        const ix_lin *n = ix_chunk_count(ctx, &ax, ix_chunk_of(x->n, 0));
        ax = (ix_axis){.lo = ix_lin_const(ctx, 0), .hi = n};
    }
    return ax.hi ? ix_domain_new(ctx, 1, &ax) : NULL;
}

/* ---- the kernels ---- */

/* A loop over all iterations, which gets what they do up to where they are
 * combined. The first bounds of L are those of the axis or a chunk. */
static ix_stmt *
loop_of_parts(const cut *x, const ix_axis *ax, int buffer)
{
    ix_unit *u = x->u;
    ix_stmt *all = ix_stmt_copy(u, x->loop);
    ilex_array *i = ix_scalar_index(u->ctx, all->number);
    ix_set_operand(all, IX_for_lo, ix_index_lin(u->ctx, ax->lo));
    ix_set_operand(all, IX_for_hi, ix_index_lin(u->ctx, ax->hi));
    /* a run launches no kernel with an empty box */
    all->optional = all->n[IX_for_lo] + all->n[IX_for_hi] > 2;
    all->parallel = true;
    *x->end = ix_stmt_store(u, ix_element_of(buffer, 1, &i), x->value);
    (*x->end)->array = all->array;
    all->body = x->loop->body;
    return all;
}

static bool
is_unused(void *used, ix_stmt *s)
{
    const ix_stmt *made = ix_stmt_defines(s) ? s : s->to ? s->to : s->mem;
    return !made || !((const bool *)used)[made->number];
}

/* The axis gets number 0. */
static bool
is_other_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR || s->number > 0;
}

/* The statements of a list before the loop that it uses. */
static ix_stmt *
needed(const cut *x, ix_stmt *s, ix_stmt *loop, bool *used)
{
    if (s == x->outside) {
        ix_note_uses(x->u, loop, used, used);
        return NULL;
    }
    ix_stmt *behind = needed(x, s->next, loop, used);
    if (ix_stmt_each_in(s, is_unused, used))
        return behind;
    ix_stmt *copy = ix_stmt_copy(x->u, s);
    copy->body = s->body;
    copy->other = s->other;
    ix_note_uses(x->u, copy, used, used);
    copy->next = behind;
    return copy;
}

/* Does an iteration use what its chunk computes before it? */
static bool
uses_chunk(const cut *x, ix_stmt *loop, bool *used)
{
    bool uses = false;
    if (x->loop == x->outside)
        return false;
    ix_note_uses(x->u, loop, used, used);
    for (ix_stmt *s = x->outside->body; s != x->loop && !uses; s = s->next)
        uses = !ix_stmt_each_in(s, is_unused, used);
    return uses;
}

/* The kernel of the loop and of statements before it. Variables have the
 * numbers that they had, but for the loop's, an axis, and the one before. */
static ix_kernel *
kernel_of_parts(const cut *x, const ix_kernel *k, const ix_domain *box,
                ix_stmt *before, ix_stmt *loop)
{
    ix_unit *u = x->u;
    ix_kernel *parts = ix_unit_kernel(u, box, k->when);
    ilex_array *i = ix_scalar_index(u->ctx, 0);
    int n = (int)k->nvariables;
    for (int j = 1; j <= n; j++) {
        ix_variable v = k->variable[j % n];
        ix_kernel_part(u, parts, v.role, v.part_of ? v.part_of : n);
    }
    parts->nvalues = k->nvalues;
    parts->nests =
        ix_stmt_store(u, ix_element_of((int)u->nbuffers - 1, 1, &i), x->n);
    parts->nests->array = loop->array;
    if (loop->number)
        loop->body = ix_loop_put_index(u, loop->body, loop->number, i);
    loop->number = 0;
    parts->body = ix_stmt_clone(u, NULL, before);
    *ix_stmt_end(&parts->body) = loop;
    return parts;
}

ilex_array *
ix_reduction_of_parts(ix_unit *u, const ilex_array *n, const ix_domain *box,
                      int buffer)
{
    ilex_context *ctx = u->ctx;
    int first = (int)n->attr[1];
    ilex_array *r = ix_scalar_rindex(ctx, first);
    return ix_scalar_reduce_total(
        ctx, ix_reduction_of(n), (ilex_dtype)n->dtype, box, first,
        ix_scalar_load(ctx, u->buffer[buffer].dtype, buffer, 1, &r));
}

/* The kernel reads what is stored; as a nest it has the reduction of that. */
static void
read_parts(const cut *x, ix_kernel *k, const ix_domain *box, int buffer)
{
    ilex_context *ctx = x->u->ctx;
    ilex_dtype dtype = (ilex_dtype)x->value->dtype;
    ilex_array *i = ix_scalar_index(ctx, x->loop->number);
    ix_substitution s = {
        .ctx = ctx, .mem = &x->u->mem, .became = ix_made_keep, .user = x->u};
    ix_substitution_set(&s, x->n,
                        ix_reduction_of_parts(x->u, x->n, box, buffer));
    k->nests = ix_stmt_substitute(x->u, &s, k->nests);
    ix_substitution_forget(&s);
    ix_substitution_set(&s, x->value,
                        ix_scalar_load(ctx, dtype, buffer, 1, &i));
    x->loop->body = ix_stmt_substitute(x->u, &s, x->at);
    ix_substitution_free(&s);
    k->variable[x->outside->number].reduction = NULL;
    k->directed = true;
}

ix_refusal
ix_kernels_fission(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    ix_kernel *fold = ix_arena_new(&u->arena, sizeof *fold);
    cut x = {.u = u};
    ix_cursor c;
    ix_refusal r = ix_cursor_find(u, *k, d->loop[1], &c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (!is_outermost(&x, &c) ||
        !find_value(&x, c.depth ? x.outside->body : (*k)->body))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it is no loop over chunks, or elements of an "
                         "outermost axis, of a reduction to one value");
    const ix_domain *box = box_of(&x, *k);
    if (!box)
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "there may be fewer chunks for larger sizes");
    int buffer = ix_unit_temporary(u, box, (ilex_dtype)x.value->dtype);
    ix_stmt *loop = loop_of_parts(&x, box->ax, buffer);
    bool *used = ix_arena_new(&u->arena, (size_t)(*k)->nvalues + 1);
    ix_stmt *before = (*k)->body;
    while (before->kind == IX_STMT_SCRATCH)
        before = before->next;
    before = before == x.outside ? NULL : needed(&x, (*k)->body, loop, used);
    if (!ix_stmt_each(before, is_other_loop, NULL) ||
        uses_chunk(&x, loop, used)) {
        *x.end = x.at;
        u->nbuffers--;
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "an iteration uses what loops before it, or its "
                         "chunk, compute");
    }
    ix_kernel *parts = kernel_of_parts(&x, *k, box, before, loop);
    *fold = **k;
    read_parts(&x, fold, box, buffer);
    parts->next = fold;
    **k = *parts;
    ix_unit_number(u);
    return r;
}
