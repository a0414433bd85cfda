/* SPDX-License-Identifier: MIT
 *
 * Heat on an unstructured mesh over ranks: triangles in no order, edges between
 * them, flows through edges. Each rank owns the triangles of a sector; what its
 * edges and triangles read of others is found from the tables and sent element
 * by element. Then the same by one rank alone: the results have the same bits.
 *
 *     mesh [N [STEPS [RANKS]]]
 */
#include <ilex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char heat[] =
    "ilex 1\nprogram heat\nsize n, m, nt\n"
    "in u : f64[C:n]\n"
    "in cells : i32[E:m, S:2]    # on both sides of an edge\n"
    "in edges : i32[C:n, P:3]    # around a triangle\n"
    "in sign : f64[C:n, P:3]     # 1.0 where a flow comes in\n"
    "loop t[0:nt] w : f64[C:n] = u\n"
    "  map flow[E=e:m] = w[cells[e, 1]] - w[cells[e, 0]]\n"
    "  map into[C=c:n] = sum[p:3](sign[c, p]*flow[edges[c, p]])\n"
    "  next w = w + 0.1*into\n"
    "end\n"
    "out x = w\nout total = sum[C](w)\n";

/* Triangles by the corners that they have, x and y of their middles; edges by
 * the triangles beside them. */
typedef struct mesh {
    int64_t n, m, side;
    int32_t (*corner)[3], (*edge)[3], (*cell)[2];
    double (*sign)[3], *x, *y;
} mesh;

static uint64_t state = 1;

static int64_t
pick(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(state >> 33) % below;
}

/* Squares cut along a diagonal by chance, and shuffled. */
static void
make_triangles(mesh *m)
{
    int64_t k = 0;
    int32_t w = (int32_t)m->side + 1;
    for (int32_t i = 0; i < m->side; i++)
        for (int32_t j = 0; j < m->side; j++) {
            int32_t a = i * w + j, b = a + 1, c = a + w, d = c + 1;
            bool turn = pick(2);
            int32_t two[2][3] = {{a, b, turn ? d : c}, {turn ? a : b, c, d}};
            memcpy(m->corner[k], two, sizeof two);
            k += 2;
        }
    for (int64_t i = m->n; i-- > 1;) {
        int32_t other[3];
        int64_t j = pick(i + 1);
        memcpy(other, m->corner[i], sizeof other);
        memcpy(m->corner[i], m->corner[j], sizeof other);
        memcpy(m->corner[j], other, sizeof other);
    }
    for (int64_t i = 0; i < m->n; i++)
        for (int p = 0; p < 3; p++) {
            m->x[i] += (double)(m->corner[i][p] / w) / 3;
            m->y[i] += (double)(m->corner[i][p] % w) / 3;
        }
}

/* A side of a triangle: its ends, the lower one first. */
typedef struct side {
    int32_t a, b, cell, p;
} side;

static int
by_ends(const void *x, const void *y)
{
    const side *s = x, *t = y;
    int32_t d = s->a != t->a ? s->a - t->a : s->b - t->b;
    return d ? d : s->cell - t->cell;
}

/* Sides with the same ends are an edge; one at the border has a triangle on
 * both sides, so that nothing flows. */
static bool
make_edges(mesh *m)
{
    side *s = calloc((size_t)m->n * 3, sizeof *s);
    for (int64_t i = 0; s && i < 3 * m->n; i++) {
        int32_t a = m->corner[i / 3][i % 3], b = m->corner[i / 3][(i + 1) % 3];
        s[i] = (side){a < b ? a : b, a < b ? b : a, (int32_t)(i / 3),
                      (int32_t)(i % 3)};
    }
    if (s)
        qsort(s, (size_t)m->n * 3, sizeof *s, by_ends);
    for (int64_t i = 0; s && i < 3 * m->n; i++) {
        bool second = i > 0 && s[i].a == s[i - 1].a && s[i].b == s[i - 1].b;
        int64_t e = second ? m->m - 1 : m->m++;
        m->edge[s[i].cell][s[i].p] = (int32_t)e;
        m->sign[s[i].cell][s[i].p] = second ? -1 : 1;
        m->cell[e][1] = s[i].cell;
        m->cell[e][0] = second ? m->cell[e][0] : s[i].cell;
    }
    free(s);
    return s != NULL;
}

/* ---- ranks ---- */

typedef struct job {
    const ilex_program *program;
    const mesh *m;
    int64_t steps;
    int64_t *cells, *edges; /* which one becomes number i */
    int64_t *place;         /* of a triangle: its number */
    int64_t *edge_place;
    int64_t *boundary[2];  /* of triangles, of edges */
    double *result, total; /* by the first numbers */
    ilex_group_counts sent;
} job;

/* Owners: of a triangle its sector of the circle, of an edge its first
 * triangle's. */
static ilex_status
divide(ilex_context *ctx, job *j, int ranks)
{
    const mesh *m = j->m;
    int32_t *owner = calloc((size_t)(m->n + m->m), sizeof *owner);
    double half = (double)m->side / 2;
    if (!owner)
        return ILEX_E_MEMORY;
    for (int64_t i = 0; i < m->n; i++) {
        double turn = atan2(m->y[i] - half, m->x[i] - half) / 6.2831853072;
        owner[i] = (int32_t)((turn + 0.5) * 0.999999 * ranks);
    }
    for (int64_t e = 0; e < m->m; e++)
        owner[m->n + e] = owner[m->cell[e][0]];
    ilex_status rc =
        ilex_grid_order(ctx, owner, m->n, ranks, j->cells, j->boundary[0]);
    rc = rc ? rc
            : ilex_grid_order(ctx, owner + m->n, m->m, ranks, j->edges,
                              j->boundary[1]);
    for (int64_t i = 0; i < m->n; i++)
        j->place[j->cells[i]] = i;
    for (int64_t e = 0; e < m->m; e++)
        j->edge_place[j->edges[e]] = e;
    free(owner);
    return rc;
}

static ilex_storage *
field(ilex_context *ctx, ilex_grid *grid, const char *dtype, const char *axes,
      int64_t n, int64_t columns)
{
    int64_t shape[] = {n, columns};
    return ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.dtype = dtype, .rank = columns ? 2 : 1,
                                .shape = shape, .axes = axes, .grid = grid));
}

/* This rank's part of fields and tables, in the new numbers. */
static void
fill(const job *j, const ilex_binding *b)
{
    const mesh *m = j->m;
    int64_t lo, hi;
    double *u = ilex_storage_data(b[0].storage),
           *sign = ilex_storage_data(b[3].storage);
    int32_t *cells = ilex_storage_data(b[1].storage),
            *edges = ilex_storage_data(b[2].storage);
    ilex_storage_domain(b[0].storage, 0, &lo, &hi);
    for (int64_t i = lo; i < hi; i++, u++, edges += 3, sign += 3) {
        int64_t c = j->cells[i];
        *u = m->x[c] < (double)m->side / 3 ? 1 : 0;
        for (int p = 0; p < 3; p++) {
            edges[p] = (int32_t)j->edge_place[m->edge[c][p]];
            sign[p] = m->sign[c][p];
        }
    }
    ilex_storage_domain(b[1].storage, 0, &lo, &hi);
    for (int64_t e = lo; e < hi; e++, cells += 2)
        for (int s = 0; s < 2; s++)
            cells[s] = (int32_t)j->place[m->cell[j->edges[e]][s]];
}

static ilex_status
advance(ilex_context *ctx, job *j, ilex_grid *grid)
{
    const mesh *m = j->m;
    ilex_binding b[] = {
        ILEX_BIND("u", field(ctx, grid, "f64", "C", m->n, 0)),
        ILEX_BIND("cells", field(ctx, grid, "i32", "ES", m->m, 2)),
        ILEX_BIND("edges", field(ctx, grid, "i32", "CP", m->n, 3)),
        ILEX_BIND("sign", field(ctx, grid, "f64", "CP", m->n, 3)),
        ILEX_BIND("x", field(ctx, grid, "f64", "C", m->n, 0)),
        ILEX_BIND("total", ilex_storage_zeros(ctx, ILEX_F64, 0, NULL))};
    ilex_call call = {.size = sizeof call,
                      .threads = 1,
                      .sizes = &(ilex_size_binding){"nt", j->steps},
                      .size_count = 1};
    ilex_status rc = ilex_error_code(ctx);
    int64_t lo, hi;
    if (!rc)
        fill(j, b);
    rc = rc ? rc : ilex_run(j->program, b, 6, &call);
    if (call.error[0])
        fprintf(stderr, "mesh: %s\n", call.error);
    const double *x = rc ? NULL : ilex_storage_const_data(b[4].storage);
    if (x) {
        ilex_storage_domain(b[4].storage, 0, &lo, &hi);
        for (int64_t i = lo; i < hi; i++) /* each rank its own */
            j->result[j->cells[i]] = x[i - lo];
    }
    if (!rc && ilex_group_rank(ilex_grid_group(grid)) == 0) {
        ilex_storage_get_f64(b[5].storage, NULL, &j->total);
        ilex_group_counted(ilex_grid_group(grid), &j->sent);
    }
    for (int i = 0; i < 6; i++)
        ilex_storage_release((ilex_storage *)(uintptr_t)b[i].storage);
    return rc;
}

static int
rank(ilex_group *group, void *user)
{
    job *j = user;
    char ranks[40];
    snprintf(ranks, sizeof ranks, "C:%d, E=C", ilex_group_size(group));
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        ctx,
        &ILEX_GRID_SPEC(.group = group, .ranks = ranks,
                        .boundaries = (const int64_t *const *)j->boundary));
    ilex_status rc = grid ? advance(ctx, j, grid) : ilex_error_code(ctx);
    if (ilex_error_code(ctx))
        fprintf(stderr, "mesh: %s\n", ilex_error_text(ctx));
    ilex_grid_release(grid);
    ilex_context_free(ctx);
    return (int)rc;
}

/* Memory of so many elements, or the end. */
static void *new (int64_t n, size_t bytes)
{
    void *p = calloc((size_t)n + 1, bytes);
    if (!p)
        exit(1);
    return p;
}

static ilex_status
run(ilex_context *ctx, job *j, int ranks)
{
    const mesh *m = j->m;
    j->cells = new (m->n, 8), j->place = new (m->n, 8);
    j->edges = new (m->m, 8), j->edge_place = new (m->m, 8);
    j->boundary[0] = new (ranks, 8), j->boundary[1] = new (ranks, 8);
    j->result = new (m->n, 8);
    ilex_status rc = divide(ctx, j, ranks);
    rc = rc ? rc
            : ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = ranks), rank, j);
    free(j->cells), free(j->place), free(j->edges), free(j->edge_place);
    free(j->boundary[0]), free(j->boundary[1]);
    return rc;
}

int
main(int argc, char **argv)
{
    mesh m = {.side = argc > 1 ? atoll(argv[1]) : 60};
    int ranks = argc > 3 ? atoi(argv[3]) : 4;
    m.n = 2 * m.side * m.side;
    m.corner = new (m.n, sizeof *m.corner), m.edge = new (m.n, sizeof *m.edge);
    m.cell = new (3 * m.n, sizeof *m.cell), m.sign = new (m.n, sizeof *m.sign);
    m.x = new (m.n, 8), m.y = new (m.n, 8);
    make_triangles(&m);
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *module = ilex_module_parse(ctx, heat, NULL);
    ilex_program *p = module ? ilex_compile_module(module) : NULL;
    job many = {.program = p, .m = &m, .steps = argc > 2 ? atoll(argv[2]) : 50},
        one = many;
    ilex_status rc = !p               ? ilex_error_code(ctx)
                     : make_edges(&m) ? run(ctx, &many, ranks)
                                      : ILEX_E_MEMORY;
    rc = rc ? rc : run(ctx, &one, 1);
    bool same = !rc && !memcmp(one.result, many.result, (size_t)m.n * 8);
    if (rc)
        fprintf(stderr, "mesh: %s\n", ilex_error_text(ctx));
    else
        printf("%lld triangles, %lld edges, %lld steps on %d ranks: rank 0 "
               "sent %lld messages, %lld bytes; heat %.9g\n%s\n",
               (long long)m.n, (long long)m.m, (long long)many.steps, ranks,
               (long long)many.sent.messages, (long long)many.sent.bytes,
               many.total,
               same ? "one rank alone gives the same bits"
                    : "one rank alone gives OTHER bits");
    free(one.result), free(many.result);
    free(m.corner), free(m.edge), free(m.cell), free(m.sign);
    free(m.x), free(m.y);
    ilex_program_release(p);
    ilex_module_free(module);
    ilex_context_free(ctx);
    return rc || !same;
}
