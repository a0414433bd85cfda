/* SPDX-License-Identifier: MIT
 *
 * Storages that a graph wraps: those that show the same elements are one
 * argument of the kernels.
 */
#include "tests/unit/graph_fixture.h"

static size_t
wrapped_leaves(ilex_array *const *leaf, int n)
{
    ix_unit u;
    size_t count = 0;
    ilex_array *sum = leaf[0];
    for (int i = 1; i < n; i++)
        sum = ilex_add(sum, leaf[i]);
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_msg(!ilex_module_output(m, "o", sum, NULL), "%s",
                  ilex_error_text(ctx));
    run_passes(&u, m, "partition");
    for (size_t i = 0; i < u.nbuffers; i++)
        count += u.buffer[i].role == IX_ROLE_DATA;
    free_unit(&u);
    return count;
}

/* Leaves that wrap the same elements are one argument of kernels; views of
 * other elements, or in another order, are others. */
START_TEST(same_data)
{
    ilex_storage *s = counting(2, SHAPE(3, 3));
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL);
    ilex_storage *back = ilex_storage_transpose(ctx, t, NULL);
    ilex_storage *copy = ilex_storage_copy(ctx, s);
    ilex_array *leaf[] = {ilex_data(ctx, s), ilex_data(ctx, s),
                          ilex_data(ctx, back), ilex_data(ctx, t),
                          ilex_data(ctx, copy)};
    ck_assert_ptr_ne(leaf[0], leaf[1]);
    ck_assert_uint_eq(wrapped_leaves(leaf, 3), 1);
    ck_assert_uint_eq(wrapped_leaves(leaf, 4), 2);
    ck_assert_uint_eq(wrapped_leaves(leaf, 5), 3);
    ilex_option_set(ctx, "jit", "tcc");
    ilex_array *y = ilex_add(ilex_add(leaf[1], leaf[2]), leaf[3]);
    ilex_program *p =
        ilex_compile(ctx, 1, &y,
                     &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                          .names = (const char *[]){"o"}});
    ilex_storage *o = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(3, 3));
    if (p)
        run_program(p, (ilex_binding[]){ILEX_BIND("o", o)}, 1);
    for (int i = 0; p && i < 9; i++)
        ck_assert_int_eq(((int64_t *)ilex_storage_data(o))[i],
                         2 * i + 3 * (i % 3) + i / 3);
    ilex_program_release(p);
    ilex_storage_release(s);
    ilex_storage_release(t);
    ilex_storage_release(back);
    ilex_storage_release(copy);
    ilex_storage_release(o);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("data", same_data);
}
