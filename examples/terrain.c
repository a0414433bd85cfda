/* SPDX-License-Identifier: MIT
 *
 * The main job: terrain, smoothed. A height field is read from a file and
 * taken through 200 steps of limited horizontal diffusion, in two ways that
 * must give the same bits:
 *
 *   index  terrain.ilx: the edges are clamped in the index, in one program
 *   halo   terrain_halo.ilx fills a halo around the field with the nearest
 *          point, then terrain_step.ilx makes the step over it
 *
 * Both are done by every back end there is. Then hillshade.ilx lets the sun
 * shine on the terrain before and after, enlarge.ilx makes pixels of points,
 * and two pictures are written. Usage: terrain [FOLDER OF terrain.ilx]
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 200, CELL = 10, ENLARGED = 8 };
static const double coefficient = 1.0 / 64;
static ilex_context *ctx;
static char folder[3000];
static const char *working; /* the first back end that can run programs */

/* Ends the program when something that must be there is not. */
static void *
need(void *thing)
{
    if (thing)
        return thing;
    const char *text = ctx ? ilex_error_text(ctx) : "";
    fprintf(stderr, "terrain: %s\n", *text ? text : "out of memory");
    exit(1);
}

/* Opens a file of the folder. */
static FILE *
open_file(const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", folder, name);
    return fopen(path, "r");
}

/* Finds the folder of the programs: the one given, or the likely ones. */
static void
find_folder(const char *given)
{
    const char *source = getenv("srcdir"); /* make check sets it */
    const char *base[] = {given, source ? source : ".", ".."};
    for (int i = given ? 0 : 1; i < (given ? 1 : 3); i++) {
        char path[4096];
        snprintf(folder, sizeof folder, i ? "%s/examples" : "%s", base[i]);
        FILE *f = open_file("terrain.ilx", path);
        if (f) {
            fclose(f);
            return;
        }
    }
    fputs("terrain: where is terrain.ilx? Say: terrain FOLDER\n", stderr);
    exit(2);
}

/* Compiles the program of a file for a back end; NULL if it cannot. */
static ilex_program *
compile(const char *file, const char *backend)
{
    char path[4096], text[8192] = "";
    FILE *f = open_file(file, path);
    if (f) {
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
    }
    ilex_option_set(ctx, "jit", backend);
    ilex_module *m = need(ilex_module_parse(ctx, text, path));
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

static void
run(const ilex_program *p, const ilex_binding *arguments, size_t count)
{
    ilex_call call = {.size = sizeof call};
    if (ilex_run(p, arguments, count, &call) != ILEX_OK) {
        fprintf(stderr, "terrain: %s\n", call.error);
        exit(1);
    }
}

static ilex_storage *
scalar(double value)
{
    return need(ilex_storage_full(ctx, ILEX_F64, 0, NULL, value));
}

/* The index way: two fields take turns. The result is the caller's. */
static ilex_storage *
smooth_index(const ilex_storage *heights, ilex_program *const *p)
{
    ilex_storage *now = need(ilex_storage_copy(ctx, heights));
    ilex_storage *next = need(ilex_storage_copy(ctx, heights));
    ilex_storage *coeff = scalar(coefficient);
    for (int step = 0; step < STEPS; step++) {
        run(p[0],
            (ilex_binding[]){ILEX_BIND("h", now), ILEX_BIND("coeff", coeff),
                             ILEX_BIND("v", next)},
            3);
        ilex_storage *swap = now;
        now = next;
        next = swap;
    }
    ilex_storage_release(coeff);
    ilex_storage_release(next);
    return now;
}

/* The halo way: from one field to the other with its halo, and back. */
static ilex_storage *
smooth_halo(const ilex_storage *heights, ilex_program *const *p)
{
    const int64_t *n = ilex_storage_shape(heights);
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 2,
                              .shape = (int64_t[]){n[0] + 4, n[1] + 4},
                              .axes = "IJ",
                              .halo = (int64_t[]){2, 2, 2, 2}};
    ilex_storage *field = need(ilex_storage_new(ctx, &spec));
    ilex_storage *grown = need(ilex_storage_new(ctx, &spec));
    ilex_storage *inside = need(ilex_storage_interior(ctx, field));
    ilex_storage *coeff = scalar(coefficient);
    ilex_storage_assign(ctx, inside, heights);
    for (int step = 0; step < STEPS; step++) {
        run(p[0],
            (ilex_binding[]){ILEX_BIND("h", field), ILEX_BIND("u", grown)}, 2);
        run(p[1],
            (ilex_binding[]){ILEX_BIND("u", grown), ILEX_BIND("coeff", coeff),
                             ILEX_BIND("v", field)},
            3);
    }
    ilex_storage_release(coeff);
    ilex_storage_release(grown);
    ilex_storage_release(field);
    return inside;
}

/* The two ways, and the programs of each. */
static const struct way {
    const char *name, *file[2];
    ilex_storage *(*smooth)(const ilex_storage *, ilex_program *const *);
} ways[] = {
    {"index", {"terrain.ilx", NULL}, smooth_index},
    {"halo", {"terrain_halo.ilx", "terrain_step.ilx"}, smooth_halo},
};

/* Largest difference of two fields; infinite if a NaN is among them. */
static double
difference(const ilex_storage *a, const ilex_storage *b)
{
    const int64_t *n = ilex_storage_shape(a);
    double worst = 0, x, y;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++) {
            ilex_storage_get_f64(a, (int64_t[]){i, j}, &x);
            ilex_storage_get_f64(b, (int64_t[]){i, j}, &y);
            worst = fabs(x - y) <= worst ? worst
                    : isnan(x - y)       ? INFINITY
                                         : fabs(x - y);
        }
    return worst;
}

static double
seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Smooths one way by one back end and prints a row of the table. "*first" is
 * what all results are compared with. Returns the difference. */
static double
measure(const struct way *way, const char *backend, const ilex_storage *heights,
        ilex_storage **first)
{
    ilex_program *p[2] = {NULL, NULL};
    size_t nodes = 0, kernels = 0;
    double compiling = 0, worst = 0;
    printf("%-10s %-6s", backend, way->name);
    fflush(stdout);
    for (int i = 0; i < 2 && way->file[i]; i++) {
        p[i] = compile(way->file[i], backend);
        if (!p[i]) {
            ilex_program_release(p[0]);
            if (ilex_error_code(ctx) != ILEX_E_TOOLCHAIN &&
                ilex_error_code(ctx) != ILEX_E_UNSUPPORTED)
                need(NULL);
            printf("  not available: %s\n", ilex_error_text(ctx));
            ilex_error_clear(ctx);
            return 0;
        }
        nodes += ilex_program_node_count(p[i]);
        kernels += ilex_program_kernel_count(p[i]);
        compiling +=
            ilex_program_lower_seconds(p[i]) + ilex_program_jit_seconds(p[i]);
    }
    working = working ? working : backend;
    double start = seconds();
    ilex_storage *after = way->smooth(heights, p);
    double step = (seconds() - start) / STEPS;
    *first = *first ? *first : ilex_storage_retain(after);
    worst = difference(after, *first);
    printf("%7zu %8zu %7.1f ms %8.4f ms %12g\n", nodes, kernels,
           1e3 * compiling, 1e3 * step, worst);
    ilex_storage_release(after);
    ilex_program_release(p[0]);
    ilex_program_release(p[1]);
    return worst;
}

/* Mean, least and greatest height, by a program built with the C API. */
static void
statistics(const char *when, ilex_storage *heights)
{
    const ilex_binding arguments[] = {ILEX_BIND("h", heights)};
    ilex_array *h = ilex_input(ctx, "h", ILEX_F64, "I:ni, J:nj");
    ilex_array *outputs[] = {ilex_mean(h, NULL, 0), ilex_min(h, NULL, 0),
                             ilex_max(h, NULL, 0)};
    ilex_program *p = need(ilex_compile(ctx, 3, outputs, NULL));
    ilex_storage *result[3];
    ilex_evaluate(ctx, p, arguments, 1, result);
    printf("%-9s", when);
    for (int i = 0; i < 3; i++) {
        const double *value = ilex_storage_const_data(need(result[i]));
        printf(" %10.4f", *value);
        ilex_storage_release(result[i]);
    }
    puts("");
    ilex_program_release(p);
}

/* Draws terrain lit from the north west, north up. */
static void
picture(const char *path, ilex_storage *heights)
{
    const int64_t *n = ilex_storage_shape(heights);
    ilex_program *lit = need(compile("hillshade.ilx", working));
    ilex_program *enlarge = need(compile("enlarge.ilx", working));
    ilex_storage_spec spec = {.size = sizeof spec, .like = heights};
    ilex_storage *shade = need(ilex_storage_new(ctx, &spec));
    spec = (ilex_storage_spec){
        .size = sizeof spec,
        .rank = 2,
        .shape = (int64_t[]){ENLARGED * n[0], ENLARGED * n[1]},
        .axes = "IJ"};
    ilex_storage *pixels = need(ilex_storage_new(ctx, &spec));
    ilex_storage *sun[] = {scalar(CELL), scalar(315), scalar(45)};
    run(lit,
        (ilex_binding[]){ILEX_BIND("h", heights), ILEX_BIND("cell", sun[0]),
                         ILEX_BIND("azimuth", sun[1]),
                         ILEX_BIND("altitude", sun[2]),
                         ILEX_BIND("shade", shade)},
        5);
    run(enlarge,
        (ilex_binding[]){ILEX_BIND("p", shade), ILEX_BIND("q", pixels)}, 2);
    ilex_png_spec png = {
        .size = sizeof png, .high = 1, .flip_x = 1, .flip_y = 1};
    if (ilex_png_write(ctx, path, pixels, &png) != ILEX_OK)
        fprintf(stderr, "terrain: %s\n", ilex_error_text(ctx));
    ilex_error_clear(ctx);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(sun[i]);
    ilex_storage_release(pixels);
    ilex_storage_release(shade);
    ilex_program_release(enlarge);
    ilex_program_release(lit);
}

int
main(int argc, char **argv)
{
    static const char *const backends[] = {"tcc", "cc", "reference"};
    char path[4096];
    double worst = 0;
    find_folder(argc > 1 ? argv[1] : NULL);
    ctx = need(ilex_context_new(NULL));
    snprintf(path, sizeof path, "%s/data/maunga_whau_10m.npy", folder);
    ilex_storage *file = need(ilex_npy_read(ctx, path)), *after = NULL;
    ilex_storage *before = need(ilex_storage_reinterpret(ctx, file, "IJ"));
    const int64_t *n = ilex_storage_shape(before);
    printf("Maunga Whau, %d x %d points of %d m; %d steps of limited diffusion"
           "\n\nback end   edges   nodes  kernels    compile        step   "
           "difference\n",
           (int)n[0], (int)n[1], CELL, STEPS);
    for (int b = 0; b < 3; b++)
        for (int w = 0; w < 2; w++)
            worst = fmax(worst, measure(&ways[w], backends[b], before, &after));
    if (!after)
        return fputs("terrain: there is no back end\n", stderr), 1;
    printf("\nheight          mean      least   greatest\n");
    statistics("before", before);
    statistics("after", after);
    picture("before.png", before);
    picture("after.png", after);
    ilex_storage_release(file);
    ilex_storage_release(before);
    ilex_storage_release(after);
    ilex_context_free(ctx);
    if (worst != 0)
        fputs("terrain: the results differ; they must not\n", stderr);
    return worst != 0;
}
