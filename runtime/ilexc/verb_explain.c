/* SPDX-License-Identifier: MIT
 *
 * `ilexc explain`: what the compiler made of a program, and why.
 */
#include "runtime/ilexc/ilexc.h"

/* Without a grid formulas say all; numbers are of ranks. */
static ix_cli_exit
check_options(const ix_cli_command *c)
{
    static const ix_cli_flag of_grid[] = {IX_FLAG_SIZE, IX_FLAG_LATENCY,
                                          IX_FLAG_BANDWIDTH, IX_FLAG_STEP};
    for (size_t i = 0; i < sizeof of_grid / sizeof *of_grid; i++)
        if (ix_cli_options_value(c, of_grid[i], NULL))
            return ix_cli_usage("explain",
                                "%s is of --grid; without it bytes and "
                                "operations are formulas in the sizes, which "
                                "`ilexc bench --size` puts numbers into",
                                ix_cli_options_spelling(of_grid[i]));
    return IX_EXIT_OK;
}

ix_cli_exit
ix_cli_verb_explain(const ix_cli_command *c)
{
    ix_cli_session s;
    bool json = ix_cli_options_value(c, IX_FLAG_JSON, NULL) != NULL;
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    bool grid = ix_cli_options_value(c, IX_FLAG_GRID, NULL) != NULL;
    if (status == IX_EXIT_OK && grid && json)
        status = ix_cli_usage("explain", "--json is of programs: what ranks "
                                         "do (--grid) is told as text");
    if (status == IX_EXIT_OK)
        status = grid ? ix_cli_explain_grid(&s, c) : check_options(c);
    if (status == IX_EXIT_OK && !grid)
        status = ix_cli_output(
            &s, c, ilex_module_stage(s.module, json ? "json" : "explain"));
    ix_cli_session_close(&s);
    return status;
}
