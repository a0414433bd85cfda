/* SPDX-License-Identifier: MIT
 *
 * The gradient of a field on an unstructured mesh, by finite volumes: vertices
 * and edges in no order, neighbours by tables, of which a vertex on the rim has
 * fewer (-1). The mesh is a square of N x N vertices, so that the result can be
 * compared with central differences, and drawn.
 *
 *     nabla [N [PICTURE.png]]
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* faces: the normal of the face that an edge crosses, times its length; sign:
 * which way it points, seen from a vertex; at: the vertex of a point */
static const char text[] =
    "ilex 1\n"
    "program nabla\n"
    "size nv, ne, n\n"
    "in v2e : i32[Vertex:nv, V2E:4] -> Edge skip -1\n"
    "in e2v : i32[Edge:ne, E2V:2] -> Vertex\n"
    "in at : i32[I:n, J:n] -> Vertex\n"
    "in p : f64[Vertex:nv]\n"
    "in faces : f64[Edge:ne, D:2]\n"
    "in sign : f64[Vertex:nv, V2E:4]\n"
    "in volume : f64\n"
    "let middle = 0.5*sum[E2V](remap(p, e2v))\n"
    "let g = sum[V2E](remap(middle*faces, v2e)*sign)/volume\n"
    "out gradient : f64[Vertex:nv, D:2] = g\n"
    "out slope = remap(hypot(g[D=0], g[D=1]), at)\n";

static ilex_context *ctx;

static void *
need(void *thing)
{
    if (thing)
        return thing;
    fprintf(stderr, "nabla: %s\n", ilex_error_text(ctx));
    exit(1);
}

static ilex_storage *
table(const char *dtype, const char *axes, int64_t n, int64_t m)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = dtype,
                              .rank = m ? 2 : 1,
                              .shape = (int64_t[]){n, m},
                              .axes = axes};
    return need(ilex_storage_new(ctx, &spec));
}

/* 0, 1, ..., n - 1 in an order that looks like none. */
static int32_t
shuffled(int64_t i, int64_t n)
{
    return (int32_t)((i * 7919 + 13) % n);
}

int
main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoi(argv[1]) : 40, nv = n * n;
    const int64_t ne = 2 * n * (n - 1);
    const double h = 1.0 / (double)n;
    double worst = 0;
    ctx = ilex_context_new(NULL);
    if (!ctx || n < 3 || nv % 7919 == 0 || ne % 7919 == 0)
        return 1;
    ilex_storage *v2e = table("i32", "Vertex, V2E", nv, 4);
    ilex_storage *e2v = table("i32", "Edge, E2V", ne, 2);
    ilex_storage *at = table("i32", "I, J", n, n);
    ilex_storage *p = table("f64", "Vertex", nv, 0);
    ilex_storage *faces = table("f64", "Edge, D", ne, 2);
    ilex_storage *sign = table("f64", "Vertex, V2E", nv, 4);
    int32_t *of_vertex = ilex_storage_data(v2e), *edge = ilex_storage_data(e2v);
    int32_t *vertex = ilex_storage_data(at);
    double *value = ilex_storage_data(p), *face = ilex_storage_data(faces);
    double *way = ilex_storage_data(sign);
    for (int64_t k = 0; k < nv; k++) {
        vertex[k] = shuffled(k, nv);
        double x = (double)(k / n) * h, y = (double)(k % n) * h;
        value[vertex[k]] = sin(5 * x) * cos(3 * y) + x * y;
    }
    for (int64_t k = 0; k < 4 * nv; k++)
        of_vertex[k] = -1;
    for (int64_t k = 0; k < ne; k++) { /* first those along I, then along J */
        int64_t d = k / (n * (n - 1)), r = k % (n * (n - 1));
        int64_t i = d ? r / (n - 1) : r / n, j = d ? r % (n - 1) : r % n;
        int32_t e = shuffled(k, ne);
        int32_t ends[2] = {vertex[i * n + j], vertex[(i + !d) * n + j + d]};
        for (int s = 0; s < 2; s++) {
            int slot = 0;
            while (of_vertex[4 * ends[s] + slot] >= 0)
                slot++;
            edge[2 * e + s] = ends[s];
            of_vertex[4 * ends[s] + slot] = e;
            way[4 * ends[s] + slot] = s ? -1 : 1;
            face[2 * e + s] = s == d ? h : 0;
        }
    }
    ilex_module *module = need(ilex_module_parse(ctx, text, NULL));
    ilex_program *program = need(ilex_compile_module(module));
    ilex_module_free(module);
    const ilex_binding b[] = {
        ILEX_BIND("v2e", v2e),         ILEX_BIND("e2v", e2v),
        ILEX_BIND("at", at),           ILEX_BIND("p", p),
        ILEX_BIND("faces", faces),     ILEX_BIND("sign", sign),
        ILEX_BIND_F64("volume", h * h)};
    ilex_storage *out[2];
    if (ilex_evaluate(ctx, program, b, 7, out))
        need(NULL);
    const double *g = ilex_storage_const_data(out[0]);
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++) {
            const double *here = &g[2 * vertex[i * n + j]];
            double dx =
                value[vertex[(i + 1) * n + j]] - value[vertex[(i - 1) * n + j]];
            double dy =
                value[vertex[i * n + j + 1]] - value[vertex[i * n + j - 1]];
            worst = fmax(worst, fabs(here[0] - dx / (2 * h)));
            worst = fmax(worst, fabs(here[1] - dy / (2 * h)));
        }
    printf("%lld vertices, %lld edges: central differences to %.1e\n",
           (long long)nv, (long long)ne, worst);
    if (argc > 2 && ilex_png_write(ctx, argv[2], out[1], NULL))
        need(NULL);
    ilex_storage *all[] = {v2e, e2v, at, p, faces, sign, out[0], out[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ilex_storage_release(all[i]);
    ilex_program_release(program);
    ilex_context_free(ctx);
    return worst > 1e-11;
}
