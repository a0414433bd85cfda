/* SPDX-License-Identifier: MIT
 *
 * Shrinking: outputs are dropped, results are replaced by their operands and
 * sizes made smaller, as long as the recipe still fails, though perhaps in
 * another way.
 */
#include <string.h>

#include "tests/differential/differential.h"

enum { MOST_TRIALS = 250 };

typedef struct shrinker {
    diff_recipe *best;
    const diff_options *o;
    diff_verdict *verdict;
    int trials;
} shrinker;

/* Whether the recipe can be built; what cannot is no smaller failure. */
static bool
can_be_built(const diff_recipe *recipe)
{
    diff_shop shop;
    ilex_context *ctx = ilex_context_new(NULL);
    bool ok = ctx && diff_context_prepare(ctx, &recipe->sizes) &&
              diff_recipe_build(&shop, ctx, recipe, 0);
    for (int i = 0; ok && i < recipe->noutputs; i++) {
        const diff_output *out = &recipe->output[i];
        ok = diff_known(&shop, shop.array[out->step]) != NULL;
    }
    ilex_context_free(ctx);
    return ok;
}

/* Takes the candidate if it fails too. */
static bool
try(shrinker *s, diff_recipe *candidate)
{
    diff_verdict verdict;
    diff_recipe_compact(candidate);
    if (s->trials >= MOST_TRIALS || !can_be_built(candidate))
        return false;
    s->trials++;
    if (!diff_fails(candidate, s->o, &verdict))
        return false;
    *s->best = *candidate;
    *s->verdict = verdict;
    return true;
}

static bool
drop_output(shrinker *s)
{
    for (int i = 0; s->best->noutputs > 1 && i < s->best->noutputs; i++) {
        diff_recipe c = *s->best;
        c.noutputs--;
        memmove(&c.output[i], &c.output[i + 1],
                (size_t)(c.noutputs - i) * sizeof c.output[0]);
        if (try(s, &c))
            return true;
    }
    return false;
}

/* Every use of step "from" becomes a use of step "to". */
static void
redirect(diff_recipe *c, int from, int to)
{
    for (int i = 0; i < c->nsteps; i++)
        for (int k = 0; k < DIFF_OPERANDS; k++)
            if (c->step[i].arg[k] == from && i != from)
                c->step[i].arg[k] = to;
    for (int i = 0; i < c->noutputs; i++)
        if (c->output[i].step == from) {
            c->output[i].step = to;
            c->output[i].inplace = -1;
        }
}

static bool
bypass_step(shrinker *s)
{
    for (int i = s->best->nsteps - 1; i >= 0; i--)
        for (int k = 0; k < diff_operands(s->best->step[i].kind); k++) {
            diff_recipe c = *s->best;
            redirect(&c, i, c.step[i].arg[k]);
            if (try(s, &c))
                return true;
        }
    return false;
}

/* One operand of a step becomes another of its operands. */
static bool
merge_operands(shrinker *s)
{
    for (int i = s->best->nsteps - 1; i >= 0; i--)
        for (int k = 1; k < diff_operands(s->best->step[i].kind); k++) {
            diff_recipe c = *s->best;
            if (c.step[i].arg[k] == c.step[i].arg[0])
                continue;
            c.step[i].arg[k] = c.step[i].arg[0];
            if (try(s, &c))
                return true;
        }
    return false;
}

static bool
forget_inplace(shrinker *s)
{
    for (int i = 0; i < s->best->noutputs; i++) {
        diff_recipe c = *s->best;
        if (c.output[i].inplace < 0)
            continue;
        c.output[i].inplace = -1;
        if (try(s, &c))
            return true;
    }
    return false;
}

static bool
smaller_size(shrinker *s)
{
    for (int i = 0; i < DIFF_PARAMS; i++) {
        diff_recipe c = *s->best;
        if (c.sizes.value[i] <= c.sizes.least)
            continue;
        c.sizes.value[i]--;
        if (try(s, &c))
            return true;
    }
    return false;
}

void
diff_shrink(diff_recipe *recipe, const diff_options *o, diff_verdict *verdict)
{
    shrinker s = {recipe, o, verdict, 0};
    while (drop_output(&s) || bypass_step(&s) || merge_operands(&s) ||
           forget_inplace(&s) || smaller_size(&s))
        continue;
}
