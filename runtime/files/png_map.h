/* SPDX-License-Identifier: MIT
 *
 * Colour maps: 256 palette entries, the first for NaN, the others a ramp.
 */
#ifndef ILEX_RUNTIME_PNG_MAP_H
#define ILEX_RUNTIME_PNG_MAP_H

#include "lib/base/prelude.h"

enum { IX_PNG_COLOURS = 256 };

/* Fills in the map called "name" (NULL: grey). */
ilex_status ix_png_map(const char *name, unsigned char rgb[IX_PNG_COLOURS][3],
                       ix_error *err);

#endif
