/* SPDX-License-Identifier: MIT
 *
 * Graphs that are built and printed but need not compile: intersections whose
 * ends cross for some sizes, restrictions that only some assumption allows,
 * fields that are known everywhere. Their text gives the same nodes again, or
 * ones that rest on fewer assumptions: what an array was made from may have
 * needed some that its text, being simpler, does not.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

enum { MOST_ARRAYS = 24, LEAVES = 6 };

/* Arrays along the axes I and J, and unnamed ones; without assumptions in half
 * of the cases. */
static int
make_leaves(ilex_context *ctx, diff_random *r, ilex_array **a)
{
    if (diff_chance(r, 50))
        ilex_assume(ctx, "n >= 1");
    if (diff_chance(r, 30))
        ilex_assume(ctx, "m >= n");
    a[0] = ilex_input(ctx, "u", ILEX_F64,
                      diff_chance(r, 50) ? "I:n" : "I:n halo(I:1:1)");
    a[1] = ilex_input(ctx, "v", ILEX_F64, "I:n, J:m");
    a[2] = ilex_input(ctx, "w", ILEX_F64, "n");
    a[3] = ilex_input(ctx, "z", ILEX_F64, "I:m");
    a[4] = ilex_index(ctx, "I");
    a[5] = ilex_f64(ctx, 2.0);
    return LEAVES;
}

/* One more array of those before it; it may be refused. */
static ilex_array *
random_array(diff_random *r, ilex_array *const *a, int n)
{
    static const char *const domains[] = {
        "I:n-1", "I:1:n-1",    "I:n",        "I:1:n", "I:m",
        "I:m-1", "I:n-1, J:m", "J:m, I:n-1", "n-1",   "I:n, J:m-1"};
    static const char *const start[] = {"0", "1"}, *const stop[] = {"n-1", "m"};
    static const int64_t step[] = {1, 1};
    ilex_array *x = a[diff_draw(r, n)], *y = a[diff_draw(r, n)];
    const char *domain = domains[diff_draw(r, (int)IX_COUNT(domains))];
    switch (diff_draw(r, 9)) {
    case 0:
        return ilex_add(x, y);
    case 1:
        return ilex_multiply(x, y);
    case 2:
        return ilex_shift(x, "I", diff_between(r, -1, 1));
    case 3:
        return ilex_sum(x, diff_chance(r, 50) ? "I" : NULL, 0);
    case 4:
        return ilex_argmax(x, NULL, 0);
    case 5:
        return ilex_permute(x, NULL);
    case 6:
        return ilex_slice(x, start, stop, step);
    case 7:
        return ilex_reshape(x, domain, "C");
    default:
        return ilex_restrict(x, domain);
    }
}

/* Is "b" what "a" is, but for assumptions that it does not need? */
static bool
is_or_needs_less(const ilex_array *a, const ilex_array *b)
{
    return a == b || (a->env != b->env && ix_env_within(b->env, a->env));
}

/* Both modules have the same text. */
static bool
same_text(ilex_context *ctx, const char *text, ilex_module *again)
{
    char *other = ilex_module_print(again);
    bool same = other && strcmp(text, other) == 0;
    ilex_text_free(ctx, other);
    return same;
}

/* The text of the module gives its outputs again. */
static bool
reads_back(ilex_context *ctx, const ilex_module *m, const char *text)
{
    ilex_module *again = ilex_module_parse(ctx, text, m->name);
    bool ok = again && again->noutputs == m->noutputs;
    for (size_t i = 0; ok && i < m->noutputs; i++)
        ok = is_or_needs_less(m->output[i].array, again->output[i].array);
    ok = ok && same_text(ctx, text, again);
    if (!ok)
        printf("# crossing: %s\n%s", ilex_error_text(ctx), text);
    ilex_module_free(again);
    return ok;
}

bool
property_crossing(uint64_t seed, uint64_t number)
{
    diff_random r = diff_random_of(seed, number, 11);
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_array *a[MOST_ARRAYS];
    if (!ctx)
        abort();
    int n = make_leaves(ctx, &r, a);
    for (int tries = diff_between(&r, 3, 40); tries > 0 && n < MOST_ARRAYS;
         tries--) {
        a[n] = random_array(&r, a, n);
        n += !ilex_is_poison(a[n]);
        ilex_error_clear(ctx);
    }
    ilex_module *m = ilex_module_new(ctx, "crossing");
    ilex_module_output(m, "first", a[n - 1], NULL);
    ilex_module_output(m, "second", a[n - 2], NULL);
    char *text = ilex_module_print(m);
    bool ok = text && reads_back(ctx, m, text);
    if (!text)
        printf("# crossing: %s\n", ilex_error_text(ctx));
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return ok;
}
