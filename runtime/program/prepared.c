/* SPDX-License-Identifier: MIT
 *
 * Prepared calls: what a run finds out before it computes anything is found
 * out once. Storages never change but for who has their newest copy, which the
 * steps of a run look after; so nothing has to be asked again. Only sizes that
 * are counted are new each time: such programs are bound anew.
 */
#include <stdio.h>

#include "runtime/exchange/dlpack.h"
#include "runtime/program/program.h"

struct ilex_prepared {
    ix_mem mem;
    const ilex_program *p;
    bool anew; /* each run is an ilex_run() */
    ilex_call call;
    char *box;
    ilex_size_binding *sizes;
    ilex_binding *bindings;
    size_t count;
    ilex_storage **held;  /* per binding: its storage, counted, or NULL */
    ilex_storage **moved; /* per binding: the same over other memory, or NULL */
    size_t *argument;     /* per binding: its number among the arguments */
    void **was, **next;   /* per binding: addresses while they are exchanged */
    ix_run run;
    void *block;
    ix_error error;
};

/* ---- copies of what the caller may forget ---- */

/* The program's own text for the name of a size. */
static const char *
own_name(const ix_compiled *c, const char *name)
{
    for (size_t i = 0; name && i < c->nsizes; i++)
        if (!strcmp(c->size[i].name, name))
            return c->size[i].name;
    return name; /* binding fails */
}

static bool
copy_bindings(ilex_prepared *q, const ilex_binding *bindings, size_t count)
{
    const ix_compiled *c = q->p->c;
    q->bindings = ix_mem_new(&q->mem, (count + 1) * sizeof *bindings);
    q->held = ix_mem_new(&q->mem, (count + 1) * sizeof *q->held);
    q->moved = ix_mem_new(&q->mem, (count + 1) * sizeof *q->moved);
    q->argument = ix_mem_new(&q->mem, (count + 1) * sizeof *q->argument);
    q->was = ix_mem_new(&q->mem, (count + 1) * sizeof *q->was);
    q->next = ix_mem_new(&q->mem, (count + 1) * sizeof *q->next);
    if (!q->bindings || !q->held || !q->moved || !q->argument || !q->was ||
        !q->next)
        return false;
    for (; q->count < count; q->count++) {
        ilex_binding *b = &q->bindings[q->count];
        *b = bindings[q->count];
        size_t i = ix_binding_argument(c, b, q->count);
        b->name = i < c->narguments ? c->buffer[i].name : own_name(c, b->name);
        if (b->kind == ILEX_BOUND_STORAGE)
            q->held[q->count] = ilex_storage_retain(b->storage);
    }
    return true;
}

static bool
copy_call(ilex_prepared *q, const ilex_call *call)
{
    size_t n = call && call->sizes ? call->size_count : 0;
    if (call)
        memcpy(&q->call, call,
               call->size < sizeof q->call ? call->size : sizeof q->call);
    q->call.size = sizeof q->call;
    q->sizes = ix_mem_new(&q->mem, (n + 1) * sizeof *q->sizes);
    if (q->call.box)
        q->box = ix_mem_new(&q->mem, strlen(q->call.box) + 1);
    if (!q->sizes || (q->call.box && !q->box))
        return false;
    for (size_t i = 0; i < n; i++) {
        q->sizes[i] = call->sizes[i];
        q->sizes[i].name = own_name(q->p->c, q->sizes[i].name);
    }
    if (q->box)
        q->call.box = strcpy(q->box, q->call.box);
    q->call.sizes = n ? q->sizes : q->call.sizes;
    return true;
}

/* ---- its life ---- */

static ilex_status
bind_once(ilex_prepared *q)
{
    q->run = (ix_run){.p = q->p,
                      .call = &q->call,
                      .err = &q->error,
                      .bindings = q->bindings,
                      .nbindings = q->count};
    ilex_status rc = ILEX_OK;
    q->run.grid = ix_ranks_grid(q->bindings, q->count);
    q->run.partial = q->call.group != NULL;
    q->anew |= q->run.partial;
    if (!q->run.grid && !q->call.group)
        rc = ix_run_bind(&q->run, &q->block);
    else if ((q->block = ix_run_block(&q->run))) /* runs find out the rest */
        rc = ix_bind_arguments(&q->run);
    else
        rc = ix_fail_memory(&q->error);
    const ix_compiled *c = q->run.p->c;
    for (size_t i = 0; !rc && i < q->count; i++)
        q->argument[i] = ix_find_argument(c, q->bindings[i].name);
    return rc;
}

ilex_prepared *
ilex_bind(ilex_context *ctx, const ilex_program *p,
          const ilex_binding *bindings, size_t count, const ilex_call *call)
{
    ix_error other = {.operand = -1}, *err = ctx ? &ctx->error : &other;
    if (!p || (count > 0 && !bindings) ||
        (call && call->size < offsetof(ilex_call, error)))
        return ix_fail_null(err, ILEX_E_ARGUMENT, "bind: %s",
                            !p ? "the program is NULL"
                            : count > 0 && !bindings
                                ? "bindings is NULL"
                                : "the size of the call is not set; start it "
                                  "with .size = sizeof(ilex_call)");
    ilex_prepared *q = ix_mem_new(&p->mem, sizeof *q);
    if (!q)
        return ix_fail_memory_null(err);
    q->mem = p->mem;
    q->p = ilex_program_retain((ilex_program *)(uintptr_t)p);
    q->anew = p->c->ncounts > 0 || ix_ranks_grid(bindings, count);
    ilex_status rc = copy_bindings(q, bindings, count) && copy_call(q, call)
                         ? bind_once(q)
                         : ix_fail_memory(&q->error);
    if (!rc)
        return q;
    ix_fail(err, rc, "%s", q->error.text);
    ilex_prepared_release(q);
    return NULL;
}

void
ilex_prepared_release(ilex_prepared *q)
{
    if (!q)
        return;
    ix_mem mem = q->mem;
    for (size_t i = 0; i < q->count; i++) {
        ix_mem_free(&mem, q->moved[i]);
        ilex_storage_release(q->held[i]);
    }
    ix_mem_free(&mem, q->block);
    ix_mem_free(&mem, q->bindings);
    ix_mem_free(&mem, q->held);
    ix_mem_free(&mem, q->moved);
    ix_mem_free(&mem, q->argument);
    ix_mem_free(&mem, q->was);
    ix_mem_free(&mem, q->next);
    ix_mem_free(&mem, q->sizes);
    ix_mem_free(&mem, q->box);
    ilex_program_release((ilex_program *)(uintptr_t)q->p);
    ix_mem_free(&mem, q);
}

const char *
ilex_prepared_error(const ilex_prepared *q)
{
    return q->error.text;
}

/* ---- what may change ---- */

/* The binding of "name"; NULL after an error. */
static ilex_binding *
find_binding(ilex_prepared *q, const char *name)
{
    for (size_t i = 0; name && i < q->count; i++)
        if (!strcmp(q->bindings[i].name, name))
            return &q->bindings[i];
    return ix_fail_null(&q->error, ILEX_E_BINDING,
                        "%s: nothing is bound to '%.80s'", q->p->c->name,
                        name ? name : "(null)");
}

/* Can the storage of "b" lie somewhere else? */
static ilex_status
check_movable(ilex_prepared *q, const ilex_binding *b, const void *data)
{
    const ilex_storage *s = b->storage;
    const char *program = q->p->c->name;
    size_t align = b->kind == ILEX_BOUND_STORAGE ? s->alignment : 0;
    if (b->kind != ILEX_BOUND_STORAGE)
        return ix_fail(&q->error, ILEX_E_BINDING,
                       "%s: %s is bound to a number; only storages lie "
                       "anywhere",
                       program, b->name);
    if (s->memory->managed || !ix_memory_on_host(s->memory) || s->division)
        return ix_fail(&q->error, ILEX_E_UNSUPPORTED,
                       "%s: the storage of %s %s; bind another storage instead "
                       "of moving it",
                       program, b->name,
                       s->division ? "is on a grid" : "has memory of a device");
    if (align < ilex_dtype_bytes(s->dtype))
        align = ilex_dtype_bytes(s->dtype);
    if (!data)
        return ix_fail(&q->error, ILEX_E_ARGUMENT,
                       "%s: the address for %s is NULL", program, b->name);
    if ((uintptr_t)data % align)
        return ix_fail(&q->error, ILEX_E_ALIGNMENT,
                       "%s: the address %p for %s is not a multiple of %zu "
                       "bytes",
                       program, data, b->name, align);
    return ILEX_OK;
}

/* A storage of this call's own for binding "i", at first where the caller's is;
 * false when there is no memory. */
static bool
own_view(ilex_prepared *q, size_t i)
{
    if (q->moved[i])
        return true;
    q->moved[i] = ix_mem_new(&q->mem, sizeof *q->moved[i]);
    if (!q->moved[i])
        return false;
    ix_storage_clone(q->moved[i], q->bindings[i].storage);
    q->bindings[i].storage = q->moved[i];
    return true;
}

/* Lays binding "i" at "data"; where it was. */
static void *
move(ilex_prepared *q, size_t i, void *data)
{
    void *was = q->moved[i]->data;
    q->moved[i]->data = data;
    if (!q->anew)
        ix_bind_move(&q->run, q->argument[i], q->moved[i]);
    return was;
}

/* Can bindings lie at these addresses, NULL: where they are? */
static ilex_status
check_all(ilex_prepared *q, size_t count, void *const *data)
{
    for (size_t i = 0; i < count; i++) {
        if (data[i] && check_movable(q, &q->bindings[i], data[i]))
            return q->error.code;
        if (data[i] && !own_view(q, i))
            return ix_fail_memory(&q->error);
    }
    return ILEX_OK;
}

/* Exchanges the addresses of the first "count" bindings, all at once. */
static ilex_status
move_all(ilex_prepared *q, size_t count, void *const *data)
{
    ilex_status rc = check_all(q, count, data);
    for (size_t i = 0; !rc && i < count; i++)
        q->was[i] = data[i] ? move(q, i, data[i]) : NULL;
    if (rc || q->anew)
        return rc;
    rc = (ilex_status)ix_check_overlap(&q->run.s);
    for (size_t i = 0; rc && i < count; i++)
        if (q->was[i])
            move(q, i, q->was[i]);
    return rc;
}

ilex_status
ilex_prepared_set_pointers(ilex_prepared *q, size_t count, void *const *data)
{
    if (!q)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&q->error);
    if (count > q->count || (count > 0 && !data))
        return ix_fail(&q->error, ILEX_E_ARGUMENT,
                       "%s: %zu addresses for %zu bindings%s", q->p->c->name,
                       count, q->count, data ? "" : ", and they are NULL");
    return move_all(q, count, data);
}

ilex_status
ilex_prepared_set_pointer(ilex_prepared *q, const char *name, void *data)
{
    if (!q)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&q->error);
    ilex_binding *b = find_binding(q, name);
    if (!b || (!data && check_movable(q, b, data)))
        return q->error.code;
    size_t i = (size_t)(b - q->bindings);
    memset(q->next, 0, i * sizeof *q->next);
    q->next[i] = data;
    return move_all(q, i + 1, q->next);
}

/* Is the tensor laid out as the storage of "b" is? */
static ilex_status
check_tensor(ilex_prepared *q, const ilex_binding *b, const DLTensor *t)
{
    const ilex_storage *s = b->storage;
    ilex_dtype dtype;
    int64_t dense = 1;
    if (t->device.device_type != kDLCPU)
        return ix_fail(&q->error, ILEX_E_DEVICE,
                       "%s: the tensor for %s lies on a device of type %d; "
                       "prepared calls move arrays of the host",
                       q->p->c->name, b->name, (int)t->device.device_type);
    if (!ix_dlpack_dtype(t->dtype, &dtype) || dtype != s->dtype)
        return ix_fail(&q->error, ILEX_E_BINDING_TYPE,
                       "%s: the tensor for %s is not of %s", q->p->c->name,
                       b->name, ilex_dtype_name(s->dtype));
    bool same = t->ndim == s->rank;
    for (int k = s->rank; same && k-- > 0; dense *= s->shape[k]) {
        int64_t stride = t->strides ? t->strides[k] : dense;
        same = t->shape[k] == s->shape[k] &&
               (s->shape[k] <= 1 || stride == s->stride[k]);
    }
    return same ? ILEX_OK
                : ix_fail(&q->error, ILEX_E_BINDING_SHAPE,
                          "%s: the tensor for %s has not the shape and the "
                          "strides of the storage that is bound to it; bind "
                          "anew",
                          q->p->c->name, b->name);
}

ilex_status
ilex_prepared_set_dlpack(ilex_prepared *q, const char *name, const void *tensor)
{
    const DLTensor *t = tensor;
    if (!q)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&q->error);
    ilex_binding *b = find_binding(q, name);
    if (b && !t)
        return ix_fail(&q->error, ILEX_E_ARGUMENT,
                       "%s: the tensor for %s is NULL", q->p->c->name, b->name);
    if (b && b->kind == ILEX_BOUND_STORAGE && check_tensor(q, b, t))
        return q->error.code;
    return b ? ilex_prepared_set_pointer(q, b->name,
                                         (char *)t->data + t->byte_offset)
             : q->error.code;
}

ilex_status
ilex_prepared_set(ilex_prepared *q, const ilex_binding *number)
{
    if (!q || !number)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&q->error);
    ilex_binding *b = find_binding(q, number->name);
    if (!b)
        return q->error.code;
    size_t i = q->argument[b - q->bindings];
    if (number->kind == ILEX_BOUND_STORAGE || b->kind == ILEX_BOUND_STORAGE ||
        i == q->p->c->narguments)
        return ix_fail(&q->error, ILEX_E_BINDING,
                       "%s: %s is not a number among the arguments; storages "
                       "and sizes are bound once",
                       q->p->c->name, b->name);
    ilex_status rc = ix_bind_number(&q->run, i, number);
    if (!rc) {
        ilex_binding is = *number;
        is.name = b->name;
        *b = is;
    }
    return rc;
}

/* ---- running ---- */

ilex_status
ilex_prepared_run(ilex_prepared *q)
{
    if (!q)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&q->error);
    if (!q->anew) {
        q->run.threads = ix_run_threads(&q->run);
        return ix_run_steps(&q->run);
    }
    ilex_status rc = ilex_run(q->p, q->bindings, q->count, &q->call);
    return rc ? ix_fail(&q->error, rc, "%s", q->call.error) : ILEX_OK;
}
