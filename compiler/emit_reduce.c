/* SPDX-License-Identifier: MIT
 *
 * Reductions: a nest of one-axis reductions, the last axis innermost. Along
 * one axis: chunks of IX_CHUNK elements, each folded in lanes (the last axis
 * only), the chunks combined pairwise in index order with a stack that holds
 * one partial result per set bit of the number of chunks so far.
 */
#include <stdio.h>

#include "compiler/emit.h"
#include "lib/dtype.h"

enum { STACK = 52, UNROLL = 4 };

/* One axis of a reduction under emission. */
typedef struct axis {
    ix_emitter *e;
    ilex_array *n;
    int k;            /* axis */
    ix_op op;         /* combines */
    ilex_dtype acc;
    int number;       /* of its variables */
    const char *type;
    bool complex;
    bool first_wins;  /* no identity: the first element starts */
    char lo[64], hi[64], r[16];
    int64_t extent;   /* -1: symbolic */
    int lanes;
} axis;

static void emit_axis(ix_emitter *e, ilex_array *n, int k, ix_name *result);

/* Two lines for complex variables, one for others. */
static void
put_pair(axis *x, const char *fmt, const char *re, const char *im)
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
static ix_name
name_here(axis *x, const char *prefix, const char *suffix)
{
    ix_name v = {.depth = x->e->depth, .id = x->e->block[x->e->depth].id};
    snprintf(v.re, sizeof v.re, "%s%d%s%s", prefix, x->number,
             x->complex ? "r" : "", suffix);
    snprintf(v.im, sizeof v.im, "%s%di%s", prefix, x->number, suffix);
    return v;
}

/* Declares and initialises the accumulator. */
static ix_name
declare_accumulator(axis *x)
{
    ix_name id = identity(x), a = name_here(x, "a", "");
    char fmt[96];
    snprintf(fmt, sizeof fmt, "%s a%d# = @;", x->type, x->number);
    put_pair(x, fmt, id.re, id.im);
    return a;
}

/* The element at the axis's index, in the innermost block. */
static ix_name
element(axis *x)
{
    ix_emitter *e = x->e;
    ix_name v;
    if (x->k + 1 < x->n->interior->rank)
        emit_axis(e, x->n, x->k + 1, &v);
    else
        v = ix_emit_value(e, x->n->ops[0]);
    return v;
}

/* into = op(into, element); the first element replaces an accumulator that
 * has no identity. */
static void
accumulate(axis *x, const ix_name *into, const char *first)
{
    ix_name v = element(x);
    if (!x->first_wins) {
        ix_emit_combine(x->e, x->op, x->acc, into, &v, into);
        return;
    }
    char header[96];
    ix_emit_open(x->e);
    ix_emit_put(x->e, x->e->depth, "%s = %s;", into->re, v.re);
    if (x->complex)
        ix_emit_put(x->e, x->e->depth, "%s = %s;", into->im, v.im);
    snprintf(header, sizeof header, "if (%s == %s)", x->r, first);
    ix_emit_close(x->e, header);
    ix_emit_open(x->e);
    ix_emit_combine(x->e, x->op, x->acc, into, &v, into);
    ix_emit_close(x->e, "else");
}

/* Opens a loop block whose index is the axis's _r. */
static void
open_index(axis *x)
{
    ix_emitter *e = x->e;
    int64_t r = x->n->attr[1] + x->k;
    ix_emit_open(e);
    e->rindex_depth[r] = e->depth;
    snprintf(e->rindex_name[r], sizeof e->rindex_name[r], "%s", x->r);
}

static void
close_index(axis *x, const char *header)
{
    x->e->rindex_depth[x->n->attr[1] + x->k] = 0;
    ix_emit_close(x->e, header);
}

/* One lane: a plain loop over [lo, hi). */
static void
emit_serial(axis *x, const char *lo, const char *hi, const ix_name *a)
{
    char header[256];
    open_index(x);
    accumulate(x, a, lo);
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s++)", x->r,
             lo, x->r, hi, x->r);
    close_index(x, header);
}

/* Adds one element to lane j in a loop with this header. */
static void
emit_lane_loop(axis *x, const char *header)
{
    ix_emitter *e = x->e;
    open_index(x);
    ix_emit_put(e, e->depth, "const i64 %s = w%d + j;", x->r, x->number);
    ix_name lane = name_here(x, "l", "[j]");
    ix_name v = element(x);
    ix_emit_combine(e, x->op, x->acc, &lane, &v, &lane);
    if (*e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    close_index(x, header);
}

/* l[j] = op(l[j], l[j + h]) for h = lanes/2 ... 1. */
static void
fold_lanes(axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    char header[128];
    ix_emit_open(e);
    ix_emit_open(e);
    ix_name p = name_here(x, "l", "[j]"), q = name_here(x, "l", "[j + h]");
    ix_emit_combine(e, x->op, x->acc, &p, &q, &p);
    ix_emit_close(e, "for (i64 j = 0; j < h; j++)");
    snprintf(header, sizeof header, "for (i64 h = %d; h > 0; h >>= 1)",
             x->lanes / 2);
    ix_emit_close(e, header);
    char fmt[64];
    snprintf(fmt, sizeof fmt, "@ = l%d#[0];", x->number);
    put_pair(x, fmt, a->re, a->im);
}

static void
emit_lanes(axis *x, const char *lo, const char *hi, const ix_name *a)
{
    ix_emitter *e = x->e;
    char header[160], fmt[96];
    ix_name id = identity(x);
    snprintf(fmt, sizeof fmt, "%s l%d#[%d];", x->type, x->number, x->lanes);
    put_pair(x, fmt, "", "");
    ix_emit_open(e);
    snprintf(fmt, sizeof fmt, "l%d#[j] = @;", x->number);
    put_pair(x, fmt, id.re, id.im);
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
    ix_name top = name_here(x, "p", slot);
    ix_emit_combine(e, x->op, x->acc, &top, a, a);
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
    snprintf(fmt, sizeof fmt, "p%d#[d%d] = @;", m, m);
    put_pair(x, fmt, a->re, a->im);
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
    snprintf(fmt, sizeof fmt, "@ = p%d#[d%d];", m, m);
    put_pair(x, fmt, result->re, result->im);
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
    ix_name text, t = name_here(x, "t", "");
    ilex_dtype part = ix_dtype_part(x->acc);
    char fmt[96];
    if (!ix_reduction_empty(ix_reduction_of(x->n), x->acc, &v))
        v = ix_reduction_identity(ix_reduction_of(x->n), x->acc);
    ix_emit_literal(x->e, part, v, false, text.re);
    if (x->complex)
        ix_emit_literal(x->e, part, v, true, text.im);
    snprintf(fmt, sizeof fmt, "%s t%d# = @;", x->type, x->number);
    put_pair(x, fmt, text.re, text.im);
    return t;
}

/* Chunks of IX_CHUNK, combined pairwise in index order. */
static ix_name
emit_chunks(axis *x)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[256], fmt[64], from[16], to[16];
    snprintf(fmt, sizeof fmt, "%s p%d#[%d];", x->type, m, STACK);
    put_pair(x, fmt, "", "");
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

/* A new variable for op(a, b). */
static ix_name
combined(axis *x, const ix_name *a, const ix_name *b)
{
    ix_name v = {.depth = x->e->depth, .id = x->e->block[x->e->depth].id};
    int number = x->e->next++;
    char fmt[64];
    snprintf(v.re, sizeof v.re, "t%d%s", number, x->complex ? "r" : "");
    snprintf(v.im, sizeof v.im, "t%di", number);
    snprintf(fmt, sizeof fmt, "%s @;", x->type);
    put_pair(x, fmt, v.re, v.im);
    ix_emit_combine(x->e, x->op, x->acc, a, b, &v);
    return v;
}

/* A few elements without loops: lanes folded as a tree, or one after another. */
static ix_name
emit_unrolled(axis *x)
{
    ix_name v[UNROLL];
    for (int64_t j = 0; j < x->extent; j++)
        v[j] = element_at(x, j);
    if (x->lanes == 1) {
        for (int64_t j = 1; j < x->extent; j++)
            v[0] = combined(x, &v[0], &v[j]);
        return v[0];
    }
    for (int64_t h = x->lanes / 2; h > 0; h /= 2)
        for (int64_t j = 0; j < h && j + h < x->extent; j++)
            v[j] = combined(x, &v[j], &v[j + h]);
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

static void
open_axis(axis *x, ix_emitter *e, ilex_array *n, int k)
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
    open_axis(&x, e, n, k);
    if (x.extent == 0) {
        *result = declare_empty(&x);
    } else if (x.extent > 0 && x.extent <= UNROLL &&
               (x.lanes == 1 || x.lanes >= x.extent)) {
        *result = emit_unrolled(&x);
    } else if (x.extent > 0 && x.extent <= IX_CHUNK) {
        *result = declare_accumulator(&x);
        emit_chunk(&x, x.lo, x.hi, result);
    } else {
        *result = emit_chunks(&x);
    }
}

/* ---- argmax, argmin: one loop nest with a counter ---- */

static void
note_better(axis *x, const ix_name *v)
{
    ix_emitter *e = x->e;
    int m = x->number;
    ix_reduction r = ix_reduction_of(x->n);
    ix_code_template code = ix_reduction_better_template(r, x->acc);
    ix_name best = name_here(x, "a", "");
    ix_code_names names = {.loop = x->acc,
                           .result = ILEX_BOOL,
                           .x = {v->re, best.re},
                           .xi = {v->im, best.im}};
    e->block[0].text.failed |=
        !ix_function_set_need_template(&e->functions, code, x->acc);
    ix_text *t = ix_emit_line(e, e->depth);
    ix_text_format(t, "u8 g%d = ", m);
    ix_code_write(t, code.re, &names, &e->dialect->functions);
    ix_text_put(t, ";\n");
    ix_emit_put(e, e->depth, "if (c%d == 0)", m);
    ix_emit_put(e, e->depth, "    g%d = 1;", m);
    ix_emit_open(e);
    ix_emit_put(e, e->depth, "%s = %s;", best.re, v->re);
    if (x->complex)
        ix_emit_put(e, e->depth, "%s = %s;", best.im, v->im);
    ix_emit_put(e, e->depth, "t%d = c%d;", m, m);
    char header[32];
    snprintf(header, sizeof header, "if (g%d)", m);
    ix_emit_close(e, header);
    ix_emit_put(e, e->depth, "c%d++;", m);
}

/* Loops over axes "k" and on; the innermost compares. */
static void
emit_position(axis *first, int k)
{
    ix_emitter *e = first->e;
    axis x;
    char header[256];
    open_axis(&x, e, first->n, k);
    open_index(&x);
    if (k + 1 < x.n->interior->rank) {
        emit_position(first, k + 1);
    } else {
        ix_name v = ix_emit_value(e, x.n->ops[0]);
        note_better(first, &v);
    }
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s++)", x.r,
             x.lo, x.r, x.hi, x.r);
    close_index(&x, header);
}

static ix_name
emit_by_index(ix_emitter *e, ilex_array *n)
{
    axis x = {.e = e, .n = n, .acc = (ilex_dtype)n->ops[0]->dtype};
    x.number = e->next++;
    x.type = ix_c_type(x.acc);
    x.complex = ix_dtype_is_complex(x.acc);
    char fmt[64];
    bool real = ix_dtype_is_real(ix_dtype_part(x.acc));
    snprintf(fmt, sizeof fmt, "%s a%d# = %s;", x.type, x.number,
             real ? "0.0" : "0");
    put_pair(&x, fmt, "", "");
    ix_emit_put(e, e->depth, "i64 t%d = 0;", x.number);
    ix_emit_put(e, e->depth, "i64 c%d = 0;", x.number);
    ix_name t = {.depth = e->depth, .id = e->block[e->depth].id};
    snprintf(t.re, sizeof t.re, "t%d", x.number);
    emit_position(&x, 0);
    return t;
}

/* ---- the node ---- */

/* Emits at the depth where the free indices are known: deeper blocks, open as
 * they are, step aside meanwhile. */
ix_name
ix_emit_reduce(ix_emitter *e, ilex_array *n)
{
    ix_block aside[IX_BLOCKS];
    int depth = ix_emit_depth_of(e, n), here = e->depth;
    memcpy(aside, e->block + depth + 1,
           (size_t)(here - depth) * sizeof *aside);
    for (int i = depth + 1; i <= here; i++)
        e->block[i].id = 0;
    e->depth = depth;
    ix_name v;
    if (n->interior->rank == 0)
        v = ix_emit_value(e, n->ops[0]);
    else if (ix_reduction_info_of(ix_reduction_of(n))->by_index)
        v = emit_by_index(e, n);
    else
        emit_axis(e, n, 0, &v);
    memcpy(e->block + depth + 1, aside,
           (size_t)(here - depth) * sizeof *aside);
    e->depth = here;
    return v;
}
