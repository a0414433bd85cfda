/* SPDX-License-Identifier: MIT
 *
 * Walking over graphs and rewriting them, as a user does.
 */
#include "lib/graph/annotation.h"
#include "tests/unit/graph_fixture.h"

/* ---- walking ---- */

typedef struct seen {
    int n, inputs;
    ilex_array *node[64];
} seen;

static int
note(void *user, ilex_array *node)
{
    seen *s = user;
    s->inputs += !strcmp(ilex_array_kind(node), "input");
    for (int i = 0; i < s->n; i++)
        ck_assert_ptr_ne(s->node[i], node);
    for (int k = 0; k < ilex_array_operand_count(node); k++) {
        bool before = false;
        for (int i = 0; i < s->n; i++)
            before |= s->node[i] == ilex_array_operand(node, k);
        ck_assert(before);
    }
    s->node[s->n++] = node;
    return 0;
}

START_TEST(each_once_operands_first)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, "n");
    ilex_array *e = ilex_exp(x);
    ilex_array *roots[] = {ilex_multiply(ilex_add(e, w), e), ilex_sqrt(w), e};
    seen s = {.n = 0};
    ck_assert_int_eq(ilex_walk(ctx, 3, roots, note, &s), ILEX_OK);
    ck_assert_int_eq(s.n, 6);
    ck_assert_int_eq(s.inputs, 2);
    ck_assert_ptr_eq(s.node[0], x);
    ck_assert_ptr_eq(s.node[5], roots[1]);
}
END_TEST

static int
stop_at_second(void *user, ilex_array *node)
{
    (void)node;
    return ++*(int *)user == 2;
}

START_TEST(walks_end)
{
    int n = 0;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_exp(ilex_sin(ilex_cos(x))), *two = ilex_lit(ctx, 2.0);
    ck_assert_int_eq(ilex_walk(ctx, 1, &y, stop_at_second, &n), ILEX_OK);
    ck_assert_int_eq(n, 2);
    seen s = {.n = 0};
    ck_assert_int_eq(ilex_walk(ctx, 1, &two, note, &s), ILEX_OK);
    ck_assert_int_eq(s.n, 1);
    ck_assert_int_eq(ilex_walk(ctx, 0, NULL, note, &s), ILEX_OK);
}
END_TEST

START_TEST(deep)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y = x, *z;
    for (int i = 0; i < 100000; i++)
        y = ilex_sin(y);
    z = ilex_substitute(y, x, ilex_cos(x));
    check_fine();
    for (int i = 0; i < 100000; i++)
        z = ilex_array_operand(z, 0);
    ck_assert_ptr_eq(z, ilex_cos(x));
}
END_TEST

/* ---- rewriting ---- */

static bool
is_a(const ilex_array *x, const char *name)
{
    const char *op = ilex_array_operator(x);
    return op && !strcmp(op, name);
}

/* exp(a)*exp(b) is exp(a + b). */
static ilex_array *
join_exp(void *user, ilex_array *node, int count, ilex_array *const *x)
{
    ++*(int *)user;
    if (!is_a(node, "multiply") || count != 2 || !is_a(x[0], "exp") ||
        !is_a(x[1], "exp"))
        return NULL;
    return ilex_exp(
        ilex_add(ilex_array_operand(x[0], 0), ilex_array_operand(x[1], 0)));
}

START_TEST(exponents_add)
{
    int calls = 0;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n halo(I:1:1)");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "I:n");
    ilex_array *s = ilex_shift(x, "I", 1);
    ilex_array *product = ilex_multiply(ilex_exp(s), ilex_exp(y)), *r[2];
    ilex_array *roots[2] = {ilex_sqrt(product), ilex_sqrt(x)};
    ck_assert_int_eq(ilex_map_graph(ctx, 2, roots, join_exp, &calls, r),
                     ILEX_OK);
    ck_assert_ptr_eq(r[0], ilex_sqrt(ilex_exp(ilex_add(s, y))));
    ck_assert_ptr_eq(r[1], roots[1]);
    ck_assert_int_eq(calls, 8);
    ck_assert_ptr_eq(ilex_array_operand(ilex_array_operand(r[0], 0), 0),
                     ilex_add(s, y));
}
END_TEST

/* Operands that become one are read as one, as if it was written so. */
START_TEST(equal_operands_merge)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "n");
    ilex_array *z = ilex_input(ctx, "z", ILEX_F64, "n");
    ilex_array *t = ilex_where(ilex_less(x, y), z, y);
    ck_assert_ptr_eq(ilex_substitute(t, y, x),
                     ilex_where(ilex_less(x, x), z, x));
    ck_assert_ptr_eq(ilex_substitute(t, z, y),
                     ilex_where(ilex_less(x, y), y, y));
    ck_assert_ptr_eq(ilex_substitute(t, ilex_multiply(x, y), x), t);
    check_fine();
}
END_TEST

/* Every kind of node stands over other operands. */
START_TEST(kinds)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n\nassume n >= 3\nin x : f64[n, 4]\n"
        "in z : f64[n, 4]\nin p : i64[2]\n"
        "reshape r[4*n] = %s\nnode t = permute(%s; axes=[1, 0])\n"
        "einsum e[A, B] = t[A, C]*%s[C, B]\n"
        "node s = slice(r; start=[1], stop=[2*n+1], step=[2])\n"
        "node c = concat(s, r; axis=0)\n"
        "scan _0 forward y[n] : f64 = where(_0 == 0, 0.0, y[_0-1] + %s[_0, "
        "0])\n"
        "node q = compress(r, r > 1.0; axis=0)\n"
        "let a = sum(q) + sum(y) + sum(c)\n"
        "let u = update(r[p], 1.0)\nnode o = roll(u; axis=0, by=1)\n"
        "out v = e + a\nout w = o\n";
    char with[2][1200];
    for (int i = 0; i < 2; i++) {
        const char *x = i ? "z" : "x";
        snprintf(with[i], sizeof with[i], text, x, x, x, x);
    }
    ilex_module *m = parse(with[0]), *k = parse(with[1]);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "w" : "v";
        ilex_array *y = ilex_module_array(m, name);
        ilex_array *r = ilex_substitute(y, ilex_module_array(m, "x"),
                                        ilex_module_array(m, "z"));
        if (i) {
            check_fine();
            ck_assert_ptr_ne(r, y);
            ck_assert_ptr_eq(r, ilex_module_array(k, name));
        } else { /* its length depends on the mask */
            ck_assert(ilex_is_poison(r));
            ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
        }
    }
    for (int i = 0; i < 6; i++) {
        const char *name =
            (const char *const[]){"r", "t", "e", "s", "c", "y"}[i];
        ilex_array *r = ilex_substitute(ilex_module_array(m, name),
                                        ilex_module_array(m, "x"),
                                        ilex_module_array(m, "z"));
        check_fine();
        ck_assert_ptr_eq(r, ilex_module_array(k, name));
    }
    ilex_module_free(m);
    ilex_module_free(k);
}
END_TEST

static ilex_array *
shift_read(void *user, ilex_array *node, int count, ilex_array *const *x)
{
    (void)count, (void)x;
    return node == user ? ilex_negative(node) : NULL;
}

/* What an update changes has to stay a read of its array. */
START_TEST(read_of_an_update)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "5"), *r;
    ilex_array *p = ilex_input(ctx, "p", ILEX_I64, "2");
    ilex_array *read = ilex_map(ctx, "2", "x[p[_0]]", "x", x, "p", p, NULL);
    ilex_array *u = ilex_update(x, read, ilex_lit(ctx, 1.0));
    check_fine();
    ck_assert_int_eq(ilex_map_graph(ctx, 1, &u, shift_read, read, &r),
                     ILEX_E_ARGUMENT);
    ck_assert(ilex_is_poison(r));
    ilex_error_clear(ctx);
    ck_assert_ptr_eq(ilex_substitute(u, x, ilex_exp(x)),
                     ilex_update(ilex_exp(x),
                                 ilex_map(ctx, "2", "x[p[_0]]", "x",
                                          ilex_exp(x), "p", p, NULL),
                                 ilex_lit(ctx, 1.0)));
}
END_TEST

/* A number takes the domain of what it replaces. */
START_TEST(numbers_fill)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F32, "I:n halo(I:1:1)");
    ilex_array *y = ilex_add(ilex_shift(ilex_sin(x), "I", 1), x);
    ilex_array *r = ilex_substitute(y, ilex_sin(x), ilex_lit(ctx, 2.0));
    char text[40];
    check_fine();
    ilex_array_domain(r, text, sizeof text);
    ck_assert_str_eq(text, "I:n");
    ck_assert_int_eq(ilex_array_dtype(r), ILEX_F32);
    ck_assert(ilex_is_poison(ilex_substitute(y, x, ilex_i32(ctx, 1))));
    ck_assert_int_eq(take_error(), ILEX_E_DTYPE);
}
END_TEST

/* A node keeps what it rests on, also where that does not hold any more. */
START_TEST(assumptions_stay)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    size_t mark = ilex_scope_begin(ctx);
    assume("n >= 4");
    ilex_array *y = ilex_map(ctx, "n-4", "x[_0+4]", "x", x, NULL);
    y = ilex_scope_end(ctx, mark, y);
    ilex_array *r = ilex_substitute(y, x, ilex_exp(x));
    check_fine();
    ck_assert_ptr_eq(r->env, y->env);
    ck_assert_ptr_nonnull(r->env);
}
END_TEST

START_TEST(places_stay)
{
    ilex_location(ctx, "dsl", 3, 0);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    ilex_location(ctx, "dsl", 7, 2);
    ilex_array *y = ilex_shift(ilex_exp(x), "I", 1);
    ilex_location(ctx, "dsl", 20, 0);
    ilex_array *r = ilex_substitute(y, x, ilex_sin(x));
    ck_assert_int_eq(ix_location_count(r), 1);
    ck_assert_int_eq(ix_location_get(r, 0).line, 7);
    ck_assert_int_eq(ix_location_get(r, 0).column, 2);
    /* an error of the rewrite is one of the node */
    ck_assert(ilex_is_poison(ilex_substitute(y, x, ilex_i32(ctx, 1))));
    ck_assert_int_eq(ilex_error_query(ctx).line, 3);
    ilex_error_clear(ctx);
    ck_assert(ilex_is_poison(ilex_restrict(r, "I:n")));
    ck_assert_int_eq(ilex_error_query(ctx).line, 20);
    ilex_error_clear(ctx);
}
END_TEST

/* ---- errors ---- */

static ilex_array *
return_user(void *user, ilex_array *node, int count, ilex_array *const *x)
{
    (void)count, (void)x;
    return strcmp(ilex_array_kind(node), "input") == 0 ? user : NULL;
}

static void
refused(ilex_array *y, ilex_array *by, ilex_status code, const char *text)
{
    ilex_array *r = y;
    ck_assert_int_eq(ilex_map_graph(ctx, 1, &y, return_user, by, &r), code);
    ck_assert(ilex_is_poison(r));
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), code);
}

START_TEST(replacements_are_checked)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n halo(I:1:1)");
    ilex_array *y = ilex_exp(x);
    refused(y, ilex_input(ctx, "z", ILEX_F64, "I:n+1 halo(I:1:0)"),
            ILEX_E_SHAPE, "[I:n+1]");
    refused(y, ilex_input(ctx, "z", ILEX_F64, "I:n halo(I:1:0)"), ILEX_E_BOUNDS,
            "[I:-1:n] only");
    refused(y, ilex_input(ctx, "z", ILEX_F32, "I:n halo(I:1:1)"), ILEX_E_DTYPE,
            "f64(x)");
    refused(y, ilex_input(ctx, "z", ILEX_F64, "J:n halo(J:1:1)"), ILEX_E_SHAPE,
            "[J:n]");
    refused(y, ilex_input(other, "x", ILEX_F64, "I:n halo(I:1:1)"),
            ILEX_E_CONTEXT, "another context");
    ilex_array *wide = ilex_input(ctx, "z", ILEX_F64, "I:n halo(I:2:1)"), *r;
    ck_assert_int_eq(ilex_map_graph(ctx, 1, &y, return_user, wide, &r),
                     ILEX_OK);
    ck_assert_ptr_eq(ilex_array_operand(r, 0), wide);
    ck_assert_ptr_eq(r->valid, y->valid);
    refused(y, ilex_input(ctx, "z", ILEX_NDTYPES, "I:n"), ILEX_E_DTYPE, "");
    ilex_context_free(other);
}
END_TEST

START_TEST(arguments_are_checked)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *none = NULL, *r;
    ilex_array *foreign = ilex_input(other, "x", ILEX_F64, "n");
    seen s = {.n = 0};
    ck_assert_int_eq(ilex_walk(ctx, 1, &none, note, &s), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_walk(ctx, 1, NULL, note, &s), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_walk(ctx, 1, &x, NULL, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_walk(ctx, 1, &foreign, note, &s), ILEX_E_CONTEXT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_map_graph(ctx, 1, &x, NULL, NULL, &r),
                     ILEX_E_ARGUMENT);
    ck_assert(ilex_is_poison(r));
    ck_assert_int_eq(ilex_map_graph(ctx, 1, &x, return_user, x, NULL),
                     ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_ptr_null(ilex_substitute(NULL, x, x));
    ck_assert(ilex_is_poison(ilex_substitute(x, NULL, x)));
    ck_assert(ilex_is_poison(ilex_substitute(x, x, NULL)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert(ilex_is_poison(ilex_substitute(x, foreign, x)));
    ck_assert_int_eq(take_error(), ILEX_E_CONTEXT);
    ck_assert_int_eq(s.n, 0);
    ck_assert(ilex_is_poison(ilex_input(ctx, "", ILEX_F64, "n")));
    r = ilex_input(ctx, "", ILEX_F64, "n");
    ilex_status code = ilex_error_code(ctx);
    ck_assert_int_eq(ilex_walk(ctx, 1, &r, note, &s), code);
    ilex_context_free(other);
}
END_TEST

START_TEST(tuples_are_not_replaced)
{
    ilex_module *m = parse(
        "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
        "scan _0 forward y[n] : f64 = where(_0 == 0, 0.0, y[_0-1] + x[_0])\n"
        "out v = y\n");
    ilex_array *y = ilex_module_array(m, "y");
    ilex_array *scan = ilex_array_operand(y, 0);
    ck_assert_str_eq(ilex_array_kind(scan), "scan");
    ck_assert(
        ilex_is_poison(ilex_substitute(y, scan, ilex_module_array(m, "x"))));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_module_free(m);
}
END_TEST

/* ---- equality ---- */

START_TEST(identical)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *z = ilex_input(other, "x", ILEX_F64, "n");
    ck_assert(ilex_identical(ilex_exp(x), ilex_exp(x)));
    ck_assert(!ilex_identical(ilex_exp(x), ilex_sin(x)));
    ck_assert(ilex_identical(ilex_exp(x), ilex_exp(z)));
    ck_assert(!ilex_identical(ilex_exp(x), ilex_sin(z)));
    ck_assert(!ilex_identical(x, NULL));
    ck_assert(!ilex_identical(ctx->poison, ctx->poison));
    check_fine();
    ilex_context_free(other);
}
END_TEST

START_TEST(operators)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F32, "J:m");
    ilex_array *a = ilex_input(ctx, "a", ILEX_F64, "n, 1");
    ilex_array *b = ilex_input(ctx, "b", ILEX_F64, "m");
    ck_assert(is_a(ilex_subtract(x, w), "subtract"));
    ck_assert(is_a(ilex_subtract(ilex_lit(ctx, 2), x), "subtract"));
    ck_assert(is_a(ilex_multiply(a, b), "multiply"));
    ck_assert(is_a(ilex_cast(x, ILEX_F32), "cast"));
    ck_assert(is_a(ilex_where(ilex_less(x, w), x, w), "where"));
    ck_assert_ptr_null(ilex_array_operator(x));
    ck_assert_ptr_null(ilex_array_operator(ilex_shift(x, "I", 1)));
    ck_assert_ptr_null(ilex_array_operator(ilex_sum(x, "I", 0)));
    ck_assert_ptr_null(ilex_array_operator(
        ilex_map(ctx, "m", "exp(b[m-1-_0])", "b", b, NULL)));
    ck_assert_ptr_null(ilex_array_operator(
        ilex_map(ctx, "m", "exp(b[_0])+1.0", "b", b, NULL)));
    ck_assert(is_a(ilex_map(ctx, "m", "exp(b[_0])", "b", b, NULL), "exp"));
    ck_assert_ptr_null(ilex_array_operator(ctx->poison));
}
END_TEST

START_TEST(imports)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_size(other, "m"); /* numbers of sizes differ */
    ilex_module *m =
        parse("ilex 1\nprogram p\nsize n, m\nassume n >= 3\n"
              "in u : f64[I:n, J:m] halo(I:1:1)\nin x : f64[n, m]\n"
              "let s = u[I+1] - 2.0*u[I-1]\nlet r = sum[J](exp(s))\n"
              "einsum e[A, B] = x[A, C]*x[B, C]\n"
              "scan _0 forward y[n] : f64 = "
              "where(_0 == 0, 0.0, y[_0-1] + e[_0, 0])\n"
              "node q = compress(y, y > 1.0; axis=0)\n"
              "out v : f64[I:n] = r\nout w = y\nout z = sum(q)\n");
    for (int i = 0; i < 5; i++) {
        const char *name = (const char *const[]){"v", "w", "z", "e", "u"}[i];
        ilex_array *a = ilex_module_array(m, name);
        ck_assert_int_eq(ilex_tag(a, "stored"), ILEX_OK);
        ilex_array *b = ilex_import(other, a);
        check_fine();
        ck_assert_msg(!ilex_is_poison(b), "%s: %s", name,
                      ilex_error_text(other));
        ck_assert_ptr_eq(b->ctx, other);
        ck_assert_uint_eq(ilex_tag_count(b), 1);
        ck_assert(ilex_identical(a, b));
        ck_assert_ptr_eq(ilex_import(ctx, b), a);
        ck_assert_ptr_eq(ilex_import(other, b), b);
    }
    ilex_error_clear(other);
    ck_assert(ilex_identical(ilex_import(other, ilex_lit(ctx, 2.5)),
                             ilex_lit(other, 2.5)));
    ck_assert(ilex_is_poison(ilex_import(other, ilex_size(ctx, "n"))));
    ck_assert_int_eq(ilex_error_code(other), ILEX_E_UNSUPPORTED);
    ilex_error_clear(other);
    assume("n >= 4");
    ck_assert(ilex_is_poison(
        ilex_import(other, ilex_shift(ilex_module_array(m, "u"), "I", 2))));
    ck_assert_int_eq(ilex_error_code(other), ILEX_E_UNSUPPORTED);
    ilex_error_clear(other);
    ilex_storage *s = counting(1, SHAPE(3));
    ck_assert(ilex_is_poison(ilex_import(other, ilex_data(ctx, s))));
    ck_assert_int_eq(ilex_error_code(other), ILEX_E_UNSUPPORTED);
    ilex_error_clear(other);
    ck_assert(ilex_is_poison(ilex_import(other, NULL)));
    ck_assert(ilex_is_poison(ilex_import(other, ctx->poison)));
    ck_assert_int_eq(ilex_error_code(other), ILEX_E_ARGUMENT);
    check_fine();
    ilex_storage_release(s);
    ilex_module_free(m);
    ilex_context_free(other);
}
END_TEST

/* ---- inspection ---- */

static const char *
attributes(const ilex_array *x)
{
    static char text[200];
    ck_assert_uint_eq(ilex_array_attributes(x, text, sizeof text),
                      strlen(text));
    return text;
}

static const char *
body(const ilex_array *x)
{
    static char text[200];
    ck_assert_uint_eq(ilex_array_body(x, 0, text, sizeof text), strlen(text));
    return text;
}

START_TEST(forms)
{
    assume("n >= 1 && m >= 1");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, "J:m");
    ilex_array *a = ilex_input(ctx, "a", ILEX_F64, "n, m");
    ilex_array *shifted = ilex_shift(ilex_shift(x, "J", -2), "I", 1);
    ilex_array *wide = ilex_restrict(w, "I:n, J:m");
    int64_t by[2] = {7, 7};
    unsigned axes = 9;
    ck_assert(ilex_is_elementwise(ilex_exp(ilex_add(x, w))));
    ck_assert(ilex_is_elementwise(wide));
    ck_assert(!ilex_is_elementwise(shifted));
    ck_assert(!ilex_is_elementwise(ilex_sum(x, "I", 0)));
    ck_assert(!ilex_is_elementwise(x));
    ck_assert(ilex_is_shift(ilex_shift(x, "J", -2), by));
    ck_assert(by[0] == 0 && by[1] == -2);
    ck_assert(!ilex_is_shift(wide, by));
    ck_assert(!ilex_is_shift(ilex_restrict(x, "I:1:n, J:m"), NULL));
    ck_assert(ilex_is_broadcast(wide));
    ck_assert(!ilex_is_broadcast(ilex_restrict(x, "I:1:n, J:m")));
    ck_assert_str_eq(ilex_is_reduction(ilex_max(x, "I", 0), &axes), "max");
    ck_assert_uint_eq(axes, 1);
    ck_assert_str_eq(ilex_is_reduction(ilex_sum(a, "1", 1), &axes), "sum");
    ck_assert_uint_eq(axes, 2);
    ck_assert_str_eq(ilex_is_reduction(ilex_sum(a, NULL, 0), &axes), "sum");
    ck_assert_uint_eq(axes, 3);
    ck_assert_ptr_null(ilex_is_reduction(x, &axes));
    ck_assert_ptr_null(ilex_is_reduction(ilex_exp(x), NULL));
    ck_assert_ptr_null(ilex_is_reduction(
        ilex_map(ctx, "n", "sum[_r0:1:m](a[_0, _r0])", "a", a, NULL), &axes));
    ilex_array *e = ilex_einsum(ctx, "ij,kj->ik", 2, (ilex_array *[]){a, a});
    check_fine();
    ck_assert(ilex_is_contraction(e));
    ck_assert(!ilex_is_contraction(ilex_einsum(ctx, "ij->j", 1, &a)));
    ck_assert_str_eq(attributes(e), "ij,kj->ik");
}
END_TEST

START_TEST(texts)
{
    assume("m >= 1");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n, m");
    ilex_array *p = ilex_permute(x, (int[]){1, 0});
    char text[6];
    double re = 0, im = 7;
    ck_assert_str_eq(attributes(p), "axes=[1, 0]");
    ck_assert_str_eq(attributes(ilex_reshape(x, "n*m", "F")), "F");
    ck_assert_str_eq(attributes(x), "x");
    ck_assert_str_eq(attributes(ilex_exp(x)), "");
    ck_assert_str_eq(ilex_array_name(x), "x");
    ck_assert_ptr_null(ilex_array_name(p));
    ck_assert_uint_eq(ilex_array_attributes(p, text, sizeof text), 11);
    ck_assert_str_eq(text, "axes=");
    ck_assert_uint_eq(ilex_array_attributes(p, NULL, 0), 11);
    ck_assert_str_eq(body(ilex_map(ctx, "n", "2*x[_0, 0]", "x", x, NULL)),
                     "2.0*_in0[_0, 0]");
    ck_assert_str_eq(body(ilex_max(x, "1", 0)), "max[_r0:m](_in0[_0, _r0])");
    ck_assert_str_eq(body(p), "");
    ck_assert_uint_eq(ilex_array_body(ilex_exp(x), 1, text, sizeof text), 0);
    ck_assert(ilex_array_number(ilex_lit(ctx, 2.5), &re, &im));
    ck_assert(re == 2.5 && im == 0);
    ck_assert(ilex_array_number(ilex_c128(ctx, 1, -3), &re, &im));
    ck_assert(re == 1 && im == -3);
    ck_assert(ilex_array_number(ilex_lit_int(ctx, -4), &re, NULL));
    ck_assert(re == -4);
    ck_assert(!ilex_array_number(x, &re, &im));
}
END_TEST

/* A pass of a user: how often are inputs read? */
static int
count_reads(void *user, ilex_array *node)
{
    for (int k = 0; k < ilex_array_operand_count(node); k++)
        *(int *)user += ilex_array_name(ilex_array_operand(node, k)) != NULL;
    return 0;
}

START_TEST(loads_are_counted)
{
    int n = 0;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "I:n");
    ilex_array *s = ilex_add(ilex_shift(x, "I", 1), ilex_shift(x, "I", -1));
    s = ilex_add(s, ilex_multiply(x, y));
    ck_assert_int_eq(ilex_walk(ctx, 1, &s, count_reads, &n), ILEX_OK);
    ck_assert_int_eq(n, 4);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("graph", each_once_operands_first, walks_end, deep,
                     exponents_add, equal_operands_merge, kinds,
                     read_of_an_update, numbers_fill, assumptions_stay,
                     places_stay, replacements_are_checked,
                     arguments_are_checked, tuples_are_not_replaced, identical,
                     operators, forms, texts, loads_are_counted, imports);
}
