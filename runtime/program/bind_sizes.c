/* SPDX-License-Identifier: MIT
 *
 * The sizes that a run is given, by name. All others follow from the shapes of
 * its storages (compiler/run/sizes.inc).
 */
#include "lib/base/suggest.h"
#include "runtime/program/program.h"

ilex_status
ix_fail_no_size(const ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    if (!name)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: the name of a size is NULL (for example \"n\")",
                       c->name);
    ix_suggestion near = ix_suggest(name, strlen(name));
    for (size_t k = 0; k < c->nsizes; k++)
        if (!ix_compiled_size_is_derived(&c->size[k]) && !c->size[k].own)
            ix_suggest_name(&near, c->size[k].name, strlen(c->size[k].name));
    return ix_fail(r->err, ILEX_E_SIZE, "%s: there is no size '%.80s'%s",
                   c->name, name, ix_suggestion_show(&near).s);
}

/* The size that users call so; as many as there are if there is none. */
static size_t
find_size(const ix_compiled *c, const char *name)
{
    size_t k = 0;
    while (k < c->nsizes &&
           (!name || strcmp(c->size[k].name, name) != 0 || c->size[k].own ||
            ix_compiled_size_is_derived(&c->size[k])))
        k++;
    return k;
}

ilex_status
ix_check_size(ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    size_t k = find_size(c, name);
    if (k == c->nsizes && r->p->is_variant) /* the program has it */
        return ILEX_OK;
    if (!name || k == c->nsizes)
        return ix_fail_no_size(r, name);
    if (c->size[k].phase)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: the size %s is counted by the run, not given; "
                       "ask for it in `counted` of the call",
                       c->name, name);
    return ILEX_OK;
}

/* Takes a value for every size of that name. */
static void
give(ix_run *r, const char *name, int64_t value)
{
    const ix_compiled *c = r->p->c;
    for (size_t p = 0; p < c->nsizes; p++)
        if (ix_compiled_size_is_given(&c->size[p]) &&
            !strcmp(c->size[p].name, name))
            r->s.size[p] = value;
}

/* The size that binding "i" gives, or NULL. */
static const ilex_binding *
size_of(const ix_run *r, size_t i)
{
    const ilex_binding *b = &r->bindings[i];
    bool integer = b->kind == ILEX_BOUND_I64 || b->kind == ILEX_BOUND_U64;
    return integer && b->name &&
                   ix_find_argument(r->p->c, b->name) == r->p->c->narguments
               ? b
               : NULL;
}

/* Can sizes be given so? */
static ilex_status
check_given(ix_run *r)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->nbindings; i++) {
        const ilex_binding *b = size_of(r, i);
        if (b)
            rc = (ilex_status)ix_check_given(&r->s, b->name, b->integer);
    }
    for (size_t i = 0; !rc && r->call && i < r->call->size_count; i++) {
        const ilex_size_binding *b = &r->call->sizes[i];
        rc = ix_check_size(r, b->name);
        rc = rc ? rc : (ilex_status)ix_check_given(&r->s, b->name, b->value);
    }
    return rc;
}

static bool
is_counted(const ix_compiled *c, const char *name)
{
    size_t i = 0;
    while (i < c->ncounts && strcmp(c->size[c->count[i].size].name, name) != 0)
        i++;
    return i < c->ncounts;
}

/* Are the sizes that the call asks for some that the run counts? */
static ilex_status
check_counted(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t count = r->call ? r->call->counted_count : 0;
    if (count > 0 && !r->call->counted)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "%s: counted is NULL", c->name);
    for (size_t i = 0; i < count; i++) {
        const char *name = r->call->counted[i].name;
        if (!name || is_counted(c, name) || r->p->is_variant)
            continue; /* of a variant the program has said so */
        return find_size(c, name) == c->nsizes
                   ? ix_fail_no_size(r, name)
                   : ix_fail(r->err, ILEX_E_SIZE,
                             "%s: the size %s is given, not counted by the run",
                             c->name, name);
    }
    return ILEX_OK;
}

/* What the call says wins over bindings, the first over others. */
ilex_status
ix_bind_given(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t count = r->call ? r->call->size_count : 0;
    if (count > 0 && !r->call->sizes)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "%s: sizes is NULL", c->name);
    if (r->call && r->call->size >= offsetof(ilex_call, group) &&
        r->call->every < 0)
        return ix_fail(r->err, ILEX_E_ARGUMENT,
                       "%s: progress is told every %lld steps; 0 is each",
                       c->name, (long long)r->call->every);
    if (r->call && r->call->threads < 0)
        return ix_fail(r->err, ILEX_E_ARGUMENT,
                       "%s: threads is %d; 0 is what option threads says",
                       c->name, r->call->threads);
    ilex_status rc = check_given(r);
    rc = rc ? rc : check_counted(r);
    for (size_t p = 0; p < c->nsizes; p++)
        r->s.size[p] = ix_compiled_size_is_given(&c->size[p]) ? -1 : 0;
    for (size_t i = r->nbindings; !rc && i-- > 0;)
        if (size_of(r, i))
            give(r, r->bindings[i].name, r->bindings[i].integer);
    for (size_t i = count; !rc && i-- > 0;)
        give(r, r->call->sizes[i].name, r->call->sizes[i].value);
    return rc;
}
