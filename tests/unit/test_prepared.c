/* SPDX-License-Identifier: MIT
 *
 * Prepared calls: what ilex_run gives, with nothing of the caller's left but
 * the memory; numbers and addresses that change; refusals that change nothing.
 */
#include "ilex/dlpack.h"
#include "tests/unit/graph_fixture.h"

static const char wave[] = "ilex 1\nprogram wave\nsize n\nassume n >= 1\n"
                           "in dt : f64\nin u : f64[I:n] halo(I:1:1)\n"
                           "let d = u[I+1] - 2.0*u + u[I-1]\n"
                           "let m = max[I](abs(d))\n"
                           "out v : f64[I:n] = u + dt*d/(1.0 + m)\n";

enum { N = 50 };

static ilex_storage *
line(int64_t n, int64_t halo, double step)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "f64",
                              .rank = 1,
                              .shape = SHAPE(n + 2 * halo),
                              .axes = "I",
                              .halo = SHAPE(halo, halo)};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < n + 2 * halo; i++)
        x[i] = step * (double)(i * i % 17);
    return s;
}

static double
number_at(const void *data, int i)
{
    return ((const double *)data)[i];
}

/* Is "v" what ilex_run gives for the elements "u", of "n" points, and "dt"? */
static bool
as_run_of(const ilex_program *p, size_t n, double dt, const void *u,
          const void *v)
{
    ilex_storage *su = line((int64_t)n, 1, 0), *sv = line((int64_t)n, 0, 0);
    memcpy(ilex_storage_data(su), u, (n + 2) * sizeof(double));
    const ilex_binding b[] = {ILEX_BIND("u", su), ILEX_BIND("v", sv),
                              ILEX_BIND_F64("dt", dt)};
    run_program(p, b, 3);
    bool same = !memcmp(ilex_storage_data(sv), v, n * sizeof(double));
    ilex_storage_release(su);
    ilex_storage_release(sv);
    return same;
}

static bool
as_run(const ilex_program *p, double dt, const void *u, const void *v)
{
    return as_run_of(p, N, dt, u, v);
}

static ilex_prepared *
prepare(const ilex_program *p, ilex_storage *u, ilex_storage *v, double dt)
{
    char names[3][8] = {"u", "v", "dt"}; /* forgotten after the call */
    const ilex_binding b[] = {ILEX_BIND(names[0], u), ILEX_BIND(names[1], v),
                              ILEX_BIND_F64(names[2], dt)};
    ilex_prepared *q = ilex_bind(ctx, p, b, 3, NULL);
    ck_assert_msg(q != NULL, "%s", ilex_error_text(ctx));
    memset(names, 'x', sizeof names);
    return q;
}

static void
run(ilex_prepared *q)
{
    ck_assert_msg(!ilex_prepared_run(q), "%s", ilex_prepared_error(q));
    ck_assert_str_eq(ilex_prepared_error(q), "");
}

static const char *const jits[] = {"reference", "tcc", "cc"};

START_TEST(runs_as_run_does)
{
    for (int j = 0; j < 3; j++) {
        ilex_option_set(ctx, "jit", jits[j]);
        ilex_program *p = compile(wave);
        ilex_storage *u = line(N, 1, 0.5), *v = line(N, 0, 0);
        double *x = ilex_storage_data(u), *y = ilex_storage_data(v);
        ilex_prepared *q = prepare(p, u, v, 0.25);
        for (int i = 0; i < 5; i++) {
            x[7 + i] += 1.0;
            run(q);
            ck_assert(as_run(p, 0.25, x, y));
        }
        ilex_program_release(p); /* it has counts of its own */
        ilex_storage_release(u);
        ilex_storage_release(v);
        run(q);
        ilex_prepared_release(q);
    }
}
END_TEST

/* Calls of other sizes in turn, with another number and another address each
 * time. */
START_TEST(sizes_alternate)
{
    static const int64_t lengths[] = {N, 17};
    for (int j = 0; j < 3; j++) {
        ilex_option_set(ctx, "jit", jits[j]);
        ilex_program *p = compile(wave);
        ilex_storage *u[2], *v[2];
        ilex_prepared *q[2];
        double other[N + 2], dt = 0.25;
        for (int k = 0; k < 2; k++) {
            u[k] = line(lengths[k], 1, 0.5 + k);
            v[k] = line(lengths[k], 0, 0);
            q[k] = prepare(p, u[k], v[k], dt);
        }
        for (int i = 0; i < 6; i++) {
            int k = i % 2;
            void *from = i / 2 == 1 ? other : ilex_storage_data(u[k]);
            for (int64_t x = 0; x < N + 2; x++)
                other[x] = (double)(x * x % 11) + i;
            dt += 1;
            ck_assert(!ilex_prepared_set(
                q[k], &(ilex_binding)ILEX_BIND_F64("dt", dt)));
            ck_assert(!ilex_prepared_set_pointer(q[k], "u", from));
            run(q[k]);
            ck_assert(as_run_of(p, (size_t)lengths[k], dt, from,
                                ilex_storage_data(v[k])));
        }
        for (int k = 0; k < 2; k++) {
            ilex_prepared_release(q[k]);
            ilex_storage_release(u[k]);
            ilex_storage_release(v[k]);
        }
        ilex_program_release(p);
    }
}
END_TEST

START_TEST(numbers_change)
{
    ilex_program *p = compile(wave);
    ilex_storage *u = line(N, 1, 0.5), *v = line(N, 0, 0);
    ilex_prepared *q = prepare(p, u, v, 0.25);
    ilex_binding dt = ILEX_BIND_F64("dt", -3.0);
    ck_assert_int_eq(ilex_prepared_set(q, &dt), ILEX_OK);
    run(q);
    ck_assert(as_run(p, -3.0, ilex_storage_data(u), ilex_storage_data(v)));
    const struct {
        ilex_binding b;
        ilex_status status;
        const char *word;
    } rows[] = {
        {ILEX_BIND_F64("du", 1.0), ILEX_E_BINDING, "'du'"},
        {ILEX_BIND_F64("u", 1.0), ILEX_E_BINDING, "storages and sizes"},
        {ILEX_BIND("dt", u), ILEX_E_BINDING, "storages and sizes"},
        {ILEX_BIND_C128("dt", 1, 0), ILEX_E_BINDING_TYPE, "ILEX_BIND_F64"},
        {ILEX_BIND_I64("dt", ((int64_t)1 << 53) + 1), ILEX_E_LITERAL, "hold"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_int_eq(ilex_prepared_set(q, &rows[i].b), rows[i].status);
        ck_assert_ptr_nonnull(strstr(ilex_prepared_error(q), rows[i].word));
        run(q);
        ck_assert(as_run(p, -3.0, ilex_storage_data(u), ilex_storage_data(v)));
    }
    ilex_prepared_release(q);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

/* u by a tensor with an offset, dense or with strides; what is not laid out as
 * the storage is. */
START_TEST(tensors)
{
    double other[2 * N + 5], x[N + 2], *result = NULL;
    ilex_program *p = compile(wave);
    ilex_storage *u = line(N, 1, 0.5), *v = line(N, 0, 0);
    ilex_prepared *q = prepare(p, u, v, 0.25);
    int64_t shape = N + 2, stride = 1, wrong = N, two = 2;
    for (int i = 0; i < 2 * N + 5; i++)
        other[i] = i % 7;
    for (int i = 0; i < N + 2; i++)
        x[i] = other[i + 1];
    DLTensor t = {.data = other,
                  .device = {kDLCPU, 0},
                  .ndim = 1,
                  .dtype = {kDLFloat, 64, 1},
                  .shape = &shape,
                  .byte_offset = sizeof *other};
    for (int i = 0; i < 2; i++, t.strides = &stride) {
        ck_assert_int_eq(ilex_prepared_set_dlpack(q, "u", &t), ILEX_OK);
        run(q);
        result = ilex_storage_data(v);
        ck_assert(as_run(p, 0.25, x, result));
    }
    DLTensor bad[] = {t, t, t, t, t};
    const ilex_status expected[] = {ILEX_E_DEVICE, ILEX_E_BINDING_TYPE,
                                    ILEX_E_BINDING_SHAPE, ILEX_E_BINDING_SHAPE,
                                    ILEX_E_BINDING_SHAPE};
    bad[0].device.device_type = kDLCUDA;
    bad[1].dtype.bits = 32;
    bad[2].shape = &wrong;
    bad[3].strides = &two;
    bad[4].ndim = 0;
    for (size_t i = 0; i < IX_COUNT(bad); i++)
        ck_assert_int_eq(ilex_prepared_set_dlpack(q, "u", &bad[i]),
                         expected[i]);
    ck_assert_int_eq(ilex_prepared_set_dlpack(q, "dt", &t), ILEX_E_BINDING);
    ck_assert_int_eq(ilex_prepared_set_dlpack(q, "w", &t), ILEX_E_BINDING);
    ck_assert_int_eq(ilex_prepared_set_dlpack(q, "u", NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_prepared_set_dlpack(NULL, "u", &t), ILEX_E_ARGUMENT);
    run(q);
    ck_assert(as_run(p, 0.25, x, result));
    ilex_prepared_release(q);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

START_TEST(addresses_change)
{
    double other[N + 2], result[N], *x;
    ilex_program *p = compile(wave);
    ilex_storage *u = line(N, 1, 0.5), *v = line(N, 0, 0);
    ilex_prepared *q = prepare(p, u, v, 0.25);
    for (int i = 0; i < N + 2; i++)
        other[i] = 1.0 / (i + 1);
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "u", other), ILEX_OK);
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "v", result), ILEX_OK);
    run(q);
    ck_assert(as_run(p, 0.25, other, result));
    ck_assert(number_at(ilex_storage_data(v), 3) == 0); /* not written */
    x = ilex_storage_data(u);
    const struct {
        const char *name;
        void *data;
        ilex_status status;
        const char *word;
    } rows[] = {
        {"w", other, ILEX_E_BINDING, "'w'"},
        {NULL, other, ILEX_E_BINDING, "(null)"},
        {"dt", other, ILEX_E_BINDING, "bound to a number"},
        {"u", NULL, ILEX_E_ARGUMENT, "is NULL"},
        {"u", (char *)other + 4, ILEX_E_ALIGNMENT, "multiple of 8"},
        {"v", other + 1, ILEX_E_OVERLAP, "overlaps"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_int_eq(
            ilex_prepared_set_pointer(q, rows[i].name, rows[i].data),
            rows[i].status);
        ck_assert_ptr_nonnull(strstr(ilex_prepared_error(q), rows[i].word));
        memset(result, 0, sizeof result);
        run(q);
        ck_assert(as_run(p, 0.25, other, result));
    }
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "u", x), ILEX_OK);
    run(q);
    ck_assert(as_run(p, 0.25, x, result));
    ilex_prepared_release(q);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

/* Two arguments change places: one after the other would overlap. */
START_TEST(addresses_at_once)
{
    double a[N + 2], b[N + 2], from[N + 2];
    ilex_program *p = compile(wave);
    ilex_storage *u = line(N, 1, 0.5), *v = line(N, 0, 0);
    ilex_prepared *q = prepare(p, u, v, 0.25);
    for (int i = 0; i < N + 2; i++) {
        a[i] = 1.0 / (i + 1);
        b[i] = i;
    }
    ck_assert_int_eq(ilex_prepared_set_pointers(q, 2, (void *[]){a, b}), 0);
    run(q);
    ck_assert(as_run(p, 0.25, a, b));
    memcpy(from, b, sizeof from);
    ck_assert_int_eq(ilex_prepared_set_pointers(q, 2, (void *[]){b, a}), 0);
    run(q);
    ck_assert(as_run(p, 0.25, from, a));

    /* one stays; numbers do */
    ck_assert_int_eq(
        ilex_prepared_set_pointers(q, 3, (void *[]){NULL, from, NULL}), 0);
    run(q);
    ck_assert(as_run(p, 0.25, b, from));
    ck_assert_int_eq(ilex_prepared_set_pointers(q, 0, NULL), ILEX_OK);
    const struct {
        size_t count;
        void *data[4];
        ilex_status status;
        const char *word;
    } rows[] = {
        {4, {a, from}, ILEX_E_ARGUMENT, "4 addresses for 3 bindings"},
        {2, {a, a + 1}, ILEX_E_OVERLAP, "overlaps"},
        {2, {a, (char *)from + 4}, ILEX_E_ALIGNMENT, "multiple of 8"},
        {3, {a, from, a}, ILEX_E_BINDING, "bound to a number"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_int_eq(
            ilex_prepared_set_pointers(q, rows[i].count, rows[i].data),
            rows[i].status);
        ck_assert_ptr_nonnull(strstr(ilex_prepared_error(q), rows[i].word));
        memset(from, 0, sizeof from);
        run(q);
        ck_assert(as_run(p, 0.25, b, from));
    }
    ck_assert_int_eq(ilex_prepared_set_pointers(q, 1, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_prepared_set_pointers(NULL, 0, NULL),
                     ILEX_E_ARGUMENT);
    ilex_prepared_release(q);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

/* What is found out once is refused once: as ilex_run would. */
START_TEST(refusals)
{
    ilex_program *p = compile(wave);
    ilex_storage *u = line(N, 1, 0.5), *v = line(N + 1, 0, 0);
    const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("v", v),
                              ILEX_BIND_F64("dt", 1)};
    ilex_call unset = {.size = 0};
    ck_assert_ptr_null(ilex_bind(ctx, p, b, 3, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_BINDING_SHAPE);
    ck_assert_ptr_null(ilex_bind(ctx, p, b, 2, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_BINDING);
    /* beside an error that is there already */
    ilex_input(ctx, "1x", ILEX_F64, "n");
    ck_assert_ptr_null(ilex_bind(ctx, p, b, 2, NULL));
    ck_assert_uint_eq(ilex_error_count(ctx), 2);
    ilex_error_clear(ctx);
    const ilex_binding more[] = {
        b[0], b[1], b[2], {.kind = ILEX_BOUND_STORAGE, .storage = u}};
    ck_assert_ptr_null(ilex_bind(ctx, p, more, 4, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "one too many"));
    ck_assert_int_eq(take_error(), ILEX_E_BINDING);
    ck_assert_ptr_null(ilex_bind(ctx, p, NULL, 3, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_bind(ctx, NULL, b, 3, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_bind(ctx, p, b, 3, &unset));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_bind(NULL, p, b, 2, NULL));
    ck_assert_int_eq(ilex_prepared_run(NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_prepared_set(NULL, b), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_prepared_set_pointer(NULL, "u", u), ILEX_E_ARGUMENT);
    ilex_prepared_release(NULL);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
}
END_TEST

/* A box, a size and a workspace of the call. */
START_TEST(with_a_call)
{
    static char memory[4096] __attribute__((aligned(64)));
    char box[] = "I=2:5", name[] = "k";
    ilex_option_set(ctx, "box", "1");
    ilex_program *p = compile("ilex 1\nprogram part\nsize n, k\n"
                              "in x : f64[I:n]\nlet s = sum[I](x)\n"
                              "out y : f64[I:n] = (x + s)*f64(k)\n");
    ilex_storage *x = line(N, 0, 1.0), *y = line(N, 0, 0);
    ilex_size_binding k = {name, 3};
    ilex_call call = {.size = sizeof call,
                      .threads = 2,
                      .box = box,
                      .sizes = &k,
                      .size_count = 1,
                      .workspace = memory,
                      .workspace_bytes = sizeof memory};
    const ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_prepared *q = ilex_bind(ctx, p, b, 2, &call);
    ck_assert_msg(q != NULL, "%s", ilex_error_text(ctx));
    memset(box, 'x', sizeof box - 1);
    *name = 'x';
    k.value = 77;
    run(q);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += number_at(ilex_storage_data(x), i);
    for (int i = 0; i < N; i++) {
        double want = (number_at(ilex_storage_data(x), i) + sum) * 3;
        ck_assert(number_at(ilex_storage_data(y), i) ==
                  (i >= 2 && i < 5 ? want : 0));
    }
    ilex_prepared_release(q);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

/* Sizes that are counted differ from run to run; errors come from data. */
START_TEST(with_data)
{
    int64_t index[4] = {7, 2, 1, 5};
    ilex_size_binding counted = {"c", 0};
    ilex_call call = {
        .size = sizeof call, .counted = &counted, .counted_count = 1};
    ilex_program *p =
        compile("ilex 1\nprogram take\nsize n\nassume n >= 1\n"
                "in j : i64[n]\nsize c = count_nonzero(j > 1)\n"
                "assume c <= 3\nout y : i64[c] = compress(j, j > 1)\n");
    ilex_storage *j = counting(1, SHAPE(4)), *y = counting(1, SHAPE(4));
    const ilex_binding b[] = {ILEX_BIND("j", j), ILEX_BIND("y", y)};
    ilex_prepared *q = ilex_bind(ctx, p, b, 2, &call);
    ck_assert_msg(q != NULL, "%s", ilex_error_text(ctx));
    run(q);
    ck_assert_int_eq(counted.value, 2);
    ck_assert_int_eq(((int64_t *)ilex_storage_data(y))[1], 3);
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "j", index), ILEX_OK);
    run(q);
    ck_assert_int_eq(counted.value, 3);
    ck_assert_int_eq(((int64_t *)ilex_storage_data(y))[2], 5);
    index[2] = 8;
    ck_assert_int_eq(ilex_prepared_run(q), ILEX_E_ASSUMPTION);
    ilex_prepared_release(q);
    ilex_program_release(p);
    p = compile("ilex 1\nprogram pick\nsize n\nassume n >= 1\nin j : i64[n]\n"
                "out z : i64[n] = j[j]\n");
    const ilex_binding z[] = {ILEX_BIND("j", j), ILEX_BIND("z", y)};
    q = ilex_bind(ctx, p, z, 2, NULL);
    ck_assert_msg(q != NULL, "%s", ilex_error_text(ctx));
    run(q);
    ((int64_t *)ilex_storage_data(j))[2] = 4;
    ck_assert_int_eq(ilex_prepared_run(q), ILEX_E_BOUNDS);
    ck_assert_ptr_nonnull(strstr(ilex_prepared_error(q), "index 4"));
    ((int64_t *)ilex_storage_data(j))[2] = 0;
    run(q);
    ilex_prepared_release(q);
    ilex_storage_release(j);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("prepared", runs_as_run_does, sizes_alternate,
                     numbers_change, tensors, addresses_change,
                     addresses_at_once, refusals, with_a_call, with_data);
}
