/* SPDX-License-Identifier: MIT
 *
 * Runs of a group: each rank runs a program of its own, whose messages go to
 * the others and come from them. All that is to come is awaited at once; a part
 * of the program is computed when what it needs is there, in any order, and
 * what it sends goes on its way: so ranks wait for each other only where the
 * arrays do.
 */
#include "runtime/program/messages.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/group/group.h"

typedef struct exchange {
    ix_run *r; /* of the whole program, which it binds */
    const ix_compiled *c;
    const ix_messages *x;
    ilex_group *g;
    ilex_binding *binding; /* those given, then of what is made */
    size_t nbindings;
    ilex_storage **made;
    size_t nmade;
    ix_message_end *end; /* of each of the messages */
    ix_message *m;       /* each of the program's; done: also those not begun */
    uint64_t *there;     /* of these, what has come */
    bool *done;          /* of each part */
} exchange;

/* A storage for an argument that nobody bound. */
static ilex_status
make_storage(exchange *x, const ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    ilex_storage *s = ix_make_argument(NULL, r, b);
    if (!s)
        return r->err->code
                   ? r->err->code
                   : ix_fail(r->err, ILEX_E_MEMORY,
                             "%s: there is no memory for %s : %s[%s]",
                             r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                             b->interior_text);
    x->made[x->nmade++] = s;
    x->binding[x->nbindings++] = (ilex_binding)ILEX_BIND(b->name, s);
    return ILEX_OK;
}

/* How many arrays a run may have to make. */
static size_t
count_made(const exchange *x)
{
    size_t n = x->c->narguments;
    for (size_t p = 0; p < x->x->n; p++)
        n += x->x->part[p].program->c->narguments;
    return n;
}

static ilex_status
take_memory(exchange *x)
{
    const ix_mem *mem = &x->r->p->mem;
    size_t n = x->c->nmessages + 1, most = count_made(x) + 1;
    x->binding = ix_mem_new(mem, (x->r->nbindings + most) * sizeof *x->binding);
    x->made = ix_mem_new(mem, most * sizeof(ilex_storage *));
    x->end = ix_mem_new(mem, n * sizeof *x->end);
    x->m = ix_mem_new(mem, n * sizeof *x->m);
    x->there = ix_mem_new(mem, (n / 64 + 1) * sizeof *x->there);
    x->done = ix_mem_new(mem, x->x->n + 1);
    bool ok = x->binding && x->made && x->end && x->m && x->there && x->done;
    for (size_t i = 0; ok && i < n; i++)
        x->m[i].done = true;
    return ok ? ILEX_OK : ix_fail_memory(x->r->err);
}

static void
give_back(exchange *x)
{
    const ix_mem *mem = &x->r->p->mem;
    for (size_t i = 0; x->m && i < x->c->nmessages; i++)
        free(x->m[i].data);
    for (size_t i = 0; i < x->nmade; i++)
        ilex_storage_release(x->made[i]);
    ix_mem_free(mem, x->binding);
    ix_mem_free(mem, x->made);
    ix_mem_free(mem, x->end);
    ix_mem_free(mem, x->m);
    ix_mem_free(mem, x->there);
    ix_mem_free(mem, x->done);
}

/* Binds what is given, makes what is sent and received and is not bound, binds
 * all of it. The run's block is "*block". */
static ilex_status
bind(exchange *x, void **block)
{
    ix_run *r = x->r;
    if (r->nbindings)
        memcpy(x->binding, r->bindings, r->nbindings * sizeof *x->binding);
    x->nbindings = r->nbindings;
    r->partial = true;
    *block = ix_run_block(r);
    ilex_status rc = *block ? ix_bind(r) : ix_fail_memory(r->err);
    for (size_t i = 0; !rc && i < x->c->narguments; i++)
        if (!r->seen[i] && ix_is_message(x->c, i))
            rc = make_storage(x, r, i);
    if (rc)
        return rc;
    ix_mem_free(&r->p->mem, *block);
    *r = (ix_run){.p = r->p,
                  .call = r->call,
                  .err = r->err,
                  .bindings = x->binding,
                  .nbindings = x->nbindings};
    *block = ix_run_block(r);
    return *block ? ix_bind(r) : ix_fail_memory(r->err);
}

/* ---- one message ---- */

static const char *
name_of(const exchange *x, size_t i)
{
    return x->c->buffer[x->c->message[i].argument].name;
}

/* The elements of its argument where they lie. */
static void
view_argument(const exchange *x, size_t i, ilex_storage *view)
{
    const ix_run *r = x->r;
    size_t argument = x->c->message[i].argument;
    const ix_compiled_buffer *b = &x->c->buffer[argument];
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype), lo = 0, hi = 0;
    *view = (ilex_storage){.rank = b->rank,
                           .dtype = (uint8_t)b->dtype,
                           .data = r->s.home[argument]};
    for (int k = 0; k < b->rank; k++) {
        ix_range_eval(&b->interior[k], r->s.size, &lo, &hi);
        view->shape[k] = x->end[i].shape[k];
        view->stride[k] = r->s.stride[b->first_stride + k];
        view->data += lo * view->stride[k] * bytes;
    }
}

/* What both ranks must agree on. */
static void
set_meaning(ix_message *m, const ilex_storage *view)
{
    size_t bytes = (size_t)view->rank * sizeof view->shape[0];
    uint64_t what = 256 * (uint64_t)view->rank + view->dtype;
    m->head.meaning[0] = ix_hash_bytes(what, view->shape, bytes);
    m->head.meaning[1] = (uint64_t)m->tag;
    m->head.bytes = (uint64_t)ix_storage_count(view) *
                    ilex_dtype_bytes((ilex_dtype)view->dtype);
}

/* Can what is bound be read here, and what comes be written to it? */
static ilex_status
check_storage(const exchange *x, size_t i)
{
    const ix_compiled_message *m = &x->c->message[i];
    const ilex_storage *s = x->r->bound[m->argument];
    if (s && (s->memory->managed || !ix_memory_on_host(s->memory)))
        return ix_fail(x->r->err, ILEX_E_UNSUPPORTED,
                       "%s: %s %s a rank, and its storage has memory of a "
                       "device, which is not supported",
                       x->c->name, name_of(x, i),
                       m->sends ? "goes to" : "comes from");
    if (m->sends || (s && s->writable))
        return ILEX_OK;
    return ix_fail(x->r->err, s ? ILEX_E_READONLY : ILEX_E_BINDING,
                   "%s: %s comes from a rank and is bound to %s; bind it to a "
                   "storage that it may write, or to nothing",
                   x->c->name, name_of(x, i),
                   s ? "a read-only storage" : "a number");
}

/* May argument "k" lie where message "i" comes: is it an output that is in the
 * place of that, and made when it has come? */
static bool
may_share(const exchange *x, size_t k, size_t i)
{
    const ix_compiled_buffer *b = &x->c->buffer[k];
    size_t p = 0;
    if (b->inplace != (int)x->c->message[i].argument)
        return false;
    while (ix_find_argument(x->x->part[p].program->c, b->name) ==
           x->x->part[p].program->c->narguments)
        p++;
    return x->x->part[p].needs[i / 64] >> i % 64 & 1;
}

/* Does nothing else lie where it is written, but for what may be in its place?
 */
static ilex_status
check_apart(const exchange *x, size_t i)
{
    const ix_run *r = x->r;
    size_t argument = x->c->message[i].argument;
    ilex_storage view;
    view_argument(x, i, &view);
    if (ix_storage_self_overlap(&view))
        return ix_fail(r->err, ILEX_E_OVERLAP,
                       "%s: %s comes from a rank, and elements of the storage "
                       "that it is bound to share memory",
                       x->c->name, name_of(x, i));
    for (size_t k = 0; k < x->c->narguments; k++)
        if (k != argument && r->bound[k] &&
            ix_storage_overlap(r->bound[k], &view) && !may_share(x, k, i))
            return ix_fail(r->err, ILEX_E_OVERLAP,
                           "%s: %s comes from a rank, and overlaps argument %s "
                           "in memory; only an output that is made of it and "
                           "declared `inplace` of it may share its memory",
                           x->c->name, name_of(x, i), x->c->buffer[k].name);
    return ILEX_OK;
}

/* What is sent or expected, and memory for it. */
static ilex_status
prepare_message(exchange *x, size_t i)
{
    ix_message *m = &x->m[i];
    ilex_storage view;
    view_argument(x, i, &view);
    m->peer = x->end[i].peer;
    m->tag = IX_TAG_PROGRAM + x->c->message[i].tag;
    m->sends = x->c->message[i].sends;
    set_meaning(m, &view);
    m->data = malloc(m->head.bytes + 1);
    if (!m->data)
        return ix_fail_memory(x->r->err);
    ilex_status rc = check_storage(x, i);
    return rc || m->sends ? rc : check_apart(x, i);
}

static ilex_status
send_message(exchange *x, size_t i)
{
    ilex_storage view, packed;
    view_argument(x, i, &view);
    ix_division_pack(&view, x->m[i].data, &packed);
    ix_storage_move(&packed, &view);
    return ix_group_post(x->g, &x->m[i], x->r->err);
}

/* What comes from a rank may go on to others. */
static ilex_status
forward(exchange *x, size_t argument)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < x->c->nmessages; i++)
        if (x->c->message[i].sends && x->c->message[i].argument == argument)
            rc = send_message(x, i);
    return rc;
}

static ilex_status
check_message(const exchange *x, size_t i)
{
    const ix_message *m = &x->m[i];
    bool late = m->came.epoch != m->head.epoch;
    if (!late &&
        !memcmp(m->came.meaning, m->head.meaning, sizeof m->came.meaning) &&
        m->came.bytes == m->head.bytes)
        return ILEX_OK;
    return ix_fail(
        x->r->err, ILEX_E_GROUP,
        "%s: %s : %s[%s] comes from rank %d (tag %d), which %s", x->c->name,
        name_of(x, i),
        ilex_dtype_name(x->c->buffer[x->c->message[i].argument].dtype),
        x->c->buffer[x->c->message[i].argument].interior_text, m->peer,
        x->c->message[i].tag,
        late ? "has gone on without sending it"
             : "sent an array of another dtype or other lengths");
}

/* A message has come. */
static ilex_status
receive(exchange *x, size_t i)
{
    ilex_storage view, packed;
    size_t argument = x->c->message[i].argument;
    ilex_status rc = check_message(x, i);
    if (rc)
        return rc;
    view_argument(x, i, &view);
    ix_division_pack(&view, x->m[i].data, &packed);
    ix_storage_move(&view, &packed);
    ix_memory_written(x->r->bound[argument]->memory);
    x->there[i / 64] |= UINT64_C(1) << i % 64;
    return forward(x, argument);
}

/* ---- parts ---- */

/* Storages for what a part makes for others. */
static ilex_status
make_kept(exchange *x, const ix_run *part)
{
    ix_run r = *part;
    ilex_status rc = ILEX_OK;
    r.partial = true;
    void *block = ix_run_block(&r);
    rc = block ? ix_bind(&r) : ix_fail_memory(r.err);
    for (size_t i = 0; !rc && i < r.p->c->narguments; i++)
        if (r.p->c->buffer[i].role == IX_COMPILED_OUTPUT && !r.seen[i])
            rc = make_storage(x, &r, i);
    ix_mem_free(&r.p->mem, block);
    return rc;
}

static ilex_status
run_program(exchange *x, const ilex_program *p)
{
    ilex_call call;
    ix_run part;
    size_t before = x->nmade;
    x->r->bindings = x->binding;
    x->r->nbindings = x->nbindings;
    ilex_status rc = ix_other_begin(x->r, p, &(ix_other){0}, &part, &call);
    rc = rc ? rc : make_kept(x, &part);
    if (!rc && x->nmade > before) {
        ix_other_end(&part);
        x->r->nbindings = x->nbindings;
        rc = ix_other_begin(x->r, p, &(ix_other){0}, &part, &call);
    }
    rc = rc ? rc : ix_run_here(&part);
    ix_other_end(&part);
    return rc;
}

/* Computes a part, and sends what it makes. */
static ilex_status
make_part_of(exchange *x, size_t p)
{
    ilex_status rc = run_program(x, x->x->part[p].program);
    x->done[p] = true;
    for (size_t i = 0; !rc && i < x->c->nmessages; i++)
        if (x->x->from[i] == (int)p)
            rc = send_message(x, i);
    return rc;
}

/* The next part that can be computed; as many as there are: none. */
static size_t
find_ready(const exchange *x)
{
    size_t p = 0;
    while (p < x->x->n && (x->done[p] || !ix_message_part_is_ready(
                                             &x->x->part[p], x->c->nmessages,
                                             x->there, x->done)))
        p++;
    return p;
}

/* ---- waiting ---- */

/* "xl from rank 1 (tag 1), yl from rank 2 (tag 0)" */
static void
name_awaited(const exchange *x, ix_name_list *all)
{
    for (size_t i = 0; i < x->c->nmessages; i++) {
        char more[80];
        if (x->m[i].done || x->m[i].sends)
            continue;
        snprintf(more, sizeof more, " from rank %d (tag %d)", x->m[i].peer,
                 x->c->message[i].tag);
        ix_name_list_add(all, name_of(x, i), more);
    }
}

static ilex_status
fail_wait(const exchange *x, ilex_status rc, const ix_notice *notice)
{
    ix_name_list all = {.length = 0};
    name_awaited(x, &all);
    const char *what = all.length ? all.s : "what it sent to be taken";
    if (rc == ILEX_E_TIMEOUT)
        return ix_fail(x->r->err, rc, "%s: rank %d waited %g s for %s",
                       x->c->name, x->g->rank, x->g->timeout, what);
    return ix_fail(x->r->err, ILEX_E_GROUP,
                   "%s: rank %d failed: %.300s; rank %d waits for %s",
                   x->c->name, notice->origin, notice->text, x->g->rank, what);
}

/* The next message. */
static ilex_status
wait_next(exchange *x)
{
    ix_notice notice = {.rank = -1};
    size_t i = 0;
    ilex_status rc = ix_group_next(x->g, x->m, x->c->nmessages, &i, &notice);
    if (rc)
        return fail_wait(x, rc, &notice);
    return x->m[i].sends ? ILEX_OK : receive(x, i);
}

static bool
is_waiting(const exchange *x)
{
    size_t i = 0;
    while (i < x->c->nmessages && x->m[i].done)
        i++;
    return i < x->c->nmessages;
}

/* ---- all of it ---- */

static ilex_status
begin(exchange *x)
{
    ix_message_place at = {x->g->rank, x->g->size};
    ilex_status rc =
        ix_message_ends(x->c, x->r->s.size, &at, x->end, x->r->err);
    for (size_t i = 0; !rc && i < x->c->nmessages; i++)
        rc = prepare_message(x, i);
    for (size_t i = 0; !rc && i < x->c->nmessages; i++)
        if (!x->m[i].sends)
            rc = ix_group_post(x->g, &x->m[i], x->r->err);
    for (size_t i = 0; !rc && i < x->c->narguments; i++) {
        bool comes = false;
        for (size_t k = 0; k < x->c->nmessages; k++)
            comes |= !x->m[k].sends && x->c->message[k].argument == i;
        if (!comes && x->c->buffer[i].role == IX_COMPILED_INPUT)
            rc = forward(x, i);
    }
    return rc;
}

static ilex_status
go(exchange *x)
{
    ilex_status rc = begin(x);
    while (!rc) {
        size_t p = find_ready(x);
        if (p == x->x->n && !is_waiting(x))
            break;
        rc = p < x->x->n ? make_part_of(x, p) : wait_next(x);
    }
    if (rc)
        ix_group_cancel(x->g, x->m, x->c->nmessages);
    return rc;
}

/* What a run of a group cannot be. */
static ilex_status
check(const ix_run *r)
{
    if (r->nbindings > 0 && !r->bindings)
        return ix_fail(r->err, ILEX_E_ARGUMENT, "run: bindings is NULL");
    const char *what = r->p->backend->engine != &ix_engine_host ? "on a device"
                       : ix_ranks_grid(r->bindings, r->nbindings)
                           ? "with storages on a grid"
                       : r->call->box ? "with a box"
                                      : NULL;
    return what ? ix_fail(r->err, ILEX_E_UNSUPPORTED,
                          "%s: a run of a group %s is not supported",
                          r->p->c->name, what)
                : ILEX_OK;
}

static ilex_status
run(ix_run *r)
{
    exchange x = {
        .r = r, .c = r->p->c, .x = r->p->messages, .g = r->call->group};
    void *block = NULL;
    ilex_status rc = take_memory(&x);
    rc = rc ? rc : bind(&x, &block);
    rc = rc ? rc : go(&x);
    give_back(&x);
    ix_mem_free(&r->p->mem, block);
    return rc;
}

/* A rank without messages takes part as well. */
ilex_status
ix_messages_run(ix_run *r)
{
    ilex_group *g = r->call->group;
    ix_group_begin(g);
    ilex_status rc = check(r);
    if (!rc)
        rc = r->p->messages ? run(r) : ix_run_here(r);
    return ix_group_end(g, rc, r->err->text);
}

ilex_status
ix_messages_fail(ilex_group *g, ilex_status rc, const char *text)
{
    ix_group_begin(g);
    return ix_group_end(g, rc, text);
}
