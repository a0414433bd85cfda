/* SPDX-License-Identifier: MIT
 *
 * Values of arrays over wrapped data: the program is compiled once for all data
 * of these dtypes and domains, and takes them as arguments.
 */
#include "runtime/program/program.h"

/* Binds wrapped data to the arguments that they are for; how many. */
static size_t
bind_data(const ilex_program *p, const ix_held *held, ilex_binding *to)
{
    size_t n = 0;
    for (size_t i = 0; p->data && i < p->c->narguments; i++)
        if (p->data[i] != SIZE_MAX)
            to[n++] = (ilex_binding){.name = p->c->buffer[i].name,
                                     .storage = held->data[p->data[i]]->ext};
    return n;
}

static ilex_status
evaluate(ilex_module *m, ix_held *held, ilex_storage **results)
{
    ilex_context *ctx = m->ctx;
    ilex_program *p = ix_program_compile(m, held);
    ilex_binding *data =
        p ? ix_mem_new(&ctx->mem, (held->n + 1) * sizeof *data) : NULL;
    ilex_status rc =
        !p     ? ctx->error.code
        : data ? ilex_evaluate(ctx, p, data, bind_data(p, held, data), results)
               : ix_fail_memory(&ctx->error);
    ix_mem_free(&ctx->mem, data);
    ilex_program_release(p);
    return rc;
}

ilex_status
ilex_compute(ilex_context *ctx, size_t count, ilex_array *const *arrays,
             ilex_storage **results)
{
    ix_held held = {0};
    if (!arrays || !results)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "compute: the list of %s "
                       "is NULL",
                       arrays ? "results" : "arrays");
    memset(results, 0, count * sizeof *results);
    if (ctx->error.code || count == 0)
        return ctx->error.code;
    ilex_module *m = ilex_module_new(ctx, "compute");
    ilex_status rc = m ? ILEX_OK : ctx->error.code;
    for (size_t i = 0; !rc && i < count; i++)
        rc = arrays[i] ? ix_program_output(m, i, arrays[i], NULL)
                       : ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                                 "compute: array %zu is NULL", i);
    rc = rc ? rc : evaluate(m, &held, results);
    ix_mem_free(&ctx->mem, held.data);
    ilex_module_free(m);
    return rc;
}
