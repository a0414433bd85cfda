/* SPDX-License-Identifier: MIT
 *
 * `ilexc run --ranks` of a program with messages: each rank runs the command by
 * itself, with its number where a value of --size is rank+1 and a file is
 * called u%r.npy.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
ix_cli_messages_are_asked(const ix_cli_run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->nfields; i++)
        any |= r->field[i].info.message;
    return any && !r->group &&
           ix_cli_options_value(r->command, IX_FLAG_RANKS, NULL) &&
           !ix_cli_options_value(r->command, IX_FLAG_GRID, NULL);
}

/* ---- the command of a rank ---- */

/* A rank and how many there are. */
typedef struct place {
    int rank, ranks;
} place;

/* The number that "rank", "rank+1", "rank-2" at "text" is, round the group, and
 * how long that is; 0: it is something else. */
static size_t
read_rank(const char *text, const place *p, long *number)
{
    char *end = (char *)(uintptr_t)text + 4;
    long by = 0;
    if (strncmp(text, "rank", 4) != 0)
        return 0;
    if (*end == '+' || *end == '-')
        by = strtol(end, &end, 10) % p->ranks;
    *number = (p->rank + by + p->ranks) % p->ranks;
    return *end == 0 || *end == ',' ? (size_t)(end - text) : 0;
}

/* "text" with numbers for what says which rank it is: behind '=' in sizes, as
 * %r elsewhere; NULL: no memory. */
static char *
fill_in(const char *text, bool sizes, const place *p)
{
    char *made = NULL;
    size_t length;
    FILE *f = open_memstream(&made, &length);
    for (const char *at = text; f && *at;) {
        long number = p->rank;
        bool value = sizes && at > text && at[-1] == '=';
        size_t n = value                             ? read_rank(at, p, &number)
                   : !sizes && !strncmp(at, "%r", 2) ? 2
                                                     : 0;
        if (n)
            fprintf(f, "%ld", number);
        else
            putc(*at, f);
        at += n ? n : 1;
    }
    if (f && fclose(f) == 0)
        return made;
    free(made);
    return NULL;
}

/* Outputs that are not called by the rank are the first one's. */
static bool
is_for(const ix_cli_setting *s, const place *p)
{
    return p->rank == 0 || s->flag != IX_FLAG_OUT || strstr(s->value, "%r");
}

/* A command with its own values; false: no memory. */
static bool
fill_command(ix_cli_command *c, const ix_cli_command *from, const place *p)
{
    bool ok = true;
    *c = *from;
    c->nsettings = 0;
    c->setting = calloc(from->nsettings + 1, sizeof *c->setting);
    for (size_t i = 0; c->setting && i < from->nsettings; i++) {
        ix_cli_setting s = from->setting[i];
        if (!is_for(&s, p))
            continue;
        s.value = fill_in(s.value, s.flag == IX_FLAG_SIZE, p);
        ok &= s.value != NULL;
        c->setting[c->nsettings++] = s;
    }
    return ok && c->setting;
}

static void
free_command(ix_cli_command *c)
{
    for (size_t i = 0; c->setting && i < c->nsettings; i++)
        free((void *)(uintptr_t)c->setting[i].value);
    free(c->setting);
}

/* ---- ranks ---- */

static int
body(ilex_group *group, void *user)
{
    ix_cli_command c;
    place p = {ilex_group_rank(group), ilex_group_size(group)};
    ix_cli_run r = {.command = &c, .group = group, .rank = p.rank};
    ix_cli_exit status = fill_command(&c, user, &p)
                             ? ix_cli_run_all(&r)
                             : ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ix_cli_run_close(&r);
    free_command(&c);
    return (int)status;
}

ix_cli_exit
ix_cli_messages_run(const ix_cli_run *r)
{
    const ix_cli_command *c = r->command;
    ilex_context *ctx = r->session.ctx;
    int ranks;
    if (ix_cli_ranks_number(c, &ranks))
        return IX_EXIT_USAGE;
    ilex_group_spec spec = {.size = sizeof spec,
                            .transport = ix_cli_ranks_transport(c),
                            .ranks = ranks,
                            .initialize = 1};
    ilex_status rc = ilex_group_run(ctx, &spec, body, (void *)(uintptr_t)c);
    return ilex_error_code(ctx) ? ix_cli_library_error(ctx) : (ix_cli_exit)rc;
}
