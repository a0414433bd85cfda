/* SPDX-License-Identifier: MIT
 *
 * Pages of machine code and loaded shared objects (see code.h). Pages go from
 * read-write to read-execute by mprotect; where a policy forbids that, their
 * content moves to a sealed memory file that is mapped read-execute at the
 * same address. Shared objects are always loaded from a sealed memory file,
 * whose descriptor stays open while they are: the loader tells objects apart
 * by path, and the path names the descriptor.
 */
#define _GNU_SOURCE
#include "runtime/jit/code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/descriptor.h"
#include "lib/base/library.h"

struct ix_code {
    atomic_size_t count;
    ix_mem mem;
    void *pages;
    size_t bytes;
    void *handle; /* of dlopen */
    int fd;       /* memory file the handle was loaded from, or -1 */
};

ix_code *
ix_code_new(const ix_mem *mem, ix_error *err)
{
    ix_code *code = ix_mem_new(mem, sizeof *code);
    if (!code)
        return ix_fail_memory_null(err);
    atomic_init(&code->count, 1);
    code->mem = *mem;
    code->fd = -1;
    return code;
}

void
ix_code_retain(ix_code *code)
{
    if (code)
        atomic_fetch_add_explicit(&code->count, 1, memory_order_relaxed);
}

void
ix_code_release(ix_code *code)
{
    if (!code ||
        atomic_fetch_sub_explicit(&code->count, 1, memory_order_acq_rel) != 1)
        return;
    if (code->pages)
        munmap(code->pages, code->bytes);
    if (code->handle)
        ix_library_close(code->handle);
    if (code->fd >= 0)
        close(code->fd);
    ix_mem mem = code->mem;
    ix_mem_free(&mem, code);
}

/* A new memory file with "size" bytes of "data" that nobody can change any
 * more; -1 with errno on failure. */
static int
sealed_file(const void *data, size_t size)
{
    int fd = ix_fd_high(memfd_create("ilex", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (fd >= 0 && (!ix_fd_write(fd, data, size) ||
                    fcntl(fd, F_ADD_SEALS,
                          F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK |
                              F_SEAL_SEAL) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

void *
ix_code_pages(ix_code *code, size_t bytes, ix_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = bytes ? (bytes + page - 1) / page * page : page;
    void *p = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return ix_fail_null(err, ILEX_E_MEMORY,
                            "out of memory: %zu bytes for machine code", whole);
    code->pages = p;
    code->bytes = whole;
    return p;
}

/* Replaces the pages by a private read-execute mapping of a sealed copy. */
static bool
remap_sealed(ix_code *code)
{
    int fd = sealed_file(code->pages, code->bytes);
    if (fd < 0)
        return false;
    void *p = mmap(code->pages, code->bytes, PROT_READ | PROT_EXEC,
                   MAP_PRIVATE | MAP_FIXED, fd, 0);
    int saved = errno;
    close(fd);
    errno = saved;
    return p != MAP_FAILED;
}

bool
ix_code_seal(ix_code *code, ix_error *err)
{
    char *p = code->pages;
    if (mprotect(p, code->bytes, PROT_READ | PROT_EXEC) != 0 &&
        !remap_sealed(code))
        return ix_fail_false(
            err, ILEX_E_TOOLCHAIN,
            "the system refuses executable memory: %s; use jit=reference",
            strerror(errno));
    __builtin___clear_cache(p, p + code->bytes);
    return true;
}

bool
ix_code_load(ix_code *code, const void *image, size_t size, ix_error *err)
{
    const char *why = ix_elf_check(image, size);
    if (why)
        return ix_fail_false(err, ILEX_E_TOOLCHAIN,
                             "the compiled kernels are not loaded: %s", why);
    code->fd = sealed_file(image, size);
    if (code->fd < 0)
        return ix_fail_false(err, ILEX_E_TOOLCHAIN,
                             "the system refuses a sealed memory file: %s; use "
                             "jit=tcc or jit=reference",
                             strerror(errno));
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", code->fd);
    code->handle = ix_library_open(path);
    if (!code->handle) {
        const char *text = dlerror();
        return ix_fail_false(err, ILEX_E_TOOLCHAIN,
                             "the compiled kernels do not load: %s",
                             text ? text : "unknown reason");
    }
    return true;
}

void *
ix_code_symbol(ix_code *code, const char *name)
{
    return code->handle ? dlsym(code->handle, name) : NULL;
}

/* Finds the functions of the request. */
static bool
look_up(ix_code *code, const ix_jit_request *req, void **entries, ix_error *err)
{
    for (size_t i = 0; i < req->nsymbols; i++) {
        entries[i] = ix_code_symbol(code, req->symbols[i]);
        if (!entries[i])
            return ix_fail_false(
                err, ILEX_E_TOOLCHAIN,
                "the compiled kernels do not define the function '%s'",
                req->symbols[i]);
    }
    return true;
}

ix_code *
ix_code_of_object(const ix_mem *mem, const ix_jit_request *req,
                  const void *image, size_t size, void **entries, ix_error *err)
{
    double start = ix_clock();
    ix_code *code = ix_code_new(mem, err);
    bool ok = code && ix_code_load(code, image, size, err) &&
              look_up(code, req, entries, err);
    if (req->load_seconds)
        *req->load_seconds = ix_clock() - start;
    if (ok)
        return code;
    ix_code_release(code);
    return NULL;
}
