/* SPDX-License-Identifier: MIT
 *
 * Waves from a drop in a square basin whose rim is a sponge: it takes away what
 * reaches it, so that little comes back. Pictures on the way.
 *
 *     waves [N [STEPS [PREFIX]]]     writes PREFIX0.png, PREFIX1.png, ...
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* un(i, j) from u and the step before, uo; the sponge is N/8 wide. */
static const char text[] =
    "ilex 1\n"
    "program waves\n"
    "size n\n"
    "in u : f64[I:n, J:n]\nin uo : f64[I:n, J:n]\nin c : f64\n"
    "let w = size(n)/8.0\n"
    "let x = max(w - min(index(I), size(n) - 1 - index(I)), 0.0)/w\n"
    "let y = max(w - min(index(J), size(n) - 1 - index(J)), 0.0)/w\n"
    "let s = 0.3*(x*x + y*y)\n"
    "let around = u[I+1; 0.0] + u[I-1; 0.0] + u[J+1; 0.0] + u[J-1; 0.0]\n"
    "out un : f64[I:n, J:n] =\n"
    "    (2.0*u - (1.0 - s)*uo + c*c*(around - 4.0*u))/(1.0 + s)\n";

static ilex_context *ctx;

static void *
need(void *thing)
{
    if (thing)
        return thing;
    fprintf(stderr, "waves: %s\n", ilex_error_text(ctx));
    exit(1);
}

/* A round drop in the middle of an n x n basin. */
static void
drop(void *n, const int64_t *index, void *element)
{
    double x = (double)index[0] / *(int *)n - 0.5;
    double y = (double)index[1] / *(int *)n - 0.5;
    *(double *)element = exp(-400 * (x * x + y * y));
}

static double
energy(ilex_storage *u, ilex_storage *uo)
{
    ilex_storage *s =
        need(ilex_eval(ctx, "sum(square(u - uo))", "u", u, "uo", uo, NULL));
    double value = *(const double *)ilex_storage_const_data(s);
    ilex_storage_release(s);
    return value;
}

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200, rounds = 4;
    int steps = argc > 2 ? atoi(argv[2]) : 4 * n;
    double most = 0, last = 0;
    ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_module *module = need(ilex_module_parse(ctx, text, NULL));
    ilex_program *p = need(ilex_compile_module(module));
    ilex_module_free(module);
    ilex_storage_spec basin = {.size = sizeof basin,
                               .rank = 2,
                               .shape = (int64_t[]){n, n},
                               .axes = "IJ",
                               .initialize = drop,
                               .initialize_user = &n};
    ilex_binding b[] = {ILEX_BIND("u", need(ilex_storage_new(ctx, &basin))),
                        ILEX_BIND("uo", need(ilex_storage_new(ctx, &basin))),
                        ILEX_BIND("un", need(ilex_storage_new(ctx, &basin))),
                        ILEX_BIND_F64("c", 0.5)};
    ilex_call call = {.size = sizeof call};
    ilex_status rc = ILEX_OK;
    for (int i = 0; i < rounds && !rc; i++) {
        /* after a step what was new is there, and what was there is old */
        rc = ilex_run_steps(p, b, 4, steps / rounds, "u=uo, u=un", &call);
        char name[300];
        snprintf(name, sizeof name, "%s%d.png", argc > 3 ? argv[3] : "", i);
        if (!rc && argc > 3 && ilex_png_write(ctx, name, b[0].storage, NULL))
            need(NULL);
        last = rc ? 0 : energy(b[0].storage, b[1].storage);
        most = fmax(most, last);
        printf("after %d steps: %.3e in motion\n", (i + 1) * (steps / rounds),
               last);
    }
    if (rc)
        fprintf(stderr, "waves: %s\n", call.error);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(b[i].storage);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return rc || last > 0.05 * most;
}
