/* SPDX-License-Identifier: MIT
 *
 * NumPy's .npy files: a storage from a file, a file from a storage.
 *
 * Nothing is allocated before the length of the file has been compared with
 * the shape in its header. A storage that lies densely in C or Fortran order
 * is written as it lies, any other one gathered in C order, block by block.
 */
#include "runtime/files/formats.h"

#include <unistd.h>

#include "lib/ops/dtype.h"
#include "runtime/files/file.h"
#include "runtime/storage/storage.h"

enum { BLOCK = 65536 }; /* bytes gathered at a time */

/* ---- reading ---- */

/* Magic, version, length of the dictionary. */
static ilex_status
read_preamble(ix_npy_source *in, size_t *length)
{
    unsigned char b[12];
    size_t fixed = 10;
    if (in->bytes < 10)
        return ix_fail(in->err, ILEX_E_FORMAT,
                       "'%.1000s' is not a .npy file: it has only %lld bytes",
                       in->path, (long long)in->bytes);
    ilex_status rc = ix_file_get(in->fd, in->path, b, fixed, in->err);
    if (rc)
        return rc;
    if (memcmp(b, "\x93NUMPY", 6) != 0)
        return ix_fail(in->err, ILEX_E_FORMAT,
                       "'%.1000s' is not a .npy file: it does not begin with "
                       "the six bytes \\x93NUMPY",
                       in->path);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return ix_fail(in->err, ILEX_E_UNSUPPORTED,
                       "'%.1000s' is a .npy file of version %d.%d; Ilex reads "
                       "1.0, 2.0 and 3.0",
                       in->path, b[6], b[7]);
    *length = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        rc = ix_file_get(in->fd, in->path, b + 10, 2, in->err);
        fixed = 12;
        *length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    in->header = (int64_t)(fixed + *length);
    return rc;
}

/* The dictionary, checked against the limits and the file. */
static ilex_status
read_header(ix_npy_source *in, const ix_mem *mem, ix_npy_header *h)
{
    size_t length = 0;
    ilex_status rc = read_preamble(in, &length);
    if (rc)
        return rc;
    if (length > IX_NPY_MOST || in->header > in->bytes)
        return ix_fail(in->err,
                       length > IX_NPY_MOST ? ILEX_E_LIMIT : ILEX_E_FORMAT,
                       "'%.1000s' announces a header of %zu bytes; Ilex reads "
                       "up to %d, and the file has %lld",
                       in->path, length, IX_NPY_MOST, (long long)in->bytes);
    char *text = ix_mem_new(mem, length);
    if (!text)
        return ix_fail_memory(in->err);
    rc = ix_file_get(in->fd, in->path, text, length, in->err);
    if (!rc)
        rc = ix_npy_parse(text, length, in->path, h, in->err);
    ix_mem_free(mem, text);
    return rc;
}

/* The file must hold exactly the elements of the shape. */
static ilex_status
check_length(const ix_npy_source *in, const ix_npy_header *h)
{
    int64_t want = (int64_t)ilex_dtype_bytes(h->dtype);
    int64_t have = in->bytes - in->header;
    bool empty = false, fits = true;
    for (int k = 0; k < h->rank; k++) {
        empty |= h->shape[k] == 0;
        fits = fits && (h->shape[k] == 0 || ix_mul(want, h->shape[k], &want));
    }
    if (!fits)
        return ix_fail(in->err, ILEX_E_OVERFLOW,
                       "'%.1000s': the size of its array does not fit 64 bits",
                       in->path);
    want = empty ? 0 : want;
    if (want != have)
        return ix_fail(in->err, ILEX_E_FORMAT,
                       "'%.1000s' has %lld bytes after its header; its shape "
                       "needs %lld, so it is %s",
                       in->path, (long long)have, (long long)want,
                       have < want ? "truncated"
                                   : "not a single array (or damaged)");
    return ILEX_OK;
}

ilex_status
ix_npy_open(ix_npy_source *in, const ix_mem *mem, ix_npy_header *h)
{
    in->fd = ix_file_open(in->path, &in->bytes, in->err);
    if (in->fd < 0)
        return in->err ? in->err->code : ILEX_E_FILE;
    ilex_status rc = read_header(in, mem, h);
    rc = rc ? rc : check_length(in, h);
    if (rc)
        close(in->fd);
    return rc;
}

void
ix_npy_swap(const ix_npy_header *h, char *p, int64_t n)
{
    size_t bytes = ilex_dtype_bytes(ix_dtype_part(h->dtype));
    n *= (int64_t)(ilex_dtype_bytes(h->dtype) / bytes);
    if (!h->swapped)
        return;
    for (int64_t i = 0; i < n; i++, p += bytes)
        for (size_t a = 0, b = bytes - 1; a < b; a++, b--) {
            char c = p[a];
            p[a] = p[b];
            p[b] = c;
        }
}

/* The storage for the elements, read. */
static ilex_storage *
read_elements(const ix_npy_source *in, const ix_mem *mem,
              const ix_npy_header *h)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(h->dtype),
                              .rank = h->rank,
                              .shape = h->shape,
                              .layout = h->fortran ? "F" : "C"};
    ilex_storage *s = ix_storage_new(mem, &spec, in->err);
    if (!s)
        return NULL;
    size_t bytes = (size_t)(in->bytes - in->header);
    if (ix_file_get(in->fd, in->path, s->data, bytes, in->err)) {
        ilex_storage_release(s);
        return NULL;
    }
    ix_npy_swap(h, s->data, ix_storage_count(s));
    return s;
}

ilex_storage *
ilex_npy_read(ilex_context *ctx, const char *path)
{
    const ix_mem *mem = ix_storage_mem(ctx);
    ix_npy_source in = {.path = path, .err = ix_storage_error(ctx)};
    ix_npy_header h;
    if (ix_npy_open(&in, mem, &h))
        return NULL;
    ilex_storage *s = read_elements(&in, mem, &h);
    close(in.fd);
    return s;
}

/* ---- writing ---- */

/* Elements on their way from a view to a file, in C order. */
typedef struct gatherer {
    ix_file_out *out;
    const ilex_storage *s;
    int64_t room, used; /* elements in the block */
    char *block;
} gatherer;

static void
flush(gatherer *g)
{
    ix_file_put(g->out, g->block,
                (size_t)g->used * ilex_dtype_bytes(g->s->dtype));
    g->used = 0;
}

/* Appends "n" elements "stride" elements apart. */
static void
gather_row(gatherer *g, char *data, int64_t n, int64_t stride)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(g->s->dtype);
    for (int64_t i = 0, part; i < n && !g->out->status; i += part) {
        part = n - i < g->room - g->used ? n - i : g->room - g->used;
        ilex_storage from = {.dtype = g->s->dtype,
                             .rank = 1,
                             .shape = {part},
                             .stride = {stride},
                             .data = data + i * stride * bytes};
        ilex_storage to = from;
        to.stride[0] = 1;
        to.data = g->block + g->used * bytes;
        ix_storage_move(&to, &from);
        g->used += part;
        if (g->used == g->room)
            flush(g);
    }
}

/* Appends the elements behind axis "k" from "data" on. The depth of the
 * recursion is the rank; a rank of 0 is contiguous and never comes here. */
static void
gather(gatherer *g, int k, char *data)
{
    const ilex_storage *s = g->s;
    int64_t step = s->stride[k] * (int64_t)ilex_dtype_bytes(s->dtype);
    if (k == s->rank - 1) {
        gather_row(g, data, s->shape[k], s->stride[k]);
        return;
    }
    for (int64_t i = 0; i < s->shape[k] && !g->out->status; i++)
        gather(g, k + 1, data + i * step);
}

/* Writes the elements as they lie if "dense", else gathered. */
static ilex_status
write_elements(ix_file_out *out, const ix_mem *mem, const ilex_storage *s,
               bool dense)
{
    int64_t bytes = ix_storage_count(s) * (int64_t)ilex_dtype_bytes(s->dtype);
    if (bytes == 0)
        return ILEX_OK;
    if (dense)
        return ix_file_put(out, s->data, (size_t)bytes);
    gatherer g = {.out = out,
                  .s = s,
                  .room = BLOCK / (int64_t)ilex_dtype_bytes(s->dtype),
                  .block = ix_mem_new(mem, BLOCK)};
    if (!g.block)
        return ix_fail_memory(out->err);
    gather(&g, 0, s->data);
    flush(&g);
    ix_mem_free(mem, g.block);
    return out->status;
}

/* Fills in the header of "s"; true if the elements lie in its order. */
static bool
describe(const ilex_storage *s, ix_npy_header *h)
{
    int reversed[ILEX_MAX_RANK];
    for (int k = 0; k < s->rank; k++)
        reversed[k] = s->rank - 1 - k;
    bool c = ix_storage_dense(s, NULL);
    *h = (ix_npy_header){.dtype = s->dtype, .rank = s->rank};
    h->fortran = !c && ix_storage_dense(s, reversed);
    memcpy(h->shape, s->shape, (size_t)s->rank * sizeof *s->shape);
    return c || h->fortran;
}

ilex_status
ilex_npy_write(ilex_context *ctx, const char *path, const ilex_storage *s)
{
    if (!ix_storage_given(ctx, s, "npy write"))
        return ILEX_E_ARGUMENT;
    const ix_mem *mem = ix_storage_mem(ctx);
    ix_error *err = ix_storage_error(ctx);
    ix_npy_header h;
    ix_text t;
    if (!ix_typestr_known(s->dtype, "npy write", err))
        return ILEX_E_UNSUPPORTED;
    bool dense = describe(s, &h);
    ix_text_init(&t, mem);
    ix_npy_print(&t, &h);
    ilex_status rc = t.failed ? ix_fail_memory(err) : ILEX_OK;
    ix_host_copy x;
    ix_file_out out;
    rc = rc ? rc : ix_host_copy_open(&x, s, ILEX_READ, err);
    if (!rc) {
        rc = ix_file_begin(&out, path, err);
        if (!rc) {
            ix_file_put(&out, t.data, t.length);
            rc = ix_file_end(&out, write_elements(&out, mem, &x.view, dense));
        }
        ix_host_copy_close(&x, rc, err);
    }
    ix_text_free(&t);
    return rc;
}
