/* SPDX-License-Identifier: MIT
 *
 * NVRTC, opened at run time: CUDA source to PTX. No header and no driver is
 * needed. The library stays open until the process ends.
 */
#define _GNU_SOURCE
#include "runtime/jit/jit.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "lib/base/fork.h"
#include "lib/base/library.h"

enum { MAX_LOG = 1 << 16 };

/* The part of NVRTC's interface that is used; 0 is success. */
typedef struct program program;
typedef struct nvrtc {
    int (*create)(program **p, const char *source, const char *name, int n,
                  const char *const *headers, const char *const *names);
    int (*compile)(program *p, int n, const char *const *options);
    int (*ptx_size)(program *p, size_t *size);
    int (*ptx)(program *p, char *to);
    int (*log_size)(program *p, size_t *size);
    int (*log)(program *p, char *to);
    int (*destroy)(program **p);
    int (*version)(int *major, int *minor);
    /* NULL in old versions */
    int (*cubin_size)(program *p, size_t *size);
    int (*cubin)(program *p, char *to);
    int (*arch_count)(int *n);
    int (*archs)(int *list);
    const char *(*text)(int error);
} nvrtc;

enum { PATH_BYTES = 4096 };

static nvrtc api;
static bool available;
static char refusal[256];
static char asked[PATH_BYTES]; /* by option nvrtc; "": nobody did */
/* Opening is done once. A forked child has no thread that is at it, so there
 * the lock is free. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened;

static bool
find(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

/* NVRTC opens a second library by its bare name when it compiles. The system
 * finds that only in its own directories; so it is opened here from where NVRTC
 * itself lies, and found by its name from then on. */
static void
open_builtins(void)
{
    char path[4096];
    int major = 0, minor = 0;
    void *function = NULL;
    Dl_info where;
    memcpy(&function, &api.version, sizeof function);
    if (api.version(&major, &minor) || !dladdr(function, &where))
        return;
    const char *end = strrchr(where.dli_fname, '/');
    int length = end ? (int)(end + 1 - where.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*slibnvrtc-builtins.so.%d.%d", length,
             where.dli_fname, major, minor);
    if (length)
        (void)ix_library_open(path);
}

/* ---- which library ---- */

/* Names it is installed under, the newest first; the last is of any version. */
static const struct {
    int major;
    const char *name;
} names[] = {{14, "libnvrtc.so.14"},
             {13, "libnvrtc.so.13"},
             {12, "libnvrtc.so.12"},
             {11, "libnvrtc.so.11.2"},
             {0, "libnvrtc.so"}};

/* The newest major version of CUDA that the driver takes; 0: there is no
 * driver, or it does not say. */
static int
ask_driver(void)
{
    int (*get)(int *), version = 0;
    void *driver = ix_library_open("libcuda.so.1");
    if (!driver)
        return 0;
    if (!find(driver, "cuDriverGetVersion", &get) || get(&version))
        version = 0;
    ix_library_close(driver);
    return version / 1000;
}

/* Is it of a version whose code the driver takes? One that is newer than the
 * driver makes what that cannot read. */
static bool
is_for_driver(void *library, int most)
{
    int (*version)(int *, int *);
    int major = 0, minor = 0;
    return !most || !find(library, "nvrtcVersion", &version) ||
           version(&major, &minor) || major <= most;
}

static void *
try_place(const char *path, int most)
{
    void *library = ix_library_open(path);
    if (!library || is_for_driver(library, most))
        return library;
    ix_library_close(library);
    return NULL;
}

/* Tries all names in the directory "from" and "below" it; "": wherever the
 * system looks. */
static void *
try_names(const char *from, const char *below, int most)
{
    char path[PATH_BYTES + 64];
    void *library = NULL;
    for (size_t i = 0; !library && i < IX_COUNT(names); i++) {
        if (most && names[i].major > most)
            continue;
        snprintf(path, sizeof path, "%s%s%s", from, below, names[i].name);
        library = try_place(path, most);
    }
    return library;
}

/* Notes the directory of CUDA's runtime, if that is what "info" is about. */
static int
note_runtime(struct dl_phdr_info *info, size_t size, void *to)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    if (!slash || strncmp(slash + 1, "libcudart.so", 12) != 0)
        return 0;
    snprintf(to, PATH_BYTES, "%.*s", (int)(slash + 1 - info->dlpi_name),
             info->dlpi_name);
    return 1;
}

/* The one that is asked for; else beside a runtime that the process has, as
 * CUDA and as Python's packages lay them out; else where the system looks; else
 * where configure saw it. */
static void *
find_library(void)
{
    char runtime[PATH_BYTES];
    void *library = NULL;
    if (*asked)
        return ix_library_open(asked);
    int most = ask_driver();
    if (dl_iterate_phdr(note_runtime, runtime)) {
        library = try_names(runtime, "", most);
        library = library ? library
                          : try_names(runtime, "../../cuda_nvrtc/lib/", most);
    }
    library = library ? library : try_names("", "", most);
#ifdef ILEX_NVRTC_PATH
    library = library ? library : try_place(ILEX_NVRTC_PATH, most);
#endif
    return library;
}

static void
open_library(void)
{
    void *library = find_library();
    if (!library) {
        const char *why = dlerror();
        snprintf(refusal, sizeof refusal, "%s",
                 why ? why : "there is none for the driver's version");
        return;
    }
    available = find(library, "nvrtcCreateProgram", &api.create) &&
                find(library, "nvrtcCompileProgram", &api.compile) &&
                find(library, "nvrtcGetPTXSize", &api.ptx_size) &&
                find(library, "nvrtcGetPTX", &api.ptx) &&
                find(library, "nvrtcGetProgramLogSize", &api.log_size) &&
                find(library, "nvrtcGetProgramLog", &api.log) &&
                find(library, "nvrtcDestroyProgram", &api.destroy) &&
                find(library, "nvrtcVersion", &api.version) &&
                find(library, "nvrtcGetErrorString", &api.text);
    if (available) {
        find(library, "nvrtcGetCUBINSize", &api.cubin_size);
        find(library, "nvrtcGetCUBIN", &api.cubin);
        find(library, "nvrtcGetNumSupportedArchs", &api.arch_count);
        find(library, "nvrtcGetSupportedArchs", &api.archs);
        open_builtins();
    } else
        snprintf(refusal, sizeof refusal, "functions of it are missing");
}

IX_FORK_BEGINS(pthread_mutex_init(&opening, NULL))

bool
ix_nvrtc_available(void)
{
    if (!atomic_load_explicit(&opened, memory_order_acquire)) {
        pthread_mutex_lock(&opening);
        if (!atomic_load_explicit(&opened, memory_order_relaxed))
            open_library();
        atomic_store_explicit(&opened, true, memory_order_release);
        pthread_mutex_unlock(&opening);
    }
    return available;
}

ilex_status
ix_nvrtc_ask(const char *path, ix_error *err)
{
    pthread_mutex_lock(&opening);
    bool late = atomic_load_explicit(&opened, memory_order_relaxed) &&
                strcmp(asked, path) != 0;
    if (!late)
        snprintf(asked, sizeof asked, "%s", path);
    pthread_mutex_unlock(&opening);
    return late ? ix_fail(err, ILEX_E_OPTION,
                          "option nvrtc: '%.200s' comes too late: the process "
                          "has opened %.200s; set it before the first program "
                          "of a device",
                          path, *asked ? asked : "another one")
                : ILEX_OK;
}

/* Whether "arch" is compute_NN or sm_NN, with at most one letter behind. */
static bool
is_arch(const char *arch)
{
    size_t n = strncmp(arch, "compute_", 8) == 0 ? 8
               : strncmp(arch, "sm_", 3) == 0    ? 3
                                                 : 0;
    size_t digits = n ? strspn(arch + n, "0123456789") : 0;
    const char *rest = arch + n + digits;
    return digits >= 2 && digits <= 3 &&
           (rest[0] == '\0' || (strchr("af", rest[0]) && rest[1] == '\0'));
}

/* The text that "length" and "get" deliver, owned by the caller; NULL on
 * failure. */
static char *
fetch(const ix_mem *mem, program *p, int (*length)(program *, size_t *),
      int (*get)(program *, char *))
{
    size_t n = 0;
    if (length(p, &n) != 0 || n == 0)
        return NULL;
    char *text = ix_mem_new(mem, n + 1);
    if (text && get(p, text) != 0) {
        ix_mem_free(mem, text);
        return NULL;
    }
    return text;
}

/* Compiles "p" and fetches its log and code: a cubin for "sm_", PTX for
 * "compute_". */
static ilex_status
compile(const ix_mem *mem, program *p, bool narrow, const char *arch,
        char **image, ix_text *log, ix_error *err)
{
    char option[32];
    bool cubin = strncmp(arch, "sm_", 3) == 0;
    snprintf(option, sizeof option, "-arch=%s", arch);
    const char *const options[] = {option, "-fmad=false", "--std=c++17",
                                   "-DILEX_NARROW"};
    int rc = api.compile(p, (int)IX_COUNT(options) - !narrow, options);
    char *text = fetch(mem, p, api.log_size, api.log);
    if (log && text)
        ix_text_put_n(log, text, strnlen(text, MAX_LOG));
    ilex_status status = ILEX_OK;
    if (rc != 0)
        status = ix_fail(err, ILEX_E_TOOLCHAIN,
                         "NVRTC refused the generated code for %s: %s\n%s",
                         arch, api.text(rc), text ? text : "");
    ix_mem_free(mem, text);
    if (status != ILEX_OK)
        return status;
    *image = cubin ? fetch(mem, p, api.cubin_size, api.cubin)
                   : fetch(mem, p, api.ptx_size, api.ptx);
    return *image ? ILEX_OK : ix_fail_memory(err);
}

/* One compilation, from "source" to "*image". */
static ilex_status
translate(const ix_mem *mem, const char *source, bool narrow, const char *arch,
          char **image, ix_text *log, ix_error *err)
{
    program *p = NULL;
    *image = NULL;
    if (!ix_nvrtc_available())
        return ix_fail(err, ILEX_E_TOOLCHAIN, "NVRTC cannot be opened: %s",
                       refusal);
    int rc = api.create(&p, source, "kernels.cu", 0, NULL, NULL);
    if (rc != 0)
        return ix_fail(err, ILEX_E_TOOLCHAIN, "NVRTC does not start: %s",
                       api.text(rc));
    ilex_status status = compile(mem, p, narrow, arch, image, log, err);
    api.destroy(&p);
    return status;
}

ilex_status
ix_nvrtc_ptx(const ix_mem *mem, const char *source, bool narrow,
             const char *arch, char **ptx, ix_text *log, ix_error *err)
{
    *ptx = NULL;
    if (!is_arch(arch))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "'%.40s' is no GPU architecture; for example compute_80",
                       arch);
    return translate(mem, source, narrow, arch, ptx, log, err);
}

/* ---- for a device ---- */

enum { MOST_ARCHS = 128 };

/* The newest architecture that NVRTC knows and is not above "want"; 0: it does
 * not tell, or there is none. */
static int
newest_arch(int want)
{
    int list[MOST_ARCHS], n = 0, best = 0;
    if (!api.arch_count || !api.archs || api.arch_count(&n) || n > MOST_ARCHS ||
        api.archs(list))
        return 0;
    for (int i = 0; i < n; i++)
        if (list[i] <= want && list[i] > best)
            best = list[i];
    return best;
}

ilex_status
ix_nvrtc_image(const ix_mem *mem, const char *source, bool narrow, int major,
               int minor, char **image, ix_error *err)
{
    char arch[32];
    int want = 10 * major + minor;
    int known = ix_nvrtc_available() ? newest_arch(want) : 0;
    if (known == want && api.cubin_size && api.cubin)
        snprintf(arch, sizeof arch, "sm_%d", want);
    else
        snprintf(arch, sizeof arch, "compute_%d", known ? known : want);
    return translate(mem, source, narrow, arch, image, NULL, err);
}
