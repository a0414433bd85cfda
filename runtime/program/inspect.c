/* SPDX-License-Identifier: MIT
 *
 * A module as text without running it: generated source, the state after a
 * pass, a graph; and the tables of passes, options and back ends.
 */
#include "lib/build/einsum.h"
#include "lib/syntax/print.h"
#include "runtime/program/program.h"

/* The string of a text, owned by the caller, or NULL. */
static char *
take_text(ilex_context *ctx, ix_text *t)
{
    ix_text_put_n(t, "", 0);
    if (t->failed || ctx->error.code != ILEX_OK) {
        if (ctx->error.code == ILEX_OK)
            ix_fail_memory(&ctx->error);
        ix_text_free(t);
        return NULL;
    }
    return t->data;
}

/* The dialect that "name" means for the back end that would run: of C, its
 * own. -1: no such name. */
static int
find_dialect(ilex_context *ctx, const char *name)
{
    int runs = ix_backend_choose(ctx)->dialect;
    if (!strcmp(name, "cuda"))
        return IX_DIALECT_cuda;
    if (!strcmp(name, "jit") && runs >= 0)
        return runs;
    if (!strcmp(name, "jit") || !strcmp(name, "c"))
        return runs >= 0 && runs != IX_DIALECT_cuda ? runs : IX_DIALECT_cc;
    return -1;
}

/* Puts the source of a program, whose lines are called "name", or NULL. */
static void
put_source(const ix_compiled *c, int dialect, const char *name, ix_text *t)
{
    const char *source = c->source[dialect].unit[0];
    if (name)
        ix_finish_lines(source, name, t);
    else
        ix_text_put(t, source);
}

/* "lines": with places of the source; the text is called "name", NULL: like the
 * program. */
static char *
emit(ilex_module *module, const char *dialect, bool lines, const char *name)
{
    ilex_context *ctx = module->ctx;
    int d = dialect ? find_dialect(ctx, dialect) : -1;
    ix_compile_request request = {.names = true, .lines = lines};
    if (d < 0)
        return ix_fail_null(&ctx->error, ILEX_E_ARGUMENT,
                            "emit: dialect '%.20s' is none of jit, c and cuda",
                            dialect ? dialect : "(null)");
    request.dialect[d] = true;
    ix_compiled *c = ix_compile(module, &request);
    if (!c)
        return NULL;
    ix_text t, own;
    ix_text_init(&t, &ctx->mem);
    ix_text_init(&own, &ctx->mem);
    ix_text_format(&own, "%s.%s", c->name, d == IX_DIALECT_cuda ? "cu" : "c");
    const char *file = name ? name : ix_text_string(&own);
    if (file)
        put_source(c, d, lines ? file : NULL, &t);
    else
        ix_fail_memory(&ctx->error);
    ix_text_free(&own);
    ix_compiled_free(c);
    return take_text(ctx, &t);
}

char *
ilex_module_emit(ilex_module *module, const char *dialect)
{
    return emit(module, dialect, false, NULL);
}

char *
ilex_module_emit_lines(ilex_module *module, const char *dialect,
                       const char *name)
{
    return emit(module, dialect, true, name);
}

static void
put_json(const ix_compiled *c, int dialect, ix_text *t)
{
    ix_json j = {.t = t};
    ix_json_open(&j, NULL, '{', false);
    ix_json_program(&j, c, dialect, true);
    ix_json_close(&j, '}');
    ix_text_char(t, '\n');
}

/* What a run would do, or all that is known of the program, with the back end
 * that option jit chooses. */
static void
write_compiled(ilex_module *module, bool json, ix_text *t)
{
    int dialect = ix_backend_choose(module->ctx)->dialect;
    ix_compile_request request = {.reference = dialect < 0, .facts = json};
    if (dialect >= 0)
        request.dialect[dialect] = true;
    ix_compiled *c = ix_compile(module, &request);
    if (c && json)
        put_json(c, dialect, t);
    else if (c)
        ix_steps_print(module->ctx, c, dialect, t);
    ix_compiled_free(c);
}

/* Two digits a byte, and a line's end. */
static void
write_hash(ilex_module *module, ix_text *t)
{
    uint8_t hash[16];
    if (ilex_module_hash(module, hash) != ILEX_OK)
        return;
    for (size_t i = 0; i < sizeof hash; i++)
        ix_text_format(t, "%02x", hash[i]);
    ix_text_char(t, '\n');
}

char *
ilex_module_stage(ilex_module *module, const char *pass)
{
    ix_text t;
    const char *name = pass ? pass : "(null)";
    if (!strcmp(name, "emit"))
        return ilex_module_emit(module, "jit");
    ix_text_init(&t, &module->ctx->mem);
    ix_compile_request request = {.stop = name, .text = &t};
    request.dialect[IX_DIALECT_cuda] =
        ix_backend_choose(module->ctx)->dialect == IX_DIALECT_cuda;
    if (!strcmp(name, "parsed"))
        ix_print_labelled(module, &t);
    else if (!strcmp(name, "steps"))
        write_compiled(module, false, &t);
    else if (!strcmp(name, "json"))
        write_compiled(module, true, &t);
    else if (!strcmp(name, "hash"))
        write_hash(module, &t);
    else if (!strcmp(name, "paths"))
        ix_einsum_print_paths(module, &t);
    else if (!strcmp(name, "counts"))
        ix_module_print_counts(module, &t);
    else
        ix_compiled_free(ix_compile(module, &request));
    return take_text(module->ctx, &t);
}

char *
ilex_program_json(ilex_context *ctx, const ilex_program *p)
{
    ix_text t;
    if (ctx->error.code != ILEX_OK)
        return NULL;
    ix_text_init(&t, &ctx->mem);
    put_json(p->c, ix_program_tier(p)->backend->dialect, &t);
    return take_text(ctx, &t);
}

char *
ilex_module_html(ilex_module *module, const char *text)
{
    ilex_context *ctx = module->ctx;
    char *own = text ? NULL : ilex_module_print(module);
    ix_text t;
    if (!text && !own)
        return NULL;
    ix_text_init(&t, &ctx->mem);
    ix_page(module, text ? text : own, find_dialect(ctx, "c"), ix_graphviz, &t);
    ilex_text_free(ctx, own);
    return take_text(ctx, &t);
}

char *
ilex_module_dot(ilex_module *module)
{
    ix_text t;
    ix_text_init(&t, &module->ctx->mem);
    ix_dot(module, &t);
    return take_text(module->ctx, &t);
}

const char *
ilex_table(const char *table)
{
    if (table && !strcmp(table, "passes"))
        return ix_passes_table();
    if (table && !strcmp(table, "options"))
        return
#define IX_OPTION(name, value, choices, meaning)                               \
#name "\t" meaning " (" choices ", default \"" value "\")\n"
#include "lib/graph/options.def"
            ;
    if (table && !strcmp(table, "transports"))
        return
#define IX_TRANSPORT(name, meaning) #name "\t" meaning "\n"
#include "runtime/group/transports.def"
            ;
    if (table && !strcmp(table, "backends"))
        return
#define IX_BACKEND(name, dialect, compile, find, command, several, engine,     \
                   meaning)                                                    \
#name "\t" meaning "\n"
#include "runtime/jit/backends.def"
            ;
    return NULL;
}
