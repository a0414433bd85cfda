/* SPDX-License-Identifier: MIT
 *
 * Grids: their texts, "I:4, J:2", and which indices a rank has.
 */
#include "runtime/group/grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/axis.h"
#include "lib/base/structs.h"
#include "lib/graph/context.h"

/* ---- texts ---- */

/* "I:4", "J:-1:129" or "K": a name with so many numbers; "E=C": with another
 * one. */
typedef struct entry {
    char name[IX_GRID_NAME], like[IX_GRID_NAME];
    int n;
    int64_t number[2];
} entry;

static const char *
skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static const char *
read_name(const char *p, char *name)
{
    size_t n = strcspn(p, ":,= \t");
    if (n == 0 || n >= IX_GRID_NAME)
        return NULL;
    memcpy(name, p, n);
    name[n] = 0;
    return skip_blanks(p + n);
}

/* Reads an entry and the comma behind it; NULL if it is none. */
static const char *
read_entry(const char *p, entry *e)
{
    p = read_name(p, e->name);
    *e->like = 0;
    if (p && *p == '=')
        p = read_name(skip_blanks(p + 1), e->like);
    if (!p)
        return NULL;
    for (e->n = 0; *p == ':' && e->n < 2; e->n++) {
        char *end;
        errno = 0;
        p = skip_blanks(p + 1);
        e->number[e->n] = strtoll(p, &end, 10);
        if (end == p || errno)
            return NULL;
        p = skip_blanks(end);
    }
    bool more = *p == ',' && *skip_blanks(p + 1);
    return more ? skip_blanks(p + 1) : *p ? NULL : p;
}

static ilex_status
fail_text(ix_error *err, const char *text, const char *example)
{
    return ix_fail(err, ILEX_E_SYNTAX,
                   "grid: '%.80s' is not understood; axes and numbers are "
                   "expected, for example \"%s\"",
                   text, example);
}

/* The axis of that very name; -1: none. */
static int
find_exactly(const ilex_grid *g, const char *name)
{
    int k = g->naxes - 1;
    while (k >= 0 && strcmp(g->axis[k].name, name) != 0)
        k--;
    return k;
}

/* ---- from a spec ---- */

/* What is wrong with an entry of `ranks`; NULL: nothing. */
static const char *
complain(const ilex_grid *g, const entry *e)
{
    int like = find_exactly(g, e->like);
    if (*e->like && (e->n > 0 || like < 0 || g->axis[like].of >= 0))
        return "an axis goes along with one that is divided before it: "
               "\"C:4, E=C\"";
    if (!*e->like &&
        (e->n != 1 || e->number[0] < 1 || e->number[0] > INT32_MAX))
        return "an axis has a number of ranks, 1 or more: \"I:4\"";
    if (ix_axis_stem(e->name, strlen(e->name)) != strlen(e->name))
        return "I+1/2 is divided as I is: name I alone";
    if (find_exactly(g, e->name) >= 0)
        return "an axis is named once";
    return g->naxes == ILEX_MAX_RANK ? "there are too many axes" : NULL;
}

/* Which place of each axis this rank has: the last one changes first. */
static void
find_place(ilex_grid *g)
{
    for (int k = g->naxes, step = 1; k-- > 0;) {
        ix_grid_axis *a = &g->axis[k];
        if (a->of >= 0)
            continue;
        a->step = step;
        a->place = g->group->rank / step % a->ranks;
        step *= a->ranks;
    }
    for (int k = 0; k < g->naxes; k++)
        if (g->axis[k].of >= 0) {
            g->axis[k].step = g->axis[g->axis[k].of].step;
            g->axis[k].place = g->axis[g->axis[k].of].place;
        }
}

static ilex_status
read_ranks(ilex_grid *g, const char *text, ix_error *err)
{
    int64_t all = 1;
    entry e;
    for (const char *p = skip_blanks(text); *p;) {
        p = read_entry(p, &e);
        if (!p)
            return fail_text(err, text, "I:4, J:2");
        const char *wrong = complain(g, &e);
        if (wrong)
            return ix_fail(err, ILEX_E_ARGUMENT, "grid: ranks '%.80s': %s",
                           text, wrong);
        ix_grid_axis *a = &g->axis[g->naxes];
        memcpy(a->name, e.name, sizeof a->name);
        a->of = find_exactly(g, e.like);
        a->ranks = a->of < 0 ? (int)e.number[0] : g->axis[a->of].ranks;
        if (a->of < 0 && !ix_mul(all, a->ranks, &all))
            all = INT64_MAX;
        g->naxes++;
    }
    if (all != g->group->size)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "grid: ranks '%.80s' are %lld in all; the group has %d",
                       text, (long long)all, g->group->size);
    find_place(g);
    return ILEX_OK;
}

static ilex_status
read_periodic(ilex_grid *g, const char *text, ix_error *err)
{
    entry e;
    for (const char *p = skip_blanks(text ? text : ""); *p;) {
        p = read_entry(p, &e);
        if (!p || e.n != 0 || *e.like)
            return fail_text(err, text, "I, J");
        int k = find_exactly(g, e.name);
        if (k < 0)
            return ix_fail(err, ILEX_E_AXIS,
                           "grid: the periodic axis %s is not divided; give it "
                           "one rank, \"%s:1\", if it is not to be",
                           e.name, e.name);
        g->axis[k].periodic = true;
    }
    return ILEX_OK;
}

/* lo + n p / ranks, rounded down. */
static void
divide_evenly(ix_grid_axis *a, int64_t lo, int64_t hi)
{
    int64_t n = hi - lo, each = n / a->ranks, rest = n % a->ranks;
    for (int p = 0; p <= a->ranks; p++)
        a->cut[p] = lo + each * p + rest * p / a->ranks;
}

static ilex_status
check_ends(const char *name, int64_t lo, int64_t hi, ix_error *err)
{
    const int64_t most = (int64_t)1 << 60;
    if (hi < lo)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "grid: the domain of axis %s ends at %lld, before it "
                       "begins, at %lld",
                       name, (long long)hi, (long long)lo);
    return lo < -most || hi > most
               ? ix_fail(err, ILEX_E_ARGUMENT,
                         "grid: the domain of axis %s is beyond 2^60", name)
               : ILEX_OK;
}

static ilex_status
read_domain(ilex_grid *g, const char *text, ix_error *err)
{
    entry e;
    for (const char *p = skip_blanks(text ? text : ""); *p;) {
        p = read_entry(p, &e);
        if (!p || e.n == 0 || *e.like)
            return fail_text(err, text, "I:256, J:-1:129");
        int64_t lo = e.n == 2 ? e.number[0] : 0, hi = e.number[e.n - 1];
        if (check_ends(e.name, lo, hi, err))
            return err->code;
        int k = find_exactly(g, e.name);
        if (k >= 0)
            divide_evenly(&g->axis[k], lo, hi);
    }
    return ILEX_OK;
}

static ilex_status
take_boundaries(ix_grid_axis *a, const int64_t *given, ix_error *err)
{
    for (int p = 0; p <= a->ranks; p++) {
        if (p > 0 && given[p] < given[p - 1])
            return ix_fail(err, ILEX_E_ARGUMENT,
                           "grid: boundaries of axis %s: %lld comes after %lld",
                           a->name, (long long)given[p],
                           (long long)given[p - 1]);
        a->cut[p] = given[p];
    }
    return check_ends(a->name, given[0], given[a->ranks], err);
}

/* Where the parts of each axis begin. */
static ilex_status
place_cuts(ilex_grid *g, const ilex_grid_spec *spec, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (int k = 0; k < g->naxes; k++) {
        ix_grid_axis *a = &g->axis[k];
        a->cut = malloc(((size_t)a->ranks + 1) * sizeof *a->cut);
        if (!a->cut)
            return ix_fail_memory(err);
        for (int p = 0; p <= a->ranks; p++)
            a->cut[p] = INT64_MAX; /* not known */
    }
    rc = read_domain(g, spec->domain, err);
    for (int k = 0; !rc && k < g->naxes; k++) {
        const int64_t *given = spec->boundaries ? spec->boundaries[k] : NULL;
        if (given)
            rc = take_boundaries(&g->axis[k], given, err);
        else if (g->axis[k].cut[0] == INT64_MAX)
            rc = ix_fail(err, ILEX_E_ARGUMENT,
                         "grid: which indices has axis %s? say for example "
                         ".domain = \"%s:256\"",
                         g->axis[k].name, g->axis[k].name);
    }
    return rc;
}

static uint64_t
hash_of(const ilex_grid *g)
{
    uint64_t hash = 0;
    for (int k = 0; k < g->naxes; k++) {
        const ix_grid_axis *a = &g->axis[k];
        size_t cuts = ((size_t)a->ranks + 1) * sizeof *a->cut;
        hash =
            ix_hash_bytes(ix_mix(hash, a->periodic), a->name, strlen(a->name));
        hash = ix_hash_bytes(hash, a->cut, cuts);
    }
    return hash;
}

static ilex_status
fill_in(ilex_grid *g, const ilex_grid_spec *spec, ix_error *err)
{
    ilex_status rc = read_ranks(g, spec->ranks, err);
    rc = rc ? rc : read_periodic(g, spec->periodic, err);
    rc = rc ? rc : place_cuts(g, spec, err);
    if (!rc)
        g->hash = hash_of(g);
    return rc;
}

ilex_grid *
ilex_grid_new(ilex_context *ctx, const ilex_grid_spec *given)
{
    ilex_grid_spec spec = {.size = 0};
    ix_error *err = ctx ? ix_context_error(ctx) : NULL;
    size_t size = given ? given->size : 0;
    if (!ix_struct_is_known(given, size, offsetof(ilex_grid_spec, domain),
                            sizeof spec))
        return ix_fail_null(err, ILEX_E_ARGUMENT,
                            "grid: the spec is NULL, or its size is not set; "
                            "start it with .size = sizeof(ilex_grid_spec)");
    memcpy(&spec, given, size < sizeof spec ? size : sizeof spec);
    if (!spec.group || !spec.ranks)
        return ix_fail_null(err, ILEX_E_ARGUMENT, "grid: the spec has no %s",
                            spec.group ? "ranks, for example \"I:4, J:2\""
                                       : "group");
    ilex_grid *g = calloc(1, sizeof *g);
    if (!g)
        return ix_fail_memory_null(err);
    atomic_init(&g->count, 1);
    g->group = ilex_group_retain(spec.group);
    if (!fill_in(g, &spec, err))
        return g;
    ilex_grid_release(g);
    return NULL;
}

/* ---- life and queries ---- */

ilex_grid *
ilex_grid_retain(ilex_grid *g)
{
    if (g)
        atomic_fetch_add_explicit(&g->count, 1, memory_order_relaxed);
    return g;
}

void
ilex_grid_release(ilex_grid *g)
{
    if (!g ||
        atomic_fetch_sub_explicit(&g->count, 1, memory_order_acq_rel) != 1)
        return;
    if (g->kept)
        g->forget(g->kept);
    if (g->again)
        g->forget_again(g->again);
    ilex_grid_release(g->open);
    for (int k = 0; k < g->naxes; k++)
        free(g->axis[k].cut);
    ilex_group_release(g->group);
    free(g);
}

static ilex_grid *
copy_open(const ilex_grid *g)
{
    ilex_grid *open = calloc(1, sizeof *open);
    bool ok = open != NULL;
    if (!ok)
        return NULL;
    atomic_init(&open->count, 1);
    open->group = ilex_group_retain(g->group);
    open->hash = g->hash;
    for (; ok && open->naxes < g->naxes; open->naxes++) {
        const ix_grid_axis *from = &g->axis[open->naxes];
        ix_grid_axis *to = &open->axis[open->naxes];
        size_t bytes = ((size_t)from->ranks + 1) * sizeof *to->cut;
        *to = *from;
        to->periodic = false;
        to->cut = malloc(bytes);
        ok = to->cut != NULL;
        if (ok)
            memcpy(to->cut, from->cut, bytes);
    }
    if (ok)
        return open;
    ilex_grid_release(open);
    return NULL;
}

ilex_grid *
ix_grid_open(ilex_grid *g)
{
    if (!g->open)
        g->open = copy_open(g);
    return g->open;
}

bool
ix_grid_add_chunks(ilex_grid *open, const char *name, int of, int64_t length)
{
    const ix_grid_axis *from = &open->axis[of];
    if (ix_grid_find(open, name) >= 0)
        return true;
    int64_t *cut = open->naxes < ILEX_MAX_RANK
                       ? malloc(((size_t)from->ranks + 1) * sizeof *cut)
                       : NULL;
    if (!cut)
        return false;
    for (int p = 0; p <= from->ranks; p++)
        cut[p] = (from->cut[p] - from->cut[0] + length - 1) / length;
    ix_grid_axis *to = &open->axis[open->naxes++];
    *to = *from;
    to->of = of;
    to->cut = cut;
    snprintf(to->name, sizeof to->name, "%s", name);
    return true;
}

ilex_group *
ilex_grid_group(const ilex_grid *g)
{
    return g->group;
}

int
ix_grid_find(const ilex_grid *g, const char *name)
{
    for (int k = 0; k < g->naxes; k++)
        if (name[0] == g->axis[k].name[0] &&
            (!strcmp(g->axis[k].name, name) ||
             ix_axis_is_partner(g->axis[k].name, name)))
            return k;
    return -1;
}

void
ix_grid_cut(const ix_grid_axis *a, int p, int64_t first, int64_t end,
            int64_t *lo, int64_t *hi)
{
    *lo = p == 0 ? first : a->cut[p];
    *hi = p == a->ranks - 1 ? end : a->cut[p + 1];
    *lo = *lo < first ? first : *lo > end ? end : *lo;
    *hi = *hi < *lo ? *lo : *hi > end ? end : *hi;
}

int
ilex_grid_part(const ilex_grid *g, const char *axis, int rank, int64_t *lo,
               int64_t *hi)
{
    int k = g && axis ? ix_grid_find(g, axis) : -1;
    if (k < 0 || rank < 0 || rank >= g->group->size || !lo || !hi)
        return 0;
    const ix_grid_axis *a = &g->axis[k];
    int p = rank / a->step % a->ranks;
    *lo = a->cut[p];
    *hi = a->cut[p + 1];
    return 1;
}

/* ---- owners ---- */

ilex_status
ilex_grid_order(ilex_context *ctx, const int32_t *owner, int64_t count,
                int ranks, int64_t *order, int64_t *boundaries)
{
    ix_error *err = ctx ? ix_context_error(ctx) : NULL;
    if ((count > 0 && (!owner || !order)) || count < 0 || ranks < 1 ||
        !boundaries)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "grid_order: %lld elements, %d ranks, or a list is NULL",
                       (long long)count, ranks);
    for (int64_t i = 0; i < count; i++)
        if (owner[i] < 0 || owner[i] >= ranks)
            return ix_fail(err, ILEX_E_ARGUMENT,
                           "grid_order: owner %d of element %lld is no rank; "
                           "there are %d",
                           (int)owner[i], (long long)i, ranks);
    memset(boundaries, 0, ((size_t)ranks + 1) * sizeof *boundaries);
    for (int64_t i = 0; i < count; i++)
        boundaries[owner[i] + 1]++;
    for (int p = 0; p < ranks; p++)
        boundaries[p + 1] += boundaries[p];
    for (int64_t i = 0; i < count; i++)
        order[boundaries[owner[i]]++] = i;
    for (int p = ranks; p > 0; p--) /* each has moved to where it ends */
        boundaries[p] = boundaries[p - 1];
    boundaries[0] = 0;
    return ILEX_OK;
}
