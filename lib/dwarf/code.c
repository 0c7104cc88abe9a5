/* SPDX-License-Identifier: MIT */
/* The code of a file, as far as its headers tell. */
#include "dwarf/code.h"

#include <elf.h>

#include "elf/image.h"

struct extent {
	uint64_t address;
	uint64_t size;
};

/* The i-th executable section, or segment; false after the last. */
static bool next_section(const struct elf *elf, uint32_t *i, struct extent *x)
{
	const uint64_t want = SHF_ALLOC | SHF_EXECINSTR;
	struct elf_section s;

	while (elf_section_at(elf, (*i)++, &s))
		if ((s.flags & want) == want && s.size) {
			*x = (struct extent){ s.address, s.size };
			return true;
		}
	return false;
}

static bool next_segment(const struct elf *elf, uint32_t *i, struct extent *x)
{
	struct elf_segment s;

	while (elf_segment_at(elf, (*i)++, &s))
		if (s.type == PT_LOAD && (s.flags & PF_X) && s.memory_size) {
			*x = (struct extent){ s.address, s.memory_size };
			return true;
		}
	return false;
}

typedef bool next_extent(const struct elf *elf, uint32_t *i, struct extent *x);

static uint64_t lowest(const struct elf *elf, next_extent *next)
{
	uint64_t low = UINT64_MAX;
	uint32_t i = 0;
	struct extent x;

	while (next(elf, &i, &x))
		if (x.address < low)
			low = x.address;
	return low;
}

/* Adds a part; when there are too many, the last one swallows the rest. */
static void add_part(struct code_area *area, const struct extent *x)
{
	uint64_t low = x->address - area->base;
	uint64_t high = UINT32_MAX;
	uint32_t i = area->count;

	if (low >= UINT32_MAX)
		return;
	if (x->size < UINT32_MAX - low)
		high = low + x->size;
	if (i == CODE_PARTS) {
		i--;
		if (area->part[i].low < low)
			low = area->part[i].low;
		if (area->part[i].high > high)
			high = area->part[i].high;
	} else {
		area->count++;
	}
	area->part[i].low = (uint32_t)low;
	area->part[i].high = (uint32_t)high;
}

/* Puts the largest part first: nearly every range is in that. */
static void largest_first(struct code_area *area)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < area->count; i++)
		if (area->part[i].high - area->part[i].low >
		    area->part[best].high - area->part[best].low)
			best = i;
	struct code_part largest = area->part[best];

	area->part[best] = area->part[0];
	area->part[0] = largest;
}

void code_area_of(struct code_area *area, const struct elf *elf)
{
	next_extent *next = next_section;
	uint32_t i = 0;
	struct extent x;

	*area = (struct code_area){ .base = lowest(elf, next) };
	if (area->base == UINT64_MAX) {
		next = next_segment;
		area->base = lowest(elf, next);
	}
	while (next(elf, &i, &x))
		add_part(area, &x);
	largest_first(area);
}

bool code_area_clip(const struct code_area *area, uint64_t low, uint64_t high,
		    uint32_t *ret_low, uint32_t *ret_high)
{
	uint64_t from = low - area->base;
	uint64_t to = high - area->base;

	if (high <= low || low < area->base)
		return false;
	for (uint32_t i = 0; i < area->count; i++) {
		if (from < area->part[i].low || from >= area->part[i].high)
			continue;
		*ret_low = (uint32_t)from;
		*ret_high = to < UINT32_MAX ? (uint32_t)to : UINT32_MAX;
		return true;
	}
	return false;
}
