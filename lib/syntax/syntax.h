/* SPDX-License-Identifier: MIT
 *
 * Syntax tree of .ilx text, in the reader's arena. One shape of expression
 * serves everywhere: field expressions, bodies of index lambdas, bounds,
 * conditions; what is allowed where is decided when it is given a meaning
 * (lib/syntax/parse*.c). lib/syntax/fmt.c writes the tree back.
 */
#ifndef ILEX_LIB_SYNTAX_H
#define ILEX_LIB_SYNTAX_H

#include "lib/ops/op.h"
#include "lib/syntax/lex.h"

typedef enum ix_syntax_kind {
    IX_SYNTAX_INT,
    IX_SYNTAX_REAL,
    IX_SYNTAX_IMAGINARY,
    IX_SYNTAX_STRING, /* with its quotes */
    IX_SYNTAX_NAME,
    IX_SYNTAX_PAREN,  /* part 0 */
    IX_SYNTAX_PREFIX, /* "op" part 0 */
    IX_SYNTAX_CHAIN,  /* part 0, then links: operators of one precedence */
    IX_SYNTAX_CALL,   /* word(part 0, ...; attributes) */
    IX_SYNTAX_INDEX,  /* part 0[range 0, ...; attributes] */
    IX_SYNTAX_REDUCE, /* word[range 0, ...](part 0; attributes) */
    IX_SYNTAX_LET,    /* let word = part 0; part 1 */
    IX_SYNTAX_LIST    /* [part 0, ...] as a value of an attribute's list */
} ix_syntax_kind;

typedef struct ix_syntax ix_syntax;

/* One further operand of a chain. */
typedef struct ix_link {
    ix_op op;
    ix_word word; /* the operator */
    ix_syntax *operand;
} ix_link;

/* One, two or three expressions with colons between: "n", "I:n", "I:0:n". In a
 * subscript a part may be missing (NULL), an axis may stand before it, and it
 * may be an ellipsis: "1:", "I=2:10", "...". */
typedef struct ix_colons {
    int n;
    ix_syntax *part[3];
    const ix_syntax *axis; /* NULL: none */
    ix_word where;         /* its first token */
    bool ellipsis;         /* no parts */
} ix_colons;

typedef struct ix_colons_list {
    ix_colons *item;
    size_t n, capacity;
} ix_colons_list;

/* "name=[a, b]", "name=a", or a value alone (then the name has length 0) */
typedef struct ix_attribute {
    ix_word name;
    ix_syntax **value;
    size_t n, capacity;
    bool bare; /* one value without brackets */
} ix_attribute;

typedef struct ix_attributes {
    ix_attribute *item;
    size_t n, capacity;
} ix_attributes;

struct ix_syntax {
    ix_syntax_kind kind;
    ix_op op;
    ix_word word; /* the number, name, operator or opening parenthesis */
    /* from here on not in numbers and names */
    ix_syntax **part;
    size_t nparts, parts_capacity;
    ix_link *link;
    size_t nlinks, links_capacity;
    ix_colons_list *ranges;
    ix_attributes attributes;
};

/* "dtype[ranges]", "dtype on name" */
typedef struct ix_type {
    ix_word dtype; /* length 0: no type was given */
    ix_word on;    /* the name of a domain; length 0: none */
    bool brackets;
    ix_colons_list ranges;
} ix_type;

/* A value of a tag: a string, or a number. */
typedef struct ix_tag_value {
    ix_word word;
    bool negative;
} ix_tag_value;

/* "@name", "@name[axis]", "@name[axis](value, ...)" */
typedef struct ix_tag {
    ix_word name;
    ix_syntax *place; /* an axis, or a reduction's; NULL: none */
    ix_tag_value *value;
    size_t nvalues, value_capacity;
} ix_tag;

typedef enum ix_statement_kind {
#define IX_STATEMENT(NAME, keyword, example, meaning) IX_STATEMENT_##NAME,
#include "lib/syntax/statements.def"
    IX_NSTATEMENTS
} ix_statement_kind;

typedef struct ix_statement ix_statement;
struct ix_statement {
    ix_statement *next;
    ix_statement_kind kind;
    ix_word keyword;
    bool blank_before; /* an empty line comes before it */
    ix_word name;
    ix_type type;        /* map, einsum, reshape: "brackets" only */
    ix_colons_list halo; /* in: halo(...); map: valid(...) */
    bool has_halo;
    ix_word *words; /* size, return: names; let: those behind the first; map:
                       reads(...); reshape: its operand */
    size_t nwords, words_capacity;
    ix_syntax *expr;         /* in: the number behind "skip"; extern: "cost";
                                recv, send: the rank */
    const ix_syntax *axis;   /* in: "-> axis"; scan: its axis; loop: the most
                                steps; stack: how many are apart; NULL: none */
    const ix_syntax *number; /* recv, send: the tag; NULL: none */
    ix_word option;      /* acc f64, order F, inplace x; scan: its direction;
                            extern: pure; loop, stack: the step */
    ix_word chunks;      /* scan: what combines its chunks; loop: the name of
                            how many steps there were; stack: whole */
    ix_statement *more;  /* scan, loop: name, type and expr of its next
                            result; function, extern: of a parameter */
    ix_statement *body;  /* function, loop: its statements, the last one `end`
                          */
    bool rounded;        /* einsum: products are, before they are added */
    bool absolute;       /* scan: the axes stand behind the name, as in map */
    bool elementwise;    /* extern: a function of numbers */
    ix_attribute values; /* const */
    ix_type *box;        /* domain: what it is the intersection of; extern: the
                            types of its results; loop: the range of its steps */
    size_t nboxes, box_capacity;
    ix_tag *tag;
    size_t ntags, tag_capacity;
    ix_word comment; /* behind it, or alone on its line */
    bool skipped;    /* could not be read: "words" are the names it defines,
                        "kind" IX_NSTATEMENTS if it has no keyword */
};

extern const char *const ix_statement_keywords[IX_NSTATEMENTS];
extern const char *const ix_statement_examples[IX_NSTATEMENTS];

/* Reads a whole program. Errors leave through ix_lex_fail. */
ix_statement *ix_syntax_program(ix_reader *r);

/* What follows the keyword of a statement, and its tags. */
void ix_syntax_statement(ix_reader *r, ix_statement *s);

/* lib/syntax/skip.c: behind an error in the statement at "start" the reader
 * moves to the next one; the statement in its place. */
ix_statement *ix_syntax_skip(ix_reader *r, const char *start);

/* Is "x" the number 1/2? */
bool ix_syntax_is_half(const ix_syntax *x);
/* Is it the name of an axis, "I" or "I+1/2"? */
bool ix_syntax_is_axis(const ix_syntax *x);

/* Reads an expression that is the whole text. */
ix_syntax *ix_syntax_whole_expr(ix_reader *r);
ix_syntax *ix_syntax_whole_body(ix_reader *r);
/* The same for a tag without its "@". */
void ix_syntax_whole_tag(ix_reader *r, ix_tag *tag);
/* The same for what stands behind `extern`. */
ix_statement *ix_syntax_whole_extern(ix_reader *r);
/* The same for values and lists of them with commas between. */
void ix_syntax_whole_list(ix_reader *r, ix_attribute *values);

/* Reads a domain, perhaps with "halo(...)" behind it, that is the whole text;
 * "halo" may be NULL where none is allowed. */
void ix_syntax_whole_domain(ix_reader *r, ix_colons_list *domain,
                            ix_colons_list *halo);

/* The same of what stands in the brackets of a map. */
void ix_syntax_whole_indices(ix_reader *r, ix_colons_list *ranges);

/* The same of entries of a subscript: "I=3, J=2:5, ...". */
void ix_syntax_whole_items(ix_reader *r, ix_colons_list *items);

/* ---- pieces, for lib/syntax*.c ---- */

/* The expression that starts at the token. */
ix_syntax *ix_syntax_expr(ix_reader *r);
/* The same, perhaps with "let name = expr;" before it: the body of a map. */
ix_syntax *ix_syntax_body(ix_reader *r);

/* A list of ranges up to the closing bracket or parenthesis "close", which is
 * read; the opening one has been read. 0: there are no brackets. */
void ix_syntax_ranges(ix_reader *r, char close, ix_colons_list *ranges);

/* The same, where names of axes may stand before ranges: "I=i:n". */
void ix_syntax_indices(ix_reader *r, char close, ix_colons_list *ranges);

/* Entries of a subscript, to where no comma follows. */
void ix_syntax_items(ix_reader *r, ix_colons_list *items);

/* Values with commas between up to "close", which is read. */
void ix_syntax_values(ix_reader *r, const char *close, ix_attribute *a);

/* Values with commas between. */
void ix_syntax_list(ix_reader *r, ix_attribute *a);

/* Is the token this punctuation? As before, and reads it. As before, and
 * fails when it is not, saying what it is for. */
bool ix_syntax_at(const ix_reader *r, const char *punct);
bool ix_syntax_accept(ix_reader *r, const char *punct);
void ix_syntax_expect(ix_reader *r, const char *punct, const char *where);

/* "[ranges]"; "optional" for a type without axes. ": type" if it is there. "=
 * expr". Another box of the statement. Fails where indices stand behind the
 * name of what a map makes. */
void ix_syntax_brackets(ix_reader *r, ix_type *type, bool optional);
void ix_syntax_optional_type(ix_reader *r, ix_statement *s);
void ix_syntax_assignment(ix_reader *r, ix_statement *s);
ix_type *ix_syntax_box(ix_reader *r, ix_statement *s);
void ix_syntax_no_indices(ix_reader *r);

/* lib/syntax/syntax_loop.c: what follows the keywords of loops. */
void ix_syntax_loop(ix_reader *r, ix_statement *s);
void ix_syntax_next(ix_reader *r, ix_statement *s);
void ix_syntax_until(ix_reader *r, ix_statement *s);
void ix_syntax_stack(ix_reader *r, ix_statement *s);
/* syntax_message.c */
void ix_syntax_recv(ix_reader *r, ix_statement *s);
void ix_syntax_send(ix_reader *r, ix_statement *s);

/* Reads a name. */
ix_word ix_syntax_name(ix_reader *r, const char *what);

/* Reads the name "keyword" if it is the token. */
bool ix_syntax_accept_name(ix_reader *r, const char *keyword);

/* Fails with what was found instead of "wanted". */
_Noreturn void ix_syntax_unexpected(ix_reader *r, const char *wanted);

#endif
