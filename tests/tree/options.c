/* SPDX-License-Identifier: MIT
 *
 * Reading the command line.
 */
#include "tests/tree/options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHORT_COUNT = 400, LONG_COUNT = 20000 };

bool
tree_read_options(tree_options *o, int argc, char **argv)
{
    const char *seed = getenv("ILEX_SEED");
    *o = (tree_options){.seed = seed && *seed ? strtoull(seed, NULL, 0) : 1,
                        .number = -1,
                        .count = SHORT_COUNT};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--long")) {
            o->count = LONG_COUNT;
            o->seed = seed && *seed ? o->seed : (uint64_t)time(NULL);
        } else if (!strncmp(argv[i], "--seed=", 7)) {
            o->seed = strtoull(argv[i] + 7, NULL, 0);
        } else if (!strncmp(argv[i], "--number=", 9)) {
            o->number = strtoll(argv[i] + 9, NULL, 0);
        } else if (!strncmp(argv[i], "--first=", 8)) {
            o->first = strtoll(argv[i] + 8, NULL, 0);
        } else if (!strncmp(argv[i], "--count=", 8)) {
            o->count = strtoll(argv[i] + 8, NULL, 0);
        } else if (!strncmp(argv[i], "--transform=", 12)) {
            o->transforms = strtoull(argv[i] + 12, NULL, 0);
        } else if (!strncmp(argv[i], "--jit=", 6)) {
            o->jit = argv[i] + 6;
            o->cuda = !strcmp(o->jit, "cuda") || !strcmp(o->jit, "nvrtc");
        } else {
            return false;
        }
    }
    return true;
}
