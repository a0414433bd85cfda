/* SPDX-License-Identifier: MIT
 *
 * What is said of a read that leaves its operand.
 */
#include <stdio.h>

#include "lib/graph/annotation.h"
#include "lib/shape/access.h"

ix_node_name
ix_access_name(const ilex_array *n)
{
    ix_node_name r;
    int32_t name = n->kind == IX_INPUT  ? (int32_t)n->attr[0]
                   : n->kind == IX_SELF ? (int32_t)n->attr[1]
                                        : ix_name_get(n);
    if (name)
        snprintf(r.s, sizeof r.s, "%s", ix_symbol_text(n->ctx, name));
    else if (n->kind == IX_SELF)
        snprintf(r.s, sizeof r.s, "the scan's result");
    else if (n->kind == IX_LAMBDA)
        snprintf(r.s, sizeof r.s, "the expression");
    else
        snprintf(r.s, sizeof r.s, "the %s", ix_node_text(n));
    return r;
}

static void
axis_label(ilex_context *ctx, const ix_axis *ax, int axis, char *s, size_t size)
{
    if (ax->name)
        snprintf(s, size, "%s", ix_symbol_text(ctx, ax->name));
    else
        snprintf(s, size, "axis %d", axis);
}

/* "i=0, j=2": the point, by index name. */
static void
print_point(ilex_context *ctx, const ix_domain *box, const ix_sample *sample,
            ix_text *t)
{
    for (int k = 0; k < sample->nindex; k++) {
        ix_text_put(t, k ? ", " : "");
        int rank = box ? box->rank : 0;
        int32_t name = k >= rank     ? 0
                       : ctx->called ? ctx->called[k]
                                     : box->ax[k].name;
        if (name)
            ix_text_put(t, ix_symbol_text(ctx, name));
        else
            ix_text_format(t, k < rank ? "_%d" : "_r%d",
                           k < rank ? k : k - rank);
        ix_text_format(t, "=%lld", (long long)sample->index[k]);
    }
}

static void
print_sizes(ilex_context *ctx, const ix_sample *sample, ix_text *t)
{
    const char *before = " (for example ";
    for (int i = 0; i < sample->nsizes; i++) {
        const ix_sample_size *s = &sample->size[i];
        if (ix_param_is_derived(ctx, s->param))
            continue;
        ix_text_format(t, "%s%s=%lld", before, ix_param_name(ctx, s->param),
                       (long long)s->value);
        before = ", ";
    }
    if (sample->nsizes)
        ix_text_char(t, ')');
}

/* "; it is read at p.ilx:4:9 by way of p.ilx:3:9, p.ilx:2:9" */
static void
print_readers(ilex_context *ctx, const ix_access_path *path, ix_text *t)
{
    const char *before = "; it is read at ";
    size_t shown = 0;
    ix_text at;
    ix_text_init(&at, &ctx->mem);
    ix_text_char(&at, '\0');
    for (int i = 0; path && i < path->n; i++) {
        size_t from = at.length;
        ix_location_print(path->reader[i], &at);
        ix_text_char(&at, '\0');
        const char *s = ix_text_string(&at);
        if (!s || !s[from] || !strcmp(s + from, s + shown))
            continue;
        shown = from;
        ix_text_format(t, "%s%s", before, s + from);
        before = before[0] == ';' ? " by way of " : ", ";
    }
    ix_text_free(&at);
}

/* What a number below 0 may mean, if the axis begins at 0. */
static void
print_from_end(ilex_context *ctx, const ilex_array *index, const ix_axis *ax,
               ix_text *t)
{
    bool below = index && index->kind == IX_CONST && index->attr[0] < 0;
    const ix_lin *from_end = below && ix_lin_is(ax->lo, 0)
                                 ? ix_lin_offset(ctx, ax->hi, index->attr[0])
                                 : NULL;
    if (from_end)
        ix_text_format(t, "; counted from the end it is %s",
                       ix_lin_show(ctx, from_end).s);
}

void
ix_access_report(ilex_context *ctx, const char *name,
                 const ix_access_path *path, const ilex_array *operand,
                 int axis, const ilex_array *index, const ix_domain *box,
                 const ix_sample *sample)
{
    const ix_axis *ax = &operand->valid->ax[axis];
    char label[80];
    axis_label(ctx, ax, axis, label, sizeof label);
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_format(&t, "%s: reads %s at %s=%lld", name,
                   ix_access_name(operand).s, label, (long long)sample->at);
    if (sample->nindex) {
        ix_text_put(&t, " when ");
        print_point(ctx, box, sample, &t);
    }
    ix_text_format(&t, "; %s covers %s in [%s, %s)", ix_access_name(operand).s,
                   label, ix_lin_show(ctx, ax->lo).s,
                   ix_lin_show(ctx, ax->hi).s);
    print_sizes(ctx, sample, &t);
    print_from_end(ctx, index, ax, &t);
    print_readers(ctx, path, &t);
    const char *s = ix_text_string(&t);
    ix_fail(&ctx->error, ILEX_E_BOUNDS, "%s", s ? s : "out of bounds");
    ix_text_free(&t);
}
