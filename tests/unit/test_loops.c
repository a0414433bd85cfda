/* SPDX-License-Identifier: MIT
 *
 * Transformations of loops: what becomes of them, and why one is refused.
 */
#include "compiler/schedule/schedule.h"
#include "tests/unit/graph_fixture.h"

#define HEAD                                                                   \
    "ilex 1\nprogram p\nsize n, m, k\nassume n >= 4\nin x : f64[n, m]\nin z "  \
    ": f64[n, 4]\n"                                                            \
    "in e : f64[n, m, k]\nin f : f64[m, k, n]\nin p : i64[n]\nin q : i64[n]\n"

/* Carries out one line of text on kernel "k". */
static ix_refusal
carry_out(ix_unit *u, ix_kernel *k, const char *line)
{
    ix_directive d;
    ix_text wrong;
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text_init(&wrong, &mem);
    ck_assert_msg(
        ix_directive_parse(u, line, strlen(line), IX_LOOP_split, &d, &wrong),
        "%s", ix_text_string(&wrong));
    return ix_schedule_carry(u, k, &d);
}

static const char *const classes[] = {
    "done",
#define IX_REFUSAL(CLASS, text) text,
#include "compiler/loop/loops.def"
};

/* A directive for the last kernel before all others, or NULL. */
static const char *before;

/* The last kernel of a program, as it is before loops are transformed. */
static ix_kernel *
last_kernel(ix_unit *u, const char *program)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "%s", program);
    naive = true;
    run_passes(u, parse(text), "map");
    ix_kernel *k = u->kernels;
    while (k->next)
        k = k->next;
    if (before)
        ck_assert(!carry_out(u, k, before).class);
    return k;
}

/* The statements of the last kernel after some lines, joined by "; ", or why
 * the last one is refused. */
static void
check(const char *program, const char *lines, const char *want)
{
    ix_unit u;
    ix_text t;
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    char copy[200], *next = copy;
    ix_kernel *k = last_kernel(&u, program);
    snprintf(copy, sizeof copy, "%s", lines);
    for (char *line = copy; line; line = next) {
        ck_assert_msg(!r.class, "%s: %s", lines, r.why);
        next = strstr(line, "; ");
        if (next) {
            *next = '\0';
            next += 2;
        }
        r = carry_out(&u, k, line);
    }
    ix_mem mem = ix_arena_mem(&u.arena);
    ix_text_init(&t, &mem);
    if (r.class)
        ix_text_format(&t, "%s: %s", classes[r.class], r.why);
    else
        ix_dump_kernel(&u, k, &t);
    ck_assert_msg(ix_verify_unit(&u, "map"), "%s", ilex_error_text(ctx));
    const char *got = ix_text_string(&t);
    ck_assert_msg(!strcmp(got, want), "%s\n%s\nbecomes\n%s\nnot\n%s", program,
                  lines, got, want);
    free_unit(&u);
}

static void
check_refused(const char *program, const char *line, ix_refusal_class want)
{
    ix_unit u;
    ix_kernel *k = last_kernel(&u, program);
    ix_refusal r = carry_out(&u, k, line);
    ck_assert_msg(r.class == want, "%s: %s: %s", line, classes[r.class], r.why);
    free_unit(&u);
}

#define CHAIN "einsum d[i, j] = e[i, p, q]*f[p, q, j]\nout y = d\n"
#define SCAN                                                                   \
    "scan i forward c[i:n, j:m] = where(i == 0, x[i, j], c[i-1, j]*0.5)\n"     \
    "out y = c\n"
#define SHORT                                                                  \
    "scan j forward c[i:n, j:4] = where(j == 0, z[i, j], c[i, j-1] + z[i, "    \
    "j])\nout y = c\n"

#define ROUNDS "map c[i:n, j:4] = sum[l:m](x[i, l]*z[i, j])*2.0\nout y = c\n"
START_TEST(reordered)
{
    check("out y = x*2.0\n", "reorder i1 i0",
          "    for i1 in [0, m)\n"
          "      for i0 in [begin, end)\n"
          "        %1 = b0[i0, i1]\n"
          "        b6[i0, i1] = %1 * f64(2.0)\n");
    check(SCAN, "jam i1; reorder i1#1 i0#1",
          "    for i0 in [0, 1)\n"
          "      for i1 in [begin, end)\n"
          "        b6[i0, i1] = b0[i0, i1]\n"
          "    for i1 in [begin, end)\n"
          "      for i0 in [1, n)\n"
          "        %1 = b6[i0 - 1, i1]\n"
          "        b6[i0, i1] = %1 * f64(0.5)\n");
    check(CHAIN, "jam i1", "shape: no constant bounds its length: split it");
    check(CHAIN, "reorder r1 r0",
          "distance: an iteration writes an element of a2 that another one "
          "writes, and would come after it in the other order");
    check(CHAIN, "reorder i0 r0",
          "shape: the loops that are named are not those of a nest, each once");
}
END_TEST

START_TEST(unrolled)
{
    check("out y = z*2.0\n", "unroll i1",
          "    for i0 in [begin, end)\n"
          "      %1 = b1[i0, 0]\n"
          "      b6[i0, 0] = %1 * f64(2.0)\n"
          "      %1 = b1[i0, 1]\n"
          "      b6[i0, 1] = %1 * f64(2.0)\n"
          "      %1 = b1[i0, 2]\n"
          "      b6[i0, 2] = %1 * f64(2.0)\n"
          "      %1 = b1[i0, 3]\n"
          "      b6[i0, 3] = %1 * f64(2.0)\n");
    check(SHORT, "unroll i1#1",
          "    for i0 in [begin, end)\n"
          "      for i1 in [0, 1)\n"
          "        b6[i0, i1] = b1[i0, i1]\n"
          "      t0 = b6[i0, 0]\n"
          "      %1 = b1[i0, 1]\n"
          "      b6[i0, 1] = t0 + %1\n"
          "      t1 = b6[i0, 1]\n"
          "      %1 = b1[i0, 2]\n"
          "      b6[i0, 2] = t1 + %1\n"
          "      t2 = b6[i0, 2]\n"
          "      %1 = b1[i0, 3]\n"
          "      b6[i0, 3] = t2 + %1\n");
    check(CHAIN, "unroll r0", "shape: the loop's length is no constant");
}
END_TEST

START_TEST(peeled)
{
    check("out y = x*2.0\n", "peel i0 3",
          "    for i0 in [begin, min(begin + 3, end))\n"
          "      for i1 in [0, m)\n"
          "        %1 = b0[i0, i1]\n"
          "        b6[i0, i1] = %1 * f64(2.0)\n"
          "    for y2 in [begin + 3, end)\n"
          "      for i3 in [0, m)\n"
          "        %1 = b0[y2, i3]\n"
          "        b6[y2, i3] = %1 * f64(2.0)\n");
    check("scan j backward c[i:n, j:m] = where(j == m-1, x[i, j], c[i, "
          "j+1]*0.5)\nout y = c\n",
          "peel i1#1 2",
          "    for i0 in [begin, end)\n"
          "      for i1 in [max(0, m - 1), m) down\n"
          "        b6[i0, i1] = b0[i0, i1]\n"
          "      for y2 in [2, m - 1) down\n"
          "        %1 = b6[i0, y2 + 1]\n"
          "        b6[i0, y2] = %1 * f64(0.5)\n"
          "      for i1 in [0, min(2, m - 1)) down\n"
          "        %1 = b6[i0, i1 + 1]\n"
          "        b6[i0, i1] = %1 * f64(0.5)\n");
}
END_TEST

START_TEST(divided)
{
    check("out y = sum[1](x)\n", "fission r0.q at p0",
          "shape: a2 is used in both loops and cannot be kept for each "
          "iteration");
    check("out y = sum[1](x)\n", "fission r0.q at r0.w",
          "shape: l3 is used in both loops and cannot be kept for each "
          "iteration");
    check(SHORT, "fission i0 at i1#1",
          "    for i0 in [begin, end)\n"
          "      for i1 in [0, 1)\n"
          "        b6[i0, i1] = b1[i0, i1]\n"
          "    for i2 in [begin, end)\n"
          "      for i3 in [1, 4)\n"
          "        %1 = b6[i2, i3 - 1]\n"
          "        %2 = b1[i2, i3]\n"
          "        b6[i2, i3] = %1 + %2\n");
    check(ROUNDS, "fission i1 at b6",
          "    for i0 in [begin, end)\n"
          "      scratch d11 f64[4]\n"
          "      for i1 in [0, 4)\n"
          "        scratch p0 f64[56]  # slot h has the result of 2^h chunks\n"
          "        for q2 in [0, (m + 4095)//4096)\n"
          "          e1 = minimum(4096*q2 + 4096, m)\n"
          "          cell a2 f64 = f64(-0.0)\n"
          "          scratch l3 f64[32]\n"
          "          for j3 in [0, 32)\n"
          "            l3[j3] = f64(-0.0)\n"
          "          %1 = e1 // 32\n"
          "          m4 = 32*%1\n"
          "          for w4 in [4096*q2, m4) step 32\n"
          "            for j5 in [0, 32)\n"
          "              %1 = b0[i0, w4 + j5]\n"
          "              %2 = b1[i0, i1]\n"
          "              l3[j5] = add with %1 * %2\n"
          "          for j6 in [0, e1 - m4)\n"
          "            %1 = b0[i0, j6 + m4]\n"
          "            %2 = b1[i0, i1]\n"
          "            l3[j6] = add with %1 * %2\n"
          "          fold add l3 into a2\n"
          "          p0[ones(q2)] = a2\n"
          "          for h7 in [0, ones(q2))\n"
          "            t5 = p0[h7]\n"
          "            t6 = p0[ones(q2)]\n"
          "            p0[ones(q2)] = t5 + t6\n"
          "        cell a7 f64 = f64(0.0)\n"
          "        %1 = (m + 4095) // 4096\n"
          "        if 0 < %1\n"
          "          %1 = (m + 4095) // 4096\n"
          "          t8 = p0[ones(%1 - 1)]\n"
          "          a7 = t8\n"
          "          %1 = (m + 4095) // 4096\n"
          "          %2 = ones(%1 - 1)\n"
          "          for h8 in [%2 + 1, digits(%1))\n"
          "            %1 = (m + 4095) // 4096\n"
          "            if bit(%1, h8)\n"
          "              t9 = p0[h8]\n"
          "              t10 = a7\n"
          "              a7 = t9 + t10\n"
          "        d11[i1] = a7\n"
          "      for i9 in [0, 4)\n"
          "        a12 = d11[i9]\n"
          "        b6[i0, i9] = a12 * f64(2.0)\n");
    check(ROUNDS, "fission i1 at q9",
          "name: no statement of the loop is about q9");
}
END_TEST

/* Points that are threads stay where they are; loops inside may change. */
START_TEST(threads)
{
    before = "grid i0 i1";
    static const char *const lines[] = {
        "split i0 3",      "jam i1",     "vector i1",
        "unroll i1",       "peel i1 1",  "fission i1 at r0.q",
        "prefetch i1",     "mine i0",    "reorder i1 r0.q",
        "reorder i0 i1",   "split i1 2", "collapse i0 i1",
        "grid i0 i1",      "grid i1",    "jam i0",
        "skew i0 by 2 i1", "unroll i0",  "fetch f at i1",
        "align i1 to y"};
    for_grid = true;
    for (size_t i = 0; i < IX_COUNT(lines); i++)
        check_refused(CHAIN, lines[i], IX_REFUSAL_SHAPE);
    before = NULL;
    for_grid = false;
}
END_TEST

/* Threads do not wait for each other. */
START_TEST(spread)
{
    for_grid = true;
    check_refused("out y = x*2.0\n", "grid i1", IX_REFUSAL_SHAPE);
    check_refused(SHORT, "grid i0 i1#0", IX_REFUSAL_SHAPE);
    check_refused("out y = sum(x)\n", "grid r0.q", IX_REFUSAL_DISTANCE);
    check_refused("in w : f64[1000]\nout y = sum(w)\n", "grid r0.l#0",
                  IX_REFUSAL_SHAPE);
    check_refused("scan i forward c[i:n] = where(i == 0, z[i, 0], c[i-1])\n"
                  "out y = c\n",
                  "grid i0#1", IX_REFUSAL_DISTANCE);
    before = "fission i0 at i1#1";
    check_refused(SHORT, "grid i0#0", IX_REFUSAL_DISTANCE);
    before = NULL;
    for_grid = false;
}
END_TEST

/* ---- statements that no program has yet ---- */

/* Element [i0 + di, i1 + dj] of the output. */
static ix_element
element(int64_t di, int64_t dj)
{
    ilex_array *index[2] = {ix_index_offset(ctx, ix_scalar_index(ctx, 0), di),
                            ix_index_offset(ctx, ix_scalar_index(ctx, 1), dj)};
    return ix_element_of(6, 2, index);
}

/* Why a line is refused where the statements are
 *
 *     for i0
 *         for i1
 *             t0 = y[i0 + di, i1 + dj]
 *             y[i0, i1] = t0
 *
 * with no loop that is known to be parallel. */
static void
check_read(int64_t di, int64_t dj, const char *line, ix_refusal_class want)
{
    ix_unit u;
    naive = true;
    run_passes(&u, parse(HEAD "out y = x*2.0\n"), "map");
    ix_kernel *k = u.kernels;
    ix_stmt *i0 = k->body, *i1 = i0->body;
    ix_stmt *read = ix_stmt_at(&u, IX_STMT_LOAD, element(di, dj), NULL);
    read->prefix = 't';
    read->number = k->nvalues++;
    read->dtype = ILEX_F64;
    read->next = ix_stmt_store(&u, element(0, 0), ix_value_of(&u, read));
    k->ordered = true;
    i0->parallel = i1->parallel = false;
    i1->body = read;
    ix_refusal r = carry_out(&u, k, line);
    ck_assert_msg(r.class == want, "y[%lld, %lld], %s: %s, not %s",
                  (long long)di, (long long)dj, line, classes[r.class],
                  classes[want]);
    free_unit(&u);
}

START_TEST(signs_of_distances)
{
    /* what is read is written before, in whatever order */
    check_read(-1, 0, "reorder i1 i0", IX_REFUSAL_NONE);
    check_read(-1, -1, "reorder i1 i0", IX_REFUSAL_NONE);
    check_read(0, -1, "reorder i1 i0", IX_REFUSAL_NONE);
    check_read(0, 0, "reorder i1 i0", IX_REFUSAL_NONE);
    /* it is written after, in whatever order */
    check_read(1, 1, "reorder i1 i0", IX_REFUSAL_NONE);
    /* before in one order, after in the other */
    check_read(-1, 1, "reorder i1 i0", IX_REFUSAL_DISTANCE);
    check_read(1, -1, "reorder i1 i0", IX_REFUSAL_DISTANCE);
    /* in two loops all is read first */
    check_read(0, 0, "fission i1 at b6", IX_REFUSAL_SHAPE);
    check_read(0, -1, "fission i1 at b6", IX_REFUSAL_DISTANCE);
    check_read(0, 1, "fission i1 at b6", IX_REFUSAL_SHAPE);
}
END_TEST

/* Whether two loops are fused where the statements are
 *
 *     for i0
 *         for i1
 *             FIRST
 *         for i1
 *             SECOND
 *
 * each of which reads ("r") or writes ("w") y[i0, i1], the first one with "d"
 * added to i1, the second one "lag" iterations behind, of "more" at each end.
 */
static void
check_fused(const char *does, int64_t d, int lag, int more,
            ix_refusal_class want)
{
    ix_unit u;
    char line[60] = "fuse i1#0 i1#1";
    naive = true;
    run_passes(&u, parse(HEAD "out y = x*2.0\n"), "map");
    ix_kernel *k = u.kernels;
    ix_stmt *i1 = k->body->body;
    ilex_array *one = ix_scalar_const(ctx, ILEX_F64, (ix_value){.f = 1.0});
    k->ordered = true;
    k->body->parallel = i1->parallel = false;
    i1->x[0] = ix_index_const(ctx, 2); /* i1 + d is inside */
    i1->x[1] = ix_index_offset(ctx, i1->x[1], -2);
    i1->next = ix_stmt_copy(&u, i1);
    i1->next->x[0] = ix_index_offset(ctx, i1->x[0], -more);
    i1->next->x[1] = ix_index_offset(ctx, i1->x[1], more);
    for (int i = 0; i < 2; i++) {
        ix_element at = element(0, i == 0 ? d : 0);
        ix_stmt *s = ix_stmt_store(&u, at, one);
        if (does[i] == 'r') {
            s = ix_stmt_at(&u, IX_STMT_LOAD, at, NULL);
            s->prefix = 't';
            s->number = k->nvalues++;
            s->dtype = ILEX_F64;
        }
        (i == 0 ? i1 : i1->next)->body = s;
    }
    if (lag > 0)
        snprintf(line, sizeof line, "fuse i1#0 i1#1 lag %d", lag);
    ix_refusal r = carry_out(&u, k, line);
    ck_assert_msg(r.class == want, "%s, %lld: %s: %s, not %s", does,
                  (long long)d, line, classes[r.class], classes[want]);
    free_unit(&u);
}

START_TEST(fused)
{
    for (int i = 0; i < 5 * 3 * 2; i++) {
        int d = i % 5 - 2, lag = i / 5 % 3, more = i / 15;
        ix_refusal_class later =
            d < -lag ? IX_REFUSAL_DISTANCE : IX_REFUSAL_NONE;
        check_fused("wr", d, lag, more, later);
        check_fused("rw", d, lag, more, later);
        check_fused("ww", d, lag, more, later);
        check_fused("rr", d, lag, more, IX_REFUSAL_NONE);
    }
    /* a cell is a value behind what updates it, also of one iteration */
    check("map c[i:n, j:1] = sum[p:1, l:m](x[i, l]*z[i, p])*2.0\nout y = c\n",
          "fuse r0 i1",
          "shape: the first loop makes a value that the second uses");
}
END_TEST

int
main(void)
{
    return RUN_TESTS("loops", reordered, unrolled, peeled, divided, threads,
                     spread, signs_of_distances, fused);
}
