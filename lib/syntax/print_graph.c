/* SPDX-License-Identifier: MIT
 *
 * The order and the form in which a graph is printed. A lambda is written as
 * `let` when the reader, tried out on that text, builds the same node again;
 * else as `map`, which says everything. Walks use work lists.
 */
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/print_text.h"

enum { INLINE_DEPTH = 8 };

/* ---- arrays, operands first ---- */

ix_item *
ix_print_item(ix_printer *p, const ilex_array *n)
{
    size_t *at = ix_map_find(&p->order.number, n);
    return at ? &p->item[*at] : NULL;
}

/* Notes the sizes that are counted. */
static bool
note_counted(ix_printer *p)
{
    const ix_env *env = p->module->env;
    size_t n = (size_t)ix_env_count(env) + 1;
    p->counted = ix_mem_new(&p->ctx->mem, n * sizeof *p->counted);
    if (p->counted)
        p->ncounted = ix_counted_in(p->ctx, env, p->counted);
    return p->counted != NULL;
}

static ilex_array *
mask_of(const ix_printer *p, int32_t i)
{
    return p->ctx->param[p->counted[i]].mask;
}

static size_t
place_of(const ix_printer *p, int32_t i)
{
    return *ix_map_find(&p->order.number, mask_of(p, i));
}

/* In the order of what they count. */
static void
sort_counted(ix_printer *p)
{
    for (int32_t i = 1; i < p->ncounted; i++)
        for (int32_t k = i; k > 0 && place_of(p, k - 1) > place_of(p, k); k--) {
            int32_t size = p->counted[k];
            p->counted[k] = p->counted[k - 1];
            p->counted[k - 1] = size;
        }
}

/* Inputs, what is counted, outputs. */
static bool
list_all(ix_printer *p)
{
    bool ok = note_counted(p);
    for (size_t i = 0; ok && i < p->module->ninputs; i++)
        ok = ix_order_from(&p->order, p->module->input[i]);
    for (int32_t i = 0; ok && i < p->ncounted; i++)
        ok = ix_order_from(&p->order, mask_of(p, i));
    for (size_t i = 0; ok && i < p->module->noutputs; i++)
        ok = ix_order_from(&p->order, p->module->output[i].array);
    ok = ok && ix_print_gather(p);
    if (ok)
        sort_counted(p);
    p->n = ok ? p->order.n : 0;
    p->item = ix_mem_new(&p->ctx->mem, (p->n + 1) * sizeof *p->item);
    for (size_t i = 0; p->item && i < p->n; i++)
        p->item[i] = (ix_item){.node = p->order.array[i], .temp = -1};
    return ok && p->item;
}

static void
count_uses(ix_printer *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ilex_array *operand;
        for (int k = 0; (operand = ix_operand(p->item[i].node, k)); k++)
            ix_print_item(p, operand)->uses++;
    }
    for (size_t i = 0; i < p->module->noutputs; i++)
        ix_print_item(p, p->module->output[i].array)->uses++;
    for (int32_t i = 0; i < p->ncounted; i++)
        ix_print_item(p, mask_of(p, i))->uses++;
}

/* ---- trying texts out ---- */

/* Forgets errors that trying something out made, but for lack of memory. */
static void
forget_errors(ilex_context *ctx, ix_error_mark before)
{
    if (ix_errors_since(&ctx->error, before) != ILEX_E_MEMORY)
        ix_errors_rewind(&ctx->error, before);
}

/* The array that "text" gives over the operands of "n"; NULL on failure. */
static ilex_array *
try_text(ilex_context *ctx, const ix_text *text, const ilex_array *n)
{
    static const char *const names[] = {
        "_in0", "_in1", "_in2",  "_in3",  "_in4",  "_in5",  "_in6",  "_in7",
        "_in8", "_in9", "_in10", "_in11", "_in12", "_in13", "_in14", "_in15"};
    size_t count = n->kind == IX_LAMBDA ? (size_t)n->nops - 1 : 0;
    const char *s = ix_text_string(text);
    if (!s || count > IX_COUNT(names))
        return NULL;
    ix_error_mark before = ix_errors_mark(&ctx->error);
    ilex_array *r = ix_parse_text_expr(ctx, s, text->length, count, names,
                                       n->ops + (n->kind == IX_LAMBDA), n);
    forget_errors(ctx, before);
    return ix_is_poison(r) ? NULL : r;
}

/* "value" as `let t : type` would make it. */
static ilex_array *
as_typed(ilex_context *ctx, ilex_array *value, const ilex_array *n)
{
    ix_error_mark before = ix_errors_mark(&ctx->error);
    if (ix_is_weak(value))
        value = ix_build_cast(ctx, (ilex_dtype)n->dtype, value);
    value = ix_build_restrict(ctx, "let", value, n->interior);
    forget_errors(ctx, before);
    return value;
}

/* Writes the field expression of "n" with operands _in0, ...; false if it has
 * none. "bare": a constant by itself may be a literal. */
static bool
trial_text(ix_printer *p, ilex_array *n, bool bare, ix_text *t)
{
    ix_writer w = {.ctx = p->ctx,
                   .printer = p,
                   .mode = IX_WRITE_TRIAL,
                   .lambda = n->kind == IX_LAMBDA ? n : NULL,
                   .t = t,
                   .budget = IX_WRITE_BUDGET,
                   .bare = bare};
    ix_write_field(&w, n, 1);
    return !w.failed;
}

/* Is "r" the same node, but that its proofs needed no more assumptions? */
static bool
rests_on_less(ilex_array *r, const ilex_array *n)
{
    return r == n || (ix_is_array(r) && ix_with_env(r, n->env) == n);
}

static ix_written_as
lambda_as(ix_printer *p, ilex_array *n)
{
    ilex_context *ctx = p->ctx;
    ix_written_as as = IX_AS_MAP;
    bool boxed = ix_is_array(n) && n->interior == n->valid;
    for (int typed = 0; typed <= boxed && as == IX_AS_MAP; typed++) {
        ix_text t;
        size_t mark = ilex_scope_begin(ctx);
        ix_text_init(&t, &ctx->mem);
        ilex_array *r =
            trial_text(p, n, typed, &t) ? try_text(ctx, &t, n) : NULL;
        if (r && typed)
            r = as_typed(ctx, r, n);
        if (r && rests_on_less(r, n))
            as = typed ? IX_AS_TYPED : IX_AS_LET;
        ix_text_free(&t);
        ilex_scope_end(ctx, mark, NULL);
    }
    return as;
}

/* ---- forms and names ---- */

/* Arrays that expressions cannot stand in for have to be named. */
static void
name_operands(ix_printer *p, const ilex_array *n)
{
    ilex_array *operand;
    for (int k = 0; (operand = ix_operand(n, k)); k++)
        ix_print_item(p, operand)->named = true;
}

/* How often the text of a body mentions an operand: 0, 1, or 2 for more. The
 * text is a tree: it repeats what the graph shares. */
static bool
count_mentions(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    const int64_t *slot = w->user;
    size_t sum = n->kind == IX_LOAD && n->attr[0] == *slot;
    for (int i = 0; i < n->nops; i++)
        sum += operand[i];
    *value = sum > 2 ? 2 : sum;
    return true;
}

/* Operands that the expression of a lambda mentions twice are named. */
static void
name_repeated(ix_printer *p, const ilex_array *n)
{
    int64_t slot;
    ix_walk w = {.ctx = p->ctx,
                 .within = IX_HAS_LOAD,
                 .leave = count_mentions,
                 .user = &slot};
    for (slot = 0; n->kind == IX_LAMBDA && slot + 1 < n->nops; slot++) {
        size_t count = 0;
        ix_walk_forget(&w);
        ix_walk_body(&w, n->ops[0], &count);
        if (count > 1)
            ix_print_item(p, n->ops[slot + 1])->named = true;
    }
    ix_walk_free(&w);
}

/* Is "n" a bare subscript "x[I+1]"? Its operand is named, and it is written in
 * place wherever it is used. */
static bool
is_subscript(const ix_item *item)
{
    const ilex_array *n = item->node;
    return item->as == IX_AS_LET && n->kind == IX_LAMBDA && n->nops >= 2 &&
           n->ops[0]->kind == IX_LOAD;
}

static void
choose_form(ix_printer *p, ix_item *item)
{
    ilex_array *n = item->node;
    if (n->kind == IX_INPUT || n->kind == IX_DATA || n->kind == IX_RESULT ||
        n->kind == IX_CARRIED) {
        item->as = IX_AS_INPUT;
        item->named = true;
    } else if (n->kind == IX_LAMBDA || !ix_is_array(n)) {
        item->as = (uint8_t)lambda_as(p, n);
    } else {
        item->as = IX_AS_NODE;
    }
    if (item->as == IX_AS_MAP || item->as == IX_AS_NODE) {
        item->named = true;
        name_operands(p, n);
    } else if (is_subscript(item)) {
        name_operands(p, n);
    } else {
        name_repeated(p, n);
    }
}

/* How deep inlined expressions nest below "n". */
static int
inlined_depth(ix_printer *p, const ilex_array *n)
{
    int depth = 0;
    ilex_array *operand;
    for (int k = 0; (operand = ix_operand(n, k)); k++) {
        const ix_item *item = ix_print_item(p, operand);
        if (!item->named && item->depth + 1 > depth)
            depth = item->depth + 1;
    }
    return depth;
}

/* Names of the source, each for the array that has it last, if that is an
 * expression and no other array is called so. */
static void
take_labels(ix_printer *p)
{
    const ilex_module *m = p->module;
    for (size_t i = p->labels ? m->nlabels : 0; i-- > 0;) {
        const ix_label *label = &m->label[i];
        ix_item *item = ix_print_item(p, label->array);
        bool tuple =
            label->array->kind == IX_SCAN || label->array->kind == IX_FOREIGN ||
            label->array->kind == IX_CARRIED || label->array->kind == IX_RESULT;
        if (!item || tuple || item->as == IX_AS_INPUT || item->label ||
            ix_print_is_array_name(p, ix_symbol_text(p->ctx, label->name)))
            continue;
        item->label = label->name;
        item->named = true;
    }
}

/* Which expressions get a statement of their own; operands come first. */
static void
choose_names(ix_printer *p)
{
    for (int32_t i = 0; i < p->ncounted; i++)
        ix_print_item(p, mask_of(p, i))->named = true;
    take_labels(p);
    for (size_t i = 0; i < p->n; i++) {
        ix_item *item = &p->item[i];
        int depth = inlined_depth(p, item->node);
        item->depth = (uint8_t)depth;
        item->named |= ix_tag_count(item->node) > 0;
        if (is_subscript(item) || item->named)
            continue;
        item->named =
            item->uses != 1 || depth >= INLINE_DEPTH || item->as == IX_AS_TYPED;
    }
}

/* An expression that one output alone uses is written in its statement. */
static void
unname_outputs(ix_printer *p)
{
    for (size_t i = 0; i < p->module->noutputs; i++) {
        ix_item *item = ix_print_item(p, p->module->output[i].array);
        if (item->uses == 1 &&
            (item->as == IX_AS_LET || item->as == IX_AS_TYPED))
            item->named = false;
    }
}

bool
ix_print_collect(ix_printer *p)
{
    p->nparams = p->ctx->nparams;
    p->param = ix_mem_new(&p->ctx->mem, (p->nparams + 1) * sizeof *p->param);
    if (!p->param || !ix_module_sizes(p->module, p->param) || !list_all(p))
        return false;
    for (size_t i = 0; i < p->module->ndeclared; i++)
        p->param[p->module->declared[i]] = true;
    count_uses(p);
    ix_error_mark before = ix_errors_mark(&p->ctx->error);
    for (size_t i = 0; i < p->n; i++) {
        size_t ncounted;
        ix_print_steps(p, i, &ncounted);
        choose_form(p, &p->item[i]);
        ix_print_steps_end(p, i, ncounted);
    }
    if (ix_errors_since(&p->ctx->error, before))
        return false;
    choose_names(p);
    unname_outputs(p);
    return true;
}
