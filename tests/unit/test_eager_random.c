/* SPDX-License-Identifier: MIT
 *
 * Random eager operators against a plain evaluation: operands of random axes,
 * layouts, slices and lengths of 1, results new or given, of which some are
 * views of an operand's memory; and reductions alike. ILEX_SEED gives another
 * sequence.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/eager_fixture.h"

enum { CASES = 4000, AXES = 4, MOST = 6 * 6 * 6 * 6 };

static const char letters[] = "IJKT";
static int drawn[6]; /* how often each way was taken */

/* ---- drawing ---- */

/* A view of axes "mask" in random order: in random layout, halo, part of a
 * wider storage, some axes backwards; lengths as in "length", or 1. */
static ilex_storage *
draw_operand(unsigned mask, const int64_t *length, bool ones)
{
    char axes[AXES + 1] = {0};
    int64_t shape[AXES], halo[2 * AXES] = {0}, step[AXES];
    int rank = 0, map[AXES], places = 0;
    for (int left = AXES; left > 0 && mask;) {
        int k = (int)draw(AXES);
        if (!(mask >> k & 1))
            continue;
        mask &= ~(1u << k);
        left--;
        axes[rank] = letters[k];
        shape[rank++] = ones && draw(5) == 0 ? 1 : length[k];
    }
    ilex_storage_spec spec = SPEC(.rank = rank, .shape = shape, .axes = axes,
                                  .layout_map = map, .halo = halo);
    for (int k = 0; k < rank; k++) {
        step[k] = draw(3) ? 1 : draw(2) ? -1 : 2;
        shape[k] *= step[k] == 2 ? 2 : 1;
        halo[2 * k] = shape[k] > 1 ? draw(2) : 0;
        map[k] = -1;
    }
    while (places < rank) {
        int k = (int)draw(rank);
        if (map[k] < 0)
            map[k] = places++;
    }
    ilex_storage *s = make(spec, 1 + draw(5));
    for (int k = 0; k < rank; k++) {
        bool back = step[k] < 0;
        ilex_storage *v = ilex_storage_slice(ctx, s, k, back ? shape[k] - 1 : 0,
                                             back ? -1 : shape[k], step[k]);
        ck_assert_msg(v != NULL, "%s", ilex_error_text(ctx));
        ilex_storage_release(s);
        s = v;
    }
    return s;
}

/* Another view of the memory of "s" with lengths as in "s": reversed along
 * some axes, or turned if two lengths are equal. */
static ilex_storage *
draw_alias(ilex_storage *s)
{
    ilex_storage *v = ilex_storage_retain(s), *next;
    for (int k = 0; k < s->rank; k++) {
        if (draw(2) || s->shape[k] == 0)
            continue;
        next = ilex_storage_slice(ctx, v, k, s->shape[k] - 1, -1, -1);
        ilex_storage_release(v);
        v = next;
    }
    if (s->rank < 2 || s->shape[0] != s->shape[1] || draw(2))
        return v;
    int order[AXES] = {1, 0, 2, 3};
    char axes[AXES + 1] = {0};
    for (int k = 0; k < s->rank; k++)
        axes[k] = s->axis[k][0];
    next = ilex_storage_transpose(ctx, v, order);
    ilex_storage_release(v);
    v = ilex_storage_reinterpret(ctx, next, axes);
    ilex_storage_release(next);
    return v;
}

/* ---- plain evaluation ---- */

/* All elements of a storage as they were, in C order. */
typedef struct snapshot {
    const ilex_storage *s;
    int64_t value[MOST];
} snapshot;

static void
take(snapshot *p, const ilex_storage *s)
{
    int64_t index[ILEX_MAX_RANK] = {0}, n = ilex_storage_count(s);
    ck_assert_int_le(n, MOST);
    p->s = s;
    for (int64_t i = 0; i < n; i++) {
        ck_assert_int_eq(ilex_storage_get_i64(s, index, &p->value[i]), ILEX_OK);
        for (int k = s->rank - 1; k >= 0 && ++index[k] == s->shape[k]; k--)
            index[k] = 0;
    }
}

/* The element that broadcasts to the indices "at" of I, J, K, T. */
static int64_t
value_at(const snapshot *p, const int64_t *at)
{
    int64_t flat = 0;
    for (int k = 0; k < p->s->rank; k++) {
        int64_t i = at[strchr(letters, p->s->axis[k][0]) - letters];
        flat = flat * p->s->shape[k] + (p->s->shape[k] == 1 ? 0 : i);
    }
    return p->value[flat];
}

/* Calls "check" with the indices of I, J, K, T of every element of "y". */
static void
for_all(const ilex_storage *y, void (*check)(int64_t got, const int64_t *at))
{
    int64_t index[ILEX_MAX_RANK] = {0}, n = ilex_storage_count(y);
    for (int64_t e = 0; e < n; e++) {
        int64_t at[AXES] = {0}, got;
        for (int k = 0; k < y->rank; k++)
            at[strchr(letters, y->axis[k][0]) - letters] = index[k];
        ck_assert_int_eq(ilex_storage_get_i64(y, index, &got), ILEX_OK);
        check(got, at);
        for (int k = y->rank - 1; k >= 0 && ++index[k] == y->shape[k]; k--)
            index[k] = 0;
    }
}

static snapshot before[3];
static int number; /* of the case */

static void
check_where(int64_t got, const int64_t *at)
{
    int64_t x = value_at(&before[0], at), y = value_at(&before[1], at);
    int64_t want = x % 2 != 0 ? y : value_at(&before[2], at);
    ck_assert_msg(got == want, "case %d: got %lld, want %lld", number,
                  (long long)got, (long long)want);
}

static void
check_subtract(int64_t got, const int64_t *at)
{
    int64_t want = value_at(&before[0], at) - value_at(&before[1], at);
    ck_assert_msg(got == want, "case %d: got %lld, want %lld", number,
                  (long long)got, (long long)want);
}

/* The sum over the axes of the operand that the result lacks. */
static unsigned kept;

static void
check_sum(int64_t got, const int64_t *at)
{
    int64_t want = 0, i[AXES], extent[AXES] = {1, 1, 1, 1};
    const ilex_storage *x = before[0].s;
    for (int k = 0; k < x->rank; k++) {
        int j = (int)(strchr(letters, x->axis[k][0]) - letters);
        if (!(kept >> j & 1))
            extent[j] = x->shape[k];
    }
    for (i[0] = 0; i[0] < extent[0]; i[0]++)
        for (i[1] = 0; i[1] < extent[1]; i[1]++)
            for (i[2] = 0; i[2] < extent[2]; i[2]++)
                for (i[3] = 0; i[3] < extent[3]; i[3]++) {
                    int64_t full[AXES];
                    for (int k = 0; k < AXES; k++)
                        full[k] = kept >> k & 1 ? at[k] : i[k];
                    want += value_at(&before[0], full);
                }
    ck_assert_msg(got == want, "case %d: got %lld, want %lld", number,
                  (long long)got, (long long)want);
}

/* ---- cases ---- */

/* A result for operands: none, a wider one, a view of operand 0. */
static ilex_storage *
draw_out(ilex_storage *x, bool all_there, const int64_t *length)
{
    int way = (int)draw(3);
    if (way == 0 || (way == 2 && !all_there)) {
        drawn[0]++;
        return NULL;
    }
    drawn[way]++;
    return way == 1 ? draw_operand(15, length, false) : draw_alias(x);
}

/* Has "s" every axis of the mask, in full length? */
static bool
has_all(const ilex_storage *s, unsigned mask, const int64_t *length)
{
    for (int k = 0; k < AXES; k++) {
        int j = ilex_storage_axis(s, (char[2]){letters[k], 0});
        if ((mask >> k & 1) && (j < 0 || s->shape[j] != length[k]))
            return false;
    }
    return true;
}

static void
try_operator(const int64_t *length)
{
    static const struct {
        const char *name;
        int arity;
        void (*check)(int64_t got, const int64_t *at);
    } ops[] = {{"subtract", 2, check_subtract}, {"where", 3, check_where}};
    int o = (int)draw(2);
    unsigned all = 0;
    ilex_storage *x[3], *operands[3], *odd = NULL;
    for (int i = 0; i < ops[o].arity; i++) {
        bool full = i == 0 && draw(2); /* so that a result can alias it */
        unsigned mask = full ? 15 : (unsigned)draw(16);
        all |= mask;
        x[i] = operands[i] = draw_operand(mask, length, !full);
        take(&before[i], x[i]);
    }
    ilex_storage *out = draw_out(x[0], has_all(x[0], all, length), length);
    if (o == 1) { /* the condition: whether x is odd */
        ilex_storage *two[] = {x[0], ilex_storage_scalar(ctx, ILEX_I64, 2)};
        odd = operands[0] = ilex_eager(ctx, "remainder", 2, two, NULL);
        ilex_storage_release(two[1]);
    }
    ilex_storage *y =
        ilex_eager(ctx, ops[o].name, (size_t)ops[o].arity, operands, out);
    ck_assert_msg(y != NULL, "case %d: %s", number, ilex_error_text(ctx));
    ck_assert(!out || y == out);
    for_all(y, ops[o].check);
    ilex_storage_release(y);
    ilex_storage_release(out);
    ilex_storage_release(odd);
    for (int i = 0; i < ops[o].arity; i++)
        ilex_storage_release(x[i]);
}

/* A sum over some axes, into a part of the operand now and then. */
static void
try_reduction(const int64_t *length)
{
    unsigned mask = (unsigned)draw(16);
    char over[AXES + 1] = {0};
    ilex_storage *x = draw_operand(mask, length, false), *out = NULL;
    kept = mask & (unsigned)draw(16);
    for (int k = 0, n = 0; k < AXES; k++)
        if ((mask & ~kept) >> k & 1)
            over[n++] = letters[k];
    take(&before[0], x);
    int way = (int)draw(3);
    if (way == 1)
        out = draw_operand(15, length, false);
    if (way == 2) {
        out = draw_alias(x);
        for (int k = out->rank - 1; k >= 0; k--) {
            int j = (int)(strchr(letters, out->axis[k][0]) - letters);
            if (kept >> j & 1)
                continue;
            ilex_storage *v =
                ilex_storage_index(ctx, out, k, draw(out->shape[k]));
            ilex_storage_release(out);
            out = v;
        }
    }
    drawn[3 + way]++;
    ilex_storage *y = ilex_eager_reduce(ctx, "sum", x, over, out);
    ck_assert_msg(y != NULL, "case %d: %s", number, ilex_error_text(ctx));
    for_all(y, check_sum);
    ilex_storage_release(y);
    ilex_storage_release(out);
    ilex_storage_release(x);
}

START_TEST(random_operators)
{
    const char *text = getenv("ILEX_SEED");
    seed = text && *text ? strtoull(text, NULL, 10) : 1;
    ilex_option_set(ctx, "jit", _i ? "tcc" : "reference");
    memset(drawn, 0, sizeof drawn);
    for (number = 0; number < CASES; number++) {
        int64_t length[AXES];
        for (int k = 0; k < AXES; k++)
            length[k] = 1 + draw(4);
        if (number % 3)
            try_operator(length);
        else
            try_reduction(length);
    }
    for (size_t i = 0; i < IX_COUNT(drawn); i++)
        ck_assert_msg(drawn[i] > CASES / 20, "way %zu: %d times", i, drawn[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_random");
    TCase *t = tcase_create("random");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, random_operators, 0, 2);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
