/* SPDX-License-Identifier: MIT
 *
 * The tcc loader: all units go through one state of libtcc, in its cage, into
 * pages of ours. Symbols the code may use come from a table; libtcc opens no
 * file and searches no library.
 */
#include "runtime/jit/jit.h"

#ifdef HAVE_LIBTCC

#include <math.h>
#include <stdio.h>

#include "lib/base/clock.h"
#include "lib/base/stack.h"
#include "lib/ops/eval.h"
#include "runtime/jit/chains.h"
#include "runtime/jit/code.h"
#include "runtime/jit/tcc_cage.h"

/* ---- conversions TinyCC calls instead of emitting them ---- */

/* Out-of-range values are undefined in C, so generated code guards them; here
 * they saturate and NaN gives 0. */
static uint64_t
u64_from_f64(double v)
{
    if (!(v >= 1.0))
        return 0;
    if (v >= 0x1p64)
        return UINT64_MAX;
    return v < 0x1p63 ? (uint64_t)(int64_t)v
                      : (uint64_t)(int64_t)(v - 0x1p63) + (UINT64_C(1) << 63);
}

static uint64_t
u64_from_f32(float v)
{
    return u64_from_f64((double)v);
}

static double
f64_from_u64(uint64_t v)
{
    return (double)v;
}

static float
f32_from_u64(uint64_t v)
{
    return (float)v;
}

/* ---- the symbol table ---- */

typedef struct symbol {
    const char *name;
    void (*address)(void);
} symbol;

#define SYMBOL(name, function) {name, (void (*)(void))(function)},

static const symbol helpers[] = {
    SYMBOL("__floatundidf", f64_from_u64) SYMBOL("__floatundisf", f32_from_u64)
        SYMBOL("__fixunsdfdi", u64_from_f64)
            SYMBOL("__fixunssfdi", u64_from_f32) SYMBOL("memcpy", memcpy)
                SYMBOL("memset", memset) SYMBOL("memmove", memmove)
                    SYMBOL("ilex_chain_f64", ix_chain_f64)
                        SYMBOL("ilex_chain_f32", ix_chain_f32)};

#define BOTH(name) SYMBOL(#name, name) SYMBOL(#name "f", name##f)
static const symbol mathematics[] = {
#define IX_MATH(name, arity) BOTH(name)
#include "lib/ops/math.def"
};

/* ---- one compile ---- */

/* What a visit of the cage works on; it survives an escape from it. */
typedef struct compile {
    const ix_jit_request *req;
    void **entries;
    ix_code *code;
    ix_error *err;
    const ix_mem *mem;
    ix_cage_end end;
    TCCState *state;
    bool done;
    size_t length; /* of "text": what libtcc said */
    char text[2048];
} compile;

/* Collects the messages of libtcc, a line each; what does not fit is cut. */
static void
on_message(void *user, const char *message)
{
    compile *c = user;
    size_t n = strlen(message), room = sizeof c->text - 2 - c->length;
    if (room == 0)
        return;
    n = n < room ? n : room;
    if (c->length > 0)
        c->text[c->length++] = '\n';
    memcpy(c->text + c->length, message, n);
    c->length += n;
    c->text[c->length] = '\0';
}

static bool
add_symbols(compile *c, const symbol *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *p;
        memcpy(&p, &table[i].address, sizeof p);
        if (tcc_add_symbol(c->state, table[i].name, p) != 0)
            return false;
    }
    return true;
}

static bool
add_functions(compile *c)
{
    bool ok = true;
    for (const ix_function_symbol *f = ix_function_symbols; ok && f->name; f++)
        ok = add_symbols(c, &(symbol){f->name, f->address}, 1);
    return ok;
}

/* A state that reads no file, takes no symbol from the process and treats
 * warnings (an undeclared function, say) as errors. */
static bool
open_state(compile *c)
{
    c->state = tcc_new();
    if (!c->state)
        return false;
    tcc_set_error_func(c->state, c, on_message);
    tcc_set_options(c->state, "-nostdlib -nostdinc -Werror");
    return tcc_set_output_type(c->state, TCC_OUTPUT_MEMORY) == 0 &&
           add_symbols(c, helpers, IX_COUNT(helpers)) &&
           (!c->req->needs_math ||
            (add_symbols(c, mathematics, IX_COUNT(mathematics)) &&
             add_functions(c)));
}

/* The line of "source" that "message" ("<string>:3: error: ...") names, and
 * its length, at most 200. */
static const char *
find_line(const char *message, const char *source, int *length)
{
    static const char mark[] = "<string>:";
    const char *p = strstr(message, mark);
    p = p ? p + strlen(mark) : "";
    long number = 0;
    for (; *p >= '0' && *p <= '9' && number < 100000000; p++)
        number = number * 10 + (*p - '0');
    for (long i = 1; i < number && *source; i++) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    size_t n = number ? strcspn(source, "\n") : 0;
    *length = n < 200 ? (int)n : 200;
    return source;
}

static bool
compile_units(compile *c)
{
    for (size_t i = 0; i < c->req->nsources; i++)
        if (tcc_compile_string(c->state, c->req->sources[i]) != 0) {
            int n = 0;
            const char *line = find_line(c->text, c->req->sources[i], &n);
            return ix_fail_false(c->err, ILEX_E_TOOLCHAIN,
                                 "libtcc refused unit %zu of %zu of the "
                                 "generated code:\n%s\n%.*s",
                                 i + 1, c->req->nsources, c->text, n, line);
        }
    return true;
}

/* Links the units into pages of their own. */
static bool
relocate(compile *c)
{
    int size = tcc_relocate(c->state, NULL);
    void *pages = NULL;
    if (size >= 0) {
        pages = ix_code_pages(c->code, (size_t)size, c->err);
        if (!pages)
            return false;
    }
    if (size < 0 || tcc_relocate(c->state, pages) < 0)
        return ix_fail_false(c->err, ILEX_E_TOOLCHAIN,
                             "libtcc cannot link the generated code:\n%s",
                             c->text);
    return true;
}

static bool
look_up(compile *c)
{
    for (size_t i = 0; i < c->req->nsymbols; i++) {
        c->entries[i] = tcc_get_symbol(c->state, c->req->symbols[i]);
        if (!c->entries[i])
            return ix_fail_false(
                c->err, ILEX_E_TOOLCHAIN,
                "the generated code does not define the function '%s'",
                c->req->symbols[i]);
    }
    return true;
}

/* The visit. What fails without a message of its own is reported after it. */
static void
visit(void *arg)
{
    compile *c = arg;
    if (!open_state(c) || !compile_units(c))
        return;
    double start = ix_clock();
    c->done = relocate(c) && look_up(c) && ix_code_seal(c->code, c->err);
    if (c->req->load_seconds)
        *c->req->load_seconds = ix_clock() - start;
}

static void
run_cage(void *arg)
{
    compile *c = arg;
    c->end = ix_cage_run(c->mem, visit, c);
}

bool
ix_jit_tcc_available(void)
{
    return true;
}

ix_code *
ix_jit_tcc_compile(const ix_mem *mem, const ix_jit_request *req, void **entries,
                   ix_error *err)
{
    compile c = {.req = req, .entries = entries, .err = err, .mem = mem};
    c.code = ix_code_new(mem, err);
    if (!c.code)
        return NULL;
    ix_on_stack(run_cage,
                &c); /* libtcc may need more than a host's thread has */
    if (c.end == IX_CAGE_DONE && c.done)
        return c.code;
    ix_code_release(c.code);
    if (c.end == IX_CAGE_MEMORY)
        ix_fail_memory(err);
    else
        ix_fail(err, ILEX_E_TOOLCHAIN, "libtcc gave up%s%s",
                c.length ? ":\n" : "", c.text);
    return NULL;
}

#else

bool
ix_jit_tcc_available(void)
{
    return false;
}

ix_code *
ix_jit_tcc_compile(const ix_mem *mem, const ix_jit_request *req, void **entries,
                   ix_error *err)
{
    (void)mem, (void)req, (void)entries;
    return ix_fail_null(
        err, ILEX_E_UNSUPPORTED,
        "jit=tcc: Ilex was built without libtcc; use jit=cc or jit=reference");
}

#endif
