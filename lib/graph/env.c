/* SPDX-License-Identifier: MIT
 *
 * Environments: interned assumptions, and interned sets of them.
 */
#include "lib/graph/env.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- assumptions ---- */

typedef struct assumption_key {
    const ix_lin *form;
    int64_t modulus;
} assumption_key;

static bool
assumption_equal(const void *item, const void *key)
{
    const ix_assumption *a = item;
    const assumption_key *k = key;
    return a->form == k->form && a->modulus == k->modulus;
}

/* The terms of a form by the bytes of their keys: a selection sort, terms are
 * few. */
static void
sort_terms(const ilex_context *ctx, int32_t n, ix_term *t)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = i + 1; k < n; k++)
            if (strcmp(ix_param_key(ctx, t[k].param),
                       ix_param_key(ctx, t[i].param)) < 0) {
                ix_term swap = t[i];
                t[i] = t[k];
                t[k] = swap;
            }
}

void
ix_lin_by_name(const ilex_context *ctx, const ix_lin *a, ix_term *t)
{
    memcpy(t, a->t, (size_t)a->n * sizeof *t);
    sort_terms(ctx, a->n, t);
}

void
ix_lin_write_key(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    ix_term term[IX_LIN_TERMS];
    ix_lin_by_name(ctx, a, term);
    for (int32_t i = 0; i < a->n; i++)
        ix_text_format(t, " %s*%lld", ix_param_key(ctx, term[i].param),
                       (long long)term[i].k);
    ix_text_format(t, " %lld", (long long)a->c);
}

static ix_assumption *
new_assumption(ilex_context *ctx, const assumption_key *k)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_int(&t, k->modulus);
    ix_lin_write_key(ctx, k->form, &t);
    const char *key = ix_text_string(&t);
    ix_assumption *a =
        key ? ix_mem_new(&ctx->mem, sizeof *a + t.length + 1) : NULL;
    if (a) {
        a->id = (int32_t)ctx->assumptions.count;
        a->form = k->form;
        a->modulus = k->modulus;
        memcpy(a->key, key, t.length + 1);
    }
    ix_text_free(&t);
    return a;
}

const ix_assumption *
ix_assumption_of(ilex_context *ctx, const ix_lin *form, int64_t modulus)
{
    if (!form)
        return NULL;
    assumption_key key = {form, modulus};
    uint64_t hash = ix_mix(form->hash, (uint64_t)modulus);
    ix_assumption *a =
        ix_table_find(&ctx->assumptions, hash, &key, assumption_equal);
    if (a)
        return a;
    return ix_table_keep(&ctx->assumptions, &ctx->mem, hash,
                         new_assumption(ctx, &key));
}

void
ix_assumption_print(ilex_context *ctx, const ix_assumption *a, ix_text *t)
{
    if (!a->modulus) {
        ix_lin_print_condition(ctx, a->form, false, t);
        return;
    }
    bool one = a->form->n == 1 && a->form->c == 0;
    ix_text_put(t, one ? "" : "(");
    ix_lin_print(ctx, a->form, t);
    ix_text_format(t, "%s %% %lld == 0", one ? "" : ")", (long long)a->modulus);
}

ix_lin_text
ix_assumption_show(ilex_context *ctx, const ix_assumption *a)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_assumption_print(ctx, a, &t);
    return ix_lin_text_end(&t);
}

ix_domain_text
ix_env_show(ilex_context *ctx, const ix_env *e)
{
    ix_domain_text r = {""};
    size_t used = 0;
    for (int32_t i = 0; i < ix_env_count(e) && used < sizeof r.s; i++)
        used += (size_t)snprintf(r.s + used, sizeof r.s - used, "%s%s",
                                 i ? " && " : "",
                                 ix_assumption_show(ctx, e->item[i]).s);
    return r;
}

/* ---- sets ---- */

bool
ix_env_has(const ix_env *e, const ix_assumption *a)
{
    int32_t low = 0, high = ix_env_count(e);
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        int order = strcmp(e->item[mid]->key, a->key);
        if (order == 0)
            return true;
        low = order < 0 ? mid + 1 : low;
        high = order < 0 ? high : mid;
    }
    return false;
}

bool
ix_env_within(const ix_env *a, const ix_env *b)
{
    bool within = ix_env_count(a) <= ix_env_count(b);
    for (int32_t i = 0; a != b && within && i < ix_env_count(a); i++)
        within = ix_env_has(b, a->item[i]);
    return within;
}

int32_t
ix_env_merge(const ix_env *a, const ix_env *b, const ix_assumption **item)
{
    int32_t i = 0, k = 0, n = 0;
    while (i < ix_env_count(a) || k < ix_env_count(b)) {
        int order = i == ix_env_count(a) ? 1
                    : k == ix_env_count(b)
                        ? -1
                        : strcmp(a->item[i]->key, b->item[k]->key);
        item[n++] = order <= 0 ? a->item[i] : b->item[k];
        i += order <= 0;
        k += order >= 0;
    }
    return n;
}

bool
ix_env_take(ilex_context *ctx, const ix_env **e, const ix_assumption *a)
{
    if (!*e || !ix_env_has(*e, a))
        return true;
    size_t bytes = (size_t)(*e)->n * sizeof a;
    const ix_assumption **item = ix_mem_new(&ctx->mem, bytes);
    if (!item)
        return false;
    int32_t n = 0;
    for (int32_t i = 0; i < (*e)->n; i++)
        if (strcmp((*e)->item[i]->key, a->key) != 0)
            item[n++] = (*e)->item[i];
    const ix_env *left = n ? ix_env_find(ctx, n, item) : NULL;
    if (n && !left) {
        ix_env *draft = ix_env_draft(ctx, n, item);
        left = draft ? ix_env_intern(ctx, draft) : NULL;
    }
    ix_mem_free(&ctx->mem, (void *)item);
    if (n == 0 || left)
        *e = left;
    return n == 0 || left;
}

/* ---- ranges ---- */

/* The place of a size among the ranges, or where it belongs. */
static int32_t
range_place(const ix_env *e, int32_t param)
{
    int32_t low = 0, high = e->nranges;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (e->range[mid].param < param)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

ix_size_range
ix_env_range(const ix_env *e, int32_t param)
{
    int32_t at = e ? range_place(e, param) : 0;
    return e && at < e->nranges && e->range[at].param == param
               ? e->range[at]
               : (ix_size_range){param, 0, INT64_MAX};
}

/* The range of a size, made if there is none. */
static ix_size_range *
range_of(ix_env *e, int32_t param)
{
    int32_t at = range_place(e, param);
    if (at == e->nranges || e->range[at].param != param) {
        memmove(e->range + at + 1, e->range + at,
                (size_t)(e->nranges++ - at) * sizeof *e->range);
        e->range[at] = (ix_size_range){param, 0, INT64_MAX};
    }
    return &e->range[at];
}

/* Narrows the range of a size, or of a product, when "form" >= 0 is about it
 * alone. A product of at least 1 has factors of at least 1. */
static void
narrow(const ilex_context *ctx, ix_env *e, const ix_lin *form)
{
    int64_t k = form->t[0].k;
    ix_size_range *r = range_of(e, form->t[0].param);
    const ix_param *p = &ctx->param[form->t[0].param];
    int64_t bound = k > 0 ? -ix_floordiv(form->c, k) : ix_floordiv(form->c, -k);
    if (k > 0)
        r->low = bound > r->low ? bound : r->low;
    else
        r->high = bound < r->high ? bound : r->high;
    for (int i = 0; k > 0 && bound > 0 && p->degree > 1 && i < p->degree; i++) {
        r = range_of(e, p->factor[i]);
        r->low = r->low > 1 ? r->low : 1;
    }
}

static uint64_t
hash_items(int32_t n, const ix_assumption *const *item)
{
    uint64_t hash = ix_mix(13, (uint64_t)n);
    for (int32_t i = 0; i < n; i++)
        hash = ix_mix(hash, (uint64_t)item[i]->id);
    return hash;
}

ix_env *
ix_env_draft(ilex_context *ctx, int32_t n, const ix_assumption *const *item)
{
    size_t items = (size_t)n * sizeof *item;
    ix_env *e = ix_mem_new(&ctx->mem,
                           sizeof *e + items +
                               (size_t)n * (1 + IX_DEGREE) * sizeof *e->range);
    if (!e)
        return NULL;
    e->hash = hash_items(n, item);
    e->n = n;
    e->simple = true;
    e->range = (ix_size_range *)(void *)(e->item + n);
    if (n)
        memcpy(e->item, item, items);
    for (int32_t i = 0; i < n; i++) {
        bool alone = !item[i]->modulus && item[i]->form->n == 1;
        e->simple &=
            alone && !ix_param_is_derived(ctx, item[i]->form->t[0].param);
        if (alone)
            narrow(ctx, e, item[i]->form);
    }
    return e;
}

/* ---- interning ---- */

typedef struct env_key {
    int32_t n;
    const ix_assumption *const *item;
} env_key;

static bool
env_equal(const void *item, const void *key)
{
    const ix_env *e = item;
    const env_key *k = key;
    return e->n == k->n &&
           !memcmp(e->item, k->item, (size_t)k->n * sizeof *k->item);
}

const ix_env *
ix_env_find(const ilex_context *ctx, int32_t n,
            const ix_assumption *const *item)
{
    env_key key = {n, item};
    return ix_table_find(&ctx->envs, hash_items(n, item), &key, env_equal);
}

const ix_env *
ix_env_intern(ilex_context *ctx, ix_env *draft)
{
    return ix_table_keep(&ctx->envs, &ctx->mem, draft->hash, draft);
}

static void
free_items(ilex_context *ctx, ix_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        ix_mem_free(&ctx->mem, table->entries[i].item);
    ix_table_free(table, &ctx->mem);
}

void
ix_env_free_all(ilex_context *ctx)
{
    free_items(ctx, &ctx->assumptions);
    free_items(ctx, &ctx->envs);
    free_items(ctx, &ctx->known);
}

/* ---- the least that is needed ---- */

typedef struct minimiser {
    ilex_context *ctx;
    ix_holds_fn *holds;
    void *user;
    const ix_env *all;
    const ix_assumption **kept;
    int32_t nkept;
} minimiser;

/* Does it hold under what is kept and all items from "next" on? */
static bool
holds_from(minimiser *m, int32_t next)
{
    size_t n = (size_t)(m->nkept + m->all->n - next);
    const ix_mem *mem = &m->ctx->mem;
    const ix_assumption **item = ix_mem_new(mem, (n + 1) * sizeof *item);
    if (!item)
        return false;
    if (m->nkept)
        memcpy(item, m->kept, (size_t)m->nkept * sizeof *item);
    for (int32_t i = next; i < m->all->n; i++)
        item[m->nkept + i - next] = m->all->item[i];
    ix_env *e = ix_env_draft(m->ctx, (int32_t)n, item);
    bool holds = e && m->holds(m->ctx, e, m->user);
    ix_mem_free(mem, e);
    ix_mem_free(mem, (void *)item);
    return holds;
}

/* Keeps what is needed of the items from "first" to "last", with which, what is
 * kept and all behind it holds: nothing, or the needed parts of its halves. */
static void
keep_needed(minimiser *m, int32_t first, int32_t last)
{
    if (first == last || holds_from(m, last))
        return;
    if (last - first == 1) {
        m->kept[m->nkept++] = m->all->item[first];
        return;
    }
    int32_t middle = first + (last - first) / 2;
    keep_needed(m, first, middle);
    keep_needed(m, middle, last);
}

int32_t
ix_env_minimise(ilex_context *ctx, const ix_env *all, ix_holds_fn *holds,
                void *user, const ix_assumption **item)
{
    minimiser m = {ctx, holds, user, all, item, 0};
    keep_needed(&m, 0, all->n);
    return m.nkept;
}
