/* SPDX-License-Identifier: MIT
 *
 * The text of option schedule: directives for the program, of kernels that it
 * names.
 *
 *     program:                       # a head; comments
 *         fuse k0 k1
 *     kernel k0:
 *         split i1 64; jam i1.i
 *         vector i1.i
 *
 * It ends where a line "program NAME" begins, as what is printed after the pass
 * schedule does. It is read three times: up to the first kernel by the passes
 * stored, which says what is, and kernels, by the pass schedule from there on.
 */
#include "compiler/schedule/schedule.h"

#include <ctype.h>

/* The text of the option, as far as it is read. */
typedef struct file {
    ix_unit *u;
    bool program; /* the last head is the program's */
    ix_kernel *k; /* that it names, or NULL */
    int *head;    /* of each kernel: the line of its head, or 0; NULL: those of
                     the program are carried out */
    int program_head; /* its line, or 0 */
    int line;
} file;

/* Records an error in this line. */
static bool
fail(const file *f, ilex_status code, const char *format, ...)
{
    ix_text t;
    va_list args;
    ix_text_init(&t, &f->u->mem);
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

static bool
expected_head(const file *f)
{
    return fail(f, ILEX_E_SYNTAX,
                "expected a kernel and :, for example kernel k0:");
}

/* Is it "program:", and not the line where all ends, "program NAME"? */
static bool
is_program_head(const char *s, size_t n, size_t *used)
{
    *used = strlen("program");
    *used += skip_blanks(s + *used, n - *used);
    return *used < n && s[(*used)++] == ':';
}

/* "program" with neither the one nor the other: a colon was forgotten. */
static bool
names_program(file *f, const char *s, size_t n)
{
    size_t at = strlen("program");
    at += skip_blanks(s + at, n - at);
    return (at < n && !memchr(s + at, ':', n - at)) ||
           fail(f, ILEX_E_SYNTAX,
                "expected program: before directives for the program, or "
                "program NAME where the schedule ends");
}

/* The program's head; false after an error. */
static bool
note_program(file *f)
{
    if (f->k)
        return fail(f, ILEX_E_SYNTAX,
                    "directives for the program stand before those of kernels");
    if (f->program_head)
        return fail(f, ILEX_E_DUPLICATE,
                    "the directives for the program begin in line %d",
                    f->program_head);
    if (!f->u->schedule) /* which may stay empty */
        f->u->schedule = ix_arena_new(&f->u->arena, sizeof *f->u->schedule);
    f->program = true;
    f->program_head = f->line;
    return true;
}

/* "kernel k0:"; what is used of the line, 0 after an error. */
static size_t
read_head(file *f, const char *s, size_t n)
{
    size_t at = strlen("kernel");
    at += skip_blanks(s + at, n - at);
    const char *name = s + at;
    size_t length = 0;
    while (at + length < n && isalnum((unsigned char)name[length]))
        length++;
    while (starts_with(name + length, n - at - length, ":else"))
        length += strlen(":else");
    at += length;
    at += skip_blanks(s + at, n - at);
    if (!length || at == n || s[at] != ':')
        return expected_head(f);
    f->program = false;
    f->k = ix_kernel_called(f->u, name, length);
    if (!f->k)
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

/* Carries out a directive of the last head. */
static ix_refusal
carry(file *f, const ix_directive *d)
{
    return f->program ? ix_kernels_carry(f->u, d)
                      : ix_schedule_carry(f->u, f->k, d);
}

/* Is a directive of this row for the pass that reads? What is stored is said
 * before there are kernels. */
static bool
is_due(const file *f, ix_loop_row row)
{
    bool early = f->u->level == IX_LEVEL_GRAPH;
    return !f->program || (row == IX_KERNELS_store) == early;
}

static bool
carry_out(file *f, const char *s, size_t n)
{
    ix_directive d;
    ix_text t;
    ix_text_init(&t, &f->u->mem);
    if (f->program && f->head) /* was done before */
        return true;
    if (!f->program && !f->k)
        return expected_head(f);
    if (!ix_directive_parse(
            f->u, s, n, f->program ? IX_KERNELS_fuse : IX_LOOP_split, &d, &t))
        return fail(f, ILEX_E_SYNTAX, "%s", ix_text_string(&t));
    if (!is_due(f, d.row))
        return true;
    ix_refusal r = carry(f, &d);
    if (!r.class)
        return f->u->ctx->error.code == ILEX_OK;
    if (!f->program) {
        ix_text_put(&t, "of ");
        ix_kernel_name_put(f->k, &t);
        ix_text_put(&t, ", ");
    }
    ix_refusal_put(&d, r, &t);
    return fail(f, ILEX_E_UNSUPPORTED, "%s", ix_text_string(&t));
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
    size_t blanks = skip_blanks(s, n), head = 0;
    s += blanks;
    n = without_comment(s, n - blanks);
    bool kernel = starts_with(s, n, "kernel");
    if (starts_with(s, n, "program")) {
        *end = !is_program_head(s, n, &head);
        return *end ? names_program(f, s, n)
                    : note_program(f) && read_directives(f, s + head, n - head);
    }
    *end = kernel && !f->head;
    if (*end || !kernel)
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
