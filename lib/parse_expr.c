/* SPDX-License-Identifier: MIT
 *
 * Meaning of expressions. Field expressions and bodies of index lambdas share
 * literals, operators, calls and conversions, because ix_build_op() takes
 * arrays and scalars alike; names, subscripts and reductions differ
 * (lib/parse_lambda.c).
 */
#include "lib/dtype.h"
#include "lib/parse.h"

#include <stdio.h>

enum { MAX_ARITY = 3 };

/* ---- literals ---- */

static ilex_array *
integer(ix_parser *p, const ix_syntax *x)
{
    return ilex_lit_int(p->ctx, ix_parse_int(p, x));
}

/* The real at "word". */
static double
real_value(ix_parser *p, const ix_word *word)
{
    char buffer[128];
    double v = 0;
    if (word->length >= (int)sizeof buffer)
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                    "a number of %d characters; 17 digits give every f64",
                    (int)word->length);
    memcpy(buffer, word->text, (size_t)word->length);
    buffer[word->length] = 0;
    ix_text_scan_real(buffer, &v);
    if (v - v != 0)
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                    "the number %.*s does not fit f64; write inf for infinity",
                    (int)word->length, word->text);
    return v;
}

static bool
constant_name(const ix_word *word, double *v)
{
    if (ix_word_is(word, "nan"))
        *v = __builtin_nan("");
    else if (ix_word_is(word, "inf"))
        *v = __builtin_inf();
    else
        return false;
    return true;
}

bool
ix_parse_is_constant_name(const char *text, size_t length)
{
    static const char *const names[] = {"true", "false", "nan", "inf"};
    for (size_t i = 0; i < IX_COUNT(names); i++)
        if (strlen(names[i]) == length && !memcmp(names[i], text, length))
            return true;
    return false;
}

/* A signed literal: an integer, a real, nan or inf. */
typedef struct literal {
    bool negative, is_integer;
    uint64_t digits;
    double real;
    const ix_word *word;
} literal;

static bool
read_literal(ix_parser *p, const ix_syntax *x, literal *lit)
{
    lit->negative = x->kind == IX_SYNTAX_PREFIX && x->op == IX_OP_NEGATIVE;
    const ix_syntax *v = lit->negative ? x->part[0] : x;
    lit->word = &v->word;
    lit->is_integer = v->kind == IX_SYNTAX_INT;
    if (lit->is_integer) {
        lit->digits = ix_parse_digits(p, &v->word);
        lit->real = (double)lit->digits;
    } else if (v->kind == IX_SYNTAX_REAL) {
        lit->real = real_value(p, &v->word);
    } else if (v->kind != IX_SYNTAX_NAME ||
               !constant_name(&v->word, &lit->real)) {
        return false;
    }
    if (lit->negative)
        lit->real = -lit->real;
    return true;
}

static ilex_array *
literal_array(ix_parser *p, const ix_syntax *x)
{
    literal lit;
    read_literal(p, x, &lit);
    return lit.is_integer ? integer(p, x) : ilex_lit(p->ctx, lit.real);
}

/* ---- conversions ---- */

/* An integer literal as a constant of an integer dtype, which it must fit. */
static ilex_array *
exact_integer(ix_parser *p, ilex_dtype dtype, const literal *lit)
{
    unsigned bits = (unsigned)ilex_dtype_bytes(dtype) * 8;
    bool is_signed = ix_dtype_kind(dtype) == 'i';
    uint64_t high = is_signed    ? ((uint64_t)1 << (bits - 1)) - 1
                    : bits == 64 ? UINT64_MAX
                                 : ((uint64_t)1 << bits) - 1;
    uint64_t low = is_signed ? high + 1 : 0;
    if (lit->digits > (lit->negative ? low : high))
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, lit->word,
                    "the integer %s%.*s does not fit %s",
                    lit->negative ? "-" : "", (int)lit->word->length,
                    lit->word->text, ilex_dtype_name(dtype));
    ix_value v = {.u = lit->negative ? 0 - lit->digits : lit->digits};
    return ix_scalar_const(p->ctx, dtype, v);
}

static ilex_array *
constant(ix_parser *p, ilex_dtype dtype, const literal *lit)
{
    if (lit->is_integer && ix_dtype_is_integer(dtype))
        return exact_integer(p, dtype, lit);
    return ix_build_cast(p->ctx, dtype, ilex_lit(p->ctx, lit->real));
}

/* "value" as a part of "dtype". */
static double
part_of(ilex_dtype dtype, double value)
{
    return ix_dtype_part(dtype) == ILEX_F32 ? (double)(float)value : value;
}

/* c128(re, im) of two literals. */
static ilex_array *
complex_constant(ix_parser *p, ilex_dtype dtype, const ix_syntax *x)
{
    literal re, im;
    if (!ix_dtype_is_complex(dtype) || !read_literal(p, x->part[0], &re) ||
        !read_literal(p, x->part[1], &im))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s converts one value; a complex constant is two "
                    "numbers, for example c128(0.5, -1.0)",
                    (int)x->word.length, x->word.text);
    ix_value v = {.f = part_of(dtype, re.real), .im = part_of(dtype, im.real)};
    return ix_scalar_const(p->ctx, dtype, v);
}

ilex_array *
ix_parse_constant(ix_parser *p, ilex_dtype dtype, const ix_syntax *x)
{
    literal lit;
    ix_parser_at(p, &x->word);
    if (read_literal(p, x, &lit))
        return ix_parser_array(p, constant(p, dtype, &lit));
    ilex_array *value = ix_parse_expr(p, x);
    if (value->kind != IX_CONST || ix_is_array(value))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "the values of a constant are literals");
    return ix_parser_array(p, ix_build_cast(p->ctx, dtype, value));
}

static ilex_array *
conversion(ix_parser *p, ilex_dtype dtype, const ix_syntax *x)
{
    literal lit;
    if (x->nparts == 2)
        return complex_constant(p, dtype, x);
    if (x->nparts != 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s takes one value, for example %.*s(x)",
                    (int)x->word.length, x->word.text, (int)x->word.length,
                    x->word.text);
    if (read_literal(p, x->part[0], &lit))
        return constant(p, dtype, &lit);
    ilex_array *value = ix_parse_expr(p, x->part[0]);
    ix_parser_at(p, &x->word);
    ilex_array *r = ix_parser_array(p, ix_build_cast(p->ctx, dtype, value));
    return ix_parser_depth(p, &x->word, 1, &value, r);
}

/* ---- calls ---- */

static ilex_array *
apply(ix_parser *p, const ix_word *where, ix_op op, ilex_array *const *args)
{
    ix_parser_at(p, where);
    ilex_array *r = ix_parser_array(p, ix_build_op(p->ctx, op, args));
    return ix_parser_depth(p, where, ix_op_info_of(op)->arity, args, r);
}

static ilex_array *
call_op(ix_parser *p, ix_op op, const ix_syntax *x)
{
    int arity = ix_op_info_of(op)->arity;
    if ((size_t)arity != x->nparts)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s takes %d operand%s, not %zu", (int)x->word.length,
                    x->word.text, arity, arity == 1 ? "" : "s", x->nparts);
    ilex_array *args[MAX_ARITY];
    for (int i = 0; i < arity; i++)
        args[i] = ix_parse_expr(p, x->part[i]);
    return apply(p, &x->word, op, args);
}

/* The single part of size(n) or index(I). */
static const ix_syntax *
single(ix_parser *p, const ix_syntax *x, const char *example)
{
    if (x->nparts != 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s takes one name, for example %s", (int)x->word.length,
                    x->word.text, example);
    return x->part[0];
}

static ilex_array *
size_value(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *name = single(p, x, "size(n)");
    if (name->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &name->word,
                    "expected the name of a size, for example size(n)");
    return ix_scalar_size(p->ctx, ix_parser_size(p, &name->word));
}

static ilex_array *
index_value(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *name = single(p, x, "index(I)");
    int32_t axis = ix_parse_axis(p, name);
    ix_parser_at(p, &x->word);
    if (!p->lambda)
        return ix_build_index(p->ctx, axis);
    int k = ix_domain_find(p->lambda->dom, axis);
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &name->word,
                    "the map has no axis %s; it covers [%s]",
                    ix_symbol_text(p->ctx, axis),
                    ix_domain_show(p->ctx, p->lambda->dom).s);
    return ix_scalar_index(p->ctx, k);
}

static ilex_array *
call(ix_parser *p, const ix_syntax *x)
{
    const ix_word *w = &x->word;
    ilex_dtype dtype;
    ix_op op;
    if (ix_op_find(w->text, (size_t)w->length, &op))
        return call_op(p, op, x);
    if (ix_dtype_find(w->text, (size_t)w->length, &dtype))
        return ix_parser_array(p, conversion(p, dtype, x));
    if (ix_word_is(w, "size"))
        return ix_parser_array(p, size_value(p, x));
    if (ix_word_is(w, "index"))
        return ix_parser_array(p, index_value(p, x));
    ix_reduction r;
    if (ix_reduction_find(w->text, (size_t)w->length, &r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "a reduction says over which axes, for example "
                    "%.*s[I](x), or %.*s[0](x) for unnamed ones",
                    (int)w->length, w->text, (int)w->length, w->text);
    ix_parser_unknown(p, w, "function");
}

/* ---- field expressions: subscripts and reductions ---- */

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
add_shift(ix_parser *p, ilex_array *x, const ix_range *r, int64_t *offset,
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

static ilex_array *
field_index(ix_parser *p, const ix_syntax *x)
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
reduced_axis(ix_parser *p, const ilex_array *a, const ix_range *r)
{
    const ix_syntax *x = r->part[0];
    if (r->n > 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
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

static ilex_array *
field_reduce(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_array *a = ix_parse_expr(p, x->part[0]);
    uint32_t mask = 0;
    for (size_t i = 0; i < x->ranges->n; i++) {
        const ix_range *item = &x->ranges->item[i];
        int k = reduced_axis(p, a, item);
        if (mask >> k & 1)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &item->part[0]->word,
                        "axis %d is listed twice", k);
        mask |= 1u << k;
    }
    ix_parser_at(p, &x->word);
    ilex_array *result =
        ix_parser_array(p, ix_build_reduce(p->ctx, r, a, mask, false));
    return ix_parser_depth(p, &x->word, 1, &a, result);
}

static ilex_array *
reduce(ix_parser *p, const ix_syntax *x)
{
    ix_reduction r;
    const ix_word *w = &x->word;
    if (!ix_reduction_find(w->text, (size_t)w->length, &r))
        ix_parser_unknown(p, w, "reduction");
    if (x->nparts != 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "%.*s reduces one operand, not %zu", (int)w->length,
                    w->text, x->nparts);
    return p->lambda ? ix_parse_lambda_reduce(p, x, r) : field_reduce(p, x, r);
}

/* ---- names and operators ---- */

static ilex_array *
field_name(ix_parser *p, const ix_word *w)
{
    ix_name *name = ix_parser_find(p, w->text, (size_t)w->length, false);
    if (name)
        return name->array;
    name = ix_parser_find(p, w->text, (size_t)w->length, true);
    if (name)
        return ix_scalar_size(p->ctx, name->param);
    ix_parser_unknown(p, w, "array or size");
}

static ilex_array *
name(ix_parser *p, const ix_syntax *x)
{
    double v;
    const ix_word *w = &x->word;
    if (constant_name(w, &v))
        return ilex_lit(p->ctx, v);
    if (ix_word_is(w, "true") || ix_word_is(w, "false"))
        return ilex_bool(p->ctx, ix_word_is(w, "true"));
    return p->lambda ? ix_parse_lambda_name(p, w) : field_name(p, w);
}

static ilex_array *
chain(ix_parser *p, const ix_syntax *x)
{
    ilex_array *args[2] = {ix_parse_expr(p, x->part[0]), NULL};
    for (size_t i = 0; i < x->nlinks; i++) {
        args[1] = ix_parse_expr(p, x->link[i].operand);
        args[0] = apply(p, &x->link[i].word, x->link[i].op, args);
    }
    return args[0];
}

static ilex_array *
prefix(ix_parser *p, const ix_syntax *x)
{
    literal lit;
    if (read_literal(p, x, &lit))
        return literal_array(p, x);
    ilex_array *arg = ix_parse_expr(p, x->part[0]);
    return apply(p, &x->word, x->op, &arg);
}

ilex_array *
ix_parse_expr(ix_parser *p, const ix_syntax *x)
{
    switch (x->kind) {
    case IX_SYNTAX_INT:
    case IX_SYNTAX_REAL:
        return ix_parser_array(p, literal_array(p, x));
    case IX_SYNTAX_NAME:
        return ix_parser_array(p, name(p, x));
    case IX_SYNTAX_PAREN:
        return ix_parse_expr(p, x->part[0]);
    case IX_SYNTAX_PREFIX:
        return ix_parser_array(p, prefix(p, x));
    case IX_SYNTAX_CHAIN:
        return chain(p, x);
    case IX_SYNTAX_CALL:
        return call(p, x);
    case IX_SYNTAX_INDEX:
        return p->lambda ? ix_parse_lambda_index(p, x) : field_index(p, x);
    case IX_SYNTAX_REDUCE:
        return reduce(p, x);
    }
    return ix_poison_again(p->ctx);
}
