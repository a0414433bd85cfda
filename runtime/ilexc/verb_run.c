/* SPDX-License-Identifier: MIT
 *
 * `ilexc run`: compiles a program, makes storages for its arguments, runs it
 * once or in a loop, compares with the reference back end if asked, writes the
 * outputs. Nothing is printed unless -v, --out or a failure asks for it.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiles the program for the back end of --jit, and for the reference if
 * there is something to compare. */
static ix_cli_exit
compile(ix_cli_run *r)
{
    const ix_cli_command *c = r->command;
    const char *check = ix_cli_options_value(c, IX_FLAG_CHECK, NULL);
    if (check && strcmp(check, "reference") != 0)
        return ix_cli_usage(
            "run", "--check %s: there is only --check=reference", check);
    ix_cli_exit status = ix_cli_session_parse(&r->session, c);
    if (status != IX_EXIT_OK)
        return status;
    r->program = ilex_compile_module(r->session.module);
    if (r->program && ix_cli_options_value(c, IX_FLAG_PROFILE, NULL))
        ilex_program_profile(r->program, 1);
    if (r->program && check) {
        if (ilex_option_set(r->session.ctx, "jit", "reference") == ILEX_OK)
            r->reference = ilex_compile_module(r->session.module);
        if (!r->reference)
            return ix_cli_library_error(r->session.ctx);
    }
    return r->program ? IX_EXIT_OK : ix_cli_library_error(r->session.ctx);
}

ix_cli_exit
ix_cli_run_list(ix_cli_run *r)
{
    r->nfields = ilex_program_argument_count(r->program);
    r->nsizes = ilex_program_size_count(r->program);
    r->ncounted = ilex_program_counted_count(r->program);
    r->field = calloc(r->nfields + 1, sizeof *r->field);
    r->size = calloc(r->nsizes + r->ncounted + 1, sizeof *r->size);
    r->known = calloc(r->nsizes + 1, sizeof *r->known);
    if (!r->field || !r->size || !r->known)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    for (size_t i = 0; i < r->nfields; i++)
        r->field[i].info = ilex_program_argument(r->program, i);
    for (size_t j = 0; j < r->nsizes; j++)
        r->size[j].name = ilex_program_size_name(r->program, j);
    r->counted = r->size + r->nsizes;
    for (size_t j = 0; j < r->ncounted; j++)
        r->counted[j].name = ilex_program_counted_name(r->program, j);
    return IX_EXIT_OK;
}

/* Is the argument an input that must be given but was not? */
static bool
lacks_source(const ix_cli_run *r, const ix_cli_field *f)
{
    return !f->info.output && f->info.used && !(r->group && f->info.message) &&
           f->source.kind == IX_CLI_SOURCE_NONE;
}

/* Complains about inputs without a source, with a line that would do. */
static ix_cli_exit
require_sources(const ix_cli_run *r)
{
    size_t missing = 0;
    for (size_t i = 0; i < r->nfields; i++) {
        const ix_cli_field *f = &r->field[i];
        if (!lacks_source(r, f))
            continue;
        if (missing++ == 0)
            fputs("ilexc run: what do these inputs hold?\n", stderr);
        fprintf(stderr, "    %s : %s", f->info.name,
                ilex_dtype_name(f->info.dtype));
        if (f->info.rank)
            fprintf(stderr, "[%s], of which [%s] is read", f->info.domain,
                    f->info.reads);
        fputc('\n', stderr);
    }
    if (missing == 0)
        return IX_EXIT_OK;
    fprintf(stderr, "For example:\n    ilexc run %s", r->command->file);
    for (size_t j = 0; j < r->nsizes; j++)
        fprintf(stderr, " --size %s=%d", r->size[j].name,
                r->known[j] ? (int)r->size[j].value : 64);
    for (size_t i = 0; i < r->nfields; i++)
        if (lacks_source(r, &r->field[i]))
            fprintf(stderr, " --in %s=%s", r->field[i].info.name,
                    r->field[i].info.rank ? "random:1" : "constant:1");
        else if (r->field[i].info.output)
            fprintf(stderr, " --out %s=-", r->field[i].info.name);
    fputc('\n', stderr);
    return IX_EXIT_USAGE;
}

/* Prints the table that -v asks for. */
static void
print_table(const ix_cli_run *r)
{
    const ilex_program *p = r->program;
    printf("program   %s\n", ilex_program_name(p));
    for (size_t j = 0; j < r->nsizes + r->ncounted; j++)
        printf("%s %s = %lld\n", j < r->nsizes ? "size     " : "counted  ",
               r->size[j].name, (long long)r->size[j].value);
    for (size_t i = 0; i < r->nfields; i++)
        printf(
            r->field[i].info.rank ? "%-9s %s : %s[%s]\n" : "%-9s %s : %s%s\n",
            r->field[i].info.output ? "out" : "in", r->field[i].info.name,
            ilex_dtype_name(r->field[i].info.dtype), r->field[i].info.domain);
    printf("nodes     %zu\n", ilex_program_node_count(p));
    printf("kernels   %zu\n", ilex_program_kernel_count(p));
    printf("back end  %s\n", ilex_program_backend(p));
    const char *order;
    for (size_t i = 0; ilex_program_variant(p, i, &order); i++)
        printf("variant   for arrays that lie as %s\n", order);
    printf("workspace %lld bytes\n",
           (long long)ilex_program_workspace(p, r->size, r->nsizes, 1));
    printf("to source %.3f ms\n", 1e3 * ilex_program_lower_seconds(p));
    printf("to code   %.3f ms\n", 1e3 * ilex_program_jit_seconds(p));
    printf("run       %.3f ms\n", 1e3 * r->seconds);
    if (r->grid)
        printf("ranks     %d on %s (%s), of which the first sent %lld "
               "messages, %lld bytes\n",
               r->nranks, r->grid, r->transport, (long long)r->messages,
               (long long)r->bytes);
    if (r->loop)
        printf("steps     %lld, %.4f ms each\n", (long long)r->steps,
               1e3 * r->seconds / (double)r->steps);
    if (r->reference)
        printf("check     same bits as the reference back end\n");
    if (r->command->verbose > 1)
        ix_cli_stages_print(p);
    if (r->command->verbose > 1 && ilex_program_command(p)[0])
        printf("command   %s\n", ilex_program_command(p));
}

ix_cli_exit
ix_cli_run_all(ix_cli_run *r)
{
    static ix_cli_exit (*const steps[])(ix_cli_run *) = {compile,
                                                         ix_cli_run_list,
                                                         ix_cli_values_read,
                                                         ix_cli_swaps_read,
                                                         ix_cli_ranks_read,
                                                         ix_cli_fields_load,
                                                         ix_cli_sizes_solve,
                                                         ix_cli_swaps_fit,
                                                         ix_cli_fields_make,
                                                         ix_cli_execute};
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == 0; i++) {
        status = steps[i](r);
        if (status == IX_EXIT_OK && steps[i] == ix_cli_swaps_read)
            status = require_sources(r);
        if (steps[i] == ix_cli_run_list && status == IX_EXIT_OK &&
            ix_cli_messages_are_asked(r))
            return ix_cli_messages_run(r);
    }
    if (r->other || r->rank > 0)
        return status;
    if (status == IX_EXIT_OK && r->command->verbose)
        print_table(r);
    if (status == IX_EXIT_OK &&
        ix_cli_options_value(r->command, IX_FLAG_PROFILE, NULL))
        ix_cli_profile_print(r->program, r->seconds, r->steps);
    return status;
}

void
ix_cli_run_close(ix_cli_run *r)
{
    for (size_t i = 0; r->field && i < r->nfields; i++) {
        ix_cli_values_free(&r->field[i]);
        ilex_storage_release(r->field[i].file);
        ilex_storage_release(r->field[i].storage);
        ilex_storage_release(r->field[i].reference);
    }
    free(r->field);
    free(r->size);
    free(r->known);
    free(r->swap);
    free(r->swaps);
    free(r->grid);
    ilex_program_release(r->program);
    ilex_program_release(r->reference);
    ix_cli_session_close(&r->session);
}

ix_cli_exit
ix_cli_verb_run(const ix_cli_command *c)
{
    ix_cli_run r = {.command = c};
    ix_cli_exit status = ix_cli_run_all(&r);
    ix_cli_run_close(&r);
    return status;
}
