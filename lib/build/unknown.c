/* SPDX-License-Identifier: MIT
 *
 * E401 of fields: what is read too far is followed down to the read that leaves
 * its operand, over reads whose boxes are known, and a read that data guards is
 * proposed a value.
 */
#include "lib/build/unknown.h"

#include <stdio.h>

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
            ix_access_report(ctx, what, path, x, k, NULL, box, &sample);
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

static bool
known_on_itself(ilex_context *ctx, const ilex_array *x)
{
    for (int k = 0; k < ix_rank(x); k++)
        if (!ix_axis_inside(ctx, &x->interior->ax[k], &x->valid->ax[k]))
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
            ix_access_report(ctx, what, path, operand, k, load->ops[k], box,
                             &sample);
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

/* ---- the way down ---- */

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

void
ix_report_unknown(ilex_context *ctx, const char *what, const ilex_array *x,
                  const ix_domain *box)
{
    guarded_read guarded = {.in_branch = false};
    follow(ctx, what, x, box, &guarded);
    propose_value(ctx, &guarded);
}
