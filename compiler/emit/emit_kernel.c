/* SPDX-License-Identifier: MIT
 *
 * Kernels: the struct of their arguments, a body, which takes the
 * strides of innermost axes as parameters, and an entry that calls it with
 * constants where they are all 1.
 */
#include "compiler/emit/emit.h"

#include "lib/ops/dtype.h"

/* Does the body take this stride as a parameter? */
static bool
is_unit(const ix_emitter *e, const ix_field *f)
{
    for (size_t i = 0; i < e->kernel->nunits; i++)
        if (e->kernel->unit[i] == f->index &&
            f->axis + 1 == e->u->buffer[f->index].box->rank)
            return true;
    return false;
}

/* ---- arguments ---- */

static bool
is_written(const ix_buffer *b)
{
    return b->role == IX_ROLE_OUTPUT || b->role == IX_ROLE_TEMP;
}

/* The user's name as a comment, then the end of the line. */
static void
end_line(const ix_emitter *e, const char *name, ix_text *t)
{
    if (e->names && *name)
        ix_text_format(t, " /* %s */", name);
    ix_text_char(t, '\n');
}

/* A member of the struct. */
static void
put_field(const ix_emitter *e, const ix_field *f, ix_text *t)
{
    const ix_buffer *b = &e->u->buffer[f->index];
    switch (f->kind) {
    case IX_FIELD_BUFFER:
        ix_text_format(t, "    %s%s *b%d;", is_written(b) ? "" : "const ",
                       ix_c_type(b->dtype), f->index);
        end_line(e, b->name, t);
        break;
    case IX_FIELD_VALUE:
        ix_text_format(t, "    %s v%d[%d];\n", ix_c_type(b->dtype), f->index,
                       ix_dtype_is_complex(b->dtype) ? 2 : 1);
        break;
    case IX_FIELD_STRIDE:
        ix_text_format(t, "    i64 s%d_%d;\n", f->index, f->axis);
        break;
    case IX_FIELD_SIZE:
        ix_text_format(t, "    i64 n%d;", f->index);
        end_line(e, ix_param_name(e->u->ctx, (int32_t)f->index), t);
        break;
    }
}

/* The struct of all that the kernel uses: pointers to elements (0, ..., 0),
 * strides in elements, sizes. */
static void
put_arguments(const ix_emitter *e, ix_text *t)
{
    const ix_kernel_layout *l = e->kernel->layout;
    ix_text_put(t, "typedef struct {\n");
    for (size_t i = 0; i < l->nfields; i++)
        put_field(e, &l->field[i], t);
    ix_text_put(t, l->nfields ? "" : "    i64 nothing;\n");
    ix_text_format(t, "} k%d_args;\n\n", e->kernel->number);
}

/* "b<i>" of a buffer that may come by value: its element in an array of one. */
static void
declare_value(const ix_emitter *e, int i, ix_text *t)
{
    const ix_buffer *b = &e->u->buffer[i];
    int parts = ix_dtype_is_complex(b->dtype) ? 2 : 1;
    ix_text_format(t, "    const %s b%d[%d] = {", ix_c_type(b->dtype), i,
                   parts);
    for (int part = 0; part < parts; part++)
        ix_text_format(t, "%sa->b%d ? a->b%d[%d] : a->v%d[%d]",
                       part ? ", " : "", i, i, part, i, part);
    ix_text_put(t, "};\n");
}

/* A pointer under the name that the body uses; "next": the field behind. */
static void
declare_buffer(const ix_emitter *e, const ix_field *f, bool value, ix_text *t)
{
    const ix_buffer *b = &e->u->buffer[f->index];
    if (value)
        declare_value(e, f->index, t);
    else
        ix_text_format(t, "    %s%s *const b%d = a->b%d;\n",
                       is_written(b) ? "" : "const ", ix_c_type(b->dtype),
                       f->index, f->index);
}

/* Pointers, strides and sizes under the names that the body uses. */
static void
declare_arguments(const ix_emitter *e, ix_text *t)
{
    const ix_kernel_layout *l = e->kernel->layout;
    for (size_t i = 0; i < l->nfields; i++) {
        const ix_field *f = &l->field[i];
        if (f->kind == IX_FIELD_BUFFER)
            declare_buffer(
                e, f, i + 1 < l->nfields && f[1].kind == IX_FIELD_VALUE, t);
        else if (f->kind == IX_FIELD_STRIDE && !is_unit(e, f))
            ix_text_format(t, "    const i64 s%d_%d = a->s%d_%d;\n", f->index,
                           f->axis, f->index, f->axis);
        else if (f->kind == IX_FIELD_SIZE)
            ix_text_format(t, "    const i64 n%d = a->n%d;\n", f->index,
                           f->index);
    }
}

/* ---- functions ---- */

/* "k0: writes v over [...]", only with names: no user text otherwise. */
static void
put_comment(ix_emitter *e, const ix_kernel *k, ix_text *t)
{
    if (!e->names)
        return;
    const char *separator = " ";
    ix_text_format(t, "/* k%d computes", k->number);
    for (const ix_stmt *x = ix_nest_body(k->nests); x; x = x->next) {
        const ix_buffer *b = &e->u->buffer[x->at.buffer];
        ix_text_put(t, separator);
        if (*b->name)
            ix_text_put(t, b->name);
        else
            ix_text_format(t, "temporary b%d", x->at.buffer);
        separator = ", ";
    }
    ix_text_format(t, " on [%s] */\n", ix_domain_show(e->u->ctx, k->box).s);
}

/* Where the last stride of a buffer stands. */
static int
last_axis(const ix_emitter *e, int buffer)
{
    return e->u->buffer[buffer].box->rank - 1;
}

static void
put_parameters(const ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->kernel->nunits; i++) {
        int buffer = e->kernel->unit[i];
        ix_text_format(t, "%sconst i64 s%d_%d", i % 5 ? ", " : ",\n        ",
                       buffer, last_axis(e, buffer));
    }
    ix_text_put(t, ")\n{\n");
}

/* "return k0_body(a, begin, end, local, ...);" with strides or ones; CUDA's
 * entry returns nothing and has no local. */
static void
put_call(ix_emitter *e, int number, bool ones, ix_text *t)
{
    ix_text_format(t,
                   e->dialect->cuda ? "k%d_body(a, begin, end"
                                    : "return k%d_body(a, begin, end, local",
                   number);
    for (size_t i = 0; i < e->kernel->nunits; i++) {
        int buffer = e->kernel->unit[i];
        ix_text_format(t, ones ? ", 1" : ", a->s%d_%d", buffer,
                       last_axis(e, buffer));
    }
    ix_text_put(t, ");\n");
}

/* Whether the kernel has a variant for strides of 1. */
static bool
has_variant(const ix_emitter *e)
{
    return e->kernel->nunits && *e->dialect->vector_pragma;
}

/* The variant for other strides, kept small: it is the rare one, and gathers
 * would take longer to compile than everything else. */
static void
put_any_stride(ix_emitter *e, int number, ix_text *t)
{
    if (e->names)
        ix_text_put(t, "/* for strides that are not all 1; seldom called */\n");
    ix_text_format(t,
                   "static __attribute__((cold, noinline)) i32\n"
                   "k%d_any(const k%d_args *a, i64 begin, i64 end, ilex_local "
                   "*local)\n{\n    ",
                   number, number);
    put_call(e, number, false, t);
    ix_text_put(t, "}\n\n");
}

/* The function that is called; it chooses the variant. */
static void
put_entry(ix_emitter *e, int number, ix_text *t)
{
    ix_text_format(
        t,
        "i32\nk%d(const k%d_args *a, i64 begin, i64 end, ilex_local *local)"
        "\n{\n",
        number, number);
    if (has_variant(e)) {
        ix_text_put(t, "    if (");
        for (size_t i = 0; i < e->kernel->nunits; i++)
            ix_text_format(t, "%sa->s%d_%d == 1", i ? " && " : "",
                           e->kernel->unit[i],
                           last_axis(e, e->kernel->unit[i]));
        ix_text_put(t, ")\n        ");
        put_call(e, number, true, t);
        ix_text_format(t, "    return k%d_any(a, begin, end, local);\n",
                       number);
    } else {
        ix_text_put(t, "    ");
        put_call(e, number, false, t);
    }
    ix_text_put(t, "}\n");
}

/* CUDA's: the arguments go by value, or by a pointer where they are many. */
static void
put_cuda_entry(ix_emitter *e, int number, ix_text *t)
{
    bool indirect = e->kernel->layout->indirect;
    ix_text_format(
        t,
        "extern \"C\" __global__ void\nk%d(const k%d_args %s, i64 begin, "
        "i64 end)\n{\n",
        number, number, indirect ? "*const a" : "args");
    if (!indirect)
        ix_text_format(t, "    const k%d_args *const a = &args;\n", number);
    ix_text_put(t, "    ");
    put_call(e, number, false, t);
    ix_text_put(t, "}\n");
}

bool
ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_text *t)
{
    bool cuda = e->dialect->cuda;
    ix_text text;
    ix_text_init(&text, &e->mem);
    e->kernel = k;
    e->next = k->nvalues;
    e->t = &text;
    e->indent = 1;
    ix_emit_stmts(e, k->body);
    const char *body = ix_text_string(&text);
    put_arguments(e, t);
    put_comment(e, k, t);
    ix_text_format(t,
                   "%s%s%s\nk%d_body(const k%d_args *const a, const i64 begin, "
                   "const i64 end%s",
                   e->dialect->functions.qualifier,
                   has_variant(e) ? " __attribute__((always_inline))" : "",
                   cuda ? " void" : " i32", k->number, k->number,
                   cuda ? "" : ",\n        ilex_local *const local");
    put_parameters(e, t);
    declare_arguments(e, t);
    ix_text_put(t, body ? body : "");
    ix_text_put(t, cuda ? "}\n\n" : "    return 0;\n}\n\n");
    if (has_variant(e))
        put_any_stride(e, k->number, t);
    if (cuda)
        put_cuda_entry(e, k->number, t);
    else
        put_entry(e, k->number, t);
    bool ok = body != NULL && !t->failed;
    ix_text_free(&text);
    return ok && e->u->ctx->error.code == ILEX_OK;
}
