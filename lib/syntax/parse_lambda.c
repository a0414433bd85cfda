/* SPDX-License-Identifier: MIT
 *
 * Meaning of what only bodies of index lambdas have: index variables,
 * absolute subscripts, reductions over ranges; the statement `map`.
 */
#include "lib/build/scan.h"
#include "lib/ops/dtype.h"
#include "lib/shape/access.h"
#include "lib/syntax/parse.h"

/* ---- names ---- */

/* The number in "_r12" for prefix "_r"; -1 if "word" is not of that form. */
static int
numbered(const ix_word *word, const char *prefix)
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
    int number = numbered(word, "_r");
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
    int k = numbered(word, "_");
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
    *slot = numbered(word, "_in");
    if (*slot >= 0 && env->fixed) {
        if (*slot < env->noperands)
            return env->operand[*slot];
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "reads(...) lists %d arrays; the last one is _in%d",
                    env->noperands, env->noperands - 1);
    }
    ix_name *name =
        ix_parser_find(p, word->text, (size_t)word->length, IX_NAME_ARRAY);
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
    ix_name *size =
        ix_parser_find(p, word->text, (size_t)word->length, IX_NAME_SIZE);
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

/* ---- reductions ---- */

bool
ix_parse_is_computed(ix_parser *p, const ix_syntax *x)
{
    bool found = x->kind == IX_SYNTAX_INDEX || x->kind == IX_SYNTAX_REDUCE;
    if (x->kind == IX_SYNTAX_INT || x->kind == IX_SYNTAX_REAL ||
        x->kind == IX_SYNTAX_IMAGINARY)
        return false;
    if (x->kind == IX_SYNTAX_NAME)
        return (p->lambda &&
                (numbered(&x->word, "_") >= 0 ||
                 numbered(&x->word, "_r") >= 0 || find_local(p, &x->word) ||
                 find_rindex(p, &x->word) || find_index(p, &x->word))) ||
               ix_parser_find(p, x->word.text, (size_t)x->word.length,
                              IX_NAME_ARRAY);
    for (size_t i = 0; !found && i < x->nparts; i++)
        found = ix_parse_is_computed(p, x->part[i]);
    for (size_t i = 0; !found && i < x->nlinks; i++)
        found = ix_parse_is_computed(p, x->link[i].operand);
    return found;
}

/* Opens the ranges of a reduction; returns their box and the first number. */
static const ix_domain *
open_ranges(ix_parser *p, const ix_colons_list *ranges, int *first)
{
    ix_lambda_env *env = p->lambda;
    ix_axis ax[ILEX_MAX_RANK];
    int depth = env->nrindex;
    *first = depth ? env->rindex[depth - 1].number + 1 : 0;
    for (size_t i = 0; i < ranges->n; i++) {
        const ix_colons *r = &ranges->item[i];
        const ix_syntax *name = r->part[0];
        if (r->n < 2 || !ix_parse_is_plain(r) || name->kind != IX_SYNTAX_NAME)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "a reduction in a map names an index and its range, "
                        "for example sum[s:3](x[i + s])");
        if (depth + (int)i == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &name->word,
                        "more than %d reduction indices", ILEX_MAX_RANK);
        int number = numbered(&name->word, "_r");
        *first = number >= 0 && i == 0 ? number : *first;
        env->rindex[depth + (int)i] = (ix_rindex){name->word, *first + (int)i};
        ax[i].name = 0;
        ax[i].lo =
            r->n == 3 ? ix_parse_lin(p, r->part[1]) : ix_lin_const(p->ctx, 0);
        ax[i].hi = ix_parse_lin(p, r->part[r->n - 1]);
    }
    const ix_domain *box = ix_domain_new(p->ctx, (int)ranges->n, ax);
    if (!box)
        ix_lex_abort(&p->reader);
    env->nrindex += (int)ranges->n;
    return box;
}

/* Numbers of reduction indices are new and small. */
static void
check_numbers(ix_parser *p, const ix_syntax *x, int depth, int first)
{
    const ix_lambda_env *env = p->lambda;
    bool ok = first + env->nrindex - depth <= ILEX_MAX_RANK;
    for (int i = 0; i < depth; i++)
        ok &= env->rindex[i].number < first ||
              env->rindex[i].number >= first + env->nrindex - depth;
    if (!ok)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &x->word,
                    "the index _r%d belongs to a reduction around this one or "
                    "is beyond _r%d",
                    first, ILEX_MAX_RANK - 1);
}

/* Refuses what has no value: max, min, argmax and argmin over nothing. */
static void
check_box(ix_parser *p, const ix_syntax *x, ix_reduction r,
          const ix_domain *box, bool initial)
{
    const ix_reduction_info *info = ix_reduction_info_of(r);
    ix_parser_at(p, &x->word);
    if (!ix_domain_check_extents(p->ctx, info->name, box))
        ix_lex_abort(&p->reader);
    for (int k = 0; k < box->rank && !info->empty && !initial; k++)
        if (box->ax[k].lo == box->ax[k].hi)
            ix_lex_fail(&p->reader, ILEX_E_EMPTY_REDUCTION, &x->word,
                        "%s over an empty range has no value", info->name);
}

/* The number of points of "box" as "dtype". */
static ilex_array *
count_points(ix_parser *p, const ix_domain *box, ilex_dtype dtype)
{
    ilex_context *ctx = p->ctx;
    ilex_array *product = ix_scalar_cast(ctx, dtype, ix_index_const(ctx, 1));
    for (int k = 0; k < box->rank; k++) {
        ilex_array *length =
            ix_index_lin(ctx, ix_axis_extent(ctx, &box->ax[k]));
        ilex_array *ops[2] = {product, ix_scalar_cast(ctx, dtype, length)};
        product = k == 0 ? ops[1]
                         : ix_scalar_op(ctx, IX_OP_MULTIPLY, dtype, dtype, ops);
    }
    return ix_parser_array(p, product);
}

void
ix_parse_reduction_type(ix_parser *p, const ix_syntax *x, ix_reduction r,
                        const ilex_array *value, ilex_dtype *acc,
                        ilex_dtype *result)
{
    if (!ix_reduction_type(r, (ilex_dtype)value->dtype, acc, result))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &x->word,
                    "%s is not defined for %s", ix_reduction_info_of(r)->name,
                    ilex_dtype_name((ilex_dtype)value->dtype));
}

/* A reduction over ranges of sizes; with an initial value max and min may be
 * over nothing. */
static ilex_array *
parse_reduction(ix_parser *p, const ix_syntax *x, ix_reduction r,
                const ilex_array *initial)
{
    ilex_context *ctx = p->ctx;
    int first, depth = p->lambda->nrindex;
    bool mean = r == IX_REDUCTION_MEAN;
    const ix_domain *box = open_ranges(p, x->ranges, &first);
    check_box(p, x, r, box, initial != NULL);
    check_numbers(p, x, depth, first);
    ilex_array *value = ix_parse_expr(p, x->part[0]);
    p->lambda->nrindex = depth;
    ix_parser_at(p, &x->word);
    ilex_dtype acc, result;
    ix_parse_reduction_type(p, x, r, value, &acc, &result);
    value = ix_parser_array(p, ix_scalar_cast(ctx, acc, value));
    ilex_array *body =
        initial ? ix_scalar_reduce_total(ctx, r, result, box, first, value)
                : ix_scalar_reduce(ctx, mean ? IX_REDUCTION_SUM : r,
                                   mean ? acc : result, box, first, value);
    ix_parser_array(p, body);
    if (mean) {
        ilex_array *ops[2] = {body, count_points(p, box, acc)};
        body = ix_scalar_op(ctx, IX_OP_TRUE_DIVIDE, acc, acc, ops);
    }
    body = ix_parser_array(p, ix_scalar_cast(ctx, result, body));
    return ix_parser_depth(p, &x->word, 1, &value, body);
}

/* Fails for sum(a[i, :]): shows the reduction over indices of its own. */
static void
refuse_slices(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *of = x->part[0];
    bool named = of->kind == IX_SYNTAX_INDEX && !of->attributes.n &&
                 of->part[0]->kind == IX_SYNTAX_NAME && !x->ranges;
    const ix_word *w = &of->word;
    ix_name *name =
        named ? ix_parser_find(p, w->text, (size_t)w->length, IX_NAME_ARRAY)
              : NULL;
    if (!name || (size_t)ix_rank(name->array) != of->ranges->n)
        return;
    ix_text ranges, indices;
    ix_text_init(&ranges, &p->mem);
    ix_text_init(&indices, &p->mem);
    int whole = 0;
    for (size_t k = 0; k < of->ranges->n; k++) {
        const ix_colons *r = &of->ranges->item[k];
        bool all = r->n == 2 && !r->part[0] && !r->part[1];
        if (!all && (r->n != 1 || !ix_parse_is_plain(r)))
            return;
        ix_text_put(&indices, k ? ", " : "");
        if (!all) {
            ix_text_put(&indices, ix_parse_shown(p, r->part[0]));
            continue;
        }
        ix_text_format(&indices, "_r%d", whole);
        ix_text_format(&ranges, "%s_r%d:%s", whole ? ", " : "", whole,
                       ix_lin_show(p->ctx, name->array->interior->ax[k].hi).s);
        whole++;
    }
    if (whole)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "in a map a reduction has indices of its own: "
                    "%.*s[%s](%.*s[%s])",
                    (int)x->word.length, x->word.text, ix_text_string(&ranges),
                    (int)w->length, w->text, ix_text_string(&indices));
}

/* The attribute initial=v of a reduction in a map, NULL if it has none. */
static ilex_array *
parse_initial(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    const ix_attribute *a = x->attributes.item;
    const ix_reduction_info *info = ix_reduction_info_of(r);
    refuse_slices(p, x);
    if (!x->ranges || x->attributes.n > 1 ||
        (x->attributes.n && (a->n != 1 || !ix_word_is(&a->name, "initial"))))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "a reduction in a map names indices and their ranges, and "
                    "has the attribute initial alone, for example "
                    "sum[s:3](x[i + s]) or max[s:n](x[s]; initial=0)");
    if (x->attributes.n && (info->by_index || r == IX_REDUCTION_MEAN))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "%s: has no initial value", info->name);
    return x->attributes.n ? ix_parse_expr(p, a->value[0]) : NULL;
}

ilex_array *
ix_parse_lambda_reduce(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_array *v = parse_initial(p, x, r);
    ilex_array *y = ix_parse_is_ranged(p, x) ? ix_parse_ranged(p, x, r)
                                             : parse_reduction(p, x, r, v);
    if (!v)
        return y;
    ix_parser_at(p, &x->word);
    ilex_array *args[2] = {v, y};
    return ix_parser_depth(
        p, &x->word, 2, args,
        ix_parser_array(p, ix_build_initial(p->ctx, r, v, y)));
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
