/* SPDX-License-Identifier: MIT
 *
 * Nodes: hash-consing, counting, iterative release.
 */
#include "lib/graph/node.h"

#include <limits.h>

#include "lib/graph/annotation.h"
#include "lib/graph/attributes.h"
#include "lib/graph/counted.h"
#include "lib/graph/scalar.h"

const ix_kind_info ix_kind_infos[IX_NKINDS] = {
#define IX_CLASS_array true
#define IX_CLASS_tuple true
#define IX_CLASS_scalar false
#define IX_OPERANDS_all 0, INT_MAX
#define IX_OPERANDS_none 0, 0
#define IX_OPERANDS_head 0, 1
#define IX_OPERANDS_four 0, 4
#define IX_OPERANDS_tail 1, INT_MAX
#define MANY INT_MAX
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, lower, meaning, attributes)                              \
    {text,  meaning, IX_CLASS_##class,  IX_OPERANDS_##operands,                \
     least, most,    IX_FORM_OF_##form, IX_ATTRIBUTES_##attributes},
#include "lib/graph/nodes.def"
};

ix_data_hooks ix_data;

const char *
ix_node_text(const ilex_array *n)
{
#define IX_COMBINES(function, OPERATOR)                                        \
    if (n->kind == IX_UPDATE && n->nattr && n->attr[0] == IX_OP_##OPERATOR)    \
        return #function;
#include "lib/graph/updates.def"
    return ix_kind_infos[n->kind].text;
}

/* ---- operands ---- */

int
ix_operand_count(const ilex_array *n)
{
    const ix_kind_info *info = &ix_kind_infos[n->kind];
    int last = info->last < n->nops ? info->last : n->nops;
    return last > info->first ? last - info->first : 0;
}

ilex_array *
ix_operand(const ilex_array *n, int i)
{
    return i < ix_operand_count(n) ? n->ops[ix_kind_infos[n->kind].first + i]
                                   : NULL;
}

/* ---- consing ---- */

static uint64_t
hash_spec(const ix_node_spec *s)
{
    uint64_t h = ix_mix(0, (uint64_t)s->kind << 8 | (uint64_t)s->dtype);
    h = s->interior ? ix_mix(h, s->interior->hash) : h;
    h = s->valid && s->valid != s->interior ? ix_mix(h, s->valid->hash) : h;
    h = s->env ? ix_mix(h, s->env->hash) : h;
    for (int i = 0; i < s->nops; i++)
        h = ix_mix(h, s->ops[i]->hash);
    for (int i = 0; i < s->nattr; i++)
        h = ix_mix(h, (uint64_t)s->attr[i]);
    return h;
}

static bool
node_equal(const void *item, const void *key)
{
    const ilex_array *n = item;
    const ix_node_spec *s = key;
    size_t ops = (size_t)s->nops * sizeof *s->ops;
    size_t attr = (size_t)s->nattr * sizeof *s->attr;
    return n->kind == s->kind && n->dtype == s->dtype && n->nops == s->nops &&
           n->nattr == s->nattr && n->interior == s->interior &&
           n->valid == s->valid && n->env == s->env && n->ext == s->ext &&
           (!ops || !memcmp(n->ops, s->ops, ops)) &&
           (!attr || !memcmp(n->attr, s->attr, attr));
}

/* Does a scalar itself, a size, the ranges of a reduction or those of a type,
 * mention a counted size? */
static bool
mentions_counted(const ilex_context *ctx, const ix_node_spec *s)
{
    bool found = s->kind == IX_SIZE && ix_is_counted(ctx, (int32_t)s->attr[0]);
    bool box = s->kind == IX_REDUCE || s->kind == IX_TYPE;
    for (int k = 0; box && k < s->interior->rank; k++) {
        const ix_axis *ax = &s->interior->ax[k];
        for (int32_t i = 0; i < ax->lo->n; i++)
            found |= ix_is_counted(ctx, ax->lo->t[i].param);
        for (int32_t i = 0; i < ax->hi->n; i++)
            found |= ix_is_counted(ctx, ax->hi->t[i].param);
    }
    return found;
}

/* What a node contains, from its kind and its operands. */
static unsigned
flags_of(const ilex_context *ctx, const ix_node_spec *s)
{
    unsigned f = s->kind == IX_SELF ? IX_HAS_SELF : 0u;
    bool array = ix_kind_infos[s->kind].array;
    for (int i = 0; i < s->nops; i++)
        f |= array ? s->ops[i]->flags & IX_HAS_SELF : s->ops[i]->flags;
    if (array)
        return f;
    f |= s->kind == IX_INDEX ? IX_HAS_INDEX : 0u;
    f |= s->kind == IX_CARRY ? IX_HAS_INDEX | IX_HAS_LOAD : 0u;
    f |= s->kind == IX_RINDEX ? IX_HAS_RINDEX : 0u;
    f |= s->kind == IX_LOAD ? IX_HAS_LOAD : 0u;
    f |= s->kind == IX_VALUE && s->attr[0] >= 0 ? IX_HAS_VALUE : 0u;
    f |= s->kind == IX_REDUCE ? IX_HAS_REDUCE : 0u;
    f |= s->kind == IX_CHECKED ? IX_HAS_CHECK : 0u;
    f |= s->kind == IX_CHECKED && !s->attr[1] ? IX_MAY_FAIL : 0u;
    f |= s->kind == IX_APPLY ? IX_HAS_APPLY : 0u;
    f |= ctx->any_counted && mentions_counted(ctx, s) ? IX_HAS_COUNTED : 0u;
    return f;
}

/* Operations on the longest way from a scalar to a leaf. */
static int
depth_of(const ix_node_spec *s)
{
    int depth = 0;
    if (ix_kind_infos[s->kind].array)
        return 0;
    for (int i = 0; i < s->nops; i++)
        depth = s->ops[i]->depth >= depth ? s->ops[i]->depth + 1 : depth;
    return depth;
}

static bool
check_depth(ilex_context *ctx, const ix_node_spec *s)
{
    if (depth_of(s) <= IX_BODY_DEPTH)
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_LIMIT,
                         "an expression without an array in between is nested "
                         "more than %d deep; sum over an array instead",
                         (int)IX_BODY_DEPTH);
}

static ilex_array *
allocate(ilex_context *ctx, const ix_node_spec *s)
{
    size_t ops = (size_t)s->nops * sizeof *s->ops;
    size_t attr = (size_t)s->nattr * sizeof *s->attr;
    ilex_array *n = ix_mem_new(&ctx->mem, sizeof *n + ops + attr);
    if (!n)
        return NULL;
    n->ctx = ctx;
    n->count = 1;
    n->kind = (uint8_t)s->kind;
    n->dtype = (uint8_t)s->dtype;
    n->flags = (uint16_t)flags_of(ctx, s);
    n->nops = (int16_t)s->nops;
    n->nattr = (int16_t)s->nattr;
    n->depth = (uint16_t)depth_of(s);
    n->interior = s->interior;
    n->valid = s->valid;
    n->env = s->env;
    n->ext = s->ext;
    n->attr = (int64_t *)(void *)(n->ops + s->nops);
    if (ops)
        memcpy(n->ops, s->ops, ops);
    if (attr)
        memcpy(n->attr, s->attr, attr);
    n->weight = (uint16_t)ix_index_weight(n);
    if (ix_is_index_condition(n))
        n->flags |= IX_HAS_CONDITION;
    else if (!ix_is_logic(n))
        n->flags &= (uint16_t)~IX_HAS_CONDITION;
    n->flags |= ix_is_guard(n) ? IX_HAS_GUARD : 0;
    return n;
}

void
ix_fail_skipped(ilex_context *ctx, const ilex_array *x)
{
    const ix_domain *mask = x->ops[1]->interior;
    const char *axis = ix_symbol_text(ctx, mask->ax[mask->rank - 1].name);
    ix_fail(&ctx->error, ILEX_E_SHAPE,
            "a field on [%s] has no value where the connectivity skips a "
            "neighbour; it goes through element-wise operators into a "
            "reduction, for example sum[%s](v), or gets a value there: "
            "remap(u, c; 0.0). Shift and restrict before remap",
            ix_domain_show(ctx, x->interior).s, axis);
}

/* Adds to the environment of an array what its operands rest on, what its
 * constructor has proved, and the bounds of sizes that have to be counted for
 * it. Scalars have none. */
static bool
complete_env(ilex_context *ctx, ix_node_spec *s)
{
    static const char what[] = "the operands of an array rest";
    if (!ix_kind_infos[s->kind].array)
        return true;
    bool ok = !ctx->proof || ix_env_join(ctx, what, &s->env, ctx->proof);
    for (int i = 0; ok && i < s->nops; i++)
        if (s->ops[i]->env && s->ops[i]->env != s->env)
            ok = ix_env_join(ctx, what, &s->env, s->ops[i]->env);
    ok = ok && (!ctx->any_counted || ix_counted_rests(ctx, s, &s->env));
    /* what holds in each step of a loop */
    return s->kind != IX_LOOP || !ok
               ? ok
               : ix_env_take(ctx, &s->env, ctx->param[s->attr[0]].bound);
}

/* Fields with skipped neighbours are read by those who take them apart. */
static bool
check_skipped(ilex_context *ctx, const ix_node_spec *s)
{
    const ilex_array *x = NULL;
    for (int i = 0; i < s->nops; i++)
        x = s->ops[i]->kind == IX_SKIPPED ? s->ops[i] : x;
    if (x)
        ix_fail_skipped(ctx, x);
    return !x;
}

/* Notes that there is one loop more of a step, or one less. */
static void
count_loop(ilex_array *n, int change)
{
    ix_param *step = &n->ctx->param[n->attr[0]];
    step->nloops += change;
    if (change > 0 && !step->loop)
        step->loop = n;
    else if (change < 0 && step->loop == n)
        step->loop = NULL;
}

ilex_array *
ix_node_make(ilex_context *ctx, const ix_node_spec *given)
{
    ix_node_spec complete = *given;
    const ix_node_spec *spec = &complete;
    if (!complete_env(ctx, &complete))
        return NULL;
    uint64_t hash = hash_spec(spec);
    ilex_array *n = ix_table_find(&ctx->nodes, hash, spec, node_equal);
    if (n)
        return ix_node_retain(n);
    if (!check_depth(ctx, spec) || !check_skipped(ctx, spec))
        return NULL;
    n = ix_table_keep(&ctx->nodes, &ctx->mem, hash, allocate(ctx, spec));
    if (!n)
        return NULL;
    n->hash = hash;
    if (n->kind == IX_LOOP)
        count_loop(n, 1);
    for (int i = 0; i < n->nops; i++)
        ix_node_retain(n->ops[i]);
    if (n->ext && ix_data.retain)
        ix_data.retain(n->ext);
    return n;
}

ilex_array *
ix_node_scoped(ilex_context *ctx, const ix_node_spec *spec)
{
    for (int i = 0; i < spec->nops; i++)
        if (!spec->ops[i] || ix_is_poison(spec->ops[i]))
            return ix_poison_again(ctx);
    ilex_array *n = ix_node_make(ctx, spec);
    if (!n)
        return ix_poison_again(ctx);
    bool recorded = ix_scope_record_array(ctx, n) &&
                    (!ctx->place.line || !ix_kind_infos[n->kind].array ||
                     ix_location_note(ctx, n));
    if (!recorded) {
        ix_node_release(n);
        return ix_poison_again(ctx);
    }
    ix_node_release(n); /* the scope holds it now */
    return n;
}

/* The description of "n" with other operands. */
static ix_node_spec
spec_of(const ilex_array *n, ilex_array *const *ops)
{
    return (ix_node_spec){.kind = (ix_kind)n->kind,
                          .dtype = (ilex_dtype)n->dtype,
                          .interior = n->interior,
                          .valid = n->valid,
                          .nops = n->nops,
                          .ops = ops,
                          .nattr = n->nattr,
                          .attr = n->attr,
                          .ext = n->ext,
                          .env = n->env};
}

ilex_array *
ix_with_env(ilex_array *n, const ix_env *env)
{
    ix_node_spec spec = spec_of(n, n->ops);
    if (ix_is_poison(n) || ix_env_within(env, n->env))
        return n;
    return ix_env_join(n->ctx, "an array rests", &spec.env, env)
               ? ix_node_scoped(n->ctx, &spec)
               : ix_poison_again(n->ctx);
}

ilex_array *
ix_with_operands(ilex_array *n, ilex_array *const *ops)
{
    ix_node_spec spec = spec_of(n, ops);
    bool same = true;
    for (int i = 0; i < n->nops; i++)
        same &= ops[i] == n->ops[i];
    return same ? n : ix_node_scoped(n->ctx, &spec);
}

ilex_array *
ix_with_interior(ilex_array *n, const ix_domain *interior)
{
    ix_node_spec spec = spec_of(n, n->ops);
    spec.interior = interior;
    return !interior                 ? ix_poison_again(n->ctx)
           : interior == n->interior ? n
                                     : ix_node_scoped(n->ctx, &spec);
}

ilex_array *
ix_node_lambda(ilex_context *ctx, const ix_domain *interior,
               const ix_domain *valid, ilex_array *body, int n,
               ilex_array *const *operands)
{
    if (!interior || !valid || ix_is_poison(body))
        return ix_poison_again(ctx);
    ilex_array **ops = ix_mem_new(&ctx->mem, ((size_t)n + 1) * sizeof *ops);
    if (!ops)
        return ix_poison_again(ctx);
    ops[0] = body;
    for (int i = 0; i < n; i++)
        ops[i + 1] = operands[i];
    ix_node_spec spec = {.kind = IX_LAMBDA,
                         .dtype = (ilex_dtype)body->dtype,
                         .interior = interior,
                         .valid = valid,
                         .nops = n + 1,
                         .ops = ops};
    ilex_array *r = ix_node_scoped(ctx, &spec);
    ix_mem_free(&ctx->mem, ops);
    return r;
}

/* ---- counting ---- */

ilex_array *
ix_node_retain(ilex_array *n)
{
    n->count++;
    return n;
}

/* Takes a dead node out of the table and pushes its operands' deaths on the
 * list threaded through "later". */
static ilex_array *
bury(ilex_array *n, ilex_array *list)
{
    ilex_context *ctx = n->ctx;
    ix_table_remove(&ctx->nodes, n->hash, n);
    if (n->kind == IX_LOOP)
        count_loop(n, -1);
    for (int i = 0; i < n->nops; i++)
        if (--n->ops[i]->count == 0) {
            n->ops[i]->later = list;
            list = n->ops[i];
        }
    if (n->ext && ix_data.release)
        ix_data.release(n->ext);
    if (n->annotated)
        ix_annotation_forget(n);
    ix_mem_free(&ctx->mem, n);
    return list;
}

void
ix_node_release(ilex_array *n)
{
    if (--n->count > 0)
        return;
    ilex_context *ctx = n->ctx;
    n->later = NULL;
    for (ilex_array *list = n; list;) {
        ilex_array *dead = list;
        list = bury(dead, dead->later);
    }
    if (ctx->orphans)
        ix_annotation_destroy(ctx);
}

bool
ix_node_make_poison(ilex_context *ctx)
{
    const ix_domain *dom = ix_domain_new(ctx, 0, NULL);
    ix_node_spec spec = {
        .kind = IX_POISON, .dtype = ILEX_BOOL, .interior = dom, .valid = dom};
    ctx->poison = dom ? ix_node_make(ctx, &spec) : NULL;
    return ctx->poison != NULL;
}

/* What the arrays wrap is the user's, and may end in the user's code. */
static void
release_data(ilex_context *ctx)
{
    for (size_t i = 0; i < ctx->nodes.capacity; i++) {
        ilex_array *n = ctx->nodes.entries[i].item;
        if (n && n->ext && ix_data.release)
            ix_data.release(n->ext);
    }
}

void
ix_node_free_all(ilex_context *ctx)
{
    release_data(ctx);
    ix_keep_end(ctx);
    ix_table_free(&ctx->nodes, &ctx->mem);
}
