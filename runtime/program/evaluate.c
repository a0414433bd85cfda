/* SPDX-License-Identifier: MIT
 *
 * Runs without ceremony: sizes that follow from what is bound, outputs that are
 * made for them, many steps with storages that change places.
 */
#include <stdio.h>

#include "runtime/program/messages.h"

/* ---- sizes ---- */

/* Binds what there is and solves the sizes. The run's block is "*block", to be
 * freed. */
static ilex_status
solve(ix_run *r, void **block)
{
    r->partial = true;
    if (r->nbindings > 0 && !r->bindings)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "%s: bindings is NULL",
                       r->p->c->name);
    r->grid = ix_ranks_grid(r->bindings, r->nbindings);
    *block = ix_run_block(r);
    return *block ? ix_bind(r) : ix_fail_memory(r->err);
}

/* The value of size "name". */
static ilex_status
tell_size(const ix_run *r, ilex_size_binding *size)
{
    const ix_compiled *c = r->p->c;
    for (size_t k = 0; size->name && k < c->nsizes; k++)
        if (!ix_compiled_size_is_derived(&c->size[k]) &&
            !strcmp(c->size[k].name, size->name)) {
            size->value = r->s.size[k];
            return ILEX_OK;
        }
    return ix_fail_no_size(r, size->name);
}

ilex_status
ilex_program_solve(ilex_context *ctx, const ilex_program *p,
                   const ilex_binding *bindings, size_t count,
                   ilex_size_binding *sizes, size_t size_count)
{
    if (!p || (size_count > 0 && !sizes))
        return ix_fail(ix_storage_error(ctx), ILEX_E_ARGUMENT,
                       "solve: the %s is NULL",
                       p ? "list of sizes" : "program");
    void *block = NULL;
    ix_run r = {.p = p,
                .err = ix_storage_error(ctx),
                .bindings = bindings,
                .nbindings = count};
    ilex_status rc = solve(&r, &block);
    for (size_t i = 0; !rc && i < size_count; i++)
        rc = tell_size(&r, &sizes[i]);
    ix_mem_free(&p->mem, block);
    return rc;
}

/* ---- outputs ---- */

/* An evaluation: the run that sizes came from, and all bindings. */
typedef struct evaluation {
    ilex_context *ctx;
    ix_run r;
    ilex_binding *binding; /* those given, then one for each output made */
    size_t count;
    ilex_storage **results;
    ilex_size_binding *counted;
} evaluation;

ilex_storage *
ix_make_argument(ilex_context *ctx, const ix_run *r,
                 const ix_compiled_buffer *b)
{
    int64_t shape[ILEX_MAX_RANK] = {0}, origin[ILEX_MAX_RANK] = {0};
    char words[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)];
    const ix_state *s = &r->s;
    for (int k = 0; k < b->rank; k++) {
        ix_ends_row x = s->t->axis[b->first_stride + k].interior;
        int64_t lo, hi;
        if (!ix_extreme(s->t, s->least, s->size, x.lo, false, &lo) ||
            !ix_extreme(s->t, s->least, s->size, x.hi, true, &hi) ||
            !ix_sub(hi, lo, &shape[k]))
            return ix_fail_null(r->err, ILEX_E_OVERFLOW,
                                "%s: with these sizes the range of axis %s of "
                                "%s leaves 64 bits",
                                r->p->c->name,
                                s->t->axis[b->first_stride + k].label, b->name);
        shape[k] = shape[k] < 0 ? 0 : shape[k];
        origin[k] = lo;
    }
    bool device = r->p->backend->engine == &ix_engine_device;
    bool divided = false;
    for (int k = 0; r->grid && k < b->rank; k++)
        divided |= ix_grid_find(r->grid, b->axis[k]) >= 0;
    ilex_storage_spec spec = {
        .size = sizeof spec,
        .dtype = ilex_dtype_name(b->dtype),
        .rank = b->rank,
        .shape = shape,
        .layout = r->p->c->fortran ? "F" : "C",
        .axes = ix_storage_axis_words(b->rank, b->axis, words, sizeof words),
        .device = device ? "gpu" : NULL,
        .name = b->name,
        .origin = origin,
        .grid = divided ? r->grid : NULL};
    return ilex_storage_new(ctx, &spec);
}

/* The storage of each output, made or bound. */
static ilex_status
make_outputs(evaluation *e)
{
    const ix_compiled *c = e->r.p->c;
    size_t n = 0;
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role != IX_COMPILED_OUTPUT)
            continue;
        bool made = !e->r.bound[i];
        ilex_storage *s =
            made
                ? ix_make_argument(e->ctx, &e->r, b)
                : ilex_storage_retain((ilex_storage *)(uintptr_t)e->r.bound[i]);
        if (!s)
            return e->r.err ? e->r.err->code : ILEX_E_MEMORY;
        e->results[n++] = s;
        if (made)
            e->binding[e->count++] =
                (ilex_binding){.name = b->name, .storage = s};
    }
    return ILEX_OK;
}

/* "s" cut to the domain that the counted sizes give it. */
static ilex_storage *
cut_output(const evaluation *e, const ix_compiled_buffer *b, ilex_storage *s)
{
    for (int k = 0; s && k < b->rank; k++) {
        int64_t lo, hi;
        ix_range_eval(&b->interior[k], e->r.s.size, &lo, &hi);
        hi = hi < lo ? lo : hi;
        ilex_storage *part =
            *b->axis[k] ? ilex_storage_restrict(e->ctx, s, b->axis[k], lo, hi)
                        : ilex_storage_slice(e->ctx, s, k, 0, hi, 1);
        ilex_storage_release(s);
        s = part;
    }
    return s;
}

/* Outputs that were made have the counted lengths. */
static ilex_status
cut_outputs(evaluation *e)
{
    const ix_compiled *c = e->r.p->c;
    size_t n = 0;
    for (size_t i = 0; i < c->ncounts; i++)
        e->r.s.size[c->count[i].size] = e->counted[i].value;
    ix_derive_sizes(c->tables, e->r.s.size);
    for (size_t i = 0; i < c->narguments; i++) {
        if (c->buffer[i].role != IX_COMPILED_OUTPUT)
            continue;
        if (!e->r.bound[i])
            e->results[n] = cut_output(e, &c->buffer[i], e->results[n]);
        if (!e->results[n++])
            return e->r.err ? e->r.err->code : ILEX_E_MEMORY;
    }
    return ILEX_OK;
}

static ilex_status
run(evaluation *e)
{
    const ix_compiled *c = e->r.p->c;
    ilex_call call = {.size = sizeof call,
                      .counted = e->counted,
                      .counted_count = c->ncounts};
    for (size_t i = 0; i < c->ncounts; i++)
        e->counted[i].name = c->size[c->count[i].size].name;
    ilex_status rc = ilex_run(e->r.p, e->binding, e->count, &call);
    if (rc)
        return ix_fail(e->r.err, rc, "%s", call.error);
    return c->ncounts ? cut_outputs(e) : ILEX_OK;
}

static size_t
output_count(const ix_compiled *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->narguments; i++)
        n += c->buffer[i].role == IX_COMPILED_OUTPUT;
    return n;
}

static ilex_status
evaluate(evaluation *e)
{
    const ix_mem *mem = &e->r.p->mem;
    const ix_compiled *c = e->r.p->c;
    void *block = NULL;
    size_t count = e->r.nbindings + output_count(c);
    e->binding = ix_mem_new(mem, (count + 1) * sizeof *e->binding);
    e->counted = ix_mem_new(mem, (c->ncounts + 1) * sizeof *e->counted);
    ilex_status rc = e->binding && e->counted ? solve(&e->r, &block)
                                              : ix_fail_memory(e->r.err);
    if (!rc && e->r.nbindings)
        memcpy(e->binding, e->r.bindings, e->r.nbindings * sizeof *e->binding);
    e->count = e->r.nbindings;
    rc = rc ? rc : make_outputs(e);
    rc = rc ? rc : run(e);
    ix_mem_free(mem, block);
    ix_mem_free(mem, e->counted);
    ix_mem_free(mem, e->binding);
    return rc;
}

ilex_status
ilex_evaluate(ilex_context *ctx, const ilex_program *p,
              const ilex_binding *bindings, size_t count,
              ilex_storage **results)
{
    ix_error own, *err = ctx ? ix_storage_error(ctx) : &own;
    if (!p || !results)
        return ix_fail(err, ILEX_E_ARGUMENT, "evaluate: the %s is NULL",
                       p ? "list of results" : "program");
    ix_error_clear(&own);
    size_t n = output_count(p->c);
    memset(results, 0, n * sizeof *results);
    evaluation e = {
        .ctx = ctx,
        .r = {.p = p, .err = err, .bindings = bindings, .nbindings = count},
        .results = results};
    ilex_status rc = evaluate(&e);
    for (size_t i = 0; rc && i < n; i++) {
        ilex_storage_release(results[i]);
        results[i] = NULL;
    }
    return rc;
}

/* ---- steps ---- */

/* Two bindings that change places. */
typedef struct swap {
    size_t a, b;
} swap;

/* The word at "*at", which goes behind it and blanks. */
static size_t
read_word(const char **at, const char **word)
{
    *word = *at + strspn(*at, " \t");
    size_t n = strcspn(*word, " \t=,");
    *at = *word + n + strspn(*word + n, " \t");
    return n;
}

/* The binding called "word"; count if there is none. */
static size_t
find_binding(const ilex_binding *bindings, size_t count, const char *word,
             size_t length)
{
    size_t i = 0;
    while (i < count &&
           (!bindings[i].name || strlen(bindings[i].name) != length ||
            memcmp(bindings[i].name, word, length) != 0))
        i++;
    return i;
}

/* Reads "u=v, w=x" into "list", which has room for one more than there are '='.
 */
static ilex_status
read_swaps(const ilex_program *p, const ilex_binding *bindings, size_t count,
           const char *text, swap *list, size_t *n, ix_error *err)
{
    for (const char *at = text; at && *at; *n += 1) {
        const char *a, *b = "";
        size_t la = read_word(&at, &a), lb = 0;
        bool equals = *at == '=';
        at += equals;
        lb = equals ? read_word(&at, &b) : 0;
        if (!la || !lb || (*at && *at != ','))
            return ix_fail(err, ILEX_E_ARGUMENT,
                           "%s: swaps '%.80s': pairs of names are expected, "
                           "for example \"u=u_new, v=v_new\"",
                           p->c->name, text);
        at += *at == ',';
        list[*n] = (swap){find_binding(bindings, count, a, la),
                          find_binding(bindings, count, b, lb)};
        size_t x = list[*n].a, y = list[*n].b;
        bool first = x == count;
        if (first || y == count)
            return ix_fail(err, ILEX_E_BINDING,
                           "%s: swaps '%.80s': nothing is bound to '%.*s'",
                           p->c->name, text, (int)(first ? la : lb),
                           first ? a : b);
        first = bindings[x].kind != ILEX_BOUND_STORAGE;
        if (first || x == y || bindings[y].kind != ILEX_BOUND_STORAGE)
            return ix_fail(err, ILEX_E_BINDING,
                           "%s: swaps '%.80s': two storages change places, "
                           "'%.*s' %s",
                           p->c->name, text, (int)(first ? la : lb),
                           first ? a : b,
                           x == y ? "is one" : "is bound to a number");
    }
    return ILEX_OK;
}

static void
exchange(ilex_binding *bindings, const swap *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ilex_binding *a = &bindings[list[i].a], *b = &bindings[list[i].b];
        ilex_binding before = *a;
        *a = *b;
        a->name = before.name;
        before.name = b->name;
        *b = before;
    }
}

/* Tells the caller that so many steps are made. */
static ilex_status
tell_progress(const ilex_program *p, ilex_call *call, int64_t made)
{
    ilex_status rc = ix_call_progress(call, made - 1, made);
    if (rc)
        snprintf(call->error, sizeof call->error,
                 "%s: cancelled when %lld steps were made", p->c->name,
                 (long long)made);
    return rc;
}

/* Those with whom a run would be one, or NULL. */
static ilex_group *
group_of(const ilex_binding *bindings, size_t count, const ilex_call *call)
{
    if (call && call->size >= sizeof *call && call->group)
        return call->group;
    const ilex_grid *grid = ix_ranks_grid(bindings, count);
    return grid ? ilex_grid_group(grid) : NULL;
}

ilex_status
ilex_run_steps(const ilex_program *p, ilex_binding *bindings, size_t count,
               int64_t steps, const char *swaps, ilex_call *call)
{
    ix_error err;
    size_t n = 0, room = 1;
    if (!p || (count > 0 && !bindings) || steps < 0)
        return ix_tell_call(call, ILEX_E_ARGUMENT,
                            !p ? "run_steps: the program is NULL"
                            : steps < 0
                                ? "run_steps: the number of steps is negative"
                                : "run_steps: bindings is NULL");
    ix_error_clear(&err);
    for (const char *s = swaps; s && *s; s++)
        room += *s == '=' || *s == ',';
    swap *list = ix_mem_new(&p->mem, room * sizeof *list);
    ilex_status rc = list
                         ? read_swaps(p, bindings, count, swaps, list, &n, &err)
                         : ix_fail_memory(&err);
    ilex_group *group = rc ? group_of(bindings, count, call) : NULL;
    if (group)
        ix_messages_fail(group, rc, err.text);
    if (rc)
        ix_tell_call(call, rc, err.text);
    for (int64_t i = 0; !rc && i < steps; i++) {
        rc = ilex_run(p, bindings, count, call);
        if (!rc)
            exchange(bindings, list, n);
        if (!rc && p->c->nloops == 0 && call &&
            call->size >= offsetof(ilex_call, group))
            rc = tell_progress(p, call, i + 1);
    }
    ix_mem_free(&p->mem, list);
    return rc;
}
