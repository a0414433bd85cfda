/* SPDX-License-Identifier: MIT
 *
 * Memory through the user's allocator, and the error record.
 */
#include "lib/base/errors.h"

#include <stdio.h>
#include <stdlib.h>

static void *
default_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

const ix_mem ix_mem_default = {default_resize, NULL};

void *
ix_mem_new(const ix_mem *mem, size_t bytes)
{
    void *p = mem->resize(mem->user, NULL, bytes ? bytes : 1);
    if (p)
        memset(p, 0, bytes ? bytes : 1);
    return p;
}

void *
ix_mem_resize(const ix_mem *mem, void *block, size_t bytes)
{
    return mem->resize(mem->user, block, bytes ? bytes : 1);
}

bool
ix_mem_enlarge(const ix_mem *mem, void *array, size_t *capacity, size_t need,
               size_t item)
{
    size_t cap = *capacity < 8 ? 8 : *capacity * 2;
    if (cap < need)
        cap = need;
    if (cap > SIZE_MAX / item)
        return false;
    void *old;
    memcpy(&old, array, sizeof old);
    void *p = ix_mem_resize(mem, old, cap * item);
    if (!p)
        return false;
    memcpy(array, &p, sizeof p);
    *capacity = cap;
    return true;
}

ilex_status
ix_fail_v(ix_error *err, ilex_status code, const char *fmt, va_list args)
{
    if (err && err->code == ILEX_OK) {
        err->code = code;
        vsnprintf(err->text, sizeof err->text, fmt, args);
    } else if (err && err->more) {
        ix_error another = {.code = code, .operand = -1};
        vsnprintf(another.text, sizeof another.text, fmt, args);
        ix_errors_find(err, &another);
    }
    return code;
}

ilex_status
ix_fail(ix_error *err, ilex_status code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ix_fail_v(err, code, fmt, args);
    va_end(args);
    return code;
}

ilex_status
ix_fail_memory(ix_error *err)
{
    return ix_fail(err, ILEX_E_MEMORY, "out of memory");
}

void
ix_error_clear(ix_error *err)
{
    err->code = ILEX_OK;
    err->operation = NULL;
    err->operand = -1;
    err->line = err->column = 0;
    err->more = NULL;
    err->file = NULL;
    *err->text = 0;
}
