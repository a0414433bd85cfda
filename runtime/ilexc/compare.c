/* SPDX-License-Identifier: MIT
 *
 * `ilexc run --check=reference`: the outputs of two back ends, bit for bit.
 * Every NaN equals every other; 0 and -0 differ.
 */
#include "runtime/ilexc/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Are the parts of two elements the same number, bit for bit, or both NaN? */
static bool
same(ilex_dtype dtype, const char *a, const char *b)
{
    size_t bytes = ilex_dtype_bytes(dtype);
    bool is_float = dtype == ILEX_F32 || dtype == ILEX_C64;
    bool is_double = dtype == ILEX_F64 || dtype == ILEX_C128;
    if (memcmp(a, b, bytes) == 0)
        return true;
    if (!is_float && !is_double)
        return false;
    for (size_t step = is_float ? 4 : 8, at = 0; at < bytes; at += step) {
        float f = 0, g = 0;
        double x = 0, y = 0;
        memcpy(is_float ? (void *)&f : (void *)&x, a + at, step);
        memcpy(is_float ? (void *)&g : (void *)&y, b + at, step);
        bool nan = is_float ? isnan(f) && isnan(g) : isnan(x) && isnan(y);
        if (!nan && memcmp(a + at, b + at, step) != 0)
            return false;
    }
    return true;
}

/* Prints the elements that differ. */
static void
print_difference(const ix_cli_run *r, const ix_cli_field *f,
                 const int64_t *index, const ilex_storage *got,
                 const ilex_storage *wanted)
{
    double a[2] = {0}, b[2] = {0};
    bool complex = f->info.dtype == ILEX_C64 || f->info.dtype == ILEX_C128;
    ilex_storage_get_c128(got, index, a);
    ilex_storage_get_c128(wanted, index, b);
    fprintf(stderr, "ilexc: %s[", f->info.name);
    for (int k = 0; k < f->info.rank; k++)
        fprintf(stderr, "%s%s%s%lld", k ? ", " : "", f->info.axis[k],
                f->info.axis[k][0] ? "=" : "",
                (long long)(index[k] + f->lo[k]));
    fprintf(stderr, "]: %s gives %.17g", ilex_program_backend(r->program),
            a[0]);
    if (complex)
        fprintf(stderr, "%+.17gi", a[1]);
    fprintf(stderr, ", reference gives %.17g", b[0]);
    if (complex)
        fprintf(stderr, "%+.17gi", b[1]);
    fputc('\n', stderr);
}

/* Compares one output. */
static ix_cli_exit
compare(ix_cli_run *r, const ix_cli_field *f)
{
    ilex_storage *got = ix_cli_fields_domain(r, f, f->storage);
    ilex_storage *wanted = ix_cli_fields_domain(r, f, f->reference);
    int64_t index[ILEX_MAX_RANK] = {0};
    ix_cli_exit status = IX_EXIT_OK;
    if (!got || !wanted) {
        status = ix_cli_library_error(r->session.ctx);
    } else if (ilex_storage_count(got) > 0) {
        do {
            if (same(f->info.dtype, ilex_storage_at(got, index),
                     ilex_storage_at(wanted, index)))
                continue;
            print_difference(r, f, index, got, wanted);
            status = IX_EXIT_MISMATCH;
        } while (
            status == IX_EXIT_OK &&
            ix_cli_fields_next(f->info.rank, ilex_storage_shape(got), index));
    }
    ilex_storage_release(got);
    ilex_storage_release(wanted);
    return status;
}

ix_cli_exit
ix_cli_compare(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nfields && status == IX_EXIT_OK; i++)
        if (r->field[i].info.output)
            status = compare(r, &r->field[i]);
    return status;
}
