/* SPDX-License-Identifier: MIT
 *
 * Tags on arrays, axes and reductions: set and queried from text and from C, in
 * one form; kept by printing, reading and passes; no part of hashes, generated
 * source or results.
 */
#include "tests/unit/graph_fixture.h"

/* The tags of an array, one behind the other. */
static const char *
tags(const ilex_array *x)
{
    static char text[400];
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < ilex_tag_count(x); i++) {
        ck_assert_uint_lt(n + ilex_tag_text(x, i, NULL, 0) + 2, sizeof text);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", i ? " " : "");
        n += ilex_tag_text(x, i, text + n, sizeof text - n);
    }
    return text;
}

static const char tagged[] =
    "ilex 1\nprogram tags\nsize n, m\nassume m >= 2\n"
    "in u : f64[I:n, J:m] halo(I:1:1) @from(\"a b.nc\", -3, 2.5) @hot\n"
    "in a : f64[n, m] @row[-2] @row[0]\n"
    "const w : f64[r:2] = {0.5, 2} @few\n"
    "let g = u[I+1] @stored @tile[I](8) @tile[1](4)\n"
    "let h = exp(u) @inner\n"
    "let s = sum[J](g*g + 1) @unroll[J](4) @loc(\"f.py\", 12, 3)\n"
    "map y[n] = sum[k:m](a[_0, k])*w[1] @fast[_r0] @slow[-1]\n"
    "einsum e[i] = a[i, k]*a[i, k] @blas[_r0]\n"
    "node t = permute(a; axes=[1, 0]) @turned[1]\n"
    "reshape f[n*m] = t @flat\n"
    "scan I forward c : f64[I:n] = where(index(I) == 0, s, c[I-1] + s),\n"
    "     d : f64[I:n] = c*c @scanned\n"
    "out o : f64[I:n, J:m] = h + d + g @last[J]\n"
    "out p = g\nout q = y + e @later[0]\nout r = f\nout v = u[I-1]*2 @part\n";

static const struct {
    const char *array, *tags;
} want[] = {{"u", "from(\"a b.nc\", -3, 2.5) hot"},
            {"a", "row[0]"},
            {"w", "few"},
            {"g", "stored tile[I](8) tile[J](4)"},
            {"h", "inner"},
            {"s", "unroll[_r0](4) loc(\"f.py\", 12, 3)"},
            {"y", "fast[_r0] slow[0]"},
            {"e", "blas[_r0]"},
            {"t", "turned[1]"},
            {"f", "flat"},
            {"c", "scanned"},
            {"d", "scanned"},
            {"o", "last[J]"},
            {"p", "stored tile[I](8) tile[J](4)"},
            {"q", "later[0]"},
            {"v", "part"}};

START_TEST(from_text)
{
    ilex_module *m = parse(tagged);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ck_assert_str_eq(tags(ilex_module_array(m, want[i].array)),
                         want[i].tags);
    ck_assert_uint_eq(ilex_tag_count(ilex_f64(ctx, 0.5)), 0);
    ilex_module_free(m);
}
END_TEST

/* Those of arrays that text gives other names: what is bound, and outputs. */
START_TEST(printed)
{
    ilex_module *m = parse(tagged);
    char *text = ilex_module_print(m);
    ck_assert_msg(text != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    ilex_context *other = ilex_context_new(NULL); /* where nothing is tagged */
    m = ilex_module_parse(other, text, NULL);
    ck_assert_msg(m != NULL, "%s\n%s", ilex_error_text(other), text);
    char *again = ilex_module_print(m);
    ck_assert_str_eq(text, again);
    static const char *const given = "uaopqv";
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (strchr(given, *want[i].array))
            ck_assert_str_eq(tags(ilex_module_array(m, want[i].array)),
                             want[i].tags);
    for (const char *at = tagged; (at = strchr(at, '@')); at++) {
        char name[20];
        sscanf(at, "%19[@a-z]", name);
        ck_assert_msg(strstr(text, name) != NULL, "%s: %s", name, text);
    }
    ilex_module_free(m);
    ilex_text_free(ctx, text);
    ilex_text_free(other, again);
    ilex_context_free(other);
}
END_TEST

/* "tagged" without its tags, which end their lines. */
static void
strip(char *to)
{
    for (const char *from = tagged; *from; from++) {
        if (from[0] == ' ' && from[1] == '@')
            from = strchr(from, '\n');
        *to++ = *from;
    }
    *to = 0;
}

START_TEST(change_nothing)
{
    char plain[sizeof tagged];
    uint8_t hash[2][16];
    char *source[2];
    ilex_context *c[2];
    strip(plain);
    ck_assert_ptr_null(strchr(plain, '@'));
    ck_assert_ptr_nonnull(strstr(plain, "out v = u[I-1]*2\n"));
    for (int i = 0; i < 2; i++) {
        c[i] = ilex_context_new(NULL);
        ilex_module *m = ilex_module_parse(c[i], i ? plain : tagged, NULL);
        ck_assert_msg(m && !ilex_module_hash(m, hash[i]), "%s",
                      ilex_error_text(c[i]));
        source[i] = ilex_module_emit(m, "c");
        ck_assert_ptr_nonnull(source[i]);
        ilex_module_free(m);
    }
    ck_assert(!memcmp(hash[0], hash[1], 16));
    ck_assert_str_eq(source[0], source[1]);
    for (int i = 0; i < 2; i++) {
        ilex_text_free(c[i], source[i]);
        ilex_context_free(c[i]);
    }
}
END_TEST

/* What passes make of a tagged array has its tags in dumps, and so has the
 * memory that holds it. */
START_TEST(through_passes)
{
    ilex_module *m = parse(
        "ilex 1\nprogram p\nsize n\nin x : f64[n, 3] @given\n"
        "node t = permute(x; axes=[1, 0]) @turned\n"
        "let s = sum[0](t*1.0 + 0) @summed[_r0]\n"
        "let z = stack(s, 2*s) @stacked[0]\nout y = z\nout q = z[::-1] @end\n");
    char *lower = ilex_module_stage(m, "lower");
    char *stages = ilex_module_stage(m, "partition");
    char *kernels = ilex_module_stage(m, "verify");
    ck_assert_msg(lower && stages && kernels, "%s", ilex_error_text(ctx));
    ck_assert_ptr_nonnull(strstr(lower, "reads v0 @turned\n    = v0[_1, _0]"));
    ck_assert_ptr_nonnull(strstr(lower, " @summed[_r0]\n    = sum[_r0"));
    ck_assert_ptr_nonnull(strstr(stages, "b0 in x  : f64[n, 3] @given\n"));
    ck_assert_ptr_nonnull(
        strstr(stages, "b1 out y  : f64[2, n] @stacked[0]\n"));
    ck_assert_ptr_nonnull(strstr(stages, "temp  : f64[n] @summed[_r0]\n"));
    ck_assert_ptr_nonnull(strstr(kernels, "out q  : f64[2, n] @end\n"));
    ilex_text_free(ctx, lower);
    ilex_text_free(ctx, stages);
    ilex_text_free(ctx, kernels);
    ilex_module_free(m);
}
END_TEST

static void
refused(ilex_array *x, const char *tag, ilex_status code, const char *text)
{
    ck_assert_int_eq(ilex_tag(x, tag), code);
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ilex_error_clear(ctx);
}

START_TEST(from_c)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m");
    ilex_array *s = ilex_sum(x, "J", 0);
    ck_assert(!ilex_tag(x, "tile[ -1 ](8,-2 , \"a\")") && !ilex_tag(x, "hot"));
    ck_assert(!ilex_tag(x, "tile[J](8, -2, \"a\")") && !ilex_tag(s, "up[J]"));
    ck_assert_str_eq(tags(x), "tile[J](8, -2, \"a\") hot");
    ck_assert_str_eq(tags(s), "up[_r0]");
    /* equal arrays are one */
    ck_assert_str_eq(tags(ilex_sum(x, "1", 0)), "up[_r0]");
    ck_assert_str_eq(tags(ilex_sum(x, "I", 0)), "");
    char cut[4];
    ck_assert_uint_eq(ilex_tag_text(x, 1, cut, sizeof cut), 3);
    ck_assert_uint_eq(ilex_tag_text(x, 0, cut, sizeof cut), 19);
    ck_assert_str_eq(cut, "til");
    ck_assert_uint_eq(ilex_tag_text(x, 2, cut, sizeof cut), 0);
    ck_assert(!ilex_untag(x, "tile[1](8, -2, \"a\")") && !ilex_untag(x, "no"));
    ck_assert_str_eq(tags(x), "hot");
    refused(x, "tile[K]", ILEX_E_AXIS,
            "the tag names no axis of [I:n, J:m], nor one of the 0");
    refused(x, "tile[2]", ILEX_E_AXIS, "the tag names no axis");
    refused(x, "tile[-3]", ILEX_E_AXIS, "the tag names no axis");
    refused(s, "tile[_r1]", ILEX_E_AXIS, "nor one of the 1 that");
    refused(x, "tile(I)", ILEX_E_SYNTAX, "a string or a number");
    refused(x, "tile(-\"a\")", ILEX_E_SYNTAX, "a string or a number");
    refused(x, "a b", ILEX_E_SYNTAX, "the end of the text");
    refused(x, NULL, ILEX_E_ARGUMENT, "tag: the array is NULL, poison or");
    refused(ilex_f64(ctx, 1.0), "a", ILEX_E_ARGUMENT, "or a number");
    ck_assert_int_eq(ilex_tag(NULL, "a"), ILEX_E_ARGUMENT);
}
END_TEST

/* They die with their array: the same one made anew has none. */
START_TEST(lifetime)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    for (int i = 0; i < 2; i++) {
        size_t scope = ilex_scope_begin(ctx);
        ilex_array *y = ilex_add(x, x);
        ck_assert_uint_eq(ilex_tag_count(y), 0);
        ck_assert(!ilex_tag(y, "mine(1)") && ilex_tag_count(y) == 1);
        ilex_scope_end(ctx, scope, NULL);
    }
}
END_TEST

/* What users call arrays that calls make: in messages, `explain`, comments. */
START_TEST(names)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "n");
    ilex_array *e = ilex_exp(u), *y = ilex_add(e, ilex_negative(e));
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_int_eq(ilex_name(e, "grown"), ILEX_OK);
    ck_assert_int_eq(ilex_name(ilex_exp(u), "later"), ILEX_OK); /* it is e */
    ck_assert_int_eq(ilex_module_output(m, "y", y, NULL), ILEX_OK);
    char *explained = ilex_module_stage(m, "explain");
    char *source = ilex_module_emit(m, "c"), *text = ilex_module_print(m);
    ck_assert_ptr_nonnull(strstr(explained, "  grown: "));
    ck_assert_ptr_nonnull(strstr(source, "/* grown"));
    ck_assert_ptr_null(strstr(explained, "later"));
    ck_assert_ptr_null(strstr(text, "grown"));
    ilex_text_free(ctx, explained);
    ilex_text_free(ctx, source);
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    ck_assert(ilex_is_poison(ilex_map(ctx, "i:n", "e[i+1]", "e", e, NULL)));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "reads grown at"));
    ilex_error_clear(ctx);
    const struct {
        ilex_array *x;
        const char *name;
        ilex_status code;
    } some[] = {{u, "v", ILEX_OK},
                {ilex_f64(ctx, 1), "v", ILEX_OK},
                {NULL, "v", ILEX_E_ARGUMENT},
                {e, "a b", ILEX_E_NAME},
                {e, NULL, ILEX_E_NAME},
                {e, "_0", ILEX_E_NAME}};
    for (size_t i = 0; i < IX_COUNT(some); i++) {
        ck_assert_int_eq(ilex_name(some[i].x, some[i].name), some[i].code);
        ilex_error_clear(ctx);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("tags", from_text, printed, change_nothing, through_passes,
                     from_c, lifetime, names);
}
