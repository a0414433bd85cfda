/* SPDX-License-Identifier: MIT
 *
 * Nodes and scopes: consing, counting, scopes, dropping from another thread,
 * and a graph of a million nodes in a row.
 */
#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "lib/graph/node.h"
#include "tests/unit/graph_fixture.h"

/* ---- consing ---- */

START_TEST(one_node_each)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ck_assert_ptr_eq(x, ilex_input(ctx, "x", ILEX_F64, "n"));
    ck_assert_ptr_ne(x, ilex_input(ctx, "x", ILEX_F32, "n"));
    ck_assert_ptr_ne(x, ilex_input(ctx, "x", ILEX_F64, "m"));
    ck_assert_ptr_ne(x, ilex_input(ctx, "y", ILEX_F64, "n"));
    ck_assert_ptr_eq(ilex_add(x, x), ilex_add(x, x));
    ck_assert_ptr_ne(ilex_add(x, x), ilex_subtract(x, x));
    ck_assert_ptr_ne(ilex_f64(ctx, 0.0), ilex_f64(ctx, -0.0));
    ck_assert_ptr_eq(ilex_f64(ctx, NAN), ilex_f64(ctx, NAN));
    ck_assert_ptr_ne(ilex_f64(ctx, 1.0), ilex_lit(ctx, 1.0));
    ck_assert_ptr_eq(ilex_sum(x, NULL, 0), ilex_sum(x, "0", 0));
    ck_assert_ptr_eq(ilex_shift(ilex_index(ctx, "I"), "I", 0),
                     ilex_index(ctx, "I"));
}
END_TEST

/* Hashes depend on structure alone: another context gives the same ones. */
START_TEST(stable_hash)
{
    ilex_context *second = ilex_context_new(NULL);
    for (int i = 0; i < 2; i++) /* other numbers for symbols and sizes */
        ilex_size(second, i ? "other" : "more");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_input(second, "x", ILEX_F64, "n");
    ck_assert_ptr_eq(ilex_sqrt(x), ilex_sqrt(x));
    ck_assert_uint_eq(ilex_f64(ctx, 2.5)->hash, ilex_f64(second, 2.5)->hash);
    ck_assert_str_eq(ilex_array_kind(x), ilex_array_kind(y));
    ilex_context_free(second);
}
END_TEST

/* ---- scopes ---- */

static size_t
live(void)
{
    return ctx->nodes.count;
}

START_TEST(scopes)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    size_t outside = live(), outer = ilex_scope_begin(ctx);
    ilex_array *a = ilex_sqrt(ilex_exp(x));
    size_t inner = ilex_scope_begin(ctx);
    ilex_array *b = ilex_sin(a), *c = ilex_cos(b);
    size_t most = live();
    ck_assert_ptr_eq(ilex_scope_end(ctx, inner, b), b);
    ck_assert_uint_lt(live(), most);  /* c is dead */
    ck_assert_ptr_eq(ilex_sin(a), b); /* b is not */
    c = ilex_cos(b);
    ck_assert_uint_eq(live(), most);
    ck_assert_ptr_eq(ilex_scope_end(ctx, outer, c), c);
    ck_assert_uint_eq(live(), most); /* c needs all of them */
    ck_assert_ptr_null(ilex_scope_end(ctx, ilex_scope_begin(ctx), NULL));
    ck_assert_uint_gt(live(), outside);
    check_fine();
}
END_TEST

/* Ending a scope ends those inside it; what is kept outlives all. */
START_TEST(nested)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    size_t before = live(), outer = ilex_scope_begin(ctx);
    ilex_array *y = ilex_keep(ilex_exp(x));
    size_t kept = live();
    ilex_scope_begin(ctx);
    ilex_sin(y);
    ilex_scope_begin(ctx);
    ilex_cos(y);
    ck_assert_uint_gt(live(), kept);
    ck_assert_ptr_null(ilex_scope_end(ctx, outer, NULL));
    ck_assert_uint_eq(live(), kept);
    ck_assert_uint_eq(ctx->nscopes, 0);
    ck_assert_ptr_eq(ilex_exp(x), y); /* held by the context now, too */
    ilex_drop(y);
    ck_assert_uint_eq(live(), kept);
    ck_assert_uint_gt(kept, before);
}
END_TEST

START_TEST(keep_and_drop)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    size_t before = live(), scope = ilex_scope_begin(ctx);
    ilex_array *y = ilex_exp(x);
    ilex_keep(ilex_keep(y));
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_uint_gt(live(), before);
    ilex_drop(y);
    ck_assert_uint_gt(live(), before);
    ilex_drop(y);
    ck_assert_uint_eq(live(), before);
}
END_TEST

/* ---- dropping from other threads ---- */

enum { THREADS = 4, DROPS = 500, SHARED = 8 };

static ilex_array *shared[SHARED];

static void *
drop_all(void *unused)
{
    (void)unused;
    for (int i = 0; i < DROPS; i++)
        ilex_drop_later(shared[i % SHARED]);
    return NULL;
}

START_TEST(drop_later)
{
    pthread_t thread[THREADS];
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_exp(x);
    size_t before = live(), scope = ilex_scope_begin(ctx);
    for (int i = 0; i < SHARED; i++)
        shared[i] = ilex_multiply(x, ilex_f64(ctx, i));
    for (int i = 0; i < THREADS * DROPS; i++)
        ilex_keep(shared[i % DROPS % SHARED]);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_uint_gt(live(), before);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, drop_all, NULL), 0);
    for (int i = 0; i < 100; i++) /* the context goes on meanwhile */
        ilex_scope_end(ctx, ilex_scope_begin(ctx), ilex_sqrt(y));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    ilex_scope_end(ctx, ilex_scope_begin(ctx), NULL);
    for (int i = 0; i < SHARED; i++)
        shared[i] = NULL;
    ilex_scope_end(ctx, ilex_scope_begin(ctx), NULL);
    size_t hundred = live(); /* the square root is the context's now */
    ck_assert_ptr_eq(ilex_sqrt(y), ilex_sqrt(y));
    ck_assert_uint_eq(live(), hundred);
    ck_assert_uint_le(hundred, before + 3);
}
END_TEST

/* ---- after the end of the context ---- */

static void *
drop_shared(void *unused)
{
    (void)unused;
    for (int i = 0; i < SHARED; i++)
        ilex_drop_later(shared[i]);
    return NULL;
}

/* A collector of garbage gives arrays and programs back when it likes, from
 * its own thread, while the context ends and afterwards. */
START_TEST(dropped_after_the_context)
{
    for (int round = 0; round < 50; round++) {
        pthread_t thread;
        ilex_context *own = ilex_context_new(NULL);
        ilex_module *m = ilex_module_parse(
            own, "program p\nin x : f64[n]\nlet t = x+1\nout y = t*t\n", "p");
        ilex_array *x = ilex_keep(ilex_input(own, "x", ILEX_F64, "n"));
        ilex_array *poison = ilex_keep(ilex_add(x, NULL));
        for (int i = 0; i < SHARED; i++)
            shared[i] = ilex_keep(ilex_multiply(x, ilex_f64(own, i)));
        ilex_keep(x);
        ck_assert_int_eq(pthread_create(&thread, NULL, drop_shared, NULL), 0);
        ilex_context_free(own);
        ilex_drop(x);
        ilex_drop(poison);
        ilex_module_free(m);
        pthread_join(thread, NULL);
        ilex_drop_later(x);
    }
}
END_TEST

/* Only what was kept can be dropped: a count too few ends others' arrays. */
START_TEST(dropped_too_often)
{
    ilex_array *x = ilex_keep(ilex_input(ctx, "x", ILEX_F64, "n"));
    ilex_drop(x);
    check_fine();
    ilex_drop(x);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ilex_drop_later(x);
    ilex_exp(x);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_ARGUMENT);
    ck_assert(strstr(ilex_error_text(ctx), "ilex_keep"));
    ilex_drop(ctx->poison);
}
END_TEST

/* ---- long chains ---- */

static ilex_array *
chain_in(ilex_context *c, int64_t length)
{
    ilex_array *one = ilex_f64(c, 1.0);
    ilex_array *x = ilex_input(c, "x", ILEX_F64, "I:2");
    for (int64_t i = 0; i < length; i++)
        x = ilex_add(x, one);
    return x;
}

static ilex_array *
chain(int64_t length)
{
    return chain_in(ctx, length);
}

static void
run_chain(const ilex_program *p, double length)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 1,
                              .shape = SHAPE(2),
                              .axes = "I",
                              .fill = &(double){0.5}};
    ilex_storage *x = ilex_storage_new(ctx, &spec);
    ilex_storage *y = ilex_storage_new(ctx, &spec);
    double v = 0.0;
    run_program(
        p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("_ilex_out0", y)}, 2);
    ck_assert_int_eq(ilex_storage_get_f64(y, SHAPE(1), &v), ILEX_OK);
    ck_assert(v == length + 0.5);
    ilex_storage_release(x);
    ilex_storage_release(y);
}

/* Builds, prints, compiles, runs and frees. The length is a million when
 * ILEX_LONG is set; by default the whole way is a tenth of it. */
START_TEST(long_chain)
{
    int64_t length = getenv("ILEX_LONG") ? 1000000 : 100000;
    ck_assert_int_eq(ilex_option_set(ctx, "verify", "0"), ILEX_OK);
    ilex_array *y = chain(length);
    ilex_module *m = ilex_module_new(ctx, "chain");
    ck_assert_int_eq(ilex_module_output(m, "y", y, NULL), ILEX_OK);
    char *text = ilex_module_print(m);
    ck_assert_msg(text != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_gt(strlen(text), (size_t)length * 6);
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    ilex_program *p = ilex_compile(ctx, 1, &y, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_ge(ilex_program_node_count(p), (size_t)length);
    run_chain(p, (double)length);
    ilex_program_release(p);
}
END_TEST

/* Blocks that know how long they are; the bytes of all, now and at most. */
static size_t bytes_now, bytes_most;

static void *
count_bytes(void *user, void *block, size_t bytes)
{
    max_align_t *old = block ? (max_align_t *)block - 1 : NULL, *fresh = NULL;
    size_t had = 0;
    (void)user;
    if (old)
        memcpy(&had, old, sizeof had);
    if (bytes)
        fresh = realloc(old, sizeof *fresh + bytes);
    else
        free(old);
    bytes_now += bytes - had;
    bytes_most = bytes_now > bytes_most ? bytes_now : bytes_most;
    if (!fresh)
        return NULL;
    memcpy(fresh, &bytes, sizeof bytes);
    return fresh + 1;
}

/* The most memory that compiling a chain takes at once, a kernel for each of
 * its sums. */
static double
memory_of(int64_t length)
{
    ilex_context *c =
        ilex_context_new(&ILEX_CONTEXT_SPEC(.allocator = {count_bytes, NULL}));
    ilex_option_set(c, "jit", "reference");
    ilex_option_set(c, "verify", "0");
    ilex_array *y = chain_in(c, length);
    bytes_most = bytes_now;
    ilex_program *p = ilex_compile(c, 1, &y, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(c));
    ilex_program_release(p);
    ilex_context_free(c);
    ck_assert_uint_eq(bytes_now, 0);
    return (double)bytes_most;
}

/* Four times as many kernels take about four times the memory, not sixteen. */
START_TEST(memory_of_kernels)
{
    ck_assert_double_lt(memory_of(16000), 6 * memory_of(4000));
}
END_TEST

/* A million nodes die at once, without recursion. */
START_TEST(long_death)
{
    size_t before = live(), scope = ilex_scope_begin(ctx);
    ck_assert(!ilex_is_poison(chain(1000000)));
    ck_assert_uint_gt(live(), before + 1000000);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_uint_eq(live(), before);
}
END_TEST

/* The same chain under a compiler that fuses, cut where bodies get long. */
START_TEST(long_chain_fused)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "tcc"), ILEX_OK);
    ilex_array *y = chain(5000);
    ilex_program *p = ilex_compile(ctx, 1, &y, NULL);
    if (!p && ilex_error_code(ctx) == ILEX_E_UNSUPPORTED)
        return;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_lt(ilex_program_kernel_count(p), 20);
    run_chain(p, 5000.0);
    ilex_program_release(p);
}
END_TEST

/* Without arrays in between the depth of a body is limited. */
START_TEST(deep_scalar)
{
    ilex_array *x = ilex_f64(ctx, 1.0);
    for (int i = 0; i < 100000 && !ilex_is_poison(x); i++)
        x = ilex_sin(x);
    ck_assert(ilex_is_poison(x));
    ck_assert_int_eq(take_error(), ILEX_E_LIMIT);
}
END_TEST

/* A forgotten size would lose the allocator and the log without a word. */
START_TEST(spec_without_size)
{
    ilex_context *c = ilex_context_new(&(ilex_context_spec){.log_user = ctx});
    ck_assert_int_eq(ilex_error_code(c), ILEX_E_ARGUMENT);
    ck_assert(strstr(ilex_error_text(c), "sizeof(ilex_context_spec)"));
    ilex_context_free(c);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("node", one_node_each, stable_hash, scopes, nested,
                     keep_and_drop, drop_later, dropped_after_the_context,
                     dropped_too_often, long_chain, memory_of_kernels,
                     long_death, long_chain_fused, deep_scalar,
                     spec_without_size);
}
