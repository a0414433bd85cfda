/* SPDX-License-Identifier: MIT
 *
 * The walker: a program's steps from first to last, each a function here, over
 * the functions of the engine that the program runs on. Runs, eager operators
 * and devices all come through it.
 */
#include "lib/base/fpenv.h"
#include "runtime/program/program.h"

/* ---- temporaries ---- */

/* Bytes that a temporary needs at most, for one thread, a multiple of 64; false
 * on overflow. */
static bool
temporary_bytes(const ix_compiled *c, const ix_compiled_buffer *b,
                const int64_t *least, const int64_t *size, int64_t *bytes)
{
    int64_t n = (int64_t)ilex_dtype_bytes(b->dtype);
    for (int k = 0; k < b->rank; k++) {
        int64_t lo, hi;
        if (!ix_lin_least(c, b->box[k].lo, least, size, &lo) ||
            !ix_lin_most(c, b->box[k].hi, least, size, &hi) ||
            !ix_mul(n, hi > lo ? hi - lo : 0, &n))
            return false;
    }
    *bytes = n;
    if (!ix_add(n, 63, bytes))
        return false;
    *bytes &= ~(int64_t)63;
    return true;
}

/* Slots one after another at multiples of 64 bytes, each as large as its
 * largest tenant. */
int64_t
ix_workspace_bytes(const ilex_program *p, int threads, const int64_t *least,
                   const int64_t *size, int64_t *offset)
{
    const ix_compiled *c = p->c;
    int64_t total = 0, n;
    memset(offset, 0, (size_t)c->nslots * sizeof *offset);
    for (size_t i = c->narguments; i < c->nbuffers; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (!temporary_bytes(c, b, least, size, &n) ||
            (b->own && !ix_mul(n, threads, &n)))
            return -1;
        offset[b->slot] = n > offset[b->slot] ? n : offset[b->slot];
    }
    for (int slot = 0; slot < c->nslots; slot++) {
        n = offset[slot];
        offset[slot] = total;
        if (!ix_add(total, n, &total))
            return -1;
    }
    return total;
}

/* A temporary is dense in C order: its strides in elements, and the bytes from
 * element (0, ..., 0) to its first one; false on overflow: a kernel multiplies
 * indices by strides, so every such offset must fit 64 bits. */
static bool
temporary_layout(const ix_compiled_buffer *b, const int64_t *size,
                 int64_t *stride, int64_t *offset)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype), step = bytes, v;
    bool fits = true;
    *offset = 0;
    for (int k = b->rank - 1; k >= 0; k--) {
        int64_t lo = 0, hi = 0;
        fits = fits && ix_range_eval(&b->box[k], size, &lo, &hi);
        stride[k] = step / bytes;
        fits = fits && ix_mul(hi, step, &v) && ix_mul(lo, step, &v) &&
               ix_add(*offset, v, offset);
        if (fits && hi > lo)
            fits = ix_mul(step, hi - lo, &step);
    }
    return fits;
}

/* The base is element (0, ..., 0), which may lie outside. */
static ilex_status
place_temporary(ix_run *r, size_t i, char *memory)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    int64_t offset;
    bool fits =
        temporary_layout(b, r->size, &r->stride[b->first_stride], &offset);
    r->part[i] = 0;
    if (b->own)
        fits =
            fits && temporary_bytes(r->p->c, b, r->least, r->size, &r->part[i]);
    for (int k = 0; k < b->rank; k++) {
        int64_t *cover = r->cover[b->first_stride + k];
        ix_range_eval(&b->box[k], r->size, &cover[0], &cover[1]);
    }
    r->base[i] = (char *)((uintptr_t)memory - (uintptr_t)offset);
    return fits ? ILEX_OK
                : ix_fail(r->err, ILEX_E_OVERFLOW,
                          "%s: with these sizes the place of an element of a "
                          "temporary leaves 64 bits",
                          r->p->c->name);
}

/* The caller's workspace if it gave one, else one of the engine. */
static ilex_status
find_memory(ix_run *r, int64_t bytes, char **memory)
{
    const ix_engine *e = r->p->backend->engine;
    const char *name = r->p->c->name;
    if (bytes < 0)
        return ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: the temporaries' size leaves 64 bits", name);
    bool fits = r->call && (int64_t)r->call->workspace_bytes >= bytes;
    if (!r->call || !r->call->workspace || (r->p->is_variant && !fits))
        return e->allocate(r, (size_t)bytes, memory);
    *memory = r->call->workspace;
    if (!fits)
        return ix_fail(r->err, ILEX_E_ARGUMENT,
                       "%s: the workspace has %zu bytes; %lld are needed", name,
                       r->call->workspace_bytes, (long long)bytes);
    if ((uintptr_t)*memory % 64)
        return ix_fail(r->err, ILEX_E_ALIGNMENT,
                       "%s: the workspace is not aligned to 64 bytes", name);
    return e->check_workspace ? e->check_workspace(r, *memory) : ILEX_OK;
}

/* ---- steps ---- */

static ilex_status
do_TEST(ix_run *r, const ix_step *s)
{
    return ix_check_nonempty(r, &r->p->c->nonempty[s->what]);
}

static ilex_status
do_TRANSFER(ix_run *r, const ix_step *s)
{
    return r->p->backend->engine->transfer(r, (size_t)s->what);
}

/* Those whose boxes are known now, and were not before. */
static ilex_status
place_temporaries(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ILEX_OK;
    for (size_t i = c->narguments; !rc && i < c->nbuffers; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (ix_compiled_ranges_phase(c, b->box, b->rank) == r->phase)
            rc = place_temporary(r, i, r->memory + r->offset[b->slot]);
    }
    return rc;
}

static ilex_status
do_ALLOC(ix_run *r, const ix_step *s)
{
    const ix_compiled *c = r->p->c;
    (void)s;
    r->offset = ix_mem_new(&r->p->mem, (size_t)c->nslots * sizeof *r->offset);
    if (!r->offset)
        return ix_fail_memory(r->err);
    int64_t bytes =
        ix_workspace_bytes(r->p, r->threads, r->least, r->size, r->offset);
    ilex_status rc = find_memory(r, bytes, &r->memory);
    return rc ? rc : place_temporaries(r);
}

/* A run that asks for a count gets it. */
static void
tell_count(const ix_run *r, const char *name, int64_t value)
{
    for (size_t i = 0; r->call && i < r->call->counted_count; i++)
        if (r->call->counted[i].name && !strcmp(r->call->counted[i].name, name))
            r->call->counted[i].value = value;
}

static ilex_status
do_SIZE(ix_run *r, const ix_step *s)
{
    const ix_compiled *c = r->p->c;
    const ix_engine *e = r->p->backend->engine;
    const ix_compiled_count *count = &c->count[s->what];
    int64_t value = 0;
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    r->busy = false;
    rc = rc ? rc : e->fetch(r, &value, r->base[count->buffer], sizeof value);
    if (rc)
        return rc;
    tell_count(r, c->size[count->size].name, value);
    r->size[count->size] = r->least[count->size] = value;
    ix_compiled_derive_all(c, r->size); /* no more than before */
    ix_compiled_derive_all(c, r->least);
    r->phase++;
    rc = ix_check_phase(r);
    return rc ? rc : place_temporaries(r);
}

static bool
has_points(const ix_run *r, const ix_bytecode *code)
{
    int64_t lo, hi;
    for (int k = 0; k < code->rank; k++)
        if (!ix_range_eval(&code->box[k], r->size, &lo, &hi) || hi <= lo)
            return false;
    return true;
}

static ilex_status
do_EVALUATE(ix_run *r, const ix_step *s)
{
    size_t i = (size_t)s->what;
    double start = ix_profile_begin(r->p);
    ilex_status rc = ix_reference_evaluate(r, i);
    if (rc || start <= 0 || !has_points(r, &r->p->c->bytecode[i]))
        return rc;
    return ix_profile_end(r, i, start);
}

static ilex_status
fail_range(const ix_run *r, const char *what)
{
    return ix_fail(r->err, ILEX_E_OVERFLOW,
                   "%s: with these sizes %s leaves 64 bits", r->p->c->name,
                   what);
}

static bool
holds(const ix_run *r, const ix_condition *c, int64_t value)
{
    if (!c->form)
        return r->stride[r->p->c->buffer[c->buffer].first_stride + c->axis] ==
               1;
    return c->equal ? value == 0 : value >= 0;
}

/* Which kernel of the step runs; -1: its condition leaves 64 bits. */
static int
choose(const ix_run *r, const ix_step *s)
{
    int i = s->what;
    for (; i + 1 < s->end; i++) {
        const ix_condition *c = r->p->c->kernel[i].condition;
        int64_t value = 0;
        if (c->form && !ix_lin_eval(c->form, r->size, &value))
            return -1;
        if (holds(r, c, value))
            break;
    }
    return i;
}

/* The range that is called; 0: the kernel's box is empty, -1: it leaves 64
 * bits.
 */
static int
find_range(const ix_run *r, const ix_compiled_kernel *k, int64_t *begin,
           int64_t *end)
{
    int64_t lo, hi;
    *begin = 0;
    *end = 1;
    for (int axis = 0; axis < k->rank; axis++) {
        if (!ix_range_eval(&k->box[axis], r->size, &lo, &hi))
            return -1;
        if (hi <= lo)
            return 0;
        if (axis == k->axis) {
            *begin = lo;
            *end = hi;
        }
    }
    return 1;
}

static ilex_status
do_LAUNCH(ix_run *r, const ix_step *s)
{
    const ix_compiled_kernel *k = r->p->c->kernel;
    int64_t begin, end;
    int some = find_range(r, &k[s->what], &begin, &end);
    int which = some > 0 ? choose(r, s) : s->what;
    if (which > s->what)
        some = find_range(r, &k[which], &begin, &end);
    if (some < 0 || which < 0)
        return fail_range(r, which < 0 ? "a condition" : "the range of a loop");
    if (some == 0)
        return ILEX_OK;
    r->busy = true;
    size_t i = (size_t)which;
    double start = ix_profile_begin(r->p);
    ilex_status rc = r->p->backend->engine->launch(r, i, begin, end);
    return rc || start <= 0 ? rc : ix_profile_end(r, i, start);
}

static ilex_status
do_CALL(ix_run *r, const ix_step *s)
{
    return ix_run_call(r, (size_t)s->what);
}

/* Waits for what was launched, which may use the workspace; gives it back. */
static ilex_status
settle(ix_run *r)
{
    const ix_engine *e = r->p->backend->engine;
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    r->busy = false;
    ix_workspace_give(r->p->workspaces, r->workspace);
    ix_mem_free(&r->p->mem, r->offset);
    r->workspace = NULL;
    r->offset = NULL;
    return rc;
}

static ilex_status
do_FREE(ix_run *r, const ix_step *s)
{
    (void)s;
    return settle(r);
}

ilex_status
ix_run_steps(ix_run *r)
{
    static ilex_status (*const carry_out[])(ix_run *, const ix_step *) = {
#define IX_STEP(name, text, meaning) do_##name,
#include "compiler/steps/steps.def"
    };
    const ix_compiled *c = r->p->c;
    const ix_engine *e = r->p->backend->engine;
    double begin = ix_meter_begin(r->p);
    ix_fpenv before = ix_fpenv_enter();
    ilex_status rc = e->begin ? e->begin(r) : ILEX_OK;
    for (size_t i = 0; !rc && i < c->nsteps; i++)
        rc = carry_out[c->step[i].kind](r, &c->step[i]);
    ilex_status done = settle(r); /* also after a failure */
    ix_fpenv_leave(before);
    ix_meter_end(r, begin);
    return rc ? rc : done;
}
