/* SPDX-License-Identifier: MIT
 *
 * Domains: products of half-open ranges, one per axis, bounds linear in the
 * size parameters.
 */
#include <stdio.h>

#include "lib/graph/lin.h"

typedef struct domain_key {
    int rank;
    const ix_axis *ax;
} domain_key;

static bool
domain_equal(const void *item, const void *key)
{
    const ix_domain *dom = item;
    const domain_key *want = key;
    if (dom->rank != want->rank)
        return false;
    for (int k = 0; k < dom->rank; k++)
        if (dom->ax[k].name != want->ax[k].name ||
            dom->ax[k].lo != want->ax[k].lo || dom->ax[k].hi != want->ax[k].hi)
            return false;
    return true;
}

const ix_domain *
ix_domain_new(ilex_context *ctx, int rank, const ix_axis *ax)
{
    uint64_t hash = ix_mix(11, (uint64_t)rank);
    for (int k = 0; k < rank; k++) {
        if (!ax[k].lo || !ax[k].hi)
            return NULL;
        hash = ix_mix(hash, ctx->symbol[ax[k].name]->hash);
        hash = ix_mix(ix_mix(hash, ax[k].lo->hash), ax[k].hi->hash);
    }
    domain_key key = {rank, ax};
    ix_domain *dom = ix_table_find(&ctx->domains, hash, &key, domain_equal);
    if (dom)
        return dom;
    size_t bytes = (size_t)rank * sizeof *ax;
    dom = ix_table_keep(&ctx->domains, &ctx->mem, hash,
                        ix_mem_new(&ctx->mem, sizeof *dom + bytes));
    if (!dom)
        return NULL;
    dom->hash = hash;
    dom->rank = rank;
    if (bytes)
        memcpy(dom->ax, ax, bytes);
    return dom;
}

int
ix_domain_find(const ix_domain *dom, int32_t name)
{
    for (int k = 0; k < dom->rank; k++)
        if (dom->ax[k].name == name)
            return k;
    return -1;
}

int
ix_domain_axis(const ilex_context *ctx, const ix_domain *dom, const char *name,
               size_t length)
{
    const char *names[ILEX_MAX_RANK];
    int d = dom ? dom->rank : 0;
    for (int k = 0; k < d; k++)
        names[k] = ix_symbol_text(ctx, dom->ax[k].name);
    return ix_axis_find(d, names, name, length);
}

ix_suggestion_text
ix_domain_suggest(const ilex_context *ctx, const ix_domain *dom,
                  const char *name, size_t length)
{
    ix_suggestion s = ix_suggest(name, length);
    for (int k = 0; dom && k < dom->rank; k++) {
        const char *axis = ix_symbol_text(ctx, dom->ax[k].name);
        ix_suggest_name(&s, axis, strlen(axis));
    }
    return ix_suggestion_show(&s);
}

const ix_lin *
ix_axis_extent(ilex_context *ctx, const ix_axis *ax)
{
    return ix_lin_sub(ctx, ax->hi, ax->lo);
}

void
ix_domain_print(const ilex_context *ctx, const ix_domain *dom, ix_text *t)
{
    for (int k = 0; k < dom->rank; k++) {
        const ix_axis *ax = &dom->ax[k];
        if (k)
            ix_text_put(t, ", ");
        if (ax->name)
            ix_text_format(t, "%s:", ix_symbol_text(ctx, ax->name));
        if (!ix_lin_is(ax->lo, 0)) {
            ix_lin_print(ctx, ax->lo, t);
            ix_text_char(t, ':');
        }
        ix_lin_print(ctx, ax->hi, t);
    }
}

size_t
ix_domain_copy(const ilex_context *ctx, const ix_domain *dom, char *text,
               size_t size)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    if (dom)
        ix_domain_print(ctx, dom, &t);
    const char *s = ix_text_string(&t);
    size_t n = s ? t.length : 0;
    if (size > 0) {
        size_t copied = n < size ? n : size - 1;
        if (copied)
            memcpy(text, s, copied);
        text[copied] = 0;
    }
    ix_text_free(&t);
    return n;
}

ix_domain_text
ix_domain_show(ilex_context *ctx, const ix_domain *dom)
{
    ix_domain_text r = {""};
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_domain_print(ctx, dom, &t);
    const char *s = ix_text_string(&t);
    snprintf(r.s, sizeof r.s, "%s", s ? s : "?");
    ix_text_free(&t);
    return r;
}
