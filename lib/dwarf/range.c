/* SPDX-License-Identifier: MIT */
/*
 * Address ranges in their four shapes: low and high address, low address and
 * size, .debug_ranges (DWARF 3 and 4) and .debug_rnglists (5), the last two
 * with their own ideas of a base address.
 */
#include "dwarf/range.h"

#include "dwarf/constants.h"
#include "dwarf/file.h"

static struct reader reader_from(struct span s, uint64_t offset)
{
	if (offset > s.len)
		return reader_of((struct span){ 0 });
	return reader_of(span_part(s, offset, s.len - offset));
}

/* The offset that slot i of the unit's list of range lists holds. */
static bool list_offset(const struct dwarf_cu *cu, uint64_t i, uint64_t *ret)
{
	unsigned size = cu->unit->offset_size;
	uint64_t at;
	struct reader r;

	if (__builtin_mul_overflow(i, size, &at) ||
	    __builtin_add_overflow(at, cu->rnglists_base, &at))
		return false;
	r = reader_from(cu->file->rnglists, at);
	*ret = size == 8 ? reader_u64(&r) : reader_u32(&r);
	return !r.failed &&
	       !__builtin_add_overflow(*ret, cu->rnglists_base, ret);
}

static void start_list(struct range_walk *w, const struct dwarf_value *v)
{
	const struct dwarf_cu *cu = w->cu;
	uint64_t offset = v->number;

	if (v->kind == VALUE_INDEX && !list_offset(cu, v->number, &offset))
		return;
	if (cu->unit->version >= 5) {
		w->list = reader_from(cu->file->rnglists, offset);
		w->state = RANGE_LIST5;
		return;
	}
	/* The ranges of a split unit stay in the main file. */
	if (cu->file->split &&
	    __builtin_add_overflow(offset, cu->ranges_base, &offset))
		return;
	w->list = reader_from(cu->main->ranges, offset);
	w->state = RANGE_LIST;
}

void range_walk_start(struct range_walk *w, const struct dwarf_cu *cu,
		      const struct dwarf_extent *extent)
{
	const struct dwarf_value *high = &extent->high_pc;

	*w = (struct range_walk){ .cu = cu, .base = cu->low_pc };
	if (extent->ranges.kind == VALUE_OFFSET ||
	    extent->ranges.kind == VALUE_CONSTANT ||
	    extent->ranges.kind == VALUE_INDEX) {
		start_list(w, &extent->ranges);
		return;
	}
	if (extent->low_pc.kind != VALUE_ADDRESS)
		return;
	w->low = extent->low_pc.number;
	if (high->kind == VALUE_ADDRESS)
		w->high = high->number;
	else if (high->kind != VALUE_CONSTANT ||
		 __builtin_add_overflow(w->low, high->number, &w->high))
		return;
	w->state = RANGE_ONE;
}

static bool next_pair(struct range_walk *w, uint64_t *low, uint64_t *high)
{
	while (!w->list.failed) {
		*low = reader_u64(&w->list);
		*high = reader_u64(&w->list);
		if (w->list.failed || (!*low && !*high))
			break;
		if (*low == UINT64_MAX) {
			w->base = *high;
			continue;
		}
		*low += w->base;
		*high += w->base;
		return true;
	}
	return false;
}

static uint64_t address_at(const struct dwarf_cu *cu, uint64_t i)
{
	uint64_t address = 0;

	return cu_address(cu, i, &address) ? address : 0;
}

/* Reads one entry of a DWARF 5 list: 1 a range, 0 none, -1 the end. */
static int read_entry5(struct range_walk *w, uint64_t *low, uint64_t *high)
{
	struct reader *r = &w->list;

	switch (reader_u8(r)) {
	case DW_RLE_base_addressx:
		w->base = address_at(w->cu, reader_uleb(r));
		return 0;
	case DW_RLE_base_address:
		w->base = reader_u64(r);
		return 0;
	case DW_RLE_startx_endx:
		*low = address_at(w->cu, reader_uleb(r));
		*high = address_at(w->cu, reader_uleb(r));
		return 1;
	case DW_RLE_startx_length:
		*low = address_at(w->cu, reader_uleb(r));
		*high = *low + reader_uleb(r);
		return 1;
	case DW_RLE_offset_pair:
		*low = w->base + reader_uleb(r);
		*high = w->base + reader_uleb(r);
		return 1;
	case DW_RLE_start_end:
		*low = reader_u64(r);
		*high = reader_u64(r);
		return 1;
	case DW_RLE_start_length:
		*low = reader_u64(r);
		*high = *low + reader_uleb(r);
		return 1;
	default:
		return -1;
	}
}

static bool next_entry5(struct range_walk *w, uint64_t *low, uint64_t *high)
{
	int r;

	do
		r = read_entry5(w, low, high);
	while (r == 0 && !w->list.failed);
	return r == 1 && !w->list.failed;
}

bool range_walk_next(struct range_walk *w, uint64_t *low, uint64_t *high)
{
	switch (w->state) {
	case RANGE_ONE:
		w->state = RANGE_END;
		*low = w->low;
		*high = w->high;
		return true;
	case RANGE_LIST:
		return next_pair(w, low, high);
	case RANGE_LIST5:
		return next_entry5(w, low, high);
	default:
		return false;
	}
}
