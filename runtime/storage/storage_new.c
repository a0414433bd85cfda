/* SPDX-License-Identifier: MIT
 *
 * Construction and counting of storages: a spec is resolved (storage_spec.c),
 * gets memory and values (storage_block.c), and a record with strings of its
 * own that is handed out.
 */
#include "runtime/storage/storage.h"

#include "lib/base/structs.h"
#include "lib/graph/context.h"

ix_error *
ix_storage_error(ilex_context *ctx)
{
    return ctx ? ix_context_error(ctx) : NULL;
}

bool
ix_storage_given(ilex_context *ctx, const ilex_storage *s, const char *what)
{
    if (s)
        return true;
    return ix_fail_false(
        ix_storage_error(ctx), ILEX_E_ARGUMENT,
        "%s: the storage is NULL; did the call that makes it fail?", what);
}

const ix_mem *
ix_storage_mem(ilex_context *ctx)
{
    return ctx ? ix_context_mem(ctx) : &ix_mem_default;
}

ix_maker
ix_storage_maker(ilex_context *ctx)
{
    ix_maker maker = {.mem = ix_mem_default, .threads = 1};
    if (!ctx)
        return maker;
    int64_t threads = ix_option_int(ctx, IX_OPTION_threads);
    maker.mem = *ix_context_mem(ctx);
    maker.log = ctx->log;
    maker.log_user = ctx->log_user;
    maker.strict = !strcmp(ix_option_text(ctx, IX_OPTION_transfers), "strict");
    maker.threads = threads > 0 ? (int)threads : 1; /* users' functions */
    return maker;
}

/* ---- records ---- */

ilex_storage *
ix_storage_attach(const ix_mem *mem, const ilex_storage *s, ix_error *err)
{
    static _Atomic uint64_t serial;
    ilex_storage *view = ix_mem_resize(mem, NULL, sizeof *view);
    if (!view)
        return ix_fail_memory_null(err);
    ix_storage_clone(view, s);
    view->serial =
        atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1;
    view->mem = *mem;
    ix_memory_retain(view->memory);
    if (view->labels)
        atomic_fetch_add_explicit(&view->labels->count, 1,
                                  memory_order_relaxed);
    return view;
}

static void
release_labels(ix_view_strings *labels)
{
    if (!labels ||
        atomic_fetch_sub_explicit(&labels->count, 1, memory_order_acq_rel) != 1)
        return;
    ix_mem mem = labels->mem;
    ix_mem_free(&mem, labels);
}

/* Copies "text" behind "*end", returns the copy; "" needs none. */
static const char *
put_label(char **end, const char *text)
{
    if (!*text)
        return "";
    size_t n = strlen(text) + 1;
    char *copy = memcpy(*end, text, n);
    *end += n;
    return copy;
}

ilex_storage *
ix_storage_publish(const ix_mem *mem, const ilex_storage *s, ix_error *err)
{
    ilex_storage view;
    size_t bytes = strlen(s->name) + 1 + strlen(s->order) + 1;
    for (int k = 0; k < s->rank; k++)
        bytes += strlen(s->axis[k]) + 1;
    ix_view_strings *labels = ix_mem_new(mem, sizeof *labels + bytes);
    if (!labels)
        return ix_fail_memory_null(err);
    ix_storage_clone(&view, s);
    atomic_init(&labels->count, 1);
    labels->mem = *mem;
    char *end = labels->text;
    view.labels = labels;
    view.name = put_label(&end, s->name);
    view.order = put_label(&end, s->order);
    for (int k = 0; k < s->rank; k++)
        view.axis[k] = put_label(&end, s->axis[k]);
    ilex_storage *result = ix_storage_attach(mem, &view, err);
    release_labels(labels);
    return result;
}

ilex_storage *
ilex_storage_retain(ilex_storage *s)
{
    if (s)
        atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
    return s;
}

void
ilex_storage_release(ilex_storage *s)
{
    while (s &&
           atomic_fetch_sub_explicit(&s->count, 1, memory_order_acq_rel) == 1) {
        ilex_storage *whole = s->whole; /* a part held it */
        ix_memory_release(s->memory);
        release_labels(s->labels);
        ix_division_free(s->division);
        ix_mem mem = s->mem;
        ix_mem_free(&mem, s);
        s = whole;
    }
}

/* ---- the constructor ---- */

/* Tells the owners of the buffers of "spec" that they are not needed. */
static void
decline(const ilex_storage_spec *spec)
{
    if (spec->data && spec->release)
        spec->release(spec->release_user, spec->data);
    if (spec->device_data && spec->device_release)
        spec->device_release(spec->device_release_user, spec->device_data);
}

ilex_storage *
ix_storage_build(const ix_maker *maker, const ilex_storage_spec *spec,
                 ix_error *err)
{
    ilex_storage s, *result = NULL;
    ix_placement place;
    ix_storage_names names;
    bool adopted = false;
    ilex_status rc = ix_storage_resolve(spec, &s, &place, &names, err);
    if (!rc) {
        if (!ix_storage_make(maker, &s, &place, spec, &adopted, err))
            result = ix_storage_publish(&maker->mem, &s, err);
        ix_memory_release(s.memory);
    }
    if (result)
        result->division = s.division;
    else
        ix_division_free(s.division);
    if (!adopted)
        decline(spec);
    return result;
}

ilex_storage *
ix_storage_new(const ix_mem *mem, const ilex_storage_spec *spec, ix_error *err)
{
    ix_maker maker = {.mem = *mem, .threads = 1};
    return ix_storage_build(&maker, spec, err);
}

bool
ix_storage_read_spec(const ilex_storage_spec *spec, ilex_storage_spec *p,
                     ix_error *err)
{
    size_t size = spec ? spec->size : 0;
    if (!ix_struct_is_known(spec, size, offsetof(ilex_storage_spec, shape),
                            sizeof *p))
        return ix_fail_false(err, ILEX_E_ARGUMENT,
                             "storage: the spec is NULL, its size is not set, "
                             "or it uses properties of a newer version; start "
                             "it with .size = sizeof(ilex_storage_spec)");
    memset(p, 0, sizeof *p);
    memcpy(p, spec, size < sizeof *p ? size : sizeof *p);
    return true;
}

ilex_storage *
ilex_storage_new(ilex_context *ctx, const ilex_storage_spec *spec)
{
    ilex_storage_spec p;
    if (!ix_storage_read_spec(spec, &p, ix_storage_error(ctx))) {
        if (spec && spec->size >= sizeof p)
            decline(spec);
        return NULL;
    }
    ix_maker maker = ix_storage_maker(ctx);
    return ix_storage_build(&maker, &p, ix_storage_error(ctx));
}
