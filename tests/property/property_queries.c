/* SPDX-License-Identifier: MIT
 *
 * What programs say of themselves before their sizes are known is what they say
 * for given ones.
 */
#include <string.h>

#include "tests/formula.h"
#include "tests/property/property.h"

enum { MOST_SIZES = 32 };

/* A program and sizes: those that are given, then those that are counted. */
typedef struct query {
    property_case *c;
    const ilex_program *p;
    ilex_size_binding size[MOST_SIZES];
    size_t given, all;
} query;

static bool
check_workspace(query *q)
{
    const char *text = ilex_program_workspace_formula(q->p);
    for (int threads = 1; threads < 4; threads++) {
        int64_t value,
            bytes = ilex_program_workspace(q->p, q->size, q->all, threads);
        if (!formula_value(text, q->size, q->all, threads, &value))
            return property_fail(q->c, "workspace '%s' cannot be read", text);
        if (value < bytes || (value > bytes && q->all == q->given))
            return property_fail(
                q->c, "workspace of %d threads: %s is %lld, not %lld", threads,
                text, (long long)value, (long long)bytes);
    }
    return true;
}

static bool
check_halo(query *q, size_t i)
{
    int64_t halo[2 * ILEX_MAX_RANK], value;
    ilex_argument_info a = ILEX_ARGUMENT_INFO();
    if (ilex_program_argument_get(q->p, i, &a) ||
        ilex_program_extents(q->p, i, q->size, q->all, NULL, NULL, halo))
        return property_fail(q->c, "no argument %zu", i);
    for (int k = 0; k < 2 * a.rank; k++) {
        const char *text = (k % 2 ? a.halo_high : a.halo_low)[k / 2];
        if (!formula_value(text, q->size, q->all, 1, &value) ||
            value != halo[k])
            return property_fail(q->c, "halo of %s: '%s' is %lld, not %lld",
                                 a.name, text, (long long)value,
                                 (long long)halo[k]);
    }
    return true;
}

/* Every kernel has names for what it reads and writes, and writes something if
 * it has points. */
static bool
check_kernel(query *q, size_t i)
{
    ilex_kernel_info k = ILEX_KERNEL_INFO();
    if (ilex_program_kernel(q->p, i, &k) ||
        (k.write_count == 0 && strcmp(k.points, "0") != 0))
        return property_fail(q->c, "kernel %zu writes nothing", i);
    for (size_t j = 0; j < k.read_count + k.write_count; j++) {
        const char *name =
            j < k.read_count ? k.reads[j] : k.writes[j - k.read_count];
        if (!*name)
            return property_fail(q->c, "kernel %zu: a name is empty", i);
    }
    return *k.points || property_fail(q->c, "kernel %zu has no points", i);
}

/* Is it a result of a call, a line of the program as JSON? */
static bool
is_called(const query *q, const char *name)
{
    char *json = ilex_program_json(q->c->ctx, q->p), word[128];
    bool found = false;
    snprintf(word, sizeof word, "\"%s\"", name);
    for (char *line = json; line && !found; line = strchr(line + 1, '\n')) {
        char *end = strchr(line + 1, '\n');
        char *call = strstr(line, "\"do\": \"call\"");
        char *results = call ? strstr(call, "\"writes\"") : NULL;
        char *at = results ? strstr(results, word) : NULL;
        found = at && (!end || (call < end && at < end));
    }
    ilex_text_free(q->c->ctx, json);
    return found;
}

static bool
is_written(const query *q, const char *name)
{
    for (size_t i = 0; i < ilex_program_kernel_count(q->p); i++) {
        ilex_kernel_info k = ILEX_KERNEL_INFO();
        ilex_program_kernel(q->p, i, &k);
        for (size_t j = 0; j < k.write_count; j++)
            if (!strcmp(k.writes[j], name))
                return true;
    }
    return is_called(q, name);
}

/* The reference back end stores everything: every temporary that has elements
 * and every output is what some kernel or call writes. */
static bool
check_written(query *q)
{
    for (size_t i = 0; i < ilex_program_temporary_count(q->p); i++) {
        ilex_temporary_info t = ILEX_TEMPORARY_INFO();
        if (ilex_program_temporary(q->p, i, &t) ||
            (strcmp(t.bytes, "0") != 0 && !is_written(q, t.name)))
            return property_fail(q->c, "nothing writes %s", t.name);
    }
    for (size_t i = 0; i < ilex_program_argument_count(q->p); i++) {
        ilex_argument_info a = ILEX_ARGUMENT_INFO();
        if (ilex_program_argument_get(q->p, i, &a) ||
            (a.output && !is_written(q, a.name)))
            return property_fail(q->c, "nothing writes %s", a.name);
    }
    return true;
}

static bool
check_program(query *q)
{
    bool ok = check_workspace(q);
    if (ok && !strcmp(ilex_program_backend(q->p), "reference"))
        ok = check_written(q);
    for (size_t i = 0; ok && i < ilex_program_argument_count(q->p); i++)
        ok = check_halo(q, i);
    for (size_t i = 0; ok && i < ilex_program_kernel_count(q->p); i++)
        ok = check_kernel(q, i);
    return ok;
}

/* Those of the recipe; nothing is counted, which may always be. False if there
 * are too many. */
static bool
set_sizes(query *q)
{
    size_t counted = ilex_program_counted_count(q->p);
    q->given = ilex_program_size_count(q->p);
    q->all = q->given + counted;
    if (q->all > MOST_SIZES)
        return false;
    for (size_t i = 0; i < q->given; i++) {
        q->size[i].name = ilex_program_size_name(q->p, i);
        for (size_t j = 0; j < DIFF_PARAMS; j++)
            if (!strcmp(diff_param_names[j], q->size[i].name))
                q->size[i].value = q->c->recipe->sizes.value[j];
    }
    for (size_t i = 0; i < counted; i++)
        q->size[q->given + i].name = ilex_program_counted_name(q->p, i);
    return true;
}

bool
property_formulas(property_case *c)
{
    static const char *const jits[] = {"reference", "tcc"};
    bool ok = true;
    for (int j = 0; ok && j < 2; j++)
        for (int fuse = 0; ok && fuse < 2; fuse++) {
            query q = {.c = c};
            ilex_option_set(c->ctx, "jit", jits[j]);
            ilex_option_set(c->ctx, "fuse", fuse ? "1" : "0");
            ilex_program *p = ilex_compile_module(c->module);
            q.p = p;
            if (!p && ilex_error_code(c->ctx) != ILEX_E_UNSUPPORTED)
                ok = property_fail(c, "%s", ilex_error_text(c->ctx));
            if (p && set_sizes(&q))
                ok = check_program(&q);
            ilex_error_clear(c->ctx);
            ilex_program_release(p);
        }
    return ok;
}
