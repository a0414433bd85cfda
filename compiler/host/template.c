/* SPDX-License-Identifier: MIT
 *
 * Text that is the same for all programs, with what differs put in.
 */
#include "compiler/host/host.h"

/* The lines of the files, made by the Makefile, in which ix_ is ilex_. */
static const char *const header[] = {
#include "compiler/host/header.str"
    NULL};
static const char *const head[] = {
#include "compiler/host/head.str"
    NULL};

/* What programs share: types, functions. */
static const char *const types[] = {
#include "compiler/host/types.str"

#include "lib/base/view.str"

#include "compiler/run/tables.str"

#include "compiler/host/arguments.str"

#include "compiler/host/shared.str"
    NULL};
static const char *const functions[] = {
#include "compiler/host/basics.str"

#include "compiler/run/state.str"

#include "compiler/run/forms.str"

#include "compiler/run/sizes.str"

#include "lib/base/overlap.str"

#include "compiler/run/checks.str"

#include "compiler/run/outside.str"

    "%if routines",
#include "lib/sort/types.str"

#include "lib/sort/keys.str"

#include "lib/sort/network.str"

#include "lib/sort/digits.str"

#include "lib/sort/rows.str"

#include "lib/sort/complex.str"

#include "lib/sort/search.str"

#include "lib/sort/top.str"
    "#define ILEX_SORTED static",
#include "lib/sort/routine.str"
    "%end",
#include "compiler/run/asked.str"
    "%if loops",
#include "compiler/run/repeats.str"
    "%else",
    "#define ilex_step_loop(s, x, at) 0",
    "#define ilex_name_steps(s, at) ((void)(at))",
    "#define ilex_copies_nothing(s, k) 0",
    "%end",

#include "compiler/run/steps.str"

#include "compiler/host/load.str"
    "%if grid",
#include "compiler/run/grid.str"

#include "compiler/host/grid.str"
    "%else",
    "#if defined(__SSE2__) && defined(__GNUC__)",
    "#define ILEX_SETS_ENVIRONMENT 1",
#include "lib/base/fpenv.str"
    "#else",
    "#define ILEX_SETS_ENVIRONMENT 0",
    "typedef int ilex_fpenv;",
    "#define ilex_fpenv_enter() 0",
    "#define ilex_fpenv_leave(before) ((void)(before))",
    "#endif",
    "",
#include "compiler/host/host.str"
    "%end",
#include "compiler/host/plan.str"

#include "compiler/host/selftest.str"
    NULL};
static const char *const program[] = {
#include "compiler/host/entry.str"
    NULL};
static const char *const function[] = {
#include "compiler/host/function.str"
    NULL};
static const char *const python[] = {
#include "compiler/host/python.str"
    NULL};
static const char *const freestanding[] = {
#include "compiler/host/freestanding.str"
    NULL};
static const char *const support[] = {
#include "compiler/host/support.str"
    NULL};
static const char *const *const texts[] = {[IX_HOST_HEADER] = header,
                                           [IX_HOST_HEAD] = head,
                                           [IX_HOST_TYPES] = types,
                                           [IX_HOST_FUNCTIONS] = functions,
                                           [IX_HOST_PROGRAM] = program,
                                           [IX_HOST_FUNCTION] = function,
                                           [IX_HOST_PYTHON] = python,
                                           [IX_HOST_SUPPORT] = support,
                                           [IX_HOST_FREESTANDING] =
                                               freestanding};

unsigned
ix_host_shared_hash(void)
{
    uint64_t hash = 0;
    for (size_t i = 0; types[i]; i++)
        hash = ix_hash_bytes(hash, types[i], strlen(types[i]));
    return (unsigned)hash;
}

/* The row of the word at "at". */
static const ix_host_word *
find_word(const char *at)
{
    const ix_host_word *w = ix_host_words;
    while (w->word && strcmp(w->word, at) != 0)
        w++;
    return w;
}

/* The tables of a run, which "->" follows if "of" a member: in the file of one
 * program its own, so that compilers see what they say. How many characters of
 * the line behind it that takes. */
static size_t
put_tables(ix_host *h, const char *run, bool of)
{
    const char *known = of ? "ilex_program_tables." : "&ilex_program_tables";
    ix_text_put(h->t, h->support ? run : known);
    return of && !h->support ? strlen("->") : 0;
}

/* A line with its tokens replaced. */
static void
put_line(ix_host *h, const char *line)
{
    for (size_t n; *line; line += n) {
        n = strcspn(line, "$");
        ix_text_put_n(h->t, line, n);
        if (!line[n])
            continue;
        char token = line[n + 1];
        n += 2;
        const char *run = token == 's'   ? "s->t"
                          : token == 'r' ? "r->s.t"
                          : token == 'c' ? "code->t"
                                         : NULL;
        if (run)
            n += put_tables(h, run, !strncmp(line + n, "->", 2));
        else
            ix_text_put(h->t, token == 'p'   ? h->prefix
                              : token == 'P' ? h->upper
                              : token == 'n' ? h->c->name
                              : token == 'l' ? h->library->name
                                             : ilex_version());
    }
    ix_text_char(h->t, '\n');
}

void
ix_host_put_text(ix_host *h, ix_host_text text)
{
    enum { DEEP = 4 };
    bool on[DEEP] = {true}; /* outside of all conditions, in one, ... */
    int depth = 0;
    for (const char *const *line = texts[text]; *line; line++) {
        const char *at = *line;
        if (!strncmp(at, "%if ", 4)) {
            depth++;
            on[depth] = on[depth - 1] && find_word(at + 4)->has(h);
        } else if (!strcmp(at, "%else")) {
            on[depth] = on[depth - 1] && !on[depth];
        } else if (!strcmp(at, "%end")) {
            depth--;
        } else if (on[depth] && !strncmp(at, "%put ", 5)) {
            find_word(at + 5)->put(h);
        } else if (on[depth]) {
            put_line(h, at);
        }
    }
}
