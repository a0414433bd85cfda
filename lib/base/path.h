/* SPDX-License-Identifier: MIT
 *
 * Programs by their names, as shells find them.
 */
#ifndef ILEX_LIB_PATH_H
#define ILEX_LIB_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes where the program "name" is, an absolute path of less than "size"
 * bytes: in the first directory of PATH that has it. False if none has. */
bool ix_path_find(const char *name, char *path, size_t size);

#endif
