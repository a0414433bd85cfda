/* SPDX-License-Identifier: MIT
 *
 * Pass buffers: temporaries that live at the same time have different slots,
 * others share them; which outputs may take the place of an input.
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
        for (const ix_nest *n = k->nests; n; n = n->next)
            for (int s = 0; s < n->nstores; s++) {
                ix_load_visitor v = {.ctx = ctx, .fn = note_read, .user = l};
                v.frame.box = k->box;
                life *own = &l[n->store[s].buffer];
                own->first = own->first < 0 ? now : own->first;
                own->last = now;
                life before[64];
                memcpy(before, l, u->nbuffers * sizeof *l);
                for (size_t i = 0; i < u->nbuffers; i++)
                    l[i].last = -2; /* not read here */
                ck_assert(ix_visit_loads(&v, n->store[s].value));
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

/* ---- in place ---- */

static const struct {
    const char *what, *text;
    bool legal;
} rows[] = {
    {"point by point", HEAD "out y : f64[I:n] = 2.0*x inplace x\n", true},
    {"several reads of the point",
     HEAD "out y : f64[I:n] = x*x + sqrt(x) inplace x\n", true},
    {"after everything was read",
     HEAD "out y : f64[I:n] = x - sum[I](x) inplace x\n", true},
    {"not read at all",
     HEAD "in w : f64[I:n]\nout y : f64[I:n] = w inplace x\n", true},
    {"reads a neighbour",
     HEAD "in w : f64[I:n] halo(I:1:1)\n"
          "out y : f64[I:n] = w[I+1] + w inplace w\n",
     false},
    {"mirrored", HEAD "map m[I:n] = x[n-1-I]\nout y : f64[I:n] = m inplace x\n",
     false},
    {"read again later",
     HEAD "let e = exp(x)\nout y : f64[I:n] = e inplace x\n"
          "out z : f64 = sum[I](x*y)\n",
     false},
    {"another dtype", HEAD "out y : f32[I:n] = f32(x) inplace x\n", false},
    {"another box", HEAD "out y : f64[I:n-1] = x inplace x\n", false},
};

START_TEST(in_place)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ix_unit u;
        bool legal = false;
        ilex_module *m = ilex_module_parse(ctx, rows[i].text, NULL);
        if (!m) { /* the reader refuses some of them already */
            ck_assert_msg(!rows[i].legal, "%s", ilex_error_text(ctx));
            ilex_error_clear(ctx);
            continue;
        }
        run_passes(&u, m, "buffers");
        for (size_t k = 0; k < u.nbuffers; k++)
            legal |=
                u.buffer[k].role == IX_ROLE_OUTPUT && u.buffer[k].inplace >= 0;
        ck_assert_msg(legal == rows[i].legal, "%s", rows[i].what);
        free_unit(&u);
    }
}
END_TEST

/* What is legal gives the same values in place. */
START_TEST(same_values)
{
    static const char *const jits[] = {"reference", "tcc"};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_int_eq(ilex_option_set(ctx, "jit", jits[i % 2]), ILEX_OK);
        if (strstr(rows[i / 2].text, "in w"))
            continue;
        ilex_module *m = parse(rows[i / 2].text);
        ilex_program *p = ilex_compile_module(m);
        ilex_module_free(m);
        if (!p && take_error() == ILEX_E_UNSUPPORTED)
            continue; /* without libtcc */
        ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(100));
        ilex_storage *y = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(100));
        double *at = ilex_storage_data(x);
        for (int k = 0; k < 100; k++)
            at[k] = k + 0.25;
        run_program(p, (ilex_binding[]){{"x", x}, {"y", y}}, 2);
        run_program(p, (ilex_binding[]){{"x", x}, {"y", x}}, 2);
        ck_assert_mem_eq(at, ilex_storage_const_data(y), 800);
        ilex_storage_release(x);
        ilex_storage_release(y);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("buffers", reuse, random_graphs, in_place, same_values);
}
