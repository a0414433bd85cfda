/* SPDX-License-Identifier: MIT
 *
 * The functions of numbers that tests/stages/elementwise.ilx calls, as its
 * header in C declares them, which comes first.
 */
double
eos(double t, double p)
{
    return 1000 + t * t - 0.5 * p;
}

double
gain(double t, double p)
{
    return t - p;
}

float
dim(float c)
{
    return c / 4;
}
