/* SPDX-License-Identifier: MIT
 *
 * Lines of the source in generated code: `#line 7 "p.ilx"` before each line of
 * a statement, so that compilers, debuggers and profilers speak of the program.
 * What belongs to no line of it has the generated text's own line. These are
 * known when the text is complete: until then "#line" stands in for them.
 */
#include "compiler/emit/emit.h"

static const char own_line[] = "#line\n";

/* The name as a string of C, also where trigraphs have a meaning. */
static void
put_string(const char *s, ix_text *t)
{
    ix_text_char(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < ' ' || c == 127)
            ix_text_format(t, "\\%03o", c);
        else
            ix_text_format(t, strchr("\"\\?", c) ? "\\%c" : "%c", c);
    }
    ix_text_char(t, '"');
}

void
ix_emit_place(ix_emitter *e)
{
    const ix_source_location *at = &e->location;
    if (at->line <= 0) {
        ix_emit_own_lines(e);
        return;
    }
    ix_text_format(e->t, "#line %d", at->line);
    if (!e->file || strcmp(e->file, at->file) != 0) {
        ix_text_char(e->t, ' ');
        put_string(at->file, e->t);
        e->file = at->file;
    }
    ix_text_char(e->t, '\n');
}

void
ix_emit_own_lines(ix_emitter *e)
{
    if (e->file)
        ix_text_put(e->t, own_line);
    e->file = NULL;
}

void
ix_finish_lines(const char *source, const char *name, ix_text *t)
{
    int line = 1;
    for (size_t n; *source; source += n, line++) {
        n = strcspn(source, "\n");
        n += source[n] == '\n';
        if (n != strlen(own_line) || memcmp(source, own_line, n) != 0) {
            ix_text_put_n(t, source, n);
            continue;
        }
        ix_text_format(t, "#line %d ", line + 1);
        put_string(name, t);
        ix_text_char(t, '\n');
    }
}
