/* SPDX-License-Identifier: MIT
 *
 * A program with messages, cut into parts (cut.h). What an array needs are the
 * messages that it is made of; a part is what needs the same ones:
 *
 *     recv a from left              part {}: e = exp(u), sent, kept
 *     let e = exp(u)                part {a}: out v = e + a
 *     out w = e, send w to right
 *     out v = e + a
 *
 * An array that needs less than one that reads it is kept: made in the part of
 * what it needs, so while messages are on their way, and read in others. Where
 * making it again is cheap it is made again.
 */
#include "lib/build/cut.h"

#include <stdio.h>

#include "ilex/graph.h"
#include "lib/build/cut_kept.h"
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"

typedef struct cutting {
    ix_cut_arrays of;
    ix_cut *cut;
    ilex_array **became; /* in the part that is being made, */
    size_t part;         /* its number */
    bool apart; /* outputs in the place of inputs are in parts of their own */
} cutting;

/* ---- parts ---- */

static int
count_bits(const cutting *x, const uint64_t *needs)
{
    int n = 0;
    for (size_t w = 0; w < x->of.words; w++)
        n += __builtin_popcountll(needs[w]);
    return n;
}

static size_t
find_part(const cutting *x, const uint64_t *needs, bool inplace)
{
    size_t p = 0;
    while (p < x->cut->n &&
           (x->cut->part[p].inplace != inplace ||
            !ix_cut_same(&x->of, x->cut->part[p].needs, needs)))
        p++;
    return p;
}

/* The part that needs what array number "i" does, behind those that need less.
 */
static bool
add_part(cutting *x, size_t i, bool inplace)
{
    ix_cut *cut = x->cut;
    size_t bytes = x->of.words * sizeof(uint64_t);
    if (find_part(x, ix_cut_needs(&x->of, i), inplace) < cut->n)
        return true;
    uint64_t *needs = ix_mem_new(&x->of.ctx->mem, bytes);
    if (!needs)
        return false;
    memcpy(needs, ix_cut_needs(&x->of, i), bytes);
    size_t at = cut->n++;
    for (; at > 0 &&
           count_bits(x, cut->part[at - 1].needs) > count_bits(x, needs);
         at--)
        cut->part[at] = cut->part[at - 1];
    cut->part[at] = (ix_cut_part){.needs = needs, .inplace = inplace};
    return true;
}

static bool
is_apart(const cutting *x, const ix_output *out)
{
    return x->apart && out->inplace;
}

/* Those of outputs and of what is kept. */
static bool
add_parts(cutting *x)
{
    bool ok = true;
    size_t most = x->of.m->noutputs + x->of.order.n + 1;
    x->cut->part = ix_mem_new(&x->of.ctx->mem, most * sizeof *x->cut->part);
    if (!x->cut->part)
        return false;
    for (size_t i = 0; ok && i < x->of.order.n; i++)
        ok = !x->of.kept[i] || add_part(x, i, false);
    for (size_t i = 0; ok && i < x->of.m->noutputs; i++)
        ok = add_part(x, ix_cut_number(&x->of, x->of.m->output[i].array),
                      is_apart(x, &x->of.m->output[i]));
    return ok;
}

/* ---- the program of a part ---- */

/* Is array number "i" made in the part, as an output there or for others? */
static bool
is_own(const cutting *x, size_t i, bool inplace)
{
    const ix_cut_part *p = &x->cut->part[x->part];
    return p->inplace == inplace &&
           ix_cut_same(&x->of, ix_cut_needs(&x->of, i), p->needs);
}

static void
kept_name(size_t i, char name[40])
{
    snprintf(name, 40, IX_CUT_KEPT "%zu", i);
}

/* What another part keeps is an input. */
static ilex_array *
read_kept(void *user, ilex_array *n, int count, ilex_array *const *operands)
{
    const cutting *x = user;
    const size_t *at = ix_map_find(&x->of.order.number, n);
    char name[40];
    (void)count, (void)operands;
    if (!at || !x->of.kept[*at] || is_own(x, *at, false))
        return NULL;
    kept_name(*at, name);
    return ix_build_received(x->of.ctx, name, (ilex_dtype)n->dtype, n->interior,
                             n->valid);
}

/* An array as an output wherever it is known, under its name. */
static ilex_array *
on_valid(ilex_array *n)
{
    int32_t name = ix_name_get(n);
    if (n->interior == n->valid)
        return n;
    ilex_array *all = ix_build_copied(n, n->valid, 0);
    return !name || ix_is_poison(all) || ix_name_note(all, name)
               ? all
               : ix_poison_again(n->ctx);
}

/* Adds an output of the program, if it is the part's. */
static bool
add_output(cutting *x, ilex_module *to, const ix_output *out)
{
    size_t i = ix_cut_number(&x->of, out->array);
    const char *in =
        out->inplace ? ix_symbol_text(x->of.ctx, out->inplace) : NULL;
    return !is_own(x, i, is_apart(x, out)) ||
           ix_module_add_output(to, ix_symbol_text(x->of.ctx, out->name),
                                x->became[i], in) == ILEX_OK;
}

/* Adds the inputs in whose place outputs may be, behind those that are read. */
static bool
add_places(const cutting *x, ilex_module *to)
{
    bool ok = true;
    for (size_t i = 0; ok && i < to->noutputs; i++)
        if (to->output[i].inplace)
            ok = ix_module_add_input(
                     to, ix_module_input(x->of.m, to->output[i].inplace)) ==
                 ILEX_OK;
    return ok;
}

/* What the program calls arrays they are called in a part. */
static bool
add_labels(const cutting *x, ilex_module *to)
{
    bool ok = true;
    for (size_t i = 0; ok && i < x->of.m->nlabels; i++) {
        const ix_label *l = &x->of.m->label[i];
        const size_t *at = ix_map_find(&x->of.order.number, l->array);
        ok = !at || ix_module_label(to, l->name, x->became[*at]) == ILEX_OK;
    }
    return ok;
}

static bool
make_part(cutting *x)
{
    char name[40];
    ilex_module *to = ilex_module_new(x->of.ctx, x->of.m->name);
    bool ok = to && ilex_map_graph(x->of.ctx, x->of.order.n, x->of.order.array,
                                   read_kept, x, x->became) == ILEX_OK;
    x->cut->part[x->part].module = to;
    for (size_t i = 0; ok && i < x->of.m->nassumptions; i++)
        ok = ix_module_assume(to, x->of.m->assumption[i]) == ILEX_OK;
    for (size_t i = 0; ok && i < x->of.order.n; i++)
        if (x->of.kept[i] && is_own(x, i, false)) {
            kept_name(i, name);
            ok = ix_module_add_output(to, name, on_valid(x->became[i]), NULL) ==
                 ILEX_OK;
        }
    for (size_t i = 0; ok && i < x->of.m->noutputs; i++)
        ok = add_output(x, to, &x->of.m->output[i]);
    ok = ok && add_labels(x, to) && ix_module_collect(to) == ILEX_OK;
    x->cut->part[x->part].nreads = to ? to->ninputs : 0;
    return ok && add_places(x, to);
}

/* ---- which is before which ---- */

static bool
reads(const ix_cut_part *p, int32_t input)
{
    size_t i = 0;
    while (i < p->nreads && p->module->input[i]->attr[0] != input)
        i++;
    return i < p->nreads;
}

static bool
makes(const ix_cut_part *p, int32_t output)
{
    size_t i = 0;
    while (i < p->module->noutputs && p->module->output[i].name != output)
        i++;
    return i < p->module->noutputs;
}

/* Does "p" come behind "q": it reads what that makes, or writes in the place of
 * what that reads? */
static bool
is_behind(const ix_cut_part *p, const ix_cut_part *q)
{
    bool behind = false;
    for (size_t i = 0; !behind && i < q->module->noutputs; i++)
        behind = reads(p, q->module->output[i].name);
    for (size_t i = 0; !behind && i < p->module->noutputs; i++) {
        int32_t in = p->module->output[i].inplace;
        behind = in && reads(q, in);
    }
    return behind;
}

static bool
find_behind(cutting *x, ix_cut_part *p)
{
    p->after = ix_mem_new(&x->of.ctx->mem, (x->cut->n + 1) * sizeof *p->after);
    for (size_t q = 0; p->after && q < x->cut->n; q++)
        if (&x->cut->part[q] != p && is_behind(p, &x->cut->part[q]))
            p->after[p->nafter++] = q;
    return p->after;
}

/* Can part "p" be made when those are that are "done"? */
static bool
is_ready(const ix_cut_part *p, const bool *done)
{
    size_t i = 0;
    while (i < p->nafter && done[p->after[i]])
        i++;
    return i == p->nafter;
}

/* Can all be made, one after the other? False also without memory. */
static bool
has_order(const cutting *x)
{
    const ix_cut *cut = x->cut;
    bool *done = ix_mem_new(&x->of.ctx->mem, cut->n + 1);
    size_t made = 0, before = 1;
    while (done && before != made) {
        before = made;
        for (size_t p = 0; p < cut->n; p++)
            if (!done[p] && is_ready(&cut->part[p], done)) {
                done[p] = true;
                made++;
            }
    }
    ix_mem_free(&x->of.ctx->mem, done);
    return done && made == cut->n;
}

/* Of each message the part that makes it. */
static bool
find_senders(cutting *x)
{
    x->cut->from = ix_mem_new(&x->of.ctx->mem,
                              (x->of.m->nmessages + 1) * sizeof *x->cut->from);
    for (size_t i = 0; x->cut->from && i < x->of.m->nmessages; i++) {
        int p = (int)x->cut->n - 1;
        while (p >= 0 && !makes(&x->cut->part[p], x->of.m->message[i].name))
            p--;
        x->cut->from[i] = p;
    }
    return x->cut->from;
}

/* ---- all of it ---- */

static bool
make_parts(cutting *x)
{
    bool ok = add_parts(x);
    for (x->part = 0; ok && x->part < x->cut->n; x->part++)
        ok = make_part(x);
    for (size_t p = 0; ok && p < x->cut->n; p++)
        ok = find_behind(x, &x->cut->part[p]);
    return ok;
}

/* Outputs are made with what needs the same, as long as one in the place of an
 * input can wait for all that reads the input. */
static bool
cut_all(cutting *x)
{
    if (!ix_cut_arrays_begin(&x->of))
        return false;
    x->became =
        ix_mem_new(&x->of.ctx->mem, (x->of.order.n + 1) * sizeof *x->became);
    if (!x->became || !make_parts(x))
        return false;
    if (!has_order(x)) {
        ix_cut_free(x->of.ctx, x->cut);
        *x->cut = (ix_cut){0};
        x->apart = true;
        if (!make_parts(x))
            return false;
    }
    if (!has_order(x))
        return ix_fail_false(
            &x->of.ctx->error, ILEX_E_UNSUPPORTED,
            "program %s: two outputs that need different messages are each in "
            "the place of an input that the other one reads; make one of them "
            "an array of its own",
            x->of.m->name);
    return find_senders(x);
}

/* What is counted would be another number in each part. */
static bool
refuse_counted(const ilex_module *m)
{
    bool counts = false;
    for (size_t i = 0; i < m->nassumptions; i++)
        counts |= ix_counted_by(m->ctx, m->assumption[i]) >= 0;
    if (counts)
        ix_fail(&m->ctx->error, ILEX_E_UNSUPPORTED,
                "program %s: messages of a program that counts lengths are not "
                "supported",
                m->name);
    return counts;
}

bool
ix_module_cut(ilex_module *m, ix_cut *cut)
{
    ilex_context *ctx = m->ctx;
    cutting x = {.of = {.m = m}, .cut = cut};
    *cut = (ix_cut){0};
    if (ix_module_collect(m) != ILEX_OK || refuse_counted(m))
        return false;
    size_t scope = ilex_scope_begin(ctx);
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.in_force = m->env});
    bool ok = cut_all(&x);
    if (!ok && !ctx->error.code)
        ix_fail_memory(&ctx->error);
    ix_assume_instead(ctx, before);
    ilex_scope_end(ctx, scope, NULL);
    ix_mem_free(&ctx->mem, x.became);
    ix_cut_arrays_end(&x.of);
    return ok;
}

void
ix_cut_free(const ilex_context *ctx, ix_cut *cut)
{
    for (size_t i = 0; i < cut->n; i++) {
        ilex_module_free(cut->part[i].module);
        ix_mem_free(&ctx->mem, cut->part[i].needs);
        ix_mem_free(&ctx->mem, cut->part[i].after);
    }
    ix_mem_free(&ctx->mem, cut->part);
    ix_mem_free(&ctx->mem, cut->from);
}
