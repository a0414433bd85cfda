/* SPDX-License-Identifier: MIT
 *
 * Source text of helper functions and templates. The bodies are the very
 * arguments of IX_FUNCTION() in functions_*.inc, which lib/ops/eval.c compiles,
 * as strings; here their tokens are replaced and their lines laid out.
 */
#include "lib/ops/functions.h"

#include "lib/ops/dtype.h"

/* ---- the tables ---- */

typedef struct helper {
    const char *name, *result, *parameters, *doc, *body;
    bool apart;
} helper;

/* Helpers by class; a dtype takes them from two classes at most. */
typedef enum helper_class {
    CLASS_INT,
    CLASS_SIGNED,
    CLASS_UNSIGNED,
    CLASS_REAL,
    CLASS_HALF,
    CLASS_F64,
    CLASS_F32,
    CLASS_COMPLEX,
    CLASS_C128,
    CLASS_C64,
    CLASSES
} helper_class;

#define IX_FUNCTION(name, result, parameters, doc, ...)                        \
    {#name, #result, #parameters, doc, #__VA_ARGS__, false},
#define IX_FUNCTION_APART(name, result, parameters, doc, ...)                  \
    {#name, #result, #parameters, doc, #__VA_ARGS__, true},

static const helper on_int[] = {
#include "lib/ops/functions_int.inc"
};
static const helper on_signed[] = {
#include "lib/ops/functions_signed.inc"
};
static const helper on_unsigned[] = {
#include "lib/ops/functions_unsigned.inc"
};
static const helper on_real[] = {
#include "lib/ops/functions_real.inc"
};
static const helper on_half[] = {
#include "lib/ops/functions_half.inc"
};
static const helper on_f64[] = {
#include "lib/ops/elementary_arc.inc"
#include "lib/ops/elementary_exp.inc"
#include "lib/ops/elementary_gamma.inc"
#include "lib/ops/elementary_log.inc"
#include "lib/ops/elementary_power.inc"
#include "lib/ops/elementary_trig.inc"
};
static const helper on_f32[] = {
#include "lib/ops/elementary_f32.inc"
};
static const helper on_complex[] = {
#include "lib/ops/functions_complex.inc"
};
static const helper on_c128[] = {
#include "lib/ops/functions_c128.inc"
#include "lib/ops/functions_power.inc"
#include "lib/ops/functions_root.inc"
};
static const helper on_c64[] = {
#include "lib/ops/functions_c64.inc"
};

static const struct {
    const helper *first;
    size_t count;
} classes[CLASSES] = {
    [CLASS_INT] = {on_int, IX_COUNT(on_int)},
    [CLASS_SIGNED] = {on_signed, IX_COUNT(on_signed)},
    [CLASS_UNSIGNED] = {on_unsigned, IX_COUNT(on_unsigned)},
    [CLASS_REAL] = {on_real, IX_COUNT(on_real)},
    [CLASS_HALF] = {on_half, IX_COUNT(on_half)},
    [CLASS_F64] = {on_f64, IX_COUNT(on_f64)},
    [CLASS_F32] = {on_f32, IX_COUNT(on_f32)},
    [CLASS_COMPLEX] = {on_complex, IX_COUNT(on_complex)},
    [CLASS_C128] = {on_c128, IX_COUNT(on_c128)},
    [CLASS_C64] = {on_c64, IX_COUNT(on_c64)},
};

enum { CLASS_BITS = 8 }; /* an item's function: class << 8 | index */

typedef struct scalar {
    const char *name, *part, *wide, *real, *bits, *min, *max, *end;
} scalar;

static const scalar scalars[ILEX_NDTYPES] = {
#define IX_SCALAR(ENUM, name, part, wide, real, bits, min, max, end)           \
    {#name, #part, #wide, #real, #bits, #min, #max, #end},
#include "lib/ops/scalars.def"
};

static const struct {
    const char *name;
    int arity;
} maths[IX_NMATH] = {
#define IX_MATH(name, arity) {#name, arity},
#include "lib/ops/math.def"
};

const char *
ix_math_name(ix_math m)
{
    return maths[m].name;
}

void
ix_math_parameters(ix_math m, const char *type, ix_text *t)
{
    for (int i = 0; i < maths[m].arity; i++)
        ix_text_format(t, "%s%s", i ? ", " : "(", type);
    ix_text_char(t, ')');
}

/* ---- reading template text ---- */

bool
ix_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

bool
ix_token_is(const ix_token *tok, const char *word)
{
    return *word == *tok->text && strlen(word) == tok->length &&
           memcmp(word, tok->text, tok->length) == 0;
}

const char *
ix_next_word(const char *p, const char *end)
{
    while (p != end && *p && !ix_is_word(*p))
        p++;
    return p;
}

ix_token
ix_next_token(const char **p)
{
    ix_token tok = {*p, 1, NULL, 0};
    const char *q = *p + 1;
    while (ix_is_word(*q) || *q == '.')
        q++;
    tok.length = (size_t)(q - *p);
    if (*q == '(' && (ix_token_is(&tok, "F") || ix_token_is(&tok, "FC") ||
                      ix_token_is(&tok, "FR") || ix_token_is(&tok, "FS") ||
                      ix_token_is(&tok, "M"))) {
        tok.argument = q + 1;
        tok.argument_length = strcspn(q + 1, ")");
        q = tok.argument + tok.argument_length + 1;
    }
    *p = q;
    return tok;
}

/* The libm function that "tok", M(name), calls. */
static ix_math
math_of(const ix_token *tok)
{
    unsigned m = 0;
    ix_token name = {tok->argument, tok->argument_length, NULL, 0};
    while (m < IX_NMATH && !ix_token_is(&name, maths[m].name))
        m++;
    assert(m < IX_NMATH);
    return (ix_math)m;
}

/* The dtype for which "tok" wants an instance: F(name) the loop dtype, FC(name)
 * the same kind in double precision, FR(name) f64, FS(name) f32. */
static ilex_dtype
instance_of(const ix_token *tok, ilex_dtype loop)
{
    ilex_dtype wide = ix_dtype_is_complex(loop) ? ILEX_C128 : ILEX_F64;
    return ix_token_is(tok, "FC")   ? wide
           : ix_token_is(tok, "FR") ? ILEX_F64
           : ix_token_is(tok, "FS") ? ILEX_F32
                                    : loop;
}

/* Whether libm functions are called in float when the loop dtype is "loop". */
static bool
is_single(ilex_dtype loop)
{
    return ix_dtype_part(loop) == ILEX_F32;
}

/* ---- printing ---- */

/* A literal that starts with a sign goes into parentheses. */
static void
put_operand(ix_text *t, const char *text)
{
    bool sign = text[0] == '-' || text[0] == '+';
    ix_text_put(t, sign ? "(" : "");
    ix_text_put(t, text);
    ix_text_put(t, sign ? ")" : "");
}

/* The text of an operand or result token ("x", "yr", "re"), NULL if "tok" is
 * none. */
static const char *
operand_of(const ix_token *tok, const ix_code_names *names)
{
    static const char letters[] = "xyz";
    if (ix_token_is(tok, "re"))
        return names->re;
    if (ix_token_is(tok, "im"))
        return names->im;
    const char *k = tok->length <= 2 ? strchr(letters, tok->text[0]) : NULL;
    if (!k || (tok->length == 2 && !strchr("ri", tok->text[1])))
        return NULL;
    bool imaginary = tok->length == 2 && tok->text[1] == 'i';
    return imaginary ? names->xi[k - letters] : names->x[k - letters];
}

/* The text of a token that depends on the dtypes alone, NULL if it is none. */
static const char *
type_of(const ix_token *tok, const ix_code_names *names)
{
    const scalar *s = &scalars[names->loop];
    const struct {
        const char *token, *text;
    } words[] = {
        {"T", scalars[names->result].part},
        {"A", s->part},
        {"U", s->wide},
        {"R", s->real},
        {"BITS", s->bits},
        {"MIN", s->min},
        {"MAX", s->max},
        {"END", s->end},
    };
    for (size_t k = 0; k < IX_COUNT(words); k++)
        if (ix_token_is(tok, words[k].token))
            return words[k].text;
    return NULL;
}

/* What is called for "m": "exp", for float "expf". */
static void
put_math(ix_text *t, ix_math m, bool single, const ix_function_dialect *dialect)
{
    ix_text_put(t, dialect->math_prefix);
    ix_text_put(t, ix_math_name(m));
    ix_text_put(t, single ? "f" : "");
}

/* Prints one token. */
static void
put_token(ix_text *t, const ix_token *tok, const ix_code_names *names,
          const ix_function_dialect *dialect)
{
    const char *type = type_of(tok, names);
    const char *operand = operand_of(tok, names);
    if (tok->argument && ix_token_is(tok, "M")) {
        put_math(t, math_of(tok), is_single(names->loop), dialect);
    } else if (tok->argument) {
        ix_text_put_n(t, tok->argument, tok->argument_length);
        ix_text_char(t, '_');
        ix_text_put(t, scalars[instance_of(tok, names->loop)].name);
    } else if (type) {
        ix_text_put(t, type);
    } else if (operand) {
        put_operand(t, operand);
    } else {
        ix_text_put_n(t, tok->text, tok->length);
    }
}

/* Prints template text from "code" to "end", or to its NUL. */
static void
put_code(ix_text *t, const char *code, const char *end,
         const ix_code_names *names, const ix_function_dialect *dialect)
{
    while (code != end && *code) {
        const char *word = ix_next_word(code, end);
        ix_text_put_n(t, code, (size_t)(word - code));
        code = word;
        if (code == end || !*code)
            break;
        ix_token tok = ix_next_token(&code);
        put_token(t, &tok, names, dialect);
    }
}

void
ix_code_write(ix_text *t, const char *code, const ix_code_names *names,
              const ix_function_dialect *dialect)
{
    put_code(t, code, NULL, names, dialect);
}

/* The end of the statement at "p": its `;`, or the brace that opens or closes
 * a block. */
static const char *
statement_end(const char *p)
{
    int depth = 0;
    while (*p && (depth > 0 || !strchr(";{}", *p))) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        p++;
    }
    return p;
}

/* Ends the line of a statement; but what a union declares stays with it. */
static const char *
end_line(ix_text *t, const char *p)
{
    const char *name = p + strspn(p, " ");
    size_t length = strcspn(name, " ;{}");
    if (p[-1] == '}' && name[length] == ';') {
        ix_text_format(t, " %.*s;", (int)length, name);
        p = name + length + 1;
    }
    ix_text_char(t, '\n');
    return p;
}

/* Prints the text of a body, which is on one line, a statement a line. */
static void
put_body(ix_text *t, const char *p, const ix_code_names *names,
         const ix_function_dialect *dialect)
{
    int indent = 0;
    while (*p) {
        p += strspn(p, " ");
        const char *end = statement_end(p);
        if (*end == '}')
            indent--;
        for (int k = 0; k < indent && *end; k++)
            ix_text_put(t, "    ");
        put_code(t, p, end, names, dialect);
        if (*end == '{')
            indent++;
        if (*end) {
            ix_text_char(t, *end++);
            end = end_line(t, end);
        }
        p = end;
    }
}

static const helper *
helper_of(unsigned function)
{
    return &classes[function >> CLASS_BITS]
                .first[function & ((1u << CLASS_BITS) - 1)];
}

/* Is it one of elementary_*.inc? */
static bool
is_elementary(unsigned function)
{
    helper_class class = (helper_class)(function >> CLASS_BITS);
    return class == CLASS_F64 || class == CLASS_F32;
}

/* Prints the definition of one instance, or declares what the library has. */
static void
put_function(ix_text *t, unsigned function, ilex_dtype dtype,
             const ix_function_dialect *dialect)
{
    const helper *h = helper_of(function);
    const ix_code_names names = {.loop = dtype, .result = dtype};
    bool elementary = is_elementary(function);
    bool elsewhere = elementary && !dialect->inside;
    if (!elsewhere)
        ix_text_format(t, "/* %s */\n%s ", h->doc,
                       h->apart     ? dialect->apart
                       : elementary ? dialect->inside
                                    : dialect->qualifier);
    put_code(t, h->result, NULL, &names, dialect);
    ix_text_format(t, "%s%s_%s", elsewhere ? " " : "\n", h->name,
                   scalars[dtype].name);
    put_code(t, h->parameters, NULL, &names, dialect);
    if (elsewhere) {
        ix_text_put(t, ";\n\n");
        return;
    }
    ix_text_char(t, '\n');
    put_body(t, h->body, &names, dialect);
    ix_text_char(t, '\n');
}

/* ---- the set ---- */

/* The classes from which a dtype takes helpers. */
static void
classes_of(ilex_dtype dtype, helper_class pair[2])
{
    switch (ix_dtype_kind(dtype)) {
    case 'i':
        pair[0] = CLASS_INT;
        pair[1] = CLASS_SIGNED;
        break;
    case 'u':
        pair[0] = CLASS_INT;
        pair[1] = CLASS_UNSIGNED;
        break;
    case 'c':
        pair[0] = CLASS_COMPLEX;
        pair[1] = dtype == ILEX_C64 ? CLASS_C64 : CLASS_C128;
        break;
    default:
        pair[0] = ix_dtype_is_half(dtype) ? CLASS_HALF : CLASS_REAL;
        pair[1] = ix_dtype_loop(dtype) == ILEX_F32 ? CLASS_F32 : CLASS_F64;
        break;
    }
}

/* The helper called "name" for "dtype". */
static unsigned
find_helper(const ix_token *name, ilex_dtype dtype)
{
    helper_class pair[2];
    classes_of(dtype, pair);
    for (int k = 0; k < 2; k++)
        for (size_t n = 0; n < classes[pair[k]].count; n++)
            if (ix_token_is(name, classes[pair[k]].first[n].name))
                return (unsigned)pair[k] << CLASS_BITS | (unsigned)n;
    assert(false); /* a template calls a helper that does not exist */
    return 0;
}

const char *
ix_token_body(const ix_token *call, ilex_dtype *dtype)
{
    ix_token name = {call->argument, call->argument_length, NULL, 0};
    *dtype = instance_of(call, *dtype);
    return helper_of(find_helper(&name, *dtype))->body;
}

static bool
has_item(const ix_function_set *set, ix_function_item item)
{
    for (size_t k = 0; k < set->count; k++)
        if (set->items[k].function == item.function &&
            set->items[k].dtype == item.dtype)
            return true;
    return false;
}

/* Adds the instance that "tok" calls, after what it calls itself; the depth of
 * the recursion is that of calls in functions_*.inc. */
static bool
need_helper(ix_function_set *set, const ix_token *tok, ilex_dtype loop)
{
    ix_token name = {tok->argument, tok->argument_length, NULL, 0};
    ilex_dtype dtype = instance_of(tok, loop);
    unsigned function = find_helper(&name, dtype);
    ix_function_item item = {(unsigned short)function, (unsigned short)dtype};
    if (has_item(set, item))
        return true;
    bool elsewhere = set->library && is_elementary(function);
    if ((!elsewhere &&
         !ix_function_set_need(set, helper_of(function)->body, dtype)) ||
        !ix_mem_grow(&set->mem, &set->items, &set->capacity, set->count + 1,
                     sizeof *set->items))
        return false;
    set->items[set->count++] = item;
    return true;
}

bool
ix_function_set_need(ix_function_set *set, const char *code, ilex_dtype loop)
{
    while (code && *(code = ix_next_word(code, NULL))) {
        ix_token tok = ix_next_token(&code);
        if (!tok.argument)
            continue;
        set->rounds |= instance_of(&tok, loop) != loop && is_single(loop);
        if (ix_token_is(&tok, "M"))
            set->math[is_single(loop)] |= (uint64_t)1 << math_of(&tok);
        else if (!need_helper(set, &tok, loop))
            return false;
    }
    return true;
}

bool
ix_function_set_need_template(ix_function_set *set, ix_code_template code,
                              ilex_dtype loop)
{
    return ix_function_set_need(set, code.re, loop) &&
           ix_function_set_need(set, code.im, loop);
}

void
ix_function_set_init(ix_function_set *set, const ix_mem *mem)
{
    *set = (ix_function_set){.mem = *mem};
}

void
ix_function_set_free(ix_function_set *set)
{
    ix_mem_free(&set->mem, set->items);
    set->items = NULL;
    set->count = set->capacity = 0;
}

bool
ix_function_set_uses(const ix_function_set *set, ix_math m, bool single)
{
    return (set->math[single] >> m & 1) != 0;
}

bool
ix_function_set_uses_math(const ix_function_set *set)
{
    bool any = set->math[0] != 0 || set->math[1] != 0;
    for (size_t k = 0; set->library && k < set->count; k++)
        any |= is_elementary(set->items[k].function);
    return any;
}

void
ix_function_set_prototypes(const ix_function_set *set, ix_text *t)
{
    for (int m = 0; m < IX_NMATH; m++)
        for (int single = 0; single < 2; single++) {
            if (!ix_function_set_uses(set, (ix_math)m, single))
                continue;
            const char *type = single ? "f32" : "f64";
            ix_text_format(t, "%s %s%s", type, ix_math_name((ix_math)m),
                           single ? "f" : "");
            ix_math_parameters((ix_math)m, type, t);
            ix_text_put(t, ";\n");
        }
}

void
ix_function_set_write(const ix_function_set *set,
                      const ix_function_dialect *dialect, ix_text *t)
{
    for (size_t k = 0; k < set->count; k++)
        put_function(t, set->items[k].function, (ilex_dtype)set->items[k].dtype,
                     dialect);
}
