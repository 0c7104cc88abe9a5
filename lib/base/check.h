/* SPDX-License-Identifier: MIT */
/*
 * ASSERT: our own mistakes, never bad input.  It traps instead of calling
 * abort(), because libc's assert() prints and allocates, which code that runs
 * inside another program must not do.
 */
#ifndef WICK_BASE_CHECK_H
#define WICK_BASE_CHECK_H

#define ASSERT(condition) \
	do { \
		if (__builtin_expect(!(condition), 0)) \
			__builtin_trap(); \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* WICK_BASE_CHECK_H */
