/* SPDX-License-Identifier: MIT */
#include "compiler/report/picture.h"

#include <stdio.h>

#include "compiler/report/explain.h"
#include "lib/base/letter.h"
#include "lib/graph/annotation.h"

/* Sizes in points, of which an inch has 72. */
enum { POINTS = 72, LETTER = 7, LINE = 15, MARGIN = 6, MOST_LETTERS = 40 };

void
ix_picture_begin(ix_picture *p, const ix_mem *mem)
{
    ix_text_init(&p->dot, mem);
    ix_text_init(&p->boxes, mem);
    ix_text_put(&p->dot, "digraph g {node [shape=box]\n");
}

void
ix_picture_end(ix_picture *p)
{
    ix_text_free(&p->dot);
    ix_text_free(&p->boxes);
}

void
ix_xml_put(ix_text *t, const char *s, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t c = 0;
        size_t n = ix_utf8(s + i, length - i, &c);
        const char *name = c == '<'    ? "&lt;"
                           : c == '>'  ? "&gt;"
                           : c == '&'  ? "&amp;"
                           : c == '"'  ? "&quot;"
                           : c == '\'' ? "&#39;"
                                       : NULL;
        if (name)
            ix_text_put(t, name);
        else if (n && (ix_is_shown(c) || c == '\n' || c == '\t'))
            ix_text_format(t, "%.*s", (int)n, s + i);
        else
            ix_text_char(t, '?');
        i += n ? n : 1;
    }
}

/* ---- the graph ---- */

static bool
is_input(const ix_unit *u, size_t i)
{
    return u->order[i]->kind == IX_INPUT || u->order[i]->kind == IX_DATA;
}

bool
ix_picture_is_box(const ix_unit *u, size_t i)
{
    return (is_input(u, i) && u->need[i]) || ix_explain_is_shown(u, i);
}

void
ix_picture_name(const ix_unit *u, size_t i, ix_text *t)
{
    const ilex_array *n = u->order[i];
    if (n->kind == IX_INPUT)
        ix_text_put(t, ix_symbol_text(u->ctx, (int32_t)n->attr[0]));
    else
        ix_explain_name(u, i, t);
}

static const char *
class_of(const ix_unit *u, size_t i)
{
    ix_text none;
    bool stored, output = false;
    for (size_t k = 0; k < u->noutputs; k++)
        output |= u->root[k] == u->order[i];
    ix_text_init(&none, &u->mem);
    stored = ix_explain_decision(u, i, &none);
    ix_text_free(&none);
    return is_input(u, i) ? "input"
           : output       ? "output"
           : stored       ? "stored"
                          : "again";
}

/* Arrows from the boxes that an array is made of, through what is none. */
static void
put_arrows(ix_picture *p, const ix_unit *u, size_t to, size_t i, bool *seen)
{
    const ilex_array *n = u->order[i];
    for (int k = 0; k < n->nops; k++) {
        size_t from;
        if (!ix_is_array(n->ops[k]))
            continue;
        from = ix_unit_position(u, n->ops[k]);
        if (from >= u->norder || seen[from])
            continue;
        seen[from] = true;
        if (ix_picture_is_box(u, from))
            ix_text_format(&p->dot, "n%zu->n%zu\n", from, to);
        else
            put_arrows(p, u, to, from, seen);
    }
}

/* How many letters of a text are shown. */
static int
shown(size_t letters)
{
    return letters < MOST_LETTERS ? (int)letters : MOST_LETTERS;
}

static void
put_type(const ix_unit *u, const ilex_array *n, ix_text *t)
{
    ix_text_format(t, "%s[", ilex_dtype_name((ilex_dtype)n->dtype));
    ix_domain_print(u->ctx, n->interior, t);
    ix_text_char(t, ']');
}

void
ix_picture_add(ix_picture *p, ix_unit *u, size_t i, const char *words)
{
    ix_text name, type;
    bool *seen = ix_arena_new(&u->arena, u->norder * sizeof *seen + 1);
    ix_text_init(&name, &u->mem);
    ix_text_init(&type, &u->mem);
    ix_picture_name(u, i, &name);
    put_type(u, u->order[i], &type);
    size_t letters = ix_letters(ix_text_string(&name), name.length);
    if (letters < type.length)
        letters = type.length;
    ix_text_format(&p->boxes, "%zu %s\t%s\t%s\t%s\n", i, class_of(u, i), words,
                   ix_text_string(&name), ix_text_string(&type));
    int width = (LETTER * shown(letters) + 2 * MARGIN) * 100 / POINTS;
    ix_text_format(&p->dot, "n%zu [width=%d.%02d,height=.5]\n", i, width / 100,
                   width % 100);
    put_arrows(p, u, i, i, seen);
    ix_text_free(&name);
    ix_text_free(&type);
}

const char *
ix_picture_graph(ix_picture *p)
{
    ix_text_put(&p->dot, "}\n");
    return ix_text_string(&p->dot);
}

/* ---- places ---- */

/* A length in inches, "1.25", as points; whatever the locale is. */
static int
take_points(const char **at)
{
    long hundredths = 0;
    int digits = -1;
    const char *s = *at + strspn(*at, " ");
    bool negative = *s == '-';
    for (s += negative; (*s >= '0' && *s <= '9') || *s == '.'; s++) {
        if (*s == '.')
            digits = 0;
        else if (digits < 2 && hundredths < 10000000)
            hundredths = 10 * hundredths + (*s - '0'), digits += digits >= 0;
    }
    for (digits = digits < 0 ? 0 : digits; digits < 2; digits++)
        hundredths *= 10;
    *at = s;
    return (int)(hundredths * POINTS / 100) * (negative ? -1 : 1);
}

/* The line of box "number"; NULL: there is none. */
static const char *
find_box(const ix_picture *p, size_t number)
{
    const char *at = ix_text_string(&p->boxes);
    for (; at && *at; at += strcspn(at, "\n") + 1) {
        size_t own;
        if (sscanf(at, "%zu", &own) == 1 && own == number)
            return at;
    }
    return NULL;
}

/* One field of the line behind "at", and what follows it. */
static const char *
field_of(const char *at, size_t *length)
{
    *length = strcspn(at, "\t\n");
    return at + *length + (at[*length] == '\t');
}

static void
put_label(ix_text *t, const char *class, int x, int y, const char *s, size_t n)
{
    ix_text_format(t, "<text%s x=\"%d\" y=\"%d\">", class, x, y);
    size_t bytes = ix_letters_cut(s, n, MOST_LETTERS);
    ix_xml_put(t, s, bytes);
    ix_text_put(t, n > bytes ? "..</text>" : "</text>");
}

static void
put_box(const ix_picture *p, const char *line, int top, ix_text *t)
{
    size_t number, n;
    int used;
    if (sscanf(line, "node n%zu%n", &number, &used) != 1)
        return;
    const char *at = find_box(p, number), *next;
    if (!at)
        return;
    line += used;
    int x = take_points(&line), y = top - take_points(&line);
    int w = take_points(&line), h = take_points(&line);
    at += strcspn(at, " ") + 1;
    next = field_of(at, &n);
    ix_text_format(t, "<g class=\"%.*s\"", (int)n, at);
    at = next;
    next = field_of(at, &n);
    ix_text_format(t,
                   " data-k=\"%.*s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                   "height=\"%d\" rx=\"5\"/>",
                   (int)n, at, x - w / 2, y - h / 2, w, h);
    at = next;
    next = field_of(at, &n);
    put_label(t, "", x, y - 3, at, n);
    at = next;
    field_of(at, &n);
    put_label(t, " class=\"type\"", x, y + LINE - 3, at, n);
    ix_text_put(t, "</g>\n");
}

static void
put_arrow(const char *line, int top, ix_text *t)
{
    int count, used;
    if (sscanf(line, "edge n%*u n%*u %d%n", &count, &used) != 1)
        return;
    ix_text_put(t, "<path class=\"arrow\" d=\"");
    line += used;
    for (int i = 0; i < count && *line == ' '; i++) {
        int x = take_points(&line), y = top - take_points(&line);
        ix_text_format(t, "%c%d %d", i == 0 ? 'M' : i == 1 ? 'C' : ' ', x, y);
    }
    ix_text_put(t, "\" marker-end=\"url(#head)\"/>\n");
}

bool
ix_picture_put(const ix_picture *p, const char *places, ix_text *t)
{
    const char *first = places ? strstr(places, "graph 1 ") : NULL;
    if (!first)
        return false;
    const char *at = first + strlen("graph 1");
    int width = take_points(&at), height = take_points(&at);
    ix_text_format(t,
                   "<svg role=\"img\" aria-label=\"arrays and what they are "
                   "made of\" width=\"%d\" height=\"%d\" viewBox=\"-2 -2 %d "
                   "%d\">\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" "
                   "refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                   "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>"
                   "</defs>\n",
                   width + 4, height + 4, width + 4, height + 4);
    for (at += strcspn(at, "\n"); *at; at += strcspn(at, "\n")) {
        at++;
        if (!strncmp(at, "edge ", 5))
            put_arrow(at, height, t);
        else if (!strncmp(at, "node ", 5))
            put_box(p, at, height, t);
    }
    ix_text_put(t, "</svg>\n");
    return true;
}
