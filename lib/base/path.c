/* SPDX-License-Identifier: MIT
 *
 * Directories of PATH that are not absolute mean the current one, where a
 * program may lie by mischance or malice; they are passed over.
 */
#define _GNU_SOURCE /* secure_getenv */
#include "lib/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool
ix_path_find(const char *name, char *path, size_t size)
{
    const char *p = secure_getenv("PATH");
    for (p = p ? p : "/usr/bin:/bin"; *p; p += *p == ':') {
        size_t n = strcspn(p, ":");
        int length = snprintf(path, size, "%.*s/%s", (int)n, p, name);
        if (*p == '/' && length > 0 && (size_t)length < size &&
            is_program(path))
            return true;
        p += n;
    }
    return false;
}
