/* SPDX-License-Identifier: MIT */
/* A library that programs load and unload; it has thread-local storage. */
#include <stddef.h>

double library_work(unsigned rounds);

static __thread double kept[64];

double library_work(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		for (size_t k = 0; k < 64; k++)
			kept[k] = kept[k] * 1.0000001 + 0.5;
	return kept[rounds % 64];
}
