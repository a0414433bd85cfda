/* SPDX-License-Identifier: MIT
 *
 * `ilexc run --check=reference`: the outputs of two back ends, bit for bit.
 * Every NaN equals every other; 0 and -0 differ.
 */
#include "runtime/ilexc/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Are two elements the same number, bit for bit, but for what a NaN is? */
static bool
same(const ilex_storage *got, const ilex_storage *wanted, const int64_t *index)
{
    double a[2] = {0}, b[2] = {0};
    if (memcmp(ilex_storage_at(got, index), ilex_storage_at(wanted, index),
               ilex_dtype_bytes(ilex_storage_dtype(got))) == 0)
        return true;
    ilex_storage_get_c128(got, index, a);
    ilex_storage_get_c128(wanted, index, b);
    bool nan[2] = {isnan(a[0]) && isnan(b[0]), isnan(a[1]) && isnan(b[1])};
    for (int part = 0; part < 2; part++)
        if (!nan[part] && memcmp(&a[part], &b[part], sizeof a[part]) != 0)
            return false;
    return nan[0] || nan[1];
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
            if (same(got, wanted, index))
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
