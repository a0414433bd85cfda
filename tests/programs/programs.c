/* SPDX-License-Identifier: MIT
 *
 * Programs as users of NumPy write them first give what NumPy gives, to
 * rounding, with the same dtypes and shapes, on two back ends; and their
 * canonical text is that of what it reads back as. values.tsv has the arrays.
 */
#include "tests/suite.h"

#include <ilex/program.h>
#include <ilex/storage.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, COLUMNS = 6, ARGUMENTS = 16 };

static ilex_context *ctx;
static FILE *table;

/* ---- the table ---- */

/* A line of it: program, role, name, dtype, shape, elements. */
typedef struct row {
    char line[LINE], *column[COLUMNS];
} row;

static const char *
source(const char *file, const char *suffix)
{
    static char path[1024];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/programs/%s%s", top ? top : ".", file,
             suffix);
    return path;
}

/* The next row; false at the end. */
static bool
next_row(row *r)
{
    do
        if (!fgets(r->line, sizeof r->line, table))
            return false;
    while (r->line[0] == '#');
    char *p = r->line;
    r->line[strcspn(r->line, "\n")] = 0;
    for (int i = 0; i < COLUMNS; i++) {
        r->column[i] = p;
        p += strcspn(p, "\t");
        if (*p)
            *p++ = 0;
    }
    return true;
}

static int
digit(char c)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                              "uvwxyz0123456789+/";
    const char *at = c ? strchr(all, c) : NULL;
    return at ? (int)(at - all) : -1;
}

/* The bytes that base64 stands for; how many. */
static size_t
decode(const char *text, unsigned char *out)
{
    size_t n = 0;
    unsigned bits = 0;
    int have = 0;
    for (; digit(*text) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit(*text);
        have += 6;
        if (have >= 8)
            out[n++] = (unsigned char)(bits >> (have -= 8));
    }
    return n;
}

static ilex_storage *
storage_of(const row *r)
{
    int64_t shape[8];
    int rank = 0, dtype = 0;
    while (strcmp(ilex_dtype_name((ilex_dtype)dtype), r->column[3]) != 0)
        dtype++;
    for (char *p = r->column[4]; *p; p += *p == ',')
        shape[rank++] = strtoll(p, &p, 10);
    ilex_storage *s = ilex_storage_zeros(ctx, (ilex_dtype)dtype, rank, shape);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    size_t n = decode(r->column[5], ilex_storage_data(s));
    ck_assert_uint_eq(n, (size_t)ilex_storage_count(s) *
                             ilex_dtype_bytes((ilex_dtype)dtype));
    return s;
}

/* ---- comparing ---- */

/* Element "k" as two numbers. */
static void
element(const ilex_storage *s, int64_t k, double *v)
{
    ilex_dtype d = ilex_storage_dtype(s);
    const char *p = (const char *)ilex_storage_const_data(s) +
                    (size_t)k * ilex_dtype_bytes(d);
    float f = 0;
    int64_t i = 0;
    v[0] = v[1] = 0;
    if (d == ILEX_F64 || d == ILEX_C128)
        memcpy(v, p, ilex_dtype_bytes(d));
    else if (d == ILEX_F32)
        memcpy(&f, p, sizeof f);
    else
        memcpy(&i, p, ilex_dtype_bytes(d));
    v[0] = d == ILEX_F32                     ? (double)f
           : d == ILEX_F64 || d == ILEX_C128 ? v[0]
                                             : (double)i;
}

/* Are they the same to rounding of the largest element? */
static void
compare(const char *program, const char *name, const ilex_storage *want,
        const ilex_storage *have)
{
    double a[2], b[2], largest = 0;
    ilex_dtype d = ilex_storage_dtype(want);
    bool exact = d != ILEX_F32 && d != ILEX_F64 && d != ILEX_C128;
    ck_assert_msg(ilex_storage_dtype(have) == d, "%s: dtype of %s", program,
                  name);
    ck_assert_msg(ilex_storage_count(have) == ilex_storage_count(want),
                  "%s: length of %s", program, name);
    for (int64_t k = 0; k < ilex_storage_count(want); k++) {
        element(want, k, a);
        for (int i = 0; i < 2; i++)
            largest = a[i] > largest ? a[i] : -a[i] > largest ? -a[i] : largest;
    }
    double bound = exact ? 0 : (d == ILEX_F32 ? 2e-5 : 1e-10) * largest;
    for (int64_t k = 0; k < ilex_storage_count(want); k++) {
        element(want, k, a);
        element(have, k, b);
        for (int i = 0; i < 2; i++)
            ck_assert_msg(a[i] - b[i] <= bound && b[i] - a[i] <= bound,
                          "%s: element %lld of %s is %.17g, not %.17g", program,
                          (long long)k, name, b[i], a[i]);
    }
}

/* ---- programs ---- */

/* A program and its arguments. */
typedef struct job {
    char name[80];
    ilex_binding bound[ARGUMENTS];
    size_t nbound;
    char output[ARGUMENTS][80];
    ilex_storage *want[ARGUMENTS];
    size_t noutputs;
    char text[ARGUMENTS][80]; /* names of what is bound */
} job;

static char *
read_text(const char *name)
{
    static char text[1 << 14];
    FILE *f = fopen(source(name, ".ilx"), "r");
    ck_assert_msg(f != NULL, "cannot read %s", name);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static void
check_canonical(const char *name, ilex_module *m)
{
    char *text = ilex_module_print(m);
    ilex_module *again = text ? ilex_module_parse(ctx, text, name) : NULL;
    char *twice = again ? ilex_module_print(again) : NULL;
    ck_assert_msg(twice != NULL, "%s: %s", name, ilex_error_text(ctx));
    ck_assert_str_eq(text, twice);
    ilex_text_free(ctx, text);
    ilex_text_free(ctx, twice);
    ilex_module_free(again);
}

static void
run_job(const job *j, const char *jit)
{
    ilex_storage *result[ARGUMENTS] = {NULL};
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_module *m = ilex_module_parse(ctx, read_text(j->name), j->name);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    check_canonical(j->name, m);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_msg(ilex_evaluate(ctx, p, j->bound, j->nbound, result) == ILEX_OK,
                  "%s on %s: %s", j->name, jit, ilex_error_text(ctx));
    for (size_t i = 0; i < j->noutputs; i++)
        compare(j->name, j->output[i], j->want[i], result[i]);
    for (size_t i = 0; i < j->noutputs; i++)
        ilex_storage_release(result[i]);
    ilex_program_release(p);
}

/* Runs what has been read, and gives it back. */
static void
finish(job *j)
{
    static const char *const jits[] = {"reference", "tcc"};
    for (size_t i = 0; j->noutputs && i < 2; i++)
        run_job(j, jits[i]);
    for (size_t i = 0; i < j->nbound; i++)
        ilex_storage_release(j->bound[i].storage);
    for (size_t i = 0; i < j->noutputs; i++)
        ilex_storage_release(j->want[i]);
    *j = (job){.nbound = 0};
}

static void
add_row(job *j, const row *r)
{
    if (!strcmp(r->column[1], "out")) {
        ck_assert_uint_lt(j->noutputs, ARGUMENTS);
        strcpy(j->output[j->noutputs], r->column[2]);
        j->want[j->noutputs++] = storage_of(r);
        return;
    }
    ck_assert_uint_lt(j->nbound, ARGUMENTS);
    char *name = strcpy(j->text[j->nbound], r->column[2]);
    ilex_binding size = ILEX_BIND_I64(name, strtoll(r->column[3], NULL, 10));
    ilex_binding input = ILEX_BIND(name, NULL);
    bool is_size = !strcmp(r->column[1], "size");
    if (!is_size)
        input.storage = storage_of(r);
    j->bound[j->nbound++] = is_size ? size : input;
}

START_TEST(values)
{
    row r;
    static job j;
    int programs = 0;
    ctx = ilex_context_new(NULL);
    table = fopen(source("values", ".tsv"), "r");
    ck_assert(ctx && table);
    while (next_row(&r)) {
        if (strcmp(j.name, r.column[0]) != 0) {
            finish(&j);
            strcpy(j.name, r.column[0]);
            programs++;
        }
        add_row(&j, &r);
    }
    finish(&j);
    ck_assert_int_ge(programs, 18);
    fclose(table);
    ilex_context_free(ctx);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("programs");
    TCase *tests = tcase_create("numpy");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, values);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
