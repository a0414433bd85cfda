/* SPDX-License-Identifier: MIT
 *
 * The storages of a run: each covers its argument's domain and the halo that
 * the program needs, and is filled from a file, with a number, or with random
 * ones. Its origin is where the domain begins.
 */
#include "runtime/ilexc/run.h"

#include <string.h>

#include "lib/ops/dtype.h"
#include "runtime/storage/storage.h"

bool
ix_cli_fields_next(int rank, const int64_t *shape, int64_t *index)
{
    for (int k = rank - 1; k >= 0; k--) {
        if (++index[k] < shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

/* Reads the file of one input. */
static ix_cli_exit
load(ix_cli_run *r, ix_cli_field *f)
{
    f->file = ilex_npy_read(r->session.ctx, f->source.path);
    if (!f->file)
        return ix_cli_library_error(r->session.ctx);
    if (ilex_storage_rank(f->file) == f->info.rank &&
        ilex_storage_dtype(f->file) == f->info.dtype)
        return IX_EXIT_OK;
    return ix_cli_fail(
        IX_EXIT_PROGRAM, "%s: holds %s of rank %d; %s is %s of rank %d, [%s]",
        f->source.path, ilex_dtype_name(ilex_storage_dtype(f->file)),
        ilex_storage_rank(f->file), f->info.name,
        ilex_dtype_name(f->info.dtype), f->info.rank, f->info.domain);
}

ix_cli_exit
ix_cli_fields_load(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nfields && status == IX_EXIT_OK; i++)
        if (r->field[i].source.kind == IX_CLI_SOURCE_FILE)
            status = load(r, &r->field[i]);
    return status;
}

/* The "n"-th number of a sequence: splitmix64 of its seed. */
static uint64_t
random_bits(uint64_t seed, uint64_t n)
{
    uint64_t x = seed * 0xd1342543de82ef95u + n * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A random value for a dtype, as `ilexc help run` describes it. */
static double
random_value(ilex_dtype dtype, uint64_t bits)
{
    switch (ix_dtype_kind(dtype)) {
    case 'b':
        return (double)(bits & 1);
    case 'i':
        return (double)(bits & 15) - 8;
    case 'u':
        return (double)(bits & 15);
    default:
        return dtype == ILEX_F32 || dtype == ILEX_C64
                   ? (double)(bits >> 40) * 0x1p-23 - 1
                   : (double)(bits >> 11) * 0x1p-52 - 1;
    }
}

typedef struct random_field {
    const ix_cli_field *f;
    const int64_t *shape;
} random_field;

/* The numbers of an element, in C order two for each; of a real one the first.
 */
static void
random_element(void *user, const int64_t *index, void *element)
{
    const random_field *x = user;
    ilex_dtype dtype = x->f->info.dtype;
    uint64_t n = 0, seed = x->f->source.seed;
    for (int k = 0; k < x->f->info.rank; k++)
        n = n * (uint64_t)x->shape[k] + (uint64_t)index[k];
    double re = random_value(dtype, random_bits(seed, 2 * n)), im = 0;
    if (ix_dtype_is_complex(dtype))
        im = random_value(dtype, random_bits(seed, 2 * n + 1));
    if (dtype == ILEX_F64) /* most are, and no conversion is needed */
        memcpy(element, &re, sizeof re);
    else
        ix_element_of_f64(dtype, re, im, element);
}

/* A storage for the field, on the points that the program needs. */
static ilex_storage *
make(ix_cli_run *r, const ix_cli_field *f)
{
    int64_t shape[ILEX_MAX_RANK] = {0}, halo[2 * ILEX_MAX_RANK] = {0};
    char axes[4096] = "";
    size_t used = 0;
    for (int k = 0; k < f->info.rank; k++) {
        size_t length = strlen(f->info.axis[k]);
        halo[2 * k] = f->lo[k] - f->first[k];
        halo[2 * k + 1] = f->end[k] - f->hi[k];
        shape[k] = f->end[k] - f->first[k];
        if (used + length + 3 > sizeof axes)
            return NULL;
        memcpy(axes + used, f->info.axis[k], length);
        memcpy(axes + used + length, ",", 2);
        used += length + 1;
    }
    if (used)
        axes[used - 1] = '\0';
    bool named = f->info.rank > 0 && f->info.axis[0][0];
    double zero = 0;
    random_field numbers = {f, shape};
    bool random = !f->info.output && f->source.kind == IX_CLI_SOURCE_RANDOM;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .device =
                                  ix_cli_on_device(r->program) ? "gpu" : NULL,
                              .dtype = ilex_dtype_name(f->info.dtype),
                              .rank = f->info.rank,
                              .shape = shape,
                              .axes = named ? axes : NULL,
                              .halo = named ? halo : NULL,
                              .origin = named ? f->lo : NULL,
                              .name = f->swapped ? NULL : f->info.name,
                              .fill = random ? NULL : &zero,
                              .initialize = random ? random_element : NULL,
                              .initialize_user = &numbers};
    return ilex_storage_new(r->session.ctx, &spec);
}

/* Where a point of the program lies in a file's axis; -1 where the file has
 * nothing to say. "point" counts from the first element of the file. */
static int64_t
place(ix_cli_halo rule, int64_t point, int64_t length)
{
    if (point >= 0 && point < length)
        return point;
    if (length == 0 || rule == IX_CLI_HALO_ZERO || rule == IX_CLI_HALO_FILE)
        return -1;
    if (rule == IX_CLI_HALO_PERIODIC)
        return (point % length + length) % length;
    return point < 0 ? 0 : length - 1;
}

/* Copies the file of a field into its storage. */
static void
fill_from_file(ix_cli_field *f)
{
    const int64_t *shape = ilex_storage_shape(f->storage);
    int64_t index[ILEX_MAX_RANK] = {0}, from[ILEX_MAX_RANK];
    bool with_halo = f->source.halo == IX_CLI_HALO_FILE;
    size_t bytes = ilex_dtype_bytes(f->info.dtype);
    char *base = ilex_storage_data(f->storage);
    do {
        const void *element = NULL;
        ptrdiff_t at = 0;
        for (int k = 0; k < f->info.rank; k++) {
            int64_t first = f->lo[k];
            if (with_halo && f->halo[2 * k] > 0)
                first -= f->halo[2 * k];
            from[k] = place(f->source.halo, index[k] + f->first[k] - first,
                            ilex_storage_shape(f->file)[k]);
            at += (ptrdiff_t)(index[k] * ilex_storage_stride(f->storage)[k]);
        }
        element = ilex_storage_at(f->file, from);
        if (element)
            memcpy(base + at * (ptrdiff_t)bytes, element, bytes);
    } while (ix_cli_fields_next(f->info.rank, shape, index));
}

/* Fills the storage of an input, unless it was made of random numbers. */
static ix_cli_exit
fill(ix_cli_run *r, ix_cli_field *f)
{
    ilex_status status = ILEX_OK;
    if (ilex_storage_count(f->storage) == 0)
        return IX_EXIT_OK;
    if (f->source.kind == IX_CLI_SOURCE_FILE)
        fill_from_file(f);
    else if (f->source.kind == IX_CLI_SOURCE_CONSTANT)
        status =
            ilex_storage_fill(r->session.ctx, f->storage, f->source.constant);
    if (status == ILEX_OK)
        return IX_EXIT_OK;
    if (ilex_error_code(r->session.ctx) != ILEX_OK)
        return ix_cli_library_error(r->session.ctx);
    return ix_cli_fail(ix_cli_exit_of(status), "%s: %s", f->info.name,
                       ilex_status_meaning(status));
}

/* Makes the storages of one field. */
static ix_cli_exit
make_field(ix_cli_run *r, ix_cli_field *f)
{
    bool twice = r->reference && (f->info.output || f->swapped);
    f->storage = make(r, f);
    if (f->storage && twice)
        f->reference = make(r, f);
    if (!f->storage || (twice && !f->reference))
        return ix_cli_library_error(r->session.ctx);
    return f->info.output ? IX_EXIT_OK : fill(r, f);
}

/* What changes places begins with the same contents: an output holds what its
 * partner does where the program does not write, the reference's storages what
 * the others do. */
static ix_cli_exit
begin(ix_cli_run *r, ix_cli_field *f)
{
    ilex_context *ctx = r->session.ctx;
    const ix_cli_field *partner = ix_cli_swaps_partner(r, f);
    ilex_status rc = ILEX_OK;
    if (partner)
        rc = ilex_storage_assign(ctx, f->storage, partner->storage);
    if (rc == ILEX_OK && f->reference)
        rc = ilex_storage_assign(ctx, f->reference, f->storage);
    return rc == ILEX_OK ? IX_EXIT_OK : ix_cli_library_error(ctx);
}

ix_cli_exit
ix_cli_fields_make(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nfields && status == IX_EXIT_OK; i++)
        status = make_field(r, &r->field[i]);
    for (size_t i = 0; i < r->nfields && status == IX_EXIT_OK; i++)
        if (r->field[i].swapped)
            status = begin(r, &r->field[i]);
    return status;
}

ilex_storage *
ix_cli_fields_domain(ix_cli_run *r, const ix_cli_field *f, ilex_storage *s)
{
    ilex_storage *view = ilex_storage_retain(s);
    for (int k = 0; view && k < f->info.rank; k++) {
        int64_t first = f->first[k];
        ilex_storage *cut = ilex_storage_slice(
            r->session.ctx, view, k, f->lo[k] - first, f->hi[k] - first, 1);
        ilex_storage_release(view);
        view = cut;
    }
    return view;
}
