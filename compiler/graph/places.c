/* SPDX-License-Identifier: MIT
 *
 * In which section of a program for ranks each array is computed. What is read
 * near its place is computed anew by who reads it; what is read elsewhere along
 * a divided axis is sent, and its reader comes in a later section.
 *
 * A loop of the program has sections of its own, which are made again for each
 * step, behind all sections before it in the list. What it carries, what it
 * gives, and what its body reads of outside, is sent.
 */
#include "compiler/graph/sections.h"

#include "lib/base/axis.h"
#include "lib/build/scan.h"

/* Places while they are found. */
typedef struct finder {
    ix_places *p;
    ix_load_visitor loads;
    size_t at; /* the array whose body is visited */
} finder;

/* ---- names of axes ---- */

void
ix_divided_axes_read(const char *text, ix_divided_axes *d)
{
    d->n = 0;
    for (const char *p = text; *p && d->n < ILEX_MAX_RANK; p += *p == ',') {
        d->name[d->n] = p;
        d->length[d->n] = strcspn(p, ",");
        p += d->length[d->n++];
    }
}

int
ix_divided_axis(const ix_divided_axes *d, const ilex_array *x, int k)
{
    const char *name = ix_symbol_text(x->ctx, x->interior->ax[k].name);
    size_t stem = ix_axis_stem(name, strlen(name));
    for (int i = 0; *name && i < d->n; i++)
        if (d->length[i] == stem && !strncmp(name, d->name[i], stem))
            return i;
    return -1;
}

/* ---- loops ---- */

int
ix_places_loop(const ix_places *p, const ilex_array *n, int *k)
{
    const ix_unit *u = p->u;
    for (int l = 0; l < u->repeats.n; l++) {
        const ilex_array *loop = u->repeat[l].node;
        *k = n->kind == IX_RESULT ? (int)n->attr[0] : 0;
        if (n->kind == IX_RESULT && n->ops[0] == loop)
            return l;
        for (; n->kind == IX_CARRIED && *k < ix_repeat_carries(loop); ++*k)
            if (ix_repeat_carried(loop, *k) == n)
                return l;
    }
    return -1;
}

/* Is section "s" one of loop "l", whose sections may go on? */
static bool
has_section(const ix_places *p, int l, int s)
{
    return p->begin[l] > 0 && s >= p->begin[l] &&
           (p->end[l] == 0 || s < p->end[l]);
}

/* The section "s", or, if a loop has it that the array at position "i" is not
 * in, the first one behind this. */
static int
outside(const ix_places *p, size_t i, int s)
{
    const ix_unit *u = p->u;
    for (int l = 0; l < u->repeats.n; l++)
        if (!ix_repeats_within(&u->repeats, ix_unit_inside(u, i), l) &&
            has_section(p, l, s))
            s = p->end[l];
    return s;
}

/* The first section in which the array at position "i" can be read. */
static int
after(const ix_places *p, size_t i)
{
    const ilex_array *n = p->u->order[i];
    int k, loop = n->kind == IX_RESULT ? ix_places_loop(p, n, &k) : -1;
    return loop < 0 ? p->section[i] : outside(p, i, p->section[i] + 1);
}

int
ix_places_within(const ix_places *p, size_t i, int loop)
{
    int first = loop < 0 ? 0 : p->begin[loop], s = after(p, i);
    return s < first ? first : s;
}

/* Is what the array at position "k" is the same in all steps in which the one
 * at position "i" is made? */
static bool
is_around(const ix_places *p, size_t k, size_t i)
{
    const ix_unit *u = p->u;
    int loop = ix_unit_inside(u, i);
    return loop >= 0 && ix_unit_inside(u, k) != loop &&
           !ix_repeats_within(&u->repeats, ix_unit_inside(u, k), loop);
}

/* Those whose bodies begin at this position; inner ones come later. */
static void
begin_loops(finder *f)
{
    ix_places *p = f->p;
    const ix_unit *u = p->u;
    for (int l = u->repeats.n; l-- > 0;) {
        int around = u->repeat[l].around;
        if (u->repeat[l].begin != f->at || !u->need[u->repeat[l].end])
            continue;
        if (around >= 0 && p->last < p->begin[around])
            p->last = p->begin[around];
        p->begin[l] = p->last + 1;
    }
}

/* ---- where arrays can be computed ---- */

/* The array comes no earlier than the one at position "k", which it reads. */
static void
follow(finder *f, size_t k)
{
    ix_places *p = f->p;
    int s = after(p, k);
    if (p->section[f->at] < s)
        p->section[f->at] = s;
}

/* The array at position "k" is needed away from the parts, or in later steps:
 * all of it is. */
static void
send(finder *f, size_t k)
{
    ix_places *p = f->p;
    p->sent[k] = p->moved[k] = true;
    if (p->section[f->at] <= p->section[k])
        p->section[f->at] = p->section[k] + 1;
}

/* An input, or what is made of none, is there in all sections. */
static bool
is_plain(const ilex_array *x)
{
    return x->kind == IX_INPUT || (x->kind == IX_LAMBDA && x->nops == 1 &&
                                   !(x->ops[0]->flags & IX_HAS_REDUCE));
}

/* The array reads the one at position "k", which is not made again in each
 * step. */
static void
read_at(finder *f, size_t k)
{
    const ix_places *p = f->p;
    follow(f, k);
    if (is_around(p, k, f->at) && !is_plain(p->u->order[k]))
        send(f, k);
}

bool
ix_places_near(const ix_places *p, const ilex_array *n, int axis,
               const ilex_array *index)
{
    index = ix_index_moved(index);
    if (index->kind != IX_INDEX)
        return false;
    int k = (int)index->attr[0];
    return ix_divided_axis(&p->axes, n, k) == axis &&
           !(n->kind == IX_SCAN && ix_scan_axis(n) == k);
}

/* Has it an axis of chunks? A rank has its own. */
static bool
is_of_chunks(const ilex_array *x)
{
    bool chunks = false;
    for (int k = 0; k < ix_rank(x); k++)
        chunks |=
            ix_is_of_chunks(ix_symbol_text(x->ctx, x->interior->ax[k].name));
    return chunks;
}

/* The array lies on the grid. */
static void
divide(finder *f, const ilex_array *n)
{
    ix_places *p = f->p;
    for (int k = 0; k < ix_rank(n); k++) {
        int axis = ix_divided_axis(&p->axes, n, k);
        p->divided[f->at] |= axis < 0 ? 0 : UINT32_C(1) << axis;
    }
}

/* Of what is read at indices that are data, what is read is sent. */
static bool
place_listed(finder *f, ix_listing *l)
{
    ix_places *p = f->p;
    int loop = ix_unit_inside(p->u, l->of), *s = &p->section[f->at];
    int there = ix_places_within(p, l->of, loop);
    if (!ix_places_know(p, l))
        return false;
    *s = *s <= l->known ? l->known + 1 : *s;
    *s = *s <= there ? there + 1 : *s;
    p->strict[f->at] = true;
    divide(f, p->u->order[f->at]);
    return true;
}

/* "x", at position "k", is read at an index of its axis "a", which lies on
 * divided axis "axis". */
static void
place_index(finder *f, size_t k, int axis, const ilex_array *index)
{
    ix_places *p = f->p;
    bool here = index->kind == IX_INDEX;
    if (!ix_places_near(p, p->u->order[f->at], axis, index) ||
        (p->strict[k] && !here)) {
        send(f, k);
        return;
    }
    p->divided[f->at] |= UINT32_C(1) << axis;
    p->strict[f->at] |= p->strict[k];
    p->moved[k] |= !here;
}

static bool
place_load(ix_load_visitor *v, const ilex_array *load)
{
    finder *f = v->user;
    ix_places *p = f->p;
    const ilex_array *n = p->u->order[f->at];
    const ilex_array *x = n->ops[load->attr[0] + 1];
    ix_listing *l = ix_places_listing(p, f->at, (int)load->attr[0] + 1);
    size_t k = ix_unit_position(p->u, x);
    if (l && !place_listed(f, l))
        return false;
    if (!l)
        read_at(f, k);
    if (is_of_chunks(x))
        send(f, k);
    for (int a = 0; a < load->nops; a++) {
        int axis = ix_divided_axis(&p->axes, x, a);
        if (axis >= 0 && p->divided[k] >> axis & 1 &&
            !(l && load->ops[a]->kind == IX_CHECKED))
            place_index(f, k, axis, load->ops[a]);
    }
    return true;
}

/* Operand "x" is needed whole. */
static void
place_whole(finder *f, const ilex_array *x)
{
    size_t k = ix_unit_position(f->p->u, x);
    f->p->whole[k] = true;
    read_at(f, k);
    if (f->p->divided[k])
        send(f, k);
}

/* An update's read is no array of its own: what it reads is needed. */
static void
place_operands(finder *f, const ilex_array *n)
{
    for (int i = 0; i < n->nops; i++) {
        const ilex_array *x = n->ops[i];
        if (ix_is_array(x) && n->kind == IX_UPDATE && i == 1)
            place_operands(f, x);
        else if (ix_is_array(x))
            place_whole(f, x);
    }
}

/* ---- what loops carry and give ---- */

/* What is carried is there when its steps begin. */
static void
place_carried(finder *f, const ilex_array *n)
{
    ix_places *p = f->p;
    int k, loop = ix_places_loop(p, n, &k);
    divide(f, n);
    p->sent[f->at] = true;
    p->section[f->at] = p->begin[loop] - 1;
}

/* The sections of a loop end. Operands that are made outside of it, or of the
 * loop around it, are sent. */
static void
place_loop(finder *f, const ilex_array *n)
{
    ix_places *p = f->p;
    const ix_unit *u = p->u;
    int l = 0, carries = ix_repeat_carries(n);
    while (u->repeat[l].node != n)
        l++;
    for (int i = 1 + carries; i < n->nops; i++) {
        size_t k = ix_unit_position(u, n->ops[i]);
        bool around =
            i < 1 + 2 * carries
                ? is_around(p, k, f->at)
                : !ix_repeats_within(&u->repeats, ix_unit_inside(u, k), l);
        p->whole[k] = true;
        if (around && !is_plain(n->ops[i]))
            p->sent[k] = true;
    }
    p->last = p->last < p->begin[l] ? p->begin[l] : p->last;
    p->end[l] = p->last + 1;
}

/* A result of a loop is there behind its steps, one of a scan where the others
 * are. */
static void
place_result(finder *f, const ilex_array *n)
{
    ix_places *p = f->p;
    size_t from = ix_unit_position(p->u, n->ops[0]);
    int k, loop = ix_places_loop(p, n, &k);
    p->divided[f->at] = p->divided[from];
    p->strict[f->at] = p->strict[from];
    p->section[f->at] = p->section[from];
    if (loop < 0)
        return;
    divide(f, n);
    p->sent[f->at] = true;
    p->section[f->at] = p->end[loop] - 1;
}

/* ---- all of them ---- */

static bool
place(finder *f, const ilex_array *n)
{
    switch (n->kind) {
    case IX_INPUT:
        divide(f, n);
        return true;
    case IX_LAMBDA:
    case IX_SCAN:
        f->loads.frame.box = n->interior;
        return ix_places_list(f->p, f->at) &&
               ix_visit_loads(&f->loads, n->ops[0]);
    case IX_RESULT:
        place_result(f, n);
        return true;
    case IX_CARRIED:
        place_carried(f, n);
        return true;
    case IX_LOOP:
        place_loop(f, n);
        return true;
    case IX_DATA:
    case IX_COMPACT:
        ix_fail(&n->ctx->error, ILEX_E_UNSUPPORTED,
                "a program with %s is not supported in sections",
                ix_node_text(n));
        return false;
    default:
        place_operands(f, n);
        return true;
    }
}

static bool
place_next(finder *f)
{
    ix_places *p = f->p;
    const ix_unit *u = p->u;
    int loop = ix_unit_inside(u, f->at);
    begin_loops(f);
    if (!u->need[f->at])
        return true;
    p->section[f->at] = loop < 0 ? 0 : p->begin[loop];
    if (!place(f, u->order[f->at]))
        return false;
    if (u->order[f->at]->kind == IX_CARRIED)
        return true;
    if (u->order[f->at]->kind != IX_RESULT)
        p->section[f->at] = outside(p, f->at, p->section[f->at]);
    int s = after(p, f->at);
    p->last = p->last < s ? s : p->last;
    return true;
}

bool
ix_unit_places(ix_places *p)
{
    ix_unit *u = p->u;
    size_t n = u->norder + 1, loops = (size_t)u->repeats.n + 1;
    finder f = {.p = p,
                .loads = {.ctx = u->ctx, .mem = &u->mem, .fn = place_load}};
    bool ok = true;
    f.loads.user = &f;
    p->divided = ix_arena_new(&u->arena, n * sizeof *p->divided);
    p->section = ix_arena_new(&u->arena, n * sizeof *p->section);
    p->sent = ix_arena_new(&u->arena, n);
    p->strict = ix_arena_new(&u->arena, n);
    p->moved = ix_arena_new(&u->arena, n);
    p->whole = ix_arena_new(&u->arena, n);
    p->begin = ix_arena_new(&u->arena, loops * sizeof *p->begin);
    p->end = ix_arena_new(&u->arena, loops * sizeof *p->end);
    for (; ok && f.at < u->norder; f.at++)
        ok = place_next(&f);
    ix_visit_end(&f.loads);
    for (size_t i = 0; i < u->noutputs; i++)
        p->whole[ix_unit_position(u, u->root[i])] = true;
    return ok;
}
