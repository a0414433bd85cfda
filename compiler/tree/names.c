/* SPDX-License-Identifier: MIT
 *
 * Names of values and sums of indices as text, for dumps and for the source; of
 * buffers for users.
 */
#include "compiler/tree/tree.h"

#include <stdio.h>

/* The word, then the number, which is not negative. Names are made for each
 * operand of each line: snprintf would be a tenth of all compiling. */
static ix_value_text
numbered(const char *word, int64_t number)
{
    ix_value_text v;
    char digits[20], *first = digits + sizeof digits;
    size_t n = strlen(word), m;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    m = (size_t)(digits + sizeof digits - first);
    memcpy(v.s, word, n);
    memcpy(v.s + n, first, m);
    v.s[n + m] = '\0';
    return v;
}

ix_value_text
ix_value_name(char prefix, int64_t number)
{
    const char letter[2] = {prefix, '\0'};
    if (number <= IX_VALUE_OFFSET)
        return numbered(letter, IX_VALUE_OFFSET - number);
    if (number < 0)
        return number == IX_VALUE_BEGIN ? (ix_value_text){"begin"}
                                        : (ix_value_text){"end"};
    return numbered(prefix == 'L'   ? "lo" /* letters that stand for words */
                    : prefix == 'H' ? "hi"
                                    : letter,
                    number);
}

const char ix_variable_bases[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) base,
#include "compiler/tree/variables.def"
};

const char *const ix_variable_suffixes[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) suffix,
#include "compiler/tree/variables.def"
};

static const char letters[] = {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) letter,
#include "compiler/tree/variables.def"
};

bool
ix_is_variable_letter(char letter)
{
    return memchr(letters, letter, sizeof letters) != NULL;
}

char
ix_variable_letter(const ix_kernel *k, int64_t variable)
{
    return letters[k->variable[variable].role];
}

int
ix_variable_root(const ix_kernel *k, int variable)
{
    while (k->variable[variable].part_of >= 0)
        variable = k->variable[variable].part_of;
    return variable;
}

bool
ix_variable_is_same(const ix_kernel *k, int a, int b)
{
    ix_variable v = k->variable[a], w = k->variable[b];
    bool part = ix_variable_bases[v.role] == '.';
    if (a == b)
        return true;
    if (part != (ix_variable_bases[w.role] == '.') ||
        strcmp(ix_variable_suffixes[v.role], ix_variable_suffixes[w.role]) != 0)
        return false;
    return part ? ix_variable_is_same(k, v.part_of, w.part_of)
                : ix_variable_root(k, a) == ix_variable_root(k, b);
}

/* What an iteration of a loop has, one of a copy of that loop has, too. */
bool
ix_is_part_of(const ix_kernel *k, int variable, int of)
{
    if (of < 0)
        return false;
    while (variable >= 0 && !ix_variable_is_same(k, variable, of))
        variable = k->variable[variable].part_of;
    return variable >= 0;
}

void
ix_kernel_name_put(const ix_kernel *k, ix_text *t)
{
    ix_text_format(t, "k%d", k->number - k->version);
    for (int i = 0; i < k->version; i++)
        ix_text_put(t, ":else");
}

void
ix_kernel_version_put(const ix_kernel *k, ix_text *t)
{
    if (k->version) {
        ix_text_put(t, ", ");
        ix_kernel_name_put(k, t);
    }
    if (k->condition)
        ix_text_format(t, ", when %s", k->condition->text);
}

ix_value_text
ix_stmt_subject(const ix_stmt *s)
{
    const ix_stmt *mem = s->to ? s->to : s->buffer < 0 ? s->mem : NULL;
    if (s->kind == IX_STMT_FOR)
        return ix_value_name('i', s->number);
    if (s->prefix || mem)
        return s->prefix ? ix_value_name(s->prefix, s->number)
                         : ix_value_name(mem->prefix, mem->number);
    return s->buffer < 0 ? (ix_value_text){""} : ix_value_name('b', s->buffer);
}

/* " + 3 * i0", without the plus for the first term. */
static void
put_term(const ix_sum_writer *w, int64_t k, const ilex_array *atom, bool first,
         ix_text *t)
{
    ix_text_put(t, first ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
    if (k != 1 && k != -1) {
        ix_text_uint(t, k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
        ix_text_put(t, w->times);
    }
    w->atom(w->user, atom, t);
}

void
ix_sum_put(const ix_sum_writer *w, const ilex_array *x, ix_text *t)
{
    ix_index_form f;
    bool first = true;
    ix_index_form_of(x, &f);
    for (int negative = 0; negative < 2; negative++)
        for (int i = 0; i < f.n; i++)
            if ((f.t[i].k < 0) == negative) {
                put_term(w, f.t[i].k, f.t[i].atom, first, t);
                first = false;
            }
    if (first)
        ix_text_int(t, f.c);
    else if (f.c)
        ix_text_format(
            t, " %c %llu", f.c < 0 ? '-' : '+',
            (unsigned long long)(f.c < 0 ? 0 - (uint64_t)f.c : (uint64_t)f.c));
}

/* ---- buffers ---- */

/* The names that a program has for temporaries, "temporary 7" where it has
 * none; all at once, since a large program has many of both. */
static void
name_buffers(ix_unit *u)
{
    u->ncalled = u->nbuffers;
    u->called = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *u->called);
    for (size_t k = 0; k < u->norder; k++) {
        int i = u->decision[k].buffer;
        const size_t *label = i >= 0 ? ix_map_find(&u->label, u->order[k]) : 0;
        if (label && !u->called[i])
            u->called[i] = ix_symbol_text(u->ctx, (int32_t)*label);
    }
    for (size_t i = 0; i < u->nbuffers; i++) {
        char text[40];
        snprintf(text, sizeof text, "temporary %zu", i);
        if (*u->buffer[i].name)
            u->called[i] = u->buffer[i].name;
        else if (!u->called[i])
            u->called[i] = ix_arena_string(&u->arena, text);
    }
}

const char *
ix_buffer_called(ix_unit *u, int i)
{
    if (u->ncalled != u->nbuffers)
        name_buffers(u);
    return u->called[i];
}

int
ix_buffer_find(ix_unit *u, const char *name)
{
    int found = -1;
    for (int i = 0; (size_t)i < u->nbuffers; i++)
        if (!strcmp(ix_value_name('b', i).s, name))
            return i;
    for (int i = 0; (size_t)i < u->nbuffers; i++)
        if (!strcmp(ix_buffer_called(u, i), name)) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}
