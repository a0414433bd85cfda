/* SPDX-License-Identifier: MIT
 *
 * What the program is, as tables: sizes, linear forms in them, arrays with
 * their axes, assumptions, tests, temporaries, checks. A table without rows has
 * one that nobody reads: C has no arrays of length 0.
 */
#include "compiler/host/host.h"
#include "lib/graph/scalar.h"
#include "lib/ops/dtype.h"

/* ---- forms ---- */

bool
ix_host_same_terms(const ix_lin *a, const ix_lin *b)
{
    bool same = a->n == b->n;
    for (int32_t i = 0; same && i < a->n; i++)
        same = a->t[i].param == b->t[i].param && a->t[i].k == b->t[i].k;
    return same;
}

static bool
same_form(const ix_lin *a, const ix_lin *b)
{
    return a->c == b->c && ix_host_same_terms(a, b);
}

int
ix_host_form(ix_host *h, const ix_lin *form)
{
    for (size_t i = 0; i < h->nforms; i++)
        if (h->form[i] == form || same_form(h->form[i], form))
            return (int)i;
    ix_arena_grow(h->arena, &h->form, &h->form_capacity, h->nforms + 1,
                  sizeof *h->form);
    h->form[h->nforms++] = form;
    return (int)h->nforms - 1;
}

void
ix_host_put_range(ix_host *h, const ix_range *range)
{
    int lo = ix_host_form(h, range->lo);
    ix_text_format(h->t, "{%d, %d}", lo, ix_host_form(h, range->hi));
}

/* A number of 64 bits as C. */
static void
put_number(ix_host *h, int64_t v)
{
    if (v > INT32_MAX || v < INT32_MIN)
        ix_text_format(h->t, "INT64_C(%lld)", (long long)v);
    else
        ix_text_int(h->t, v);
}

void
ix_host_put_formula(ix_host *h, const ix_lin *f)
{
    const char *sign = "";
    for (int32_t k = 0; k < f->n; k++) {
        int64_t factor = f->t[k].k;
        ix_text_put(h->t, factor < 0 ? (k ? " - " : "-") : sign);
        if (factor != 1 && factor != -1)
            ix_text_format(h->t, "%llu*",
                           factor < 0 ? 0 - (unsigned long long)factor
                                      : (unsigned long long)factor);
        ix_text_put(h->t, h->c->size[f->t[k].param].name);
        sign = " + ";
    }
    if (f->n == 0)
        ix_text_int(h->t, f->c);
    else if (f->c)
        ix_text_format(h->t, f->c < 0 ? " - %llu" : " + %llu",
                       f->c < 0 ? 0 - (unsigned long long)f->c
                                : (unsigned long long)f->c);
}

static void
put_form(ix_host *h, size_t i)
{
    const ix_lin *f = h->form[i];
    ix_text_put(h->t, "    {");
    put_number(h, f->c);
    ix_text_format(h->t, ", %d, {", (int)f->n);
    for (int32_t k = 0; k < f->n; k++) {
        ix_text_put(h->t, k ? ", {" : "{");
        put_number(h, f->t[k].k);
        ix_text_format(h->t, ", %d}", h->number[f->t[k].param]);
    }
    ix_text_put(h->t, f->n ? "}}, /* " : "{0, 0}}}, /* ");
    ix_text_format(h->t, "%zu: ", i);
    ix_host_put_formula(h, f);
    ix_text_put(h->t, " */\n");
}

/* Sizes are numbered among those that are used. */
void
ix_host_put_forms(ix_host *h)
{
    ix_text_put(h->t, "static const ilex_form ilex_forms[] = {\n");
    for (size_t i = 0; i < h->nforms; i++)
        put_form(h, i);
    ix_text_put(h->t, "};\n\n");
}

/* ---- constants ---- */

static void
put_constant(ix_host *h, const char *name, size_t value, const char *comment)
{
    ix_text_format(h->t, "    ILEX_%s = %zu,%s%s%s\n", name, value ? value : 1,
                   *comment ? " /* " : "", comment, *comment ? " */" : "");
}

static size_t
most_terms(const ix_host *h)
{
    size_t most = 1;
    for (size_t i = 0; i < h->nforms; i++)
        most = (size_t)h->form[i]->n > most ? (size_t)h->form[i]->n : most;
    return most;
}

static size_t
most_ranges(const ix_compiled *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->nnonempty; i++) {
        size_t n = (size_t)(c->nonempty[i].nranges + c->nonempty[i].nouter);
        most = n > most ? n : most;
    }
    return most;
}

static size_t
most_slices(const ix_compiled *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->ncalls; i++) {
        size_t n = (size_t)(c->call[i].narguments + c->call[i].nresults);
        most = n > most ? n : most;
    }
    return most;
}

static size_t
most_axes(const ix_compiled *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->nbuffers; i++)
        most =
            (size_t)c->buffer[i].rank > most ? (size_t)c->buffer[i].rank : most;
    return most;
}

static size_t
count_axes(const ix_compiled *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->narguments; i++)
        n += (size_t)c->buffer[i].rank;
    return n;
}

/* The most factors or forms that a size is computed from, at least 1. */
static size_t
most_parts(const ix_compiled *c)
{
    int most = 1;
    for (size_t p = 0; p < c->nsizes; p++) {
        const ix_compiled_size *s = &c->size[p];
        int own = s->narms > s->degree ? s->narms : s->degree;
        most = s->used && own > most ? own : most;
    }
    return (size_t)most;
}

void
ix_host_put_constants(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "enum {\n");
    put_constant(h, "SIZES", (size_t)h->nsizes, "");
    put_constant(h, "ARRAYS", c->narguments, "");
    put_constant(h, "BUFFERS", c->nbuffers, "arrays, then temporaries");
    put_constant(h, "AXES", count_axes(c), "of all arrays");
    put_constant(h, "STRIDES", (size_t)c->nstrides, "of all buffers");
    put_constant(h, "RANK", most_axes(c), "the largest");
    if (h->nsizes)
        put_constant(h, "PARTS", most_parts(c), "that a size is made of");
    if (c->ncounts)
        put_constant(h, "COUNTS", c->ncounts, "sizes that a run counts");
    if (c->nassumptions)
        put_constant(h, "ASSUMPTIONS", c->nassumptions, "");
    if (c->nnonempty)
        put_constant(h, "TEST_RANGES", most_ranges(c), "");
    if (c->nslots) {
        put_constant(h, "TEMPORARIES", c->nbuffers - c->narguments, "");
        put_constant(h, "SLOTS", (size_t)c->nslots, "of the workspace");
    }
    if (c->ncalls)
        put_constant(h, "CALL_ARRAYS", most_slices(c), "of a call");
    if (h->nvariants)
        put_constant(h, "VARIANTS", h->nvariants, "");
    ix_text_format(h->t, "    ILEX_TERMS = %zu\n};\n", most_terms(h));
}

/* ---- arrays ---- */

static void
put_axis(ix_host *h, const ix_compiled_buffer *b, int k)
{
    ix_text *t = h->t;
    if (*b->axis[k])
        ix_text_format(t, "    {\"%s\", 1, ", b->axis[k]);
    else
        ix_text_format(t, "    {\"%d\", 0, ", k);
    ix_host_put_range(h, &b->interior[k]);
    ix_text_put(t, ", ");
    ix_host_put_range(h, &b->box[k]);
    ix_text_put(t, ", ");
    ix_host_put_range(h, &b->whole[k]);
    ix_text_format(t, "}, /* %s */\n", b->name);
}

void
ix_host_put_axes(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "static const ilex_axis ilex_axes[] = {\n");
    for (size_t i = 0; i < c->narguments; i++)
        for (int k = 0; k < c->buffer[i].rank; k++)
            put_axis(h, &c->buffer[i], k);
    if (count_axes(c) == 0) {
        static const ix_lin nothing = {.n = 0};
        int zero = ix_host_form(h, &nothing);
        ix_text_format(h->t,
                       "    {\"\", 0, {%d, %d}, {%d, %d}, {%d, %d}} /* there "
                       "is none */\n",
                       zero, zero, zero, zero, zero, zero);
    }
    ix_text_put(h->t, "};\n\n");
}

void
ix_host_put_arrays(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "static const ilex_array ilex_arrays[] = {\n");
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        ix_text_format(h->t, "    {\"%s\", %d, %d, %d, %d, %d, %d, %d},\n",
                       b->name, b->rank, b->first_stride,
                       (int)ilex_dtype_bytes(b->dtype),
                       (int)ilex_dtype_bytes(ix_dtype_part(b->dtype)),
                       ix_host_is_output(h, i), b->used, b->inplace);
    }
    ix_text_put(h->t, "};\n\n");
}

/* ---- sizes and what is asked of them ---- */

void
ix_host_put_sizes(ix_host *h)
{
    ix_text_put(h->t, "static const ilex_size ilex_sizes[] = {\n");
    for (size_t p = 0; p < h->c->nsizes; p++) {
        const ix_compiled_size *s = &h->c->size[p];
        int n = s->narms ? s->narms : s->degree > 1 ? s->degree : 0;
        if (h->number[p] < 0)
            continue;
        ix_text_format(h->t, "    {\"%s\", ", s->name);
        if (h->c->ncounts)
            ix_text_format(h->t, "%d, ", s->phase);
        ix_text_format(h->t, "%d, {", n);
        for (int i = 0; i < n; i++)
            ix_text_format(h->t, i ? ", %d" : "%d",
                           s->narms ? ix_host_form(h, s->arm[i])
                                    : h->number[s->factor[i]]);
        ix_text_format(h->t, n ? "}, %d, " : "0}, %d, ", s->largest);
        put_number(h, s->divisor);
        ix_text_put(h->t, "},\n");
    }
    ix_text_put(h->t, "};\n\n");
}

void
ix_host_put_counts(ix_host *h)
{
    ix_text_put(h->t, "static const ilex_counted ilex_counts[] = {\n");
    for (size_t i = 0; i < h->c->ncounts; i++) {
        const ix_compiled_count *k = &h->c->count[i];
        ix_text_format(h->t, "    {%d, %d, %d},\n", h->number[k->size],
                       k->buffer, ix_host_form(h, k->most));
    }
    ix_text_put(h->t, "};\n\n");
}

void
ix_host_put_assumptions(ix_host *h)
{
    ix_text_put(h->t, "static const ilex_assumption ilex_assumptions[] = {\n");
    for (size_t i = 0; i < h->c->nassumptions; i++) {
        const ix_compiled_assumption *a = &h->c->assumption[i];
        ix_text_format(h->t, "    {%d, ", ix_host_form(h, a->form));
        put_number(h, a->modulus);
        ix_text_format(h->t, ", \"%s\"},\n", a->text);
    }
    ix_text_put(h->t, "};\n\n");
}

void
ix_host_put_ranges(ix_host *h, const ix_range *a, int na, const ix_range *b,
                   int nb)
{
    ix_text_char(h->t, '{');
    for (int i = 0; i < na + nb; i++) {
        ix_text_put(h->t, i ? ", " : "");
        ix_host_put_range(h, i < na ? &a[i] : &b[i - na]);
    }
    ix_text_put(h->t, na + nb ? "}" : "{0, 0}}");
}

void
ix_host_put_tests(ix_host *h)
{
    ix_text_put(h->t, "static const ilex_test ilex_tests[] = {\n");
    for (size_t i = 0; i < h->c->nnonempty; i++) {
        const ix_compiled_nonempty *n = &h->c->nonempty[i];
        ix_text_format(h->t, "    {\"%s\", %d, %d, ", n->what, n->nranges,
                       n->nouter);
        ix_host_put_ranges(h, n->range, n->nranges, n->outer, n->nouter);
        ix_text_put(h->t, "},\n");
    }
    ix_text_put(h->t, "};\n\n");
}

/* ---- temporaries ---- */

static void
put_temporary(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    ix_text_format(h->t, "    {%d, %d, %d, %d, %d, ", b->slot, b->rank,
                   b->first_stride, (int)ilex_dtype_bytes(b->dtype), b->own);
    ix_host_put_ranges(h, b->box, b->rank, NULL, 0);
    ix_text_format(h->t, "}, /* b%zu */\n", i);
}

void
ix_host_put_temporaries(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "static const ilex_temporary ilex_temporaries[] = {\n");
    for (size_t i = c->narguments; i < c->nbuffers; i++)
        put_temporary(h, i);
    ix_text_put(h->t, "};\n\n");
}

/* ---- integers that are data ---- */

static const char *
name_of(const ix_compiled *c, int buffer, const char *other)
{
    const char *name = buffer < 0 ? "" : c->buffer[buffer].name;
    return *name ? name : other;
}

void
ix_host_put_checks(ix_host *h)
{
    static const char letters[] = {
        [IX_CHECKED_INDEX] = 'i',    [IX_CHECKED_COPIED] = 'i',
        [IX_CHECKED_FROM_END] = 'n', [IX_CHECKED_UNSIGNED] = 'u',
        [IX_CHECKED_SHIFTED] = 's',  [IX_CHECKED_WORD] = 'w',
        [IX_CHECKED_END] = 'e',      [IX_CHECKED_ROW] = 'r',
        [IX_CHECKED_COLUMN] = 'c'};
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "static const ilex_datum ilex_data[] = {\n");
    for (size_t i = 0; i < c->nchecks; i++) {
        const ix_compiled_check *k = &c->check[i];
        const ix_compiled_buffer *b =
            k->buffer < 0 ? NULL : &c->buffer[k->buffer];
        bool copied = k->what == IX_CHECKED_COPIED;
        ix_text_format(
            h->t, "    {'%c', \"%s\", \"%s\", \"", letters[k->what],
            name_of(c, copied ? -1 : k->buffer, "an intermediate array"),
            name_of(c, k->source, "an intermediate array"));
        if (b && *b->axis[k->axis])
            ix_text_put(h->t, b->axis[k->axis]);
        else
            ix_text_format(h->t, "axis %d", k->axis);
        ix_text_put(h->t, "\"},\n");
    }
    ix_text_put(h->t, "};\n\n");
}
