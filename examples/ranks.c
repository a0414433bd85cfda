/* SPDX-License-Identifier: MIT
 *
 * Shallow water on a periodic plane, divided among ranks that are threads: a
 * drop falls, waves go round. The program is one text that says nothing of
 * ranks; storages lie on a grid, halos come from the neighbours. Then the same
 * by one rank alone: the results have the same bits.
 *
 *     ranks [N [STEPS [RANKS_I RANKS_J [WATER.png OWNERS.png]]]]
 */
#include <ilex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char start[] =
    "ilex 1\nprogram start\nsize n\n"
    "out h : f64[I:n, J:n] = 1.0 + exp(-200.0*(square(index(I)/size(n) - 0.3) +"
    " square(index(J)/size(n) - 0.4)))\n"
    "out u : f64[I:n, J:n] = 0.0*index(I)\n"
    "out v : f64[I:n, J:n] = 0.0*index(I)\n";

/* Speeds from the height, then the height from the speeds. */
static const char step[] =
    "ilex 1\nprogram step\nsize n\n"
    "in h : f64[I:n, J:n] halo(auto)\nin u : f64[I:n, J:n] halo(auto)\n"
    "in v : f64[I:n, J:n] halo(auto)\n"
    "let us = u - 0.3*(h - h[I-1])\nlet vs = v - 0.3*(h - h[J-1])\n"
    "let fx = us*(h + h[I-1])*0.5\nlet fy = vs*(h + h[J-1])*0.5\n"
    "out hn = h - 0.3*(fx[I+1] - fx + fy[J+1] - fy)\n"
    "out un = us\nout vn = vs\n";

/* What all ranks work on. */
typedef struct water {
    ilex_program *start, *step;
    int64_t n, steps;
    const char *ranks;            /* "I:2,J:2" */
    ilex_storage *height, *owner; /* of the whole, for rank 0 */
    ilex_group_counts sent;       /* by rank 0 */
} water;

/* A field on the grid, with a halo of "halo" points. */
static ilex_storage *
field(ilex_context *ctx, const water *w, ilex_grid *grid, int64_t halo,
      const char *dtype)
{
    int64_t shape[] = {w->n + 2 * halo, w->n + 2 * halo};
    int64_t width[] = {halo, halo, halo, halo};
    return ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.dtype = dtype, .rank = 2, .shape = shape,
                                .axes = "IJ", .halo = width, .grid = grid));
}

/* Time steps of one rank; its part of the height to rank 0. */
static ilex_status
advance(ilex_context *ctx, water *w, ilex_grid *grid)
{
    enum { FIELDS = 6, HALO = 2 };
    static const char *const names[FIELDS] = {"h", "u", "v", "hn", "un", "vn"};
    ilex_group *group = ilex_grid_group(grid);
    bool first = ilex_group_rank(group) == 0;
    ilex_binding b[FIELDS];
    ilex_call call = {.size = sizeof call, .threads = 1};
    for (int i = 0; i < FIELDS; i++)
        b[i] =
            (ilex_binding)ILEX_BIND(names[i], field(ctx, w, grid, HALO, "f64"));
    ilex_storage *mine = field(ctx, w, grid, 0, "i32");
    ilex_status rc = ilex_error_code(ctx);
    rc = rc ? rc : ilex_run(w->start, b, 3, &call);
    rc = rc ? rc
            : ilex_run_steps(w->step, b, FIELDS, w->steps, "h=hn, u=un, v=vn",
                             &call);
    if (call.error[0])
        fprintf(stderr, "ranks: %s\n", call.error);
    if (first)
        ilex_group_counted(group, &w->sent);
    rc = rc ? rc : ilex_storage_fill(ctx, mine, ilex_group_rank(group));
    rc = rc ? rc
            : ilex_storage_gather(ctx, b[0].storage, first ? w->height : NULL,
                                  0);
    rc = rc ? rc : ilex_storage_gather(ctx, mine, first ? w->owner : NULL, 0);
    for (int i = 0; i < FIELDS; i++)
        ilex_storage_release(b[i].storage);
    ilex_storage_release(mine);
    return rc;
}

static int
rank(ilex_group *group, void *user)
{
    water *w = user;
    char domain[80];
    snprintf(domain, sizeof domain, "I:%lld, J:%lld", (long long)w->n,
             (long long)w->n);
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        ctx, &ILEX_GRID_SPEC(.group = group, .ranks = w->ranks,
                             .domain = domain, .periodic = "I, J"));
    ilex_status rc = grid ? advance(ctx, w, grid) : ilex_error_code(ctx);
    if (ilex_error_code(ctx))
        fprintf(stderr, "ranks: %s\n", ilex_error_text(ctx));
    ilex_grid_release(grid);
    ilex_context_free(ctx);
    return (int)rc;
}

static ilex_program *
compile(ilex_context *ctx, const char *text)
{
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_module_free(m);
    return p;
}

int
main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 96;
    int ranks_i = argc > 4 ? atoi(argv[3]) : 2,
        ranks_j = argc > 4 ? atoi(argv[4]) : 2;
    char grid[60];
    snprintf(grid, sizeof grid, "I:%d, J:%d", ranks_i, ranks_j);
    ilex_context *ctx = ilex_context_new(NULL);
    water w = {
        .start = compile(ctx, start),
        .step = compile(ctx, step),
        .n = n,
        .steps = argc > 2 ? atoll(argv[2]) : 60,
        .ranks = grid,
        .height = ilex_storage_empty(ctx, ILEX_F64, 2, (int64_t[]){n, n}),
        .owner = ilex_storage_empty(ctx, ILEX_I32, 2, (int64_t[]){n, n})};
    ilex_storage *alone =
        ilex_storage_empty(ctx, ILEX_F64, 2, (int64_t[]){n, n});
    ilex_status rc = ilex_error_code(ctx);
    rc = rc ? rc
            : ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = ranks_i * ranks_j),
                             rank, &w);
    if (!rc)
        printf("%lld x %lld points, %lld steps on %s: rank 0 sent %lld "
               "messages, %lld bytes\n",
               (long long)n, (long long)n, (long long)w.steps, grid,
               (long long)w.sent.messages, (long long)w.sent.bytes);
    if (!rc && argc > 6 &&
        (ilex_png_write(ctx, argv[5], w.height, NULL) ||
         ilex_png_write(ctx, argv[6], w.owner, NULL)))
        rc = ilex_error_code(ctx);

    water one = w;
    one.ranks = "I:1, J:1";
    one.height = alone;
    rc =
        rc ? rc : ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 1), rank, &one);
    bool same = !rc && !memcmp(ilex_storage_const_data(alone),
                               ilex_storage_const_data(w.height),
                               (size_t)ilex_storage_bytes(alone));
    if (rc)
        fprintf(stderr, "ranks: %s\n", ilex_error_text(ctx));
    else
        puts(same ? "one rank alone gives the same bits"
                  : "one rank alone gives OTHER bits");
    ilex_storage_release(alone);
    ilex_storage_release(w.height);
    ilex_storage_release(w.owner);
    ilex_program_release(w.start);
    ilex_program_release(w.step);
    ilex_context_free(ctx);
    return rc || !same;
}
