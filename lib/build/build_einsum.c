/* SPDX-License-Identifier: MIT
 *
 * The constructor of einsum: ranges of labels, the result's domain, and the
 * attributes: labels by first appearance and the path (einsum_path.c).
 */
#include "lib/build/einsum.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

#include <stdio.h>

/* "axis I" */
static const char *
called(const ilex_context *ctx, int32_t name, char text[static 80])
{
    snprintf(text, 80, name ? "axis %.70s" : "an axis without a name",
             name ? ix_symbol_text(ctx, name) : "");
    return text;
}

/* Joins one operand's axis into its label's range. */
static bool
join_label(ilex_context *ctx, ix_label_axes *all, int label, const ix_axis *in,
           const ix_axis *valid)
{
    ix_axis *have = &all->interior[label];
    if (!all->used[label]) {
        all->used[label] = true;
        *have = *in;
        all->valid[label] = *valid;
        return true;
    }
    if (have->name != in->name) {
        char a[80], b[80];
        return ix_fail_false(&ctx->error, ILEX_E_EINSUM,
                             "einsum: one label stands for %s and %s",
                             called(ctx, have->name, a),
                             called(ctx, in->name, b));
    }
    if (in->name) {
        ix_axis *v = &all->valid[label];
        have->lo = ix_meet_bounds(ctx, "einsum", in->name, have->lo, in->lo, 0);
        have->hi = ix_meet_bounds(ctx, "einsum", in->name, have->hi, in->hi, 1);
        v->lo = ix_meet_bounds(ctx, "einsum", in->name, v->lo, valid->lo, 0);
        v->hi = ix_meet_bounds(ctx, "einsum", in->name, v->hi, valid->hi, 1);
        return have->lo && have->hi && v->lo && v->hi;
    }
    if (ix_lin_is(have->hi, 1))
        *have = all->valid[label] = *in;
    if (ix_lin_is(in->hi, 1) || ix_lin_same(ctx, have->hi, in->hi))
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_EINSUM,
                         "einsum: one label stands for the lengths %s and %s, "
                         "which are not known to be equal",
                         ix_lin_show(ctx, have->hi).s,
                         ix_lin_show(ctx, in->hi).s);
}

/* A label repeated inside one operand (a diagonal) needs equal lengths. */
static bool
check_diagonals(ilex_context *ctx, const ilex_array *x, const ix_labels *l)
{
    for (int k = 0; k < l->n; k++)
        for (int j = 0; j < k; j++)
            if (l->label[j] == l->label[k] &&
                !ix_lin_same(ctx, x->interior->ax[j].hi, x->interior->ax[k].hi))
                return ix_fail_false(
                    &ctx->error, ILEX_E_EINSUM,
                    "einsum: axes %d and %d of one operand carry the same "
                    "label and have lengths %s and %s",
                    j, k, ix_lin_show(ctx, x->interior->ax[j].hi).s,
                    ix_lin_show(ctx, x->interior->ax[k].hi).s);
    return true;
}

static bool
join_operand(ilex_context *ctx, ix_label_axes *all, int number,
             const ilex_array *x, const ix_labels *l)
{
    if (l->n != ix_rank(x))
        return ix_fail_false(
            &ctx->error, ILEX_E_EINSUM,
            "einsum: operand %d has %d axes and %d labels%s", number,
            ix_rank(x), l->n,
            l->n < ix_rank(x) ? "; '...' stands for those without" : "");
    for (int k = 0; k < l->n; k++)
        if (!join_label(ctx, all, l->label[k], &x->interior->ax[k],
                        &x->valid->ax[k]))
            return false;
    return check_diagonals(ctx, x, l);
}

/* Are the operands known on the axes that are summed? */
static bool
check_known(ilex_context *ctx, const ix_einsum *e)
{
    uint64_t kept = ix_labels_set(&e->result);
    for (int i = 0; i < e->count; i++) {
        const ix_labels *l = &e->labels[i];
        uint32_t summed = 0;
        for (int k = 0; k < l->n; k++)
            if (!(kept >> l->label[k] & 1))
                summed |= (uint32_t)1 << k;
        if (!ix_field_known(ctx, "einsum", e->operand[i], summed))
            return false;
    }
    return true;
}

/* The result's domains; a label may occur once and must be known. */
static bool
result_domains(ilex_context *ctx, const ix_label_axes *all, const ix_labels *l,
               const ix_domain **interior, const ix_domain **valid)
{
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    for (int k = 0; k < l->n; k++) {
        for (int j = 0; j < k; j++)
            if (l->label[j] == l->label[k])
                return ix_fail_false(
                    &ctx->error, ILEX_E_EINSUM,
                    "einsum: axes %d and %d of the result carry the same label",
                    j, k);
        if (!all->used[l->label[k]])
            return ix_fail_false(&ctx->error, ILEX_E_EINSUM,
                                 "einsum: axis %d of the result carries a "
                                 "label that no operand has",
                                 k);
        in[k] = all->interior[l->label[k]];
        va[k] = all->valid[l->label[k]];
    }
    *interior = ix_domain_new(ctx, l->n, in);
    *valid = ix_domain_new(ctx, l->n, va);
    return *interior && *valid &&
           ix_build_check_names(ctx, "einsum", *interior);
}

/* The label with canonical number "t": i, j, k, ... z, a, ... h, A, ... Z. */
static int
canonical_label(int t)
{
    int i = 26 + 'i' - 'a';
    return t < 18 ? i + t : t < 26 ? 26 + t - 18 : t < 52 ? t - 26 : t;
}

/* Labels by first appearance in the operands, so that "ij,jk->ik" and
 * "ab,bc->ac" are one node; returns how many there are. */
static int
canonical_labels(int count, const ix_labels *labels, int *number)
{
    int next = 0;
    memset(number, -1, IX_EINSUM_LABELS * sizeof *number);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < labels[i].n; k++)
            if (number[labels[i].label[k]] < 0)
                number[labels[i].label[k]] = canonical_label(next++);
    return next;
}

static int
put_labels(int64_t *attr, int at, const ix_labels *l, const int *number)
{
    for (int k = 0; k < l->n; k++)
        attr[at++] = number[l->label[k]];
    return at;
}

ilex_array *
ix_einsum_node(ilex_context *ctx, const ix_einsum *e, ilex_dtype dtype,
               const ix_domain *interior, const ix_domain *valid)
{
    int64_t attr[3 + ILEX_MAX_RANK * (ILEX_MAX_RANK + 1) + IX_PATH_STEPS];
    int number[IX_EINSUM_LABELS], n = 3;
    canonical_labels(e->count, e->labels, number);
    attr[0] = (int64_t)e->acc;
    attr[1] = e->rounded;
    attr[2] = e->result.n;
    n = put_labels(attr, n, &e->result, number);
    for (int i = 0; i < e->count; i++)
        n = put_labels(attr, n, &e->labels[i], number);
    for (int i = 0; i < e->path.n; i++)
        attr[n++] = e->path.step[i];
    ix_node_spec spec = {.kind = IX_EINSUM,
                         .dtype = dtype,
                         .interior = interior,
                         .valid = valid,
                         .nops = e->count,
                         .ops = e->operand,
                         .nattr = n,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}

static const int64_t *
get_labels(const int64_t *attr, int n, ix_labels *l)
{
    l->n = n;
    for (int k = 0; k < n; k++)
        l->label[k] = (int)*attr++;
    return attr;
}

void
ix_einsum_read(const ilex_array *n, ix_einsum *e)
{
    const int64_t *at = n->attr + 3, *end = n->attr + n->nattr;
    e->acc = (ilex_dtype)n->attr[0];
    e->rounded = n->attr[1] != 0;
    e->count = n->nops;
    at = get_labels(at, (int)n->attr[2], &e->result);
    for (int i = 0; i < n->nops; i++) {
        e->operand[i] = n->ops[i];
        at = get_labels(at, ix_rank(n->ops[i]), &e->labels[i]);
    }
    e->path.n = 0;
    while (at < end)
        e->path.step[e->path.n++] = (int)*at++;
}

bool
ix_einsum_axes(ilex_context *ctx, const ix_einsum *e, ix_label_axes *all)
{
    memset(all, 0, sizeof *all);
    for (int i = 0; i < e->count; i++)
        if (!join_operand(ctx, all, i, e->operand[i], &e->labels[i]))
            return false;
    return true;
}

/* One product of all operands sums over few enough labels. */
static bool
check_summed(ilex_context *ctx, const ix_einsum *e)
{
    int number[IX_EINSUM_LABELS];
    int summed = canonical_labels(e->count, e->labels, number) - e->result.n;
    if (e->path.n || summed <= ILEX_MAX_RANK)
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_LIMIT,
                         "einsum: %d labels are summed over; at most %d can "
                         "be, so contract some operands first",
                         summed, ILEX_MAX_RANK);
}

/* The path that is given, or the best one. */
static bool
set_path(ilex_context *ctx, ix_einsum *e, const ix_einsum_path *path)
{
    if (!path || e->count < 3) {
        ix_einsum_choose(ctx, e, &e->path);
        return check_summed(ctx, e);
    }
    e->path = *path;
    if (ix_einsum_path_fits(e))
        return true;
    return ix_fail_false(
        &ctx->error, ILEX_E_RANK,
        "einsum: a product in parentheses has, or sums over, more than %d "
        "axes; group the operands in another way, or leave the parentheses out",
        ILEX_MAX_RANK);
}

ilex_dtype
ix_einsum_acc(ilex_dtype factors, ilex_dtype dtype)
{
    ilex_dtype both = ilex_dtype_promote(factors, dtype);
    /* i64 and u64 meet in f64, which lacks digits; sums of integers, which
     * wrap, are the same in any dtype as wide as the result. */
    bool integers = ix_dtype_is_integer(factors) && ix_dtype_is_integer(dtype);
    return integers && !ix_dtype_is_integer(both) ? dtype : ix_dtype_loop(both);
}

ilex_dtype
ix_einsum_sum(int count, ilex_array *const *factor, ilex_dtype acc)
{
    bool complex = false;
    for (int i = 0; i < count; i++)
        complex |= ix_dtype_is_complex((ilex_dtype)factor[i]->dtype);
    return complex ? acc : ix_dtype_part(acc);
}

ilex_array *
ix_build_einsum(ilex_context *ctx, const ix_labels *result, int count,
                const ix_labels *labels, ilex_array *const *operands,
                const ix_einsum_request *request)
{
    ix_label_axes all;
    ix_einsum e = {.result = *result, .count = count};
    const ix_domain *interior, *valid;
    if (count < 1 || count > ILEX_MAX_RANK)
        return ix_poison(ctx, "einsum", -1, ILEX_E_EINSUM,
                         "einsum: %d operands; 1 to %d are possible", count,
                         ILEX_MAX_RANK);
    for (int i = 0; i < count; i++) {
        if (ix_is_poison(operands[i]))
            return ctx->poison;
        e.operand[i] = operands[i];
        e.labels[i] = labels[i];
    }
    if (!ix_einsum_dots(ctx, &e) ||
        !ix_resolve_literals(ctx, "einsum", 0, count, e.operand))
        return ctx->poison;
    ilex_dtype factors = ix_common_dtype(count, e.operand),
               dtype = request->dtype ? *request->dtype : factors;
    e.acc = request->acc ? ix_dtype_loop(*request->acc)
                         : ix_einsum_acc(factors, dtype);
    e.rounded = request->rounded && count > 1 && !ix_dtype_is_exact(e.acc);
    const ix_env *proof = ix_proof_open(ctx);
    bool ok = ix_einsum_axes(ctx, &e, &all) && check_known(ctx, &e) &&
              result_domains(ctx, &all, &e.result, &interior, &valid) &&
              set_path(ctx, &e, request->path);
    return ix_proof_close(ctx, proof,
                          ok ? ix_einsum_node(ctx, &e, dtype, interior, valid)
                             : ix_poison_again(ctx));
}
