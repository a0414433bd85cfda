/* SPDX-License-Identifier: MIT
 *
 * Hashes: what they depend on and what not. The digest itself against vectors
 * of MurmurHash3_x64_128.
 */
#include "lib/base/digest.h"
#include "tests/unit/graph_fixture.h"

typedef struct hex {
    char s[33];
} hex;

static hex
hex_of(const uint8_t *bytes)
{
    hex h;
    for (int i = 0; i < 16; i++)
        snprintf(h.s + 2 * i, 3, "%02x", bytes[i]);
    return h;
}

/* ---- the digest ---- */

static hex
digest_of(const char *text, size_t piece)
{
    ix_digester d = {.length = 0};
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i += piece)
        ix_digest_bytes(&d, text + i, n - i < piece ? n - i : piece);
    ix_digest r = ix_digest_end(&d);
    /* the halves as numbers, the way vectors are written */
    hex h;
    snprintf(h.s, sizeof h.s, "%016llx%016llx", (unsigned long long)r.h[0],
             (unsigned long long)r.h[1]);
    return h;
}

START_TEST(vectors)
{
    static const char fox[] = "The quick brown fox jumps over the lazy dog";
    ck_assert_str_eq(digest_of("", 1).s, "00000000000000000000000000000000");
    for (size_t piece = 1; piece < 50; piece++) {
        ck_assert_str_eq(digest_of("hello", piece).s,
                         "cbd8a7b341bd9b025b1e906a48ae1d19");
        ck_assert_str_eq(digest_of(fox, piece).s,
                         "e34bbc7bbc071b6c7a433ca9c49a9347");
    }
    uint8_t bytes[16];
    ix_digest_write(&(ix_digest){{0x0706050403020100u, 0x0f0e0d0c0b0a0908u}},
                    bytes);
    ck_assert_str_eq(hex_of(bytes).s, "000102030405060708090a0b0c0d0e0f");
}
END_TEST

/* A number is its eight bytes, wherever in a block it begins. */
START_TEST(numbers)
{
    static const char text[] = "fifteen letters";
    static const unsigned char bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    for (size_t before = 0; before < IX_DIGEST_BYTES; before++) {
        ix_digester d[2] = {{.length = 0}, {.length = 0}};
        for (int i = 0; i < 2; i++) {
            ix_digest_bytes(&d[i], text, before);
            for (int k = 0; k < 3; k++)
                if (i == 0)
                    ix_digest_number(&d[i], 0x0102030405060708u);
                else
                    ix_digest_bytes(&d[i], bytes, sizeof bytes);
        }
        ix_digest a = ix_digest_end(&d[0]), b = ix_digest_end(&d[1]);
        ck_assert_msg(!ix_digest_compare(&a, &b), "behind %zu bytes", before);
    }
}
END_TEST

/* ---- arrays ---- */

static hex
hash(const ilex_array *x)
{
    uint8_t bytes[16];
    ck_assert_msg(ilex_hash(x, bytes) == ILEX_OK, "%s", ilex_error_text(ctx));
    return hex_of(bytes);
}

/* The formula in a context of its own, where symbols and sizes have other
 * numbers: sizes are named in the order of "sizes". */
static hex
elsewhere(const char *sizes, const char *x_domain, const char *formula)
{
    ilex_context *outer = ctx;
    ctx = ilex_context_new(NULL);
    for (const char *p = sizes; *p; p++)
        ilex_size(ctx, (char[]){*p, 0});
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, x_domain);
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, x_domain);
    ilex_array *z = ilex_expr(ctx, formula, "x", x, "y", y, NULL);
    ck_assert_msg(!ilex_is_poison(z), "%s: %s", formula, ilex_error_text(ctx));
    hex h = hash(z);
    ilex_context_free(ctx);
    ctx = outer;
    return h;
}

/* The order in which sizes and arrays are made does not matter. */
START_TEST(order_of_creation)
{
    static const char *const formulas[] = {
        "x + y",
        "sum[I](x*y)",
        "x[I+1] - 2*y",
        "where(x > 0, x, -y)*2",
        "f64(index(I))*f64(size(n) + 3*size(m) - size(k))",
        "max(x, index(J))",
        "x[I=0:min(n, k)]*f64(size(max(m, 2*k, n - 3)))",
        "x*f64(size(n*m*k) + size(min(k*n, m)*n))",
    };
    for (size_t i = 0; i < IX_COUNT(formulas); i++) {
        hex a = elsewhere("nmk", "I:n+2*m+k, J:m", formulas[i]);
        hex b = elsewhere("kmn", "I:k+n+2*m, J:m", formulas[i]);
        ck_assert_msg(!strcmp(a.s, b.s), "%s: %s, %s", formulas[i], a.s, b.s);
    }
    /* the sum of an index and two sizes, whose normal forms differ */
    hex h[2];
    for (int i = 0; i < 2; i++) {
        ilex_context *own = ilex_context_new(NULL);
        ilex_size(own, i ? "n" : "m");
        ilex_array *x = ilex_input(own, "x", ILEX_F64, "3*n+3*m");
        uint8_t bytes[16];
        ilex_hash(ilex_map(own, "i:n+m", "x[i + n + 2*m]", "x", x, NULL),
                  bytes);
        h[i] = hex_of(bytes);
        ilex_context_free(own);
    }
    ck_assert_str_eq(h[0].s, h[1].s);
}
END_TEST

/* No two of these are the same. */
START_TEST(differences)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n, J:m");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "I:n, J:m");
    size_t scope = ilex_scope_begin(ctx);
    assume("n >= 2");
    ilex_array *tail2 = ilex_restrict(x, "I:1:n-1, J:m");
    ilex_scope_end(ctx, scope, ilex_keep(tail2));
    assume("n >= 4");
    ilex_array *const all[] = {
        x,
        y,
        ilex_input(ctx, "x", ILEX_F32, "I:n, J:m"),
        ilex_input(ctx, "x", ILEX_F64, "I:m, J:n"),
        ilex_input(ctx, "x", ILEX_F64, "I:n, K:m"),
        ilex_input(ctx, "x", ILEX_F64, "n, m"),
        ilex_input(ctx, "x", ILEX_F64, "I:n+1, J:m"),
        ilex_input(ctx, "x", ILEX_F64, "I:1:n+1, J:m"),
        ilex_input(ctx, "x", ILEX_F64, "I:n, J:m halo(I:1:1)"),
        tail2,
        ilex_restrict(x, "I:1:n-1, J:m"), /* rests on n >= 4 */
        ilex_add(x, y),
        ilex_add(y, x),
        ilex_subtract(x, y),
        ilex_sum(x, "I", 0),
        ilex_sum(x, "J", 0),
        ilex_prod(x, "I", 0),
        ilex_f64(ctx, 0.0),
        ilex_f64(ctx, -0.0),
        ilex_f64(ctx, 5e-324),
        ilex_f32(ctx, 0.0F),
        ilex_lit(ctx, 0.0),
        ilex_multiply(x, ilex_f64(ctx, 0.0)),
        ilex_multiply(x, ilex_f64(ctx, -0.0)),
        ilex_size(ctx, "n"),
        ilex_size(ctx, "m"),
        ilex_cast(x, ILEX_F32),
        ilex_shift(x, "I", 1),
        ilex_shift(x, "I", -1),
        ilex_permute(x, (int[]){1, 0}),
    };
    for (size_t i = 0; i < IX_COUNT(all); i++) {
        ck_assert_msg(!ilex_is_poison(all[i]), "%zu: %s", i,
                      ilex_error_text(ctx));
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(strcmp(hash(all[i]).s, hash(all[k]).s) != 0,
                          "%zu and %zu", k, i);
    }
    ilex_drop(tail2);
}
END_TEST

/* Wrapped data are numbered as they are met. */
START_TEST(wrapped)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(4));
    ilex_array *a = ilex_data(ctx, s), *b = ilex_data(ctx, s);
    ilex_array *c = ilex_sin(b);
    hex ab = hash(ilex_add(a, b));
    ck_assert_str_ne(ab.s, hash(ilex_add(a, a)).s);
    ck_assert_str_eq(ab.s, hash(ilex_add(b, a)).s);
    ck_assert_str_eq(hash(ilex_add(a, a)).s, hash(ilex_add(b, b)).s);
    ck_assert_str_ne(hash(ilex_subtract(c, a)).s, hash(ilex_subtract(c, b)).s);
    ck_assert_str_eq(hash(ilex_subtract(ilex_sin(a), b)).s,
                     hash(ilex_subtract(c, a)).s);
    ck_assert_str_eq(hash(a).s, hash(b).s);
    ilex_array *d = ilex_cos(a);
    ck_assert_str_eq(hash(c).s, hash(ilex_sin(a)).s);
    ck_assert_str_ne(hash(ilex_subtract(c, d)).s, /* whatever c was before */
                     hash(ilex_subtract(ilex_sin(a), d)).s);
    ilex_storage_release(s);
}
END_TEST

/* Depth and sharing cost nothing: 2^2000 ways through one graph, and a chain
 * of a hundred thousand. */
START_TEST(deep)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y = x, *z = x;
    for (int i = 0; i < 2000; i++)
        y = ilex_sin(ilex_add(y, y));
    for (int i = 0; i < 100000; i++)
        z = ilex_add(z, x);
    ck_assert_str_ne(hash(y).s, hash(z).s);
    ck_assert_str_ne(hash(z).s, hash(ilex_add(z, x)).s);
}
END_TEST

START_TEST(refused)
{
    uint8_t bytes[16];
    ilex_array *bad = ilex_input(ctx, "1", ILEX_F64, "n");
    ilex_error_clear(ctx);
    memset(bytes, 1, sizeof bytes);
    ck_assert_int_eq(ilex_hash(bad, bytes), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_str_eq(hex_of(bytes).s, "00000000000000000000000000000000");
    ck_assert_int_eq(ilex_hash(NULL, bytes), ILEX_E_ARGUMENT);
}
END_TEST

/* ---- programs ---- */

static hex
hash_program(ilex_module *m)
{
    uint8_t bytes[16];
    ck_assert_msg(m && ilex_module_hash(m, bytes) == ILEX_OK, "%s",
                  ilex_error_text(ctx));
    ilex_module_free(m);
    return hex_of(bytes);
}

#define HEAD "ilex 1\nprogram p\n"
static const char program[] =
    HEAD "size n, m\nassume n >= 3\nassume m >= n\nin u : f64[I:n]\n"
         "in v : f64[I:m]\nlet s = u + v\nlet t = s[I+1] - s[I-1]\n"
         "out a : f64[I:1:n-1] = t*0.5\nout b = sum[I](s)\n";

/* The same from C, its parts made in another order. */
static hex
program_from_c(void)
{
    ilex_array *v = ilex_input(ctx, "v", ILEX_F64, "I:m");
    assume("m >= n && k >= 7");
    assume("n >= 3");
    ilex_array *half = ilex_f64(ctx, 0.5);
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_array *s = ilex_add(u, v), *b = ilex_sum(s, "I", 0);
    ilex_array *low = ilex_shift(s, "I", -1);
    ilex_array *t = ilex_subtract(ilex_shift(s, "I", 1), low);
    ilex_array *a = ilex_restrict(ilex_multiply(t, half), "I:1:n-1");
    ilex_module *m = ilex_module_new(ctx, "p");
    ilex_module_output(m, "a", a, NULL);
    ilex_module_output(m, "b", b, NULL);
    return hash_program(m);
}

START_TEST(text_and_c)
{
    ilex_context *outer = ctx;
    hex first = hash_program(ilex_module_parse(ctx, program, NULL));
    ctx = ilex_context_new(NULL);
    ck_assert_str_eq(program_from_c().s, first.s);
    ilex_module *m = ilex_module_parse(ctx, program, NULL);
    char *text = ilex_module_print(m);
    ck_assert_str_eq(hash_program(m).s, first.s);
    ck_assert_str_eq(hash_program(ilex_module_parse(ctx, text, NULL)).s,
                     first.s);
    ilex_text_free(ctx, text);
    ilex_context_free(ctx);
    ctx = outer;
}
END_TEST

/* Names of arrays that are nobody's argument, the order of declarations, of
 * sizes and of assumptions do not count. */
START_TEST(what_does_not_count)
{
    static const char other[] =
        "# the same\n" HEAD "size k, m, n\nassume m >= n && n >= 3\n"
        "in v : f64[I:m]\nin u : f64[I:n]\n\nlet sum_of_both = u + v\n"
        "let unused = u*3.0\n"
        "out a : f64[I:1:n-1] = (sum_of_both[I+1] - sum_of_both[I-1])*0.5\n"
        "out b = sum[I](sum_of_both)\n";
    ck_assert_str_eq(hash_program(ilex_module_parse(ctx, other, NULL)).s,
                     hash_program(ilex_module_parse(ctx, program, NULL)).s);
}
END_TEST

/* What each line of the program is replaced by is another program. */
START_TEST(what_counts)
{
    static const char *const change[][2] = {
        {"program p", "program q"},
        {"n >= 3", "n >= 4"},
        {"assume m >= n", "assume m >= n + 1"},
        {"v : f64[I:m]", "v : f64[I:m] halo(I:0:1)"},
        {"in v : f64[I:m]", "in v : f64[I:m]\nin w : f64[I:m]"},
        {"u + v", "v + u"},
        {"s[I-1]", "s"},
        {"out a", "out c"},
        {"*0.5", "*0.25"},
        {"sum[I]", "prod[I]"},
        {"[I:1:n-1] = t*0.5\n", "[I:1:n-1] = t*0.5\nout c = sum[I](u)\n"},
    };
    hex seen[IX_COUNT(change) + 1];
    seen[0] = hash_program(ilex_module_parse(ctx, program, NULL));
    for (size_t i = 0; i < IX_COUNT(change); i++) {
        char text[1000];
        const char *at = strstr(program, change[i][0]);
        ck_assert_ptr_nonnull(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - program), program,
                 change[i][1], at + strlen(change[i][0]));
        seen[i + 1] = hash_program(ilex_module_parse(ctx, text, NULL));
        for (size_t k = 0; k <= i; k++)
            ck_assert_msg(strcmp(seen[k].s, seen[i + 1].s) != 0,
                          "'%s' changes nothing", change[i][1]);
    }
}
END_TEST

/* Scans: direction, depth and which result is taken count, names do not. */
START_TEST(scans)
{
    static const char *const text[] = {
        "scan k forward a[i:n, k:m] = where(k < 1, 0.0, a[i, k-1] + x[i, k])\n"
        "out o = a\n",
        "scan k forward b[i:n, k:m] = where(k < 1, 0.0, b[i, k-1] + x[i, k])\n"
        "out o = b\n",
        "scan k forward a[i:n, k:m] = where(k < 2, 0.0, a[i, k-2] + x[i, k])\n"
        "out o = a\n",
        "scan k backward a[i:n, k:m] = where(k > m-2, 0.0, a[i, k+1] + "
        "x[i, k])\nout o = a\n",
        "scan i forward a[i:n, k:m] = where(i < 1, 0.0, a[i-1, k] + x[i, k])\n"
        "out o = a\n",
        "scan k forward a[i:n, k:m] = where(k < 1, 0.0, a[i, k-1] + x[i, k]),\n"
        "               b[i:n, k:m] = where(k < 1, 1.0, a[i, k-1])\n"
        "out o = a\n",
        "scan k forward a[i:n, k:m] = where(k < 1, 0.0, a[i, k-1] + x[i, k]),\n"
        "               b[i:n, k:m] = where(k < 1, 1.0, a[i, k-1])\n"
        "out o = b\n"};
    hex seen[IX_COUNT(text)];
    for (size_t i = 0; i < IX_COUNT(text); i++) {
        char program_text[500];
        snprintf(program_text, sizeof program_text,
                 HEAD "size n, m\nin x : f64[i:n, k:m]\n%s", text[i]);
        seen[i] = hash_program(ilex_module_parse(ctx, program_text, NULL));
        for (size_t k = 0; k < i; k++)
            ck_assert_msg((strcmp(seen[k].s, seen[i].s) == 0) == (i == 1),
                          "%zu and %zu", k, i);
    }
}
END_TEST

START_TEST(inplace)
{
    static const char text[] = HEAD "size n\nin z : f64[n]\n"
                                    "out o : f64[n] = sin(z) inplace z\n";
    char other[200];
    snprintf(other, sizeof other, "%.*s\n",
             (int)(strstr(text, " inplace") - text), text);
    ck_assert_str_ne(hash_program(ilex_module_parse(ctx, text, NULL)).s,
                     hash_program(ilex_module_parse(ctx, other, NULL)).s);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("hash", vectors, numbers, order_of_creation, differences,
                     wrapped, deep, refused, text_and_c, what_does_not_count,
                     what_counts, scans, inplace);
}
