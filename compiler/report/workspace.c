/* SPDX-License-Identifier: MIT
 *
 * The bytes of temporaries and of the workspace as formulas in the sizes: what
 * runtime/program/walk.c computes for given ones, written with max(), ceil()
 * and threads().
 */
#include "compiler/report/facts.h"
#include "compiler/report/report.h"
#include "lib/graph/counted.h"

/* The form without sizes that are counted and make it larger ("upper") or
 * smaller as they get smaller; NULL without an error where that is no form. */
static const ix_lin *
extreme(ix_unit *u, const ix_lin *a, bool upper)
{
    const ix_lin *form = ix_fact_form(u, a);
    const ix_lin *sum = form ? ix_lin_const(u->ctx, form->c) : NULL;
    for (int32_t i = 0; form && i < form->n; i++) {
        ix_term t = form->t[i];
        if (!ix_is_counted(u->ctx, t.param) || (t.k > 0) == upper)
            sum =
                ix_lin_try_fma(u->ctx, sum, t.k, ix_lin_param(u->ctx, t.param));
    }
    return sum;
}

/* ---- bytes of one temporary ---- */

/* What a temporary takes: each*length[0]*...; a length may be negative and then
 * stands for 0 if it is no "sure" one. */
typedef struct extent {
    int64_t each;
    int n;
    ix_axis axis[ILEX_MAX_RANK];
    const ix_lin *length[ILEX_MAX_RANK];
    bool sure;
} extent;

static bool
read_extent(ix_unit *u, const ix_buffer *b, extent *x)
{
    *x = (extent){.each = (int64_t)ilex_dtype_bytes(b->dtype), .sure = true};
    for (int k = 0; k < b->box->rank; k++) {
        const ix_axis *ax = &b->box->ax[k];
        const ix_lin *lo = extreme(u, ax->lo, false);
        const ix_lin *hi = extreme(u, ax->hi, true);
        const ix_lin *length =
            lo && hi ? ix_lin_try_fma(u->ctx, hi, -1, lo) : NULL;
        if (!length)
            return false;
        if (length->n == 0) {
            if (!ix_mul(x->each, length->c < 0 ? 0 : length->c, &x->each))
                return false;
            continue;
        }
        x->sure &= ix_lin_nonneg_fast(u->ctx, length);
        x->axis[x->n] = (ix_axis){.name = ax->name, .lo = lo, .hi = hi};
        x->length[x->n++] = length;
    }
    return true;
}

/* "*n", "*(n-1)", "*max(0, n-2)" */
static void
put_length(ix_unit *u, const ix_lin *a, ix_text *t)
{
    bool one = a->n == 1 && a->c == 0;
    const char *open =
        ix_lin_nonneg_fast(u->ctx, a) ? one ? "" : "(" : "max(0, ";
    ix_text_format(t, "*%s", open);
    ix_lin_print(u->ctx, a, t);
    ix_text_put(t, *open ? ")" : "");
}

/* A polynomial where no length needs max(). */
static bool
put_extent(ix_unit *u, const extent *x, ix_text *t)
{
    const ix_domain *box = NULL;
    if (x->each == 0 || x->n == 0) {
        ix_text_uint(t, (uint64_t)x->each);
        return true;
    }
    if (x->sure) {
        box = ix_domain_new(u->ctx, x->n, x->axis);
        return box && ix_print_elements(u->ctx, 1, &box, &x->each, t);
    }
    ix_text_uint(t, (uint64_t)x->each);
    for (int k = 0; k < x->n; k++)
        put_length(u, x->length[k], t);
    return true;
}

bool
ix_put_bytes(ix_unit *u, size_t i, ix_text *t)
{
    extent x;
    return read_extent(u, &u->buffer[i], &x) && put_extent(u, &x, t);
}

/* ---- the workspace ---- */

typedef struct tenant {
    extent x;
    bool each_thread;
} tenant;

/* Those of one slot: the largest that is a number, and others, of which none
 * is known to need what another one has. */
typedef struct tenants {
    int64_t number;
    tenant *item;
    size_t n, room;
} tenants;

/* A program of thousands of temporaries has few that differ by more than a
 * constant; a new one is compared with so many. */
enum { RECENT = 16 };

/* Is a - b a sum of sizes and numbers that are not negative? */
static bool
exceeds(ix_unit *u, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *d = a == b ? NULL : ix_lin_try_fma(u->ctx, a, -1, b);
    bool more = a == b || (d && d->c >= 0);
    for (int32_t i = 0; d && i < d->n; i++)
        more &= d->t[i].k > 0;
    return more;
}

/* Has "a" room for "b", whatever the sizes? */
static bool
covers(ix_unit *u, const tenant *a, const tenant *b)
{
    bool room = a->x.each >= b->x.each && a->x.n == b->x.n &&
                a->each_thread >= b->each_thread;
    for (int k = 0; room && k < a->x.n; k++)
        room = exceeds(u, a->x.length[k], b->x.length[k]);
    return room;
}

static void
add_formula(ix_unit *u, const tenant *new, tenants *slot)
{
    size_t first = slot->n > RECENT ? slot->n - RECENT : 0, kept = first;
    for (size_t i = first; i < slot->n; i++)
        if (covers(u, &slot->item[i], new))
            return;
    for (size_t i = first; i < slot->n; i++)
        if (!covers(u, new, &slot->item[i]))
            slot->item[kept++] = slot->item[i];
    ix_arena_grow(&u->arena, &slot->item, &slot->room, kept + 1,
                  sizeof *slot->item);
    slot->item[kept] = *new;
    slot->n = kept + 1;
}

static bool
add_tenant(ix_unit *u, const ix_buffer *b, tenants *all)
{
    tenant new = {.each_thread = b->own != NULL};
    tenants *slot = &all[b->slot];
    if (!read_extent(u, b, &new.x) || new.x.each > INT64_MAX - 63)
        return false;
    if (new.x.n > 0 || new.each_thread) {
        add_formula(u, &new, slot);
        return true;
    }
    int64_t bytes = (new.x.each + 63) / 64 * 64;
    slot->number = bytes > slot->number ? bytes : slot->number;
    return true;
}

/* "threads()*64*ceil(8*n/64)" */
static bool
put_tenant(ix_unit *u, const tenant *x, ix_text *t)
{
    ix_text text;
    ix_text_init(&text, &u->mem);
    ix_text_put(t, x->each_thread ? "threads()*" : "");
    if (x->x.each == 0 || x->x.n == 0) {
        ix_text_uint(t, (uint64_t)((x->x.each + 63) / 64 * 64));
        return true;
    }
    if (!put_extent(u, &x->x, &text))
        return false;
    const char *bytes = ix_text_string(&text);
    bool sum = strstr(bytes, " + ") || strstr(bytes, " - ");
    ix_text_format(t, sum ? "64*ceil((%s)/64)" : "64*ceil(%s/64)", bytes);
    return true;
}

/* "max(64, 64*ceil(8*n/64))" */
static bool
put_slot(ix_unit *u, const tenants *slot, ix_text *t)
{
    bool several = slot->n + (slot->number > 0) > 1, ok = true;
    ix_text_put(t, several ? "max(" : "");
    if (slot->number > 0)
        ix_text_format(t, "%lld, ", (long long)slot->number);
    for (size_t i = 0; ok && i < slot->n; i++) {
        ix_text_put(t, i ? ", " : "");
        ok = put_tenant(u, &slot->item[i], t);
    }
    ix_text_put(t, several ? ")" : "");
    return ok;
}

/* Slots follow one another; those that are numbers are one number, the last. */
bool
ix_put_workspace(ix_unit *u, ix_text *t)
{
    int64_t number = 0;
    const char *plus = "";
    tenants *slot =
        ix_arena_new(&u->arena, ((size_t)u->nslots + 1) * sizeof *slot);
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].role == IX_ROLE_TEMP &&
            !add_tenant(u, &u->buffer[i], slot))
            return false;
    for (int i = 0; i < u->nslots; i++) {
        if (slot[i].n == 0 && !ix_add(number, slot[i].number, &number))
            return false;
        if (slot[i].n == 0)
            continue;
        ix_text_put(t, plus);
        if (!put_slot(u, &slot[i], t))
            return false;
        plus = " + ";
    }
    if (number > 0 || !*plus)
        ix_text_format(t, "%s%lld", plus, (long long)number);
    return true;
}
