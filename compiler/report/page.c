/* SPDX-License-Identifier: MIT
 *
 * `ilexc graph --html`: one page with the program's text, a picture of its
 * arrays, its kernels, the generated source and the stages in between. What
 * belongs together has a word in common, in the attribute "data-k": L12 for
 * what line 12 of the program makes, A5 for array 5, K3 for kernel 3. The page
 * needs nothing beside itself.
 */
#include <stdio.h>

#include "compiler/report/explain.h"
#include "compiler/report/report.h"
#include "lib/graph/annotation.h"

typedef ix_page_parts page;

#include "compiler/report/page.inc"

/* What of the way is shown, by the pass behind which it is; "": the end. */
static const struct {
    const char *pass, *title;
} stages[] = {
    {"lower", "index lambdas"},
    {"partition", "what is stored: stages"},
    {"reduce", "loops, before any transformation"},
    {"schedule", "loops, as the schedule has them"},
};

enum { MOST_OF_A_STAGE = 7500 }; /* bytes; the rest is ilexc print's */

/* ---- words ---- */

/* Words of an element, "K3 A5 L12", that stand somewhere; none: "". */
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
    ix_xml_put(t, line, length);
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

/* The words of array "i". */
static void
put_array_words(const ix_unit *u, size_t i, ix_text *t)
{
    ix_text_format(t, "A%zu", i);
    if (line_of(u, i))
        ix_text_format(t, " L%d", line_of(u, i));
}

static void
note_array(page *p, ix_unit *u, size_t i)
{
    ix_text own, t;
    ix_text_init(&own, &u->mem);
    ix_text_init(&t, &u->mem);
    put_array_words(u, i, &own);
    const char *w = ix_text_string(&own);
    ix_picture_add(&p->picture, u, i, w);
    ix_picture_name(u, i, &p->names);
    ix_text_format(&p->names, " %s\n", w);
    if (!ix_explain_is_shown(u, i))
        return;
    bool stored = ix_explain_decision(u, i, &t);
    p->stored += stored;
    p->again += !stored;
    t.length = 0;
    ix_explain_array(u, i, &t);
    const char *s = ix_text_string(&t);
    ix_text_format(&p->arrays, "<p class=\"array %s\" data-k=\"%s\">",
                   stored ? "stored" : "again", w);
    ix_xml_put(&p->arrays, s ? s : "", s ? strlen(s) : 0);
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
    for (size_t i = 0; i < x->u->norder; i++) {
        if (x->u->decision[i].buffer != s->buffer)
            continue;
        if (ix_picture_is_box(x->u, i))
            ix_text_format(x->t, " A%zu", i);
        if (line_of(x->u, i))
            ix_text_format(x->t, " L%d", line_of(x->u, i));
    }
    return true;
}

/* The lines of a kernel: what it does, its bytes and operations, its loops. */
static void
put_kernel_lines(const char *s, ix_text *t)
{
    for (size_t n; *s; s += n + (s[n] != '\0')) {
        n = strcspn(s, "\n");
        const char *first = s + strspn(s, " ");
        bool title = first - s == 2;
        bool figures =
            !strncmp(first, "bytes", 5) || !strncmp(first, "operations", 10);
        bool words_ =
            !strncmp(first, "computes", 8) || !strncmp(first, "from", 4);
        const char *element = title ? "h3" : figures || words_ ? "p" : "code";
        ix_text_format(t, "<%s%s>", element,
                       figures ? " class=\"figures\"" : "");
        if (*element != 'c')
            n -= (size_t)(first - s), s = first;
        ix_xml_put(t, s, n);
        ix_text_format(t, "</%s>\n", element);
    }
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
    open_element(&p->kernels, "article", words_of(w));
    put_kernel_lines(s ? s : "", &p->kernels);
    ix_text_put(&p->kernels, "</article>\n");
}

static void
note_stage(page *p, ix_unit *u, const char *pass)
{
    for (size_t i = 0; i < IX_COUNT(stages); i++)
        if (!strcmp(stages[i].pass, pass)) {
            ix_text_format(&p->stages, "=%s\n", pass);
            ix_dump_unit(u, &p->stages);
        }
}

static void
note_total(page *p, ix_unit *u, const ix_totals *all)
{
    int n = 0;
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        n++;
    ix_text_format(&p->total,
                   "%d array%s stored, %d computed where read; %d kernel%s; "
                   "bytes read ",
                   p->stored, p->stored == 1 ? "" : "s", p->again, n,
                   n == 1 ? "" : "s");
    ix_fact_bytes(u, &all->read, 0, &p->total);
    ix_text_put(&p->total, ", written ");
    ix_fact_bytes(u, &all->written, 0, &p->total);
}

void
ix_page_note(void *user, ix_unit *u, const char *pass)
{
    page *p = user;
    ix_totals all = {.read = {.n = 0}};
    const ix_kernel *before = NULL;
    note_stage(p, u, pass);
    if (strcmp(pass, "verify") != 0)
        return;
    for (size_t i = 0; i < u->norder; i++)
        if (ix_picture_is_box(u, i))
            note_array(p, u, i);
    for (size_t k = 0; k < u->noutputs; k++) {
        ix_text_format(&p->names, "=%s ",
                       ix_symbol_text(u->ctx, u->module->output[k].name));
        put_array_words(u, ix_unit_position(u, u->root[k]), &p->names);
        ix_text_char(&p->names, '\n');
    }
    for (const ix_kernel *k = u->kernels; k; before = k, k = k->next)
        put_kernel(p, u, k, before, &all);
    note_total(p, u, &all);
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
 * comment names. */
static words
source_words(page *p, const char *line, size_t n)
{
    const char *comment = strstr(line, "; /* ");
    if (!comment || comment >= line + n)
        return words_of(NULL);
    return find_words(p, comment + 5, strcspn(comment + 5, "[ "));
}

/* The lines of a kernel begin: they are its, and what it stores. */
static void
begin_kernel(page *p, int before, int kernel, ix_text *t)
{
    char name[16];
    ix_text_put(t, before < 0 ? "</details>\n" : "</div>\n");
    snprintf(name, sizeof name, "/%d", kernel);
    open_element(t, "div", find_words(p, name, strlen(name)));
    ix_text_char(t, '\n');
}

/* The source; what all sources begin with is folded away. */
static void
put_source(page *p, const char *source, ix_text *t)
{
    int kernel = -1;
    ix_text_put(t, "<details><summary>what comes before the kernels</summary>"
                   "\n");
    for (const char *at = source; *at;) {
        size_t n = strcspn(at, "\n");
        int own = kernel_of(at, kernel);
        if (own != kernel)
            begin_kernel(p, kernel, own, t);
        kernel = own;
        put_line(t, source_words(p, at, n), at, n);
        at += n + (at[n] != '\0');
    }
    ix_text_put(t, kernel < 0 ? "</details>\n" : "</div>\n");
}

/* The words of a line of a stage: of the name that is its comment or comes
 * behind "lambda", or of its kernel. */
static words
stage_words(page *p, const char *line, size_t n)
{
    static const char *const before[] = {"  # ", " = lambda ", "  kernel k",
                                         " out ", " in "};
    for (size_t i = 0; i < IX_COUNT(before); i++) {
        const char *at = strstr(line, before[i]);
        if (!at || at >= line + n)
            continue;
        at += strlen(before[i]);
        if (before[i][2] == 'k') {
            char name[16];
            snprintf(name, sizeof name, "/%.*s", (int)strspn(at, "0123456789"),
                     at);
            return find_words(p, name, strlen(name));
        }
        return find_words(p, at, strcspn(at, " \n"));
    }
    return words_of(NULL);
}

/* One stage, of "n" bytes. */
static void
put_stage(page *p, size_t i, const char *s, size_t n, ix_text *t)
{
    const char *end = s + n;
    ix_text_format(t, "<details><summary><b>%s</b> %s</summary><div>\n",
                   stages[i].pass, stages[i].title);
    while (s < end && t && (size_t)(end - s) + MOST_OF_A_STAGE > n) {
        size_t line = strcspn(s, "\n");
        put_line(t, stage_words(p, s, line), s, line);
        s += line + 1;
    }
    if (s < end)
        ix_text_format(t, "<p>and so on: ilexc print --stage=%s</p>\n",
                       stages[i].pass);
    ix_text_put(t, "</div></details>\n");
}

static void
put_stages(page *p, ix_text *t)
{
    const char *at = ix_text_string(&p->stages);
    for (size_t i = 0; at && *at == '=' && i < IX_COUNT(stages); i++) {
        const char *next = strstr(at + 1, "\n=");
        size_t n = next ? (size_t)(next + 1 - at) : strlen(at);
        size_t title = strcspn(at, "\n") + 1;
        put_stage(p, i, at + title, n - title, t);
        at += n;
    }
}

static void
put_section(ix_text *t, const char *name, const char *title)
{
    ix_text_format(t, "<section id=\"%s\">\n<h2>%s</h2>\n<div>\n", name, title);
}

static void
end_section(ix_text *t)
{
    ix_text_put(t, "</div></section>\n");
}

/* What was noted. */
static void
put_noted(const ix_text *noted, ix_text *t)
{
    const char *s = ix_text_string(noted);
    ix_text_put(t, s ? s : "");
}

static void
put_arrays(page *p, const char *places, ix_text *t)
{
    put_section(t, "arrays", "Arrays");
    ix_text_put(t, "<p class=\"key\"><span class=\"input\">input</span>"
                   "<span class=\"output\">output</span>"
                   "<span class=\"stored\">stored</span>"
                   "<span class=\"again\">computed where it is read</span>"
                   "</p>\n<figure>\n");
    ix_picture_put(&p->picture, places, t);
    ix_text_put(t, "</figure>\n<details open=\"open\"><summary>why</summary>"
                   "\n");
    put_noted(&p->arrays, t);
    ix_text_put(t, "</details>\n");
    end_section(t);
}

static void
put_head(page *p, const ilex_module *m, ix_text *t)
{
    ix_text_put(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                   "content=\"width=device-width\"/>\n<title>");
    ix_xml_put(t, m->name, strlen(m->name));
    ix_text_format(t, "</title>\n%s</head>\n<body>\n<header>\n<h1>", style);
    ix_xml_put(t, m->name, strlen(m->name));
    ix_text_put(t, "</h1>\n<p>");
    put_noted(&p->total, t);
    ix_text_put(t, "</p>\n</header>\n<main>\n");
}

void
ix_page_put(page *p, const ilex_module *m, const char *text, const char *source,
            const char *places, ix_text *t)
{
    put_head(p, m, t);
    ix_text_put(t, "<div>\n");
    put_section(t, "program", "Program");
    put_program(p, text, t);
    end_section(t);
    put_section(t, "kernels", "Kernels");
    put_noted(&p->kernels, t);
    end_section(t);
    put_section(t, "stages", "Stages");
    put_stages(p, t);
    end_section(t);
    ix_text_put(t, "</div>\n<div>\n");
    put_arrays(p, places, t);
    put_section(t, "source", "Source");
    put_source(p, source, t);
    end_section(t);
    ix_text_format(t, "</div>\n</main>\n%s</body>\n</html>\n", script);
}

void
ix_page_begin(page *p, const ix_mem *mem)
{
    *p = (page){.stored = 0};
    ix_text_init(&p->arrays, mem);
    ix_text_init(&p->kernels, mem);
    ix_text_init(&p->stages, mem);
    ix_text_init(&p->total, mem);
    ix_text_init(&p->names, mem);
    ix_picture_begin(&p->picture, mem);
}

void
ix_page_end(page *p)
{
    ix_text_free(&p->arrays);
    ix_text_free(&p->kernels);
    ix_text_free(&p->stages);
    ix_text_free(&p->total);
    ix_text_free(&p->names);
    ix_picture_end(&p->picture);
}
