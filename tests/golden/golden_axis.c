/* SPDX-License-Identifier: MIT
 *
 * broadcast_axis.tsv: an operator on storages with named axes a row; or an
 * assignment, which shows its target. All that a storage is made of is told
 * and compared: axes, shape, halo, alignment, aligned index, layout, values.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"

enum {
    ID,
    OP,
    COUNT,
    OPERANDS,
    STATUS,
    AXES,
    SHAPE,
    HALO,
    ALIGNMENT,
    ALIGNED_INDEX,
    LAYOUT,
    VALUES,
    NOTE
};

enum { MOST = 3, TEXT = 400 };

/* ---- operands ---- */

/* The numbers of "text", whatever is between them. */
static void
read_numbers(const char *text, int64_t *number, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        number[k] = strtoll(text, &end, 10);
        text = *end ? end + 1 : end;
    }
}

/* The fields "key=value|..." of a storage; false for an unknown key. */
static bool
read_fields(char *text, ilex_storage_spec *spec, int64_t *halo,
            int64_t *aligned, const char **data)
{
    for (char *p = strtok(text, "|"); p; p = strtok(NULL, "|")) {
        char *value = strchr(p, '=');
        if (!value)
            continue;
        *value++ = 0;
        if (!strcmp(p, "axes"))
            spec->axes = value;
        else if (!strcmp(p, "layout"))
            spec->layout = value;
        else if (!strcmp(p, "alignment"))
            spec->alignment = (size_t)strtoull(value, NULL, 10);
        else if (!strcmp(p, "halo"))
            read_numbers(value, halo, 2 * ILEX_MAX_RANK);
        else if (!strcmp(p, "data"))
            *data = value;
        else if (strcmp(p, "aligned_index") && strcmp(p, "shape"))
            return false;
        else if (*p == 'a' && strcmp(value, "default"))
            read_numbers(value, aligned, ILEX_MAX_RANK),
                spec->aligned_index = aligned;
    }
    return *data != NULL;
}

/* The operand that "text" describes; NULL if it does not, or on error. */
static ilex_storage *
make_operand(ilex_context *ctx, char *text)
{
    int64_t halo[2 * ILEX_MAX_RANK] = {0}, aligned[ILEX_MAX_RANK] = {0};
    ilex_storage_spec spec = {.size = sizeof spec};
    const char *data = NULL;
    golden_array a;
    if (!read_fields(text, &spec, halo, aligned, &data) ||
        golden_array_parse(&a, data, strlen(data)))
        return NULL;
    spec.dtype = ilex_dtype_name(a.dtype);
    spec.rank = a.rank;
    spec.shape = a.shape;
    spec.halo = halo;
    spec.data = a.data;
    spec.flags = ILEX_STORAGE_COPY;
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    golden_array_free(&a);
    return s;
}

/* The operands of a row; -1 if one is malformed. */
static int
make_operands(ilex_context *ctx, char **row, ilex_storage **x)
{
    int count = 0;
    for (char *p = row[OPERANDS], *next; p; p = next) {
        next = strchr(p, ';');
        size_t n = next ? (size_t)(next - p) : strlen(p);
        next = next ? next + 1 : NULL;
        char *text = golden_resize(NULL, n + 1);
        memcpy(text, p, n);
        text[n] = 0;
        x[count] = count < MOST ? make_operand(ctx, text) : NULL;
        free(text);
        if (!x[count])
            return -1;
        count++;
    }
    return count == (int)strtol(row[COUNT], NULL, 10) ? count : -1;
}

/* ---- results ---- */

/* The result of a row: a count of it, NULL when it was refused. */
static ilex_storage *
compute(ilex_context *ctx, const char *op, int count, ilex_storage **x)
{
    if (*op == '=')
        return ilex_eager_assign(ctx, x[0], x[1]) == ILEX_OK
                   ? ilex_storage_retain(x[0])
                   : NULL;
    ilex_storage *sum = ilex_storage_retain(x[0]);
    for (int i = 1; i < count && sum; i++) {
        ilex_storage *both[] = {sum, x[i]};
        ilex_storage *next = ilex_eager(ctx, "add", 2, both, NULL);
        ilex_storage_release(sum);
        sum = next;
    }
    return sum;
}

/* Adds a number to a list. */
static void
add_number(char *text, const char *between, int64_t number)
{
    size_t n = strlen(text);
    snprintf(text + n, TEXT - n, "%s%lld", between, (long long)number);
}

/* Everything of "s" in the notation of the columns from AXES on. */
static void
describe(const ilex_storage *s, char text[NOTE][TEXT])
{
    for (int c = 0; c < NOTE; c++)
        *text[c] = 0;
    for (int k = 0; k < ilex_storage_rank(s); k++) {
        const char *comma = k ? "," : "";
        snprintf(text[AXES] + strlen(text[AXES]), 8, "%s",
                 ilex_storage_axis_name(s, k));
        add_number(text[SHAPE], comma, ilex_storage_shape(s)[k]);
        add_number(text[HALO], comma, ilex_storage_halo(s)[2 * k]);
        add_number(text[HALO], ":", ilex_storage_halo(s)[2 * k + 1]);
        add_number(text[ALIGNED_INDEX], comma,
                   ilex_storage_aligned_index(s)[k]);
    }
    size_t alignment = ilex_storage_alignment(s);
    add_number(text[ALIGNMENT], "", alignment ? (int64_t)alignment : 1);
    snprintf(text[LAYOUT], TEXT, "%s", ilex_storage_layout_order(s));
}

/* The values of "s" in C order. */
static golden_array
values(const ilex_storage *s)
{
    int rank = ilex_storage_rank(s);
    int64_t count = ilex_storage_count(s), index[ILEX_MAX_RANK] = {0};
    golden_array a = golden_array_new(ilex_storage_dtype(s), rank,
                                      ilex_storage_shape(s), count);
    for (int64_t i = 0; i < count; i++) {
        memcpy(golden_array_at(&a, i), ilex_storage_at(s, index),
               ilex_dtype_bytes(a.dtype));
        for (int k = rank - 1; k >= 0 && ++index[k] == a.shape[k]; k--)
            index[k] = 0;
    }
    return a;
}

/* Judges the result "s" of a row that must have one. */
static void
judge_result(golden_report *r, int line, char **row, const ilex_storage *s)
{
    char text[NOTE][TEXT], shown[512];
    describe(s, text);
    for (int c = AXES; c <= LAYOUT; c++)
        if (strcmp(text[c], row[c]) != 0) {
            golden_fail(r, line, "%s: column %d is %s, want %s (%s)", row[ID],
                        c + 1, text[c], row[c], row[NOTE]);
            return;
        }
    golden_array want, got = values(s);
    const char *fault =
        golden_array_parse(&want, row[VALUES], strlen(row[VALUES]));
    golden_array_show(&got, shown, sizeof shown);
    if (fault)
        golden_fail(r, line, "malformed row: values %s", fault);
    else if (got.dtype != want.dtype || got.count != want.count ||
             golden_array_differs(&got, &want, GOLDEN_EXACT) >= 0)
        golden_fail(r, line, "%s: values are %s, want %.500s (%s)", row[ID],
                    shown, row[VALUES], row[NOTE]);
    else
        golden_pass(r);
    golden_array_free(&got);
    if (!fault)
        golden_array_free(&want);
}

static bool
is_refusal(ilex_status status)
{
    return status != ILEX_OK && status != ILEX_E_INTERNAL &&
           status != ILEX_E_MEMORY && status != ILEX_E_TOOLCHAIN &&
           status != ILEX_E_UNSUPPORTED;
}

static void
judge_row(ilex_context *ctx, golden_report *r, int line, char **row)
{
    ilex_storage *x[MOST + 1] = {NULL}, *y = NULL;
    int count = row[0] ? make_operands(ctx, row, x) : -1;
    if (count >= 0)
        y = compute(ctx, row[OP], count, x);
    if (count < 0)
        golden_fail(r, line, "malformed row: %s", ilex_error_text(ctx));
    else if (!strcmp(row[STATUS], "error") && !y &&
             is_refusal(ilex_error_code(ctx)))
        golden_pass(r);
    else if (!strcmp(row[STATUS], "error"))
        golden_fail(r, line, "%s: want a refusal, got %s (%s)", row[ID],
                    y ? "a result" : ilex_error_text(ctx), row[NOTE]);
    else if (!y)
        golden_fail(r, line, "%s: %s (%s)", row[ID], ilex_error_text(ctx),
                    row[NOTE]);
    else
        judge_result(r, line, row, y);
    ilex_storage_release(y);
    for (int i = 0; i < MOST; i++)
        ilex_storage_release(x[i]);
}

void
golden_axis(const golden_table *t, golden_report *r)
{
    for (size_t i = 0; i < t->rows; i++) {
        char **row = golden_row(t, i);
        if (row[0] && !strcmp(row[STATUS], "undefined")) {
            golden_skip(r, row[NOTE]);
            continue;
        }
        ilex_context *ctx = ilex_context_new(NULL);
        if (ctx && ilex_option_set(ctx, "jit", r->jit) == ILEX_OK)
            judge_row(ctx, r, t->line[i], row);
        else
            golden_fail(r, t->line[i], "no context for back end %s", r->jit);
        ilex_context_free(ctx);
    }
}
