/* SPDX-License-Identifier: MIT
 *
 * Writing of what a failing program needs to fail elsewhere. The file is lines
 * of words, with the bytes of the program and of the elements behind lines that
 * say how many there are; "end" is last. Read by runtime/ilexc/replay_read.c.
 */
#include "ilex/repro.h"

#include "compiler/compiler.h"
#include "lib/base/text.h"
#include "lib/build/module.h"
#include "lib/graph/context.h"
#include "runtime/files/file.h"

#include <stdio.h>

/* One line of a text that may have several. */
static void
put_escaped(ix_text *t, const char *s)
{
    for (; *s; s++)
        if (*s == '\n')
            ix_text_put(t, "\\n");
        else if (*s == '\\')
            ix_text_put(t, "\\\\");
        else
            ix_text_char(t, *s);
    ix_text_char(t, '\n');
}

/* ---- what is not bound ---- */

static void
put_options(ix_text *t, const ilex_context *ctx)
{
    ix_text_put(t, "option target "); /* native is another machine elsewhere */
    ix_target_put_option(ctx, false, t);
    ix_text_char(t, '\n');
    for (int i = 0; i < IX_NOPTIONS; i++) {
        const char *value = ix_option_text(ctx, (ix_option)i);
        if (i == IX_OPTION_target || !strcmp(value, ix_option_rows[i].value))
            continue;
        ix_text_format(t, "option %s ", ix_option_rows[i].name);
        put_escaped(t, value);
    }
}

static void
put_error(ix_text *t, const ilex_context *ctx, const ilex_call *call)
{
    bool run = !ctx->error.code && call &&
               call->size >= offsetof(ilex_call, counted) && *call->error;
    if (!ctx->error.code && !run)
        return;
    ix_text_format(t, "error %d ", (int)ctx->error.code);
    put_escaped(t, run ? call->error : ctx->error.text);
}

static void
put_call(ix_text *t, const ilex_call *call)
{
    if (!call || call->size < offsetof(ilex_call, error))
        return;
    if (call->threads)
        ix_text_format(t, "threads %d\n", call->threads);
    for (size_t i = 0; call->sizes && i < call->size_count; i++)
        ix_text_format(t, "size %s %lld\n", call->sizes[i].name,
                       (long long)call->sizes[i].value);
    if (call->size > offsetof(ilex_call, box) && call->box) {
        ix_text_put(t, "box ");
        put_escaped(t, call->box);
    }
}

/* ---- bindings ---- */

static uint64_t
bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static void
put_storage(ix_text *t, const char *name, const ilex_storage *s)
{
    int rank = ilex_storage_rank(s);
    ix_text_format(t, "storage %s %s %d %d", name,
                   ilex_dtype_name(ilex_storage_dtype(s)),
                   ilex_storage_writable(s), rank);
    for (int k = 0; k < rank; k++) {
        const char *axis = ilex_storage_axis_name(s, k);
        ix_text_format(t, " %s %lld %lld %lld %lld %lld", *axis ? axis : "-",
                       (long long)ilex_storage_shape(s)[k],
                       (long long)ilex_storage_stride(s)[k],
                       (long long)ilex_storage_halo(s)[2 * k],
                       (long long)ilex_storage_halo(s)[2 * k + 1],
                       (long long)ilex_storage_origin(s)[k]);
    }
    ix_text_char(t, '\n');
}

/* The binding before "i" that has its storage; "i" if it is the first. */
static size_t
first_of(const ilex_binding *b, size_t i)
{
    size_t k = 0;
    while (k < i &&
           (b[k].kind != ILEX_BOUND_STORAGE || b[k].storage != b[i].storage))
        k++;
    return k;
}

static void
put_binding(ix_text *t, const ilex_binding *all, size_t i)
{
    const ilex_binding *b = &all[i];
    size_t first = first_of(all, i);
    if (b->kind != ILEX_BOUND_STORAGE)
        ix_text_format(t, "number %s %d %llx %llx %lld\n", b->name,
                       (int)b->kind, (unsigned long long)bits(b->re),
                       (unsigned long long)bits(b->im), (long long)b->integer);
    else if (first < i)
        ix_text_format(t, "same %s %s\n", b->name, all[first].name);
    else
        put_storage(t, b->name, b->storage);
}

/* The elements of a storage, halo included, in C order. */
static ilex_status
put_data(ilex_context *ctx, ix_file_out *out, const ilex_binding *b)
{
    char head[160];
    ilex_storage *s = ilex_storage_ensure_contiguous(ctx, b->storage, NULL);
    const void *data = s ? ilex_storage_const_data(s) : NULL;
    if (!data) {
        ilex_storage_release(s);
        return ILEX_E_MEMORY;
    }
    int64_t bytes = ilex_storage_bytes(s);
    int n = snprintf(head, sizeof head, "data %s %lld\n", b->name,
                     (long long)bytes);
    ix_file_put(out, head, (size_t)n);
    ix_file_put(out, data, (size_t)bytes);
    ilex_status rc = ix_file_put(out, "\n", 1);
    ilex_storage_release(s);
    return rc;
}

/* ---- the file ---- */

static ilex_status
check_bindings(ix_error *err, const ilex_binding *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!b || !b[i].name || strlen(b[i].name) > 64 ||
            (b[i].kind == ILEX_BOUND_STORAGE && !b[i].storage))
            return ix_fail(err, ILEX_E_ARGUMENT,
                           "repro: binding %zu has no name or no storage", i);
    return ILEX_OK;
}

static ilex_status
write_file(ilex_context *ctx, const ix_text *head, const ilex_binding *b,
           size_t count, const char *path, unsigned flags)
{
    ix_file_out out;
    const char *text = ix_text_string(head);
    if (!text)
        return ix_fail_memory(&ctx->error);
    ilex_status rc = ix_file_begin(&out, path, &ctx->error);
    if (rc)
        return rc;
    rc = ix_file_put(&out, text, head->length);
    for (size_t i = 0; !rc && (flags & ILEX_REPRO_DATA) && i < count; i++)
        if (b[i].kind == ILEX_BOUND_STORAGE && first_of(b, i) == i)
            rc = put_data(ctx, &out, &b[i]);
    if (!rc)
        rc = ix_file_put(&out, "end\n", 4);
    return ix_file_end(&out, rc);
}

ilex_status
ilex_repro(ilex_module *module, const ilex_binding *bindings, size_t count,
           const ilex_call *call, const char *path, unsigned flags)
{
    if (!module)
        return ILEX_E_ARGUMENT;
    ilex_context *ctx = module->ctx;
    ix_error before; /* what is written is what failed, not what fails here */
    ilex_status rc = check_bindings(&ctx->error, bindings, count);
    if (rc || !path)
        return rc ? rc
                  : ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                            "repro: the path is NULL");
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_format(&t, "ilex-repro 1\nversion %s\n", ilex_version());
    put_options(&t, ctx);
    put_error(&t, ctx, call);
    put_call(&t, call);
    ix_errors_take(&ctx->error, &before);
    char *program = ilex_module_print(module);
    if (program) {
        ix_text_format(&t, "program %zu\n%s\n", strlen(program), program);
        for (size_t i = 0; i < count; i++)
            put_binding(&t, bindings, i);
        rc = write_file(ctx, &t, bindings, count, path, flags);
    } else {
        rc = ctx->error.code;
    }
    ilex_text_free(ctx, program);
    ix_errors_restore(&ctx->error, &before);
    ix_text_free(&t);
    return rc;
}
