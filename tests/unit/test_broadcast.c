/* SPDX-License-Identifier: MIT
 *
 * Broadcasting: by position as NumPy does, by name on the intersection.
 */
#include "lib/shape/broadcast.h"
#include "tests/unit/graph_fixture.h"

static ilex_array *
input(const char *name, const char *dom)
{
    ilex_array *x = ilex_input(ctx, name, ILEX_F64, dom);
    ck_assert_msg(!ilex_is_poison(x), "%s", ilex_error_text(ctx));
    return x;
}

/* Domains of operands, of the result and where it is readable ("": as the
 * result); a code where they do not fit. */
static const struct {
    const char *a, *b, *interior, *valid;
    ilex_status code;
} rows[] = {
    {"n, m", "m", "n, m", "", ILEX_OK},
    {"m", "n, m", "n, m", "", ILEX_OK},
    {"n, 1", "m", "n, m", "", ILEX_OK},
    {"n, 1, m", "k, 1", "n, k, m", "", ILEX_OK},
    {"3, 1", "1, 4", "3, 4", "", ILEX_OK},
    {"", "n", "n", "", ILEX_OK},
    {"n, 0", "1, 1", "n, 0", "", ILEX_OK},
    {"n", "m", "", "", ILEX_E_SHAPE},
    {"3", "4", "", "", ILEX_E_SHAPE},
    {"n", "n+1", "", "", ILEX_E_SHAPE},
    {"n, m", "n", "", "", ILEX_E_SHAPE},
    {"I:n", "J:m", "I:n, J:m", "", ILEX_OK},
    {"J:m", "I:n", "I:n, J:m", "", ILEX_OK},
    {"J:m, I:n", "I:n", "J:m, I:n", "", ILEX_OK},
    {"V:k, K:3", "I:n, V:k", "I:n, K:3, V:k", "", ILEX_OK},
    {"B:2, A:3", "A:3, C:4", "B:2, A:3, C:4", "", ILEX_OK},
    {"I:n", "I:-1:n+1", "I:n", "", ILEX_OK},
    {"I:n+2", "I:3:n+5", "I:3:n+2", "", ILEX_OK},
    {"I:n", "I:m", "", "", ILEX_E_UNDECIDED},
    {"I:n", "n", "", "", ILEX_E_AXIS},
    {"I:n", "I+1/2:n", "", "", ILEX_E_AXIS},
    {"I+1/2:n", "J:m, I:n", "", "", ILEX_E_AXIS},
    {"I+1/2:n", "I+1/2:1:n+3", "I+1/2:1:n", "", ILEX_OK},
    {"I:5", "I:10:15", "", "", ILEX_E_EMPTY},
    {"J:m, I:n", "I:n:n+3", "", "", ILEX_E_EMPTY},
    {"I:n+2", "I:2:2", "I:2:2", "", ILEX_OK},
    {"I:n halo(I:2:1)", "I:n halo(I:1:3)", "I:n", "I:-1:n+1", ILEX_OK},
    {"I:n halo(I:2:1)", "J:m halo(J:1:0)", "I:n, J:m", "I:-2:n+1, J:-1:m",
     ILEX_OK},
};

START_TEST(table)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        assume("n >= 1 && m >= 1 && k >= 1");
        ilex_array *ops[2] = {input("a", rows[i].a), input("b", rows[i].b)};
        ix_broadcast dom;
        bool ok = ix_broadcast_domains(ctx, "test", 2, ops, &dom);
        ck_assert_msg(take_error() == rows[i].code, "[%s] and [%s]", rows[i].a,
                      rows[i].b);
        ck_assert(ok == (rows[i].code == ILEX_OK));
        if (!ok)
            continue;
        ck_assert_str_eq(ix_domain_show(ctx, dom.interior).s, rows[i].interior);
        ck_assert_str_eq(ix_domain_show(ctx, dom.valid).s,
                         *rows[i].valid ? rows[i].valid : rows[i].interior);
    }
}
END_TEST

START_TEST(assumed_equal)
{
    ilex_array *x = input("x", "n"), *y = input("y", "m");
    ck_assert(ilex_is_poison(ilex_add(x, y)));
    ilex_error_clear(ctx);
    assume("n == m");
    ck_assert(!ilex_is_poison(ilex_add(x, y)));
    assume("k <= l");
    ilex_array *z = ilex_add(input("z", "I:k"), input("w", "I:l"));
    char text[40];
    ilex_array_domain(z, text, sizeof text);
    ck_assert_str_eq(text, "I:k");
}
END_TEST

START_TEST(indices)
{
    ilex_array *index[ILEX_MAX_RANK];
    const ix_domain *to = domain("n, 5, m");
    ix_broadcast_indices(ctx, to, input("x", "1, m"), index);
    ck_assert_ptr_eq(index[0], ix_index_const(ctx, 0));
    ck_assert_ptr_eq(index[1], ix_scalar_index(ctx, 2));
    ix_broadcast_indices(ctx, domain("I:n, J:m, K:3"), input("u", "K:3, I:n"),
                         index);
    ck_assert_ptr_eq(index[0], ix_scalar_index(ctx, 2));
    ck_assert_ptr_eq(index[1], ix_scalar_index(ctx, 0));
}
END_TEST

START_TEST(too_many_axes)
{
    ilex_array *x = input("x", "A:2,B:2,C:2,D:2,E:2,F:2,G:2,H:2,I:2");
    ilex_array *y = input("y", "J:2,K:2,L:2,M:2,N:2,O:2,P:2,Q:2");
    ck_assert(ilex_is_poison(ilex_add(x, y)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
}
END_TEST

/* Values, against NumPy's rule written out. */
START_TEST(values)
{
    ilex_program *p = compile("ilex 1\nprogram p\nin a : i64[3, 1]\n"
                              "in b : i64[2, 1, 4]\n"
                              "out y : i64[2, 3, 4] = 100*a + b\n");
    ilex_storage *a = counting(2, SHAPE(3, 1)),
                 *b = counting(3, SHAPE(2, 1, 4));
    ilex_storage *y = counting(3, SHAPE(2, 3, 4));
    run_program(p,
                (ilex_binding[]){ILEX_BIND("a", a), ILEX_BIND("b", b),
                                 ILEX_BIND("y", y)},
                3);
    const int64_t *v = ilex_storage_const_data(y);
    for (int64_t i = 0; i < 24; i++)
        ck_assert_int_eq(v[i], 100 * (i / 4 % 3) + 4 * (i / 12) + i % 4);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("broadcast", table, assumed_equal, indices, too_many_axes,
                     values);
}
