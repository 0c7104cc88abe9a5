/* SPDX-License-Identifier: MIT */
/* Numbers that look like chance and are the same in every run. */
#ifndef WICK_TEST_RANDOM_H
#define WICK_TEST_RANDOM_H

#include <stdint.h>

#define RANDOM_START ((uint64_t)88172645463325252u) /* any but 0 */

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif /* WICK_TEST_RANDOM_H */
