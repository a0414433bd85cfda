/* SPDX-License-Identifier: MIT
 *
 * Every row of run_errors.def fails with this code and message, and leaves all
 * storages as they were; then what needs code: shared memory, workspaces,
 * calls.
 */
#include "lib/graph/context.h"
#include "tests/error/errors.h"

#define SHAPE(...) ((int64_t[]){__VA_ARGS__})
#define HEAD(name) "ilex 1\nprogram " name "\nsize n, m\n"

static const char field[] =
    HEAD("field") "in u : f64[I:n, J:m] halo(I:1:1)\nin c : f64[J:m]\n"
                  "out v : f64[I:n, J:m] = u[I+1]*c - u[I-1]\n";
static const char array[] =
    HEAD("array") "in x : f64[2*n]\nin y : f64[n, 3]\n"
                  "out z : f64[n, 3] = y + y\nout w : f64[2*n] = x*x\n";
static const char even[] =
    HEAD("even") "in x : f64[2*n]\nout y : f64[2*n] = x*x\n";
static const char grown[] =
    HEAD("grown") "in x : f64[n+5]\nout y : f64[n+5] = x*x\n";
static const char named[] = "ilex 1\nprogram named\nsize width\n"
                            "in x : f64[width]\nout y : f64[width] = x\n";
static const char unbound[] = HEAD("unbound") "out y : i64 = size(n)\n";
static const char sum[] =
    HEAD("sum") "in x : f64[n+m]\nout y : f64[n+m] = x*x\n";
static const char product[] =
    HEAD("product") "in x : f64[n*m]\nout y : f64[n*m] = x*x\n";
static const char merged[] =
    HEAD("merged") "in x : f64[n]\nin w : f64[n*m]\nout y : f64[n] = x*x\n"
                   "out z : f64[n*m] = w\n";
static const char least[] =
    HEAD("least") "assume n <= max(m, 8)\nin x : f64[n]\n"
                  "out y : f64[min(n, 2*m)] = x[0:min(n, 2*m)]\n";
static const char half[] =
    HEAD("half") "in x : f64[n//2]\nout y : f64[n//2] = x*x\n";
/* No array has the product. */
static const char unmade[] =
    HEAD("unmade") "assume n*m >= 4\nin x : f64[n]\nin w : f64[m]\n"
                   "out y : f64[n] = x*x\n";
static const char assumed[] =
    HEAD("assumed") "assume n >= 4 && n % 2 == 0\nin x : f64[n]\nout y : "
                    "f64[n] = x*x\n";
/* Its condition holds wherever the assumption does, and goes. */
static const char decided[] =
    HEAD("decided") "assume n >= 2 && m >= 9\nin x : f64[n]\n"
                    "map t[1] = where(_0 > m-2, x[0], x[1])\nout y = t\n";
static const char unused[] = HEAD("unused") "assume m % 3 == 0\nin x : f64[n]\n"
                                            "out y : f64[n] = x\n";
static const char far[] =
    HEAD("far") "in x : f64[m]\nmap y[i=i:n:n+2, j=j:n:n+3] = sum[r:m](x[r]) + "
                "1.0*(i-j)\nmap z[i:2, j:3] = y[i+n, j+n]\nout w = z\n";
static const char largest[] =
    HEAD("largest") "in x : f64[n]\nout y : f64 = max[0](x)\n";
static const char position[] =
    HEAD("where") "in x : f64[n, m]\nout y : i64[n] = argmin[1](x)\n";
static const char centred[] = HEAD(
    "centred") "in x : f64[n]\nout y : f64[n] = x - mean[0](x) inplace x\n";
static const char mirrored[] =
    HEAD("mirrored") "in x : f64[n]\nmap m[n] = x[n-1-_0]\nout y : f64[n] = m "
                     "inplace x\n";
static const char scaled[] =
    HEAD("scaled") "in x : f64[n]\nout y : f64[n] = 2.0*x inplace x\n";

enum { MAX_BOUND = 5, FILL = 7 };

static ilex_context *ctx;
static ilex_storage *bound[MAX_BOUND];

static void
set_jit(const char *jit)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
}

static void
open_fixture(void)
{
    ctx = ilex_context_new(NULL);
    ck_assert_ptr_nonnull(ctx);
    set_jit("reference");
    memset(bound, 0, sizeof bound);
}

static void
close_fixture(void)
{
    for (int i = 0; i < MAX_BOUND; i++)
        ilex_storage_release(bound[i]);
    ilex_context_free(ctx);
}

static ilex_program *
compile(const char *text)
{
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_program *p = ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    return p;
}

/* ---- storages from text ---- */

/* Reads "I:5:1:1" into axis "k" of a spec. */
static void
read_axis(const char *word, int k, int64_t *shape, int64_t *halo, char *names)
{
    long length = 0, low = 0, high = 0;
    char name[8] = "";
    const char *colon = strchr(word, ':');
    ck_assert_msg(colon && colon - word < 8, "axis %s", word);
    memcpy(name, word, (size_t)(colon - word));
    sscanf(colon, ":%ld:%ld:%ld", &length, &low, &high);
    shape[k] = length;
    halo[2 * k] = low;
    halo[2 * k + 1] = high;
    strcat(names, name);
}

/* The storage after the name in "text", every element FILL. */
static ilex_storage *
make_storage(char *text)
{
    static const double fill = FILL;
    int64_t shape[4] = {0}, halo[8] = {0}, stride[4] = {1, 1, 1, 1};
    char names[16] = "";
    static double memory[64];
    bool readonly = false, wide = false;
    ilex_storage_spec spec = {.size = sizeof spec, .shape = shape};
    spec.dtype = strtok(text, " ");
    if (!strcmp(spec.dtype, "NULL"))
        return NULL;
    for (char *word = strtok(NULL, " "); word; word = strtok(NULL, " ")) {
        if (!strcmp(word, "ro"))
            readonly = true;
        else if (!strcmp(word, "wide"))
            wide = true;
        else
            read_axis(word, spec.rank++, shape, halo, names);
    }
    spec.halo = halo;
    spec.axes = *names ? names : NULL;
    spec.flags = readonly ? ILEX_STORAGE_READONLY : 0;
    if (wide) {
        for (int i = 0; i < 64; i++)
            memory[i] = FILL;
        stride[spec.rank - 1] = 0;
        spec.data = memory;
        spec.strides = stride;
    } else {
        spec.fill = &fill;
    }
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

static void
check_untouched(const ilex_storage *s)
{
    int64_t index[4] = {0};
    double v[2];
    for (int64_t i = 0; s && i < ilex_storage_count(s); i++) {
        int64_t rest = i;
        for (int k = ilex_storage_rank(s) - 1; k >= 0; k--) {
            index[k] = rest % ilex_storage_shape(s)[k];
            rest /= ilex_storage_shape(s)[k];
        }
        ck_assert_int_eq(ilex_storage_get_c128(s, index, v), ILEX_OK);
        ck_assert_msg(v[0] == FILL, "element %d became %g", (int)i, v[0]);
    }
}

/* ---- the table ---- */

static const struct run_row {
    ilex_status code;
    const char *fragment, *program, *sizes, *binding[MAX_BOUND];
} rows[] = {
#define RUN(code, fragment, program, sizes, ...)                               \
    {ILEX_E_##code, fragment, program, sizes, __VA_ARGS__},
#include "tests/error/run_errors.def"
};

/* Reads "n=3 m=4"; returns how many. */
static size_t
read_sizes(char *text, ilex_size_binding *sizes)
{
    size_t n = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equal = strchr(word, '=');
        *equal = 0;
        sizes[n++] = (ilex_size_binding){word, strtoll(equal + 1, NULL, 10)};
    }
    return n;
}

/* One row, by the reference and as it comes. */
START_TEST(run_table)
{
    const struct run_row *row = &rows[_i / 2];
    set_jit(_i % 2 ? "auto" : "reference");
    char text[MAX_BOUND][80], size_text[80];
    ilex_binding binding[MAX_BOUND];
    ilex_size_binding sizes[4];
    size_t n = 0;
    ilex_call call = {.size = sizeof call, .sizes = sizes};
    ilex_program *p = compile(row->program);
    strcpy(size_text, row->sizes);
    call.size_count = read_sizes(size_text, sizes);
    for (; n < MAX_BOUND && row->binding[n]; n++) {
        char *blank;
        strcpy(text[n], row->binding[n]);
        blank = strchr(text[n], ' ');
        *blank = 0;
        bound[n] = make_storage(blank + 1);
        binding[n] = (ilex_binding)ILEX_BIND(text[n], bound[n]);
    }
    ilex_status rc = ilex_run(p, binding, n, &call);
    check_error(row->fragment, rc, call.error, row->code, row->fragment);
    if (call.size_count == 0)
        ck_assert_int_eq(ilex_run(p, binding, n, NULL), rc);
    for (size_t i = 0; i < n; i++)
        check_untouched(bound[i]);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK); /* runs have their own */
    ilex_program_release(p);
}
END_TEST

/* ---- shared memory ---- */

/* Runs "text" with x and y over views [from, from + 4) of one storage of 8. */
static ilex_status
run_views(const char *text, int64_t x, int64_t y, char *message)
{
    ilex_program *p = compile(text);
    ilex_call call = {.size = sizeof call};
    bound[0] = ilex_storage_full(ctx, ILEX_F64, 1, SHAPE(8), FILL);
    bound[1] = ilex_storage_slice(ctx, bound[0], 0, x, x + 4, 1);
    bound[2] = ilex_storage_slice(ctx, bound[0], 0, y, y + 4, 1);
    ilex_status rc = ilex_run(
        p, (ilex_binding[]){ILEX_BIND("x", bound[1]), ILEX_BIND("y", bound[2])},
        2, &call);
    strcpy(message, call.error);
    if (rc)
        check_untouched(bound[0]);
    ilex_program_release(p);
    return rc;
}

static const struct {
    const char *text;
    int64_t x, y;
    bool fails;
} shared[] = {
    {scaled, 0, 0, false},  {scaled, 0, 4, false},  {scaled, 0, 1, true},
    {scaled, 3, 0, true},   {centred, 0, 0, false}, {mirrored, 0, 0, false},
    {mirrored, 0, 1, true}, {centred, 0, 4, false},
};

START_TEST(overlap)
{
    char message[1024];
    ilex_status rc =
        run_views(shared[_i].text, shared[_i].x, shared[_i].y, message);
    if (shared[_i].fails)
        check_error("overlap", rc, message, ILEX_E_OVERLAP,
                    "output y overlaps argument x in memory; only an output "
                    "declared `inplace`");
    else
        ck_assert_msg(rc == ILEX_OK, "%s", message);
}
END_TEST

/* Two outputs over one storage, an output over an input that is not its own. */
START_TEST(overlap_of_outputs)
{
    ilex_call call = {.size = sizeof call};
    ilex_program *p =
        compile("ilex 1\nprogram two\nsize n\nin x : f64[n]\nin w : f64[n]\n"
                "out y : f64[n] = x + w inplace x\nout z : f64[n] = x - w\n");
    for (int i = 0; i < 3; i++)
        bound[i] = ilex_storage_full(ctx, ILEX_F64, 1, SHAPE(4), FILL);
    const ilex_binding same[] = {
        ILEX_BIND("x", bound[0]), ILEX_BIND("w", bound[1]),
        ILEX_BIND("y", bound[2]), ILEX_BIND("z", bound[2])};
    check_error("outputs", ilex_run(p, same, 4, &call), call.error,
                ILEX_E_OVERLAP, "output z overlaps argument y");
    const ilex_binding input[] = {
        ILEX_BIND("x", bound[0]), ILEX_BIND("w", bound[1]),
        ILEX_BIND("y", bound[1]), ILEX_BIND("z", bound[2])};
    check_error("input", ilex_run(p, input, 4, &call), call.error,
                ILEX_E_OVERLAP, "output y overlaps argument w");
    for (int i = 0; i < 3; i++)
        check_untouched(bound[i]);
    ilex_program_release(p);
}
END_TEST

/* ---- calls ---- */

START_TEST(workspace)
{
    static char memory[4096] __attribute__((aligned(64)));
    ilex_program *p = compile(centred);
    bound[0] = ilex_storage_full(ctx, ILEX_F64, 1, SHAPE(4), FILL);
    bound[1] = ilex_storage_full(ctx, ILEX_F64, 1, SHAPE(4), FILL);
    const ilex_binding both[] = {ILEX_BIND("x", bound[0]),
                                 ILEX_BIND("y", bound[1])};
    const ilex_size_binding n = {"n", 4};
    int64_t bytes = ilex_program_workspace(p, &n, 1, 1);
    ck_assert_int_gt(bytes, 0);
    ck_assert_int_le(bytes, 4096);
    ck_assert_int_eq(ilex_program_workspace(p, NULL, 0, 1), -1);
    ilex_call call = {.size = sizeof call, .workspace = memory};
    call.workspace_bytes = (size_t)bytes - 1;
    check_error("small", ilex_run(p, both, 2, &call), call.error,
                ILEX_E_ARGUMENT, "are needed");
    call.workspace_bytes = (size_t)bytes;
    call.workspace = memory + 8;
    check_error("shifted", ilex_run(p, both, 2, &call), call.error,
                ILEX_E_ALIGNMENT, "the workspace is not aligned to 64 bytes");
    check_untouched(bound[1]);
    call.workspace = memory;
    call.threads = -1;
    check_error("threads", ilex_run(p, both, 2, &call), call.error,
                ILEX_E_ARGUMENT, "threads is -1");
    call.threads = 0;
    ck_assert_msg(!ilex_run(p, both, 2, &call), "%s", call.error);
    ck_assert_str_eq(call.error, "");
    ilex_program_release(p);
    ck_assert_ptr_null(ilex_compile_module(NULL));
}
END_TEST

START_TEST(calls)
{
    ilex_program *p = compile(even);
    ilex_call call = {.size = sizeof call};
    ilex_call old = {.size = 4};
    ck_assert_int_eq(ilex_run(NULL, NULL, 0, NULL), ILEX_E_ARGUMENT);
    check_error("NULL", ilex_run(p, NULL, 2, &call), call.error,
                ILEX_E_ARGUMENT, "bindings is NULL");
    check_error("none", ilex_run(p, NULL, 0, &call), call.error, ILEX_E_BINDING,
                "argument x : f64[2*n] is not bound");
    ck_assert_int_eq(ilex_run(p, NULL, 0, &old), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(old.workspace);
    call.size_count = 1;
    check_error("sizes", ilex_run(p, NULL, 0, &call), call.error,
                ILEX_E_ARGUMENT, "sizes is NULL");
    ilex_program_release(p);
}
END_TEST

START_TEST(queries)
{
    ilex_program *p = compile(field);
    const ilex_size_binding sizes[] = {{"n", 3}, {"m", 4}};
    int64_t lo[2];
    ck_assert_int_eq(ilex_program_extents(p, 9, sizes, 2, lo, NULL, NULL),
                     ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_extents(p, 0, sizes, 1, lo, NULL, NULL),
                     ILEX_E_SIZE);
    ck_assert_str_eq(ilex_program_argument(p, 9).name, "");
    ck_assert_str_eq(ilex_program_size_name(p, 9), "");
    ck_assert_ptr_null(ilex_table("colours"));
    ck_assert_ptr_null(ilex_table(NULL));
    ilex_program_release(p);
}
END_TEST

Suite *
run_errors_suite(void)
{
    Suite *suite = suite_create("run_errors");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, open_fixture, close_fixture);
    tcase_add_loop_test(table, run_table, 0, 2 * (int)IX_COUNT(rows));
    suite_add_tcase(suite, table);
    TCase *code = tcase_create("code");
    tcase_add_checked_fixture(code, open_fixture, close_fixture);
    tcase_add_loop_test(code, overlap, 0, (int)IX_COUNT(shared));
    tcase_add_test(code, overlap_of_outputs);
    tcase_add_test(code, workspace);
    tcase_add_test(code, calls);
    tcase_add_test(code, queries);
    suite_add_tcase(suite, code);
    return suite;
}
