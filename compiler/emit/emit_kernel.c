/* SPDX-License-Identifier: MIT
 *
 * Kernels: a body, which takes the strides of innermost axes as parameters,
 * and an entry that calls it with constants where they are all 1.
 */
#include "compiler/emit/emit.h"

static void
reset(ix_emitter *e, const ix_kernel *k)
{
    ix_unit *u = e->u;
    size_t strides = 1;
    for (size_t i = 0; i < u->nbuffers; i++)
        strides += (size_t)u->buffer[i].box->rank;
    e->kernel = k;
    e->depth = e->floor = e->next = 0;
    ix_emit_room(e, 0);
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

/* Pointers, strides and sizes that the body uses. */
static void
declare_arguments(ix_emitter *e, ix_text *t)
{
    ix_unit *u = e->u;
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        bool written = b->role == IX_ROLE_OUTPUT || b->role == IX_ROLE_TEMP;
        const char *type = ix_c_type(b->dtype);
        if (e->uses_buffer[i])
            ix_text_format(
                t, "    %s%s *const b%d = (%s%s *)a->base[%d];%s%s%s\n",
                written ? "" : "const ", type, (int)i, written ? "" : "const ",
                type, (int)i, e->names && *b->name ? " /* " : "",
                e->names ? b->name : "", e->names && *b->name ? " */" : "");
    }
    for (size_t i = 0; i < u->nbuffers; i++)
        for (int k = 0; k < u->buffer[i].box->rank; k++)
            if (e->uses_stride[e->first_stride[i] + k] &&
                !is_inner(e, (int)i, k))
                ix_text_format(t, "    const i64 s%d_%d = a->stride[%d];\n",
                               (int)i, k, e->first_stride[i] + k);
    for (size_t p = 0; p < u->ctx->nparams; p++)
        if (e->uses_size[p])
            ix_text_format(t, "    const i64 n%d = a->size[%d];%s%s%s\n",
                           (int)p, (int)p, e->names ? " /* " : "",
                           e->names ? ix_param_name(u->ctx, (int32_t)p) : "",
                           e->names ? " */" : "");
}

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

/* "return k0_body(a, begin, end, ...);" with strides or ones; CUDA's entry
 * returns nothing. */
static void
put_call(ix_emitter *e, int number, bool ones, ix_text *t)
{
    ix_text_format(t, "%sk%d_body(a, begin, end",
                   e->dialect->cuda ? "" : "return ", number);
    for (size_t i = 0; i < e->ninner; i++) {
        int at = e->first_stride[e->inner[i].buffer] + e->inner[i].axis;
        ix_text_format(t, ones ? ", 1" : ", a->stride[%d]", at);
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
                   "k%d_any(const ilex_kernel_args *a, i64 begin, i64 end)\n"
                   "{\n    ",
                   number);
    put_call(e, number, false, t);
    ix_text_put(t, "}\n\n");
}

/* The function that is called; it chooses the variant. */
static void
put_entry(ix_emitter *e, int number, ix_text *t)
{
    bool cuda = e->dialect->cuda;
    ix_text_format(t,
                   cuda ? "extern \"C\" __global__ void\n"
                          "k%d(const ilex_kernel_args args, i64 begin, i64 "
                          "end)\n{\n"
                        : "i32\nk%d(const ilex_kernel_args *a, i64 begin, "
                          "i64 end)\n{\n",
                   number);
    if (cuda)
        ix_text_put(t, "    const ilex_kernel_args *const a = &args;\n");
    if (has_variant(e)) {
        ix_text_put(t, "    if (");
        for (size_t i = 0; i < e->ninner; i++)
            ix_text_format(t, "%sa->stride[%d] == 1", i ? " && " : "",
                           e->first_stride[e->inner[i].buffer] +
                               e->inner[i].axis);
        ix_text_put(t, ")\n        ");
        put_call(e, number, true, t);
        ix_text_format(t, "    return k%d_any(a, begin, end);\n", number);
    } else {
        ix_text_put(t, "    ");
        put_call(e, number, false, t);
    }
    ix_text_put(t, "}\n");
}

bool
ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_text *t)
{
    reset(e, k);
    for (const ix_nest *n = k->nests; n; n = n->next)
        ix_emit_nest(e, n);
    const char *body = ix_text_string(&e->block[0].text);
    put_comment(e, k, t);
    ix_text_format(t,
                   "%s%s%s\nk%d_body(const ilex_kernel_args *const a, "
                   "const i64 begin, const i64 end",
                   e->dialect->functions.qualifier,
                   has_variant(e) ? " __attribute__((always_inline))" : "",
                   e->dialect->cuda ? " void" : " i32", k->number);
    put_parameters(e, t);
    declare_arguments(e, t);
    ix_text_put(t, body ? body : "");
    ix_text_put(t, e->dialect->cuda ? "}\n\n" : "    return 0;\n}\n\n");
    if (has_variant(e))
        put_any_stride(e, k->number, t);
    put_entry(e, k->number, t);
    bool ok = body != NULL && !t->failed;
    ix_text_free(&e->block[0].text);
    return ok && e->u->ctx->error.code == ILEX_OK;
}
