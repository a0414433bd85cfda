/* SPDX-License-Identifier: MIT
 *
 * Rules of the policy are carried out.
 */
#include "compiler/schedule/rules.h"

#include <ctype.h>

static const struct {
    const char *directives, *why;
} rules[IX_NRULES] = {
#define IX_RULE(name, directives, why) {directives, why},
#include "compiler/schedule/policy.def"
};

/* Fills "n" characters of a text. */
static const char *
fill(const ix_holes *h, const char *text, size_t n)
{
    ix_text t;
    ix_text_init(&t, &h->u->mem);
    for (size_t i = 0; i < n; i++)
        if (isupper((unsigned char)text[i]))
            ix_text_put(&t, h->text[text[i] - 'A']);
        else
            ix_text_char(&t, text[i]);
    return ix_text_string(&t);
}

const char *
ix_holes_fill(const ix_holes *h, const char *text)
{
    return fill(h, text, strlen(text));
}

void
ix_holes_set(ix_holes *h, char letter, const char *text)
{
    h->text[letter - 'A'] = ix_holes_fill(h, text);
}

void
ix_holes_number(ix_holes *h, char letter, int64_t n)
{
    ix_text t;
    ix_text_init(&t, &h->u->mem);
    ix_text_format(&t, "%lld", (long long)n);
    h->text[letter - 'A'] = ix_text_string(&t);
}

ix_stmt *
ix_kernel_inside(const ix_kernel *k)
{
    ix_stmt *s = k->body;
    for (int i = 0; i < k->box->rank; i++, s = s->body)
        if (s->kind != IX_STMT_FOR || s->next || !s->parallel || s->number != i)
            return NULL;
    return s;
}

bool
ix_holes_nest(ix_holes *h, int i, int j)
{
    ix_text between;
    bool is_short = false;
    ix_text_init(&between, &h->u->mem);
    for (const ix_stmt *s = h->k->body;
         s->kind == IX_STMT_FOR && s->number <= j; s = s->body) {
        const char *name = ix_loop_name(h->u, h->k, s);
        bool one = s->number == i || s->number == j;
        if (one)
            ix_holes_set(h, s->number == i ? 'I' : 'J', name);
        else if (s->number > i)
            ix_text_format(&between, "%s ", name);
        is_short |= one && ix_loop_is_short(h->u, s);
    }
    ix_holes_set(h, 'X', ix_text_string(&between));
    return !is_short;
}

ix_stmt *
ix_holes_loop(const ix_holes *h, const char *name)
{
    ix_loops found;
    ix_refusal r = ix_loops_find(h->u, h->k, ix_holes_fill(h, name), &found);
    return r.class ? NULL : found.loop[0];
}

size_t
ix_rule_count(const ix_holes *h)
{
    return h->k->schedule ? h->k->schedule->n : 0;
}

void
ix_rule_note(const ix_holes *h, ix_rule rule, size_t n)
{
    for (; n < ix_rule_count(h); n++)
        h->k->schedule->item[n].why = rules[rule].why;
}

bool
ix_rule_carry(const ix_holes *h, ix_rule rule)
{
    size_t before = ix_rule_count(h);
    bool done = true;
    for (const char *text = rules[rule].directives; *text && done;) {
        size_t n = strcspn(text, ";");
        bool optional = *text == '?';
        done = ix_schedule_text(
            h->u, h->k, fill(h, text + optional, n - optional), optional);
        text += n + (text[n] == ';');
        text += strspn(text, " ");
    }
    ix_rule_note(h, rule, before);
    return done;
}
