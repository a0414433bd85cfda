/* SPDX-License-Identifier: MIT
 *
 * Directives as text: the texts of loops.def are walked word by word beside
 * what is read, and filled for what is put.
 */
#include "compiler/schedule/schedule.h"

#include <ctype.h>

#include "lib/base/suggest.h"

/* A row: its text, its meaning, and how many kernels it names. */
static const struct {
    const char *name, *text, *meaning;
    int kernels;
} rows[IX_NDIRECTIVES] = {
#define IX_LOOP(name, text, meaning) {#name, text, meaning, 0},
#define IX_KERNELS(name, n, text, meaning) {#name, text, meaning, n},
#include "compiler/loop/loops.def"
};

#define IX_LOOP(name, text, meaning) " " #name
static const char names_for_loops[] =
#include "compiler/loop/loops.def"
    ;

#define IX_KERNELS(name, n, text, meaning) " " #name
static const char names_for_kernels[] =
#include "compiler/loop/loops.def"
    ;

/* ---- words ---- */

/* A word of a text. */
typedef struct word {
    const char *s;
    size_t n;
} word;

/* The next word of a text that ends at "end", of a row's text all that is in
 * []; of no characters if there is none. */
static word
next_word(const char **at, const char *end)
{
    while (*at < end && isspace((unsigned char)**at))
        ++*at;
    word w = {*at, 0};
    bool group = *at < end && **at == '[';
    while (*at < end && (group || !isspace((unsigned char)**at)))
        group &= *(*at)++ != ']';
    w.n = (size_t)(*at - w.s);
    return w;
}

static bool
is(word w, const char *s)
{
    return strlen(s) == w.n && !strncmp(w.s, s, w.n);
}

/* Which loop LOOP, LOOP2, ... stands for, or kernel KERNEL, ...; -1: none. */
static int
loop_of(word w)
{
    static const char *const words[] = {"LOOP", "KERNEL"};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if (w.n >= n && w.n <= n + 1 && !strncmp(w.s, words[i], n))
            return w.n == n ? 0 : w.s[n] - '1';
    }
    return -1;
}

/* What stands behind the word in the group that begins at "[", or NULL; "*bit",
 * that of the first of its words, becomes that of this one. */
static const char *
behind_in_group(const char *group, word w, unsigned *bit)
{
    for (; *group != ']'; group += strcspn(group, "|]"), *bit <<= 1) {
        size_t n = strcspn(++group, " |]");
        if (n == w.n && !strncmp(group, w.s, n))
            return group + n;
    }
    return NULL;
}

/* How many words a group has. */
static unsigned
words_in(const char *group)
{
    unsigned n = 1;
    for (; *group != ']'; group++)
        n += *group == '|';
    return n;
}

/* ---- filling ---- */

/* Puts the name of a loop; in front of a suffix without what tells it from
 * others of its name. */
static void
put_loop(const char *name, bool suffix, ix_text *t)
{
    const char *last = strrchr(name, '/');
    if (suffix && last)
        name = last + 1;
    ix_text_put_n(t, name, suffix ? strcspn(name, "#*") : strlen(name));
}

/* Puts what a word of capitals stands for; false if it is no such word. */
static bool
put_value(const ix_directive *d, word w, ix_text *t)
{
    int loop = loop_of(w);
    if (loop >= 0)
        put_loop(d->loop[loop], w.s[w.n] == '.', t);
    else if (is(w, "N"))
        ix_text_int(t, d->n);
    else if (is(w, "NAME") || is(w, "COND"))
        ix_text_put(t, d->name);
    return loop >= 0 || is(w, "N") || is(w, "NAME") || is(w, "COND");
}

/* How many loops the text of a row names. */
static int
named_loops(ix_loop_row row)
{
    const char *at = rows[row].text, *end = at + strlen(at);
    int n = 0;
    for (word w = next_word(&at, end); w.n; w = next_word(&at, end))
        n += loop_of(w) >= 0;
    return n;
}

/* Puts the loops that "..." stands for, a blank before each. */
static void
put_more(const ix_directive *d, ix_text *t)
{
    for (int i = named_loops(d->row); i < d->nloops; i++)
        ix_text_format(t, " %s", d->loop[i]);
}

static void fill(const ix_directive *d, word text, unsigned words, ix_text *t);

/* Puts those alternatives of a group whose bits are in "words", behind a blank
 * if there is one; where the group ends. */
static const char *
put_group(const ix_directive *d, const char *group, unsigned words,
          const char **blank, ix_text *t)
{
    for (; *group != ']'; words >>= 1) {
        word w = {group + 1, strcspn(group + 1, "|]")};
        if (words & 1) {
            ix_text_put(t, *blank);
            fill(d, w, 0, t);
            *blank = "";
        }
        group = w.s + w.n;
    }
    return group + 1;
}

/* Puts a text with what the directive has in it; of groups words 1, 2, 4, ...;
 * no blank before what is not there. */
static void
fill(const ix_directive *d, word text, unsigned words, ix_text *t)
{
    const char *at = text.s, *blank = "";
    while (at < text.s + text.n) {
        word w = {at, strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234")};
        if (*at == ' ') {
            blank = " ";
            at++;
        } else if (*at == '[') {
            unsigned n = words_in(at);
            at = put_group(d, at, words & ((1u << n) - 1), &blank, t);
            words >>= n;
        } else if (!strncmp(at, "...", 3)) {
            put_more(d, t);
            blank = "";
            at += 3;
        } else {
            ix_text_put(t, blank);
            blank = "";
            if (!put_value(d, w, t))
                ix_text_put_n(t, at, w.n = 1);
            at += w.n;
        }
    }
}

void
ix_directive_put(const ix_directive *d, ix_text *t)
{
    const char *text = rows[d->row].text;
    fill(d, (word){text, strlen(text)}, d->words, t);
}

void
ix_directive_explain(const ix_directive *d, ix_text *t)
{
    const char *meaning = rows[d->row].meaning;
    fill(d, (word){meaning, strlen(meaning)}, d->words, t);
}

void
ix_refusal_put(const ix_directive *d, ix_refusal r, ix_text *t)
{
    static const char *const classes[] = {
        "",
#define IX_REFUSAL(CLASS, text) text,
#include "compiler/loop/loops.def"
    };
    ix_directive_put(d, t);
    ix_text_format(t, " is refused (%s): %s", classes[r.class], r.why);
}

/* ---- reading ---- */

/* What is read: the rest of the line, and of the row's text. */
typedef struct reader {
    ix_unit *u;
    const char *line, *at, *end;
    ix_directive *d;
    unsigned bit; /* of the next word in [] */
    ix_text *wrong;
} reader;

/* A directive that is right. */
static void
put_example(ix_loop_row row, ix_text *t)
{
    ix_directive d = {.row = row,
                      .loop = {"i0", "i1", "i2", "i3"},
                      .name = row == IX_KERNELS_version ? "n <= 64" : "x",
                      .n = 64,
                      .words = 1};
    static const char *const kernels[] = {"k0", "k1"};
    for (int i = 0; i < rows[row].kernels; i++)
        d.loop[i] = kernels[i];
    ix_directive_put(&d, t);
}

/* Says what was expected of the word, and what a directive of that kind is. */
static bool
expected(reader *r, const char *what, word w)
{
    ix_text_format(r->wrong, "%.*s: expected %s", (int)(r->end - r->line),
                   r->line, what);
    if (w.n)
        ix_text_format(r->wrong, ", not '%.*s'", (int)w.n, w.s);
    ix_text_format(r->wrong, "; it is written %s, for example ",
                   rows[r->d->row].text);
    put_example(r->d->row, r->wrong);
    return false;
}

static const char *
keep(reader *r, word w)
{
    char *s = ix_arena_new(&r->u->arena, w.n + 1);
    memcpy(s, w.s, w.n);
    return s;
}

/* Iterations are added to bounds of loops; bytes are compared only. */
static const int64_t most_iterations = (int64_t)1 << 40;

static bool
read_number(reader *r, word w)
{
    int64_t n = 0;
    bool bytes = r->d->row == IX_LOOP_stream || r->d->row == IX_LOOP_align;
    for (size_t i = 0; i < w.n; i++)
        if (!isdigit((unsigned char)w.s[i]) || !ix_mul(n, 10, &n) ||
            !ix_add(n, w.s[i] - '0', &n))
            return expected(r, "a number such as 64", w);
    r->d->n = n;
    if (!bytes && n > most_iterations)
        return expected(r, "a number up to 2^40 such as 64", w);
    return n > 0 || expected(r, "a number such as 64", w);
}

/* A word for one of the row's text. */
static bool
read_word(reader *r, word wanted)
{
    word w = next_word(&r->at, r->end);
    int loop = loop_of(wanted);
    if (loop >= 0) {
        bool ok = w.n && isalpha((unsigned char)*w.s);
        r->d->loop[loop] = keep(r, w);
        r->d->nloops = loop + 1;
        return ok ||
               expected(r,
                        *wanted.s == 'L' ? "the name of a loop such as i0"
                                         : "the name of a kernel such as k0",
                        w);
    }
    if (is(wanted, "N"))
        return read_number(r, w);
    bool condition = is(wanted, "COND");
    if (condition && w.n) {
        w.n = (size_t)(r->end - w.s);
        r->at = r->end;
    }
    if (condition || is(wanted, "NAME")) {
        r->d->name = keep(r, w);
        return w.n ||
               expected(r, condition ? "a condition such as n <= 64" : "a name",
                        w);
    }
    return (w.n == wanted.n && !strncmp(w.s, wanted.s, w.n)) ||
           expected(r, keep(r, wanted), w);
}

/* What "..." stands for: all loops that follow. */
static bool
read_more(reader *r)
{
    const char *at = r->at;
    for (word w = next_word(&at, r->end); w.n; w = next_word(&at, r->end)) {
        if (r->d->nloops == IX_MOST_LOOPS)
            return expected(r, "no more loops", w);
        r->d->loop[r->d->nloops++] = keep(r, w);
        r->at = at;
    }
    return true;
}

/* A word in [], if it is there, with what belongs to it. */
static bool
read_group(reader *r, const char *group)
{
    const char *at = r->at;
    unsigned bit = r->bit;
    const char *more = behind_in_group(group, next_word(&at, r->end), &bit);
    r->bit <<= words_in(group);
    if (!more)
        return true;
    r->d->words |= bit;
    r->at = at;
    word belongs = {more, strcspn(more, "|]")};
    if (is(belongs, " ..."))
        return read_more(r);
    return !belongs.n || read_word(r, (word){more + 1, belongs.n - 1});
}

/* The row of that name, of those for loops or of those for kernels. */
static bool
find_row(reader *r, word name, bool loops)
{
    const char *names = loops ? names_for_loops : names_for_kernels;
    int end = loops ? IX_NLOOPS : IX_NDIRECTIVES;
    for (int i = loops ? 0 : IX_NLOOPS; i < end; i++)
        if (is(name, rows[i].name)) {
            r->d->row = (ix_loop_row)i;
            return true;
        }
    ix_suggestion s = ix_suggest(name.s, name.n);
    ix_suggest_words(&s, names, " ");
    ix_text_format(r->wrong, "there is no directive %.*s%s%s (directives:%s)",
                   (int)name.n, name.s, loops ? "" : " for the program",
                   ix_suggestion_show(&s).s, names);
    return false;
}

bool
ix_directive_parse(ix_unit *u, const char *text, size_t length,
                   ix_loop_row like, ix_directive *d, ix_text *wrong)
{
    reader r = {.u = u,
                .line = text,
                .at = text,
                .end = text + length,
                .d = d,
                .bit = 1,
                .wrong = wrong};
    *d = (ix_directive){.n = 0};
    if (!find_row(&r, next_word(&r.at, r.end), like < IX_NLOOPS))
        return false;
    const char *row = rows[d->row].text, *end = row + strlen(row);
    next_word(&row, end);
    for (word w = next_word(&row, end); w.n; w = next_word(&row, end))
        if (!(*w.s == '['    ? read_group(&r, w.s)
              : is(w, "...") ? read_more(&r)
                             : read_word(&r, w)))
            return false;
    word more = next_word(&r.at, r.end);
    return !more.n || expected(&r, "no more", more);
}
