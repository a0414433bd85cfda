/* SPDX-License-Identifier: MIT
 *
 * Where fields are known: restrict, and the question whether a field is known
 * on its own domain. What is read too far is followed down to the read that
 * leaves its operand.
 */
#include <stdio.h>
#include <string.h>

#include "lib/build/build.h"
#include "lib/graph/annotation.h"
#include "lib/ops/dtype.h"
#include "lib/shape/access.h"
#include "lib/shape/broadcast.h"

/* The axis along which a box that is read from "x" by way of "path" leaves it,
 * reported. */
static void
explain(ilex_context *ctx, const char *what, const ix_access_path *path,
        const ilex_array *x, const ix_domain *box)
{
    ix_frame frame = {.box = box};
    for (int k = 0; k < box->rank; k++) {
        const ix_axis *ax = &x->valid->ax[k];
        ix_sample sample;
        if (ix_access_within(ctx, &frame, ix_scalar_index(ctx, k), ax->lo,
                             ax->hi, &sample) == IX_NO) {
            ix_access_report(ctx, what, path, x, k, box, &sample);
            return;
        }
    }
}

/* The smallest box, by first candidates, that "load" reads over "box". */
static const ix_domain *
image_box(ilex_context *ctx, const ix_domain *box, const ilex_array *load,
          const ilex_array *operand)
{
    ix_frame frame = {.box = box};
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < load->nops; k++) {
        ix_bounds b;
        ix_index_bounds(ctx, &frame, load->ops[k], &b);
        if (!b.nlo || !b.nhi)
            return NULL;
        ax[k].name = operand->valid->ax[k].name;
        ax[k].lo = b.lo[0];
        ax[k].hi = ix_lin_offset(ctx, b.hi[0], 1);
    }
    return ix_domain_new(ctx, load->nops, ax);
}

/* Looks for a load that leaves its operand. */
typedef struct leaving {
    const ilex_array *lambda, *load;
} leaving;

static ix_walk_step
find_leaving(ix_walk *w, ilex_array *n, size_t *value)
{
    leaving *x = w->user;
    (void)value;
    if (n->kind == IX_REDUCE)
        return IX_WALK_OVER;
    if (n->kind != IX_LOAD)
        return IX_WALK_IN;
    const ix_domain *valid = x->lambda->ops[n->attr[0] + 1]->valid;
    ix_sample sample;
    for (int k = 0; k < n->nops && !x->load; k++)
        if (ix_access_within(w->ctx, &w->frame, n->ops[k], valid->ax[k].lo,
                             valid->ax[k].hi, &sample) == IX_NO)
            x->load = n;
    return x->load ? IX_WALK_END : IX_WALK_OVER;
}

/* The first load in the body of "x" that leaves its operand over "box"; NULL
 * if there is none. */
static const ilex_array *
leaving_load(ilex_context *ctx, const ilex_array *x, const ix_domain *box)
{
    leaving found = {.lambda = x};
    ix_walk w = {.ctx = ctx,
                 .within = IX_HAS_LOAD,
                 .frame.box = box,
                 .enter = find_leaving,
                 .user = &found};
    if (x->kind == IX_LAMBDA)
        ix_walk_body(&w, x->ops[0], NULL);
    ix_walk_free(&w);
    return found.load;
}

/* Does "a" lie inside "b", as far as that can be shown? */
static bool
within(ilex_context *ctx, const ix_axis *a, const ix_axis *b)
{
    return ix_lin_le(ctx, b->lo, a->lo) == IX_YES &&
           ix_lin_le(ctx, a->hi, b->hi) == IX_YES;
}

static bool
known_on_itself(ilex_context *ctx, const ilex_array *x)
{
    for (int k = 0; k < ix_rank(x); k++)
        if (!within(ctx, &x->interior->ax[k], &x->valid->ax[k]))
            return false;
    return true;
}

/* One more read further down; of a long path the upper end is left out. */
static void
go_down(ix_access_path *path, const ilex_array *reader)
{
    if (path->n == IX_ACCESS_PATH) {
        memmove(path->reader, path->reader + 1,
                (IX_ACCESS_PATH - 1) * sizeof *path->reader);
        path->n--;
    }
    path->reader[path->n++] = reader;
}

/* Puts first what makes less known than it is itself: the lowest reader that is
 * not known on its own domain, else the lowest of all. */
static void
blame(ilex_context *ctx, ix_access_path *path)
{
    ix_access_path sorted = {.n = path->n};
    int guilty = path->n - 1;
    while (guilty > 0 && known_on_itself(ctx, path->reader[guilty]))
        guilty--;
    if (path->n && known_on_itself(ctx, path->reader[guilty]))
        guilty = path->n - 1;
    for (int i = path->n - 1, n = 1; i >= 0; i--)
        sorted.reader[i == guilty ? 0 : n++] = path->reader[i];
    *path = sorted;
}

/* The loads of "x", one of which leaves its operand over "box", reported. */
static void
report_load(ilex_context *ctx, const char *what, ix_access_path *path,
            const ilex_array *x, const ilex_array *load, const ix_domain *box)
{
    const ilex_array *operand = x->ops[load->attr[0] + 1];
    ix_frame frame = {.box = box};
    for (int k = 0; k < load->nops; k++) {
        const ix_axis *ax = &operand->valid->ax[k];
        ix_sample sample;
        if (ix_access_within(ctx, &frame, load->ops[k], ax->lo, ax->hi,
                             &sample) == IX_NO) {
            blame(ctx, path);
            ix_access_report(ctx, what, path, operand, k, box, &sample);
            return;
        }
    }
}

/* ---- reads that data guards ---- */

/* Of "n": does it contain the load (1), in a branch of a `where` (2)? */
static bool
note_branch(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    *value = n == w->user;
    for (int i = 0; i < n->nops; i++) {
        *value |= operand[i];
        bool branch = n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE && i > 0;
        *value |= branch ? operand[i] << 1 & 2 : 0;
    }
    return true;
}

/* Stands "load" in a branch of a `where` in the body of "x"? */
static bool
is_in_branch(ilex_context *ctx, const ilex_array *x, const ilex_array *load)
{
    size_t found = 0;
    ix_walk w = {.ctx = ctx,
                 .within = IX_HAS_LOAD,
                 .leave = note_branch,
                 .user = (void *)(uintptr_t)load};
    ix_walk_body(&w, x->ops[0], &found);
    ix_walk_free(&w);
    return found & 2;
}

/* A field that is read from a branch of a `where`: the last `where` on the way
 * down, and the shift behind it. */
typedef struct guarded_read {
    bool in_branch;
    const ilex_array *load, *operand; /* NULL: no shift yet */
} guarded_read;

static void
note_guarded(ilex_context *ctx, guarded_read *r, const ilex_array *x,
             const ilex_array *load, bool moves)
{
    if (is_in_branch(ctx, x, load))
        *r = (guarded_read){.in_branch = true};
    if (moves && r->in_branch && !r->load) {
        r->load = load;
        r->operand = x->ops[load->attr[0] + 1];
    }
}

/* Adds how the read gets a value where there is none: "x0[K-1; 0.0]". */
static void
propose_value(ilex_context *ctx, const guarded_read *r)
{
    const ilex_array *x = r->operand;
    int32_t name = !x                    ? 0
                   : x->kind == IX_INPUT ? (int32_t)x->attr[0]
                                         : ix_name_get(x);
    bool plain = name && ix_domain_named(x->valid);
    char shift[160] = "";
    size_t n = 0;
    for (int k = 0; plain && k < r->load->nops && n < sizeof shift; k++) {
        int at;
        int64_t by;
        plain = ix_index_is_shift(r->load->ops[k], &at, &by);
        if (plain && by)
            n += (size_t)snprintf(
                shift + n, sizeof shift - n, "%s%s%+lld", n ? ", " : "",
                ix_symbol_text(ctx, x->valid->ax[k].name), (long long)by);
    }
    size_t end = strlen(ctx->error.text);
    if (plain && n > 0 && n < sizeof shift)
        snprintf(ctx->error.text + end, sizeof ctx->error.text - end,
                 "; a condition on data guards no read: give it a value where "
                 "there is none, %s[%s; %s]",
                 ix_symbol_text(ctx, name), shift,
                 x->dtype == ILEX_BOOL                       ? "false"
                 : ix_dtype_is_integer((ilex_dtype)x->dtype) ? "0"
                                                             : "0.0");
}

/* ---- reports ---- */

/* Follows reads from "x" over "box" down to what is too small, and names the
 * arrays on the way whose reads lead there. */
static void
follow(ilex_context *ctx, const char *what, const ilex_array *x,
       const ix_domain *box, guarded_read *guarded)
{
    ix_access_path path = {.n = 0};
    ix_error_mark before = ix_errors_mark(&ctx->error);
    for (const ilex_array *load; (load = leaving_load(ctx, x, box)) != NULL;) {
        const ilex_array *operand = x->ops[load->attr[0] + 1];
        const ix_domain *read = image_box(ctx, box, load, operand);
        if (read != box)
            go_down(&path, x);
        note_guarded(ctx, guarded, x, load, read != box);
        if (!read || operand->kind == IX_INPUT)
            report_load(ctx, what, &path, x, load, box);
        if (!read || ix_errors_since(&ctx->error, before))
            return;
        x = operand;
        box = read;
    }
    blame(ctx, &path);
    explain(ctx, what, &path, x, box);
    if (ix_errors_since(&ctx->error, before))
        return;
    ix_fail(&ctx->error, ILEX_E_BOUNDS,
            "%s: [%s] is not inside [%s], where the operand is known", what,
            ix_domain_show(ctx, box).s, ix_domain_show(ctx, x->valid).s);
}

static void
report_restrict(ilex_context *ctx, const char *what, const ilex_array *x,
                const ix_domain *box)
{
    guarded_read guarded = {.in_branch = false};
    follow(ctx, what, x, box, &guarded);
    propose_value(ctx, &guarded);
}

/* Where axis "j" of "x" is in a domain that x is broadcast to; -1: it lacks. */
static int
partner(const ilex_array *x, const ix_domain *dom, int j)
{
    const ix_axis *ax = &x->valid->ax[j];
    return ax->name ? ix_domain_find(dom, ax->name)
                    : dom->rank - x->valid->rank + j;
}

/* What is read of "x" by one on "dom": a box on the axes of x, in its order. */
static const ix_domain *
read_box(ilex_context *ctx, const ilex_array *x, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int j = 0; j < ix_rank(x); j++) {
        int k = partner(x, dom, j);
        ax[j] = k < 0 ? x->valid->ax[j] : dom->ax[k];
    }
    return ix_domain_new(ctx, ix_rank(x), ax);
}

/* Reports that "dom" lacks an axis of "x", with the one that it has half a cell
 * away in its place. */
static bool
report_lack(ilex_context *ctx, const char *what, const ilex_array *x,
            int32_t name, const ix_domain *dom)
{
    const char *axis = name ? ix_symbol_text(ctx, name) : "(unnamed)";
    char remedy[120] = "";
    for (int k = 0; name && k < dom->rank; k++)
        if (dom->ax[k].name && ix_axes_are_partners(ctx, name, dom->ax[k].name))
            snprintf(remedy, sizeof remedy,
                     "; write %s, or move the value by half a cell", axis);
    ix_fail(&ctx->error, ILEX_E_AXIS,
            "%s: [%s] lacks axis %s of the operand [%s]%s", what,
            ix_domain_show(ctx, dom).s, axis,
            ix_domain_show(ctx, x->interior).s, remedy);
    return false;
}

/* Does "dom" lie inside x's readable domain? Reports when not. */
static bool
check_inside(ilex_context *ctx, const char *what, ilex_array *x,
             const ix_domain *dom)
{
    for (int j = 0; j < ix_rank(x); j++) {
        const ix_axis *have = &x->valid->ax[j];
        int k = partner(x, dom, j);
        if (k < 0)
            return report_lack(ctx, what, x, have->name, dom);
        if ((!have->name && ix_lin_is(have->hi, 1)) ||
            within(ctx, &dom->ax[k], have))
            continue;
        if (!have->name && dom->rank == x->valid->rank &&
            !ix_lin_same(ctx, dom->ax[k].hi, have->hi) &&
            ix_lin_le(ctx, dom->ax[k].hi, have->hi) != IX_YES) {
            ix_fail(&ctx->error, ILEX_E_SHAPE,
                    "%s: axis %d has length %s, but the value has %s", what, k,
                    ix_lin_show(ctx, dom->ax[k].hi).s,
                    ix_lin_show(ctx, have->hi).s);
            return false;
        }
        report_restrict(ctx, what, x, read_box(ctx, x, dom));
        return false;
    }
    return true;
}

/* x on a domain of no fewer axes, which may be read on "valid" around it. */
static ilex_array *
restricted(ilex_context *ctx, const char *what, ilex_array *x,
           const ix_domain *dom, const ix_domain *valid)
{
    if (!ix_build_check_names(ctx, what, dom) ||
        !ix_domain_check_extents(ctx, what, dom) ||
        !check_inside(ctx, what, x, valid))
        return ix_poison_again(ctx);
    if (!ix_is_array(x))
        return ix_node_lambda(ctx, dom, valid, x, 0, NULL);
    ilex_array *index[ILEX_MAX_RANK];
    ix_broadcast_indices(ctx, dom, x, index);
    int slots = 0;
    ilex_array *body = ix_read_scalar(ctx, x, index, &slots);
    return ix_node_lambda(ctx, dom, valid, body, slots, &x);
}

/* One of "dom" and x has names of axes, the other none. */
static ilex_array *
named_otherwise(ilex_context *ctx, const char *what, const ilex_array *x,
                const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    bool same = dom->rank == ix_rank(x);
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        ax[k].name = same ? x->interior->ax[k].name : 0;
        same = same && (ax[k].name || ix_lin_is(ax[k].lo, 0));
    }
    const ix_domain *named = same ? ix_domain_new(ctx, dom->rank, ax) : NULL;
    return ix_poison(ctx, "restrict", 0, ILEX_E_AXIS,
                     named ? "%s: [%s] and the value's [%s] differ in whether "
                             "axes are named; write [%s]"
                           : "%s: [%s] and the value's [%s] differ in whether "
                             "axes are named",
                     what, ix_domain_show(ctx, dom).s,
                     ix_domain_show(ctx, x->interior).s,
                     named ? ix_domain_show(ctx, named).s : "");
}

/* The same after the checks that need no proof; x itself if it is that. */
static ilex_array *
restrict_to(ilex_context *ctx, const char *what, ilex_array *x,
            const ix_domain *dom, const ix_domain *valid)
{
    if (ix_is_poison(x) || !dom || !valid)
        return ix_poison_again(ctx);
    if (ix_is_weak(x))
        x = ix_scalar_cast(ctx, (ilex_dtype)x->dtype, x);
    if (ix_is_array(x) && x->interior == dom && x->valid == valid)
        return x;
    if (dom->rank > 0 && ix_rank(x) > 0 &&
        ix_domain_named(dom) != ix_domain_named(x->interior))
        return named_otherwise(ctx, what, x, dom);
    if (dom->rank < ix_rank(x))
        return ix_poison(ctx, "restrict", 0, ILEX_E_RANK,
                         "%s: [%s] has fewer axes than the value's [%s]", what,
                         ix_domain_show(ctx, dom).s,
                         ix_domain_show(ctx, x->interior).s);
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, restricted(ctx, what, x, dom, valid));
}

ilex_array *
ix_build_restrict(ilex_context *ctx, const char *what, ilex_array *x,
                  const ix_domain *dom)
{
    return restrict_to(ctx, what, x, dom, dom);
}

ilex_array *
ix_build_with_halo(ilex_context *ctx, const char *what, ilex_array *x,
                   const ix_domain *dom, const int64_t *halo)
{
    return restrict_to(ctx, what, x, dom, ix_build_grow(ctx, what, dom, halo));
}

/* ---- known on its own domain ---- */

/* Adds which part of axis "k" of x is known, if that can be said. */
static void
propose_part(ilex_context *ctx, const ilex_array *x, int k)
{
    const ix_axis *in = &x->interior->ax[k], *known = &x->valid->ax[k];
    const ix_lin *lo = ix_lin_max(ctx, in->lo, known->lo);
    const ix_lin *hi = ix_lin_min(ctx, in->hi, known->hi);
    size_t n = strlen(ctx->error.text);
    if (lo && hi)
        snprintf(ctx->error.text + n, sizeof ctx->error.text - n,
                 "; on [%s] it is known for %s=%s:%s only: take that part, or "
                 "give what it reads a halo",
                 ix_domain_show(ctx, x->interior).s,
                 ix_symbol_text(ctx, in->name), ix_lin_show(ctx, lo).s,
                 ix_lin_show(ctx, hi).s);
}

bool
ix_field_known(ilex_context *ctx, const char *what, const ilex_array *x,
               uint32_t axes)
{
    if (!ix_is_array(x) || x->interior == x->valid)
        return true;
    for (int k = 0; k < ix_rank(x); k++) {
        if (!(axes >> k & 1) ||
            within(ctx, &x->interior->ax[k], &x->valid->ax[k]))
            continue;
        report_restrict(ctx, what, x, x->interior);
        propose_part(ctx, x, k);
        return false;
    }
    return true;
}

ilex_array *
ix_field_known_part(ilex_context *ctx, const char *what, ilex_array *x)
{
    if (ix_is_poison(x) || x->interior == x->valid)
        return x;
    const ix_env *proof = ix_proof_open(ctx);
    const ix_domain *part = ix_domain_meet(ctx, what, x->interior, x->valid);
    return ix_proof_close(
        ctx, proof,
        part == x->interior ? x : ix_build_restrict(ctx, what, x, part));
}
