/* SPDX-License-Identifier: MIT
 *
 * Steps that text alone has, or that text says best: parts of fields by
 * condition and by named domains, functions, neighbours listed by
 * connectivities with skips, fields on staggered axes. The statements are read
 * with the operands under the names a and b; their result is y.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/syntax/parse.h"
#include "tests/differential/differential.h"

/* A field with names that a step can take apart. */
static bool
is_field(const diff_shop *shop, ilex_array *x)
{
    return ix_is_array(x) && ix_rank(x) > 0 && ix_domain_named(x->interior) &&
           diff_domain_count(shop, x->interior) >= 0;
}

/* ---- statements ---- */

enum { MOST_TEXT = 8000, MOST_ARRAYS = 3, RANGE = 450 };

/* Statements under construction. */
typedef struct draft {
    ilex_context *ctx;
    ilex_module *module; /* where their names go */
    size_t n;            /* of the text */
    char text[MOST_TEXT];
    int count;
    const char *name[MOST_ARRAYS];
    ilex_array *array[MOST_ARRAYS];
    ilex_array *result;
} draft;

static void
open_draft(draft *d, diff_shop *shop, ilex_array *a, ilex_array *b)
{
    memset(d, 0, sizeof *d);
    d->ctx = shop->ctx;
    d->name[0] = "a";
    d->array[0] = a;
    d->name[1] = "b";
    d->array[1] = ix_rank(b) == 0 || is_field(shop, b) ? b : a;
    d->count = 2;
    d->n = (size_t)snprintf(d->text, sizeof d->text, "ilex 1\nprogram step\n");
}

/* Adds text: "@" stands for "with". */
static void
add(draft *d, const char *text, const char *with)
{
    for (; *text && d->n < sizeof d->text; text++)
        d->n += (size_t)snprintf(d->text + d->n, sizeof d->text - d->n, "%.*s",
                                 *text == '@' ? MOST_TEXT : 1,
                                 *text == '@' ? with : text);
    if (d->n >= sizeof d->text)
        abort();
}

static void
read_statements(ix_parser *p, void *user)
{
    draft *d = user;
    const ix_statement *s = ix_syntax_program(&p->reader);
    p->module = d->module;
    for (int i = 0; i < DIFF_PARAMS; i++) {
        const char *name = diff_param_names[i];
        int32_t size = ix_param_of(d->ctx, ix_symbol_of(d->ctx, name, 1));
        ix_parser_add(p, name, strlen(name), IX_NAME_SIZE)->size =
            ix_lin_param(d->ctx, size);
    }
    for (int i = 0; i < d->count; i++) {
        ix_word word = {d->name[i], (int32_t)strlen(d->name[i]), 1, 1};
        ix_parser_define(p, &word, d->array[i]);
    }
    for (; s; s = s->next)
        if (s->kind != IX_STATEMENT_ILEX && s->kind != IX_STATEMENT_PROGRAM)
            ix_parse_statement(p, s);
    const ix_name *y = ix_parser_find_text(p, "y", IX_NAME_ARRAY);
    d->result = y ? y->array : NULL;
}

/* What the statements call y; poison where they are refused. */
static ilex_array *
close_draft(draft *d)
{
    ix_parser p;
    ix_parser_text whole = {d->text, d->n, "step"};
    d->module = ilex_module_new(d->ctx, "step");
    if (!d->module)
        abort();
    ix_parser_init(&p, d->ctx);
    ilex_array *y = ix_parser_try(&p, &whole, read_statements, d)
                        ? ix_parser_end(&p, d->result)
                        : ix_parser_fail(&p);
    ilex_module_free(d->module);
    return y;
}

/* ---- operands ---- */

static const char *
axis_text(const ilex_array *x, int k)
{
    return ix_symbol_text(x->ctx, x->interior->ax[k].name);
}

/* "I:2:n-1", the axis' range moved at its ends. */
static void
range_text(const ilex_array *x, int k, int low, int high, char *text,
           size_t size)
{
    const ix_axis *ax = &x->interior->ax[k];
    snprintf(text, size, "%s:%s:%s", axis_text(x, k),
             ix_lin_show(x->ctx, ix_lin_offset(x->ctx, ax->lo, low)).s,
             ix_lin_show(x->ctx, ix_lin_offset(x->ctx, ax->hi, high)).s);
}

/* A bound near one of the ends of an axis. */
static void
bound_text(const ilex_array *x, int k, diff_random *r, char *text, size_t size)
{
    const ix_axis *ax = &x->interior->ax[k];
    bool low = diff_chance(r, 50);
    int inside = diff_between(r, -1, 2);
    const ix_lin *at = low ? ix_lin_offset(x->ctx, ax->lo, inside)
                           : ix_lin_offset(x->ctx, ax->hi, -inside);
    snprintf(text, size, "%s", ix_lin_show(x->ctx, at).s);
}

/* ---- parts by conditions and domains ---- */

/* "I < n-1", "I >= 1 && I < n": the points of one piece, or all but those. */
static void
condition_text(const ilex_array *x, int k, diff_random *r, char *text,
               size_t size)
{
    static const char *const one[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const two[][3] = {
        {">=", "&&", "<"}, {">", "&&", "<="}, {"<", "||", ">="}};
    char first[160], second[160];
    const char *axis = axis_text(x, k);
    bound_text(x, k, r, first, sizeof first);
    bound_text(x, k, r, second, sizeof second);
    int how = diff_draw(r, 9);
    if (how < 6)
        snprintf(text, size, "%s %s %s", axis, one[how], first);
    else
        snprintf(text, size, "%s %s %s %s %s %s %s", axis, two[how - 6][0],
                 first, two[how - 6][1], axis, two[how - 6][2], second);
}

/* concat_where of two fields. */
ilex_array *
diff_build_concat_where(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const char *const fields[] = {"a, b", "b, a", "a, 2*a", "a + b, a",
                                         "a, 1"};
    draft d;
    char text[RANGE];
    if (!is_field(shop, x[0]))
        return NULL;
    int k = diff_draw(r, ix_rank(x[0]));
    condition_text(x[0], k, r, text, sizeof text);
    open_draft(&d, shop, x[0], x[1]);
    add(&d, "let y = concat_where(@, ", text);
    add(&d, "@)\n", fields[diff_draw(r, 5)]);
    return close_draft(&d);
}

/* A field on a named domain, which may be what two have in common. */
ilex_array *
diff_build_on_domain(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    draft d;
    char ranges[ILEX_MAX_RANK * RANGE] = "", range[RANGE], indices[200] = "";
    size_t n = 0, m = 0;
    int how = diff_draw(r, 4), rank = ix_rank(x[0]);
    if (!is_field(shop, x[0]))
        return NULL;
    for (int k = 0; k < rank; k++) {
        range_text(x[0], k, diff_draw(r, 2), -diff_draw(r, 2), range,
                   sizeof range);
        n += (size_t)snprintf(ranges + n, sizeof ranges - n, "%s%s",
                              k ? ", " : "", range);
        m += (size_t)snprintf(indices + m, sizeof indices - m, "%s%s",
                              k ? ", " : "", axis_text(x[0], k));
    }
    open_draft(&d, shop, x[0], x[1]);
    add(&d, "domain first = [@]\n", ranges);
    range_text(x[0], diff_draw(r, rank), diff_draw(r, 2), -diff_draw(r, 3),
               range, sizeof range);
    add(&d,
        diff_chance(r, 50) ? "domain d = first & [@]\n"
                           : "domain d = [@] & first\n",
        range);
    if (how < 2)
        add(&d,
            how ? "let y = restrict(a, d)\n" : "let y = restrict(a + b, d)\n",
            "");
    else if (how == 2 && !strchr(indices, '/'))
        add(&d, "map y on d = a[@]*2\n", indices);
    else
        add(&d, "let y : @ on d = a\n",
            ilex_dtype_name((ilex_dtype)x[0]->dtype));
    return close_draft(&d);
}

/* ---- functions ---- */

/* With "@" for an axis of a, "~" for its index in shifts, "#" for the indices
 * of maps. */
static const char *const functions[] = {
    /* shifts through a call, two results */
    "function f(u, v)\n    let d = u[~+1] - u\n"
    "    let w = where(v < d, d, v)\n    return w, d\nend\n"
    "let p, q = f(a, b)\nlet y = p + q\n",
    /* calls in calls, with names that meet others */
    "function twice(x)\n    let y = x + x\n    return y\nend\n"
    "function f(a, x)\n    let b = twice(x)\n    let c = twice(a) - b\n"
    "    return c\nend\nlet y = f(b, twice(a))\n",
    /* a sum inside, and a literal for an argument */
    "function total(u, s)\n    let v = sum[@](u*s)\n    return v\nend\n"
    "let y = a - total(a, 2)\n",
    /* a scan inside */
    "function sums(x)\n    let t = cumsum(x; axis=@)\n    return t\nend\n"
    "let y = sums(a) + sums(a + b)\n",
    /* a function of values in a map */
    "function poly(s, t)\n    let u = s*s\n    let v = u + t\n    return "
    "v\nend\n"
    "map y on d = poly(a[#], poly(a[#], a[#]))\n",
    /* the same function of different fields, one result unused */
    "function f(u)\n    let v = u*2\n    let w = u[~-1]\n    return v, w\nend\n"
    "let p, q = f(a)\nlet s, t = f(p)\nlet y = t + q\n",
    /* foreign functions of numbers: in each other, shifted, in a sum, in a
     * map's branch */
    "extern diff_pick(a : f64, b : f64) -> f64 pure elementwise cost 3\n"
    "let c = diff_pick(f64(a), diff_pick(f64(b), 0.5))\nlet y = c[~+1] - c\n",
    "extern diff_turn(a : f32) -> f32 pure elementwise\n"
    "let y = diff_turn(f32(b)) + sum[@](diff_turn(f32(a) - 1))\n",
    "extern diff_blend(x : i64, y : i64) -> i64 pure elementwise\n"
    "function f(s, t)\n    let u = diff_blend(i64(s), t)\n    return u\nend\n"
    "map y on d = where(a[#] > 0, f(a[#], 3), diff_blend(i64(a[#]), 5))\n",
    "extern diff_wide(a : u32, b : u32, c : u32) -> u32 pure elementwise cost "
    "500\nlet c = diff_wide(u32(a), u32(b), 7)\nlet y = c[~+1] - c\n",
};

/* Types with sizes of their own: "$" is the dtype of a. */
static const char typed[] =
    "function f(u : $[@:s:t] halo(@:1:1), v : $[@:s:t])\n"
    "    let w = u[~+1] + u[~-1] - v\n    return w\nend\n"
    "let c = restrict(a, d)\nlet e = restrict(a, d)\n"
    "let y = f(c, e)\n";

/* Replaces "#" by indices, "$" by the dtype of x and "~" by the index of its
 * axis k. */
static void
fill_in(const char *text, const char *indices, const ilex_array *x, int k,
        char *out, size_t size)
{
    const char *axis = axis_text(x, k);
    int stem = (int)ix_axis_stem(axis, strlen(axis));
    size_t n = 0;
    for (; *text; text++)
        n += (size_t)snprintf(out + n, size - n, "%.*s",
                              *text == '~'                   ? stem
                              : *text == '#' || *text == '$' ? 200
                                                             : 1,
                              *text == '#' ? indices
                              : *text == '$'
                                  ? ilex_dtype_name((ilex_dtype)x->dtype)
                              : *text == '~' ? axis
                                             : text);
}

ilex_array *
diff_build_function(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    draft d;
    char indices[200] = "", ranges[ILEX_MAX_RANK * RANGE] = "", range[RANGE];
    char text[1200];
    size_t n = 0, m = 0;
    if (!is_field(shop, x[0]))
        return NULL;
    for (int k = 0; k < ix_rank(x[0]); k++) {
        range_text(x[0], k, 1, -1, range, sizeof range);
        n += (size_t)snprintf(ranges + n, sizeof ranges - n, "%s%s",
                              k ? ", " : "", range);
        m += (size_t)snprintf(indices + m, sizeof indices - m, "%s%s",
                              k ? ", " : "", axis_text(x[0], k));
    }
    int k = diff_draw(r, ix_rank(x[0]));
    int which = diff_draw(r, (int)IX_COUNT(functions) + 1);
    bool plain = which < (int)IX_COUNT(functions);
    open_draft(&d, shop, x[0], x[1]);
    if (!plain || strchr(functions[which], '#')) {
        if (strchr(indices, '/') || (!plain && ix_rank(x[0]) > 1))
            return NULL;
        add(&d, "domain d = [@]\n", ranges);
    }
    fill_in(plain ? functions[which] : typed, indices, x[0], k, text,
            sizeof text);
    add(&d, text, axis_text(x[0], k));
    return close_draft(&d);
}

/* ---- connectivities ---- */

/* Neighbours of the points of a new axis among those of axis "k" of x, "local"
 * of them each: their number times a factor, modulo the length, or, if "skip",
 * none for some. */
static ilex_array *
connectivity(diff_shop *shop, diff_random *r, const ilex_array *x, int k,
             int local, bool skip)
{
    char lo[160], hi[160], axis[100], domain[120], where[RANGE + 100],
        body[3 * RANGE];
    const ix_axis *ax = &x->interior->ax[k];
    const diff_extent *e = &shop->pool.extent[diff_draw(r, DIFF_POOL)];
    snprintf(lo, sizeof lo, "%s", ix_lin_show(x->ctx, ax->lo).s);
    snprintf(hi, sizeof hi, "%s", ix_lin_show(x->ctx, ax->hi).s);
    diff_extent_text(e, true, "Vertex", axis, sizeof axis);
    snprintf(domain, sizeof domain, "%s, V2E:%d", axis, local);
    snprintf(where, sizeof where,
             "%s + (%d*Vertex + %d*V2E) %% maximum(%s - (%s), 1)", lo,
             diff_between(r, 1, 3), diff_between(r, 1, 4), hi, lo);
    int first = diff_draw(r, 3), period = diff_between(r, 2, 4);
    if (skip)
        snprintf(body, sizeof body,
                 "where((Vertex + %d*V2E) %% %d == 1 || %s <= %s, -99, %s)",
                 first, period, hi, lo, where);
    return ilex_map(shop->ctx, domain, skip ? body : where, NULL);
}

ilex_array *
diff_build_remap(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const char *const skipping[] = {
        "let y = sum[V2E](remap(a, c; to=@, skip=-99))\n",
        "let v = remap(a, c; to=@, skip=-99)\nlet y = sum[V2E](v*v - 2*v)\n",
        "let y = prod[V2E](remap(a, c; to=@, skip=-99, value=1))\n",
        "let y = remap(a, c; to=@, skip=-99, value=0) + 1\n",
        "let y = any[V2E](remap(a, c; to=@, skip=-99) != 0)\n",
        "let v = remap(a, c; to=@, skip=-99)\n"
        "let y = sum[V2E](v) + sum[V2E](where(c < 3, 2*v, v))\n",
    };
    static const char *const whole[] = {
        "let y = max[V2E](remap(a, c; to=@))\n",
        "let y = remap(a, c; to=@)\n",
        "let v = remap(a, c; to=@)\nlet y = sum[V2E](v) - min[V2E](v)\n",
    };
    draft d;
    int64_t lo, hi;
    ilex_array *a = is_field(shop, x[0]) ? diff_known(shop, x[0]) : NULL;
    if (!a)
        return NULL;
    int k = diff_draw(r, ix_rank(a));
    bool skip = diff_chance(r, 70);
    diff_axis_range(shop, &a->interior->ax[k], &lo, &hi);
    if (!skip && lo >= hi)
        return NULL; /* nothing to be a neighbour */
    ilex_array *c = connectivity(shop, r, a, k, diff_between(r, 1, 4), skip);
    if (ix_is_poison(c))
        return c;
    open_draft(&d, shop, a, a);
    d.name[d.count] = "c";
    d.array[d.count++] = c;
    add(&d, skip ? skipping[diff_draw(r, 6)] : whole[diff_draw(r, 3)],
        axis_text(a, k));
    return close_draft(&d);
}

/* ---- staggered axes ---- */

/* An input on a staggered axis, alone or beside another one. */
ilex_array *
diff_build_staggered(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const ilex_dtype dtypes[] = {ILEX_F64, ILEX_F32, ILEX_I64};
    char name[40], domain[300], axis[100], other[100] = "", halo[60] = "";
    (void)x;
    snprintf(name, sizeof name, "c%d_x%d", shop->slot, shop->step);
    diff_extent e = shop->pool.extent[0];
    e.c += diff_between(r, -1, 1);
    diff_extent_text(&e, true, "I+1/2", axis, sizeof axis);
    if (diff_chance(r, 40) && !shop->pool.large) {
        char text[90];
        diff_extent_text(&shop->pool.extent[1], true, "J", text, sizeof text);
        snprintf(other, sizeof other, ", %s", text);
    }
    if (diff_chance(r, 60))
        snprintf(halo, sizeof halo, " halo(I+1/2:%d:%d)", diff_draw(r, 3),
                 diff_draw(r, 3));
    snprintf(domain, sizeof domain, "%s%s%s", axis, other, halo);
    return ilex_input(shop->ctx, name, dtypes[diff_draw(r, 3)], domain);
}

/* Moved by halves of a cell: there, to the mean, or there and back. */
ilex_array *
diff_build_half_shift(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_context *ctx = shop->ctx;
    if (!is_field(shop, x[0]))
        return NULL;
    int k = diff_draw(r, ix_rank(x[0])), how = diff_draw(r, 3);
    int half = 2 * diff_between(r, -1, 1) + 1;
    ilex_array *y = ix_build_shift_halves(ctx, x[0], k, half);
    if (ix_is_poison(y) || how == 0)
        return y;
    y = ilex_subtract(y, ix_build_shift_halves(ctx, x[0], k, half - 2));
    if (ix_is_poison(y) || how == 1)
        return y;
    return ix_build_shift_halves(ctx, y, k, diff_chance(r, 50) ? 1 : -1);
}
