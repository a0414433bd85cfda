/* SPDX-License-Identifier: MIT
 *
 * Random loops beside the same steps written out.
 *
 *     repeat [--seed=S] [--first=F] [--count=C] [--number=N]
 *            [--jit=cc,cuda,nvrtc]
 *
 * 300 programs, of which the C compiler and CUDA source have every tenth
 * unless --jit says that they have all. --number=N runs one and prints both
 * texts. A program that fails is printed with fewer lines. What was never drawn
 * in 300 programs is a failure, too.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/repeat/repeat.h"

enum { COUNT = 300, MOST_FAILURES = 4 };

typedef struct options {
    repeat_options run;
    uint64_t seed;
    int64_t number, first, count;
} options;

static bool
read_options(options *o, int argc, char **argv)
{
    const char *seed = getenv("ILEX_SEED");
    *o = (options){.seed = seed && *seed ? strtoull(seed, NULL, 0) : 1,
                   .number = -1,
                   .count = COUNT};
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--seed=", 7))
            o->seed = strtoull(argv[i] + 7, NULL, 0);
        else if (!strncmp(argv[i], "--number=", 9))
            o->number = strtoll(argv[i] + 9, NULL, 0);
        else if (!strncmp(argv[i], "--first=", 8))
            o->first = strtoll(argv[i] + 8, NULL, 0);
        else if (!strncmp(argv[i], "--count=", 8))
            o->count = strtoll(argv[i] + 8, NULL, 0);
        else if (!strncmp(argv[i], "--jit=", 6))
            o->run.jit = argv[i] + 6;
        else
            return false;
    return true;
}

static void
print_texts(const repeat_program *p)
{
    for (int once = 0; once < 2; once++) {
        char *text = repeat_render(p, once);
        printf("---- %s\n%s", once ? "the steps written out" : "loops", text);
        free(text);
    }
    printf("---- n=%lld m=%lld nt=%lld mt=%lld\n", (long long)p->size[0],
           (long long)p->size[1], (long long)p->size[2], (long long)p->size[3]);
}

static void
report(const options *o, repeat_program *p, repeat_verdict *v)
{
    printf("%s program %llu of seed %llu: %s\n",
           v->refused ? "REFUSED" : "FAILED", (unsigned long long)p->number,
           (unsigned long long)p->seed, v->text);
    repeat_shrink(p, &o->run, v);
    printf("the smallest program that fails: %s\n", v->text);
    print_texts(p);
    fflush(stdout);
}

/* What was drawn how often; how many were not. */
static int
print_features(const int64_t *drawn)
{
    int none = 0;
    for (int i = 0; i < REPEAT_FEATURES; i++) {
        printf("%s%s %lld", i % 6 ? ", " : "\n    ", repeat_feature_names[i],
               (long long)drawn[i]);
        none += drawn[i] == 0;
    }
    printf("\n");
    return none;
}

int
main(int argc, char **argv)
{
    static repeat_program p;
    static int64_t drawn[REPEAT_FEATURES];
    options o;
    int failures = 0, refused = 0, programs = 0, stopped = 0;
    int64_t outputs = 0, elements = 0;
    repeat_verdict v;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: repeat [--seed=S] [--first=F] [--count=C] "
                        "[--number=N] [--jit=cc,cuda,nvrtc]\n");
        return 2;
    }
    if (o.number >= 0) {
        repeat_draw(&p, o.seed, (uint64_t)o.number);
        print_texts(&p);
        repeat_run(&p, &o.run, &v);
        printf("%s\n", v.text);
        return v.failed;
    }
    for (int64_t i = 0; i < o.count && failures < MOST_FAILURES; i++) {
        repeat_draw(&p, o.seed, (uint64_t)(o.first + i));
        for (int k = 0; k < REPEAT_FEATURES; k++)
            drawn[k] += p.feature[k];
        repeat_try(&p, &o.run, &v);
        programs++;
        refused += v.refused || v.known;
        stopped += v.stopped;
        outputs += v.outputs;
        elements += v.elements;
        failures += v.failed || v.refused;
        if (v.failed || v.refused)
            report(&o, &p, &v);
    }
    printf("repeat: seed %llu: %d programs, %lld outputs, %lld elements, %d "
           "ended by an index, %d refused, %d failed",
           (unsigned long long)o.seed, programs, (long long)outputs,
           (long long)elements, stopped, refused, failures);
    int none = print_features(drawn);
    return failures != 0 || (o.count >= COUNT && none);
}
