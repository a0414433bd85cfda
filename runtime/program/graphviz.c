/* SPDX-License-Identifier: MIT
 *
 * Graphs are laid out by Graphviz's dot where the machine has it: a page of a
 * program without it has no picture, and says the same in words.
 */
#define _POSIX_C_SOURCE 200809L /* openat */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/jit/cc.h"
#include "runtime/program/program.h"

enum { LIMIT_MS = 3000, PART = 4096 };

static const char *
find_dot(void)
{
    static const char *const places[] = {"/usr/local/bin/dot", "/usr/bin/dot",
                                         "/bin/dot"};
    for (size_t i = 0; i < IX_COUNT(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* Appends a file of a directory. */
static void
read_file(const ix_cc_directory *d, const char *name, ix_text *t)
{
    char part[PART];
    ssize_t n;
    int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
        ix_text_put_n(t, part, (size_t)n);
    if (fd >= 0)
        close(fd);
}

void
ix_graphviz(const char *dot, ix_text *plain)
{
    const char *path = dot ? find_dot() : NULL;
    ix_cc_directory d;
    ix_error ignored = {.code = ILEX_OK};
    if (!path)
        return;
    if (ix_cc_directory_make(&d, &ignored)) {
        char *argv[] = {(char *)(uintptr_t)path, (char[]){"-Tplain"},
                        (char[]){"-oplaces"}, NULL};
        ix_process p = {.argv = argv,
                        .dir = d.path,
                        .input = dot,
                        .limit_ms = LIMIT_MS,
                        .deadline = ix_process_clock() + LIMIT_MS};
        if (!ix_process_run(&p, 1, 1, &ignored))
            read_file(&d, "places", plain);
    }
    ix_cc_directory_remove(&d);
}
