/* SPDX-License-Identifier: MIT */
/*
 * Bump allocation in blocks from mmap(2).  Small requests share blocks, which
 * double in size up to a limit; large ones get a mapping of their own, so that
 * arena_resize() can hand growth to mremap(2) instead of copying.
 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/pages.h"

enum {
	ALIGNMENT = 16,
	PAGE = 4096,
	FIRST_BLOCK = 64 * 1024,
	LARGEST_BLOCK = 1024 * 1024,
	LARGE = 32 * 1024, /* from here on an allocation has its own mapping */
	HUGE = 4 * 1024 * 1024, /* from here on huge pages are asked for */
	HUGE_PAGE = 2 * 1024 * 1024,
};

struct arena_block {
	struct arena_block *next;
	struct arena_block *prev; /* large blocks only */
	size_t size;		  /* of the mapping, this header included */
	size_t used;
};

_Static_assert(sizeof(struct arena_block) % ALIGNMENT == 0,
	       "what follows the header is aligned");

static size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) & ~(unit - 1);
}

static bool wants_huge_pages(const struct arena *a, size_t size)
{
	return a->huge_pages && size >= HUGE;
}

/* Of what is large enough only whole huge pages: kernels put such a mapping to
 * where they fit, and no part of it has small ones. */
static size_t mapping_size(const struct arena *a, size_t size)
{
	return round_up(size, wants_huge_pages(a, size) ? HUGE_PAGE : PAGE);
}

/* Whether size more bytes may be mapped. */
static bool within_limit(const struct arena *a, size_t size)
{
	if (!a->limit)
		return true;
	return a->mapped <= a->limit && size <= a->limit - a->mapped;
}

/*
 * Tables that are looked into all over cost more in address translation than in
 * memory: ask for large pages.  Where there are none nothing is lost.  But one
 * that nobody has used for some seconds may have gone back to a virtual
 * machine's host, and then it takes longer to get than all its small ones
 * would: for what is filled from one end to the other they are not worth it.
 */
static void ask_for_huge_pages(const struct arena *a, void *at, size_t size)
{
	if (wants_huge_pages(a, size))
		(void)madvise(at, size, MADV_HUGEPAGE); /* only a wish */
}

static struct arena_block *map_block(struct arena *a, size_t size)
{
	struct arena_block *b;

	if (!within_limit(a, size))
		return NULL;
	b = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b == MAP_FAILED)
		return NULL;

	ask_for_huge_pages(a, b, size);
	a->mapped += size;
	*b = (struct arena_block){ .size = size, .used = sizeof(*b) };
	return b;
}

static void *fail(struct arena *a)
{
	a->failed = true;
	return NULL;
}

static void large_link(struct arena *a, struct arena_block *b)
{
	b->prev = NULL;
	b->next = a->large;
	if (b->next)
		b->next->prev = b;
	a->large = b;
}

static void large_unlink(struct arena *a, struct arena_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		a->large = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

static void *alloc_large(struct arena *a, size_t size)
{
	struct arena_block *b = map_block(a,
					  mapping_size(a, size + sizeof(*b)));

	if (!b)
		return fail(a);
	large_link(a, b);
	return b + 1;
}

static size_t next_block_size(const struct arena *a)
{
	size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;

	return size < LARGEST_BLOCK ? size : LARGEST_BLOCK;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	void *p;

	if (size > SIZE_MAX / 2)
		return fail(a);
	size = round_up(size, ALIGNMENT);
	if (size >= LARGE)
		return alloc_large(a, size);

	if (!b || b->size - b->used < size) {
		b = map_block(a, next_block_size(a));
		if (!b)
			return fail(a);
		b->next = a->blocks;
		a->blocks = b;
	}
	p = (char *)b + b->used;
	b->used += size;
	return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return fail(a);
	return arena_alloc(a, bytes);
}

/*
 * A page that is read first is the kernel's page of zeros, and to write to it
 * then costs more than to have had one in the first place: every processor that
 * runs this program is told.
 */
void *arena_table(struct arena *a, size_t count, size_t size)
{
	void *p = arena_array(a, count, size);
	const struct arena_block *b;

	if (!p || round_up(count * size, ALIGNMENT) < LARGE)
		return p;
	b = (struct arena_block *)p - 1;
	pages_get(span_of(b, b->size));
	return p;
}

#ifdef __SANITIZE_THREAD__
/* It does not know of mremap(2), and takes who had the memory before for a
 * second user of it. */
static void *grow_mapping(void *old, size_t old_size, size_t size)
{
	void *b = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (b == MAP_FAILED)
		return b;
	memcpy(b, old, old_size);
	ASSERT(munmap(old, old_size) == 0);
	return b;
}
#else
static void *grow_mapping(void *old, size_t old_size, size_t size)
{
	return mremap(old, old_size, size, MREMAP_MAYMOVE);
}
#endif

/* Grows the mapping that holds p and nothing else. */
static void *grow_large(struct arena *a, void *p, size_t new_size)
{
	struct arena_block *old = (struct arena_block *)p - 1;
	size_t old_mapped = old->size;
	size_t mapped = mapping_size(a, new_size + sizeof(*old));
	struct arena_block *b;

	if (mapped <= old_mapped)
		return p;
	if (!within_limit(a, mapped - old_mapped))
		return fail(a);

	large_unlink(a, old);
	b = grow_mapping(old, old_mapped, mapped);
	if (b == MAP_FAILED) {
		large_link(a, old);
		return fail(a);
	}
	ask_for_huge_pages(a, b, mapped);
	a->mapped += mapped - old_mapped;
	b->size = mapped;
	large_link(a, b);
	return b + 1;
}

void *arena_resize(struct arena *a, void *p, size_t old_size, size_t new_size)
{
	void *q;

	ASSERT(p || !old_size);
	if (new_size <= old_size)
		return p;
	if (new_size > SIZE_MAX / 2)
		return fail(a);
	if (p && round_up(old_size, ALIGNMENT) >= LARGE)
		return grow_large(a, p, new_size);

	q = arena_alloc(a, new_size);
	if (q && old_size)
		memcpy(q, p, old_size);
	return q;
}

void arena_free(struct arena *a, void *p, size_t size)
{
	struct arena_block *b;

	if (!p || round_up(size, ALIGNMENT) < LARGE)
		return;
	b = (struct arena_block *)p - 1;
	large_unlink(a, b);
	a->mapped -= b->size;
	ASSERT(munmap(b, b->size) == 0);
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? arena_alloc(a, len + 1) : fail(a);

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

static void release_list(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		ASSERT(munmap(b, b->size) == 0);
		b = next;
	}
}

void arena_release(struct arena *a)
{
	release_list(a->blocks);
	release_list(a->large);
	*a = (struct arena){ .limit = a->limit, .huge_pages = a->huge_pages };
}

void arena_reset(struct arena *a)
{
	struct arena_block *kept = a->blocks;

	if (!kept) {
		arena_release(a);
		return;
	}
	release_list(kept->next);
	release_list(a->large);
	memset(kept + 1, 0, kept->used - sizeof(*kept));
	kept->used = sizeof(*kept);
	kept->next = NULL;
	*a = (struct arena){
		.blocks = kept,
		.mapped = kept->size,
		.limit = a->limit,
		.huge_pages = a->huge_pages,
	};
}

void arena_adopt(struct arena *a, struct arena *other)
{
	struct arena_block **end = &a->blocks;

	/* Behind our own, the first of which is still being filled. */
	while (*end)
		end = &(*end)->next;
	*end = other->blocks;
	while (other->large) {
		struct arena_block *b = other->large;

		large_unlink(other, b);
		large_link(a, b);
	}
	a->mapped += other->mapped;
	a->failed |= other->failed;
	*other = (struct arena){ .limit = other->limit };
}
