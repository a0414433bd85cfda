/* SPDX-License-Identifier: MIT
 *
 * How long runs take: for the number of threads that they are worth, and for
 * the choice of better code. Runs are timed by two looks at the clock; of
 * short ones, beside which a look is long, one stands for many. What two
 * threads note at once may be noted once.
 */
#include "runtime/program/program.h"

struct ix_meter {
    atomic_int skipped;  /* short runs before the next one is timed */
    _Atomic double pace; /* seconds of one thread for an element of the
                            arguments; 0: not known */
};

ix_meter *
ix_meter_new(const ix_mem *mem)
{
    return ix_mem_new(mem, sizeof(ix_meter));
}

double
ix_meter_begin(const ilex_program *p)
{
    ix_meter *m = p->meter;
    if (!m || (p->threads != 0 && !ix_promotion_counts(p->promotion)))
        return 0;
    int left = atomic_load_explicit(&m->skipped, memory_order_relaxed);
    if (left == 0)
        return ix_clock();
    atomic_store_explicit(&m->skipped, left - 1, memory_order_relaxed);
    return 0;
}

static int64_t
count_elements(const ix_run *r)
{
    int64_t n = 1;
    for (size_t i = 0; i < r->p->c->narguments; i++)
        if (r->bound[i])
            n += ilex_storage_count(r->bound[i]);
    return n;
}

/* Down at once, up slowly: a thread that has to wait for its processor says
 * nothing about the program. */
static void
note_pace(ix_meter *m, double now)
{
    double pace = atomic_load_explicit(&m->pace, memory_order_relaxed);
    if (pace > 0 && now > pace)
        now = pace + (now - pace) / 8;
    atomic_store_explicit(&m->pace, now, memory_order_relaxed);
}

void
ix_meter_end(const ix_run *r, double begin)
{
    enum { MANY = 32 };
    const double is_short = 2e-6;
    if (begin <= 0)
        return;
    ix_meter *m = r->p->meter;
    double took = ix_clock() - begin;
    int stands_for = took < is_short ? MANY : 1;
    atomic_store_explicit(&m->skipped, stands_for - 1, memory_order_relaxed);
    ix_promotion_ran(r->p->promotion, took * stands_for);
    if (r->p->threads == 0)
        note_pace(m, took * r->threads / (double)count_elements(r));
}

/* A thread gets work for as long as it takes to wake it, at least; before the
 * first run a few nanoseconds for an element are a guess. */
int
ix_meter_threads(const ix_run *r)
{
    const double guess = 3e-10, wake = 10e-6;
    int cores = ix_pool_cores();
    double pace = r->p->meter ? atomic_load(&r->p->meter->pace) : 0;
    double work = (pace > 0 ? pace : guess) * (double)count_elements(r);
    return work >= cores * wake ? cores
           : work < 2 * wake    ? 1
                                : (int)(work / wake);
}
