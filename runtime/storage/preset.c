/* SPDX-License-Identifier: MIT
 *
 * Presets: the built-in ones follow the meaning of the axes I, J and K; those
 * of users bring functions for layout, memory and copies. What was registered
 * stays until the process ends, since storages refer to it.
 */
#include "runtime/storage/preset.h"

#include <stdlib.h>

#include "lib/graph/context.h"

enum { forward = false, reversed = true, MAX_TRAITS = 64 };

static const ix_preset built_in[] = {
#define IX_PRESET(text, order, others, alignment, space, device, managed)      \
    {text, order, others, alignment, space, device, managed, NULL},
#include "runtime/storage/presets.def"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ilex_storage_traits *registered[MAX_TRAITS];
static int nregistered;

/* ---- finding ---- */

static const ix_preset *
find_built_in(const char *name)
{
    for (size_t i = 0; i < IX_COUNT(built_in); i++)
        if (strcmp(built_in[i].name, name) == 0)
            return &built_in[i];
    return NULL;
}

/* The lock is held. */
static const ilex_storage_traits *
find_registered(const char *name)
{
    for (int i = 0; i < nregistered; i++)
        if (strcmp(registered[i]->name, name) == 0)
            return registered[i];
    return NULL;
}

ilex_status
ix_preset_find(const char *name, ix_preset *preset, ix_error *err)
{
    const ix_preset *row = find_built_in(name);
    if (row) {
        *preset = *row;
        return ILEX_OK;
    }
    pthread_mutex_lock(&lock);
    const ilex_storage_traits *t = find_registered(name);
    pthread_mutex_unlock(&lock);
    if (!t)
        return ix_fail(err, ILEX_E_UNKNOWN,
                       "storage: there is no preset '%.40s'; give for example "
                       "\"C\", \"F\", \"cpu_kfirst\", \"cpu_ifirst\" or "
                       "\"gpu\", or register one with ilex_preset_register",
                       name);
    *preset = (ix_preset){.name = t->name,
                          .alignment = t->alignment ? t->alignment : 1,
                          .space = "normal",
                          .device = t->same_space ? "cpu" : "gpu",
                          .managed = t->same_space ? "none" : "software",
                          .traits = t};
    return ILEX_OK;
}

/* ---- layouts ---- */

/* Is axis "k" the one that "letter" stands for? */
static bool
means(const ilex_storage *s, bool by_name, int k, char letter)
{
    if (!by_name)
        return k == letter - 'I';
    return ix_axis_find(1, &s->axis[k], &letter, 1) == 0;
}

static bool
has_cartesian_name(const ilex_storage *s)
{
    for (int k = 0; k < s->rank; k++)
        for (char letter = 'I'; letter <= 'K'; letter++)
            if (means(s, true, k, letter))
                return true;
    return false;
}

/* Further axes outermost, then I, J and K in the order of the preset. */
static void
layout_by_meaning(const ix_preset *preset, ilex_storage *s)
{
    bool used[ILEX_MAX_RANK] = {0}, by_name = has_cartesian_name(s);
    int place = s->rank;
    for (size_t i = strlen(preset->order); i-- > 0;)
        for (int k = s->rank - 1; k >= 0; k--)
            if (!used[k] && means(s, by_name, k, preset->order[i])) {
                used[k] = true;
                s->layout[k] = --place;
            }
    for (int i = 0; i < s->rank; i++) {
        int k = preset->reversed ? i : s->rank - 1 - i;
        if (!used[k])
            s->layout[k] = --place;
    }
}

ilex_status
ix_preset_layout(const ix_preset *preset, ilex_storage *s, ix_error *err)
{
    const ilex_storage_traits *t = preset->traits;
    int map[ILEX_MAX_RANK];
    bool in_order = preset->order && !preset->order[1];
    for (int k = 0; k < s->rank; k++)
        map[k] = k;
    if (preset->order && !in_order) {
        layout_by_meaning(preset, s);
        return ILEX_OK;
    }
    for (int k = 0; k < s->rank && in_order && *preset->order == 'F'; k++)
        map[k] = s->rank - 1 - k;
    if (t && t->layout)
        t->layout(t->user, s->rank, map);
    return ix_storage_set_layout_map(s, map, err);
}

/* ---- registering ---- */

static ilex_status
check_traits(const ilex_storage_traits *t, ix_error *err)
{
    if (!t || t->size < sizeof *t || t->version != ILEX_TRAITS_VERSION)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "preset: the traits are NULL or of another version; "
                       "start them with .size = sizeof(ilex_storage_traits), "
                       ".version = ILEX_TRAITS_VERSION (%d)",
                       ILEX_TRAITS_VERSION);
    if (!t->name || !ix_name_check(err, "preset", t->name, strlen(t->name)))
        return t->name ? ILEX_E_NAME
                       : ix_fail(err, ILEX_E_NAME, "preset: it has no name");
    if (!t->allocate || !t->free ||
        (!t->same_space && (!t->update_target || !t->update_host)))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "preset '%.40s': allocate and free are needed, and with "
                       "two spaces update_target and update_host",
                       t->name);
    if (t->alignment > IX_ALIGNMENT_MOST)
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "preset '%.40s': alignment %zu is more than 2^30 bytes; "
                       "take for example 64",
                       t->name, t->alignment);
    return ILEX_OK;
}

/* A copy of "t" with its name, for good. */
static ilex_storage_traits *
copy_traits(const ilex_storage_traits *t)
{
    size_t n = strlen(t->name) + 1;
    ilex_storage_traits *copy = malloc(sizeof *copy + n);
    if (copy) {
        *copy = *t;
        copy->name = memcpy(copy + 1, t->name, n);
    }
    return copy;
}

ilex_status
ilex_preset_register(ilex_context *ctx, const ilex_storage_traits *traits)
{
    ix_error *err = ix_storage_error(ctx);
    ilex_status rc = check_traits(traits, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    if (find_built_in(traits->name) || find_registered(traits->name))
        rc = ix_fail(err, ILEX_E_DUPLICATE,
                     "preset '%.40s' exists already; choose another name",
                     traits->name);
    else if (nregistered == MAX_TRAITS)
        rc = ix_fail(err, ILEX_E_LIMIT, "preset: %d are registered already",
                     MAX_TRAITS);
    else if (!(registered[nregistered] = copy_traits(traits)))
        rc = ix_fail_memory(err);
    else
        nregistered++;
    pthread_mutex_unlock(&lock);
    return rc;
}
