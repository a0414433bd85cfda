/* SPDX-License-Identifier: MIT
 *
 * Names of a kernel's loops, by which directives find them. Nothing stores
 * them: they follow from what variables run over and where loops stand.
 */
#include "compiler/loop/loop.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/suggest.h"

/* A loop, or a branch, which has no name. */
typedef struct named {
    ix_stmt *s;
    int around; /* of the list, or -1 */
} named;

typedef struct names {
    ix_unit *u;
    ix_kernel *k;
    named *item; /* in text order */
    size_t n, capacity;
    int *number;    /* of variables that are no part: 1 + their name's, or 0 */
    int count[128]; /* how many there are of each base */
} names;

/* ---- making them ---- */

/* What a name begins with is numbered: an axis by its position, others by how
 * many stand before. */
static void
number_root(names *m, int root)
{
    ix_variable_role role = m->k->variable[root].role;
    if (role == IX_VARIABLE_AXIS)
        m->number[root] = root + 1;
    else if (!m->number[root])
        m->number[root] = ++m->count[(int)ix_variable_bases[role]];
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
        m->item[here] = (named){s, around};
        if (s->kind == IX_STMT_FOR)
            number_root(m, ix_variable_root(m->k, s->number));
        collect(m, s->body, here);
        collect(m, s->other, here);
    }
}

static names
names_of(ix_unit *u, ix_kernel *k)
{
    names m = {.u = u, .k = k};
    m.number = ix_arena_new(&u->arena, k->nvariables * sizeof *m.number);
    collect(&m, k->body, -1);
    return m;
}

/* Puts the suffixes, those of what it is a part of first. */
static void
put_suffix(const ix_kernel *k, int variable, ix_text *t)
{
    ix_variable v = k->variable[variable];
    if (ix_variable_bases[v.role] == '.')
        put_suffix(k, v.part_of, t);
    ix_text_put(t, ix_variable_suffixes[v.role]);
}

/* Puts what a loop is called, with its number. */
static void
put_base(const names *m, const ix_stmt *loop, ix_text *t)
{
    int root = ix_variable_root(m->k, loop->number);
    ix_text_char(t, ix_variable_bases[m->k->variable[root].role]);
    ix_text_int(t, m->number[root] - 1);
    put_suffix(m->k, loop->number, t);
}

/* How many loops are called as the i-th of the list; those before it are
 * "*before". */
static int
copies(const names *m, size_t i, int *before)
{
    int n = 0;
    *before = 0;
    for (size_t j = 0; j < m->n; j++)
        if (m->item[j].s->kind == IX_STMT_FOR &&
            ix_variable_is_same(m->k, m->item[j].s->number,
                                m->item[i].s->number)) {
            *before += j < i;
            n++;
        }
    return n;
}

/* "i0", "i0#1" */
static void
put_name(const names *m, size_t i, ix_text *t)
{
    int before, n = copies(m, i, &before);
    put_base(m, m->item[i].s, t);
    if (n > 1)
        ix_text_format(t, "#%d", before);
}

/* "i0, r0.q, r0#0, r0#1"; of those called as loop "like", or all. */
static void
put_names(const names *m, const ix_stmt *like, ix_text *t)
{
    const char *comma = "";
    for (size_t i = 0; i < m->n; i++)
        if (m->item[i].s->kind == IX_STMT_FOR &&
            (!like ||
             ix_variable_is_same(m->k, m->item[i].s->number, like->number))) {
            ix_text_put(t, comma);
            put_name(m, i, t);
            comma = ", ";
        }
}

const char *
ix_loop_name(ix_unit *u, ix_kernel *k, const ix_stmt *loop)
{
    names m = names_of(u, k);
    ix_text t;
    ix_text_init(&t, &u->mem);
    for (size_t i = 0; i < m.n; i++)
        if (m.item[i].s == loop)
            put_name(&m, i, &t);
    return ix_text_string(&t);
}

void
ix_loops_put(ix_unit *u, ix_kernel *k, ix_text *t)
{
    names m = names_of(u, k);
    const char *comma = "";
    for (size_t i = 0; i < m.n; i++) {
        const ix_stmt *s = m.item[i].s;
        if (s->kind != IX_STMT_FOR)
            continue;
        ix_text_put(t, comma);
        put_name(&m, i, t);
        if (k->variable[s->number].role != IX_VARIABLE_AXIS ||
            ix_variable_root(k, s->number) != s->number)
            ix_text_format(
                t, " as %s",
                ix_value_name(ix_variable_letter(k, s->number), s->number).s);
        comma = ", ";
    }
}

/* ---- finding ---- */

/* What follows the suffixes, or NULL: they are not there. */
static const char *
skip_suffix(const ix_kernel *k, int variable, const char *name)
{
    ix_variable v = k->variable[variable];
    const char *suffix = ix_variable_suffixes[v.role];
    size_t n = strlen(suffix);
    if (ix_variable_bases[v.role] == '.')
        name = skip_suffix(k, v.part_of, name);
    return name && !strncmp(name, suffix, n) ? name + n : NULL;
}

/* What follows the number of a loop, or, as others may call it, the program's
 * name of its axis; NULL: it is called otherwise. */
static const char *
skip_base(const names *m, int root, const char *name, bool other)
{
    ix_variable_role role = m->k->variable[root].role;
    bool of_box = role == IX_VARIABLE_AXIS && root < m->k->box->rank;
    int32_t axis = of_box ? m->k->box->ax[root].name : 0;
    char *end;
    if (other) {
        const char *is = axis ? ix_symbol_text(m->u->ctx, axis) : "";
        size_t n = strlen(is);
        return n && !strncmp(name, is, n) ? name + n : NULL;
    }
    if (name[0] != ix_variable_bases[role] || !isdigit((unsigned char)name[1]))
        return NULL;
    long number = strtol(name + 1, &end, 10);
    bool plain = name[1] != '0' || end == name + 2;
    return plain && number == m->number[root] - 1 ? end : NULL;
}

/* Is the i-th loop called "name", of "length" characters: "i0", "i0*", "i0#1"?
 */
static bool
is_called(const names *m, size_t i, const char *name, size_t length, bool other)
{
    char copy[16];
    int before;
    const ix_stmt *loop = m->item[i].s;
    if (loop->kind != IX_STMT_FOR)
        return false;
    const char *at =
        skip_base(m, ix_variable_root(m->k, loop->number), name, other);
    at = at ? skip_suffix(m->k, loop->number, at) : NULL;
    if (!at || at > name + length)
        return false;
    length -= (size_t)(at - name);
    if (length == 0 || *at != '#')
        return length == 0 || (length == 1 && *at == '*');
    copies(m, i, &before);
    snprintf(copy, sizeof copy, "#%d", before);
    return strlen(copy) == length && !strncmp(at, copy, length);
}

/* Is loop "i" called "M/L": L, inside one called M? */
static bool
is_meant(const names *m, int i, const char *name, size_t length, bool other)
{
    size_t last = length;
    while (last > 0 && name[last - 1] != '/')
        last--;
    if (!is_called(m, (size_t)i, name + last, length - last, other))
        return false;
    for (i = m->item[i].around; last && i >= 0; i = m->item[i].around)
        if (is_meant(m, i, name, last - 1, other))
            return true;
    return last == 0;
}

static ix_refusal
refuse_none(const names *m, const char *name)
{
    ix_suggestion s = ix_suggest(name, strlen(name));
    ix_text t;
    ix_text_init(&t, &m->u->mem);
    put_names(m, NULL, &t);
    ix_suggest_words(&s, ix_text_string(&t), ", ");
    return ix_refuse(m->u, IX_REFUSAL_NAME, "there is no loop %s%s%s%s", name,
                     t.length ? ", only " : "", ix_text_string(&t),
                     ix_suggestion_show(&s).s);
}

static ix_refusal
refuse_several(const names *m, const char *name, const ix_stmt *first)
{
    ix_text t;
    ix_text_init(&t, &m->u->mem);
    put_names(m, first, &t);
    return ix_refuse(m->u, IX_REFUSAL_NAME,
                     "%s may be one of the loops %s; %s* is each of them", name,
                     ix_text_string(&t), name);
}

ix_refusal
ix_loops_find(ix_unit *u, ix_kernel *k, const char *name, ix_loops *found)
{
    names m = names_of(u, k);
    size_t length = strlen(name);
    found->loop = ix_arena_new(&u->arena, m.n * sizeof *found->loop);
    found->n = 0;
    for (int other = 0; other < 2 && !found->n; other++)
        for (size_t i = 0; i < m.n; i++)
            if (is_meant(&m, (int)i, name, length, other))
                found->loop[found->n++] = m.item[i].s;
    if (!found->n)
        return refuse_none(&m, name);
    if (found->n > 1 && name[length - 1] != '*')
        return refuse_several(&m, name, found->loop[0]);
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
