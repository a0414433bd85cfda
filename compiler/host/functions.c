/* SPDX-License-Identifier: MIT
 *
 * Foreign functions of programs that are compiled ahead of time: whoever links
 * the program defines them. The header declares each, the source has tables of
 * calls and of the parts of arrays that they are given.
 */
#include "compiler/host/host.h"

/* Is call "i" the first of its function, which is somebody else's? */
static bool
is_first(const ix_compiled *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!c->call[k].routine && !strcmp(c->call[k].name, c->call[i].name))
            return false;
    return !c->call[i].routine;
}

/* ---- the header ---- */

/* "f64[2], f32[0]": dtypes and ranks. */
static void
put_kinds(ix_host *h, const ix_compiled_slice *slice, int n)
{
    for (int i = 0; i < n; i++) {
        const ix_compiled_buffer *b = &h->c->buffer[slice[i].buffer];
        ix_text_format(h->t, "%s%s of %d ax%s", i ? ", " : "",
                       ilex_dtype_name(b->dtype), b->rank,
                       b->rank == 1 ? "is" : "es");
    }
    ix_text_put(h->t, n ? "" : "nothing");
}

void
ix_host_put_functions(ix_host *h)
{
    for (size_t i = 0; i < h->c->ncalls; i++) {
        const ix_compiled_call *call = &h->c->call[i];
        if (!is_first(h->c, i))
            continue;
        ix_text_put(h->t, "/* takes ");
        put_kinds(h, call->slice, call->narguments);
        ix_text_put(h->t, "; gives ");
        put_kinds(h, call->slice + call->narguments, call->nresults);
        ix_text_format(h->t, " */\nint %s(const ilex_function_call *call);\n",
                       call->name);
    }
}

bool
ix_host_needs_elementwise(const ix_host *h)
{
    for (size_t i = 0; i < h->c->nfunctions; i++)
        if (!h->grid || !h->c->function[i].in_cuda)
            return true;
    return false;
}

void
ix_host_put_elementwise(ix_host *h)
{
    for (size_t i = 0; i < h->c->nfunctions; i++) {
        const ix_compiled_function *f = &h->c->function[i];
        const char *type = ix_host_type(f->dtype);
        if (h->grid && f->in_cuda)
            continue;
        ix_text_format(h->t, "%s%s %s(",
                       h->grid ? "extern \"C\" __device__ " : "", type,
                       f->name);
        for (int k = 0; k < f->noperands; k++)
            ix_text_format(h->t, "%s%s", k ? ", " : "", type);
        ix_text_put(h->t, ");\n");
    }
}

/* ---- the source ---- */

void
ix_host_put_calls(ix_host *h)
{
    const ix_compiled *c = h->c;
    if (c->ncalls == c->nroutines)
        return;
    ix_text_put(h->t, "static int (*const ilex_functions[])(const "
                      "ilex_function_call *call) = {\n");
    for (size_t i = 0; i < c->ncalls; i++)
        ix_text_format(h->t, "    %s,\n",
                       c->call[i].routine ? "NULL" : c->call[i].name);
    ix_text_put(h->t, "};\n\n");
}

/* ---- names ---- */

static ilex_status
check_name(const ix_library *l, const char *name, bool taken, ix_error *err)
{
    size_t n = strlen(l->prefix);
    bool own = !strncmp(name, l->prefix, n) && (!name[n] || name[n] == '_');
    return !own && !taken && !ix_host_is_reserved(name)
               ? ILEX_OK
               : ix_fail(err, ILEX_E_NAME,
                         "program %s: it calls %s, a name that C, CUDA or the "
                         "files have for something else; rename the function",
                         l->program->name, name);
}

ilex_status
ix_host_check_functions(const ix_library *l, ix_error *err)
{
    const ix_compiled *c = l->program;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < c->ncalls; i++)
        rc = c->call[i].routine ? rc
                                : check_name(l, c->call[i].name, false, err);
    for (size_t i = 0; !rc && i < c->nfunctions; i++)
        rc =
            check_name(l, c->function[i].name,
                       l->cuda && ix_host_is_of_cuda(c->function[i].name), err);
    return rc;
}
