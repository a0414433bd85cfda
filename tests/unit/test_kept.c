/* SPDX-License-Identifier: MIT
 *
 * The limit of programs that a process keeps.
 */
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

int
main(void)
{
    return RUN_TESTS("kept", kept_up_to_a_limit);
}
