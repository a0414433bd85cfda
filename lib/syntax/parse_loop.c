/* SPDX-License-Identifier: MIT
 *
 * Loops of programs: `loop` ... `end`. Inside, the name of a carried array is
 * what the step before left; behind the end it is what the last step did.
 */
#include "lib/build/loop.h"

#include "lib/syntax/parse.h"

/* ---- heads ---- */

static int32_t
symbol_of(ix_parser *p, const ix_word *word)
{
    int32_t symbol = ix_symbol_of(p->ctx, word->text, (size_t)word->length);
    if (symbol < 0)
        ix_lex_abort(&p->reader);
    return symbol;
}

/* What a carried array is first, as an array. */
static ilex_array *
first_value(ix_parser *p, const ix_statement *r, ilex_array *x)
{
    if (ix_is_weak(x))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &r->name,
                    "%.*s is first a literal, which has no dtype of its own; "
                    "say it: %.*s : f64 = ...",
                    (int)r->name.length, r->name.text, (int)r->name.length,
                    r->name.text);
    ix_parser_at(p, &r->name);
    if (!ix_is_array(x))
        x = ix_parser_array(p,
                            ix_build_restrict(p->ctx, "loop", x,
                                              ix_domain_new(p->ctx, 0, NULL)));
    return ix_parser_array(p, ix_field_known_part(p->ctx, "loop", x));
}

/* "0:k max m": at most so many as a run finds in k. */
static const ix_domain *
counted_range(ix_parser *p, ix_loop_scope *l, ilex_array *count)
{
    const ix_lin *most = ix_parse_lin(p, l->s->axis);
    ix_parser_at(p, &ix_parse_loop_count(l->s)->word);
    const ix_domain *steps = ix_build_steps_to(
        p->ctx, symbol_of(p, &l->s->option), l->lo, count, most);
    if (!steps)
        ix_lex_abort(&p->reader);
    return steps;
}

const ix_syntax *
ix_parse_loop_count(const ix_statement *s)
{
    const ix_colons_list *ranges = &s->box[0].ranges;
    const ix_colons *r = ranges->n ? &ranges->item[0] : NULL;
    return s->axis && r && r->n ? r->part[r->n - 1] : NULL;
}

/* "0:n", "n" */
static const ix_domain *
read_range(ix_parser *p, ix_loop_scope *l, ilex_array *count)
{
    ilex_context *ctx = p->ctx;
    const ix_colons_list *ranges = &l->s->box[0].ranges;
    const ix_colons *r = &ranges->item[0];
    if (ranges->n != 1 || r->n > 2 || !ix_parse_is_plain(r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &l->s->option,
                    "the steps of a loop are one range: loop %.*s[0:n]",
                    (int)l->s->option.length, l->s->option.text);
    ix_parser_at(p, &l->s->option);
    l->lo = r->n == 2 ? ix_parse_lin(p, r->part[0]) : ix_lin_const(ctx, 0);
    if (l->s->axis)
        return counted_range(p, l, count);
    const ix_lin *hi = ix_parse_lin(p, r->part[r->n - 1]);
    const ix_axis ax = {symbol_of(p, &l->s->option), ix_lin_const(ctx, 0),
                        ix_lin_sub(ctx, hi, l->lo)};
    const ix_domain *steps = ax.hi ? ix_domain_new(ctx, 1, &ax) : NULL;
    if (!steps)
        ix_lex_abort(&p->reader);
    return steps;
}

/* Room for what is carried, with the name of how many steps there were. */
static ix_loop_scope *
open_scope(ix_parser *p, const ix_statement *s, ilex_array *const *first)
{
    ix_loop_scope *l = ix_arena_new(&p->reader.arena, sizeof *l);
    size_t n = 0, stacks = 0;
    bool ends = false, parts = false;
    for (const ix_statement *r = s; r; r = r->more)
        n++;
    for (const ix_statement *b = s->body; b; b = b->next) {
        bool stack = b->kind == IX_STATEMENT_STACK;
        stacks += stack;
        parts |= stack && !b->chunks.length;
        ends |= b->kind == IX_STATEMENT_UNTIL;
    }
    ix_arena *a = &p->reader.arena;
    *l = (ix_loop_scope){.s = s, .outer = p->loop};
    l->counts = s->chunks.length > 0 || (ends && parts);
    l->name = ix_arena_new(a, (n + stacks + 1) * sizeof *l->name);
    l->carried = ix_arena_new(a, (n + 1) * sizeof(ilex_array *));
    l->first = ix_arena_new(a, (n + 1) * sizeof(ilex_array *));
    l->next = ix_arena_new(a, (n + 1) * sizeof(ilex_array *));
    l->stack = ix_arena_new(a, (stacks + 1) * sizeof(ilex_array *));
    l->every = ix_arena_new(a, (stacks + 1) * sizeof *l->every);
    for (const ix_statement *r = s; r; r = r->more) {
        l->first[l->ncarries] = first_value(p, r, first[l->ncarries]);
        l->name[l->ncarries++] = r;
    }
    return l;
}

static ilex_array *
carry(ix_parser *p, int32_t name, const ilex_array *first)
{
    return ix_parser_array(p, ix_build_carried(p->ctx, name,
                                               (ilex_dtype)first->dtype,
                                               first->interior));
}

/* How many steps there were is carried as well. */
static void
count_steps(ix_parser *p, ix_loop_scope *l)
{
    ilex_context *ctx = p->ctx;
    int k = l->ncarries;
    l->first[k] =
        ix_parser_array(p, ix_build_restrict(ctx, "steps", ilex_i64(ctx, 0),
                                             ix_domain_new(ctx, 0, NULL)));
    l->carried[k] = carry(
        p, l->s->chunks.length ? symbol_of(p, &l->s->chunks) : 0, l->first[k]);
    l->next[k] = ix_parser_array(p, ix_build_count(l->carried[k]));
}

/* The names of the step and of what is carried. */
static void
define_inside(ix_parser *p, ix_loop_scope *l, ilex_array *count)
{
    if (!ix_word_is(&l->s->option, IX_STEP_NAME))
        ix_parser_check_name(p, "step", &l->s->option);
    const ix_domain *steps = read_range(p, l, count);
    l->step = ix_build_step(p->ctx, steps);
    if (l->step < 0)
        ix_lex_abort(&p->reader);
    p->loop = l;
    ix_parser_declare(p, &l->s->option, IX_NAME_SIZE)->size =
        ix_lin_add(p->ctx, l->lo, ix_lin_param(p->ctx, l->step));
    for (int k = 0; k < l->ncarries; k++) {
        const ix_word *name = &l->name[k]->name;
        ix_parser_check_name(p, "array", name);
        l->carried[k] = carry(p, symbol_of(p, name), l->first[k]);
        ix_parser_define(p, name, l->carried[k]);
    }
    if (l->counts)
        count_steps(p, l);
}

/* ---- bodies ---- */

void
ix_parse_next(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    int k = 0;
    ix_loop_scope *l = p->loop;
    if (ix_parser_carrier(p, &s->name, &k) != l)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, &s->name,
                    "the loop over %.*s carries no array %.*s",
                    (int)l->s->option.length, l->s->option.text,
                    (int)s->name.length, s->name.text);
    if (l->next[k])
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &s->name,
                    "the next %.*s is given already; each carried array has "
                    "one `next`",
                    (int)s->name.length, s->name.text);
    ix_parser_at(p, &s->name);
    l->next[k] = ix_parser_array(p, ix_build_next(l->carried[k], x));
}

void
ix_parse_until(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    if (p->loop->until)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &s->keyword,
                    "a loop has one `until`; join conditions by ||");
    ix_parser_at(p, &s->expr->word);
    p->loop->until = ix_parser_array(p, ix_build_until(p->ctx, x));
}

/* A number of steps. */
static int64_t
every_of(ix_parser *p, const ix_syntax *x)
{
    const ix_lin *n = ix_parse_lin(p, x);
    if (n->n > 0)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "how many steps are apart is a number: stack e[t] = ... "
                    "every 10");
    return n->c;
}

void
ix_parse_stack(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    ix_loop_scope *l = p->loop;
    const ix_word *t = &l->s->option, *w = &s->option;
    if (w->length != t->length || memcmp(w->text, t->text, (size_t)t->length))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "a stack has an element for each step, %.*s: stack "
                    "%.*s[%.*s] = ...",
                    (int)t->length, t->text, (int)s->name.length, s->name.text,
                    (int)t->length, t->text);
    ix_parser_check_name(p, "array", &s->name);
    l->name[l->ncarries + l->nstacks] = s;
    ix_parser_at(p, &s->name);
    l->every[l->nstacks] = s->axis ? every_of(p, s->axis) : 1;
    ix_parser_at(p, &s->name);
    x = ix_build_stacking(p->ctx, l->step, l->every[l->nstacks], x);
    l->stack[l->nstacks++] = ix_parser_array(p, x);
}

/* ---- ends ---- */

static void
check_next(ix_parser *p, const ix_loop_scope *l)
{
    for (int k = 0; k < l->ncarries; k++)
        if (!l->next[k])
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &l->name[k]->name,
                        "the loop does not say what the next %.*s is; write "
                        "next %.*s = ...",
                        (int)l->name[k]->name.length, l->name[k]->name.text,
                        (int)l->name[k]->name.length, l->name[k]->name.text);
}

/* What the loop gives, and how it is called. */
static size_t
take_results(ix_parser *p, const ix_loop_scope *l, ilex_array *loop,
             ix_loop_result *result)
{
    int carries = l->ncarries + l->counts;
    size_t n = 0;
    for (int k = 0; k < l->ncarries; k++)
        result[n++] = (ix_loop_result){
            &l->name[k]->name, ix_parser_array(p, ix_build_result(loop, k))};
    ilex_array *made =
        l->counts ? ix_parser_array(p, ix_build_result(loop, l->ncarries))
                  : NULL;
    if (l->s->chunks.length)
        result[n++] = (ix_loop_result){&l->s->chunks, made};
    for (int k = 0; k < l->nstacks; k++) {
        const ix_statement *s = l->name[l->ncarries + k];
        bool part = l->until && !s->chunks.length;
        ilex_array *x =
            ix_build_stacked(loop, carries + k, l->lo, part ? made : NULL);
        result[n++] = (ix_loop_result){&s->name, ix_parser_array(p, x)};
    }
    return n;
}

void
ix_parse_open_loop(ix_parser *p, const ix_statement *s,
                   ilex_array *const *first, ilex_array *count)
{
    define_inside(p, open_scope(p, s, first), count);
}

size_t
ix_parse_end_loop(ix_parser *p, const ix_statement *s, ix_loop_result **result)
{
    ix_loop_scope *l = p->loop;
    check_next(p, l);
    ix_parser_at(p, &s->keyword);
    ix_loop_spec spec = {.step = l->step,
                         .ncarries = l->ncarries + l->counts,
                         .nstacks = l->nstacks,
                         .carried = l->carried,
                         .first = l->first,
                         .next = l->next,
                         .stack = l->stack,
                         .every = l->every,
                         .until = l->until};
    ilex_array *loop = ix_parser_array(p, ix_build_loop(p->ctx, &spec));
    ix_parse_close_loop(p);
    size_t n = (size_t)(l->ncarries + l->nstacks) + 1;
    *result = ix_arena_new(&p->reader.arena, n * sizeof **result);
    return take_results(p, l, loop, *result);
}
