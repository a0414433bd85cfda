/* SPDX-License-Identifier: MIT
 *
 * Texts of random programs over ranks, while they are written.
 */
#ifndef ILEX_TESTS_RANKS_TEXT_H
#define ILEX_TESTS_RANKS_TEXT_H

#include "tests/unit/ranks_fixture.h"

typedef struct ranks_text {
    uint64_t state;
    char text[4096];
} ranks_text;

static inline unsigned
pick(ranks_text *t, unsigned below)
{
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(t->state >> 33) % below;
}

static inline void IX_PRINTF(2, 3) put(ranks_text *t, const char *format, ...)
{
    size_t n = strlen(t->text);
    va_list args;
    va_start(args, format);
    vsnprintf(t->text + n, sizeof t->text - n, format, args);
    va_end(args);
}

/* An empty one, for program number "first". */
static inline void
begin_text(ranks_text *t, uint64_t first)
{
    t->text[0] = 0;
    t->state = first * 0x9e3779b97f4a7c15u + 1;
    pick(t, 2);
}

/* Is it a program? RANKS_SHOW says why not. */
static inline bool
is_program(const char *text)
{
    ilex_module *module = ilex_module_parse(ctx, text, "random");
    ilex_program *p = module ? ilex_compile_module(module) : NULL;
    bool ok = p != NULL;
    if (!ok && getenv("RANKS_SHOW"))
        fprintf(stderr, "%s\n%s\n", text, ilex_error_text(ctx));
    ilex_program_release(p);
    ilex_module_free(module);
    ilex_error_clear(ctx);
    return ok;
}

#endif
