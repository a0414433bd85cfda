/* SPDX-License-Identifier: MIT
 *
 * A run of a program by `ilexc run`, and the steps it is made of: values.c
 * reads --in, --out and --size; sizes.c finds the size parameters; fields.c
 * makes the storages and fills them; swaps.c reads which change places between
 * steps; execute.c runs; save.c writes the outputs, under names with the step
 * (step_name.c); ranks.c takes ranks for
 * the steps, messages.c for all of it; compare.c looks for the first
 * difference; progress.c shows how far a long run is; verb_run.c puts them
 * together.
 */
#ifndef ILEX_ILEXC_RUN_H
#define ILEX_ILEXC_RUN_H

#include "lib/base/suggest.h"
#include "runtime/ilexc/ilexc.h"

/* How a halo is filled around the elements of a file. */
typedef enum ix_cli_halo {
    IX_CLI_HALO_AUTO,    /* nearest, unless the file is found to hold it */
    IX_CLI_HALO_NEAREST, /* the element at the nearest point of the file */
    IX_CLI_HALO_ZERO,
    IX_CLI_HALO_PERIODIC, /* the file repeats */
    IX_CLI_HALO_FILE      /* the file holds the halo */
} ix_cli_halo;

typedef enum ix_cli_source_kind {
    IX_CLI_SOURCE_NONE,
    IX_CLI_SOURCE_FILE,
    IX_CLI_SOURCE_CONSTANT,
    IX_CLI_SOURCE_RANDOM
} ix_cli_source_kind;

/* What an input holds. */
typedef struct ix_cli_source {
    ix_cli_source_kind kind;
    char *path;
    ix_cli_halo halo;
    double constant;
    uint64_t seed;
} ix_cli_source;

typedef enum ix_cli_target_kind {
    IX_CLI_TARGET_NONE,
    IX_CLI_TARGET_NPY,
    IX_CLI_TARGET_PNG,
    IX_CLI_TARGET_TEXT
} ix_cli_target_kind;

/* Where an output goes. */
typedef struct ix_cli_target {
    ix_cli_target_kind kind;
    char *path;
    ilex_png_spec png;
} ix_cli_target;

/* An argument of the program. [lo, hi) is its declared domain, "halo" what
 * must be there around it (low, high), both for the sizes of the run; its
 * storage covers [first, end). "storage" and "reference" of an output are what
 * the last step wrote, also where storages change places. */
typedef struct ix_cli_field {
    ilex_argument_info info;
    ix_cli_source source;
    ix_cli_target target;
    ilex_storage *file; /* as read */
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    int64_t first[ILEX_MAX_RANK], end[ILEX_MAX_RANK];
    bool swapped; /* its storage changes places between steps */
    ilex_storage *storage;
    ilex_storage *reference; /* of an output or a swapped input: what the
                                reference back end works on */
} ix_cli_field;

/* Two fields whose storages change places after each step. */
typedef struct ix_cli_swap {
    size_t a, b;
} ix_cli_swap;

typedef struct ix_cli_run {
    const ix_cli_command *command;
    ix_cli_session session;
    ilex_program *program, *reference;
    ix_cli_field *field;
    size_t nfields;
    ilex_size_binding *size;
    bool *known; /* of each size */
    size_t nsizes, ncounted;
    ilex_size_binding *counted; /* behind the sizes */
    int64_t steps, every, done; /* to be run; between files; run so far */
    bool loop;                  /* --steps was given */
    ix_cli_swap *swap;
    size_t nswaps;
    char *swaps;    /* the same as ilex_run_steps reads them */
    double seconds; /* of all steps */
    char *grid;     /* axes that ranks divide, "I:2,J:2"; NULL: one process */
    int nranks;
    const char *transport;
    int64_t messages, bytes; /* that the first rank sent, of all steps */
    ilex_group *group;       /* of programs with messages; or NULL */
    int rank;                /* in it */
    bool other; /* a process that is not the first rank: it writes nothing */
} ix_cli_run;

/* Does it run on a device? */
static inline bool
ix_cli_on_device(const ilex_program *p)
{
    return strcmp(ilex_program_backend(p), "nvrtc") == 0;
}

/* ---- verb_run.c ---- */

/* Lists the arguments and sizes of the program. */
ix_cli_exit ix_cli_run_list(ix_cli_run *r);

/* All steps, up to the first that fails. */
ix_cli_exit ix_cli_run_all(ix_cli_run *r);

/* Gives everything back, however far the run came. */
void ix_cli_run_close(ix_cli_run *r);

/* ---- messages.c ---- */

/* Are ranks asked for, of a program with messages? Then all of them run it. */
bool ix_cli_messages_are_asked(const ix_cli_run *r);
ix_cli_exit ix_cli_messages_run(const ix_cli_run *r);

/* ---- values.c ---- */

/* Reads --size, --in and --out into the sizes and fields of "r". */
ix_cli_exit ix_cli_values_read(ix_cli_run *r);

/* For a message about a name that no input, or output, has. */
ix_suggestion_text ix_cli_suggest_argument(const ix_cli_run *r,
                                           const char *name, bool inputs,
                                           bool outputs);

/* Frees what a source and a target own. */
void ix_cli_values_free(ix_cli_field *f);

/* ---- sizes.c ---- */

/* Finds the sizes that were not given from the shapes of the files, then the
 * extents of every field. */
ix_cli_exit ix_cli_sizes_solve(ix_cli_run *r);

/* After the run: the extents of what it counted. */
ix_cli_exit ix_cli_sizes_counted(ix_cli_run *r);

/* ---- fields.c ---- */

/* Reads the files of the inputs. */
ix_cli_exit ix_cli_fields_load(ix_cli_run *r);

/* Makes and fills the storages; "r->reference" wants outputs of its own. */
ix_cli_exit ix_cli_fields_make(ix_cli_run *r);

/* A view of an argument's storage on its declared domain. */
ilex_storage *ix_cli_fields_domain(ix_cli_run *r, const ix_cli_field *f,
                                   ilex_storage *s);

/* The next index in C order below "shape"; false at the end. */
bool ix_cli_fields_next(int rank, const int64_t *shape, int64_t *index);

/* Fills the halos of swapped inputs whose rule follows the field (nearest,
 * periodic) from what is inside now. "storage" has that of each field. */
ix_cli_exit ix_cli_fields_halos(ix_cli_run *r, ilex_storage *const *storage);

/* Does any field want that after each step? */
bool ix_cli_fields_follow(const ix_cli_run *r);

/* ---- swaps.c ---- */

/* Reads --steps, --every and --swap. */
ix_cli_exit ix_cli_swaps_read(ix_cli_run *r);

/* Once the extents are known: can the storages change places? Those that do
 * get room for what each of their fields needs. */
ix_cli_exit ix_cli_swaps_fit(ix_cli_run *r);

/* The input whose first contents an output begins with, because the two change
 * places; NULL if there is none. */
const ix_cli_field *ix_cli_swaps_partner(const ix_cli_run *r,
                                         const ix_cli_field *f);

/* ---- execute.c ---- */

/* Runs the steps, compares, writes what is due. */
ix_cli_exit ix_cli_execute(ix_cli_run *r);

/* ---- ranks.c ---- */

/* Reads --ranks and --grid. */
ix_cli_exit ix_cli_ranks_read(ix_cli_run *r);
/* The value of --ranks, 1 if it is not given. */
ix_cli_exit ix_cli_ranks_number(const ix_cli_command *c, int *n);
/* --transport, or what fits how the process was started. */
const char *ix_cli_ranks_transport(const ix_cli_command *c);

/* ilex_run_steps over ranks. */
ilex_status ix_cli_ranks_steps(ix_cli_run *r, const ilex_program *p,
                               ilex_binding *binding, ilex_call *call,
                               int64_t n);

/* ---- progress.c ---- */

/* What a terminal shows of a loop. */
typedef struct ix_cli_progress {
    bool shown;         /* standard error is a terminal */
    bool lines;         /* there is something to wipe out */
    double began, told; /* seconds of ix_clock() */
} ix_cli_progress;

/* Begins to watch a run; tells how far it is, if standard error is a terminal
 * and it takes long; wipes that out. */
ix_cli_progress ix_cli_progress_begin(void);
void ix_cli_progress_tell(ix_cli_progress *p, const ix_cli_run *r);
void ix_cli_progress_wipe(ix_cli_progress *p);

/* Tells how far a loop of the program is: `progress` of a call, "user" is the
 * ix_cli_progress. */
int ix_cli_progress_step(void *user, int64_t step);

/* The steps to run before telling again, at least 1 and at most "most". */
int64_t ix_cli_progress_steps(const ix_cli_progress *p, const ix_cli_run *r,
                              int64_t most);

/* ---- profile.c ---- */

/* The time of each kernel of a program that ilex_program_profile() measured,
 * and what is left of "seconds" in so many runs. */
void ix_cli_profile_print(const ilex_program *p, double seconds, int64_t runs);

/* The seconds of each stage of compiling. */
void ix_cli_stages_print(const ilex_program *p);

/* ---- step_name.c ---- */

/* Is the name of a file one for a step: "v%04d.npy" holds one integer
 * conversion (%% is a percent sign)? Else "*why" says what is wrong; NULL if
 * it has no % at all. */
bool ix_cli_step_name_is(const char *name, const char **why);

/* The name for a step, to be freed; NULL: no memory. */
char *ix_cli_step_name(const char *name, int64_t step);

/* ---- save.c, compare.c ---- */

/* Writes the outputs of step "r->done" to their targets. */
ix_cli_exit ix_cli_save(ix_cli_run *r);

/* Compares every output with the reference's, bit for bit; NaN equals NaN. */
ix_cli_exit ix_cli_compare(ix_cli_run *r);

#endif
