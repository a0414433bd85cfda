/* SPDX-License-Identifier: MIT
 *
 * A compiled program as JSON, before its sizes are known: what files compiled
 * ahead of time say of theirs, `ilexc explain --json` and ilex_program_json.
 * doc/json.md is the schema; a change of what is there already has a number of
 * its own.
 */
#include "compiler/steps/finish.h"

enum { SCHEMA = 1 };

/* ---- members that are texts and numbers ---- */

typedef enum kind {
    TEXT,  /* "" is null: it cannot be said, or there is none */
    NAME,  /* "" is a text */
    LIST,  /* strings, between commas, */
    LINES, /* with an end of line behind each */
    COUNT, /* int */
    FLAG   /* bool */
} kind;

typedef struct member {
    const char *key;
    kind kind;
    size_t offset;
} member;

#define MEMBER(of, key, kind, name)                                            \
    {                                                                          \
        key, kind, offsetof(of, name)                                          \
    }
#define COST(of)                                                               \
    MEMBER(of, "operations", TEXT, cost.operations),                           \
        MEMBER(of, "at_most", FLAG, cost.most),                                \
        MEMBER(of, "bytes_read", TEXT, cost.read),                             \
        MEMBER(of, "bytes_written", TEXT, cost.written)

static const member kernel_members[] = {
    MEMBER(ix_kernel_facts, "domain", NAME, domain),
    MEMBER(ix_kernel_facts, "axis", COUNT, axis),
    MEMBER(ix_kernel_facts, "version", COUNT, version),
    MEMBER(ix_kernel_facts, "points", TEXT, points),
    COST(ix_kernel_facts),
    MEMBER(ix_kernel_facts, "computes", LIST, computed),
    MEMBER(ix_kernel_facts, "apart", TEXT, apart),
    MEMBER(ix_kernel_facts, "schedule", LINES, schedule),
};
static const member cost_members[] = {COST(ix_facts)};

static void
put_text(ix_json *j, const char *key, const char *s)
{
    ix_json_string(j, key, *s ? s : NULL);
}

static void
put_member(ix_json *j, const member *m, const void *facts)
{
    const char *at = (const char *)facts + m->offset;
    const char *text = "";
    int count = 0;
    if (m->kind == COUNT)
        memcpy(&count, at, sizeof count);
    else if (m->kind != FLAG)
        memcpy(&text, at, sizeof text);
    if (m->kind == TEXT)
        put_text(j, m->key, text);
    else if (m->kind == NAME)
        ix_json_string(j, m->key, text);
    else if (m->kind == COUNT)
        ix_json_int(j, m->key, count);
    else if (m->kind == FLAG)
        ix_json_bool(j, m->key, *(const bool *)at);
    else if (m->kind == LIST)
        ix_json_parts(j, m->key, text, ", ", true);
    else
        ix_json_parts(j, m->key, text, "\n", false);
}

static void
put_members(ix_json *j, const member *m, size_t n, const void *facts)
{
    for (size_t i = 0; i < n; i++)
        put_member(j, &m[i], facts);
}

static void
put_names(ix_json *j, const char *key, const char **name, size_t n)
{
    ix_json_open(j, key, '[', true);
    for (size_t i = 0; i < n; i++)
        ix_json_string(j, NULL, name[i]);
    ix_json_close(j, ']');
}

/* ---- formulas ---- */

typedef struct printer {
    ix_json *j;
    const ix_compiled *c;
    const ix_kernel_layout *layout; /* per kernel, or NULL */
    bool locations;
} printer;

static void
put_form(const printer *p, const char *key, const ix_lin *form)
{
    ix_text t;
    ix_text_init(&t, &p->j->t->mem);
    ix_compiled_put_form(p->c, form, &t);
    const char *s = ix_text_string(&t);
    p->j->t->failed |= !s;
    ix_json_string(p->j, key, s);
    ix_text_free(&t);
}

static void
put_range(const printer *p, const char *key, const ix_range *range)
{
    ix_json_open(p->j, key, '[', true);
    put_form(p, NULL, range->lo);
    put_form(p, NULL, range->hi);
    ix_json_close(p->j, ']');
}

static void
put_ranges(const printer *p, const char *key, const ix_range *range, int n)
{
    ix_json_open(p->j, key, '[', true);
    for (int k = 0; k < n; k++)
        put_range(p, NULL, &range[k]);
    ix_json_close(p->j, ']');
}

/* ---- arguments and sizes ---- */

/* One axis: its name, where the interior begins and ends, what is read or
 * written, what a dense array holds. */
static void
put_axis(const printer *p, const ix_compiled_buffer *b, int k)
{
    ix_json_open(p->j, NULL, '{', true);
    put_text(p->j, "name", b->axis[k]);
    put_range(p, "domain", &b->interior[k]);
    put_range(p, "box", &b->box[k]);
    put_range(p, "dense", &b->whole[k]);
    ix_json_close(p->j, '}');
}

static void
put_argument(const printer *p, const ix_compiled_buffer *b)
{
    bool output = b->role == IX_COMPILED_OUTPUT;
    ix_json_open(p->j, NULL, '{', false);
    ix_json_string(p->j, "name", b->name);
    ix_json_string(p->j, "role", output ? "output" : "input");
    ix_json_string(p->j, "dtype", ilex_dtype_name(b->dtype));
    ix_json_bool(p->j, "used", b->used);
    ix_json_string(p->j, "inplace",
                   b->inplace < 0 ? NULL : p->c->buffer[b->inplace].name);
    ix_json_open(p->j, "axes", '[', false);
    for (int k = 0; k < b->rank; k++)
        put_axis(p, b, k);
    ix_json_close(p->j, ']');
    ix_json_close(p->j, '}');
}

/* Wrapped data are no arguments: they are bound already. */
static void
put_arguments(const printer *p)
{
    ix_json_open(p->j, "arguments", '[', false);
    for (size_t i = 0; i < p->c->narguments; i++)
        if (p->c->buffer[i].role != IX_COMPILED_DATA)
            put_argument(p, &p->c->buffer[i]);
    ix_json_close(p->j, ']');
}

/* The form without the size itself, whose factor in it is -1. */
static void
put_most(const printer *p, const ix_compiled_count *count)
{
    const ix_lin *all = count->most;
    size_t bytes = sizeof *all + (size_t)all->n * sizeof all->t[0];
    ix_lin *rest = ix_mem_new(&p->j->t->mem, bytes);
    p->j->t->failed |= !rest;
    if (!rest)
        return;
    rest->c = all->c;
    for (int32_t i = 0; i < all->n; i++)
        if (all->t[i].param != count->size)
            rest->t[rest->n++] = all->t[i];
    put_form(p, "most", rest);
    ix_mem_free(&p->j->t->mem, rest);
}

static void
put_size(const printer *p, const ix_compiled_size *s,
         const ix_compiled_count *count)
{
    ix_json_open(p->j, NULL, '{', true);
    ix_json_string(p->j, "name", s->name);
    ix_json_bool(p->j, "counted", count != NULL);
    if (count)
        put_most(p, count);
    ix_json_close(p->j, '}');
}

/* Those that are given or follow from shapes, then those that are counted. */
static void
put_sizes(const printer *p)
{
    ix_json_open(p->j, "sizes", '[', false);
    for (size_t i = 0; i < p->c->nsizes; i++)
        if (ix_compiled_size_is_given(&p->c->size[i]))
            put_size(p, &p->c->size[i], NULL);
    for (size_t i = 0; i < p->c->ncounts; i++)
        put_size(p, &p->c->size[p->c->count[i].size], &p->c->count[i]);
    ix_json_close(p->j, ']');
}

static void
put_assumptions(const printer *p)
{
    ix_json_open(p->j, "assumptions", '[', true);
    for (size_t i = 0; i < p->c->nassumptions; i++)
        ix_json_string(p->j, NULL, p->c->assumption[i].text);
    ix_json_close(p->j, ']');
}

/* ---- arrays and kernels ---- */

static void
put_arrays(const printer *p)
{
    const ix_facts *f = p->c->facts;
    ix_json_open(p->j, "arrays", '[', false);
    for (size_t i = 0; i < f->narrays; i++) {
        ix_json_open(p->j, NULL, '{', true);
        ix_json_string(p->j, "name", f->array[i].name);
        ix_json_bool(p->j, "stored", f->array[i].stored);
        ix_json_string(p->j, "why", f->array[i].why);
        ix_json_close(p->j, '}');
    }
    ix_json_close(p->j, ']');
}

static void
put_locations(const printer *p, const ix_source_location *at, size_t n)
{
    ix_json_open(p->j, "locations", '[', false);
    for (size_t i = 0; i < n; i++) {
        ix_json_open(p->j, NULL, '{', true);
        put_text(p->j, "file", at[i].file);
        ix_json_int(p->j, "line", at[i].line);
        ix_json_int(p->j, "column", at[i].column);
        ix_json_close(p->j, '}');
    }
    ix_json_close(p->j, ']');
}

/* What bytecode of the reference has not. */
static void
put_code(const printer *p, size_t i)
{
    const ix_compiled_kernel *k = &p->c->kernel[i];
    const char *function =
        p->layout ? p->c->kernel[p->layout[i].function].name : NULL;
    ix_json_string(p->j, "function", function);
    ix_json_string(p->j, "when", k->condition ? k->condition->text : NULL);
}

static void
put_kernel(const printer *p, size_t i)
{
    const ix_kernel_facts *k = &p->c->facts->kernel[i];
    bool bytecode = p->c->nbytecodes > 0;
    ix_json_open(p->j, NULL, '{', false);
    ix_json_string(p->j, "name", k->name);
    if (!bytecode)
        put_code(p, i);
    put_members(p->j, kernel_members, IX_COUNT(kernel_members), k);
    put_names(p->j, "reads", k->reads, k->nreads);
    put_names(p->j, "writes", k->writes, k->nwrites);
    if (p->locations && bytecode)
        put_locations(p, p->c->bytecode[i].location,
                      p->c->bytecode[i].nlocations);
    else if (p->locations)
        put_locations(p, p->c->kernel[i].location, p->c->kernel[i].nlocations);
    ix_json_close(p->j, '}');
}

static void
put_kernels(const printer *p)
{
    ix_json_open(p->j, "kernels", '[', false);
    for (size_t i = 0; i < p->c->facts->nkernels; i++)
        put_kernel(p, i);
    ix_json_close(p->j, ']');
    ix_json_parts(p->j, "schedule", p->c->facts->schedule, "\n", false);
}

/* ---- temporaries ---- */

static void
put_temporaries(const printer *p)
{
    ix_json_open(p->j, "temporaries", '[', false);
    for (size_t i = p->c->narguments; i < p->c->nbuffers; i++) {
        const ix_compiled_buffer *b = &p->c->buffer[i];
        ix_json_open(p->j, NULL, '{', true);
        ix_json_string(p->j, "name", p->c->facts->called[i]);
        ix_json_string(p->j, "dtype", ilex_dtype_name(b->dtype));
        ix_json_string(p->j, "domain", p->c->facts->buffer[i].domain);
        put_text(p->j, "bytes", p->c->facts->buffer[i].bytes);
        ix_json_bool(p->j, "each_thread", b->own);
        ix_json_int(p->j, "place", b->slot);
        ix_json_close(p->j, '}');
    }
    ix_json_close(p->j, ']');
    put_text(p->j, "workspace", p->c->facts->workspace);
}

/* ---- steps ---- */

static void
put_test(const printer *p, const ix_step *s)
{
    const ix_compiled_nonempty *n = &p->c->nonempty[s->what];
    ix_json_string(p->j, "reduction", n->what);
    put_ranges(p, "over", n->range, n->nranges);
    put_ranges(p, "within", n->outer, n->nouter);
}

static void
put_launch(const printer *p, const ix_step *s)
{
    ix_json_open(p->j, "kernels", '[', true);
    for (int i = s->what; i < s->end; i++)
        ix_json_string(p->j, NULL, p->c->facts->kernel[i].name);
    ix_json_close(p->j, ']');
}

static void
put_places(const printer *p, const ix_step *s)
{
    ix_json_open(p->j, "places", '[', true);
    for (int i = s->what; i < s->end; i++)
        ix_json_int(p->j, NULL, i);
    ix_json_close(p->j, ']');
}

static void
put_slices(const printer *p, const char *key, const ix_compiled_slice *slice,
           int n)
{
    ix_json_open(p->j, key, '[', true);
    for (int i = 0; i < n; i++) {
        int buffer = slice[i].buffer;
        ix_json_open(p->j, NULL, '{', true);
        ix_json_string(p->j, "array", p->c->facts->called[buffer]);
        put_ranges(p, "ranges", slice[i].range, p->c->buffer[buffer].rank);
        ix_json_close(p->j, '}');
    }
    ix_json_close(p->j, ']');
}

static void
put_call(const printer *p, const ix_step *s)
{
    const ix_compiled_call *call = &p->c->call[s->what];
    ix_json_string(p->j, "function", call->name);
    put_slices(p, "reads", call->slice, call->narguments);
    put_slices(p, "writes", call->slice + call->narguments, call->nresults);
}

static void
put_transfer(const printer *p, const ix_step *s)
{
    ix_json_string(p->j, "array", p->c->facts->called[s->what]);
}

static void
put_count(const printer *p, const ix_step *s)
{
    const ix_compiled_count *count = &p->c->count[s->what];
    ix_json_string(p->j, "size", p->c->size[count->size].name);
    ix_json_string(p->j, "array", p->c->facts->called[count->buffer]);
}

static void
put_loop(const printer *p, const ix_step *s)
{
    const ix_compiled_loop *l = &p->c->loop[s->what];
    ix_json_string(p->j, "step", l->name);
    if (s->kind == IX_STEP_REPEAT) {
        put_form(p, "count", l->count);
        return;
    }
    ix_json_open(p->j, "turns", '[', true);
    for (int i = 0; i < l->npairs; i++)
        for (int turn = 0; turn < 2; turn++)
            ix_json_string(p->j, NULL, p->c->facts->called[l->pair[i][turn]]);
    ix_json_close(p->j, ']');
    if (l->until >= 0)
        ix_json_string(p->j, "until", p->c->facts->called[l->until]);
}

static const char *const names[] = {
#define IX_STEP(name, text, meaning) text,
#include "compiler/steps/steps.def"
};

static void (*const puts_step[])(const printer *p, const ix_step *s) = {
    [IX_STEP_TEST] = put_test,    [IX_STEP_TRANSFER] = put_transfer,
    [IX_STEP_ALLOC] = put_places, [IX_STEP_EVALUATE] = put_launch,
    [IX_STEP_SIZE] = put_count,   [IX_STEP_LAUNCH] = put_launch,
    [IX_STEP_CALL] = put_call,    [IX_STEP_FREE] = put_places,
    [IX_STEP_REPEAT] = put_loop,  [IX_STEP_NEXT] = put_loop,
};

static void
put_steps(const printer *p)
{
    ix_json_open(p->j, "steps", '[', false);
    for (size_t i = 0; i < p->c->nsteps; i++) {
        const ix_step *s = &p->c->step[i];
        ix_json_open(p->j, NULL, '{', true);
        ix_json_string(p->j, "do", names[s->kind]);
        puts_step[s->kind](p, s);
        ix_json_close(p->j, '}');
    }
    ix_json_close(p->j, ']');
}

/* ---- all ---- */

void
ix_json_program(ix_json *j, const ix_compiled *c, int dialect, bool locations)
{
    printer p = {j, c, dialect < 0 ? NULL : c->source[dialect].layout,
                 locations};
    ix_json_int(j, "schema", SCHEMA);
    ix_json_string(j, "ilex", ilex_version());
    ix_json_string(j, "program", c->name);
    put_arguments(&p);
    put_sizes(&p);
    put_assumptions(&p);
    put_arrays(&p);
    put_kernels(&p);
    put_steps(&p);
    put_temporaries(&p);
    ix_json_open(j, "cost", '{', false);
    put_members(j, cost_members, IX_COUNT(cost_members), c->facts);
    ix_json_close(j, '}');
}
