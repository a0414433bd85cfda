/* SPDX-License-Identifier: MIT
 *
 * Names of files with the number of a step: "v%04d.npy". The conversion is read
 * here and never given to printf, so that nothing else in a name can be one.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 18 };

/* A conversion "%04d" of a name: where it begins and how long it is. */
typedef struct conversion {
    size_t at, length;
    bool zeros;
    int width;
} conversion;

/* Reads what follows the '%' at "at"; false if that is no conversion. */
static bool
read_conversion(const char *name, size_t at, conversion *c)
{
    size_t end = at + 1;
    *c = (conversion){.at = at, .zeros = name[end] == '0'};
    while (name[end] >= '0' && name[end] <= '9' && c->width <= WIDEST)
        c->width = 10 * c->width + (name[end++] - '0');
    c->length = end + 1 - at;
    return name[end] == 'd' && c->width <= WIDEST;
}

/* Finds the one conversion of a name; else "*why" as in run.h. */
static bool
find(const char *name, conversion *found, const char **why)
{
    bool any = false;
    *why = NULL;
    for (size_t at = 0; name[at]; at++) {
        conversion c;
        if (name[at] != '%')
            continue;
        if (name[at + 1] == '%') {
            at++;
            continue;
        }
        if (!read_conversion(name, at, &c))
            *why = "of % only %d, %4d, %04d (up to 18 wide) and %% may stand "
                   "in it";
        else if (any)
            *why = "it has more than one %d; a percent sign is %%";
        if (*why)
            return false;
        any = true;
        *found = c;
        at += c.length - 1;
    }
    if (!any && strchr(name, '%'))
        *why = "it has %% alone and no %d";
    return any;
}

bool
ix_cli_step_name_is(const char *name, const char **why)
{
    conversion c;
    return find(name, &c, why);
}

char *
ix_cli_step_name(const char *name, int64_t step)
{
    conversion c = {0};
    const char *why;
    char *text = NULL, *to;
    size_t room = strlen(name) + WIDEST + 3;
    if (!find(name, &c, &why) || !(to = text = malloc(room)))
        return NULL;
    for (size_t at = 0; name[at]; at++) {
        if (at == c.at) {
            to += snprintf(to, room - (size_t)(to - text),
                           c.zeros ? "%0*lld" : "%*lld", c.width,
                           (long long)step);
            at += c.length - 1;
            continue;
        }
        *to++ = name[at];
        at += name[at] == '%';
    }
    *to = '\0';
    return text;
}
