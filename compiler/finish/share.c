/* SPDX-License-Identifier: MIT
 *
 * Pass share: kernels that are equal but for their buffers, sizes, and the
 * constants in bounds and indices become one function. needs: flat
 * statements; gives: kernels without statements that are called as another one,
 * with other arguments; breaks: nothing.
 *
 * Kernels with equal fingerprints (fingerprint.c) are a group. Constants that
 * differ from the first kernel's by the same amount in all kernels of the group
 * get this offset as an argument:
 *
 *     for i1 in [1, n - 1)               for i1 in [1 + o0, n - 1)
 *         t2 = r0[0, i1 - 1]                 t2 = r0[0, i1 - 1 + o0]
 *
 * so that an argument is added only for what differs, and unit strides stay
 * unit strides. What the constants of short loops differ in is no offset: a
 * compiler unrolls these.
 *
 * Literals stay apart: a compiler may know something better to do with them,
 * and the source reads better. Where that leaves more statements than a
 * function may have, those that differ are arguments, too: thousands of kernels
 * would take a compiler minutes.
 */
#include "compiler/finish/share.h"

enum { MOST_TRIES = 4 }; /* groups with the same fingerprint */

/* Kernels that become one function. */
typedef struct group {
    ix_fingerprint *first, *last;
    ix_arguments a;
    size_t constant[IX_MOST_OFFSETS + 1]; /* one that has the offset */
    size_t literal[IX_MOST_LITERALS + 1]; /* one that is the argument */
    struct group *older;                  /* with the same hash */
    struct group *next;
} group;

typedef struct sharing {
    ix_fingerprint_writer w;
    ix_mem mem;
    ix_map newest; /* of groups, by hash */
    group *groups, **tail;
} sharing;

static void *
copy_of(sharing *s, const void *bytes, size_t n)
{
    void *copy = ix_arena_new(&s->w.u->arena, n + 1);
    return n ? memcpy(copy, bytes, n) : copy;
}

/* A copy of the fingerprint to keep; of a group's first kernel with its bytes.
 */
static ix_fingerprint *
keep_form(sharing *s, bool first)
{
    const ix_fingerprint *from = &s->w.f;
    ix_fingerprint *f = copy_of(s, from, sizeof *from);
    f->constant =
        copy_of(s, from->constant, from->nconstants * sizeof *from->constant);
    f->literal =
        copy_of(s, from->literal, from->nliterals * sizeof *from->literal);
    if (first)
        f->byte = copy_of(s, from->byte, from->nbytes);
    return f;
}

static bool
same_fingerprint(const ix_fingerprint *a, const ix_fingerprint *b)
{
    return a->nbytes == b->nbytes && a->nconstants == b->nconstants &&
           a->nliterals == b->nliterals && !memcmp(a->byte, b->byte, a->nbytes);
}

/* ---- one more kernel ---- */

/* Offsets of a group when one more kernel joins. */
typedef struct offsets {
    int before[IX_MOST_OFFSETS + 1];
    int64_t by[IX_MOST_OFFSETS + 1];
    size_t constant[IX_MOST_OFFSETS + 1];
    int count;
} offsets;

/* The offset of a constant that had "before" and differs by "by" in the new
 * kernel; -1 when there are too many. */
static int
refine_offset(offsets *r, int before, int64_t by, size_t constant)
{
    if (before == 0 && by == 0)
        return 0;
    for (int i = 1; i <= r->count; i++)
        if (r->before[i] == before && r->by[i] == by)
            return i;
    if (r->count == IX_MOST_OFFSETS)
        return -1;
    int i = ++r->count;
    r->before[i] = before;
    r->by[i] = by;
    r->constant[i] = constant;
    return i;
}

/* Its literals that are arguments: each was one before, or is as in the first
 * kernel ("from"), and is another now. */
typedef struct literals {
    int before[IX_MOST_LITERALS + 1];
    const ilex_array *from[IX_MOST_LITERALS + 1], *to[IX_MOST_LITERALS + 1];
    size_t literal[IX_MOST_LITERALS + 1];
    int count;
} literals;

static int
refine_literal(literals *r, int before, const ilex_array *from,
               const ilex_array *to, size_t literal)
{
    if (before == 0 && from == to)
        return 0;
    for (int i = 1; i <= r->count; i++)
        if (r->before[i] == before && r->from[i] == from && r->to[i] == to)
            return i;
    if (r->count == IX_MOST_LITERALS)
        return -1;
    int i = ++r->count;
    r->before[i] = before;
    r->from[i] = from;
    r->to[i] = to;
    r->literal[i] = literal;
    return i;
}

/* Adds the kernel that was read to a group, if it fits. */
static bool
join(sharing *s, group *g)
{
    const ix_fingerprint *f = &s->w.f, *its = g->first;
    ix_arena *arena = &s->w.u->arena;
    offsets o = {.count = 0};
    literals l = {.count = 0};
    if (!same_fingerprint(its, f))
        return false;
    ix_arguments a = {
        .offset = ix_arena_new(arena, (f->nconstants + 1) * sizeof(int)),
        .literal = ix_arena_new(arena, (f->nliterals + 1) * sizeof(int))};
    for (size_t i = 0; i < f->nconstants; i++) {
        int64_t by = f->constant[i] - its->constant[i];
        a.offset[i] = refine_offset(&o, g->a.offset[i], by, i);
        if (a.offset[i] < 0)
            return false;
    }
    for (size_t i = 0; i < f->nliterals; i++) {
        a.literal[i] = refine_literal(&l, g->a.literal[i], its->literal[i],
                                      f->literal[i], i);
        if (a.literal[i] < 0)
            return false;
    }
    a.noffsets = o.count;
    a.nliterals = l.count;
    g->a = a;
    memcpy(g->constant, o.constant, sizeof g->constant);
    memcpy(g->literal, l.literal, sizeof g->literal);
    g->last = g->last->next = keep_form(s, false);
    return true;
}

/* Puts a kernel into a group, a new one if it fits into none. */
static void
classify(sharing *s, ix_kernel *k)
{
    uint64_t code = ix_fingerprint_write(&s->w, k) | 1;
    const void *hash = (const void *)(uintptr_t)code;
    size_t *found = ix_map_find(&s->newest, hash);
    group *newest = found ? (group *)*found : NULL;
    int tries = 0;
    for (group *g = newest; g && tries < MOST_TRIES; g = g->older, tries++)
        if (join(s, g))
            return;
    ix_arena *arena = &s->w.u->arena;
    const ix_fingerprint *f = &s->w.f;
    group *g = ix_arena_new(arena, sizeof *g);
    g->first = g->last = keep_form(s, true);
    g->a.offset = ix_arena_new(arena, (f->nconstants + 1) * sizeof(int));
    g->a.literal = ix_arena_new(arena, (f->nliterals + 1) * sizeof(int));
    g->older = newest;
    ix_map_set(&s->newest, &s->mem, hash, (size_t)g);
    *s->tail = g;
    s->tail = &g->next;
}

/* Puts all kernels into groups; how many statements their functions have. */
static int
classify_all(sharing *s, bool may_literals_differ)
{
    int count = 0;
    s->w.literals = may_literals_differ;
    s->newest = (ix_map){0};
    s->groups = NULL;
    s->tail = &s->groups;
    for (ix_kernel *k = s->w.u->kernels; k; k = k->next)
        classify(s, k);
    for (const group *g = s->groups; g; g = g->next)
        count += ix_stmt_count(g->first->k->body);
    return count;
}

/* ---- one function ---- */

/* The arguments of a kernel: offsets from the first one of its group, then
 * literals. */
static void
note_arguments(sharing *s, const group *g, const ix_fingerprint *f)
{
    ix_kernel *k = f->k;
    size_t n = (size_t)g->a.noffsets + (size_t)g->a.nliterals;
    k->noffsets = (int)n;
    k->offset = ix_arena_new(&s->w.u->arena, (n + 1) * sizeof *k->offset);
    for (int i = 0; i < g->a.noffsets; i++) {
        size_t c = g->constant[i + 1];
        int64_t by = f->constant[c] - g->first->constant[c];
        k->offset[i] = (ix_literal){ILEX_I64, {.i = by}};
    }
    for (int i = 0; i < g->a.nliterals; i++) {
        const ilex_array *x = f->literal[g->literal[i + 1]];
        k->offset[g->a.noffsets + i] =
            (ix_literal){(ilex_dtype)x->dtype, ix_const_value(x)};
    }
}

/* Statements of kernels with one fingerprint: which of the first one's are of
 * the same line of the source in the other. What they differ in is of none. */
static void
keep_common_lines(const ix_unit *u, ix_stmt *first, const ix_stmt *other)
{
    for (; first && other; first = first->next, other = other->next) {
        ix_source_location a = ix_source_location_of(u, first->array),
                           b = ix_source_location_of(u, other->array);
        if (!ix_source_same_line(&a, &b))
            first->array = NULL;
        keep_common_lines(u, first->body, other->body);
        keep_common_lines(u, first->other, other->other);
    }
}

/* One function for the kernels of a group. */
static void
unite(sharing *s, const group *g)
{
    for (ix_fingerprint *f = g->first; f; f = f->next)
        note_arguments(s, g, f);
    for (ix_fingerprint *f = g->first; f->next; f = f->next) {
        keep_common_lines(s->w.u, g->first->k->body, f->next->k->body);
        f->k->alike = f->next->k;
        f->next->k->like = g->first->k;
        f->next->k->body = NULL;
    }
    ix_fingerprint_rewrite(&s->w, g->first->k, &g->a);
    s->w.u->changed = true;
}

bool
ix_pass_share(ix_unit *u)
{
    if (u->reference)
        return true;
    sharing s = {.w = {.u = u}, .mem = ix_arena_mem(&u->arena)};
    s.w.buffer = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof(int));
    s.w.size = ix_arena_new(&u->arena, (u->ctx->nparams + 1) * sizeof(int));
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        k->like = k->alike = NULL;
        k->noffsets = 0;
    }
    if (u->nkernels < 2)
        return true;
    if (classify_all(&s, false) > IX_LARGE_KERNEL)
        classify_all(&s, true);
    for (const group *g = s.groups; g; g = g->next)
        if (g->first != g->last)
            unite(&s, g);
    return u->ctx->error.code == ILEX_OK;
}
