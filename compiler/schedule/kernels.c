/* SPDX-License-Identifier: MIT
 *
 * Passes stored and kernels: directives for the program, what is stored and
 * what becomes of kernels: those of the text of option schedule, or, if it has
 * no head "program:", what the policy decides.
 */
#include "compiler/schedule/schedule.h"

#include <ctype.h>

typedef ix_refusal (*transformation)(ix_unit *u, const ix_directive *d,
                                     ix_kernel **k);

/* By row, with how many kernels; those for loops are none. */
static const struct {
    transformation run;
    int kernels;
} transformations[IX_NDIRECTIVES] = {
#define IX_KERNELS(name, n, text, meaning)                                     \
    [IX_KERNELS_##name] = {ix_kernels_##name, n},
#include "compiler/loop/loops.def"
};

ix_kernel *
ix_kernel_called(const ix_unit *u, const char *name, size_t n)
{
    static const char other[] = ":else";
    int64_t number = 0;
    size_t i = 1;
    for (; i < n && isdigit((unsigned char)name[i]) && number < u->nkernels;
         i++)
        number = number * 10 + name[i] - '0';
    if (n < 2 || *name != 'k')
        return NULL;
    ix_kernel *k = u->kernels;
    while (k && k->number != number)
        k = k->next;
    for (; k && i < n; i += sizeof other - 1)
        k = k->condition && n - i >= sizeof other - 1 &&
                    !strncmp(name + i, other, sizeof other - 1)
                ? k->next
                : NULL;
    return k;
}

ix_refusal
ix_kernels_carry(ix_unit *u, const ix_directive *d)
{
    ix_kernel *k[IX_MOST_LOOPS];
    for (int i = 0; i < transformations[d->row].kernels; i++) {
        k[i] = ix_kernel_called(u, d->loop[i], strlen(d->loop[i]));
        if (!k[i])
            return ix_refuse(u, IX_REFUSAL_NAME,
                             "there is no kernel %s; there are %d", d->loop[i],
                             u->nkernels);
    }
    if (d->row == IX_KERNELS_fuse || d->row == IX_KERNELS_fission ||
        d->row == IX_KERNELS_combine || d->row == IX_KERNELS_pack)
        for (int i = 0; i < transformations[d->row].kernels; i++)
            if (k[i]->condition || k[i]->version)
                return ix_refuse(u, IX_REFUSAL_SHAPE,
                                 "%s is there in several versions", d->loop[i]);
    ix_refusal r = transformations[d->row].run(u, d, k);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (d->row != IX_KERNELS_version && d->row != IX_KERNELS_pack &&
        transformations[d->row].kernels)
        k[0]->directed = true;
    ix_unit_number(u);
    ix_schedule_note(u, &u->schedule, d);
    if (u->kernels && ix_option_int(u->ctx, IX_OPTION_verify))
        ix_check_kernels(u, "kernels");
    return r;
}

void
ix_kernels_put(ix_unit *u, ix_text *t)
{
    /* without the head the policy would decide where this is read */
    if (u->schedule || u->naive)
        ix_text_put(t, "program:\n");
    if (u->schedule)
        ix_directives_put(u->schedule, t);
}

bool
ix_schedule_has_text(const ix_unit *u)
{
    const char *text = ix_option_text(u->ctx, IX_OPTION_schedule);
    return strchr(text, '\n') && text[strspn(text, "\n")];
}

/* What a text of option schedule says of the program, as far as the level is
 * that for it. */
static bool
read_program(ix_unit *u)
{
    const char *text = ix_option_text(u->ctx, IX_OPTION_schedule);
    return !ix_schedule_has_text(u) || ix_schedule_read(u, text, NULL);
}

/* needs: boxes of arrays; gives: notes for partition; breaks: nothing. */
bool
ix_pass_stored(ix_unit *u)
{
    return u->reference || read_program(u);
}

/* needs: reductions as loops; gives: the same elements by other kernels,
 * or with copies of operands; breaks: nothing. */
bool
ix_pass_kernels(ix_unit *u)
{
    if (u->reference)
        return true;
    if (!read_program(u))
        return false;
    if (!u->schedule) {
        ix_policy_operands(u);
        bool text = ix_schedule_has_text(u); /* names kernels, and loops, that
                                                there are without */
        ix_policy_program(u);
        if (!text)
            ix_policy_pipelines(u);
        ix_policy_rows(u);
        if (!text)
            ix_policy_versions(u);
    }
    return u->ctx->error.code == ILEX_OK;
}
