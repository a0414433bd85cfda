/* SPDX-License-Identifier: MIT
 *
 * Domains: interning, axes, text, lengths, intersection.
 */
#include "lib/shape/broadcast.h"
#include "tests/unit/graph_fixture.h"

static void
check_text(const char *given, const char *canonical)
{
    ck_assert_str_eq(ix_domain_show(ctx, domain(given)).s, canonical);
    ck_assert_ptr_eq(domain(canonical), domain(given));
}

START_TEST(texts)
{
    check_text("", "");
    check_text("n, m", "n, m");
    check_text(" I : n ,J:-1:m+1", "I:n, J:-1:m+1");
    check_text("I:0:n", "I:n");
    check_text("I+1/2:1+n+n", "I+1/2:2*n+1");
    check_text("8*mo, 3", "8*mo, 3");
}
END_TEST

START_TEST(interned)
{
    const ix_domain *d = domain("I:n, J:m");
    ck_assert_ptr_eq(ix_domain_new(ctx, 2, d->ax), d);
    ck_assert_ptr_ne(domain("J:m, I:n"), d);
    ck_assert_ptr_ne(domain("n, m"), d);
    ck_assert_int_eq(ix_domain_find(d, d->ax[1].name), 1);
    ck_assert_int_eq(ix_domain_find(d, ix_symbol_of(ctx, "K", 1)), -1);
    ck_assert(ix_domain_named(d));
    ck_assert(!ix_domain_named(domain("n")));
    ck_assert(!ix_domain_named(domain("")));
    ix_axis ax = {0, NULL, d->ax[0].hi};
    ck_assert_ptr_null(ix_domain_new(ctx, 1, &ax));
}
END_TEST

START_TEST(lengths)
{
    const ix_domain *d = domain("I:-2:n+2");
    ck_assert_ptr_eq(ix_axis_extent(ctx, &d->ax[0]), lin("n + 4"));
    ck_assert(ix_domain_check_extents(ctx, "x", d));
    ck_assert(!ix_domain_check_extents(ctx, "x", domain("I:n-1")));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "assume n >= 1"));
    ck_assert_int_eq(take_error(), ILEX_E_EMPTY);
    assume("n >= 1");
    ck_assert(ix_domain_check_extents(ctx, "x", domain("I:n-1")));
    ck_assert(ix_domain_check_extents(ctx, "x", domain("I:3:3")));
    ck_assert(!ix_domain_check_extents(ctx, "x", domain("I:3:2")));
}
END_TEST

START_TEST(meeting)
{
    const ix_domain *a = domain("I:-1:n, J:m"), *b = domain("J:2:m+1, I:n+4");
    ck_assert_ptr_eq(ix_domain_meet(ctx, "x", a, b), domain("I:n, J:2:m"));
    ck_assert_ptr_eq(ix_domain_meet(ctx, "x", a, a), a);
    ck_assert_ptr_null(ix_domain_meet(ctx, "x", a, NULL));
    check_fine();
    ck_assert_ptr_null(ix_domain_meet(ctx, "x", domain("I:n"), domain("I:m")));
    ck_assert_int_eq(take_error(), ILEX_E_UNDECIDED);
}
END_TEST

/* The text of a constructor's domain, cut to a buffer as snprintf does. */
START_TEST(query)
{
    char text[6];
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m");
    ck_assert_uint_eq(ilex_array_domain(x, NULL, 0), 8);
    ck_assert_uint_eq(ilex_array_domain(x, text, sizeof text), 8);
    ck_assert_str_eq(text, "I:n, ");
    ck_assert_uint_eq(ilex_array_domain(ilex_f64(ctx, 1), text, 1), 0);
    ck_assert_str_eq(text, "");
}
END_TEST

int
main(void)
{
    return RUN_TESTS("domain", texts, interned, lengths, meeting, query);
}
