/* SPDX-License-Identifier: MIT
 *
 * Properties of the compiler: passes are idempotent where they should be, and
 * what they make does not depend on addresses or on what else a context holds.
 */
#include <string.h>

#include "compiler/compiler.h"
#include "compiler/unit.h"
#include "tests/property/property.h"

/* ---- passes on the graph ---- */

/* Calls "body" for the unit of the program after the pass `check`. */
static bool
with_unit(property_case *c, bool (*body)(property_case *c, ix_unit *u))
{
    size_t scope = ilex_scope_begin(c->ctx);
    ix_unit u = {.ctx = c->ctx, .module = c->module};
    volatile bool ok = false;
    c->ctx->facts = c->module->env;
    ix_unit_begin(&u);
    if (IX_ARENA_TRY(&u.arena) && ix_pass_check(&u))
        ok = body(c, &u);
    else
        property_fail(c, "check: %s", ilex_error_text(c->ctx));
    ix_arena_free(&u.arena);
    c->ctx->facts = NULL;
    ilex_scope_end(c->ctx, scope, NULL);
    return ok;
}

static bool
same_roots(property_case *c, const ix_unit *u, ilex_array *const *roots,
           const char *what)
{
    for (size_t i = 0; i < u->nroots; i++)
        if (u->root[i] != roots[i])
            return property_fail(c, "%s made output %zu another node", what, i);
    return true;
}

/* A copy of them, in the unit's memory. */
static ilex_array **
copy_roots(ix_unit *u)
{
    size_t bytes = u->nroots * sizeof *u->root;
    return memcpy(ix_arena_new(&u->arena, bytes), u->root, bytes);
}

static bool
simplify_twice(property_case *c, ix_unit *u)
{
    if (!ix_pass_simplify(u))
        return property_fail(c, "simplify: %s", ilex_error_text(c->ctx));
    ilex_array **roots = copy_roots(u);
    if (!ix_pass_simplify(u))
        return property_fail(c, "simplify: %s", ilex_error_text(c->ctx));
    return same_roots(c, u, roots, "the second simplification");
}

bool
property_simplified(property_case *c)
{
    return with_unit(c, simplify_twice);
}

static ilex_array *
rebuild(ix_unit *u, void *user, ilex_array *n)
{
    (void)u;
    (void)user;
    return ix_with_operands(n, n->ops);
}

static bool
rewrite_nothing(property_case *c, ix_unit *u)
{
    ilex_array **roots = copy_roots(u);
    u->changed = false;
    if (!ix_unit_rewrite(u, rebuild, NULL))
        return property_fail(c, "rewrite: %s", ilex_error_text(c->ctx));
    if (u->changed)
        return property_fail(c, "rewriting nothing reports a change");
    return same_roots(c, u, roots, "rewriting nothing");
}

bool
property_kept(property_case *c)
{
    return with_unit(c, rewrite_nothing);
}

/* ---- text of stages and source ---- */

/* Compares what "make" gives for the program a second time, and for the same
 * program in a context in which much else was built. */
static bool
reproducible(property_case *c, const char *what,
             char *(*make)(ilex_module *module, const char *which),
             const char *which)
{
    property_case other;
    if (!property_same_text(c, what, make(c->module, which), c->ctx,
                            make(c->module, which), c->ctx))
        return false;
    if (!property_open(&other, c->recipe, true))
        return property_fail(c, "elsewhere: %s", other.why);
    bool ok = property_same_text(c, what, make(c->module, which), c->ctx,
                                 make(other.module, which), other.ctx);
    property_close(&other);
    return ok;
}

bool
property_same_source(property_case *c)
{
    return reproducible(c, "C source", ilex_module_emit, "c") &&
           reproducible(c, "CUDA source", ilex_module_emit, "cuda");
}

bool
property_same_stages(property_case *c)
{
    static const char *const stages[] = {
#define IX_PASS(name, before, after, meaning) #name,
#include "compiler/passes.def"
    };
    for (size_t i = 0; i < IX_COUNT(stages); i++)
        if (!reproducible(c, stages[i], ilex_module_stage, stages[i]))
            return false;
    return true;
}
