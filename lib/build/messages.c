/* SPDX-License-Identifier: MIT
 *
 * Messages of a program: which inputs come from other ranks, which arrays go to
 * them.
 */
#include "lib/build/module.h"

static const char *
name_of(const ilex_module *m, const ix_module_message *x)
{
    return ix_symbol_text(m->ctx, x->name);
}

static bool
has_output(const ilex_module *m, int32_t name)
{
    size_t i = 0;
    while (i < m->noutputs && m->output[i].name != name)
        i++;
    return i < m->noutputs;
}

bool
ix_module_has_argument(const ilex_module *m, int32_t name, bool sends)
{
    return ix_module_input(m, name) || (sends && has_output(m, name));
}

/* An input comes from one rank, and two ranks tell messages apart by tags. */
static ilex_status
check_others(const ilex_module *m, const ix_module_message *x)
{
    for (size_t i = 0; i < m->nmessages; i++) {
        const ix_module_message *y = &m->message[i];
        if (x->sends != y->sends)
            continue;
        if (!x->sends && x->name == y->name)
            return ix_fail(&m->ctx->error, ILEX_E_DUPLICATE,
                           "program %s: %s comes from two ranks, %s and %s",
                           m->name, name_of(m, x),
                           ix_lin_show(m->ctx, y->rank).s,
                           ix_lin_show(m->ctx, x->rank).s);
        if (x->rank == y->rank && x->tag == y->tag)
            return ix_fail(&m->ctx->error, ILEX_E_DUPLICATE,
                           "program %s: %s and %s %s rank %s with tag %d; give "
                           "them different tags",
                           m->name, name_of(m, y), name_of(m, x),
                           x->sends ? "both go to" : "both come from",
                           ix_lin_show(m->ctx, x->rank).s, x->tag);
    }
    return ILEX_OK;
}

ilex_status
ix_module_add_message(ilex_module *m, int32_t name, bool sends,
                      const ix_lin *rank, int64_t tag)
{
    ilex_context *ctx = m->ctx;
    ix_module_message x = {name, sends, rank, (int)tag};
    if (!rank || name < 0)
        return ctx->error.code ? ctx->error.code : ix_fail_memory(&ctx->error);
    if (tag < 0 || tag >= IX_MESSAGE_TAGS)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "program %s: tag %lld of %s; tags are from 0 to %d",
                       m->name, (long long)tag, name_of(m, &x),
                       IX_MESSAGE_TAGS - 1);
    ilex_status rc = check_others(m, &x);
    if (!rc && !ix_mem_grow(&ctx->mem, &m->message, &m->message_capacity,
                            m->nmessages + 1, sizeof *m->message))
        rc = ix_fail_memory(&ctx->error);
    if (!rc)
        m->message[m->nmessages++] = x;
    return rc;
}

ilex_status
ix_module_check_messages(ilex_module *m)
{
    ix_error *err = &m->ctx->error;
    for (size_t i = 0; i < m->nmessages; i++) {
        const ix_module_message *x = &m->message[i];
        const ilex_array *input = ix_module_input(m, x->name);
        if (!ix_module_has_argument(m, x->name, x->sends))
            return ix_fail(err, ILEX_E_UNKNOWN,
                           "program %s: no %s is called '%s', which %s a rank",
                           m->name, x->sends ? "output or input" : "input",
                           name_of(m, x), x->sends ? "goes to" : "comes from");
        if (!x->sends && input->interior != input->valid)
            return ix_fail(err, ILEX_E_UNSUPPORTED,
                           "program %s: %s comes from a rank and has a halo; "
                           "let it be an array on the larger domain",
                           m->name, name_of(m, x));
    }
    return ILEX_OK;
}

void
ix_module_drop_messages(ilex_module *m)
{
    m->nmessages = 0;
}
