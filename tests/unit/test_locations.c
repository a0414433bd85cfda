/* SPDX-License-Identifier: MIT
 *
 * Places that kernels hold: of the arrays they store and of all that was fused
 * into these, through every pass that makes, cuts or moves kernels.
 */
#include "tests/unit/graph_fixture.h"

enum { HEAD = 7 }; /* lines before the statements */

/* Appends "-2 -1; " for the lines of one kernel. */
static void
put_lines(const ix_source_location *location, size_t n, ix_text *t)
{
    int line = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(location[i].file, "p.ilx");
        if (location[i].line != line)
            ix_text_format(t, "%s%d", i ? " " : "", location[i].line - HEAD);
        line = location[i].line;
    }
    ix_text_put(t, "; ");
}

/* The lines of each kernel, or of what the reference back end has for one. */
static const char *
lines_of(const char *statements, bool reference)
{
    static char kept[400];
    char text[1000];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m\nin u : f64[n]\nin a : f64[n, "
             "m]\nin b : f64[m, n]\nin p : i64[n]\n%s",
             statements);
    ilex_module *m = ilex_module_parse(ctx, text, "p.ilx");
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ix_compile_request request = {.reference = reference};
    ix_compiled *c = ix_compile(m, &request);
    ck_assert_msg(c != NULL, "%s", ilex_error_text(ctx));
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    for (size_t i = 0; i < c->nkernels; i++)
        put_lines(c->kernel[i].location, c->kernel[i].nlocations, &t);
    for (size_t i = 0; i < c->nbytecodes; i++)
        put_lines(c->bytecode[i].location, c->bytecode[i].nlocations, &t);
    snprintf(kept, sizeof kept, "%s", ix_text_string(&t));
    ix_text_free(&t);
    ix_compiled_free(c);
    ilex_module_free(m);
    return kept;
}

START_TEST(of_kernels)
{
    static const struct {
        const char *statements, *lines;
    } rows[] = {
        /* fused */
        {"let x = 2*u\nlet y = x - 1\nout v = y*x\n", "1 2 3; "},
        /* read from memory, which is not computed here */
        {"let s = sum[1](a)\nlet r = sum[0](s*u)\nout v = u*r\n",
         "1; 2; 2; 3; "},
        /* one array at two lines */
        {"let x = u + 1\nlet y = u + 1\nout v = x*y\n", "1 2 3; "},
        /* nothing is computed on a line */
        {"assume n >= 1\nlet x = 2*u\nlet y = x[1:]\nout v = y/3\n", "2 3 4; "},
        /* parts of a buffer */
        {"let x = 2*u\nout v = concat(x, u)\n", "1 2; "},
        /* pieces without conditions */
        {"let x = 2*u\nmap y[i:n] = where(i < 2, 0.0, x[i])\nout v = y\n",
         "1 2; "},
        /* levels */
        {"let x = 2*u\nscan i forward y[i:n] = where(i == 0, x[i], y[i-1] + "
         "x[i])\nout v = y + 1\n",
         "1 2; 3; "},
        /* changes of elements: a copy, then these */
        {"let x = 2*u\nlet y = add_at(u[p], x)\nout v = y\n", "1 2; 1 2; "},
        /* a path of pairs, of which none is in the text */
        {"einsum e[i] = a[i, j]*b[j, k]*u[k]\nout v = 2*e\n", "1; 1 2; "},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        ck_assert_msg(
            !strcmp(lines_of(rows[i].statements, false), rows[i].lines),
            "%s has %s", rows[i].statements,
            lines_of(rows[i].statements, false));
}
END_TEST

START_TEST(of_bytecode)
{
    static const char text[] =
        "let x = 2*u\nlet y = x - 1\nout v = y*x\nout w = sum[0](u)\n";
    ck_assert_str_eq(lines_of(text, true), "1; 2; 3; 4; ");
}
END_TEST

/* ---- the query ---- */

static ilex_program *
from_c(const char *file)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n"), *v;
    ilex_location(ctx, file, 12, 0);
    v = ilex_add(u, u);
    ilex_location(ctx, file, 7, 4);
    v = ilex_multiply(v, u);
    ilex_location(ctx, NULL, 0, 0);
    ilex_program *p = ilex_compile(ctx, 1, &v, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    return p;
}

START_TEST(query)
{
    ilex_option_set(ctx, "jit", "cc");
    ilex_program *p = from_c("f.py");
    ilex_location_info at = ILEX_LOCATION_INFO();
    ck_assert_uint_eq(ilex_program_kernel_count(p), 1);
    ck_assert_uint_eq(ilex_program_location_count(p, 0), 2);
    ck_assert_int_eq(ilex_program_location_get(p, 0, 0, &at), ILEX_OK);
    ck_assert_str_eq(at.file, "f.py");
    ck_assert_int_eq(at.line, 7);
    ck_assert_int_eq(at.column, 4);
    ck_assert_int_eq(ilex_program_location_get(p, 0, 1, &at), ILEX_OK);
    ck_assert_int_eq(at.line, 12);
    ck_assert_int_eq(at.column, 0);
    ck_assert_int_eq(ilex_program_location_get(p, 0, 2, &at), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_location_get(p, 0, 0, NULL), ILEX_E_ARGUMENT);
    ck_assert_uint_eq(ilex_program_location_count(p, 1), 0);
    ck_assert_int_eq(ilex_program_location_get(p, 1, 0, &at), ILEX_E_ARGUMENT);
    ilex_program_release(p);
}
END_TEST

/* A caller of an older library has no room for what came later. */
START_TEST(room)
{
    ilex_program *p = from_c("f.py");
    ilex_location_info at = {.size = offsetof(ilex_location_info, column),
                             .column = 99};
    ck_assert_int_eq(ilex_program_location_get(p, 0, 0, &at), ILEX_OK);
    ck_assert_int_eq(at.column, 99);
    ck_assert_uint_eq(at.size, offsetof(ilex_location_info, column));
    at.size = sizeof at.size;
    ck_assert_int_eq(ilex_program_location_get(p, 0, 0, &at), ILEX_E_ARGUMENT);
    ilex_program_release(p);
}
END_TEST

/* What is compiled once has the places of that time, also when its context is
 * gone. */
START_TEST(kept)
{
    ilex_option_set(ctx, "verify", "0"); /* else nothing is kept */
    ilex_program *p = from_c("first.py"), *q = from_c("second.py");
    ilex_location_info at = ILEX_LOCATION_INFO();
    ck_assert_ptr_eq(p, q);
    close_context();
    open_context();
    ck_assert_int_eq(ilex_program_location_get(q, 0, 0, &at), ILEX_OK);
    ck_assert_str_eq(at.file, "first.py");
    ilex_program_release(p);
    ilex_program_release(q);
}
END_TEST

START_TEST(nowhere)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_array *v = ilex_add(u, ilex_exp(u));
    ilex_program *p = ilex_compile(ctx, 1, &v, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_eq(ilex_program_location_count(p, 0), 0);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("locations", of_kernels, of_bytecode, query, room, kept,
                     nowhere);
}
