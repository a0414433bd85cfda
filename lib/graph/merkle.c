/* SPDX-License-Identifier: MIT
 *
 * Merkle hashes: a node's kind, dtype, domains, assumptions and attributes, and
 * the hashes of its operands in order.
 */
#include "lib/graph/merkle.h"

#include <stdlib.h>

#include "lib/graph/scalar.h"

/* A node that is being visited and its next operand. */
typedef struct ix_merkle_place {
    ilex_array *node;
    int next;
} ix_merkle_place;

/* ---- sizes that occur ---- */

static void
mark_form(bool *size, const ix_lin *a)
{
    for (int32_t i = 0; i < a->n; i++)
        size[a->t[i].param] = true;
}

static void
mark_domain(bool *size, const ix_domain *dom)
{
    for (int k = 0; dom && k < dom->rank; k++) {
        mark_form(size, dom->ax[k].lo);
        mark_form(size, dom->ax[k].hi);
    }
}

static void
mark_node(bool *size, const ilex_array *n)
{
    mark_domain(size, n->interior);
    if (n->valid != n->interior)
        mark_domain(size, n->valid);
    if (n->kind == IX_SIZE)
        size[n->attr[0]] = true;
}

/* ---- parts ---- */

static void
hash_form(ilex_context *ctx, ix_digester *d, const ix_lin *a)
{
    ix_term term[IX_LIN_TERMS];
    ix_lin_by_name(ctx, a, term);
    ix_digest_number(d, (uint64_t)a->c);
    ix_digest_number(d, (uint64_t)a->n);
    for (int32_t i = 0; i < a->n; i++) {
        ix_digest_text(d, ix_param_key(ctx, term[i].param));
        ix_digest_number(d, (uint64_t)term[i].k);
    }
}

/* The hash of a domain, which keeps it: many nodes have the same one. */
static void
hash_domain(ilex_context *ctx, ix_digester *d, const ix_domain *domain)
{
    ix_domain *dom = (ix_domain *)(uintptr_t)domain;
    ix_digest_number(d, dom ? (uint64_t)dom->rank + 1 : 0);
    if (!dom)
        return;
    if (!dom->hashed) {
        ix_digester own = {.length = 0};
        for (int k = 0; k < dom->rank; k++) {
            ix_digest_text(&own, ix_symbol_text(ctx, dom->ax[k].name));
            hash_form(ctx, &own, dom->ax[k].lo);
            hash_form(ctx, &own, dom->ax[k].hi);
        }
        dom->merkle = ix_digest_end(&own);
        dom->hashed = true;
    }
    ix_digest_add(d, &dom->merkle);
}

void
ix_merkle_env(ix_digester *d, const ix_env *env)
{
    ix_digest_number(d, (uint64_t)ix_env_count(env));
    for (int32_t i = 0; i < ix_env_count(env); i++)
        ix_digest_text(d, env->item[i]->key);
}

/* The number of a leaf, wrapped data or what a loop carries: how many of its
 * kind were met before it. */
static uint64_t
number_leaf(ix_merkle *w, const ilex_array *n)
{
    ix_map *numbers = n->kind == IX_DATA ? &w->data : &w->carried;
    const size_t *known = ix_map_find(numbers, n);
    if (known)
        return *known;
    size_t number = numbers->count;
    if (!ix_map_set(numbers, &w->ctx->mem, n, number))
        ix_fail_memory(&w->ctx->error);
    return number;
}

/* Attributes; those that are numbers of the context by what they stand for. */
static void
hash_attributes(ix_merkle *w, ix_digester *d, const ilex_array *n)
{
    bool foreign = n->kind == IX_FOREIGN || n->kind == IX_APPLY;
    int first = n->kind == IX_SELF || foreign || n->kind == IX_CARRIED ? 2 : 1;
    ilex_context *ctx = w->ctx;
    if (n->kind == IX_INPUT)
        ix_digest_text(d, ix_symbol_text(ctx, (int32_t)n->attr[0]));
    else if (n->kind == IX_SIZE || n->kind == IX_LOOP)
        ix_digest_text(d, ix_param_key(ctx, (int32_t)n->attr[0]));
    else if (n->kind == IX_SELF) /* attr 0 is a number of the context too */
        ix_digest_text(d, ix_symbol_text(ctx, (int32_t)n->attr[1]));
    else if (foreign) /* the declaration has its name */
        ix_digest_text(d, ix_symbol_text(ctx, (int32_t)n->attr[1]));
    else if (n->kind == IX_DATA || n->kind == IX_CARRIED)
        ix_digest_number(d, number_leaf(w, n));
    else if (n->kind == IX_OP)
        ix_digest_text(d, ix_op_info_of(ix_op_of(n))->name);
    else if (n->kind == IX_REDUCE)
        ix_digest_text(d, ix_reduction_info_of((ix_reduction)n->attr[0])->name);
    else
        first = n->kind == IX_UPDATE; /* the node's text has its operator */
    ix_digest_number(d, (uint64_t)n->nattr);
    for (int i = first; i < n->nattr && n->kind != IX_LINEAR; i++)
        ix_digest_number(d, (uint64_t)n->attr[i]);
}

/* ---- nodes ---- */

/* How far the hash of a node is known. */
enum {
    UNKNOWN,
    KNOWN,   /* it is in the node */
    NUMBERED /* it reaches data or what is carried, whose numbers are the
                program's */
};

static ix_digest
hash_of(const ix_merkle *w, const ilex_array *n)
{
    const size_t *at =
        n->merkle_state == NUMBERED ? ix_map_find(&w->seen, n) : NULL;
    return at && *at ? w->own[*at - 1]
                     : (ix_digest){{n->merkle[0], n->merkle[1]}};
}

/* A term of a sum, whose order is that of numbers of the context. */
typedef struct term {
    ix_digest atom;
    int64_t k;
} term;

static int
by_atom(const void *a, const void *b)
{
    const term *p = a, *q = b;
    return ix_digest_compare(&p->atom, &q->atom);
}

static void
hash_sum(const ix_merkle *w, ix_digester *d, const ilex_array *n)
{
    term t[IX_INDEX_ROOM];
    for (int i = 0; i < n->nops; i++)
        t[i] = (term){hash_of(w, n->ops[i]), n->attr[i + 1]};
    qsort(t, (size_t)n->nops, sizeof *t, by_atom);
    ix_digest_number(d, (uint64_t)n->attr[0]);
    for (int i = 0; i < n->nops; i++) {
        ix_digest_add(d, &t[i].atom);
        ix_digest_number(d, (uint64_t)t[i].k);
    }
}

/* The hash of a node whose operands have theirs. */
static ix_digest
digest(ix_merkle *w, const ilex_array *n)
{
    ix_digester d = {.length = 0};
    ix_digest_text(&d, ix_node_text(n));
    ix_digest_text(&d, ilex_dtype_name((ilex_dtype)n->dtype));
    hash_domain(w->ctx, &d, n->interior);
    hash_domain(w->ctx, &d, n->valid);
    ix_merkle_env(&d, n->env);
    hash_attributes(w, &d, n);
    ix_digest_number(&d, (uint64_t)n->nops);
    if (n->kind == IX_LINEAR) {
        hash_sum(w, &d, n);
        return ix_digest_end(&d);
    }
    for (int i = 0; i < n->nops; i++) {
        ix_digest part = hash_of(w, n->ops[i]);
        ix_digest_add(&d, &part);
    }
    return ix_digest_end(&d);
}

/* Keeps the hash where it belongs: in the node unless it reaches data. */
static bool
keep_hash(ix_merkle *w, ilex_array *n)
{
    const ix_mem *mem = &w->ctx->mem;
    ix_digest h = digest(w, n);
    bool numbered = n->kind == IX_DATA || n->kind == IX_CARRIED;
    for (int i = 0; i < n->nops; i++)
        numbered |= n->ops[i]->merkle_state == NUMBERED;
    n->merkle_state = numbered ? NUMBERED : KNOWN;
    size_t place = 0;
    if (!numbered) {
        n->merkle[0] = h.h[0];
        n->merkle[1] = h.h[1];
    } else if (ix_mem_grow(mem, &w->own, &w->own_capacity, w->nown + 1,
                           sizeof *w->own)) {
        w->own[w->nown++] = h;
        place = w->nown;
    } else {
        return false;
    }
    return (!numbered && !w->size) || ix_map_set(&w->seen, mem, n, place);
}

/* What is left to do for "n" once its operands are done. */
static bool
finish(ix_merkle *w, ilex_array *n)
{
    w->foreign |= n->kind == IX_FOREIGN || n->kind == IX_APPLY;
    if (w->size)
        mark_node(w->size, n);
    return n->merkle_state == KNOWN ? ix_map_set(&w->seen, &w->ctx->mem, n, 0)
                                    : keep_hash(w, n);
}

/* Is nothing left to do for "n"? */
static bool
done(const ix_merkle *w, const ilex_array *n)
{
    return n->merkle_state == KNOWN && !w->size
               ? true
               : ix_map_find(&w->seen, n) != NULL;
}

static bool
push(ix_merkle *w, ilex_array *n)
{
    if (!ix_mem_grow(&w->ctx->mem, &w->stack, &w->stack_capacity, w->depth + 1,
                     sizeof *w->stack))
        return false;
    w->stack[w->depth++] = (ix_merkle_place){n, 0};
    return true;
}

bool
ix_merkle_node(ix_merkle *w, ilex_array *n, ix_digest *hash)
{
    bool ok = done(w, n) || push(w, n);
    while (ok && w->depth > 0) {
        ix_merkle_place *top = &w->stack[w->depth - 1];
        ilex_array *at = top->node;
        if (top->next < at->nops) {
            ilex_array *operand = at->ops[top->next++];
            ok = done(w, operand) || push(w, operand);
        } else {
            w->depth--;
            ok = done(w, at) || finish(w, at);
        }
    }
    ok = ok && w->ctx->error.code != ILEX_E_MEMORY;
    if (!ok)
        ix_fail_memory(&w->ctx->error);
    *hash = ok ? hash_of(w, n) : (ix_digest){{0, 0}};
    return ok;
}

void
ix_merkle_free(ix_merkle *w)
{
    ix_map_free(&w->data, &w->ctx->mem);
    ix_map_free(&w->carried, &w->ctx->mem);
    ix_map_free(&w->seen, &w->ctx->mem);
    ix_mem_free(&w->ctx->mem, w->own);
    ix_mem_free(&w->ctx->mem, w->stack);
}
