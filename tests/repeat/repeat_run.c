/* SPDX-License-Identifier: MIT
 *
 * Runs a program with loops on every back end and compares it with what the
 * reference says of the steps written out; reads what was printed again.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/jit/jit.h"
#include "runtime/program/program.h"
#include "tests/cuda/cuda_device.h"
#include "tests/differential/cuda_shim.h"
#include "tests/repeat/repeat.h"

enum { MOST_ARGUMENTS = 400, SELDOM = 10 };

typedef struct result {
    char name[80];
    unsigned char *bytes;
    size_t n;
} result;

typedef struct session {
    const repeat_program *p;
    repeat_verdict *v;
    ilex_context *ctx;
    ilex_module *module;
    int variant, nresults;
    ilex_status status; /* of the first run: the others have the same */
    bool on_device;
    result want[MOST_ARGUMENTS];
} session;

static void
fail(session *s, const char *where, const char *what)
{
    if (s->v->failed)
        return;
    s->v->failed = true;
    snprintf(s->v->text, sizeof s->v->text, "%s: %s", where, what);
}

/* ---- one run ---- */

static result *
find(session *s, const char *name)
{
    for (int i = 0; i < s->nresults; i++)
        if (!strcmp(s->want[i].name, name))
            return &s->want[i];
    return NULL;
}

/* Keeps an output of the first run; compares that of another. */
static void
judge(session *s, const diff_buffer *b, const char *name, const char *where)
{
    char what[600];
    size_t n;
    unsigned char *got = diff_buffer_take(b, &n);
    result *want = find(s, name);
    if (s->variant == 0) {
        want = &s->want[s->nresults++];
        snprintf(want->name, sizeof want->name, "%s", name);
        want->bytes = got;
        want->n = n;
        s->v->outputs++;
        s->v->elements += (int64_t)(n / ilex_dtype_bytes(b->dtype));
        return;
    }
    if (!want || want->n != n) {
        snprintf(what, sizeof what, "%s has another size", name);
        fail(s, where, what);
    } else if (n && memcmp(got, want->bytes, n) != 0) {
        diff_buffer_difference(b, name, got, want->bytes, n, what, sizeof what);
        fail(s, where, what);
    }
    free(got);
}

/* The sizes that the program declares. */
static size_t
sizes_of(const session *s, const ilex_program *p, ilex_size_binding *to)
{
    size_t n = 0;
    for (size_t i = 0; i < ilex_program_size_count(p); i++)
        for (int k = 0; k < REPEAT_SIZES; k++)
            if (!strcmp(ilex_program_size_name(p, i), repeat_size_names[k]))
                to[n++] =
                    (ilex_size_binding){repeat_size_names[k], s->p->size[k]};
    return n;
}

static bool
make_buffers(session *s, const ilex_program *p, diff_buffer *b, ilex_call *call)
{
    size_t n = ilex_program_argument_count(p);
    uint64_t content = s->p->seed * 1000003u + s->p->number;
    for (size_t i = 0; i < n; i++) {
        int shares = p->c->buffer[i].inplace;
        bool written = false;
        for (size_t k = 0; k < n; k++)
            written |= p->c->buffer[k].inplace == (int)i;
        if (!diff_buffer_make(&b[i], s->ctx, p, i, call->sizes,
                              call->size_count, content, s->variant, written,
                              shares >= 0 ? &b[shares] : NULL))
            return false;
        b[i].shares = shares;
    }
    for (size_t i = 0; i < n; i++)
        diff_buffer_arm(&b[i]);
    return true;
}

static void
check_results(session *s, const ilex_program *p, diff_buffer *b,
              const ilex_call *call, const char *where)
{
    size_t n = ilex_program_argument_count(p);
    for (size_t i = 0; i < n; i++) {
        const char *changed;
        diff_buffer_shrink(&b[i], p, i, call->sizes, call->size_count);
        changed = diff_buffer_changed(b, n, i);
        if (changed)
            fail(s, where, changed);
        if (b[i].output)
            judge(s, &b[i], p->c->buffer[i].name, where);
    }
}

static void
run(session *s, const ilex_program *p, const char *where, int threads)
{
    size_t n = ilex_program_argument_count(p);
    static diff_buffer b[MOST_ARGUMENTS];
    static ilex_binding bindings[MOST_ARGUMENTS];
    ilex_size_binding sizes[REPEAT_SIZES];
    ilex_call call = {.size = sizeof call, .threads = threads, .sizes = sizes};
    call.size_count = sizes_of(s, p, sizes);
    if (n > MOST_ARGUMENTS)
        abort();
    memset(b, 0, sizeof b);
    if (!make_buffers(s, p, b, &call)) {
        fail(s, where, ilex_error_text(s->ctx));
        return;
    }
    for (size_t i = 0; i < n; i++)
        bindings[i] =
            (ilex_binding)ILEX_BIND(p->c->buffer[i].name, b[i].storage);
    int64_t bytes =
        s->variant % 2 || s->on_device
            ? 0
            : ilex_program_workspace(p, sizes, call.size_count, threads);
    if (bytes > 0) {
        call.workspace_bytes = ((size_t)bytes + 63) / 64 * 64;
        call.workspace = diff_pages_new(call.workspace_bytes, false);
        memset(call.workspace, 0xff, call.workspace_bytes);
    }
    diff_shuffle(bindings, n, s->variant);
    ilex_status rc = s->on_device ? cuda_device_run(p, bindings, n, &call)
                                  : ilex_run(p, bindings, n, &call);
    if (s->variant == 0 && rc == ILEX_E_BOUNDS && s->p->wild)
        s->status = rc;
    if (rc != s->status)
        fail(s, where, rc ? call.error : "no index is outside");
    else if (rc == ILEX_OK)
        check_results(s, p, b, &call, where);
    diff_pages_free(call.workspace, call.workspace_bytes, false);
    for (size_t i = n; i > 0; i--)
        diff_buffer_free(&b[i - 1]);
    s->variant++;
}

/* ---- back ends ---- */

static ilex_program *
compile(session *s, ilex_module *m, const char *jit)
{
    ilex_program *p;
    if (!strcmp(jit, "cuda")) {
        p = cuda_shim_compile(m, NULL);
    } else if (!strcmp(jit, "nvrtc")) {
        p = cuda_device_compile(s->ctx, m);
    } else {
        ilex_option_set(s->ctx, "jit", jit);
        p = ilex_compile_module(m);
    }
    if (!p)
        fail(s, jit, ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    return p;
}

static void
run_on(session *s, const char *jit, int least, int most)
{
    char where[80];
    ilex_program *p = s->v->failed ? NULL : compile(s, s->module, jit);
    for (int threads = least; p && threads <= most; threads += 2) {
        snprintf(where, sizeof where, "%s, %d thread%s", jit, threads,
                 threads > 1 ? "s" : "");
        s->on_device = !strcmp(jit, "nvrtc");
        run(s, p, where, threads);
    }
    s->on_device = false;
    ilex_program_release(p);
}

/* With an option that must not change a bit. */
static void
run_with(session *s, const char *option, const char *value, const char *usual)
{
    if (s->v->failed)
        return;
    ilex_option_set(s->ctx, option, value);
    run_on(s, "tcc", 1, 1);
    if (s->v->failed) {
        size_t n = strlen(s->v->text);
        snprintf(s->v->text + n, sizeof s->v->text - n, " (%s=%s)", option,
                 value);
    }
    ilex_option_set(s->ctx, option, usual);
}

/* ---- what was printed ---- */

static bool
same_hash(ilex_module *a, ilex_module *b)
{
    uint8_t x[16], y[16];
    return ilex_module_hash(a, x) == ILEX_OK &&
           ilex_module_hash(b, y) == ILEX_OK && !memcmp(x, y, sizeof x);
}

static void
check_print(session *s)
{
    char *text = ilex_module_print(s->module), *again = NULL;
    ilex_context *other = ilex_context_new(NULL);
    ilex_module *here =
        text ? ilex_module_parse(s->ctx, text, "printed") : NULL;
    ilex_module *there =
        text ? ilex_module_parse(other, text, "printed") : NULL;
    if (!text || !here || !there)
        fail(s, "printed", ilex_error_text(here || !text ? other : s->ctx));
    if (there)
        again = ilex_module_print(there);
    if (there && (!again || strcmp(text, again) != 0))
        fail(s, "printed", "another text when it is read");
    /* what concat_where has proved is no part of what is printed; sizes that
     * count what another loop of the context carries have other names */
    bool alike = !s->p->feature[REPEAT_counted_inside];
    if (!s->p->feature[REPEAT_concat_where] && here && there &&
        !same_hash(alike ? here : there, s->module))
        fail(s, "printed", "another hash");
    if (alike && here && there && !same_hash(there, here))
        fail(s, "printed", "another hash in another context");
    if (here && !s->v->failed && s->p->number % 4 == 1) {
        ilex_program *p = compile(s, here, "tcc");
        if (p)
            run(s, p, "printed and read", 1);
        ilex_program_release(p);
    }
    ilex_error_clear(s->ctx);
    ilex_module_free(here);
    ilex_module_free(there);
    ilex_text_free(s->ctx, text);
    ilex_text_free(other, again);
    ilex_context_free(other);
}

/* ---- all ---- */

/* The module of one of the texts; NULL after a verdict. */
static ilex_module *
parse(session *s, bool once, const char *name)
{
    char *text = repeat_render(s->p, once);
    ilex_module *m = ilex_module_parse(s->ctx, text, name);
    if (!m && s->p->wild && ilex_error_code(s->ctx) == ILEX_E_BOUNDS)
        s->v->known = true; /* an index outside is no data here */
    else if (!m)
        fail(s, name, ilex_error_text(s->ctx));
    ilex_error_clear(s->ctx);
    free(text);
    return m;
}

/* The steps written out, by the reference; false if there is no such run. */
static bool
run_once(session *s)
{
    ilex_module *m = parse(s, true, "steps written out");
    ilex_program *p = m ? compile(s, m, "reference") : NULL;
    if (p)
        run(s, p, "steps written out", 1);
    ilex_error_clear(s->ctx);
    ilex_program_release(p);
    ilex_module_free(m);
    s->v->stopped = s->status != ILEX_OK;
    return p && !s->v->failed;
}

static void
run_everywhere(session *s, const char *jit)
{
    static const char *const options[][3] = {{"fuse", "0", "1"},
                                             {"order", "F", "auto"},
                                             {"schedule", "none", "auto"}};
    const char *const *o = options[s->p->number % 3];
    run_on(s, "reference", 1, 1);
    check_print(s);
    if (ix_jit_tcc_available()) {
        run_on(s, "tcc", 1, 3);
        run_with(s, o[0], o[1], o[2]);
        if (s->p->feature[REPEAT_stencil]) /* strips of few columns */
            run_with(s, "target", "l2_bytes=65536,l3_bytes=65536", "auto");
    }
    if (jit ? strstr(jit, "cc") && strcmp(jit, "tcc") != 0
            : s->p->number % SELDOM == 0)
        run_on(s, "cc", 1, 3);
    if (jit ? strstr(jit, "cuda") != NULL : s->p->number % SELDOM == 5)
        run_on(s, "cuda", 1, 1);
    if (jit && strstr(jit, "nvrtc"))
        run_on(s, "nvrtc", 1, 1);
}

void
repeat_run(const repeat_program *p, const repeat_options *o, repeat_verdict *v)
{
    static session s;
    s = (session){.p = p, .v = v, .ctx = ilex_context_new(NULL)};
    memset(v, 0, sizeof *v);
    ilex_option_set(s.ctx, "cflags", "-O1");
    ilex_option_set(s.ctx, "verify", "1");
    if (run_once(&s)) {
        s.module = parse(&s, false, "loops");
        if (s.module)
            run_everywhere(&s, o->jit);
    } else if (v->failed) { /* is the program none? */
        repeat_verdict unused = {0};
        s.v = &unused;
        s.module = parse(&s, false, "loops");
        v->refused = !s.module;
    }
    for (int i = 0; i < s.nresults; i++)
        free(s.want[i].bytes);
    ilex_module_free(s.module);
    ilex_context_free(s.ctx);
}
