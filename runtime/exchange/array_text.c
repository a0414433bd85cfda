/* SPDX-License-Identifier: MIT
 *
 * Array interfaces as text: the Python dictionaries, written as repr() writes
 * them and read back. Reading ignores `descr`, which repeats the type string
 * of arrays that are not records, and keys it does not know.
 */
#include "lib/base/text.h"
#include "runtime/exchange/exchange.h"
#include "runtime/files/formats.h"
#include "runtime/files/literal.h"

/* ---- writing ---- */

/* "(3, 4)", "(3,)", "()". */
static void
put_tuple(ix_text *t, const int64_t *value, int n)
{
    ix_text_char(t, '(');
    for (int k = 0; k < n; k++) {
        ix_text_put(t, k ? ", " : "");
        ix_text_int(t, value[k]);
    }
    ix_text_put(t, n == 1 ? ",)" : ")");
}

static void
put_interface(ix_text *t, const ilex_array_interface *a)
{
    char typestr[8];
    ilex_typestr_write(a->dtype, typestr);
    ix_text_put(t, "{'shape': ");
    put_tuple(t, a->shape, a->rank);
    ix_text_format(t, ", 'typestr': '%s', 'data': (", typestr);
    ix_text_uint(t, (uint64_t)(uintptr_t)a->data);
    ix_text_put(t, a->readonly ? ", True)" : ", False)");
    ix_text_put(t, ", 'strides': ");
    if (a->has_strides)
        put_tuple(t, a->strides, a->rank);
    else
        ix_text_put(t, "None");
    if (a->kind == ILEX_ARRAY_CUDA) {
        ix_text_put(t, ", 'stream': ");
        if (a->stream)
            ix_text_uint(t, a->stream);
        else
            ix_text_put(t, "None");
    }
    ix_text_put(t, ", 'version': 3}");
}

size_t
ilex_array_interface_print(const ilex_array_interface *a, char *buffer,
                           size_t size)
{
    ix_text t;
    if (size)
        buffer[0] = 0;
    if (!ix_array_interface_known(a, a ? a->kind : 0, NULL) || a->rank < 0 ||
        a->rank > ILEX_MAX_RANK || ilex_dtype_bytes(a->dtype) == 0)
        return 0;
    ix_text_init(&t, &ix_mem_default);
    put_interface(&t, a);
    const char *text = ix_text_string(&t);
    size_t length = text ? t.length : 0;
    if (text && size) {
        size_t n = length < size ? length : size - 1;
        memcpy(buffer, text, n);
        buffer[n] = 0;
    }
    ix_text_free(&t);
    return length;
}

/* ---- reading ---- */

typedef struct reading {
    ilex_array_interface *a;
    int nstrides;
} reading;

static bool
read_shape(ix_literal *r, void *into)
{
    ilex_array_interface *a = ((reading *)into)->a;
    return ix_literal_tuple(r, a->shape, &a->rank, 0, "shape");
}

static bool
read_strides(ix_literal *r, void *into)
{
    reading *x = into;
    x->a->has_strides = !ix_literal_word(r, "None");
    return !x->a->has_strides ||
           ix_literal_tuple(r, x->a->strides, &x->nstrides, INT64_MIN,
                            "strides");
}

/* Only dtypes of ours in the byte order of this machine. */
static bool
read_typestr(ix_literal *r, void *into)
{
    char text[64];
    bool swapped = false;
    ilex_array_interface *a = ((reading *)into)->a;
    if (!ix_literal_string(r, text, sizeof text, "a type string"))
        return false;
    if (ix_typestr_read(text, &a->dtype, &swapped) && !swapped)
        return true;
    r->status = ILEX_E_UNSUPPORTED;
    return ix_fail_false(
        r->err, ILEX_E_UNSUPPORTED, "'%s' has typestr '%s'; %s", r->name, text,
        swapped ? "Ilex takes the byte order of this machine: convert it with "
                  "a.astype(a.dtype.newbyteorder('='))"
                : "Ilex takes b1, i1 to i8, u1 to u8, f4, f8, c8 and c16 (for "
                  "example '<f8')");
}

static bool
read_data(ix_literal *r, void *into)
{
    uint64_t address;
    ilex_array_interface *a = ((reading *)into)->a;
    if (!ix_literal_take(r, '('))
        return ix_literal_expected(r, "'(' of the data");
    if (!ix_literal_uint(r, &address, "an address"))
        return false;
    if (address > UINTPTR_MAX)
        return ix_literal_refuse(r, ILEX_E_OVERFLOW,
                                 "has data beyond the address space");
    a->data = (void *)(uintptr_t)address;
    return (ix_literal_take(r, ',') || ix_literal_expected(r, "','")) &&
           ix_literal_bool(r, &a->readonly) &&
           (ix_literal_take(r, ')') ||
            ix_literal_expected(r, "')' of the data"));
}

/* NumPy has written 3 since there are version numbers; CUDA's 0 to 3 differ
 * in what is optional. */
static bool
read_version(ix_literal *r, void *into)
{
    uint64_t version;
    int kind = ((reading *)into)->a->kind;
    if (!ix_literal_uint(r, &version, "a version"))
        return false;
    if (version == 3 || (kind == ILEX_ARRAY_CUDA && version < 3))
        return true;
    return ix_literal_refuse(r, ILEX_E_UNSUPPORTED,
                             kind == ILEX_ARRAY_CUDA
                                 ? "is not of version 0, 1, 2 or 3"
                                 : "is not of version 3");
}

static bool
read_mask(ix_literal *r, void *into)
{
    (void)into;
    return ix_literal_word(r, "None") ||
           ix_literal_refuse(r, ILEX_E_UNSUPPORTED,
                             "has a mask, which Ilex has no use for; pass the "
                             "mask as an array of its own");
}

/* CUDA's 1 and 2 are its default streams; 0 could be either and is not
 * allowed. */
static bool
read_stream(ix_literal *r, void *into)
{
    ilex_array_interface *a = ((reading *)into)->a;
    if (ix_literal_word(r, "None"))
        return true;
    if (!ix_literal_uint(r, &a->stream, "None or a stream"))
        return false;
    return a->stream > 0 ||
           ix_literal_refuse(r, ILEX_E_FORMAT,
                             "has stream 0; 1 is the legacy and 2 the "
                             "per-thread default stream, None no stream");
}

/* Bytes before the first element, which an address has no need of. */
static bool
read_offset(ix_literal *r, void *into)
{
    uint64_t offset;
    (void)into;
    if (!ix_literal_uint(r, &offset, "an offset"))
        return false;
    return offset == 0 ||
           ix_literal_refuse(r, ILEX_E_UNSUPPORTED,
                             "has an offset; add it to the address in data");
}

static const ix_literal_key keys[] = {
    {"shape", read_shape, true},      {"typestr", read_typestr, true},
    {"data", read_data, true},        {"version", read_version, true},
    {"strides", read_strides, false}, {"mask", read_mask, false},
    {"stream", read_stream, false},   {"offset", read_offset, false},
};

ilex_status
ilex_array_interface_parse(ilex_context *ctx, const char *text, int kind,
                           ilex_array_interface *a)
{
    ix_error *err = ix_storage_error(ctx);
    if (!ix_array_interface_known(a, kind, err))
        return ILEX_E_ARGUMENT;
    const char *name = ix_array_interface_name(kind);
    if (!text)
        return ix_fail(err, ILEX_E_ARGUMENT, "'%s' is NULL", name);
    ix_array_interface_clear(a, kind);
    reading x = {.a = a};
    ix_literal r = {
        .start = text,
        .p = text,
        .end = text + strlen(text),
        .name = name,
        .form = "a dictionary Ilex reads",
        .example = "{'shape': (3, 4), 'typestr': '<f8', 'data': (94190592, "
                   "False), 'strides': None, 'version': 3}",
        .err = err,
    };
    if (ix_literal_dictionary(&r, keys, IX_COUNT(keys), true,
                              "each of the keys 'shape', 'typestr', 'data', "
                              "'version' once",
                              &x) &&
        a->has_strides && x.nstrides != a->rank)
        ix_literal_refuse(&r, ILEX_E_FORMAT, "has not as many strides as axes");
    return r.status;
}
