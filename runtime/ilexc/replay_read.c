/* SPDX-License-Identifier: MIT
 *
 * Reading a file of ilex_repro(), which may be damaged, or made to do harm:
 * every number is checked before it is used, every length against the file.
 */
#include "runtime/ilexc/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

typedef struct reader {
    ix_replay *r;
    const char *path;
    char *at, *end;
    int line;
    char *rest; /* of the line */
    bool ended;
} reader;

static ix_cli_exit
refuse(const reader *x, const char *what)
{
    return ix_cli_fail(IX_EXIT_PROGRAM,
                       "%s:%d: %s; a file of ilex_repro() is expected, as it "
                       "was written",
                       x->path, x->line, what);
}

/* ---- words ---- */

/* Ends the line at its newline; false at the end of the file. */
static bool
next_line(reader *x)
{
    char *nl =
        x->at < x->end ? memchr(x->at, '\n', (size_t)(x->end - x->at)) : NULL;
    x->line++;
    if (!nl)
        return false;
    *nl = '\0';
    x->rest = x->at;
    x->at = nl + 1;
    return true;
}

/* The next word of the line; "" if there is none. */
static const char *
word(reader *x)
{
    char *w = x->rest;
    size_t n = strcspn(w, " ");
    x->rest = w + n + (w[n] == ' ');
    w[n] = '\0';
    return w;
}

static bool
number(reader *x, int64_t *value, int64_t least, int64_t most)
{
    char *end;
    const char *w = word(x);
    errno = 0;
    long long v = strtoll(w, &end, 10);
    *value = v;
    return *w && *end == '\0' && errno == 0 && v >= least && v <= most;
}

static bool
small(reader *x, int *value, int least, int most)
{
    int64_t v = 0;
    bool ok = number(x, &v, least, most);
    *value = (int)v;
    return ok;
}

static bool
real(reader *x, double *value)
{
    char *end;
    const char *w = word(x);
    uint64_t bits = strtoull(w, &end, 16);
    memcpy(value, &bits, sizeof bits);
    return *w && *end == '\0';
}

static bool
name(reader *x, const char **value)
{
    *value = word(x);
    return **value && strlen(*value) <= IX_REPLAY_NAME;
}

/* What is left of the line, with what stands for newlines replaced. */
static const char *
rest(reader *x)
{
    char *to = x->rest;
    for (const char *p = x->rest; *p; p++) {
        bool escaped = *p == '\\' && p[1];
        p += escaped;
        *to++ = escaped && *p == 'n' ? '\n' : *p;
    }
    *to = '\0';
    return x->rest;
}

/* "bytes" bytes behind the line and their newline, which ends them. */
static bool
take(reader *x, int64_t bytes, const char **data)
{
    if (bytes >= x->end - x->at || x->at[bytes] != '\n')
        return false;
    *data = x->at;
    x->at[bytes] = '\0';
    x->at += bytes + 1;
    return true;
}

/* ---- lines ---- */

/* Room for one more item of an array; NULL: too many. */
static void *
more(void *array, size_t n, size_t item)
{
    void *grown, *old;
    memcpy(&old, array, sizeof old);
    if (n >= IX_REPLAY_MOST || !(grown = realloc(old, (n + 1) * item)))
        return NULL;
    memcpy(array, &grown, sizeof grown);
    memset((char *)grown + n * item, 0, item);
    return (char *)grown + n * item;
}

static int
find(const ix_replay *r, const char *name)
{
    for (size_t i = 0; i < r->nbindings; i++)
        if (strcmp(r->binding[i].b.name, name) == 0)
            return (int)i;
    return -1;
}

static ix_replay_binding *
binding(reader *x)
{
    const char *n;
    if (!name(x, &n) || find(x->r, n) >= 0)
        return NULL;
    ix_replay_binding *b =
        more(&x->r->binding, x->r->nbindings, sizeof *x->r->binding);
    if (!b)
        return NULL;
    b->b.name = n;
    b->same = -1;
    x->r->nbindings++;
    return b;
}

static bool
read_axis(reader *x, ix_replay_binding *b, int k)
{
    const int64_t most = INT64_C(1) << 40;
    return name(x, &b->axis[k]) && number(x, &b->shape[k], 0, most) &&
           number(x, &b->stride[k], -most, most) &&
           number(x, &b->halo[2 * k], 0, most) &&
           number(x, &b->halo[2 * k + 1], 0, most) &&
           number(x, &b->origin[k], -most, most);
}

static bool
read_storage(reader *x)
{
    ix_replay_binding *b = binding(x);
    int64_t lowest, span;
    bool ok = b && name(x, &b->dtype) && small(x, &b->writable, 0, 1) &&
              small(x, &b->rank, 0, ILEX_MAX_RANK);
    for (int k = 0; ok && k < b->rank; k++)
        ok = read_axis(x, b, k);
    for (int t = 0; ok && t < ILEX_NDTYPES; t++)
        if (strcmp(b->dtype, ilex_dtype_name((ilex_dtype)t)) == 0)
            b->element = ilex_dtype_bytes((ilex_dtype)t);
    return ok && b->element && ix_replay_count(b, &lowest, &span) >= 0;
}

static bool
read_number(reader *x)
{
    ix_replay_binding *b = binding(x);
    int kind = 0;
    bool ok = b && small(x, &kind, ILEX_BOUND_F64, ILEX_BOUND_C128) &&
              real(x, &b->b.re) && real(x, &b->b.im) &&
              number(x, &b->b.integer, INT64_MIN, INT64_MAX);
    if (ok)
        b->b.kind = (ilex_bound)kind;
    return ok;
}

static bool
read_same(reader *x)
{
    ix_replay_binding *b = binding(x);
    const char *other;
    if (!b || !name(x, &other))
        return false;
    b->same = find(x->r, other);
    return b->same >= 0 && (size_t)b->same + 1 < x->r->nbindings &&
           x->r->binding[b->same].element > 0;
}

static bool
read_data(reader *x)
{
    const char *n;
    int64_t bytes, lowest, span;
    int i = name(x, &n) ? find(x->r, n) : -1;
    if (i < 0 || !number(x, &bytes, 0, MOST_BYTES))
        return false;
    ix_replay_binding *b = &x->r->binding[i];
    return b->element &&
           bytes == ix_replay_count(b, &lowest, &span) * (int64_t)b->element &&
           take(x, bytes, &b->data);
}

static bool
read_size(reader *x)
{
    ix_replay *r = x->r;
    ilex_size_binding *s = more(&r->size, r->nsizes, sizeof *s);
    r->nsizes += s != NULL;
    return s && name(x, &s->name) && number(x, &s->value, 0, INT64_MAX);
}

static bool
read_option(reader *x)
{
    ix_replay *r = x->r;
    ix_replay_pair *o = more(&r->option, r->noptions, sizeof *o);
    if (!o || !name(x, &o->name))
        return false;
    o->value = rest(x);
    r->noptions++;
    return true;
}

static bool
read_error(reader *x)
{
    bool ok = small(x, &x->r->code, 0, 9999);
    x->r->error = rest(x);
    return ok;
}

static bool
read_program(reader *x)
{
    int64_t bytes;
    return !x->r->program && number(x, &bytes, 0, MOST_BYTES) &&
           take(x, bytes, &x->r->program) &&
           strlen(x->r->program) == (size_t)bytes;
}

static bool
read_threads(reader *x)
{
    return small(x, &x->r->threads, 0, 1 << 20);
}

static bool
read_version(reader *x)
{
    x->r->version = rest(x);
    return true;
}

static bool
read_box(reader *x)
{
    x->r->box = rest(x);
    return true;
}

static bool
read_end(reader *x)
{
    x->ended = x->at == x->end;
    return x->ended;
}

static const struct {
    const char *word;
    bool (*read)(reader *x);
} lines[] = {
    {"version", read_version}, {"option", read_option},
    {"error", read_error},     {"threads", read_threads},
    {"size", read_size},       {"box", read_box},
    {"program", read_program}, {"number", read_number},
    {"storage", read_storage}, {"same", read_same},
    {"data", read_data},       {"end", read_end},
};

static ix_cli_exit
read_line(reader *x)
{
    const char *first = word(x);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(first, lines[i].word) == 0)
            return lines[i].read(x) ? IX_EXIT_OK
                                    : refuse(x, "the line is damaged");
    return refuse(x, "a line of no kind");
}

/* ---- the file ---- */

static ix_cli_exit
read_bytes(ix_replay *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", path, strerror(errno));
    size_t room = 0, got = 1;
    while (got && r->length < MOST_BYTES) {
        room += room / 2 + (1 << 16);
        char *grown = realloc(r->bytes, room + 1);
        if (!grown)
            break;
        r->bytes = grown;
        got = fread(grown + r->length, 1, room - r->length, f);
        r->length += got;
    }
    bool whole = r->bytes && got == 0;
    int error = ferror(f) ? errno : 0; /* for example of a directory */
    fclose(f);
    if (error)
        return ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", path, strerror(error));
    if (!whole)
        return ix_cli_fail(IX_EXIT_LIMIT,
                           "%s: larger than the %d MiB that are read, or than "
                           "memory",
                           path, (int)(MOST_BYTES >> 20));
    r->bytes[r->length] = '\0';
    return IX_EXIT_OK;
}

ix_cli_exit
ix_replay_read(ix_replay *r, const char *path)
{
    reader x = {.r = r, .path = path};
    ix_cli_exit status = read_bytes(r, path);
    if (status != IX_EXIT_OK)
        return status;
    x.at = r->bytes;
    x.end = r->bytes + r->length;
    if (!next_line(&x) || strcmp(x.rest, "ilex-repro 1") != 0)
        return refuse(&x, "it does not begin with 'ilex-repro 1'");
    while (status == IX_EXIT_OK && !x.ended)
        status = next_line(&x) ? read_line(&x) : refuse(&x, "no line 'end'");
    if (status == IX_EXIT_OK && (!r->program || !r->version))
        status = refuse(&x, "no program or no version");
    return status;
}

void
ix_replay_free(ix_replay *r)
{
    free(r->bytes);
    free(r->option);
    free(r->size);
    free(r->binding);
}
