/* SPDX-License-Identifier: MIT
 *
 * Distances: which loops of programs carry something, and random accesses of
 * which isl knows whether they meet.
 */
#include <dirent.h>
#include <isl/ctx.h>
#include <isl/set.h>

#include "compiler/loop/distances.h"
#include "tests/unit/graph_fixture.h"

/* ---- loops of programs ---- */

typedef struct seeking {
    int left; /* loops in text order before the one sought */
    ix_cursor c;
} seeking;

static bool
seek(seeking *s, ix_stmt **at)
{
    for (; *at; at = &(*at)->next) {
        ix_cursor *c = &s->c;
        c->at = at;
        if ((*at)->kind == IX_STMT_FOR && s->left-- == 0)
            return true;
        c->around[c->depth++] = *at;
        if (seek(s, &(*at)->body) || seek(s, &(*at)->other))
            return true;
        c->depth--;
    }
    return false;
}

static ix_cursor
loop_number(ix_unit *u, int kernel, int loop)
{
    ix_kernel *k = u->kernels;
    while (k->number != kernel)
        k = k->next;
    seeking s = {.left = loop, .c.k = k};
    ck_assert_msg(seek(&s, &k->body), "there is no loop %d", loop);
    return s.c;
}

/* What the loops of kernel k0 carry, in text order: "n" nothing, "d" a
 * distance, "u" it is not proved. */
static void
check_loops(const char *text, const char *want)
{
    static const char class[] = {[IX_REFUSAL_NONE] = 'n',
                                 [IX_REFUSAL_DISTANCE] = 'd',
                                 [IX_REFUSAL_UNPROVED] = 'u'};
    ix_unit u;
    char got[32] = "";
    naive = true;
    run_passes(&u, parse(text), "map");
    for (int i = 0; want[i]; i++) {
        ix_cursor c = loop_number(&u, 0, i);
        got[i] = class[ix_loop_carries(&u, &c).class];
    }
    ck_assert_msg(!strcmp(got, want), "%s\ncarried: %s, not %s", text, got,
                  want);
    free_unit(&u);
}

#define HEAD "ilex 1\nprogram p\nsize n, m\n"

START_TEST(loops_of_programs_carry_what_they_do)
{
    check_loops(HEAD "in x : f64[n, m]\nout y = x + 1.0\n", "nn");
    check_loops(HEAD "in x : f64[n, m]\nout y = cumsum(x; axis=1)\n", "nd");
    check_loops(HEAD "in x : f64[n, m]\nout y = cumsum(x; axis=0)\n", "nd");
    check_loops(HEAD "in x : f64[n, m]\nout y = sum[1](x)\n", "ndndnndd");
    check_loops("ilex 1\nprogram p\nsize n\nassume n <= 8192\n"
                "in x : f64[n]\nout y = sum(x)\n",
                "dndnnnd");
}
END_TEST

/* ---- loops that are said to be parallel ---- */

typedef struct claims {
    ix_unit *u;
    ix_kernel *k;
    const char *file;
    int64_t n, unproved;
} claims;

/* A loop marked as parallel carries nothing, as far as is known. */
static bool
check_claim(void *user, ix_stmt *s)
{
    claims *m = user;
    ix_cursor c;
    if (s->kind != IX_STMT_FOR || !s->parallel)
        return true;
    ck_assert(ix_cursor_at(m->k, s, &c));
    ix_refusal r = ix_loop_carries(m->u, &c);
    m->n++;
    ck_assert_msg(r.class != IX_REFUSAL_DISTANCE, "%s, kernel k%d, loop %d: %s",
                  m->file, m->k->number, s->number, r.why);
    m->unproved += r.class != IX_REFUSAL_NONE;
    return true;
}

static void
check_file(claims *m, const char *path)
{
    static char text[1 << 16];
    ix_unit u;
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    run_passes(&u, parse(text), "map");
    m->u = &u;
    for (m->k = u.kernels; m->k; m->k = m->k->next)
        ix_stmt_each(m->k->body, check_claim, m);
    free_unit(&u);
}

START_TEST(parallel_loops_carry_nothing)
{
    const char *srcdir = getenv("srcdir");
    char folder[400], path[800];
    claims m = {.n = 0};
    snprintf(folder, sizeof folder, "%s/tests/stages",
             srcdir && *srcdir ? srcdir : ".");
    DIR *d = opendir(folder);
    ck_assert_msg(d != NULL, "%s", folder);
    naive = true;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const char *end = strrchr(e->d_name, '.');
        if (!end || strcmp(end, ".ilx") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        m.file = e->d_name;
        check_file(&m, path);
    }
    closedir(d);
    printf("%lld parallel loops, %lld of them not proved\n", (long long)m.n,
           (long long)m.unproved);
    ck_assert_int_eq(m.unproved, 1); /* compress: places are data */
}
END_TEST

/* ---- random accesses ---- */

enum { MOST_COMMON = 3, MOST_LOOPS = 5 };

/* Two accesses in a kernel, as statements and as a set for isl. */
typedef struct drawn {
    ix_unit *u;
    ix_kernel *k;
    int common, depth[2];
    ix_stmt *loop[2][MOST_LOOPS];
    ix_access x[2];
    ix_accesses a;
    ilex_array *index[2][2];
    ix_branch branch[2][2];
    int branches[2];
    char text[4000];
    int used;
} drawn;

static void IX_PRINTF(2, 3) put(drawn *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->used += vsnprintf(d->text + d->used, sizeof d->text - (size_t)d->used,
                         format, args);
    va_end(args);
    ck_assert_int_lt(d->used, (int)sizeof d->text);
}

static const char *
put_atom(drawn *d, int who, const ilex_array *x)
{
    if (x->kind == IX_SIZE) {
        put(d, "n");
    } else if (x->kind == IX_INDEX) {
        int at = d->depth[who] - 1;
        while (d->loop[who][at]->number != x->attr[0])
            at--;
        put(d, "%c%d", "ac"[who], at);
    } else {
        return NULL;
    }
    return d->text;
}

/* An index sum of access "who" for isl. */
static void
put_sum(drawn *d, int who, const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    put(d, "(%lld", (long long)f.c);
    for (int i = 0; i < f.n; i++) {
        const ilex_array *atom = f.t[i].atom;
        put(d, " + %lld", (long long)f.t[i].k);
        if (put_atom(d, who, atom))
            continue;
        ck_assert(ix_index_is_quotient(atom));
        put(d, "*floor(");
        put_sum(d, who, atom->ops[0]);
        put(d, "/%lld)", (long long)atom->ops[1]->attr[0]);
    }
    put(d, ")");
}

/* A sum of indices of the loops before "depth", perhaps a size, a constant. */
static ilex_array *
draw_sum(drawn *d, int who, int depth, int terms)
{
    static const int64_t factor[] = {1, 1, 1, -1, 2, 3, 64};
    ilex_array *x = ix_index_const(ctx, draw(-3, 3));
    for (int i = 0; i < terms && depth > 0; i++)
        x = ix_index_fma(
            ctx, x, factor[draw(0, 6)],
            ix_scalar_index(ctx, d->loop[who][draw(0, depth - 1)]->number));
    if (draw(0, 7) == 0)
        x = ix_index_fma(ctx, x, draw(0, 1) ? 1 : -1, ix_scalar_size(ctx, 0));
    return x;
}

static ix_stmt *
draw_loop(drawn *d, int who, int depth)
{
    ilex_array *lo = draw_sum(d, who, depth, draw(0, 3) == 0);
    ilex_array *hi = draw(0, 2) ? ix_scalar_size(ctx, 0)
                                : ix_index_offset(ctx, lo, draw(1, 64));
    ix_stmt *loop = ix_stmt_for(
        d->u, ix_kernel_variable(d->u, d->k, IX_VARIABLE_AXIS), lo, hi);
    loop->step = draw(0, 3) ? 1 : draw(2, 64);
    loop->down = draw(0, 3) == 0;
    return loop;
}

/* Branches around access "who", on indices of its loops. */
static void
draw_branches(drawn *d, int who)
{
    static const ix_op ops[] = {IX_OP_LESS,    IX_OP_LESS_EQUAL,
                                IX_OP_GREATER, IX_OP_GREATER_EQUAL,
                                IX_OP_EQUAL,   IX_OP_NOT_EQUAL};
    d->branches[who] = (int)draw(0, 4) / 2;
    for (int i = 0; i < d->branches[who]; i++) {
        ilex_array *x[2] = {draw_sum(d, who, d->depth[who], (int)draw(1, 2)),
                            draw_sum(d, who, d->depth[who], (int)draw(0, 1))};
        d->branch[who][i] =
            (ix_branch){.condition = ix_scalar_op(ctx, ops[draw(0, 5)],
                                                  ILEX_I64, ILEX_BOOL, x),
                        .holds = draw(0, 1),
                        .around = i ? &d->branch[who][i - 1] : NULL};
    }
}

static void
put_branch(drawn *d, int who, const ix_branch *b)
{
    static const char *const names[] = {
        [IX_OP_LESS] = "<",    [IX_OP_LESS_EQUAL] = "<=",
        [IX_OP_GREATER] = ">", [IX_OP_GREATER_EQUAL] = ">=",
        [IX_OP_EQUAL] = "=",   [IX_OP_NOT_EQUAL] = "!="};
    if (b->condition->kind == IX_CONST) { /* it is decided */
        bool holds = ix_const_value(b->condition).i == b->holds;
        put(d, " and %s", holds ? "0 = 0" : "0 = 1");
        return;
    }
    put(d, " and %s(", b->holds ? "" : "not ");
    put_sum(d, who, b->condition->ops[0]);
    put(d, " %s ", names[ix_op_of(b->condition)]);
    put_sum(d, who, b->condition->ops[1]);
    put(d, ")");
}

static void
draw_accesses(drawn *d)
{
    int rank = (int)draw(1, 2);
    d->common = (int)draw(1, MOST_COMMON);
    for (int i = 0; i < d->common; i++)
        d->loop[0][i] = d->loop[1][i] = draw_loop(d, 0, i);
    for (int who = 0; who < 2; who++) {
        d->depth[who] = d->common;
        for (int64_t more = draw(0, 2) / 2; more > 0; more--) {
            d->loop[who][d->depth[who]] = draw_loop(d, who, d->depth[who]);
            d->depth[who]++;
        }
        for (int i = 0; i < rank; i++) {
            ilex_array *x = draw_sum(d, who, d->depth[who], (int)draw(1, 2));
            if (draw(0, 5) == 0)
                x = ix_index_floordiv(ctx, x, draw(2, 5));
            d->index[who][i] = x;
        }
        draw_branches(d, who);
        int n = d->branches[who];
        d->x[who] = (ix_access){.write = true,
                                .branch = n ? &d->branch[who][n - 1] : NULL,
                                .rank = rank,
                                .index = d->index[who],
                                .depth = d->depth[who],
                                .around = (const ix_stmt *const *)d->loop[who]};
    }
}

static void
put_loop(drawn *d, int who, int at)
{
    const ix_stmt *loop = d->loop[who][at];
    put(d, " and %c%d >= ", "ac"[who], at);
    put_sum(d, who, ix_for_lo(loop));
    put(d, " and %c%d < ", "ac"[who], at);
    put_sum(d, who, ix_for_hi(loop));
    put(d, " and (%c%d - ", "ac"[who], at);
    put_sum(d, who, ix_for_lo(loop));
    put(d, ") mod %lld = 0", (long long)loop->step);
}

/* The set of all iterations in which the two meet. */
static void
put_meeting(drawn *d, const ix_direction *direction)
{
    d->used = 0;
    put(d, "[n] -> { [");
    for (int who = 0; who < 2; who++)
        for (int i = 0; i < d->depth[who]; i++)
            put(d, "%s%c%d", who || i ? ", " : "", "ac"[who], i);
    put(d, "] : n >= 0");
    for (int who = 0; who < 2; who++)
        for (int i = 0; i < d->depth[who]; i++)
            put_loop(d, who, i);
    for (int who = 0; who < 2; who++)
        for (int i = 0; i < d->branches[who]; i++)
            put_branch(d, who, &d->branch[who][i]);
    for (int i = 0; i < d->x[0].rank; i++) {
        put(d, " and ");
        put_sum(d, 0, d->index[0][i]);
        put(d, " = ");
        put_sum(d, 1, d->index[1][i]);
    }
    for (int i = 0; i < d->common; i++) {
        int sign = d->loop[0][i]->down ? -direction[i] : (int)direction[i];
        if (direction[i] != IX_ANY)
            put(d, " and c%d %s a%d", i,
                sign == 0  ? "="
                : sign > 0 ? ">"
                           : "<",
                i);
    }
    put(d, " }");
}

static bool
isl_says(isl_ctx *isl, const char *text)
{
    isl_set *set = isl_set_read_from_str(isl, text);
    ck_assert_msg(set != NULL, "%s", text);
    bool empty = isl_set_is_empty(set);
    isl_set_free(set);
    return !empty;
}

START_TEST(random_accesses_meet_where_isl_says)
{
    ix_unit u;
    isl_ctx *isl = isl_ctx_alloc();
    const char *many = getenv("ILEX_DISTANCES");
    int64_t yes = 0, no = 0, unknown = 0, missed = 0,
            count = many ? atoll(many) : 3000;
    run_passes(&u, parse(HEAD "in x : f64[n, n]\nout y = x + 1.0\n"), "nest");
    for (int64_t i = 0; i < count; i++) {
        drawn d = {.u = &u, .k = u.kernels, .a = {.u = &u}};
        draw_accesses(&d);
        ix_direction direction[MOST_COMMON];
        for (int k = 0; k < d.common; k++)
            direction[k] = (ix_direction)draw(-1, 2);
        ix_tri meet =
            ix_accesses_meet(&d.a, &d.x[0], &d.x[1], d.common, direction);
        put_meeting(&d, direction);
        bool is = isl_says(isl, d.text);
        ck_assert_msg(meet != IX_NO || !is, "they meet: %s", d.text);
        missed += meet == IX_YES && !is;
        if (meet == IX_YES && !is && getenv("V"))
            printf("no meeting: %s\n", d.text);
        yes += meet == IX_YES;
        no += meet == IX_NO;
        unknown += meet == IX_UNKNOWN;
    }
    printf("%lld yes, of which %lld are not, %lld no, %lld unknown\n",
           (long long)yes, (long long)missed, (long long)no,
           (long long)unknown);
    ck_assert_int_le(missed * 100, yes);
    isl_ctx_free(isl);
    free_unit(&u);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("distances", loops_of_programs_carry_what_they_do,
                     parallel_loops_carry_nothing,
                     random_accesses_meet_where_isl_says);
}
