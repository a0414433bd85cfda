/* SPDX-License-Identifier: MIT
 *
 * What can be wrong with the arguments of a run, one row a kind. Which argument
 * and which axis it is of is drawn.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "runtime/program/program.h"
#include "tests/ahead/wrong.h"

/* ---- which argument ---- */

typedef bool (*wanted)(const trial *t, int i);

static bool
has_axes(const trial *t, int i)
{
    return t->b[i].rank > 0;
}

static bool
has_names(const trial *t, int i)
{
    return has_axes(t, i) && *t->s->simplified->c->buffer[i].axis[0];
}

static bool
is_output(const trial *t, int i)
{
    return t->b[i].output;
}

static bool
is_array_input(const trial *t, int i)
{
    return !t->b[i].output && t->b[i].rank > 0;
}

/* Is it an output that has the memory of an input? */
static bool
is_inplace(const trial *t, int i)
{
    return t->b[i].shares >= 0;
}

static bool
is_integer_input(const trial *t, int i)
{
    char kind = ix_dtype_kind(t->b[i].dtype);
    bool some = kind == 'i' || kind == 'u';
    for (int k = 0; k < t->b[i].rank; k++)
        some = some && t->b[i].box[k][1] > t->b[i].box[k][0];
    return some && !t->b[i].output;
}

static bool
is_part_aligned(const trial *t, int i)
{
    return (is_output(t, i) || has_axes(t, i)) &&
           ilex_dtype_bytes(t->b[i].dtype) > 1;
}

/* Draws one of those, or -1. */
static int
draw(trial *t, wanted is_wanted)
{
    int first = t->n > 0 ? diff_draw(&t->r, t->n) : 0;
    for (int i = 0; i < t->n; i++)
        if (is_wanted(t, (first + i) % t->n))
            return (first + i) % t->n;
    return -1;
}

/* Draws an axis of an array that is wanted. */
static argument *
draw_axis(trial *t, wanted is_wanted, int *k)
{
    int i = draw(t, is_wanted);
    *k = i < 0 ? 0 : diff_draw(&t->r, t->b[i].rank > 0 ? t->b[i].rank : 1);
    return i < 0 || t->b[i].rank == 0 ? NULL : &t->a[i];
}

/* ---- lengths, origins, halos ---- */

static bool
spoil_length(trial *t, int64_t by)
{
    int k;
    argument *a = draw_axis(t, has_axes, &k);
    if (!a || a->shape[k] + by < 0)
        return false;
    a->shape[k] += by;
    return true;
}

static bool
spoil_empty(trial *t, int64_t by)
{
    int k;
    argument *a = draw_axis(t, has_axes, &k);
    if (!a)
        return false;
    a->shape[k] = a->halo[k][0] = a->halo[k][1] = by;
    return true;
}

static int64_t
length_of(const argument *a, int k)
{
    return a->shape[k] - a->halo[k][0] - a->halo[k][1];
}

/* All axes that are as long as one of them, "by" more or none at all; what
 * shapes say of sizes may be all that is known. */
static bool
change_lengths(trial *t, int64_t by, bool empty)
{
    int k;
    argument *one = draw_axis(t, has_axes, &k);
    int64_t length = one ? length_of(one, k) : 0;
    if (!one || length + by < 0)
        return false;
    by = empty ? -length : by;
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->b[i].rank; j++)
            if (length_of(&t->a[i], j) == length)
                t->a[i].shape[j] += by;
    bool open = diff_chance(&t->r, 60);
    for (int i = 0; open && i < DIFF_PARAMS; i++)
        if (t->s->has_size[i])
            t->size[i] = -1;
    return true;
}

static bool
spoil_lengths(trial *t, int64_t by)
{
    return change_lengths(t, by, false);
}

static bool
spoil_all_empty(trial *t, int64_t by)
{
    return change_lengths(t, by, true);
}

/* An axis of an array, if there is one of which origin and halo count. */
static argument *
draw_placed(trial *t, int *k)
{
    return draw_axis(t, draw(t, has_names) < 0 ? has_axes : has_names, k);
}

static bool
spoil_origin(trial *t, int64_t by)
{
    int k;
    argument *a = draw_placed(t, &k);
    if (a)
        a->origin[k] += by;
    return a != NULL;
}

static bool
spoil_before(trial *t, int64_t by)
{
    int k;
    argument *a = draw_placed(t, &k);
    if (a)
        a->halo[k][0] += by;
    return a != NULL;
}

static bool
spoil_behind(trial *t, int64_t by)
{
    int k;
    argument *a = draw_placed(t, &k);
    if (a)
        a->halo[k][1] += by;
    return a != NULL;
}

/* ---- memory ---- */

static bool
spoil_stride(trial *t, int64_t to)
{
    int k;
    argument *a = draw_axis(t, is_output, &k);
    if (!a || a->shape[k] < 2)
        return false;
    a->stride[k] = to;
    return true;
}

/* Two axes with the stride of one of them. */
static bool
spoil_strides(trial *t, int64_t less)
{
    int i = draw(t, is_output), j, k;
    if (i < 0 || t->b[i].rank < 2)
        return false;
    argument *a = &t->a[i];
    j = diff_draw(&t->r, t->b[i].rank);
    k = (j + 1) % t->b[i].rank;
    if (a->shape[j] < 2 || a->shape[k] < 2)
        return false;
    a->stride[llabs(a->stride[j]) > llabs(a->stride[k]) ? j : k] -=
        llabs(a->stride[j]) > llabs(a->stride[k]) ? a->stride[k] * less
                                                  : a->stride[j] * less;
    return true;
}

/* An output begins in an input, "by" elements behind its first. */
static bool
spoil_over(trial *t, int64_t by)
{
    int i = draw(t, is_output), j = draw(t, is_array_input);
    if (i < 0 || j < 0)
        return false;
    t->a[i].data =
        (char *)t->a[j].data + by * (int64_t)ilex_dtype_bytes(t->b[j].dtype);
    return true;
}

static bool
spoil_outputs(trial *t, int64_t by)
{
    int i = draw(t, is_output), j = draw(t, is_output);
    if (i < 0 || i == j)
        return false;
    t->a[i].data =
        (char *)t->a[j].data + by * (int64_t)ilex_dtype_bytes(t->b[j].dtype);
    return true;
}

static bool
spoil_shift(trial *t, int64_t by)
{
    int i = draw(t, is_inplace);
    if (i < 0)
        return false;
    t->a[i].data =
        (char *)t->a[i].data + by * (int64_t)ilex_dtype_bytes(t->b[i].dtype);
    return true;
}

/* The strides of an output in place of an input are other ones. */
static bool
spoil_turn(trial *t, int64_t times)
{
    int k;
    argument *a = draw_axis(t, is_inplace, &k);
    if (a)
        a->stride[k] *= times;
    return a != NULL;
}

/* An output begins where an input does, and has its place in memory. */
static bool
spoil_place(trial *t, int64_t by)
{
    int i = draw(t, is_output), j = draw(t, is_array_input);
    if (i < 0 || j < 0 || t->b[i].rank != t->b[j].rank)
        return false;
    t->a[i] = t->a[j];
    t->a[i].data =
        (char *)t->a[i].data + by * (int64_t)ilex_dtype_bytes(t->b[j].dtype);
    return true;
}

static bool
spoil_data(trial *t, int64_t output)
{
    int i = draw(t, output ? is_output : is_array_input);
    if (i >= 0)
        t->a[i].data = NULL;
    return i >= 0;
}

static bool
spoil_reach(trial *t, int64_t stride)
{
    int k;
    argument *a = draw_axis(t, has_axes, &k);
    if (!a || a->shape[k] < 2)
        return false;
    a->stride[k] = stride;
    return true;
}

static bool
spoil_alignment(trial *t, int64_t by)
{
    int i = draw(t, is_part_aligned);
    if (i >= 0)
        t->a[i].data = (char *)t->a[i].data + by;
    return i >= 0;
}

/* ---- sizes ---- */

/* Draws a size that the function has, or -1. */
static int
draw_size(trial *t)
{
    int first = diff_draw(&t->r, DIFF_PARAMS);
    for (int k = 0; k < DIFF_PARAMS; k++)
        if (t->s->has_size[(first + k) % DIFF_PARAMS])
            return (first + k) % DIFF_PARAMS;
    return -1;
}

static bool
spoil_size(trial *t, int64_t by)
{
    int k = draw_size(t);
    if (k >= 0)
        t->size[k] += by;
    return k >= 0 && t->size[k] >= 0;
}

static bool
spoil_given(trial *t, int64_t value)
{
    int k = draw_size(t);
    if (k >= 0)
        t->size[k] = value;
    return k >= 0;
}

static bool
spoil_sizes(trial *t, int64_t value)
{
    for (int k = 0; k < DIFF_PARAMS; k++)
        if (t->s->has_size[k])
            t->size[k] = value;
    return draw_size(t) >= 0;
}

/* ---- the workspace ---- */

static bool
spoil_room(trial *t, int64_t by)
{
    t->workspace = t->spare;
    t->workspace_bytes = t->least + (size_t)by;
    return t->least > 0;
}

static bool
spoil_address(trial *t, int64_t by)
{
    t->workspace = (char *)t->spare + by;
    t->workspace_bytes = t->plenty;
    return t->least > 0;
}

static bool
spoil_null(trial *t, int64_t bytes)
{
    t->workspace = NULL;
    t->workspace_bytes = (size_t)bytes;
    return true;
}

/* The workspace has the first element of an array. */
static bool
spoil_lent(trial *t, int64_t bytes)
{
    int i = draw(t, has_axes);
    for (int k = 0; i >= 0 && k < t->b[i].rank; k++)
        if (t->a[i].shape[k] == 0)
            return false;
    if (i < 0)
        return false;
    t->workspace = (char *)t->a[i].data - (uintptr_t)t->a[i].data % 64;
    t->workspace_bytes = (size_t)bytes;
    return true;
}

/* ---- integers that are data ---- */

/* Some element of an integer input is another one. */
static bool
set_element(trial *t, int64_t value)
{
    int i = draw(t, is_integer_input);
    if (i < 0 || !t->a[i].data)
        return false;
    const diff_buffer *b = &t->b[i];
    size_t item = ilex_dtype_bytes(b->dtype);
    int64_t at = 0, most = ((int64_t)1 << (8 * (item < 4 ? item : 4) - 2)) - 1;
    for (int k = 0; k < b->rank; k++)
        at += (diff_between(&t->r, (int)b->box[k][0], (int)b->box[k][1] - 1) -
               b->first[k]) *
              b->stride[k];
    value = value > most ? most : value;
    memcpy((char *)t->a[i].data + at * (int64_t)item, &value, item);
    return true;
}

/* Just behind, or before, what an axis of some array covers. */
static bool
spoil_end(trial *t, int64_t behind)
{
    int k;
    const argument *a = draw_axis(t, has_axes, &k);
    int64_t from = a ? a->origin[k] - a->halo[k][0] : 0;
    return a && set_element(t, behind ? from + a->shape[k] : from - 1);
}

#define FAR ((int64_t)1 << 40)

static bool
spoil_nothing(trial *t, int64_t by)
{
    return t->n >= by;
}

const wrong_kind wrong_kinds[] = {
    {"nothing is wrong", spoil_nothing, 0},
    {"an axis is longer", spoil_length, 1},
    {"an axis is shorter", spoil_length, -1},
    {"an axis is empty", spoil_empty, 0},
    {"axes are longer", spoil_lengths, 1},
    {"axes are shorter", spoil_lengths, -1},
    {"axes are empty", spoil_all_empty, 0},
    {"an origin is higher", spoil_origin, 1},
    {"an origin is lower", spoil_origin, -1},
    {"a halo begins earlier", spoil_before, 1},
    {"a halo begins later", spoil_before, -1},
    {"a halo ends later", spoil_behind, 1},
    {"a halo ends earlier", spoil_behind, -1},
    {"a stride of an output is 0", spoil_stride, 0},
    {"a stride of an output is 1", spoil_stride, 1},
    {"strides of an output are alike", spoil_strides, 1},
    {"an output is over an input", spoil_over, 0},
    {"an output begins in an input", spoil_over, 1},
    {"an output is over an output", spoil_outputs, 0},
    {"an output begins in an output", spoil_outputs, 1},
    {"an output is in place of an input", spoil_place, 0},
    {"an output is nearly in its place", spoil_place, 1},
    {"an output in place begins later", spoil_shift, 1},
    {"an output in place begins earlier", spoil_shift, -1},
    {"an output in place runs backwards", spoil_turn, -1},
    {"an output in place is spread", spoil_turn, 2},
    {"an address is odd", spoil_alignment, 1},
    {"an input is NULL", spoil_data, 0},
    {"an output is NULL", spoil_data, 1},
    {"a stride leaves 64 bits", spoil_reach, INT64_MAX / 2},
    {"a size is larger", spoil_size, 1},
    {"a size is smaller", spoil_size, -1},
    {"a size is negative", spoil_given, -2},
    {"all sizes are negative", spoil_sizes, -2},
    {"a size is large", spoil_given, (int64_t)1 << 62},
    {"a size is open", spoil_given, -1},
    {"all sizes are open", spoil_sizes, -1},
    {"the workspace is small", spoil_room, -1},
    {"the workspace is at an odd address", spoil_address, 1},
    {"the workspace is NULL", spoil_null, 64},
    {"the workspace is in an array", spoil_lent, 64},
    {"an integer is large", set_element, FAR},
    {"an integer is negative", set_element, -1},
    {"an integer is just behind", spoil_end, 1},
    {"an integer is just before", spoil_end, 0},
};
const int wrong_count = (int)IX_COUNT(wrong_kinds);
