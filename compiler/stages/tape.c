/* SPDX-License-Identifier: MIT
 *
 * Tapes: bodies as straight lists of instructions for the reference back end.
 * Every node once, operands first; the body of a reduction is a stretch of
 * its own that the evaluator repeats.
 */
#include "compiler/steps/finish.h"

typedef struct tape_maker {
    ix_compiled *c;
    ix_unit *u;
    ix_mem scratch;
    ix_tape *tape;
    ix_instr *instr; /* of the tape in the making */
    size_t capacity;
    ix_map seen; /* instructions of the stage's nodes */
} tape_maker;

enum { KEEP_MAP = 256 };

/* Empties the map between stages; a large one is given up. */
static void
forget(ix_map *map)
{
    if (map->capacity > KEEP_MAP)
        *map = (ix_map){0};
    for (size_t i = 0; i < map->capacity; i++)
        map->keys[i] = NULL;
    map->count = 0;
}

static int32_t put(tape_maker *m, const ilex_array *n, ix_map *seen);

static int32_t
add_instr(tape_maker *m, ix_instr in)
{
    ix_tape *tape = m->tape;
    ix_arena_grow(&m->u->arena, &m->instr, &m->capacity,
                  (size_t)tape->ninstr + 1, sizeof *m->instr);
    m->instr[tape->ninstr] = in;
    return tape->ninstr++;
}

/* Kind, dtypes and attributes of a node. */
static ix_instr
instr_of(tape_maker *m, const ilex_array *n)
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
    if (n->kind == IX_CAST || n->kind == IX_REDUCE)
        in.loop = n->ops[0]->dtype;
    if (n->kind == IX_REDUCE)
        in.what = (int16_t)ix_reduction_of(n);
    return in;
}

/* The instruction of a reduction comes before its body. */
static int32_t
put_reduce(tape_maker *m, const ilex_array *n)
{
    ix_instr in = instr_of(m, n);
    ix_map inner = {0};
    in.range = ix_arena_new(&m->c->arena,
                            ((size_t)n->interior->rank + 1) * sizeof *in.range);
    in.n = n->interior->rank;
    for (int k = 0; k < n->interior->rank; k++)
        in.range[k] = ix_finish_range(m->c, &n->interior->ax[k]);
    int32_t at = add_instr(m, in);
    in.body = m->tape->ninstr;
    in.arg[0] = put(m, n->ops[0], &inner);
    in.body_end = m->tape->ninstr;
    m->instr[at] = in;
    return at;
}

static int32_t
put(tape_maker *m, const ilex_array *n, ix_map *seen)
{
    size_t *done = ix_map_find(seen, n);
    if (done)
        return (int32_t)*done;
    int32_t at;
    if (n->kind == IX_REDUCE) {
        at = put_reduce(m, n);
    } else {
        ix_instr in = instr_of(m, n);
        for (int i = 0; i < n->nops; i++)
            in.arg[i] = put(m, n->ops[i], seen);
        at = add_instr(m, in);
    }
    ix_map_set(seen, &m->scratch, n, (size_t)at);
    return at;
}

void
ix_make_tapes(ix_unit *u, ix_compiled *c)
{
    tape_maker m = {.c = c, .u = u, .scratch = ix_arena_mem(&u->arena)};
    c->tape = ix_arena_new(&c->arena, (u->nstages + 1) * sizeof *c->tape);
    for (size_t i = 0; i < u->nstages; i++) {
        const ix_stage *s = &u->stage[i];
        forget(&m.seen);
        m.tape = &c->tape[c->ntapes++];
        m.tape->buffer = s->buffer;
        m.tape->rank = s->box->rank;
        m.tape->box = ix_arena_new(&c->arena, ((size_t)m.tape->rank + 1) *
                                                  sizeof *m.tape->box);
        for (int k = 0; k < s->box->rank; k++)
            m.tape->box[k] = ix_finish_range(c, &s->box->ax[k]);
        m.tape->result = put(&m, s->body, &m.seen);
        size_t bytes = (size_t)m.tape->ninstr * sizeof *m.instr;
        m.tape->instr = memcpy(ix_arena_new(&c->arena, bytes), m.instr, bytes);
    }
}
