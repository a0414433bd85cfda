/* SPDX-License-Identifier: MIT
 *
 * Pass partition: which arrays are stored, and which are computed again where
 * they are read. needs: lambdas with extents; gives: stages whose bodies load
 * buffers by number; breaks: the graph.
 *
 * An array is stored when it is an output; when it holds a reduction, unless
 * the one stage that reads it has loops for its axes outside; when it is read
 * at indices that are data, or by a function of the host; when it checks data
 * and is not read at each of its points once; when its index conditions would
 * multiply (read at several places); when it is read where its value would be
 * computed again for every step of a broadcast or reduction and is not cheap;
 * and when storing is cheaper than computing it again: cost times (number of
 * distinct reads - 1) is above a threshold. Users that are fused and read the
 * same point share its value; of a program too long for one body they are taken
 * to be in several.
 */
#include "compiler/stages/partition.h"

enum { BODY_BUDGET = 600 }; /* statements of one fused body */

typedef ix_partition_info info;
typedef ix_partition partition;

ix_partition_info *
ix_partition_of(ix_partition *p, const ilex_array *n)
{
    return &p->of[ix_unit_position(p->u, n)];
}

static info *
info_of(partition *p, const ilex_array *n)
{
    return ix_partition_of(p, n);
}

/* ---- decisions ---- */

bool
ix_partition_is_part(const ix_partition_info *x)
{
    return x->parts == 1 && !x->loaded && !x->root;
}

/* Users first: by then all reads of an array are counted. */
static bool
decide(partition *p)
{
    ix_unit *u = p->u;
    for (size_t i = 0; i < u->nroots; i++)
        info_of(p, u->root[i])->stored = info_of(p, u->root[i])->root = true;
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_LAMBDA)
            ix_partition_add_work(p, i);
    ix_partition_checks(p);
    for (size_t i = u->norder; i-- > 0;) {
        ilex_array *n = u->order[i];
        info *x = &p->of[i];
        ix_partition_note_reader(p, n);
        if (n->kind == IX_CONCAT && u->need[i])
            ix_parts_decide(p, n, i);
        if (n->kind == IX_RESULT && u->need[i])
            ix_result_note(p, i);
        if (n->kind == IX_FOREIGN && u->need[i])
            ix_call_decide(p, n);
        if (ix_is_update(n) && u->need[i])
            ix_update_decide(p, n);
        if (n->kind == IX_COMPACT && u->need[i])
            ix_compact_decide(p, n);
        if (!ix_has_body(n) || !u->need[i])
            continue;
        x->stored = ix_partition_is_stored(p, n, x);
        if (!ix_partition_count_reads(p, n))
            return false;
    }
    return true;
}

/* ---- buffers and stages ---- */

static ilex_array *
load_same(ix_unit *u, int buffer, ilex_dtype dtype, int rank)
{
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(u->ctx, k);
    return ix_scalar_load(u->ctx, dtype, buffer, rank, index);
}

typedef struct inliner {
    partition *p;
    const ilex_array *user;
    bool too_large;     /* an index crossed a limit */
    int64_t statements; /* of the bodies that were put in */
} inliner;

/* The load of a stored array, or the body of one that is not, at "index". */
static ilex_array *
inline_load(void *user, ilex_array *load, ilex_array *const *index)
{
    inliner *in = user;
    ix_unit *u = in->p->u;
    const ilex_array *array = in->user->ops[load->attr[0] + 1];
    info *x = info_of(in->p, array);
    if (x->stored)
        return ix_scalar_load(u->ctx, (ilex_dtype)load->dtype, x->buffer,
                              load->nops, index);
    ilex_array *r =
        in->too_large ? NULL : ix_origin_inline(u, array, x->body, index);
    in->too_large |= !r;
    in->statements += x->statements;
    return r;
}

/* Is the body of "n" short enough? Its parts are measured already; the whole
 * shares nodes, and is only looked at when the parts together are too long. */
static bool
within_budget(partition *p, const ilex_array *n, const inliner *in)
{
    info *x = info_of(p, n);
    ilex_array *own = n->ops[0];
    int64_t sum = in->statements + ix_measure(p->u, 1, &own);
    if (sum > BODY_BUDGET)
        sum = ix_measure(p->u, 1, &x->body);
    x->statements = (int)sum;
    return sum <= BODY_BUDGET;
}

/* A choice inside of the first branch of one by the same condition. */
static ilex_array *
take_first(void *user, ilex_array *n)
{
    return n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE && n->ops[0] == user
               ? n->ops[1]
               : n;
}

static ilex_array *
drop_nested(void *user, ilex_array *n)
{
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_WHERE ||
        !(n->ops[1]->flags & IX_HAS_CHECK))
        return n;
    ilex_array *ops[3] = {n->ops[0], NULL, n->ops[2]};
    ix_unit *u = user;
    ix_substitution s = {
        .ctx = u->ctx, .rewrite = take_first, .user = n->ops[0]};
    ops[1] = ix_substitute(&s, n->ops[1]);
    ix_substitution_free(&s);
    return ix_with_operands(n, ops);
}

/* Conditions that an array had of its own, in a body that has them around it.
 */
static ilex_array *
without_nested(ix_unit *u, ilex_array *body)
{
    if (!(body->flags & IX_HAS_CHECK) || ix_is_poison(body))
        return body;
    ix_substitution s = {.ctx = u->ctx,
                         .rewrite = drop_nested,
                         .became = ix_made_keep,
                         .user = u};
    body = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return body;
}

/* Makes the body of "n" with those of its operands that are not stored in it;
 * false if it crosses a limit: an index that gets too large, too many
 * statements. */
static bool
inline_body(partition *p, ilex_array *n)
{
    info *x = info_of(p, n);
    inliner in = {.p = p, .user = n};
    ilex_array *own = n->ops[0];
    if (x->reason == IX_REASON_INSIDE && own->flags & IX_HAS_REDUCE)
        own = ix_partition_renumber(p, own);
    p->inlined.user = &in;
    x->body = without_nested(p->u, ix_substitute(&p->inlined, own));
    ix_substitution_forget(&p->inlined);
    return !in.too_large && (ix_is_poison(x->body) || within_budget(p, n, &in));
}

int
ix_partition_temporary(ix_partition *p, const ix_domain *box, ilex_dtype dtype)
{
    return ix_unit_buffer(p->u, (ix_buffer){.role = IX_ROLE_TEMP,
                                            .name = "",
                                            .dtype = dtype,
                                            .interior = box,
                                            .box = box,
                                            .inplace = -1});
}

/* A new temporary for the array at position "i". */
static int
temporary_of(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    int buffer = ix_partition_temporary(p, u->need[i], (ilex_dtype)n->dtype);
    u->buffer[buffer].array = ix_unit_program(u, n);
    return buffer;
}

int
ix_partition_place(ix_partition *p, size_t i)
{
    int output = ix_partition_output(p, p->u->order[i]);
    return output < 0 ? temporary_of(p, i) : (int)p->first_output + output;
}

int
ix_partition_change(ix_partition *p, size_t i)
{
    info *x = &p->of[i];
    x->stored = true;
    x->reason = p->u->order[i]->kind == IX_UPDATE ? IX_REASON_UPDATE
                                                  : IX_REASON_COMPRESS;
    return x->buffer = ix_partition_place(p, i);
}

ilex_array *
ix_partition_read(ix_partition *p, const ilex_array *n)
{
    const info *x = info_of(p, n);
    return x->stored
               ? load_same(p->u, x->buffer, (ilex_dtype)n->dtype, ix_rank(n))
               : x->body;
}

void
ix_partition_store(ix_partition *p, size_t i)
{
    info *x = &p->of[i];
    x->stored = true;
    x->buffer = temporary_of(p, i);
    ix_unit_stage(p->u, (ix_stage){.buffer = x->buffer,
                                   .box = p->u->need[i],
                                   .body = x->body,
                                   .array = p->u->order[i]});
}

/* Stores the operands of "n" that are computed again, for the body of "n"
 * crossed a limit with them. Without them it is as long as the user wrote it,
 * and its indices are those that were checked. */
static void
store_operands(partition *p, const ilex_array *n)
{
    for (int k = 1; k < n->nops; k++) {
        size_t i = ix_unit_position(p->u, n->ops[k]);
        if (p->of[i].stored)
            continue;
        p->of[i].reason = IX_REASON_BUDGET;
        ix_partition_store(p, i);
    }
}

int
ix_partition_output(ix_partition *p, const ilex_array *n)
{
    ix_unit *u = p->u;
    int output = -1, count = 0;
    for (size_t k = 0; k < u->nroots; k++)
        if (u->root[k] == n) {
            output = (int)k;
            count++;
        }
    bool whole = u->need[ix_unit_position(u, n)] == n->interior;
    bool own = n->kind == IX_LAMBDA || n->kind == IX_CONCAT ||
               n->kind == IX_RESULT || n->kind == IX_COMPACT || ix_is_update(n);
    return count == 1 && whole && own ? output : -1;
}

/* In a program too long for one body the users of an array are in several: is
 * it cheaper to store it than to compute it in each? */
static bool
is_made_often(const partition *p, const info *x)
{
    return p->work > BODY_BUDGET && !p->u->reference &&
           (int64_t)x->statements * (x->users - 1) > IX_RECOMPUTE;
}

static bool
make_stage(partition *p, size_t i)
{
    ix_unit *u = p->u;
    ilex_array *n = u->order[i];
    info *x = &p->of[i];
    if (n->kind == IX_CONCAT && u->need[i])
        return ix_parts_store(p, i);
    if (ix_is_update(n) && u->need[i])
        return ix_update_store(p, i);
    if (n->kind == IX_COMPACT && u->need[i])
        return ix_compact_store(p, i);
    if (n->kind == IX_FOREIGN && u->need[i])
        ix_call_store(p, i);
    if (!ix_has_body(n) || !u->need[i]) {
        x->stored = true;
        return true;
    }
    if (!inline_body(p, n)) {
        store_operands(p, n);
        inline_body(p, n);
    }
    if (ix_is_poison(x->body))
        return false;
    if (n->kind == IX_SCAN)
        return ix_recurrence_store(p, i);
    int output = x->stored ? ix_partition_output(p, n) : -1;
    if (output >= 0) {
        x->buffer = (int)(p->first_output + (size_t)output);
        ix_unit_stage(u, (ix_stage){.buffer = x->buffer,
                                    .box = n->interior,
                                    .body = x->body,
                                    .array = n});
    } else if (x->stored || is_made_often(p, x)) {
        x->reason = x->stored ? x->reason : IX_REASON_USERS;
        ix_partition_store(p, i);
    }
    return true;
}

static const char *
leaf_name(ix_unit *u, const ilex_array *n)
{
    if (n->kind == IX_INPUT)
        return ix_symbol_text(u->ctx, (int32_t)n->attr[0]);
    ix_text t;
    ix_text_init(&t, &u->ctx->mem);
    ix_text_format(&t, "_ilex_data%lld", (long long)n->attr[0]);
    const char *s = ix_text_string(&t);
    char name[40] = "_ilex_data";
    if (s && strlen(s) < sizeof name)
        memcpy(name, s, strlen(s) + 1);
    ix_text_free(&t);
    return ix_arena_string(&u->arena, name);
}

static void
leaf_buffer(partition *p, const ilex_array *n)
{
    ix_unit *u = p->u;
    size_t at = ix_unit_position(u, n);
    ix_buffer b = {.role = n->kind == IX_INPUT ? IX_ROLE_INPUT : IX_ROLE_DATA,
                   .name = leaf_name(u, n),
                   .dtype = (ilex_dtype)n->dtype,
                   .interior = n->interior,
                   .box = at != SIZE_MAX && u->need[at] ? u->need[at]
                                                        : n->interior,
                   .node = (ilex_array *)(uintptr_t)n,
                   .array = n,
                   .inplace = -1};
    int buffer = ix_unit_buffer(u, b);
    if (at != SIZE_MAX) {
        p->of[at].buffer = buffer;
        p->of[at].stored = true;
    }
}

/* Inputs in the order of the module, then outputs. */
static void
make_io_buffers(partition *p)
{
    ix_unit *u = p->u;
    ilex_module *m = u->module;
    for (size_t i = 0; i < m->ninputs; i++)
        leaf_buffer(p, m->input[i]);
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_DATA)
            leaf_buffer(p, u->order[i]);
    for (size_t i = 0; i < m->noutputs; i++) {
        const ix_output *out = &m->output[i];
        int inplace = -1;
        for (size_t k = 0; out->inplace && k < m->ninputs; k++)
            if (m->input[k]->attr[0] == out->inplace)
                inplace = (int)k;
        ix_unit_buffer(u, (ix_buffer){.role = IX_ROLE_OUTPUT,
                                      .name = ix_symbol_text(u->ctx, out->name),
                                      .dtype = (ilex_dtype)u->root[i]->dtype,
                                      .interior = out->declared
                                                      ? out->declared
                                                      : u->root[i]->interior,
                                      .box = u->root[i]->interior,
                                      .array = ix_unit_program(u, u->root[i]),
                                      .inplace = inplace});
    }
    u->count_buffer = (int)u->nbuffers;
    for (size_t i = u->noutputs; i < u->nroots; i++)
        ix_partition_temporary(p, u->need[ix_unit_position(u, u->root[i])],
                               ILEX_I64);
}

/* Copies the value of output "i" to it, unless it was written there. */
static bool
copy_output(partition *p, size_t i)
{
    ix_unit *u = p->u;
    ilex_array *n = u->root[i];
    if (ix_partition_output(p, n) >= 0)
        return true;
    ilex_array *body =
        load_same(u, info_of(p, n)->buffer, (ilex_dtype)n->dtype, ix_rank(n));
    if (ix_is_poison(body))
        return false;
    ix_unit_stage(u, (ix_stage){.buffer = (int)(p->first_output + i),
                                .box = n->interior,
                                .body = body,
                                .array = n});
    return true;
}

/* After the array at position "i" is stored: the counts that are known now. */
static bool
finish_counts(partition *p, size_t i)
{
    ix_unit *u = p->u;
    bool ok = true;
    size_t next = u->noutputs + (size_t)u->phase;
    while (ok && next < u->nroots && ix_unit_position(u, u->root[next]) <= i) {
        ok = copy_output(p, next++);
        u->phase++;
    }
    return ok;
}

bool
ix_pass_partition(ix_unit *u)
{
    partition p = {.u = u, .mem = ix_arena_mem(&u->arena)};
    ix_partition_begin_reads(&p);
    p.inlined =
        (ix_substitution){.ctx = u->ctx, .mem = &p.mem, .load = inline_load};
    p.of = ix_arena_new(&u->arena, (u->norder + 1) * sizeof *p.of);
    if (!decide(&p))
        return false;
    make_io_buffers(&p);
    p.first_output = u->nbuffers - u->nroots;
    for (size_t i = 0; i < u->norder; i++)
        if (!make_stage(&p, i) || !finish_counts(&p, i))
            return false;
    for (size_t i = 0; i < u->noutputs; i++)
        if (!copy_output(&p, i))
            return false;
    ix_partition_keep(&p);
    u->level = IX_LEVEL_STAGES;
    return u->ctx->error.code == ILEX_OK;
}
