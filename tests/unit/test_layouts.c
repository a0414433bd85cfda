/* SPDX-License-Identifier: MIT
 *
 * Variants of programs for arrays that lie otherwise: when there is one and
 * how many, what it says, that runs of every kind take it with the same bits.
 */
#include <pthread.h>

#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

static const char text[] =
    "ilex 1\nprogram p\nsize n, m, l\nassume n >= 2 && m >= 2 && l >= 2\n"
    "in u : f64[I:n, J:m, K:l] halo(I:1:1)\nin v : f64[J:m, K:l]\n"
    "let s = exp(u)\nlet d = s[I+1] - s[I-1] + sum[I](s)*v\n"
    "scan K forward a[I:n, J:m, K:l] = "
    "where(K == 0, d[I, J, K], 0.5*a[I, J, K-1] + d[I, J, K])\n"
    "out o : f64[I:n, J:m, K:l] = a*a\nout q : f64[J:m] = sum[I, K](a)\n";

static const char *const maps[] = {"IJK", "IKJ", "JIK", "JKI", "KIJ", "KJI"};

enum { MAPS = IX_COUNT(maps), N = 9, M = 6, L = 5 };

/* ---- storages ---- */

static ilex_storage *
make(const char *axes, const int64_t *shape, const char *map, int64_t halo)
{
    int place[3], rank = (int)strlen(axes);
    int64_t halos[6] = {halo, halo};
    char words[8];
    for (int k = 0; k < rank; k++)
        place[k] = (int)(strchr(map, axes[k]) - map);
    for (int k = 0; k < rank; k++) /* of those that it has */
        for (int j = 0; j < 3; j++)
            place[k] -= !strchr(axes, map[j]) && strchr(map, axes[k]) > map + j;
    snprintf(words, sizeof words,
             rank == 1   ? "%c"
             : rank == 2 ? "%c,%c"
                         : "%c,%c,%c",
             axes[0], axes[rank > 1], axes[rank - 1]);
    ilex_storage *s = ilex_storage_new(
        ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                  .rank = rank,
                                  .shape = shape,
                                  .axes = words,
                                  .halo = halos,
                                  .layout_map = place});
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

typedef struct arrays {
    ilex_storage *u, *v, *o, *q;
} arrays;

/* What stands at an index is the same in all. */
static void
fill(ilex_storage *s)
{
    const int64_t *shape = ilex_storage_shape(s), *by = ilex_storage_stride(s);
    double *data = ilex_storage_data(s);
    int rank = ilex_storage_rank(s);
    int64_t n = ilex_storage_count(s);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0, left = i;
        for (int k = rank; k-- > 0; left /= shape[k])
            at += left % shape[k] * by[k];
        data[at] = (double)((i * 7919) % 1013) / 1013;
    }
}

static arrays
lay(const char *map)
{
    arrays a = {make("IJK", SHAPE(N + 2, M, L), map, 1),
                make("JK", SHAPE(M, L), map, 0),
                make("IJK", SHAPE(N, M, L), map, 0),
                make("J", SHAPE(M), map, 0)};
    fill(a.u);
    fill(a.v);
    return a;
}

static void
drop(arrays a)
{
    ilex_storage_release(a.u);
    ilex_storage_release(a.v);
    ilex_storage_release(a.o);
    ilex_storage_release(a.q);
}

#define BOUND(a)                                                               \
    (ilex_binding[])                                                           \
    {                                                                          \
        ILEX_BIND("u", (a).u), ILEX_BIND("v", (a).v), ILEX_BIND("o", (a).o),   \
            ILEX_BIND("q", (a).q)                                              \
    }

static ilex_storage *
dense(const ilex_storage *s)
{
    ilex_storage *all = (ilex_storage *)(uintptr_t)s;
    return ilex_storage_ensure_contiguous(ctx, all, NULL);
}

static void
expect_same(const ilex_storage *a, const ilex_storage *b)
{
    ilex_storage *x = dense(a), *y = dense(b);
    ck_assert_mem_eq(ilex_storage_const_data(x), ilex_storage_const_data(y),
                     (size_t)ilex_storage_bytes(x));
    ilex_storage_release(x);
    ilex_storage_release(y);
}

static arrays want;

/* A program that makes variants for arrays of any size; what it computes. */
static ilex_program *
begin(const char *jit)
{
    ix_layouts_bytes = 0;
    ilex_option_set(ctx, "jit", jit);
    ilex_program *p = compile(text);
    want = lay("IJK");
    run_program(p, BOUND(want), 4);
    ck_assert_ptr_null(ilex_program_variant(p, 0, NULL));
    return p;
}

static int
count_variants(const ilex_program *p)
{
    int n = 0;
    while (ilex_program_variant(p, (size_t)n, NULL))
        n++;
    return n;
}

/* Are the elements 0, 2, 4, ...? */
static void
check_doubled(const ilex_storage *o, int64_t count)
{
    const int64_t *x = ilex_storage_const_data(o);
    for (int64_t k = 0; k < count; k++)
        ck_assert_int_eq(x[k], 2 * k);
}

static void
expect(arrays a)
{
    expect_same(a.o, want.o);
    expect_same(a.q, want.q);
    drop(a);
}

/* ---- how many ---- */

/* Six orders of three axes: four programs; then the one that was given. */
START_TEST(orders)
{
    static const char *const jits[] = {"tcc", "cc", "auto"};
    static const char *const after[] = {"", "u=021,o=021", "u=102,o=102",
                                        "u=120,o=120"};
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        ilex_program *p = begin(jits[j]);
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < MAPS; i++) {
                const char *order = "";
                arrays a = lay(maps[i]);
                run_program(p, BOUND(a), 4);
                expect(a);
                ck_assert_int_eq(count_variants(p), i < 3 && !round ? i : 3);
                ilex_program_variant(p, 0, &order);
                ck_assert_str_eq(order, after[i < 3 && !round ? i : 3]);
            }
        ck_assert_int_eq(ilex_program_wait(p, 60), ILEX_OK);
        arrays a = lay("JKI");
        run_program(p, BOUND(a), 4);
        expect(a);
        ilex_program_trim(p);
        drop(want);
        ilex_program_release(p);
    }
}
END_TEST

/* One that calls made, without text and without names, by the default back
 * end; its good code is made at once where the program's is there. */
START_TEST(of_calls)
{
    for (int promoted = 0; promoted < 2; promoted++) {
        ilex_option_set(ctx, "jit", "auto");
        ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "n, m, l");
        ilex_array *o = ilex_add(u, ilex_lit(ctx, promoted));
        ilex_program *p = ilex_compile(ctx, 1, &o, NULL);
        ck_assert_ptr_nonnull(p);
        ix_layouts_bytes = 0;
        for (int i = 0; i < 2; i++) {
            const char *order = "";
            const int map[] = {i ? 2 : 0, 1, i ? 0 : 2};
            ilex_storage_spec spec = {.size = sizeof spec,
                                      .rank = 3,
                                      .shape = SHAPE(N, M, L),
                                      .layout_map = map};
            ilex_storage *x = ilex_storage_new(ctx, &spec),
                         *y = ilex_storage_new(ctx, &spec);
            fill(x);
            ilex_binding bound[] = {ILEX_BIND("u", x),
                                    ILEX_BIND("_ilex_out0", y)};
            if (i && promoted)
                ck_assert_int_eq(ilex_program_wait(p, 60), ILEX_OK);
            run_program(p, bound, 2);
            ck_assert_int_eq(count_variants(p), i);
            const ilex_program *v = ilex_program_variant(p, 0, &order);
            ck_assert_str_eq(order, i ? "u=210,_ilex_out0=210" : "");
            if (i)
                ck_assert_int_eq(ix_promotion_counts(v->promotion), !promoted);
            ilex_storage_release(x);
            ilex_storage_release(y);
        }
        ilex_program_release(p);
    }
}
END_TEST

/* None for small arrays, where an order was asked for, where loops were, and
 * for axes of which it does not matter where they lie. */
START_TEST(none)
{
    static const char *const options[][3] = {
        {"order", "C", "auto"},
        {"order", "F", "auto"},
        {"schedule", "kernel k0:\n", "auto"},
        {"jit", "reference", "tcc"}};
    ilex_program *p = begin("tcc");
    arrays a = lay("KJI");
    ix_layouts_bytes = 1 << 15;
    run_program(p, BOUND(a), 4);
    ck_assert_int_eq(count_variants(p), 0);
    ilex_program_release(p);
    ix_layouts_bytes = 0;
    for (size_t i = 0; i < IX_COUNT(options); i++) {
        ilex_option_set(ctx, options[i][0], options[i][1]);
        p = compile(text);
        ilex_option_set(ctx, options[i][0], options[i][2]);
        run_program(p, BOUND(a), 4);
        ck_assert_int_eq(count_variants(p), 0);
        ilex_program_release(p);
    }
    expect(a);
    drop(want);
}
END_TEST

/* An axis of length 1 comes anywhere, but is no good innermost one. */
START_TEST(ones)
{
    static const int64_t shapes[][3] = {{1, 7, 5}, {7, 1, 5}, {7, 5, 1}};
    ix_layouts_bytes = 0;
    ilex_option_set(ctx, "jit", "tcc");
    for (int i = 0; i < 3; i++) {
        ilex_program *p = compile("ilex 1\nprogram p\nsize n, m, l\n"
                                  "in u : i64[n, m, l]\nout o = 2*u\n");
        ilex_storage *u = counting(3, shapes[i]), *o = counting(3, shapes[i]);
        ilex_binding bound[] = {ILEX_BIND("u", u), ILEX_BIND("o", o)};
        run_program(p, bound, 2);
        const char *order = "";
        ck_assert_int_eq(count_variants(p), i == 2);
        ilex_program_variant(p, 0, &order);
        ck_assert_str_eq(order, i == 2 ? "u=201,o=201" : "");
        check_doubled(o, 35);
        ilex_storage_release(u);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- kinds of runs ---- */

START_TEST(prepared)
{
    ilex_program *p = begin("tcc");
    arrays a = lay("KIJ"), b = lay("KIJ");
    ilex_prepared *q = ilex_bind(ctx, p, BOUND(a), 4, NULL);
    ck_assert_ptr_nonnull(q);
    ck_assert_int_eq(count_variants(p), 1);
    ck_assert_int_eq(ilex_prepared_run(q), ILEX_OK);
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "o", ilex_storage_data(b.o)),
                     ILEX_OK);
    ck_assert_int_eq(ilex_prepared_set_pointer(q, "q", ilex_storage_data(b.q)),
                     ILEX_OK);
    ck_assert_int_eq(ilex_prepared_run(q), ILEX_OK);
    ilex_prepared_release(q);
    expect(a);
    expect(b);
    drop(want);
    ilex_program_release(p);
}
END_TEST

/* Memory for the program, which needs none, is too little for the variant. */
START_TEST(workspace)
{
    _Alignas(64) static char memory[64];
    ilex_option_set(ctx, "jit", "tcc");
    ix_layouts_bytes = 0;
    ilex_program *p = compile("ilex 1\nprogram p\nsize n, m\nassume m >= 1\n"
                              "in u : f64[I:n, J:m]\nout o = u - max[J](u)\n");
    ilex_size_binding sizes[] = {{"n", N}, {"m", M}};
    ck_assert_int_eq(ilex_program_workspace(p, sizes, 2, 1), 0);
    for (int i = 0; i < 2; i++) {
        ilex_storage *u = make("IJ", SHAPE(N, M), i ? "JIK" : "IJK", 0),
                     *o = make("IJ", SHAPE(N, M), i ? "JIK" : "IJK", 0);
        ilex_binding bound[] = {ILEX_BIND("u", u), ILEX_BIND("o", o)};
        ilex_call call = {.size = sizeof call, .workspace = memory};
        ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
        ck_assert_int_eq(count_variants(p), i);
        ilex_storage_release(u);
        ilex_storage_release(o);
    }
    const ilex_program *v = ilex_program_variant(p, 0, NULL);
    ck_assert_int_gt(ilex_program_workspace(v, sizes, 2, 1), 0);
    ilex_program_release(p);
}
END_TEST

/* Parts of the outputs; lengths that a run counts. */
START_TEST(boxes)
{
    ilex_option_set(ctx, "box", "1");
    ilex_program *p = begin("tcc");
    ilex_option_set(ctx, "box", "0");
    arrays a = lay("KJI");
    ilex_call call = {.size = sizeof call, .box = "J=0:3"};
    ck_assert_msg(!ilex_run(p, BOUND(a), 4, &call), "%s", call.error);
    call.box = "J=3:100";
    ck_assert_msg(!ilex_run(p, BOUND(a), 4, &call), "%s", call.error);
    ck_assert_int_eq(count_variants(p), 1);
    expect(a);
    drop(want);
    ilex_program_release(p);
}
END_TEST

START_TEST(profile)
{
    ilex_program *p = begin("tcc");
    ilex_program_profile(p, 1);
    for (int i = 0; i < 2; i++) {
        arrays a = lay("KJI");
        run_program(p, BOUND(a), 4);
        expect(a);
        ilex_kernel_time t = ILEX_KERNEL_TIME();
        ck_assert_int_eq(
            ilex_program_kernel_time(ilex_program_variant(p, 0, NULL), 0, &t),
            ILEX_OK);
        ck_assert_uint_eq(t.calls, 1);
        ilex_program_profile(p, i == 0);
    }
    drop(want);
    ilex_program_release(p);
}
END_TEST

/* ---- threads ---- */

static void
count_parts(void *user, void (*body)(void *arg, int64_t i), void *arg,
            int64_t n)
{
    *(int64_t *)user = n;
    while (n-- > 0)
        body(arg, n);
}

/* Few rows are divided along another axis. */
START_TEST(few_rows)
{
    static const struct {
        int64_t shape[3];
        const char *order;
        int64_t parts;
    } rows[] = {{{1, 200, 3}, "0=1", 2}, {{3, 200, 1}, "u=201,o=201,0=2", 2},
                {{3, 200, 2}, "0=1", 2}, {{2, 200, 3}, "", 2},
                {{1, 2, 300}, "0=2", 2}, {{3, 15, 13}, "", 2},
                {{1000, 2, 3}, "", 2}};
    ilex_option_set(ctx, "jit", "tcc");
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_program *p = compile("ilex 1\nprogram p\nsize n, m, l\n"
                                  "in u : i64[n, m, l]\nout o = 2*u\n");
        ilex_storage *u = counting(3, rows[i].shape),
                     *o = ilex_storage_zeros(ctx, ILEX_I64, 3, rows[i].shape);
        ilex_binding bound[] = {ILEX_BIND("u", u), ILEX_BIND("o", o)};
        int64_t parts = 1;
        ilex_call call = {.size = sizeof call,
                          .threads = 2,
                          .parallel_for = count_parts,
                          .user = &parts};
        const char *order = "";
        ix_layouts_bytes = 4096;
        ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
        ilex_program_variant(p, 0, &order);
        ck_assert_str_eq(order, rows[i].order);
        ck_assert_int_eq(parts, rows[i].parts);
        check_doubled(o, ilex_storage_count(u));
        ilex_storage_release(u);
        ilex_storage_release(o);
        ilex_program_release(p);
    }
}
END_TEST

typedef struct runner {
    const ilex_program *p;
    arrays a[MAPS];
    int first;
    ilex_status rc;
} runner;

static void *
run_all(void *arg)
{
    runner *r = arg;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < MAPS; i++) {
            arrays a = r->a[(r->first + i) % MAPS];
            ilex_status rc = ilex_run(r->p, BOUND(a), 4, NULL);
            r->rc = r->rc ? r->rc : rc;
        }
    return NULL;
}

START_TEST(threads)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    runner r[THREADS];
    ilex_option_set(ctx, "threads", "1");
    ilex_program *p = begin("auto");
    for (int t = 0; t < THREADS; t++) {
        r[t] = (runner){.p = p, .first = t};
        for (int i = 0; i < MAPS; i++)
            r[t].a[i] = lay(maps[i]);
    }
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, run_all, &r[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        ck_assert_int_eq(r[t].rc, ILEX_OK);
        for (int i = 0; i < MAPS; i++)
            expect(r[t].a[i]);
    }
    ck_assert_int_le(count_variants(p), 3);
    drop(want);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("layouts", orders, of_calls, none, ones, prepared,
                     workspace, boxes, profile, few_rows, threads);
}
