/* SPDX-License-Identifier: MIT
 *
 * The shallow water equations on a periodic C grid, after Sadourny (1975):
 * leapfrog steps with a time filter. One text says what a step is; storages are
 * made for the start, and change places after each step.
 *
 *     shallow_water [N [STEPS [PICTURE.png]]]
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char start[] =
    "ilex 1\nprogram start\nsize m, n\nin d : f64\n" /* width of a cell */
    "let s = 6.283185307179586/size(m)\nlet t = 6.283185307179586/size(n)\n"
    "let psi : f64[I:m+1, J:n+1] = 1e6*sin((index(I) + 0.5)*s)*\n"
    "    sin((index(J) + 0.5)*t)\n"
    "out u : f64[I:m, J:n] = (psi - psi[J+1])/d\n"
    "out v : f64[I:m, J:n] = (psi[I+1] - psi)/d\n"
    "out p : f64[I:m, J:n] = square(3.141592653589793*1e6/(size(n)*d))*\n"
    "    (cos(2.0*index(I)*s) + cos(2.0*index(J)*t)) + 5e4\n";

static const char step[] =
    "ilex 1\nprogram step\nsize m, n\nassume m >= 1 && n >= 1\n"
    "in u : f64[I:m, J:n]\nin v : f64[I:m, J:n]\nin p : f64[I:m, J:n]\n"
    "in uo : f64[I:m, J:n]\nin vo : f64[I:m, J:n]\nin po : f64[I:m, J:n]\n"
    "in d : f64\nin dt : f64\nin filter : f64\n"
    "let cu = 0.5*(p + p[I-1; wrap])*u\n"
    "let cv = 0.5*(p + p[J-1; wrap])*v\n"
    "let z = 4.0/d*(v - v[I-1; wrap] - u + u[J-1; wrap])/\n"
    "    (p + p[I-1; wrap] + p[J-1; wrap] + p[I-1, J-1; wrap])\n"
    "let h = p + 0.25*(square(u[I+1; wrap]) + square(u) +\n"
    "    square(v[J+1; wrap]) + square(v))\n"
    "out un = uo + dt/8.0*(z[J+1; wrap] + z)*(cv[J+1; wrap] +\n"
    "    cv[I-1, J+1; wrap] + cv[I-1; wrap] + cv) - dt/d*(h - h[I-1; wrap])\n"
    "out vn = vo - dt/8.0*(z[I+1; wrap] + z)*(cu[I+1; wrap] + cu +\n"
    "    cu[J-1; wrap] + cu[I+1, J-1; wrap]) - dt/d*(h - h[J-1; wrap])\n"
    "out pn = po - dt/d*(cu[I+1; wrap] - cu + cv[J+1; wrap] - cv)\n"
    "out uf = u + filter*(un - 2.0*u + uo)\n"
    "out vf = v + filter*(vn - 2.0*v + vo)\n"
    "out pf = p + filter*(pn - 2.0*p + po)\n";

static ilex_context *ctx;

/* Ends with Ilex's message unless there is something. */
static void *
need(void *thing)
{
    if (thing)
        return thing;
    fprintf(stderr, "shallow_water: %s\n", ilex_error_text(ctx));
    exit(1);
}

static double
value_of(const char *expression, ilex_storage *p)
{
    ilex_storage *s = need(ilex_eval(ctx, expression, "p", p, NULL));
    double value = *(const double *)ilex_storage_const_data(s);
    ilex_storage_release(s);
    return value;
}

int
main(int argc, char **argv)
{
    enum { P = 2, UO = 3, D = 12, DT, FILTER, ALL };
    int n = argc > 1 ? atoi(argv[1]) : 64,
        steps = argc > 2 ? atoi(argv[2]) : 100;
    ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_module *first = need(ilex_module_parse(ctx, start, NULL)),
                *then = need(ilex_module_parse(ctx, step, NULL));
    ilex_program *make = need(ilex_compile_module(first)),
                 *advance = need(ilex_compile_module(then));
    ilex_module_free(first);
    ilex_module_free(then);

    static const char *const names[] = {"u",  "v",  "p",  "uo", "vo", "po",
                                        "un", "vn", "pn", "uf", "vf", "pf"};
    ilex_binding b[ALL] = {[D] = ILEX_BIND_F64("d", 1e5),
                           [DT] = ILEX_BIND_F64("dt", 90),
                           [FILTER] = ILEX_BIND_F64("filter", 0)};
    const ilex_binding grid[] = {ILEX_BIND_I64("m", n), ILEX_BIND_I64("n", n),
                                 ILEX_BIND_F64("d", 1e5)};
    ilex_storage *begin[3];
    if (ilex_evaluate(ctx, make, grid, 3, begin))
        need(NULL);
    for (int i = 0; i < D; i++) { /* the first step starts from one time */
        b[i].name = names[i];
        b[i].storage =
            i < UO ? begin[i] : need(ilex_storage_copy(ctx, begin[i % 3]));
    }
    double mass = value_of("sum(p)", b[P].storage);

    ilex_call call = {.size = sizeof call};
    const char *swaps = "u=un, v=vn, p=pn, uo=uf, vo=vf, po=pf";
    ilex_status rc = ilex_run_steps(advance, b, ALL, steps > 0, swaps, &call);
    b[DT].re = 180;
    b[FILTER].re = 0.001;
    if (!rc && steps > 1)
        rc = ilex_run_steps(advance, b, ALL, steps - 1, swaps, &call);
    if (rc)
        fprintf(stderr, "shallow_water: %s\n", call.error);
    ilex_storage *p = b[P].storage;
    double change = value_of("sum(p)", p) / mass - 1;
    printf("%d x %d, %d steps: pressure %.6f to %.6f, mean square %.6e, mass "
           "changed by %.0e\n",
           n, n, steps, value_of("min(p)", p), value_of("max(p)", p),
           value_of("mean(square(p - 5e4))", p), fabs(change));
    if (argc > 3 && ilex_png_write(ctx, argv[3], p, NULL))
        need(NULL);
    for (int i = 0; i < D; i++)
        ilex_storage_release(b[i].storage);
    ilex_program_release(make);
    ilex_program_release(advance);
    ilex_context_free(ctx);
    return rc || fabs(change) > 1e-12;
}
