/* SPDX-License-Identifier: MIT
 *
 * Pass buffers: temporaries that live at the same time have different slots,
 * others share them.
 */
#include "tests/unit/graph_fixture.h"

#define HEAD "ilex 1\nprogram p\nsize n\nassume n >= 4\nin x : f64[I:n]\n"

/* ---- slots ---- */

typedef struct life {
    int first, last;
} life;

static bool
note_read(ix_load_visitor *v, const ilex_array *load)
{
    life *l = (life *)v->user + load->attr[0];
    l->last = l[0].last > l[0].first ? l->last : l->first;
    return true;
}

/* First and last kernel that touches each buffer, found anew. */
static void
find_lives(const ix_unit *u, life *l)
{
    int now = 0;
    for (size_t i = 0; i < u->nbuffers; i++)
        l[i] = (life){-1, -1};
    for (const ix_kernel *k = u->kernels; k; k = k->next, now++)
        for (ix_stmt *n = k->nests; n; n = n->next)
            for (const ix_stmt *x = ix_nest_body(n); x; x = x->next) {
                ix_load_visitor v = {.ctx = ctx, .fn = note_read, .user = l};
                v.frame.box = k->box;
                life *own = &l[x->buffer];
                own->first = own->first < 0 ? now : own->first;
                own->last = now;
                life before[64];
                memcpy(before, l, u->nbuffers * sizeof *l);
                for (size_t i = 0; i < u->nbuffers; i++)
                    l[i].last = -2; /* not read here */
                ck_assert(ix_visit_loads(&v, ix_store_value(x)));
                ix_visit_end(&v);
                for (size_t i = 0; i < u->nbuffers; i++)
                    l[i].last = l[i].last == -2 ? before[i].last : now;
            }
}

static void
check_slots(const ix_unit *u)
{
    life l[64];
    ck_assert_uint_le(u->nbuffers, 64);
    find_lives(u, l);
    for (size_t i = 0; i < u->nbuffers; i++)
        for (size_t j = 0; j < i; j++) {
            const ix_buffer *a = &u->buffer[i], *b = &u->buffer[j];
            if (a->role != IX_ROLE_TEMP || b->role != IX_ROLE_TEMP)
                continue;
            bool together = l[i].first <= l[j].last && l[j].first <= l[i].last;
            ck_assert_msg(!together || a->slot != b->slot,
                          "buffers %zu and %zu", j, i);
            ck_assert_int_lt(a->slot, u->nslots);
        }
}

static int
slots_of(const char *text)
{
    ix_unit u;
    ck_assert_int_eq(ilex_option_set(ctx, "fuse", "0"), ILEX_OK);
    run_passes(&u, parse(text), "verify");
    check_slots(&u);
    int slots = u.nslots;
    free_unit(&u);
    return slots;
}

START_TEST(reuse)
{
    ck_assert_int_eq(slots_of(HEAD "out y : f64[I:n] = x*x\n"), 0);
    ck_assert_int_eq(slots_of(HEAD "let a = x + 1.0\nout y : f64[I:n] = a*a\n"),
                     1);
    ck_assert_int_eq(slots_of(HEAD "let a = x + 1.0\nlet b = sqrt(a)\n"
                                   "let c = exp(b)\nlet d = sin(c)\n"
                                   "let e = cos(d)\nout y : f64[I:n] = e*e\n"),
                     2);
    ck_assert_int_eq(slots_of(HEAD "let a = x + 1.0\nlet b = sqrt(a)\n"
                                   "let c = exp(b)\nlet d = sin(c)\n"
                                   "out y : f64[I:n] = d + a\n"),
                     3);
}
END_TEST

/* Random graphs without fusion. */
START_TEST(random_graphs)
{
    for (int i = 0; i < 100; i++) {
        ilex_array *a[24] = {ilex_input(ctx, "x", ILEX_F64, "I:n")};
        int n = 1;
        for (; n < 24; n++)
            a[n] = ilex_add(ilex_sqrt(a[draw(0, n - 1)]), a[draw(0, n - 1)]);
        ix_unit u;
        ilex_module *m = ilex_module_new(ctx, "p");
        ilex_module_output(m, "y", a[n - 1], NULL);
        ilex_module_output(m, "z", a[n - 5], NULL);
        ck_assert_int_eq(ilex_option_set(ctx, "fuse", "0"), ILEX_OK);
        run_passes(&u, m, "verify");
        check_slots(&u);
        free_unit(&u);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("buffers", reuse, random_graphs);
}
