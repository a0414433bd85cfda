/* SPDX-License-Identifier: MIT
 *
 * Formulas of ilex/query.h, evaluated for sizes: a reader of the grammar that
 * is described there, which shares nothing with what writes them.
 */
#ifndef ILEX_TESTS_FORMULA_H
#define ILEX_TESTS_FORMULA_H

#include <ilex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct formula_reader {
    const char *at;
    const ilex_size_binding *size;
    size_t nsizes;
    int threads;
    bool failed;
} formula_reader;

static inline int64_t formula_sum(formula_reader *r);

static inline bool
formula_skip(formula_reader *r, const char *word)
{
    size_t n = strlen(word);
    while (*r->at == ' ')
        r->at++;
    bool is = !strncmp(r->at, word, n);
    r->at += is ? n : 0;
    return is;
}

/* The largest, behind "max(", or the smallest, behind "min(". */
static inline int64_t
formula_extremum(formula_reader *r, bool largest)
{
    int64_t most = formula_sum(r);
    while (!r->failed && formula_skip(r, ",")) {
        int64_t next = formula_sum(r);
        most = (next > most) == largest ? next : most;
    }
    r->failed |= !formula_skip(r, ")");
    return most;
}

/* a/b rounded up, behind "ceil("; a quotient of sizes is never below 0. */
static inline int64_t
formula_ceil(formula_reader *r)
{
    int64_t a = formula_sum(r);
    r->failed |= !formula_skip(r, "/");
    int64_t b = r->failed ? 1 : formula_sum(r);
    r->failed |= b < 1 || !formula_skip(r, ")");
    return a <= 0 || r->failed ? 0 : (a - 1) / b + 1;
}

static inline int64_t
formula_size(formula_reader *r)
{
    size_t n = strcspn(r->at, " +-*/(),");
    for (size_t i = 0; i < r->nsizes; i++)
        if (strlen(r->size[i].name) == n &&
            !strncmp(r->size[i].name, r->at, n)) {
            r->at += n;
            return r->size[i].value;
        }
    r->failed = true;
    return 0;
}

static inline int64_t
formula_factor(formula_reader *r)
{
    char *end;
    if (formula_skip(r, "max("))
        return formula_extremum(r, true);
    if (formula_skip(r, "min("))
        return formula_extremum(r, false);
    if (formula_skip(r, "ceil("))
        return formula_ceil(r);
    if (formula_skip(r, "threads()"))
        return r->threads;
    if (formula_skip(r, "(")) {
        int64_t value = formula_sum(r);
        r->failed |= !formula_skip(r, ")");
        return value;
    }
    if (*r->at < '0' || *r->at > '9')
        return formula_size(r);
    int64_t value = strtoll(r->at, &end, 10);
    r->at = end;
    return value;
}

/* What is divided by a number behind "//", rounded down; not below 0. */
static inline int64_t
formula_floor(formula_reader *r, int64_t a)
{
    int64_t b = formula_factor(r);
    r->failed |= a < 0 || b < 1;
    return r->failed ? 0 : a / b;
}

static inline int64_t
formula_product(formula_reader *r)
{
    int64_t product = formula_factor(r);
    while (!r->failed)
        if (formula_skip(r, "*"))
            product *= formula_factor(r);
        else if (formula_skip(r, "//"))
            product = formula_floor(r, product);
        else
            break;
    return product;
}

static inline int64_t
formula_sum(formula_reader *r)
{
    int64_t sum =
        formula_skip(r, "-") ? -formula_product(r) : formula_product(r);
    while (!r->failed)
        if (formula_skip(r, "+"))
            sum += formula_product(r);
        else if (formula_skip(r, "-"))
            sum -= formula_product(r);
        else
            break;
    return sum;
}

/* False if it cannot be read, or names a size that is not there. */
static inline bool
formula_value(const char *text, const ilex_size_binding *size, size_t n,
              int threads, int64_t *value)
{
    formula_reader r = {text, size, n, threads, *text == 0};
    *value = r.failed ? 0 : formula_sum(&r);
    return !r.failed && *r.at == 0;
}

#endif
