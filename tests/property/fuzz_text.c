/* SPDX-License-Identifier: MIT
 *
 * A target of libFuzzer: texts that are read or refused, never more; what is
 * read is printed, and that is read as the same text. fuzz.sh builds and runs
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilex.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
die(ilex_context *ctx, const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n%s\n", what, ilex_error_text(ctx), text);
    abort();
}

/* What a module prints is read and printed as itself. */
static void
check_print(ilex_context *ctx, const ilex_module *m, const char *text)
{
    char *first = ilex_module_print(m), *second = NULL;
    ilex_module *again = NULL;
    if (first)
        again = ilex_module_parse(ctx, first, "printed");
    if (again)
        second = ilex_module_print(again);
    if (!second)
        die(ctx, first ? first : "not printed", text);
    if (strcmp(first, second) != 0)
        die(ctx, second, first);
    ilex_text_free(ctx, first);
    ilex_text_free(ctx, second);
    ilex_module_free(again);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);
    ilex_context *ctx = ilex_context_new(NULL);
    if (!text || !ctx)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    ilex_module *m = ilex_module_parse(ctx, text, "fuzzed");
    if ((m != NULL) != (ilex_error_code(ctx) == ILEX_OK))
        die(ctx, "neither read nor refused", text);
    if (m)
        check_print(ctx, m, text);
    ilex_module_free(m);
    ilex_context_free(ctx);
    free(text);
    return 0;
}
