/* SPDX-License-Identifier: MIT
 *
 * Public constructors whose text is only names and numbers: shift, index,
 * reductions, einsum; and inspection.
 */
#include <stdlib.h>

#include "lib/build/build.h"

ilex_array *
ilex_size(ilex_context *ctx, const char *name)
{
    if (!ix_name_check(&ctx->error, "size", name, name ? strlen(name) : 0))
        return ix_poison_again(ctx);
    int32_t param = ix_param_of(ctx, ix_symbol_of(ctx, name, strlen(name)));
    return param < 0 ? ix_poison_again(ctx) : ix_scalar_size(ctx, param);
}

/* Symbol of an axis name, staggered ("I+1/2") or not; -1 with an error. */
static int32_t
axis_symbol(ilex_context *ctx, const char *operation, const char *text,
            size_t length)
{
    size_t plain = length;
    if (text && length > 4 && !strncmp(text + length - 4, "+1/2", 4))
        plain -= 4;
    if (!ix_name_check(&ctx->error, operation, text, text ? plain : 0))
        return -1;
    return ix_symbol_of(ctx, text, length);
}

ilex_array *
ilex_index(ilex_context *ctx, const char *axis)
{
    int32_t s = axis_symbol(ctx, "index: axis", axis, axis ? strlen(axis) : 0);
    return s < 0 ? ix_poison_again(ctx) : ix_build_index(ctx, s);
}

int
ix_axis_of(ilex_array *x, const char *operation, const char *text,
           size_t length)
{
    ilex_context *ctx = x->ctx;
    int d = ix_rank(x);
    bool number = length > 0 && length < 5 &&
                  strspn(text + (text[0] == '-'), "0123456789") >=
                      length - (text[0] == '-');
    int k = -1;
    if (number) {
        k = atoi(text);
        k += k < 0 ? d : 0;
    } else if (d > 0) {
        k = ix_domain_find(x->interior, ix_symbol_of(ctx, text, length));
    }
    if (k >= 0 && k < d && !(length == 0))
        return k;
    ix_poison(ctx, operation, 0, ILEX_E_AXIS,
              "%s: there is no axis '%.*s' in [%s] (for example: \"I\" or "
              "\"0, -1\")",
              operation, (int)(length < 40 ? length : 40), text,
              d ? ix_domain_show(ctx, x->interior).s : "");
    return -1;
}

ilex_array *
ilex_shift(ilex_array *x, const char *axis, int64_t offset)
{
    if (!x || ix_is_poison(x))
        return x;
    int64_t offsets[ILEX_MAX_RANK] = {0};
    int k = ix_axis_of(x, "shift", axis ? axis : "", axis ? strlen(axis) : 0);
    if (k < 0)
        return x->ctx->poison;
    if (!ix_domain_named(x->interior))
        return ix_poison(x->ctx, "shift", 0, ILEX_E_AXIS,
                         "shift: the axes of [%s] have no names; use slice",
                         ix_domain_show(x->ctx, x->interior).s);
    offsets[k] = offset;
    return ix_build_shift(x->ctx, x, offsets);
}

/* ---- reductions ---- */

/* Bits of the axes listed in "text"; false after an error. */
static bool
axes_mask(ilex_array *x, const char *operation, const char *text,
          uint32_t *mask)
{
    *mask = 0;
    if (!text) {
        *mask = (1u << ix_rank(x)) - 1;
        return true;
    }
    const char *p = text + strspn(text, " ");
    while (*p) {
        size_t n = strcspn(p, ", ");
        int k = ix_axis_of(x, operation, p, n);
        if (k < 0)
            return false;
        if (*mask >> k & 1) {
            ix_poison(x->ctx, operation, 0, ILEX_E_DUPLICATE,
                      "%s: axis %d is listed twice in \"%s\"", operation, k,
                      text);
            return false;
        }
        *mask |= 1u << k;
        p += n;
        p += strspn(p, ", ");
    }
    return true;
}

static ilex_array *
reduce(ix_reduction r, ilex_array *x, const char *axes, int keep)
{
    if (!x || ix_is_poison(x))
        return x;
    uint32_t mask;
    if (!axes_mask(x, ix_reduction_info_of(r)->name, axes, &mask))
        return x->ctx->poison;
    return ix_build_reduce(x->ctx, r, x, mask, keep != 0);
}

#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    ilex_array *ilex_##name(ilex_array *x, const char *axes, int keep)         \
    {                                                                          \
        return reduce(IX_REDUCTION_##ENUM, x, axes, keep);                     \
    }
#include "ilex/reductions.def"

/* ---- einsum subscripts ---- */

/* Letters are labels 0..51; the axes under "..." get labels from 52 on, by
 * their position from the right. */
enum { ELLIPSIS = 52, MAX_ELLIPSIS = 12 };

typedef struct subscript_reader {
    ilex_context *ctx;
    const char *text, *p;
    int count[ELLIPSIS]; /* how often each letter occurs */
    int widest;          /* axes under the widest ellipsis */
} subscript_reader;

static bool
bad_subscripts(subscript_reader *s, const char *why)
{
    ix_poison(s->ctx, "einsum", -1, ILEX_E_EINSUM,
              "einsum: \"%.80s\", at character %d: %s (for example: "
              "\"ij,jk->ik\")",
              s->text, (int)(s->p - s->text), why);
    return false;
}

static int
letter_label(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* Adds the labels of "axes" ellipsis axes. */
static bool
put_ellipsis(subscript_reader *s, int axes, ix_labels *l)
{
    if (axes < 0 || axes > MAX_ELLIPSIS || l->n + axes > ILEX_MAX_RANK)
        return bad_subscripts(s, "'...' stands for too many or too few axes");
    for (int k = axes - 1; k >= 0; k--)
        l->label[l->n++] = ELLIPSIS + k;
    return true;
}

/* One term up to ',' or '-' or the end; "rank" is that of its operand, or -1
 * for the result. */
static bool
read_term(subscript_reader *s, int rank, ix_labels *l)
{
    int letters = 0, dots = 0;
    for (const char *q = s->p; *q && *q != ',' && *q != '-'; q++)
        letters += letter_label(*q) >= 0;
    l->n = 0;
    for (; *s->p && *s->p != ',' && *s->p != '-'; s->p++) {
        if (*s->p == ' ')
            continue;
        int label = letter_label(*s->p);
        if (label >= 0 && l->n < ILEX_MAX_RANK) {
            l->label[l->n++] = label;
            s->count[label] += rank >= 0;
        } else if (!strncmp(s->p, "...", 3) && !dots++) {
            int axes = rank >= 0 ? rank - letters : s->widest;
            if (!put_ellipsis(s, axes, l))
                return false;
            s->widest = axes > s->widest ? axes : s->widest;
            s->p += 2;
        } else {
            return bad_subscripts(s, "expected a letter or one '...'");
        }
    }
    if (rank < 0 && s->widest && !dots)
        return bad_subscripts(s, "the result needs '...' as well");
    return true;
}

/* Without "->": the ellipsis, then the letters that occur once, in order. */
static bool
implicit_result(subscript_reader *s, ix_labels *l)
{
    l->n = 0;
    if (!put_ellipsis(s, s->widest, l))
        return false;
    for (int label = 0; label < ELLIPSIS; label++)
        if (s->count[label] == 1) {
            if (l->n == ILEX_MAX_RANK)
                return bad_subscripts(s, "the result has too many axes");
            l->label[l->n++] = label;
        }
    return true;
}

static bool
read_subscripts(subscript_reader *s, int count, ilex_array *const *operands,
                ix_labels *result, ix_labels *labels)
{
    for (int i = 0; i < count; i++) {
        if (!read_term(s, ix_rank(operands[i]), &labels[i]))
            return false;
        if (i + 1 < count && *s->p++ != ',')
            return s->p--, bad_subscripts(s, "expected ',' and a term for "
                                             "every operand");
    }
    if (*s->p == 0)
        return implicit_result(s, result);
    if (strncmp(s->p, "->", 2) != 0)
        return bad_subscripts(s, "expected '->' or the end");
    s->p += 2;
    return read_term(s, -1, result) &&
           (*s->p == 0 || bad_subscripts(s, "expected the end"));
}

ilex_array *
ilex_einsum(ilex_context *ctx, const char *subscripts, int count,
            ilex_array *const *operands)
{
    subscript_reader s = {.ctx = ctx, .text = subscripts, .p = subscripts};
    ix_labels result, labels[ILEX_MAX_RANK];
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
                       : ix_poison(ctx, "einsum", i, ILEX_E_CONTEXT,
                                   "einsum: operand %d is NULL or of another "
                                   "context",
                                   i);
    if (!read_subscripts(&s, count, operands, &result, labels))
        return ctx->poison;
    return ix_build_einsum(ctx, &result, count, labels, operands, NULL);
}

/* ---- inspection ---- */

int
ilex_is_poison(const ilex_array *x)
{
    return !x || ix_is_poison(x);
}

ilex_dtype
ilex_array_dtype(const ilex_array *x)
{
    return (ilex_dtype)x->dtype;
}

int
ilex_array_rank(const ilex_array *x)
{
    return ix_rank(x);
}

const char *
ilex_array_kind(const ilex_array *x)
{
    return ix_kind_infos[x->kind].text;
}

int
ilex_array_operand_count(const ilex_array *x)
{
    return ix_operand_count(x);
}

ilex_array *
ilex_array_operand(const ilex_array *x, int i)
{
    ilex_array *operand = i >= 0 ? ix_operand(x, i) : NULL;
    return operand ? operand : x->ctx->poison;
}

size_t
ilex_array_domain(const ilex_array *x, char *text, size_t size)
{
    ix_text t;
    ix_text_init(&t, &x->ctx->mem);
    if (ix_is_array(x))
        ix_domain_print(x->ctx, x->interior, &t);
    const char *s = ix_text_string(&t);
    size_t n = s ? t.length : 0;
    if (size > 0) {
        size_t copied = n < size ? n : size - 1;
        if (copied)
            memcpy(text, s, copied);
        text[copied] = 0;
    }
    ix_text_free(&t);
    return n;
}
