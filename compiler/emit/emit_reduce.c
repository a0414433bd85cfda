/* SPDX-License-Identifier: MIT
 *
 * Reductions: a nest of one-axis reductions, the last axis innermost. Along
 * one axis: few elements without a loop, else one chunk (emit_lanes.c) or
 * several (emit_chunks.c).
 */
#include "compiler/emit/emit_reduce.h"

#include <stdio.h>

#include "lib/ops/dtype.h"

enum { MOST_UNROLLED = 4 };

static void emit_axis(ix_emitter *e, ilex_array *n, int k, ix_name *result);

/* ---- strips ---- */

/* In strip mode every accumulator is an array with an element for each point
 * of a strip of the innermost loop; what touches them is wrapped in a loop
 * over the strip. Otherwise these do nothing. */
void
ix_reduce_open_strip(ix_reduce_axis *x)
{
    if (x->e->strip)
        ix_emit_open(x->e);
}

void
ix_reduce_close_strip(ix_reduce_axis *x)
{
    if (x->e->strip)
        ix_emit_strip_close(x->e);
}

/* "[64]" of a declaration in strip mode. */
const char *
ix_reduce_strip_size(const ix_reduce_axis *x)
{
    return x->e->strip ? "[" IX_STRIP_TEXT "]" : "";
}

/* Two lines for complex variables, one for others. */
void
ix_reduce_put(ix_reduce_axis *x, const char *fmt, const char *re,
              const char *im)
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

ix_name
ix_reduce_identity(ix_reduce_axis *x)
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
ix_reduce_name(ix_reduce_axis *x, const char *prefix, const char *suffix)
{
    ix_name v = {.depth = x->e->depth, .id = x->e->block[x->e->depth].id};
    const char *strip = x->e->strip ? "[v]" : "";
    snprintf(v.re, sizeof v.re, "%s%d%s%s%s", prefix, x->number,
             x->complex ? "r" : "", suffix, strip);
    snprintf(v.im, sizeof v.im, "%s%di%s%s", prefix, x->number, suffix, strip);
    return v;
}

/* Declares "<prefix><number>" with a first value. */
ix_name
ix_reduce_declare(ix_reduce_axis *x, const char *prefix, const ix_name *first)
{
    ix_name a = ix_reduce_name(x, prefix, "");
    char fmt[96];
    if (x->e->strip) {
        snprintf(fmt, sizeof fmt, "%s %s%d#%s;", x->type, prefix, x->number,
                 ix_reduce_strip_size(x));
        ix_reduce_put(x, fmt, "", "");
        ix_reduce_open_strip(x);
        snprintf(fmt, sizeof fmt, "%s%d#[v] = @;", prefix, x->number);
    } else {
        snprintf(fmt, sizeof fmt, "%s %s%d# = @;", x->type, prefix, x->number);
    }
    ix_reduce_put(x, fmt, first->re, first->im);
    ix_reduce_close_strip(x);
    return a;
}

ix_name
ix_reduce_declare_accumulator(ix_reduce_axis *x)
{
    ix_name id = ix_reduce_identity(x);
    return ix_reduce_declare(x, "a", &id);
}

/* The element at the axis's index, in the innermost block; in strip mode a
 * strip is left open. */
ix_name
ix_reduce_element(ix_reduce_axis *x)
{
    ix_emitter *e = x->e;
    ix_name v;
    if (x->k + 1 < x->n->interior->rank) {
        emit_axis(e, x->n, x->k + 1, &v);
        ix_reduce_open_strip(x);
        return v;
    }
    ix_reduce_open_strip(x);
    if (e->strip)
        ix_emit_strip_index(e);
    return ix_emit_value(e, x->n->ops[0]);
}

/* Opens a loop block whose index is the axis's _r. */
void
ix_reduce_open(ix_reduce_axis *x)
{
    ix_emitter *e = x->e;
    int64_t r = x->n->attr[1] + x->k;
    ix_emit_open(e);
    e->rindex_depth[r] = e->depth;
    snprintf(e->rindex_name[r], sizeof e->rindex_name[r], "%s", x->r);
}

void
ix_reduce_close(ix_reduce_axis *x, const char *header)
{
    x->e->rindex_depth[x->n->attr[1] + x->k] = 0;
    ix_emit_close(x->e, header);
}

/* Declares "t<number>" as the value over an empty range. */
ix_name
ix_reduce_declare_empty(ix_reduce_axis *x)
{
    ix_value v;
    ix_name text;
    ilex_dtype part = ix_dtype_part(x->acc);
    if (!ix_reduction_empty(ix_reduction_of(x->n), x->acc, &v))
        v = ix_reduction_identity(ix_reduction_of(x->n), x->acc);
    ix_emit_literal(x->e, part, v, false, text.re);
    if (x->complex)
        ix_emit_literal(x->e, part, v, true, text.im);
    return ix_reduce_declare(x, "t", &text);
}

/* The element at lo + j without a loop. */
static ix_name
element_at(ix_reduce_axis *x, int64_t j)
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
    ix_name v = ix_reduce_element(x);
    e->rindex_depth[r] = 0;
    ix_emit_close(e, NULL);
    v.depth = e->depth;
    v.id = e->block[e->depth].id;
    return v;
}

/* A few elements without loops: lanes folded as a tree, or one after another.
 */
static ix_name
emit_unrolled(ix_reduce_axis *x)
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
bound_text(ix_reduce_axis *x, const ix_lin *bound, const char *prefix,
           char *text)
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
ix_reduce_axis_of(ix_reduce_axis *x, ix_emitter *e, ilex_array *n, int k)
{
    const ix_axis *ax = &n->interior->ax[k];
    const ix_lin *extent = ix_lin_try_fma(e->u->ctx, ax->hi, -1, ax->lo);
    ix_reduction r = ix_reduction_of(n);
    *x = (ix_reduce_axis){.e = e, .n = n, .k = k, .op = ix_reduction_op(r)};
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
    ix_reduce_axis x;
    ix_reduce_axis_of(&x, e, n, k);
    if (x.extent == 0) {
        *result = ix_reduce_declare_empty(&x);
    } else if (!e->strip && x.extent > 0 && x.extent <= MOST_UNROLLED &&
               ix_unrolls(e->u, n, k)) {
        *result = emit_unrolled(&x);
    } else if (x.extent > 0 && x.extent <= IX_CHUNK) {
        *result = ix_reduce_declare_accumulator(&x);
        ix_reduce_chunk(&x, x.lo, x.hi, result);
    } else {
        *result = ix_reduce_chunks(&x);
    }
}

/* ---- the node ---- */

/* Emits at the depth where the free indices are known: deeper blocks, open as
 * they are, step aside meanwhile. */
ix_name
ix_emit_reduce(ix_emitter *e, ilex_array *n)
{
    bool strip = e->strip;
    int depth = ix_emit_depth_of(e, n), here = e->depth;
    size_t open = (size_t)(here - depth) * sizeof *e->block;
    ix_block *aside = ix_arena_new(e->arena, open);
    if (open)
        memcpy(aside, e->block + depth + 1, open);
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
    if (open)
        memcpy(e->block + depth + 1, aside, open);
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
