/* SPDX-License-Identifier: MIT
 *
 * Ilexc: the command around the library. This file picks the verb (verbs.def)
 * and prints what is asked about the command itself: help, version, tables.
 */
#include "runtime/ilexc/ilexc.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/suggest.h"
#include "runtime/ilexc/help.h"

/* A row of verbs.def. */
typedef struct verb_row {
    const char *name, *meaning, *details;
    ix_cli_exit (*run)(const ix_cli_command *c);
} verb_row;

static const verb_row verbs[] = {
#define IX_VERB(name, meaning, details)                                        \
    {#name, meaning, details, ix_cli_verb_##name},
#include "runtime/ilexc/verbs.def"
};
enum { NVERBS = sizeof verbs / sizeof *verbs };

static const verb_row *
find_verb(const char *name)
{
    for (int i = 0; i < NVERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* Complains about a word that is neither a verb nor a question about the
 * command. */
static ix_cli_exit
no_verb(const char *word)
{
    bool option = word[0] == '-';
    ix_suggestion s = ix_suggest(word, strlen(word));
    for (int i = 0; i < NVERBS && !option; i++)
        ix_suggest_name(&s, verbs[i].name, strlen(verbs[i].name));
    ix_suggest_words(
        &s, option ? "--help --version --passes --options --backends" : "help",
        " ");
    return ix_cli_usage(NULL, "there is no %s %s%s", option ? "option" : "verb",
                        word, ix_suggestion_show(&s).s);
}

/* Prints the help of a verb. */
static void
help_verb(const verb_row *verb)
{
    printf("ilexc %s [OPTION ...] %s: %s\n", verb->name,
           ix_cli_options_operands(verb->name), verb->meaning);
    if (strcmp(ix_cli_options_operands(verb->name), "FILE") == 0)
        puts("FILE holds a program in .ilx text; `-` is standard input.");
    ix_cli_options_help(verb->name);
    printf("\n%s", verb->details);
}

/* Prints what a name means: of a verb, of anything else, or of both. */
static ix_cli_exit
help_name(const char *name)
{
    const verb_row *verb = find_verb(name);
    if (verb)
        help_verb(verb);
    if (ix_help_print(name, verb != NULL) > 0 || verb)
        return IX_EXIT_OK;
    if (strncmp(name, "ilex_", 5) == 0) {
        printf("%s: functions of C have manual pages, if there are such: man "
               "%s\n",
               name, name);
        return IX_EXIT_OK;
    }
    ix_suggestion near = ix_suggest(name, strlen(name));
    for (int i = 0; i < NVERBS; i++)
        ix_suggest_name(&near, verbs[i].name, strlen(verbs[i].name));
    ix_topic_suggest(&near);
    return ix_cli_usage(NULL,
                        "there is no verb %s, and nothing else of this "
                        "name%s",
                        name, ix_suggestion_show(&near).s);
}

/* Prints the help of the command. */
static void
help(void)
{
    fputs("ilexc: array programs in .ilx text, checked, shown, compiled, run\n"
          "\n",
          stdout);
    for (int i = 0; i < NVERBS; i++)
        printf("    ilexc %-7s %-6s %s\n", verbs[i].name,
               ix_cli_options_operands(verbs[i].name), verbs[i].meaning);
    fputs(
        "    ilexc help NAME     tells about a verb (also ilexc VERB --help), "
        "or"
        "\n"
        "                        a function, statement, option, error, ...\n"
        "    ilexc --passes      lists the passes of the compiler\n"
        "    ilexc --options     lists the library's options: --name=value for"
        "\n"
        "                        any verb, or the variable ILEX_NAME\n"
        "    ilexc --backends    lists what can run a program, and whether it "
        "is here\n"
        "    ilexc --version     prints the version\n"
        "\nExit status:\n",
        stdout);
#define IX_EXIT(NAME, number, meaning) printf("    %-4d%s\n", number, meaning);
#include "runtime/ilexc/exits.def"
}

/* Prints a table of the library with its columns aligned. */
static void
print_table(const char *name)
{
    const char *at = ilex_table(name);
    while (at && *at) {
        size_t line = strcspn(at, "\n"), word = strcspn(at, "\t\n");
        printf("%-17.*s ", (int)word, at);
        if (word < line)
            printf("%.*s", (int)(line - word - 1), at + word + 1);
        fputc('\n', stdout);
        at += line + (at[line] == '\n');
    }
}

/* Answers what is asked about the command itself; false for anything else. */
static bool
about(int argc, char **argv, ix_cli_exit *status)
{
    const char *word = argv[1];
    *status = IX_EXIT_OK;
    if (strcmp(word, "--version") == 0) {
        printf("ilexc %s\n", ilex_version());
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
               (strcmp(word, "help") == 0 && argc == 2)) {
        help();
    } else if (strcmp(word, "help") == 0) {
        for (int i = 2; i < argc && *status == IX_EXIT_OK; i++)
            *status = help_name(argv[i]);
    } else if (strcmp(word, "--backends") == 0) {
        *status = ix_cli_verb_list(&(ix_cli_command){.file = word + 2});
    } else if (strncmp(word, "--", 2) == 0 && ilex_table(word + 2)) {
        print_table(word + 2);
    } else {
        return false;
    }
    return true;
}

/* Reads the options of a verb and runs it. */
static ix_cli_exit
run_verb(const verb_row *verb, int argc, char **argv)
{
    ix_cli_command c = {.verb = verb->name};
    ix_cli_exit status = ix_cli_options_read(&c, argc, argv);
    if (status == IX_EXIT_OK && ix_cli_options_value(&c, IX_FLAG_HELP, NULL))
        help_verb(verb);
    else if (status == IX_EXIT_OK)
        status = verb->run(&c);
    ix_cli_options_free(&c);
    return status;
}

int
main(int argc, char **argv)
{
    ix_cli_exit status;
    if (argc < 2) {
        status = ix_cli_usage(NULL, "what is to be done?");
    } else if (!about(argc, argv, &status)) {
        const verb_row *verb = find_verb(argv[1]);
        status = verb ? run_verb(verb, argc - 2, argv + 2) : no_verb(argv[1]);
    }
    return (int)ix_cli_output_close(status);
}
