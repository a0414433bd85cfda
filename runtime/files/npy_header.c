/* SPDX-License-Identifier: MIT
 *
 * The dictionary of a .npy file, read strictly: exactly the keys descr,
 * fortran_order and shape, once each and in any order, and nothing that
 * Python would have to evaluate.
 */
#include "runtime/files/formats.h"

#include "runtime/files/literal.h"

/* A dtype as "<f8": byte order, kind, bytes; without an order, that of this
 * machine. */
static bool
read_descr(ix_literal *r, void *into)
{
    char native[64] = "=", *text = native + 1;
    ix_npy_header *h = into;
    if (ix_literal_take(r, '['))
        return ix_literal_refuse(
            r, ILEX_E_UNSUPPORTED,
            "holds records (a structured dtype); Ilex reads arrays of numbers: "
            "save each field on its own");
    if (!ix_literal_string(r, text, sizeof native - 1, "a dtype as a string"))
        return false;
    const char *descr = *text >= 'a' && *text <= 'z' ? native : text;
    if (ix_typestr_read(descr, &h->dtype, &h->swapped))
        return true;
    r->status = ILEX_E_UNSUPPORTED;
    return ix_fail_false(
        r->err, ILEX_E_UNSUPPORTED,
        "'%.1000s' has dtype '%s'; Ilex reads b1, i1 to i8, u1 to u8, f2 to "
        "f8, c8 and c16, which byte order <, > or = may precede (for example "
        "'<f8'): convert it with a.astype('<f8') before saving",
        r->name, text);
}

static bool
read_fortran(ix_literal *r, void *into)
{
    ix_npy_header *h = into;
    int fortran = 0;
    bool ok = ix_literal_bool(r, &fortran);
    h->fortran = fortran;
    return ok;
}

static bool
read_shape(ix_literal *r, void *into)
{
    ix_npy_header *h = into;
    return ix_literal_tuple(r, h->shape, &h->rank, 0, "shape");
}

static const ix_literal_key keys[] = {
    {"descr", read_descr, true},
    {"fortran_order", read_fortran, true},
    {"shape", read_shape, true},
};

ilex_status
ix_npy_parse(const char *text, size_t length, const char *path,
             ix_npy_header *h, ix_error *err)
{
    ix_literal r = {
        .start = text,
        .p = text,
        .end = text + length,
        .name = path,
        .form = "a .npy file Ilex reads",
        .example = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), "
                   "}",
        .err = err,
    };
    memset(h, 0, sizeof *h);
    ix_literal_dictionary(&r, keys, IX_COUNT(keys), false,
                          "each of the keys 'descr', 'fortran_order', 'shape' "
                          "once",
                          h);
    return r.status;
}

void
ix_npy_print(ix_text *t, const ix_npy_header *h)
{
    enum { BEFORE = 10, UNIT = 64 };
    char typestr[8];
    size_t start = t->length;
    ix_text_put_n(t, "\x93NUMPY\1\0\0\0", BEFORE);
    ilex_typestr_write(h->dtype, typestr);
    ix_text_format(t, "{'descr': '%s', 'fortran_order': %s, 'shape': (",
                   typestr, h->fortran ? "True" : "False");
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
