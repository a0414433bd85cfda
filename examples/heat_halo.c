/* SPDX-License-Identifier: MIT
 *
 * A stencil in a time loop: heat spreads through a rod whose ends are held at
 * 0. The storages carry one point of halo at each end; the program reads it
 * and never writes it. One sine wave of the rod shrinks by a known factor
 * each step, which is what the result is compared with.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>

enum { N = 50, STEPS = 400 };
static const double c = 0.25, pi = 3.14159265358979323846;

/* The wave at a point of the storage; index 0 is the halo. */
static void
wave(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(double *)element =
        *index == 0 || *index == N + 1 ? 0 : sin(pi * (double)*index / (N + 1));
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n halo(I:1:1)");
    ilex_array *k = ilex_input(ctx, "k", ILEX_F64, "");
    ilex_array *next = ilex_restrict(
        ilex_expr(ctx, "u + k*(u[I+1] - 2*u + u[I-1])", "u", u, "k", k, NULL),
        "I:n");
    ilex_program *p = ilex_compile(
        ctx, 1, &next, &ILEX_COMPILE_SPEC(.names = (const char *[]){"next"}));
    if (!p) {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_context_free(ctx);
        return 1;
    }

    ilex_storage_spec rod = {.size = sizeof rod,
                             .rank = 1,
                             .shape = (int64_t[]){N + 2},
                             .axes = "I",
                             .halo = (int64_t[]){1, 1},
                             .initialize = wave};
    ilex_storage *now = ilex_storage_new(ctx, &rod);
    ilex_storage *then = ilex_storage_new(ctx, &rod);
    ilex_binding args[] = {ILEX_BIND("u", now), ILEX_BIND("next", then),
                           ILEX_BIND_F64("k", c)};
    ilex_call call = {.size = sizeof call};
    ilex_status status = ilex_run_steps(p, args, 3, STEPS, "u=next", &call);
    if (status != ILEX_OK)
        fprintf(stderr, "%s\n", call.error);

    double half = sin(pi / (2 * (N + 1)));
    double factor = pow(1 - 4 * c * half * half, STEPS);
    double worst = 0;
    for (int64_t i = 0; i < N + 2 && status == ILEX_OK; i++) {
        double start, value;
        wave(NULL, &i, &start);
        ilex_storage_get_f64(args[0].storage, &i, &value);
        worst = fmax(worst, fabs(value - factor * start));
    }
    printf("after %d steps the wave is %.6f as high; largest error %.1e\n",
           STEPS, factor, worst);
    ilex_storage_release(now);
    ilex_storage_release(then);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return status != ILEX_OK || worst > 1e-13;
}
