/* SPDX-License-Identifier: MIT
 *
 * Colour maps.
 *
 * "uniform" is a curve in the Oklab space, in which equal distances look
 * about equally different: lightness rises evenly from dark to light while
 * the hue turns from violet over blue and green to yellow. The chroma stays
 * just below what a screen can show along that way.
 */
#include "runtime/files/formats.h"

#include <math.h>

static const double turn = 6.283185307179586;

/* Linear red, green and blue of an Oklab colour. */
static void
from_oklab(double light, double a, double b, double rgb[3])
{
    double l = light + 0.3963377774 * a + 0.2158037573 * b;
    double m = light - 0.1055613458 * a - 0.0638541728 * b;
    double s = light - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

/* The byte of a linear intensity, by the sRGB curve. */
static unsigned char
encode(double v)
{
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return (unsigned char)(v * 255 + 0.5);
}

/* The colour at "t" from 0 to 1. */
static void
uniform(double t, unsigned char out[3])
{
    double rgb[3], light = 0.17 + 0.77 * t;
    double hue = turn * (300 - 195 * t) / 360;
    double chroma = 0.082 + 0.105 * t * t * t * t;
    from_oklab(light, chroma * cos(hue), chroma * sin(hue), rgb);
    for (int i = 0; i < 3; i++)
        out[i] = encode(rgb[i]);
}

static void
grey(double t, unsigned char out[3])
{
    memset(out, (int)(t * 255 + 0.5), 3);
}

static const struct {
    const char *name;
    void (*colour)(double t, unsigned char out[3]);
} maps[] = {{"grey", grey}, {"uniform", uniform}};

ilex_status
ix_png_map(const char *name, unsigned char rgb[IX_PNG_COLOURS][3],
           ix_error *err)
{
    static const unsigned char magenta[3] = {255, 0, 255};
    name = name ? name : maps[0].name;
    for (size_t i = 0; i < IX_COUNT(maps); i++) {
        if (strcmp(name, maps[i].name) != 0)
            continue;
        memcpy(rgb[0], magenta, 3);
        for (int c = 1; c < IX_PNG_COLOURS; c++)
            maps[i].colour((c - 1) / (double)(IX_PNG_COLOURS - 2), rgb[c]);
        return ILEX_OK;
    }
    return ix_fail(err, ILEX_E_UNKNOWN,
                   "png: colour map '%.40s' does not exist; give \"grey\" or "
                   "\"uniform\"",
                   name);
}
