/* SPDX-License-Identifier: MIT
 *
 * Reductions: a nest of one-axis reductions, the last axis innermost. Along
 * one axis: chunks of IX_CHUNK elements, each folded in lanes (the last axis
 * only), the chunks combined pairwise in index order with a stack that holds
 * one partial result per set bit of the number of chunks so far.
 */
#include "compiler/emit_reduce.h"

#include <stdio.h>

#include "lib/dtype.h"

enum { STACK = 52, MOST_UNROLLED = 4 };

static void emit_axis(ix_emitter *e, ilex_array *n, int k, ix_name *result);

/* ---- strips ---- */

/* In strip mode every accumulator is an array with an element for each point
 * of a strip of the innermost loop; what touches them is wrapped in a loop
 * over the strip. Otherwise these do nothing. */
static void
open_strip(axis *x)
{
    if (x->e->strip)
        ix_emit_open(x->e);
}

static void
close_strip(axis *x)
{
    if (x->e->strip)
        ix_emit_strip_close(x->e);
}

/* "[64]" of a declaration in strip mode. */
static const char *
strip_size(const axis *x)
{
    return x->e->strip ? "[" IX_STRIP_TEXT "]" : "";
}

/* Two lines for complex variables, one for others. */
void
ix_reduce_put(axis *x, const char *fmt, const char *re, const char *im)
{
    for (int part = 0; part <= x->complex; part++) {
        ix_text *t = ix_emit_line(x->e, x->e->depth);
        for (const char *p = fmt; *p; p++)
            if (*p == '@')
                ix_text_put(t, part ? im : re);
            else if (*p == '#')
                ix_text_put(t, x->complex ? (part ? "i" : "r") : "");
            else
                ix_text_char(t, *p);
        ix_text_char(t, '\n');
    }
}

static ix_name
identity(axis *x)
{
    ix_name v = {.id = x->e->block[0].id};
    ix_value id = ix_reduction_identity(ix_reduction_of(x->n), x->acc);
    ilex_dtype part = ix_dtype_part(x->acc);
    ix_emit_literal(x->e, part, id, false, v.re);
    if (x->complex)
        ix_emit_literal(x->e, part, id, true, v.im);
    return v;
}

/* A name "<prefix><number><suffix>" in the innermost block. */
ix_name
ix_reduce_name(axis *x, const char *prefix, const char *suffix)
{
    ix_name v = {.depth = x->e->depth, .id = x->e->block[x->e->depth].id};
    const char *strip = x->e->strip ? "[v]" : "";
    snprintf(v.re, sizeof v.re, "%s%d%s%s%s", prefix, x->number,
             x->complex ? "r" : "", suffix, strip);
    snprintf(v.im, sizeof v.im, "%s%di%s%s", prefix, x->number, suffix, strip);
    return v;
}

/* Declares "<prefix><number>" with a first value. */
static ix_name
declare(axis *x, const char *prefix, const ix_name *first)
{
    ix_name a = ix_reduce_name(x, prefix, "");
    char fmt[96];
    if (x->e->strip) {
        snprintf(fmt, sizeof fmt, "%s %s%d#%s;", x->type, prefix, x->number,
                 strip_size(x));
        ix_reduce_put(x, fmt, "", "");
        open_strip(x);
        snprintf(fmt, sizeof fmt, "%s%d#[v] = @;", prefix, x->number);
    } else {
        snprintf(fmt, sizeof fmt, "%s %s%d# = @;", x->type, prefix, x->number);
    }
    ix_reduce_put(x, fmt, first->re, first->im);
    close_strip(x);
    return a;
}

static ix_name
declare_accumulator(axis *x)
{
    ix_name id = identity(x);
    return declare(x, "a", &id);
}

/* The element at the axis's index, in the innermost block; in strip mode a
 * strip is left open. */
static ix_name
element(axis *x)
{
    ix_emitter *e = x->e;
    ix_name v;
    if (x->k + 1 < x->n->interior->rank) {
        emit_axis(e, x->n, x->k + 1, &v);
        open_strip(x);
        return v;
    }
    open_strip(x);
    if (e->strip)
        ix_emit_strip_index(e);
    return ix_emit_value(e, x->n->ops[0]);
}

/* The first element replaces an accumulator that has no identity. */
static void
replace_or_combine(axis *x, const ix_name *into, const ix_name *v,
                   const char *first)
{
    char header[96];
    ix_emit_open(x->e);
    ix_emit_put(x->e, x->e->depth, "%s = %s;", into->re, v->re);
    if (x->complex)
        ix_emit_put(x->e, x->e->depth, "%s = %s;", into->im, v->im);
    snprintf(header, sizeof header, "if (%s == %s)", x->r, first);
    ix_emit_close(x->e, header);
    ix_emit_open(x->e);
    ix_emit_combine(x->e, x->op, x->acc, into, v, into);
    ix_emit_close(x->e, "else");
}

/* into = op(into, element) */
static void
accumulate(axis *x, const ix_name *into, const char *first)
{
    ix_name v = element(x);
    if (x->first_wins)
        replace_or_combine(x, into, &v, first);
    else
        ix_emit_combine(x->e, x->op, x->acc, into, &v, into);
    close_strip(x);
}

/* Opens a loop block whose index is the axis's _r. */
void
ix_reduce_open(axis *x)
{
    ix_emitter *e = x->e;
    int64_t r = x->n->attr[1] + x->k;
    ix_emit_open(e);
    e->rindex_depth[r] = e->depth;
    snprintf(e->rindex_name[r], sizeof e->rindex_name[r], "%s", x->r);
}

void
ix_reduce_close(axis *x, const char *header)
{
    x->e->rindex_depth[x->n->attr[1] + x->k] = 0;
    ix_emit_close(x->e, header);
}

/* One lane: a plain loop over [lo, hi). */
static void
emit_serial(axis *x, const char *lo, const char *hi, const ix_name *a)
{
    char header[256];
    ix_reduce_open(x);
    accumulate(x, a, lo);
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s++)", x->r,
             lo, x->r, hi, x->r);
    ix_reduce_close(x, header);
}

/* Adds one element to lane j in a loop with this header. */
static void
emit_lane_loop(axis *x, const char *header)
{
    ix_emitter *e = x->e;
    ix_reduce_open(x);
    ix_emit_put(e, e->depth, "const i64 %s = w%d + j;", x->r, x->number);
    ix_name lane = ix_reduce_name(x, "l", "[j]");
    ix_name v = element(x);
    ix_emit_combine(e, x->op, x->acc, &lane, &v, &lane);
    if (*e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    ix_reduce_close(x, header);
}

/* l[j] = op(l[j], l[j + h]) for h = lanes/2 ... 1. */
static void
fold_lanes(axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    char header[128];
    ix_emit_open(e);
    ix_emit_open(e);
    ix_name p = ix_reduce_name(x, "l", "[j]"),
            q = ix_reduce_name(x, "l", "[j + h]");
    ix_emit_combine(e, x->op, x->acc, &p, &q, &p);
    ix_emit_close(e, "for (i64 j = 0; j < h; j++)");
    snprintf(header, sizeof header, "for (i64 h = %d; h > 0; h >>= 1)",
             x->lanes / 2);
    ix_emit_close(e, header);
    char fmt[64];
    snprintf(fmt, sizeof fmt, "@ = l%d#[0];", x->number);
    ix_reduce_put(x, fmt, a->re, a->im);
}

static void
emit_lanes(axis *x, const char *lo, const char *hi, const ix_name *a)
{
    ix_emitter *e = x->e;
    char header[160], fmt[96];
    ix_name id = identity(x);
    snprintf(fmt, sizeof fmt, "%s l%d#[%d];", x->type, x->number, x->lanes);
    ix_reduce_put(x, fmt, "", "");
    ix_emit_open(e);
    snprintf(fmt, sizeof fmt, "l%d#[j] = @;", x->number);
    ix_reduce_put(x, fmt, id.re, id.im);
    snprintf(header, sizeof header, "for (i64 j = 0; j < %d; j++)", x->lanes);
    ix_emit_close(e, header);
    ix_emit_put(e, e->depth, "i64 w%d = %s;", x->number, lo);
    ix_emit_open(e);
    emit_lane_loop(x, header);
    snprintf(header, sizeof header, "for (; w%d + %d <= %s; w%d += %d)",
             x->number, x->lanes, hi, x->number, x->lanes);
    ix_emit_close(e, header);
    snprintf(header, sizeof header, "for (i64 j = 0; w%d + j < %s; j++)",
             x->number, hi);
    emit_lane_loop(x, header);
    fold_lanes(x, a);
}

/* One chunk [lo, hi) into the accumulator. */
static void
emit_chunk(axis *x, const char *lo, const char *hi, const ix_name *a)
{
    if (x->lanes > 1)
        emit_lanes(x, lo, hi, a);
    else
        emit_serial(x, lo, hi, a);
}

/* a = op(p[--d], a): the left operand is popped first, so that a statement has
 * one effect. */
static void
pop_and_combine(axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    char slot[32];
    ix_emit_put(e, e->depth, "d%d--;", x->number);
    snprintf(slot, sizeof slot, "[d%d]", x->number);
    ix_name top = ix_reduce_name(x, "p", slot);
    open_strip(x);
    ix_emit_combine(e, x->op, x->acc, &top, a, a);
    close_strip(x);
}

/* Combines the chunk's result with those on the stack that are as long as it:
 * one for every trailing set bit of the number of chunks before. */
static void
push_chunk(axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[96], fmt[64];
    ix_emit_open(e);
    pop_and_combine(x, a);
    snprintf(header, sizeof header, "for (i64 m%d = c%d; m%d & 1; m%d >>= 1)",
             m, m, m, m);
    ix_emit_close(e, header);
    open_strip(x);
    snprintf(fmt, sizeof fmt, "p%d#[d%d]%s = @;", m, m, e->strip ? "[v]" : "");
    ix_reduce_put(x, fmt, a->re, a->im);
    close_strip(x);
    ix_emit_put(e, e->depth, "d%d++;", m);
    ix_emit_put(e, e->depth, "c%d++;", m);
}

/* result = the stack folded from its top, or the value over nothing. */
static void
fold_stack(axis *x, const ix_name *result)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[64], fmt[64];
    ix_emit_open(e);
    ix_emit_put(e, e->depth, "d%d--;", m);
    open_strip(x);
    snprintf(fmt, sizeof fmt, "@ = p%d#[d%d]%s;", m, m, e->strip ? "[v]" : "");
    ix_reduce_put(x, fmt, result->re, result->im);
    close_strip(x);
    snprintf(header, sizeof header, "if (d%d > 0)", m);
    ix_emit_close(e, header);
    ix_emit_open(e);
    pop_and_combine(x, result);
    snprintf(header, sizeof header, "while (d%d > 0)", m);
    ix_emit_close(e, header);
}

/* Declares "t<number>" as the value over an empty range. */
static ix_name
declare_empty(axis *x)
{
    ix_value v;
    ix_name text;
    ilex_dtype part = ix_dtype_part(x->acc);
    if (!ix_reduction_empty(ix_reduction_of(x->n), x->acc, &v))
        v = ix_reduction_identity(ix_reduction_of(x->n), x->acc);
    ix_emit_literal(x->e, part, v, false, text.re);
    if (x->complex)
        ix_emit_literal(x->e, part, v, true, text.im);
    return declare(x, "t", &text);
}

/* Chunks of IX_CHUNK, combined pairwise in index order. */
static ix_name
emit_chunks(axis *x)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[256], fmt[64], from[16], to[16];
    snprintf(fmt, sizeof fmt, "%s p%d#[%d]%s;", x->type, m, STACK,
             strip_size(x));
    ix_reduce_put(x, fmt, "", "");
    ix_emit_put(e, e->depth, "i32 d%d = 0;", m);
    ix_emit_put(e, e->depth, "i64 c%d = 0;", m);
    ix_emit_open(e);
    snprintf(from, sizeof from, "q%d", m);
    snprintf(to, sizeof to, "e%d", m);
    ix_emit_put(e, e->depth, "const i64 %s = %s + %d < %s ? %s + %d : %s;", to,
                from, IX_CHUNK, x->hi, from, IX_CHUNK, x->hi);
    ix_name a = declare_accumulator(x);
    emit_chunk(x, from, to, &a);
    push_chunk(x, &a);
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s += %d)",
             from, x->lo, from, x->hi, from, IX_CHUNK);
    ix_emit_close(e, header);
    ix_name t = declare_empty(x);
    fold_stack(x, &t);
    return t;
}

/* The element at lo + j without a loop. */
static ix_name
element_at(axis *x, int64_t j)
{
    ix_emitter *e = x->e;
    int64_t r = x->n->attr[1] + x->k;
    ix_emit_open_flat(e);
    e->rindex_depth[r] = e->depth;
    if (!strcmp(x->lo, "0"))
        snprintf(e->rindex_name[r], sizeof e->rindex_name[r], "%d", (int)j);
    else
        snprintf(e->rindex_name[r], sizeof e->rindex_name[r], "r%d_%d",
                 x->number, (int)j);
    if (strcmp(x->lo, "0") != 0)
        ix_emit_put(e, e->depth, "const i64 %s = %s + %d;", e->rindex_name[r],
                    x->lo, (int)j);
    ix_name v = element(x);
    e->rindex_depth[r] = 0;
    ix_emit_close(e, NULL);
    v.depth = e->depth;
    v.id = e->block[e->depth].id;
    return v;
}

/* A few elements without loops: lanes folded as a tree, or one after another.
 */
static ix_name
emit_unrolled(axis *x)
{
    ix_name v[MOST_UNROLLED];
    for (int64_t j = 0; j < x->extent; j++)
        v[j] = element_at(x, j);
    if (x->lanes == 1) {
        for (int64_t j = 1; j < x->extent; j++)
            v[0] = ix_emit_combined(x->e, x->op, x->acc, &v[0], &v[j]);
        return v[0];
    }
    for (int64_t h = x->lanes / 2; h > 0; h /= 2)
        for (int64_t j = 0; j < h && j + h < x->extent; j++)
            v[j] = ix_emit_combined(x->e, x->op, x->acc, &v[j], &v[j + h]);
    return v[0];
}

/* ---- one axis ---- */

/* Text of a bound, as a variable when it is long. */
static void
bound_text(axis *x, const ix_lin *bound, const char *prefix, char *text)
{
    ix_emitter *e = x->e;
    ix_text t;
    int depth = 0;
    ix_text_init(&t, &e->mem);
    ix_emit_index(e, ix_index_lin(e->u->ctx, bound), &t, &depth);
    const char *s = ix_text_string(&t);
    if (s && bound->n + (bound->c != 0) <= 1 && strlen(s) < 40) {
        snprintf(text, 64, "%s", s);
    } else {
        snprintf(text, 64, "%s%d", prefix, x->number);
        ix_emit_put(e, e->depth, "const i64 %s = %s;", text, s ? s : "0");
    }
    ix_text_free(&t);
}

/* Fewer elements than lanes: the upper lanes would stay empty. */
static int
useful_lanes(int lanes, int64_t extent)
{
    while (extent >= 0 && lanes > 1 && lanes / 2 >= extent)
        lanes /= 2;
    return lanes;
}

void
ix_reduce_axis_of(axis *x, ix_emitter *e, ilex_array *n, int k)
{
    const ix_axis *ax = &n->interior->ax[k];
    const ix_lin *extent = ix_axis_extent(e->u->ctx, ax);
    ix_reduction r = ix_reduction_of(n);
    *x = (axis){.e = e, .n = n, .k = k, .op = ix_reduction_op(r)};
    x->acc = (ilex_dtype)n->ops[0]->dtype;
    x->number = e->next++;
    x->type = ix_c_type(x->acc);
    x->complex = ix_dtype_is_complex(x->acc);
    x->first_wins = x->complex && r == IX_REDUCTION_PROD;
    x->extent = extent && extent->n == 0 ? (extent->c > 0 ? extent->c : 0) : -1;
    x->lanes = k + 1 == n->interior->rank
                   ? useful_lanes((int)n->attr[2], x->extent)
                   : 1;
    snprintf(x->r, sizeof x->r, "j%d", x->number);
    bound_text(x, ax->lo, "lo", x->lo);
    bound_text(x, ax->hi, "hi", x->hi);
}

static void
emit_axis(ix_emitter *e, ilex_array *n, int k, ix_name *result)
{
    axis x;
    ix_reduce_axis_of(&x, e, n, k);
    if (x.extent == 0) {
        *result = declare_empty(&x);
    } else if (!e->strip && x.extent > 0 && x.extent <= MOST_UNROLLED &&
               ix_unrolls(e->u, n, k)) {
        *result = emit_unrolled(&x);
    } else if (x.extent > 0 && x.extent <= IX_CHUNK) {
        *result = declare_accumulator(&x);
        emit_chunk(&x, x.lo, x.hi, result);
    } else {
        *result = emit_chunks(&x);
    }
}

/* ---- the node ---- */

/* Emits at the depth where the free indices are known: deeper blocks, open as
 * they are, step aside meanwhile. */
ix_name
ix_emit_reduce(ix_emitter *e, ilex_array *n)
{
    ix_block aside[IX_BLOCKS];
    bool strip = e->strip;
    int depth = ix_emit_depth_of(e, n), here = e->depth;
    memcpy(aside, e->block + depth + 1, (size_t)(here - depth) * sizeof *aside);
    for (int i = depth + 1; i <= here; i++)
        e->block[i].id = 0;
    e->depth = depth;
    e->strip = false;
    ix_name v;
    if (n->interior->rank == 0)
        v = ix_emit_value(e, n->ops[0]);
    else if (ix_reduction_info_of(ix_reduction_of(n))->by_index)
        v = ix_emit_position(e, n);
    else
        emit_axis(e, n, 0, &v);
    memcpy(e->block + depth + 1, aside, (size_t)(here - depth) * sizeof *aside);
    e->depth = here;
    e->strip = strip;
    return v;
}

ix_name
ix_emit_strip_reduce(ix_emitter *e, ilex_array *n)
{
    ix_name v;
    e->strip = true;
    emit_axis(e, n, 0, &v);
    e->strip = false;
    return v;
}
