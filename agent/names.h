/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_NAMES_H
#define WICK_AGENT_NAMES_H

struct capture;

/*
 * Names for all addresses of a capture that has ended: functions, files, lines
 * and inlined calls, from the files that the process has mapped and from what
 * just-in-time compilers leave.  All of its memory is its own.  Returns 0 or
 * -ENOMEM; what has no name stays without.
 */
int names_find(struct capture *c);

#endif /* WICK_AGENT_NAMES_H */
