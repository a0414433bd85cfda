/* SPDX-License-Identifier: MIT
 *
 * Runs on a part of the outputs: what is computed, bit for bit as in a run on
 * the whole, what is left alone, and what is refused.
 */
#include "runtime/jit/jit.h"
#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

enum { MOST = 8, N = 9, M = 6 };

static const ilex_size_binding sizes[] = {{"n", N}, {"m", M}};

/* A program with storages for its arguments. */
typedef struct bench {
    ilex_program *p;
    size_t n;
    ilex_storage *s[MOST];
    ilex_binding b[MOST];
} bench;

/* Elements that differ; of integers indices below 4 and, some, -1. */
static void
fill(ilex_storage *s, ilex_dtype dtype, bool output)
{
    for (int64_t i = 0; i < ilex_storage_count(s); i++) {
        if (dtype == ILEX_F64)
            ((double *)ilex_storage_data(s))[i] =
                output ? -777 : (double)(i * 37 % 101) / 7 - 5;
        else
            ((int32_t *)ilex_storage_data(s))[i] =
                output ? -777 : (int32_t)(i * 7 % 5) - 1;
    }
}

/* With or without the halo that the whole run needs, 4 points wide. */
static ilex_storage *
argument(const ilex_program *p, size_t i)
{
    ilex_argument_info info = ilex_program_argument(p, i);
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], shape[ILEX_MAX_RANK] = {0};
    int64_t halo[2 * ILEX_MAX_RANK], widths[2 * ILEX_MAX_RANK];
    char axes[80] = "";
    ck_assert_int_eq(ilex_program_extents(p, i, sizes, 2, lo, hi, halo),
                     ILEX_OK);
    for (int k = 0; k < info.rank; k++) {
        strcat(strcat(axes, k ? ", " : ""), info.axis[k]);
        widths[2 * k] = widths[2 * k + 1] = info.output ? 1 : 4;
        shape[k] = hi[k] - lo[k] + 2 * widths[2 * k];
    }
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(info.dtype),
                              .rank = info.rank,
                              .shape = shape,
                              .axes = axes,
                              .halo = widths,
                              .origin = lo};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

static void
reset(bench *w)
{
    for (size_t i = 0; i < w->n; i++) {
        ilex_argument_info info = ilex_program_argument(w->p, i);
        fill(w->s[i], info.dtype, info.output);
    }
}

static bench
open_bench(const char *body)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m\nassume n >= 4 && m >= 4\n%s", body);
    bench w = {.p = compile(text)};
    w.n = ilex_program_argument_count(w.p);
    ck_assert_uint_le(w.n, MOST);
    for (size_t i = 0; i < w.n; i++) {
        w.s[i] = argument(w.p, i);
        w.b[i] =
            (ilex_binding)ILEX_BIND(ilex_program_argument(w.p, i).name, w.s[i]);
    }
    return w;
}

static void
close_bench(bench *w)
{
    for (size_t i = 0; i < w->n; i++)
        ilex_storage_release(w->s[i]);
    ilex_program_release(w->p);
}

static void
run_box(bench *w, const char *box)
{
    ilex_call call = {
        .size = sizeof call, .box = box, .sizes = sizes, .size_count = 2};
    ck_assert_msg(!ilex_run(w->p, w->b, w->n, &call), "%s", call.error);
}

/* Bytes of all outputs, kept. */
static size_t
outputs(const bench *w, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        ilex_argument_info info = ilex_program_argument(w->p, i);
        size_t bytes =
            (size_t)ilex_storage_count(w->s[i]) * ilex_dtype_bytes(info.dtype);
        if (!info.output)
            continue;
        memcpy(to + n, ilex_storage_const_data(w->s[i]), bytes);
        n += bytes;
    }
    return n;
}

/* Programs whose outputs have the axes I and J, over every kind of stage. */
static const char *const programs[] = {
    "in u : f64[I:n, J:m] halo(I:2:2, J:1:1)\n"
    "let l = u[I+1] + u[I-1] + u[J+1] + u[J-1] - 4*u\n"
    "out a : f64[I:n, J:m] = l\nout b = l[I+1] + l[I-1]\n",
    "in u : f64[I:n, J:m]\nlet l = exp(u)*u + u\n"
    "out a : f64[I:1:n-1, J:m] = l[I+1]/(2.0 + l[I-1]*l[I-1])\n"
    "out b : f64[I:-1:n-1, J:2:m] = l[I+1]\n",
    "in u : f64[I:n, J:m]\nout a = combine(u[I=:2], 2.0*u[I=2:])\n"
    "out b = concat_where(J < 1, u, u[J-1])\nout s = sum[J](u)\n"
    "out t = max[I](u)\n",
    "in u : f64[I:n, J:m]\n"
    "scan I forward s : f64[I:n, J:m] = where(index(I) == 0, u, 0.5*s[I-1] + "
    "u)\n"
    "scan J backward t : f64[I:n, J:m] = where(index(J) == m-1, u, t[J+1] - "
    "u)\n"
    "out a = s + t\nout b = s[J=1:3]\n",
    "in c : i32[I:n, L:3] -> E skip -1\nin u : f64[E:4, J:m]\n"
    "out a = sum[L](remap(u, c))\nout b = max[L](remap(u, c; 0.0)*index(L))\n",
    "in u : f64[I:n, J:m]\nin i : i32[I:n]\n"
    "map a[I:n, J:m] = u[i[I] + 1, J]\nout o = a\n"
    "out v : f64[I+1/2:n-1, J:m] = u[I+1/2] - u[I-1/2]\n",
    "in u : f64[I:n, J:m]\nout v : f64[J:m, I:n] = u\nout k = index(J) + "
    "0*i32(u)\n"
    "out w = std[I=1:n](u)\n",
};

static const char *const parts[][4] = {
    {"I=:3", "I=3:"},
    {"J=0:5", "J=5", NULL},
    {"I=-9:4, J=:2", "I=4:99, J=:2", "J=2:, I=:4", "J=2:, I=4:"},
};

static void
check_program(const char *text)
{
    static char whole[1 << 15], pieces[1 << 15];
    bench w = open_bench(text);
    reset(&w);
    run_box(&w, NULL);
    size_t bytes = outputs(&w, whole);
    for (size_t i = 0; i < IX_COUNT(parts); i++) {
        reset(&w);
        for (int k = 0; k < 4 && parts[i][k]; k++)
            run_box(&w, parts[i][k]);
        /* along an axis of its own an output is computed by every part */
        ck_assert_uint_eq(outputs(&w, pieces), bytes);
        ck_assert_msg(!memcmp(whole, pieces, bytes), "parts %zu of\n%s", i,
                      text);
    }
    close_bench(&w);
}

START_TEST(parts_are_the_whole)
{
    static const char *const jits[] = {"reference", "tcc", "cc"};
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        if (!strcmp(jits[j], "tcc") && !ix_jit_tcc_available())
            continue;
        ilex_option_set(ctx, "jit", jits[j]);
        ilex_option_set(ctx, "box", "1");
        for (size_t i = 0; i < IX_COUNT(programs); i++)
            check_program(programs[i]);
    }
}
END_TEST

/* What one part writes: points inside it alone. */
START_TEST(nothing_else_is_written)
{
    ilex_option_set(ctx, "box", "1");
    bench w = open_bench("in u : f64[I:n, J:m]\nout v = 0*u + 1\n");
    reset(&w);
    run_box(&w, "J=2:4, I=8");
    const double *v = ilex_storage_const_data(w.s[1]);
    for (int64_t i = 0; i < N + 2; i++)
        for (int64_t j = 0; j < M + 2; j++)
            ck_assert_double_eq(v[i * (M + 2) + j],
                                i == 9 && (j == 3 || j == 4) ? 1 : -777);
    reset(&w);
    run_box(&w, "I=9");
    run_box(&w, "I=3:3");
    run_box(&w, "I=20:30, J=-5:2");
    run_box(&w, "J=-1");
    for (int64_t i = 0; i < (N + 2) * (M + 2); i++)
        ck_assert_double_eq(v[i], -777);
    close_bench(&w);
}
END_TEST

/* A part needs no more of its inputs than it reads, and no more room. */
START_TEST(small_storages)
{
    ilex_option_set(ctx, "box", "1");
    bench w = open_bench("in u : f64[I:n, J:m]\nout v = u[I=1:n]\n");
    for (size_t i = 0; i < 2; i++) {
        ilex_storage *part = ilex_storage_select(ctx, w.s[i], "I=3:5");
        ck_assert_msg(part != NULL, "%s", ilex_error_text(ctx));
        ilex_storage_release(w.s[i]);
        w.b[i].storage = w.s[i] = part;
    }
    ilex_call call = {
        .size = sizeof call, .box = "I=3:5", .sizes = sizes, .size_count = 2};
    ck_assert_msg(!ilex_run(w.p, w.b, 2, &call), "%s", call.error);
    call.box = "I=3:6";
    ck_assert_int_ne(ilex_run(w.p, w.b, 2, &call), ILEX_OK);
    close_bench(&w);
}
END_TEST

/* What outputs are declared on says the sizes, whatever part is computed. */
START_TEST(sizes_of_outputs)
{
    ilex_option_set(ctx, "box", "1");
    bench w = open_bench("in s : f64\n"
                         "out v : f64[I:n, J:m] = s*index(I) + index(J)\n");
    ck_assert_str_eq(ilex_program_argument(w.p, 1).domain, "I:n, J:m");
    ilex_call call = {.size = sizeof call, .box = "I=2"};
    *(double *)ilex_storage_data(w.s[0]) = 10;
    ck_assert_msg(!ilex_run(w.p, w.b, 2, &call), "%s", call.error);
    const double *v = ilex_storage_const_data(w.s[1]);
    ck_assert_double_eq(v[3 * (M + 2) + 1 + 4], 24);
    close_bench(&w);
}
END_TEST

static const struct {
    const char *box;
    ilex_status code;
    const char *message;
} refused[] = {
    {"I", ILEX_E_SYNTAX, "expected ranges and indices of named axes"},
    {"I=1:2 J=3", ILEX_E_SYNTAX, "expected ranges"},
    {"K=1:2", ILEX_E_AXIS, "no output has an axis called K"},
    {"I=1:2, I=3", ILEX_E_DUPLICATE, "the axis I occurs twice"},
};

START_TEST(refusals)
{
    static const char text[] = "in u : f64[I:n, J:m]\nout v = 2*u\n";
    ilex_option_set(ctx, "box", "1");
    bench w = open_bench(text);
    ilex_call call = {.size = sizeof call};
    for (size_t i = 0; i < IX_COUNT(refused); i++) {
        call.box = refused[i].box;
        ck_assert_int_eq(ilex_run(w.p, w.b, 2, &call), refused[i].code);
        ck_assert_msg(strstr(call.error, refused[i].message), "%s", call.error);
    }
    ck_assert_uint_eq(ilex_program_size_count(w.p), 2);
    close_bench(&w);
    ilex_option_set(ctx, "box", "0");
    w = open_bench(text);
    call.box = "I=1:2";
    ck_assert_int_eq(ilex_run(w.p, w.b, 2, &call), ILEX_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(call.error, "compile it with option box=1"));
    call.size = offsetof(ilex_call, box); /* a caller that knows no box */
    ck_assert_int_eq(ilex_run(w.p, w.b, 2, &call), ILEX_OK);
    close_bench(&w);
}
END_TEST

/* Steps in place, part by part: a part that does not read the others. */
START_TEST(in_place)
{
    ilex_option_set(ctx, "box", "1");
    bench w = open_bench(
        "in u : f64[I:n, J:m]\nout v : f64[I:n, J:m] = 2*u + 1 inplace u\n");
    reset(&w);
    enum { WIDE = M + 8, ALL = (N + 8) * WIDE };
    double before[ALL];
    double *u = ilex_storage_data(w.s[0]);
    memcpy(before, u, sizeof before);
    w.b[1].storage = w.s[0];
    run_box(&w, "I=:4");
    run_box(&w, "I=4:");
    for (int i = 0; i < ALL; i++) {
        int row = i / WIDE - 4, column = i % WIDE - 4;
        bool inside = row >= 0 && row < N && column >= 0 && column < M;
        ck_assert_double_eq(u[i], inside ? 2 * before[i] + 1 : before[i]);
    }
    close_bench(&w);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("box", parts_are_the_whole, nothing_else_is_written,
                     small_storages, sizes_of_outputs, refusals, in_place);
}
