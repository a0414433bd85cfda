/* SPDX-License-Identifier: MIT
 *
 * Two programs in a library of CUDA that ilexc had a compiler build, over the
 * stand-in of shim/: they are there under their names and compute. grid.sh
 * builds it with a stand-in for nvcc.
 */
#include "grid_test.h"

#include "all_grow.h"
#include "all_pick.h"

int
main(void)
{
    const double x[3] = {1, 2, 3};
    const int32_t j[4] = {2, 0, 0, 1};
    double y[4];
    double *xs = up_doubles(x, 3), *ys = up_doubles(x, 3);
    int32_t *js = (int32_t *)up(j, sizeof j);
    double *picked = up_doubles(y, 4);
    if (all_pick_dense(3, 4, xs, js, picked, stream) != 0)
        say("pick", "fails");
    cudaStreamSynchronize(stream);
    down(y, picked, sizeof y);
    if (y[0] != 3 || y[1] != 1 || y[2] != 1 || y[3] != 2)
        say("pick", "other results");
    if (all_grow_dense(3, xs, ys, stream) != 0)
        say("grow", "fails");
    cudaStreamSynchronize(stream);
    down(y, ys, sizeof x);
    if (y[0] != 3 || y[1] != 5 || y[2] != 7)
        say("grow", "other results");
    if (all_pick_selftest() != 0)
        say("pick", "the self-test");
    return bad != 0;
}
