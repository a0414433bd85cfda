/* SPDX-License-Identifier: MIT
 *
 * Recipes: making one at random, building it, and its form as text.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "tests/differential/differential.h"

static const struct {
    const char *name;
    int operands, weight[2];
    ilex_array *(*build)(diff_shop *shop, diff_random *r, ilex_array *const *x);
    int region; /* weight where there are regions */
} kinds[DIFF_KINDS] = {
#define DIFF_KIND(name, operands, unnamed, named)                              \
    {#name, operands, {unnamed, named}, diff_build_##name, 0},
#define DIFF_REGION(name, operands, weight)                                    \
    {#name, operands, {0, 0}, diff_build_##name, weight},
#include "tests/differential/kinds.def"
};

/* Elements of one array, and elements that one reduction may run over. */
enum { MOST_ELEMENTS = 20000, ATTEMPTS = 80 };

int
diff_operands(diff_kind kind)
{
    return kinds[kind].operands;
}

/* ---- the pool ---- */

/* An extent of a few elements, constant or in a size. */
static diff_extent
random_extent(diff_random *r, const diff_sizes *sizes)
{
    static const int lengths[] = {1, 1, 2, 3, 3, 4, 5, 6, 8};
    diff_extent e = {.param = -1};
    if (diff_chance(r, 45)) {
        e.c = diff_chance(r, 4) ? 0 : lengths[diff_draw(r, 9)];
        return e;
    }
    e.param = diff_draw(r, DIFF_PARAMS);
    e.k = diff_chance(r, 20) ? 2 : 1;
    e.c = diff_chance(r, 50) ? 0 : diff_between(r, -(int)sizes->least, 3);
    return e;
}

static diff_pool
make_pool(const diff_recipe *recipe)
{
    diff_random r = diff_random_of(recipe->seed, recipe->number, 1);
    diff_pool pool = {.named = diff_chance(&r, 45)};
    pool.large = diff_chance(&r, 5);
    for (int i = 0; i < DIFF_POOL; i++) {
        diff_extent *e = &pool.extent[i];
        *e = i > 0 && diff_chance(&r, 30) ? e[-1]
                                          : random_extent(&r, &recipe->sizes);
        if (pool.named && diff_chance(&r, 25))
            e->lo = diff_between(&r, -2, 2);
    }
    pool.extent[0].k = pool.extent[0].k > 1 ? 1 : pool.extent[0].k;
    if (pool.large) {
        for (int i = 0; i + 1 < DIFF_POOL; i++)
            pool.extent[i] = (diff_extent){0, -1, 0, 1 + diff_draw(&r, 3)};
        pool.extent[DIFF_POOL - 1].c += diff_between(&r, 4088, 9000);
    }
    bool all = recipe->seed & DIFF_REGIONS;
    pool.named |= all;
    pool.regions = pool.named && (all || recipe->number % 4 == 3);
    return pool;
}

/* ---- building ---- */

bool
diff_context_prepare(ilex_context *ctx, const diff_sizes *sizes)
{
    char text[80];
    snprintf(text, sizeof text, "n >= %d && m >= %d && k >= %d",
             (int)sizes->least, (int)sizes->least, (int)sizes->least);
    return ilex_assume(ctx, text) == ILEX_OK && diff_foreign_register(ctx) &&
           ilex_option_set(ctx, "verify", "1") == ILEX_OK;
}

ilex_array *
diff_known(const diff_shop *shop, ilex_array *x)
{
    if (!ix_is_array(x))
        return x;
    ilex_array *y = ix_field_known_part(shop->ctx, "known", x);
    bool ok = !ilex_is_poison(y) && diff_domain_count(shop, y->interior) >= 0;
    ilex_error_clear(shop->ctx);
    return ok ? y : NULL;
}

/* Does a step take its operands point by point, so that they need not be known
 * wherever they are defined? */
static bool
is_pointwise(int kind)
{
    return kind == DIFF_unary || kind == DIFF_binary || kind == DIFF_where ||
           kind == DIFF_cast || kind == DIFF_shift || kind == DIFF_shift_by ||
           kind == DIFF_permute || kind == DIFF_restrict ||
           kind == DIFF_half_shift;
}

/* The operands of a step: of one that goes over whole fields mostly what is
 * known of them. */
static void
take_operands(const diff_shop *shop, const diff_step *step, diff_random *r,
              ilex_array **x)
{
    bool whole = !is_pointwise(step->kind) && diff_chance(r, 90);
    for (int k = 0; k < kinds[step->kind].operands; k++) {
        x[k] = shop->array[step->arg[k]];
        ilex_array *known = whole ? diff_known(shop, x[k]) : NULL;
        x[k] = known ? known : x[k];
    }
}

ilex_array *
diff_step_build(diff_shop *shop, int i)
{
    const diff_step *step = &shop->recipe->step[i];
    diff_random r = diff_random_of(step->seed, (uint64_t)step->kind, 2);
    ilex_array *x[DIFF_OPERANDS];
    shop->step = i;
    take_operands(shop, step, &r, x);
    return kinds[step->kind].build(shop, &r, x);
}

static void
open_shop(diff_shop *shop, ilex_context *ctx, const diff_recipe *recipe,
          int slot)
{
    memset(shop, 0, sizeof *shop);
    shop->ctx = ctx;
    shop->recipe = recipe;
    shop->pool = make_pool(recipe);
    shop->slot = slot;
}

bool
diff_recipe_build(diff_shop *shop, ilex_context *ctx, const diff_recipe *recipe,
                  int slot)
{
    open_shop(shop, ctx, recipe, slot);
    for (int i = 0; i < recipe->nsteps; i++) {
        shop->array[i] = diff_step_build(shop, i);
        if (!shop->array[i] || ilex_is_poison(shop->array[i]))
            return false;
    }
    return true;
}

/* Whether "x" is computed from "in". */
static bool
reaches(const ilex_array *x, const ilex_array *in)
{
    bool found = x == in;
    for (int k = 0; !found && k < x->nops; k++)
        found = reaches(x->ops[k], in);
    return found;
}

/* Only inputs that the program reads can be shared. */
static bool
is_read(const diff_shop *shop, int step)
{
    const diff_recipe *recipe = shop->recipe;
    for (int i = 0; i < recipe->noutputs; i++)
        if (reaches(shop->array[recipe->output[i].step], shop->array[step]))
            return true;
    return false;
}

ilex_status
diff_recipe_outputs(const diff_shop *shop, ilex_module *module)
{
    const diff_recipe *recipe = shop->recipe;
    ilex_status rc = ILEX_OK;
    for (int i = 0; !rc && i < recipe->noutputs; i++) {
        char name[40], inplace[40];
        const diff_output *out = &recipe->output[i];
        snprintf(name, sizeof name, "c%d_y%d", shop->slot, i);
        snprintf(inplace, sizeof inplace, "c%d_x%d", shop->slot, out->inplace);
        bool shared = out->inplace >= 0 && is_read(shop, out->inplace);
        rc = ilex_module_output(module, name, shop->array[out->step],
                                shared ? inplace : NULL);
    }
    return rc;
}

bool
diff_is_inplace(const diff_recipe *recipe, const char *name)
{
    const char *step = strstr(name, "_x");
    for (int k = 0; step && k < recipe->noutputs; k++)
        if (recipe->output[k].inplace == atoi(step + 2))
            return true;
    return false;
}

/* ---- making ---- */

static diff_kind
random_region(diff_random *r)
{
    int sum = 0, kind = 0;
    for (int i = 0; i < DIFF_KINDS; i++)
        sum += kinds[i].region;
    int at = diff_draw(r, sum);
    while (at >= kinds[kind].region)
        at -= kinds[kind++].region;
    return (diff_kind)kind;
}

static diff_kind
random_kind(diff_random *r, const diff_pool *pool, int have)
{
    if (pool->regions && have > 0 && diff_chance(r, 35))
        return random_region(r);
    int sum = 0, kind = 0;
    for (int i = 0; i < DIFF_KINDS; i++)
        sum += kinds[i].weight[pool->named];
    int at = diff_draw(r, sum);
    while (at >= kinds[kind].weight[pool->named])
        at -= kinds[kind++].weight[pool->named];
    return have == 0 || (have < 3 && diff_chance(r, 40)) ? DIFF_input
                                                         : (diff_kind)kind;
}

bool
diff_is_refusal(ilex_status rc)
{
    return rc == ILEX_E_DTYPE || rc == ILEX_E_LITERAL || rc == ILEX_E_SHAPE ||
           rc == ILEX_E_RANK || rc == ILEX_E_AXIS || rc == ILEX_E_UNDECIDED ||
           rc == ILEX_E_EMPTY || rc == ILEX_E_EINSUM || rc == ILEX_E_BOUNDS ||
           rc == ILEX_E_UNSUPPORTED || rc == ILEX_E_EMPTY_REDUCTION ||
           rc == ILEX_E_DUPLICATE;
}

/* Adds a step if it can be built and is not too large. */
static void
try_step(diff_shop *shop, diff_recipe *recipe, diff_random *r)
{
    int n = recipe->nsteps;
    diff_step *step = &recipe->step[n];
    step->kind = random_kind(r, &shop->pool, n);
    step->seed = diff_bits(r);
    for (int k = 0; k < DIFF_OPERANDS; k++) {
        int back = diff_chance(r, 60) ? diff_draw(r, 3) : diff_draw(r, n + 1);
        step->arg[k] = n - 1 - back < 0 ? 0 : n - 1 - back;
    }
    ilex_array *x = diff_step_build(shop, n);
    ilex_status rc = ilex_error_code(shop->ctx);
    bool ok = x && !ilex_is_poison(x);
    if (ok && ix_is_array(x)) {
        int64_t count = diff_domain_count(shop, x->interior);
        ok = count <= MOST_ELEMENTS;
    }
    if (rc && !diff_is_refusal(rc)) {
        printf("building %s: %s\n", kinds[step->kind].name,
               ilex_error_text(shop->ctx));
        ok = true; /* the same step fails again where that is a failure */
    }
    ilex_error_clear(shop->ctx);
    if (!ok)
        return;
    shop->array[n] = x;
    recipe->nsteps++;
}

/* Outputs: the last arrays that are bounded, some written in place of an
 * input. */
static void
choose_outputs(const diff_shop *shop, diff_recipe *recipe, diff_random *r)
{
    int want = 1 + diff_draw(r, DIFF_OUTPUTS);
    for (int i = recipe->nsteps - 1; i >= 0 && recipe->noutputs < want; i--) {
        const ilex_array *x = diff_known(shop, shop->array[i]);
        if (!x)
            continue;
        if (recipe->noutputs > 0 && diff_chance(r, 40))
            continue;
        diff_output *out = &recipe->output[recipe->noutputs++];
        *out = (diff_output){i, -1};
        for (int k = 0; k < recipe->nsteps && ix_is_array(x); k++) {
            const ilex_array *in = shop->array[k];
            if (recipe->step[k].kind == DIFF_input && k != i &&
                in->dtype == x->dtype && in->interior == x->interior &&
                diff_chance(r, 50))
                out->inplace = k;
        }
    }
}

/* Two outputs cannot take the place of one input. */
static void
separate_outputs(diff_recipe *recipe)
{
    for (int i = 0; i < recipe->noutputs; i++)
        for (int j = 0; j < i; j++)
            if (recipe->output[i].inplace == recipe->output[j].inplace)
                recipe->output[i].inplace = -1;
}

/* Whether the reference compiles the recipe, or fails in a way that is to be
 * reported. */
static bool
is_accepted(ilex_context *ctx, const diff_shop *shop)
{
    ix_compile_request request = {.reference = true};
    ilex_module *m = ilex_module_new(ctx, "random");
    ix_compiled *c = NULL;
    if (m && diff_recipe_outputs(shop, m) == ILEX_OK)
        c = ix_compile(m, &request);
    ilex_status rc = ilex_error_code(ctx);
    ix_compiled_free(c);
    ilex_module_free(m);
    return !diff_is_refusal(rc);
}

/* Draws a recipe; whether it has outputs and, if "check", the reference takes
 * it. */
static bool
draw_recipe(diff_recipe *recipe, uint64_t seed, uint64_t number, bool check)
{
    diff_random r = diff_random_of(seed, number, 3);
    diff_shop shop;
    memset(recipe, 0, sizeof *recipe);
    recipe->seed = seed;
    recipe->number = number;
    recipe->sizes = diff_sizes_of(seed, number / DIFF_GROUP);
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx || !diff_context_prepare(ctx, &recipe->sizes))
        abort();
    open_shop(&shop, ctx, recipe, 0);
    int want = diff_between(&r, 4, 15);
    for (int i = 0; i < ATTEMPTS && recipe->nsteps < want; i++)
        try_step(&shop, recipe, &r);
    choose_outputs(&shop, recipe, &r);
    separate_outputs(recipe);
    bool ok = recipe->noutputs > 0 && (!check || is_accepted(ctx, &shop));
    ilex_context_free(ctx);
    diff_recipe_compact(recipe);
    return ok;
}

bool
diff_recipe_make(diff_recipe *recipe, uint64_t seed, uint64_t number)
{
    return draw_recipe(recipe, seed, number, true);
}

bool
diff_recipe_draft(diff_recipe *recipe, uint64_t seed, uint64_t number)
{
    return draw_recipe(recipe, seed, number, false);
}

void
diff_recipe_compact(diff_recipe *recipe)
{
    bool used[DIFF_STEPS] = {false};
    int to[DIFF_STEPS], n = 0;
    for (int i = 0; i < recipe->noutputs; i++) {
        used[recipe->output[i].step] = true;
        if (recipe->output[i].inplace >= 0)
            used[recipe->output[i].inplace] = true;
    }
    for (int i = recipe->nsteps - 1; i >= 0; i--)
        for (int k = 0; used[i] && k < diff_operands(recipe->step[i].kind); k++)
            used[recipe->step[i].arg[k]] = true;
    for (int i = 0; i < recipe->nsteps; i++) {
        if (!used[i])
            continue;
        diff_step step = recipe->step[i];
        for (int k = 0; k < diff_operands(step.kind); k++)
            step.arg[k] = to[step.arg[k]];
        to[i] = n;
        recipe->step[n++] = step;
    }
    recipe->nsteps = n;
    for (int i = 0; i < recipe->noutputs; i++) {
        diff_output *out = &recipe->output[i];
        out->step = to[out->step];
        out->inplace = out->inplace >= 0 ? to[out->inplace] : -1;
    }
}

/* ---- text ---- */

static void
print_steps(const diff_recipe *recipe, FILE *to)
{
    for (int i = 0; i < recipe->nsteps; i++) {
        const diff_step *step = &recipe->step[i];
        fprintf(to, "    t%d = %s(", i, kinds[step->kind].name);
        for (int k = 0; k < diff_operands(step->kind); k++)
            fprintf(to, "%st%d", k ? ", " : "", step->arg[k]);
        fprintf(to, ")\n");
    }
}

/* The module's text; its steps where the text cannot be made. */
void
diff_recipe_print(const diff_recipe *recipe, FILE *to)
{
    diff_shop shop;
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *m = NULL;
    char *text = NULL;
    if (ctx && diff_context_prepare(ctx, &recipe->sizes))
        m = ilex_module_new(ctx, "random");
    if (m && diff_recipe_build(&shop, ctx, recipe, 0) &&
        diff_recipe_outputs(&shop, m) == ILEX_OK)
        text = ilex_module_print(m);
    for (int i = 0; i < DIFF_PARAMS; i++)
        fprintf(to, "%s%s = %d", i ? ", " : "    # ", diff_param_names[i],
                (int)recipe->sizes.value[i]);
    fprintf(to, "\n");
    if (text)
        fprintf(to, "%s", text);
    else
        print_steps(recipe, to);
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    ilex_context_free(ctx);
}
