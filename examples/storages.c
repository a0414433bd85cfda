/* SPDX-License-Identifier: MIT
 *
 * Storages: a field with a halo in the layout and memory that suit vectors,
 * views of it that share its memory, elements chosen by a mask, a constant
 * profile with masked axes, and the same field on a device, if there is one.
 */
#include <ilex.h>
#include <stdio.h>

enum { NI = 6, NJ = 4, NK = 3, HALO = 2 };

/* A hill: higher towards the middle of I and J, and with K. */
static void
hill(void *user, const int64_t *index, void *element)
{
    double i = (double)index[0] - NI / 2.0 - HALO;
    double j = (double)index[1] - NJ / 2.0 - HALO;
    (void)user;
    *(double *)element = 10.0 * (double)(index[2] + 1) - i * i - j * j;
}

static void
show(const char *what, const ilex_storage *s)
{
    char text[2000];
    ilex_storage_print(s, text, sizeof text);
    printf("%s\n%s\n", what, text);
}

/* Where the values of "s" were taken from, and where it lies. */
static void
explain(const ilex_storage *s)
{
    static const char *const properties[] = {"shape", "layout", "alignment",
                                             "space", "halo"};
    for (int i = 0; i < 5; i++)
        printf("  %-9s: %s\n", properties[i],
               ilex_storage_source(s, properties[i]));
    printf("  %zu-byte alignment at (%lld, ...), %s memory, order %s\n\n",
           ilex_storage_alignment(s),
           (long long)ilex_storage_aligned_index(s)[0], ilex_storage_space(s),
           ilex_storage_layout_order(s));
}

/* Views and choices; 0 if all went well. */
static int
look(ilex_context *ctx, ilex_storage *field)
{
    ilex_storage *inside = ilex_storage_interior(ctx, field);
    ilex_storage *ground =
        inside ? ilex_storage_index(ctx, inside, 2, 0) : NULL;
    double zero = 0;
    ilex_storage *dry =
        ilex_storage_new(ctx, &ILEX_STORAGE_SPEC(.dtype = "bool", .rank = 2,
                                                 .shape = (int64_t[]){NJ, NI},
                                                 .axes = "JI", .fill = &zero));
    int failed = !ground || !dry;
    for (int64_t i = 0; !failed && i < NI; i++)
        failed = ilex_storage_set_i64(dry, (int64_t[]){0, i}, 1) != ILEX_OK;
    ilex_storage *row =
        failed ? NULL : ilex_storage_take_mask(ctx, ground, dry);
    if (row) {
        show("The lowest level, inside the halo:", ground);
        show("Its first row, chosen by a mask with axes JI:", row);
    }
    ilex_storage_release(row);
    ilex_storage_release(dry);
    ilex_storage_release(ground);
    ilex_storage_release(inside);
    return failed || !row;
}

/* A device is no must: without one the error says so. */
static void
try_device(ilex_context *ctx, ilex_storage *field)
{
    ilex_storage *there = ilex_storage_to(ctx, field, "gpu");
    if (there)
        printf("A copy of %lld bytes is on device %d.\n",
               (long long)ilex_storage_bytes(there),
               ilex_storage_device_index(there));
    else
        printf("No device: %s\n", ilex_error_text(ctx));
    ilex_error_clear(ctx);
    ilex_storage_release(there);
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_storage_spec part = {.size = sizeof part,
                              .rank = 3,
                              .shape =
                                  (int64_t[]){NI + 2 * HALO, NJ + 2 * HALO, NK},
                              .axes = "IJK",
                              .halo = (int64_t[]){HALO, HALO, HALO, HALO, 0, 0},
                              .preset = "cpu_ifirst"};
    ilex_storage_spec full = part;
    full.name = "height";
    full.initialize = hill;
    ilex_storage *field = ilex_storage_new(ctx, &full);

    double one = 1;
    part.selector = (unsigned char[]){0, 0, 1};
    part.flags = ILEX_STORAGE_CONST;
    part.fill = &one;
    ilex_storage *profile = ilex_storage_new(ctx, &part);

    int failed = !field || !profile || look(ctx, field);
    if (!failed) {
        printf("Where the values of the field come from:\n");
        explain(field);
        printf("A profile along K alone has %lld indices and %lld elements.\n",
               (long long)ilex_storage_count(profile),
               (long long)ilex_storage_span(profile));
        try_device(ctx, field);
    } else {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
    }
    ilex_storage_release(field);
    ilex_storage_release(profile);
    ilex_context_free(ctx);
    return failed;
}
