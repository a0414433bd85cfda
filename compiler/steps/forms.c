/* SPDX-License-Identifier: MIT
 *
 * Linear forms, ranges and locations of the compiled program, in its arena, and
 * the phase of a run in which forms are known.
 */
#include "compiler/steps/finish.h"

void
ix_finish_size(ix_compiled *c, int64_t param)
{
    ix_compiled_size *s = &c->size[param];
    if (s->used)
        return;
    s->used = true;
    for (int i = 0; i < s->degree; i++)
        ix_finish_size(c, s->factor[i]);
    for (int i = 0; i < s->narms; i++)
        s->arm[i] = ix_finish_lin(c, s->arm[i]);
}

const ix_lin *
ix_finish_lin(ix_compiled *c, const ix_lin *a)
{
    size_t bytes = sizeof *a + (size_t)a->n * sizeof a->t[0];
    ix_mem mem = ix_arena_mem(&c->arena);
    const size_t *copy = ix_map_find(&c->copied, a);
    if (copy)
        return (const ix_lin *)*copy;
    for (int32_t i = 0; i < a->n; i++)
        ix_finish_size(c, a->t[i].param);
    ix_lin *r = memcpy(ix_arena_new(&c->arena, bytes), a, bytes);
    ix_map_set(&c->copied, &mem, a, (size_t)r);
    return r;
}

ix_range
ix_finish_range(ix_compiled *c, const ix_axis *ax)
{
    return (ix_range){ix_finish_lin(c, ax->lo), ix_finish_lin(c, ax->hi)};
}

int
ix_compiled_phase(const ix_compiled *c, const ix_lin *a)
{
    int phase = 0;
    for (int32_t i = 0; i < a->n && c->ncounts; i++) {
        int own = c->size[a->t[i].param].phase;
        phase = own > phase ? own : phase;
    }
    return phase;
}

int
ix_compiled_ranges_phase(const ix_compiled *c, const ix_range *r, int n)
{
    int phase = 0;
    for (int k = 0; k < n && c->ncounts; k++) {
        int lo = ix_compiled_phase(c, r[k].lo);
        int hi = ix_compiled_phase(c, r[k].hi);
        phase = lo > phase ? lo : phase;
        phase = hi > phase ? hi : phase;
    }
    return phase;
}

void
ix_finish_locations(ix_compiled *c, ix_source_locations *from,
                    ix_source_location **to, size_t *count)
{
    ix_source_locations_sort(from);
    *to = ix_arena_new(&c->arena, (from->n + 1) * sizeof **to);
    for (size_t i = 0; i < from->n; i++) {
        const ix_source_location *at = &from->item[i];
        bool same = i > 0 && !strcmp(at->file, (*to)[i - 1].file);
        (*to)[i] = (ix_source_location){
            same ? (*to)[i - 1].file : ix_arena_string(&c->arena, at->file),
            at->line, at->column};
    }
    *count = from->n;
}

/* A sign, and a number behind it. */
static void
put_signed(ix_text *t, int64_t v, const char *plus, const char *minus)
{
    ix_text_put(t, v < 0 ? minus : plus);
    ix_text_uint(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void
ix_compiled_put_form(const ix_compiled *c, const ix_lin *f, ix_text *t)
{
    for (int32_t k = 0; k < f->n; k++) {
        int64_t factor = f->t[k].k;
        const char *plus = k ? " + " : "", *minus = k ? " - " : "-";
        if (factor == 1 || factor == -1)
            ix_text_put(t, factor < 0 ? minus : plus);
        else
            put_signed(t, factor, plus, minus);
        ix_text_put(t, factor == 1 || factor == -1 ? "" : "*");
        ix_text_put(t, c->size[f->t[k].param].name);
    }
    if (f->n == 0)
        ix_text_int(t, f->c);
    else if (f->c)
        put_signed(t, f->c, " + ", " - ");
}
