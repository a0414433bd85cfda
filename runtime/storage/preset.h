/* SPDX-License-Identifier: MIT
 *
 * Presets: rows of presets.def and what users registered, by name.
 */
#ifndef ILEX_RUNTIME_PRESET_H
#define ILEX_RUNTIME_PRESET_H

#include "runtime/storage/storage.h"

typedef struct ix_preset {
    const char *name;
    const char *order; /* NULL: the traits' layout */
    bool reversed;     /* further axes, outermost */
    size_t alignment;  /* 0: not said, 1: none */
    const char *space, *device, *managed;
    const ilex_storage_traits *traits; /* NULL: built in */
} ix_preset;

/* The preset "name" in "*preset"; fails with ILEX_E_UNKNOWN. */
ilex_status ix_preset_find(const char *name, ix_preset *preset, ix_error *err);

/* Sets the places of the axes of "s". */
ilex_status ix_preset_layout(const ix_preset *preset, ilex_storage *s,
                             ix_error *err);

#endif
