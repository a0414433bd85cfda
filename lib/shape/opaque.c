/* SPDX-License-Identifier: MIT
 *
 * What is known of index arithmetic by sizes: 0 <= e % m < m where m >= 1, and
 * e // m < n where e < n*m.
 */
#include "lib/shape/access.h"

/* ---- sizes that a frame shows to be positive ---- */

/* "extent" where size "factor" is 0. */
static const ix_lin *
without(ilex_context *ctx, const ix_lin *extent, int32_t factor)
{
    const ix_lin *r = ix_lin_try_offset(ctx, ix_lin_const(ctx, 0), extent->c);
    for (int32_t i = 0; i < extent->n; i++) {
        const ix_param *p = &ctx->param[extent->t[i].param];
        bool contains = false;
        for (int k = 0; k < p->degree; k++)
            contains |= p->factor[k] == factor;
        if (!contains)
            r = ix_lin_try_fma(ctx, r, extent->t[i].k,
                               ix_lin_param(ctx, extent->t[i].param));
    }
    return r;
}

/* Is there nothing on the axis where size "factor" is 0? */
static bool
needs(ilex_context *ctx, const ix_lin *extent, int32_t factor)
{
    const ix_lin *left = without(ctx, extent, factor);
    left = left ? ix_lin_try_fma(ctx, ix_lin_const(ctx, 0), -1, left) : NULL;
    return left && ix_lin_nonneg_fast(ctx, left);
}

static void
enter_axis(ilex_context *ctx, const ix_axis *ax, ix_frame_sizes *sizes)
{
    const ix_lin *extent = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    for (int32_t i = 0; extent && i < extent->n; i++)
        for (int k = 0; k < ctx->param[extent->t[i].param].degree; k++) {
            int32_t factor = ctx->param[extent->t[i].param].factor[k];
            if (sizes->n == IX_FRAME_SIZES || ix_param_low(ctx, factor) > 0 ||
                !needs(ctx, extent, factor))
                continue;
            ctx->param[factor].floor = 1;
            sizes->param[sizes->n++] = factor;
        }
}

void
ix_frame_enter(ilex_context *ctx, const ix_frame *frame, ix_frame_sizes *sizes)
{
    sizes->n = 0;
    for (int k = 0; frame->box && k < frame->box->rank; k++)
        enter_axis(ctx, &frame->box->ax[k], sizes);
    for (int i = 0; i < frame->nreduce; i++)
        for (int k = 0; k < frame->reduce[i]->interior->rank; k++)
            enter_axis(ctx, &frame->reduce[i]->interior->ax[k], sizes);
}

void
ix_frame_leave(ilex_context *ctx, const ix_frame_sizes *sizes)
{
    for (int i = 0; i < sizes->n; i++)
        ctx->param[sizes->param[i]].floor = 0;
}

/* ---- bounds ---- */

static bool
nonneg(ilex_context *ctx, const ix_lin *a)
{
    return a && ix_lin_nonneg_fast(ctx, a);
}

/* Not above floor(a / s), or not below it ("upper"), for s >= 1; NULL where
 * neither sign nor size of what s does not divide is known. */
static const ix_lin *
quotient_bound(ilex_context *ctx, const ix_lin *a, const ix_lin *s, bool upper)
{
    const ix_lin *rest, *none = ix_lin_const(ctx, 0), *past = NULL;
    const ix_lin *q = ix_lin_divide(ctx, a, s, &rest);
    if (!q)
        return NULL;
    const ix_lin *minus = ix_lin_try_fma(ctx, none, -1, rest);
    if (nonneg(ctx, rest)) {
        const ix_lin *below = ix_lin_try_fma(ctx, s, -1, rest);
        bool less = nonneg(ctx, ix_lin_try_offset(ctx, below, -1));
        past = !upper || less ? none : rest;
    } else if (nonneg(ctx, minus)) { /* rest <= 0 */
        bool below = nonneg(ctx, ix_lin_try_offset(ctx, minus, -1));
        bool close = nonneg(ctx, ix_lin_try_fma(ctx, s, -1, minus));
        past = upper   ? ix_lin_const(ctx, below ? -1 : 0)
               : close ? ix_lin_const(ctx, -1)
                       : rest;
    }
    return past ? ix_lin_try_fma(ctx, q, 1, past) : NULL;
}

static void
product_bounds(ilex_context *ctx, const ix_bounds *a, const ix_lin *s,
               ix_bounds *b)
{
    for (int i = 0; i < a->nlo; i++)
        ix_bounds_lo(b, ix_lin_try_mul(ctx, a->lo[i], s));
    for (int i = 0; i < a->nhi; i++)
        ix_bounds_hi(b, ix_lin_try_mul(ctx, a->hi[i], s));
}

/* Of a division by s >= 1. */
static void
division_bounds(ilex_context *ctx, bool remainder, const ix_bounds *a,
                const ix_lin *s, ix_bounds *b)
{
    bool positive = false;
    if (remainder) {
        ix_bounds_lo(b, ix_lin_const(ctx, 0));
        ix_bounds_hi(b, ix_lin_try_offset(ctx, s, -1));
    }
    for (int i = 0; i < a->nlo; i++) {
        positive |= nonneg(ctx, a->lo[i]);
        if (!remainder)
            ix_bounds_lo(b, quotient_bound(ctx, a->lo[i], s, false));
    }
    for (int i = 0; i < a->nhi; i++)
        if (!remainder)
            ix_bounds_hi(b, quotient_bound(ctx, a->hi[i], s, true));
        else if (positive)
            ix_bounds_hi(b, a->hi[i]);
}

void
ix_by_size_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                  ix_bounds *b)
{
    ix_bounds a;
    ix_frame_sizes sizes;
    const ix_lin *s = ix_index_to_lin(ctx, x->ops[1]);
    ix_op op = ix_op_of(x);
    ix_index_bounds(ctx, frame, x->ops[0], &a);
    ix_frame_enter(ctx, frame, &sizes);
    if (s && op == IX_OP_MULTIPLY)
        product_bounds(ctx, &a, s, b);
    else if (s && nonneg(ctx, ix_lin_try_offset(ctx, s, -1)))
        division_bounds(ctx, op == IX_OP_REMAINDER, &a, s, b);
    else if (op == IX_OP_REMAINDER && nonneg(ctx, s)) {
        ix_bounds_lo(b, ix_lin_const(ctx, 0));
        ix_bounds_hi(b, s);
    }
    ix_frame_leave(ctx, &sizes);
}

/* ---- what isl is told, and what it answers ---- */

/* (x - low)*(y - low) >= 0 for the factor "i" of product "p" and the others,
 * linear in the product; false if that says no more than p >= 0. */
bool
ix_product_fact(ilex_context *ctx, int32_t p, int i, const ix_lin **fact)
{
    enum { MOST = 1 << 30 };
    int32_t x = ctx->param[p].factor[i], y = ix_param_without(ctx, p, i);
    int64_t a = ix_param_low(ctx, x), b = ix_param_low(ctx, y);
    if ((a == 0 && b == 0) || a > MOST || b > MOST)
        return false;
    const ix_lin *f = ix_lin_param(ctx, p);
    f = ix_lin_try_fma(ctx, f, -a, ix_lin_param(ctx, y));
    f = ix_lin_try_fma(ctx, f, -b, ix_lin_param(ctx, x));
    *fact = ix_lin_try_offset(ctx, f, a * b);
    return *fact != NULL;
}

bool
ix_affine_is_opaque(ilex_context *ctx, const ilex_array *e, const ix_lin *lo,
                    const ix_lin *hi)
{
    return ix_index_has_by_size(e) || ix_lin_has_product(ctx, lo) ||
           ix_lin_has_product(ctx, hi);
}

/* The value of a size at a sample; false if it is not part of it. */
static bool
sample_size(const ix_sample *s, int32_t param, int64_t *value)
{
    for (int i = 0; i < s->nsizes; i++)
        if (s->size[i].param == param) {
            *value = s->size[i].value;
            return true;
        }
    return false;
}

/* Does the sample show what it is asked for: are its products those of its
 * sizes, and is nothing else opaque? */
bool
ix_sample_is_real(const ilex_context *ctx, const ilex_array *e,
                  const ix_sample *s)
{
    bool real = !ix_index_has_by_size(e);
    for (int i = 0; real && i < s->nsizes; i++) {
        const ix_param *p = &ctx->param[s->size[i].param];
        int64_t product = 1, v;
        for (int k = 0; real && k < p->degree; k++)
            real = sample_size(s, p->factor[k], &v) &&
                   ix_mul(product, v, &product);
        real = real && product == s->size[i].value;
    }
    return real;
}

/* ---- reads that a run checks ---- */

/* Loads with an index by sizes that is not known to be inside. */
typedef struct relaxation {
    ilex_array *const *operands;
    ix_map found;
} relaxation;

/* Is "index" affine, but not shown to be on axis "ax"? */
static bool
is_open(ix_walk *w, const ilex_array *index, const ix_axis *ax)
{
    ix_sample sample;
    return ix_index_is_affine(index) &&
           ix_affine_is_opaque(w->ctx, index, ax->lo, ax->hi) &&
           ix_access_within(w->ctx, &w->frame, index, ax->lo, ax->hi,
                            &sample) == IX_UNKNOWN;
}

static ix_walk_step
find_open(ix_walk *w, ilex_array *n, size_t *value)
{
    relaxation *r = w->user;
    size_t open = 0;
    (void)value;
    for (int k = 0; n->kind == IX_LOAD && k < n->nops; k++)
        if (is_open(w, n->ops[k], &r->operands[n->attr[0]]->valid->ax[k]))
            open |= (size_t)1 << k;
    size_t *known = open ? ix_map_find(&r->found, n) : NULL;
    if (known)
        *known |= open;
    else if (open && !ix_map_set(&r->found, &w->ctx->mem, n, open))
        return IX_WALK_END;
    return IX_WALK_IN;
}

/* The load with its open indices checked. */
static ilex_array *
check_open(void *user, ilex_array *load, ilex_array *const *index)
{
    relaxation *r = user;
    const size_t *open = ix_map_find(&r->found, load);
    ilex_context *ctx = load->ctx;
    ilex_array *checked[ILEX_MAX_RANK];
    if (!open)
        return NULL;
    for (int k = 0; k < load->nops; k++) {
        const ix_axis *ax = &r->operands[load->attr[0]]->valid->ax[k];
        checked[k] = *open >> k & 1 ? ix_scalar_checked(ctx, index[k], k,
                                                        ax->lo, ax->hi, false)
                                    : index[k];
    }
    return ix_scalar_load(ctx, (ilex_dtype)load->dtype, (int)load->attr[0],
                          load->nops, checked);
}

ilex_array *
ix_access_relax(ilex_context *ctx, const ix_domain *box, ilex_array *body,
                ilex_array *const *operands)
{
    relaxation r = {.operands = operands};
    ix_walk w = {.ctx = ctx,
                 .frames = IX_WALK_REDUCTIONS | IX_WALK_GUARDS,
                 .within = IX_HAS_LOAD,
                 .frame.box = box,
                 .enter = find_open,
                 .user = &r};
    bool ok = ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    if (ok && r.found.count) {
        ix_substitution s = {.ctx = ctx, .load = check_open, .user = &r};
        body = ix_substitute(&s, body);
        ix_substitution_free(&s);
    }
    ix_map_free(&r.found, &ctx->mem);
    return ok ? body : ix_poison_again(ctx);
}
