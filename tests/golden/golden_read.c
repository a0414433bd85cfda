/* SPDX-License-Identifier: MIT
 *
 * Golden files: lines of fields separated by tabs under one header line that
 * starts with '#', and array literals. Nothing a file holds is trusted: what
 * is wrong with it is said with its line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"

/* ---- tables ---- */

/* All bytes of a file with a NUL behind; NULL with "error" set. */
static char *
read_all(const char *path, size_t *size, char *error, size_t room)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, capacity = 0;
    if (!f) {
        snprintf(error, room, "%s: %s", path, strerror(errno));
        return NULL;
    }
    do {
        if (n + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            text = golden_resize(text, capacity);
        }
        n += fread(text + n, 1, capacity - 1 - n, f);
    } while (n + 1 == capacity);
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed) {
        snprintf(error, room, "%s: cannot be read", path);
        free(text);
        return NULL;
    }
    text[n] = 0;
    *size = n;
    return text;
}

/* Cuts a line at its tabs into at most "room" fields; returns how many there
 * are. */
static int
split(char *line, char **field, int room)
{
    int n = 0;
    for (char *p = line; p; n++) {
        if (n < room)
            field[n] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = 0;
    }
    return n;
}

static void
add_row(golden_table *t, char *line, int number)
{
    t->line[t->rows] = number;
    char **field = golden_row(t, t->rows++);
    if (split(line, field, t->columns) != t->columns)
        field[0] = NULL;
}

/* Room for as many rows as t->text has lines. */
static void
make_room(golden_table *t)
{
    size_t lines = 1;
    for (const char *p = t->text; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    t->line = golden_resize(NULL, lines * sizeof *t->line);
    t->field =
        golden_resize(NULL, lines * (size_t)t->columns * sizeof *t->field);
}

/* Goes through the lines of t->text. */
static bool
read_lines(golden_table *t, char *error, size_t size)
{
    int number = 0;
    make_room(t);
    for (char *line = t->text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (++number > 1) {
            add_row(t, line, number);
            continue;
        }
        int columns = split(line, NULL, 0);
        if (line[0] != '#' || columns != t->columns) {
            snprintf(error, size,
                     "%s:1: expected a header that starts with '#' and names "
                     "%d columns, found %d columns after \"%.20s\"",
                     t->name, t->columns, columns, line);
            return false;
        }
    }
    if (t->rows == 0)
        snprintf(error, size, "%s: has no rows", t->name);
    return t->rows > 0;
}

bool
golden_table_read(golden_table *t, const char *dir, const char *name,
                  int columns, char *error, size_t size)
{
    *t = (golden_table){.name = name, .columns = columns};
    size_t length = 0, room = strlen(dir) + strlen(name) + 2;
    char *path = golden_resize(NULL, room);
    snprintf(path, room, "%s/%s", dir, name);
    t->text = read_all(path, &length, error, size);
    free(path);
    if (!t->text)
        return false;
    bool good = strlen(t->text) == length;
    if (!good)
        snprintf(error, size, "%s: is not text, byte %zu is 0", name,
                 strlen(t->text));
    good = good && read_lines(t, error, size);
    if (!good)
        golden_table_free(t);
    return good;
}

void
golden_table_free(golden_table *t)
{
    free(t->line);
    free(t->field);
    free(t->text);
    *t = (golden_table){.name = t->name};
}

char **
golden_row(const golden_table *t, size_t row)
{
    return t->field + row * (size_t)t->columns;
}

golden_promotion
golden_promotion_of(char **row, int i)
{
    return (golden_promotion){
        row[0], row[1], {row[2], golden_dtype_name((ilex_dtype)i)}, row[3 + i]};
}

/* ---- arrays ---- */

golden_array
golden_array_new(ilex_dtype dtype, int rank, const int64_t *shape,
                 int64_t count)
{
    golden_array a = {.dtype = dtype, .rank = rank, .count = count};
    for (int k = 0; k < rank; k++)
        a.shape[k] = shape[k];
    size_t bytes = (size_t)count * ilex_dtype_bytes(dtype);
    a.data = golden_resize(NULL, bytes);
    memset(a.data, 0, bytes);
    return a;
}

void *
golden_array_at(const golden_array *a, int64_t i)
{
    return a->data + (size_t)i * ilex_dtype_bytes(a->dtype);
}

void
golden_array_free(golden_array *a)
{
    free(a->data);
    a->data = NULL;
}

/* "DTYPE[" at "text"; the text behind it, or NULL. */
static const char *
parse_dtype(golden_array *a, const char *text, const char *end)
{
    char name[16];
    const char *p = memchr(text, '[', (size_t)(end - text));
    if (!p || (size_t)(p - text) >= sizeof name)
        return NULL;
    memcpy(name, text, (size_t)(p - text));
    name[p - text] = 0;
    return golden_dtype(name, &a->dtype) ? p + 1 : NULL;
}

/* "DIMS]{" at "p"; the text behind it, or NULL. The number of elements has to
 * be small. */
static const char *
parse_shape(golden_array *a, const char *p, const char *end)
{
    const int64_t most = 1 << 24;
    a->count = 1;
    while (p < end && *p >= '0' && *p <= '9') {
        int64_t n = 0;
        for (; p < end && *p >= '0' && *p <= '9' && n <= most; p++)
            n = 10 * n + (*p - '0');
        if (a->rank == ILEX_MAX_RANK || n > most)
            return NULL;
        a->shape[a->rank++] = n;
        a->count *= n;
        if (a->count > most || p == end || (*p != ',' && *p != ']'))
            return NULL;
        p += *p == ',';
    }
    if (p == end || *p != ']' || p[-1] == ',')
        return NULL;
    return p + 1 < end && p[1] == '{' ? p + 2 : NULL;
}

/* "VALUE" or "VALUE*TIMES" up to "end" as element "i" and those behind it; how
 * many, 0 if it is neither. */
static int64_t
parse_value(golden_array *a, int64_t i, const char *p, const char *end)
{
    const char *star = memchr(p, '*', (size_t)(end - p));
    const char *stop = star ? star : end;
    int64_t times = star ? 0 : 1;
    while (star && ++star < end && times <= a->count)
        times = *star < '0' || *star > '9' ? a->count + 1
                                           : 10 * times + (*star - '0');
    if (times < 1 || times > a->count - i ||
        !golden_parse(a->dtype, p, (size_t)(stop - p), golden_array_at(a, i)))
        return 0;
    for (int64_t k = 1; k < times; k++)
        memcpy(golden_array_at(a, i + k), golden_array_at(a, i),
               ilex_dtype_bytes(a->dtype));
    return times;
}

/* "VALUES}" at "p"; whether there are just as many as elements. */
static bool
parse_values(golden_array *a, const char *p, const char *end)
{
    if (p == end || end[-1] != '}')
        return false;
    end--;
    for (int64_t i = 0; i < a->count;) {
        const char *q = memchr(p, ' ', (size_t)(end - p));
        int64_t times = parse_value(a, i, p, q ? q : end);
        i += times;
        if (times == 0 || (i == a->count) != !q)
            return false;
        p = q ? q + 1 : end;
    }
    return p == end;
}

const char *
golden_array_parse(golden_array *a, const char *text, size_t length)
{
    const char *end = text + length;
    golden_array head = {.data = NULL};
    *a = head;
    const char *p = parse_dtype(&head, text, end);
    if (!p)
        return "does not start with a dtype as in \"int8[2]{1 2}\"";
    p = parse_shape(&head, p, end);
    if (!p)
        return "has no extents as in \"int8[2,1]{1 2}\"";
    if (head.count > end - p && !memchr(p, '*', (size_t)(end - p)))
        return "has fewer values than its extents say";
    *a = golden_array_new(head.dtype, head.rank, head.shape, head.count);
    if (parse_values(a, p, end))
        return NULL;
    golden_array_free(a);
    return "has other values than its dtype and extents say";
}

void
golden_array_show(const golden_array *a, char *text, size_t size)
{
    size_t n = 0;
    n += (size_t)snprintf(text, size, "%s[", golden_dtype_name(a->dtype));
    for (int k = 0; k < a->rank && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%lld", k ? "," : "",
                              (long long)a->shape[k]);
    if (n < size)
        n += (size_t)snprintf(text + n, size - n, "]{");
    for (int64_t i = 0; i < a->count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "",
                              golden_show(a->dtype, golden_array_at(a, i)).s);
    if (n + 1 < size)
        snprintf(text + n, size - n, "}");
    else if (size > 4)
        memcpy(text + size - 4, "...", 4);
}
