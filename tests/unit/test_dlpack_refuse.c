/* SPDX-License-Identifier: MIT
 *
 * DLPack going wrong: what is refused, allocations that fail, noise; on every
 * way out exactly one call of the deleter. */
#include "tests/suite.h"
#include "tests/unit/dlpack_fixture.h"

/* ---- refusals ---- */

/* What of the producer's tensor is changed; 0: nothing. */
typedef struct refusal {
    ilex_status code;
    int32_t rank, device;
    bool no_data, no_shape, dense;
    uint64_t offset;
    int64_t shape[2], stride[2];
    DLDataType type;
} refusal;

#define FAR ((int64_t)1 << 57)
#define EMPTY INT64_MIN /* stands for length 0 */

static const refusal refusals[] = {
    {ILEX_E_ARGUMENT, .no_data = true},
    {ILEX_E_OVERFLOW, .offset = UINT64_MAX - 7},
    {ILEX_E_ALIGNMENT, .offset = 4},
    {ILEX_E_ARGUMENT, .rank = -1},
    {ILEX_E_ARGUMENT, .rank = INT32_MIN},
    {ILEX_E_UNSUPPORTED, .rank = 17},
    {ILEX_E_UNSUPPORTED, .rank = INT32_MAX},
    {ILEX_E_ARGUMENT, .no_shape = true},
    {ILEX_E_SHAPE, .shape = {2, -3}},
    {ILEX_E_SHAPE, .shape = {EMPTY, -3}},
    {ILEX_E_OVERFLOW, .shape = {INT64_MAX / 4}},
    {ILEX_E_OVERFLOW, .shape = {FAR, FAR}, .stride = {1, 1}},
    {ILEX_E_OVERFLOW, .shape = {INT64_MAX, INT64_MAX}, .dense = true},
    {ILEX_E_OVERFLOW, .stride = {FAR}},
    {ILEX_E_OVERFLOW, .stride = {INT64_MIN}},
    {ILEX_E_OVERFLOW, .stride = {-FAR / 2}},
    {ILEX_E_DEVICE, .device = kDLCUDA},
    {ILEX_E_DEVICE, .device = kDLCUDAManaged},
    {ILEX_E_UNSUPPORTED, .device = 99},
    {ILEX_E_UNSUPPORTED, .device = -1},
    {ILEX_E_UNSUPPORTED, .type = {kDLFloat, 64, 4}},
    {ILEX_E_UNSUPPORTED, .type = {kDLFloat, 64, 0}},
    {ILEX_E_UNSUPPORTED, .type = {kDLFloat, 8, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLBfloat, 32, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLOpaqueHandle, 64, 1}},
    {ILEX_E_UNSUPPORTED, .type = {200, 64, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLFloat, 0, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLFloat, 65, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLBool, 1, 1}},
    {ILEX_E_UNSUPPORTED, .type = {kDLBool, 32, 1}},
};

/* Every kind of element that Ilex lacks is called by its name, and those of
 * less than a byte by how they lie. */
START_TEST(refused_elements)
{
    const struct {
        int code, bits;
        uint64_t flags;
        const char *name;
    } rows[] = {
        {kDLFloat, 8, 0, "(float), 8 bits, 1 lanes"},
        {kDLBfloat, 32, 0, "(bfloat), 32 bits, 1 lanes"},
        {kDLFloat8_e3m4, 8, 0, "7 (float8_e3m4), 8 bits"},
        {kDLFloat8_e4m3, 8, 0, "8 (float8_e4m3), 8 bits"},
        {kDLFloat8_e4m3b11fnuz, 8, 0, "9 (float8_e4m3b11fnuz), 8 bits"},
        {kDLFloat8_e4m3fn, 8, 0, "10 (float8_e4m3fn), 8 bits"},
        {kDLFloat8_e4m3fnuz, 8, 0, "11 (float8_e4m3fnuz), 8 bits"},
        {kDLFloat8_e5m2, 8, 0, "12 (float8_e5m2), 8 bits"},
        {kDLFloat8_e5m2fnuz, 8, 0, "13 (float8_e5m2fnuz), 8 bits"},
        {kDLFloat8_e8m0fnu, 8, 0, "14 (float8_e8m0fnu), 8 bits"},
        {kDLFloat6_e2m3fn, 6, 0, "15 (float6_e2m3fn), 6 bits (packed)"},
        {kDLFloat6_e3m2fn, 6, 4, "16 (float6_e3m2fn), 6 bits (padded"},
        {kDLFloat4_e2m1fn, 4, 0, "17 (float4_e2m1fn), 4 bits (packed)"},
        {kDLInt, 4, 4, "0 (int), 4 bits (padded to whole bytes)"},
        {kDLBool, 1, 0, "6 (bool), 1 bits (packed)"},
        {18, 8, 0, "18 (?), 8 bits"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        produce();
        source.now.dl_tensor.dtype =
            (DLDataType){(uint8_t)rows[i].code, (uint8_t)rows[i].bits, 1};
        source.now.flags = rows[i].flags;
        ck_assert_ptr_null(ilex_dlpack_import(ctx, &source.now, NULL));
        ck_assert_msg(strstr(ilex_error_text(ctx), rows[i].name) != NULL,
                      "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
        ck_assert_int_eq(source.deleted, 1);
    }
}
END_TEST

/* Spoils the producer's new tensor as "r" says. */
static void
spoil(const refusal *r)
{
    DLTensor *t = &source.now.dl_tensor;
    t->ndim = r->rank ? r->rank : t->ndim;
    t->device.device_type = r->device ? r->device : kDLCPU;
    t->data = r->no_data ? NULL : t->data;
    t->byte_offset = r->offset;
    for (int k = 0; k < 2; k++) {
        if (r->shape[k])
            t->shape[k] = r->shape[k] == EMPTY ? 0 : r->shape[k];
        if (r->stride[k])
            t->strides[k] = r->stride[k];
    }
    t->shape = r->no_shape ? NULL : t->shape;
    t->strides = r->dense ? NULL : t->strides;
    if (r->type.code || r->type.bits || r->type.lanes)
        t->dtype = r->type;
}

/* Every refusal: its code, one call of the deleter if there is one, and not a
 * byte of the tensor changed. */
START_TEST(refused)
{
    for (int i = 0; i < (int)IX_COUNT(refusals); i++)
        for (int way = 0; way < 4; way++) {
            produce();
            spoil(&refusals[i]);
            if (way & 2) {
                source.now.deleter = NULL;
                source.old.deleter = NULL;
            }
            source.old.dl_tensor = source.now.dl_tensor;
            static producer before;
            before = source;
            ck_assert_msg(!import(way & 1, NULL), "row %d", i);
            ck_assert_msg(ilex_error_code(ctx) == refusals[i].code,
                          "row %d: %s", i, ilex_error_text(ctx));
            ck_assert_int_eq(take_error(), refusals[i].code);
            ck_assert_int_eq(source.deleted, way & 2 ? 0 : 1);
            before.deleted = source.deleted;
            ck_assert_int_eq(memcmp(&before, &source, sizeof source), 0);
        }
    ck_assert_ptr_null(ilex_dlpack_import(ctx, NULL, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_dlpack_import_legacy(NULL, NULL, NULL));
}
END_TEST

static int foreign_deleted;

static void
delete_foreign(DLManagedTensorVersioned *self)
{
    foreign_deleted++;
    free(self);
}

/* Of a struct of another major version nothing behind the deleter exists. */
START_TEST(other_major_version)
{
    const uint32_t major[] = {0, 2, UINT32_MAX};
    size_t bytes = offsetof(DLManagedTensorVersioned, flags);
    foreign_deleted = 0;
    for (int i = 0; i < 6; i++) {
        DLManagedTensorVersioned whole = {.version = {major[i / 2], 5},
                                          .deleter =
                                              i & 1 ? delete_foreign : NULL};
        void *part = malloc(bytes);
        memcpy(part, &whole, bytes);
        ck_assert_ptr_null(ilex_dlpack_import(ctx, part, NULL));
        ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "version"));
        ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
        ck_assert_int_eq(foreign_deleted, i / 2 + (i & 1));
        if (!(i & 1))
            free(part);
    }
}
END_TEST

START_TEST(deleter_may_be_null)
{
    for (int old = 0; old < 2; old++) {
        produce();
        source.now.deleter = NULL;
        source.old.deleter = NULL;
        ilex_storage *s = import_well(old, NULL);
        ilex_storage_release(s);
        ck_assert_int_eq(source.deleted, 0);
    }
}
END_TEST

/* ---- memory ---- */

/* Fails the n-th allocation, for every n; returns how many there were. */
static int
for_each_allocation(bool (*attempt)(void))
{
    int n = 0;
    for (bool done = false; !done && n < 100; n++) {
        int live = heap.live;
        produce();
        heap.left = n;
        done = attempt();
        heap.left = -1;
        ck_assert_int_eq(take_error(), done ? ILEX_OK : ILEX_E_MEMORY);
        ck_assert_int_eq(heap.live, live);
    }
    ck_assert_int_lt(n, 100);
    return n - 1;
}

static bool
attempt_import(void)
{
    ilex_storage *s = import(false, NULL);
    ck_assert_int_eq(source.deleted, s == NULL);
    ilex_storage_release(s);
    ck_assert_int_eq(source.deleted, 1);
    return s != NULL;
}

static bool
attempt_copy(void)
{
    ilex_storage_spec more = {.size = sizeof more, .flags = ILEX_STORAGE_COPY};
    ilex_storage *s = import(true, &more);
    ck_assert_int_eq(source.deleted, 1);
    ilex_storage_release(s);
    ck_assert_int_eq(source.deleted, 1);
    return s != NULL;
}

static bool
attempt_empty(void)
{
    source.shape[0] = 0;
    ilex_storage *s = import(false, NULL);
    ck_assert_int_eq(source.deleted, 1);
    ilex_storage_release(s);
    return s != NULL;
}

static ilex_storage *exported;

static bool
attempt_export(void)
{
    DLManagedTensorVersioned *t =
        ilex_dlpack_export(ctx, exported, ILEX_STORAGE_COPY);
    if (t)
        t->deleter(t);
    return t != NULL;
}

static bool
attempt_export_legacy(void)
{
    DLManagedTensor *t = ilex_dlpack_export_legacy(ctx, exported, 0);
    if (t)
        t->deleter(t);
    return t != NULL;
}

START_TEST(every_allocation_fails)
{
    exported = ilex_storage_ones(ctx, ILEX_I16, 2, SHAPE(3, 4));
    ck_assert_int_ge(for_each_allocation(attempt_import), 2);
    ck_assert_int_ge(for_each_allocation(attempt_copy), 3);
    ck_assert_int_ge(for_each_allocation(attempt_empty), 2);
    ck_assert_int_ge(for_each_allocation(attempt_export), 3);
    ck_assert_int_eq(for_each_allocation(attempt_export_legacy), 1);
    ilex_storage_release(exported);
}
END_TEST

/* ---- noise ---- */

/* A number that is ordinary, at a limit, or anything. */
static int64_t
odd_number(void)
{
    static const int64_t list[] = {0,  1,  -1,        2,         3,
                                   16, 17, INT32_MAX, 64,        8,
                                   -8, 5,  1,         INT64_MAX, INT64_MIN};
    if (draw(20) == 0)
        return (int64_t)((uint64_t)draw(INT32_MAX) << 33 |
                         (uint64_t)draw(INT32_MAX));
    return list[draw(draw(3) ? 6 : (int64_t)IX_COUNT(list))];
}

static void
spoil_tensor(DLTensor *t)
{
    switch (draw(9)) {
    case 0:
        t->data = draw(2) ? NULL : source.data + 2048 + draw(64);
        break;
    case 1:
        t->device.device_type = (int)draw(20);
        break;
    case 2:
        t->ndim = (int32_t)odd_number();
        break;
    case 3:
        t->dtype.code = (uint8_t)draw(8);
        t->dtype.bits = (uint8_t)(8 << draw(5));
        break;
    case 4:
        t->dtype.lanes = (uint16_t)draw(3);
        break;
    case 5:
        source.shape[draw(3)] = odd_number();
        break;
    case 6:
        source.strides[draw(3)] = odd_number();
        break;
    case 7:
        t->strides = draw(2) ? NULL : t->strides;
        break;
    default:
        t->byte_offset = (uint64_t)odd_number();
    }
}

/* Does every element of the tensor lie in the producer's memory? */
static bool
inside(const DLTensor *t)
{
    __extension__ typedef __int128 wide;
    wide first = (wide)(uintptr_t)t->data + t->byte_offset, low = 0, high = 0;
    wide base = (wide)(uintptr_t)source.data, step = t->dtype.bits / 8;
    for (int k = t->ndim - 1; k >= 0; k--) {
        wide stride = t->dtype.bits / 8;
        stride = t->strides ? stride * t->strides[k] : step;
        wide reach = (t->shape[k] - 1) * stride;
        *(reach < 0 ? &low : &high) += reach;
        step *= t->shape[k];
    }
    return first + low >= base &&
           first + high + t->dtype.bits / 8 <= base + (wide)sizeof source.data;
}

/* What an import must say of a tensor that it took. */
static void
check_taken(const ilex_storage *s, const DLTensor *t)
{
    ck_assert_int_eq(ilex_storage_rank(s), t->ndim);
    for (int k = 0; k < t->ndim; k++)
        ck_assert_int_eq(ilex_storage_shape(s)[k], t->shape[k]);
    ck_assert_uint_eq(8 * ilex_dtype_bytes(s->dtype), t->dtype.bits);
    int64_t count = ilex_storage_count(s);
    if (count == 0 || count > 65536 || !inside(t))
        return;
    ilex_storage *copy = ilex_storage_copy(ctx, s);
    ck_assert_ptr_nonnull(copy);
    ilex_storage_release(copy);
}

START_TEST(noise)
{
    int taken = 0;
    for (int i = 0; i < 100000; i++) {
        produce();
        source.now.dl_tensor.ndim = (int32_t)draw(4);
        source.now.dl_tensor.data = source.data + 2048;
        source.shape[2] = source.strides[2] = 1;
        for (int64_t k = draw(6); k > 0; k--)
            spoil_tensor(&source.now.dl_tensor);
        bool old = draw(2), one = draw(4) == 0;
        DLTensor before = source.now.dl_tensor;
        heap.left = one ? (int)draw(4) : -1;
        ilex_storage *s = import(old, NULL);
        heap.left = -1;
        ck_assert_int_eq(s != NULL, take_error() == ILEX_OK);
        if (s)
            check_taken(s, &before);
        bool empty = s && ilex_storage_count(s) == 0;
        ck_assert_int_eq(source.deleted, !s || empty);
        ilex_storage_release(s);
        ck_assert_int_eq(source.deleted, 1);
        taken += s != NULL;
    }
    ck_assert_int_gt(taken, 10000);
    ck_assert_int_lt(taken, 90000);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("dlpack_refuse");
    TCase *cases = tcase_create("dlpack");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, refused);
    tcase_add_test(cases, refused_elements);
    tcase_add_test(cases, other_major_version);
    tcase_add_test(cases, deleter_may_be_null);
    tcase_add_test(cases, every_allocation_fails);
    tcase_add_test(cases, noise);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
