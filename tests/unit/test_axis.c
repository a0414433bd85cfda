/* SPDX-License-Identifier: MIT
 *
 * A staggered axis has one name: everywhere an axis is named, I+1/2 is read,
 * and I where there is no axis I itself.
 */
#include "ilex/domain.h"
#include "ilex/eager.h"
#include "ilex/kinds.h"
#include "ilex/storage.h"
#include "lib/base/axis.h"
#include "tests/unit/graph_fixture.h"

static const char *const half = "I+1/2", *const plain = "I";

START_TEST(names)
{
    static const char *const name[] = {"K", "I+1/2", "J+1/2", "J", ""};
    static const struct {
        const char *text;
        int axis;
    } row[] = {{"K", 0},     {"I+1/2", 1},     {"I", 1},      {"J", 3},
               {"J+1/2", 2}, {"", -1},         {"K+1/2", -1}, {"I+1", -1},
               {"i", -1},    {"I+1/2+1/2", -1}};
    for (size_t i = 0; i < IX_COUNT(row); i++)
        ck_assert_msg(ix_axis_find(5, name, row[i].text, strlen(row[i].text)) ==
                          row[i].axis,
                      "'%s'", row[i].text);
    ck_assert_int_eq(ix_axis_find(5, name, "K, I", 1), 0);
}
END_TEST

/* ---- text ---- */

/* Places where text names an axis: ~ is what is written, ^ what it is. */
static const char *const places[] = {
    "in x : f64[^:n] halo(~:1:1)\nout y = x",
    "map y[^:n, K:n] valid(~:n, K:n+1) = u[_0, K]\nout z = y",
    "out y = u[~=3]",
    "out y = u[~=2:5]",
    "out y = u[K+1, ~=3:]",
    "out y = update(w[~=1:5, K=1:5], v)",
    "out y = sum[~](u)",
    "out y = sum[~=1:4](u)",
    "out y = max[K, ~](u; initial=0.0)",
    "out y = var[~](u)",
    "out y = cumsum(w; axis=~)",
    "out y = roll(u; axis=~, by=1)",
    "out y = flip(w; axes=[K, ~])",
    "out y = count_nonzero(u; axes=[~])",
    "node y = roll(u; axis=~, by=1)\nout z = y",
    "in c : i32[V:5, L:2] -> ~ skip -1\nout y = sum[L](remap(u, c))",
    "in c : i32[V:5, L:2]\nout y = remap(u, c; to=~)",
    "out y = concat_where(~ < 3, u, 2.0*u)",
    "out y = concat_where(3 > index(~) || K == 1 && ~ != 4, u, 2.0*u)",
    "let g = 2.0*u @tile[~](8)\nout y = g",
    "let g = sum[^](u) @unroll[~](4)\nout y = g",
    "scan ~ forward s : f64[^:n, K:n] = u\nout y = s",
    "scan ~ backward s[^=i:n, K:n] = u[i, K]\nout y = s",
    "map y[^=i:n, K:n] = u[i, K]*f64(index(~))\nout z = y",
};

/* The place with the axis "is" of which "written" is written. */
static ilex_module *
place(const char *text, const char *is, const char *written)
{
    char program[1000];
    size_t n = (size_t)snprintf(
        program, sizeof program,
        "ilex 1\nprogram p\nsize n\nassume n >= 6\nin u : f64[%s:n, K:n] "
        "halo(K:0:1)\nin v : f64[%s:1:5, K:1:5]\nlet w = u[K=0:n]\n",
        is, is);
    for (const char *p = text; *p; p++)
        n += (size_t)snprintf(program + n, sizeof program - n,
                              *p == '^'   ? "%s"
                              : *p == '~' ? "%s"
                                          : "%.1s",
                              *p == '^'   ? is
                              : *p == '~' ? written
                                          : p);
    return ilex_module_parse(ctx, program, NULL);
}

static char *
printed(const char *text, const char *is, const char *written)
{
    ilex_module *m = place(text, is, written);
    ck_assert_msg(m != NULL, "%s with '%s': %s", text, written,
                  ilex_error_text(ctx));
    char *canonical = ilex_module_print(m);
    ilex_module_free(m);
    return canonical;
}

static void
check_place(const char *at)
{
    char *full = printed(at, half, half), *shortened = printed(at, half, plain);
    ck_assert_str_eq(full, shortened);
    free(printed(at, plain, plain));
    ck_assert_msg(!place(at, plain, half), "%s", at);
    ck_assert_msg(ilex_error_code(ctx) == ILEX_E_AXIS &&
                      strstr(ilex_error_text(ctx), ":n"),
                  "%s: %s", at, ilex_error_text(ctx));
    ilex_error_clear(ctx);
    free(full);
    free(shortened);
}

/* A tag's axis is one of the array or one that it reduces, whichever is called
 * so. */
START_TEST(tags)
{
    ilex_array *e = ilex_input(ctx, "e", ILEX_F64, "I+1/2:9"),
               *u = ilex_input(ctx, "u", ILEX_F64, "I:9"),
               *x = ilex_map(ctx, "I+1/2:9", "e[_0]*sum[s:9](u[s])", "e", e,
                             "u", u, NULL);
    char tag[20];
    check_fine();
    ck_assert(!ilex_tag(x, "tile[I](4)") && !ilex_tag(x, "tile[I+1/2](8)"));
    ilex_tag_text(x, 0, tag, sizeof tag);
    ck_assert_str_eq(tag, "tile[_r0](4)");
    ilex_tag_text(x, 1, tag, sizeof tag);
    ck_assert_str_eq(tag, "tile[I+1/2](8)");
}
END_TEST

START_TEST(text)
{
    for (size_t i = 0; i < IX_COUNT(places); i++)
        check_place(places[i]);
}
END_TEST

/* ---- C ---- */

#define CALL(name, ...)                                                        \
    static ilex_array *name(ilex_array *x, const char *axis)                   \
    {                                                                          \
        (void)x;                                                               \
        return __VA_ARGS__;                                                    \
    }
CALL(shift, ilex_shift(x, axis, 1))
CALL(shift_halves, ilex_shift_halves(x, axis, 1))
CALL(shift_by, ilex_shift_by(x, axis, ilex_i64(x->ctx, 1), "wrap", NULL))
CALL(sum, ilex_sum(x, axis, 0))
CALL(standard, ilex_std(x, axis, 0, 0))
CALL(reduced, ilex_reduce(x, "max", axis, 0, NULL, NULL))
CALL(cumsum, ilex_cumsum(x, axis, 0))
CALL(roll, ilex_roll(x, axis, "1"))
CALL(flip, ilex_flip(x, axis))
CALL(nonzero, ilex_count_nonzero(x, axis))

static const struct call {
    const char *name;
    ilex_array *(*call)(ilex_array *x, const char *axis);
} calls[] = {
    {"shift", shift},       {"shift_halves", shift_halves},
    {"shift_by", shift_by}, {"sum", sum},
    {"std", standard},      {"reduce", reduced},
    {"cumsum", cumsum},     {"roll", roll},
    {"flip", flip},         {"count_nonzero", nonzero},
};

static void
check_call(const struct call *c)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I+1/2:9, K:9");
    ck_assert_ptr_eq(c->call(x, half), c->call(x, plain));
    check_fine();
    x = ilex_input(ctx, "y", ILEX_F64, "I:9, K:9");
    c->call(x, plain);
    check_fine();
    ck_assert_msg(ilex_is_poison(c->call(x, half)), "%s", c->name);
    ck_assert_msg(strstr(ilex_error_text(ctx), "in [I:9, K:9]"), "%s: %s",
                  c->name, ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
}

START_TEST(arrays)
{
    for (size_t i = 0; i < IX_COUNT(calls); i++)
        check_call(&calls[i]);
}
END_TEST

START_TEST(boxes)
{
    const ilex_domain *d = ilex_domain_parse(ctx, "I+1/2:9, K:9");
    ck_assert_ptr_eq(ilex_domain_restrict(ctx, d, "I=1:3"),
                     ilex_domain_restrict(ctx, d, "I+1/2=1:3"));
    ck_assert_ptr_eq(ilex_domain_slice(ctx, d, "I=1:-1"),
                     ilex_domain_slice(ctx, d, "I+1/2=1:-1"));
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I+1/2=8, ..."), 1);
    ck_assert_int_eq(ilex_domain_contains(ctx, d, "I=9, ..."), 0);
    check_fine();
    d = ilex_domain_parse(ctx, "I:9");
    ck_assert_ptr_null(ilex_domain_restrict(ctx, d, "I+1/2=1:3"));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
}
END_TEST

/* ---- storages ---- */

static ilex_storage *
storage(const char *axes, const char *layout)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "f64",
                              .rank = 2,
                              .shape = SHAPE(3, 4),
                              .axes = axes,
                              .layout = layout,
                              .fill = &(double){0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    check_fine();
    return s;
}

#define STORED(name, ...)                                                      \
    static ilex_storage *stored_##name(ilex_storage *x, const char *axis)      \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }
STORED(sum, ilex_eager_reduce(ctx, "sum", x, axis, NULL))
STORED(roll, ilex_storage_roll(ctx, x, axis, 1))
STORED(cumsum, ilex_storage_cumsum(ctx, x, axis))
STORED(concat, ilex_storage_concat(ctx, 2, (ilex_storage *[]){x, x}, axis))
STORED(restrict, ilex_storage_restrict(ctx, x, axis, 1, 2))

static ilex_storage *
stored_select(ilex_storage *x, const char *axis)
{
    char part[80];
    snprintf(part, sizeof part, "K=2:3, %s=1", axis);
    return ilex_storage_select(ctx, x, part);
}

static ilex_storage *
stored_transpose(ilex_storage *x, const char *axis)
{
    char axes[80];
    snprintf(axes, sizeof axes, "K, %s", axis);
    return ilex_storage_transpose_axes(ctx, x, axes);
}

static const struct stored {
    const char *name;
    ilex_storage *(*call)(ilex_storage *x, const char *axis);
} stored[] = {
    {"sum", stored_sum},
    {"roll", stored_roll},
    {"cumsum", stored_cumsum},
    {"concat", stored_concat},
    {"restrict", stored_restrict},
    {"select", stored_select},
    {"transpose", stored_transpose},
};

/* Are these two of one shape with the same axes? Releases them. */
static bool
alike(ilex_storage *a, ilex_storage *b)
{
    check_fine();
    bool same = ilex_storage_rank(a) == ilex_storage_rank(b);
    for (int k = 0; same && k < ilex_storage_rank(a); k++)
        same =
            ilex_storage_shape(a)[k] == ilex_storage_shape(b)[k] &&
            !strcmp(ilex_storage_axis_name(a, k), ilex_storage_axis_name(b, k));
    ilex_storage_release(a);
    ilex_storage_release(b);
    return same;
}

START_TEST(storages)
{
    ilex_storage *x = storage("I+1/2, K", "C"), *y = storage("I, K", "C");
    for (const struct stored *c = stored; c < stored + IX_COUNT(stored); c++) {
        ck_assert_msg(alike(c->call(x, half), c->call(x, plain)), "%s",
                      c->name);
        ck_assert_msg(!c->call(y, half), "%s", c->name);
        ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    }
    ilex_storage_release(x);
    ilex_storage_release(y);
}
END_TEST

/* A layout lists the axes of several storages; I is not I+1/2 where that is
 * listed as well. Storages are assigned to each other by their axes' names. */
START_TEST(layouts)
{
    ilex_storage *x = storage("I+1/2, K", "KI"),
                 *y = storage("I+1/2, K", "I+1/2, K, I"),
                 *z = storage("IK", "C");
    ck_assert_int_eq(ilex_storage_layout(x, 0), 1);
    ck_assert_int_eq(ilex_storage_layout(y, 0), 0);
    ck_assert_int_eq(ilex_storage_axis(x, "I"), 0);
    ck_assert_int_eq(ilex_storage_axis(z, half), -1);
    ck_assert_int_ne(ilex_storage_assign(ctx, z, x), ILEX_OK);
    ilex_error_clear(ctx);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_storage_release(z);
}
END_TEST

/* The part of the outputs that a run computes. */
START_TEST(parts_of_runs)
{
    ilex_option_set(ctx, "box", "1");
    ilex_program *p = compile("ilex 1\nprogram p\nin s : f64\n"
                              "out y : f64[I+1/2:3, K:4] = s*index(K)\n");
    static const char *const box[] = {"K=2:4, I+1/2=1", "I=1, K=2:4"};
    for (size_t i = 0; i < IX_COUNT(box); i++) {
        ilex_storage *y = storage("I+1/2, K", "C");
        ilex_call call = {.size = sizeof call, .box = box[i]};
        ilex_binding b[] = {ILEX_BIND_F64("s", 1.0), ILEX_BIND("y", y)};
        ck_assert_msg(!ilex_run(p, b, 2, &call), "%s", call.error);
        const double *v = ilex_storage_const_data(y);
        for (int k = 0; k < 12; k++)
            ck_assert_double_eq(v[k], k == 6 || k == 7 ? k - 4 : 0);
        ilex_storage_release(y);
    }
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("axis", names, tags, text, arrays, boxes, storages,
                     layouts, parts_of_runs);
}
