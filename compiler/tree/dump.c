/* SPDX-License-Identifier: MIT
 *
 * Statements as stable text, one a line. What an expression shares is visible:
 * each of its operations has a line and a name, %1 and on.
 */
#include "compiler/tree/tree.h"
#include "lib/build/foreign.h"
#include "lib/syntax/print.h"

typedef struct dumper {
    const ix_unit *u;
    const ix_kernel *k; /* NULL: a stage */
    ix_text *t;
    int indent;
    ix_map name; /* of a node of the expression */
    size_t next;
} dumper;

static ix_text *
line(const dumper *d)
{
    for (int i = 0; i < d->indent; i++)
        ix_text_put(d->t, "  ");
    return d->t;
}

/* ---- expressions ---- */

static void
put_variable(const dumper *d, int64_t number)
{
    char letter = 'i';
    if (d->k)
        letter = ix_variable_letter(d->k, number);
    ix_text_format(d->t, "%c%lld", letter, (long long)number);
}

static void
put_value_name(ix_text *t, char prefix, int64_t number)
{
    ix_text_put(t, ix_value_name(prefix, number).s);
}

static void put_operand(const dumper *d, const ilex_array *x);
static void put_operation(const dumper *d, const ilex_array *x);
static void put_factor(const dumper *d, const ilex_array *x);

static void
put_atom(const void *user, const ilex_array *x, ix_text *t)
{
    (void)t;
    put_operand(user, x);
}

static void
put_sum(const dumper *d, const ilex_array *x)
{
    ix_sum_put(&(ix_sum_writer){"*", put_atom, d}, x, d->t);
}

/* "(%3, b4[i0])" */
static void
put_tuple(const dumper *d, const ilex_array *x)
{
    for (int i = 0; i < x->nops; i++) {
        ix_text_put(d->t, i ? ", " : "(");
        put_operand(d, x->ops[i]);
    }
    ix_text_char(d->t, ')');
}

/* A leaf, a sum, or the name of an operation. */
static void
put_operand(const dumper *d, const ilex_array *x)
{
    const size_t *named = ix_map_find(&d->name, x);
    if (named) {
        ix_text_format(d->t, "%%%zu", *named);
    } else if (x->kind == IX_INDEX) {
        put_variable(d, x->attr[0]);
    } else if (x->kind == IX_VALUE) {
        put_value_name(d->t, (char)x->attr[1], x->attr[0]);
    } else if (x->kind == IX_LINEAR) {
        put_sum(d, x);
    } else if (x->kind == IX_CONST && x->dtype == ILEX_I64) {
        ix_text_int(d->t, x->attr[0]);
    } else if (x->kind == IX_CHECKED) {
        put_operand(d, x->ops[0]);
    } else if (x->kind == IX_TUPLE) {
        put_tuple(d, x);
    } else if (ix_index_is_quotient(x)) {
        put_factor(d, x->ops[0]);
        ix_text_format(d->t, "//%lld", (long long)x->ops[1]->attr[0]);
    } else if (x->kind == IX_OP && !ix_op_info_of(ix_op_of(x))->infix) {
        put_operation(d, x);
    } else {
        ix_print_scalar(d->u->ctx, x, d->t);
    }
}

static void
put_index(const dumper *d, int n, ilex_array *const *index)
{
    for (int i = 0; i < n; i++) {
        ix_text_put(d->t, i ? ", " : "[");
        put_operand(d, index[i]);
    }
    ix_text_put(d->t, n ? "]" : "");
}

/* An operand beside an operator. */
static void
put_factor(const dumper *d, const ilex_array *x)
{
    bool sum = x->kind == IX_LINEAR && !ix_map_find(&d->name, x);
    ix_text_put(d->t, sum ? "(" : "");
    put_operand(d, x);
    ix_text_put(d->t, sum ? ")" : "");
}

/* One operation on operands. */
static void
put_operation(const dumper *d, const ilex_array *x)
{
    const ix_op_info *op = x->kind == IX_OP ? ix_op_info_of(ix_op_of(x)) : NULL;
    if (x->kind == IX_LOAD) {
        ix_text_format(d->t, "b%lld", (long long)x->attr[0]);
        put_index(d, x->nops, x->ops);
        return;
    }
    if (op && op->infix && op->arity == 2) {
        put_factor(d, x->ops[0]);
        ix_text_format(d->t, " %s ", op->infix);
        put_factor(d, x->ops[1]);
        return;
    }
    if (!ix_is_operation(x) && x->kind != IX_PRODUCT) {
        put_operand(d, x);
        return;
    }
    ix_text_put(d->t, op ? op->name
                      : x->kind == IX_APPLY
                          ? ix_symbol_text(d->u->ctx, ix_foreign_name(x))
                      : x->kind == IX_PRODUCT
                          ? "product"
                          : ilex_dtype_name((ilex_dtype)x->dtype));
    put_tuple(d, x);
}

static void list(dumper *d, const ilex_array *x);

/* "sum over [n]", of a range that is computed "sum over _r0 in [lo, hi)". */
static void
put_range(dumper *d, const ilex_array *x)
{
    ix_text_format(d->t, "%s over ",
                   ix_reduction_info_of(ix_reduction_of(x))->name);
    if (!ix_is_ranged(x)) {
        ix_text_format(d->t, "[%s]", ix_domain_show(d->u->ctx, x->interior).s);
        return;
    }
    ix_text_format(d->t, "_r%lld in [", (long long)x->attr[1]);
    put_operand(d, x->ops[1]);
    ix_text_put(d->t, ", ");
    put_operand(d, x->ops[2]);
    ix_text_char(d->t, ')');
}

/* "%3 = sum, lanes 32 of", then the body, deeper. */
static void
list_reduction(dumper *d, const ilex_array *x)
{
    ix_map outer = d->name;
    int lanes = (int)ix_lanes_of(x);
    put_range(d, x);
    ix_text_put(d->t, ix_is_total(x) ? " or nothing, " : ", ");
    if (ix_is_chain(x))
        ix_text_put(d->t, "one chain, of\n");
    else
        ix_text_format(d->t, "%d lane%s, of\n", lanes, lanes == 1 ? "" : "s");
    d->name = (ix_map){0};
    d->indent++;
    list(d, x->ops[0]);
    line(d);
    put_operation(d, x->ops[0]);
    ix_text_char(d->t, '\n');
    d->indent--;
    ix_map_free(&d->name, &d->u->ctx->mem);
    d->name = outer;
}

static bool
has_line(const ilex_array *x)
{
    return ix_is_operation(x) || x->kind == IX_LOAD || x->kind == IX_REDUCE;
}

/* Lines for what "x" needs, operands first; of a reduction the ends of a range
 * alone. */
static void
list(dumper *d, const ilex_array *x)
{
    for (int i = x->kind == IX_REDUCE; i < x->nops; i++) {
        const ilex_array *op = x->ops[i];
        if (ix_map_find(&d->name, op))
            continue;
        list(d, op);
        if (!has_line(op))
            continue;
        ix_map_set(&d->name, &d->u->ctx->mem, op, ++d->next);
        ix_text_format(line(d), "%%%zu = ", d->next);
        if (op->kind == IX_REDUCE) {
            list_reduction(d, op);
            continue;
        }
        put_operation(d, op);
        const char *note = ix_origin_text(d->u, op);
        ix_text_format(d->t, note ? "  # %s\n" : "\n", note);
    }
}

/* ---- statements ---- */

static void
put_name(const dumper *d, const ix_stmt *s)
{
    put_value_name(d->t, s->prefix, s->number);
}

static void
put_element(const dumper *d, const ix_stmt *s)
{
    if (s->mem)
        put_name(d, s->mem);
    else
        ix_text_format(d->t, "b%d", s->buffer);
    put_index(d, s->n[IX_INDICES], ix_operands(s, IX_INDICES));
}

static void
put_bounds(const dumper *d, const ix_stmt *loop, int group)
{
    int n = loop->n[group];
    ix_text_put(d->t, n == 1 ? "" : group == IX_for_lo ? "max(" : "min(");
    for (int i = 0; i < n; i++) {
        ix_text_put(d->t, i ? ", " : "");
        put_operand(d, ix_operands(loop, group)[i]);
    }
    ix_text_put(d->t, n == 1 ? "" : ")");
}

/* "cell a1 f64", "scratch l3 f64[32]" */
static void
put_scratch(const dumper *d, const ix_stmt *s)
{
    static const char *const kinds[] = {"cell ", "scratch "};
    ix_text_put(d->t, kinds[s->scratch]);
    put_name(d, s);
    ix_text_format(d->t, " %s", ilex_dtype_name(s->dtype));
    if (s->extent)
        ix_text_format(d->t, "[%lld]", (long long)s->extent);
    if (s->buffer >= 0)
        ix_text_format(d->t, " in b%d", s->buffer);
}

/* What stands for a letter of the row's text. */
static void
put_letter(const dumper *d, const ix_stmt *s, char letter)
{
    if (letter == '@')
        put_element(d, s);
    else if (letter == '~' || letter == '!')
        put_name(d, letter == '~' ? s->from : s->to);
    else if (letter == '#')
        ix_text_put(d->t, ix_op_info_of(s->op)->name);
    else if (letter != '%')
        ix_text_char(d->t, letter);
    else if (s->kind == IX_STMT_FOR)
        put_variable(d, s->number);
    else
        (s->kind == IX_STMT_SCRATCH ? put_scratch : put_name)(d, s);
}

/* Of several bounds of a loop the largest or smallest is meant. */
static void
put_group(dumper *d, const ix_stmt *s, int group)
{
    ilex_array *x = ix_first_operand(s, group);
    ix_flat flat = ix_stmt_rows[s->kind].flat[group];
    if (s->n[group] > 1)
        put_bounds(d, s, group);
    else if (x->kind == IX_REDUCE)
        list_reduction(d, x);
    else if (flat >= IX_FLAT_SUM)
        put_operand(d, x);
    else
        put_operation(d, x);
}

/* The text of its row; the end of the line, but of a reduction. */
static void
put_stmt(dumper *d, const ix_stmt *s)
{
    static const char *const how[] = {"",      " vector", " stream",
                                      " grid", " group",  " block"};
    int group = 0;
    for (const char *c = ix_stmt_rows[s->kind].text; *c; c++)
        if (*c == '{' && !s->n[group])
            for (group++; *c != '}'; c++)
                ;
        else if (*c == '$')
            put_group(d, s, group++);
        else if (*c != '{' && *c != '}')
            put_letter(d, s, *c);
    if (s->n[0] && s->x[0]->kind == IX_REDUCE)
        return;
    if (s->down || s->rows)
        ix_text_put(d->t, s->down ? " down" : " in all rows");
    if (s->kind == IX_STMT_FOR && s->step != 1)
        ix_text_format(d->t, " step %lld", (long long)s->step);
    ix_text_put(d->t, how[s->how]);
    if (s->how == IX_GRID || (s->how == IX_BLOCK && s->dim != IX_BLOCK_ALL))
        ix_text_format(d->t, " %c", "xyz"[s->dim]);
    if (s->kind == IX_STMT_SCRATCH)
        ix_text_put(d->t, s->spread ? " spread" : s->shared ? " shared" : "");
    ix_text_format(d->t, s->note ? "  # %s\n" : "\n", s->note);
}

static bool
list_expr(void *user, ilex_array *x)
{
    list(user, x);
    return true;
}

static void
put_stmts(dumper *d, const ix_stmt *s)
{
    for (; s; s = s->next) {
        ix_map_free(&d->name, &d->u->ctx->mem);
        d->next = 0;
        ix_stmt_exprs(s, list_expr, d);
        line(d);
        put_stmt(d, s);
        d->indent++;
        put_stmts(d, s->body);
        if (s->other) {
            d->indent--;
            ix_text_put(line(d), "else\n");
            d->indent++;
            put_stmts(d, s->other);
        }
        d->indent--;
    }
}

/* "as k0 with b3 b4 for b0 b1, m for n, o0 = 2" */
static void
put_like(const ix_unit *u, const ix_kernel *k, ix_text *t)
{
    const ix_kernel *f = k->like;
    ix_text_format(t, "    as k%d", f->number);
    for (size_t i = 0; i < k->buffers.count; i++)
        if (k->buffers.item[i] != f->buffers.item[i])
            ix_text_format(t, ", b%d for b%d", k->buffers.item[i],
                           f->buffers.item[i]);
    for (size_t i = 0; i < k->sizes.count; i++)
        if (k->sizes.item[i] != f->sizes.item[i])
            ix_text_format(t, ", %s for %s",
                           ix_param_name(u->ctx, k->sizes.item[i]),
                           ix_param_name(u->ctx, f->sizes.item[i]));
    for (int i = 0; i < k->noffsets; i++) {
        ix_text_format(t, ", o%d = ", i);
        ix_literal_put(&k->offset[i], t);
    }
    ix_text_char(t, '\n');
}

void
ix_dump_kernel(const ix_unit *u, const ix_kernel *k, ix_text *t)
{
    dumper d = {.u = u, .k = k, .t = t, .indent = 2};
    if (k->like)
        put_like(u, k, t);
    put_stmts(&d, k->body);
    ix_map_free(&d.name, &u->ctx->mem);
}

void
ix_dump_body(const ix_unit *u, const ilex_array *body, ix_text *t)
{
    dumper d = {.u = u, .t = t, .indent = 2};
    list(&d, body);
    line(&d);
    ix_text_put(t, "= ");
    if (body->kind == IX_REDUCE) {
        list_reduction(&d, body);
    } else {
        put_operation(&d, body);
        ix_text_char(t, '\n');
    }
    ix_map_free(&d.name, &u->ctx->mem);
}

/* ---- loops for users ---- */

/* What the loop is over: an axis with its bounds, or something else. */
static void
put_loop_name(const dumper *d, const ix_stmt *s)
{
    static const char *const texts[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) text,
#include "compiler/tree/variables.def"
    };
    ix_variable_role role = d->k->variable[s->number].role;
    int root = ix_variable_root(d->k, s->number);
    ix_text_put(d->t, texts[role]);
    if (role > IX_VARIABLE_SKEWED)
        return;
    if (d->k->variable[root].role != IX_VARIABLE_AXIS) {
        ix_text_put(d->t, texts[d->k->variable[root].role]);
        return;
    }
    const ix_axis *ax = root < d->k->box->rank ? &d->k->box->ax[root] : NULL;
    if (ax && ax->name)
        ix_text_put(d->t, ix_symbol_text(d->u->ctx, ax->name));
    else
        ix_text_format(d->t, "axis %d", root);
    if (role != IX_VARIABLE_AXIS)
        return;
    ix_text_put(d->t, " in [");
    if (s->number == d->k->axis)
        ix_lin_print(d->u->ctx, ax->lo, d->t);
    else
        put_bounds(d, s, IX_for_lo);
    ix_text_put(d->t, ", ");
    if (s->number == d->k->axis)
        ix_lin_print(d->u->ctx, ax->hi, d->t);
    else
        put_bounds(d, s, IX_for_hi);
    ix_text_char(d->t, ')');
}

/* Is the variable that of the kernel's range, or of strips of it? */
static bool
takes_parts(const ix_kernel *k, int variable)
{
    const ix_variable *v = &k->variable[variable];
    bool points = v->role == IX_VARIABLE_INNER;
    if (v->part_of >= 0 && !points)
        return takes_parts(k, v->part_of);
    return variable == k->axis && !points;
}

static void
put_loop(const dumper *d, const ix_stmt *s)
{
    static const char *const team[] = {"threads", "groups of threads",
                                       "blocks of threads"},
                             *const block[] = {", threads of a block along x",
                                               ", threads of a block along y",
                                               ", threads of a block"};
    ix_text_put(line(d), "for ");
    put_loop_name(d, s);
    if (s->how == IX_GRID)
        ix_text_format(d->t, ", %s along %c", team[d->k->team], "xyz"[s->dim]);
    else if (s->how == IX_BLOCK)
        ix_text_put(d->t, block[s->dim]);
    else if (s->how == IX_GROUP)
        ix_text_put(d->t, ix_loop_is_points(s) ? ", threads of a group"
                                               : ", lanes of a group");
    else if (takes_parts(d->k, s->number))
        ix_text_put(d->t, ", parts of which threads take");
    if (s->down)
        ix_text_put(d->t, ", downwards");
    if (s->step != 1)
        ix_text_format(d->t, ", by %lld", (long long)s->step);
    ix_text_put(d->t, s->how == IX_VECTOR   ? ", vector instructions\n"
                      : s->how == IX_STREAM ? ", stores past the caches\n"
                                            : "\n");
}

static bool
is_of_slots(const dumper *d, const ix_stmt *s)
{
    return s->kind == IX_STMT_FOR &&
           d->k->variable[s->number].role == IX_VARIABLE_SLOT;
}

/* Is there a loop in a branch, and none that combines results of chunks? */
static bool
tells(const dumper *d, const ix_stmt *branch)
{
    bool loop = false;
    for (const ix_stmt *s = branch->body; s; s = s->next)
        if (is_of_slots(d, s))
            return false;
        else
            loop |= s->kind == IX_STMT_FOR || tells(d, s);
    return loop || (branch->other && branch->other->kind == IX_STMT_FOR);
}

static void
put_loops(dumper *d, const ix_stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == IX_STMT_FOR && !is_of_slots(d, s))
            put_loop(d, s);
        else if (s->kind == IX_STMT_IF && tells(d, s))
            ix_text_put(line(d),
                        "where a condition on indices or sizes holds\n");
        else
            continue;
        d->indent++;
        put_loops(d, s->body);
        d->indent--;
        if (s->other) {
            ix_text_put(line(d), "elsewhere\n");
            d->indent++;
            put_loops(d, s->other);
            d->indent--;
        }
    }
}

void
ix_dump_loops(const ix_unit *u, const ix_kernel *k, ix_text *t)
{
    dumper d = {.u = u, .k = k, .t = t, .indent = 2};
    put_loops(&d, k->body);
}
