/* SPDX-License-Identifier: MIT
 *
 * Bytecode: bodies as straight lists of instructions for the reference back
 * end. Every node once, operands first; the body of a reduction is a stretch of
 * its own that the evaluator repeats; of a guard's branches one is evaluated.
 */
#include "compiler/steps/finish.h"

typedef struct assembler {
    ix_compiled *c;
    ix_unit *u;
    ix_bytecode *code;
    ix_instr *instr; /* of the bytecode in the making */
    size_t capacity;
} assembler;

static int32_t
add_instr(assembler *m, ix_instr in)
{
    ix_bytecode *code = m->code;
    ix_arena_grow(&m->u->arena, &m->instr, &m->capacity,
                  (size_t)code->ninstr + 1, sizeof *m->instr);
    m->instr[code->ninstr] = in;
    return code->ninstr++;
}

/* The operands of a load that are data are instructions already; they learn
 * what they are an index of. */
static void
number_checks(assembler *m, const ilex_array *load, const size_t *operand)
{
    for (int k = 0; k < load->nops; k++)
        if (load->ops[k]->kind == IX_CHECKED)
            m->instr[operand[k]].check =
                ix_is_trusted(load->ops[k])
                    ? -1
                    : ix_unit_check(m->u, (int)load->attr[0], load->ops[k]);
}

/* Kind, dtypes and attributes of a node. */
static ix_instr
instr_of(assembler *m, const ilex_array *n)
{
    ix_instr in = {.kind = n->kind, .dtype = n->dtype, .n = n->nops};
    size_t bytes = (size_t)n->nattr * sizeof *in.attr;
    in.attr = ix_arena_new(&m->c->arena, bytes);
    if (bytes)
        memcpy(in.attr, n->attr, bytes);
    in.arg = ix_arena_new(&m->c->arena, ((size_t)n->nops + 1) * sizeof *in.arg);
    if (n->kind == IX_CONST)
        in.value = ix_const_value(n);
    if (n->kind == IX_OP) {
        in.what = (int16_t)ix_op_of(n);
        in.loop = (uint8_t)ix_loop_of(n);
    }
    if (n->kind == IX_APPLY)
        in.what = (int16_t)ix_unit_function(m->u, n);
    if (n->kind == IX_CAST || n->kind == IX_REDUCE)
        in.loop = n->ops[0]->dtype;
    if (n->kind == IX_REDUCE)
        in.what = (int16_t)ix_reduction_of(n);
    if (n->kind == IX_PRODUCT) {
        in.loop = n->ops[0]->dtype;
        in.what = n->ops[1]->dtype;
    }
    return in;
}

/* Where the stretch ends that computes the value of instruction "i". */
static int32_t
end_of(const assembler *m, size_t i)
{
    const ix_instr *in = &m->instr[i];
    return in->body_end ? in->body_end : (int32_t)i + 1;
}

/* A guard comes before its condition and its branches, of which one is
 * evaluated. */
static void
put_branches(assembler *m, ix_instr *in, const size_t *operand)
{
    int32_t at = in->body;
    for (int i = 0; i < 3; i++) {
        in->arg[i] = (int32_t)operand[i];
        if (i > 0)
            in->branch[i - 1] = at;
        if (in->arg[i] >= in->body) /* not known from before */
            at = end_of(m, operand[i]);
    }
    in->body_end = m->code->ninstr;
}

/* The instruction of a reduction or a guard comes before what stands in it;
 * that of any other node after its operands. */
static ix_walk_step
put_first(ix_walk *w, ilex_array *n, size_t *value)
{
    assembler *m = w->user;
    if (n->kind != IX_REDUCE && !ix_is_guard(n))
        return IX_WALK_IN;
    ix_instr in = instr_of(m, n);
    in.body = m->code->ninstr + 1;
    if (n->kind != IX_REDUCE) {
        *value = (size_t)add_instr(m, in);
        return IX_WALK_IN;
    }
    in.range = ix_arena_new(&m->c->arena,
                            ((size_t)n->interior->rank + 1) * sizeof *in.range);
    in.n = n->interior->rank;
    for (int k = 0; k < n->interior->rank; k++)
        in.range[k] = ix_finish_range(m->c, &n->interior->ax[k]);
    *value = (size_t)add_instr(m, in);
    return IX_WALK_IN;
}

static bool
put(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    assembler *m = w->user;
    if (n->kind == IX_REDUCE) {
        ix_instr *in = &m->instr[*value];
        for (int i = 0; i < n->nops; i++)
            in->arg[i] = (int32_t)operand[i];
        in->branch[0] =
            in->arg[0] < in->body ? in->body : end_of(m, operand[0]);
        in->branch[1] = ix_is_ranged(n);
        in->body_end = m->code->ninstr;
        return true;
    }
    if (ix_is_guard(n)) {
        put_branches(m, &m->instr[*value], operand);
        return true;
    }
    ix_instr in = instr_of(m, n);
    for (int i = 0; i < n->nops; i++)
        in.arg[i] = (int32_t)operand[i];
    if (n->kind == IX_LOAD)
        number_checks(m, n, operand);
    if (n->kind == IX_CHECKED)
        in.check = ix_unit_check(m->u, -1, n);
    *value = (size_t)add_instr(m, in);
    return true;
}

/* The indices at which an update stores. */
static void
put_indices(ix_walk *w, const ix_stage *s)
{
    assembler *m = w->user;
    int rank = s->body->nops - IX_UPDATE_INDEX;
    m->code->index =
        ix_arena_new(&m->c->arena, (size_t)rank * sizeof *m->code->index);
    for (int k = 0; k < rank; k++) {
        const ilex_array *x = s->body->ops[IX_UPDATE_INDEX + k];
        size_t value = 0;
        ix_walk_body(w, x, &value);
        if (x->kind == IX_CHECKED)
            m->instr[value].check =
                ix_is_trusted(x) ? -1 : ix_unit_check(m->u, *s->buffer, x);
        m->code->index[k] = (int32_t)value;
    }
}

/* The bodies of a stage, one or those of a scan. */
static void
put_results(ix_walk *w, const ix_stage *s)
{
    assembler *m = w->user;
    ix_bytecode *code = m->code;
    ilex_array *const *value_of = ix_stage_values(s);
    code->nresults = s->count;
    code->backward = s->levels.backward;
    code->result = ix_arena_new(&m->c->arena,
                                (size_t)code->nresults * sizeof *code->result);
    if (s->kind == IX_STAGE_UPDATE)
        put_indices(w, s);
    for (int i = 0; i < code->nresults; i++) {
        size_t value = 0;
        ix_walk_body(w, value_of[i], &value);
        code->result[i] = (ix_bytecode_result){s->buffer[i], (int32_t)value};
    }
}

static void
copy_locations(assembler *m, const ix_stage *s)
{
    ix_source_locations locations = {.n = 0};
    if (m->u->ctx->annotations.count)
        ix_source_locations_add(m->u, &locations, s->array, s->body);
    ix_finish_locations(m->c, &locations, &m->code->location,
                        &m->code->nlocations);
}

static void
assemble(ix_walk *w, const ix_stage *s)
{
    assembler *m = w->user;
    ix_arena *arena = &m->c->arena;
    ix_bytecode *code = m->code = &m->c->bytecode[m->c->nbytecodes++];
    code->rank = s->box->rank;
    code->when = s->when;
    code->box =
        ix_arena_new(arena, ((size_t)code->rank + 1) * sizeof *code->box);
    for (int k = 0; k < s->box->rank; k++)
        code->box[k] = ix_finish_range(m->c, &s->box->ax[k]);
    copy_locations(m, s);
    ix_walk_forget(w);
    put_results(w, s);
    size_t bytes = (size_t)code->ninstr * sizeof *m->instr;
    code->instr = memcpy(ix_arena_new(arena, bytes), m->instr, bytes);
}

void
ix_make_bytecode(ix_unit *u, ix_compiled *c)
{
    assembler m = {.c = c, .u = u};
    ix_walk w = {.ctx = u->ctx,
                 .mem = &u->mem,
                 .frames = IX_WALK_REDUCTIONS | IX_WALK_BRANCHES,
                 .enter = put_first,
                 .leave = put,
                 .user = &m};
    c->bytecode =
        ix_arena_new(&c->arena, (u->nstages + 1) * sizeof *c->bytecode);
    for (size_t i = 0; i < u->nstages; i++)
        assemble(&w, &u->stage[i]);
}
