/* SPDX-License-Identifier: MIT
 *
 * Parts of a storage by the names of its axes: "I=2:10, K=3".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "runtime/storage/storage.h"

static const char *
skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads an integer, if there is one. */
static const char *
read_integer(const char *p, int64_t *value, bool *there)
{
    char *end;
    errno = 0;
    *value = strtoll(p, &end, 10);
    *there =
        end != p && errno == 0 && (isdigit((unsigned char)*p) || *p == '-');
    return *there ? skip_blanks(end) : p;
}

/* Reads "I=2:10"; NULL if it is none. */
static const char *
read_entry(const char *p, ix_part *e)
{
    p = skip_blanks(p);
    size_t n = strcspn(p, "=, \t");
    if (n == 0 || n >= sizeof e->axis)
        return NULL;
    memcpy(e->axis, p, n);
    e->axis[n] = 0;
    p = skip_blanks(p + n);
    if (*p != '=')
        return NULL;
    p = read_integer(skip_blanks(p + 1), &e->lo, &e->has_lo);
    e->range = *p == ':';
    e->has_hi = false;
    if (e->range)
        p = read_integer(skip_blanks(p + 1), &e->hi, &e->has_hi);
    return e->range || e->has_lo ? p : NULL;
}

const char *
ix_part_next(const char *p, ix_part *part)
{
    p = read_entry(p, part);
    bool more = p && *p == ',' && *skip_blanks(p + 1);
    return p && (more || !*p) ? p + more : NULL;
}

/* The part of "s" that one entry says. */
static ilex_storage *
take(ilex_context *ctx, ilex_storage *s, const ix_part *e)
{
    ix_error *err = ix_storage_error(ctx);
    int k = ilex_storage_axis(s, e->axis);
    if (k < 0)
        return ix_fail_null(err, ILEX_E_AXIS,
                            "storage select: there is no axis called '%s'; the "
                            "storage has %d axes, the first one called '%s'",
                            e->axis, s->rank, s->rank ? s->axis[0] : "");
    int64_t lo, hi, first, end;
    ilex_storage_domain(s, k, &lo, &hi);
    ix_storage_covers(s, k, &first, &end);
    if (e->range)
        return ilex_storage_restrict(ctx, s, e->axis, e->has_lo ? e->lo : lo,
                                     e->has_hi ? e->hi : hi);
    if (e->lo >= first && e->lo < end)
        return ilex_storage_index(ctx, s, k, e->lo - first);
    return ix_fail_null(err, ILEX_E_BOUNDS,
                        "storage select: %s=%lld is outside of [%lld, %lld), "
                        "which the storage covers with its halo",
                        e->axis, (long long)e->lo, (long long)first,
                        (long long)end);
}

static void
refuse(ilex_context *ctx, const char *part, const char *axis)
{
    if (axis)
        ix_fail(ix_storage_error(ctx), ILEX_E_DUPLICATE,
                "storage select: '%.80s': axis %s occurs twice", part, axis);
    else
        ix_fail(ix_storage_error(ctx), ILEX_E_SYNTAX,
                "storage select: '%.80s': expected ranges and indices of named "
                "axes, for example \"I=2:10, K=3\"",
                part);
}

/* Reads one more entry, which ends the text or stands before a comma and names
 * an axis of "s" that was not named before. NULL after an error. */
static const char *
next_entry(ilex_context *ctx, const ilex_storage *s, const char *part,
           const char *p, ix_part *e, uint32_t *seen)
{
    p = ix_part_next(p, e);
    if (!p) {
        refuse(ctx, part, NULL);
        return NULL;
    }
    int k = ilex_storage_axis(s, e->axis);
    if (k >= 0 && *seen >> k & 1) {
        refuse(ctx, part, e->axis);
        return NULL;
    }
    *seen |= k >= 0 ? 1u << k : 0;
    return p;
}

ilex_storage *
ilex_storage_select(ilex_context *ctx, ilex_storage *s, const char *part)
{
    if (!ix_storage_given(ctx, s, "storage select"))
        return NULL;
    ilex_storage *view = ilex_storage_retain(s);
    uint32_t seen = 0;
    for (const char *p = skip_blanks(part ? part : ""); view && *p;) {
        ix_part e;
        p = next_entry(ctx, s, part, p, &e, &seen);
        ilex_storage *smaller = p ? take(ctx, view, &e) : NULL;
        ilex_storage_release(view);
        view = smaller;
    }
    if (view && view != s) { /* of all entries, not of the last one */
        ilex_storage_release(view->whole);
        view->whole = ilex_storage_retain(s);
    }
    return view;
}
