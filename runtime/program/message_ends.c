/* SPDX-License-Identifier: MIT
 *
 * What the messages of a program are for a rank, for values of sizes: with
 * which other rank, how many elements.
 */
#include "runtime/program/messages.h"

static const char *
name_of(const ix_compiled *c, size_t i)
{
    return c->buffer[c->message[i].argument].name;
}

/* The lengths of the array; false on overflow. */
static bool
read_shape(const ix_compiled_buffer *b, const int64_t *size, int64_t *shape)
{
    bool ok = true;
    for (int k = 0; ok && k < b->rank; k++) {
        int64_t lo, hi;
        ok = ix_range_eval(&b->interior[k], size, &lo, &hi) &&
             ix_sub(hi, lo, &shape[k]);
        shape[k] = ok && shape[k] > 0 ? shape[k] : 0;
    }
    return ok;
}

static ilex_status
read_end(const ix_compiled *c, const int64_t *size, size_t i,
         const ix_message_place *at, ix_message_end *to, ix_error *err)
{
    const ix_compiled_message *m = &c->message[i];
    int64_t rank;
    if (!ix_lin_eval(m->rank, size, &rank) ||
        !read_shape(&c->buffer[m->argument], size, to->shape))
        return ix_fail(err, ILEX_E_OVERFLOW,
                       "%s: with these sizes a range, or the rank, of message "
                       "%s leaves 64 bits",
                       c->name, name_of(c, i));
    if (rank < 0 || rank >= at->ranks || rank == at->rank)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "%s: %s %s rank %lld, which is %s (rank %d of %d)",
                       c->name, name_of(c, i),
                       m->sends ? "goes to" : "comes from", (long long)rank,
                       rank == at->rank ? "this one" : "none of the group's",
                       at->rank, at->ranks);
    to->peer = (int)rank;
    return ILEX_OK;
}

/* Of two messages with one rank each has its own tag. */
static ilex_status
check_tags(const ix_compiled *c, const ix_message_place *at,
           const ix_message_end *end, size_t i, ix_error *err)
{
    const ix_compiled_message *m = c->message;
    for (size_t k = 0; k < i; k++)
        if (m[i].sends == m[k].sends && end[i].peer == end[k].peer &&
            m[i].tag == m[k].tag)
            return ix_fail(err, ILEX_E_DUPLICATE,
                           "%s: %s and %s both %s rank %d with tag %d (rank %d "
                           "of %d)",
                           c->name, name_of(c, k), name_of(c, i),
                           m[i].sends ? "go to" : "come from", end[i].peer,
                           m[i].tag, at->rank, at->ranks);
    return ILEX_OK;
}

ilex_status
ix_message_ends(const ix_compiled *c, const int64_t *size,
                const ix_message_place *at, ix_message_end *end, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < c->nmessages; i++) {
        rc = read_end(c, size, i, at, &end[i], err);
        rc = rc ? rc : check_tags(c, at, end, i, err);
    }
    return rc;
}
