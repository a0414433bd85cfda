/* SPDX-License-Identifier: MIT
 *
 * Names of a kernel's loops, by which directives find them. Nothing stores
 * them: they follow from what variables run over and where loops stand.
 */
#include "compiler/loop/loop.h"

#include <stdio.h>

#include "lib/base/suggest.h"

/* A loop, or a branch, which has no name. */
typedef struct named {
    ix_stmt *s;
    int around;        /* of the list, or -1 */
    const char *name;  /* "i0.o"; NULL: a branch */
    const char *other; /* the same with the program's name of the axis, or NULL
                        */
    int copy, copies;  /* which of the loops with this name it is */
} named;

typedef struct names {
    ix_unit *u;
    ix_kernel *k;
    named *item; /* in text order */
    size_t n, capacity;
    int *number;    /* of variables that are no part: 1 + their name's, or 0 */
    int count[128]; /* how many there are of each base */
} names;

static const char bases[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) base,
#include "compiler/tree/variables.def"
};

/* ---- making them ---- */

/* What a name begins with: of an axis its position, of others how many stand
 * before. */
static int
number_of(names *m, int root)
{
    char base = bases[m->k->variable[root].role];
    if (m->k->variable[root].role == IX_VARIABLE_AXIS)
        return root;
    if (!m->number[root])
        m->number[root] = ++m->count[(int)base];
    return m->number[root] - 1;
}

/* Puts the suffixes, those of what it is a part of first. */
static void
put_suffix(const ix_kernel *k, int variable, ix_text *t)
{
    static const char *const suffixes[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) suffix,
#include "compiler/tree/variables.def"
    };
    ix_variable v = k->variable[variable];
    if (bases[v.role] == '.')
        put_suffix(k, v.part_of, t);
    ix_text_put(t, suffixes[v.role]);
}

static void
name_loop(names *m, named *e)
{
    ix_mem mem = ix_arena_mem(&m->u->arena);
    int variable = e->s->number, root = ix_variable_root(m->k, variable);
    ix_variable_role role = m->k->variable[root].role;
    const ix_domain *box = m->k->box;
    ix_text t;
    ix_text_init(&t, &mem);
    ix_text_format(&t, "%c%d", bases[role], number_of(m, root));
    put_suffix(m->k, variable, &t);
    e->name = ix_text_string(&t);
    if (role != IX_VARIABLE_AXIS || !box->ax[root].name)
        return;
    ix_text_init(&t, &mem);
    ix_text_put(&t, ix_symbol_text(m->u->ctx, box->ax[root].name));
    put_suffix(m->k, variable, &t);
    e->other = ix_text_string(&t);
}

static void
collect(names *m, ix_stmt *list, int around)
{
    for (ix_stmt *s = list; s; s = s->next) {
        if (s->kind != IX_STMT_FOR && s->kind != IX_STMT_IF)
            continue;
        int here = (int)m->n++;
        ix_arena_grow(&m->u->arena, &m->item, &m->capacity, m->n,
                      sizeof *m->item);
        m->item[here] = (named){.s = s, .around = around};
        if (s->kind == IX_STMT_FOR)
            name_loop(m, &m->item[here]);
        collect(m, s->body, here);
        collect(m, s->other, here);
    }
}

/* Tells loops of one name apart. */
static void
count_copies(names *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; m->item[i].name && j < m->n; j++)
            if (m->item[j].name && !strcmp(m->item[i].name, m->item[j].name)) {
                m->item[i].copy += j < i;
                m->item[i].copies++;
            }
}

static names
names_of(ix_unit *u, ix_kernel *k)
{
    names m = {.u = u, .k = k};
    m.number = ix_arena_new(&u->arena, k->nvariables * sizeof *m.number);
    collect(&m, k->body, -1);
    count_copies(&m);
    return m;
}

static void
put_name(const named *e, ix_text *t)
{
    ix_text_put(t, e->name);
    if (e->copies > 1)
        ix_text_format(t, "#%d", e->copy);
}

/* "i0, r0.q, r0#0, r0#1"; of those called "name", or all. */
static void
put_names(const names *m, const char *name, ix_text *t)
{
    const char *comma = "";
    for (size_t i = 0; i < m->n; i++)
        if (m->item[i].name && (!name || !strcmp(m->item[i].name, name))) {
            ix_text_put(t, comma);
            put_name(&m->item[i], t);
            comma = ", ";
        }
}

const char *
ix_loop_name(ix_unit *u, ix_kernel *k, const ix_stmt *loop)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    names m = names_of(u, k);
    ix_text t;
    ix_text_init(&t, &mem);
    for (size_t i = 0; i < m.n; i++)
        if (m.item[i].s == loop)
            put_name(&m.item[i], &t);
    return ix_text_string(&t);
}

void
ix_loops_put(ix_unit *u, ix_kernel *k, ix_text *t)
{
    names m = names_of(u, k);
    put_names(&m, NULL, t);
}

/* ---- finding ---- */

/* Is a loop called "name", of "length" characters: "i0", "i0*", "i0#1"? */
static bool
is_called(const named *e, const char *name, size_t length, bool other)
{
    const char *own = other ? e->other : e->name;
    size_t n = own ? strlen(own) : 0;
    char copy[16];
    if (!own || length < n || strncmp(own, name, n))
        return false;
    int m = snprintf(copy, sizeof copy, "#%d", e->copy);
    return length == n || (length == n + 1 && name[n] == '*') ||
           (length == n + (size_t)m && !strncmp(name + n, copy, (size_t)m));
}

/* Is loop "i" called "M/L": L, inside one called M? */
static bool
is_meant(const names *m, int i, const char *name, size_t length, bool other)
{
    size_t last = length;
    while (last > 0 && name[last - 1] != '/')
        last--;
    if (!is_called(&m->item[i], name + last, length - last, other))
        return false;
    for (i = m->item[i].around; last && i >= 0; i = m->item[i].around)
        if (is_meant(m, i, name, last - 1, other))
            return true;
    return last == 0;
}

static ix_refusal
refuse_none(const names *m, const char *name)
{
    ix_mem mem = ix_arena_mem(&m->u->arena);
    ix_suggestion s = ix_suggest(name, strlen(name));
    ix_text t;
    ix_text_init(&t, &mem);
    put_names(m, NULL, &t);
    ix_suggest_words(&s, ix_text_string(&t), ", ");
    return ix_refuse(m->u, IX_REFUSAL_NAME, "there is no loop %s%s%s%s", name,
                     t.length ? ", only " : "", ix_text_string(&t),
                     ix_suggestion_show(&s).s);
}

static ix_refusal
refuse_several(const names *m, const char *name, const named *first)
{
    ix_mem mem = ix_arena_mem(&m->u->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    put_names(m, first->name, &t);
    return ix_refuse(m->u, IX_REFUSAL_NAME,
                     "%s may be one of the loops %s; %s* is each of them", name,
                     ix_text_string(&t), name);
}

ix_refusal
ix_loops_find(ix_unit *u, ix_kernel *k, const char *name, ix_loops *found)
{
    names m = names_of(u, k);
    size_t length = strlen(name);
    const named *first = NULL;
    found->loop = ix_arena_new(&u->arena, m.n * sizeof *found->loop);
    found->n = 0;
    for (int other = 0; other < 2 && !found->n; other++)
        for (size_t i = 0; i < m.n; i++)
            if (is_meant(&m, (int)i, name, length, other)) {
                first = first ? first : &m.item[i];
                found->loop[found->n++] = m.item[i].s;
            }
    if (!first)
        return refuse_none(&m, name);
    if (found->n > 1 && name[length - 1] != '*')
        return refuse_several(&m, name, first);
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

static bool
descend(ix_cursor *c, ix_stmt **list, const ix_stmt *loop, int depth)
{
    for (; *list; list = &(*list)->next) {
        c->at = list;
        c->depth = depth;
        if (*list == loop)
            return true;
        if (depth == IX_DEEP)
            continue;
        c->around[depth] = *list;
        if (descend(c, &(*list)->body, loop, depth + 1) ||
            descend(c, &(*list)->other, loop, depth + 1))
            return true;
    }
    return false;
}

bool
ix_cursor_at(ix_kernel *k, const ix_stmt *loop, ix_cursor *c)
{
    c->k = k;
    return descend(c, &k->body, loop, 0);
}

ix_refusal
ix_cursor_find(ix_unit *u, ix_kernel *k, const char *name, ix_cursor *c)
{
    ix_loops found;
    ix_refusal r = ix_loops_find(u, k, name, &found);
    if (r.class || ix_cursor_at(k, found.loop[0], c))
        return r;
    return ix_refuse(u, IX_REFUSAL_SHAPE,
                     "more than %d loops and branches are "
                     "around %s",
                     IX_DEEP, name);
}
