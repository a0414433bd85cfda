/* SPDX-License-Identifier: MIT
 *
 * Elements of the golden files: from text, to text, from and to memory.
 * All works on golden_value.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ops/eval.h"
#include "tests/golden/golden.h"

/* In the order of the enum. */
static const char *const names[] = {
    "bool",    "int8",      "int16",      "int32",   "int64",
    "uint8",   "uint16",    "uint32",     "uint64",  "float32",
    "float64", "complex64", "complex128", "float16", "bfloat16"};

static const char kinds[] = {
#define ILEX_DTYPE(name, text, numpy, kind, bytes, ctype, part) kind,
#include "ilex/dtypes.def"
};

void *
golden_resize(void *block, size_t bytes)
{
    void *p = realloc(block, bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "golden: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return p;
}

char
golden_kind(ilex_dtype dtype)
{
    return kinds[dtype];
}

bool
golden_dtype(const char *name, ilex_dtype *dtype)
{
    for (size_t i = 0; i < GOLDEN_COUNT(names); i++)
        if (!strcmp(name, names[i])) {
            *dtype = (ilex_dtype)i;
            return true;
        }
    return false;
}

const char *
golden_dtype_name(ilex_dtype dtype)
{
    return (size_t)dtype < GOLDEN_COUNT(names) ? names[dtype] : "?";
}

static bool
is_real(ilex_dtype dtype)
{
    return kinds[dtype] == 'f' || kinds[dtype] == 'c';
}

golden_value
golden_load(ilex_dtype dtype, const void *element)
{
    ix_value v = ix_value_load(dtype, element);
    return is_real(dtype) ? (golden_value){0, {v.f, v.im}}
                          : (golden_value){v.u, {0, 0}};
}

void
golden_store(ilex_dtype dtype, golden_value v, void *element)
{
    ix_value_store(dtype, element,
                   is_real(dtype) ? (ix_value){.f = v.part[0], .im = v.part[1]}
                                  : (ix_value){.u = v.bits});
}

/* A decimal integer that fits the dtype. */
static bool
parse_integer(ilex_dtype dtype, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    if (text[0] == '-' && kinds[dtype] == 'i')
        *bits = (uint64_t)strtoll(text, &end, 10);
    else
        *bits = strtoull(text, &end, 10);
    size_t digits = strspn(text + (text[0] == '-'), "0123456789");
    if (errno || !digits || text[(text[0] == '-') + digits])
        return false;
    if (kinds[dtype] == 'b')
        return *bits <= 1 && text[0] != '-';
    unsigned unused = 64 - 8 * (unsigned)ilex_dtype_bytes(dtype);
    if (kinds[dtype] == 'u')
        return text[0] != '-' && *bits << unused >> unused == *bits;
    bool negative = (int64_t)*bits < 0;
    return negative == (text[0] == '-' && strspn(text, "-0") < strlen(text)) &&
           (uint64_t)((int64_t)(*bits << unused) >> unused) == *bits;
}

/* A floating-point number that the dtype represents exactly. */
static bool
parse_real(ilex_dtype dtype, const char *text, double *value)
{
    bool single = dtype == ILEX_F32 || dtype == ILEX_C64;
    if (!strcmp(text, "nan") || !strcmp(text, "inf") || !strcmp(text, "-inf")) {
        *value = strtod(text, NULL);
        return true;
    }
    char *end;
    *value = strtod(text, &end);
    if (!strspn(text + (text[0] == '-'), "0123456789") || *end)
        return false;
    return isfinite(*value) && (!single || (double)(float)*value == *value);
}

bool
golden_parse(ilex_dtype dtype, const char *text, size_t length, void *element)
{
    char copy[160];
    golden_value v = {0, {0, 0}};
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *comma = strchr(copy, ',');
    bool good;
    if (kinds[dtype] == 'c' && comma) {
        *comma = 0;
        good = parse_real(dtype, copy, &v.part[0]) &&
               parse_real(dtype, comma + 1, &v.part[1]);
    } else if (kinds[dtype] == 'f') {
        good = parse_real(dtype, copy, &v.part[0]);
    } else {
        good = kinds[dtype] != 'c' && parse_integer(dtype, copy, &v.bits);
    }
    if (good)
        golden_store(dtype, v, element);
    return good;
}

static void
show_real(double v, char *text, size_t size)
{
    if (isnan(v))
        snprintf(text, size, "nan");
    else
        snprintf(text, size, "%a", v);
}

golden_text
golden_show(ilex_dtype dtype, const void *element)
{
    golden_text t;
    char re[40], im[40];
    golden_value v = golden_load(dtype, element);
    show_real(v.part[0], re, sizeof re);
    show_real(v.part[1], im, sizeof im);
    switch (kinds[dtype]) {
    case 'c':
        snprintf(t.s, sizeof t.s, "%s,%s", re, im);
        break;
    case 'f':
        snprintf(t.s, sizeof t.s, "%s", re);
        break;
    case 'i':
        snprintf(t.s, sizeof t.s, "%" PRId64, (int64_t)v.bits);
        break;
    default:
        snprintf(t.s, sizeof t.s, "%" PRIu64, v.bits);
    }
    return t;
}
