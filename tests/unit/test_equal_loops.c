/* SPDX-License-Identifier: MIT
 *
 * Loops that are built again: the one that is there, with what depends on it;
 * what must differ does; a context serves any number of texts and loops.
 */
#include "tests/unit/graph_fixture.h"

/* Result 0 of u = first; u = 0.5*u + by. */
static ilex_array *
halve(ilex_array *first, ilex_array *by, const char *steps)
{
    ilex_array *t = ilex_loop_step(ctx, steps),
               *u = ilex_loop_carry(ctx, ILEX_F64, "I:n"), *r,
               *next = ilex_expr(ctx, "0.5*u + x", "u", u, "x", by, NULL);
    ck_assert_msg(
        !ilex_loop(ctx,
                   &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                                   .first = &first, .next = &next),
                   &r),
        "%s", ilex_error_text(ctx));
    return r;
}

static ilex_array *
numbers(double x)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                  .dtype = "f64",
                                  .rank = 1,
                                  .shape = (int64_t[]){3},
                                  .axes = "I"});
    for (int64_t i = 0; i < 3; i++)
        *(double *)ilex_storage_at(s, &i) = x;
    ilex_array *a = ilex_data(ctx, s);
    ilex_storage_release(s);
    return a;
}

/* Element 1 of an array over data. */
static double
value(ilex_array *a)
{
    ilex_storage *made;
    ck_assert_msg(!ilex_compute(ctx, 1, &a, &made), "%s", ilex_error_text(ctx));
    double x = *(double *)ilex_storage_at(made, (int64_t[]){1});
    ilex_storage_release(made);
    return x;
}

START_TEST(built_again)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"),
               *y = ilex_input(ctx, "y", ILEX_F64, "I:n");
    ilex_array *r = halve(x, y, "t:5");
    ck_assert_ptr_eq(halve(x, y, "t:5"), r);
    ck_assert_ptr_ne(halve(y, x, "t:5"), r);
    ck_assert_ptr_ne(halve(x, x, "t:5"), r);
    ck_assert_ptr_ne(halve(x, y, "t:6"), r);
    ck_assert_ptr_ne(halve(x, y, "s:5"), r);
    ilex_array *twice = halve(r, r, "t:5"); /* both in one program */
    ck_assert_ptr_ne(twice, r);
    ck_assert_ptr_eq(halve(halve(x, y, "t:5"), r, "t:5"), twice);
}
END_TEST

/* Wrapped data differ, although a program is the same whatever they are. */
START_TEST(data)
{
    ilex_array *ones = numbers(1), *twos = numbers(2), *y = numbers(0);
    ilex_array *t[2], *u[2], *r[2];
    for (int k = 0; k < 2; k++) {
        t[k] = ilex_loop_step(ctx, "t:2");
        u[k] = ilex_loop_carry(ctx, ILEX_F64, "I:3");
        ilex_array *first = k ? twos : ones, *next = ilex_add(u[k], y);
        ck_assert_int_eq(
            ilex_loop(ctx,
                      &ILEX_LOOP_SPEC(.step = t[k], .carry_count = 1,
                                      .carry = &u[k], .first = &first,
                                      .next = &next),
                      &r[k]),
            ILEX_OK);
    }
    ck_assert_ptr_ne(r[0], r[1]);
    ck_assert_double_eq(value(ilex_subtract(r[1], r[0])), 1);
}
END_TEST

/* ---- texts ---- */

static const char *const texts[] = {
    "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
    "loop t[0:5] u = x steps k\n    next u = 0.5*u + f64(t)\n"
    "    until max(u) < 0.1\n    stack e[t] = sum(u)\nend\n"
    "size m = count_nonzero(u > 0.5)\n"
    "out r : f64[m] = u[u > 0.5]\nout e1 = e\n",
    /* the carried array has another name */
    "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
    "loop t[0:5] v = x steps k\n    next v = 0.5*v + f64(t)\n"
    "    until max(v) < 0.1\n    stack e[t] = sum(v)\nend\n"
    "size m = count_nonzero(v > 0.5)\n"
    "out r : f64[m] = v[v > 0.5]\nout e1 = e\n",
    /* one in another, and one behind it */
    "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
    "loop t[0:5] u = x\n    loop s[0:3] w = x\n"
    "        next w = w + x*f64(t)\n    end\n    next u = w - u\nend\n"
    "loop t[0:5] w = u\n    next w = 2.0*w\nend\nout r = w\n",
    /* the same one in another one */
    "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
    "loop t[0:5] u = x\n    loop s[0:3] w = x\n"
    "        next w = w + x*f64(t)\n    end\n    next u = w - 2.0*u\nend\n"
    "loop t[0:5] w = u\n    next w = 2.0*w\nend\nout r = w\n",
};

/* A text has one hash and prints as itself, however often it and others were
 * read before in the context, some of which are still there; sizes are not used
 * up. */
START_TEST(read_again)
{
    enum { TEXTS = sizeof texts / sizeof *texts };
    uint8_t hash[TEXTS][16], again[16];
    char *print[TEXTS];
    ilex_module *first[TEXTS];
    for (int i = 0; i < 5000; i++) {
        const int k = i % TEXTS;
        size_t mark = ilex_scope_begin(ctx);
        ilex_module *m = parse(texts[k]);
        ck_assert_int_eq(ilex_module_hash(m, i < TEXTS ? hash[k] : again),
                         ILEX_OK);
        ck_assert(i < TEXTS || !memcmp(hash[k], again, sizeof again));
        char *text = i < TEXTS || i % 50 == 0 ? ilex_module_print(m) : NULL;
        if (i < TEXTS)
            print[k] = text;
        else if (text)
            ck_assert_str_eq(text, print[k]);
        if (i >= TEXTS)
            ilex_text_free(ctx, text);
        if (i < TEXTS)
            first[k] = m;
        else
            ilex_module_free(m);
        ilex_scope_end(ctx, mark, NULL);
    }
    ck_assert(!memcmp(hash[0], hash[1], sizeof *hash));
    ck_assert(memcmp(hash[0], hash[2], sizeof *hash) != 0);
    for (int k = 0; k < TEXTS; k++) {
        ilex_text_free(ctx, print[k]);
        ilex_module_free(first[k]);
    }
}
END_TEST

/* Loops over data that come and go, of which none is equal to another. */
START_TEST(come_and_go)
{
    for (int i = 0; i < 5000; i++) {
        size_t mark = ilex_scope_begin(ctx);
        ilex_array *t = ilex_loop_step(ctx, "t:4"),
                   *u = ilex_loop_carry(ctx, ILEX_F64, "I:3"),
                   *first = numbers(i), *r,
                   *next = ilex_expr(ctx, "u + f64(t)", "u", u, "t", t, NULL);
        ck_assert_msg(
            !ilex_loop(ctx,
                       &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                                       .first = &first, .next = &next),
                       &r),
            "%d: %s", i, ilex_error_text(ctx));
        if (i % 100 == 0)
            ck_assert_double_eq(value(r), i + 6);
        ilex_scope_end(ctx, mark, NULL);
    }
}
END_TEST

/* A step that another loop has is none of a new one, however long that loop
 * has been closed. */
START_TEST(own_steps)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"), *r = x;
    for (int k = 0; k < 5; k++) {
        ilex_array *t = ilex_loop_step(ctx, "t:5"),
                   *u = ilex_loop_carry(ctx, ILEX_F64, "I:n"), *first = r,
                   *next = ilex_expr(ctx, "u + r*f64(t)", "u", u, "r", r, "t",
                                     t, NULL);
        ck_assert_int_eq(
            ilex_loop(ctx,
                      &ILEX_LOOP_SPEC(.step = t, .carry_count = 1, .carry = &u,
                                      .first = &first, .next = &next),
                      &r),
            ILEX_OK);
    }
    ilex_program *p =
        ilex_compile(ctx, 1, &r,
                     &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                          .name = "five"});
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("equal_loops", built_again, data, read_again, come_and_go,
                     own_steps);
}
