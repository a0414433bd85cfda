/* SPDX-License-Identifier: MIT
 *
 * What --in, --out and --size of `ilexc run` say: NAME=WHAT with options
 * behind commas, "u=@u.npy,halo=zero" or "v=@v.png,scale=8,map=uniform". A
 * comma therefore ends a file's name.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One "key=value" behind a comma; texts of a specification are cut in place. */
typedef struct pair {
    char *key, *value;
} pair;

/* Reads a whole number or a real one that is the whole text. */
static bool
read_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *value = v;
    return end != text && *end == '\0' && errno == 0;
}

static bool
read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

/* Cuts the first item off a list with commas, as "key=value"; false at the
 * end. "value" is NULL where "=" is missing. */
static bool
next_pair(char **rest, pair *p)
{
    if (!*rest || !**rest)
        return false;
    p->key = strsep(rest, ",");
    p->value = strchr(p->key, '=');
    if (p->value)
        *p->value++ = '\0';
    return true;
}

/* Reads a word as its place in "words", which ends with NULL; -1 if it is not
 * there. */
static int
read_choice(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

/* Reads the option of a file that an input is read from. */
static bool
read_source_option(ix_cli_source *s, const pair *p)
{
    static const char *const rules[] = {"nearest", "zero", "periodic", "file",
                                        NULL};
    int rule = p->value ? read_choice(p->value, rules) : -1;
    if (strcmp(p->key, "halo") != 0 || rule < 0)
        return false;
    s->halo = (ix_cli_halo)(rule + IX_CLI_HALO_NEAREST);
    return true;
}

/* Does a file's name end so? */
static bool
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* The file that a word names: behind an @, or by what its name ends in; NULL:
 * none. */
static const char *
file_of(const char *word)
{
    if (word[0] == '@')
        return word[1] ? word + 1 : NULL;
    return ends_with(word, ".npy") || ends_with(word, ".png") ? word : NULL;
}

/* Reads the source "text", which is cut. */
static bool
read_source(ix_cli_source *s, char *text)
{
    char *rest = text, *word = strsep(&rest, ",");
    const char *file = file_of(word);
    int64_t seed = 0;
    pair p;
    if (file) {
        s->kind = IX_CLI_SOURCE_FILE;
        s->path = strdup(file);
        if (!s->path)
            return false;
        while (next_pair(&rest, &p))
            if (!read_source_option(s, &p))
                return false;
        return true;
    }
    s->kind = IX_CLI_SOURCE_CONSTANT;
    if (rest)
        return false;
    if (strcmp(word, "zero") == 0)
        return true;
    if (strncmp(word, "constant:", 9) == 0)
        return read_real(word + 9, &s->constant);
    if (read_real(word, &s->constant))
        return true;
    s->kind = IX_CLI_SOURCE_RANDOM;
    if (strncmp(word, "random:", 7) != 0 || !read_int(word + 7, &seed))
        return false;
    s->seed = (uint64_t)seed;
    return true;
}

/* Reads the option of a picture. */
static bool
read_picture_option(ilex_png_spec *png, const pair *p)
{
    static const char *const maps[] = {"grey", "uniform", NULL};
    static const char *const flips[] = {"x", "y", "xy", "yx", NULL};
    int64_t number = 0;
    if (!p->value)
        return false;
    if (strcmp(p->key, "map") == 0) {
        int map = read_choice(p->value, maps);
        png->map = map < 0 ? NULL : maps[map];
        return map >= 0;
    }
    if (strcmp(p->key, "flip") == 0) {
        int flip = read_choice(p->value, flips);
        png->flip_x = flip == 0 || flip >= 2;
        png->flip_y = flip >= 1;
        return flip >= 0;
    }
    if (strcmp(p->key, "low") == 0)
        return read_real(p->value, &png->low);
    if (strcmp(p->key, "high") == 0)
        return read_real(p->value, &png->high);
    if (!read_int(p->value, &number) || number < 0 || number > 4096)
        return false;
    if (strcmp(p->key, "scale") == 0)
        png->scale = (int)number;
    else if (strcmp(p->key, "transpose") == 0)
        png->transpose = (int)number;
    else
        return false;
    return true;
}

/* Reads the target "text", which is cut. */
static bool
read_target(ix_cli_target *t, char *text)
{
    char *rest = text, *word = strsep(&rest, ",");
    const char *file = file_of(word);
    pair p;
    t->png.size = sizeof t->png;
    if (strcmp(word, "-") == 0) {
        t->kind = IX_CLI_TARGET_TEXT;
        return !rest;
    }
    if (!file)
        return false;
    t->path = strdup(file);
    if (t->path && ends_with(t->path, ".npy")) {
        t->kind = IX_CLI_TARGET_NPY;
        return !rest;
    }
    t->kind = IX_CLI_TARGET_PNG;
    while (next_pair(&rest, &p))
        if (!read_picture_option(&t->png, &p))
            return false;
    return t->path && ends_with(t->path, ".png");
}

/* The argument of that name, and whether it is to be an output. */
static ix_cli_field *
find_field(ix_cli_run *r, const char *name, bool output)
{
    for (size_t i = 0; i < r->nfields; i++)
        if (r->field[i].info.output == output &&
            strcmp(r->field[i].info.name, name) == 0)
            return &r->field[i];
    return NULL;
}

ix_suggestion_text
ix_cli_suggest_argument(const ix_cli_run *r, const char *name, bool inputs,
                        bool outputs)
{
    ix_suggestion s = ix_suggest(name, strlen(name));
    for (size_t i = 0; i < r->nfields; i++) {
        const ilex_argument_info *a = &r->field[i].info;
        if (a->output ? outputs : inputs)
            ix_suggest_name(&s, a->name, strlen(a->name));
    }
    return ix_suggestion_show(&s);
}

static ix_suggestion_text
suggest_size(const ix_cli_run *r, const char *name)
{
    ix_suggestion s = ix_suggest(name, strlen(name));
    for (size_t i = 0; i < r->nsizes; i++)
        ix_suggest_name(&s, r->size[i].name, strlen(r->size[i].name));
    return ix_suggestion_show(&s);
}

/* The word of a source or target that is meant. */
static ix_suggestion_text
suggest_word(const char *given, const char *words)
{
    const char *what = strchr(given, '=') + 1;
    ix_suggestion s = ix_suggest(what, strcspn(what, ":,"));
    ix_suggest_words(&s, words, " ");
    return ix_suggestion_show(&s);
}

/* Finds the field that "copy" of one --in or --out speaks of, and "*what" it is
 * to be; both are cut from it. */
static ix_cli_exit
open_field(ix_cli_run *r, bool output, const char *given, char *copy,
           ix_cli_field **f, char **what)
{
    const char *verb = r->command->verb, *flag = output ? "out" : "in";
    *what = strchr(copy, '=');
    if (!*what)
        return ix_cli_usage(verb, "--%s %s: wants NAME=%s", flag, given,
                            output ? "TARGET" : "SOURCE");
    *(*what)++ = '\0';
    *f = find_field(r, copy, output);
    if (!*f)
        return ix_cli_usage(
            verb, "--%s %s: the program has no %sput %s%s", flag, given, flag,
            copy, ix_cli_suggest_argument(r, copy, !output, output).s);
    if (output ? (*f)->target.kind != IX_CLI_TARGET_NONE
               : (*f)->source.kind != IX_CLI_SOURCE_NONE)
        return ix_cli_usage(verb, "--%s %s: %s was given before", flag, given,
                            copy);
    return IX_EXIT_OK;
}

/* Reads the value of one --in. "copy" is a copy of it to be cut. */
static ix_cli_exit
read_in(ix_cli_run *r, const char *given, char *copy)
{
    ix_cli_field *f;
    char *what;
    ix_cli_exit status = open_field(r, false, given, copy, &f, &what);
    if (status == IX_EXIT_OK && !read_source(&f->source, what))
        return ix_cli_usage(r->command->verb,
                            "--in %s: a source is @FILE.npy[,halo=nearest|zero|"
                            "periodic|file], zero, a number, constant:X or "
                            "random:SEED%s",
                            given,
                            suggest_word(given, "zero constant random").s);
    return status;
}

/* As read_in for --out. */
static ix_cli_exit
read_out(ix_cli_run *r, const char *given, char *copy)
{
    ix_cli_field *f;
    char *what;
    ix_cli_exit status = open_field(r, true, given, copy, &f, &what);
    if (status == IX_EXIT_OK && !read_target(&f->target, what))
        return ix_cli_usage(r->command->verb,
                            "--out %s: a target is @FILE.npy, "
                            "@FILE.png[,map=uniform,scale=8,low=X,high=X,"
                            "flip=xy,transpose=1] or - for text",
                            given);
    for (size_t i = 0; status == IX_EXIT_OK && i < r->nfields; i++) {
        const ix_cli_field *o = &r->field[i];
        if (o != f && o->target.path && f->target.path &&
            !strcmp(o->target.path, f->target.path))
            return ix_cli_usage(r->command->verb,
                                "--out %s: %s is written there already", given,
                                o->info.name);
    }
    return status;
}

/* As read_in for --size, which may hold several. */
static ix_cli_exit
read_size(ix_cli_run *r, const char *given, char *copy)
{
    pair p;
    while (next_pair(&copy, &p)) {
        size_t i = 0;
        while (i < r->nsizes && strcmp(r->size[i].name, p.key) != 0)
            i++;
        if (i == r->nsizes)
            return ix_cli_usage(r->command->verb,
                                "--size %s: the program has no size %s%s",
                                given, p.key, suggest_size(r, p.key).s);
        if (!p.value || !read_int(p.value, &r->size[i].value) ||
            r->size[i].value < 0)
            return ix_cli_usage(
                r->command->verb,
                "--size %s: wants NAME=NUMBER, from 0 to %lld, for example "
                "%s=100",
                given, (long long)INT64_MAX, p.key);
        if (r->known[i])
            return ix_cli_usage(r->command->verb,
                                "--size %s: %s was given before", given, p.key);
        r->known[i] = true;
    }
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_values_read(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->command->nsettings && status == 0; i++) {
        const ix_cli_setting *s = &r->command->setting[i];
        char *copy = strdup(s->value);
        if (!copy)
            return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
        if (s->flag == IX_FLAG_IN)
            status = read_in(r, s->value, copy);
        else if (s->flag == IX_FLAG_OUT)
            status = read_out(r, s->value, copy);
        else if (s->flag == IX_FLAG_SIZE)
            status = read_size(r, s->value, copy);
        free(copy);
    }
    return status;
}

void
ix_cli_values_free(ix_cli_field *f)
{
    free(f->source.path);
    free(f->target.path);
}
