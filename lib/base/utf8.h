/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 taken strictly: overlong forms, surrogates and what is beyond Unicode
 * are not valid, since each is a way to smuggle a character past a filter.
 */
#ifndef WICK_BASE_UTF8_H
#define WICK_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/*
 * The length of the valid sequence at the front of s, which is not empty, one
 * to four bytes; 0: it is not valid.
 */
static inline size_t utf8_len(struct span s)
{
	static const uint8_t least[] = { [2] = 0xc2, [3] = 0xe0, [4] = 0xf0 };
	uint8_t first = s.at[0];
	size_t len = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (len == 1)
		return 1;
	if (first < least[len] || first > 0xf4 || s.len < len)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s.at[i] & 0xc0) != 0x80)
			return 0;
	if ((first == 0xe0 && s.at[1] < 0xa0) ||
	    (first == 0xed && s.at[1] > 0x9f) ||
	    (first == 0xf0 && s.at[1] < 0x90) ||
	    (first == 0xf4 && s.at[1] > 0x8f))
		return 0;
	return len;
}

/* The character of a valid sequence of len bytes. */
static inline uint32_t utf8_rune(struct span s, size_t len)
{
	static const uint8_t mask[] = {
		[1] = 0x7f, [2] = 0x1f, [3] = 0xf, [4] = 0x7
	};
	uint32_t rune = s.at[0] & mask[len];

	for (size_t i = 1; i < len; i++)
		rune = rune << 6 | (s.at[i] & 0x3f);
	return rune;
}

#endif /* WICK_BASE_UTF8_H */
