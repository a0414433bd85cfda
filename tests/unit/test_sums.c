/* SPDX-License-Identifier: MIT
 *
 * The order in which sums are formed, pinned on numbers where it matters: every
 * back end, with one to three threads, gives the bits of loops written here
 * from the definition (doc/ilx.md), and other orders give other bits.
 */
#include <math.h>

#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* ---- the definition, on elements in C order of the reduced indices ---- */

enum { CHUNK = 4096, MOST_LANES = 64, INPUTS = 3, RANK = 4 };

static bool single; /* f32 instead of f64 */

static double
rounded(double x)
{
    return single ? (double)(float)x : x;
}

static double
plus(double a, double b)
{
    return rounded(a + b);
}

/* Partial results combined pairwise in order: the largest power of two that is
 * less than all of them on the left. */
static double
pairwise(const double *v, int64_t n)
{
    int64_t left = 1;
    if (n == 1)
        return v[0];
    while (2 * left < n)
        left *= 2;
    return plus(pairwise(v, left), pairwise(v + left, n - left));
}

/* Element i goes to lane i mod lanes; lane j and lane j + half are added. */
static double
in_lanes(const double *v, int64_t n, int lanes)
{
    double lane[MOST_LANES];
    for (int j = 0; j < lanes; j++)
        lane[j] = -0.0;
    for (int64_t i = 0; i < n; i++)
        lane[i % lanes] = plus(lane[i % lanes], v[i]);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] = plus(lane[j], lane[j + half]);
    return lane[0];
}

/* One axis: chunks of "chunk" elements. */
static double
along(const double *v, int64_t n, int64_t chunk, int lanes)
{
    int64_t m = 0;
    double *part = malloc(((size_t)(n / chunk) + 2) * sizeof *part), sum;
    for (int64_t i = 0; i < n; i += chunk)
        part[m++] = in_lanes(v + i, n - i < chunk ? n - i : chunk, lanes);
    sum = m ? pairwise(part, m) : 0.0;
    free(part);
    return sum;
}

/* How the elements of one result are added. */
typedef enum order {
    CHAIN,    /* through all axes, chunks on the first */
    ONE_LANE, /* each axis by itself */
    LANES     /* and lanes on the last one */
} order;

static double
summed(const double *v, int64_t outer, int64_t inner, order how)
{
    int lanes = how == LANES ? (single ? 64 : 32) : 1;
    if (how == CHAIN)
        return along(v, outer * inner, CHUNK * inner, 1);
    double *part = malloc((size_t)(outer + 1) * sizeof *part), sum;
    for (int64_t i = 0; i < outer; i++)
        part[i] = along(v + i * inner, inner, CHUNK, lanes);
    sum = along(part, outer, CHUNK, 1);
    free(part);
    return inner == 1 ? along(v, outer, CHUNK, lanes) : sum;
}

/* ---- programs and their numbers ---- */

/* An array of doubles, which a storage of either dtype is made of. */
typedef struct numbers {
    int rank;
    int64_t n[RANK];
    double *v;
} numbers;

static int64_t
count(const numbers *x)
{
    int64_t n = 1;
    for (int k = 0; k < x->rank; k++)
        n *= x->n[k];
    return n;
}

static numbers
make(int rank, int64_t n0, int64_t n1, int64_t n2)
{
    numbers x = {.rank = rank, .n = {n0, n1, n2}};
    x.v = calloc((size_t)count(&x) + 1, sizeof *x.v);
    return x;
}

/* Numbers with full mantissas and of several magnitudes. */
static numbers
noise(int rank, int64_t n0, int64_t n1, int64_t n2)
{
    numbers x = make(rank, n0, n1, n2);
    for (int64_t i = 0; i < count(&x); i++)
        x.v[i] = rounded(ldexp((double)draw(-1000003, 1000003) / 1000033.0,
                               (int)draw(-6, 6)));
    return x;
}

static double
at(const numbers *x, int64_t i, int64_t j, int64_t k)
{
    int64_t n1 = x->rank > 1 ? x->n[1] : 1, n2 = x->rank > 2 ? x->n[2] : 1;
    return x->v[(i * n1 + j) * n2 + k];
}

static ilex_storage *
storage_of(const numbers *x)
{
    ilex_storage *s =
        ilex_storage_full(ctx, single ? ILEX_F32 : ILEX_F64, x->rank, x->n, 7);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; x->v && i < count(x); i++) {
        if (single)
            ((float *)ilex_storage_data(s))[i] = (float)x->v[i];
        else
            ((double *)ilex_storage_data(s))[i] = x->v[i];
    }
    return s;
}

/* Same bits? */
static bool
is_same(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static void
check_result(const ilex_storage *z, const numbers *want, const char *who,
             const char *text)
{
    for (int64_t i = 0; i < count(want); i++) {
        const void *data = ilex_storage_const_data(z);
        double have = single ? (double)((const float *)data)[i]
                             : ((const double *)data)[i];
        ck_assert_msg(is_same(have, want->v[i]), "%s: %a, not %a, at %d of\n%s",
                      who, have, want->v[i], (int)i, text);
    }
}

/* ---- back ends ---- */

static const char *const backends[] = {"reference", "tcc", "cc", "cuda"};

/* NULL where the back end was not built. */
static ilex_program *
compile_for(const char *name, const char *text)
{
    bool cuda = !strcmp(name, "cuda");
    ck_assert_int_eq(ilex_option_set(ctx, "jit", cuda ? "reference" : name),
                     ILEX_OK);
    ilex_module *m = parse(text);
    ilex_program *p =
        cuda ? cuda_shim_compile(m, NULL) : ilex_compile_module(m);
    ilex_module_free(m);
    ck_assert_msg(p || take_error() == ILEX_E_UNSUPPORTED, "%s: %s", name,
                  text);
    return p;
}

static void
run_on(const char *name, const char *text, const numbers *in, int n,
       const numbers *want)
{
    static const char *const names[] = {"a", "b", "c"};
    ilex_program *p = compile_for(name, text);
    for (int threads = 1; p && threads <= 3; threads++) {
        ilex_binding bound[INPUTS + 1];
        ilex_call call = {.size = sizeof call, .threads = threads};
        numbers out = *want;
        out.v = NULL;
        for (int i = 0; i < n; i++)
            bound[i] = (ilex_binding)ILEX_BIND(names[i], storage_of(&in[i]));
        bound[n] = (ilex_binding)ILEX_BIND("z", storage_of(&out));
        ck_assert_msg(!ilex_run(p, bound, (size_t)n + 1, &call), "%s: %s", name,
                      call.error);
        check_result(bound[n].storage, want, name, text);
        for (int i = 0; i <= n; i++)
            ilex_storage_release(bound[i].storage);
    }
    ilex_program_release(p);
}

/* Runs "statements" on the inputs everywhere; frees all numbers. In the text
 * "T" stands for the dtype. */
static void
check_everywhere(const char *statements, numbers *in, int n, numbers *want)
{
    char text[1000] = "ilex 1\nprogram p\n", *t = text + strlen(text);
    for (const char *s = statements; *s; s++) {
        if (*s == 'T')
            t += sprintf(t, "%s", single ? "f32" : "f64");
        else
            *t++ = *s;
    }
    *t = 0;
    for (size_t i = 0; i < IX_COUNT(backends); i++)
        run_on(backends[i], text, in, n, want);
    for (int i = 0; i < n; i++)
        free(in[i].v);
    free(want->v);
}

/* ---- sums of one array ---- */

/* Sums over the last axis of x in this order. */
static numbers
row_sums(const numbers *x, order how)
{
    int64_t n = x->n[x->rank - 1], rows = n ? count(x) / n : 0;
    numbers z = make(x->rank - 1, x->n[0], 0, 0);
    for (int64_t i = 0; i < rows; i++)
        z.v[i] = summed(x->v + i * n, n, 1, how);
    return z;
}

/* The two are not equal, or the test says nothing. */
static void
check_differ(const numbers *x, const numbers *y)
{
    bool same = true;
    for (int64_t i = 0; i < count(x); i++)
        same &= is_same(x->v[i], y->v[i]);
    ck_assert_msg(!same, "another order gives the same bits: %d results of %s",
                  (int)count(x), single ? "f32" : "f64");
}

static void
check_rows(const char *statements, int rank, int64_t rows, int64_t n, order how)
{
    numbers x = rank == 2 ? noise(2, rows, n, 0) : noise(1, n, 0, 0);
    numbers want = row_sums(&x, how),
            other = row_sums(&x, how == LANES ? ONE_LANE : LANES);
    check_differ(&want, &other);
    free(other.v);
    check_everywhere(statements, &x, 1, &want);
}

/* A length that is known and shorter than the lanes: one lane, but only where
 * the result has an axis. */
START_TEST(short_rows)
{
    static const char known[] = "size n\nin a : T[n, %d]\n"
                                "out z : T[n] = sum[1](a)\n";
    char text[200];
    for (int f = 0; f < 2; f++) {
        single = f == 1;
        const int lengths[] = {
            3, 4, 5, single ? 63 : 31, single ? 64 : 32, single ? 65 : 33};
        for (size_t i = 0; i < IX_COUNT(lengths); i++) {
            snprintf(text, sizeof text, known, lengths[i]);
            check_rows(text, 2, 37, lengths[i], i < 4 ? ONE_LANE : LANES);
        }
        check_rows("size n, m\nin a : T[n, m]\nout z : T[n] = sum[1](a)\n", 2,
                   37, 3, LANES);
        check_rows("in a : T[23]\nout z : T = sum[0](a)\n", 1, 0, 23, LANES);
    }
}
END_TEST

/* Rows of several chunks. */
START_TEST(long_rows)
{
    single = false;
    check_rows("size n, m\nin a : T[n, m]\nout z : T[n] = sum[1](a)\n", 2, 3,
               7 * CHUNK + 5, LANES);
    check_rows("in a : T[2, 9000]\nout z : T[2] = sum[1](a)\n", 2, 2, 9000,
               LANES);
}
END_TEST

/* A whole array: its chunks are shared by threads. */
START_TEST(whole_arrays)
{
    const int64_t lengths[] = {CHUNK - 1,     CHUNK,     CHUNK + 1,
                               3 * CHUNK + 1, 4 * CHUNK, 7 * CHUNK + 5};
    char text[200];
    for (size_t i = 0; i < IX_COUNT(lengths); i++) {
        single = i % 2 == 1;
        check_rows("size n\nin a : T[n]\nout z : T = sum[0](a)\n", 1, 0,
                   lengths[i], LANES);
        snprintf(text, sizeof text, "in a : T[%d]\nout z : T = sum[0](a)\n",
                 (int)lengths[i]);
        check_rows(text, 1, 0, lengths[i], LANES);
    }
}
END_TEST

/* ---- sums of products ---- */

/* The factors of one element: result indices i and l, reduced ones j and k. */
typedef double (*element)(const numbers *in, int64_t i, int64_t l, int64_t j,
                          int64_t k);

static numbers
contracted(const numbers *in, element f, int64_t ni, int64_t nl, int64_t nj,
           int64_t nk, order how)
{
    numbers z = make(2, ni, nl, 0);
    double *v = malloc((size_t)(nj * nk + 1) * sizeof *v);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t l = 0; l < nl; l++) {
            for (int64_t j = 0; j < nj; j++)
                for (int64_t k = 0; k < nk; k++)
                    v[j * nk + k] = rounded(f(in, i, l, j, k));
            z.v[i * nl + l] = nj && nk ? summed(v, nj, nk, how) : 0.0;
        }
    free(v);
    return z;
}

static double
rows_by_columns(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return at(&in[0], i, j, k) * at(&in[1], j, k, l);
}

/* of matrices */
static double
matrices(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)k;
    return at(&in[0], i, j, 0) * at(&in[1], j, l, 0);
}

static double
rows_by_rows(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return at(&in[0], i, j, k) * at(&in[1], l, j, k);
}

/* a[k, i, j]*b[j, k, l]: "j" of the element is k of the text */
static double
crossed(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    return at(&in[0], j, i, k) * at(&in[1], k, j, l);
}

enum { NI = 3, NL = 70 };

/* One chain; another order would give other bits, if there is another. */
static void
check_chain(const char *statements, element f, numbers *in, int64_t nl,
            int64_t nj, int64_t nk)
{
    numbers want = contracted(in, f, NI, nl, nj, nk, CHAIN);
    order others[] = {ONE_LANE, LANES};
    for (int i = nk > 1 ? 0 : 1; i < 2; i++) {
        numbers other = contracted(in, f, NI, nl, nj, nk, others[i]);
        check_differ(&want, &other);
        free(other.v);
    }
    check_everywhere(statements, in, 2, &want);
}

#define PAIR(x, y) ((numbers[]){x, y})

START_TEST(matrix_products)
{
    static const char ab[] = "size n, m, k\nin a : T[n, k]\nin b : T[k, m]\n"
                             "einsum t[i, l] = a[i, j]*b[j, l]\n"
                             "out z : T[n, m] = t\n",
                      abt[] = "size n, m, k\nin a : T[n, k]\nin b : T[m, k]\n"
                              "einsum t[i, l] = a[i, j]*b[l, j]\n"
                              "out z : T[n, m] = t\n",
                      map[] = "size n, m, k\nin a : T[n, k]\nin b : T[m, k]\n"
                              "map t[n, m] = sum[_r0:k](a[_0, _r0]*b[_1, _r0])"
                              "\nout z : T[n, m] = t\n";
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
    check_chain(map, rows_by_rows,
                PAIR(noise(2, NI, 90, 0), noise(2, 11, 90, 0)), 11, 90, 1);
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

static double
by_vector(const numbers *in, int64_t i, int64_t l, int64_t j, int64_t k)
{
    (void)l;
    return at(&in[0], i, j, k) * at(&in[1], j, k, 0);
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
matrix_product(const numbers *x, const numbers *y)
{
    numbers z = make(2, x->n[0], y->n[1], 0);
    double v[PK];
    for (int64_t i = 0; i < z.n[0]; i++)
        for (int64_t l = 0; l < z.n[1]; l++) {
            for (int64_t j = 0; j < x->n[1]; j++)
                v[j] = rounded(at(x, i, j, 0) * at(y, j, l, 0));
            z.v[i * z.n[1] + l] = summed(v, x->n[1], 1, CHAIN);
        }
    return z;
}

/* a*b*c with the pair on the left or on the right formed first. */
static void
check_triple(const char *statements, bool left)
{
    numbers in[] = {noise(2, PI, PJ, 0), noise(2, PJ, PK, 0),
                    noise(2, PK, PL, 0)};
    numbers ab = matrix_product(&in[0], &in[1]),
            bc = matrix_product(&in[1], &in[2]);
    numbers l = matrix_product(&ab, &in[2]), r = matrix_product(&in[0], &bc);
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
        check_triple(KNOWN("a[i, j]*b[j, k]*c[k, l]"), false);
        check_triple(KNOWN("(a[i, j]*b[j, k])*c[k, l]"), true);
        check_triple(SYMBOLIC("a[i, j]*b[j, k]*c[k, l]"), true);
        check_triple(SYMBOLIC("a[i, j]*(b[j, k]*c[k, l])"), false);
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
    numbers bc = matrix_product(&in[1], &in[2]);
    numbers want = matrix_product(&in[0], &bc);
    single = true;
    numbers bc32 = matrix_product(&in[1], &in[2]);
    numbers other = matrix_product(&in[0], &bc32);
    for (int64_t i = 0; i < count(&want); i++)
        want.v[i] = rounded(want.v[i]);
    check_differ(&want, &other);
    free(bc.v);
    free(bc32.v);
    free(other.v);
    check_everywhere(KNOWN("a[i, j]*b[j, k]*c[k, l] acc f64"), in, 3, &want);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("sums", short_rows, long_rows, whole_arrays,
                     matrix_products, two_labels, no_elements,
                     matrix_times_vector, paths, wide_accumulator);
}
