/* SPDX-License-Identifier: MIT
 *
 * What `ilexc explain` says of messages: where arguments come from and go to,
 * and the parts of a run of a group.
 */
#include "compiler/report/explain.h"
#include "lib/build/cut.h"
#include "lib/graph/annotation.h"

void
ix_explain_message(const ix_unit *u, const char *name, ix_text *t)
{
    for (size_t i = 0; i < u->module->nmessages; i++) {
        const ix_module_message *x = &u->module->message[i];
        if (strcmp(ix_symbol_text(u->ctx, x->name), name) != 0)
            continue;
        ix_text_put(t, x->sends ? ", to rank " : ", from rank ");
        ix_lin_print(u->ctx, x->rank, t);
        ix_text_format(t, " with tag %d", x->tag);
    }
}

static void
put_needs(const ix_unit *u, const ix_cut_part *p, ix_text *t)
{
    const char *start = "  when there is ";
    for (size_t i = 0; i < u->module->nmessages; i++)
        if (p->needs[i / 64] >> i % 64 & 1) {
            ix_text_put(t, start);
            ix_text_put(t, ix_symbol_text(u->ctx, u->module->message[i].name));
            start = ", ";
        }
    ix_text_put(t, *start == ',' ? ": " : "  at once: ");
}

/* An output, or what is kept for other parts. */
static void
put_made(const ix_unit *u, const ix_output *out, ix_text *t)
{
    const char *name = ix_symbol_text(u->ctx, out->name);
    int32_t label = ix_name_get(out->array);
    bool kept = !strncmp(name, IX_CUT_KEPT, strlen(IX_CUT_KEPT));
    ix_text_put(t, !kept   ? name
                   : label ? ix_symbol_text(u->ctx, label)
                           : ix_node_text(out->array));
    ix_text_put(t, kept ? " for other parts" : "");
}

void
ix_explain_parts(const ix_unit *u, ix_text *t)
{
    ix_cut cut;
    bool ok = u->module->nmessages > 0 && ix_module_cut(u->module, &cut);
    if (!u->module->nmessages)
        return;
    ix_text_put(t, "parts of a run of a group, each a program of its own\n");
    for (size_t p = 0; ok && p < cut.n; p++) {
        const ilex_module *m = cut.part[p].module;
        put_needs(u, &cut.part[p], t);
        for (size_t i = 0; i < m->noutputs; i++) {
            ix_text_put(t, i ? ", " : "");
            put_made(u, &m->output[i], t);
        }
        ix_text_char(t, '\n');
    }
    ix_cut_free(u->ctx, &cut);
}
