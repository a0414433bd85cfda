/* SPDX-License-Identifier: MIT
 *
 * Sizes from shapes: every axis of an argument gives an equation, linear in
 * the sizes. Gauss-Jordan elimination over the integers at compile time gives
 * each size as a weighted sum of lengths, so that a run only multiplies and
 * adds.
 */
#include "runtime/program/program.h"

/* A row: coefficients of the sizes, then weights of the equations. */
typedef struct system {
    ix_compiled *c;
    size_t nsizes, neq, width, nrows;
    int64_t *rows;
} system_rows;

static int64_t *
row_of(system_rows *s, size_t i)
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
take_formula(ix_solver *solver, system_rows *s, const int64_t *row)
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
    f->weight = ix_arena_new(&s->c->arena, (s->neq + 1) * sizeof *f->weight);
    memcpy(f->weight, row + s->nsizes, s->neq * sizeof *f->weight);
    for (size_t e = 0; e < s->neq; e++)
        f->weak |= f->weight[e] != 0 && !solver->equation[e].strict;
}

/* The length that equation "form" speaks of: the interior's upper bound when
 * it starts at 0, else (weakly) where the storage ends. */
static void
collect(ix_solver *solver, ix_compiled *c, bool strict)
{
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        for (int k = 0; k < b->rank; k++) {
            const ix_range *r = &b->interior[k];
            bool from_zero = r->lo->n == 0 && r->lo->c == 0;
            if (from_zero == strict)
                solver->equation[solver->nequations++] =
                    (ix_equation){(int)i, k, r->hi, strict};
        }
    }
}

void
ix_solver_make(ix_solver *solver, ix_compiled *c)
{
    size_t axes = 0;
    for (size_t i = 0; i < c->narguments; i++)
        axes += (size_t)c->buffer[i].rank;
    solver->equation =
        ix_arena_new(&c->arena, (axes + 1) * sizeof *solver->equation);
    solver->formula =
        ix_arena_new(&c->arena, (c->nsizes + 1) * sizeof *solver->formula);
    collect(solver, c, true);
    collect(solver, c, false);
    system_rows s = {.c = c, .nsizes = c->nsizes, .neq = solver->nequations};
    s.width = s.nsizes + s.neq;
    s.rows = ix_arena_new(&c->arena,
                          (s.nsizes + 2) * (s.width + 1) * sizeof *s.rows);
    for (size_t e = 0; e < s.neq && s.nrows <= s.nsizes; e++)
        if (ix_compiled_phase(c, solver->equation[e].form) == 0)
            add_equation(&s, e, solver->equation[e].form);
    for (size_t i = 0; i < s.nrows; i++)
        take_formula(solver, &s, row_of(&s, i));
}
