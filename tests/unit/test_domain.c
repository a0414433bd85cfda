/* SPDX-License-Identifier: MIT
 *
 * Domains: interning, axes, text, lengths, intersection.
 */
#include "ilex/domain.h"
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

/* ---- domains as objects ---- */

static ilex_status
error_called(const char *name)
{
    static const struct {
        const char *name;
        ilex_status code;
    } codes[] = {
        {"EMPTY", ILEX_E_EMPTY},        {"SHAPE", ILEX_E_SHAPE},
        {"AXIS", ILEX_E_AXIS},          {"BOUNDS", ILEX_E_BOUNDS},
        {"SYNTAX", ILEX_E_SYNTAX},      {"DUPLICATE", ILEX_E_DUPLICATE},
        {"UNDECIDED", ILEX_E_UNDECIDED}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(codes[i].name, name))
            return codes[i].code;
    return ILEX_OK;
}

/* A row: what is done with which domains, and what comes of it: a domain, or
 * the name of an error. */
typedef struct box_row {
    char what;
    const char *a, *b, *result;
} box_row;

static const ilex_domain *
compute(const box_row *r)
{
    const ilex_domain *a = ilex_domain_parse(ctx, r->a);
    switch (r->what) {
    case '&':
        return ilex_domain_intersect(ctx, a, ilex_domain_parse(ctx, r->b));
    case '|':
        return ilex_domain_union(ctx, a, ilex_domain_parse(ctx, r->b));
    case '+':
        return ilex_domain_translate(ctx, a, r->b);
    case '=':
        return ilex_domain_restrict(ctx, a, r->b);
    default:
        return ilex_domain_slice(ctx, a, r->b);
    }
}

START_TEST(boxes)
{
    static const box_row rows[] = {
        {'&', "I:n, J:5", "J:2:m+5, I:1:n+2", "I:1:n, J:2:5"},
        {'&', "I:5", "K:m", "I:5, K:m"},
        {'&', "I:0:5", "I:10:15", "EMPTY"},
        {'&', "I:n", "I:m", "UNDECIDED"},
        {'&', "I:n", "I+1/2:n", "AXIS"},
        {'&', "n", "I:n", "AXIS"},
        {'|', "I:0:3", "I:3:n+3", "I:n+3"},
        {'|', "I:2:5, J:m", "J:m, I:0:4", "I:5, J:m"},
        {'|', "I:0:9, J:4", "J:1:2, I:2:3", "I:9, J:4"},
        {'|', "J:1:2, I:2:3", "I:0:9, J:4", "J:4, I:9"},
        {'|', "I:0:3", "I:4:5", "SHAPE"},
        {'|', "I:0:3, J:2", "I:3:5, J:3", "SHAPE"},
        {'|', "I:3", "I:3, J:2", "SHAPE"},
        {'|', "I:n", "I:m:m+5", "SHAPE"},
        {'+', "I:n, J:2:m+2", "J-2, I+n", "I:n:2*n, J:m"},
        {'+', "I:3, J:4", "I+1/2", "I+1/2:3, J:4"},
        {'+', "I+1/2:3", "I+1/2", "I:1:4"},
        {'+', "I:1:3", "I-1/2", "I+1/2:2"},
        {'+', "I:1:3", "I+3/2", "I+1/2:2:4"},
        {'+', "I:1:3", "I", "I:1:3"},
        {'+', "I:1:3", "K+1", "AXIS"},
        {'+', "I:1:3", "I+1, I+2", "DUPLICATE"},
        {'+', "I:1:3", "3", "SYNTAX"},
        {'=', "I:1:n+9, J:m+1", "I=2:5, J=0", "I:2:5"},
        {'=', "I:1:n+9", "I=3:", "I:3:n+9"},
        {'=', "I:1:n+9", "I=:n+2", "I:1:n+2"},
        {'=', "I:1:n+9", "I=0:2", "BOUNDS"},
        {'=', "I:9", "I=2:10", "BOUNDS"},
        {'=', "I:n", "I=2:5", "UNDECIDED"},
        {'=', "I:n", "J=2", "AXIS"},
        {'=', "I:n", "2", "SYNTAX"},
        {'[', "I:3:12, J:5", "I=1:-1, J=-2", "I:4:11"},
        {'[', "I:3:12", "I=-3:", "I:9:12"},
        {'[', "I:3:12", "I=0:10", "BOUNDS"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const box_row *r = &rows[i];
        char text[80];
        const ilex_domain *d = compute(r);
        if (d) {
            ilex_domain_text(ctx, d, text, sizeof text);
            ck_assert_str_eq(text, r->result);
            check_fine();
        } else {
            const char *name = strchr(ilex_error_text(ctx), '[');
            ilex_status code = take_error();
            ck_assert_msg(code != ILEX_OK && code == error_called(r->result),
                          "row %zu: %s %c %s: %d %s", i, r->a, r->what, r->b,
                          (int)code, name ? name : "");
        }
    }
}
END_TEST

START_TEST(positions)
{
    const ilex_domain *d = ilex_domain_parse(ctx, "I:1:n+4, J:m");
    ck_assert_int_eq(ilex_domain_rank(d), 2);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=1, ..."), 1);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=0, ..."), 0);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=n+3, ..."), 1);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=n+4, ..."), 0);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=1:n+4, ..."), 1);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "J=m, I=1"), 0);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "..."), 1);
    check_fine();
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "J=0, I=1"), -1);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "assume m >= 1"));
    ck_assert_int_eq(take_error(), ILEX_E_UNDECIDED);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=1"), -1);
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_int_eq(ilex_domain_contains(ctx, NULL, "I=1"), -1);
    ck_assert_ptr_null(ilex_domain_union(ctx, d, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "domain 1 is NULL"));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_domain_intersect(ctx, NULL, d));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_domain_intersect(ctx, NULL, NULL));
    ck_assert_ptr_null(ilex_domain_slice(ctx, NULL, "I=1"));
    check_fine();
    ck_assert_ptr_null(ilex_domain_parse(ctx, "I:n-1"));
    ck_assert_int_eq(take_error(), ILEX_E_EMPTY);
}
END_TEST

START_TEST(fields_on_domains)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m halo(I:1:1)");
    const ilex_domain *d = ilex_domain_of(x);
    ck_assert_ptr_eq(d, ilex_domain_parse(ctx, "I:n, J:m"));
    const ilex_domain *moved = ilex_domain_translate(ctx, d, "I+1");
    ilex_array *y = ilex_restrict_to(x, moved);
    ck_assert_ptr_eq(y, ilex_restrict(x, "I:1:n+1, J:m"));
    check_fine();
    ck_assert(ilex_is_poison(ilex_restrict_to(x, NULL)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_domain_of(ilex_f64(ctx, 1)));
}
END_TEST

int
main(void)
{
    return RUN_TESTS("domain", texts, interned, lengths, meeting, query, boxes,
                     positions, fields_on_domains);
}
