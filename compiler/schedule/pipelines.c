/* SPDX-License-Identifier: MIT
 *
 * The policy for pipelines: kernels over the same axes that read points around
 * their own of what kernels before them store, in temporaries that nothing else
 * reads. These are computed in strips of columns, one behind the other: the
 * last kernel's loop over a strip gets all of them (compute), a row of each in
 * an iteration, as far behind the one before as it reads ahead (fuse with a
 * lag), and of each temporary the rows that are still read are kept in a ring
 * (shrink with a window), for which strips are as wide as the second cache has
 * room: where that is needed for more, the third one is near, and each row
 * costs as much to begin as many points. Rows are the last axis but one, or a
 * further one, along which a stage reads around its point; columns are the next
 * axis. Axes before are not read around; those behind are in a column. Threads
 * divide the first axis, or the columns if that are rows; a large output goes
 * past the caches.
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/rules.h"

/* Stages; temporaries that are worth it; elements of a row of a strip, and of a
 * column as long as it is not known. */
enum { MOST_STAGES = 64, FEW = 2, LEAST = 128, MOST = 4096, COLUMN = 80 };
/* So many times what is computed beside it is a strip at least; so many where
 * the third cache has room for that. */
enum { HALO = 8, WIDE = 16 };

/* What a stage reads of a buffer, around its point, along two axes. */
typedef struct around {
    int64_t least[2], most[2];
    bool any;
} around;

/* A temporary, or what the last kernel stores. */
typedef struct stage {
    ix_kernel *k;
    ix_accesses a;
    int buffer;
    int pieces;     /* nests that store it */
    int64_t ahead;  /* rows, of the last stage */
    int64_t margin; /* columns that are computed beside a strip */
    int64_t window; /* rows that are kept */
} stage;

typedef struct pipeline {
    ix_unit *u;
    const int *last;          /* uses of each buffer (ix_buffers_used) */
    stage stage[MOST_STAGES]; /* readers first, the last kernel is 0 */
    int n;
    int rank, row;  /* the axis that rows are along, columns are the next */
    int64_t column; /* elements behind that */
    bool moves;     /* rows are read around their own */
} pipeline;

/* ---- what is one ---- */

/* Has it a loop for each axis, and stores inside alone? */
static bool
is_nest(const ix_kernel *k, const ix_stmt *nest)
{
    int loops = 0;
    const ix_stmt *s = nest;
    for (; s && s->kind == IX_STMT_FOR; s = s->body, loops++)
        if ((s->next && s != nest) || !s->parallel || s->number >= k->box->rank)
            return false;
    for (; s; s = s->next)
        if (s->body)
            return false;
    return loops == k->box->rank;
}

/* Are that all of a kernel's statements, which may be several for its pieces?
 */
static bool
is_of_nests(const ix_kernel *k)
{
    bool all = !k->condition && !k->version && !ix_kernel_has_levels(k) &&
               !ix_kernel_has(k, IX_HAS_CHECK) &&
               !ix_kernel_has(k, IX_MAY_FAIL);
    for (const ix_stmt *s = k->body; s && all; s = s->next)
        all = is_nest(k, s);
    return all;
}

/* What a kernel reads of a buffer; false: not points around its own. */
static bool
look_around(const pipeline *p, const ix_accesses *a, int buffer, around *x)
{
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *y = &a->item[i];
        if (y->buffer != buffer || y->write)
            continue;
        for (int d = 0; d < p->rank; d++) {
            int axis, at = d - p->row;
            int64_t by;
            if (y->rank != p->rank ||
                !ix_index_is_shift(y->index[d], &axis, &by) || axis != d ||
                (at < 0 && by != 0))
                return false;
            if (at != 0 && at != 1)
                continue;
            x->least[at] = !x->any || by < x->least[at] ? by : x->least[at];
            x->most[at] = !x->any || by > x->most[at] ? by : x->most[at];
        }
        x->any = true;
    }
    return true;
}

/* Notes of a temporary what the stages behind read, of which there is one;
 * false: it is none of the pipeline. */
static bool
look_at_readers(pipeline *p, stage *s)
{
    bool any = false, fits = true;
    s->ahead = p->stage[p->n - 1].ahead; /* the loops stand in this order */
    for (int i = 0; i < p->n && fits; i++) {
        const stage *by = &p->stage[i];
        around x = {.any = false};
        fits = look_around(p, &by->a, s->buffer, &x);
        if (!x.any)
            continue;
        int64_t left = -x.least[1], right = x.most[1];
        int64_t margin = by->margin + (left > right ? left : right);
        int64_t ahead = by->ahead + x.most[0];
        any = true;
        p->moves |= x.least[0] != 0 || x.most[0] != 0;
        s->ahead = ahead > s->ahead ? ahead : s->ahead;
        s->margin = margin > s->margin ? margin : s->margin;
    }
    for (int i = 0; i < p->n && fits; i++) {
        around x = {.any = false};
        look_around(p, &p->stage[i].a, s->buffer, &x);
        int64_t rows = s->ahead - p->stage[i].ahead - x.least[0] + 1;
        while (x.any && s->window < rows)
            s->window *= 2;
    }
    return any && fits;
}

/* Columns of a strip; 0: there is no room for enough. */
static int64_t
width_of(const pipeline *p)
{
    const ix_target *t = p->u->target;
    int64_t bytes = 0, vector = 1, margin = p->stage[p->n - 1].margin;
    for (int i = 1; i < p->n; i++) {
        int64_t each =
            (int64_t)ilex_dtype_bytes(p->u->buffer[p->stage[i].buffer].dtype);
        bytes += each * p->stage[i].window;
        if (p->row + 2 == p->rank && t->line_bytes / each > vector)
            vector = t->line_bytes / each;
    }
    int64_t elements = t->l2_bytes / bytes, far = t->l3_bytes / 2 / bytes;
    int64_t columns = (elements < MOST ? elements : MOST) / p->column;
    if (columns < WIDE * margin && WIDE * margin <= far / p->column)
        columns = WIDE * margin;
    columns = columns / vector * vector;
    return elements < LEAST || columns < HALO * margin ? 0 : columns;
}

/* The loop of a nest over an axis; its length, -1 if it is not known. */
static const ix_stmt *
loop_over(const ix_kernel *k, int axis)
{
    const ix_stmt *s = k->body;
    while (s->number != axis)
        s = s->body;
    return s;
}

static int64_t
length_of(const pipeline *p, int axis)
{
    return ix_loop_length(p->u, loop_over(p->stage[0].k, axis));
}

/* Are there more points than the second cache has room for, in rows of a strip
 * or more, as far as is known? */
static bool
is_large(const pipeline *p)
{
    int64_t points = 8 * p->n, columns = length_of(p, p->row + 1);
    bool known = true;
    for (int d = 0; d < p->rank; d++) {
        int64_t n = length_of(p, d);
        known &= n >= 0 && ix_mul(points, n, &points);
    }
    return (columns < 0 || columns * p->column >= LEAST) &&
           !(known && points <= p->u->target->l2_bytes / 2);
}

/* That which stores the buffer, of those from the n-th one on, or NULL. */
static stage *
stage_of(pipeline *p, int n, int buffer)
{
    while (n < p->n && p->stage[n].buffer != buffer)
        n++;
    return n < p->n ? &p->stage[n] : NULL;
}

/* Takes in what a kernel stores, which all is of the pipeline, whose last
 * kernel is at "end", or nothing. */
static bool
take_in(pipeline *p, ix_kernel *k, int end)
{
    const stage *last = &p->stage[0];
    int before = p->n;
    bool all = k->when.calls == last->k->when.calls && is_of_nests(k);
    ix_accesses a = ix_accesses_in(p->u, k, all ? k->body : NULL);
    for (size_t i = 0; i < a.n && all; i++) {
        stage s = {.k = k, .a = a, .buffer = a.item[i].buffer, .window = 1};
        if (!a.item[i].write)
            continue;
        stage *of = stage_of(p, before, s.buffer);
        all = ix_access_is_once_a_point(&a.item[i]) &&
              (of ||
               (p->n < MOST_STAGES && ix_buffer_is_of_kernels(p->u, s.buffer) &&
                p->last[s.buffer] <= end && look_at_readers(p, &s)));
        if (all && !of)
            *(of = &p->stage[p->n++]) = s;
        if (all)
            of->pieces++;
    }
    if (!all || p->n == before || width_of(p) == 0)
        p->n = before;
    return p->n > before;
}

/* Finds the pipeline of rows along an axis whose last kernel is the n-th one.
 */
static void
find_along(pipeline *p, ix_kernel *const *kernel, int n, int row)
{
    const int last = n + kernel[n]->when.calls;
    p->row = row;
    p->n = 1;
    p->moves = false;
    p->column = 1;
    for (int d = row + 2; d < p->rank && p->column < MOST; d++) {
        int64_t length = length_of(p, d);
        p->column *= length > 0 && length < COLUMN ? length : COLUMN;
    }
    for (int i = n; i > 0 && take_in(p, kernel[i - 1], last);)
        i--;
}

/* Finds one; false: there is none, or it is not worth it. */
static bool
find(pipeline *p, ix_kernel *const *kernel, int n)
{
    ix_kernel *k = kernel[n];
    p->rank = k->box->rank;
    if (!is_of_nests(k) || k->body->next)
        return false;
    p->stage[0] = (stage){.k = k,
                          .buffer = -1,
                          .pieces = 1,
                          .a = ix_accesses_in(p->u, k, k->body)};
    for (int row = p->rank - 2; row >= 0; row--) {
        find_along(p, kernel, n, row);
        if (p->n > FEW && p->moves && is_large(p))
            return true;
    }
    return false;
}

/* Puts the unit's kernels, in order; how many there are left. */
static int
kernels_of(ix_unit *u, ix_kernel ***all)
{
    int n = 0;
    *all = ix_arena_new(&u->arena, (size_t)(u->nkernels + 1) * sizeof **all);
    for (ix_kernel *k = u->kernels; k; k = k->next)
        (*all)[n++] = k;
    return n;
}

/* How many kernels it has. */
static int
stages_of(const pipeline *p)
{
    int n = 1;
    for (int i = 1; i < p->n; i++)
        n += p->stage[i].k != p->stage[i - 1].k;
    return n;
}

void
ix_policy_pipelines(ix_unit *u)
{
    pipeline p = {.u = u};
    ix_kernel **kernel;
    const int *first;
    int nkernels = u->target->grid ? 0 : kernels_of(u, &kernel);
    ix_buffers_used(u, &first, &p.last);
    for (int i = nkernels; i-- > 0;) {
        ix_directive d = {.row = IX_KERNELS_threads, .nloops = 2};
        if (!find(&p, kernel, i))
            continue;
        d.loop[0] = ix_arena_string(&u->arena, ix_value_name('k', i).s);
        d.loop[1] = ix_loop_name(u, kernel[i], kernel[i]->body->body);
        if (p.row == 0 && ix_kernels_carry(u, &d).class != IX_REFUSAL_NONE)
            continue;
        for (int n = 1; n < p.n; n++)
            p.stage[n].k->stage = true;
        i -= stages_of(&p) - 1;
    }
}

/* ---- its loops ---- */

/* The first loop of a list, or NULL; that over strips. */
static ix_stmt *
first_loop(ix_stmt *s)
{
    while (s && s->kind != IX_STMT_FOR)
        s = s->next;
    return s;
}

static ix_stmt *
strip_of(const ix_holes *h)
{
    return ix_holes_loop(h, "J.o");
}

/* The first loop over rows and the one behind it are one, so far behind. */
static bool
fuse_next(ix_holes *h, int64_t lag)
{
    const ix_stmt *first = first_loop(strip_of(h)->body);
    const ix_stmt *second = first ? first_loop(first->next) : NULL;
    if (!second)
        return false;
    ix_holes_set(h, 'F', ix_loop_name(h->u, h->k, first));
    ix_holes_set(h, 'S', ix_loop_name(h->u, h->k, second));
    ix_holes_number(h, 'N', lag);
    return ix_rule_carry(h, lag ? IX_RULE_follow : IX_RULE_beside);
}

/* The loops over rows are one, each as far behind as its stage is. */
static void
fuse_rows(const pipeline *p, ix_holes *h, int n)
{
    bool done = true;
    for (int i = n; i >= 0 && done; i--)
        for (int piece = i == n; piece < p->stage[i].pieces && done; piece++)
            done = fuse_next(h, p->stage[n].ahead - p->stage[i].ahead);
}

/* The loop over a row, at the cursor, has no rest, if it may be so. */
static void
round_row(ix_holes *h, const ix_cursor *c)
{
    const ix_stmt *s = (*c->at)->body;
    while (s && s->kind != IX_STMT_STORE)
        s = s->next;
    if (!s)
        return;
    ilex_dtype of = h->u->buffer[s->buffer].dtype;
    int64_t points = h->u->target->line_bytes / (int64_t)ilex_dtype_bytes(of);
    if (!ix_loop_rounds(h->u, c, points))
        return;
    ix_holes_set(h, 'L', ix_loop_name(h->u, h->k, *c->at));
    ix_holes_number(h, 'N', points);
    ix_rule_carry(h, IX_RULE_round);
}

static void
round_rows(ix_holes *h, ix_cursor c)
{
    for (; *c.at && c.depth < IX_DEEP; c.at = &(*c.at)->next) {
        ix_cursor inside = c;
        if ((*c.at)->kind == IX_STMT_FOR && ix_stmt_is_innermost(*c.at)) {
            round_row(h, &c);
        } else if ((*c.at)->body) {
            ix_cursor_enter(&inside);
            round_rows(h, inside);
        }
    }
}

/* What is in a nest. */
static const ix_stmt *
innermost_of(const ix_kernel *k)
{
    const ix_stmt *s = k->body;
    while (s->kind == IX_STMT_FOR)
        s = s->body;
    return s;
}

/* What a strip reads of a stage is computed for it, at the point of the axes
 * before the rows. */
static bool
compute_stage(const pipeline *p, ix_holes *h, int buffer)
{
    ix_holes_set(h, 'B', ix_value_name('b', buffer).s);
    bool done = ix_rule_carry(h, IX_RULE_again);
    for (int d = 0; d < p->row && done; d++) {
        ix_holes_set(h, 'F',
                     ix_loop_name(h->u, h->k, first_loop(strip_of(h)->body)));
        done = ix_rule_carry(h, IX_RULE_point);
    }
    return done;
}

static void
compute_stages(const pipeline *p)
{
    ix_kernel *k = p->stage[0].k;
    ix_holes h = {.u = p->u, .k = k};
    int n = 0;
    ix_holes_set(&h, 'I', ix_loop_name(p->u, k, loop_over(k, p->row)));
    ix_holes_set(&h, 'J', ix_loop_name(p->u, k, loop_over(k, p->row + 1)));
    ix_holes_number(&h, 'W', width_of(p));
    bool done = ix_rule_carry(&h, IX_RULE_columns);
    const ix_stmt *store = done ? innermost_of(k) : NULL;
    bool streams = done && ix_policy_may_stream(p->u, k);
    for (; done && n + 1 < p->n; n += done)
        done = compute_stage(p, &h, p->stage[n + 1].buffer);
    fuse_rows(p, &h, n);
    for (int i = n; i > 0; i--) {
        ix_holes_set(&h, 'B', ix_value_name('b', p->stage[i].buffer).s);
        ix_holes_number(&h, 'N', p->stage[i].window);
        ix_rule_carry(&h, IX_RULE_ring);
    }
    p->u->asks_registers = true;
    if (p->u->target->vector_registers == 0)
        return;
    round_rows(&h, (ix_cursor){.k = k, .at = &k->body});
    if (streams)
        ix_policy_carry_stream(&h, IX_RULE_past, store);
}

void
ix_policy_stages(ix_unit *u, const int *head)
{
    pipeline p = {.u = u};
    ix_kernel **kernel;
    const int *first;
    int nkernels = u->target->grid ? 0 : kernels_of(u, &kernel);
    ix_buffers_used(u, &first, &p.last);
    for (int i = nkernels; i-- > 0;) {
        const ix_env *before = ix_kernel_known(u, kernel[i]);
        bool last = i > 0 && kernel[i - 1]->stage && !kernel[i]->stage &&
                    !head[kernel[i]->number];
        if (last && find(&p, kernel, i)) {
            compute_stages(&p);
            i -= stages_of(&p) - 1;
        }
        u->ctx->facts = before;
    }
}
