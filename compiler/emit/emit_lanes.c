/* SPDX-License-Identifier: MIT
 *
 * Reductions: one chunk of an axis into an accumulator, by a plain loop or in
 * lanes: element i goes to lane i mod lanes, the lanes are folded as a tree.
 */
#include <stdio.h>

#include "compiler/emit/emit_reduce.h"

/* The first element replaces an accumulator that has no identity. */
static void
replace_or_combine(ix_reduce_axis *x, const ix_name *into, const ix_name *v,
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
accumulate(ix_reduce_axis *x, const ix_name *into, const char *first)
{
    ix_name v = ix_reduce_element(x);
    if (x->first_wins)
        replace_or_combine(x, into, &v, first);
    else
        ix_emit_combine(x->e, x->op, x->acc, into, &v, into);
    ix_reduce_close_strip(x);
}

/* One lane: a plain loop over [lo, hi). */
static void
emit_serial(ix_reduce_axis *x, const char *lo, const char *hi, const ix_name *a)
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
emit_lane_loop(ix_reduce_axis *x, const char *header)
{
    ix_emitter *e = x->e;
    ix_reduce_open(x);
    ix_emit_put(e, e->depth, "const i64 %s = w%d + j;", x->r, x->number);
    ix_name lane = ix_reduce_name(x, "l", "[j]");
    ix_name v = ix_reduce_element(x);
    ix_emit_combine(e, x->op, x->acc, &lane, &v, &lane);
    if (*e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    ix_reduce_close(x, header);
}

/* l[j] = op(l[j], l[j + h]) for h = lanes/2 ... 1. */
static void
fold_lanes(ix_reduce_axis *x, const ix_name *a)
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
emit_lanes(ix_reduce_axis *x, const char *lo, const char *hi, const ix_name *a)
{
    ix_emitter *e = x->e;
    char header[160], fmt[96];
    ix_name id = ix_reduce_identity(x);
    if (e->names)
        ix_emit_put(e, e->depth,
                    "/* lane j takes every %dth element from j on */",
                    x->lanes);
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
void
ix_reduce_chunk(ix_reduce_axis *x, const char *lo, const char *hi,
                const ix_name *a)
{
    if (x->lanes > 1)
        emit_lanes(x, lo, hi, a);
    else
        emit_serial(x, lo, hi, a);
}
