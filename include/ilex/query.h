/* SPDX-License-Identifier: MIT
 *
 * What a compiled program is made of, before sizes are known: kernels,
 * temporaries, memory and costs as formulas; what compiling it took; and how
 * long its kernels run.
 *
 * A formula is text over names of sizes and numbers with + - * and
 * parentheses, max(a, b, ...), min(a, b, ...), a//b and ceil(a/b) for quotients
 * that are rounded down and up, and threads() for the threads of a run. A
 * polynomial has numbers, names (or quotients), + - * alone: "8*n*m + 2*n"; it
 * holds where no range that it counts is shorter than 0. A size that a run
 * counts (ilex_program_counted_name) stands for the most that it may be. What
 * cannot be said in 64 bits is "".
 *
 * Texts live as long as the program. Functions with a struct fill in as many
 * members as its `size`, which is set before, has room for, and return
 * ILEX_E_ARGUMENT if there is nothing of that number. Any thread.
 */
#ifndef ILEX_QUERY_H
#define ILEX_QUERY_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- kernels ---- */

typedef struct ilex_kernel_info {
    size_t size;
    const char *name;     /* "k0", as in the source */
    const char *function; /* of the kernel whose function it calls with its own
                             arguments: mostly its own name; "" with
                             jit=reference */
    int rank;
    int axis; /* of the domain: threads of a CPU take parts of its range; -1:
                 one thread does it all */
    const char *domain; /* "I:ni, J:1:nj": all points of its loops lie in it */
    size_t read_count, write_count;
    const char *const *reads; /* names of arguments and of temporaries */
    const char *const *writes;
    const char *computes; /* "lap, flx": named arrays that are computed on the
                             way and not stored; "..." behind many */
    const char *apart; /* why it is apart from the kernel before it; "" for the
                          first, and where a schedule says which are one */
    /* polynomials */
    const char *points;        /* of the domain */
    const char *operations;    /* as stage "counts" counts them
                                  (ilex_module_stage), in the kernel's loops */
    int at_most;               /* 1: there may be fewer operations */
    const char *bytes_read;    /* each array once; temporaries of which one */
    const char *bytes_written; /* point at a time is kept do not count */
    int version; /* a run launches one of this kernel and so many before it, by
                    sizes: costs of those where it is not 0 are not to be added
                    to others; 0: the first one, or the only one */
} ilex_kernel_info;
#define ILEX_KERNEL_INFO(...) ILEX_STRUCT(ilex_kernel_info, __VA_ARGS__)

/* Kernel number "i", below ilex_program_kernel_count(), as a run goes. */
ILEX_API ilex_status ilex_program_kernel(const ilex_program *p, size_t i,
                                         ilex_kernel_info *info);

/* ---- temporaries ---- */

typedef struct ilex_temporary_info {
    size_t size;
    const char *name; /* of the array that it holds, "temporary 7" if that has
                         none */
    ilex_dtype dtype;
    int rank;
    const char *domain; /* "I:-1:ni+1, J:nj" */
    const char *bytes;  /* a formula; of each thread if each_thread is 1 */
    int each_thread;    /* 1: each thread has one, of the points that it works
                           at together */
    int place; /* those of one place of the workspace, which is as large as its
                  largest, are never needed at the same time */
} ilex_temporary_info;
#define ILEX_TEMPORARY_INFO(...) ILEX_STRUCT(ilex_temporary_info, __VA_ARGS__)

/* Temporaries of a run, and number "i" of them, from 0. */
ILEX_API size_t ilex_program_temporary_count(const ilex_program *p);
ILEX_API ilex_status ilex_program_temporary(const ilex_program *p, size_t i,
                                            ilex_temporary_info *info);

/* What ilex_program_workspace() returns, as a formula: each place rounded up to
 * a multiple of 64 bytes. It is exact for all sizes for which the program's
 * assumptions hold; where lengths are counted an upper bound of what is needed
 * when they are given. "0" without temporaries. Lives as long as the program.
 */
ILEX_API const char *ilex_program_workspace_formula(const ilex_program *p);

/* ---- costs ---- */

/* Of the program as it was written, polynomials: as if every array was computed
 * once, every input read and every output written once (stage "counts"). */
typedef struct ilex_cost_info {
    size_t size;
    const char *operations;
    int at_most; /* 1: there may be fewer operations */
    const char *bytes_read;
    const char *bytes_written;
} ilex_cost_info;
#define ILEX_COST_INFO(...) ILEX_STRUCT(ilex_cost_info, __VA_ARGS__)

/* Asks for it. */
ILEX_API ilex_status ilex_program_cost(const ilex_program *p,
                                       ilex_cost_info *info);

/* ---- all of it ---- */

/* What this header and program.h tell of a program, as one text of JSON with
 * the number of its schema (json.md): arguments, sizes, arrays, kernels with
 * their locations, steps of a run, temporaries, costs. NULL on error:
 * ILEX_E_MEMORY, or the first of "ctx". Owned by the caller: ilex_text_free().
 * Context thread. */
ILEX_API char *ilex_program_json(ilex_context *ctx, const ilex_program *p);

/* ---- compiling ---- */

/* A stage of compiling: "parse" (0 seconds for what was built by calls), the
 * passes (`ilexc list passes`), "emit", "compile", "load". */
typedef struct ilex_stage_info {
    size_t size;
    const char *name;
    const char *meaning;
    double seconds; /* those of "compile" and "load" are of the code that the
                       next run uses; 0 for a compiler that was not needed. With
                       jit=nvrtc code is made when a program first runs on a
                       device, which is not in here. */
} ilex_stage_info;
#define ILEX_STAGE_INFO(...) ILEX_STRUCT(ilex_stage_info, __VA_ARGS__)

/* Stages that compiling went through, and number "i" of them, from 0. */
ILEX_API size_t ilex_program_stage_count(const ilex_program *p);
ILEX_API ilex_status ilex_program_stage(const ilex_program *p, size_t i,
                                        ilex_stage_info *info);

/* ---- time of kernels ---- */

/* on = 1: clears what was measured; runs from now on are timed kernel by
 * kernel. 0: they are no longer, what was measured stays. Runs at the same
 * time add up. Each kernel takes two looks at the clock more; on a device it is
 * waited for, so that nothing overlaps. A program that is kept for those who
 * compile it again (ilex_programs_keep) is measured for all of them. */
ILEX_API void ilex_program_profile(const ilex_program *p, int on);

typedef struct ilex_kernel_time {
    size_t size;
    uint64_t calls; /* a kernel without points is not called */
    double seconds; /* from the launch until all threads are done */
} ilex_kernel_time;
#define ILEX_KERNEL_TIME(...) ILEX_STRUCT(ilex_kernel_time, __VA_ARGS__)
/* Of kernel "i", since the program's times were cleared. */
ILEX_API ilex_status ilex_program_kernel_time(const ilex_program *p, size_t i,
                                              ilex_kernel_time *info);

#ifdef __cplusplus
}
#endif
#endif
