/* SPDX-License-Identifier: MIT */
/* See lookup.h. */
#include "agent/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"
#include "base/sort.h"
#include "symbol/demangle.h"
#include "symbol/maps.h"
#include "symbol/module.h"

enum { PATH_SIZE = 4096 };

struct finder {
	struct lookup *items; /* by address */
	uint32_t count;
	uint32_t at; /* the first that no mapping has had yet */
	struct arena *arena;
	struct arena scratch;
	struct demangler *demangler;
};

static int read_maps(struct arena *arena, struct span *ret)
{
	struct sink text = sink_to_memory(arena);
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		char *room = sink_room(&text, 65536);

		n = room ? read(fd, room, 65536) : -1;
		if (n > 0)
			sink_filled(&text, (size_t)n);
	} while (n > 0);
	close(fd);
	*ret = sink_bytes(&text);
	return n < 0 ? -EIO : 0;
}

static void set_name(struct finder *f, struct lookup *item, const char *name)
{
	struct span text = span_text(name);
	struct span readable;

	if (!text.len)
		return;
	if (f->demangler &&
	    demangle(f->demangler, text, DEMANGLE_PPROF, &readable))
		text = readable;
	item->name = arena_text(f->arena, (const char *)text.at, text.len);
}

static void find_in(struct finder *f, const struct map_line *map,
		    uint32_t count, struct module *m)
{
	struct symbol_frame frames[SYMBOL_FRAMES];

	for (uint32_t i = f->at; i < f->at + count; i++) {
		uint64_t offset = f->items[i].address - map->start +
				  map->offset;
		uint64_t address;

		if (elf_offset_to_address(&m->elf, offset, &address) &&
		    module_find(m, address, frames))
			set_name(f, &f->items[i], frames[0].function);
	}
}

/* The items from the next one on that lie within the mapping. */
static uint32_t count_within(struct finder *f, const struct map_line *map)
{
	uint32_t end;

	while (f->at < f->count && f->items[f->at].address < map->start)
		f->at++;
	end = f->at;
	while (end < f->count && f->items[end].address < map->end)
		end++;
	return end - f->at;
}

static void visit(struct finder *f, const struct map_line *map)
{
	const struct module_options options = { 0 };
	uint32_t count = count_within(f, map);
	char path[PATH_SIZE];
	struct module m;

	if (count && map->executable && map->inode &&
	    maps_path(map, path, sizeof(path)) &&
	    module_open(&m, path, &options, NULL) == 0) {
		find_in(f, map, count, &m);
		module_close(&m);
	}
	f->at += count;
}

static int sort_by_address(struct finder *f)
{
	struct sort_item *order = ARENA_ARRAY(&f->scratch, struct sort_item,
					      2 * (size_t)f->count);

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->count; i++)
		order[i] = (struct sort_item){ .key = f->items[i].address,
					       .id = i };
	sort_items(order, order + f->count, f->count);
	for (uint32_t i = 0; i < f->count; i++)
		f->items[i].address = order[i].key;
	return 0;
}

int lookup_names(struct lookup *items, uint32_t count, struct arena *arena)
{
	struct finder f = { .items = items, .count = count, .arena = arena };
	struct span text = { 0 };
	int r = sort_by_address(&f);

	if (r == 0)
		r = read_maps(&f.scratch, &text);
	if (r == 0) {
		struct reader lines = reader_of(text);
		struct map_line map;

		f.demangler = demangler_new(&f.scratch);
		while (maps_next(&lines, &map))
			visit(&f, &map);
	}
	arena_release(&f.scratch);
	return r;
}
