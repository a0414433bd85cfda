/* SPDX-License-Identifier: MIT
 *
 * The side table of arrays: places in the source, tags, user data.
 */
#include "lib/graph/annotation.h"

#include "ilex/expr.h"

typedef struct ix_user_data {
    struct ix_user_data *next;
    int32_t key; /* symbol */
    void *value;
    void (*destroy)(void *value);
} ix_user_data;

typedef struct annotation {
    const ilex_array *node;
    int nlocations;
    int32_t name;             /* symbol */
    ix_location first, *more; /* "more": room for all others */
    int32_t *tag;             /* symbols */
    size_t ntags, tag_capacity;
    ix_user_data *user;
} annotation;

/* ---- the table ---- */

static uint64_t
hash_of(const ilex_array *n)
{
    return ix_mix(17, (uintptr_t)n);
}

static bool
is_of(const void *item, const void *key)
{
    return ((const annotation *)item)->node == key;
}

static annotation *
find(const ilex_array *n)
{
    return n->annotated
               ? ix_table_find(&n->ctx->annotations, hash_of(n), n, is_of)
               : NULL;
}

/* The annotation of "n", made if there is none; NULL when there is no memory.
 */
static annotation *
find_or_make(ilex_array *n)
{
    annotation *a = find(n);
    const ix_mem *mem = &n->ctx->mem;
    if (a)
        return a;
    a = ix_table_keep(&n->ctx->annotations, mem, hash_of(n),
                      ix_mem_new(mem, sizeof *a));
    if (!a)
        return NULL;
    a->node = n;
    n->annotated = 1;
    return a;
}

/* Frees an annotation that is in no table; its user data wait. */
static void
bury(ilex_context *ctx, annotation *a)
{
    while (a->user) {
        ix_user_data *data = a->user;
        a->user = data->next;
        data->next = ctx->orphans;
        ctx->orphans = data;
    }
    ix_mem_free(&ctx->mem, a->tag);
    ix_mem_free(&ctx->mem, a->more);
    ix_mem_free(&ctx->mem, a);
}

void
ix_annotation_forget(ilex_array *n)
{
    annotation *a = find(n);
    if (!a)
        return;
    ix_table_remove(&n->ctx->annotations, hash_of(n), a);
    bury(n->ctx, a);
}

static void
destroy(ilex_context *ctx, ix_user_data *data)
{
    void (*call)(void *) = data->destroy;
    void *value = data->value;
    ix_mem_free(&ctx->mem, data);
    if (call)
        call(value);
}

void
ix_annotation_destroy(ilex_context *ctx)
{
    while (ctx->orphans) { /* a destructor may let other nodes die */
        ix_user_data *data = ctx->orphans;
        ctx->orphans = data->next;
        destroy(ctx, data);
    }
}

void
ix_annotation_free_all(ilex_context *ctx)
{
    for (size_t i = 0; i < ctx->annotations.capacity; i++)
        if (ctx->annotations.entries[i].item)
            bury(ctx, ctx->annotations.entries[i].item);
    ix_table_free(&ctx->annotations, &ctx->mem);
    ix_annotation_destroy(ctx);
}

/* ---- places ---- */

int
ix_location_count(const ilex_array *n)
{
    const annotation *a = find(n);
    return a ? a->nlocations : 0;
}

static ix_location
location(const annotation *a, int i)
{
    return i == 0 ? a->first : a->more[i - 1];
}

ix_location
ix_location_get(const ilex_array *n, int i)
{
    return location(find(n), i);
}

bool
ix_name_note(ilex_array *n, int32_t name)
{
    annotation *a = n == n->ctx->poison ? NULL : find_or_make(n);
    if (a && !a->name)
        a->name = name;
    return a != NULL;
}

int32_t
ix_name_get(const ilex_array *n)
{
    const annotation *a = find(n);
    return a ? a->name : 0;
}

static bool
is_same(ix_location a, ix_location b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

bool
ix_location_note(ilex_context *ctx, ilex_array *n)
{
    if (ctx->place.line <= 0 || n == ctx->poison)
        return true;
    annotation *a = find_or_make(n);
    if (!a)
        return false;
    for (int i = 0; i < a->nlocations; i++)
        if (is_same(location(a, i), ctx->place))
            return true;
    if (a->nlocations == IX_LOCATIONS)
        return true;
    if (a->nlocations == 1)
        a->more = ix_mem_new(&ctx->mem, (IX_LOCATIONS - 1) * sizeof *a->more);
    if (a->nlocations > 0 && !a->more)
        return false;
    *(a->nlocations ? &a->more[a->nlocations - 1] : &a->first) = ctx->place;
    a->nlocations++;
    return true;
}

static void
print_one(const ilex_context *ctx, ix_location at, ix_text *t)
{
    const char *file = ix_symbol_text(ctx, at.file);
    ix_text_format(t, *file ? "%s:%d" : "line %s%d", file, at.line);
    if (at.column > 0)
        ix_text_format(t, *file ? ":%d" : ", column %d", at.column);
}

void
ix_location_print(const ilex_array *n, ix_text *t)
{
    const annotation *a = find(n);
    int count = a ? a->nlocations : 0;
    if (count == 1 && is_same(a->first, n->ctx->place))
        return;
    for (int i = 0; i < count; i++) {
        ix_text_put(t, i == 0           ? ""
                       : i == 1         ? ", also made at "
                       : i == count - 1 ? " and "
                                        : ", ");
        print_one(n->ctx, location(a, i), t);
    }
}

/* ---- tags ---- */

/* Where a tag is in the list; its end if it is not. */
static size_t
find_tag(const annotation *a, int32_t tag)
{
    size_t i = 0;
    while (i < a->ntags && a->tag[i] != tag)
        i++;
    return i;
}

bool
ix_tag_note(ilex_array *n, int32_t tag)
{
    annotation *a = find_or_make(n);
    if (!a || find_tag(a, tag) < a->ntags)
        return a != NULL;
    if (!ix_mem_grow(&n->ctx->mem, &a->tag, &a->tag_capacity, a->ntags + 1,
                     sizeof *a->tag))
        return false;
    a->tag[a->ntags++] = tag;
    return true;
}

void
ix_tag_drop(ilex_array *n, int32_t tag)
{
    annotation *a = find(n);
    size_t i = a ? find_tag(a, tag) : 0;
    if (!a || i == a->ntags)
        return;
    a->ntags--;
    memmove(a->tag + i, a->tag + i + 1, (a->ntags - i) * sizeof *a->tag);
}

size_t
ix_tag_count(const ilex_array *n)
{
    const annotation *a = find(n);
    return a ? a->ntags : 0;
}

const char *
ix_tag_get(const ilex_array *n, size_t i)
{
    return ix_symbol_text(n->ctx, find(n)->tag[i]);
}

void
ix_tags_print(const ilex_array *n, ix_text *t)
{
    for (size_t i = 0; i < ix_tag_count(n); i++)
        ix_text_format(t, " @%s", ix_tag_get(n, i));
}

/* ---- the user's data ---- */

ilex_status
ilex_user_set(ilex_array *x, const char *key, void *value,
              void (*destructor)(void *value))
{
    if (!x || !key || ix_is_poison(x))
        return ix_fail(x ? &x->ctx->error : NULL, ILEX_E_ARGUMENT,
                       "user_set: the array is NULL or poison, or the key is "
                       "NULL");
    ilex_context *ctx = x->ctx;
    int32_t symbol = ix_symbol_of(ctx, key, strlen(key));
    annotation *a = symbol < 0 ? NULL : find_or_make(x);
    ix_user_data *data = a ? ix_mem_new(&ctx->mem, sizeof *data) : NULL;
    if (!data)
        return ix_fail_memory(&ctx->error);
    ix_user_data **at = &a->user;
    while (*at && (*at)->key != symbol)
        at = &(*at)->next;
    ix_user_data *old = *at;
    *data = (ix_user_data){old ? old->next : NULL, symbol, value, destructor};
    *at = data;
    if (old)
        destroy(ctx, old);
    return ILEX_OK;
}

void *
ilex_user_get(const ilex_array *x, const char *key)
{
    const annotation *a = x && key && !ix_is_poison(x) ? find(x) : NULL;
    const ix_user_data *data = a ? a->user : NULL;
    while (data && strcmp(ix_symbol_text(x->ctx, data->key), key) != 0)
        data = data->next;
    return data ? data->value : NULL;
}
