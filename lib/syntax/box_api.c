/* SPDX-License-Identifier: MIT
 *
 * Public functions on domains, and the texts that they take.
 */
#include "lib/build/box.h"
#include "lib/build/build.h"
#include "lib/syntax/parse.h"

/* ---- texts ---- */

/* What a text says of the axes of a domain: parts, or a translation. */
typedef struct box_text {
    const ix_domain *d;
    int n;
    ix_box_item item[ILEX_MAX_RANK];
    bool open; /* ends with "..." */
    const ix_lin *by[ILEX_MAX_RANK];
    int32_t name[ILEX_MAX_RANK]; /* what an axis is called then, or 0 */
} box_text;

/* The axis of the domain that "x" names, which was not named before. */
static int
axis_of(ix_parser *p, const box_text *b, const ix_syntax *x, uint32_t *seen)
{
    int k = ix_parse_axis_in(p, b->d, x);
    if (*seen >> k & 1)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &x->word,
                    "the axis %s is named twice", ix_parse_shown(p, x));
    *seen |= (uint32_t)1 << k;
    return k;
}

static const ix_lin *
bound(ix_parser *p, const ix_syntax *x)
{
    return x ? ix_parse_lin(p, x) : NULL;
}

/* The entries of a text, in which sizes come to exist by being named. */
static ix_colons_list
read_items(ix_parser *p)
{
    ix_colons_list items = {0};
    p->new_sizes = true;
    ix_syntax_whole_items(&p->reader, &items);
    return items;
}

/* "I=3, J=2:5, ..." */
static void
read_parts(ix_parser *p, void *user)
{
    box_text *b = user;
    const ix_colons_list ranges = read_items(p);
    uint32_t seen = 0;
    for (size_t i = 0; i < ranges.n; i++) {
        const ix_colons *r = &ranges.item[i];
        if (r->ellipsis && i == ranges.n - 1) {
            b->open = true;
            continue;
        }
        if (!r->axis || r->n > 2)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "expected an axis and its index or range: "
                        "I=3, J=2:5");
        ix_box_item *item = &b->item[b->n];
        item->axis = axis_of(p, b, r->axis, &seen);
        item->single = r->n == 1;
        item->lo = bound(p, r->part[0]);
        item->hi = r->n > 1 ? bound(p, r->part[1]) : NULL;
        b->n++;
    }
}

/* "I+1, J-n, K+1/2" */
static void
read_shifts(ix_parser *p, void *user)
{
    box_text *b = user;
    const ix_colons_list ranges = read_items(p);
    uint32_t seen = 0;
    for (size_t i = 0; i < ranges.n; i++) {
        const ix_colons *r = &ranges.item[i];
        const ix_syntax *x =
            r->n == 1 && ix_parse_is_plain(r) ? r->part[0] : NULL;
        const ix_syntax *axis =
            x && x->kind == IX_SYNTAX_CHAIN ? x->part[0] : x;
        int64_t halves;
        if (!axis || axis->kind != IX_SYNTAX_NAME)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "expected an axis and by how much it moves: I+1, J-n");
        int k = axis_of(p, b, axis, &seen);
        if (ix_parse_halves(p, x, &halves)) {
            b->by[k] = ix_lin_const(
                p->ctx, ix_stagger(p->ctx, &b->d->ax[k], halves, &b->name[k]));
            continue;
        }
        b->by[k] = ix_lin_const(p->ctx, 0);
        for (size_t j = 0; j < x->nlinks; j++)
            b->by[k] = ix_parse_lin_link(p, b->by[k], &x->link[j]);
    }
}

/* Reads a text about "d"; false after an error. */
static bool
read_text(ilex_context *ctx, const ilex_domain *d, const char *text,
          ix_parser_work work, box_text *b)
{
    *b = (box_text){.d = ix_box_of(d)};
    return d && ix_parse_text(ctx, text ? text : "", work, b);
}

/* ---- functions ---- */

/* The end of a proof that no array rests on. */
static const ilex_domain *
closed(ilex_context *ctx, const ix_env *proof, const ix_domain *d)
{
    ix_proof_close(ctx, proof, NULL);
    return ix_box_public(d);
}

const ilex_domain *
ilex_domain_parse(ilex_context *ctx, const char *text)
{
    const ix_domain *d =
        ix_parse_text_domain(ctx, text ? text : "", NULL, NULL);
    const ix_env *proof = ix_proof_open(ctx);
    bool ok = d && ix_build_check_names(ctx, "domain", d) &&
              ix_domain_check_extents(ctx, "domain", d);
    return closed(ctx, proof, ok ? d : NULL);
}

const ilex_domain *
ilex_domain_of(const ilex_array *x)
{
    return x && ix_is_array(x) && !ix_is_poison(x) ? ix_box_public(x->interior)
                                                   : NULL;
}

size_t
ilex_domain_text(ilex_context *ctx, const ilex_domain *d, char *text,
                 size_t size)
{
    return ix_domain_copy(ctx, d ? ix_box_of(d) : NULL, text, size);
}

int
ilex_domain_rank(const ilex_domain *d)
{
    return d ? ix_box_of(d)->rank : -1;
}

/* Are both domains there? One that is NULL beside another one is an error, as
 * for arrays. */
static bool
both(ilex_context *ctx, const char *name, const ilex_domain *a,
     const ilex_domain *b)
{
    if (!a != !b)
        ix_fail(&ctx->error, ILEX_E_ARGUMENT, "%s: domain %d is NULL", name,
                a ? 1 : 0);
    return a && b;
}

const ilex_domain *
ilex_domain_intersect(ilex_context *ctx, const ilex_domain *a,
                      const ilex_domain *b)
{
    if (!both(ctx, "intersect", a, b))
        return NULL;
    const ix_env *proof = ix_proof_open(ctx);
    return closed(
        ctx, proof,
        ix_box_intersect(ctx, "intersect", ix_box_of(a), ix_box_of(b)));
}

const ilex_domain *
ilex_domain_union(ilex_context *ctx, const ilex_domain *a, const ilex_domain *b)
{
    if (!both(ctx, "union", a, b))
        return NULL;
    const ix_env *proof = ix_proof_open(ctx);
    return closed(ctx, proof, ix_box_union(ctx, ix_box_of(a), ix_box_of(b)));
}

const ilex_domain *
ilex_domain_translate(ilex_context *ctx, const ilex_domain *d,
                      const char *shifts)
{
    box_text b;
    const ix_env *proof = ix_proof_open(ctx);
    return closed(ctx, proof,
                  read_text(ctx, d, shifts, read_shifts, &b)
                      ? ix_box_move(ctx, b.d, b.by, b.name)
                      : NULL);
}

static const ilex_domain *
part_of(ilex_context *ctx, const ilex_domain *d, const char *ranges,
        bool relative)
{
    box_text b;
    const ix_env *proof = ix_proof_open(ctx);
    return closed(ctx, proof,
                  read_text(ctx, d, ranges, read_parts, &b)
                      ? ix_box_part(ctx, b.d, b.n, b.item, relative)
                      : NULL);
}

const ilex_domain *
ilex_domain_restrict(ilex_context *ctx, const ilex_domain *d,
                     const char *ranges)
{
    return part_of(ctx, d, ranges, false);
}

const ilex_domain *
ilex_domain_slice(ilex_context *ctx, const ilex_domain *d, const char *ranges)
{
    return part_of(ctx, d, ranges, true);
}

int
ilex_domain_contains(ilex_context *ctx, const ilex_domain *d,
                     const char *position)
{
    box_text b;
    if (!read_text(ctx, d, position, read_parts, &b))
        return -1;
    if (!b.open && b.n != b.d->rank) {
        ix_fail(&ctx->error, ILEX_E_AXIS,
                "contains: '%s' speaks of %d axes of [%s]; speak of all, or "
                "end with \"...\" for those that do not matter",
                position ? position : "", b.n, ix_domain_show(ctx, b.d).s);
        return -1;
    }
    const ix_env *proof = ix_proof_open(ctx);
    ix_tri is = ix_box_contains(ctx, b.d, b.n, b.item);
    ix_proof_close(ctx, proof, NULL);
    return is == IX_UNKNOWN ? -1 : is == IX_YES;
}

ilex_array *
ilex_restrict_to(ilex_array *x, const ilex_domain *d)
{
    if (!x || ix_is_poison(x))
        return x;
    return d ? ix_build_restrict(x->ctx, "restrict", x, ix_box_of(d))
             : ix_poison(x->ctx, "restrict", 1, ILEX_E_ARGUMENT,
                         "restrict: the domain is NULL");
}
