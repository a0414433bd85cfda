/* SPDX-License-Identifier: MIT
 *
 * A compiled program as plain tables, with numbers in place of pointers.
 */
#include "compiler/run/run.h"
#include "compiler/unit.h"
#include "lib/graph/scalar.h"
#include "lib/ops/dtype.h"

#include "compiler/run/state.inc"

typedef struct maker {
    ix_unit *u;
    ix_compiled *c;
    ix_tables *t;
    ix_mem mem;
    ix_map forms; /* their numbers */
    ix_term_row *term;
    ix_form_row *form;
    ix_ends_row *ends;
    ix_part_row *part;
    size_t nterms, nforms, nends, nparts;
    size_t term_room, form_room, ends_room, part_room;
} maker;

static void *
new_rows(maker *m, size_t n, size_t bytes)
{
    return ix_arena_new(&m->c->arena, (n + 1) * bytes);
}

/* ---- forms ---- */

static int
form_of(maker *m, const ix_lin *a)
{
    ix_arena *arena = &m->c->arena;
    const size_t *known = ix_map_find(&m->forms, a);
    if (known)
        return (int)*known;
    size_t n = m->nterms + (size_t)a->n, number = m->nforms++;
    ix_arena_grow(arena, &m->term, &m->term_room, n + 1, sizeof *m->term);
    ix_arena_grow(arena, &m->form, &m->form_room, m->nforms, sizeof *m->form);
    m->form[number] = (ix_form_row){a->c, (int)m->nterms, (int)a->n};
    for (int32_t i = 0; i < a->n; i++)
        m->term[m->nterms++] = (ix_term_row){a->t[i].k, a->t[i].param};
    ix_map_set(&m->forms, &m->mem, a, number);
    return (int)number;
}

static ix_ends_row
ends_of(maker *m, const ix_range *r)
{
    int lo = form_of(m, r->lo);
    return (ix_ends_row){lo, form_of(m, r->hi)};
}

/* Adds ranges; where they begin. */
static int
add_ends(maker *m, const ix_range *r, int n)
{
    size_t first = m->nends;
    ix_arena_grow(&m->c->arena, &m->ends, &m->ends_room, first + (size_t)n + 1,
                  sizeof *m->ends);
    for (int i = 0; i < n; i++)
        m->ends[m->nends++] = ends_of(m, &r[i]);
    return (int)first;
}

/* ---- sizes ---- */

static void
add_part(maker *m, int part)
{
    ix_arena_grow(&m->c->arena, &m->part, &m->part_room, m->nparts + 1,
                  sizeof *m->part);
    m->part[m->nparts++].of = part;
}

static bool
is_step(const ix_compiled *c, const ix_compiled_size *s)
{
    bool step = false;
    for (size_t i = 0; i < c->nloops; i++)
        step |= &c->size[c->loop[i].size] == s;
    return step;
}

static ix_size_row
size_of(maker *m, const ix_compiled_size *s)
{
    int n = s->narms ? s->narms : s->degree > 1 ? s->degree : 0;
    ix_size_row row = {.name = s->name,
                       .column =
                           ix_compiled_size_is_given(s) ? m->t->ncolumns++ : -1,
                       .phase = s->phase,
                       .first = (int)m->nparts,
                       .n = s->used ? n : 0,
                       .largest = s->largest,
                       .step = is_step(m->c, s),
                       .divisor = s->narms ? s->divisor : 0};
    for (int i = 0; i < row.n; i++)
        add_part(m, s->narms ? form_of(m, s->arm[i]) : s->factor[i]);
    return row;
}

static void
make_sizes(maker *m)
{
    const ix_compiled *c = m->c;
    ix_size_row *size = new_rows(m, c->nsizes, sizeof *size);
    ix_count_row *count = new_rows(m, c->ncounts + c->nloops, sizeof *count);
    ix_assumption_row *assumption =
        new_rows(m, c->nassumptions, sizeof *assumption);
    for (size_t p = 0; p < c->nsizes; p++)
        size[p] = size_of(m, &c->size[p]);
    for (size_t i = 0; i < c->ncounts; i++)
        count[i] = (ix_count_row){c->count[i].size, c->count[i].buffer,
                                  form_of(m, c->count[i].most)};
    for (size_t i = 0; i < c->nloops; i++)
        count[c->ncounts + i] =
            (ix_count_row){c->loop[i].size, -1, form_of(m, c->loop[i].last)};
    for (size_t i = 0; i < c->nassumptions; i++) {
        const ix_compiled_assumption *a = &c->assumption[i];
        assumption[i] =
            (ix_assumption_row){form_of(m, a->form), a->modulus, a->text,
                                ix_compiled_phase(c, a->form)};
    }
    m->t->size = size;
    m->t->count = count;
    m->t->assumption = assumption;
    m->t->nsizes = (int)c->nsizes;
    m->t->ncounts = (int)(c->ncounts + c->nloops);
    m->t->nassumptions = (int)c->nassumptions;
}

/* ---- buffers ---- */

/* The name of an axis, or its number. */
static const char *
label_of(const ix_compiled_buffer *b, int k)
{
    static const char *const numbers[ILEX_MAX_RANK] = {
        "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
        "8", "9", "10", "11", "12", "13", "14", "15"};
    return *b->axis[k] ? b->axis[k] : numbers[k];
}

static ix_axis_row
axis_of(maker *m, const ix_compiled_buffer *b, int k)
{
    bool temporary = b->role == IX_COMPILED_TEMP;
    const ix_range *interior = temporary ? &b->box[k] : &b->interior[k];
    return (ix_axis_row){.label = label_of(b, k),
                         .named = *b->axis[k] != 0,
                         .interior = ends_of(m, interior),
                         .box = ends_of(m, &b->box[k]),
                         .whole =
                             ends_of(m, temporary ? &b->box[k] : &b->whole[k]),
                         .phase = ix_compiled_ranges_phase(m->c, interior, 1)};
}

static ix_buffer_row
buffer_of(const maker *m, const ix_compiled_buffer *b)
{
    bool temporary = b->role == IX_COMPILED_TEMP;
    return (ix_buffer_row){
        .name = *b->name ? b->name : "a temporary",
        .domain = b->interior_text,
        .rank = b->rank,
        .first = b->first_stride,
        .bytes = (int)ilex_dtype_bytes(b->dtype),
        .align = (int)ilex_dtype_bytes(ix_dtype_part(b->dtype)),
        .written = b->role == IX_COMPILED_OUTPUT,
        .used = b->used,
        .partner = b->inplace,
        .phase = temporary ? ix_compiled_ranges_phase(m->c, b->box, b->rank)
                           : b->phase,
        .slot = temporary ? b->slot : -1,
        .own = b->own};
}

static void
make_buffers(maker *m)
{
    const ix_compiled *c = m->c;
    ix_axis_row *axis =
        ix_arena_new(&m->c->arena, ((size_t)c->nstrides + 1) * sizeof *axis);
    ix_buffer_row *buffer = new_rows(m, c->nbuffers, sizeof *buffer);
    for (size_t i = 0; i < c->nbuffers; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        for (int k = 0; k < b->rank; k++)
            axis[b->first_stride + k] = axis_of(m, b, k);
        buffer[i] = buffer_of(m, b);
        m->t->naxes += i < c->narguments ? b->rank : 0;
    }
    m->t->axis = axis;
    m->t->buffer = buffer;
    m->t->narrays = (int)c->narguments;
    m->t->nbuffers = (int)c->nbuffers;
    m->t->nstrides = c->nstrides;
    m->t->nslots = c->nslots;
}

/* ---- integers that are data ---- */

/* What ranks sent each other is called as the array is that it was sent of;
 * wrapped data have no name, and other runs other ones. */
static const char *
name_of(maker *m, int buffer, const char *other)
{
    const ix_unit *u = m->u;
    const char *name = buffer < 0 ? "" : m->c->buffer[buffer].name;
    const size_t *label;
    if (buffer >= 0 && u->buffer[buffer].role == IX_ROLE_DATA)
        return "the array";
    if (!ix_is_sent(name))
        return *name ? name : other;
    label = ix_map_find(&u->label, u->buffer[buffer].node);
    return label ? ix_arena_string(&m->c->arena,
                                   ix_symbol_text(u->ctx, (int32_t)*label))
                 : other;
}

/* "I", or "axis 0", of an index. */
static const char *
axis_text(maker *m, const ix_check *k)
{
    const char *name =
        k->buffer < 0 ? "" : m->c->buffer[k->buffer].axis[k->axis];
    if (k->buffer < 0 || *name)
        return name;
    ix_mem mem = ix_arena_mem(&m->c->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_text_format(&t, "axis %d", k->axis);
    return ix_text_string(&t);
}

/* What is called row or column; of others where the program reads there. */
static const char *
source_text(maker *m, const ix_check *k)
{
    if (k->what == IX_CHECKED_ROW || k->what == IX_CHECKED_COLUMN)
        return name_of(m, k->source, k->what == IX_CHECKED_ROW ? "row" : "col");
    ix_mem mem = ix_arena_mem(&m->c->arena);
    ix_source_locations at = {.n = 0};
    ix_text t;
    ix_text_init(&t, &mem);
    ix_source_locations_check(m->u, &at, k);
    ix_source_locations_print(&at, &t);
    return ix_text_string(&t);
}

static void
make_checks(maker *m)
{
    static const char letters[] = {
        [IX_CHECKED_INDEX] = 'i',    [IX_CHECKED_COPIED] = 'i',
        [IX_CHECKED_FROM_END] = 'n', [IX_CHECKED_UNSIGNED] = 'u',
        [IX_CHECKED_SHIFTED] = 's',  [IX_CHECKED_WORD] = 'w',
        [IX_CHECKED_END] = 'e',      [IX_CHECKED_ROW] = 'r',
        [IX_CHECKED_COLUMN] = 'c'};
    ix_check_row *check = new_rows(m, m->u->nchecks, sizeof *check);
    for (size_t i = 0; i < m->u->nchecks; i++) {
        const ix_check *k = &m->u->check[i];
        bool copied = k->what == IX_CHECKED_COPIED;
        check[i] = (ix_check_row){
            letters[k->what],
            name_of(m, copied ? -1 : k->buffer, "the intermediate array"),
            source_text(m, k), axis_text(m, k)};
    }
    m->t->check = check;
    m->t->nchecks = (int)m->u->nchecks;
}

/* ---- what a run does ---- */

/* "max over an axis of length 0 has no value (p.ilx:4:9)" */
static const char *
sentence_of(maker *m, const ix_compiled_nonempty *n)
{
    ix_mem mem = ix_arena_mem(&m->c->arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_text_format(&t, "%s over an axis of length 0 has no value%s", n->what,
                   n->location);
    return ix_text_string(&t);
}

static void
make_tests(maker *m)
{
    const ix_compiled *c = m->c;
    ix_test_row *test = new_rows(m, c->nnonempty, sizeof *test);
    for (size_t i = 0; i < c->nnonempty; i++) {
        const ix_compiled_nonempty *n = &c->nonempty[i];
        test[i] =
            (ix_test_row){sentence_of(m, n), add_ends(m, n->range, n->nranges),
                          n->nranges, n->nouter};
        add_ends(m, n->outer, n->nouter);
    }
    m->t->test = test;
    m->t->ntests = (int)c->nnonempty;
}

/* The pair of a loop that a buffer is the first of, -1: none. */
static int
pair_of(const ix_compiled *c, int buffer)
{
    for (size_t i = 0, first = 0; i < c->nloops;
         first += (size_t)c->loop[i++].npairs)
        for (int k = 0; k < c->loop[i].npairs; k++)
            if (c->loop[i].pair[k][0] == buffer)
                return (int)first + k;
    return -1;
}

/* Where a kernel that does nothing else copies a buffer to, -1: nowhere. */
static int
copied_to(const ix_compiled *c, int buffer)
{
    for (size_t i = 0; i < c->nkernels; i++)
        for (int k = 0; k < c->kernel[i].ncopies; k++)
            if (c->kernel[i].copy[k][0] == buffer)
                return c->kernel[i].copy[k][1];
    return -1;
}

static void
make_kernels(maker *m)
{
    const ix_compiled *c = m->c;
    size_t n = 0, room = 0;
    ix_copy_row *copy = NULL;
    ix_kernel_row *kernel = new_rows(m, c->nkernels, sizeof *kernel);
    for (size_t i = 0; i < c->nkernels; i++) {
        const ix_compiled_kernel *k = &c->kernel[i];
        const ix_condition *x = k->condition;
        bool stride = x && !x->form;
        kernel[i] = (ix_kernel_row){
            .first = add_ends(m, k->box, k->rank),
            .rank = k->rank,
            .axis = k->axis,
            .serial = k->serial,
            .x = k->grid[0].axes,
            .y = k->grid[1].axes,
            .z = k->grid[2].axes,
            .x_most = k->grid[0].most,
            .x_each = k->grid[0].each,
            .y_each = k->grid[1].each,
            .z_each = k->grid[2].each,
            .team_x = ix_team_threads(k->team, 0),
            .team_y = ix_team_threads(k->team, 1),
            .form = x && x->form ? form_of(m, x->form) : -1,
            .equal = x && x->equal,
            .stride = stride ? c->buffer[x->buffer].first_stride + x->axis : -1,
            .copy = (int)n,
            .copies = k->ncopies};
        ix_arena_grow(&m->c->arena, &copy, &room, n + (size_t)k->ncopies + 1,
                      sizeof *copy);
        for (int j = 0; j < k->ncopies; j++)
            copy[n++] = (ix_copy_row){k->copy[j][0], k->copy[j][1],
                                      pair_of(c, k->copy[j][1])};
    }
    m->t->copy = copy;
    m->t->ncopies = (int)n;
    m->t->kernel = kernel;
    m->t->nkernels = (int)c->nkernels;
}

static void
make_calls(maker *m)
{
    const ix_compiled *c = m->c;
    size_t n = 0, room = 0;
    ix_slice_row *slice = NULL;
    ix_call_row *call = new_rows(m, c->ncalls, sizeof *call);
    for (size_t i = 0; i < c->ncalls; i++) {
        const ix_compiled_call *x = &c->call[i];
        int own = x->narguments + x->nresults;
        call[i] = (ix_call_row){x->name,     x->location, (int)n, x->narguments,
                                x->nresults, x->routine,  x->axis};
        m->t->most_slices = own > m->t->most_slices ? own : m->t->most_slices;
        ix_arena_grow(&m->c->arena, &slice, &room, n + (size_t)own + 1,
                      sizeof *slice);
        for (int k = 0; k < own; k++) {
            const ix_compiled_buffer *b = &c->buffer[x->slice[k].buffer];
            slice[n++] =
                (ix_slice_row){x->slice[k].buffer, (int)b->dtype,
                               add_ends(m, x->slice[k].range, b->rank)};
        }
    }
    m->t->slice = slice;
    m->t->nslices = (int)n;
    m->t->ncalls = (int)c->ncalls;
    m->t->call = call;
}

/* Does a form, or what one is computed from, mention the size? */
static bool
moves(const maker *m, int size)
{
    for (size_t i = 0; i < m->nterms; i++)
        if (m->term[i].size == size)
            return true;
    for (size_t i = 0; i < m->nparts; i++)
        if (m->part[i].of == size)
            return true;
    return false;
}

static void
make_loops(maker *m)
{
    const ix_compiled *c = m->c;
    size_t n = 0, room = 0;
    ix_pair_row *pair = NULL;
    ix_repeat_row *loop = new_rows(m, c->nloops, sizeof *loop);
    for (size_t i = 0; i < c->nloops; i++) {
        const ix_compiled_loop *x = &c->loop[i];
        loop[i] = (ix_repeat_row){.name = x->name,
                                  .size = x->size,
                                  .count = form_of(m, x->count),
                                  .first = (int)n,
                                  .n = x->npairs,
                                  .until = x->until,
                                  .by = x->by,
                                  .from = form_of(m, x->from)};
        ix_arena_grow(&m->c->arena, &pair, &room, n + (size_t)x->npairs + 1,
                      sizeof *pair);
        for (int k = 0; k < x->npairs; k++)
            pair[n++] = (ix_pair_row){x->pair[k][0], x->pair[k][1],
                                      copied_to(c, x->pair[k][0])};
    }
    for (size_t i = 0; i < c->nloops; i++)
        loop[i].moves = moves(m, loop[i].size);
    m->t->pair = pair;
    m->t->repeat = loop;
    m->t->npairs = (int)n;
    m->t->nrepeats = (int)c->nloops;
}

/* A step for several tests, counts or calls is several rows. */
static void
make_steps(maker *m)
{
    const ix_compiled *c = m->c;
    ix_step_row *step = new_rows(m, c->nsteps, sizeof *step);
    for (size_t i = 0; i < c->nsteps; i++)
        step[i] =
            (ix_step_row){c->step[i].kind, c->step[i].what, c->step[i].end};
    m->t->step = step;
    m->t->nsteps = (int)c->nsteps;
}

void
ix_make_tables(ix_unit *u, ix_compiled *c)
{
    maker m = {.u = u, .c = c, .mem = ix_arena_mem(&c->arena)};
    m.t = ix_arena_new(&c->arena, sizeof *m.t);
    make_sizes(&m);
    make_buffers(&m);
    make_checks(&m);
    make_tests(&m);
    make_kernels(&m);
    make_calls(&m);
    make_loops(&m);
    make_steps(&m);
    m.t->term = m.term;
    m.t->form = m.form;
    m.t->ends = m.ends;
    m.t->part = m.part;
    m.t->nterms = (int)m.nterms;
    m.t->nforms = (int)m.nforms;
    m.t->nends = (int)m.nends;
    m.t->nparts = (int)m.nparts;
    m.t->largest = m.u->largest;
    ix_state s;
    m.t->words = (int)ix_lay_out(&s, m.t, NULL);
    c->tables = m.t;
}
