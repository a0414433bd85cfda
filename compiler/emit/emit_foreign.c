/* SPDX-License-Identifier: MIT
 *
 * Foreign functions of numbers. C calls them through pointers among a kernel's
 * arguments, so that no text, and no key that is made of it, knows where they
 * are; CUDA has their text.
 */
#include "compiler/emit/emit.h"

#include "lib/build/foreign.h"
#include "lib/graph/function.h"

static const char *
name_of(const ix_emitter *e, int i)
{
    return ix_symbol_text(e->u->ctx, ix_foreign_name(e->u->function[i]));
}

/* "(f64, f64)" */
static void
put_parameters(const ilex_array *apply, ix_text *t)
{
    for (int i = 0; i < apply->nops; i++)
        ix_text_format(t, "%s%s", i ? ", " : "(",
                       ix_c_type((ilex_dtype)apply->dtype));
    ix_text_char(t, ')');
}

void
ix_emit_function_pointer(const ix_emitter *e, int i, const char *how,
                         ix_text *t)
{
    const ilex_array *apply = e->u->function[i];
    ix_text_format(t, "%s (*%sf%d)", ix_c_type((ilex_dtype)apply->dtype), how,
                   i);
    put_parameters(apply, t);
}

void
ix_emit_apply(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = s->value;
    int number = ix_unit_function(e->u, x);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const %s %s = ", ix_c_type(s->dtype),
                   ix_emit_defined(s).re);
    if (e->dialect->cuda)
        ix_text_put(t, name_of(e, number));
    else
        ix_text_format(t, "f%d", number);
    for (int i = 0; i < x->nops; i++)
        ix_text_format(t, "%s%s", i ? ", " : "(",
                       ix_emit_leaf(e, x->ops[i]).re);
    ix_text_put(t, ");");
    if (s->note && e->names)
        ix_text_format(t, " /* %s */", s->note);
    ix_text_char(t, '\n');
}

void
ix_emit_device_functions(const ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->u->nfunctions; i++) {
        const ilex_array *apply = e->u->function[i];
        const ilex_function_spec *f =
            ix_function_find(e->u->ctx, name_of(e, (int)i));
        if (f && f->elementwise_cuda)
            ix_text_format(t, "%s\n\n", f->elementwise_cuda);
        if (e->dialect->alone || (f && f->elementwise_cuda))
            continue;
        ix_text_format(t, "__device__ %s %s",
                       ix_c_type((ilex_dtype)apply->dtype), name_of(e, (int)i));
        put_parameters(apply, t);
        ix_text_put(t, ";\n\n");
    }
}
