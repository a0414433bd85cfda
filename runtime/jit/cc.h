/* SPDX-License-Identifier: MIT
 *
 * What the back end of a C compiler is made of: processes, a directory of its
 * own, what it says of itself, the disk cache.
 */
#ifndef ILEX_RUNTIME_CC_H
#define ILEX_RUNTIME_CC_H

#include <stdatomic.h>
#include <sys/types.h>

#include "lib/base/prelude.h"
#include "lib/base/text.h"
#include "runtime/jit/jit.h"

/* ---- cc_spawn.c ----
 *
 * Starting a process: no shell, no inherited environment, signals as by
 * default, in a process group with a supervisor.
 */

/* A pipe whose ends are closed on exec and are no standard streams; false with
 * errno. */
bool ix_pipe_open(int ends[2]);

/* Ends its process group as soon as this process is there no longer, however it
 * ends: whatever is started in the group outlives nobody. */
typedef struct ix_supervisor {
    pid_t pid; /* and that of the group; 0: there is none */
    int pipe;  /* closing it ends the group */
} ix_supervisor;

/* Where no shell can be started there is none. */
void ix_supervisor_start(ix_supervisor *s);
/* Removes it: the group may go on. */
void ix_supervisor_end(ix_supervisor *s);

typedef struct ix_spawn {
    char *const *argv; /* argv[0] is an absolute path */
    const char *dir;   /* working directory and TMPDIR */
    int in, out;       /* standard input; output and messages; -1: none */
    pid_t group;       /* 0: a group of its own */
} ix_spawn;

/* 0, or an errno value. */
int ix_spawn_start(const ix_spawn *s, pid_t *pid);

/* ---- cc_process.c ----
 *
 * Running a compiler as a process, or several side by side: no shell, no
 * inherited environment, a time limit for it and everything it starts, which
 * end with this process, its messages captured.
 */

enum { IX_PROCESS_LOG = 3072 };

typedef struct ix_process {
    char *const *argv;        /* argv[0] is an absolute path; NULL-terminated */
    const char *dir;          /* working directory and TMPDIR, absolute */
    const char *input;        /* what it reads; NULL: nothing */
    int64_t deadline;         /* ix_process_clock() at which it is killed */
    int64_t limit_ms;         /* that led to the deadline, for the message */
    const atomic_bool *stop;  /* set: it is killed at once; NULL: never set */
    char log[IX_PROCESS_LOG]; /* out: start of what it printed, made printable;
                                 whole lines where they fit */
    /* of cc_process.c */
    int state, in;
    pid_t pid;
    ix_supervisor supervisor;
    size_t length; /* of the log */
} ix_process;

/* Milliseconds of a clock that only goes forward. */
int64_t ix_process_clock(void);

/* Runs the processes, zeroed but for what is above the log, at most "most" at
 * the same time, and waits for them and their children. ILEX_OK when each ended
 * with status 0, or when the host took a status away (it ignores or reaps its
 * children): the result then shows. Else ILEX_E_TOOLCHAIN in "err" with the log
 * of one that failed; the groups of the others are killed, and so are all at
 * the deadline, or when one is to stop. */
ilex_status ix_process_run(ix_process *p, size_t n, size_t most, ix_error *err);

/* ---- cc_directory.c ----
 *
 * The private directory of a compiler: below ILEX_TMPDIR, TMPDIR or /tmp,
 * whichever is the first that is an absolute path. Who is ended leaves it
 * behind; the next process that makes one there removes it.
 */

typedef struct ix_cc_directory {
    char path[256]; /* "": there is none */
    int fd;         /* open, locked while somebody needs it */
} ix_cc_directory;

/* False and "err" on failure; to be removed in any case. */
bool ix_cc_directory_make(ix_cc_directory *d, ix_error *err);
/* With every file in it, the compiler's too. */
void ix_cc_directory_remove(ix_cc_directory *d);

/* ---- cc_version.c ----
 *
 * What a compiler says of itself, asked once in a process.
 */

/* Appends the version, and on a second line which file does the work, as it is
 * now: "path" may be a script or ccache, which stay as they are while what they
 * start is exchanged. The line is missing where the compiler does not say. */
void ix_cc_put_maker(const char *path, ix_text *t);

/* Is the second line of what ix_cc_put_maker wrote still true? False and "why".
 * Starts nothing. */
bool ix_cc_is_maker(const char *made, size_t length, const ix_mem *mem,
                    ix_error *why);

/* ---- cc_cache.c ----
 *
 * The disk cache seen from a request to the C compiler: its key, loading what
 * was found, storing what was made.
 */

typedef struct ix_cc_cache {
    const ix_jit_request *req;
    ix_cache cache;
    ix_cache_key key;
    int lock;     /* that others wait for, or -1 */
    bool keyed;   /* false: there is nothing to look up or to store */
    ix_error why; /* then, and after a miss */
} ix_cc_cache;

/* Opens the cache and makes the key; false and "err" for a request that is
 * wrong. A cache that cannot be used is not an error. To be closed in any case.
 */
bool ix_cc_cache_open(ix_cc_cache *c, const ix_mem *mem,
                      const ix_jit_request *req, ix_error *err);
void ix_cc_cache_close(ix_cc_cache *c);

/* "*code" if the cache has it and it loads; else NULL, and a note says why.
 * False and "err" without memory, and with mode must_hit if there is none. */
bool ix_cc_cache_find(ix_cc_cache *c, void **entries, ix_code **code,
                      ix_error *err);

/* Before compiling what is to be stored: others who want the same wait until
 * the cache is closed, or for ten seconds. True if another process was
 * compiling it: it is to be looked up again. */
bool ix_cc_cache_reserve(ix_cc_cache *c);

/* Stores what was compiled and could be loaded; false and "err" without memory.
 */
bool ix_cc_cache_store(const ix_cc_cache *c, const void *image, size_t size,
                       ix_error *err);

#endif
