/* SPDX-License-Identifier: MIT
 *
 * The names of a run's bindings: storages and numbers for arguments, integers
 * for sizes.
 */
#include "lib/base/suggest.h"
#include "lib/ops/dtype.h"
#include "runtime/program/program.h"

static ilex_status
no_argument(ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    ix_name_list all = {.length = 0};
    ix_suggestion near = ix_suggest(name, strlen(name));
    for (size_t i = 0; i < c->narguments; i++) {
        const char *argument = c->buffer[i].name;
        if (c->buffer[i].role == IX_COMPILED_DATA)
            continue;
        ix_name_list_add(&all, argument, "");
        ix_suggest_name(&near, argument, strlen(argument));
    }
    for (size_t k = 0; k < c->nsizes; k++)
        if (!ix_compiled_size_is_derived(&c->size[k]) && !c->size[k].own)
            ix_suggest_name(&near, c->size[k].name, strlen(c->size[k].name));
    if (!*name)
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: a binding without a name is one too many (its "
                       "arguments are %s)",
                       c->name, all.s);
    return ix_fail(r->err, ILEX_E_BINDING,
                   "%s: there is no argument '%.80s' (its arguments are %s)%s",
                   c->name, name, all.s, ix_suggestion_show(&near).s);
}

static bool
is_size(const ix_compiled *c, const char *name)
{
    for (size_t k = 0; k < c->nsizes; k++)
        if (strcmp(c->size[k].name, name) == 0)
            return true;
    return false;
}

/* ---- numbers ---- */

/* How numbers of each kind are bound, for dtypes of these kinds. */
static const struct {
    const char *write, *kinds;
} numbers[] = {[ILEX_BOUND_F64] = {"ILEX_BIND_F64", "fc"},
               [ILEX_BOUND_I64] = {"ILEX_BIND_I64", "iubfc"},
               [ILEX_BOUND_U64] = {"ILEX_BIND_U64", "uibfc"},
               [ILEX_BOUND_C128] = {"ILEX_BIND_C128", "c"}};

/* The first kind of number that is for "dtype". */
static const char *
number_for(ilex_dtype dtype)
{
    for (size_t i = ILEX_BOUND_F64; i < IX_COUNT(numbers); i++)
        if (numbers[i].kinds[0] == ix_dtype_kind(dtype))
            return numbers[i].write;
    return numbers[ILEX_BOUND_I64].write;
}

static bool
is_integer(const ilex_binding *b)
{
    return b->kind == ILEX_BOUND_I64 || b->kind == ILEX_BOUND_U64;
}

ilex_status
ix_bind_number(ix_run *r, size_t i, const ilex_binding *x)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    if (b->role == IX_COMPILED_OUTPUT || b->rank > 0)
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: argument %s : %s[%s] is bound to a number; numbers "
                       "are for inputs without axes, so bind a storage",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       b->interior_text);
    if ((size_t)x->kind >= IX_COUNT(numbers) ||
        !strchr(numbers[x->kind].kinds, ix_dtype_kind(b->dtype)))
        return ix_fail(r->err, ILEX_E_BINDING_TYPE,
                       "%s: argument %s is %s; bind it to a storage, or to a "
                       "number by %s(\"%s\", ...)",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       number_for(b->dtype), b->name);
    bool fits = is_integer(x)
                    ? ix_element_of_i64(b->dtype, x->integer,
                                        x->kind == ILEX_BOUND_I64, r->cell[i])
                    : ix_element_of_f64(b->dtype, x->re,
                                        x->kind == ILEX_BOUND_C128 ? x->im : 0,
                                        r->cell[i]);
    return fits ? ILEX_OK
                : ix_fail(r->err, ILEX_E_LITERAL,
                          "%s: argument %s is %s, which cannot hold the number "
                          "that it is bound to",
                          r->p->c->name, b->name, ilex_dtype_name(b->dtype));
}

/* ---- one binding ---- */

static ilex_status
bind_one(ix_run *r, size_t place)
{
    const ix_compiled *c = r->p->c;
    const ilex_binding *x = &r->bindings[place];
    size_t i = ix_binding_argument(c, x, place);
    const char *name = x->name             ? x->name
                       : i < c->narguments ? c->buffer[i].name
                                           : "";
    if (i == c->narguments && is_integer(x) &&
        (r->p->is_variant || is_size(c, name)))
        return ix_check_size(r, name);
    if (i == c->narguments && is_size(c, name))
        return ix_fail(r->err, ILEX_E_BINDING_TYPE,
                       "%s: %.80s is a size, which is bound to an integer: "
                       "ILEX_BIND_I64(\"%.80s\", ...)",
                       c->name, name, name);
    if (i == c->narguments)
        return no_argument(r, name);
    bool number = x->kind != ILEX_BOUND_STORAGE;
    if (r->seen[i] || (!number && !x->storage))
        return ix_fail(r->err, ILEX_E_BINDING, "%s: argument %s is bound %s",
                       c->name, name, r->seen[i] ? "twice" : "to NULL");
    r->seen[i] = true;
    if (number)
        return ix_bind_number(r, i, x);
    r->bound[i] = x->storage;
    return ILEX_OK;
}

static ilex_status
check_bound(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    bool message = ix_is_message(r->p->c, i);
    if (r->partial && (b->role == IX_COMPILED_OUTPUT || message))
        return ILEX_OK;
    if (message && b->role != IX_COMPILED_OUTPUT)
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: argument %s : %s[%s] comes from another rank where "
                       "the call has a group (.group); this one has none, so "
                       "bind it",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       b->interior_text);
    return ix_fail(r->err, ILEX_E_BINDING,
                   "%s: argument %s : %s[%s] is not bound", r->p->c->name,
                   b->name, ilex_dtype_name(b->dtype), b->interior_text);
}

ilex_status
ix_bind_names(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ILEX_OK;
    for (size_t j = 0; !rc && j < r->nbindings; j++)
        rc = bind_one(r, j);
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        if (c->buffer[i].role == IX_COMPILED_DATA)
            r->bound[i] = c->buffer[i].data;
        else if (!r->seen[i])
            rc = check_bound(r, i);
    }
    return rc;
}
