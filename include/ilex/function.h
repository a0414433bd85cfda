/* SPDX-License-Identifier: MIT
 *
 * Foreign functions: C functions of the host that programs call between their
 * loops, on whole arrays, or in their loops, on numbers. A program declares
 * them, the host registers them.
 *
 *     extern gauss(a : f64[n, n], b : f64[n]) -> f64[n] pure
 *     extern eos(t : f64, p : f64) -> f64 pure elementwise
 *     let x = gauss(a, b)
 *     map rho[i:n] = eos(t[i], p[i])
 *
 * They are called by every CPU back end alike; programs of jit=nvrtc call one
 * that starts work on the device. What is said of dtypes and domains in the
 * declaration holds when the function is called: arguments that do not fit are
 * errors where the call is written.
 */
#ifndef ILEX_FUNCTION_H
#define ILEX_FUNCTION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a function is called with ---- */

/* An argument or a result. Element (i, j, ...), counted from 0 along each axis,
 * is at data + i*stride[0] + j*stride[1] + ..., in elements of `dtype` (a
 * complex one is two numbers, bool a byte of 0 or 1); its index in the program
 * is (lower[0] + i, lower[1] + j, ...). A length may be 0, a stride negative,
 * or 0 for an argument. */
typedef struct ilex_function_array {
    void *data;
    ilex_dtype dtype;
    int rank;
    const int64_t *shape;  /* elements along each axis, a declared halo too */
    const int64_t *stride; /* elements from one to the next */
    const int64_t *lower;  /* 0, but with a declared lower bound or halo */
} ilex_function_array;

/* A call. All of it belongs to the caller and is valid until the function
 * returns. New members come at the end; `size` says how far there are any. */
typedef struct ilex_function_call {
    size_t size;
    size_t argument_count, result_count;
    const ilex_function_array *argument; /* read only, as declared */
    const ilex_function_array *result;   /* memory apart from all arguments */
    void *user;                          /* of the registration */
    char *error; /* room for what went wrong: at most `error_bytes` bytes, with
                    the final NUL; holds "" */
    size_t error_bytes;
    int device; /* whose memory `data` is: as in "cuda:0"; -1: the host's */
    /* Of the device: a cudaStream_t on which the function may start work, NULL:
     * the default stream. Programs compiled ahead of time pass the stream that
     * they are called with, ilex_run none. */
    void *stream;
} ilex_function_call;

/* Writes every element of every result and returns 0; or returns another
 * status, and the run fails with ILEX_E_FUNCTION, the status and the text in
 * `error`. It is called on the thread of ilex_run, never where all results are
 * empty, and by several threads at the same time where several run programs
 * that call it.
 *
 * Functions are pure: results depend on the arguments alone. Equal calls of a
 * program are one call, and one that no output needs is not made. It changes
 * neither arguments nor the floating-point environment. */
typedef int (*ilex_function)(const ilex_function_call *call);

/* ---- functions of numbers ---- */

/* What `elementwise` declares: a C function that gives a number for numbers,
 * all of the declared type (f64: double, f32: float, i64: int64_t, u32:
 * uint32_t, ...), as any function pointer. Of
 *
 *     extern eos(t : f64, p : f64) -> f64 pure elementwise
 *
 * it is double eos(double, double), given as (ilex_elementwise_function)eos;
 * that this is its type nobody can check.
 *
 * Loops call it for elements, in no order, by several threads at the same time,
 * and as often as it suits them: again where a value is computed again, also
 * for elements whose value is not used (in a branch that `where` does not
 * take). So it has to return for all numbers. It changes neither memory nor the
 * floating-point environment. */
typedef void (*ilex_elementwise_function)(void);

/* ---- registering ---- */

/* Zero means none. Set `size` to sizeof(ilex_function_spec). */
typedef struct ilex_function_spec {
    size_t size;
    ilex_function host;
    void *user; /* passed on; outlives the programs */
    /* For programs of jit=nvrtc: called by the host with memory of the device.
     * What the program did before is done; what the function starts on the
     * device's default stream, or on `stream` of the call, need not be when it
     * returns, all else must. Inputs of rank 0 that lie on the host cannot be
     * arguments (ILEX_E_UNSUPPORTED in the run). */
    ilex_function device;
    /* For what is declared `elementwise`: the function, and for programs of
     * jit=nvrtc, and in CUDA ahead of time, text that defines it,
     * "__device__ double eos(double t, double p) { return ...; }", which is
     * copied, and is part of what programs are compiled from. */
    ilex_elementwise_function elementwise;
    const char *elementwise_cuda;
    /* What stands behind `extern`, copied: ilex_expr, ilex_map and ilex_eval in
     * this context may call the function, and what programs declare by this
     * name has to be the same (ILEX_E_DUPLICATE when they are compiled). NULL:
     * programs and ilex_foreign say what it is. */
    const char *declaration;
} ilex_function_spec;
#define ILEX_FUNCTION_SPEC(...) ILEX_STRUCT(ilex_function_spec, __VA_ARGS__)

/* Says what programs that are compiled in this context from now on call under
 * this name; later registrations replace earlier ones, for programs compiled
 * after them. Hashes and generated C know the declaration alone. A program
 * whose function is not registered, for the host or for devices as it runs
 * there, does not compile (ILEX_E_UNKNOWN; ILEX_E_UNSUPPORTED without text in
 * CUDA for devices); it can be parsed, printed and taken through passes.
 * Errors: ILEX_E_NAME, ILEX_E_ARGUMENT where there is no function at all, those
 * of text for the declaration. Context thread. */
ILEX_API ilex_status ilex_function_register(ilex_context *ctx, const char *name,
                                            const ilex_function_spec *spec);

/* ---- calling ---- */

/* A call, as in text. `declaration` is what stands behind `extern`:
 * "gauss(a : f64[n, n], b : f64[n]) -> f64[n] pure"; see ilx.md. Sizes in
 * it are its own and found from the arguments. argument[i] is taken on
 * parameter i's domain; result[k], an array of `result_count`, becomes result
 * k, kept by the current scope. Where the declaration says `elementwise`, the
 * arguments are broadcast with each other as those of an operator, and the
 * only result has the elements that the function gives for theirs.
 *
 * Errors: those of text; ILEX_E_SYNTAX for another number of arguments or
 * results, ILEX_E_DTYPE, ILEX_E_RANK, ILEX_E_SIZE (a size that no argument
 * says), ILEX_E_BOUNDS and ILEX_E_SHAPE with a counterexample where an argument
 * does not cover the parameter's domain and halo. Context thread. */
ILEX_API ilex_status ilex_foreign(ilex_context *ctx, const char *declaration,
                                  size_t argument_count,
                                  ilex_array *const *argument,
                                  size_t result_count, ilex_array **result);

#ifdef __cplusplus
}
#endif
#endif
