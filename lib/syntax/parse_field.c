/* SPDX-License-Identifier: MIT
 *
 * Meaning of what only field expressions (let, out) have: names of arrays,
 * subscripts that shift along named axes, reductions over axes.
 */
#include "lib/syntax/parse.h"

ilex_array *
ix_parse_field_name(ix_parser *p, const ix_word *w)
{
    ix_name *name = ix_parser_find(p, w->text, (size_t)w->length, false);
    if (name)
        return name->array;
    name = ix_parser_find(p, w->text, (size_t)w->length, true);
    if (name)
        return ix_scalar_size(p->ctx, name->param);
    ix_parser_unknown(p, w, "array or size");
}

/* A shift "I", "I+2", "I-1", "I+1/2", "I-3/2": its axis and twice its
 * offset. */
typedef struct shift {
    const ix_syntax *axis;
    int64_t halves;
} shift;

static bool
read_shift(ix_parser *p, const ix_syntax *x, shift *s)
{
    *s = (shift){x, 0};
    if (x->kind == IX_SYNTAX_NAME)
        return true;
    if (x->kind != IX_SYNTAX_CHAIN || x->nlinks != 1 ||
        (x->link[0].op != IX_OP_ADD && x->link[0].op != IX_OP_SUBTRACT))
        return false;
    const ix_syntax *by = x->link[0].operand;
    int64_t unit = 2;
    s->axis = x->part[0];
    if (by->kind == IX_SYNTAX_CHAIN && by->nlinks == 1 &&
        by->link[0].op == IX_OP_TRUE_DIVIDE &&
        by->link[0].operand->kind == IX_SYNTAX_INT &&
        ix_word_is(&by->link[0].operand->word, "2")) {
        unit = 1;
        by = by->part[0];
    }
    if (s->axis->kind != IX_SYNTAX_NAME || by->kind != IX_SYNTAX_INT)
        return false;
    int64_t v = ix_parse_int(p, by);
    if (v > IX_UNBOUNDED / 2)
        ix_lex_fail(&p->reader, ILEX_E_OVERFLOW, &by->word,
                    "the shift by %.*s is too large", (int)by->word.length,
                    by->word.text);
    s->halves = (x->link[0].op == IX_OP_ADD ? v : -v) * unit;
    return true;
}

/* The axis of "x" called "name", or "name+1/2" (then "*staggered"). */
static int
find_axis(ix_parser *p, const ilex_array *x, const ix_word *name,
          bool *staggered)
{
    char text[80];
    size_t n = (size_t)name->length;
    memcpy(text, name->text, n);
    memcpy(text + n, "+1/2", 4);
    for (*staggered = false;; *staggered = true) {
        int32_t symbol = ix_symbol_of(p->ctx, text, n + (*staggered ? 4 : 0));
        if (symbol < 0)
            ix_lex_abort(&p->reader);
        int k = ix_domain_find(x->interior, symbol);
        if (k >= 0 || *staggered)
            return k;
    }
}

/* x with axis "k" called "name": between an axis and its staggered one. */
static ilex_array *
rename_axis(ix_parser *p, ilex_array *x, int k, int32_t name)
{
    ilex_context *ctx = p->ctx;
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
    for (int j = 0; j < ix_rank(x); j++) {
        in[j] = x->interior->ax[j];
        va[j] = x->valid->ax[j];
        index[j] = ix_scalar_index(ctx, j);
    }
    in[k].name = va[k].name = name;
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
    ilex_array *ops[2] = {ix_parser_array(p, body), x};
    ix_node_spec spec = {.kind = IX_LAMBDA,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = ix_domain_new(ctx, ix_rank(x), in),
                         .valid = ix_domain_new(ctx, ix_rank(x), va),
                         .nops = 2,
                         .ops = ops};
    if (!spec.interior || !spec.valid)
        ix_lex_abort(&p->reader);
    return ix_node_scoped(ctx, &spec);
}

/* Moves "x" by an odd number of halves: to the other of the two axes. Index k
 * of the staggered axis lies at k + 1/2. */
static ilex_array *
shift_halves(ix_parser *p, ilex_array *x, int k, bool staggered, const shift *s)
{
    int64_t offset[ILEX_MAX_RANK] = {0};
    offset[k] = (s->halves + (staggered ? -1 : 1)) / 2;
    x = ix_parser_array(p, ix_build_shift(p->ctx, x, offset));
    char text[80];
    size_t n = (size_t)s->axis->word.length;
    memcpy(text, s->axis->word.text, n);
    memcpy(text + n, "+1/2", 4);
    int32_t name = ix_symbol_of(p->ctx, text, n + (staggered ? 0 : 4));
    if (name < 0)
        ix_lex_abort(&p->reader);
    return rename_axis(p, x, k, name);
}

/* The array that "word" names. */
static ilex_array *
named_array(ix_parser *p, const ix_word *word)
{
    ix_name *name = ix_parser_find(p, word->text, (size_t)word->length, false);
    if (!name)
        ix_parser_unknown(p, word, "array");
    return name->array;
}

/* Adds one entry of a subscript to "offset", or shifts at once by halves. */
static ilex_array *
add_shift(ix_parser *p, ilex_array *x, const ix_colons *r, int64_t *offset,
          uint32_t *seen)
{
    shift s;
    bool staggered;
    const ix_word *where = &r->part[0]->word;
    if (r->n != 1 || !read_shift(p, r->part[0], &s))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                    "here a subscript is a shift along a named axis, for "
                    "example u[I+1, J-1]; absolute indices belong to map");
    int k = find_axis(p, x, &s.axis->word, &staggered);
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, where,
                    "axis %.*s: the array's axes are [%s]",
                    (int)s.axis->word.length, s.axis->word.text,
                    ix_domain_show(p->ctx, x->interior).s);
    if (*seen >> k & 1)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, where,
                    "axis %.*s appears twice in the subscript",
                    (int)s.axis->word.length, s.axis->word.text);
    *seen |= 1u << k;
    if (s.halves % 2)
        return ix_parser_array(p, shift_halves(p, x, k, staggered, &s));
    offset[k] = s.halves / 2;
    return x;
}

ilex_array *
ix_parse_field_index(ix_parser *p, const ix_syntax *x)
{
    ilex_array *a = named_array(p, &x->word);
    int64_t offset[ILEX_MAX_RANK] = {0};
    uint32_t seen = 0;
    if (ix_rank(a) == 0 || !ix_domain_named(a->interior))
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &x->word,
                    "%.*s has no named axes to shift along; use map for "
                    "absolute indices",
                    (int)x->word.length, x->word.text);
    ix_parser_at(p, &x->word);
    for (size_t i = 0; i < x->ranges->n; i++)
        a = add_shift(p, a, &x->ranges->item[i], offset, &seen);
    ilex_array *r = ix_parser_array(p, ix_build_shift(p->ctx, a, offset));
    return ix_parser_depth(p, &x->word, 1, &a, r);
}

/* The axis of "a" that an entry of a reduction names. */
static int
reduced_axis(ix_parser *p, const ilex_array *a, const ix_colons *r)
{
    const ix_syntax *x = r->part[0];
    if (r->n != 1 || !ix_parse_is_plain(r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "here a reduction names axes of its operand, for example "
                    "sum[I](u); ranges belong to map");
    bool number = x->kind == IX_SYNTAX_INT || x->kind == IX_SYNTAX_PREFIX;
    int64_t k = -1;
    if (number) {
        k = ix_parse_int(p, x);
        k += k < 0 ? ix_rank(a) : 0;
        k = k < ix_rank(a) ? k : -1;
    } else if (ix_rank(a) > 0) {
        k = ix_domain_find(a->interior, ix_parse_axis(p, x));
    }
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &x->word,
                    "the operand has no axis %.*s; its axes are [%s]",
                    (int)x->word.length, x->word.text,
                    ix_rank(a) ? ix_domain_show(p->ctx, a->interior).s : "");
    return (int)k;
}

/* The axes of "a" that a reduction lists; all of them without brackets. */
static uint32_t
reduced_axes(ix_parser *p, const ilex_array *a, const ix_colons_list *ranges)
{
    uint32_t mask = ranges ? 0 : ((uint32_t)1 << ix_rank(a)) - 1;
    for (size_t i = 0; ranges && i < ranges->n; i++) {
        const ix_colons *item = &ranges->item[i];
        int k = reduced_axis(p, a, item);
        if (mask >> k & 1)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &item->where,
                        "axis %d is listed twice", k);
        mask |= (uint32_t)1 << k;
    }
    return mask;
}

/* where=m, initial=v, keep=1 */
static void
reduce_attributes(ix_parser *p, const ix_syntax *x, ix_reduce_request *request)
{
    for (size_t i = 0; i < x->attributes.n; i++) {
        const ix_attribute *a = &x->attributes.item[i];
        bool where = ix_word_is(&a->name, "where");
        bool initial = ix_word_is(&a->name, "initial");
        if (a->n != 1 || (!where && !initial && !ix_word_is(&a->name, "keep")))
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX,
                        a->name.length ? &a->name : &x->word,
                        "a reduction has the attributes where, initial and "
                        "keep, for example %.*s[0](x; where=m, keep=1)",
                        (int)x->word.length, x->word.text);
        if (where)
            request->where = ix_parse_expr(p, a->value[0]);
        else if (initial)
            request->initial = ix_parse_expr(p, a->value[0]);
        else
            request->keep = ix_parse_int(p, a->value[0]) != 0;
    }
}

ilex_array *
ix_parse_field_reduce(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_array *a = ix_parse_expr(p, x->part[0]);
    ix_reduce_request request = {.mask = reduced_axes(p, a, x->ranges)};
    reduce_attributes(p, x, &request);
    ix_parser_at(p, &x->word);
    ilex_array *result =
        ix_parser_array(p, ix_build_reduce_with(p->ctx, r, a, &request));
    return ix_parser_depth(p, &x->word, 1, &a, result);
}
