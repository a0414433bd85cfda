/* SPDX-License-Identifier: MIT
 *
 * Properties of random programs. property_text.c, property_passes.c and
 * property_queries.c hold those of properties.def, which look at one program of
 * tests/differential/diff_recipe.c; property_stencil.c has laws of stencils,
 * which are run; property_crossing.c prints graphs whose domains may cross;
 * property_main.c goes through them and reports in TAP.
 */
#ifndef ILEX_TESTS_PROPERTY_H
#define ILEX_TESTS_PROPERTY_H

#include "lib/build/module.h"
#include "tests/differential/differential.h"

/* A random program in a context of its own. */
typedef struct property_case {
    const diff_recipe *recipe;
    ilex_context *ctx;
    ilex_module *module;
    char why[2000]; /* set by a property that does not hold */
} property_case;

/* Builds the recipe; "other" makes a context in which much else was built
 * before. False if Ilex refuses. */
bool property_open(property_case *c, const diff_recipe *recipe, bool other);
void property_close(property_case *c);

/* Says why, as printf; returns false. */
bool property_fail(property_case *c, const char *fmt, ...) IX_PRINTF(2, 3);

/* Whether the texts are equal; takes both, which may be NULL. */
bool property_same_text(property_case *c, const char *what, char *a,
                        ilex_context *of_a, char *b, ilex_context *of_b);

#define PROPERTY(name, of, meaning) bool property_##name(property_case *c);
#include "tests/property/properties.def"

/* A graph whose domains may cross for some sizes is read back; false with a
 * message printed. */
bool property_crossing(uint64_t seed, uint64_t number);

/* Laws of random stencils; false with a message printed. */
bool property_stencils(uint64_t seed, uint64_t number);

#endif
