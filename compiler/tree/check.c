/* SPDX-License-Identifier: MIT
 *
 * What is legal at the levels TREE and TARGET: definitions before uses and in
 * scope, memory written before it is read, what passes promised to leave
 * nothing of. A violation is a bug of a pass: ILEX_E_INTERNAL names the pass,
 * the kernel and the statement.
 */
#include "compiler/tree/check.h"

enum pass_order {
#define IX_PASS(name, before, after, meaning) PASS_##name,
#include "compiler/passes.def"
    NPASSES
};

void
ix_check_complain(ix_checker *c, const char *what)
{
    const ix_stmt *s = c->stmt;
    if (!c->ok)
        return;
    c->ok = false;
    ix_fail(&c->u->ctx->error, ILEX_E_INTERNAL,
            "after pass %s: kernel k%d, %s %s: %s; please report this program",
            c->pass, c->k->number,
            s ? ix_stmt_rows[s->kind].name : "as a whole",
            s ? ix_stmt_subject(s).s : "", what);
}

static void
require(ix_checker *c, bool holds, const char *what)
{
    if (!holds)
        ix_check_complain(c, what);
}

/* ---- definitions ---- */

static bool
in_range(const ix_checker *c, int64_t number)
{
    return number >= 0 && number < c->k->nvalues;
}

static bool
in_scope(const ix_checker *c, int64_t number)
{
    return in_range(c, number) && c->value[number].state == IX_IN_SCOPE;
}

static void
define(ix_checker *c, const ix_stmt *s)
{
    if (!in_range(c, s->number)) {
        ix_check_complain(c, "its number is too large");
        return;
    }
    require(c, c->value[s->number].state == IX_UNDEFINED, "defined twice");
    require(c, !ix_is_variable_letter(s->prefix), "it is called as a loop is");
    c->value[s->number].state = IX_IN_SCOPE;
    c->value[s->number].by = s;
}

static void
leave_scope(ix_checker *c, const ix_stmt *list)
{
    for (const ix_stmt *s = list; s && c->ok; s = s->next)
        if (ix_stmt_defines(s))
            c->value[s->number].state = IX_OUT_OF_SCOPE;
}

/* ---- what is written ---- */

static void
note_written(ix_checker *c, const ix_stmt *scratch)
{
    if (!c->ok || c->value[scratch->number].written)
        return;
    ix_arena_grow(&c->u->arena, &c->log, &c->log_capacity, c->nlog + 1,
                  sizeof *c->log);
    c->log[c->nlog++] = scratch->number;
    c->value[scratch->number].written = true;
}

/* Scratch memory of a kind of which "kinds" has the bit. */
static void
require_scratch(ix_checker *c, const ix_stmt *s, unsigned kinds)
{
    bool is = s && s->kind == IX_STMT_SCRATCH && in_scope(c, s->number) &&
              c->value[s->number].by->kind == IX_STMT_SCRATCH;
    require(c, is, "it uses scratch memory that is not defined here");
    require(c, !is || (kinds >> s->scratch & 1),
            "it uses scratch memory of another kind");
}

static void
require_written(ix_checker *c, const ix_stmt *s)
{
    require(c, !c->ok || c->value[s->number].written,
            "it reads scratch memory that may not be written yet");
}

/* Forgets what was written since "from", except numbers that are kept. */
static void
forget_since(ix_checker *c, size_t from)
{
    size_t n = from;
    for (size_t i = from; i < c->nlog; i++) {
        ix_check_state *v = &c->value[c->log[i]];
        v->written = v->keep;
        if (v->keep)
            c->log[n++] = c->log[i];
        v->keep = false;
    }
    c->nlog = n;
}

/* ---- expressions ---- */

static bool
is_leaf(const ilex_array *x)
{
    return x->kind == IX_CONST || x->kind == IX_SIZE || x->kind == IX_INDEX ||
           x->kind == IX_VALUE;
}

static bool
has_leaves(const ilex_array *x)
{
    for (int i = 0; i < x->nops; i++)
        if (!is_leaf(x->ops[i]))
            return false;
    return true;
}

static void
check_value(ix_checker *c, const ilex_array *x)
{
    int64_t n = x->attr[0];
    if (n == IX_VALUE_BEGIN || n == IX_VALUE_END) {
        require(c, c->at >= PASS_map, "it uses the range of the kernel");
        return;
    }
    if (n <= IX_VALUE_OFFSET) {
        require(c, IX_VALUE_OFFSET - n < c->k->noffsets,
                "it uses an offset that the kernel does not have");
        require(c,
                IX_VALUE_OFFSET - n >= c->k->noffsets ||
                    c->k->offset[IX_VALUE_OFFSET - n].dtype == x->dtype,
                "it uses an offset as of another dtype");
        return;
    }
    if (!in_scope(c, n)) {
        ix_check_complain(c, "it uses a value that is not defined here");
        return;
    }
    const ix_stmt *s = c->value[n].by;
    bool cell = s->kind == IX_STMT_SCRATCH && s->scratch == IX_SCRATCH_CELL;
    require(c, cell || ix_stmt_is_value(s), "it uses for a value what is none");
    require(c, !cell || c->value[n].written,
            "it reads a cell that may not be written yet");
    require(c, s->dtype == (ilex_dtype)x->dtype,
            "it uses a value as one of another dtype");
}

/* Of what the kernel writes it may load what is its own. */
static bool
may_load(const ix_checker *c, int64_t buffer)
{
    return !c->writes[buffer] || c->k->ordered || c->u->buffer[buffer].own;
}

static bool
loads_legally(const ix_checker *c, const ilex_array *x)
{
    int64_t b = x->attr[0];
    return b >= 0 && (size_t)b < c->u->nbuffers &&
           x->nops == c->u->buffer[b].box->rank &&
           (ilex_dtype)x->dtype == c->u->buffer[b].dtype;
}

static void
check_node(ix_checker *c, const ilex_array *x)
{
    if (x->kind == IX_INDEX)
        require(
            c, (size_t)x->attr[0] < c->k->nvariables && c->variable[x->attr[0]],
            "it uses the variable of a loop that is not around it");
    if (x->kind == IX_VALUE)
        check_value(c, x);
    if (x->kind == IX_LOAD) {
        require(c, loads_legally(c, x), "it loads no buffer as it is");
        require(c, !c->ok || may_load(c, x->attr[0]),
                "it loads a buffer that the kernel writes");
    }
    require(c, x->kind != IX_REDUCE || c->at < PASS_reduce,
            "a reduction is left");
}

static ix_walk_step
enter_node(ix_walk *w, ilex_array *x, size_t *value)
{
    ix_checker *c = w->user;
    (void)value;
    check_node(c, x);
    return c->ok ? IX_WALK_IN : IX_WALK_END;
}

/* Those of a reduction, of its body and of its ends, wait until it gets its
 * loops. */
static ix_walk_step
find_guard(ix_walk *w, ilex_array *x, size_t *value)
{
    ix_checker *c = w->user;
    (void)value;
    if (x->kind == IX_REDUCE)
        return IX_WALK_OVER;
    require(c, !ix_is_guard_still(x), "a guard is left");
    return c->ok ? IX_WALK_IN : IX_WALK_END;
}

static void
check_guards(ix_checker *c, const ilex_array *x)
{
    if (c->at < PASS_guard || !(x->flags & IX_HAS_GUARD))
        return;
    ix_walk w = {.ctx = c->u->ctx,
                 .mem = &c->mem,
                 .within = IX_HAS_GUARD,
                 .enter = find_guard,
                 .user = c};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
}

static bool
check_expr(void *user, ilex_array *x)
{
    ix_checker *c = user;
    check_guards(c, x);
    ix_walk_body(&c->walk, x, NULL);
    return c->ok;
}

static bool
is_flat(ix_flat flat, const ilex_array *x)
{
    bool sum = is_leaf(x) || (x->kind == IX_LINEAR && has_leaves(x));
    bool operation = flat == IX_FLAT_OPERATION && ix_is_operation(x),
         factors = flat == IX_FLAT_FACTORS && x->kind == IX_PRODUCT;
    if (operation || factors)
        return has_leaves(x);
    if (flat == IX_FLAT_OPERATION)
        return sum && x->dtype == ILEX_I64;
    return flat == IX_FLAT_LEAF || flat == IX_FLAT_FACTORS ? is_leaf(x) : sum;
}

/* It has the operands that its row says. */
static void
check_operands(ix_checker *c, const ix_stmt *s)
{
    const ix_stmt_row *row = &ix_stmt_rows[s->kind];
    bool ok = true;
    for (int g = 0; g < IX_GROUPS; g++)
        ok &= s->n[g] >= row->least[g] && s->n[g] <= row->most[g];
    require(c, ok, "it has not the operands of its kind");
}

/* After `hoist` they are what their row says. */
static void
check_flat(ix_checker *c, const ix_stmt *s)
{
    ilex_array *const *x = s->x;
    bool ok = true;
    for (int g = 0; g < IX_GROUPS; g++) {
        ok &= g == IX_INDICES || s->n[g] <= 1;
        for (int i = 0; i < s->n[g]; i++)
            ok &= is_flat(ix_stmt_rows[s->kind].flat[g], *x++);
    }
    require(c, ok, "it is no single operation on leaves");
}

/* ---- elements ---- */

/* Scratch memory in the workspace has a temporary of one axis. */
static int
indices_of(const ix_stmt *s)
{
    return s->kind == IX_STMT_SCRATCH ? 1 : s->n[IX_INDICES];
}

static void
check_element(ix_checker *c, const ix_stmt *s, bool read, bool write)
{
    const ix_stmt *row = s->mem;
    if (s->buffer < 0) {
        require_scratch(
            c, s->mem,
            1u << (s->n[IX_INDICES] ? IX_SCRATCH_ARRAY : IX_SCRATCH_CELL));
        if (read)
            require_written(c, s->mem);
        return;
    }
    bool exists = (size_t)s->buffer < c->u->nbuffers &&
                  indices_of(s) == c->u->buffer[s->buffer].box->rank;
    require(c, exists, "it uses no buffer as it is");
    if (!exists)
        return;
    require(c, !read || may_load(c, s->buffer),
            "it loads a buffer that the kernel writes");
    require(c, !write || ix_buffer_is_written(&c->u->buffer[s->buffer]),
            "it writes an input");
    if (row)
        require(c,
                in_scope(c, row->number) &&
                    c->value[row->number].by->kind == IX_STMT_ROW &&
                    row->buffer == s->buffer,
                "its row is not defined here or of another buffer");
}

/* ---- statements ---- */

static void check_list(ix_checker *c, const ix_stmt *list);

/* A loop may be empty: what its body writes counts for arrays only, whose
 * elements are not told apart. */
static void
check_for(ix_checker *c, const ix_stmt *s)
{
    require(c, s->step > 0, "a loop needs a step");
    bool known = s->number >= 0 && (size_t)s->number < c->k->nvariables;
    require(c, known && !c->variable[s->number],
            "its variable is that of a loop around it");
    require(c, !s->n[IX_for_while] || ix_for_while(s)->dtype == ILEX_BOOL,
            "a condition has to be bool");
    if (!c->ok)
        return;
    size_t from = c->nlog;
    c->variable[s->number] = true;
    check_list(c, s->body);
    c->variable[s->number] = false;
    for (size_t i = from; i < c->nlog; i++) {
        ix_check_state *v = &c->value[c->log[i]];
        v->keep = v->by->scratch != IX_SCRATCH_CELL;
    }
    forget_since(c, from);
}

/* What both bodies write is written. */
static void
check_if(ix_checker *c, const ix_stmt *s)
{
    require(c, ix_if_condition(s)->dtype == ILEX_BOOL,
            "a condition has to be bool");
    size_t from = c->nlog;
    check_list(c, s->body);
    size_t n = c->nlog - from;
    int *first = ix_arena_new(&c->u->arena, (n + 1) * sizeof *first);
    if (n)
        memcpy(first, c->log + from, n * sizeof *first);
    forget_since(c, from);
    check_list(c, s->other);
    for (size_t i = 0; i < n; i++)
        c->value[first[i]].keep = c->value[first[i]].written;
    forget_since(c, from);
}

static void
check_store(ix_checker *c, const ix_stmt *s)
{
    bool update = s->kind == IX_STMT_UPDATE, scratch = s->buffer < 0;
    check_element(c, s, update, true);
    if (!c->ok)
        return;
    const ilex_array *value = update ? ix_update_value(s) : ix_store_value(s);
    ilex_dtype to = scratch ? s->mem->dtype : c->u->buffer[s->buffer].dtype;
    require(c, (ilex_dtype)value->dtype == to,
            "it stores a value of another dtype");
    require(c, update || value->kind != IX_PRODUCT,
            "it stores the factors of a sum");
    if (scratch && !update)
        note_written(c, s->mem);
}

/* From lanes into a cell. */
static void
check_fold(ix_checker *c, const ix_stmt *s)
{
    require_scratch(c, s->from, 1u << IX_SCRATCH_ARRAY);
    require_scratch(c, s->to, 1u << IX_SCRATCH_CELL);
    if (c->ok)
        require_written(c, s->from);
    if (c->ok)
        note_written(c, s->to);
}

static void
check_definition(ix_checker *c, const ix_stmt *s)
{
    if (ix_stmt_has_element(s))
        check_element(c, s, s->kind == IX_STMT_LOAD, false);
    require(c,
            s->kind != IX_STMT_LET ||
                (ilex_dtype)ix_let_value(s)->dtype == s->dtype,
            "it has another dtype than its value");
    define(c, s);
    if (s->kind == IX_STMT_SCRATCH && ix_scratch_first(s))
        note_written(c, s);
}

static void
check_stmt(ix_checker *c, const ix_stmt *s)
{
    switch (s->kind) {
    case IX_STMT_FOR:
        check_for(c, s);
        return;
    case IX_STMT_IF:
        check_if(c, s);
        return;
    case IX_STMT_STORE:
    case IX_STMT_UPDATE:
        check_store(c, s);
        return;
    case IX_STMT_FETCH:
        check_element(c, s, false, false);
        return;
    case IX_STMT_FOLD:
        check_fold(c, s);
        return;
    case IX_STMT_CHECK:
    case IX_STMT_FENCE:
        return;
    default:
        check_definition(c, s);
    }
}

static void
check_list(ix_checker *c, const ix_stmt *list)
{
    for (const ix_stmt *s = list; s && c->ok; s = s->next) {
        c->stmt = s;
        ix_walk_forget(&c->walk);
        check_operands(c, s);
        ix_stmt_exprs(s, check_expr, c);
        if (c->ok && c->at >= PASS_hoist)
            check_flat(c, s);
        if (c->ok)
            check_stmt(c, s);
    }
    leave_scope(c, list);
}

/* ---- kernels ---- */

static void
set_write(ix_checker *c, const ix_stmt *s, bool written)
{
    bool writes = s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE;
    if (writes && s->buffer >= 0 && (size_t)s->buffer < c->u->nbuffers)
        c->writes[s->buffer] = written;
}

static bool
note_write(void *user, ix_stmt *s)
{
    set_write(user, s, true);
    return true;
}

static bool
forget_write(void *user, ix_stmt *s)
{
    set_write(user, s, false);
    return true;
}

/* Where the pass is in the pipeline. For the reference back end the passes
 * after `nest` leave everything as it is. */
static int
position_of(const ix_unit *u, const char *pass)
{
    static const char *const names[] = {
#define IX_PASS(name, before, after, meaning) #name,
#include "compiler/passes.def"
    };
    int at = 0;
    size_t length = strcspn(pass, ":");
    while (at < NPASSES && (strlen(names[at]) != length ||
                            strncmp(names[at], pass, length) != 0))
        at++;
    return u->reference && at > PASS_nest ? PASS_nest : at;
}

/* A kernel that calls another one's function has for each of its buffers, sizes
 * and offsets one that the statements can be about. */
static void
check_like(ix_checker *c)
{
    const ix_kernel *k = c->k, *f = k->like;
    require(c, !f->like && f->body && !k->body,
            "it is like a kernel without statements, or has its own");
    bool same = k->buffers.count == f->buffers.count &&
                k->sizes.count == f->sizes.count && k->noffsets == f->noffsets;
    for (size_t i = 0; same && i < k->buffers.count; i++) {
        const ix_buffer *mine = &c->u->buffer[k->buffers.item[i]],
                        *its = &c->u->buffer[f->buffers.item[i]];
        same = mine->dtype == its->dtype && mine->box->rank == its->box->rank &&
               ix_buffer_is_written(mine) == ix_buffer_is_written(its) &&
               ix_buffer_by_value(c->u, mine) == ix_buffer_by_value(c->u, its);
    }
    for (int i = 0; same && i < k->noffsets; i++)
        same = k->offset[i].dtype == f->offset[i].dtype;
    require(c, same, "it has other arguments than the kernel it is like");
}

static bool
is_of_buffer(void *user, const ilex_array *load)
{
    const ix_unit *u = user;
    return load->attr[0] >= 0 && (size_t)load->attr[0] < u->nbuffers;
}

static bool
check_kernel(ix_checker *c)
{
    ix_unit *u = c->u;
    const ix_kernel *k = c->k;
    if (k->like) {
        check_like(c);
        return c->ok;
    }
    c->value =
        ix_arena_new(&u->arena, ((size_t)k->nvalues + 1) * sizeof *c->value);
    c->variable = ix_arena_new(&u->arena, k->nvariables + 1);
    c->walk = (ix_walk){.ctx = u->ctx,
                        .mem = &c->mem,
                        .frames = IX_WALK_REDUCTIONS,
                        .enter = enter_node,
                        .user = c};
    ix_stmt_each(k->body, note_write, c);
    check_list(c, k->body);
    ix_walk_free(&c->walk);
    ix_stmt_each(k->body, forget_write, c);
    c->stmt = NULL;
    bool thorough = ix_option_int(u->ctx, IX_OPTION_verify) != 0;
    if (c->at >= PASS_vector && u->target->grid)
        ix_check_grid(c);
    if (thorough && c->at >= PASS_hoist && !ix_kernel_has_levels(k))
        require(c, ix_stmt_count(k->body) <= IX_FUNCTION_LINES,
                "it has too many statements for a function");
    if (thorough)
        require(c, ix_stmt_loads(u, k->nests, is_of_buffer, u),
                "its nests load no buffer as it is");
    if (thorough && c->ok && u->level == IX_LEVEL_TREE && u->changed)
        ix_check_accesses(c);
    return c->ok;
}

/* "writes" has room for a mark for each buffer, none of which is set. */
static bool
check_with(ix_unit *u, ix_kernel *k, const char *pass, bool *writes)
{
    ix_checker c = {.u = u,
                    .k = k,
                    .pass = pass,
                    .at = position_of(u, pass),
                    .mem = ix_arena_mem(&u->arena),
                    .writes = writes,
                    .ok = true};
    const ix_env *before = ix_kernel_known(u, k);
    bool ok = check_kernel(&c);
    u->ctx->facts = before;
    return ok;
}

bool
ix_check_kernel(ix_unit *u, ix_kernel *k, const char *pass)
{
    return check_with(u, k, pass, ix_arena_new(&u->arena, u->nbuffers + 1));
}

bool
ix_check_kernels(ix_unit *u, const char *pass)
{
    bool *writes = ix_arena_new(&u->arena, u->nbuffers + 1), ok = true;
    for (ix_kernel *k = u->kernels; k && ok; k = k->next)
        ok = check_with(u, k, pass, writes);
    return ok;
}
