/* SPDX-License-Identifier: MIT
 *
 * Blocks of statements: every open loop or branch has its own text, so that
 * a value can be put into an outer block while an inner one is being written.
 */
#include "compiler/emit/emit.h"

#include <stdio.h>

/* Lines of deeper blocks are not indented further. */
enum { MOST_INDENT = 40 };

void
ix_emit_room(ix_emitter *e, int depth)
{
    ix_arena_grow(e->arena, &e->block, &e->block_capacity, (size_t)depth + 1,
                  sizeof *e->block);
}

static void
open_block(ix_emitter *e, int indent)
{
    ix_emit_room(e, e->depth + 1);
    ix_block *b = &e->block[++e->depth];
    ix_text_init(&b->text, &e->mem);
    b->id = ++e->next_block;
    b->indent = e->block[e->depth - 1].indent + indent;
}

void
ix_emit_open(ix_emitter *e)
{
    open_block(e, 1);
}

void
ix_emit_open_flat(ix_emitter *e)
{
    open_block(e, 0);
}

void
ix_emit_close(ix_emitter *e, const char *header)
{
    if (e->depth == 0)
        return;
    ix_block *b = &e->block[e->depth--];
    const char *body = ix_text_string(&b->text);
    if (header)
        ix_emit_put(e, e->depth, *header ? "%s {" : "%s{", header);
    ix_text_put(&e->block[e->depth].text, body ? body : "");
    e->block[e->depth].text.failed |= b->text.failed;
    if (header)
        ix_emit_put(e, e->depth, "}");
    ix_text_free(&b->text);
    b->id = 0;
}

ix_text *
ix_emit_line(ix_emitter *e, int depth)
{
    ix_text *t = &e->block[depth].text;
    int indent = e->block[depth].indent;
    for (int i = 0; i <= indent && i < MOST_INDENT; i++)
        ix_text_put(t, "    ");
    return t;
}

void
ix_emit_put(ix_emitter *e, int depth, const char *fmt, ...)
{
    ix_text *t = ix_emit_line(e, depth);
    va_list args;
    va_start(args, fmt);
    ix_text_vformat(t, fmt, args);
    va_end(args);
    ix_text_char(t, '\n');
}

bool
ix_emit_known(const ix_emitter *e, const ix_name *v)
{
    return v->depth <= e->depth && e->block[v->depth].id == v->id;
}

const char *
ix_c_type(ilex_dtype dtype)
{
    static const char *const names[ILEX_NDTYPES] = {
        "u8",  "i8",  "i16", "i32", "i64", "u8", "u16",
        "u32", "u64", "f32", "f64", "f32", "f64"};
    return names[dtype];
}
