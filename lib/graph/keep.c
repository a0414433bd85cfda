/* SPDX-License-Identifier: MIT
 *
 * Keeping: counts that users hold, apart from scopes.
 *
 * Who collects garbage gives arrays back when it likes: from any thread, while
 * their context ends, and after that. So an array that is kept when its context
 * ends stays, as a husk: without a context, with its counts, and with what the
 * context left ("ext"), which goes with the last husk.
 */
#include "lib/base/fork.h"
#include "lib/graph/node.h"

/* Of the lists of dropped arrays, of husks, and of what contexts left. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_TAKES(lock, constructor)

/* ---- what a context leaves ---- */

ix_remains *
ix_remains_new(const ix_mem *mem)
{
    ix_remains *r = ix_mem_new(mem, sizeof *r);
    if (r)
        *r = (ix_remains){*mem, 1};
    return r;
}

/* Under the lock. */
static void
let_go(ix_remains *r, void *husk)
{
    ix_mem mem = r->mem;
    ix_mem_free(&mem, husk);
    if (--r->count == 0)
        ix_mem_free(&mem, r);
}

void
ix_remains_let_go(ix_remains *r, void *husk)
{
    pthread_mutex_lock(&lock);
    let_go(r, husk);
    pthread_mutex_unlock(&lock);
}

void
ix_keep_end(ilex_context *ctx)
{
    pthread_mutex_lock(&lock);
    for (ilex_array *n = atomic_exchange(&ctx->later, NULL); n; n = n->later)
        n->kept -= n->later_count;
    for (size_t i = 0; i < ctx->nodes.capacity; i++) {
        ilex_array *n = ctx->nodes.entries[i].item;
        if (n && n->kept > 0) {
            n->ctx = NULL;
            n->ext = ctx->remains;
            ctx->remains->count++;
        } else {
            ix_mem_free(&ctx->mem, n);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- keeping and dropping ---- */

ilex_array *
ilex_keep(ilex_array *array)
{
    if (array)
        ix_node_retain(array)->kept++;
    return array;
}

/* Gives counts back to the context, on its thread. */
static void
give_back(ilex_array *n, int32_t drops)
{
    if (drops > n->kept && !ix_is_poison(n))
        ix_fail(&n->ctx->error, ILEX_E_ARGUMENT,
                "drop: an array was dropped more often than kept; only what "
                "ilex_keep returned is dropped, once, scopes release the rest");
    int32_t n_kept = drops < n->kept ? drops : n->kept;
    n->kept -= n_kept;
    for (int32_t i = 0; i < n_kept; i++)
        ix_node_release(n);
}

/* If it is a husk, under the lock. */
static bool
drop_husk(ilex_array *n)
{
    if (n->ctx)
        return false;
    if (--n->kept == 0)
        let_go(n->ext, n);
    return true;
}

void
ilex_drop(ilex_array *array)
{
    if (!array)
        return;
    pthread_mutex_lock(&lock);
    bool husk = drop_husk(array);
    pthread_mutex_unlock(&lock);
    if (!husk)
        give_back(array, 1);
}

void
ilex_drop_later(ilex_array *array)
{
    if (!array)
        return;
    pthread_mutex_lock(&lock);
    if (!drop_husk(array) && array->later_count++ == 0) {
        array->later = atomic_load(&array->ctx->later);
        atomic_store(&array->ctx->later, array);
    }
    pthread_mutex_unlock(&lock);
}

/* Takes an array off the list, and how often it was dropped. */
static ilex_array *
take_dropped(ilex_context *ctx, int32_t *drops)
{
    pthread_mutex_lock(&lock);
    ilex_array *n = atomic_load(&ctx->later);
    if (n) {
        atomic_store(&ctx->later, n->later);
        *drops = n->later_count;
        n->later_count = 0;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

void
ix_keep_drain(ilex_context *ctx)
{
    int32_t drops = 0;
    for (ilex_array *n; (n = take_dropped(ctx, &drops));)
        give_back(n, drops);
}
