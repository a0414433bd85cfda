/* SPDX-License-Identifier: MIT
 *
 * What a run says of an integer that is data and was outside of its range.
 */
#include <stdio.h>

#include "runtime/program/program.h"

/* A buffer's name in messages; "other" if it has none. */
static const char *
name_of(const ix_run *r, int buffer, const char *other)
{
    const char *name = buffer < 0 ? "" : r->p->c->buffer[buffer].name;
    return *name ? name : other;
}

/* The name of the axis of an index, or its number. */
typedef struct axis_text {
    char s[80];
} axis_text;

static axis_text
axis_of(const ix_run *r, const ix_compiled_check *k)
{
    axis_text t;
    const char *name = r->p->c->buffer[k->buffer].axis[k->axis];
    if (*name)
        snprintf(t.s, sizeof t.s, "%s", name);
    else
        snprintf(t.s, sizeof t.s, "axis %d", k->axis);
    return t;
}

static const char *
covering(const ix_run *r, const ix_compiled_check *k)
{
    return name_of(r, k->what == IX_CHECKED_COPIED ? -1 : k->buffer,
                   "the intermediate array");
}

/* Names the index as it was given. */
static ilex_status
outside_index(ix_run *r, const ix_compiled_check *k, const ix_local *f)
{
    char given[24];
    bool from_end = k->what == IX_CHECKED_FROM_END;
    if (k->what == IX_CHECKED_UNSIGNED)
        snprintf(given, sizeof given, "%llu", (unsigned long long)f->value);
    else
        snprintf(given, sizeof given, "%lld",
                 (long long)(from_end ? f->at : f->value));
    return ix_fail(r->err, ILEX_E_BOUNDS,
                   "%s: index %s of %s is data and leaves [%lld, %lld), which "
                   "%s covers%s",
                   r->p->c->name, given, axis_of(r, k).s,
                   (long long)(from_end ? -f->hi : f->lo), (long long)f->hi,
                   covering(r, k), from_end ? " from either end" : "");
}

static ilex_status
outside_shift(ix_run *r, const ix_compiled_check *k, const ix_local *f)
{
    axis_text axis = axis_of(r, k);
    return ix_fail(r->err, ILEX_E_BOUNDS,
                   "%s: %s shifted by %lld, which is data, is read at %s=%lld "
                   "when %s=%lld; it covers [%lld, %lld), so there the shift "
                   "is %lld to %lld",
                   r->p->c->name, covering(r, k), (long long)(f->value - f->at),
                   axis.s, (long long)f->value, axis.s, (long long)f->at,
                   (long long)f->lo, (long long)f->hi,
                   (long long)(f->lo - f->at), (long long)(f->hi - 1 - f->at));
}

/* Rows follow one another: the first begins at 0, each ends where the next one
 * begins, none before it begins or behind the last element. */
static ilex_status
outside_row(ix_run *r, const ix_compiled_check *k, const ix_local *f)
{
    const char *program = r->p->c->name, *row = name_of(r, k->source, "row");
    long long at = f->at, value = f->value;
    if (at == 0)
        return ix_fail(r->err, ILEX_E_BOUNDS,
                       "%s: csr_matmul: %s[0] is %lld; the first row begins at "
                       "0",
                       program, row, value);
    if (value >= 0 && value < f->lo)
        return ix_fail(r->err, ILEX_E_BOUNDS,
                       "%s: csr_matmul: %s[%lld] is %lld, less than %s[%lld], "
                       "which is %lld; a row does not end before it begins",
                       program, row, at, value, row, at - 1, (long long)f->lo);
    return ix_fail(r->err, ILEX_E_BOUNDS,
                   "%s: csr_matmul: %s[%lld] is %lld and not in 0 to %lld, the "
                   "number of elements",
                   program, row, at, value, (long long)f->hi - 1);
}

ilex_status
ix_run_outside(ix_run *r, const ix_local *found)
{
    const ix_compiled_check *k = &r->p->c->check[found->node];
    const char *program = r->p->c->name;
    long long value = found->value, lo = found->lo, hi = found->hi;
    switch ((ix_checked_what)k->what) {
    case IX_CHECKED_SHIFTED:
        return outside_shift(r, k, found);
    case IX_CHECKED_ROW:
        return outside_row(r, k, found);
    case IX_CHECKED_COLUMN:
        return ix_fail(r->err, ILEX_E_BOUNDS,
                       "%s: csr_matmul: %s[%lld] is %lld; columns are in "
                       "[%lld, %lld)",
                       program, name_of(r, k->source, "col"),
                       (long long)found->at, value, lo, hi);
    case IX_CHECKED_WORD:
        return ix_fail(r->err, ILEX_E_BOUNDS,
                       "%s: an argument of random is %lld; it is not in [0, "
                       "2^32)",
                       program, value);
    case IX_CHECKED_END:
        return ix_fail(
            r->err, ILEX_E_BOUNDS,
            "%s: an end of a reduction's range, %lld, is data and is "
            "not in %lld to %lld, which its arrays cover",
            program, value, lo, hi - 1);
    default:
        return outside_index(r, k, found);
    }
}

ilex_status
ix_run_status(ix_run *r, const int64_t *status)
{
    ix_local found = {.node = status[0] & 0xffff,
                      .value = status[1],
                      .lo = status[2],
                      .hi = status[3],
                      .at = status[4]};
    return status[0] == IX_STATUS_NONE ? ILEX_OK : ix_run_outside(r, &found);
}
