/* SPDX-License-Identifier: MIT
 *
 * Python literals, read character by character without recursion.
 */
#include "runtime/files/literal.h"

bool
ix_literal_refuse(ix_literal *r, ilex_status code, const char *sentence)
{
    r->status = code;
    return ix_fail_false(r->err, code, "'%.1000s' %s", r->name, sentence);
}

bool
ix_literal_expected(ix_literal *r, const char *expected)
{
    char found[24] = "the end";
    if (r->p < r->end) {
        unsigned char c = (unsigned char)*r->p;
        bool plain = c >= 32 && c < 127;
        strcpy(found, plain ? "' '" : "an unprintable byte");
        if (plain)
            found[1] = (char)c;
    }
    r->status = ILEX_E_FORMAT;
    return ix_fail_false(r->err, ILEX_E_FORMAT,
                         "'%.1000s' is not %s: at byte %zu of its dictionary "
                         "%s was expected, %s was found (for example %s)",
                         r->name, r->form, (size_t)(r->p - r->start), expected,
                         found, r->example);
}

static void
skip_blanks(ix_literal *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
}

bool
ix_literal_take(ix_literal *r, char c)
{
    skip_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

bool
ix_literal_word(ix_literal *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

bool
ix_literal_string(ix_literal *r, char *out, size_t size, const char *expected)
{
    skip_blanks(r);
    char quote = r->p < r->end ? *r->p : 0;
    size_t n = 0;
    if (quote != '\'' && quote != '"')
        return ix_literal_expected(r, expected);
    r->p++;
    while (r->p < r->end && *r->p != quote && *r->p != '\\' && *r->p &&
           n + 1 < size)
        out[n++] = *r->p++;
    out[n] = 0;
    if (r->p == r->end || *r->p != quote)
        return ix_literal_expected(r, expected);
    r->p++;
    return true;
}

bool
ix_literal_bool(ix_literal *r, int *value)
{
    *value = ix_literal_word(r, "True");
    return *value || ix_literal_word(r, "False") ||
           ix_literal_expected(r, "True or False");
}

/* ---- integers ---- */

bool
ix_literal_uint(ix_literal *r, uint64_t *value, const char *expected)
{
    skip_blanks(r);
    const char *first = r->p;
    *value = 0;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (__builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (unsigned)(*r->p - '0'), value))
            return ix_literal_refuse(r, ILEX_E_OVERFLOW,
                                     "has a number beyond 64 bits");
    return r->p > first || ix_literal_expected(r, expected);
}

bool
ix_literal_int(ix_literal *r, int64_t *value, const char *expected)
{
    uint64_t magnitude;
    bool negative = ix_literal_take(r, '-');
    if (!ix_literal_uint(r, &magnitude, expected))
        return false;
    if (magnitude > INT64_MAX)
        return ix_literal_refuse(r, ILEX_E_OVERFLOW,
                                 "has a number beyond 64 bits");
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Says in "text" what of the tuple "role" is expected. */
static bool
expected_in(ix_literal *r, const char *what, const char *role)
{
    char text[96] = "";
    strncat(text, what, 40);
    strncat(text, role, 40);
    return ix_literal_expected(r, text);
}

bool
ix_literal_tuple(ix_literal *r, int64_t *value, int *count, int64_t least,
                 const char *role)
{
    bool comma = true;
    *count = 0;
    if (!ix_literal_take(r, '('))
        return expected_in(r, "'(' of the ", role);
    while (!ix_literal_take(r, ')')) {
        if (!comma)
            return expected_in(r, "',' or ')' in the ", role);
        if (*count == ILEX_MAX_RANK)
            return ix_literal_refuse(r, ILEX_E_LIMIT, "has more than 16 axes");
        const char *at = r->p;
        if (!ix_literal_int(r, &value[*count], "a whole number"))
            return false;
        if (value[(*count)++] < least) {
            r->p = at;
            return expected_in(r, "a number >= 0 in the ", role);
        }
        comma = ix_literal_take(r, ',');
        if (*count == 1 && !comma && r->p < r->end && *r->p == ')')
            return ix_literal_expected(r, "',' after the only number");
    }
    return true;
}

/* ---- any value ---- */

/* A string whose content does not matter; a backslash hides one character. */
static bool
skip_string(ix_literal *r)
{
    char quote = *r->p++;
    while (r->p < r->end && *r->p != quote)
        r->p += *r->p == '\\' && r->end - r->p > 1 ? 2 : 1;
    return ix_literal_take(r, quote) ||
           ix_literal_expected(r, "the end of a string");
}

/* The bracket that closes "c", 0 if it opens nothing. */
static char
closing(char c)
{
    return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

/* Brackets are matched; between them anything goes, outside them a value ends
 * at a comma or a closing bracket. */
bool
ix_literal_skip(ix_literal *r)
{
    enum { DEPTH = 32 };
    char open[DEPTH];
    int depth = 0;
    skip_blanks(r);
    const char *first = r->p;
    for (; r->p < r->end; r->p++) {
        char c = *r->p;
        if (depth == 0 && strchr(",)]}", c))
            break;
        if (c == '\'' || c == '"') {
            if (!skip_string(r))
                return false;
            r->p--;
        } else if (closing(c)) {
            if (depth == DEPTH)
                return ix_literal_expected(r, "less than 32 nested brackets");
            open[depth++] = closing(c);
        } else if (strchr(")]}", c) && c != open[--depth])
            return ix_literal_expected(r, "the bracket that was opened last");
    }
    return (depth == 0 && r->p > first) || ix_literal_expected(r, "a value");
}

/* ---- dictionaries ---- */

/* One "key: value"; "*seen" has a bit for each key met. */
static bool
read_entry(ix_literal *r, const ix_literal_key *keys, size_t count, bool others,
           const char *expected, void *into, unsigned *seen)
{
    char key[32];
    const char *at = (skip_blanks(r), r->p);
    size_t i = 0;
    if (!ix_literal_string(r, key, sizeof key, expected))
        return false;
    while (i < count && strcmp(key, keys[i].key) != 0)
        i++;
    if (i < count ? *seen >> i & 1 : !others) {
        r->p = at;
        return ix_literal_expected(r, expected);
    }
    if (!ix_literal_take(r, ':'))
        return ix_literal_expected(r, "':'");
    if (i == count)
        return ix_literal_skip(r);
    *seen |= 1u << i;
    return keys[i].read(r, into);
}

bool
ix_literal_dictionary(ix_literal *r, const ix_literal_key *keys, size_t count,
                      bool others, const char *expected, void *into)
{
    unsigned seen = 0;
    bool comma = true;
    if (!ix_literal_take(r, '{'))
        return ix_literal_expected(r, "'{'");
    while (!ix_literal_take(r, '}')) {
        if (!comma)
            return ix_literal_expected(r, "',' or '}'");
        if (!read_entry(r, keys, count, others, expected, into, &seen))
            return false;
        comma = ix_literal_take(r, ',');
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i].required && !(seen >> i & 1))
            return ix_literal_expected(r, expected);
    skip_blanks(r);
    r->p += r->p < r->end && *r->p == '\n';
    return r->p == r->end || ix_literal_expected(r, "the end");
}
