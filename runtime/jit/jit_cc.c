/* SPDX-License-Identifier: MIT
 *
 * The cc loader: the system's compiler reads the units from its standard input,
 * and links them in a private directory (cc_directory.h) to one shared object
 * without start-up code, which is read back, checked and loaded from memory.
 * The directory is gone when the function returns. The disk cache comes before
 * all that and after (cc_cache.h).
 */
#define _GNU_SOURCE
#include "runtime/jit/jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/descriptor.h"
#include "runtime/jit/cc.h"
#include "runtime/jit/code.h"
#include "runtime/threads/pool.h"

#ifndef ILEX_CC_PATH
#define ILEX_CC_PATH "/usr/bin/cc"
#endif

enum { MAX_OBJECT = 1 << 28 };

/* Strict floating point, no headers, no warnings about generated code; short
 * loops are as fast wherever in a file their function stands. */
static const char *const compile_flags[] = {"-std=c11",
                                            "-O3",
                                            "-march=native",
                                            "-ffp-contract=off",
                                            "-fno-math-errno",
                                            "-fno-trapping-math",
                                            "-fno-strict-aliasing",
                                            "-falign-functions=32",
                                            "-fPIC",
                                            "-nostdinc",
                                            "-w"};

/* No start-up code: it would run at load and may change floating-point modes.
 */
static const char *const link_flags[] = {"-shared", "-nostdlib",
                                         "-nostartfiles"};

typedef struct job {
    const ix_mem *mem;
    const ix_jit_request *req;
    ix_error *err;
    int64_t deadline;
    ix_cc_directory dir;
} job;

/* ---- the commands ---- */

/* Appends one argument to a list of NUL-terminated ones. */
static void
add_arg(ix_text *args, const char *arg)
{
    ix_text_put_n(args, arg, strlen(arg) + 1);
}

static void
add_args(ix_text *args, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_arg(args, list[i]);
}

/* Appends the name of the object of unit "i". */
static void
add_object(ix_text *args, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "k%zu.o", i);
    add_arg(args, name);
}

/* Whether the "n" characters at "flag" are a flag a user may add. */
static bool
is_allowed_flag(const char *flag, size_t n)
{
    static const char *const plain[] = {"-g",  "-O",  "-O0", "-O1", "-O2",
                                        "-O3", "-Os", "-Og", "-Oz"};
    for (size_t i = 0; i < IX_COUNT(plain); i++)
        if (n == strlen(plain[i]) && memcmp(flag, plain[i], n) == 0)
            return true;
    size_t head = strlen("-march=");
    if (n <= head || n > 64 || memcmp(flag, "-march=", head) != 0)
        return false;
    for (size_t i = head; i < n; i++) {
        char c = flag[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9');
        if (!word && !strchr("._+-", c))
            return false;
    }
    return true;
}

/* Appends the user's flags; false and an error for one that is not allowed. */
static bool
add_user_flags(ix_text *args, const char *flags, ix_error *err)
{
    for (const char *p = flags ? flags : ""; *p;) {
        size_t n = strcspn(p, " ");
        if (n > 0 && !is_allowed_flag(p, n))
            return ix_fail_false(err, ILEX_E_ARGUMENT,
                                 "compiler flag '%.*s' is not allowed; allowed "
                                 "are -O0 to -O3, -Os, -Og, -Oz, -march=NAME "
                                 "and -g, for example '-O2 -march=x86-64'",
                                 n > 80 ? 80 : (int)n, p);
        if (n > 0) {
            ix_text_put_n(args, p, n);
            ix_text_put_n(args, "", 1);
        }
        p += n + (p[n] != '\0');
    }
    return true;
}

const char *
ix_jit_cc_path(const ix_jit_request *req)
{
    return req->cc ? req->cc : ILEX_CC_PATH;
}

/* One unit is compiled and linked by one command; several are compiled one by
 * one and linked by the last. */
static size_t
count_steps(const ix_jit_request *req)
{
    return req->nsources == 1 ? 1 : req->nsources + 1;
}

/* Appends the arguments of command "step". Calls of libm stay calls: compilers
 * know rewritings of sin(atan(x)) and the like that change the last bits. */
static bool
add_step(ix_text *args, const ix_jit_request *req, size_t step, ix_error *err)
{
    size_t n = req->nsources;
    bool compiles = step < n, links = n == 1 || step == n;
    add_arg(args, ix_jit_cc_path(req));
    if (compiles) {
        add_args(args, compile_flags, IX_COUNT(compile_flags));
        if (req->needs_math)
            add_arg(args, "-fno-builtin");
        if (!add_user_flags(args, req->cflags_opt, err))
            return false;
    }
    if (links)
        add_args(args, link_flags, IX_COUNT(link_flags));
    else
        add_arg(args, "-c");
    add_arg(args, "-o");
    if (links)
        add_arg(args, "k.so");
    else
        add_object(args, step);
    if (compiles) {
        add_arg(args, "-x");
        add_arg(args, "c");
        add_arg(args, "-");
    }
    for (size_t i = 0; i < n && !compiles; i++)
        add_object(args, i);
    if (links && req->needs_math)
        add_arg(args, "-lm");
    return true;
}

/* Rules of the request that cc adds. */
static bool
check_request(const ix_jit_request *req, ix_error *err)
{
    const char *cc = ix_jit_cc_path(req);
    if (cc[0] == '/' && req->nsources > 0)
        return true;
    if (req->nsources == 0)
        ix_fail(err, ILEX_E_ARGUMENT, "nothing to compile");
    else
        ix_fail(err, ILEX_E_ARGUMENT,
                "cc='%.200s' is not an absolute path; for example "
                "cc=/usr/bin/gcc",
                cc);
    return false;
}

char *
ix_jit_cc_command(const ix_mem *mem, const ix_jit_request *req, ix_error *err)
{
    ix_text t;
    bool ok = check_request(req, err);
    ix_text_init(&t, mem);
    for (size_t step = 0; ok && step < count_steps(req); step++) {
        size_t start = t.length;
        ok = add_step(&t, req, step, err);
        for (size_t i = start; ok && !t.failed && i < t.length; i++)
            if (t.data[i] == '\0')
                t.data[i] = i + 1 == t.length ? '\n' : ' ';
    }
    char *text = NULL;
    if (ok && !t.failed)
        text = ix_mem_new(mem, t.length + 1);
    if (text)
        memcpy(text, t.data, t.length);
    else if (ok)
        ix_fail_memory(err);
    ix_text_free(&t);
    return text;
}

/* ---- running them ---- */

/* The argument vector of "args", NULL-terminated, in one block with copies of
 * the arguments; NULL without memory. */
static char **
vector_of(const ix_mem *mem, const ix_text *args)
{
    size_t n = 0;
    for (size_t i = 0; i < args->length; i++)
        n += args->data[i] == '\0';
    size_t bytes = (n + 1) * sizeof(char *);
    char **argv = args->failed ? NULL : ix_mem_new(mem, bytes + args->length);
    char *p =
        argv ? memcpy((char *)argv + bytes, args->data, args->length) : NULL;
    for (size_t i = 0; argv && i < n; i++) {
        argv[i] = p;
        p += strlen(p) + 1;
    }
    return argv;
}

/* Sets up the process of command "step"; the caller frees its arguments. */
static bool
prepare_step(const job *j, size_t step, ix_process *p)
{
    ix_text args;
    ix_text_init(&args, j->mem);
    bool ok = add_step(&args, j->req, step, j->err);
    p->argv = ok ? vector_of(j->mem, &args) : NULL;
    p->dir = j->dir.path;
    p->input = step < j->req->nsources ? j->req->sources[step] : NULL;
    p->deadline = j->deadline;
    p->limit_ms = j->req->timeout_ms;
    p->stop = j->req->stop;
    if (ok && !p->argv)
        ix_fail_memory(j->err);
    ix_text_free(&args);
    return p->argv != NULL;
}

/* Runs the commands from "step" on, side by side. */
static bool
run_steps(job *j, size_t step, size_t n)
{
    ix_process *p = ix_mem_new(j->mem, n * sizeof *p);
    bool ok = p != NULL;
    if (!p)
        ix_fail_memory(j->err);
    for (size_t i = 0; ok && i < n; i++)
        ok = prepare_step(j, step + i, &p[i]);
    ok = ok && !ix_process_run(p, n, (size_t)ix_pool_cores(), j->err);
    for (size_t i = 0; p && i < n; i++)
        ix_mem_free(j->mem, (void *)(uintptr_t)p[i].argv);
    ix_mem_free(j->mem, p);
    return ok;
}

/* ---- the object ---- */

/* Reads the shared object the compiler left; owned by the caller. */
static void *
read_object(job *j, size_t *size)
{
    struct stat s;
    void *image = NULL;
    int fd = ix_fd_high(openat(j->dir.fd, "k.so",
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= 0 ||
        s.st_size > MAX_OBJECT) {
        ix_fail(j->err, ILEX_E_TOOLCHAIN,
                "the compiler '%s' reported success but left no object file",
                ix_jit_cc_path(j->req));
    } else if (!(image = ix_mem_new(j->mem, (size_t)s.st_size))) {
        ix_fail_memory(j->err);
    } else if (!ix_fd_read(fd, image, (size_t)s.st_size)) {
        ix_fail(j->err, ILEX_E_FILE, "cannot read '%s/k.so'", j->dir.path);
        ix_mem_free(j->mem, image);
        image = NULL;
    } else {
        *size = (size_t)s.st_size;
    }
    if (fd >= 0)
        close(fd);
    return image;
}

/* ---- from request to code ---- */

/* The bytes of the shared object for the request, owned by the caller, NULL
 * on failure. */
static void *
obtain_object(job *j, size_t *size)
{
    void *image = NULL;
    bool ok = ix_cc_directory_make(&j->dir, j->err) &&
              run_steps(j, 0, j->req->nsources);
    if (j->req->nsources > 1)
        ok = ok && run_steps(j, j->req->nsources, 1);
    if (ok)
        image = read_object(j, size);
    ix_cc_directory_remove(&j->dir);
    return image;
}

/* Starts the compiler, loads what it made, stores that if it can be used. */
static ix_code *
compile(const ix_mem *mem, const ix_jit_request *req, const ix_cc_cache *cache,
        void **entries, ix_error *err)
{
    bool limited = req->timeout_ms > 0;
    job *j = ix_mem_new(mem, sizeof *j);
    if (!j)
        return ix_fail_memory_null(err);
    j->mem = mem;
    j->req = req;
    j->err = err;
    j->deadline = limited ? ix_process_clock() + req->timeout_ms : INT64_MAX;
    size_t size = 0;
    void *image = obtain_object(j, &size);
    ix_mem_free(mem, j);
    ix_code *code =
        image ? ix_code_of_object(mem, req, image, size, entries, err) : NULL;
    if (code && !ix_cc_cache_store(cache, image, size, err)) {
        ix_code_release(code);
        code = NULL;
    }
    ix_mem_free(mem, image);
    return code;
}

ix_code *
ix_jit_cc_compile(const ix_mem *mem, const ix_jit_request *req, void **entries,
                  ix_error *err)
{
    ix_cc_cache cache;
    ix_code *code = NULL;
    if (!check_request(req, err))
        return NULL;
    bool ok = ix_cc_cache_open(&cache, mem, req, err) &&
              ix_cc_cache_find(&cache, entries, &code, err);
    if (ok && !code && ix_cc_cache_reserve(&cache))
        ok = ix_cc_cache_find(&cache, entries, &code, err);
    if (ok && !code)
        code = compile(mem, req, &cache, entries, err);
    ix_cc_cache_close(&cache);
    return code;
}

ix_code *
ix_jit_cc_find(const ix_mem *mem, const ix_jit_request *req, void **entries,
               ix_error *err)
{
    ix_cc_cache cache;
    ix_jit_request quiet = *req;
    ix_code *code = NULL;
    if (!check_request(req, err))
        return NULL;
    quiet.cache.looks = true;
    if (quiet.cache.mode == IX_CACHE_MODE_MUST_HIT)
        quiet.cache.mode = IX_CACHE_MODE_RO;
    if (ix_cc_cache_open(&cache, mem, &quiet, err))
        ix_cc_cache_find(&cache, entries, &code, err);
    ix_cc_cache_close(&cache);
    return code;
}
