/* SPDX-License-Identifier: MIT
 *
 * Grids of kernels on a device: how many blocks of how many threads, by how
 * many points there are along axes.
 */
#include "runtime/program/program.h"
#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* A map of "shape", or what stands there instead; the grid of its kernel. */
static const struct row {
    int rank;
    int64_t shape[4];
    unsigned threads[3], blocks[3];
    const char *text;
} rows[] = {
    {1, {1}, {1, 1, 1}, {1, 1, 1}, NULL},
    {1, {3}, {4, 1, 1}, {1, 1, 1}, NULL},
    {1, {1000}, {128, 1, 1}, {8, 1, 1}, NULL},
    /* blocks along x, then y; a block is a row where that is long */
    {2, {1000, 70}, {32, 4, 1}, {3, 250, 1}, NULL},
    {2, {70, 1000}, {32, 4, 1}, {32, 18, 1}, NULL},
    {2, {1, 1000}, {128, 1, 1}, {8, 1, 1}, NULL},
    {2, {5, 3}, {4, 8, 1}, {1, 1, 1}, NULL},
    {2, {500, 3}, {4, 32, 1}, {1, 16, 1}, NULL},
    {3, {10, 20, 30}, {32, 4, 1}, {1, 5, 10}, NULL},
    {3, {70, 2, 2}, {2, 2, 32}, {1, 1, 3}, NULL},
    /* outer axes are one */
    {4, {2, 3, 4, 5}, {8, 4, 4}, {1, 1, 2}, NULL},
    /* several points a thread where there is work for all */
    {1, {2200000}, {128, 1, 1}, {8594, 1, 1}, NULL},
    {1, {4400000}, {128, 1, 1}, {8594, 1, 1}, NULL},
    {2, {70000, 100}, {32, 4, 1}, {1, 17500, 1}, NULL},
    {2, {300000, 2}, {2, 64, 1}, {1, 4688, 1}, NULL},
    /* chunks of levels, one thread alone */
    {1,
     {10000},
     {4, 1, 1},
     {1, 1, 1},
     "map x[i:10000] = f64(i % 7)\nout y = cumsum(x)\n"},
    {0, {0}, {1, 1, 1}, {1, 1, 1}, "map x[i:3] = f64(i)\nout y = sum(x)\n"},
    /* groups of 16 for reductions in lanes */
    {0,
     {0},
     {16, 1, 1},
     {1, 1, 1},
     "map x[i:300] = f64(i % 7)\nout y = sum(x)\n"},
    {1,
     {50},
     {16, 8, 1},
     {1, 7, 1},
     "map x[i:50, j:70] = f64((i + j) % 7)\nout y = sum[1](x)\n"},
    {1,
     {3},
     {16, 4, 1},
     {1, 1, 1},
     "map x[i:3, j:70] = f64((i + j) % 7)\nout y = max[1](x)\n"},
    {2,
     {3, 100},
     {16, 8, 1},
     {1, 13, 3},
     "map x[i:3, j:100, k:70] = f64((i + j + k) % 7)\nout y = sum[2](x)\n"},
    /* outer axes are one, along z */
    {3,
     {2, 3, 100},
     {16, 8, 1},
     {1, 13, 6},
     "map x[h:2, i:3, j:100, k:70] = f64((h + i + j + k) % 7)\n"
     "out y = sum[3](x)\n"},
    /* so are those of integers and truth values, as no order changes them */
    {1,
     {50},
     {16, 8, 1},
     {1, 7, 1},
     "map x[i:50, j:70] = (i + j) % 7\nout y = f64(sum[1](x))\n"},
    {1,
     {50},
     {16, 8, 1},
     {1, 7, 1},
     "map x[i:50, j:70] = (i + j) % 7 > 5\nout y = f64(all[1](x))\n"},
    /* columns have a thread each */
    {1,
     {70},
     {128, 1, 1},
     {1, 1, 1},
     "map x[i:50, j:70] = f64((i + j) % 7)\nout y = sum[0](x)\n"},
};

static void
write_text(const struct row *r, char *text, size_t size)
{
    int n = snprintf(text, size, "ilex 1\nprogram grids\n");
    if (r->text) {
        snprintf(text + n, size - (size_t)n, "%s", r->text);
        return;
    }
    n += snprintf(text + n, size - (size_t)n, "map x[");
    for (int k = 0; k < r->rank; k++)
        n += snprintf(text + n, size - (size_t)n, "%s_%d:%lld", k ? ", " : "",
                      k, (long long)r->shape[k]);
    snprintf(text + n, size - (size_t)n, "] = 2.0*f64(_0)\nout y = x\n");
}

START_TEST(grids)
{
    const struct row *r = &rows[_i];
    char text[400];
    write_text(r, text, sizeof text);
    ilex_module *m = parse(text);
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s: %s", text, ilex_error_text(ctx));
    ilex_storage *y = ilex_storage_zeros(ctx, ILEX_F64, r->rank, r->shape);
    run_program(p, &(ilex_binding)ILEX_BIND("y", y), 1);
    const ix_grid *g = cuda_shim_grid_asked();
    for (int d = 0; d < 3; d++)
        ck_assert_msg(g->threads[d] == r->threads[d] &&
                          g->blocks[d] == r->blocks[d],
                      "%s: %u threads in %u blocks along %c", text,
                      g->threads[d], g->blocks[d], "xyz"[d]);
    ilex_storage_release(y);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* Nests with loops along x, and along x and y, in one kernel: each point is one
 * thread's. */
START_TEST(uneven)
{
    ck_assert_int_eq(ilex_option_set(ctx, "schedule",
                                     "kernel k0:\n    peel i0 2\n"
                                     "    grid i0#0\n"),
                     ILEX_OK);
    ilex_module *m = parse("ilex 1\nprogram uneven\n"
                           "map x[i:5, j:7] = 10.0*f64(i) + f64(j)\n"
                           "out y = x\n");
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert(strstr(cuda_shim_source(p), "< 1; ") != NULL);
    for (int grid = 0; grid < 3; grid++) {
        ilex_storage *y =
            ilex_storage_zeros(ctx, ILEX_F64, 2, (const int64_t[]){5, 7});
        run_program(p, &(ilex_binding)ILEX_BIND("y", y), 1);
        const double *v = ilex_storage_const_data(y);
        for (int i = 0; i < 35; i++)
            ck_assert(v[i] == 10.0 * (i / 7) + i % 7);
        ilex_storage_release(y);
    }
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* Parts of a sum, 128 at a time, then those: the bits of the reference. */
static const int64_t lengths[] = {1,          4096 * 128,      4096 * 128 + 1,
                                  4096 * 129, 4096 * 300 + 77, 4096 * 255 + 1};

START_TEST(many_parts)
{
    int64_t n = lengths[_i];
    double got[2][2];
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 1, &n);
    ck_assert_msg(x != NULL, "%s", ilex_error_text(ctx));
    double *v = ilex_storage_data(x);
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        v[i] = (double)(int64_t)state / 1e17;
    }
    ilex_module *m = parse("ilex 1\nprogram parts\nsize n\nassume n >= 1\n"
                           "in x : f64[n]\nout s = sum(x)\nout t = max(x)\n");
    for (int device = 0; device < 2; device++) {
        ilex_program *p =
            device ? cuda_shim_compile(m, NULL) : ilex_compile_module(m);
        ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
        ck_assert(!device || p->c->nkernels == 6);
        ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F64, 0, NULL);
        ilex_storage *t = ilex_storage_zeros(ctx, ILEX_F64, 0, NULL);
        run_program(p,
                    (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("s", s),
                                     ILEX_BIND("t", t)},
                    3);
        got[device][0] = *(const double *)ilex_storage_const_data(s);
        got[device][1] = *(const double *)ilex_storage_const_data(t);
        ilex_storage_release(s);
        ilex_storage_release(t);
        ilex_program_release(p);
    }
    ck_assert(memcmp(got[0], got[1], sizeof got[0]) == 0);
    ilex_storage_release(x);
    ilex_module_free(m);
}
END_TEST

/* Products of [p, n, k] and [p, k, m] in tiles of 4 rows and 128 columns, of
 * which a thread has 4 by 4: the bits of the reference. */
static const struct tile {
    int64_t p, n, m, k;
    unsigned blocks[3];
} tiles[] = {
    {1, 62, 200, 40, {1, 4, 2}}, {1, 64, 256, 3, {1, 4, 2}},
    {3, 5, 129, 7, {1, 1, 3}},   {1, 1, 1, 1, {1, 1, 1}},
    {2, 9, 33, 0, {1, 1, 2}},    {1, 13, 140, 4096, {1, 1, 2}},
    {1, 5, 2, 4097, {1, 1, 1}},
};
static const struct {
    const char *name;
    ilex_dtype dtype, result;
} factors[] = {{"f64", ILEX_F64, ILEX_F64},
               {"f32", ILEX_F32, ILEX_F32},
               {"c128", ILEX_C128, ILEX_C128},
               {"i32", ILEX_I32, ILEX_I32}};

static ilex_storage *
factor(ilex_dtype dtype, int64_t x, int64_t y, int64_t z)
{
    ilex_storage *s =
        ilex_storage_zeros(ctx, dtype, 3, (const int64_t[]){x, y, z});
    size_t bytes = ilex_dtype_bytes(ix_dtype_part(dtype));
    size_t n = (size_t)(x * y * z) * ilex_dtype_bytes(dtype) / bytes;
    char *at = ilex_storage_data(s);
    for (size_t i = 0; i < n; i++, at += bytes) {
        double v = (double)(i * 2654435761u % 1000) / 7 - 70;
        float f = (float)v;
        int32_t whole = (int32_t)v;
        memcpy(at,
               dtype == ILEX_I32   ? (void *)&whole
               : bytes == sizeof f ? (void *)&f
                                   : (void *)&v,
               bytes);
    }
    return s;
}

START_TEST(tile)
{
    const struct tile *t = &tiles[_i % (int)IX_COUNT(tiles)];
    const int of = _i / (int)IX_COUNT(tiles);
    const char *name = factors[of].name;
    const ilex_dtype dtype = factors[of].dtype, result = factors[of].result;
    char text[300];
    snprintf(text, sizeof text,
             "ilex 1\nprogram tile\nsize p, n, m, k\nin a : %s[p, n, k]\n"
             "in b : %s[p, k, m]\n"
             "einsum c[q, i, j] = a[q, i, r]*b[q, r, j]\nout y = c\n",
             name, name);
    ilex_module *m = parse(text);
    ilex_storage *a = factor(dtype, t->p, t->n, t->k),
                 *b = factor(dtype, t->p, t->k, t->m), *y[2];
    for (int device = 0; device < 2; device++) {
        ilex_program *p =
            device ? cuda_shim_compile(m, NULL) : ilex_compile_module(m);
        ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
        y[device] = ilex_storage_zeros(ctx, result, 3,
                                       (const int64_t[]){t->p, t->n, t->m});
        run_program(p,
                    (ilex_binding[]){ILEX_BIND("a", a), ILEX_BIND("b", b),
                                     ILEX_BIND("y", y[device])},
                    3);
        ilex_program_release(p);
    }
    ck_assert(!memcmp(ilex_storage_const_data(y[0]),
                      ilex_storage_const_data(y[1]),
                      (size_t)(t->p * t->n * t->m) * ilex_dtype_bytes(result)));
    const ix_grid *g = cuda_shim_grid_asked();
    for (int d = 0; d < 3 && t->n > 1 && t->k <= 4096 && dtype != ILEX_I32; d++)
        ck_assert_msg(g->blocks[d] == t->blocks[d], "%lld: %u blocks along %c",
                      (long long)t->n, g->blocks[d], "xyz"[d]);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_storage_release(y[0]);
    ilex_storage_release(y[1]);
    ilex_module_free(m);
}
END_TEST

/* Which of several wrong indices is told of: the first one in the order of all
 * points, whichever thread meets one first. */
static const struct failing {
    int rank, results;
    const char *text;
} failing[] = {
    {1, 1, "in p : i64[5]\nmap y[a:5] = x[p[a]]\n"},
    {2, 2, "in p : i64[5, 7]\nmap y[a:5, b:7] = x[p[a, b]]\n"},
    {3, 3, "in p : i64[5, 7, 3]\nmap y[a:5, b:7, c:3] = x[p[a, b, c]]\n"},
    {4, 4,
     "in p : i64[5, 7, 3, 2]\nmap y[a:5, b:7, c:3, d:2] = x[p[a, b, c, d]]\n"},
    /* rows are checked once */
    {2, 3, "in p : i64[5, 7]\nmap y[a:5, b:7, c:3] = x[p[a, b]]*f64(c)\n"},
    {2, 3,
     "in p : i64[5, 7]\n"
     "map y[a:5, b:7, c:3] = x[p[a, b]] + x[p[c, c + b%3]]\n"},
};

/* Why a run fails. */
static void
why_it_fails(const ilex_program *p, ilex_binding *b, char *text, size_t size)
{
    ilex_call call = {.size = sizeof call};
    ck_assert(ilex_run(p, b, 3, &call) != ILEX_OK);
    snprintf(text, size, "%s", call.error);
}

START_TEST(first_failure)
{
    const struct failing *f = &failing[_i];
    const int64_t shape[] = {5, 7, 3, 2}, nine = 9;
    char text[300], expected[1024], got[1024];
    snprintf(text, sizeof text,
             "ilex 1\nprogram failing\nin x : f64[9]\n%sout z = y\n", f->text);
    ilex_module *m = parse(text);
    ilex_storage *p = ilex_storage_zeros(ctx, ILEX_I64, f->rank, shape),
                 *x = ilex_storage_zeros(ctx, ILEX_F64, 1, &nine),
                 *z = ilex_storage_zeros(ctx, ILEX_F64, f->results, shape);
    ilex_program *own = ilex_compile_module(m),
                 *device = cuda_shim_compile(m, NULL);
    ck_assert_msg(own && device, "%s", ilex_error_text(ctx));
    ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("p", p),
                        ILEX_BIND("z", z)};
    int64_t *at = ilex_storage_data(p), n = ilex_storage_count(p);
    for (int64_t i = 0; i < 40; i++) {
        memset(at, 0, (size_t)n * sizeof *at);
        at[i * 7919 % n] = 9 + i;
        at[(i * 104729 + 3) % n] = 100 + i;
        why_it_fails(own, b, expected, sizeof expected);
        cuda_shim_backwards((int)(i % 2));
        why_it_fails(device, b, got, sizeof got);
        ck_assert_str_eq(got, expected);
    }
    cuda_shim_backwards(0);
    ilex_program_release(own);
    ilex_program_release(device);
    ilex_storage_release(p);
    ilex_storage_release(x);
    ilex_storage_release(z);
    ilex_module_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("grid");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, grids, 0, (int)IX_COUNT(rows));
    tcase_add_test(tests, uneven);
    tcase_add_loop_test(tests, tile, 0,
                        (int)(IX_COUNT(tiles) * IX_COUNT(factors)));
    tcase_add_loop_test(tests, first_failure, 0, (int)IX_COUNT(failing));
    tcase_add_loop_test(tests, many_parts, 0, (int)IX_COUNT(lengths));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
