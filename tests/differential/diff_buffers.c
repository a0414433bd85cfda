/* SPDX-License-Identifier: MIT
 *
 * Storages of a run. Each lies in a block of memory with guards on both sides;
 * all that a program may not read (guards, padding, halo beyond what it asked
 * for) is poison, which differs from run to run: a byte of it that reaches a
 * result shows as a difference. Layouts differ from run to run too: any order
 * of axes, padding, negative strides, strides of 0 for what is only read. Some
 * blocks have no guard on one side but a page that nothing may touch.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

enum { GUARD = 192 };

static void *
allocate(size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    if (!p)
        abort();
    return p;
}

/* ---- forbidden pages ---- */

enum { PAGE = 4096 };

static size_t
pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

void *
diff_pages_new(size_t bytes, bool high)
{
    size_t room = pages(bytes);
    char *p = mmap(NULL, room + 2 * PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED ||
        (room && mprotect(p + PAGE, room, PROT_READ | PROT_WRITE)))
        abort();
    return p + PAGE + (high ? room - bytes : 0);
}

void
diff_pages_free(void *block, size_t bytes, bool high)
{
    size_t room = pages(bytes);
    if (block)
        munmap((char *)block - PAGE - (high ? room - bytes : 0),
               room + 2 * PAGE);
}

/* ---- layout ---- */

/* Strides for "shape", axis by axis in a random order from the innermost, 0
 * for the axes in "masked"; returns the elements spanned and sets the offset of
 * element 0. */
static int64_t
draw_strides(diff_random *r, uint32_t masked, int rank, const int64_t *shape,
             int64_t *stride, int64_t *first)
{
    int order[ILEX_MAX_RANK];
    int64_t span = diff_chance(r, 15) ? 2 : 1;
    *first = 0;
    for (int k = 0; k < rank; k++) {
        int j = diff_chance(r, 60) ? k : diff_draw(r, k + 1);
        order[k] = order[j];
        order[j] = k;
    }
    for (int i = rank - 1; i >= 0; i--) {
        int k = order[i];
        stride[k] = span;
        if (masked >> k & 1) {
            stride[k] = 0;
            continue;
        }
        if (diff_chance(r, 15)) {
            *first += (shape[k] > 0 ? shape[k] - 1 : 0) * span;
            stride[k] = -span;
        }
        span *= (shape[k] > 0 ? shape[k] : 1) +
                (diff_chance(r, 20) ? diff_draw(r, 3) : 0);
    }
    return span;
}

/* Poison: not-a-number in every float type; differs by variant. */
static void
poison(unsigned char *p, size_t bytes, int variant)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = variant % 2 ? 0xff : (unsigned char)(0x7f + (i & 1) * 0x80);
}

/* ---- extents ---- */

/* What a storage is made with, in the program's order of axes. */
typedef struct plan {
    int64_t shape[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK],
        origin[ILEX_MAX_RANK];
} plan;

/* Halo widths, origin and length of the storage's axis for program axis "k": it
 * begins where the declared range does, or at 0. */
static void
plan_axis(diff_buffer *b, diff_random *r, bool named, int k, plan *p)
{
    int64_t low = b->box[k][0], high = b->box[k][1], lo = 0, hi = b->hi[k];
    p->halo[2 * k] = p->halo[2 * k + 1] = p->origin[k] = 0;
    p->shape[k] = hi;
    b->first[k] = 0;
    if (!named)
        return;
    if (diff_chance(r, 50))
        lo = b->lo[k];
    else if (b->lo[k] != 0) /* any length that covers it */
        hi = high > hi ? high : hi;
    diff_random far = diff_random_of(r->state, (uint64_t)k, 7);
    if (diff_chance(&far, 15)) { /* no halo, and begins anywhere before */
        lo = (low < b->lo[k] ? low : b->lo[k]) - diff_draw(&far, 4);
        hi = lo == b->lo[k] ? b->hi[k]
                            : (high > hi ? high : hi) + diff_draw(&far, 3);
    }
    hi = hi > lo ? hi : lo;
    p->origin[k] = lo;
    p->halo[2 * k] = (low < lo ? lo - low : 0) + diff_draw(r, 2);
    p->halo[2 * k + 1] = (high > hi ? high - hi : 0) + diff_draw(r, 2);
    p->shape[k] = hi - lo + p->halo[2 * k] + p->halo[2 * k + 1];
    b->first[k] = lo - p->halo[2 * k];
}

/* Reads what the program says about argument "i". */
static bool
query(diff_buffer *b, const ilex_program *p, size_t i,
      const ilex_size_binding *sizes, size_t nsizes, ilex_argument_info *info)
{
    int64_t halo[2 * ILEX_MAX_RANK];
    *info = ilex_program_argument(p, i);
    b->slot = atoi(info->name + 1);
    b->output = info->output != 0;
    b->dtype = info->dtype;
    b->rank = info->rank;
    b->shares = -1;
    if (ilex_program_extents(p, i, sizes, nsizes, b->lo, b->hi, halo))
        return false;
    for (int k = 0; k < b->rank; k++) {
        /* with sizes against an assumption axes end before they begin, and
         * those without a name need a halo, which they cannot have */
        bool named = *info->axis[k] != 0;
        if (b->hi[k] < b->lo[k])
            b->hi[k] = b->lo[k];
        b->box[k][0] = b->lo[k] - (named ? halo[2 * k] : 0);
        b->box[k][1] = b->hi[k] + (named ? halo[2 * k + 1] : 0);
    }
    return true;
}

/* ---- walking ---- */

/* Calls "fn" for every index of [lo, hi) in C order. */
static void
walk(int rank, const int64_t *lo, const int64_t *hi,
     void (*fn)(void *user, const int64_t *index), void *user)
{
    int64_t index[ILEX_MAX_RANK];
    for (int k = 0; k < rank; k++) {
        if (hi[k] <= lo[k])
            return;
        index[k] = lo[k];
    }
    for (;;) {
        fn(user, index);
        int k = rank - 1;
        while (k >= 0 && ++index[k] == hi[k]) {
            index[k] = lo[k];
            k--;
        }
        if (k < 0)
            return;
    }
}

/* Byte of a program index, counted from the block's start. */
static size_t
place(const diff_buffer *b, const int64_t *index)
{
    int64_t at = 0;
    for (int k = 0; k < b->rank; k++)
        at += (index[k] - b->first[k]) * b->stride[k];
    return (size_t)(b->origin - b->block) +
           (size_t)(at * (int64_t)ilex_dtype_bytes(b->dtype));
}

/* ---- contents ---- */

typedef struct filler {
    diff_buffer *b;
    uint64_t content;
    int style;
} filler;

/* An element depends on its index alone, so that neither the layout nor the
 * box matters; along an axis of stride 0 all are alike. */
static void
fill_element(void *user, const int64_t *index)
{
    filler *f = user;
    int64_t at[ILEX_MAX_RANK];
    size_t n = (size_t)f->b->rank * sizeof *at;
    for (int k = 0; k < f->b->rank; k++)
        at[k] = f->b->stride[k] ? index[k] : 0;
    diff_random r = diff_random_of(f->content, ix_hash_bytes(3, at, n), 5);
    diff_element(&r, f->b->dtype, f->style, f->b->block + place(f->b, index));
}

/* Elements that may be read. */
static void
fill(diff_buffer *b, uint64_t content, uint64_t name)
{
    diff_random r = diff_random_of(content, name, 5);
    filler f = {.b = b, .content = content ^ name, .style = diff_draw(&r, 3)};
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    for (int k = 0; k < b->rank; k++) {
        lo[k] = b->box[k][0];
        hi[k] = b->box[k][1];
    }
    walk(b->rank, lo, hi, fill_element, &f);
}

/* ---- storages ---- */

static uint64_t
hash_name(const char *name)
{
    const char *p = strchr(name, '_');
    return ix_hash_bytes(1, p ? p : name, strlen(p ? p : name));
}

/* Memory for "span" elements; sets "origin". */
static void
make_block(diff_buffer *b, diff_random *r, int64_t span, int64_t first,
           int variant)
{
    size_t item = ilex_dtype_bytes(b->dtype);
    size_t shift = (size_t)diff_draw(r, 8) * item, low = GUARD;
    diff_random far = diff_random_of(r->state, (uint64_t)variant, 8);
    b->bytes = 2 * GUARD + shift + (size_t)span * item;
    b->pages = diff_chance(&far, 12) ? 1 + diff_draw(&far, 2) : 0;
    if (b->pages) { /* no guard on the side of the page */
        b->bytes -= GUARD;
        low = b->pages == 1 ? 0 : GUARD;
        shift = b->pages == 1 ? 0 : shift;
        b->block = diff_pages_new(b->bytes, b->pages == 2);
    } else {
        b->block = allocate(b->bytes);
    }
    b->before = allocate(b->bytes);
    b->origin = b->block + low + shift + (size_t)first * item;
    poison(b->block, b->bytes, variant);
}

/* The axes of the storage in a random order "to", their names as text. */
static void
order_axes(diff_random *r, const ilex_argument_info *info, int *to, char *text,
           size_t size)
{
    bool named = info->rank > 0 && *info->axis[0];
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < info->rank; k++) {
        int j = named && diff_chance(r, 30) ? diff_draw(r, k + 1) : k;
        to[k] = to[j];
        to[j] = k;
    }
    for (int k = 0; named && k < info->rank; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k ? ", " : "",
                              info->axis[to[k]]);
}

/* The storage object over the block. */
static bool
make_storage(diff_buffer *b, ilex_context *ctx, const int *to, const char *axes,
             const plan *p)
{
    int64_t s[ILEX_MAX_RANK], t[ILEX_MAX_RANK], h[2 * ILEX_MAX_RANK];
    int64_t origin[ILEX_MAX_RANK] = {0};
    for (int k = 0; k < b->rank; k++) {
        s[k] = p->shape[to[k]];
        t[k] = b->stride[to[k]];
        h[2 * k] = p->halo[2 * to[k]];
        h[2 * k + 1] = p->halo[2 * to[k] + 1];
        origin[k] = p->origin[to[k]];
    }
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(b->dtype),
                              .rank = b->rank,
                              .shape = s,
                              .axes = *axes ? axes : NULL,
                              .halo = *axes ? h : NULL,
                              .origin = *axes ? origin : NULL,
                              .data = b->origin,
                              .strides = t};
    b->storage = ilex_storage_new(ctx, &spec);
    return b->storage != NULL;
}

/* Joins the box of "shared", an input whose memory output "b" takes. */
static void
take_shared(diff_buffer *b, const diff_buffer *shared)
{
    memcpy(b->first, shared->first, sizeof b->first);
    memcpy(b->stride, shared->stride, sizeof b->stride);
    b->block = shared->block;
    b->before = shared->before;
    b->bytes = shared->bytes;
    b->origin = shared->origin;
    b->storage = ilex_storage_retain(shared->storage);
}

/* Axes along which an input repeats itself: the same in every layout, since
 * contents depend on it. */
static uint32_t
masked_axes(uint64_t content, const ilex_argument_info *info)
{
    diff_random r = diff_random_of(content, hash_name(info->name), 6);
    uint32_t masked = 0;
    for (int k = 0; k < info->rank; k++)
        masked |= diff_chance(&r, 4) ? 1u << k : 0;
    return masked;
}

bool
diff_buffer_make(diff_buffer *b, ilex_context *ctx, const ilex_program *p,
                 size_t i, const ilex_size_binding *sizes, size_t nsizes,
                 uint64_t content, int variant, bool written,
                 diff_buffer *shared)
{
    ilex_argument_info info;
    int64_t first;
    plan made;
    int to[ILEX_MAX_RANK];
    char axes[200];
    memset(b, 0, sizeof *b);
    if (!query(b, p, i, sizes, nsizes, &info))
        return false;
    if (shared) {
        take_shared(b, shared);
        return true;
    }
    diff_random r =
        diff_random_of(content, hash_name(info.name), 100 + (uint64_t)variant);
    for (int k = 0; written && k < b->rank; k++) {
        b->box[k][0] = b->box[k][0] < b->lo[k] ? b->box[k][0] : b->lo[k];
        b->box[k][1] = b->box[k][1] > b->hi[k] ? b->box[k][1] : b->hi[k];
    }
    for (int k = 0; k < b->rank; k++)
        plan_axis(b, &r, *info.axis[k] != 0, k, &made);
    uint32_t masked = b->output || written ? 0 : masked_axes(content, &info);
    int64_t span =
        draw_strides(&r, masked, b->rank, made.shape, b->stride, &first);
    make_block(b, &r, span, first, variant);
    if (!b->output)
        fill(b, content, hash_name(info.name));
    order_axes(&r, &info, to, axes, sizeof axes);
    return make_storage(b, ctx, to, axes, &made);
}

void
diff_buffer_free(diff_buffer *b)
{
    ilex_storage_release(b->storage);
    if (b->shares < 0) {
        if (b->pages)
            diff_pages_free(b->block, b->bytes, b->pages == 2);
        else
            free(b->block);
        free(b->before);
    }
    memset(b, 0, sizeof *b);
}

/* ---- after the run ---- */

void
diff_buffer_shrink(diff_buffer *b, const ilex_program *p, size_t i,
                   const ilex_size_binding *sizes, size_t count)
{
    if (b->output &&
        ilex_program_extents(p, i, sizes, count, b->lo, b->hi, NULL) != ILEX_OK)
        abort();
}

void
diff_buffer_arm(diff_buffer *b)
{
    memcpy(b->before, b->block, b->bytes);
}

typedef struct copier {
    const diff_buffer *b;
    unsigned char *to;
    size_t at;
} copier;

/* Puts the old element over the new one in a copy of the block. */
static void
restore(void *user, const int64_t *index)
{
    copier *c = user;
    size_t at = place(c->b, index);
    memcpy(c->to + at, c->b->before + at, ilex_dtype_bytes(c->b->dtype));
}

bool
diff_buffer_intact(const diff_buffer *b, const diff_buffer *mine)
{
    unsigned char *now = allocate(b->bytes);
    memcpy(now, b->block, b->bytes);
    copier c = {.b = mine, .to = now};
    if (mine)
        walk(mine->rank, mine->lo, mine->hi, restore, &c);
    bool same = memcmp(now, b->before, b->bytes) == 0;
    free(now);
    return same;
}

const char *
diff_buffer_changed(const diff_buffer *b, size_t n, size_t i)
{
    const diff_buffer *mine = b[i].output ? &b[i] : NULL;
    for (size_t k = 0; k < n; k++)
        if (b[k].shares == (int)i)
            mine = &b[k];
    if (b[i].shares >= 0 || diff_buffer_intact(&b[i], mine))
        return NULL;
    return mine ? "memory outside an output's domain changed"
                : "an input changed";
}

/* One element with every NaN alike. */
static void
take_element(void *user, const int64_t *index)
{
    copier *c = user;
    size_t item = ilex_dtype_bytes(c->b->dtype);
    ilex_dtype part = ix_dtype_part(c->b->dtype);
    const unsigned char *from = c->b->block + place(c->b, index);
    memcpy(c->to + c->at, from, item);
    for (size_t k = 0; k < item && ix_dtype_is_real(part);
         k += ilex_dtype_bytes(part)) {
        ix_value v = ix_value_load(part, from + k);
        v.f = v.f != v.f ? (double)__builtin_nan("") : v.f;
        ix_value_store(part, c->to + c->at + k, v);
    }
    c->at += item;
}

bool
diff_buffer_cut(diff_buffer *b, const char *const *axis, const diff_part *part)
{
    for (int k = 0; k < b->rank; k++) {
        if (strcmp(axis[k], part->axis) != 0)
            continue;
        b->lo[k] = part->lo > b->lo[k] ? part->lo : b->lo[k];
        b->hi[k] = part->hi < b->hi[k] ? part->hi : b->hi[k];
        return true;
    }
    return false;
}

/* Elements of a part, from those of the whole in C order. */
typedef struct picker {
    const diff_buffer *whole;
    const unsigned char *from;
    unsigned char *to;
} picker;

static void
pick_element(void *user, const int64_t *index)
{
    picker *p = user;
    size_t item = ilex_dtype_bytes(p->whole->dtype);
    int64_t at = 0;
    for (int k = 0; k < p->whole->rank; k++)
        at = at * (p->whole->hi[k] - p->whole->lo[k]) + index[k] -
             p->whole->lo[k];
    memcpy(p->to, p->from + (size_t)at * item, item);
    p->to += item;
}

unsigned char *
diff_buffer_pick(const diff_buffer *whole, const unsigned char *bytes,
                 const diff_buffer *part)
{
    unsigned char *to = allocate(diff_buffer_bytes(part));
    picker p = {whole, bytes, to};
    walk(part->rank, part->lo, part->hi, pick_element, &p);
    return to;
}

size_t
diff_buffer_bytes(const diff_buffer *b)
{
    size_t n = ilex_dtype_bytes(b->dtype);
    for (int k = 0; k < b->rank; k++)
        n *= b->hi[k] > b->lo[k] ? (size_t)(b->hi[k] - b->lo[k]) : 0;
    return n;
}

unsigned char *
diff_buffer_take(const diff_buffer *b, size_t *bytes)
{
    size_t n = diff_buffer_bytes(b);
    copier c = {.b = b, .to = allocate(n)};
    walk(b->rank, b->lo, b->hi, take_element, &c);
    *bytes = n;
    return c.to;
}

void
diff_buffer_difference(const diff_buffer *b, const char *name,
                       const unsigned char *got, const unsigned char *want,
                       size_t bytes, char *what, size_t size)
{
    size_t item = ilex_dtype_bytes(b->dtype), i = 0, n = 0;
    while (memcmp(got + i * item, want + i * item, item) == 0)
        i++;
    n += (size_t)snprintf(what, size, "element %zu of %zu of %s : %s is 0x", i,
                          bytes / item, name, ilex_dtype_name(b->dtype));
    for (size_t k = item; k > 0; k--)
        n +=
            (size_t)snprintf(what + n, size - n, "%02x", got[i * item + k - 1]);
    n += (size_t)snprintf(what + n, size - n, ", reference 0x");
    for (size_t k = item; k > 0; k--)
        n += (size_t)snprintf(what + n, size - n, "%02x",
                              want[i * item + k - 1]);
}

ilex_size_binding *
diff_counted(const ilex_program *p, const ilex_size_binding *sizes, size_t *n)
{
    *n = ilex_program_counted_count(p);
    ilex_size_binding *all = calloc(*n + DIFF_PARAMS, sizeof *all);
    if (!all)
        abort();
    for (size_t i = 0; i < *n; i++)
        all[i].name = ilex_program_counted_name(p, i);
    memcpy(all + *n, sizes, DIFF_PARAMS * sizeof *all);
    return all;
}
