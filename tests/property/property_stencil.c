/* SPDX-License-Identifier: MIT
 *
 * Laws of stencils, tried on random ones. Numbers are integers, whose
 * arithmetic wraps and is exact, so that both sides are equal bit for bit:
 * S(x + y) = S(x) + S(y), S(c*x) = c*S(x), S commutes with shifts, shifts add
 * up, and what flows through a periodic boundary is conserved.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

enum { LAWS = 6, SIDE = 2 * LAWS, TERMS = 6 };

typedef struct term {
    int shift[2];
    int factor;
} term;

typedef struct stencil {
    int n;
    term term[TERMS];
} stencil;

static stencil
random_stencil(diff_random *r)
{
    stencil s = {.n = 1 + diff_draw(r, TERMS)};
    for (int i = 0; i < s.n; i++)
        s.term[i] = (term){{diff_between(r, -1, 1), diff_between(r, -1, 1)},
                           diff_between(r, -4, 4)};
    return s;
}

static ilex_array *
apply(const stencil *s, ilex_array *x)
{
    ilex_array *sum = NULL;
    for (int i = 0; i < s->n; i++) {
        ilex_array *y =
            ilex_multiply(ilex_lit_int(x->ctx, s->term[i].factor),
                          ilex_shift(ilex_shift(x, "I", s->term[i].shift[0]),
                                     "J", s->term[i].shift[1]));
        sum = sum ? ilex_add(sum, y) : y;
    }
    return sum;
}

/* Input x on one period more at both ends of I. */
static ilex_array *
periodic(ilex_context *ctx)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n, m\nin x : i64[I:n, J:m] "
        "halo(I:3:3, J:3:3)\n"
        "map p[I:-1:n+1, J:m] = where(I < 0, x[I+n, J], where(I >= n, "
        "x[I-n, J], x[I, J]))\nout y = p\n";
    ilex_module *m = ilex_module_parse(ctx, text, "periodic");
    ilex_array *p = m ? ilex_keep(m->output[0].array) : NULL;
    ilex_module_free(m);
    return p;
}

/* Both sides of every law: side[2*i] and side[2*i+1] are equal. */
static bool
make_laws(ilex_context *ctx, diff_random *r, ilex_array **side)
{
    stencil s = random_stencil(r), t = random_stencil(r);
    int a = diff_between(r, -1, 1), b = diff_between(r, -1, 1);
    ilex_array *x =
        ilex_input(ctx, "x", ILEX_I64, "I:n, J:m halo(I:3:3, J:3:3)");
    ilex_array *y =
        ilex_input(ctx, "y", ILEX_I64, "J:m, I:n halo(I:3:3, J:3:3)");
    ilex_array *c = ilex_lit_int(ctx, diff_between(r, -9, 9));
    ilex_array *p = periodic(ctx);
    if (!p)
        return false;
    side[0] = apply(&s, ilex_add(x, y));
    side[1] = ilex_add(apply(&s, x), apply(&s, y));
    side[2] = apply(&s, ilex_multiply(c, x));
    side[3] = ilex_multiply(c, apply(&s, x));
    side[4] = apply(&s, ilex_shift(x, "I", a));
    side[5] = ilex_shift(apply(&s, x), "I", a);
    side[6] = apply(&s, apply(&t, x));
    side[7] = apply(&t, apply(&s, x));
    side[8] = ilex_shift(ilex_shift(x, "J", a), "J", b);
    side[9] = ilex_shift(x, "J", a + b);
    side[10] = ilex_sum(
        ilex_restrict(ilex_subtract(ilex_shift(p, "I", 1), p), "I:n, J:m"), "I",
        0);
    side[11] = ilex_full(ctx, "J:m", ilex_i64(ctx, 0));
    for (int i = 0; i < SIDE; i++)
        side[i] = ilex_restrict(side[i], i < 10 ? "I:n, J:m" : "J:m");
    ilex_drop(p);
    return ilex_error_code(ctx) == ILEX_OK;
}

/* ---- running ---- */

typedef struct stencil_run {
    ilex_context *ctx;
    int64_t n, m;
    ilex_storage *s[SIDE + 2];
    ilex_binding b[SIDE + 2];
    char name[SIDE][16];
} stencil_run;

static void
random_fill(void *user, const int64_t *index, void *element)
{
    (void)index;
    int64_t v = (int64_t)diff_bits(user);
    memcpy(element, &v, sizeof v);
}

static bool
make_storages(stencil_run *run, diff_random *r)
{
    const int64_t halo[4] = {3, 3, 3, 3};
    for (int i = 0; i < SIDE + 2; i++) {
        bool input = i >= SIDE, line = i == 10 || i == 11;
        int64_t shape[2] = {run->n + 6, run->m + 6};
        if (!input) {
            shape[0] = line ? run->m : run->n;
            shape[1] = run->m;
        }
        ilex_storage_spec spec = {.size = sizeof spec,
                                  .dtype = "i64",
                                  .rank = line ? 1 : 2,
                                  .shape = shape,
                                  .axes = line ? "J" : "IJ",
                                  .halo = input ? halo : NULL,
                                  .layout = diff_chance(r, 50) ? "F" : "C",
                                  .initialize = random_fill,
                                  .initialize_user = r};
        run->s[i] = ilex_storage_new(run->ctx, &spec);
        run->b[i] = (ilex_binding)ILEX_BIND(i < SIDE    ? run->name[i]
                                            : i == SIDE ? "x"
                                                        : "y",
                                            run->s[i]);
        if (!run->s[i])
            return false;
    }
    return true;
}

/* Whether two storages of one shape hold the same. */
static bool
equal(const ilex_storage *a, const ilex_storage *b)
{
    const int64_t *shape = ilex_storage_shape(a);
    int d = ilex_storage_rank(a);
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < (d > 1 ? shape[1] : 1); j++) {
            int64_t index[2] = {i, j}, x = 0, y = 1;
            ilex_storage_get_i64(a, index, &x);
            ilex_storage_get_i64(b, index, &y);
            if (x != y)
                return false;
        }
    return true;
}

/* Runs the laws by one back end and compares the sides. */
static bool
run_laws(stencil_run *run, ilex_array *const *side, const char *jit)
{
    const char *names[SIDE];
    ilex_call call = {.size = sizeof call, .threads = 2};
    for (int i = 0; i < SIDE; i++) {
        snprintf(run->name[i], sizeof run->name[i], "v%d", i);
        names[i] = run->name[i];
    }
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_option_set(run->ctx, "jit", jit);
    ilex_program *p = ilex_compile(run->ctx, SIDE, side, &spec);
    ilex_status rc =
        p ? ilex_run(p, run->b, SIDE + 2, &call) : ilex_error_code(run->ctx);
    bool ok = rc == ILEX_OK;
    if (!ok)
        printf("# %s: %s\n", jit, p ? call.error : ilex_error_text(run->ctx));
    for (int law = 0; ok && law < LAWS; law++) {
        ok = equal(run->s[2 * law], run->s[2 * law + 1]);
        if (!ok)
            printf("# %s: law %d of stencils does not hold\n", jit, law);
    }
    ilex_program_release(p);
    return ok;
}

bool
property_stencils(uint64_t seed, uint64_t number)
{
    diff_random r = diff_random_of(seed, number, 9);
    ilex_array *side[SIDE];
    stencil_run run = {.ctx = ilex_context_new(NULL)};
    run.n = 1 + diff_draw(&r, 9);
    run.m = 1 + diff_draw(&r, 9);
    if (!run.ctx)
        abort();
    ilex_option_set(run.ctx, "verify", "1");
    ilex_assume(run.ctx, "n >= 1 && m >= 1");
    bool ok = make_laws(run.ctx, &r, side) && make_storages(&run, &r);
    if (!ok)
        printf("# %s\n", ilex_error_text(run.ctx));
    ok = ok && run_laws(&run, side, "reference") && run_laws(&run, side, "tcc");
    for (int i = 0; i < SIDE + 2; i++)
        ilex_storage_release(run.s[i]);
    ilex_context_free(run.ctx);
    return ok;
}
