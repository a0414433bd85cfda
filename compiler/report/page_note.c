/* SPDX-License-Identifier: MIT
 *
 * What a page says of arrays, kernels and stages, noted behind passes.
 */
#include <stdio.h>

#include "compiler/report/explain.h"
#include "compiler/report/page.h"
#include "lib/graph/annotation.h"

typedef ix_page_parts page;

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
    ix_page_words w = ix_page_words_of(NULL);
    if (s->kind == IX_STMT_LET && s->note)
        w = ix_page_find(x->p, s->note, strcspn(s->note, "["));
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
        bool plain =
            !strncmp(first, "computes", 8) || !strncmp(first, "from", 4);
        const char *element = title ? "h3" : figures || plain ? "p" : "code";
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
    ix_page_open(&p->kernels, "article", ix_page_words_of(w));
    put_kernel_lines(s ? s : "", &p->kernels);
    ix_text_put(&p->kernels, "</article>\n");
}

static void
note_stage(page *p, ix_unit *u, const char *pass)
{
    for (size_t i = 0; i < IX_PAGE_STAGES; i++)
        if (!strcmp(ix_page_stages[i].pass, pass)) {
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
