/* SPDX-License-Identifier: MIT */
/* Sorting as Go does it: what Go, after 1.19, made of the same keys. */
#include "base/gosort.h"

#include "test.h"

enum { MOST = 3000 };

enum shape { RANDOM, RISING, FALLING, SAW, NEARLY };

struct sorted {
	uint32_t count;
	uint32_t distinct;
	enum shape shape;
	uint32_t hash; /* of the order that Go left them in */
};

static uint32_t keys[MOST];
static uint32_t ids[MOST];

static uint32_t make_key(const struct sorted *c, uint32_t i, uint32_t random)
{
	switch (c->shape) {
	case RANDOM:
		return random % c->distinct;
	case RISING:
		return i / c->distinct;
	case FALLING:
		return (c->count - i) / c->distinct;
	case SAW:
		return i % c->distinct;
	case NEARLY:
		break;
	}
	return random % 16 ? i : random % c->count;
}

static void make_keys(const struct sorted *c)
{
	uint64_t state = c->count;

	for (uint32_t i = 0; i < c->count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = make_key(c, i, (uint32_t)(state >> 33));
		ids[i] = i;
	}
}

static bool before(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return keys[a] < keys[b];
}

static uint32_t hash_ids(uint32_t count)
{
	uint32_t hash = 0;

	for (uint32_t i = 0; i < count; i++)
		hash = hash * 31 + ids[i];
	return hash;
}

TEST(equals_end_up_where_go_leaves_them)
{
	static const struct sorted cases[] = {
		{ 0, 1, RANDOM, 0 },
		{ 1, 1, RANDOM, 0 },
		{ 12, 3, RANDOM, 4120177862 },
		{ 13, 3, RANDOM, 2582005428 },
		{ 40, 5, RANDOM, 861176518 },
		{ 49, 7, RISING, 476951320 },
		{ 50, 7, FALLING, 2370999645 },
		{ 80, 3, RANDOM, 528131400 },
		{ 80, 9, SAW, 598350566 },
		{ 200, 40, RANDOM, 742121170 },
		{ 200, 1, RANDOM, 1294555236 },
		{ 500, 20, NEARLY, 3283647850 },
		{ 1000, 31, SAW, 3532439862 },
		{ 3000, 300, RANDOM, 654082452 },
		{ 3000, 3, FALLING, 1972425862 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		make_keys(&cases[i]);
		go_sort(ids, cases[i].count, before, NULL);
		for (uint32_t j = 1; j < cases[i].count; j++)
			CHECK(keys[ids[j - 1]] <= keys[ids[j]]);
		CHECK_EQ(hash_ids(cases[i].count), cases[i].hash);
	}
}
