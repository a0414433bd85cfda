/* SPDX-License-Identifier: MIT
 *
 * A device of one's own, which is host memory: traits whose functions check
 * that they are called with the same `user`.
 */
#ifndef ILEX_TESTS_TRAITS_FIXTURE_H
#define ILEX_TESTS_TRAITS_FIXTURE_H

#include "tests/unit/storage_fixture.h"

/* Every function of the device is called with the same `user`. */
static int updates;
static bool out_of_order;

static int
update_target(void *user, void *target, const void *host, size_t bytes)
{
    ck_assert_ptr_eq(user, &updates);
    updates++;
    if (!out_of_order)
        memcpy(target, host, bytes);
    return out_of_order;
}

static int
update_host(void *user, void *host, const void *target, size_t bytes)
{
    ck_assert_ptr_eq(user, &updates);
    updates++;
    memcpy(host, target, bytes);
    return 0;
}

enum { BESIDE = 64 }; /* bytes that blocks lie beside their alignment */

static void *
allocate_beside(void *user, size_t bytes)
{
    ck_assert_ptr_eq(user, &updates);
    char *block = aligned_alloc(256, (bytes + BESIDE + 255) / 256 * 256);
    return block ? block + BESIDE : NULL;
}

static void
free_beside(void *user, void *block, size_t bytes)
{
    ck_assert_ptr_eq(user, &updates);
    memset(block, 0xcb, bytes);
    free((char *)block - BESIDE);
}

/* The device counts its elements from the last one. */
static void
view_from_the_end(void *user, ilex_view *view)
{
    ck_assert_ptr_eq(user, &updates);
    for (int k = 0; k < view->rank; k++) {
        view->data =
            (double *)view->data + (view->shape[k] - 1) * view->stride[k];
        view->stride[k] *= -1;
    }
}

static void
reversed(void *user, int rank, int *place)
{
    ck_assert_ptr_eq(user, &updates);
    for (int k = 0; k < rank; k++)
        place[k] = rank - 1 - k;
}

/* The presets of a GPU, without one: traits with the same layout. */
static const ilex_storage_traits mine = {.size = sizeof mine,
                                         .version = ILEX_TRAITS_VERSION,
                                         .name = "my_device",
                                         .user = &updates,
                                         .alignment = 128,
                                         .layout = reversed,
                                         .allocate = allocate_beside,
                                         .free = free_beside,
                                         .update_target = update_target,
                                         .update_host = update_host,
                                         .target_view = view_from_the_end};

static void
register_once(void)
{
    ilex_status rc = ilex_preset_register(ctx, &mine);
    ck_assert(rc == ILEX_OK || take_error() == ILEX_E_DUPLICATE);
}

#endif
