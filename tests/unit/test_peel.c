/* SPDX-License-Identifier: MIT
 *
 * Pass peel: the pieces cover a stage's box once, each computes what the
 * stage says, and conditions on indices are gone where they can go.
 */
#include "tests/unit/index_fixture.h"

/* ---- what a body still decides ---- */

/* Minimum, maximum and where on indices that are left in a body. */
static int
decisions(const ilex_array *n)
{
    int count = 0;
    if (n->kind == IX_OP && n->dtype == ILEX_I64 && n->weight > 0)
        count = ix_op_of(n) != IX_OP_FLOOR_DIVIDE;
    if (n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE)
        count = ix_is_index_condition(n->ops[0]);
    for (int i = 0; i < n->nops; i++)
        count += decisions(n->ops[i]);
    return count;
}

static int
count_nests(const ix_unit *u, int *left)
{
    int nests = 0;
    *left = 0;
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        for (ix_stmt *n = k->body; n; n = n->next) {
            nests++;
            *left += decisions(ix_store_value(ix_nest_body(n)));
        }
    return nests;
}

static const struct {
    const char *in, *map;
    int nests, left;
} rows[] = {
    {"in x : i64[n, m]",
     "map y[i=i:-2:n+2, j=j:-2:m+2] = x[min(max(i, 0), n-1), min(max(j, 0), "
     "m-1)]",
     9, 0},
    {"in x : i64[n]", "map y[i=i:-1:n+1] = x[min(max(i, 0), n-1)]", 3, 0},
    {"in x : i64[n]",
     "map y[i=i:-1:n+1] = where(i < 0, x[i+n], where(i >= n, x[i-n], x[i]))", 3,
     0},
    {"in x : i64[n]", "map y[i:n] = where(i == 0, 1, x[i])", 2, 0},
    {"in x : i64[n]", "map y[i:n] = where(i != 0 && i != n-1, x[i], 0)", 3, 0},
    {"in x : i64[n]", "map y[i:n] = where(i >= 0, x[i], 7)", 1, 0},
    {"in x : i64[n]", "map y[i:n] = where(i > n, 7, x[i])", 1, 0},
    {"in x : i64[n, n]", "map y[i:n, j:n] = where(j <= i, x[i, j], 0)", 2, 0},
    {"in x : i64[n, n]", "map y[i:n, j:n] = where(i == j, 1, x[i, j])", 3, 0},
    {"in x : i64[n]", "map y[i:n] = where(2*i < n, x[i], 0)", 1, 1},
    {"in x : i64[n]", "map y[i:n] = where(i%2 == 0, x[i], 0)", 1, 1},
    {"in x : i64[n]", "map y[i:n] = where(x[i] > 0, x[i], 0)", 1, 0},
};

START_TEST(pieces)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[512];
        int left;
        ix_unit u;
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n, m\nassume n >= 2 && m >= 2\n"
                 "%s\n%s\nout z = y\n",
                 rows[i].in, rows[i].map);
        run_passes(&u, parse(text), "peel");
        int nests = count_nests(&u, &left);
        ck_assert_msg(nests == rows[i].nests && left == rows[i].left,
                      "%s: %d nests, %d conditions left", rows[i].map, nests,
                      left);
        free_unit(&u);
    }
}
END_TEST

/* ---- pieces against the stage, point by point ---- */

enum { EDGE = 6, SIDE = 32 };

/* How often each point was computed. */
static int seen[SIDE][SIDE];

static int64_t
bound(const ix_stmt *loop, bool lower, const point *p)
{
    int group = lower ? IX_for_lo : IX_for_hi;
    ilex_array *const *x = ix_operands(loop, group);
    int64_t best = value_at(x[0], p);
    for (int i = 1; i < loop->n[group]; i++) {
        int64_t v = value_at(x[i], p);
        best = (lower ? v > best : v < best) ? v : best;
    }
    return best;
}

/* Runs loops "k" and deeper of a nest; "body" is that of the whole stage. */
static void
walk(const ix_stmt *nest, int k, point *p, const ilex_array *body)
{
    if (nest->kind == IX_STMT_STORE) {
        ck_assert_int_eq(value_at(ix_store_value(nest), p), value_at(body, p));
        seen[p->index[0] + EDGE][p->index[1] + EDGE]++;
        return;
    }
    int64_t hi = bound(nest, false, p);
    ck_assert_int_eq(nest->number, k);
    for (int64_t i = bound(nest, true, p); i < hi; i++) {
        p->index[k] = i;
        walk(nest->body, k + 1, p, body);
    }
}

static void
check_sizes(const ix_unit *u, int64_t n, int64_t m)
{
    point p = {.size = {n, m}};
    memset(seen, 0, sizeof seen);
    for (const ix_stmt *nest = u->kernels->body; nest; nest = nest->next)
        walk(nest, 0, &p, u->stage[0].body);
    for (int64_t i = -EDGE; i < SIDE - EDGE; i++)
        for (int64_t j = -EDGE; j < SIDE - EDGE; j++) {
            bool inside = i >= -3 && i < n + 3 && j >= -2 && j < m + 2;
            ck_assert_int_eq(seen[i + EDGE][j + EDGE], inside);
        }
}

/* ---- random programs ---- */

static void
put_side(char *t)
{
    static const char *const sides[] = {"i",     "j",   "i+j", "i-j", "n",
                                        "i-n+1", "m-j", "2*i", "j//2"};
    int64_t k = draw(0, 8);
    if (draw(0, 2) == 0)
        sprintf(t + strlen(t), "%d", (int)draw(-3, 6));
    else
        strcat(t, sides[k]);
}

static void
put_condition(char *t, int depth)
{
    static const char *const ops[] = {" < ",  " <= ", " > ",
                                      " >= ", " == ", " != "};
    if (depth > 0 && draw(0, 2) == 0) {
        strcat(t, draw(0, 3) ? "(" : "!(");
        put_condition(t, depth - 1);
        strcat(t, draw(0, 1) ? " && " : " || ");
        put_condition(t, depth - 1);
        strcat(t, ")");
        return;
    }
    put_side(t);
    strcat(t, ops[draw(0, 5)]);
    put_side(t);
}

static void
put_value(char *t, int depth)
{
    static const char *const loads[] = {"x[i, j]", "x[i-1, j+2]",
                                        "x[min(max(i, 0), n-1), j]",
                                        "x[max(i, j), min(j, m)]", "x[j, i]"};
    if (depth == 0) {
        strcat(t, loads[draw(0, 4)]);
    } else if (draw(0, 3) == 0) {
        put_value(t, depth - 1);
        strcat(t, " + ");
        put_value(t, depth - 1);
    } else {
        strcat(t, "where(");
        put_condition(t, 2);
        strcat(t, ", ");
        put_value(t, depth - 1);
        strcat(t, ", ");
        put_value(t, depth - 1);
        strcat(t, ")");
    }
}

START_TEST(random_pieces)
{
    ck_assert_int_eq(ix_param_of(ctx, ix_symbol_of(ctx, "n", 1)), 0);
    ck_assert_int_eq(ix_param_of(ctx, ix_symbol_of(ctx, "m", 1)), 1);
    for (int i = 0; i < 60; i++) {
        char text[4096] =
            "ilex 1\nprogram p\nsize n, m\nassume n <= 20 && m <= 20\n"
            "in x : i64[i:-60:60, j:-60:60]\n"
            "map y[i=i:-3:n+3, j=j:-2:m+2] = ";
        size_t scope = ilex_scope_begin(ctx);
        ix_unit u;
        put_value(text, 2);
        strcat(text, "\nout z = y\n");
        run_passes(&u, parse(text), "peel");
        ck_assert_uint_eq(u.nstages, 1);
        for (int64_t n = 0; n < 7; n += 2)
            for (int64_t m = 0; m < 6; m += 3)
                check_sizes(&u, n, m);
        free_unit(&u);
        ilex_scope_end(ctx, scope, NULL);
    }
    check_fine();
}
END_TEST

int
main(void)
{
    return RUN_TESTS("peel", pieces, random_pieces);
}
