/* SPDX-License-Identifier: MIT
 *
 * Variants: kernels once more with sizes that are known, and strides that
 * follow from them where arrays are dense in C order, or in Fortran's.
 * Compilers take the kernels in and compute with the numbers; nothing else is
 * different.
 */
#include "compiler/host/host.h"

/* ---- what is known ---- */

/* The value of a form all of whose sizes a variant has. */
static bool
value_of(const ix_library_variant *v, const ix_lin *f, int64_t *value)
{
    int64_t term;
    *value = f->c;
    for (int32_t i = 0; i < f->n; i++) {
        int64_t size = v->size[f->t[i].param];
        if (size < 0 || !ix_mul(f->t[i].k, size, &term) ||
            !ix_add(*value, term, value))
            return false;
    }
    return true;
}

static bool
ends_of(const ix_library_variant *v, const ix_range *r, int64_t *lo,
        int64_t *hi)
{
    return value_of(v, r->lo, lo) && value_of(v, r->hi, hi);
}

/* Elements along an axis, as the printed function counts them for arrays that
 * say nothing of it (ilex_derive_axis), and for temporaries. */
static bool
length_of(const ix_host *h, const ix_library_variant *v, int buffer, int k,
          int64_t *length)
{
    const ix_compiled_buffer *b = &h->c->buffer[buffer];
    int64_t lo, hi, from, to;
    if ((size_t)buffer >= h->c->narguments)
        return ends_of(v, &b->box[k], &lo, &hi) && ix_add(hi, -lo, length);
    if (!ends_of(v, &b->interior[k], &lo, &hi) ||
        !ends_of(v, &b->whole[k], &from, &to))
        return false;
    hi = lo > hi ? lo : hi;
    return ix_add(to > hi ? to : hi, -(from < lo ? from : lo), length);
}

/* The stride of an axis in C order, or of an argument in Fortran order. */
static bool
stride_of(const ix_host *h, const ix_library_variant *v, int buffer, int axis,
          int64_t *stride)
{
    const ix_compiled_buffer *b = &h->c->buffer[buffer];
    int64_t length;
    bool fortran = v->fortran && (size_t)buffer < h->c->narguments;
    *stride = 1;
    for (int k = fortran ? 0 : b->rank - 1; k != axis; k += fortran ? 1 : -1)
        if (!length_of(h, v, buffer, k, &length) ||
            !ix_mul(*stride, length > 1 ? length : 1, stride))
            return false;
    return true;
}

/* What a variant knows of a member of a kernel's arguments. */
static bool
is_known(const ix_host *h, size_t variant, const ix_field *f, int64_t *value)
{
    const ix_library_variant *v = &h->variant[variant];
    if (f->kind == IX_FIELD_STRIDE)
        return stride_of(h, v, f->index, f->of, value);
    if (f->kind == IX_FIELD_SIZE)
        *value = v->size[f->index];
    return f->kind == IX_FIELD_SIZE && *value >= 0;
}

/* ---- in kernels ---- */

void
ix_host_put_variant_name(ix_host *h, const char *start, size_t kernel,
                         size_t variant)
{
    ix_text_format(h->t, "%s_%zu", start, kernel);
    if (variant > 0 && ix_host_knows(h, kernel, variant - 1))
        ix_text_format(h->t, "_fixed_%zu", variant);
}

void
ix_host_put_choice(ix_host *h, const char *start, size_t kernel)
{
    ix_text_format(h->t, "static const ilex_kernel_call %ss_%zu[] = {", start,
                   kernel);
    for (size_t v = 0; v <= h->nvariants; v++) {
        ix_text_put(h->t, v ? ",\n    " : h->nvariants ? "\n    " : "");
        ix_host_put_variant_name(h, start, kernel, v);
    }
    ix_text_put(h->t, "};\n");
}

bool
ix_host_knows(const ix_host *h, size_t kernel, size_t variant)
{
    const ix_kernel_layout *l = &h->source->layout[kernel];
    int64_t value;
    for (size_t f = 0; f < l->nfields; f++)
        if (is_known(h, variant, &l->field[f], &value))
            return true;
    return false;
}

void
ix_host_put_known(ix_host *h, size_t kernel, size_t variant)
{
    const ix_kernel_layout *l = &h->source->layout[kernel];
    const ix_kernel_layout *like = &h->source->layout[l->function];
    for (size_t f = 0; f < l->nfields; f++) {
        const ix_field *name = &like->field[f];
        int64_t value;
        if (!is_known(h, variant, &l->field[f], &value))
            continue;
        ix_text_format(h->t,
                       name->kind == IX_FIELD_SIZE ? "    a.n%d" : "    a.s%d",
                       name->index);
        if (name->kind == IX_FIELD_STRIDE)
            ix_text_format(h->t, "_%d", name->axis);
        ix_text_format(h->t, " = INT64_C(%lld);\n", (long long)value);
    }
}

/* ---- in tables ---- */

/* The strides of arrays that are read or written, -1 where any will do. */
static void
put_strides(ix_host *h, size_t variant)
{
    for (size_t i = 0; i < h->c->narguments; i++)
        for (int k = 0; k < h->c->buffer[i].rank; k++) {
            int64_t stride = -1;
            if (!h->c->buffer[i].used ||
                !stride_of(h, &h->variant[variant], (int)i, k, &stride))
                stride = -1;
            ix_text_format(h->t, "%lld, ", (long long)stride);
        }
}

/* "ni = 128, nj = 64" */
static void
put_name(ix_host *h, size_t variant)
{
    const char *comma = "";
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p] && h->variant[variant].size[p] >= 0) {
            ix_text_format(h->t, "%s%s = %lld", comma, h->c->size[p].name,
                           (long long)h->variant[variant].size[p]);
            comma = ", ";
        }
}

void
ix_host_put_variant_comment(ix_host *h, size_t variant)
{
    ix_text_put(h->t, "/* for ");
    put_name(h, variant);
    ix_text_put(h->t, " */\n");
}

void
ix_host_put_variants(ix_host *h)
{
    ix_text_put(h->t, "static const i64 ilex_variants[] = {\n");
    for (size_t v = 0; v < h->nvariants; v++) {
        ix_text_put(h->t, "    ");
        for (size_t p = 0; p < h->c->nsizes; p++)
            ix_text_format(h->t, "%lld, ", (long long)h->variant[v].size[p]);
        put_strides(h, v);
        ix_text_format(h->t, " /* %zu: ", v + 1);
        put_name(h, v);
        ix_text_put(h->t, " */\n");
    }
    ix_text_put(h->t, "};\n\n");
}

/* ---- in JSON ---- */

static void
put_json_strides(const ix_host *h, ix_json *j, size_t variant)
{
    ix_json_open(j, "strides", '{', true);
    for (size_t i = 0; i < h->c->narguments; i++) {
        const ix_compiled_buffer *b = &h->c->buffer[i];
        if (b->rank == 0 || !b->used)
            continue;
        ix_json_open(j, b->name, '[', true);
        for (int k = 0; k < b->rank; k++) {
            int64_t stride;
            if (stride_of(h, &h->variant[variant], (int)i, k, &stride))
                ix_json_int(j, NULL, stride);
            else
                ix_json_string(j, NULL, NULL);
        }
        ix_json_close(j, ']');
    }
    ix_json_close(j, '}');
}

static void
put_json_sizes(const ix_host *h, ix_json *j, size_t variant)
{
    const int64_t *size = h->variant[variant].size;
    ix_json_open(j, "sizes", '{', true);
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p] && size[p] >= 0)
            ix_json_int(j, h->c->size[p].name, size[p]);
    ix_json_close(j, '}');
}

void
ix_host_put_json_variants(const ix_host *h, ix_json *j)
{
    ix_json_open(j, "variants", '[', false);
    for (size_t v = 0; v < h->nvariants; v++) {
        ix_json_open(j, NULL, '{', true);
        put_json_sizes(h, j, v);
        put_json_strides(h, j, v);
        ix_json_close(j, '}');
    }
    ix_json_close(j, ']');
}

/* ---- what can never be taken ---- */

/* Sizes that contradict an assumption fit no run. */
static ilex_status
check_variant(const ix_library *l, const ix_library_variant *v, ix_error *err)
{
    for (size_t i = 0; i < l->program->nassumptions; i++) {
        const ix_compiled_assumption *a = &l->program->assumption[i];
        int64_t value;
        if (!value_of(v, a->form, &value) ||
            (a->modulus ? value % a->modulus == 0 : value >= 0))
            continue;
        return ix_fail(err, ILEX_E_ASSUMPTION,
                       "program %s: fixed sizes violate the assumption %s",
                       l->program->name, a->text);
    }
    return ILEX_OK;
}

ilex_status
ix_host_check_variants(const ix_library *l, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (size_t v = 0; !rc && v < l->nvariants; v++)
        rc = check_variant(l, &l->variant[v], err);
    return rc;
}
