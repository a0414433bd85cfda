/* SPDX-License-Identifier: MIT
 *
 * Meaning of what only bodies of index lambdas have: index variables,
 * absolute subscripts; the statements `map` and `const`.
 */
#include "lib/build/scan.h"
#include "lib/ops/dtype.h"
#include "lib/shape/access.h"
#include "lib/syntax/parse.h"

/* ---- names ---- */

int
ix_parse_numbered(const ix_word *word, const char *prefix)
{
    int n = (int)strlen(prefix), v = 0;
    if (word->length <= n || word->length > n + 4 ||
        memcmp(word->text, prefix, (size_t)n))
        return -1;
    for (int i = n; i < word->length; i++) {
        if (word->text[i] < '0' || word->text[i] > '9')
            return -1;
        v = 10 * v + word->text[i] - '0';
    }
    return v;
}

static bool
same_word(const ix_word *a, const ix_word *b)
{
    return a->length == b->length &&
           !memcmp(a->text, b->text, (size_t)a->length);
}

/* The reduction index called "word", by its name or as _r<number>. */
static ilex_array *
find_rindex(ix_parser *p, const ix_word *word)
{
    const ix_lambda_env *env = p->lambda;
    int number = ix_parse_numbered(word, "_r");
    for (int i = env->nrindex - 1; i >= 0; i--)
        if (env->rindex[i].number == number ||
            same_word(&env->rindex[i].name, word))
            return ix_scalar_rindex(p->ctx, env->rindex[i].number);
    if (number >= 0)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "no reduction around this place has the index %.*s",
                    (int)word->length, word->text);
    return NULL;
}

/* The index called "word", by its name or as _<number>. */
static ilex_array *
find_index(ix_parser *p, const ix_word *word)
{
    const ix_lambda_env *env = p->lambda;
    const ix_domain *dom = env->dom;
    const ix_indices *in = env->hidden ? NULL : env->indices;
    int k = ix_parse_numbered(word, "_");
    if (k >= dom->rank)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, word,
                    "the map has %d axes; the last index is _%d",
                    (int)dom->rank, (int)dom->rank - 1);
    for (int j = 0; in && k < 0 && j < dom->rank; j++)
        if (in->at[j].variable &&
            ix_word_is(word, ix_symbol_text(p->ctx, in->at[j].variable)))
            k = j;
    return k < 0 ? NULL : ix_scalar_index(p->ctx, k);
}

/* The value of a let called "word", NULL if there is none. The index of a
 * reduction inside of it hides it. */
static ilex_array *
find_local(ix_parser *p, const ix_word *word)
{
    const ix_lambda_env *env = p->lambda;
    const ix_body_let *l = env->local;
    while (l && !same_word(&l->name, word))
        l = l->outer;
    for (int i = env->nrindex - 1; l && i >= l->nrindex; i--)
        if (same_word(&env->rindex[i].name, word))
            return NULL;
    return l ? l->value : NULL;
}

ilex_array *
ix_parse_local(ix_parser *p, const ix_syntax *x)
{
    ix_lambda_env *env = p->lambda;
    ix_parser_check_name(p, "value", &x->word);
    ix_body_let local = {env->local, x->word, ix_parse_expr(p, x->part[0]),
                         env->nrindex};
    env->local = &local;
    ilex_array *y = ix_parse_expr(p, x->part[1]);
    env->local = local.outer;
    return y;
}

bool
ix_parse_is_computed(ix_parser *p, const ix_syntax *x)
{
    bool found = x->kind == IX_SYNTAX_INDEX || x->kind == IX_SYNTAX_REDUCE;
    if (x->kind == IX_SYNTAX_INT || x->kind == IX_SYNTAX_REAL ||
        x->kind == IX_SYNTAX_IMAGINARY)
        return false;
    if (x->kind == IX_SYNTAX_NAME)
        return (p->lambda &&
                (ix_parse_numbered(&x->word, "_") >= 0 ||
                 ix_parse_numbered(&x->word, "_r") >= 0 ||
                 find_local(p, &x->word) || find_rindex(p, &x->word) ||
                 find_index(p, &x->word))) ||
               ix_parser_find(p, &x->word, IX_NAME_ARRAY);
    for (size_t i = 0; !found && i < x->nparts; i++)
        found = ix_parse_is_computed(p, x->part[i]);
    for (size_t i = 0; !found && i < x->nlinks; i++)
        found = ix_parse_is_computed(p, x->link[i].operand);
    return found;
}

/* ---- operands ---- */

/* The slot of "array", taken if it has none. */
static int
slot_of(ix_parser *p, const ix_word *where, ilex_array *array)
{
    ix_lambda_env *env = p->lambda;
    for (int i = 0; i < env->noperands; i++)
        if (env->operand[i] == array)
            return i;
    if (env->noperands == IX_LAMBDA_OPERANDS)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, where,
                    "a map reads at most %d arrays", (int)IX_LAMBDA_OPERANDS);
    ix_arena_grow(&p->reader.arena, &env->operand, &env->capacity,
                  (size_t)env->noperands + 1, sizeof *env->operand);
    env->operand[env->noperands] = array;
    return env->noperands++;
}

/* The array called "word", NULL if there is none; "*slot" of it. */
static ilex_array *
find_operand(ix_parser *p, const ix_word *word, int *slot)
{
    ix_lambda_env *env = p->lambda;
    ilex_array *local = find_local(p, word);
    if (local)
        return local;
    *slot = ix_parse_numbered(word, "_in");
    if (*slot >= 0 && env->fixed) {
        if (*slot < env->noperands)
            return env->operand[*slot];
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "reads(...) lists %d arrays; the last one is _in%d",
                    env->noperands, env->noperands - 1);
    }
    ix_name *name = ix_parser_find(p, word, IX_NAME_ARRAY);
    if (!name)
        return NULL;
    if (env->fixed && ix_is_array(name->array))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, word,
                    "behind reads(...) the arrays are called _in0, _in1, ...");
    if (ix_is_array(name->array))
        *slot = slot_of(p, word, name->array);
    return name->array;
}

/* An index that nothing is known about becomes one that a run checks. */
static ilex_array *
checked_index(ix_parser *p, const ilex_array *array, int k, ilex_array *index,
              bool trusted)
{
    const ix_axis *ax = &array->valid->ax[k];
    return ix_index_is_affine(index)
               ? index
               : ix_scalar_checked(p->ctx, index, k, ax->lo, ax->hi, trusted);
}

/* "array" at "rank" indices. */
static ilex_array *
load(ix_parser *p, const ix_word *word, ilex_array *array, int slot, int rank,
     ilex_array *const *index)
{
    if (rank != ix_rank(array))
        ix_lex_fail(&p->reader, ILEX_E_RANK, word,
                    "%.*s has rank %d and is given %d indices; subscripts in "
                    "map are absolute, one for each axis",
                    (int)word->length, word->text, ix_rank(array), rank);
    if (!ix_is_array(array))
        return array;
    if (ix_is_untyped(array)) /* as a literal, which takes any dtype */
        return ix_scalar_weak(p->ctx, ILEX_I64, (ix_value){.i = 0});
    ix_parser_at(p, word);
    return ix_parser_array(
        p, ix_scalar_load(p->ctx, (ilex_dtype)array->dtype, slot, rank, index));
}

ilex_array *
ix_parse_lambda_name(ix_parser *p, const ix_word *word)
{
    int slot;
    ilex_array *x = find_local(p, word);
    if (!x)
        x = find_rindex(p, word);
    if (!x)
        x = find_index(p, word);
    if (x)
        return x;
    x = find_operand(p, word, &slot);
    if (x)
        return load(p, word, x, slot, 0, NULL);
    ix_name *size = ix_parser_find(p, word, IX_NAME_SIZE);
    return size ? ix_index_lin(p->ctx, size->size) : NULL;
}

/* One entry of a subscript, index arithmetic in normal form. */
static ilex_array *
index_entry(ix_parser *p, const ix_colons *r)
{
    const ix_word *where = &r->where;
    if (r->n != 1 || !ix_parse_is_plain(r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                    "in a map a subscript is one index for each axis, without "
                    "':', '=' or '...'");
    ilex_array *x = ix_parse_expr(p, r->part[0]);
    if (!ix_dtype_is_integer((ilex_dtype)x->dtype))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, where,
                    "an index is an integer, not %s",
                    ilex_dtype_name((ilex_dtype)x->dtype));
    ix_parser_at(p, where);
    x = ix_parser_array(p, ix_scalar_cast(p->ctx, ILEX_I64, x));
    return ix_parser_array(p, ix_index_normal(p->ctx, x));
}

/* The value that is read outside of "array", as its dtype. */
static ilex_array *
outside_value(ix_parser *p, const ilex_array *array, const ix_syntax *x)
{
    ilex_dtype dtype = (ilex_dtype)array->dtype;
    ilex_array *v = ix_parse_expr(p, x);
    ix_parser_at(p, &x->word);
    if (ix_is_weak(v) && ix_literal_fits(v, dtype))
        v = ix_parser_array(p, ix_scalar_cast(p->ctx, dtype, v));
    if (v->dtype != dtype)
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &x->word,
                    "the value outside is %s, the array %s; convert it: %s(v)",
                    ilex_dtype_name((ilex_dtype)v->dtype),
                    ilex_dtype_name(dtype), ilex_dtype_name(dtype));
    return v;
}

/* Fails, for something else than a name has a subscript. */
_Noreturn static void
refuse_subscript(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *of = x->part[0];
    const char *first = ix_parse_shown(p, of), *both = ix_parse_shown(p, x);
    int n = (int)strlen(first);
    if (of->kind == IX_SYNTAX_INDEX && !of->attributes.n && !x->attributes.n)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "in a map one subscript has all indices: %.*s, %s", n - 1,
                    first, both + n + 1);
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                "in a map names have subscripts, read element by element; make "
                "the array before it: let a = %s",
                first);
}

ilex_array *
ix_parse_lambda_index(ix_parser *p, const ix_syntax *x)
{
    if (x->part[0]->kind != IX_SYNTAX_NAME)
        refuse_subscript(p, x);
    int slot;
    ilex_array *index[ILEX_MAX_RANK];
    const ix_syntax *value = NULL;
    ix_outside_read read = {.dom = p->lambda->dom};
    ix_behind behind = ix_parse_behind(p, x, &read.mode, &value);
    ilex_array *array = find_operand(p, &x->word, &slot);
    if (!array)
        ix_parser_unknown(p, &x->word, "array");
    int rank = (int)x->ranges->n;
    for (int k = 0; k < rank && rank == ix_rank(array); k++)
        index[k] = index_entry(p, &x->ranges->item[k]);
    if (rank == ix_rank(array) && p->lambda->indices)
        ix_indices_read(p->lambda->indices, array, index);
    for (int k = 0; k < rank && rank == ix_rank(array); k++)
        if (behind != IX_BEHIND_OUTSIDE)
            index[k] = checked_index(p, array, k, index[k],
                                     behind == IX_BEHIND_UNCHECKED);
    if (behind != IX_BEHIND_OUTSIDE || rank != ix_rank(array) || rank == 0)
        return load(p, &x->word, array, slot, rank, index);
    read.x = array;
    read.slot = slot;
    read.value = value ? outside_value(p, array, value) : NULL;
    ix_parser_at(p, &x->word);
    return ix_parser_array(p, ix_outside_load(p->ctx, &read, index));
}

/* ---- map ---- */

/* Takes the operands from reads(...). */
static void
fixed_operands(ix_parser *p, ix_lambda_env *env, const ix_statement *s)
{
    env->fixed = s->nwords > 0;
    ix_arena_grow(&p->reader.arena, &env->operand, &env->capacity, s->nwords,
                  sizeof *env->operand);
    for (size_t i = 0; i < s->nwords; i++) {
        const ix_word *w = &s->words[i];
        ilex_array *x = ix_parser_named(p, w);
        if (!ix_is_array(x) || i == IX_LAMBDA_OPERANDS)
            ix_lex_fail(&p->reader, ILEX_E_LIMIT, w,
                        "reads(...) lists at most %d arrays, no constants",
                        (int)IX_LAMBDA_OPERANDS);
        env->operand[env->noperands++] = x;
    }
}

/* A body without a dtype of its own has that of its literals. */
static ilex_array *
strong(ix_parser *p, ilex_array *body)
{
    return ix_is_weak(body)
               ? ix_scalar_cast(p->ctx, (ilex_dtype)body->dtype, body)
               : body;
}

void
ix_parse_reads(ix_parser *p, ix_indices *in, const ix_syntax *x)
{
    ix_lambda_env env = {.dom = in->box, .box = in->box, .indices = in};
    p->lambda = &env;
    ix_parse_expr(p, x);
    p->lambda = NULL;
}

ilex_array *
ix_parse_body(ix_parser *p, const char *what, ix_indices *in,
              const ilex_dtype *dtype, const ix_syntax *x)
{
    ix_lambda_env env = {.dom = in->box, .box = in->box, .indices = in};
    p->lambda = &env;
    ilex_array *body = ix_parse_expr(p, x);
    p->lambda = NULL;
    ix_indices_settle(p, &x->word, in);
    ix_parser_at(p, &x->word);
    if (ix_is_weak(body) && dtype)
        body = ix_parse_declared(p, &x->word, body, *dtype);
    return ix_indices_lambda(p, in, NULL, what, strong(p, body), &env);
}

/* The ranges behind valid(...), over the indices of the map. */
static const ix_domain *
parse_valid(ix_parser *p, const ix_statement *s, const ix_indices *in)
{
    ix_indices wide;
    const ix_type type = {.ranges = s->halo};
    ix_parse_indices(p, &type, &wide);
    if (!ix_indices_same(p->ctx, &wide, in))
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &s->name,
                    "%.*s: valid(...) gives the map's own indices wider "
                    "ranges, for example map y[i:n] valid(i:-1:n+1)",
                    (int)s->name.length, s->name.text);
    return wide.box;
}

ilex_array *
ix_parse_map(ix_parser *p, const ix_statement *s)
{
    ix_indices in;
    ix_parse_indices(p, &s->type, &in);
    ix_lambda_env env = {.dom = in.box, .box = in.box, .indices = &in};
    if (s->has_halo)
        env.box = parse_valid(p, s, &in);
    fixed_operands(p, &env, s);
    p->lambda = &env;
    ilex_array *body = ix_parse_expr(p, s->expr);
    p->lambda = NULL;
    ix_indices_settle(p, &s->name, &in);
    ix_parser_at(p, &s->name);
    return ix_indices_lambda(p, &in, s->has_halo ? env.box : NULL,
                             ix_parser_string(p, &s->name), strong(p, body),
                             &env);
}

/* ---- const: a map that selects among values ---- */

/* Values for index "from" to "to"-1, chosen by halving. */
static ilex_array *
choose(ix_parser *p, ilex_dtype dtype, ilex_array *at, ilex_array **value,
       int64_t from, int64_t to)
{
    ilex_context *ctx = p->ctx;
    if (to - from == 1)
        return value[from];
    int64_t middle = from + (to - from) / 2;
    ilex_array *below[2] = {at, ix_index_const(ctx, middle)};
    ilex_array *ops[3];
    ops[0] = ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, below);
    ops[1] = choose(p, dtype, at, value, from, middle);
    ops[2] = choose(p, dtype, at, value, middle, to);
    return ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype, ops);
}

/* The C-order position of an index in a domain of constant lengths; "*count"
 * takes the number of elements. */
static ilex_array *
position(ix_parser *p, const ix_statement *s, const ix_domain *dom,
         int64_t *count)
{
    ilex_array *at = ix_index_const(p->ctx, 0);
    *count = 1;
    for (int k = 0; k < dom->rank; k++) {
        const ix_lin *length = ix_axis_extent(p->ctx, &dom->ax[k]);
        if (!length || length->n || !ix_lin_is(dom->ax[k].lo, 0) ||
            !ix_mul(*count, length->c, count))
            ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->name,
                        "the axes of a constant start at 0 and have constant "
                        "lengths; [%s] is not of that kind",
                        ix_domain_show(p->ctx, dom).s);
        at = ix_index_fma(p->ctx, ix_scalar_index(p->ctx, k), length->c, at);
    }
    return ix_parser_array(p, at);
}

ilex_array *
ix_parse_const(ix_parser *p, const ix_statement *s)
{
    const ix_attribute *list = &s->values;
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_type_domain(p, &s->type);
    int64_t count;
    ilex_array *at = position(p, s, dom, &count);
    if (count != (int64_t)list->n || count == 0)
        ix_lex_fail(&p->reader, ILEX_E_SHAPE, &s->name,
                    "[%s] has %lld elements, and %zu values are given",
                    ix_domain_show(p->ctx, dom).s, (long long)count, list->n);
    ilex_array **value =
        ix_arena_new(&p->reader.arena, list->n * sizeof *value);
    for (int64_t i = 0; i < count; i++)
        value[i] = ix_parse_constant(p, dtype, list->value[i]);
    ilex_array *body = choose(p, dtype, at, value, 0, count);
    ix_parser_at(p, &s->name);
    return ix_parser_array(p, ix_build_lambda(p->ctx,
                                              ix_parser_string(p, &s->name),
                                              dom, body, 0, NULL));
}
