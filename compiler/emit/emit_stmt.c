/* SPDX-License-Identifier: MIT
 *
 * Statements as text, one function for each kind.
 */
#include "compiler/emit/emit.h"

#include <stdio.h>

/* ---- operations ---- */

/* A quotient or a remainder by 2^n, which round to minus infinity as shifts do:
 * no helper is called, which would ask for the signs of both. */
static ix_code_template
by_power(ix_emitter *e, const ilex_array *x, ix_code_template code)
{
    bool quotient = ix_op_of(x) == IX_OP_FLOOR_DIVIDE;
    if ((!quotient && ix_op_of(x) != IX_OP_REMAINDER) ||
        !ix_dtype_is_integer(ix_loop_of(x)) || x->ops[1]->kind != IX_CONST)
        return code;
    int64_t n = ix_const_value(x->ops[1]).i, shift = 0;
    if (n <= 1 || (n & (n - 1)))
        return code;
    while (n >> shift > 1)
        shift++;
    bool wide = ilex_dtype_bytes(ix_loop_of(x)) == sizeof(int64_t);
    char *text = ix_mem_new(&e->mem, IX_NAME);
    e->t->failed |= !text;
    if (!text)
        return code;
    snprintf(text, IX_NAME, "%s%sx %s %lld%s", wide ? "" : "(T)(",
             shift > 30 ? "(T)" : "", quotient ? ">>" : "&",
             (long long)(quotient ? shift : n - 1), wide ? "" : ")");
    return (ix_code_template){.kind = IX_CODE_EXPR, .re = text};
}

static ix_code_template
template_of(ix_emitter *e, const ilex_array *x, ilex_dtype *loop)
{
    bool cast = x->kind != IX_OP;
    ilex_dtype to = (ilex_dtype)x->dtype;
    *loop = cast ? to : ix_loop_of(x);
    ix_code_template code =
        cast ? ix_cast_template((ilex_dtype)x->ops[0]->dtype, to)
             : by_power(e, x, ix_op_template(ix_op_of(x), *loop));
    return ix_emit_hidden(e, code, cast ? -1 : (int)ix_op_of(x), *loop, to);
}

/* The template of an operation; "names", which point into "args", are those of
 * its operands. Integers may be narrower than its type: arithmetic is in that.
 */
static ix_code_template
read_operation(ix_emitter *e, const ilex_array *x, ix_name *args,
               ix_code_names *names)
{
    for (int i = 0; i < x->nops; i++) {
        args[i] = ix_emit_leaf(e, x->ops[i]);
        names->x[i] = args[i].re;
        names->xi[i] = args[i].im;
    }
    names->result = (ilex_dtype)x->dtype;
    return template_of(e, x, &names->loop);
}

/* A condition, as an expression. */
static void
put_condition(ix_emitter *e, const ilex_array *x, ix_text *t)
{
    ix_name args[3];
    ix_code_names names = {.re = ""};
    if (!ix_is_operation(x)) {
        ix_text_put(t, ix_emit_leaf(e, x).re);
        return;
    }
    ix_code_template code = read_operation(e, x, args, &names);
    e->t->failed |=
        !ix_function_set_need_template(&e->functions, code, names.loop);
    ix_code_write(t, code.re, &names, &e->dialect->functions);
}

/* ---- loops ---- */

/* What the statements in a loop use at indices that follow it. */
typedef struct followers {
    int loop;
    bool rows, lanes; /* of buffers; of scratch memory */
} followers;

static bool
note_follower(void *user, ix_stmt *s)
{
    followers *f = user;
    bool follows = false;
    for (int i = 0; i < s->n[IX_INDICES]; i++)
        follows |= ix_scalar_uses_index(ix_operands(s, IX_INDICES)[i], f->loop);
    f->rows |= follows && s->buffer >= 0;
    f->lanes |= follows && s->buffer < 0;
    return true;
}

/* Has a loop a constant number of iterations, and uses rows, but no lanes,
 * which are registers only if it is unrolled? */
static bool
goes_along_rows(const ix_stmt *s)
{
    followers f = {.loop = s->number};
    if (ix_for_lo(s)->kind != IX_CONST || ix_for_hi(s)->kind != IX_CONST)
        return false;
    ix_stmt_each(s->body, note_follower, &f);
    return f.rows && !f.lanes;
}

/* The bound that a loop runs to; CUDA's compiler must not see where one of
 * strips ends, or one with a constant number of iterations that uses rows (see
 * heads.def). */
static void
put_bound(ix_emitter *e, const ix_stmt *s, ix_text *t)
{
    const ilex_array *x = s->down ? ix_for_lo(s) : ix_for_hi(s);
    bool bound = e->dialect->cuda &&
                 ((s->step > 1 && x->kind != IX_CONST) || goes_along_rows(s));
    e->bounds |= bound;
    ix_text_put(t, bound ? "opaque_i64(" : "");
    ix_emit_sum(e, x, t);
    ix_text_put(t, bound ? ")" : "");
}

/* How many iterations CUDA's compiler is to unroll: one of loops for which it
 * would divide to know how often they run, as for the few points of a thread,
 * and as ptxas 13.0 crashes on some rows of 65 that are unrolled; of a tile's
 * rows as many as a thread is to wait for at a time; 0: what it likes. */
static int
unrolled(const ix_emitter *e, const ix_stmt *s)
{
    enum { ROWS = 4 };
    bool one = s->step > 1 ||
               (s->dim == 0 && (s->how == IX_GRID || s->how == IX_BLOCK));
    return !e->dialect->cuda ? 0 : one ? 1 : s->how == IX_BLOCK ? ROWS : 0;
}

/* Does nothing ask which lane it is, but the lane itself? */
static bool
uses_no_index(void *user, ix_stmt *s)
{
    const int *variable = user;
    int n = ix_operands_before(s, s->mem && s->mem->spread ? IX_INDICES
                                                           : IX_GROUPS);
    for (int i = 0; i < n; i++)
        if (ix_scalar_uses_index(s->x[i], *variable))
            return false;
    return true;
}

/* "j4 >= lo && j4 < hi", where lanes have bounds; are there any? */
static bool
put_lane_range(const ix_emitter *e, const ix_stmt *s, ix_text *t)
{
    const ilex_array *lo = ix_for_lo(s), *hi = ix_for_hi(s);
    ix_value_text v = ix_emit_variable(e, s->number);
    bool first = ix_index_is_zero(lo);
    bool last = hi->kind == IX_CONST &&
                hi->attr[0] == s->dim * (int64_t)IX_GROUP_THREADS;
    if (!first) {
        ix_text_format(t, "%s >= ", v.s);
        ix_emit_sum(e, lo, t);
    }
    if (!last) {
        ix_text_format(t, first ? "%s < " : " && %s < ", v.s);
        ix_emit_sum(e, hi, t);
    }
    return !first || !last;
}

/* for (i32 own = 0; own < 2; own++) {
 *     const index_t j4 = lane() + 16 * own;
 *     if (j4 < e1 - m4) { */
static void
emit_lanes(ix_emitter *e, const ix_stmt *s)
{
    int variable = s->number;
    ix_text range;
    ix_text_init(&range, &e->mem);
    bool ranged = put_lane_range(e, s, &range);
    ix_emit_open(e, "for (i32 own = 0; own < %d; own++)", s->dim);
    if (ranged || !ix_stmt_each(s->body, uses_no_index, &variable))
        ix_emit_put(e, "const %s %s = lane() + %d * own;",
                    ix_emit_loop_type(e, s), ix_emit_variable(e, variable).s,
                    IX_GROUP_THREADS);
    if (ranged)
        ix_emit_open(e, "if (%s)", ix_text_string(&range));
    ix_emit_stmts(e, s->body);
    if (ranged)
        ix_emit_close(e);
    ix_emit_close(e);
    ix_text_free(&range);
    e->groups = true;
}

enum { THREADS = 64 }; /* bytes of text that says which threads */

/* Which thread of a team it is: of a block, along x or y, or of a group. */
static void
put_member(const ix_stmt *s, char own[THREADS], char all[THREADS])
{
    static const int threads[] = {IX_BLOCK_X, IX_BLOCK_Y, IX_GRID_THREADS};
    bool block = s->how == IX_BLOCK;
    snprintf(all, THREADS, "%d", block ? threads[s->dim] : IX_GROUP_THREADS);
    if (block && s->dim == IX_BLOCK_ALL)
        snprintf(own, THREADS, "(i32)(threadIdx.x + %d * threadIdx.y)",
                 IX_BLOCK_X);
    else if (block)
        snprintf(own, THREADS, "(i32)threadIdx.%c", "xy"[s->dim]);
    else
        snprintf(own, THREADS, "lane()");
}

/* Which thread it is of those that take the points of a loop, "own", which are
 * as far apart as there are such threads, "all"; of a block's points, which
 * block. False: one takes all points. */
static bool
threads_of(ix_emitter *e, const ix_stmt *s, char own[THREADS],
           char all[THREADS])
{
    bool grid = s->how == IX_GRID, points = ix_loop_is_points(s);
    bool blocks = e->kernel->team == IX_TEAM_BLOCK;
    char dim = "xyz"[s->dim], by[24] = "";
    if (grid && s->step > 1)
        snprintf(by, sizeof by, "%lld * ", (long long)s->step);
    if (points)
        put_member(s, own, all);
    else if (grid && blocks) {
        snprintf(own, THREADS, "%s(i32)blockIdx.%c", by, dim);
        snprintf(all, THREADS, "%s(i32)gridDim.%c", by, dim);
    } else if (grid) {
        snprintf(own, THREADS, "%sthread_%c()", by, dim);
        snprintf(all, THREADS, "%sthreads_%c()", by, dim);
    }
    e->threads[s->dim] |= grid && !blocks;
    e->groups |= points && !blocks;
    e->points |= points;
    return grid || points;
}

/* How many lines of the cache it writes, where these are all. */
static int64_t
lines_of(const ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *hi = ix_for_hi(s);
    if (!e->dialect->optimised || !ix_stmt_copies_row(s) ||
        !ix_index_is_zero(ix_for_lo(s)) || hi->kind != IX_CONST)
        return 0;
    int64_t bytes =
        hi->attr[0] *
        (int64_t)ilex_dtype_bytes(e->u->buffer[s->body->next->buffer].dtype);
    return bytes % IX_LINE_BYTES ? 0 : bytes / IX_LINE_BYTES;
}

/* Does it fill a row that a later loop writes past the caches, in two lines or
 * more? Blocks of less are transposed in registers, unrolled. */
static bool
is_strip(const ix_emitter *e, const ix_stmt *s)
{
    for (const ix_stmt *t = s; t && s->how == IX_VECTOR; t = t->next)
        if (t->how == IX_STREAM && lines_of(e, t) > 1)
            return true;
    return false;
}

void
ix_emit_loop(ix_emitter *e, const ix_stmt *s)
{
    ix_value_text v = ix_emit_variable(e, s->number);
    char own[THREADS], all[THREADS];
    bool points = e->points, shared = threads_of(e, s, own, all);
    bool first = shared && ix_index_is_zero(ix_for_lo(s));
    if (is_strip(e, s))
        ix_emit_put(e, "ILEX_STRIP");
    if ((s->how == IX_VECTOR || s->how == IX_STREAM) &&
        *e->dialect->vector_pragma)
        ix_emit_put(e, "%s", e->dialect->vector_pragma);
    else if (unrolled(e, s))
        ix_emit_put(e, "#pragma unroll %d", unrolled(e, s));
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "for (%s %s = ", ix_emit_loop_type(e, s), v.s);
    if (!first)
        ix_emit_sum(e, s->down ? ix_for_hi(s) : ix_for_lo(s), t);
    if (shared)
        ix_text_format(t, "%s%s", first ? "" : " + ", own);
    ix_text_format(t, s->down ? " - 1; %s >= " : "; %s < ", v.s);
    put_bound(e, s, t);
    if (ix_for_while(s)) {
        ix_text_put(t, " && ");
        put_condition(e, ix_for_while(s), t);
    }
    ix_text_format(t, "; %s", v.s);
    if (shared)
        ix_text_format(t, " += %s", all);
    else if (s->step == 1)
        ix_text_put(t, s->down ? "--" : "++");
    else
        ix_text_format(t, " += %lld", (long long)s->step);
    ix_text_put(t, ") {\n");
    e->indent++;
    ix_emit_stmts(e, s->body);
    ix_emit_close(e);
    e->points = points;
}

/* if (s1_0 == 1) {
 *     for (i64 z = 0; z < 16; z += 8) { ILEX_LINE(&r[z], &d[z]); }
 * } else { loop } */
static void
put_lines(ix_emitter *e, const ix_stmt *s)
{
    const ix_stmt *load = s->body, *store = load->next;
    const ix_value_text z = ix_emit_variable(e, s->number);
    size_t each = ilex_dtype_bytes(e->u->buffer[store->buffer].dtype);
    ix_emit_open(e, "if (s%d_%d == 1)", store->buffer,
                 store->n[IX_INDICES] - 1);
    ix_emit_open(e, "for (i64 %s = 0; %s < %lld; %s += %d)", z.s, z.s,
                 (long long)ix_for_hi(s)->attr[0], z.s,
                 IX_LINE_BYTES / (int)each);
    ix_text *t = ix_emit_line(e);
    ix_text_put(t, "ILEX_LINE(&");
    ix_emit_element(e, store, -1, t);
    ix_text_put(t, ", &");
    ix_emit_element(e, load, -1, t);
    ix_text_put(t, ");\n");
    ix_emit_close(e);
    e->indent--;
    ix_emit_open(e, "} else");
    ix_emit_loop(e, s);
    ix_emit_close(e);
    e->streams = true;
}

static void
emit_for(ix_emitter *e, const ix_stmt *s)
{
    if (s->how == IX_GROUP && !ix_loop_is_points(s))
        emit_lanes(e, s);
    else if (s->how == IX_STREAM && lines_of(e, s))
        put_lines(e, s);
    else if (!ix_emit_rows(e, s) && !ix_emit_chain(e, s))
        ix_emit_loop(e, s);
}

/* const i64 t = large && s0_1 == 1 && (s0_0 & 7) == 0 ? ILEX_ASIDE(&r[i]) :
 * (i64)1 << 62; */
static void
emit_aside(ix_emitter *e, const ix_stmt *s)
{
    int last = s->n[IX_INDICES] - 1;
    size_t each = ilex_dtype_bytes(e->u->buffer[s->buffer].dtype);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const i64 %s = ", ix_emit_defined(s).re);
    if (e->dialect->optimised) {
        if (s->n[IX_aside_large])
            ix_text_format(t, "%s && ", ix_emit_leaf(e, ix_aside_large(s)).re);
        ix_text_format(t, "s%d_%d == 1", s->buffer, last);
        for (int d = 0; s->rows && d < last; d++)
            ix_text_format(t, " && (s%d_%d & %d) == 0", s->buffer, d,
                           IX_LINE_BYTES / (int)each - 1);
        ix_text_put(t, " ? ILEX_ASIDE(&");
        ix_emit_element(e, s, -1, t);
        ix_text_put(t, ") : ");
        e->streams = true;
    }
    ix_text_put(t, "(i64)1 << 62;\n");
}

static void
emit_fence(ix_emitter *e, const ix_stmt *s)
{
    (void)s;
    if (e->kernel->team == IX_TEAM_BLOCK)
        ix_emit_put(e, "__syncthreads();");
    else if (e->kernel->team)
        ix_emit_put(e, "__syncwarp(group());");
    else if (e->streams)
        ix_emit_put(e, "ILEX_FENCE;");
}

/* ---- branches ---- */

static void
emit_branch(ix_emitter *e, const ix_stmt *s)
{
    const ix_stmt *last = s;
    ix_emit_open(e, "if (%s)", ix_emit_leaf(e, ix_if_condition(s)).re);
    ix_emit_stmts(e, s->body);
    while (last->other && last->other->kind == IX_STMT_IF &&
           !last->other->next) {
        last = last->other;
        e->indent--;
        ix_emit_open(e, "} else if (%s)",
                     ix_emit_leaf(e, ix_if_condition(last)).re);
        ix_emit_stmts(e, last->body);
    }
    if (last->other) {
        e->indent--;
        ix_emit_open(e, "} else");
        ix_emit_stmts(e, last->other);
    }
    ix_emit_close(e);
}

/* ---- values and memory ---- */

/* const T t = element; */
static void
emit_load(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_defined(s);
    bool complex = ix_dtype_is_complex(s->dtype);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e);
        ix_text_format(t, "const %s %s = ", ix_c_type(s->dtype),
                       part ? v.im : v.re);
        ix_emit_element(e, s, complex ? part : -1, t);
        bool truth = s->dtype == ILEX_BOOL && s->buffer >= 0;
        ix_text_put(t, truth ? " != 0;\n" : ";\n");
    }
}

/* Is it a conversion from "from" to "to", or of complex numbers of these? */
static bool
converts(const ilex_array *x, ilex_dtype from, ilex_dtype to)
{
    return x->kind == IX_CAST && ix_dtype_part((ilex_dtype)x->dtype) == to &&
           ix_dtype_part((ilex_dtype)x->ops[0]->dtype) == from;
}

/* const T t = op(...); */
static void
emit_operation(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_let_value(s);
    const char *type = ix_emit_let_type(e, s);
    ix_name args[3], v = ix_emit_defined(s);
    ix_code_names names = {.re = v.re, .im = v.im};
    ix_code_template code = read_operation(e, x, args, &names);
    e->narrows |= converts(x, ILEX_F64, ILEX_F32);
    e->widens |= converts(x, ILEX_F32, ILEX_F64);
    if (code.kind == IX_CODE_CALL_PAIR)
        ix_emit_put(e, "%s %s, %s;", type, v.re, v.im);
    ix_emit_template(e, code, &names, type, s->note);
}

static void
emit_let(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_let_value(s);
    if (x->kind == IX_APPLY) {
        ix_emit_apply(e, s);
        return;
    }
    if (ix_is_operation(x)) {
        emit_operation(e, s);
        return;
    }
    bool hidden = e->dialect->cuda && ix_is_negation(x);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const %s %s = ", ix_emit_let_type(e, s),
                   ix_emit_defined(s).re);
    ix_text_put(t, hidden ? "opaque_i64(" : "");
    ix_emit_sum(e, x, t);
    ix_text_put(t, hidden ? ");\n" : ";\n");
    e->bounds |= hidden;
}

static void
emit_scratch(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_scratch_first(s);
    ix_name v = ix_emit_defined(s), first = {"", ""};
    char extent[16] = "";
    if (s->extent)
        snprintf(extent, sizeof extent, "[%d]",
                 (int)s->extent / (s->spread ? IX_GROUP_THREADS : 1));
    if (x)
        first = ix_emit_leaf(e, x);
    if (s->note && e->names)
        ix_emit_put(e, "/* %s: %s */", v.re, s->note);
    if (s->buffer >= 0) {
        ix_emit_put(e, "%s *const %s = b%d;", ix_c_type(s->dtype), v.re,
                    s->buffer);
        if (v.im[0])
            ix_emit_put(e, "%s *const %s = b%d + %d;", ix_c_type(s->dtype),
                        v.im, s->buffer, (int)s->extent);
        return;
    }
    ix_parts name = ix_emit_scratch(e, s, extent);
    const char *shared = s->shared ? "__shared__ " : "";
    ix_emit_put(e, "%s%s %s%s%s;", shared, ix_c_type(s->dtype), name.re,
                x ? " = " : "", first.re);
    if (*name.im)
        ix_emit_put(e, "%s%s %s%s%s;", shared, ix_c_type(s->dtype), name.im,
                    x ? " = " : "", first.im);
}

static void
emit_store(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = ix_store_value(s);
    ix_name v = ix_emit_leaf(e, x);
    bool complex = ix_dtype_is_complex((ilex_dtype)x->dtype);
    bool one = e->kernel->team == IX_TEAM_GROUP && s->buffer >= 0 && !e->points;
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e);
        ix_text_put(t, one ? "if (lane() == 0) " : "");
        ix_emit_element(e, s, complex ? part : -1, t);
        ix_text_format(t, " = %s;\n", part ? v.im : v.re);
    }
    if (s->buffer < 0 && ix_emit_is_watched(e, s->mem))
        ix_emit_put(e, "%s = -0.0;", ix_emit_scratch_element(e, s).im);
}

/* "(u64)x", "(u64)x - (u64)lo": how far it is from lo, more than any
 * length if it is less. */
static void
put_distance(const ix_emitter *e, const ilex_array *x, const ilex_array *lo,
             ix_text *t)
{
    bool sum = x->kind == IX_LINEAR;
    ix_text_put(t, sum ? "(u64)(" : "(u64)");
    ix_emit_sum(e, x, t);
    ix_text_put(t, sum ? ")" : "");
    if (lo && !ix_index_is_zero(lo)) {
        ix_text_put(t, " - ");
        put_distance(e, lo, NULL, t);
    }
}

/* Whether a value is in no range, by one comparison where that is known to have
 * no negative length. */
static void
put_outside(const ix_emitter *e, const ix_stmt *s, ix_text *t)
{
    ilex_context *ctx = e->u->ctx;
    const ilex_array *x = ix_check_value(s);
    ilex_array *lo = ix_check_lo(s), *hi = ix_check_hi(s);
    const ix_lin *from = ix_index_to_lin(ctx, lo),
                 *n = ix_index_to_lin(ctx, hi);
    n = from && n ? ix_lin_try_fma(ctx, n, -1, from) : NULL;
    if (n && ix_lin_nonneg_fast(ctx, n)) {
        put_distance(e, x, lo, t);
        ix_text_put(t, " >= ");
        put_distance(e, hi, lo, t);
        return;
    }
    ix_emit_sum(e, x, t);
    ix_text_put(t, " < ");
    ix_emit_sum(e, lo, t);
    ix_text_put(t, " || ");
    ix_emit_sum(e, x, t);
    ix_text_put(t, " >= ");
    ix_emit_sum(e, hi, t);
}

/* if (value is outside) { tell; return 1; } */
static void
emit_check(ix_emitter *e, const ix_stmt *s)
{
    static const char *const told[] = {"index", "value", "lo", "hi", "at"};
    const ilex_array *x[] = {ix_check_position(s), ix_check_value(s),
                             ix_check_lo(s), ix_check_hi(s),
                             ix_check_element(s)};
    ix_text *t = ix_emit_line(e);
    ix_text_put(t, "if (");
    put_outside(e, s, t);
    ix_text_put(t, ") {\n");
    ix_emit_put(e, "    local->node = %d;", s->number);
    for (size_t i = 0; i < IX_COUNT(x) && x[i]; i++) {
        ix_text_format(t = ix_emit_line(e), "    local->%s = ", told[i]);
        ix_emit_sum(e, x[i], t);
        ix_text_put(t, ";\n");
    }
    ix_emit_put(e, "    return 1;");
    ix_emit_put(e, "}");
}

void
ix_emit_stmts(ix_emitter *e, const ix_stmt *list)
{
    static void (*const emit[IX_NSTMTS])(ix_emitter *, const ix_stmt *) = {
        [IX_STMT_FOR] = emit_for,         [IX_STMT_IF] = emit_branch,
        [IX_STMT_LET] = emit_let,         [IX_STMT_ROW] = ix_emit_row,
        [IX_STMT_FETCH] = ix_emit_fetch,  [IX_STMT_LOAD] = emit_load,
        [IX_STMT_SCRATCH] = emit_scratch, [IX_STMT_STORE] = emit_store,
        [IX_STMT_CHECK] = emit_check,     [IX_STMT_UPDATE] = ix_emit_update,
        [IX_STMT_FOLD] = ix_emit_fold,    [IX_STMT_FENCE] = emit_fence,
        [IX_STMT_ASIDE] = emit_aside};
    ix_source_location around = e->location;
    for (const ix_stmt *s = list; s; s = s->next) {
        if (e->lines)
            e->location = ix_source_location_of(e->u, s->array);
        emit[s->kind](e, s);
        e->location = around;
    }
}
