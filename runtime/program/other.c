/* SPDX-License-Identifier: MIT
 *
 * A run of another program with the sizes and the bindings of this one: of the
 * same program for parts of its outputs, of a section, of a part between
 * messages.
 */
#include <stdlib.h>

#include "runtime/program/program.h"

/* The bindings of a run, all by name. */
static void
name_bindings(const ix_run *r, ilex_binding *to)
{
    const ix_compiled *c = r->p->c;
    for (size_t i = 0; i < r->nbindings; i++) {
        size_t argument = ix_binding_argument(c, &r->bindings[i], i);
        to[i] = r->bindings[i];
        if (argument < c->narguments)
            to[i].name = c->buffer[argument].name;
    }
}

/* Of bindings that have names those that a program has arguments for; how many.
 */
static size_t
select_bindings(const ix_compiled *c, ilex_binding *list, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].name && ix_find_argument(c, list[i].name) < c->narguments)
            list[n++] = list[i];
    return n;
}

ilex_size_binding *
ix_other_sizes(const ix_run *r, const ilex_program *p, const int64_t *step,
               size_t *count)
{
    const ix_compiled *c = p->c;
    ilex_size_binding *list =
        ix_mem_new(&p->mem, (c->nsizes + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < c->nsizes; i++) {
        const char *name = c->size[i].name;
        int64_t value =
            step && ix_is_sent_step(name)
                ? step[strtol(name + strlen(IX_SENT_STEP), NULL, 10)]
                : ix_reading_size(r->p->c, r->s.size, name);
        if (ix_compiled_size_is_given(&c->size[i]))
            list[(*count)++] = (ilex_size_binding){name, value};
    }
    return list;
}

ilex_status
ix_other_begin(const ix_run *r, const ilex_program *p, const ix_other *more,
               ix_run *to, ilex_call *call)
{
    size_t n = r->nbindings + more->n;
    size_t nsizes;
    ilex_size_binding *sizes = ix_other_sizes(r, p, more->step, &nsizes);
    ilex_binding *list = ix_mem_new(&p->mem, (n + 1) * sizeof *list);
    *call = r->call ? *r->call : (ilex_call){.size = sizeof *call};
    call->sizes = sizes;
    call->size_count = nsizes;
    *to = (ix_run){
        .p = p, .call = call, .err = r->err, .grid = r->grid, .bindings = list};
    if (!sizes || !list)
        return ix_fail_memory(r->err);
    name_bindings(r, list);
    if (more->n)
        memcpy(list + r->nbindings, more->binding, more->n * sizeof *list);
    to->nbindings = select_bindings(p->c, list, n);
    return ILEX_OK;
}

void
ix_other_end(const ix_run *other)
{
    ix_mem_free(&other->p->mem, (void *)(uintptr_t)other->call->sizes);
    ix_mem_free(&other->p->mem, (void *)(uintptr_t)other->bindings);
}
