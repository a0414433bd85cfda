/* SPDX-License-Identifier: MIT
 *
 * Programs that a process keeps: how many, and what tells them apart.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "tests/unit/graph_fixture.h"

static ilex_program *
compiled_in(ilex_context *where, const char *text)
{
    ilex_module *m = ilex_module_parse(where, text, "p");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(where));
    ilex_module_free(m);
    return p;
}

/* Beyond the limit the one that was not used for the longest time goes. */
START_TEST(kept_up_to_a_limit)
{
    ilex_kept kept;
    ilex_programs_keep(0);
    ilex_programs_kept(&kept);
    ck_assert(kept.count == 0 && kept.limit == 0);
    ilex_programs_keep(2);
    for (int i = 0; i < 5; i++) { /* 0 1 0 2: 1 goes; 1: 0 goes */
        static const int which[] = {0, 1, 0, 2, 1};
        char text[100];
        ilex_context *one = ilex_context_new(NULL);
        snprintf(text, sizeof text,
                 "ilex 1\nprogram q\nsize n\nin u : f64[I:n]"
                 "\nout v = u + %d\n",
                 which[i]);
        uint64_t hits = (ilex_programs_kept(&kept), kept.hits);
        ilex_program *q = compiled_in(one, text);
        ilex_programs_kept(&kept);
        ck_assert_uint_eq(kept.hits - hits, i == 2);
        ck_assert_uint_le(kept.count, 2);
        ilex_program_release(q);
        ilex_context_free(one);
    }
    ilex_programs_keep(1);
    ilex_programs_kept(&kept);
    ck_assert(kept.count == 1 && kept.limit == 1);
    ilex_programs_keep(256);
}
END_TEST

/* A size that a text declares may be named by its runs, whichever program was
 * compiled before, and stands in its text. */
START_TEST(declared_sizes_are_known)
{
    static const char *const size[] = {"n", "m, n"};
    for (int i = 0; i < 2; i++) {
        ilex_context *one = ilex_context_new(NULL);
        char text[100];
        snprintf(text, sizeof text,
                 "ilex 1\nprogram q\nsize %s\nin u : f64[n]\n"
                 "out v : f64[n] = 3.5*u\n",
                 size[i]);
        ilex_module *m = ilex_module_parse(one, text, "p");
        char *printed = ilex_module_print(m);
        ck_assert_str_eq(printed, text);
        ilex_text_free(one, printed);
        ilex_program *q = ilex_compile_module(m);
        const int64_t three = 3;
        ilex_storage_spec spec =
            ILEX_STORAGE_SPEC(.dtype = "f64", .rank = 1, .shape = &three);
        ilex_storage *u = ilex_storage_new(one, &spec);
        ilex_storage *v = ilex_storage_new(one, &spec);
        ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("v", v)};
        ilex_size_binding m_is_4 = {"m", 4};
        ilex_call call = {sizeof call, .sizes = &m_is_4, .size_count = 1};
        ilex_status rc = ilex_run(q, b, 2, &call);
        ck_assert_msg(rc == (i ? ILEX_OK : ILEX_E_SIZE), "%s", call.error);
        ilex_storage_release(u);
        ilex_storage_release(v);
        ilex_program_release(q);
        ilex_module_free(m);
        ilex_context_free(one);
    }
}
END_TEST

/* Programs of other options are other programs; an option that is set to what
 * it is by default makes no other one. */
START_TEST(options_are_told_apart)
{
    static const char *const threads[] = {NULL, "2", "3", "2", "auto"};
    for (int i = 0; i < 5; i++) {
        ilex_kept kept;
        ilex_context *one = ilex_context_new(NULL);
        if (threads[i])
            ilex_option_set(one, "threads", threads[i]);
        uint64_t hits = (ilex_programs_kept(&kept), kept.hits);
        ilex_program *q = compiled_in(one, "ilex 1\nprogram q\nsize n\n"
                                           "in u : f64[n]\nout v = u - 8.5\n");
        ilex_programs_kept(&kept);
        ck_assert_uint_eq(kept.hits - hits, i >= 3);
        ilex_program_release(q);
        ilex_context_free(one);
    }
}
END_TEST

static ilex_program *
compiled_with(const char *schedule)
{
    ilex_context *c = ilex_context_new(NULL);
    ck_assert_int_eq(ilex_option_set(c, "schedule", schedule), ILEX_OK);
    ilex_program *p = compiled_in(
        c, "ilex 1\nprogram q\nsize n\nin u : f64[I:n]\nout v = u - 3.0\n");
    ilex_context_free(c);
    return p;
}

/* A file of directives counts as its text does: read when the option is set, it
 * is another program's once it has changed. */
START_TEST(compiled_with_a_schedule)
{
    char path[] = "/tmp/ilex-schedule.XXXXXX";
    static const char *const texts[] = {"kernel k0: vector i0\n",
                                        "kernel k0: split i0 4\n"};
    ilex_program *p[2], *q;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        ck_assert_int_gt(pwrite(fd, texts[i], strlen(texts[i]), 0), 0);
        p[i] = compiled_with(path);
        q = compiled_with(texts[i]);
        ck_assert_ptr_eq(p[i], q);
        ilex_program_release(q);
    }
    ck_assert_ptr_ne(p[0], p[1]);
    remove(path);
    close(fd);
    ilex_program_release(p[0]);
    ilex_program_release(p[1]);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("kept", kept_up_to_a_limit, declared_sizes_are_known,
                     options_are_told_apart, compiled_with_a_schedule);
}
