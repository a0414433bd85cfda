/* SPDX-License-Identifier: MIT
 *
 * The storages of a replay: laid out as they were, with their elements or with
 * made-up ones.
 */
#include "runtime/ilexc/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ilexc/run.h"

enum { MOST_ELEMENTS = 1 << 28 };

int64_t
ix_replay_count(const ix_replay_binding *b, int64_t *lowest, int64_t *span)
{
    int64_t count = 1, highest = 0;
    *lowest = 0;
    for (int k = 0; k < b->rank; k++) {
        int64_t n = b->shape[k], s = b->stride[k], far = 0;
        if (n > MOST_ELEMENTS || (n && count > MOST_ELEMENTS / n))
            return -1;
        count *= n;
        if (n > 1 && __builtin_mul_overflow(n - 1, s, &far))
            return -1;
        *lowest += far < 0 ? far : 0;
        highest += far > 0 ? far : 0;
        if (*lowest < -MOST_ELEMENTS || highest > MOST_ELEMENTS)
            return -1;
    }
    *span = highest - *lowest + 1;
    return count;
}

/* Bytes of a floating number or of one of the parts of a complex one; 0 for
 * integers and bool. */
static size_t
part_bytes(const char *dtype)
{
    bool single = strcmp(dtype, "f32") == 0 || strcmp(dtype, "c64") == 0;
    return *dtype != 'f' && *dtype != 'c' ? 0 : single ? 4 : 8;
}

/* A number in [-1, 1) for a real element, 0 to 7 for an integer, by place. */
static void
make_up(const ix_replay_binding *b, uint64_t place, char *element)
{
    size_t part = part_bytes(b->dtype);
    uint64_t h = (place + 1) * 0x9e3779b97f4a7c15u;
    h ^= h >> 31;
    double d = (double)(h >> 11) * 0x1p-52 - 1;
    float f = (float)d;
    memset(element, 0, b->element);
    if (part == 0)
        *element = (char)(*b->dtype == 'b' ? h & 1 : h & 7);
    for (size_t at = 0; part && at < b->element; at += part)
        memcpy(element + at, part == 4 ? (void *)&f : (void *)&d, part);
}

static void
release(void *block, void *data)
{
    (void)data;
    free(block);
}

/* Writes the elements around "data", that of index 0. */
static void
fill(const ix_replay_binding *b, int64_t count, char *data)
{
    int64_t index[ILEX_MAX_RANK] = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        for (int k = 0; k < b->rank; k++)
            offset += index[k] * b->stride[k];
        char *element = data + offset * (int64_t)b->element;
        if (b->data)
            memcpy(element, b->data + i * (int64_t)b->element, b->element);
        else
            make_up(b, (uint64_t)i, element);
        ix_cli_fields_next(b->rank, b->shape, index);
    }
}

/* The names of the axes as a spec has them, NULL if they have none. */
static const char *
axes_text(const ix_replay_binding *b, char *text)
{
    *text = '\0';
    for (int k = 0; k < b->rank; k++) {
        if (strcmp(b->axis[k], "-") == 0)
            return NULL;
        strcat(text, k ? ", " : "");
        strcat(text, b->axis[k]);
    }
    return b->rank ? text : NULL;
}

ilex_storage *
ix_replay_storage(ilex_context *ctx, const ix_replay_binding *b)
{
    char axes[ILEX_MAX_RANK * (IX_REPLAY_NAME + 2) + 1];
    int64_t lowest, span, count = ix_replay_count(b, &lowest, &span);
    size_t bytes = ((size_t)span * b->element + 63) / 64 * 64;
    char *block = aligned_alloc(64, bytes);
    if (!block)
        return NULL;
    memset(block, 0, bytes);
    char *data = block - lowest * (int64_t)b->element;
    fill(b, count, data);
    return ilex_storage_new(
        ctx,
        &ILEX_STORAGE_SPEC(.dtype = b->dtype, .rank = b->rank,
                           .shape = b->shape, .axes = axes_text(b, axes),
                           .halo = b->halo, .origin = b->origin, .data = data,
                           .strides = b->stride, .release = release,
                           .release_user = block,
                           .flags = b->writable ? 0 : ILEX_STORAGE_READONLY));
}

uint64_t
ix_replay_checksum(const ilex_storage *s)
{
    int64_t index[ILEX_MAX_RANK] = {0};
    const char *dtype = ilex_dtype_name(ilex_storage_dtype(s));
    size_t bytes = ilex_dtype_bytes(ilex_storage_dtype(s));
    size_t part = part_bytes(dtype) ? part_bytes(dtype) : bytes;
    uint64_t sum = 14695981039346656037u;
    for (int64_t i = ilex_storage_count(s); i > 0; i--) {
        const char *element = ilex_storage_at(s, index);
        for (size_t at = 0; at < bytes; at += part) {
            uint64_t word = 0;
            float f = 0;
            double d = 0;
            memcpy(&word, element + at, part);
            memcpy(part == 4 ? (void *)&f : (void *)&d, element + at,
                   part == 4   ? 4
                   : part == 8 ? 8
                               : 0);
            if (part_bytes(dtype) && (isnan(f) || isnan(d)))
                word = 1;
            sum = (sum ^ word) * 1099511628211u;
            sum ^= sum >> 32;
        }
        ix_cli_fields_next(ilex_storage_rank(s), ilex_storage_shape(s), index);
    }
    return sum;
}
