/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out anywhere, in isl and GMP too: the n-th request of
 * malloc, calloc or realloc of the whole process fails, once or from then on,
 * for every n, while a program is parsed, proved, compiled and run. Each time
 * the answer is the right one or ILEX_E_MEMORY, and the same context does the
 * same work afterwards. The functions of the C library are replaced here, which
 * isl and GMP see if they are shared libraries.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ilex/program.h"
#include "lib/graph/context.h"
#include "runtime/jit/jit.h"
#include "tests/suite.h"

#if !SANITIZED && defined(__GLIBC__)

struct isl_ctx;

/* ---- memory that is refused when told ---- */

static struct {
    long left; /* requests until the one that fails; negative: none fails */
    bool once, sheltered;
    long asked, refused, contexts;
    void *isl; /* the latest context of isl that was not freed */
} heap = {.left = -1};

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void __libc_free(void *block);

static bool
refuse(void)
{
    heap.asked++;
    if (heap.left < 0 || heap.sheltered || heap.left-- > 0)
        return false;
    heap.left = heap.once ? -1 : 0;
    heap.refused++;
    errno = ENOMEM;
    return true;
}

#pragma GCC visibility push(default) /* the libraries' calls come here */

void *
malloc(size_t bytes)
{
    return refuse() ? NULL : __libc_malloc(bytes);
}

void *
calloc(size_t count, size_t bytes)
{
    return refuse() ? NULL : __libc_calloc(count, bytes);
}

void *
realloc(void *block, size_t bytes)
{
    return refuse() ? NULL : __libc_realloc(block, bytes);
}

void
free(void *block)
{
    heap.isl = block && block == heap.isl ? NULL : heap.isl;
    __libc_free(block);
}

#pragma GCC visibility pop

/* What a probe had a moment ago is there again, as with any malloc. */
struct isl_ctx *isl_ctx_alloc(void);
struct isl_ctx *
isl_ctx_alloc(void)
{
    struct isl_ctx *(*make)(void);
    void *p = dlsym(RTLD_NEXT, "isl_ctx_alloc");
    memcpy(&make, &p, sizeof p);
    heap.sheltered = true;
    struct isl_ctx *made = make();
    heap.sheltered = false;
    heap.isl = made;
    heap.contexts++;
    return made;
}

/* ---- programs ---- */

/* Reads that lin.c cannot show to be inside: isl does. */
static const char right[] =
    "ilex 1\nprogram right\nsize n, m\nassume n >= 1 && m >= 2*n + 3\n"
    "in x : f64[m]\n"
    "map a[n] = x[2*_0] + x[(7*_0 + 3)//4] + x[max(2*_0 - m + n, 0)]\n"
    "map b[n] = where(2*_0 + n < m && _0 % 3 != 1, x[2*_0 + n], 0.5)\n"
    "reshape c[n, 1] = b\n"
    "map d[n] = a[_0] + c[_0, 0] + sum[_r0:n](x[_r0 + _0])\n"
    "out y : f64[n] = d\n";

/* A read that is outside, which isl shows by an example. */
static const char wrong[] =
    "ilex 1\nprogram wrong\nsize n, m\nassume n >= 1 && m >= 2*n\n"
    "in x : f64[m]\n"
    "map a[n] = x[3*_0 - (_0 + n)//2 + m - n]\n"
    "out y : f64[n] = a\n";

enum { N = 5, M = 14, FROM_THEN_ON = 7 /* of requests that begin it, one */ };

static ilex_storage *
line(ilex_context *ctx, int64_t length)
{
    double fill = 0.25;
    ilex_storage_spec spec = {
        .size = sizeof spec, .rank = 1, .shape = &length, .fill = &fill};
    return ilex_storage_new(ctx, &spec);
}

/* A run's error is handed to the context, where it is looked for. */
static bool
run(ilex_context *ctx, const ilex_program *p, double *sum)
{
    ilex_storage *x = line(ctx, M), *y = x ? line(ctx, N) : NULL;
    const ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_call call = {.size = sizeof call};
    bool ok = x && y;
    if (ok) {
        ilex_status rc = ilex_run(p, bound, 2, &call);
        ok = rc == ILEX_OK;
        if (!ok)
            ix_fail(&ctx->error, rc, "%s", call.error);
    }
    *sum = 0.0;
    for (int64_t i = 0; ok && i < N; i++) {
        double v = 0.0;
        ok = ilex_storage_get_f64(y, &i, &v) == ILEX_OK;
        *sum += v;
    }
    ilex_storage_release(x);
    ilex_storage_release(y);
    return ok;
}

typedef struct row {
    const char *name, *text, *jit;
    const char *error; /* that it has; NULL: none */
} row;

static const row rows[] = {
    {"reference", right, "reference", NULL},
    {"tcc", right, "tcc", NULL},
    {"error", wrong, "reference", "reads x at"},
};

/* Does the row's work; false when something failed. */
static bool
work(ilex_context *ctx, const row *r, double *sum)
{
    ilex_module *m = NULL;
    ilex_program *p = NULL;
    if (ilex_option_set(ctx, "jit", r->jit) == ILEX_OK)
        m = ilex_module_parse(ctx, r->text, "text.ilx");
    if (m)
        p = ilex_compile_module(m);
    bool ok = p && run(ctx, p, sum);
    ilex_program_release(p);
    ilex_module_free(m);
    return ok;
}

/* Did the work end as it should? */
static void
check(ilex_context *ctx, const row *r, bool ok, double sum, double want)
{
    if (r->error)
        ck_assert_msg(!ok && strstr(ilex_error_text(ctx), r->error), "%s",
                      ilex_error_text(ctx));
    else
        ck_assert_msg(ok && sum == want, "%g, not %g: %s", sum, want,
                      ilex_error_text(ctx));
}

/* One trial; true when nothing was refused any more. */
static bool
try(const row *r, long n, bool once, double want, size_t *leaked)
{
    double sum = 0.0;
    heap.once = once;
    heap.refused = 0;
    heap.left = n;
    ilex_context *ctx = ilex_context_new(NULL);
    bool ok = ctx && work(ctx, r, &sum);
    heap.left = -1;
    bool last = heap.refused == 0;
    ck_assert_msg(ctx || !last, "a context without a reason");
    if (ctx && (ok || ilex_error_code(ctx) != ILEX_E_MEMORY))
        check(ctx, r, ok, sum, want);
    if (ctx) {
        ilex_error_clear(ctx);
        ok = work(ctx, r, &sum);
        check(ctx, r, ok, sum, want);
        *leaked += ilex_context_leaked(ctx);
    }
    ilex_context_free(ctx);
    return last;
}

static bool
is_absent(const row *r)
{
    return !strcmp(r->jit, "tcc") && !ix_jit_tcc_available();
}

START_TEST(every_request)
{
    const row *r = &rows[_i / 2];
    double want = 0.0;
    long n = 0;
    size_t leaked = 0;
    if (is_absent(r))
        return;
    ilex_context *ctx = ilex_context_new(NULL);
    bool ok = work(ctx, r, &want);
    check(ctx, r, ok, want, want);
    ck_assert_msg(heap.contexts > 0, "isl was not asked");
    ilex_context_free(ctx);
    bool once = _i % 2;
    while (!try(r, n, once, want, &leaked))
        n += once ? 1 : FROM_THEN_ON;
    printf("%s: %ld requests, %zu contexts of isl lost\n", r->name, n, leaked);
    ck_assert_int_gt(n, 1000);
    ck_assert_msg(once ? leaked == 0 : leaked > 0, "%zu lost", leaked);
}
END_TEST

/* isl frees a context only if no object of it is left. */
START_TEST(nothing_is_left)
{
    double sum;
    const row *r = &rows[_i];
    if (is_absent(r))
        return;
    ilex_context *ctx = ilex_context_new(NULL);
    work(ctx, r, &sum);
    ck_assert_ptr_nonnull(heap.isl);
    ilex_context_free(ctx);
    ck_assert_ptr_null(heap.isl);
}
END_TEST

int
main(void)
{
    int n = (int)(sizeof rows / sizeof *rows);
    Suite *suite = suite_create("alloc_isl");
    TCase *tests = tcase_create("sweep");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, every_request, 0, 2 * n);
    tcase_add_loop_test(tests, nothing_is_left, 0, n);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

#else

int
main(void)
{
    puts("skipped: malloc is a sanitizer's, or not glibc's");
    return 77;
}

#endif
