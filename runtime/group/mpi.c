/* SPDX-License-Identifier: MIT
 *
 * Ranks that are processes of MPI: the module that knows MPI is opened when it
 * is first asked for. It lies beside libilex, in a folder "ilex", or where
 * ILEX_MPI says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/library.h"
#include "runtime/group/group.h"

static const ix_transport *module;

static const char *
try_open(const char *path, void **library)
{
    *library = ix_library_open(path);
    return *library ? NULL : dlerror();
}

/* The folder that libilex lies in, with a slash; "" if it is not known. */
static void
find_folder(char *folder, size_t room)
{
    Dl_info info;
    static const char here = 0;
    const char *slash = NULL;
    if (dladdr(&here, &info) && info.dli_fname)
        slash = strrchr(info.dli_fname, '/');
    int n = slash ? (int)(slash - info.dli_fname + 1) : 0;
    snprintf(folder, room, "%.*s", n, slash ? info.dli_fname : "");
}

/* Opens the module; NULL after an error. */
static void *
open_module(ix_error *err)
{
    static const char *const places[] = {"ilex/", "", "../"};
    const char *given = getenv("ILEX_MPI");
    char folder[2048], path[2200];
    void *library = NULL;
    const char *why =
        try_open(given ? given : ILEX_MODULES "/ilex-mpi.so", &library);
    find_folder(folder, sizeof folder);
    for (size_t i = 0; !given && !library && i < IX_COUNT(places); i++) {
        snprintf(path, sizeof path, "%s%silex-mpi.so", folder, places[i]);
        why = try_open(path, &library);
    }
    if (!library)
        ix_fail(err, ILEX_E_UNSUPPORTED,
                "group: transport mpi needs the module ilex-mpi.so, which is "
                "built where configure finds mpicc; ILEX_MPI may say where it "
                "is: %.300s",
                why ? why : "");
    return library;
}

static ilex_status
find_module(ix_error *err)
{
    static const size_t ours[] = IX_GROUP_LAYOUT;
    void *library = open_module(err);
    if (!library)
        return ILEX_E_UNSUPPORTED;
    const size_t *theirs = dlsym(library, "ilex_mpi_layout");
    const ix_transport *found = dlsym(library, "ilex_mpi_transport");
    if (!found || !theirs || memcmp(ours, theirs, sizeof ours) != 0) {
        ix_library_close(library);
        return ix_fail(err, ILEX_E_UNSUPPORTED,
                       "group: ilex-mpi.so is of another version of Ilex");
    }
    module = found;
    return ILEX_OK;
}

static ilex_status
open_group(const ilex_group_spec *spec, ilex_group **members, ix_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    ilex_status rc = module ? ILEX_OK : find_module(err);
    pthread_mutex_unlock(&lock);
    rc = rc ? rc : module->open(spec, members, err);
    if (!rc)
        members[0]->transport = module;
    return rc;
}

const ix_transport ix_transport_mpi = {.open = open_group, .alone = true};
