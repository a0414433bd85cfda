/* SPDX-License-Identifier: MIT
 *
 * A strict reader of Python literals: what repr() writes of dictionaries,
 * tuples, numbers and strings, and nothing that Python would have to evaluate.
 *
 * Every function skips blanks first and returns false on failure; then
 * "status" says why and the error names the text, the place, what was expected
 * there and an example.
 */
#ifndef ILEX_RUNTIME_LITERAL_H
#define ILEX_RUNTIME_LITERAL_H

#include "lib/base/prelude.h"

typedef struct ix_literal {
    const char *start, *p, *end;
    const char *name; /* of what is read: a path, "__array_interface__" */
    const char *form; /* "a .npy file Ilex reads" */
    const char *example;
    ix_error *err;
    ilex_status status;
} ix_literal;

/* Fails with "sentence", which continues the quoted name. */
bool ix_literal_refuse(ix_literal *r, ilex_status code, const char *sentence);

/* Fails because "expected" is not what comes next. */
bool ix_literal_expected(ix_literal *r, const char *expected);

/* Takes a character or a word if it is next; these two record no error. */
bool ix_literal_take(ix_literal *r, char c);
bool ix_literal_word(ix_literal *r, const char *word);

/* A string in either quotes without escapes, at most "size" - 1 bytes. */
bool ix_literal_string(ix_literal *r, char *out, size_t size,
                       const char *expected);

bool ix_literal_bool(ix_literal *r, int *value);

/* An integer of 64 bits, "unsigned" or not; "expected" is its role. */
bool ix_literal_int(ix_literal *r, int64_t *value, const char *expected);
bool ix_literal_uint(ix_literal *r, uint64_t *value, const char *expected);

/* A tuple of at most ILEX_MAX_RANK integers >= "least": "()", "(3,)",
 * "(3, 4)"; "role" names it in messages. */
bool ix_literal_tuple(ix_literal *r, int64_t *value, int *count, int64_t least,
                      const char *role);

/* Any value, whatever it is. */
bool ix_literal_skip(ix_literal *r);

/* A row of the keys of a dictionary and what reads their values. */
typedef struct ix_literal_key {
    const char *key;
    bool (*read)(ix_literal *r, void *into);
    bool required;
} ix_literal_key;

/* The whole text: a dictionary with "keys", each at most once, and a newline
 * perhaps. Of "others" than these the values are skipped, if allowed.
 * "expected" lists the keys. */
bool ix_literal_dictionary(ix_literal *r, const ix_literal_key *keys,
                           size_t count, bool others, const char *expected,
                           void *into);

#endif
