/* SPDX-License-Identifier: MIT
 *
 * What is noted of arrays: the places that make them, which errors found later
 * name, and the user's data.
 */
#include <pthread.h>

#include "lib/graph/annotation.h"
#include "tests/unit/graph_fixture.h"

/* ---- places ---- */

static const char *
places(const ilex_array *x)
{
    static char text[400];
    ix_text t;
    ck_assert_msg(!ilex_is_poison(x), "%s", ilex_error_text(ctx));
    ix_text_init(&t, &ctx->mem);
    ix_location_print(x, &t);
    snprintf(text, sizeof text, "%s", ix_text_string(&t));
    ix_text_free(&t);
    return text;
}

/* The array whose own read leaves its operand is named by where it is made, not
 * the output that asks for too much. */
START_TEST(found_at_output)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n\nin u : f64[I:n]\nlet t = 2.0*u[I-1]\n"
        "let s = 3.0*u[I-1] + 1.0\nlet r = t*s\nout v : f64[I:n] = r + u\n";
    ck_assert_ptr_null(ilex_module_parse(ctx, text, "p.ilx"));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx),
               "p.ilx:8:5: error[E401]: v: reads u at I=-1 when I=0"));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx),
               "; it is read at p.ilx:5:13, also made at p.ilx:6:13\n"));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ck_assert_ptr_null(ilex_module_parse(ctx, text, NULL));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx),
                                 "; it is read at line 5, column 13, also"));
}
END_TEST

/* An operand that is no lambda is left by what reads it. */
START_TEST(found_above)
{
    ck_assert_ptr_null(ilex_module_parse(
        ctx,
        "ilex 1\nprogram p\nsize n\nin u : f64[I:n, J:3]\nin w : f64[J:3]\n"
        "einsum e[I] = u[I, J]*w[J]\nlet s = e[I-1]\n"
        "out v : f64[I:n] = s + s[I+1]\n",
        "p.ilx"));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "v: reads e at I=-1 when I=-1"));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "; it is read at p.ilx:7:9\n"));
}
END_TEST

START_TEST(found_from_c)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_location(ctx, "dsl.py", 12, 0);
    ilex_array *t = ilex_shift(u, "I", -1);
    ilex_location(ctx, "dsl.py", 30, 4);
    ck_assert(ilex_is_poison(ilex_restrict(ilex_add(t, u), "I:n")));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "; it is read at dsl.py:12"));
    ck_assert_int_eq(ilex_error_query(ctx).line, 30);
    ilex_error_clear(ctx);
    /* the place of the error says it all */
    ilex_location(ctx, "dsl.py", 12, 0);
    ck_assert(ilex_is_poison(ilex_restrict(t, "I:n")));
    ck_assert_ptr_null(strstr(ilex_error_text(ctx), "read at"));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
}
END_TEST

/* Different ones, in order of creation, eight at most. */
START_TEST(eight)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y = NULL;
    ck_assert_int_eq(ix_location_count(x), 0);
    for (int i = 0; i < 30; i++) {
        ilex_location(ctx, i % 2 ? "b" : "a", 1 + i % 12, 3);
        y = ilex_sin(x);
    }
    ilex_location(ctx, NULL, 0, 0);
    ck_assert_ptr_eq(ilex_sin(x), y);
    ck_assert_int_eq(ix_location_count(y), IX_LOCATIONS);
    ck_assert_str_eq(places(y), "a:1:3, also made at b:2:3, a:3:3, b:4:3, "
                                "a:5:3, b:6:3, a:7:3 and b:8:3");
    ck_assert_str_eq(places(x), "");
}
END_TEST

/* They die with the array. */
START_TEST(released)
{
    size_t scope = ilex_scope_begin(ctx);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        ilex_location(ctx, "a", i + 1, 1);
        ilex_array *x = ilex_input(ctx, name, ILEX_F64, "n");
        ilex_location(ctx, "b", i + 1, 1);
        ck_assert_ptr_eq(ilex_input(ctx, name, ILEX_F64, "n"), x);
    }
    ck_assert_uint_eq(ctx->annotations.count, 100);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_uint_eq(ctx->annotations.count, 0);
}
END_TEST

/* A program's arrays have the words of its text, with their lengths; those of
 * an argument the place of the call; printing and compiling note nothing. */
START_TEST(texts)
{
    ilex_module *m =
        ilex_module_parse(ctx,
                          "ilex 1\nprogram p\nsize n\nin first : f64[n]\n"
                          "let t = first + exp(first)\nout o = sum[0](t)\n",
                          "q.ilx");
    ilex_array *t = ilex_module_array(m, "t");
    ck_assert_str_eq(places(m->input[0]), "q.ilx:4:4");
    ck_assert_int_eq(ix_location_get(m->input[0], 0).length, 5);
    ck_assert_str_eq(places(t), "q.ilx:5:15");
    size_t noted = ctx->annotations.count;
    ilex_location(ctx, "c", 7, 0);
    ilex_text_free(ctx, ilex_module_print(m));
    ilex_program_release(ilex_compile_module(m));
    ck_assert_uint_eq(ctx->annotations.count, noted);
    ck_assert_str_eq(places(t), "q.ilx:5:15");
    ilex_array *e = ilex_expr(ctx, "cos(t)", "t", t, NULL);
    ck_assert_int_eq(ix_location_count(e), 1);
    ck_assert_str_eq(places(e), ""); /* it is where we are */
    ilex_location(ctx, NULL, 0, 0);
    ck_assert_str_eq(places(e), "c:7");
    ck_assert_int_eq(ix_location_count(ilex_expr(ctx, "tan(t)", "t", t, NULL)),
                     0);
    ilex_module_free(m);
}
END_TEST

/* ---- the user's data ---- */

enum { VALUES = 8 };
static int destroyed[VALUES];

static void
destroy(void *value)
{
    ++*(int *)value;
}

static int
total(void)
{
    int sum = 0;
    for (int i = 0; i < VALUES; i++)
        sum += destroyed[i];
    return sum;
}

START_TEST(set_and_get)
{
    memset(destroyed, 0, sizeof destroyed);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    char key[] = "key";
    uint8_t before[16], after[16];
    ilex_hash(x, before);
    ck_assert_ptr_null(ilex_user_get(x, "key"));
    ck_assert_int_eq(ilex_user_set(x, key, &destroyed[0], destroy), ILEX_OK);
    ck_assert_int_eq(ilex_user_set(x, "other", &destroyed[1], destroy), 0);
    key[0] = 'K'; /* compared as text, which is copied */
    ck_assert_ptr_null(ilex_user_get(x, key));
    ck_assert_ptr_eq(ilex_user_get(x, "key"), &destroyed[0]);
    ck_assert_ptr_eq(ilex_user_get(x, "other"), &destroyed[1]);
    ck_assert_int_eq(ilex_user_set(x, "key", &destroyed[2], NULL), ILEX_OK);
    ck_assert_int_eq(destroyed[0], 1);
    ck_assert_ptr_eq(ilex_user_get(x, "key"), &destroyed[2]);
    ck_assert_ptr_eq(ilex_user_get(x, "other"), &destroyed[1]);
    ck_assert_ptr_eq(ilex_input(ctx, "x", ILEX_F64, "n"), x);
    ck_assert_ptr_null(ilex_user_get(ilex_sin(x), "key"));
    ilex_hash(x, after);
    ck_assert_mem_eq(before, after, sizeof before);
    ck_assert_int_eq(ilex_user_set(x, "other", NULL, NULL), ILEX_OK);
    ck_assert_ptr_null(ilex_user_get(x, "other"));
    ck_assert_int_eq(total(), 2);
    ck_assert_int_eq(ilex_user_set(NULL, "a", x, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_user_set(x, NULL, x, NULL), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_user_get(x, NULL));
    ck_assert_ptr_null(ilex_user_get(NULL, "a"));
}
END_TEST

static void
drop(void *array)
{
    ilex_drop(array);
}

/* Data go with their array, and may hold others. */
START_TEST(deaths)
{
    memset(destroyed, 0, sizeof destroyed);
    size_t scope = ilex_scope_begin(ctx);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *other = ilex_keep(ilex_input(ctx, "other", ILEX_F64, "n"));
    ilex_user_set(other, "count", &destroyed[0], destroy);
    ilex_user_set(x, "other", other, drop);
    ilex_user_set(x, "count", &destroyed[1], destroy);
    ilex_array *z = ilex_keep(ilex_sin(x));
    ilex_user_set(z, "count", &destroyed[2], destroy);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_int_eq(total(), 0); /* z holds x, which holds the other */
    ilex_drop(z);
    ck_assert_int_eq(destroyed[0] + destroyed[1] + destroyed[2], 3);
    ck_assert_int_eq(total(), 3);
    ck_assert_uint_eq(ctx->annotations.count, 0);
}
END_TEST

static pthread_t destroyer;

static void
note_thread(void *value)
{
    destroyer = pthread_self();
    destroy(value);
}

static void *
drop_elsewhere(void *array)
{
    ilex_drop_later(array);
    return NULL;
}

/* Whoever drops the array, its data are destroyed on the context's thread. */
START_TEST(dropped_elsewhere)
{
    pthread_t thread;
    memset(destroyed, 0, sizeof destroyed);
    size_t scope = ilex_scope_begin(ctx);
    ilex_array *x = ilex_keep(ilex_input(ctx, "x", ILEX_F64, "n"));
    ilex_user_set(x, "count", &destroyed[0], note_thread);
    ilex_scope_end(ctx, scope, NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, drop_elsewhere, x), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(total(), 0);
    ilex_scope_end(ctx, ilex_scope_begin(ctx), NULL);
    ck_assert_int_eq(total(), 1);
    ck_assert(pthread_equal(destroyer, pthread_self()));
}
END_TEST

START_TEST(freed_context)
{
    memset(destroyed, 0, sizeof destroyed);
    ilex_context *own = ilex_context_new(NULL);
    ilex_array *x = ilex_keep(ilex_input(own, "x", ILEX_F64, "n"));
    ilex_user_set(x, "a", &destroyed[0], destroy);
    ilex_user_set(x, "b", &destroyed[1], destroy);
    ilex_array *y = ilex_keep(ilex_sin(x));
    ilex_user_set(y, "a", &destroyed[2], destroy);
    ilex_user_set(x, "y", y, drop);
    ilex_context_free(own);
    ck_assert_int_eq(total(), 3);
    ilex_drop(x);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("annotation", found_at_output, found_above, found_from_c,
                     eight, released, texts, set_and_get, deaths,
                     dropped_elsewhere, freed_context);
}
