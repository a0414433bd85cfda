/* SPDX-License-Identifier: MIT
 *
 * The policy for pipelines: kernels over two axes that read points around their
 * own of what kernels before them store, in temporaries that nothing else
 * reads. These are computed in strips of columns, one behind the other: the
 * last kernel's loop over a strip gets all of them (compute), a row of each in
 * an iteration, as far behind the one before as it reads ahead (fuse with a
 * lag), and of each temporary the rows that are still read are kept in a ring
 * (shrink with a window), for which strips are as wide as the second cache has
 * room. Threads divide the columns.
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/rules.h"

/* Stages; temporaries that are worth it; columns of a strip. */
enum { MOST_STAGES = 64, FEW = 2, LEAST = 128, MOST = 4096 };
/* A part of the second cache is for rings; so many times what is computed
 * beside it is a strip at least. */
enum { PART = 3, HALO = 8 };

/* What a stage reads of a buffer, around its point. */
typedef struct around {
    int64_t least[2], most[2];
    bool any;
} around;

/* A temporary, or what the last kernel stores. */
typedef struct stage {
    ix_kernel *k;
    ix_accesses a;
    int buffer;
    int64_t ahead;  /* rows, of the last stage */
    int64_t margin; /* columns that are computed beside a strip */
    int64_t window; /* rows that are kept */
} stage;

typedef struct pipeline {
    ix_unit *u;
    const int *first, *last;  /* uses of each buffer, by kernels in order */
    stage stage[MOST_STAGES]; /* readers first, the last kernel is 0 */
    int n;
} pipeline;

/* ---- what is one ---- */

/* Has it two loops, or a loop over rows in strips of columns, and stores inside
 * alone? */
static bool
is_nest(const ix_kernel *k)
{
    const ix_stmt *s = k->body;
    int loops = 0;
    for (; s && s->kind == IX_STMT_FOR; s = s->body, loops++)
        if (s->next || !s->parallel || s->number >= k->box->rank)
            return false;
    for (; s; s = s->next)
        if (s->body)
            return false;
    return loops == 2 && k->box->rank == 2 && !k->condition && !k->version &&
           !ix_kernel_has_levels(k) && !ix_kernel_has(k, IX_HAS_CHECK) &&
           !ix_kernel_has(k, IX_MAY_FAIL);
}

/* What a kernel reads of a buffer; false: not points around its own. */
static bool
look_around(const ix_accesses *a, int buffer, around *x)
{
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *y = &a->item[i];
        if (y->buffer != buffer || y->write)
            continue;
        for (int d = 0; d < 2; d++) {
            int axis;
            int64_t by;
            if (y->rank != 2 || !ix_index_is_shift(y->index[d], &axis, &by) ||
                axis != d)
                return false;
            x->least[d] = !x->any || by < x->least[d] ? by : x->least[d];
            x->most[d] = !x->any || by > x->most[d] ? by : x->most[d];
        }
        x->any = true;
    }
    return true;
}

/* Notes of a temporary what the stages behind read, of which there is one;
 * false: it is none of the pipeline. */
static bool
look_at_readers(const pipeline *p, stage *s)
{
    bool any = false, fits = true;
    s->ahead = p->stage[p->n - 1].ahead; /* the loops stand in this order */
    for (int i = 0; i < p->n && fits; i++) {
        const stage *by = &p->stage[i];
        around x = {.any = false};
        fits = look_around(&by->a, s->buffer, &x);
        if (!x.any)
            continue;
        int64_t left = -x.least[1], right = x.most[1];
        int64_t margin = by->margin + (left > right ? left : right);
        int64_t ahead = by->ahead + x.most[0];
        any = true;
        s->ahead = ahead > s->ahead ? ahead : s->ahead;
        s->margin = margin > s->margin ? margin : s->margin;
    }
    for (int i = 0; i < p->n && fits; i++) {
        around x = {.any = false};
        look_around(&p->stage[i].a, s->buffer, &x);
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
    int64_t bytes = 0, vector = 0, margin = p->stage[p->n - 1].margin;
    for (int i = 1; i < p->n; i++) {
        int64_t each =
            (int64_t)ilex_dtype_bytes(p->u->buffer[p->stage[i].buffer].dtype);
        bytes += each * p->stage[i].window;
        vector = t->line_bytes / each > vector ? t->line_bytes / each : vector;
    }
    int64_t columns = t->l2_bytes / PART / bytes / vector * vector;
    columns = columns > MOST ? MOST : columns;
    return columns < LEAST || columns < HALO * margin ? 0 : columns;
}

/* Are there more points than the second cache has room for, in rows of a strip
 * or more, as far as is known? */
static bool
is_large(const pipeline *p)
{
    const ix_stmt *rows = p->stage[0].k->body;
    int64_t n = ix_loop_length(p->u, rows),
            m = ix_loop_length(p->u, rows->body),
            points = p->u->target->l2_bytes / 2 / 8 / p->n;
    return (m < 0 || m >= LEAST) && (n < 0 || m < 0 || n > points / m);
}

/* Takes in what a kernel stores, which all is of the pipeline, or nothing. */
static bool
take_in(pipeline *p, ix_kernel *k, int number)
{
    const stage *last = &p->stage[0];
    int before = p->n;
    bool all = k->when.calls == last->k->when.calls && is_nest(k);
    ix_accesses a = ix_accesses_in(p->u, k, all ? k->body : NULL);
    for (size_t i = 0; i < a.n && all; i++) {
        stage s = {.k = k, .a = a, .buffer = a.item[i].buffer, .window = 1};
        if (!a.item[i].write)
            continue;
        all = p->n < MOST_STAGES && ix_access_is_once_a_point(&a.item[i]) &&
              ix_buffer_is_of_kernels(p->u, s.buffer) &&
              p->last[s.buffer] <= number && look_at_readers(p, &s);
        if (all)
            p->stage[p->n++] = s;
    }
    if (!all || width_of(p) == 0)
        p->n = before;
    return p->n > before;
}

/* Finds the pipeline whose last kernel is the n-th one; false: there is none,
 * or it is not worth it. */
static bool
find(pipeline *p, ix_kernel *const *kernel, int n)
{
    ix_kernel *k = kernel[n];
    p->stage[0] = (stage){.k = k, .buffer = -1};
    p->n = 1;
    if (!is_nest(k))
        return false;
    p->stage[0].a = ix_accesses_in(p->u, k, k->body);
    for (int i = n; i > 0 && take_in(p, kernel[i - 1], n);)
        i--;
    return p->n > FEW && is_large(p);
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
    int nkernels = u->target->grid ? 0 : kernels_of(u, &kernel);
    ix_buffers_used(u, &p.first, &p.last);
    for (int i = nkernels; i-- > 0;) {
        ix_directive d = {.row = IX_KERNELS_threads, .nloops = 2};
        if (!find(&p, kernel, i))
            continue;
        d.loop[0] = ix_arena_string(&u->arena, ix_value_name('k', i).s);
        d.loop[1] = ix_loop_name(u, kernel[i], kernel[i]->body->body);
        if (ix_kernels_carry(u, &d).class != IX_REFUSAL_NONE)
            continue;
        for (int n = 1; n < p.n; n++)
            p.stage[n].k->stage = true;
        i -= stages_of(&p) - 1;
    }
}

/* ---- its loops ---- */

/* The loops over rows are one, each as far behind as its stage is. */
static void
fuse_rows(const pipeline *p, ix_holes *h, int n)
{
    for (int i = n; i-- > 0;) {
        ix_stmt *first = ix_holes_loop(h, "J.o")->body;
        while (first->kind != IX_STMT_FOR)
            first = first->next;
        ix_stmt *second = first->next;
        while (second && second->kind != IX_STMT_FOR)
            second = second->next;
        if (!second)
            return;
        ix_holes_set(h, 'F', ix_loop_name(h->u, h->k, first));
        ix_holes_set(h, 'S', ix_loop_name(h->u, h->k, second));
        int64_t lag = p->stage[n].ahead - p->stage[i].ahead;
        ix_holes_number(h, 'N', lag);
        if (!ix_rule_carry(h, lag ? IX_RULE_follow : IX_RULE_beside))
            return;
    }
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
    ix_rule_carry(h, IX_RULE_whole);
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

static void
compute_stages(const pipeline *p)
{
    ix_kernel *k = p->stage[0].k;
    ix_holes h = {.u = p->u, .k = k};
    int n = 0;
    ix_holes_set(&h, 'J', ix_loop_name(p->u, k, k->body));
    ix_holes_set(&h, 'I', ix_loop_name(p->u, k, k->body->body));
    ix_holes_number(&h, 'W', width_of(p));
    bool done = ix_rule_carry(&h, IX_RULE_columns);
    for (; done && n + 1 < p->n; n += done) {
        ix_holes_set(&h, 'B', ix_value_name('b', p->stage[n + 1].buffer).s);
        done = ix_rule_carry(&h, IX_RULE_again);
    }
    fuse_rows(p, &h, n);
    for (int i = n; i > 0; i--) {
        ix_holes_set(&h, 'B', ix_value_name('b', p->stage[i].buffer).s);
        ix_holes_number(&h, 'N', p->stage[i].window);
        ix_rule_carry(&h, IX_RULE_ring);
    }
    p->u->asks_registers = true;
    if (p->u->target->vector_registers > 0)
        round_rows(&h, (ix_cursor){.k = k, .at = &k->body});
}

void
ix_policy_stages(ix_unit *u, const int *head)
{
    pipeline p = {.u = u};
    ix_kernel **kernel;
    int nkernels = u->target->grid ? 0 : kernels_of(u, &kernel);
    ix_buffers_used(u, &p.first, &p.last);
    for (int i = nkernels; i-- > 0;) {
        const ix_env *before = ix_kernel_known(u, kernel[i]);
        bool columns = kernel[i]->axis == 1 && !head[kernel[i]->number];
        if (columns && find(&p, kernel, i)) {
            compute_stages(&p);
            i -= stages_of(&p) - 1;
        }
        u->ctx->facts = before;
    }
}
