/* SPDX-License-Identifier: MIT
 *
 * Programs of eager operators, by signature, for the whole process: compiled
 * in a context of their own, never freed.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/eager/eager.h"

#include <stdatomic.h>
#include <stdio.h>

#include "lib/base/fork.h"
#include "lib/base/table.h"

typedef struct entry {
    ix_eager_key key;
    ilex_program *program;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ix_table entries;
static atomic_size_t compilations;

IX_FORK_TAKES(lock, constructor)

static bool
key_equal(const void *item, const void *key)
{
    return !memcmp(&((const entry *)item)->key, key, sizeof(ix_eager_key));
}

/* "A0:n0, A2:n2" for the axes of a mask. */
static void
domain_text(uint32_t mask, int rank, bool named, char *text, size_t size)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < rank; k++)
        if (mask >> k & 1) {
            const char *comma = at ? ", " : "";
            int n =
                named ? snprintf(text + at, size - at, "%sA%d:n%d", comma, k, k)
                      : snprintf(text + at, size - at, "%sn%d", comma, k);
            at += (size_t)n;
        }
}

/* Operands are spread over all axes first, which gives the result its order of
 * axes: the loops' order. */
static ilex_array *
element_wise(ilex_context *ctx, const ix_eager_key *key)
{
    ilex_array *x[IX_EAGER_OPERANDS];
    char name[16], domain[ILEX_MAX_RANK * 12], full[ILEX_MAX_RANK * 12];
    domain_text(~0u, key->rank, true, full, sizeof full);
    for (int i = 0; i < key->count; i++) {
        snprintf(name, sizeof name, "x%d", i);
        domain_text(key->mask[i], key->rank, true, domain, sizeof domain);
        x[i] = ilex_input(ctx, name, (ilex_dtype)key->dtype[i], domain);
        x[i] = ilex_restrict(x[i], full);
    }
    ilex_array *y =
        key->op == IX_NOPS ? x[0] : ix_build_op(ctx, (ix_op)key->op, x);
    return ix_build_cast(ctx, (ilex_dtype)key->result, y);
}

/* Axes of a reduction have no names: the storage's may be any. */
static ilex_array *
reduction(ilex_context *ctx, const ix_eager_key *key)
{
    char domain[ILEX_MAX_RANK * 12];
    domain_text(~0u, key->rank, false, domain, sizeof domain);
    ilex_array *x = ilex_input(ctx, "x0", (ilex_dtype)key->dtype[0], domain);
    return ix_build_reduce(ctx, (ix_reduction)(-1 - key->op), x, key->mask[0],
                           false);
}

/* Compiles with memory of malloc: it outlives every context. */
static ilex_program *
compile(ilex_context *outer, const ix_eager_key *key)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return ix_fail_memory_null(&outer->error);
    ilex_option_set(ctx, "jit", key->jit);
    ilex_option_set(ctx, "reuse", "0"); /* it is kept here */
    ilex_option_set(ctx, "threads", "1");
    ix_options_elsewhere(ctx);
    ilex_array *y = key->op < 0 ? reduction(ctx, key) : element_wise(ctx, key);
    const char *name = "y";
    ilex_compile_spec spec = {
        .size = sizeof spec, .name = "eager", .names = &name};
    atomic_fetch_add(&compilations, 1);
    ilex_program *p = ilex_compile(ctx, 1, &y, &spec);
    if (!p)
        ix_fail(&outer->error, ilex_error_code(ctx), "%s",
                ilex_error_text(ctx));
    if (p && key->op >= 0 &&
        (p->c->nbuffers > IX_EAGER_BUFFERS ||
         p->most_arguments > IX_EAGER_ARGUMENTS ||
         p->c->tables->words > IX_EAGER_WORDS ||
         p->c->narguments != (size_t)key->count + 1)) {
        ix_fail(&outer->error, ILEX_E_INTERNAL,
                "eager: a program has %zu buffers", p->c->nbuffers);
        ilex_program_release(p);
        p = NULL;
    }
    ilex_context_free(ctx);
    return p;
}

static ilex_program *
add_entry(ilex_context *ctx, uint64_t hash, const ix_eager_key *key)
{
    entry *e = ix_mem_new(&ix_mem_default, sizeof *e);
    ilex_program *p = e ? compile(ctx, key) : NULL;
    if (e && p) {
        e->key = *key;
        e->program = p;
        if (ix_table_add(&entries, &ix_mem_default, hash, e))
            return p;
    }
    if (!e || p)
        ix_fail_memory(&ctx->error);
    ilex_program_release(p);
    ix_mem_free(&ix_mem_default, e);
    return NULL;
}

const ilex_program *
ix_eager_program(ilex_context *ctx, const ix_eager_key *key)
{
    uint64_t hash = ix_hash_bytes(0, key, sizeof *key);
    pthread_mutex_lock(&lock);
    entry *e = ix_table_find(&entries, hash, key, key_equal);
    const ilex_program *p = e ? e->program : add_entry(ctx, hash, key);
    pthread_mutex_unlock(&lock);
    return p;
}

void
ix_eager_key_jit(ilex_context *ctx, bool device, ix_eager_key *key)
{
    const char *jit = ix_option_text(ctx, IX_OPTION_jit);
    if (device)
        jit = "nvrtc";
    else if (!strcmp(jit, "nvrtc"))
        jit = "auto"; /* the operands lie on the host */
    *key->jit = 0;
    strncat(key->jit, jit, sizeof key->jit - 1);
}

size_t
ix_eager_compilations(void)
{
    return atomic_load(&compilations);
}
