/* SPDX-License-Identifier: MIT
 *
 * Paths of einsums: which one is chosen, which one parentheses give, and
 * products that are not cut into pairs.
 */
#include "ilex/kinds.h"
#include "lib/build/einsum.h"
#include "tests/unit/graph_fixture.h"

/* ---- einsums from a line of text ---- */

enum { MOST = ILEX_MAX_RANK };

/* "ij,jk->ik" over inputs with the lengths of "shapes": "2 3; 3 n". */
static ilex_array *
einsum(const char *subscripts, const char *shapes)
{
    ilex_array *x[MOST];
    char name[8], domain[200];
    int n = 0;
    while (*shapes) {
        size_t length = strcspn(shapes, ";"), m = 0;
        for (size_t i = 0; i < length; i++)
            if (shapes[i] == ' ' && i + 1 < length)
                m += (size_t)sprintf(domain + m, ", ");
            else if (shapes[i] != ' ')
                domain[m++] = shapes[i];
        domain[m] = 0;
        snprintf(name, sizeof name, "x%d", n);
        x[n++] = ilex_input(ctx, name, ILEX_F64, domain);
        shapes += length + (shapes[length] == ';');
    }
    ilex_array *r = ilex_einsum(ctx, subscripts, n, x);
    ck_assert_msg(!ilex_is_poison(r) || ilex_error_code(ctx), "%s", subscripts);
    return r;
}

/* The path as text: operands a, b, c, ... in parentheses. */
static void
write_path(const ilex_array *n, char *text)
{
    char part[MOST][100];
    ix_einsum e;
    int depth = 0;
    ix_einsum_read(n, &e);
    part[0][0] = 0;
    for (int i = 0; i < e.path.n; i++) {
        char both[100];
        if (e.path.step[i] != IX_MULTIPLY) {
            snprintf(part[depth++], 100, "%c", 'a' + e.path.step[i]);
            continue;
        }
        depth--;
        snprintf(both, sizeof both, "(%.40s%.40s)", part[depth - 1],
                 part[depth]);
        memcpy(part[depth - 1], both, sizeof both);
    }
    strcpy(text, part[0]);
}

static void
check_path(const char *subscripts, const char *shapes, const char *want)
{
    char have[100];
    ilex_array *r = einsum(subscripts, shapes);
    check_fine();
    write_path(r, have);
    ck_assert_msg(!strcmp(have, want), "%s of %s: %s, not %s", subscripts,
                  shapes, have, want);
}

/* ---- dtypes ---- */

/* i16 and u16 alone have i32 in common, which f32 would take to f64. */
START_TEST(dtypes_in_any_order)
{
    static const ilex_dtype dtype[3] = {ILEX_I16, ILEX_U16, ILEX_F32};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < IX_COUNT(order); i++) {
        ilex_array *x[3];
        for (int k = 0; k < 3; k++)
            x[k] = ilex_input(ctx, (const char *[]){"x", "y", "z"}[order[i][k]],
                              dtype[order[i][k]], "n, n");
        ck_assert_int_eq(ilex_array_dtype(ilex_einsum(ctx, "ij,jk,kl", 3, x)),
                         ILEX_F32);
        ck_assert_int_eq(ilex_array_dtype(ilex_concat(ctx, 3, x, "0")),
                         ILEX_F32);
        ck_assert_int_eq(
            ilex_array_dtype(ilex_einsum(ctx, "ij,jk", 2, x)),
            ilex_dtype_promote(dtype[order[i][0]], dtype[order[i][1]]));
    }
    check_fine();
}
END_TEST

/* ---- the best path ---- */

START_TEST(best_paths)
{
    check_path("ij,jk->ik", "2 3;3 4", "");
    check_path("ij,jk,kl->il", "20 3;3 4;4 2", "(a(bc))");
    check_path("ij,jk,kl->il", "2 4;4 3;3 20", "((ab)c)");
    check_path("ij,jk,kl->il", "n m;m p;p q", "((ab)c)"); /* a tie */
    check_path("ij,jk,kl->il", "n m;m p;p 2", "(a(bc))"); /* 64, 64, 64, 2 */
    check_path("ij,jk,kl->il", "n m;m p;p 65", "((ab)c)");
    check_path("ij,jk,kl->il", "65 m;m p;p q", "(a(bc))");
    check_path("ij,kl,jk->il", "n m;p q;m p", "((ac)b)");
    check_path("i,i,i,i->i", "n;n;n;n", "(((ab)c)d)"); /* ties throughout */
    /* of a finite element method */
    check_path("dij,ej,ej,dej->ei", "3 n m;p m;p m;3 p m", "(a((bc)d))");
    /* a label summed early, a scalar, a diagonal, a stretched axis */
    check_path("ij,jk,kl->i", "n n;n n;n n", "(a(bc))");
    check_path("ij,,jk->ik", "n m;;m p", "((ab)c)");
    check_path("ii,ij,jk->k", "n n;n m;m p", "((ab)c)");
    check_path("ij,jk,kl->il", "n 1;m p;p 2", "(a(bc))");
    /* a chain of ten: N^3 by pairs, from the short end */
    check_path("ab,bc,cd,de,ef,fg,gh,hi,ij,j->a",
               "n n;n n;n n;n n;n n;n n;n n;n n;n n;n",
               "(a(b(c(d(e(f(g(h(ij)))))))))");
    /* greedy beyond ten */
    check_path("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,k->a",
               "n n;n n;n n;n n;n n;n n;n n;n n;n n;n n;n",
               "(a(b(c(d(e(f(g(h(i(jk))))))))))");
}
END_TEST

/* ---- what a path costs, worked out by hand ---- */

static void
check_cost(const char *subscripts, const char *shapes, const char *want)
{
    char *have = ilex_einsum_path(einsum(subscripts, shapes));
    check_fine();
    ck_assert_msg(have && !strcmp(have, want), "%s of %s:\n%s", subscripts,
                  shapes, have);
    ilex_text_free(ctx, have);
}

START_TEST(costs)
{
    check_cost("ij,jk->ik", "n m;m 3",
               "0*1: 2*n*m*3 flops, n*3 elements\n"
               "flops: 2*n*m*3\nlargest: n*3 elements\n");
    /* 168; from the other end (0*1)*2 takes 2*20*3*4 + 2*20*4*2 = 800 */
    check_cost("ij,jk,kl->il", "20 3;3 4;4 2",
               "1*2: 2*3*4*2 flops, 3*2 elements\n"
               "0*(1*2): 2*20*3*2 flops, 20*2 elements\n"
               "flops: 2*3*4*2 + 2*20*3*2\nlargest: 20*2 elements\n");
    check_cost("ij,jk,kl->il", "n n;n n;n 2",
               "1*2: 2*n*n*2 flops, n*2 elements\n"
               "0*(1*2): 2*n*n*2 flops, n*2 elements\n"
               "flops: 2*n*n*2 + 2*n*n*2\nlargest: n*2 elements\n");
    check_cost("(ij,jk),kl->il", "n n;n n;n 2",
               "0*1: 2*n*n*n flops, n*n elements\n"
               "0*1*2: 2*n*n*2 flops, n*2 elements\n"
               "flops: 2*n*n*n + 2*n*n*2\nlargest: n*n elements\n");
    /* nothing is summed; a sum of one operand; its elements in another order */
    check_cost("i,j->ij", "n;m+1",
               "0*1: n*(m+1) flops, n*(m+1) elements\n"
               "flops: n*(m+1)\nlargest: n*(m+1) elements\n");
    check_cost("ij->j", "n m",
               "0: n*m flops, m elements\nflops: n*m\nlargest: m elements\n");
    check_cost("ij->ji", "n m",
               "0: 0 flops, n*m elements\nflops: 0\nlargest: n*m elements\n");
    /* a label of length 1 is as long as it is elsewhere; a number */
    check_cost("ij,jk->", "n 1;m 4",
               "0*1: 2*n*m*4 flops, 1 elements\n"
               "flops: 2*n*m*4\nlargest: 1 elements\n");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ck_assert_ptr_null(ilex_einsum_path(x));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
}
END_TEST

/* The best of all trees, found by trying them: sets of operands as bits. */
static double
least_cost(const ix_einsum *e, const double *length, uint32_t set)
{
    uint32_t low = set & (~set + 1);
    double best = -1;
    if (set == low)
        return 0;
    for (uint32_t right = (set - 1) & set; right; right = (right - 1) & set) {
        uint64_t labels = 0;
        const uint32_t side[2] = {set & ~right, right};
        if (right & low)
            continue;
        for (int s = 0; s < 2; s++) {
            uint64_t own = 0;
            for (int i = 0; i < e->count; i++)
                own |= side[s] >> i & 1 ? ix_labels_set(&e->labels[i]) : 0;
            bool alone = (side[s] & (side[s] - 1)) == 0;
            labels |= alone ? own : own & ix_einsum_needed(e, side[s]);
        }
        double cost = least_cost(e, length, side[0]) +
                      least_cost(e, length, side[1]),
               product = 1;
        for (int l = 0; l < IX_EINSUM_LABELS; l++)
            product *= labels >> l & 1 ? length[l] : 1;
        cost += product;
        best = best < 0 || cost < best ? cost : best;
    }
    return best;
}

/* What the path of "e" costs. */
static double
path_cost(const ix_einsum *e, const double *length)
{
    uint32_t set[MOST];
    uint64_t labels[MOST];
    double cost = 0;
    int n = 0;
    for (int i = 0; i < e->path.n; i++) {
        int step = e->path.step[i];
        double product = 1;
        if (step != IX_MULTIPLY) {
            set[n] = UINT32_C(1) << step;
            labels[n++] = ix_labels_set(&e->labels[step]);
            continue;
        }
        n--;
        set[n - 1] |= set[n];
        labels[n - 1] |= labels[n];
        for (int l = 0; l < IX_EINSUM_LABELS; l++)
            product *= labels[n - 1] >> l & 1 ? length[l] : 1;
        labels[n - 1] &= ix_einsum_needed(e, set[n - 1]);
        cost += product;
    }
    ck_assert_int_eq(n, 1);
    return cost;
}

START_TEST(no_path_is_better)
{
    for (int round = 0; round < 300; round++) {
        char subscripts[100], shapes[200], *s = subscripts, *t = shapes;
        int extent[8], count = (int)draw(3, 6);
        double length[IX_EINSUM_LABELS] = {0};
        for (int l = 0; l < 8; l++)
            extent[l] = (int)draw(1, 30);
        for (int i = 0; i < count; i++) {
            for (int64_t k = draw(1, 3), l = draw(0, 4); k > 0; k--) {
                s += sprintf(s, "%c", (char)('A' + l));
                t += sprintf(t, "%d ", extent[l]);
                l++;
            }
            s += sprintf(s, "%s", i + 1 < count ? "," : "->");
            t += sprintf(t, "%s", i + 1 < count ? ";" : "");
        }
        if (draw(0, 1))
            sprintf(s, "%c", subscripts[0]);
        ix_einsum e;
        ilex_array *r = einsum(subscripts, shapes);
        check_fine();
        ix_einsum_read(r, &e);
        for (int i = 0; i < e.count; i++)
            for (int k = 0; k < e.labels[i].n; k++)
                length[e.labels[i].label[k]] =
                    (double)e.operand[i]->interior->ax[k].hi->c;
        double have = path_cost(&e, length),
               want = least_cost(&e, length, (1u << count) - 1);
        ck_assert_msg(have == want, "%s of %s: %g, not %g", subscripts, shapes,
                      have, want);
    }
}
END_TEST

/* ---- paths that are given ---- */

START_TEST(given_paths)
{
    static const char shapes[] = "n m;m p;p q";
    check_path("(ij,jk),kl->il", shapes, "((ab)c)");
    check_path("ij,(jk,kl)->il", shapes, "(a(bc))");
    check_path(" ( ij , jk ) , kl -> il", shapes, "((ab)c)");
    check_path("((ij,jk)),((kl))->il", shapes, "((ab)c)");
    check_path("(ij,jk,kl)->il", "20 3;3 4;4 2", "((ab)c)");
    check_path("(ij),jk,kl->il", "20 3;3 4;4 2", "(a(bc))"); /* gives none */
    check_path("(ij,jk),(kl,lm)", "n n;n n;n n;n n", "((ab)(cd))");
    check_path("(...j,jk),k...", "2 n m;m p;p n", "((ab)c)");
    ck_assert_ptr_eq(einsum("(ij,jk),kl->il", shapes),
                     einsum("ij,jk,kl->il", shapes));
    ck_assert_ptr_ne(einsum("ij,(jk,kl)->il", shapes),
                     einsum("ij,jk,kl->il", shapes));
    ck_assert_ptr_eq(einsum("(ij,jk)->ik", "n m;m p"),
                     einsum("ij,jk->ik", "n m;m p"));
}
END_TEST

/* ---- limits ---- */

START_TEST(refused)
{
    static const struct {
        const char *subscripts, *shapes, *message;
    } bad[] = {
        {"(ij,jk,kl->il", "n n;n n;n n", "expected ',' or ')'"},
        {"ij,jk),kl->il", "n n;n n;n n", "term for every operand"},
        {"(ij,jk),kl)->il", "n n;n n;n n", "expected '->' or the end"},
        {"ij(jk),kl->il", "n n;n n;n n", "term for every operand"},
        {"(ij,jk),kl,lm->i", "n n;n n;n n", "more terms than operands"},
        {"ij->(ij)", "n n", "expected the end"},
        {"((((((((((((((((((ij))))))))))))))))))->i", "n n", "parentheses"},
    };
    for (size_t i = 0; i < IX_COUNT(bad); i++) {
        ck_assert(ilex_is_poison(einsum(bad[i].subscripts, bad[i].shapes)));
        ck_assert_msg(strstr(ilex_error_text(ctx), bad[i].message) != NULL,
                      "%s: %s", bad[i].subscripts, ilex_error_text(ctx));
        ck_assert_int_eq(take_error(), ILEX_E_EINSUM);
    }
}
END_TEST

/* Three operands of which any two have a product of more than 16 axes. */
static const char wide[] = "ABCDEFopqrstuv,GHIJKopqrwxyz,LMNOPstuvwxyz->"
                           "ABCDEFGHIJKLMNOP";
static const char wide_shapes[] = "2 1 1 1 1 1 2 1 1 1 3 1 1 1;"
                                  "2 1 1 1 1 2 1 1 1 2 1 1 1;"
                                  "3 1 1 1 1 3 1 1 1 2 1 1 1";

/* They are multiplied at once; parentheses cannot help. */
START_TEST(too_wide_for_pairs)
{
    char text[200] = "(", *comma;
    check_path(wide, wide_shapes, "");
    strcat(text, wide);
    comma = strchr(strchr(text, ',') + 1, ',');
    memmove(comma + 1, comma, strlen(comma) + 1);
    *comma = ')';
    ck_assert(ilex_is_poison(einsum(text, wide_shapes)));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
}
END_TEST

/* The value of such a product: factors without the innermost label of the
 * result come first, (a*b)*c and not a*(b*c) or another order. */
START_TEST(one_product)
{
    const double a[2] = {1.0 / 3.0, 0.1}, b[2] = {0.7, 1.0 / 7.0},
                 c[3] = {1.0 / 11.0, 3.3, 0.9};
    ilex_array *x[3] = {ilex_input(ctx, "a", ILEX_F64, "2, 1, 1, 1, 1, 1"),
                        ilex_input(ctx, "c", ILEX_F64, "1, 1, 1, 1, 1, 3"),
                        ilex_input(ctx, "b", ILEX_F64, "2, 1, 1, 1, 1")};
    ix_labels labels[3] = {{6, {0, 1, 2, 3, 4, 5}},
                           {6, {11, 12, 13, 14, 15, 16}},
                           {5, {6, 7, 8, 9, 10}}},
              result = {3, {0, 6, 16}};
    ix_einsum e = {.acc = ILEX_F64, .result = result, .count = 3};
    for (int i = 0; i < 3; i++) {
        e.labels[i] = labels[i];
        e.operand[i] = x[i];
    }
    const ix_domain *d = domain("2, 2, 3");
    ilex_array *n = ix_einsum_node(ctx, &e, ILEX_F64, d, d);
    ilex_compile_spec spec = {.size = sizeof spec,
                              .names = (const char *[]){"z"}};
    ilex_program *p = ilex_compile(ctx, 1, &n, &spec);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *s[4] = {
        ilex_storage_zeros(ctx, ILEX_F64, 6, SHAPE(2, 1, 1, 1, 1, 1)),
        ilex_storage_zeros(ctx, ILEX_F64, 5, SHAPE(2, 1, 1, 1, 1)),
        ilex_storage_zeros(ctx, ILEX_F64, 6, SHAPE(1, 1, 1, 1, 1, 3)),
        ilex_storage_zeros(ctx, ILEX_F64, 3, SHAPE(2, 2, 3))};
    memcpy(ilex_storage_data(s[0]), a, sizeof a);
    memcpy(ilex_storage_data(s[1]), b, sizeof b);
    memcpy(ilex_storage_data(s[2]), c, sizeof c);
    run_program(p,
                (ilex_binding[]){ILEX_BIND("a", s[0]), ILEX_BIND("b", s[1]),
                                 ILEX_BIND("c", s[2]), ILEX_BIND("z", s[3])},
                4);
    const double *z = ilex_storage_const_data(s[3]);
    bool same = true;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++) {
                double want = a[i] * b[j], other = a[i] * c[k];
                want = -0.0 + want * c[k];
                ck_assert(z[(i * 2 + j) * 3 + k] == want);
                same &= other * b[j] == want;
            }
    ck_assert_msg(!same, "another order gives the same bits");
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i]);
    ilex_program_release(p);
}
END_TEST

/* ---- along the path ---- */

START_TEST(kept_labels)
{
    const ix_labels ej = {2, {4, 9}}, dej = {3, {3, 4, 9}}, ik = {2, {8, 10}};
    const uint64_t all = ~UINT64_C(0), e = UINT64_C(1) << 4;
    ix_labels keep;
    ix_einsum_keep(&ej, &dej, all, &keep); /* as the second has them */
    ck_assert(keep.n == 3 && keep.label[0] == 3 && keep.label[1] == 4);
    ix_einsum_keep(&ej, &dej, e, &keep);
    ck_assert(keep.n == 1 && keep.label[0] == 4);
    ix_einsum_keep(&dej, &ik, all, &keep); /* by first appearance */
    ck_assert(keep.n == 5 && keep.label[0] == 3 && keep.label[3] == 8);
}
END_TEST

static ilex_storage *
counting_field(const char *axes, int rank, const int64_t *shape)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "i64",
                              .rank = rank,
                              .shape = shape,
                              .axes = axes};
    ilex_storage *s = ilex_storage_new(NULL, &spec);
    ck_assert_ptr_nonnull(s);
    for (int64_t i = 0; i < ilex_storage_count(s); i++)
        ((int64_t *)ilex_storage_data(s))[i] = i;
    return s;
}

/* Pairs range over what the whole einsum ranges over: a and c alone have no
 * meeting that is known, and stretched axes stay short. */
START_TEST(pairs_meet)
{
    enum { N = 3, P = 4, Q = 5 };
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize n, p, q\nassume n <= p && n <= q\n"
                "in d : i64[I:n]\nin a : i64[I:p, J:2]\nin c : i64[I:q, J:2]\n"
                "in s : i64[1, 2]\nin t : i64[2, 1]\nin u : i64[n, 2]\n"
                "einsum r[i] = d[i]*a[i, j]*c[i, j]\n"
                "einsum q[i] = (s[i, j]*t[j, i])*u[i, j]\n"
                "out y : i64[I:n] = r\nout z : i64[n] = q\n");
    ilex_binding bound[] = {
        ILEX_BIND("d", counting_field("I", 1, SHAPE(N))),
        ILEX_BIND("a", counting_field("IJ", 2, SHAPE(P, 2))),
        ILEX_BIND("c", counting_field("IJ", 2, SHAPE(Q, 2))),
        ILEX_BIND("s", counting(2, SHAPE(1, 2))),
        ILEX_BIND("t", counting(2, SHAPE(2, 1))),
        ILEX_BIND("u", counting(2, SHAPE(N, 2))),
        ILEX_BIND("y", counting_field("I", 1, SHAPE(N))),
        ILEX_BIND("z", counting(1, SHAPE(N)))};
    run_program(p, bound, IX_COUNT(bound));
    const int64_t *y = ilex_storage_const_data(bound[6].storage),
                  *z = ilex_storage_const_data(bound[7].storage);
    for (int64_t i = 0; i < N; i++) {
        int64_t even = 2 * i, odd = 2 * i + 1;
        ck_assert_int_eq(y[i], i * (even * even + odd * odd));
        ck_assert_int_eq(z[i], odd);
    }
    for (size_t i = 0; i < IX_COUNT(bound); i++)
        ilex_storage_release(bound[i].storage);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("einsum", dtypes_in_any_order, best_paths, costs,
                     no_path_is_better, given_paths, refused,
                     too_wide_for_pairs, one_product, kept_labels, pairs_meet);
}
