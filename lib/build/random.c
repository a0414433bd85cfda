/* SPDX-License-Identifier: MIT
 *
 * Random numbers from a counter: see random.h.
 */
#include "lib/build/random.h"

#include "ilex/expr.h"

#include "lib/ops/dtype.h"
#include "lib/shape/access.h"
#include "lib/shape/broadcast.h"

/* What the bits become: dropped from below, then scaled. */
enum { F64_BITS = 53, F32_BITS = 24 };

/* ---- scalars ---- */

static ilex_array *
word_const(ilex_context *ctx, uint64_t v)
{
    return ix_scalar_const(ctx, ILEX_U64, (ix_value){.u = v});
}

static ilex_array *
of_words(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_U64, ILEX_U64, ops);
}

/* Is "x" in [0, 2^32) over "box", whatever its value is? */
static bool
is_word(ilex_context *ctx, const ix_domain *box, const ilex_array *x)
{
    ix_frame frame = {.box = box};
    return box && ix_index_is_affine(x) && !(x->flags & IX_HAS_RINDEX) &&
           ix_access_is_within(ctx, &frame, x, ix_lin_const(ctx, 0),
                               ix_lin_const(ctx, (int64_t)1 << 32));
}

/* A word as u64; poison for a constant that is none. */
static ilex_array *
word_of(ilex_context *ctx, const ix_domain *box, ilex_array *x)
{
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    char kind = ix_dtype_kind(dtype);
    if (kind != 'b' && kind != 'i' && kind != 'u')
        return ix_poison(ctx, "random", 1, ILEX_E_DTYPE,
                         "random: an argument is %s; behind the key there are "
                         "integers, for example random(key, i)",
                         ilex_dtype_name(dtype));
    if (kind == 'b' || (kind == 'u' && ilex_dtype_bytes(dtype) < 8))
        return ix_scalar_cast(ctx, ILEX_U64, x);
    x = ix_index_normal(ctx, ix_scalar_cast(ctx, ILEX_I64, x));
    if (x->kind == IX_CONST && (x->attr[0] < 0 || x->attr[0] >> 32))
        return ix_poison(ctx, "random", 1, ILEX_E_ARGUMENT,
                         "random: the argument %lld is not in [0, 2^32)",
                         (long long)x->attr[0]);
    if (x->kind != IX_CONST && !is_word(ctx, box, x))
        x = ix_scalar_checked_as(
            ctx, &(ix_checked){.what = IX_CHECKED_WORD,
                               .value = x,
                               .lo = ix_index_const(ctx, 0),
                               .hi = ix_index_const(ctx, (int64_t)1 << 32)});
    return ix_is_poison(x) ? x : ix_scalar_cast(ctx, ILEX_U64, x);
}

static ilex_array *
key_of(ilex_context *ctx, ilex_array *key)
{
    if (ix_is_weak(key) && key->dtype == ILEX_I64)
        key = ix_scalar_cast(ctx, ILEX_U64, key);
    if (ix_is_poison(key) || key->dtype == ILEX_U64)
        return key;
    return ix_poison(ctx, "random", 0, ILEX_E_DTYPE,
                     "random: the key is %s; it is a u64, for example an input "
                     "key : u64 or u64(seed)",
                     ilex_dtype_name((ilex_dtype)key->dtype));
}

/* The bits as a number in [0, 1): exact, as they are few enough. */
static ilex_array *
number(ilex_context *ctx, bool single, ilex_array *bits)
{
    ilex_dtype dtype = single ? ILEX_F32 : ILEX_F64;
    int drop = single ? 32 - F32_BITS : 64 - F64_BITS;
    double unit = single ? 0x1p-24 : 0x1p-53;
    if (single)
        bits =
            of_words(ctx, IX_OP_BITWISE_AND, bits, word_const(ctx, UINT32_MAX));
    bits =
        of_words(ctx, IX_OP_RIGHT_SHIFT, bits, word_const(ctx, (uint64_t)drop));
    ilex_array *ops[2] = {ix_scalar_cast(ctx, dtype, bits),
                          ix_scalar_const(ctx, dtype, (ix_value){.f = unit})};
    return ix_scalar_op(ctx, IX_OP_MULTIPLY, dtype, dtype, ops);
}

ilex_array *
ix_random_scalar(ilex_context *ctx, bool single, const ix_domain *box,
                 ilex_array *key, int count, ilex_array *const *word)
{
    ilex_array *ops[3] = {word_const(ctx, 0), word_const(ctx, 0),
                          key_of(ctx, key)};
    if (count < 1 || count > IX_RANDOM_WORDS)
        return ix_poison(ctx, "random", 1, ILEX_E_ARGUMENT,
                         "random: %d arguments behind the key; there are 1 to "
                         "%d, for example random(key, i)",
                         count, (int)IX_RANDOM_WORDS);
    for (int i = 0; i < count; i++) {
        ilex_array *w = word_of(ctx, box, word[i]);
        if (i % 2)
            w = of_words(
                ctx, IX_OP_BITWISE_OR, ops[i / 2],
                of_words(ctx, IX_OP_LEFT_SHIFT, w, word_const(ctx, 32)));
        ops[i / 2] = w;
    }
    return number(ctx, single,
                  ix_scalar_op(ctx, IX_OP_PHILOX, ILEX_U64, ILEX_U64, ops));
}

/* ---- arrays ---- */

static ilex_array *
random_of(ilex_context *ctx, bool single, ilex_array *key, int count,
          ilex_array *const *word)
{
    ilex_array *args[1 + IX_RANDOM_WORDS] = {key}, *scalar[1 + IX_RANDOM_WORDS];
    ilex_array *operand[1 + IX_RANDOM_WORDS];
    ix_broadcast dom;
    int slots = 0;
    bool arrays = false;
    if (count < 1 || count > IX_RANDOM_WORDS)
        return ix_random_scalar(ctx, single, NULL, key, count, word);
    memcpy(args + 1, word, (size_t)count * sizeof *word);
    if (ix_rank(key) > 0)
        return ix_poison(ctx, "random", 0, ILEX_E_RANK,
                         "random: the key has %d axes; it may have none",
                         ix_rank(key));
    if (!ix_broadcast_domains(ctx, "random", count + 1, args, &dom))
        return ix_poison_again(ctx);
    for (int i = 0; i <= count; i++) {
        int before = slots;
        scalar[i] = ix_operand_at(ctx, dom.interior, args[i], &slots);
        if (slots > before)
            operand[before] = args[i];
        arrays |= ix_is_array(args[i]);
    }
    ilex_array *body =
        ix_random_scalar(ctx, single, dom.valid, scalar[0], count, scalar + 1);
    return ix_is_poison(body) || !arrays
               ? body
               : ix_node_lambda(ctx, dom.interior, dom.valid, body, slots,
                                operand);
}

ilex_array *
ix_build_random(ilex_context *ctx, bool single, ilex_array *key, int count,
                ilex_array *const *word)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, random_of(ctx, single, key, count, word));
}

static ilex_array *
checked_random(bool single, ilex_array *key, int count,
               ilex_array *const *words)
{
    if (!key || ix_is_poison(key))
        return key;
    ilex_context *ctx = key->ctx;
    if (!words)
        return ix_poison(ctx, "random", 1, ILEX_E_ARGUMENT,
                         "random: the words are NULL (for example: 1, {i})");
    for (int i = 0; i < count && i < IX_RANDOM_WORDS; i++) {
        if (words[i] && ix_is_poison(words[i]))
            return ctx->poison;
        if (!words[i] || words[i]->ctx != ctx)
            return ix_poison_stranger(ctx, "random", i + 1, words[i], "word %d",
                                      i);
    }
    return ix_build_random(ctx, single, key, count, words);
}

ilex_array *
ilex_random(ilex_array *key, int count, ilex_array *const *words)
{
    return checked_random(false, key, count, words);
}

ilex_array *
ilex_random_f32(ilex_array *key, int count, ilex_array *const *words)
{
    return checked_random(true, key, count, words);
}

/* ---- recognition ---- */

/* Operand "i" of operator "op" of u64; NULL if "n" is another. */
static const ilex_array *
operand_of(const ilex_array *n, ix_op op, int i)
{
    return n && n->kind == IX_OP && ix_op_of(n) == op && n->dtype == ILEX_U64
               ? n->ops[i]
               : NULL;
}

static bool
is_number(const ilex_array *n, uint64_t v)
{
    return n && n->kind == IX_CONST && n->dtype == ILEX_U64 &&
           ix_const_value(n).u == v;
}

/* Is "n" the bits of "product" that one kind of numbers takes? */
static const ilex_array *
bits_of(const ilex_array *product, bool single)
{
    const ilex_array *x = product->ops[0], *unit = product->ops[1];
    if (x->kind != IX_CAST || unit->kind != IX_CONST ||
        ix_const_value(unit).f != (single ? 0x1p-24 : 0x1p-53))
        return NULL;
    x = x->ops[0];
    const ilex_array *bits = operand_of(x, IX_OP_RIGHT_SHIFT, 0);
    if (!bits || !is_number(x->ops[1], single ? 32 - F32_BITS : 64 - F64_BITS))
        return NULL;
    if (!single)
        return bits;
    const ilex_array *mask = operand_of(bits, IX_OP_BITWISE_AND, 1);
    return is_number(mask, UINT32_MAX) ? bits->ops[0] : NULL;
}

/* Adds a word as it was before it was u64; false for what is none. */
static bool
take_word(const ilex_array *w, ix_random_parts *parts)
{
    const ilex_array *x = w->kind == IX_CAST ? w->ops[0] : w;
    bool constant = x->kind == IX_CONST && ix_const_value(x).u <= UINT32_MAX;
    bool checked =
        x->kind == IX_CHECKED && ix_checked_what_of(x) == IX_CHECKED_WORD;
    bool narrow = ilex_dtype_bytes((ilex_dtype)x->dtype) < 8 &&
                  strchr("bu", ix_dtype_kind((ilex_dtype)x->dtype));
    parts->word[parts->count++] = checked ? x->ops[0] : x;
    return constant || checked || narrow || ix_index_is_affine(x);
}

/* One word or two; false for what is neither. */
static bool
take_words(const ilex_array *pair, ix_random_parts *parts)
{
    const ilex_array *high = operand_of(pair, IX_OP_BITWISE_OR, 1);
    const ilex_array *second = operand_of(high, IX_OP_LEFT_SHIFT, 0);
    if (!second || !is_number(high->ops[1], 32))
        return take_word(pair, parts);
    return take_word(pair->ops[0], parts) && take_word(second, parts);
}

bool
ix_random_parts_of(const ilex_array *n, ix_random_parts *parts)
{
    *parts = (ix_random_parts){.single = n->dtype == ILEX_F32};
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_MULTIPLY ||
        (n->dtype != ILEX_F32 && n->dtype != ILEX_F64))
        return false;
    const ilex_array *bits = bits_of(n, parts->single);
    if (!operand_of(bits, IX_OP_PHILOX, 0) || !take_words(bits->ops[0], parts))
        return false;
    parts->key = bits->ops[2];
    if (is_number(bits->ops[1], 0))
        return true;
    return parts->count == 2 && take_words(bits->ops[1], parts);
}
