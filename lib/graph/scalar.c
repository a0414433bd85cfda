/* SPDX-License-Identifier: MIT
 *
 * Scalar expressions: constructors and rewriting.
 */
#include "lib/graph/scalar.h"

#include "lib/base/fpenv.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

#define QUIET_NAN 0x7ff8000000000000u

static ilex_array *
constant(ilex_context *ctx, ilex_dtype dtype, ix_value v, bool weak)
{
    int64_t attr[3] = {0, 0, weak};
    bool real = ix_dtype_is_real(ix_dtype_part(dtype));
    if (real && v.f != v.f)
        v.u = QUIET_NAN; /* its payload means nothing */
    if (real && v.im != v.im)
        memcpy(&v.im, &(uint64_t){QUIET_NAN}, sizeof v.im);
    memcpy(attr, &v, sizeof v);
    if (!ix_dtype_is_complex(dtype))
        attr[1] = 0;
    ix_node_spec spec = {
        .kind = IX_CONST, .dtype = dtype, .nattr = 3, .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_const(ilex_context *ctx, ilex_dtype dtype, ix_value v)
{
    return constant(ctx, dtype, v, false);
}

ilex_array *
ix_scalar_weak(ilex_context *ctx, ilex_dtype dtype, ix_value v)
{
    return constant(ctx, dtype, v, true);
}

bool
ix_is_weak(const ilex_array *n)
{
    return n->kind == IX_CONST && n->attr[2];
}

ix_value
ix_const_value(const ilex_array *n)
{
    ix_value v;
    memcpy(&v, n->attr, sizeof v);
    return v;
}

/* A leaf with one attribute and dtype i64. */
static ilex_array *
leaf(ilex_context *ctx, ix_kind kind, int64_t attr)
{
    ix_node_spec spec = {
        .kind = kind, .dtype = ILEX_I64, .nattr = 1, .attr = &attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_size(ilex_context *ctx, int32_t param)
{
    return leaf(ctx, IX_SIZE, param);
}

ilex_array *
ix_scalar_index(ilex_context *ctx, int k)
{
    return leaf(ctx, IX_INDEX, k);
}

bool
ix_scalar_uses_index(const ilex_array *x, int64_t k)
{
    bool uses = x->kind == IX_INDEX && x->attr[0] == k;
    for (int i = 0; i < x->nops && !uses; i++)
        uses = (x->ops[i]->flags & IX_HAS_INDEX) &&
               ix_scalar_uses_index(x->ops[i], k);
    return uses;
}

ilex_array *
ix_scalar_rindex(ilex_context *ctx, int k)
{
    return leaf(ctx, IX_RINDEX, k);
}

ilex_array *
ix_scalar_op(ilex_context *ctx, ix_op op, ilex_dtype loop, ilex_dtype result,
             ilex_array *const *ops)
{
    int64_t attr[2] = {op, loop};
    ix_node_spec spec = {.kind = IX_OP,
                         .dtype = result,
                         .nops = ix_op_info_of(op)->arity,
                         .ops = ops,
                         .nattr = 2,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_apply(ilex_context *ctx, const ix_apply *f, ilex_array *const *ops)
{
    int64_t attr[3] = {f->name, f->declaration, f->cost};
    ix_node_spec spec = {.kind = IX_APPLY,
                         .dtype = f->dtype,
                         .nops = f->noperands,
                         .ops = ops,
                         .nattr = 3,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_cast(ilex_context *ctx, ilex_dtype dtype, ilex_array *x)
{
    if (ix_is_poison(x) || (x->dtype == dtype && !ix_is_weak(x)))
        return x;
    if (x->kind == IX_CONST) {
        ix_value v = ix_const_value(x), r;
        ix_fpenv before = ix_fpenv_enter();
        ix_cast_eval((ilex_dtype)x->dtype, dtype, &v, &r);
        ix_fpenv_leave(before);
        return ix_scalar_const(ctx, dtype, r);
    }
    ix_node_spec spec = {.kind = IX_CAST, .dtype = dtype, .nops = 1, .ops = &x};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_fold(ilex_array *n)
{
    ix_value v[3], r;
    if (n->kind != IX_OP && n->kind != IX_CAST)
        return NULL;
    for (int i = 0; i < n->nops; i++) {
        if (n->ops[i]->kind != IX_CONST)
            return NULL;
        v[i] = ix_const_value(n->ops[i]);
    }
    if (n->kind == IX_CAST)
        return ix_scalar_cast(n->ctx, (ilex_dtype)n->dtype, n->ops[0]);
    ix_fpenv before = ix_fpenv_enter();
    ix_op_eval(ix_op_of(n), ix_loop_of(n), v, &r);
    ix_fpenv_leave(before);
    return ix_scalar_const(n->ctx, (ilex_dtype)n->dtype, r);
}

ilex_array *
ix_scalar_decided(ilex_context *ctx, ilex_array *n)
{
    ix_op op = n->kind == IX_OP ? ix_op_of(n) : IX_OP_ADD;
    if (op == IX_OP_WHERE && n->ops[0]->kind == IX_CONST)
        return n->ops[ix_const_value(n->ops[0]).i ? 1 : 2];
    for (int i = 0; ix_is_logic(n) && i < n->nops; i++) {
        if (n->ops[i]->kind != IX_CONST)
            continue;
        bool v = ix_const_value(n->ops[i]).i != 0;
        if (op == IX_OP_LOGICAL_NOT)
            return ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = !v});
        return v == (op == IX_OP_LOGICAL_AND) ? n->ops[1 - i] : n->ops[i];
    }
    return n;
}

ilex_array *
ix_scalar_load(ilex_context *ctx, ilex_dtype dtype, int slot, int rank,
               ilex_array *const *index)
{
    ilex_array *normal[ILEX_MAX_RANK];
    for (int k = 0; k < rank; k++)
        normal[k] = ix_index_normal(ctx, index[k]);
    int64_t attr = slot;
    ix_node_spec spec = {.kind = IX_LOAD,
                         .dtype = dtype,
                         .nops = rank,
                         .ops = normal,
                         .nattr = 1,
                         .attr = &attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_checked_as(ilex_context *ctx, const ix_checked *c)
{
    int64_t attr[4] = {c->axis, c->trusted, c->what, c->of};
    ilex_array *ops[4] = {c->value, c->lo, c->hi, c->at};
    ix_node_spec spec = {.kind = IX_CHECKED,
                         .dtype = ILEX_I64,
                         .nops = c->at ? 4 : 3,
                         .ops = ops,
                         .nattr = 4,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

static bool
is_op(const ilex_array *x, ix_op op)
{
    return x->kind == IX_OP && ix_op_of(x) == op;
}

/* i of where(i < 0, i + length, i); NULL if "x" is none. */
static ilex_array *
counted_from_end(ilex_context *ctx, const ilex_array *x, const ix_lin *length)
{
    if (!is_op(x, IX_OP_WHERE) || !is_op(x->ops[0], IX_OP_LESS) ||
        !is_op(x->ops[1], IX_OP_ADD))
        return NULL;
    const ilex_array *less = x->ops[0], *sum = x->ops[1];
    ilex_array *i = x->ops[2];
    int other = sum->ops[0] == i;
    bool is = less->ops[0] == i && less->ops[1] == ix_index_const(ctx, 0) &&
              sum->ops[!other] == i &&
              sum->ops[other] == ix_index_lin(ctx, length);
    return is ? i : NULL;
}

ilex_array *
ix_scalar_checked(ilex_context *ctx, ilex_array *value, int axis,
                  const ix_lin *lo, const ix_lin *hi, bool trusted)
{
    ilex_array *given = counted_from_end(ctx, value, hi);
    bool is_u64 = value->kind == IX_CAST && value->ops[0]->dtype == ILEX_U64;
    const ix_checked c = {.what = given    ? IX_CHECKED_FROM_END
                                  : is_u64 ? IX_CHECKED_UNSIGNED
                                           : IX_CHECKED_INDEX,
                          .axis = axis,
                          .trusted = trusted,
                          .value = value,
                          .lo = ix_index_lin(ctx, lo),
                          .hi = ix_index_lin(ctx, hi),
                          .at = given};
    return ix_scalar_checked_as(ctx, &c);
}

ilex_array *
ix_scalar_carry(ilex_context *ctx, ilex_dtype dtype, int result, int64_t levels)
{
    int64_t attr[2] = {result, levels};
    ix_node_spec spec = {
        .kind = IX_CARRY, .dtype = dtype, .nattr = 2, .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_tuple(ilex_context *ctx, int n, ilex_array *const *ops)
{
    ix_node_spec spec = {
        .kind = IX_TUPLE, .dtype = ILEX_BOOL, .nops = n, .ops = ops};
    return ix_node_scoped(ctx, &spec);
}

/* Whether a node is made of _r<r>: of no interest above a load that uses it in
 * its last index, and the end of the walk at one that uses it in another. */
static bool
uses_rindex(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    const int64_t *r = w->user;
    int last = n->kind == IX_LOAD ? n->nops - 1 : n->nops;
    *value = n->kind == IX_RINDEX && n->attr[0] == *r;
    for (int i = 0; i < last; i++)
        *value |= operand[i];
    return n->kind != IX_LOAD || !*value;
}

/* Do all loads of "body" that use _r<r> use it in their last index only, and
 * nothing else? */
static bool
last_index_only(ilex_context *ctx, const ilex_array *body, int64_t r)
{
    size_t outside = 0;
    ix_walk w = {
        .ctx = ctx, .within = IX_HAS_RINDEX, .leave = uses_rindex, .user = &r};
    bool ok = ix_walk_body(&w, body, &outside);
    ix_walk_free(&w);
    return ok && !outside;
}

/* Do elements along axis "ax", which is _r<r>, lie side by side, and fill
 * "lanes"? An axis too short for that leaves the vectors to the free indices,
 * where there are any. */
static bool
is_row(ilex_context *ctx, const ilex_array *body, const ix_axis *ax, int64_t r,
       int lanes)
{
    const ix_lin *extent = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    bool brief = extent && extent->n == 0 && extent->c < lanes;
    return !(brief && (body->flags & IX_HAS_INDEX)) &&
           last_index_only(ctx, body, r);
}

/* Does the order of combination change nothing? */
static bool
any_order(ix_reduction reduction, const ilex_array *body)
{
    return ix_dtype_is_exact((ilex_dtype)body->dtype) ||
           ix_reduction_info_of(reduction)->by_index;
}

bool
ix_reduces_row(const ilex_array *n)
{
    const ilex_array *body = n->ops[0];
    int last = n->interior->rank - 1;
    if (ix_lanes_of(n) > 1)
        return true;
    return any_order(ix_reduction_of(n), body) && !ix_is_ranged(n) &&
           last >= 0 &&
           is_row(n->ctx, body, &n->interior->ax[last], n->attr[1] + last,
                  IX_LANE_BYTES /
                      (int)ilex_dtype_bytes((ilex_dtype)body->dtype));
}

/* Lanes of the innermost axis "ax", which is _r<r>. Integers need none; a
 * product of complex numbers and positions have no partial result to start
 * lanes with. */
static int
lanes_of(ilex_context *ctx, ix_reduction reduction, const ilex_array *body,
         const ix_axis *ax, int64_t r)
{
    ilex_dtype acc = (ilex_dtype)body->dtype;
    int lanes = IX_LANE_BYTES / (int)ilex_dtype_bytes(acc);
    if (ix_dtype_is_exact(acc) || ix_reduction_info_of(reduction)->by_index ||
        (reduction == IX_REDUCTION_PROD && ix_dtype_is_complex(acc)) ||
        !is_row(ctx, body, ax, r, lanes))
        return 1;
    return lanes;
}

/* A node over one operand, or over a body and the ends of its range. */
static ilex_array *
reduce_node(ilex_context *ctx, const int64_t *attr, ilex_dtype result,
            const ix_domain *box, int nops, ilex_array *const *ops)
{
    ix_node_spec spec = {.kind = IX_REDUCE,
                         .dtype = result,
                         .interior = box,
                         .nops = nops,
                         .ops = ops,
                         .nattr = 6,
                         .attr = attr};
    return box ? ix_node_scoped(ctx, &spec) : ix_poison_again(ctx);
}

static ilex_array *
reduce(ilex_context *ctx, ix_reduction reduction, ilex_dtype result,
       const ix_domain *box, int first, ilex_array *body, bool total)
{
    if (!box || ix_is_poison(body))
        return ix_poison_again(ctx);
    int last = box->rank - 1;
    int one = any_order(reduction, body) ? IX_CHUNK : IX_CHUNK_ONE;
    int lanes =
        last < 0 ? 1
                 : lanes_of(ctx, reduction, body, &box->ax[last], first + last);
    int64_t attr[] = {reduction,
                      first,
                      lanes,
                      total ? IX_REDUCE_TOTAL : 0,
                      lanes > 1 ? IX_CHUNK_LANES : one,
                      one};
    return reduce_node(ctx, attr, result, box, 1, &body);
}

ilex_array *
ix_scalar_reduce(ilex_context *ctx, ix_reduction reduction, ilex_dtype result,
                 const ix_domain *box, int first, ilex_array *body)
{
    return reduce(ctx, reduction, result, box, first, body, false);
}

ilex_array *
ix_scalar_reduce_total(ilex_context *ctx, ix_reduction reduction,
                       ilex_dtype result, const ix_domain *box, int first,
                       ilex_array *body)
{
    bool total = !ix_reduction_info_of(reduction)->empty;
    return reduce(ctx, reduction, result, box, first, body, total);
}

ilex_array *
ix_scalar_contraction(ilex_context *ctx, ix_reduction reduction,
                      const ix_domain *box, bool chain, ilex_array *body)
{
    if (!box || ix_is_poison(body))
        return ix_poison_again(ctx);
    int last = box->rank - 1, chunk = chain ? IX_CHUNK_CHAIN : IX_CHUNK_LANES;
    int lanes =
        chain ? 1 : lanes_of(ctx, reduction, body, &box->ax[last], last);
    int64_t attr[] = {reduction, 0,    lanes, chain ? IX_REDUCE_CHAIN : 0,
                      chunk,     chunk};
    return reduce_node(ctx, attr, (ilex_dtype)body->dtype, box, 1, &body);
}

ilex_array *
ix_scalar_product(ilex_context *ctx, ilex_dtype acc, ilex_array *const *factors)
{
    ix_node_spec spec = {
        .kind = IX_PRODUCT, .dtype = acc, .nops = 2, .ops = factors};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_scalar_reduce_ranged(ilex_context *ctx, ix_reduction reduction,
                        ilex_dtype result, const ix_domain *box, int first,
                        ilex_array *const *body_lo_hi)
{
    const ilex_array *body = body_lo_hi[0];
    int chunk = any_order(reduction, body) ? IX_CHUNK
                : body->kind == IX_PRODUCT ? IX_CHUNK_CHAIN
                                           : IX_CHUNK_ONE;
    int64_t attr[] = {reduction, first, 1, 0, chunk, 0};
    return reduce_node(ctx, attr, result, box, 3, body_lo_hi);
}

/* ---- rewriting ---- */

static const unsigned ANY = ~0u;

/* A LINEAR node over other atoms. */
static ilex_array *
rebuild_sum(ix_substitution *s, const ilex_array *n, ilex_array *const *ops)
{
    ilex_array *sum = ix_index_const(s->ctx, n->attr[0]);
    for (int i = 0; sum && i < n->nops; i++)
        sum = s->quiet ? ix_index_try_fma(s->ctx, sum, n->attr[i + 1], ops[i])
                       : ix_index_fma(s->ctx, sum, n->attr[i + 1], ops[i]);
    s->too_large |= !sum;
    return sum ? sum : s->ctx->poison;
}

/* A reduction over indices that are numbered higher. */
static ilex_array *
raised(const ix_substitution *s, const ilex_array *n, ilex_array *const *ops)
{
    int64_t attr[6];
    memcpy(attr, n->attr, sizeof attr);
    attr[1] += s->raise;
    ix_node_spec spec = {.kind = IX_REDUCE,
                         .dtype = (ilex_dtype)n->dtype,
                         .interior = n->interior,
                         .nops = n->nops,
                         .ops = ops,
                         .nattr = n->nattr,
                         .attr = attr};
    return ix_node_scoped(s->ctx, &spec);
}

static ilex_array *
rebuild(ix_substitution *s, ilex_array *n, ilex_array *const *ops)
{
    bool same = true;
    if (s->raise && n->kind == IX_REDUCE)
        return raised(s, n, ops);
    for (int i = 0; i < n->nops; i++)
        same &= ops[i] == n->ops[i];
    if (same)
        return n;
    if (n->kind == IX_LINEAR)
        return rebuild_sum(s, n, ops);
    ilex_array *r = ix_with_operands(n, ops);
    return n->dtype == ILEX_I64 && n->kind == IX_OP ? ix_index_normal(s->ctx, r)
                                                    : r;
}

/* Flags of which a node has one that becomes another one. */
static unsigned
changing(const ix_substitution *s)
{
    unsigned f = s->index ? s->set | IX_HAS_INDEX : s->set;
    f |= s->load ? IX_HAS_LOAD : 0u;
    f |= s->rindex || s->raise ? IX_HAS_RINDEX | IX_HAS_REDUCE : 0u;
    return s->rewrite ? ANY : f;
}

/* Indices become what they are replaced by, other leaves stay, and so does what
 * has none of what is replaced. */
static ix_walk_step
substitute_leaf(ix_walk *w, ilex_array *n, size_t *value)
{
    const ix_substitution *s = w->user;
    unsigned flags = changing(s);
    ilex_array *r = n;
    if (flags != ANY && !(n->flags & flags)) {
        *value = (size_t)n;
        return IX_WALK_OVER;
    }
    if (n->nops > 0 || n->kind == IX_LOAD || n->kind == IX_CARRY)
        return IX_WALK_IN;
    if (n->kind == IX_INDEX && s->index && n->attr[0] < s->nindex)
        r = s->index[n->attr[0]];
    int64_t k = n->kind == IX_RINDEX ? n->attr[0] - s->from : -1;
    if (k >= 0 && k < s->nrindex)
        r = s->rindex[k];
    else if (n->kind == IX_RINDEX && s->raise)
        r = ix_scalar_rindex(s->ctx, (int)(n->attr[0] + s->raise));
    *value = (size_t)r;
    return IX_WALK_OVER;
}

/* What "n" with operands "ops" becomes. */
static ilex_array *
substitute_node(ix_substitution *s, ilex_array *n, ilex_array *const *ops)
{
    ilex_array *r =
        n->kind == IX_LOAD && s->load ? s->load(s->user, n, ops) : NULL;
    r = r ? r : rebuild(s, n, ops);
    return s->rewrite && !ix_is_poison(r) ? s->rewrite(s->user, r) : r;
}

/* Was "n" index arithmetic, or a condition on it, and what it became is not?
 * A condition that was decided is neither. */
static bool
outgrew(const ilex_array *n, const ilex_array *r)
{
    return n->weight > 0 && r->weight == 0 &&
           !(r->kind == IX_CONST && r->dtype == ILEX_BOOL);
}

static bool
substitute_interior(ix_walk *w, ilex_array *n, const size_t *operand,
                    size_t *value)
{
    enum { FEW = 32 };
    ix_substitution *s = w->user;
    ilex_array *few[FEW], **ops = few;
    if (n->nops > FEW)
        ops = ix_mem_new(&s->ctx->mem, (size_t)n->nops * sizeof *ops);
    if (!ops)
        return ix_fail_memory_false(&s->ctx->error);
    for (int i = 0; i < n->nops; i++)
        ops[i] = (ilex_array *)operand[i];
    ilex_array *r = substitute_node(s, n, ops);
    if (ops != few)
        ix_mem_free(&s->ctx->mem, ops);
    *value = (size_t)r;
    s->too_large |= outgrew(n, r);
    if (!s->became)
        return true;
    /* who is told may ask for what "n" became: an array of indices is read at
     * indices made of itself */
    if (!ix_map_set(&s->memo, s->mem ? s->mem : &s->ctx->mem, n, (size_t)r))
        return ix_fail_memory_false(&s->ctx->error);
    s->became(s->listener ? s->listener : s->user, n, r);
    return true;
}

ilex_array *
ix_substitute(ix_substitution *s, ilex_array *body)
{
    size_t r;
    s->walk.ctx = s->ctx;
    s->walk.mem = s->mem;
    s->walk.enter = substitute_leaf;
    s->walk.leave = substitute_interior;
    s->walk.user = s;
    s->walk.memo = &s->memo;
    return ix_walk_body(&s->walk, body, &r) ? (ilex_array *)r
                                            : ix_poison_again(s->ctx);
}

void
ix_substitution_forget(ix_substitution *s)
{
    ix_map_clear(&s->memo, s->mem ? s->mem : &s->ctx->mem);
}

void
ix_substitution_set(ix_substitution *s, const ilex_array *from,
                    const ilex_array *to)
{
    const ix_mem *mem = s->mem ? s->mem : &s->ctx->mem;
    s->set |= from->kind == IX_INDEX                         ? IX_HAS_INDEX
              : from->kind == IX_VALUE && from->attr[0] >= 0 ? IX_HAS_VALUE
                                                             : ANY;
    if (!ix_map_set(&s->memo, mem, from, (size_t)to))
        ix_fail_memory(&s->ctx->error);
}

void
ix_substitution_free(ix_substitution *s)
{
    s->walk.ctx = s->ctx;
    s->walk.mem = s->mem;
    ix_walk_free(&s->walk);
    ix_map_free(&s->memo, s->mem ? s->mem : &s->ctx->mem);
}
