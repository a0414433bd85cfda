/* SPDX-License-Identifier: MIT
 *
 * Programs over ranks that are threads, beside the same program in one process:
 * storages are filled with numbers, their parts come from there (scatter), and
 * what the ranks have computed is gathered and compared, bit for bit.
 */
#ifndef ILEX_TESTS_RANKS_FIXTURE_H
#define ILEX_TESTS_RANKS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "runtime/group/group.h"
#include "tests/unit/graph_fixture.h"

enum { RANKS_MOST_ARGUMENTS = 16 };

/* How ranks reach each other; with mpi this process is one of them. */
static const char *ranks_transport = "threads";

/* A program and a grid. */
typedef struct ranks_case {
    const char *text;
    const char *ranks, *domain, *periodic;
    int halo; /* of all storages, along named axes */
    ilex_size_binding size[4];
    size_t nsizes;
    const char *fails; /* what the message of all ranks has; NULL: none */
    int runs;          /* how often it is run; 0: once */
    bool overlap; /* the interior is computed while halos come, if it can be */
} ranks_case;

/* What all ranks of a case share. */
typedef struct ranks_world {
    const ranks_case *c;
    ilex_program *p;
    size_t narguments;
    ilex_argument_info info[RANKS_MOST_ARGUMENTS];
    int64_t lo[RANKS_MOST_ARGUMENTS][ILEX_MAX_RANK];
    int64_t hi[RANKS_MOST_ARGUMENTS][ILEX_MAX_RANK];
    ilex_storage *whole[RANKS_MOST_ARGUMENTS];    /* of one process */
    ilex_storage *gathered[RANKS_MOST_ARGUMENTS]; /* outputs of the ranks */
    ilex_group_counts counts[64];                 /* by rank, of the runs */
    int overlapped[64];
    int rank; /* of this process */
} ranks_world;

static inline int
ranks_of(const ranks_case *c)
{
    int n = 1;
    for (const char *p = c->ranks; (p = strchr(p, ':')); p++)
        n *= atoi(p + 1);
    return n;
}

/* Where a storage of argument "i" is a part (grid) or the whole (NULL). */
static inline ilex_storage *
ranks_storage(const ranks_world *w, ilex_context *own, size_t i,
              ilex_grid *grid)
{
    int64_t shape[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    char axes[256] = "";
    const ilex_argument_info *a = &w->info[i];
    for (int k = 0; k < a->rank; k++) {
        bool named = *a->axis[k] != 0;
        halo[2 * k] = halo[2 * k + 1] = named ? w->c->halo : 0;
        shape[k] = w->hi[i][k] - w->lo[i][k] + 2 * halo[2 * k];
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%s",
                 k ? ", " : "", a->axis[k]);
    }
    bool named = a->rank > 0 && *a->axis[0];
    double fill = -77;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(a->dtype),
                              .rank = a->rank,
                              .shape = shape,
                              .axes = named ? axes : NULL,
                              .halo = named ? halo : NULL,
                              .origin = named ? w->lo[i] : NULL,
                              .fill = a->dtype == ILEX_BOOL ? NULL : &fill,
                              .grid = grid};
    return ilex_storage_new(own, &spec);
}

/* Numbers that differ, and whose sums depend on their order. */
static inline void
ranks_fill(ilex_storage *s, uint64_t first)
{
    int64_t n = ilex_storage_count(s), index[ILEX_MAX_RANK] = {0};
    const int64_t *shape = ilex_storage_shape(s);
    for (int64_t i = 0; i < n; i++) {
        uint64_t h = ix_mix(first, (uint64_t)i);
        ilex_dtype t = ilex_storage_dtype(s);
        double v = (double)(h >> 40) / 65536 - 100;
        bool integer =
            t != ILEX_F64 && t != ILEX_F32 && t != ILEX_C64 && t != ILEX_C128;
        if (integer)
            ilex_storage_set_i64(s, index, (int64_t)(h >> 62));
        else if (t == ILEX_C64 || t == ILEX_C128)
            ilex_storage_set_c128(s, index, (double[2]){(float)v, 1});
        else
            ilex_storage_set_f64(s, index, t == ILEX_F32 ? (float)v : v);
        for (int k = ilex_storage_rank(s); k-- > 0;) {
            if (++index[k] < shape[k])
                break;
            index[k] = 0;
        }
    }
}

/* Along periodic axes the halo of one process repeats what is inside. */
static inline void
ranks_wrap(const ranks_world *w, ilex_context *own, size_t i, ilex_storage *s)
{
    const ilex_argument_info *a = &w->info[i];
    int64_t h = w->c->halo;
    for (int k = 0; k < a->rank && w->c->periodic; k++) {
        int64_t lo = w->lo[i][k], hi = w->hi[i][k], n = hi - lo;
        char first[2] = {a->axis[k][0], 0};
        if (!*a->axis[k] || !strstr(w->c->periodic, first))
            continue;
        for (int64_t at = lo - h; at < hi + h; at++) {
            if (at >= lo && at < hi)
                continue;
            int64_t from = ((at - lo) % n + n) % n + lo;
            ilex_storage *x =
                ilex_storage_restrict(own, s, a->axis[k], at, at + 1);
            ilex_storage *y =
                ilex_storage_restrict(own, s, a->axis[k], from, from + 1);
            ilex_storage_assign(own, x, y);
            ilex_storage_release(x);
            ilex_storage_release(y);
        }
    }
}

/* What a part has of others' points is wrong until it is exchanged. */
static inline void
ranks_spoil(const ranks_case *c, ilex_context *own, ilex_storage *s)
{
    const ilex_grid *grid = ilex_storage_grid(s);
    int64_t lo, hi, first, end, unused;
    for (int k = 0; k < ilex_storage_rank(s); k++) {
        const char *axis = ilex_storage_axis_name(s, k);
        char name[2] = {*axis, 0};
        if (!ilex_grid_part(grid, axis, 0, &unused, &unused))
            continue;
        ilex_storage_domain(s, k, &lo, &hi);
        ilex_storage_whole(s, k, &first, &end);
        if (c->periodic && strstr(c->periodic, name)) {
            first -= c->halo;
            end += c->halo;
        }
        for (int64_t at = lo - c->halo; at < hi + c->halo; at++) {
            if ((at >= lo && at < hi) || at < first || at >= end)
                continue;
            ilex_storage *x = ilex_storage_restrict(own, s, axis, at, at + 1);
            ilex_storage_fill(own, x, 99);
            ilex_storage_release(x);
        }
    }
}

/* One rank. */
static inline int
ranks_body(ilex_group *g, void *user)
{
    ranks_world *w = user;
    const ranks_case *c = w->c;
    int rank = ilex_group_rank(g);
    if (!strcmp(ranks_transport, "mpi"))
        w->rank = rank;
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid =
        ilex_grid_new(own, &(ilex_grid_spec){.size = sizeof(ilex_grid_spec),
                                             .group = g,
                                             .ranks = c->ranks,
                                             .domain = c->domain,
                                             .periodic = c->periodic});
    ilex_storage *s[RANKS_MOST_ARGUMENTS] = {0};
    ilex_binding b[RANKS_MOST_ARGUMENTS];
    ilex_status rc = grid ? ILEX_OK : ilex_error_code(own);
    for (size_t i = 0; !rc && i < w->narguments; i++) {
        s[i] = ranks_storage(w, own, i, grid);
        b[i] = (ilex_binding)ILEX_BIND(w->info[i].name, s[i]);
        rc = !s[i] ? ilex_error_code(own)
             : w->info[i].output
                 ? ILEX_OK
                 : ilex_storage_scatter(own, s[i],
                                        rank == 0 ? w->whole[i] : NULL, 0);
        if (!rc && !w->info[i].output)
            ranks_spoil(c, own, s[i]);
    }
    if (rc)
        fprintf(stderr, "rank %d: %s\n", rank, ilex_error_text(own));
    ilex_call call = {.size = sizeof call,
                      .threads = 1,
                      .sizes = c->size,
                      .size_count = c->nsizes};
    ilex_group_counts before, after;
    ilex_group_counted(g, &before);
    g->waiting = c->overlap;
    int before_overlap = g->overlapped;
    for (int run = 0; !rc && run < (c->runs ? c->runs : 1); run++) {
        for (size_t i = 0; run > 0 && i < w->narguments; i++)
            if (w->info[i].output && w->info[i].dtype != ILEX_BOOL)
                ilex_storage_fill(own, s[i], -77); /* it is made anew */
        rc = ilex_run(w->p, b, w->narguments, &call);
    }
    ilex_group_counted(g, &after);
    w->overlapped[rank] = g->overlapped - before_overlap;
    w->counts[rank] =
        (ilex_group_counts){.messages = after.messages - before.messages,
                            .bytes = after.bytes - before.bytes};
    if (rc && !c->fails)
        fprintf(stderr, "rank %d: %s\n", rank, call.error);
    if (rc && c->fails)
        rc = strstr(call.error, c->fails) ? ILEX_OK : ILEX_E_INTERNAL;
    else if (!rc && c->fails)
        rc = ILEX_E_INTERNAL;
    if (rc == ILEX_E_INTERNAL)
        fprintf(stderr, "rank %d: '%s' has not '%s'\n", rank, call.error,
                c->fails);
    for (size_t i = 0; !rc && !c->fails && i < w->narguments; i++)
        if (w->info[i].output && ilex_storage_grid(s[i]))
            rc = ilex_storage_gather(own, s[i],
                                     rank == 0 ? w->gathered[i] : NULL, 0);
    if (rc && !c->fails && !*call.error)
        fprintf(stderr, "rank %d: %s\n", rank, ilex_error_text(own));
    for (size_t i = 0; i < w->narguments; i++)
        ilex_storage_release(s[i]);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return (int)rc;
}

static inline void
ranks_open(ranks_world *w, const ranks_case *c, uint64_t first)
{
    memset(w, 0, sizeof *w);
    w->c = c;
    ilex_module *m = ilex_module_parse(ctx, c->text, "case");
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    w->p = ilex_compile_module(m);
    ilex_module_free(m);
    ck_assert_msg(w->p != NULL, "%s\n%s", ilex_error_text(ctx), c->text);
    w->narguments = ilex_program_argument_count(w->p);
    ck_assert_uint_le(w->narguments, RANKS_MOST_ARGUMENTS);
    for (size_t i = 0; i < w->narguments; i++) {
        w->info[i] = ilex_program_argument(w->p, i);
        ilex_status rc = ilex_program_extents(w->p, i, c->size, c->nsizes,
                                              w->lo[i], w->hi[i], NULL);
        ck_assert_int_eq(rc, ILEX_OK);
        w->whole[i] = ranks_storage(w, ctx, i, NULL);
        w->gathered[i] = ranks_storage(w, ctx, i, NULL);
        ck_assert_msg(w->gathered[i] != NULL, "%s", ilex_error_text(ctx));
        if (w->info[i].output)
            continue;
        ranks_fill(w->whole[i], first + i);
        ranks_wrap(w, ctx, i, w->whole[i]);
    }
}

static inline void
ranks_close(ranks_world *w)
{
    for (size_t i = 0; i < w->narguments; i++) {
        ilex_storage_release(w->whole[i]);
        ilex_storage_release(w->gathered[i]);
    }
    ilex_program_release(w->p);
}

/* Both have the same elements, bit for bit. */
static inline void
ranks_same(const ranks_case *c, const char *name, ilex_storage *x,
           ilex_storage *y)
{
    int64_t n = ilex_storage_count(x), index[ILEX_MAX_RANK] = {0};
    size_t bytes = ilex_dtype_bytes(ilex_storage_dtype(x));
    char where[200];
    for (int64_t i = 0; i < n; i++) {
        const void *a = ilex_storage_at(x, index),
                   *b = ilex_storage_at(y, index);
        where[0] = 0;
        for (int k = 0; k < ilex_storage_rank(x); k++)
            snprintf(where + strlen(where), 24, " %lld",
                     (long long)(index[k] - c->halo));
        ck_assert_msg(!memcmp(a, b, bytes), "%s on %s: %s differs at%s: %g %g",
                      c->text, c->ranks, name, where,
                      bytes == 8 ? *(const double *)a : 0.0,
                      bytes == 8 ? *(const double *)b : 0.0);
        for (int k = ilex_storage_rank(x); k-- > 0;) {
            if (++index[k] < ilex_storage_shape(x)[k])
                break;
            index[k] = 0;
        }
    }
}

/* Runs a case in one process, then over ranks; the outputs are the same. */
static inline void
ranks_compare(ranks_world *w)
{
    const ranks_case *c = w->c;
    ilex_binding b[RANKS_MOST_ARGUMENTS];
    for (size_t i = 0; i < w->narguments; i++)
        b[i] = (ilex_binding)ILEX_BIND(w->info[i].name, w->whole[i]);
    ilex_call call = {.size = sizeof call,
                      .threads = 1,
                      .sizes = c->size,
                      .size_count = c->nsizes};
    ilex_status rc = ilex_run(w->p, b, w->narguments, &call);
    ck_assert_msg(rc == ILEX_OK || c->fails, "%s", call.error);
    ilex_group_spec spec = {.size = sizeof spec,
                            .transport = ranks_transport,
                            .ranks = ranks_of(c),
                            .timeout = 20,
                            .initialize = 1};
    rc = ilex_group_run(ctx, &spec, ranks_body, w);
    ck_assert_msg(rc == ILEX_OK, "%s on %s: %d %s", c->text, c->ranks, (int)rc,
                  ilex_error_text(ctx));
    for (size_t i = 0; i < w->narguments && !c->fails && w->rank == 0; i++) {
        if (!w->info[i].output)
            continue;
        ranks_same(c, w->info[i].name, w->whole[i], w->gathered[i]);
    }
}

/* The whole of it. */
static inline void
ranks_check(const ranks_case *c, uint64_t first)
{
    ranks_world w;
    ranks_open(&w, c, first);
    ranks_compare(&w);
    ranks_close(&w);
}

/* A storage on the grid of [I:n] with a halo, filled. */
static inline ilex_storage *
filled(ilex_context *own, ilex_grid *grid, int64_t n, double value)
{
    int64_t length = n + 2, halo[2] = {1, 1};
    return ilex_storage_new(
        own, &ILEX_STORAGE_SPEC(.rank = 1, .shape = &length, .axes = "I",
                                .halo = halo, .fill = &value, .grid = grid));
}

/* A body on two ranks, whose user data are two programs. */
static inline void
with_programs(ilex_rank body, const char *first, const char *second)
{
    ilex_program *p[] = {compile(first), compile(second)};
    ck_assert_int_eq(ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), body, p),
                     ILEX_OK);
    ilex_program_release(p[0]);
    ilex_program_release(p[1]);
}

#endif
