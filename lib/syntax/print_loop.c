/* SPDX-License-Identifier: MIT
 *
 * Loops as text: a head with what is carried, the arrays of the body, then what
 * the next step has. A carried array is called as the result.
 */
#include "lib/build/loop.h"
#include "lib/graph/counted.h"
#include "lib/syntax/print_text.h"

bool
ix_print_gather(ix_printer *p)
{
    ix_order *o = &p->order;
    p->repeats = (ix_repeats){.ctx = p->ctx, .mem = &p->ctx->mem};
    if (!ix_repeats_find(&p->repeats, p->module->name, o->array, o->n) ||
        !ix_repeats_gather(&p->repeats, o->array, o->n))
        return false;
    for (size_t i = 0; i < o->n && p->repeats.inside; i++)
        *ix_map_find(&o->number, o->array[i]) = i;
    return true;
}

static int
inside(const ix_printer *p, size_t i)
{
    return p->repeats.inside ? p->repeats.inside[i] : -1;
}

void
ix_print_steps(ix_printer *p, size_t i, size_t *ncounted)
{
    ilex_context *ctx = p->ctx;
    *ncounted = ctx->ncounted;
    for (int l = inside(p, i); l >= 0; l = p->repeats.around[l]) {
        int32_t step = ix_repeat_step(p->repeats.loop[l]);
        p->t->failed |=
            !ix_counted_name(ctx, step) ||
            ix_env_add(ctx, &ctx->bounds, ctx->param[step].bound) != IX_YES;
    }
}

void
ix_print_steps_end(ix_printer *p, size_t i, size_t ncounted)
{
    p->ctx->ncounted = ncounted;
    for (int l = inside(p, i); l >= 0; l = p->repeats.around[l])
        p->t->failed |=
            !ix_step_end(p->ctx, ix_repeat_step(p->repeats.loop[l]));
}

const ix_item *
ix_print_carrier(ix_printer *p, const ilex_array *n, int *k)
{
    const ix_item *item = ix_print_item(p, n);
    const ilex_array *loop = p->repeats.loop[p->repeats.inside[item - p->item]];
    for (*k = 0; ix_repeat_carried(loop, *k) != n;)
        ++*k;
    return ix_print_item(p, loop);
}

/* ---- statements ---- */

static void
indent(ix_printer *p, int loop)
{
    for (; loop >= 0; loop = p->repeats.around[loop])
        ix_text_put(p->t, "    ");
}

void
ix_print_indent(ix_printer *p, size_t i)
{
    indent(p, inside(p, i));
}

static void
put_name(ix_printer *p, const ilex_array *n)
{
    ix_print_name(p, ix_print_item(p, n), p->t);
}

/* "loop t[0:n] t0 : f64[I:m] = u0" */
static void
write_head(ix_printer *p, int loop)
{
    const ilex_array *n = p->repeats.loop[loop];
    const ix_item *item = ix_print_item(p, n);
    const ix_axis *steps = &n->interior->ax[0];
    indent(p, p->repeats.around[loop]);
    ix_text_format(p->t, "loop %s[0:", ix_symbol_text(p->ctx, steps->name));
    ix_lin_print(p->ctx, steps->hi, p->t);
    ix_text_put(p->t, "] ");
    for (int k = 0; k < ix_repeat_carries(n); k++) {
        ix_text_put(p->t, k ? ", " : "");
        ix_print_result_name(item, k, p->t);
        ix_text_put(p->t, " : ");
        ix_print_type(p, ix_repeat_carried(n, k));
        ix_text_put(p->t, " = ");
        put_name(p, ix_repeat_first(n, k));
    }
    ix_text_char(p->t, '\n');
}

void
ix_print_loop_heads(ix_printer *p, size_t i)
{
    const ix_repeats *r = &p->repeats;
    for (int l = r->n; l-- > 0;) {
        bool own = p->item[i].node == r->loop[l] ||
                   ix_repeats_within(r, inside(p, i), l);
        bool before = i > 0 && ix_repeats_within(r, inside(p, i - 1), l);
        if (!own || before)
            continue;
        ix_print_give_name(p, ix_print_item(p, r->loop[l]));
        write_head(p, l);
    }
}

void
ix_print_loop_end(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    const char *step = ix_symbol_text(p->ctx, n->interior->ax[0].name);
    int around = inside(p, (size_t)(item - p->item));
    int carries = ix_repeat_carries(n);
    for (int k = 0; k < carries + ix_repeat_stacks(n); k++) {
        bool stack = k >= carries;
        indent(p, around);
        ix_text_put(p->t, stack ? "    stack " : "    next ");
        ix_print_result_name(item, k, p->t);
        ix_text_format(p->t, stack ? "[%s] = " : " = ", step);
        put_name(p, stack ? ix_repeat_stacked(n, k - carries)
                          : ix_repeat_next(n, k));
        if (stack && ix_repeat_until(n)) /* what it lacks is another array */
            ix_text_put(p->t, " whole");
        if (stack && ix_repeat_every(n, k - carries) > 1)
            ix_text_format(p->t, " every %lld",
                           (long long)ix_repeat_every(n, k - carries));
        ix_text_char(p->t, '\n');
    }
    if (ix_repeat_until(n)) {
        indent(p, around);
        ix_text_put(p->t, "    until ");
        put_name(p, ix_repeat_until(n));
        ix_text_char(p->t, '\n');
    }
    indent(p, around);
    ix_text_put(p->t, "end");
}
