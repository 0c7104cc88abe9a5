/* SPDX-License-Identifier: MIT */
/*
 * Tables of names by address that are text: the kernel's, and perf maps.  Both
 * are written by others while we read, so a line that is cut or nonsense is
 * passed over.
 */
#include "symbol/addrmap.h"

#include <errno.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sort.h"
#include "symbol/textline.h"

enum {
	/* How many entries that ended before are passed in a search. */
	OVERLAP_LIMIT = 4096,
};

bool addrmap_add(struct addrmap *m, struct arena *arena,
		 const struct addrmap_entry *e)
{
	struct addrmap_entry *to;

	if (e->end <= e->start)
		return true;
	to = VEC_PUSH(&m->entries, arena);
	if (!to)
		return false;
	*to = *e;
	return true;
}

/* The entries in the order of their start, those of one start as added. */
static struct addrmap_entry *sorted_copy(const struct addrmap *m,
					 struct arena *arena)
{
	uint32_t count = m->entries.count;
	size_t bytes = (size_t)count * 2 * sizeof(struct sort_item);
	struct sort_item *items = arena_alloc(arena, bytes);
	struct addrmap_entry *to = ARENA_ARRAY(arena, struct addrmap_entry,
					       count);

	if (!items || !to)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){
			.key = m->entries.at[i].start,
			.id = i,
		};
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		to[i] = m->entries.at[items[i].id];
	arena_free(arena, items, bytes);
	return to;
}

int addrmap_sort(struct addrmap *m, struct arena *arena)
{
	uint32_t count = m->entries.count;
	uint64_t reach = 0;
	struct addrmap_entry *sorted;

	if (!count)
		return 0;
	sorted = sorted_copy(m, arena);
	m->reach = ARENA_ARRAY(arena, uint64_t, count);
	if (!sorted || !m->reach)
		return -ENOMEM;
	arena_free(arena, m->entries.at,
		   m->entries.capacity * sizeof(*m->entries.at));
	m->entries.at = sorted;
	m->entries.capacity = count;
	for (uint32_t i = 0; i < count; i++) {
		if (sorted[i].end > reach)
			reach = sorted[i].end;
		m->reach[i] = reach;
	}
	return 0;
}

static uint32_t upper_bound(const struct addrmap *m, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = m->entries.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->entries.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct addrmap_entry *addrmap_find(const struct addrmap *m,
					 uint64_t address, uint64_t time)
{
	const struct addrmap_entry *best = NULL;
	uint32_t i = upper_bound(m, address);

	for (unsigned n = 0; i-- > 0 && n < OVERLAP_LIMIT; n++) {
		const struct addrmap_entry *e = &m->entries.at[i];

		if (m->reach[i] <= address)
			break;
		if (address < e->end && e->time <= time &&
		    (!best || e->time > best->time))
			best = e;
	}
	return best;
}

int perfmap_read(struct addrmap *m, struct span text, struct arena *arena,
		 uint32_t *skipped)
{
	struct reader r = reader_of(text);
	struct span line;

	*skipped = 0;
	while (textline_next(&r, &line)) {
		/* There are no times, but a later line replaces earlier. */
		struct addrmap_entry e = { .time = m->entries.count };
		uint64_t size;

		if (!textline_hex(&line, ' ', &e.start) ||
		    !textline_hex(&line, ' ', &size) || !line.len ||
		    __builtin_add_overflow(e.start, size, &e.end)) {
			++*skipped;
			continue;
		}
		e.name = line;
		if (!addrmap_add(m, arena, &e))
			return -ENOMEM;
	}
	return addrmap_sort(m, arena);
}

/* Makes each symbol end where the next address begins. */
static void close_gaps(struct addrmap *m)
{
	struct addrmap_entry *e = m->entries.at;
	uint64_t next = UINT64_MAX;

	for (uint32_t i = m->entries.count; i-- > 0;) {
		if (i + 1 < m->entries.count && e[i + 1].start != e[i].start)
			next = e[i + 1].start;
		e[i].end = next;
		m->reach[i] = next;
	}
}

static bool is_code_type(uint8_t type)
{
	return (type | 0x20) == 't' || (type | 0x20) == 'w';
}

int kallsyms_read(struct addrmap *m, struct span text, struct arena *arena,
		  struct error *err)
{
	struct reader r = reader_of(text);
	bool hidden = false;
	struct span line;
	int result;

	while (textline_next(&r, &line)) {
		struct addrmap_entry e = { 0 };

		if (!textline_hex(&line, ' ', &e.start) || line.len < 3)
			continue;
		hidden |= !e.start;
		if (!e.start || !is_code_type(line.at[0]))
			continue;
		e.name = span_part(line, 2, line.len - 2);
		e.end = e.start + 1;
		if (!addrmap_add(m, arena, &e))
			return error_set_errno(err, -ENOMEM,
					       "cannot read kernel symbols");
	}
	if (!m->entries.count && hidden)
		return error_set(err, -EACCES,
				 "the kernel hides its addresses; run as root "
				 "or set kernel.kptr_restrict to 0");
	if (!m->entries.count)
		return error_set(err, -ENODATA, "no kernel symbols");
	result = addrmap_sort(m, arena);
	if (result == 0)
		close_gaps(m);
	return result;
}
