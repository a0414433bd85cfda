/* SPDX-License-Identifier: MIT
 *
 * Kernels as a run launches them: the functions that call them, tables of what
 * their arguments are.
 */
#include "compiler/host/host.h"

/* ---- launching a kernel ---- */

/* Is the buffer a temporary of which each part of a loop has its own? */
static bool
is_own(const ix_host *h, const ix_field *f)
{
    return f->kind == IX_FIELD_BUFFER && h->c->buffer[f->index].own;
}

/* Lets temporaries of which parts have their own point to the part's; whether
 * there are any. */
static bool
put_own(ix_host *h, const ix_kernel_layout *l, const ix_kernel_layout *like)
{
    bool own = false;
    for (size_t f = 0; f < l->nfields; f++) {
        int b = like->field[f].index, mine = l->field[f].index;
        if (!is_own(h, &l->field[f]))
            continue;
        own = true;
        ix_text_format(h->t,
                       "    a.b%d = (%s *)((uintptr_t)a.b%d + "
                       "(uintptr_t)(part * s->own[%d]));\n",
                       b, ix_host_type(h->c->buffer[mine].dtype), b, mine);
    }
    return own;
}

static bool
has_own(const ix_host *h, const ix_kernel_layout *l)
{
    for (size_t f = 0; f < l->nfields; f++)
        if (is_own(h, &l->field[f]))
            return true;
    return false;
}

/* The head of a function that calls a kernel with any arguments, or with those
 * of a variant, counted from 1; "fma": for processors that have it. */
static void
put_call_head(ix_host *h, size_t i, size_t variant, bool fma)
{
    if (variant > 0)
        ix_host_put_variant_comment(h, variant - 1);
    ix_text_put(h->t, fma ? "ILEX_FMA static i32\n" : "static i32\n");
    ix_host_put_variant_name(h, "ilex_call", i, variant);
    ix_text_format(h->t,
                   "%s(const ilex_state *s, const void *args, i64 part, i64 "
                   "begin,\n"
                   "            i64 end, ilex_local *local)\n"
                   "{\n",
                   fma ? "_fma" : "");
}

/* Parts have their own temporaries, variants numbers that are known. */
static void
put_call_body(ix_host *h, size_t i, size_t variant, bool fma)
{
    const ix_kernel_layout *l = &h->source->layout[i];
    const ix_kernel_layout *like = &h->source->layout[l->function];
    bool copied = variant > 0 || has_own(h, l);
    const char *name = variant > 0 ? "_known" : fma ? "_fma" : "";
    if (copied)
        ix_text_format(h->t, "    k%d_args a = *(const k%d_args *)args;\n",
                       l->function, l->function);
    if (variant > 0)
        ix_host_put_known(h, i, variant - 1);
    if (!put_own(h, l, like))
        ix_text_put(h->t, "    (void)s, (void)part;\n");
    if (copied)
        ix_text_format(h->t, "    return k%d%s(&a, begin, end, local);\n}\n",
                       l->function, name);
    else
        ix_text_format(h->t,
                       "    return k%d%s((const k%d_args *)args, begin, end, "
                       "local);\n"
                       "}\n",
                       l->function, name, l->function);
}

/* The function; of a kernel that is there twice it is, too, and chooses. */
static void
put_call(ix_host *h, size_t i, size_t variant)
{
    bool twice = h->source->layout[i].fused;
    if (twice) {
        ix_text_put(h->t, "#if defined(ILEX_FMA)\n");
        put_call_head(h, i, variant, true);
        put_call_body(h, i, variant, true);
        ix_text_put(h->t, "#endif\n\n");
    }
    put_call_head(h, i, variant, false);
    if (twice) {
        ix_text_put(h->t, "#if defined(ILEX_FMA)\n"
                          "    if (ilex_has_fma())\n"
                          "        return ");
        ix_host_put_variant_name(h, "ilex_call", i, variant);
        ix_text_put(h->t, "_fma(s, args, part, begin, end, local);\n"
                          "#endif\n");
    }
    put_call_body(h, i, variant, false);
    ix_text_put(h->t, "\n");
}

/* ---- the arguments of kernels ---- */

/* On a device: an input of rank 0. */
static bool
goes_by_value(const ix_host *h, int buffer)
{
    return h->grid && h->c->buffer[buffer].role == IX_COMPILED_INPUT &&
           h->c->buffer[buffer].rank == 0;
}

/* "{'b', 3, offsetof(k0_args, b0)}" of a member: "f" says of what, "like" how
 * it is called. False if it is set otherwise. */
static bool
put_field(ix_host *h, const ix_field *f, const ix_field *like, int function)
{
    int of = f->index;
    char what = '\0';
    if (f->kind == IX_FIELD_BUFFER && !goes_by_value(h, of))
        what = 'b';
    else if (f->kind == IX_FIELD_VALUE && goes_by_value(h, of))
        what = 'v';
    else if (f->kind == IX_FIELD_SIZE)
        what = 'n';
    else if (f->kind == IX_FIELD_STRIDE)
        what = 's';
    if (what == '\0')
        return false;
    if (what == 's')
        of = h->c->buffer[of].first_stride + f->of;
    ix_text_format(h->t, "{'%c', %d, offsetof(k%d_args, %c%d", what, of,
                   function, what, like->index);
    if (what == 's')
        ix_text_format(h->t, "_%d", like->axis);
    ix_text_put(h->t, ")},");
    return true;
}

/* Sets a number by which kernels of one function differ, or a function. */
static bool
put_constant(ix_host *h, const ix_field *f, int index)
{
    char text[64];
    if (f->kind == IX_FIELD_FUNCTION) {
        ix_text_format(h->t, "    a->f%d = %s;\n", index,
                       h->c->function[f->index].name);
    } else if (f->kind == IX_FIELD_OFFSET) {
        ix_literal_write(f->number.dtype, f->number.value, false,
                         IX_LITERAL_C_HEADER, text, sizeof text);
        ix_text_format(h->t, "    a->o%d = %s;\n", index, text);
    }
    return f->kind == IX_FIELD_FUNCTION || f->kind == IX_FIELD_OFFSET;
}

static bool
has_constants(const ix_kernel_layout *l)
{
    bool has = false;
    for (size_t f = 0; f < l->nfields; f++)
        has |= l->field[f].kind == IX_FIELD_FUNCTION ||
               l->field[f].kind == IX_FIELD_OFFSET;
    return has;
}

static void
put_constants(ix_host *h, size_t i)
{
    const ix_kernel_layout *l = &h->source->layout[i];
    const ix_kernel_layout *like = &h->source->layout[l->function];
    if (!has_constants(l))
        return;
    ix_text_format(h->t,
                   "static void\nilex_set_%zu(void *args)\n{\n"
                   "    k%d_args *a = (k%d_args *)args;\n",
                   i, l->function, l->function);
    for (size_t f = 0; f < l->nfields; f++)
        put_constant(h, &l->field[f], like->field[f].index);
    ix_text_put(h->t, "}\n\n");
}

/* Fields of all kernels, those of each from first[i] on, two a line. */
static void
put_fields(ix_host *h, int *first)
{
    int n = 0;
    ix_text_put(h->t, "static const ilex_field ilex_fields[] = {");
    for (size_t i = 0; i < h->c->nkernels; i++) {
        const ix_kernel_layout *l = &h->source->layout[i];
        const ix_kernel_layout *like = &h->source->layout[l->function];
        first[i] = n;
        for (size_t f = 0; f < l->nfields; f++) {
            size_t length = h->t->length;
            ix_text_put(h->t, n % 2 ? " " : "\n    ");
            if (put_field(h, &l->field[f], &like->field[f], l->function))
                n++;
            else
                h->t->length = length;
        }
    }
    first[h->c->nkernels] = n;
    ix_text_put(h->t, n ? "\n};\n" : "{'b', 0, 0}};\n");
}

/* ---- kernels ---- */

static void
put_kernel(ix_host *h, size_t i, const int *first)
{
    const ix_kernel_layout *l = &h->source->layout[i];
    const char *start = h->grid ? "ilex_start" : "ilex_call";
    ix_text_format(h->t, "    {%ss_%zu, ", start, i);
    ix_text_format(h->t, has_constants(l) ? "ilex_set_%zu" : "NULL", i);
    ix_text_format(h->t, ", sizeof(k%d_args), %d, %d", l->function, first[i],
                   first[i + 1] - first[i]);
    if (h->grid && ix_kernel_status(l))
        ix_text_format(h->t, ", %d, (long)offsetof(k%d_args, status), %lld",
                       l->indirect, l->function, (long long)l->narrow);
    else if (h->grid)
        ix_text_format(h->t, ", %d, -1, %lld", l->indirect,
                       (long long)l->narrow);
    ix_text_put(h->t, "},\n");
}

void
ix_host_put_kernels(ix_host *h)
{
    size_t n = h->c->nkernels;
    int *first = ix_arena_new(h->arena, (n + 1) * sizeof *first);
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        for (size_t v = 0; v <= h->nvariants; v++)
            if (v == 0 || ix_host_knows(h, i, v - 1))
                (h->grid ? ix_host_put_grid_start : put_call)(h, i, v);
        put_constants(h, i);
        ix_host_put_choice(h, h->grid ? "ilex_start" : "ilex_call", i);
    }
    put_fields(h, first);
    ix_text_put(h->t, "static const ilex_kernel ilex_kernels[] = {\n");
    for (size_t i = 0; i < n; i++)
        put_kernel(h, i, first);
    ix_text_put(h->t, "};\n\n");
}

/* ---- the program ---- */

/* Words of memory for a run: those of its state and a kernel's arguments. */
static size_t
words_of(const ix_host *h)
{
    size_t most = 0;
    for (size_t i = 0; i < h->c->nkernels; i++)
        most = h->source->layout[i].bytes > most ? h->source->layout[i].bytes
                                                 : most;
    return (size_t)h->tables->words + most / 8 + 2;
}

/* The memory of a plan, ILEX_PLAN_WORDS more. */
void
ix_host_put_plan(ix_host *h)
{
    enum { PLAN_WORDS = 64 };
    ix_text_format(h->t, "    int64_t memory[%zu];\n",
                   words_of(h) + PLAN_WORDS);
}

void
ix_host_put_program(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_format(h->t, "enum { ILEX_WORDS = %zu }; /* of a run */\n",
                   words_of(h));
    ix_text_format(h->t,
                   "static const ilex_code ilex_program = {"
                   "&ilex_program_tables, \"%s\",\n"
                   "    sizeof(%s_args), offsetof(%s_args, workspace),\n"
                   "    ilex_size_places, ilex_array_places, %s,\n    ",
                   h->prefix, h->prefix, h->prefix,
                   c->ncounts ? "ilex_count_places" : "NULL");
    ix_text_put(h->t,
                c->nkernels ? "ilex_kernels, ilex_fields, " : "NULL, NULL, ");
    ix_text_put(h->t, c->ncalls > c->nroutines ? "ilex_functions, " : "NULL, ");
    ix_text_format(
        h->t, h->nvariants ? "%zu, ilex_variants};\n\n" : "%zu, NULL};\n\n",
        h->nvariants);
}
