/* SPDX-License-Identifier: MIT
 *
 * Formulas that queries give give the numbers that other queries give, for any
 * sizes: bytes of the workspace and of temporaries, halos.
 */
#include "tests/unit/query_fixture.h"

static const sample samples[] = {
    {"1", "0", 0, HEAD "in x : f64[n]\nout y : f64[n] = 2*x\n"},
    {"0", "0", 0,
     HEAD "in x : f64[I:n, J:m] halo(I:1:1)\n"
          "let a = x*x\nlet b = a[I+1] - a[I-1]\nlet s = sum[I](b)\n"
          "out y : f64[I:n, J:m] = b*s\n"},
    {"0", "0", 0,
     HEAD "in x : f32[n]\nin k : i8[m, n]\nlet a = x + 1\nlet b = a*a\n"
          "let c = sum(b)\nlet d = f64(k)*2\nlet e = sum[0](d)\n"
          "out y : f64[n] = e/f64(c)\n"},
    {"0", "0", 0,
     HEAD "in x : f64[n]\nin z : f64[m]\nlet a = 2*concat(x, z; axis=0)\n"
          "out y : f64[n+m] = a[::-1] + a\n"},
    {"0", "0", 3,
     HEAD "assume n >= 3\nassume m >= 3\nin x : f64[n, m]\n"
          "let a = 2*x[1:n-1, 2:m]\nlet b = a[::-1, ::-1]\n"
          "out y : f64[m, n] = broadcast_to(sum(b); shape=[m, n])\n"},
    {"1", "0", 2,
     HEAD "assume n >= 2\nassume m >= 2\nin a : f64[i:n, k:m]\n"
          "scan k forward c[i:n, k:m] =\n"
          "    where(k == 0, a[i, k], c[i, k-1]*0.5 + a[i, k])\n"
          "scan k backward d[i:n, k:m] =\n"
          "    where(k == m-1, c[i, k], d[i, k+1]*0.25 + c[i, k])\n"
          "out y : f64[i:n, k:m] = d*d\n"},
    {"0", "0", 0,
     HEAD "in x : f64[n]\nlet a = 3*compress(x, x > 0)\nlet s = sum(a)\n"
          "out y : f64 = s\n"},
    {"0", "1", 0,
     HEAD "in x : f64[I:n, J:m] halo(I:1:1)\nlet a = x*x\n"
          "let b = a[I+1] - a[I-1]\nout y : f64[I:n, J:m] = b*b\n"},
    {"0", "0", 0,
     HEAD "in x : f64[I:n]\nlet a = 2*x\n"
          "map y[I:n] = where(I >= 3, a[I-3], 0.0)\nout z : f64[I:n] = y\n"},
    {"0", "0", 0,
     HEAD "in x : f64[I:n, J:m] halo(I:4:4)\nlet a = x*x\n"
          "let b = a[I+1] - a[I-1]\nlet c = b[I+1] - b[I-1]\n"
          "let d = c[I+1] - c[I-1]\nlet e = f32(d[I+1] - d[I-1])\n"
          "out y : f32[I:n, J:m] = e*e\n"},
};

static void
draw_sizes(const ilex_program *p, int64_t least, ilex_size_binding *size)
{
    int64_t most = draw(0, 8) ? draw(0, 60) : 20000;
    for (size_t i = 0; i < ilex_program_size_count(p); i++)
        size[i] = (ilex_size_binding){ilex_program_size_name(p, i),
                                      draw(least, least + most)};
}

/* The names of lengths that are counted, at the most that they may be. */
static size_t
add_counted(const ilex_program *p, size_t n, ilex_size_binding *size)
{
    for (size_t i = 0; i < ilex_program_counted_count(p); i++)
        size[n++] =
            (ilex_size_binding){ilex_program_counted_name(p, i), size[0].value};
    return n;
}

static void
check_workspace(const ilex_program *p, const sample *s)
{
    ilex_size_binding size[8];
    size_t n = ilex_program_size_count(p);
    const char *text = ilex_program_workspace_formula(p);
    for (int round = 0; round < 40; round++) {
        int threads = (int)draw(1, 5);
        draw_sizes(p, s->least, size);
        int64_t bytes = ilex_program_workspace(p, size, n, threads);
        size_t all = add_counted(p, n, size);
        ck_assert_int_ge(bytes, 0);
        ck_assert_msg(value_of(text, size, all, threads) == bytes,
                      "%s: %s is not %lld for n=%lld, m=%lld", s->text, text,
                      (long long)bytes, (long long)size[0].value,
                      n > 1 ? (long long)size[1].value : 0);
    }
}

/* Each temporary as a formula; places are as large as their largest. */
static void
check_temporaries(const ilex_program *p, const sample *s)
{
    ilex_size_binding size[8];
    size_t count = ilex_program_temporary_count(p);
    int64_t place[64] = {0}, sum = 0;
    int threads = (int)draw(1, 5);
    draw_sizes(p, s->least, size);
    size_t n = ilex_program_size_count(p), all = add_counted(p, n, size);
    ck_assert_uint_le(count, 64);
    for (size_t i = 0; i < count; i++) {
        ilex_temporary_info t = ILEX_TEMPORARY_INFO();
        ck_assert_int_eq(ilex_program_temporary(p, i, &t), ILEX_OK);
        int64_t bytes = value_of(t.bytes, size, all, threads);
        bytes = (bytes + 63) / 64 * 64 * (t.each_thread ? threads : 1);
        ck_assert(t.place >= 0 && t.place < 64);
        place[t.place] = bytes > place[t.place] ? bytes : place[t.place];
    }
    for (int i = 0; i < 64; i++)
        sum += place[i];
    ck_assert_int_eq(sum, ilex_program_workspace(p, size, n, threads));
}

/* The halos of arguments as formulas, beside the numbers. */
static void
check_halos(const ilex_program *p, const sample *s)
{
    ilex_size_binding size[8];
    int64_t halo[2 * ILEX_MAX_RANK];
    draw_sizes(p, s->least, size);
    size_t n = ilex_program_size_count(p), all = add_counted(p, n, size);
    for (size_t i = 0; i < ilex_program_argument_count(p); i++) {
        ilex_argument_info a = ILEX_ARGUMENT_INFO();
        ck_assert_int_eq(ilex_program_argument_get(p, i, &a), ILEX_OK);
        ck_assert_int_eq(ilex_program_extents(p, i, size, n, NULL, NULL, halo),
                         ILEX_OK);
        for (int k = 0; k < a.rank; k++) {
            ck_assert_int_eq(value_of(a.halo_low[k], size, all, 1),
                             halo[2 * k]);
            ck_assert_int_eq(value_of(a.halo_high[k], size, all, 1),
                             halo[2 * k + 1]);
        }
    }
}

START_TEST(formulas)
{
    const sample *s = &samples[_i];
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        ilex_program *p = compile_for(jits[j], s);
        if (!p)
            continue;
        check_workspace(p, s);
        check_temporaries(p, s);
        check_halos(p, s);
        ilex_program_release(p);
    }
}
END_TEST

/* What formulas look like. */
START_TEST(written)
{
    static const struct {
        int sample;
        const char *text;
    } rows[] = {
        {0, "0"},
        {3, "64*ceil((8*n + 8*m)/64) + 64*ceil((8*n + 8*m)/64)"},
        {5, "threads()*64*ceil(32*m/64) + threads()*64*ceil(32*m/64)"},
        {8, "64*ceil(8*max(0, n-3)/64)"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_program *p = compile_for("cc", &samples[rows[i].sample]);
        ck_assert_str_eq(ilex_program_workspace_formula(p), rows[i].text);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("formulas");
    TCase *tc = tcase_create("formulas");
    tcase_add_checked_fixture(tc, open_context, close_context);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, formulas, 0, IX_COUNT(samples));
    tcase_add_test(tc, written);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
