/* SPDX-License-Identifier: MIT
 *
 * Programs compiled with a random schedule, run on the arguments of the
 * reference.
 */
#include "tests/tree/compiled.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/program.h"
#include "tests/cuda/cuda_device.h"
#include "tests/differential/cuda_shim.h"

static bool
on_device(const tree_compiled *x)
{
    return !strcmp(x->jit, "nvrtc");
}

/* By a back end, or as CUDA source that the CPU runs. */
static ilex_program *
compile(const tree_compiled *x)
{
    bool cuda = !strcmp(x->jit, "cuda");
    if (ilex_option_set(x->ctx, "jit", cuda ? "reference" : x->jit) ||
        ilex_option_set(x->ctx, "schedule", x->schedule))
        abort();
    return cuda           ? cuda_shim_compile(x->module, NULL)
           : on_device(x) ? cuda_device_compile(x->ctx, x->module)
                          : ilex_compile_module(x->module);
}

/* Runs it; false with what is wrong. */
static bool
run(const tree_compiled *x, const ilex_program *p, char *what, size_t size)
{
    ilex_call call = *x->call;
    ilex_binding b[64];
    for (size_t i = 0; i < x->n && i < 64; i++) {
        diff_buffer *a = &x->argument[i];
        if (a->shares < 0)
            memcpy(a->block, a->before, a->bytes);
        b[i] = (ilex_binding)ILEX_BIND(p->c->buffer[i].name, a->storage);
    }
    if (!(on_device(x) ? cuda_device_run : ilex_run)(p, b, x->n, &call))
        return true;
    snprintf(what, size, "%s", call.error);
    return false;
}

static bool
is_same(const tree_compiled *x, const ilex_program *p, size_t i,
        const unsigned char *want, char *what, size_t size)
{
    size_t bytes;
    unsigned char *got = diff_buffer_take(&x->argument[i], &bytes);
    bool same = !bytes || !memcmp(got, want, bytes);
    if (!same)
        diff_buffer_difference(&x->argument[i], p->c->buffer[i].name, got, want,
                               bytes, what, size);
    free(got);
    return same;
}

bool
tree_run_compiled(const tree_compiled *x, char *what, size_t size)
{
    unsigned char *want[64];
    size_t bytes;
    ilex_program *p = compile(x);
    if (!p || x->n > 64) {
        snprintf(what, size, "%s", ilex_error_text(x->ctx));
        return false;
    }
    for (size_t i = 0; i < x->n; i++)
        want[i] = x->argument[i].output
                      ? diff_buffer_take(&x->argument[i], &bytes)
                      : NULL;
    bool same = run(x, p, what, size);
    for (size_t i = 0; i < x->n; i++) {
        const char *changed = diff_buffer_changed(x->argument, x->n, i);
        if (same && changed)
            snprintf(what, size, "%s", changed);
        same = same && !changed &&
               (!want[i] || is_same(x, p, i, want[i], what, size));
        free(want[i]);
    }
    ilex_program_release(p);
    return same;
}

void
tree_put_policy(ix_unit *u, char *trail, size_t size)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    for (size_t i = 0; u->schedule && i < u->schedule->n; i++) {
        size_t n = strlen(trail);
        ix_text t;
        ix_text_init(&t, &mem);
        ix_directive_put(&u->schedule->item[i], &t);
        if (u->schedule->item[i].row != IX_KERNELS_store)
            snprintf(trail + n, size - n, "    program: %s\n",
                     ix_text_string(&t));
    }
}

void
tree_put_schedule(const char *trail, char *to, size_t size)
{
    size_t n = 0;
    const char *seen[64];
    int nseen = 0;
    if (strncmp(trail, "    program:", 12) != 0)
        n = (size_t)snprintf(to, size, "program:\n"); /* no policy */
    for (const char *p = trail; *p; p += strcspn(p, "\n") + 1) {
        size_t name = strcspn(p, ":") + 1;
        bool known = nseen == 64;
        for (int i = 0; i < nseen; i++)
            known |= !strncmp(seen[i], p, name);
        if (known)
            continue;
        seen[nseen++] = p;
        n += (size_t)snprintf(to + n, size - n, "%s%.*s\n",
                              p[4] == 'k' ? "kernel " : "", (int)name - 4,
                              p + 4);
        for (const char *q = p; *q; q += strcspn(q, "\n") + 1)
            if (!strncmp(q, p, name))
                n += (size_t)snprintf(to + n, size - n, "   %.*s\n",
                                      (int)(strcspn(q, "\n") - name), q + name);
    }
}
