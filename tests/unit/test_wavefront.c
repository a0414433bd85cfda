/* SPDX-License-Identifier: MIT
 *
 * Loops that make several steps at a time: what the caller is told. Values and
 * shapes are in tests/integration/test_wavefronts.sh and tests/repeat.
 */
#include "runtime/jit/jit.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/watch.h"

/* A loop that makes 14 steps at a time, then 3, then one, tells of those behind
 * which are some that are asked for. */
START_TEST(progress)
{
    static const struct {
        int every, calls, last;
    } rows[] = {{0, 6, 36}, {1, 6, 36}, {7, 3, 35}, {10, 3, 31}, {36, 1, 36}};
    ilex_option_set(ctx, "jit", ix_jit_tcc_available() ? "tcc" : "cc");
    ilex_program *p = compile(
        "ilex 1\nprogram p\nsize n, m\nassume n >= 1 && m >= 1\n"
        "in x : f64[I:n, J:n]\nloop t[0:m] u = x\n"
        "    next u = concat_where(I > 0, u[I-1] + u, u)\nend\nout y = u\n");
    ilex_binding all[] = {
        ILEX_BIND("x", ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(5, 5))),
        ILEX_BIND("y", ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(5, 5)))};
    ilex_size_binding size = {"m", 36};
    for (size_t i = 0; i < 2 * IX_COUNT(rows); i++) {
        watch w = {0, 0, i % 2 ? rows[i / 2].last : -1};
        ilex_call call = ILEX_CALL(.progress = watched, .user = &w,
                                   .every = rows[i / 2].every, .sizes = &size,
                                   .size_count = 1);
        ck_assert_int_eq(ilex_run(p, all, 2, &call),
                         i % 2 ? ILEX_E_CANCELLED : ILEX_OK);
        ck_assert_int_eq(w.calls, rows[i / 2].calls);
        ck_assert_int_eq(w.last, rows[i / 2].last);
    }
    for (int i = 0; i < 2; i++)
        ilex_storage_release(all[i].storage);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("wavefront", progress);
}
