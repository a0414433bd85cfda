/* SPDX-License-Identifier: MIT
 *
 * ilex_einsum: subscripts as NumPy writes them, with parentheses for products
 * that are formed first, and dtypes behind a colon as text has them.
 */
#include "lib/build/build.h"
#include "lib/ops/dtype.h"

enum { LETTERS = 52 }; /* labels 0 ... 51 */

typedef struct subscript_reader {
    ilex_context *ctx;
    const char *text, *p;
    int count[LETTERS]; /* how often each letter occurs in operands */
    bool dots;          /* one of them has `...` */
    int noperands, read, nesting;
    ix_labels *labels;
    ix_einsum_path path; /* by the parentheses; used if there are any */
    bool grouped;
    ilex_dtype dtype, acc;
    ix_einsum_request request;
} subscript_reader;

static bool
bad_subscripts(subscript_reader *s, const char *why)
{
    return ix_poison_false(
        s->ctx, "einsum", -1, ILEX_E_EINSUM,
        "einsum: \"%.80s\", at character %d: %s (for example: \"ij,jk->ik\")",
        s->text, (int)(s->p - s->text), why);
}

static int
letter_label(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* Does a term end here? */
static bool
at_end_of_term(const char *p)
{
    return !*p || strchr(",-():", *p);
}

/* One term, of an operand unless "result". */
static bool
read_term(subscript_reader *s, bool result, ix_labels *l)
{
    int dots = 0;
    for (l->n = 0; !at_end_of_term(s->p); s->p++) {
        if (*s->p == ' ')
            continue;
        int label = letter_label(*s->p);
        if (label >= 0 && l->n < ILEX_MAX_RANK + dots) {
            l->label[l->n++] = label;
            s->count[label] += !result;
        } else if (!strncmp(s->p, "...", 3) && !dots++) {
            l->label[l->n++] = IX_LABEL_DOTS;
            s->dots |= !result;
            s->p += 2;
        } else {
            return bad_subscripts(s, "expected a letter or one '...'");
        }
    }
    return true;
}

/* Without "->": `...`, then the letters that occur once, in order. */
static bool
implicit_result(subscript_reader *s, ix_labels *l)
{
    l->n = 0;
    if (s->dots)
        l->label[l->n++] = IX_LABEL_DOTS;
    for (int label = 0; label < LETTERS; label++)
        if (s->count[label] == 1) {
            if (l->n == ILEX_MAX_RANK + s->dots)
                return bad_subscripts(s, "the result has too many axes");
            l->label[l->n++] = label;
        }
    return true;
}

static void
skip_blanks(subscript_reader *s)
{
    while (*s->p == ' ')
        s->p++;
}

static bool read_product(subscript_reader *s);

/* The term of the next operand, or a product in parentheses. */
static bool
read_factor(subscript_reader *s)
{
    skip_blanks(s);
    if (*s->p != '(') {
        if (s->read == s->noperands)
            return bad_subscripts(s, "there are more terms than operands");
        s->path.step[s->path.n++] = s->read;
        return read_term(s, false, &s->labels[s->read++]);
    }
    if (++s->nesting > ILEX_MAX_RANK)
        return bad_subscripts(s, "too many parentheses");
    s->p++;
    int before = s->path.n;
    if (!read_product(s))
        return false;
    if (*s->p != ')')
        return bad_subscripts(s, "expected ',' or ')'");
    s->p++;
    s->nesting--;
    s->grouped |= s->path.n > before + 1;
    skip_blanks(s);
    return true;
}

/* Factors joined by ',', multiplied from left to right. */
static bool
read_product(subscript_reader *s)
{
    if (!read_factor(s))
        return false;
    while (*s->p == ',') {
        s->p++;
        if (!read_factor(s))
            return false;
        s->path.step[s->path.n++] = IX_MULTIPLY;
    }
    return true;
}

static void
skip_word(subscript_reader *s)
{
    while (*s->p && *s->p != ' ')
        s->p++;
}

/* The dtype that is next. */
static bool
read_dtype(subscript_reader *s, ilex_dtype *dtype)
{
    skip_blanks(s);
    const char *name = s->p;
    skip_word(s);
    if (ix_dtype_find(name, (size_t)(s->p - name), dtype))
        return true;
    s->p = name;
    return bad_subscripts(s, "expected 'i32', 'acc f64' or 'rounded' behind "
                             "':'");
}

/* Is this the word that is next? */
static bool
at_word(const subscript_reader *s, const char *word)
{
    size_t n = strlen(word);
    return strncmp(s->p, word, n) == 0 && (s->p[n] == ' ' || !s->p[n]);
}

/* "dtype", "acc dtype", "rounded" behind the colon, each once, in this order.
 */
static bool
read_options(subscript_reader *s)
{
    s->p++;
    skip_blanks(s);
    if (!at_word(s, "acc") && !at_word(s, "rounded")) {
        s->request.dtype = &s->dtype;
        if (!read_dtype(s, &s->dtype))
            return false;
        skip_blanks(s);
    }
    if (at_word(s, "acc")) {
        skip_word(s);
        s->request.acc = &s->acc;
        if (!read_dtype(s, &s->acc))
            return false;
        skip_blanks(s);
    }
    if (at_word(s, "rounded")) {
        s->request.rounded = true;
        skip_word(s);
        skip_blanks(s);
    }
    return true;
}

/* The labels of the result, written or implied. */
static bool
read_result(subscript_reader *s, ix_labels *result)
{
    if (!*s->p || *s->p == ':')
        return implicit_result(s, result);
    if (strncmp(s->p, "->", 2) != 0)
        return bad_subscripts(s, "expected '->' or the end");
    s->p += 2;
    return read_term(s, true, result);
}

static bool
read_subscripts(subscript_reader *s, ix_labels *result)
{
    if (!read_product(s))
        return false;
    if (s->read < s->noperands)
        return bad_subscripts(s, "expected ',' and a term for every operand");
    return read_result(s, result) && (*s->p != ':' || read_options(s)) &&
           (*s->p == 0 || bad_subscripts(s, "expected the end"));
}

ilex_array *
ilex_einsum(ilex_context *ctx, const char *subscripts, int count,
            ilex_array *const *operands)
{
    ix_labels result, labels[ILEX_MAX_RANK];
    subscript_reader s = {.ctx = ctx,
                          .text = subscripts,
                          .p = subscripts,
                          .noperands = count,
                          .labels = labels};
    if (!subscripts || !operands)
        return ix_poison(ctx, "einsum", -1, ILEX_E_ARGUMENT,
                         "einsum: the %s are NULL (for example: \"ij,jk->ik\", "
                         "2, {a, b})",
                         subscripts ? "operands" : "subscripts");
    if (count < 1 || count > ILEX_MAX_RANK)
        return ix_poison(ctx, "einsum", -1, ILEX_E_EINSUM,
                         "einsum: %d operands; 1 to %d are possible", count,
                         ILEX_MAX_RANK);
    for (int i = 0; i < count; i++)
        if (!operands[i] || ix_is_poison(operands[i]) ||
            operands[i]->ctx != ctx)
            return operands[i] && ix_is_poison(operands[i])
                       ? ctx->poison
                       : ix_poison_stranger(ctx, "einsum", i, operands[i],
                                            "operand %d", i);
    if (!read_subscripts(&s, &result))
        return ctx->poison;
    s.request.path = s.grouped ? &s.path : NULL;
    return ix_build_einsum(ctx, &result, count, labels, operands, &s.request);
}
