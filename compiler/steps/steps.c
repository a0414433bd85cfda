/* SPDX-License-Identifier: MIT
 *
 * The list of steps of a compiled program, and as text: one step a line, with
 * the formulas that a run evaluates.
 */
#include "compiler/steps/finish.h"

/* ---- making the list ---- */

static void
add(ix_compiled *c, size_t *capacity, ix_step_kind kind, size_t what,
    size_t end)
{
    ix_arena_grow(&c->arena, &c->step, capacity, c->nsteps + 1,
                  sizeof *c->step);
    c->step[c->nsteps++] = (ix_step){kind, (int)what, (int)end};
}

/* The tests that can be made when so many sizes are counted. */
static void
add_tests(ix_compiled *c, size_t *room, int phase)
{
    for (size_t i = 0; i < c->nnonempty; i++) {
        const ix_compiled_nonempty *n = &c->nonempty[i];
        int inner = ix_compiled_ranges_phase(c, n->range, n->nranges);
        int outer = ix_compiled_ranges_phase(c, n->outer, n->nouter);
        if ((inner > outer ? inner : outer) == phase)
            add(c, room, IX_STEP_TEST, i, i + 1);
    }
}

/* How far the list has come: sizes counted, calls and ends of loops met. */
typedef struct progress {
    size_t room;
    int counts, calls;
} progress;

/* Has counted what is needed in "phase". */
static void
add_counts(ix_compiled *c, progress *now, int phase)
{
    for (; now->counts < phase; now->counts++) {
        size_t i = (size_t)now->counts;
        add(c, &now->room, IX_STEP_SIZE, i, i + 1);
        add_tests(c, &now->room, now->counts + 1);
    }
}

/* Where the steps of a loop end: the two ends know each other. */
static void
join_ends(ix_compiled *c)
{
    ix_step *next = &c->step[c->nsteps - 1];
    for (size_t i = c->nsteps - 1; i-- > 0;)
        if (c->step[i].kind == IX_STEP_REPEAT &&
            c->step[i].what == next->what) {
            c->step[i].end = (int)c->nsteps - 1;
            next->end = (int)i;
            return;
        }
}

/* Has met so many calls and ends of loops, each when what it needs is counted.
 */
static void
add_calls(ix_compiled *c, progress *now, int calls)
{
    for (; now->calls < calls; now->calls++) {
        const ix_compiled_between *x = &c->between[now->calls];
        size_t what = (size_t)x->what;
        add_counts(c, now, x->counts);
        add(c, &now->room, (ix_step_kind)x->kind, what, what + 1);
        if (x->kind == IX_STEP_NEXT)
            join_ends(c);
    }
}

static void
add_until(ix_compiled *c, progress *now, ix_moment when)
{
    add_calls(c, now, when.calls);
    add_counts(c, now, when.counts);
}

/* Tests come first, since nothing may be written before they passed; those of
 * sizes that are counted as soon as they are. */
void
ix_make_steps(ix_compiled *c)
{
    size_t slots = (size_t)c->nslots;
    progress now = {.room = 0};
    add_tests(c, &now.room, 0);
    for (size_t i = 0; i < c->narguments; i++)
        if (c->buffer[i].used)
            add(c, &now.room, IX_STEP_TRANSFER, i, i + 1);
    if (slots)
        add(c, &now.room, IX_STEP_ALLOC, 0, slots);
    for (size_t i = 0; i < c->nbytecodes; i++) {
        add_until(c, &now, c->bytecode[i].when);
        add(c, &now.room, IX_STEP_EVALUATE, i, i + 1);
    }
    for (size_t i = 0, end; i < c->nkernels; i = end) {
        for (end = i + 1; c->kernel[end - 1].condition;)
            end++;
        add_until(c, &now, c->kernel[i].when);
        add(c, &now.room, IX_STEP_LAUNCH, i, end);
    }
    add_until(c, &now, (ix_moment){(int)c->ncounts, (int)c->nbetween});
    if (slots)
        add(c, &now.room, IX_STEP_FREE, 0, slots);
}

/* ---- as text ---- */

typedef struct printer {
    const ilex_context *ctx; /* has the names of sizes */
    const ix_compiled *c;
    const ix_kernel_layout *layout; /* per kernel, or NULL */
    ix_text *t;
} printer;

/* "[0, n), [1, m-1)" */
static void
put_ranges(printer *p, const ix_range *range, int n)
{
    for (int k = 0; k < n; k++) {
        ix_text_put(p->t, k ? ", [" : "[");
        ix_lin_print(p->ctx, range[k].lo, p->t);
        ix_text_put(p->t, ", ");
        ix_lin_print(p->ctx, range[k].hi, p->t);
        ix_text_char(p->t, ')');
    }
    if (n == 0)
        ix_text_put(p->t, "one point");
}

/* "b3 v : f64 on [0, n)" */
static void
put_buffer(printer *p, int i)
{
    const ix_compiled_buffer *b = &p->c->buffer[i];
    ix_text_format(p->t, "b%d%s%s : %s on ", i, *b->name ? " " : "", b->name,
                   ilex_dtype_name(b->dtype));
    put_ranges(p, b->box, b->rank);
    ix_text_put(p->t, b->own ? " (each thread its own)" : "");
}

static void
put_test(printer *p, const ix_step *s)
{
    const ix_compiled_nonempty *n = &p->c->nonempty[s->what];
    ix_text_format(p->t, "%s over ", n->what);
    put_ranges(p, n->range, n->nranges);
    if (n->nouter == 0)
        return;
    ix_text_put(p->t, " for ");
    put_ranges(p, n->outer, n->nouter);
}

static void
put_transfer(printer *p, const ix_step *s)
{
    bool out = p->c->buffer[s->what].role == IX_COMPILED_OUTPUT;
    ix_text_put(p->t, out ? "out " : "in  ");
    put_buffer(p, s->what);
}

/* A slot is as large as the largest of its tenants. */
static void
put_slots(printer *p, const ix_step *s)
{
    for (int slot = s->what; slot < s->end; slot++) {
        const char *comma = " for ";
        ix_text_format(p->t, "%sslot %d", slot > s->what ? "; " : "", slot);
        for (size_t i = p->c->narguments; i < p->c->nbuffers; i++) {
            if (s->kind == IX_STEP_FREE || p->c->buffer[i].slot != slot)
                continue;
            ix_text_put(p->t, comma);
            put_buffer(p, (int)i);
            comma = ", then ";
        }
    }
}

static void
put_bytecode(printer *p, const ix_step *s)
{
    const ix_bytecode *code = &p->c->bytecode[s->what];
    for (int i = 0; i < code->nresults; i++)
        ix_text_format(p->t, i ? ", b%d" : "b%d", code->result[i].buffer);
    ix_text_put(p->t, " on ");
    put_ranges(p, code->box, code->rank);
}

/* "c from b3, at most n" */
static void
put_count(printer *p, const ix_step *s)
{
    const ix_compiled_count *count = &p->c->count[s->what];
    ix_text_format(p->t, "%s from b%d, ", p->c->size[count->size].name,
                   count->buffer);
    ix_lin_print(p->ctx, count->most, p->t);
    ix_text_put(p->t, " >= 0");
}

/* What a kernel gets of a kind: "; strides b0.0 b0.1", "; sizes n". */
static void
put_fields(printer *p, const ix_kernel_layout *l, ix_field_kind kind,
           const char *title)
{
    for (size_t i = 0; i < l->nfields; i++) {
        int at = l->field[i].index;
        if (l->field[i].kind != kind)
            continue;
        ix_text_put(p->t, title);
        title = "";
        if (kind == IX_FIELD_SIZE)
            ix_text_format(p->t, " %s", p->c->size[at].name);
        if (kind == IX_FIELD_BUFFER)
            ix_text_format(p->t, " b%d", at);
        if (kind == IX_FIELD_STRIDE)
            ix_text_format(p->t, " b%d.%d", at, l->field[i].of);
        if (kind == IX_FIELD_FUNCTION)
            ix_text_format(p->t, " %s", p->c->function[at].name);
        if (kind == IX_FIELD_OFFSET) {
            ix_text_char(p->t, ' ');
            ix_literal_put(&l->field[i].number, p->t);
        }
    }
}

static void
put_kernel(printer *p, int i)
{
    const ix_compiled_kernel *k = &p->c->kernel[i];
    ix_text_put(p->t, k->name);
    if (k->condition)
        ix_text_format(p->t, " when %s", k->condition->text);
    ix_text_put(p->t, " on ");
    put_ranges(p, k->box, k->rank);
    ix_text_put(p->t, ": writes");
    for (int w = 0; w < k->nwritten; w++)
        ix_text_format(p->t, " b%d", k->written[w]);
    if (!p->layout)
        return;
    const ix_kernel_layout *l = &p->layout[i];
    if (l->function != i)
        ix_text_format(p->t, "; function of %s",
                       p->c->kernel[l->function].name);
    put_fields(p, l, IX_FIELD_BUFFER, "; buffers");
    put_fields(p, l, IX_FIELD_STRIDE, "; strides");
    put_fields(p, l, IX_FIELD_SIZE, "; sizes");
    put_fields(p, l, IX_FIELD_OFFSET, "; offsets");
    put_fields(p, l, IX_FIELD_FUNCTION, "; functions");
}

static void
put_launch(printer *p, const ix_step *s)
{
    for (int i = s->what; i < s->end; i++) {
        ix_text_put(p->t, i > s->what ? "\n  else      " : "");
        put_kernel(p, i);
    }
}

static void
put_parts(printer *p, const ix_compiled_slice *slice, int n)
{
    for (int i = 0; i < n; i++) {
        ix_text_format(p->t, "%sb%d on ", i ? "; " : "", slice[i].buffer);
        put_ranges(p, slice[i].range, p->c->buffer[slice[i].buffer].rank);
    }
}

/* "solve(b0 on [0, n), [0, n); b1 on [0, n)): writes b2 on [0, n)" */
static void
put_call(printer *p, const ix_step *s)
{
    const ix_compiled_call *call = &p->c->call[s->what];
    ix_text_format(p->t, "%s(", call->name);
    put_parts(p, call->slice, call->narguments);
    ix_text_put(p->t, "): writes ");
    put_parts(p, call->slice + call->narguments, call->nresults);
}

/* "t from 0 to n: b3 and b4 take turns; until b5" */
static void
put_loop(printer *p, const ix_step *s)
{
    const ix_compiled_loop *l = &p->c->loop[s->what];
    ix_text_put(p->t, l->name);
    if (s->kind == IX_STEP_REPEAT) {
        ix_text_put(p->t, " from 0 to ");
        ix_lin_print(p->ctx, l->count, p->t);
        return;
    }
    for (int i = 0; i < l->npairs; i++)
        ix_text_format(p->t, "%s b%d and b%d", i ? "," : ":", l->pair[i][0],
                       l->pair[i][1]);
    ix_text_put(p->t, " take turns");
    if (l->until >= 0)
        ix_text_format(p->t, "; until b%d", l->until);
}

void
ix_steps_print(const ilex_context *ctx, const ix_compiled *c, int dialect,
               ix_text *t)
{
    static const char *const names[] = {
#define IX_STEP(name, text, meaning) text,
#include "compiler/steps/steps.def"
    };
    printer p = {ctx, c, dialect < 0 ? NULL : c->source[dialect].layout, t};
    ix_text_format(t, "program %s\n", c->name);
    for (size_t i = 0; i < c->nsteps; i++) {
        const ix_step *s = &c->step[i];
        ix_text_format(t, "  %-8s  ", names[s->kind]);
        switch (s->kind) {
        case IX_STEP_TEST:
            put_test(&p, s);
            break;
        case IX_STEP_TRANSFER:
            put_transfer(&p, s);
            break;
        case IX_STEP_ALLOC:
        case IX_STEP_FREE:
            put_slots(&p, s);
            break;
        case IX_STEP_EVALUATE:
            put_bytecode(&p, s);
            break;
        case IX_STEP_SIZE:
            put_count(&p, s);
            break;
        case IX_STEP_CALL:
            put_call(&p, s);
            break;
        case IX_STEP_REPEAT:
        case IX_STEP_NEXT:
            put_loop(&p, s);
            break;
        default:
            put_launch(&p, s);
        }
        ix_text_char(t, '\n');
    }
}
