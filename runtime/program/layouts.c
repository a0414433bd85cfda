/* SPDX-License-Identifier: MIT
 *
 * Programs for arrays as they lie. A program's loops go by the order of C, and
 * threads divide the outermost one; the first run that meets large arrays that
 * lie otherwise, or have few rows for its threads, compiles it for these,
 * from its text and options in a context of its own: a variant, which later
 * runs over such arrays are. There are few. Runs of other threads meanwhile,
 * what is in too many orders, and what cannot be compiled anew, take the
 * program as it is; no bit of a result depends on it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/program.h"

enum {
    MOST = 3,      /* beside the program */
    MOST_RANK = 10 /* an axis is a digit */
};

typedef struct variant {
    struct variant *next;
    uint64_t key;
    _Atomic(ilex_program *) program; /* NULL: there is none yet, or never */
    char *order;                     /* as option order says it */
} variant;

/* A program for parts of outputs. */
typedef struct part {
    struct part *next;
    uint64_t without;
    ilex_program *program;
} part;

struct ix_parts {
    ix_parts *next;
    const ilex_program *whole;
    char *axes; /* "": the program in one */
    size_t section;
    ix_section_list sections;
    _Atomic(part *) parts; /* more are put before them */
    uint8_t hash[16];
};

struct ix_layouts {
    char *text, *option[IX_NOPTIONS];
    bool turns; /* there may be variants */
    _Atomic(variant *) variants;
    pthread_mutex_t lock;      /* of who adds to what follows */
    _Atomic(ix_parts *) parts; /* more are put before them */
};

int64_t ix_layouts_bytes = 1 << 15;

/* ---- its life ---- */

/* Can it be compiled once more, from text? */
static bool
suits(ilex_context *ctx, const ilex_program *p)
{
    const ix_compiled *c = p->c;
    bool ok = p->backend->engine == &ix_engine_host &&
              !strchr(ix_option_text(ctx, IX_OPTION_schedule), '\n') &&
              !memcmp(&p->mem, &ix_mem_default, sizeof p->mem);
    for (size_t i = 0; ok && i < c->narguments; i++)
        ok = c->buffer[i].role != IX_COMPILED_DATA;
    return ok;
}

/* Can runs be of code for another order? */
static bool
may_turn(ilex_context *ctx, const ilex_program *p)
{
    const ix_compiled *c = p->c;
    bool ok = c->turns && !strcmp(ix_option_text(ctx, IX_OPTION_order), "auto");
    for (size_t i = 0; ok && i < c->narguments; i++)
        ok = c->buffer[i].rank <= MOST_RANK;
    return ok;
}

static char *
copy(const char *text)
{
    char *to = text ? malloc(strlen(text) + 1) : NULL;
    return to ? strcpy(to, text) : NULL;
}

/* The text of a module, or NULL: one that comes from no text is printed, which
 * takes a tenth of the time to compile it, where an argument has axes that can
 * lie otherwise, or be divided. */
static char *
text_of(ilex_module *module, const ix_compiled *c)
{
    ilex_context *ctx = module->ctx;
    bool turns = false;
    if (module->text && module->ntext == module->noutputs)
        return copy(module->text);
    for (size_t i = 0; i < c->narguments; i++)
        turns |= c->buffer[i].rank > 1 ||
                 (c->buffer[i].rank == 1 && *c->buffer[i].axis[0]);
    if (!turns)
        return NULL;
    char *text = ilex_module_print(module), *own = copy(text);
    ix_error_clear(&ctx->error); /* of what is too long to be printed */
    ilex_text_free(ctx, text);
    return own;
}

ix_layouts *
ix_layouts_new(ilex_module *module, const ilex_program *p)
{
    ilex_context *ctx = module->ctx;
    char *text = suits(ctx, p) ? text_of(module, p->c) : NULL;
    ix_layouts *l = text ? calloc(1, sizeof *l) : NULL;
    if (!l) {
        free(text);
        return NULL;
    }
    l->text = text;
    l->turns = may_turn(ctx, p);
    pthread_mutex_init(&l->lock, NULL);
    for (int i = 0; i < IX_NOPTIONS; i++)
        l->option[i] = copy(ctx->option[i]);
    return l;
}

static void
free_parts(ix_parts *x)
{
    for (ix_parts *after; x; x = after) {
        after = x->next;
        for (part *p = atomic_load(&x->parts), *next; p; p = next) {
            next = p->next;
            ilex_program_release(p->program);
            free(p);
        }
        free(x->axes);
        free(x);
    }
}

void
ix_layouts_free(ix_layouts *l)
{
    if (!l)
        return;
    for (variant *v = atomic_load(&l->variants), *next; v; v = next) {
        next = v->next;
        ilex_program_release(atomic_load(&v->program));
        free(v->order);
        free(v);
    }
    free_parts(atomic_load(&l->parts));
    pthread_mutex_destroy(&l->lock);
    for (int i = 0; i < IX_NOPTIONS; i++)
        free(l->option[i]);
    free(l->text);
    free(l);
}

/* ---- how arrays lie ---- */

static int64_t
length_of(const ix_run *r, int at)
{
    return r->s.cover[at][1] - r->s.cover[at][0];
}

/* Does an axis come before another one in memory? One of length 1, or whose
 * elements are one, comes anywhere. */
static bool
comes_before(const ix_run *r, int a, int b)
{
    return length_of(r, a) > 1 && length_of(r, b) > 1 && r->s.stride[b] != 0 &&
           llabs(r->s.stride[a]) > llabs(r->s.stride[b]);
}

/* Axis "k" behind "n" others in place "to". */
static void
insert(int *axis, int n, int to, int k)
{
    memmove(&axis[to + 1], &axis[to], (size_t)(n - to) * sizeof *axis);
    axis[to] = k;
}

/* The axes of argument "i", the one with the largest stride first; false if
 * that is the order of C, and the last one is a good one for a loop. */
static bool
sort_axes(const ix_run *r, size_t i, int *axis)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    int at = b->first_stride, ones = 0;
    bool moved = false;
    for (int k = 0; k < b->rank; k++) {
        int to = k;
        for (int j = k; j-- > 0;)
            if (comes_before(r, at + k, at + axis[j]))
                to = j;
        insert(axis, k, to, k);
        moved |= to < k || (k == b->rank - 1 && length_of(r, at + k) == 1);
    }
    for (int k = 0; k < b->rank; k++)
        if (length_of(r, at + axis[k]) == 1)
            insert(axis, k, ones++, axis[k]);
    return moved && ones < b->rank;
}

static int64_t
bytes_of(const ilex_storage *s)
{
    return s ? ilex_storage_count(s) * (int64_t)ilex_dtype_bytes(s->dtype) : 0;
}

/* Calls "fn" with the axes of the arrays that take most of the memory and do
 * not lie in the order of C. */
typedef void each_order_fn(void *user, const ix_compiled_buffer *b,
                           const int *axis);
static void
each_order(const ix_run *r, each_order_fn *fn, void *user)
{
    enum { SHARE = 16 };
    const ix_compiled *c = r->p->c;
    int axis[ILEX_MAX_RANK];
    int64_t all = 0;
    for (size_t i = 0; i < c->narguments; i++)
        all += bytes_of(r->bound[i]);
    for (size_t i = 0; i < c->narguments && all >= ix_layouts_bytes; i++)
        if (bytes_of(r->bound[i]) >= all / SHARE && sort_axes(r, i, axis))
            fn(user, &c->buffer[i], axis);
}

/* The output with the most elements; narguments: there is none. */
static size_t
largest_output(const ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t o = c->narguments;
    for (size_t i = 0; i < c->narguments; i++)
        if (c->buffer[i].role == IX_COMPILED_OUTPUT &&
            (o == c->narguments ||
             bytes_of(r->bound[i]) > bytes_of(r->bound[o])))
            o = i;
    return o;
}

/* The place of the loop that threads divide: not the outermost one where that
 * has too few iterations for them, and one inside has some for each. */
static int
divided(const ix_run *r)
{
    enum { SHARE = 64 };
    const ix_compiled_buffer *b = &r->p->c->buffer[largest_output(r)];
    size_t o = (size_t)(b - r->p->c->buffer);
    int axis[ILEX_MAX_RANK], k = 1, at = b->first_stride;
    if (o == r->p->c->narguments || b->rank < 2 ||
        bytes_of(r->bound[o]) < ix_layouts_bytes)
        return 0;
    bool moved = sort_axes(r, o, axis);
    int64_t rows = length_of(r, at + (moved ? axis[0] : 0));
    if (rows >= IX_PARTS_EACH * (int64_t)ix_pool_cores())
        return 0;
    int64_t threads = ix_run_threads(r),
            least = threads * ix_layouts_bytes / SHARE /
                    (int64_t)ilex_dtype_bytes(b->dtype);
    if (rows >= IX_PARTS_EACH * threads || rows % threads == 0)
        return 0;
    while (k < b->rank && length_of(r, at + (moved ? axis[k] : k)) < least)
        k++;
    return k < b->rank ? k : 0;
}

/* Which order it is, as a number: 0 is that of C. */
static void
add_to_key(void *user, const ix_compiled_buffer *b, const int *axis)
{
    uint64_t *key = user;
    *key = ix_hash_bytes(*key + 1, &b->first_stride, sizeof b->first_stride);
    *key = ix_hash_bytes(*key, axis, (size_t)b->rank * sizeof *axis);
}

/* The same as option order says it. */
static void
put_order(void *user, const ix_compiled_buffer *b, const int *axis)
{
    ix_text *t = user;
    ix_text_format(t, "%s%s=", t->length ? "," : "", b->name);
    for (int k = 0; k < b->rank; k++)
        ix_text_char(t, (char)('0' + axis[k]));
}

/* ---- variants ---- */

/* What the program calls, as it was registered when that was compiled. */
static bool
register_functions(ilex_context *ctx, const ilex_program *p)
{
    const ix_compiled *c = p->c;
    bool ok = true;
    for (size_t i = 0; ok && i < c->ncalls; i++) {
        ilex_function_spec f = p->function[i];
        f.declaration = f.elementwise_cuda = NULL; /* of that context */
        if (!c->call[i].routine)
            ok = !ilex_function_register(ctx, c->call[i].name, &f);
    }
    for (size_t i = 0; ok && i < c->nfunctions; i++)
        ok = !ilex_function_register(
            ctx, c->function[i].name,
            &ILEX_FUNCTION_SPEC(.elementwise = p->elementwise[i]));
    return ok;
}

/* A context with the options and functions of the program. */
static ilex_context *
open_context(const ix_layouts *l, const ilex_program *p)
{
    ilex_context *ctx = ilex_context_new(NULL);
    for (int i = 0; ctx && i < IX_NOPTIONS; i++)
        ilex_option_set(ctx, ix_option_rows[i].name,
                        l->option[i] ? l->option[i] : ix_option_rows[i].value);
    if (ctx &&
        ix_promotion_is_done(p->promotion)) /* what it is worth is known */
        ilex_option_set(ctx, "tier_after", "0");
    if (ctx)
        ilex_option_set(ctx, "reuse", "0");
    if (!ctx || register_functions(ctx, p))
        return ctx;
    ilex_context_free(ctx);
    return NULL;
}

/* A program of the module, which is freed. */
static ilex_program *
compile(const ilex_program *p, ilex_module *m)
{
    if (m)
        ix_module_drop_messages(m);
    ilex_program *made = m ? ilex_compile_module(m) : NULL;
    ilex_module_free(m);
    if (made)
        made->is_variant = true;
    if (made && atomic_load(&p->profile->on))
        ilex_program_profile(made, 1);
    return made;
}

static variant *
find(variant *first, uint64_t key, int *count)
{
    for (*count = 0; first && first->key != key; first = first->next)
        *count += 1;
    return first;
}

const ilex_program *
ix_layouts_find(ix_run *r)
{
    ix_layouts *l = r->p->layouts;
    int count;
    if (!l || !l->turns)
        return r->p;
    each_order(r, add_to_key, &r->order);
    r->divided = divided(r);
    if (r->divided)
        r->order = ix_hash_bytes(r->order + 1, &r->divided, sizeof r->divided);
    const variant *v =
        r->order ? find(atomic_load(&l->variants), r->order, &count) : NULL;
    const ilex_program *made = v ? atomic_load(&v->program) : NULL;
    return made ? made : r->p;
}

/* One more that the caller is to compile; NULL: there is one, or there are
 * enough. */
static variant *
add(ix_layouts *l, const ix_run *r)
{
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    each_order(r, put_order, &t);
    if (r->divided)
        ix_text_format(&t, "%s0=%d", t.length ? "," : "", r->divided);
    variant *v = ix_text_string(&t) ? calloc(1, sizeof *v) : NULL;
    variant *first = atomic_load(&l->variants);
    int count = 0;
    bool is_new = false;
    while (v && !is_new && !find(first, r->order, &count) && count < MOST) {
        *v = (variant){.next = first, .key = r->order, .order = t.data};
        is_new = atomic_compare_exchange_strong(&l->variants, &first, v);
    }
    if (is_new)
        return v;
    free(v);
    ix_text_free(&t);
    return NULL;
}

const ilex_program *
ix_layouts_make(const ix_run *r)
{
    const ilex_program *p = r->p;
    variant *v = p->layouts && r->order ? add(p->layouts, r) : NULL;
    ilex_program *made = NULL;
    if (!v)
        return p;
    ilex_context *ctx = open_context(p->layouts, p);
    if (ctx && !ilex_option_set(ctx, "order", v->order))
        made = compile(p, ilex_module_parse(ctx, p->layouts->text, p->c->name));
    ilex_context_free(ctx);
    atomic_store(&v->program, made);
    return made ? made : p;
}

/* ---- parts of outputs ---- */

/* The module of a section, from text, without some outputs; with all of them,
 * which comes first, what it means and how many sections there are. */
static ilex_module *
section_module(ix_parts *x, uint64_t without, ilex_context *ctx)
{
    const ix_layouts *l = x->whole->layouts;
    ilex_module *m = ilex_module_parse(ctx, l->text, x->whole->c->name);
    ix_section_list sections = {.count = 1};
    if (m && !without)
        ilex_module_hash(m, x->hash);
    if (m && *x->axes) {
        ilex_module *all = m;
        m = ix_module_section(all, x->axes, x->section, &sections);
        ilex_module_free(all);
    }
    if (m && without)
        ix_module_drop_outputs(m, without);
    if (!without) {
        x->hash[0] ^= (uint8_t)(*x->axes ? x->section + 1 : 0);
        x->sections = sections;
    }
    return m;
}

static ilex_program *
compile_part(ix_parts *x, uint64_t without, ix_error *err)
{
    const ilex_program *p = x->whole;
    ilex_context *ctx = open_context(p->layouts, p);
    ilex_program *made = NULL;
    if (ctx && !ilex_option_set(ctx, "box", "2")) {
        made = compile(p, section_module(x, without, ctx));
        if (made && *x->axes) { /* no text says what it is */
            ix_layouts_free(made->layouts);
            made->layouts = NULL;
        }
    }
    if (!ctx)
        ix_fail_memory(err);
    else if (!made)
        ix_fail(err, ilex_error_code(ctx), "%s, for parts of its outputs: %s",
                p->c->name, ilex_error_text(ctx));
    ilex_context_free(ctx);
    return made;
}

static const ilex_program *
make_part(ix_parts *x, uint64_t without, ix_error *err)
{
    part *made = calloc(1, sizeof *made);
    if (!made)
        return ix_fail_memory_null(err);
    made->program = compile_part(x, without, err);
    if (!made->program) {
        free(made);
        return NULL;
    }
    made->without = without;
    made->next = atomic_load(&x->parts);
    atomic_store(&x->parts, made);
    return made->program;
}

static const ilex_program *
find_part(ix_parts *x, uint64_t without)
{
    const part *known = atomic_load(&x->parts);
    while (known && known->without != without)
        known = known->next;
    return known ? known->program : NULL;
}

const ilex_program *
ix_parts_program(ix_parts *x, uint64_t without, ix_error *err)
{
    ix_layouts *l = x->whole->layouts;
    const ilex_program *made = find_part(x, without);
    if (made)
        return made;
    pthread_mutex_lock(
        &l->lock); /* ranks of one process wait for one of them */
    made = find_part(x, without);
    made = made ? made : make_part(x, without, err);
    pthread_mutex_unlock(&l->lock);
    return made;
}

const uint8_t *
ix_parts_hash(const ix_parts *x)
{
    return x->hash;
}

const ix_section_list *
ix_parts_sections(const ix_parts *x)
{
    return &x->sections;
}

/* Adds the section to the program's. */
static ix_parts *
add_parts(const ilex_program *p, const char *axes, size_t section,
          ix_error *err)
{
    ix_parts *x = calloc(1, sizeof *x);
    char *own = copy(axes);
    if (!x || !own) {
        free(x);
        free(own);
        return ix_fail_memory_null(err);
    }
    x->next = atomic_load(&p->layouts->parts);
    x->whole = p;
    x->axes = own;
    x->section = section;
    x->sections.count = 1;
    atomic_store(&p->layouts->parts, x);
    return x;
}

static ix_parts *
find_parts(const ix_layouts *l, const char *axes, size_t section)
{
    ix_parts *x = atomic_load(&l->parts);
    while (x && (x->section != section || strcmp(x->axes, axes) != 0))
        x = x->next;
    return x;
}

ix_parts *
ix_layouts_parts(const ilex_program *p, const char *axes, size_t section,
                 ix_error *err)
{
    ix_layouts *l = p->layouts;
    if (!l)
        return ix_fail_null(
            err, ILEX_E_UNSUPPORTED,
            "%s: a run over ranks compiles the program once more, from its "
            "text; it must wrap no storages, run on the host, and have named "
            "axes",
            p->c->name);
    ix_parts *x = find_parts(l, axes, section);
    if (x)
        return x;
    pthread_mutex_lock(&l->lock);
    x = find_parts(l, axes, section);
    x = x ? x : add_parts(p, axes, section, err);
    pthread_mutex_unlock(&l->lock);
    return x;
}

const ilex_program *
ilex_program_variant(const ilex_program *p, size_t i, const char **order)
{
    variant *v = p->layouts ? atomic_load(&p->layouts->variants) : NULL;
    for (; v; v = v->next) {
        const ilex_program *made = atomic_load(&v->program);
        if (!made || i-- > 0)
            continue;
        if (order)
            *order = v->order;
        return made;
    }
    return NULL;
}
