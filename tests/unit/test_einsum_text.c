/* SPDX-License-Identifier: MIT
 *
 * Einsums in text: what is read, what is printed, and that reading it again
 * gives the same node; their dtypes, in subscripts as well.
 */
#include "tests/unit/graph_fixture.h"

/* Printed text, which reads back to the same node, of operands of a dtype. */
static void
check_text_of(const char *dtype, const char *statement, const char *want)
{
    char text[400], *again;
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n\nin a : %s[n, n]\nin b : %s[n, n]\n"
             "in c : %s[n, n]\nin d : %s[n, n]\neinsum %s\nout z = r\n",
             dtype, dtype, dtype, dtype, statement);
    ilex_module *m = parse(text);
    again = ilex_module_print(m);
    ck_assert_ptr_nonnull(again);
    ck_assert_msg(strstr(again, want) != NULL, "no %s in\n%s", want, again);
    ilex_module *back = parse(again);
    ck_assert_ptr_eq(back->output[0].array, m->output[0].array);
    ilex_text_free(ctx, again);
    ilex_module_free(back);
    ilex_module_free(m);
}

static void
check_text(const char *statement, const char *want)
{
    check_text_of("f64", statement, want);
}

START_TEST(text_of_paths)
{
    check_text("r[i, l] = a[i, j]*b[j, k]*c[k, l]",
               "einsum t0[i, l] = a[i, j]*b[j, k]*c[k, l]\n");
    check_text("r[i, l] = (a[i, j]*b[j, k])*c[k, l]",
               "einsum t0[i, l] = a[i, j]*b[j, k]*c[k, l]\n");
    check_text("r[i, l] = a[i, j]*(b[j, k]*c[k, l])",
               "einsum t0[i, l] = a[i, j]*(b[j, k]*c[k, l])\n");
    check_text("r[i, m] = a[i, j]*b[j, k]*(c[k, l]*d[l, m])",
               "einsum t0[i, m] = (a[i, j]*b[j, k])*(c[k, l]*d[l, m])\n");
    check_text("r[i, m] = a[i, j]*((b[j, k]*c[k, l])*d[l, m]) acc c128",
               "einsum t0[i, m] = a[i, j]*((b[j, k]*c[k, l])*d[l, m]) acc "
               "c128\n");
    check_text("r[i, m] = a[i, j]*c[k, l]*b[j, k]*d[l, m]",
               "einsum t0[i, m] = a[i, j]*c[k, l]*b[j, k]*d[l, m]\n");
}
END_TEST

/* ---- the dtype of the result ---- */

/* Sums are formed in what operands and result have in common; "acc" is printed
 * where it says something else. */
START_TEST(text_of_dtypes)
{
    static const char *const rows[][3] = {
        {"i8", "r[i, k] : i32 = a[i, j]*b[j, k]",
         "einsum t0[i, k] : i32 = a[i, j]*b[j, k]\n"},
        {"i8", "r[i, k] : i32 = a[i, j]*b[j, k] acc i32",
         "einsum t0[i, k] : i32 = a[i, j]*b[j, k]\n"},
        {"i8", "r[i, k] : i32 = a[i, j]*b[j, k] acc i8",
         "einsum t0[i, k] : i32 = a[i, j]*b[j, k] acc i8\n"},
        {"i8", "r[i, k] = a[i, j]*b[j, k] acc i32",
         "einsum t0[i, k] = a[i, j]*b[j, k] acc i32\n"},
        {"i8", "r[i, k] : i8 = a[i, j]*b[j, k]",
         "einsum t0[i, k] = a[i, j]*b[j, k]\n"},
        {"f64", "r[i, k] : f32 = a[i, j]*b[j, k] acc f64",
         "einsum t0[i, k] : f32 = a[i, j]*b[j, k]\n"},
        {"f64", "r[i, k] = a[i, j]*b[j, k] rounded",
         "einsum t0[i, k] = a[i, j]*b[j, k] rounded\n"},
        {"f64", "r[i, k] : f32 = a[i, j]*b[j, k] acc f32 rounded",
         "einsum t0[i, k] : f32 = a[i, j]*b[j, k] acc f32 rounded\n"},
        {"f64", "r[i, k] : f32 = a[i, j]*b[j, k] acc f32",
         "einsum t0[i, k] : f32 = a[i, j]*b[j, k] acc f32\n"},
        {"i32", "r[i, k] : f32 = a[i, j]*b[j, k] acc f64",
         "einsum t0[i, k] : f32 = a[i, j]*b[j, k]\n"},
        {"i32", "r[i, k] : bool = a[i, j]*b[j, k] acc i32",
         "einsum t0[i, k] : bool = a[i, j]*b[j, k]\n"},
        {"bool", "r[i, k] : i64 = a[i, j]*b[j, k] acc i64",
         "einsum t0[i, k] : i64 = a[i, j]*b[j, k]\n"},
        /* they have f64 in common, which lacks digits */
        {"u64", "r[i, k] : i64 = a[i, j]*b[j, k] acc i64",
         "einsum t0[i, k] : i64 = a[i, j]*b[j, k]\n"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_text_of(rows[i][0], rows[i][1], rows[i][2]);
}
END_TEST

/* A factor may be an element-wise function of one; it is the node that `let`
 * gives. */
START_TEST(functions_of_factors)
{
    static const char *const rows[][3] = {
        {"i8", "r[i, k] = i32(a[i, j])*i32(b[j, k])",
         "let t0 = i32(a)\nlet t1 = i32(b)\n"
         "einsum t2[i, k] = t0[i, j]*t1[j, k]\n"},
        {"i8", "r[i, k] = a[i, j]*(f32(i32(b[j, k])))",
         "let t0 = f32(i32(b))\neinsum t1[i, k] = a[i, j]*t0[j, k]\n"},
        {"c64", "r[i, k] = (conj(a[i, j])*-b[j, k])*abs(c[k, i])",
         "let t0 = conjugate(a)\nlet t1 = -b\nlet t2 = absolute(c)\n"
         "einsum t3[i, k] = t0[i, j]*t1[j, k]*t2[k, i]\n"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_text_of(rows[i][0], rows[i][1], rows[i][2]);
}
END_TEST

/* A literal takes the dtype of what it meets within its kind. */
START_TEST(literals_as_factors)
{
    static const struct {
        ilex_dtype x, dtype;
        double literal;
    } rows[] = {{ILEX_I8, ILEX_F64, 2.5}, {ILEX_F32, ILEX_F32, 2.5}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_array *x[2] = {ilex_input(ctx, i ? "x" : "y", rows[i].x, "n"),
                            ilex_lit(ctx, rows[i].literal)};
        ck_assert_int_eq(ilex_array_dtype(ilex_einsum(ctx, "i,->i", 2, x)),
                         rows[i].dtype);
    }
    check_fine();
}
END_TEST

/* Subscripts say the same, and attributes say it again. */
START_TEST(dtypes_in_subscripts)
{
    ilex_array *x[2] = {ilex_input(ctx, "x", ILEX_I8, "n, n"),
                        ilex_input(ctx, "y", ILEX_I8, "n, n")};
    static const char *const rows[][2] = {
        {"ij,jk->ik : i32", "ij,jk->ik : i32"},
        {"ij,jk:i32", "ij,jk->ik : i32"},
        {" ij , jk -> ik : i32 acc i32 ", "ij,jk->ik : i32"},
        {"ij,jk->ik :acc i32", "ij,jk->ik : acc i32"},
        {"ij,jk->ik : f32 acc f64", "ij,jk->ik : f32 acc f64"},
        {"ij,jk : i8", "ij,jk->ik"},
        {"ij,jk : i32 rounded", "ij,jk->ik : i32"}, /* as integers are */
        {"ij,jk : rounded ", "ij,jk->ik"},
        {"ij,jk : f32 acc f64 rounded", "ij,jk->ik : f32 acc f64 rounded"},
        {"ij,jk->ik : f64 rounded", "ij,jk->ik : f64 rounded"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[80];
        ilex_array *e = ilex_einsum(ctx, rows[i][0], 2, x);
        check_fine();
        ilex_array_attributes(e, text, sizeof text);
        ck_assert_str_eq(text, rows[i][1]);
        ck_assert_ptr_eq(ilex_einsum(ctx, text, 2, x), e);
    }
}
END_TEST

/* 100*100 is no i8, twice that no i16. */
START_TEST(wide_results)
{
    ilex_program *p =
        compile("ilex 1\nprogram p\nin a : i8[2]\nin b : i8[2]\n"
                "einsum c[] : i32 = a[i]*b[i]\n"
                "einsum d[] : i64 = a[i]*b[i]*a[i]*b[i] acc i16\n"
                "einsum e[] : f32 = a[i]*b[i]\n"
                "out x : i32 = c\nout y : i64 = d\nout z : f32 = e\n");
    ilex_binding bound[] = {
        ILEX_BIND("a", ilex_storage_zeros(ctx, ILEX_I8, 1, SHAPE(2))),
        ILEX_BIND("b", ilex_storage_zeros(ctx, ILEX_I8, 1, SHAPE(2))),
        ILEX_BIND("x", ilex_storage_zeros(ctx, ILEX_I32, 0, NULL)),
        ILEX_BIND("y", ilex_storage_zeros(ctx, ILEX_I64, 0, NULL)),
        ILEX_BIND("z", ilex_storage_zeros(ctx, ILEX_F32, 0, NULL))};
    for (int i = 0; i < 2; i++)
        memset(ilex_storage_data(bound[i].storage), 100, 2);
    run_program(p, bound, IX_COUNT(bound));
    ck_assert_int_eq(*(int32_t *)ilex_storage_data(bound[2].storage), 20000);
    ck_assert_int_eq(*(int64_t *)ilex_storage_data(bound[3].storage),
                     (int16_t)(2 * 100000000));
    ck_assert(*(float *)ilex_storage_data(bound[4].storage) == 20000.0F);
    for (size_t i = 0; i < IX_COUNT(bound); i++)
        ilex_storage_release(bound[i].storage);
    ilex_program_release(p);
}
END_TEST

/* ---- `...` and implied results ---- */

/* "...ij" as "[..., i, j]". */
static const char *
write_term(const char *p, char **text)
{
    *text += sprintf(*text, "[");
    for (const char *blank = ""; *p && *p != ',' && *p != '-'; blank = ", ") {
        bool dots = *p == '.';
        *text += sprintf(*text, "%s%.*s", blank, dots ? 3 : 1, p);
        p += dots ? 3 : 1;
    }
    *text += sprintf(*text, "]");
    return p;
}

/* The statement that says what the subscripts say. */
static void
write_statement(const char *subscripts, char *text)
{
    const char *arrow = strstr(subscripts, "->"), *p = subscripts;
    text += sprintf(text, "einsum r");
    if (arrow)
        write_term(arrow + 2, &text);
    for (int i = 0; i == 0 || *p == ','; i++) {
        text += sprintf(text, "%sx%d", i ? "*" : " = ", i);
        p = write_term(p + (i > 0), &text);
    }
}

/* The same with the subscripts as NumPy has them. */
static ilex_array *
in_expression(const char *subscripts, const ilex_module *m)
{
    static const char *const names[] = {"x0", "x1", "x2"};
    char text[200], *t = text;
    t += sprintf(t, "einsum(\"%s\"", subscripts);
    for (size_t i = 0; i < m->ninputs; i++)
        t += sprintf(t, ", %s", names[i]);
    sprintf(t, ")");
    return ilex_expr_n(ctx, text, m->ninputs, names, m->input);
}

/* What NumPy's users write is the node that ilex_einsum makes of it. */
START_TEST(as_numpy_has_it)
{
    static const char *const rows[][2] = {
        {"ij,jk", "n, m; m, n"},
        {"ij,jk->", "n, m; m, n"},
        {"kj,ki", "n, m; n, p"},
        {"ba", "n, m"},
        {"bA", "n, m"},
        {"ii", "n, n"},
        {"iij", "n, n, m"},
        {"i,i", "n; n"},
        {"...->...", "n, m"},
        {"...", "n, m"},
        {"...,...", "n, m; m"},
        {"...ij->...ji", "p, n, m"},
        {"...ij,...jk->...ik", "p, n, m; p, m, n"},
        {"...ij,...jk->...ik", "p, 2, n, m; 2, m, n"},
        {"...ij,...jk", "1, 2, n, m; p, 1, m, n"},
        {"...i,i->...", "n, m, p; p"},
        {"i...,i...", "p, n, m; p, m"},
        {"i...j,j->...i", "p, n, m; m"},
        {"...ii->...i", "m, n, n"},
        {"b...,...a,c", "n, p; p, m; m"},
        {"...i->i", "n"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[500], *t = text;
        const char *p = rows[i][1];
        t += sprintf(t, "ilex 1\nprogram p\nsize n, m, p\n");
        for (int k = 0; k == 0 || *p == ';'; k++) {
            int length = (int)strcspn(p += k > 0, ";");
            t += sprintf(t, "in x%d : f64[%.*s]\n", k, length, p);
            p += length;
        }
        write_statement(rows[i][0], t);
        strcat(text, "\nout z = r\n");
        ilex_module *m = parse(text);
        ilex_array *want =
            ilex_einsum(ctx, rows[i][0], (int)m->ninputs, m->input);
        ck_assert_msg(m->output[0].array == want, "%s", text);
        ck_assert_msg(in_expression(rows[i][0], m) == want, "%s", text);
        ilex_module_free(m);
    }
}
END_TEST

/* Operands u on J and K, w on K, I and L, y on I and J, with names. */
static void
check_named(const char *statement, const char *want)
{
    char text[400];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n\nin u : f64[J:n, K:n]\n"
             "in w : f64[K:n, I:n, L:n]\nin y : f64[I:n, J:n]\n"
             "einsum %s\nout z = r\n",
             statement);
    ilex_module *m = parse(text);
    const ilex_array *x = m->output[0].array;
    ck_assert_str_eq(ix_domain_show(ctx, x->interior).s, want);
    ilex_module_free(m);
}

/* They meet by name, in the order of the first operand that has all. */
START_TEST(named_axes_under_dots)
{
    check_named("r[...] = u[...]*u[...]", "J:n, K:n");
    check_named("r[...] = u[..., k]*w[k, ...]", "J:n, I:n, L:n");
    check_named("r[...] = u[..., k]*y[...]", "I:n, J:n");
    check_named("r = u[..., k]*w[k, ..., l]*y[...]", "I:n, J:n, L:n");
    check_named("r[..., k] = u[..., k]*w[k, ..., l]", "J:n, I:n, K:n");
}
END_TEST

/* A call is an expression as any other; fmt leaves its subscripts alone. */
START_TEST(calls)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n\nassume n >= 1\nin a : f64[n, n]\n"
        "in x : f64[n]\nfunction f(u, v)\n"
        "    let r = einsum(\"ij , j: f32\", u, 2*v)\n    return r\nend\n"
        "out y = einsum(\"ij,j->i\", a, x)[1:] + f(a, x)[:-1]\n";
    char *tidy = ilex_text_fmt(ctx, text, NULL);
    check_fine();
    ck_assert_str_eq(tidy, text);
    ilex_text_free(ctx, tidy);
    ilex_module_free(parse(text));
}
END_TEST

/* Labels stand in alphabetical order, also longer ones. */
START_TEST(implied_results)
{
    check_text("r = a[row, inner]*b[inner, col]",
               "einsum t0[k, i] = a[i, j]*b[j, k]\n");
    check_text("r = a[ab, a]*b[B, b]",
               "einsum t0[k, j, i, l] = a[i, j]*b[k, l]\n");
    check_text("r : f32 = a[i, j]*b[j, k] acc f32",
               "einsum t0[i, k] : f32 = a[i, j]*b[j, k] acc f32\n");
    check_text("r[..., j] = a[..., j]", "einsum t0[i, j] = a[i, j]\n");
}
END_TEST

int
main(void)
{
    return RUN_TESTS("einsum_text", text_of_paths, text_of_dtypes,
                     functions_of_factors, literals_as_factors,
                     dtypes_in_subscripts, wide_results, as_numpy_has_it,
                     named_axes_under_dots, implied_results, calls);
}
