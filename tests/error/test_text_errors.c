/* SPDX-License-Identifier: MIT
 *
 * Every row of text_errors.tsv is a text that must be refused with this code,
 * place and message; nothing of it may remain in the context. Where the message
 * names a remedy, a text that applies it word by word must be accepted.
 */
#include "lib/base/letter.h"
#include "lib/syntax/parse.h"
#include "tests/error/errors.h"

enum { MAX_LINE = 4096, COLUMNS = 6 };

static const char prelude[] = "ilex 1\nprogram p\nsize n, m\n"
                              "in u : f64[I:n, J:m] halo(I:1:1)\n"
                              "in x : f64[n]\nin s : i32\n";

static FILE *table;

/* Splits "line" at tabs; returns the number of columns. */
static int
split(char *line, char **column)
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line; p && n < COLUMNS; n++) {
        column[n] = p;
        p = n + 1 < COLUMNS ? strchr(p, '\t') : NULL;
        if (p)
            *p++ = 0;
    }
    return n;
}

/* The text that "s" stands for, in "out"; returns its length. */
static size_t
unescape(const char *s, char *out)
{
    char *start = out;
    if (*s == '~') {
        memcpy(out, prelude, sizeof prelude - 1);
        out += sizeof prelude - 1;
        s++;
    }
    for (; *s; s++) {
        if (s[0] != '\\') {
            *out++ = *s;
        } else if (*++s == 'x') {
            char hex[3] = {s[1], s[2], 0};
            *out++ = (char)strtol(hex, NULL, 16);
            s += 2;
        } else {
            *out++ = *s == 'n' ? '\n' : '\t';
        }
    }
    return (size_t)(out - start);
}

/* The text with the remedy, which stands between two ` and in the message. */
static void
check_remedy(const char *row, const char *message)
{
    char text[MAX_LINE + sizeof prelude], remedy[MAX_LINE];
    size_t n = unescape(row, text), length = 0, kept = 0;
    int quotes = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '`') {
            quotes++;
            continue;
        }
        if (quotes == 1)
            remedy[length++] = text[i];
        text[kept++] = text[i];
    }
    remedy[length] = 0;
    ck_assert_msg(quotes == 2 && strstr(message, remedy), "no '%s' in: %s",
                  remedy, message);
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *m = ix_module_parse(ctx, text, kept, "f.ilx");
    ck_assert_msg(m != NULL, "remedy %s: %s", row, ilex_error_text(ctx));
    ilex_module_free(m);
    ilex_context_free(ctx);
}

/* The caret stands below the place, unless the line is cut before it. */
static void
check_caret(const char *message, int column)
{
    const char *caret = strrchr(message, '\n'), *line = caret;
    ck_assert_msg(message[strlen(message) - 1] == '^', "no caret: %s", message);
    while (line[-1] != '\n')
        line--;
    size_t letters = ix_letters(line, 4 + (size_t)column - 1);
    ck_assert_msg(column > 80 || strlen(caret) - 2 == letters,
                  "the caret stands elsewhere: %s", message);
}

static void
check_row(char **column, int columns)
{
    char text[MAX_LINE + sizeof prelude];
    size_t n = unescape(column[4], text);
    ilex_context *ctx = ilex_context_new(NULL);
    ck_assert_ptr_nonnull(ctx);
    ilex_module *m = ix_module_parse(ctx, text, n, "f.ilx");
    ck_assert_msg(!m, "accepted: %s", column[4]);
    ilex_error_info e = ilex_error_query(ctx);
    const char *message = ilex_error_text(ctx);
    ck_assert_msg(!strcmp(ilex_status_name(e.code) + 7, column[0]),
                  "%s: code %s, not %s: %s", column[4],
                  ilex_status_name(e.code), column[0], message);
    ck_assert_msg(e.line == atoi(column[1]) && e.column == atoi(column[2]),
                  "%s: at %d:%d: %s", column[4], e.line, e.column, message);
    ck_assert_str_eq(e.file, "f.ilx");
    ck_assert_msg(strstr(message, column[3]), "%s: no '%s' in: %s", column[4],
                  column[3], message);
    check_caret(message, e.column);
    ck_assert_ptr_null(ctx->in_force);
    ck_assert_uint_eq(ctx->nscopes, 0);
    if (columns == COLUMNS)
        check_remedy(column[COLUMNS - 1], message);
    ilex_context_free(ctx);
}

START_TEST(error_table)
{
    char line[MAX_LINE], *column[COLUMNS];
    int rows = 0;
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#')
            continue;
        int n = split(line, column);
        ck_assert_msg(n >= COLUMNS - 1, "bad row: %s", line);
        check_row(column, n);
        rows++;
    }
    ck_assert_int_ge(rows, 160);
}
END_TEST

static void
open_table(void)
{
    const char *top = getenv("srcdir");
    char path[768];
    snprintf(path, sizeof path, "%s/tests/error/text_errors.tsv",
             top ? top : ".");
    table = fopen(path, "r");
    ck_assert_msg(table != NULL, "cannot read %s", path);
}

static void
close_table(void)
{
    fclose(table);
}

Suite *
text_errors_suite(void)
{
    Suite *suite = suite_create("text_errors");
    TCase *tests = tcase_create("table");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_table, close_table);
    tcase_add_test(tests, error_table);
    suite_add_tcase(suite, tests);
    return suite;
}
