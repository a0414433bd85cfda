/* SPDX-License-Identifier: MIT
 *
 * `ilexc explain --grid`: what ranks would do in a run, and a model of how long
 * it takes on grids of other numbers of ranks, as a table, or as a picture
 * where -o names one.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ilexc/ilexc.h"
#include "runtime/program/forecast.h"

enum { MOST_RANKS = 1000000, MOST_ROWS = 32 };

/* Of the model: seconds of a message, bytes a second, seconds of a step of one
 * process. */
typedef struct model {
    double latency, bandwidth, step;
} model;

/* A number of ranks, how they divide axes, and the slowest one's seconds. */
typedef struct row {
    int ranks;
    char grid[200];
    double seconds;
} row;

typedef struct explain {
    const ix_cli_command *command;
    ilex_context *ctx;
    ilex_program *program;
    ilex_size_binding *size;
    size_t nsizes;
    const char *grid;
    int naxes;
    char *axis[ILEX_MAX_RANK]; /* of the grid, as asked for */
    int ranks[ILEX_MAX_RANK];
    int64_t range[ILEX_MAX_RANK][2];
    model m;
    row row[MOST_ROWS];
    int nrows;
    ix_text text;
} explain;

/* ---- what is asked for ---- */

static ix_cli_exit
usage(const char *option, const char *value, const char *wants)
{
    return ix_cli_usage("explain", "%s %s: wants %s", option, value, wants);
}

static ix_cli_exit
read_sizes(explain *e)
{
    size_t n = ilex_program_size_count(e->program);
    e->size = calloc(n + 1, sizeof *e->size);
    for (size_t i = 0; e->size && i < n; i++)
        e->size[i] =
            (ilex_size_binding){ilex_program_size_name(e->program, i), -1};
    e->nsizes = n;
    for (size_t i = 0; e->size && i < e->command->nsettings; i++) {
        const ix_cli_setting *s = &e->command->setting[i];
        const char *p = s->value;
        while (s->flag == IX_FLAG_SIZE && *p) {
            size_t length = strcspn(p, "="), k = 0;
            char *end = NULL;
            while (k < n && (strncmp(e->size[k].name, p, length) != 0 ||
                             e->size[k].name[length]))
                k++;
            long long v = p[length] ? strtoll(p + length + 1, &end, 10) : -1;
            if (k == n || v < 0 || end == p + length + 1 ||
                (*end && *end != ','))
                return usage("--size", s->value,
                             "sizes of the program, for example n=1000,m=500");
            e->size[k].value = v;
            p = end + (*end == ',');
        }
    }
    for (size_t i = 0; e->size && i < n; i++)
        if (e->size[i].value < 0)
            return ix_cli_usage("explain",
                                "--grid wants the value of size %s: --size "
                                "%s=1000",
                                e->size[i].name, e->size[i].name);
    return e->size ? IX_EXIT_OK : ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
}

/* The axes and numbers of "I:100, J:100". */
static ix_cli_exit
read_grid(explain *e)
{
    static const char wants[] =
        "axes and numbers of ranks, a million at most, for example I:100,J:100";
    const char *p = e->grid;
    int64_t all = 1;
    while (e->naxes == 0 || *p == ',') {
        p += e->naxes > 0;
        p += strspn(p, " ");
        size_t length = strcspn(p, ":=, ");
        if (p[length] == '=')
            return ix_cli_usage("explain",
                                "--grid %s: axes that go along with others are "
                                "not supported here, for what meshes send is "
                                "not known before a run",
                                e->grid);
        char *end = NULL;
        long n = p[length] == ':' ? strtol(p + length + 1, &end, 10) : 0;
        if (n < 1 || n > MOST_RANKS || length == 0 || e->naxes == ILEX_MAX_RANK)
            return usage("--grid", e->grid, wants);
        e->axis[e->naxes] = strndup(p, length);
        e->ranks[e->naxes++] = (int)n;
        all *= n;
        p = end + strspn(end, " ");
        if (all > MOST_RANKS)
            return usage("--grid", e->grid, wants);
    }
    return *p ? usage("--grid", e->grid, wants) : IX_EXIT_OK;
}

/* The indices that arguments have along axis "k" of the grid. */
static ix_cli_exit
find_range(explain *e, int k)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], *range = e->range[k];
    size_t length = strlen(e->axis[k]);
    range[0] = INT64_MAX;
    range[1] = INT64_MIN;
    for (size_t i = 0; i < ilex_program_argument_count(e->program); i++) {
        ilex_argument_info a = ilex_program_argument(e->program, i);
        if (ilex_program_extents(e->program, i, e->size, e->nsizes, lo, hi,
                                 NULL))
            return ix_cli_fail(IX_EXIT_PROGRAM,
                               "--grid: lengths that are counted are not known "
                               "before a run");
        for (int j = 0; j < a.rank; j++)
            if (ix_axis_stem(a.axis[j], strlen(a.axis[j])) == length &&
                !strncmp(a.axis[j], e->axis[k], length)) {
                range[0] = lo[j] < range[0] ? lo[j] : range[0];
                range[1] = hi[j] > range[1] ? hi[j] : range[1];
            }
    }
    return range[0] <= range[1]
               ? IX_EXIT_OK
               : ix_cli_usage("explain",
                              "--grid %s: no argument has the axis %s", e->grid,
                              e->axis[k]);
}

static ix_cli_exit
read_number(const explain *e, ix_cli_flag flag, const char *option,
            double *value)
{
    const char *text = ix_cli_options_value(e->command, flag, NULL);
    char *end = NULL;
    double v = text ? strtod(text, &end) : *value;
    if (text && (end == text || *end || !(v > 0) || v > 1e30))
        return usage(option, text, "a number above 0, for example 2e-6");
    *value = v;
    return IX_EXIT_OK;
}

static ix_cli_exit
read_model(explain *e)
{
    ix_cli_exit status = IX_EXIT_OK;
    e->m = (model){.latency = 2e-6, .bandwidth = 1e10};
    status = read_number(e, IX_FLAG_LATENCY, "--latency", &e->m.latency);
    if (!status)
        status =
            read_number(e, IX_FLAG_BANDWIDTH, "--bandwidth", &e->m.bandwidth);
    return status ? status : read_number(e, IX_FLAG_STEP, "--step", &e->m.step);
}

/* ---- one grid ---- */

/* Ranks in an order, by how long they take. */
typedef struct load {
    int rank;
    double seconds;
    ix_forecast f;
} load;

static int
by_seconds(const void *a, const void *b)
{
    const load *x = a, *y = b;
    return x->seconds != y->seconds
               ? (x->seconds > y->seconds) - (x->seconds < y->seconds)
               : (x->rank > y->rank) - (x->rank < y->rank);
}

/* A grid of so many ranks an axis, with a group that reaches nobody. */
static ilex_grid *
make_grid(explain *e, const int *ranks, ilex_group *group)
{
    ix_text r, d;
    const ix_mem *mem = &ix_mem_default;
    ilex_grid *grid = NULL;
    *group = (ilex_group){.size = 1};
    atomic_init(&group->count, 1); /* it is never given back */
    ix_text_init(&r, mem);
    ix_text_init(&d, mem);
    for (int k = 0; k < e->naxes; k++) {
        group->size *= ranks[k];
        ix_text_format(&r, "%s%s:%d", k ? ", " : "", e->axis[k], ranks[k]);
        ix_text_format(&d, "%s%s:%lld:%lld", k ? ", " : "", e->axis[k],
                       (long long)e->range[k][0], (long long)e->range[k][1]);
    }
    if (ix_text_string(&r) && ix_text_string(&d))
        grid = ilex_grid_new(
            e->ctx,
            &ILEX_GRID_SPEC(.group = group, .ranks = r.data, .domain = d.data));
    ix_text_free(&r);
    ix_text_free(&d);
    return grid;
}

/* What all ranks of an outlook do, the quickest first; NULL after an error. */
static load *
find_loads(explain *e, const ix_outlook *o, int n, int64_t *points)
{
    load *list = malloc((size_t)n * sizeof *list);
    bool ok = list != NULL;
    *points = 0;
    if (e->m.step == 0) /* bytes of all arguments, ten of them a nanosecond */
        e->m.step = (double)o->bytes / 1e10 + 1e-9;
    for (int r = 0; ok && r < n; r++) {
        list[r].rank = r;
        ok = ix_outlook_rank(o, r, &list[r].f);
        list[r].seconds = e->m.step * (double)list[r].f.points /
                              (double)(o->points > 0 ? o->points : 1) +
                          (double)list[r].f.messages * e->m.latency +
                          (double)list[r].f.bytes / e->m.bandwidth;
        if (list[r].seconds <= 0) /* nothing to do takes a moment */
            list[r].seconds = 1e-9;
        *points += ok ? list[r].f.points : 0;
    }
    if (ok)
        qsort(list, (size_t)n, sizeof *list, by_seconds);
    else
        free(list);
    return ok ? list : NULL;
}

/* ---- the table ---- */

static void
put_rank(explain *e, const char *which, const load *l)
{
    ix_text_format(&e->text, "%-14s %8d %14lld %9lld %14lld %12.4g\n", which,
                   l->rank, (long long)l->f.points, (long long)l->f.messages,
                   (long long)l->f.bytes, l->seconds);
}

static void
put_halos(explain *e, const ix_outlook *o)
{
    const ix_compiled *c = o->s.program[0]->c;
    const char *comma = "halos          ";
    for (size_t i = 0; i < c->narguments; i++)
        for (int k = 0; k < c->buffer[i].rank; k++) {
            const int64_t *w = o->width[0][i].k[k];
            const char *axis = c->buffer[i].axis[k];
            if ((w[0] > 0 || w[1] > 0) && ix_grid_find(o->grid, axis) >= 0) {
                ix_text_format(&e->text, "%s%s %s:%lld:%lld", comma,
                               c->buffer[i].name, axis, (long long)w[0],
                               (long long)w[1]);
                comma = ", ";
            }
        }
    if (*comma == ',')
        ix_text_format(&e->text, "\n");
}

static void
put_loads(explain *e, const ix_outlook *o, const load *list, int n,
          int64_t points)
{
    ix_text *t = &e->text;
    ix_text_format(t, "grid           %s: %d ranks\n", e->grid, n);
    if (o->s.n > 1)
        ix_text_format(t,
                       "sections       %zu, between which ranks send each "
                       "other what is read along whole axes\n",
                       o->s.n);
    if (o->s.list && o->s.list->places)
        ix_text_format(t, "lists          elements that are read where data "
                          "says are not counted\n");
    if (o->s.list && o->s.list->nloops > 0)
        ix_text_format(t, "loops          a step of each is counted\n");
    put_halos(e, o);
    ix_text_format(t,
                   "points         %lld in all, %.4g of what one process "
                   "computes\n\n"
                   "                   rank         points  messages          "
                   "bytes      seconds\n",
                   (long long)points,
                   (double)points / (double)(o->points > 0 ? o->points : 1));
    put_rank(e, "least loaded", &list[0]);
    put_rank(e, "in the middle", &list[n / 2]);
    put_rank(e, "most loaded", &list[n - 1]);
    double work = e->m.step * (double)list[n / 2].f.points /
                  (double)(o->points > 0 ? o->points : 1);
    ix_text_format(t,
                   "\nmodel: a step of one process %.4g s, a message %.4g s "
                   "and %.4g bytes/s; nothing is hidden\n"
                   "weak scaling: parts like the one in the middle compute "
                   "%.3g of their time\n",
                   e->m.step, e->m.latency, e->m.bandwidth,
                   work / list[n / 2].seconds);
}

static void
put_rows(explain *e)
{
    ix_text *t = &e->text;
    ix_text_format(t, "\n   ranks  seconds     faster  efficiency  grid\n");
    for (int i = 0; i < e->nrows; i++) {
        const row *r = &e->row[i];
        double faster = e->row[0].seconds / r->seconds;
        ix_text_format(t, "%8d  %-10.4g %7.4g  %10.3g  %s\n", r->ranks,
                       r->seconds, faster, faster / r->ranks, r->grid);
    }
}

/* ---- the picture ---- */

/* Ranks and how much faster, both as logarithms, beside what would be ideal. */
static void
put_picture(explain *e)
{
    const int left = 70, top = 30, wide = 520, high = 400;
    ix_text *t = &e->text;
    double most = log((double)e->row[e->nrows - 1].ranks);
    double scale = most > 0 ? most : 1;
    ix_text_format(
        t,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" "
        "height=\"490\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"640\" height=\"490\" fill=\"white\"/>\n"
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"gray\" "
        "stroke-dasharray=\"4\"/>\n",
        left, top + high, left + wide, top);
    ix_text_format(t, "<polyline fill=\"none\" stroke=\"black\" "
                      "stroke-width=\"2\" points=\"");
    for (int i = 0; i < e->nrows; i++)
        ix_text_format(
            t, "%.1f,%.1f ", left + wide * log((double)e->row[i].ranks) / scale,
            top + high -
                high * log(e->row[0].seconds / e->row[i].seconds) / scale);
    ix_text_format(t, "\"/>\n");
    for (int i = 0; i<e->nrows; i += e->nrows> 8 ? 2 : 1) {
        double x = log((double)e->row[i].ranks) / scale;
        ix_text_format(t,
                       "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d"
                       "</text>\n<text x=\"%d\" y=\"%.1f\" "
                       "text-anchor=\"end\">%d</text>\n",
                       left + wide * x, top + high + 18, e->row[i].ranks,
                       left - 8, top + high - high * x + 4, e->row[i].ranks);
    }
    ix_text_format(t,
                   "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                   "fill=\"none\" stroke=\"black\"/>\n"
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ranks"
                   "</text>\n<text x=\"%d\" y=\"%d\">times as fast as one; "
                   "dashed: ideal</text>\n</svg>\n",
                   left, top, wide, high, left + wide / 2, top + high + 42,
                   left, top - 10);
}

/* ---- all of it ---- */

/* Adds the slowest rank's time on a grid; with "tell" what its ranks do. */
static ilex_status
add_row(explain *e, const int *ranks, bool tell, ix_error *err)
{
    ilex_group group;
    ix_outlook o = {.points = 0};
    int64_t points;
    ilex_grid *grid = make_grid(e, ranks, &group);
    if (!grid)
        return ilex_error_code(e->ctx);
    ilex_status rc =
        ix_outlook_open(&o, e->program, grid, e->size, e->nsizes, err);
    load *list = rc ? NULL : find_loads(e, &o, group.size, &points);
    if (!rc && !list)
        rc = ix_fail(err, ILEX_E_OVERFLOW, "a range leaves 64 bits");
    if (list && tell)
        put_loads(e, &o, list, group.size, points);
    else if (list) {
        row *r = &e->row[e->nrows++];
        size_t at = 0;
        *r =
            (row){.ranks = group.size, .seconds = list[group.size - 1].seconds};
        for (int k = 0; k < e->naxes && at < sizeof r->grid; k++)
            at += (size_t)snprintf(r->grid + at, sizeof r->grid - at, "%s%s:%d",
                                   k ? ", " : "", e->axis[k], ranks[k]);
    }
    free(list);
    ix_outlook_close(&o);
    ilex_grid_release(grid);
    return rc;
}

/* Grids of 1, 2, 4, ... ranks, always twice as many along the axis whose parts
 * are longest, up to those that were asked for, or 10,000, while these have
 * more than a point. */
static ilex_status
add_rows(explain *e, ix_error *err)
{
    int ranks[ILEX_MAX_RANK], all = 1, asked = 1;
    bool parts = true;
    ilex_status rc = ILEX_OK;
    for (int k = 0; k < e->naxes; k++) {
        ranks[k] = 1;
        asked *= e->ranks[k];
    }
    int most = asked > 10000 ? asked : 10000;
    while (!rc && parts && all <= most && e->nrows < MOST_ROWS) {
        int longest = 0;
        rc = add_row(e, ranks, false, err);
        for (int k = 1; k < e->naxes; k++)
            if ((e->range[k][1] - e->range[k][0]) / ranks[k] >
                (e->range[longest][1] - e->range[longest][0]) / ranks[longest])
                longest = k;
        ranks[longest] *= 2;
        all *= 2;
        parts = e->range[longest][1] - e->range[longest][0] >= ranks[longest];
    }
    return rc;
}

static ix_cli_exit
show(explain *e)
{
    ix_error err;
    ix_error_clear(&err);
    const char *path = ix_cli_options_value(e->command, IX_FLAG_OUTPUT, "-");
    const char *end = strrchr(path, '.');
    ilex_status rc = add_row(e, e->ranks, true, &err);
    rc = rc ? rc : add_rows(e, &err);
    if (rc && err.code)
        return ix_cli_fail(ix_cli_exit_of(rc), "%s", err.text);
    if (rc)
        return ix_cli_library_error(e->ctx);
    if (end && !strcmp(end, ".svg")) {
        ix_text_free(&e->text);
        ix_text_init(&e->text, &ix_mem_default);
        put_picture(e);
    } else {
        put_rows(e);
    }
    const char *text = ix_text_string(&e->text);
    if (!text)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    if (strcmp(path, "-") != 0)
        return ix_cli_output_replace(path, text);
    fputs(text, stdout);
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_explain_grid(const ix_cli_session *s, const ix_cli_command *c)
{
    explain e = {.command = c, .ctx = s->ctx};
    e.grid = ix_cli_options_value(c, IX_FLAG_GRID, "");
    e.program = ilex_compile_module(s->module);
    if (!e.program)
        return ix_cli_library_error(s->ctx);
    ix_text_init(&e.text, &ix_mem_default);
    ix_cli_exit status = read_grid(&e);
    status = status ? status : read_sizes(&e);
    status = status ? status : read_model(&e);
    for (int k = 0; !status && k < e.naxes; k++)
        status = find_range(&e, k);
    status = status ? status : show(&e);
    for (int k = 0; k < e.naxes; k++)
        free(e.axis[k]);
    free(e.size);
    ix_text_free(&e.text);
    ilex_program_release(e.program);
    return status;
}
