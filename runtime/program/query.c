/* SPDX-License-Identifier: MIT
 *
 * What a program is made of, before sizes are known: the texts that the
 * compiler left (compiler/report/describe.c), and the seconds of its stages.
 */
#include "runtime/program/program.h"

/* Fills in as many of the "bytes" bytes of "all" as the caller's struct has
 * room for, which begins with its size; "least": up to behind its first member.
 */
static ilex_status
give(void *info, size_t room, void *all, size_t bytes, size_t least)
{
    if (room < least)
        return ILEX_E_ARGUMENT;
    bytes = room < bytes ? room : bytes;
    memcpy(all, &bytes, sizeof bytes);
    memcpy(info, all, bytes);
    return ILEX_OK;
}

/* ---- kernels ---- */

/* The name of the function that kernel "i" calls. */
static const char *
function_of(const ilex_program *p, size_t i)
{
    int dialect = ix_program_tier(p)->backend->dialect;
    return dialect < 0
               ? ""
               : p->c->kernel[p->c->source[dialect].layout[i].function].name;
}

ilex_status
ilex_program_kernel(const ilex_program *p, size_t i, ilex_kernel_info *info)
{
    if (!info || i >= p->c->facts->nkernels)
        return ILEX_E_ARGUMENT;
    const ix_kernel_facts *k = &p->c->facts->kernel[i];
    ilex_kernel_info all = {.name = k->name,
                            .function = function_of(p, i),
                            .rank = k->rank,
                            .axis = k->axis,
                            .domain = k->domain,
                            .read_count = k->nreads,
                            .write_count = k->nwrites,
                            .reads = k->reads,
                            .writes = k->writes,
                            .computes = k->computed,
                            .apart = k->apart,
                            .points = k->points,
                            .operations = k->cost.operations,
                            .at_most = k->cost.most,
                            .bytes_read = k->cost.read,
                            .bytes_written = k->cost.written,
                            .version = k->version};
    return give(info, info->size, &all, sizeof all,
                offsetof(ilex_kernel_info, function));
}

/* ---- memory and costs ---- */

size_t
ilex_program_temporary_count(const ilex_program *p)
{
    return p->c->nbuffers - p->c->narguments;
}

ilex_status
ilex_program_temporary(const ilex_program *p, size_t i,
                       ilex_temporary_info *info)
{
    if (!info || i >= ilex_program_temporary_count(p))
        return ILEX_E_ARGUMENT;
    size_t k = p->c->narguments + i;
    const ix_compiled_buffer *b = &p->c->buffer[k];
    ilex_temporary_info all = {.name = p->c->facts->called[k],
                               .dtype = b->dtype,
                               .rank = b->rank,
                               .domain = p->c->facts->buffer[k].domain,
                               .bytes = p->c->facts->buffer[k].bytes,
                               .each_thread = b->own,
                               .place = b->slot};
    return give(info, info->size, &all, sizeof all,
                offsetof(ilex_temporary_info, dtype));
}

const char *
ilex_program_workspace_formula(const ilex_program *p)
{
    return p->c->facts->workspace;
}

ilex_status
ilex_program_cost(const ilex_program *p, ilex_cost_info *info)
{
    const ix_facts *f = p->c->facts;
    ilex_cost_info all = {.operations = f->cost.operations,
                          .at_most = f->cost.most,
                          .bytes_read = f->cost.read,
                          .bytes_written = f->cost.written};
    return info ? give(info, info->size, &all, sizeof all,
                       offsetof(ilex_cost_info, at_most))
                : ILEX_E_ARGUMENT;
}

/* ---- stages ---- */

enum { CODE_STAGES = 2 }; /* behind those of the compiler */

size_t
ilex_program_stage_count(const ilex_program *p)
{
    return p->c->nstages + CODE_STAGES;
}

ilex_status
ilex_program_stage(const ilex_program *p, size_t i, ilex_stage_info *info)
{
    const ix_tier *t = ix_program_tier(p);
    const ilex_stage_info code[CODE_STAGES] = {
        {.name = "compile",
         .meaning = "the source becomes code, by the compiler of the back end",
         .seconds = t->seconds - t->load_seconds},
        {.name = "load",
         .meaning = "the code is checked, linked and made executable",
         .seconds = t->load_seconds}};
    if (!info || i >= ilex_program_stage_count(p))
        return ILEX_E_ARGUMENT;
    ilex_stage_info all = {0};
    if (i < p->c->nstages)
        all = (ilex_stage_info){.name = p->c->stage[i].name,
                                .meaning = p->c->stage[i].meaning,
                                .seconds = p->c->stage[i].seconds};
    else
        all = code[i - p->c->nstages];
    return give(info, info->size, &all, sizeof all,
                offsetof(ilex_stage_info, meaning));
}
