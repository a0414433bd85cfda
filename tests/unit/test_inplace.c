/* SPDX-License-Identifier: MIT
 *
 * Pass inplace: which outputs may take the place of an input, which of them
 * need a temporary for it, and that the values are those of separate storages.
 */
#include "tests/unit/graph_fixture.h"

#define HEAD                                                                   \
    "ilex 1\nprogram p\nsize n\nassume n >= 4\n"                               \
    "in x : f64[I:n] halo(I:1:1)\n"

typedef enum verdict {
    DIRECT, /* every element is read before it is written */
    COPIED  /* through a temporary */
} verdict;

static const struct {
    const char *what, *text;
    verdict wanted;
} rows[] = {
    {"point by point", HEAD "out y : f64[I:n] = 2.0*x inplace x\n", DIRECT},
    {"several reads of the point",
     HEAD "out y : f64[I:n] = x*x + sqrt(x) inplace x\n", DIRECT},
    {"after everything was read",
     HEAD "out y : f64[I:n] = x - sum[I](x) inplace x\n", DIRECT},
    {"not read at all", HEAD "out y : f64[I:n] = 3.5 inplace x\n", DIRECT},
    {"another output reads the point",
     HEAD "out y : f64[I:n] = 2.0*x inplace x\nout z : f64[I:n] = 3.0*x\n",
     DIRECT},
    {"reads neighbours", HEAD "out y : f64[I:n] = x[I+1] + x[I-1] inplace x\n",
     COPIED},
    {"mirrored", HEAD "map m[I:n] = x[n-1-I]\nout y : f64[I:n] = m inplace x\n",
     COPIED},
    {"read again later",
     HEAD "let e = exp(-x)\nout y : f64[I:n] = e inplace x\n"
          "out z : f64 = sum[I](x*y)\n",
     COPIED},
    {"pieces",
     HEAD "map m[I:n] = where(I < 2, x[I], x[I-1])\n"
          "out y : f64[I:n] = m inplace x\n",
     COPIED},
    {"a scan",
     HEAD "scan I forward s[I:n] = where(I == 0, x[I], s[I-1] + x[I])\n"
          "out y : f64[I:n] = s inplace x\n",
     DIRECT},
    {"scans that share their loops",
     HEAD "scan I forward s[I:n] = where(I == 0, x[I], s[I-1] + x[I])\n"
          "scan I backward r[I:n] = where(I == n-1, x[I], r[I+1] + x[I])\n"
          "out y : f64[I:n] = s inplace x\nout z : f64[I:n] = r\n",
     COPIED},
    {"an update at what goes to a temporary",
     HEAD "map t[I:n] = floor(x[I])\nmap r[I:n] = t[i64(t[I])%size(n)]\n"
          "let u = update(t, r, t)\nout y : f64[I:n] = t inplace x\n"
          "out z : f64[I:n] = u + x\n",
     COPIED},
};

/* The copy of a temporary to an output, at the end. */
static bool
ends_in_copy(const ix_unit *u)
{
    const ix_kernel *k = u->kernels;
    while (k->next)
        k = k->next;
    const ilex_array *value = ix_store_value(ix_nest_body(k->body));
    return value->kind == IX_LOAD &&
           u->buffer[value->attr[0]].role == IX_ROLE_TEMP;
}

START_TEST(verdicts)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ix_unit u;
        run_passes(&u, parse(rows[i].text), "inplace");
        verdict found = ends_in_copy(&u) ? COPIED : DIRECT;
        ck_assert_msg(found == rows[i].wanted, "%s: %d", rows[i].what, found);
        free_unit(&u);
    }
}
END_TEST

/* ---- values ---- */

enum { LENGTH = 100 };

/* x with a halo of 1 and numbers in all of it. */
static ilex_storage *
field(double factor)
{
    int64_t length = LENGTH;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "f64",
                              .rank = 1,
                              .shape = &length,
                              .axes = "I",
                              .halo = SHAPE(1, 1),
                              .fill = &(double){0.0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *at = ilex_storage_data(s);
    for (int k = 0; k < LENGTH; k++)
        at[k] = factor * ((k * 7 % 31) + 0.25);
    return s;
}

/* Runs "text" with y in x and with y apart; the elements must be the same, and
 * the halo of x must stay as it was. */
static void
compare(size_t row, const char *jit)
{
    ilex_storage *x = field(1.0), *apart = field(0.0);
    ilex_storage *z[2] = {field(0.0), field(0.0)};
    double *in = ilex_storage_data(x), *out = ilex_storage_data(apart);
    double low = in[0], high = in[LENGTH - 1];
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_program *p = compile(rows[row].text);
    bool scalar = strstr(rows[row].text, "out z : f64 =") != NULL;
    size_t n = 2 + (strstr(rows[row].text, "out z") != NULL);
    if (scalar)
        for (int k = 0; k < 2; k++) {
            ilex_storage_release(z[k]);
            z[k] = ilex_storage_zeros(ctx, ILEX_F64, 0, SHAPE(0));
        }
    run_program(p,
                (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", apart),
                                 ILEX_BIND("z", z[0])},
                n);
    run_program(p,
                (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", x),
                                 ILEX_BIND("z", z[1])},
                n);
    ck_assert_msg(!memcmp(in + 1, out + 1, (LENGTH - 2) * sizeof *in), "%s, %s",
                  rows[row].what, jit);
    ck_assert(in[0] == low && in[LENGTH - 1] == high);
    ck_assert_mem_eq(ilex_storage_const_data(z[0]),
                     ilex_storage_const_data(z[1]),
                     scalar ? 8 : LENGTH * sizeof *in);
    ilex_storage_release(x);
    ilex_storage_release(apart);
    ilex_storage_release(z[0]);
    ilex_storage_release(z[1]);
    ilex_program_release(p);
}

START_TEST(values)
{
    static const char *const jits[] = {"reference", "tcc", "cc"};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        for (size_t j = 0; j < IX_COUNT(jits); j++)
            compare(i, jits[j]);
}
END_TEST

/* The same first element is not enough: the transposed storage has the input's
 * elements at other places. */
START_TEST(transposed)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\nin x : f64[n, n]\n"
                              "out y : f64[n, n] = 2.0*x inplace x\n");
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(5, 5));
    ilex_storage *y = ilex_storage_transpose(ctx, x, NULL);
    ilex_call call = {.size = sizeof call};
    ck_assert_ptr_nonnull(y);
    ck_assert_int_eq(
        ilex_run(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)}, 2,
                 &call),
        ILEX_E_OVERLAP);
    ck_assert_int_eq(
        ilex_run(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", x)}, 2,
                 &call),
        ILEX_OK);
    ilex_storage_release(y);
    ilex_storage_release(x);
    ilex_program_release(p);
}
END_TEST

/* A square with a halo of 1 above and below. */
static ilex_storage *
square(double factor)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "f64",
                              .rank = 2,
                              .shape = SHAPE(9, 7),
                              .axes = "k, j",
                              .halo = SHAPE(1, 1, 0, 0),
                              .fill = &(double){0.0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; i < 63; i++)
        ilex_storage_set_f64(s, SHAPE(i / 7, i % 7),
                             factor * ((double)(i * 7 % 31) + 0.25));
    return s;
}

/* Kernels that share the loops of a scan go from point to point: what one of
 * them writes in place of an input at one point another one, before it in the
 * text, would read at the next. */
START_TEST(beside)
{
    static const char *const text[] = {
        "scan j backward t[k:n, j:n] = where(j == n-1, s[k, j], t[k, j+1] + "
        "s[k, j])\nout y : f64[k:n, j:n] = t inplace x\n",
        "out y : f64[k:n, j:n] = 2*s inplace x\n"};
    static const char *const jits[] = {"reference", "tcc", "cc"};
    for (size_t i = 0; i < IX_COUNT(text) * IX_COUNT(jits); i++) {
        char whole[500];
        snprintf(
            whole, sizeof whole,
            "ilex 1\nprogram p\nsize n\n"
            "in x : f64[k:n, j:n] halo(k:1:1)\n"
            "scan j forward s[k:n, j:n] = where(j == 0, x[k, j], s[k, j-1] "
            "+ x[k-1, j])\n%s",
            text[i % 2]);
        ilex_option_set(ctx, "jit", jits[i / 2]);
        ilex_program *p = compile(whole);
        ilex_storage *x = square(1.0), *y = square(0.0);
        run_program(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)},
                    2);
        run_program(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", x)},
                    2);
        for (int64_t k = 7; k < 56; k++) {
            double in, out;
            ilex_storage_get_f64(x, SHAPE(k / 7, k % 7), &in);
            ilex_storage_get_f64(y, SHAPE(k / 7, k % 7), &out);
            ck_assert_msg(in == out, "%s, %s", text[i % 2], jits[i / 2]);
        }
        ilex_storage_release(x);
        ilex_storage_release(y);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("inplace", verdicts, values, transposed, beside);
}
