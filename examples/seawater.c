/* SPDX-License-Identifier: MIT
 *
 * A function of one's own inside of a loop: pressure and density of a column of
 * sea water. The equation of state is a function of numbers in C, which the
 * recurrence for the pressure calls at every level, and other formulas for
 * every element, in one loop with what they do with it.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>

enum { LEVELS = 101 };

static const double step = 40; /* metres from one level to the next */

/* The density in kg/m3 of water of temperature t (degrees), salinity s (per
 * mille) and pressure p (Pa): D. G. Wright, J. Atmos. Oceanic Technol. 14
 * (1997), the fit for the reduced range. */
static double
density(double t, double s, double p)
{
    double a = 7.057924e-4 + 3.480336e-7 * t - 1.112733e-7 * s;
    double b =
        5.790749e8 + 5.944068e5 * s +
        t * (3.516535e6 + t * (-4.002714e4 + 2.084372e2 * t) - 9.643486e3 * s);
    double l =
        1.704853e5 - 2.302158e2 * s +
        t * (7.904722e2 + t * (-7.984422 + 5.140652e-2 * t) - 3.079464 * s);
    return (p + b) / (l + a * (p + b));
}

/* The weight of the water above, by the trapezoidal rule in a first guess of
 * the density below; the buoyancy frequency squared, from water that is brought
 * to the same pressure. */
static const char text[] =
    "ilex 1\n"
    "program column\n"
    "size n\n"
    "assume n >= 2\n"
    "in t : f64[n]\n"
    "in s : f64[n]\n"
    "in gdz : f64\n" /* gravity times the distance of levels */
    "in g : f64\n"
    "extern density(t : f64, s : f64, p : f64) -> f64 pure elementwise cost "
    "40\n"
    "scan k forward p[k:n] = where(k == 0, 0.0, p[k-1] + gdz*0.5*("
    "density(t[k-1], s[k-1], p[k-1]) + "
    "density(t[k], s[k], p[k-1] + gdz*density(t[k-1], s[k-1], p[k-1]))))\n"
    "map n2[k=k:1:n] = g*g/gdz*(1 - "
    "density(t[k-1], s[k-1], p[k])/density(t[k], s[k], p[k]))\n"
    "out pressure = p\n"
    "map r[k:n] = density(t[k], s[k], p[k])\n"
    "out rho = r\n"
    "out buoyancy = n2\n";

static ilex_program *
compile(ilex_context *ctx)
{
    ilex_function_register(
        ctx, "density",
        &ILEX_FUNCTION_SPEC(.elementwise = (ilex_elementwise_function)density));
    ilex_module *m = ilex_module_parse(ctx, text, "seawater.c");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_module_free(m);
    return p;
}

/* Warm and fresher above a thermocline, cold below. */
static ilex_storage *
profile(ilex_context *ctx, double top, double bottom)
{
    int64_t n = LEVELS;
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 1, &n);
    for (int k = 0; x && k < LEVELS; k++)
        ((double *)ilex_storage_data(x))[k] =
            bottom + (top - bottom) * exp(-k * step / 600);
    return x;
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *program = compile(ctx);
    ilex_storage *t = profile(ctx, 20, 2), *s = profile(ctx, 34.5, 35), *y[3];
    ilex_binding b[] = {ILEX_BIND("t", t), ILEX_BIND("s", s),
                        ILEX_BIND_F64("gdz", 9.81 * step),
                        ILEX_BIND_F64("g", 9.81)};
    if (!program || ilex_evaluate(ctx, program, b, 4, y) != ILEX_OK) {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
        return 1;
    }
    const double *p = ilex_storage_const_data(y[0]);
    const double *rho = ilex_storage_const_data(y[1]);
    const double *n2 = ilex_storage_const_data(y[2]);
    printf("   depth   pressure    density   periods of waves\n");
    for (int k = 0; k < LEVELS; k += 20)
        printf("%6.0f m %6.2f MPa %7.2f kg/m3 %8.1f min\n", k * step,
               p[k] / 1e6, rho[k],
               2 * 3.14159265358979 / sqrt(n2[k ? k - 1 : 0]) / 60);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(y[i]);
    ilex_storage_release(t);
    ilex_storage_release(s);
    ilex_program_release(program);
    ilex_context_free(ctx);
    return 0;
}
