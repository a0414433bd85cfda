/* SPDX-License-Identifier: MIT
 *
 * See device_copy.h.
 */
#include "runtime/measure/device_copy.h"

#include "runtime/memory/space.h"

/* Two arrays on the device. */
typedef struct arrays {
    const ix_driver *driver;
    void *from, *to;
    size_t bytes; /* of each */
} arrays;

/* Seconds of "n" copies; negative if one fails. */
static double
time_copies(const arrays *a, int64_t n, ix_error *err)
{
    double start = bench_now();
    for (int64_t i = 0; i < n; i++)
        if (a->driver->copy(IX_DEVICE_TO_DEVICE, 0, a->to, a->from, a->bytes,
                            err))
            return -1;
    return bench_now() - start;
}

/* The first one does not count, the second says how many make a sample. */
static ilex_status
measure(const arrays *a, int rounds, double least, bench_samples *rate,
        ix_error *err)
{
    double once = time_copies(a, 1, err) < 0 ? -1 : time_copies(a, 1, err);
    int64_t n = once < least ? (int64_t)(least / (once + 1e-9)) + 1 : 1;
    for (int round = 0; !err->code && round < rounds; round++) {
        double seconds = time_copies(a, n, err);
        bench_add(rate, 2.0 * (double)a->bytes * (double)n / seconds);
    }
    return err->code;
}

ilex_status
bench_device_copy(size_t bytes, int rounds, double least, bench_samples *rate,
                  ix_error *err)
{
    arrays a = {.driver = ix_driver_find(err), .bytes = bytes ? bytes : 1};
    ilex_status rc = a.driver ? ILEX_OK : err->code;
    rc =
        rc ? rc : a.driver->allocate(IX_SPACE_DEVICE, 0, a.bytes, &a.from, err);
    rc = rc ? rc : a.driver->allocate(IX_SPACE_DEVICE, 0, a.bytes, &a.to, err);
    rc = rc ? rc : measure(&a, rounds, least, rate, err);
    if (a.from)
        a.driver->free(IX_SPACE_DEVICE, 0, a.from);
    if (a.to)
        a.driver->free(IX_SPACE_DEVICE, 0, a.to);
    return rc;
}
