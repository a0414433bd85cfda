/* SPDX-License-Identifier: MIT
 *
 * Values of arrays over wrapped data, and what stands in for text: lengths as
 * numbers, subscripts by items.
 */
#include "runtime/jit/jit.h"
#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

static ilex_storage *
row(int64_t n, double first)
{
    ilex_storage *s = ilex_storage_empty(ctx, ILEX_F64, 1, &n);
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < n; i++)
        x[i] = first + (double)i;
    return s;
}

static ilex_array *
wrap(ilex_storage *s)
{
    return ilex_data(ctx, s);
}

/* The value of x as text. */
static const char *
value(ilex_array *x)
{
    static char text[500];
    ilex_storage *y = NULL;
    if (ilex_compute(ctx, 1, &x, &y) == ILEX_OK)
        ilex_storage_print(y, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", ilex_error_text(ctx));
    ilex_storage_release(y);
    ilex_error_clear(ctx);
    return strchr(text, '\n') ? strchr(text, '\n') + 1 : text;
}

static void
expect(ilex_array *x, const char *text)
{
    const char *got = value(x);
    ck_assert_msg(strstr(got, text) != NULL, "'%s' is not in '%s'", text, got);
}

/* ---- values ---- */

START_TEST(data_are_arguments)
{
    ilex_storage *a = row(3, 1), *b = row(3, 10), *c = row(4, 0);
    ilex_kept before, after;
    ilex_option_set(ctx, "verify", "0");
    expect(ilex_subtract(wrap(a), wrap(b)), "-9.0");
    ilex_programs_kept(&before);
    expect(ilex_subtract(wrap(b), wrap(a)), "9.0 9.0 9.0");
    ilex_programs_kept(&after);
    ck_assert_uint_eq(after.hits, before.hits + 1);
    /* others in number, in what is the same, in length */
    expect(ilex_subtract(wrap(a), wrap(a)), "0.0 0.0 0.0");
    expect(ilex_subtract(wrap(b), wrap(a)), "9.0 9.0 9.0");
    expect(ilex_subtract(wrap(c), ilex_lit(ctx, 1)), "-1.0  0.0  1.0  2.0");
    ilex_programs_kept(&after);
    ck_assert_uint_eq(after.misses, before.misses + 2);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_storage_release(c);
}
END_TEST

static int released;

static void
count_release(void *user, void *data)
{
    (void)user;
    (void)data;
    released++;
}

/* A program that is kept holds none of the data of its first run. */
START_TEST(data_are_given_back)
{
    double x[3] = {1, 2, 3};
    int64_t n = 3;
    ilex_option_set(ctx, "verify", "0");
    size_t mark = ilex_scope_begin(ctx);
    released = 0;
    ilex_storage *s =
        ilex_storage_wrap(ctx, ILEX_F64, 1, &n, NULL, x, count_release, NULL);
    expect(ilex_exp2(wrap(s)), "2.0 4.0 8.0");
    ilex_storage_release(s);
    ilex_scope_end(ctx, mark, NULL);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(several_at_once)
{
    ilex_storage *s = row(3, 1), *y[2];
    ilex_array *x[2] = {wrap(s), NULL};
    ilex_array *mask = ilex_greater(x[0], ilex_lit(ctx, 1.5));
    x[1] = ilex_compress(x[0], mask, NULL);
    x[0] = ilex_multiply(x[0], x[0]);
    ck_assert_int_eq(ilex_compute(ctx, 2, x, y), ILEX_OK);
    ck_assert_int_eq(ilex_storage_shape(y[1])[0], 2);
    ck_assert(((double *)ilex_storage_data(y[0]))[2] == 9);
    ck_assert(((double *)ilex_storage_data(y[1]))[1] == 3);
    ilex_storage_release(y[0]);
    ilex_storage_release(y[1]);
    ilex_storage_release(s);
}
END_TEST

START_TEST(what_cannot_be_computed)
{
    ilex_array *x = ilex_input(ctx, "u", ILEX_F64, "3");
    ilex_storage *y[2] = {(ilex_storage *)&x, NULL};
    expect(ilex_negative(x), "argument u : f64[3] is not bound");
    ck_assert_int_eq(ilex_compute(ctx, 1, NULL, y), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_compute(ctx, 1, &x, NULL), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ilex_array *none = NULL;
    ck_assert_int_eq(ilex_compute(ctx, 1, &none, y), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(y[0]);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_compute(ctx, 0, &none, y), ILEX_OK);
    /* a program serves other data, which have no names */
    ilex_storage *a = row(3, 0), *b = row(3, 2);
    for (int i = 0; i < 2; i++) {
        ilex_array *index = ilex_cast(wrap(b), ILEX_I64);
        expect(ilex_take(wrap(a), index, "0"),
               "index 3 of axis 0 is data and leaves [-3, 3), which the array "
               "covers from either end");
    }
    ilex_storage_release(a);
    ilex_storage_release(b);
}
END_TEST

/* ---- lengths ---- */

START_TEST(forms)
{
    assume("2*n >= m");
    const ilex_domain *d = ilex_domain_parse(ctx, "I:1:2*n-m+3, J:n*m");
    ilex_form lo, hi, length;
    ck_assert_int_eq(ilex_domain_range(ctx, d, 0, &lo, &hi), ILEX_OK);
    ck_assert_int_eq(lo.constant, 1);
    ck_assert_int_eq(lo.terms, 0);
    ck_assert_int_eq(hi.constant, 3);
    ck_assert_int_eq(hi.terms, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hi.factor[i], strcmp(hi.size[i], "n") ? -1 : 2);
    ck_assert_int_eq(ilex_domain_length(ctx, d, 0, &length), ILEX_OK);
    ck_assert_int_eq(length.constant, 2);
    ck_assert_int_eq(ilex_domain_length(ctx, d, 1, &length), ILEX_OK);
    ck_assert_str_eq(length.size[0], "n*m");
    ck_assert_str_eq(ilex_domain_axis(ctx, d, 1), "J");

    ilex_form lower[2] = {lo, {0}}, upper[2] = {hi, length};
    ck_assert_ptr_eq(ilex_domain_new(ctx, 2, ILEX_LIST(const char *, "I", "J"),
                                     lower, upper),
                     d);
    ck_assert_ptr_eq(ilex_domain_new(ctx, 1, NULL, NULL, &length),
                     ilex_domain_parse(ctx, "n*m"));
    ck_assert_ptr_eq(ilex_input_on(ctx, "u", ILEX_F32, d),
                     ilex_input(ctx, "u", ILEX_F32, "I:1:2*n-m+3, J:n*m"));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
}
END_TEST

START_TEST(wrong_forms)
{
    const ilex_domain *d = ilex_domain_parse(ctx, "n");
    ilex_form f = {.constant = 3, .terms = 9}, g = {.terms = 1};
    ck_assert_ptr_null(ilex_domain_axis(ctx, d, 1));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_int_eq(ilex_domain_length(ctx, d, -1, &f), ILEX_E_AXIS);
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_domain_new(ctx, 1, NULL, NULL, &f));
    ck_assert_int_eq(take_error(), ILEX_E_LIMIT);
    ck_assert_ptr_null(ilex_domain_new(ctx, 1, NULL, NULL, &g));
    ck_assert_int_eq(take_error(), ILEX_E_SYNTAX);
    ck_assert_ptr_null(ilex_domain_new(ctx, 17, NULL, NULL, &g));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    f = (ilex_form){.constant = -1};
    ck_assert_ptr_null(ilex_domain_new(ctx, 1, NULL, NULL, &f));
    ck_assert_int_eq(take_error(), ILEX_E_EMPTY);
    ck_assert(ilex_is_poison(ilex_input_on(ctx, "u", ILEX_F64, NULL)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
}
END_TEST

/* ---- subscripts ---- */

static ilex_array *
plane(void)
{
    return ilex_reshape_to(ilex_range(ctx, "12", ILEX_I64), "3, 4", NULL);
}

START_TEST(items)
{
    ilex_array *x = plane();
    ilex_array *two = ilex_expr(ctx, "where(i == 0, 2, 0)", "i",
                                ilex_arange(ctx, "2", 0, 1), NULL);
    ilex_form last = {.constant = -1}, one = {.constant = 1};
    ilex_item row = {.kind = ILEX_ITEM_INDEX, .start = &last};
    ilex_item every = {.kind = ILEX_ITEM_SLICE, .step = 2};
    ilex_item some = {.kind = ILEX_ITEM_SLICE, .start = &one, .stop = &last};
    ilex_item rest = {.kind = ILEX_ITEM_REST}, added = {.kind = ILEX_ITEM_NEW};
    ilex_item picked = {.kind = ILEX_ITEM_ARRAY, .array = two};
    const struct {
        size_t n;
        ilex_item item[3];
        const char *text, *shape;
    } rows[] = {
        {0, {{0}}, "x", "3, 4"},
        {1, {row}, "x[-1]", "4"},
        {2, {row, every}, "x[-1, ::2]", "2"},
        {2, {rest, row}, "x[..., -1]", "3"},
        {2, {some, row}, "x[1:-1, -1]", "1"},
        {2, {added, row}, "x[None, -1]", "1, 4"},
        {3, {rest, added, row}, "x[..., None, -1]", "3, 1"},
        {2, {picked, some}, "x[y, 1:-1]", "2, 2"},
        {3, {every, picked, rest}, "x[::2, y, ...]", "2, 2"},
        {3, {picked, rest, picked}, "x[y, ..., y]", "2"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_array *a = ilex_subscript(x, rows[i].n, rows[i].item);
        ck_assert_msg(ilex_identical(a, ilex_expr(ctx, rows[i].text, "x", x,
                                                  "y", two, NULL)),
                      "%s: %s", rows[i].text, ilex_error_text(ctx));
        char shape[40];
        ilex_array_domain(a, shape, sizeof shape);
        ck_assert_str_eq(shape, rows[i].shape);
    }
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_OK);
}
END_TEST

START_TEST(items_as_places)
{
    ilex_array *x = plane();
    ilex_form one = {.constant = 1};
    ilex_item item[2] = {{.kind = ILEX_ITEM_INDEX, .start = &one},
                         {.kind = ILEX_ITEM_SLICE, .step = 2}};
    expect(ilex_update(x, ilex_subscript(x, 2, item), ilex_lit_int(ctx, 99)),
           "99  5 99  7");
}
END_TEST

START_TEST(wrong_items)
{
    ilex_array *x = plane();
    ilex_item item[40] = {{.kind = ILEX_ITEM_INDEX}};
    ck_assert(ilex_is_poison(ilex_subscript(x, 1, item)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    item[0].kind = ILEX_ITEM_ARRAY;
    ck_assert(ilex_is_poison(ilex_subscript(x, 1, item)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    item[0].kind = (ilex_item_kind)7;
    ck_assert(ilex_is_poison(ilex_subscript(x, 1, item)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    for (int i = 0; i < 40; i++)
        item[i].kind = ILEX_ITEM_SLICE;
    ck_assert(ilex_is_poison(ilex_subscript(x, 3, item)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    ck_assert(ilex_is_poison(ilex_subscript(x, 40, item)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    ck_assert(ilex_is_poison(ilex_subscript(x, 2, NULL)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    for (int i = 0; i < 17; i++)
        item[i].kind = ILEX_ITEM_NEW;
    ck_assert(ilex_is_poison(ilex_subscript(x, 17, item)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    x = ilex_input(ctx, "f", ILEX_F64, "I:3");
    item[0].kind = ILEX_ITEM_SLICE;
    ck_assert(ilex_is_poison(ilex_subscript(x, 1, item)));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("compute", data_are_arguments, data_are_given_back,
                     several_at_once, what_cannot_be_computed, forms,
                     wrong_forms, items, items_as_places, wrong_items);
}
