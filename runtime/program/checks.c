/* SPDX-License-Identifier: MIT
 *
 * The text of a run (compiler/run) as far as it comes before the steps: sizes
 * from shapes, checks of arguments, what is said of integers that are data.
 */
#include <stdio.h>

#include "runtime/program/program.h"

int
ix_fail_run(const ix_state *s, int code, const char *format, ...)
{
    const ix_run *r = ix_run_of(s);
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return ix_fail(r->err, (ilex_status)code, "%s: %s", r->p->c->name, text);
}

#include "compiler/run/sizes.inc"

#include "compiler/run/checks.inc"

#include "compiler/run/outside.inc"
