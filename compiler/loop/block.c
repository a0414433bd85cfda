/* SPDX-License-Identifier: MIT
 *
 * Blocks of a grid: all threads of a block do a point together, which is a
 * tile. Loops that store are theirs, the innermost one of a nest along x, the
 * one around it along y; what such loops store in arrays of the point, others
 * of them read:
 *
 *     d[32*33]                       d[32*33] shared
 *     for z in [0, 32)               for z in [0, 32) block y
 *         for y in [0, 32)               for y in [0, 32) block x
 *             d[33*z + y] = ...              d[33*z + y] = ...
 *     for i in [0, 32)               for i in [0, 32) block y
 *         for k in [0, 32)               for k in [0, 32) block x
 *             y[i, k] = d[33*k + i]          y[i, k] = d[33*k + i]
 *
 * needs: arrays with room in what a block shares; loops that store whose
 * iterations wait for no other, with no array of the point's that is not whole
 * before; nothing else that stores, or fails. All threads take the same way
 * around such loops, so all are there where they wait (pass fences).
 */
#include "compiler/loop/distances.h"
#include "compiler/loop/group.h"

typedef struct blocking {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop; /* that stores, around what is looked at; or NULL */
    bool *shared;        /* by number: an array that such loops store */
    int64_t bytes;       /* of those */
    const char *why;     /* it cannot be; or NULL */
} blocking;

static bool
refuse(blocking *b, const char *why)
{
    b->why = why;
    return false;
}

static bool
writes(const ix_stmt *s)
{
    return s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE;
}

/* ---- arrays ---- */

/* The array of the point that a statement in a loop that stores writes. */
static const ix_stmt *
written_array(const blocking *b, const ix_stmt *s)
{
    return writes(s) && s->mem && s->buffer < 0 &&
                   !ix_list_has_about(b->loop->body, IX_STMT_SCRATCH,
                                      s->mem->number)
               ? s->mem
               : NULL;
}

static int64_t
bytes_of(const ix_stmt *scratch)
{
    return scratch->extent * (int64_t)ilex_dtype_bytes(scratch->dtype);
}

/* ---- loops that store ---- */

static bool
look_in_points(void *user, ix_stmt *s)
{
    blocking *b = user;
    const ix_stmt *array = written_array(b, s);
    if (s->kind == IX_STMT_CHECK || ix_stmt_has(s, IX_HAS_CHECK))
        return refuse(b, "an index is checked, and others wait");
    if (s->kind == IX_STMT_FETCH || s->kind == IX_STMT_FENCE ||
        s->kind == IX_STMT_ASIDE)
        return refuse(b, "memory is asked for");
    if (!array || b->shared[array->number])
        return true;
    if (array->scratch != IX_SCRATCH_ARRAY || array->n[IX_scratch_first] ||
        s->kind != IX_STMT_STORE)
        return refuse(b, "an iteration goes on with what others left");
    b->shared[array->number] = true;
    b->bytes += bytes_of(array);
    return true;
}

static bool
stores(void *user, ix_stmt *s)
{
    (void)user;
    return !(
        s->kind == IX_STMT_STORE &&
        (s->buffer >= 0 || (s->mem && s->mem->scratch == IX_SCRATCH_ARRAY)));
}

/* A loop that stores, and is no loop over such loops with more beside them. */
static bool
is_of_points(const blocking *b, const ix_stmt *s)
{
    ix_cursor c;
    return s->kind == IX_STMT_FOR && ix_loop_is_plain(s) && s->step == 1 &&
           !s->down && !ix_stmt_each(s->body, stores, NULL) &&
           (s->parallel || (ix_cursor_at(b->k, s, &c) &&
                            !ix_loop_independent(b->u, &c).class));
}

/* The one loop that is in a loop, if threads may share its points, too. */
static ix_stmt *
points_inside(const blocking *b, const ix_stmt *s)
{
    return s->body && !s->body->next && is_of_points(b, s->body) ? s->body
                                                                 : NULL;
}

/* ---- what all threads do ---- */

static bool look_at_list(blocking *b, ix_stmt *list);

static bool
look_at(blocking *b, ix_stmt *s)
{
    if (is_of_points(b, s)) {
        b->loop = s;
        return ix_stmt_each(s->body, look_in_points, b);
    }
    if (s->kind == IX_STMT_CHECK || s->kind == IX_STMT_FETCH ||
        s->kind == IX_STMT_FENCE || s->kind == IX_STMT_ASIDE ||
        ix_stmt_has(s, IX_HAS_CHECK))
        return refuse(b, "an index is checked, or memory asked for");
    if (writes(s) || s->kind == IX_STMT_FOLD)
        return refuse(b, "it stores beside the loops that threads may share");
    return look_at_list(b, s->body) && look_at_list(b, s->other);
}

static bool
look_at_list(blocking *b, ix_stmt *list)
{
    for (ix_stmt *s = list; s; s = s->next)
        if (!look_at(b, s))
            return false;
    return true;
}

static blocking
begin(ix_unit *u, ix_kernel *k)
{
    size_t n = (size_t)k->nvalues + 1;
    return (blocking){
        .u = u,
        .k = k,
        .shared = memset(ix_arena_new(&u->arena, n * sizeof(bool)), 0, n)};
}

ix_refusal
ix_block_look(ix_unit *u, ix_kernel *k, ix_stmt *body)
{
    blocking b = begin(u, k);
    if (look_at_list(&b, body) && b.bytes == 0)
        b.why = "no loop stores in an array that others read";
    if (!b.why && b.bytes > u->target->group_bytes)
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "%lld bytes are more than a block of threads shares",
                         (long long)b.bytes);
    return b.why ? ix_refuse(u, IX_REFUSAL_SHAPE, "%s", b.why)
                 : (ix_refusal){IX_REFUSAL_NONE, NULL};
}

bool
ix_block_suits(ix_unit *u, ix_kernel *k, ix_stmt *body)
{
    return ix_block_look(u, k, body).class == IX_REFUSAL_NONE;
}

/* ---- it is done ---- */

static bool
follows(const ix_stmt *loop, const ix_stmt *around)
{
    bool uses = false;
    for (int i = 0; i < ix_operands_before(loop, IX_GROUPS); i++)
        uses |= ix_scalar_uses_index(loop->x[i], around->number);
    return uses;
}

/* The loop in "*around", which is all there, around that one. */
static void
put_outside(ix_stmt **around)
{
    ix_stmt *s = *around, *loop = s->body;
    loop->next = s->next;
    s->next = NULL;
    s->body = loop->body;
    loop->body = s;
    *around = loop;
}

/* The two innermost loops of a nest are those of threads. The one along x goes
 * outside where it may: what is the same for a column is found out once. */
static void
mark_points(const blocking *b, ix_stmt **at)
{
    ix_stmt *inside;
    while ((inside = points_inside(b, *at)) && points_inside(b, inside))
        at = &(*at)->body;
    ix_stmt *around = *at;
    around->how = IX_BLOCK;
    around->dim = inside ? 1 : IX_BLOCK_ALL;
    if (!inside)
        return;
    inside->how = IX_BLOCK;
    inside->dim = 0;
    if (!follows(inside, around))
        put_outside(at);
}

static void
mark_list(const blocking *b, ix_stmt **list)
{
    for (ix_stmt **at = list; *at; at = &(*at)->next) {
        ix_stmt *s = *at;
        if (is_of_points(b, s)) {
            mark_points(b, at);
            continue;
        }
        s->shared = s->kind == IX_STMT_SCRATCH && b->shared[s->number];
        mark_list(b, &s->body);
        mark_list(b, &s->other);
    }
}

/* Statements about an array have one of their own, that says the same. */
static bool
note_shared(void *user, ix_stmt *s)
{
    const blocking *b = user;
    if (s->mem && s->buffer < 0 && b->shared[s->mem->number])
        s->mem->shared = true;
    return true;
}

void
ix_block_mark(ix_unit *u, ix_kernel *k, ix_stmt **body)
{
    blocking b = begin(u, k);
    look_at_list(&b, *body);
    k->team = IX_TEAM_BLOCK;
    mark_list(&b, body);
    ix_stmt_each(*body, note_shared, &b);
}
