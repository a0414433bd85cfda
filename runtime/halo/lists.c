/* SPDX-License-Identifier: MIT */
#include "runtime/halo/lists.h"

#include <stdlib.h>

#include "lib/graph/context.h"
#include "runtime/halo/halo.h"

struct ix_list {
    int k;
    const ix_grid_axis *axis; /* the storage's grid has it */
    ilex_grid *grid;
    int64_t *many;  /* elements by place of the axis: that come, that go */
    int64_t *index; /* theirs, in this order */
    uint64_t name;  /* a hash of the storage's */
};

/* ---- which are read ---- */

/* Indices of a range as bits; all of them are in the part [lo, hi) of it. */
typedef struct bits {
    int64_t first, end, lo, hi;
    bool beyond; /* they are not */
    uint64_t *word;
} bits;

static bool
has_bit(const bits *b, int64_t i)
{
    uint64_t at = (uint64_t)(i - b->first);
    return b->word[at / 64] >> at % 64 & 1;
}

/* Sets those that a storage of places has. */
static void
set_bits(bits *b, const ilex_storage *s)
{
    int64_t n = ilex_storage_count(s), at[ILEX_MAX_RANK] = {0}, offset = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v;
        memcpy(&v, (const char *)s->data + offset * (int64_t)sizeof v,
               sizeof v);
        bool has = v >= b->first && v < b->end;
        b->beyond |= has && (v < b->lo || v >= b->hi);
        if (has) {
            uint64_t bit = (uint64_t)(v - b->first);
            b->word[bit / 64] |= UINT64_C(1) << bit % 64;
        }
        for (int k = s->rank; k-- > 0;) {
            offset += s->stride[k];
            if (++at[k] < s->shape[k])
                break;
            offset -= at[k] * s->stride[k];
            at[k] = 0;
        }
    }
}

/* What place "p" of the axis has of the whole. */
static void
part_of(const ix_list *l, const bits *b, int p, int64_t *lo, int64_t *hi)
{
    ix_grid_cut(l->axis, p, b->first, b->end, lo, hi);
}

/* Counts those that others have, and lists them. */
static int64_t
list_needed(const ix_list *l, const bits *b, int64_t *many, int64_t *index)
{
    int64_t all = 0, lo, hi;
    for (int p = 0; p < l->axis->ranks; p++) {
        int64_t before = all;
        part_of(l, b, p, &lo, &hi);
        for (int64_t i = lo; i < hi && p != l->axis->place; i++)
            if (has_bit(b, i)) {
                if (index)
                    index[all] = i;
                all++;
            }
        many[p] = all - before;
    }
    return all;
}

/* ---- messages ---- */

/* To and from each other place, of so many units of "bytes" from what lies one
 * after the other. */
typedef struct packet {
    const int64_t *many; /* by place; NULL: one each */
    char *data;
} packet;

static size_t
add_messages(const ix_list *l, const packet *x, bool sends, size_t bytes,
             const uint64_t meaning[2], ix_message *to)
{
    size_t n = 0, at = 0;
    for (int p = 0; p < l->axis->ranks; p++) {
        size_t units = p == l->axis->place ? 0
                       : x->many           ? (size_t)x->many[p]
                                           : 1;
        if (units > 0)
            to[n++] =
                (ix_message){.done = true,
                             .peer = ix_grid_rank(
                                 l->grid, (int)(l->axis - l->grid->axis), p),
                             .tag = IX_TAG_LISTS,
                             .sends = sends,
                             .head = {.meaning = {meaning[0], meaning[1]},
                                      .bytes = units * bytes},
                             .data = x->data + at};
        at += (x->many ? units : 1) * bytes;
    }
    return n;
}

/* Passes what "go" has for what "come" gets: step "step" of what ranks do. */
static ilex_status
pass(const ix_list *l, const packet *come, const packet *go, size_t bytes,
     uint64_t step, const char *what, ix_error *err)
{
    uint64_t meaning[2] = {ix_hash_bytes(step, what, strlen(what)), l->name};
    ix_message *m = malloc(2 * (size_t)l->axis->ranks * sizeof *m);
    ilex_group *g = l->grid->group;
    ilex_status rc = ILEX_OK;
    if (!m)
        return ix_fail_memory(err);
    size_t n = add_messages(l, come, false, bytes, meaning, m);
    n += add_messages(l, go, true, bytes, meaning, m + n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = ix_group_post(g, &m[i], err);
    if (rc)
        ix_group_cancel(g, m, n);
    rc = rc ? rc : ix_group_wait(g, m, n, what, err);
    free(m);
    return rc;
}

/* ---- finding them ---- */

static int64_t
sum_of(const int64_t *many, int n)
{
    int64_t all = 0;
    for (int p = 0; p < n; p++)
        all += many[p];
    return all;
}

/* What others ask for is what they may. */
static ilex_status
check_asked(const ix_list *l, const bits *b, const char *what, ix_error *err)
{
    const int64_t *many = l->many + l->axis->ranks;
    const int64_t *index = l->index + sum_of(l->many, l->axis->ranks);
    int64_t lo, hi;
    part_of(l, b, l->axis->place, &lo, &hi);
    for (int64_t i = sum_of(many, l->axis->ranks); i-- > 0;)
        if (index[i] < lo || index[i] >= hi)
            return ix_fail(err, ILEX_E_INTERNAL,
                           "%s: element %lld is asked of a rank that has not "
                           "got it",
                           what, (long long)index[i]);
    return ILEX_OK;
}

/* Tells those who have them which elements are read here. */
static ilex_status
ask(ix_list *l, const bits *b, const char *what, ix_error *err)
{
    int ranks = l->axis->ranks;
    int64_t *go = l->many + ranks;
    int64_t n = list_needed(l, b, l->many, NULL);
    packet counts = {.data = (char *)l->many}, asked = {.data = (char *)go};
    ilex_status rc = pass(l, &asked, &counts, sizeof *go, 1, what, err);
    if (rc)
        return rc;
    l->index = malloc((size_t)(n + sum_of(go, ranks) + 1) * sizeof *l->index);
    if (!l->index)
        return ix_fail_memory(err);
    list_needed(l, b, l->many, l->index);
    packet mine = {l->many, (char *)l->index},
           theirs = {go, (char *)(l->index + n)};
    rc = pass(l, &theirs, &mine, sizeof *l->index, 2, what, err);
    return rc ? rc : check_asked(l, b, what, err);
}

ix_list *
ix_list_find(const ilex_storage *x, int k, const ilex_storage *const *places,
             size_t n, const char *what, ix_error *err)
{
    const int64_t *whole = x->division->whole.k[k];
    bits b = {.first = whole[0], .end = whole[1]};
    ix_list *l = calloc(1, sizeof *l);
    ilex_status rc = ILEX_OK;
    if (!l)
        return ix_fail_memory_null(err);
    ix_storage_covers(x, k, &b.lo, &b.hi);
    l->k = k;
    l->name = ix_hash_bytes(0, x->name, strlen(x->name));
    l->grid = x->division->grid;
    l->axis = &l->grid->axis[x->division->axis[k]];
    l->many = calloc(2 * (size_t)l->axis->ranks, sizeof *l->many);
    b.word = calloc((size_t)(b.end - b.first) / 64 + 1, sizeof *b.word);
    rc = l->many && b.word ? ILEX_OK : ix_fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++) {
        rc = ix_storage_acquire(places[i], ILEX_READ, err);
        if (!rc)
            set_bits(&b, places[i]);
    }
    if (b.beyond)
        rc = ix_fail(err, ILEX_E_INTERNAL,
                     "%s: a list has no room for what is read", what);
    rc = rc ? rc : ask(l, &b, what, err);
    free(b.word);
    if (!rc)
        return l;
    ix_list_free(l);
    return NULL;
}

void
ix_list_free(ix_list *l)
{
    if (!l)
        return;
    free(l->many);
    free(l->index);
    free(l);
}

/* ---- exchange ---- */

/* What there is at one index of the axis, and its bytes. */
static size_t
one_row(const ix_list *l, const ilex_storage *x, ilex_storage *row)
{
    ix_index_box box;
    for (int k = 0; k < x->rank; k++) {
        ix_storage_covers(x, k, &box.k[k][0], &box.k[k][1]);
        box.k[k][0] += x->halo[k][0];
        box.k[k][1] -= x->halo[k][1];
    }
    box.k[l->k][1] = box.k[l->k][0] + 1;
    ix_division_view(x, &box, row);
    return (size_t)ilex_storage_count(row) * ilex_dtype_bytes(x->dtype);
}

/* Copies "n" rows at their indices to memory, where they lie one after the
 * other, or from there. */
static void
copy_rows(const ix_list *l, const ilex_storage *row, int64_t at,
          const int64_t *index, int64_t n, char *memory, bool packs)
{
    size_t bytes = ilex_dtype_bytes(row->dtype);
    ilex_storage here, packed;
    ix_storage_clone(&here, row);
    int64_t count = ilex_storage_count(row);
    for (int64_t i = 0; i < n; i++, memory += (size_t)count * bytes) {
        here.data = (char *)row->data +
                    (index[i] - at) * row->stride[l->k] * (int64_t)bytes;
        if (count == 1) {
            memcpy(packs ? memory : here.data, packs ? here.data : memory,
                   bytes);
            continue;
        }
        ix_division_pack(&here, memory, &packed);
        ix_storage_move(packs ? &packed : &here, packs ? &here : &packed);
    }
}

ilex_status
ix_list_exchange(const ix_list *l, ilex_storage *x, const char *what,
                 ix_error *err)
{
    ilex_storage row;
    const ix_index_box none = {.k = {{0, 0}}};
    int ranks = l->axis->ranks;
    int64_t come = sum_of(l->many, ranks), go = sum_of(l->many + ranks, ranks);
    int64_t at = x->origin[l->k];
    ilex_status rc = ix_storage_acquire(x, ILEX_READ_WRITE, err);
    if (rc)
        return rc;
    size_t bytes = one_row(l, x, &row);
    char *memory = malloc((size_t)(come + go) * bytes + 1);
    if (!memory)
        return ix_fail_memory(err);
    packet in = {l->many, memory},
           out = {l->many + ranks, memory + (size_t)come * bytes};
    copy_rows(l, &row, at, l->index + come, go, out.data, true);
    rc = pass(l, &in, &out, bytes, 3, what, err);
    if (!rc)
        copy_rows(l, &row, at, l->index, come, memory, false);
    free(memory);
    if (!rc)
        ix_division_exchanged(x, &none);
    return rc;
}
