/* SPDX-License-Identifier: MIT
 *
 * What foreign functions give and are given: that every back end and any number
 * of threads gives the same bits, how often and when they are called.
 */
#include <fenv.h>
#include <pthread.h>

#include "tests/unit/foreign_fixture.h"

/* ---- values ---- */

enum { N = 5 };

/* The outputs of "several", one after another; "transposed": a is bound to a
 * view whose strides are those of columns. */
static void
run_several(const ilex_program *p, int threads, bool transposed,
            double out[3 * N])
{
    ilex_storage *a = ilex_storage_zeros(NULL, ILEX_F64, 2, SHAPE(N, N));
    double *m = ilex_storage_data(a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[transposed ? j * N + i : i * N + j] =
                (i == j) * 4 + 1.0 / (i + 2 * j + 1);
    ilex_storage *bound = transposed ? ilex_storage_transpose(NULL, a, NULL)
                                     : ilex_storage_retain(a);
    ilex_storage *b = vector(N, 1, 0.5), *o = vector(N, 0, 0),
                 *t = vector(N, 0, 0);
    ilex_binding bindings[] = {ILEX_BIND("a", bound), ILEX_BIND("b", b),
                               ILEX_BIND("o", o), ILEX_BIND("z", b),
                               ILEX_BIND("t", t)};
    ilex_call call = {.size = sizeof call, .threads = threads};
    ck_assert_msg(!ilex_run(p, bindings, 5, &call), "%s", call.error);
    memcpy(out, ilex_storage_data(o), N * sizeof *out);
    memcpy(out + N, ilex_storage_data(b), N * sizeof *out);
    memcpy(out + 2 * N, ilex_storage_data(t), N * sizeof *out);
    ilex_storage_release(a);
    ilex_storage_release(bound);
    ilex_storage_release(b);
    ilex_storage_release(o);
    ilex_storage_release(t);
}

START_TEST(back_ends)
{
    double want[3 * N], got[3 * N];
    give(ctx, "gauss", gauss, NULL);
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], several);
        for (int threads = 1; p && threads < 4; threads++) {
            bool first = j == 0 && threads == 1;
            run_several(p, threads, false, first ? want : got);
            if (!first)
                ck_assert_msg(!memcmp(want, got, sizeof want), "%s", jits[j]);
            run_several(p, threads, true, got);
            ck_assert_msg(!memcmp(want, got, sizeof want), "%s transposed",
                          jits[j]);
        }
        ilex_program_release(p);
    }
    /* a y = x was solved: y is in z, o = x + y reversed */
    for (int i = 0; i < N; i++) {
        double x = want[i] - want[N + N - 1 - i], sum = 0;
        for (int k = 0; k < N; k++)
            sum += ((i == k) * 4 + 1.0 / (i + 2 * k + 1)) * want[N + k];
        ck_assert_double_eq_tol(sum, x, 1e-14);
    }
}
END_TEST

/* Between kernels: a call reads what one wrote, and another reads its result;
 * equal calls are one, what nothing needs is not called, nor over nothing. */
START_TEST(how_often)
{
    double out[3 * N];
    give(ctx, "gauss", gauss, NULL);
    ilex_program *p = compile_for("tcc", several);
    made = 0;
    if (p)
        run_several(p, 1, false, out);
    ck_assert_int_eq(made, p ? 3 : 0);
    ilex_program_release(p);
    p = compile_for("reference",
                    "ilex 1\nprogram p\nsize n\nin a : f64[n, n]\n"
                    "in b : f64[n]\n" GAUSS "let x, p = gauss(a, b)\n"
                    "let y, q = gauss(a, b)\nlet u, v = gauss(2*a, b)\n"
                    "out o = x + y\n");
    made = 0;
    for (int n = 3; n >= 0; n -= 3) {
        ilex_storage *a = ilex_storage_zeros(NULL, ILEX_F64, 2, SHAPE(n, n));
        for (int i = 0; i < n; i++)
            ((double *)ilex_storage_data(a))[i * n + i] = 2;
        ilex_storage *b = vector(n, 1, 1), *o = vector(n, 0, 0);
        run_program(p,
                    (ilex_binding[]){ILEX_BIND("a", a), ILEX_BIND("b", b),
                                     ILEX_BIND("o", o)},
                    3);
        ck_assert_int_eq(made, 1);
        for (int i = 0; i < n; i++)
            ck_assert(((double *)ilex_storage_data(o))[i] == i + 1);
        ilex_storage_release(a);
        ilex_storage_release(b);
        ilex_storage_release(o);
    }
    ilex_program_release(p);
}
END_TEST

/* ---- what a function is given ---- */

/* What "look" saw. */
typedef struct seen {
    ilex_function_array in[2], out;
    int64_t number[3][3][2]; /* shape, stride, lower of these by axis */
} seen;

static int
look(const ilex_function_call *call)
{
    seen *s = call->user;
    ck_assert_uint_eq(call->size, sizeof *call);
    ck_assert_uint_eq(call->argument_count, 2);
    ck_assert_uint_eq(call->result_count, 1);
    for (int i = 0; i < 3; i++) {
        const ilex_function_array *a =
            i < 2 ? &call->argument[i] : &call->result[0];
        *(i < 2 ? &s->in[i] : &s->out) = *a;
        for (int k = 0; k < a->rank; k++) {
            s->number[i][0][k] = a->shape[k];
            s->number[i][1][k] = a->stride[k];
            s->number[i][2][k] = a->lower[k];
        }
    }
    float *y = call->result[0].data;
    for (int64_t i = 0; i < call->result[0].shape[0]; i++)
        y[i * call->result[0].stride[0]] = (float)i;
    return 0;
}

/* A halo that is declared is there, one that is not is cut off. */
START_TEST(layout)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n, m\nin u : f64[I:n, J:m] halo(I:2:2, "
        "J:1:1)\n"
        "in w : i32[I:n]\n"
        "extern look(u : f64[I:k, J:l] halo(I:1:0), w : i32[I:k]) -> "
        "f32[J:-1:l+1] pure\nout o = look(u, w)\n";
    seen s;
    give(ctx, "look", look, &s);
    ilex_storage *u = ilex_storage_new(
        NULL, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                   .dtype = "f64",
                                   .rank = 2,
                                   .shape = SHAPE(4 + 4, 3 + 2),
                                   .axes = "IJ",
                                   .halo = SHAPE(2, 2, 1, 1)});
    ilex_storage *w = ilex_storage_new(
        NULL, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                   .dtype = "i32",
                                   .rank = 1,
                                   .shape = SHAPE(4),
                                   .axes = "I"});
    ilex_storage *o = ilex_storage_new(
        NULL, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                   .dtype = "f32",
                                   .rank = 1,
                                   .shape = SHAPE(3 + 2),
                                   .axes = "J",
                                   .halo = SHAPE(1, 1)});
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], text);
        if (!p)
            continue;
        memset(&s, 0, sizeof s);
        run_program(p,
                    (ilex_binding[]){ILEX_BIND("u", u), ILEX_BIND("w", w),
                                     ILEX_BIND("o", o)},
                    3);
        const int64_t *stride = ilex_storage_stride(u);
        const int64_t want[3][3][2] = {
            {{5, 3}, {stride[0], stride[1]}, {-1, 0}},
            {{4}, {1}, {0}},
            {{5}, {1}, {-1}}};
        ck_assert(!memcmp(s.number, want, sizeof want));
        ck_assert_ptr_eq(s.in[0].data, (double *)ilex_storage_data(u) +
                                           stride[0] + stride[1]);
        ck_assert_ptr_eq(s.out.data, ilex_storage_data(o));
        ck_assert_int_eq(s.in[1].dtype, ILEX_I32);
        ck_assert_int_eq(s.out.dtype, ILEX_F32);
        ck_assert(((float *)ilex_storage_data(o))[4] == 4);
        ilex_program_release(p);
    }
    ilex_storage_release(u);
    ilex_storage_release(w);
    ilex_storage_release(o);
}
END_TEST

/* y(i) = s*(u(i-1) + u(i+1)) */
static int
neighbours(const ilex_function_call *call)
{
    const ilex_function_array *u = &call->argument[0], *y = &call->result[0];
    double s = *(const double *)call->argument[1].data;
    for (int64_t i = 0; i < y->shape[0]; i++)
        *element(y, i, 0) = s * (*element(u, i, 0) + *element(u, i + 2, 0));
    return 0;
}

#define NEIGHBOURS                                                             \
    "extern neighbours(u : f64[I:k] halo(I:1:1), s : f64) -> f64[I:k] pure\n"

/* An argument that is a shifted, or computed, field with a halo; a literal. */
START_TEST(halos)
{
    give(ctx, "neighbours", neighbours, NULL);
    for (int j = 0; j < 3; j++) {
        ilex_program *p =
            compile_for(jits[j], "ilex 1\nprogram p\nsize n\n"
                                 "in u : f64[I:n] halo(I:2:2)\n" NEIGHBOURS
                                 "let v = neighbours(2*u, 0.5)\n"
                                 "out o = v + neighbours(u[I+1], 1)\n");
        if (!p)
            continue;
        ilex_storage *u = ilex_storage_new(
            NULL, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                       .dtype = "f64",
                                       .rank = 1,
                                       .shape = SHAPE(3 + 4),
                                       .axes = "I",
                                       .halo = SHAPE(2, 2)});
        ilex_storage *o = ilex_storage_new(
            NULL, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                       .dtype = "f64",
                                       .rank = 1,
                                       .shape = SHAPE(3),
                                       .axes = "I"});
        double *x = ilex_storage_data(u), *y = ilex_storage_data(o);
        for (int i = 0; i < 7; i++)
            x[i] = i * i;
        run_program(p, (ilex_binding[]){ILEX_BIND("u", u), ILEX_BIND("o", o)},
                    2);
        for (int i = 0; i < 3; i++)
            ck_assert(y[i] == x[i + 1] + x[i + 3] + x[i + 2] + x[i + 4]);
        ilex_storage_release(u);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- sizes that are counted ---- */

static int
reverse(const ilex_function_call *call)
{
    const ilex_function_array *x = &call->argument[0], *y = &call->result[0];
    for (int64_t i = 0; i < x->shape[0]; i++)
        *element(y, i, 0) = *element(x, x->shape[0] - 1 - i, 0);
    return 0;
}

START_TEST(counted)
{
    give(ctx, "reverse", reverse, NULL);
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(
            jits[j], "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                     "extern reverse(x : f64[k]) -> f64[k] pure\n"
                     "let y = reverse(x)\nsize c = count_nonzero(y > 2)\n"
                     "let z = reverse(compress(y, y > 2))\n"
                     "out o = z + 0.5\n");
        if (!p)
            continue;
        ilex_storage *x = vector(5, 1, 1), *o = vector(5, 0, 0);
        run_program(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("o", o)},
                    2);
        const double *y = ilex_storage_const_data(o);
        ck_assert(y[0] == 3.5 && y[1] == 4.5 && y[2] == 5.5 && y[3] == 0);
        ilex_storage_release(x);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

/* An output in the place of an input that is read later, or by its call. */
START_TEST(in_place)
{
    static const char *const text[] = {
        "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
        "extern reverse(x : f64[k]) -> f64[k] pure\n"
        "let y = reverse(x)\nout o : f64[n] = y inplace x\n",
        "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
        "extern reverse(x : f64[k]) -> f64[k] pure\n"
        "let y = 2*x\nlet z = reverse(x)\nout o : f64[n] = y inplace x\n"
        "out r = z\n"};
    give(ctx, "reverse", reverse, NULL);
    for (int j = 0; j < 6; j++) {
        ilex_program *p = compile_for(jits[j / 2], text[j % 2]);
        if (!p)
            continue;
        ilex_storage *x = vector(4, 1, 1), *r = vector(4, 0, 0);
        run_program(p,
                    (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("o", x),
                                     ILEX_BIND("r", r)},
                    j % 2 ? 3 : 2);
        const double *o = ilex_storage_const_data(x),
                     *z = ilex_storage_const_data(r);
        for (int i = 0; i < 4; i++) {
            ck_assert(o[i] == (j % 2 ? 2 * (i + 1) : 4 - i));
            ck_assert(j % 2 == 0 || z[i] == 4 - i);
        }
        ilex_storage_release(x);
        ilex_storage_release(r);
        ilex_program_release(p);
    }
}
END_TEST

/* What a function does to the environment does not reach later kernels. */
static int
careless(const ilex_function_call *call)
{
    *(double *)call->result[0].data = 1;
    fesetround(FE_UPWARD);
    return 0;
}

START_TEST(environment)
{
    give(ctx, "careless", careless, NULL);
    ilex_program *p = compile_for("tcc", "ilex 1\nprogram p\nin d : f64\n"
                                         "extern careless() -> f64 pure\n"
                                         "out o = careless() / d\n");
    if (!p)
        return;
    ilex_storage *o = ilex_storage_zeros(NULL, ILEX_F64, 0, NULL);
    volatile double three = 3;
    run_program(p, (ilex_binding[]){ILEX_BIND_F64("d", 3), ILEX_BIND("o", o)},
                2);
    ck_assert(*(const double *)ilex_storage_const_data(o) == 1 / three);
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    ilex_storage_release(o);
    ilex_program_release(p);
}
END_TEST

/* ---- several threads ---- */

static void *
run_often(void *program)
{
    double first[3 * N], out[3 * N];
    run_several(program, 1, false, first);
    for (int i = 0; i < 50; i++) {
        run_several(program, 1 + i % 2, i % 3 == 0, out);
        if (memcmp(first, out, sizeof out) != 0)
            return program;
    }
    return NULL;
}

START_TEST(at_the_same_time)
{
    pthread_t thread[3];
    void *failed;
    give(ctx, "gauss", gauss, NULL);
    ilex_program *p = compile_for("tcc", several);
    for (int i = 0; p && i < 3; i++)
        ck_assert(!pthread_create(&thread[i], NULL, run_often, p));
    for (int i = 0; p && i < 3; i++) {
        ck_assert(!pthread_join(thread[i], &failed));
        ck_assert_ptr_null(failed);
    }
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("foreign", back_ends, how_often, layout, halos, counted,
                     in_place, environment, at_the_same_time);
}
