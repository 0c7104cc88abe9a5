/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_LOOKUP_H
#define WICK_AGENT_LOOKUP_H

#include <stdint.h>

struct arena;

/* An address of this process; name NULL: it has none, or is not known. */
struct lookup {
	uint64_t address;
	const char *name;
};

/*
 * Finds the functions that the addresses are in, by the files that are mapped
 * now; of inlined ones the innermost.  The order of the items changes.  Names
 * are arena's.  For a thread of the agent's; takes as long as reading the
 * files' debug information does.  Returns 0 or a negative errno.
 */
int lookup_names(struct lookup *items, uint32_t count, struct arena *arena);

#endif /* WICK_AGENT_LOOKUP_H */
