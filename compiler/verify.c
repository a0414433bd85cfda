/* SPDX-License-Identifier: MIT
 *
 * What is legal at each level. A violation is a bug of a pass: ILEX_E_INTERNAL
 * names the pass and the node.
 */
#include "compiler/tree/tree.h"

#include <stdio.h>

#include "lib/ops/dtype.h"

typedef struct verifier {
    ix_unit *u;
    const char *pass;
    bool ok;
} verifier;

static void
complain(verifier *v, const char *what, long long which)
{
    ix_fail(&v->u->ctx->error, ILEX_E_INTERNAL,
            "after pass %s: %s (%lld); please report this program", v->pass,
            what, which);
    v->ok = false;
}

/* Every read of a lambda is inside its operand, wherever it may be read: what
 * constructors prove, and a function of `lower` has to keep. */
static void
verify_reads(verifier *v, const ilex_array *n)
{
    char name[64];
    snprintf(name, sizeof name, "after pass %s, which has a bug", v->pass);
    ix_error *err = &v->u->ctx->error;
    ix_error_mark before = ix_errors_mark(err);
    if (!ix_has_body(n) ||
        ix_access_check_body(v->u->ctx, name, n->valid, n->ops[0], n->ops + 1))
        return;
    /* what holds by construction (a merged reshape), or was shown within the
     * quota then, need not be shown again */
    ilex_status code = ix_errors_since(err, before);
    v->ok = code == ILEX_E_UNDECIDED || code == ILEX_E_LIMIT;
    if (v->ok)
        ix_errors_rewind(err, before);
}

/* Takes what is known in loop "i" for known; what was. */
static const ix_env *
known_in(ix_unit *u, int i)
{
    const ix_env *before = u->ctx->facts;
    u->ctx->facts = ix_unit_repeat_facts(u, i, before);
    return before;
}

/* GRAPH: operands come before users and belong to the context. */
static void
verify_graph(verifier *v)
{
    ix_unit *u = v->u;
    for (size_t i = 0; i < u->norder && v->ok; i++) {
        const ilex_array *n = u->order[i];
        if (n->ctx != u->ctx || ix_is_poison(n))
            complain(v, "an array is poison or foreign", (long long)i);
        for (int k = 0; k < n->nops; k++) {
            if (ix_is_array(n->ops[k]) && ix_unit_position(u, n->ops[k]) >= i)
                complain(v, "an operand comes after its user", (long long)i);
        }
        const ix_env *before = known_in(u, ix_unit_inside(u, i));
        if (v->ok)
            verify_reads(v, n);
        u->ctx->facts = before;
    }
}

/* A load names a buffer, with its rank and dtype, at affine indices. */
static bool
verify_load(ix_load_visitor *lv, const ilex_array *load)
{
    verifier *v = lv->user;
    if (load->attr[0] < 0 || (size_t)load->attr[0] >= v->u->nbuffers) {
        complain(v, "a load names no buffer", load->attr[0]);
        return true;
    }
    const ix_buffer *b = &v->u->buffer[load->attr[0]];
    if (load->nops != b->box->rank || load->dtype != b->dtype)
        complain(v, "a load has another rank or dtype than its buffer",
                 load->attr[0]);
    for (int k = 0; k < load->nops; k++)
        if (load->ops[k]->kind != IX_CHECKED &&
            !ix_index_is_affine(load->ops[k]))
            complain(v, "an index is neither affine nor checked",
                     load->attr[0]);
    return true;
}

static void
verify_value(verifier *v, int buffer, const ilex_array *body)
{
    if (ix_is_array(body) || body->dtype != v->u->buffer[buffer].dtype)
        complain(v, "a stored value has another dtype than its buffer", buffer);
}

/* A call has boxes of the ranks of its buffers. */
static void
verify_call(verifier *v, const ix_foreign_call *c)
{
    for (int i = 0; i < c->narguments + c->nresults; i++) {
        int buffer = c->slice[i].buffer;
        if (buffer < 0 || (size_t)buffer >= v->u->nbuffers ||
            v->u->buffer[buffer].box->rank != c->slice[i].box->rank)
            complain(v, "a call has another rank than its buffer", buffer);
        else if (i >= c->narguments &&
                 !ix_buffer_is_written(&v->u->buffer[buffer]))
            complain(v, "a call writes what is read only", buffer);
    }
}

static void
verify_stage(verifier *v, const ix_stage *s)
{
    for (int i = 0; i < s->count; i++)
        verify_value(v, s->buffer[i], ix_stage_values(s)[i]);
    ix_load_visitor lv = {.ctx = v->u->ctx, .fn = verify_load, .user = v};
    lv.frame.box = s->box;
    const ix_env *before =
        known_in(v->u, ix_unit_repeat_at(v->u, s->when.calls));
    v->ok &= ix_visit_loads(&lv, s->body);
    v->u->ctx->facts = before;
    ix_visit_end(&lv);
}

bool
ix_verify_unit(ix_unit *u, const char *pass)
{
    verifier v = {u, pass, true};
    if (u->level == IX_LEVEL_GRAPH)
        verify_graph(&v);
    for (size_t i = 0; u->level == IX_LEVEL_STAGES && i < u->nstages; i++)
        verify_stage(&v, &u->stage[i]);
    for (size_t i = 0; u->level == IX_LEVEL_STAGES && i < u->ncalls; i++)
        verify_call(&v, u->call[i]);
    return v.ok && ix_check_kernels(u, pass);
}

bool
ix_pass_verify(ix_unit *u)
{
    return ix_verify_unit(u, "verify");
}
