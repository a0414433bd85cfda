/* SPDX-License-Identifier: MIT
 *
 * Sizes that are known when a program is compiled ahead of time: groups like
 * "ni=128,nj=128", separated by ';', become the variants of a program.
 */
#include "runtime/library/library.h"

#include <errno.h>
#include <stdlib.h>

/* "ni=128" of a group that begins at "group". */
typedef struct pair {
    const char *name;
    size_t length;
    int64_t value;
} pair;

static ilex_status
misread(const ix_library_job *j, const char *group)
{
    return ix_fail(&j->ctx->error, ILEX_E_ARGUMENT,
                   "compile: sizes '%.*s': wants NAME=NUMBER, with commas "
                   "between several, for example ni=128,nj=128",
                   (int)strcspn(group, ";"), group);
}

/* Reads the pair at "*at", which goes on behind it. */
static ilex_status
read_pair(const ix_library_job *j, const char *group, const char **at, pair *p)
{
    char *end = NULL;
    p->name = *at;
    p->length = strcspn(*at, "=,;");
    const char *digits = *at + p->length + 1;
    if (p->length == 0 || digits[-1] != '=' || *digits < '0' || *digits > '9')
        return misread(j, group);
    errno = 0;
    p->value = strtoll(digits, &end, 10);
    if (errno || (*end && *end != ',' && *end != ';') ||
        (*end == ',' && (!end[1] || end[1] == ';')))
        return misread(j, group);
    *at = *end == ',' ? end + 1 : end;
    return ILEX_OK;
}

/* A size that runs are given; where nothing depends on it any value will do. */
static bool
is_given(const ix_compiled_size *s)
{
    return !s->phase && !s->own && !ix_compiled_size_is_derived(s);
}

/* The number of such a size, or that of all sizes. */
static size_t
find_size(const ix_compiled *c, const pair *p)
{
    size_t i = 0;
    while (i < c->nsizes &&
           (!is_given(&c->size[i]) || strlen(c->size[i].name) != p->length ||
            strncmp(c->size[i].name, p->name, p->length) != 0))
        i++;
    return i;
}

/* Are the sizes known that "s" is computed from? */
static bool
is_known(const ix_compiled_size *s, const int64_t *size)
{
    bool known = ix_compiled_size_is_derived(s);
    for (int k = 0; known && s->degree > 1 && k < s->degree; k++)
        known = size[s->factor[k]] >= 0;
    for (int k = 0; known && k < s->narms; k++)
        for (int32_t i = 0; known && i < s->arm[k]->n; i++)
            known = size[s->arm[k]->t[i].param] >= 0;
    return known;
}

/* What is computed from sizes that are known. */
static ilex_status
add_derived(const ix_library_job *j, const ix_compiled *c, int64_t *size)
{
    for (size_t i = 0; i < c->nsizes; i++) {
        const ix_compiled_size *s = &c->size[i];
        if (is_known(s, size) && !ix_compiled_derive(s, size, &size[i]))
            return ix_fail(&j->ctx->error, ILEX_E_OVERFLOW,
                           "compile: with the sizes that are fixed %s%s leaves "
                           "64 bits",
                           s->degree > 1 ? "the product " : "", s->name);
    }
    return ILEX_OK;
}

/* The group at "*at" as the sizes of "c", "*at" at its end; "*fits" if the
 * program has them all. */
static ilex_status
read_group(const ix_library_job *j, const ix_compiled *c, const char **at,
           int64_t *size, bool *fits)
{
    const char *group = *at;
    ilex_status rc = ILEX_OK;
    pair p = {.length = 0};
    for (size_t i = 0; i < c->nsizes; i++)
        size[i] = -1;
    *fits = true;
    do {
        rc = read_pair(j, group, at, &p);
        size_t i = rc ? c->nsizes : find_size(c, &p);
        *fits = *fits && i < c->nsizes;
        if (!rc && i < c->nsizes && size[i] >= 0)
            return ix_fail(&j->ctx->error, ILEX_E_DUPLICATE,
                           "compile: sizes '%.*s': %s stands there twice",
                           (int)strcspn(group, ";"), group, c->size[i].name);
        if (!rc && i < c->nsizes)
            size[i] = p.value;
    } while (!rc && **at && **at != ';');
    return rc ? rc : add_derived(j, c, size);
}

/* The group at "at" concerns no program; the last one is "c". */
static ilex_status
refuse_group(const ix_library_job *j, const ix_compiled *c, const char *at)
{
    ix_text t;
    ix_mem mem = ix_arena_mem(j->arena);
    const char *before = " has the sizes ";
    ix_text_init(&t, &mem);
    ix_text_put(&t, c->name);
    for (size_t i = 0; i < c->nsizes; i++)
        if (is_given(&c->size[i])) {
            ix_text_format(&t, "%s%s", before, c->size[i].name);
            before = ", ";
        }
    ix_text_put(&t, *before == ',' ? "" : " has no size");
    return ix_fail(&j->ctx->error, ILEX_E_UNKNOWN,
                   "compile: no program has the sizes of '%.*s'; %s",
                   (int)strcspn(at, ";"), at, ix_text_string(&t));
}

/* All groups have concerned a program, of which "c" is the last. */
static ilex_status
check_concerned(const ix_library_job *j, const ix_compiled *c)
{
    const char *at = j->sizes;
    for (size_t g = 0; *at; g++, at += strcspn(at, ";"), at += *at == ';')
        if (!j->concerned[g])
            return refuse_group(j, c, at);
    return ILEX_OK;
}

ilex_status
ix_library_variants(ix_library_job *j, ix_library *l, bool last)
{
    const ix_compiled *c = l->program;
    ilex_status rc = ILEX_OK;
    if (!j->sizes)
        return ILEX_OK;
    size_t groups = 1, n = 0;
    for (const char *p = j->sizes; *p; p++)
        groups += *p == ';';
    if (!j->concerned)
        j->concerned = ix_arena_new(j->arena, groups * sizeof *j->concerned);
    ix_library_variant *variant =
        ix_arena_new(j->arena, groups * sizeof *variant);
    const char *at = j->sizes;
    for (size_t g = 0; !rc && g < groups; g++, at += *at == ';') {
        int64_t *size = ix_arena_new(j->arena, (c->nsizes + 1) * sizeof *size);
        bool fits;
        rc = read_group(j, c, &at, size, &fits);
        if (!rc && fits) {
            variant[n].size = size;
            variant[n++].fortran = j->fortran != 0;
            j->concerned[g] = true;
        }
    }
    l->variant = variant;
    l->nvariants = n;
    return !rc && last ? check_concerned(j, c) : rc;
}
