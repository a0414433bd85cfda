/* SPDX-License-Identifier: MIT
 *
 * Storages as text: a head like the text format's ("f64[I:10, J:12]
 * halo(I:2:2)"), then the elements, in columns of one width. Of large
 * storages the first and last elements of the inner three axes are shown and
 * the first of the others.
 */
#include "runtime/storage/storage.h"

#include <math.h>
#include <stdio.h>

#include "lib/ops/dtype.h"
#include "lib/ops/literal.h"

enum {
    WHOLE = 400,  /* elements that are shown in full ... */
    COLUMNS = 12, /* ... if a row has at most so many */
    EDGE = 3,
    INNER_AXES = 3
};

/* "I", or the number of an axis without a name. */
static void
print_axis(ix_text *t, const ilex_storage *s, int k)
{
    if (*s->axis[k])
        ix_text_put(t, s->axis[k]);
    else
        ix_text_int(t, k);
}

/* " halo(I:2:2, J:1:0)" */
static void
print_halo(ix_text *t, const ilex_storage *s)
{
    const char *before = " halo(", *after = "";
    for (int k = 0; k < s->rank; k++) {
        if (!s->halo[k][0] && !s->halo[k][1])
            continue;
        ix_text_put(t, before);
        print_axis(t, s, k);
        ix_text_format(t, ":%lld:%lld", (long long)s->halo[k][0],
                       (long long)s->halo[k][1]);
        before = ", ";
        after = ")";
    }
    ix_text_put(t, after);
}

/* " origin(I:1)" */
static void
print_origin(ix_text *t, const ilex_storage *s)
{
    const char *before = " origin(", *after = "";
    for (int k = 0; k < s->rank; k++) {
        if (!s->origin[k])
            continue;
        ix_text_put(t, before);
        print_axis(t, s, k);
        ix_text_format(t, ":%lld", (long long)s->origin[k]);
        before = ", ";
        after = ")";
    }
    ix_text_put(t, after);
}

void
ix_storage_print_head(ix_text *t, const ilex_storage *s)
{
    ix_text_put(t, ilex_dtype_name(s->dtype));
    ix_text_char(t, '[');
    for (int k = 0; k < s->rank; k++) {
        if (k)
            ix_text_put(t, ", ");
        if (*s->axis[k])
            ix_text_format(t, "%s:", s->axis[k]);
        ix_text_int(t, s->shape[k]);
    }
    ix_text_char(t, ']');
    print_halo(t, s);
    print_origin(t, s);
    if (s->memory && ix_memory_on_gpu(s->memory))
        ix_text_format(t, " on cuda:%d", s->memory->device_index);
    else if (s->memory && s->memory->device.traits)
        ix_text_format(t, " on %s", s->memory->device.traits->name);
    if (!s->writable)
        ix_text_put(t, " read-only");
    if (*s->name)
        ix_text_format(t, " '%.200s'", s->name);
}

/* ---- one element ---- */

/* "v" rounded to 8 significant digits, whatever the locale's decimal point. */
static double
rounded(double v)
{
    char raw[64], text[64];
    if (v != v || v - v != 0)
        return v;
    snprintf(raw, sizeof raw, "%.7e", v);
    const char *e = strchr(raw, 'e');
    bool minus = raw[0] == '-';
    snprintf(text, sizeof text, "%s%c.%.7s%s", minus ? "-" : "", raw[minus],
             e - 7, e);
    return ix_text_scan_real(text, &v) ? v : 0;
}

/* "v" to 8 digits; whole numbers without an exponent. */
static void
put_real(ix_text *t, double v, bool single)
{
    v = rounded(v);
    if (fabs(v) >= 1e8 || v != floor(v) || v == 0) {
        ix_text_real(t, v, single);
        return;
    }
    ix_text_int(t, (int64_t)v);
    ix_text_put(t, ".0");
}

/* The element at "p" into "t". */
static void
put_element(ix_text *t, ilex_dtype dtype, const char *p)
{
    ix_value v = ix_value_load(dtype, p);
    bool single = ix_dtype_part(dtype) != ILEX_F64;
    if (ix_literal_plain(dtype, v, t))
        return;
    put_real(t, v.f, single);
    if (ix_dtype_is_complex(dtype)) {
        ix_text_put(t, signbit(v.im) && !isnan(v.im) ? "" : "+");
        put_real(t, v.im, single);
        ix_text_char(t, 'j');
    }
}

/* ---- all elements ---- */

typedef struct printer {
    ix_text *out;
    ix_text cell;
    const ilex_storage *s;
    bool whole;
    size_t width;
    bool measure; /* first pass: find the width */
} printer;

/* How many elements of axis "k" are shown at its start and at its end. */
static void
shown(const printer *p, int k, int64_t *first, int64_t *last)
{
    int64_t n = p->s->shape[k];
    *first = n;
    *last = 0;
    bool inner = k >= p->s->rank - INNER_AXES;
    if (p->whole || (inner && n <= 2 * EDGE))
        return;
    *first = inner ? EDGE : 1;
    *last = inner ? EDGE : 0;
}

static void
put_cell(printer *p, const char *element)
{
    p->cell.length = 0;
    put_element(&p->cell, p->s->dtype, element);
    const char *text = ix_text_string(&p->cell);
    size_t n = p->cell.length;
    if (!text)
        p->out->failed = true;
    if (p->measure && n > p->width)
        p->width = n;
    if (p->measure || !text)
        return;
    for (; n < p->width; n++)
        ix_text_char(p->out, ' ');
    ix_text_put(p->out, text);
}

/* What stands between two items of axis "k". */
static void
put_gap(printer *p, int k)
{
    if (p->measure)
        return;
    if (k == p->s->rank - 1) {
        ix_text_char(p->out, ' ');
        return;
    }
    for (int i = 0; i < p->s->rank - 1 - k; i++)
        ix_text_char(p->out, '\n');
    for (int i = 0; i <= k; i++)
        ix_text_char(p->out, ' ');
}

/* The elements behind axis "k" from "data" on. The depth is the rank. */
static void
put_axis(printer *p, int k, const char *data)
{
    const ilex_storage *s = p->s;
    if (k == s->rank) {
        put_cell(p, data);
        return;
    }
    int64_t first, last, step = s->stride[k];
    int64_t n = s->shape[k], bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    shown(p, k, &first, &last);
    if (!p->measure)
        ix_text_char(p->out, '[');
    for (int64_t i = 0; i < n; i++) {
        if (i)
            put_gap(p, k);
        if (i < first || i >= n - last) {
            put_axis(p, k + 1, data + i * step * bytes);
            continue;
        }
        if (!p->measure)
            ix_text_put(p->out, "...");
        i = n - last - 1;
    }
    if (!p->measure)
        ix_text_char(p->out, ']');
}

/* All elements, or the first and last ones. */
static void
print_elements(ix_text *t, const ilex_storage *s)
{
    int64_t count = ix_storage_count(s);
    int64_t columns = s->rank ? s->shape[s->rank - 1] : 1;
    printer p = {.out = t,
                 .s = s,
                 .whole = count <= WHOLE && columns <= COLUMNS,
                 .measure = true};
    if (count == 0) {
        ix_text_put(t, "[]\n");
        return;
    }
    ix_text_init(&p.cell, &t->mem);
    put_axis(&p, 0, s->data);
    p.measure = false;
    put_axis(&p, 0, s->data);
    ix_text_free(&p.cell);
    ix_text_char(t, '\n');
}

void
ix_storage_print(ix_text *t, const ilex_storage *s)
{
    ix_host_copy x;
    ix_storage_print_head(t, s);
    ix_text_char(t, '\n');
    if (ix_host_copy_open(&x, s, ILEX_READ, NULL)) {
        ix_text_put(t, "[elements that cannot be read]\n");
        return;
    }
    print_elements(t, &x.view);
    ix_host_copy_close(&x, ILEX_OK, NULL);
}

size_t
ilex_storage_print(const ilex_storage *s, char *buffer, size_t size)
{
    ix_text t;
    ix_text_init(&t, &s->mem);
    ix_storage_print(&t, s);
    const char *text = ix_text_string(&t);
    size_t length = text ? t.length : 0;
    if (size) {
        size_t n = length < size ? length : size - 1;
        memcpy(buffer, text ? text : "", n);
        buffer[n] = 0;
    }
    ix_text_free(&t);
    return length;
}
