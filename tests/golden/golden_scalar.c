/* SPDX-License-Identifier: MIT
 *
 * scalar_unary.tsv, scalar_binary.tsv and cast.tsv: one operand value, or
 * two, and a result a row. All rows of an operation and its dtypes are the
 * elements of one case, so each kernel is compiled once.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"

/* Where things stand in a row: the operation (if there is one), the operands'
 * dtypes, the result's dtype, the operands, the result, tolerance, note. The
 * columns up to the result's dtype are the key of a group. */
typedef struct layout {
    int arity;
    int type; /* column of the first operand's dtype */
} layout;

static int
operand_column(const layout *l)
{
    return l->type + l->arity + 1;
}

static int
result_column(const layout *l)
{
    return operand_column(l) + l->arity;
}

static const char *
operation(const layout *l, char **row)
{
    return l->type ? row[0] : "cast";
}

/* Rows of one kernel, and what is expected of each. */
typedef struct group {
    size_t first, rows; /* in the order of `rows` of the suite */
    golden_tolerance *tolerance;
    bool ours; /* some row is held to a rule of golden_rule.c */
} group;

typedef struct suite {
    const golden_table *t;
    golden_report *report;
    layout l;
    size_t rows, groups;
    size_t *row; /* well-formed rows, sorted by key */
    group *group;
    golden_case *cases;
} suite;

/* ---- rows to groups ---- */

static int
compare_keys(const suite *s, size_t a, size_t b)
{
    char **x = golden_row(s->t, a), **y = golden_row(s->t, b);
    int r = 0;
    for (int k = 0; k < operand_column(&s->l) && r == 0; k++)
        r = strcmp(x[k], y[k]);
    return r;
}

/* What is wrong with a row, or NULL. */
static const char *
row_fault(const layout *l, char **row)
{
    ilex_dtype dtype[3];
    unsigned char element[16];
    if (!row[0])
        return "has another number of columns than the header";
    for (int k = 0; k <= l->arity; k++)
        if (!golden_dtype(row[l->type + k], &dtype[k]))
            return "names an unknown dtype";
    for (int k = 0; k < l->arity; k++) {
        const char *text = row[operand_column(l) + k];
        if (!golden_parse(dtype[k], text, strlen(text), element))
            return "has an operand that is no literal of its dtype";
    }
    const char **result = (const char **)row + result_column(l);
    golden_tolerance tol = golden_tolerance_of(result[1]);
    if (tol == GOLDEN_TOLERANCES)
        return "has an unknown tolerance class";
    if (tol != GOLDEN_UNDEFINED &&
        !golden_parse(dtype[l->arity], result[0], strlen(result[0]), element))
        return "has a result that is no literal of its dtype";
    return NULL;
}

/* Merges the sorted runs [a, m) and [m, z) of s->row by key, by way of
 * "spare". */
static void
merge(suite *s, size_t *spare, size_t a, size_t m, size_t z)
{
    size_t i = a, j = m;
    for (size_t k = a; k < z; k++) {
        bool left =
            j == z || (i < m && compare_keys(s, s->row[i], s->row[j]) <= 0);
        spare[k] = s->row[left ? i++ : j++];
    }
    memcpy(s->row + a, spare + a, (z - a) * sizeof *spare);
}

/* Sorts s->row by key; equal keys stay in the order of lines. */
static void
sort_rows(suite *s)
{
    size_t *spare = golden_resize(NULL, s->rows * sizeof *spare);
    for (size_t run = 1; run < s->rows; run *= 2)
        for (size_t a = 0; a + run < s->rows; a += 2 * run)
            merge(s, spare, a, a + run,
                  a + 2 * run < s->rows ? a + 2 * run : s->rows);
    free(spare);
}

/* Finds the rows that make sense, and the groups they form. */
static void
find_groups(suite *s)
{
    s->row = golden_resize(NULL, s->t->rows * sizeof *s->row);
    s->group = golden_resize(NULL, s->t->rows * sizeof *s->group);
    for (size_t i = 0; i < s->t->rows; i++) {
        const char *fault = row_fault(&s->l, golden_row(s->t, i));
        if (fault)
            golden_fail(s->report, s->t->line[i], "malformed row: %s", fault);
        else
            s->row[s->rows++] = i;
    }
    sort_rows(s);
    for (size_t i = 0; i < s->rows; i++) {
        if (i == 0 || compare_keys(s, s->row[i - 1], s->row[i]) != 0)
            s->group[s->groups++] = (group){.first = i};
        s->group[s->groups - 1].rows++;
    }
}

/* ---- groups to cases ---- */

static ilex_array *
build_operator(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    (void)ctx;
    return golden_operator_apply(c->what, x);
}

static ilex_array *
build_cast(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    (void)ctx;
    return ilex_cast(x[0], c->want.dtype);
}

/* Parses row "i" of group "g" into element i of the arrays of "c". */
static void
fill_row(suite *s, group *g, golden_case *c, size_t i)
{
    const layout *l = &s->l;
    char **row = golden_row(s->t, s->row[g->first + i]);
    void *x[2] = {NULL, NULL};
    void *want = golden_array_at(&c->want, (int64_t)i);
    for (int k = 0; k < l->arity; k++) {
        const char *text = row[operand_column(l) + k];
        x[k] = golden_array_at(&c->in[k], (int64_t)i);
        golden_parse(c->in[k].dtype, text, strlen(text), x[k]);
    }
    char **result = row + result_column(l);
    g->tolerance[i] = golden_tolerance_of(result[1]);
    if (golden_is_special(operation(l, row), result[2]))
        g->tolerance[i] = GOLDEN_ULP4;
    if (g->tolerance[i] != GOLDEN_UNDEFINED)
        golden_parse(c->want.dtype, result[0], strlen(result[0]), want);
    else if (golden_rule(operation(l, row), result[2], c->want.dtype,
                         c->in[0].dtype, x[0], c->in[l->arity - 1].dtype, x[1],
                         want))
        g->tolerance[i] = GOLDEN_EXACT;
}

static void
make_case(suite *s, group *g, golden_case *c)
{
    const layout *l = &s->l;
    char **row = golden_row(s->t, s->row[g->first]);
    int64_t n = (int64_t)g->rows;
    ilex_dtype dtype[3] = {ILEX_BOOL, ILEX_BOOL, ILEX_BOOL};
    for (int k = 0; k <= l->arity; k++)
        golden_dtype(row[l->type + k], &dtype[k]);
    *c = (golden_case){.build = build_cast, .operands = l->arity};
    if (l->type) {
        c->build = build_operator;
        c->what = golden_operator_find(row[0]);
    }
    for (int k = 0; k < l->arity; k++)
        c->in[k] = golden_array_new(dtype[k], 1, &n, n);
    c->want = golden_array_new(dtype[l->arity], 1, &n, n);
    g->tolerance = golden_resize(NULL, g->rows * sizeof *g->tolerance);
    for (size_t i = 0; i < g->rows; i++)
        fill_row(s, g, c, i);
}

/* Makes the cases of all groups; those of operators that Ilex does not know
 * fail. Returns how many are left, in front. */
static size_t
make_cases(suite *s)
{
    size_t n = 0;
    s->cases = golden_resize(NULL, s->groups * sizeof *s->cases);
    for (size_t i = 0; i < s->groups; i++) {
        group *g = &s->group[i];
        size_t first = s->row[g->first];
        char **row = golden_row(s->t, first);
        const golden_operator *o =
            s->l.type ? golden_operator_find(row[0]) : NULL;
        if (!s->l.type || (o && o->arity == s->l.arity)) {
            s->group[n] = *g;
            make_case(s, &s->group[n], &s->cases[n]);
            n++;
            continue;
        }
        for (size_t k = 0; k < g->rows; k++)
            golden_fail(s->report, s->t->line[s->row[g->first + k]],
                        "there is no operator '%s' of %d operands", row[0],
                        s->l.arity);
    }
    return n;
}

/* ---- judging ---- */

/* Fails row "i" of a case: the operands, what came, what was expected. */
static void
fail_row(suite *s, const group *g, const golden_case *c, size_t i)
{
    size_t row = s->row[g->first + i];
    char **field = golden_row(s->t, row);
    int64_t at = (int64_t)i;
    char operands[200];
    bool two = s->l.arity == 2;
    snprintf(operands, sizeof operands, "%s %s%s%s%s%s",
             golden_dtype_name(c->in[0].dtype), field[operand_column(&s->l)],
             two ? ", " : "", two ? golden_dtype_name(c->in[1].dtype) : "",
             two ? " " : "", two ? field[operand_column(&s->l) + 1] : "");
    if (c->status != ILEX_OK)
        golden_fail(s->report, s->t->line[row], "%s(%s): %s",
                    operation(&s->l, field), operands, c->error);
    else
        golden_fail(s->report, s->t->line[row],
                    "%s(%s): got %s, want %s %s (%s)", operation(&s->l, field),
                    operands,
                    golden_show(c->want.dtype, golden_array_at(&c->got, at)).s,
                    golden_dtype_name(c->want.dtype),
                    golden_show(c->want.dtype, golden_array_at(&c->want, at)).s,
                    golden_tolerance_name(g->tolerance[i]));
}

static void
judge(suite *s, const group *g, const golden_case *c)
{
    for (size_t i = 0; i < g->rows; i++) {
        char **field = golden_row(s->t, s->row[g->first + i]);
        int64_t at = (int64_t)i;
        char reason[64];
        if (c->status != ILEX_OK) {
            fail_row(s, g, c, i);
        } else if (g->tolerance[i] == GOLDEN_UNDEFINED) {
            snprintf(reason, sizeof reason, "undefined: %.40s",
                     field[result_column(&s->l) + 2]);
            golden_skip(s->report, reason);
        } else if (golden_same(c->want.dtype, golden_array_at(&c->got, at),
                               golden_array_at(&c->want, at), g->tolerance[i],
                               true)) {
            golden_pass(s->report);
        } else {
            fail_row(s, g, c, i);
        }
    }
}

static void
run_suite(const golden_table *t, golden_report *r, layout l)
{
    suite s = {.t = t, .report = r, .l = l};
    find_groups(&s);
    size_t n = make_cases(&s);
    golden_batch_run(r->jit, s.cases, n);
    for (size_t i = 0; i < n; i++) {
        judge(&s, &s.group[i], &s.cases[i]);
        golden_case_free(&s.cases[i]);
        free(s.group[i].tolerance);
    }
    free(s.cases);
    free(s.group);
    free(s.row);
}

void
golden_scalar_unary(const golden_table *t, golden_report *r)
{
    run_suite(t, r, (layout){.arity = 1, .type = 1});
}

void
golden_scalar_binary(const golden_table *t, golden_report *r)
{
    run_suite(t, r, (layout){.arity = 2, .type = 1});
}

void
golden_cast(const golden_table *t, golden_report *r)
{
    run_suite(t, r, (layout){.arity = 1, .type = 0});
}
