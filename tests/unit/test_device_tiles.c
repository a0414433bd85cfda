/* SPDX-License-Identifier: MIT
 *
 * What is read across is done in tiles on a device, whose blocks of threads
 * exchange elements: the bits of the reference, whichever thread is first.
 */
#include "tests/unit/grid_fixture.h"

/* What is made of x, of a dtype and lengths; y's lengths; does a block of
 * threads do a point together? */
static const struct tile {
    const char *name;
    ilex_dtype dtype;
    int rank;
    int64_t n[4], y[4];
    ix_team team;
    const char *text;
} tiles[] = {
    {"tiles and rests",
     ILEX_F64,
     2,
     {70, 45},
     {45, 70},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"a tile",
     ILEX_F64,
     2,
     {32, 32},
     {32, 32},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"one more",
     ILEX_F32,
     2,
     {33, 65},
     {65, 33},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"an element",
     ILEX_F32,
     2,
     {1, 1},
     {1, 1},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"no element",
     ILEX_F32,
     2,
     {0, 3},
     {3, 0},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"bytes",
     ILEX_I8,
     2,
     {40, 99},
     {99, 40},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"complex",
     ILEX_C64,
     2,
     {35, 40},
     {40, 35},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"large elements",
     ILEX_C128,
     2,
     {35, 40},
     {40, 35},
     IX_TEAM_BLOCK,
     "out y = transpose(x)\n"},
    {"batches",
     ILEX_F32,
     3,
     {3, 40, 35},
     {3, 35, 40},
     IX_TEAM_BLOCK,
     "out y = transpose(x; axes=[0, 2, 1])\n"},
    {"the first axis",
     ILEX_F32,
     3,
     {40, 3, 35},
     {35, 3, 40},
     IX_TEAM_BLOCK,
     "out y = transpose(x; axes=[2, 1, 0])\n"},
    {"several outer axes",
     ILEX_F32,
     4,
     {2, 3, 40, 33},
     {3, 2, 33, 40},
     IX_TEAM_BLOCK,
     "out y = transpose(x; axes=[1, 0, 3, 2])\n"},
    {"as it lies, too",
     ILEX_F64,
     2,
     {50, 50},
     {50, 50},
     IX_TEAM_NONE,
     "out y = x + 2.0*transpose(x)\n"},
    {"places beside each other",
     ILEX_F64,
     2,
     {51, 53},
     {50, 50},
     IX_TEAM_BLOCK,
     "map v[i:50, j:50] = x[j, i+3] - x[j+1, i]*x[j, i]\nout y = v\n"},
    {"a part",
     ILEX_F64,
     2,
     {50, 60},
     {40, 33},
     IX_TEAM_BLOCK,
     "map v[i:40, j:33] = x[j+3, i+7]\nout y = v\n"},
    {"conditions",
     ILEX_F64,
     2,
     {50, 60},
     {60, 50},
     IX_TEAM_BLOCK,
     "map v[i:60, j:50] = where(x[j, i] < 40.0, x[j, i], 3.0)\nout y = v\n"},
    {"integers that are data",
     ILEX_I64,
     2,
     {50, 50},
     {50, 50},
     IX_TEAM_NONE,
     "map v[i:50, j:50] = x[j, abs(x[i, j])%50]\nout y = v\n"},
    {"few rows",
     ILEX_F64,
     2,
     {50, 2},
     {2, 50},
     IX_TEAM_NONE,
     "map v[i:2, j:50] = x[j, i]\nout y = v\n"},
};

static size_t
size_of(const struct tile *t, const int64_t *n)
{
    size_t size = ilex_dtype_bytes(t->dtype);
    for (int i = 0; i < t->rank; i++)
        size *= (size_t)n[i];
    return size;
}

/* Small integers, as parts of that dtype. */
static ilex_storage *
some_elements(const struct tile *t)
{
    ilex_storage *x = ilex_storage_zeros(ctx, t->dtype, t->rank, t->n);
    void *v = ilex_storage_data(x);
    bool complex = ix_dtype_is_complex(t->dtype);
    ilex_dtype part = ix_dtype_part(t->dtype);
    size_t n = size_of(t, t->n) / ilex_dtype_bytes(part);
    for (size_t i = 0; i < n; i++) {
        int value = (int)(i * 7 + i / 128 * 11) % 127 - complex * 60;
        if (part == ILEX_F64)
            ((double *)v)[i] = value;
        else if (part == ILEX_F32)
            ((float *)v)[i] = (float)value;
        else if (part == ILEX_I64)
            ((int64_t *)v)[i] = value;
        else
            ((int8_t *)v)[i] = (int8_t)value;
    }
    return x;
}

static ilex_storage *
result_of(const void *tile, ilex_program *p)
{
    const struct tile *t = tile;
    ilex_storage *x = some_elements(t);
    ilex_storage *y = ilex_storage_zeros(ctx, t->dtype, t->rank, t->y);
    ilex_binding b[2] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    run_program(p, b, 2);
    ilex_storage_release(x);
    return y;
}

START_TEST(as_the_reference)
{
    const struct tile *t = &tiles[_i];
    char text[300], lengths[60] = "";
    bool known = strstr(t->text, "map");
    for (int i = 0; i < t->rank; i++)
        snprintf(lengths + strlen(lengths), sizeof lengths - strlen(lengths),
                 known ? "%s%lld" : "%sn%lld", i ? ", " : "",
                 (long long)(known ? t->n[i] : i));
    snprintf(text, sizeof text,
             "ilex 1\nprogram tiles\n%s%s%s\nin x : %s[%s]\n%s",
             known ? "" : "size ", known ? "" : lengths,
             strstr(t->text, "+ 2.0") ? "\nassume n0 == n1" : "",
             ilex_dtype_name(t->dtype), lengths, t->text);
    ilex_program *p =
        compare_on_device(t->name, text, result_of, t, size_of(t, t->y));
    ck_assert_msg(p->c->kernel[0].team == t->team, "%s: team %d", t->name,
                  (int)p->c->kernel[0].team);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("device_tiles");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, as_the_reference, 0, (int)IX_COUNT(tiles));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
