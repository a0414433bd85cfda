/* SPDX-License-Identifier: MIT
 *
 * Random programs, interpreted after every pass from `nest` on, for CPUs and
 * for GPUs, and compared bit for bit with the reference back end: names the
 * pass that broke a program.
 *
 *     tree [--long] [--seed=S] [--number=N] [--first=F] [--count=C]
 *          [--transform=T [--jit=BACKEND]]
 *
 * With --transform arrays are stored at random after the pass `stored`,
 * directives for the program drawn after `kernels`, loops transformed after
 * `map`, up to T times, and the tree is interpreted after each in three orders.
 * Every other program begins without the policy: schedule=none, with --jit a
 * head `program:` alone. With --jit what was done is the schedule with which
 * the back end compiles the program and runs it; --jit=cuda is CUDA source that
 * the C compiler builds and the CPU runs, --jit=nvrtc runs on a GPU.
 *
 * The seed is --seed, else ILEX_SEED, else 1 (with --long the time); --number=N
 * tries one program; else those from F to C, and where F is 0 those of
 * programs.def before them. The programs are those of tests/differential.
 */
#include <stdlib.h>

#include "runtime/program/program.h"
#include "tests/differential/differential.h"
#include "tests/tree/compiled.h"
#include "tests/tree/interpret.h"
#include "tests/tree/options.h"
#include "tests/tree/transform.h"

enum { MOST_FAILURES = 3, ORDERS = 3, AGAIN = 40, FUSIONS = 3, STORED = 3 };
/* Evaluations for one program after one pass; longer ones are left out. */
static const int64_t budget = 1500000;

/* One random program. */
typedef struct tree_case {
    const diff_recipe *recipe;
    const char *text; /* of a program of programs.def, else NULL */
    ilex_context *ctx;
    diff_shop shop;
    ilex_module *module;
    ilex_program *reference;
    diff_buffer *argument; /* of the reference, after its run */
    size_t narguments;
    int64_t *size;              /* by parameter of the context */
    ilex_size_binding *counted; /* by the reference */
    size_t ncounted;
    bool cuda, failed;
    bool inplace;    /* outputs have the memory of inputs by now */
    uint64_t dump;   /* of the kernels after the pass before */
    uint64_t random; /* for transformations */
    bool transformed;
    char trail[4000]; /* transformations that were done */
} tree_case;

typedef struct totals {
    int programs, refused, failed;
    int64_t runs, exhausted, elements;
} totals;

static totals sum;
static tree_options o;

/* ---- what a program is run with ---- */

static const diff_buffer *
argument_named(const tree_case *c, const char *name)
{
    for (size_t i = 0; i < c->narguments; i++)
        if (*name && !strcmp(c->reference->c->buffer[i].name, name))
            return &c->argument[i];
    return NULL;
}

/* An element of an argument in "block": its memory now or from before. */
static ix_value
argument_element(const diff_buffer *b, const unsigned char *block,
                 const int64_t *index)
{
    int64_t at = 0;
    for (int k = 0; k < b->rank; k++)
        at += (index[k] - b->first[k]) * b->stride[k];
    return ix_value_load(b->dtype,
                         block + (b->origin - b->block) +
                             at * (int64_t)ilex_dtype_bytes(b->dtype));
}

/* Elements of an input that the program said it reads. */
static void
fill_input(const tree_case *c, tree_memory *m, const char *name)
{
    const diff_buffer *b = argument_named(c, name);
    int64_t index[ILEX_MAX_RANK];
    memcpy(index, m->lo, sizeof index);
    if (!b || tree_is_empty(m->rank, m->lo, m->hi))
        return;
    do {
        bool inside = true;
        int64_t at = tree_memory_at(m, index);
        for (int k = 0; k < b->rank; k++)
            inside &= index[k] >= b->box[k][0] && index[k] < b->box[k][1];
        if (inside)
            m->element[at] = argument_element(b, b->before, index);
        m->state[at] = inside ? TREE_KNOWN : TREE_POISON;
    } while (tree_next_index(m->rank, m->lo, m->hi, index));
}

static void
eval_box(const tree_case *c, const ix_domain *box, int64_t *lo, int64_t *hi)
{
    for (int k = 0; k < box->rank; k++)
        if (!ix_lin_eval(box->ax[k].lo, c->size, &lo[k]) ||
            !ix_lin_eval(box->ax[k].hi, c->size, &hi[k]))
            abort();
}

/* Memory for all buffers; that of an output in place is its input's. */
static tree_memory *
make_memory(const tree_case *c, const ix_unit *u)
{
    tree_memory *m = tree_allocate(u->nbuffers, sizeof *m);
    for (size_t i = 0; i < u->nbuffers; i++) {
        m[i].dtype = u->buffer[i].dtype;
        m[i].rank = u->buffer[i].box->rank;
        eval_box(c, u->buffer[i].box, m[i].lo, m[i].hi);
        memcpy(m[i].first, m[i].lo, sizeof m[i].lo);
        memcpy(m[i].last, m[i].hi, sizeof m[i].hi);
    }
    for (size_t i = 0; i < u->nbuffers; i++) {
        for (size_t k = 0; k < u->nbuffers; k++)
            if (tree_shares(u, k, (int)i))
                tree_join_box(&m[i], &m[k]);
        tree_make_elements(&m[i]);
        if (u->buffer[i].role == IX_ROLE_INPUT)
            fill_input(c, &m[i], u->buffer[i].name);
    }
    return m;
}

/* ---- results ---- */

static bool
is_other_store(void *user, ix_stmt *s)
{
    const int *buffer = user;
    return s->kind != IX_STMT_STORE || s->buffer != *buffer;
}

static bool
writes_buffer(const ix_kernel *k, int buffer)
{
    return !ix_stmt_each(k->body, is_other_store, &buffer);
}

/* Notes the first element of output "i" that differs. */
static bool
same_output(const tree_case *c, tree_run *r, int i)
{
    const tree_memory *m = &r->memory[i];
    const ix_buffer *b = &r->u->buffer[i];
    const diff_buffer *want = argument_named(c, b->name);
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], index[ILEX_MAX_RANK];
    eval_box(c, b->interior, lo, hi);
    memcpy(index, lo, sizeof index);
    if (!want || tree_is_empty(m->rank, lo, hi))
        return true;
    do {
        int64_t at = tree_memory_at(m, index);
        ix_value v = argument_element(want, want->block, index);
        sum.elements++;
        bool known = at >= 0 && m->state[at] == TREE_KNOWN;
        if (known && ix_value_same(b->dtype, m->element[at], v))
            continue;
        int n = snprintf(r->failure, sizeof r->failure, "%s (b%d) %s at",
                         b->name, i, known ? "differs" : "is not written");
        for (int k = 0; k < m->rank; k++)
            n += snprintf(r->failure + n, sizeof r->failure - (size_t)n,
                          " %lld", (long long)index[k]);
        if (at >= 0)
            snprintf(r->failure + n, sizeof r->failure - (size_t)n,
                     ": 0x%llx, reference 0x%llx",
                     (unsigned long long)m->element[at].u,
                     (unsigned long long)v.u);
        return false;
    } while (tree_next_index(m->rank, lo, hi, index));
    return true;
}

static bool
same_results(const tree_case *c, tree_run *r)
{
    for (size_t i = 0; i < r->u->nbuffers; i++) {
        if (r->u->buffer[i].role != IX_ROLE_OUTPUT || same_output(c, r, (int)i))
            continue;
        for (const ix_kernel *k = r->u->kernels; k; k = k->next)
            if (writes_buffer(k, (int)i))
                r->kernel = k;
        return false;
    }
    return true;
}

/* ---- after a pass ---- */

/* The kernels as text, to be freed with ix_text_free. */
static ix_text
dump_kernels(ix_unit *u, const ix_kernel *only)
{
    ix_text t;
    ix_text_init(&t, ix_context_mem(u->ctx));
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        if (!only || k == only)
            ix_dump_kernel(u, k, &t);
    return t;
}

static void
put_program(const tree_case *c)
{
    if (c->text)
        printf("%s", c->text);
    else
        diff_recipe_print(c->recipe, stdout);
}

static void
report(tree_case *c, const tree_run *r, const char *pass)
{
    ix_text t = dump_kernels(r->u, r->kernel);
    printf("FAILED after pass %s (%s): program %llu of seed %llu: %s\n"
           "    repeat with: tree --seed=%llu --number=%llu --transform=%llu\n"
           "%s",
           pass, c->cuda ? "cuda" : "cpu",
           (unsigned long long)c->recipe->number,
           (unsigned long long)c->recipe->seed, r->failure,
           (unsigned long long)c->recipe->seed,
           (unsigned long long)c->recipe->number,
           (unsigned long long)o.transforms, c->trail);
    put_program(c);
    printf("kernel k%d:\n%s\n", r->kernel ? r->kernel->number : -1,
           t.data ? t.data : "");
    ix_text_free(&t);
    c->failed = true;
}

/* Whether the kernels are other ones than after the pass before. */
static bool
is_changed(tree_case *c, ix_unit *u)
{
    ix_text t = dump_kernels(u, NULL);
    uint64_t h = ix_hash_bytes((uint64_t)u->level + 1, t.data, t.length);
    bool changed = h != c->dump;
    ix_text_free(&t);
    c->dump = h;
    return changed;
}

/* Of the sizes, then of what is computed from them. */
static void
solve_sizes(tree_case *c)
{
    const ilex_context *ctx = c->ctx;
    free(c->size);
    c->size = tree_allocate(ctx->nparams, sizeof *c->size);
    for (size_t p = 0; p < ctx->nparams; p++) {
        for (int i = 0; i < DIFF_PARAMS; i++)
            if (!strcmp(ix_param_name(ctx, (int32_t)p), diff_param_names[i]))
                c->size[p] = c->recipe->sizes.value[i];
        for (size_t i = 0; i < c->ncounted && ctx->param[p].mask; i++)
            if (!strcmp(ix_param_name(ctx, (int32_t)p), c->counted[i].name))
                c->size[p] = c->counted[i].value;
        if (ix_param_is_derived(ctx, (int32_t)p))
            ix_param_value(ctx, (int32_t)p, c->size, &c->size[p]);
    }
}

/* Runs the kernels as they are; "order" is that of parallel loops. */
static void
interpret(tree_case *c, ix_unit *u, const char *pass, uint64_t order)
{
    tree_run r = {.u = u, .seed = c->recipe->number + order, .budget = budget};
    tree_prepare(&r);
    solve_sizes(c); /* a pass may need a product of sizes that is new */
    r.size = c->size;
    r.memory = make_memory(c, u);
    if (c->inplace)
        tree_share_memory(u, r.memory);
    sum.runs++;
    bool ok = tree_interpret(&r);
    sum.exhausted += r.exhausted;
    if (!r.exhausted && (!ok || !same_results(c, &r)))
        report(c, &r, pass);
    tree_free_memory(u, r.memory, c->inplace);
}

static void
note_done(tree_case *c, const tree_trial *t)
{
    size_t used = strlen(c->trail);
    if (t->refusal.class == IX_REFUSAL_NONE)
        snprintf(c->trail + used, sizeof c->trail - used, "    %s\n", t->text);
}

/* A transformation that is refused leaves the kernel as it was. */
static void
transform_once(tree_case *c, ix_unit *u, tree_trial *t, bool kernels)
{
    uint64_t before = c->dump;
    if (!(kernels ? tree_transform_kernels : tree_transform)(u, &c->random, t))
        return;
    bool changed = is_changed(c, u);
    note_done(c, t);
    if (t->refusal.class != IX_REFUSAL_NONE && changed && before) {
        printf("FAILED: %s was refused and changed the kernel\n", t->text);
        c->failed = true;
    }
    if (t->refusal.class != IX_REFUSAL_NONE || c->failed)
        return;
    ix_check_kernels(u, kernels ? "kernels" : "map");
    for (uint64_t i = 0; i < ORDERS && !c->failed; i++)
        interpret(c, u, t->text, 5 * i);
}

/* Some arrays are stored, before there is anything to interpret. */
static void
store_some(tree_case *c, ix_unit *u)
{
    tree_trial t;
    for (uint64_t n = tree_draw(&c->random, STORED + 1); n > 0; n--) {
        tree_transform_values(u, &c->random, &t);
        note_done(c, &t);
    }
}

static void
check_pass(void *user, ix_unit *u, const char *pass)
{
    tree_case *c = user;
    bool inplace = !strcmp(pass, "inplace"), mapped = !strcmp(pass, "map");
    bool kernels = !strcmp(pass, "kernels");
    c->inplace |= inplace;
    if (o.transforms && !strcmp(pass, "stored"))
        store_some(c, u);
    if (u->level < IX_LEVEL_TREE || c->failed)
        return;
    if ((is_changed(c, u) || inplace) && (!o.transforms || c->transformed))
        interpret(c, u, pass, 0);
    if (!o.transforms || !(mapped || kernels))
        return;
    tree_trial t = {.text = ""};
    uint64_t tries = kernels ? FUSIONS : o.transforms;
    c->transformed = true;
    if (kernels)
        tree_put_policy(u, c->trail, sizeof c->trail);
    for (uint64_t i = 0; i < tries && !c->failed; i++)
        transform_once(c, u, &t, kernels);
}

/* ---- a program ---- */

/* The arguments' storages; an output in place has its input's. */
static bool
make_arguments(tree_case *c, const ilex_size_binding *sizes)
{
    const ix_compiled *p = c->reference->c;
    uint64_t content = c->recipe->seed * 1000003u + c->recipe->number;
    for (size_t i = 0; i < c->narguments; i++) {
        int with = p->buffer[i].inplace;
        bool written = false;
        for (size_t k = 0; k < c->narguments; k++)
            written |= p->buffer[k].inplace == (int)i;
        if (!diff_buffer_make(&c->argument[i], c->ctx, c->reference, i, sizes,
                              DIFF_PARAMS, content, 0, written,
                              with >= 0 ? &c->argument[with] : NULL))
            return false;
        c->argument[i].shares = with;
    }
    return true;
}

/* How a program is run; "sizes" has room for those that are given. */
static ilex_call
call_of(const tree_case *c, ilex_size_binding *sizes)
{
    for (int i = 0; i < DIFF_PARAMS; i++)
        sizes[i] =
            (ilex_size_binding){diff_param_names[i], c->recipe->sizes.value[i]};
    return (ilex_call){.size = sizeof(ilex_call),
                       .sizes = sizes,
                       .size_count = DIFF_PARAMS,
                       .counted = c->counted,
                       .counted_count = c->ncounted};
}

/* Runs the reference; false when the program has no results. */
static bool
run_reference(tree_case *c)
{
    ilex_size_binding sizes[DIFF_PARAMS];
    ilex_option_set(c->ctx, "jit", "reference");
    c->reference = ilex_compile_module(c->module);
    if (!c->reference)
        return false;
    c->narguments = ilex_program_argument_count(c->reference);
    c->ncounted = ilex_program_counted_count(c->reference);
    c->counted = tree_allocate(c->ncounted, sizeof *c->counted);
    for (size_t i = 0; i < c->ncounted; i++)
        c->counted[i].name = ilex_program_counted_name(c->reference, i);
    ilex_call call = call_of(c, sizes);
    c->argument = tree_allocate(c->narguments, sizeof *c->argument);
    ilex_binding *b = tree_allocate(c->narguments, sizeof *b);
    bool ok = make_arguments(c, sizes);
    for (size_t i = 0; ok && i < c->narguments; i++) {
        diff_buffer_arm(&c->argument[i]);
        b[i] = (ilex_binding)ILEX_BIND(c->reference->c->buffer[i].name,
                                       c->argument[i].storage);
    }
    if (ok && ilex_run(c->reference, b, c->narguments, &call)) {
        printf("reference: %s\n", call.error);
        ok = false;
    }
    free(b);
    return ok;
}

/* The program with the transformations that were done as its schedule. */
static void
run_scheduled(tree_case *c)
{
    char schedule[2 * sizeof c->trail], what[600];
    ilex_size_binding sizes[DIFF_PARAMS];
    ilex_call call = call_of(c, sizes);
    tree_put_schedule(c->trail, schedule, sizeof schedule);
    tree_compiled x = {c->ctx,      c->module,     o.jit, schedule,
                       c->argument, c->narguments, &call};
    if (tree_run_compiled(&x, what, sizeof what))
        return;
    printf("FAILED: program %llu of seed %llu, %s: %s\n%s",
           (unsigned long long)c->recipe->number,
           (unsigned long long)c->recipe->seed, o.jit, what, schedule);
    put_program(c);
    c->failed = true;
}

/* Any error but a refusal is a failure; none: the run had no value. */
static void
judge_error(tree_case *c)
{
    sum.refused++;
    if (!ilex_error_code(c->ctx) || diff_is_refusal(ilex_error_code(c->ctx)))
        return;
    printf("FAILED: program %llu of seed %llu: %s\n",
           (unsigned long long)c->recipe->number,
           (unsigned long long)c->recipe->seed, ilex_error_text(c->ctx));
    c->failed = true;
}

/* Compiles for one target, with the interpreter after each pass. */
static void
compile_for(tree_case *c, bool cuda)
{
    ix_compile_request request = {.after = check_pass, .user = c};
    request.dialect[IX_DIALECT_cuda] = cuda;
    c->cuda = cuda;
    c->dump = 0;
    c->inplace = false;
    ix_compiled *compiled = ix_compile(c->module, &request);
    if (!compiled)
        judge_error(c);
    ilex_error_clear(c->ctx);
    ix_compiled_free(compiled);
}

static void
close_case(tree_case *c)
{
    for (size_t i = c->narguments; i > 0; i--)
        diff_buffer_free(&c->argument[i - 1]);
    free(c->argument);
    free(c->size);
    free(c->counted);
    ilex_program_release(c->reference);
    ilex_module_free(c->module);
    ilex_context_free(c->ctx);
}

/* The module of a recipe, or of a text; false if there is none. */
static bool
make_module(tree_case *c)
{
    if (c->text) {
        c->module = ilex_module_parse(c->ctx, c->text, NULL);
        return c->module != NULL;
    }
    c->module = ilex_module_new(c->ctx, "random");
    return c->module && diff_recipe_build(&c->shop, c->ctx, c->recipe, 0) &&
           diff_recipe_outputs(&c->shop, c->module) == ILEX_OK;
}

static bool
run_program(const diff_recipe *recipe, const char *text)
{
    tree_case c = {.recipe = recipe,
                   .text = text,
                   .ctx = ilex_context_new(NULL),
                   .random =
                       recipe->seed * 1000003u + recipe->number + o.transforms};
    if (!c.ctx || !diff_context_prepare(c.ctx, &recipe->sizes))
        abort();
    if (!make_module(&c)) {
        sum.refused++; /* what differential reports */
        c.failed = text != NULL;
        if (text)
            printf("FAILED: %s\n", ilex_error_text(c.ctx));
    } else if (!run_reference(&c)) {
        judge_error(&c);
    } else {
        ilex_error_clear(c.ctx);
        if (o.transforms && recipe->number % 2)
            ilex_option_set(c.ctx, "schedule", o.jit ? "program:\n" : "none");
        compile_for(&c, o.cuda);
        if (!c.failed && !o.transforms)
            compile_for(&c, true);
        if (o.jit && !c.failed && *c.trail)
            run_scheduled(&c);
        sum.programs++;
    }
    sum.failed += c.failed;
    close_case(&c);
    return !c.failed;
}

typedef struct text_program {
    diff_sizes sizes;
    const char *text;
} text_program;

/* The programs of programs.def; loops are transformed in those of nests.def,
 * with one sequence of random numbers after the other. */
static void
run_texts(void)
{
    static const text_program programs[] = {
#define TREE_PROGRAM(name, n, m, k, statements)                                \
    {{2, {n, m, k}}, "ilex 1\nprogram " #name "\nsize n, m, k\n" statements},
#include "tests/tree/programs.def"
    };
    static const text_program nests[] = {
#define TREE_PROGRAM(name, n, m, k, statements)                                \
    {{2, {n, m, k}}, "ilex 1\nprogram " #name "\nsize n, m, k\n" statements},
#include "tests/tree/nests.def"
    };
    for (size_t i = 0; i < IX_COUNT(programs) && !o.transforms; i++) {
        diff_recipe recipe = {.sizes = programs[i].sizes};
        run_program(&recipe, programs[i].text);
    }
    for (size_t i = 0; i < IX_COUNT(nests); i++)
        for (uint64_t again = 0; again < (o.transforms ? AGAIN : 1); again++) {
            diff_recipe recipe = {
                .sizes = nests[i].sizes, .seed = o.seed, .number = again};
            if (!run_program(&recipe, nests[i].text))
                break;
        }
}

/* ---- all ---- */

int
main(int argc, char **argv)
{
    diff_recipe recipe;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!tree_read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: tree [--long] [--seed=S] "
                        "[--number=N] [--first=F] [--count=C] "
                        "[--transform=T [--jit=BACKEND]]\n");
        return 2;
    }
    if (o.number < 0 && o.first == 0)
        run_texts();
    int64_t first = o.number >= 0 ? o.number : o.first;
    int64_t end = o.number >= 0 ? o.number + 1 : o.count;
    for (int64_t i = first; i < end && sum.failed < MOST_FAILURES; i++) {
        if (diff_recipe_make(&recipe, o.seed, (uint64_t)i))
            run_program(&recipe, NULL);
        else
            sum.refused++;
    }
    printf("tree: seed %llu: %d programs, %d refused, %lld runs after a pass, "
           "%lld elements; %lld runs left "
           "out as too long, %d failed\n",
           (unsigned long long)o.seed, sum.programs, sum.refused,
           (long long)sum.runs, (long long)sum.elements,
           (long long)sum.exhausted, sum.failed);
    if (o.transforms && !tree_transform_report() && o.number < 0)
        return 1;
    return sum.failed != 0 || (o.number < 0 && sum.programs == 0);
}
