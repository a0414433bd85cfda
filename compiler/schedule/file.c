/* SPDX-License-Identifier: MIT
 *
 * The text of option schedule: directives of kernels that it names.
 *
 *     kernel k0:                     # a head; comments
 *         split i1 64; jam i1.i
 *         vector i1.i
 *
 * It ends where a line "program" begins, as what is printed after the pass
 * schedule does.
 */
#include "compiler/schedule/schedule.h"

#include <ctype.h>

/* The text of the option, as far as it is read. */
typedef struct file {
    ix_unit *u;
    ix_kernel *k; /* that the last head names, or NULL */
    int *head;    /* of each kernel: the line of its head, or 0 */
    int line;
} file;

/* Records an error in this line. */
static bool
fail(const file *f, ilex_status code, const char *format, ...)
{
    ix_mem mem = ix_arena_mem(&f->u->arena);
    ix_text t;
    va_list args;
    ix_text_init(&t, &mem);
    va_start(args, format);
    ix_text_vformat(&t, format, args);
    va_end(args);
    ix_fail(&f->u->ctx->error, code, "schedule, line %d: %s", f->line,
            ix_text_string(&t));
    return false;
}

/* ---- lines ---- */

static size_t
skip_blanks(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && isspace((unsigned char)s[i]))
        i++;
    return i;
}

static bool
starts_with(const char *s, size_t n, const char *word)
{
    size_t length = strlen(word);
    return n >= length && !strncmp(s, word, length) &&
           (n == length || !isalnum((unsigned char)s[length]));
}

/* Where the comment of a line begins: "#" behind a blank, for names have one
 * too. */
static size_t
without_comment(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == '#' && (i == 0 || isspace((unsigned char)s[i - 1])))
            return i;
    return n;
}

/* The kernel of a number that is written there; how many characters it has. */
static ix_kernel *
find_kernel(const ix_unit *u, const char *s, size_t n, size_t *used)
{
    int64_t number = 0;
    size_t i = 1;
    for (; i < n && isdigit((unsigned char)s[i]) && number < u->nkernels; i++)
        number = number * 10 + s[i] - '0';
    *used = i;
    if (n < 2 || *s != 'k' || i == 1)
        return NULL;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (k->number == number)
            return k;
    return NULL;
}

static bool
expected_head(const file *f)
{
    return fail(f, ILEX_E_SYNTAX,
                "expected a kernel and :, for example kernel k0:");
}

/* "kernel k0:"; what is used of the line, 0 after an error. */
static size_t
read_head(file *f, const char *s, size_t n)
{
    size_t at = strlen("kernel"), used;
    at += skip_blanks(s + at, n - at);
    const char *name = s + at;
    size_t length = 0;
    while (at + length < n && isalnum((unsigned char)name[length]))
        length++;
    at += length;
    at += skip_blanks(s + at, n - at);
    if (!length || at == n || s[at] != ':')
        return expected_head(f);
    f->k = find_kernel(f->u, name, length, &used);
    if (!f->k || used != length)
        return fail(f, ILEX_E_UNKNOWN, "there is no kernel %.*s; there are %d",
                    (int)length, name, f->u->nkernels);
    int *head = &f->head[f->k->number];
    if (*head)
        return fail(f, ILEX_E_DUPLICATE,
                    "the directives of k%d begin in line %d", f->k->number,
                    *head);
    *head = f->line;
    return at + 1;
}

static bool
carry_out(file *f, const char *s, size_t n)
{
    ix_mem mem = ix_arena_mem(&f->u->arena);
    ix_directive d;
    ix_text t;
    ix_text_init(&t, &mem);
    if (!f->k)
        return expected_head(f);
    if (!ix_directive_parse(f->u, s, n, &d, &t))
        return fail(f, ILEX_E_SYNTAX, "%s", ix_text_string(&t));
    ix_refusal r = ix_schedule_carry(f->u, f->k, &d);
    if (!r.class)
        return f->u->ctx->error.code == ILEX_OK;
    ix_refusal_put(&d, r, &t);
    return fail(f, ILEX_E_UNSUPPORTED, "of k%d, %s", f->k->number,
                ix_text_string(&t));
}

/* Directives with ; between them. */
static bool
read_directives(file *f, const char *s, size_t n)
{
    const char *end = s + n;
    while (s < end) {
        s += skip_blanks(s, (size_t)(end - s));
        const char *last = memchr(s, ';', (size_t)(end - s));
        last = last ? last : end;
        n = (size_t)(last - s);
        while (n && isspace((unsigned char)s[n - 1]))
            n--;
        if (n && !carry_out(f, s, n))
            return false;
        s = last + (last < end);
    }
    return true;
}

/* A line; "end" is set where nothing more is read. */
static bool
read_line(file *f, const char *s, size_t n, bool *end)
{
    size_t blanks = skip_blanks(s, n), head;
    s += blanks;
    n = without_comment(s, n - blanks);
    *end = starts_with(s, n, "program");
    if (*end || !starts_with(s, n, "kernel"))
        return *end || read_directives(f, s, n);
    head = read_head(f, s, n);
    return head && read_directives(f, s + head, n - head);
}

bool
ix_schedule_read(ix_unit *u, const char *text, int *head)
{
    file all = {.u = u, .head = head}, *f = &all;
    bool end = false;
    for (; *text && !end; text += *text == '\n') {
        size_t n = strcspn(text, "\n");
        f->line++;
        if (!read_line(f, text, n, &end))
            return false;
        text += n;
    }
    return true;
}
