/* SPDX-License-Identifier: MIT
 *
 * The parts of a program with messages: compiled, and when each can run.
 */
#include "runtime/program/messages.h"

#include "lib/build/cut.h"

/* A copy in memory of the program's; NULL without. */
static void *
copy(const ix_mem *mem, const void *from, size_t bytes)
{
    void *to = ix_mem_new(mem, bytes + 1);
    return to && bytes ? memcpy(to, from, bytes) : to;
}

static bool
make_part(const ix_mem *mem, size_t messages, const ix_cut_part *from,
          ix_message_part *to)
{
    size_t words = messages / 64 + 1;
    *to = (ix_message_part){
        .program = ilex_compile_module(from->module),
        .needs = copy(mem, from->needs, words * sizeof *from->needs),
        .after = copy(mem, from->after, from->nafter * sizeof *from->after),
        .nafter = from->nafter};
    return to->program && to->needs && to->after;
}

ix_messages *
ix_messages_new(ilex_module *m, const ilex_program *p)
{
    ilex_context *ctx = m->ctx;
    ix_cut cut;
    bool ok = ix_module_cut(m, &cut);
    ix_messages *x = ok ? ix_mem_new(&p->mem, sizeof *x) : NULL;
    ix_message_part *part =
        x ? ix_mem_new(&p->mem, (cut.n + 1) * sizeof *part) : NULL;
    if (x)
        *x = (ix_messages){
            .part = part,
            .n = part ? cut.n : 0,
            .from = copy(&p->mem, cut.from, m->nmessages * sizeof *cut.from)};
    ok = part && x->from;
    for (size_t i = 0; ok && i < cut.n; i++)
        ok = make_part(&p->mem, m->nmessages, &cut.part[i], &part[i]);
    ix_cut_free(ctx, &cut);
    if (ok)
        return x;
    ix_messages_free(&p->mem, x);
    return ctx->error.code ? NULL : ix_fail_memory_null(&ctx->error);
}

void
ix_messages_free(const ix_mem *mem, ix_messages *x)
{
    for (size_t i = 0; x && i < x->n; i++) {
        ilex_program_release(x->part[i].program);
        ix_mem_free(mem, (void *)(uintptr_t)x->part[i].needs);
        ix_mem_free(mem, (void *)(uintptr_t)x->part[i].after);
    }
    if (x) {
        ix_mem_free(mem, (void *)(uintptr_t)x->part);
        ix_mem_free(mem, (void *)(uintptr_t)x->from);
    }
    ix_mem_free(mem, x);
}

bool
ix_message_part_is_ready(const ix_message_part *p, size_t messages,
                         const uint64_t *there, const bool *done)
{
    bool ready = true;
    for (size_t w = 0; ready && w < messages / 64 + 1; w++)
        ready = (p->needs[w] & ~there[w]) == 0;
    for (size_t i = 0; ready && i < p->nafter; i++)
        ready = done[p->after[i]];
    return ready;
}
