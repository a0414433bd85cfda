/* SPDX-License-Identifier: MIT
 *
 * Kernels: the struct of their arguments, a body, which takes the
 * strides of innermost axes as parameters, and an entry that calls it with
 * constants where they are all 1.
 */
#include "compiler/emit/emit.h"

#include "lib/ops/dtype.h"

static void
reset(ix_emitter *e, const ix_kernel *k, ix_kernel_layout *layout)
{
    ix_unit *u = e->u;
    size_t strides = 1;
    for (size_t i = 0; i < u->nbuffers; i++)
        strides += (size_t)u->buffer[i].box->rank;
    e->kernel = k;
    e->layout = layout;
    e->field_capacity = 0;
    memset(layout, 0, sizeof *layout);
    e->depth = e->floor = e->next = 0;
    e->block[0].id = ++e->next_block;
    e->block[0].indent = 0;
    ix_text_init(&e->block[0].text, &e->mem);
    e->nnames = e->nrows = e->ninner = 0;
    ix_map_free(&e->value, &e->mem);
    memset(e->index_depth, 0, sizeof e->index_depth);
    memset(e->rindex_depth, 0, sizeof e->rindex_depth);
    memset(e->uses_buffer, 0, u->nbuffers + 1);
    memset(e->uses_stride, 0, strides);
    memset(e->uses_size, 0, u->ctx->nparams + 1);
}

static bool
is_inner(const ix_emitter *e, int buffer, int axis)
{
    for (size_t i = 0; i < e->ninner; i++)
        if (e->inner[i].buffer == buffer && e->inner[i].axis == axis)
            return true;
    return false;
}

/* ---- arguments ---- */

enum { PARAMETERS = 4000 }; /* bytes that CUDA passes by value, and a reserve */

static void
add_field(ix_emitter *e, ix_field_kind kind, int index, size_t align,
          size_t bytes)
{
    ix_kernel_layout *l = e->layout;
    l->bytes = (l->bytes + align - 1) / align * align;
    ix_arena_grow(e->arena, &l->field, &e->field_capacity, l->nfields + 1,
                  sizeof *l->field);
    l->field[l->nfields++] = (ix_field){kind, index, (int)l->bytes};
    l->bytes += bytes;
}

/* Does a kernel get this buffer's element itself where a pointer to it would
 * lead to the host? */
static bool
by_value(const ix_emitter *e, const ix_buffer *b)
{
    return e->dialect->cuda && b->box->rank == 0 &&
           (b->role == IX_ROLE_INPUT || b->role == IX_ROLE_DATA);
}

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

static void
put_buffer_fields(ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->u->nbuffers; i++) {
        const ix_buffer *b = &e->u->buffer[i];
        const char *type = ix_c_type(b->dtype);
        size_t parts = ix_dtype_is_complex(b->dtype) ? 2 : 1;
        size_t bytes = ilex_dtype_bytes(b->dtype);
        if (!e->uses_buffer[i])
            continue;
        ix_text_format(t, "    %s%s *b%d;", is_written(b) ? "" : "const ", type,
                       (int)i);
        end_line(e, b->name, t);
        add_field(e, IX_FIELD_BUFFER, (int)i, sizeof(void *), sizeof(void *));
        if (!by_value(e, b))
            continue;
        ix_text_format(t, "    %s v%d[%d];\n", type, (int)i, (int)parts);
        add_field(e, IX_FIELD_VALUE, (int)i, bytes / parts, bytes);
    }
}

/* The struct of all that the kernel uses: pointers to elements (0, ..., 0),
 * strides in elements, sizes. */
static void
put_arguments(ix_emitter *e, ix_text *t)
{
    ix_unit *u = e->u;
    ix_text_put(t, "typedef struct {\n");
    put_buffer_fields(e, t);
    for (size_t i = 0; i < u->nbuffers; i++)
        for (int k = 0; k < u->buffer[i].box->rank; k++) {
            int at = e->first_stride[i] + k;
            if (!e->uses_stride[at])
                continue;
            ix_text_format(t, "    i64 s%d_%d;\n", (int)i, k);
            add_field(e, IX_FIELD_STRIDE, at, sizeof(int64_t), sizeof(int64_t));
        }
    for (size_t p = 0; p < u->ctx->nparams; p++) {
        if (!e->uses_size[p])
            continue;
        ix_text_format(t, "    i64 n%d;", (int)p);
        end_line(e, ix_param_name(u->ctx, (int32_t)p), t);
        add_field(e, IX_FIELD_SIZE, (int)p, sizeof(int64_t), sizeof(int64_t));
    }
    ix_text_format(t, "} k%d_args;\n\n", e->kernel->number);
    e->layout->bytes = (e->layout->bytes + 7) / 8 * 8;
    e->layout->indirect = e->dialect->cuda && e->layout->bytes > PARAMETERS;
}

/* "b<i>" of a buffer that may come by value: its element in an array of one. */
static void
declare_value(const ix_emitter *e, size_t i, ix_text *t)
{
    const ix_buffer *b = &e->u->buffer[i];
    int parts = ix_dtype_is_complex(b->dtype) ? 2 : 1;
    ix_text_format(t, "    const %s b%d[%d] = {", ix_c_type(b->dtype), (int)i,
                   parts);
    for (int part = 0; part < parts; part++)
        ix_text_format(t, "%sa->b%d ? a->b%d[%d] : a->v%d[%d]",
                       part ? ", " : "", (int)i, (int)i, part, (int)i, part);
    ix_text_put(t, "};\n");
}

/* Pointers, strides and sizes under the names that the body uses. */
static void
declare_arguments(ix_emitter *e, ix_text *t)
{
    ix_unit *u = e->u;
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        if (e->uses_buffer[i] && by_value(e, b))
            declare_value(e, i, t);
        else if (e->uses_buffer[i])
            ix_text_format(t, "    %s%s *const b%d = a->b%d;\n",
                           is_written(b) ? "" : "const ", ix_c_type(b->dtype),
                           (int)i, (int)i);
    }
    for (size_t i = 0; i < u->nbuffers; i++)
        for (int k = 0; k < u->buffer[i].box->rank; k++)
            if (e->uses_stride[e->first_stride[i] + k] &&
                !is_inner(e, (int)i, k))
                ix_text_format(t, "    const i64 s%d_%d = a->s%d_%d;\n", (int)i,
                               k, (int)i, k);
    for (size_t p = 0; p < u->ctx->nparams; p++)
        if (e->uses_size[p])
            ix_text_format(t, "    const i64 n%d = a->n%d;\n", (int)p, (int)p);
}

/* ---- functions ---- */

/* "k0: writes v over [...]", only with names: no user text otherwise. */
static void
put_comment(ix_emitter *e, const ix_kernel *k, ix_text *t)
{
    if (!e->names)
        return;
    ix_text_format(t, "/* k%d computes", k->number);
    for (int i = 0; k->nests && i < k->nests->nstores; i++) {
        const ix_buffer *b = &e->u->buffer[k->nests->store[i].buffer];
        ix_text_format(t, "%s ", i ? "," : "");
        if (*b->name)
            ix_text_put(t, b->name);
        else
            ix_text_format(t, "temporary b%d", k->nests->store[i].buffer);
    }
    ix_text_format(t, " on [%s] */\n", ix_domain_show(e->u->ctx, k->box).s);
}

static void
put_parameters(ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->ninner; i++)
        ix_text_format(t, "%sconst i64 s%d_%d", i % 5 ? ", " : ",\n        ",
                       e->inner[i].buffer, e->inner[i].axis);
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
    for (size_t i = 0; i < e->ninner; i++) {
        const ix_inner_stride *s = &e->inner[i];
        ix_text_format(t, ones ? ", 1" : ", a->s%d_%d", s->buffer, s->axis);
    }
    ix_text_put(t, ");\n");
}

/* Whether the kernel has a variant for strides of 1. */
static bool
has_variant(const ix_emitter *e)
{
    return e->ninner && *e->dialect->vector_pragma;
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
        for (size_t i = 0; i < e->ninner; i++)
            ix_text_format(t, "%sa->s%d_%d == 1", i ? " && " : "",
                           e->inner[i].buffer, e->inner[i].axis);
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
    bool indirect = e->layout->indirect;
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
ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_kernel_layout *layout,
               ix_text *t)
{
    bool cuda = e->dialect->cuda;
    reset(e, k, layout);
    for (const ix_nest *n = k->nests; n; n = n->next)
        ix_emit_nest(e, n);
    const char *body = ix_text_string(&e->block[0].text);
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
    ix_text_free(&e->block[0].text);
    return ok && e->u->ctx->error.code == ILEX_OK;
}
