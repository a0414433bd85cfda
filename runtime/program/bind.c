/* SPDX-License-Identifier: MIT
 *
 * Binding: storages to arguments by name, sizes from shapes, and every check
 * before a run writes anything. Messages name argument, axis, wanted, given.
 */
#include <stdio.h>

#include "runtime/program/program.h"

static const char *
axis_label(const ix_compiled_buffer *b, int k)
{
    static const char *const numbers[ILEX_MAX_RANK] = {
        "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
        "8", "9", "10", "11", "12", "13", "14", "15"};
    return *b->axis[k] ? b->axis[k] : numbers[k];
}

bool
ix_range_eval(const ix_range *range, const int64_t *size, int64_t *lo,
              int64_t *hi)
{
    return ix_lin_eval(range->lo, size, lo) && ix_lin_eval(range->hi, size, hi);
}

/* A list of names in a message, cut where it gets too long. */
typedef struct name_list {
    char s[200];
    size_t length;
} name_list;

static void
add_name(name_list *l, const char *name, const char *more)
{
    size_t room = sizeof l->s - l->length;
    int n = snprintf(l->s + l->length, room, "%s%s%s", l->length ? ", " : "",
                     name, more);
    l->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* ---- names ---- */

static ilex_status
no_argument(ix_run *r, const char *name)
{
    const ix_compiled *c = r->p->c;
    name_list all = {.length = 0};
    for (size_t i = 0; i < c->narguments; i++)
        if (c->buffer[i].role != IX_COMPILED_DATA)
            add_name(&all, c->buffer[i].name, "");
    return ix_fail(r->err, ILEX_E_BINDING,
                   "%s: there is no argument '%.80s' (its arguments are %s)",
                   c->name, name, all.s);
}

static ilex_status
find_storages(ix_run *r, const ilex_binding *bindings, size_t count)
{
    const ix_compiled *c = r->p->c;
    for (size_t j = 0; j < count; j++) {
        size_t i = 0;
        const char *name = bindings[j].name ? bindings[j].name : "(null)";
        while (i < c->narguments && (c->buffer[i].role == IX_COMPILED_DATA ||
                                     strcmp(c->buffer[i].name, name) != 0))
            i++;
        if (i == c->narguments)
            return no_argument(r, name);
        if (!bindings[j].storage || r->bound[i])
            return ix_fail(r->err, ILEX_E_BINDING,
                           "%s: argument %s is bound %s", c->name, name,
                           r->bound[i] ? "twice" : "to NULL");
        r->bound[i] = bindings[j].storage;
    }
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role == IX_COMPILED_DATA)
            r->bound[i] = b->data;
        if (!r->bound[i])
            return ix_fail(
                r->err, ILEX_E_BINDING, "%s: argument %s : %s[%s] is not bound",
                c->name, b->name, ilex_dtype_name(b->dtype), b->interior_text);
    }
    return ILEX_OK;
}

/* ---- dtype and axes ---- */

/* The storage's axis for axis "k": by name; by position when the storage has
 * no names. -1: none. */
static int
match_axis(const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    if (!*b->axis[k] || !*s->axis[0])
        return k;
    for (int j = 0; j < s->rank; j++)
        if (!strcmp(s->axis[j], b->axis[k]))
            return j;
    return -1;
}

static ilex_status
no_axis(ix_run *r, const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    name_list all = {.length = 0};
    for (int j = 0; j < s->rank; j++)
        add_name(&all, s->axis[j], "");
    return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                   "%s: argument %s has axis %s; the storage's axes are %s",
                   r->p->c->name, b->name, b->axis[k], all.s);
}

static ilex_status
check_kind(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    if (s->dtype != b->dtype)
        return ix_fail(r->err, ILEX_E_BINDING_TYPE,
                       "%s: argument %s is %s; the storage is %s",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       ilex_dtype_name(s->dtype));
    if (s->rank != b->rank)
        return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                       "%s: argument %s has %d axes [%s]; the storage has %d",
                       r->p->c->name, b->name, b->rank, b->interior_text,
                       s->rank);
    for (int k = 0; k < b->rank; k++) {
        int j = match_axis(b, s, k);
        if (j < 0)
            return no_axis(r, b, s, k);
        r->axis[b->first_stride + k] = j;
    }
    if (b->role == IX_COMPILED_OUTPUT && !s->writable)
        return ix_fail(r->err, ILEX_E_READONLY,
                       "%s: output %s is bound to a read-only storage",
                       r->p->c->name, b->name);
    if (b->role == IX_COMPILED_OUTPUT && ix_storage_self_overlap(s))
        return ix_fail(r->err, ILEX_E_OVERLAP,
                       "%s: output %s is bound to a storage whose elements "
                       "share memory (a stride is 0, say)",
                       r->p->c->name, b->name);
    return ILEX_OK;
}

/* Index 0 of a named axis is the first point inside the halo; an unnamed axis
 * of the program ignores halos. */
static int64_t
origin_of(const ix_compiled_buffer *b, const ilex_storage *s, int k, int j)
{
    return *b->axis[k] ? s->halo[j][0] : 0;
}

/* Strides, base pointer and what the storage covers, in program indices. */
static void
place(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    int64_t offset = 0;
    for (int k = 0; k < b->rank; k++) {
        int at = b->first_stride + k, j = r->axis[at];
        int64_t origin = origin_of(b, s, k, j);
        r->stride[at] = s->stride[j];
        r->cover[at][0] = -origin;
        r->cover[at][1] = s->shape[j] - origin;
        offset += origin * s->stride[j];
    }
    r->base[i] = s->data + offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

/* ---- sizes ---- */

/* The length equation "e" speaks of. */
static int64_t
length_of(const ix_run *r, const ix_equation *e)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[e->argument];
    const ilex_storage *s = r->bound[e->argument];
    int at = b->first_stride + e->axis, j = r->axis[at];
    int64_t upper = e->strict && *b->axis[e->axis] ? s->halo[j][1] : 0;
    return r->cover[at][1] - upper;
}

static bool
apply_formula(const ix_run *r, const ix_formula *f, int64_t *value)
{
    const ix_solver *s = &r->p->solver;
    int64_t sum = 0, v;
    for (size_t e = 0; e < s->nequations; e++) {
        if (f->weight[e] == 0)
            continue;
        if (!ix_sub(length_of(r, &s->equation[e]), s->equation[e].form->c,
                    &v) ||
            !ix_mul(v, f->weight[e], &v) || !ix_add(sum, v, &sum))
            return false;
    }
    if (sum == INT64_MIN || sum % f->divisor)
        return false;
    *value = sum / f->divisor;
    return true;
}

static const ilex_size_binding *
given_size(const ix_run *r, const char *name)
{
    for (size_t i = 0; r->call && i < r->call->size_count; i++)
        if (!strcmp(r->call->sizes[i].name, name))
            return &r->call->sizes[i];
    return NULL;
}

/* Are the sizes of the call sizes of the program? */
static ilex_status
check_given(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t count = r->call ? r->call->size_count : 0;
    if (count > 0 && !r->call->sizes)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "%s: sizes is NULL", c->name);
    for (size_t i = 0; i < count; i++) {
        const char *name = r->call->sizes[i].name;
        size_t k = 0;
        while (name && k < c->nsizes &&
               (strcmp(c->size[k].name, name) != 0 || c->size[k].degree > 1))
            k++;
        if (!name || k == c->nsizes)
            return ix_fail(r->err, ILEX_E_SIZE, "%s: there is no size '%.80s'",
                           c->name, name ? name : "(null)");
        if (c->size[k].phase)
            return ix_fail(r->err, ILEX_E_SIZE,
                           "%s: the size %s is counted by the run, not given; "
                           "ask for it in `counted` of the call",
                           c->name, name);
    }
    return ILEX_OK;
}

/* Nothing gives size "p". */
static ilex_status
no_size(ix_run *r, size_t p)
{
    const ix_compiled *c = r->p->c;
    for (size_t k = 0; k < c->nsizes; k++)
        for (int i = 0; i < c->size[k].degree && c->size[k].degree > 1; i++)
            if (c->size[k].used && (size_t)c->size[k].factor[i] == p)
                return ix_fail(r->err, ILEX_E_SIZE,
                               "%s: size %s stands in no shape but in the "
                               "product %s, and products are not solved for; "
                               "give it in the call (sizes)",
                               c->name, c->size[p].name, c->size[k].name);
    return ix_fail(r->err, ILEX_E_SIZE,
                   "%s: size %s follows from no shape; give it in the call "
                   "(sizes)",
                   c->name, c->size[p].name);
}

static ilex_status
compute_products(ix_run *r)
{
    const ix_compiled_size *s = ix_compiled_products(r->p->c, r->size);
    return s ? ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: with these sizes the product %s leaves 64 bits",
                       r->p->c->name, s->name)
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
solve_size(ix_run *r, size_t p)
{
    const ix_compiled *c = r->p->c;
    const ix_formula *f = &r->p->solver.formula[p];
    const ilex_size_binding *given = given_size(r, c->size[p].name);
    bool solved = f->solved && !(f->weak && given);
    if (solved && !apply_formula(r, f, &r->size[p]))
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: the shapes of the storages give no whole number "
                       "for size %s",
                       c->name, c->size[p].name);
    if (!solved && !given)
        return no_size(r, p);
    if (given && solved && given->value != r->size[p])
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: size %s is given as %lld, but the shapes say %lld",
                       c->name, c->size[p].name, (long long)given->value,
                       (long long)r->size[p]);
    if (given)
        r->size[p] = given->value;
    if (r->size[p] < 0)
        return ix_fail(r->err, ILEX_E_SIZE,
                       "%s: size %s would be %lld; sizes are >= 0", c->name,
                       c->size[p].name, (long long)r->size[p]);
    return ILEX_OK;
}

/* Every strict equation holds, also those that no formula used. */
static ilex_status
check_shapes(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t e = 0; e < r->p->solver.nequations; e++) {
        const ix_equation *q = &r->p->solver.equation[e];
        const ix_compiled_buffer *b = &c->buffer[q->argument];
        int64_t want, have = length_of(r, q);
        bool room = ix_compiled_phase(c, q->form) > 0;
        if (!q->strict)
            continue;
        if (!ix_lin_most(q->form, r->least, r->size, &want))
            return ix_fail(r->err, ILEX_E_OVERFLOW,
                           "%s: the length of axis %s of %s leaves 64 bits",
                           c->name, axis_label(b, q->axis), b->name);
        if (room && have < want)
            return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                           "%s: argument %s [%s]: axis %s needs room for %lld, "
                           "the most that may be counted; the storage has %lld",
                           c->name, b->name, b->interior_text,
                           axis_label(b, q->axis), (long long)want,
                           (long long)have);
        if (!room && want != have)
            return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                           "%s: argument %s [%s]: axis %s must have length "
                           "%lld inside its halo; the storage has %lld",
                           c->name, b->name, b->interior_text,
                           axis_label(b, q->axis), (long long)want,
                           (long long)have);
    }
    return ILEX_OK;
}

static ilex_status
violated(ix_run *r, const ix_compiled_assumption *a)
{
    name_list sizes = {.length = 0};
    char condition[40] = ">= 0", value[32];
    for (int32_t i = 0; i < a->form->n; i++) {
        int32_t p = a->form->t[i].param;
        snprintf(value, sizeof value, "=%lld", (long long)r->size[p]);
        add_name(&sizes, r->p->c->size[p].name, value);
    }
    if (a->modulus)
        snprintf(condition, sizeof condition, "%% %lld == 0",
                 (long long)a->modulus);
    return ix_fail(r->err, ILEX_E_ASSUMPTION,
                   "%s: the sizes %s violate the assumption %s %s",
                   r->p->c->name, sizes.s, a->text, condition);
}

static ilex_status
check_assumptions(ix_run *r)
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

/* ---- coverage ---- */

static bool
is_empty(const ix_run *r, const ix_range *range, int n)
{
    for (int k = 0; k < n; k++) {
        int64_t lo, hi;
        if (!ix_range_eval(&range[k], r->size, &lo, &hi) || hi <= lo)
            return true;
    }
    return false;
}

/* When the box and the interior of a buffer are known. */
static int
phase_of(const ix_compiled *c, const ix_compiled_buffer *b)
{
    int box = ix_compiled_ranges_phase(c, b->box, b->rank);
    int interior = ix_compiled_ranges_phase(c, b->interior, b->rank);
    return box > interior ? box : interior;
}

/* Every range of a buffer fits 64 bits. */
static ilex_status
check_ranges(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    if (phase_of(c, b) != r->phase)
        return ILEX_OK;
    for (int k = 0; k < b->rank; k++) {
        int64_t lo, hi, length;
        if (ix_range_eval(&b->interior[k], r->size, &lo, &hi) &&
            ix_range_eval(&b->box[k], r->size, &lo, &hi) &&
            ix_sub(hi, lo, &length))
            continue;
        return ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: with these sizes the range of axis %s of %s leaves "
                       "64 bits",
                       c->name, axis_label(b, k),
                       *b->name ? b->name : "a temporary");
    }
    return ILEX_OK;
}

static ilex_status
check_cover(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    if (phase_of(c, b) != r->phase || !b->used || is_empty(r, b->box, b->rank))
        return ILEX_OK;
    for (int k = 0; k < b->rank; k++) {
        const int64_t *cover = r->cover[b->first_stride + k];
        int64_t lo, hi, ilo, ihi;
        ix_range_eval(&b->box[k], r->size, &lo, &hi);
        if (lo >= cover[0] && hi <= cover[1])
            continue;
        ix_range_eval(&b->interior[k], r->size, &ilo, &ihi);
        return ix_fail(
            r->err, ILEX_E_HALO,
            "%s: %s %s on [%lld, %lld) of axis %s; the storage covers [%lld, "
            "%lld): give it a halo of at least %lld:%lld there",
            c->name, b->name,
            b->role == IX_COMPILED_OUTPUT ? "is written" : "is read",
            (long long)lo, (long long)hi, axis_label(b, k), (long long)cover[0],
            (long long)cover[1], (long long)(ilo > lo ? ilo - lo : 0),
            (long long)(hi > ihi ? hi - ihi : 0));
    }
    return ILEX_OK;
}

/* ---- overlap ---- */

static bool
same_place(const ix_run *r, size_t i, size_t j)
{
    const ix_compiled_buffer *a = &r->p->c->buffer[i];
    const ix_compiled_buffer *b = &r->p->c->buffer[j];
    bool same = r->base[i] == r->base[j] && a->rank == b->rank;
    for (int k = 0; same && k < a->rank; k++)
        same = r->stride[a->first_stride + k] == r->stride[b->first_stride + k];
    return same;
}

static ilex_status
check_overlap(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    for (size_t j = 0; b->role == IX_COMPILED_OUTPUT && j < c->narguments;
         j++) {
        if (i == j || !c->buffer[j].used ||
            (c->buffer[j].role == IX_COMPILED_OUTPUT && j > i) ||
            !ix_storage_overlap(r->bound[i], r->bound[j]))
            continue;
        if (b->inplace == (int)j && same_place(r, i, j))
            continue;
        return ix_fail(r->err, ILEX_E_OVERLAP,
                       "%s: output %s overlaps argument %s in memory; only an "
                       "output declared `inplace` of an input of its dtype "
                       "and domain may share its storage, all of it",
                       c->name, b->name, c->buffer[j].name);
    }
    return ILEX_OK;
}

ilex_status
ix_check_nonempty(ix_run *r, const ix_compiled_nonempty *n)
{
    if (!is_empty(r, n->range, n->nranges) || is_empty(r, n->outer, n->nouter))
        return ILEX_OK;
    return ix_fail(r->err, ILEX_E_EMPTY_REDUCTION,
                   "%s: %s over an axis of length 0 has no value",
                   r->p->c->name, n->what);
}

ilex_status
ix_check_phase(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = check_assumptions(r);
    for (size_t i = 0; !rc && i < c->nbuffers; i++)
        rc = check_ranges(r, i);
    for (size_t i = 0; !rc && i < c->narguments; i++)
        rc = check_cover(r, i);
    return rc;
}

ilex_status
ix_bind(ix_run *r, const ilex_binding *bindings, size_t count)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = check_given(r);
    rc = rc ? rc : find_storages(r, bindings, count);
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        rc = check_kind(r, i);
        if (!rc)
            place(r, i);
    }
    for (size_t p = 0; !rc && p < c->nsizes; p++)
        if (c->size[p].used && c->size[p].degree == 1 && !c->size[p].phase)
            rc = solve_size(r, p);
    rc = rc ? rc : c->ncounts ? open_counts(r) : compute_products(r);
    rc = rc ? rc : check_shapes(r);
    rc = rc ? rc : ix_check_phase(r);
    for (size_t i = 0; !rc && i < c->narguments; i++)
        rc = check_overlap(r, i);
    return rc;
}
