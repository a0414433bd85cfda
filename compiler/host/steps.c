/* SPDX-License-Identifier: MIT
 *
 * What a run does, from the steps of the program: a function that launches each
 * kernel, with the arguments that its layout lists, and one that carries out
 * the steps.
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
                       "(uintptr_t)(part * r->part[%d]));\n",
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
                   "%s(const ilex_run *r, const void *args, i64 part, i64 "
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
        ix_text_put(h->t, "    (void)r;\n    (void)part;\n");
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
        ix_text_put(h->t, "_fma(r, args, part, begin, end, local);\n"
                          "#endif\n");
    }
    put_call_body(h, i, variant, false);
    ix_text_put(h->t, "\n");
}

/* On a device: an input of rank 0. */
static bool
goes_by_value(const ix_host *h, int buffer)
{
    return h->grid && h->c->buffer[buffer].role == IX_COMPILED_INPUT &&
           h->c->buffer[buffer].rank == 0;
}

/* Sets a number by which kernels of one function differ. */
static void
put_number(ix_host *h, const ix_field *f, int index)
{
    char text[64];
    ix_literal_write(f->number.dtype, f->number.value, false,
                     IX_LITERAL_C_HEADER, text, sizeof text);
    ix_text_format(h->t, "    a.o%d = %s;\n", index, text);
}

/* Sets a member of the arguments: "f" says of what, "like" how it is called. */
static void
put_field(ix_host *h, const ix_field *f, const ix_field *like)
{
    const ix_compiled_buffer *b = &h->c->buffer[f->index];
    switch (f->kind) {
    case IX_FIELD_BUFFER:
        if (goes_by_value(h, f->index))
            break;
        ix_text_format(h->t, "    a.b%d = (%s *)(void *)r->base[%d];\n",
                       like->index, ix_host_type(b->dtype), f->index);
        break;
    case IX_FIELD_STRIDE:
        ix_text_format(h->t, "    a.s%d_%d = r->stride[%d];\n", like->index,
                       like->axis, b->first_stride + f->of);
        break;
    case IX_FIELD_SIZE:
        ix_text_format(h->t, "    a.n%d = r->size[%d];\n", like->index,
                       h->number[f->index]);
        break;
    case IX_FIELD_OFFSET:
        put_number(h, f, like->index);
        break;
    case IX_FIELD_VALUE:
        if (goes_by_value(h, f->index))
            ix_text_format(h->t,
                           "    memcpy(a.v%d, r->data[%d], sizeof a.v%d);\n",
                           like->index, f->index, like->index);
        break;
    case IX_FIELD_FUNCTION:
        ix_text_format(h->t, "    a.f%d = %s;\n", like->index,
                       h->c->function[f->index].name);
        break;
    case IX_FIELD_STATUS: /* set when there is one */
        break;
    }
}

static void
put_box(ix_host *h, const ix_compiled_kernel *k)
{
    ix_text_put(h->t, "    static const ilex_range box[] = {");
    for (int a = 0; a < k->rank; a++) {
        ix_text_put(h->t, a ? ", " : "");
        ix_host_put_range(h, &k->box[a]);
    }
    ix_text_put(h->t, k->rank ? "};\n" : "{0, 0}};\n");
}

static void
put_launch_end(ix_host *h, size_t i)
{
    ix_text_put(h->t, "    return ilex_launch_kernel(r, ");
    if (h->nvariants)
        ix_text_put(h->t, "kernel[r->variant]");
    else
        ix_host_put_variant_name(h, "ilex_call", i, 0);
    ix_text_put(h->t, ", &a, begin, end);\n}\n\n");
}

/* Where the condition does not hold the next kernel is launched. */
static void
put_condition(ix_host *h, const ix_condition *c, size_t i)
{
    int stride = h->c->buffer[c->buffer].first_stride + c->axis;
    ix_text_format(h->t, "    /* %s */\n", c->text);
    if (c->form)
        ix_text_format(h->t,
                       "    i64 value;\n"
                       "    if (!ilex_value(r, %d, &value))\n"
                       "        return ilex_fail(r, %s_E_OVERFLOW,\n"
                       "                         \"%s: with these sizes a "
                       "condition leaves 64 bits\");\n"
                       "    if (%s)\n",
                       ix_host_form(h, c->form), h->upper, h->prefix,
                       c->equal ? "value != 0" : "value < 0");
    else
        ix_text_format(h->t, "    if (r->stride[%d] != 1)\n", stride);
    ix_text_format(h->t, "        return ilex_launch_%zu(r);\n", i + 1);
}

static void
put_launch(ix_host *h, size_t i)
{
    const ix_compiled_kernel *k = &h->c->kernel[i];
    const ix_kernel_layout *l = &h->source->layout[i];
    const ix_kernel_layout *like = &h->source->layout[l->function];
    if (k->condition)
        ix_text_format(
            h->t, "static int ilex_launch_%zu(const ilex_run *r);\n\n", i + 1);
    ix_text_format(h->t, "static int\nilex_launch_%zu(const ilex_run *r)\n{\n",
                   i);
    put_box(h, k);
    if (h->nvariants)
        ix_host_put_choice(
            h, h->grid ? "ilex_starter start" : "ilex_kernel kernel",
            h->grid ? "ilex_start" : "ilex_call", i);
    ix_text_format(h->t,
                   "    k%d_args a;\n"
                   "    i64 begin, end;\n"
                   "    int some = ilex_kernel_range(r, box, %d, %d, &begin, "
                   "&end);\n"
                   "    if (some < 0)\n"
                   "        return ilex_fail(r, %s_E_OVERFLOW,\n"
                   "                         \"%s: with these sizes the range "
                   "of a loop leaves 64 bits\");\n"
                   "    if (some == 0)\n"
                   "        return 0;\n",
                   l->function, k->rank, k->axis, h->upper, h->prefix);
    if (k->condition)
        put_condition(h, k->condition, i);
    ix_text_put(h->t, h->grid ? "    memset(&a, 0, sizeof a);\n" : "");
    for (size_t f = 0; f < l->nfields; f++)
        put_field(h, &l->field[f], &like->field[f]);
    if (l->nfields == 0)
        ix_text_put(h->t, "    a.nothing = 0;\n");
    (h->grid ? ix_host_put_grid_end : put_launch_end)(h, i);
}

void
ix_host_put_launches(ix_host *h)
{
    for (size_t i = 0; i < h->c->nkernels; i++) {
        for (size_t v = 0; v <= h->nvariants; v++)
            if (v == 0 || ix_host_knows(h, i, v - 1))
                (h->grid ? ix_host_put_grid_start : put_call)(h, i, v);
        put_launch(h, i);
    }
}

/* ---- the steps ---- */

static void
put_step(ix_host *h, const ix_step *s)
{
    switch (s->kind) {
    case IX_STEP_TEST:
        ix_text_format(h->t,
                       "    rc = rc ? rc : ilex_check_test(r, "
                       "&ilex_tests[%d]);\n",
                       s->what);
        break;
    case IX_STEP_ALLOC:
        ix_text_put(h->t, "    rc = rc ? rc : ilex_allocate(r, &own);\n");
        break;
    case IX_STEP_LAUNCH:
        ix_text_format(h->t, "    rc = rc ? rc : ilex_launch_%d(r);\n",
                       s->what);
        break;
    case IX_STEP_FREE:
        ix_text_put(h->t, "    rc = ilex_give(r, own, rc);\n");
        break;
    case IX_STEP_SIZE:
        ix_text_put(h->t, "    rc = rc ? rc : ilex_count(r);\n");
        break;
    case IX_STEP_CALL:
        ix_text_format(h->t,
                       "    rc = rc ? rc : ilex_call(r, &ilex_calls[%d]);\n",
                       s->what);
        break;
    default: /* arguments are where they are */
        break;
    }
}

void
ix_host_put_steps(ix_host *h)
{
    const ix_compiled *c = h->c;
    ix_text_put(h->t, "/* What a run does when its arguments are checked. */\n"
                      "static int\n"
                      "ilex_carry_out(ilex_run *r)\n"
                      "{\n"
                      "    int rc = 0;\n");
    if (c->nslots)
        ix_text_put(h->t, "    char *own = NULL;\n");
    if (c->nkernels + c->ncalls + c->nnonempty + (size_t)c->nslots == 0)
        ix_text_put(h->t, "    (void)r;\n");
    for (size_t i = 0; i < c->nsteps; i++)
        put_step(h, &c->step[i]);
    ix_text_put(h->t, "    return rc;\n}\n\n");
}
