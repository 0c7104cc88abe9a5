/* SPDX-License-Identifier: MIT */
/*
 * See names.h.  Names are demangled here, since whoever reads the profile may
 * not be able to; the linker's names stay beside them.
 */
#include "agent/names.h"

#include <errno.h>
#include <unistd.h>

#include "agent/code.h"
#include "agent/intake.h"
#include "agent/state.h"
#include "base/fmt.h"
#include "base/sort.h"
#include "profile/naming.h"
#include "symbol/addrmap.h"
#include "symbol/demangle.h"
#include "symbol/module.h"

struct namer {
	struct capture *capture;
	struct naming naming;
	struct arena scratch;
	struct arena passing; /* of one location */
	struct demangler *demangler;
};

static const char *readable(struct namer *n, const char *name)
{
	struct span ret;

	if (!n->demangler ||
	    !demangle(n->demangler, span_text(name), DEMANGLE_PPROF, &ret))
		return name;
	return arena_text(&n->passing, (const char *)ret.at, ret.len);
}

static void set_names(struct namer *n, location_id id,
		      const struct symbol_frame *frames, uint32_t count)
{
	struct frame_name names[SYMBOL_FRAMES];

	for (uint32_t i = 0; i < count; i++) {
		const char *name = readable(n, frames[i].function);

		names[i] = (struct frame_name){
			.name = name ? name : "",
			.system_name = frames[i].function,
			.directory = frames[i].directory,
			.file = frames[i].file,
			.line = frames[i].line,
			.column = frames[i].column,
			.start_line = frames[i].start_line,
		};
	}
	/* Out of memory shows in the arena, once, at the end. */
	(void)naming_set(&n->naming, id, names, count);
	arena_reset(&n->passing);
}

/* The locations of a mapping, by address: files are read in that order. */
static struct sort_item *places_of(struct namer *n, mapping_id mapping,
				   uint32_t *ret_count)
{
	const struct profile *p = &n->capture->profile;
	uint32_t all = p->locations.count;
	struct sort_item *items = ARENA_ARRAY(&n->scratch, struct sort_item,
					      2 * (size_t)all);
	uint32_t count = 0;

	for (uint32_t i = 1; items && i < all; i++)
		if (p->locations.at[i].mapping == mapping)
			items[count++] = (struct sort_item){
				.key = p->locations.at[i].address, .id = i
			};
	if (items)
		sort_items(items, items + all, count);
	*ret_count = count;
	return items;
}

static int open_module(struct module *m, const struct capture_map *map)
{
	struct module_options options = { .expected = map->file->id,
					  .places = { .copied = true } };
	char path[64];

	if (!map->file->deleted &&
	    module_open(m, map->file->path, &options, NULL) == 0)
		return 0;
	fmt_text(path, sizeof(path), "/proc/self/map_files/%llx-%llx",
		 (unsigned long long)map->lo, (unsigned long long)map->hi);
	return module_open(m, path, &options, NULL);
}

static void name_module(struct namer *n, const struct capture_map *map,
			struct module *m)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	uint32_t count;
	struct sort_item *places = places_of(n, map->mapping, &count);

	for (uint32_t i = 0; places && i < count; i++) {
		uint64_t offset = places[i].key - map->lo + map->offset;
		uint32_t depth = module_find(
			m, code_file_address(map->file, offset), frames);

		if (depth)
			set_names(n, places[i].id, frames, depth);
	}
}

/* Code that was made at run time, if its maker says how it is called. */
static void name_compiled(struct namer *n, const struct capture_map *map)
{
	struct addrmap names = { 0 };
	struct span text;
	uint32_t count, skipped;
	struct sort_item *places = places_of(n, map->mapping, &count);
	char path[64];

	fmt_text(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (!places || !count || code_read_text(path, &n->scratch, &text) < 0 ||
	    perfmap_read(&names, text, &n->scratch, &skipped) < 0 ||
	    addrmap_sort(&names, &n->scratch) < 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct addrmap_entry *e = addrmap_find(
			&names, places[i].key, UINT64_MAX);
		struct symbol_frame frame = { .directory = "", .file = "" };

		if (!e)
			continue;
		frame.function = arena_text(
			&n->passing, (const char *)e->name.at, e->name.len);
		if (frame.function)
			set_names(n, places[i].id, &frame, 1);
	}
}

static void name_map(struct namer *n, const struct capture_map *map)
{
	struct module_options bare = { .no_search = true };
	struct module m;

	if (!*map->file->path) {
		name_compiled(n, map);
		return;
	}
	if (map->file->path[0] == '[') {
		if (module_open_image(&m, code_vdso(&agent.code), "[vdso]",
				      &bare, NULL) < 0)
			return;
	} else if (open_module(&m, map) < 0) {
		return;
	}
	name_module(n, map, &m);
	module_close(&m);
}

static bool is_used(const struct profile *p, mapping_id id)
{
	for (uint32_t i = 1; i < p->locations.count; i++)
		if (p->locations.at[i].mapping == id)
			return true;
	return false;
}

int names_find(struct capture *c)
{
	struct namer n = { .capture = c, .naming = { .profile = &c->profile } };
	int r;

	n.demangler = demangler_new(&n.scratch);
	for (uint32_t i = 0; i < c->maps.count; i++)
		if (is_used(&c->profile, c->maps.at[i].mapping))
			name_map(&n, &c->maps.at[i]);
	r = n.scratch.failed || c->arena.failed ? -ENOMEM : 0;
	naming_release(&n.naming);
	arena_release(&n.passing);
	arena_release(&n.scratch);
	return r;
}
