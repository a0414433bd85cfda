/* SPDX-License-Identifier: MIT
 *
 * Random programs with loops, each as two texts: as it is, and with every step
 * of every loop written out.
 *
 * A program is a list of lines in which marks stand for what differs between
 * the two: a name that each step has anew, the number of a step, a size.
 * draw_program.c, draw_loop.c and draw_stencil.c draw programs,
 * draw_expression.c and draw_map.c what lines are made of, render.c writes both
 * texts, repeat_run.c runs them, repeat_shrink.c leaves out lines of a program
 * that fails. Lengths are sizes in both or in none: the order of a sum may
 * depend on it.
 */
#ifndef ILEX_TESTS_REPEAT_H
#define ILEX_TESTS_REPEAT_H

#include "tests/differential/differential.h"

enum {
    REPEAT_LINES = 400,
    REPEAT_VALUES = 500,
    REPEAT_LOOPS = 40,
    REPEAT_DEPTH = 3,
    REPEAT_CARRIES = 3,
    REPEAT_SIZES = 4,
    REPEAT_POOL = 1 << 19
};

typedef enum repeat_feature {
#define REPEAT_FEATURE(name) REPEAT_##name,
#include "tests/repeat/features.def"
#undef REPEAT_FEATURE
    REPEAT_FEATURES
} repeat_feature;

extern const char *const repeat_feature_names[REPEAT_FEATURES];
/* n, m: lengths of axes; nt, mt: numbers of steps */
extern const char *const repeat_size_names[REPEAT_SIZES];

/* Something with a name: of an input, a line, a loop. Marks are a byte 1, a
 * letter, a number, ';': n, its next value; c, carried; r, what the loop left
 * of it; l, of a line; s, stacked; t and i, a step as a value and an index; k,
 * how many steps were made; z and v, a size as a bound and a value; y, a bound
 * of steps, which is a number where these are written out. */
typedef struct repeat_value {
    char ref[16];
    ilex_dtype dtype;
    unsigned mask; /* of the axes: 1, 2 */
    int loop;      /* whose it is; -1 */
    int depth;     /* loops around what defines it */
    bool input;
} repeat_value;

typedef struct repeat_loop {
    int depth; /* loops around it */
    const char *lo, *hi;
    int64_t first, count;
    int ncarries, carry[REPEAT_CARRIES]; /* numbers of names */
    const char *value[REPEAT_CARRIES];   /* at first */
    bool typed[REPEAT_CARRIES];
    bool steps, until, stacks;
    bool given[REPEAT_CARRIES]; /* `next` stands already */
} repeat_loop;

typedef enum repeat_kind {
    REPEAT_LINE,
    REPEAT_LOOP,
    REPEAT_NEXT,
    REPEAT_UNTIL,
    REPEAT_STACK,
    REPEAT_END,
    REPEAT_OUT
} repeat_kind;

typedef struct repeat_line {
    repeat_kind kind;
    int loop;         /* LOOP, END: itself; NEXT, UNTIL, STACK: whose */
    int name;         /* NEXT, STACK: what it gives */
    const char *text; /* LINE: all; else an expression */
    const char *once; /* LINE: the text of the second program, or NULL */
    int every;        /* STACK: so many steps are apart */
    bool gone;
} repeat_line;

/* What each number of a name is. */
typedef struct repeat_name {
    ilex_dtype dtype;
    unsigned mask;
    int loop, depth;
} repeat_name;

typedef struct repeat_program {
    uint64_t seed, number;
    bool named, symbolic;
    bool wild; /* some indices that are data lie outside */
    int64_t size[REPEAT_SIZES];
    int nlines, nloops, nnames;
    int ninputs;
    repeat_name input[16];
    repeat_line line[REPEAT_LINES];
    repeat_loop loop[REPEAT_LOOPS];
    repeat_name name[REPEAT_VALUES];
    int64_t feature[REPEAT_FEATURES];
    size_t used;
    char pool[REPEAT_POOL];
} repeat_program;

/* Where a program is drawn. */
typedef struct repeat_shop {
    repeat_program *p;
    diff_random r;
    int nvalues;
    repeat_value value[REPEAT_VALUES]; /* what may be read here */
    int depth, around[REPEAT_DEPTH];   /* loops around */
    int64_t times;                     /* a line here is run */
    bool scan;                         /* a body of one is drawn */
    bool names;   /* what is read has a name, which next(u) is not */
    unsigned got; /* axes of what the last expression reads */
} repeat_shop;

/* ---- draw_program.c ---- */

void repeat_draw(repeat_program *p, uint64_t seed, uint64_t number);

/* ---- draw_loop.c ---- */

void repeat_draw_loop(repeat_shop *s);
/* One more array that loop "l", of this number, carries. */
void repeat_draw_carry(repeat_shop *s, repeat_loop *l, int number, ilex_dtype d,
                       unsigned mask);
/* Its body begins; it has ended, and what was defined there is gone: before
 * there were so many values. */
void repeat_enter(repeat_shop *s, int number);
void repeat_leave(repeat_shop *s, int number, int values);

/* ---- draw_stencil.c ---- */

void repeat_draw_stencil(repeat_shop *s);

/* ---- draw_statement.c ---- */

/* A line that defines something, of a kind that is drawn. */
void repeat_draw_statement(repeat_shop *s);
/* A new name, which may be read from here on; its number. */
int repeat_define(repeat_shop *s, char mark, ilex_dtype d, unsigned mask,
                  int loop, int depth);
/* "number" may be read from here on, as the mark says. */
void repeat_readable(repeat_shop *s, char mark, int number);
int repeat_new_name(repeat_shop *s, ilex_dtype d, unsigned mask, int loop,
                    int depth);
void repeat_add_line(repeat_shop *s, repeat_line line);

/* ---- draw_expression.c ---- */

ilex_dtype repeat_draw_dtype(repeat_shop *s);
/* "f64[I:n, J:m]" */
const char *repeat_type(repeat_shop *s, ilex_dtype d, unsigned mask);
const char *repeat_put(repeat_shop *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One that may be read and has this dtype (-1: any) and all of these axes, no
 * others but "more"; NULL if none has. */
const repeat_value *repeat_pick(repeat_shop *s, int dtype, unsigned axes,
                                unsigned more);
/* An expression of this dtype over some of the axes, which s->got has then. */
const char *repeat_expression(repeat_shop *s, unsigned mask, ilex_dtype d,
                              int depth);
const char *repeat_literal(repeat_shop *s, ilex_dtype d);
void repeat_feature_drawn(repeat_shop *s, repeat_feature f);
/* A loop around what is drawn, -1: none. */
int repeat_pick_loop(repeat_shop *s);
/* The step as an index from 0: "\1i0;+2". */
const char *repeat_step_index(repeat_shop *s, int loop);

/* ---- draw_map.c ---- */

/* An expression over the indices i and j. */
const char *repeat_point(repeat_shop *s, unsigned mask, ilex_dtype d,
                         int depth);
/* "[I=i:n, J=j:m]" */
const char *repeat_brackets(repeat_shop *s, unsigned mask);

/* ---- render.c ---- */

/* The text, owned by the caller; "once": without loops. */
char *repeat_render(const repeat_program *p, bool once);

/* ---- repeat_run.c ---- */

typedef struct repeat_options {
    const char *jit; /* "cc", "cuda", "nvrtc": besides tcc; NULL: by turns */
} repeat_options;

typedef struct repeat_verdict {
    bool failed;
    bool refused; /* both texts are: the program is none */
    bool known;   /* an index that is outside of what it reads: as well */
    bool stopped; /* all runs end with an index outside */
    int64_t outputs, elements;
    char text[1400];
} repeat_verdict;

/* Runs it on every back end. */
void repeat_run(const repeat_program *p, const repeat_options *o,
                repeat_verdict *v);

/* ---- repeat_shrink.c ---- */

/* The same in a process of its own. */
void repeat_try(const repeat_program *p, const repeat_options *o,
                repeat_verdict *v);
/* Leaves out lines as long as it fails the same way. */
void repeat_shrink(repeat_program *p, const repeat_options *o,
                   repeat_verdict *v);

#endif
