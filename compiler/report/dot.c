/* SPDX-License-Identifier: MIT
 *
 * The graph as a picture: DOT, one box an array, edges from operand to user.
 */
#include "compiler/report/report.h"

/* A label's text with quotes and backslashes escaped. */
static void
put_escaped(ix_text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            ix_text_char(t, '\\');
        ix_text_char(t, *s);
    }
}

static void
put_node(ix_unit *u, size_t i, ix_text *t)
{
    const ilex_array *n = u->order[i];
    ix_text body;
    ix_text_init(&body, &u->mem);
    if (ix_has_body(n))
        ix_dump_array(u, n, &body);
    else if (n->kind == IX_INPUT)
        ix_text_put(&body, ix_symbol_text(u->ctx, (int32_t)n->attr[0]));
    ix_text_format(t, "  v%zu [label=\"v%zu %s %s[", i, i, ix_node_text(n),
                   ilex_dtype_name((ilex_dtype)n->dtype));
    ix_domain_print(u->ctx, n->interior, t);
    ix_text_put(t, "]\\n");
    const char *s = ix_text_string(&body);
    put_escaped(t, s && body.length < 200 ? s : "...");
    ix_text_format(t, "\"%s];\n",
                   n->kind == IX_INPUT ? ", style=filled, fillcolor=lightblue"
                                       : "");
    for (int k = 0; k < n->nops; k++)
        if (ix_is_array(n->ops[k]))
            ix_text_format(t, "  v%zu -> v%zu;\n",
                           ix_unit_position(u, n->ops[k]), i);
}

static void
put_outputs(ix_unit *u, ix_text *t)
{
    for (size_t i = 0; i < u->noutputs; i++) {
        const char *name = ix_symbol_text(u->ctx, u->module->output[i].name);
        ix_text_format(t,
                       "  out%zu [label=\"%s\", shape=ellipse, style=filled, "
                       "fillcolor=lightyellow];\n  v%zu -> out%zu;\n",
                       i, name, ix_unit_position(u, u->root[i]), i);
    }
}

bool
ix_dot(ilex_module *module, ix_text *t)
{
    ilex_context *ctx = module->ctx;
    ix_unit u = {.ctx = ctx, .module = module};
    size_t scope = ilex_scope_begin(ctx);
    volatile bool ok = false;
    ix_unit_begin(&u);
    if (IX_ARENA_TRY(&u.arena)) {
        ok = ix_pass_check(&u);
        if (ok) {
            ix_text_put(t, "digraph ilex {\n  node [shape=box, "
                           "fontname=monospace];\n");
            for (size_t i = 0; i < u.norder; i++)
                put_node(&u, i, t);
            put_outputs(&u, t);
            ix_text_put(t, "}\n");
        }
    } else {
        ix_fail_memory(&ctx->error);
    }
    ix_arena_free(&u.arena);
    ilex_scope_end(ctx, scope, NULL);
    return ok;
}
