/* SPDX-License-Identifier: MIT
 *
 * The polynomials that stage "counts" prints, "8*n*m + 2*n", evaluated.
 */
#include "runtime/measure/counts.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *at;
    const ilex_size_binding *sizes;
    size_t count;
    int failed;
} reader;

/* Passes "word" if it is next. */
static int
skip(reader *r, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return 0;
    r->at += n;
    return 1;
}

/* A number or the value of a size. */
static double
read_factor(reader *r)
{
    char *end;
    double value = strtod(r->at, &end);
    size_t n = strcspn(r->at, "* \n");
    if (end == r->at + n && n > 0) {
        r->at = end;
        return value;
    }
    for (size_t i = 0; i < r->count; i++)
        if (strlen(r->sizes[i].name) == n &&
            memcmp(r->sizes[i].name, r->at, n) == 0) {
            r->at += n;
            return (double)r->sizes[i].value;
        }
    r->failed = 1;
    return 0;
}

static double
read_polynomial(reader *r)
{
    double sum = 0;
    int minus = skip(r, "-");
    do {
        double product = read_factor(r);
        while (!r->failed && skip(r, "*"))
            product *= read_factor(r);
        sum += minus ? -product : product;
        minus = strncmp(r->at, " - ", 3) == 0;
    } while (!r->failed && (skip(r, " + ") || skip(r, " - ")));
    r->failed |= *r->at != '\n';
    return sum;
}

/* The polynomial of the line that begins with "label". */
static double
read_line(reader *r, const char *text, const char *label)
{
    const char *line = strstr(text, label);
    if (!line) {
        r->failed = 1;
        return 0;
    }
    r->at = line + strlen(label);
    skip(r, "at most ");
    return read_polynomial(r);
}

int
bench_counts_read(const char *text, const ilex_size_binding *sizes,
                  size_t count, bench_counts *c)
{
    reader r = {NULL, sizes, count, 0};
    c->operations = read_line(&r, text, "\noperations: ");
    c->read = read_line(&r, text, "\nbytes read: ");
    c->written = read_line(&r, text, "\nbytes written: ");
    return !r.failed;
}
