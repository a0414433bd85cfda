/* SPDX-License-Identifier: MIT
 *
 * Calls of functions of the host: which functions a program's calls mean, and
 * what such a function is given in a run. Every engine of the host comes
 * through here, so that results do not depend on the back end.
 */
#include "lib/graph/function.h"

#include <stdio.h>

#include "lib/base/fpenv.h"
#include "runtime/program/program.h"

/* ---- linking ---- */

/* What a call means where the program runs; NULL: nothing. */
static ilex_function
function_of(const ilex_program *p, const ilex_function_spec *f)
{
    bool device = p->backend->engine == &ix_engine_device;
    return !f ? NULL : device ? f->device : f->host;
}

/* Does the program declare the function as the host does, if it does? */
static bool
check_declaration(ilex_context *ctx, const ix_compiled *c,
                  const ilex_function_spec *f, const char *declaration)
{
    if (!f->declaration || !strcmp(f->declaration, declaration))
        return true;
    return ix_fail_false(
        &ctx->error, ILEX_E_DUPLICATE,
        "program %s declares %.200s, which is registered as %.200s", c->name,
        declaration, f->declaration);
}

static void
refuse(ilex_context *ctx, const ilex_program *p, const ix_compiled_call *call)
{
    bool known = ix_function_find(ctx, call->name) != NULL;
    bool device = p->backend->engine == &ix_engine_device;
    ix_fail(&ctx->error, ILEX_E_UNKNOWN,
            "program %s calls %s%s, which is not registered%s; give it to "
            "ilex_function_register(ctx, \"%s\", ...) before the program is "
            "compiled%s",
            p->c->name, call->name, call->location,
            !known   ? ""
            : device ? " for devices"
                     : " for the host",
            call->name,
            device ? ", as .device, or use jit=cc, tcc or reference" : "");
}

/* What is missing of the function of numbers "name". */
static void
refuse_elementwise(ilex_context *ctx, const ilex_program *p, const char *name,
                   const ilex_function_spec *f)
{
    if (f && p->backend->engine == &ix_engine_device)
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "program %s calls %s for elements on a device, and there is no "
                "source of it in CUDA; give it to ilex_function_register(ctx, "
                "\"%s\", ...) as .elementwise_cuda, or use jit=cc, tcc or "
                "reference",
                p->c->name, name, name);
    else
        ix_fail(&ctx->error, ILEX_E_UNKNOWN,
                "program %s calls %s for elements, which is not registered%s; "
                "give it to ilex_function_register(ctx, \"%s\", ...) as "
                ".elementwise before the program is compiled",
                p->c->name, name, f ? " as a function of numbers" : "", name);
}

static bool
link_elementwise(ilex_context *ctx, ilex_program *p)
{
    const ix_compiled *c = p->c;
    bool device = p->backend->engine == &ix_engine_device;
    for (size_t i = 0; i < c->nfunctions; i++) {
        const char *name = c->function[i].name;
        const ilex_function_spec *f = ix_function_find(ctx, name);
        if (!f || (device ? !f->elementwise_cuda : !f->elementwise)) {
            refuse_elementwise(ctx, p, name, f);
            return false;
        }
        if (!check_declaration(ctx, c, f, c->function[i].declaration))
            return false;
        p->elementwise[i] = f->elementwise;
    }
    return true;
}

bool
ix_link_functions(ilex_context *ctx, ilex_program *p)
{
    const ix_compiled *c = p->c;
    p->function = ix_mem_new(&p->mem, (c->ncalls + 1) * sizeof *p->function);
    p->elementwise =
        ix_mem_new(&p->mem, (c->nfunctions + 1) * sizeof *p->elementwise);
    if (!p->function || !p->elementwise)
        return ix_fail_memory_false(&ctx->error);
    for (size_t i = 0; i < c->ncalls; i++) {
        const ilex_function_spec *f = ix_function_find(ctx, c->call[i].name);
        if (c->call[i].routine)
            continue;
        if (!function_of(p, f)) {
            refuse(ctx, p, &c->call[i]);
            return false;
        }
        if (!check_declaration(ctx, c, f, c->call[i].declaration))
            return false;
        p->function[i] = *f;
    }
    return link_elementwise(ctx, p);
}

/* ---- calling ---- */

static bool
on_device(const ix_run *r)
{
    return r->p->backend->engine == &ix_engine_device;
}

/* Everything before the call is done, and a device can reach the arguments. */
static ilex_status
get_ready(ix_run *r, const ix_compiled_call *c)
{
    const ix_engine *e = r->p->backend->engine;
    for (int k = 0; k < c->narguments; k++)
        if (r->value && r->value[c->slice[k].buffer])
            return ix_fail(r->err, ILEX_E_UNSUPPORTED,
                           "%s: %s%s is given %s, which lies on the host; let "
                           "it have memory of the device, or make it an array "
                           "of one element",
                           r->p->c->name, c->name, c->location,
                           r->p->c->buffer[c->slice[k].buffer].name);
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    r->busy = false;
    return rc;
}

/* The function is called in the environment of runs, whatever it leaves. */
static ilex_status
call_function(ix_run *r, size_t i)
{
    const ix_compiled_call *c = &r->p->c->call[i];
    ilex_status rc = get_ready(r, c);
    char error[400] = "";
    ilex_function_call call = {.size = sizeof call,
                               .argument_count = (size_t)c->narguments,
                               .result_count = (size_t)c->nresults,
                               .argument = r->s.given,
                               .result = r->s.given + c->narguments,
                               .user = r->p->function[i].user,
                               .error = error,
                               .error_bytes = sizeof error,
                               .device = on_device(r) ? r->device : -1};
    if (rc)
        return rc;
    int status = function_of(r->p, &r->p->function[i])(&call);
    ix_fpenv_enter();
    r->busy |= on_device(r); /* with what the function started */
    error[sizeof error - 1] = 0;
    return status == 0 ? ILEX_OK
                       : ix_fail(r->err, ILEX_E_FUNCTION,
                                 "%s: %s%s failed with status %d%s%s",
                                 r->p->c->name, c->name, c->location, status,
                                 *error ? ": " : "", error);
}

ilex_status
ix_run_call(ix_run *r, size_t i)
{
    const ix_compiled_call *c = &r->p->c->call[i];
    return c->routine ? ix_run_routine(r, c) : call_function(r, i);
}
