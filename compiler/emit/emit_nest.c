/* SPDX-License-Identifier: MIT
 *
 * Loop nests: in C the outermost loop runs over [begin, end), in CUDA the
 * rectangular outer loops are spread over threads.
 */
#include <stdio.h>

#include "compiler/emit/emit.h"

/* ---- bounds ---- */

enum { BOUND = 256, LONG = 100, SHORT = 20 }; /* characters */

static const char *
prefix_of(bool lower)
{
    return lower ? "lo" : "hi";
}

/* best = the larger, of upper bounds the smaller, of "best" and "s". */
static void
clip_bound(ix_emitter *e, const char *s, bool lower, char *best)
{
    char name[24], v[24];
    snprintf(name, sizeof name, "%s%d", prefix_of(lower), e->next++);
    if (strlen(s) <= SHORT && !strchr(s, '?')) {
        snprintf(v, sizeof v, "%s", s);
    } else {
        snprintf(v, sizeof v, "%s%d", prefix_of(lower), e->next++);
        ix_emit_put(e, e->depth, "const i64 %s = %s;", v, s);
    }
    ix_emit_put(e, e->depth, "const i64 %s = %s %s %s ? %s : %s;", name, best,
                lower ? ">" : "<", v, best, v);
    snprintf(best, BOUND, "%s", name);
}

/* The first bound: as it is, or through a variable where it is long. */
static void
first_bound(ix_emitter *e, const char *s, bool lower, char *best)
{
    if (strlen(s) <= LONG) {
        snprintf(best, BOUND, "%s", s);
        return;
    }
    snprintf(best, BOUND, "%s%d", prefix_of(lower), e->next++);
    ix_emit_put(e, e->depth, "const i64 %s = %s;", best, s);
}

/* One bound of a loop: the text of the largest lower or smallest upper one;
 * "best" holds one already, or "". */
static void
put_bound(ix_emitter *e, int n, ilex_array *const *candidates, bool lower,
          char *best)
{
    for (int i = 0; i < n; i++) {
        ix_text t;
        int depth = 0;
        ix_text_init(&t, &e->mem);
        ix_emit_index(e, candidates[i], &t, &depth);
        const char *s = ix_text_string(&t);
        e->block[0].text.failed |= s == NULL;
        if (s && *best)
            clip_bound(e, s, lower, best);
        else if (s)
            first_bound(e, s, lower, best);
        ix_text_free(&t);
    }
}

/* Does [begin, end) say it all? The range is inside the kernel's box, so the
 * outermost loop of a nest that spans the box needs no other bounds. */
static bool
spans_box(ix_emitter *e, const ix_loop *loop)
{
    const ix_axis *ax = &e->kernel->box->ax[0];
    return loop->nlo == 1 && loop->nhi == 1 &&
           loop->lo[0] == ix_index_lin(e->u->ctx, ax->lo) &&
           loop->hi[0] == ix_index_lin(e->u->ctx, ax->hi);
}

/* Of loop k; the outermost is clipped to [begin, end). */
static void
loop_bounds(ix_emitter *e, const ix_nest *nest, int k, char *lo, char *hi)
{
    const ix_loop *loop = &nest->loop[k];
    snprintf(lo, BOUND, "%s", k ? "" : "begin");
    snprintf(hi, BOUND, "%s", k ? "" : "end");
    if (k == 0 && spans_box(e, loop))
        return;
    put_bound(e, loop->nlo, loop->lo, true, lo);
    put_bound(e, loop->nhi, loop->hi, false, hi);
}

/* ---- loops ---- */

void
ix_emit_stores(ix_emitter *e, const ix_nest *nest)
{
    ix_name *v = ix_arena_new(e->arena, (size_t)nest->nstores * sizeof *v);
    for (int i = 0; i < nest->nstores; i++)
        v[i] = ix_emit_value(e, nest->store[i].value);
    for (int i = 0; i < nest->nstores; i++)
        ix_emit_store(e, nest->store[i].buffer, nest->nloops, &v[i]);
}

/* Loops k and on, one in the other; the stores innermost. */
static void
emit_loops(ix_emitter *e, const ix_nest *nest, int k)
{
    char lo[BOUND], hi[BOUND], header[2 * BOUND + 128];
    if (k == nest->nloops) {
        ix_emit_stores(e, nest);
        return;
    }
    const ix_loop *loop = &nest->loop[k];
    loop_bounds(e, nest, k, lo, hi);
    if (k + 1 == nest->nloops && !e->dialect->cuda &&
        ix_emit_strips(e, nest, lo, hi))
        return;
    ix_emit_open(e);
    e->index_depth[loop->axis] = e->depth;
    emit_loops(e, nest, k + 1);
    if (loop->vector && *e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    snprintf(header, sizeof header, "for (i64 i%d = %s; i%d < %s; i%d++)",
             loop->axis, lo, loop->axis, hi, loop->axis);
    ix_emit_close(e, header);
    e->index_depth[loop->axis] = 0;
}

/* ---- CUDA: the rectangular outer loops spread over threads ---- */

static bool
depends_on_index(const ix_loop *loop)
{
    for (int i = 0; i < loop->nlo; i++)
        if (loop->lo[i]->flags & IX_HAS_INDEX)
            return true;
    for (int i = 0; i < loop->nhi; i++)
        if (loop->hi[i]->flags & IX_HAS_INDEX)
            return true;
    return false;
}

/* Declares lo<k>, length<k> of the spread loops and their product. */
static void
spread_extents(ix_emitter *e, const ix_nest *nest, int spread)
{
    char lo[BOUND], hi[BOUND];
    for (int k = 0; k < spread; k++) {
        loop_bounds(e, nest, k, lo, hi);
        ix_emit_put(e, e->depth, "const i64 from%d = %s;", k, lo);
        ix_emit_put(e, e->depth, "const i64 to%d = %s;", k, hi);
        ix_emit_put(e, e->depth,
                    "const i64 len%d = to%d > from%d ? to%d - from%d : 0;", k,
                    k, k, k, k);
    }
    ix_text *t = ix_emit_line(e, e->depth);
    ix_text_put(t, "const i64 total = ");
    for (int k = 0; k < spread; k++)
        ix_text_format(t, "%slen%d", k ? " * " : "", k);
    ix_text_put(t, spread ? ";\n" : "1;\n");
}

/* i<k> from the flat thread number g, last loop fastest. */
static void
spread_indices(ix_emitter *e, const ix_nest *nest, int spread)
{
    if (spread)
        ix_emit_put(e, e->depth, "i64 f = g;");
    for (int k = spread - 1; k >= 0; k--) {
        e->index_depth[nest->loop[k].axis] = e->depth;
        if (k == 0) {
            ix_emit_put(e, e->depth, "const i64 i%d = from%d + f;",
                        nest->loop[k].axis, k);
            continue;
        }
        ix_emit_put(e, e->depth, "const i64 i%d = from%d + f %% len%d;",
                    nest->loop[k].axis, k, k);
        ix_emit_put(e, e->depth, "f = f / len%d;", k);
    }
}

/* One thread per point of the outer loops; the others are loops. */
static void
emit_threads(ix_emitter *e, const ix_nest *nest)
{
    int spread = 0;
    while (spread < nest->nloops && !depends_on_index(&nest->loop[spread]))
        spread++;
    ix_emit_open(e);
    spread_extents(e, nest, spread);
    ix_emit_open(e);
    spread_indices(e, nest, spread);
    emit_loops(e, nest, spread);
    ix_emit_close(e, "for (i64 g = (i64)blockIdx.x * blockDim.x + threadIdx.x;"
                     " g < total; g += (i64)gridDim.x * blockDim.x)");
    ix_emit_close(e, "");
    for (int k = 0; k < nest->nloops; k++)
        e->index_depth[k] = 0;
}

void
ix_emit_nest(ix_emitter *e, const ix_nest *nest)
{
    if (e->dialect->cuda)
        emit_threads(e, nest);
    else
        emit_loops(e, nest, 0);
}
