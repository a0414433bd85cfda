/* SPDX-License-Identifier: MIT
 *
 * Collected errors: all of a program in text, without those that follow from
 * others; those of constructors until they are cleared; the limit; what kind of
 * exception each is.
 */
#include "lib/base/errors.h"
#include "tests/unit/graph_fixture.h"

/* The errors there are, "5:20 E103, 7:9 E107"; forgotten then. */
static const char *
errors(void)
{
    static char text[1000];
    size_t used = 0;
    ilex_error_info e = ILEX_ERROR_INFO();
    *text = 0;
    for (size_t i = 0; !ilex_error_get(ctx, i, &e); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d:%d E%d",
                                 i ? ", " : "", e.line, e.column, (int)e.code);
    ilex_error_clear(ctx);
    ck_assert_uint_eq(ilex_error_count(ctx), 0);
    return text;
}

/* ---- text ---- */

static const struct {
    const char *statements, *errors;
} texts[] = {
    {"let a = 1\nout v = u", ""},
    /* meaning: one error a statement, none for what uses its name */
    {"let a = x\nlet b = a*2\nlet c = y\nout v = b + c", "5:9 E107, 7:9 E107"},
    {"let a, b = x\nout v = a\nout w = y + b", "5:12 E103, 7:9 E107"},
    {"map k[I:n] = u[I-3]\nout v : f64[I:n] = k\nout w = z",
     "5:5 E401, 7:9 E107"},
    {"size m = x\nin w : f64[I:m]\nlet a = w[I+1]\nout v = y",
     "5:10 E105, 8:9 E107"},
    {"domain d = [I:0:q]\nlet a : f64 on d = u\nout v = y",
     "5:17 E107, 7:9 E107"},
    {"scan I forward y[I:n] = x, z[I:n] = 2\nout v = z + r\nout w = q",
     "5:25 E107, 7:9 E107"},
    {"extern s(a : f99) -> f64 pure\nout v = s(u)\nout w = z",
     "5:14 E201, 7:9 E107"},
    {"assume n >= 1 && q < 2\nout v = z", "5:18 E107, 6:9 E107"},
    /* a name that is defined anew is known again */
    {"let a = x\nlet a = u\nout v = a + y", "5:9 E107, 7:13 E107"},
    {"let a = u\nlet a = u\nlet b = a + y", "6:5 E106"},
    /* syntax: the rest of the text is read */
    {"let a = u[I+1\nlet b = 2*a\nout v = y", "5:14 E103, 7:9 E107"},
    {"lett a = 2\nlet b = 2*a\nout v = y", "5:1 E103, 7:9 E107"},
    {"sizes m, k\nin w : f64[I:m, J:k]\nout v = y", "5:1 E103, 7:9 E107"},
    {"let a = $2\nlet b = 2*a\nout v = y", "5:9 E103, 7:9 E107"},
    {"let a = (u +\n  2*\nlet b = 2*a\nout v = y + b", "7:5 E103, 8:9 E107"},
    {"out v = u u\nout w = ", "5:11 E103, 6:8 E103"},
    {"scan I forwards y[I:n] = u u\nout v = y\nout w = z",
     "5:28 E103, 7:9 E107"},
    /* by place, although syntax is looked at first */
    {"out v = y\nlet a = u u\nout w = z\nlet b = $",
     "5:9 E107, 6:11 E103, 7:9 E107, 8:9 E103"},
    /* a function is one statement */
    {"function f(x)\n  let y = x +* 2\n  let z = 3\n  return y\nend\n"
     "let h = f(u)\nout v = q",
     "6:14 E103, 11:9 E107"},
    {"function f(x)\n  let y = x + q\n  return y\nend\nlet h = f(u)\n"
     "out v = q",
     "6:15 E107, 10:9 E107"},
    {"function f(x)\n  return x[K+1]\nend\nlet h = f(u)\nout v = q + h",
     "6:12 E303, 9:9 E107"},
    {"function f(x)\n  return x[I+1\nend\nlet h = f(u)\nout v = q + h",
     "6:15 E103, 9:9 E107"},
    {"function f(x)\n  let y = x +* 2\nout v = q", "6:14 E103"},
    {"function f(x)\n  let y = x[J+1]\n  return y\nend\nlet h = f(u)\n"
     "let g = f(q)\nout v = r + h",
     "6:13 E303, 10:11 E107, 11:9 E107"},
    {"return u\nout v = q", "5:1 E103, 6:9 E107"},
    {"out v = q  # let a = b\n# out w = r\nout w = r\n", "5:9 E107, 7:9 E107"},
};

START_TEST(of_a_text)
{
    char text[1000];
    for (size_t i = 0; i < IX_COUNT(texts); i++) {
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n\nin u : f64[I:n] halo(I:1:1)\n%s\n",
                 texts[i].statements);
        ilex_module *m = ilex_module_parse(ctx, text, "p.ilx");
        ck_assert_int_eq(!m, ilex_error_count(ctx) > 0);
        ck_assert_str_eq(errors(), texts[i].errors);
        if (m)
            ilex_module_free(m);
        char *fmt = ilex_text_fmt(ctx, text, "p.ilx"); /* the first alone */
        ck_assert(fmt ? ilex_error_count(ctx) == 0
                      : ilex_error_count(ctx) == 1);
        ilex_text_free(ctx, fmt);
        ilex_error_clear(ctx);
    }
}
END_TEST

/* Headings: what stands before the statements. */
START_TEST(of_headings)
{
    static const struct {
        const char *text, *errors;
    } rows[] = {
        {"ilex 1\nprogam p\nsize n\nout v = q\n", "2:1 E103, 4:9 E107"},
        {"ilex 2\nprogram p\nout v = q\n", "1:6 E105, 3:9 E107"},
        {"size n\nout v = q\n", "1:1 E103"},
        {"", "1:1 E103"},
        {"ilex 1\nprogram p\nprogram q\nout v = q\n", "3:1 E106"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_ptr_null(ilex_module_parse(ctx, rows[i].text, "p.ilx"));
        ck_assert_str_eq(errors(), rows[i].errors);
    }
}
END_TEST

/* 20 are kept, the others counted; the first is the cause. */
START_TEST(limit)
{
    char text[4000] = "ilex 1\nprogram p\n";
    for (int i = 0; i < 50; i++)
        snprintf(text + strlen(text), 40, "let a%d = x%d\n", i, i);
    ck_assert_ptr_null(ilex_module_parse(ctx, text, "p.ilx"));
    ilex_error_info e = ILEX_ERROR_INFO();
    ck_assert_uint_eq(ilex_error_count(ctx), 50);
    ck_assert_int_eq(ilex_error_get(ctx, 19, &e), ILEX_OK);
    ck_assert_int_eq(e.line, 22);
    ck_assert_str_eq(e.file, "p.ilx");
    ck_assert_ptr_nonnull(strstr(e.text, "p.ilx:22:11: error[E107]: there"));
    ck_assert_ptr_nonnull(strstr(e.text, "\n    let a19 = x19\n"));
    ck_assert_int_eq(ilex_error_get(ctx, 20, &e), ILEX_E_LIMIT);
    ck_assert_int_eq(ilex_error_get(ctx, 50, &e), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_error_get(ctx, 0, &e), ILEX_OK);
    ck_assert_str_eq(e.text, ilex_error_text(ctx));
    ck_assert_int_eq(e.line, 3);
    ilex_error_clear(ctx);
}
END_TEST

/* ---- constructors ---- */

START_TEST(of_constructors)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_array *w = ilex_input(ctx, "w", ILEX_F64, "I:n");
    ilex_location(ctx, "f.py", 1, 2);
    ilex_array *a = ilex_shift(u, "J", 1);
    ilex_location(ctx, "f.py", 2, 3);
    ilex_array *b = ilex_add(a, w); /* follows */
    ilex_add(b, NULL);
    ilex_restrict(NULL, "I:n");
    ilex_location(ctx, "f.py", 3, 4);
    ilex_expr(ctx, "u + q", "u", u, NULL);
    ilex_location(ctx, "f.py", 4, 5);
    ck_assert(!ilex_is_poison(ilex_multiply(u, w)));
    ilex_restrict(u, "I:-1:n");
    ilex_location(ctx, "f.py", 5, 6);
    ilex_lit_int(ctx, 2);
    ilex_input(ctx, "1", ILEX_F64, "");
    ilex_input(ctx, "1", ILEX_F64, ""); /* again */
    ilex_location(ctx, NULL, 0, 0);
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_AXIS);
    ck_assert_str_eq(ilex_error_query(ctx).operation, "shift");
    ilex_error_info e = ILEX_ERROR_INFO();
    ck_assert_int_eq(ilex_error_get(ctx, 2, &e), ILEX_OK);
    ck_assert_ptr_nonnull(strstr(e.text, "restrict: "));
    ck_assert_msg(!strcmp(e.file, "f.py"), "%s", errors());
    ck_assert_ptr_null(ilex_compile(ctx, 1, &w, NULL));
    ck_assert_str_eq(errors(), "1:2 E303, 3:4 E107, 4:5 E401, 5:6 E102");
    ilex_program *p = ilex_compile(ctx, 1, &w, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_program_release(p);
}
END_TEST

/* A text adds to what was there; what is tried out adds nothing. */
START_TEST(after_others)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_module *m = ilex_module_new(ctx, "p");
    ilex_array *v = ilex_map(ctx, "I:n", "u[I]*2.0 + 1.0", "u", u, NULL);
    ck_assert_int_eq(ilex_module_output(m, "v", v, NULL), ILEX_OK);
    ilex_shift(u, "J", 1);
    ck_assert_ptr_null(ilex_module_parse(
        ctx, "ilex 1\nprogram p\nout v = x\nout w = y\n", "p"));
    size_t before = ilex_error_count(ctx);
    char *text = ilex_module_print(m); /* tries out how it may be written */
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(ilex_error_count(ctx), before);
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    ck_assert_str_eq(errors(), "0:0 E303, 3:9 E107, 4:9 E107");
}
END_TEST

/* ---- places ---- */

/* Paths of any length are told whole. */
START_TEST(long_paths)
{
    char path[2000] = "/";
    while (strlen(path) < 1900)
        strcat(path, "folder/");
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n");
    ilex_location(ctx, path, 12, 3);
    ilex_shift(u, "J", 1);
    ilex_location(ctx, "other", 1, 1);
    ilex_error_info e = ILEX_ERROR_INFO();
    ck_assert_int_eq(ilex_error_get(ctx, 0, &e), ILEX_OK);
    ck_assert_str_eq(e.file, path);
    ilex_error_clear(ctx);
    ck_assert_ptr_null(
        ilex_module_parse(ctx, "ilex 1\nprogram p\nout v = x\n", path));
    ck_assert_str_eq(ilex_error_query(ctx).file, path);
    ck_assert_int_eq(strncmp(ilex_error_text(ctx), path, strlen(path)), 0);
    ilex_error_clear(ctx);
}
END_TEST

/* Where a text was written from, tag @loc says: of errors in the statement,
 * and of those found later, where what it makes is used. */
START_TEST(places_in_tags)
{
    static const struct {
        const char *statements, *word;
    } rows[] = {
        {"out v = u[J+1] @loc(\"f.py\", 12, 3)",
         "p.ilx:5:11: error[E303]: |(from f.py:12:3)\n"},
        {"let t = 2.0*u[I-2] @loc(\"f.py\", 12, 3)\n"
         "let s = t + 1\nout v : f64[I:n] = s",
         "p.ilx:7:5: error[E401]: v: reads u at |read at f.py:12:3\n"},
        {"let a = 2*u @loc(\"f.py\", 12, 3)\nlet t = 2.0*u[I-2]\n"
         "out v : f64[I:n] = t + a",
         "p.ilx:7:5: error[E401]: |read at p.ilx:6:13\n"},
        /* in a function: of its own statements, else of that with the call */
        {"function f(x)\nlet y = x[I-2] @loc(\"f.py\", 12, 3)\nreturn y\nend\n"
         "let t = f(u) @loc(\"g.py\", 40)\nout v : f64[I:n] = t",
         "p.ilx:10:5: error[E401]: v: reads u at |read at f.py:12:3\n"},
        {"function f(x)\nlet y = x[I-2]\nreturn y\nend\n"
         "let t = f(u) @loc(\"g.py\", 40)\nout v : f64[I:n] = t",
         "p.ilx:10:5: error[E401]: v: reads u at |read at g.py:40\n"},
        {"function f(x)\nlet y = x[J+1] @loc(\"f.py\", 12, 3)\nreturn y\nend\n"
         "let t = f(u) @loc(\"g.py\", 40)",
         "p.ilx:6:11: error[E303]: |called on line 9) (from f.py:12:3)\n"},
        {"function f(x)\nlet y = 2*x @loc(\"f.py\", 12, 3)\nreturn y\nend\n"
         "let t = f(u) + u[I-2] @loc(\"g.py\", 40)\nout v : f64[I:n] = t",
         "p.ilx:10:5: error[E401]: |read at g.py:40\n"},
        {"function f(x)\nlet y = 2*x @loc(\"f.py\", 12, 3)\nreturn y\nend\n"
         "let t = f(u) + u[I-2]\nout v : f64[I:n] = t",
         "p.ilx:10:5: error[E401]: |read at p.ilx:9:16\n"},
        {"out v = u[J+1] @loc(\"f.py\")", "|]\n"},
        {"out v = u[J+1] @loc(12, 3)", "|]\n"},
        {"out v = u[J+1] @loc(\"f.py\", -1)", "|]\n"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[400], head[100] = "";
        const char *bar = strchr(rows[i].word, '|');
        memcpy(head, rows[i].word, (size_t)(bar - rows[i].word));
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n\nin u : f64[I:n] "
                 "halo(I:1:1)\n%s\n",
                 rows[i].statements);
        ck_assert_ptr_null(ilex_module_parse(ctx, text, "p.ilx"));
        const char *said = ilex_error_text(ctx);
        bool from = strstr(said, "from ") != NULL;
        ck_assert_msg(strstr(said, head) != NULL, "%s", said);
        ck_assert_msg(rows[i].word == bar ? !from
                                          : strstr(said, bar + 1) != NULL,
                      "%s", said);
        ilex_error_clear(ctx);
    }
}
END_TEST

/* ---- marks ---- */

START_TEST(marks)
{
    ix_error first;
    ix_errors more;
    ix_errors_init(&first, &more, &ix_mem_default);
    ix_error_mark none = ix_errors_mark(&first);
    ix_fail(&first, ILEX_E_SHAPE, "a");
    ck_assert_int_eq(ix_errors_since(&first, none), ILEX_E_SHAPE);
    ix_error_mark one = ix_errors_mark(&first);
    ck_assert_int_eq(ix_errors_since(&first, one), ILEX_OK);
    ix_fail(&first, ILEX_E_SHAPE, "a");
    ck_assert_uint_eq(ix_errors_count(&first), 1);
    for (int i = 0; i < 30; i++)
        ix_fail(&first, ILEX_E_RANK, "b%d", i);
    ck_assert_uint_eq(ix_errors_count(&first), 31);
    ck_assert_int_eq(ix_errors_since(&first, one), ILEX_E_RANK);
    ix_errors_rewind(&first, one);
    ck_assert_uint_eq(ix_errors_count(&first), 1);
    ck_assert_int_eq(first.code, ILEX_E_SHAPE);
    ix_error aside;
    ix_errors_take(&first, &aside);
    ix_fail(&first, ILEX_E_AXIS, "c");
    ix_errors_restore(&first, &aside);
    ck_assert_str_eq(first.text, "a");
    ck_assert_str_eq(ix_errors_last(&first)->text, "c");
    ix_errors_rewind(&first, none);
    ck_assert_uint_eq(ix_errors_count(&first), 0);
    ck_assert_ptr_null(ix_errors_last(&first));
    ix_errors_free(&more);
}
END_TEST

/* ---- names of statuses ---- */

/* Each error has a kind that errors.def explains; these have this one. */
START_TEST(kinds)
{
    static const struct {
        ilex_status status;
        const char *kind;
    } rows[] = {
        {ILEX_OK, "none"},
        {ILEX_E_SHAPE, "value"},
        {ILEX_E_DTYPE, "type"},
        {ILEX_E_BOUNDS, "index"},
        {ILEX_E_MEMORY, "memory"},
        {ILEX_E_UNSUPPORTED, "unsupported"},
        {ILEX_E_FILE, "os"},
        {ILEX_E_CANCELLED, "cancelled"},
        {ILEX_E_INTERNAL, "internal"},
        {(ilex_status)1, "?"},
    };
    static const ilex_status all[] = {
#define ILEX_ERROR(name, number, family, kind, meaning) ILEX_E_##name,
#include "ilex/errors.def"
    };
    const char *known = " value type index memory unsupported os cancelled "
                        "internal ";
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        ck_assert_str_eq(ilex_status_kind(rows[i].status), rows[i].kind);
    for (size_t i = 0; i < IX_COUNT(all); i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", ilex_status_kind(all[i]));
        ck_assert_msg(strstr(known, word) != NULL, "%s: %s",
                      ilex_status_name(all[i]), word);
    }
}
END_TEST

/* "r" is poison: "what" is NULL, or of another context. */
static void
is_stranger(const ilex_array *r, const ilex_array *x, const char *what)
{
    char want[100];
    snprintf(want, sizeof want, "%s %s", what,
             x ? "belongs to another context" : "is NULL");
    ck_assert(ilex_is_poison(r));
    ck_assert_msg(strstr(ilex_error_text(ctx), want) != NULL, "%s, not: %s",
                  ilex_error_text(ctx), want);
    ck_assert_int_eq(take_error(), x ? ILEX_E_CONTEXT : ILEX_E_ARGUMENT);
}

START_TEST(strangers)
{
    ilex_context *other = ilex_context_new(NULL);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"), *c = ilex_less(x, x),
               *stranger[2] = {NULL, ilex_input(other, "x", ILEX_F64, "I:n")};
    for (int i = 0; i < 2; i++) {
        ilex_array *y = stranger[i], *both[2] = {x, y};
        ilex_module *m = ilex_module_new(ctx, "p");
        is_stranger(ilex_add(x, y), y, "add: operand 1");
        is_stranger(ilex_where(c, x, y), y, "where: operand 2");
        is_stranger(ilex_einsum(ctx, "i,i->i", 2, both), y,
                    "einsum: operand 1");
        is_stranger(ilex_full(ctx, "I:n", y), y, "full: the value");
        is_stranger(ilex_shift_by(x, "I", y, NULL, NULL), y,
                    "shift: the amount");
        is_stranger(ilex_concat_where("I < 1", x, y), y,
                    "concat_where: operand 1");
        ck_assert(ilex_module_output(m, "v", y, NULL));
        is_stranger(ctx->poison, y, "output: the value of v");
        ilex_module_free(m);
    }
    ilex_context_free(other);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("errors", of_a_text, of_headings, limit, of_constructors,
                     after_others, long_paths, places_in_tags, marks, kinds,
                     strangers);
}
