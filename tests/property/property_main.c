/* SPDX-License-Identifier: MIT
 *
 * Goes through the properties, each for many random programs, and reports one
 * TAP line each.
 *
 *     property [--long] [--seed=S] [--number=N] [--count=C]
 *
 * The seed is --seed, else ILEX_SEED, else 1 (with --long the time); --number=N
 * tries one program.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/property/property.h"

enum { SHORT_COUNT = 400, LONG_COUNT = 15000 };

enum { GRAPH, PROGRAM };

static const struct {
    const char *name, *meaning;
    int of;
    bool (*holds)(property_case *c);
} properties[] = {
#define PROPERTY(name, of, meaning) {#name, meaning, of, property_##name},
#include "tests/property/properties.def"
};

/* Laws of what is drawn otherwise: tried for one number in "each". */
static const struct {
    const char *name, *meaning;
    uint64_t each;
    bool (*holds)(uint64_t seed, uint64_t number);
} others[] = {
    {"crossing", "domains that may cross are read back", 1, property_crossing},
    {"stencils", "linear, and they commute with shifts", 10, property_stencils},
};

/* ---- cases ---- */

bool
property_fail(property_case *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    return false;
}

bool
property_same_text(property_case *c, const char *what, char *a,
                   ilex_context *of_a, char *b, ilex_context *of_b)
{
    bool ok = a && b && strcmp(a, b) == 0;
    if (!ok && a && b) {
        size_t i = 0;
        while (a[i] == b[i])
            i++;
        property_fail(c, "%s differs at byte %zu: %.300s\n--- and ---\n%.300s",
                      what, i, a + (i < 60 ? 0 : i - 60),
                      b + (i < 60 ? 0 : i - 60));
    } else if (!ok) {
        property_fail(c, "%s: %s", what, ilex_error_text(a ? of_b : of_a));
    }
    ilex_text_free(of_a, a);
    ilex_text_free(of_b, b);
    return ok;
}

/* Arrays that have nothing to do with the program; names of axes and inputs
 * get other numbers by them. */
static void
build_others(ilex_context *ctx)
{
    ilex_array *x = ilex_input(ctx, "other", ILEX_F32, "Cell:n, K:m, J:k, I:n");
    for (int i = 0; i < 20; i++)
        x = ilex_add(ilex_sin(x), ilex_lit(ctx, i));
    ilex_sum(x, "K", 0);
}

bool
property_open(property_case *c, const diff_recipe *recipe, bool other)
{
    diff_shop shop;
    memset(c, 0, sizeof *c);
    c->recipe = recipe;
    c->ctx = ilex_context_new(NULL);
    if (!c->ctx || !diff_context_prepare(c->ctx, &recipe->sizes))
        abort();
    if (other)
        build_others(c->ctx);
    c->module = ilex_module_new(c->ctx, "random");
    if (c->module && diff_recipe_build(&shop, c->ctx, recipe, 0) &&
        diff_recipe_outputs(&shop, c->module) == ILEX_OK &&
        ix_module_collect(c->module) == ILEX_OK)
        return true;
    property_fail(c, "%s", ilex_error_text(c->ctx));
    property_close(c);
    return false;
}

void
property_close(property_case *c)
{
    ilex_module_free(c->module);
    ilex_context_free(c->ctx);
    c->module = NULL;
    c->ctx = NULL;
}

/* ---- going through ---- */

/* Failures shown of one property. */
enum { MOST_FAILURES = 3 };

/* Prints what does not hold; counts it. */
static void
report(size_t which, const diff_recipe *recipe, const char *why, int *bad)
{
    (*bad)++;
    printf("# %s, program %llu of seed %llu:\n# ", properties[which].name,
           (unsigned long long)recipe->number,
           (unsigned long long)recipe->seed);
    for (const char *p = why; *p; p++)
        printf(*p == '\n' ? "\n# " : "%c", *p);
    printf("\n");
}

/* The properties of graphs or programs, for one, each in a context of its own.
 */
static void
try_recipe(const diff_recipe *recipe, int of, int *bad)
{
    property_case c;
    for (size_t i = 0; i < IX_COUNT(properties); i++) {
        if (bad[i] == MOST_FAILURES || properties[i].of != of)
            continue;
        bool ok = property_open(&c, recipe, false);
        if (ok) {
            ok = properties[i].holds(&c);
            property_close(&c);
        }
        if (!ok)
            report(i, recipe, c.why, &bad[i]);
    }
}

static void
try_number(uint64_t seed, uint64_t number, int *bad)
{
    diff_recipe recipe;
    if (diff_recipe_draft(&recipe, seed, number))
        try_recipe(&recipe, GRAPH, bad);
    if (diff_recipe_make(&recipe, seed, number))
        try_recipe(&recipe, PROGRAM, bad);
}

static uint64_t
number_option(int argc, char **argv, const char *name, uint64_t fallback)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, strlen(name)))
            return strtoull(argv[i] + strlen(name), NULL, 0);
    return fallback;
}

static int
print_results(const int *bad)
{
    size_t n = IX_COUNT(properties);
    int failed = 0;
    for (size_t i = 0; i < n + IX_COUNT(others); i++) {
        printf("%sok %zu - %s: %s\n", bad[i] ? "not " : "", i + 1,
               i < n ? properties[i].name : others[i - n].name,
               i < n ? properties[i].meaning : others[i - n].meaning);
        failed += bad[i] != 0;
    }
    return failed != 0;
}

int
main(int argc, char **argv)
{
    const char *given = getenv("ILEX_SEED");
    bool all = argc > 1 && !strcmp(argv[1], "--long");
    uint64_t seed = given && *given ? strtoull(given, NULL, 0)
                    : all           ? (uint64_t)time(NULL)
                                    : 1;
    seed = number_option(argc, argv, "--seed=", seed);
    uint64_t first = number_option(argc, argv, "--number=", 0);
    bool one = number_option(argc, argv, "--number=", UINT64_MAX) == first;
    uint64_t count = one ? 1 : all ? LONG_COUNT : SHORT_COUNT;
    count = number_option(argc, argv, "--count=", count);
    int bad[IX_COUNT(properties) + IX_COUNT(others)] = {0};
    printf("1..%zu\n# seed %llu, %llu programs\n", IX_COUNT(bad),
           (unsigned long long)seed, (unsigned long long)count);
    for (uint64_t k = first; k < first + count; k++) {
        try_number(seed, k, bad);
        for (size_t i = 0; i < IX_COUNT(others); i++) {
            int *failures = &bad[IX_COUNT(properties) + i];
            if ((k % others[i].each == 0 || one) && *failures < MOST_FAILURES)
                *failures += !others[i].holds(seed, k);
        }
    }
    return print_results(bad);
}
