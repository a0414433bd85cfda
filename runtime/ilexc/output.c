/* SPDX-License-Identifier: MIT
 *
 * Text that ilexc writes: to standard output, or to a file that appears
 * complete or not at all.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/ilexc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes and closes a temporary file with the mode of "path", if that exists;
 * 0 or an errno. */
static int
write_temporary(int fd, const char *path, const char *text)
{
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(path, &st) == 0 ? st.st_mode & 07777 : 0666 & ~mask;
    FILE *f = fdopen(fd, "w");
    if (!f) {
        close(fd);
        return ENOMEM;
    }
    errno = EIO;
    bool bad = fchmod(fd, mode) != 0 || fputs(text, f) < 0 || fflush(f) != 0;
    int error = errno;
    if (fclose(f) != 0 && !bad)
        return errno;
    return bad ? error : 0;
}

/* What is no regular file, a device or a pipe, and what standard output goes to
 * (/dev/stdout) cannot be replaced: does the text go there as it is? */
static bool
is_stream(const char *path, bool *standard)
{
    struct stat st, out;
    if (stat(path, &st) != 0)
        return false;
    *standard = fstat(STDOUT_FILENO, &out) == 0 && st.st_dev == out.st_dev &&
                st.st_ino == out.st_ino;
    return *standard || !S_ISREG(st.st_mode);
}

/* 0 or an errno. */
static int
write_stream(const char *path, bool standard, const char *text)
{
    if (standard)
        return fputs(text, stdout) < 0 ? EIO : 0;
    FILE *f = fopen(path, "we");
    if (!f)
        return errno;
    int error = fputs(text, f) < 0 || fflush(f) != 0 ? errno : 0;
    return fclose(f) != 0 && !error ? errno : error;
}

/* Writes a file beside the target and renames it; 0 or an errno. */
static int
replace(const char *target, const char *text)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
        return ENOMEM;
    int fd = mkstemp(temporary);
    int error = fd < 0 ? errno : write_temporary(fd, target, text);
    if (error == 0 && rename(temporary, target) != 0)
        error = errno;
    if (fd >= 0 && error != 0)
        unlink(temporary);
    free(temporary);
    return error;
}

ix_cli_exit
ix_cli_output_replace(const char *path, const char *text)
{
    bool standard = false;
    char *real = realpath(path, NULL);
    int error = is_stream(path, &standard) ? write_stream(path, standard, text)
                                           : replace(real ? real : path, text);
    free(real);
    if (error != 0)
        return ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", path, strerror(error));
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_output(const ix_cli_session *s, const ix_cli_command *c, char *text)
{
    const char *path = ix_cli_options_value(c, IX_FLAG_OUTPUT, "-");
    ix_cli_exit status = IX_EXIT_OK;
    if (!text)
        return ix_cli_library_error(s->ctx);
    if (strcmp(path, "-") != 0)
        status = ix_cli_output_replace(path, text);
    else
        fputs(text, stdout);
    ilex_text_free(s->ctx, text);
    return status;
}

ix_cli_exit
ix_cli_output_close(ix_cli_exit status)
{
    bool bad = ferror(stdout) != 0;
    bad |= fclose(stdout) != 0;
    if (bad && status == IX_EXIT_OK)
        return ix_cli_fail(IX_EXIT_PROGRAM, "standard output: %s",
                           strerror(errno));
    return status;
}
