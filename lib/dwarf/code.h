/* SPDX-License-Identifier: MIT */
#ifndef WICK_DWARF_CODE_H
#define WICK_DWARF_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct elf;

enum {
	CODE_PARTS = 32,
};

/*
 * Where a file has code.  Debug information also describes functions that the
 * linker threw away, at addresses of its choice (0, 1, -1); what does not
 * start in code is not believed.  Addresses in tables are 32-bit distances
 * from base, so code further than 4 GiB from it is not covered.
 */
struct code_area {
	uint64_t base;
	uint32_t count;
	struct code_part {
		uint32_t low;
		uint32_t high; /* exclusive */
	} part[CODE_PARTS];
};

/* Fills area from the executable sections, or else segments, of elf. */
void code_area_of(struct code_area *area, const struct elf *elf);

/* Translates a range; false if it is empty or does not start in code. */
bool code_area_clip(const struct code_area *area, uint64_t low, uint64_t high,
		    uint32_t *ret_low, uint32_t *ret_high);

/* Translates one address; false if it is too far away. */
static inline bool code_area_pc(const struct code_area *area, uint64_t address,
				uint32_t *ret)
{
	uint64_t pc = address - area->base;

	*ret = (uint32_t)pc;
	return pc < UINT32_MAX;
}

#endif /* WICK_DWARF_CODE_H */
