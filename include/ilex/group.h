/* SPDX-License-Identifier: MIT
 *
 * Ranks: groups of processes or threads, grids that divide axes among them, and
 * storages of which each rank holds a part.
 *
 * A program says nothing of ranks. Its storages may lie on a grid: then every
 * rank runs the same program (ilex_run) on its own part, what is read beyond
 * the part comes from the other ranks, and each result has the bits that one
 * process would give.
 *
 * What is done with a group is done by all of its ranks in the same order:
 * making storages on a grid, runs over them, asking for write access to them.
 * Functions are for any thread, but one at a time for a rank's group.
 */
#ifndef ILEX_GROUP_H
#define ILEX_GROUP_H

#include "ilex/program.h"
#include "ilex/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- groups ---- */

/* One rank's membership; counted. */
typedef struct ilex_group ilex_group;

/* What a group is made from; zero means default. Set `size` to
 * sizeof(ilex_group_spec). */
typedef struct ilex_group_spec {
    size_t size;
    /* "threads": ranks are threads of this process; "delay": the same, with
       messages that take time; "mpi": processes of MPI, of which each makes
       the group, and is one rank (ilex_table("transports")) ("threads") */
    const char *transport;
    int ranks;        /* of threads and delay: how many, 1 to 4096 */
    double timeout;   /* seconds that a rank waits for another one (60) */
    double latency;   /* of delay: seconds that each message takes (0), and */
    double bandwidth; /* bytes a second, one message of a rank after the other
                         (unlimited) */
    /* of mpi: address of the MPI_Comm whose processes are the ranks, which is
       duplicated (MPI_COMM_WORLD) */
    const void *communicator;
    /* of mpi: 1 to initialise MPI if nobody has, and finalise it at exit; else
       that is ILEX_E_GROUP */
    int initialize;
} ilex_group_spec;
#define ILEX_GROUP_SPEC(...) ILEX_STRUCT(ilex_group_spec, __VA_ARGS__)

/* Makes a group: members[r], for 0 <= r < ranks, is the group as rank r has it
 * (with mpi there is members[0] alone, this process's), which the caller gives
 * back. ILEX_E_ARGUMENT, _UNKNOWN for a
 * transport, _UNSUPPORTED for one that is not installed, _GROUP, _MEMORY: in
 * "ctx", which may be NULL; then all are NULL. */
ILEX_API ilex_status ilex_group_new(ilex_context *ctx,
                                    const ilex_group_spec *spec,
                                    ilex_group **members);

/* What a rank does, with a group that is its own until it returns; an
 * ilex_status. */
typedef int (*ilex_rank)(ilex_group *group, void *user);

/* Makes a group and calls body(group, user) on a thread for each of its ranks
 * that this process has, on the caller's if that is one; returns when all have
 * returned. What the first rank returned that did
 * not return ILEX_OK; ILEX_E_MEMORY where a thread could not be had. */
ILEX_API ilex_status ilex_group_run(ilex_context *ctx,
                                    const ilex_group_spec *spec, ilex_rank body,
                                    void *user);

/* Takes a count (returns its argument), gives one back. NULL is ignored. With
 * the last one the rank leaves: whoever waits for it gets ILEX_E_GROUP. */
ILEX_API ilex_group *ilex_group_retain(ilex_group *group);
ILEX_API void ilex_group_release(ilex_group *group);

/* Which rank it is, from 0, and how many there are. */
ILEX_API int ilex_group_rank(const ilex_group *group);
ILEX_API int ilex_group_size(const ilex_group *group);

/* What this rank has sent since it is there. */
typedef struct ilex_group_counts {
    int64_t messages, bytes; /* to other ranks, heads of 32 bytes not counted */
    double waited;           /* seconds for messages of others */
} ilex_group_counts;
ILEX_API void ilex_group_counted(const ilex_group *group,
                                 ilex_group_counts *counts);

/* ---- grids ---- */

/* Axes divided among the ranks of a group; counted. */
typedef struct ilex_grid ilex_grid;

/* Set `size` to sizeof(ilex_grid_spec). */
typedef struct ilex_grid_spec {
    size_t size;
    ilex_group *group;
    /* among how many ranks each axis is divided, "I:4, J:2": their product is
       the size of the group; rank r is at place (r / 2, r % 2) here. "C:4,
       E=C": axis E is divided among the ranks along C, at places of its own, as
       the edges of a mesh among those that have its cells */
    const char *ranks;
    /* the indices of each of these axes, "I:256, J:-1:129" for 0 <= i < 256 and
       -1 <= j < 129: they are divided evenly. Indices before and behind are the
       first and the last rank's; those of an axis I+1/2 are divided as I is */
    const char *domain;
    /* axes whose last point is followed by the first one: "I" (none) */
    const char *periodic;
    /* per axis of `ranks` where parts begin instead, and where the last one
       ends: b[k][p] <= i < b[k][p + 1] for part p; NULL: evenly. An axis that
       has them needs no `domain` */
    const int64_t *const *boundaries;
} ilex_grid_spec;
#define ILEX_GRID_SPEC(...) ILEX_STRUCT(ilex_grid_spec, __VA_ARGS__)

/* A grid by `spec`, which takes a count of the group. NULL on error:
 * ILEX_E_ARGUMENT, _SYNTAX, _AXIS, _DUPLICATE, _MEMORY. It sends nothing. */
ILEX_API ilex_grid *ilex_grid_new(ilex_context *ctx,
                                  const ilex_grid_spec *spec);

/* Takes a count (returns its argument), gives one back. NULL is ignored. */
ILEX_API ilex_grid *ilex_grid_retain(ilex_grid *grid);
ILEX_API void ilex_grid_release(ilex_grid *grid);

/* Its group, which lives as long as the grid. */
ILEX_API ilex_group *ilex_grid_group(const ilex_grid *grid);

/* The indices [*lo, *hi) of "axis" that rank "rank" has, out of the domain: 1.
 * Of an axis that is not divided: 0, and nothing is written. */
ILEX_API int ilex_grid_part(const ilex_grid *grid, const char *axis, int rank,
                            int64_t *lo, int64_t *hi);

/* The order in which elements lie rank by rank whose owners are given, as by a
 * partitioner of graphs: the one that was number order[i] becomes number i, and
 * those of rank p, which stay in their order, are boundaries[p] <= i <
 * boundaries[p + 1], as `boundaries` of ilex_grid_spec wants them. `order` has
 * room for `count` numbers, `boundaries` for ranks + 1. ILEX_E_ARGUMENT for an
 * owner that is no rank; then nothing is written. Any thread. */
ILEX_API ilex_status ilex_grid_order(ilex_context *ctx, const int32_t *owner,
                                     int64_t count, int ranks, int64_t *order,
                                     int64_t *boundaries);

/* ---- storages on a grid ----
 *
 * Made with `grid` of ilex_storage_spec: lengths and origins are those of the
 * whole, the storage is this rank's part of it, with the halo that the spec
 * says around it. Views of it, and what is computed from it eagerly, are
 * storages of this process alone. */

/* The grid of a storage, which lives as long as the storage, if
 * it has one. */
ILEX_API ilex_grid *ilex_storage_grid(const ilex_storage *s);

/* The indices [*lo, *hi) that the whole has along an axis, without its halo;
 * those of ilex_storage_domain() where no grid divides it. */
ILEX_API ilex_status ilex_storage_whole(const ilex_storage *s, int axis,
                                        int64_t *lo, int64_t *hi);

/* How wide the halo of argument "name" of a program has to be on a grid, low
 * and high per axis: as far as any rank reads around its part; where that is
 * more than a part, and the program can run in sections between which ranks
 * send each other what they need whole, as far as those do. `sizes` are those
 * of the whole, all of them. ILEX_E_BINDING for a name that the program
 * does not have, ILEX_E_SIZE, ILEX_E_UNSUPPORTED where programs cannot run over
 * ranks. It sends nothing. */
ILEX_API ilex_status ilex_grid_halo(ilex_context *ctx, ilex_grid *grid,
                                    const ilex_program *p, const char *name,
                                    const ilex_size_binding *sizes,
                                    size_t count, int64_t *halo);

/* Brings the halo of "s" up to date in the widths that it has, where it is
 * not: low and high of each axis, corners included. Points outside of the whole
 * stay as they are, but along periodic axes. By all ranks. ILEX_E_GROUP,
 * _TIMEOUT. */
ILEX_API ilex_status ilex_storage_exchange(ilex_context *ctx, ilex_storage *s);

/* Elements of "whole", a storage on no grid that rank "root" has (the others
 * give NULL), to the parts of "s", halos included as far as the whole has them.
 * Axes and dtype are those of "s", the indices of elements count (origins). By
 * all ranks. ILEX_E_ARGUMENT, _SHAPE, _DTYPE, _GROUP, _TIMEOUT. */
ILEX_API ilex_status ilex_storage_scatter(ilex_context *ctx, ilex_storage *s,
                                          const ilex_storage *whole, int root);

/* The way back: what each rank has of "s", halos outside of the whole
 * included, to "whole" of rank "root". */
ILEX_API ilex_status ilex_storage_gather(ilex_context *ctx,
                                         const ilex_storage *s,
                                         ilex_storage *whole, int root);

/* The elements of a NumPy .npy file at "path" to the parts of "s", each rank
 * reading its own: without halos, whose points stay as they are; lengths of the
 * file are those of the whole, axes stand in the same order, the dtype is that
 * of "s". By all ranks, which see the file. ILEX_E_ARGUMENT, _FILE, _FORMAT,
 * _SHAPE, _DTYPE, _GROUP, _TIMEOUT. */
ILEX_API ilex_status ilex_npy_scatter(ilex_context *ctx, const char *path,
                                      ilex_storage *s);

/* The way back: one file in C order, of which each rank writes what it has,
 * without halos. The file appears complete or not at all: a rank that fails
 * leaves what was there before. By all ranks, which see the directory.
 * ILEX_E_ARGUMENT, _FILE, _UNSUPPORTED, _GROUP, _TIMEOUT. */
ILEX_API ilex_status ilex_npy_gather(ilex_context *ctx, const char *path,
                                     const ilex_storage *s);

/* ---- steps by hand ----
 *
 * Ranks that run programs of their own, which say what they send and receive
 * (ilex_module_send(), ilex_module_recv(), in text `send` and `recv`). A run
 * with `group` of ilex_call is by all ranks of the group, each with its program
 * and its sizes, those that name ranks among them; one whose program has no
 * messages takes part as well. All that comes is awaited at once, and a part of
 * a program is computed when what it needs has come, in any order, its
 * messages sent at once: ranks wait for each other where arrays do. Results are
 * those of the program with the arrays that came, bit for bit. Errors beside
 * those of runs: ILEX_E_ARGUMENT for a rank that the group does not have or
 * that is this one, ILEX_E_DUPLICATE, ILEX_E_TIMEOUT with what a rank waits
 * for, ILEX_E_GROUP where another rank failed or sent an array of another dtype
 * or other lengths, ILEX_E_OVERLAP where what comes would be written to another
 * argument; ILEX_E_UNSUPPORTED with storages on a grid, on devices. Parts are
 * programs of their own: ilex_program_profile() counts nothing of them.
 */

/* The program of a rank, with all of its sizes. */
typedef struct ilex_rank_program {
    const ilex_program *program;
    const ilex_size_binding *sizes;
    size_t size_count;
} ilex_rank_program;

/* Do the messages of these programs fit together, the one of rank r being
 * ranks[r]? Each that is sent is received and the other way, with one dtype and
 * the same lengths (ILEX_E_GROUP, _DTYPE, _SHAPE), and no ranks wait for each
 * other in a circle: ILEX_E_GROUP with who waits for what. Also ILEX_E_ARGUMENT
 * and _DUPLICATE as of runs, ILEX_E_SIZE, _OVERFLOW, _MEMORY. It sends nothing
 * and needs no group. */
ILEX_API ilex_status ilex_group_check(ilex_context *ctx,
                                      const ilex_rank_program *ranks,
                                      int count);

#ifdef __cplusplus
}
#endif
#endif
