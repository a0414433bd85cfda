/* SPDX-License-Identifier: MIT
 *
 * NAME.json: what the function takes and costs, for build systems and for
 * generators of interfaces in other languages. Names are identifiers and texts
 * are formulas: nothing needs to be escaped.
 */
#include "compiler/host/host.h"
#include "lib/ops/dtype.h"
#include "lib/ops/functions.h"

/* ---- values ---- */

/* "\n    \"name\": ", after a comma but for the first one. */
static void
put_key(ix_host *h, int depth, bool first, const char *name)
{
    ix_text_put(h->t, first ? "\n" : ",\n");
    for (int i = 0; i < depth; i++)
        ix_text_put(h->t, "  ");
    ix_text_format(h->t, "\"%s\": ", name);
}

static void
put_string(ix_host *h, const char *s)
{
    ix_text_format(h->t, "\"%s\"", s);
}

static void
put_form(ix_host *h, const ix_lin *f)
{
    ix_text_char(h->t, '"');
    ix_host_put_formula(h, f);
    ix_text_char(h->t, '"');
}

/* ---- arguments ---- */

/* One axis: its name, where the interior begins and ends, what is read or
 * written, what a dense array holds. */
static void
put_axis(ix_host *h, const ix_compiled_buffer *b, int k)
{
    static const char *const names[] = {"domain", "box", "dense"};
    const ix_range *ranges[] = {&b->interior[k], &b->box[k], &b->whole[k]};
    ix_text_format(h->t, "%s\n        {\"axis\": \"%s\"", k ? "," : "",
                   b->axis[k]);
    for (size_t i = 0; i < IX_COUNT(ranges); i++) {
        ix_text_format(h->t, ", \"%s\": [", names[i]);
        put_form(h, ranges[i]->lo);
        ix_text_put(h->t, ", ");
        put_form(h, ranges[i]->hi);
        ix_text_char(h->t, ']');
    }
    ix_text_char(h->t, '}');
}

static void
put_argument(ix_host *h, size_t i, bool first)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    ix_text_put(h->t, first ? "\n    {" : ",\n    {");
    put_key(h, 3, true, "name");
    put_string(h, b->name);
    put_key(h, 3, false, "c_name");
    put_string(h, h->argument[i]);
    put_key(h, 3, false, "dtype");
    put_string(h, ilex_dtype_name(b->dtype));
    put_key(h, 3, false, "c_type");
    put_string(h, ix_host_type(b->dtype));
    put_key(h, 3, false, "used");
    ix_text_put(h->t, b->used ? "true" : "false");
    if (b->inplace >= 0) {
        put_key(h, 3, false, "inplace");
        put_string(h, h->c->buffer[b->inplace].name);
    }
    put_key(h, 3, false, "axes");
    ix_text_char(h->t, '[');
    for (int k = 0; k < b->rank; k++)
        put_axis(h, b, k);
    ix_text_put(h->t, "]\n    }");
}

static void
put_arguments(ix_host *h, const char *key, bool output)
{
    bool first = true;
    put_key(h, 1, false, key);
    ix_text_char(h->t, '[');
    for (size_t i = 0; i < h->c->narguments; i++)
        if (ix_host_is_output(h, i) == output) {
            put_argument(h, i, first);
            first = false;
        }
    ix_text_put(h->t, first ? "]" : "\n  ]");
}

/* ---- the rest ---- */

static void
put_sizes(ix_host *h)
{
    const char *comma = "";
    put_key(h, 1, false, "sizes");
    ix_text_char(h->t, '[');
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p]) {
            ix_text_format(h->t, "%s{\"name\": \"%s\", \"c_name\": \"%s\"}",
                           comma, h->c->size[p].name, h->size[p]);
            comma = ", ";
        }
    ix_text_char(h->t, ']');
}

/* Lengths that a run counts. */
static void
put_counted(ix_host *h)
{
    put_key(h, 1, false, "counted");
    ix_text_char(h->t, '[');
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, "%s{\"name\": \"%s\", \"c_name\": \"%s\"}",
                       i ? ", " : "", h->c->size[h->c->count[i].size].name,
                       h->counted[i]);
    ix_text_char(h->t, ']');
}

static void
put_assumptions(ix_host *h)
{
    put_key(h, 1, false, "assumptions");
    ix_text_char(h->t, '[');
    for (size_t i = 0; i < h->c->nassumptions; i++)
        ix_text_format(h->t, "%s\"%s\"", i ? ", " : "",
                       h->c->assumption[i].text);
    ix_text_char(h->t, ']');
}

/* The functions of libm: bits are those of the library at hand. */
static void
put_libm(ix_host *h)
{
    const char *comma = "";
    put_key(h, 1, false, "libm");
    ix_text_char(h->t, '[');
    for (int m = 0; m < IX_NMATH; m++)
        for (int single = 0; single < 2; single++) {
            bool used = h->source->math[single] >> m & 1;
            if (!used || ix_math_exact((ix_math)m))
                continue;
            ix_text_format(h->t, "%s\"%s%s\"", comma, ix_math_name((ix_math)m),
                           single ? "f" : "");
            comma = ", ";
        }
    ix_text_char(h->t, ']');
}

/* Lines "what: value" as members; blanks in "what" become "_". */
static void
put_counts(ix_host *h, const char *counts)
{
    put_key(h, 1, false, "counts");
    if (!counts) { /* they leave 64 bits */
        ix_text_put(h->t, "null");
        return;
    }
    ix_text_char(h->t, '{');
    for (const char *p = counts; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t key = strcspn(p, ":\n"), line = strcspn(p, "\n");
        if (key == line)
            continue;
        ix_text_put(h->t, p == counts ? "\n    \"" : ",\n    \"");
        for (size_t i = 0; i < key; i++)
            ix_text_char(h->t, p[i] == ' ' ? '_' : p[i]);
        ix_text_put(h->t, "\": \"");
        ix_text_put_n(h->t, p + key + 2, line - key - 2);
        ix_text_char(h->t, '"');
    }
    ix_text_put(h->t, "\n  }");
}

void
ix_host_put_json(ix_host *h, const ix_library *l)
{
    ix_text_char(h->t, '{');
    put_key(h, 1, true, "ilex");
    put_string(h, ilex_version());
    put_key(h, 1, false, "program");
    put_string(h, h->c->name);
    put_key(h, 1, false, "function");
    put_string(h, h->prefix);
    put_key(h, 1, false, "language");
    put_string(h, h->grid ? "cuda" : "c");
    put_key(h, 1, false, "abi");
    ix_text_put(h->t, "1");
    put_key(h, 1, false, "options");
    ix_text_put(h->t, l->options);
    put_sizes(h);
    put_counted(h);
    put_assumptions(h);
    put_arguments(h, "inputs", false);
    put_arguments(h, "outputs", true);
    put_counts(h, l->counts);
    put_key(h, 1, false, "variants");
    ix_text_char(h->t, '[');
    ix_host_put_json_variants(h);
    ix_text_char(h->t, ']');
    put_key(h, 1, false, "kernels");
    ix_text_int(h->t, (int64_t)h->c->nkernels);
    put_key(h, 1, false, "workspace");
    ix_text_put(h->t, h->c->nslots ? "true" : "false");
    put_key(h, 1, false, "needs_libm");
    ix_text_put(h->t, h->source->uses_math ? "true" : "false");
    put_libm(h);
    ix_text_put(h->t, "\n}\n");
}
