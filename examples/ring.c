/* SPDX-License-Identifier: MIT
 *
 * A product of matrices by ranks that send each other messages: each has rows
 * of A and of C = A*B, and one block of rows of B, which go round. The program
 * says what comes and what goes on; a rank multiplies by a block as soon as it
 * is there.
 *
 *     ring [RANKS [ROWS]]
 *
 * ROWS are those of a block of B.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What all ranks share. */
typedef struct job {
    ilex_program *program;
    int64_t ranks, rows;
    double worst; /* difference, of rank 0 */
    int64_t messages;
} job;

/* The program of each rank; block d of its rows of A is for what is d ranks
 * before it in the ring. */
static ilex_program *
compile(ilex_context *ctx, int ranks)
{
    char text[20000];
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    PUT("ilex 1\nprogram ring\nsize rows, left, right\n"
        "in a : f64[%d, rows, rows]\nin b0 : f64[rows, rows]\n",
        ranks);
    for (int d = 1; d < ranks; d++)
        PUT("in b%d : f64[rows, rows]\nrecv b%d from left tag %d\n"
            "send b%d to right tag %d\n",
            d, d, d, d - 1, d);
    PUT("out c = ");
    for (int d = 0; d < ranks; d++)
        PUT("%smatmul(a[%d], b%d)", d ? " + " : "", d, d);
    PUT("\n");
    ilex_module *m = ilex_module_parse(ctx, text, "ring");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_module_free(m);
    return p;
}

static double
element_a(int64_t i, int64_t j)
{
    return 1.0 / (double)(1 + i + j);
}

static double
element_b(int64_t i, int64_t j)
{
    return cos((double)(i - 2 * j));
}

static void
set(ilex_size_binding *size, const job *j, int rank)
{
    size[0] = (ilex_size_binding){"rows", j->rows};
    size[1] = (ilex_size_binding){"left", (rank + j->ranks - 1) % j->ranks};
    size[2] = (ilex_size_binding){"right", (rank + 1) % j->ranks};
}

/* Do the programs of all ranks fit together? */
static ilex_status
check(ilex_context *ctx, const job *j)
{
    ilex_rank_program *rank = calloc((size_t)j->ranks, sizeof *rank);
    ilex_size_binding(*size)[3] = calloc((size_t)j->ranks, sizeof *size);
    ilex_status rc = rank && size ? ILEX_OK : ILEX_E_MEMORY;
    for (int r = 0; !rc && r < j->ranks; r++) {
        set(size[r], j, r);
        rank[r] = (ilex_rank_program){j->program, size[r], 3};
    }
    rc = rc ? rc : ilex_group_check(ctx, rank, (int)j->ranks);
    free(rank);
    free(size);
    return rc;
}

/* The largest difference from what loops give. */
static double
compare(const job *j, int rank, const double *c)
{
    double worst = 0;
    for (int64_t i = 0; i < j->rows; i++)
        for (int64_t k = 0; k < j->rows; k++) {
            double sum = 0;
            for (int64_t q = 0; q < j->ranks * j->rows; q++)
                sum += element_a(rank * j->rows + i, q) * element_b(q, k);
            worst = fmax(worst, fabs(sum - c[i * j->rows + k]));
        }
    return worst;
}

static int
multiply(ilex_group *group, void *user)
{
    job *j = user;
    int rank = ilex_group_rank(group);
    int64_t shape[] = {j->ranks, j->rows, j->rows};
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_storage *a =
        ilex_storage_new(ctx, &ILEX_STORAGE_SPEC(.rank = 3, .shape = shape));
    ilex_storage *b = ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape + 1));
    ilex_storage *c = ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape + 1));
    double *to = ilex_storage_data(a);
    for (int64_t d = 0; d < j->ranks; d++)
        for (int64_t i = 0; i < j->rows; i++)
            for (int64_t k = 0; k < j->rows; k++)
                *to++ =
                    element_a(rank * j->rows + i,
                              (rank - d + j->ranks) % j->ranks * j->rows + k);
    to = ilex_storage_data(b);
    for (int64_t i = 0; i < j->rows; i++)
        for (int64_t k = 0; k < j->rows; k++)
            *to++ = element_b(rank * j->rows + i, k);
    ilex_size_binding size[3];
    set(size, j, rank);
    ilex_call call = {.size = sizeof call,
                      .threads = 1,
                      .sizes = size,
                      .size_count = 3,
                      .group = group};
    ilex_binding bind[] = {ILEX_BIND("a", a), ILEX_BIND("b0", b),
                           ILEX_BIND("c", c)};
    ilex_status rc = ilex_run(j->program, bind, 3, &call);
    if (rc)
        fprintf(stderr, "rank %d: %s\n", rank, call.error);
    if (rank == 0) {
        ilex_group_counts counts;
        ilex_group_counted(group, &counts);
        j->messages = counts.messages;
        j->worst = rc ? INFINITY : compare(j, rank, ilex_storage_data(c));
    }
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_storage_release(c);
    ilex_context_free(ctx);
    return (int)rc;
}

int
main(int argc, char **argv)
{
    job j = {.ranks = argc > 1 ? atoi(argv[1]) : 4,
             .rows = argc > 2 ? atoi(argv[2]) : 64};
    if (j.ranks < 2 || j.ranks > 64 || j.rows < 1 || j.rows > 4096) {
        fprintf(stderr, "usage: ring [RANKS [ROWS]], 2 to 64, 1 to 4096\n");
        return 2;
    }
    ilex_context *ctx = ilex_context_new(NULL);
    j.program = compile(ctx, (int)j.ranks);
    ilex_status rc = j.program ? check(ctx, &j) : ilex_error_code(ctx);
    rc = rc ? rc
            : ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = (int)j.ranks),
                             multiply, &j);
    if (rc)
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
    else
        printf("%lld blocks of %lld rows; rank 0 sent %lld messages; right to "
               "1e-10: %s\n",
               (long long)j.ranks, (long long)j.rows, (long long)j.messages,
               j.worst < 1e-10 ? "yes" : "no");
    ilex_program_release(j.program);
    ilex_context_free(ctx);
    return rc || j.worst >= 1e-10;
}
