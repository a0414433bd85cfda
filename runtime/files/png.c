/* SPDX-License-Identifier: MIT
 *
 * Pictures of fields: a storage of rank 2 as a PNG file with a palette.
 *
 * Values become palette indices row by row, so a picture needs memory for one
 * row only. libpng reports errors by a jump back into encode(), which holds
 * nothing that the jump would lose.
 */

#include "lib/base/structs.h"
#include "lib/ops/dtype.h"
#include "runtime/files/file.h"
#include "runtime/files/formats.h"
#include "runtime/storage/storage.h"

#include <math.h>

enum { LARGEST = 65535 }; /* pixels along a side */

/* A picture to be drawn. Element (r, c) is at data + r * down + c * right,
 * which are in elements along the axes of "index". */
typedef struct picture {
    const ilex_storage *s;
    int64_t rows, columns; /* elements */
    int scale;
    bool transpose, flip_x, flip_y;
    double low, high;
    unsigned char rgb[IX_PNG_COLOURS][3];
} picture;

/* The element in row "r", column "c" of the picture. */
static double
value_at(const picture *p, int64_t r, int64_t c)
{
    if (p->flip_y)
        r = p->rows - 1 - r;
    if (p->flip_x)
        c = p->columns - 1 - c;
    int64_t index[2] = {p->transpose ? c : r, p->transpose ? r : c};
    return ix_storage_real(p->s, index);
}

/* The palette index of a value: 0 for NaN, else 1 to 255. */
static unsigned char
shade(const picture *p, double v)
{
    double t = 0.5;
    if (isnan(v))
        return 0;
    if (p->high != p->low)
        t = v / 2 / (p->high / 2 - p->low / 2) -
            p->low / 2 / (p->high / 2 - p->low / 2);
    if (isinf(v))
        t = (v > 0) == (p->high >= p->low) ? 1 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return (unsigned char)(1 + (int)(t * (IX_PNG_COLOURS - 2) + 0.5));
}

/* One row of palette indices, each element "scale" times. */
static void
draw_row(const picture *p, int64_t r, unsigned char *pixels)
{
    for (int64_t c = 0; c < p->columns; c++) {
        memset(pixels, shade(p, value_at(p, r, c)), (size_t)p->scale);
        pixels += p->scale;
    }
}

/* Least and greatest finite value; 0, 0 if there is none. */
static void
find_range(picture *p)
{
    p->low = INFINITY;
    p->high = -INFINITY;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t c = 0; c < p->columns; c++) {
            double v = value_at(p, r, c);
            if (isfinite(v) && v < p->low)
                p->low = v;
            if (isfinite(v) && v > p->high)
                p->high = v;
        }
    if (p->low > p->high)
        p->low = p->high = 0;
}

/* Our own copy of a spec that may be of another version of the header. */
static ilex_status
read_spec(const ilex_png_spec *spec, ilex_png_spec *p, ix_error *err)
{
    memset(p, 0, sizeof *p);
    if (!spec)
        return ILEX_OK;
    if (!ix_struct_is_known(spec, spec->size, offsetof(ilex_png_spec, low),
                            sizeof *p))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "png: the size of the spec is not set, or it uses "
                       "properties of a newer version; start it with .size = "
                       "sizeof(ilex_png_spec)");
    memcpy(p, spec, spec->size < sizeof *p ? spec->size : sizeof *p);
    if (p->scale < 0 || !isfinite(p->low) || !isfinite(p->high))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "png: scale is 1 or more, low and high are finite");
    return ILEX_OK;
}

/* Can "s" be drawn, and is the picture of a sensible size? */
static ilex_status
check_drawable(const ilex_storage *s, const picture *p, ix_error *err)
{
    if (s->rank != 2)
        return ix_fail(err, ILEX_E_RANK,
                       "png: a picture needs 2 axes, the storage has %d; take "
                       "one level with ilex_storage_index",
                       s->rank);
    if (ix_dtype_is_complex(s->dtype))
        return ix_fail(err, ILEX_E_DTYPE,
                       "png: complex numbers cannot be drawn; draw their "
                       "absolute value");
    if (p->rows < 1 || p->columns < 1 || p->rows > LARGEST / p->scale ||
        p->columns > LARGEST / p->scale)
        return ix_fail(err, ILEX_E_LIMIT,
                       "png: a picture of %lld rows and %lld columns at scale "
                       "%d is not between 1 and %d pixels a side",
                       (long long)p->rows, (long long)p->columns, p->scale,
                       LARGEST);
    return ILEX_OK;
}

/* Prepares the picture of "s". */
static ilex_status
compose(picture *p, const ilex_storage *s, const ilex_png_spec *spec,
        ix_error *err)
{
    ilex_png_spec q;
    ilex_status rc = read_spec(spec, &q, err);
    if (rc)
        return rc;
    *p = (picture){.s = s,
                   .scale = q.scale ? q.scale : 1,
                   .transpose = q.transpose != 0,
                   .flip_x = q.flip_x != 0,
                   .flip_y = q.flip_y != 0,
                   .low = q.low,
                   .high = q.high};
    p->rows = s->shape[p->transpose];
    p->columns = s->shape[!p->transpose];
    rc = check_drawable(s, p, err);
    if (!rc && q.low == q.high)
        find_range(p);
    return rc ? rc : ix_png_map(q.map, p->rgb, err);
}

#ifdef HAVE_LIBPNG

#include <png.h>

typedef struct encoder {
    ix_file_out *out;
    const ix_mem *mem;
    char reason[128];
} encoder;

/* ---- what libpng calls ---- */

static void
on_write(png_structp png, png_bytep data, png_size_t bytes)
{
    encoder *e = png_get_io_ptr(png);
    if (ix_file_put(e->out, data, bytes))
        png_error(png, "write error");
}

static void
on_flush(png_structp png)
{
    (void)png;
}

static _Noreturn void
on_error(png_structp png, png_const_charp text)
{
    encoder *e = png_get_error_ptr(png);
    strncpy(e->reason, text, sizeof e->reason - 1);
    png_longjmp(png, 1);
}

static void
on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static png_voidp
on_malloc(png_structp png, png_alloc_size_t bytes)
{
    encoder *e = png_get_mem_ptr(png);
    return ix_mem_resize(e->mem, NULL, bytes);
}

static void
on_free(png_structp png, png_voidp block)
{
    encoder *e = png_get_mem_ptr(png);
    ix_mem_free(e->mem, block);
}

/* ---- encoding ---- */

/* Writes header, palette and rows; may be left by a jump. */
static void
put_picture(png_structp png, png_infop info, const picture *p,
            unsigned char *row)
{
    png_color palette[IX_PNG_COLOURS];
    for (int i = 0; i < IX_PNG_COLOURS; i++)
        palette[i] = (png_color){p->rgb[i][0], p->rgb[i][1], p->rgb[i][2]};
    png_set_IHDR(png, info, (png_uint_32)(p->columns * p->scale),
                 (png_uint_32)(p->rows * p->scale), 8, PNG_COLOR_TYPE_PALETTE,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, palette, IX_PNG_COLOURS);
    png_write_info(png, info);
    for (int64_t r = 0; r < p->rows; r++) {
        draw_row(p, r, row);
        for (int i = 0; i < p->scale; i++)
            png_write_row(png, row);
    }
    png_write_end(png, info);
}

/* Runs put_picture; false if it was left by a jump. */
static bool
encode(png_structp png, png_infop info, const picture *p, unsigned char *row)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    put_picture(png, info, p, row);
    return true;
}

static ilex_status
write_picture(ix_file_out *out, const ix_mem *mem, const picture *p,
              ix_error *err)
{
    encoder e = {.out = out, .mem = mem};
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &e, on_error,
                                  on_warning, &e, on_malloc, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = ix_mem_new(mem, (size_t)(p->columns * p->scale));
    ilex_status rc = ILEX_OK;
    if (!png || !info || !row)
        rc = ix_fail_memory(err);
    if (!rc) {
        png_set_write_fn(png, &e, on_write, on_flush);
        if (!encode(png, info, p, row))
            rc = out->status ? out->status
                             : ix_fail(err, ILEX_E_FILE,
                                       "png: libpng failed: %s", e.reason);
    }
    png_destroy_write_struct(&png, &info);
    ix_mem_free(mem, row);
    return rc;
}

#else

static ilex_status
write_picture(ix_file_out *out, const ix_mem *mem, const picture *p,
              ix_error *err)
{
    (void)out;
    (void)mem;
    (void)p;
    (void)draw_row;
    return ix_fail(err, ILEX_E_UNSUPPORTED,
                   "png: this Ilex was built without libpng; install its "
                   "development package and build again, or write .npy");
}

#endif

ilex_status
ilex_png_write(ilex_context *ctx, const char *path, const ilex_storage *s,
               const ilex_png_spec *spec)
{
    if (!ix_storage_given(ctx, s, "png write"))
        return ILEX_E_ARGUMENT;
    ix_error *err = ix_storage_error(ctx);
    picture p;
    ix_host_copy x;
    ix_file_out out;
    ilex_status rc = ix_host_copy_open(&x, s, ILEX_READ, err);
    if (rc)
        return rc;
    rc = compose(&p, &x.view, spec, err);
    rc = rc ? rc : ix_file_begin(&out, path, err);
    if (!rc)
        rc = ix_file_end(&out,
                         write_picture(&out, ix_storage_mem(ctx), &p, err));
    return ix_host_copy_close(&x, rc, err);
}
