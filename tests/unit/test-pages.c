/* SPDX-License-Identifier: MIT */
/* Pages given back early. */
#include "base/pages.h"

#include <sys/mman.h>

#include "test.h"

#define PAGE  ((size_t)4096)
#define PAGES ((size_t)8)

TEST(only_whole_pages_are_dropped)
{
	uint8_t *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memset(p, 'x', PAGES * PAGE);
	pages_drop(span_of(p + 100, 3 * PAGE));
	CHECK_EQ(p[PAGE - 1], 'x');
	CHECK_EQ(p[PAGE], 0);
	CHECK_EQ(p[3 * PAGE - 1], 0);
	CHECK_EQ(p[3 * PAGE], 'x');
	munmap(p, PAGES * PAGE);
}

TEST(less_than_a_page_is_kept)
{
	uint8_t *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memset(p, 'x', PAGES * PAGE);
	pages_drop(span_of(p + PAGE / 2, PAGE));
	pages_drop(span_of(p + 1, 1));
	pages_drop(span_of(p, 0));
	pages_drop((struct span){ 0 });
	for (size_t i = 0; i < PAGES; i++)
		CHECK_EQ(p[i * PAGE], 'x');
	munmap(p, PAGES * PAGE);
}
