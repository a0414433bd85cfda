/* SPDX-License-Identifier: MIT
 *
 * Walks of users over graphs, and rewriting: every array once, operands first,
 * and a node over other operands is the same node otherwise.
 */
#include "ilex/graph.h"

#include <stdio.h>

#include "lib/build/build.h"
#include "lib/graph/annotation.h"
#include "lib/graph/order.h"
#include "lib/graph/repeats.h"

/* ---- roots ---- */

/* Lists what the roots reach; false after an error. */
static bool
order_roots(ix_order *o, const char *what, size_t count,
            ilex_array *const *roots)
{
    ilex_context *ctx = o->ctx;
    for (size_t i = 0; i < count; i++) {
        if (!roots || !roots[i] || roots[i]->ctx != ctx) {
            ix_poison_stranger(ctx, what, (int)i, roots ? roots[i] : NULL,
                               "root %zu", i);
            return false;
        }
        if (ix_is_poison(roots[i])) {
            ix_poison_again(ctx);
            return false;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!ix_order_from(o, roots[i]))
            return false;
    return true;
}

ilex_status
ilex_walk(ilex_context *ctx, size_t count, ilex_array *const *roots,
          ilex_visit visit, void *user)
{
    ix_order o = {.ctx = ctx};
    if (!visit)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "walk: there is no function to visit nodes with");
    bool ok = order_roots(&o, "walk", count, roots);
    ilex_status rc = ok ? ILEX_OK : ctx->error.code;
    for (size_t i = 0; ok && i < o.n; i++)
        ok = visit(user, o.array[i]) == 0;
    ix_order_free(&o);
    return rc;
}

/* ---- a node over other operands ---- */

/* Renumbers the loads of a body. */
static ilex_array *
renumber(void *user, ilex_array *load, ilex_array *const *index)
{
    const int *slot = user;
    return ix_scalar_load(load->ctx, (ilex_dtype)load->dtype,
                          slot[load->attr[0]], load->nops, index);
}

/* The lambda "n" that reads operand i as number slot[i] of "count". */
static ilex_array *
with_slots(ilex_array *n, int *slot, int count)
{
    ilex_context *ctx = n->ctx;
    ilex_array **ops = ix_mem_new(&ctx->mem, (size_t)count * sizeof *ops);
    if (!ops)
        return ix_poison_again(ctx);
    for (int i = 0; i < n->nops - 1; i++)
        ops[slot[i]] = n->ops[i + 1];
    ix_substitution s = {.ctx = ctx, .load = renumber, .user = slot};
    ilex_array *body = ix_substitute(&s, n->ops[0]);
    ilex_array *r =
        ix_node_lambda(ctx, n->interior, n->valid, body, count, ops);
    ix_substitution_free(&s);
    ix_mem_free(&ctx->mem, ops);
    return ix_with_env(r, n->env);
}

/* Arrays that became equal are read as one, as if "n" was built of them. */
static ilex_array *
merge_equal(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    int count = 0;
    int *slot = ix_mem_new(&ctx->mem, (size_t)n->nops * sizeof *slot);
    if (!slot)
        return ix_poison_again(ctx);
    for (int i = 0; i < n->nops - 1; i++) {
        int same = 0;
        while (n->ops[same + 1] != n->ops[i + 1])
            same++;
        slot[i] = same < i ? slot[same] : count++;
    }
    ilex_array *r = count < n->nops - 1 ? with_slots(n, slot, count) : n;
    ix_mem_free(&ctx->mem, slot);
    return r;
}

/* "n" over operands of the same dtypes and domains. */
static ilex_array *
with_array_operands(ilex_array *n, ilex_array *const *operands)
{
    ilex_context *ctx = n->ctx;
    int count = ix_operand_count(n);
    ilex_array **ops = ix_mem_new(&ctx->mem, (size_t)n->nops * sizeof *ops);
    if (!ops)
        return ix_poison_again(ctx);
    memcpy(ops, n->ops, (size_t)n->nops * sizeof *ops);
    memcpy(ops + ix_kind_infos[n->kind].first, operands,
           (size_t)count * sizeof *ops);
    ilex_array *r = ix_with_operands(n, ops);
    ix_mem_free(&ctx->mem, ops);
    return r != n && r->kind == IX_LAMBDA ? merge_equal(r) : r;
}

static const ix_signature *
signature_of(const ilex_array *n)
{
    const char *text = ix_node_text(n);
    return ix_signature_find(text, strlen(text));
}

/* Is "n" what the steps of a loop that ends by itself made of a stack? */
static bool
is_made_part(const ilex_array *n)
{
    if (n->kind != IX_LAMBDA || n->nops != 2 || n->ops[1]->kind != IX_RESULT)
        return false;
    const ilex_array *loop = n->ops[1]->ops[0];
    const ix_lin *length = ix_rank(n) ? n->interior->ax[0].hi : NULL;
    return loop->kind == IX_LOOP && ix_repeat_until(loop) && length &&
           length->n == 1 && n->ctx->param[length->t[0].param].mask;
}

/* The same, where the kind asks for more of its operands than dtypes and
 * domains. */
static ilex_array *
rebuild(ilex_array *n, ilex_array *const *operands, int count)
{
    ilex_context *ctx = n->ctx;
    bool same = true;
    for (int i = 0; i < count; i++)
        same &= operands[i] == ix_operand(n, i);
    if (same)
        return n;
    if (n->kind == IX_COMPRESS && operands[1] != n->ops[1])
        return ix_poison(
            ctx, "compress", 1, ILEX_E_UNSUPPORTED,
            "compress: the rewrite changes its mask, and with it how "
            "many elements there are; build it, and what uses it, "
            "anew");
    if (is_made_part(n))
        return ix_poison(
            ctx, "loop", -1, ILEX_E_UNSUPPORTED,
            "loop: the rewrite changes a loop that ends by itself, and with "
            "it how long a stack of it is; build it, and what uses it, anew, "
            "or stack `whole`");
    if (n->kind == IX_UPDATE)
        return ix_build_call(ctx, signature_of(n), operands, count, NULL);
    return with_array_operands(n, operands);
}

/* ---- what replaces a node ---- */

/* "the lambda of f64 on [I:n]", for messages. */
typedef struct node_text {
    char s[600];
} node_text;

static node_text
show(const ilex_array *n)
{
    node_text t;
    bool axes = ix_is_array(n) && n->interior && n->interior->rank > 0;
    snprintf(t.s, sizeof t.s, "the %s of %s on [%s]", ix_node_text(n),
             ilex_dtype_name((ilex_dtype)n->dtype),
             axes ? ix_domain_show(n->ctx, n->interior).s : "");
    return t;
}

/* Is "a" inside of "b", whose axes are the same? */
static bool
is_inside(ilex_context *ctx, const ix_domain *a, const ix_domain *b)
{
    bool inside = true;
    for (int k = 0; a != b && inside && k < a->rank; k++)
        inside = ix_lin_le(ctx, b->ax[k].lo, a->ax[k].lo) == IX_YES &&
                 ix_lin_le(ctx, a->ax[k].hi, b->ax[k].hi) == IX_YES;
    return inside;
}

/* Can "r", an array, stand where "n" does? Poison if not. */
static ilex_array *
check_domains(const char *what, ilex_array *n, ilex_array *r)
{
    ilex_context *ctx = n->ctx;
    if (r->interior != n->interior)
        return ix_poison(ctx, what, -1, ILEX_E_SHAPE,
                         "%s: what replaces %s is on [%s]; it has to be on the "
                         "same domain, for example by ilex_restrict",
                         what, show(n).s, ix_domain_show(ctx, r->interior).s);
    const ix_env *proof = ix_proof_open(ctx);
    if (!is_inside(ctx, n->valid, r->valid))
        r = ix_poison(ctx, what, -1, ILEX_E_BOUNDS,
                      "%s: what replaces %s is known on [%s] only; that is "
                      "known, and may be read, on [%s]",
                      what, show(n).s, ix_domain_show(ctx, r->valid).s,
                      ix_domain_show(ctx, n->valid).s);
    return ix_proof_close(ctx, proof, r);
}

/* A number in place of an array fills its domain. */
static ilex_array *
fill(ilex_array *n, ilex_array *number)
{
    if (!ix_is_array(n) || ix_is_array(number))
        return number;
    return ix_node_lambda(n->ctx, n->interior, n->valid, number, 0, NULL);
}

/* "r", which the user gives for "n", as what stands in its place; poison after
 * an error. */
static ilex_array *
replacement(const char *what, ilex_array *n, ilex_array *r)
{
    ilex_context *ctx = n->ctx;
    if (r->ctx != ctx)
        return ix_poison_stranger(ctx, what, -1, r, "what replaces %s",
                                  show(n).s);
    if (r == n || ix_is_poison(r))
        return r;
    if (n->kind == IX_SCAN || n->kind == IX_FOREIGN)
        return ix_poison(
            ctx, what, -1, ILEX_E_ARGUMENT,
            "%s: nothing replaces a %s, which has several results; "
            "replace these",
            what, ix_node_text(n));
    if (ix_is_weak(r) && ix_literal_fits(r, (ilex_dtype)n->dtype))
        r = ix_scalar_cast(ctx, (ilex_dtype)n->dtype, r);
    if (r->dtype != n->dtype)
        return ix_poison(ctx, what, -1, ILEX_E_DTYPE,
                         "%s: what replaces %s is %s; convert it: %s(x)", what,
                         show(n).s, ilex_dtype_name((ilex_dtype)r->dtype),
                         ilex_dtype_name((ilex_dtype)n->dtype));
    r = fill(n, r);
    return ix_is_array(n) && !ix_is_poison(r) ? check_domains(what, n, r) : r;
}

/* ---- rewriting ---- */

typedef struct rewriting {
    const char *what;
    ilex_rewrite fn;
    void *user;
    ix_order order;
    ilex_array **became;   /* by number in the order */
    ilex_array **operands; /* of the node at work */
    size_t operand_capacity;
} rewriting;

/* Puts what the operands of "n" became into w->operands; how many, -1 without
 * memory. */
static int
take_operands(rewriting *w, const ilex_array *n)
{
    int count = ix_is_array(n) ? ix_operand_count(n) : 0;
    if (!ix_mem_grow(&n->ctx->mem, &w->operands, &w->operand_capacity,
                     (size_t)count + 1, sizeof(ilex_array *)))
        return -1;
    for (int i = 0; i < count; i++)
        w->operands[i] =
            w->became[*ix_map_find(&w->order.number, ix_operand(n, i))];
    return count;
}

/* What "n" becomes. */
static ilex_array *
rewrite_node(rewriting *w, ilex_array *n)
{
    int count = take_operands(w, n);
    if (count < 0)
        return ix_poison_again(n->ctx);
    ilex_array *r = w->fn(w->user, n, count, w->operands);
    return r ? replacement(w->what, n, r) : rebuild(n, w->operands, count);
}

/* From here on arrays are made where "n" is, if that is known. */
static void
enter_place(ilex_context *ctx, const ilex_array *n)
{
    if (ix_location_count(n) == 0)
        return;
    ix_location at = ix_location_get(n, 0);
    ilex_location(ctx, ix_symbol_text(ctx, at.file), at.line, at.column);
}

static bool
rewrite_all(rewriting *w)
{
    ilex_context *ctx = w->order.ctx;
    ix_error_place location = ctx->location;
    ix_location place = ctx->place;
    bool ok = true;
    w->became = ix_mem_new(&ctx->mem, (w->order.n + 1) * sizeof *w->became);
    if (!w->became)
        return false;
    for (size_t i = 0; ok && i < w->order.n; i++) {
        enter_place(ctx, w->order.array[i]);
        w->became[i] = rewrite_node(w, w->order.array[i]);
        ctx->location = location;
        ctx->place = place;
        ok = !ix_is_poison(w->became[i]);
    }
    if (!ok)
        ix_poison_again(ctx);
    return ok;
}

static ilex_status
map_graph(ilex_context *ctx, rewriting *w, size_t count,
          ilex_array *const *roots, ilex_array **results)
{
    w->order.ctx = ctx;
    bool ok = order_roots(&w->order, w->what, count, roots) && rewrite_all(w);
    ilex_status rc = ok ? ILEX_OK : ctx->error.code;
    for (size_t i = 0; i < count; i++)
        results[i] = ok ? w->became[*ix_map_find(&w->order.number, roots[i])]
                        : ctx->poison;
    ix_order_free(&w->order);
    ix_mem_free(&ctx->mem, w->became);
    ix_mem_free(&ctx->mem, w->operands);
    return rc;
}

ilex_status
ilex_map_graph(ilex_context *ctx, size_t count, ilex_array *const *roots,
               ilex_rewrite rewrite, void *user, ilex_array **results)
{
    rewriting w = {.what = "map_graph", .fn = rewrite, .user = user};
    if (count > 0 && !results)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "map_graph: there is no room for the results");
    if (rewrite)
        return map_graph(ctx, &w, count, roots, results);
    for (size_t i = 0; i < count; i++)
        results[i] = ctx->poison;
    return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                   "map_graph: there is no function to rewrite nodes with");
}

/* ---- substitution ---- */

typedef struct replaced {
    const ilex_array *from;
    ilex_array *to;
} replaced;

static ilex_array *
replace(void *user, ilex_array *node, int count, ilex_array *const *operands)
{
    const replaced *r = user;
    (void)count, (void)operands;
    return node == r->from ? r->to : NULL;
}

ilex_array *
ilex_substitute(ilex_array *x, ilex_array *from, ilex_array *to)
{
    replaced r = {from, to};
    rewriting w = {.what = "substitute", .fn = replace, .user = &r};
    if (!x || ix_is_poison(x))
        return x;
    if (!from || !to)
        return ix_poison(x->ctx, "substitute", from ? 2 : 1, ILEX_E_ARGUMENT,
                         "substitute: %s is NULL",
                         from ? "what to put in its place"
                              : "what to look for");
    if (from->ctx != x->ctx)
        return ix_poison_stranger(x->ctx, "substitute", 1, from,
                                  "what to look for");
    ilex_array *result;
    map_graph(x->ctx, &w, 1, &x, &result);
    return result;
}
