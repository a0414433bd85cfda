/* SPDX-License-Identifier: MIT
 *
 * Targets: what option target means, what is read of this machine, that
 * records as text are themselves again.
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/graph_fixture.h"

static void
set_target(const char *value)
{
    ck_assert_msg(!ilex_option_set(ctx, "target", value), "%s",
                  ilex_error_text(ctx));
}

static const ix_target *
target_of(ix_target_name kind, bool alone, ix_target *own)
{
    const ix_target *t = ix_target_of(ctx, kind, alone, own);
    ck_assert_msg(t != NULL, "%s", ilex_error_text(ctx));
    return t;
}

/* ---- caches, as a folder of Linux tells of them ---- */

static char folder[64];

/* Writes a file of cache "index"; its folder is made. */
static void
put(int index, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/index%d", folder, index);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void
put_cache(int index, const char *level, const char *type, const char *size,
          const char *sharers)
{
    put(index, "level", level);
    put(index, "type", type);
    put(index, "size", size);
    put(index, "ways_of_associativity", "12\n");
    put(index, "coherency_line_size", "64\n");
    put(index, "shared_cpu_list", sharers);
}

static void
open_folder(void)
{
    strcpy(folder, "/tmp/ilex-target.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
close_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(caches)
{
    ix_machine m = {.cores = 3};
    open_folder();
    put_cache(0, "1\n", "Data\n", "48K\n", "0\n");
    put_cache(1, "1\n", "Instruction\n", "32K\n", "0\n");
    put_cache(2, "2\n", "Unified\n", "1M\n", "0,4\n");
    put_cache(3, "3\n", "Unified\n", "32768K\n", "0-3,8-10,12\n");
    ix_machine_read_caches(&m, folder);
    ck_assert_int_eq(m.line_bytes, 64);
    ck_assert_int_eq(m.l1_bytes, 48 << 10);
    ck_assert_int_eq(m.l1_ways, 12);
    ck_assert_int_eq(m.l2_bytes, 1 << 20);
    ck_assert_int_eq(m.l3_bytes, 32 << 20);
    ck_assert_int_eq(m.l3_sharers, 8);
    ix_target t = ix_target_on(IX_TARGET_avx2, &m);
    ck_assert_int_eq(t.l3_bytes, 4 << 20);
    ck_assert_int_eq(t.stream_bytes, 16 << 20);
    ck_assert_int_eq(t.l1_bytes, 48 << 10);
    ck_assert_int_eq(t.cores, 3);
    ck_assert_int_eq(t.vector_registers, 16);
    m.l3_bytes = 260 << 20; /* of a package that others use, too */
    m.l3_sharers = 2;
    t = ix_target_on(IX_TARGET_avx2, &m);
    ck_assert_int_eq(t.l3_bytes, 12 << 20);
    ck_assert_int_eq(t.stream_bytes, 12 << 20);
    close_folder();
}
END_TEST

/* What is missing or no number is not known, and then as in the row. */
START_TEST(no_caches)
{
    static const char *const sizes[] = {
        "", "\n", "K\n", "32Q\n", "32KB\n", "-1\n", "99999999999999999999\n"};
    static const char *const lists[] = {"",     "x\n",         "3-1\n",
                                        "0-\n", "0-9999999\n", "0;1\n"};
    ix_machine m = {.cores = 1};
    ix_machine_read_caches(&m, "/nowhere/at/all");
    open_folder();
    ix_machine_read_caches(&m, folder);
    for (size_t i = 0; i < IX_COUNT(sizes); i++) {
        put_cache(0, "1\n", "Data\n", sizes[i], "0\n");
        put_cache(1, "3\n", "Unified\n", "1M\n",
                  lists[i < IX_COUNT(lists) ? i : 0]);
        ix_machine_read_caches(&m, folder);
        ck_assert_int_eq(m.l1_bytes, 0);
        ck_assert_int_eq(m.l3_sharers, 0);
    }
    close_folder();
    m = (ix_machine){.cores = 4};
    ix_target t = ix_target_on(IX_TARGET_generic, &m);
    t.name = ix_targets[IX_TARGET_generic].name;
    ck_assert(!memcmp(&t, &ix_targets[IX_TARGET_generic], sizeof t));
    m.line_bytes = 48;
    m.l1_bytes = 7;
    m.l2_bytes = INT64_MAX;
    ix_target odd = ix_target_on(IX_TARGET_generic, &m);
    odd.name = t.name;
    ck_assert(!memcmp(&odd, &t, sizeof t));
}
END_TEST

START_TEST(this_machine)
{
    const ix_machine *m = ix_machine_here();
    ck_assert_int_ge(m->cores, 1);
    ck_assert_ptr_eq(m, ix_machine_here());
}
END_TEST

/* ---- names ---- */

START_TEST(defaults)
{
    ix_target own;
    set_target("auto");
    ck_assert_str_eq(target_of(IX_TARGET_generic, false, &own)->name, "native");
    ck_assert_str_eq(target_of(IX_TARGET_generic, true, &own)->name, "generic");
    ck_assert_str_eq(target_of(IX_TARGET_cuda, false, &own)->name, "cuda");
    set_target("native");
    ck_assert_str_eq(target_of(IX_TARGET_generic, true, &own)->name, "native");
    for (int i = 0; i < IX_NTARGETS; i++) {
        const ix_target *row = &ix_targets[i];
        if (row->grid)
            continue;
        set_target(row->name);
        ck_assert_ptr_eq(target_of(IX_TARGET_generic, false, &own), row);
        ck_assert_ptr_eq(target_of(IX_TARGET_generic, true, &own), row);
        ck_assert_ptr_eq(target_of(IX_TARGET_cuda, true, &own),
                         &ix_targets[IX_TARGET_cuda]);
    }
}
END_TEST

/* Those of CPUs are choices of the option: lib knows no target. */
START_TEST(choices)
{
    static const struct {
        const char *name;
        bool grid;
    } rows[] = {
#define IX_TARGET(name, meaning, grid, ...) {#name, grid},
#include "compiler/target/targets.def"
    };
    char all[100] = "auto|native";
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        if (!rows[i].grid)
            strcat(strcat(all, "|"), rows[i].name);
    strcat(all, "|fields");
    ck_assert_str_eq(ix_option_rows[IX_OPTION_target].choices, all);
}
END_TEST

static const struct {
    const char *value, *text; /* of the message */
} wrong[] = {
    {"avx", "'avx' is not one of auto|native|generic|avx2|avx512|"},
    {"avx", "did you mean 'avx2'?"},
    {"Native", "did you mean 'native'?"},
    {"", "'' is not one of"},
    {"cuda", "'cuda' is not one of"},
    {"generic,avx2", "is not one of"},
    {"cores", "is not one of"},
    {"cores=", "is not one of"},
    {"cores=-1", "is not one of"},
    {"cores=1,", "is not one of"},
    {"cores=1;fma=1", "is not one of"},
    {"cores=1234567890123456", "is not one of"},
    {"vector_byte=32", "no field 'vector_byte'; did you mean 'vector_bytes'?"},
    {"cores=2,grid=1", "the record of a CPU has no field 'grid'"},
    {"argument_bytes=8", "no field 'argument_bytes'"},
    {"cores=0", "cores=0 is not a number from 1 to 1048576"},
    {"fma=2", "fma=2 is not a number from 0 to 1"},
    {"vector_bytes=48", "vector_bytes=48 is not a power of two from 16 to 256"},
    {"cores=8,line_bytes=8", "line_bytes=8 is not a power of two from 16"},
};

START_TEST(wrong_names)
{
    ilex_module *m = parse("ilex 1\nprogram p\nsize n\nin u : f64[n]\n"
                           "out v = 2*u\n");
    ilex_status rc = ilex_option_set(ctx, "target", wrong[_i].value);
    ix_compile_request request = {.names = true};
    if (!rc) { /* as for dump and stop, where the names are known */
        ck_assert_ptr_null(ix_compile(m, &request));
        rc = ilex_error_code(ctx);
    }
    ck_assert_int_eq(rc, ILEX_E_OPTION);
    ck_assert_msg(strstr(ilex_error_text(ctx), wrong[_i].text), "%s: %s",
                  wrong[_i].value, ilex_error_text(ctx));
    ilex_error_clear(ctx);
    ilex_module_free(m);
}
END_TEST

/* ---- text ---- */

/* Every record of a CPU can be given as it is printed. */
START_TEST(round_trip)
{
    ix_machine m = {5, 128, 1 << 16, 4, 3 << 20, 7 << 20, 7};
    ix_target own,
        all[] = {ix_targets[IX_TARGET_generic], ix_targets[IX_TARGET_avx512],
                 ix_target_on(IX_TARGET_avx2, &m),
                 ix_target_on(IX_TARGET_generic, ix_machine_here())};
    for (size_t i = 0; i < IX_COUNT(all); i++) {
        ix_text t;
        ix_text_init(&t, &ctx->mem);
        ix_target_put(&all[i], &t);
        set_target(ix_text_string(&t));
        ix_text_free(&t);
        ck_assert_ptr_eq(target_of(IX_TARGET_generic, true, &own), &own);
        own.name = all[i].name;
        ck_assert(!memcmp(&own, &all[i], sizeof own));
    }
}
END_TEST

/* What is written for other machines is a name that they know, or the record.
 */
START_TEST(written)
{
    static const struct {
        const char *option;
        bool alone;
        const char *text; /* NULL: a record */
    } cases[] = {{"auto", true, "generic"},  {"auto", false, NULL},
                 {"native", true, NULL},     {"generic", false, "generic"},
                 {"avx512", true, "avx512"}, {"cores=3", false, "cores=3"}};
    for (size_t i = 0; i < IX_COUNT(cases); i++) {
        ix_text t;
        ix_text_init(&t, &ctx->mem);
        set_target(cases[i].option);
        ix_target_put_option(ctx, cases[i].alone, &t);
        const char *text = ix_text_string(&t);
        if (cases[i].text)
            ck_assert_str_eq(text, cases[i].text);
        else
            ck_assert_msg(strstr(text, ",line_bytes=") != NULL, "%s", text);
        ix_text_free(&t);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("target");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, caches);
    tcase_add_test(tests, no_caches);
    tcase_add_test(tests, this_machine);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, choices);
    tcase_add_loop_test(tests, wrong_names, 0, IX_COUNT(wrong));
    tcase_add_test(tests, round_trip);
    tcase_add_test(tests, written);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
