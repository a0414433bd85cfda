/* SPDX-License-Identifier: MIT
 *
 * The pipeline: passes.def from top to bottom, with dumps, stops and
 * verification, then what the request asks for: bytecode or source.
 */
#include "compiler/compiler.h"

#include "compiler/emit/emit.h"
#include "compiler/report/report.h"
#include "compiler/run/run.h"
#include "compiler/schedule/schedule.h"
#include "compiler/steps/finish.h"
#include "compiler/tree/tree.h"
#include "lib/base/clock.h"
#include "lib/base/fpenv.h"

typedef struct pass_row {
    const char *name, *meaning;
    bool (*run)(ix_unit *u);
    ix_level after;
    bool transforms; /* loops, and is none that must */
} pass_row;

static const pass_row passes[] = {
#define IX_PASS(name, before, after, meaning)                                  \
    {#name, meaning, ix_pass_##name, IX_LEVEL_##after, false},
#define IX_TRANSFORMATION(name, before, after, meaning)                        \
    {#name, meaning, ix_pass_##name, IX_LEVEL_##after, true},
#include "compiler/passes.def"
};

#define IX_PASS(name, before, after, meaning) " " #name
static const char pass_names[] =
#include "compiler/passes.def"
    ;

const char *
ix_passes_table(void)
{
    return
#define IX_PASS(name, before, after, meaning) #name "\t" meaning "\n"
#include "compiler/passes.def"
        ;
}

static bool
is_pass(const char *name, size_t length)
{
    for (size_t i = 0; i < IX_COUNT(passes); i++)
        if (strlen(passes[i].name) == length &&
            !strncmp(passes[i].name, name, length))
            return true;
    return (length == 3 && !strncmp(name, "all", 3)) ||
           (length == 4 && !strncmp(name, "emit", 4)) ||
           (length == 5 && !strncmp(name, "steps", 5)) ||
           (length == 7 && !strncmp(name, "explain", 7)) ||
           (length == 6 && !strncmp(name, "parsed", 6));
}

/* Is "name" in the list, or the list "all"? */
static bool
listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t length = strcspn(p, ",");
        if ((length == n && !strncmp(p, name, n)) ||
            (length == 3 && !strncmp(p, "all", 3)))
            return true;
    }
    return false;
}

/* The pass that is meant. */
static ix_suggestion_text
suggest_pass(const char *name, size_t length)
{
    ix_suggestion s = ix_suggest(name, length);
    ix_suggest_words(&s, pass_names, " ,");
    ix_suggest_words(&s, "parsed steps emit all", " ");
    return ix_suggestion_show(&s);
}

/* Every name of a list is a pass; else an error that lists them. */
static bool
check_list(ilex_context *ctx, const char *option, const char *list)
{
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t length = strcspn(p, ",");
        if (is_pass(p, length))
            continue;
        ix_fail(&ctx->error, ILEX_E_OPTION,
                "%s: there is no pass '%.*s'%s (passes:%s; also parsed, "
                "steps, emit, all)",
                option, (int)(length < 40 ? length : 40), p,
                suggest_pass(p, length).s, pass_names);
        return false;
    }
    return true;
}

/* What is printed after a pass. */
static void
put_state(ix_unit *u, const char *pass, ix_text *t)
{
    if (!strcmp(pass, "kernels"))
        ix_kernels_put(u, t);
    if (!strcmp(pass, "schedule"))
        ix_schedule_put(u, t);
    ix_dump_unit(u, t);
}

static void
dump(ix_unit *u, const char *pass, double seconds)
{
    ix_text t;
    ix_text_init(&t, &u->mem);
    put_state(u, pass, &t);
    const char *s = ix_text_string(&t);
    if (u->ctx->log && s) {
        ix_log(u->ctx, ILEX_DEBUG, "after %s (%.0f us)%s", pass, seconds * 1e6,
               u->changed ? ":" : ": unchanged");
        if (u->changed)
            u->ctx->log(u->ctx->log_user, ILEX_DEBUG, s);
    }
}

/* Runs pass "i" and notes how long it takes. */
static bool
run_pass(ix_unit *u, size_t i)
{
    double start = ix_clock();
    bool ok = (passes[i].transforms && u->naive) || passes[i].run(u);
    u->seconds[i] += ix_clock() - start;
    return ok;
}

/* ---- targets ---- */

/* Kernels and buffers are what they were before all targets, statements copies,
 * so no pass for a target has anything to undo. */
static void
take_tree(ix_unit *u)
{
    const ix_kernel *from = u->tree.kernel;
    u->kernels = u->tree.first;
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        *k = *from++;
        k->body = ix_stmt_clone(u, NULL, k->body);
    }
    ix_unit_number(u);
    u->nbuffers = u->tree.nbuffers;
    u->nslots = u->tree.nslots;
    if (u->nbuffers)
        memcpy(u->buffer, u->tree.buffer, u->nbuffers * sizeof *u->buffer);
    u->level = IX_LEVEL_TREE;
}

typedef enum outcome { DONE, STOPPED, FAILED } outcome;

static outcome
run_passes(ix_unit *u, const ix_compile_request *request)
{
    ilex_context *ctx = u->ctx;
    const char *dumps = ix_option_text(ctx, IX_OPTION_dump);
    const char *stop =
        request->stop ? request->stop : ix_option_text(ctx, IX_OPTION_stop);
    bool verify = ix_option_int(ctx, IX_OPTION_verify) != 0;
    if (!check_list(ctx, "dump", dumps) || !check_list(ctx, "stop", stop))
        return FAILED;
    for (size_t i = 0; i < IX_COUNT(passes); i++) {
        double start = ix_clock();
        u->changed = passes[i].after != u->level;
        if (!run_pass(u, i) || (verify && !ix_verify_unit(u, passes[i].name)))
            return FAILED;
        if (listed(dumps, passes[i].name))
            dump(u, passes[i].name, ix_clock() - start);
        if (request->after)
            request->after(request->user, u, passes[i].name);
        if (!strcmp(stop, passes[i].name)) {
            if (request->text)
                put_state(u, stop, request->text);
            return STOPPED;
        }
    }
    ix_layout_back(u);
    if (request->text && !strcmp(stop, "explain")) {
        ix_explain(u, request->text);
        return STOPPED;
    }
    return DONE;
}

/* Are kernels for a target those that there are? */
static bool
makes_same(const ix_unit *u, const ix_target *target)
{
    ix_target t = *target;
    if (!u->asks_registers)
        t.vector_registers = u->target->vector_registers;
    return memcmp(&t, u->target, sizeof t) == 0;
}

bool
ix_unit_target(ix_unit *u, const ix_target *target)
{
    if (u->target == target || makes_same(u, target))
        return true;
    u->target = target;
    take_tree(u);
    for (size_t i = 0; i < IX_COUNT(passes); i++)
        if (passes[i].after == IX_LEVEL_TARGET && !run_pass(u, i))
            return false;
    return true;
}

/* Seconds that passes took. */
static double
spent(const ix_unit *u)
{
    double sum = 0;
    for (size_t i = 0; i < IX_COUNT(passes); i++)
        sum += u->seconds[i];
    return sum;
}

/* The stages up to source, which took "emit" seconds itself. */
static void
note_stages(const ix_unit *u, ix_compiled *c, double emit)
{
    ix_stage_time *t =
        ix_arena_new(&c->arena, (IX_COUNT(passes) + 2) * sizeof *t);
    c->stage = t;
    *t++ = (ix_stage_time){"parse", "text becomes arrays",
                           u->module->parse_seconds};
    for (size_t i = 0; i < IX_COUNT(passes); i++)
        *t++ =
            (ix_stage_time){passes[i].name, passes[i].meaning, u->seconds[i]};
    *t++ = (ix_stage_time){"emit", "the source, and what runs need beside it",
                           emit};
    c->nstages = (size_t)(t - c->stage);
}

/* Fills the compiled program, whose arena may run out, from "start" on, when
 * the passes had taken "before" seconds. */
static bool
fill(ix_unit *u, ix_compiled *c, const ix_compile_request *request,
     double start, double before)
{
    if (!IX_ARENA_TRY(&c->arena) || !ix_finish(u, c, request)) {
        ix_fail_memory(&u->ctx->error);
        return false;
    }
    ix_make_tables(u, c);
    note_stages(u, c, ix_clock() - start - (spent(u) - before));
    return u->ctx->error.code == ILEX_OK;
}

/* Makes the compiled program in an arena of its own, "*c"; false after an
 * error or a stop. */
static bool
compile_unit(ix_unit *u, const ix_compile_request *request, ix_compiled **c)
{
    ilex_context *ctx = u->ctx;
    outcome done = run_passes(u, request);
    if (done == STOPPED && !request->text)
        ix_fail(&ctx->error, ILEX_E_OPTION,
                "compilation was stopped after pass %s by option stop",
                ix_option_text(ctx, IX_OPTION_stop));
    if (done != DONE)
        return false;
    *c = ix_mem_new(ix_context_mem(ctx), sizeof **c);
    if (!*c) {
        ix_fail_memory(&ctx->error);
        return false;
    }
    ix_arena_init(&(*c)->arena, ix_context_mem(ctx));
    return fill(u, *c, request, ix_clock(), spent(u));
}

/* As compile_unit when memory runs out in the unit's arena as well. */
static bool
compile_guarded(ix_unit *u, const ix_compile_request *request, ix_compiled **c)
{
    if (IX_ARENA_TRY(&u->arena))
        return compile_unit(u, request, c);
    ix_fail_memory(&u->ctx->error);
    return false;
}

/* The kernels are for the first target that source is wanted for. */
static bool
set_target(ix_unit *u, const ix_compile_request *request)
{
    int first = IX_NDIALECTS;
    for (int d = IX_NDIALECTS; d-- > 0;)
        if (request->dialect[d] &&
            (first == IX_NDIALECTS ||
             ix_dialects[d].target < ix_dialects[first].target))
            first = d;
    u->target =
        first < IX_NDIALECTS
            ? ix_dialect_target(u, (ix_dialect_id)first)
            : ix_target_of(u->ctx, IX_TARGET_generic, false, &u->own_target);
    return u->target != NULL;
}

ix_compiled *
ix_compile(ilex_module *module, const ix_compile_request *request)
{
    ilex_context *ctx = module->ctx;
    double start = ix_clock();
    if (ctx->error.code != ILEX_OK)
        return NULL;
    size_t scope = ilex_scope_begin(ctx);
    /* runs see to the preconditions */
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.facts = module->env});
    ix_unit u = {.ctx = ctx, .module = module, .reference = request->reference};
    u.naive = !strcmp(ix_option_text(ctx, IX_OPTION_schedule), "none");
    u.layout = request->fortran ? "F" : ix_option_text(ctx, IX_OPTION_order);
    ix_compiled *c = NULL;
    ix_table proven = {NULL, 0, 0};
    ctx->proven = &proven;
    ix_unit_begin(&u);
    ix_fpenv outside = ix_fpenv_enter(); /* constants are folded */
    bool ok = scope != SIZE_MAX && set_target(&u, request) &&
              compile_guarded(&u, request, &c);
    ix_fpenv_leave(outside);
    ix_arena_free(&u.arena);
    ix_proven_end(ctx);
    ilex_scope_end(ctx, scope, NULL);
    ix_assume_instead(ctx, before);
    if (!ok) {
        ix_compiled_free(c);
        return NULL;
    }
    c->seconds = ix_clock() - start;
    return c;
}

void
ix_compiled_free(ix_compiled *c)
{
    if (!c)
        return;
    ix_mem mem = c->arena.mem;
    for (size_t i = 0; i < c->nbuffers; i++)
        if (c->buffer[i].data && ix_data.release)
            ix_data.release(c->buffer[i].data);
    ix_arena_free(&c->arena);
    ix_mem_free(&mem, c);
}

bool
ix_page(ilex_module *m, const char *text, int dialect,
        void (*lay_out)(const char *dot, ix_text *plain), ix_text *t)
{
    ix_page_parts p;
    ix_text places;
    ix_compile_request request = {
        .names = true, .after = ix_page_note, .user = &p};
    request.dialect[dialect] = true;
    ix_page_begin(&p, &m->ctx->mem);
    ix_text_init(&places, &m->ctx->mem);
    ix_compiled *c = ix_compile(m, &request);
    if (c) {
        lay_out(ix_picture_graph(&p.picture), &places);
        ix_page_put(&p, m, text, c->source[dialect].unit[0],
                    ix_text_string(&places), t);
    }
    ix_compiled_free(c);
    ix_text_free(&places);
    ix_page_end(&p);
    return c != NULL;
}
