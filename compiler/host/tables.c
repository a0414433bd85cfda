/* SPDX-License-Identifier: MIT
 *
 * The tables of a program (compiler/run/tables.inc) as C, and where its struct
 * of arguments has what they speak of.
 */
#include "compiler/host/host.h"

/* A number of 64 bits as C. */
static void
put_number(ix_host *h, int64_t v)
{
    if (v > INT32_MAX || v < INT32_MIN)
        ix_text_format(h->t, "INT64_C(%lld)", (long long)v);
    else
        ix_text_int(h->t, v);
}

/* ---- tables ---- */

static const char *const steps[] = {
#define IX_STEP(name, text, meaning) "ILEX_STEP_" #name,
#include "compiler/steps/steps.def"
};

/* The tables, in the order of ix_tables: the type of a row, its members (a
 * text, one that is left out, a character, int, a step, a range, 64 bits: s e c
 * d k r q), where their number is. */
static const struct {
    const char *name, *members;
    size_t row, count;
} tables[] = {
#define TABLE(name, members, count)                                            \
    {                                                                          \
#name, members, sizeof(ix_##name), offsetof(ix_tables, count)          \
    }
    TABLE(term_row, "qd", nterms),
    TABLE(form_row, "qdd", nforms),
    TABLE(ends_row, "dd", nends),
    TABLE(part_row, "d", nparts),
    TABLE(size_row, "sddddddq", nsizes),
    TABLE(axis_row, "sdrrrd", nstrides),
    TABLE(buffer_row, "ssdddddddddd", nbuffers),
    TABLE(assumption_row, "dqsd", nassumptions),
    TABLE(test_row, "sddd", ntests),
    TABLE(check_row, "csss", nchecks),
    TABLE(count_row, "ddd", ncounts),
    TABLE(copy_row, "ddd", ncopies),
    TABLE(kernel_row, "dddddddddddddddddd", nkernels),
    TABLE(slice_row, "ddd", nslices),
    TABLE(call_row, "seddddd", ncalls),
    TABLE(pair_row, "ddd", npairs),
    TABLE(repeat_row, "sdddddddd", nrepeats),
    TABLE(step_row, "kdd", nsteps),
#undef TABLE
};

static int
rows_of(const ix_host *h, size_t table)
{
    int n;
    memcpy(&n, (const char *)h->tables + tables[table].count, sizeof n);
    return n;
}

/* A member at "at", which has the alignment of its size. */
static void
put_member(ix_host *h, char what, const char *at)
{
    const char *text;
    int64_t word;
    int number;
    if (what == 's') {
        memcpy(&text, at, sizeof text);
        ix_text_format(h->t, "\"%s\"", text);
    } else if (what == 'e') {
        ix_text_put(h->t, "\"\"");
    } else if (what == 'q') {
        memcpy(&word, at, sizeof word);
        put_number(h, word);
    } else if (what == 'c') {
        ix_text_format(h->t, "'%c'", *at);
    } else {
        memcpy(&number, at, sizeof number);
        if (what == 'k')
            ix_text_put(h->t, steps[number]);
        else
            ix_text_int(h->t, number);
    }
}

static void
put_row(ix_host *h, const char *members, const char *row)
{
    size_t at = 0;
    for (const char *m = members; *m; m++) {
        size_t bytes = *m == 'c' ? 1 : strchr("dkr", *m) ? sizeof(int) : 8;
        at = (at + bytes - 1) / bytes * bytes;
        ix_text_put(h->t, m == members ? "" : *m == 'r' ? ", {" : ", ");
        put_member(h, *m, row + at);
        at += bytes;
        if (*m != 'r')
            continue;
        ix_text_put(h->t, ", ");
        put_member(h, 'd', row + at);
        ix_text_put(h->t, "}");
        at += bytes;
    }
}

/* Breaks a line that has become long since "*start". */
static void
put_break(ix_host *h, size_t *start)
{
    enum { LINE = 56 };
    bool full = h->t->length - *start > LINE;
    ix_text_put(h->t, full ? "\n    " : " ");
    *start = full ? h->t->length : *start;
}

/* One without rows is not there: C has no arrays of length 0. */
static void
put_table(ix_host *h, size_t i)
{
    const char *row, *name = tables[i].name;
    size_t start = h->t->length;
    memcpy(&row,
           (const char *)h->tables + offsetof(ix_tables, term) + i * sizeof row,
           sizeof row);
    if (rows_of(h, i) == 0)
        return;
    ix_text_format(h->t, "static const ilex_%s ilex_%ss[] = {", name, name);
    for (int k = 0; k < rows_of(h, i); k++) {
        if (k > 0)
            put_break(h, &start);
        ix_text_char(h->t, '{');
        put_row(h, tables[i].members, row + (size_t)k * tables[i].row);
        ix_text_put(h->t, k + 1 < rows_of(h, i) ? "}," : "}");
    }
    ix_text_put(h->t, "};\n");
}

void
ix_host_put_tables(ix_host *h)
{
    const ix_tables *t = h->tables;
    const int others[] = {t->ncolumns, t->narrays,     t->naxes,
                          t->nslots,   t->most_slices, t->words};
    for (size_t i = 0; i < IX_COUNT(tables); i++)
        put_table(h, i);
    size_t start = h->t->length;
    ix_text_put(h->t, "static const ilex_tables ilex_program_tables = {");
    for (size_t i = 0; i < IX_COUNT(tables); i++) {
        if (i > 0)
            put_break(h, &start);
        ix_text_format(h->t, rows_of(h, i) ? "ilex_%ss," : "NULL,",
                       tables[i].name);
    }
    for (size_t i = 0; i < IX_COUNT(tables); i++) {
        put_break(h, &start);
        ix_text_format(h->t, "%d,", rows_of(h, i));
    }
    for (size_t i = 0; i < IX_COUNT(others); i++)
        ix_text_format(h->t, i ? ", %d" : " %d", others[i]);
    ix_text_put(h->t, ", ");
    put_number(h, t->largest);
    ix_text_put(h->t, "};\n");
}

void
ix_host_put_codes(ix_host *h)
{
    ix_text_put(h->t, "enum {");
    for (size_t i = 0; i < IX_COUNT(steps); i++)
        ix_text_format(h->t, i ? ",\n    %s" : "\n    %s", steps[i]);
    ix_text_format(h->t, "\n};\nenum { ILEX_CHUNK_SCAN = %d };\n",
                   (int)IX_CHUNK_SCAN);
    if (h->grid)
        ix_text_format(h->t, "enum { ILEX_GRID_THREADS = %d };\n",
                       (int)IX_GRID_THREADS);
}

/* ---- where the struct of arguments has them ---- */

/* "static const size_t ilex_size_places[] = {offsetof(p_args, n)};": of members
 * by number, NULL: it is not there. */
static void
put_offsets(ix_host *h, const char *what, const char *const *member, size_t n)
{
    size_t start = h->t->length;
    ix_text_format(h->t, "static const size_t ilex_%s_places[] = {", what);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            put_break(h, &start);
        if (member[i])
            ix_text_format(h->t, "offsetof(%s_args, %s)", h->prefix, member[i]);
        else
            ix_text_char(h->t, '0');
        ix_text_put(h->t, i + 1 < n ? "," : "");
    }
    ix_text_put(h->t, n ? "};\n" : "0};\n");
}

void
ix_host_put_places(ix_host *h)
{
    put_offsets(h, "size", h->size, h->c->nsizes);
    put_offsets(h, "array", h->argument, h->c->narguments);
    if (h->c->ncounts)
        put_offsets(h, "count", h->counted, h->c->ncounts);
    ix_text_char(h->t, '\n');
}
