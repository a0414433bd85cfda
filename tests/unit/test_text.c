/* SPDX-License-Identifier: MIT
 *
 * The foundation: text sink, numbers without the locale, arena, and all of it
 * when memory runs out at the n-th request.
 */
#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/letter.h"
#include "lib/base/text.h"
#include "tests/suite.h"

/* ---- an allocator that fails after "left" requests ---- */

typedef struct budget {
    int left; /* negative: no limit */
    int live; /* blocks alive */
} budget;

static void *
budget_resize(void *user, void *block, size_t bytes)
{
    budget *b = user;
    if (bytes == 0) {
        b->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->left == 0)
        return NULL;
    b->left -= b->left > 0;
    void *p = realloc(block, bytes);
    b->live += p && !block;
    return p;
}

static ix_mem
budget_mem(budget *b)
{
    return (ix_mem){budget_resize, b};
}

/* ---- numbers ---- */

static const struct {
    double value;
    bool single;
    const char *text;
} reals[] = {
    {0.1, false, "0.1"},
    {4.0, false, "4.0"},
    {-0.0, false, "-0.0"},
    {0.0, false, "0.0"},
    {1e-300, false, "1e-300"},
    {1e22, false, "1e+22"},
    {1.0 / 3.0, false, "0.3333333333333333"},
    {5e-324, false, "5e-324"},
    {DBL_MAX, false, "1.7976931348623157e+308"},
    {(double)0.1f, true, "0.1"},
    {(double)FLT_MAX, true, "3.4028235e+38"},
    {(double)1e-45f, true, "1e-45"},
    {HUGE_VAL, false, "inf"},
    {-HUGE_VAL, true, "-inf"},
};

START_TEST(real_is_shortest)
{
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_text_real(&t, reals[_i].value, reals[_i].single);
    ck_assert_str_eq(ix_text_string(&t), reals[_i].text);
    ix_text_free(&t);
}
END_TEST

START_TEST(real_nan)
{
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_text_real(&t, (double)NAN, false);
    ck_assert_str_eq(ix_text_string(&t), "nan");
    ix_text_free(&t);
}
END_TEST

static double
random_double(uint64_t *state)
{
    double v;
    do {
        *state = ix_mix(*state, 1);
        memcpy(&v, state, sizeof v);
    } while (v != v || v - v != 0);
    return v;
}

/* Prints "v" by "print", reads it back, compares the bits. */
static void
check_round_trip(double v, bool hex)
{
    double back = 0;
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    char text[40];
    snprintf(text, sizeof text, "%a", v);
    if (hex)
        ix_text_put(&t, text);
    else
        ix_text_real(&t, v, false);
    ck_assert_uint_eq(ix_text_scan_real(ix_text_string(&t), &back), t.length);
    ck_assert_msg(memcmp(&v, &back, sizeof v) == 0, "%a printed as %s", v,
                  ix_text_string(&t));
    ix_text_free(&t);
}

START_TEST(real_round_trips)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++)
        check_round_trip(random_double(&state), false);
}
END_TEST

START_TEST(hex_round_trips)
{
    static const double special[] = {0.0,     -0.0,    1.0,    -2.5,
                                     DBL_MIN, DBL_MAX, 5e-324, -DBL_EPSILON};
    uint64_t state = 2;
    for (size_t i = 0; i < IX_COUNT(special); i++)
        check_round_trip(special[i], true);
    for (int i = 0; i < 20000; i++)
        check_round_trip(random_double(&state), true);
}
END_TEST

START_TEST(integers)
{
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_text_int(&t, INT64_MIN);
    ix_text_char(&t, ' ');
    ix_text_int(&t, 0);
    ix_text_char(&t, ' ');
    ix_text_uint(&t, UINT64_MAX);
    ck_assert_str_eq(ix_text_string(&t),
                     "-9223372036854775808 0 18446744073709551615");
    ix_text_free(&t);
}
END_TEST

START_TEST(scan_stops)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
    } rows[] = {
        {"0.25*x", 4, 0.25}, {"1e", 1, 1.0},        {"x", 0, 0.0},
        {"", 0, 0.0},        {"0x1.8p+1]", 8, 3.0}, {"1,5", 1, 1.0},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        double v = 0;
        ck_assert_uint_eq(ix_text_scan_real(rows[i].text, &v), rows[i].used);
        ck_assert(v == rows[i].value);
    }
}
END_TEST

/* A locale with a decimal comma changes nothing; skipped where none exists. */
START_TEST(locale_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",
                                        "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < IX_COUNT(names) && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    check_round_trip(0.5, false);
    check_round_trip(1e100 / 3.0, false);
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- the sink ---- */

START_TEST(sink_grows)
{
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ck_assert_str_eq(ix_text_string(&t), "");
    for (int i = 0; i < 10000; i++)
        ix_text_format(&t, "%d,", i % 10);
    ck_assert_uint_eq(t.length, 20000);
    ck_assert_uint_eq(strlen(ix_text_string(&t)), 20000);
    ix_text_free(&t);
}
END_TEST

START_TEST(format_longer_than_buffer)
{
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_text_format(&t, "<%s>", longer);
    ck_assert_uint_eq(t.length, sizeof longer + 1);
    ck_assert_int_eq(t.data[0], '<');
    ck_assert_int_eq(t.data[t.length - 1], '>');
    ix_text_free(&t);
}
END_TEST

/* Writes 3000 bytes; the sink either has them all or says that it failed. */
START_TEST(sink_without_memory)
{
    for (int limit = 0; limit < 40; limit++) {
        budget b = {limit, 0};
        ix_mem mem = budget_mem(&b);
        ix_text t;
        ix_text_init(&t, &mem);
        for (int i = 0; i < 1000; i++)
            ix_text_put(&t, "abc");
        const char *s = ix_text_string(&t);
        ck_assert(s ? strlen(s) == 3000 : t.failed);
        ck_assert(limit > 0 || !s);
        ix_text_free(&t);
        ck_assert_int_eq(b.live, 0);
    }
}
END_TEST

/* ---- the arena ---- */

/* Fills "arena" with 2000 blocks and checks that they are zero, aligned and
 * apart. */
static void
fill_arena(ix_arena *arena)
{
    unsigned char *last = NULL;
    for (size_t i = 0; i < 2000; i++) {
        size_t bytes = i % 97;
        unsigned char *p = ix_arena_new(arena, bytes);
        ck_assert((uintptr_t)p % 16 == 0);
        for (size_t k = 0; k < bytes; k++)
            ck_assert(p[k] == 0);
        memset(p, 0xff, bytes);
        ck_assert(bytes == 0 || p != last);
        last = bytes ? p : last;
    }
}

START_TEST(arena_gives_zeroed_aligned_blocks)
{
    ix_arena arena;
    ix_arena_init(&arena, &ix_mem_default);
    ck_assert(IX_ARENA_TRY(&arena));
    fill_arena(&arena);
    ck_assert_str_eq(ix_arena_string(&arena, "halo"), "halo");
    memset(ix_arena_new(&arena, 3u << 20), 1, 3u << 20);
    ix_arena_free(&arena);
}
END_TEST

START_TEST(arena_array_grows)
{
    ix_arena arena;
    ix_arena_init(&arena, &ix_mem_default);
    ck_assert(IX_ARENA_TRY(&arena));
    int *array = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 5000; i++) {
        ix_arena_grow(&arena, &array, &capacity, (size_t)i + 1, sizeof *array);
        array[i] = i;
    }
    for (int i = 0; i < 5000; i++)
        ck_assert_int_eq(array[i], i);
    ix_arena_free(&arena);
}
END_TEST

/* Tables of any size come and go, some at the same time: what one gave back
 * serves the next, and is nobody else's until then. */
START_TEST(arena_blocks_serve_again)
{
    enum { TABLES = 4, ROUNDS = 3000 };
    ix_arena arena;
    ix_arena_init(&arena, &ix_mem_default);
    ck_assert(IX_ARENA_TRY(&arena));
    ix_mem mem = ix_arena_mem(&arena);
    size_t *table[TABLES] = {NULL}, length[TABLES] = {0};
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t t = round % TABLES, n = 1 + round * 7919 % 300;
        for (size_t i = 0; i < length[t]; i++)
            ck_assert_uint_eq(table[t][i], round - TABLES + i);
        ix_mem_free(&mem, table[t]);
        table[t] = ix_mem_new(&mem, n / 2 * sizeof **table);
        table[t] = ix_mem_resize(&mem, table[t], n * sizeof **table);
        for (length[t] = 0; length[t] < n; length[t]++)
            table[t][length[t]] = round + length[t];
    }
    ck_assert_uint_lt(arena.bytes, 40 * TABLES * 300 * sizeof **table);
    ix_arena_free(&arena);
}
END_TEST

/* Fills an arena that may ask for "limit" blocks; false when that is not
 * enough. Nothing is left alive either way. */
static bool
arena_lives_on(int limit)
{
    budget b = {limit, 0};
    ix_mem mem = budget_mem(&b);
    ix_arena arena;
    ix_arena_init(&arena, &mem);
    volatile bool done = false;
    if (IX_ARENA_TRY(&arena)) {
        fill_arena(&arena);
        done = true;
    }
    ix_arena_free(&arena);
    ck_assert_int_eq(b.live, 0);
    return done;
}

START_TEST(arena_without_memory)
{
    ck_assert(!arena_lives_on(0));
    ck_assert(!arena_lives_on(1));
    int limit = 2;
    while (limit < 50 && !arena_lives_on(limit))
        limit++;
    ck_assert_int_lt(limit, 50);
}
END_TEST

START_TEST(arena_refuses_absurd_sizes)
{
    ix_arena arena;
    ix_arena_init(&arena, &ix_mem_default);
    if (IX_ARENA_TRY(&arena)) {
        ix_arena_new(&arena, SIZE_MAX - 5);
        ck_abort_msg("a block of SIZE_MAX - 5 bytes");
    }
    ix_arena_free(&arena);
}
END_TEST

/* ---- checked arithmetic and the error record ---- */

/* Bytes of the first character, of the name that the text begins with; letters
 * of the text. */
static const struct {
    const char *text;
    size_t first, name, letters;
} words[] = {
    {"u_1+2", 1, 3, 5},
    {"1u", 1, 0, 2},
    {"\xce\xb1\xce\xb2*2", 2, 4, 4}, /* alpha, beta */
    {"x\xcc\x81 ", 1, 3, 3},         /* an accent behind x */
    {"\xcc\x81x", 2, 0, 2},          /* before it */
    {"\xe6\x96\xb0", 3, 3, 1},
    {"\xf0\x9d\x9c\xb6", 4, 4, 1}, /* beyond 16 bits */
    {"a\xc2\xa0", 1, 1, 2},        /* a space that does not break */
    {"a\xc3\x97", 1, 1, 2},        /* a sign for products */
    {"a\xe2\x80\xae", 1, 1, 2},    /* turns the direction of text */
    {"\xc3", 0, 0, 1},             /* cut */
    {"a\xc0\xaf", 1, 1, 2},        /* longer than it need be */
    {"\xed\xa0\x80", 0, 0, 1},     /* half of a pair of UTF-16 */
    {"\xf4\x90\x80\x80", 0, 0, 1}, /* beyond Unicode */
};

START_TEST(names_in_utf8)
{
    for (size_t i = 0; i < IX_COUNT(words); i++) {
        const char *s = words[i].text;
        size_t n = strlen(s);
        uint32_t code;
        ck_assert_msg(ix_utf8(s, n, &code) == words[i].first, "word %zu", i);
        ck_assert_msg(ix_name_length(s, n) == words[i].name, "word %zu", i);
        ck_assert_msg(ix_letters(s, n) == words[i].letters, "word %zu", i);
    }
    ck_assert_uint_eq(ix_letters_cut("\xce\xb1\xce\xb2x", 5, 2), 4);
    ck_assert_uint_eq(ix_letters_cut("\xce\xb1", 2, 2), 2);
    ck_assert(!ix_is_shown(0x202e) && !ix_is_shown(0x85) && ix_is_shown(0xe4));
}
END_TEST

START_TEST(floor_division)
{
    for (int64_t a = -7; a <= 7; a++)
        for (int64_t b = -3; b <= 3; b++) {
            if (b == 0)
                continue;
            int64_t q = ix_floordiv(a, b), r = ix_floormod(a, b);
            ck_assert_int_eq(q * b + r, a);
            ck_assert(r == 0 || (r < 0) == (b < 0));
        }
    ck_assert_int_eq(ix_floordiv(INT64_MIN, -1), INT64_MIN);
    ck_assert_int_eq(ix_floormod(INT64_MIN, -1), 0);
}
END_TEST

START_TEST(first_error_wins)
{
    ix_error err;
    ix_error_clear(&err);
    ck_assert_int_eq(ix_fail(&err, ILEX_E_SHAPE, "axis %s", "I"), ILEX_E_SHAPE);
    ix_fail(&err, ILEX_E_DTYPE, "later");
    ck_assert_int_eq(err.code, ILEX_E_SHAPE);
    ck_assert_str_eq(err.text, "axis I");
    ix_error_clear(&err);
    ck_assert_int_eq(err.code, ILEX_OK);
    ck_assert_int_eq(ix_fail_memory(NULL), ILEX_E_MEMORY);
}
END_TEST

static TCase *
numbers(void)
{
    TCase *tc = tcase_create("numbers");
    tcase_add_loop_test(tc, real_is_shortest, 0, (int)IX_COUNT(reals));
    tcase_add_test(tc, real_nan);
    tcase_add_test(tc, real_round_trips);
    tcase_add_test(tc, hex_round_trips);
    tcase_add_test(tc, integers);
    tcase_add_test(tc, scan_stops);
    tcase_add_test(tc, locale_changes_nothing);
    tcase_set_timeout(tc, 60);
    return tc;
}

static TCase *
memory(void)
{
    TCase *tc = tcase_create("memory");
    tcase_add_test(tc, sink_grows);
    tcase_add_test(tc, format_longer_than_buffer);
    tcase_add_test(tc, sink_without_memory);
    tcase_add_test(tc, arena_gives_zeroed_aligned_blocks);
    tcase_add_test(tc, arena_array_grows);
    tcase_add_test(tc, arena_blocks_serve_again);
    tcase_add_test(tc, arena_without_memory);
    tcase_add_test(tc, arena_refuses_absurd_sizes);
    tcase_add_test(tc, names_in_utf8);
    tcase_add_test(tc, floor_division);
    tcase_add_test(tc, first_error_wins);
    return tc;
}

int
main(void)
{
    Suite *s = suite_create("text");
    suite_add_tcase(s, numbers());
    suite_add_tcase(s, memory());
    return run_suite(s);
}
