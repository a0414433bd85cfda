/* SPDX-License-Identifier: MIT
 *
 * Source text of scalar operations: replaces the tokens of templates
 * (lib/ops/op.h), and collects and prints the helper functions that they call.
 *
 * The emitter notes each template it prints with ix_function_set_need(), puts
 * ix_function_set_write() and declarations of the libm functions in front, and
 * prints the template with ix_code_write().
 */
#ifndef ILEX_LIB_FUNCTIONS_H
#define ILEX_LIB_FUNCTIONS_H

#include "lib/base/text.h"
#include "lib/ops/op.h"

/* Functions of libm, one per row of math.def. */
typedef enum ix_math {
#define IX_MATH(name, arity) IX_MATH_##name,
#include "lib/ops/math.def"
    IX_NMATH
} ix_math;

const char *ix_math_name(ix_math m); /* "floor", without the suffix of float */
/* "(f64, f64)" for a function of two arguments of type "f64" */
void ix_math_parameters(ix_math m, const char *type, ix_text *t);

/* How a language spells what differs between back ends. */
typedef struct ix_function_dialect {
    const char *qualifier;   /* before a helper: "static inline" */
    const char *inside;      /* before an elementary one, which loops must take
                                in; NULL: those are symbols of the library */
    const char *apart;       /* before one that is not taken in by others */
    const char *math_prefix; /* of functions of libm: "__builtin_" */
} ix_function_dialect;

/* What the tokens of a template stand for. Operands are texts, a variable or a
 * literal; for a complex loop dtype "x" holds real and "xi" imaginary parts
 * (the condition of `where` is always x[0]). For a conversion, "loop" and
 * "result" are the dtype converted to. */
typedef struct ix_code_names {
    ilex_dtype loop, result;
    const char *x[3], *xi[3];
    const char *re, *im; /* variables that a CALL_PAIR stores to */
} ix_code_names;

/* Prints template text "code" (re or im of ix_code_template). */
void ix_code_write(ix_text *t, const char *code, const ix_code_names *names,
                   const ix_function_dialect *dialect);

/* A run of characters: an identifier with what it calls, or anything else. */
typedef struct ix_token {
    const char *text;
    size_t length;
    const char *argument; /* of F(), FC(), FR(), FS() and M(), else NULL */
    size_t argument_length;
} ix_token;

bool ix_is_word(char c);
/* Whether "tok" is the identifier "word". */
bool ix_token_is(const ix_token *tok, const char *word);
/* The first number or identifier from "p" on, or the end. */
const char *ix_next_word(const char *p, const char *end);
/* Reads the number or identifier at "*p" and moves on. F(name), FC(name),
 * FR(name), FS(name), M(name) are one token. */
ix_token ix_next_token(const char **p);
/* The body of the helper that F(name), FC(name) or FR(name) calls; "*dtype",
 * the loop dtype, becomes that of the instance. */
const char *ix_token_body(const ix_token *call, ilex_dtype *dtype);

/* The helper functions and libm functions that some source needs. */
typedef struct ix_function_item {
    unsigned short function, dtype;
} ix_function_item;

typedef struct ix_function_set {
    ix_mem mem;
    ix_function_item *items; /* callees before callers, else by first use */
    size_t count, capacity;
    uint64_t math[2]; /* bit m: libm function m, for double and for float */
    bool rounds;      /* some compute in double and round to float */
    bool library;     /* elementary ones are the library's, what they call is
                         not needed */
} ix_function_set;

void ix_function_set_init(ix_function_set *set, const ix_mem *mem);
void ix_function_set_free(ix_function_set *set);

/* Adds what "code" of loop dtype "loop" calls, directly or not. False when
 * there is no memory. "code" may be NULL. */
bool ix_function_set_need(ix_function_set *set, const char *code,
                          ilex_dtype loop);

/* As above for both texts of a template. */
bool ix_function_set_need_template(ix_function_set *set, ix_code_template code,
                                   ilex_dtype loop);

/* Whether libm function "m" is called, in float if "single". */
bool ix_function_set_uses(const ix_function_set *set, ix_math m, bool single);

/* Whether any libm function is called, or an elementary one of the library. */
bool ix_function_set_uses_math(const ix_function_set *set);

/* Prints prototypes of the libm functions that are called. */
void ix_function_set_prototypes(const ix_function_set *set, ix_text *t);

/* Prints the definitions, each after those it calls. They need the types i8
 * to i64, u8 to u64, f32, f64. */
void ix_function_set_write(const ix_function_set *set,
                           const ix_function_dialect *dialect, ix_text *t);

#endif
