/* SPDX-License-Identifier: MIT
 *
 * Sizes that a run counts.
 */
#include "lib/graph/counted.h"

#include <stdlib.h>

#include "lib/graph/merkle.h"
#include "lib/graph/scalar.h"

static bool
is_found(const ilex_context *ctx, int32_t param, const void *unused)
{
    (void)unused;
    return ctx->param[param].mask || ctx->param[param].steps;
}

bool
ix_is_counted(const ilex_context *ctx, int32_t param)
{
    return ix_param_needs(ctx, param, is_found, NULL);
}

static bool
is_step(const ilex_context *ctx, int32_t param, const void *unused)
{
    (void)unused;
    return ctx->param[param].steps || ctx->param[param].varies;
}

bool
ix_is_step(const ilex_context *ctx, int32_t param)
{
    return ix_param_needs(ctx, param, is_step, NULL);
}

bool
ix_has_step(const ilex_context *ctx, const ix_domain *dom)
{
    bool found = false;
    for (int k = 0; k < dom->rank; k++)
        found |= ix_lin_needs(ctx, dom->ax[k].lo, is_step, NULL) ||
                 ix_lin_needs(ctx, dom->ax[k].hi, is_step, NULL);
    return found;
}

/* ---- making them ---- */

/* How many elements there are; NULL after an error. */
static const ix_lin *
elements(ilex_context *ctx, const ilex_array *mask)
{
    const ix_lin *n = ix_lin_const(ctx, 1);
    for (int k = 0; n && k < ix_rank(mask); k++) {
        const ix_lin *extent = ix_axis_extent(ctx, &mask->interior->ax[k]);
        n = extent ? ix_lin_mul(ctx, n, extent) : NULL;
    }
    return n;
}

/* The hash of what is counted as hexadecimal digits. */
static bool
write_hash(ilex_context *ctx, ilex_array *mask, ix_text *t)
{
    ix_merkle w = {.ctx = ctx};
    ix_digest h;
    uint8_t bytes[IX_DIGEST_BYTES];
    bool ok = ix_merkle_node(&w, mask, &h);
    ix_merkle_free(&w);
    if (!ok)
        return false;
    ix_digest_write(&h, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        ix_text_format(t, "%02x", bytes[i]);
    return true;
}

static int32_t
symbol_of_text(ilex_context *ctx, ix_text *t)
{
    const char *s = ix_text_string(t);
    return s ? ix_symbol_of(ctx, s, t->length) : -1;
}

/* How many sizes have a symbol for name or key. */
static int
count_like(const ilex_context *ctx, int32_t symbol)
{
    int n = 0;
    for (size_t i = 0; i < ctx->nparams; i++)
        n += ctx->param[i].symbol == symbol || ctx->param[i].key == symbol;
    return n;
}

/* A name of eight digits, those of a hash or the next ones that are free: what
 * has the same hash counts other data, or what another loop carries. */
static int32_t
made_up_name(ilex_context *ctx, const char *hash)
{
    char digits[9] = "";
    memcpy(digits, hash, 8);
    uint32_t number = (uint32_t)strtoul(digits, NULL, 16);
    int32_t symbol;
    do {
        ix_text t;
        ix_text_init(&t, &ctx->mem);
        ix_text_format(&t, IX_NAMELESS "%08x", (unsigned)number++);
        symbol = symbol_of_text(ctx, &t);
        ix_text_free(&t);
    } while (symbol >= 0 && count_like(ctx, symbol) > 0);
    return symbol;
}

/* The symbols of a size that counts what has a hash: its name, which is made up
 * where it has none, and its key. False when there is no memory. */
static bool
name_it(ilex_context *ctx, const char *hash, ix_param *p)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    if (p->symbol == 0)
        p->symbol = made_up_name(ctx, hash);
    if (p->symbol < 0)
        return false;
    ix_text_format(&t, "%s=count_nonzero(%s)", ix_symbol_text(ctx, p->symbol),
                   hash);
    p->key = symbol_of_text(ctx, &t);
    if (p->key >= 0 && count_like(ctx, p->key) > 0) {
        ix_text_format(&t, "#%zu", ctx->nparams);
        p->key = symbol_of_text(ctx, &t);
    }
    ix_text_free(&t);
    return p->key >= 0;
}

/* Notes the bound of the last size, and what the size rests on beside "env". */
static bool
bound(ilex_context *ctx, int32_t param, const ix_lin *all, const ix_env *env)
{
    ix_param *p = &ctx->param[param];
    const ix_lin *own = ix_lin_param(ctx, param);
    const ix_lin *left = own ? ix_lin_sub(ctx, all, own) : NULL;
    p->bound = left ? ix_assumption_of(ctx, left, 0) : NULL;
    return p->bound && ix_env_add(ctx, &ctx->bounds, p->bound) == IX_YES &&
           ix_env_add(ctx, &p->rests, p->bound) == IX_YES &&
           ix_env_join(ctx, "a size rests", &p->rests, env);
}

/* A size that is not there yet. */
static int32_t
make(ilex_context *ctx, int32_t name, ilex_array *mask, const char *hash)
{
    const ix_lin *all = elements(ctx, mask); /* may make a product */
    ix_param p = {.symbol = name, .mask = mask};
    bool named = name_it(ctx, hash, &p);
    int32_t param = all && named ? ix_param_add(ctx, p) : -1;
    if (param < 0)
        return -1;
    ix_node_retain(mask);
    ctx->any_counted = true;
    return bound(ctx, param, all, mask->env) ? param : -1;
}

/* The size of that name, or without one, that counts "mask"; -1: none. */
static int32_t
find(const ilex_context *ctx, int32_t name, const ilex_array *mask)
{
    for (size_t i = 0; i < ctx->nparams; i++) {
        const ix_param *p = &ctx->param[i];
        const char *text = ix_symbol_text(ctx, p->symbol);
        if (p->mask == mask &&
            (name ? p->symbol == name : ix_is_counted_name(text, strlen(text))))
            return (int32_t)i;
    }
    return -1;
}

/* What is counted: the same elements in another shape are as many. */
static ilex_array *
counted_array(ilex_array *mask)
{
    while (mask->kind == IX_RESHAPE)
        mask = mask->ops[0];
    return mask;
}

int32_t
ix_counted_size(ilex_context *ctx, int32_t name, ilex_array *mask)
{
    mask = counted_array(mask);
    int32_t param = find(ctx, name, mask);
    if (param >= 0)
        return param;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    bool ok = write_hash(ctx, mask, &t);
    const char *hash = ok ? ix_text_string(&t) : NULL;
    param = hash ? make(ctx, name, mask, hash) : -1;
    if (param < 0 && ctx->error.code == ILEX_OK)
        ix_fail_memory(&ctx->error);
    ix_text_free(&t);
    return param;
}

/* ---- steps of loops ---- */

/* How many loops that are not closed have a step of this name. */
static int
count_open(const ilex_context *ctx, int32_t name)
{
    int n = 0;
    for (int32_t i = 0; i < ix_env_count(ctx->bounds); i++) {
        int32_t p = ix_counted_by(ctx, ctx->bounds->item[i]);
        n += p >= 0 && ctx->param[p].steps && ctx->param[p].symbol == name;
    }
    return n;
}

/* How many steps a range has; if it is known to have none, one that is none. */
static const ix_lin *
count_steps(ilex_context *ctx, const ix_domain *steps)
{
    const ix_lin *n = ix_axis_extent(ctx, &steps->ax[0]);
    return n && n->n == 0 && n->c < 1 ? ix_lin_const(ctx, 1) : n;
}

/* A step of this key and range that no loop has any more, nor one that is being
 * built; -1: none. */
static int32_t
spare_step(const ilex_context *ctx, const ix_param *like)
{
    for (size_t i = 0; i < ctx->nparams; i++) {
        const ix_param *p = &ctx->param[i];
        if (p->key == like->key && p->steps == like->steps && p->nloops == 0 &&
            !ix_env_has(ctx->bounds, p->bound))
            return (int32_t)i;
    }
    return -1;
}

int32_t
ix_step_size(ilex_context *ctx, const ix_domain *steps)
{
    int32_t name = steps->ax[0].name;
    ix_param p = {.symbol = name, .steps = steps};
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_format(&t, "%s#step%d", ix_symbol_text(ctx, name),
                   count_open(ctx, name));
    p.key = symbol_of_text(ctx, &t);
    ix_text_free(&t);
    int32_t spare = p.key < 0 ? -1 : spare_step(ctx, &p);
    if (spare >= 0)
        return ix_env_add(ctx, &ctx->bounds, ctx->param[spare].bound) == IX_YES
                   ? spare
                   : -1;
    const ix_lin *count = count_steps(ctx, steps);
    const ix_lin *last = count ? ix_lin_try_offset(ctx, count, -1) : NULL;
    int32_t param = last ? ix_param_add(ctx, p) : -1;
    ctx->any_counted = true;
    return param >= 0 && bound(ctx, param, last, NULL) ? param : -1;
}

bool
ix_step_end(ilex_context *ctx, int32_t param)
{
    ctx->param[param].from = NULL;
    for (size_t i = ctx->first_counted; i < ctx->ncounted; i++)
        if (ctx->counted[i] == param)
            ctx->counted[i] = ctx->counted[--ctx->ncounted];
    return ix_env_take(ctx, &ctx->bounds, ctx->param[param].bound);
}

const ix_assumption *
ix_step_given(ilex_context *ctx, int32_t param, int32_t name)
{
    ix_param *p = &ctx->param[param];
    const ix_assumption *bound = p->bound;
    p->symbol = p->key = name;
    p->bound = NULL;
    p->steps = NULL;
    p->varies = true;
    return bound;
}

/* ---- which can be named ---- */

int32_t
ix_counted_of(ilex_context *ctx, ilex_array *mask)
{
    for (size_t i = ctx->ncounted; i-- > ctx->first_counted;)
        if (ctx->param[ctx->counted[i]].mask == counted_array(mask))
            return ctx->counted[i];
    return ix_counted_size(ctx, 0, mask);
}

const ix_lin *
ix_counted_form(ilex_context *ctx, int32_t param)
{
    const ix_lin *own = ix_lin_param(ctx, param);
    const ix_lin *from = ctx->param[param].from;
    return from && own ? ix_lin_add(ctx, from, own) : own;
}

bool
ix_counted_name(ilex_context *ctx, int32_t param)
{
    if (!ix_mem_grow(&ctx->mem, &ctx->counted, &ctx->counted_capacity,
                     ctx->ncounted + 1, sizeof *ctx->counted))
        return false;
    ctx->counted[ctx->ncounted++] = param;
    return true;
}

bool
ix_counted_name_only(ilex_context *ctx, const ix_env *env)
{
    bool ok = true;
    ctx->first_counted = ctx->ncounted;
    for (int32_t i = 0; ok && i < ix_env_count(env); i++) {
        int32_t param = ix_counted_by(ctx, env->item[i]);
        ok = param < 0 || ix_counted_name(ctx, param);
    }
    return ok;
}

int32_t
ix_counted_called(const ilex_context *ctx, const char *text, size_t length)
{
    if (!text || !ix_is_counted_name(text, length))
        return -1;
    for (size_t i = 0; i < ctx->nparams; i++) {
        const char *name = ix_param_name(ctx, (int32_t)i);
        if (ctx->param[i].mask && !strncmp(name, text, length) && !name[length])
            return (int32_t)i;
    }
    return -1;
}

/* ---- what rests on them ---- */

int32_t
ix_counted_by(const ilex_context *ctx, const ix_assumption *a)
{
    for (int32_t i = 0; i < a->form->n; i++)
        if (ctx->param[a->form->t[i].param].bound == a)
            return a->form->t[i].param;
    return -1;
}

static int
by_number(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

int32_t
ix_counted_in(const ilex_context *ctx, const ix_env *env, int32_t *param)
{
    int32_t n = 0;
    for (int32_t i = 0; i < ix_env_count(env); i++) {
        param[n] = ix_counted_by(ctx, env->item[i]);
        n += param[n] >= 0;
    }
    qsort(param, (size_t)n, sizeof *param, by_number);
    return n;
}

/* What is joined to: what sizes rest on, or their bounds alone. */
typedef struct joiner {
    ilex_context *ctx;
    const ix_env **env;
    bool alone, ok;
} joiner;

static bool join_form(const joiner *j, const ix_lin *a);

/* A size, or what it is computed from. */
static bool
join_size(const joiner *j, int32_t param)
{
    static const char what[] = "the sizes of an array rest";
    const ix_param *p = &j->ctx->param[param];
    bool ok = !j->alone  ? ix_env_join(j->ctx, what, j->env, p->rests)
              : p->bound ? ix_env_add(j->ctx, j->env, p->bound) == IX_YES
                         : true;
    for (int i = 0; ok && p->degree > 1 && i < p->degree; i++)
        ok = join_size(j, p->factor[i]);
    for (int i = 0; ok && i < p->narms; i++)
        ok = join_form(j, p->arm[i]);
    return ok;
}

static bool
join_form(const joiner *j, const ix_lin *a)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < a->n; i++)
        ok = join_size(j, a->t[i].param);
    return ok;
}

static bool
join_domain(const joiner *j, const ix_domain *dom)
{
    bool ok = true;
    for (int k = 0; dom && k < dom->rank; k++)
        ok = ok && join_form(j, dom->ax[k].lo) && join_form(j, dom->ax[k].hi);
    return ok;
}

static ix_walk_step
join_scalar(ix_walk *w, ilex_array *n, size_t *value)
{
    joiner *j = w->user;
    (void)value;
    if (n->kind == IX_SIZE)
        j->ok = j->ok && join_size(j, (int32_t)n->attr[0]);
    if (n->kind == IX_REDUCE)
        j->ok = j->ok && join_domain(j, n->interior);
    return IX_WALK_IN;
}

static bool
join_node(joiner *j, const ix_node_spec *s)
{
    ix_walk w = {.ctx = j->ctx,
                 .within = IX_HAS_COUNTED,
                 .enter = join_scalar,
                 .user = j};
    j->ok = join_domain(j, s->interior) && join_domain(j, s->valid);
    for (int i = 0; j->ok && i < s->nops; i++)
        if (s->ops[i]->flags & IX_HAS_COUNTED)
            j->ok = ix_walk_body(&w, s->ops[i], NULL) && j->ok;
    ix_walk_free(&w);
    return j->ok;
}

bool
ix_counted_rests(ilex_context *ctx, const ix_node_spec *s, const ix_env **env)
{
    return join_node(&(joiner){ctx, env, false, true}, s);
}

bool
ix_counted_bounds(ilex_context *ctx, const ix_node_spec *s, const ix_env **env)
{
    return join_node(&(joiner){ctx, env, true, true}, s);
}
