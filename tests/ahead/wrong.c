/* SPDX-License-Identifier: MIT
 *
 * Runs with wrong arguments, ahead of time and at once: storages are made for
 * the very numbers that the function is given, in the same memory, so that both
 * sides say the same: the same status and message, or the same bits.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "runtime/program/program.h"
#include "tests/ahead/wrong.h"

enum { PAIRS = 6, STATUSES = 1000, CELL = 16, MOST_BYTES = 3 << 20 };

/* What came of a kind: the last one is for two at once. */
typedef struct tally {
    int tried, refused, status[STATUSES];
} tally;

static tally tallies[64]; /* by kind */

/* ---- a trial ---- */

static size_t
rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Bytes of workspace that a run of the other side needs. */
static size_t
room_of(const subject *s)
{
    int64_t bytes =
        ilex_program_workspace(s->simplified, s->sizes, DIFF_PARAMS, 1);
    return bytes < 0 ? 0 : (size_t)bytes;
}

/* The call of the function. */
static call
call_of(const trial *t, outcome *o)
{
    return (call){.argument = t->a,
                  .size = t->size,
                  .parts = t->parts,
                  .parallel_for = t->parts > 1 ? ahead_backwards : NULL,
                  .workspace = t->workspace,
                  .workspace_bytes = t->workspace_bytes,
                  .error = o ? o->text : NULL,
                  .error_bytes = o ? sizeof o->text : 0,
                  .counted = o ? o->counted : NULL};
}

/* An argument's memory at "to", a copy of what it has; numbers go by value, so
 * they are elsewhere. */
static size_t
place(trial *t, int i, unsigned char *cell, unsigned char *to)
{
    const diff_buffer *b = &t->b[i];
    size_t item = ilex_dtype_bytes(b->dtype);
    ahead_describe(&t->a[i], t->s->p, (size_t)i, b);
    if (t->s->has_text && strchr("iu", ix_dtype_kind(b->dtype)))
        memset(b->block, 0, b->bytes); /* indices that are inside */
    if (b->rank == 0 && !b->output) {
        t->a[i].data = memcpy(cell + i * CELL, b->origin, item);
        return 0;
    }
    if (b->shares >= 0 && b->rank > 0) {
        t->a[i].data = t->a[b->shares].data;
        return 0;
    }
    memcpy(to, b->block, b->bytes);
    for (size_t k = 0; b->dtype == ILEX_BOOL && k < b->bytes; k++)
        to[k] &= 1;
    t->a[i].data = to + (b->origin - b->block);
    return rounded(b->bytes);
}

/* Right arguments, in the middle of memory that has room for what is wrong. */
static void
begin(trial *t, const trial *like, unsigned char *cell, uint64_t number)
{
    *t = *like;
    t->r = diff_random_of(t->s->recipe.seed, t->s->recipe.number, number);
    t->parts = diff_draw(&t->r, 3);
    for (int k = 0; k < DIFF_PARAMS; k++)
        t->size[k] = t->s->sizes[k].value;
    memset(t->memory, 0, t->bytes);
    unsigned char *to = t->memory + t->bytes / 3 / 64 * 64;
    for (int i = 0; i < t->n; i++)
        to += place(t, i, cell, to);
    call c = call_of(t, NULL);
    size_t room = t->s->room(&c), other = room_of(t->s);
    t->least = room < other ? room : other;
    t->most = room < other ? other : room;
    t->plenty = 4 * t->most + 4096;
    t->block = wrong_allocate(t->plenty + 192);
    t->spare = (char *)t->block + (64 - (uintptr_t)t->block % 64);
    t->workspace = t->parts > 0 ? t->spare : NULL;
    t->workspace_bytes = t->parts > 0 ? t->plenty : 0;
}

/* Is an array inside of the memory, or nowhere? */
static bool
is_inside(const trial *t, int i)
{
    const argument *a = &t->a[i];
    int64_t item = (int64_t)ilex_dtype_bytes(t->b[i].dtype);
    int64_t lo = (unsigned char *)a->data - t->memory, hi = lo + item, far;
    int64_t most = (int64_t)t->bytes;
    if (!a->data || (t->b[i].rank == 0 && !t->b[i].output))
        return true;
    for (int k = 0; k < t->b[i].rank; k++) {
        if (__builtin_mul_overflow((a->shape[k] - 1) * item, a->stride[k],
                                   &far))
            return true;
        if (far > most || far < -most)
            return false;
        lo += far < 0 ? far : 0;
        hi += far > 0 ? far : 0;
    }
    return lo >= 0 && hi <= most;
}

static bool
are_inside(const trial *t)
{
    bool inside = true;
    for (int i = 0; i < t->n; i++)
        inside = inside && is_inside(t, i);
    return inside;
}

/* ---- both sides ---- */

/* The storage with the numbers of an argument; NULL: there is none. No storage
 * is made where elements are not aligned or leave 64 bits, but views may come
 * there. */
static ilex_storage *
make_storage(const trial *t, int i)
{
    const diff_buffer *b = &t->b[i];
    const argument *a = &t->a[i];
    const ix_compiled_buffer *to = &t->s->simplified->c->buffer[i];
    int64_t halo[2 * ILEX_MAX_RANK], none[ILEX_MAX_RANK] = {0};
    char axes[200];
    size_t n = 0;
    bool named = b->rank > 0 && *to->axis[0];
    axes[0] = '\0';
    for (int k = 0; k < b->rank; k++) {
        halo[2 * k] = a->halo[k][0];
        halo[2 * k + 1] = a->halo[k][1];
        if (named)
            n += (size_t)snprintf(axes + n, sizeof axes - n, "%s%s",
                                  k ? ", " : "", to->axis[k]);
    }
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(b->dtype),
                              .rank = b->rank,
                              .shape = a->shape,
                              .axes = named ? axes : NULL,
                              .halo = halo,
                              .origin = a->origin,
                              .data = t->memory,
                              .strides = none};
    ilex_storage *s = ilex_storage_new(t->s->ctx, &spec);
    if (s) {
        s->data = a->data;
        memcpy(s->stride, a->stride, sizeof s->stride);
    }
    return s;
}

/* The sizes that are given. */
static size_t
give_sizes(const trial *t, ilex_size_binding *sizes)
{
    size_t n = 0;
    for (int k = 0; k < DIFF_PARAMS; k++)
        if (t->size[k] != -1)
            sizes[n++] = (ilex_size_binding){diff_param_names[k], t->size[k]};
    return n;
}

static void
run_storages(const trial *t, ilex_binding *bindings, outcome *o)
{
    const ilex_program *p = t->s->simplified;
    ilex_size_binding sizes[DIFF_PARAMS], counted[AHEAD_COUNTS];
    size_t n = ilex_program_counted_count(p);
    for (size_t i = 0; i < n; i++)
        counted[i] = (ilex_size_binding){ilex_program_counted_name(p, i), 0};
    ilex_call c = {.size = sizeof c,
                   .threads = 1,
                   .workspace = t->workspace,
                   .workspace_bytes = t->workspace_bytes,
                   .sizes = sizes,
                   .size_count = give_sizes(t, sizes),
                   .counted = counted,
                   .counted_count = n};
    o->status = (int)ilex_run(p, bindings, (size_t)t->n, &c);
    memcpy(o->text, c.error, sizeof o->text);
    for (size_t i = 0; i < n; i++)
        o->counted[i] = counted[i].value;
}

static void
run_other(const trial *t, outcome *o)
{
    ilex_binding *bindings = wrong_allocate((size_t)t->n * sizeof *bindings);
    ilex_storage **made = wrong_allocate((size_t)t->n * sizeof(ilex_storage *));
    for (int i = 0; i < t->n && !o->refused; i++) {
        made[i] = make_storage(t, i);
        o->refused = !made[i];
        bindings[i] = (ilex_binding)ILEX_BIND(
            t->s->simplified->c->buffer[i].name, made[i]);
    }
    ilex_error_clear(t->s->ctx);
    if (!o->refused)
        run_storages(t, bindings, o);
    for (int i = 0; i < t->n; i++)
        ilex_storage_release(made[i]);
    free(made);
    free(bindings);
}

static void
run_function(const trial *t, outcome *o)
{
    call c = call_of(t, o);
    o->status = t->s->run(&c);
}

/* Runs and puts the memory back. */
static void
run_side(const trial *t, void (*run)(const trial *t, outcome *o), outcome *o,
         const unsigned char *before)
{
    memset(o, 0, sizeof *o);
    o->memory = wrong_allocate(t->bytes);
    run(t, o);
    memcpy(o->memory, t->memory, t->bytes);
    memcpy(t->memory, before, t->bytes);
}

/* ---- all kinds ---- */

static void
complain(const trial *t, const char *kinds, const char *what, const outcome *a,
         const outcome *b)
{
    char text[2 * WRONG_TEXT + 300];
    snprintf(text, sizeof text,
             "\n  %d '%s', storages\n  %d '%s', the function", a->status,
             a->text, b->status, b->text);
    ahead_fail(t->s, kinds, what);
    printf("%s\n", text);
}

static void
compare(const trial *t, const char *kinds, tally *n)
{
    unsigned char *before = wrong_allocate(t->bytes);
    outcome a, b;
    memcpy(before, t->memory, t->bytes);
    run_side(t, run_other, &a, before);
    run_side(t, run_function, &b, before);
    n->tried++;
    n->refused += a.refused;
    const char *bad = a.refused ? NULL : wrong_judge(t, &a, &b, before);
    if (bad)
        complain(t, kinds, bad, &a, &b);
    if (!a.refused && a.status >= 0 && a.status < STATUSES)
        n->status[a.status]++;
    free(a.memory);
    free(b.memory);
    free(before);
}

/* One kind, or two. */
static void
try_kinds(const trial *like, unsigned char *cell, int first, int second)
{
    trial t;
    char kinds[200];
    begin(&t, like, cell, (uint64_t)(first * 100 + second + 1));
    const wrong_kind *one = &wrong_kinds[first];
    const wrong_kind *two = second < 0 ? NULL : &wrong_kinds[second];
    snprintf(kinds, sizeof kinds, "%s%s%s:", one->name, two ? ", " : "",
             two ? two->name : "");
    if (one->spoil(&t, one->by) && (!two || two->spoil(&t, two->by)) &&
        are_inside(&t))
        compare(&t, kinds, &tallies[two ? wrong_count : first]);
    free(t.block);
}

/* All kinds, over memory that each of them copies. */
static void
try_all(trial *t, diff_random *r)
{
    unsigned char *cell = wrong_allocate((size_t)t->n * CELL);
    unsigned char *block = wrong_allocate(t->bytes + 64);
    t->memory = block + 64 - (uintptr_t)block % 64;
    for (int i = 0; i < wrong_count; i++)
        try_kinds(t, cell, i, -1);
    for (int i = 0; i < PAIRS; i++) {
        int first = diff_draw(r, wrong_count);
        try_kinds(t, cell, first, diff_draw(r, wrong_count));
    }
    free(block);
    free(cell);
}

void
wrong_try(const subject *s)
{
    trial t = {.s = s, .n = (int)s->p->c->narguments};
    t.b = wrong_allocate((size_t)t.n * sizeof *t.b);
    t.a = wrong_allocate((size_t)t.n * sizeof *t.a);
    diff_random r = diff_random_of(s->recipe.seed, s->recipe.number, 11);
    if (!ahead_buffers(s, t.b, 1 + diff_draw(&r, 3)))
        abort();
    for (int i = 0; i < t.n; i++)
        t.bytes += 3 * (rounded(t.b[i].bytes) + 64);
    if (t.bytes <= MOST_BYTES)
        try_all(&t, &r);
    for (int i = t.n; i > 0; i--)
        diff_buffer_free(&t.b[i - 1]);
    free(t.b);
    free(t.a);
}

void
wrong_report(bool all)
{
    for (int i = 0; i <= wrong_count; i++) {
        const tally *n = &tallies[i];
        printf("%s: %d", i < wrong_count ? wrong_kinds[i].name : "two of these",
               n->tried);
        if (n->refused)
            printf(", %d no storage", n->refused);
        for (int k = 0; k < STATUSES; k++)
            if (n->status[k])
                printf(", %d %s", n->status[k],
                       ilex_status_name((ilex_status)k));
        puts("");
        if (all && n->tried == n->refused)
            ahead_fail(NULL, "no program has this", "");
    }
}
