/* SPDX-License-Identifier: MIT
 *
 * How long kernels run, while a program is asked to measure it. Numbers of
 * nanoseconds are added by any threads; off, a launch looks at one flag.
 */
#include "runtime/program/program.h"

ix_profile *
ix_profile_new(const ix_mem *mem, size_t kernels)
{
    ix_profile *f = ix_mem_new(mem, sizeof *f + kernels * sizeof f->kernel[0]);
    if (f)
        f->kernels = kernels;
    return f;
}

ilex_status
ix_profile_end(ix_run *r, size_t i, double start)
{
    const ix_engine *e = r->p->backend->engine;
    ix_kernel_clock *clock = &r->p->profile->kernel[i];
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    double took = ix_clock() - start;
    r->busy = r->busy && !e->wait;
    atomic_fetch_add_explicit(&clock->nanoseconds, (uint64_t)(1e9 * took + 0.5),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&clock->calls, 1, memory_order_relaxed);
    return rc;
}

void
ilex_program_profile(const ilex_program *p, int on)
{
    ix_profile *f = p->profile;
    for (size_t i = 0; on && i < f->kernels; i++) {
        atomic_store(&f->kernel[i].nanoseconds, 0);
        atomic_store(&f->kernel[i].calls, 0);
    }
    atomic_store(&f->on, on != 0);
    const ilex_program *v;
    for (size_t i = 0; (v = ilex_program_variant(p, i, NULL)); i++)
        ilex_program_profile(v, on);
}

ilex_status
ilex_program_kernel_time(const ilex_program *p, size_t i,
                         ilex_kernel_time *info)
{
    ilex_kernel_time all = {.size = info ? info->size : 0};
    if (i >= p->profile->kernels ||
        all.size < offsetof(ilex_kernel_time, seconds))
        return ILEX_E_ARGUMENT;
    const ix_kernel_clock *clock = &p->profile->kernel[i];
    all.calls = atomic_load(&clock->calls);
    all.seconds = 1e-9 * (double)atomic_load(&clock->nanoseconds);
    all.size = all.size < sizeof all ? all.size : sizeof all;
    memcpy(info, &all, all.size);
    return ILEX_OK;
}
