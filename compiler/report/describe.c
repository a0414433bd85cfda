/* SPDX-License-Identifier: MIT
 *
 * What queries tell of a program before its sizes are known, as texts in its
 * arena: kernels, temporaries, halos, costs. Nothing of it matters to a run, so
 * what cannot be said is "".
 */
#include "compiler/report/explain.h"
#include "compiler/report/report.h"

/* The text in the program's arena, emptied; "" without "ok". */
static const char *
keep(ix_compiled *c, ix_text *t, bool ok)
{
    const char *s = ok && t->length ? ix_text_string(t) : NULL;
    s = s ? ix_arena_string(&c->arena, s) : "";
    t->length = 0;
    return s;
}

static const char **
keep_names(ix_compiled *c, const ix_ints *list)
{
    const char **name =
        ix_arena_new(&c->arena, (list->count + 1) * sizeof *name);
    for (size_t i = 0; i < list->count; i++)
        name[i] = c->facts->called[list->item[i]];
    return name;
}

/* ---- kernels ---- */

static const char *
keep_domain(ix_unit *u, ix_compiled *c, const ix_domain *box, ix_text *t)
{
    const ix_domain *whole = ix_fact_domain(u, box);
    if (whole)
        ix_domain_print(u->ctx, whole, t);
    return keep(c, t, whole != NULL);
}

static const char *
keep_points(ix_unit *u, ix_compiled *c, const ix_domain *box, ix_text *t)
{
    ix_traffic x = {.n = 0};
    ix_fact_add_box(u, &x, box, 1);
    return keep(c, t, ix_fact_bytes(u, &x, 0, t));
}

static const char *
keep_traffic(ix_unit *u, ix_compiled *c, const ix_usage *usage, bool written,
             ix_text *t)
{
    ix_traffic x = {.n = 0};
    ix_fact_add_traffic(u, &x, usage, written);
    return keep(c, t, ix_fact_bytes(u, &x, 0, t));
}

/* The next kernel, over a box; one that no thread shares, to begin with. */
static ix_kernel_facts *
describe_box(ix_unit *u, ix_compiled *c, const ix_domain *box,
             const ix_usage *usage, ix_text *t)
{
    ix_kernel_facts *to = &c->facts->kernel[c->facts->nkernels];
    ix_text_format(t, "k%zu", c->facts->nkernels++);
    to->name = keep(c, t, true);
    to->axis = -1;
    to->rank = box->rank;
    to->reads = keep_names(c, &usage->reads);
    to->nreads = usage->reads.count;
    to->writes = keep_names(c, &usage->writes);
    to->nwrites = usage->writes.count;
    to->apart = to->computed = to->schedule = "";
    to->domain = keep_domain(u, c, box, t);
    to->points = keep_points(u, c, box, t);
    to->cost.read = keep_traffic(u, c, usage, false, t);
    to->cost.written = keep_traffic(u, c, usage, true, t);
    return to;
}

/* What there is no operation of needs no bound. */
static void
keep_operations(ix_compiled *c, ix_kernel_facts *to, bool ok, ix_text *t)
{
    to->cost.operations = keep(c, t, ok);
    to->cost.most = to->cost.most && strcmp(to->cost.operations, "0") != 0;
}

static void
describe_kernel(ix_unit *u, ix_compiled *c, const ix_kernel *k, ix_usage *usage,
                ix_text *t)
{
    ix_fact_usage(u, k, usage);
    ix_kernel_facts *to = describe_box(u, c, k->box, usage, t);
    to->axis = k->axis;
    to->version = k->version;
    to->apart = k->apart ? k->apart : "";
    ix_fact_computed(k, t);
    to->computed = keep(c, t, true);
    if (!k->like)
        ix_explain_schedule(u, k->schedule, "", t);
    to->schedule = keep(c, t, true);
    keep_operations(c, to, ix_fact_operations(u, k, &to->cost.most, t), t);
}

/* What the reference back end evaluates. */
static void
describe_stage(ix_unit *u, ix_compiled *c, const ix_stage *s, ix_usage *usage,
               ix_text *t)
{
    ix_fact_stage_usage(u, s, usage);
    ix_kernel_facts *to = describe_box(u, c, s->box, usage, t);
    keep_operations(c, to, ix_fact_stage_operations(u, s, &to->cost.most, t),
                    t);
}

static void
describe_kernels(ix_unit *u, ix_compiled *c, ix_text *t)
{
    ix_usage usage = {.u = u};
    size_t most = u->nstages + (size_t)u->nkernels + 1;
    c->facts->kernel = ix_arena_new(&c->arena, most * sizeof *c->facts->kernel);
    for (size_t i = 0; u->reference && i < u->nstages; i++)
        describe_stage(u, c, &u->stage[i], &usage, t);
    for (const ix_kernel *k = u->kernels; k && !u->reference; k = k->next)
        describe_kernel(u, c, k, &usage, t);
    ix_explain_schedule(u, u->reference ? NULL : u->schedule, "", t);
    c->facts->schedule = keep(c, t, true);
}

/* ---- buffers ---- */

/* a - b; "" where that is no form. */
static const char *
keep_difference(ix_unit *u, ix_compiled *c, const ix_lin *a, const ix_lin *b,
                ix_text *t)
{
    const ix_lin *d = ix_lin_try_fma(u->ctx, a, -1, b);
    d = d ? ix_fact_form(u, d) : NULL;
    if (d)
        ix_lin_print(u->ctx, d, t);
    return keep(c, t, d != NULL);
}

/* What is read around the interior, on each side of each axis. */
static void
describe_halo(ix_unit *u, ix_compiled *c, size_t i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    ix_buffer_facts *to = &c->facts->buffer[i];
    size_t bytes = ((size_t)b->box->rank + 1) * sizeof *to->low;
    to->low = ix_arena_new(&c->arena, bytes);
    to->high = ix_arena_new(&c->arena, bytes);
    for (int k = 0; k < b->box->rank; k++) {
        const ix_axis *in = &b->interior->ax[k], *all = &b->box->ax[k];
        to->low[k] = keep_difference(u, c, in->lo, all->lo, t);
        to->high[k] = keep_difference(u, c, all->hi, in->hi, t);
    }
}

static void
describe_buffers(ix_unit *u, ix_compiled *c, ix_text *t)
{
    size_t n = u->nbuffers + 1;
    c->facts->called = ix_arena_new(&c->arena, n * sizeof *c->facts->called);
    c->facts->buffer = ix_arena_new(&c->arena, n * sizeof *c->facts->buffer);
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        c->facts->called[i] =
            ix_arena_string(&c->arena, ix_buffer_called(u, (int)i));
        if (b->role != IX_ROLE_TEMP) {
            describe_halo(u, c, i, t);
            continue;
        }
        c->facts->buffer[i].domain = keep_domain(u, c, b->box, t);
        c->facts->buffer[i].bytes = keep(c, t, ix_put_bytes(u, i, t));
    }
    c->facts->workspace = keep(c, t, ix_put_workspace(u, t));
}

/* ---- the program ---- */

static void
describe_arrays(ix_unit *u, ix_compiled *c, ix_text *t)
{
    ix_array_facts *to = ix_arena_new(&c->arena, (u->norder + 1) * sizeof *to);
    c->facts->array = to;
    for (size_t i = 0; i < u->norder; i++)
        if (ix_explain_is_shown(u, i)) {
            ix_explain_name(u, i, t);
            to->name = keep(c, t, true);
            to->stored = ix_explain_decision(u, i, t);
            to++->why = keep(c, t, true);
        }
    c->facts->narrays = (size_t)(to - c->facts->array);
}

static void
describe_cost(ix_unit *u, ix_compiled *c, ix_text *t)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text read, written;
    ix_text_init(&read, &mem);
    ix_text_init(&written, &mem);
    bool ok =
        ix_module_cost(u->module, &c->facts->cost.most, t, &read, &written);
    c->facts->cost.operations = keep(c, t, ok);
    c->facts->cost.read = keep(c, &read, ok);
    c->facts->cost.written = keep(c, &written, ok);
}

void
ix_describe(ix_unit *u, ix_compiled *c)
{
    ix_error *err = &u->ctx->error;
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    c->facts = ix_arena_new(&c->arena, sizeof *c->facts);
    describe_buffers(u, c, &t);
    describe_kernels(u, c, &t);
    describe_arrays(u, c, &t);
    describe_cost(u, c, &t);
    if (err->code != ILEX_OK && err->code != ILEX_E_MEMORY)
        ix_error_clear(err); /* a form that is too large is left out */
}
