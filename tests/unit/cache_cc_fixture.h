/* SPDX-License-Identifier: MIT
 *
 * What the tests of the disk cache before the C compiler share: a compiler that
 * counts how often it is started, requests, what was said.
 */
#ifndef ILEX_TESTS_UNIT_CACHE_CC_FIXTURE_H
#define ILEX_TESTS_UNIT_CACHE_CC_FIXTURE_H

#include "tests/unit/cache_fixture.h"
#include "tests/unit/jit_fixture.h"

static const char thrice[] = "double k(double x)\n{\n    return 3.0 * x;\n}\n";

/* ---- a compiler that counts ---- */

static char counting[120], counted[120];

/* Each start adds a line to a file: its first argument. */
static inline void
make_compiler(void)
{
    char script[400];
    make_place();
    snprintf(counting, sizeof counting, "%s/cc", top);
    snprintf(counted, sizeof counted, "%s/starts", top);
    int n = snprintf(script, sizeof script,
                     "#!/bin/sh\necho \"$1\" >>%s\nexec /usr/bin/cc \"$@\"\n",
                     counted);
    write_bytes(counting, script, (size_t)n);
    ck_assert_int_eq(chmod(counting, 0700), 0);
    ix_error_clear(&error);
}

/* How often it was started to compile, or with that argument; counts anew. */
static inline int
starts(const char *argument)
{
    char line[80];
    int n = 0;
    FILE *f = fopen(counted, "r");
    while (f && fgets(line, sizeof line, f))
        n += !strncmp(line, argument, strlen(argument));
    if (f)
        fclose(f);
    return n;
}

static inline void
forget_starts(void)
{
    unlink(counted);
}

/* ---- requests ---- */

static char notes[8000];

static inline void
add_note(void *user, ilex_level level, const char *text)
{
    (void)user;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s%s\n",
             level == ILEX_WARNING ? "warning: " : "", text);
}

static inline ix_jit_request *
request(single *s, const char *source, ix_cache_mode mode)
{
    single_of(s, source, "k");
    s->req.cc = counting;
    s->req.cache = (ix_cache_setup){
        .mode = mode, .directory = place, .size = 1 << 24, .note = add_note};
    ix_error_clear(&error);
    notes[0] = '\0';
    return &s->req;
}

/* Compiles and calls; -1 if that fails. */
static inline double
compile_and_call(const ix_jit_request *req)
{
    void *entry;
    ix_code *code = ix_jit_cc_compile(&ix_mem_default, req, &entry, &error);
    double r = code ? call(entry, 1.0) : -1.0;
    ix_code_release(code);
    return r;
}

/* The same without a compiler. */
static inline double
find_and_call(const ix_jit_request *req)
{
    void *entry;
    ix_code *code = ix_jit_cc_find(&ix_mem_default, req, &entry, &error);
    double r = code ? call(entry, 1.0) : -1.0;
    ix_code_release(code);
    return r;
}

#endif
