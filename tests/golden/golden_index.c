/* SPDX-License-Identifier: MIT
 *
 * index.tsv: a function of whole arrays, what it is told, and operands a row.
 * A row of the table below turns what a row of the file says into an expression
 * of .ilx text over the operands x0, x1, ...
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_rows.h"

enum { ID, OP, SPEC, COUNT, OPERANDS, STATUS, RESULT, NOTE };
enum { TEXT = 1000 };

/* ---- what a row is told: "order=C shape=2,-1" ---- */

/* The value of "key", of "size" bytes; "-" is empty. */
static void
value_of(const char *spec, const char *key, char *value, size_t size)
{
    size_t n = strlen(key);
    value[0] = 0;
    for (const char *p = spec; *p; p += strcspn(p, " "), p += *p == ' ') {
        if (strncmp(p, key, n) != 0 || p[n] != '=')
            continue;
        snprintf(value, size, "%.*s", (int)strcspn(p + n + 1, " "), p + n + 1);
    }
    if (!strcmp(value, "-"))
        value[0] = 0;
}

typedef struct spec {
    char order[20], shape[80], axes[80], axis[80], shift[80];
} spec;

static spec
spec_of(const char *text)
{
    spec s;
    value_of(text, "order", s.order, sizeof s.order);
    value_of(text, "shape", s.shape, sizeof s.shape);
    value_of(text, "axes", s.axes, sizeof s.axes);
    value_of(text, "axis", s.axis, sizeof s.axis);
    value_of(text, "shift", s.shift, sizeof s.shift);
    return s;
}

/* ---- expressions ---- */

typedef void write_fn(const golden_case *c, const spec *s, char *text);

static void
write_reshape(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    snprintf(text, TEXT, "reshape(x0; shape=[%s], order=%s)", s->shape,
             s->order);
}

static void
write_transpose(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    if (!strcmp(s->axes, "none"))
        snprintf(text, TEXT, "transpose(x0)");
    else
        snprintf(text, TEXT, "transpose(x0; axes=[%s])", s->axes);
}

/* Along the flattened array, or along one axis after the other. */
static void
write_roll(const golden_case *c, const spec *s, char *text)
{
    if (!strcmp(s->axis, "none")) {
        char shape[TEXT] = "";
        for (int k = 0; k < c->in[0].rank; k++)
            sprintf(shape + strlen(shape), "%s%d", k ? ", " : "",
                    (int)c->in[0].shape[k]);
        snprintf(text, TEXT,
                 "reshape(roll(reshape(x0; shape=[-1]); axis=0, by=%s); "
                 "shape=[%s])",
                 s->shift, shape);
        return;
    }
    const char *axis = s->axis, *shift = s->shift;
    snprintf(text, TEXT, "x0");
    while (*axis && *shift) {
        char inner[TEXT];
        snprintf(inner, sizeof inner, "%s", text);
        snprintf(text, TEXT, "roll(%.800s; axis=%.*s, by=%.*s)", inner,
                 (int)strcspn(axis, ","), axis, (int)strcspn(shift, ","),
                 shift);
        axis += strcspn(axis, ",");
        axis += *axis == ',';
        shift += strcspn(shift, ",");
        shift += *shift == ',';
    }
}

/* "name(x0, x1, ...; axis=N)", each operand flattened if there is none. */
static void
write_join(const char *name, const golden_case *c, const spec *s, char *text)
{
    bool flat = !strcmp(s->axis, "none");
    sprintf(text, "%s(", name);
    for (int i = 0; i < c->operands; i++)
        sprintf(text + strlen(text),
                flat ? "%sreshape(x%d; shape=[-1])" : "%sx%d", i ? ", " : "",
                i);
    sprintf(text + strlen(text), "; axis=%s)", flat ? "0" : s->axis);
}

static void
write_stack(const golden_case *c, const spec *s, char *text)
{
    write_join("stack", c, s, text);
}

static void
write_concat(const golden_case *c, const spec *s, char *text)
{
    write_join("concat", c, s, text);
}

/* "name(x0; axes=[...])", without axes for all. */
static void
write_axes(const char *name, const spec *s, char *text)
{
    if (!strcmp(s->axis, "all"))
        snprintf(text, TEXT, "%s(x0)", name);
    else
        snprintf(text, TEXT, "%s(x0; axes=[%s])", name, s->axis);
}

static void
write_expand_dims(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    write_axes("expand_dims", s, text);
}

static void
write_squeeze(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    write_axes("squeeze", s, text);
}

static void
write_flip(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    write_axes("flip", s, text);
}

static void
write_broadcast_to(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    snprintf(text, TEXT, "broadcast_to(x0; shape=[%s])", s->shape);
}

static void
write_where(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    (void)s;
    snprintf(text, TEXT, "where(x0, x1, x2)");
}

static void
write_clip(const golden_case *c, const spec *s, char *text)
{
    (void)c;
    (void)s;
    snprintf(text, TEXT, "min(max(x0, x1), x2)");
}

/* NumPy's spelling; "@2" is operand x2. */
static void
write_index(const golden_case *c, const spec *s, char *text)
{
    (void)s;
    size_t n = (size_t)sprintf(text, "x0");
    if (!strcmp(c->text[1], "-"))
        return;
    text[n++] = '[';
    for (const char *p = c->text[1]; *p; p++)
        text[n++] = *p == '@' ? 'x' : *p;
    sprintf(text + n, "]");
}

static const struct {
    const char *op;
    write_fn *write;
} ops[] = {{"index", write_index},
           {"reshape", write_reshape},
           {"transpose", write_transpose},
           {"roll", write_roll},
           {"stack", write_stack},
           {"concatenate", write_concat},
           {"expand_dims", write_expand_dims},
           {"squeeze", write_squeeze},
           {"flip", write_flip},
           {"broadcast_to", write_broadcast_to},
           {"where", write_where},
           {"clip", write_clip}};

static write_fn *
find_op(const char *op)
{
    for (size_t i = 0; i < GOLDEN_COUNT(ops); i++)
        if (!strcmp(ops[i].op, op))
            return ops[i].write;
    return NULL;
}

/* ---- rows ---- */

/* A mask beside an array of indices: that both give as many is seen in the data
 * by NumPy, and assumed in Ilex, whose runs verify it. */
static void
assume_counts(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    static int number; /* a name for each */
    bool beside = false;
    for (int k = 1; k < c->operands; k++)
        beside |= c->in[k].dtype != ILEX_BOOL;
    for (int k = 1; k < c->operands && beside; k++) {
        char name[40], text[80];
        long long count = 0;
        if (c->in[k].dtype != ILEX_BOOL || strcmp(c->text[0], "index") != 0)
            continue;
        for (int64_t i = 0; i < c->in[k].count; i++)
            count += c->in[k].data[i];
        snprintf(name, sizeof name, "counted%d", number++);
        snprintf(text, sizeof text, "%s == %lld", name, count);
        ilex_size_count(ctx, name, x[k]);
        ilex_assume(ctx, text);
    }
}

static ilex_array *
build(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    static const char *const names[GOLDEN_OPERANDS] = {"x0", "x1", "x2", "x3",
                                                       "x4", "x5", "x6", "x7"};
    char text[TEXT];
    spec s = spec_of(c->text[1]);
    find_op(c->text[0])(c, &s, text);
    assume_counts(c, ctx, x);
    return ilex_expr_n(ctx, text, (size_t)c->operands, names, x);
}

/* What is wrong with the row, or NULL: then "c" is its case. */
static const char *
make_case(char **row, golden_case *c)
{
    c->build = build;
    c->text[0] = row[OP];
    c->text[1] = row[SPEC];
    if (strlen(row[SPEC]) > 70)
        return "has a specification that is too long";
    const char *fault = golden_rows_operands(c, row[OPERANDS]);
    if (!fault && strtol(row[COUNT], NULL, 10) != c->operands)
        return "has another number of operands than it says";
    return fault;
}

/* Why the row cannot be run, or NULL. */
static const char *
skip(char **row)
{
    return find_op(row[OP]) ? NULL : "no runner for the operation";
}

void
golden_index(const golden_table *t, golden_report *r)
{
    golden_rows_run(t, r,
                    &(golden_row_layout){.make_case = make_case,
                                         .skip = skip,
                                         .what = {OP, SPEC, OPERANDS},
                                         .status = STATUS,
                                         .result = RESULT,
                                         .tolerance = -1,
                                         .note = NOTE});
}
