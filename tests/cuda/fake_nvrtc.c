/* SPDX-License-Identifier: MIT
 *
 * The compiler that goes with the fake CUDA driver: a libnvrtc.so whose PTX is
 * the source itself behind a mark. It lets the launch of kernels be tried where
 * there is no device; what the real NVRTC says of the same source is tested by
 * `make check-cuda` of tests/differential.
 */
#include "tests/cuda/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#else
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5
};
#endif

struct _nvrtcProgram {
    char *ptx;
    int cubin;
};

nvrtcResult
nvrtcVersion(int *major, int *minor)
{
    *major = *minor = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                   int n, const char *const *headers, const char *const *names)
{
    size_t bytes = strlen(FAKE_PTX) + strlen(source) + 1;
    nvrtcProgram p = malloc(sizeof *p);
    char *ptx = malloc(bytes);
    (void)name;
    (void)headers;
    (void)names;
    if (!p || !ptx || n) {
        free(p);
        free(ptx);
        return n ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_OUT_OF_MEMORY;
    }
    strcpy(ptx, FAKE_PTX);
    strcat(ptx, source);
    p->ptx = ptx;
    p->cubin = 0;
    *program = p;
    return NVRTC_SUCCESS;
}

/* Puts what a macro is behind the mark. */
static nvrtcResult
define(nvrtcProgram p, const char *name)
{
    size_t bytes = strlen(p->ptx) + strlen(name) + sizeof "#define \n";
    char *ptx = malloc(bytes);
    if (!ptx)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    snprintf(ptx, bytes, "%s#define %s\n%s", FAKE_PTX, name,
             p->ptx + strlen(FAKE_PTX));
    free(p->ptx);
    p->ptx = ptx;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcDestroyProgram(nvrtcProgram *program)
{
    free((*program)->ptx);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

/* One fake device is of compute capability 8.0, the other of 12.1, which is too
 * new for this compiler: it gets PTX. */
nvrtcResult
nvrtcCompileProgram(nvrtcProgram program, int n, const char *const *options)
{
    int known = 0;
    nvrtcResult rc = NVRTC_SUCCESS;
    for (int i = 0; i < n && rc == NVRTC_SUCCESS; i++) {
        if (!strncmp(options[i], "-D", 2))
            rc = define(program, options[i] + 2);
        known |= !strcmp(options[i], "-arch=compute_80");
        program->cubin |= !strcmp(options[i], "-arch=sm_80");
    }
    return !known && !program->cubin ? NVRTC_ERROR_INVALID_OPTION : rc;
}

nvrtcResult
nvrtcGetNumSupportedArchs(int *n)
{
    *n = 2;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetSupportedArchs(int *list)
{
    list[0] = 75;
    list[1] = 80;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    *size = program->cubin ? strlen(program->ptx) + 1 : 0;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetCUBIN(nvrtcProgram program, char *to)
{
    if (!program->cubin)
        return NVRTC_ERROR_INVALID_PROGRAM;
    strcpy(to, program->ptx);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    *size = program->cubin ? 0 : strlen(program->ptx) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPTX(nvrtcProgram program, char *to)
{
    strcpy(to, program->ptx);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    (void)program;
    *size = 1;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetProgramLog(nvrtcProgram program, char *to)
{
    (void)program;
    *to = 0;
    return NVRTC_SUCCESS;
}

const char *
nvrtcGetErrorString(nvrtcResult error)
{
    return error == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}
