/* SPDX-License-Identifier: MIT
 *
 * What ilex_repro() writes. tests/integration/test_replay.sh replays the files
 * that the variables ILEX_REPRO_FAILS and ILEX_REPRO_RUNS name.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/unit/graph_fixture.h"

static const char text[] =
    "ilex 1\nprogram p\nsize n\nin a : f64\nin k : i64[I:n]\n"
    "in u : f64[I:n] halo(I:1:0)\n"
    "out v : f64[I:n] = a*u[I-1] + u\nmap g[I:n] = u[k[I]]\n"
    "out w : f64[I:n] = g\n";

enum { N = 3 };

typedef struct job {
    ilex_program *p;
    ilex_module *m;
    ilex_storage *u, *k, *v, *w;
    ilex_binding b[6];
    ilex_call call;
} job;

static ilex_storage *
field(const char *dtype, int64_t n, int64_t low, int64_t step)
{
    char *memory = calloc(64, 8);
    ilex_storage *s = ilex_storage_new(
        ctx, &ILEX_STORAGE_SPEC(.dtype = dtype, .rank = 1, .shape = &n,
                                .axes = "I", .halo = (int64_t[]){low, 0},
                                .data = memory, .strides = &step));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* "wrong": an index that is data is out of range. */
static job
open_job(bool wrong)
{
    job j = {.m = ilex_module_parse(ctx, text, "p"),
             .u = field("f64", N + 1, 1, 2),
             .k = field("i64", N, 0, 1),
             .v = field("f64", N, 0, 1),
             .w = field("f64", N, 0, 1),
             .call = ILEX_CALL(.threads = 2)};
    ck_assert_msg(j.m != NULL, "%s", ilex_error_text(ctx));
    j.p = ilex_compile_module(j.m);
    for (int64_t i = 0; i <= N; i++)
        ilex_storage_set_f64(j.u, &i, 0.5 + (double)i);
    ilex_storage_set_i64(j.k, (int64_t[]){1}, wrong ? 7 : 2);
    memcpy(j.b,
           (ilex_binding[]){ILEX_BIND("u", j.u), ILEX_BIND_F64("a", 0.5),
                            ILEX_BIND("k", j.k), ILEX_BIND("v", j.v),
                            ILEX_BIND("w", j.w)},
           5 * sizeof *j.b);
    return j;
}

static void
close_job(job *j)
{
    ilex_storage *all[] = {j->u, j->k, j->v, j->w};
    for (size_t i = 0; i < IX_COUNT(all); i++) {
        free(ilex_storage_data(all[i]));
        ilex_storage_release(all[i]);
    }
    ilex_program_release(j->p);
    ilex_module_free(j->m);
}

/* Runs, which fails or not, and writes what is needed for that. */
static ilex_status
write_job(const char *path, bool wrong, unsigned flags)
{
    job j = open_job(wrong);
    ck_assert_int_eq(ilex_run(j.p, j.b, 5, &j.call),
                     wrong ? ILEX_E_BOUNDS : ILEX_OK);
    ilex_status rc = ilex_repro(j.m, j.b, 5, &j.call, path, flags);
    close_job(&j);
    return rc;
}

/* ---- the file ---- */

static char *
contents(const char *path, size_t *length)
{
    static char bytes[10000];
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    *length = fread(bytes, 1, sizeof bytes - 1, f);
    bytes[*length] = 0;
    fclose(f);
    return bytes;
}

START_TEST(of_a_run)
{
    size_t length;
    char path[] = "/tmp/ilex-repro.XXXXXX";
    ck_assert_int_ge(mkstemp(path), 0);
    ilex_option_set(ctx, "schedule", "kernel k0: vector i0\n");
    ck_assert_int_eq(write_job(path, true, 0), ILEX_OK);
    char *bytes = contents(path, &length);
    static const char *const lines[] = {
        "ilex-repro 1\nversion ",
        "\noption target vector_bytes=", /* of this machine, in full */
        "\noption jit reference\n",
        "\noption verify 1\n",
        "\noption schedule kernel k0: vector i0\\n\n",
        "\nerror 0 p: ",
        "\nthreads 2\nprogram ",
        "\nilex 1\nprogram p\n",
        "\nstorage u f64 1 1 I 4 2 1 0 0\n"
        "number a 1 3fe0000000000000 0 0\n"
        "storage k i64 1 1 I 3 1 0 0 0\n",
        "\nstorage w f64 1 1 I 3 1 0 0 0\nend\n"};
    for (size_t i = 0; i < IX_COUNT(lines); i++) {
        char *at = strstr(bytes, lines[i]);
        ck_assert_msg(at != NULL, "no %s in\n%s", lines[i], bytes);
        bytes = at;
    }
    ck_assert_int_eq(write_job(path, true, ILEX_REPRO_DATA), ILEX_OK);
    bytes = contents(path, &length);
    const double u[] = {0.5, 1.5, 2.5, 3.5};
    for (size_t i = 0; i + 14 < length; i++)
        if (!memcmp(bytes + i, "\ndata u 32\n", 11)) {
            ck_assert_mem_eq(bytes + i + 11, u, sizeof u);
            ck_assert_mem_eq(bytes + i + 11 + sizeof u, "\ndata k 24\n", 11);
            break;
        }
    ck_assert_mem_eq(bytes + length - 5, "\nend\n", 5);
    remove(path);
}
END_TEST

/* Errors of the context come first, and stay; refusals write no file. */
START_TEST(of_a_context)
{
    size_t length;
    char path[] = "/tmp/ilex-repro.XXXXXX";
    ck_assert_int_ge(mkstemp(path), 0);
    job j = open_job(false);
    ilex_shift(ilex_input(ctx, "z", ILEX_F64, "I:n"), "J", 1);
    ck_assert_int_eq(ilex_repro(j.m, j.b, 1, NULL, path, 0), ILEX_OK);
    ck_assert_ptr_nonnull(
        strstr(contents(path, &length), "\nerror 303 shift: there is no axis"));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ilex_binding same[] = {ILEX_BIND("u", j.u), ILEX_BIND("x", j.u)};
    ck_assert_int_eq(ilex_repro(j.m, same, 2, NULL, path, 0), ILEX_OK);
    ck_assert_ptr_nonnull(strstr(contents(path, &length), "\nsame x u\nend\n"));
    remove(path);
    same[1].name = NULL;
    ck_assert_int_eq(ilex_repro(j.m, same, 2, NULL, path, 0), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_repro(j.m, NULL, 1, NULL, path, 0), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_repro(j.m, NULL, 0, NULL, NULL, 0), ILEX_E_ARGUMENT);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_repro(NULL, NULL, 0, NULL, path, 0), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(fopen(path, "rb"));
    ck_assert_int_eq(ilex_repro(j.m, NULL, 0, NULL, "/nowhere/x", 0),
                     ILEX_E_FILE);
    ck_assert_int_eq(take_error(), ILEX_E_FILE);
    close_job(&j);
}
END_TEST

/* Leaves files for another test: one that fails, one that runs. */
START_TEST(left_behind)
{
    const char *fails = getenv("ILEX_REPRO_FAILS");
    const char *runs = getenv("ILEX_REPRO_RUNS");
    ilex_option_set(ctx, "jit", "tcc");
    ilex_option_set(ctx, "verify", "0");
    if (fails)
        ck_assert_int_eq(write_job(fails, true, ILEX_REPRO_DATA), ILEX_OK);
    if (runs)
        ck_assert_int_eq(write_job(runs, false, ILEX_REPRO_DATA), ILEX_OK);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("repro", of_a_run, of_a_context, left_behind);
}
