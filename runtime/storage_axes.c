/* SPDX-License-Identifier: MIT
 *
 * The words for axes in a storage spec: names ("IJK", "I, J, Vertex") and
 * layouts ("C", "F", "KJI", "2, 0, 1", maps).
 */
#include "runtime/storage.h"

#include <ctype.h>

#include "lib/context.h"
#include "runtime/preset.h"

/* ---- axis names ---- */

typedef struct token {
    const char *text;
    size_t length;
} token;

/* Length of the name at "text" in a list without commas: one character, or
 * one with "+1/2". */
static size_t
compact_length(const char *text)
{
    return strncmp(text + 1, "+1/2", 4) == 0 ? 5 : 1;
}

/* Splits a list of names at commas, or without any into single characters;
 * "one" keeps it whole. Returns the number, ILEX_MAX_RANK + 1 for more. */
static int
split(const char *list, bool one, token out[ILEX_MAX_RANK + 1])
{
    bool commas = one || strchr(list, ',') != NULL;
    int n = 0;
    while (n <= ILEX_MAX_RANK) {
        list += strspn(list, " ");
        if (!*list && (!commas || n == 0))
            break;
        size_t length = commas ? strcspn(list, ",") : compact_length(list);
        bool more = commas && list[length] == ',';
        token t = {list, length};
        while (t.length && t.text[t.length - 1] == ' ')
            t.length--;
        out[n++] = t;
        list += length + more;
        if (commas && !more)
            break;
    }
    return n;
}

/* A name is an identifier, or one followed by "+1/2" (a staggered axis). */
static bool
axis_name_valid(token t, ix_error *err)
{
    size_t n = t.length;
    if (n > 4 && memcmp(t.text + n - 4, "+1/2", 4) == 0)
        n -= 4;
    return ix_name_check(err, "axis name", t.text, n);
}

ilex_status
ix_storage_axes(const char *axes, int rank, ix_storage_names *names,
                ix_error *err)
{
    token t[ILEX_MAX_RANK + 1];
    int n = split(axes, rank == 1, t);
    if (n != rank)
        return ix_fail(err, ILEX_E_RANK,
                       "storage: axes '%.200s' name %d axes and the shape has "
                       "%d; write one letter an axis (\"IJK\") or separate "
                       "names by commas (\"I, J, Vertex\")",
                       axes, n, rank);
    for (int k = 0; k < n; k++) {
        if (!axis_name_valid(t[k], err))
            return ILEX_E_NAME;
        memcpy(names->axis[k], t[k].text, t[k].length);
        names->axis[k][t[k].length] = 0;
        for (int j = 0; j < k; j++)
            if (strcmp(names->axis[j], names->axis[k]) == 0)
                return ix_fail(err, ILEX_E_DUPLICATE,
                               "storage: two axes are called '%s'; each axis "
                               "needs a name of its own",
                               names->axis[k]);
    }
    return ILEX_OK;
}

/* ---- layout ---- */

/* Sets the places of "s" from the axes "order", slowest first. */
static void
set_order(ilex_storage *s, const int *order)
{
    for (int p = 0; p < s->rank; p++)
        s->layout[order[p]] = p;
}

/* The axis that a word of a layout names; -1 if the storage lacks it, -2 if
 * it is neither a name nor a number that fits. */
static int
layout_axis(const ilex_storage *s, token t)
{
    bool named = s->rank && *s->axis[0];
    for (int k = 0; k < s->rank; k++) {
        char number[16];
        const char *name = s->axis[k];
        if (!named) {
            number[0] = (char)('0' + k / 10);
            number[1] = (char)('0' + k % 10);
            number[2] = 0;
            name = k < 10 ? number + 1 : number;
        }
        if (strlen(name) == t.length && memcmp(name, t.text, t.length) == 0)
            return k;
    }
    bool digit = t.length && isdigit((unsigned char)t.text[0]);
    return named && t.length && !digit ? -1 : -2;
}

/* The axes that "layout" lists by names or numbers. */
static ilex_status
read_order(const ilex_storage *s, const char *layout, int *order, ix_error *err)
{
    token t[ILEX_MAX_RANK + 1];
    int placed = 0;
    bool one = s->rank == 1 && strcmp(layout, s->axis[0]) == 0,
         used[ILEX_MAX_RANK] = {0};
    int n = split(layout, one, t);
    for (int i = 0; i < n && n <= ILEX_MAX_RANK; i++) {
        int k = layout_axis(s, t[i]);
        if (k == -1)
            continue;
        if (k < 0 || used[k]) {
            placed = -1;
            break;
        }
        used[k] = true;
        order[placed++] = k;
    }
    if (placed != s->rank)
        return ix_fail(err, ILEX_E_AXIS,
                       "storage: layout '%.200s' does not list each of the %d "
                       "axes once, from the largest stride to the smallest; "
                       "give \"C\", \"F\", names (\"KJI\", \"Vertex, K\") or "
                       "numbers of unnamed axes (\"2, 0, 1\")",
                       layout, s->rank);
    return ILEX_OK;
}

/* Layout by names or numbers of axes, slowest first. */
static ilex_status
set_layout_list(ilex_storage *s, const char *layout, ix_error *err)
{
    int order[ILEX_MAX_RANK];
    ilex_status rc = read_order(s, layout, order, err);
    if (!rc)
        set_order(s, order);
    return rc;
}

ilex_status
ix_storage_set_layout_map(ilex_storage *s, const int *map, ix_error *err)
{
    bool used[ILEX_MAX_RANK] = {0};
    int places = 0;
    for (int k = 0; k < s->rank; k++)
        places += map[k] != -1;
    for (int k = 0; k < s->rank; k++) {
        int p = map[k];
        if (p < -1 || p >= places || (p >= 0 && used[p]))
            return ix_fail(err, ILEX_E_AXIS,
                           "storage: place %d of axis %d in layout_map is not "
                           "one of 0 to %d, each used once, or -1 for a masked "
                           "axis",
                           p, k, places - 1);
        if (p >= 0)
            used[p] = true;
        s->layout[k] = p;
    }
    return ILEX_OK;
}

/* Masks what "selector" leaves out; the rest keeps its order. */
static void
mask_axes(ilex_storage *s, const unsigned char *selector)
{
    for (int k = 0; k < s->rank; k++) {
        if (selector[k] || s->layout[k] < 0)
            continue;
        for (int j = 0; j < s->rank; j++)
            s->layout[j] -= s->layout[j] > s->layout[k];
        s->layout[k] = -1;
    }
}

/* Layout from words or a map of the spec. */
static ilex_status
set_given_layout(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    int map[ILEX_MAX_RANK];
    s->source[IX_PROPERTY_LAYOUT] = IX_SOURCE_GIVEN;
    if (p->layout_map)
        return ix_storage_set_layout_map(s, p->layout_map, err);
    s->order = p->layout;
    bool fortran = strcmp(p->layout, "F") == 0;
    if (!fortran && strcmp(p->layout, "C") != 0)
        return set_layout_list(s, p->layout, err);
    for (int k = 0; k < s->rank; k++)
        map[k] = fortran ? s->rank - 1 - k : k;
    return ix_storage_set_layout_map(s, map, err);
}

ilex_status
ix_storage_set_layout(const ilex_storage_spec *p, const ix_preset *preset,
                      ilex_storage *s, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    s->order = "";
    if (p->layout || p->layout_map) {
        rc = set_given_layout(p, s, err);
    } else if (preset) {
        s->source[IX_PROPERTY_LAYOUT] = IX_SOURCE_PRESET;
        s->order = preset->order ? preset->order : "";
        rc = ix_preset_layout(preset, s, err);
    } else if (p->like) {
        s->source[IX_PROPERTY_LAYOUT] = IX_SOURCE_LIKE;
        s->order = p->like->order;
        memcpy(s->layout, p->like->layout, sizeof s->layout);
    } else {
        s->order = "C";
        for (int k = 0; k < s->rank; k++)
            s->layout[k] = k;
    }
    if (!rc && p->selector)
        mask_axes(s, p->selector);
    return rc;
}

ilex_status
ix_storage_axis_order(const ilex_storage *s, const char *axes, int *order,
                      ix_error *err)
{
    return read_order(s, axes, order, err);
}
