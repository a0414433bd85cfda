/* SPDX-License-Identifier: MIT
 *
 * Storages inside the runtime: the view record, its reach, and the helpers
 * that construction, views, element access, files and binding share.
 *
 * All but the count is constant once a view was handed out, so it may be read
 * from any thread.
 */
#ifndef ILEX_RUNTIME_STORAGE_H
#define ILEX_RUNTIME_STORAGE_H

#include <stdatomic.h>

#include "ilex/storage.h"
#include "lib/base/axis.h"
#include "lib/base/text.h"
#include "runtime/memory/memory_object.h"

enum { IX_AXIS_NAME = 72 }; /* bytes of an axis name, "+1/2" and NUL included */

/* The strings of a view, shared by the views made from it. */
typedef struct ix_view_strings {
    atomic_size_t count;
    ix_mem mem;
    char text[];
} ix_view_strings;

typedef enum ix_property {
#define IX_PROPERTY(name, text) IX_PROPERTY_##name,
#include "runtime/storage/properties.def"
    IX_NPROPERTIES
} ix_property;

/* Where the value of a property comes from, the first that gives one. */
typedef enum ix_source {
    IX_SOURCE_DEFAULT,
    IX_SOURCE_GIVEN,
    IX_SOURCE_PRESET,
    IX_SOURCE_LIKE,
    IX_SOURCE_DATA
} ix_source;

typedef struct ix_division ix_division; /* division.h */

struct ilex_storage {
    atomic_size_t count;   /* first: all that follows is constant */
    ix_division *division; /* what it is a part of, its own; or NULL */
    ilex_storage *whole;   /* what it was restricted from, counted; or NULL */
    uint64_t serial;       /* no two have one; 0: a view on the stack */
    ix_mem mem;
    ix_memory *memory;
    ix_view_strings *labels;
    const char *name;  /* "" = none; in "labels" */
    const char *order; /* words of the layout, "" = none; in "labels" */
    ilex_dtype dtype;
    int rank;
    bool writable, unknown_kind;
    unsigned char source[IX_NPROPERTIES];
    unsigned fixed;   /* bit per axis: length is fixed */
    size_t alignment; /* bytes; 0: no promise */
    char *data; /* element (0, ..., 0), halo included; in memory->base ... */
    const char *axis[ILEX_MAX_RANK]; /* "" = unnamed; in "labels" */
    int64_t shape[ILEX_MAX_RANK];    /* halo included */
    int64_t stride[ILEX_MAX_RANK];   /* elements, any sign */
    int64_t halo[ILEX_MAX_RANK][2];  /* low, high */
    int64_t origin[ILEX_MAX_RANK];   /* index of the first point inside it */
    int64_t aligned[ILEX_MAX_RANK];  /* aligned index */
    int layout[ILEX_MAX_RANK];       /* place, 0 = largest stride; -1 masked */
};

/* Makes "*view" equal to "*s" but for the count, which other threads change.
 * Entries of axes that do not exist are left alone: making a view should cost
 * no more than allocating it. */
static inline void
ix_storage_clone(ilex_storage *view, const ilex_storage *s)
{
    size_t start = offsetof(ilex_storage, mem);
    atomic_init(&view->count, 1);
    view->whole = NULL;
    view->division = NULL;
    view->serial = 0;
    memcpy(&view->mem, &s->mem, offsetof(ilex_storage, axis) - start);
    view->axis[0] = s->axis[0];
    for (int k = 0; k < s->rank; k++) {
        view->axis[k] = s->axis[k];
        view->shape[k] = s->shape[k];
        view->stride[k] = s->stride[k];
        view->halo[k][0] = s->halo[k][0];
        view->halo[k][1] = s->halo[k][1];
        view->origin[k] = s->origin[k];
        view->aligned[k] = s->aligned[k];
        view->layout[k] = s->layout[k];
    }
}

/* Error record, allocator and maker of "ctx", which may be NULL. */
ix_error *ix_storage_error(ilex_context *ctx);
const ix_mem *ix_storage_mem(ilex_context *ctx);
ix_maker ix_storage_maker(ilex_context *ctx);

/* Is there a storage? ILEX_E_ARGUMENT if not, as when the call of "what" was
 * given the result of one that failed. */
bool ix_storage_given(ilex_context *ctx, const ilex_storage *s,
                      const char *what);

/* The storage's name for messages. */
const char *ix_storage_label(const ilex_storage *s);

/* ---- storage_spec.c, storage_axes.c: from a spec to a view without memory */

/* The strings that a view under construction refers to. */
typedef struct ix_storage_names {
    char axis[ILEX_MAX_RANK][IX_AXIS_NAME];
} ix_storage_names;

/* Reads axis names written as in ilex_storage_spec for "rank" axes. */
ilex_status ix_storage_axes(const char *axes, int rank, ix_storage_names *names,
                            ix_error *err);

/* Sets the place of each axis: given, preset, `like`, C order. */
struct ix_preset;
ilex_status ix_storage_set_layout(const ilex_storage_spec *p,
                                  const struct ix_preset *preset,
                                  ilex_storage *s, ix_error *err);

/* Sets the places from a map of them, -1 for masked axes, which it checks. */
ilex_status ix_storage_set_layout_map(ilex_storage *s, const int *map,
                                      ix_error *err);

/* The number of the axis that is called so, a staggered one by its full name;
 * -1: none. Of what a user writes: ilex_storage_axis. */
int ix_storage_find_axis(const ilex_storage *s, const char *name);

/* The number of the axis of "s" that the words "axes" name first, second, ...;
 * they must name all of them once. */
ilex_status ix_storage_axis_order(const ilex_storage *s, const char *axes,
                                  int *order, ix_error *err);

/* Bits of the axes of "s" that "list" names: "K", "IJ", "I, Vertex", or by
 * number "0, -1". */
ilex_status ix_storage_axes_mask(const ilex_storage *s, const char *list,
                                 uint32_t *mask, ix_error *err);

/* The names of axes as ilex_storage_spec has them; NULL if they have none.
 * "size" is at least ILEX_MAX_RANK * (IX_AXIS_NAME + 1). */
const char *ix_storage_axis_words(int rank, const char *const *axis,
                                  char *words, size_t size);

/* Words for a layout of the axes "axis" ("" unnamed) that follows that of "s";
 * axes that it does not place come last. "" where it says nothing of them.
 * "size" is at least ILEX_MAX_RANK * (IX_AXIS_NAME + 1). */
void ix_storage_layout_words(const ilex_storage *s, int rank,
                             const char *const *axis, char *words, size_t size);

/* Checks halo widths (low, high per axis) against "s->shape", stores them. */
ilex_status ix_storage_set_halo(ilex_storage *s, const int64_t *halo,
                                ix_error *err);

/* Checks the indices of the first points inside the halo, stores them; NULL:
 * 0. */
ilex_status ix_storage_set_origin(ilex_storage *s, const int64_t *origin,
                                  ix_error *err);

/* The indices [*lo, *hi) that axis "k" covers with its halo. */
static inline void
ix_storage_covers(const ilex_storage *s, int k, int64_t *lo, int64_t *hi)
{
    *lo = s->origin[k] - s->halo[k][0];
    *hi = *lo + s->shape[k];
}

/* storage_division.c: of "s", which has the lengths of the whole, the part that
 * is this rank's, if it is on a grid. Gives back what that made. */
ilex_status ix_storage_divide(const ilex_storage_spec *p, ilex_storage *s,
                              ix_error *err);
void ix_division_free(ix_division *d);

/* ---- storage_place.c: where the buffers go ---- */

typedef struct ix_placement {
    ix_space space;    /* of the host buffer, or if there is none the other */
    bool host, device; /* which buffers there are */
    int device_index;
    ix_managed managed;
    const ilex_storage_traits *traits; /* whose memory it is, or NULL */
} ix_placement;

/* Resolves space, device and management; notes the sources in "s". */
ilex_status ix_storage_place(const ilex_storage_spec *p,
                             const struct ix_preset *preset,
                             ix_placement *place, ilex_storage *s,
                             ix_error *err);

/* Resolves "spec" (complete: its size is ours) into everything of "*s" but
 * memory, data and labels; axis names point into "names". */
ilex_status ix_storage_resolve(const ilex_storage_spec *spec, ilex_storage *s,
                               ix_placement *place, ix_storage_names *names,
                               ix_error *err);

/* storage_block.c: gives "s", which has memory without buffers, strides and
 * buffers. */
ilex_status ix_storage_allocate(ilex_storage *s, const ix_placement *place,
                                ix_error *err);

/* ---- storage_layout.c: alignment ---- */

enum { IX_ALIGNMENT_MOST = 1 << 30 }; /* bytes */

/* The least common multiple of two alignments; 0 counts as 1. */
size_t ix_storage_lcm(size_t a, size_t b);

/* ---- storage_layout.c: strides, checked against layout and alignment ---- */

/* Strides by the layout, rows padded if "padded"; "*elements" is what they
 * span, 0 if there are none. */
ilex_status ix_storage_set_strides(ilex_storage *s, bool padded,
                                   int64_t *elements, ix_error *err);

/* Offset of the aligned index in bytes. */
size_t ix_storage_aligned_offset(const ilex_storage *s);

/* Is the promised alignment true of "data"? At the aligned index, and so in
 * each row: along every axis but the innermost. */
ilex_status ix_storage_check_alignment(const ilex_storage *s, const char *data,
                                       ix_error *err);

/* Lays "s" over a buffer of the caller: takes his strides, which must agree
 * with a layout that was asked for, or those of a dense buffer; "*lo" and
 * "*bytes" say where the view begins, from "data", and how long it is. */
ilex_status ix_storage_lay_over(ilex_storage *s, void *data,
                                const int64_t *strides, int64_t *lo,
                                int64_t *bytes, ix_error *err);

/* ---- storage_block.c: memory for a resolved view ---- */

/* Gives "s" memory and values. On failure "s->memory" is NULL or to be
 * released. "*adopted" tells that the memory answers for `release`. */
ilex_status ix_storage_make(const ix_maker *maker, ilex_storage *s,
                            const ix_placement *place,
                            const ilex_storage_spec *p, bool *adopted,
                            ix_error *err);

/* ---- storage_new.c ---- */

/* A heap copy of the view "s", which takes counts of its memory and labels. */
ilex_storage *ix_storage_attach(const ix_mem *mem, const ilex_storage *s,
                                ix_error *err);

/* The same, but the strings of "s" are copied into labels of their own. */
ilex_storage *ix_storage_publish(const ix_mem *mem, const ilex_storage *s,
                                 ix_error *err);

/* Copies "spec", which may be of another version of the header, to "*p". */
bool ix_storage_read_spec(const ilex_storage_spec *spec, ilex_storage_spec *p,
                          ix_error *err);

/* ilex_storage_new without a context. */
ilex_storage *ix_storage_new(const ix_mem *mem, const ilex_storage_spec *spec,
                             ix_error *err);
ilex_storage *ix_storage_build(const ix_maker *maker,
                               const ilex_storage_spec *spec, ix_error *err);

/* ---- storage_stage.c: elements where the host can address them ---- */

/* Brings the host side up to date before "access"; a storage without one is
 * an error. */
ilex_status ix_storage_acquire(const ilex_storage *s, ilex_access access,
                               ix_error *err);

/* The same, but elements on a device are copied to the host; "view" shows
 * them; opened for writing only, all of the memory must be written. Closing
 * copies back what was opened for writing, unless "rc", the status so far, is
 * a failure; it returns the status. */
typedef struct ix_host_copy {
    ilex_storage view;
    char *block;
    bool write;
} ix_host_copy;
ilex_status ix_host_copy_open(ix_host_copy *x, const ilex_storage *s,
                              ilex_access access, ix_error *err);
ilex_status ix_host_copy_close(ix_host_copy *x, ilex_status rc, ix_error *err);

/* ---- storage_reach.c ---- */

/* Number of elements. */
int64_t ix_storage_count(const ilex_storage *s);

/* Lowest and one past the highest byte of the view; false if it is empty. */
bool ix_storage_reach(const ilex_storage *s, const char **lo, const char **hi);

/* The same in elements from element (0, ..., 0), for a shape and strides;
 * false on overflow. "*lo" is the lowest, "*hi" the highest; 0, -1 when
 * empty. */
bool ix_storage_span(int rank, const int64_t *shape, const int64_t *stride,
                     int64_t *lo, int64_t *hi);

/* False if no byte belongs to elements of both; true if one does, or if that
 * is too costly to find out. */
bool ix_storage_overlap(const ilex_storage *a, const ilex_storage *b);

/* True unless the axes nest, so that all elements are distinct; a stride of 0
 * along more than one element, say, makes it true. Such a view cannot be an
 * output. */
bool ix_storage_self_overlap(const ilex_storage *s);

/* True if the elements lie densely in the order of "axes" (rank numbers, the
 * slowest first); NULL: C order. Axes of length 1 do not matter. */
bool ix_storage_dense(const ilex_storage *s, const int *axes);

/* ---- storage_element.c, storage_copy.c ---- */

/* Converts "value" to one element of "dtype" at "element" (16 bytes). */
ilex_status ix_storage_convert(ilex_dtype dtype, double value, void *element,
                               ix_error *err);

/* One element of "dtype" (16 bytes) from a number; "has_sign": of an integer,
 * else its 64 bits are one without. False if it does not fit. */
bool ix_element_of_f64(ilex_dtype dtype, double re, double im, void *element);
bool ix_element_of_i64(ilex_dtype dtype, int64_t value, bool has_sign,
                       void *element);

/* The element at an index that is inside, for complex its first part, as
 * double; the host must be able to address it. */
double ix_storage_real(const ilex_storage *s, const int64_t *index);

/* Writes "element" everywhere, whether writable or not. */
void ix_storage_fill(const ilex_storage *s, const void *element);

/* Calls "write" for each element, on at most "threads" threads; masked axes
 * have their last index. */
void ix_storage_initialize(const ilex_storage *s, int threads,
                           void (*write)(void *user, const int64_t *index,
                                         void *element),
                           void *user);

/* to = from for equal shapes and dtypes, no overlap. */
void ix_storage_move(const ilex_storage *to, const ilex_storage *from);

/* ---- storage_assign.c ---- */

/* to = from for equal shapes and any dtypes, no overlap. */
void ix_storage_move_as(const ilex_storage *to, const ilex_storage *from);

/* May elements be converted without loss of their kind? */
ilex_status ix_storage_check_cast(ilex_dtype to, ilex_dtype from,
                                  ix_error *err);

/* Refuses to write through a read-only view. */
ilex_status ix_storage_check_writable(const ilex_storage *s, ix_error *err);

/* Makes "*view" see "from" with the axes of "to". */
ilex_status ix_storage_match(const ilex_storage *to, const ilex_storage *from,
                             ilex_storage *view, ix_error *err);

/* ---- storage_print.c ---- */

/* "f64[I:10, J:12] halo(I:2:2)", without elements. */
void ix_storage_print_head(ix_text *t, const ilex_storage *s);
void ix_storage_print(ix_text *t, const ilex_storage *s);

/* storage_select.c: one entry of "I=2:10, K=3": [lo, hi) of an axis, or one
 * index. */
typedef struct ix_part {
    char axis[IX_AXIS_NAME];
    int64_t lo, hi;
    bool has_lo, has_hi, range;
} ix_part;
/* Reads the entry that "p" begins with and the comma behind it; where the next
 * one begins (at the end of the text there is none), NULL if it is none. */
const char *ix_part_next(const char *p, ix_part *part);

#endif
