/* SPDX-License-Identifier: MIT */
#include "lib/base/axis.h"

static const char half[] = "+1/2";

size_t
ix_axis_stem(const char *name, size_t length)
{
    size_t n = strlen(half);
    bool staggered = length > n && !memcmp(name + length - n, half, n);
    return staggered ? length - n : length;
}

bool
ix_axis_is_partner(const char *a, const char *b)
{
    size_t n = strlen(a);
    return n > 0 && !strncmp(a, b, n) && !strcmp(b + n, half);
}

int
ix_axis_find(int n, const char *const *name, const char *text, size_t length)
{
    int partner = -1;
    for (int k = 0; k < n && length > 0; k++) {
        bool begins = !strncmp(name[k], text, length);
        if (begins && !name[k][length])
            return k;
        if (begins && !strcmp(name[k] + length, half))
            partner = k;
    }
    return partner;
}
