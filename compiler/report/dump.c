/* SPDX-License-Identifier: MIT
 *
 * Units as stable text: numbers by order of first use, no pointers.
 */
#include "compiler/report/report.h"
#include "compiler/tree/tree.h"
#include "lib/build/foreign.h"
#include "lib/graph/annotation.h"
#include "lib/syntax/print.h"

static void
put_buffer(const ix_unit *u, int i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    static const char *const roles[] = {"in", "data", "out", "temp"};
    ix_text_format(t, "  b%d %s %s%s%s : %s[%s]", i, roles[b->role], b->name,
                   *b->name ? " " : "", "", ilex_dtype_name(b->dtype),
                   ix_domain_show(u->ctx, b->interior).s);
    if (b->box != b->interior)
        ix_text_format(t, " needs [%s]", ix_domain_show(u->ctx, b->box).s);
    if (b->role == IX_ROLE_TEMP && u->level >= IX_LEVEL_TREE)
        ix_text_format(t, " slot %d", b->slot);
    if (b->role == IX_ROLE_OUTPUT && b->inplace >= 0)
        ix_text_format(t, " inplace b%d", b->inplace);
    if (b->array)
        ix_tags_print(b->array, t);
    ix_text_char(t, '\n');
}

void
ix_dump_array(const ix_unit *u, const ilex_array *n, ix_text *t)
{
    ix_mem mem = u->ctx->mem;
    int *operand = ix_mem_new(&mem, (size_t)n->nops * sizeof *operand);
    for (int k = 1; operand && k < n->nops; k++)
        operand[k - 1] =
            ix_is_array(n->ops[k]) ? (int)ix_unit_position(u, n->ops[k]) : -1;
    ix_print_body_of(u->ctx, n->ops[0], operand, t);
    ix_mem_free(&mem, operand);
}

/* Arrays in order, with the boxes of `extents` once they are known. */
static void
put_graph(const ix_unit *u, ix_text *t)
{
    for (size_t i = 0; i < u->norder; i++) {
        const ilex_array *n = u->order[i];
        ix_text_format(t, "  v%zu = %s", i, ix_node_text(n));
        if (n->kind == IX_INPUT)
            ix_text_format(t, " %s",
                           ix_symbol_text(u->ctx, (int32_t)n->attr[0]));
        if (n->kind == IX_FOREIGN)
            ix_text_format(t, " %s",
                           ix_symbol_text(u->ctx, ix_foreign_name(n)));
        const size_t *label = ix_map_find(&u->label, n);
        if (label)
            ix_text_format(t, " %s", ix_symbol_text(u->ctx, (int32_t)*label));
        ix_text_format(t, " : %s[%s]", ilex_dtype_name((ilex_dtype)n->dtype),
                       ix_domain_show(u->ctx, n->interior).s);
        if (u->need && u->need[i] && u->need[i] != n->interior)
            ix_text_format(t, " on [%s]", ix_domain_show(u->ctx, u->need[i]).s);
        const char *comma = " reads ";
        for (int k = 0; k < n->nops; k++) {
            if (!ix_is_array(n->ops[k]))
                continue;
            ix_text_format(t, "%sv%zu", comma, ix_unit_position(u, n->ops[k]));
            comma = ", ";
        }
        ix_tags_print(ix_unit_program(u, n), t);
        if (ix_has_body(n)) {
            ix_text_put(t, "\n    = ");
            ix_dump_array(u, n, t);
        }
        ix_text_char(t, '\n');
    }
}

static void
put_slices(const ix_unit *u, const ix_slice *slice, int n, ix_text *t)
{
    for (int i = 0; i < n; i++)
        ix_text_format(t, "%sb%d[%s]", i ? ", " : "", slice[i].buffer,
                       ix_domain_show(u->ctx, slice[i].box).s);
}

/* "  loop t[0:n]: b3[m], b4[m]", and "  end of loop t" */
static void
put_loop(const ix_unit *u, const ix_foreign_call *c, ix_text *t)
{
    ix_text_format(t, "  %sloop %s", c->ends ? "end of " : "",
                   ix_domain_show(u->ctx, c->node->interior).s);
    ix_text_put(t, c->ends ? "" : ": ");
    if (!c->ends)
        put_slices(u, c->slice, c->nresults, t);
    ix_text_char(t, '\n');
}

/* "  call solve(b0[n, n]) to b1[n]" */
static void
put_call(const ix_unit *u, const ix_foreign_call *c, ix_text *t)
{
    if (c->loop > 0) {
        put_loop(u, c, t);
        return;
    }
    ix_text_format(t, "  call %s(", ix_call_name(u, c));
    put_slices(u, c->slice, c->narguments, t);
    ix_text_put(t, ") to ");
    put_slices(u, c->slice + c->narguments, c->nresults, t);
    ix_text_char(t, '\n');
}

static void
put_nothing(const ix_unit *u, const ix_stage *s, ix_text *t)
{
    (void)u, (void)s, (void)t;
}

static void
put_levels(const ix_unit *u, const ix_stage *s, ix_text *t)
{
    (void)u;
    ix_text_format(t, " axis %d %s", s->levels.axis,
                   s->levels.backward ? "backward" : "forward");
}

static void
put_update(const ix_unit *u, const ix_stage *s, ix_text *t)
{
    (void)u, (void)s;
    ix_text_put(t, " update");
}

static void
put_compact(const ix_unit *u, const ix_stage *s, ix_text *t)
{
    ix_text_format(t, " compact [%s], at b%d",
                   ix_domain_show(u->ctx, s->elements).s, s->position);
}

static void (*const put_kind[])(const ix_unit *, const ix_stage *,
                                ix_text *) = {
#define IX_STAGE(KIND, turn, nest, put) [IX_STAGE_##KIND] = put_##put,
#include "compiler/stages.def"
};

static void
put_stage(const ix_unit *u, const ix_stage *s, ix_text *t)
{
    for (int k = 0; k < s->count; k++)
        ix_text_format(t, "%sb%d", k ? ", " : "  stage ", s->buffer[k]);
    ix_text_format(t, " on [%s]", ix_domain_show(u->ctx, s->box).s);
    put_kind[s->kind](u, s, t);
    ix_text_char(t, '\n');
    ix_dump_body(u, s->body, t);
}

/* The calls up to "end". */
static void
put_calls(const ix_unit *u, int *made, int end, ix_text *t)
{
    for (; *made < end; ++*made)
        put_call(u, u->call[*made], t);
}

void
ix_dump_unit(const ix_unit *u, ix_text *t)
{
    ix_text_format(t, "program %s\n", u->module->name);
    if (u->level == IX_LEVEL_GRAPH) {
        put_graph(u, t);
        return;
    }
    for (size_t i = 0; i < u->nbuffers; i++)
        put_buffer(u, (int)i, t);
    int made = 0;
    for (size_t i = 0; u->level == IX_LEVEL_STAGES && i < u->nstages; i++) {
        put_calls(u, &made, u->stage[i].when.calls, t);
        put_stage(u, &u->stage[i], t);
    }
    for (const ix_kernel *k = u->kernels; k; k = k->next) {
        put_calls(u, &made, k->when.calls, t);
        ix_text_format(t, "  kernel k%d on [%s]", k->number,
                       ix_domain_show(u->ctx, k->box).s);
        ix_kernel_version_put(k, t);
        ix_text_char(t, '\n');
        ix_dump_kernel(u, k, t);
    }
    put_calls(u, &made, (int)u->ncalls, t);
}
