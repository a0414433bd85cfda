/* SPDX-License-Identifier: MIT
 *
 * `ilexc graph --html`: one page with the program's text, its arrays, its
 * kernels and the generated source side by side. What belongs together has a
 * word in common, in the attribute "data-k": L12 for what line 12 of the
 * program makes, K3 for kernel 3. The page needs nothing beside itself.
 */
#include <stdio.h>

#include "compiler/report/explain.h"
#include "compiler/report/report.h"
#include "lib/graph/annotation.h"

typedef ix_page_parts page;

static const char head[] =
    "<meta charset=\"utf-8\"/>\n<style>\n"
    "body { font: 14px sans-serif; margin: 0.5em }\n"
    "main { display: flex; align-items: flex-start; gap: 1em }\n"
    "section { flex: 1 1 0; overflow: auto; max-height: 90vh; min-width: 0 }\n"
    "h1, h2 { font-size: 1.1em; margin: 0.3em 0 }\n"
    "code { display: block; white-space: pre; font: 12px monospace;\n"
    "    min-height: 1.3em }\n"
    "p { margin: 0.2em 0; white-space: pre-wrap; font: 12px monospace }\n"
    "[data-k] { cursor: default }\n"
    ".on { background: #ffe08a }\n</style>\n";

/* No '<' and no '&': the page is well-formed XML, too. */
static const char script[] =
    "<script>\n"
    "function words(e) { return e.getAttribute('data-k').split(' '); }\n"
    "function show(e, on) {\n"
    "    var mine = words(e);\n"
    "    document.querySelectorAll('[data-k]').forEach(function (other) {\n"
    "        if (words(other).some(function (w) {\n"
    "            return mine.indexOf(w) !== -1; }))\n"
    "            other.classList.toggle('on', on);\n"
    "    });\n"
    "}\n"
    "document.querySelectorAll('[data-k]').forEach(function (e) {\n"
    "    e.addEventListener('mouseenter', function () { show(e, true); });\n"
    "    e.addEventListener('mouseleave', function () { show(e, false); });\n"
    "});\n</script>\n";

/* ---- text ---- */

/* Appends what may be anything; bytes that are no printable ASCII are '?'. */
static void
put_escaped(ix_text *t, const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)s[i];
        const char *name = c == '<'    ? "&lt;"
                           : c == '>'  ? "&gt;"
                           : c == '&'  ? "&amp;"
                           : c == '"'  ? "&quot;"
                           : c == '\'' ? "&#39;"
                                       : NULL;
        if (name)
            ix_text_put(t, name);
        else
            ix_text_char(t, (c >= 32 && c < 127) || c == '\n' || c == '\t'
                                ? (char)c
                                : '?');
    }
}

/* Words of an element, "K3 L12", that stand somewhere; none: "". */
typedef struct words {
    const char *text;
    size_t length;
} words;

/* The words of a whole text, NULL for none. */
static words
words_of(const char *text)
{
    return (words){text ? text : "", text ? strlen(text) : 0};
}

static void
open_element(ix_text *t, const char *element, words w)
{
    ix_text_format(t, "<%s", element);
    if (w.length)
        ix_text_format(t, " data-k=\"%.*s\"", (int)w.length, w.text);
    ix_text_char(t, '>');
}

static void
put_line(ix_text *t, words w, const char *line, size_t length)
{
    open_element(t, "code", w);
    put_escaped(t, line, length);
    ix_text_put(t, "</code>\n");
}

/* ---- what the unit says ---- */

/* The line of the program that makes array "i"; 0: none. */
static int
line_of(const ix_unit *u, size_t i)
{
    const ilex_array *source = ix_unit_program(u, u->order[i]);
    return source && ix_location_count(source) ? ix_location_get(source, 0).line
                                               : 0;
}

static void
note_name(page *p, const ix_unit *u, size_t i)
{
    int line = line_of(u, i);
    if (line == 0)
        return;
    ix_explain_name(u, i, &p->names);
    ix_text_format(&p->names, " L%d\n", line);
}

static void
put_array(page *p, ix_unit *u, size_t i)
{
    ix_text t;
    char word[16] = "";
    int line = line_of(u, i);
    ix_text_init(&t, &u->mem);
    ix_explain_array(u, i, &t);
    const char *s = ix_text_string(&t);
    if (line)
        snprintf(word, sizeof word, "L%d", line);
    open_element(&p->arrays, "p", words_of(word));
    put_escaped(&p->arrays, s ? s : "", s ? strlen(s) : 0);
    ix_text_put(&p->arrays, "</p>\n");
}

/* The words noted for the name of "length". */
static words
find_words(page *p, const char *name, size_t length)
{
    const char *at = ix_text_string(&p->names);
    for (; at && *at; at += strcspn(at, "\n") + 1) {
        size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, name, length) == 0)
            return (words){at + own + 1, strcspn(at + own + 1, "\n")};
    }
    return words_of(NULL);
}

/* Words of the kernel: itself, and the lines that make what it stores and what
 * it computes on the way. */
typedef struct word_list {
    page *p;
    ix_text *t;
    const ix_unit *u;
} word_list;

static bool
put_note_word(void *user, ix_stmt *s)
{
    word_list *x = user;
    words w = words_of(NULL);
    if (s->kind == IX_STMT_LET && s->note)
        w = find_words(x->p, s->note, strcspn(s->note, "["));
    if (w.length)
        ix_text_format(x->t, " %.*s", (int)w.length, w.text);
    return true;
}

static bool
put_store_word(void *user, ix_stmt *s)
{
    word_list *x = user;
    if (s->kind != IX_STMT_STORE || s->buffer < 0)
        return true;
    for (size_t i = 0; i < x->u->norder; i++)
        if (x->u->decision[i].buffer == s->buffer && line_of(x->u, i))
            ix_text_format(x->t, " L%d", line_of(x->u, i));
    return true;
}

static void
put_kernel(page *p, ix_unit *u, const ix_kernel *k, const ix_kernel *before,
           ix_totals *all)
{
    ix_text t, own;
    word_list list = {p, &own, u};
    ix_text_init(&t, &u->mem);
    ix_text_init(&own, &u->mem);
    ix_text_format(&own, "K%d", k->number);
    ix_stmt_each(k->nests, put_store_word, &list);
    const char *stored = ix_text_string(&own);
    ix_text_format(&p->names, "/%d %s\n", k->number, stored ? stored : "");
    ix_stmt_each((k->like ? k->like : k)->body, put_note_word, &list);
    ix_explain_kernel(u, k, before, all, &t);
    const char *s = ix_text_string(&t), *w = ix_text_string(&own);
    open_element(&p->kernels, "p", words_of(w));
    put_escaped(&p->kernels, s ? s : "", s ? strlen(s) : 0);
    ix_text_put(&p->kernels, "</p>\n");
}

void
ix_page_note(void *user, ix_unit *u, const char *pass)
{
    page *p = user;
    ix_totals all = {.read = {.n = 0}};
    const ix_kernel *before = NULL;
    if (strcmp(pass, "verify") != 0)
        return;
    for (size_t i = 0; i < u->norder; i++)
        if (ix_explain_is_shown(u, i)) {
            note_name(p, u, i);
            put_array(p, u, i);
        }
    for (size_t k = 0; k < u->noutputs; k++) {
        int line = line_of(u, ix_unit_position(u, u->root[k]));
        if (line)
            ix_text_format(&p->names, "=%s L%d\n",
                           ix_symbol_text(u->ctx, u->module->output[k].name),
                           line);
    }
    for (const ix_kernel *k = u->kernels; k; before = k, k = k->next)
        put_kernel(p, u, k, before, &all);
}

/* ---- the page ---- */

/* The words of what the output of a line "out NAME ..." is. */
static words
output_words(page *p, const char *line)
{
    char name[80] = "=";
    if (sscanf(line, "out %77[A-Za-z0-9_]", name + 1) != 1)
        return words_of(NULL);
    return find_words(p, name, strlen(name));
}

static void
put_program(page *p, const char *text, ix_text *t)
{
    int number = 1;
    for (const char *at = text; *at; number++) {
        size_t n = strcspn(at, "\n");
        words out = output_words(p, at);
        char word[40];
        snprintf(word, sizeof word, "L%d%s%.*s", number, out.length ? " " : "",
                 (int)out.length, out.text);
        put_line(t, words_of(word), at, n);
        at += n + (at[n] != '\0');
    }
}

/* The number of the kernel whose comment the line is, "k3 computes", or "now".
 */
static int
kernel_of(const char *line, int now)
{
    int number = 0, used = 0;
    return sscanf(line, "/* k%d computes%n", &number, &used) == 1 && used
               ? number
               : now;
}

/* The words of a line of source, of "n" characters: those of the array that its
 * comment names, else those of its kernel and of what that stores. */
static words
source_words(page *p, const char *line, size_t n, int kernel)
{
    words w = words_of(NULL);
    char name[16];
    const char *comment = strstr(line, "; /* ");
    if (comment && comment < line + n)
        w = find_words(p, comment + 5, strcspn(comment + 5, "[ "));
    snprintf(name, sizeof name, "/%d", kernel);
    return w.length || kernel < 0 ? w : find_words(p, name, strlen(name));
}

static void
put_source(page *p, const char *source, ix_text *t)
{
    int kernel = -1;
    for (const char *at = source; *at;) {
        size_t n = strcspn(at, "\n");
        kernel = kernel_of(at, kernel);
        put_line(t, source_words(p, at, n, kernel), at, n);
        at += n + (at[n] != '\0');
    }
}

static void
put_section(ix_text *t, const char *title)
{
    ix_text_format(t, "<section>\n<h2>%s</h2>\n", title);
}

void
ix_page_put(page *p, const ilex_module *m, const char *text, const char *source,
            ix_text *t)
{
    const char *arrays = ix_text_string(&p->arrays);
    const char *kernels = ix_text_string(&p->kernels);
    ix_text_put(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>");
    put_escaped(t, m->name, strlen(m->name));
    ix_text_format(t, "</title>\n%s</head>\n<body>\n<h1>", head);
    put_escaped(t, m->name, strlen(m->name));
    ix_text_put(t, "</h1>\n<main>\n");
    put_section(t, "Program");
    put_program(p, text, t);
    ix_text_put(t, "</section>\n");
    put_section(t, "Arrays");
    ix_text_put(t, arrays ? arrays : "");
    ix_text_put(t, "<h2>Kernels</h2>\n");
    ix_text_put(t, kernels ? kernels : "");
    ix_text_put(t, "</section>\n");
    put_section(t, "Source");
    put_source(p, source, t);
    ix_text_format(t, "</section>\n</main>\n%s</body>\n</html>\n", script);
}

void
ix_page_begin(page *p, const ix_mem *mem)
{
    ix_text_init(&p->arrays, mem);
    ix_text_init(&p->kernels, mem);
    ix_text_init(&p->names, mem);
}

void
ix_page_end(page *p)
{
    ix_text_free(&p->arrays);
    ix_text_free(&p->kernels);
    ix_text_free(&p->names);
}
