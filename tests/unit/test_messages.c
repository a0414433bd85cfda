/* SPDX-License-Identifier: MIT
 *
 * Messages of programs: what text and functions say of them, what is refused,
 * runs of groups whose ranks have programs of their own, what they get when
 * these do not fit, and ilex_group_check, which sees it before.
 */
#include "tests/unit/ranks_fixture.h"

#define HEAD "ilex 1\nprogram p\nsize n, left, right\nin x : f64[n]\n"

/* ---- what is said ---- */

static const struct saying {
    const char *text; /* behind HEAD */
    ilex_status code;
    const char *says;
} sayings[] = {
    {"in a : f64[n]\nrecv a from left\nout w = x + a\nsend w to right\n",
     ILEX_OK, ""},
    {"in a : f64[n]\nrecv a from 2*left+1 tag 15999\nout w = x + a\n", ILEX_OK,
     ""},
    {"send x to 3\nout w = x\n", ILEX_OK, ""},
    {"recv b from left\nout w = x\n", ILEX_E_UNKNOWN, "'b'"},
    {"out w = x\nrecv w from left\n", ILEX_E_UNKNOWN, "input"},
    {"let b = 2*x\nsend b to left\nout w = b\n", ILEX_E_UNKNOWN,
     "output or input"},
    {"out w = x\nsend w from left\n", ILEX_E_SYNTAX, "expected 'to'"},
    {"out w = x\nsend w to left tag\n", ILEX_E_SYNTAX, ""},
    {"out w = x\nsend w to left tag 16000\n", ILEX_E_ARGUMENT, "15999"},
    {"out w = x\nsend w to left tag -1\n", ILEX_E_ARGUMENT, "tag -1"},
    {"out w = x\nsend w to x\n", ILEX_E_UNKNOWN, "no size 'x'"},
    {"out w = x\nsend w to left\nsend x to left\n", ILEX_E_DUPLICATE,
     "different tags"},
    {"out w = x\nrecv x from left\nrecv x from right tag 1\n", ILEX_E_DUPLICATE,
     "two ranks, left and right"},
    {"out w = x\nfunction f(u)\nsend w to 1\nreturn u\nend\n", ILEX_E_SYNTAX,
     "does not belong in a function"},
    {"loop t[0:3] u = x\nrecv x from 1\nnext u = u\nend\nout w = u\n",
     ILEX_E_SYNTAX, "does not belong in a loop"},
};

START_TEST(said)
{
    const struct saying *s = &sayings[_i];
    char text[500];
    snprintf(text, sizeof text, HEAD "%s", s->text);
    ilex_module *m = ilex_module_parse(ctx, text, "said");
    ck_assert_msg(ilex_error_code(ctx) == s->code, "%d %s: %s",
                  (int)ilex_error_code(ctx), s->text, ilex_error_text(ctx));
    ck_assert_msg(strstr(ilex_error_text(ctx), s->says), "%s",
                  ilex_error_text(ctx));
    if (!s->code) { /* text again, of the same meaning */
        uint8_t hash[2][16];
        char *printed = ilex_module_print(m);
        ilex_module *again = ilex_module_parse(ctx, printed, "printed");
        ck_assert_msg(again != NULL, "%s\n%s", printed, ilex_error_text(ctx));
        ilex_module_hash(m, hash[0]);
        ilex_module_hash(again, hash[1]);
        ck_assert_mem_eq(hash[0], hash[1], 16);
        char *twice = ilex_module_print(again);
        ck_assert_str_eq(printed, twice);
        ilex_text_free(ctx, printed);
        ilex_text_free(ctx, twice);
        ilex_module_free(again);
    }
    ilex_module_free(m);
}
END_TEST

/* What is said of messages is part of what a program is. */
START_TEST(meant)
{
    static const char *const other[] = {
        "send w to 1 tag 2\n",    "send w to 2 tag 1\n",
        "send x to 1 tag 1\n",    "recv x from 1 tag 1\n",
        "send w to left tag 1\n", ""};
    uint8_t hash[2][16];
    char text[300];
    snprintf(text, sizeof text, HEAD "out w = 2.0*x\nsend w to 1 tag 1\n");
    ilex_module *m = parse(text);
    ilex_module_hash(m, hash[0]);
    ilex_module_free(m);
    for (size_t i = 0; i < IX_COUNT(other); i++) {
        snprintf(text, sizeof text, HEAD "out w = 2.0*x\n%s", other[i]);
        m = parse(text);
        ilex_module_hash(m, hash[1]);
        ck_assert_msg(memcmp(hash[0], hash[1], 16) != 0, "%s", other[i]);
        ilex_module_free(m);
    }
}
END_TEST

/* The functions are the statements. */
START_TEST(functions)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_int_eq(ilex_module_output(m, "w", ilex_exp(x), NULL), ILEX_OK);
    ck_assert_int_eq(ilex_module_recv(m, "x", "left", 3), ILEX_OK);
    ck_assert_int_eq(ilex_module_send(m, "w", "left+2", 0), ILEX_OK);
    char *text = ilex_module_print(m);
    ck_assert_str_eq(text, "ilex 1\nprogram p\nsize n, left\nin x : f64[n]\n"
                           "out w : f64[n] = exp(x)\n"
                           "recv x from left tag 3\nsend w to left+2\n");
    ilex_text_free(ctx, text);
    ck_assert_int_eq(ilex_module_send(m, "w", "left+2", 0), ILEX_E_DUPLICATE);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_send(m, "no name", "1", 0), ILEX_E_NAME);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_send(m, "w", "1 +", 0), ILEX_E_SYNTAX);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_module_send(m, "missing", "1", 0), ILEX_OK);
    ck_assert_ptr_null(ilex_compile_module(m));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_UNKNOWN);
    ilex_error_clear(ctx);
    ilex_module_free(m);
}
END_TEST

/* What cannot be compiled. */
static const struct saying unsupported[] = {
    {"in a : f64[I:n] halo(I:1:1)\nrecv a from left\nout w = a[I-1]\n",
     ILEX_E_UNSUPPORTED, "has a halo"},
    {"out w = compress(x, x > 0.0)\nsend x to left\n", ILEX_E_UNSUPPORTED,
     "counts lengths"},
    {"in a : f64[n]\nin b : f64[n]\nin c : f64[n]\nrecv a from 1\n"
     "recv b from 2\nout v = a + c inplace x\nout w = b + x inplace c\n",
     ILEX_E_UNSUPPORTED, "in the place of an input"},
};

START_TEST(refused)
{
    const struct saying *s = &unsupported[_i];
    char text[500];
    snprintf(text, sizeof text, HEAD "%s", s->text);
    ilex_module *m = parse(text);
    ck_assert_ptr_null(ilex_compile_module(m));
    ck_assert_msg(ilex_error_code(ctx) == s->code &&
                      strstr(ilex_error_text(ctx), s->says),
                  "%s", ilex_error_text(ctx));
    ilex_error_clear(ctx);
    ilex_module_free(m);
}
END_TEST

/* ---- runs ---- */

enum { LENGTH = 5, MOST = 3 };

/* What each rank has behind HEAD; all have x, of which element i is 10 times
 * the rank plus i, and w, what that is then, or the error. */
typedef struct scene {
    int ranks;
    const char *text[MOST];
    double w[MOST];          /* element 1 */
    const char *fails[MOST]; /* or what is wrong */
    int messages[MOST];
} scene;

static const scene scenes[] = {
    {2,
     {"in a : f64[n]\nrecv a from 1\nsend x to 1\nout w = x - a\n",
      "in a : f64[n]\nrecv a from 0\nsend x to 0\nout w = x - a\n"},
     {-10, 10},
     {0},
     {1, 1}},
    /* one waits for what the other one makes of what it sends */
    {2,
     {"in a : f64[n]\nrecv a from 1 tag 2\nsend x to 1\nout w = x + a\n",
      "in a : f64[n]\nrecv a from 0\nout w = x + a\nsend w to 0 tag 2\n"},
     {13, 12},
     {0},
     {1, 1}},
    /* in the order of messages, not of the text: 0 needs b before a */
    {3,
     {"in a : f64[n]\nrecv a from 1\nout w = 2.0*a\nin b : f64[n]\n"
      "recv b from 2\nout u = 3.0*b\nsend u to 1\n",
      "in u : f64[n]\nrecv u from 0\nout w = u + x\nsend w to 0\n",
      "out w = x\nsend x to 0\n"},
     {2 * (3 * 21 + 11), 3 * 21 + 11, 21},
     {0},
     {1, 1, 1}},
    /* what comes goes on; to two; and nobody uses it here */
    {3,
     {"out w = x\nsend w to 1\n",
      "in a : f64[n]\nrecv a from 0\nsend a to 2 tag 7\nout w = x\n",
      "in a : f64[n]\nrecv a from 1 tag 7\nout w = a\n"},
     {1, 11, 1},
     {0},
     {1, 1, 0}},
    {3,
     {"out w = 2.0*x\nsend w to 1\nsend w to 2\nsend w to 1 tag 1\n",
      "in a : f64[n]\nin b : f64[n]\nrecv a from 0\nrecv b from 0 tag 1\n"
      "out w = a + b\n",
      "in a : f64[n]\nrecv a from 0\nout w = x*a\n"},
     {2, 4, 42},
     {0},
     {3, 0, 0}},
    /* numbers, and one of what is kept */
    {2,
     {"out s = sum(x)\nsend s to 1\nin b : f64\nrecv b from 1\n"
      "out w = cumsum(exp(x*0.0)) + s + b\n",
      "out s = sum(x)\nsend s to 0\nin b : f64\nrecv b from 0\n"
      "out w = cumsum(exp(x*0.0)) + s + b\n"},
     {2 + 10 + 60, 2 + 10 + 60},
     {0},
     {1, 1}},
    /* a loop of the program, before and behind a message */
    {2,
     {"loop t[0:3] u = x\nnext u = 2.0*u\nend\nout s = u\nsend s to 1\n"
      "out w = u\n",
      "in a : f64[n]\nrecv a from 0\nloop t[0:2] u = a\nnext u = u + x\nend\n"
      "out w = u\n"},
     {8, 8 + 22},
     {0},
     {1, 0}},
    /* one without messages */
    {2, {"out w = x\n", "out w = x + x\n"}, {1, 22}, {0}, {0, 0}},
    /* an input is written when all have read it */
    {2,
     {"in a : f64[n]\nrecv a from 1\nout w = x + a inplace x\n"
      "out s = exp(x*0.0) + x\nsend s to 1\n",
      "in a : f64[n]\nrecv a from 0\nout w = x + a\nsend x to 0\n"},
     {12, 11 + 2},
     {0},
     {1, 1}},
    /* which also makes what another part, that reads it, waits for */
    {2,
     {"in a : f64[n]\nrecv a from 1\nlet e = exp(x*0.0) + x\n"
      "out w = e + 1.0 inplace x\nout u = cumsum(e) + a + x\n"
      "send u to 1 tag 5\n",
      "in u : f64[n]\nrecv u from 0 tag 5\nout w = u\nsend x to 0\n"},
     {3, 3 + 11 + 1},
     {0},
     {1, 1}},
    /* what does not fit */
    {2,
     {"in a : i64[n]\nrecv a from 1\nout w = x + f64(a)\n",
      "out w = x\nsend x to 0\n"},
     {0},
     {"a : i64[n] comes from rank 1 (tag 0), which sent an array of another "
      "dtype",
      ""},
     {0}},
    {2,
     {"in a : f64[n+1]\nrecv a from 1\nout w = x + a[:n]\n",
      "out w = x\nsend x to 0\n"},
     {0},
     {"or other lengths", ""},
     {0}},
    {2,
     {"out w = x\nsend x to 2\n", "out w = x\n"},
     {0},
     {"goes to rank 2, which is none of the group's (rank 0 of 2)", ""},
     {0}},
    {2,
     {"out w = x\nsend x to right-1\n", "out w = x\n"},
     {0},
     {"goes to rank 0, which is this one", ""},
     {0}},
    {3,
     {"out w = x\nsend x to right\nsend w to 1\n", "out w = x\n",
      "out w = x\n"},
     {0},
     {"x and w both go to rank 1 with tag 0", "", ""},
     {0}},
    /* who waits for whom */
    {2,
     {"in a : f64[n]\nrecv a from 1 tag 4\nout w = x + a\n", "out w = x\n"},
     {0},
     {" for a from rank 1 (tag 4)", ""},
     {0}},
    {2,
     {"in a : f64[n]\nrecv a from 1\nout w = x + a\nsend w to 1\n",
      "in b : f64[n]\nrecv b from 0\nout w = x + b\nsend w to 0\n"},
     {0},
     {"from rank 1 (tag 0)", "from rank 0 (tag 0)"},
     {0}},
};

typedef struct play {
    const scene *s;
    ilex_program *p[MOST];
    bool failed;
} play;

static int
act(ilex_group *g, void *user)
{
    play *y = user;
    const scene *s = y->s;
    int rank = ilex_group_rank(g);
    int64_t n = LENGTH;
    ilex_context *own = ilex_context_new(NULL);
    ilex_storage_spec spec = ILEX_STORAGE_SPEC(.rank = 1, .shape = &n);
    ilex_storage *x = ilex_storage_new(own, &spec);
    ilex_storage *w = strstr(s->text[rank], "inplace x")
                          ? ilex_storage_retain(x)
                          : ilex_storage_new(own, &spec);
    double *at = ilex_storage_data(x);
    for (int i = 0; i < LENGTH; i++)
        at[i] = 10 * rank + i;
    ilex_size_binding size[] = {{"n", n}, {"left", 0}, {"right", 1}};
    ilex_call call = {.size = sizeof call, .threads = 1, .group = g};
    call.sizes = size;
    call.size_count = ilex_program_size_count(y->p[rank]) > 1 ? 3 : 1;
    ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("w", w)};
    ilex_status rc = ilex_run(y->p[rank], b, 2, &call);
    ilex_group_counts counts;
    ilex_group_counted(g, &counts);
    const char *fails = s->fails[rank];
    double is = ((const double *)ilex_storage_data(w))[1];
    bool ok =
        fails ? (rc || !*fails) && strstr(call.error, fails)
              : !rc && is == s->w[rank] && counts.messages == s->messages[rank];
    if (!ok)
        fprintf(stderr, "rank %d: %d '%s', w is %g, %lld messages\n", rank,
                (int)rc, call.error, is, (long long)counts.messages);
    ilex_storage_release(x);
    ilex_storage_release(w);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(runs)
{
    play y = {.s = &scenes[_i]};
    char text[600];
    for (int r = 0; r < y.s->ranks; r++) {
        snprintf(text, sizeof text, HEAD "%s", y.s->text[r]);
        y.p[r] = compile(text);
    }
    ilex_group_spec spec = {
        .size = sizeof spec, .ranks = y.s->ranks, .timeout = 0.5};
    ck_assert_int_eq(ilex_group_run(ctx, &spec, act, &y), ILEX_OK);
    for (int r = 0; r < y.s->ranks; r++)
        ilex_program_release(y.p[r]);
}
END_TEST

/* A ring: many steps, arrays that are bound as they lie, in any layout, with
 * a halo, and what comes into one of the user's. */
static int
ring(ilex_group *g, void *user)
{
    int rank = ilex_group_rank(g), ranks = ilex_group_size(g);
    ilex_context *own = ilex_context_new(NULL);
    int64_t shape[] = {6, 5}, halo[] = {1, 1, 0, 2};
    ilex_storage *s[4];
    for (int i = 0; i < 4; i++)
        s[i] = ilex_storage_new(
            own, &ILEX_STORAGE_SPEC(.rank = 2, .shape = shape, .axes = "I,J",
                                    .halo = halo, .layout = i % 2 ? "F" : "C"));
    int64_t at[2];
    for (at[0] = 1; at[0] < 5; at[0]++)
        for (at[1] = 0; at[1] < 3; at[1]++)
            ilex_storage_set_f64(s[0], at,
                                 (double)(100 * rank + 10 * at[0] + at[1]));
    ilex_size_binding size[] = {{"left", (rank + ranks - 1) % ranks},
                                {"right", (rank + 1) % ranks}};
    ilex_call call = {.size = sizeof call,
                      .threads = 1,
                      .group = g,
                      .sizes = size,
                      .size_count = 2};
    ilex_binding b[] = {ILEX_BIND("u", s[0]), ILEX_BIND("w", s[1]),
                        ILEX_BIND("a", s[2]), ILEX_BIND("t", s[3])};
    ilex_status rc = ilex_run_steps(user, b, 4, 2 * ranks, "u=w", &call);
    bool ok = !rc;
    for (at[0] = 1; ok && at[0] < 5; at[0]++)
        for (at[1] = 0; ok && at[1] < 3; at[1]++) {
            double is, came, sent,
                wants = (double)(100 * rank + 10 * at[0] + at[1]);
            ilex_storage_get_f64(b[0].storage, at, &is);
            ilex_storage_get_f64(s[2], at, &came);
            ilex_storage_get_f64(s[3], at, &sent);
            ok = is == wants + 2 * ranks && came == is - 1 &&
                 sent == (double)(100 * size[1].value + 10 * at[0] + at[1]) +
                             2 * ranks - 1;
        }
    if (!ok)
        fprintf(stderr, "rank %d: %s\n", rank, call.error);
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i]);
    ilex_context_free(own);
    return ok ? ILEX_OK : ILEX_E_INTERNAL;
}

START_TEST(rings)
{
    ilex_program *p =
        compile("ilex 1\nprogram ring\nsize n, m, left, right\n"
                "in u : f64[I:n, J:m]\nin a : f64[I:n, J:m]\n"
                "out t = 1.0*u\nsend t to right\nrecv a from left\n"
                "out w = a + 1.0\n");
    for (int ranks = 2; ranks < 5; ranks++)
        ck_assert_int_eq(
            ilex_group_run(ctx, &ILEX_GROUP_SPEC(.ranks = ranks), ring, p),
            ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* ---- ilex_group_check ---- */

static const struct fit {
    const char *text[MOST];
    ilex_status code;
    const char *says;
} fits[] = {
    {{"in a : f64[n]\nrecv a from 1\nout w = x + a\n",
      "out w = x\nsend w to 0\n"},
     ILEX_OK,
     ""},
    {{"out w = x\nsend w to 1 tag 3\n", "out w = x\n"},
     ILEX_E_GROUP,
     "rank 0, p: w goes to rank 1 with tag 3, and program p of that rank has "
     "nothing that it comes to"},
    {{"in a : f64[n]\nrecv a from 1\nout w = x + a\n",
      "out w = x\nsend w to 0 tag 1\n"},
     ILEX_E_GROUP,
     "rank 0, p: a comes from rank 1 with tag 0, and program p of that rank "
     "has nothing that goes there"},
    {{"in a : f32[n]\nrecv a from 1\nout w = x\n", "out w = x\nsend x to 0\n"},
     ILEX_E_DTYPE,
     "rank 1 sends x : f64[n] to rank 0 with tag 0, which takes it for a : "
     "f32[n]"},
    {{"in a : f64[n]\nrecv a from 1\nout w = x\n",
      "out w = outer(x, x)\nsend w to 0\n"},
     ILEX_E_SHAPE,
     "f64[n, n]"},
    {{"in a : f64[2*n]\nrecv a from 1\nout w = x\n",
      "out w = x\nsend w to 0\n"},
     ILEX_E_SHAPE,
     "the lengths differ with these sizes"},
    {{"out w = x\nsend w to right+7\n", "out w = x\n"},
     ILEX_E_ARGUMENT,
     "goes to rank 8, which is none of the group's (rank 0 of 2)"},
    {{"out w = x\n", "out w = x\nsend w to right\n"},
     ILEX_E_ARGUMENT,
     "which is this one (rank 1 of 2)"},
    {{"out w = x\nsend w to 1\nsend x to right\n", "out w = x\n"},
     ILEX_E_DUPLICATE,
     "w and x both go to rank 1 with tag 0 (rank 0 of 2)"},
    {{"in a : f64[n]\nrecv a from 1\nout w = x + a\nsend w to 1\n",
      "in b : f64[n]\nrecv b from 0\nout w = x + b\nsend w to 0\n"},
     ILEX_E_GROUP,
     "waits for a from rank 1 (tag 0), b from rank 0 (tag 0), which waits for "
     "the first"},
    /* a rank that only hands on, and others that are not in the circle */
    {{"in a : f64[n]\nrecv a from 1\nout w = x + a\nsend w to 2\n"
      "out v = 2.0*x\nsend v to 1\n",
      "in c : f64[n]\nrecv c from 2\nsend c to 0\nin v : f64[n]\n"
      "recv v from 0\nout w = v\n",
      "in b : f64[n]\nrecv b from 0\nout w = exp(b)\nsend w to 1\n"},
     ILEX_E_GROUP,
     "wait for each other"},
};

START_TEST(fit_together)
{
    const struct fit *f = &fits[_i];
    ilex_rank_program rank[MOST] = {0};
    ilex_size_binding size[] = {{"n", 4}, {"right", 1}};
    char text[600];
    int n = 0;
    for (; n < MOST && f->text[n]; n++) {
        snprintf(text, sizeof text, HEAD "%s", f->text[n]);
        rank[n].program = compile(text);
        rank[n].sizes = size;
        rank[n].size_count = ilex_program_size_count(rank[n].program);
    }
    ilex_status rc = ilex_group_check(ctx, rank, n);
    ck_assert_msg(rc == f->code && strstr(ilex_error_text(ctx), f->says),
                  "%d %s", (int)rc, ilex_error_text(ctx));
    ilex_error_clear(ctx);
    for (int r = 0; r < n; r++)
        ilex_program_release((ilex_program *)(uintptr_t)rank[r].program);
}
END_TEST

START_TEST(check_arguments)
{
    ilex_program *p = compile(HEAD "out w = x\nsend w to right\n");
    ilex_rank_program rank = {.program = p};
    ck_assert_int_eq(ilex_group_check(ctx, NULL, 1), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_group_check(ctx, &rank, 0), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ck_assert_int_eq(ilex_group_check(ctx, &rank, 1), ILEX_E_SIZE);
    ck_assert_msg(strstr(ilex_error_text(ctx), "the size n is not given"), "%s",
                  ilex_error_text(ctx));
    ilex_error_clear(ctx);
    rank.program = NULL;
    ck_assert_int_eq(ilex_group_check(ctx, &rank, 1), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_group_check(NULL, &rank, 1), ILEX_E_ARGUMENT);
    ilex_error_clear(ctx);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("messages");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, said, 0, IX_COUNT(sayings));
    tcase_add_test(tests, meant);
    tcase_add_test(tests, functions);
    tcase_add_loop_test(tests, refused, 0, IX_COUNT(unsupported));
    tcase_add_loop_test(tests, runs, 0, IX_COUNT(scenes));
    tcase_add_test(tests, rings);
    tcase_add_loop_test(tests, fit_together, 0, IX_COUNT(fits));
    tcase_add_test(tests, check_arguments);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
