/* SPDX-License-Identifier: MIT
 *
 * Scans: recurrences along an axis. They are built in two steps. First a SELF
 * stands for each result, and the results are written over them with the
 * constructors of any array. Then the scan closes: what depends on a SELF is
 * brought into one body, a read of a SELF some levels before becomes a CARRY,
 * one of a result listed before at the same level that result's own body. So
 * the graph has no cycle, and equal scans are one node.
 */
#include "lib/build/scan.h"

#include "lib/graph/repeats.h"

#include "lib/ops/dtype.h"
#include "lib/shape/access.h"

#include <stdio.h>

/* ---- selves ---- */

/* Where a SELF may be read while the scan is built: anywhere along named axes,
 * where a shift and its guard are different arrays. Where it is read is asked
 * when it closes. */
static const ix_domain *
everywhere(ilex_context *ctx, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        if (!ax[k].name)
            continue;
        ax[k].lo = ix_lin_const(ctx, -IX_UNBOUNDED);
        ax[k].hi = ix_lin_const(ctx, IX_UNBOUNDED);
    }
    return ix_domain_new(ctx, dom->rank, ax);
}

static ilex_array *
make_self(ilex_context *ctx, ilex_dtype dtype, const ix_domain *dom,
          const ix_domain *valid, const int64_t *attr)
{
    ix_node_spec spec = {.kind = IX_SELF,
                         .dtype = dtype,
                         .interior = dom,
                         .valid = valid,
                         .nattr = 3,
                         .attr = attr};
    return valid ? ix_node_scoped(ctx, &spec) : ix_poison_again(ctx);
}

static ilex_array *
build_self(ilex_context *ctx, int32_t name, ilex_dtype dtype, bool untyped,
           const ix_domain *dom)
{
    int64_t attr[3] = {ctx->serial++, name, untyped};
    if (!dom || !ix_domain_check_extents(ctx, "scan", dom))
        return ix_poison_again(ctx);
    if ((unsigned)dtype >= ILEX_NDTYPES)
        return ix_poison(ctx, "scan", -1, ILEX_E_DTYPE, "scan: %d is no dtype",
                         (int)dtype);
    if (dom->rank == 0)
        return ix_poison(ctx, "scan", -1, ILEX_E_RANK,
                         "scan: a result has an axis at least, along which it "
                         "is computed");
    return make_self(ctx, dtype, dom, everywhere(ctx, dom), attr);
}

ilex_array *
ix_build_self(ilex_context *ctx, int32_t name, ilex_dtype dtype, bool untyped,
              const ix_domain *dom)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof,
                          build_self(ctx, name, dtype, untyped, dom));
}

ilex_array *
ix_self_inside(ilex_array *self)
{
    return make_self(self->ctx, (ilex_dtype)self->dtype, self->interior,
                     self->interior, self->attr);
}

/* ---- closing ---- */

/* A scan that closes. Bodies in the making read slots of "operand", SELFs among
 * them. */
typedef struct closing {
    ilex_context *ctx;
    const ix_scan_spec *spec;
    const ix_domain *dom;
    ix_map flat; /* of an array: its body, itself if it depends on no SELF */
    ilex_array **operand;
    size_t noperands, capacity;
    int depth; /* arrays that "flatten" is in */
    int result;
    ilex_array **body; /* of the results closed so far */
} closing;

/* The result that a SELF stands for, -1 for another array. */
static int
result_of(const closing *c, const ilex_array *n)
{
    for (int i = 0; n->kind == IX_SELF && i < c->spec->count; i++)
        if (c->spec->self[i] == n)
            return i;
    return -1;
}

static const char *
self_name(const ilex_array *self)
{
    return self->attr[1] ? ix_symbol_text(self->ctx, (int32_t)self->attr[1])
                         : "a result";
}

static const char *
name_of(const closing *c, int result)
{
    return self_name(c->spec->self[result]);
}

/* The slot of "array", a new one if it has none; -1: no memory. */
static int
slot_of(closing *c, ilex_array *array)
{
    for (size_t i = 0; i < c->noperands; i++)
        if (c->operand[i] == array)
            return (int)i;
    if (!ix_mem_grow(&c->ctx->mem, &c->operand, &c->capacity, c->noperands + 1,
                     sizeof *c->operand))
        return -1;
    c->operand[c->noperands] = array;
    return (int)c->noperands++;
}

/* ---- one body of many arrays ---- */

/* The array whose body is being copied. */
typedef struct inliner {
    closing *c;
    const ilex_array *user;
} inliner;

static ilex_array *flatten(closing *c, ilex_array *n);

static ilex_array *
refuse(closing *c, const ilex_array *n)
{
    return ix_poison(c->ctx, "scan", -1, ILEX_E_UNSUPPORTED,
                     "scan: a result reads itself through `%s`; only "
                     "element-wise operations, shifts and map may stand in "
                     "between",
                     ix_node_text(n));
}

/* A load of the user's operand: its body there if it depends on a SELF. */
static ilex_array *
inline_load(void *user, ilex_array *load, ilex_array *const *index)
{
    inliner *in = user;
    closing *c = in->c;
    ilex_array *x = in->user->ops[load->attr[0] + 1];
    ilex_array *body = result_of(c, x) < 0 ? flatten(c, x) : x;
    if (ix_is_poison(body))
        return body;
    if (body == x) {
        int slot = slot_of(c, x);
        return slot < 0 ? ix_poison_again(c->ctx)
                        : ix_scalar_load(c->ctx, (ilex_dtype)load->dtype, slot,
                                         load->nops, index);
    }
    if (body->flags & in->user->ops[0]->flags & IX_HAS_REDUCE)
        return ix_poison(c->ctx, "scan", -1, ILEX_E_UNSUPPORTED,
                         "scan: a reduction over a reduction that reads a "
                         "result is not supported");
    ix_substitution s = {.ctx = c->ctx, .index = index, .nindex = load->nops};
    body = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return body;
}

static ilex_array *inline_index(void *user, ilex_array *load,
                                ilex_array *const *index);

/* Its body over the scan's operands; of what is made of its indices alone, over
 * these. */
static ilex_array *
copy_body(closing *c, ilex_array *n, bool indices)
{
    inliner in = {c, n};
    ix_substitution s = {.ctx = c->ctx,
                         .load = indices ? inline_index : inline_load,
                         .user = &in};
    ilex_array *body = ix_proof_use(c->ctx, n->env)
                           ? ix_substitute(&s, n->ops[0])
                           : ix_poison_again(c->ctx);
    ix_substitution_free(&s);
    return body;
}

/* ---- conditions on levels ---- */

enum { SMALL = 6 }; /* arrays of indices: how deep they nest */

/* Is "n" made of its indices alone? */
static bool
is_index_only(const ilex_array *n, int depth)
{
    bool index = n->kind == IX_LAMBDA && depth > 0 &&
                 !(n->ops[0]->flags & IX_HAS_REDUCE);
    for (int i = 1; index && i < n->nops; i++)
        index = is_index_only(n->ops[i], depth - 1);
    return index;
}

/* A condition on indices that rests on assumptions is an array that is read,
 * and would guard nothing. */
static bool
is_condition(const ilex_array *n)
{
    return n->dtype == ILEX_BOOL && n->env && is_index_only(n, SMALL);
}

static ilex_array *
inline_index(void *user, ilex_array *load, ilex_array *const *index)
{
    const inliner *in = user;
    ilex_array *body = copy_body(in->c, in->user->ops[load->attr[0] + 1], true);
    ix_substitution s = {
        .ctx = in->c->ctx, .index = index, .nindex = load->nops};
    if (!ix_is_poison(body))
        body = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return body;
}

/* ---- bodies ---- */

/* What "n" depends on: 1 if on a SELF of this scan, 0 if not, -1 after an
 * error. Of a loop what it begins with is asked: no SELF stands in its steps.
 */
static int
depends(closing *c, ilex_array *n)
{
    if (!(n->flags & IX_HAS_SELF))
        return 0;
    bool loop = n->kind == IX_LOOP;
    int from = loop ? ix_repeat_carries(n) : 0;
    int end = loop ? 2 * from : ix_operand_count(n);
    for (int i = from; i < end; i++) {
        ilex_array *operand = ix_operand(n, i);
        if (result_of(c, operand) >= 0)
            return 1;
        ilex_array *x = flatten(c, operand);
        if (ix_is_poison(x))
            return -1;
        if (x != operand && !is_condition(operand))
            return 1;
    }
    return 0;
}

/* What stands for an array that depends on no SELF: itself, or a condition. */
static ilex_array *
unread(closing *c, ilex_array *n)
{
    return is_condition(n) ? copy_body(c, n, true) : n;
}

/* The body of an array that depends on a SELF, or of a condition, else the
 * array. */
static ilex_array *
flatten(closing *c, ilex_array *n)
{
    const size_t *known = ix_map_find(&c->flat, n);
    if (known)
        return (ilex_array *)*known;
    if (c->depth == IX_BUILD_DEPTH)
        return ix_poison(c->ctx, "scan", -1, ILEX_E_LIMIT,
                         "scan: more than %d arrays between a result and what "
                         "it reads",
                         (int)IX_BUILD_DEPTH);
    c->depth++;
    int found = depends(c, n);
    ilex_array *r = found < 0              ? ix_poison_again(c->ctx)
                    : found == 0           ? unread(c, n)
                    : n->kind == IX_LAMBDA ? copy_body(c, n, false)
                                           : refuse(c, n);
    c->depth--;
    if (!ix_map_set(&c->flat, &c->ctx->mem, n, (size_t)r))
        return ix_poison_again(c->ctx);
    return r;
}

/* The body of result "i" on the scan's domain. */
static ilex_array *
whole_body(closing *c, int i)
{
    ilex_array *index[ILEX_MAX_RANK], *x = c->spec->value[i];
    x = ix_build_restrict(c->ctx, name_of(c, i), x, c->dom);
    if (ix_is_poison(x))
        return x;
    ilex_array *body = flatten(c, x);
    if (body != x)
        return body;
    int slot = slot_of(c, x);
    for (int k = 0; k < c->dom->rank; k++)
        index[k] = ix_scalar_index(c->ctx, k);
    return slot < 0 ? ix_poison_again(c->ctx)
                    : ix_scalar_load(c->ctx, (ilex_dtype)x->dtype, slot,
                                     c->dom->rank, index);
}

/* ---- reads of selves ---- */

/* How many levels before its own a SELF is read; false if at other indices, or
 * not a constant number. */
static bool
levels_before(const closing *c, const ilex_array *load, int64_t *levels)
{
    const ix_scan_spec *spec = c->spec;
    for (int k = 0; k < load->nops; k++) {
        int axis;
        int64_t offset;
        if (!ix_index_is_shift(load->ops[k], &axis, &offset) || axis != k ||
            (k != spec->axis && offset != 0))
            return false;
        if (k == spec->axis)
            *levels = spec->backward ? offset : -offset;
    }
    return true;
}

static ilex_array *
refuse_read(closing *c, int result, const char *why, const char *remedy)
{
    const ix_scan_spec *spec = c->spec;
    const int32_t *called = c->ctx->called;
    const char *axis = ix_symbol_text(
        c->ctx, called ? called[spec->axis] : c->dom->ax[spec->axis].name);
    char k[80];
    if (*axis)
        snprintf(k, sizeof k, "%s", axis);
    else
        snprintf(k, sizeof k, "_%d", spec->axis);
    return ix_poison(
        c->ctx, "scan", -1, ILEX_E_ARGUMENT,
        "scan: %s reads %s %s; a %s scan reads a result at the same point, a "
        "constant number of levels %s: %s%c1 instead of %s%s",
        name_of(c, c->result), name_of(c, result), why,
        spec->backward ? "backward" : "forward",
        spec->backward ? "behind" : "before", k, spec->backward ? '+' : '-', k,
        remedy);
}

/* A read at the same level is the body of that result, which is listed before;
 * others are as they should be. */
static ilex_array *
same_level(void *user, ilex_array *load, ilex_array *const *index)
{
    closing *c = user;
    int64_t levels = 0;
    int result = result_of(c, c->operand[load->attr[0]]);
    (void)index;
    if (result < 0)
        return NULL;
    if (!levels_before(c, load, &levels))
        return refuse_read(
            c, result, "at other indices",
            c->dom->rank == 1
                ? ""
                : "; what reads other points of the level before is a loop, "
                  "which carries whole arrays");
    if (levels < 0)
        return refuse_read(c, result, "at a level that comes later", "");
    if (levels == 0 && result >= c->result)
        return refuse_read(c, result,
                           "at the same level, where it is not known yet "
                           "(results listed before are)",
                           "");
    return levels == 0 ? c->body[result] : NULL;
}

/* All results in one body, over selves. */
static ilex_array *
tuple_of_bodies(closing *c)
{
    for (c->result = 0; c->result < c->spec->count; c->result++) {
        ix_substitution s = {.ctx = c->ctx, .load = same_level, .user = c};
        ilex_array *body = whole_body(c, c->result);
        if (!ix_is_poison(body))
            body = ix_substitute(&s, body);
        ix_substitution_free(&s);
        if (ix_is_poison(body))
            return body;
        c->body[c->result] = body;
    }
    return ix_scalar_tuple(c->ctx, c->spec->count, c->body);
}

/* Shows that no read leaves its array; of a SELF, the domain of the scan. */
static bool
prove(closing *c, ilex_array *tuple)
{
    ilex_context *ctx = c->ctx;
    ilex_array **as = ix_mem_new(&ctx->mem, (c->noperands + 1) * sizeof *as);
    if (!as)
        return false;
    bool ok = true;
    for (size_t i = 0; i < c->noperands; i++) {
        as[i] = c->operand[i];
        if (result_of(c, as[i]) >= 0)
            as[i] = ix_self_inside(as[i]);
        ok = ok && !ix_is_poison(as[i]);
    }
    ok = ok && ix_access_check_body(ctx, "scan", c->dom, tuple, as);
    ix_mem_free(&ctx->mem, as);
    return ok;
}

/* Operands in the order in which the bodies meet them. */
typedef struct numbering {
    closing *c;
    ilex_array **operand;
    size_t n, capacity;
} numbering;

static ilex_array *
carry_or_renumber(void *user, ilex_array *load, ilex_array *const *index)
{
    numbering *m = user;
    closing *c = m->c;
    int64_t levels = 0;
    ilex_array *x = c->operand[load->attr[0]];
    int result = result_of(c, x);
    if (result >= 0) {
        levels_before(c, load, &levels);
        return ix_scalar_carry(c->ctx, (ilex_dtype)load->dtype, result, levels);
    }
    size_t slot = 0;
    while (slot < m->n && m->operand[slot] != x)
        slot++;
    if (slot == m->n) {
        if (!ix_mem_grow(&c->ctx->mem, &m->operand, &m->capacity, m->n + 1,
                         sizeof *m->operand))
            return ix_poison_again(c->ctx);
        m->operand[m->n++] = x;
    }
    return ix_scalar_load(c->ctx, (ilex_dtype)load->dtype, (int)slot,
                          load->nops, index);
}

ilex_array *
ix_scan_node(ilex_context *ctx, const ix_scan_spec *spec, const ix_domain *dom,
             ilex_array *tuple, int n, ilex_array *const *operands)
{
    int64_t attr[3] = {spec->axis, spec->backward, spec->chunks};
    if (!dom || ix_is_poison(tuple))
        return ix_poison_again(ctx);
    if (n > IX_LAMBDA_OPERANDS)
        return ix_poison(ctx, "scan", -1, ILEX_E_LIMIT,
                         "scan: reads %d arrays; at most %d", n,
                         (int)IX_LAMBDA_OPERANDS);
    ilex_array **ops = ix_mem_new(&ctx->mem, ((size_t)n + 1) * sizeof *ops);
    if (!ops)
        return ix_poison_again(ctx);
    ops[0] = tuple;
    for (int i = 0; i < n; i++)
        ops[i + 1] = operands[i];
    ix_node_spec node = {.kind = IX_SCAN,
                         .dtype = ILEX_BOOL,
                         .interior = dom,
                         .valid = dom,
                         .nops = n + 1,
                         .ops = ops,
                         .nattr = 3,
                         .attr = attr};
    ilex_array *r = ix_node_scoped(ctx, &node);
    ix_mem_free(&ctx->mem, ops);
    return r;
}

static ilex_array *
finish(closing *c, ilex_array *tuple)
{
    numbering m = {.c = c};
    ix_substitution s = {.ctx = c->ctx, .load = carry_or_renumber, .user = &m};
    ilex_array *r = ix_substitute(&s, tuple);
    ix_substitution_free(&s);
    r = ix_scan_node(c->ctx, c->spec, c->dom, r, (int)m.n, m.operand);
    ix_mem_free(&c->ctx->mem, m.operand);
    return r;
}

/* ---- the constructor ---- */

/* Have the selves one domain, with the axis, and the values their dtypes? */
static bool
check_spec(ilex_context *ctx, const ix_scan_spec *spec)
{
    for (int i = 0; i < spec->count; i++) {
        const ilex_array *self = spec->self[i], *value = spec->value[i];
        if (ix_is_poison(self) || ix_is_poison(value)) {
            ix_poison_again(ctx);
            return false;
        }
        if (self->kind != IX_SELF)
            return ix_poison_false(
                ctx, "scan", i, ILEX_E_ARGUMENT,
                "scan: result %d does not come from ilex_scan_self", i);
        if (self->interior != spec->self[0]->interior)
            return ix_poison_false(
                ctx, "scan", i, ILEX_E_SHAPE,
                "scan: the results of one scan have one domain");
        if (spec->chunks &&
            (spec->count > 1 || ix_dtype_is_exact((ilex_dtype)self->dtype)))
            return ix_poison_false(
                ctx, "scan", i, ILEX_E_ARGUMENT,
                "scan: one result that is rounded is chunked, a floating or "
                "complex one; here there %s; leave out%s",
                spec->count > 1 ? "are several" : "is one of integers",
                ix_combining_text(spec->chunks));
        if (self->dtype != value->dtype)
            return ix_poison_false(
                ctx, "scan", i, ILEX_E_DTYPE,
                "scan: %s is %s, but its value is %s; convert it: %s(...)",
                self_name(self), ilex_dtype_name((ilex_dtype)self->dtype),
                ilex_dtype_name((ilex_dtype)value->dtype),
                ilex_dtype_name((ilex_dtype)self->dtype));
        if (!ix_proof_use(ctx, self->env))
            return false;
    }
    return true;
}

static ilex_array *
build_scan(ilex_context *ctx, const ix_scan_spec *spec)
{
    if (!check_spec(ctx, spec))
        return ix_poison_again(ctx);
    closing c = {.ctx = ctx, .spec = spec};
    c.dom = spec->self[0]->interior;
    c.body = ix_mem_new(&ctx->mem, (size_t)spec->count * sizeof *c.body);
    ilex_array *r =
        c.dom && c.body ? tuple_of_bodies(&c) : ix_poison_again(ctx);
    if (!ix_is_poison(r))
        r = prove(&c, r) ? finish(&c, r) : ix_poison_again(ctx);
    ix_map_free(&c.flat, &ctx->mem);
    ix_mem_free(&ctx->mem, c.operand);
    ix_mem_free(&ctx->mem, c.body);
    return r;
}

ilex_array *
ix_build_scan(ilex_context *ctx, const ix_scan_spec *spec)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, build_scan(ctx, spec));
}
