/* SPDX-License-Identifier: MIT
 *
 * Reading .ilx text: programs, the texts of the C API, limits, places of
 * errors, memory that runs out, mutilated programs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ilex/elementwise.h"
#include "lib/syntax/parse.h"
#include "tests/suite.h"

static ilex_context *ctx;

static void
setup(void)
{
    ctx = ilex_context_new(NULL);
    ck_assert_ptr_nonnull(ctx);
}

static void
teardown(void)
{
    ilex_context_free(ctx);
}

static const char hdiff[] =
    "ilex 1\n"
    "program hdiff\n"
    "size ni, nj, nk\n"
    "assume nk >= 1 && nk % 8 == 0\n"
    "in u : f64[I:ni, J:nj, K:nk] halo(I:2:2, J:2:2)\n"
    "in coeff : f64[K:nk]\n"
    "let lap = 4.0*u - (u[I+1] + u[I-1] + u[J+1] + u[J-1])\n"
    "let rx = lap[I+1] - lap\n"
    "let flx = where(rx*(u[I+1] - u) > 0.0, 0.0, rx)\n"
    "map w[I:ni] = sum[j:nj](u[I, j, 0])/f64(nj)\n"
    "einsum e[I] = u[I, J, K]*coeff[K]\n"
    "node p = permute(u; axes=[2, 0, 1])\n"
    "out v : f64[I:ni, J:nj, K:nk] = u - coeff*(flx - flx[I-1])\n"
    "out m : f64[I:ni] = w + e + max[K, J](p)\n";

/* ---- programs ---- */

START_TEST(program)
{
    ilex_module *m = ilex_module_parse(ctx, hdiff, "hdiff.ilx");
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_module_name(m), "hdiff");
    ck_assert_uint_eq(m->ninputs, 2);
    ck_assert_uint_eq(m->noutputs, 2);
    char text[80];
    ilex_array_domain(m->output[0].array, text, sizeof text);
    ck_assert_str_eq(text, "I:ni, J:nj, K:nk");
    ck_assert_int_eq(ilex_array_dtype(m->output[1].array), ILEX_F64);
    ck_assert_uint_eq(m->nassumptions, 2);
    ck_assert_ptr_null(ctx->in_force); /* they are the program's */
    ilex_module_free(m);
}
END_TEST

/* The same text in one context is the same graph, and adds no assumption. */
START_TEST(same_nodes)
{
    ilex_module *a = ilex_module_parse(ctx, hdiff, NULL);
    ilex_module *b = ilex_module_parse(ctx, hdiff, NULL);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_eq(a->output[0].array, b->output[0].array);
    ck_assert_ptr_eq(a->output[1].array, b->output[1].array);
    ck_assert_ptr_eq(a->env, b->env);
    ilex_module_free(a);
    ilex_module_free(b);
}
END_TEST

START_TEST(line_ends)
{
    static const char text[] = "# words\r\n\r\nilex 1\r\nprogram p # p\r\n"
                               "\tin x : f64[ 3 ]  @a @b(2) @c(\"d\")\r\n"
                               "out y = -x**2 # no newline";
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ck_assert_ptr_null(m); /* there is no prefix * */
    ck_assert_int_eq(ilex_error_query(ctx).line, 6);
    ilex_error_clear(ctx);
    m = ix_module_parse(ctx, text, strlen(text) - strlen("*2 # no newline"),
                        NULL);
    ck_assert_ptr_null(m);
    ilex_error_clear(ctx);
    m = ix_module_parse(ctx, text, strlen(text) - strlen("**2 # no newline"),
                        NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
}
END_TEST

/* An array that is named must not be hidden by what comes from elsewhere. */
START_TEST(name_spaces)
{
    ilex_module *m =
        ilex_module_parse(ctx,
                          "ilex 1\nprogram p\nsize n, sum, i\nin n : f64[n]\n"
                          "in sum : f64[I:sum] halo(I:1:1)\nin i : f64\n"
                          "let a = sum[I+1] + sum[I]*i\n"
                          "map b[i:n] = n[i]*f64(size(i))*i[]\n"
                          "out r = max[I](a)\nout s = b\n",
                          NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
}
END_TEST

/* ---- places ---- */

START_TEST(diagnostic)
{
    ilex_module *m = ilex_module_parse(
        ctx, "ilex 1\nprogram p\nin x : f64[3]\nlet y = x + z\n", "a/b.ilx");
    ck_assert_ptr_null(m);
    ck_assert_str_eq(ilex_error_text(ctx),
                     "a/b.ilx:4:13: error[E107]: there is no array or size "
                     "'z'\n    let y = x + z\n                ^");
    ilex_error_info e = ilex_error_query(ctx);
    ck_assert_int_eq(e.code, ILEX_E_UNKNOWN);
    ck_assert_int_eq(e.line, 4);
    ck_assert_int_eq(e.column, 13);
    ck_assert_str_eq(e.file, "a/b.ilx");
}
END_TEST

/* What an embedding language says about its own place wins. */
START_TEST(caller_location)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "3");
    ilex_location(ctx, "model.py", 12, 3);
    ck_assert(ilex_is_poison(ilex_expr(ctx, "x + q", "x", x, NULL)));
    ilex_error_info e = ilex_error_query(ctx);
    ck_assert_str_eq(e.file, "model.py");
    ck_assert_int_eq(e.line, 12);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "1:5: error[E107]"));
    ck_assert_int_eq(ctx->location.line, 12);
}
END_TEST

START_TEST(first_error_stays)
{
    ck_assert_int_ne(ilex_assume(ctx, "n >="), ILEX_OK);
    char first[200];
    snprintf(first, sizeof first, "%.199s", ilex_error_text(ctx));
    ck_assert_ptr_null(ilex_module_parse(ctx, "ilex 2\n", NULL));
    ck_assert_str_eq(ilex_error_text(ctx), first);
    ilex_module *m = ilex_module_parse(ctx, hdiff, NULL);
    ck_assert_ptr_nonnull(m);
    ilex_module_free(m);
}
END_TEST

/* ---- limits ---- */

/* Parses "head" + "n" times "body" + "tail" as an output. */
static ilex_status
repeated(const char *head, const char *body, size_t n, const char *tail)
{
    static const char start[] = "ilex 1\nprogram p\nin x : f64[3]\nout y = ";
    size_t k = strlen(body),
           length = strlen(start) + strlen(head) + n * k + strlen(tail) + 1;
    char *text = malloc(length), *p = text;
    p += sprintf(p, "%s%s", start, head);
    for (size_t i = 0; i < n; i++, p += k)
        memcpy(p, body, k);
    strcpy(p, tail);
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ilex_status rc = m ? ILEX_OK : ilex_error_code(ctx);
    ilex_module_free(m);
    ilex_error_clear(ctx);
    free(text);
    return rc;
}

START_TEST(limits)
{
    ck_assert_int_eq(repeated("", "-", 255, "x"), ILEX_OK);
    ck_assert_int_eq(repeated("", "-", 257, "x"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("", "(", 100000, "x"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("", "sin(", 100000, "x"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("", "x[", 100000, "x"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("x", " + x", 100000, ""), ILEX_OK);
    ck_assert_int_eq(repeated("x", " + 1", 1 << 21, ""), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("x*f64(1)", " + i32(1)", 900, ""), ILEX_OK);
    ck_assert_int_eq(repeated("f64(1)", "*f64(3)", 2000, "*x"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("sin(x", ", x", 5000, ")"), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("x #", "c", 17 << 20, ""), ILEX_E_LIMIT);
    ck_assert_int_eq(repeated("", "x", 65, ""), ILEX_E_NAME);
}
END_TEST

START_TEST(nul_byte)
{
    ck_assert_ptr_null(ix_module_parse(ctx, "ilex 1\nprogram \0p\n", 18, ""));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "0x00 at offset 15"));
}
END_TEST

/* ---- texts of the C API ---- */

START_TEST(api_texts)
{
    ilex_array *u =
        ilex_input(ctx, "u", ILEX_F64, "I:ni, J:nj halo(I:2:2, J:1:1)");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F32, "n, m");
    const char *names[] = {"u", "x"};
    ilex_array *ops[] = {u, x};
    char text[80];
    ck_assert_int_eq(ilex_assume(ctx, "n >= 4 && m == 2*n"), ILEX_OK);
    ilex_array_domain(u, text, sizeof text);
    ck_assert_str_eq(text, "I:ni, J:nj");
    ck_assert_ptr_eq(ilex_expr(ctx, "u[I+1] - 2*u", "u", u, NULL),
                     ilex_subtract(ilex_shift(u, "I", 1),
                                   ilex_multiply(ilex_lit_int(ctx, 2), u)));
    ck_assert_ptr_eq(ilex_expr_n(ctx, "sum[0](x)*n", 2, names, ops),
                     ilex_multiply(ilex_sum(x, "0", 0), ilex_size(ctx, "n")));
    ilex_array *r = ilex_restrict(u, "I:-1:ni+1, J:nj");
    ilex_array_domain(r, text, sizeof text);
    ck_assert_str_eq(text, "I:-1:ni+1, J:nj");
    ck_assert_int_eq(ilex_array_rank(ilex_full(ctx, "n", ilex_f32(ctx, 1))), 1);
    ilex_array *a = ilex_arange(ctx, "2*n", 3, -2);
    ilex_array_domain(a, text, sizeof text);
    ck_assert_str_eq(text, "2*n");
    ck_assert(!ilex_is_poison(ilex_reshape(a, "n, 2", "C")));
    const char *start[] = {"n-1", NULL}, *stop[] = {NULL, "n"};
    int64_t step[] = {-1, 1};
    ilex_array_domain(ilex_slice(x, start, stop, step), text, sizeof text);
    ck_assert_str_eq(text, "n, n");
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
}
END_TEST

START_TEST(api_errors)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ck_assert(ilex_is_poison(ilex_input(ctx, "y", ILEX_F64, "n, I:m")));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_input(ctx, "inf", ILEX_F64, "n")));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_NAME);
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_input(ctx, NULL, ILEX_F64, "n")));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_expr(ctx, NULL, NULL)));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_expr(ctx, "x", "x", NULL, NULL)));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_expr(ctx, "x\n+1", "x", x, NULL)));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_reshape(x, "n", "K")));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_full(ctx, "n", x)));
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_arange(ctx, "n/n", 0, 1)));
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_assume(ctx, NULL), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_assume(ctx, "n > 3 && n < 3"), ILEX_E_ASSUME);
    ck_assert_ptr_null(ctx->in_force);
    ck_assert_ptr_null(ilex_module_parse(ctx, NULL, NULL));
}
END_TEST

/* ---- modules ---- */

START_TEST(modules)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *other = ilex_input(ctx, "x", ILEX_F32, "n");
    ilex_module *m = ilex_module_new(ctx, "m");
    ck_assert_ptr_null(ilex_module_new(ctx, "1"));
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_output(m, "y", x, "x"), ILEX_OK);
    ck_assert_int_eq(ilex_module_output(m, "y", x, NULL), ILEX_E_DUPLICATE);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_output(m, "c", ilex_f64(ctx, 2), NULL),
                     ILEX_OK);
    ck_assert_int_eq(ilex_module_output(m, "_0", x, NULL), ILEX_E_NAME);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_output(m, "z", NULL, NULL), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ix_module_collect(m), ILEX_OK);
    ck_assert_uint_eq(m->ninputs, 1);
    ck_assert_int_eq(ilex_module_output(m, "z", ilex_sin(other), NULL),
                     ILEX_OK);
    ck_assert_int_eq(ix_module_collect(m), ILEX_E_DUPLICATE);
    ilex_module_free(m);
    ilex_module_free(NULL);
}
END_TEST

/* ---- damage ---- */

static uint32_t
next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Programs with damaged bytes are read or refused, never more; ILEX_FUZZ in
 * number, or as many as ILEX_FUZZ_SECONDS allow. */
START_TEST(mutations)
{
    static const char bytes[] = "()[]:,+-*/%0123 \n=&|<>!~@#\"xunIJK_.e\x80";
    const char *rounds = getenv("ILEX_FUZZ"), *first = getenv("ILEX_SEED"),
               *seconds = getenv("ILEX_FUZZ_SECONDS");
    uint32_t seed = 12345 + (first ? (uint32_t)atol(first) : 0);
    time_t end = time(NULL) + (seconds ? atoi(seconds) : 0);
    char text[sizeof hdiff];
    for (int i = 0;
         seconds ? time(NULL) < end : i < (rounds ? atoi(rounds) : 2000); i++) {
        memcpy(text, hdiff, sizeof hdiff);
        for (uint32_t k = 0; k <= next_random(&seed) % 4; k++)
            text[next_random(&seed) % (sizeof hdiff - 1)] =
                bytes[next_random(&seed) % (sizeof bytes - 1)];
        ilex_context *c = ilex_context_new(NULL);
        ilex_module *m = ilex_module_parse(c, text, "f");
        ck_assert((m != NULL) == (ilex_error_code(c) == ILEX_OK));
        ilex_module_free(m);
        ilex_context_free(c);
    }
}
END_TEST

/* An allocator that fails from call number "limit" on. */
typedef struct failing {
    long calls, limit, live;
} failing;

static void *
failing_resize(void *user, void *block, size_t bytes)
{
    failing *f = user;
    if (bytes == 0) {
        f->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (++f->calls > f->limit)
        return NULL;
    f->live += block == NULL;
    return realloc(block, bytes);
}

static const char boxes[] = "ilex 1\nprogram b\nin x : f64[8]\n"
                            "in u : f64[I:9] halo(I:1:1)\n"
                            "let a = where(x > 0, x, -x)*2 + sin(x)\n"
                            "map c[6] = sum[s:3](x[_0+s])\n"
                            "let d = u[I+1] - 2*u + u[I-1]\n"
                            "out y = a\nout z = c\nout v : f64[I:9] = d\n";

/* Wherever memory ends there is an error, and nothing leaks. */
START_TEST(out_of_memory)
{
    bool done = false;
    for (long limit = 0; !done; limit++) {
        failing f = {.limit = limit};
        ilex_context_spec spec = {.size = sizeof spec,
                                  .allocator = {failing_resize, &f}};
        ilex_context *c = ilex_context_new(&spec);
        if (c) {
            ilex_module *m = ilex_module_parse(c, boxes, "f");
            char *s = m ? ilex_module_print(m) : NULL;
            char *t = s ? ilex_text_fmt(c, s, "f") : NULL;
            done = t != NULL;
            ck_assert_msg(done || ilex_error_code(c) == ILEX_E_MEMORY,
                          "limit %ld: %s", limit, ilex_error_text(c));
            ilex_text_free(c, s);
            ilex_text_free(c, t);
            ilex_module_free(m);
            ilex_context_free(c);
        }
        ck_assert_msg(f.live == 0, "limit %ld: %ld blocks leak", limit, f.live);
    }
}
END_TEST

/* ---- index lambdas from C, arrays of modules ---- */

/* An index lambda from C is the node that the statement makes. */
START_TEST(maps_from_c)
{
    ilex_module *m = ilex_module_parse(
        ctx,
        "ilex 1\nprogram p\nsize n, m\nin x : f64[n, m]\nin w : f64[m]\n"
        "in j : i32[n]\n"
        "map a[i:m, k:n] = x[k, i]*w[i]\n"
        "map b[n] = sum[s:m](x[j[_0], s])\n"
        "map c[i:n] = x[i, -1; 0.0]\nlet d = 2*b\nout v = a\n",
        NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_array *x = ilex_module_array(m, "x"), *w = ilex_module_array(m, "w"),
               *j = ilex_module_array(m, "j");
    ck_assert(x && w && j);
    ilex_array *a =
        ilex_map(ctx, "i:m, k:n", "x[k, i]*w[i]", "x", x, "w", w, NULL);
    ilex_array *b =
        ilex_map(ctx, "n", "sum[s:m](x[j[_0], s])", "x", x, "j", j, NULL);
    ilex_array *c = ilex_map(ctx, "i:n", "x[i, -1; 0.0]", "x", x, NULL);
    ck_assert_msg(a == ilex_module_array(m, "a"), "%s", ilex_error_text(ctx));
    ck_assert_ptr_eq(a, ilex_module_array(m, "v"));
    ck_assert_ptr_eq(b, ilex_module_array(m, "b"));
    ck_assert_ptr_eq(c, ilex_module_array(m, "c"));
    ck_assert_ptr_eq(ilex_expr(ctx, "2*b", "b", b, NULL),
                     ilex_module_array(m, "d"));
    ck_assert_ptr_null(ilex_module_array(m, "e"));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_UNKNOWN);
    ilex_error_clear(ctx);
    ilex_module_free(m);
}
END_TEST

/* Maps over x : [n], u : [I:n], a : [I:n, J:n], w : [i:n], p : i64[K:n], and
 * the domains that they have. */
static const struct {
    const char *domain, *body, *made;
} named[] = {
    {"i:n", "x[i] + 1", "n"},
    {"i:n", "u[i]", "I:n"},
    {"i:n-1", "u[i+1] - u[i]", "I:n-1"},
    {"i:n", "u[n-1-i]", "I:n"},
    {"i:1:n", "u[i-1]", "I:1:n"},
    {"i:n", "x[i]*u[i]", "I:n"},
    {"i:n", "u[i]*w[i]", "i:n"},
    {"I:n, J:n", "a[I, J] + a[J, I]", "I:n, J:n"},
    {"i:n, j:n", "a[j, i]", "J:n, I:n"},
    {"n", "u[_0]", "n"},
    {"i:n", "u[_0]", "I:n"},
    {"i:n", "u[i//2] + u[min(i, 3)] + sum[s:3](u[s])", "n"},
    {"i:n", "x[p[i]]", "K:n"},
    {"i:n", "u[p[i]]", "K:n"},
    {"i:n", "u[i-1; wrap] + u[i+1; 0.0]", "I:n"},
    {"i:n", "where(i == 0, 0.0, u[i-1])", "I:n"},
    {"X=i:n", "u[i]", "X:n"},
    {"X=_0:n", "u[_0]", "X:n"},
    {"X=i:-1:n", "f64(i)", "X:-1:n"},
    {"I+1/2:n", "u[_0]", "I+1/2:n"},
    {"", "u[3]", ""},
};

START_TEST(index_names)
{
    ilex_assume(ctx, "n >= 4");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_array *a = ilex_input(ctx, "a", ILEX_F64, "I:n, J:n");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, "i:n");
    ilex_array *p = ilex_input(ctx, "p", ILEX_I64, "K:n");
    for (size_t i = 0; i < IX_COUNT(named); i++) {
        ilex_array *y = ilex_map(ctx, named[i].domain, named[i].body, "x", x,
                                 "u", u, "a", a, "w", w, "p", p, NULL);
        ck_assert_msg(!ilex_is_poison(y), "%s", ilex_error_text(ctx));
        ck_assert_str_eq(ix_domain_show(ctx, y->interior).s, named[i].made);
    }
}
END_TEST

static const struct {
    const char *domain, *body;
    ilex_status code;
    const char *text;
} bad_maps[] = {
    {"i:n", "x[i+1]", ILEX_E_BOUNDS, "map: reads x at axis 0=1 when i=0"},
    {"i:", "x[i]", ILEX_E_SYNTAX, "an axis is an index and its range"},
    {"i:n", "x[i", ILEX_E_SYNTAX, "expected ']'"},
    {"i:n", "y[i]", ILEX_E_UNKNOWN, "there is no array 'y'"},
    {NULL, "x[i]", ILEX_E_ARGUMENT, "map: the domain is NULL"},
    {"i:n", NULL, ILEX_E_ARGUMENT, "map: the body is NULL"}};

START_TEST(bad_maps_from_c)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    for (size_t i = 0; i < IX_COUNT(bad_maps); i++) {
        ck_assert(ilex_is_poison(
            ilex_map(ctx, bad_maps[i].domain, bad_maps[i].body, "x", x, NULL)));
        ck_assert_msg(strstr(ilex_error_text(ctx), bad_maps[i].text) != NULL,
                      "%s", ilex_error_text(ctx));
        ck_assert_int_eq(ilex_error_code(ctx), bad_maps[i].code);
        ilex_error_clear(ctx);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("parse");
    TCase *tests = tcase_create("text");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, program);
    tcase_add_test(tests, same_nodes);
    tcase_add_test(tests, line_ends);
    tcase_add_test(tests, name_spaces);
    tcase_add_test(tests, diagnostic);
    tcase_add_test(tests, caller_location);
    tcase_add_test(tests, first_error_stays);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, nul_byte);
    tcase_add_test(tests, api_texts);
    tcase_add_test(tests, api_errors);
    tcase_add_test(tests, modules);
    tcase_add_test(tests, maps_from_c);
    tcase_add_test(tests, index_names);
    tcase_add_test(tests, bad_maps_from_c);
    tcase_add_test(tests, mutations);
    tcase_add_test(tests, out_of_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
