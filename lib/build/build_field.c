/* SPDX-License-Identifier: MIT
 *
 * Constructors about domains: inputs, indices, shift, lambdas.
 */
#include "lib/build/build.h"
#include "lib/graph/counted.h"
#include "lib/shape/access.h"
#include "lib/shape/broadcast.h"

/* ---- leaves ---- */

static ix_axis
everywhere(ilex_context *ctx, int32_t name)
{
    return (ix_axis){name, ix_lin_const(ctx, -IX_UNBOUNDED),
                     ix_lin_const(ctx, IX_UNBOUNDED)};
}

const ix_domain *
ix_build_grow(ilex_context *ctx, const char *name, const ix_domain *interior,
              const int64_t *halo)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < interior->rank; k++) {
        if (halo[2 * k] == IX_HALO_AUTO) {
            ax[k] = everywhere(ctx, interior->ax[k].name);
            continue;
        }
        if (halo[2 * k] < 0 || halo[2 * k + 1] < 0) {
            ix_poison(ctx, "input", -1, ILEX_E_ARGUMENT,
                      "input %s: halo %lld:%lld of axis %d is negative", name,
                      (long long)halo[2 * k], (long long)halo[2 * k + 1], k);
            return NULL;
        }
        ax[k] = interior->ax[k];
        ax[k].lo = ix_lin_offset(ctx, ax[k].lo, -halo[2 * k]);
        ax[k].hi = ix_lin_offset(ctx, ax[k].hi, halo[2 * k + 1]);
    }
    return ix_domain_new(ctx, interior->rank, ax);
}

bool
ix_build_check_names(ilex_context *ctx, const char *what, const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++) {
        const ix_axis *ax = &dom->ax[k];
        if ((ax->name != 0) != (dom->ax[0].name != 0))
            return ix_fail_false(&ctx->error, ILEX_E_AXIS,
                                 "%s: [%s] mixes named and unnamed axes", what,
                                 ix_domain_show(ctx, dom).s);
        if (ax->name && ix_domain_find(dom, ax->name) != k)
            return ix_fail_false(&ctx->error, ILEX_E_DUPLICATE,
                                 "%s: axis %s appears twice in [%s]", what,
                                 ix_symbol_text(ctx, ax->name),
                                 ix_domain_show(ctx, dom).s);
        if (!ax->name && !ix_lin_is(ax->lo, 0))
            return ix_fail_false(
                &ctx->error, ILEX_E_SHAPE,
                "%s: unnamed axis %d starts at %s; unnamed axes start at 0",
                what, k, ix_lin_show(ctx, ax->lo).s);
    }
    return !ix_domain_has_partners(ctx, what, dom);
}

/* As above, and of a length >= 0. */
static bool
check_axes(ilex_context *ctx, const char *what, const ix_domain *dom)
{
    return ix_build_check_names(ctx, what, dom) &&
           ix_domain_check_extents(ctx, what, dom);
}

/* Is a bound of an input given, not counted by the run, which comes later, nor,
 * if "solved", found by no shape? */
static bool
check_bound(ilex_context *ctx, const char *what, const ix_domain *dom,
            const ix_lin *a, bool solved)
{
    for (int32_t i = 0; i < a->n; i++) {
        if (!ix_is_counted(ctx, a->t[i].param))
            continue;
        return ix_fail_false(
            &ctx->error, ILEX_E_SIZE,
            "input %s: its domain [%s] depends on %s, which the run counts; an "
            "input has sizes that are given",
            what, ix_domain_show(ctx, dom).s,
            ix_param_name(ctx, a->t[i].param));
    }
    if (!solved || !ix_lin_has_extremum(ctx, a))
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_UNSUPPORTED,
                         "input %s: its domain [%s] has a min or max, for "
                         "which shapes are not solved; give the bound a size "
                         "of its own, for example size q, and assume q == %s",
                         what, ix_domain_show(ctx, dom).s,
                         ix_lin_show(ctx, a).s);
}

static bool
check_given(ilex_context *ctx, const char *what, const ix_domain *dom,
            bool solved)
{
    bool ok = true;
    for (int k = 0; ok && k < dom->rank; k++)
        ok = check_bound(ctx, what, dom, dom->ax[k].lo, solved) &&
             check_bound(ctx, what, dom, dom->ax[k].hi, solved);
    return ok;
}

static ilex_array *
make_input(ilex_context *ctx, const char *name, size_t length, ilex_dtype dtype,
           const ix_domain *interior, const int64_t *halo, bool solved)
{
    if (!interior || !ix_name_check(&ctx->error, "input", name, length))
        return ix_poison_again(ctx);
    if ((unsigned)dtype >= ILEX_NDTYPES)
        return ix_poison(ctx, "input", -1, ILEX_E_DTYPE,
                         "input %.*s: %d is not a dtype", (int)length, name,
                         (int)dtype);
    int64_t attr = ix_symbol_of(ctx, name, length);
    if (attr < 0)
        return ix_poison_again(ctx);
    const char *what = ix_symbol_text(ctx, (int32_t)attr);
    const ix_domain *valid =
        halo ? ix_build_grow(ctx, what, interior, halo) : interior;
    bool is_auto = halo && interior->rank && halo[0] == IX_HALO_AUTO;
    if (!valid || !check_given(ctx, what, interior, solved) ||
        !check_axes(ctx, what, interior) ||
        !(is_auto || ix_domain_check_extents(ctx, what, valid)))
        return ix_poison_again(ctx);
    ix_node_spec spec = {.kind = IX_INPUT,
                         .dtype = dtype,
                         .interior = interior,
                         .valid = valid,
                         .nattr = 1,
                         .attr = &attr};
    return ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_build_input(ilex_context *ctx, const char *name, size_t length,
               ilex_dtype dtype, const ix_domain *interior, const int64_t *halo)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(
        ctx, proof, make_input(ctx, name, length, dtype, interior, halo, true));
}

ilex_array *
ix_build_parameter(ilex_context *ctx, const char *name, size_t length,
                   ilex_dtype dtype, const ix_domain *interior,
                   const int64_t *halo)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(
        ctx, proof,
        make_input(ctx, name, length, dtype, interior, halo, false));
}

ilex_array *
ix_build_received(ilex_context *ctx, const char *name, ilex_dtype dtype,
                  const ix_domain *interior, const ix_domain *valid)
{
    int64_t symbol = ix_symbol_of(ctx, name, strlen(name));
    ix_node_spec spec = {.kind = IX_INPUT,
                         .dtype = dtype,
                         .interior = interior,
                         .valid = valid,
                         .nattr = 1,
                         .attr = &symbol};
    return symbol < 0 || !interior ? ix_poison_again(ctx)
                                   : ix_node_scoped(ctx, &spec);
}

ilex_array *
ix_build_copied(ilex_array *x, const ix_domain *dom, int first)
{
    ilex_context *ctx = x->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, first + k);
    return ix_node_lambda(
        ctx, dom, dom,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index), 1, &x);
}

ilex_array *
ix_build_index(ilex_context *ctx, int32_t axis)
{
    ix_axis ax = everywhere(ctx, axis);
    const ix_domain *dom = ix_domain_new(ctx, 1, &ax);
    return ix_node_lambda(ctx, dom, dom, ix_scalar_index(ctx, 0), 0, NULL);
}

/* ---- shift ---- */

static const ix_domain *
translate(ilex_context *ctx, const ix_domain *dom, const int64_t *offset)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        bool everywhere = ix_lin_is(ax[k].lo, -IX_UNBOUNDED) &&
                          ix_lin_is(ax[k].hi, IX_UNBOUNDED);
        if (everywhere)
            continue;
        ax[k].lo = ix_lin_offset(ctx, ax[k].lo, -offset[k]);
        ax[k].hi = ix_lin_offset(ctx, ax[k].hi, -offset[k]);
    }
    return ix_domain_new(ctx, dom->rank, ax);
}

ilex_array *
ix_read_scalar(ilex_context *ctx, ilex_array *x, ilex_array *const *index,
               int *slots)
{
    if (x->kind == IX_LAMBDA && x->nops == 1 && !x->env &&
        !(x->ops[0]->flags & IX_HAS_REDUCE)) {
        ix_substitution s = {
            .ctx = ctx, .index = index, .nindex = x->interior->rank};
        ilex_array *body = ix_substitute(&s, x->ops[0]);
        ix_substitution_free(&s);
        return body;
    }
    *slots = 1;
    return ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, x->interior->rank,
                          index);
}

ilex_array *
ix_build_shift(ilex_context *ctx, ilex_array *x, const int64_t *offset)
{
    if (ix_is_poison(x) || ix_rank(x) == 0)
        return x;
    ilex_array *index[ILEX_MAX_RANK];
    bool moves = false;
    for (int k = 0; k < x->interior->rank; k++) {
        index[k] = ix_index_offset(ctx, ix_scalar_index(ctx, k), offset[k]);
        moves |= offset[k] != 0;
        if (offset[k] > IX_UNBOUNDED || offset[k] < -IX_UNBOUNDED)
            return ix_poison(ctx, "shift", 0, ILEX_E_OVERFLOW,
                             "shift: offset %lld is too large",
                             (long long)offset[k]);
    }
    if (!moves)
        return x;
    int slots = 0;
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *body = ix_read_scalar(ctx, x, index, &slots);
    const ix_domain *valid = translate(ctx, x->valid, offset);
    return ix_proof_close(
        ctx, proof, ix_node_lambda(ctx, x->interior, valid, body, slots, &x));
}

/* "I+1/2" for "I" and the other way round; -1 when there is no memory. */
static int32_t
partner_of(ilex_context *ctx, int32_t axis)
{
    char text[80];
    const char *name = ix_symbol_text(ctx, axis);
    size_t n = strcspn(name, "+");
    bool staggered = name[n] != 0;
    memcpy(text, name, n);
    memcpy(text + n, "+1/2", 4);
    return ix_symbol_of(ctx, text, n + (staggered ? 0 : 4));
}

int64_t
ix_stagger(ilex_context *ctx, const ix_axis *ax, int64_t halves, int32_t *name)
{
    bool staggered = strchr(ix_symbol_text(ctx, ax->name), '+');
    *name = 0;
    if (halves % 2 == 0)
        return halves / 2;
    *name = partner_of(ctx, ax->name);
    return (halves + (staggered ? 1 : -1)) / 2;
}

ilex_array *
ix_build_shift_halves(ilex_context *ctx, ilex_array *x, int k, int64_t halves)
{
    int64_t offset[ILEX_MAX_RANK] = {0};
    ilex_array *index[ILEX_MAX_RANK];
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    int32_t name = 0;
    if (halves > IX_UNBOUNDED || halves < -IX_UNBOUNDED)
        return ix_poison(ctx, "shift", 0, ILEX_E_OVERFLOW,
                         "shift: %lld halves are too many", (long long)halves);
    offset[k] = -ix_stagger(ctx, &x->interior->ax[k], -halves, &name);
    if (name == 0)
        return ix_build_shift(ctx, x, offset);
    const ix_domain *valid = translate(ctx, x->valid, offset);
    if (!valid || name < 0)
        return ix_poison_again(ctx);
    for (int j = 0; j < ix_rank(x); j++) {
        in[j] = x->interior->ax[j];
        va[j] = valid->ax[j];
        index[j] = ix_index_offset(ctx, ix_scalar_index(ctx, j), offset[j]);
    }
    in[k].name = va[k].name = name;
    int slots = 0;
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *body = ix_read_scalar(ctx, x, index, &slots);
    return ix_proof_close(
        ctx, proof,
        ix_node_lambda(ctx, ix_domain_new(ctx, ix_rank(x), in),
                       ix_domain_new(ctx, ix_rank(x), va), body, slots, &x));
}

/* ---- lambdas of the user ---- */

static bool
same_axes(const ix_domain *a, const ix_domain *b)
{
    bool same = a->rank == b->rank;
    for (int k = 0; same && k < a->rank; k++)
        same = a->ax[k].name == b->ax[k].name;
    return same;
}

/* The lambda, its reads proved on "valid". */
static ilex_array *
proved_lambda(ilex_context *ctx, const char *what, const ix_domain *interior,
              const ix_domain *valid, ilex_array *body, int noperands,
              ilex_array *const *operands)
{
    if (noperands > IX_LAMBDA_OPERANDS)
        return ix_poison(ctx, "lambda", -1, ILEX_E_LIMIT,
                         "%s: reads %d arrays; at most %d", what, noperands,
                         (int)IX_LAMBDA_OPERANDS);
    for (int i = 0; i < noperands; i++)
        if (ix_is_poison(operands[i]))
            return ctx->poison;
    if (ix_is_weak(body))
        body = ix_scalar_cast(ctx, (ilex_dtype)body->dtype, body);
    body = ix_access_relax(ctx, valid, body, operands);
    if (ix_is_poison(body) ||
        !ix_access_check_body(ctx, what, valid, body, operands))
        return ix_poison_again(ctx);
    return ix_node_lambda(ctx, interior, valid, body, noperands, operands);
}

ilex_array *
ix_build_lambda(ilex_context *ctx, const char *what, const ix_domain *dom,
                ilex_array *body, int noperands, ilex_array *const *operands)
{
    if (!dom || ix_is_poison(body))
        return ix_poison_again(ctx);
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(
        ctx, proof,
        check_axes(ctx, what, dom)
            ? proved_lambda(ctx, what, dom, dom, body, noperands, operands)
            : ix_poison_again(ctx));
}

static ilex_array *
wide_lambda(ilex_context *ctx, const char *what, const ix_domain *interior,
            const ix_domain *valid, ilex_array *body, int noperands,
            ilex_array *const *operands)
{
    if (!interior || !valid || ix_is_poison(body) ||
        !ix_build_check_names(ctx, what, interior) ||
        !ix_build_check_names(ctx, what, valid) ||
        !ix_domain_check_numbers(ctx, what, interior) ||
        !ix_domain_check_numbers(ctx, what, valid))
        return ix_poison_again(ctx);
    if (!same_axes(interior, valid))
        return ix_poison(ctx, "lambda", -1, ILEX_E_AXIS,
                         "%s: valid(%s) has other axes than [%s]", what,
                         ix_domain_show(ctx, valid).s,
                         ix_domain_show(ctx, interior).s);
    return proved_lambda(ctx, what, interior, valid, body, noperands, operands);
}

ilex_array *
ix_build_wide_lambda(ilex_context *ctx, const char *what,
                     const ix_domain *interior, const ix_domain *valid,
                     ilex_array *body, int noperands,
                     ilex_array *const *operands)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(
        ctx, proof,
        wide_lambda(ctx, what, interior, valid, body, noperands, operands));
}
