/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out: the n-th request of the user's allocator fails, once
 * or from then on, for every n, while programs are built, parsed, printed,
 * compiled and run. Each time the answer is ILEX_E_MEMORY, nothing leaks, and
 * after a failure that passes the same context does the same work.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ilex/elementwise.h"
#include "ilex/function.h"
#include "ilex/program.h"
#include "lib/graph/context.h"
#include "runtime/jit/jit.h"
#include "tests/suite.h"

/* ---- an allocator that fails when told ---- */

static struct heap {
    long left; /* requests until the one that fails; negative: none fails */
    bool once;
    long refused, live;
} heap;

static bool
refuse(void)
{
    if (heap.left < 0 || heap.left-- > 0)
        return false;
    heap.left = heap.once ? -1 : 0;
    heap.refused++;
    return true;
}

static void *
resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        heap.live -= block != NULL;
        free(block);
        return NULL;
    }
    if (refuse())
        return NULL;
    void *p = realloc(block, bytes);
    heap.live += p && !block;
    return p;
}

/* Does its work with a context; false when something failed. */
typedef bool (*scenario)(ilex_context *ctx);

typedef struct row {
    const char *name;
    scenario body;
    bool boxes; /* isl must not be asked */
    bool slow;  /* not tried again after a failure */
} row;

static ilex_context *
open_context(long left, bool once)
{
    ilex_context_spec spec = {.size = sizeof spec, .allocator = {resize, NULL}};
    heap = (struct heap){.left = left, .once = once};
    ilex_context *ctx = ilex_context_new(&spec);
    ck_assert_msg(ctx || heap.refused, "a context without a reason");
    return ctx;
}

/* One trial; true when nothing was refused any more. */
static bool
try(const row *r, long n, bool once)
{
    scenario body = r->body;
    ilex_context *ctx = open_context(n, once);
    bool ok = ctx && body(ctx) && ilex_error_code(ctx) == ILEX_OK;
    bool last = heap.refused == 0;
    const char *mode = once ? "once" : "from then on";
    if (ctx && last)
        ck_assert_msg(ok, "%s", ilex_error_text(ctx));
    if (ctx && !last) {
        ck_assert_msg(!ok, "request %ld failed (%s), yet all went well", n,
                      mode);
        ck_assert_msg(ilex_error_code(ctx) == ILEX_E_MEMORY,
                      "request %ld failed (%s): %s", n, mode,
                      ilex_error_text(ctx));
    }
    if (ctx && once && !r->slow) {
        ilex_error_clear(ctx);
        heap.left = -1;
        ck_assert_msg(body(ctx), "after request %ld: %s", n,
                      ilex_error_text(ctx));
    }
    ck_assert_msg(!ctx || !r->boxes || !ctx->affine, "a box reached isl");
    ilex_context_free(ctx);
    ck_assert_msg(heap.live == 0, "request %ld failed (%s): %ld blocks leaked",
                  n, mode, heap.live);
    return last;
}

static void
sweep(const row *r)
{
    for (int once = 0; once < 2; once++) {
        long n = 0;
        while (!try(r, n, once))
            n++;
        ck_assert_int_gt(n, 10);
    }
}

/* ---- building by the C API ---- */

static ilex_array *
structural(ilex_context *ctx, ilex_array *a)
{
    ilex_array *b = ilex_reshape(a, "m, 3, 4", "F");
    ilex_array *t = ilex_permute(b, (const int[]){0, 2, 1});
    const char *start[] = {"0", "2", NULL}, *stop[] = {"m", NULL, "1"};
    ilex_array *s = ilex_slice(t, start, stop, (const int64_t[]){1, -1, 2});
    ilex_array *e = ilex_einsum(ctx, "ij,kj->ik", 2, (ilex_array *[]){a, a});
    return ilex_add(ilex_sum(s, "1, 2", 0), ilex_max(e, NULL, 0));
}

static ilex_array *
fields(ilex_context *ctx, ilex_array *u)
{
    ilex_array *lap = ilex_subtract(ilex_shift(u, "I", 1),
                                    ilex_multiply(ilex_lit(ctx, 2.0), u));
    ilex_array *edge =
        ilex_where(ilex_less(ilex_index(ctx, "I"), ilex_lit_int(ctx, 3)), lap,
                   ilex_f64(ctx, 0.5));
    ilex_array *e = ilex_expr(ctx, "u - 0.1*(e[J+1] + mean[I](u))", "u", u, "e",
                              edge, NULL);
    return ilex_restrict(ilex_sqrt(e), "I:ni, J:nj");
}

/* A module with a field and an array, or NULL. */
static ilex_module *
build(ilex_context *ctx)
{
    if (ilex_assume(ctx, "m >= 1 && ni >= 1 && nj >= 4"))
        return NULL;
    ilex_location(ctx, "here", 1, 1);
    ilex_array *u =
        ilex_input(ctx, "u", ILEX_F64, "I:ni, J:nj halo(I:1:2, J:1:1)");
    ilex_array *a = ilex_input(ctx, "a", ILEX_F32, "m, 12");
    ilex_array *w[2], *n = ilex_cast(ilex_size(ctx, "m"), ILEX_F32);
    ilex_array *y = ilex_multiply(
        n, ilex_add(structural(ctx, a),
                    ilex_cast(ilex_arange(ctx, "m", 1, 2), ILEX_F32)));
    ilex_array *z = ilex_full(ctx, "nj-4", ilex_c128(ctx, 1.0, 2.0));
    if (ilex_tag(a, "tile[1](8)") || ilex_tag(y, "a"))
        return NULL;
    if (ilex_foreign(ctx, "f(x : f32[k]) -> f32[k], i8 pure", 1, &y, 2, w))
        return NULL;
    ilex_function_spec g = {.size = sizeof g,
                            .elementwise_cuda = "/* none */",
                            .declaration =
                                "g(x : f32) -> f32 pure elementwise"};
    if (ilex_function_register(ctx, "g", &g))
        return NULL;
    ilex_module *m = ilex_module_new(ctx, "built");
    if (m && ilex_module_output(m, "w", w[1], NULL) == ILEX_OK &&
        ilex_module_output(m, "g", ilex_expr(ctx, "g(y) - g(2)", "y", y, NULL),
                           NULL) == ILEX_OK &&
        ilex_module_output(m, "v", fields(ctx, u), NULL) == ILEX_OK &&
        ilex_module_output(m, "y", y, NULL) == ILEX_OK &&
        ilex_module_output(m, "z", z, NULL) == ILEX_OK)
        return m;
    ilex_module_free(m);
    return NULL;
}

/* Takes a text that must be there. */
static bool
take(ilex_context *ctx, char *text)
{
    ilex_text_free(ctx, text);
    return text != NULL;
}

static bool
build_and_print(ilex_context *ctx)
{
    size_t scope = ilex_scope_begin(ctx);
    ilex_module *m = build(ctx);
    uint8_t hash[16];
    bool ok = m && take(ctx, ilex_module_print(m)) &&
              ilex_module_hash(m, hash) == ILEX_OK;
    ilex_module_free(m);
    ilex_scope_end(ctx, scope, NULL);
    return ok;
}

/* ---- text ---- */

static const char text[] =
    "ilex 1\n"
    "program text  # all kinds of statements\n"
    "size n, m\n"
    "assume n >= 1\n"
    "in u : f64[I:n, J:m] halo(I:1:1)\n"
    "in x : i32[n, 6] @given @tile[1](8, \"a\")\n"
    "const w : f64[s:3] = {0.25, 0.5, 0.25}\n"
    "map c[I=i:n, J=J:m] = sum[s:3](w[s]*u[i+s-1, J]) @up[_r0]\n"
    "let d = where(c > u, c, u*2)\n"
    "map k[i=i:-1:n+1] = where(i < 0, 1, where(i >= n, 2, 3))\n"
    "reshape y[n, 2, 3] = x\n"
    "node p = permute(y; axes=[2, 0, 1])\n"
    "node s = slice(p; start=[1, 0, 0], stop=[3, n, 2], step=[1, 1, 1])\n"
    "einsum e[i, j] = s[i, k, l]*s[j, k, l] acc i64\n"
    "out v : f64[I:n, J:m] = d + sum[J](c) inplace u\n"
    "out r : i32[2, 2] = e\n"
    "out q : i64[i:-1:n+1] = k\n"
    "out z : f64[J:max(0, min(m, 2*n) - 1):min(m, 2*n)] = sum[I](u)\n";

static bool
parse_and_print(ilex_context *ctx)
{
    ilex_module *m = ilex_module_parse(ctx, text, "text.ilx");
    bool ok = m && take(ctx, ilex_module_print(m));
    ilex_module_free(m);
    return ok;
}

static bool
format(ilex_context *ctx)
{
    return take(ctx, ilex_text_fmt(ctx, text, "text.ilx"));
}

/* Source and pictures of a program, and its stages. */
static bool
show(ilex_context *ctx, char *(*make)(ilex_module *m, const char *what),
     const char *what)
{
    ilex_module *m = ilex_module_parse(ctx, text, "text.ilx");
    bool ok = m && take(ctx, make(m, what));
    ilex_module_free(m);
    return ok;
}

static bool
emit_c(ilex_context *ctx)
{
    return show(ctx, ilex_module_emit, "c");
}

static bool
emit_cuda(ilex_context *ctx)
{
    return show(ctx, ilex_module_emit, "cuda");
}

static char *
put_lines(ilex_module *m, const char *dialect)
{
    return ilex_module_emit_lines(m, dialect, NULL);
}

static bool
emit_lines(ilex_context *ctx)
{
    return show(ctx, put_lines, "c");
}

static bool
explain(ilex_context *ctx)
{
    return show(ctx, ilex_module_stage, "explain");
}

static bool
json(ilex_context *ctx)
{
    return show(ctx, ilex_module_stage, "json");
}

static bool
stage(ilex_context *ctx)
{
    return show(ctx, ilex_module_stage, "verify");
}

static char *
draw(ilex_module *m, const char *unused)
{
    (void)unused;
    return ilex_module_dot(m);
}

static bool
dot(ilex_context *ctx)
{
    return show(ctx, draw, "");
}

/* ---- compiling and running ---- */

static const char small[] = "ilex 1\n"
                            "program small\n"
                            "size n\n"
                            "in x : f64[I:n] halo(I:1:1)\n"
                            "let d = sqrt(x[I+1]*x[I+1] + x[I-1])\n"
                            "extern f(x : f64[I:k] halo(I:0:1), s : f64) -> "
                            "f64[I:k], i32 pure\n"
                            "let s = sum[I](x)\n"
                            "let t, unread = f(x, 2)\n"
                            "out y : f64[I:n] = d*d - s + max[I](exp(d)) + t\n";

/* Zeros. */
static int
zeros(const ilex_function_call *call)
{
    const ilex_function_array *y = &call->result[0];
    for (int64_t i = 0; i < y->shape[0]; i++)
        ((double *)y->data)[i * y->stride[0]] = 0;
    *(int32_t *)call->result[1].data = 0;
    return 0;
}

static const char tiny[] = "ilex 1\nprogram tiny\nout y : f64[3] = 1.0\n";

static ilex_storage *
field(ilex_context *ctx, int64_t length, int64_t width)
{
    double one = 1.0;
    int64_t halo[2] = {width, width}, shape = length + 2 * width;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 1,
                              .shape = &shape,
                              .axes = "I",
                              .halo = halo,
                              .fill = &one};
    return ilex_storage_new(ctx, &spec);
}

/* Two runs, one of them with threads. The first error of a run is in the call;
 * it is handed to the context, where the trials look for it. */
static bool
run(ilex_context *ctx, const ilex_program *p)
{
    ilex_storage *x = field(ctx, 300, 1), *y = x ? field(ctx, 300, 0) : NULL;
    const ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_call calls[2] = {{.size = sizeof calls[0]},
                          {.size = sizeof calls[1], .threads = 2}};
    bool ok = p && x && y;
    for (int i = 0; ok && i < 2; i++) {
        ilex_status rc = ilex_run(p, bound, 2, &calls[i]);
        ok = rc == ILEX_OK;
        if (!ok)
            ix_fail(&ctx->error, rc, "%s", calls[i].error);
    }
    double v = 0.0;
    if (ok)
        ok = ilex_storage_get_f64(y, (const int64_t[]){150}, &v) == ILEX_OK &&
             v > 2.0 - 302.0 + 4.1 && v < 2.0 - 300.0 + 4.2;
    ilex_storage_release(x);
    ilex_storage_release(y);
    return ok;
}

static bool
compile_and_run(ilex_context *ctx, const char *jit, const char *source)
{
    ilex_module *m = NULL;
    ilex_program *p = NULL;
    ilex_function_spec spec = {.size = sizeof spec, .host = zeros};
    if (ilex_option_set(ctx, "jit", jit) == ILEX_OK &&
        ilex_function_register(ctx, "f", &spec) == ILEX_OK)
        m = ilex_module_parse(ctx, source, NULL);
    if (m)
        p = ilex_compile_module(m);
    bool ok = p && (source != small || run(ctx, p));
    ilex_program_release(p);
    ilex_module_free(m);
    return ok;
}

static bool
run_reference(ilex_context *ctx)
{
    return compile_and_run(ctx, "reference", small);
}

static bool
run_tcc(ilex_context *ctx)
{
    return compile_and_run(ctx, "tcc", small);
}

static bool
compile_cc(ilex_context *ctx)
{
    return compile_and_run(ctx, "cc", tiny);
}

/* A disk cache, removed in the end. */
static char caches[] = "/tmp/ilex-alloc-XXXXXX";

static bool
compile_cached(ilex_context *ctx, const char *mode)
{
    return ilex_option_set(ctx, "cache_dir", caches) == ILEX_OK &&
           ilex_option_set(ctx, "cache", mode) == ILEX_OK && compile_cc(ctx);
}

static void
empty_caches(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -f %s/*", caches);
    ck_assert_int_eq(system(command), 0);
}

static bool
store_cc(ilex_context *ctx)
{
    empty_caches();
    return compile_cached(ctx, "rw");
}

static bool
find_cc(ilex_context *ctx)
{
    return compile_cached(ctx, "must_hit");
}

/* Fills the cache for find_cc. */
static void
fill_caches(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ck_assert(ctx && compile_cached(ctx, "rw"));
    ilex_context_free(ctx);
}

static bool
compile_all(ilex_context *ctx)
{
    return compile_and_run(ctx, "reference", text);
}

static const char counting[] = "ilex 1\nprogram counting\nsize n\n"
                               "in x : f64[n]\nout y = compress(x, x > 0)\n"
                               "out k = nonzero(x > 0)\n";

static bool
compile_counting(ilex_context *ctx)
{
    return compile_and_run(ctx, "tcc", counting);
}

/* Wrapped data, outputs by the C API, names, a kept array. */
static bool
compile_data(ilex_context *ctx)
{
    ilex_storage *s = field(ctx, 20, 1);
    if (!s || ilex_option_set(ctx, "jit", "reference"))
        return ilex_storage_release(s), false;
    size_t scope = ilex_scope_begin(ctx);
    ilex_array *x = ilex_keep(ilex_data(ctx, s));
    ilex_array *y = ilex_scope_end(
        ctx, scope,
        ilex_restrict(ilex_add(ilex_shift(x, "I", 1), x), "I:0:20"));
    const char *name = "y";
    ilex_compile_spec spec = {.size = sizeof spec, .names = &name};
    ilex_program *p = ilex_compile(ctx, 1, &y, &spec);
    ilex_drop(x);
    ilex_program_release(p);
    ilex_storage_release(s);
    return p != NULL;
}

/* ---- suites ---- */

static const row rows[] = {
    {"build", build_and_print, true, false},
    {"parse", parse_and_print, true, false},
    {"fmt", format, true, false},
    {"emit c", emit_c, false, false},
    {"emit cuda", emit_cuda, false, false},
    {"emit lines", emit_lines, false, false},
    {"explain", explain, false, false},
    {"json", json, false, false},
    {"stage", stage, false, false},
    {"dot", dot, true, false},
    {"compile", compile_all, false, false},
    {"counting", compile_counting, false, false},
    {"data", compile_data, true, false},
    {"run reference", run_reference, true, false},
    {"run tcc", run_tcc, true, false},
    {"compile cc", compile_cc, true, true},
    {"store cc", store_cc, true, true},
    {"find cc", find_cc, true, false},
};

START_TEST(every_request)
{
    bool tcc = rows[_i].body == run_tcc || rows[_i].body == compile_counting;
    if (tcc && !ix_jit_tcc_available())
        return;
    ck_assert_ptr_nonnull(mkdtemp(caches));
    if (rows[_i].body == find_cc)
        fill_caches();
    sweep(&rows[_i]);
    empty_caches();
    ck_assert_int_eq(rmdir(caches), 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("alloc");
    TCase *tests = tcase_create("sweep");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, every_request, 0, (int)IX_COUNT(rows));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
