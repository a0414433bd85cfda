/* SPDX-License-Identifier: MIT
 *
 * Runs in sections: the storages of what ranks send each other between them,
 * on the grid, with halos so wide that each has what it reads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/halo/lists.h"
#include "runtime/program/program.h"

void
ix_sections_axes(const ilex_grid *grid, char *text)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < grid->naxes; k++)
        if (grid->axis[k].ranks > 1)
            at += (size_t)snprintf(text + at, IX_AXES_TEXT - at, "%s%s",
                                   at ? "," : "", grid->axis[k].name);
}

/* Which axis of the grid the one number "i" of its text is. */
static int
axis_of(const ilex_grid *grid, long i)
{
    int k = 0;
    while (k < grid->naxes && (grid->axis[k].ranks == 1 || i-- > 0))
        k++;
    return k;
}

bool
ix_sections_chunks(ilex_grid *open, const ix_compiled *c)
{
    bool ok = true;
    for (size_t i = 0; i < c->narguments; i++)
        for (int k = 0; ok && k < c->buffer[i].rank; k++) {
            const char *name = c->buffer[i].axis[k];
            char *end;
            if (!ix_is_of_chunks(name))
                continue;
            long length = strtol(name + strlen(IX_SENT_CHUNKS), &end, 10);
            ok = ix_grid_add_chunks(
                open, name, axis_of(open, strtol(end + 1, NULL, 10)), length);
        }
    return ok;
}

ilex_status
ix_sections_halo(const ix_sections *s, const char *name, ix_index_box *width,
                 ix_error *err)
{
    ilex_status rc = ILEX_OK;
    memset(width, 0, sizeof *width);
    for (size_t k = 0; !rc && k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        size_t i = ix_find_argument(c, name);
        ix_index_box w;
        if (i == c->narguments || c->buffer[i].role == IX_COMPILED_OUTPUT)
            continue;
        rc = ix_reading_halo(&s->reads[k], i, &w, err);
        for (int a = 0; !rc && a < c->buffer[i].rank; a++)
            for (int side = 0; side < 2; side++)
                if (width->k[a][side] < w.k[a][side])
                    width->k[a][side] = w.k[a][side];
    }
    return rc;
}

/* The storage of argument "b" of section "k", which is read as "name". */
static ilex_storage *
make(const ix_sections *s, size_t k, const ix_compiled_buffer *b,
     const char *name, ix_error *err)
{
    int64_t shape[ILEX_MAX_RANK], origin[ILEX_MAX_RANK];
    char words[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)];
    ix_index_box halo;
    ix_error own;
    if (ix_sections_halo(s, name, &halo, err))
        return NULL;
    for (int a = 0; a < b->rank; a++) {
        int64_t hi, n;
        if (!ix_range_eval(&b->interior[a], s->size[k], &origin[a], &hi) ||
            !ix_sub(hi, origin[a], &n) ||
            !ix_add(n < 0 ? 0 : n, halo.k[a][0], &n) ||
            !ix_add(n, halo.k[a][1], &shape[a]))
            return ix_fail_null(err, ILEX_E_OVERFLOW,
                                "%s: with these sizes a range leaves 64 bits",
                                s->program[k]->c->name);
    }
    ilex_storage_spec spec = {
        .size = sizeof spec,
        .dtype = ilex_dtype_name(b->dtype),
        .rank = b->rank,
        .shape = shape,
        .axes = ix_storage_axis_words(b->rank, b->axis, words, sizeof words),
        .name = b->name,
        .halo = halo.k[0],
        .origin = origin,
        .grid = s->grid};
    ix_error_clear(&own);
    ix_maker maker = ix_storage_maker(NULL);
    ilex_storage *made = ix_storage_build(&maker, &spec, &own);
    if (made && made->division)
        made->division->bounded = true;
    if (made)
        return made;
    return own.code == ILEX_E_AXIS
               ? ix_fail_null(err, ILEX_E_UNSUPPORTED,
                              "%s: ranks would send each other an array in "
                              "between on [%s], two of whose axes are divided "
                              "among the same ranks; that is not supported",
                              s->program[k]->c->name, words)
               : ix_fail_null(err, own.code, "%s", own.text);
}

/* ---- kept by the grid of a run ---- */

enum { KEPT = 4 }; /* programs, with sizes */

/* Of what is called so, which elements go where; NULL: not known. */
typedef struct listed {
    const char *name;
    ix_list *list;
} listed;

/* What one program sends with some sizes: storages, lists, what places were
 * found of by sections. */
typedef struct ix_sections_kept {
    uint64_t key[2];
    ilex_binding *sent;
    size_t n, capacity;
    listed *list;
    size_t nlists, lists_capacity;
    uint64_t found[IX_SECTIONS]; /* 0: they were not */
    uint64_t runs; /* with arrays of which nobody counts how often they are
                      written */
    uint64_t age;  /* of the group, when lists were found */
} entry;

typedef struct keeper {
    entry entry[KEPT];
    unsigned turn;
} keeper;

static void
drop_lists(entry *e)
{
    for (size_t i = 0; i < e->nlists; i++)
        ix_list_free(e->list[i].list);
    e->nlists = 0;
    memset(e->found, 0, sizeof e->found);
}

static void
clear(entry *e)
{
    for (size_t i = 0; i < e->n; i++) {
        ilex_storage_release(e->sent[i].storage);
        free((void *)(uintptr_t)e->sent[i].name);
    }
    drop_lists(e);
    ix_mem_free(&ix_mem_default, e->list);
    ix_mem_free(&ix_mem_default, e->sent);
    *e = (entry){.n = 0};
}

static void
forget(void *kept)
{
    keeper *k = kept;
    for (int i = 0; i < KEPT; i++)
        clear(&k->entry[i]);
    free(k);
}

/* Adds a storage, which is the entry's then. */
static ilex_status
add(entry *e, const char *name, ilex_storage *x, ix_error *err)
{
    char *own = x ? malloc(strlen(name) + 1) : NULL;
    if (!x)
        return err->code;
    if (!own || !ix_mem_grow(&ix_mem_default, &e->sent, &e->capacity, e->n + 1,
                             sizeof *e->sent)) {
        free(own);
        ilex_storage_release(x);
        return ix_fail_memory(err);
    }
    e->sent[e->n++] = (ilex_binding)ILEX_BIND(strcpy(own, name), x);
    return ILEX_OK;
}

static const ilex_binding *
find(const ilex_binding *sent, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(sent[i].name, name))
            return &sent[i];
    return NULL;
}

/* What loop "l" carries as number "k", which steps find; NULL: none does. */
static const ilex_binding *
find_now(const ilex_binding *sent, size_t n, int l, int k)
{
    char name[64];
    size_t length = (size_t)snprintf(name, sizeof name, "now%d_%d", l, k);
    for (size_t i = 0; i < n; i++) {
        size_t all = strlen(sent[i].name);
        if (all > length && !strcmp(sent[i].name + all - length, name))
            return &sent[i];
    }
    return NULL;
}

/* The name under which an argument is read: what a step makes lies as what it
 * finds. */
static const char *
name_read(const entry *e, const char *name)
{
    int loop, k;
    bool next = sscanf(name, IX_SENT_NEXT, &loop, &k) == 2;
    const ilex_binding *now = next ? find_now(e->sent, e->n, loop, k) : NULL;
    return now ? now->name : name;
}

/* Those of all sections that are, or are not, outputs, unless they are there:
 * an input is the whole of what outputs may be a part of. */
static ilex_status
fill(const ix_sections *s, entry *e, bool outputs, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (size_t k = 0; k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        for (size_t i = 0; !rc && i < c->narguments; i++) {
            const ix_compiled_buffer *b = &c->buffer[i];
            if ((b->role == IX_COMPILED_OUTPUT) == outputs &&
                ix_is_sent(b->name) && !find(e->sent, e->n, b->name))
                rc = add(e, b->name, make(s, k, b, name_read(e, b->name), err),
                         err);
        }
    }
    return rc;
}

/* The entry of the sections, made if there is none; NULL after an error. */
static entry *
find_entry(const ix_sections *s, keeper *k, ix_error *err)
{
    uint64_t key[2] = {0};
    for (size_t i = 0; i < s->n; i++)
        for (int half = 0; half < 2; half++)
            key[half] = ix_mix(key[half], s->reads[i].meaning[half]);
    for (int i = 0; i < KEPT; i++)
        if (k->entry[i].n > 0 && !memcmp(k->entry[i].key, key, sizeof key))
            return &k->entry[i];
    entry *e = &k->entry[k->turn++ % KEPT];
    clear(e);
    if (fill(s, e, false, err) || fill(s, e, true, err)) {
        clear(e);
        return NULL;
    }
    memcpy(e->key, key, sizeof key);
    return e;
}

ilex_status
ix_sections_begin(ix_sections *s, ilex_grid *grid, ix_error *err)
{
    if (!grid->kept)
        grid->kept = calloc(1, sizeof(keeper));
    if (!grid->kept)
        return ix_fail_memory(err);
    grid->forget = forget;
    entry *e = find_entry(s, grid->kept, err);
    if (!e)
        return err->code;
    s->kept = e;
    if (e->age != grid->group->age) /* others may not know them */
        drop_lists(e);
    e->age = grid->group->age;
    s->sent = e->sent;
    s->nsent = e->n;
    return ILEX_OK;
}

/* ---- lists ---- */

/* The number of an array and an axis in the name of its places, or of its copy
 * in a list. */
static bool
read_listed(const char *name, const char *format, size_t *of, int *axis)
{
    int number;
    return sscanf(name, format, of, axis, &number) >= 2;
}

/* The arrays "name" of which places are found; how many. */
static size_t
find_places(const ix_sections *s, const char *name, const ilex_storage **places)
{
    size_t n = 0, of, has;
    int axis, along;
    read_listed(name, IX_SENT_LIST, &of, &axis);
    for (size_t k = 0; k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        for (size_t i = 0; i < c->narguments && s->kept->found[k]; i++)
            if (c->buffer[i].role == IX_COMPILED_OUTPUT &&
                read_listed(c->buffer[i].name, IX_SENT_PLACES, &has, &along) &&
                has == of && along == axis)
                places[n++] =
                    find(s->sent, s->nsent, c->buffer[i].name)->storage;
    }
    return n;
}

/* The list called so; NULL: no memory. */
static listed *
list_of(entry *e, const char *name)
{
    for (size_t i = 0; i < e->nlists; i++)
        if (!strcmp(e->list[i].name, name))
            return &e->list[i];
    if (!ix_mem_grow(&ix_mem_default, &e->list, &e->lists_capacity,
                     e->nlists + 1, sizeof *e->list))
        return NULL;
    e->list[e->nlists] = (listed){.name = name};
    return &e->list[e->nlists++];
}

/* What is read of list "x" comes here, if it is not here yet. */
static ilex_status
get_listed(const ix_sections *s, const ilex_binding *x, ix_error *err)
{
    ilex_storage *to = (ilex_storage *)(uintptr_t)x->storage;
    const ilex_storage **places =
        ix_mem_new(&ix_mem_default, (s->nsent + 1) * sizeof *places);
    listed *l = places ? list_of(s->kept, x->name) : NULL;
    const char *what = s->program[0]->c->name;
    bool known = l && l->list;
    size_t of;
    int axis = 0;
    if (l && !known && read_listed(x->name, IX_SENT_LIST, &of, &axis))
        l->list = ix_list_find(to, axis, places,
                               find_places(s, x->name, places), what, err);
    ix_mem_free(&ix_mem_default, places);
    if (!l)
        return ix_fail_memory(err);
    if (!l->list)
        return err->code;
    return known && ix_division_is_same(to)
               ? ILEX_OK
               : ix_list_exchange(l->list, to, what, err);
}

/* Does section "k" read more of argument "i" than its part? */
static bool
is_read_elsewhere(const ix_sections *s, size_t k, size_t i)
{
    ix_index_box width;
    ix_error own;
    ix_error_clear(&own);
    bool any = ix_reading_halo(&s->reads[k], i, &width, &own) != ILEX_OK;
    for (int a = 0; !any && a < s->program[k]->c->buffer[i].rank; a++)
        any = width.k[a][0] > 0 || width.k[a][1] > 0;
    return any;
}

ilex_status
ix_sections_lists(const ix_sections *s, size_t k, ix_error *err)
{
    const ix_compiled *c = s->program[k]->c;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role != IX_COMPILED_OUTPUT && b->used && ix_is_listed(b->name) &&
            is_read_elsewhere(s, k, i))
            rc = get_listed(s, find(s->sent, s->nsent, b->name), err);
    }
    return rc;
}

/* What the arguments of a run are, and how often they were written. */
static uint64_t
inputs_of(const ix_sections *s, const ix_run *part)
{
    const ix_compiled *c = part->p->c;
    uint64_t h = 1;
    for (size_t i = 0; i < part->nbindings; i++) {
        const ilex_binding *b = &part->bindings[i];
        size_t k = ix_find_argument(c, b->name);
        if (c->buffer[k].role == IX_COMPILED_OUTPUT)
            continue;
        if (b->kind == ILEX_BOUND_STORAGE) {
            const ilex_storage *x = b->storage;
            h = ix_mix(h, atomic_load(&x->memory->writes));
            h = ix_hash_bytes(h, &x->data, sizeof x->data);
            h = ix_hash_bytes(h, x->stride, (size_t)x->rank * sizeof(int64_t));
            const ix_memory *m = x->memory; /* a pointer may be elsewhere */
            if (x->data < m->base || x->data > m->base + m->bytes)
                h = ix_mix(h, ++s->kept->runs);
        } else {
            h = ix_hash_bytes(h, &b->re, sizeof b->re);
            h = ix_hash_bytes(h, &b->im, sizeof b->im);
            h = ix_mix(h, (uint64_t)b->integer);
        }
    }
    return ix_hash_bytes(h, s->step, sizeof s->step) | 1;
}

bool
ix_sections_same(const ix_sections *s, size_t k, const ix_run *part)
{
    if (!s->list || !(s->list->places >> k & 1))
        return false;
    uint64_t now = inputs_of(s, part);
    bool same = s->kept->found[k] == now;
    s->kept->found[k] = now;
    return same;
}

/* Places that a section has found anew make lists old. */
static void
forget_lists(const ix_sections *s, const char *places)
{
    size_t of, has;
    int axis, along;
    if (!read_listed(places, IX_SENT_PLACES, &of, &axis))
        return;
    for (size_t i = 0; i < s->kept->nlists; i++) {
        listed *l = &s->kept->list[i];
        read_listed(l->name, IX_SENT_LIST, &has, &along);
        if (has == of && along == axis) {
            ix_list_free(l->list);
            l->list = NULL;
        }
    }
}

/* ---- steps ---- */

void
ix_sections_written(const ix_sections *s, size_t k)
{
    const ix_compiled *c = s->program[k]->c;
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        const ilex_binding *x = b->role == IX_COMPILED_OUTPUT
                                    ? find(s->sent, s->nsent, b->name)
                                    : NULL;
        if (x)
            ix_memory_written(x->storage->memory);
        if (x)
            forget_lists(s, x->name);
    }
}

/* The element of what is called by a format and a number. */
static void
fetch(const ix_sections *s, const char *format, int l, void *to, size_t bytes)
{
    char name[64];
    snprintf(name, sizeof name, format, l);
    const ilex_binding *x = find(s->sent, s->nsent, name);
    if (x)
        memcpy(to, x->storage->data, bytes);
}

int64_t
ix_sections_steps(const ix_sections *s, int l)
{
    int64_t n = 0;
    fetch(s, IX_SENT_COUNT, l, &n, sizeof n);
    return n;
}

bool
ix_sections_turn(ix_sections *s, int l)
{
    const ix_section_loop *loop = &s->list->loop[l];
    char next[64];
    uint8_t last = 0;
    for (int k = 0; k < loop->carries; k++) {
        snprintf(next, sizeof next, IX_SENT_NEXT, l, k);
        ilex_binding *x =
            (ilex_binding *)(uintptr_t)find_now(s->sent, s->nsent, l, k);
        ilex_binding *y =
            (ilex_binding *)(uintptr_t)find(s->sent, s->nsent, next);
        ilex_storage *was = x->storage;
        x->storage = y->storage;
        y->storage = was;
    }
    if (loop->until)
        fetch(s, IX_SENT_UNTIL, l, &last, sizeof last);
    return last != 0;
}

void
ix_sections_end(ix_sections *s, const ix_mem *mem)
{
    for (size_t k = 0; k < s->n; k++)
        ix_mem_free(mem, s->size[k]);
}
