/* SPDX-License-Identifier: MIT
 *
 * What callers see: the struct of arguments, its defaults, the flat function,
 * errors.
 */
#include "compiler/host/host.h"
#include "lib/ops/dtype.h"

/* ---- the comment on top ---- */

/* " *   in  u : f64[I:ni, J:nj]" */
static void
put_argument(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    bool output = ix_host_is_output(h, i);
    ix_text_format(h->t, " *     %s %s : %s", output ? "out" : "in ", b->name,
                   ilex_dtype_name(b->dtype));
    if (b->rank)
        ix_text_format(h->t, "[%s]", b->interior_text);
    if (strcmp(h->argument[i], b->name) != 0)
        ix_text_format(h->t, " (called %s)", h->argument[i]);
    if (!b->used && !output)
        ix_text_put(h->t, ", not read");
    if (b->inplace >= 0)
        ix_text_format(h->t, ", may have the memory of %s",
                       h->c->buffer[b->inplace].name);
    ix_text_char(h->t, '\n');
    if (strcmp(b->whole_text, b->interior_text) != 0)
        ix_text_format(h->t, " *         with its halo [%s]\n", b->whole_text);
}

void
ix_host_put_formulas(ix_host *h)
{
    const ix_compiled *c = h->c;
    const char *comma = " * for all sizes";
    for (size_t p = 0; p < c->nsizes; p++)
        if (h->size[p]) {
            ix_text_format(h->t, "%s %s", comma, c->size[p].name);
            comma = ",";
        }
    ix_text_put(h->t, *comma == ',' ? " >= 0" : " * for arrays");
    for (size_t i = 0; i < c->nassumptions; i++)
        ix_text_format(h->t, "\n *     where %s", c->assumption[i].text);
    ix_text_put(h->t, "\n *\n");
    for (size_t i = 0; i < c->narguments; i++)
        put_argument(h, i);
}

/* ---- errors ---- */

static const struct {
    const char *name, *meaning;
    ilex_status number;
} errors[] = {
#define ILEX_ERROR(name, number, family, kind, meaning)                        \
    {#name, meaning, (ilex_status)number},
#include "ilex/errors.def"
};

/* The errors of functions that are compiled ahead of time. */
static bool
may_happen(const ix_host *h, ilex_status error)
{
    static const ilex_status all[] = {
        ILEX_E_ARGUMENT, ILEX_E_BOUNDS,          ILEX_E_OVERFLOW,
        ILEX_E_BINDING,  ILEX_E_BINDING_SHAPE,   ILEX_E_HALO,
        ILEX_E_OVERLAP,  ILEX_E_ALIGNMENT,       ILEX_E_ASSUMPTION,
        ILEX_E_SIZE,     ILEX_E_EMPTY_REDUCTION, ILEX_E_MEMORY,
        ILEX_E_ROUNDING, ILEX_E_INTERNAL};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        if (all[i] == error)
            return true;
    return (h->grid && error == ILEX_E_DEVICE) ||
           ((h->c->ncalls > h->c->nroutines || h->support) &&
            error == ILEX_E_FUNCTION);
}

void
ix_host_put_errors(ix_host *h)
{
    const char *comma = "";
    ix_text_format(h->t, "enum %s_error {", h->prefix);
    for (size_t i = 0; i < IX_COUNT(errors); i++) {
        if (!may_happen(h, errors[i].number))
            continue;
        ix_text_format(h->t, "%s\n    %s_E_%s = %d", comma, h->upper,
                       errors[i].name, (int)errors[i].number);
        comma = ",";
    }
    ix_text_put(h->t, "\n};\n");
}

/* The same for the text of a run, and what they mean. */
void
ix_host_put_error_codes(ix_host *h)
{
    ix_text_put(h->t, "enum {");
    for (size_t i = 0; i < IX_COUNT(errors); i++)
        ix_text_format(h->t, "\n    ILEX_E_%s = %d,", errors[i].name,
                       (int)errors[i].number);
    ix_text_put(h->t, "\n    ILEX_E_NONE = 0\n};\n");
}

void
ix_host_put_error_text(ix_host *h)
{
    ix_text_put(h->t, "ILEX_OFFERED const char *\n"
                      "ilex_error_text(int error)\n"
                      "{\n"
                      "    switch (error) {\n"
                      "    case 0:\n"
                      "        return \"success\";\n");
    for (size_t i = 0; i < IX_COUNT(errors); i++)
        if (may_happen(h, errors[i].number))
            ix_text_format(h->t,
                           "    case ILEX_E_%s:\n        return \"%s\";\n",
                           errors[i].name, errors[i].meaning);
    ix_text_put(h->t, "    default:\n"
                      "        return \"no error of this program\";\n"
                      "    }\n"
                      "}\n\n");
}

/* ---- the struct of arguments ---- */

/* The element of an input of rank 0: "double dt", "float z[2]". */
static void
put_value(ix_host *h, size_t i, const char *qualifier)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    bool complex = ix_dtype_is_complex(b->dtype);
    ix_text_format(h->t, "%s%s %s%s", complex ? qualifier : "",
                   ix_host_type(b->dtype), h->argument[i],
                   complex ? "[2]" : "");
}

static void
put_member(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    const char *qualifier = ix_host_is_output(h, i) ? "" : "const ";
    const char *type = ix_host_type(b->dtype), *name = h->argument[i];
    if (b->rank == 0 && *qualifier) {
        ix_text_put(h->t, "    ");
        put_value(h, i, "");
        ix_text_put(h->t, ";\n");
    } else if (b->rank == 0) {
        ix_text_format(h->t, "    struct {\n        %s *data;\n    } %s;\n",
                       type, name);
    } else {
        ix_text_format(h->t,
                       "    struct {\n"
                       "        %s%s *data;\n"
                       "        uint32_t flags;\n"
                       "        int64_t shape[%d], stride[%d], origin[%d], "
                       "halo[%d][2];\n"
                       "    } %s;\n",
                       qualifier, type, b->rank, b->rank, b->rank, b->rank,
                       name);
    }
}

void
ix_host_put_members(ix_host *h)
{
    const char *start = "    int64_t ";
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p]) {
            ix_text_format(h->t, "%s%s", start, h->size[p]);
            start = ", ";
        }
    ix_text_put(h->t, *start == ',' ? ";\n" : "");
    for (size_t i = 0; i < h->c->narguments; i++)
        put_member(h, i);
    if (h->c->ncounts)
        ix_text_put(h->t,
                    "    /* Where a run tells what it counted, NULL: nowhere. "
                    "Outputs of such\n"
                    "     * lengths have room for the most there may be, and "
                    "are written on what is\n"
                    "     * counted. */\n");
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, "    int64_t *%s;\n", h->counted[i]);
}

/* ---- the flat function ---- */

/* Breaks the line where it is long. */
static void
put_comma(ix_host *h, size_t *start, bool first)
{
    if (!first)
        ix_text_put(h->t, ",");
    if (h->t->length - *start > 56) {
        ix_text_put(h->t, "\n    ");
        *start = h->t->length;
    } else if (!first) {
        ix_text_put(h->t, " ");
    }
}

static void
put_parameter(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    if (b->rank == 0 && !ix_host_is_output(h, i))
        put_value(h, i, "const ");
    else
        ix_text_format(h->t, "%s%s *%s",
                       ix_host_is_output(h, i) ? "" : "const ",
                       ix_host_type(b->dtype), h->argument[i]);
}

bool
ix_host_takes_workspace(const ix_host *h)
{
    return h->library->freestanding && h->c->nslots > 0;
}

/* "hdiff_dense(int64_t ni, const double *u, double *v)" */
static void
put_signature(ix_host *h)
{
    size_t start = h->t->length;
    bool first = true;
    ix_text_format(h->t, "%s_dense(", h->prefix);
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p]) {
            put_comma(h, &start, first);
            ix_text_format(h->t, "int64_t %s", h->size[p]);
            first = false;
        }
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < h->c->narguments; i++)
            if (ix_host_is_output(h, i) == output) {
                put_comma(h, &start, first);
                put_parameter(h, i);
                first = false;
            }
    for (size_t i = 0; i < h->c->ncounts; i++) {
        put_comma(h, &start, first);
        ix_text_format(h->t, "int64_t *%s", h->counted[i]);
        first = false;
    }
    if (ix_host_takes_workspace(h)) {
        put_comma(h, &start, first);
        ix_text_put(h->t, "void *workspace, size_t workspace_bytes)");
    } else if (h->grid) {
        put_comma(h, &start, first);
        ix_text_put(h->t, "struct CUstream_st *stream)");
    } else {
        ix_text_put(h->t, first ? "void)" : ")");
    }
}

void
ix_host_put_dense_declaration(ix_host *h)
{
    ix_text_put(h->t, "int ");
    put_signature(h);
    ix_text_put(h->t, ";\n");
}

/* How an argument of the flat function goes into the struct. */
static void
put_dense_argument(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    const char *name = h->argument[i];
    bool value = b->rank == 0 && !ix_host_is_output(h, i);
    if (value && ix_dtype_is_complex(b->dtype))
        ix_text_format(h->t,
                       "    args.%s[0] = %s[0];\n    args.%s[1] = %s[1];\n",
                       name, name, name, name);
    else
        ix_text_format(h->t, "    args.%s%s = %s;\n", name,
                       value ? "" : ".data", name);
}

void
ix_host_put_dense(ix_host *h)
{
    ix_text_put(h->t, "int\n");
    put_signature(h);
    ix_text_format(h->t,
                   "\n{\n"
                   "    %s_args args;\n"
                   "    %s_args_init(&args);\n",
                   h->prefix, h->prefix);
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p])
            ix_text_format(h->t, "    args.%s = %s;\n", h->size[p], h->size[p]);
    for (size_t i = 0; i < h->c->narguments; i++)
        put_dense_argument(h, i);
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, "    args.%s = %s;\n", h->counted[i],
                       h->counted[i]);
    ix_text_put(h->t, h->grid ? "    args.stream = stream;\n" : "");
    if (ix_host_takes_workspace(h))
        ix_text_put(h->t, "    args.workspace = workspace;\n"
                          "    args.workspace_bytes = workspace_bytes;\n");
    ix_text_format(h->t, "    return %s(&args);\n}\n", h->prefix);
}
