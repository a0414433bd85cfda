/* SPDX-License-Identifier: MIT
 *
 * core: functions that have a core range, beyond which they take branches (sine
 * of large angles), are computed by what is right in it, which vector units
 * run. Whether an argument is beyond is asked once a strip, before anything is
 * stored, by a loop over what arguments are made of; a strip that has such a
 * one is computed by the whole functions, which give the same in the core
 * range:
 *
 *     for i in [0, n)               for o in [0, n) step 256
 *         y[i] = sin(x[i])              cell c = 0
 *                                       for v in [0, min(n - o, 256))
 *                                           c |= far(x[o + v])
 *                                       if c != 0
 *                                           for v: y[o + v] = sin(x[o + v])
 *                                       else
 *                                           for v: y[o + v] = sin_core(x[o +
 * v])
 *
 * needs: loops for vector units are marked.
 */
#include "compiler/loop/loop.h"

/* Points of a strip; arguments of a loop that are asked about. */
enum { STRIP = 256, MOST_ARGUMENTS = 8 };

static const struct {
    ix_op whole, core;
} cores[] = {{IX_OP_SIN, IX_OP_SIN_CORE},
             {IX_OP_COS, IX_OP_COS_CORE},
             {IX_OP_TAN, IX_OP_TAN_CORE}};

typedef struct core {
    ix_unit *u;
    ix_kernel *k;
    ix_stmt *loop;
    ilex_array *argument[MOST_ARGUMENTS];
    int n;
    bool fits;    /* nothing was met that cannot be asked before */
    bool *needed; /* by number: arguments are made of the value */
} core;

/* ---- arguments ---- */

/* The operation that is right in the core range of that of a node; the same
 * one: it has none. */
static ix_op
core_of(const ilex_array *x)
{
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_NOPERATORS;
    for (size_t i = 0; i < IX_COUNT(cores); i++)
        if (cores[i].whole == op && !ix_dtype_is_complex(ix_loop_of(x)))
            return cores[i].core;
    return op;
}

/* Is it in [-1, 1], or NaN, which functions of cores make of NaN, too? */
static bool
is_small(const ilex_array *x)
{
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_NOPERATORS;
    return op == IX_OP_SIN || op == IX_OP_COS || op == IX_OP_TANH;
}

static ix_walk_step
note_argument(ix_walk *w, ilex_array *x, size_t *value)
{
    core *c = w->user;
    (void)value;
    if (x->kind != IX_OP || core_of(x) == ix_op_of(x) || is_small(x->ops[0]))
        return IX_WALK_IN;
    for (int i = 0; i < c->n; i++)
        if (c->argument[i] == x->ops[0])
            return IX_WALK_IN;
    c->fits &= c->n < MOST_ARGUMENTS;
    if (c->fits)
        c->argument[c->n++] = x->ops[0];
    return IX_WALK_IN;
}

/* Arguments of functions in branches are made of what may not be read outside
 * of these. */
static void
find_arguments(core *c)
{
    ix_walk w = {
        .ctx = c->u->ctx, .mem = &c->u->mem, .enter = note_argument, .user = c};
    for (ix_stmt *s = c->loop->body; s; s = s->next) {
        int before = c->n;
        ix_stmt_walk(&w, s);
        c->fits &= s->kind != IX_STMT_CHECK || before == c->n;
        before = c->n;
        ix_stmt_each(s->body, ix_stmt_walk, &w);
        ix_stmt_each(s->other, ix_stmt_walk, &w);
        c->fits &= before == c->n;
    }
    ix_walk_free(&w);
}

/* ---- what they are made of ---- */

/* May a statement write a buffer, or scratch memory? */
static bool
writes(const ix_stmt *s, int buffer, const ix_stmt *mem)
{
    if (s->kind == IX_STMT_IF)
        return true;
    if (s->kind == IX_STMT_FOLD)
        return mem && s->to == mem;
    return (s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE) &&
           (buffer >= 0 ? s->buffer == buffer : s->mem == mem);
}

static bool
is_written(const core *c, int buffer, const ix_stmt *mem)
{
    const ix_stmt *s = c->loop->body;
    while (s && !writes(s, buffer, mem))
        s = s->next;
    return s != NULL;
}

/* Notes the values that an expression is made of. */
static bool
note_values(void *user, ilex_array *x)
{
    core *c = user;
    const ix_reads *r = ix_reads_of(c->u, x);
    c->fits &= !(x->flags & IX_HAS_CHECK);
    for (size_t i = 0; i < r->n; i++)
        if (r->item[i]->kind == IX_LOAD)
            c->fits &= !is_written(c, (int)r->item[i]->attr[0], NULL);
        else
            c->needed[r->item[i]->attr[0]] = true;
    return true;
}

/* The statements, last one first, that define what is needed, in order. */
static ix_stmt *
needed_of(core *c, ix_stmt *s)
{
    if (!s)
        return NULL;
    ix_stmt *rest = needed_of(c, s->next);
    if (!ix_stmt_defines(s) || !c->needed[s->number])
        return rest;
    c->fits &= s->kind == IX_STMT_LET ||
               (s->kind == IX_STMT_LOAD && !is_written(c, s->buffer, s->mem));
    ix_stmt_exprs(s, note_values, c);
    ix_stmt *copy = ix_stmt_copy(c->u, s);
    copy->next = rest;
    return copy;
}

static ix_stmt *
definitions(core *c)
{
    c->needed = ix_arena_new(&c->u->arena, (size_t)c->k->nvalues + 1);
    for (int i = 0; i < c->n; i++)
        note_values(c, c->argument[i]);
    return needed_of(c, c->loop->body);
}

/* ---- the loops ---- */

static ilex_array *
in_core(void *user, ilex_array *x)
{
    core *c = user;
    ix_op op = core_of(x);
    return x->kind != IX_OP || op == ix_op_of(x)
               ? x
               : ix_scalar_op(c->u->ctx, op, ix_loop_of(x),
                              (ilex_dtype)x->dtype, x->ops);
}

static ix_stmt *
with_cores(core *c, const ix_stmt *list)
{
    ix_substitution s = {.ctx = c->u->ctx,
                         .mem = &c->u->mem,
                         .rewrite = in_core,
                         .became = ix_origin_keep,
                         .user = c,
                         .listener = c->u};
    ix_stmt *made = ix_stmt_substitute(c->u, &s, list);
    ix_substitution_free(&s);
    return made;
}

/* A cell that is 0 at first: whether an argument is beyond. */
static ix_stmt *
make_cell(core *c)
{
    ilex_dtype dtype = ILEX_U32;
    for (int i = 0; i < c->n; i++)
        if (c->argument[i]->dtype == ILEX_F64)
            dtype = ILEX_U64;
    ilex_array *zero = ix_scalar_const(c->u->ctx, dtype, (ix_value){.u = 0});
    ix_stmt *cell = ix_stmt_new(c->u, IX_STMT_SCRATCH, IX_OPERANDS({1, &zero}));
    cell->prefix = 'a';
    cell->number = c->k->nvalues++;
    cell->dtype = dtype;
    return cell;
}

/* The loop that asks. */
static ix_stmt *
question(core *c, ix_stmt *cell, ix_stmt *body)
{
    ix_stmt *loop = ix_stmt_copy(c->u, c->loop);
    ix_stmt **end = ix_stmt_end(&body);
    for (int i = 0; i < c->n; i++) {
        ilex_dtype of = (ilex_dtype)c->argument[i]->dtype;
        ilex_array *far =
            ix_scalar_op(c->u->ctx, IX_OP_FAR, of, ix_op_result(IX_OP_FAR, of),
                         &c->argument[i]);
        far = ix_scalar_cast(c->u->ctx, cell->dtype, far);
        *end = ix_stmt_update(c->u, IX_OP_BITWISE_OR,
                              ix_element_scratch(cell, NULL), far);
        end = &(*end)->next;
    }
    loop->body = with_cores(c, body);
    return ix_stmt_clone(c->u, c->k, loop);
}

/* What stands in place of the loop, or of one strip of it. */
static ix_stmt *
asked(core *c, ix_stmt *body)
{
    ix_stmt *cell = make_cell(c), *loop = ix_stmt_copy(c->u, c->loop);
    ix_stmt *plain = ix_stmt_copy(c->u, c->loop);
    ilex_array *zero = ix_first_operand(cell, IX_scratch_first);
    ilex_array *both[] = {ix_value_of(c->u, cell), zero};
    ilex_array *some =
        ix_scalar_op(c->u->ctx, IX_OP_NOT_EQUAL, cell->dtype, ILEX_BOOL, both);
    ix_stmt *branch = ix_stmt_new(c->u, IX_STMT_IF, IX_OPERANDS({1, &some}));
    loop->body = with_cores(c, c->loop->body);
    plain->body = c->loop->body;
    plain->how = IX_SERIAL;
    branch->array = c->loop->array;
    branch->body = plain;
    branch->other = ix_stmt_clone(c->u, c->k, loop);
    cell->next = question(c, cell, body);
    *ix_stmt_end(&cell->next) = branch;
    return cell;
}

/* Strips of a loop that is, or may be, long; the cursor is at one of them. */
static bool
make_strips(core *c, ix_cursor *at)
{
    const ix_directive split = {.n = STRIP, .words = IX_REST_MIN};
    int64_t most = ix_loop_most(c->u, c->loop);
    if (most > 0 && most <= 2 * STRIP)
        return true;
    if (ix_loop_split(c->u, &split, at).class != IX_REFUSAL_NONE)
        return false;
    at->around[at->depth - 1]->how = IX_SERIAL;
    return true;
}

static void
ask(ix_unit *u, ix_kernel *k, ix_stmt *loop)
{
    core c = {.u = u, .k = k, .loop = loop, .fits = true};
    ix_cursor at;
    find_arguments(&c);
    if (c.n == 0)
        return;
    u->asks_registers = true;
    if (!c.fits || !u->target->vector_registers ||
        !ix_cursor_at(k, loop, &at) || !ix_loop_has_room(u, k, 1, loop->body))
        return;
    definitions(&c);
    if (!c.fits || !make_strips(&c, &at))
        return;
    c.loop = ix_cursor_loop(&at);
    c.n = 0;
    find_arguments(&c); /* of a strip */
    ix_stmt *made = asked(&c, definitions(&c));
    *ix_stmt_end(&made) = c.loop->next;
    *at.at = made;
}

/* ---- the pass ---- */

typedef struct candidates {
    ix_stmt **loop;
    size_t n, capacity;
    ix_unit *u;
} candidates;

static bool
note_loop(void *user, ix_stmt *s)
{
    candidates *x = user;
    if (s->kind == IX_STMT_FOR && s->how == IX_VECTOR) {
        ix_arena_grow(&x->u->arena, &x->loop, &x->capacity, x->n + 1,
                      sizeof *x->loop);
        x->loop[x->n++] = s;
    }
    return true;
}

static bool
ask_kernel(ix_unit *u, ix_kernel *k)
{
    candidates x = {.u = u};
    ix_stmt_each(k->body, note_loop, &x);
    for (size_t i = 0; i < x.n; i++)
        ask(u, k, x.loop[i]);
    return true;
}

bool
ix_pass_core(ix_unit *u)
{
    return u->target->grid || ix_kernels_each(u, ask_kernel);
}
