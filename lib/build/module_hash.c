/* SPDX-License-Identifier: MIT
 *
 * Hashes of arrays and of programs, and which sizes a program has.
 */
#include <stdlib.h>

#include "lib/build/module.h"
#include "lib/graph/counted.h"
#include "lib/graph/merkle.h"

ilex_status
ilex_hash(const ilex_array *x, uint8_t hash[16])
{
    memset(hash, 0, IX_DIGEST_BYTES);
    if (!x || ix_is_poison(x))
        return x ? ix_fail(&x->ctx->error, ILEX_E_ARGUMENT,
                           "hash: the array comes from a constructor that "
                           "failed, and its error was cleared")
                 : ILEX_E_ARGUMENT;
    ix_merkle w = {.ctx = x->ctx};
    ix_digest h;
    bool ok = ix_merkle_node(&w, (ilex_array *)(uintptr_t)x, &h);
    ix_merkle_free(&w);
    ix_digest_write(&h, hash);
    return ok ? ILEX_OK : ILEX_E_MEMORY;
}

/* ---- programs ---- */

static void
hash_symbol(const ilex_module *m, ix_digester *d, int32_t symbol)
{
    ix_digest_text(d, ix_symbol_text(m->ctx, symbol));
}

/* The outputs in order: what they are and what they are called. */
static bool
hash_outputs(ilex_module *m, ix_merkle *w, ix_digester *d)
{
    bool ok = true;
    ix_digest_number(d, m->noutputs);
    for (size_t i = 0; ok && i < m->noutputs; i++) {
        ix_digest h;
        ok = ix_merkle_node(w, m->output[i].array, &h);
        hash_symbol(m, d, m->output[i].name);
        hash_symbol(m, d, m->output[i].inplace);
        ix_digest_add(d, &h);
    }
    return ok;
}

static int
by_digest(const void *a, const void *b)
{
    return ix_digest_compare(a, b);
}

/* The inputs, which are bound by name and have no order. */
static bool
hash_inputs(ilex_module *m, ix_merkle *w, ix_digester *d)
{
    const ix_mem *mem = &m->ctx->mem;
    ix_digest *h = ix_mem_new(mem, (m->ninputs + 1) * sizeof *h);
    if (!h)
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < m->ninputs; i++)
        ok = ix_merkle_node(w, m->input[i], &h[i]);
    qsort(h, m->ninputs, sizeof *h, by_digest);
    ix_digest_number(d, m->ninputs);
    for (size_t i = 0; i < m->ninputs; i++)
        ix_digest_add(d, &h[i]);
    ix_mem_free(mem, h);
    return ok;
}

/* In their order, which does not matter but is that of the text. */
static void
hash_messages(const ilex_module *m, ix_digester *d)
{
    for (size_t i = 0; i < m->nmessages; i++) {
        const ix_module_message *x = &m->message[i];
        hash_symbol(m, d, x->name);
        ix_digest_text(d, ix_lin_show(m->ctx, x->rank).s);
        ix_digest_number(d, 2 * (uint64_t)x->tag + x->sends);
    }
}

/* ---- sizes ---- */

static void
mark_form(bool *size, const ix_lin *a)
{
    for (int32_t i = 0; i < a->n; i++)
        size[a->t[i].param] = true;
}

/* The sizes of a program. */
typedef struct own_sizes {
    const ilex_module *m;
    const bool *size;
} own_sizes;

static bool
is_own(const ilex_context *ctx, int32_t param, const void *user)
{
    const own_sizes *own = user;
    bool found = own->size[param];
    (void)ctx;
    for (size_t k = 0; !found && k < own->m->ndeclared; k++)
        found = param == own->m->declared[k];
    return found;
}

/* Is a precondition about sizes of the program, or of its text? */
static bool
is_about(const ilex_module *m, const ix_assumption *a, const bool *size)
{
    const own_sizes own = {m, size};
    return ix_lin_needs(m->ctx, a->form, is_own, &own);
}

/* What sizes are computed from, which comes before them. */
static void
mark_parts(const ilex_context *ctx, bool *size)
{
    for (size_t p = ctx->nparams; p-- > 0;) {
        const ix_param *from = &ctx->param[p];
        for (int i = 0; size[p] && i < from->degree; i++)
            size[from->factor[i]] = true;
        for (int i = 0; size[p] && i < from->narms; i++)
            mark_form(size, from->arm[i]);
    }
}

/* Sizes of its preconditions and of what it counts beside those that occur. */
static bool
mark_sizes(ilex_module *m, ix_merkle *w)
{
    bool ok = true;
    size_t before = 0, n = 1;
    for (size_t i = 0; i < m->nmessages; i++)
        mark_form(w->size, m->message[i].rank);
    while (ok && n > before) {
        before = n;
        for (int32_t i = 0; ok && i < ix_env_count(m->env); i++) {
            const ix_assumption *a = m->env->item[i];
            int32_t counted = ix_counted_by(m->ctx, a);
            ix_digest h;
            if (!is_about(m, a, w->size))
                continue;
            mark_form(w->size, a->form);
            ok = counted < 0 ||
                 ix_merkle_node(w, m->ctx->param[counted].mask, &h);
        }
        mark_parts(m->ctx, w->size);
        n = 1;
        for (size_t p = 0; p < m->ctx->nparams; p++)
            n += w->size[p];
    }
    return ok;
}

/* The preconditions that runs verify, in the order of their keys. */
static void
hash_preconditions(const ilex_module *m, const bool *size, ix_digester *d)
{
    for (int32_t i = 0; i < ix_env_count(m->env); i++)
        if (is_about(m, m->env->item[i], size))
            ix_digest_text(d, m->env->item[i]->key);
}

/* The hash of a program; "w" says then which sizes it has, and knows what data
 * it reaches. The caller frees both, and gives room for the sizes. */
static ilex_status
hash_module(ilex_module *m, ix_merkle *w, uint8_t hash[16])
{
    ilex_context *ctx = m->ctx;
    ix_digester d = {.length = 0};
    memset(hash, 0, IX_DIGEST_BYTES);
    ilex_status rc = ix_module_collect(m);
    if (rc != ILEX_OK)
        return rc;
    ix_digest_text(&d, m->name);
    if (!w->size || !hash_outputs(m, w, &d) || !hash_inputs(m, w, &d) ||
        !mark_sizes(m, w))
        return ix_fail_memory(&ctx->error);
    hash_messages(m, &d);
    hash_preconditions(m, w->size, &d);
    ix_digest h = ix_digest_end(&d);
    ix_digest_write(&h, hash);
    return ILEX_OK;
}

static bool *
new_sizes(const ilex_context *ctx)
{
    return ix_mem_new(&ctx->mem, (ctx->nparams + 1) * sizeof(bool));
}

ilex_status
ilex_module_hash(ilex_module *m, uint8_t hash[16])
{
    ix_merkle w = {.ctx = m->ctx, .size = new_sizes(m->ctx)};
    ilex_status rc = hash_module(m, &w, hash);
    ix_mem_free(&m->ctx->mem, w.size);
    ix_merkle_free(&w);
    return rc;
}

bool
ix_module_sizes(ilex_module *m, bool *size)
{
    ix_merkle w = {.ctx = m->ctx, .size = size};
    uint8_t hash[IX_DIGEST_BYTES];
    ilex_status rc = hash_module(m, &w, hash);
    ix_merkle_free(&w);
    return rc == ILEX_OK;
}

/* Keys are written for each compilation, most of which find their program: no
 * formats here. */
static void
put_hex(ix_text *t, const uint8_t hash[16])
{
    static const char digit[] = "0123456789abcdef";
    char text[2 * IX_DIGEST_BYTES];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = digit[i % 2 ? hash[i / 2] & 15 : hash[i / 2] >> 4];
    ix_text_put_n(t, text, sizeof text);
}

static void
put_word(ix_text *t, const char *word)
{
    ix_text_char(t, ' ');
    ix_text_put(t, word);
}

/* Lists the wrapped data that were met, by number. */
static bool
list_data(const ilex_module *m, const ix_merkle *w, ix_held *held)
{
    held->foreign = w->foreign;
    held->n = w->data.count;
    held->data = ix_mem_new(&m->ctx->mem, (held->n + 1) * sizeof *held->data);
    if (!held->data)
        return false;
    ix_map_list(&w->data, (const void **)held->data);
    return true;
}

/* Of each of the data the first that shows the same elements. */
static void
put_data(ix_text *t, const ix_held *held)
{
    for (size_t i = 0; i < held->n; i++) {
        size_t first = 0;
        while (first < i && !ix_same_data(held->data[first], held->data[i]))
            first++;
        ix_text_format(t, " %zu", first);
    }
}

bool
ix_module_key(ilex_module *m, ix_text *t, ix_held *held)
{
    ilex_context *ctx = m->ctx;
    uint8_t hash[IX_DIGEST_BYTES];
    ix_merkle w = {.ctx = ctx, .size = new_sizes(ctx)};
    ilex_status rc = hash_module(m, &w, hash);
    put_hex(t, hash);
    for (size_t i = 0; !rc && i < m->ninputs; i++)
        put_word(t, ix_symbol_text(ctx, (int32_t)m->input[i]->attr[0]));
    for (size_t p = 0; !rc && p < ctx->nparams; p++)
        if (w.size[p])
            put_word(t, ix_param_key(ctx, (int32_t)p));
    put_word(t, "of");
    for (size_t i = 0; !rc && i < m->ndeclared; i++)
        if (!w.size[m->declared[i]])
            put_word(t, ix_param_key(ctx, m->declared[i]));
    if (!rc && !list_data(m, &w, held))
        rc = ix_fail_memory(&ctx->error);
    if (!rc)
        put_data(t, held);
    ix_mem_free(&ctx->mem, w.size);
    ix_merkle_free(&w);
    return rc == ILEX_OK;
}
