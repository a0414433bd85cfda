/* SPDX-License-Identifier: MIT
 *
 * Pass nest: statements. needs: stages; gives: a kernel for each,
 * loops over its box around one store; breaks: stages.
 */
#include "compiler/lower/recurrence.h"

/* Puts k->body into a loop over an axis of the box. */
static ix_stmt *
put_in_loop(ix_unit *u, ix_kernel *k, int axis)
{
    const ix_axis *ax = &k->box->ax[axis];
    ix_stmt *loop = ix_stmt_for(u, axis, ix_index_lin(u->ctx, ax->lo),
                                ix_index_lin(u->ctx, ax->hi));
    loop->parallel = axis != k->levels.axis;
    loop->down = !loop->parallel && k->levels.backward;
    loop->optional = false; /* a run launches no kernel with an empty box */
    loop->body = k->body;
    k->body = loop;
    return loop;
}

static bool
is_other(void *user, const ilex_array *load)
{
    return load->attr[0] != *(const int *)user;
}

/* Is the buffer read where "body" is computed? */
static bool
loads(ix_unit *u, ilex_array *body, int buffer)
{
    return !ix_body_loads(u, body, is_other, &buffer);
}

void
ix_kernel_store(ix_unit *u, ix_kernel *k, int n, const int *buffer,
                ilex_array *const *value)
{
    int order[ILEX_MAX_RANK], rank = k->box->rank;
    ilex_array *index[ILEX_MAX_RANK];
    ix_stmt **tail = &k->body;
    for (int i = 0; i < rank; i++)
        index[i] = ix_scalar_index(u->ctx, i);
    for (int i = 0; i < n; i++) {
        *tail =
            ix_stmt_store(u, ix_element_of(buffer[i], rank, index), value[i]);
        k->ordered |= loads(u, value[i], buffer[i]);
        tail = &(*tail)->next;
    }
    ix_recurrence_order(k->levels.axis, rank, order);
    for (int i = rank - 1; i >= 0; i--)
        put_in_loop(u, k, order[i]);
}

static void
nest_points(ix_unit *u, ix_kernel *k, const ix_stage *s)
{
    ix_kernel_store(u, k, s->count, s->buffer, ix_stage_values(s));
}

static void
nest_levels(ix_unit *u, ix_kernel *k, const ix_stage *s)
{
    int rank = s->box->rank, axis = s->levels.axis;
    k->ordered = true;
    k->levels = s->levels;
    k->axis = rank == 1 ? -1 : axis == 0 ? 1 : 0;
    nest_points(u, k, s);
}

/* The kernel is to change elements as stage "s" says, in C order. */
static void
nest_update(ix_unit *u, ix_kernel *k, const ix_stage *s)
{
    ilex_array *const *index = s->body->ops + IX_UPDATE_INDEX;
    int rank = s->body->nops - IX_UPDATE_INDEX;
    k->ordered = true;
    k->axis = -1;
    k->body = ix_stmt_store(u, ix_element_of(*s->buffer, rank, index),
                            s->body->ops[IX_UPDATE_VALUE]);
    for (int i = s->box->rank - 1; i >= 0; i--)
        put_in_loop(u, k, i)->parallel = false;
}

/* Element "i" at variable "j" of the kernel. */
static ilex_array *
at_variable(ix_unit *u, ilex_array *element, ilex_array *j)
{
    ix_substitution s = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .index = &j,
                         .nindex = 1,
                         .became = ix_made_keep};
    s.user = u;
    element = ix_substitute(&s, element);
    ix_substitution_free(&s);
    return element;
}

static ilex_array *
sum(ilex_context *ctx, ilex_array *x, ilex_array *y)
{
    ilex_array *ops[2] = {x, y};
    return ix_scalar_op(ctx, IX_OP_ADD, ILEX_I64, ILEX_I64, ops);
}

/* Names what defines an i64. */
static ix_stmt *
name(ix_kernel *k, ix_stmt *s, char prefix)
{
    s->prefix = prefix;
    s->number = k->nvalues++;
    s->dtype = ILEX_I64;
    return s;
}

/* The kernel is to store the elements of stage "s" that a mask lets through:
 * all up to the last one, each at the position where that one goes which the
 * mask lets through next. */
static void
nest_compact(ix_unit *u, ix_kernel *k, const ix_stage *s)
{
    ilex_context *ctx = u->ctx;
    int variable = ix_kernel_variable(u, k, IX_VARIABLE_COMPACTED);
    ilex_array *lo, *hi, *chunk = ix_scalar_index(ctx, 0);
    ilex_array *j = ix_scalar_index(ctx, variable);
    ilex_array *first = ix_scalar_load(ctx, ILEX_I64, s->position, 1, &chunk);
    ix_stmt *next = ix_stmt_new(u, IX_STMT_SCRATCH, IX_OPERANDS({1, &first}));
    ix_element element = ix_element_scratch(name(k, next, 'p'), NULL);
    ix_stmt *read = name(k, ix_stmt_at(u, IX_STMT_LOAD, element, NULL), 't');
    ilex_array *at = ix_value_of(u, read);
    ilex_array *mask = at_variable(u, s->body->ops[IX_COMPACT_MASK], j);
    mask = ix_scalar_cast(ctx, ILEX_I64, mask);
    ilex_array *end = sum(ctx, first, s->body->ops[IX_COMPACT_COUNT]);
    ilex_array *ends[2] = {ix_value_of(u, next), end};
    ilex_array *before =
        ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ends);
    ix_chunk_range(ctx, s->elements->ax, IX_CHUNK, &lo, &hi);
    k->ordered = true;
    k->body = next;
    next->next = ix_stmt_with_group(u, ix_stmt_for(u, variable, lo, hi),
                                    IX_for_while, 1, &before);
    next->next->body = read;
    read->next = ix_stmt_store(u, element, sum(ctx, at, mask));
    read->next->next =
        ix_stmt_store(u, ix_element_of(*s->buffer, 1, &at),
                      at_variable(u, s->body->ops[IX_COMPACT_ELEMENT], j));
    put_in_loop(u, k, 0);
}

static void (*const nest_kind[])(ix_unit *, ix_kernel *, const ix_stage *) = {
#define IX_STAGE(KIND, turn, nest, put) [IX_STAGE_##KIND] = nest_##nest,
#include "compiler/stages.def"
};

ix_kernel *
ix_nest_stage(ix_unit *u, const ix_stage *s)
{
    ix_kernel *k = ix_unit_kernel(u, s->box, s->when);
    nest_kind[s->kind](u, k, s);
    ix_nest_note(k->body, s->array);
    return k;
}

bool
ix_pass_nest(ix_unit *u)
{
    ix_kernel **tail = &u->kernels;
    for (size_t i = 0; i < u->nstages; i++) {
        *tail = ix_nest_stage(u, &u->stage[i]);
        tail = &(*tail)->next;
    }
    ix_unit_number(u);
    u->level = IX_LEVEL_TREE;
    return u->ctx->error.code == ILEX_OK;
}
