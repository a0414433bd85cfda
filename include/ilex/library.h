/* SPDX-License-Identifier: MIT
 *
 * Programs compiled ahead of time: files that need no Ilex.
 */
#ifndef ILEX_LIBRARY_H
#define ILEX_LIBRARY_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is made of the files. */
typedef enum ilex_library_kind {
    ILEX_LIBRARY_FILES,  /* nothing */
    ILEX_LIBRARY_OBJECT, /* NAME.o */
    ILEX_LIBRARY_STATIC, /* libNAME.a */
    ILEX_LIBRARY_SHARED  /* libNAME.so */
} ilex_library_kind;

/* Zero means default. Set `size` to sizeof(ilex_library_spec). */
typedef struct ilex_library_spec {
    size_t size;
    const char *directory; /* made where it is missing (".") */
    /* of all names that the files define, and of the files: of several programs
     * PREFIX_ and the name of the program, of one without `names` PREFIX (the
     * names of the programs) */
    const char *prefix;
    ilex_library_kind kind; /* NAME is the prefix, else that of one program */
    /* Processors that a library has code for, "generic,avx2,avx512" (the one of
     * option target, with its flags): all results are the same, the best that a
     * processor has is chosen when the library is loaded. The first is generic.
     * x86-64 only, which the compiler is asked for. Of CUDA architectures,
     * "sm_80,sm_90" (what nvcc takes). */
    const char *targets;
    int fortran; /* 1: PREFIX.f90 as well, a module PREFIX_module */
    /* Sizes for which there is code of its own beside that for any: groups like
     * "ni=128,nj=128", separated by ';'. A run takes the first group whose
     * sizes it has, where also its arrays are dense in C order (with `fortran`
     * in Fortran's) with the halos that are declared; results are the same. A
     * group concerns the programs that have all its sizes. NULL: none */
    const char *sizes;
    /* 1: PREFIX.cu in place of PREFIX.c, for nvcc: kernels of the device, which
     * the function starts on a stream; it waits for the stream where the
     * program counts a length, and before it calls a function. A library is
     * built by nvcc: that of option cc if its name begins so, else the
     * configured one, for which option cc is the host's compiler
     * (ILEX_E_TOOLCHAIN without). No Fortran (ILEX_E_UNSUPPORTED) */
    int cuda;
    /* 1: statements of kernels stand behind #line directives with the file and
     * the line of the program that makes what they compute: compilers,
     * debuggers and profilers name these. The file is called as the program's
     * places are (ilex_module_parse, ilex_location); of several places of an
     * array the first counts. What belongs to no line of the program, or to
     * different ones in kernels that share a function, has its own line of
     * PREFIX.c */
    int lines;
    /* 1: PREFIX.py as well, a module over ctypes alone for libNAME.so, with a
     * function run(**arguments). Not with `cuda` (ILEX_E_UNSUPPORTED) */
    int python;
    /* 1: files for machines without a C library: they call memcpy and memset
     * alone, which compilers need, too, compute floor, fma and what else is
     * exact themselves, and want -ffreestanding -fno-math-errno, with which the
     * library is built. A run takes its memory from the workspace it is given
     * (ILEX_E_ARGUMENT without). Several targets and `cuda` are
     * ILEX_E_UNSUPPORTED */
    int freestanding;
    /* What programs are called in names of the files, in their order, of one
     * program as of several; NULL: as they call themselves */
    const char *const *names;
} ilex_library_spec;
#define ILEX_LIBRARY_SPEC(...) ILEX_STRUCT(ilex_library_spec, __VA_ARGS__)

/* Writes PREFIX.h, PREFIX.c and PREFIX.json of each program into the directory:
 * a function `int PREFIX(const PREFIX_args *)` that does what ilex_run does
 * with the program, bit for bit, and what belongs to it
 * (ahead_of_time.md). They need a C99 compiler, of C++ too, and where the
 * first lines of PREFIX.c say so -lm. Several programs in C share
 * PREFIX_support.c and its header (without a prefix the first one's name).
 * Each file appears complete or not at all, and none where a program is
 * refused. The same calls in new contexts give the same bytes. A library is
 * built by the compiler of option cc, of CUDA by nvcc.
 *
 * Modules may belong to any contexts; "ctx" gets the first error:
 * ILEX_E_ARGUMENT, ILEX_E_NAME for a prefix that C does not take,
 * ILEX_E_DUPLICATE for two programs of one name, ILEX_E_UNKNOWN for a group of
 * sizes that no program has, ILEX_E_ASSUMPTION for one that no run can have,
 * ILEX_E_UNSUPPORTED for programs that
 * wrap storages, ILEX_E_FILE, ILEX_E_TOOLCHAIN, and those of compiling. `spec`
 * may be NULL. Thread of all contexts. */
ILEX_API ilex_status ilex_emit_library(ilex_context *ctx,
                                       ilex_module *const *modules,
                                       size_t count,
                                       const ilex_library_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
