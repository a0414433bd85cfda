/* SPDX-License-Identifier: MIT
 *
 * What both sides say of a run, compared; and what both should have refused:
 * outputs that share memory, memory that changed and is of no output.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "runtime/program/program.h"
#include "tests/ahead/wrong.h"

void *
wrong_allocate(size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    if (!p)
        abort();
    return p;
}

/* What is done with each element, which begins at a byte of the memory. */
typedef struct visitor {
    const trial *t;
    int i; /* of this argument */
    unsigned char *memory;
    bool (*each)(const struct visitor *v, ptrdiff_t at);
} visitor;

/* Visits the elements from axis "k" on, until one says false. */
static bool
walk(const visitor *v, int k, ptrdiff_t at)
{
    const argument *a = &v->t->a[v->i];
    ptrdiff_t item = (ptrdiff_t)ilex_dtype_bytes(v->t->b[v->i].dtype);
    if (k == v->t->b[v->i].rank)
        return v->each(v, at);
    for (int64_t j = 0; j < a->shape[k]; j++)
        if (!walk(v, k + 1, at + j * a->stride[k] * item))
            return false;
    return true;
}

static bool
visit(const trial *t, int i, unsigned char *memory,
      bool (*each)(const visitor *v, ptrdiff_t at))
{
    visitor v = {t, i, memory, each};
    return !t->a[i].data ||
           walk(&v, 0, (unsigned char *)t->a[i].data - t->memory);
}

/* Every NaN is alike. */
static bool
unify(const visitor *v, ptrdiff_t at)
{
    size_t item = ilex_dtype_bytes(v->t->b[v->i].dtype);
    ilex_dtype part = ix_dtype_part(v->t->b[v->i].dtype);
    for (size_t n = 0; n < item && ix_dtype_is_real(part);
         n += ilex_dtype_bytes(part)) {
        ix_value x = ix_value_load(part, v->memory + at + n);
        x.f = x.f != x.f ? (double)__builtin_nan("") : x.f;
        ix_value_store(part, v->memory + at + n, x);
    }
    return true;
}

/* No output has marked the element. */
static bool
is_free(const visitor *v, ptrdiff_t at)
{
    bool marked = false;
    for (size_t n = 0; n < ilex_dtype_bytes(v->t->b[v->i].dtype); n++)
        marked |= v->memory[at + (ptrdiff_t)n];
    return !marked;
}

static bool
mark(const visitor *v, ptrdiff_t at)
{
    bool was_free = is_free(v, at);
    memset(v->memory + at, 1, ilex_dtype_bytes(v->t->b[v->i].dtype));
    return was_free;
}

static bool
is_same_memory(const trial *t, outcome *a, outcome *b)
{
    if (memcmp(a->memory, b->memory, t->bytes) == 0)
        return true;
    for (int i = 0; i < t->n; i++)
        if (t->b[i].output) {
            visit(t, i, a->memory, unify);
            visit(t, i, b->memory, unify);
        }
    return memcmp(a->memory, b->memory, t->bytes) == 0;
}

/* The same, but for the bytes of workspace that each side needs: one may need
 * less. */
static bool
is_same_refusal(const trial *t, const outcome *a, const outcome *b)
{
    static const char small[] = "the workspace has ";
    const char *end = strstr(a->text, small);
    const char *other = strstr(b->text, small);
    if (t->least != t->most && (end || other) && (!a->status || !b->status))
        return true;
    return a->status == b->status &&
           (end ? other != NULL : !strcmp(a->text, b->text));
}

/* Where the element with all indices 0 is. */
static uintptr_t
home_of(const trial *t, int i)
{
    const argument *a = &t->a[i];
    const ix_compiled_buffer *b = &t->s->simplified->c->buffer[i];
    uintptr_t at = (uintptr_t)a->data;
    for (int k = 0; k < b->rank; k++)
        if (*b->axis[k])
            at -= (uintptr_t)(a->origin[k] - a->halo[k][0]) *
                  (uintptr_t)a->stride[k] * ilex_dtype_bytes(b->dtype);
    return at;
}

/* Is some output where input "j" is, as it may be? */
static bool
is_partner(const trial *t, int j)
{
    const ix_compiled_buffer *b = t->s->simplified->c->buffer;
    for (int i = 0; i < t->n; i++)
        if (b[i].inplace == j && home_of(t, i) == home_of(t, j) &&
            !memcmp(t->a[i].stride, t->a[j].stride,
                    (size_t)b[j].rank * sizeof *t->a[j].stride))
            return true;
    return false;
}

/* Marks the elements of outputs. Does none share memory with any other, nor
 * with what is read? */
static bool
are_apart(const trial *t, unsigned char *marks)
{
    bool apart = true;
    for (int i = 0; i < t->n; i++)
        if (t->b[i].output)
            apart = visit(t, i, marks, mark) && apart;
    for (int i = 0; i < t->n; i++)
        if (!t->b[i].output && t->b[i].rank > 0 &&
            t->s->simplified->c->buffer[i].used && !is_partner(t, i))
            apart = visit(t, i, marks, is_free) && apart;
    return apart;
}

/* Is the element apart from the workspace? */
static bool
is_beside(const visitor *v, ptrdiff_t at)
{
    const unsigned char *w = v->t->workspace, *p = v->t->memory + at;
    return p >= w + v->t->workspace_bytes ||
           p + ilex_dtype_bytes(v->t->b[v->i].dtype) <= w;
}

/* Has an array an element in the workspace? */
static bool
is_lent(const trial *t)
{
    bool beside = true;
    for (int i = 0; i < t->n && t->workspace; i++)
        if (t->b[i].rank > 0)
            beside = visit(t, i, t->memory, is_beside) && beside;
    return !beside;
}

/* What both sides should have refused, or did where nothing may change. */
static const char *
find_fault(const trial *t, const outcome *a, const unsigned char *before)
{
    unsigned char *marks = wrong_allocate(t->bytes);
    const char *fault = NULL;
    if (!are_apart(t, marks))
        fault = "elements share memory";
    else if (is_lent(t))
        fault = "the workspace shares memory";
    else if (!t->workspace && t->workspace_bytes > 0)
        fault = "a workspace that is NULL has bytes";
    for (size_t i = 0; i < t->bytes && !fault; i++)
        if (!marks[i] && a->memory[i] != before[i])
            fault = "memory outside of outputs changed";
    free(marks);
    return fault;
}

/* May a run have begun when it fails so? */
static bool
is_late(const trial *t, int status)
{
    return status == ILEX_E_BOUNDS ||
           ilex_program_counted_count(t->s->simplified) > 0;
}

const char *
wrong_judge(const trial *t, outcome *a, outcome *b, const unsigned char *before)
{
    if (!is_same_refusal(t, a, b))
        return "another message";
    if (a->status != b->status)
        return NULL;
    if (a->status == 0 && memcmp(a->counted, b->counted, sizeof a->counted))
        return "another count";
    if (a->status == 0)
        return is_same_memory(t, a, b) ? find_fault(t, a, before)
                                       : "another result";
    if (is_late(t, a->status))
        return NULL;
    return memcmp(a->memory, before, t->bytes)   ? "the other side wrote"
           : memcmp(b->memory, before, t->bytes) ? "the function wrote"
                                                 : NULL;
}
