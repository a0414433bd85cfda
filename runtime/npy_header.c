/* SPDX-License-Identifier: MIT
 *
 * The dictionary of a .npy file, read strictly: exactly the keys descr,
 * fortran_order and shape, once each and in any order, and nothing that
 * Python would have to evaluate.
 */
#include "runtime/npy.h"

#include "lib/dtype.h"

typedef struct reader {
    const char *start, *p, *end;
    const char *path;
    ix_error *err;
    ilex_status status;
} reader;

/* Fails with "sentence" about the file. */
static bool
refuse(reader *r, ilex_status code, const char *sentence)
{
    r->status = code;
    ix_fail(r->err, code, "'%.1000s' %s", r->path, sentence);
    return false;
}

/* Fails because "expected" is not what comes next. */
static bool
fail_at(reader *r, const char *expected)
{
    char found[24] = "the end of the header";
    if (r->p < r->end) {
        unsigned char c = (unsigned char)*r->p;
        bool plain = c >= 32 && c < 127;
        strcpy(found, plain ? "' '" : "an unprintable byte");
        if (plain)
            found[1] = (char)c;
    }
    r->status = ILEX_E_FORMAT;
    ix_fail(r->err, ILEX_E_FORMAT,
            "'%.1000s' is not a .npy file Ilex reads: at byte %zu of its "
            "dictionary %s was expected, %s was found (for example "
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), })",
            r->path, (size_t)(r->p - r->start), expected, found);
    return false;
}

static void
skip_blanks(reader *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
}

/* Skips blanks and takes "c" if it is next. */
static bool
take(reader *r, char c)
{
    skip_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

/* Takes the word "word" if it is next. */
static bool
take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

/* A string in either quotes without escapes, at most "size" - 1 bytes. */
static bool
read_string(reader *r, char *out, size_t size, const char *expected)
{
    skip_blanks(r);
    char quote = r->p < r->end ? *r->p : 0;
    size_t n = 0;
    if (quote != '\'' && quote != '"')
        return fail_at(r, expected);
    r->p++;
    while (r->p < r->end && *r->p != quote && *r->p != '\\' && n + 1 < size)
        out[n++] = *r->p++;
    out[n] = 0;
    if (r->p == r->end || *r->p != quote)
        return fail_at(r, expected);
    r->p++;
    return true;
}

/* ---- the three values ---- */

static bool
big_endian(void)
{
    uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 0;
}

/* The dtype "order", kind and bytes name, where the order of single bytes
 * may be anything and that of more must be one of "<>=". */
static bool
find_dtype(const char *text, ix_npy_header *h)
{
    char canonical[64];
    strcpy(canonical, text);
    canonical[0] = '|';
    bool single = ix_dtype_find_numpy(canonical, strlen(text), &h->dtype);
    canonical[0] = '<';
    if (!*text || !strchr(single ? "|<>=" : "<>=", *text) ||
        (!single && !ix_dtype_find_numpy(canonical, strlen(text), &h->dtype)))
        return false;
    h->swapped = !single && *text != '=' && (*text == '>') != big_endian();
    return true;
}

/* A dtype as "<f8": byte order, kind, bytes. */
static bool
read_descr(reader *r, ix_npy_header *h)
{
    char text[64];
    if (take(r, '['))
        return refuse(r, ILEX_E_UNSUPPORTED,
                      "holds records (a structured dtype); Ilex reads arrays "
                      "of numbers: save each field on its own");
    if (!read_string(r, text, sizeof text, "a dtype as a string"))
        return false;
    if (find_dtype(text, h))
        return true;
    r->status = ILEX_E_UNSUPPORTED;
    ix_fail(r->err, ILEX_E_UNSUPPORTED,
            "'%.1000s' has dtype '%s'; Ilex reads b1, i1 to i8, u1 to u8, f4, "
            "f8, c8 and c16 with byte order <, > or = (for example '<f8'): "
            "convert it with a.astype('<f8') before saving",
            r->path, text);
    return false;
}

static bool
read_fortran(reader *r, ix_npy_header *h)
{
    if (take_word(r, "True"))
        h->fortran = true;
    else if (take_word(r, "False"))
        h->fortran = false;
    else
        return fail_at(r, "True or False");
    return true;
}

static bool
read_length(reader *r, int64_t *length)
{
    const char *first;
    skip_blanks(r);
    first = r->p;
    *length = 0;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (!ix_mul(*length, 10, length) ||
            !ix_add(*length, *r->p - '0', length))
            return refuse(r, ILEX_E_OVERFLOW,
                          "has a shape with a length beyond 64 bits");
    return r->p > first || fail_at(r, "a length");
}

/* A tuple of lengths: "()", "(3,)", "(3, 4)", "(3, 4,)". */
static bool
read_shape(reader *r, ix_npy_header *h)
{
    bool comma = true;
    h->rank = 0;
    if (!take(r, '('))
        return fail_at(r, "'(' of the shape");
    while (!take(r, ')')) {
        if (!comma)
            return fail_at(r, "',' or ')' in the shape");
        if (h->rank == ILEX_MAX_RANK)
            return refuse(r, ILEX_E_LIMIT, "has more than 16 axes");
        if (!read_length(r, &h->shape[h->rank++]))
            return false;
        comma = take(r, ',');
    }
    return h->rank != 1 || comma || fail_at(r, "',' after the only length");
}

/* ---- the dictionary ---- */

static const struct {
    const char *key;
    bool (*read)(reader *r, ix_npy_header *h);
} keys[] = {
    {"descr", read_descr},
    {"fortran_order", read_fortran},
    {"shape", read_shape},
};

/* One "key: value"; "*seen" has a bit for each key met. */
static bool
read_entry(reader *r, ix_npy_header *h, unsigned *seen)
{
    char key[32];
    const char *expected = "one of the keys 'descr', 'fortran_order', 'shape', "
                           "each once";
    const char *at = (skip_blanks(r), r->p);
    if (!read_string(r, key, sizeof key, expected))
        return false;
    for (unsigned i = 0; i < IX_COUNT(keys); i++) {
        if (strcmp(key, keys[i].key) != 0 || (*seen >> i & 1))
            continue;
        *seen |= 1u << i;
        return (take(r, ':') || fail_at(r, "':'")) && keys[i].read(r, h);
    }
    r->p = at;
    return fail_at(r, expected);
}

ilex_status
ix_npy_parse(const char *text, size_t length, const char *path,
             ix_npy_header *h, ix_error *err)
{
    reader r = {text, text, text + length, path, err, ILEX_OK};
    unsigned seen = 0;
    bool ok = take(&r, '{') || fail_at(&r, "'{'"), comma = true;
    memset(h, 0, sizeof *h);
    while (ok && !take(&r, '}')) {
        if (!comma)
            ok = fail_at(&r, "',' or '}'");
        ok = ok && read_entry(&r, h, &seen);
        comma = ok && take(&r, ',');
    }
    if (ok && seen != (1u << IX_COUNT(keys)) - 1)
        ok = fail_at(&r, "'descr', 'fortran_order' and 'shape' before this");
    skip_blanks(&r);
    if (ok && r.p < r.end && *r.p == '\n')
        r.p++;
    if (ok && r.p != r.end)
        ok = fail_at(&r, "the end of the header");
    return r.status;
}

void
ix_npy_print(ix_text *t, const ix_npy_header *h)
{
    enum { BEFORE = 10, UNIT = 64 };
    const char *typestr = ix_dtype_numpy(h->dtype);
    size_t start = t->length;
    ix_text_put_n(t, "\x93NUMPY\1\0\0\0", BEFORE);
    ix_text_put(t, "{'descr': '");
    ix_text_char(t, typestr[0] == '<' && big_endian() ? '>' : typestr[0]);
    ix_text_format(t, "%s', 'fortran_order': %s, 'shape': (", typestr + 1,
                   h->fortran ? "True" : "False");
    for (int k = 0; k < h->rank; k++) {
        ix_text_put(t, k ? ", " : "");
        ix_text_int(t, h->shape[k]);
    }
    ix_text_put(t, h->rank == 1 ? ",), }" : "), }");
    while ((t->length - start + 1) % UNIT != 0 && !t->failed)
        ix_text_char(t, ' ');
    ix_text_char(t, '\n');
    if (t->failed)
        return;
    size_t length = t->length - start - BEFORE;
    t->data[start + 8] = (char)(length & 0xff);
    t->data[start + 9] = (char)(length >> 8);
}
