/* SPDX-License-Identifier: MIT
 *
 * Pass layout: axes in the order in which memory has them, the contiguous one
 * last. Passes behind take the last axis for the one along which memory is
 * contiguous, and make the loop over it the innermost one; temporaries are
 * dense in that order.
 *
 * Option order says how arguments lie. What a stage stores has the axes of its
 * loops in their order: those of an output as it lies, of a temporary as most
 * of what is read for it lies.
 *
 * needs: stages; gives: the same stages over boxes, and with loads, whose axes
 * are turned; breaks: that arguments have the axes of the program, which
 * ix_layout_back gives them again. The order in which elements of a reduction
 * are combined is the node's, so no bit of a result changes.
 */
#include <ctype.h>

#include "compiler/unit.h"

/* The order of buffers' axes. Those of which a stage stores all, or of which an
 * output may have the place of an input, have one: leader[b] <= b is whose. */
typedef struct turning {
    ix_unit *u;
    bool fortran; /* all axes are back to front */
    int *leader;
    ix_turn *turn; /* of leaders */
    bool *known;
    /* while the loops of a stage are ordered, its loads, one of each buffer */
    const ilex_array **load;
    size_t nloads;
} turning;

static int
leader_of(const turning *t, int buffer)
{
    while (t->leader[buffer] != buffer)
        buffer = t->leader[buffer];
    return buffer;
}

static const ix_turn *
turn_of(const turning *t, int buffer)
{
    return &t->turn[leader_of(t, buffer)];
}

static void
set_turn(turning *t, int buffer, ix_turn turn)
{
    t->turn[leader_of(t, buffer)] = turn;
    t->known[leader_of(t, buffer)] = true;
}

static void
join(turning *t, int a, int b)
{
    a = leader_of(t, a);
    b = leader_of(t, b);
    t->leader[a > b ? a : b] = a > b ? b : a;
}

/* Has what the stage stores the axes of its loops? */
static bool
stores_points(const ix_stage *s)
{
    return s->kind == IX_STAGE_PLAIN || s->kind == IX_STAGE_SCAN;
}

static void
join_buffers(turning *t)
{
    const ix_unit *u = t->u;
    for (size_t i = 0; i < u->nbuffers; i++)
        t->leader[i] = (int)i;
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].inplace >= 0)
            join(t, u->buffer[i].inplace, (int)i);
    for (size_t i = 0; i < u->nstages; i++)
        for (int k = 1; k < u->stage[i].count && stores_points(&u->stage[i]);
             k++)
            join(t, *u->stage[i].buffer, u->stage[i].buffer[k]);
}

/* ---- what option order says ---- */

static ix_turn
turn_back(int rank)
{
    ix_turn r = {{0}};
    for (int k = 0; k < rank; k++)
        r.axis[k] = (uint8_t)(rank - 1 - k);
    return r;
}

/* Axes by digits, the one with the largest stride first; as they are where
 * these are not each there once. */
static ix_turn
read_axes(const char *digits, int rank)
{
    ix_turn r = {{0}}, none = {{0}};
    unsigned seen = 0;
    for (int k = 0; k < rank; k++) {
        int axis = digits && isdigit((unsigned char)*digits) ? *digits++ - '0'
                                                             : ILEX_MAX_RANK;
        seen |= 1U << axis;
        r.axis[k] = (uint8_t)axis;
        none.axis[k] = (uint8_t)k;
    }
    return seen == (1U << rank) - 1 ? r : none;
}

/* What "a=10,b=201" says of a name, or NULL. */
static const char *
find_axes(const char *order, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = order; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, n) && at[n] == '=')
            return at + n + 1;
    }
    return NULL;
}

/* Arguments lie as the option says, an output in the place of an input like
 * that, which comes before it. */
static void
read_order(turning *t)
{
    const ix_unit *u = t->u;
    for (size_t i = u->nbuffers; i-- > 0;) {
        const ix_buffer *b = &u->buffer[i];
        if (t->fortran)
            set_turn(t, (int)i, turn_back(b->box->rank));
        else if (b->role != IX_ROLE_TEMP)
            set_turn(t, (int)i,
                     read_axes(find_axes(u->layout, b->name), b->box->rank));
    }
}

/* ---- the loops of a stage ---- */

static bool
note_load(ix_load_visitor *v, const ilex_array *load)
{
    turning *t = v->user;
    bool noted = load->nops < 2 || !t->known[leader_of(t, (int)load->attr[0])];
    for (size_t i = 0; i < t->nloads && !noted; i++)
        noted = t->load[i]->attr[0] == load->attr[0];
    if (!noted)
        t->load[t->nloads++] = load;
    return true;
}

/* The index, of those not "taken", along which the load goes by its smallest
 * stride; -1: it has none. */
static int
innermost(const turning *t, const ilex_array *load, int rank, unsigned taken)
{
    const ix_turn *turn = turn_of(t, (int)load->attr[0]);
    for (int k = load->nops; k-- > 0;)
        for (int i = rank; i-- > 0;)
            if (!(taken >> i & 1) &&
                ix_scalar_uses_index(load->ops[turn->axis[k]], i))
                return i;
    return -1;
}

/* The index that is to be the innermost one of those not taken: that of most
 * bytes, where arrays of more axes are larger. */
static int
vote(const turning *t, int rank, unsigned taken)
{
    int64_t weight[ILEX_MAX_RANK] = {0};
    int best = -1;
    for (size_t i = 0; i < t->nloads; i++) {
        const ilex_array *load = t->load[i];
        int axis = innermost(t, load, rank, taken);
        if (axis >= 0)
            weight[axis] += (int64_t)ilex_dtype_bytes((ilex_dtype)load->dtype)
                            << 3 * load->nops;
    }
    for (int k = rank; k-- > 0;)
        if (!(taken >> k & 1) && (best < 0 || weight[k] > weight[best]))
            best = k;
    return best;
}

static ix_turn
turn_by_loads(turning *t, const ix_stage *s)
{
    ix_load_visitor v = {.ctx = t->u->ctx,
                         .mem = &t->u->mem,
                         .frame = {.box = s->box},
                         .fn = note_load,
                         .user = t};
    ix_turn turn = {{0}};
    unsigned taken = 0;
    t->nloads = 0;
    ix_visit_loads(&v, s->body);
    ix_visit_end(&v);
    for (int k = s->box->rank; k-- > 0; taken |= 1U << turn.axis[k])
        turn.axis[k] = (uint8_t)vote(t, s->box->rank, taken);
    return turn;
}

/* The order of the stage's loops, which is that of what it stores. */
static ix_turn
turn_of_stage(turning *t, const ix_stage *s)
{
    bool points = stores_points(s);
    if (points && t->known[leader_of(t, *s->buffer)])
        return *turn_of(t, *s->buffer);
    ix_turn turn = t->fortran ? turn_back(s->box->rank) : turn_by_loads(t, s);
    if (points)
        set_turn(t, *s->buffer, turn);
    return turn;
}

/* ---- turning ---- */

static const ix_domain *
turned(ix_unit *u, const ix_domain *dom, const ix_turn *turn)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < dom->rank; k++)
        ax[k] = dom->ax[turn->axis[k]];
    return ix_domain_new(u->ctx, dom->rank, ax);
}

static void
turn_buffer(ix_unit *u, ix_buffer *b, const ix_turn *turn)
{
    b->box = turned(u, b->box, turn);
    b->interior = turned(u, b->interior, turn);
}

static ilex_array *
load_turned(void *user, ilex_array *load, ilex_array *const *index)
{
    const turning *t = user;
    ilex_array *to[ILEX_MAX_RANK];
    for (int k = 0; k < load->nops; k++)
        to[k] = index[turn_of(t, (int)load->attr[0])->axis[k]];
    return ix_scalar_load(t->u->ctx, (ilex_dtype)load->dtype,
                          (int)load->attr[0], load->nops, to);
}

static void
turn_nothing(const turning *t, ix_stage *s, const ix_turn *turn)
{
    (void)t, (void)s, (void)turn;
}

static void
turn_levels(const turning *t, ix_stage *s, const ix_turn *turn)
{
    int axis = 0;
    (void)t;
    while (turn->axis[axis] != s->levels.axis)
        axis++;
    s->levels.axis = axis;
}

/* The indices of what an update changes; the value stays. */
static void
turn_indices(const turning *t, ix_stage *s, const ix_turn *loops)
{
    ilex_array *part[ILEX_MAX_RANK + 1];
    const ix_turn *turn = turn_of(t, *s->buffer);
    int n = s->body->nops;
    (void)loops;
    if (ix_is_poison(s->body))
        return;
    part[IX_UPDATE_VALUE] = s->body->ops[IX_UPDATE_VALUE];
    for (int k = 0; k < n - IX_UPDATE_INDEX; k++)
        part[IX_UPDATE_INDEX + k] =
            s->body->ops[IX_UPDATE_INDEX + turn->axis[k]];
    s->body = ix_scalar_tuple(t->u->ctx, n, part);
}

static void (*const turn_kind[])(const turning *t, ix_stage *s,
                                 const ix_turn *turn) = {
#define IX_STAGE(KIND, turn, nest, put) [IX_STAGE_##KIND] = turn_##turn,
#include "compiler/stages.def"
};

static void
turn_stage(turning *t, ix_stage *s)
{
    ix_unit *u = t->u;
    ilex_array *index[ILEX_MAX_RANK];
    int rank = s->box->rank;
    ix_turn turn = turn_of_stage(t, s);
    for (int k = 0; k < rank; k++)
        index[turn.axis[k]] = ix_scalar_index(u->ctx, k);
    ix_substitution sub = {.ctx = u->ctx,
                           .index = index,
                           .nindex = rank,
                           .load = load_turned,
                           .became = ix_made_keep,
                           .user = t,
                           .listener = u};
    s->body = ix_substitute(&sub, s->body);
    ix_substitution_free(&sub);
    s->box = turned(u, s->box, &turn);
    turn_kind[s->kind](t, s, &turn);
}

/* Has some array several axes? Which of several checks fails first, which of
 * several updates of an element, whose place is data, is the last, and what
 * functions of the host are given, depend on the order; such programs keep that
 * of C. */
static bool
suits(const ix_unit *u)
{
    bool several = false;
    for (size_t i = 0; i < u->nstages; i++)
        if (u->stage[i].body->flags & IX_HAS_CHECK)
            return false;
    for (size_t i = 0; i < u->nbuffers; i++)
        several |= u->buffer[i].box->rank > 1;
    return several && u->ncalls == 0;
}

static void
turn_all(turning *t)
{
    ix_unit *u = t->u;
    for (size_t i = 0; i < u->nstages; i++)
        turn_stage(t, &u->stage[i]);
    for (size_t i = 0; i < u->nbuffers; i++) {
        ix_buffer *b = &u->buffer[i];
        if (!t->known[leader_of(t, (int)i)]) /* no stage stores it */
            set_turn(t, (int)i, read_axes(NULL, b->box->rank));
        turn_buffer(u, b, turn_of(t, (int)i));
        if (b->role != IX_ROLE_TEMP)
            b->turn = turn_of(t, (int)i);
    }
}

bool
ix_pass_layout(ix_unit *u)
{
    size_t n = u->nbuffers + 1;
    u->can_turn = !u->reference && suits(u);
    if (!u->can_turn || !ix_unit_turns(u))
        return true;
    turning t = {.u = u,
                 .fortran = !strcmp(u->layout, "F"),
                 .leader = ix_arena_new(&u->arena, n * sizeof *t.leader),
                 .turn = ix_arena_new(&u->arena, n * sizeof *t.turn),
                 .known = ix_arena_new(&u->arena, n * sizeof *t.known),
                 .load = ix_arena_new(&u->arena, n * sizeof *t.load)};
    join_buffers(&t);
    read_order(&t);
    const char *divided = find_axes(u->layout, "0");
    u->divided = divided ? *divided - '0' : 0;
    turn_all(&t);
    u->changed = true;
    return u->ctx->error.code == ILEX_OK;
}

void
ix_layout_back(ix_unit *u)
{
    for (size_t i = 0; i < u->nbuffers; i++) {
        ix_buffer *b = &u->buffer[i];
        ix_turn back = {{0}};
        for (int k = 0; b->turn && k < b->box->rank; k++)
            back.axis[b->turn->axis[k]] = (uint8_t)k;
        if (b->turn)
            turn_buffer(u, b, &back);
    }
}
