/* SPDX-License-Identifier: MIT
 *
 * Targets: which record option target means, records as text.
 */
#include "compiler/target/target.h"

#include <stdlib.h>

#include "compiler/compiler.h"
#include "lib/base/suggest.h"

const ix_target ix_targets[IX_NTARGETS] = {
#define IX_TARGET(name, meaning, ...) {#name, __VA_ARGS__},
#include "compiler/target/targets.def"
};

typedef struct field_row {
    const char *name;
    size_t at;
    bool power; /* of two */
    int64_t least, most;
} field_row;

typedef enum field {
#define IX_TARGET_FIELD(name, ...) FIELD_##name,
#include "compiler/target/fields.def"
    NFIELDS
} field;

#define KIND_NUMBER false
#define KIND_POWER true
static const field_row fields[NFIELDS] = {
#define IX_TARGET_FIELD(name, kind, least, most, meaning)                      \
    {#name, offsetof(ix_target, name), KIND_##kind, least, most},
#include "compiler/target/fields.def"
};

static int64_t *
value_of(ix_target *t, const field_row *f)
{
    return (int64_t *)((char *)t + f->at);
}

static bool
is_allowed(const field_row *f, int64_t v)
{
    return v >= f->least && v <= f->most && !(f->power && (v & (v - 1)));
}

/* ---- this machine ---- */

/* What nobody says, or is out of the ordinary, is as in the row. */
static void
take(ix_target *t, field i, int64_t v)
{
    if (is_allowed(&fields[i], v))
        *value_of(t, &fields[i]) = v;
}

/* Virtual machines show the third cache of a whole package, of which they have
 * what others leave: 12 MiB for each of their processors count, more than all
 * but a few packages have. */
static int64_t
shared_cache(const ix_machine *m, int64_t sharers)
{
    int64_t most = sharers * (12 << 20);
    return m->l3_bytes < most ? m->l3_bytes : most;
}

ix_target
ix_target_on(ix_target_name processor, const ix_machine *m)
{
    ix_target t = ix_targets[processor];
    int64_t sharers = m->l3_sharers > 0 ? m->l3_sharers : 1;
    int64_t l3 = shared_cache(m, sharers);
    t.name = "native";
    take(&t, FIELD_line_bytes, m->line_bytes);
    take(&t, FIELD_l1_bytes, m->l1_bytes);
    take(&t, FIELD_l1_ways, m->l1_ways);
    take(&t, FIELD_l2_bytes, m->l2_bytes);
    take(&t, FIELD_l3_bytes, l3 / sharers);
    take(&t, FIELD_stream_bytes, l3 / 2);
    take(&t, FIELD_cores, m->cores);
    return t;
}

/* The best row that this processor is. */
static ix_target_name
processor(void)
{
    ix_target_name best = IX_TARGET_generic;
#if defined(__x86_64__)
    __builtin_cpu_init();
#define IX_PROCESSOR(name, flags, condition)                                   \
    if (condition)                                                             \
        best = IX_TARGET_##name;
#include "compiler/target/processors.def"
#endif
    return best;
}

static ix_target
native(void)
{
    return ix_target_on(processor(), ix_machine_here());
}

/* ---- text ---- */

void
ix_target_put(const ix_target *t, ix_text *text)
{
    const char *between = "";
    for (size_t i = 0; i < NFIELDS; i++) {
        ix_target all = *t;
        int64_t v = *value_of(&all, &fields[i]);
        if (!v)
            continue;
        ix_text_format(text, "%s%s=%lld", between, fields[i].name,
                       (long long)v);
        between = ",";
    }
}

/* The field that is called so; NULL: a CPU has none. */
static const field_row *
find_field(const char *name, size_t n)
{
    for (size_t i = 0; i < NFIELDS; i++)
        if (fields[i].most && strlen(fields[i].name) == n &&
            !strncmp(fields[i].name, name, n))
            return &fields[i];
    return NULL;
}

bool
ix_target_figure(const ix_target *t, const char *name, int64_t *value)
{
    char level[] = "l0_bytes";
    ix_target all = *t;
    if (*name == 'L' && name[1] >= '1' && name[1] <= '3' && !name[2])
        level[1] = name[1], name = level;
    const field_row *f = find_field(name, strlen(name));
    *value = f ? *value_of(&all, f) : 0;
    return *value != 0;
}

static void
refuse_name(ilex_context *ctx, const char *name, size_t n)
{
    ix_suggestion s = ix_suggest(name, n);
    for (size_t i = 0; i < NFIELDS; i++)
        if (fields[i].most)
            ix_suggest_name(&s, fields[i].name, strlen(fields[i].name));
    ix_fail(&ctx->error, ILEX_E_OPTION,
            "option target: the record of a CPU has no field '%.*s'%s",
            (int)(n < 40 ? n : 40), name, ix_suggestion_show(&s).s);
}

static void
refuse_value(ilex_context *ctx, const field_row *f, int64_t v)
{
    ix_fail(&ctx->error, ILEX_E_OPTION,
            "option target: %s=%lld is not %s from %lld to %lld", f->name,
            (long long)v, f->power ? "a power of two" : "a number",
            (long long)f->least, (long long)f->most);
}

/* Reads "vector_bytes=64,l2_bytes=1048576"; what is not there is as of any CPU.
 */
static bool
read_fields(ilex_context *ctx, const char *text, ix_target *t)
{
    *t = ix_targets[IX_TARGET_generic];
    t->name = "given";
    for (const char *p = text; *p; p += *p == ',') {
        char *end;
        size_t n = strcspn(p, "=");
        const field_row *f = find_field(p, n);
        int64_t v = strtoll(p + n + 1, &end, 10);
        if (!f)
            refuse_name(ctx, p, n);
        else if (!is_allowed(f, v))
            refuse_value(ctx, f, v);
        if (!f || !is_allowed(f, v))
            return false;
        *value_of(t, f) = v;
        p = end;
    }
    return true;
}

/* ---- which one ---- */

/* What the option says, for source that stands alone or not. */
static const char *
named(const ilex_context *ctx, bool alone)
{
    const char *name = ix_option_text(ctx, IX_OPTION_target);
    return strcmp(name, "auto") != 0 ? name : alone ? "generic" : "native";
}

const ix_target *
ix_target_of(ilex_context *ctx, ix_target_name kind, bool alone, ix_target *own)
{
    const char *name = named(ctx, alone);
    if (ix_targets[kind].grid)
        return &ix_targets[kind];
    for (int i = 0; i < IX_NTARGETS; i++)
        if (!ix_targets[i].grid && !strcmp(ix_targets[i].name, name))
            return &ix_targets[i];
    if (strcmp(name, "native") != 0)
        return read_fields(ctx, name, own) ? own : NULL;
    *own = native();
    return own;
}

void
ix_target_put_option(const ilex_context *ctx, bool alone, ix_text *text)
{
    const char *name = named(ctx, alone);
    ix_target t;
    if (strcmp(name, "native") != 0) {
        ix_text_put(text, name);
        return;
    }
    t = native();
    ix_target_put(&t, text);
}
