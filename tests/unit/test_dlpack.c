/* SPDX-License-Identifier: MIT
 *
 * DLPack both ways: every dtype, strides of all sorts, flags, threads, and
 * imported memory bound to programs. */
#include "tests/suite.h"
#include "tests/unit/dlpack_fixture.h"

#include <pthread.h>

/* ---- import ---- */

START_TEST(shares_memory)
{
    for (int old = 0; old < 2; old++) {
        produce();
        ilex_storage *s = import_well(old, NULL);
        ck_assert_ptr_eq(ilex_storage_data(s), source.data);
        ck_assert_int_eq(ilex_storage_dtype(s), ILEX_F64);
        ck_assert_int_eq(ilex_storage_rank(s), 2);
        ck_assert(ilex_storage_contiguous(s) && ilex_storage_writable(s));
        ck_assert(get(s, 1, 2) == 5);
        ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(0, 1), 7), ILEX_OK);
        ck_assert(memcmp(source.data + 8, &(double){7}, 8) == 0);
        ilex_storage *view = ilex_storage_transpose(ctx, s, NULL);
        ilex_storage_release(s);
        ck_assert(get(view, 2, 1) == 5);
        finish(view);
    }
}
END_TEST

START_TEST(properties_added)
{
    produce();
    ilex_storage_spec more = {.size = sizeof more,
                              .axes = "IJ",
                              .halo = SHAPE(1, 0, 1, 1),
                              .alignment = 8,
                              .name = "pressure"};
    ilex_storage *s = import_well(false, &more);
    ck_assert_str_eq(ilex_storage_axis_name(s, 1), "J");
    ck_assert_int_eq(ilex_storage_halo(s)[2], 1);
    ck_assert_uint_eq(ilex_storage_alignment(s), 8);
    ck_assert_str_eq(ilex_storage_name(s), "pressure");
    finish(s);

    const ilex_storage_spec wrong[] = {
        {.size = sizeof more, .axes = "IJK"},
        {.size = sizeof more, .halo = SHAPE(3, 0, 0, 0)},
        {.size = sizeof more, .alignment = 16},
        {.size = sizeof more, .layout = "F"},
        {.size = sizeof more, .dtype = "f64"},
        {.size = sizeof more, .rank = 2, .shape = SHAPE(2, 3)},
        {.size = sizeof more, .fill = &(double){1}},
        {.size = sizeof more, .data = source.data},
        {.size = sizeof more, .flags = 64},
        {.size = 0},
    };
    for (size_t i = 0; i < IX_COUNT(wrong); i++)
        for (int old = 0; old < 2; old++) {
            produce();
            ck_assert_msg(!import(old, &wrong[i]), "row %zu", i);
            ck_assert_int_ne(take_error(), ILEX_OK);
            ck_assert_int_eq(source.deleted, 1);
        }
}
END_TEST

START_TEST(strides_of_all_sorts)
{
    const struct {
        int64_t stride[2];
        bool given;
        double last; /* element (1, 2) */
        uint64_t offset;
    } rows[] = {
        {{0, 0}, false, 5, 0},     {{1, 2}, true, 5, 0},
        {{10, 4}, true, 18, 0},    {{-3, -1}, true, 5, 80},
        {{-20, 7}, true, 14, 160}, {{0, 1}, true, 2, 0},
        {{3, 0}, true, 3, 0},      {{0, 0}, true, 3, 24},
        {{1, 1}, true, 3, 0},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        produce();
        DLTensor *t = &source.now.dl_tensor;
        memcpy(source.strides, rows[i].stride, 16);
        t->strides = rows[i].given ? source.strides : NULL;
        t->byte_offset = rows[i].offset;
        ilex_storage *s = import_well(i & 1, NULL);
        ck_assert_msg(get(s, 1, 2) == rows[i].last, "row %zu: %g", i,
                      get(s, 1, 2));
        for (int k = 0; k < 2 && rows[i].given; k++)
            ck_assert_int_eq(ilex_storage_stride(s)[k], rows[i].stride[k]);
        finish(s);
    }
}
END_TEST

START_TEST(stride_of_length_one)
{
    const int64_t odd[] = {0, 1, -5, INT64_MAX, INT64_MIN, (int64_t)1 << 60};
    for (size_t i = 0; i < IX_COUNT(odd); i++) {
        produce();
        source.shape[0] = 1;
        source.strides[0] = odd[i];
        ilex_storage *s = import_well(false, NULL);
        ck_assert(get(s, 0, 2) == 2 && ilex_storage_contiguous(s));
        finish(s);
    }
}
END_TEST

START_TEST(no_elements)
{
    for (int i = 0; i < 8; i++) {
        produce();
        DLTensor *t = &source.now.dl_tensor;
        source.shape[i & 1] = 0;
        t->data = i & 2 ? NULL : source.data + 1;
        t->byte_offset = i & 4 ? UINT64_MAX : 0;
        t->strides = i & 4 ? NULL : t->strides;
        ilex_storage_spec more = {.size = sizeof more,
                                  .flags = i & 1 ? ILEX_STORAGE_COPY : 0};
        ilex_storage *s = import_well(i & 1, &more);
        ck_assert_int_eq(ilex_storage_count(s), 0);
        ck_assert_int_eq(ilex_storage_shape(s)[1 - (i & 1)], i & 1 ? 2 : 3);
        ck_assert_int_eq(source.deleted, 1);
        ilex_storage_release(s);
        ck_assert_int_eq(source.deleted, 1);
    }
}
END_TEST

START_TEST(scalars)
{
    produce();
    source.now.dl_tensor.ndim = 0;
    source.now.dl_tensor.shape = source.now.dl_tensor.strides = NULL;
    source.now.dl_tensor.byte_offset = 32;
    ilex_storage *s = import_well(false, NULL);
    ck_assert_int_eq(ilex_storage_rank(s), 0);
    ck_assert(get(s, 0, 0) == 4);
    finish(s);
}
END_TEST

START_TEST(readonly_and_copies)
{
    produce();
    source.now.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    ilex_storage *s = import_well(false, NULL);
    ck_assert(!ilex_storage_writable(s) && !ilex_storage_data(s));
    finish(s);

    produce();
    source.now.flags = DLPACK_FLAG_BITMASK_IS_COPIED | 4u | (uint64_t)1 << 60;
    s = import_well(false, NULL);
    ck_assert(ilex_storage_writable(s));
    finish(s);

    for (unsigned readonly = 0; readonly < 2; readonly++) {
        produce();
        source.now.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
        source.now.dl_tensor.byte_offset = 3; /* misaligned */
        memmove(source.data + 3, source.data, 48);
        ilex_storage_spec more = {.size = sizeof more,
                                  .layout = "F",
                                  .flags =
                                      ILEX_STORAGE_COPY |
                                      (readonly ? ILEX_STORAGE_READONLY : 0)};
        s = import_well(false, &more);
        ck_assert_int_eq(source.deleted, 1);
        memset(source.data, 0, sizeof source.data);
        ck_assert(get(s, 1, 0) == 3 && ilex_storage_stride(s)[0] == 1);
        ck_assert_int_eq(ilex_storage_writable(s), !readonly);
        ilex_storage_release(s);
        ck_assert_int_eq(source.deleted, 1);
    }
}
END_TEST

START_TEST(host_devices)
{
    const int host[] = {kDLCPU, kDLCUDAHost, kDLROCMHost};
    for (size_t i = 0; i < IX_COUNT(host); i++) {
        produce();
        source.now.dl_tensor.device = (DLDevice){host[i], 3};
        finish(import_well(i & 1, NULL));
    }
}
END_TEST

/* ---- export ---- */

START_TEST(every_dtype)
{
    static const DLDataType types[ILEX_NDTYPES] = {
        {kDLBool, 8, 1},      {kDLInt, 8, 1},    {kDLInt, 16, 1},
        {kDLInt, 32, 1},      {kDLInt, 64, 1},   {kDLUInt, 8, 1},
        {kDLUInt, 16, 1},     {kDLUInt, 32, 1},  {kDLUInt, 64, 1},
        {kDLFloat, 32, 1},    {kDLFloat, 64, 1}, {kDLComplex, 64, 1},
        {kDLComplex, 128, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    for (int d = 0; d < ILEX_NDTYPES; d++) {
        ilex_storage *s =
            ilex_storage_ones(ctx, (ilex_dtype)d, 3, SHAPE(2, 3, 4));
        ilex_storage *v = ilex_storage_slice(ctx, s, 1, 2, -1, -2);
        DLManagedTensorVersioned *now = ilex_dlpack_export(ctx, v, 0);
        DLManagedTensor *old = ilex_dlpack_export_legacy(ctx, v, 0);
        ck_assert_int_eq(
            memcmp(&now->dl_tensor.dtype, &types[d], sizeof types[d]), 0);
        ck_assert(now->version.major == 1 && now->flags == 0);
        ck_assert_int_eq(now->dl_tensor.strides[1], -8);
        ilex_storage *a = ilex_dlpack_import(ctx, now, NULL);
        ilex_storage *b = ilex_dlpack_import_legacy(ctx, old, NULL);
        ilex_storage *both[] = {a, b};
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(both[i]->dtype, d);
            ck_assert_ptr_eq(both[i]->data, v->data);
            ck_assert_int_eq(memcmp(both[i]->shape, v->shape, 24), 0);
            ck_assert_int_eq(memcmp(both[i]->stride, v->stride, 24), 0);
        }
        ilex_storage_release(s);
        ilex_storage_release(v);
        ilex_storage_release(a);
        ilex_storage_release(b);
    }
}
END_TEST

START_TEST(export_flags)
{
    ilex_storage *s = ilex_storage_ones(ctx, ILEX_F32, 1, SHAPE(5));
    ilex_storage *r = ilex_storage_readonly(ctx, s);
    const struct {
        ilex_storage *from;
        unsigned flags, want;
        bool old;
    } rows[] = {
        {s, 0, 0, true},
        {s, ILEX_STORAGE_READONLY, 1, false},
        {s, ILEX_STORAGE_COPY, 2, true},
        {s, ILEX_STORAGE_COPY | ILEX_STORAGE_READONLY, 3, false},
        {r, 0, 1, false},
        {r, ILEX_STORAGE_COPY, 2, true},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        DLManagedTensorVersioned *now =
            ilex_dlpack_export(ctx, rows[i].from, rows[i].flags);
        ck_assert_uint_eq(now->flags, rows[i].want);
        ck_assert_int_eq(now->dl_tensor.data != s->data, rows[i].want >> 1);
        now->deleter(now);
        DLManagedTensor *old =
            ilex_dlpack_export_legacy(ctx, rows[i].from, rows[i].flags);
        ck_assert_int_eq(old != NULL, rows[i].old);
        ck_assert_int_eq(take_error(), old ? ILEX_OK : ILEX_E_READONLY);
        if (old)
            old->deleter(old);
    }
    ck_assert_ptr_null(ilex_dlpack_export(ctx, s, 8));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_dlpack_export_legacy(ctx, NULL, 0));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage_release(r);
    ilex_storage_release(s);
}
END_TEST

START_TEST(export_odd_shapes)
{
    int64_t many[16] = {1, 1, 2, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct {
        int rank;
        const int64_t *shape;
    } rows[] = {{0, NULL}, {2, SHAPE(0, 4)}, {16, many}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s =
            ilex_storage_ones(ctx, ILEX_C128, rows[i].rank, rows[i].shape);
        DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, 0);
        int type, number;
        ilex_dlpack_device(s, 0, &type, &number);
        ilex_storage_release(s);
        ck_assert_int_eq(t->dl_tensor.data == NULL, i == 1);
        ck_assert(t->dl_tensor.shape && t->dl_tensor.strides);
        ck_assert_int_eq(t->dl_tensor.ndim, rows[i].rank);
        ck_assert(type == kDLCPU && number == 0);
        ck_assert_int_eq(t->dl_tensor.device.device_type, kDLCPU);
        s = ilex_dlpack_import(ctx, t, NULL);
        ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
        ilex_storage_release(s);
    }
}
END_TEST

/* The tensor outlives storage and context. */
START_TEST(outlives_context)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_storage *s = ilex_storage_full(other, ILEX_F64, 1, SHAPE(3), 2.5);
    DLManagedTensorVersioned *t = ilex_dlpack_export(other, s, 0);
    ilex_storage_release(s);
    ilex_context_free(other);
    ck_assert(((const double *)t->dl_tensor.data)[2] == 2.5);
    t->deleter(t);
}
END_TEST

/* ---- threads ---- */

enum { TENSORS = 200 };

static void *
delete_all(void *user)
{
    DLManagedTensorVersioned **t = user;
    for (int i = 0; i < TENSORS; i++)
        t[i]->deleter(t[i]);
    return NULL;
}

START_TEST(deleted_by_other_threads)
{
    static DLManagedTensorVersioned *tensors[4][TENSORS];
    pthread_t thread[4];
    produce();
    source.old.dl_tensor = source.now.dl_tensor;
    ilex_storage *s = ilex_dlpack_import(NULL, &source.now, NULL);
    for (int i = 0; i < 4 * TENSORS; i++)
        tensors[i / TENSORS][i % TENSORS] = ilex_dlpack_export(NULL, s, 0);
    ilex_storage_release(s);
    ck_assert_int_eq(source.deleted, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, delete_all, tensors[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(source.deleted, 1);
}
END_TEST

/* ---- binding ---- */

/* y = x + x. */
static ilex_status
run_twice(ilex_storage *x, ilex_storage *y)
{
    ilex_array *in = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *out = ilex_add(in, in);
    const char *names[] = {"y"};
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_option_set(ctx, "jit", "reference");
    ilex_program *p = ilex_compile(ctx, 1, &out, &spec);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_binding args[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_status rc = ilex_run(p, args, 2, NULL);
    ilex_program_release(p);
    return rc;
}

/* A vector of the producer: "n" elements from element "first". */
static ilex_storage *
vector(producer *p, int64_t first, int64_t n, int64_t stride, uint64_t flags)
{
    DLTensor *t = &p->now.dl_tensor;
    p->shape[0] = n;
    p->strides[0] = stride;
    t->ndim = 1;
    t->byte_offset = (uint64_t)first * 8;
    p->now.flags = flags;
    ilex_storage *s = ilex_dlpack_import(ctx, &p->now, NULL);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

START_TEST(bound_to_programs)
{
    const struct {
        int64_t in, out;
        uint64_t flags;
        ilex_status code;
    } rows[] = {
        {1, 1, 0, ILEX_OK},        {-3, 2, 0, ILEX_OK},
        {0, 1, 0, ILEX_OK},        {2, -2, 0, ILEX_OK},
        {1, 0, 0, ILEX_E_OVERLAP}, {1, 1, 1, ILEX_E_READONLY},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        produce();
        ilex_storage *x = vector(&source, 50, 8, rows[i].in, 1);
        ilex_storage *y = vector(&source, 200, 8, rows[i].out, rows[i].flags);
        ck_assert_int_eq(run_twice(x, y), rows[i].code);
        for (int64_t k = 0; k < 8 && !rows[i].code; k++)
            ck_assert(get(y, k, 0) == 2.0 * (double)(50 + k * rows[i].in));
        ilex_storage_release(x);
        ilex_storage_release(y);
        ck_assert_int_eq(source.deleted, 2);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("dlpack");
    TCase *cases = tcase_create("dlpack");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, shares_memory);
    tcase_add_test(cases, properties_added);
    tcase_add_test(cases, strides_of_all_sorts);
    tcase_add_test(cases, stride_of_length_one);
    tcase_add_test(cases, no_elements);
    tcase_add_test(cases, scalars);
    tcase_add_test(cases, readonly_and_copies);
    tcase_add_test(cases, host_devices);
    tcase_add_test(cases, every_dtype);
    tcase_add_test(cases, export_flags);
    tcase_add_test(cases, export_odd_shapes);
    tcase_add_test(cases, outlives_context);
    tcase_add_test(cases, deleted_by_other_threads);
    tcase_add_test(cases, bound_to_programs);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
