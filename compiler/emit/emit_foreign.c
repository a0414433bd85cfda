/* SPDX-License-Identifier: MIT
 *
 * Foreign functions of numbers. C calls them through pointers among a kernel's
 * arguments, so that no text, and no key that is made of it, knows where they
 * are; CUDA has their text, and functions of ours that call them, since theirs
 * may be a name in a kernel.
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
    const ilex_array *x = ix_let_value(s);
    const char *prefix = e->dialect->cuda ? "ilex_" : "";
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const %s %s = %sf%d", ix_c_type(s->dtype),
                   ix_emit_defined(s).re, prefix, ix_unit_function(e->u, x));
    for (int i = 0; i < x->nops; i++)
        ix_text_format(t, "%s%s", i ? ", " : "(",
                       ix_emit_leaf(e, x->ops[i]).re);
    ix_text_put(t, ");");
    if (s->note && e->names)
        ix_text_format(t, " /* %s */", s->note);
    ix_text_char(t, '\n');
}

/* "static __device__ f64 ilex_f0(f64 x0, f64 x1)": it calls the function. */
static void
put_call(const ix_emitter *e, int i, ix_text *t)
{
    const ilex_array *apply = e->u->function[i];
    const char *type = ix_c_type((ilex_dtype)apply->dtype);
    ix_text_format(t, "static __device__ %s\nilex_f%d(", type, i);
    for (int k = 0; k < apply->nops; k++)
        ix_text_format(t, "%s%s x%d", k ? ", " : "", type, k);
    ix_text_format(t, ")\n{\n    return %s(", name_of(e, i));
    for (int k = 0; k < apply->nops; k++)
        ix_text_format(t, "%sx%d", k ? ", " : "", k);
    ix_text_put(t, ");\n}\n\n");
}

void
ix_emit_device_functions(const ix_emitter *e, ix_text *t)
{
    for (int i = 0; (size_t)i < e->u->nfunctions; i++) {
        const ilex_array *apply = e->u->function[i];
        const char *name = name_of(e, i);
        const ilex_function_spec *f = ix_function_find(e->u->ctx, name);
        if (f && f->elementwise_cuda) {
            ix_text_format(t, "%s\n\n", f->elementwise_cuda);
        } else if (!e->dialect->alone) {
            ix_text_format(t, "__device__ %s %s",
                           ix_c_type((ilex_dtype)apply->dtype), name);
            put_parameters(apply, t);
            ix_text_put(t, ";\n\n");
        }
        put_call(e, i, t);
    }
}
