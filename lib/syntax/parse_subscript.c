/* SPDX-License-Identifier: MIT
 *
 * Meaning of subscripts in field expressions (let, out): shifts along and
 * selections from named axes, NumPy's indexing of unnamed ones.
 */
#include "lib/build/items.h"
#include "lib/build/shift_by.h"
#include "lib/syntax/parse.h"

/* ---- shifts ---- */

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

bool
ix_parse_halves(ix_parser *p, const ix_syntax *x, int64_t *halves)
{
    shift s;
    bool is = read_shift(p, x, &s);
    *halves = is ? s.halves : 0;
    return is;
}

/* ---- what is read outside ---- */

ix_behind
ix_parse_behind(ix_parser *p, const ix_syntax *x, ix_outside *mode,
                const ix_syntax **value)
{
    const ix_attributes *list = &x->attributes;
    *mode = IX_OUTSIDE_VALUE;
    *value = NULL;
    if (list->n == 0)
        return IX_BEHIND_NOTHING;
    const ix_syntax *v = list->item[0].value[0];
    if (list->n > 1 || list->item[0].name.length)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &v->word,
                    "behind ';' stands what is read outside: a value, wrap, "
                    "edge, reflect or symmetric; or unchecked");
    if (v->kind == IX_SYNTAX_NAME && ix_word_is(&v->word, "unchecked"))
        return IX_BEHIND_UNCHECKED;
    if (v->kind != IX_SYNTAX_NAME ||
        !ix_outside_find(v->word.text, (size_t)v->word.length, mode))
        *value = v;
    return IX_BEHIND_OUTSIDE;
}

/* "a" with as many points added at its ends as the shifts need. */
static ilex_array *
padded(ix_parser *p, ilex_array *a, const int64_t *offset, ix_outside mode,
       const ix_syntax *value)
{
    ix_given given[4] = {{.present = true}, {.present = true}};
    for (int k = 0; k < ix_rank(a); k++) {
        int64_t by = offset[k];
        given[0].form[k] = ix_lin_const(p->ctx, by < 0 ? -by : 0);
        given[1].form[k] = ix_lin_const(p->ctx, by > 0 ? by : 0);
    }
    given[2].present = value != NULL;
    given[2].value = value ? ix_parse_expr(p, value) : NULL;
    given[3].present = mode != IX_OUTSIDE_VALUE;
    given[3].word = given[3].present ? ix_outside_names[mode] : NULL;
    given[3].length = given[3].present ? strlen(ix_outside_names[mode]) : 0;
    return ix_parser_array(p, ix_build_pad(p->ctx, &a, 1, given));
}

/* A subscript of named axes under reading. */
typedef struct named_subscript {
    ilex_array *x; /* moved by halves already */
    int64_t offset[ILEX_MAX_RANK];
    ix_shift_by data;    /* amounts that are none of these */
    bool is_data, moves; /* are there any; is there another offset than 0 */
    ix_item item[ILEX_MAX_RANK]; /* selections */
    int nitems;
    uint32_t seen;
} named_subscript;

/* The axis that "name" is, of which nothing else speaks. */
static int
take_axis(ix_parser *p, named_subscript *s, const ix_syntax *name)
{
    int k = ix_parse_axis_of(p, s->x, name);
    if (s->seen >> k & 1)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &name->word,
                    "axis %s appears twice in the subscript",
                    ix_parse_shown(p, name));
    s->seen |= (uint32_t)1 << k;
    return k;
}

/* By how much "I+s", "I+2*s-1" shifts, which is data; NULL for anything else.
 */
static ilex_array *
read_amount(ix_parser *p, const ix_syntax *x)
{
    ilex_array *sum = NULL;
    if (x->kind != IX_SYNTAX_CHAIN || x->part[0]->kind != IX_SYNTAX_NAME)
        return NULL;
    for (size_t i = 0; i < x->nlinks; i++) {
        ix_op op = x->link[i].op;
        if (op != IX_OP_ADD && op != IX_OP_SUBTRACT)
            return NULL;
        if (ix_syntax_is_half(x->link[i].operand))
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                        "a shift is one number: [I+1] moves by a cell along "
                        "I+1/2 as along I, [I+3/2] from one to the other");
        ilex_array *v = ix_parse_expr(p, x->link[i].operand);
        ilex_array *ops[2] = {sum, v};
        ix_parser_at(p, &x->link[i].word);
        if (sum)
            v = ix_build_op(p->ctx, op, ops);
        else if (op == IX_OP_SUBTRACT)
            v = ix_build_op(p->ctx, IX_OP_NEGATIVE, &v);
        sum = ix_parser_array(p, v);
    }
    return sum;
}

/* "I+s": the axis and the amount; false for what is no shift. */
static bool
read_shift_by(ix_parser *p, named_subscript *s, const ix_syntax *x)
{
    ilex_array *by = read_amount(p, x);
    if (!by)
        return false;
    s->data.by[take_axis(p, s, x->part[0])] = by;
    s->is_data = true;
    return true;
}

/* "I+2", "I-1/2", "I+s" */
static void
read_named_shift(ix_parser *p, named_subscript *s, const ix_colons *r)
{
    shift by;
    bool plain = !r->ellipsis && r->n == 1;
    if (plain && !read_shift(p, r->part[0], &by) &&
        read_shift_by(p, s, r->part[0]))
        return;
    if (!plain || !read_shift(p, r->part[0], &by))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "along named axes a subscript is a shift, u[I+1, J-1], "
                    "u[I+s], or a selection, u[I=3], u[I=2:10]");
    int k = take_axis(p, s, by.axis);
    if (by.halves % 2)
        s->x = ix_parser_array(
            p, ix_build_shift_halves(p->ctx, s->x, k, by.halves));
    else
        s->offset[k] = by.halves / 2;
    s->moves |= s->offset[k] != 0;
}

/* The bound at a place of an item; NULL where there is none. */
static const ix_lin *
bound(ix_parser *p, const ix_syntax *x)
{
    return x ? ix_parse_lin(p, x) : NULL;
}

/* "I=3", "I=2:10" */
static void
read_selection(ix_parser *p, named_subscript *s, const ix_colons *r)
{
    ix_item *item = &s->item[s->nitems++];
    if (r->n == 3)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &r->where,
                    "steps are for unnamed axes; a named axis keeps its "
                    "indices");
    *item = (ix_item){.kind = r->n == 1 ? IX_ITEM_AT : IX_ITEM_RANGE,
                      .axis = take_axis(p, s, r->axis),
                      .lo = bound(p, r->part[0]),
                      .hi = r->n > 1 ? bound(p, r->part[1]) : NULL,
                      .step = 1};
}

ilex_array *
ix_parse_ranges_of(ix_parser *p, const ix_colons_list *ranges, ilex_array *a)
{
    named_subscript s = {.x = a};
    bool named = ix_rank(a) > 0 && ix_domain_named(a->interior);
    for (size_t i = 0; ranges && i < ranges->n; i++) {
        const ix_colons *r = &ranges->item[i];
        if (r->axis && (!named || r->n != 2))
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "a reduction over a part of a named axis says its "
                        "range, for example sum[I=1:n](u)");
        if (r->axis && s.nitems < ILEX_MAX_RANK)
            read_selection(p, &s, r);
    }
    return s.nitems ? ix_parser_array(
                          p, ix_build_select(p->ctx, a, s.nitems, s.item))
                    : a;
}

static ilex_array *
subscript_named(ix_parser *p, const ix_syntax *x, ilex_array *a)
{
    named_subscript s = {.x = a};
    ix_outside mode;
    const ix_syntax *value;
    ix_behind behind = ix_parse_behind(p, x, &mode, &value);
    for (size_t i = 0; i < x->ranges->n; i++) {
        const ix_colons *r = &x->ranges->item[i];
        if (i == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &r->where,
                        "more than %d axes in a subscript", ILEX_MAX_RANK);
        if (r->axis)
            read_selection(p, &s, r);
        else
            read_named_shift(p, &s, r);
    }
    if (s.is_data) {
        s.data.trusted = behind == IX_BEHIND_UNCHECKED;
        s.data.outside = behind == IX_BEHIND_OUTSIDE;
        s.data.mode = mode;
        s.data.value = value ? ix_parse_expr(p, value) : NULL;
        ix_parser_at(p, &x->word);
        s.x = ix_parser_array(p, ix_build_shift_by(p->ctx, s.x, &s.data));
    }
    ix_parser_at(p, &x->word);
    const ix_domain *interior = s.x->interior;
    bool pads = behind == IX_BEHIND_OUTSIDE && (s.moves || !s.is_data);
    if (pads)
        s.x = padded(p, s.x, s.offset, mode, value);
    a = ix_parser_array(p, ix_build_shift(p->ctx, s.x, s.offset));
    if (pads)
        a = ix_parser_array(
            p, ix_build_restrict(p->ctx, "subscript", a, interior));
    return s.nitems ? ix_build_select(p->ctx, a, s.nitems, s.item) : a;
}

/* ---- unnamed axes ---- */

/* A new axis of length 1, NumPy's None? */
static bool
is_new_axis(ix_parser *p, const ix_colons *r)
{
    const ix_syntax *x = r->n == 1 && !r->axis ? r->part[0] : NULL;
    return x && x->kind == IX_SYNTAX_NAME && ix_word_is(&x->word, "None") &&
           !ix_parse_is_computed(p, x);
}

static ix_item
read_item(ix_parser *p, const ix_colons *r, bool trusted)
{
    ix_item item = {.kind = IX_ITEM_ELLIPSIS, .step = 1};
    if (r->ellipsis)
        return item;
    item.kind = IX_ITEM_NEW;
    if (is_new_axis(p, r))
        return item;
    if (r->n == 1 && (ix_parse_is_computed(p, r->part[0]) ||
                      !ix_parse_is_form(r->part[0]))) {
        item.kind = IX_ITEM_ARRAY;
        item.trusted = trusted;
        item.array = ix_parse_expr(p, r->part[0]);
        return item;
    }
    item.kind = r->n == 1 ? IX_ITEM_AT : IX_ITEM_RANGE;
    item.lo = bound(p, r->part[0]);
    item.hi = r->n > 1 ? bound(p, r->part[1]) : NULL;
    if (r->n == 3 && r->part[2])
        item.step = ix_parse_int(p, r->part[2]);
    return item;
}

void
ix_parse_refuse_new_axes(ix_parser *p, const ix_syntax *call)
{
    const ix_syntax *read = call->part[0];
    const ix_colons_list *all = read->ranges;
    ix_syntax without = *read;
    ix_colons_list kept = {0};
    kept.item = ix_arena_new(&p->reader.arena, all->n * sizeof *kept.item);
    for (size_t i = 0; i < all->n; i++)
        if (!is_new_axis(p, &all->item[i]))
            kept.item[kept.n++] = all->item[i];
    without.ranges = &kept;
    const ix_word *what = &call->word;
    if (kept.n < all->n)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &read->word,
                    "%.*s: None makes an axis that %s lacks; write "
                    "%.*s(%s, %s), the value without that axis",
                    (int)what->length, what->text,
                    ix_parse_shown(p, read->part[0]), (int)what->length,
                    what->text, ix_parse_shown(p, &without),
                    ix_parse_shown(p, call->part[1]));
}

/* Is an item a name that stands for nothing? */
static bool
is_free_index(ix_parser *p, const ix_colons *r)
{
    const ix_syntax *x = r->n == 1 && !r->ellipsis ? r->part[0] : NULL;
    return x && x->kind == IX_SYNTAX_NAME && !p->new_sizes &&
           !ix_parser_find(p, &x->word, IX_NAME_SIZE) &&
           !ix_parse_is_computed(p, x) && !is_new_axis(p, r);
}

/* "x[i, j]" outside a map, with the map that it was meant to be. */
static void
refuse_free_indices(ix_parser *p, const ix_syntax *x, const ilex_array *a)
{
    ix_text axes, indices;
    const ix_colons *item = x->ranges->item;
    size_t n = x->ranges->n;
    ix_text_init(&axes, &p->mem);
    ix_text_init(&indices, &p->mem);
    for (size_t i = 0; i < n; i++) {
        if (n != (size_t)ix_rank(a) || !is_free_index(p, &item[i]))
            return;
        const ix_word *w = &item[i].part[0]->word;
        const char *comma = i ? ", " : "";
        ix_text_format(&indices, "%s%.*s", comma, (int)w->length, w->text);
        ix_text_format(&axes, "%s%.*s:%s", comma, (int)w->length, w->text,
                       ix_lin_show(p->ctx, a->interior->ax[i].hi).s);
    }
    const char *s = ix_text_string(&axes), *t = ix_text_string(&indices);
    const ix_word *w = &item[0].part[0]->word;
    if (s && t)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, w,
                    "there is no size '%.*s'; an index that runs is that of a "
                    "map: map a[%s] = %s[%s]",
                    (int)w->length, w->text, s, ix_parse_shown(p, x->part[0]),
                    t);
}

static ilex_array *
subscript_unnamed(ix_parser *p, const ix_syntax *x, ilex_array *a)
{
    ix_item item[IX_MOST_ITEMS];
    int n = 0;
    ix_outside mode;
    const ix_syntax *value;
    ix_behind behind = ix_parse_behind(p, x, &mode, &value);
    bool trusted = behind == IX_BEHIND_UNCHECKED;
    if (x->ranges->n)
        refuse_free_indices(p, x, a);
    if (behind == IX_BEHIND_OUTSIDE)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "unnamed axes are never read outside by a subscript; use "
                    "pad(%s; ...), or a map: x[i-1; wrap]",
                    ix_parse_shown(p, x->part[0]));
    for (size_t i = 0; i < x->ranges->n; i++) {
        const ix_colons *r = &x->ranges->item[i];
        if (r->axis)
            ix_lex_fail(&p->reader, ILEX_E_AXIS, &r->where,
                        "%s has no axis %s; its axes have no names",
                        ix_parse_shown(p, x->part[0]),
                        ix_parse_shown(p, r->axis));
        if (n == IX_MOST_ITEMS)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &r->where,
                        "more than %d items", IX_MOST_ITEMS);
        item[n++] = read_item(p, r, trusted);
    }
    ix_parser_at(p, &x->word);
    return ix_build_items(p->ctx, a, n, item);
}

ilex_array *
ix_parse_subscript(ix_parser *p, const ix_syntax *x, ilex_array *a)
{
    bool named = ix_rank(a) > 0 && ix_domain_named(a->interior);
    ilex_array *r = ix_parser_array(p, named ? subscript_named(p, x, a)
                                             : subscript_unnamed(p, x, a));
    return ix_parser_depth(p, &x->word, 1, &a, r);
}

ilex_array *
ix_parse_subscripted(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *of = x->part[0];
    return of->kind == IX_SYNTAX_NAME ? ix_parser_named(p, &of->word)
                                      : ix_parse_expr(p, of);
}
