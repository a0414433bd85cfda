/* SPDX-License-Identifier: MIT
 *
 * `ilexc graph --html`: one page with the program's text, a picture of its
 * arrays, its kernels, the generated source and the stages in between. What
 * belongs together has a word in common, in the attribute "data-k": L12 for
 * what line 12 of the program makes, A5 for array 5, K3 for kernel 3. The page
 * needs nothing beside itself.
 */
#include "compiler/report/page.h"

#include <stdio.h>

typedef ix_page_parts page;

#include "compiler/report/page.inc"

const struct ix_page_stage ix_page_stages[IX_PAGE_STAGES] = {
    {"lower", "index lambdas"},
    {"partition", "what is stored: stages"},
    {"reduce", "loops, before any transformation"},
    {"schedule", "loops, as the schedule has them"},
};

enum { MOST_OF_A_STAGE = 7500 }; /* bytes; the rest is ilexc print's */

/* ---- words ---- */

ix_page_words
ix_page_words_of(const char *text)
{
    return (ix_page_words){text ? text : "", text ? strlen(text) : 0};
}

void
ix_page_open(ix_text *t, const char *element, ix_page_words w)
{
    ix_text_format(t, "<%s", element);
    if (w.length)
        ix_text_format(t, " data-k=\"%.*s\"", (int)w.length, w.text);
    ix_text_char(t, '>');
}

static void
put_line(ix_text *t, ix_page_words w, const char *line, size_t length)
{
    ix_page_open(t, "code", w);
    ix_xml_put(t, line, length);
    ix_text_put(t, "</code>\n");
}

ix_page_words
ix_page_find(const page *p, const char *name, size_t length)
{
    const char *at = ix_text_string(&p->names);
    for (; at && *at; at += strcspn(at, "\n") + 1) {
        size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, name, length) == 0)
            return (ix_page_words){at + own + 1, strcspn(at + own + 1, "\n")};
    }
    return ix_page_words_of(NULL);
}

/* ---- the page ---- */

/* The words of what the output of a line "out NAME ..." is. */
static ix_page_words
output_words(page *p, const char *line)
{
    char name[80] = "=";
    if (sscanf(line, "out %77[A-Za-z0-9_]", name + 1) != 1)
        return ix_page_words_of(NULL);
    return ix_page_find(p, name, strlen(name));
}

static void
put_program(page *p, const char *text, ix_text *t)
{
    int number = 1;
    for (const char *at = text; *at; number++) {
        size_t n = strcspn(at, "\n");
        ix_page_words out = output_words(p, at);
        char word[40];
        snprintf(word, sizeof word, "L%d%s%.*s", number, out.length ? " " : "",
                 (int)out.length, out.text);
        put_line(t, ix_page_words_of(word), at, n);
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
static ix_page_words
source_words(page *p, const char *line, size_t n)
{
    const char *comment = strstr(line, "; /* ");
    if (!comment || comment >= line + n)
        return ix_page_words_of(NULL);
    return ix_page_find(p, comment + 5, strcspn(comment + 5, "[ "));
}

/* The lines of a kernel begin: they are its, and what it stores. */
static void
begin_kernel(page *p, int before, int kernel, ix_text *t)
{
    char name[16];
    ix_text_put(t, before < 0 ? "</details>\n" : "</div>\n");
    snprintf(name, sizeof name, "/%d", kernel);
    ix_page_open(t, "div", ix_page_find(p, name, strlen(name)));
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
static ix_page_words
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
            return ix_page_find(p, name, strlen(name));
        }
        return ix_page_find(p, at, strcspn(at, " \n"));
    }
    return ix_page_words_of(NULL);
}

/* One stage, of "n" bytes. */
static void
put_stage(page *p, size_t i, const char *s, size_t n, ix_text *t)
{
    const char *end = s + n;
    ix_text_format(t, "<details><summary><b>%s</b> %s</summary><div>\n",
                   ix_page_stages[i].pass, ix_page_stages[i].title);
    while (s < end && (size_t)(end - s) + MOST_OF_A_STAGE > n) {
        size_t line = strcspn(s, "\n");
        put_line(t, stage_words(p, s, line), s, line);
        s += line + 1;
    }
    if (s < end)
        ix_text_format(t, "<p>and so on: ilexc print --stage=%s</p>\n",
                       ix_page_stages[i].pass);
    ix_text_put(t, "</div></details>\n");
}

static void
put_stages(page *p, ix_text *t)
{
    const char *at = ix_text_string(&p->stages);
    for (size_t i = 0; at && *at == '=' && i < IX_PAGE_STAGES; i++) {
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
