/* SPDX-License-Identifier: MIT */
/* The allocator under libdeflate: see deflate.h.  One mapping an object; the
 * first bytes of it remember its size. */
#include "base/deflate.h"

#include <stddef.h>
#include <sys/mman.h>

#include "base/check.h"

enum { HEADER = 64 }; /* keeps what follows aligned for vector code */

static void *map(size_t size)
{
	size_t *p;

	if (__builtin_add_overflow(size, HEADER, &size))
		return NULL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	*p = size;
	return (char *)p + HEADER;
}

static void unmap(void *p)
{
	size_t *base;

	if (!p)
		return;
	base = (size_t *)(void *)((char *)p - HEADER);
	ASSERT(munmap(base, *base) == 0);
}

struct libdeflate_compressor *deflate_open(int level)
{
	libdeflate_set_memory_allocator(map, unmap);
	return libdeflate_alloc_compressor(level);
}

struct libdeflate_decompressor *inflate_open(void)
{
	libdeflate_set_memory_allocator(map, unmap);
	return libdeflate_alloc_decompressor();
}
