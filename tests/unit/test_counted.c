/* SPDX-License-Identifier: MIT
 *
 * Sizes that a run counts: what the C API says of them, names and their
 * scopes, identity, the room that runs need, texts that read back. What
 * programs give is in language.tsv.
 */
#include "lib/graph/counted.h"
#include "tests/unit/graph_fixture.h"

static const char heading[] = "ilex 1\nprogram p\nsize n\nin x : f64[n]\n";

/* Behind the heading. */
static ilex_module *
module_of(const char *text)
{
    char whole[600];
    snprintf(whole, sizeof whole, "%s%s", heading, text);
    return parse(whole);
}

static ilex_program *
program_of(const char *text)
{
    char whole[600];
    snprintf(whole, sizeof whole, "%s%s", heading, text);
    return compile(whole);
}

/* A storage of one axis with these elements. */
static ilex_storage *
numbers(int64_t n, const double *value)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(n));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    if (n && value)
        memcpy(ilex_storage_data(s), value, (size_t)n * sizeof *value);
    return s;
}

static const double values[6] = {1, 5, 2, 7, 3, 9};

/* Runs p with x bound to the values and y to "room" elements; counts "c". */
static ilex_status
run_into(const ilex_program *p, int64_t room, double *y, int64_t *c,
         ilex_call *call)
{
    ilex_storage *in = numbers(6, values), *out = numbers(room, NULL);
    ilex_binding bound[] = {ILEX_BIND("x", in), ILEX_BIND("y", out)};
    ilex_size_binding counted[] = {{"c", -1}};
    for (int64_t i = 0; i < room; i++)
        ((double *)ilex_storage_data(out))[i] = -1;
    call->size = sizeof *call;
    call->counted = counted;
    call->counted_count = 1;
    ilex_status rc = ilex_run(p, bound, 2, call);
    memcpy(y, ilex_storage_const_data(out), (size_t)room * sizeof *y);
    *c = counted[0].value;
    ilex_storage_release(in);
    ilex_storage_release(out);
    return rc;
}

static ilex_array *
input(const char *name)
{
    return ilex_input(ctx, name, ILEX_F64, "n");
}

static ilex_array *
expr(const char *text, ilex_array *x)
{
    return ilex_expr(ctx, text, "x", x, NULL);
}

/* ---- programs ---- */

START_TEST(from_c)
{
    ilex_array *x = input("x"), *mask = expr("x > 2.5", x);
    ck_assert_int_eq(ilex_size_count(ctx, "c", mask), ILEX_OK);
    ilex_array *y = ilex_compress(x, mask, NULL);
    ck_assert_str_eq(ix_domain_show(ctx, y->interior).s, "c");
    ilex_array *z = ilex_map(ctx, "i:c", "2*y[i] + c", "y", y, NULL);
    const char *names[] = {"y"};
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_program *p = ilex_compile(ctx, 1, &z, &spec);
    check_fine();
    ck_assert_uint_eq(ilex_program_size_count(p), 1);
    ck_assert_uint_eq(ilex_program_counted_count(p), 1);
    ck_assert_str_eq(ilex_program_counted_name(p, 0), "c");
    ck_assert_str_eq(ilex_program_counted_name(p, 1), "");
    double got[8];
    int64_t c;
    ilex_call call = {.size = 0};
    ck_assert_msg(!run_into(p, 6, got, &c, &call), "%s", call.error);
    const double want[] = {14, 18, 10, 22, -1, -1};
    ck_assert_int_eq(c, 4);
    ck_assert_mem_eq(got, want, sizeof want);
    /* more room is as good, less is too little */
    ck_assert_int_eq(run_into(p, 8, got, &c, &call), ILEX_OK);
    ck_assert_int_eq(run_into(p, 5, got, &c, &call), ILEX_E_BINDING_SHAPE);
    ck_assert_msg(strstr(call.error, "needs room for 6") != NULL, "%s",
                  call.error);
    ck_assert(got[0] == -1);
    ilex_size_binding asked[] = {{"c", 0}, {"d", 0}};
    call = (ilex_call){.size = sizeof call, .counted_count = 1};
    ck_assert_int_eq(ilex_run(p, NULL, 0, &call), ILEX_E_ARGUMENT);
    call.counted = asked;
    call.counted_count = 2;
    ck_assert_int_eq(ilex_run(p, NULL, 0, &call), ILEX_E_SIZE);
    ck_assert_msg(strstr(call.error, "there is no size 'd'") != NULL, "%s",
                  call.error);
    asked[1].name = "n";
    ck_assert_int_eq(ilex_run(p, NULL, 0, &call), ILEX_E_SIZE);
    ck_assert_msg(strstr(call.error, "the size n is given, not counted"), "%s",
                  call.error);
    ilex_program_release(p);
}
END_TEST

/* n - 1 rows of c numbers, c <= 6, have 30 elements at most: the form of their
 * number, n*c - c, is largest for one c in both terms. */
START_TEST(room_of_products)
{
    ilex_program *p = program_of("assume n >= 1\n"
                                 "size c = count_nonzero(x > 2.5)\n"
                                 "let w = compress(x, x > 2.5)\n"
                                 "let t = broadcast_to(w; shape=[n-1, c])\n"
                                 "out y = nonzero(t; axis=1)");
    ilex_size_binding n = {"n", 6};
    int64_t lo, hi, halo[2];
    ck_assert_int_eq(ilex_program_extents(p, 1, &n, 1, &lo, &hi, halo), 0);
    ck_assert_int_eq(hi, 30);
    n.value = -1;
    ck_assert_int_eq(ilex_program_extents(p, 1, &n, 1, &lo, &hi, halo),
                     ILEX_E_SIZE);
    ck_assert_int_eq(ilex_program_workspace(p, &n, 1, 1), -1);
    ilex_program_release(p);
}
END_TEST

/* A slice that is the whole of an input, as what is counted is at most nothing:
 * the input stays one. */
START_TEST(slice_of_nothing)
{
    ilex_program *p = compile("ilex 1\nprogram p\nin a : i64[0]\n"
                              "size c = count_nonzero(a)\n"
                              "out o = a[:c]\nout k : i64 = c");
    ck_assert_uint_eq(ilex_program_argument_count(p), 3);
    ilex_program_release(p);
}
END_TEST

/* What is known of a program before and after it counted. */
START_TEST(queries)
{
    ilex_program *p = program_of("size c = count_nonzero(x > 2.5)\n"
                                 "let r = x[c:]\n"
                                 "let t = cumsum(r)\n"
                                 "out y : f64[n-c] = flip(t)\n"
                                 "out k : i64 = c");
    ilex_size_binding size[] = {{"n", 6}, {"c", 4}};
    int64_t lo, hi, halo[2];
    ck_assert_int_eq(ilex_program_extents(p, 1, size, 1, &lo, &hi, halo), 0);
    ck_assert_int_eq(lo, 0);
    ck_assert_int_eq(hi, 6); /* nothing may be counted */
    ck_assert_int_eq(ilex_program_extents(p, 1, size, 2, &lo, &hi, halo), 0);
    ck_assert_int_eq(hi, 2);
    ck_assert_int_eq(ilex_program_extents(p, 1, size + 1, 1, &lo, &hi, halo),
                     ILEX_E_SIZE);
    /* the count of none needs the most temporary memory */
    size[0].value = 600;
    int64_t most = ilex_program_workspace(p, size, 1, 1);
    size[1].value = 0;
    ck_assert_int_eq(ilex_program_workspace(p, size, 2, 1), most);
    size[1].value = 600;
    ck_assert_int_lt(ilex_program_workspace(p, size, 2, 1), most);
    ilex_program_release(p);
}
END_TEST

/* A workspace of the size asked for suffices whatever is counted: lengths that
 * grow as the count gets smaller as well. */
START_TEST(workspace)
{
    static const char *const jits[] = {"reference", "tcc"};
    for (int j = 0; j < 2; j++) {
        if (ilex_option_set(ctx, "jit", jits[j]) != ILEX_OK)
            break;
        ilex_program *p = program_of("size c = count_nonzero(x > 2.5)\n"
                                     "let r = x[c:]\n"
                                     "let t = cumsum(r)\n"
                                     "out y : f64[n-c] = flip(t)");
        ilex_size_binding n = {"n", 6};
        size_t bytes = (size_t)ilex_program_workspace(p, &n, 1, 1);
        char *memory = aligned_alloc(64, bytes + 64);
        memset(memory, 0x5a, bytes + 64);
        ilex_call call = {.workspace = memory, .workspace_bytes = bytes};
        double got[6];
        int64_t c;
        ck_assert_msg(!run_into(p, 6, got, &c, &call), "%s", call.error);
        ck_assert_int_eq(c, 4);
        ck_assert(got[0] == 12 && got[1] == 3 && got[2] == -1);
        for (size_t i = 0; i < 64; i++)
            ck_assert_int_eq(memory[bytes + i], 0x5a);
        free(memory);
        ilex_program_release(p);
    }
}
END_TEST

START_TEST(refused)
{
    ilex_program *p = program_of("size c = count_nonzero(x > 2.5)\n"
                                 "out y : f64[c] = compress(x, x > 2.5)");
    double got[6];
    int64_t c;
    ilex_size_binding size = {"c", 4};
    ilex_call call = {.sizes = &size, .size_count = 1};
    ck_assert_int_eq(run_into(p, 6, got, &c, &call), ILEX_E_SIZE);
    ck_assert_msg(strstr(call.error, "is counted by the run") != NULL, "%s",
                  call.error);
    ilex_program_release(p);
    ilex_array *x = input("x");
    ilex_size_count(ctx, "c", expr("x > 1", x));
    ck_assert(ilex_is_poison(ilex_input(ctx, "z", ILEX_F64, "c")));
    ck_assert_int_eq(take_error(), ILEX_E_SIZE);
    ck_assert_int_eq(ilex_size_count(ctx, "d", NULL), ILEX_E_ARGUMENT);
    take_error();
    ck_assert_int_eq(ilex_size_count(ctx, "_0", x), ILEX_E_NAME);
    take_error();
}
END_TEST

/* ---- names ---- */

START_TEST(scopes)
{
    ilex_array *x = input("x"), *a = expr("x > 1", x), *b = expr("x > 2", x);
    size_t mark = ilex_scope_begin(ctx);
    ck_assert_int_eq(ilex_size_count(ctx, "c", a), ILEX_OK);
    ck_assert_int_eq(ilex_size_count(ctx, "c", a), ILEX_OK);
    ck_assert_int_eq(ilex_size_count(ctx, "c", b), ILEX_E_DUPLICATE);
    take_error();
    ilex_array *y = ilex_compress(x, a, NULL);
    int32_t counted = y->interior->ax[0].hi->t[0].param;
    ck_assert_int_eq(lin("c")->t[0].param, counted);
    y = ilex_scope_end(ctx, mark, y);
    ck_assert_int_ne(lin("c")->t[0].param, counted);
    /* what is known of the length stays */
    ck_assert_int_eq(ix_lin_le(ctx, y->interior->ax[0].hi, lin("n")), IX_YES);
    ck_assert_int_ne(ix_lin_le(ctx, lin("c"), lin("n")), IX_YES);
    ck_assert_int_eq(ilex_size_count(ctx, "c", b), ILEX_OK);
    ilex_array *z = ilex_compress(x, b, NULL);
    ck_assert(z->interior != y->interior);
    ck_assert_str_eq(ix_domain_show(ctx, z->interior).s, "c");
    /* both in one program cannot be told apart */
    ilex_array *both[] = {y, z};
    ck_assert_ptr_null(ilex_compile(ctx, 2, both, NULL));
    ck_assert_msg(strstr(ilex_error_text(ctx), "another size has the same "
                                               "name") != NULL,
                  "%s", ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), ILEX_E_DUPLICATE);
}
END_TEST

/* Programs of one context that call different things c. */
START_TEST(modules)
{
    static const char *const text[] = {
        "size c = count_nonzero(x > 2.5)\nout y : f64[c] = x[x > 2.5]",
        "size c = count_nonzero(x > 6)\nout y : f64[c] = x[x > 6]",
        "size c = count_nonzero(x > 2.5)\nout y : f64[c] = x[x > 2.5]"};
    const int64_t want[] = {4, 2, 4};
    ilex_program *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = program_of(text[i]);
    for (int i = 0; i < 3; i++) {
        double got[6];
        int64_t c;
        ilex_call call = {.size = 0};
        ck_assert_msg(!run_into(p[i], 6, got, &c, &call), "%s", call.error);
        ck_assert_int_eq(c, want[i]);
        ck_assert(got[want[i]] == -1 && got[want[i] - 1] == 9);
        ilex_program_release(p[i]);
    }
    ilex_program *plain = program_of("size c\nin v : f64[c]\nout y = v + c");
    ck_assert_uint_eq(ilex_program_counted_count(plain), 0);
    ilex_program_release(plain);
    ck_assert_ptr_null(ilex_module_parse(
        ctx, "ilex 1\nprogram p\nsize _ilex_len_00000000", NULL));
    ck_assert_int_eq(take_error(), ILEX_E_NAME);
}
END_TEST

/* ---- identity ---- */

typedef struct digest {
    uint8_t byte[16];
} digest;

/* Of a program in a context of its own, in which "before" was read. */
static digest
hash_of(const char *before, const char *text)
{
    ilex_context *outer = ctx;
    digest d;
    ctx = ilex_context_new(NULL);
    if (before)
        ilex_module_free(module_of(before));
    ilex_module *m = module_of(text);
    ck_assert_int_eq(ilex_module_hash(m, d.byte), ILEX_OK);
    ilex_module_free(m);
    ilex_context_free(ctx);
    ctx = outer;
    return d;
}

START_TEST(hashes)
{
    static const char a[] = "size c = count_nonzero(x > 2)\nmap t[i:c] = i\n"
                            "out y = t";
    static const char b[] = "size c = count_nonzero(x > 3)\nmap t[i:c] = i\n"
                            "out y = t";
    static const char d[] = "size c\nmap t[i:c] = i\nout y = t";
    digest h = hash_of(NULL, a), same = hash_of(b, a);
    digest other = hash_of(NULL, b), plain = hash_of(NULL, d);
    ck_assert_mem_eq(h.byte, same.byte, 16);
    ck_assert_mem_ne(h.byte, other.byte, 16);
    ck_assert_mem_ne(h.byte, plain.byte, 16);
    same = hash_of(NULL, "out y = x[x > 2]");
    other = hash_of("out z = x[x > 1]", "out y = x[x > 2]");
    ck_assert_mem_eq(other.byte, same.byte, 16);
    other = hash_of(NULL, "out y = x[x > 1]");
    ck_assert_mem_ne(other.byte, same.byte, 16);
}
END_TEST

/* An array rests on the bound of a size that it mentions, others do not. */
START_TEST(environments)
{
    ilex_array *x = input("x"), *mask = expr("x > 1", x);
    ilex_size_count(ctx, "c", mask);
    ck_assert_ptr_null(expr("x + 1", x)->env);
    static const char *const text[] = {"i:c", "i:2"};
    static const char *const body[] = {"i", "i + c"};
    for (int i = 0; i < 2; i++) {
        ilex_array *y = ilex_map(ctx, text[i], body[i], NULL);
        check_fine();
        ck_assert_int_eq(ix_env_count(y->env), 1);
        ck_assert_int_ge(ix_counted_by(ctx, y->env->item[0]), 0);
        ck_assert_int_eq(ix_env_count(ilex_sum(y, NULL, 0)->env), 1);
    }
    ilex_array *r = ilex_map(ctx, "i:3", "sum[k:c](k + i)", NULL);
    check_fine();
    ck_assert_int_eq(ix_env_count(r->env), 1);
}
END_TEST

/* What is counted has no inputs but those of the program. */
START_TEST(inputs)
{
    ilex_array *x = input("x"), *w = input("w");
    ilex_array *y = ilex_compress(x, expr("x > 0", w), NULL);
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_int_eq(ilex_module_output(m, "y", ilex_sum(y, NULL, 0), NULL),
                     ILEX_OK);
    ilex_array *t = ilex_map(ctx, "i:3", "i*1.0", NULL);
    ck_assert_int_eq(ilex_module_output(m, "t", t, NULL), ILEX_OK);
    char *text = ilex_module_print(m);
    ck_assert_msg(text && strstr(text, "in x : f64[n]\n") &&
                      strstr(text, "in w : f64[n]\n") &&
                      strstr(text, "size _ilex_len_"),
                  "%s", text);
    ilex_text_free(ctx, text);
    ilex_module_free(m);
}
END_TEST

/* ---- texts ---- */

/* The text of a program, read in a context of its own. */
static char *
read_back(const char *text)
{
    ilex_context *outer = ctx;
    ctx = ilex_context_new(NULL);
    ilex_module *m = parse(text);
    char *again = ilex_module_print(m);
    ck_assert_msg(again != NULL, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    ilex_context_free(ctx);
    ctx = outer;
    return again;
}

START_TEST(printed)
{
    static const char *const text[] = {
        "out y = x[x > 2]",
        "size c = count_nonzero(x)\nout y : f64[c] = x[x != 0.0]",
        "size c = count_nonzero(x > 1)\nmap t[i:c] = i\nout y = t",
        "size c = count_nonzero(x > 1)\nlet a = x[x > 1]\n"
        "size d = count_nonzero(a > 2)\nassume d >= 1\nlet b = a[a > 2]\n"
        "out y : f64[d-1] = b[1:]",
        "let m = x > 1\nout y = update(x[m], 2*x[m])\nout z = m",
        "let i = nonzero(x > 1)\nout y = i",
        "size c = count_nonzero(x > 1)\nout y = 2*x"};
    for (size_t i = 0; i < IX_COUNT(text); i++) {
        ilex_module *m = module_of(text[i]);
        char *first = ilex_module_print(m);
        ck_assert_msg(first != NULL, "%s", ilex_error_text(ctx));
        ilex_module_free(m);
        char *second = read_back(first);
        ck_assert_str_eq(first, second);
        ck_assert_ptr_nonnull(strstr(first, "= count_nonzero("));
        ilex_text_free(ctx, first);
        ilex_text_free(ctx, second);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("counted", from_c, room_of_products, slice_of_nothing,
                     queries, workspace, refused, scopes, modules, hashes,
                     environments, inputs, printed);
}
