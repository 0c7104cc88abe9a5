/* SPDX-License-Identifier: MIT */
/*
 * From the entries of a memory map to the mappings of a profile: guesses that
 * are as old as the formats.  They are pprof's guesses, so that a profile has
 * the same mappings, in the same order, wherever it is read.
 */
#include "format/legacy_mappings.h"

#include <stdbool.h>
#include <string.h>

#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_cover.h"
#include "format/legacy_text.h"

/* Whether two texts agree where both are given. */
static bool compatible(struct span a, struct span b)
{
	return !a.len || !b.len || span_equal(a, b);
}

/* Whether b goes on where a ends, and is of the same file. */
static bool continues(const struct legacy_mapping *a,
		      const struct legacy_mapping *b)
{
	if (!compatible(a->file, b->file) ||
	    !compatible(a->build_id, b->build_id) || a->limit != b->start)
		return false;
	return !a->offset || !b->offset ||
	       a->offset + (a->limit - a->start) == b->offset;
}

static void join_neighbours(struct legacy_build *b)
{
	struct legacy_mapping *m = b->mappings.at;
	uint32_t last = 0;

	for (uint32_t i = 1; i < b->mappings.count; i++) {
		if (!continues(&m[last], &m[i])) {
			m[++last] = m[i];
			continue;
		}
		m[last].limit = m[i].limit;
		if (m[i].file.len)
			m[last].file = m[i].file;
		if (m[i].build_id.len)
			m[last].build_id = m[i].build_id;
	}
	if (b->mappings.count)
		b->mappings.count = last + 1;
}

/* "name.so" at the end, or "name.so.1", "name.so_1" anywhere. */
static bool is_library(struct span file)
{
	for (size_t i = 0; i + 3 <= file.len; i++) {
		const uint8_t *at = file.at + i;
		size_t left = file.len - i;

		if (memcmp(at, ".so", 3))
			continue;
		if (left == 3 || (left >= 5 && (at[3] == '.' || at[3] == '_') &&
				  text_in(at[4], TEXT_DIGIT)))
			return true;
	}
	return false;
}

/* A copy without what the kernel writes behind the name of a file that is
 * gone. */
static struct span without_deleted(struct arena *arena, struct span file)
{
	static const char mark[] = "(deleted)";
	const size_t mark_len = sizeof(mark) - 1;
	uint8_t *copy;
	size_t len = 0;

	if (!text_contains(file, mark))
		return file;
	copy = arena_alloc(arena, file.len);
	if (!copy)
		return file;
	for (size_t i = 0; i < file.len;) {
		if (file.len - i >= mark_len &&
		    !memcmp(file.at + i, mark, mark_len))
			i += mark_len;
		else
			copy[len++] = file.at[i++];
	}
	return span_of(copy, len);
}

static bool may_be_program(struct legacy_build *b,
			   const struct legacy_mapping *m)
{
	struct span file = span_trim(without_deleted(b->arena, m->file));

	return file.len && file.at[0] != '[' && !is_library(file);
}

static void move_program_to_front(struct legacy_build *b)
{
	struct legacy_mapping *m = b->mappings.at;

	for (uint32_t i = 0; i < b->mappings.count; i++) {
		struct legacy_mapping first = m[0];

		if (!may_be_program(b, &m[i]))
			continue;
		m[0] = m[i];
		m[i] = first;
		return;
	}
}

void legacy_clean_mappings(struct legacy_build *b)
{
	join_neighbours(b);
	move_program_to_front(b);
}

/* A program whose code was moved to huge pages starts behind them. */
static void drop_huge_pages(struct legacy_build *b)
{
	struct legacy_mapping *m = b->mappings.at;

	if (b->mappings.count < 2 ||
	    !span_starts(m[0].file, "/anon_hugepage") ||
	    m[0].limit != m[1].start)
		return;
	b->mappings.count--;
	memmove(m, m + 1, b->mappings.count * sizeof(*m));
}

/* An entry that begins inside a program linked at the usual address. */
static void restore_usual_start(struct legacy_build *b)
{
	const uint64_t usual = 0x400000;
	struct legacy_mapping *m = b->mappings.at;

	if (!b->mappings.count || m->start - m->offset != usual)
		return;
	m->start = usual;
	m->offset = 0;
}

/*
 * A place in the part of a mapping that the memory map left out, as its offset
 * tells: the mapping is made to begin earlier.
 */
static uint32_t widen(struct legacy_build *b, struct cover *c, uint64_t address)
{
	uint32_t found = cover_find_gap(c, address);
	struct legacy_mapping *m;

	if (!found)
		return 0;
	m = &b->mappings.at[found - 1];
	m->start -= m->offset;
	m->offset = 0;
	cover_add(c, found - 1);
	return found;
}

/* Returns its index + 1. */
static uint32_t add_mapping_of_everything(struct legacy_build *b)
{
	struct legacy_mapping *m = VEC_PUSH(&b->mappings, b->arena);

	if (!m)
		return 0;
	/* Joining may have left an old entry here. */
	*m = (struct legacy_mapping){ .limit = UINT64_MAX };
	return b->mappings.count;
}

/*
 * Once there is a mapping of everything nothing is widened any more: it
 * contains every address but the last, which is in no gap.
 */
static void assign(struct legacy_build *b, struct cover *c)
{
	uint32_t everything = 0;

	for (uint32_t i = 0; i < b->used.count; i++) {
		struct legacy_place *place = &b->places.at[b->used.at[i]];
		uint32_t found;

		if (!place->address)
			continue;
		found = cover_find(c, place->address);
		if (!found && !everything)
			found = widen(b, c, place->address);
		if (!found && !everything)
			everything = add_mapping_of_everything(b);
		place->mapping = found ? found : everything;
	}
}

void legacy_assign_mappings(struct legacy_build *b)
{
	struct cover cover;

	drop_huge_pages(b);
	restore_usual_start(b);
	/* A failure shows in the arena. */
	if (cover_init(&cover, b) == 0)
		assign(b, &cover);
}
