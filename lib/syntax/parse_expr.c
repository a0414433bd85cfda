/* SPDX-License-Identifier: MIT
 *
 * Meaning of expressions. Field expressions and bodies of index lambdas share
 * literals, operators, calls and conversions, because ix_build_op() takes
 * arrays and scalars alike; names, subscripts and reductions differ
 * (lib/syntax/parse_field.c, lib/syntax/parse_lambda.c).
 */
#include "lib/build/random.h"
#include "lib/ops/dtype.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"

enum { MAX_ARITY = 3 };

/* ---- literals ---- */

static ilex_array *
integer(ix_parser *p, const ix_syntax *x)
{
    return ilex_lit_int(p->ctx, ix_parse_int(p, x));
}

/* The real at "word", without the "j" of an imaginary one. */
static double
real_value(ix_parser *p, const ix_word *word)
{
    char buffer[128] = "";
    double v = 0;
    if (word->length >= (int)sizeof buffer)
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                    "a number of %d characters; 17 digits give every f64",
                    (int)word->length);
    memcpy(buffer, word->text, (size_t)word->length);
    buffer[strcspn(buffer, "j")] = 0;
    ix_text_scan_real(buffer, &v);
    if (v - v != 0)
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                    "the number %.*s does not fit f64; write inf for infinity",
                    (int)word->length, word->text);
    return v;
}

/* A weak complex number without a real part. */
static ilex_array *
imaginary(ix_parser *p, const ix_syntax *x)
{
    ix_value v = {.f = 0, .im = real_value(p, &x->word)};
    return ix_scalar_weak(p->ctx, ILEX_C128, v);
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
    const ix_syntax *form = single(p, x, "size(n)");
    if (form->kind != IX_SYNTAX_NAME && form->kind != IX_SYNTAX_CHAIN &&
        form->kind != IX_SYNTAX_CALL && form->kind != IX_SYNTAX_PAREN)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &form->word,
                    "expected sizes, for example size(n) or size(n*m)");
    return ix_index_lin(p->ctx, ix_parse_lin(p, form));
}

/* The index of a map that is called "axis", or whose axis is; -1: none. */
static int
map_index(const ix_parser *p, int32_t axis)
{
    const ix_lambda_env *env = p->lambda;
    return env->hidden || !env->indices
               ? -1
               : ix_indices_find(p->ctx, env->indices,
                                 ix_symbol_text(p->ctx, axis));
}

_Noreturn static void
no_index(ix_parser *p, const ix_word *word, int32_t axis)
{
    const ix_lambda_env *env = p->lambda;
    const ix_domain *called = env->hidden || !env->indices
                                  ? env->dom
                                  : ix_indices_called(p, env->indices);
    ix_lex_fail(
        &p->reader, ILEX_E_AXIS, word,
        "the map has no index %s; it covers [%s]%s",
        ix_symbol_text(p->ctx, axis), ix_domain_show(p->ctx, called).s,
        ix_domain_suggest(p->ctx, called, word->text, (size_t)word->length).s);
}

static ilex_array *
index_value(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *name = single(p, x, "index(I)");
    int32_t axis = ix_parse_axis(p, name);
    ix_parser_at(p, &x->word);
    if (!p->lambda)
        return ix_build_index(p->ctx, axis);
    int k = map_index(p, axis);
    if (k < 0)
        no_index(p, &name->word, axis);
    return ix_scalar_index(p->ctx, k);
}

/* clip(x, lo, hi): not below lo, then not above hi */
static ilex_array *
clip(ix_parser *p, const ix_syntax *x)
{
    static const ix_op side[] = {IX_OP_MAXIMUM, IX_OP_MINIMUM};
    if (x->nparts != 3)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "clip takes 3 operands, clip(x, lo, hi), not %zu",
                    x->nparts);
    ilex_array *args[2] = {ix_parse_expr(p, x->part[0]), NULL};
    for (int i = 0; i < 2; i++) {
        args[1] = ix_parse_expr(p, x->part[i + 1]);
        args[0] = apply(p, &x->word, side[i], args);
    }
    return args[0];
}

/* A reduction, over all axes if there are no brackets. */
static ilex_array *
reduce(ix_parser *p, const ix_syntax *x, const ix_reducer *r)
{
    const ix_word *w = &x->word;
    if (x->nparts != 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "%.*s reduces one operand, not %zu", (int)w->length,
                    w->text, x->nparts);
    if (x->ranges && x->ranges->n == 0)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "%.*s[] says no axes; write %.*s(x) for all of them, "
                    "%.*s[I](x) or %.*s[0](x) for one",
                    (int)w->length, w->text, (int)w->length, w->text,
                    (int)w->length, w->text, (int)w->length, w->text);
    if (p->lambda && r->variance)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "%s reduces a whole array; give it a name with let before "
                    "the map, and read that at an index",
                    r->name);
    return p->lambda ? ix_parse_lambda_reduce(p, x, r->reduction)
                     : ix_parse_field_reduce(p, x, r);
}

static ilex_array *
reduction(ix_parser *p, const ix_syntax *x)
{
    ix_reducer r;
    const ix_word *w = &x->word;
    if (!ix_reducer_find(w->text, (size_t)w->length, &r))
        ix_parser_unknown(p, w, "reduction");
    return reduce(p, x, &r);
}

/* Fails if a call that has no attributes is given some. */
static void
no_attributes(ix_parser *p, const ix_syntax *x)
{
    if (x->attributes.n)
        ix_lex_fail(
            &p->reader, ILEX_E_SYNTAX, &x->attributes.item[0].value[0]->word,
            "%.*s has no attributes", (int)x->word.length, x->word.text);
}

/* random(key, i, …) or random_f32 */
static ilex_array *
random_value(ix_parser *p, const ix_syntax *x)
{
    ilex_array *arg[1 + IX_RANDOM_WORDS];
    bool single = ix_word_is(&x->word, "random_f32");
    if (x->nparts < 2 || x->nparts > 1 + IX_RANDOM_WORDS)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s takes a key and 1 to %d integers, for example "
                    "random(key, i)",
                    (int)x->word.length, x->word.text, (int)IX_RANDOM_WORDS);
    for (size_t i = 0; i < x->nparts; i++)
        arg[i] = ix_parse_expr(p, x->part[i]);
    ix_parser_at(p, &x->word);
    int count = (int)x->nparts - 1;
    ilex_array *r =
        p->lambda ? ix_random_scalar(p->ctx, single, p->lambda->box, arg[0],
                                     count, arg + 1)
                  : ix_build_random(p->ctx, single, arg[0], count, arg + 1);
    return ix_parser_depth(p, &x->word, count + 1, arg, ix_parser_array(p, r));
}

bool
ix_parse_is_builtin(const ix_word *w)
{
    static const char *const names[] = {
#define WORD_function(word) word,
#define WORD_reduction(word)
#define WORD_clause(word)
#define WORD_mode(word)
#define WORD_constant(word)
#define IX_WORD(word, class, example, meaning) WORD_##class(word)
#include "lib/syntax/words.def"
    };
    for (size_t i = 0; i < IX_COUNT(names); i++)
        if (ix_word_is(w, names[i]))
            return true;
    return false;
}

/* Functions that are read by themselves, as words.def has them. */
static const struct {
    const char *word;
    ilex_array *(*parse)(ix_parser *p, const ix_syntax *x);
} builtins[] = {{"clip", clip},
                {"concat_where", ix_parse_region},
                {"einsum", ix_parse_einsum_call},
                {"index", index_value},
                {"next", ix_parse_next_value},
                {"random", random_value},
                {"random_f32", random_value},
                {"restrict", ix_parse_region},
                {"size", size_value}};

static ilex_array *
call(ix_parser *p, const ix_syntax *x)
{
    const ix_word *w = &x->word;
    const ix_signature *s = ix_signature_find(w->text, (size_t)w->length);
    ilex_dtype dtype;
    ix_op op;
    ix_reducer r;
    ix_parser_later(p, w);
    if (s)
        return ix_parse_call(p, x, s);
    if (ix_parser_function(p, w))
        return ix_parse_user_value(p, x);
    bool is_op = ix_op_find(w->text, (size_t)w->length, &op);
    if (ix_reducer_find(w->text, (size_t)w->length, &r) &&
        (x->nparts == 1 || !is_op))
        return reduce(p, x, &r);
    for (size_t i = 0; i < IX_COUNT(builtins); i++)
        if (ix_word_is(w, builtins[i].word)) {
            no_attributes(p, x);
            return ix_parser_array(p, builtins[i].parse(p, x));
        }
    if (!is_op && !ix_dtype_find(w->text, (size_t)w->length, &dtype))
        ix_parser_unknown(p, w, "function");
    no_attributes(p, x);
    return is_op ? call_op(p, op, x)
                 : ix_parser_array(p, conversion(p, dtype, x));
}

/* ---- names and operators ---- */

static ilex_array *
name(ix_parser *p, const ix_syntax *x)
{
    double v;
    const ix_word *w = &x->word;
    if (constant_name(w, &v))
        return ilex_lit(p->ctx, v);
    if (ix_word_is(w, "true") || ix_word_is(w, "false"))
        return ilex_bool(p->ctx, ix_word_is(w, "true"));
    ilex_array *a =
        p->lambda ? ix_parse_lambda_name(p, w) : ix_parse_field_name(p, w);
    if (!a && ix_word_is(w, "pi")) /* unless anything is called so */
        a = ilex_lit(p->ctx, 0x1.921fb54442d18p1);
    if (!a)
        ix_parser_unknown(p, w,
                          p->lambda ? "index, array or size" : "array or size");
    return a;
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

const char *
ix_parse_shown(ix_parser *p, const ix_syntax *x)
{
    ix_mem mem = ix_arena_mem(&p->reader.arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_fmt_expr(&t, x);
    return ix_text_string(&t);
}

ilex_array *
ix_parse_expr(ix_parser *p, const ix_syntax *x)
{
    switch (x->kind) {
    case IX_SYNTAX_INT:
    case IX_SYNTAX_REAL:
        return ix_parser_array(p, literal_array(p, x));
    case IX_SYNTAX_IMAGINARY:
        return ix_parser_array(p, imaginary(p, x));
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
        return p->lambda ? ix_parse_lambda_index(p, x)
                         : ix_parse_subscript(p, x, ix_parse_subscripted(p, x));
    case IX_SYNTAX_LET:
        return ix_parse_local(p, x);
    case IX_SYNTAX_REDUCE:
        return reduction(p, x);
    case IX_SYNTAX_STRING:
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "a string stands in einsum(\"ij,jk->ik\", a, b) and in "
                    "tags alone");
    case IX_SYNTAX_LIST:
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "a list does not belong here");
    }
    return ix_poison_again(p->ctx);
}
