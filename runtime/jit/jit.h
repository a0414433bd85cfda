/* SPDX-License-Identifier: MIT
 *
 * Code loaders: C source text in, function pointers out. libtcc compiles in
 * this process, cc in a process of its own; NVRTC turns CUDA source into PTX.
 * All functions may be called from any thread.
 */
#ifndef ILEX_RUNTIME_JIT_H
#define ILEX_RUNTIME_JIT_H

#include <stdatomic.h>

#include "lib/base/text.h"
#include "runtime/cache/cache.h"

/* Loaded machine code, atomically counted: it stays mapped while anybody holds
 * it. NULL is ignored by both functions. */
typedef struct ix_code ix_code;
void ix_code_retain(ix_code *code);
void ix_code_release(ix_code *code);

/* What to compile. The units are complete C99 (and what TinyCC compiles),
 * without #include and without objects that change: code and data end in
 * read-only pages. Each symbol is a function defined once in some unit. */
typedef struct ix_jit_request {
    const char *const *sources;
    size_t nsources; /* at least 1 */
    const char *const *symbols;
    size_t nsymbols;
    bool needs_math;      /* calls functions of lib/ops/math.def by name, by
                             TinyCC elementary ones of the library, too */
    double *load_seconds; /* out: spent on code that was compiled; or NULL */
    /* The rest is read by cc only. */
    const char *cc;          /* absolute path; NULL: ILEX_CC_PATH */
    const char *cflags_opt;  /* -O*, -march=*, -g separated by blanks, or NULL;
                                they follow the built-in "-O3 -march=native" */
    int64_t timeout_ms;      /* for the whole request; <= 0: none */
    const atomic_bool *stop; /* set: the request fails at once; NULL: never */
    ix_cache_setup cache;    /* of what was compiled before */
} ix_jit_request;

/* Compile, load and put the address of symbol i into "entries[i]". The code is
 * owned by the caller; NULL and "err" on failure: ILEX_E_TOOLCHAIN with the
 * compiler's message, ILEX_E_MEMORY, ILEX_E_UNSUPPORTED when the back end was
 * not built, ILEX_E_ARGUMENT for a request outside the rules above. "mem" is
 * used until the code is released; tcc calls it with its lock held. */
ix_code *ix_jit_tcc_compile(const ix_mem *mem, const ix_jit_request *req,
                            void **entries, ix_error *err);
ix_code *ix_jit_cc_compile(const ix_mem *mem, const ix_jit_request *req,
                           void **entries, ix_error *err);

/* As ix_jit_cc_compile if the disk cache has the code; no compiler is started.
 * NULL without an error if it has not, or there is no cache. */
ix_code *ix_jit_cc_find(const ix_mem *mem, const ix_jit_request *req,
                        void **entries, ix_error *err);

/* The compiler that the request asks for. */
const char *ix_jit_cc_path(const ix_jit_request *req);

/* Whether the tcc back end was built. */
bool ix_jit_tcc_available(void);

/* The commands ix_jit_cc_compile runs, one a line, as text for queries. Owned
 * by the caller (ix_mem_free); NULL on failure. */
char *ix_jit_cc_command(const ix_mem *mem, const ix_jit_request *req,
                        ix_error *err);

/* The NVRTC that is to be opened. ILEX_E_OPTION if another one was. */
ilex_status ix_nvrtc_ask(const char *path, ix_error *err);

/* Whether NVRTC can be opened (tried once in the process): the one that was
 * asked for, else one that is no newer than the driver. */
bool ix_nvrtc_available(void);

/* Compiles CUDA "source", for "narrow" indices or for any, to "*ptx" (owned by
 * the caller, NUL-terminated) for "arch", for example "compute_80". What NVRTC
 * says is added to "log", which may be NULL, at most 64 KiB of it. */
ilex_status ix_nvrtc_ptx(const ix_mem *mem, const char *source, bool narrow,
                         const char *arch, char **ptx, ix_text *log,
                         ix_error *err);

/* The same for a device of compute capability major.minor: to a
 * cubin where NVRTC knows such a device, else to PTX of the newest architecture
 * below, which the driver translates. "*image" is owned by the caller. */
ilex_status ix_nvrtc_image(const ix_mem *mem, const char *source, bool narrow,
                           int major, int minor, char **image, ix_error *err);

#endif
