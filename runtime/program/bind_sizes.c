/* SPDX-License-Identifier: MIT
 *
 * The sizes of a run. A declared range that begins at the origin of its storage
 * ends where the storage does inside its halo; one that begins where the
 * storage does with its halo ends with it. Any other range says nothing of the
 * sizes: it has to be covered, no more.
 */
#include <stdio.h>

#include "lib/base/suggest.h"
#include "runtime/program/program.h"

/* ---- equations ---- */

/* Where the storage begins and ends inside and with its halo. */
typedef struct reach {
    int64_t origin, first, last, end;
} reach;

static reach
reach_of(const ix_run *r, const ix_equation *e)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[e->argument];
    const ilex_storage *s = r->bound[e->argument];
    int at = b->first_stride + e->axis, j = r->axis[at];
    const int64_t *cover = r->cover[at];
    bool named = *b->axis[e->axis] != 0;
    return (reach){.origin = named ? s->origin[j] : 0,
                   .first = cover[0],
                   .last = cover[1] - (named ? s->halo[j][1] : 0),
                   .end = cover[1]};
}

/* Is the size given, in the call or among the bindings? */
static bool
given_size(const ix_run *r, const char *name, int64_t *value)
{
    for (size_t i = 0; r->call && i < r->call->size_count; i++)
        if (!strcmp(r->call->sizes[i].name, name)) {
            *value = r->call->sizes[i].value;
            return true;
        }
    for (size_t i = 0; i < r->nbindings; i++)
        if (r->bindings[i].kind != ILEX_BOUND_STORAGE &&
            !strcmp(r->bindings[i].name, name) &&
            ix_find_argument(r->p->c, name) == r->p->c->narguments) {
            *value = r->bindings[i].integer;
            return true;
        }
    return false;
}

/* Does the call give all sizes of "form"? Then its value. */
static bool
is_given(const ix_run *r, const ix_lin *form, int64_t *value)
{
    for (int32_t i = 0; i < form->n; i++) {
        int32_t p = form->t[i].param;
        if (ix_compiled_size_is_derived(&r->p->c->size[p]) ||
            !given_size(r, r->p->c->size[p].name, &r->size[p]))
            return false;
    }
    return ix_lin_eval(form, r->size, value);
}

/* The end of a range that begins at "lo": where the interior of the storage
 * ends if that begins there, else where all of it does if that does. */
static ix_equation_use
use_end(const reach *x, int64_t lo, bool strict, int64_t *index)
{
    bool inside = lo == x->origin;
    *index = inside ? x->last : x->end;
    if (inside && strict)
        return IX_EQUATION_STRICT;
    return inside || lo == x->first ? IX_EQUATION_WEAK : IX_EQUATION_UNUSED;
}

/* How the run uses equation "e", and what its form equals then. A range with a
 * symbolic beginning is taken to begin at the origin, unless the call says
 * where. */
static ix_equation_use
use_of(const ix_run *r, const ix_equation *e, int64_t *index)
{
    const ix_lin *begin = r->p->c->buffer[e->argument].interior[e->axis].lo;
    if (!r->bound[e->argument]) /* not made yet */
        return IX_EQUATION_UNUSED;
    reach x = reach_of(r, e);
    int64_t lo = begin->c;
    bool given = begin->n && is_given(r, begin, &lo);
    *index = x.origin;
    if (e->lower)
        return given ? IX_EQUATION_UNUSED : IX_EQUATION_WEAK;
    return use_end(&x, begin->n && !given ? x.origin : lo, begin->n == 0,
                   index);
}

static bool
apply_formula(const ix_run *r, const ix_formula *f, int64_t *value)
{
    const ix_equations *q = r->p->equations;
    int64_t sum = 0, v;
    for (size_t e = 0; e < q->n; e++) {
        if (f->weight[e] == 0)
            continue;
        if (!ix_sub(r->index[e], q->item[e].form->c, &v) ||
            !ix_mul(v, f->weight[e], &v) || !ix_add(sum, v, &sum))
            return false;
    }
    if (sum == INT64_MIN || sum % f->divisor)
        return false;
    *value = sum / f->divisor;
    return true;
}

/* ---- sizes ---- */

ilex_status
ix_fail_no_size(const ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    ix_suggestion near = ix_suggest(name ? name : "", name ? strlen(name) : 0);
    for (size_t k = 0; k < c->nsizes; k++)
        if (!ix_compiled_size_is_derived(&c->size[k]) && !c->size[k].own)
            ix_suggest_name(&near, c->size[k].name, strlen(c->size[k].name));
    return ix_fail(r->err, ILEX_E_SIZE, "%s: there is no size '%.80s'%s",
                   c->name, name ? name : "(null)",
                   ix_suggestion_show(&near).s);
}

ilex_status
ix_check_size(ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    size_t k = 0;
    while (name && k < c->nsizes &&
           (strcmp(c->size[k].name, name) != 0 || c->size[k].own ||
            ix_compiled_size_is_derived(&c->size[k])))
        k++;
    if (k == c->nsizes && r->p->is_variant) /* the program has it */
        return ILEX_OK;
    if (!name || k == c->nsizes)
        return ix_fail_no_size(r, name);
    if (c->size[k].phase)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: the size %s is counted by the run, not given; "
                       "ask for it in `counted` of the call",
                       c->name, name);
    return ILEX_OK;
}

ilex_status
ix_check_given(ix_run *r)
{
    size_t count = r->call ? r->call->size_count : 0;
    if (count > 0 && !r->call->sizes)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "%s: sizes is NULL",
                       r->p->c->name);
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < count; i++)
        rc = ix_check_size(r, r->call->sizes[i].name);
    return rc;
}

/* Would equation "e" give size "p" if the storage lay where it is declared? */
static bool
speaks_of(const ix_run *r, size_t e, size_t p)
{
    const ix_lin *form = r->p->equations->item[e].form;
    bool found = false;
    for (int32_t i = 0; i < form->n; i++)
        found |= (size_t)form->t[i].param == p;
    return found && r->use[e] == IX_EQUATION_UNUSED &&
           r->bound[r->p->equations->item[e].argument];
}

static ilex_status
other_origin(ix_run *r, const ix_equation *e, size_t p)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[e->argument];
    const ix_lin *begin = b->interior[e->axis].lo;
    reach x = reach_of(r, e);
    int64_t lo = begin->c;
    is_given(r, begin, &lo);
    return ix_fail(r->err, ILEX_E_SIZE,
                   "%s: nothing gives size %s: %s [%s] begins at %s=%lld, its "
                   "storage at %lld, or %lld with its halo; set the origin of "
                   "the storage to %lld, or give %s in the call (sizes)",
                   c->name, c->size[p].name, b->name, b->interior_text,
                   ix_axis_label(b, e->axis), (long long)lo,
                   (long long)x.origin, (long long)x.first, (long long)lo,
                   c->size[p].name);
}

/* Is size "p" what another one is computed from? */
static bool
is_part(const ix_compiled_size *s, size_t p)
{
    bool part = false;
    for (int i = 0; s->degree > 1 && i < s->degree; i++)
        part |= (size_t)s->factor[i] == p;
    for (int k = 0; k < s->narms; k++)
        for (int32_t i = 0; i < s->arm[k]->n; i++)
            part |= (size_t)s->arm[k]->t[i].param == p;
    return part;
}

/* The size of a shape that is computed from size "p"; NULL: none. */
static const ix_compiled_size *
hidden_in(const ix_run *r, size_t p)
{
    const ix_equations *q = r->p->equations;
    for (size_t e = 0; e < q->n; e++)
        for (int32_t i = 0; i < q->item[e].form->n; i++) {
            int32_t k = q->item[e].form->t[i].param;
            if (is_part(&r->p->c->size[k], p))
                return &r->p->c->size[k];
        }
    return NULL;
}

/* Nothing gives size "p". */
static ilex_status
no_size(ix_run *r, size_t p)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_size *in = hidden_in(r, p);
    if (in)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: size %s stands in no shape but in %s%s, and %s "
                       "not solved for; give it in the call (sizes)",
                       c->name, c->size[p].name,
                       in->narms ? "" : "the product ", in->name,
                       in->narms ? "min and max are" : "products are");
    for (size_t e = 0; e < r->p->equations->n; e++)
        if (speaks_of(r, e, p))
            return other_origin(r, &r->p->equations->item[e], p);
    return ix_fail(r->err, ILEX_E_SIZE,
                   "%s: size %s follows from no shape; give it in the call "
                   "(sizes)",
                   c->name, c->size[p].name);
}

static ilex_status
derive_sizes(ix_run *r)
{
    const ix_compiled_size *s = ix_compiled_derive_all(r->p->c, r->size);
    return s ? ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: with these sizes %s%s leaves 64 bits",
                       r->p->c->name, s->degree > 1 ? "the product " : "",
                       s->name)
             : ILEX_OK;
}

static ilex_status
open_counts(ix_run *r)
{
    const ix_compiled_size *what = NULL;
    return ix_counts_open(r->p->c, r->least, r->size, &what)
               ? ILEX_OK
               : ix_fail(r->err, ILEX_E_OVERFLOW,
                         "%s: with these sizes %s leaves 64 bits",
                         r->p->c->name, what->name);
}

static ilex_status
solve_size(ix_run *r, const ix_formula *f, size_t p)
{
    const ix_compiled *c = r->p->c;
    int64_t given, *size = &r->size[p];
    bool is_given = given_size(r, c->size[p].name, &given);
    bool solved = f->solved && !(f->weak && is_given);
    if (solved && !apply_formula(r, f, size))
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: the shapes of the storages give no whole number "
                       "for size %s",
                       c->name, c->size[p].name);
    if (!solved && !is_given)
        return no_size(r, p);
    if (is_given && solved && given != *size)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: size %s is given as %lld, but the shapes say %lld",
                       c->name, c->size[p].name, (long long)given,
                       (long long)*size);
    *size = is_given ? given : *size;
    if (r->size[p] < 0)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: size %s would be %lld; sizes are >= 0", c->name,
                       c->size[p].name, (long long)r->size[p]);
    return ILEX_OK;
}

ilex_status
ix_bind_sizes(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ix_equations *q = r->p->equations;
    ilex_status rc = ILEX_OK;
    for (size_t e = 0; e < q->n; e++)
        r->use[e] = (unsigned char)use_of(r, &q->item[e], &r->index[e]);
    const ix_solver *s = ix_solver_for(&r->p->mem, c, q, r->use);
    if (!s)
        return ix_fail_memory(r->err);
    for (size_t p = 0; !rc && p < c->nsizes; p++)
        if (ix_compiled_size_is_given(&c->size[p]))
            rc = solve_size(r, &s->formula[p], p);
    rc = rc ? rc : c->ncounts ? open_counts(r) : derive_sizes(r);
    return rc ? rc : ix_bind_box(r);
}

/* ---- checks ---- */

/* Strict equation "e" does not hold: its form is "want". */
static ilex_status
wrong_length(ix_run *r, size_t e, int64_t want, bool room)
{
    const ix_equation *q = &r->p->equations->item[e];
    const ix_compiled_buffer *b = &r->p->c->buffer[q->argument];
    long long from = reach_of(r, q).origin;
    return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                   room ? "%s: argument %s [%s]: axis %s needs room for %lld, "
                          "the most that may be counted; the storage has %lld"
                        : "%s: argument %s [%s]: axis %s must have length "
                          "%lld inside its halo; the storage has %lld",
                   r->p->c->name, b->name, b->interior_text,
                   ix_axis_label(b, q->axis), (long long)want - from,
                   (long long)r->index[e] - from);
}

ilex_status
ix_check_lengths(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t e = 0; e < r->p->equations->n; e++) {
        const ix_equation *q = &r->p->equations->item[e];
        const ix_compiled_buffer *b = &c->buffer[q->argument];
        int64_t want;
        bool room = ix_compiled_phase(c, q->form) > 0;
        if (r->use[e] != IX_EQUATION_STRICT)
            continue;
        if (!ix_lin_most(c, q->form, r->least, r->size, &want))
            return ix_fail(r->err, ILEX_E_OVERFLOW,
                           "%s: the length of axis %s of %s leaves 64 bits",
                           c->name, ix_axis_label(b, q->axis), b->name);
        if (room ? r->index[e] < want : r->index[e] != want)
            return wrong_length(r, e, want, room);
    }
    return ILEX_OK;
}

static ilex_status
violated(ix_run *r, const ix_compiled_assumption *a)
{
    ix_name_list sizes = {.length = 0};
    char value[32];
    for (int32_t i = 0; i < a->form->n; i++) {
        int32_t p = a->form->t[i].param;
        snprintf(value, sizeof value, "=%lld", (long long)r->size[p]);
        ix_name_list_add(&sizes, r->p->c->size[p].name, value);
    }
    return ix_fail(r->err, ILEX_E_ASSUMPTION,
                   "%s: the sizes %s violate the assumption %s", r->p->c->name,
                   sizes.s, a->text);
}

ilex_status
ix_check_assumptions(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t i = 0; i < c->nassumptions; i++) {
        const ix_compiled_assumption *a = &c->assumption[i];
        int64_t v;
        if (ix_compiled_phase(c, a->form) != r->phase)
            continue;
        bool ok = ix_lin_eval(a->form, r->size, &v) &&
                  (a->modulus ? ix_floormod(v, a->modulus) == 0 : v >= 0);
        if (!ok)
            return violated(r, a);
    }
    return ILEX_OK;
}
