/* SPDX-License-Identifier: MIT
 *
 * `ilexc explain`: what the passes made of a program and why, for users who
 * know neither passes nor stages. It decides nothing and guesses nothing: the
 * reasons are rows of reasons.def that were noted where something was decided.
 */
#include "compiler/report/explain.h"

#include "compiler/report/report.h"
#include "lib/build/foreign.h"
#include "lib/graph/annotation.h"

/* ---- names ---- */

void
ix_explain_name(const ix_unit *u, size_t i, ix_text *t)
{
    const ilex_array *n = u->order[i];
    const size_t *label = ix_map_find(&u->label, n);
    const ilex_array *source = ix_unit_program(u, n);
    for (size_t k = 0; !label && k < u->noutputs; k++)
        if (u->root[k] == n) {
            ix_text_put(t, ix_symbol_text(u->ctx, u->module->output[k].name));
            return;
        }
    if (label)
        ix_text_put(t, ix_symbol_text(u->ctx, (int32_t)*label));
    else if (source && ix_location_count(source))
        ix_text_format(t, "(%s of line %d)", ix_node_text(source),
                       ix_location_get(source, 0).line);
    else
        ix_text_format(t, "(%s)", ix_node_text(n));
}

/* ---- inputs and outputs ---- */

static bool
is_zero(const ix_lin *a)
{
    return a && a->n == 0 && a->c == 0;
}

/* "; halo I 2:2" for what is read around the declared domain. */
static void
put_halo(const ix_unit *u, const ix_buffer *b, ix_text *t)
{
    const char *separator = "; halo ";
    for (int k = 0; k < b->box->rank; k++) {
        const ix_axis *in = &b->interior->ax[k], *all = &b->box->ax[k];
        const ix_lin *low = ix_lin_sub(u->ctx, in->lo, all->lo);
        const ix_lin *high = ix_lin_sub(u->ctx, all->hi, in->hi);
        if (!low || !high || (is_zero(low) && is_zero(high)))
            continue;
        ix_text_format(t, "%s%s ", separator, ix_symbol_text(u->ctx, in->name));
        ix_lin_print(u->ctx, low, t);
        ix_text_char(t, ':');
        ix_lin_print(u->ctx, high, t);
        separator = ", ";
    }
}

static void
put_argument(const ix_unit *u, int i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    bool in = b->role != IX_ROLE_OUTPUT;
    ix_text_format(t, "  %s %s : %s[%s]", in ? "in" : "out", b->name,
                   ilex_dtype_name(b->dtype),
                   ix_domain_show(u->ctx, b->interior).s);
    if (in && b->box != b->interior) {
        ix_text_format(t, ", read on [%s]", ix_domain_show(u->ctx, b->box).s);
        put_halo(u, b, t);
    }
    if (b->inplace >= 0)
        ix_text_format(t, ", may have the storage of %s%s",
                       u->buffer[b->inplace].name,
                       b->late ? ": it is written at the end, since elements "
                                 "are read after their place is due"
                               : ": nothing is copied for that");
    ix_explain_message(u, b->name, t);
    ix_text_char(t, '\n');
}

static void
put_arguments(const ix_unit *u, ix_text *t)
{
    ix_text_put(t, "arguments\n");
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].role != IX_ROLE_TEMP)
            put_argument(u, (int)i, t);
}

/* ---- arrays ---- */

static const char *const reasons[] = {
#define IX_REASON(NAME, stored, text) text,
#include "compiler/reasons.def"
};

static const bool is_stored[] = {
#define IX_REASON(NAME, stored, text) stored,
#include "compiler/reasons.def"
};

bool
ix_explain_decision(const ix_unit *u, size_t i, ix_text *t)
{
    const ix_decision *d = &u->decision[i];
    ix_text_put(t, reasons[d->reason]);
    if (d->reason == IX_REASON_AGAIN || d->reason == IX_REASON_WORK)
        ix_text_format(t, " (cost %lld an element, %lld distinct read%s)",
                       (long long)d->work, (long long)d->reads,
                       d->reads == 1 ? "" : "s");
    return is_stored[d->reason];
}

void
ix_explain_array(const ix_unit *u, size_t i, ix_text *t)
{
    bool stored = is_stored[u->decision[i].reason];
    ix_text_put(t, "  ");
    ix_explain_name(u, i, t);
    ix_text_put(t, stored ? ": stored, for "
                          : ": computed where it is read, for ");
    ix_explain_decision(u, i, t);
    ix_text_char(t, '\n');
}

/* Has the user a name for it? */
static bool
is_named(const ix_unit *u, size_t i)
{
    bool named = ix_map_find(&u->label, u->order[i]) != NULL;
    for (size_t k = 0; k < u->noutputs; k++)
        named |= u->root[k] == u->order[i];
    return named;
}

bool
ix_explain_is_shown(const ix_unit *u, size_t i)
{
    ix_reason reason = u->decision[i].reason;
    return reason != IX_REASON_NONE && u->need[i] &&
           (is_named(u, i) || is_stored[reason]);
}

/* Those that have names or are stored; the others are counted. */
static void
put_arrays(const ix_unit *u, ix_text *t)
{
    size_t parts = 0;
    ix_text_put(t, "arrays\n");
    for (size_t i = 0; i < u->norder; i++) {
        if (ix_explain_is_shown(u, i))
            ix_explain_array(u, i, t);
        else
            parts += u->decision[i].reason != IX_REASON_NONE && u->need[i];
    }
    if (parts)
        ix_text_format(t,
                       "  %zu part%s of expressions without a name: computed "
                       "where %s read\n",
                       parts, parts == 1 ? "" : "s",
                       parts == 1 ? "it is" : "they are");
}

/* ---- kernels ---- */

static void
put_names(ix_unit *u, const char *verb, const ix_ints *which, ix_text *t)
{
    for (size_t i = 0; i < which->count; i++) {
        ix_text_put(t, i ? ", " : verb);
        ix_text_put(t, ix_buffer_called(u, which->item[i]));
    }
}

/* The bytes from box "first" on. */
static void
put_bytes(ix_unit *u, const ix_traffic *x, size_t first, ix_text *t)
{
    if (!ix_fact_bytes(u, x, first, t))
        ix_text_put(t, "more than 64 bits");
}

static void
put_traffic(ix_unit *u, const ix_usage *usage, bool written, ix_traffic *all,
            ix_text *t)
{
    size_t first = all->n;
    ix_fact_add_traffic(u, all, usage, written);
    put_bytes(u, all, first, t);
}

/* The arrays whose values a kernel computes. */
static void
put_computed(ix_unit *u, const ix_kernel *k, ix_text *t)
{
    ix_text names;
    ix_text_init(&names, &u->mem);
    ix_fact_computed(k, &names);
    if (names.length)
        ix_text_format(t, "    computes on the way %s\n",
                       ix_text_string(&names));
}

/* "    from p.ilx:4, 6, 7; q.py:12": the lines of the source that make it. */
static void
put_lines(ix_unit *u, const ix_kernel *k, ix_text *t)
{
    ix_source_locations all = {.n = 0};
    ix_kernel_locations(u, k, &all);
    ix_source_locations_sort(&all);
    for (size_t i = 0; i < all.n; i++) {
        const ix_source_location *at = &all.item[i], *before = at - 1;
        if (i && ix_source_same_line(at, before))
            continue;
        if (i && !strcmp(at->file, before->file))
            ix_text_format(t, ", %d", at->line);
        else
            ix_text_format(t, *at->file ? "%s%s:%d" : "%sline %s%d",
                           i ? "; " : "    from ", at->file, at->line);
    }
    ix_text_put(t, all.n ? "\n" : "");
}

/* The directive with what users call the buffer that it is about. */
static ix_directive
in_words(ix_unit *u, ix_directive d)
{
    int i = d.name ? ix_buffer_find(u, d.name) : -1;
    if (i >= 0)
        d.name = ix_buffer_called(u, i);
    return d;
}

/* "split i1 64; jam i1.i: ...": the directives of a rule of the policy from
 * the i-th on; or one, and what it means. How many. */
static size_t
put_directives(ix_unit *u, const ix_schedule *s, size_t i, const char *indent,
               ix_text *t)
{
    const ix_directive *first = &s->item[i];
    size_t n = 1;
    while (first->why && i + n < s->n && first[n].why == first->why)
        n++;
    ix_text_put(t, indent);
    for (size_t j = 0; j < n; j++) {
        ix_text_put(t, j ? "; " : "");
        ix_directive_put(&first[j], t);
    }
    ix_text_put(t, ": ");
    ix_directive d = in_words(u, *first);
    if (first->why)
        ix_text_put(t, first->why);
    else
        ix_directive_explain(&d, t);
    ix_text_char(t, '\n');
    return n;
}

void
ix_explain_schedule(ix_unit *u, const ix_schedule *s, const char *indent,
                    ix_text *t)
{
    for (size_t i = 0; s && i < s->n;)
        i += put_directives(u, s, i, indent, t);
    if (s && s->refused)
        ix_text_format(t, "%s%s\n", indent, s->refused);
}

/* How many operations, and how many of them the target does at a time. */
static void
put_operations(ix_unit *u, const ix_kernel *k, ix_text *t)
{
    ix_text count;
    bool most = false;
    ilex_dtype dtype = u->buffer[ix_nest_body(k->nests)->buffer].dtype;
    int64_t points = u->target->vector_bytes / (int64_t)ilex_dtype_bytes(dtype);
    ix_text_init(&count, &u->mem);
    if (!ix_fact_operations(u, k, &most, &count) ||
        !strcmp(ix_text_string(&count), "0"))
        return;
    ix_text_format(t, "    operations %s%s", most ? "at most " : "",
                   ix_text_string(&count));
    if (points > 1 && !u->target->grid)
        ix_text_format(t, ", of %s %lld at a time", ilex_dtype_name(dtype),
                       (long long)points);
    ix_text_char(t, '\n');
}

/* What a kernel computes, in whatever version. */
static void
put_work(ix_unit *u, const ix_kernel *k, ix_totals *all, ix_text *t)
{
    put_lines(u, k, t);
    put_computed(u, k, t);
    ix_text_put(t, "    bytes read ");
    put_traffic(u, &all->usage, false, &all->read, t);
    ix_text_put(t, ", written ");
    put_traffic(u, &all->usage, true, &all->written, t);
    ix_text_char(t, '\n');
    put_operations(u, k, t);
}

void
ix_explain_kernel(ix_unit *u, const ix_kernel *k, const ix_kernel *before,
                  ix_totals *all, ix_text *t)
{
    ix_usage *x = &all->usage;
    ix_fact_usage(u, k, x);
    ix_text_format(t, "  k%d on [%s]", k->number,
                   ix_domain_show(u->ctx, k->box).s);
    ix_kernel_version_put(k, t);
    put_names(u, ": writes ", &x->writes, t);
    put_names(u, "; reads ", &x->reads, t);
    ix_text_char(t, '\n');
    if (before && k->apart)
        ix_text_format(t, "    apart from k%d: %s\n",
                       before->number - before->version, k->apart);
    if (!k->version)
        put_work(u, k, all, t);
    if (k->like) {
        ix_text_format(t, "    the function of k%d\n", k->like->number);
        return;
    }
    ix_explain_schedule(u, k->schedule, "    ", t);
    ix_dump_loops(u, k, t);
}

/* "from here on the steps of loop t:n, 8 at a time" */
static void
put_repeat(const ix_unit *u, const ix_foreign_call *c, ix_text *t)
{
    int by = ix_unit_pace(u, c->node).by;
    ix_text_format(t, "  %s the steps of loop %s",
                   c->ends ? "end of" : "from here on",
                   ix_domain_show(u->ctx, c->node->interior).s);
    if (by > 1 && !c->ends)
        ix_text_format(t, ", each %d of the program's", by);
    ix_text_char(t, '\n');
}

static void
put_calls(const ix_unit *u, int *made, int end, ix_text *t)
{
    for (; *made < end; ++*made) {
        const ix_foreign_call *c = u->call[*made];
        if (c->loop > 0)
            put_repeat(u, c, t);
        else
            ix_text_format(t,
                           c->routine
                               ? "  call of %s, a routine of the library: on "
                                 "the host, arrays of a device are copied "
                                 "there and back\n"
                               : "  call of %s, a function of the host\n",
                           ix_call_name(u, c));
    }
}

static void
put_kernels(ix_unit *u, ix_totals *all, ix_text *t)
{
    const ix_kernel *before = NULL;
    int made = 0;
    ix_text_put(t, "kernels, in this order\n");
    ix_explain_schedule(u, u->schedule, "    ", t);
    for (const ix_kernel *k = u->kernels; k; before = k, k = k->next) {
        put_calls(u, &made, k->when.calls, t);
        ix_explain_kernel(u, k, before, all, t);
    }
    put_calls(u, &made, (int)u->ncalls, t);
}

/* ---- memory and work ---- */

static void
put_temporary(ix_unit *u, int i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    ix_traffic x = {.n = 0};
    ix_text_format(t, "  %s : %s[%s], place %d, bytes ", ix_buffer_called(u, i),
                   ilex_dtype_name(b->dtype), ix_domain_show(u->ctx, b->box).s,
                   b->slot);
    ix_fact_add_box(u, &x, b->box, (int64_t)ilex_dtype_bytes(b->dtype));
    put_bytes(u, &x, 0, t);
    ix_text_put(t, b->own ? " for each thread, of the points that are "
                            "written, read and done with at a time\n"
                          : "\n");
}

/* The bytes of all places. */
static void
put_workspace(ix_unit *u, ix_text *t)
{
    ix_text formula;
    ix_text_init(&formula, &u->mem);
    const char *s =
        ix_put_workspace(u, &formula) ? ix_text_string(&formula) : NULL;
    ix_text_format(t, "  workspace of %s bytes\n", s ? s : "more than 2**63");
    ix_text_free(&formula);
}

static void
put_memory(ix_unit *u, ix_text *t)
{
    ix_text_put(t, u->nslots ? "temporaries: those of one place, which is as "
                               "large as its largest, are never needed at the "
                               "same time\n"
                             : "temporaries: none, the workspace is empty\n");
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].role == IX_ROLE_TEMP)
            put_temporary(u, (int)i, t);
    if (u->nslots)
        put_workspace(u, t);
}

static void
put_target(const ix_unit *u, ix_text *t)
{
    ix_text_format(t, "target %s\n  ", u->target->name);
    ix_target_put(u->target, t);
    ix_text_char(t, '\n');
}

void
ix_explain(ix_unit *u, ix_text *t)
{
    ix_totals all = {.read = {.n = 0}};
    ix_text_format(t, "program %s\n", u->module->name);
    put_arguments(u, t);
    put_arrays(u, t);
    put_target(u, t);
    put_kernels(u, &all, t);
    ix_text_put(t, "all kernels, each array once in each\n  bytes read ");
    put_bytes(u, &all.read, 0, t);
    ix_text_put(t, "\n  bytes written ");
    put_bytes(u, &all.written, 0, t);
    ix_text_char(t, '\n');
    put_memory(u, t);
    ix_explain_parts(u, t);
    ix_text_put(t, "the least that any way to compute it does\n");
    ix_module_print_counts(u->module, t);
}
