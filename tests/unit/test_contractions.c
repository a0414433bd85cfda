/* SPDX-License-Identifier: MIT
 *
 * What einsums add and in which order: every back end, with one to three
 * threads, gives the bits of loops written here from the definition
 * (doc/ilx.md); other orders, and products that are rounded, give other bits.
 */
#include "tests/unit/sums_fixture.h"

/* ---- sums of products ---- */

/* One element: result indices i and l, reduced ones j and k. */
typedef term (*element)(const numbers *in, int64_t i, int64_t l, int64_t j,
                        int64_t k);

static numbers
contracted(const numbers *in, element f, int64_t ni, int64_t nl, int64_t nj,
           int64_t nk, order how)
{
    numbers z = make(2, ni, nl, 0);
    term *v = calloc((size_t)(nj * nk + 1), sizeof *v);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t l = 0; l < nl; l++) {
            for (int64_t j = 0; j < nj; j++)
                for (int64_t k = 0; k < nk; k++)
                    v[j * nk + k] = f(in, i, l, j, k);
            z.v[i * nl + l] = nj && nk ? summed(v, nj, nk, how) : 0.0;
        }
    free(v);
    return z;
}

static term
rows_by_columns(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return (term){at(&in[0], i, j, k), at(&in[1], j, k, l), true};
}

/* of matrices */
static term
matrices(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)k;
    return (term){at(&in[0], i, j, 0), at(&in[1], j, l, 0), true};
}

static term
rows_by_rows(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return (term){at(&in[0], i, j, k), at(&in[1], l, j, k), true};
}

/* a[k, i, j]*b[j, k, l]: "j" of the element is k of the text */
static term
crossed(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return (term){at(&in[0], j, i, k), at(&in[1], k, j, l), true};
}

/* The same in a map: products are numbers. */
static term
rounded_rows_by_rows(const numbers *in, int64_t i, int64_t l, int64_t j,
                     int64_t k)
{
    return (term){.x = rounded(at(&in[0], i, j, k) * at(&in[1], l, j, k))};
}

static term
rounded_matrices(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)k;
    return (term){.x = rounded(at(&in[0], i, j, 0) * at(&in[1], j, l, 0))};
}

enum { NI = 3, NL = 70 };

static void
check_order(const char *statements, element f, numbers *in, int64_t nl,
            int64_t nj, int64_t nk, order how, order other)
{
    numbers want = contracted(in, f, NI, nl, nj, nk, how),
            y = contracted(in, f, NI, nl, nj, nk, other);
    check_differ(&want, &y);
    free(y.v);
    check_everywhere(statements, in, 2, &want);
}

/* One chain; another order would give other bits, if there is another. */
static void
check_chain(const char *statements, element f, numbers *in, int64_t nl,
            int64_t nj, int64_t nk)
{
    if (nk > 1) {
        numbers want = contracted(in, f, NI, nl, nj, nk, CHAIN),
                y = contracted(in, f, NI, nl, nj, nk, ONE_LANE);
        check_differ(&want, &y);
        free(y.v);
        free(want.v);
    }
    check_order(statements, f, in, nl, nj, nk, CHAIN, LANES);
}

#define PAIR(x, y) ((numbers[]){x, y})

START_TEST(matrix_products)
{
    static const char ab[] = "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
                             "einsum t[i, l] = a[i, j]*b[j, l]\n"
                             "out z : T[n, m] = t\n",
                      abt[] = "size n, m, k\nin a : T[n, k]\nin b : T[m, k]\n"
                              "einsum t[i, l] = a[i, j]*b[l, j]\n"
                              "out z : T[n, m] = t\n";
    const int64_t lengths[] = {40, CHUNK + 1, 3 * CHUNK - 2};
    for (size_t i = 0; i < IX_COUNT(lengths); i++) {
        int64_t k = lengths[i];
        single = i == 0;
        check_chain(ab, matrices, PAIR(noise(2, NI, k, 0), noise(2, k, NL, 0)),
                    NL, k, 1);
    }
    single = false;
    check_chain(abt, rows_by_rows,
                PAIR(noise(2, NI, 90, 0), noise(2, 11, 90, 0)), 11, 90, 1);
}
END_TEST

/* A sum of products that is no einsum is a sum like any other. */
START_TEST(products_in_maps)
{
    static const char rows[] =
        "size n, m, k\nin a : T[n, k]\nin b : T[m, k]\n"
        "map t[n, m] = sum[_r0:k](a[_0, _r0]*b[_1, _r0])\n"
        "out z : T[n, m] = t\n",
                      columns[] =
                          "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
                          "map t[n, m] = sum[_r0:k](a[_0, _r0]*b[_r0, _1])\n"
                          "out z : T[n, m] = t\n";
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        check_order(rows, rounded_rows_by_rows,
                    PAIR(noise(2, NI, 90, 0), noise(2, 11, 90, 0)), 11, 90, 1,
                    LANES, CHAIN);
        check_order(columns, rounded_matrices,
                    PAIR(noise(2, NI, 700, 0), noise(2, 700, NL, 0)), NL, 700,
                    1, ONE_LANE, CHAIN);
    }
}
END_TEST

/* The same where an einsum says so, in the einsum's order. */
START_TEST(rounded_products)
{
    static const char statement[] =
        "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
        "einsum t[i, l] = a[i, j]*b[j, l] rounded\n"
        "out z : T[n, m] = t\n",
                      function[] =
                          "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
                          "out z : T[n, m] = matmul(a, b; rounded=1)\n";
    for (int f = 0; f < 4; f++) {
        single = f % 2 == 1;
        numbers in[] = {noise(2, NI, 700, 0), noise(2, 700, NL, 0)};
        numbers fused = contracted(in, matrices, NI, NL, 700, 1, CHAIN),
                want = contracted(in, rounded_matrices, NI, NL, 700, 1, CHAIN);
        check_differ(&want, &fused);
        free(fused.v);
        check_everywhere(f < 2 ? statement : function, in, 2, &want);
    }
}
END_TEST

/* a[l, j]*b[i, l, j] where b has length 1 along l */
static term
stretched_rows(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)k;
    return (term){at(&in[0], l, j, 0), at(&in[1], i, 0, j), true};
}

/* A label that is stretched is none of its operand's: each has an index that
 * the other lacks. */
START_TEST(stretched_labels)
{
    single = false;
    check_order("size n, m, k\nin a : T[m, k]\nin b : T[n, 1, k]\n"
                "einsum t[i, l] = a[l, j]*b[i, l, j]\nout z : T[n, m] = t\n",
                stretched_rows, PAIR(noise(2, 11, 90, 0), noise(3, NI, 1, 90)),
                11, 90, 1, CHAIN, LANES);
}
END_TEST

/* A sum of f32 that lies by less than a double can say below the middle of two:
 * rounded to a double first it would go up. */
START_TEST(rounded_once)
{
    static const char text[] = "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
                               "out z : T[n, m] = matmul(a, b)\n";
    single = true;
    numbers in[] = {make(2, NI, 2, 0), make(2, 2, NL, 0)};
    for (int64_t i = 0; i < 2 * NI; i++)
        in[0].v[i] = 0x1.000002p0;
    for (int64_t l = 0; l < NL; l++) {
        in[1].v[l] = 1.0;
        in[1].v[NL + l] = 0x1.fffffcp-25;
    }
    numbers want = contracted(in, matrices, NI, NL, 2, 1, CHAIN);
    ck_assert(is_same(want.v[0], 0x1.000002p0));
    check_everywhere(text, in, 2, &want);
}
END_TEST

START_TEST(two_labels)
{
    static const char symbolic[] =
        "size n, m, p, q\nin a : T[n, p, q]\nin b : T[p, q, m]\n"
        "einsum t[i, l] = a[i, j, k]*b[j, k, l]\nout z : T[n, m] = t\n",
                      known[] = "size m\nin a : T[3, 3, 4]\nin b : T[3, 4, m]\n"
                                "einsum t[i, l] = a[i, j, k]*b[j, k, l]\n"
                                "out z : T[3, m] = t\n",
                      swapped[] = "size n, m, p, q\nin a : T[p, n, q]\n"
                                  "in b : T[q, p, m]\n"
                                  "einsum t[i, l] = a[k, i, j]*b[j, k, l]\n"
                                  "out z : T[n, m] = t\n";
    const int64_t lengths[][2] = {{CHUNK + 3, 3}, {2, CHUNK + 900}, {40, 2}};
    for (size_t i = 0; i < IX_COUNT(lengths); i++) {
        int64_t j = lengths[i][0], k = lengths[i][1];
        single = i == 2;
        check_chain(symbolic, rows_by_columns,
                    PAIR(noise(3, NI, j, k), noise(3, j, k, 5)), 5, j, k);
    }
    single = false;
    check_chain(known, rows_by_columns,
                PAIR(noise(3, NI, 3, 4), noise(3, 3, 4, NL)), NL, 3, 4);
    check_chain(swapped, crossed, PAIR(noise(3, 7, NI, 50), noise(3, 50, 7, 5)),
                5, 7, 50);
}
END_TEST

/* Nothing to add is 0, not the -0.0 that sums start with; a sum of -0.0 is
 * -0.0. */
START_TEST(no_elements)
{
    static const char text[] =
        "size n, m, p, q\nin a : T[n, p, q]\nin b : T[p, q, m]\n"
        "einsum t[i, l] = a[i, j, k]*b[j, k, l]\nout z : T[n, m] = t\n";
    const int64_t lengths[][2] = {{0, 3}, {3, 0}, {CHUNK + 2, 0}, {2, 2}};
    single = false;
    for (size_t i = 0; i < IX_COUNT(lengths); i++) {
        int64_t j = lengths[i][0], k = lengths[i][1];
        numbers in[] = {make(3, NI, j, k), make(3, j, k, 5)};
        for (int64_t e = 0; e < count(&in[0]); e++)
            in[0].v[e] = -1.0;
        numbers want = contracted(in, rows_by_columns, NI, 5, j, k, CHAIN);
        ck_assert(signbit(want.v[0]) == (i == 3 ? signbit(-1.0) : 0));
        check_everywhere(text, in, 2, &want);
    }
}
END_TEST

static term
by_vector(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)l;
    return (term){at(&in[0], i, j, k), at(&in[1], j, k, 0), true};
}

/* Where only one operand has an index of the result, lanes stay. */
START_TEST(matrix_times_vector)
{
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        numbers in[] = {noise(3, NI, 20, 100), noise(2, 20, 100, 0)};
        numbers want = contracted(in, by_vector, NI, 1, 20, 100, LANES),
                other = contracted(in, by_vector, NI, 1, 20, 100, CHAIN);
        check_differ(&want, &other);
        free(other.v);
        want.rank = 1;
        check_everywhere("size n, p, q\nin a : T[n, p, q]\nin b : T[p, q]\n"
                         "einsum t[i] = a[i, j, k]*b[j, k]\n"
                         "out z : T[n] = t\n",
                         in, 2, &want);
    }
}
END_TEST

/* ---- three operands ---- */

enum { PI = 20, PJ = 5, PK = 40, PL = 2 };

/* The product of two matrices in the definition's order. */
static numbers
matrix_product(const numbers *x, const numbers *y, bool fused)
{
    numbers z = make(2, x->n[0], y->n[1], 0);
    term v[PK];
    for (int64_t i = 0; i < z.n[0]; i++)
        for (int64_t l = 0; l < z.n[1]; l++) {
            for (int64_t j = 0; j < x->n[1]; j++)
                v[j] =
                    fused
                        ? (term){at(x, i, j, 0), at(y, j, l, 0), true}
                        : (term){.x = rounded(at(x, i, j, 0) * at(y, j, l, 0))};
            z.v[i * z.n[1] + l] = summed(v, x->n[1], 1, CHAIN);
        }
    return z;
}

/* a*b*c with the pair on the left or on the right formed first. */
static void
check_triple(const char *statements, bool left, bool fused)
{
    numbers in[] = {noise(2, PI, PJ, 0), noise(2, PJ, PK, 0),
                    noise(2, PK, PL, 0)};
    numbers ab = matrix_product(&in[0], &in[1], fused),
            bc = matrix_product(&in[1], &in[2], fused);
    numbers l = matrix_product(&ab, &in[2], fused),
            r = matrix_product(&in[0], &bc, fused);
    check_differ(&l, &r);
    check_everywhere(statements, in, 3, left ? &l : &r);
    free(left ? r.v : l.v);
    free(ab.v);
    free(bc.v);
}

#define TRIPLE(sizes, a, b, c, z, product)                                     \
    sizes "in a : T[" a "]\nin b : T[" b "]\nin c : T[" c "]\n"                \
          "einsum t[i, l] = " product "\nout z : T[" z "] = t\n"
#define KNOWN(product) TRIPLE("", "20, 5", "5, 40", "40, 2", "20, 2", product)
#define SYMBOLIC(product)                                                      \
    TRIPLE("size i, j, k, l\n", "i, j", "j, k", "k, l", "i, l", product)

/* The cheapest path, a tie from left to right, and paths that are given. */
START_TEST(paths)
{
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        check_triple(KNOWN("a[i, j]*b[j, k]*c[k, l]"), false, true);
        check_triple(KNOWN("(a[i, j]*b[j, k])*c[k, l]"), true, true);
        check_triple(SYMBOLIC("a[i, j]*b[j, k]*c[k, l]"), true, true);
        check_triple(SYMBOLIC("a[i, j]*b[j, k]*c[k, l] rounded"), true, false);
        check_triple(SYMBOLIC("a[i, j]*(b[j, k]*c[k, l])"), false, true);
    }
}
END_TEST

/* Between pairs nothing is rounded to the result's dtype: f32 operands with f64
 * sums have one conversion, at the end. */
START_TEST(wide_accumulator)
{
    single = true;
    numbers in[] = {noise(2, PI, PJ, 0), noise(2, PJ, PK, 0),
                    noise(2, PK, PL, 0)};
    single = false;
    numbers bc = matrix_product(&in[1], &in[2], true);
    numbers want = matrix_product(&in[0], &bc, true);
    single = true;
    numbers bc32 = matrix_product(&in[1], &in[2], true);
    numbers other = matrix_product(&in[0], &bc32, true);
    for (int64_t i = 0; i < count(&want); i++)
        want.v[i] = rounded(want.v[i]);
    check_differ(&want, &other);
    free(bc.v);
    free(bc32.v);
    free(other.v);
    check_everywhere(KNOWN("a[i, j]*b[j, k]*c[k, l] acc f64"), in, 3, &want);
}
END_TEST

/* ---- complex numbers ---- */

/* A number; real ones have no imaginary part. */
typedef struct complex_number {
    double re, im;
    bool complex;
} complex_number;

static double
fused(double x, double y, double sum)
{
    return with_term(sum, (term){x, y, true});
}

/* sum + a*b by the definition's multiply-adds. */
static void
add_product(complex_number a, complex_number b, complex_number *sum)
{
    sum->re = fused(a.re, b.re, sum->re);
    if (a.complex && b.complex)
        sum->re = fused(-a.im, b.im, sum->re);
    if (b.complex)
        sum->im = fused(a.re, b.im, sum->im);
    if (a.complex)
        sum->im = fused(a.im, b.re, sum->im);
}

enum { CI = 2, CJ = 67, CL = 3 };

/* What is multiplied: a[i, j]*b[j, l], and a[i, j]*b[j, 0] in lanes; conj(a)
 * where it is conjugated. */
typedef struct complex_case {
    bool complex[2], chain, conjugated;
    complex_number a[CI * CJ], b[CJ * CL], z[CI * CL];
} complex_case;

static complex_number
any_number(bool complex)
{
    complex_number x = {.complex = complex};
    double *part[2] = {&x.re, &x.im};
    for (int i = 0; i <= complex; i++) {
        double v = rounded((double)draw(-1000003, 1000003) / 1000033.0);
        *part[i] = draw(0, 150) == 0 ? INFINITY : draw(0, 40) == 0 ? -0.0 : v;
    }
    return x;
}

/* The first factor, which is conjugated before it is multiplied. */
static complex_number
first_factor(const complex_case *c, int i, int j)
{
    complex_number a = c->a[i * CJ + j];
    a.im = c->conjugated ? -a.im : a.im;
    return a;
}

static complex_number
summed_product(const complex_case *c, int i, int l)
{
    enum { MOST = 32 };
    bool complex = c->complex[0] || c->complex[1];
    int bytes = (single ? 4 : 8) * (complex ? 2 : 1);
    int lanes = c->chain ? 1 : 256 / bytes;
    complex_number lane[64];
    for (int j = 0; j < lanes; j++)
        lane[j] = (complex_number){-0.0, -0.0, complex};
    for (int j = 0; j < CJ; j++)
        add_product(first_factor(c, i, j), c->b[j * CL + l], &lane[j % lanes]);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) {
            lane[j].re = plus(lane[j].re, lane[j + half].re);
            lane[j].im = plus(lane[j].im, lane[j + half].im);
        }
    lane[0].im = complex ? lane[0].im : 0.0;
    return lane[0];
}

static ilex_dtype
dtype_of(bool complex)
{
    return complex  ? single ? ILEX_C64 : ILEX_C128
           : single ? ILEX_F32
                    : ILEX_F64;
}

static const char *
dtype_name(bool complex)
{
    return ilex_dtype_name(dtype_of(complex));
}

static ilex_storage *
complex_storage(const complex_number *x, int rows, int columns, bool complex)
{
    ilex_dtype dtype = dtype_of(complex);
    ilex_storage *s =
        ilex_storage_full(ctx, dtype, 2, (int64_t[]){rows, columns}, 7);
    char *to = ilex_storage_data(s);
    size_t bytes = ilex_dtype_bytes(dtype);
    for (int i = 0; x && i < rows * columns; i++)
        ix_value_store(dtype, to + (size_t)i * bytes,
                       (ix_value){.f = x[i].re, .im = x[i].im});
    return s;
}

static void
check_complex(const char *name, const char *text, const complex_case *c)
{
    ilex_program *p = compile_for(name, text);
    ilex_dtype dtype = dtype_of(true);
    int columns = c->chain ? CL : 1;
    if (!p)
        return;
    ilex_binding bound[3] = {
        ILEX_BIND("a", complex_storage(c->a, CI, CJ, c->complex[0])),
        ILEX_BIND("b", complex_storage(c->b, CJ, CL, c->complex[1])),
        ILEX_BIND("z", complex_storage(NULL, CI, columns, true))};
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, bound, 3, &call), "%s: %s", name, call.error);
    const char *z = ilex_storage_const_data(bound[2].storage);
    for (int i = 0; i < CI * columns; i++) {
        const complex_number *w = &c->z[i];
        ix_value v =
            ix_value_load(dtype, z + (size_t)i * ilex_dtype_bytes(dtype));
        ck_assert_msg(
            ix_value_same(dtype, v, (ix_value){.f = w->re, .im = w->im}),
            "%s: %a %a, not %a %a, at %d of\n%s", name, v.f, v.im, w->re, w->im,
            i, text);
    }
    for (int i = 0; i < 3; i++)
        ilex_storage_release(bound[i].storage);
    ilex_program_release(p);
}

/* Row 0 of what is conjugated and column 0 of the other one lie on the real
 * axis: the sign of the zeros that their products add to tells where the
 * conjugate was taken. */
static void
draw_case(complex_case *c)
{
    for (int i = 0; i < CI * CJ; i++)
        c->a[i] = any_number(c->complex[0]);
    for (int j = 0; j < CJ * CL; j++)
        c->b[j] = any_number(c->complex[1]);
    for (int j = 0; j < CJ && c->conjugated; j++)
        c->a[j].im = c->b[j * CL].im = 0.0;
    int columns = c->chain ? CL : 1;
    for (int i = 0; i < CI * columns; i++)
        c->z[i] = summed_product(c, i / columns, i % columns);
}

/* Real and complex factors, chains and lanes, in the accumulator's dtype; of
 * real ones the sum is real. A conjugate is taken before the product. */
START_TEST(complex_factors)
{
    static const char *const statements[] = {
        "let v = b[:, 0]\neinsum s[i] = a[i, j]*v[j]\n"
        "let t = reshape(s; shape=[2, 1])",
        "einsum t[i, l] = a[i, j]*b[j, l]",
        "let t = reshape(vecdot(a, b[:, 0]); shape=[2, 1])",
        "einsum t[i, l] = conj(a[i, j])*b[j, l]"};
    for (int kind = 0; kind < 32; kind++) {
        complex_case c = {.complex = {kind & 1, (kind & 2) != 0},
                          .chain = (kind & 4) != 0,
                          .conjugated = (kind & 8) != 0};
        char text[400];
        single = (kind & 16) != 0;
        draw_case(&c);
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nin a : %s[2, 67]\nin b : %s[67, 3]\n"
                 "%s\nout z : %s[2, %d] = %s(t)\n",
                 dtype_name(c.complex[0]), dtype_name(c.complex[1]),
                 statements[kind / 4 % 4], dtype_name(true), c.chain ? CL : 1,
                 dtype_name(true));
        for (size_t i = 0; i < IX_COUNT(backends); i++)
            check_complex(backends[i], text, &c);
    }
}
END_TEST

/* The product of two real factors on a path is real: an infinite part of the
 * third one meets no zero. */
START_TEST(real_pairs)
{
    static const char text[] =
        "ilex 1\nprogram p\nin a : f64[2, 2]\nin b : f64[2, 2]\n"
        "in c : c128[2, 2]\n"
        "einsum t[i, l] = (a[i, j]*b[j, k])*c[k, l]\nout z : c128[2, 2] = t\n";
    static const char *const names[] = {"a", "b", "c", "z"};
    complex_number one[4], other[4];
    single = false;
    for (int i = 0; i < 4; i++) {
        one[i] = (complex_number){.re = 1};
        other[i] = (complex_number){1, INFINITY, true};
    }
    for (size_t i = 0; i < IX_COUNT(backends); i++) {
        ilex_program *p = compile_for(backends[i], text);
        ilex_binding bound[4];
        ilex_call call = {.size = sizeof call};
        for (int k = 0; p && k < 4; k++)
            bound[k] = (ilex_binding)ILEX_BIND(names[k],
                                               complex_storage(k < 2    ? one
                                                               : k == 2 ? other
                                                                        : NULL,
                                                               2, 2, k >= 2));
        if (!p)
            continue;
        ck_assert_msg(!ilex_run(p, bound, 4, &call), "%s", call.error);
        const double *z = ilex_storage_const_data(bound[3].storage);
        ck_assert_msg(z[0] == 4 && z[1] == INFINITY, "%s: %g %g", backends[i],
                      z[0], z[1]);
        for (int k = 0; k < 4; k++)
            ilex_storage_release(bound[k].storage);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("contractions", matrix_products, products_in_maps,
                     rounded_products, stretched_labels, rounded_once,
                     two_labels, no_elements, matrix_times_vector, paths,
                     wide_accumulator, complex_factors, real_pairs);
}
