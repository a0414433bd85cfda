/* SPDX-License-Identifier: MIT
 *
 * Loop nests and kernels. A kernel is a body, which takes the strides of
 * innermost axes as parameters, and an entry that calls it with constants
 * where they are all 1; in C the outermost loop runs over [begin, end), in
 * CUDA the rectangular outer loops are spread over threads.
 */
#include <stdio.h>

#include "compiler/emit.h"

/* One bound of a loop: the text of the largest lower or smallest upper one,
 * through variables when there are several. */
static void
bound(ix_emitter *e, int n, ilex_array *const *candidates, bool lower,
      const char *clip, char *text, size_t size)
{
    char best[256] = "";
    if (clip)
        snprintf(best, sizeof best, "%s", clip);
    for (int i = 0; i < n; i++) {
        ix_text t;
        int depth = 0;
        ix_text_init(&t, &e->mem);
        ix_emit_index(e, candidates[i], &t, &depth);
        const char *s = ix_text_string(&t);
        if (!*best && t.length > 100) {
            snprintf(best, sizeof best, "%s%d", lower ? "lo" : "hi", e->next++);
            ix_text *line = ix_emit_line(e, e->depth);
            ix_text_format(line, "const i64 %s = ", best);
            ix_text_put(line, s ? s : "");
            ix_text_put(line, ";\n");
        } else if (!*best) {
            snprintf(best, sizeof best, "%s", s ? s : "");
        } else {
            int v = e->next++;
            const char *name = lower ? "lo" : "hi";
            ix_emit_put(e, e->depth, "i64 %s%d = %s;", name, v, s ? s : "");
            ix_emit_put(e, e->depth, "%s%d = %s %s %s%d ? %s : %s%d;", name, v,
                        best, lower ? ">" : "<", name, v, best, name, v);
            snprintf(best, sizeof best, "%s%d", name, v);
        }
        ix_text_free(&t);
    }
    snprintf(text, size, "%s", best);
}

void
ix_emit_stores(ix_emitter *e, const ix_nest *nest)
{
    ix_name *v =
        ix_arena_new(e->arena, (size_t)nest->nstores * sizeof *v);
    for (int i = 0; i < nest->nstores; i++)
        v[i] = ix_emit_value(e, nest->store[i].value);
    for (int i = 0; i < nest->nstores; i++)
        ix_emit_store(e, nest->store[i].buffer, nest->nloops, &v[i]);
}

/* ---- C: a loop each, the outermost clipped to [begin, end) ---- */

/* Does [begin, end) say it all? The range is inside the kernel's box, so the
 * outermost loop of a nest that spans the box needs no other bounds. */
static bool
spans_box(ix_emitter *e, const ix_loop *loop)
{
    const ix_axis *ax = &e->kernel->box->ax[0];
    return loop->nlo == 1 && loop->nhi == 1 &&
           loop->lo[0] == ix_index_lin(e->u->ctx, ax->lo) &&
           loop->hi[0] == ix_index_lin(e->u->ctx, ax->hi);
}

static void
loop_bounds(ix_emitter *e, const ix_nest *nest, int k, char *lo, char *hi,
            size_t size)
{
    const ix_loop *loop = &nest->loop[k];
    bool spans = k == 0 && spans_box(e, loop);
    bound(e, spans ? 0 : loop->nlo, loop->lo, true, k ? NULL : "begin", lo,
          size);
    bound(e, spans ? 0 : loop->nhi, loop->hi, false, k ? NULL : "end", hi,
          size);
}

static void
emit_loops(ix_emitter *e, const ix_nest *nest, int k)
{
    char lo[256], hi[256], header[640];
    if (k == nest->nloops) {
        ix_emit_stores(e, nest);
        return;
    }
    const ix_loop *loop = &nest->loop[k];
    loop_bounds(e, nest, k, lo, hi, sizeof lo);
    if (k + 1 == nest->nloops && ix_emit_strips(e, nest, lo, hi))
        return;
    ix_emit_open(e);
    e->index_depth[loop->axis] = e->depth;
    emit_loops(e, nest, k + 1);
    if (loop->vector && *e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    snprintf(header, sizeof header, "for (i64 i%d = %s; i%d < %s; i%d++)",
             loop->axis, lo, loop->axis, hi, loop->axis);
    ix_emit_close(e, header);
    e->index_depth[loop->axis] = 0;
}

/* ---- CUDA: one thread per point of the rectangular outer loops ---- */

static bool
depends_on_index(const ix_loop *loop)
{
    for (int i = 0; i < loop->nlo; i++)
        if (loop->lo[i]->flags & IX_HAS_INDEX)
            return true;
    for (int i = 0; i < loop->nhi; i++)
        if (loop->hi[i]->flags & IX_HAS_INDEX)
            return true;
    return false;
}

/* Declares lo<k>, length<k> of the spread loops and their product. */
static void
spread_extents(ix_emitter *e, const ix_nest *nest, int spread)
{
    char lo[256], hi[256];
    for (int k = 0; k < spread; k++) {
        loop_bounds(e, nest, k, lo, hi, sizeof lo);
        ix_emit_put(e, e->depth, "const i64 from%d = %s;", k, lo);
        ix_emit_put(e, e->depth, "const i64 to%d = %s;", k, hi);
        ix_emit_put(e, e->depth,
                    "const i64 len%d = to%d > from%d ? to%d - from%d : 0;", k, k,
                    k, k, k);
    }
    ix_text *t = ix_emit_line(e, e->depth);
    ix_text_put(t, "const i64 total = ");
    for (int k = 0; k < spread; k++)
        ix_text_format(t, "%slen%d", k ? " * " : "", k);
    ix_text_put(t, spread ? ";\n" : "1;\n");
}

/* i<k> from the flat thread number g, last loop fastest. */
static void
spread_indices(ix_emitter *e, const ix_nest *nest, int spread)
{
    if (spread)
        ix_emit_put(e, e->depth, "i64 f = g;");
    for (int k = spread - 1; k >= 0; k--) {
        e->index_depth[nest->loop[k].axis] = e->depth;
        if (k == 0) {
            ix_emit_put(e, e->depth, "const i64 i%d = from%d + f;",
                        nest->loop[k].axis, k);
            continue;
        }
        ix_emit_put(e, e->depth, "const i64 i%d = from%d + f %% len%d;",
                    nest->loop[k].axis, k, k);
        ix_emit_put(e, e->depth, "f = f / len%d;", k);
    }
}

static void
emit_inner_loops(ix_emitter *e, const ix_nest *nest, int k)
{
    char lo[256], hi[256], header[640];
    if (k == nest->nloops) {
        ix_emit_stores(e, nest);
        return;
    }
    const ix_loop *loop = &nest->loop[k];
    bound(e, loop->nlo, loop->lo, true, NULL, lo, sizeof lo);
    bound(e, loop->nhi, loop->hi, false, NULL, hi, sizeof hi);
    ix_emit_open(e);
    e->index_depth[loop->axis] = e->depth;
    emit_inner_loops(e, nest, k + 1);
    snprintf(header, sizeof header, "for (i64 i%d = %s; i%d < %s; i%d++)",
             loop->axis, lo, loop->axis, hi, loop->axis);
    ix_emit_close(e, header);
    e->index_depth[loop->axis] = 0;
}

static void
emit_threads(ix_emitter *e, const ix_nest *nest)
{
    int spread = 0;
    while (spread < nest->nloops && !depends_on_index(&nest->loop[spread]))
        spread++;
    ix_emit_open(e);
    spread_extents(e, nest, spread);
    ix_emit_open(e);
    spread_indices(e, nest, spread);
    emit_inner_loops(e, nest, spread);
    ix_emit_close(e, "for (i64 g = (i64)blockIdx.x * blockDim.x + threadIdx.x;"
                     " g < total; g += (i64)gridDim.x * blockDim.x)");
    ix_emit_close(e, "");
    for (int k = 0; k < nest->nloops; k++)
        e->index_depth[k] = 0;
}

/* ---- kernels ---- */

static void
reset(ix_emitter *e, const ix_kernel *k)
{
    ix_unit *u = e->u;
    size_t strides = 1;
    for (size_t i = 0; i < u->nbuffers; i++)
        strides += (size_t)u->buffer[i].box->rank;
    e->kernel = k;
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

/* Pointers, strides and sizes that the body uses. */
static void
declare_arguments(ix_emitter *e, ix_text *t)
{
    ix_unit *u = e->u;
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        bool written =
            b->role == IX_ROLE_OUTPUT || b->role == IX_ROLE_TEMP;
        const char *type = ix_c_type(b->dtype);
        if (e->uses_buffer[i])
            ix_text_format(t, "    %s%s *const b%d = (%s%s *)a->base[%d];%s%s%s\n",
                           written ? "" : "const ", type, (int)i,
                           written ? "" : "const ", type, (int)i,
                           e->names && *b->name ? " /* " : "",
                           e->names ? b->name : "",
                           e->names && *b->name ? " */" : "");
    }
    for (size_t i = 0; i < u->nbuffers; i++)
        for (int k = 0; k < u->buffer[i].box->rank; k++)
            if (e->uses_stride[e->first_stride[i] + k] &&
                !is_inner(e, (int)i, k))
                ix_text_format(t,
                               "    const i64 s%d_%d = a->stride[%d];\n",
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
    ix_text_format(t, " on [%s] */\n",
                   ix_domain_show(e->u->ctx, k->box).s);
}

static void
put_parameters(ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->ninner; i++)
        ix_text_format(t, ", const i64 s%d_%d", e->inner[i].buffer,
                       e->inner[i].axis);
    ix_text_put(t, ")\n{\n");
}

/* "return k0_body(a, begin, end, ...);" with strides or ones. */
static void
put_call(ix_emitter *e, int number, bool ones, ix_text *t)
{
    ix_text_format(t, "return k%d_body(a, begin, end", number);
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
    ix_text_format(t, cuda ? "extern \"C\" __global__ void\n"
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
    for (const ix_nest *n = k->nests; n; n = n->next) {
        if (e->dialect->cuda)
            emit_threads(e, n);
        else
            emit_loops(e, n, 0);
    }
    const char *body = ix_text_string(&e->block[0].text);
    put_comment(e, k, t);
    ix_text_format(t, "%s%s%s\nk%d_body(const ilex_kernel_args *const a, "
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
