/* SPDX-License-Identifier: MIT
 *
 * Single elements: address, reading and writing with conversion.
 *
 * What is read is exact up to rounding to double; what is written must fit:
 * here a number that would change its value is an error, other than in
 * compiled programs, whose conversions wrap and saturate.
 */
#include "runtime/storage/storage.h"

#include <math.h>

#include "lib/base/fpenv.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/threads/pool.h"

/* Bytes of a number, or of either part of a complex one. */
static size_t
part_bytes(ilex_dtype dtype)
{
    return ilex_dtype_bytes(ix_dtype_part(dtype));
}

/* Address of the element, NULL if "index" is outside. */
static char *
element_at(const ilex_storage *s, const int64_t *index)
{
    int64_t offset = 0;
    for (int k = 0; k < s->rank; k++) {
        if (index[k] < 0 || index[k] >= s->shape[k])
            return NULL;
        offset += index[k] * s->stride[k];
    }
    return s->data + offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

const void *
ilex_storage_at(const ilex_storage *s, const int64_t *index)
{
    if (ix_storage_acquire(s, ILEX_READ, NULL))
        return NULL;
    return element_at(s, index);
}

/* Finds an element to be read. */
static ilex_status
find_element(const ilex_storage *s, const int64_t *index, const char **p)
{
    ilex_status rc = ix_storage_acquire(s, ILEX_READ, NULL);
    *p = rc ? NULL : element_at(s, index);
    return rc || *p ? rc : ILEX_E_BOUNDS;
}

/* ---- reading ---- */

/* The number at "p", for complex its first part, as double. */
static double
load_real(ilex_dtype dtype, const char *p)
{
    ix_value v = ix_value_load(ix_dtype_part(dtype), p);
    switch (ix_dtype_kind(dtype)) {
    case 'i':
        return (double)v.i;
    case 'b':
    case 'u':
        return (double)v.u;
    default:
        return v.f;
    }
}

double
ix_storage_real(const ilex_storage *s, const int64_t *index)
{
    return load_real(s->dtype, element_at(s, index));
}

ilex_status
ilex_storage_get_f64(const ilex_storage *s, const int64_t *index, double *value)
{
    const char *p;
    ilex_status rc = find_element(s, index, &p);
    if (rc)
        return rc;
    if (ix_dtype_is_complex(s->dtype))
        return ILEX_E_DTYPE;
    *value = load_real(s->dtype, p);
    return ILEX_OK;
}

ilex_status
ilex_storage_get_i64(const ilex_storage *s, const int64_t *index,
                     int64_t *value)
{
    const char *p;
    ilex_status rc = find_element(s, index, &p);
    if (rc)
        return rc;
    if (ix_dtype_kind(s->dtype) == 'f' || ix_dtype_is_complex(s->dtype))
        return ILEX_E_DTYPE;
    uint64_t bits = ix_value_load(s->dtype, p).u;
    if (ix_dtype_kind(s->dtype) == 'u' && bits > INT64_MAX)
        return ILEX_E_LITERAL;
    *value = (int64_t)bits;
    return ILEX_OK;
}

ilex_status
ilex_storage_get_c128(const ilex_storage *s, const int64_t *index,
                      double value[2])
{
    const char *p;
    ilex_status rc = find_element(s, index, &p);
    if (rc)
        return rc;
    bool pair = ix_dtype_is_complex(s->dtype);
    value[0] = load_real(s->dtype, p);
    value[1] = pair ? load_real(s->dtype, p + part_bytes(s->dtype)) : 0;
    return ILEX_OK;
}

/* ---- writing ---- */

/* A number to be stored: its value as a double, and if it is an integer of
 * at most 64 bits also sign and magnitude. */
typedef struct number {
    double re, im;
    bool integer, negative;
    uint64_t magnitude;
} number;

static number
number_of_f64(double re, double im)
{
    number x = {.re = re, .im = im, .negative = re < 0};
    double size = x.negative ? -re : re;
    x.integer = size < 18446744073709551616.0 && size == floor(size);
    if (x.integer)
        x.magnitude = (uint64_t)size;
    return x;
}

static number
number_of_i64(int64_t v)
{
    return (number){.re = (double)v,
                    .integer = true,
                    .negative = v < 0,
                    .magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v};
}

/* Does "x" fit an integer or bool "dtype"? */
static bool
fits_integer(ilex_dtype dtype, const number *x)
{
    unsigned bits = 8 * (unsigned)part_bytes(dtype);
    if (!x->integer || x->im != 0)
        return false;
    if (ix_dtype_kind(dtype) == 'b')
        return !(x->negative && x->magnitude) && x->magnitude <= 1;
    if (ix_dtype_kind(dtype) == 'u')
        return !(x->negative && x->magnitude) &&
               x->magnitude <= UINT64_MAX >> (64 - bits);
    return x->magnitude <= (UINT64_MAX >> (65 - bits)) + x->negative;
}

/* Does "x" fit a floating "dtype"? Rounding is allowed, overflow is not. */
static bool
fits_floating(ilex_dtype dtype, const number *x)
{
    ix_value re, im;
    if (ix_dtype_kind(dtype) == 'f' && x->im != 0)
        return false;
    dtype = ix_dtype_part(dtype);
    ix_cast_eval(ILEX_F64, dtype, &(ix_value){.f = x->re}, &re);
    ix_cast_eval(ILEX_F64, dtype, &(ix_value){.f = x->im}, &im);
    return (!isfinite(x->re) || isfinite(re.f)) &&
           (!isfinite(x->im) || isfinite(im.f));
}

/* Stores "x" at "p" if it fits. */
static ilex_status
store_checked(ilex_dtype dtype, const number *x, char *p)
{
    bool real = ix_dtype_is_real(dtype) || ix_dtype_is_complex(dtype);
    if (!(real ? fits_floating(dtype, x) : fits_integer(dtype, x)))
        return ILEX_E_LITERAL;
    uint64_t bits = x->negative ? 0 - x->magnitude : x->magnitude;
    ix_value v = {.u = bits};
    if (real)
        v = (ix_value){.f = x->re, .im = x->im};
    ix_value_store(dtype, p, v);
    return ILEX_OK;
}

static ilex_status
set(ilex_storage *s, const int64_t *index, const number *x)
{
    char *p = element_at(s, index);
    if (!p)
        return ILEX_E_BOUNDS;
    ilex_status rc =
        s->writable ? ix_storage_acquire(s, ILEX_WRITE, NULL) : ILEX_E_READONLY;
    return rc ? rc : store_checked(s->dtype, x, p);
}

ilex_status
ilex_storage_set_f64(ilex_storage *s, const int64_t *index, double value)
{
    number x = number_of_f64(value, 0);
    return set(s, index, &x);
}

ilex_status
ilex_storage_set_i64(ilex_storage *s, const int64_t *index, int64_t value)
{
    number x = number_of_i64(value);
    return set(s, index, &x);
}

ilex_status
ilex_storage_set_c128(ilex_storage *s, const int64_t *index,
                      const double value[2])
{
    number x = number_of_f64(value[0], value[1]);
    return set(s, index, &x);
}

bool
ix_element_of_f64(ilex_dtype dtype, double re, double im, void *element)
{
    number x = number_of_f64(re, im);
    return store_checked(dtype, &x, element) == ILEX_OK;
}

bool
ix_element_of_i64(ilex_dtype dtype, int64_t value, bool has_sign, void *element)
{
    number x = number_of_i64(value);
    if (!has_sign)
        x = (number){.re = (double)(uint64_t)value,
                     .integer = true,
                     .magnitude = (uint64_t)value};
    char own[16];
    if (store_checked(dtype, &x, own) != ILEX_OK)
        return false;
    double size = fabs(load_real(dtype, own));
    bool real = ix_dtype_is_real(dtype) || ix_dtype_is_complex(dtype);
    bool exact = !real || (size < 18446744073709551616.0 &&
                           (uint64_t)size == x.magnitude);
    if (exact)
        memcpy(element, own, ilex_dtype_bytes(dtype));
    return exact;
}

ilex_status
ix_storage_convert(ilex_dtype dtype, double value, void *element, ix_error *err)
{
    number x = number_of_f64(value, 0);
    if (store_checked(dtype, &x, element) == ILEX_OK)
        return ILEX_OK;
    ix_text t;
    char buffer[64] = "";
    ix_text_init(&t, &ix_mem_default);
    ix_text_real(&t, value, false);
    if (ix_text_string(&t))
        strncat(buffer, ix_text_string(&t), sizeof buffer - 1);
    ix_text_free(&t);
    return ix_fail(err, ILEX_E_LITERAL,
                   "storage: %s cannot hold the fill value %s",
                   ilex_dtype_name(dtype), buffer);
}

/* ---- initialisers ---- */

typedef struct initializer {
    const ilex_storage *s;
    void (*write)(void *user, const int64_t *index, void *element);
    void *user;
    int outer; /* the axis whose indices are shared out; -1: none */
} initializer;

/* Writes the elements whose index of the outer axis is "i"; masked axes have
 * their last index. */
static void
initialize_part(void *arg, int64_t i)
{
    const initializer *x = arg;
    const ilex_storage *s = x->s;
    int64_t index[ILEX_MAX_RANK] = {0};
    for (int k = 0; k < s->rank; k++)
        index[k] = s->layout[k] < 0 ? s->shape[k] - 1 : 0;
    if (x->outer >= 0)
        index[x->outer] = i;
    for (int k = 0; k >= 0;) {
        x->write(x->user, index, element_at(s, index));
        for (k = s->rank - 1; k >= 0; k--) {
            if (s->layout[k] < 0 || k == x->outer)
                continue;
            if (++index[k] < s->shape[k])
                break;
            index[k] = 0;
        }
    }
}

void
ix_storage_initialize(const ilex_storage *s, int threads,
                      void (*write)(void *user, const int64_t *index,
                                    void *element),
                      void *user)
{
    initializer x = {.s = s, .write = write, .user = user, .outer = -1};
    if (ix_storage_count(s) == 0)
        return;
    for (int k = 0; k < s->rank; k++)
        if (s->layout[k] == 0)
            x.outer = k;
    int64_t n = x.outer < 0 ? 1 : s->shape[x.outer];
    if (threads > 1 && n > 1) {
        ix_pool_run(threads, n, initialize_part, &x);
        return;
    }
    ix_fpenv before = ix_fpenv_enter();
    for (int64_t i = 0; i < n; i++)
        initialize_part(&x, i);
    ix_fpenv_leave(before);
}
