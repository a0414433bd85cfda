/* SPDX-License-Identifier: MIT
 *
 * Programs: compiled graphs, and running them over storages.
 *
 * A program is immutable and counted; any number of threads may run it at the
 * same time, each with its own ilex_call. It keeps nothing of the context it
 * was compiled in, which may be freed.
 */
#ifndef ILEX_PROGRAM_H
#define ILEX_PROGRAM_H

#include "expr.h"
#include "storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data ---- */

/* The storage as an array: x(i) is its element at run time; along a named axis
 * the first point inside its halo has the index that its origin says. Two calls
 * give two arrays; those of the same elements are one argument of a program's
 * kernels. The graph, and programs compiled from it, take a count of
 * the storage. */
ILEX_API ilex_array *ilex_data(ilex_context *ctx, ilex_storage *storage);

/* ---- compiling ---- */

/* Zero means default. Set `size` to sizeof(ilex_compile_spec). */
typedef struct ilex_compile_spec {
    size_t size;
    const char *name;           /* of the program, in messages ("program") */
    const char *const *names;   /* of the outputs ("_ilex_out0", ...) */
    const char *const *inplace; /* input whose buffer output i may share, or
                                   NULL */
} ilex_compile_spec;
#define ILEX_COMPILE_SPEC(...) ILEX_STRUCT(ilex_compile_spec, __VA_ARGS__)

/* Compiles arrays to a program with the back end of option `jit`. Its
 * arguments are the inputs that the arrays reach, bound by their names, and
 * the outputs. NULL on error: the first of the construction, or of the
 * compilation. "spec" may be NULL. Owned by the caller. Context thread.
 *
 * A program of the same hash, inputs, sizes and options that was compiled in
 * this process before is returned again, with one count more (those used last
 * are kept, ilex_programs_keep();
 * what it says of seconds is from its first time), unless option reuse is 0,
 * the graph wraps storages or calls foreign functions, or the context has an
 * allocator of its own. */
ILEX_API ilex_program *ilex_compile(ilex_context *ctx, size_t count,
                                    ilex_array *const *outputs,
                                    const ilex_compile_spec *spec);
ILEX_API ilex_program *ilex_compile_module(ilex_module *module);

/* From now on at most "limit" compiled programs are kept in this process for
 * the next time that they are asked for (256 at first); those that were not
 * used for the longest time are released. With 0 none is. Any thread. */
ILEX_API void ilex_programs_keep(size_t limit);

/* The programs that are kept, and how often one was found there, or not. */
typedef struct ilex_kept {
    size_t count, limit;
    uint64_t hits, misses;
} ilex_kept;
/* Any thread. */
ILEX_API void ilex_programs_kept(ilex_kept *kept);

/* Takes a count (returns its argument), gives one back. NULL is ignored. Any
 * thread. */
ILEX_API ilex_program *ilex_program_retain(ilex_program *p);
ILEX_API void ilex_program_release(ilex_program *p);

/* ---- running ---- */

/* What is bound: a storage, or a number for an input of rank 0 or a size. */
typedef enum ilex_bound {
    ILEX_BOUND_STORAGE,
    ILEX_BOUND_F64, /* re: for f32, f64, c64, c128 */
    ILEX_BOUND_I64, /* integer: for bool and integers, for sizes, and for
                       floating and complex dtypes that hold it exactly */
    ILEX_BOUND_U64, /* integer, its 64 bits without a sign: the same */
    ILEX_BOUND_C128 /* re, im: for c64, c128 */
} ilex_bound;

/* An argument of a run, or a size. Without a name (NULL) binding i is for
 * argument i of the program (ilex_program_argument). Numbers are converted to
 * the declared dtype, floating ones are rounded; one that does not fit is an
 * error. */
typedef struct ilex_binding {
    const char *name;
    ilex_storage *storage;
    ilex_bound kind;
    double re, im;
    int64_t integer;
} ilex_binding;

/* Entries of an array of bindings:
 * ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_F64("dt", 0.1)}; */
#define ILEX_BIND(name, storage)                                               \
    {                                                                          \
        (name), (storage), ILEX_BOUND_STORAGE, 0, 0, 0                         \
    }
#define ILEX_BIND_F64(name, value)                                             \
    {                                                                          \
        (name), 0, ILEX_BOUND_F64, (value), 0, 0                               \
    }
#define ILEX_BIND_I64(name, value)                                             \
    {                                                                          \
        (name), 0, ILEX_BOUND_I64, 0, 0, (value)                               \
    }
#define ILEX_BIND_U64(name, value)                                             \
    {                                                                          \
        (name), 0, ILEX_BOUND_U64, 0, 0, (int64_t)(value)                      \
    }
#define ILEX_BIND_C128(name, re, im)                                           \
    {                                                                          \
        (name), 0, ILEX_BOUND_C128, (re), (im), 0                              \
    }

typedef struct ilex_size_binding {
    const char *name;
    int64_t value;
} ilex_size_binding;

/* One run at a time per call struct. Zero means default. Set `size` to
 * sizeof(ilex_call); where it is not set, a run is ILEX_E_ARGUMENT and has no
 * place for a message. */
typedef struct ilex_call {
    size_t size;
    int threads; /* 0: option `threads` at compile time */
    /* memory for temporaries, 64-byte aligned, apart from all arguments, of the
     * device if the program runs there; NULL (with 0 bytes), and where a
     * variant (ilex_program_variant) needs more: the program's
     * (ilex_program_trim) */
    void *workspace;
    size_t workspace_bytes;
    /* sizes that the shapes of the storages do not determine; others have to
     * agree with the shapes; of two values of a size the first counts, but none
     * may be negative */
    const ilex_size_binding *sizes;
    size_t size_count;
    /* runs body(arg, i) for 0 <= i < n, in any order and at the same time;
     * NULL: Ilex's own threads. Returns when all are done. */
    void (*parallel_for)(void *user, void (*body)(void *arg, int64_t i),
                         void *arg, int64_t n);
    void *user;
    char error[1024]; /* out: the message of a run that failed */
    /* out: sizes that the run counts; those that are named get their values,
     * as far as the run came. Another name is ILEX_E_SIZE, NULL is none */
    ilex_size_binding *counted;
    size_t counted_count;
    /* "I=2:10, J=3": compute these points of the outputs alone, as far as they
     * are in their domains, along the axes that are named; NULL: all points.
     * What the part needs is computed and read, no more. The program is
     * compiled with option box=1 (else ILEX_E_ARGUMENT). */
    const char *box;
    /* Called with `user` by the thread that runs, after every `every`-th step
     * (0: each) of a loop of the program that is in no other, or, if it has no
     * loops, of ilex_run_steps, with how many steps are made; a loop that makes
     * several at a time (`ilexc explain`) calls it behind those among which is
     * such a one. Not 0: the run ends, ILEX_E_CANCELLED; inputs are as they
     * were. NULL: none. */
    int (*progress)(void *user, int64_t step);
    int64_t every;
    /* For programs with messages (ilex_module_recv): the run is one of all
     * ranks of the group, each of which has its own program, and sends and
     * receives; what is sent or received need not be bound (ilex/group.h, Steps
     * by hand). NULL: it does not. */
    struct ilex_group *group;
} ilex_call;
#define ILEX_CALL(...) ILEX_STRUCT(ilex_call, __VA_ARGS__)

/* Runs the program: on the host, whose side of managed storages it brings up to
 * date, or with jit=nvrtc on the device on which all arguments must have a side
 * (inputs of rank 0 may lie on the host). Every argument must be bound once, by
 * name; inputs of rank 0 may be numbers. Along a named axis the first point
 * inside a storage's halo has the index that its origin says; an unnamed axis
 * ignores both. Size parameters follow from the shapes: a range that is
 * declared to begin at the origin ends with the storage's interior, one that
 * begins where the storage does with its halo ends with that (unless the size
 * is given otherwise), one with a symbolic beginning begins at the origin (the
 * same). What is open then is given, in the call or as an integer among the
 * bindings. Checked before anything is written: names, dtypes, axes, sizes,
 * assumptions, halos, writability, and that no output overlaps another
 * argument, except the input it may share in place (same dtype, address and
 * strides). Outputs are written on their declared domain and nowhere else.
 * `call` may be NULL. Any thread. */
ILEX_API ilex_status ilex_run(const ilex_program *p,
                              const ilex_binding *bindings, size_t count,
                              ilex_call *call);

/* Runs the program and makes what its outputs are written to: results[i], one
 * for each output in the order of the program, is a new storage with the
 * output's domain, its origin where that begins, in C order, in Fortran's if
 * the program's loops are (option order; on the device if the program runs
 * there), which the caller gives back; or the storage that the
 * output is bound to, with one count more. Inputs of rank 0 and sizes may be
 * numbers. Counted lengths are those of the run. On an error all are NULL, and
 * "ctx", which may be NULL, has it. */
ILEX_API ilex_status ilex_evaluate(ilex_context *ctx, const ilex_program *p,
                                   const ilex_binding *bindings, size_t count,
                                   ilex_storage **results);

/* The elements of arrays over wrapped storages (ilex_data), which reach no
 * input: results[i] is a new storage for arrays[i] (see ilex_evaluate). What
 * they are made of is computed together, by a program that is kept for the next
 * arrays of the same meaning, whatever storages of the same dtypes and domains
 * they wrap (ilex_programs_keep()). On an error, which "ctx" has, all are NULL:
 * those of compiling and of runs; ILEX_E_BINDING where an input is reached.
 * Context thread. */
ILEX_API ilex_status ilex_compute(ilex_context *ctx, size_t count,
                                  ilex_array *const *arrays,
                                  ilex_storage **results);

/* The value of an expression on storages: ilex_eval(ctx, "u + 0.1*(v[I+1] -
 * u)", "u", su, "v", sv, NULL), a name and a storage each, NULL at the end. It
 * is what `out y = expression` gives for inputs with the storages' dtypes,
 * axes, origins and halos: a new storage where the value is known, which the
 * caller gives back. It may call functions that are registered with a
 * declaration (function.h). The operations are one program, compiled for the
 * options of "ctx" (on storages that all lie in the order of Fortran with
 * order=F, so the value does too) and kept for the next expression of the same
 * text on storages of the same dtypes, axes, origins and halos; lengths from 64
 * on may differ, together along an axis (ilex_programs_keep()). NULL on error:
 * those of text, compiling and runs. Context thread. */
ILEX_API ilex_storage *ilex_eval(ilex_context *ctx, const char *expression,
                                 ...);
/* The same with bindings, which may be numbers (f64, i64, u64, c128). */
ILEX_API ilex_storage *ilex_eval_with(ilex_context *ctx, const char *expression,
                                      const ilex_binding *bindings,
                                      size_t count);

/* The sizes that follow from what is bound, without a run: sizes[i].value for
 * each name, of those that are counted the most that they may be. Outputs need
 * not be bound. ILEX_E_SIZE if one stays open. */
ILEX_API ilex_status ilex_program_solve(ilex_context *ctx,
                                        const ilex_program *p,
                                        const ilex_binding *bindings,
                                        size_t count, ilex_size_binding *sizes,
                                        size_t size_count);

/* Runs the program "steps" times. After each step the storages of the pairs in
 * "swaps" ("u=u_new, v=v_new"; NULL: none) change places in "bindings", so that
 * "u" is bound to what was written last. With 0 steps nothing happens. Ends
 * with the first error; bindings then are as that step had them. "call" as for
 * ilex_run. */
ILEX_API ilex_status ilex_run_steps(const ilex_program *p,
                                    ilex_binding *bindings, size_t count,
                                    int64_t steps, const char *swaps,
                                    ilex_call *call);

/* ---- prepared calls ----
 *
 * What ilex_run finds out before it computes, found out once: names, shapes,
 * sizes, checks. Storages do not change their shapes; who writes their elements
 * in between is seen. One run at a time; any thread. */

typedef struct ilex_prepared ilex_prepared;

/* ilex_run(p, bindings, count, call) without the run. It takes a count of the
 * program and of each storage and copies names, sizes and the box; a workspace,
 * "user" and "counted" of the call, which may be NULL, must live as long. NULL
 * after an error, those of ilex_run, in "ctx", which may be NULL. Owned by the
 * caller. */
ILEX_API ilex_prepared *ilex_bind(ilex_context *ctx, const ilex_program *p,
                                  const ilex_binding *bindings, size_t count,
                                  const ilex_call *call);

/* Runs. The errors are those of the run itself (integers that are data, memory,
 * devices). */
ILEX_API ilex_status ilex_prepared_run(ilex_prepared *q);

/* From now on argument "name", which is bound to a storage of the host, has its
 * element (0, ..., 0), halo included, at "data", with the storage's shape and
 * strides. The memory belongs to the caller. ILEX_E_BINDING where no storage is
 * bound to the name, ILEX_E_ALIGNMENT, ILEX_E_OVERLAP: nothing changes then. */
ILEX_API ilex_status ilex_prepared_set_pointer(ilex_prepared *q,
                                               const char *name, void *data);

/* The same for the first "count" bindings of ilex_bind, in their order and all
 * at once, so that two may change places: data[i] for binding i, NULL for one
 * that stays where it is (numbers do). ILEX_E_ARGUMENT for more addresses than
 * bindings, and the errors above: nothing changes then. */
ILEX_API ilex_status ilex_prepared_set_pointers(ilex_prepared *q, size_t count,
                                                void *const *data);

/* From now on argument "name", which is bound to a storage of the host, is this
 * array of another library, a DLTensor (dlpack.h): of the storage's dtype,
 * shape and strides, halo included; those of an axis of one element do not
 * matter. Its memory stays the caller's and must live as long as runs go over
 * it. ILEX_E_BINDING_TYPE, ILEX_E_BINDING_SHAPE, ILEX_E_DEVICE for an array
 * that is not the host's, and the errors of ilex_prepared_set_pointer: nothing
 * changes then. */
ILEX_API ilex_status ilex_prepared_set_dlpack(ilex_prepared *q,
                                              const char *name,
                                              const void *tensor);

/* Argument number->name, which is bound to a number, is now this one:
 * ilex_prepared_set(q, ILEX_LIST(ilex_binding, ILEX_BIND_F64("dt", 0.1))).
 * ILEX_E_BINDING for storages and sizes, ILEX_E_BINDING_TYPE, ILEX_E_LITERAL.
 */
ILEX_API ilex_status ilex_prepared_set(ilex_prepared *q,
                                       const ilex_binding *number);

/* What the last call of one of the functions above, a run among them, failed
 * of, "" if it did not; valid until the next one. */
ILEX_API const char *ilex_prepared_error(const ilex_prepared *q);

/* Gives everything back. NULL is ignored. */
ILEX_API void ilex_prepared_release(ilex_prepared *q);

/* ---- jit=auto ----
 *
 * A program that is compiled with jit=auto runs at once, on code from tcc. Once
 * its runs took as long as cc would take (or as option tier_after says), cc
 * compiles it on a thread in the background, and runs from then on use that
 * code: with the same bits. If cc fails the program stays as it is: the log of
 * the context says so when something is compiled next. A forked child that has
 * not got the code yet starts again; exit() ends compilers at work; so does
 * the release of their program. */

/* Returns when the program runs on the best code that its options allow, which
 * it begins to compile if need be, also with tier_after=never: ILEX_OK. After
 * "seconds" ILEX_E_TIMEOUT; compiling goes on. ILEX_E_TOOLCHAIN if that failed
 * (ilex_program_note), ILEX_E_MEMORY if no thread could be had. Any thread. */
ILEX_API ilex_status ilex_program_wait(const ilex_program *p, double seconds);

/* The same for n programs, whose compilers run side by side, one a core: the
 * way to compile many with cc is jit=auto, then this. "seconds" are for all. Of
 * several failures the first program's counts; the others have compiled.
 * ILEX_E_ARGUMENT if one is NULL. Any thread. */
ILEX_API ilex_status ilex_programs_wait(size_t n,
                                        const ilex_program *const *programs,
                                        double seconds);

/* Why there is no better code, "" if there is or was not tried; lives as long
 * as the program. Any thread. */
ILEX_API const char *ilex_program_note(const ilex_program *p);

/* Loops of a program go by the order of C. The first run over arrays of some
 * size that lie in another order, whose axes have strides in another order,
 * compiles it for these with the same options, at most three times: variants,
 * which are what such runs use then, where it was parsed from text or option
 * jit is cc. Results are the same; option order=C or order=F has one program
 * for all. Variant "i" of those that there are, which belongs to the program,
 * with what option order is for it in "*order", which may be NULL; NULL behind
 * the last one. Queries of the program are about it as it was compiled; its
 * profile, trim and wait take in variants. Any thread. */
ILEX_API const ilex_program *ilex_program_variant(const ilex_program *p,
                                                  size_t i, const char **order);

/* ---- queries; strings live as long as the program; any thread ---- */

/* Its name, as messages have it. */
ILEX_API const char *ilex_program_name(const ilex_program *p);

/* "reference", "tcc", "cc" or "nvrtc": what the next run uses. Of a program of
 * jit=auto this, the seconds from source to code, the source and the command
 * line are those of cc once it has taken over. */
ILEX_API const char *ilex_program_backend(const ilex_program *p);

/* Kernels that a run goes through. */
ILEX_API size_t ilex_program_kernel_count(const ilex_program *p);

/* Array nodes of the graph it was compiled from. */
ILEX_API size_t ilex_program_node_count(const ilex_program *p);

/* Seconds spent compiling: from graph to source, from source to code. */
ILEX_API double ilex_program_lower_seconds(const ilex_program *p);
ILEX_API double ilex_program_jit_seconds(const ilex_program *p);

/* Generated source, translation unit "unit" from 0: there are several when a
 * kernel is large. NULL past the last; the reference back end has none. */
ILEX_API const char *ilex_program_source(const ilex_program *p, size_t unit);

/* The compiler's command line; "" when there is none. */
ILEX_API const char *ilex_program_command(const ilex_program *p);

/* A place in the source of a program. */
typedef struct ilex_location_info {
    size_t size;
    const char *file; /* of ilex_location(), or of the text; "": no name */
    int line, column; /* from 1; column 0: not said */
} ilex_location_info;
#define ILEX_LOCATION_INFO(...) ILEX_STRUCT(ilex_location_info, __VA_ARGS__)

/* How many places kernel "kernel", from 0 in the order of a run (k0 in the
 * source), holds: those that were noted (ilex_location) of the arrays it
 * stores and of all that are computed on the way to these. A program that was
 * compiled before, and is returned again, has those of the first time
 * (option reuse). */
ILEX_API size_t ilex_program_location_count(const ilex_program *p,
                                            size_t kernel);
/* The i-th of them, by file, line and column, by a pointer: as many members as
 * info->size, which is set before, has room for. ILEX_E_ARGUMENT if there is
 * none. */
ILEX_API ilex_status ilex_program_location_get(const ilex_program *p,
                                               size_t kernel, size_t i,
                                               ilex_location_info *info);

typedef struct ilex_argument_info {
    size_t size;
    const char *name;
    ilex_dtype dtype;
    int rank;
    int output;         /* 1: written */
    int used;           /* 0: declared, not read */
    const char *domain; /* "I:ni, J:nj": declared interior */
    const char *reads;  /* the box that is read or written, same notation */
    const char *axis[ILEX_MAX_RANK]; /* names, "" unnamed */
    /* per axis: the widths that it needs around its interior, as formulas
       ("1", "m", "-1" where less than the interior is read), "" where that is
       none (ilex_program_extents gives the numbers) */
    const char *halo_low[ILEX_MAX_RANK];
    const char *halo_high[ILEX_MAX_RANK];
    /* 1: in a run of a group it comes from a rank, or goes to one */
    int message;
} ilex_argument_info;
#define ILEX_ARGUMENT_INFO(...) ILEX_STRUCT(ilex_argument_info, __VA_ARGS__)

/* Arguments of a run, and what is known of number "i", from 0. */
ILEX_API size_t ilex_program_argument_count(const ilex_program *p);
ILEX_API ilex_argument_info ilex_program_argument(const ilex_program *p,
                                                  size_t i);

/* The same by a pointer: as many members as info->size, which is set before,
 * has room for. ILEX_E_ARGUMENT if there is no such argument. */
ILEX_API ilex_status ilex_program_argument_get(const ilex_program *p, size_t i,
                                               ilex_argument_info *info);

/* Size parameters, and what number "i" of them, from 0, is called. */
ILEX_API size_t ilex_program_size_count(const ilex_program *p);
ILEX_API const char *ilex_program_size_name(const ilex_program *p, size_t i);

/* Sizes that a run counts, in the order in which it does. */
ILEX_API size_t ilex_program_counted_count(const ilex_program *p);
ILEX_API const char *ilex_program_counted_name(const ilex_program *p, size_t i);

/* For given sizes (all of them; of those that are counted the most that they
 * may be where they are not given): the interior [lo, hi) of argument i per
 * axis, and the widths low, high that it needs around its interior (negative
 * where less than the interior is read). Each array has room for rank (twice
 * rank for halo) entries; lo, hi and halo may be NULL. ILEX_E_SIZE where a size
 * is missing or negative. */
ILEX_API ilex_status ilex_program_extents(const ilex_program *p, size_t i,
                                          const ilex_size_binding *sizes,
                                          size_t count, int64_t *lo,
                                          int64_t *hi, int64_t *halo);

/* Bytes of workspace that a run with these sizes on at most `threads` threads
 * needs at most; -1 when a size is missing, `sizes` is NULL although `count` is
 * not 0, or a product leaves 64 bits. */
ILEX_API int64_t ilex_program_workspace(const ilex_program *p,
                                        const ilex_size_binding *sizes,
                                        size_t count, int threads);

/* Runs without a workspace of their own use memory that the program keeps for
 * the next ones: one block for each run at the same time, at most 16, and 256
 * MiB beside the first. Frees what no run uses; the number of bytes. */
ILEX_API size_t ilex_program_trim(const ilex_program *p);

/* ---- text of stages and generated source of a module ---- */

/* The program after a pass (`ilexc list passes`), as text; "parsed" is its
 * .ilx text with the names of the source (ilex_module_print() gives the
 * canonical one, without them), "hash" what ilex_module_hash gives, in
 * hexadecimal, "paths" what ilex_einsum_path says of each einsum, behind its
 * name, "counts" its nodes, operations (one for each operator of a body at each
 * point and each element that is reduced or multiplied; not index arithmetic
 * and conversions) and the bytes that it reads and writes at least, as
 * polynomials in its sizes, as if every array was computed once, on its domain;
 * "steps" what a run with option `jit` does, "explain" what was decided and
 * why, for users: halos that inputs need, arrays that are stored or computed
 * where they are read, loops, temporaries, bytes; "json" what
 * ilex_program_json() says, with option `jit`; "emit" its source. NULL on
 * error. Owned by the caller: ilex_text_free(). */
ILEX_API char *ilex_module_stage(ilex_module *module, const char *pass);

/* Generated source, as one translation unit with the user's names in comments.
 * `dialect`: "jit", what option `jit` would compile; "c", the same if that is
 * C, else (jit=reference) that of `cc`; "cuda". NULL on error. Owned by the
 * caller: ilex_text_free(). */
ILEX_API char *ilex_module_emit(ilex_module *module, const char *dialect);

/* The same with #line directives in front of the statements of kernels, which
 * name the file and the line of the program that makes what they compute
 * (ilex_library_spec.lines). `name` is what the text itself is called there,
 * for what belongs to no line of the program; name NULL: as the program, with
 * .c or .cu. NULL on error. Owned by the caller: ilex_text_free(). */
ILEX_API char *ilex_module_emit_lines(ilex_module *module, const char *dialect,
                                      const char *name);

/* The graph in DOT. NULL on error. Owned by the caller: ilex_text_free(). */
ILEX_API char *ilex_module_dot(ilex_module *module);

/* One HTML page without anything beside itself: the program, its arrays as a
 * picture, which Graphviz's dot lays out where it is installed, and in words,
 * kernels, the generated C, and stages in between; what belongs to a line, an
 * array or a kernel is marked together. `text` is what the module was
 * parsed from, whose lines its places count; text NULL: the canonical one, for
 * a module that was parsed from that. NULL on error. Owned by the caller:
 * ilex_text_free(). */
ILEX_API char *ilex_module_html(ilex_module *module, const char *text);

/* The table of passes, options, back ends or transports of groups as text lines
 * "name\tmeaning\n"; `table` is "passes", "options", "backends" or
 * "transports"; NULL for another name. It lives as long as the library is
 * loaded. */
ILEX_API const char *ilex_table(const char *table);

#ifdef __cplusplus
}
#endif
#endif
