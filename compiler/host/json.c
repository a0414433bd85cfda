/* SPDX-License-Identifier: MIT
 *
 * NAME.json: the program as the compiler says it (compiler/steps/json.c), and
 * what the files have of their own, for build systems and for generators of
 * interfaces in other languages.
 */
#include "lib/base/json.h"
#include "compiler/host/host.h"

/* What arguments and sizes are called in C. */
static void
put_names(ix_json *j, const ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_json_open(j, "names", '{', true);
    for (size_t p = 0; p < c->nsizes; p++)
        if (h->size[p])
            ix_json_string(j, c->size[p].name, h->size[p]);
    for (size_t i = 0; i < c->narguments; i++)
        ix_json_string(j, c->buffer[i].name, h->argument[i]);
    for (size_t i = 0; i < c->ncounts; i++)
        ix_json_string(j, c->size[c->count[i].size].name, h->counted[i]);
    ix_json_close(j, '}');
}

void
ix_host_put_json(ix_host *h)
{
    ix_json j = {.t = h->t};
    ix_json_open(&j, NULL, '{', false);
    ix_json_program(&j, h->c, h->grid ? IX_DIALECT_grid : IX_DIALECT_aot,
                    h->library->lines);
    ix_json_open(&j, "library", '{', false);
    ix_json_string(&j, "function", h->prefix);
    ix_json_string(&j, "language", h->grid ? "cuda" : "c");
    ix_json_int(&j, "abi", 1);
    ix_json_put(&j, "options", h->library->options);
    put_names(&j, h);
    ix_host_put_json_variants(h, &j);
    ix_json_bool(&j, "needs_libm", ix_host_uses_math(h));
    ix_json_close(&j, '}');
    ix_json_close(&j, '}');
    ix_text_char(h->t, '\n');
}
