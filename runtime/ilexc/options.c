/* SPDX-License-Identifier: MIT
 *
 * The command line behind the verb, read against flags.def: "--size n=3",
 * "--size=n=3", "-o FILE", "-oFILE", "-", and the library's options as
 * "--jit=cc" or "--jit cc". "--" ends the options.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/ilexc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/suggest.h"

/* A row of flags.def. */
typedef struct flag_row {
    const char *spelling, *value, *verbs, *meaning;
} flag_row;

static const flag_row rows[IX_CLI_NFLAGS] = {
#define IX_FLAG(NAME, spelling, value, verbs, meaning)                         \
    {spelling, value, verbs, meaning},
#include "runtime/ilexc/flags.def"
};

const char *
ix_cli_options_spelling(ix_cli_flag flag)
{
    return rows[flag].spelling;
}

/* Is "verb" among the verbs of a row? */
static bool
serves(const flag_row *row, const char *verb)
{
    size_t length = strlen(verb);
    for (const char *at = row->verbs; (at = strstr(at, verb)); at += length)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* The flag that "word" spells, perhaps with "=value" or, for a short one, the
 * value behind it; IX_CLI_NFLAGS if there is none. "*value" is the value or
 * NULL. */
static ix_cli_flag
find(const char *verb, const char *word, const char **value)
{
    for (int i = 0; i < IX_CLI_NFLAGS; i++) {
        size_t length = strlen(rows[i].spelling);
        bool is_long = rows[i].spelling[1] == '-';
        if (!serves(&rows[i], verb) ||
            strncmp(word, rows[i].spelling, length) != 0)
            continue;
        *value = NULL;
        if (word[length] == '\0')
            return (ix_cli_flag)i;
        if (is_long && word[length] == '=')
            *value = word + length + 1;
        else if (!is_long && rows[i].value[0])
            *value = word + length;
        if (*value)
            return (ix_cli_flag)i;
    }
    return IX_CLI_NFLAGS;
}

/* The name of a library option "--name" or "--name=value", as a string of its
 * own; NULL if there is none of that name. */
static char *
library_option(const char *word, const char **value)
{
    const char *at = ilex_table("options"), *end;
    size_t length = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    *value = word[length] ? word + length + 1 : NULL;
    word += 2;
    length -= 2;
    for (; at && *at; at = end[0] ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (strcspn(at, "\t") == length && strncmp(at, word, length) == 0)
            return strndup(word, length);
    }
    return NULL;
}

/* Says which options with one dash a verb has. */
static void
list_short(const char *verb, ix_suggestion_text *text)
{
    size_t n = 0;
    for (int i = 0; i < IX_CLI_NFLAGS; i++)
        if (serves(&rows[i], verb) && rows[i].spelling[1] != '-' &&
            n < sizeof text->s)
            n += (size_t)snprintf(text->s + n, sizeof text->s - n, "%s%s",
                                  n ? ", " : "; with one dash there is ",
                                  rows[i].spelling);
}

/* The option that is meant by "word": of the verb, or of the library. */
static ix_suggestion_text
suggest_option(const char *verb, const char *word)
{
    const char *name = word + strspn(word, "-");
    ix_suggestion s = ix_suggest(name, strcspn(name, "="));
    ix_suggestion_text text = {""};
    for (int i = 0; i < IX_CLI_NFLAGS; i++)
        if (serves(&rows[i], verb) && rows[i].spelling[1] == '-')
            ix_suggest_name(&s, rows[i].spelling + 2,
                            strlen(rows[i].spelling + 2));
    ix_suggest_lines(&s, ilex_table("options"));
    if (s.best)
        snprintf(text.s, sizeof text.s, "; did you mean --%.*s?", (int)s.length,
                 s.best);
    else if (word[1] != '-')
        list_short(verb, &text);
    return text;
}

/* Is the value of --target what a library has code for, several of it? */
static bool
is_list(const char *value)
{
    return !strncmp(value, "sm_", 3) ||
           (strchr(value, ',') && !strchr(value, '='));
}

/* One target of a library is that of the library's option. */
static void
take_target(ix_cli_setting *s)
{
    if (s->flag != IX_FLAG_TARGET || is_list(s->value))
        return;
    s->flag = IX_CLI_NFLAGS;
    s->name = strdup("target");
}

/* Reads the option "*word", and its value from the next word if need be. */
static ix_cli_exit
read_option(ix_cli_command *c, char **word, char **end, int *used)
{
    const char *value = NULL;
    ix_cli_setting *s = &c->setting[c->nsettings];
    ix_cli_flag flag = find(c->verb, *word, &value);
    char *name = flag == IX_CLI_NFLAGS ? library_option(*word, &value) : NULL;
    bool wants = name || (flag != IX_CLI_NFLAGS && rows[flag].value[0]);
    *used = 1;
    if (flag == IX_CLI_NFLAGS && !name)
        return ix_cli_usage(c->verb, "there is no option %s%s", *word,
                            suggest_option(c->verb, *word).s);
    *s = (ix_cli_setting){flag, name, value ? value : ""};
    c->nsettings++;
    if (value && !wants)
        return ix_cli_usage(c->verb, "%s takes no value", rows[flag].spelling);
    if (wants && !value) {
        if (word + 1 == end)
            return ix_cli_usage(c->verb, "%s wants a value%s%s", *word,
                                name ? "" : ": ", name ? "" : rows[flag].value);
        s->value = word[1];
        *used = 2;
    }
    take_target(s);
    c->verbose += flag == IX_FLAG_VERBOSE;
    return IX_EXIT_OK;
}

/* ---- actions ---- */

static const struct {
    const char *name, *operand, *meaning;
} actions[] = {
#define IX_ACTION(name, does, operand, meaning) {#name, operand, meaning},
#include "runtime/ilexc/actions.def"
};
enum { NACTIONS = sizeof actions / sizeof *actions };

static bool
has_actions(const char *verb)
{
    return strcmp(verb, "cache") == 0;
}

const char *
ix_cli_options_operands(const char *verb)
{
    if (strcmp(verb, "list") == 0)
        return "[WHAT]";
    return has_actions(verb) ? "ACTION" : "FILE";
}

/* The number of the action "name"; NACTIONS if there is none. */
static int
find_action(const char *name)
{
    int i = 0;
    while (i < NACTIONS && strcmp(actions[i].name, name) != 0)
        i++;
    return i;
}

static ix_suggestion_text
suggest_action(const char *word)
{
    ix_suggestion s = ix_suggest(word, strlen(word));
    for (int i = 0; i < NACTIONS; i++)
        ix_suggest_name(&s, actions[i].name, strlen(actions[i].name));
    return ix_suggestion_show(&s);
}

/* Takes a word that is no option: the action, then the file. */
static ix_cli_exit
read_operand(ix_cli_command *c, const char *word)
{
    if (has_actions(c->verb) && !c->action) {
        if (find_action(word) == NACTIONS)
            return ix_cli_usage(c->verb, "there is no action %s%s", word,
                                suggest_action(word).s);
        c->action = word;
    } else if (c->action && !*actions[find_action(c->action)].operand) {
        return ix_cli_usage(c->verb, "%s takes no file: %s", c->action, word);
    } else if (c->file && strcmp(c->verb, "compile") != 0) {
        return ix_cli_usage(c->verb, "one program at a time, not %s and %s",
                            c->file, word);
    } else {
        c->files[c->nfiles++] = word;
        c->file = c->files[0];
    }
    return IX_EXIT_OK;
}

/* Is all there that must be? */
static ix_cli_exit
check_operands(const ix_cli_command *c)
{
    if (has_actions(c->verb) && !c->action)
        return ix_cli_usage(c->verb, "what is to be done?");
    if (strcmp(c->verb, "list") == 0)
        return IX_EXIT_OK;
    if (!c->file && (!c->action || *actions[find_action(c->action)].operand))
        return ix_cli_usage(c->verb, "which program? `-` is standard input");
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_options_read(ix_cli_command *c, int argc, char **argv)
{
    bool options = true;
    c->setting = calloc((size_t)argc + 1, sizeof *c->setting);
    c->files = calloc((size_t)argc + 1, sizeof *c->files);
    if (!c->setting || !c->files)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    for (int i = 0, used; i < argc; i += used) {
        ix_cli_exit status = IX_EXIT_OK;
        used = 1;
        if (options && argv[i][0] == '-' && argv[i][1]) {
            options = strcmp(argv[i], "--") != 0;
            if (options)
                status = read_option(c, argv + i, argv + argc, &used);
        } else {
            status = read_operand(c, argv[i]);
        }
        if (status != IX_EXIT_OK)
            return status;
    }
    return ix_cli_options_value(c, IX_FLAG_HELP, NULL) ? IX_EXIT_OK
                                                       : check_operands(c);
}

void
ix_cli_options_free(ix_cli_command *c)
{
    for (size_t i = 0; c->setting && i < c->nsettings; i++)
        free(c->setting[i].name);
    free(c->setting);
    free(c->files);
}

const char *
ix_cli_options_value(const ix_cli_command *c, ix_cli_flag flag,
                     const char *otherwise)
{
    for (size_t i = c->nsettings; i-- > 0;)
        if (c->setting[i].flag == flag)
            return c->setting[i].value;
    return otherwise;
}

void
ix_cli_options_help(const char *verb)
{
    if (has_actions(verb))
        fputs("\nActions:\n", stdout);
    for (int i = 0; has_actions(verb) && i < NACTIONS; i++)
        printf("    %-6s %-4s  %s\n", actions[i].name, actions[i].operand,
               actions[i].meaning);
    fputs("\nOptions:\n", stdout);
    for (int i = 0; i < IX_CLI_NFLAGS; i++)
        if (serves(&rows[i], verb))
            printf("    %s %-*s %s\n", rows[i].spelling,
                   (int)(21 - strlen(rows[i].spelling)), rows[i].value,
                   rows[i].meaning);
    fputs("and the library's, as --name=value (`ilexc --options`).\n", stdout);
}
