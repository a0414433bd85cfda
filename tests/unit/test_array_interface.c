/* SPDX-License-Identifier: MIT
 *
 * Array interfaces as structs and as text, __array_struct__, type strings and
 * buffer formats. */
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include "ilex.h"

static int released;

static void
release(void *user, void *data)
{
    (void)data;
    ck_assert_ptr_eq(user, &released);
    released++;
}

static _Alignas(64) double numbers[64];

/* The interface of "numbers" as 2 by 3 f64 with strides. */
static ilex_array_interface
describe(void)
{
    released = 0;
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    return (ilex_array_interface){.size = sizeof(ilex_array_interface),
                                  .dtype = ILEX_F64,
                                  .rank = 2,
                                  .has_strides = 1,
                                  .shape = {2, 3},
                                  .strides = {24, 8},
                                  .data = numbers};
}

static ilex_storage *
import(const ilex_array_interface *a)
{
    return ilex_array_interface_import(ctx, a, NULL, release, &released);
}

static double
get(const ilex_storage *s, int64_t i, int64_t j)
{
    double v = -1;
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(i, j), &v), ILEX_OK);
    return v;
}

/* ---- structs ---- */

/* All dtypes but bf16, which NumPy does not have. */
START_TEST(round_trip)
{
    for (int d = 0; d < ILEX_BF16; d++) {
        ilex_array_interface a = {.size = sizeof a}, b = {.size = sizeof b};
        char text[400];
        ilex_storage *s = ilex_storage_ones(ctx, (ilex_dtype)d, 2, SHAPE(6, 5));
        ilex_storage *v = ilex_storage_slice(ctx, s, 0, 5, -1, -2);
        ilex_storage *r =
            d & 1 ? ilex_storage_readonly(ctx, v) : ilex_storage_retain(v);
        ck_assert_int_eq(ilex_array_interface_get(ctx, r, 0, &a), ILEX_OK);
        size_t n = ilex_array_interface_print(&a, text, sizeof text);
        ck_assert_uint_eq(n, strlen(text));
        ck_assert_msg(!ilex_array_interface_parse(ctx, text, 0, &b), "%s",
                      ilex_error_text(ctx));
        ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "%s", text);
        released = 0;
        ilex_storage *t = import(&b);
        ck_assert_ptr_eq(t->data, r->data);
        ck_assert_int_eq(t->dtype, d);
        ck_assert_int_eq(t->writable, r->writable);
        ck_assert_int_eq(memcmp(t->stride, r->stride, 16), 0);
        ilex_storage_release(t);
        ck_assert_int_eq(released, 1);
        ilex_storage_release(r);
        ilex_storage_release(v);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(import_struct)
{
    ilex_array_interface a = describe();
    ilex_storage *s = import(&a);
    ck_assert(get(s, 1, 2) == 5);
    ilex_storage_release(s);
    ck_assert_int_eq(released, 1);

    a = describe();
    a.has_strides = 0;
    ilex_storage_spec more = {
        .size = sizeof more, .axes = "IJ", .flags = ILEX_STORAGE_COPY};
    s = ilex_array_interface_import(ctx, &a, &more, release, &released);
    ck_assert_int_eq(released, 1);
    numbers[5] = 0;
    ck_assert(get(s, 1, 2) == 5);
    ilex_storage_release(s);

    a = describe();
    a.shape[0] = 0;
    a.data = NULL;
    a.strides[1] = 3;
    s = import(&a);
    ck_assert_int_eq(ilex_storage_count(s), 0);
    ck_assert_int_eq(released, 1);
    ilex_storage_release(s);

    a = describe();
    a.shape[1] = 1;
    a.strides[1] = 3;
    s = ilex_array_interface_import(ctx, &a, NULL, NULL, NULL);
    ck_assert(get(s, 1, 0) == 3);
    ilex_storage_release(s);
}
END_TEST

/* Writes "value" over an int64_t at "offset" of a good interface. */
static const struct {
    size_t offset, bytes;
    int64_t value;
    ilex_status code;
} spoilt[] = {
#define FIELD(f)                                                               \
    offsetof(ilex_array_interface, f), sizeof((ilex_array_interface *)0)->f
    {FIELD(size), 8, ILEX_E_ARGUMENT},
    {FIELD(kind), 2, ILEX_E_ARGUMENT},
    {FIELD(kind), ILEX_ARRAY_CUDA, ILEX_E_DEVICE},
    {FIELD(dtype), ILEX_NDTYPES, ILEX_E_DTYPE},
    {FIELD(rank), -1, ILEX_E_ARGUMENT},
    {FIELD(rank), 17, ILEX_E_UNSUPPORTED},
    {FIELD(shape[0]), -2, ILEX_E_SHAPE},
    {FIELD(shape[0]), INT64_MAX, ILEX_E_OVERFLOW},
    {FIELD(strides[0]), 12, ILEX_E_ALIGNMENT},
    {FIELD(strides[0]), INT64_MIN, ILEX_E_OVERFLOW},
    {FIELD(data), 0, ILEX_E_ARGUMENT},
    {FIELD(data), 65537, ILEX_E_ALIGNMENT},
#undef FIELD
};

START_TEST(refused_structs)
{
    for (size_t i = 0; i < IX_COUNT(spoilt); i++) {
        ilex_array_interface a = describe();
        memcpy((char *)&a + spoilt[i].offset, &spoilt[i].value,
               spoilt[i].bytes);
        ck_assert_msg(!import(&a), "row %zu", i);
        ck_assert_msg(ilex_error_code(ctx) == spoilt[i].code, "row %zu: %s", i,
                      ilex_error_text(ctx));
        take_error();
        ck_assert_int_eq(released, 1);
    }
    released = 0;
    ck_assert_ptr_null(import(NULL));
    ck_assert_int_eq(released, 1);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);

    ilex_array_interface a = describe();
    ilex_storage *s = ilex_storage_ones(ctx, ILEX_F64, 1, SHAPE(2));
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_CUDA, &a),
                     ILEX_E_DEVICE);
    take_error();
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, 5, &a), ILEX_E_ARGUMENT);
    take_error();
    ck_assert_int_eq(ilex_array_interface_get(ctx, NULL, 0, &a),
                     ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, 0, NULL),
                     ILEX_E_ARGUMENT);
    a.rank = 17;
    ck_assert_uint_eq(ilex_array_interface_print(&a, NULL, 0), 0);
    ilex_storage_release(s);
}
END_TEST

/* ---- text ---- */

START_TEST(printed)
{
    ilex_array_interface a = describe();
    char text[200], cut[20];
    a.data = (void *)(uintptr_t)4096;
    size_t n = ilex_array_interface_print(&a, text, sizeof text);
    ck_assert_str_eq(text, "{'shape': (2, 3), 'typestr': '<f8', 'data': (4096, "
                           "False), 'strides': (24, 8), 'version': 3}");
    ck_assert_uint_eq(n, strlen(text));
    ck_assert_uint_eq(ilex_array_interface_print(&a, cut, sizeof cut), n);
    ck_assert_int_eq(strncmp(cut, text, 19), 0);
    ck_assert_uint_eq(strlen(cut), 19);
    ck_assert_uint_eq(ilex_array_interface_print(&a, NULL, 0), n);

    a.kind = ILEX_ARRAY_CUDA;
    a.rank = 1;
    a.readonly = 1;
    a.has_strides = 0;
    ilex_array_interface_print(&a, text, sizeof text);
    ck_assert_str_eq(text, "{'shape': (2,), 'typestr': '<f8', 'data': (4096, "
                           "True), 'strides': None, 'stream': None, "
                           "'version': 3}");
    a.stream = 2;
    a.rank = 0;
    ilex_array_interface_print(&a, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "'shape': ()"));
    ck_assert_ptr_nonnull(strstr(text, "'stream': 2, "));
}
END_TEST

/* What NumPy and CUDA libraries write. */
START_TEST(parsed)
{
    ilex_array_interface a = {.size = sizeof a};
    ck_assert_int_eq(
        ilex_array_interface_parse(
            ctx,
            "{'data': (94190592, True), 'strides': None, 'descr': [('', "
            "'<f4')], 'typestr': '<f4', 'shape': (3, 4), 'version': 3}",
            ILEX_ARRAY_HOST, &a),
        ILEX_OK);
    ck_assert(a.dtype == ILEX_F32 && a.rank == 2 && !a.has_strides);
    ck_assert(a.shape[1] == 4 && a.readonly);
    ck_assert_uint_eq((uintptr_t)a.data, 94190592);

    ck_assert_int_eq(
        ilex_array_interface_parse(
            ctx,
            "{\"shape\": (5,), 'typestr': '|b1', 'mask': None, 'offset': 0, "
            "'data': (18446744073709551615, False), 'strides': (-1,), "
            "'odd': {'a': [1, (2, 'x]\\'')]}, 'more': -1.5e3, 'version': 3}\n",
            ILEX_ARRAY_HOST, &a),
        ILEX_OK);
    ck_assert(a.dtype == ILEX_BOOL && a.strides[0] == -1);
    ck_assert_uint_eq((uintptr_t)a.data, UINTPTR_MAX);

    ck_assert_int_eq(
        ilex_array_interface_parse(ctx,
                                   "{'shape': (), 'typestr': '<c16', 'data': "
                                   "(0, False), 'stream': 140, 'version': 2}",
                                   ILEX_ARRAY_CUDA, &a),
        ILEX_OK);
    ck_assert(a.stream == 140 && a.rank == 0 && a.kind == ILEX_ARRAY_CUDA);
}
END_TEST

#define GOOD "'shape': (2,), 'typestr': '<f8', 'data': (64, False)"

static const struct {
    const char *text;
    ilex_status code;
} refusals[] = {
    {"", ILEX_E_FORMAT},
    {"{}", ILEX_E_FORMAT},
    {"{" GOOD "}", ILEX_E_FORMAT},
    {"{" GOOD ", 'version': 3", ILEX_E_FORMAT},
    {"{" GOOD ", 'version': 3} x", ILEX_E_FORMAT},
    {"{" GOOD ", 'version': 3, 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'version': 2}", ILEX_E_UNSUPPORTED},
    {"{" GOOD ", 'version': 4}", ILEX_E_UNSUPPORTED},
    {"{" GOOD ", 'version': '3'}", ILEX_E_FORMAT},
    {"{" GOOD ", 'strides': (8, 8), 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'strides': (8), 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'strides': (99999999999999999999,), 'version': 3}",
     ILEX_E_OVERFLOW},
    {"{" GOOD ", 'mask': [1], 'version': 3}", ILEX_E_UNSUPPORTED},
    {"{" GOOD ", 'offset': 8, 'version': 3}", ILEX_E_UNSUPPORTED},
    {"{" GOOD ", 'stream': 0, 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'odd': [1, 2), 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'odd': 'x, 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'odd': , 'version': 3}", ILEX_E_FORMAT},
    {"{" GOOD ", 'odd': [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
     ILEX_E_FORMAT},
    {"{" GOOD ", 'odd': '\\", ILEX_E_FORMAT},
    {"{'shape': (-2,), 'typestr': '<f8'}", ILEX_E_FORMAT},
    {"{'shape': [2], 'typestr': '<f8'}", ILEX_E_FORMAT},
    {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", ILEX_E_LIMIT},
    {"{'shape': (18446744073709551615,)}", ILEX_E_OVERFLOW},
    {"{'typestr': '>f8'}", ILEX_E_UNSUPPORTED},
    {"{'typestr': '<f16'}", ILEX_E_UNSUPPORTED},
    {"{'typestr': '|V12'}", ILEX_E_UNSUPPORTED},
    {"{'typestr': '<M8[ns]'}", ILEX_E_UNSUPPORTED},
    {"{'typestr': None}", ILEX_E_FORMAT},
    {"{'data': (64)}", ILEX_E_FORMAT},
    {"{'data': (64, 0)}", ILEX_E_FORMAT},
    {"{'data': (-64, False)}", ILEX_E_FORMAT},
    {"{'data': (99999999999999999999, False)}", ILEX_E_OVERFLOW},
    {"{'data': None}", ILEX_E_FORMAT},
};

START_TEST(refused_texts)
{
    ilex_array_interface a = {.size = sizeof a};
    for (size_t i = 0; i < IX_COUNT(refusals); i++) {
        ilex_status rc =
            ilex_array_interface_parse(ctx, refusals[i].text, 0, &a);
        ck_assert_msg(rc == refusals[i].code, "row %zu: %s", i,
                      ilex_error_text(ctx));
        ck_assert_ptr_nonnull(
            strstr(ilex_error_text(ctx), "__array_interface__"));
        ck_assert_int_eq(take_error(), rc);
    }
    ck_assert_int_eq(ilex_array_interface_parse(ctx, NULL, 0, &a),
                     ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_array_interface_parse(ctx, "{}", 3, &a),
                     ILEX_E_ARGUMENT);
}
END_TEST

/* A good text with characters changed, or cut: read or refused. */
START_TEST(mutations)
{
    static const char good[] =
        "{'shape': (3, 4), 'typestr': '<f4', 'data': (94190592, False), "
        "'strides': (16, 4), 'descr': [('', '<f4')], 'version': 3}";
    static const char alphabet[] = "{}()[]',:0123456789 -NoneTrueF\\\"\x80";
    ilex_array_interface a = {.size = sizeof a};
    int read = 0;
    for (int i = 0; i < 50000; i++) {
        size_t n = sizeof good;
        for (int64_t k = draw(3); k >= 0 && draw(4) == 0; k--)
            n = 1 + (size_t)draw((int64_t)n);
        char *text = malloc(n);
        memcpy(text, good, n);
        text[n - 1] = 0;
        for (int64_t k = draw(4); k > 0 && n > 1; k--)
            text[draw((int64_t)n - 1)] =
                alphabet[draw((int64_t)sizeof alphabet - 1)];
        ilex_status rc = ilex_array_interface_parse(ctx, text, 0, &a);
        ck_assert_int_eq(take_error(), rc);
        read += !rc;
        free(text);
    }
    ck_assert_int_gt(read, 1000);
}
END_TEST

/* ---- __array_struct__ ---- */

START_TEST(array_struct)
{
    for (int d = 0; d < ILEX_BF16; d++) {
        ilex_storage *s = ilex_storage_ones(ctx, (ilex_dtype)d, 2, SHAPE(3, 4));
        ilex_storage *v = ilex_storage_transpose(ctx, s, NULL);
        ilex_array_struct *a = ilex_array_struct_export(ctx, v);
        ck_assert_int_eq(a->flags, 0x702);
        ck_assert_int_eq(a->strides[0], a->bytes);
        released = 0;
        ilex_storage *t =
            ilex_array_struct_import(ctx, a, NULL, release, &released);
        ck_assert(t->dtype == s->dtype && t->data == s->data && t->writable);
        ck_assert_int_eq(memcmp(t->stride, v->stride, 16), 0);
        ilex_storage_release(t);
        ck_assert_int_eq(released, 1);
        ilex_storage_release(s);
        ilex_storage_release(v);
        ilex_array_struct_free(a);
    }
    ilex_array_struct_free(NULL);
    ilex_storage *half = ilex_storage_ones(ctx, ILEX_BF16, 1, SHAPE(3));
    ck_assert_ptr_null(ilex_array_struct_export(ctx, half));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_UNSUPPORTED);
    ilex_error_clear(ctx);
    ilex_storage_release(half);
    ck_assert_ptr_null(ilex_array_struct_export(ctx, NULL));
}
END_TEST

START_TEST(array_struct_variants)
{
    intptr_t shape[17] = {2, 3}, strides[17] = {24, 8};
    const struct {
        ilex_array_struct a;
        ilex_status code;
    } rows[] = {
        {{2, 2, 'f', 8, 0x700, shape, strides, numbers, NULL}, ILEX_OK},
        {{2, 2, 'f', 8, 0x200, shape, NULL, numbers, NULL}, ILEX_OK},
        {{2, 0, 'f', 8, 0x200, NULL, NULL, numbers, NULL}, ILEX_OK},
        {{2, 1, 'b', 1, 0, shape, NULL, numbers, NULL}, ILEX_OK},
        {{1, 2, 'f', 8, 0x700, shape, strides, numbers, NULL}, ILEX_E_ARGUMENT},
        {{2, -1, 'f', 8, 0x700, shape, strides, numbers, NULL},
         ILEX_E_ARGUMENT},
        {{2, 2, 'f', 8, 0x700, NULL, strides, numbers, NULL}, ILEX_E_ARGUMENT},
        {{2, 17, 'f', 8, 0x700, shape, strides, numbers, NULL},
         ILEX_E_UNSUPPORTED},
        {{2, 2, 'V', 8, 0x700, shape, strides, numbers, NULL},
         ILEX_E_UNSUPPORTED},
        {{2, 2, 'f', -8, 0x700, shape, strides, numbers, NULL},
         ILEX_E_UNSUPPORTED},
        {{2, 2, 'f', 8, 0x500, shape, strides, numbers, NULL},
         ILEX_E_UNSUPPORTED},
        {{2, 2, 'c', 16, 0x700, shape, strides, numbers, NULL},
         ILEX_E_ALIGNMENT},
        {{2, 2, 'f', 8, 0x700, shape, strides, NULL, NULL}, ILEX_E_ARGUMENT},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        released = 0;
        ilex_storage *s =
            ilex_array_struct_import(ctx, &rows[i].a, NULL, release, &released);
        ck_assert_msg(take_error() == rows[i].code, "row %zu", i);
        ck_assert_int_eq(s == NULL, rows[i].code != ILEX_OK);
        if (s)
            ck_assert_int_eq(s->writable, i == 0);
        ilex_storage_release(s);
        ck_assert_int_eq(released, 1);
    }
    ck_assert_ptr_null(ilex_array_struct_import(ctx, NULL, NULL, NULL, NULL));
}
END_TEST

START_TEST(every_allocation_fails)
{
    ilex_storage *s = ilex_storage_ones(ctx, ILEX_F64, 1, SHAPE(4));
    ilex_storage *t = NULL;
    heap.left = 0;
    ck_assert_ptr_null(ilex_array_struct_export(ctx, s));
    heap.left = -1;
    ck_assert_int_eq(take_error(), ILEX_E_MEMORY);
    for (int n = 0; !t; n++) {
        int live = heap.live;
        ilex_array_interface a = describe();
        heap.left = n;
        t = import(&a);
        heap.left = -1;
        ck_assert_int_eq(released, t == NULL);
        ck_assert_int_eq(take_error(), t ? ILEX_OK : ILEX_E_MEMORY);
        ck_assert(t || heap.live == live);
        ck_assert_int_lt(n, 20);
    }
    ilex_storage_release(t);
    ck_assert_int_eq(released, 1);
    ilex_storage_release(s);
}
END_TEST

/* ---- type strings, formats ---- */

static const struct {
    const char *text;
    int dtype, swapped; /* of a little-endian machine; dtype -1: refused */
} typestrs[] = {
    {"|b1", ILEX_BOOL, 0}, {"<b1", ILEX_BOOL, 0},  {"=b1", ILEX_BOOL, 0},
    {">i1", ILEX_I8, 0},   {"|u1", ILEX_U8, 0},    {"<i2", ILEX_I16, 0},
    {">i2", ILEX_I16, 1},  {"=u4", ILEX_U32, 0},   {">u8", ILEX_U64, 1},
    {"<f4", ILEX_F32, 0},  {">c16", ILEX_C128, 1}, {"<c8", ILEX_C64, 0},
    {"|f8", -1, 0},        {"f8", -1, 0},          {"<f2", ILEX_F16, 0},
    {">f2", ILEX_F16, 1},  {"<V2", -1, 0},         {"<f16", -1, 0},
    {"<c32", -1, 0},       {"<f08", -1, 0},        {"", -1, 0},
    {"<", -1, 0},          {"<f8 ", -1, 0},        {"|O", -1, 0},
    {"|S5", -1, 0},        {"<U3", -1, 0},         {"<M8[ns]", -1, 0},
    {"!f8", -1, 0},        {"<b2", -1, 0},         {"|V100000000", -1, 0},
};

static const struct {
    const char *text;
    int dtype, swapped;
} formats[] = {
    {"d", ILEX_F64, 0},    {"<d", ILEX_F64, 0},  {">d", ILEX_F64, 1},
    {"!f", ILEX_F32, 1},   {"=f", ILEX_F32, 0},  {"@i", ILEX_I32, 0},
    {"?", ILEX_BOOL, 0},   {">?", ILEX_BOOL, 0}, {">b", ILEX_I8, 0},
    {NULL, ILEX_U8, 0},    {"H", ILEX_U16, 0},   {"<l", ILEX_I32, 0},
    {"<q", ILEX_I64, 0},   {"Q", ILEX_U64, 0},   {"Zf", ILEX_C64, 0},
    {">Zd", ILEX_C128, 1}, {"<n", -1, 0},        {"Zi", -1, 0},
    {"Z", -1, 0},          {"", -1, 0},          {"<", -1, 0},
    {"2d", -1, 0},         {"dd", -1, 0},        {"e", ILEX_F16, 0},
    {"g", -1, 0},          {"c", -1, 0},         {"<<d", -1, 0},
    {"T{d:x:}", -1, 0},
};

START_TEST(spellings)
{
    ilex_dtype dtype;
    int swapped;
    for (size_t i = 0; i < IX_COUNT(typestrs); i++) {
        bool ok = !ilex_typestr_read(typestrs[i].text, &dtype, &swapped);
        ck_assert_msg(ok == (typestrs[i].dtype >= 0), "%s", typestrs[i].text);
        ck_assert(!ok || ((int)dtype == typestrs[i].dtype &&
                          swapped == typestrs[i].swapped));
    }
    for (size_t i = 0; i < IX_COUNT(formats); i++) {
        bool ok = !ilex_format_read(formats[i].text, &dtype, &swapped);
        ck_assert_msg(ok == (formats[i].dtype >= 0), "%s", formats[i].text);
        ck_assert(!ok || ((int)dtype == formats[i].dtype &&
                          swapped == formats[i].swapped));
    }
    ck_assert_int_eq(ilex_format_read("l", &dtype, NULL), ILEX_OK);
    ck_assert_uint_eq(ilex_dtype_bytes(dtype), sizeof(long));
    ck_assert_int_eq(ilex_typestr_read(NULL, &dtype, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_format_read("d", NULL, NULL), ILEX_E_ARGUMENT);
    for (int d = 0; d <= ILEX_NDTYPES; d++) {
        char text[8];
        ilex_typestr_write((ilex_dtype)d, text);
        bool ok = !ilex_typestr_read(text, &dtype, &swapped);
        ck_assert_int_eq(ok, d < ILEX_BF16);
        ck_assert(!ok || ((int)dtype == d && !swapped));
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("array_interface");
    TCase *cases = tcase_create("array_interface");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, round_trip);
    tcase_add_test(cases, import_struct);
    tcase_add_test(cases, refused_structs);
    tcase_add_test(cases, printed);
    tcase_add_test(cases, parsed);
    tcase_add_test(cases, refused_texts);
    tcase_add_test(cases, mutations);
    tcase_add_test(cases, array_struct);
    tcase_add_test(cases, array_struct_variants);
    tcase_add_test(cases, every_allocation_fails);
    tcase_add_test(cases, spellings);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
