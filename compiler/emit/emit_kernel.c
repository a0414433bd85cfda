/* SPDX-License-Identifier: MIT
 *
 * Kernels: the struct of their arguments, a body, which takes the
 * strides of innermost axes as parameters, and an entry that calls it with
 * constants where they are all 1.
 */
#include "compiler/emit/emit.h"

#include "lib/build/foreign.h"
#include "lib/ops/dtype.h"

/* ---- strides ---- */

/* Is the last stride of a buffer 1 in every run of the kernel? Temporaries are
 * dense. */
static bool
is_dense(const ix_emitter *e, const ix_kernel *k, int buffer)
{
    const ix_condition *c = k->condition;
    const ix_buffer *b = &e->u->buffer[buffer];
    return b->role == IX_ROLE_TEMP || (c && !c->form && c->buffer == buffer &&
                                       c->axis + 1 == b->box->rank);
}

/* The same of what takes the buffer's place in kernels that share a function.
 */
static bool
is_always_dense(const ix_emitter *e, int buffer)
{
    const ix_ints *own = &e->kernel->buffers;
    size_t at = 0;
    while (at < own->count && own->item[at] != buffer)
        at++;
    bool dense = is_dense(e, e->kernel, buffer);
    for (const ix_kernel *k = e->kernel->alike; dense && k; k = k->alike)
        dense = is_dense(e, k, k->buffers.item[at]);
    return dense;
}

/* What the body does with the strides of innermost axes: it takes those that
 * may be 1 as parameters, but for a device, and knows those that are. */
static bool
is_unit(const ix_emitter *e, const ix_field *f)
{
    for (size_t i = 0; i < e->kernel->nunit_strides; i++)
        if (e->kernel->unit_stride[i] == f->index &&
            f->axis + 1 == e->u->buffer[f->index].box->rank)
            return true;
    return false;
}

static bool
is_parameter(const ix_emitter *e, size_t i)
{
    return !e->dialect->cuda && !is_always_dense(e, e->kernel->unit_stride[i]);
}

static size_t
count_parameters(const ix_emitter *e)
{
    size_t count = 0;
    for (size_t i = 0; i < e->kernel->nunit_strides; i++)
        count += is_parameter(e, i);
    return count;
}

typedef enum shape {
#define IX_SHAPE(name, text) SHAPE_##name,
#include "compiler/emit/shapes.def"
    NSHAPES
} shape_id;

/* ---- arguments ---- */

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
    const ix_buffer *b =
        f->kind < IX_FIELD_SIZE ? &e->u->buffer[f->index] : NULL;
    switch (f->kind) {
    case IX_FIELD_BUFFER:
        ix_text_format(t, "    %s%s *b%d;",
                       ix_buffer_is_written(b) ? "" : "const ",
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
    case IX_FIELD_STATUS:
        ix_text_put(t, "    i64 *status;\n");
        break;
    case IX_FIELD_SIZE:
        ix_text_format(t, "    i64 n%d;", f->index);
        end_line(e, ix_param_name(e->u->ctx, (int32_t)f->index), t);
        break;
    case IX_FIELD_OFFSET:
        ix_text_format(t, "    %s o%d;\n", ix_c_type(f->number.dtype),
                       f->index);
        break;
    case IX_FIELD_FUNCTION:
        ix_text_put(t, "    ");
        ix_emit_function_pointer(e, f->index, "", t);
        ix_text_char(t, ';');
        end_line(e,
                 ix_symbol_text(e->u->ctx,
                                ix_foreign_name(e->u->function[f->index])),
                 t);
        break;
    }
}

/* The members of the struct. */
static void
put_fields(const ix_emitter *e, ix_text *t)
{
    const ix_kernel_layout *l = e->kernel->layout;
    for (size_t i = 0; i < l->nfields; i++)
        put_field(e, &l->field[i], t);
    ix_text_put(t, l->nfields ? "" : "    i64 nothing;\n");
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

static const char *
index_type(const ix_emitter *e)
{
    return e->dialect->cuda ? "index_t" : "i64";
}

static void
declare_stride(const ix_emitter *e, const ix_field *f, ix_text *t)
{
    bool unit = is_unit(e, f);
    if (unit && is_always_dense(e, f->index))
        ix_text_format(t, "    const %s s%d_%d = 1;\n", index_type(e), f->index,
                       f->axis);
    else if (!unit || e->dialect->cuda)
        ix_text_format(t, "    const %s s%d_%d = a->s%d_%d;\n", index_type(e),
                       f->index, f->axis, f->index, f->axis);
}

/* What the body calls by another name than "a->...". */
static void
put_local(const ix_emitter *e, const ix_field *f, bool value, ix_text *t)
{
    const ix_buffer *b =
        f->kind < IX_FIELD_SIZE ? &e->u->buffer[f->index] : NULL;
    if (f->kind == IX_FIELD_BUFFER && value)
        declare_value(e, f->index, t);
    else if (f->kind == IX_FIELD_BUFFER)
        ix_text_format(t, "    %s%s *const b%d = a->b%d;\n",
                       ix_buffer_is_written(b) ? "" : "const ",
                       ix_c_type(b->dtype), f->index, f->index);
    else if (f->kind == IX_FIELD_STRIDE)
        declare_stride(e, f, t);
    else if (f->kind == IX_FIELD_SIZE)
        ix_text_format(t, "    const %s n%d = a->n%d;\n", index_type(e),
                       f->index, f->index);
    else if (f->kind == IX_FIELD_OFFSET)
        ix_text_format(t, "    const %s o%d = a->o%d;\n",
                       f->number.dtype == ILEX_I64 ? index_type(e)
                                                   : ix_c_type(f->number.dtype),
                       f->index, f->index);
    else if (f->kind == IX_FIELD_FUNCTION) {
        ix_text_put(t, "    ");
        ix_emit_function_pointer(e, f->index, "const ", t);
        ix_text_format(t, " = a->f%d;\n", f->index);
    }
}

static void
put_locals(const ix_emitter *e, ix_text *t)
{
    const ix_kernel_layout *l = e->kernel->layout;
    for (size_t i = 0; i < l->nfields; i++)
        put_local(e, &l->field[i],
                  i + 1 < l->nfields && l->field[i + 1].kind == IX_FIELD_VALUE,
                  t);
}

/* ---- shapes ---- */

static void
put_number(const ix_emitter *e, ix_text *t)
{
    ix_text_int(t, e->kernel->number);
}

static void
put_qualifier(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, e->dialect->functions.qualifier);
}

/* "k0 computes v on [...]" of the kernel and of those that share its function;
 * only with names: no user text otherwise. */
static void
put_comment(const ix_emitter *e, ix_text *t)
{
    for (const ix_kernel *k = e->kernel; e->names && k; k = k->alike) {
        const char *separator = " ";
        ix_text_format(t, "/* k%d computes", k->number);
        for (const ix_stmt *x = ix_nest_body(k->nests); x; x = x->next) {
            const ix_buffer *b = &e->u->buffer[x->buffer];
            if (x->buffer < 0)
                continue;
            ix_text_put(t, separator);
            if (*b->name)
                ix_text_put(t, b->name);
            else
                ix_text_format(t, "temporary b%d", x->buffer);
            separator = ", ";
        }
        ix_text_format(t, " on [%s]%s */\n",
                       ix_domain_show(e->u->ctx, k->box).s,
                       k->like ? ", the same way" : "");
    }
}

/* Is the kernel there twice, the second time for processors that have fused
 * multiply-adds? */
static bool
is_twice(const ix_emitter *e)
{
    return e->dialect->alone && !e->dialect->cuda && e->kernel->layout->fused;
}

/* Always: callers pass constants, whatever its length. */
static void
put_inline(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, !e->inlined && !is_twice(e) ? ""
                   : e->dialect->cuda ? "inline __attribute__((always_inline)) "
                                      : "__attribute__((always_inline)) ");
}

/* Kernels of source that stands alone are its own. */
static void
put_linkage(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, e->dialect->alone  ? "static "
                   : e->dialect->cuda ? "extern \"C\" "
                                      : "");
}

/* Compilers are told of parameters that a body has no use for. */
static void
put_unused(const ix_emitter *e, ix_text *t)
{
    if (!e->dialect->alone)
        return;
    if (e->kernel->axis < 0)
        ix_text_put(t, "    (void)begin;\n    (void)end;\n");
    if (!strstr(e->body, "local->"))
        ix_text_put(t, "    (void)local;\n");
}

static void
put_body(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, e->body);
}

/* Strides that the body takes as parameters: "s1_0" of buffer unit_stride[i].
 */
static void
put_unit(const ix_emitter *e, size_t i, ix_text *t)
{
    int buffer = e->kernel->unit_stride[i];
    ix_text_format(t, "s%d_%d", buffer, e->u->buffer[buffer].box->rank - 1);
}

static void
put_parameters(const ix_emitter *e, ix_text *t)
{
    size_t count = 0;
    for (size_t i = 0; i < e->kernel->nunit_strides; i++) {
        if (!is_parameter(e, i))
            continue;
        ix_text_put(t, count++ % 5 ? ", const i64 " : ",\n        const i64 ");
        put_unit(e, i, t);
    }
}

static void
put_strides(const ix_emitter *e, ix_text *t)
{
    for (size_t i = 0; i < e->kernel->nunit_strides; i++) {
        if (!is_parameter(e, i))
            continue;
        ix_text_put(t, ", a->");
        put_unit(e, i, t);
    }
}

static void
put_ones(const ix_emitter *e, ix_text *t)
{
    size_t count = count_parameters(e);
    for (size_t i = 0; i < count; i++)
        ix_text_put(t, ", 1");
}

static void
put_unit_test(const ix_emitter *e, ix_text *t)
{
    size_t count = 0;
    for (size_t i = 0; i < e->kernel->nunit_strides; i++) {
        if (!is_parameter(e, i))
            continue;
        ix_text_put(t, count++ ? " && a->" : "a->");
        put_unit(e, i, t);
        ix_text_put(t, " == 1");
    }
}

static bool
is_of_one_point(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_SCRATCH &&
           (s->kind != IX_STMT_FOR || s->how == IX_GRID);
}

/* Six blocks leave each thread 80 registers, which is plenty for a point;
 * lanes of reductions want more. */
static void
put_bounds(const ix_emitter *e, ix_text *t)
{
    ix_text_int(t, IX_GRID_THREADS);
    if (ix_stmt_each(e->kernel->body, is_of_one_point, NULL))
        ix_text_put(t, ", 6");
}

/* In source that stands alone, two kernels have a body in common; else the
 * whole source is for one type of indices (heads.def). */
static void
put_template(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, e->dialect->alone ? "template <typename index_t>\n" : "");
}

static void
put_index_type(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, !e->dialect->alone ? "" : e->narrow ? "<i32>" : "<i64>");
}

static void
put_narrow(const ix_emitter *e, ix_text *t)
{
    ix_text_put(t, e->narrow ? "_narrow" : "");
}

/* The text of a shape with its parts filled in; see shapes.def. */
static void
put_shape(const ix_emitter *e, const char *shape, ix_text *t)
{
    static void (*const part[128])(const ix_emitter *, ix_text *) = {
        ['k'] = put_number,     ['q'] = put_qualifier, ['f'] = put_fields,
        ['c'] = put_comment,    ['d'] = put_locals,    ['b'] = put_body,
        ['p'] = put_parameters, ['s'] = put_strides,   ['1'] = put_ones,
        ['u'] = put_unit_test,  ['e'] = put_linkage,   ['v'] = put_unused,
        ['i'] = put_inline,     ['l'] = put_bounds,    ['t'] = put_template,
        ['n'] = put_index_type, ['w'] = put_narrow};
    for (size_t n; *shape; shape += n) {
        n = strcspn(shape, "$");
        ix_text_put_n(t, shape, n);
        if (shape[n]) {
            part[(unsigned char)shape[n + 1]](e, t);
            n += 2;
        }
    }
}

static const char *const shape_text[] = {
#define IX_SHAPE(name, text) text,
#include "compiler/emit/shapes.def"
};

/* C that a compiler makes vectors of has a variant for strides of 1 where some
 * are not known. */
static shape_id
shape_of(const ix_emitter *e)
{
    bool variants = *e->dialect->vector_pragma && count_parameters(e) > 0;
    return variants ? SHAPE_variants : SHAPE_plain;
}

static void
put_grid(ix_emitter *e, ix_text *t)
{
    const ix_kernel_layout *l = e->kernel->layout;
    bool checks = ix_kernel_status(l) != NULL;
    /* grid, grid_indirect, and both with checks */
    const char *entry = shape_text[SHAPE_grid + l->indirect + 2 * checks];
    put_shape(e, shape_text[checks ? SHAPE_grid_body_checked : SHAPE_grid_body],
              t);
    for (int narrow = 0; narrow <= e->dialect->alone; narrow++) {
        e->narrow = narrow;
        put_shape(e, entry, t);
    }
}

static void
put_function(ix_emitter *e, ix_text *t)
{
    shape_id shape = shape_of(e);
    put_shape(e, shape_text[shape], t);
    if (is_twice(e))
        put_shape(e,
                  shape_text[shape == SHAPE_variants ? SHAPE_fused_variants
                                                     : SHAPE_fused],
                  t);
    if (e->inlined)
        put_shape(e, shape_text[SHAPE_known], t);
}

bool
ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_text *t)
{
    ix_text body;
    ix_text_init(&body, &e->mem);
    e->kernel = k;
    e->next = k->nvalues;
    e->t = &body;
    e->indent = 1;
    e->location = (ix_source_location){"", 0, 0};
    ix_emit_watch(e, k->body);
    ix_emit_stmts(e, k->body);
    ix_emit_own_lines(e);
    e->body = ix_text_string(&body);
    bool ok = e->body != NULL;
    if (ok) {
        put_shape(e, shape_text[SHAPE_arguments], t);
        (e->dialect->cuda ? put_grid : put_function)(e, t);
    }
    ix_text_free(&body);
    return ok && !t->failed && e->u->ctx->error.code == ILEX_OK;
}
