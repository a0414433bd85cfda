/* SPDX-License-Identifier: MIT
 *
 * Where the buffers of a storage go: device, management and memory space, each
 * given, or from the preset, from `like` or the buffers given, or the
 * fallback; then which buffers that means, and what contradicts it.
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

#include "runtime/storage/preset.h"

typedef struct word {
    const char *text;
    ix_source source;
} word;

/* "given", else what the preset says. */
static word
first_word(const char *given, const char *preset)
{
    if (given)
        return (word){given, IX_SOURCE_GIVEN};
    return (word){preset, preset ? IX_SOURCE_PRESET : IX_SOURCE_DEFAULT};
}

static ilex_status
parse_device(const char *text, bool *device, int *index, ix_error *err)
{
    *device = strcmp(text, "cpu") != 0;
    *index = 0;
    if (!*device || strcmp(text, "gpu") == 0 || strcmp(text, "cuda") == 0)
        return ILEX_OK;
    size_t digits =
        strncmp(text, "cuda:", 5) == 0 ? strspn(text + 5, "0123456789") : 0;
    if (digits == 0 || digits > 4 || text[5 + digits])
        return ix_fail(err, ILEX_E_UNKNOWN,
                       "storage: device '%.40s' is unknown; give \"cpu\", "
                       "\"gpu\" or \"cuda:0\"",
                       text);
    *index = atoi(text + 5);
    return ILEX_OK;
}

static ilex_status
parse_managed(const char *text, ix_managed *managed, ix_error *err)
{
    static const struct {
        const char *text;
        ix_managed managed;
    } words[] = {{"none", IX_MANAGED_NONE},
                 {"software", IX_MANAGED_SOFTWARE},
                 {"gt4py", IX_MANAGED_SOFTWARE},
                 {"unified", IX_MANAGED_UNIFIED},
                 {"cuda", IX_MANAGED_UNIFIED}};
    for (size_t i = 0; i < IX_COUNT(words); i++)
        if (strcmp(words[i].text, text) == 0) {
            *managed = words[i].managed;
            return ILEX_OK;
        }
    return ix_fail(err, ILEX_E_UNKNOWN,
                   "storage: managed '%.40s' is unknown; give \"none\", "
                   "\"software\" or \"unified\"",
                   text);
}

static ilex_status
parse_space(const char *text, ix_space *space, ix_error *err)
{
    if (ix_space_find(text, space))
        return ILEX_OK;
    return ix_fail(err, ILEX_E_UNKNOWN,
                   "storage: memory space '%.40s' is unknown; give "
                   "\"normal\", \"hugepage\", \"pinned\", \"unified\" or "
                   "\"device\"",
                   text);
}

/* What a storage or the words say; a space that is given implies the rest. */
typedef struct wish {
    const ilex_storage_spec *p;
    word device, managed, space;
    bool space_given;
    ix_space given_space;
} wish;

static ilex_status
find_device(const wish *w, ix_placement *place, ilex_storage *s, ix_error *err)
{
    const ix_memory *like = w->p->like ? w->p->like->memory : NULL;
    unsigned char *source = &s->source[IX_PROPERTY_DEVICE];
    *source = (unsigned char)w->device.source;
    if (w->device.source != IX_SOURCE_GIVEN && w->space_given &&
        ix_space_on_device(w->given_space)) {
        *source = IX_SOURCE_GIVEN;
        place->device = true;
    } else if (w->device.text) {
        return parse_device(w->device.text, &place->device,
                            &place->device_index, err);
    } else if (like) {
        *source = IX_SOURCE_LIKE;
        place->device = ix_memory_on_device(like);
        place->device_index = like->device_index;
    } else if (w->p->device_data) {
        *source = IX_SOURCE_DATA;
        place->device = true;
    }
    return ILEX_OK;
}

static ilex_status
find_managed(const wish *w, ix_placement *place, ilex_storage *s, ix_error *err)
{
    const ix_memory *like = w->p->like ? w->p->like->memory : NULL;
    unsigned char *source = &s->source[IX_PROPERTY_MANAGED];
    *source = (unsigned char)w->managed.source;
    place->managed = place->device ? IX_MANAGED_SOFTWARE : IX_MANAGED_NONE;
    bool given = w->managed.source == IX_SOURCE_GIVEN;
    if (!given && w->space_given && ix_space_on_device(w->given_space)) {
        *source = IX_SOURCE_GIVEN;
        place->managed = w->given_space == IX_SPACE_UNIFIED ? IX_MANAGED_UNIFIED
                                                            : IX_MANAGED_NONE;
    } else if (w->managed.text) {
        ilex_status rc = parse_managed(w->managed.text, &place->managed, err);
        if (rc)
            return rc;
    } else if (like && ix_memory_on_device(like) == place->device) {
        *source = IX_SOURCE_LIKE;
        place->managed = like->managed;
    } else if (w->p->device_data && !w->p->data) {
        *source = IX_SOURCE_DATA;
        place->managed = IX_MANAGED_NONE;
    }
    if (!place->device)
        place->managed = IX_MANAGED_NONE;
    return ILEX_OK;
}

/* The space that device and management alone mean. */
static ix_space
usual_space(const ix_placement *place, const ilex_storage_spec *p)
{
    if (place->managed == IX_MANAGED_UNIFIED)
        return IX_SPACE_UNIFIED;
    bool wrapped = p->data && !(p->flags & ILEX_STORAGE_COPY);
    bool only_device =
        place->device && place->managed == IX_MANAGED_NONE && !wrapped;
    return only_device ? IX_SPACE_DEVICE : IX_SPACE_NORMAL;
}

/* May the storage be in "space", given the usual one? */
static bool
space_fits(ix_space space, ix_space usual)
{
    return usual == IX_SPACE_NORMAL ? !ix_space_on_device(space)
                                    : space == usual;
}

static ilex_status
find_space(const wish *w, ix_placement *place, ilex_storage *s, ix_error *err)
{
    const ix_memory *like = w->p->like ? w->p->like->memory : NULL;
    unsigned char *source = &s->source[IX_PROPERTY_SPACE];
    ix_space usual = usual_space(place, w->p), space = usual;
    *source = IX_SOURCE_DEFAULT;
    if (w->space_given) {
        *source = IX_SOURCE_GIVEN;
        space = w->given_space;
    } else if (w->space.text && ix_space_find(w->space.text, &space) &&
               space_fits(space, usual)) {
        *source = IX_SOURCE_PRESET;
    } else if (like && like->host.base && space_fits(like->host.space, usual)) {
        *source = IX_SOURCE_LIKE;
        space = like->host.space;
    } else {
        space = usual;
    }
    if (!space_fits(space, usual))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: memory space \"%s\" contradicts `device` and "
                       "`managed`, which mean \"%s\"",
                       ix_space_name(space), ix_space_name(usual));
    place->space = space;
    return ILEX_OK;
}

/* The traits whose memory the storage gets: of the preset, else of `like` if
 * nothing that is given speaks of memory. */
static const ilex_storage_traits *
find_traits(const ilex_storage_spec *p, const ix_preset *preset)
{
    if (preset->name || !p->like || p->device || p->managed || p->space)
        return preset->traits;
    const ix_memory *like = p->like->memory;
    return like->device.traits ? like->device.traits : like->host.traits;
}

ilex_status
ix_storage_place(const ilex_storage_spec *p, const ix_preset *preset,
                 ix_placement *place, ilex_storage *s, ix_error *err)
{
    const ix_preset none = {0};
    const ix_preset *row = preset ? preset : &none;
    wish w = {.p = p,
              .device = first_word(p->device, row->device),
              .managed = first_word(p->managed, row->managed),
              .space = first_word(p->space, row->space)};
    *place = (ix_placement){.traits = find_traits(p, row)};
    ilex_status rc = ILEX_OK;
    if (p->space) {
        w.space_given = true;
        rc = parse_space(p->space, &w.given_space, err);
    }
    rc = rc ? rc : find_device(&w, place, s, err);
    rc = rc ? rc : find_managed(&w, place, s, err);
    rc = rc ? rc : find_space(&w, place, s, err);
    if (rc)
        return rc;
    if (p->device_data && !place->device)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: `device_data` is given, but the device is "
                       "\"cpu\"; drop one of them");
    if (place->device && place->managed == IX_MANAGED_NONE && p->data &&
        !p->device_data && !(p->flags & ILEX_STORAGE_COPY))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: `data` is host memory, and the storage is to "
                       "be on the device only; give `device_data`, or "
                       "ILEX_STORAGE_COPY");
    place->host = place->space != IX_SPACE_DEVICE;
    place->device = place->device && place->managed != IX_MANAGED_UNIFIED;
    bool two = place->host && place->device;
    if (row->traits && (row->traits->same_space ? place->device : !two))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: preset '%.40s' brings memory of its own; drop "
                       "`device`, `managed` and `space`",
                       row->name);
    return ILEX_OK;
}
