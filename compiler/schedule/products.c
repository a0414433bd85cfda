/* SPDX-License-Identifier: MIT
 *
 * The policy for contractions, c[i, j] = sum over r of a[i, r] * b[r, j]. A
 * block of accumulators, some rows of some vectors, stays in registers while it
 * takes in what a strip of r has; the rows of b that it reads are copied to lie
 * side by side, for all blocks of a tile. The definition has it that the
 * updates of an accumulator are a chain, so this is the order that there is.
 * Which blocks: Goto and van de Geijn, Anatomy of High-Performance Matrix
 * Multiplication, 2008.
 */
#include "compiler/schedule/rules.h"

/* Rows of a block; rows and columns of a tile at most, the columns as vectors;
 * bytes of rows of b that are copied. */
enum {
    BLOCK_ROWS = 6,
    MOST_ROWS = 384,
    MOST_BLOCKS = 4,
    COPY = 16 << 10,
    TILE = 384 << 10,
    NEAR = 3,    /* axes of rows, of columns, and one between */
    THREAD = 4,  /* rows and columns of a thread of a GPU; */
    BESIDE = 32, /* threads beside each other */
    FUSED = 16,  /* registers where functions have fma that others have not; of
                    the block that they have twice as many */
};

/* A contraction, and what stands for letters in its rules. */
typedef struct product {
    ix_unit *u;
    ix_kernel *k;
    int updates;
    const ix_stmt *update;
    const ilex_array *b; /* load */
    int rows;            /* axis */
    bool small;    /* b is, so that it stays in the first cache as it lies */
    int64_t slots; /* of scratch memory for each element of a tile */
    const ix_domain *reduced; /* over which sums are */
    ix_holes holes;
} product;

/* ---- which contraction it is ---- */

/* The load of a factor, which may be converted, or NULL. */
static const ilex_array *
load_of(const ilex_array *factor)
{
    const ilex_array *x = factor->kind == IX_CAST ? factor->ops[0] : factor;
    return x->kind == IX_LOAD ? x : NULL;
}

static bool
note_update(void *user, ix_stmt *s)
{
    product *p = user;
    if (s->kind == IX_STMT_SCRATCH)
        p->slots += s->scratch == IX_SCRATCH_CELL ? 1 : s->extent;
    if (s->kind == IX_STMT_UPDATE) {
        p->update = s;
        p->updates++;
    }
    return true;
}

/* The axis that one factor has and the other lacks, or -1: that along which
 * elements of it are side by side, if rows of what is stored are not far apart
 * then, else the innermost one. */
static int
axis_of_one(const product *p, const ilex_array *a, const ilex_array *b)
{
    int axis = -1;
    for (int i = p->k->box->rank - 1; i >= 0; i--) {
        if (!ix_load_uses(a, i) || ix_load_uses(b, i))
            continue;
        if (i + NEAR >= p->k->box->rank &&
            ix_scalar_uses_index(a->ops[a->nops - 1], i))
            return i;
        axis = axis < 0 ? i : axis;
    }
    return axis;
}

static const ix_lin *
length_of(ilex_context *ctx, const ix_axis *ax)
{
    return ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
}

static bool
is_at_most(ilex_context *ctx, const ix_lin *length, int64_t most)
{
    return length && ix_lin_le(ctx, length, ix_lin_const(ctx, most)) == IX_YES;
}

static const ix_domain *
reduced_around(const product *p, const ix_cursor *c)
{
    const ilex_array *n = NULL;
    for (int i = c->depth - 1; i >= 0 && !n; i--)
        if (c->around[i]->kind == IX_STMT_FOR)
            n = p->k->variable[ix_variable_root(p->k, c->around[i]->number)]
                    .reduction;
    return n ? n->interior : NULL;
}

/* Is it a product of rows and columns, in a nest over all that is stored? */
static bool
is_product(product *p)
{
    const int last = p->k->box->rank - 1;
    ix_cursor c;
    ix_stmt_each(p->k->body, note_update, p);
    if (p->updates != 1 || ix_update_value(p->update)->kind != IX_PRODUCT ||
        p->update->mem->scratch != IX_SCRATCH_CELL)
        return false;
    if (!ix_kernel_inside(p->k))
        return false;
    const ilex_array *x = load_of(ix_update_value(p->update)->ops[0]);
    const ilex_array *y = load_of(ix_update_value(p->update)->ops[1]);
    const ilex_array *b = x && ix_load_uses(x, last) ? x : y;
    const ilex_array *a = b == x ? y : x;
    if (!a || !b || ix_load_uses(a, last) || !ix_cursor_at(p->k, p->update, &c))
        return false;
    const ix_stmt *elements = c.around[c.depth - 1];
    int i = axis_of_one(p, a, b);
    if (i < 0 || elements->kind != IX_STMT_FOR ||
        ix_loop_is_short(p->u, elements) ||
        !ix_load_uses(a, elements->number) ||
        !ix_load_uses(b, elements->number) ||
        !ix_scalar_uses_index(b->ops[b->nops - 1], last))
        return false;
    ix_holes_set(&p->holes, 'R', ix_loop_name(p->u, p->k, elements));
    ix_holes_set(&p->holes, 'B', ix_value_name('b', b->attr[0]).s);
    ix_holes_set(&p->holes, 'F', ix_value_name('b', a->attr[0]).s);
    p->rows = i;
    p->b = b;
    p->reduced = reduced_around(p, &c);
    return !is_at_most(p->u->ctx, length_of(p->u->ctx, &p->k->box->ax[i]),
                       BLOCK_ROWS - 1) &&
           ix_holes_nest(&p->holes, i, last);
}

/* The length of the axis that is reduced whose length is not known, if it is
 * the only one; "others" gets how many elements there are for each of its. */
static const ix_lin *
open_length(const product *p, int64_t *others)
{
    const ix_domain *box = p->reduced;
    const ix_lin *open = NULL;
    *others = 1;
    for (int i = 0; box && i < box->rank; i++) {
        const ix_lin *length = length_of(p->u->ctx, &box->ax[i]);
        bool known = length && length->n == 0 && length->c > 0 &&
                     ix_mul(*others, length->c, others);
        if (!known && (open || !length))
            return NULL;
        open = known ? open : length;
    }
    return open;
}

/* How many elements there are at most, by what is known of sizes, or 0. */
static int64_t
most_elements(const product *p)
{
    const ix_domain *box = p->reduced;
    int64_t n = box != NULL, most;
    for (int i = 0; n > 0 && i < box->rank; i++) {
        const ix_lin *length = length_of(p->u->ctx, &box->ax[i]);
        bool bounded = length && ix_lin_end(p->u->ctx, length, true, &most) &&
                       most < INT64_MAX && ix_mul(n, most, &n);
        n = bounded ? n : 0;
    }
    return n;
}

/* ---- what is done to it ---- */

/* The accumulators are an array by now. */
static void
name_accumulators(product *p)
{
    ix_stmt_each(p->k->body, note_update, p);
    const ix_stmt *mem = p->update->mem;
    ix_holes_set(&p->holes, 'A', ix_value_name(mem->prefix, mem->number).s);
}

/* The names of loops that end where one does, which is shorter than others at
 * the edge of what is stored. */
typedef struct edges {
    const product *p;
    const ilex_array *end[2];
    bool storing; /* of loops that store, too */
    int n;
    ix_text names;
} edges;

static const ilex_array *
edge_of(const ix_stmt *loop)
{
    const ilex_array *end = NULL;
    for (int i = 0; i < loop->n[IX_for_hi]; i++)
        if (ix_operands(loop, IX_for_hi)[i]->kind != IX_CONST)
            end = ix_operands(loop, IX_for_hi)[i];
    return end;
}

static bool
is_no_output(void *user, ix_stmt *s)
{
    (void)user;
    return !ix_stmt_is_output(s);
}

static bool
note_edge(void *user, ix_stmt *s)
{
    edges *e = user;
    const ilex_array *end = s->kind == IX_STMT_FOR ? edge_of(s) : NULL;
    if (end && (end == e->end[0] || end == e->end[1]) && s->step == 1 &&
        e->n < IX_MOST_LOOPS &&
        (e->storing || ix_stmt_each(s->body, is_no_output, NULL))) {
        ix_text_put(&e->names, e->n++ ? " " : "");
        ix_text_put(&e->names, ix_loop_name(e->p->u, e->p->k, s));
    }
    return true;
}

/* Loops of a list that end where one of two does run over whole blocks. */
static void
round_up_both(product *p, ix_stmt *list, const ix_stmt *x, const ix_stmt *y,
              bool storing)
{
    edges e = {.p = p, .storing = storing};
    e.end[0] = x ? edge_of(x) : NULL;
    e.end[1] = y ? edge_of(y) : NULL;
    ix_text_init(&e.names, &p->u->mem);
    ix_stmt_each(list, note_edge, &e);
    ix_holes_set(&p->holes, 'Z', ix_text_string(&e.names));
    if (e.n)
        ix_rule_carry(&p->holes, IX_RULE_edges);
}

/* Those that end where the named one does, but not those that store what they
 * have. */
static void
round_up(product *p, ix_stmt *list, const char *name)
{
    round_up_both(p, list, ix_holes_loop(&p->holes, name), NULL, false);
}

/* Strips of columns: blocks of rows. */
static void
strips(product *p)
{
    ix_holes *h = &p->holes;
    ix_holes_set(h, 'S', "R.o/J.i.o");
    ix_holes_set(h, 'P', "J.i.i");
    ix_holes_set(h, 'L', "S/I.i.o");
    if (!ix_rule_carry(h, IX_RULE_strip))
        return;
    ix_rule_carry(h, IX_RULE_panel);
    ix_rule_carry(h, IX_RULE_own);
    round_up(p, ix_holes_loop(h, "S")->body, "L/P");
    round_up(p, ix_holes_loop(h, "S")->body, "L/I.i.i");
    ix_rule_carry(h, IX_RULE_rows);
}

/* Has b few elements, as far as is known when it is compiled, and its rows
 * whole blocks? */
static bool
is_small(const product *p, int64_t block)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(p->update->mem->dtype),
            r = ix_loop_length(p->u, ix_holes_loop(&p->holes, "R")),
            n = ix_loop_length(p->u, ix_holes_loop(&p->holes, "J"));
    return r > 0 && most_elements(p) == r && n > 0 && n % block == 0 &&
           r <= COPY / bytes / n && 2 * r * n * bytes <= p->u->target->l1_bytes;
}

/* What a tile has: rows, and columns, so that a kernel's memory for it, "each"
 * bytes an element, is not too large; those of a block where b is small. */
static void
choose_tile(product *p, int64_t each, int64_t block)
{
    ix_holes *h = &p->holes;
    int64_t columns = MOST_BLOCKS * block, rows;
    while (columns > block && TILE / each / columns < 8 * BLOCK_ROWS)
        columns -= block;
    rows = TILE / each / columns / BLOCK_ROWS * BLOCK_ROWS;
    rows = rows > MOST_ROWS ? MOST_ROWS : rows;
    ix_holes_number(h, 'M', p->small ? BLOCK_ROWS : rows);
    ix_holes_number(h, 'N', columns);
}

static void
turn_all(product *p, ix_cursor c, int rows, int columns)
{
    for (; *c.at && c.depth + 1 < IX_DEEP; c.at = &(*c.at)->next) {
        ix_cursor two[2] = {c, c};
        ix_cursor_enter(two);
        if ((*c.at)->kind == IX_STMT_FOR && (*c.at)->number == columns &&
            (*two->at)->kind == IX_STMT_FOR && (*two->at)->number == rows)
            ix_schedule_at(p->u, two, "reorder LOOP LOOP2");
        else if ((*c.at)->body)
            turn_all(p, *two, rows, columns);
    }
}

/* What is done to the accumulators of a tile runs along its rows. */
static void
turn(product *p, const char *rows, const char *columns, ix_rule rule)
{
    ix_holes *h = &p->holes;
    size_t n = ix_rule_count(h);
    turn_all(p, (ix_cursor){.k = p->k, .at = &p->k->body},
             ix_holes_loop(h, rows)->number, ix_holes_loop(h, columns)->number);
    ix_rule_note(h, rule, n);
}

/* Tiles of more elements than a strip has at a time. */
static void
tiles(product *p)
{
    ix_holes *h = &p->holes;
    if (!ix_rule_carry(h, IX_RULE_tile))
        return;
    turn(p, "I.i*", "J.i*", IX_RULE_tile);
    name_accumulators(p);
    if (ix_rule_carry(h, IX_RULE_blocks)) {
        round_up(p, p->k->body, "J.i.i");
        round_up(p, p->k->body, "I.i.i");
    }
    if (ix_rule_carry(h, IX_RULE_chunk))
        strips(p);
}

/* Of the loops between the outermost one, which threads divide, and the strips
 * of columns, Z, whose indices b lacks, are to stand inside of these, so that
 * they read the same copy, and Y, those behind the first of them, stay. Are
 * there any? */
static bool
name_others(product *p)
{
    const ix_stmt *tiles = ix_holes_loop(&p->holes, "I.o"),
                  *strips = ix_holes_loop(&p->holes, "J.o");
    ix_text stay, inside;
    ix_text_init(&stay, &p->u->mem);
    ix_text_init(&inside, &p->u->mem);
    bool any = false;
    for (const ix_stmt *s = p->k->body->body; strips && s != strips;
         s = s->body) {
        bool stays = s == tiles || ix_load_uses(p->b, s->number);
        any |= !stays;
        if (any)
            ix_text_format(stays ? &stay : &inside, "%s ",
                           ix_loop_name(p->u, p->k, s));
    }
    ix_holes_set(&p->holes, 'Y', ix_text_string(&stay));
    ix_holes_set(&p->holes, 'Z', ix_text_string(&inside));
    return any;
}

/* Few elements: blocks take in all of them. */
static void
blocks(product *p)
{
    ix_holes *h = &p->holes;
    if (!ix_rule_carry(h, IX_RULE_few))
        return;
    if (!p->small && name_others(p))
        ix_rule_carry(h, IX_RULE_reuse);
    turn(p, "I.i.i*", "J.i*", IX_RULE_few);
    ix_holes_set(h, 'S', "J.o");
    if (!p->small)
        ix_rule_carry(h, IX_RULE_panel);
    round_up(p, p->k->body, "J.i#0");
    round_up(p, p->k->body, "I.i.i#0");
    ix_holes_set(h, 'L', "R");
    const ix_axis *rows = &p->k->box->ax[p->rows];
    if (ix_rule_carry(h, IX_RULE_rows) && p->small &&
        !is_at_most(p->u->ctx, length_of(p->u->ctx, rows), MOST_ROWS))
        ix_rule_carry(h, IX_RULE_next);
}

/* A tile for a thread of a GPU, if there are no chunks, and columns for more
 * than half of the neighbours. */
static bool
threads(product *p)
{
    ix_holes *h = &p->holes;
    const ix_axis *columns = &p->k->box->ax[p->k->box->rank - 1];
    if (p->slots != 1 || is_at_most(p->u->ctx, length_of(p->u->ctx, columns),
                                    THREAD * BESIDE / 2))
        return false;
    ix_holes_number(h, 'H', THREAD);
    ix_holes_number(h, 'W', THREAD);
    ix_holes_number(h, 'N', THREAD * BESIDE);
    if (!ix_rule_carry(h, IX_RULE_thread))
        return false;
    round_up_both(p, p->k->body, ix_holes_loop(h, "I.i#0"),
                  ix_holes_loop(h, "J.i.i#0"), true);
    ix_rule_carry(h, IX_RULE_inside);
    return true;
}

/* Elements of a row of a block, of vectors of so many bytes; of b there is a
 * panel, or it is small. */
static int64_t
block_of(const product *p, int64_t vector_bytes, bool panel)
{
    const ix_target *t = p->u->target;
    ilex_dtype dtype = p->update->mem->dtype;
    bool function = panel && !ix_dtype_is_complex(dtype);
    int64_t vectors = 1, registers = function ? 2 * FUSED : FUSED;
    registers = t->fma ? t->vector_registers : registers;
    while (2 * vectors * (BLOCK_ROWS + 1) < registers)
        vectors *= 2;
    return vectors * vector_bytes / (int64_t)ilex_dtype_bytes(dtype);
}

/* Elements of the sum that a panel of such blocks has room for. */
static int64_t
room_of(const product *p, int64_t block)
{
    return COPY / (int64_t)ilex_dtype_bytes(p->update->mem->dtype) / block;
}

bool
ix_policy_product(ix_unit *u, ix_kernel *k)
{
    const ix_target *t = u->target;
    product p = {.u = u, .k = k, .holes = {.u = u, .k = k}};
    ix_holes *h = &p.holes;
    if (!is_product(&p))
        return false;
    if (t->grid)
        return threads(&p);
    u->asks_registers = true;
    if (t->vector_registers == 0)
        return false;
    int64_t block = block_of(&p, t->wide_bytes, false);
    if (!is_small(&p, block))
        block = block_of(&p, t->vector_bytes, false);
    p.small = is_small(&p, block);
    if (!p.small)
        block = block_of(&p, t->vector_bytes, true);
    choose_tile(&p, p.slots * (int64_t)ilex_dtype_bytes(p.update->mem->dtype),
                block);
    ix_holes_number(h, 'H', BLOCK_ROWS);
    ix_holes_number(h, 'K', room_of(&p, block));
    ix_holes_number(h, 'W', block);
    int64_t most = most_elements(&p);
    if (most > 0 && most <= room_of(&p, block))
        blocks(&p);
    else
        tiles(&p);
    return true;
}

/* ---- versions ---- */

/* A kernel is there twice where it is not known if a length is "most" at most;
 * the second one of them, or it. */
static ix_kernel *
version(ix_unit *u, ix_kernel *k, const ix_lin *length, int64_t most)
{
    ix_text name, condition;
    ix_directive d = {.row = IX_KERNELS_version, .nloops = 1};
    if (!length || is_at_most(u->ctx, length, most) ||
        ix_lin_le(u->ctx, ix_lin_const(u->ctx, most + 1), length) == IX_YES)
        return k;
    ix_text_init(&name, &u->mem);
    ix_kernel_name_put(k, &name);
    ix_text_init(&condition, &u->mem);
    ix_lin_print(u->ctx, length, &condition);
    ix_text_format(&condition, " <= %lld", (long long)most);
    d.loop[0] = ix_text_string(&name);
    d.name = ix_text_string(&condition);
    return ix_kernels_carry(u, &d).class ? k : k->next;
}

void
ix_policy_versions(ix_unit *u)
{
    bool grid = u->target->grid, any = grid || u->target->vector_registers > 0;
    for (ix_kernel *k = u->kernels; k && any; k = k->next) {
        product p = {.u = u, .k = k, .holes = {.u = u, .k = k}};
        if (!is_product(&p))
            continue;
        int64_t others;
        const ix_lin *elements = open_length(&p, &others);
        int64_t few =
            grid ? 0 : room_of(&p, block_of(&p, u->target->vector_bytes, true));
        if (!grid)
            k = version(u, k, length_of(u->ctx, &k->box->ax[p.rows]),
                        BLOCK_ROWS - 1);
        if (few >= others)
            k = version(u, k, elements, few / others);
        if (p.reduced && p.reduced->rank == 1)
            k = version(u, k, elements, IX_CHUNK_CHAIN);
    }
}
