/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_VISIT_H
#define WICK_AGENT_VISIT_H

#include <stdbool.h>

/*
 * Whether the library is being loaded by a visit: by a thread that the command
 * has made in a program that ran already.
 */
bool visit_is_loading(void);

/*
 * What that thread does once the library is loaded; context is a struct visit.
 * Records in pieces until the command lets go of the door, by will or by its
 * own end, then takes all of the agent out again that can be: see
 * docs/design/signals.md.  Returns NULL; never to the memory of the visit,
 * which it unmaps.
 */
void *wick_visit_1(void *context);

#endif /* WICK_AGENT_VISIT_H */
