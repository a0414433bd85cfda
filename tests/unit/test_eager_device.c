/* SPDX-License-Identifier: MIT
 *
 * Eager operators on storages of host and device: where they compute, what is
 * refused, what is copied, where results lie. The device is a fake one.
 */
#define _GNU_SOURCE
#include <string.h>

#include "runtime/eager/eager.h"
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

/* How a storage can lie. */
enum { HOST, GPU, UNIFIED, CLEAN, DIRTY, NEWER, NUMBER, KINDS };

static ilex_storage *
make(int kind, double value)
{
    ilex_storage_spec p =
        SPEC(.rank = kind == NUMBER ? 0 : 1, .shape = SHAPE(4), .fill = &value);
    p.space = kind == GPU ? "device" : kind == UNIFIED ? "unified" : NULL;
    p.device = kind == CLEAN || kind == DIRTY || kind == NEWER ? "gpu" : NULL;
    ilex_storage *s = ilex_storage_new(ctx, &p);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    if (kind == CLEAN || kind == NEWER)
        ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    if (kind == NEWER)
        device_set(s, 1, value);
    return s;
}

/* Does "y" hold "value" everywhere? */
static bool
holds(const ilex_storage *y, double value)
{
    for (int i = 0; i < 4; i++)
        if (get(y, i) != value)
            return false;
    return true;
}

/* ---- where ---- */

/* Rows: two operands, what becomes of them. UNSUPPORTED is the device; what the
 * host has is computed with there, as no kernels can be made. */
static const struct {
    int a, b;
    ilex_status want;
} pairs[] = {
    {HOST, HOST, ILEX_OK},
    {HOST, NUMBER, ILEX_OK},
    {NUMBER, DIRTY, ILEX_OK},
    {DIRTY, DIRTY, ILEX_OK},
    {DIRTY, HOST, ILEX_OK},
    {HOST, DIRTY, ILEX_OK},
    {UNIFIED, HOST, ILEX_OK},
    {HOST, UNIFIED, ILEX_OK},
    {GPU, GPU, ILEX_E_UNSUPPORTED},
    {GPU, NUMBER, ILEX_E_UNSUPPORTED},
    {NUMBER, GPU, ILEX_E_UNSUPPORTED},
    {UNIFIED, UNIFIED, ILEX_OK},
    {UNIFIED, NUMBER, ILEX_OK},
    {UNIFIED, GPU, ILEX_E_UNSUPPORTED},
    {UNIFIED, DIRTY, ILEX_OK},
    {CLEAN, CLEAN, ILEX_OK},
    {CLEAN, NUMBER, ILEX_OK},
    {CLEAN, HOST, ILEX_OK},
    {HOST, CLEAN, ILEX_OK},
    {NEWER, HOST, ILEX_E_UNSUPPORTED},
    {NEWER, NEWER, ILEX_E_UNSUPPORTED},
    {DIRTY, CLEAN, ILEX_OK},
    {DIRTY, NEWER, ILEX_E_UNSUPPORTED},
    {DIRTY, GPU, ILEX_E_UNSUPPORTED},
    {DIRTY, UNIFIED, ILEX_OK},
    {HOST, GPU, ILEX_E_DEVICE},
    {GPU, HOST, ILEX_E_DEVICE},
};

/* Right values or an error, never a copy that nobody asked for. */
START_TEST(pair_of_operands)
{
    int a = pairs[_i].a, b = pairs[_i].b;
    ilex_storage *x[] = {make(a, 3), make(b, 4)};
    memset(fake.copies, 0, sizeof fake.copies);
    ilex_storage *y = ilex_eager(ctx, "multiply", 2, x, NULL);
    ck_assert_msg((y != NULL) == (pairs[_i].want == ILEX_OK), "%s",
                  ilex_error_text(ctx));
    ck_assert(y || strstr(ilex_error_text(ctx), "multiply") ||
              strstr(ilex_error_text(ctx), "operand"));
    ck_assert_int_eq(take_error(), pairs[_i].want);
    for (int d = 0; d < 4; d++)
        ck_assert_int_eq(fake.copies[d], 0);
    if (y) {
        int first = a == NUMBER ? b : a;
        bool pair = first == DIRTY || first == CLEAN;
        const char *want = pair               ? "software"
                           : first == UNIFIED ? "unified"
                                              : "none";
        ck_assert(holds(y, 12));
        ck_assert_str_eq(ilex_storage_managed(y), want);
        ck_assert_int_eq(ilex_storage_on_device(y), first != HOST);
        ck_assert_int_eq(ilex_storage_sync(y),
                         pair ? ILEX_SYNC_HOST_DIRTY : ILEX_SYNC_NONE);
        ck_assert(first == HOST || device_get(y, 2) == 12);
        ck_assert_int_eq(fake.copies[IX_HOST_TO_DEVICE], pair);
    }
    ilex_storage_release(y);
    ilex_storage_release(x[0]);
    ilex_storage_release(x[1]);
}
END_TEST

/* A reduction and an assignment choose as well. */
START_TEST(one_operand)
{
    static const ilex_status want[KINDS] = {
        [HOST] = ILEX_OK,    [GPU] = ILEX_E_UNSUPPORTED,
        [UNIFIED] = ILEX_OK, [CLEAN] = ILEX_OK,
        [DIRTY] = ILEX_OK,   [NEWER] = ILEX_E_UNSUPPORTED,
        [NUMBER] = ILEX_OK,
    };
    for (int kind = 0; kind < KINDS; kind++) {
        ilex_storage *x = make(kind, 3), *to = make(HOST, 0);
        ilex_storage *y = ilex_eager_reduce(ctx, "sum", x, NULL, NULL);
        double v = 0;
        ck_assert_int_eq(take_error(), want[kind]);
        ck_assert(!y || ilex_storage_get_f64(y, NULL, &v) == ILEX_OK);
        ck_assert(!y || v == (kind == NUMBER ? 3 : 12));
        const char *managed = kind == DIRTY || kind == CLEAN ? "software"
                              : kind == UNIFIED              ? "unified"
                                                             : "none";
        ck_assert(!y || strcmp(ilex_storage_managed(y), managed) == 0);
        ck_assert_int_eq(ilex_eager_assign(ctx, to, x), want[kind]);
        take_error();
        ck_assert(holds(to, want[kind] ? 0 : 3));
        ilex_storage_release(y);
        ilex_storage_release(x);
        ilex_storage_release(to);
    }
}
END_TEST

/* What the message advises works. */
START_TEST(ways_to_the_host)
{
    ilex_storage *x[] = {make(NEWER, 3), make(NEWER, 4)};
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, NULL));
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(ctx), "ilex_storage_set_host_modified"));
    take_error();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ilex_storage_synchronize(ctx, x[i]), ILEX_OK);
        ck_assert_int_eq(ilex_storage_set_host_modified(ctx, x[i]), ILEX_OK);
    }
    ilex_storage *y = ilex_eager(ctx, "add", 2, x, NULL);
    ck_assert(y && holds(y, 7));
    ck_assert_int_eq(ilex_storage_transfers(x[0]).implicit, 0);
    ilex_storage_release(y);
    for (int kind = GPU; kind <= NEWER; kind++) {
        ilex_storage *s = make(kind, 5), *h[] = {make(HOST, 0), make(HOST, 1)};
        ck_assert_int_eq(ilex_storage_assign(ctx, h[0], s), ILEX_OK);
        y = ilex_eager(ctx, "add", 2, h, NULL);
        ck_assert(y && holds(y, 6));
        ilex_storage *all[] = {s, h[0], h[1], y};
        for (size_t i = 0; i < IX_COUNT(all); i++)
            ilex_storage_release(all[i]);
    }
    ilex_storage_release(x[0]);
    ilex_storage_release(x[1]);
}
END_TEST

/* ---- results that are given ---- */

static int warnings;

static void
count_warnings(void *user, ilex_level level, const char *text)
{
    (void)user;
    warnings += level == ILEX_WARNING && strstr(text, "implicit copy");
}

/* Half of a result that is newer on the device: the other half is brought to
 * the host first, which is reported and counted. */
START_TEST(out_newer_on_the_device)
{
    ilex_context_spec spec = {.size = sizeof spec, .log = count_warnings};
    ilex_context *plain = ctx, *mine = ilex_context_new(&spec);
    ctx = mine;
    ilex_storage *out = make(NEWER, 9), *one = make(HOST, 1);
    ctx = plain;
    ilex_storage *half = ilex_storage_slice(mine, out, 0, 0, 2, 1);
    ilex_storage *small = ilex_storage_slice(mine, one, 0, 0, 2, 1);
    ilex_storage *x[] = {small, small};
    ilex_transfers before = ilex_storage_transfers(out);
    warnings = 0;
    ck_assert_ptr_eq(ilex_eager(mine, "add", 2, x, half), half);
    ck_assert_int_eq(warnings, 1);
    ilex_transfers after;
    ilex_storage_transfers_get(out, &after);
    ck_assert_int_eq(after.to_host, before.to_host + 1);
    ck_assert_int_eq(after.implicit, before.implicit + 1);
    ck_assert_int_eq(ilex_storage_sync(out), ILEX_SYNC_HOST_DIRTY);
    ck_assert(get(out, 0) == 2 && get(out, 1) == 2 && get(out, 2) == 9);

    /* both sides modified */
    ck_assert_int_eq(ilex_storage_set_device_modified(mine, out), ILEX_E_SYNC);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(mine), "both sides"));
    ilex_error_clear(mine);
    ck_assert(device_get(half, 1) == 2);
    ck_assert_int_eq(warnings, 2);
    ck_assert_ptr_eq(ilex_eager(mine, "add", 2, x, half), half);
    ck_assert_int_eq(warnings, 2);
    ilex_storage *all[] = {out, one, half, half, half, small};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
    ilex_context_free(mine);
}
END_TEST

START_TEST(strict_out)
{
    ilex_option_set(ctx, "transfers", "strict");
    ilex_storage *out = make(DIRTY, 9), *one = make(HOST, 1);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, out), ILEX_OK);
    device_set(out, 0, 9);
    ilex_storage *x[] = {one, one};
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, out));
    ck_assert_int_eq(take_error(), ILEX_E_TRANSFER);
    ck_assert_ptr_null(ilex_eager_reduce(ctx, "sum", one, "", out));
    ck_assert_int_eq(take_error(), ILEX_E_TRANSFER);
    ck_assert_int_eq(ilex_eager_assign(ctx, out, one), ILEX_E_TRANSFER);
    take_error();
    ck_assert_int_eq(ilex_storage_sync(out), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(device_get(out, 3) == 9);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, out), ILEX_OK);
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, out), out);
    ck_assert(get(out, 3) == 2);
    ck_assert_int_eq(ilex_storage_transfers(out).implicit, 0);
    ilex_storage *all[] = {out, out, one};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

START_TEST(out_elsewhere)
{
    ilex_storage *x[] = {make(HOST, 1), make(HOST, 2)}, *gpu = make(GPU, 5);
    ilex_storage *unified = make(UNIFIED, 5);
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, gpu));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "result's storage"));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_ptr_null(ilex_eager_reduce(ctx, "sum", x[0], "", gpu));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert(device_get(gpu, 1) == 5);
    ck_assert_ptr_nonnull(ilex_storage_device(ctx, unified, ILEX_WRITE));
    int waits = fake.waits;
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, unified), unified);
    ck_assert_int_eq(fake.waits, waits + 1);
    ck_assert(get(unified, 1) == 3);
    ilex_storage *fixed = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .fill = (const double[]){2},
                   .flags = ILEX_STORAGE_CONST));
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, fixed));
    ck_assert_int_eq(take_error(), ILEX_E_READONLY);
    ck_assert(get(fixed, 0) == 2);
    ilex_storage *all[] = {x[0], x[1], gpu, unified, unified, fixed};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* ---- memory of a user's preset ---- */

static int allocations;

static void *
allocate(void *user, size_t bytes)
{
    (void)user;
    allocations++;
    return malloc(bytes);
}

static void
release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

START_TEST(results_beside_a_preset)
{
    const ilex_storage_traits traits = {.size = sizeof traits,
                                        .version = ILEX_TRAITS_VERSION,
                                        .name = "pool_of_tests",
                                        .same_space = 1,
                                        .allocate = allocate,
                                        .free = release};
    ck_assert_int_eq(ilex_preset_register(ctx, &traits), ILEX_OK);
    ilex_storage *a = ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                                  .preset = "pool_of_tests",
                                                  .fill = (const double[]){2}));
    ck_assert_msg(a != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *x[] = {a, a}, *plain[] = {make(HOST, 1), a};
    allocations = 0;
    ilex_storage *y = ilex_eager(ctx, "add", 2, x, NULL);
    ck_assert(y && holds(y, 4));
    ck_assert_int_eq(allocations, 1);
    ilex_storage *z = ilex_eager(ctx, "add", 2, plain, NULL);
    ck_assert(z && holds(z, 3));
    ck_assert_int_eq(allocations, 1);
    ilex_storage *all[] = {a, plain[0], y, z};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_device");
    TCase *t = tcase_create("device");
    tcase_add_checked_fixture(t, open_device, close_device);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, pair_of_operands, 0, (int)IX_COUNT(pairs));
    tcase_add_test(t, one_operand);
    tcase_add_test(t, ways_to_the_host);
    tcase_add_test(t, out_newer_on_the_device);
    tcase_add_test(t, strict_out);
    tcase_add_test(t, out_elsewhere);
    tcase_add_test(t, results_beside_a_preset);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
