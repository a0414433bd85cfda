/* SPDX-License-Identifier: MIT
 *
 * What storages promise their users beyond what other tests show: values that
 * constructors write, padding, contiguity, relabelling, halos in programs,
 * buffers of others in programs, and the differences from NumPy one by one as
 * doc/storages.md lists them.
 */
#define _GNU_SOURCE
#include <math.h>

#include "ilex.h"
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

static ilex_storage *
make(ilex_storage_spec spec)
{
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

static void
release_all(size_t n, ilex_storage *const *s)
{
    for (size_t i = 0; i < n; i++)
        ilex_storage_release(s[i]);
}

/* ---- construction ---- */

/* What is like a storage is what a spec with `like` gives, whichever way. */
START_TEST(like_by_both_ways)
{
    static const char *const properties[] = {
        "dtype",     "shape",         "axes",  "halo",   "origin", "layout",
        "alignment", "aligned_index", "space", "device", "managed"};
    double memory[12] = {0};
    ilex_storage *s[] = {
        make(SPEC(.rank = 2, .shape = SHAPE(3, 4), .name = "u")),
        make(SPEC(.rank = 2, .shape = SHAPE(3, 4), .axes = "IJ",
                  .halo = SHAPE(1, 1, 0, 2), .origin = SHAPE(5, -1),
                  .dtype = "f32")),
        make(SPEC(.rank = 2, .shape = SHAPE(3, 4), .alignment = 128)),
        make(SPEC(.rank = 2, .shape = SHAPE(3, 4), .layout = "F")),
        make(SPEC(.rank = 1, .shape = SHAPE(5), .flags = ILEX_STORAGE_CONST,
                  .fill = (const double[]){2})),
        make(SPEC(.rank = 1, .shape = SHAPE(6), .data = memory,
                  .strides = SHAPE(2))),
        make(SPEC(.rank = 1, .shape = SHAPE(12), .data = memory,
                  .flags = ILEX_STORAGE_READONLY)),
        make(SPEC(.rank = 0, .shape = SHAPE(0))),
        make(SPEC(.rank = 2, .shape = SHAPE(0, 4),
                  .fixed = (const unsigned char[]){1, 0})),
        make(SPEC(.rank = 1, .shape = SHAPE(4), .device = "gpu")),
        make(SPEC(.rank = 1, .shape = SHAPE(4), .id = 3)),
    };
    size_t n = sizeof s / sizeof *s;
    for (size_t i = 0; i < n; i++) {
        ilex_storage *a = ilex_storage_empty_like(ctx, s[i]);
        ilex_storage *b = make(SPEC(.like = s[i]));
        ck_assert_ptr_nonnull(a);
        for (size_t k = 0; k < sizeof properties / sizeof *properties; k++)
            ck_assert_str_eq(ilex_storage_source(a, properties[k]),
                             ilex_storage_source(b, properties[k]));
        ck_assert_str_eq(ilex_storage_name(a), ilex_storage_name(b));
        ck_assert_str_eq(ilex_storage_layout_order(a),
                         ilex_storage_layout_order(b));
        ck_assert_int_eq(ilex_storage_writable(a), ilex_storage_writable(b));
        ck_assert_uint_eq(ilex_storage_alignment(a), ilex_storage_alignment(b));
        ck_assert_str_eq(ilex_storage_managed(a), ilex_storage_managed(b));
        ck_assert_uint_eq(ilex_storage_allocated_bytes(a),
                          ilex_storage_allocated_bytes(b));
        ck_assert_uint_eq(ilex_storage_kind(a), ilex_storage_kind(b));
        for (int k = 0; k < ilex_storage_rank(b); k++) {
            ck_assert_int_eq(ilex_storage_shape(a)[k],
                             ilex_storage_shape(b)[k]);
            ck_assert_int_eq(ilex_storage_stride(a)[k],
                             ilex_storage_stride(b)[k]);
            ck_assert_int_eq(ilex_storage_origin(a)[k],
                             ilex_storage_origin(b)[k]);
            ck_assert_int_eq(ilex_storage_halo(a)[2 * k],
                             ilex_storage_halo(b)[2 * k]);
            ck_assert_int_eq(ilex_storage_fixed(a, k),
                             ilex_storage_fixed(b, k));
            ck_assert_str_eq(ilex_storage_axis_name(a, k),
                             ilex_storage_axis_name(b, k));
        }
        if (ilex_storage_on_host(a) && ilex_storage_count(a) > 0)
            memset(ilex_storage_data(a), 1, (size_t)ilex_storage_bytes(a));
        ilex_storage_release(a);
        ilex_storage_release(b);
    }
    release_all(n, s);
}
END_TEST

/* All dtypes exist on the host, on a device and on both; no other. */
START_TEST(dtypes_everywhere)
{
    for (int d = 0; d < ILEX_NDTYPES; d++)
        for (int place = 0; place < 3; place++) {
            ilex_storage *s =
                make(SPEC(.dtype = ilex_dtype_name((ilex_dtype)d), .rank = 1,
                          .shape = SHAPE(3), .fill = (const double[]){1},
                          .device = place ? "gpu" : NULL,
                          .managed = place == 1 ? "none" : NULL));
            ilex_storage *h = ilex_storage_to(ctx, s, "cpu");
            double v[2];
            ck_assert_int_eq(ilex_storage_get_c128(h, SHAPE(2), v), ILEX_OK);
            ck_assert(v[0] == 1 && v[1] == 0);
            release_all(2, (ilex_storage *[]){s, h});
        }
    static const char *const others[] = {"f128", "c32", "i128", "float64", ""};
    for (size_t i = 0; i < IX_COUNT(others); i++) {
        ck_assert_ptr_null(ilex_storage_new(
            ctx, &SPEC(.dtype = others[i], .rank = 1, .shape = SHAPE(3))));
        ck_assert_int_eq(take_error(), ILEX_E_DTYPE);
    }
}
END_TEST

/* Every element, those of the halo too. */
START_TEST(values_reach_the_halo)
{
    const double want[] = {0, 1, -2.5};
    for (int way = 0; way < 3; way++) {
        ilex_storage *like = make(SPEC(.rank = 2, .shape = SHAPE(4, 5),
                                       .halo = SHAPE(1, 1, 2, 2),
                                       .alignment = 64, .layout = "F"));
        ilex_storage *s = way == 0   ? ilex_storage_zeros_like(ctx, like)
                          : way == 1 ? ilex_storage_ones_like(ctx, like)
                                     : ilex_storage_full_like(ctx, like, -2.5);
        ilex_storage *p =
            way == 0   ? ilex_storage_zeros(ctx, ILEX_F32, 2, SHAPE(4, 5))
            : way == 1 ? ilex_storage_ones(ctx, ILEX_F32, 2, SHAPE(4, 5))
                       : ilex_storage_full(ctx, ILEX_F32, 2, SHAPE(4, 5), -2.5);
        for (int i = 0; i < 20; i++) {
            double a, b;
            ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(i / 5, i % 5), &a),
                             ILEX_OK);
            ck_assert_int_eq(ilex_storage_get_f64(p, SHAPE(i / 5, i % 5), &b),
                             ILEX_OK);
            ck_assert(a == want[way] && b == want[way]);
        }
        release_all(3, (ilex_storage *[]){like, s, p});
    }
}
END_TEST

START_TEST(fill_values_fit)
{
    const struct {
        ilex_dtype dtype;
        double value;
        bool good;
    } rows[] = {{ILEX_I32, NAN, false},     {ILEX_I32, INFINITY, false},
                {ILEX_I8, 128, false},      {ILEX_I8, -128, true},
                {ILEX_U8, -1, false},       {ILEX_U8, 255, true},
                {ILEX_I64, 0.5, false},     {ILEX_BOOL, 2, false},
                {ILEX_F32, 1e300, false},   {ILEX_F32, NAN, true},
                {ILEX_F32, INFINITY, true}, {ILEX_C64, -3, true}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s =
            ilex_storage_full(ctx, rows[i].dtype, 1, SHAPE(2), rows[i].value);
        ck_assert_msg((s != NULL) == rows[i].good, "row %zu", i);
        ck_assert_int_eq(take_error(), s ? ILEX_OK : ILEX_E_LITERAL);
        ilex_storage_release(s);
    }
}
END_TEST

/* Rows are padded to the alignment if there are two; an array of one axis, or
 * of one that is not masked, is not. */
START_TEST(padding)
{
    const struct {
        int rank;
        int64_t shape[3];
        int map[3];
        int64_t span, stride;
    } rows[] = {{1, {5}, {0}, 5, 1},
                {2, {3, 5}, {0, 1}, 21, 8},
                {2, {3, 8}, {0, 1}, 24, 8},
                {2, {3, 5}, {-1, 0}, 5, 0},
                {3, {2, 3, 5}, {0, 1, 2}, 45, 24},
                {2, {0, 5}, {0, 1}, 0, 8},
                {2, {3, 0}, {0, 1}, 0, 8}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s =
            make(SPEC(.rank = rows[i].rank, .shape = rows[i].shape,
                      .layout_map = rows[i].map, .alignment = 64));
        ck_assert_msg(ilex_storage_span(s) == rows[i].span, "row %zu: %lld", i,
                      (long long)ilex_storage_span(s));
        ck_assert_msg(rows[i].span == 0 || s->stride[0] == rows[i].stride,
                      "row %zu: stride %lld", i, (long long)s->stride[0]);
        ck_assert_int_eq(ilex_storage_bytes(s), 8 * ilex_storage_count(s));
        ck_assert_uint_ge(ilex_storage_allocated_bytes(s),
                          (size_t)(8 * rows[i].span));
        ilex_storage_release(s);
    }
}
END_TEST

/* A buffer without strides is dense in C order; what it lacks is computed. */
START_TEST(no_strides)
{
    double a[24] = {0};
    ilex_storage *s = ilex_storage_wrap(ctx, ILEX_F64, 3, SHAPE(2, 3, 4), NULL,
                                        a, NULL, NULL);
    ck_assert(s->stride[0] == 12 && s->stride[1] == 4 && s->stride[2] == 1);
    ck_assert_ptr_eq(ilex_storage_at(s, SHAPE(1, 2, 3)), &a[23]);
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_int_eq(ilex_storage_device_index(s), -1);
    ilex_storage_release(s);
}
END_TEST

/* Axes of length 1, empty storages, negative strides. */
START_TEST(contiguity)
{
    static double a[64];
    const struct {
        int64_t shape[3], stride[3];
        int want;
    } rows[] = {{{2, 3, 4}, {12, 4, 1}, 1},  {{2, 3, 4}, {1, 2, 6}, 0},
                {{1, 3, 4}, {99, 4, 1}, 1},  {{2, 1, 4}, {4, -7, 1}, 1},
                {{2, 3, 1}, {3, 1, 50}, 1},  {{0, 3, 4}, {5, 5, 5}, 1},
                {{2, 3, 4}, {-12, 4, 1}, 0}, {{2, 3, 4}, {12, 4, 2}, 0},
                {{2, 3, 4}, {0, 4, 1}, 0},   {{4, 4, 4}, {4, 4, 1}, 0}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = make(SPEC(.rank = 3, .shape = rows[i].shape,
                                    .strides = rows[i].stride, .data = a + 24));
        ck_assert_msg(ilex_storage_contiguous(s) == rows[i].want, "row %zu", i);
        ilex_storage_release(s);
    }
}
END_TEST

/* ---- views ---- */

/* Shape (10, 20, 30) of I, J, K as "KJI" has length 10 along K; halo and
 * aligned index stay where they are. Another halo leaves the alignment. */
START_TEST(relabelled)
{
    ilex_storage *s =
        make(SPEC(.rank = 3, .shape = SHAPE(10, 20, 30), .axes = "IJK",
                  .halo = SHAPE(1, 2, 3, 4, 5, 6), .alignment = 64,
                  .aligned_index = SHAPE(7, 8, 9)));
    ilex_storage *r = ilex_storage_reinterpret(ctx, s, "KJI");
    ck_assert_int_eq(ilex_storage_axis(r, "K"), 0);
    ck_assert_int_eq(ilex_storage_shape(r)[0], 10);
    ck_assert_int_eq(ilex_storage_halo(r)[1], 2);
    ck_assert_int_eq(ilex_storage_aligned_index(r)[2], 9);
    ck_assert_ptr_eq(ilex_storage_at(r, SHAPE(1, 2, 3)),
                     ilex_storage_at(s, SHAPE(1, 2, 3)));
    ilex_storage *h = ilex_storage_with_halo(ctx, s, SHAPE(0, 0, 1, 1, 2, 2));
    ck_assert_uint_eq(ilex_storage_alignment(h), 64);
    ck_assert_int_eq(ilex_storage_aligned_index(h)[1], 8);
    ck_assert_ptr_eq(ilex_storage_const_data(h), ilex_storage_const_data(s));
    release_all(3, (ilex_storage *[]){s, r, h});
}
END_TEST

/* Older names of management, devices in text. */
START_TEST(devices_in_words)
{
    const struct {
        const char *managed, *want, *device, *text;
    } rows[] = {{"gt4py", "software", "gpu", " on cuda:0"},
                {"cuda", "unified", "cuda:1", " on cuda:1"},
                {"none", "none", "cuda:1", " on cuda:1"},
                {NULL, "none", "cpu", NULL}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[200];
        ilex_storage *s =
            make(SPEC(.rank = 1, .shape = SHAPE(2), .device = rows[i].device,
                      .managed = rows[i].managed, .fill = (const double[]){1}));
        ck_assert_str_eq(ilex_storage_managed(s), rows[i].want);
        ck_assert_uint_gt(ilex_storage_print(s, text, sizeof text), 0);
        ck_assert(rows[i].text ? strstr(text, rows[i].text) != NULL
                               : strstr(text, "cuda") == NULL);
        ilex_storage_release(s);
    }
}
END_TEST

/* ---- in programs ---- */

/* y = 2 * x over "domain"; the last one made is kept by the caller. */
static ilex_program *
twice(const char *domain)
{
    ilex_option_set(ctx, "jit", "reference");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, domain);
    ilex_array *y = ilex_add(x, x);
    ilex_program *p =
        ilex_compile(ctx, 1, &y,
                     &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                          .names = (const char *[]){"y"}});
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    return p;
}

static ilex_status
run(const ilex_program *p, ilex_storage *x, ilex_storage *y)
{
    return ilex_run(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)},
                    2, NULL);
}

/* The domain is what is inside the halo; the halo of the result is not
 * written. Another halo gives another domain to the same program. */
START_TEST(programs_respect_halos)
{
    ilex_program *p = twice("I:n, J:m");
    double three = 3, nine = 9, v;
    ilex_storage *x = make(SPEC(.rank = 2, .shape = SHAPE(4, 5), .axes = "IJ",
                                .halo = SHAPE(1, 1, 0, 2), .fill = &three));
    ilex_storage *y = make(SPEC(.rank = 2, .shape = SHAPE(6, 5), .axes = "JI",
                                .halo = SHAPE(2, 1, 1, 2), .fill = &nine));
    ck_assert_int_eq(run(p, x, y), ILEX_OK);
    for (int64_t j = 0; j < 6; j++)
        for (int64_t i = 0; i < 5; i++) {
            bool in = j >= 2 && j < 5 && i >= 1 && i < 3;
            ck_assert_int_eq(ilex_storage_get_f64(y, SHAPE(j, i), &v), ILEX_OK);
            ck_assert(v == (in ? 6 : 9));
        }
    ilex_storage *wide = ilex_storage_with_halo(ctx, x, NULL);
    ck_assert_int_ne(run(p, wide, y), ILEX_OK);
    ilex_storage *z = make(
        SPEC(.rank = 2, .shape = SHAPE(4, 5), .axes = "IJ", .fill = &nine));
    ck_assert_int_eq(run(p, wide, z), ILEX_OK);
    ck_assert_int_eq(ilex_storage_get_f64(z, SHAPE(0, 4), &v), ILEX_OK);
    ck_assert(v == 6);
    release_all(4, (ilex_storage *[]){x, y, wide, z});
    ilex_program_release(p);
}
END_TEST

/* Buffers of others, with gaps and backwards, are read and written in place;
 * masked axes are read as if all elements were there. */
START_TEST(programs_use_foreign_buffers)
{
    ilex_program *p = twice("I:n, J:m");
    double in[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, out[12] = {0};
    ilex_storage *x = make(SPEC(.rank = 2, .shape = SHAPE(2, 3), .axes = "IJ",
                                .data = in + 11, .strides = SHAPE(-6, -2)));
    ilex_storage *y = make(SPEC(.rank = 2, .shape = SHAPE(3, 2), .axes = "JI",
                                .data = out, .strides = SHAPE(1, 5)));
    ck_assert_int_eq(run(p, x, y), ILEX_OK);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            ck_assert(out[5 * i + j] == 2 * in[11 - 6 * i - 2 * j]);
    ck_assert(out[3] == 0 && out[4] == 0 && out[8] == 0);
    ilex_storage *masked =
        make(SPEC(.rank = 2, .shape = SHAPE(2, 3), .axes = "IJ",
                  .selector = (const unsigned char[]){0, 1},
                  .fill = (const double[]){4}));
    ck_assert_int_eq(run(p, masked, y), ILEX_OK);
    ck_assert(out[0] == 8 && out[5] == 8 && out[7] == 8 && out[3] == 0);
    ck_assert_int_eq(run(p, x, masked), ILEX_E_OVERLAP);
    ilex_storage *r = ilex_storage_readonly(ctx, y);
    ck_assert_int_eq(run(p, x, r), ILEX_E_READONLY);
    release_all(4, (ilex_storage *[]){x, y, masked, r});
    ilex_program_release(p);
}
END_TEST

/* A stencil over a buffer of others: halo, origin and strides say where each
 * point lies, what the owner writes is seen, and nothing else is read. */
START_TEST(stencils_use_foreign_buffers)
{
    ilex_option_set(ctx, "jit", "reference");
    static const char text[] = "ilex 1\nprogram p\nsize n\nassume n >= 3\n"
                               "in u : f64[I:3:n] halo(I:1:1)\n"
                               "out v : f64[I:3:n] = u[I+1] - 10*u[I-1]\n";
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    double in[20], out[8];
    for (int i = 0; i < 20; i++)
        in[i] = NAN;
    ilex_storage *u = make(SPEC(.rank = 1, .shape = SHAPE(6), .axes = "I",
                                .halo = SHAPE(1, 1), .origin = SHAPE(3),
                                .data = in + 17, .strides = SHAPE(-3)));
    ilex_storage *v =
        make(SPEC(.rank = 1, .shape = SHAPE(4), .axes = "I", .origin = SHAPE(3),
                  .data = out + 1, .strides = SHAPE(2)));
    for (int round = 1; round < 3; round++) {
        for (int i = 0; i < 6; i++)
            in[17 - 3 * i] = round * (i + 1);
        memset(out, 0, sizeof out);
        ck_assert_int_eq(
            ilex_run(p, (ilex_binding[]){ILEX_BIND("u", u), ILEX_BIND("v", v)},
                     2, NULL),
            ILEX_OK);
        for (int i = 0; i < 4; i++)
            ck_assert(out[2 * i + 1] == round * (i + 3 - 10 * (i + 1)) &&
                      out[2 * i] == 0);
    }
    release_all(2, (ilex_storage *[]){u, v});
    ilex_program_release(p);
}
END_TEST

/* A masked axis has a length, which programs check and take sizes from. */
START_TEST(masked_axes_have_lengths)
{
    ilex_program *p = twice("I:n, J:m");
    for (int64_t rows = 1; rows < 4; rows++) {
        ilex_storage *x =
            make(SPEC(.rank = 2, .shape = SHAPE(rows, 3), .axes = "IJ",
                      .selector = (const unsigned char[]){0, 1},
                      .fill = (const double[]){4}));
        ilex_storage *y = make(SPEC(.rank = 2, .shape = SHAPE(2, 3),
                                    .axes = "IJ", .fill = (const double[]){1}));
        ck_assert_int_eq(run(p, x, y) == ILEX_OK, rows == 2);
        double v;
        ilex_storage_get_f64(y, SHAPE(1, 2), &v);
        ck_assert(v == (rows == 2 ? 8 : 1));
        /* what varies along it cannot be assigned */
        if (rows == 2)
            ck_assert_int_eq(ilex_storage_assign(ctx, x, y), ILEX_E_OVERLAP);
        ilex_error_clear(ctx);
        ilex_storage_get_f64(x, SHAPE(0, 2), &v);
        ck_assert(v == 4);
        release_all(2, (ilex_storage *[]){x, y});
    }
    ilex_program_release(p);
}
END_TEST

/* ---- differences from NumPy, in the order of doc/storages.md ---- */

START_TEST(differences_from_numpy)
{
    ilex_storage *c = counting(2, SHAPE(2, 3));
    ilex_storage *a = ilex_storage_reinterpret(ctx, c, "IJ");
    ilex_storage *row = counting(1, SHAPE(3)), *two = counting(1, SHAPE(2));
    ilex_storage *i = ilex_storage_reinterpret(ctx, two, "I");

    /* by name, not from the right; NumPy would refuse (2, 3) + (2) */
    ilex_storage *y = ilex_storage_add(ctx, a, i);
    ck_assert_int_eq(at(y, 1, 2, 0), 6);
    /* a plain array beside names must have the shape */
    ck_assert_ptr_null(ilex_storage_add(ctx, a, row));
    ck_assert_int_eq(take_error(), ILEX_E_SHAPE);
    ilex_storage *z = ilex_storage_add(ctx, c, row);
    ck_assert_int_eq(at(z, 1, 2, 0), 7);
    /* the order of axes comes from the first operand that has all */
    ilex_storage *t = ilex_storage_transpose(ctx, a, NULL);
    ilex_storage *w = ilex_storage_add(ctx, i, t);
    ck_assert_str_eq(ilex_storage_axis_name(w, 0), "J");
    /* a reduction gives a storage of rank 0, no number */
    ilex_storage *s = ilex_storage_sum(ctx, a, NULL);
    ck_assert_int_eq(ilex_storage_rank(s), 0);
    /* slices are not clipped and do not count from the end */
    ck_assert_ptr_null(ilex_storage_slice(ctx, a, 0, 0, 9, 1));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ck_assert_ptr_null(ilex_storage_slice(ctx, a, 0, -1, 2, 1));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    /* assignment keeps the kind */
    ilex_storage *f = ilex_storage_full(ctx, ILEX_F64, 2, SHAPE(2, 3), 1.5);
    ck_assert_int_eq(ilex_storage_assign(ctx, c, f), ILEX_E_DTYPE);
    take_error();
    ck_assert_int_eq(ilex_storage_fill(ctx, c, 1.5), ILEX_E_LITERAL);
    take_error();
    ck_assert_int_eq(ilex_eager_assign(ctx, c, f), ILEX_OK);
    ck_assert_int_eq(at(c, 0, 0, 0), 1);
    /* integers by 0, and floats that no integer holds */
    ilex_storage *zero = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(2, 3));
    ilex_storage *q = ilex_storage_floor_divide(ctx, c, zero);
    ck_assert_int_eq(at(q, 1, 1, 0), 0);
    ilex_storage_fill(ctx, f, 1e300);
    ck_assert_int_eq(ilex_eager_assign(ctx, c, f), ILEX_OK);
    ck_assert(at(c, 0, 0, 0) == INT64_MAX);
    ilex_storage_fill(ctx, f, NAN);
    ck_assert_int_eq(ilex_eager_assign(ctx, c, f), ILEX_OK);
    ck_assert_int_eq(at(c, 0, 0, 0), 0);
    release_all(14, (ilex_storage *[]){c, a, row, two, i, y, z, t, w, s, f,
                                       zero, q, NULL});
}
END_TEST

/* What results and views look like. */
START_TEST(differences_in_results)
{
    ilex_storage *a =
        make(SPEC(.dtype = "f32", .rank = 2, .shape = SHAPE(4, 3), .axes = "IJ",
                  .layout = "JI", .halo = SHAPE(1, 1, 0, 0), .alignment = 64,
                  .fill = (const double[]){2}));
    ilex_storage *t = ilex_storage_transpose(ctx, a, NULL);
    ilex_storage *number = ilex_storage_full(ctx, ILEX_F64, 0, NULL, 3);
    /* operands in another order are turned */
    ilex_storage *y = ilex_storage_add(ctx, a, t);
    ck_assert_str_eq(ilex_storage_axis_name(y, 0), "I");
    /* layout, halo and alignment come from the operands */
    ck_assert(y->layout[0] == 1 && y->halo[0][1] == 1);
    ck_assert_uint_eq(ilex_storage_alignment(y), 64);
    /* rows are padded: bytes counts elements */
    ck_assert(y->stride[1] == 16 && ilex_storage_bytes(y) == 48);
    ck_assert_uint_ge(ilex_storage_allocated_bytes(y), 4 * (32 + 4));
    ck_assert(!ilex_storage_contiguous(y));
    /* a number takes part like any other: dtypes alone decide */
    ilex_storage *z = ilex_storage_add(ctx, a, number);
    ck_assert_int_eq(ilex_storage_dtype(z), ILEX_F64);
    /* out= may have more axes and a higher dtype, and overlap operands */
    ilex_storage *row = ilex_storage_index(ctx, z, 0, 1);
    ilex_storage *x[] = {row, row};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, z), z);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
    double v;
    ilex_storage_get_f64(z, SHAPE(3, 2), &v);
    ck_assert(v == 10);
    /* chosen elements are copies without names in C order, slices views */
    ilex_storage *s = ilex_storage_slice(ctx, a, 0, 1, 3, 1);
    ck_assert_ptr_eq(ilex_storage_const_data(s),
                     ilex_storage_at(a, SHAPE(1, 0)));
    ilex_storage *m = ilex_storage_greater(ctx, t, t);
    ilex_storage *none = ilex_storage_take_mask(ctx, a, m);
    ck_assert_msg(none != NULL, "%s", ilex_error_text(ctx));
    ck_assert(none->rank == 1 && none->shape[0] == 0 && !*none->axis[0]);
    /* a model's shape and axes cannot be changed */
    ck_assert_ptr_null(ilex_storage_new(
        ctx, &SPEC(.like = a, .rank = 2, .shape = SHAPE(4, 4))));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    release_all(10, (ilex_storage *[]){a, t, number, y, z, z, row, s, m, none});
}
END_TEST

/* What values become. */
START_TEST(differences_in_values)
{
    ilex_storage *c = ilex_storage_full(ctx, ILEX_I64, 1, SHAPE(2), 300);
    ilex_storage *small = ilex_storage_zeros(ctx, ILEX_I8, 1, SHAPE(2));
    ilex_storage *u = ilex_storage_zeros(ctx, ILEX_U8, 1, SHAPE(2));
    /* integers wrap within their kind, and do not lose their sign */
    ck_assert_int_eq(ilex_storage_assign(ctx, small, c), ILEX_OK);
    ck_assert_int_eq(at(small, 1, 0, 0), 44);
    ck_assert_int_eq(ilex_storage_assign(ctx, u, c), ILEX_E_DTYPE);
    take_error();
    /* shifts by the width or more */
    ilex_storage_fill(ctx, small, -7);
    ilex_storage *eight = ilex_storage_full(ctx, ILEX_I8, 1, SHAPE(2), 8);
    ilex_storage *left = ilex_storage_left_shift(ctx, small, eight);
    ilex_storage *right = ilex_storage_right_shift(ctx, small, eight);
    ck_assert(at(left, 0, 0, 0) == 0 && at(right, 0, 0, 0) == -1);
    /* bool is 0 or 1, and read as != 0 */
    unsigned char bytes[2] = {0, 6};
    ilex_storage *b = make(
        SPEC(.dtype = "bool", .rank = 1, .shape = SHAPE(2), .data = bytes));
    ck_assert(at(b, 0, 0, 0) == 0 && at(b, 1, 0, 0) == 1);
    ilex_storage *stored = ilex_storage_logical_or(ctx, b, b);
    ck_assert_int_eq(*(const unsigned char *)ilex_storage_at(stored, SHAPE(1)),
                     1);
    /* data on a device are refused on the host */
    ilex_storage *d = make(
        SPEC(.rank = 1, .shape = SHAPE(2), .device = "gpu", .managed = "none"));
    ck_assert_ptr_null(ilex_storage_const_data(d));
    release_all(
        9, (ilex_storage *[]){c, small, u, eight, left, right, b, stored, d});
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_contract");
    TCase *tests = tcase_create("promises");
    tcase_add_checked_fixture(tests, open_device, close_device);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dtypes_everywhere);
    tcase_add_test(tests, values_reach_the_halo);
    tcase_add_test(tests, fill_values_fit);
    tcase_add_test(tests, padding);
    tcase_add_test(tests, like_by_both_ways);
    tcase_add_test(tests, no_strides);
    tcase_add_test(tests, contiguity);
    tcase_add_test(tests, relabelled);
    tcase_add_test(tests, devices_in_words);
    tcase_add_test(tests, programs_respect_halos);
    tcase_add_test(tests, programs_use_foreign_buffers);
    tcase_add_test(tests, stencils_use_foreign_buffers);
    tcase_add_test(tests, masked_axes_have_lengths);
    tcase_add_test(tests, differences_from_numpy);
    tcase_add_test(tests, differences_in_results);
    tcase_add_test(tests, differences_in_values);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
