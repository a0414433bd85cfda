/* SPDX-License-Identifier: MIT
 *
 * Expressions on storages: a program is written around the expression, with the
 * storages' dtypes, axes, origins and halos, and sizes for long axes; equal
 * texts are compiled once in a process.
 */
#include <stdarg.h>

#include "lib/base/letter.h"
#include "lib/graph/function.h"
#include "runtime/program/program.h"

/* ---- sizes ---- */

/* Axes at least this long have sizes; shorter ones are numbers, so that no
 * proof asks for more than is assumed, and so are those that storages say are
 * fixed. Ends on one axis differ by less than
 * NEAR. */
enum { LONG = 64, NEAR = 16, MOST_SIZES = 4 * ILEX_MAX_RANK };

/* Named axes have a size each, from which the others' ends are counted; unnamed
 * ones a size for each length. */
typedef struct size {
    const char *name; /* "" unnamed */
    int64_t lo, hi;
    bool symbolic;
} size;

typedef struct sizes {
    size item[MOST_SIZES];
    int n;
} sizes;

/* The range of an axis as programs see it. */
static void
range_of(const ilex_storage *s, int k, int64_t *lo, int64_t *hi)
{
    if (*s->axis[k]) {
        ilex_storage_domain(s, k, lo, hi);
        return;
    }
    *lo = 0;
    *hi = s->shape[k];
}

static size *
find_size(sizes *list, const ilex_storage *s, int k, int64_t hi)
{
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->item[i].name, s->axis[k]) &&
            (*s->axis[k] || list->item[i].hi == hi))
            return &list->item[i];
    return NULL;
}

/* Makes the axes of a storage part of the sizes. */
static void
add_sizes(sizes *list, const ilex_storage *s)
{
    for (int k = 0; k < s->rank; k++) {
        int64_t lo, hi;
        range_of(s, k, &lo, &hi);
        bool is_long = hi - lo >= LONG && !(s->fixed >> k & 1);
        size *x = find_size(list, s, k, hi);
        if (x)
            x->symbolic &= is_long && hi - x->hi < NEAR && x->hi - hi < NEAR;
        else if (list->n < MOST_SIZES)
            list->item[list->n++] = (size){s->axis[k], lo, hi, is_long};
    }
}

static void
write_sizes(const sizes *list, ix_text *t)
{
    for (int i = 0; i < list->n; i++)
        if (list->item[i].symbolic)
            ix_text_format(t, "size s%d\nassume s%d >= %lld\n", i, i,
                           (long long)list->item[i].lo + LONG);
}

/* What is asked for. */
typedef struct question {
    ilex_context *ctx;
    const ix_eval *what;
    const ilex_binding *bound;
    size_t count;
} question;

/* ---- functions of the host ---- */

/* Does the text have the name, as a word of its own? */
static bool
has_word(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if ((at == text || !ix_is_name_byte(at[-1])) && !ix_is_name_byte(at[n]))
            return true;
    return false;
}

/* Function "i" of the context if the expression may call it, else NULL. */
static const ilex_function_spec *
called(const question *q, size_t i)
{
    const char *name = ix_function_name(q->ctx, i);
    bool is = has_word(q->what->text, name);
    for (size_t k = 0; is && k < q->count; k++)
        is = strcmp(q->bound[k].name, name) != 0;
    return is ? ix_function_find(q->ctx, name) : NULL;
}

static void
declare_functions(const question *q, ix_text *t)
{
    for (size_t i = 0; i < q->ctx->nfunctions; i++)
        if (ix_function_declaration(q->ctx, i) && called(q, i))
            ix_text_format(t, "extern %s\n",
                           ix_function_declaration(q->ctx, i));
}

/* Which functions they are: programs are kept by what their text does not say,
 * too. */
static void
write_functions(const question *q, ix_text *t)
{
    for (size_t i = 0; i < q->ctx->nfunctions; i++) {
        const ilex_function_spec *f = called(q, i);
        if (!f)
            continue;
        ix_text_format(t, "%llx %llx %llx %p\n",
                       (unsigned long long)(uintptr_t)f->host,
                       (unsigned long long)(uintptr_t)f->device,
                       (unsigned long long)(uintptr_t)f->elementwise, f->user);
        ix_text_put(t, f->elementwise_cuda ? f->elementwise_cuda : "");
    }
}

static void
register_functions(const question *q, ilex_context *inner)
{
    for (size_t i = 0; i < q->ctx->nfunctions; i++) {
        const ilex_function_spec *f = called(q, i);
        if (f)
            ix_function_register(inner, ix_function_name(q->ctx, i), f,
                                 f->declaration);
    }
}

/* ---- the program ---- */

static void
write_axis(sizes *list, const ilex_storage *s, int k, ix_text *t)
{
    int64_t lo, hi;
    range_of(s, k, &lo, &hi);
    const size *x = find_size(list, s, k, hi);
    if (*s->axis[k])
        ix_text_format(t, "%s:%lld:", s->axis[k], (long long)lo);
    if (x && x->symbolic)
        ix_text_format(t, "s%d%+lld", (int)(x - list->item),
                       (long long)(hi - x->hi));
    else
        ix_text_int(t, hi);
}

/* "in u : f64[I:0:s0+0] halo(I:1:1)" */
static void
write_storage(sizes *list, const char *name, const ilex_storage *s, ix_text *t)
{
    ix_text_format(t, "in %s : %s[", name, ilex_dtype_name(s->dtype));
    for (int k = 0; k < s->rank; k++) {
        ix_text_put(t, k ? ", " : "");
        write_axis(list, s, k, t);
    }
    ix_text_char(t, ']');
    for (int k = 0; k < s->rank && *s->axis[0]; k++)
        ix_text_format(t, "%s%s:%lld:%lld", k ? ", " : " halo(", s->axis[k],
                       (long long)s->halo[k][0], (long long)s->halo[k][1]);
    ix_text_put(t, s->rank && *s->axis[0] ? ")\n" : "\n");
}

static const char *const number_dtypes[] = {[ILEX_BOUND_F64] = "f64",
                                            [ILEX_BOUND_I64] = "i64",
                                            [ILEX_BOUND_U64] = "u64",
                                            [ILEX_BOUND_C128] = "c128"};

static void
write_program(const question *q, ix_text *t)
{
    const ilex_binding *b = q->bound;
    const ix_eval *what = q->what;
    sizes list = {.n = 0};
    ix_text_put(t, "ilex 1\nprogram eval\n");
    declare_functions(q, t);
    for (size_t i = 0; i < q->count; i++)
        if (b[i].storage)
            add_sizes(&list, b[i].storage);
    for (int i = 0; i < list.n; i++)
        list.item[i].symbolic &= !what->exact;
    write_sizes(&list, t);
    for (size_t i = 0; i < q->count; i++)
        if (b[i].storage)
            write_storage(&list, b[i].name, b[i].storage, t);
        else
            ix_text_format(t, "in %s : %s\n", b[i].name,
                           number_dtypes[b[i].kind]);
    ix_text_format(t, "out _value = %s\n", what->text);
}

/* Do all arrays lie in the order of Fortran, and not in that of C? */
static bool
lie_in_fortran(const question *q)
{
    bool any = false;
    for (size_t i = 0; i < q->count; i++) {
        const ilex_storage *s = q->bound[i].storage;
        if (!s || s->rank < 2)
            continue;
        if (s->stride[0] != 1 || s->shape[0] < 2 || s->stride[s->rank - 1] == 1)
            return false;
        any = true;
    }
    return any;
}

/* ---- compiling ---- */

/* The names are names, the storages there: what text cannot say. */
static bool
check(const question *q)
{
    ix_error *err = &q->ctx->error;
    const ilex_binding *b = q->bound;
    if (!q->what->text || (q->count > 0 && !b))
        return ix_fail_false(err, ILEX_E_ARGUMENT, "eval: the %s is NULL",
                             q->what->text ? "list of bindings" : "expression");
    for (size_t i = 0; i < q->count; i++) {
        size_t n = b[i].name ? strlen(b[i].name) : 0;
        if (!ix_name_check(err, "eval", b[i].name, n))
            return false;
        if (b[i].kind == ILEX_BOUND_STORAGE && b[i].storage &&
            b[i].storage->division)
            return ix_fail_false(err, ILEX_E_UNSUPPORTED,
                                 "eval: '%s' is on a grid; expressions are of "
                                 "one process: compile a program, and run it "
                                 "by ilex_run or ilex_evaluate",
                                 b[i].name);
        if ((size_t)b[i].kind < IX_COUNT(number_dtypes) &&
            (b[i].storage || b[i].kind != ILEX_BOUND_STORAGE))
            continue;
        return ix_fail_false(err, ILEX_E_BINDING, "eval: '%s' is bound to NULL",
                             b[i].name);
    }
    return true;
}

static ilex_module *
parse(ilex_context *inner, const question *q, const char *text, bool fortran)
{
    const ilex_context *ctx = q->ctx;
    for (int i = 0; i < IX_NOPTIONS; i++)
        if (inner->option[i] || ctx->option[i])
            ilex_option_set(inner, ix_option_rows[i].name,
                            ix_option_text(ctx, (ix_option)i));
    ilex_option_set(inner, "reuse", "0"); /* it is kept under its text */
    ix_options_elsewhere(inner);
    if (fortran)
        ilex_option_set(inner, "order", "F");
    register_functions(q, inner);
    ilex_module *m = ilex_module_parse(inner, text, "eval");
    if (m && m->noutputs != 1)
        ix_fail(&inner->error, ILEX_E_SYNTAX,
                "eval: one expression is evaluated, not statements");
    return m;
}

/* Compiles in a context of its own: the user's is left as it was. */
static ilex_program *
compile(const question *q, const char *text, bool fortran)
{
    ilex_context *inner = ilex_context_new(NULL);
    if (!inner)
        return ix_fail_memory_null(&q->ctx->error);
    ilex_module *m = parse(inner, q, text, fortran);
    ilex_program *p =
        m && inner->error.code == ILEX_OK ? ilex_compile_module(m) : NULL;
    if (!p)
        ix_fail(&q->ctx->error, ilex_error_code(inner), "%s",
                ilex_error_text(inner));
    ilex_module_free(m);
    ilex_context_free(inner);
    return p;
}

/* The program of "text", known or compiled. Options decide too what it becomes.
 */
static ilex_program *
find_program(const question *q, const char *text, bool fortran)
{
    ilex_context *ctx = q->ctx;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_put(&t, text);
    write_functions(q, &t);
    ix_text_put(&t, fortran ? "F" : "C");
    ix_options_key(ctx, &t);
    const char *key = ix_text_string(&t);
    ilex_program *p = key ? ix_kept_program(key) : NULL;
    if (!key)
        ix_fail_memory(&ctx->error);
    else if (!p && (p = compile(q, text, fortran)))
        ix_keep_program(key, p);
    ix_text_free(&t);
    return p;
}

/* The program for the expression on these storages, with a count. */
static ilex_program *
program_of(const question *q)
{
    ix_text t;
    ix_text_init(&t, &q->ctx->mem);
    write_program(q, &t);
    const char *text = ix_text_string(&t);
    if (!text)
        ix_fail_memory(&q->ctx->error);
    ilex_program *p = text ? find_program(q, text, lie_in_fortran(q)) : NULL;
    ix_text_free(&t);
    return p;
}

ilex_storage *
ix_evaluate(ilex_context *ctx, const ix_eval *what,
            const ilex_binding *bindings, size_t count)
{
    ilex_storage *value = NULL;
    question q = {ctx, what, bindings, count};
    if (!check(&q))
        return NULL;
    ilex_program *p = program_of(&q);
    if (p)
        ilex_evaluate(ctx, p, bindings, count, &value);
    if (value) /* it is called as the program's output, which is ours */
        value->name = "";
    ilex_program_release(p);
    return value;
}

ilex_storage *
ilex_eval_with(ilex_context *ctx, const char *expression,
               const ilex_binding *bindings, size_t count)
{
    return ix_evaluate(ctx, &(ix_eval){.text = expression}, bindings, count);
}

ilex_storage *
ilex_eval(ilex_context *ctx, const char *expression, ...)
{
    enum { MOST = 64 };
    ilex_binding b[MOST];
    size_t n = 0;
    va_list args;
    va_start(args, expression);
    for (const char *name; (name = va_arg(args, const char *)); n++) {
        ilex_storage *s = va_arg(args, ilex_storage *);
        if (n < MOST)
            b[n] = (ilex_binding)ILEX_BIND(name, s);
    }
    va_end(args);
    if (n <= MOST)
        return ilex_eval_with(ctx, expression, b, n);
    return ix_fail_null(&ctx->error, ILEX_E_LIMIT,
                        "eval: %zu storages; more than %d go by ilex_eval_with",
                        n, (int)MOST);
}
