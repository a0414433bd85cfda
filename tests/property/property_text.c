/* SPDX-License-Identifier: MIT
 *
 * Properties of text: what is printed can be read and means the same.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

/* Do two nodes differ at most in what their proofs rest on? A pad, say, rests
 * on more than the map by which it is printed. "seen": of a node the other one.
 */
static bool
same_but_proofs(ix_map *seen, const ix_mem *mem, ilex_array *a, ilex_array *b)
{
    const size_t *known = ix_map_find(seen, a);
    if (a == b || known)
        return a == b || *known == (size_t)b;
    size_t bytes = (size_t)a->nattr * sizeof *a->attr;
    bool same = a->kind == b->kind && a->dtype == b->dtype &&
                a->nops == b->nops && a->nattr == b->nattr &&
                a->interior == b->interior && a->valid == b->valid &&
                a->ext == b->ext &&
                (!bytes || !memcmp(a->attr, b->attr, bytes));
    for (int i = 0; same && i < a->nops; i++)
        same = same_but_proofs(seen, mem, a->ops[i], b->ops[i]);
    return same && ix_map_set(seen, mem, a, (size_t)b);
}

static bool
same_value(property_case *c, ilex_array *a, ilex_array *b)
{
    ix_map seen = {0};
    bool same = same_but_proofs(&seen, &c->ctx->mem, a, b);
    ix_map_free(&seen, &c->ctx->mem);
    return same;
}

/* Whether two modules of one context have the same outputs. */
static bool
same_outputs(property_case *c, const ilex_module *a, const char *text)
{
    const ilex_module *b = c->module;
    if (!a)
        return property_fail(c, "%s\n%s", ilex_error_text(c->ctx), text);
    if (a->noutputs != b->noutputs)
        return property_fail(c, "%zu outputs became %zu", b->noutputs,
                             a->noutputs);
    for (size_t i = 0; i < a->noutputs; i++)
        if (!same_value(c, a->output[i].array, b->output[i].array) ||
            a->output[i].name != b->output[i].name ||
            a->output[i].inplace != b->output[i].inplace)
            return property_fail(c, "output %zu is another node:\n%s", i, text);
    return true;
}

bool
property_round_trip(property_case *c)
{
    char *text = ilex_module_print(c->module);
    if (!text)
        return property_fail(c, "printing: %s", ilex_error_text(c->ctx));
    ilex_module *m = ilex_module_parse(c->ctx, text, "again");
    bool ok = same_outputs(c, m, text);
    char *second = ok && m ? ilex_module_print(m) : NULL;
    if (ok && m && (!second || strcmp(text, second) != 0))
        ok = property_fail(c, "the second text differs:\n%s%s", text,
                           second ? second : ilex_error_text(c->ctx));
    ilex_text_free(c->ctx, second);
    ilex_module_free(m);
    ilex_text_free(c->ctx, text);
    return ok;
}

bool
property_elsewhere(property_case *c)
{
    char *text = ilex_module_print(c->module), *second = NULL;
    ilex_context *ctx = ilex_context_new(NULL);
    if (!text || !ctx)
        return property_fail(c, "printing: %s", ilex_error_text(c->ctx));
    ilex_module *m = ilex_module_parse(ctx, text, "elsewhere");
    if (m)
        second = ilex_module_print(m);
    bool ok = second != NULL;
    if (ok)
        ok = property_same_text(c, "text", text, c->ctx, second, ctx);
    else
        property_fail(c, "%s\n%s", ilex_error_text(ctx), text);
    if (!second)
        ilex_text_free(c->ctx, text);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return ok;
}

/* Puts tags behind every statement that may carry some. */
static char *
add_tags(const char *text)
{
    static const char *const tags[] = {" @seen", " @cost(3)",
                                       " @note(\"two words\") @seen"};
    size_t n = strlen(text), out = 0, which = 0;
    char *r = calloc(n + 1, 40);
    if (!r)
        abort();
    for (const char *p = text; *p;) {
        size_t line = strcspn(p, "\n");
        out += (size_t)sprintf(r + out, "%.*s", (int)line, p);
        if (!strncmp(p, "let ", 4) || !strncmp(p, "map ", 4) ||
            !strncmp(p, "out ", 4) || !strncmp(p, "in ", 3))
            out +=
                (size_t)sprintf(r + out, "%s", tags[which++ % IX_COUNT(tags)]);
        r[out++] = '\n';
        p += line + (p[line] == '\n');
    }
    return r;
}

bool
property_tags(property_case *c)
{
    char *text = ilex_module_print(c->module);
    if (!text)
        return property_fail(c, "printing: %s", ilex_error_text(c->ctx));
    char *tagged = add_tags(text);
    ilex_module *m = ilex_module_parse(c->ctx, tagged, "tagged");
    bool ok = same_outputs(c, m, tagged);
    ilex_module_free(m);
    free(tagged);
    ilex_text_free(c->ctx, text);
    return ok;
}
