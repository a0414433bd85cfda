/* SPDX-License-Identifier: MIT
 *
 * Scans along the last axis, a few columns side by side: which scans, how many
 * columns, what is asked for, the memory of a thread, and the bits of the
 * reference where columns fill strips or do not.
 */
#include "tests/unit/graph_fixture.h"

/* Solves a system in each column, which other columns' inputs are read for. */
#define SOLVER(dtype)                                                          \
    "ilex 1\nprogram p\nsize n, m, l\nassume l >= 1\n"                         \
    "in a : " dtype "[i:n, j:m+1, k:l]\nin d : " dtype "[i:n, j:m, k:l]\n"     \
    "in e : " dtype "[i:n, j:m]\n"                                             \
    "scan k forward c[i:n, j:m, k:l] : " dtype                                 \
    " = e[i, j] - a[i, j+1, k]*where(k == 0, " dtype "(3), c[i, j, k-1]),\n"   \
    "  q[i:n, j:m, k:l] : " dtype                                              \
    " = d[i, j, k] + a[i, j, k]*where(k == 0, " dtype "(0), q[i, j, k-1]"      \
    " - c[i, j, k-1])\n"                                                       \
    "scan k backward x[i:n, j:m, k:l] : " dtype                                \
    " = q[i, j, k] - where(k == l-1, e[i, j], c[i, j, k]*x[i, j, k+1])\n"      \
    "out y = x*e + d\n"

static const char *const jits[] = {"reference", "tcc", "cc"};

/* ---- which scans ---- */

typedef struct found {
    const ix_kernel *k;
    int64_t step;
    int fetches;
} found;

static bool
note(void *user, ix_stmt *s)
{
    found *f = user;
    if (s->kind == IX_STMT_FOR &&
        f->k->variable[s->number].role == IX_VARIABLE_OUTER)
        f->step = s->step;
    f->fetches += s->kind == IX_STMT_FETCH;
    return true;
}

static found
look(const char *text)
{
    ix_unit u;
    found f = {.step = 1};
    run_passes(&u, parse(text), "schedule");
    for (ix_kernel *k = u.kernels; k; k = k->next) {
        f.k = k;
        ix_stmt_each(k->body, note, &f);
    }
    free_unit(&u);
    return f;
}

static void
expect_strips(int64_t step, const char *inputs, const char *scan)
{
    char text[600];
    snprintf(
        text, sizeof text,
        "ilex 1\nprogram p\nsize n, m\nassume m >= 1\n%s\nscan %s\nout o = y\n",
        inputs, scan);
    found f = look(text);
    ck_assert_msg(f.step == step, "%s: %d", scan, (int)f.step);
}

START_TEST(which)
{
    static const char *const x = "in x : f64[n, m]\nin i : i32[n]";
    expect_strips(4, x,
                  "_1 forward y[n, m] = where(_1 == 0, x[_0, _1], "
                  "0.5*y[_0, _1-1] + x[_0, _1])");
    expect_strips(4, x,
                  "_1 backward y[n, m] = where(_1 == m-1, x[_0, _1], "
                  "x[_0, _1]/y[_0, _1+1])");
    /* a sum does not wait long; what waits for nothing does not count */
    expect_strips(1, x,
                  "_1 forward y[n, m] = where(_1 == 0, x[_0, _1], "
                  "y[_0, _1-1] + x[_0, _1])");
    expect_strips(1, x,
                  "_1 forward y[n, m] = where(_1 == 0, x[_0, _1], "
                  "y[_0, _1-1] + exp(x[_0, _1])/3)");
    /* the last axis is free; there is no free one */
    expect_strips(1, x,
                  "_0 forward y[n, m] = where(_0 == 0, x[_0, _1], "
                  "0.5*y[_0-1, _1] + x[_0, _1])");
    expect_strips(1, x,
                  "_0 forward y[n] = where(_0 == 0, x[_0, 0], "
                  "0.5*y[_0-1] + x[_0, 0])");
    /* which check fails first would change */
    expect_strips(1, x,
                  "_1 forward y[n, m] = where(_1 == 0, x[_0, _1], "
                  "0.5*y[_0, _1-1] + x[i[_0], _1])");
    expect_strips(1, x,
                  "_1 forward y[n, m] = where(_1 == 0, x[_0, _1], "
                  "0.5*y[_0, _1-1] + sum[q:0:n](x[q, _1]))");
}
END_TEST

START_TEST(widths)
{
    ck_assert_int_eq(look(SOLVER("f64")).step, 4);
    ck_assert_int_eq(look(SOLVER("f32")).step, 8);
    ck_assert_int_eq(look(SOLVER("i8")).step, 8);
    ck_assert_int_eq(look(SOLVER("c128")).step, 2);
}
END_TEST

/* ---- what is asked for ---- */

/* Once for rows that differ by levels or by columns; not for what does not
 * move with columns and levels, nor for what the kernel writes. */
START_TEST(fetches)
{
    found f = look("ilex 1\nprogram p\nsize n, m, l\n"
                   "in a : f64[n+1, m+1, l+2]\nin b : f64[m]\nin e : f64[l]\n"
                   "scan _2 forward y[n, m, l] = where(_2 >= 1, y[_0, _1, "
                   "_2-1], 1)*a[_0, _1, _2] + a[_0, _1+1, _2+2]*b[_1] + "
                   "a[_0+1, _1, _2+1]*e[_2]\nout o = y\n");
    ck_assert_int_eq(f.step, 4);
    ck_assert_int_eq(f.fetches, 4); /* two rows, in two loops over levels */
}
END_TEST

START_TEST(in_dialects)
{
    static const struct {
        const char *jit;
        bool asks;
    } dialects[] = {{"tcc", false}, {"cc", true}};
    ilex_module *m = parse(SOLVER("f64"));
    for (size_t i = 0; i < 2; i++) {
        ilex_option_set(ctx, "jit", dialects[i].jit);
        char *text = ilex_module_emit(m, "jit");
        ck_assert_msg(text != NULL, "%s", ilex_error_text(ctx));
        ck_assert((strstr(text, "ILEX_FETCH(r") != NULL) == dialects[i].asks);
        ck_assert((strstr(text, "define ILEX_FETCH") != NULL) ==
                  dialects[i].asks);
        ilex_text_free(ctx, text);
    }
    ilex_module_free(m);
    m = parse("ilex 1\nprogram p\nsize n\nin x : f64[n]\nout y = 2*x\n");
    char *text = ilex_module_emit(m, "jit");
    ck_assert_ptr_null(strstr(text, "ILEX_FETCH"));
    ilex_text_free(ctx, text);
    ilex_module_free(m);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory)
{
    ilex_option_set(ctx, "jit", "cc");
    ilex_program *p = compile(SOLVER("f64"));
    ilex_size_binding sizes[] = {{"n", 100}, {"m", 70}, {"l", 9}};
    ck_assert_uint_eq(ilex_program_temporary_count(p), 3);
    for (size_t i = 0; i < 3; i++) {
        ilex_temporary_info t = ILEX_TEMPORARY_INFO();
        ck_assert_int_eq(ilex_program_temporary(p, i, &t), ILEX_OK);
        ck_assert_int_eq(t.each_thread, 1);
        ck_assert_int_eq(t.rank, 2);
        ck_assert_str_eq(t.domain, "k:l, j:4");
        ck_assert_str_eq(t.bytes, "32*l");
    }
    /* 288 bytes are 320 in lines */
    ck_assert_int_eq(ilex_program_workspace(p, sizes, 3, 1), 3 * 320);
    ck_assert_int_eq(ilex_program_workspace(p, sizes, 3, 2), 6 * 320);
    ilex_program_release(p);
}
END_TEST

/* For another target of the same unit temporaries are whole again. */
START_TEST(other_target)
{
    ix_unit u;
    run_passes(&u, parse(SOLVER("f64")), "translation_units");
    for (int cuda = 0; cuda < 3; cuda++) {
        int own = 0;
        ck_assert(ix_unit_target(
            &u, &ix_targets[cuda % 2 ? IX_TARGET_cuda : IX_TARGET_generic]));
        for (size_t i = 0; i < u.nbuffers; i++) {
            const ix_buffer *b = &u.buffer[i];
            own += b->own != NULL;
            if (b->role == IX_ROLE_TEMP)
                ck_assert_int_eq(b->box->rank, cuda % 2 ? 3 : 2);
        }
        ck_assert_int_eq(own, cuda % 2 ? 0 : 3);
    }
    free_unit(&u);
}
END_TEST

/* ---- values ---- */

/* Small numbers, some negative, whatever the dtype. */
static ilex_storage *
filled(ilex_dtype dtype, int rank, const int64_t *shape)
{
    ilex_storage *s = ilex_storage_zeros(ctx, dtype, rank, shape);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    int64_t n = ilex_storage_count(s);
    void *data = ilex_storage_data(s);
    bool complex = dtype == ILEX_C128;
    for (int64_t i = 0; i < (complex ? 2 * n : n); i++) {
        int64_t v = draw(-9, 9);
        if (dtype == ILEX_F32)
            ((float *)data)[i] = 0.125f * (float)v;
        else if (dtype == ILEX_I8)
            ((int8_t *)data)[i] = (int8_t)v;
        else
            ((double *)data)[i] = 0.1 * (double)v;
    }
    return s;
}

/* Runs on each back end with one thread and three; the bits are the same. */
static void
compare(ilex_program *const *p, ilex_dtype dtype, int64_t m, int64_t l)
{
    int64_t n = 3;
    ilex_storage *a = filled(dtype, 3, SHAPE(n, m + 1, l)),
                 *d = filled(dtype, 3, SHAPE(n, m, l)),
                 *e = filled(dtype, 2, SHAPE(n, m)), *y[6];
    for (int i = 0; i < 6; i++) {
        y[i] = ilex_storage_zeros(ctx, dtype, 3, SHAPE(n, m, l));
        ilex_binding bound[] = {ILEX_BIND("a", a), ILEX_BIND("d", d),
                                ILEX_BIND("e", e), ILEX_BIND("y", y[i])};
        ilex_call call = {.size = sizeof call, .threads = i % 2 ? 3 : 1};
        if (!p[i / 2])
            continue;
        ck_assert_msg(!ilex_run(p[i / 2], bound, 4, &call), "%s", call.error);
        ck_assert_mem_eq(ilex_storage_const_data(y[i]),
                         ilex_storage_const_data(y[0]),
                         (size_t)(n * m * l) * ilex_dtype_bytes(dtype));
    }
    for (int i = 0; i < 6; i++)
        ilex_storage_release(y[i]);
    ilex_storage_release(a);
    ilex_storage_release(d);
    ilex_storage_release(e);
}

static void
compare_all(ilex_dtype dtype, const char *text)
{
    ilex_program *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = ilex_option_set(ctx, "jit", jits[i]) ? NULL : compile(text);
    for (int64_t m = 0; m <= 9; m++)
        for (int64_t l = 1; l <= 9; l += l < 3 ? 1 : 3)
            compare(p, dtype, m, l);
    compare(p, dtype, 17, 33);
    for (int i = 0; i < 3; i++)
        ilex_program_release(p[i]);
}

/* Levels that are numbers are read anew for each column. */
START_TEST(numbered)
{
    compare_all(ILEX_F64,
                "ilex 1\nprogram p\nsize n, m, l\nassume l >= 1\n"
                "in a : f64[i:n, j:m+1, k:l]\nin d : f64[i:n, j:m, k:l]\n"
                "in e : f64[i:n, j:m]\n"
                "scan k forward s[i:n, j:m, k:l] = d[i, j, k]*a[i, j, k] + "
                "where(k == 0, e[i, j], 0.5*s[i, j, k-1])\n"
                "map t[i:n, j:m, k:l] = s[i, j, 0]*d[i, j, k] - s[i, j, l-1]\n"
                "out y = t\n");
    compare_all(ILEX_F64,
                "ilex 1\nprogram p\nsize n, m, l\nassume l >= 1\n"
                "in a : f64[i:n, j:m+1, k:l]\nin d : f64[i:n, j:m, k:l]\n"
                "in e : f64[i:n, j:m]\n"
                "scan k forward s[i:n, j:m, k:l] = d[i, j, k] + "
                "where(k == 0, e[i, j], s[i, j, k-1]) + a[i, j, k]\n"
                "map t[i:n, j:m, k:l] = s[i, j, 0]*d[i, j, k]\n"
                "out y = t\n");
}
END_TEST

START_TEST(bits)
{
    compare_all(ILEX_F64, SOLVER("f64"));
    compare_all(ILEX_F32, SOLVER("f32"));
    compare_all(ILEX_I8, SOLVER("i8"));
    compare_all(ILEX_C128, SOLVER("c128"));
}
END_TEST

/* A kernel for a range of the side: no point of a strip is beyond its end, and
 * strips begin where the range does. */
START_TEST(side_is_divided)
{
    enum { M = 4000, L = 7 };
    for (int j = 1; j < 3; j++) {
        if (ilex_option_set(ctx, "jit", jits[j]))
            continue;
        ilex_program *p =
            compile("ilex 1\nprogram p\nsize m, l\nin x : f64[m, l]\n"
                    "scan _1 forward s[m, l] = where(_1 == 0, x[_0, 0], "
                    "0.5*s[_0, _1-1] + x[_0, _1])\nout y = s inplace x\n");
        ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(M, L));
        double *data = ilex_storage_data(x);
        for (int i = 0; i < M * L; i++)
            data[i] = i / L + 1;
        ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", x)};
        ilex_call call = {.size = sizeof call, .threads = 7};
        ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
        for (int i = 0; i < M; i++) {
            double s = 0;
            for (int k = 0; k < L; k++)
                ck_assert(data[i * L + k] == (s = 0.5 * s + i + 1));
        }
        ilex_storage_release(x);
        ilex_program_release(p);
    }
}
END_TEST

/* A scan that is read where data says, in its own loops: messages speak of all
 * its axes. */
START_TEST(outside)
{
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        if (ilex_option_set(ctx, "jit", jits[j]))
            continue;
        ilex_program *p =
            compile("ilex 1\nprogram p\nsize n, m\nassume m >= 1\n"
                    "in x : f64[i:n, k:m]\nin a : i64[k:m]\n"
                    "let s = cumsum(x; axis=k)\n"
                    "map y[i:n, k:m] = s[i, a[k]]\nout r = y\n");
        ilex_storage *x = filled(ILEX_F64, 2, SHAPE(3, 5)),
                     *a = counting(1, SHAPE(5)),
                     *r = filled(ILEX_F64, 2, SHAPE(3, 5));
        ((int64_t *)ilex_storage_data(a))[2] = 5;
        ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("a", a),
                                ILEX_BIND("r", r)};
        ilex_call call = {.size = sizeof call, .threads = 1};
        ck_assert_int_eq(ilex_run(p, bound, 3, &call), ILEX_E_BOUNDS);
        ck_assert_msg(strstr(call.error, "index 5 of k is data and leaves "
                                         "[0, 5)") != NULL,
                      "%s: %s", jits[j], call.error);
        ilex_storage_release(x);
        ilex_storage_release(a);
        ilex_storage_release(r);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("columns", which, widths, fetches, in_dialects, memory,
                     other_target, bits, numbered, side_is_divided, outside);
}
