/* SPDX-License-Identifier: MIT
 *
 * Pass hoist: expressions become values of one operation each, every value and
 * row pointer in the outermost block where what it needs is known. needs:
 * statements without reductions and guards; gives: operands, conditions and
 * bounds that are leaves or sums of leaves, one bound a side; breaks: nothing.
 *
 * Loads stay inside branches; arithmetic need not. An element is a row pointer,
 * which takes the terms of outer loops, and an index of the loop that varies
 * fastest for it:
 *
 *     r3 = &b0[i0 + 1, i1, 0]
 *     for i2 in [0, n)
 *         t5 = r3[0, 0, i2 - 1]
 */
#include "compiler/tree/tree.h"

/* ---- leaves and sums ---- */

static int
depth_of_leaf(ix_builder *b, const ilex_array *x)
{
    if (x->kind == IX_INDEX)
        return b->variable_depth[x->attr[0]];
    if (x->kind != IX_VALUE)
        return 0;
    const ix_known *k = ix_build_known(b, x);
    return k ? k->depth : 0;
}

/* The leaf that has the value of "x", which is a leaf or hoisted. */
static ilex_array *
leaf_of(const ix_builder *b, ilex_array *x)
{
    const ix_known *known = ix_build_known(b, x);
    return known ? known->leaf : x;
}

/* A sum, whose atoms are hoisted, with leaves for atoms. */
static ilex_array *
sum_of(ix_builder *b, ilex_array *x)
{
    if (x->kind != IX_LINEAR)
        return leaf_of(b, x);
    ilex_array *sum = ix_index_const(b->u->ctx, x->attr[0]);
    for (int i = 0; i < x->nops; i++)
        sum =
            ix_index_fma(b->u->ctx, sum, x->attr[i + 1], leaf_of(b, x->ops[i]));
    return sum;
}

/* Defines "flat", whose operands are leaves, as the value of "x" in the block
 * at "depth". */
static ilex_array *
define(ix_builder *b, char prefix, bool bound, const ilex_array *x,
       ilex_array *flat, int depth)
{
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_LET, IX_OPERANDS({1, &flat}));
    s->note = ix_origin_text(b->u, x);
    s->bound = bound;
    ix_build_define(b, depth, s, prefix, (ilex_dtype)flat->dtype);
    ilex_array *leaf = ix_value_of(b->u, s);
    ix_build_note(b, x, leaf, depth);
    return leaf;
}

/* ---- elements ---- */

/* Of an index, the terms that vary in the block at "depth", or the others. The
 * constant goes with the terms that vary, if there are any. */
static ilex_array *
part_of(ix_builder *b, const ilex_array *index, int depth, bool inner)
{
    ilex_context *ctx = b->u->ctx;
    ix_index_form f;
    bool varies = false;
    ilex_array *sum = ix_index_const(ctx, 0);
    ix_index_form_of(index, &f);
    for (int i = 0; i < f.n; i++) {
        bool is_inner = depth > 0 && depth_of_leaf(b, f.t[i].atom) == depth;
        varies |= is_inner;
        if (is_inner == inner)
            sum = ix_index_fma(ctx, sum, f.t[i].k, f.t[i].atom);
    }
    return inner == varies ? ix_index_offset(ctx, sum, f.c) : sum;
}

/* The deepest block that an atom of the indices needs. */
static int
depth_of_indices(ix_builder *b, int n, ilex_array *const *index)
{
    int depth = 0;
    for (int k = 0; k < n; k++) {
        ix_index_form f;
        ix_index_form_of(index[k], &f);
        for (int i = 0; i < f.n; i++) {
            int at = depth_of_leaf(b, f.t[i].atom);
            depth = at > depth ? at : depth;
        }
    }
    return depth;
}

/* The row pointer &buffer[index], found or made; NULL for the first element. */
static ix_stmt *
row_of(ix_builder *b, const ix_element *e)
{
    bool zero = true;
    for (int k = 0; k < e->rank; k++)
        zero &= ix_index_is_zero(e->index[k]);
    if (zero)
        return NULL;
    ilex_array *key = ix_scalar_load(b->u->ctx, b->u->buffer[e->buffer].dtype,
                                     e->buffer, e->rank, e->index);
    ix_stmt *known = ix_build_known_row(b, key);
    if (known)
        return known;
    ix_stmt *s = ix_stmt_at(b->u, IX_STMT_ROW, *e, NULL);
    int depth = depth_of_indices(b, e->rank, e->index);
    s->prefix = 'r';
    s->number = b->k->nvalues++;
    ix_build_put_at(b, depth, s);
    ix_build_note_row(b, key, s, depth);
    return s;
}

/* The element with leaves for atoms, counted from a row; the depth at which
 * it is known. */
static ix_element
hoist_element(ix_builder *b, ix_element e, int *depth)
{
    for (int k = 0; k < e.rank; k++)
        e.index[k] = sum_of(b, e.index[k]);
    *depth = depth_of_indices(b, e.rank, e.index);
    if (e.buffer < 0)
        return e;
    ix_element row = e;
    for (int k = 0; k < e.rank; k++) {
        row.index[k] = part_of(b, e.index[k], *depth, false);
        e.index[k] = part_of(b, e.index[k], *depth, true);
    }
    e.mem = row_of(b, &row);
    return e;
}

/* Where in the kernel's range the block at "depth" is: the variable of the
 * outermost loop, on a GPU its place in the order of points, or the beginning
 * outside of it. */
static ilex_array *
outer_position(ix_builder *b, int depth)
{
    bool grid = b->u->target->grid;
    for (int at = depth; at > 0; at--)
        if (grid && b->open[at].place)
            return b->open[at].place;
        else if (!grid && b->open[at].loop &&
                 b->open[at].loop == b->k->axis + 1)
            return ix_scalar_index(b->u->ctx, b->open[at].loop - 1);
    return grid ? ix_index_const(b->u->ctx, 0) : ix_range_value(b->u, false);
}

/* The value of an index that is data, checked where a read at it may stand: it
 * stays inside branches and loops that may be empty, as the read does. */
static void
hoist_checked(ix_builder *b, int buffer, ilex_array *x)
{
    ilex_array *part[4] = {NULL};
    for (int i = 0; i < x->nops; i++)
        part[i] = i == 0 ? leaf_of(b, x->ops[i]) : sum_of(b, x->ops[i]);
    int depth = depth_of_indices(b, x->nops, part);
    depth = depth < b->floor ? b->floor : depth;
    buffer = ix_checked_of(x) ? ix_checked_of(x) - 1 : buffer;
    if (!ix_is_trusted(x)) {
        ilex_array *position = outer_position(b, depth);
        ix_stmt *s = ix_stmt_new(b->u, IX_STMT_CHECK,
                                 IX_OPERANDS({1, &part[0]}, {1, &part[1]},
                                             {1, &part[2]}, {1, &position},
                                             {part[3] != NULL, &part[3]}));
        s->number = ix_unit_check(b->u, buffer, x);
        ix_build_put_at(b, depth, s);
    }
    ix_build_note(b, x, part[0], depth);
}

/* On a GPU what the kernel itself may have written is read inside of all loops
 * over the grid, behind the writes: their depth. */
static int
depth_of_grid(const ix_builder *b, const ilex_array *load)
{
    int depth = b->u->target->grid && b->k->ordered &&
                        ix_buffer_is_written(&b->u->buffer[load->attr[0]])
                    ? b->depth
                    : 0;
    while (depth > 0 && !b->open[depth].grid)
        depth--;
    return depth;
}

/* What an iteration has of a temporary of its own is another one's after it:
 * the depth of that iteration's block. */
static int
least_depth(const ix_builder *b, const ilex_array *load)
{
    const ix_buffer *buffer = &b->u->buffer[load->attr[0]];
    for (int at = b->depth; at > 0 && buffer->own; at--)
        if (b->open[at].loop &&
            ix_is_part_of(b->k, b->open[at].loop - 1, buffer->within))
            return at;
    return depth_of_grid(b, load);
}

static void
hoist_load(ix_builder *b, ilex_array *x)
{
    int depth, least = least_depth(b, x);
    ix_element e = ix_element_of((int)x->attr[0], x->nops, x->ops);
    for (int k = 0; k < x->nops; k++)
        if (x->ops[k]->kind == IX_CHECKED)
            e.index[k] = leaf_of(b, x->ops[k]);
    e = hoist_element(b, e, &depth);
    depth = depth < b->floor ? b->floor : depth;
    depth = depth < least ? least : depth;
    ix_stmt *s = ix_stmt_at(b->u, IX_STMT_LOAD, e, NULL);
    ix_build_define(b, depth, s, 't', (ilex_dtype)x->dtype);
    ix_build_note(b, x, ix_value_of(b->u, s), depth);
}

/* ---- values ---- */

static ilex_array *
integer_op(ix_builder *b, ix_op op, ilex_array *x, ilex_array *y)
{
    ilex_array *ops[2] = {x, y};
    return ix_scalar_op(b->u->ctx, op, ILEX_I64, ILEX_I64, ops);
}

/* The sum as operations, which wrap; itself if it is narrow. */
static ilex_array *
wrapping(ix_builder *b, ilex_array *x)
{
    ilex_context *ctx = b->u->ctx;
    ix_index_form f;
    ix_index_form_of(x, &f);
    if (!ix_is_wide(&f))
        return x;
    ilex_array *sum = f.c ? ix_index_const(ctx, f.c) : NULL;
    for (int i = 0; i < f.n; i++) {
        ilex_array *term = f.t[i].atom;
        if (f.t[i].k != 1)
            term = integer_op(b, IX_OP_MULTIPLY, term,
                              ix_index_const(ctx, f.t[i].k));
        sum = sum ? integer_op(b, IX_OP_ADD, sum, term) : term;
    }
    return sum;
}

/* The expression, whose operands are hoisted, with leaves for them, or a sum
 * of leaves; the depth at which it is known. */
static ilex_array *
flatten(ix_builder *b, ilex_array *x, int *depth)
{
    ilex_array *ops[IX_APPLY_OPERANDS];
    *depth = 0;
    x = x->kind == IX_LINEAR ? wrapping(b, x) : x;
    if (!ix_is_operation(x)) {
        ilex_array *sum = sum_of(b, x);
        *depth = depth_of_indices(b, 1, &sum);
        return sum;
    }
    for (int i = 0; i < x->nops; i++) {
        ops[i] = leaf_of(b, x->ops[i]);
        int at = depth_of_leaf(b, ops[i]);
        *depth = at > *depth ? at : *depth;
    }
    ix_node_spec spec = {.kind = (ix_kind)x->kind,
                         .dtype = (ilex_dtype)x->dtype,
                         .nops = x->nops,
                         .ops = ops,
                         .nattr = x->nattr,
                         .attr = x->attr};
    return ix_node_scoped(b->u->ctx, &spec);
}

/* ---- operands first ---- */

/* Expressions are deeper than a thread's stack: what waits for its operands is
 * on a stack of the builder's. */

static bool
is_leaf(const ilex_array *x)
{
    return x->kind != IX_LOAD && x->kind != IX_CHECKED &&
           x->kind != IX_LINEAR && !ix_is_operation(x);
}

static void
push(ix_builder *b, ilex_array *x, ix_hoisting as, int buffer)
{
    bool flat = as == IX_HOIST_FLAT;
    ilex_array *form =
        x->kind == IX_LINEAR && as != IX_HOIST_SUM ? wrapping(b, x) : x;
    if (flat ? !ix_is_operation(form) : as == IX_HOIST_SUM)
        as = x->kind == IX_LINEAR ? IX_HOIST_SUM : IX_HOIST_VALUE;
    bool new = as == IX_HOIST_VALUE || as == IX_HOIST_CHECKED;
    if (is_leaf(x) || (new &&ix_build_known(b, x)))
        return;
    ix_mem_grow(&b->mem, &b->waiting, &b->waiting_capacity, b->nwaiting + 1,
                sizeof *b->waiting);
    b->waiting[b->nwaiting++] = (ix_waiting){
        .x = x,
        .form = form,
        .as = as,
        .buffer = buffer,
        .around = as == IX_HOIST_VALUE ? ix_build_array(b, x) : b->array};
}

/* What is needed of operand "i". */
static ix_hoisting
hoisting_of(const ix_waiting *w, int i)
{
    if (w->form->kind == IX_LOAD)
        return w->form->ops[i]->kind == IX_CHECKED ? IX_HOIST_CHECKED
                                                   : IX_HOIST_SUM;
    return w->form->kind == IX_CHECKED && i > 0 ? IX_HOIST_SUM : IX_HOIST_VALUE;
}

/* Hoists what operands are hoisted of. */
static void
hoist_new(ix_builder *b, const ix_waiting *w)
{
    int depth;
    ilex_array *x = w->x, *flat;
    if (x->kind == IX_LOAD) {
        hoist_load(b, x);
    } else if (x->kind == IX_CHECKED) {
        hoist_checked(b, w->buffer, x);
    } else {
        flat = flatten(b, x, &depth);
        define(b, 't', false, x, flat, depth);
    }
}

/* Places "x", or its operands, and before it all that it is made of. */
static void
hoist(ix_builder *b, ilex_array *x, ix_hoisting as, int buffer)
{
    push(b, x, as, buffer);
    while (b->nwaiting > 0) {
        ix_waiting *top = &b->waiting[b->nwaiting - 1];
        if (top->next < top->form->nops) {
            int from =
                top->form->kind == IX_LOAD ? (int)top->form->attr[0] : -1;
            int i = top->next++;
            push(b, top->form->ops[i], hoisting_of(top, i), from);
            continue;
        }
        ix_waiting done = b->waiting[--b->nwaiting];
        if (done.as == IX_HOIST_VALUE || done.as == IX_HOIST_CHECKED)
            hoist_new(b, &done);
        b->array = done.around;
    }
}

/* A leaf that has the value of "x". */
static ilex_array *
hoist_value(ix_builder *b, ilex_array *x)
{
    hoist(b, x, IX_HOIST_VALUE, -1);
    return leaf_of(b, x);
}

/* A sum with leaves for atoms. */
static ilex_array *
hoist_sum(ix_builder *b, ilex_array *x)
{
    hoist(b, x, IX_HOIST_SUM, -1);
    return sum_of(b, x);
}

/* ---- statements ---- */

/* Leaves for the factors of what an accumulator takes in. */
static ilex_array *
hoist_product(ix_builder *b, ilex_array *x)
{
    ilex_array *factor[2];
    for (int i = 0; i < 2; i++)
        factor[i] = hoist_value(b, x->ops[i]);
    return ix_with_operands(x, factor);
}

/* The largest of several lower bounds, the smallest of upper ones. */
static ilex_array *
hoist_bound(ix_builder *b, int n, ilex_array *const *bound, bool lower)
{
    ilex_array *best = hoist_value(b, bound[0]);
    for (int i = 1; i < n; i++) {
        ilex_array *next = hoist_value(b, bound[i]);
        ilex_array *x =
            integer_op(b, lower ? IX_OP_MAXIMUM : IX_OP_MINIMUM, best, next);
        const ix_known *known = ix_build_known(b, x);
        int depth = depth_of_leaf(b, best), at = depth_of_leaf(b, next);
        best = known ? known->leaf
                     : define(b, lower ? 'L' : 'H', true, x, x,
                              at > depth ? at : depth);
    }
    return best;
}

/* The element of a statement; indices that are data are checked first. */
static ix_element
element_of(ix_builder *b, const ix_stmt *s)
{
    int depth;
    ix_element e = ix_stmt_element(s);
    for (int k = 0; k < e.rank; k++)
        if (e.index[k]->kind == IX_CHECKED) {
            hoist(b, e.index[k], IX_HOIST_CHECKED, e.buffer);
            e.index[k] = leaf_of(b, e.index[k]);
        }
    for (int k = 0; k < e.rank; k++)
        hoist(b, e.index[k], IX_HOIST_SUM, -1);
    return hoist_element(b, e, &depth);
}

/* An operand as its row says. */
static ilex_array *
hoist_operand(ix_builder *b, ix_flat flat, ilex_array *x)
{
    int depth;
    if (x->kind == IX_PRODUCT)
        return hoist_product(b, x);
    if (flat >= IX_FLAT_SUM)
        return hoist_sum(b, x);
    if (flat != IX_FLAT_OPERATION)
        return hoist_value(b, x);
    hoist(b, x, IX_HOIST_FLAT, -1);
    return flatten(b, x, &depth);
}

/* Is it the end of a loop in vectors whose length is a multiple of some number?
 * Compilers see that, and leave out what would take the rest, where the end is
 * a variable. */
static bool
is_whole(const ix_stmt *s, int group)
{
    ix_index_form f;
    if (s->how != IX_VECTOR || group != IX_for_hi || s->kind != IX_STMT_FOR ||
        ix_for_lo(s)->kind != IX_CONST || ix_for_hi(s)->kind == IX_CONST)
        return false;
    ix_index_form_of(ix_for_hi(s), &f);
    return f.n == 1 && f.t[0].k > 1;
}

/* Is it the number of chunks? Whether there are any is asked behind the loop:
 * compilers see that their results are there where both look at one value. */
static bool
is_of_chunks(const ix_builder *b, const ix_stmt *s, int group)
{
    return s->kind == IX_STMT_FOR && group == IX_for_hi &&
           b->k->variable[s->number].role == IX_VARIABLE_CHUNK;
}

static ix_stmt *
hoist_stmt(ix_builder *b, ix_stmt *s)
{
    const ix_flat *flat = ix_stmt_rows[s->kind].flat;
    ilex_array *x[IX_INDICES];
    ix_group group[IX_GROUPS] = {{0}};
    ix_element e = {.buffer = -1};
    for (int g = 0; g < IX_INDICES; g++) {
        ilex_array *const *from = ix_operands(s, g);
        group[g] = (ix_group){s->n[g] > 0, &x[g]};
        if (s->n[g] > 1 || is_whole(s, g) || is_of_chunks(b, s, g))
            x[g] = hoist_bound(b, s->n[g], from, g == IX_for_lo);
        else if (s->n[g])
            x[g] = hoist_operand(b, flat[g], *from);
    }
    if (ix_stmt_has_element(s))
        e = element_of(b, s);
    group[IX_INDICES] = (ix_group){e.rank, e.index};
    ix_stmt *t = ix_stmt_with(b->u, s, group);
    t->mem = e.mem;
    t->buffer = e.buffer;
    if (s->place && b->open[b->depth].grid)
        b->open[b->depth].place = ix_value_of(b->u, t);
    return t;
}

/* ---- places that no check asks for ---- */

typedef struct placing {
    ix_unit *u;
    bool *used; /* by number of a value */
    bool any;   /* a place is gone */
} placing;

static bool
note_values(void *user, ix_stmt *s)
{
    placing *p = user;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++) {
        const ix_reads *r = ix_reads_of(p->u, s->x[i]);
        for (size_t k = 0; k < r->n; k++)
            if (r->item[k]->kind == IX_VALUE && r->item[k]->attr[0] >= 0)
                p->used[r->item[k]->attr[0]] = true;
    }
    return true;
}

static void
drop_places(placing *p, ix_stmt **list)
{
    for (ix_stmt **at = list; *at;) {
        ix_stmt *s = *at;
        if (s->place && !p->used[s->number]) {
            *at = s->next;
            p->any = true;
            continue;
        }
        drop_places(p, &s->body);
        drop_places(p, &s->other);
        at = &s->next;
    }
}

static bool
hoist_kernel(ix_unit *u, ix_kernel *k)
{
    placing p = {.u = u,
                 .any = u->target->grid && ix_kernel_has(k, IX_HAS_CHECK)};
    if (!ix_rebuild(u, k, hoist_stmt))
        return false;
    while (p.any) {
        p.used = ix_arena_new(&u->arena, (size_t)k->nvalues + 1);
        p.any = false;
        ix_stmt_each(k->body, note_values, &p);
        drop_places(&p, &k->body);
    }
    return true;
}

bool
ix_pass_hoist(ix_unit *u)
{
    return ix_kernels_each(u, hoist_kernel);
}
