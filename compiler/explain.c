/* SPDX-License-Identifier: MIT
 *
 * `ilexc explain`: what the passes made of a program and why, for users who
 * know neither passes nor stages. It decides nothing and guesses nothing: the
 * reasons are rows of reasons.def that were noted where something was decided.
 */
#include "compiler/explain.h"
#include "lib/build/foreign.h"
#include "lib/graph/annotation.h"

/* ---- names ---- */

/* What a user calls a buffer. */
static void
put_buffer_name(const ix_unit *u, int i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    const size_t *label = NULL;
    for (size_t k = 0; !*b->name && !label && k < u->norder; k++)
        if (u->decision[k].buffer == i)
            label = ix_map_find(&u->label, u->order[k]);
    if (*b->name)
        ix_text_put(t, b->name);
    else if (label)
        ix_text_put(t, ix_symbol_text(u->ctx, (int32_t)*label));
    else
        ix_text_format(t, "temporary %d", i);
}

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
        ix_text_format(t, "(%s of line %d)", ix_kind_infos[source->kind].text,
                       ix_location_get(source, 0).line);
    else
        ix_text_format(t, "(%s)", ix_kind_infos[n->kind].text);
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

void
ix_explain_array(const ix_unit *u, size_t i, ix_text *t)
{
    const ix_decision *d = &u->decision[i];
    ix_text_put(t, "  ");
    ix_explain_name(u, i, t);
    ix_text_put(t, is_stored[d->reason] ? ": stored"
                                        : ": computed where it is "
                                          "read");
    ix_text_format(t, ", for %s", reasons[d->reason]);
    if (d->reason == IX_REASON_AGAIN || d->reason == IX_REASON_WORK)
        ix_text_format(t, " (cost %lld an element, %lld distinct read%s)",
                       (long long)d->work, (long long)d->reads,
                       d->reads == 1 ? "" : "s");
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

static const char *const aparts[] = {
#define IX_APART(NAME, text) text,
#include "compiler/reasons.def"
};

/* Which buffers a kernel reads and writes. */
typedef struct usage {
    bool *reads, *writes;
} usage;

static bool
note_load(void *user, const ilex_array *load)
{
    usage *x = user;
    x->reads[load->attr[0]] = true;
    return true;
}

static bool
note_store(void *user, ix_stmt *s)
{
    usage *x = user;
    if (s->kind == IX_STMT_STORE && !s->at.scratch)
        x->writes[s->at.buffer] = true;
    return true;
}

static usage
usage_of(ix_unit *u, const ix_kernel *k)
{
    usage x = {ix_arena_new(&u->arena, u->nbuffers + 1),
               ix_arena_new(&u->arena, u->nbuffers + 1)};
    ix_stmt_each(k->nests, note_store, &x);
    ix_stmt_loads(u, k->nests, note_load, &x);
    return x;
}

static void
put_names(const ix_unit *u, const char *verb, const bool *which, ix_text *t)
{
    const char *separator = verb;
    for (size_t i = 0; i < u->nbuffers; i++) {
        if (!which[i])
            continue;
        ix_text_put(t, separator);
        put_buffer_name(u, (int)i, t);
        separator = ", ";
    }
}

static void
add_traffic(ix_unit *u, ix_traffic *x, const ix_domain *box, ilex_dtype dtype)
{
    ix_arena_grow(&u->arena, &x->box, &x->boxes, x->n + 1, sizeof *x->box);
    ix_arena_grow(&u->arena, &x->each, &x->sizes, x->n + 1, sizeof *x->each);
    x->each[x->n] = (int64_t)ilex_dtype_bytes(dtype);
    x->box[x->n++] = box;
}

/* The bytes from box "first" on. */
static void
put_bytes(ix_unit *u, const ix_traffic *x, size_t first, ix_text *t)
{
    if (!ix_print_elements(u->ctx, x->n - first, x->box + first,
                           x->each + first, t))
        ix_text_put(t, "more than 64 bits");
}

/* Of what a kernel reads or writes, each buffer once; temporaries of which a
 * point at a time is kept stay in a cache. */
static void
put_kernel_bytes(ix_unit *u, const ix_kernel *k, const bool *which,
                 bool written, ix_traffic *all, ix_text *t)
{
    size_t first = all->n;
    for (size_t i = 0; i < u->nbuffers; i++) {
        const ix_buffer *b = &u->buffer[i];
        bool own = written && k->box->rank == b->box->rank;
        if (which[i] && !b->passing)
            add_traffic(u, all, own ? k->box : b->box, b->dtype);
    }
    put_bytes(u, all, first, t);
}

/* The arrays whose values a kernel computes: the notes of its statements
 * without their indices, each once. */
typedef struct note_list {
    const char *item[64];
    size_t length[64], n;
} note_list;

static bool
note_name(void *user, ix_stmt *s)
{
    note_list *x = user;
    if (!s->note)
        return true;
    size_t length = strcspn(s->note, "[");
    for (size_t i = 0; i < x->n; i++)
        if (x->length[i] == length && !memcmp(x->item[i], s->note, length))
            return true;
    if (x->n < IX_COUNT(x->item)) {
        x->item[x->n] = s->note;
        x->length[x->n++] = length;
    }
    return true;
}

static void
put_computed(const ix_kernel *k, ix_text *t)
{
    note_list list = {.n = 0};
    ix_stmt_each(k->body, note_name, &list);
    for (size_t i = 0; i < list.n; i++)
        ix_text_format(t, "%s%.*s", i ? ", " : "    computes on the way ",
                       (int)list.length[i], list.item[i]);
    ix_text_put(t, list.n ? "\n" : "");
}

void
ix_explain_kernel(ix_unit *u, const ix_kernel *k, const ix_kernel *before,
                  ix_totals *all, ix_text *t)
{
    usage x = usage_of(u, k);
    ix_text_format(t, "  k%d on [%s]", k->number,
                   ix_domain_show(u->ctx, k->box).s);
    put_names(u, ": writes ", x.writes, t);
    put_names(u, "; reads ", x.reads, t);
    ix_text_char(t, '\n');
    if (before && k->apart)
        ix_text_format(t, "    apart from k%d: %s\n", before->number,
                       aparts[k->apart]);
    put_computed(k->like ? k->like : k, t);
    ix_text_put(t, "    bytes read ");
    put_kernel_bytes(u, k, x.reads, false, &all->read, t);
    ix_text_put(t, ", written ");
    put_kernel_bytes(u, k, x.writes, true, &all->written, t);
    ix_text_char(t, '\n');
    if (k->like)
        ix_text_format(t, "    the function of k%d\n", k->like->number);
    else
        ix_dump_loops(u, k, t);
}

static void
put_calls(const ix_unit *u, int *made, int end, ix_text *t)
{
    for (; *made < end; ++*made)
        ix_text_format(
            t, "  call of %s, a function of the host\n",
            ix_symbol_text(u->ctx, ix_foreign_name(u->call[*made]->node)));
}

static void
put_kernels(ix_unit *u, ix_totals *all, ix_text *t)
{
    const ix_kernel *before = NULL;
    int made = 0;
    ix_text_put(t, "kernels, in this order\n");
    for (const ix_kernel *k = u->kernels; k; before = k, k = k->next) {
        put_calls(u, &made, k->calls, t);
        ix_explain_kernel(u, k, before, all, t);
    }
    put_calls(u, &made, u->ncalls, t);
}

/* ---- memory and work ---- */

/* The box without the axes of which one index is kept at a time. */
static const ix_domain *
kept_box(ix_unit *u, const ix_buffer *b)
{
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    for (int k = 0; k < b->box->rank; k++)
        if (!(b->passing >> k & 1))
            ax[n++] = b->box->ax[k];
    return ix_domain_new(u->ctx, n, ax);
}

static void
put_temporary(ix_unit *u, int i, ix_text *t)
{
    const ix_buffer *b = &u->buffer[i];
    const ix_domain *kept = kept_box(u, b);
    ix_traffic x = {.n = 0};
    ix_text_put(t, "  ");
    put_buffer_name(u, i, t);
    ix_text_format(t, " : %s[%s], place %d, bytes ", ilex_dtype_name(b->dtype),
                   ix_domain_show(u->ctx, b->box).s, b->slot);
    if (kept)
        add_traffic(u, &x, kept, b->dtype);
    put_bytes(u, &x, 0, t);
    ix_text_put(t, b->passing
                       ? " for each thread, since one point at a time is "
                         "written, read and done with\n"
                       : "\n");
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
}

void
ix_explain(ix_unit *u, ix_text *t)
{
    ix_totals all = {.read = {.n = 0}};
    ix_text_format(t, "program %s\n", u->module->name);
    put_arguments(u, t);
    put_arrays(u, t);
    put_kernels(u, &all, t);
    ix_text_put(t, "all kernels, each array once in each\n  bytes read ");
    put_bytes(u, &all.read, 0, t);
    ix_text_put(t, "\n  bytes written ");
    put_bytes(u, &all.written, 0, t);
    ix_text_char(t, '\n');
    put_memory(u, t);
    ix_text_put(t, "the least that any way to compute it does\n");
    ix_module_print_counts(u->module, t);
}
