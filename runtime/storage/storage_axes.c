/* SPDX-License-Identifier: MIT
 *
 * The words for axes in a storage spec: names ("IJK", "I, J, Vertex") and
 * layouts ("C", "F", "KJI", "2, 0, 1", maps).
 */
#include "runtime/storage/storage.h"

#include <ctype.h>
#include <stdio.h>

#include "lib/graph/context.h"
#include "runtime/storage/preset.h"

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
    size_t n = strlen(text);
    n = n < 5 ? n : 5;
    return n - ix_axis_stem(text, n) + 1;
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

/* A name is an identifier, or one followed by "+1/2" (a staggered axis), or one
 * of those that arrays have which ranks send each other. */
static bool
axis_name_valid(token t, ix_error *err)
{
    if (t.length < IX_AXIS_NAME &&
        (ix_is_sent(t.text) || ix_is_of_chunks(t.text)))
        return true;
    return ix_name_check(err, "axis name", t.text,
                         ix_axis_stem(t.text, t.length));
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

static bool
is_listed(const token *t, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strlen(name) == t[i].length &&
            memcmp(name, t[i].text, t[i].length) == 0)
            return true;
    return false;
}

/* The unnamed axis whose number stands there; -2 for anything else. */
static int
numbered_axis(const ilex_storage *s, token t)
{
    for (int k = 0; k < s->rank; k++) {
        char number[16];
        snprintf(number, sizeof number, "%d", k);
        if (is_listed(&t, 1, number))
            return k;
    }
    return -2;
}

/* The axis that word number "i" of the "n" of a layout names; -1 if the storage
 * lacks it, -2 if it is neither a name nor a number that fits. I is I+1/2
 * unless that is listed as well. */
static int
layout_axis(const ilex_storage *s, const token *t, int n, int i)
{
    if (!s->rank || !*s->axis[0])
        return numbered_axis(s, t[i]);
    int k = ix_axis_find(s->rank, s->axis, t[i].text, t[i].length);
    if (k >= 0 && !is_listed(&t[i], 1, s->axis[k]) &&
        is_listed(t, n, s->axis[k]))
        k = -1;
    bool digit = t[i].length && isdigit((unsigned char)t[i].text[0]);
    return k < 0 && (!t[i].length || digit) ? -2 : k;
}

/* Is "layout" the name of the one axis? */
static bool
is_only_axis(const ilex_storage *s, const char *layout)
{
    return s->rank == 1 &&
           ix_axis_find(1, s->axis, layout, strlen(layout)) == 0;
}

/* The axes that "layout" lists by names or numbers; does it list each once? */
static bool
read_order(const ilex_storage *s, const char *layout, int *order)
{
    token t[ILEX_MAX_RANK + 1];
    int placed = 0;
    bool one = is_only_axis(s, layout), used[ILEX_MAX_RANK] = {0};
    int n = split(layout, one, t);
    for (int i = 0; i < n && n <= ILEX_MAX_RANK; i++) {
        int k = layout_axis(s, t, n, i);
        if (k == -1)
            continue;
        if (k < 0 || used[k]) {
            placed = -1;
            break;
        }
        used[k] = true;
        order[placed++] = k;
    }
    return placed == s->rank;
}

/* Layout by names or numbers of axes, slowest first. */
static ilex_status
set_layout_list(ilex_storage *s, const char *layout, ix_error *err)
{
    int order[ILEX_MAX_RANK];
    if (!read_order(s, layout, order))
        return ix_fail(err, ILEX_E_AXIS,
                       "storage: layout '%.200s' does not list each of the %d "
                       "axes once, from the largest stride to the smallest; "
                       "give \"C\", \"F\", names (\"KJI\", \"Vertex, K\") or "
                       "numbers of unnamed axes (\"2, 0, 1\")",
                       layout, s->rank);
    set_order(s, order);
    return ILEX_OK;
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
    if (read_order(s, axes, order))
        return ILEX_OK;
    return ix_fail(err, ILEX_E_AXIS,
                   "storage transpose_axes: '%.200s' does not name each of the "
                   "%d axes once, as \"KJI\", \"Vertex, K\" or for axes "
                   "without names \"2, 0, 1\" do",
                   axes, s->rank);
}

/* ---- reduced axes ---- */

/* The axis that a name or a number (from the end if negative) stands for; -1
 * if none does. */
static int
listed_axis(const ilex_storage *s, token t)
{
    bool negative = t.length > 0 && t.text[0] == '-';
    int number = 0, k = ix_axis_find(s->rank, s->axis, t.text, t.length);
    if (k >= 0)
        return k;
    size_t first = negative ? 1 : 0;
    bool zero = t.length > first + 1 && t.text[first] == '0';
    if (t.length <= first || t.length > 3 || zero)
        return -1;
    for (size_t i = first; i < t.length; i++) {
        if (!isdigit((unsigned char)t.text[i]))
            return -1;
        number = 10 * number + t.text[i] - '0';
    }
    number = negative ? s->rank - number : number;
    return number >= 0 && number < s->rank ? number : -1;
}

ilex_status
ix_storage_axes_mask(const ilex_storage *s, const char *list, uint32_t *mask,
                     ix_error *err)
{
    token t[ILEX_MAX_RANK + 1];
    *mask = 0;
    int n = split(list, true, t);
    bool one = n == 1 && listed_axis(s, t[0]) >= 0;
    n = one ? 1 : split(list, strpbrk(list, "-0123456789") != NULL, t);
    for (int i = 0; i < n && i <= ILEX_MAX_RANK; i++) {
        int k = listed_axis(s, t[i]);
        if (k < 0 || (*mask >> k & 1))
            return ix_fail(err, ILEX_E_AXIS,
                           "'%.*s' in the axes '%.80s' is %s of the %d axes of "
                           "the storage; give names (\"K\", \"I, Vertex\") or "
                           "numbers (\"0, -1\")",
                           (int)(t[i].length < 40 ? t[i].length : 40),
                           t[i].text, list,
                           k < 0 ? "none" : "a second time one", s->rank);
        *mask |= 1u << k;
    }
    return ILEX_OK;
}

/* ---- a layout carried over to other axes ---- */

/* The words of the layout of "s" if they list all its axes in the order in
 * which they lie; 0: they do not. */
static int
true_words(const ilex_storage *s, token t[ILEX_MAX_RANK + 1])
{
    int last = -1, found = 0;
    bool one = is_only_axis(s, s->order);
    int n = split(s->order, one, t);
    for (int i = 0; i < n && n <= ILEX_MAX_RANK; i++) {
        int k = layout_axis(s, t, n, i);
        if (k == -1)
            continue;
        if (k < 0 || s->layout[k] <= last)
            return 0;
        last = s->layout[k];
        found++;
    }
    return found == s->rank ? n : 0;
}

/* The axes of "s" by falling stride, masked ones last: names, or numbers of
 * two digits at most, which are kept in "numbers". */
static int
words_by_place(const ilex_storage *s, char numbers[][3],
               token t[ILEX_MAX_RANK + 1])
{
    int n = 0;
    for (int place = 0; place <= s->rank; place++)
        for (int k = 0; k < s->rank; k++) {
            const char *name = s->axis[k];
            if ((s->layout[k] < 0 ? s->rank : s->layout[k]) != place)
                continue;
            if (!*name) {
                int ten = k >= 10;
                numbers[k][0] = '1';
                numbers[k][ten] = (char)('0' + k % 10);
                numbers[k][ten + 1] = 0;
                name = numbers[k];
            }
            t[n++] = (token){name, strlen(name)};
        }
    return n;
}

/* Adds a word to a list that has room for it. */
static void
add_word(char *words, const char *text, size_t length)
{
    size_t n = strlen(words);
    if (n)
        words[n++] = ',';
    memcpy(words + n, text, length);
    words[n + length] = 0;
}

/* Those of the words "t" that name an axis of the list, then the axes that
 * they lack; numbers as they are. */
static void
join_words(const token *t, int n, int rank, const char *const *axis,
           char *words)
{
    bool named = rank > 0 && *axis[0];
    for (int i = 0; i < n; i++) {
        bool wanted = !named;
        for (int k = 0; k < rank && !wanted; k++)
            wanted = is_listed(&t[i], 1, axis[k]);
        if (wanted)
            add_word(words, t[i].text, t[i].length);
    }
    for (int k = 0; named && k < rank; k++)
        if (!is_listed(t, n, axis[k]))
            add_word(words, axis[k], strlen(axis[k]));
}

void
ix_storage_layout_words(const ilex_storage *s, int rank,
                        const char *const *axis, char *words, size_t size)
{
    char numbers[ILEX_MAX_RANK][3];
    token t[ILEX_MAX_RANK + 1];
    bool named = s->rank > 0 && *s->axis[0];
    *words = 0;
    bool whole = strcmp(s->order, "C") == 0 || strcmp(s->order, "F") == 0;
    if (rank == 0 || (!whole && !named && s->rank != rank))
        return;
    int n = !whole && named ? true_words(s, t) : 0;
    if (n > 0 && strlen(s->order) < size) {
        whole = true;
        for (int k = 0; k < rank; k++)
            whole = whole && is_listed(t, n, axis[k]);
    }
    if (whole)
        memcpy(words, s->order, strlen(s->order) + 1);
    else
        join_words(t, n ? n : words_by_place(s, numbers, t), rank, axis, words);
}

const char *
ix_storage_axis_words(int rank, const char *const *axis, char *words,
                      size_t size)
{
    size_t at = 0;
    if (rank == 0 || !*axis[0])
        return NULL;
    for (int k = 0; k < rank; k++)
        at += (size_t)snprintf(words + at, size - at, "%s%s", k ? "," : "",
                               axis[k]);
    return words;
}
