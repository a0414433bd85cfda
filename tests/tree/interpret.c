/* SPDX-License-Identifier: MIT
 *
 * Statements of the level TREE.
 */
#include "tests/tree/interpret.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void run_list(tree_machine *m, const ix_stmt *list);

/* ---- failures, memory ---- */

void
tree_fail(tree_machine *m, const char *fmt, ...)
{
    tree_run *r = m->r;
    const ix_stmt *s = m->stmt;
    va_list args;
    int n = snprintf(
        r->failure, sizeof r->failure, "kernel k%d, %s %s: ", m->k->number,
        s ? ix_stmt_rows[s->kind].name : "", s ? ix_stmt_subject(s).s : "");
    va_start(args, fmt);
    vsnprintf(r->failure + n, sizeof r->failure - (size_t)n, fmt, args);
    va_end(args);
    r->kernel = m->of;
    longjmp(m->failed, 1);
}

void *
tree_allocate(size_t n, size_t bytes)
{
    void *p = calloc(n + 1, bytes);
    if (!p)
        abort();
    return p;
}

/* ---- elements ---- */

static tree_slot *
scratch_of(tree_machine *m, const ix_stmt *s)
{
    if (!s || s->number < 0 || s->number >= m->k->nvalues ||
        !m->slot[s->number].defined || m->slot[s->number].extent == 0)
        tree_fail(m, "scratch %c%d is not defined here", s ? s->prefix : '?',
                  s ? s->number : -1);
    return &m->slot[s->number];
}

static void
check_extent(tree_machine *m, const ix_stmt *s, int64_t i)
{
    const tree_slot *t = scratch_of(m, s);
    if (i < 0 || i >= t->extent)
        tree_fail(m, "element %lld of %c%d is outside [0, %lld)", (long long)i,
                  s->prefix, s->number, (long long)t->extent);
}

static ix_value
get(tree_machine *m, const ix_stmt *s, int64_t i)
{
    check_extent(m, s, i);
    const tree_slot *t = scratch_of(m, s);
    m->poison |= !t->known[i];
    return t->memory[i];
}

static void
set(tree_machine *m, const ix_stmt *s, int64_t i, ix_value v)
{
    check_extent(m, s, i);
    tree_slot *t = scratch_of(m, s);
    t->memory[i] = v;
    t->known[i] = !m->poison;
}

static void
indices_of(tree_machine *m, const ix_stmt *s, int64_t *index)
{
    for (int k = 0; k < s->n[IX_INDICES]; k++)
        index[k] = tree_decide(m, ix_operands(s, IX_INDICES)[k]).i;
    if (!s->mem)
        return;
    const tree_slot *row = &m->slot[s->mem->number];
    if (!row->defined || !row->row || s->mem->buffer != s->buffer)
        tree_fail(m, "row r%d is not defined here, or of another buffer",
                  s->mem->number);
    for (int k = 0; k < s->n[IX_INDICES]; k++)
        index[k] += row->row[k];
}

/* The index of an element in its scratch memory. */
static int64_t
scratch_index(tree_machine *m, const ix_stmt *s)
{
    return s->n[IX_INDICES] ? tree_decide(m, ix_first_operand(s, IX_INDICES)).i
                            : 0;
}

static ix_value
read_element(tree_machine *m, const ix_stmt *s)
{
    int64_t index[ILEX_MAX_RANK] = {0};
    if (s->buffer < 0)
        return get(m, s->mem, scratch_index(m, s));
    indices_of(m, s, index);
    return tree_load(m, s->buffer, index);
}

static int64_t
place_in_buffer(tree_machine *m, const ix_stmt *s)
{
    int64_t index[ILEX_MAX_RANK] = {0};
    const tree_memory *b = &m->r->memory[m->buffer[s->buffer]];
    if (s->n[IX_INDICES] != b->rank)
        tree_fail(m, "b%d has another rank", s->buffer);
    indices_of(m, s, index);
    int64_t at = tree_memory_at(b, index);
    if (at < 0)
        tree_outside(m, s->buffer, index);
    return at;
}

/* ---- definitions ---- */

static tree_slot *
define(tree_machine *m, const ix_stmt *s)
{
    if (s->number < 0 || s->number >= m->k->nvalues)
        tree_fail(m, "number %d is too large", s->number);
    tree_slot *t = &m->slot[s->number];
    if (t->defined)
        tree_fail(m, "%c%d is defined twice", s->prefix, s->number);
    t->defined = true;
    return t;
}

static void
run_let(tree_machine *m, const ix_stmt *s)
{
    bool load = s->kind == IX_STMT_LOAD;
    ix_value v = load ? read_element(m, s) : tree_evaluate(m, ix_let_value(s));
    tree_slot *t = define(m, s);
    t->value = v;
    t->poison = m->poison;
}

static void
run_row(tree_machine *m, const ix_stmt *s)
{
    int64_t index[ILEX_MAX_RANK];
    indices_of(m, s, index);
    tree_slot *t = define(m, s);
    if (!t->row)
        t->row = tree_allocate(ILEX_MAX_RANK, sizeof *t->row);
    memcpy(t->row, index, s->n[IX_INDICES] * sizeof *index);
}

static void
run_scratch(tree_machine *m, const ix_stmt *s)
{
    const ilex_array *x = ix_scratch_first(s);
    ix_value first = {.i = 0};
    if (x)
        first = tree_evaluate(m, x);
    tree_slot *t = define(m, s);
    t->kind = s->scratch;
    t->dtype = s->dtype;
    t->extent = s->scratch == IX_SCRATCH_CELL ? 1 : s->extent;
    if (t->extent > t->capacity) {
        free(t->memory);
        free(t->known);
        t->memory = tree_allocate((size_t)t->extent, sizeof *t->memory);
        t->known = tree_allocate((size_t)t->extent, sizeof *t->known);
        t->capacity = t->extent;
    }
    memset(t->known, 0, (size_t)t->extent * sizeof *t->known);
    if (x)
        set(m, s, 0, first);
}

/* It may be anywhere. */
static void
run_fetch(tree_machine *m, const ix_stmt *s)
{
    int64_t index[ILEX_MAX_RANK];
    indices_of(m, s, index);
}

/* As many as a line has, or less, as the address of what is stored would say.
 */
static void
run_aside(tree_machine *m, const ix_stmt *s)
{
    int64_t index[ILEX_MAX_RANK], n = s->buffer;
    indices_of(m, s, index);
    for (int d = 0; d < s->n[IX_INDICES]; d++)
        n = 3 * n + index[d];
    n = (n % 8 + 8) % 8;
    if (s->n[IX_aside_large] && !tree_decide(m, ix_aside_large(s)).i)
        n = (int64_t)1 << 62;
    define(m, s)->value = (ix_value){.i = n};
}

static void
run_fence(tree_machine *m, const ix_stmt *s)
{
    (void)m, (void)s;
}

/* ---- memory ---- */

ix_value
tree_combine(ix_op op, ilex_dtype dtype, ix_value a, ix_value b)
{
    ix_value args[2] = {a, b}, v;
    ix_op_eval(op, dtype, args, &v);
    return v;
}

static bool
is_output(const ix_stmt *s)
{
    return s && s->kind == IX_STMT_STORE && s->buffer >= 0;
}

/* Neighbouring stores to buffers happen one after the other when the values and
 * places of all of them are known: an output may have the memory of an input, a
 * position move on. */
static const ix_stmt *
run_stores(tree_machine *m, const ix_stmt *s)
{
    enum { MOST = 4096 };
    static struct {
        tree_memory *b;
        int64_t at;
        ix_value v;
        tree_state state;
    } store[MOST];
    int n = 0;
    for (const ix_stmt *t = s; is_output(t) && n < MOST; t = t->next) {
        m->stmt = s = t;
        m->poison = false;
        store[n].v = tree_evaluate(m, ix_store_value(t));
        store[n].state = m->poison ? TREE_POISON : TREE_KNOWN;
        store[n].at = place_in_buffer(m, t);
        store[n++].b = &m->r->memory[m->buffer[t->buffer]];
    }
    for (int i = 0; i < n; i++) {
        store[i].b->element[store[i].at] = store[i].v;
        store[i].b->state[store[i].at] = store[i].state;
    }
    return s;
}

static void
run_store(tree_machine *m, const ix_stmt *s)
{
    int64_t at = scratch_index(m, s);
    set(m, s->mem, at, tree_evaluate(m, ix_store_value(s)));
}

static void
run_update(tree_machine *m, const ix_stmt *s)
{
    if (s->buffer >= 0)
        tree_fail(m, "an update of a buffer");
    int64_t at = scratch_index(m, s);
    ix_value sum = get(m, s->mem, at);
    set(m, s->mem, at, tree_update(m, s->op, ix_update_value(s), sum));
}

static void
run_fold(tree_machine *m, const ix_stmt *s)
{
    for (int64_t h = scratch_of(m, s->from)->extent / 2; h > 0; h /= 2)
        for (int64_t j = 0; j < h; j++) {
            m->poison = false;
            ix_value a = get(m, s->from, j), b = get(m, s->from, j + h);
            set(m, s->from, j, tree_combine(s->op, s->from->dtype, a, b));
        }
    m->poison = false;
    set(m, s->to, 0, get(m, s->from, 0));
}

/* ---- control ---- */

static void
bounds_of(tree_machine *m, const ix_stmt *s, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MIN;
    *hi = INT64_MAX;
    if (!s->n[IX_for_lo] || !s->n[IX_for_hi] || s->step < 1)
        tree_fail(m, "a loop without bounds or step");
    for (int i = 0; i < s->n[IX_for_lo]; i++) {
        int64_t v = tree_decide(m, ix_operands(s, IX_for_lo)[i]).i;
        *lo = v > *lo ? v : *lo;
    }
    for (int i = 0; i < s->n[IX_for_hi]; i++) {
        int64_t v = tree_decide(m, ix_operands(s, IX_for_hi)[i]).i;
        *hi = v < *hi ? v : *hi;
    }
}

static int64_t
common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Which of n independent iterations is the i-th: backwards, or all over the
 * place. */
static int64_t
shuffled(const tree_machine *m, int64_t i, int64_t n)
{
    int64_t stride = (int64_t)(m->r->seed % 7) + 2;
    if (m->r->seed % 2 == 0)
        return n - 1 - i;
    while (common_divisor(stride, n) != 1)
        stride++;
    return (int64_t)(((uint64_t)i * (uint64_t)stride + m->r->seed / 7) %
                     (uint64_t)n);
}

static void
set_variable(tree_machine *m, const ix_stmt *s, int64_t v, bool known)
{
    if ((size_t)s->number >= m->k->nvariables)
        tree_fail(m, "there is no such variable");
    m->variable[s->number] = v;
    m->has_variable[s->number] = known;
}

/* Loops that may run in any order do; around one over threads are others over
 * threads alone, along other dimensions. */
static void
run_for(tree_machine *m, const ix_stmt *s)
{
    int64_t lo, hi;
    bounds_of(m, s, &lo, &hi);
    unsigned along = s->how == IX_GRID ? 1u << s->dim : 0;
    if (along && (m->loops || (m->along & along)))
        tree_fail(m, "threads differ inside a loop, or along %c twice",
                  "xyz"[s->dim]);
    m->along |= along;
    m->loops += !along;
    const ilex_array *goes_on = ix_for_while(s);
    int64_t n = hi > lo ? (hi - lo - 1) / s->step + 1 : 0;
    bool any_order = s->parallel || s->how != IX_SERIAL;
    if (goes_on && (any_order || s->down))
        tree_fail(m, "a loop with a condition goes upwards, one by one");
    for (int64_t i = 0; i < n && (!goes_on || tree_decide(m, goes_on).i); i++) {
        int64_t at = any_order && n > 1 ? shuffled(m, i, n) : i;
        at = s->down ? n - 1 - i : at;
        m->stmt = s;
        if (m->has_variable[s->number] && i == 0)
            tree_fail(m, "the variable is that of a loop around");
        set_variable(m, s, lo + at * s->step, true);
        run_list(m, s->body);
    }
    m->loops -= !along;
    m->along &= ~along;
    m->has_variable[s->number] = false;
}

void
tree_check(tree_machine *m, int64_t v, int64_t lo, int64_t hi)
{
    if (v < lo || v >= hi)
        tree_fail(m, "index %lld, which is data, is outside [%lld, %lld)",
                  (long long)v, (long long)lo, (long long)hi);
}

static void
run_check(tree_machine *m, const ix_stmt *s)
{
    tree_check(m, tree_decide(m, ix_check_value(s)).i,
               tree_decide(m, ix_check_lo(s)).i,
               tree_decide(m, ix_check_hi(s)).i);
}

static void
run_if(tree_machine *m, const ix_stmt *s)
{
    run_list(m, tree_decide(m, ix_if_condition(s)).i ? s->body : s->other);
}

/* The statements of a block; what they define ends with it. */
static void
run_list(tree_machine *m, const ix_stmt *list)
{
    static void (*const run[IX_NSTMTS])(tree_machine *, const ix_stmt *) = {
        [IX_STMT_FOR] = run_for,     [IX_STMT_IF] = run_if,
        [IX_STMT_LET] = run_let,     [IX_STMT_ROW] = run_row,
        [IX_STMT_FETCH] = run_fetch, [IX_STMT_SCRATCH] = run_scratch,
        [IX_STMT_STORE] = run_store, [IX_STMT_UPDATE] = run_update,
        [IX_STMT_FOLD] = run_fold,   [IX_STMT_CHECK] = run_check,
        [IX_STMT_FENCE] = run_fence, [IX_STMT_ASIDE] = run_aside,
        [IX_STMT_LOAD] = run_let};
    tree_charge(m);
    for (const ix_stmt *s = list; s; s = s->next) {
        m->stmt = s;
        m->poison = false;
        if (is_output(s))
            s = run_stores(m, s);
        else
            run[s->kind](m, s);
    }
    for (const ix_stmt *s = list; s; s = s->next)
        if (ix_stmt_defines(s))
            m->slot[s->number].defined = false;
}

/* ---- kernels ---- */

static bool
note_write(void *user, ix_stmt *s)
{
    tree_machine *m = user;
    bool writes = s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE;
    if (writes && s->buffer >= 0)
        m->writes[s->buffer] = true;
    return true;
}

static void
run_range(tree_machine *m, int64_t begin, int64_t end)
{
    m->begin = begin;
    m->end = end;
    run_list(m, m->k->body);
    m->stmt = NULL;
}

/* A run launches no kernel with an empty box. After `map` a kernel is called
 * for parts of the range of an axis of its box, in any order: here for the
 * upper half, then for the lower one. */
static void
run_kernel(tree_machine *m)
{
    const ix_domain *box = m->of->box;
    int64_t lo, hi;
    ix_stmt_each(m->k->body, note_write, m);
    int64_t begin = 0, end = 1;
    for (int k = 0; k < box->rank; k++) {
        if (!ix_lin_eval(box->ax[k].lo, m->r->size, &lo) ||
            !ix_lin_eval(box->ax[k].hi, m->r->size, &hi))
            tree_fail(m, "the range of the kernel leaves 64 bits");
        if (hi <= lo)
            return;
        begin = k == m->of->axis ? lo : begin;
        end = k == m->of->axis ? hi : end;
    }
    bool mapped = m->r->u->level == IX_LEVEL_TARGET && box->rank > 0;
    lo = mapped ? begin : 0;
    hi = mapped ? end : 1;
    int64_t middle = lo + (hi - lo) / 2;
    if (middle < hi)
        run_range(m, middle, hi);
    if (lo < middle)
        run_range(m, lo, middle);
}

static void
free_machine(tree_machine *m)
{
    for (int i = 0; i < m->k->nvalues; i++) {
        free(m->slot[i].row);
        free(m->slot[i].memory);
        free(m->slot[i].known);
    }
    free(m->slot);
    free(m->variable);
    free(m->has_variable);
    free(m->writes);
    free(m->buffer);
    free(m->size);
    free(m->memo);
    ix_map_free(&m->number, &m->mem);
    free(m);
}

static bool
try_kernel(tree_machine *m)
{
    if (setjmp(m->failed))
        return false;
    run_kernel(m);
    return true;
}

/* What takes the place of each of "n" buffers or sizes: itself, or what stands
 * in "to" for that in "from". */
static int *
make_places(size_t n, const ix_ints *from, const ix_ints *to)
{
    int *place = tree_allocate(n, sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[i] = (int)i;
    for (size_t i = 0; i < from->count; i++)
        place[from->item[i]] = to->item[i];
    return place;
}

void
tree_prepare(tree_run *r)
{
    size_t n = 0;
    for (const ix_kernel *k = r->u->kernels; k; k = k->next)
        n++;
    r->own = tree_allocate(n, sizeof *r->own);
    n = 0;
    for (const ix_kernel *k = r->u->kernels; k; k = k->next) {
        ix_kernel *own = &r->own[n++];
        *own = k->like ? *k->like : *k;
        if (r->seed / 2 % 2 == 1)
            own->body = ix_stmt_clone(r->u, own, own->body);
    }
}

/* Does the condition of a kernel hold? Elements have no strides here, so that
 * of one holds as it comes. */
static bool
holds(const tree_run *r, const ix_condition *c)
{
    int64_t v;
    if (!c->form)
        return r->seed % 2 == 0;
    if (!ix_lin_eval(c->form, r->size, &v))
        abort();
    return c->equal ? v == 0 : v >= 0;
}

bool
tree_interpret(tree_run *r)
{
    bool ok = true, chosen = false; /* of versions of a kernel, one before */
    const ix_unit *u = r->u;
    size_t n = 0;
    int made = 0;
    const ix_kernel *last = u->kernels;
    for (const ix_kernel *k = u->kernels; ok && k; last = k, k = k->next) {
        bool before = k->version && chosen;
        ok = tree_make_calls(r, k, &made, k->when.calls);
        chosen = before || !k->condition || holds(r, k->condition);
        if (before || !chosen) {
            n++;
            continue;
        }
        tree_machine *m = tree_allocate(1, sizeof *m);
        m->r = r;
        m->k = &r->own[n++];
        m->of = k;
        m->mem = *ix_context_mem(u->ctx);
        m->slot = tree_allocate((size_t)m->k->nvalues, sizeof *m->slot);
        m->variable = tree_allocate(m->k->nvariables, sizeof *m->variable);
        m->has_variable = tree_allocate(m->k->nvariables, sizeof(bool));
        m->writes = tree_allocate(u->nbuffers, sizeof(bool));
        m->buffer = make_places(u->nbuffers, &m->k->buffers, &k->buffers);
        m->size = make_places(u->ctx->nparams, &m->k->sizes, &k->sizes);
        ok = ok && try_kernel(m);
        free_machine(m);
    }
    free(r->own);
    return ok && tree_make_calls(r, last, &made, (int)u->ncalls);
}
