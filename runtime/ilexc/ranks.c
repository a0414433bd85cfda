/* SPDX-License-Identifier: MIT
 *
 * `ilexc run --ranks`, `--grid`: steps over ranks that are threads. Fields stay
 * what they are in one process; for the steps each rank takes its parts of
 * them, afterwards it gives them back.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/group/group.h"

/* ---- what is asked for ---- */

/* The first axis that the first output with one has; NULL: none. */
static const char *
first_axis(const ix_cli_run *r)
{
    for (size_t i = 0; i < r->nfields; i++)
        for (int k = 0; r->field[i].info.output && k < r->field[i].info.rank;
             k++)
            if (*r->field[i].info.axis[k])
                return r->field[i].info.axis[k];
    return NULL;
}

/* How many ranks a grid "I:4, J:2" has; 0 if it is none. */
static int
count_ranks(const char *grid)
{
    long n = 1;
    const char *p = grid;
    while (n > 0 && (p = strchr(p, ':'))) {
        long more = strtol(p + 1, (char **)(uintptr_t)&p, 10);
        n = more > 0 && more <= 4096 && n * more <= 4096 ? n * more : 0;
    }
    return strchr(grid, ':') ? (int)n : 0;
}

/* Was the process started as one of several? */
static bool
is_mpirun(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") ||
           getenv("PMIX_RANK");
}

const char *
ix_cli_ranks_transport(const ix_cli_command *c)
{
    return ix_cli_options_value(c, IX_FLAG_TRANSPORT,
                                is_mpirun() ? "mpi" : "threads");
}

ix_cli_exit
ix_cli_ranks_number(const ix_cli_command *c, int *n)
{
    const char *ranks = ix_cli_options_value(c, IX_FLAG_RANKS, "1");
    char *end = "";
    long number = strtol(ranks, &end, 10);
    *n = (int)number;
    return end > ranks && !*end && number >= 1 && number <= 4096
               ? IX_EXIT_OK
               : ix_cli_usage(
                     "run", "--ranks %s: wants a number from 1 to 4096", ranks);
}

ix_cli_exit
ix_cli_ranks_read(ix_cli_run *r)
{
    const char *ranks = ix_cli_options_value(r->command, IX_FLAG_RANKS, NULL);
    const char *grid = ix_cli_options_value(r->command, IX_FLAG_GRID, NULL);
    const char *axis = first_axis(r);
    int n = 0;
    bool alone = !ranks && !grid;
    if (alone && !is_mpirun() &&
        ix_cli_options_value(r->command, IX_FLAG_TRANSPORT, NULL))
        return ix_cli_usage("run", "--transport is of --ranks and --grid");
    if (alone || r->group)
        return IX_EXIT_OK;
    if (ix_cli_ranks_number(r->command, &n))
        return IX_EXIT_USAGE;
    if (ix_cli_options_value(r->command, IX_FLAG_PROFILE, NULL))
        return ix_cli_usage("run", "--profile measures runs of one rank: "
                                   "it does not go with --ranks or --grid");
    if (!grid && !axis)
        return ix_cli_usage("run", "--ranks: no output has an axis with a name "
                                   "that ranks could divide");
    if (asprintf(&r->grid, grid ? "%s" : "%s:%d", grid ? grid : axis, n) < 0) {
        r->grid = NULL;
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    }
    char *half = grid ? NULL : strstr(r->grid, "+1/2");
    if (half) /* divided as its partner */
        memmove(half, half + 4, strlen(half + 4) + 1);
    r->nranks = count_ranks(r->grid);
    if (r->nranks == 0)
        return ix_cli_usage("run",
                            "--grid %s: wants axes and numbers of "
                            "ranks, 4096 at most, for example --grid I:2,J:2",
                            r->grid);
    r->transport = ix_cli_ranks_transport(r->command);
    if (ranks && n != r->nranks)
        return ix_cli_usage("run", "--grid %s has %d ranks, --ranks %d",
                            r->grid, r->nranks, n);
    return IX_EXIT_OK;
}

/* ---- what is divided ---- */

/* Is "axis" the one that is called as the "n" bytes at "name", or I+1/2? */
static bool
is_axis(const char *axis, const char *name, size_t n)
{
    return !strncmp(axis, name, n) && (!axis[n] || !strcmp(axis + n, "+1/2"));
}

/* The next axis of the grid; NULL: there is none. */
static const char *
next_axis(const char *p, size_t *length)
{
    p += strspn(p, ", \t");
    *length = strcspn(p, ":= \t");
    return *p ? p : NULL;
}

/* The indices that fields have along an axis. */
static void
range_of(const ix_cli_run *r, const char *name, size_t length, int64_t *lo,
         int64_t *hi)
{
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (size_t i = 0; i < r->nfields; i++) {
        const ix_cli_field *f = &r->field[i];
        for (int k = 0; k < f->info.rank; k++) {
            if (!is_axis(f->info.axis[k], name, length))
                continue;
            *lo = f->lo[k] < *lo ? f->lo[k] : *lo;
            *hi = f->hi[k] > *hi ? f->hi[k] : *hi;
        }
    }
}

/* "I:0:256, J:0:128"; NULL after an error. */
static char *
domain_of(const ix_cli_run *r, ilex_call *call)
{
    char *text = strdup(""), *more;
    size_t n;
    for (const char *p = r->grid; text && (p = next_axis(p, &n));
         p += strcspn(p, ",")) {
        int64_t lo, hi;
        range_of(r, p, n, &lo, &hi);
        if (hi < lo) {
            snprintf(call->error, sizeof call->error,
                     "--grid %.80s: no argument has the axis %.*s", r->grid,
                     (int)n, p);
            free(text);
            return NULL;
        }
        if (asprintf(&more, "%s%s%.*s:%lld:%lld", text, *text ? ", " : "",
                     (int)n, p, (long long)lo, (long long)hi) < 0)
            more = NULL;
        free(text);
        text = more;
    }
    return text;
}

static bool
is_divided(const ix_cli_run *r, const ix_cli_field *f)
{
    size_t n;
    for (const char *p = r->grid; (p = next_axis(p, &n)); p += strcspn(p, ","))
        for (int k = 0; k < f->info.rank; k++)
            if (is_axis(f->info.axis[k], p, n))
                return true;
    return false;
}

/* ---- one rank ---- */

/* What all ranks share. */
typedef struct job {
    ix_cli_run *r;
    const ilex_program *program;
    const ilex_binding *whole; /* before the steps */
    size_t *from; /* of each binding after them: the field whose it was */
    const char *domain;
    const ilex_call *call;
    int64_t steps;
    bool alone; /* one rank has it all to itself */
    char error[1024];
} job;

/* One rank's own. */
typedef struct mine {
    ilex_context *ctx;
    ilex_grid *grid;
    int rank;
    ilex_storage **part; /* by field */
    ilex_binding *binding;
} mine;

static void
widen(int rank, int64_t *halo, const int64_t *by)
{
    for (int k = 0; k < 2 * rank; k++)
        halo[k] = by[k] > halo[k] ? by[k] : halo[k];
}

/* The halo that a field needs, and those do with which it changes places. */
static ilex_status
halo_of(const job *j, const mine *m, size_t i, int64_t *halo)
{
    const ix_cli_run *r = j->r;
    const ix_cli_field *f = &r->field[i];
    int64_t other[2 * ILEX_MAX_RANK];
    for (int k = 0; k < f->info.rank; k++) {
        halo[2 * k] = f->lo[k] - f->first[k];
        halo[2 * k + 1] = f->end[k] - f->hi[k];
    }
    for (size_t o = 0; o < r->nfields; o++) {
        bool together = o == i;
        for (size_t s = 0; s < r->nswaps; s++)
            together |= (r->swap[s].a == i && r->swap[s].b == o) ||
                        (r->swap[s].b == i && r->swap[s].a == o);
        if (!together || r->field[o].info.output)
            continue;
        if (ilex_grid_halo(m->ctx, m->grid, j->program, r->field[o].info.name,
                           r->size, r->nsizes, other))
            return ilex_error_code(m->ctx);
        widen(f->info.rank, halo, other);
    }
    return ILEX_OK;
}

/* A part of a field, with what is in it. */
static ilex_storage *
make_part(const job *j, const mine *m, size_t i)
{
    const ix_cli_field *f = &j->r->field[i];
    const ilex_storage *whole = j->whole[i].storage;
    int64_t halo[2 * ILEX_MAX_RANK], shape[ILEX_MAX_RANK];
    char axes[4096] = "";
    if (halo_of(j, m, i, halo))
        return NULL;
    for (int k = 0; k < f->info.rank; k++) {
        shape[k] = f->hi[k] - f->lo[k] + halo[2 * k] + halo[2 * k + 1];
        strncat(axes, k ? "," : "", sizeof axes - strlen(axes) - 1);
        strncat(axes, f->info.axis[k], sizeof axes - strlen(axes) - 1);
    }
    ilex_storage *s = ilex_storage_new(
        m->ctx, &ILEX_STORAGE_SPEC(.dtype = ilex_dtype_name(f->info.dtype),
                                   .rank = f->info.rank, .shape = shape,
                                   .axes = axes, .halo = halo, .origin = f->lo,
                                   .name = f->info.name, .grid = m->grid));
    if (s && ilex_storage_scatter(m->ctx, s, m->rank == 0 ? whole : NULL, 0)) {
        ilex_storage_release(s);
        return NULL;
    }
    return s;
}

/* Binds parts; fields that are whole are the first rank's, and those of others
 * copies. */
static ilex_status
bind(const job *j, mine *m)
{
    for (size_t i = 0; i < j->r->nfields; i++) {
        ilex_storage *whole = j->whole[i].storage;
        m->part[i] = is_divided(j->r, &j->r->field[i]) ? make_part(j, m, i)
                     : m->rank == 0 || j->alone
                         ? ilex_storage_retain(whole)
                         : ilex_storage_copy(m->ctx, whole);
        if (!m->part[i])
            return ilex_error_code(m->ctx);
        m->binding[i] =
            (ilex_binding)ILEX_BIND(j->r->field[i].info.name, m->part[i]);
    }
    return ILEX_OK;
}

/* Gives parts back to the fields that they are of; on the first rank into
 * "from" which these are now. */
static ilex_status
give_back(const job *j, const mine *m)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; i < j->r->nfields; i++)
        for (size_t o = 0; o < j->r->nfields && (m->rank == 0 || j->alone); o++)
            if (m->binding[i].storage == m->part[o])
                j->from[i] = o;
    for (size_t i = 0; !rc && i < j->r->nfields; i++)
        if (ilex_storage_grid(m->part[i]))
            rc = ilex_storage_gather(m->ctx, m->part[i],
                                     m->rank == 0 ? j->whole[i].storage : NULL,
                                     0);
    return rc;
}

static ilex_status
work(job *j, mine *m, ilex_call *call)
{
    const ilex_group *g = ilex_grid_group(m->grid);
    ilex_group_counts before, after;
    ilex_status rc = bind(j, m);
    ilex_group_counted(g, &before);
    if (!rc)
        rc = ilex_run_steps(j->program, m->binding, j->r->nfields, j->steps,
                            j->r->swaps, call);
    ilex_group_counted(g, &after);
    if (m->rank == 0) {
        j->r->messages += after.messages - before.messages;
        j->r->bytes += after.bytes - before.bytes;
    }
    if (rc) { /* others wait for what this rank gives back */
        ilex_group *group = ilex_grid_group(m->grid);
        ix_group_begin(group);
        return ix_group_end(group, rc, call->error);
    }
    return give_back(j, m);
}

static int
body(ilex_group *group, void *user)
{
    job *j = user;
    size_t n = j->r->nfields;
    ilex_call call = *j->call;
    mine m = {.ctx = ilex_context_new(NULL),
              .rank = ilex_group_rank(group),
              .part = calloc(n + 1, sizeof(ilex_storage *)),
              .binding = calloc(n + 1, sizeof *m.binding)};
    call.threads = call.threads ? call.threads : 1;
    call.progress = m.rank == 0 ? call.progress : NULL;
    m.grid = ilex_grid_new(m.ctx,
                           &ILEX_GRID_SPEC(.group = group, .ranks = j->r->grid,
                                           .domain = j->domain));
    if (j->alone && m.rank > 0)
        j->r->other = true;
    ilex_status rc = !m.ctx || !m.part || !m.binding ? ILEX_E_MEMORY
                     : m.grid                        ? work(j, &m, &call)
                                                     : ilex_error_code(m.ctx);
    if (rc && (m.rank == 0 || j->alone))
        snprintf(j->error, sizeof j->error, "%s",
                 call.error[0] ? call.error : ilex_error_text(m.ctx));
    for (size_t i = 0; m.part && i < n; i++)
        ilex_storage_release(m.part[i]);
    free(m.part);
    free(m.binding);
    ilex_grid_release(m.grid);
    ilex_context_free(m.ctx);
    return (int)rc;
}

ilex_status
ix_cli_ranks_steps(ix_cli_run *r, const ilex_program *p, ilex_binding *binding,
                   ilex_call *call, int64_t n)
{
    char *domain = domain_of(r, call);
    job j = {.r = r,
             .program = p,
             .whole = binding,
             .from = calloc(r->nfields + 1, sizeof *j.from),
             .domain = domain,
             .call = call,
             .steps = n,
             .alone = !strcmp(r->transport, "mpi")};
    ilex_storage **whole = calloc(r->nfields + 1, sizeof(ilex_storage *));
    ilex_status rc = domain && j.from && whole ? ILEX_OK : ILEX_E_ARGUMENT;
    for (size_t i = 0; !rc && i < r->nfields; i++)
        whole[i] = binding[i].storage;
    if (!rc)
        rc = ilex_group_run(r->session.ctx,
                            &ILEX_GROUP_SPEC(.transport = r->transport,
                                             .ranks = r->nranks,
                                             .initialize = 1),
                            body, &j);
    for (size_t i = 0; !rc && i < r->nfields; i++)
        binding[i].storage = whole[j.from[i]];
    if (rc && !call->error[0])
        snprintf(call->error, sizeof call->error, "%s",
                 j.error[0] ? j.error : ilex_error_text(r->session.ctx));
    free(whole);
    free(j.from);
    free(domain);
    return rc;
}
