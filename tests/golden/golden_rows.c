/* SPDX-License-Identifier: MIT
 *
 * Running and judging files whose rows are arrays in, one array or an error
 * out. Rows with a result share programs; a row that must be refused is tried
 * on its own, since its refusal may come as late as the run. Being refused
 * for want of memory, of a feature, or by a bug is no refusal.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_rows.h"

const char *
golden_rows_operands(golden_case *c, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, ";");
        if (c->operands == GOLDEN_OPERANDS)
            return "has too many operands";
        const char *fault = golden_array_parse(&c->in[c->operands], text, n);
        if (fault)
            return fault;
        c->operands++;
        text += n + (text[n] == ';');
    }
    return NULL;
}

typedef struct rows {
    const golden_table *t;
    golden_report *report;
    const golden_row_layout *l;
    size_t count;
    golden_case *cases;
    size_t *row;
} rows;

static golden_tolerance
tolerance(const rows *s, char **row)
{
    if (s->l->tolerance < 0)
        return GOLDEN_EXACT;
    return golden_tolerance_of(row[s->l->tolerance]);
}

static bool
expects_error(const rows *s, char **row)
{
    return !strcmp(row[s->l->status], "error");
}

/* What is wrong with row "row", or NULL: then "c" is its case. */
static const char *
read_case(const rows *s, char **row, golden_case *c)
{
    *c = (golden_case){.status = ILEX_OK};
    if (!row[0])
        return "has another number of columns than the header";
    if (tolerance(s, row) == GOLDEN_TOLERANCES)
        return "has an unknown tolerance class";
    const char *fault = s->l->make_case(row, c);
    if (fault || expects_error(s, row))
        return fault;
    if (strcmp(row[s->l->status], "ok"))
        return "has a status that is neither ok nor error";
    return golden_array_parse(&c->want, row[s->l->result],
                              strlen(row[s->l->result]));
}

/* Makes cases of the rows that expect an error or of those that do not. */
static void
make_cases(rows *s, bool errors)
{
    s->count = 0;
    for (size_t i = 0; i < s->t->rows; i++) {
        char **row = golden_row(s->t, i);
        golden_case *c = &s->cases[s->count];
        if ((row[0] && expects_error(s, row)) != errors)
            continue;
        const char *reason = row[0] && s->l->skip ? s->l->skip(row) : NULL;
        if (reason) {
            golden_skip(s->report, reason);
            continue;
        }
        const char *fault = read_case(s, row, c);
        if (fault) {
            golden_fail(s->report, s->t->line[i], "malformed row: %s", fault);
            golden_case_free(c);
        } else {
            s->row[s->count++] = i;
        }
    }
}

/* ---- judging ---- */

/* Fails row "i" with the columns that say what it is, and "what" happened. */
static void
fail_row(rows *s, size_t i, const char *got, const char *want)
{
    char **row = golden_row(s->t, i);
    golden_fail(s->report, s->t->line[i],
                "%s %s %s %.300s: got %.500s, want %.500s (%s)", row[0],
                row[s->l->what[0]], row[s->l->what[1]], row[s->l->what[2]], got,
                want, row[s->l->note]);
}

/* In the array files -0 equals 0, so a zero of undefined sign can be judged. */
static bool
is_open(const rows *s, char **row)
{
    return tolerance(s, row) == GOLDEN_UNDEFINED &&
           strcmp(row[s->l->note], "signed_zero");
}

static void
judge_value(rows *s, size_t i, const golden_case *c)
{
    char **row = golden_row(s->t, i);
    char text[512];
    if (c->status != ILEX_OK) {
        fail_row(s, i, c->error, row[s->l->result]);
    } else if (is_open(s, row)) {
        snprintf(text, sizeof text, "undefined: %.40s", row[s->l->note]);
        golden_skip(s->report, text);
    } else if (golden_array_differs(&c->got, &c->want, tolerance(s, row)) < 0) {
        golden_pass(s->report);
    } else {
        golden_array_show(&c->got, text, sizeof text);
        fail_row(s, i, text, row[s->l->result]);
    }
}

static void
judge_error(rows *s, size_t i, const golden_case *c)
{
    char text[512];
    switch (c->status) {
    case ILEX_OK:
        golden_array_show(&c->got, text, sizeof text);
        fail_row(s, i, text, "an error");
        break;
    case ILEX_E_INTERNAL:
    case ILEX_E_MEMORY:
    case ILEX_E_TOOLCHAIN:
    case ILEX_E_UNSUPPORTED:
        fail_row(s, i, c->error, "a refusal");
        break;
    default:
        golden_pass(s->report);
    }
}

void
golden_rows_run(const golden_table *t, golden_report *r,
                const golden_row_layout *l)
{
    rows s = {.t = t, .report = r, .l = l};
    s.cases = golden_resize(NULL, t->rows * sizeof *s.cases);
    s.row = golden_resize(NULL, t->rows * sizeof *s.row);
    for (int errors = 0; errors < 2; errors++) {
        make_cases(&s, errors);
        for (size_t i = 0; i < s.count && errors; i++)
            golden_batch_run(r->jit, &s.cases[i], 1);
        if (!errors)
            golden_batch_run(r->jit, s.cases, s.count);
        for (size_t i = 0; i < s.count; i++) {
            (errors ? judge_error : judge_value)(&s, s.row[i], &s.cases[i]);
            golden_case_free(&s.cases[i]);
        }
    }
    free(s.cases);
    free(s.row);
}
