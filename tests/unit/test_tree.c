/* SPDX-License-Identifier: MIT
 *
 * The check of statements: trees that are broken by hand, each for one reason.
 */
#include "compiler/tree/check.h"
#include "tests/unit/graph_fixture.h"

/* A kernel over [n] that copies b0 to b1 through a cell:
 *
 *     for i0 in [begin, end)
 *         t0 = b0[i0]
 *         cell a1 = 0
 *         a1 = add with t0
 *         b1[i0] = a1
 */
typedef struct sample {
    ix_unit u;
    ix_kernel *k;
    ix_stmt *loop, *load, *cell, *update, *store;
    ilex_array *i;
} sample;

static ix_stmt *
numbered(sample *s, ix_stmt *t, char prefix, ilex_dtype dtype)
{
    t->prefix = prefix;
    t->number = s->k->nvalues++;
    t->dtype = dtype;
    return t;
}

static ilex_array *
real(double v)
{
    return ix_scalar_const(ctx, ILEX_F64, (ix_value){.f = v});
}

static ix_stmt *
new_cell(sample *s, ilex_array *first)
{
    ix_stmt *t = ix_stmt_new(&s->u, IX_STMT_SCRATCH,
                             IX_OPERANDS({first != NULL, &first}));
    return numbered(s, t, 'a', ILEX_F64);
}

static ix_stmt *
new_array(sample *s)
{
    ix_stmt *t = ix_stmt_new(&s->u, IX_STMT_SCRATCH, NULL);
    t->scratch = IX_SCRATCH_ARRAY;
    t->extent = 8;
    return numbered(s, t, 'l', ILEX_F64);
}

static ix_stmt *
new_let(sample *s, ilex_array *value)
{
    ix_stmt *t = ix_stmt_new(&s->u, IX_STMT_LET, IX_OPERANDS({1, &value}));
    return numbered(s, t, 't', (ilex_dtype)value->dtype);
}

static ix_stmt *
store_cell(sample *s, ix_stmt *cell, ilex_array *v)
{
    return ix_stmt_store(&s->u, ix_element_scratch(cell, NULL), v);
}

/* Puts "t" after "at". */
static ix_stmt *
insert(ix_stmt *at, ix_stmt *t)
{
    t->next = at->next;
    return at->next = t;
}

static ilex_array *
value_of(sample *s, const ix_stmt *t)
{
    return ix_value_of(&s->u, t);
}

static ilex_array *
operation(ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, (ilex_dtype)a->dtype, (ilex_dtype)a->dtype,
                        ops);
}

static ix_stmt *
new_if(sample *s)
{
    ilex_array *ops[2] = {s->i, ix_index_const(ctx, 3)};
    ix_stmt *c =
        new_let(s, ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ops));
    insert(s->load, c);
    ilex_array *condition = value_of(s, c);
    return ix_stmt_new(&s->u, IX_STMT_IF, IX_OPERANDS({1, &condition}));
}

static void
new_buffer(sample *s, ix_role role)
{
    ix_unit_buffer(&s->u, (ix_buffer){.role = role,
                                      .name = "",
                                      .dtype = ILEX_F64,
                                      .interior = domain("n"),
                                      .box = domain("n"),
                                      .inplace = -1});
}

static void
make(sample *s)
{
    memset(s, 0, sizeof *s);
    s->u.ctx = ctx;
    s->u.target = &ix_targets[IX_TARGET_generic];
    s->u.level = IX_LEVEL_TARGET;
    ix_unit_begin(&s->u);
    if (!IX_ARENA_TRY(&s->u.arena))
        ck_abort_msg("out of memory");
    new_buffer(s, IX_ROLE_INPUT);
    new_buffer(s, IX_ROLE_OUTPUT);
    s->u.kernels = s->k = ix_unit_kernel(&s->u, domain("n"), s->u.now);
    s->i = ix_scalar_index(ctx, 0);
    s->loop = ix_stmt_for(&s->u, 0, ix_range_value(&s->u, false),
                          ix_range_value(&s->u, true));
    s->load = ix_stmt_at(&s->u, IX_STMT_LOAD, ix_element_of(0, 1, &s->i), NULL);
    numbered(s, s->load, 't', ILEX_F64);
    s->cell = new_cell(s, real(0));
    s->update =
        ix_stmt_update(&s->u, IX_OP_ADD, ix_element_scratch(s->cell, NULL),
                       value_of(s, s->load));
    s->store =
        ix_stmt_store(&s->u, ix_element_of(1, 1, &s->i), value_of(s, s->cell));
    s->k->body = s->loop;
    s->loop->body = s->load;
    insert(insert(insert(s->load, s->cell), s->update), s->store);
}

/* ---- what is broken, and the complaint ---- */

static void
fine(sample *s)
{
    (void)s;
}

static void
twice(sample *s)
{
    ix_stmt *t = ix_stmt_copy(&s->u, s->load);
    insert(s->load, t);
}

static void
number_too_large(sample *s)
{
    s->k->nvalues = 1;
}

static void
before_definition(sample *s)
{
    s->loop->body = s->cell;
    s->cell->next = s->update;
    s->update->next = s->load;
    s->load->next = s->store;
}

static void
out_of_scope(sample *s)
{
    s->loop->next = ix_stmt_store(
        &s->u, ix_element_of(1, 1, (ilex_array *[]){ix_index_const(ctx, 0)}),
        value_of(s, s->load));
}

static void
variable_out_of_scope(sample *s)
{
    ix_stmt *t = new_let(s, ix_index_offset(ctx, s->i, 1));
    t->next = s->loop;
    s->k->body = t;
}

static void
same_variable(sample *s)
{
    ix_stmt *inner = ix_stmt_copy(&s->u, s->loop);
    inner->body = s->loop->body;
    s->loop->body = inner;
}

static void
no_bounds(sample *s)
{
    s->loop->n[IX_for_lo] = 0;
}

static void
unwritten_cell(sample *s)
{
    s->cell->n[IX_scratch_first] = 0;
}

static void
written_in_one_branch(sample *s)
{
    s->cell->n[IX_scratch_first] = 0;
    ix_stmt *t = new_if(s);
    t->body = store_cell(s, s->cell, value_of(s, s->load));
    insert(s->cell, t);
}

static void
written_in_the_other_branch(sample *s)
{
    s->cell->n[IX_scratch_first] = 0;
    ix_stmt *t = new_if(s);
    t->body = new_let(s, ix_index_offset(ctx, s->i, 1));
    t->other = store_cell(s, s->cell, value_of(s, s->load));
    insert(s->cell, t);
}

static void
variable_after_its_loop(sample *s)
{
    s->loop->next = new_let(s, ix_index_offset(ctx, s->i, 1));
}

static void
written_in_both_branches(sample *s)
{
    ix_stmt *cell = s->cell, *t, *inner;
    cell->n[IX_scratch_first] = 0;
    t = new_if(s);
    inner = ix_stmt_copy(&s->u, t);
    inner->body = store_cell(s, cell, real(1));
    inner->other = store_cell(s, cell, real(2));
    t->body = store_cell(s, cell, value_of(s, s->load));
    t->other = inner;
    insert(cell, t);
}

static void
written_in_a_loop(sample *s)
{
    s->cell->n[IX_scratch_first] = 0;
    ix_stmt *loop =
        ix_stmt_for(&s->u, ix_kernel_variable(&s->u, s->k, IX_VARIABLE_ELEMENT),
                    ix_index_const(ctx, 0), ix_scalar_size(ctx, 0));
    loop->body = store_cell(s, s->cell, real(1));
    insert(s->cell, loop);
}

static void
unwritten_lanes(sample *s)
{
    ix_stmt *lanes = new_array(s),
            *fold = ix_stmt_new(&s->u, IX_STMT_FOLD, NULL);
    fold->op = IX_OP_ADD;
    fold->from = lanes;
    fold->to = s->cell;
    insert(insert(s->update, lanes), fold);
}

static void
fold_of_a_cell(sample *s)
{
    ix_stmt *fold = ix_stmt_new(&s->u, IX_STMT_FOLD, NULL);
    fold->op = IX_OP_ADD;
    fold->from = fold->to = s->cell;
    insert(s->update, fold);
}

static void
two_operations(sample *s)
{
    ilex_array *v = value_of(s, s->load);
    insert(s->load, new_let(s, operation(IX_OP_ADD,
                                         operation(IX_OP_MULTIPLY, v, v), v)));
}

static void
stored_operation(sample *s)
{
    ilex_array *v = value_of(s, s->cell);
    s->store->x[0] = operation(IX_OP_ADD, v, v);
}

static ilex_array *
load(sample *s, int buffer, ilex_array *index)
{
    (void)s;
    return ix_scalar_load(ctx, ILEX_F64, buffer, 1, &index);
}

static void
reduction(sample *s)
{
    s->store->x[0] =
        ix_scalar_reduce(ctx, IX_REDUCTION_SUM, ILEX_F64, domain("n"), 0,
                         load(s, 0, ix_scalar_rindex(ctx, 0)));
}

static void
guard(sample *s)
{
    ilex_array *less[2] = {s->i, ix_index_const(ctx, 3)};
    ilex_array *ops[3] = {
        ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, less),
        load(s, 0, s->i), real(0)};
    s->store->x[0] = ix_scalar_op(ctx, IX_OP_WHERE, ILEX_F64, ILEX_F64, ops);
}

static void
loads_what_it_writes(sample *s)
{
    s->load->buffer = 1;
}

static void
loads_no_buffer(sample *s)
{
    s->load->buffer = 7;
}

static void
writes_an_input(sample *s)
{
    s->store->buffer = 0;
    s->load->buffer = 1;
}

static void
other_dtype(sample *s)
{
    s->store->x[0] = s->i;
}

static void
foreign_row(sample *s)
{
    ix_stmt *row =
        ix_stmt_at(&s->u, IX_STMT_ROW, ix_element_of(0, 1, &s->i), NULL);
    numbered(s, row, 'r', ILEX_F64);
    insert(s->load, row);
    s->store->mem = row;
}

static void
too_long(sample *s)
{
    for (int i = 0; i < IX_FUNCTION_LINES; i++)
        insert(s->load, new_let(s, ix_index_offset(ctx, s->i, i)));
}

/* ---- nests before they are for a target ---- */

/* b1[i0 + to] = b0[i0 + from] for i0 in [0, n) */
static void
nest(sample *s, int64_t to, int64_t from)
{
    s->u.level = IX_LEVEL_TREE;
    s->u.changed = true;
    s->loop->x[0] = ix_index_const(ctx, 0);
    s->loop->x[1] = ix_scalar_size(ctx, 0);
    s->store->x[0] = load(s, 0, ix_index_offset(ctx, s->i, from));
    s->store->x[1] = ix_index_offset(ctx, s->i, to);
    s->loop->body = s->store;
}

static void
nest_fine(sample *s)
{
    nest(s, 0, 0);
}

static void
nest_of_reduction(sample *s)
{
    nest(s, 0, 0);
    reduction(s);
}

static void
nest_of_guard(sample *s)
{
    nest(s, 0, 0);
    guard(s);
}

static void
load_outside(sample *s)
{
    nest(s, 0, 1);
}

static void
store_outside(sample *s)
{
    nest(s, -1, 0);
}

/* A second loop like the first one defines everything by other names. */
static void
cloned(sample *s)
{
    s->loop->next = ix_stmt_clone(&s->u, s->k, s->loop);
}

static void
copied(sample *s)
{
    ix_substitution same = {.ctx = ctx};
    s->loop->next = ix_stmt_substitute(&s->u, &same, s->loop);
    ix_substitution_free(&same);
}

static const struct {
    void (*change)(sample *s);
    const char *pass, *complaint; /* NULL: none */
} cases[] = {
    {fine, "verify", NULL},
    {cloned, "verify", NULL},
    {copied, "verify", "load t0: defined twice"},
    {twice, "verify", "load t0: defined twice"},
    {number_too_large, "verify", "scratch a1: its number is too large"},
    {before_definition, "verify", "it uses a value that is not defined here"},
    {out_of_scope, "verify", "store b1: it uses a value that is not defined"},
    {variable_out_of_scope, "verify", "the variable of a loop that is not"},
    {variable_after_its_loop, "verify", "the variable of a loop that is not"},
    {same_variable, "verify", "for i0: its variable is that of a loop around"},
    {no_bounds, "verify", "for i0: it has not the operands of its kind"},
    {unwritten_cell, "verify", "scratch memory that may not be written yet"},
    {written_in_one_branch, "verify", "that may not be written yet"},
    {written_in_the_other_branch, "verify", "that may not be written yet"},
    {written_in_both_branches, "verify", NULL},
    {written_in_a_loop, "verify", "that may not be written yet"},
    {unwritten_lanes, "verify", "fold a1: it reads scratch memory that may"},
    {fold_of_a_cell, "verify", "fold a1: it uses scratch memory of another"},
    {two_operations, "map", NULL},
    {two_operations, "hoist", "let t2: it is no single operation on leaves"},
    {stored_operation, "vector", NULL},
    {stored_operation, "unit_strides", "store b1: it is no single operation"},
    {nest_of_reduction, "fission", NULL},
    {nest_of_reduction, "reduce", "store b1: a reduction is left"},
    {nest_of_guard, "inplace", NULL},
    {nest_of_guard, "guard", "store b1: a guard is left"},
    {loads_what_it_writes, "verify", "loads a buffer that the kernel writes"},
    {loads_no_buffer, "verify", "load t0: it uses no buffer as it is"},
    {writes_an_input, "verify", "store b0: it writes an input"},
    {other_dtype, "verify", "store b1: it stores a value of another dtype"},
    {foreign_row, "verify", "store b1: its row is not defined here or of"},
    {too_long, "vector", NULL},
    {too_long, "hoist", "it has too many statements for a function"},
    {nest_fine, "peel", NULL},
    {fine, "peel", "it uses the range of the kernel"},
    {load_outside, "peel", "store b1: an element is outside its buffer's"},
    {store_outside, "peel", "store b1: an element is outside its buffer's"},
};

START_TEST(broken)
{
    for (size_t i = 0; i < IX_COUNT(cases); i++) {
        sample s;
        size_t scope = ilex_scope_begin(ctx);
        make(&s);
        cases[i].change(&s);
        bool ok = ix_check_kernels(&s.u, cases[i].pass);
        const char *text = ilex_error_text(ctx), *want = cases[i].complaint;
        ck_assert_msg(ok == !want && (!want || strstr(text, want)),
                      "case %zu (after %s, %s): %s", i, cases[i].pass,
                      want ? want : "fine", text);
        ck_assert(ok || strstr(text, cases[i].pass));
        ck_assert_int_eq(take_error(), ok ? ILEX_OK : ILEX_E_INTERNAL);
        ix_arena_free(&s.u.arena);
        ilex_scope_end(ctx, scope, NULL);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("tree", broken);
}
