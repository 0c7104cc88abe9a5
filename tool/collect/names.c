/* SPDX-License-Identifier: MIT */
/* See names.h. */
#include "collect/names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fmt.h"
#include "base/hash.h"
#include "collect/procfile.h"
#include "collect/recorder.h"
#include "symbol/addrmap.h"
#include "symbol/module.h"
#include "symbolize/profile.h"

/* Gives locations functions, each stored once. */
struct namer {
	struct profile *p;
	struct arena scratch;
	struct table functions;
};

static function_id get_function(struct namer *n, struct span name)
{
	str_id id = strtab_add_span(n->p->strings, name);
	uint32_t hash = hash_u64(id);
	uint32_t i = table_start(&n->functions, hash);
	function_id f;

	for (; (f = table_id(&n->functions, i, hash)) != TABLE_END;
	     i = table_next(&n->functions, i))
		if (f && n->p->functions.at[f].name == id)
			return f;
	f = profile_add_function(n->p,
				 (struct function){ .id = n->p->functions.count,
						    .name = id,
						    .system_name = id });
	if (f && !table_add(&n->functions, &n->scratch, hash, f))
		return 0;
	return f;
}

static void name_location(struct namer *n, struct location *l, struct span name)
{
	function_id function = get_function(n, name);
	struct line *line = VEC_PUSH(&n->p->lines, n->p->arena);

	if (!function || !line)
		return;
	*line = (struct line){ .function = function };
	l->first_line = n->p->lines.count - 1;
	l->line_count = 1;
	n->p->mappings.at[l->mapping].flags |= MAPPING_HAS_FUNCTIONS;
}

static void name_by_map(struct namer *n, mapping_id mapping,
			const struct addrmap *map)
{
	for (uint32_t i = 1; i < n->p->locations.count; i++) {
		struct location *l = &n->p->locations.at[i];
		const struct addrmap_entry *e;

		if (l->mapping != mapping || l->line_count)
			continue;
		e = addrmap_find(map, l->address, UINT64_MAX);
		if (e)
			name_location(n, l, e->name);
	}
}

static void name_kernel(struct namer *n, mapping_id mapping)
{
	struct addrmap map = { 0 };
	struct span text;

	/* Where the kernel hides its addresses, they have no names. */
	if (mapping && proc_read("/proc/kallsyms", &n->scratch, &text) == 0 &&
	    kallsyms_read(&map, text, &n->scratch, NULL) == 0)
		name_by_map(n, mapping, &map);
}

/* Reads what a compiler says about its code in the process's own /tmp. */
static int read_perf_map(struct namer *n, pid_t pid, struct span *ret)
{
	char path[128];

	fmt_text(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	if (proc_read(path, &n->scratch, ret) == 0)
		return 0;
	fmt_text(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return proc_read(path, &n->scratch, ret);
}

static void name_anonymous(struct namer *n, const struct interner *in)
{
	for (uint32_t i = 1; i < in->anonymous.count; i++) {
		struct addrmap map = { 0 };
		struct span text;
		uint32_t skipped;

		if (in->anonymous.at[i] &&
		    read_perf_map(n, in->anonymous.at[i], &text) == 0 &&
		    perfmap_read(&map, text, &n->scratch, &skipped) == 0 &&
		    addrmap_sort(&map, &n->scratch) == 0)
			name_by_map(n, i, &map);
	}
}

static void name_vdso(struct namer *n, const struct binary *vdso)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	struct module_options options = { .no_search = true };
	struct span image = binary_vdso_image();
	struct module m;

	if (!vdso || !image.len ||
	    module_open_image(&m, image, vdso->path, &options, NULL) < 0)
		return;
	for (uint32_t i = 1; i < n->p->locations.count; i++) {
		struct location *l = &n->p->locations.at[i];

		if (l->mapping && l->mapping == vdso->segment[0].mapping &&
		    module_find(&m, l->address, frames))
			name_location(n, l, span_text(frames[0].function));
	}
	module_close(&m);
}

static bool is_here(const struct binary *b)
{
	struct stat held, here;

	return fstat(b->fd, &held) == 0 && stat(b->path, &here) == 0 &&
	       held.st_ino == here.st_ino && held.st_dev == here.st_dev;
}

/* Files that are not here under their names are still open. */
static const char **make_paths(struct recorder *r, struct arena *arena)
{
	const char **paths = ARENA_ARRAY(arena, const char *,
					 r->profile.mappings.count);

	for (uint32_t i = 0; paths && i < r->binaries.all.count; i++) {
		const struct binary *b = r->binaries.all.at[i];
		char path[32];

		if (b->fd < 0 || is_here(b))
			continue;
		fmt_text(path, sizeof(path), "/proc/self/fd/%d", b->fd);
		for (unsigned s = 0; s < BINARY_SEGMENTS; s++)
			if (b->segment[s].mapping)
				paths[b->segment[s].mapping] = arena_text(
					arena, path, strlen(path));
	}
	return paths;
}

int names_find(struct recorder *r)
{
	struct namer n = { .p = &r->profile };
	struct profile_symbols how = { 0 };
	int code;

	name_kernel(&n, r->interner.kernel);
	name_anonymous(&n, &r->interner);
	name_vdso(&n, r->binaries.vdso);
	how.paths = make_paths(r, &n.scratch);
	code = profile_symbolize(&r->profile, &how);
	if (n.scratch.failed || r->arena.failed)
		code = -ENOMEM;
	arena_release(&n.scratch);
	return code;
}
