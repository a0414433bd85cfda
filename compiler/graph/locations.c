/* SPDX-License-Identifier: MIT
 *
 * Places in the source: that of an array, and those of all arrays that were
 * fused into what is stored.
 */
#include "compiler/unit.h"

#include <stdlib.h>

#include "lib/graph/annotation.h"

ix_source_location
ix_source_location_of(const ix_unit *u, const ilex_array *array)
{
    const ilex_array *x = array ? ix_unit_source(u, array) : NULL;
    for (int i = 0; x && i < ix_location_count(x); i++) {
        ix_location at = ix_location_get(x, i);
        const char *file = ix_symbol_text(u->ctx, at.file);
        if (*file)
            return (ix_source_location){file, at.line, at.column};
    }
    return (ix_source_location){"", 0, 0};
}

bool
ix_source_same_line(const ix_source_location *a, const ix_source_location *b)
{
    return a->line == b->line && !strcmp(a->file, b->file);
}

/* ---- all locations ---- */

static void
add_locations_of(ix_unit *u, ix_source_locations *p, const ilex_array *array)
{
    const ilex_array *x = ix_unit_source(u, array);
    for (int i = 0; i < ix_location_count(x); i++) {
        ix_location at = ix_location_get(x, i);
        ix_arena_grow(&u->arena, &p->item, &p->capacity, p->n + 1,
                      sizeof *p->item);
        p->item[p->n++] = (ix_source_location){ix_symbol_text(u->ctx, at.file),
                                               at.line, at.column};
    }
}

/* Is it computed where it is read? */
static bool
is_fused(const ix_unit *u, const ilex_array *x)
{
    size_t at = ix_unit_position(u, x);
    return at != SIZE_MAX && x->nops > 0 && u->decision[at].buffer < 0;
}

/* Arrays whose operands are to be looked at. */
typedef struct work_list {
    const ilex_array **item;
    size_t n, capacity;
} work_list;

static void
push(ix_unit *u, ix_source_locations *p, work_list *w, const ilex_array *x)
{
    if (ix_map_find(&p->seen, x))
        return;
    ix_map_set(&p->seen, &u->mem, x, 1);
    add_locations_of(u, p, x);
    ix_arena_grow(&u->arena, &w->item, &w->capacity, w->n + 1, sizeof *w->item);
    w->item[w->n++] = x;
}

/* Parts of a concat are stored each for itself: those of one are not those of
 * another. */
static void
add_fused(ix_unit *u, ix_source_locations *p, const ilex_array *array)
{
    work_list w = {.n = 0};
    push(u, p, &w, array);
    while (w.n) {
        const ilex_array *x = w.item[--w.n];
        for (int i = 0; x->kind != IX_CONCAT && i < x->nops; i++)
            if (ix_is_array(x->ops[i]) && is_fused(u, x->ops[i]))
                push(u, p, &w, x->ops[i]);
    }
}

void
ix_source_locations_add(ix_unit *u, ix_source_locations *p,
                        const ilex_array *array, const ilex_array *value)
{
    const ilex_array *made = value ? ix_made_of(u, value) : NULL;
    if (array)
        add_fused(u, p, array);
    if (made)
        add_fused(u, p, made);
}

static int
compare(const void *a, const void *b)
{
    const ix_source_location *x = a, *y = b;
    int file = strcmp(x->file, y->file);
    int line = (x->line > y->line) - (x->line < y->line);
    return file   ? file
           : line ? line
                  : (x->column > y->column) - (x->column < y->column);
}

void
ix_source_locations_sort(ix_source_locations *p)
{
    size_t n = 0;
    if (p->n)
        qsort(p->item, p->n, sizeof *p->item, compare);
    for (size_t i = 0; i < p->n; i++)
        if (n == 0 || compare(&p->item[n - 1], &p->item[i]))
            p->item[n++] = p->item[i];
    p->n = n;
}

/* ---- what checks are of ---- */

/* Does an array read the buffer, or arrays that it computes itself do, as far
 * as so many are looked at? */
static bool
is_reader(const ix_unit *u, const ilex_array *x, int buffer, int *most)
{
    bool found = buffer < 0;
    for (int i = 0; !found && i < x->nops && --*most > 0; i++) {
        const ilex_array *op = x->ops[i];
        size_t at = ix_is_array(op) ? ix_unit_position(u, op) : SIZE_MAX;
        if (at != SIZE_MAX)
            found = u->decision[at].buffer == buffer ||
                    (is_fused(u, op) && is_reader(u, op, buffer, most));
    }
    return found;
}

static bool
has_check(const ilex_array *x)
{
    bool found = false;
    for (int i = 0; i < x->nops; i++)
        found |= !ix_is_array(x->ops[i]) && x->ops[i]->flags & IX_HAS_CHECK;
    return found;
}

void
ix_source_locations_check(ix_unit *u, ix_source_locations *p, const ix_check *c)
{
    for (size_t i = 0; i < u->norder; i++) {
        const ilex_array *x = u->order[i];
        int most[2] = {100, 100};
        if (has_check(x) && is_reader(u, x, c->buffer, &most[0]) &&
            is_reader(u, x, c->source, &most[1]))
            add_locations_of(u, p, x);
    }
    ix_source_locations_sort(p);
}

void
ix_source_locations_print(const ix_source_locations *p, ix_text *t)
{
    enum { MOST = 3 };
    int n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const ix_source_location *at = &p->item[i];
        if (*at->file && n++ < MOST)
            ix_text_format(t, "%s%s:%d:%d", n > 1 ? " or " : " (", at->file,
                           at->line, at->column);
    }
    ix_text_put(t, n > MOST ? " or others)" : n ? ")" : "");
}
