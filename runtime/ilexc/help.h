/* SPDX-License-Identifier: MIT
 *
 * `ilexc help NAME` for what is no verb.
 */
#ifndef ILEX_ILEXC_HELP_H
#define ILEX_ILEXC_HELP_H

#include "lib/base/text.h"
#include "runtime/ilexc/topics.h"

/* Prints what the topics of this name are, with an empty line between them, and
 * before the first if it stands "behind" something; how many. */
size_t ix_help_print(const char *name, bool behind);

/* How a topic is written: "x + y", "roll(x; axis=0, by=1)", "--jit=tcc". */
void ix_help_example(const ix_topic *topic, ix_text *t);

#endif
