/* SPDX-License-Identifier: MIT
 *
 * Modules: named outputs and the inputs they reach.
 */
#include "lib/build/module.h"

#include "lib/graph/annotation.h"

#include "lib/build/foreign.h"
#include "lib/graph/counted.h"
#include "lib/graph/order.h"
#include "lib/graph/repeats.h"

#include <stdio.h>
#include <stdlib.h>

bool
ix_is_constant_name(const char *text, size_t length)
{
    static const char *const names[] = {"true", "false", "nan", "inf"};
    for (size_t i = 0; i < IX_COUNT(names); i++)
        if (strlen(names[i]) == length && !memcmp(names[i], text, length))
            return true;
    return false;
}

/* ---- life ---- */

/* Gives back all that it holds. */
static void
empty(ilex_module *m)
{
    const ix_mem *mem = &m->ctx->mem;
    for (size_t i = 0; i < m->noutputs; i++)
        ix_node_release(m->output[i].array);
    for (size_t i = 0; i < m->ninputs; i++)
        ix_node_release(m->input[i]);
    for (size_t i = 0; i < m->nlabels; i++)
        ix_node_release(m->label[i].array);
    ix_mem_free(mem, (void *)m->assumption);
    ix_mem_free(mem, m->declared);
    ix_mem_free(mem, m->label);
    ix_mem_free(mem, m->subdomain);
    ix_mem_free(mem, m->message);
    ix_mem_free(mem, m->output);
    ix_mem_free(mem, m->text);
    ix_mem_free(mem, m->input);
}

/* The context ends before its modules are given back (lib/graph/keep.c). */
static void
end_all(ilex_context *ctx)
{
    for (ilex_module *m = ctx->modules; m; m = m->next) {
        empty(m);
        m->ctx = NULL;
        m->remains = ctx->remains;
        ctx->remains->count++;
    }
}

/* May a program, an output be called so? */
static bool
check_name(ilex_context *ctx, const char *what, const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (!ix_name_check(&ctx->error, what, name, n))
        return false;
    if (ix_is_constant_name(name, n))
        ix_fail(&ctx->error, ILEX_E_NAME, "%s: '%s' is a constant", what, name);
    return !ix_is_constant_name(name, n);
}

ilex_module *
ilex_module_new(ilex_context *ctx, const char *name)
{
    if (!ctx || !check_name(ctx, "program", name))
        return NULL;
    ilex_module *m = ix_mem_new(&ctx->mem, sizeof *m);
    if (!m)
        return NULL;
    m->ctx = ctx;
    memcpy(m->name, name, strlen(name) + 1);
    m->next = ctx->modules;
    m->link = &ctx->modules;
    if (m->next)
        m->next->link = &m->next;
    ctx->modules = m;
    ctx->modules_end = end_all;
    return m;
}

void
ilex_module_free(ilex_module *m)
{
    if (!m)
        return;
    if (!m->ctx) {
        ix_remains_let_go(m->remains, m);
        return;
    }
    empty(m);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    ix_mem_free(&m->ctx->mem, m);
}

const char *
ilex_module_name(const ilex_module *m)
{
    return m->name;
}

enum { IX_MODULE_MAX = 4096 };

static ilex_status
too_many(ilex_module *m, const char *what)
{
    return ix_fail(&m->ctx->error, ILEX_E_LIMIT,
                   "program %s has more than %d %s", m->name,
                   (int)IX_MODULE_MAX, what);
}

/* ---- preconditions ---- */

/* Lists one that belongs to m->env. */
static ilex_status
list_assumption(ilex_module *m, const ix_assumption *a)
{
    if (!ix_mem_grow(&m->ctx->mem, &m->assumption, &m->assumption_capacity,
                     m->nassumptions + 1, sizeof *m->assumption))
        return ix_fail_memory(&m->ctx->error);
    m->assumption[m->nassumptions++] = a;
    return ILEX_OK;
}

static int
by_id(const void *a, const void *b)
{
    const ix_assumption *const *p = a, *const *q = b;
    return ((*p)->id > (*q)->id) - ((*p)->id < (*q)->id);
}

/* Adds the preconditions of "env", in the order in which they were made. */
static ilex_status
add_env(ilex_module *m, const ix_env *env)
{
    const ix_env *before = m->env;
    size_t first = m->nassumptions;
    char what[120];
    if (ix_env_count(env) == 0)
        return ILEX_OK;
    snprintf(what, sizeof what, "program %s rests", m->name);
    if (!ix_env_join(m->ctx, what, &m->env, env))
        return m->ctx->error.code;
    ilex_status rc = ILEX_OK;
    for (int32_t i = 0; rc == ILEX_OK && i < ix_env_count(env); i++)
        if (!ix_env_has(before, env->item[i]))
            rc = list_assumption(m, env->item[i]);
    if (m->nassumptions > first)
        qsort((void *)(m->assumption + first), m->nassumptions - first,
              sizeof *m->assumption, by_id);
    return rc;
}

ilex_status
ix_module_assume(ilex_module *m, const ix_assumption *a)
{
    const ix_env *one = NULL;
    return ix_env_add(m->ctx, &one, a) == IX_YES ? add_env(m, one)
                                                 : m->ctx->error.code;
}

/* ---- inputs ---- */

/* Reports two different inputs of one name. */
static ilex_status
two_inputs(ilex_context *ctx, const ilex_array *a, const ilex_array *b)
{
    bool env = a->interior == b->interior && a->valid == b->valid &&
               a->dtype == b->dtype;
    const char *name = ix_symbol_text(ctx, (int32_t)a->attr[0]);
    if (env)
        return ix_fail(&ctx->error, ILEX_E_DUPLICATE,
                       "two different inputs are called '%s': %s[%s] was "
                       "declared under the assumption '%.200s', and under "
                       "'%.200s'; declare it once",
                       name, ilex_dtype_name((ilex_dtype)a->dtype),
                       ix_domain_show(ctx, a->interior).s,
                       a->env ? ix_env_show(ctx, a->env).s : "none",
                       b->env ? ix_env_show(ctx, b->env).s : "none");
    return ix_fail(&ctx->error, ILEX_E_DUPLICATE,
                   "two different inputs are called '%s': %s[%s] and %s[%s]",
                   name, ilex_dtype_name((ilex_dtype)a->dtype),
                   ix_domain_show(ctx, a->interior).s,
                   ilex_dtype_name((ilex_dtype)b->dtype),
                   ix_domain_show(ctx, b->interior).s);
}

ilex_array *
ix_module_input(const ilex_module *m, int32_t name)
{
    for (size_t i = 0; i < m->ninputs; i++)
        if (m->input[i]->attr[0] == name)
            return m->input[i];
    return NULL;
}

ilex_status
ix_module_add_input(ilex_module *m, ilex_array *input)
{
    ilex_context *ctx = m->ctx;
    for (size_t i = 0; i < m->ninputs; i++) {
        if (m->input[i] == input)
            return ILEX_OK;
        if (m->input[i]->attr[0] == input->attr[0])
            return two_inputs(ctx, m->input[i], input);
    }
    if (m->ninputs == IX_MODULE_MAX)
        return too_many(m, "inputs");
    if (!ix_mem_grow(&ctx->mem, &m->input, &m->input_capacity, m->ninputs + 1,
                     sizeof *m->input))
        return ix_fail_memory(&ctx->error);
    m->input[m->ninputs++] = ix_node_retain(input);
    return add_env(m, input->env);
}

/* Two declarations of a name would be one function of the host. */
static ilex_status
check_foreign(ilex_module *m, ix_map *declared, const ilex_array *n)
{
    ilex_context *ctx = m->ctx;
    const char *name = ix_symbol_text(ctx, ix_foreign_name(n));
    size_t declaration = (size_t)ix_foreign_declaration(n);
    const size_t *known = ix_map_find(declared, name);
    if (!known)
        return ix_map_set(declared, &ctx->mem, name, declaration)
                   ? ILEX_OK
                   : ix_fail_memory(&ctx->error);
    if (*known == declaration)
        return ILEX_OK;
    return ix_fail(&ctx->error, ILEX_E_DUPLICATE,
                   "program %s: the foreign function %s is declared in two "
                   "ways: %.200s, and %.200s",
                   m->name, name, ix_symbol_text(ctx, (int32_t)*known),
                   ix_symbol_text(ctx, (int32_t)declaration));
}

/* What the outputs reach, operands first. */
typedef struct reached {
    ilex_module *module;
    ix_order order;
    size_t visited;  /* of these */
    ix_map declared; /* text of a foreign function's name: its declaration */
} reached;

/* A function of numbers in a body. */
static bool
check_apply(void *user, const ilex_array *apply)
{
    reached *r = user;
    return check_foreign(r->module, &r->declared, apply) == ILEX_OK;
}

/* Adds an input, checks another array. */
static ilex_status
visit(reached *r, ilex_array *n)
{
    ilex_module *m = r->module;
    if (n->kind == IX_INPUT)
        return ix_module_add_input(m, n);
    if (n->kind == IX_SELF)
        return ix_fail(&m->ctx->error, ILEX_E_ARGUMENT,
                       "program %s: %s of a scan is used before its scan is "
                       "closed; use what ilex_scan gives for it",
                       m->name,
                       n->attr[1] ? ix_symbol_text(m->ctx, (int32_t)n->attr[1])
                                  : "a result");
    if (n->kind == IX_FOREIGN)
        return check_foreign(m, &r->declared, n);
    return ix_apply_each(n, NULL, check_apply, r) ? ILEX_OK
                                                  : m->ctx->error.code;
}

/* Visits what "root" reaches and nothing before did. */
static ilex_status
visit_from(reached *r, ilex_array *root)
{
    ilex_context *ctx = r->module->ctx;
    ilex_status rc = ix_order_from(&r->order, root) ? ILEX_OK : ctx->error.code;
    while (rc == ILEX_OK && r->visited < r->order.n)
        rc = visit(r, r->order.array[r->visited++]);
    return rc;
}

/* An input and an output of one name would be one argument of a run. */
static ilex_status
check_names(ilex_module *m)
{
    for (size_t i = 0; i < m->noutputs; i++)
        for (size_t k = 0; k < m->ninputs; k++)
            if (m->output[i].name == m->input[k]->attr[0])
                return ix_fail(&m->ctx->error, ILEX_E_DUPLICATE,
                               "an input and an output are called '%s'",
                               ix_symbol_text(m->ctx, m->output[i].name));
    return ILEX_OK;
}

/* What a size counts whose bound an assumption is; NULL: it is none. */
static ilex_array *
counted_by(const ilex_context *ctx, const ix_assumption *a)
{
    int32_t size = ix_counted_by(ctx, a);
    return size < 0 ? NULL : ctx->param[size].mask;
}

/* What has to be counted for the outputs. */
static ilex_status
visit_counted(reached *r)
{
    ilex_module *m = r->module;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; rc == ILEX_OK && i < m->nassumptions; i++) {
        ilex_array *mask = counted_by(m->ctx, m->assumption[i]);
        rc = mask ? visit_from(r, mask) : ILEX_OK;
    }
    return rc;
}

/* ---- loops ---- */

/* Is a root made once, in no loop? */
static ilex_status
check_outside(const reached *r, const ix_repeats *l, const ilex_array *root,
              const char *what)
{
    const size_t *at = ix_map_find(&r->order.number, root);
    if (!l->inside || !at || l->inside[*at] < 0)
        return ILEX_OK;
    return ix_fail(&r->module->ctx->error, ILEX_E_ARGUMENT,
                   "program %s: %s depends on what a loop carries, or on its "
                   "step, which it is made anew in; use what the loop gives",
                   r->module->name, what);
}

static ilex_status
check_loops(const reached *r)
{
    const ilex_module *m = r->module;
    ilex_context *ctx = m->ctx;
    ix_repeats l = {.ctx = ctx, .mem = &ctx->mem};
    ilex_status rc = ix_repeats_find(&l, m->name, r->order.array, r->order.n)
                         ? ILEX_OK
                         : ctx->error.code;
    for (size_t i = 0; rc == ILEX_OK && i < m->noutputs; i++)
        rc = check_outside(r, &l, m->output[i].array,
                           ix_symbol_text(ctx, m->output[i].name));
    ix_repeats_free(&l);
    return rc;
}

ilex_status
ix_module_collect(ilex_module *m)
{
    reached r = {.module = m, .order = {.ctx = m->ctx}};
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; rc == ILEX_OK && i < m->noutputs; i++)
        rc = visit_from(&r, m->output[i].array);
    rc = rc ? rc : visit_counted(&r);
    rc = rc ? rc : check_loops(&r);
    ix_map_free(&r.declared, &m->ctx->mem);
    ix_order_free(&r.order);
    rc = rc ? rc : check_names(m);
    return rc ? rc : ix_module_check_messages(m);
}

/* ---- names ---- */

/* The array that is called by the symbol; the latest of several. */
static ilex_array *
find_array(const ilex_module *m, int32_t symbol)
{
    for (size_t i = m->noutputs; i-- > 0;)
        if (m->output[i].name == symbol)
            return m->output[i].array;
    for (size_t i = m->nlabels; i-- > 0;)
        if (m->label[i].name == symbol)
            return m->label[i].array;
    for (size_t i = 0; i < m->ninputs; i++)
        if (m->input[i]->attr[0] == symbol)
            return m->input[i];
    return NULL;
}

ilex_array *
ilex_module_array(ilex_module *m, const char *name)
{
    ilex_context *ctx = m->ctx;
    ilex_array *x =
        name ? find_array(m, ix_symbol_of(ctx, name, strlen(name))) : NULL;
    if (!x)
        return ix_fail_null(
            &ctx->error, ILEX_E_UNKNOWN,
            "program %s has no array '%.40s'; it has what in, const, let, map, "
            "einsum, reshape, node and out name",
            m->name, name ? name : "NULL");
    return ix_scope_record_array(ctx, x) ? x : NULL;
}

/* ---- outputs ---- */

/* Symbol of a name that an output may carry; -1 after an error. */
static int32_t
output_symbol(ilex_module *m, const char *what, const char *name)
{
    ilex_context *ctx = m->ctx;
    return check_name(ctx, what, name) ? ix_symbol_of(ctx, name, strlen(name))
                                       : -1;
}

ilex_status
ilex_module_output(ilex_module *m, const char *name, ilex_array *value,
                   const char *inplace)
{
    return output_symbol(m, "output", name) < 0
               ? m->ctx->error.code
               : ix_module_add_output(m, name, value, inplace);
}

ilex_status
ix_module_add_output(ilex_module *m, const char *name, ilex_array *value,
                     const char *inplace)
{
    ilex_context *ctx = m->ctx;
    int32_t symbol = ix_symbol_of(ctx, name, strlen(name));
    int32_t in = inplace ? output_symbol(m, "inplace", inplace) : 0;
    if (symbol < 0)
        return ix_fail_memory(&ctx->error);
    if (in < 0)
        return ctx->error.code;
    if (!value || value->ctx != ctx) {
        ix_poison_stranger(ctx, "output", 0, value, "the value of %s", name);
        return ctx->error.code;
    }
    if (value->kind == IX_SKIPPED) {
        ix_fail_skipped(ctx, value);
        return ctx->error.code;
    }
    if (ix_is_poison(value))
        return ix_fail(&ctx->error,
                       ctx->error.code ? ctx->error.code : ILEX_E_ARGUMENT,
                       "output %s: the value comes from a constructor that "
                       "failed, and its error was cleared",
                       name);
    if (!ix_is_array(value))
        value =
            ix_build_restrict(ctx, name, value, ix_domain_new(ctx, 0, NULL));
    value = ix_field_known_part(ctx, name, value);
    if (ix_is_poison(value))
        return ctx->error.code;
    for (size_t i = 0; i < m->noutputs; i++)
        if (m->output[i].name == symbol)
            return ix_fail(&ctx->error, ILEX_E_DUPLICATE,
                           "two outputs are called '%s'", name);
    if (m->noutputs == IX_MODULE_MAX)
        return too_many(m, "outputs");
    if (add_env(m, ctx->in_force) != ILEX_OK ||
        add_env(m, ctx->facts) != ILEX_OK || add_env(m, value->env) != ILEX_OK)
        return ctx->error.code;
    if (!ix_mem_grow(&ctx->mem, &m->output, &m->output_capacity,
                     m->noutputs + 1, sizeof *m->output))
        return ix_fail_memory(&ctx->error);
    m->output[m->noutputs++] = (ix_output){
        .name = symbol, .inplace = in, .array = ix_node_retain(value)};
    return ILEX_OK;
}

/* ---- labels ---- */

ilex_status
ix_module_declare(ilex_module *m, int32_t size)
{
    if (!ix_mem_grow(&m->ctx->mem, &m->declared, &m->declared_capacity,
                     m->ndeclared + 1, sizeof *m->declared))
        return ix_fail_memory(&m->ctx->error);
    m->declared[m->ndeclared++] = size;
    return ILEX_OK;
}

ilex_status
ix_module_label(ilex_module *m, int32_t name, ilex_array *array)
{
    if (name < 0 || !ix_mem_grow(&m->ctx->mem, &m->label, &m->label_capacity,
                                 m->nlabels + 1, sizeof *m->label))
        return ix_fail_memory(&m->ctx->error);
    if (array->kind != IX_INPUT && !ix_name_note(array, name))
        return m->ctx->error.code;
    m->label[m->nlabels++] = (ix_label){name, ix_node_retain(array)};
    return ILEX_OK;
}

void
ix_module_drop_outputs(ilex_module *m, uint64_t without)
{
    size_t n = 0;
    for (size_t i = 0; i < m->noutputs; i++)
        if (i < 64 && (without >> i & 1))
            ix_node_release(m->output[i].array);
        else
            m->output[n++] = m->output[i];
    m->noutputs = n;
}
