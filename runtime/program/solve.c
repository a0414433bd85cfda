/* SPDX-License-Identifier: MIT
 *
 * Sizes from shapes: every axis of an argument gives an equation, linear in
 * the sizes, for where its range ends; where the beginning is symbolic, one for
 * that. Gauss-Jordan elimination over the integers, once for each way in which
 * runs use the equations, gives each size as a weighted sum of indices, so that
 * a run only multiplies and adds.
 */
#include "runtime/program/program.h"

/* A row: coefficients of the sizes, then weights of the equations. */
typedef struct system {
    size_t nsizes, neq, width, nrows;
    int64_t *rows;
} system_rows;

static int64_t *
row_of(const system_rows *s, size_t i)
{
    return s->rows + i * s->width;
}

static uint64_t
magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Divides a row by the greatest common divisor of its entries. */
static void
reduce_row(system_rows *s, int64_t *row)
{
    uint64_t g = 0;
    for (size_t k = 0; k < s->width; k++)
        g = gcd(g, magnitude(row[k]));
    for (size_t k = 0; g > 1 && g <= INT64_MAX && k < s->width; k++)
        row[k] /= (int64_t)g;
}

/* row = a*row - b*other; false on overflow, row then unspecified. */
static bool
eliminate(system_rows *s, int64_t *row, const int64_t *other, size_t column)
{
    int64_t a = other[column], b = row[column], x, y;
    for (size_t k = 0; k < s->width; k++)
        if (!ix_mul(a, row[k], &x) || !ix_mul(b, other[k], &y) ||
            !ix_sub(x, y, &row[k]))
            return false;
    reduce_row(s, row);
    return true;
}

/* First size with a coefficient; nsizes if there is none. */
static size_t
leading(const system_rows *s, const int64_t *row)
{
    size_t k = 0;
    while (k < s->nsizes && row[k] == 0)
        k++;
    return k;
}

/* Adds equation "e" to the reduced rows when it is independent of them. */
static void
add_equation(system_rows *s, size_t e, const ix_lin *form)
{
    int64_t *row = row_of(s, s->nrows);
    memset(row, 0, s->width * sizeof *row);
    for (int32_t k = 0; k < form->n; k++)
        row[form->t[k].param] = form->t[k].k;
    row[s->nsizes + e] = 1;
    for (size_t i = 0; i < s->nrows; i++) {
        size_t column = leading(s, row_of(s, i));
        if (row[column] && !eliminate(s, row, row_of(s, i), column))
            return;
    }
    size_t column = leading(s, row);
    if (column == s->nsizes)
        return;
    for (size_t i = 0; i < s->nrows; i++)
        if (row_of(s, i)[column] && !eliminate(s, row_of(s, i), row, column)) {
            memset(row_of(s, i), 0, s->width * sizeof *row);
            return;
        }
    s->nrows++;
}

/* A row with one coefficient left is a formula for that size. */
static void
take_formula(ix_solver *solver, const system_rows *s, const int64_t *row)
{
    size_t column = leading(s, row);
    if (column == s->nsizes)
        return;
    for (size_t k = column + 1; k < s->nsizes; k++)
        if (row[k])
            return;
    ix_formula *f = &solver->formula[column];
    f->solved = true;
    f->divisor = row[column];
    memcpy(f->weight, row + s->nsizes, s->neq * sizeof *f->weight);
    for (size_t e = 0; e < s->neq; e++)
        f->weak |= f->weight[e] != 0 && solver->use[e] == IX_EQUATION_WEAK;
}

/* ---- equations ---- */

/* Adds the equations of axis "k" of argument "i". */
static void
add_axis(ix_equations *q, const ix_compiled *c, size_t i, int k)
{
    const ix_range *r = &c->buffer[i].interior[k];
    q->item[q->n++] = (ix_equation){(int)i, k, false, r->hi};
    if (r->lo->n)
        q->item[q->n++] = (ix_equation){(int)i, k, true, r->lo};
}

ix_equations *
ix_equations_new(const ix_mem *mem, const ix_compiled *c)
{
    size_t axes = 0;
    for (size_t i = 0; i < c->narguments; i++)
        axes += (size_t)c->buffer[i].rank;
    ix_equations *q = ix_mem_new(mem, sizeof *q);
    if (!q)
        return NULL;
    q->item = ix_mem_new(mem, (2 * axes + 1) * sizeof *q->item);
    if (!q->item) {
        ix_mem_free(mem, q);
        return NULL;
    }
    for (size_t i = 0; i < c->narguments; i++)
        for (int k = 0; k < c->buffer[i].rank; k++)
            add_axis(q, c, i, k);
    return q;
}

void
ix_equations_free(const ix_mem *mem, ix_equations *q)
{
    ix_solver *s = q ? atomic_load(&q->solvers) : NULL;
    while (s) {
        ix_solver *next = s->next;
        ix_mem_free(mem, s);
        s = next;
    }
    if (q)
        ix_mem_free(mem, q->item);
    ix_mem_free(mem, q);
}

/* ---- solvers ---- */

/* A solver without formulas, in one block. */
static ix_solver *
new_solver(const ix_mem *mem, size_t nsizes, const ix_equations *q,
           const unsigned char *use)
{
    ix_solver *s;
    size_t weights = nsizes * q->n;
    char *p = ix_mem_new(mem, sizeof *s + nsizes * sizeof *s->formula +
                                  weights * sizeof(int64_t) + q->n);
    if (!p)
        return NULL;
    s = (ix_solver *)(void *)p;
    s->formula = (ix_formula *)(void *)(p + sizeof *s);
    int64_t *weight = (int64_t *)(void *)(s->formula + nsizes);
    s->use = (unsigned char *)(weight + weights);
    for (size_t k = 0; k < nsizes; k++)
        s->formula[k].weight = weight + k * q->n;
    memcpy(s->use, use, q->n);
    return s;
}

/* Adds the equations that are used like this. */
static void
add_used(system_rows *s, const ix_compiled *c, const ix_equations *q,
         const unsigned char *use, ix_equation_use how)
{
    for (size_t e = 0; e < q->n && s->nrows <= s->nsizes; e++)
        if (use[e] == how && ix_compiled_phase(c, q->item[e].form) == 0)
            add_equation(s, e, q->item[e].form);
}

static ix_solver *
make_solver(const ix_mem *mem, const ix_compiled *c, const ix_equations *q,
            const unsigned char *use)
{
    system_rows s = {
        .nsizes = c->nsizes, .neq = q->n, .width = c->nsizes + q->n};
    ix_solver *solver = new_solver(mem, s.nsizes, q, use);
    s.rows = ix_mem_new(mem, (s.nsizes + 2) * (s.width + 1) * sizeof *s.rows);
    if (!solver || !s.rows) {
        ix_mem_free(mem, s.rows);
        ix_mem_free(mem, solver);
        return NULL;
    }
    add_used(&s, c, q, use, IX_EQUATION_STRICT);
    add_used(&s, c, q, use, IX_EQUATION_WEAK);
    for (size_t i = 0; i < s.nrows; i++)
        take_formula(solver, &s, row_of(&s, i));
    ix_mem_free(mem, s.rows);
    return solver;
}

const ix_solver *
ix_solver_for(const ix_mem *mem, const ix_compiled *c, ix_equations *q,
              const unsigned char *use)
{
    ix_solver *head = atomic_load(&q->solvers);
    for (ix_solver *s = head; s; s = s->next)
        if (!memcmp(s->use, use, q->n))
            return s;
    /* two threads may make the same one: it is kept twice */
    ix_solver *made = make_solver(mem, c, q, use);
    if (made)
        do
            made->next = head;
        while (!atomic_compare_exchange_weak(&q->solvers, &head, made));
    return made;
}
