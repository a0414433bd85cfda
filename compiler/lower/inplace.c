/* SPDX-License-Identifier: MIT
 *
 * Pass inplace: an output that is declared `inplace` may be bound to the
 * storage of its input. needs: kernels in order, as they stay; gives: the same
 * values when it is: where the kernels would write an element before its last
 * read, the output goes to a temporary first and is copied when everything has
 * been read.
 */
#include "compiler/lower/recurrence.h"

/* Does a load read [_0, _1, ...]? */
static bool
reads_in_place(const ilex_array *load)
{
    for (int k = 0; k < load->nops; k++)
        if (load->ops[k]->kind != IX_INDEX || load->ops[k]->attr[0] != k)
            return false;
    return true;
}

/* How a kernel uses an output and the input whose place it may take. */
typedef struct usage {
    int64_t input;
    int levels;                /* axis of the kernel's, or -1 */
    bool writes, reads, moved; /* moved: reads at other indices than its own */
    bool written;              /* by kernels before */
    bool beside, stored;       /* somewhere in the kernel: reads of a scan at
                                  another free point, the output is written */
} usage;

/* Does a load read its own free point? */
static bool
reads_own_point(const ilex_array *load, int axis)
{
    for (int k = 0; k < load->nops; k++)
        if (k != axis &&
            (load->ops[k]->kind != IX_INDEX || load->ops[k]->attr[0] != k))
            return false;
    return true;
}

static bool
note_load(void *user, const ilex_array *load)
{
    usage *x = user;
    if (load->attr[0] == x->input) {
        x->reads = true;
        x->moved |= !reads_in_place(load);
        x->beside |= !reads_own_point(load, x->levels);
    }
    return true;
}

/* What was noted of one kernel: is every element still read in time? */
static bool
in_time(usage *x)
{
    bool ok = !(x->written && x->reads) && !(x->writes && x->moved);
    x->written |= x->writes;
    x->writes = x->reads = x->moved = false;
    return ok;
}

/* Adds what a nest of a kernel, or a kernel without loops, does; false if it
 * reads where one before, with which it is in one loop, has written. */
static bool
note_nest(ix_unit *u, usage *x, ix_stmt *nest, int output)
{
    bool written = x->writes, read = x->reads, writes = false;
    for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
        writes |= s->buffer == output;
    x->writes |= writes;
    x->stored |= x->writes;
    x->reads = false;
    ix_stmt_loads(u, nest->kind == IX_STMT_FOR ? nest->body : nest, note_load,
                  x);
    bool late = x->reads && written && !writes;
    x->reads |= read;
    return !late;
}

/* Adds the calls up to "end", each of which reads its arguments whole; false if
 * one comes too early. */
static bool
note_calls(const ix_unit *u, usage *x, int *made, int end, int output)
{
    bool ok = true;
    for (; ok && *made < end; ++*made) {
        const ix_foreign_call *c = u->call[*made];
        for (int i = 0; i < c->narguments; i++)
            x->moved |= c->slice[i].buffer == x->input;
        x->reads = x->moved;
        for (int i = 0; i < c->nresults; i++)
            x->writes |= c->slice[c->narguments + i].buffer == output;
        ok = in_time(x);
    }
    return ok;
}

/* Do steps of a loop write the output? They come back to what is written. */
static bool
is_of_steps(const ix_unit *u, int output)
{
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        if (ix_nests_store(k->nests, output) &&
            ix_unit_repeat_at(u, k->when.calls) >= 0)
            return true;
    return false;
}

/* Is every element of the input read before the output's takes its place? What
 * was joined to a scan writes one after the other at each free point, as
 * kernels do, and then at the next point. */
static bool
is_safe(ix_unit *u, int output, int input)
{
    usage x = {.input = input};
    int made = 0;
    if (is_of_steps(u, output))
        return false;
    for (const ix_kernel *k = u->kernels; k; k = k->next) {
        if (!note_calls(u, &x, &made, k->when.calls, output))
            return false;
        if (k->condition) /* does what the one behind it would, of some sizes */
            continue;
        int before = ix_nest_body(k->nests)->buffer;
        x.levels = k->levels.axis;
        x.beside = x.stored = false;
        for (ix_stmt *n = k->nests; n; n = n->next) {
            int now = ix_nest_body(n)->buffer;
            if (ix_kernel_has_levels(k) && now != before && !in_time(&x))
                return false;
            before = now;
            if (!note_nest(u, &x, n, output))
                return false;
        }
        if (!in_time(&x) || (x.beside && x.stored))
            return false;
    }
    return note_calls(u, &x, &made, (int)u->ncalls, output);
}

/* ---- through a temporary ---- */

typedef struct renaming {
    ilex_context *ctx;
    int from, to;
} renaming;

static ilex_array *
rename_load(void *user, ilex_array *load, ilex_array *const *index)
{
    const renaming *r = user;
    return load->attr[0] != r->from
               ? NULL
               : ix_scalar_load(r->ctx, (ilex_dtype)load->dtype, r->to,
                                load->nops, index);
}

static ilex_array *
renamed(renaming *r, ilex_array *body)
{
    ix_substitution s = {.ctx = r->ctx, .load = rename_load, .user = r};
    ilex_array *x = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return x;
}

static bool
rename_in_stmt(void *user, ix_stmt *s)
{
    renaming *r = user;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        s->x[i] = renamed(r, s->x[i]);
    s->buffer = s->buffer == r->from ? r->to : s->buffer;
    return true;
}

/* Kernels, calls, and the stages that the reference back end runs, use another
 * buffer. */
static void
rename_buffer(ix_unit *u, renaming *r)
{
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        ix_stmt_each(k->body, rename_in_stmt, r);
        ix_stmt_each(k->nests, rename_in_stmt, r);
    }
    for (size_t i = 0; i < u->ncalls; i++)
        for (int k = 0; k < u->call[i]->narguments + u->call[i]->nresults; k++)
            if (u->call[i]->slice[k].buffer == r->from)
                u->call[i]->slice[k].buffer = r->to;
    for (size_t i = 0; u->reference && i < u->nstages; i++) {
        ix_stage *s = &u->stage[i];
        s->body = renamed(r, s->body);
        for (int k = 0; k < s->count; k++)
            if (s->buffer[k] == r->from)
                s->buffer[k] = r->to;
    }
}

/* Output "i" is computed in a temporary, which is copied at the end. */
static bool
copy_at_end(ix_unit *u, int i)
{
    ix_buffer temporary = u->buffer[i];
    u->buffer[i].late = true;
    temporary.role = IX_ROLE_TEMP;
    temporary.name = "";
    temporary.inplace = -1;
    temporary.turn = NULL; /* its strides are those of its box */
    renaming r = {u->ctx, i, ix_unit_buffer(u, temporary)};
    rename_buffer(u, &r);
    ix_kernel **end = &u->kernels;
    while (*end)
        end = &(*end)->next;
    *end =
        ix_nest_stage(u, ix_unit_store(u, i, temporary.box,
                                       ix_unit_load(u, r.to), temporary.array));
    (*end)->nests = (*end)->body;
    u->changed = true;
    return u->ctx->error.code == ILEX_OK;
}

bool
ix_pass_inplace(ix_unit *u)
{
    size_t n = u->nbuffers;
    for (size_t i = 0; i < n; i++) {
        int input = u->buffer[i].inplace;
        if (u->buffer[i].role != IX_ROLE_OUTPUT || input < 0)
            continue;
        if (!is_safe(u, (int)i, input) && !copy_at_end(u, (int)i))
            return false;
    }
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}
