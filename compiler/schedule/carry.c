/* SPDX-License-Identifier: MIT
 *
 * Directives carried out: their loops are found, the transformation is done or
 * refused, what was done is noted with the kernel.
 */
#include "compiler/schedule/schedule.h"

#include <ctype.h>

typedef ix_refusal (*transformation)(ix_unit *u, const ix_directive *d,
                                     ix_cursor *c);

static const transformation transformations[IX_NLOOPS] = {
#define IX_LOOP(name, text, meaning) ix_loop_##name,
#include "compiler/loop/loops.def"
};

void
ix_schedule_note(ix_unit *u, ix_schedule **of, const ix_directive *d)
{
    if (!*of)
        *of = ix_arena_new(&u->arena, sizeof **of);
    ix_schedule *s = *of;
    ix_arena_grow(&u->arena, &s->item, &s->capacity, s->n + 1, sizeof *s->item);
    s->item[s->n++] = *d;
    u->changed = true;
}

ix_attempt
ix_attempt_begin(ix_unit *u, ix_kernel *k)
{
    ix_attempt a = {k->body, k->schedule ? k->schedule->n : 0, k->nvariables,
                    k->nvalues};
    k->body = ix_stmt_clone(u, NULL, a.body);
    return a;
}

void
ix_attempt_undo(ix_kernel *k, const ix_attempt *a)
{
    k->body = a->body;
    k->nvariables = a->nvariables;
    k->nvalues = a->nvalues;
    if (k->schedule)
        k->schedule->n = a->n;
}

/* With verify=1 the statements are legal after each. */
static void
check(ix_unit *u, ix_kernel *k, const ix_directive *d)
{
    ix_text t;
    if (!ix_option_int(u->ctx, IX_OPTION_verify))
        return;
    ix_text_init(&t, &u->mem);
    ix_text_put(&t, "schedule: ");
    ix_directive_put(d, &t);
    ix_check_kernel(u, k, ix_text_string(&t));
}

/* The directive with a number for the program's name of a buffer. Names that
 * end in a digit are those of statements. */
static ix_directive
by_number(ix_unit *u, ix_directive d)
{
    size_t n = d.name ? strlen(d.name) : 0;
    int buffer = -1;
    if (n && !isdigit((unsigned char)d.name[n - 1]))
        buffer = ix_buffer_find(u, d.name);
    if (buffer >= 0)
        d.name = ix_arena_string(&u->arena, ix_value_name('b', buffer).s);
    return d;
}

/* Does it at the loops that cursors are at, with the names in "d". */
static ix_refusal
carry_at(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_kernel *k = c->k;
    int nvalues = k->nvalues;
    size_t nvariables = k->nvariables;
    ix_stmt *loop = ix_cursor_loop(c);
    bool parallel = loop->parallel;
    ix_directive known = by_number(u, *d);
    ix_refusal r = k->team ? ix_refuse(u, IX_REFUSAL_SHAPE,
                                       "several threads do its loops together")
                           : transformations[d->row](u, &known, c);
    if (r.class) { /* what was tried took no names, and showed nothing */
        loop->parallel = parallel;
        k->nvalues = nvalues;
        k->nvariables = nvariables;
        return r;
    }
    ix_schedule_note(u, &k->schedule, d);
    check(u, k, d);
    return r;
}

/* Does it for one of the loops that a star means: one after the other, with the
 * name that it has by then. */
static ix_refusal
carry_each(ix_unit *u, ix_kernel *k, const ix_directive *d)
{
    ix_loops all;
    ix_refusal r = ix_loops_find(u, k, d->loop[0], &all);
    for (size_t i = 0; !r.class && i < all.n; i++) {
        ix_directive one = *d;
        ix_cursor c;
        if (!ix_cursor_at(k, all.loop[i], &c))
            continue;
        one.loop[0] = ix_loop_name(u, k, all.loop[i]);
        r = carry_at(u, &one, &c);
    }
    return r;
}

static ix_refusal
carry_found(ix_unit *u, ix_kernel *k, const ix_directive *d)
{
    ix_cursor c[IX_MOST_LOOPS];
    c[0] = (ix_cursor){.k = k, .at = &k->body};
    if (d->nloops == 1 && strchr(d->loop[0], '*'))
        return carry_each(u, k, d);
    for (int i = 0; i < d->nloops; i++) {
        ix_refusal r = ix_cursor_find(u, k, d->loop[i], &c[i]);
        if (r.class)
            return r;
    }
    return carry_at(u, d, c);
}

ix_refusal
ix_schedule_carry(ix_unit *u, ix_kernel *k, const ix_directive *d)
{
    const ix_env *before = ix_kernel_known(u, k);
    ix_refusal r = carry_found(u, k, d);
    u->ctx->facts = before;
    return r;
}

/* "jam i0 is refused (distance): ..." */
static void
note_refusal(ix_unit *u, ix_kernel *k, const ix_directive *d, ix_refusal r)
{
    ix_text t;
    if (!k->schedule)
        k->schedule = ix_arena_new(&u->arena, sizeof *k->schedule);
    ix_text_init(&t, &u->mem);
    ix_refusal_put(d, r, &t);
    k->schedule->refused = ix_text_string(&t);
}

/* A policy's text; false: it is wrong, which is an error. */
static bool
parse(ix_unit *u, const char *text, ix_directive *d)
{
    ix_text wrong;
    ix_text_init(&wrong, &u->mem);
    if (ix_directive_parse(u, text, strlen(text), IX_LOOP_split, d, &wrong))
        return true;
    ix_fail(&u->ctx->error, ILEX_E_INTERNAL, "policy: %s",
            ix_text_string(&wrong));
    return false;
}

/* Was it done? A refusal is noted. */
static bool
is_done(ix_unit *u, ix_kernel *k, const ix_directive *d, ix_refusal r)
{
    if (r.class)
        note_refusal(u, k, d, r);
    return !r.class && u->ctx->error.code == ILEX_OK;
}

bool
ix_schedule_at(ix_unit *u, ix_cursor *c, const char *text)
{
    ix_directive d;
    if (!parse(u, text, &d))
        return false;
    ix_kernel *k = c->k;
    for (int i = 0; i < d.nloops; i++)
        d.loop[i] = ix_loop_name(u, k, ix_cursor_loop(&c[i]));
    return is_done(u, k, &d, carry_at(u, &d, c));
}

bool
ix_schedule_text(ix_unit *u, ix_kernel *k, const char *text, bool optional)
{
    ix_directive d;
    if (!parse(u, text, &d))
        return false;
    ix_refusal r = carry_found(u, k, &d);
    return (optional && r.class == IX_REFUSAL_NAME) || is_done(u, k, &d, r);
}
