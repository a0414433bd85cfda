/* SPDX-License-Identifier: MIT
 *
 * Runs over ranks: the bits of one process.
 */
#include "runtime/program/forecast.h"
#include "tests/unit/ranks_fixture.h"

#define N(value) .size = {{"n", value}}, .nsizes = 1
#define NM(first, second) .size = {{"n", first}, {"m", second}}, .nsizes = 2

#define LAPLACE                                                                \
    "ilex 1\nprogram laplace\nsize n, m\n"                                     \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "out y = u[I-1] + u[I+1] + u[J-1] + u[J+1] - 4.0*u\n"
#define CORNERS                                                                \
    "ilex 1\nprogram corners\nsize n, m\n"                                     \
    "in u : f64[I:n, J:m] halo(I:2:1, J:1:2)\n"                                \
    "out y = u[I-2, J-1]*3.0 + u[I+1, J+2] - u[I-2, J+2] + u[I+1, J-1]\n"

/* Outputs on other ranges: parts may have points of some only. */
#define RANGES                                                                 \
    "ilex 1\nprogram ranges\nsize n, m\nassume n >= 4\n"                       \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "let c = u[I-1] * u[I+1] + u[J-1]\n"                                       \
    "out a = c - u\n"                                                          \
    "out b : f64[I:1:n-1, J:m] = c[I=1:n-1]\n"                                 \
    "out d : f64[I:2:4, J:m] = u[I=2:4] + c[I=2:4]\n"
#define STAGGERED                                                              \
    "ilex 1\nprogram staggered\nsize n, m\n"                                   \
    "in h : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "in v : f64[I+1/2:n, J:m] halo(I+1/2:1:1, J:1:1)\n"                        \
    "out x = v + h[I+1/2] - h[I-1/2]\n"                                        \
    "out y = h + v[I-1/2] * v[I+1/2]\n"
/* Indices and random numbers are those of the whole. */
#define GLOBAL                                                                 \
    "ilex 1\nprogram global\nsize n, m\n"                                      \
    "in u : f32[I:n, J:m, K:3] halo(I:1:1, K:1:1)\n"                           \
    "in w : f64[J:m]\n"                                                        \
    "in s : f64[]\n"                                                           \
    "out y = where(index(I) == 0 || index(J) == m - 1, w*s, "                  \
    "f64(u[I-1, K+1] + u[I+1, K-1]))\n"                                        \
    "out z = index(I)*index(J) + i64(u)\n"
#define PIPELINE                                                               \
    "ilex 1\nprogram pipeline\nsize n, m\n"                                    \
    "in u : f64[I:n, J:m] halo(I:4:4, J:4:4)\n"                                \
    "let a = u[I-1] + u[I+1] + u[J-1] + u[J+1]\n"                              \
    "let b = a[I-1] * a[I+1] + a[J-1] - a[J+1]\n"                              \
    "let c = b[I-1] + b[I+1] + b[J-1] + b[J+1]\n"                              \
    "out y = c[I-1] - c[I+1] + c[J-1] + c[J+1]\n"                              \
    "out z = a - b\n"

#define HDIFF                                                                  \
    "ilex 1\nprogram hdiff\nsize n, m\n"                                       \
    "in u : f64[I:n, J:m] halo(I:2:2, J:2:2)\n"                                \
    "in c : f64[I:n, J:m]\n"                                                   \
    "let l = 4.0*u - u[I-1] - u[I+1] - u[J-1] - u[J+1]\n"                      \
    "let f = where((l[I+1] - l)*(u[I+1] - u) > 0.0, 0.0, l[I+1] - l)\n"        \
    "let g = where((l[J+1] - l)*(u[J+1] - u) > 0.0, 0.0, l[J+1] - l)\n"        \
    "out y = u - c*(f - f[I-1] + g - g[J-1])\n"
/* The last rank reads nothing beyond its part. */
#define SHORT                                                                  \
    "ilex 1\nprogram short\nsize n, m\nassume n >= 2\n"                        \
    "in u : f64[I:n, J:m]\nout y = u[I+1] - u\n"
/* A part that has points of some outputs alone reads farther than others. */
#define FARTHER                                                                \
    "ilex 1\nprogram farther\nsize n, m\nassume n >= 4\n"                      \
    "in u : f64[I:n, J:m]\n"                                                   \
    "let d = u - u[I-1]\n"                                                     \
    "out a : f64[I:1:n, J:m] = d[I=1:n]\n"                                     \
    "out b : f64[I:1:2, J:m] = u[I=1:2]\n"
#define ENDS                                                                   \
    "ilex 1\nprogram ends\nsize n, m\nassume n >= 4\n"                         \
    "in u : f64[I:n, J:m]\n"                                                   \
    "let d = u[I+1] - u[I-1]\n"                                                \
    "out a : f64[I:1:n-1, J:m] = d[I=1:n-1]\n"                                 \
    "out b : f64[I:0:1, J:m] = u[I=0:1]\n"                                     \
    "out c : f64[I:n-1:n, J:m] = u[I=n-1:n]\n"
/* What one part alone has is read beyond another axis, by some ranks at first,
 * so that their neighbours along the other one are to be told of it. */
#define BESIDE                                                                 \
    "ilex 1\nprogram beside\nsize n, m\nassume n >= 4\nassume m >= 4\n"        \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\nout a = u[I+1]\n"                \
    "out b : f64[I:n-1:n, J:m] = (u[J+1] - u[J-1])[I=n-1:n]\n"                 \
    "out c : f64[I:n, J:m-1:m] = (u[I+1] + u[I-1])[J=m-1:m]\n"
#define POINTS                                                                 \
    "ilex 1\nprogram points\nsize n, m\n"                                      \
    "in u : f64[I:n, J:m]\nout y = exp(u) * u\n"
#define SUMMED                                                                 \
    "ilex 1\nprogram summed\nsize n, m\n"                                      \
    "in u : f64[I:n, J:m]\nout y = u - sum[I](u)\n"
/* Sums, extremes, positions and scans along divided axes, one of another,
 * inside and outside of a stencil. */
#define ALONG                                                                  \
    "ilex 1\nprogram along\nsize n, m\nassume n >= 2\n"                        \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\nin w : f64[J:m]\n"               \
    "let s = sum[I, J](u*w)\nlet r = sum[J](u*w)\n"                            \
    "let d = u[I+1] - u[J-1] + r\nlet e = max[I](abs(d) - s)\n"                \
    "out t : f64[] = s + sum[J](e)\nout a = d - s + r*e\n"                     \
    "out b = cumsum(u; axis=I)\nout c = cumsum(e; axis=J) + cumsum(r; "        \
    "axis=I, "                                                                 \
    "reverse=1)\nout f = argmax[I, J](u)\nout g = f64(any[J](u > w))\n"
/* One along the other axis; one of what another one gave; many chunks; one
 * beside a halo. */
#define TURNED                                                                 \
    "ilex 1\nprogram turned\nsize n, m\nin u : f64[I:n, J:n]\n"                \
    "map t[I=i:n, J=j:n] = u[j, i]\nout y = t + u\n"
#define LEVELS                                                                 \
    "ilex 1\nprogram levels\nsize n, m\nin u : f64[I:n, J:m]\n"                \
    "let r = sum[I, J](u)\nlet e = max[I](u - r)\nout y = u*e\n"
#define LONG                                                                   \
    "ilex 1\nprogram long\nsize n, m\nin a : f64[I:n]\n"                       \
    "in u : f32[I:n, J:m]\nout d : f64[] = sum[I](a*a)\nout c = sum[I](u)\n"   \
    "out e = prod[I](1.0 + a/1e6) + min[I](u)\n"
#define NEIGHBOUR                                                              \
    "ilex 1\nprogram neighbour\nsize n, m\n"                                   \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "out y = u[I+1] - u[J-1] + sum[I](u)\n"
/* Arrays that are not where the grid is: they end in one part, or begin. */
#define AHEAD                                                                  \
    "ilex 1\nprogram ahead\nsize n, m\nin u : f64[I:n, J:m] halo(I:3:0, "      \
    "J:2:0)"                                                                   \
    "\nout v : f64[I:3:n+3, J:m] = u[I-3][J-2]\n"
#define PLACE                                                                  \
    "ilex 1\nprogram place\nsize n, m\nassume n >= 9\nin v : f64[I:n]\n"       \
    "in w : f64[I:m]\nlet s = v - sum(v)\nmap z[I=i:n] = s[8]*v[i]\n"          \
    "out y = z\nout x : f64[] = sum[I](w)\n"
#define PUT                                                                    \
    "ilex 1\nprogram put\nsize n, m\nassume m >= 1\nin k : i64[I:n]\n"         \
    "in u : f64[I:n]\nmap kk[n] = k[_0] % m\nout h = bincount(kk; length=m)\n" \
    "out v = cumsum(u) inplace u\n"
#define CONTRACTED                                                             \
    "ilex 1\nprogram contracted\nsize n, m\n"                                  \
    "in a : f64[I:n, J:m]\nin b : f64[J:m, K:3]\nin x : f32[J:m]\n"            \
    "einsum c = a[i, j]*b[j, k]\neinsum d = a[i, j]*x[j]\n"                    \
    "einsum e = a[i, j]*a[i, j]\nout y = c + d\nout z : f64[] = e\n"
/* An array read by an index that is data, from the other end, by another axis,
 * joined to another one, changed at a place. */
#define INDICES                                                                \
    "ilex 1\nprogram indices\nsize n, m\nassume n >= m\nassume m >= 3\n"       \
    "in u : f64[I:n, J:m]\nin q : i64[I:n]\nin v : f64[n]\n"                   \
    "let w = 2.0*u\n"                                                          \
    "map g[I=i:n, J=j:m] = w[min(max(q[i], 0), n-1), j] + u[n-1-i, m-1-j]\n"   \
    "map h[I=i:m, J=j:m] = g[j, i] + w[i, j]\n"                                \
    "map l[i:n] = u[i, 0]\nreshape k[n] = l\n"                                 \
    "out a = g\nout b = h\nout c = concat(k, v)\nout d = sort(k)\n"
#define LOOKED_UP                                                              \
    "ilex 1\nprogram looked_up\nsize n, m\nin u : f64[I:n]\nin k : i64[I:n]\n" \
    "let w = 2.0*u\nmap b[i:n] = w[k[i] + 10000]\nout y = b\n"
#define COUNTED                                                                \
    "ilex 1\nprogram counted\nsize n, m\n"                                     \
    "in u : f64[I:n, J:m]\nin v : f64[n]\n"                                    \
    "out y = u * 2.0\nout z = compress(v > 0.0, v)\n"

static const ranks_case cases[] = {
    {LAPLACE, "I:2", "I:10", NULL, 1, NM(10, 7)},
    {LAPLACE, "I:2, J:2", "I:10, J:7", NULL, 1, NM(10, 7)},
    {LAPLACE, "J:3", "J:7", NULL, 1, NM(10, 7)},
    {LAPLACE, "I:3, J:2", "I:10, J:7", "I, J", 1, NM(10, 7)},
    {LAPLACE, "I:1, J:2", "I:10, J:7", "I", 1, NM(10, 7)},
    {LAPLACE, "I:8", "I:5", NULL, 1, NM(5, 4)},
    {LAPLACE, "I:4, J:2", "I:3, J:1", "I, J", 1, NM(3, 1)},
    {CORNERS, "I:2, J:2", "I:6, J:8", NULL, 2, NM(6, 8)},
    {CORNERS, "I:2, J:3", "I:6, J:8", "J", 2, NM(6, 8)},
    {CORNERS, "I:6, J:1", "I:4, J:8", "I", 3, NM(4, 8)},
    {RANGES, "I:2, J:2", "I:9, J:4", NULL, 2, NM(9, 4)},
    {RANGES, "I:8", "I:9", NULL, 2, NM(9, 4)},
    {RANGES, "I:6", "I:4", NULL, 2, NM(4, 4)},
    {STAGGERED, "I:3, J:2", "I:7, J:4", NULL, 2, NM(7, 4)},
    {STAGGERED, "I:4", "I:8", "I", 2, NM(8, 4)},
    {GLOBAL, "I:2, J:2", "I:5, J:4", NULL, 2, NM(5, 4)},
    {GLOBAL, "J:3, I:2", "I:5, J:4", "I", 1, NM(5, 4)},
    {PIPELINE, "I:2, J:2", "I:20, J:30", NULL, 4, NM(20, 30)},
    {PIPELINE, "I:4, J:2", "I:9, J:9", "I", 4, NM(9, 9)},
    {HDIFF, "I:3, J:2", "I:11, J:9", "J", 2, NM(11, 9)},
    {HDIFF, "I:2, J:2", "I:26, J:29", NULL, 2, NM(26, 29), .overlap = true},
    {HDIFF, "I:2, J:2", "I:26, J:29", "I, J", 2, NM(26, 29), .overlap = true},
    {STAGGERED, "I:3", "I:27", NULL, 2, NM(27, 4), .overlap = true},
    {CORNERS, "I:2, J:2", "I:26, J:28", "I", 2, NM(26, 28), .overlap = true},
    {SHORT, "I:3", "I:11", NULL, 1, NM(11, 3)},
    {FARTHER, "I:2", "I:8", NULL, 1, NM(8, 3)},
    {ENDS, "I:2", "I:8", NULL, 1, NM(8, 3)},
    {ENDS, "I:4, J:2", "I:9, J:3", NULL, 1, NM(9, 3)},
    {BESIDE, "I:2, J:2", "I:8, J:6", NULL, 1, NM(8, 6)},
    {BESIDE, "I:3, J:3", "I:8, J:6", "I, J", 1, NM(8, 6)},
    {SUMMED, "I:2", "I:10", NULL, 1, NM(10, 7)},
    {ALONG, "I:3", "I:10", NULL, 1, NM(10, 7)},
    {ALONG, "I:2, J:3", "I:40, J:33", NULL, 1, NM(40, 33)},
    {ALONG, "J:4", "J:130", "J", 1, NM(6, 130)},
    {ALONG, "I:8", "I:5", NULL, 1, NM(5, 3)},
    {ALONG, "I:3, J:2", "I:9000, J:2", NULL, 1, NM(9000, 2)},
    {TURNED, "I:2, J:2", "I:9, J:9", NULL, 0, NM(9, 9)},
    {LEVELS, "I:2", "I:9", NULL, 0, NM(9, 4)},
    {LONG, "I:2", "I:9000", NULL, 0, NM(9000, 3)},
    {LONG, "I:4, J:2", "I:9001, J:3", NULL, 0, NM(9001, 3)},
    {NEIGHBOUR, "I:2, J:2", "I:9, J:9", NULL, 1, NM(9, 9), .runs = 2},
    {NEIGHBOUR, "I:3", "I:9", "I", 1, NM(9, 9)},
    {AHEAD, "I:2", "I:14", NULL, 3, NM(6, 3)},
    {AHEAD, "I:2, J:3", "I:14, J:12", NULL, 3, NM(6, 5)},
    {AHEAD, "I:3, J:2", "I:-20:6, J:-9:2", NULL, 3, NM(6, 5)},
    {PLACE, "I:3", "I:14", NULL, 0, NM(14, 14)},
    {PLACE, "I:5", "I:30", NULL, 3, NM(14, 2)},
    {PLACE, "I:3", "I:30000", NULL, 0, NM(16000, 29000)},
    {PUT, "I:2", "I:14", NULL, 3, NM(14, 7)},
    {CONTRACTED, "I:2", "I:5", NULL, 0, NM(5, 40)},
    {CONTRACTED, "J:4", "J:40", NULL, 0, NM(5, 40)},
    {CONTRACTED, "J:3, I:2", "I:5, J:5000", NULL, 0, NM(5, 5000)},
    {INDICES, "I:3", "I:20", NULL, 0, NM(20, 4)},
    {INDICES, "I:2, J:2", "I:20, J:5", NULL, 0, NM(20, 5)},
};

START_TEST(same_bits)
{
    ranks_world w;
    ranks_open(&w, &cases[_i], 5);
    ranks_compare(&w);
    ck_assert_int_eq(w.overlapped[0], cases[_i].overlap);
    ranks_close(&w);
}
END_TEST

/* ---- what is sent ---- */

/* Messages and bytes of a rank for a case, as a formula of the numbers n, m of
 * points gives them; "runs" runs that change no input. */
static const struct {
    ranks_case c;
    int rank;
    int64_t messages, bytes;
    bool foreseen; /* halos are as wide as what is read: that is known before */
} sent[] = {
    /* hdiff: halo 2 of both axes at once; along J with what came along I */
    {{HDIFF, "I:2, J:2", "I:16, J:12", NULL, 2, NM(16, 12)},
     0,
     2,
     8 * (2 * (6 + 2) + 2 * (8 + 2 + 2)),
     true},
    /* in the middle, to both sides; a second run sends nothing */
    {{LAPLACE, "I:3", "I:9", NULL, 1, NM(9, 5), .runs = 3},
     1,
     2,
     8 * 2 * (5 + 2),
     true},
    {{LAPLACE, "I:3", "I:9", NULL, 3, NM(9, 5), .runs = 2},
     0,
     1,
     8 * (5 + 2),
     false},
    /* two neighbours that are one rank: one message */
    {{LAPLACE, "I:2", "I:8", "I", 1, NM(8, 5)}, 1, 1, 8 * 2 * (5 + 2), false},
    /* one rank of a periodic axis sends nothing; ten stages at once */
    {{LAPLACE, "I:1", "I:8", "I", 1, NM(8, 5)}, 0, 0, 0, false},
    {{PIPELINE, "I:2", "I:16", NULL, 4, NM(16, 5)},
     0,
     1,
     8 * 4 * (5 + 8),
     true},
    /* parts that are shorter than halos: to several; in three sections, along
     * rows and columns */
    {{PIPELINE, "I:4, J:3", "I:9, J:9", NULL, 4, NM(9, 9)},
     0,
     4,
     8 * (6 * (3 + 4) + 5 * (2 + 8)),
     true},
    {{LEVELS, "I:2, J:3", "I:9, J:9", NULL, 0, NM(9, 9)},
     0,
     4,
     8 * (4 + 2 * 9 + 3),
     true},
    /* what is read at its own points alone */
    {{POINTS, "I:4, J:2", "I:16, J:12", NULL, 2, NM(16, 12)}, 3, 0, 0, false},
    /* two fields, of which one is read beyond: one message */
    {{STAGGERED, "I:2", "I:8", NULL, 2, NM(8, 4)}, 0, 1, 8 * 4, false},
    {{STAGGERED, "I:2", "I:8", NULL, 2, NM(8, 4)}, 1, 1, 8 * 4, false},
};

/* What all ranks get, by the forecast, is what all have sent. */
static void
check_forecast(const ranks_world *w)
{
    const ranks_case *c = w->c;
    ix_outlook o;
    ix_error err;
    ix_forecast f, all = {.points = 0};
    int64_t messages = 0, bytes = 0;
    ilex_group group = {.size = ranks_of(c)};
    atomic_init(&group.count, 1);
    ix_error_clear(&err);
    ilex_grid *grid =
        ilex_grid_new(ctx, &ILEX_GRID_SPEC(.group = &group, .ranks = c->ranks,
                                           .domain = c->domain));
    ck_assert_int_eq(ix_outlook_open(&o, w->p, grid, c->size, c->nsizes, &err),
                     ILEX_OK);
    for (int r = 0; r < group.size; r++) {
        ck_assert(ix_outlook_rank(&o, r, &f));
        all.messages += f.messages;
        all.bytes += f.bytes;
        messages += w->counts[r].messages;
        bytes += w->counts[r].bytes;
    }
    ck_assert_int_eq(all.messages, messages);
    ck_assert_int_eq(all.bytes, bytes);
    ix_outlook_close(&o);
    ilex_grid_release(grid);
}

START_TEST(messages)
{
    ranks_world w;
    ranks_open(&w, &sent[_i].c, 9);
    ranks_compare(&w);
    if (sent[_i].foreseen)
        check_forecast(&w);
    const ilex_group_counts *n = &w.counts[sent[_i].rank];
    ck_assert_msg(n->messages == sent[_i].messages &&
                      n->bytes == sent[_i].bytes,
                  "%s on %s: rank %d sent %lld messages, %lld bytes",
                  sent[_i].c.text, sent[_i].c.ranks, sent[_i].rank,
                  (long long)n->messages, (long long)n->bytes);
    ranks_close(&w);
}
END_TEST

/* ---- what cannot be ---- */

static const ranks_case refused[] = {
    {LAPLACE, "I:2", "I:10", NULL, 0, NM(10, 7), "make it with a halo as wide"},
    {COUNTED, "I:2", "I:10", NULL, 1, NM(10, 7), "counts lengths"},
    {LOOKED_UP, "I:2", "I:10", NULL, 1, NM(10, 7),
     "is data and leaves [0, 10), which w covers"},
};

START_TEST(refusals)
{
    ranks_world w;
    ranks_open(&w, &refused[_i], 3);
    ranks_compare(&w);
    ranks_close(&w);
}
END_TEST

/* ---- the same run again ---- */

enum { AGAIN_POINTS = 8 };

/* Runs, and says what is at a point of this rank's. */
static double
run_once(const ilex_program *p, ilex_binding *b)
{
    int64_t at[] = {1};
    double is = -1;
    ilex_call call = {.size = sizeof call, .threads = 1};
    ilex_storage_fill(NULL, b[2].storage, 0);
    if (ilex_run(p, b, 3, &call))
        fprintf(stderr, "%s\n", call.error);
    ilex_storage_get_f64(b[2].storage, at, &is);
    return is;
}

/* The third run sends nothing and is the second one again; one with another
 * number, another storage, or other elements is not. */
static int
run_again(ilex_group *g, void *user)
{
    ilex_context *own = ilex_context_new(NULL);
    ilex_grid *grid = ilex_grid_new(
        own, &ILEX_GRID_SPEC(.group = g, .ranks = "I:2", .domain = "I:8"));
    ilex_storage *u = filled(own, grid, AGAIN_POINTS, 1),
                 *w = filled(own, grid, AGAIN_POINTS, 0);
    ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_F64("dt", 2),
                        ILEX_BIND("w", w)};
    bool ok = true;
    for (int k = 0; k < 4; k++)
        ok &= run_once(user, b) == 4; /* dt*(u[I-1] + u[I+1]) */
    ok &= grid->again != NULL;
    b[1].re = 3;
    ok &= run_once(user, b) == 6;
    ilex_storage_fill(own, u, 5 + ilex_group_rank(g));
    for (int k = 0; k < 3; k++)
        ok &= run_once(user, b) == (ilex_group_rank(g) ? 33 : 30);
    for (int k = 0; k < 3; k++) { /* perhaps where the last one was */
        ilex_storage_release(b[0].storage);
        b[0].storage = filled(own, grid, AGAIN_POINTS, k);
        ok &= run_once(user, b) == 6 * k;
        ok &= run_once(user, b) == 6 * k;
    }
    ilex_storage_release(b[0].storage);
    ilex_storage_release(w);
    ilex_grid_release(grid);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(again)
{
    ilex_program *p =
        compile("ilex 1\nprogram again\nsize n\nin u : f64[I:n] halo(I:1:1)\n"
                "in dt : f64\nout w = dt*(u[I-1] + u[I+1])\n");
    ck_assert_int_eq(
        ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = 2), run_again, p),
        ILEX_OK);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, same_bits, 0, (int)IX_COUNT(cases));
    tcase_add_loop_test(tests, messages, 0, (int)IX_COUNT(sent));
    tcase_add_loop_test(tests, refusals, 0, (int)IX_COUNT(refused));
    tcase_add_test(tests, again);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
