/* SPDX-License-Identifier: MIT
 *
 * Tokens of .ilx text (grammar: doc/ilx.md), and the way out for errors of
 * the reader: ix_lex_fail() records the error with its place and jumps to the
 * arena's out-of-memory point, where ix_reader_failed() tidies up.
 */
#ifndef ILEX_LIB_LEX_H
#define ILEX_LIB_LEX_H

#include "lib/base/arena.h"
#include "lib/graph/context.h"

/* Limits of program text; crossing one is ILEX_E_LIMIT. */
enum {
    IX_TEXT_MAX_BYTES = 16 << 20,
    IX_TEXT_MAX_NESTING = 256,
    IX_TEXT_MAX_NODES = 1 << 21, /* operands and operations */
    IX_TEXT_MAX_LIST = 4096,     /* also of sizes in a context */
    IX_TEXT_MAX_ASSUMPTIONS = 256,
    IX_TEXT_MAX_DEPTH = 1000 /* of the body of one index lambda */
};

typedef enum ix_token_kind {
    IX_TOKEN_END,
    IX_TOKEN_NEWLINE, /* "text" is the comment before it, if any */
    IX_TOKEN_NAME,
    IX_TOKEN_INT,
    IX_TOKEN_REAL,
    IX_TOKEN_IMAGINARY, /* 7j, 0.5j */
    IX_TOKEN_STRING,    /* with its quotes */
    IX_TOKEN_PUNCT
} ix_token_kind;

/* A piece of the source text and its place, both counted from 1. */
typedef struct ix_word {
    const char *text;
    int32_t length, line, column;
} ix_word;

typedef struct ix_token {
    ix_token_kind kind;
    ix_word word;
} ix_token;

/* State of reading one text. Everything it allocates is in the arena. */
typedef struct ix_reader ix_reader;
struct ix_reader {
    ilex_context *ctx;
    ix_arena arena;
    const char *text, *file;
    const char *at, *end;   /* what is left */
    const char *line_start; /* of the line that "at" is in */
    int32_t line;
    ix_token token;                 /* the token in front of the parser */
    int32_t last_line, last_column; /* where the token before it ended */
    int nesting;
    size_t nodes;
    ix_word *inner; /* comments on lines that the statement goes on behind */
    size_t ninner, inner_capacity;
    int depth; /* functions and loops that the statement is in */
    /* Notes the error of a statement and says whether to go on with the next;
     * NULL: the first error ends the text. */
    bool (*go_on)(ix_reader *r);
};

/* Starts reading; refuses text that is too long. Call it after IX_ARENA_TRY.
 * "file" may be NULL; it must outlive the reader, like the text. */
void ix_reader_init(ix_reader *r, ilex_context *ctx, const char *text,
                    size_t length, const char *file);

/* Moves to the next token. */
void ix_lex_next(ix_reader *r);

/* Records an error at "where" and jumps to the arena's "oom" point. */
_Noreturn void ix_lex_fail(ix_reader *r, ilex_status code, const ix_word *where,
                           const char *fmt, ...) IX_PRINTF(4, 5);

/* Jumps after an error that is recorded already, or for lack of memory. */
_Noreturn void ix_lex_abort(ix_reader *r);

/* Does "work"; false if an error left it. */
bool ix_lex_attempt(ix_reader *r, void (*work)(void *user), void *user);

/* Makes the error of the text into a diagnostic: "file:line:column:
 * error[E103]: text", the source line and a caret. */
void ix_reader_diagnose(ix_reader *r);

/* Does "word" equal "text"? */
bool ix_word_is(const ix_word *word, const char *text);

#endif
