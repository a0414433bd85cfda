/* SPDX-License-Identifier: MIT
 *
 * Memory of buffers that the interpreter runs on.
 */
#include <stdlib.h>

#include "tests/tree/interpret.h"

/* The next index of a box in C order; false after the last. */
bool
tree_next_index(int rank, const int64_t *lo, const int64_t *hi, int64_t *index)
{
    int k = rank - 1;
    while (k >= 0 && ++index[k] == hi[k]) {
        index[k] = lo[k];
        k--;
    }
    return k >= 0;
}

bool
tree_is_empty(int rank, const int64_t *lo, const int64_t *hi)
{
    for (int k = 0; k < rank; k++)
        if (hi[k] <= lo[k])
            return true;
    return false;
}

/* Whether "at" is an output that takes the place of input "input". */
bool
tree_shares(const ix_unit *u, size_t at, int input)
{
    return u->buffer[at].role == IX_ROLE_OUTPUT &&
           u->buffer[at].inplace == input;
}

void
tree_join_box(tree_memory *m, const tree_memory *other)
{
    for (int k = 0; k < m->rank; k++) {
        m->first[k] = other->lo[k] < m->first[k] ? other->lo[k] : m->first[k];
        m->last[k] = other->hi[k] > m->last[k] ? other->hi[k] : m->last[k];
    }
}

void
tree_make_elements(tree_memory *m)
{
    size_t n = 1;
    for (int k = 0; k < m->rank; k++)
        n *= m->last[k] > m->first[k] ? (size_t)(m->last[k] - m->first[k]) : 0;
    m->element = tree_allocate(n, sizeof *m->element);
    m->state = tree_allocate(n, sizeof *m->state);
}

void
tree_share_memory(const ix_unit *u, tree_memory *m)
{
    for (size_t i = 0; i < u->nbuffers; i++) {
        int input = u->buffer[i].inplace;
        if (u->buffer[i].role != IX_ROLE_OUTPUT || input < 0)
            continue;
        free(m[i].element);
        free(m[i].state);
        m[i].element = m[input].element;
        m[i].state = m[input].state;
        memcpy(m[i].first, m[input].first, sizeof m[i].first);
        memcpy(m[i].last, m[input].last, sizeof m[i].last);
    }
}

void
tree_free_memory(const ix_unit *u, tree_memory *m, bool shared)
{
    for (size_t i = 0; i < u->nbuffers; i++) {
        if (shared && u->buffer[i].role == IX_ROLE_OUTPUT &&
            u->buffer[i].inplace >= 0)
            continue;
        free(m[i].element);
        free(m[i].state);
    }
    free(m);
}
