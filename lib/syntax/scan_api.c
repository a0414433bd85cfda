/* SPDX-License-Identifier: MIT
 *
 * Scans from C.
 */
#include "lib/build/scan.h"
#include "lib/syntax/parse.h"

ilex_array *
ilex_scan_self(ilex_context *ctx, ilex_dtype dtype, const char *domain)
{
    const ix_domain *dom =
        ix_parse_text_domain(ctx, domain ? domain : "", NULL, NULL);
    return ix_build_self(ctx, 0, dtype, false, dom);
}

/* The axis of the scan; -1 with an error. */
static int
axis_of(ilex_context *ctx, const char *axis, int count, ilex_array *const *self,
        ilex_array *const *value)
{
    if (!axis || !self || !value || count < 1) {
        ix_poison(ctx, "scan", -1, ILEX_E_ARGUMENT,
                  "scan: there is no axis (NULL) or no result");
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (!self[i] || !value[i] || self[i]->ctx != ctx ||
            value[i]->ctx != ctx) {
            const ilex_array *x =
                self[i] && self[i]->ctx == ctx ? value[i] : self[i];
            ix_poison_stranger(ctx, "scan", i, x, "result %d", i);
            return -1;
        }
    ilex_array *first =
        self[0]->kind == IX_SELF ? ix_self_inside(self[0]) : self[0];
    return ix_is_poison(first) ? -1
                               : ix_axis_of(first, "scan", axis, strlen(axis));
}

/* "forward" or "backward", and perhaps what combines chunks; false with an
 * error. */
static bool
read_direction(ilex_context *ctx, const char *direction, ix_scan_spec *spec)
{
    static const char *const way[] = {"forward", "backward"};
    for (int backward = 0; direction && backward < 2; backward++) {
        size_t length = strlen(way[backward]);
        if (strncmp(direction, way[backward], length) != 0)
            continue;
        for (int k = IX_COMBINE_NOT; k <= IX_COMBINE_PROD; k++)
            if (!strcmp(direction + length,
                        ix_combining_text((ix_combining)k))) {
                spec->backward = backward != 0;
                spec->chunks = (ix_combining)k;
                return true;
            }
    }
    return ix_poison_false(
        ctx, "scan", -1, ILEX_E_ARGUMENT,
        "scan: the direction '%.30s' is neither forward nor backward, nor one "
        "of these with \" chunked sum\" or \" chunked prod\"",
        direction ? direction : "NULL");
}

ilex_status
ilex_scan(ilex_context *ctx, const char *axis, const char *direction, int count,
          ilex_array *const *self, ilex_array *const *value,
          ilex_array **result)
{
    int k = axis_of(ctx, axis, count, self, value);
    ix_scan_spec spec = {
        .axis = k, .count = count, .self = self, .value = value};
    ilex_array *tuple = k >= 0 && read_direction(ctx, direction, &spec)
                            ? ix_build_scan(ctx, &spec)
                            : ix_poison_again(ctx);
    for (int i = 0; i < count && result; i++)
        result[i] = ix_build_result(tuple, i);
    return ix_is_poison(tuple) ? ctx->error.code : ILEX_OK;
}
