/* SPDX-License-Identifier: MIT */
/*
 * One sweep over ranges in the order of where they start.  Ranges mostly nest
 * (a call inlined into a call inlined into a function), but nothing relies on
 * it: a heap holds whatever covers the present position.
 */
#include "dwarf/flatten.h"

#include "base/arena.h"
#include "base/bound.h"
#include "base/sort.h"

/* The sweep: its position, what covers it, and what it has written. */
struct sweep {
	const struct code_range *range;
	code_segment_vec *out;
	struct arena *arena;
	uint32_t *heap; /* indexes of ranges, the highest owner first */
	uint32_t active;
	uint32_t pc;
};

static bool emit(struct sweep *s, uint32_t owner)
{
	struct code_segment *last = s->out->count
					    ? &s->out->at[s->out->count - 1]
					    : NULL;

	if (last && last->owner == owner)
		return true;
	if (!last || last->pc != s->pc)
		last = VEC_PUSH(s->out, s->arena);
	if (!last)
		return false;
	*last = (struct code_segment){ .pc = s->pc, .owner = owner };
	return true;
}

static void heap_push(struct sweep *s, uint32_t id)
{
	uint32_t i = s->active++;

	while (i) {
		uint32_t up = (i - 1) / 2;

		if (s->range[s->heap[up]].owner >= s->range[id].owner)
			break;
		s->heap[i] = s->heap[up];
		i = up;
	}
	s->heap[i] = id;
}

static void heap_pop(struct sweep *s)
{
	const struct code_range *range = s->range;
	uint32_t id = s->heap[--s->active];
	uint32_t i = 0;

	for (;;) {
		uint32_t down = 2 * i + 1;

		if (down >= s->active)
			break;
		if (down + 1 < s->active &&
		    range[s->heap[down + 1]].owner > range[s->heap[down]].owner)
			down++;
		if (range[id].owner >= range[s->heap[down]].owner)
			break;
		s->heap[i] = s->heap[down];
		i = down;
	}
	s->heap[i] = id;
}

/* Writes segments up to end, where the next range starts. */
static bool advance(struct sweep *s, uint32_t end)
{
	while (s->active && s->pc < end) {
		const struct code_range *top = &s->range[s->heap[0]];

		if (top->high <= s->pc) {
			heap_pop(s);
			continue;
		}
		if (!emit(s, top->owner))
			return false;
		s->pc = top->high < end ? top->high : end;
	}
	if (s->pc < end && s->out->count && !emit(s, 0))
		return false;
	s->pc = end;
	return true;
}

static bool run(struct sweep *s, struct sort_item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ .key = s->range[i].low,
					       .id = i };
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++) {
		if (!advance(s, (uint32_t)items[i].key))
			return false;
		heap_push(s, items[i].id);
	}
	return advance(s, UINT32_MAX);
}

bool flatten(const struct code_range *range, uint32_t count,
	     code_segment_vec *ret, struct arena *arena, struct arena *scratch)
{
	size_t item_bytes = (size_t)count * 2 * sizeof(struct sort_item);
	size_t heap_bytes = (size_t)count * sizeof(uint32_t);
	struct sort_item *items = arena_alloc(scratch, item_bytes);
	struct sweep s = {
		.range = range,
		.out = ret,
		.arena = arena,
		.heap = arena_alloc(scratch, heap_bytes),
	};
	bool ok = items && s.heap;

	ret->count = 0;
	ok = ok && run(&s, items, count);
	arena_free(scratch, s.heap, heap_bytes);
	arena_free(scratch, items, item_bytes);
	return ok;
}

uint32_t code_segments_find(const code_segment_vec *segments, uint32_t pc,
			    uint32_t *near)
{
	const uint32_t words = sizeof(*segments->at) / sizeof(uint32_t);
	uint32_t i;

	if (!segments->count)
		return 0;
	i = bound_above_near(&segments->at->pc, words, segments->count, pc,
			     near);
	return i ? segments->at[i - 1].owner : 0;
}
