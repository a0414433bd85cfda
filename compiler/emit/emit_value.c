/* SPDX-License-Identifier: MIT
 *
 * Scalars to statements. A node becomes a variable, once, at the outermost
 * depth where its operands are known; literals and sizes are used in place.
 */
#include <stdio.h>

#include "compiler/emit/emit.h"
#include "lib/ops/dtype.h"

/* ---- operations ---- */

static void
new_variable(ix_emitter *e, ilex_dtype dtype, int depth, ix_name *v)
{
    int number = e->next++;
    bool complex = ix_dtype_is_complex(dtype);
    snprintf(v->re, sizeof v->re, "t%d%s", number, complex ? "r" : "");
    snprintf(v->im, sizeof v->im, "t%di", number);
    v->depth = depth;
    v->id = e->block[depth].id;
}

static const ix_code_names *
names_of(ilex_dtype loop, ilex_dtype result, int n, const ix_name *args,
         const ix_name *v, ix_code_names *names)
{
    *names = (ix_code_names){
        .loop = loop, .result = result, .re = v->re, .im = v->im};
    for (int i = 0; i < n; i++) {
        names->x[i] = args[i].re;
        names->xi[i] = args[i].im;
    }
    return names;
}

/* "<start>v = <template>;" for each part, or the call that stores both. */
static void
write_template(ix_emitter *e, int depth, ix_code_template code,
               const ix_code_names *names, const char *start)
{
    const char *parts[2] = {code.re,
                            code.kind == IX_CODE_PAIR ? code.im : NULL};
    const char *into[2] = {names->re, names->im};
    e->block[0].text.failed |=
        !ix_function_set_need_template(&e->functions, code, names->loop);
    if (code.kind == IX_CODE_CALL_PAIR) {
        ix_text *t = ix_emit_line(e, depth);
        ix_code_write(t, code.re, names, &e->dialect->functions);
        ix_text_put(t, ";\n");
        return;
    }
    for (int i = 0; i < 2 && parts[i]; i++) {
        ix_text *t = ix_emit_line(e, depth);
        ix_text_format(t, "%s%s = ", start, into[i]);
        ix_code_write(t, parts[i], names, &e->dialect->functions);
        if (e->note)
            ix_text_format(t, "; /* %s */\n", e->note);
        else
            ix_text_put(t, ";\n");
        e->note = NULL;
    }
}

/* The comment for the statement that defines "n", when names are wanted. */
static const char *
note_of(const ix_emitter *e, const ilex_array *n)
{
    const size_t *origin = e->names ? ix_map_find(&e->u->origin, n) : NULL;
    return origin ? ((const ix_origin *)*origin)->text : NULL;
}

/* Declares variables of a new value and computes them. */
static void
define(ix_emitter *e, ilex_dtype dtype, int depth, ix_code_template code,
       const ix_code_names *names)
{
    const char *type = ix_c_type(dtype);
    char start[32];
    if (code.kind == IX_CODE_CALL_PAIR)
        ix_emit_put(e, depth, "%s %s, %s;", type, names->re, names->im);
    snprintf(start, sizeof start, "const %s ", type);
    write_template(e, depth, code, names, start);
}

ix_name
ix_emit_combined(ix_emitter *e, ix_op op, ilex_dtype loop, const ix_name *a,
                 const ix_name *b)
{
    ix_name args[2] = {*a, *b}, v;
    ix_code_names names;
    new_variable(e, loop, e->depth, &v);
    names_of(loop, loop, 2, args, &v, &names);
    define(e, loop, e->depth, ix_op_template(op, loop), &names);
    return v;
}

void
ix_emit_combine(ix_emitter *e, ix_op op, ilex_dtype loop, const ix_name *a,
                const ix_name *b, const ix_name *into)
{
    ix_name args[2] = {*a, *b};
    ix_code_names names;
    ix_code_template code = ix_op_template(op, loop);
    if (code.kind != IX_CODE_PAIR) {
        names_of(loop, loop, 2, args, into, &names);
        write_template(e, e->depth, code, &names, "");
        return;
    }
    ix_name v = ix_emit_combined(e, op, loop, a, b);
    ix_emit_put(e, e->depth, "%s = %s;", into->re, v.re);
    ix_emit_put(e, e->depth, "%s = %s;", into->im, v.im);
}

static int
deepest(int n, const ix_name *args)
{
    int depth = 0;
    for (int i = 0; i < n; i++)
        depth = args[i].depth > depth ? args[i].depth : depth;
    return depth;
}

/* A branch of a guarded `where`, computed only inside its braces. The block is
 * left aside: what the other branch puts around it comes before both. */
static ix_block
emit_branch(ix_emitter *e, ilex_array *x, const ix_name *into, bool complex)
{
    int floor = e->floor;
    ix_emit_open(e);
    e->floor = e->depth;
    ix_name v = ix_emit_value(e, x);
    ix_emit_put(e, e->depth, "%s = %s;", into->re, v.re);
    if (complex)
        ix_emit_put(e, e->depth, "%s = %s;", into->im, v.im);
    e->floor = floor;
    return e->block[e->depth--];
}

static void
close_branch(ix_emitter *e, const ix_block *b, const char *header)
{
    e->block[++e->depth] = *b;
    ix_emit_close(e, header);
}

/* How many guards follow each other in the last operand of "n", itself first.
 */
static int
chain_length(const ilex_array *n)
{
    int length = 1;
    for (n = n->ops[2]; ix_is_guard(n); n = n->ops[2])
        length++;
    return length;
}

/* `where` on indices that split left: reads of a branch may be out of bounds
 * where it is not taken. One in the last operand of another becomes
 * `else if`. */
static ix_name
guarded_where(ix_emitter *e, ilex_array *n)
{
    int length = chain_length(n);
    ix_name *c = ix_arena_new(e->arena, (size_t)length * sizeof *c), v;
    ix_block *branch =
        ix_arena_new(e->arena, ((size_t)length + 1) * sizeof *branch);
    bool complex = ix_dtype_is_complex((ilex_dtype)n->dtype);
    char header[IX_NAME + 16];
    ilex_array *at = n;
    for (int i = 0; i < length; i++, at = at->ops[2])
        c[i] = ix_emit_value(e, at->ops[0]);
    new_variable(e, (ilex_dtype)n->dtype, e->depth, &v);
    ix_emit_put(e, e->depth, complex ? "%s %s, %s;" : "%s %s;",
                ix_c_type((ilex_dtype)n->dtype), v.re, v.im);
    at = n;
    for (int i = 0; i < length; i++, at = at->ops[2])
        branch[i] = emit_branch(e, at->ops[1], &v, complex);
    branch[length] = emit_branch(e, at, &v, complex);
    for (int i = 0; i < length; i++) {
        snprintf(header, sizeof header, "%sif (%s)", i ? "else " : "", c[i].re);
        close_branch(e, &branch[i], header);
    }
    close_branch(e, &branch[length], "else");
    return v;
}

static ix_name
emit_op(ix_emitter *e, ilex_array *n)
{
    ix_name args[3], v;
    ix_code_names names;
    for (int i = 0; i < n->nops; i++)
        args[i] = ix_emit_value(e, n->ops[i]);
    int depth = deepest(n->nops, args);
    ilex_dtype dtype = (ilex_dtype)n->dtype;
    new_variable(e, dtype, depth, &v);
    names_of(ix_loop_of(n), dtype, n->nops, args, &v, &names);
    e->note = note_of(e, n);
    define(e, dtype, depth, ix_op_template(ix_op_of(n), ix_loop_of(n)), &names);
    return v;
}

static ix_name
emit_cast(ix_emitter *e, ilex_array *n)
{
    ix_name x = ix_emit_value(e, n->ops[0]), v;
    ix_code_names names;
    ilex_dtype to = (ilex_dtype)n->dtype, from = (ilex_dtype)n->ops[0]->dtype;
    new_variable(e, to, x.depth, &v);
    names_of(to, to, 1, &x, &v, &names);
    define(e, to, x.depth, ix_cast_template(from, to), &names);
    return v;
}

/* Index arithmetic used as a value. */
static ix_name
emit_index_value(ix_emitter *e, ilex_array *n)
{
    ix_name v;
    ix_text t;
    int depth = 0;
    ix_text_init(&t, &e->mem);
    ix_emit_index(e, n, &t, &depth);
    const char *s = ix_text_string(&t);
    e->block[0].text.failed |= s == NULL;
    if (n->kind != IX_LINEAR && s && strlen(s) < IX_NAME) {
        v = (ix_name){.depth = depth, .id = e->block[depth].id};
        memcpy(v.re, s, strlen(s) + 1);
    } else {
        new_variable(e, ILEX_I64, depth, &v);
        ix_text *line = ix_emit_line(e, depth);
        ix_text_format(line, "const i64 %s = ", v.re);
        ix_text_put(line, s ? s : "");
        ix_text_put(line, ";\n");
    }
    ix_text_free(&t);
    return v;
}

static ix_name
literal(ix_emitter *e, const ilex_array *n)
{
    ix_name v = {.depth = 0, .id = e->block[0].id};
    ilex_dtype part = ix_dtype_part((ilex_dtype)n->dtype);
    ix_emit_literal(e, part, ix_const_value(n), false, v.re);
    if (ix_dtype_is_complex((ilex_dtype)n->dtype))
        ix_emit_literal(e, part, ix_const_value(n), true, v.im);
    return v;
}

static ix_name
emit_new(ix_emitter *e, ilex_array *n)
{
    switch (n->kind) {
    case IX_CONST:
        return literal(e, n);
    case IX_LOAD:
        return ix_emit_load(e, n);
    case IX_REDUCE:
        return ix_emit_reduce(e, n);
    case IX_CAST:
        return emit_cast(e, n);
    case IX_OP:
        return ix_is_guard(n) ? guarded_where(e, n) : emit_op(e, n);
    default:
        return emit_index_value(e, n);
    }
}

ix_name
ix_emit_value(ix_emitter *e, ilex_array *n)
{
    size_t *seen = ix_map_find(&e->value, n);
    if (seen && ix_emit_known(e, &e->name[*seen]))
        return e->name[*seen];
    ix_name v = emit_new(e, n);
    ix_emit_define(e, n, v);
    return v;
}

void
ix_emit_define(ix_emitter *e, ilex_array *n, ix_name v)
{
    ix_arena_grow(e->arena, &e->name, &e->name_capacity, e->nnames + 1,
                  sizeof *e->name);
    e->name[e->nnames] = v;
    e->block[0].text.failed |= !ix_map_set(&e->value, &e->mem, n, e->nnames);
    e->nnames++;
}

/* ---- depth of free indices ---- */

static void
depth_of(ix_emitter *e, const ilex_array *n, ix_map *seen, int *depth)
{
    int at = 0;
    if (!(n->flags & (IX_HAS_INDEX | IX_HAS_RINDEX)) || ix_map_find(seen, n))
        return;
    e->block[0].text.failed |= !ix_map_set(seen, &e->mem, n, 1);
    if (n->kind == IX_INDEX)
        at = e->index_depth[n->attr[0]];
    else if (n->kind == IX_RINDEX)
        at = e->rindex_depth[n->attr[0]];
    *depth = at > *depth ? at : *depth;
    for (int i = 0; i < n->nops; i++)
        depth_of(e, n->ops[i], seen, depth);
}

int
ix_emit_depth_of(ix_emitter *e, const ilex_array *n)
{
    int depth = e->floor;
    ix_map seen = {0};
    depth_of(e, n, &seen, &depth);
    ix_map_free(&seen, &e->mem);
    return depth > e->depth ? e->depth : depth;
}
