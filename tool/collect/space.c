/* SPDX-License-Identifier: MIT */
/* See space.h. */
#include "collect/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "collect/binary.h"
#include "symbol/maps.h"
#include "symbolize/procfs.h"

struct space *space_new(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct space){ .users = 1, .stale = true };
	return s;
}

struct space *space_share(struct space *s)
{
	s->users++;
	return s;
}

void space_drop(struct space *s)
{
	if (!s || --s->users)
		return;
	free(s->map);
	free(s->modules);
	free(s);
}

static bool reserve(struct space *s, uint32_t count)
{
	uint32_t capacity = s->capacity ? s->capacity : 16;
	struct space_map *grown;

	if (count <= s->capacity)
		return true;
	while (capacity < count)
		capacity *= 2;
	grown = realloc(s->map, capacity * sizeof(*grown));
	if (!grown)
		return false;
	s->map = grown;
	s->capacity = capacity;
	return true;
}

/* Makes *s the caller's own, with room for more. */
static bool own(struct space **s)
{
	struct space *shared = *s;
	struct space *copy;

	/* A new map may cut one in two. */
	if (shared->users == 1)
		return reserve(shared, shared->count + 2);
	copy = space_new();
	if (!copy || !reserve(copy, shared->count + 2)) {
		space_drop(copy);
		return false;
	}
	if (shared->count)
		memcpy(copy->map, shared->map,
		       shared->count * sizeof(*copy->map));
	copy->count = shared->count;
	shared->users--;
	*s = copy;
	return true;
}

/* The first map that ends behind address. */
static uint32_t first_behind(const struct space *s, uint64_t address)
{
	uint32_t lo = 0;
	uint32_t hi = s->count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->map[mid].hi > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void cut_front(struct space_map *m, uint64_t lo)
{
	m->offset += lo - m->lo;
	m->lo = lo;
}

/* Makes room for [lo, hi): afterwards nothing is there.  Returns the index
 * that a map there gets. */
static uint32_t clear(struct space *s, uint64_t lo, uint64_t hi)
{
	uint32_t first = first_behind(s, lo);
	uint32_t last = first;

	if (first < s->count && s->map[first].lo < lo) {
		if (s->map[first].hi > hi) {
			memmove(&s->map[first + 1], &s->map[first],
				(s->count - first) * sizeof(*s->map));
			s->count++;
			cut_front(&s->map[first + 1], hi);
		}
		s->map[first++].hi = lo;
	}
	for (last = first; last < s->count && s->map[last].hi <= hi; last++)
		;
	if (last < s->count && s->map[last].lo < hi)
		cut_front(&s->map[last], hi);
	memmove(&s->map[first], &s->map[last],
		(s->count - last) * sizeof(*s->map));
	s->count -= last - first;
	return first;
}

static bool is_known(const struct space *s, const struct space_map *m)
{
	const struct space_map *there = space_find(s, m->lo);

	return there && there->lo == m->lo && there->hi == m->hi &&
	       there->offset == m->offset && there->binary == m->binary;
}

bool space_add(struct space **s, const struct space_map *m)
{
	uint32_t at;

	/* Said twice, by /proc and by the kernel: keep what is cached. */
	if (m->lo >= m->hi || is_known(*s, m))
		return true;
	if (!own(s))
		return false;
	at = clear(*s, m->lo, m->hi);
	memmove(&(*s)->map[at + 1], &(*s)->map[at],
		((*s)->count - at) * sizeof(*m));
	(*s)->map[at] = *m;
	(*s)->count++;
	(*s)->stale = true;
	return true;
}

/* The kernel's own page in every process, which nothing runs in any more. */
static bool is_vsyscall(struct span path)
{
	return span_equal(path, span_text("[vsyscall]"));
}

static void add_line(struct space **s, pid_t pid, struct binaries *binaries,
		     const struct map_line *line)
{
	char path[4096];
	const struct binary_place place = {
		.pid = pid,
		.lo = line->start,
		.hi = line->end,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.path = span_of(path, maps_path(line, path, sizeof(path))),
	};
	const struct space_map map = {
		.lo = line->start,
		.hi = line->end,
		.offset = line->offset,
		.binary = binary_get(binaries, &place),
	};

	/* Without memory a library is missing, and its stacks are cut. */
	(void)space_add(s, &map);
}

int space_read(struct space **s, pid_t pid, struct binaries *binaries)
{
	struct arena arena = { 0 };
	struct map_line line;
	struct reader lines;
	struct span text;
	char path[64];
	int r;

	fmt_text(path, sizeof(path), "/proc/%d/maps", pid);
	r = procfs_read(path, &arena, &text);
	if (r == 0) {
		lines = reader_of(text);
		while (maps_next(&lines, &line))
			if (line.executable && !is_vsyscall(line.path))
				add_line(s, pid, binaries, &line);
	}
	arena_release(&arena);
	return r;
}

const struct space_map *space_find(const struct space *s, uint64_t address)
{
	uint32_t i = first_behind(s, address);

	if (i == s->count || s->map[i].lo > address)
		return NULL;
	return &s->map[i];
}

/* The segment that is mapped there, if only in part. */
static const struct binary_segment *mapped_segment(struct binary *b,
						   const struct space_map *m)
{
	uint64_t end = m->offset + (m->hi - m->lo);

	for (unsigned i = 0; i < b->segments; i++)
		if (b->segment[i].offset < end &&
		    b->segment[i].offset + b->segment[i].size > m->offset)
			return &b->segment[i];
	return NULL;
}

static struct unwind_module module_of(const struct space_map *m,
				      struct binaries *binaries)
{
	struct unwind_module module = { .lo = m->lo, .hi = m->hi };
	const struct binary_segment *s;

	if (!m->binary)
		return module;
	binary_wait(binaries, m->binary);
	s = mapped_segment(m->binary, m);
	if (!s)
		return module;
	module.bias = m->lo - m->offset + s->offset - s->address;
	if (m->binary->table.n_rows)
		module.table = &m->binary->table;
	return module;
}

const struct unwind_map *space_view(struct space *s, struct binaries *binaries,
				    uint32_t *generation)
{
	struct unwind_module *grown;

	if (!s->stale)
		return &s->view;
	if (s->count > s->room) {
		grown = realloc(s->modules, s->capacity * sizeof(*grown));
		if (!grown)
			return &s->view;
		s->modules = grown;
		s->room = s->capacity;
	}
	for (uint32_t i = 0; i < s->count; i++)
		s->modules[i] = module_of(&s->map[i], binaries);
	s->view = (struct unwind_map){ .modules = s->modules,
				       .count = s->count,
				       .generation = ++*generation };
	s->stale = false;
	return &s->view;
}
