/* SPDX-License-Identifier: MIT
 *
 * The compiled program: copies of names and formulas, the launch list, and
 * the source in the dialects asked for.
 */
#include "compiler/steps/finish.h"

#include "compiler/emit/emit.h"
#include "compiler/report/report.h"
#include "compiler/tree/tree.h"
#include "lib/build/foreign.h"
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"
#include "lib/graph/function.h"

/* Marks the sizes of the program as it was built: every back end wants them,
 * whatever passes leave, but for those that a run counts if they are left. */
static bool
use_sizes(ix_unit *u, ix_compiled *c)
{
    bool *size = ix_arena_new(&u->arena, c->nsizes + 1);
    bool ok = ix_module_sizes(u->module, size);
    for (size_t p = 0; ok && p < c->nsizes; p++)
        if (size[p] && !u->ctx->param[p].mask)
            ix_finish_size(c, (int64_t)p);
    return ok;
}

static bool
copy_sizes(ix_unit *u, ix_compiled *c)
{
    c->nsizes = u->ctx->nparams;
    c->size = ix_arena_new(&c->arena, (c->nsizes + 1) * sizeof *c->size);
    for (size_t p = 0; p < c->nsizes; p++) {
        const ix_param *from = &u->ctx->param[p];
        ix_compiled_size *to = &c->size[p];
        to->name =
            ix_arena_string(&c->arena, ix_param_name(u->ctx, (int32_t)p));
        to->degree = from->degree;
        memcpy(to->factor, from->factor, sizeof to->factor);
        memcpy(to->arm, from->arm, sizeof to->arm); /* copies once it is used */
        to->narms = from->narms;
        to->largest = from->largest;
        to->divisor = from->divisor;
    }
    return use_sizes(u, c);
}

/* The sizes that are counted, and what has to wait for them. */
static void
copy_counts(ix_unit *u, ix_compiled *c)
{
    size_t n = u->nroots - u->noutputs;
    c->count = ix_arena_new(&c->arena, (n + 1) * sizeof *c->count);
    for (size_t i = 0; i < n; i++) {
        int32_t size = u->counted[i];
        c->size[size].phase = (int)i + 1;
        c->count[c->ncounts++] = (ix_compiled_count){
            size, u->count_buffer + (int)i,
            ix_finish_lin(c, u->ctx->param[size].bound->form)};
    }
    for (size_t p = 0; p < c->nsizes && n > 0; p++) {
        ix_compiled_size *s = &c->size[p];
        for (int i = 0; i < s->degree; i++) {
            int phase = c->size[s->factor[i]].phase;
            s->phase = phase > s->phase ? phase : s->phase;
        }
        for (int i = 0; i < s->narms; i++) {
            int phase = ix_compiled_phase(c, s->arm[i]);
            s->phase = phase > s->phase ? phase : s->phase;
        }
    }
}

static void
copy_boxes(ix_unit *u, ix_compiled *c)
{
    const ilex_module *m = u->module;
    c->box = ix_arena_new(&c->arena, (m->nsubdomains + 1) * sizeof *c->box);
    for (size_t i = 0; i < m->nsubdomains; i++) {
        const ix_subdomain_axis *b = &m->subdomain[i];
        const char *axis = ix_symbol_text(u->ctx, b->range.name);
        c->box[c->nboxes++] =
            (ix_compiled_box){ix_arena_string(&c->arena, axis),
                              ix_finish_range(c, &b->range), b->from, b->to};
        ix_finish_size(c, b->from);
        ix_finish_size(c, b->to);
        c->size[b->from].own = c->size[b->to].own = true;
    }
}

static void
copy_messages(ix_unit *u, ix_compiled *c)
{
    const ilex_module *m = u->module;
    size_t n = m->nmessages + 1;
    c->message = ix_arena_new(&c->arena, n * sizeof *c->message);
    for (size_t i = 0; i < m->nmessages; i++) {
        const ix_module_message *x = &m->message[i];
        const char *name = ix_symbol_text(u->ctx, x->name);
        size_t k = 0;
        while (k < c->narguments && strcmp(c->buffer[k].name, name) != 0)
            k++;
        c->message[c->nmessages++] = (ix_compiled_message){
            k, x->sends, ix_finish_lin(c, x->rank), x->tag};
    }
}

/* Two sizes of one name, of which one at least is counted, cannot be told apart
 * by who runs the program. */
static bool
check_names(ix_unit *u, const ix_compiled *c)
{
    for (size_t i = 0; i < c->ncounts; i++)
        for (size_t p = 0; p < c->nsizes; p++) {
            const ix_compiled_size *s = &c->size[c->count[i].size];
            if (!c->size[p].used || &c->size[p] == s ||
                strcmp(c->size[p].name, s->name) != 0)
                continue;
            ix_fail(&u->ctx->error, ILEX_E_DUPLICATE,
                    "program %s: the size %s is counted, and another size has "
                    "the same name; give one of them another name",
                    c->name, s->name);
            return false;
        }
    return true;
}

bool
ix_compiled_derive(const ix_compiled_size *s, const int64_t *size,
                   int64_t *value)
{
    int64_t v = 1;
    bool ok = true;
    for (int i = 0; ok && s->narms == 0 && i < s->degree; i++)
        ok = ix_mul(v, size[s->factor[i]], &v);
    if (s->narms > 0)
        ok = ix_extremum_value(s->arm, s->narms, s->largest, s->divisor, size,
                               &v);
    *value = ok ? v : *value;
    return ok;
}

/* The assumptions that are about sizes of the program, whatever passes left of
 * what they decided. */
static void
copy_assumptions(ix_unit *u, ix_compiled *c)
{
    const ilex_module *m = u->module;
    ix_mem mem = ix_arena_mem(&c->arena);
    c->assumption =
        ix_arena_new(&c->arena, (m->nassumptions + 1) * sizeof *c->assumption);
    for (size_t i = 0; i < m->nassumptions; i++) {
        const ix_assumption *a = m->assumption[i];
        ix_text t;
        if (!c->size[a->form->t[0].param].used || ix_counted_by(u->ctx, a) >= 0)
            continue;
        ix_text_init(&t, &mem);
        ix_assumption_print(u->ctx, a, &t);
        c->assumption[c->nassumptions++] = (ix_compiled_assumption){
            ix_finish_lin(c, a->form), a->modulus, ix_text_string(&t)};
    }
}

static bool
is_written(const ix_compiled_kernel *k, int buffer)
{
    for (int i = 0; i < k->nwritten; i++)
        if (k->written[i] == buffer)
            return true;
    return false;
}

/* The buffers that a kernel writes: every nest the same, but for scans that
 * were joined. */
static void
copy_written(const ix_kernel *k, ix_compiled *c, ix_compiled_kernel *to)
{
    size_t room = 0;
    for (ix_stmt *nest = k->nests; nest; nest = nest->next)
        for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next) {
            if (is_written(to, s->buffer) || s->buffer < 0)
                continue;
            ix_arena_grow(&c->arena, &to->written, &room,
                          (size_t)to->nwritten + 1, sizeof *to->written);
            to->written[to->nwritten++] = s->buffer;
        }
}

/* A stride is that of the program's axis. */
static const ix_condition *
copy_condition(const ix_unit *u, ix_compiled *c, const ix_condition *from)
{
    ix_condition *to = from ? ix_arena_new(&c->arena, sizeof *to) : NULL;
    if (!to)
        return NULL;
    *to = *from;
    to->text = ix_arena_string(&c->arena, from->text);
    if (from->form)
        to->form = ix_finish_lin(c, from->form);
    else
        to->axis = ix_buffer_axis(&u->buffer[from->buffer], from->axis);
    return to;
}

static void
copy_kernels(ix_unit *u, ix_compiled *c)
{
    c->kernel =
        ix_arena_new(&c->arena, ((size_t)u->nkernels + 1) * sizeof *c->kernel);
    for (const ix_kernel *k = u->kernels; k; k = k->next) {
        ix_compiled_kernel *to = &c->kernel[c->nkernels++];
        ix_mem mem = ix_arena_mem(&c->arena);
        ix_text t;
        ix_text_init(&t, &mem);
        ix_text_format(&t, "k%d", k->number);
        to->name = ix_text_string(&t);
        to->rank = k->box->rank;
        to->axis = k->axis;
        to->serial = k->levels.axis;
        memcpy(to->grid, k->grid, sizeof to->grid);
        to->team = k->team;
        to->when = k->when;
        to->condition = copy_condition(u, c, k->condition);
        to->box =
            ix_arena_new(&c->arena, ((size_t)to->rank + 1) * sizeof *to->box);
        for (int a = 0; a < to->rank; a++)
            to->box[a] = ix_finish_range(c, &k->box->ax[a]);
        copy_written(k, c, to);
        ix_finish_copies(u, k, c, to);
        ix_source_locations locations = {.n = 0};
        ix_kernel_locations(u, k, &locations);
        ix_finish_locations(c, &locations, &to->location, &to->nlocations);
    }
}

/* " (p.ilx:4:9)", where the program makes a call; "" if that is not known. */
static const char *
location_of(ix_compiled *c, const ilex_array *n)
{
    ix_mem mem = ix_arena_mem(&c->arena);
    ix_text location, t;
    ix_text_init(&location, &mem);
    ix_text_init(&t, &mem);
    ix_location_print(n, &location);
    if (location.length)
        ix_text_format(&t, " (%s)", ix_text_string(&location));
    const char *text = ix_text_string(&t);
    return text ? text : "";
}

static const char *
text_of(const ix_unit *u, ix_compiled *c, int32_t symbol)
{
    return ix_arena_string(&c->arena, ix_symbol_text(u->ctx, symbol));
}

static void
copy_loop(ix_unit *u, ix_compiled *c, const ix_unit_repeat *from)
{
    ix_compiled_loop *to = &c->loop[c->nloops++];
    const ix_param *step = &u->ctx->param[ix_repeat_step(from->node)];
    const ix_lin *count = step->steps->ax[0].hi;
    const ix_pace pace = ix_unit_pace(u, from->node);
    *to = (ix_compiled_loop){
        .name = text_of(u, c, step->symbol),
        .size = ix_repeat_step(from->node),
        .count = ix_finish_lin(c, count),
        .last = ix_finish_lin(c, ix_lin_try_offset(u->ctx, count, -1)),
        .npairs = from->pair ? ix_repeat_carries(from->node) : 0,
        .until = from->until,
        .by = pace.by,
        .from = ix_finish_lin(c, pace.from)};
    size_t bytes = (size_t)to->npairs * sizeof *to->pair;
    if (from->pair)
        to->pair = memcpy(ix_arena_new(&c->arena, bytes), from->pair, bytes);
    ix_finish_size(c, to->size);
    c->size[to->size].own = true;
}

static void
copy_loops(ix_unit *u, ix_compiled *c)
{
    size_t n = (size_t)u->repeats.n;
    c->loop = ix_arena_new(&c->arena, (n + 1) * sizeof *c->loop);
    for (size_t i = 0; i < n; i++)
        copy_loop(u, c, &u->repeat[i]);
}

static void
copy_call(ix_unit *u, ix_compiled *c, const ix_foreign_call *from)
{
    ix_compiled_call *to = &c->call[c->ncalls++];
    int n = from->narguments + from->nresults;
    to->name = ix_arena_string(&c->arena, ix_call_name(u, from));
    to->declaration =
        from->routine ? "" : text_of(u, c, ix_foreign_declaration(from->node));
    to->routine = from->routine;
    to->axis = from->axis;
    c->nroutines += from->routine != 0;
    to->location = location_of(c, from->node);
    to->narguments = from->narguments;
    to->nresults = from->nresults;
    to->counts = from->counts;
    to->slice = ix_arena_new(&c->arena, (size_t)n * sizeof *to->slice);
    for (int i = 0; i < n; i++) {
        const ix_domain *box = from->slice[i].box;
        ix_range *range =
            ix_arena_new(&c->arena, ((size_t)box->rank + 1) * sizeof *range);
        for (int k = 0; k < box->rank; k++)
            range[k] = ix_finish_range(c, &box->ax[k]);
        to->slice[i] = (ix_compiled_slice){from->slice[i].buffer, range};
    }
}

static void
copy_calls(ix_unit *u, ix_compiled *c)
{
    c->call = ix_arena_new(&c->arena, (u->ncalls + 1) * sizeof *c->call);
    c->between = ix_arena_new(&c->arena, (u->ncalls + 1) * sizeof *c->between);
    for (size_t i = 0; i < u->ncalls; i++) {
        const ix_foreign_call *x = u->call[i];
        c->between[c->nbetween++] = (ix_compiled_between){
            !x->loop  ? IX_STEP_CALL
            : x->ends ? IX_STEP_NEXT
                      : IX_STEP_REPEAT,
            x->loop ? x->loop - 1 : (int)c->ncalls, x->counts};
        if (!x->loop)
            copy_call(u, c, x);
    }
}

static void
copy_functions(ix_unit *u, ix_compiled *c)
{
    c->nfunctions = u->nfunctions;
    c->function =
        ix_arena_new(&c->arena, (u->nfunctions + 1) * sizeof *c->function);
    for (size_t i = 0; i < u->nfunctions; i++) {
        const ilex_array *n = u->function[i];
        const char *name = text_of(u, c, ix_foreign_name(n));
        const ilex_function_spec *f = ix_function_find(u->ctx, name);
        c->function[i] = (ix_compiled_function){
            name, text_of(u, c, ix_foreign_declaration(n)),
            (ilex_dtype)n->dtype, n->nops, f && f->elementwise_cuda};
    }
}

static void
mark_lin(ix_compiled *c, const ix_lin *a)
{
    for (int32_t i = 0; i < a->n; i++)
        ix_finish_size(c, a->t[i].param);
}

/* Sizes that passes made for bodies, ranges of reductions or loop bounds. */
static ix_walk_step
mark_size(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_compiled *c = w->user;
    (void)value;
    if (n->kind == IX_SIZE)
        ix_finish_size(c, n->attr[0]);
    for (int k = 0; n->kind == IX_REDUCE && k < n->interior->rank; k++) {
        mark_lin(c, n->interior->ax[k].lo);
        mark_lin(c, n->interior->ax[k].hi);
    }
    return IX_WALK_IN;
}

/* Those that a kernel takes. */
static void
mark_fields(ix_compiled *c, const ix_kernel_layout *l)
{
    for (size_t i = 0; i < l->nfields; i++)
        if (l->field[i].kind == IX_FIELD_SIZE)
            ix_finish_size(c, l->field[i].index);
}

/* Sizes of what will run: the stages where bytecode is evaluated, which have
 * conditions that `peel` decided, else the nests of the kernels, and what
 * passes made of them. */
static void
mark_body_sizes(ix_unit *u, ix_compiled *c)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_walk w = {.ctx = u->ctx, .mem = &mem, .enter = mark_size, .user = c};
    for (size_t i = 0; u->reference && i < u->nstages; i++)
        ix_walk_body(&w, u->stage[i].body, NULL);
    for (const ix_kernel *k = u->kernels; k && !u->reference; k = k->next) {
        ix_stmt_each(k->nests, ix_stmt_walk, &w);
        mark_fields(c, k->layout);
    }
}

/* Messages speak of axes of what is read at indices that are data. */
static void
name_checked(ix_unit *u, ix_compiled *c)
{
    for (size_t i = 0; i < u->nchecks; i++)
        if (u->check[i].buffer >= 0)
            ix_finish_axes(u, c, &u->buffer[u->check[i].buffer],
                           &c->buffer[u->check[i].buffer]);
}

/* The axis of a buffer that a stride is of: arguments have theirs again. */
static int
axis_of(const ix_unit *u, const ix_field *f)
{
    return f->kind == IX_FIELD_STRIDE
               ? ix_buffer_axis(&u->buffer[f->index], f->axis)
               : f->axis;
}

/* The layouts of the kernels' arguments, for the unit's target. */
static void
copy_layouts(const ix_unit *u, ix_compiled *c, ix_sources *to)
{
    size_t n = (size_t)u->nkernels + 1;
    to->layout = ix_arena_new(&c->arena, n * sizeof *to->layout);
    for (const ix_kernel *k = u->kernels; k; k = k->next) {
        ix_kernel_layout *l = &to->layout[k->number];
        *l = *k->layout;
        size_t bytes = (l->nfields + 1) * sizeof *l->field;
        l->field = memcpy(ix_arena_new(&c->arena, bytes), l->field, bytes);
        mark_fields(c, l);
        for (size_t i = 0; i < l->nfields; i++)
            l->field[i].of = axis_of(u, &l->field[i]);
    }
}

/* The source in a dialect. */
static bool
make_source(ix_unit *u, ix_compiled *c, const ix_emit_request *request)
{
    ix_sources *to = &c->source[request->dialect];
    const ix_target *target = ix_dialect_target(u, request->dialect);
    if (!target || !ix_unit_target(u, target))
        return false;
    copy_layouts(u, c, to);
    return ix_emit_units(u, &c->arena, request, to);
}

bool
ix_finish(ix_unit *u, ix_compiled *c, const ix_compile_request *request)
{
    c->name = ix_arena_string(&c->arena, u->module->name);
    c->nnodes = u->norder;
    c->turns = u->can_turn;
    c->fortran = u->can_turn && !strcmp(u->layout, "F");
    if (!copy_sizes(u, c))
        return false;
    copy_counts(u, c);
    copy_boxes(u, c);
    ix_finish_buffers(u, c);
    copy_messages(u, c);
    if (u->reference)
        ix_make_bytecode(u, c);
    else
        copy_kernels(u, c);
    copy_loops(u, c);
    copy_calls(u, c);
    ix_finish_nonempty(u, c);
    mark_body_sizes(u, c);
    copy_assumptions(u, c);
    if (!check_names(u, c))
        return false;
    ix_make_steps(c);
    if (request->facts)
        ix_describe(u, c);
    for (int d = 0; d < IX_NDIALECTS; d++) {
        ix_emit_request emit = {(ix_dialect_id)d,    request->names,
                                request->several[d], request->inlined,
                                request->lines,      request->headless};
        if (request->dialect[d] && !make_source(u, c, &emit))
            return false;
    }
    name_checked(u, c);
    copy_functions(u, c);
    return true;
}
