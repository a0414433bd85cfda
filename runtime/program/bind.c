/* SPDX-License-Identifier: MIT
 *
 * Binding: storages to arguments by name, sizes from shapes, and every check
 * before a run writes anything. Messages name argument, axis, wanted, given.
 */
#include <stdio.h>

#include "runtime/program/program.h"

const char *
ix_axis_label(const ix_compiled_buffer *b, int k)
{
    static const char *const numbers[ILEX_MAX_RANK] = {
        "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
        "8", "9", "10", "11", "12", "13", "14", "15"};
    return *b->axis[k] ? b->axis[k] : numbers[k];
}

bool
ix_range_eval(const ix_range *range, const int64_t *size, int64_t *lo,
              int64_t *hi)
{
    return ix_lin_eval(range->lo, size, lo) && ix_lin_eval(range->hi, size, hi);
}

void
ix_name_list_add(ix_name_list *l, const char *name, const char *more)
{
    size_t room = sizeof l->s - l->length;
    int n = snprintf(l->s + l->length, room, "%s%s%s", l->length ? ", " : "",
                     name, more);
    l->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* ---- dtype and axes ---- */

/* The storage's axis for axis "k": by name; by position when the storage has
 * no names. -1: none. */
static int
match_axis(const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    if (!*b->axis[k] || !*s->axis[0])
        return k;
    for (int j = 0; j < s->rank; j++)
        if (!strcmp(s->axis[j], b->axis[k]))
            return j;
    return -1;
}

static ilex_status
no_axis(ix_run *r, const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    ix_name_list all = {.length = 0};
    for (int j = 0; j < s->rank; j++)
        ix_name_list_add(&all, s->axis[j], "");
    return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                   "%s: argument %s has axis %s; the storage's axes are %s",
                   r->p->c->name, b->name, b->axis[k], all.s);
}

static ilex_status
check_kind(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    if (!s)
        return ILEX_OK;
    if (s->dtype != b->dtype)
        return ix_fail(r->err, ILEX_E_BINDING_TYPE,
                       "%s: argument %s is %s; the storage is %s",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       ilex_dtype_name(s->dtype));
    if (s->rank != b->rank)
        return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                       "%s: argument %s has %d axes [%s]; the storage has %d",
                       r->p->c->name, b->name, b->rank, b->interior_text,
                       s->rank);
    for (int k = 0; k < b->rank; k++) {
        int j = match_axis(b, s, k);
        if (j < 0)
            return no_axis(r, b, s, k);
        r->axis[b->first_stride + k] = j;
    }
    if (b->role == IX_COMPILED_OUTPUT && !s->writable)
        return ix_fail(r->err, ILEX_E_READONLY,
                       "%s: output %s is bound to a read-only storage",
                       r->p->c->name, b->name);
    if (b->role == IX_COMPILED_OUTPUT && ix_storage_self_overlap(s))
        return ix_fail(r->err, ILEX_E_OVERLAP,
                       "%s: output %s is bound to a storage whose elements "
                       "share memory (a stride is 0, say)",
                       r->p->c->name, b->name);
    return ILEX_OK;
}

/* Strides, base pointer and what the storage covers, in program indices. */
static void
place(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    int64_t offset = 0;
    if (!s) {
        r->home[i] = r->cell[i];
        return;
    }
    for (int k = 0; k < b->rank; k++) {
        int at = b->first_stride + k, j = r->axis[at];
        r->stride[at] = s->stride[j];
        r->cover[at][0] = 0; /* an unnamed axis begins with the storage */
        r->cover[at][1] = s->shape[j];
        if (*b->axis[k])
            ix_storage_covers(s, j, &r->cover[at][0], &r->cover[at][1]);
        offset -= r->cover[at][0] * s->stride[j];
    }
    r->home[i] = s->data + offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

/* ---- coverage ---- */

static bool
is_empty(const ix_run *r, const ix_range *range, int n)
{
    for (int k = 0; k < n; k++) {
        int64_t lo, hi;
        if (!ix_range_eval(&range[k], r->size, &lo, &hi) || hi <= lo)
            return true;
    }
    return false;
}

/* Every range of a buffer fits 64 bits. */
static ilex_status
check_ranges(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    if (b->phase != r->phase)
        return ILEX_OK;
    for (int k = 0; k < b->rank; k++) {
        int64_t lo, hi, length;
        if (ix_range_eval(&b->interior[k], r->size, &lo, &hi) &&
            ix_range_eval(&b->box[k], r->size, &lo, &hi) &&
            ix_sub(hi, lo, &length))
            continue;
        return ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: with these sizes the range of axis %s of %s leaves "
                       "64 bits",
                       c->name, ix_axis_label(b, k),
                       *b->name ? b->name : "a temporary");
    }
    return ILEX_OK;
}

/* What would make the storage cover [lo, hi) of axis "k" of argument "i". */
static void
advise(const ix_run *r, size_t i, int k, int64_t lo, int64_t hi, char *advice,
       size_t size)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    int j = r->axis[b->first_stride + k];
    int64_t from = s->origin[j],
            end = r->cover[b->first_stride + k][1] - s->halo[j][1];
    int64_t ilo, ihi;
    ix_range_eval(&b->interior[k], r->size, &ilo, &ihi);
    if (!*b->axis[k])
        snprintf(advice, size, "give it the length %lld", (long long)hi);
    else if (ilo != from && ihi - ilo == end - from)
        snprintf(advice, size,
                 "its first point inside the halo is %lld: set "
                 "its origin to %lld",
                 (long long)from, (long long)ilo);
    else
        snprintf(advice, size, "give it a halo of at least %lld:%lld there",
                 (long long)(from > lo ? from - lo : 0),
                 (long long)(hi > end ? hi - end : 0));
}

static ilex_status
too_small(ix_run *r, size_t i, int k, int64_t lo, int64_t hi)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const int64_t *cover = r->cover[b->first_stride + k];
    char advice[160];
    advise(r, i, k, lo, hi, advice, sizeof advice);
    return ix_fail(
        r->err, ILEX_E_HALO,
        "%s: %s %s on [%lld, %lld) of axis %s; the storage covers [%lld, "
        "%lld): %s",
        r->p->c->name, b->name,
        b->role == IX_COMPILED_OUTPUT ? "is written" : "is read", (long long)lo,
        (long long)hi, ix_axis_label(b, k), (long long)cover[0],
        (long long)cover[1], advice);
}

static ilex_status
check_cover(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    int64_t(*cover)[2] = &r->cover[b->first_stride];
    int64_t lo, hi, from = 0, to = 0;
    int bad = -1; /* the first axis that is too short, for [from, to) */
    if (b->phase != r->phase || !b->used)
        return ILEX_OK;
    for (int k = 0; k < b->rank; k++) {
        if (!ix_range_eval(&b->box[k], r->size, &lo, &hi) || hi <= lo)
            return ILEX_OK; /* it has no element */
        if (bad >= 0 || (lo >= cover[k][0] && hi <= cover[k][1]))
            continue;
        bad = k;
        from = lo;
        to = hi;
    }
    return bad < 0 ? ILEX_OK : too_small(r, i, bad, from, to);
}

/* ---- overlap ---- */

static bool
same_place(const ix_run *r, size_t i, size_t j)
{
    const ix_compiled_buffer *a = &r->p->c->buffer[i];
    const ix_compiled_buffer *b = &r->p->c->buffer[j];
    bool same = r->home[i] == r->home[j] && a->rank == b->rank;
    for (int k = 0; same && k < a->rank; k++)
        same = r->stride[a->first_stride + k] == r->stride[b->first_stride + k];
    return same;
}

static ilex_status
check_overlap(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    for (size_t j = 0; b->role == IX_COMPILED_OUTPUT && j < c->narguments;
         j++) {
        if (i == j || !c->buffer[j].used || !r->bound[j] ||
            (c->buffer[j].role == IX_COMPILED_OUTPUT && j > i) ||
            !ix_storage_overlap(r->bound[i], r->bound[j]))
            continue;
        if (b->inplace == (int)j && same_place(r, i, j))
            continue;
        return ix_fail(r->err, ILEX_E_OVERLAP,
                       "%s: output %s overlaps argument %s in memory; only an "
                       "output declared `inplace` of an input of its dtype "
                       "and domain may share its storage, all of it",
                       c->name, b->name, c->buffer[j].name);
    }
    return ILEX_OK;
}

ilex_status
ix_bind_overlap(ix_run *r)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->p->c->narguments; i++)
        rc = check_overlap(r, i);
    return rc;
}

ilex_status
ix_check_nonempty(ix_run *r, const ix_compiled_nonempty *n)
{
    if (!is_empty(r, n->range, n->nranges) || is_empty(r, n->outer, n->nouter))
        return ILEX_OK;
    return ix_fail(r->err, ILEX_E_EMPTY_REDUCTION,
                   "%s: %s over an axis of length 0 has no value",
                   r->p->c->name, n->what);
}

ilex_status
ix_check_phase(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ix_check_assumptions(r);
    for (size_t i = 0; !rc && i < c->nbuffers; i++)
        rc = check_ranges(r, i);
    for (size_t i = 0; !rc && i < c->narguments; i++)
        rc = check_cover(r, i);
    return rc;
}

ilex_status
ix_bind_arguments(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ix_check_given(r);
    rc = rc ? rc : ix_bind_names(r);
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        rc = check_kind(r, i);
        if (!rc)
            place(r, i);
    }
    return rc;
}

ilex_status
ix_bind_values(ix_run *r)
{
    ilex_status rc = ix_bind_sizes(r);
    if (rc || r->partial)
        return rc;
    rc = ix_check_lengths(r);
    rc = rc ? rc : ix_check_phase(r);
    return rc ? rc : ix_bind_overlap(r);
}

void
ix_bind_move(ix_run *r, size_t i, const ilex_storage *s)
{
    r->bound[i] = s;
    place(r, i);
}
