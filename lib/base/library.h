/* SPDX-License-Identifier: MIT
 *
 * Shared libraries, opened and closed so that fork() is safe: a child of a
 * process whose loader is at work in another thread could load nothing.
 */
#ifndef ILEX_LIB_LIBRARY_H
#define ILEX_LIB_LIBRARY_H

/* dlopen() with RTLD_NOW and RTLD_LOCAL, dlclose(). */
void *ix_library_open(const char *path);
void ix_library_close(void *library);

/* From now on dlclose() leaves this library where it is: it has a thread. */
void ix_library_pin(void);

#endif
