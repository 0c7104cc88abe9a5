/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_TEAM_H
#define WICK_REPORT_TEAM_H

#include <stdint.h>

struct workers;

/*
 * The workers for a walk over so many stacks: a thread for each processor, up
 * to a few.  NULL if one is enough.
 */
const struct workers *team_for(uint32_t stacks);

#endif /* WICK_REPORT_TEAM_H */
