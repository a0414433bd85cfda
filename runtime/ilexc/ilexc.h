/* SPDX-License-Identifier: MIT
 *
 * Ilexc, the command: what its files share. It uses the public API alone, but
 * for the files of the disk cache.
 *
 * options.c reads the command line against flags.def; main.c picks the verb of
 * verbs.def; each verb is a function of the command that returns an exit
 * status of exits.def. Messages go to standard error: those about the command
 * line through ix_cli_usage, the library's as it words them.
 */
#ifndef ILEX_ILEXC_H
#define ILEX_ILEXC_H

#include <stdbool.h>
#include <stddef.h>

#include "ilex.h"

typedef enum ix_cli_exit {
#define IX_EXIT(NAME, number, meaning) IX_EXIT_##NAME = number,
#include "runtime/ilexc/exits.def"
} ix_cli_exit;

typedef enum ix_cli_flag {
#define IX_FLAG(NAME, spelling, value, verbs, meaning) IX_FLAG_##NAME,
#include "runtime/ilexc/flags.def"
    IX_CLI_NFLAGS
} ix_cli_flag;

/* One option as it was given. "value" is "" for one without. */
typedef struct ix_cli_setting {
    ix_cli_flag flag; /* IX_CLI_NFLAGS: an option of the library */
    char *name;       /* of the library's option */
    const char *value;
} ix_cli_setting;

/* A command line: ilexc VERB [ACTION] [OPTION ...] FILE */
typedef struct ix_cli_command {
    const char *verb;
    const char *action; /* of actions.def, for verb cache */
    const char *file;   /* "-": standard input; the first one; NULL for most
                           actions */
    const char **files; /* all */
    size_t nfiles;
    ix_cli_setting *setting;
    size_t nsettings;
    int verbose;
} ix_cli_command;

#define IX_VERB(name, meaning, details)                                        \
    ix_cli_exit ix_cli_verb_##name(const ix_cli_command *c);
#include "runtime/ilexc/verbs.def"

/* ---- options.c ---- */

/* Reads the arguments behind the verb. The command is to be freed in any
 * case. */
ix_cli_exit ix_cli_options_read(ix_cli_command *c, int argc, char **argv);
void ix_cli_options_free(ix_cli_command *c);

/* The last value given for an option, else "otherwise". */
const char *ix_cli_options_value(const ix_cli_command *c, ix_cli_flag flag,
                                 const char *otherwise);

/* "--size" */
const char *ix_cli_options_spelling(ix_cli_flag flag);

/* What follows the verb and its options: "FILE". */
const char *ix_cli_options_operands(const char *verb);

/* Prints what --help of a verb prints after its first line. */
void ix_cli_options_help(const char *verb);

/* ---- report.c ---- */

/* Says what is wrong with the command line; returns IX_EXIT_USAGE. "verb" may
 * be NULL. */
ix_cli_exit ix_cli_usage(const char *verb, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* As ix_cli_usage with another exit status, for what a verb finds wrong. */
ix_cli_exit ix_cli_fail(ix_cli_exit status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The exit status for a status of the library. */
ix_cli_exit ix_cli_exit_of(ilex_status status);

/* Prints the library's errors; returns the exit status for the first. */
ix_cli_exit ix_cli_library_error(const ilex_context *ctx);

/* ---- session.c ---- */

/* A context with the command's options and the program it names. */
typedef struct ix_cli_session {
    ilex_context *ctx;
    char *text; /* of the program */
    ilex_module *module;
} ix_cli_session;

/* Opens a session and reads the text, if there is a file; ix_cli_session_parse
 * also makes the module. To be closed in any case. */
ix_cli_exit ix_cli_session_open(ix_cli_session *s, const ix_cli_command *c);
ix_cli_exit ix_cli_session_parse(ix_cli_session *s, const ix_cli_command *c);
void ix_cli_session_close(ix_cli_session *s);

/* The name of the program's file in messages. */
const char *ix_cli_session_file(const ix_cli_command *c);

/* ---- explain_grid.c ---- */

/* Says what ranks of the grid that is asked for would do. */
ix_cli_exit ix_cli_explain_grid(const ix_cli_session *s,
                                const ix_cli_command *c);

/* ---- output.c ---- */

/* Writes text to the file of -o, or standard output, and gives it back to the
 * library. "text" NULL: the library has failed, which is reported. */
ix_cli_exit ix_cli_output(const ix_cli_session *s, const ix_cli_command *c,
                          char *text);

/* Replaces a file by one with this text; it is whole at any time. */
ix_cli_exit ix_cli_output_replace(const char *path, const char *text);

/* Ends standard output: a full disk is a failure. */
ix_cli_exit ix_cli_output_close(ix_cli_exit status);

#endif
