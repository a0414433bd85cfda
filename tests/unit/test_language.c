/* SPDX-License-Identifier: MIT
 *
 * What constructs of the language mean: every row of language.tsv is a program
 * with sizes, inputs and the numbers or the message that it must give, on every
 * back end, with one thread and with three.
 */
#include "lib/ops/eval.h"
#include "runtime/program/program.h"
#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

enum { LINE = 8192, COLUMNS = 4, MOST_ARGUMENTS = 16, MOST_SIZES = 8 };

static FILE *table;
static int current; /* row */

/* A row under test. */
typedef struct row {
    char *sizes, *inputs, *want, *program;
    int number;
} row;

/* ---- reading ---- */

/* Replaces "\n" by line ends and puts the heading before. */
static void
unescape(const char *s, char *out)
{
    out += sprintf(out, "ilex 1\nprogram p\n");
    for (; *s; s++)
        if (s[0] == '\\' && s[1] == 'n') {
            *out++ = '\n';
            s++;
        } else {
            *out++ = *s;
        }
    *out++ = '\n';
    *out = 0;
}

/* "n=4 m=2"; returns how many. The text is cut up. */
static size_t
read_sizes(char *text, ilex_size_binding *size)
{
    size_t n = 0;
    for (char *p = strtok(text, " "); p && *text != '-';
         p = strtok(NULL, " ")) {
        char *value = strchr(p, '=');
        ck_assert(value && n < MOST_SIZES);
        *value = 0;
        size[n++] = (ilex_size_binding){p, strtoll(value + 1, NULL, 10)};
    }
    return n;
}

/* The next of numbers with blanks between; a complex one is "re,im". */
static ix_value
next_value(const char **text, ilex_dtype dtype)
{
    char *end;
    ix_value in = {.f = strtod(*text, &end)}, v;
    ck_assert_msg(end != *text, "row %d: a number is missing at '%s'", current,
                  *text);
    if (*end == ',')
        in.im = strtod(end + 1, &end);
    if (dtype == ILEX_U64) /* all its digits */
        in.u = strtoull(*text, &end, 10);
    *text = end;
    if (dtype == ILEX_U64)
        return in;
    ix_cast_eval(ILEX_C128, dtype, &in, &v);
    return v;
}

/* ---- arguments ---- */

static ilex_storage *
argument(const ilex_program *p, size_t i, const ilex_size_binding *sizes,
         size_t nsizes, const char **inputs)
{
    const ix_compiled *c = p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    int64_t *size = calloc(c->nsizes + 1, sizeof *size);
    int64_t *least = calloc(c->nsizes + 1, sizeof *least);
    int64_t shape[ILEX_MAX_RANK] = {0}, origin[ILEX_MAX_RANK] = {0}, lo, hi;
    ck_assert(size && least);
    for (size_t k = 0; k < c->nsizes; k++)
        for (size_t j = 0; j < nsizes; j++)
            if (!strcmp(c->size[k].name, sizes[j].name))
                size[k] = sizes[j].value;
    ck_assert(ix_open_sizes(c->tables, least, size) < 0);
    for (int k = 0; k < b->rank; k++) {
        ix_ends_row x = c->tables->axis[b->first_stride + k].interior;
        ck_assert(ix_extreme(c->tables, least, size, x.lo, false, &lo));
        ck_assert(ix_extreme(c->tables, least, size, x.hi, true, &hi));
        shape[k] = hi - lo;
        origin[k] = lo;
    }
    free(size);
    free(least);
    ilex_storage *zeros = ilex_storage_zeros(ctx, b->dtype, b->rank, shape);
    ilex_storage *s =
        zeros ? ilex_storage_with_origin(ctx, zeros, origin) : NULL;
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_release(zeros);
    char *data = ilex_storage_data(s);
    for (int64_t k = 0; k < ilex_storage_count(s); k++)
        ix_value_store(b->dtype, data + k * (int64_t)ilex_dtype_bytes(b->dtype),
                       b->role == IX_COMPILED_INPUT
                           ? next_value(inputs, b->dtype)
                           : (ix_value){.i = 0});
    *inputs += strspn(*inputs, " ;");
    return s;
}

/* Every element of every output is the next number of "want". */
static void
compare(const row *r, const char *where, const ilex_program *p,
        ilex_storage *const *s)
{
    const char *want = r->want;
    for (size_t i = 0; i < p->c->narguments; i++) {
        const ix_compiled_buffer *b = &p->c->buffer[i];
        const char *data = ilex_storage_const_data(s[i]);
        size_t bytes = ilex_dtype_bytes(b->dtype);
        if (b->role != IX_COMPILED_OUTPUT)
            continue;
        for (int64_t k = 0; k < ilex_storage_count(s[i]); k++) {
            ix_value v = next_value(&want, b->dtype);
            char expected[16] = {0};
            ix_value_store(b->dtype, expected, v);
            ix_value have = ix_value_load(b->dtype, data + k * (int64_t)bytes);
            bool nans = v.f != v.f && have.f != have.f &&
                        ilex_dtype_promote(b->dtype, ILEX_F32) == b->dtype;
            ck_assert_msg(
                nans || !memcmp(expected, data + k * (int64_t)bytes, bytes),
                "row %d, %s: element %lld of %s is %g (%lld)", r->number, where,
                (long long)k, b->name, have.f, (long long)have.i);
        }
        want += strspn(want, " ;");
    }
    ck_assert_msg(!*want, "row %d: the program gives fewer numbers", r->number);
}

/* ---- rows ---- */

/* One row in three is compiled as a user's program is, the others faster. */
static void
choose_flags(const row *r)
{
    const char *flags = getenv("ILEX_CFLAGS");
    if (!flags)
        flags = r->number % 3 ? "-O1" : "";
    ck_assert_int_eq(ilex_option_set(ctx, "cflags", flags), ILEX_OK);
}

static ilex_program *
compile_for(const row *r, const char *jit)
{
    char text[LINE + 64];
    bool cuda = !strcmp(jit, "cuda");
    unescape(r->program, text);
    ck_assert_int_eq(ilex_option_set(ctx, "jit", cuda ? "cc" : jit), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "verify", "1"), ILEX_OK);
    choose_flags(r);
    char *laid_out = !strcmp(jit, "reference") && *r->want != '!'
                         ? ilex_text_fmt(ctx, text, "row")
                         : NULL;
    ilex_module *m = ilex_module_parse(ctx, laid_out ? laid_out : text, "row");
    ilex_text_free(ctx, laid_out);
    ilex_program *p = !m     ? NULL
                      : cuda ? cuda_shim_compile(m, NULL)
                             : ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

static void
check_error(const row *r, const char *where, const char *error)
{
    ck_assert_msg(*r->want == '!', "row %d, %s: %s", r->number, where, error);
    ck_assert_msg(strstr(error, r->want + 1) != NULL, "row %d, %s: %s",
                  r->number, where, error);
}

/* Moves the sizes that the program counts behind the others; how many there
 * are of these. */
static size_t
divide_sizes(const ilex_program *p, ilex_size_binding *size, size_t n)
{
    size_t given = 0;
    for (size_t i = 0; i < n; i++) {
        ilex_size_binding s = size[i];
        bool counted = false;
        for (size_t k = 0; k < ilex_program_counted_count(p); k++)
            counted |= !strcmp(ilex_program_counted_name(p, k), s.name);
        if (counted)
            continue;
        size[i] = size[given];
        size[given++] = s;
    }
    return given;
}

/* The counts that the row gives are those of the run. */
static void
compare_counts(const row *r, const char *where, const ilex_call *call,
               const ilex_size_binding *want)
{
    for (size_t i = 0; i < call->counted_count; i++)
        ck_assert_msg(call->counted[i].value == want[i].value,
                      "row %d, %s: %s is %lld", r->number, where, want[i].name,
                      (long long)call->counted[i].value);
}

static void
run_row(const row *r, const char *where, const ilex_program *p, int threads)
{
    char text[LINE];
    ilex_storage *s[MOST_ARGUMENTS];
    ilex_binding bound[MOST_ARGUMENTS];
    ilex_size_binding size[MOST_SIZES], counted[MOST_SIZES];
    const char *inputs = *r->inputs == '-' ? "" : r->inputs;
    size_t n = p->c->narguments;
    ck_assert_uint_le(n, MOST_ARGUMENTS);
    strcpy(text, r->sizes);
    ilex_call call = {.size = sizeof call, .sizes = size, .threads = threads};
    size_t nsizes = read_sizes(text, size);
    call.size_count = divide_sizes(p, size, nsizes);
    call.counted = counted;
    call.counted_count = nsizes - call.size_count;
    for (size_t i = 0; i < call.counted_count; i++)
        counted[i].name = size[call.size_count + i].name;
    for (size_t i = 0; i < n; i++) {
        s[i] = argument(p, i, size, call.size_count, &inputs);
        bound[i] = (ilex_binding)ILEX_BIND(p->c->buffer[i].name, s[i]);
    }
    ilex_status rc = ilex_run(p, bound, n, &call);
    if (rc != ILEX_OK)
        check_error(r, where, call.error);
    else if (*r->want == '!')
        ck_abort_msg("row %d, %s: it runs", r->number, where);
    else
        compare(r, where, p, s);
    if (rc == ILEX_OK)
        compare_counts(r, where, &call, size + call.size_count);
    for (size_t i = 0; i < n; i++)
        ilex_storage_release(s[i]);
}

static void
check_row(const row *r)
{
    static const char *const jits[] = {"reference", "tcc", "cc", "cuda"};
    for (size_t i = 0; i < IX_COUNT(jits); i++) {
        if (!strcmp(jits[i], "tcc") && !ix_jit_tcc_available())
            continue;
        ilex_program *p = compile_for(r, jits[i]);
        if (!p) {
            check_error(r, jits[i], ilex_error_text(ctx));
            ilex_error_clear(ctx);
            continue;
        }
        run_row(r, jits[i], p, 1);
        if (strcmp(jits[i], "cuda") != 0) /* one launch, as on a GPU */
            run_row(r, jits[i], p, 3);
        ilex_program_release(p);
    }
}

START_TEST(rows)
{
    char line[LINE], *column[COLUMNS];
    for (int number = 1; fgets(line, sizeof line, table); number++) {
        int n = 0;
        line[strcspn(line, "\n")] = 0;
        for (char *p = line; p && n < COLUMNS; n++) {
            column[n] = p;
            p = n + 1 < COLUMNS ? strchr(p, '\t') : NULL;
            if (p)
                *p++ = 0;
        }
        if (*line == '#' || !*line)
            continue;
        ck_assert_msg(n == COLUMNS, "row %d has %d columns", number, n);
        current = number;
        row r = {column[0], column[1], column[2], column[3], number};
        ilex_context_free(ctx); /* each in a context of its own */
        ctx = ilex_context_new(NULL);
        check_row(&r);
    }
    fclose(table);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("language");
    TCase *tests = tcase_create("table");
    const char *top = getenv("srcdir");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/unit/language.tsv", top ? top : ".");
    table = fopen(path, "r");
    if (!table) {
        fprintf(stderr, "cannot open %s\n", path);
        return 99;
    }
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, rows);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
