/* SPDX-License-Identifier: MIT
 *
 * 10,000 random specs: rank 0 to 4, axes with and without names, layouts as
 * words, numbers, maps, presets, masked axes, alignments of 1 to 4096 bytes,
 * aligned index, halo. Each storage lies inside its memory, is aligned where
 * it promises, has distinct elements, calls its initialiser once for each, and
 * survives printing, copying and slicing. ILEX_SEED gives another sequence.
 */
#define _GNU_SOURCE
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

enum { CASES = 10000, RANKS = 5, AXES = 4 };

/* A spec and the arrays that it points to; what was drawn, for messages. */
typedef struct sample {
    ilex_storage_spec spec;
    int64_t shape[AXES], halo[2 * AXES], aligned[AXES];
    int map[AXES], order[AXES], rank;
    unsigned char selector[AXES];
    char axes[64], layout[64];
    const char *how; /* the layout is given */
    int number;
    int64_t calls; /* of the initialiser */
} sample;

static int drawn[8]; /* how often each way was taken */

/* ---- drawing ---- */

/* The axes in a random order. */
static void
draw_order(sample *p)
{
    for (int k = 0; k < p->rank; k++)
        p->order[k] = k;
    for (int k = 0; k < p->rank; k++) {
        int other = k + (int)draw(p->rank - k), swap = p->order[k];
        p->order[k] = p->order[other];
        p->order[other] = swap;
    }
}

static void
draw_shape(sample *p)
{
    for (int k = 0; k < p->rank; k++) {
        p->shape[k] = draw(8) ? 1 + draw(p->rank > 2 ? 6 : 9) : draw(2);
        p->halo[2 * k] = draw(p->shape[k] + 1);
        p->halo[2 * k + 1] = draw(p->shape[k] - p->halo[2 * k] + 1);
        p->aligned[k] = p->shape[k] ? draw(p->shape[k]) : 0;
    }
}

/* Short names, long ones, or none. */
static void
draw_axes(sample *p)
{
    static const char *const names[2][AXES] = {{"K", "I", "J", "T"},
                                               {"Vertex", "I", "J+1/2", "Lv"}};
    int way = (int)draw(3);
    if (way == 2 || p->rank == 0)
        return;
    for (int k = 0; k < p->rank; k++) {
        strcat(p->axes, k ? ", " : "");
        strcat(p->axes, names[way][k]);
    }
    p->spec.axes = p->axes;
    drawn[6]++;
}

/* Words for the axes in the order drawn: names or numbers, among the names one
 * that the storage lacks. */
static void
draw_words(sample *p)
{
    char names[AXES][16] = {{0}}, *next = p->axes;
    for (int k = 0; k < p->rank && p->spec.axes; k++) {
        size_t n = strcspn(next, ",");
        memcpy(names[k], next, n);
        next += n + (next[n] ? 2 : 0);
    }
    for (int i = 0; i < p->rank; i++) {
        size_t n = strlen(p->layout);
        if (p->spec.axes)
            snprintf(p->layout + n, sizeof p->layout - n, "%s%s%s",
                     i ? "," : "", i == 1 ? "Absent," : "", names[p->order[i]]);
        else
            snprintf(p->layout + n, sizeof p->layout - n, "%s%d", i ? ", " : "",
                     p->order[i]);
    }
    p->spec.layout = p->rank ? p->layout : "C";
}

static void
draw_layout(sample *p)
{
    static const char *const presets[] = {
        "C", "F", "cpu_kfirst", "cpu_ifirst", "gt:cpu_ifirst", "dace:cpu"};
    static const char *const ways[] = {"fallback", "C or F", "words", "map",
                                       "preset"};
    int way = (int)draw(5), places = 0;
    if (way == 1)
        p->spec.layout = draw(2) ? "C" : "F";
    if (way == 2)
        draw_words(p);
    for (int k = 0; k < p->rank; k++)
        p->map[p->order[k]] = draw(6) ? places++ : -1;
    if (way == 3)
        p->spec.layout_map = p->map;
    if (way == 4)
        p->spec.preset = presets[draw((int64_t)IX_COUNT(presets))];
    for (int k = 0; k < p->rank; k++)
        p->selector[k] = draw(4) != 0;
    if ((way == 0 || way == 4) && draw(2)) {
        p->spec.selector = p->selector;
        p->spec.selector_count = draw(2) ? p->rank : 0;
        drawn[5]++;
    }
    p->how = ways[way];
    drawn[way]++;
}

/* The number that element "index" of "s" holds: as if all that share memory
 * were written, the last one wins. */
static int64_t
number_of(const ilex_storage *s, const int64_t *index)
{
    int64_t n = 0;
    for (int k = 0; k < s->rank; k++)
        n = n * s->shape[k] + (s->layout[k] < 0 ? s->shape[k] - 1 : index[k]);
    return n % 97;
}

/* Written before the storage is there: from the spec, and the masks, which
 * show as indices that never move. */
static void
write_number(void *user, const int64_t *index, void *element)
{
    sample *p = user;
    int64_t n = 0;
    for (int k = 0; k < p->rank; k++)
        n = n * p->shape[k] + index[k];
    const char *dtype = p->spec.dtype;
    n %= 97;
    p->calls++;
    if (!strcmp(dtype, "i16"))
        *(int16_t *)element = (int16_t)n;
    else if (!strcmp(dtype, "f32"))
        *(float *)element = (float)n;
    else if (!strcmp(dtype, "u8"))
        *(uint8_t *)element = (uint8_t)n;
    else
        memcpy(element, (double[]){(double)n, 0},
               strcmp(dtype, "f64") ? 16 : 8);
}

static void
draw_sample(sample *p, int number)
{
    static const char *const dtypes[] = {"u8", "i16", "f32", "f64", "c128"};
    memset(p, 0, sizeof *p);
    p->number = number;
    p->rank = (int)draw(20) ? 1 + (int)draw(AXES) : 0;
    draw_order(p);
    draw_shape(p);
    p->spec = (ilex_storage_spec){.size = sizeof p->spec,
                                  .dtype = dtypes[draw(5)],
                                  .rank = p->rank,
                                  .shape = p->shape,
                                  .initialize = write_number,
                                  .initialize_user = p};
    draw_axes(p);
    draw_layout(p);
    if (draw(4))
        p->spec.halo = p->halo;
    if (draw(4))
        p->spec.alignment =
            draw(2) ? (size_t)1 << draw(13) : 1 + (size_t)draw(4096);
    if (draw(2)) {
        p->spec.aligned_index = p->aligned;
        drawn[7]++;
    }
}

/* ---- properties ---- */

#define HOLDS(p, condition)                                                    \
    ck_assert_msg(condition, "case %d (rank %d, layout by %s): %s",            \
                  (p)->number, (p)->rank, (p)->how, #condition)

/* Goes on to the next index in C order; false behind the last one. */
static bool
step_index(const ilex_storage *s, int64_t *index)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        if (++index[k] < s->shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

static bool
holds_numbers(const ilex_storage *s)
{
    int64_t index[ILEX_MAX_RANK] = {0};
    if (ilex_storage_count(s) == 0)
        return true;
    do {
        if (ix_storage_real(s, index) != (double)number_of(s, index))
            return false;
    } while (step_index(s, index));
    return true;
}

/* Inside the memory, and no two elements that are not masked in one place. */
static void
check_place(const sample *p, const ilex_storage *s)
{
    const char *lo, *hi;
    ilex_storage real;
    int64_t want = 1;
    ix_storage_clone(&real, s);
    for (int k = 0; k < s->rank; k++) {
        if (s->layout[k] < 0) {
            HOLDS(p, s->stride[k] == 0);
            real.shape[k] = s->shape[k] ? 1 : 0;
        }
        want *= real.shape[k];
    }
    HOLDS(p, p->calls == want);
    HOLDS(p, !ix_storage_self_overlap(&real));
    int64_t bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    HOLDS(p, ilex_storage_bytes(s) == ilex_storage_count(s) * bytes);
    HOLDS(p, (int64_t)ilex_storage_allocated_bytes(s) >= want * bytes);
    if (!ix_storage_reach(s, &lo, &hi))
        return;
    HOLDS(p, lo >= s->memory->base);
    HOLDS(p, hi <= s->memory->base + s->memory->bytes);
}

/* The element at the aligned index, and each that shares its index on the
 * innermost axis. */
static void
check_alignment(const sample *p, const ilex_storage *s)
{
    int places = 0;
    int64_t index[ILEX_MAX_RANK] = {0};
    size_t own =
        ilex_dtype_bytes(s->dtype) > 8 ? 8 : ilex_dtype_bytes(s->dtype);
    for (int k = 0; k < s->rank; k++)
        places += s->layout[k] >= 0;
    if (p->spec.alignment > 1)
        HOLDS(p, s->alignment == p->spec.alignment);
    for (int k = 0; k < s->rank; k++)
        HOLDS(p, s->aligned[k] == (p->spec.aligned_index ? p->aligned[k]
                                   : p->spec.halo        ? p->halo[2 * k]
                                                         : 0) ||
                     s->shape[k] == 0 || s->aligned[k] == s->shape[k] - 1);
    if (ilex_storage_count(s) == 0)
        return;
    do {
        bool row = true;
        uintptr_t at = (uintptr_t)ilex_storage_at(s, index);
        for (int k = 0; k < s->rank; k++)
            row = row &&
                  (s->layout[k] != places - 1 || index[k] == s->aligned[k]);
        HOLDS(p, at % own == 0);
        HOLDS(p, !row || !s->alignment || at % s->alignment == 0);
    } while (step_index(s, index));
}

/* The numbers in the text are those of the elements, in C order. */
static void
check_print(const sample *p, const ilex_storage *s)
{
    static char text[40000];
    int64_t index[ILEX_MAX_RANK] = {0}, count = ilex_storage_count(s);
    bool whole = count <= 400 && (s->rank == 0 || s->shape[s->rank - 1] <= 12);
    size_t length = ilex_storage_print(s, text, sizeof text);
    HOLDS(p, length > 0 && length < sizeof text);
    HOLDS(p, strstr(text, ilex_dtype_name(s->dtype)) == text);
    const char *at = strchr(text, '\n');
    HOLDS(p, at != NULL);
    if (!whole || count == 0)
        return;
    do {
        at += strcspn(at, "0123456789");
        char *end;
        HOLDS(p, strtod(at, &end) == (double)number_of(s, index));
        at = end + strcspn(end, " ]\n");
    } while (step_index(s, index));
    HOLDS(p, at[strcspn(at, "0123456789")] == 0);
}

static void
check_copy(const sample *p, ilex_storage *s)
{
    ilex_storage *c = ilex_storage_copy(ctx, s);
    HOLDS(p, c != NULL);
    HOLDS(p, !ix_storage_overlap(s, c));
    HOLDS(p, c->dtype == s->dtype && c->rank == s->rank);
    HOLDS(p, c->alignment == s->alignment);
    for (int k = 0; k < s->rank; k++) {
        HOLDS(p, c->shape[k] == s->shape[k]);
        HOLDS(p, c->stride[k] == s->stride[k]);
        HOLDS(p, c->layout[k] == s->layout[k]);
        HOLDS(p, c->aligned[k] == s->aligned[k]);
        HOLDS(p, !memcmp(c->halo[k], s->halo[k], sizeof s->halo[k]));
        HOLDS(p, !strcmp(c->axis[k], s->axis[k]));
    }
    HOLDS(p, holds_numbers(c));
    check_alignment(p, c);
    ilex_storage_release(c);
}

/* One axis cut in two and joined, and reversed twice. */
static void
check_slices(const sample *p, ilex_storage *s)
{
    if (s->rank == 0)
        return;
    int k = (int)draw(s->rank);
    int64_t n = s->shape[k], cut = draw(n + 1);
    ilex_storage *to = ilex_storage_empty_like(ctx, s);
    ilex_storage *from[] = {ilex_storage_slice(ctx, s, k, 0, cut, 1),
                            ilex_storage_slice(ctx, s, k, cut, n, 1)};
    ilex_storage *half[] = {ilex_storage_slice(ctx, to, k, 0, cut, 1),
                            ilex_storage_slice(ctx, to, k, cut, n, 1)};
    for (int i = 0; i < 2; i++) {
        HOLDS(p, from[i] && half[i]);
        HOLDS(p, from[i]->halo[k][0] + from[i]->halo[k][1] <=
                     2 * from[i]->shape[k]);
        HOLDS(p, ilex_storage_assign(ctx, half[i], from[i]) == ILEX_OK);
    }
    HOLDS(p, holds_numbers(to));
    ilex_storage *back =
        n ? ilex_storage_slice(ctx, s, k, n - 1, -1, -1) : NULL;
    ilex_storage *again =
        back ? ilex_storage_slice(ctx, back, k, n - 1, -1, -1) : NULL;
    HOLDS(p, !n || again->data == s->data);
    HOLDS(p, !n || again->stride[k] == s->stride[k]);
    ilex_storage *step = ilex_storage_slice(ctx, s, k, 0, n, 3);
    HOLDS(p, step->shape[k] == (n + 2) / 3);
    for (int64_t i = 0; i < step->shape[k] && ilex_storage_count(s); i++) {
        int64_t a[ILEX_MAX_RANK] = {0}, b[ILEX_MAX_RANK] = {0};
        a[k] = i;
        b[k] = 3 * i;
        HOLDS(p, ilex_storage_at(step, a) == ilex_storage_at(s, b));
    }
    ilex_storage *all[] = {to,      from[0], from[1], half[0],
                           half[1], back,    again,   step};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}

START_TEST(random_specs)
{
    const char *text = getenv("ILEX_SEED");
    seed = text && *text ? strtoull(text, NULL, 10) : 1;
    for (int i = 0; i < CASES; i++) {
        static sample p;
        draw_sample(&p, i);
        ilex_storage *s = ilex_storage_new(ctx, &p.spec);
        ck_assert_msg(s != NULL, "case %d (rank %d, layout by %s '%s'): %s", i,
                      p.rank, p.how, p.layout, ilex_error_text(ctx));
        check_place(&p, s);
        HOLDS(&p, holds_numbers(s));
        check_alignment(&p, s);
        check_print(&p, s);
        check_copy(&p, s);
        check_slices(&p, s);
        ilex_storage_release(s);
    }
    for (size_t i = 0; i < IX_COUNT(drawn); i++)
        ck_assert_int_gt(drawn[i], CASES / 10);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_random");
    TCase *tests = tcase_create("properties");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, random_specs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
