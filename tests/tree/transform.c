/* SPDX-License-Identifier: MIT
 *
 * Random transformations of loops.
 */
#include "tests/tree/transform.h"

#include <stdio.h>
#include <stdlib.h>

#include "compiler/loop/distances.h"

enum { LONGEST = 600, TRIES = 16 };

static const char *const rows[] = {
#define IX_LOOP(name, text, meaning) #name,
#define IX_KERNELS(name, n, text, meaning) "program: " #name,
#include "compiler/loop/loops.def"
};

static const char *const class_names[] = {
    "done",
#define IX_REFUSAL(CLASS, text) text,
#include "compiler/loop/loops.def"
};

static int64_t counts[IX_NDIRECTIVES][IX_COUNT(class_names)];

uint64_t
tree_draw(uint64_t *random, uint64_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % n;
}

/* ---- a kernel's loops ---- */

typedef tree_loops loops;

static bool
note_loop(void *user, ix_stmt *s)
{
    loops *l = user;
    if (s->kind == IX_STMT_FOR && l->n < TREE_NAMES)
        l->loop[l->n++] = s;
    return true;
}

/* False: the kernel has none, or too many. */
static bool
find_loops(ix_unit *u, ix_kernel *k, loops *l)
{
    l->n = 0;
    ix_stmt_each(k->body, note_loop, l);
    if (l->n == 0 || l->n == TREE_NAMES || ix_stmt_count(k->body) > LONGEST)
        return false;
    for (int i = 0; i < l->n; i++)
        snprintf(l->name[i], sizeof l->name[i], "%s",
                 ix_loop_name(u, k, l->loop[i]));
    return true;
}

static int
index_of(const loops *l, const ix_stmt *loop)
{
    int i = 0;
    while (l->loop[i] != loop)
        i++;
    return i;
}

/* ---- directives ---- */

static bool
has_constant_length(ix_unit *u, const ix_stmt *loop)
{
    for (int i = 0; i < loop->n[IX_for_hi]; i++) {
        const ilex_array *n = ix_index_try_fma(
            u->ctx, ix_operands(loop, IX_for_hi)[i], -1, ix_for_lo(loop));
        if (n && n->kind == IX_CONST)
            return true;
    }
    return false;
}

/* Does it run over the points of a strip? */
static bool
is_of_strip(const ix_kernel *k, const ix_stmt *s)
{
    return s->kind == IX_STMT_FOR &&
           k->variable[s->number].role == IX_VARIABLE_INNER;
}

/* The next loop behind it, or NULL. */
static const ix_stmt *
loop_behind(const ix_stmt *loop)
{
    const ix_stmt *s = loop->next;
    while (s && s->kind != IX_STMT_FOR)
        s = s->next;
    return s;
}

/* How often a list of statements uses a buffer. */
typedef struct uses {
    int buffer, n;
} uses;

static bool
note_load(void *user, const ilex_array *load)
{
    uses *x = user;
    x->n += load->attr[0] == x->buffer;
    return true;
}

static bool
note_store(void *user, ix_stmt *s)
{
    uses *x = user;
    x->n += s->kind == IX_STMT_STORE && s->buffer == x->buffer;
    return true;
}

static int
uses_in(ix_unit *u, ix_stmt *list, int buffer)
{
    uses x = {.buffer = buffer};
    ix_stmt_loads(u, list, note_load, &x);
    ix_stmt_each(list, note_store, &x);
    return x.n;
}

/* A temporary of the kernel that the loop alone uses, one of no iteration's own
 * first; -1: none. */
static int
find_temporary(ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    for (size_t j = 0; j < 2 * u->nbuffers; j++) {
        size_t i = j % u->nbuffers;
        bool own = u->buffer[i].own != NULL;
        int n = u->buffer[i].local && own == (j >= u->nbuffers)
                    ? uses_in(u, loop->body, (int)i)
                    : 0;
        if (n > 0 && n == uses_in(u, k->body, (int)i))
            return (int)i;
    }
    return -1;
}

/* A temporary of another kernel that the loop alone reads, -1: none. */
static int
find_read(ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        int n = b->role == IX_ROLE_TEMP && !b->local
                    ? uses_in(u, loop->body, (int)i)
                    : 0;
        if (n > 0 && n == uses_in(u, k->body, (int)i))
            return (int)i;
    }
    return -1;
}

static bool
is_other(void *loop, ix_stmt *s)
{
    return s != loop;
}

/* The innermost loop that is around the i-th, or a further one; NULL: none. */
static const char *
draw_around(const loops *l, int i, uint64_t *random)
{
    const char *found = NULL;
    for (int k = i - 1; k >= 0; k--)
        if (!ix_stmt_each(l->loop[k]->body, is_other, l->loop[i]) &&
            (!found || tree_draw(random, 3) == 0))
            found = l->name[k];
    return found;
}

/* Is it a loop for which the transformation may be done, at first sight? */
static bool
suits(ix_unit *u, ix_kernel *k, const ix_stmt *loop, ix_loop_row row)
{
    const ix_stmt *body = loop->body;
    bool innermost = ix_stmt_is_innermost(loop);
    ix_cursor c;
    switch (row) {
    case IX_LOOP_split:
        return innermost ? ix_loop_functions(u, k, loop) > 0
                         : ix_cursor_at(k, loop, &c) && ix_loop_jams(u, &c, -1);
    case IX_LOOP_mine:
        return ix_cursor_at(k, loop, &c) && ix_loop_mines(u, &c);
    case IX_LOOP_jam:
        return has_constant_length(u, loop) && !innermost;
    case IX_LOOP_expand:
        return ix_loop_functions(u, k, loop) > 0;
    case IX_LOOP_whole:
        return tree_is_strip(u, loop);
    case IX_LOOP_grid:
        return u->target->grid && loop->parallel && loop->how == IX_SERIAL;
    case IX_LOOP_prefetch:
        while (body && !is_of_strip(k, body))
            body = body->next;
        return body && !loop->parallel;
    case IX_LOOP_round:
        return ix_cursor_at(k, loop, &c) && ix_loop_rounds(u, &c, 2);
    case IX_LOOP_compute:
        return find_read(u, k, loop) >= 0;
    case IX_LOOP_shrink:
        return find_temporary(u, k, loop) >= 0;
    default:
        return true;
    }
}

/* A loop that suits, if there is one; now and then any. */
static int
draw_loop(ix_unit *u, ix_kernel *k, const loops *l, ix_loop_row row,
          uint64_t *random)
{
    int from = (int)tree_draw(random, (uint64_t)l->n);
    bool any = tree_draw(random, 4) == 0;
    for (int i = 0; i < l->n && !any; i++)
        if (suits(u, k, l->loop[(from + i) % l->n], row))
            return (from + i) % l->n;
    return from;
}

/* A kernel with a loop that suits, if there is one, and its loops; NULL: none
 * has loops. */
static ix_kernel *
draw_kernel(ix_unit *u, ix_loop_row row, loops *l, uint64_t *random)
{
    int n = 0;
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        n++;
    int from = n ? (int)tree_draw(random, (uint64_t)n) : 0;
    for (int i = 0; i < 2 * n; i++) {
        ix_kernel *k = u->kernels;
        for (int at = (from + i) % n; at > 0; at--)
            k = k->next;
        if (!find_loops(u, k, l))
            continue;
        bool fits = i >= n;
        for (int j = 0; j < l->n && !fits; j++)
            fits = suits(u, k, l->loop[j], row);
        if (fits)
            return k;
    }
    return NULL;
}

/* Some loops of the nest that begins at the i-th; "reorder" turns them. */
static void
draw_order(const loops *l, int i, uint64_t *random, ix_directive *d)
{
    const ix_stmt *s = l->loop[i];
    bool turned = d->row == IX_LOOP_reorder;
    int most = 1 + turned + (int)tree_draw(random, 5), n = 0;
    for (; s && s->kind == IX_STMT_FOR && n < most; s = s->body)
        d->loop[n++] = l->name[index_of(l, s)];
    if (n == 1 && turned)
        d->loop[n++] = d->loop[0];
    d->nloops = n;
    for (int k = n - 1; k > 0 && turned; k--) {
        int with = (int)tree_draw(random, (uint64_t)k);
        const char *name = d->loop[k];
        d->loop[k] = d->loop[with];
        d->loop[with] = name;
    }
}

/* What a loop of the loop's body, or a store to a buffer, is called: others
 * have names that what was tried before may move. */
static const char *
draw_statement(ix_unit *u, const loops *l, const ix_stmt *loop,
               uint64_t *random)
{
    uint64_t n = 0;
    const ix_stmt *s = loop->body;
    for (; s; s = s->next)
        n++;
    s = loop->body;
    for (uint64_t at = n ? tree_draw(random, n) : 0; at > 0; at--)
        s = s->next;
    while (s && s->kind != IX_STMT_FOR && !ix_stmt_is_output(s))
        s = s->next;
    if (s && s->kind == IX_STMT_FOR)
        return l->name[index_of(l, s)];
    return ix_arena_string(&u->arena, s ? ix_stmt_subject(s).s : "none");
}

/* A buffer: if the loop has one of its own, or to compute, that, else any. */
static const char *
draw_buffer(ix_unit *u, const ix_kernel *k, const ix_stmt *loop,
            ix_loop_row row, uint64_t *random)
{
    int own = row == IX_LOOP_compute ? find_read(u, k, loop)
                                     : find_temporary(u, k, loop);
    int i = own >= 0 ? own : (int)tree_draw(random, u->nbuffers);
    return ix_arena_string(&u->arena, ix_value_name('b', i).s);
}

static const char *
name_of_memory(ix_unit *u, const ix_access *x)
{
    ix_value_text name =
        x->scratch ? ix_value_name(x->scratch->prefix, x->scratch->number)
                   : ix_value_name('b', x->buffer);
    return ix_arena_string(&u->arena, name.s);
}

/* A buffer or an array that the loop uses, or a buffer that the kernel stores,
 * if one is met soon. */
static const char *
draw_used(ix_unit *u, const ix_kernel *k, const ix_stmt *loop, bool stored,
          uint64_t *random)
{
    ix_accesses a = ix_accesses_in(u, k, stored ? k->body : loop->body);
    for (int tries = 0; tries < 20 && a.n; tries++) {
        const ix_access *x = &a.item[tree_draw(random, a.n)];
        if (!stored || (x->write && x->buffer >= 0))
            return name_of_memory(u, x);
    }
    return draw_buffer(u, k, loop, IX_LOOP_stage, random);
}

/* An array from outside of the loop that it uses, or NULL. */
static const char *
draw_array(ix_unit *u, const ix_kernel *k, const ix_stmt *loop,
           uint64_t *random)
{
    ix_accesses a = ix_accesses_in(u, k, loop->body);
    const ix_access *x = a.n ? &a.item[tree_draw(random, a.n)] : NULL;
    if (!x || !x->scratch || x->scratch->scratch != IX_SCRATCH_ARRAY)
        return NULL;
    int depth = 0;
    while (x->around[depth] != loop)
        depth++;
    return a.definition[x->scratch->number].depth <= depth
               ? name_of_memory(u, x)
               : NULL;
}

/* Where the copy is, and in which order it has its axes: those along loops
 * inside, some of them. */
static void
draw_copy(const loops *l, int i, uint64_t *random, ix_directive *d)
{
    d->words = (unsigned)tree_draw(random, 6); /* not both places */
    for (int k = i + 1; k < l->n && d->nloops < 3; k++)
        if (!ix_stmt_each(l->loop[i]->body, is_other, l->loop[k]) &&
            tree_draw(random, 4) == 0)
            d->loop[d->nloops++] = l->name[k];
    d->words |= d->nloops > 1 ? 8 : 0;
}

static ix_directive
draw_directive(ix_unit *u, ix_kernel *k, const loops *l, ix_loop_row row,
               uint64_t *random)
{
    int i = draw_loop(u, k, l, row, random);
    ix_directive d = {.row = row, .nloops = 1};
    d.loop[0] = l->name[i];
    d.n = tree_draw(random, 3) ? 1 + (int64_t)tree_draw(random, 6) : 4;
    d.words = (unsigned)tree_draw(random, 3);
    tree_draw_across(u, l->loop[i], random, &d);
    if (d.row == IX_LOOP_reorder || d.row == IX_LOOP_grid)
        draw_order(l, i, random, &d);
    if (d.row == IX_LOOP_whole)
        tree_draw_strips(u, l, i, random, &d);
    const ix_stmt *s = l->loop[i]->body;
    if (d.row == IX_LOOP_collapse)
        d.loop[d.nloops++] =
            l->name[s && s->kind == IX_STMT_FOR ? index_of(l, s) : i];
    if (d.row == IX_LOOP_skew) {
        const char *around = draw_around(l, i, random);
        d.loop[d.nloops++] = around ? around : d.loop[0];
    }
    if (d.row == IX_LOOP_fuse) {
        const ix_stmt *behind = loop_behind(l->loop[i]);
        d.loop[d.nloops++] = l->name[behind ? index_of(l, behind) : i];
        d.words = tree_draw(random, 3) > 0;
    }
    if (d.row == IX_LOOP_stage)
        draw_copy(l, i, random, &d);
    bool stored = d.row == IX_LOOP_stream || d.row == IX_LOOP_align;
    if (stored)
        tree_draw_lines(random, &d);
    d.name = d.row == IX_LOOP_fission ? draw_statement(u, l, l->loop[i], random)
             : d.row == IX_LOOP_stage || d.row == IX_LOOP_fetch || stored
                 ? draw_used(u, k, l->loop[i], stored, random)
                 : draw_buffer(u, k, l->loop[i], row, random);
    return d;
}

/* One more loop is split, or loops over rows of points run over whole strips,
 * or such rows are staged in a loop that uses some. */
static bool
draw_after_jam(ix_unit *u, ix_kernel *k, const loops *l, uint64_t *random,
               ix_directive *d)
{
    int i = 0;
    while (i < l->n && !suits(u, k, l->loop[i], IX_LOOP_split))
        i++;
    if (i < l->n && tree_draw(random, 2) == 0) {
        *d = (ix_directive){IX_LOOP_split, .nloops = 1, .n = 2, .words = 1};
        d->loop[0] = l->name[i];
        return true;
    }
    for (i = 0; i < l->n; i++)
        if (suits(u, k, l->loop[i], IX_LOOP_whole) && tree_draw(random, 3)) {
            *d = (ix_directive){.row = IX_LOOP_whole, .nloops = 1};
            d->loop[0] = l->name[i];
            tree_draw_strips(u, l, i, random, d);
            return true;
        }
    for (int tries = 0; tries < 20; tries++) {
        i = (int)tree_draw(random, (uint64_t)l->n);
        const char *name = draw_array(u, k, l->loop[i], random);
        if (!name)
            continue;
        *d = (ix_directive){.row = IX_LOOP_stage, .nloops = 1, .name = name};
        d->loop[0] = l->name[i];
        draw_copy(l, i, random, d);
        return true;
    }
    return false;
}

/* Of a temporary some rows are kept along the loop that was made of two. */
static bool
draw_ring(ix_unit *u, const tree_trial *t, const loops *l, uint64_t *random,
          ix_directive *d)
{
    int i = 0;
    while (i < l->n && strcmp(l->name[i], t->loop))
        i++;
    if (i == l->n || find_temporary(u, t->k, l->loop[i]) < 0)
        return false;
    *d = (ix_directive){.row = IX_LOOP_shrink, .nloops = 1, .words = 1};
    d->loop[0] = l->name[i];
    d->n = INT64_C(1) << tree_draw(random, 4);
    d->name = draw_buffer(u, t->k, l->loop[i], d->row, random);
    return true;
}

/* What often follows: the points of a strip move inward, and then? */
static bool
draw_next(ix_unit *u, const tree_trial *t, const loops *l, ix_directive *d,
          uint64_t *random)
{
    static char name[40];
    bool done = t->k && t->refusal.class == IX_REFUSAL_NONE;
    if (!done || tree_draw(random, 3) == 0)
        return false;
    if (t->row == IX_LOOP_jam)
        return draw_after_jam(u, t->k, l, random, d);
    if (t->row == IX_LOOP_fuse)
        return draw_ring(u, t, l, random, d);
    if (t->row == IX_LOOP_shrink || t->row == IX_LOOP_compute) {
        *d = draw_directive(u, t->k, l, IX_LOOP_round, random);
        return true;
    }
    if (t->row != IX_LOOP_split)
        return false;
    snprintf(name, sizeof name, "%.*s.i", (int)strcspn(t->loop, "#"), t->loop);
    *d = (ix_directive){.row = IX_LOOP_jam, .nloops = 1, .loop = {name}};
    d->row = tree_draw(random, 3) ? IX_LOOP_jam : IX_LOOP_expand;
    return true;
}

/* Any row; after a jam often what asks for the next strip. */
static ix_loop_row
draw_row(const tree_trial *t, uint64_t *random)
{
    bool jammed = t->k && t->refusal.class == IX_REFUSAL_NONE &&
                  t->row == IX_LOOP_jam && tree_draw(random, 2);
    return jammed ? IX_LOOP_prefetch
                  : (ix_loop_row)tree_draw(random, IX_NLOOPS);
}

static void
carry(ix_unit *u, const ix_directive *d, tree_trial *t)
{
    tree_trial_put(u, d, t);
    t->row = d->row;
    snprintf(t->loop, sizeof t->loop, "%s", d->loop[0]);
    t->refusal = ix_schedule_carry(u, t->k, d);
}

/* Of a row some loops are tried, until one has the form that it wants. */
bool
tree_transform(ix_unit *u, uint64_t *random, tree_trial *t)
{
    loops *l = ix_arena_new(&u->arena, sizeof *l);
    ix_directive d;
    if (t->k && !find_loops(u, t->k, l))
        return false;
    if (draw_next(u, t, l, &d, random)) {
        carry(u, &d, t);
    } else {
        ix_loop_row row = draw_row(t, random);
        t->refusal.class = IX_REFUSAL_SHAPE;
        for (int i = 0; i < TRIES && t->refusal.class == IX_REFUSAL_SHAPE;
             i++) {
            t->k = draw_kernel(u, row, l, random);
            if (!t->k)
                return false;
            d = draw_directive(u, t->k, l, row, random);
            carry(u, &d, t);
        }
    }
    counts[t->row][t->refusal.class]++;
    return true;
}

/* A loop of a kernel, often one of the two outermost ones. */
static const char *
draw_divided(ix_unit *u, int kernel, uint64_t *random)
{
    loops *l = ix_arena_new(&u->arena, sizeof *l);
    ix_kernel *k = u->kernels;
    while (k->number != kernel)
        k = k->next;
    bool some = find_loops(u, k, l);
    uint64_t of = tree_draw(random, 4) && l->n > 1 ? 2 : (uint64_t)l->n;
    return some ? l->name[tree_draw(random, of)] : "i0";
}

/* For the program. */
static void
try_directive(ix_unit *u, const ix_directive *d, tree_trial *t)
{
    tree_trial_put(u, d, t);
    t->row = d->row;
    t->refusal = ix_kernels_carry(u, d);
    counts[d->row][t->refusal.class]++;
}

void
tree_transform_values(ix_unit *u, uint64_t *random, tree_trial *t)
{
    ix_directive d = tree_draw_store(u, random);
    try_directive(u, &d, t);
}

/* Two neighbours are fused, a temporary is inlined, another loop divided; a
 * reduction is cut. */
static ix_directive
draw_for_kernels(ix_unit *u, uint64_t *random)
{
    ix_directive d = {.row = IX_KERNELS_fuse, .nloops = 2};
    int first = u->nkernels > 1 ? tree_draw_reduction(u, random) : 0;
    bool inlines = first < 0 && tree_draw(random, 2);
    const char *temporary = inlines ? tree_draw_temporary(u, random) : NULL;
    if (temporary)
        d = (ix_directive){.row = IX_KERNELS_inline, .name = temporary};
    d.row = first < 0 ? d.row : IX_KERNELS_fission;
    if (first < 0)
        first = (int)tree_draw(random, (uint64_t)u->nkernels - 1);
    for (int i = 0; i < d.nloops; i++)
        d.loop[i] = ix_arena_string(&u->arena, ix_value_name('k', first + i).s);
    if (d.row == IX_KERNELS_fuse && tree_draw(random, 4) == 0)
        d.row = IX_KERNELS_threads;
    if (d.row == IX_KERNELS_fission || d.row == IX_KERNELS_threads)
        d.loop[1] = draw_divided(u, first, random);
    return d;
}

bool
tree_transform_kernels(ix_unit *u, uint64_t *random, tree_trial *t)
{
    if (u->nkernels == 0)
        return false;
    bool version = (u->nkernels == 1 && u->kernels->box->rank > 0) ||
                   tree_draw(random, 3) == 0;
    ix_directive d = tree_draw(random, 4) == 0 ? tree_draw_pack(u, random)
                     : version                 ? tree_draw_version(u, random)
                                               : draw_for_kernels(u, random);
    try_directive(u, &d, t);
    return true;
}

bool
tree_transform_report(void)
{
    bool all = true;
    for (size_t r = 0; r < IX_COUNT(rows); r++) {
        printf("%-8s", rows[r]);
        for (size_t i = 0; i < IX_COUNT(class_names); i++)
            printf("  %s %lld", class_names[i], (long long)counts[r][i]);
        printf("\n");
        all &= counts[r][0] > 0 || SELDOM >> r & 1;
    }
    return all;
}
