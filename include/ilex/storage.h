/* SPDX-License-Identifier: MIT
 *
 * Storages: counted buffers with axes, strides, halos, layout and alignment.
 *
 * A storage is a view (dtype, axes, shape, strides, halo, ...) of a memory
 * object, which all views of it share and which is freed with the last one.
 * What a view describes never changes after it was made; other views are made
 * from it. So every function here is "any thread", except that a context
 * belongs to one thread; contents are as safe as any C array.
 *
 * Indices count elements of the view from 0, halo included: index 0 is the
 * first point of the lower halo. (Programs count otherwise: for them the first
 * point inside the halo is the origin.) Strides, shapes and halos are in
 * elements; what is in bytes says so.
 *
 * Functions that return a storage give the caller one count of it, unless they
 * say otherwise, to be given back by ilex_storage_release(), or NULL on error.
 * The first error is recorded in "ctx", which may be NULL: then the C allocator
 * is used and the error text is lost. A storage outlives the context it was
 * made with.
 */
#ifndef ILEX_STORAGE_H
#define ILEX_STORAGE_H

#include "ilex/base.h"
#include "ilex/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ILEX_STORAGE_READONLY = 1, /* writing through this storage is an error */
    ILEX_STORAGE_COPY = 2,     /* copy `data` instead of wrapping it */
    ILEX_STORAGE_CONST = 4,    /* memory that is written when it is made (values
                                  must be given), copied to the device at once,
                                  and never again */
    ILEX_STORAGE_UNKNOWN_KIND = 8 /* ilex_storage_kind() is 0 */
};

struct ilex_grid; /* group.h */

/* What a storage is made from. Zero means "not given": the value then comes
 * from `preset`, then from `like` or the given buffers, then from the fallback
 * in parentheses; ilex_storage_source() tells which. A partly filled spec can
 * be kept, copied and reused. Set `size` to sizeof(ilex_storage_spec). */
typedef struct ilex_storage_spec {
    size_t size;

    /* "f64", "c64", ...; ilex_dtype_name(ILEX_F64) for one at hand (f64) */
    const char *dtype;

    /* lengths, halo included. A scalar has rank 0 and any non-NULL `shape` */
    int rank;
    const int64_t *shape;

    /* names of the axes in index order: "IJK", or with commas
     * "I, J, Vertex"; of rank 1 also "Vertex" (unnamed). With rank 3 and fewer
     * axes, all of I, J, K, the arrays of this spec have entries for I, J and
     * K, of which those of absent axes are ignored */
    const char *axes;

    /* widths of the halo: low, high of axis 0, low, high of axis 1, ... (0) */
    const int64_t *halo;

    /* "C" (last axis has stride 1), "F" (first axis), or the axes from the
     * largest stride to the smallest: "KJI", "Vertex, K", for unnamed axes
     * their numbers "2, 0, 1". Names that the storage lacks are skipped, so
     * that one layout serves storages of fewer axes ("C") */
    const char *layout;

    /* instead of `layout`: per axis its place, 0 for the largest stride. -1
     * masks the axis: it keeps its length, its stride is 0 */
    const int *layout_map;

    /* bytes, at most 2^30: the element at `aligned_index`, and every one
     * that shares its index on the axis of stride 1, lies at a multiple (the
     * dtype's own) */
    size_t alignment;
    const int64_t *aligned_index; /* (low halo widths) */

    /* "C", "F", "cpu_kfirst", "cpu_ifirst", "gpu", "gtx86", "gtcuda", others
     * of storages.md, or one of ilex_preset_register() (none). It gives
     * layout, alignment, memory space, device and management */
    const char *preset;
    const char *name; /* label for messages; copied */

    /* a storage whose dtype, shape, axes, halo, layout and alignment are
     * taken; shape and axes cannot be given then */
    const ilex_storage *like;

    /* first value of every element, halo included; it must be exact in an
     * integer dtype and finite in f32 if it was (uninitialised) */
    const double *fill;

    /* or a function that writes the element of an index */
    void (*initialize)(void *user, const int64_t *index, void *element);
    void *initialize_user;

    /* a buffer to use: address of element (0, ..., 0); strides in elements
     * of any sign, NULL when the buffer is dense in the layout (for a copy:
     * dense in C order). `release` is called exactly once: with the last view
     * of the storage, or before the constructor returns NULL, or after the
     * copy */
    void *data;
    const int64_t *strides;
    void (*release)(void *user, void *data);
    void *release_user;

    unsigned flags; /* ILEX_STORAGE_... */

    /* per axis 0 to mask it as in `layout_map`; the others keep the order that
     * preset, `like` or C order gives */
    const unsigned char *selector;

    /* entries in `layout_map`, in `selector` and pairs in `halo`; if given,
     * they must be as many as axes */
    int layout_count, selector_count, halo_count;

    /* "cpu", "gpu" (the first one) or "cuda:N" ("cpu") */
    const char *device;

    /* with a device: "none" (a buffer on the device only), "software" (one on
     * each side, Ilex copies; also "gt4py") or "unified" (one that the driver
     * moves; also "cuda") ("software") */
    const char *managed;

    /* "normal", "hugepage" or "pinned": of the host buffer; "unified",
     * "device" ("normal") */
    const char *space;

    /* a buffer on the device, laid out as `data`; either may be given, or
     * both. `device_release` is called as `release` */
    void *device_data;
    void (*device_release)(void *user, void *data);
    void *device_release_user;

    /* which of two given buffers is newer; must be said if both are given and
     * managed by software (the side that is given) */
    ilex_sync sync;

    /* a storage whose buffers `data` and `device_data` are part of: its memory
     * and sync state are shared. The buffers must then have no `release` */
    ilex_storage *sync_with;

    /* per axis 1 if its length is known when programs are compiled (0): then
     * those of ilex_eval are made for this length */
    const unsigned char *fixed;

    /* > 0: names a set of lengths; storages of one id must agree in them
     * (none) */
    int id;

    /* per axis the index that programs have for the first point inside the
     * halo: a field on I:1:n has origin 1 (0) */
    const int64_t *origin;

    /* lies on this grid (group.h), which is counted: `shape` and `origin` are
     * those of the whole, the storage is this rank's part, with this halo;
     * `data` is the part (none; that of `like`) */
    struct ilex_grid *grid;
} ilex_storage_spec;
#define ILEX_STORAGE_SPEC(...) ILEX_STRUCT(ilex_storage_spec, __VA_ARGS__)

/* A storage by `spec`. Errors: ILEX_E_ARGUMENT, _DTYPE, _SHAPE, _RANK, _AXIS,
 * _NAME, _DUPLICATE, _UNKNOWN, _HALO, _ALIGNMENT, _OVERFLOW, _LITERAL,
 * _MEMORY, _DEVICE, _LIMIT. */
ILEX_API ilex_storage *ilex_storage_new(ilex_context *ctx,
                                        const ilex_storage_spec *spec);

/* Unnamed axes, no halo, C order: all 0, all 1, all "value". */
ILEX_API ilex_storage *ilex_storage_zeros(ilex_context *ctx, ilex_dtype dtype,
                                          int rank, const int64_t *shape);
ILEX_API ilex_storage *ilex_storage_ones(ilex_context *ctx, ilex_dtype dtype,
                                         int rank, const int64_t *shape);
ILEX_API ilex_storage *ilex_storage_full(ilex_context *ctx, ilex_dtype dtype,
                                         int rank, const int64_t *shape,
                                         double value);

/* Uninitialised. */
ILEX_API ilex_storage *ilex_storage_empty(ilex_context *ctx, ilex_dtype dtype,
                                          int rank, const int64_t *shape);

/* A storage like "data" in all but values: dtype, shape, axes, halo, layout,
 * alignment, device, management. For another dtype use `like` of the spec. */
ILEX_API ilex_storage *ilex_storage_empty_like(ilex_context *ctx,
                                               const ilex_storage *data);
ILEX_API ilex_storage *ilex_storage_zeros_like(ilex_context *ctx,
                                               const ilex_storage *data);
ILEX_API ilex_storage *ilex_storage_ones_like(ilex_context *ctx,
                                              const ilex_storage *data);
ILEX_API ilex_storage *ilex_storage_full_like(ilex_context *ctx,
                                              const ilex_storage *data,
                                              double value);

/* A copy of the dense C-ordered array at "data". */
ILEX_API ilex_storage *ilex_storage_from(ilex_context *ctx, ilex_dtype dtype,
                                         int rank, const int64_t *shape,
                                         const void *data);

/* A storage over the array at "data", not copied; "strides" NULL means dense
 * C order. "release" (may be NULL) is called exactly once, also on error. */
ILEX_API ilex_storage *
ilex_storage_wrap(ilex_context *ctx, ilex_dtype dtype, int rank,
                  const int64_t *shape, const int64_t *strides, void *data,
                  void (*release)(void *user, void *data), void *user);

/* Takes a count (returns its argument), gives one back. NULL is ignored. */
ILEX_API ilex_storage *ilex_storage_retain(ilex_storage *s);
ILEX_API void ilex_storage_release(ilex_storage *s);

/* ---- storages on the way ----
 *
 * Between begin and end storages may be left to the context:
 *
 *     size_t scope = ilex_storage_scope_begin(ctx);
 *     ilex_storage *d = ilex_storage_temporary(ctx,
 *         ilex_storage_subtract(ctx, u, v));
 *     ilex_storage *e = ilex_storage_multiply(ctx, d, d);
 *     ilex_storage_scope_end(ctx, scope);
 *
 * ilex_storage_temporary takes over the caller's count until the end of the
 * scope that was begun last (of the context, without one) and returns its
 * argument; NULL passes through. Scopes nest; begin returns a number for end,
 * which gives back everything since then, newest first. When there is no
 * memory the storage is given back at once, and the result is NULL with
 * ILEX_E_MEMORY. "ctx" must not be NULL here. Context thread. */
ILEX_API size_t ilex_storage_scope_begin(ilex_context *ctx);
ILEX_API ilex_storage *ilex_storage_temporary(ilex_context *ctx,
                                              ilex_storage *s);
ILEX_API void ilex_storage_scope_end(ilex_context *ctx, size_t scope);

/* ---- queries; arrays have one entry per axis and live as long as "s" ---- */

/* Its dtype, number of axes, lengths, and strides in elements. */
ILEX_API ilex_dtype ilex_storage_dtype(const ilex_storage *s);
ILEX_API int ilex_storage_rank(const ilex_storage *s);
ILEX_API const int64_t *ilex_storage_shape(const ilex_storage *s);
ILEX_API const int64_t *ilex_storage_stride(const ilex_storage *s);

/* Two entries per axis: low, high. */
ILEX_API const int64_t *ilex_storage_halo(const ilex_storage *s);

/* Per axis the index of the first point inside the halo in programs. */
ILEX_API const int64_t *ilex_storage_origin(const ilex_storage *s);

/* "" for an unnamed axis and for an axis that does not exist. */
ILEX_API const char *ilex_storage_axis_name(const ilex_storage *s, int axis);

/* Number of the axis "name", -1 if there is none. Here and wherever an axis of
 * a storage is named, I is I+1/2 if the storage has no axis I. */
ILEX_API int ilex_storage_axis(const ilex_storage *s, const char *name);

/* Bytes promised at the aligned index; 0 when nothing beyond the dtype's own
 * alignment is promised, or when a view has cut the aligned index off. */
ILEX_API size_t ilex_storage_alignment(const ilex_storage *s);
ILEX_API const int64_t *ilex_storage_aligned_index(const ilex_storage *s);

/* Place of the axis in memory: 0 for the largest stride, -1 for a masked axis
 * and for an axis that does not exist. */
ILEX_API int ilex_storage_layout(const ilex_storage *s, int axis);

/* The words that the layout was made from, which also place axes that the
 * storage lacks: "KJI", "C"; "" for maps and strides. They live as long as "s".
 */
ILEX_API const char *ilex_storage_layout_order(const ilex_storage *s);

/* Number of elements; bytes of them without padding; bytes allocated or
 * wrapped, shared by all views; elements from the first to the last in memory,
 * both included. */
ILEX_API int64_t ilex_storage_count(const ilex_storage *s);
ILEX_API int64_t ilex_storage_bytes(const ilex_storage *s);
ILEX_API size_t ilex_storage_allocated_bytes(const ilex_storage *s);
ILEX_API int64_t ilex_storage_span(const ilex_storage *s);

/* Where a property came from when the storage was made: "given", "preset",
 * "like", "data" or "default". "property" is a member of the spec: "dtype",
 * "shape", "axes", "halo", "origin", "layout", "alignment", "aligned_index",
 * "space", "device" or "managed"; NULL for another word. It lives as long as
 * the library is loaded. */
ILEX_API const char *ilex_storage_source(const ilex_storage *s,
                                         const char *property);

/* Storages of one kind have the same strides (and masked axes): whoever goes
 * through several by hand computes offsets once for all of them. Programs do
 * not use it. 0: unknown (the first 65536 sets of strides of a process are
 * numbered). */
ILEX_API uint64_t ilex_storage_kind(const ilex_storage *s);

/* 1 if the length of the axis is fixed (see the spec). */
ILEX_API int ilex_storage_fixed(const ilex_storage *s, int axis);

/* Offset of an element from element (0, ..., 0), in elements. ILEX_E_BOUNDS
 * when the index is outside. */
ILEX_API ilex_status ilex_storage_offset(const ilex_storage *s,
                                         const int64_t *index, int64_t *offset);

/* Index range [lo, hi) of an axis, without its halo, that programs see: lo is
 * the origin. "lo" and "hi" may be NULL. */
ILEX_API ilex_status ilex_storage_domain(const ilex_storage *s, int axis,
                                         int64_t *lo, int64_t *hi);

/* 1 if the elements lie densely in C order. */
ILEX_API int ilex_storage_contiguous(const ilex_storage *s);

/* 1 unless it is read-only. */
ILEX_API int ilex_storage_writable(const ilex_storage *s);

/* Its label, "" if it has none; lives as long as "s". */
ILEX_API const char *ilex_storage_name(const ilex_storage *s);

/* Host address of element (0, ..., 0), for writing and for reading, as
 * ilex_storage_host() gives it; the first is NULL for a read-only storage. */
ILEX_API void *ilex_storage_data(ilex_storage *s);
ILEX_API const void *ilex_storage_const_data(const ilex_storage *s);

/* ---- elements ---- */

/* Address of an element, NULL when the index is outside. */
ILEX_API const void *ilex_storage_at(const ilex_storage *s,
                                     const int64_t *index);

/* Reads one element. ILEX_E_BOUNDS outside; ILEX_E_DTYPE when the dtype does
 * not fit the function (f64: every real one; i64: bool and integers; c128:
 * all); ILEX_E_LITERAL when a u64 exceeds int64_t. */
ILEX_API ilex_status ilex_storage_get_f64(const ilex_storage *s,
                                          const int64_t *index, double *value);
ILEX_API ilex_status ilex_storage_get_i64(const ilex_storage *s,
                                          const int64_t *index, int64_t *value);
ILEX_API ilex_status ilex_storage_get_c128(const ilex_storage *s,
                                           const int64_t *index,
                                           double value[2]);

/* Writes one element. ILEX_E_LITERAL when the value does not fit: a fraction,
 * NaN or too large a value for an integer, a finite value beyond f32, an
 * imaginary part for a real dtype; ILEX_E_READONLY; ILEX_E_BOUNDS. */
ILEX_API ilex_status ilex_storage_set_f64(ilex_storage *s, const int64_t *index,
                                          double value);
ILEX_API ilex_status ilex_storage_set_i64(ilex_storage *s, const int64_t *index,
                                          int64_t value);
ILEX_API ilex_status ilex_storage_set_c128(ilex_storage *s,
                                           const int64_t *index,
                                           const double value[2]);

/* Writes every element of the view, halo included: a number, or the bytes of
 * one element of the dtype. */
ILEX_API ilex_status ilex_storage_fill(ilex_context *ctx, ilex_storage *s,
                                       double value);
ILEX_API ilex_status ilex_storage_fill_raw(ilex_context *ctx, ilex_storage *s,
                                           const void *element);

/* to[...] = from[...]. Axes are matched by name when both have names, else
 * from the last one backwards; along an axis that "from" lacks, or that has
 * length 1 in it, its values repeat; "to" never grows. The dtype is converted
 * if none of its kind is lost: bool to all, unsigned to signed, integer to
 * real, real to complex, and between sizes of one kind, where integers wrap;
 * else ILEX_E_DTYPE. The two may overlap. ILEX_E_OVERLAP where "from" varies
 * along an axis on which "to" has stride 0. */
ILEX_API ilex_status ilex_storage_assign(ilex_context *ctx, ilex_storage *to,
                                         const ilex_storage *from);

/* A writable storage of its own memory with the same contents, halo, layout
 * and alignment. */
ILEX_API ilex_storage *ilex_storage_copy(ilex_context *ctx,
                                         const ilex_storage *s);

/* The storage itself, with one count more, if its elements lie densely in C
 * order, else such a copy. "*copied" (may be NULL) says which. */
ILEX_API ilex_storage *
ilex_storage_ensure_contiguous(ilex_context *ctx, ilex_storage *s, int *copied);

/* ---- elements chosen by other storages: copies, never views ----
 *
 * "keys" has an entry per axis of "s": a storage of integers that says which
 * elements to take along it (negative ones count from the end), or NULL for
 * all. The keys are broadcast together, by name if all of them have names, and
 * their common shape takes the place of the axes they choose from, or the
 * first place if those are not neighbours. A mask is a storage of bool whose
 * axes, matched by name, or by position without names, are those of "s".
 * Results have unnamed axes and C order. ILEX_E_BOUNDS, _DTYPE, _SHAPE. */
ILEX_API ilex_storage *ilex_storage_take(ilex_context *ctx,
                                         const ilex_storage *s,
                                         const ilex_storage *const *keys);
ILEX_API ilex_storage *ilex_storage_take_mask(ilex_context *ctx,
                                              const ilex_storage *s,
                                              const ilex_storage *mask);

/* s[keys] = value: "value" is broadcast by position to the shape that taking
 * would give, converted as by ilex_storage_assign(). Where keys repeat, the
 * last one wins. Nothing is written on error. */
ILEX_API ilex_status ilex_storage_put(ilex_context *ctx, ilex_storage *s,
                                      const ilex_storage *const *keys,
                                      const ilex_storage *value);
ILEX_API ilex_status ilex_storage_put_mask(ilex_context *ctx, ilex_storage *s,
                                           const ilex_storage *mask,
                                           const ilex_storage *value);

/* ---- views: no element is copied, the memory is shared ---- */

/* Elements start, start + step, ... before "stop" of one axis. step > 0 needs
 * 0 <= start <= stop <= length; step < 0 needs -1 <= stop <= start < length
 * (all of it reversed: length - 1, -1, -1). The halo shrinks by what was cut
 * off; it is 0 where the step is not 1. The origin is 0, as in NumPy. */
ILEX_API ilex_storage *ilex_storage_slice(ilex_context *ctx, ilex_storage *s,
                                          int axis, int64_t start, int64_t stop,
                                          int64_t step);

/* The elements with one index of an axis; the axis is dropped. */
ILEX_API ilex_storage *ilex_storage_index(ilex_context *ctx, ilex_storage *s,
                                          int axis, int64_t index);

/* Axis k of the result is axis order[k]; NULL reverses the axes. */
ILEX_API ilex_storage *
ilex_storage_transpose(ilex_context *ctx, ilex_storage *s, const int *order);

/* The same by names in the order wanted: "KJI", "K, Vertex". */
ILEX_API ilex_storage *ilex_storage_transpose_axes(ilex_context *ctx,
                                                   ilex_storage *s,
                                                   const char *axes);

/* Points lo <= index < hi of a named axis, indices as in programs: where the
 * origin is 0, ("I", -1, 5) keeps one point of the low halo. They keep their
 * indices. A part that lies wholly in the halo has none. */
ILEX_API ilex_storage *ilex_storage_restrict(ilex_context *ctx, ilex_storage *s,
                                             const char *axis, int64_t lo,
                                             int64_t hi);

/* Ranges and indices of several named axes: "I=2:10, K=3" is restrict along I
 * and the elements with index 3 of K, which is dropped; an end that is left
 * out, "I=2:", is that of the points inside the halo. Indices as in restrict.
 */
ILEX_API ilex_storage *ilex_storage_select(ilex_context *ctx, ilex_storage *s,
                                           const char *part);

/* What a part was restricted or selected from, in one call: that storage, with
 * a count more, although nobody else may hold it. ILEX_E_ARGUMENT for any other
 * storage. */
ILEX_API ilex_storage *ilex_storage_unrestrict(ilex_context *ctx,
                                               ilex_storage *s);

/* The points inside the halo; the view has no halo. */
ILEX_API ilex_storage *ilex_storage_interior(ilex_context *ctx,
                                             ilex_storage *s);

/* Other names for the axes, written as in the spec; axes NULL: no names. */
ILEX_API ilex_storage *
ilex_storage_reinterpret(ilex_context *ctx, ilex_storage *s, const char *axes);

/* Another halo (low, high per axis) over the same elements; halo NULL: none. */
ILEX_API ilex_storage *
ilex_storage_with_halo(ilex_context *ctx, ilex_storage *s, const int64_t *halo);

/* Another origin (per axis) over the same elements; origin NULL: 0. */
ILEX_API ilex_storage *ilex_storage_with_origin(ilex_context *ctx,
                                                ilex_storage *s,
                                                const int64_t *origin);

/* The same elements, not writable. */
ILEX_API ilex_storage *ilex_storage_readonly(ilex_context *ctx,
                                             ilex_storage *s);

/* ---- text, files, pictures ---- */

/* Writes dtype, shape, axes, halo and elements (copied from the device if they
 * lie there; of a large storage the first
 * and last ones of each axis) as text into "buffer" as snprintf does: at most
 * "size" bytes with the final NUL; returns the length of the whole text, or 0
 * when there is no memory. buffer may be NULL if size is 0. */
ILEX_API size_t ilex_storage_print(const ilex_storage *s, char *buffer,
                                   size_t size);

/* Reads a NumPy .npy file (versions 1 to 3, all but bf16, C and Fortran
 * order, either byte order). The result has unnamed axes and no halo.
 * ILEX_E_FILE, _FORMAT, _UNSUPPORTED, _LIMIT, _OVERFLOW, _MEMORY. */
ILEX_API ilex_storage *ilex_npy_read(ilex_context *ctx, const char *path);

/* Writes all elements, halo included (take ilex_storage_interior() for those
 * inside), as .npy version 1. The file appears complete or not at all. */
ILEX_API ilex_status ilex_npy_write(ilex_context *ctx, const char *path,
                                    const ilex_storage *s);

/* How a picture is drawn; zero means default. Set `size` to
 * sizeof(ilex_png_spec). */
typedef struct ilex_png_spec {
    size_t size;

    /* "grey", or "uniform": dark violet over green to light yellow, equal
     * steps of value look equally far apart ("grey") */
    const char *map;

    /* values of the first and the last colour; values outside are drawn like
     * the nearer one. Equal: least and greatest finite element */
    double low, high;

    int scale; /* side of the square drawn for an element, in pixels (1) */

    /* Axis 0 runs down and axis 1 to the right, as a matrix is printed. With
     * `transpose` axis 0 runs to the right and axis 1 down; then `flip_x`
     * mirrors left and right, `flip_y` top and bottom. For I to the right and
     * J upwards: transpose and flip_y */
    int transpose, flip_x, flip_y;
} ilex_png_spec;
#define ILEX_PNG_SPEC(...) ILEX_STRUCT(ilex_png_spec, __VA_ARGS__)

/* Draws a storage of rank 2 and real dtype as a PNG file; NaN is drawn in
 * magenta. The file appears complete or not at all. "spec" may be NULL.
 * ILEX_E_UNSUPPORTED when Ilex was built without libpng. */
ILEX_API ilex_status ilex_png_write(ilex_context *ctx, const char *path,
                                    const ilex_storage *s,
                                    const ilex_png_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
