/* SPDX-License-Identifier: MIT
 *
 * JSON: where commas and lines go, what strings hide.
 */
#include "lib/base/json.h"

/* Two apostrophes never meet, so that the text may stand between three of them
 * (modules in Python). */
static void
put_letter(ix_text *t, char c, char next)
{
    if (c == '\n')
        ix_text_put(t, "\\n");
    else if ((unsigned char)c < ' ' || (c == '\'' && next == '\''))
        ix_text_format(t, "\\u%04x", (unsigned)c);
    else
        ix_text_format(t, c == '"' || c == '\\' ? "\\%c" : "%c", c);
}

static void
put_string(ix_text *t, const char *s, size_t n)
{
    ix_text_char(t, '"');
    for (size_t i = 0; i < n; i++)
        put_letter(t, s[i], s[i + 1]);
    ix_text_char(t, '"');
}

static void
new_line(const ix_json *j)
{
    ix_text_char(j->t, '\n');
    for (int i = 0; i < j->depth; i++)
        ix_text_put(j->t, "  ");
}

/* What stands before a value. */
static void
begin(ix_json *j, const char *key)
{
    if (j->more)
        ix_text_put(j->t, j->flat ? ", " : ",");
    if (j->depth && !j->flat)
        new_line(j);
    if (key) {
        put_string(j->t, key, strlen(key));
        ix_text_put(j->t, ": ");
    }
    j->more = true;
}

void
ix_json_open(ix_json *j, const char *key, char bracket, bool flat)
{
    begin(j, key);
    ix_text_char(j->t, bracket);
    j->depth++;
    j->flat = j->flat || !flat ? j->flat : j->depth;
    j->more = false;
}

void
ix_json_close(ix_json *j, char bracket)
{
    j->depth--;
    if (j->more && !j->flat)
        new_line(j);
    j->flat = j->flat > j->depth ? 0 : j->flat;
    ix_text_char(j->t, bracket);
    j->more = true;
}

void
ix_json_string(ix_json *j, const char *key, const char *s)
{
    begin(j, key);
    if (s)
        put_string(j->t, s, strlen(s));
    else
        ix_text_put(j->t, "null");
}

void
ix_json_put(ix_json *j, const char *key, const char *value)
{
    begin(j, key);
    ix_text_put(j->t, value);
}

void
ix_json_int(ix_json *j, const char *key, int64_t value)
{
    begin(j, key);
    ix_text_int(j->t, value);
}

void
ix_json_bool(ix_json *j, const char *key, bool value)
{
    ix_json_put(j, key, value ? "true" : "false");
}

void
ix_json_parts(ix_json *j, const char *key, const char *s, const char *separator,
              bool flat)
{
    ix_json_open(j, key, '[', flat);
    while (*s) {
        const char *end = strstr(s, separator);
        size_t n = end ? (size_t)(end - s) : strlen(s);
        begin(j, NULL);
        put_string(j->t, s, n);
        s += n + (end ? strlen(separator) : 0);
    }
    ix_json_close(j, ']');
}
