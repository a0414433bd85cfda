/* SPDX-License-Identifier: MIT
 *
 * Prepared calls on a device, run again and again while numbers, addresses and
 * the newer side of storages change, and calls of other sizes come in between.
 */
#include "tests/cuda/cuda_test.h"

/* Sizes are values, and x[0] is not as the others. */
static const char text[] = "ilex 1\nprogram smooth\nsize n\n"
                           "in a : f64\nin x : f64[n]\n"
                           "map s[] = sum[t:n](x[t])\n"
                           "map r[n] = a*x[n - 1 - _0] + s[] + f64(n)\n"
                           "out y : f64[n] = r\n";

enum { RUNS = 3, CALLS = 2, NUMBER = -1 };
static const int64_t lengths[CALLS] = {1000, 640};

/* One call, and what its arguments hold. */
typedef struct call {
    int64_t n;
    ilex_prepared *q;
    ilex_storage *a, *x, *y; /* a: NULL for a number */
    double number, first;    /* x[0]; the others are 0.5 */
    double elsewhere;        /* where a lies after a while */
} call;

static void
open_call(call *c, const ilex_program *p, int a, where x, where y)
{
    c->number = 2;
    c->first = 0.5;
    c->a = a == NUMBER ? NULL : make((where)a, 0, 1, c->number);
    c->x = make(x, 1, c->n, c->first);
    c->y = make(y, 1, c->n, -1);
    const ilex_binding bound[] = {c->a ? (ilex_binding)ILEX_BIND("a", c->a)
                                       : (ilex_binding)ILEX_BIND_F64("a", 2),
                                  ILEX_BIND("x", c->x), ILEX_BIND("y", c->y)};
    c->q = ilex_bind(ctx, p, bound, 3, NULL);
    ck_assert_msg(c->q != NULL, "%s", ilex_error_text(ctx));
}

static void
close_call(call *c)
{
    ilex_prepared_release(c->q);
    ilex_storage_release(c->a);
    ilex_storage_release(c->x);
    ilex_storage_release(c->y);
}

/* Writes the first element on either side, as far as "s" has it. */
static void
write_first(ilex_storage *s, double v, bool device)
{
    if (ilex_storage_on_device(s) && (device || !ilex_storage_on_host(s)))
        device_set(s, 0, v);
    else
        ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(0), v), ILEX_OK);
}

/* Moves a number of the host: no argument on a device can be. */
static void
move_number(call *c, double v)
{
    c->elsewhere = v;
    ilex_status rc = ilex_prepared_set_pointer(c->q, "a", &c->elsewhere);
    ck_assert_int_eq(rc, ilex_storage_on_device(c->a) ? ILEX_E_UNSUPPORTED
                                                      : ILEX_OK);
}

/* What changes before run "i", on alternating sides. */
static void
change(call *c, int i)
{
    c->first += i;
    write_first(c->x, c->first, i % 2);
    c->number = 2 + i;
    if (c->a) {
        write_first(c->a, c->number, i % 2 == 0);
        if (i > 1)
            move_number(c, c->number);
        return;
    }
    const ilex_binding a = ILEX_BIND_F64("a", c->number);
    ck_assert_int_eq(ilex_prepared_set(c->q, &a), ILEX_OK);
}

static void
run_call(call *c, int i)
{
    double sum = 0.5 * (double)(c->n - 1) + c->first + (double)c->n;
    ck_assert_msg(!ilex_prepared_run(c->q), "%s", ilex_prepared_error(c->q));
    ilex_storage *h = ilex_storage_to(ctx, c->y, "cpu");
    ck_assert_msg(h != NULL, "%s", ilex_error_text(ctx));
    double y = get(h, 7), last = get(h, c->n - 1);
    ck_assert_msg(y == 0.5 * c->number + sum, "run %d of n=%d: %g, not %g", i,
                  (int)c->n, y, 0.5 * c->number + sum);
    ck_assert(last == c->first * c->number + sum);
    ilex_storage_release(h);
}

/* Each row of places, and the same with a number for the first argument. */
START_TEST(runs_again)
{
    call c[CALLS] = {{.n = lengths[0]}, {.n = lengths[1]}};
    int row = _i % PLACES, a = _i < PLACES ? (int)places[row].a : NUMBER;
    ilex_program *p = compile(text);
    for (int k = 0; k < CALLS; k++)
        open_call(&c[k], p, a, places[row].x, places[row].y);
    for (int i = 0; i < RUNS; i++)
        for (int k = 0; k < CALLS; k++) {
            change(&c[k], i);
            run_call(&c[k], i);
        }
    for (int k = 0; k < CALLS; k++)
        close_call(&c[k]);
    ilex_program_release(p);
}
END_TEST

TCase *
cuda_prepared_cases(void)
{
    TCase *cases = tcase_create("prepared");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 240);
    tcase_add_loop_test(cases, runs_again, 0, 2 * PLACES);
    return cases;
}
