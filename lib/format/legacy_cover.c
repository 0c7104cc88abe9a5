/* SPDX-License-Identifier: MIT */
/*
 * See legacy_cover.h.  A segment tree over the bounds of all mappings, because
 * a hostile file has as many entries as addresses, and going through all
 * entries for each address would take hours.
 *
 * Leaf i stands for the addresses from bound i up to bound i + 1.  With n
 * leaves, they are the nodes n to 2n - 1, and the parent of node i is i / 2; a
 * range of leaves is made of O(log n) nodes, and what contains a leaf is on
 * its way to node 1.
 */
#include "format/legacy_cover.h"

#include <errno.h>
#include <stdbool.h>

#include "base/idsort.h"
#include "format/legacy_build.h"

enum { BOUNDS_EACH = 3 }; /* of a mapping: start, limit, start of its gap */

static bool bound_before(const void *context, uint32_t a, uint32_t b)
{
	const uint64_t *bounds = context;

	return bounds[a] < bounds[b];
}

/* Fills c->bounds with the different ones among count bounds. */
static int sort_bounds(struct cover *c, const uint64_t *bounds, uint32_t count)
{
	struct arena *arena = c->b->arena;
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, count);
	uint32_t *scratch = ARENA_ARRAY(arena, uint32_t, count);

	if (!ids || !scratch || !VEC_RESERVE(&c->bounds, arena, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ids[i] = i;
	sort_ids(ids, scratch, count, bound_before, bounds);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bound = bounds[ids[i]];
		uint32_t n = c->bounds.count;

		if (!n || c->bounds.at[n - 1] != bound)
			c->bounds.at[c->bounds.count++] = bound;
	}
	return 0;
}

static int collect_bounds(struct cover *c)
{
	uint64_t count = (uint64_t)c->b->mappings.count * BOUNDS_EACH;
	uint64_t *bounds = ARENA_ARRAY(c->b->arena, uint64_t, count);

	if (!bounds || count > UINT32_MAX / 2)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->b->mappings.count; i++) {
		const struct legacy_mapping *m = &c->b->mappings.at[i];

		bounds[BOUNDS_EACH * i] = m->start;
		bounds[BOUNDS_EACH * i + 1] = m->limit;
		bounds[BOUNDS_EACH * i + 2] = m->start - m->offset;
	}
	return sort_bounds(c, bounds, (uint32_t)count);
}

/* How many bounds are at or before address. */
static uint32_t rank(const struct cover *c, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = c->bounds.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->bounds.at[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A bound's own leaf, as a node. */
static uint32_t leaf_of(const struct cover *c, uint64_t bound)
{
	return rank(c, bound) - 1 + c->bounds.count;
}

static void cover_node(struct cover *c, uint32_t node, uint32_t mapping)
{
	if (!c->first[node] || c->first[node] > mapping)
		c->first[node] = mapping;
}

/* Mappings arrive the last first, so a list has the first in front. */
static void add_gap_to_node(struct cover *c, uint32_t node, uint32_t mapping)
{
	struct cover_gap *gap = VEC_PUSH(&c->gaps, c->b->arena);

	if (!gap)
		return;
	*gap = (struct cover_gap){ mapping, c->gap[node] };
	c->gap[node] = c->gaps.count - 1;
}

typedef void add_to_node(struct cover *c, uint32_t node, uint32_t mapping);

/* Adds to the nodes that make up the addresses from low up to high. */
static void add_range(struct cover *c, uint64_t low, uint64_t high,
		      uint32_t mapping, add_to_node *add)
{
	uint32_t left;
	uint32_t right;

	if (low >= high)
		return;
	left = leaf_of(c, low);
	right = leaf_of(c, high);
	for (; left < right; left /= 2, right /= 2) {
		if (left & 1)
			add(c, left++, mapping);
		if (right & 1)
			add(c, --right, mapping);
	}
}

void cover_add(struct cover *c, uint32_t mapping)
{
	const struct legacy_mapping *m = &c->b->mappings.at[mapping];

	add_range(c, m->start, m->limit, mapping + 1, cover_node);
}

int cover_init(struct cover *c, const struct legacy_build *b)
{
	uint32_t count = b->mappings.count;

	*c = (struct cover){ .b = b };
	if (collect_bounds(c) < 0)
		return -ENOMEM;
	c->first = ARENA_ARRAY(b->arena, uint32_t, 2 * c->bounds.count);
	c->gap = ARENA_ARRAY(b->arena, uint32_t, 2 * c->bounds.count);
	(void)VEC_PUSH(&c->gaps, b->arena);
	if (b->arena->failed)
		return -ENOMEM;
	for (uint32_t i = count; i-- > 0;) {
		const struct legacy_mapping *m = &b->mappings.at[i];

		cover_add(c, i);
		add_range(c, m->start - m->offset, m->start, i + 1,
			  add_gap_to_node);
	}
	return b->arena->failed ? -ENOMEM : 0;
}

/* The lower of two mappings, either of which may be 0 for none. */
static uint32_t lower(uint32_t a, uint32_t b)
{
	return a && (!b || a < b) ? a : b;
}

uint32_t cover_find(const struct cover *c, uint64_t address)
{
	uint32_t n = rank(c, address);
	uint32_t found = 0;

	if (!n)
		return 0;
	for (uint32_t node = n - 1 + c->bounds.count; node; node /= 2)
		found = lower(found, c->first[node]);
	return found;
}

/* The first open gap of a node; closed ones before it leave the list. */
static uint32_t open_gap(struct cover *c, uint32_t node)
{
	while (c->gap[node]) {
		const struct cover_gap *gap = &c->gaps.at[c->gap[node]];

		if (c->b->mappings.at[gap->mapping - 1].offset)
			return gap->mapping;
		c->gap[node] = gap->next;
	}
	return 0;
}

uint32_t cover_find_gap(struct cover *c, uint64_t address)
{
	uint32_t n = rank(c, address);
	uint32_t found = 0;

	if (!n)
		return 0;
	for (uint32_t node = n - 1 + c->bounds.count; node; node /= 2)
		found = lower(found, open_gap(c, node));
	return found;
}
