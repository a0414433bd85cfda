/* SPDX-License-Identifier: MIT
 *
 * Loops over steps: --steps, --every, and the storages that change places after
 * each step. An output may be smaller than the input whose place it takes,
 * along named axes, where indices say which point is which: what it does not
 * write stays as the input had it first.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number of steps, from 1. */
static ix_cli_exit
read_steps(const ix_cli_run *r, ix_cli_flag flag, const char *spelling,
           int64_t *value)
{
    const char *text = ix_cli_options_value(r->command, flag, NULL);
    char *end;
    if (!text)
        return IX_EXIT_OK;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end || errno || *value < 1)
        return ix_cli_usage(
            "run", "%s %s: wants a number of steps, for example %s 100",
            spelling, text, spelling);
    return IX_EXIT_OK;
}

/* The field that a word of a pair names. */
static ix_cli_exit
read_field(const ix_cli_run *r, const char *given, const char *name, size_t *i)
{
    for (*i = 0; *i < r->nfields; *i += 1)
        if (strcmp(r->field[*i].info.name, name) == 0)
            return IX_EXIT_OK;
    return ix_cli_usage("run", "--swap %s: the program has no argument %s%s",
                        given, name,
                        ix_cli_suggest_argument(r, name, true, true).s);
}

/* Adds the pair "copy", which is cut, to the list. */
static ix_cli_exit
read_swap(ix_cli_run *r, const char *given, char *copy)
{
    char *other = strchr(copy, '='), *more = NULL;
    ix_cli_swap *s = &r->swap[r->nswaps];
    if (!other || other == copy || !other[1] || strpbrk(copy, ", \t"))
        return ix_cli_usage(
            "run",
            "--swap %s: wants NAME=NAME, for example --swap u=u_new; "
            "repeat it for more",
            given);
    *other++ = '\0';
    ix_cli_exit status = read_field(r, given, copy, &s->a);
    if (status == IX_EXIT_OK)
        status = read_field(r, given, other, &s->b);
    if (status != IX_EXIT_OK)
        return status;
    if (s->a == s->b)
        return ix_cli_usage("run", "--swap %s: both are %s", given, copy);
    if (asprintf(&more, "%s%s%s=%s", r->swaps ? r->swaps : "",
                 r->swaps ? "," : "", copy, other) < 0)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    free(r->swaps);
    r->swaps = more;
    r->field[s->a].swapped = r->field[s->b].swapped = true;
    r->nswaps++;
    return IX_EXIT_OK;
}

/* Reads all pairs. */
static ix_cli_exit
read_swaps(ix_cli_run *r)
{
    const ix_cli_command *c = r->command;
    ix_cli_exit status = IX_EXIT_OK;
    r->swap = calloc(c->nsettings + 1, sizeof *r->swap);
    if (!r->swap)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    for (size_t i = 0; i < c->nsettings && status == IX_EXIT_OK; i++) {
        if (c->setting[i].flag != IX_FLAG_SWAP)
            continue;
        char *copy = strdup(c->setting[i].value);
        status = copy ? read_swap(r, c->setting[i].value, copy)
                      : ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
        free(copy);
    }
    return status;
}

/* Are the names of files such that no step writes over another's? */
static ix_cli_exit
check_names(const ix_cli_run *r)
{
    for (size_t i = 0; r->loop && i < r->nfields; i++) {
        const char *path = r->field[i].target.path, *why;
        if (!path || ix_cli_step_name_is(path, &why))
            continue;
        if (why)
            return ix_cli_usage("run",
                                "--out %s=@%s: the step goes where %%d "
                                "or %%04d stands, once: %s",
                                r->field[i].info.name, path, why);
        if (r->every < r->steps)
            return ix_cli_usage(
                "run",
                "--out %s=@%s: several steps are written; say where the "
                "step goes, for example %s%%04d%s",
                r->field[i].info.name, path, r->field[i].info.name,
                strrchr(path, '.'));
    }
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_swaps_read(ix_cli_run *r)
{
    const ix_cli_command *c = r->command;
    r->loop = ix_cli_options_value(c, IX_FLAG_STEPS, NULL) != NULL;
    r->steps = 1;
    ix_cli_exit status = read_steps(r, IX_FLAG_STEPS, "--steps", &r->steps);
    r->every = r->steps;
    if (status == IX_EXIT_OK)
        status = read_steps(r, IX_FLAG_EVERY, "--every", &r->every);
    if (status == IX_EXIT_OK)
        status = read_swaps(r);
    if (status != IX_EXIT_OK)
        return status;
    if (!r->loop && (r->swaps || ix_cli_options_value(c, IX_FLAG_EVERY, NULL)))
        return ix_cli_usage("run",
                            "%s goes with --steps, for example --steps "
                            "100",
                            r->swaps ? "--swap" : "--every");
    return check_names(r);
}

/* ---- do they fit? ---- */

/* Says why two fields cannot change places. */
static ix_cli_exit
misfit(const ix_cli_field *a, const ix_cli_field *b, const char *why)
{
    fprintf(stderr, "ilexc run: --swap %s=%s: ", a->info.name, b->info.name);
    const ix_cli_field *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const ilex_argument_info *x = &both[i]->info;
        fprintf(stderr, x->rank ? "%s is %s[%s]%s" : "%s is %s%s%s", x->name,
                ilex_dtype_name(x->dtype), x->domain, i ? "; " : " and ");
    }
    fprintf(stderr, "%s\n", why);
    return IX_EXIT_PROGRAM;
}

/* May "small" take the place of "large" along axis "k"? Where both begin at the
 * same point a run takes the end of the storage for the end of both. */
static bool
inside(const ix_cli_field *small, const ix_cli_field *large, int k)
{
    bool named = *small->info.axis[k];
    if (small->lo[k] == large->lo[k] || !named)
        return small->lo[k] == large->lo[k] && small->hi[k] == large->hi[k];
    return small->lo[k] > large->lo[k] && small->hi[k] <= large->hi[k];
}

/* Do two fields fit? Of an input and an output the output may be smaller. */
static ix_cli_exit
check_pair(const ix_cli_field *a, const ix_cli_field *b)
{
    const ix_cli_field *small = a->info.output ? a : b;
    const ix_cli_field *large = small == a ? b : a;
    bool mixed = a->info.output != b->info.output;
    if (a->info.dtype != b->info.dtype)
        return misfit(a, b, "their dtypes differ");
    if (a->info.rank != b->info.rank)
        return misfit(a, b, "their ranks differ");
    for (int k = 0; k < a->info.rank; k++) {
        if (strcmp(a->info.axis[k], b->info.axis[k]) != 0)
            return misfit(a, b, "their axes differ");
        if (!mixed && (a->lo[k] != b->lo[k] || a->hi[k] != b->hi[k]))
            return misfit(a, b, "their domains differ");
        if (mixed && !inside(small, large, k))
            return misfit(a, b,
                          "with these sizes the output does not cover the same "
                          "points, nor points between the first and the last "
                          "of the input");
    }
    return IX_EXIT_OK;
}

/* Both get the room that either has; returns whether one grew. */
static bool
share_room(ix_cli_field *a, ix_cli_field *b)
{
    bool grew = false;
    for (int k = 0; k < a->info.rank; k++) {
        int64_t first = a->first[k] < b->first[k] ? a->first[k] : b->first[k];
        int64_t end = a->end[k] > b->end[k] ? a->end[k] : b->end[k];
        grew |= a->first[k] != first || b->first[k] != first;
        grew |= a->end[k] != end || b->end[k] != end;
        a->first[k] = b->first[k] = first;
        a->end[k] = b->end[k] = end;
    }
    return grew;
}

ix_cli_exit
ix_cli_swaps_fit(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nswaps && status == IX_EXIT_OK; i++)
        status = check_pair(&r->field[r->swap[i].a], &r->field[r->swap[i].b]);
    for (bool grew = status == IX_EXIT_OK; grew;) {
        grew = false;
        for (size_t i = 0; i < r->nswaps; i++)
            grew |=
                share_room(&r->field[r->swap[i].a], &r->field[r->swap[i].b]);
    }
    return status;
}

const ix_cli_field *
ix_cli_swaps_partner(const ix_cli_run *r, const ix_cli_field *f)
{
    for (size_t i = 0; i < r->nswaps; i++) {
        const ix_cli_field *a = &r->field[r->swap[i].a];
        const ix_cli_field *b = &r->field[r->swap[i].b];
        const ix_cli_field *other = a == f ? b : b == f ? a : NULL;
        if (other && f->info.output && !other->info.output)
            return other;
    }
    return NULL;
}
