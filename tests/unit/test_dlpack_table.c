/* SPDX-License-Identifier: MIT
 *
 * DLPack 1.3: the layout of its structs, Ilex's table of functions, imports
 * through tables of others, and what a tensor of Ilex's own brings back. */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

#include "ilex.h"
#include "ilex/dlpack.h"

/* ---- the ABI ---- */

START_TEST(layout)
{
    ck_assert_uint_eq(sizeof(DLPackExchangeAPIHeader), 16);
    ck_assert_uint_eq(offsetof(DLPackExchangeAPIHeader, prev_api), 8);
    ck_assert_uint_eq(sizeof(DLPackExchangeAPI), 56);
    const size_t at[] = {
        offsetof(DLPackExchangeAPI, managed_tensor_allocator),
        offsetof(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync),
        offsetof(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync),
        offsetof(DLPackExchangeAPI, dltensor_from_py_object_no_sync),
        offsetof(DLPackExchangeAPI, current_work_stream)};
    for (size_t i = 0; i < IX_COUNT(at); i++)
        ck_assert_uint_eq(at[i], 16 + 8 * i);
    ck_assert_uint_eq(offsetof(DLManagedTensorVersioned, flags), 24);
    ck_assert_uint_eq(sizeof(DLManagedTensorVersioned), 80);

    const DLPackExchangeAPI *api = ilex_dlpack_exchange_api();
    ck_assert_uint_eq(api->header.version.major, DLPACK_MAJOR_VERSION);
    ck_assert_uint_eq(api->header.version.minor, DLPACK_MINOR_VERSION);
    ck_assert_ptr_null(api->header.prev_api);
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F32, 1, SHAPE(3));
    DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, 0);
    ck_assert(t->version.major == 1 && t->version.minor == 3);
    t->deleter(t);
    ilex_storage_release(s);
}
END_TEST

/* ---- tensors that come back ---- */

/* f64, I and J, everything that DLPack has no place for. */
static ilex_storage *
field(void)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.dtype = "f64", .rank = 2, .shape = SHAPE(6, 8),
                   .axes = "I,J+1/2", .halo = SHAPE(1, 2, 0, 1),
                   .origin = SHAPE(5, -2), .alignment = 32, .name = "u",
                   .fixed = (unsigned char[]){0, 1}, .fill = &(double){4}));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* Exports "s" and takes the tensor back. */
static ilex_storage *
there_and_back(ilex_storage *s, unsigned flags, bool old,
               const ilex_storage_spec *more)
{
    ilex_storage *back =
        old ? ilex_dlpack_import_legacy(
                  ctx, ilex_dlpack_export_legacy(ctx, s, flags), more)
            : ilex_dlpack_import(ctx, ilex_dlpack_export(ctx, s, flags), more);
    ck_assert_msg(back != NULL, "%s", ilex_error_text(ctx));
    return back;
}

START_TEST(own_tensor_keeps)
{
    for (int way = 0; way < 4; way++) {
        ilex_storage *s = field();
        unsigned flags = way & 2 ? ILEX_STORAGE_COPY : 0;
        ilex_storage *back = there_and_back(s, flags, way & 1, NULL);
        ck_assert_int_eq(ilex_storage_const_data(back) ==
                             ilex_storage_const_data(s),
                         !flags);
        ilex_storage_release(s);
        ck_assert_int_eq(ilex_storage_origin(back)[0], 5);
        ck_assert_int_eq(ilex_storage_origin(back)[1], -2);
        ck_assert_int_eq(memcmp(ilex_storage_halo(back), SHAPE(1, 2, 0, 1), 32),
                         0);
        ck_assert_str_eq(ilex_storage_axis_name(back, 1), "J+1/2");
        ck_assert_uint_eq(ilex_storage_alignment(back), 32);
        ck_assert_int_eq(ilex_storage_aligned_index(back)[0], 1);
        ck_assert_str_eq(ilex_storage_name(back), "u");
        ck_assert(!ilex_storage_fixed(back, 0) && ilex_storage_fixed(back, 1));
        ilex_storage_release(back);
    }
}
END_TEST

/* What is given goes before; halo and origin belong together. */
START_TEST(given_goes_before)
{
    ilex_storage *s = field();
    ilex_storage *back =
        there_and_back(s, ILEX_STORAGE_READONLY, false,
                       &SPEC(.halo = SHAPE(1, 1, 1, 1), .name = "v"));
    ck_assert(!ilex_storage_writable(back));
    ck_assert_int_eq(ilex_storage_origin(back)[0], 0);
    ck_assert_int_eq(ilex_storage_halo(back)[2], 1);
    ck_assert_str_eq(ilex_storage_name(back), "v");
    ck_assert_str_eq(ilex_storage_axis_name(back, 0), "I");
    ilex_storage_release(back);
    back = there_and_back(
        s, 0, true,
        &SPEC(.origin = SHAPE(7, 8), .axes = "KI", .flags = ILEX_STORAGE_COPY));
    ck_assert_int_eq(ilex_storage_origin(back)[1], 8);
    ck_assert_int_eq(ilex_storage_halo(back)[0], 0);
    ck_assert_str_eq(ilex_storage_axis_name(back, 0), "K");
    ck_assert_str_eq(ilex_storage_name(back), "u");
    ilex_storage_release(back);
    ilex_storage_release(s);
}
END_TEST

/* The copy is made, and the tensor deleted, before the label is copied. */
START_TEST(last_count_copied)
{
    ilex_storage *s = field();
    DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, 0);
    ilex_storage_release(s);
    ilex_storage *back =
        ilex_dlpack_import(ctx, t, &SPEC(.flags = ILEX_STORAGE_COPY));
    ck_assert_str_eq(ilex_storage_name(back), "u");
    ck_assert_str_eq(ilex_storage_axis_name(back, 1), "J+1/2");
    ck_assert_int_eq(ilex_storage_origin(back)[0], 5);
    ilex_storage_release(back);
}
END_TEST

static void (*behind)(DLManagedTensorVersioned *self);

static void
delete_behind(DLManagedTensorVersioned *self)
{
    behind(self);
}

/* Another manager, or another shape: nothing comes back. */
START_TEST(others_lose)
{
    for (int way = 0; way < 3; way++) {
        ilex_storage *s = field();
        DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, 0);
        if (way == 0) {
            behind = t->deleter;
            t->deleter = delete_behind;
        }
        if (way == 1)
            t->dl_tensor.shape[0] = 5;
        if (way == 2)
            t->dl_tensor.ndim = 1;
        ilex_storage *back = ilex_dlpack_import(ctx, t, NULL);
        ck_assert_msg(back != NULL, "%s", ilex_error_text(ctx));
        ck_assert_int_eq(ilex_storage_origin(back)[0], 0);
        ck_assert_int_eq(ilex_storage_halo(back)[0], 0);
        ck_assert_str_eq(ilex_storage_axis_name(back, 0), "");
        ck_assert_uint_eq(ilex_storage_alignment(back), 0);
        ck_assert_str_eq(ilex_storage_name(back), "");
        ilex_storage_release(back);
        ilex_storage_release(s);
    }
}
END_TEST

/* ---- the allocator ---- */

static int told;
static char told_kind[32], told_text[512];

static void
tell(void *user, const char *kind, const char *message)
{
    ck_assert_ptr_eq(user, &told);
    told++;
    snprintf(told_kind, sizeof told_kind, "%s", kind);
    snprintf(told_text, sizeof told_text, "%s", message);
}

static DLManagedTensorVersioned *
allocate(DLTensor *prototype, int rc)
{
    DLManagedTensorVersioned *t = (void *)&told;
    told = 0;
    ck_assert_int_eq(ilex_dlpack_exchange_api()->managed_tensor_allocator(
                         prototype, &t, &told, tell),
                     rc);
    ck_assert_int_eq(told, rc != 0);
    ck_assert_int_eq(t != NULL, rc == 0);
    return t;
}

START_TEST(allocates)
{
    static const DLDataType types[] = {{kDLBool, 8, 1},   {kDLInt, 16, 1},
                                       {kDLUInt, 64, 1},  {kDLFloat, 32, 1},
                                       {kDLFloat, 64, 1}, {kDLComplex, 128, 1}};
    for (size_t i = 0; i < IX_COUNT(types); i++) {
        DLTensor like = {.ndim = 3,
                         .device = {kDLCPU, 0},
                         .dtype = types[i],
                         .shape = (int64_t[]){3, 5, 7},
                         .strides = (int64_t[]){1, 1, 1},
                         .data = &like};
        DLManagedTensorVersioned *t = allocate(&like, 0);
        const DLTensor *d = &t->dl_tensor;
        ck_assert(t->version.minor == 3 && t->flags == 0 && d->ndim == 3);
        ck_assert_uint_eq((uintptr_t)d->data % 256, 0);
        ck_assert_int_eq(memcmp(d->shape, SHAPE(3, 5, 7), 24), 0);
        ck_assert_int_eq(memcmp(d->strides, SHAPE(35, 7, 1), 24), 0);
        ck_assert_int_eq(memcmp(&d->dtype, &types[i], sizeof types[i]), 0);
        memset(d->data, 1, (size_t)105 * types[i].bits / 8);
        ilex_storage *s = ilex_dlpack_import(ctx, t, NULL);
        ck_assert_int_eq(ilex_storage_rank(s), 3);
        ck_assert(ilex_storage_contiguous(s));
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(allocates_odd_shapes)
{
    DLTensor like = {
        .ndim = 0, .device = {kDLCPU, 0}, .dtype = {kDLFloat, 64, 1}};
    DLManagedTensorVersioned *t = allocate(&like, 0);
    ck_assert(t->dl_tensor.ndim == 0 && t->dl_tensor.data);
    *(double *)t->dl_tensor.data = 3;
    t->deleter(t);
    like.ndim = 2;
    like.shape = (int64_t[]){4, 0};
    t = allocate(&like, 0);
    ck_assert(!t->dl_tensor.data && t->dl_tensor.shape[0] == 4);
    t->deleter(t);
}
END_TEST

START_TEST(allocates_on_devices)
{
    const struct {
        int type, id;
        const char *space;
    } rows[] = {{kDLCUDAHost, 0, "pinned"},
                {kDLCUDA, 0, "device"},
                {kDLCUDA, 1, "device"},
                {kDLCUDAManaged, 0, "unified"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        DLTensor like = {.ndim = 1,
                         .device = {rows[i].type, rows[i].id},
                         .dtype = {kDLInt, 32, 1},
                         .shape = (int64_t[]){9}};
        DLManagedTensorVersioned *t = allocate(&like, 0);
        ck_assert_int_eq(t->dl_tensor.device.device_type, rows[i].type);
        ck_assert_int_eq(t->dl_tensor.device.device_id, rows[i].id);
        ilex_storage *s = ilex_dlpack_import(ctx, t, NULL);
        ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
        if (rows[i].type != kDLCUDAHost)
            ck_assert_str_eq(ilex_storage_space(s), rows[i].space);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(allocates_not)
{
    const struct {
        int type, id, ndim;
        int64_t shape[2];
        DLDataType dtype;
        const char *kind, *text;
    } rows[] = {
        {kDLMetal, 0, 1, {4, 0}, {kDLFloat, 64, 1}, "BufferError", "type 8"},
        {kDLCUDA, 7, 1, {4, 0}, {kDLFloat, 64, 1}, "BufferError", "7"},
        {kDLCUDA, -1, 1, {4, 0}, {kDLFloat, 64, 1}, "BufferError", "cuda:-1"},
        {kDLCPU, 0, 1, {4, 0}, {kDLBfloat, 32, 1}, "BufferError", "bfloat"},
        {kDLCPU, 0, 1, {4, 0}, {kDLFloat, 64, 2}, "BufferError", "2 lanes"},
        {kDLCPU, 0, -1, {4, 0}, {kDLFloat, 64, 1}, "ValueError", "-1 axes"},
        {kDLCPU, 0, 17, {4, 0}, {kDLFloat, 64, 1}, "BufferError", "17 axes"},
        {kDLCPU, 0, 2, {2, -4}, {kDLFloat, 64, 1}, "ValueError", "-4"},
        {kDLCPU,
         0,
         2,
         {INT64_MAX, 3},
         {kDLFloat, 64, 1},
         "ValueError",
         "64 bits"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        int64_t shape[2] = {rows[i].shape[0], rows[i].shape[1]};
        DLTensor like = {.ndim = rows[i].ndim,
                         .device = {rows[i].type, rows[i].id},
                         .dtype = rows[i].dtype,
                         .shape = shape};
        allocate(&like, -1);
        ck_assert_msg(strcmp(told_kind, rows[i].kind) == 0 &&
                          strstr(told_text, rows[i].text),
                      "row %zu: %s: %s", i, told_kind, told_text);
    }
    allocate(NULL, -1);
    ck_assert_str_eq(told_kind, "ValueError");
    DLManagedTensorVersioned *t;
    ck_assert_int_eq(ilex_dlpack_exchange_api()->managed_tensor_allocator(
                         NULL, &t, NULL, NULL),
                     -1);
}
END_TEST

/* ---- storages as objects ---- */

START_TEST(objects)
{
    const DLPackExchangeAPI *api = ilex_dlpack_exchange_api();
    ilex_storage *s = field();
    DLManagedTensorVersioned *t;
    ck_assert_int_eq(api->managed_tensor_from_py_object_no_sync(s, &t), 0);
    ck_assert_ptr_eq(t->dl_tensor.data, ilex_storage_data(s));
    void *object;
    ck_assert_int_eq(api->managed_tensor_to_py_object_no_sync(t, &object), 0);
    ck_assert_ptr_eq(ilex_storage_data(object), ilex_storage_data(s));
    ck_assert_int_eq(ilex_storage_origin(object)[0], 5);
    ilex_storage_release(object);

    DLTensor d;
    ck_assert_int_eq(api->dltensor_from_py_object_no_sync(s, &d), 0);
    ck_assert(d.data == ilex_storage_data(s) && d.ndim == 2);
    ck_assert(d.shape[1] == 8 && d.strides[1] == 1 && d.byte_offset == 0);
    ck_assert(d.dtype.code == kDLFloat && d.device.device_type == kDLCPU);
    ilex_storage *r = ilex_storage_readonly(ctx, s);
    ck_assert_int_eq(api->dltensor_from_py_object_no_sync(r, &d), -1);
    ck_assert_int_eq(api->managed_tensor_from_py_object_no_sync(r, &t), 0);
    ck_assert_uint_eq(t->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    t->deleter(t);
    ilex_storage_release(r);
    ilex_storage_release(s);

    ck_assert_int_eq(api->managed_tensor_from_py_object_no_sync(NULL, &t), -1);
    ck_assert_ptr_null(t);
    ck_assert_int_eq(api->dltensor_from_py_object_no_sync(NULL, &d), -1);
    ck_assert_int_eq(api->managed_tensor_to_py_object_no_sync(NULL, &object),
                     -1);
    ck_assert_ptr_null(object);
}
END_TEST

/* The functions of the table wait for nothing, an export does. */
START_TEST(without_waiting)
{
    const DLPackExchangeAPI *api = ilex_dlpack_exchange_api();
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "device"));
    DLManagedTensorVersioned *t;
    DLTensor d;
    int waits = fake.waits;
    ck_assert_int_eq(api->managed_tensor_from_py_object_no_sync(s, &t), 0);
    ck_assert_int_eq(api->dltensor_from_py_object_no_sync(s, &d), 0);
    ck_assert_int_eq(d.device.device_type, kDLCUDA);
    ck_assert_ptr_eq(d.data, t->dl_tensor.data);
    t->deleter(t);
    ck_assert_int_eq(fake.waits, waits);
    t = ilex_dlpack_export(ctx, s, 0);
    t->deleter(t);
    ck_assert_int_eq(fake.waits, waits + 1);
    ilex_storage_release(s);

    s = pair(5, 1.5);
    ilex_storage_set_synchronized(ctx, s);
    ck_assert_int_eq(api->dltensor_from_py_object_no_sync(s, &d), 0);
    ck_assert_int_eq(d.device.device_type, kDLCPU);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ilex_storage_release(s);
}
END_TEST

START_TEST(streams)
{
    const struct {
        int type, id, rc;
    } rows[] = {{kDLCPU, 0, 0},         {kDLCUDAHost, 0, 0},
                {kDLCUDA, 1, 0},        {kDLCUDA, 2, -1},
                {kDLCUDAManaged, 0, 0}, {kDLROCM, 0, -1},
                {kDLCUDA, -1, -1},      {99, 0, -1}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        void *stream = &told;
        ck_assert_int_eq(ilex_dlpack_exchange_api()->current_work_stream(
                             rows[i].type, rows[i].id, &stream),
                         rows[i].rc);
        ck_assert_ptr_null(stream);
    }
}
END_TEST

/* ---- tables of others ---- */

static int
refuse(void *object, DLManagedTensorVersioned **out)
{
    *out = object;
    return -1;
}

START_TEST(import_objects)
{
    const DLPackExchangeAPI *own = ilex_dlpack_exchange_api();
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "device"));
    int waits = fake.waits;
    ilex_storage *t =
        ilex_dlpack_import_object(ctx, own, s, &SPEC(.axes = "I"));
    ck_assert_msg(t != NULL, "%s", ilex_error_text(ctx));
    ck_assert_ptr_eq(ilex_storage_device(ctx, t, ILEX_READ),
                     ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_str_eq(ilex_storage_axis_name(t, 0), "I");
    ck_assert_int_eq(fake.waits, waits + 1);
    ilex_storage_release(t);

    DLPackExchangeAPI first = *own, next = {.header.version = {2, 0}};
    next.header.prev_api = &first.header;
    t = ilex_dlpack_import_object(ctx, &next, s, NULL);
    ck_assert_ptr_nonnull(t);
    ilex_storage_release(t);
    ilex_storage_release(s);
}
END_TEST

START_TEST(import_objects_not)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F32, 1, SHAPE(3));
    DLPackExchangeAPI api = *ilex_dlpack_exchange_api();
    ck_assert_ptr_null(ilex_dlpack_import_object(ctx, NULL, s, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_dlpack_import_object(ctx, &api, NULL, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    api.managed_tensor_from_py_object_no_sync = refuse;
    ck_assert_ptr_null(ilex_dlpack_import_object(ctx, &api, s, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "no tensor"));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    api.managed_tensor_from_py_object_no_sync = NULL;
    ck_assert_ptr_null(ilex_dlpack_import_object(ctx, &api, s, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "is NULL"));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    api.header.version.major = 2;
    ck_assert_ptr_null(ilex_dlpack_import_object(ctx, &api, s, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "version 2.3"));
    ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("dlpack_table");
    TCase *cases = tcase_create("dlpack_table");
    tcase_add_checked_fixture(cases, open_device, close_device);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, layout);
    tcase_add_test(cases, own_tensor_keeps);
    tcase_add_test(cases, given_goes_before);
    tcase_add_test(cases, last_count_copied);
    tcase_add_test(cases, others_lose);
    tcase_add_test(cases, allocates);
    tcase_add_test(cases, allocates_odd_shapes);
    tcase_add_test(cases, allocates_on_devices);
    tcase_add_test(cases, allocates_not);
    tcase_add_test(cases, objects);
    tcase_add_test(cases, without_waiting);
    tcase_add_test(cases, streams);
    tcase_add_test(cases, import_objects);
    tcase_add_test(cases, import_objects_not);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
