/* SPDX-License-Identifier: MIT
 *
 * What a program costs, as polynomials in its sizes: operations, bytes that are
 * read and written at least. Every array of the graph counts once, on its
 * domain, as if it was computed there and nowhere again.
 */
#include <stdlib.h>

#include "lib/build/einsum.h"
#include "lib/build/foreign.h"
#include "lib/graph/scalar.h"

/* ---- polynomials ---- */

enum { MOST_FACTORS = IX_COUNTED_LOOPS };

/* k times a product of sizes, ascending. */
typedef struct monomial {
    int64_t k;
    int n;
    int32_t factor[MOST_FACTORS];
} monomial;

typedef struct polynomial {
    monomial *term;
    size_t n, capacity;
} polynomial;

typedef struct counts {
    ilex_context *ctx;
    const ix_mem *mem; /* that of the text; an error may leave by an arena */
    polynomial operations, read, written;
    size_t kind[IX_NKINDS];
    bool failed; /* no memory, or beyond 64 bits */
    bool ranged; /* something is reduced over a range that is data */
    ix_walk walk;
    /* where the walk is: in these loops, if something is reduced */
    const ix_counted_loops *loops;
    const ilex_array *reduction; /* the last one, and so many loops around it */
    int around;
    int64_t plain; /* operations at each point, in no reduction */
    /* Many arrays have the same body, and one after the other the same domain.
     */
    ix_map known;            /* operations of bodies without reductions */
    const ix_domain *domain; /* on which "each" is to be added */
    int64_t each;
} counts;

static bool
same_factors(const monomial *a, const monomial *b)
{
    return a->n == b->n &&
           !memcmp(a->factor, b->factor, (size_t)a->n * sizeof *a->factor);
}

/* p += m */
static void
add(counts *c, polynomial *p, const monomial *m)
{
    if (m->k == 0)
        return;
    for (size_t i = 0; i < p->n; i++)
        if (same_factors(&p->term[i], m)) {
            c->failed |= !ix_add(p->term[i].k, m->k, &p->term[i].k);
            return;
        }
    if (ix_mem_grow(c->mem, &p->term, &p->capacity, p->n + 1, sizeof *p->term))
        p->term[p->n++] = *m;
    else
        c->failed = true;
}

static int
by_number(const void *a, const void *b)
{
    return *(const int32_t *)a < *(const int32_t *)b ? -1 : 1;
}

/* "a" times term "i" of a length, whose constant is the last one. */
static monomial
times(counts *c, const monomial *a, const ix_lin *length, int32_t i)
{
    monomial m = *a;
    c->failed |=
        !ix_mul(a->k, i < length->n ? length->t[i].k : length->c, &m.k);
    if (i == length->n)
        return m;
    const ix_param *p = &c->ctx->param[length->t[i].param];
    for (int f = 0; f < p->degree; f++)
        if (m.n < MOST_FACTORS)
            m.factor[m.n++] = p->factor[f];
        else
            c->failed = true;
    qsort(m.factor, (size_t)m.n, sizeof *m.factor, by_number);
    return m;
}

/* p += k * product of the lengths */
static void
add_product(counts *c, polynomial *p, const monomial *k, int n,
            const ix_lin *const *length)
{
    if (n == 0) {
        add(c, p, k);
        return;
    }
    for (int32_t i = 0; *length && i <= (*length)->n; i++) {
        monomial m = times(c, k, *length, i);
        if (m.k)
            add_product(c, p, &m, n - 1, length + 1);
    }
    c->failed |= !*length;
}

/* Puts the lengths of a domain behind those that are there; how many then. */
static int
lengths_of(counts *c, const ix_domain *dom, int n, const ix_lin **length)
{
    for (int k = 0; k < dom->rank && n < MOST_FACTORS; k++)
        length[n++] = ix_axis_extent(c->ctx, &dom->ax[k]);
    return n;
}

static void
add_elements(counts *c, polynomial *p, int64_t each, const ix_domain *dom)
{
    const ix_lin *length[MOST_FACTORS];
    int n = lengths_of(c, dom, 0, length);
    add_product(c, p, &(monomial){.k = each}, n, length);
}

/* Adds what the arrays up to here cost on their domain. */
static void
add_pending(counts *c)
{
    if (c->domain)
        add_elements(c, &c->operations, c->each, c->domain);
    c->domain = NULL;
    c->each = 0;
}

/* ---- bodies ---- */

/* How many of the loops are around a reduction: those up to the last one that
 * it depends on. */
static int
loops_around(counts *c, const ilex_array *reduction)
{
    const ix_counted_loops *loops = c->loops;
    if (c->reduction == reduction)
        return c->around;
    c->reduction = reduction;
    c->around = loops->nloops;
    while (c->around > 0 && loops->in_order &&
           !ix_scalar_uses_index(reduction, c->around - 1))
        c->around--;
    return c->around;
}

/* The reduction indices, a bit each, that a reduction has itself, and those
 * that it follows. */
static size_t
own_indices(const ilex_array *n)
{
    size_t all = ((size_t)1 << n->interior->rank) - 1;
    return n->attr[1] < 64 ? all << n->attr[1] : 0;
}

static bool
note_followed(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    (void)w;
    *value =
        n->kind == IX_RINDEX && n->attr[0] < 64 ? (size_t)1 << n->attr[0] : 0;
    for (int i = 0; i < n->nops; i++)
        *value |= operand[i];
    *value &= n->kind == IX_REDUCE ? ~own_indices(n) : ~(size_t)0;
    return true;
}

static size_t
followed(counts *c, const ilex_array *n)
{
    size_t all = 0;
    ix_walk w = {.ctx = c->ctx,
                 .mem = c->mem,
                 .within = IX_HAS_RINDEX,
                 .leave = note_followed};
    c->failed |= !ix_walk_body(&w, n, &all);
    ix_walk_free(&w);
    return all;
}

/* The lengths of what repeats a reduction, which is in those of the frame: of
 * these the ones that it follows, as others compute it before (outside.c of the
 * compiler), if that does no harm. */
static int
repeated(counts *c, const ix_frame *f, const ilex_array *n,
         const ix_lin **length)
{
    unsigned harm = IX_HAS_CHECK | IX_HAS_APPLY;
    const ilex_array *first = n, *around[MOST_FACTORS];
    size_t follows = (n->flags & harm) ? ~(size_t)0 : followed(c, n);
    int some = 0, k;
    for (int i = f->nreduce; i-- > 0 && some < MOST_FACTORS;)
        if (follows & own_indices(f->reduce[i])) {
            around[some++] = first = f->reduce[i];
            follows |= followed(c, first);
        }
    k = loops_around(c, first);
    memcpy(length, c->loops->length, (size_t)k * sizeof(ix_lin *));
    while (some-- > 0)
        k = lengths_of(c, around[some]->interior, k, length);
    return lengths_of(c, n->interior, k, length);
}

static bool
count_node(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    counts *c = w->user;
    ix_frame frame = w->frame;
    const ix_lin *length[MOST_FACTORS];
    (void)operand;
    (void)value;
    int64_t each = n->kind == IX_APPLY ? ix_foreign_cost(n) : 1;
    bool plain =
        n->kind == IX_OP || n->kind == IX_APPLY || n->kind == IX_PRODUCT;
    if (plain && frame.nreduce == 0)
        c->plain += each;
    if (n->kind != IX_REDUCE && (!plain || frame.nreduce == 0))
        return true;
    bool reduces = n->kind == IX_REDUCE;
    c->ranged |= reduces && ix_is_ranged(n);
    int k = repeated(c, &frame, reduces ? n : frame.reduce[--frame.nreduce],
                     length);
    add_product(c, &c->operations, &(monomial){.k = each}, k, length);
    return true;
}

/* Index arithmetic is none of the operations. */
static ix_walk_step
enter_node(ix_walk *w, ilex_array *n, size_t *value)
{
    (void)w;
    (void)value;
    return n->kind == IX_LOAD || n->kind == IX_LINEAR || n->kind == IX_CHECKED
               ? IX_WALK_OVER
               : IX_WALK_IN;
}

static void
open_counts(counts *c, ilex_context *ctx, const ix_text *t)
{
    *c = (counts){.ctx = ctx, .mem = &t->mem};
    c->walk = (ix_walk){.ctx = ctx,
                        .mem = c->mem,
                        .frames = IX_WALK_REDUCTIONS,
                        .enter = enter_node,
                        .leave = count_node,
                        .user = c};
}

static void
free_counts(counts *c)
{
    ix_walk_free(&c->walk);
    ix_map_free(&c->known, c->mem);
    ix_mem_free(c->mem, c->operations.term);
    ix_mem_free(c->mem, c->read.term);
    ix_mem_free(c->mem, c->written.term);
}

/* Bodies inside common loops, in which equal nodes are one. */
static void
count_loops(counts *c, const ix_counted_loops *loops)
{
    c->loops = loops;
    c->reduction = NULL;
    c->plain = 0;
    c->walk.frame.box = loops->box;
    for (size_t i = 0; i < loops->nbodies; i++)
        c->failed |= !ix_walk_body(&c->walk, loops->body[i], NULL);
    ix_walk_forget(&c->walk);
    add_product(c, &c->operations, &(monomial){.k = c->plain}, loops->nloops,
                loops->length);
}

static void
count_reducing(counts *c, const ilex_array *x)
{
    ilex_array *only[] = {x->ops[0]};
    ix_counted_loops loops = {
        .box = x->interior, .in_order = true, .nbodies = 1, .body = only};
    loops.nloops = lengths_of(c, x->interior, 0, loops.length);
    count_loops(c, &loops);
}

/* The operations of a body without reductions. */
static int64_t
count_plain(counts *c, const ilex_array *body)
{
    const size_t *known = ix_map_find(&c->known, body);
    if (known)
        return (int64_t)*known;
    c->plain = 0;
    c->failed |= !ix_walk_body(&c->walk, body, NULL);
    ix_walk_forget(&c->walk);
    c->failed |= !ix_map_set(&c->known, c->mem, body, (size_t)c->plain);
    return c->plain;
}

static void
count_body(counts *c, const ilex_array *x)
{
    if (x->ops[0]->flags & IX_HAS_REDUCE) {
        count_reducing(c, x);
        return;
    }
    if (c->domain != x->interior)
        add_pending(c);
    c->domain = x->interior;
    c->failed |= !ix_add(c->each, count_plain(c, x->ops[0]), &c->each);
}

/* ---- einsums ---- */

static void
count_product(counts *c, const ix_label_axes *axes, uint64_t labels,
              int64_t operations)
{
    const ix_lin *length[MOST_FACTORS];
    int n = 0;
    for (int l = 0; l < IX_EINSUM_LABELS; l++)
        if (labels >> l & 1)
            length[n++] = ix_axis_extent(c->ctx, &axes->interior[l]);
    add_product(c, &c->operations, &(monomial){.k = operations}, n, length);
}

/* A product of "factors" over the labels, of which the first are kept. */
static void
count_step(counts *c, const ix_label_axes *axes, int factors, uint64_t all,
           const ix_labels *kept)
{
    bool sums = (all & ~ix_labels_set(kept)) != 0;
    count_product(c, axes, all, factors - 1 + sums);
}

static void
count_einsum(counts *c, const ilex_array *x)
{
    ix_einsum e;
    ix_label_axes axes;
    ix_labels labels[ILEX_MAX_RANK];
    uint32_t inside[ILEX_MAX_RANK];
    uint64_t all = 0;
    int n = 0;
    ix_einsum_read(x, &e);
    if (!ix_einsum_axes(c->ctx, &e, &axes)) {
        c->failed = true;
        return;
    }
    for (int i = 0; i < e.count; i++)
        all |= ix_labels_set(&e.labels[i]);
    if (e.path.n == 0)
        count_step(c, &axes, e.count, all, &e.result);
    for (int i = 0; i < e.path.n; i++) {
        if (e.path.step[i] != IX_MULTIPLY) {
            inside[n] = UINT32_C(1) << e.path.step[i];
            labels[n++] = e.labels[e.path.step[i]];
            continue;
        }
        ix_labels keep;
        n--;
        all = ix_labels_set(&labels[n - 1]) | ix_labels_set(&labels[n]);
        inside[n - 1] |= inside[n];
        ix_einsum_keep(&labels[n - 1], &labels[n],
                       ix_einsum_needed(&e, inside[n - 1]), &keep);
        count_step(c, &axes, 2, all, &keep);
        labels[n - 1] = keep;
    }
}

/* An element of the matrix is multiplied and added once for each column of the
 * other factor. */
static void
count_sparse(counts *c, const ilex_array *x)
{
    const ix_lin *length[MOST_FACTORS];
    int n = lengths_of(c, x->ops[0]->interior, 0, length);
    for (int k = 1; k < ix_rank(x); k++)
        length[n++] = ix_axis_extent(c->ctx, &x->interior->ax[k]);
    add_product(c, &c->operations, &(monomial){.k = 2}, n, length);
}

/* What its declaration says that an element of its results costs. */
static void
count_foreign(counts *c, const ilex_array *x)
{
    for (int k = 0; k < ix_tuple_count(x); k++)
        add_elements(c, &c->operations, ix_foreign_cost(x),
                     ix_tuple_domain(x, k));
}

/* ---- programs ---- */

static void
count_array(counts *c, const ilex_array *x)
{
    c->kind[x->kind]++;
    if (ix_has_body(x))
        count_body(c, x);
    if (x->kind == IX_EINSUM)
        count_einsum(c, x);
    if (x->kind == IX_CSR_MATMUL)
        count_sparse(c, x);
    if (x->kind == IX_FOREIGN)
        count_foreign(c, x);
    if (x->kind == IX_INPUT || x->kind == IX_DATA)
        add_elements(c, &c->read,
                     (int64_t)ilex_dtype_bytes((ilex_dtype)x->dtype),
                     x->interior);
}

/* Every array that "root" reaches, once. */
static void
count_reached(counts *c, ix_map *seen, ilex_array *root)
{
    const ix_mem *mem = c->mem;
    ilex_array **stack = NULL;
    size_t n = 0, capacity = 0;
    for (ilex_array *x = root; x; x = n ? stack[--n] : NULL) {
        if (ix_map_find(seen, x))
            continue;
        c->failed |= !ix_map_set(seen, mem, x, 1);
        count_array(c, x);
        for (int i = ix_operand_count(x); !c->failed && i-- > 0;)
            if (ix_mem_grow(mem, &stack, &capacity, n + 1, sizeof *stack))
                stack[n++] = ix_operand(x, i);
            else
                c->failed = true;
        if (c->failed)
            break;
    }
    ix_mem_free(mem, stack);
}

static int
by_degree(const void *a, const void *b)
{
    const monomial *p = a, *q = b;
    if (p->n != q->n)
        return p->n > q->n ? -1 : 1;
    return memcmp(p->factor, q->factor, (size_t)p->n * sizeof *p->factor);
}

/* "8*n*m + 2*n" */
static void
write_polynomial(const counts *c, const polynomial *p, ix_text *t)
{
    bool any = false;
    if (p->n)
        qsort(p->term, p->n, sizeof *p->term, by_degree);
    for (size_t i = 0; i < p->n; i++) {
        const monomial *m = &p->term[i];
        if (m->k == 0)
            continue;
        uint64_t size = m->k < 0 ? 0 - (uint64_t)m->k : (uint64_t)m->k;
        ix_text_put(t, any ? m->k < 0 ? " - " : " + " : m->k < 0 ? "-" : "");
        if (size != 1 || m->n == 0)
            ix_text_uint(t, size);
        for (int f = 0; f < m->n; f++) {
            ix_text_put(t, f || size != 1 ? "*" : "");
            ix_text_put(t, ix_param_name(c->ctx, m->factor[f]));
        }
        any = true;
    }
    ix_text_put(t, any ? "" : "0");
}

static void
write_counts(const counts *c, ix_text *t)
{
    size_t nodes = 0;
    const char *comma = " (";
    for (int k = 0; k < IX_NKINDS; k++)
        nodes += c->kind[k];
    ix_text_format(t, "nodes: %zu", nodes);
    for (int k = 0; k < IX_NKINDS; k++)
        if (c->kind[k]) {
            ix_text_format(t, "%s%zu %s", comma, c->kind[k],
                           ix_kind_infos[k].text);
            comma = ", ";
        }
    ix_text_put(t, nodes ? ")\noperations: " : "\noperations: ");
    ix_text_put(t, c->ranged ? "at most " : "");
    write_polynomial(c, &c->operations, t);
    ix_text_put(t, "\nbytes read: ");
    write_polynomial(c, &c->read, t);
    ix_text_put(t, "\nbytes written: ");
    write_polynomial(c, &c->written, t);
    ix_text_char(t, '\n');
}

/* What all arrays that the outputs reach cost. */
static void
count_module(counts *c, const ilex_module *m)
{
    ix_map seen = {0};
    for (size_t i = 0; i < m->noutputs && !c->failed; i++) {
        const ilex_array *x = m->output[i].array;
        count_reached(c, &seen, m->output[i].array);
        add_elements(c, &c->written,
                     (int64_t)ilex_dtype_bytes((ilex_dtype)x->dtype),
                     ix_output_domain(&m->output[i]));
    }
    add_pending(c);
    ix_map_free(&seen, c->mem);
}

bool
ix_module_print_counts(ilex_module *m, ix_text *t)
{
    counts c;
    open_counts(&c, m->ctx, t);
    count_module(&c, m);
    if (c.failed)
        ix_fail(&m->ctx->error, ILEX_E_OVERFLOW,
                "program %s: its counts leave 64 bits", m->name);
    else
        write_counts(&c, t);
    free_counts(&c);
    return !c.failed;
}

bool
ix_module_cost(ilex_module *m, bool *most, ix_text *operations, ix_text *read,
               ix_text *written)
{
    counts c;
    open_counts(&c, m->ctx, operations);
    count_module(&c, m);
    if (!c.failed) {
        write_polynomial(&c, &c.operations, operations);
        write_polynomial(&c, &c.read, read);
        write_polynomial(&c, &c.written, written);
    }
    *most = c.ranged;
    free_counts(&c);
    return !c.failed;
}

/* ---- loops and boxes ---- */

bool
ix_print_operations(ilex_context *ctx, size_t n, const ix_counted_loops *loops,
                    bool *most, ix_text *t)
{
    counts c;
    open_counts(&c, ctx, t);
    for (size_t i = 0; i < n && !c.failed; i++)
        count_loops(&c, &loops[i]);
    if (!c.failed)
        write_polynomial(&c, &c.operations, t);
    *most |= c.ranged;
    free_counts(&c);
    return !c.failed;
}

bool
ix_print_elements(ilex_context *ctx, size_t n, const ix_domain *const *box,
                  const int64_t *each, ix_text *t)
{
    counts c;
    open_counts(&c, ctx, t);
    for (size_t i = 0; i < n && !c.failed; i++)
        add_elements(&c, &c.read, each[i], box[i]);
    if (!c.failed)
        write_polynomial(&c, &c.read, t);
    free_counts(&c);
    return !c.failed;
}
