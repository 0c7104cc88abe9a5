/* SPDX-License-Identifier: MIT */
/* Which mapping contains an address: compared with looking through all. */
#include "format/legacy_cover.h"

#include "format/legacy_build.h"
#include "test.h"

static uint64_t seed;

static uint64_t pick(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Few different bounds, so that they touch, overlap and coincide. */
static void make_mappings(struct legacy_build *b, struct arena *arena)
{
	uint64_t count = pick(12);

	CHECK_EQ(legacy_begin(b, arena), 0);
	for (uint64_t i = 0; i < count; i++) {
		struct legacy_mapping *m = VEC_PUSH(&b->mappings, arena);

		CHECK(m);
		*m = (struct legacy_mapping){
			.start = pick(16) ? pick(40) : UINT64_MAX - pick(9),
			.limit = pick(16) ? pick(40) : UINT64_MAX - pick(9),
			.offset = pick(3) ? pick(12) : 0,
		};
	}
}

static uint32_t slow_find(const struct legacy_build *b, uint64_t address)
{
	for (uint32_t i = 0; i < b->mappings.count; i++) {
		const struct legacy_mapping *m = &b->mappings.at[i];

		if (m->start <= address && address < m->limit)
			return i + 1;
	}
	return 0;
}

static uint32_t slow_find_gap(const struct legacy_build *b, uint64_t address)
{
	for (uint32_t i = 0; i < b->mappings.count; i++) {
		const struct legacy_mapping *m = &b->mappings.at[i];

		if (m->offset && m->start - m->offset <= address &&
		    address < m->start)
			return i + 1;
	}
	return 0;
}

static void widen(struct legacy_build *b, struct cover *c, uint32_t found)
{
	struct legacy_mapping *m = &b->mappings.at[found - 1];

	m->start -= m->offset;
	m->offset = 0;
	cover_add(c, found - 1);
}

TEST(the_tree_finds_what_looking_through_all_finds)
{
	for (seed = 1; seed < 3000; seed++) {
		uint64_t kept = seed;
		struct arena arena = { 0 };
		struct legacy_build b;
		struct cover c;

		make_mappings(&b, &arena);
		CHECK_EQ(cover_init(&c, &b), 0);
		for (unsigned i = 0; i < 40; i++) {
			uint64_t address = pick(8) ? pick(44)
						   : UINT64_MAX - pick(10);
			uint32_t gap = cover_find_gap(&c, address);

			CHECK_EQ(cover_find(&c, address),
				 slow_find(&b, address));
			CHECK_EQ(gap, slow_find_gap(&b, address));
			if (gap && pick(2))
				widen(&b, &c, gap);
		}
		arena_release(&arena);
		seed = kept;
	}
}
