/* SPDX-License-Identifier: MIT
 *
 * The fake CUDA driver: modules and kernels (see fake.h). What the fake
 * compiler calls PTX is CUDA source; the system's C compiler makes a shared
 * object of it, behind the header text of tests/differential/cuda_shim.c.
 * Kernels run late: a launch takes copies of its parameters, and is done when
 * somebody waits for its device, copies, or gives memory back. Then the threads
 * of the grid run one after another, every second launch backwards, with the
 * memory of all devices open. Real PTX is refused.
 */
#define _GNU_SOURCE
#include "tests/cuda/fake.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fork.h"
#include "tests/differential/cuda_shim_head.h"
#include "tests/differential/fibres.h"

struct CUmod_st {
    void *library;
};

/* What is written behind generated source for each of its kernels. */
typedef struct kernel {
    void *(*keep)(void **parameters); /* copies them; for free() */
    void (*run)(const void *kept);    /* all threads */
} kernel;

/* A launch that is not done. */
typedef struct launch {
    const kernel *kernel;
    void *kept;
    cuda_shim_grid grid;
    int device;
} launch;

enum { MOST_PENDING = 256 };
static launch queue[MOST_PENDING]; /* under the fake's lock */
static int npending;

static cuda_shim_grid running;
static int launches;

/* ---- modules ---- */

/* Held while code is loaded: a child of a process whose loader is at work could
 * load nothing. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_TAKES(loading, constructor)

/* Writes source text without `extern "C"`, which is C++. */
static void
put_source(FILE *f, const char *source)
{
    static const char linkage[] = "extern \"C\" ";
    const char *p;
    while ((p = strstr(source, linkage)) != NULL) {
        fwrite(source, 1, (size_t)(p - source), f);
        source = p + sizeof linkage - 1;
    }
    fputs(source, f);
}

/* For every kernel "k0(const k0_args args, i64 begin, i64 end)" what a launch
 * takes; a pointer to the arguments stands where they are too long to go by
 * value. */
static void
put_launchers(FILE *f, const char *source)
{
    static const char head[] = "__global__ void", pointer[] = " *const a";
    for (const char *p = source; (p = strstr(p, head)) != NULL;) {
        p += strcspn(p, "\n") + 1;
        int name = (int)strcspn(p, "(");
        const char *type = p + name + sizeof "(const";
        int length = (int)strcspn(type, " "); /* "k0_args" */
        int indirect = !strncmp(type + length, pointer, sizeof pointer - 1);
        fprintf(f,
                "typedef struct {\n    %.*s%s a;\n    i64 lo, hi;\n"
                "} kept_%.*s;\n",
                length, type, indirect ? " *" : "", name, p);
        fprintf(f,
                "static void *keep_%.*s(void **p)\n{\n"
                "    kept_%.*s *k = malloc(sizeof *k);\n"
                "    memcpy(&k->a, p[0], sizeof k->a);\n"
                "    k->lo = *(i64 *)p[1];\n    k->hi = *(i64 *)p[2];\n"
                "    return k;\n}\n",
                name, p, name, p);
        fprintf(f,
                "static void call_%.*s(void *p)\n{\n"
                "    const kept_%.*s *k = p;\n"
                "    %.*s(k->a, k->lo, k->hi);\n"
                "}\n",
                name, p, name, p, name, p);
        fprintf(f,
                "static void run_%.*s(const void *p)\n{\n"
                "    shim_grid *const g = shim_where();\n"
                "    shim_run(g, call_%.*s, (void *)p);\n"
                "}\n",
                name, p, name, p);
        fprintf(f,
                "const struct {\n    void *(*keep)(void **);\n"
                "    void (*run)(const void *);\n"
                "} fake_%.*s = {keep_%.*s, run_%.*s};\n",
                name, p, name, p, name, p);
    }
}

/* A function of libm, in double or in float, whose results are next to those of
 * the host. */
static int
write_source(const char *path, const char *source)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return 0;
    fprintf(f,
            "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n%s"
            "#define __shared__ static\n",
            cuda_shim_head);
    fprintf(f,
            "static inline shim_grid *shim_where(void)\n"
            "{\n"
            "    return (shim_grid *)%lluu;\n"
            "}\n",
            (unsigned long long)(uintptr_t)&running);
    put_source(f, source);
    put_launchers(f, source);
    return fclose(f) == 0;
}

/* Compiles and loads in a directory of its own, which is removed. */
static void *
compile(const char *source)
{
    char dir[] = "/tmp/ilex-fake-XXXXXX", text[64], code[64], command[320];
    const char *cc = getenv("CC");
    void *library = NULL;
    if (!mkdtemp(dir))
        return NULL;
    snprintf(text, sizeof text, "%s/k.c", dir);
    snprintf(code, sizeof code, "%s/k.so", dir);
    snprintf(command, sizeof command,
             "%.40s -std=gnu11 -O1 -ffp-contract=off -fno-strict-aliasing -w "
             "-fPIC -shared %s -o %s -lm",
             cc && *cc ? cc : "cc", text, code);
    if (write_source(text, source) && system(command) == 0) {
        pthread_mutex_lock(&loading);
        library = dlopen(code, RTLD_NOW | RTLD_LOCAL);
        pthread_mutex_unlock(&loading);
    }
    unlink(text);
    unlink(code);
    rmdir(dir);
    return library;
}

CUresult
cuModuleLoadData(CUmodule *module, const void *image)
{
    CUresult error = fake_begin("cuModuleLoadData", 1);
    size_t n = strlen(FAKE_PTX);
    if (!error && strncmp(image, FAKE_PTX, n) != 0)
        error = CUDA_ERROR_NOT_SUPPORTED;
    if (error)
        return error;
    struct CUmod_st *m = malloc(sizeof *m);
    void *library = m ? compile((const char *)image + n) : NULL;
    if (!library) {
        free(m);
        return CUDA_ERROR_INVALID_VALUE;
    }
    m->library = library;
    *module = m;
    fake_count_module(1);
    return CUDA_SUCCESS;
}

CUresult
cuModuleUnload(CUmodule module)
{
    CUresult error = fake_begin("cuModuleUnload", 1);
    if (error)
        return error;
    fake_give_back();
    pthread_mutex_lock(&loading);
    dlclose(module->library);
    pthread_mutex_unlock(&loading);
    free(module);
    fake_count_module(-1);
    return CUDA_SUCCESS;
}

/* ---- kernels ---- */

CUresult
cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CUresult error = fake_begin("cuModuleGetFunction", 1);
    char symbol[80];
    snprintf(symbol, sizeof symbol, "fake_%.70s", name);
    void *p = error ? NULL : dlsym(module->library, symbol);
    if (!error && !p)
        error = CUDA_ERROR_NOT_FOUND;
    memcpy(function, &p, sizeof p);
    return error;
}

CUresult
cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
               unsigned bx, unsigned by, unsigned bz, unsigned shared,
               CUstream stream, void **parameters, void **extra)
{
    CUresult error = fake_begin("cuLaunchKernel", 1);
    if (!error && (!gx || !gy || !gz || gy > 65535 || gz > 65535 || !bx ||
                   !by || !bz || bz > 64 || bx * by * bz > 1024 || shared ||
                   stream || extra || !function))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    const kernel *k = (const kernel *)(const void *)function;
    launch l = {k,
                k->keep(parameters),
                {.block_dim = {bx, by, bz}, .grid_dim = {gx, gy, gz}},
                fake_device()};
    fake_lock();
    while (npending == MOST_PENDING) {
        fake_unlock();
        fake_finish(-1, 0);
        fake_lock();
    }
    queue[npending++] = l;
    fake_unlock();
    return CUDA_SUCCESS;
}

/* Runs the threads of a launch. */
static void
carry_out(const launch *l)
{
    running = l->grid;
    running.backwards = launches++ & 1;
    running.run = fibres_run;
    running.exchange = fibres_exchange;
    l->kernel->run(l->kept);
}

int
fake_pending(int device)
{
    int n = 0;
    for (int i = 0; i < npending; i++)
        n += device < 0 || queue[i].device == device;
    return n;
}

void
fake_finish(int device, int lost)
{
    int left = 0;
    fake_lock();
    if (npending)
        fake_open_all();
    for (int i = 0; i < npending; i++) {
        if (device >= 0 && queue[i].device != device) {
            queue[left++] = queue[i];
            continue;
        }
        if (!lost)
            carry_out(&queue[i]);
        free(queue[i].kept);
    }
    if (npending)
        fake_shut_all();
    npending = left;
    fake_unlock();
}

/* The real NVRTC asks the driver for private tables before it compiles. */
CUresult
cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return fake_begin("cuGetExportTable", 0) ? CUDA_ERROR_NOT_INITIALIZED
                                             : CUDA_ERROR_NOT_SUPPORTED;
}
