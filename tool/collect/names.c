/* SPDX-License-Identifier: MIT */
/* See names.h. */
#include "collect/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/hash.h"
#include "collect/kernelnames.h"
#include "collect/recorder.h"
#include "symbol/module.h"
#include "symbolize/jit.h"
#include "symbolize/procfs.h"
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

static void name_location(struct namer *n, struct location *l,
			  const struct symbol_frame *frames, uint32_t count)
{
	struct profile *p = n->p;
	struct mapping *m = &p->mappings.at[l->mapping];
	uint32_t first = p->lines.count;

	if (!count || !VEC_RESERVE(&p->lines, p->arena, count))
		return;
	for (uint32_t i = 0; i < count; i++) {
		function_id f = get_function(n, span_text(frames[i].function));

		if (!f)
			return;
		p->lines.at[p->lines.count++] = (struct line){
			.function = f, .line = frames[i].line
		};
	}
	l->first_line = first;
	l->line_count = count;
	m->flags |= MAPPING_HAS_FUNCTIONS;
}

static void name_kernel(struct namer *n, mapping_id mapping,
			struct kernel_names *names)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	struct kernel_symbols *kernel = mapping ? kernel_names_get(names)
						: NULL;

	/* Where the kernel hides its addresses, they have no names. */
	if (!kernel)
		return;
	for (uint32_t i = 1; i < n->p->locations.count; i++) {
		struct location *l = &n->p->locations.at[i];

		if (l->mapping == mapping)
			name_location(n, l, frames,
				      kernel_find(kernel, l->address, frames));
	}
}

/* The process that a jitdump is of, by its name, as that process counts. */
static pid_t dump_pid(const struct binary *b)
{
	return (pid_t)strtol(strrchr(b->path, '-') + 1, NULL, 10);
}

/* A compiler maps its dump so that we hear of it; it has been kept open. */
static void read_dumps(struct jit_code *jit, const struct binaries *all,
		       pid_t pid)
{
	pid_t inner = procfs_inner_pid(pid);
	char path[32];

	for (uint32_t i = 0; i < all->all.count; i++) {
		const struct binary *b = all->all.at[i];

		if (b->fd < 0 || !jit_is_dump(b->path) ||
		    dump_pid(b) != (inner ? inner : pid))
			continue;
		fmt_text(path, sizeof(path), "/proc/self/fd/%d", b->fd);
		jit_read_dump(jit, "", path);
	}
}

/* Code that a process has compiled, by what its compiler says. */
static void name_compiled(struct namer *n, const struct binaries *all,
			  mapping_id mapping, pid_t pid)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	struct jit_code jit = { 0 };
	char root[64];

	fmt_text(root, sizeof(root), "/proc/%d/root", pid);
	jit_read_perfmap(&jit, pid, access(root, X_OK) == 0 ? root : "");
	read_dumps(&jit, all, pid);
	for (uint32_t i = 1; jit.count && i < n->p->locations.count; i++) {
		struct location *l = &n->p->locations.at[i];

		if (l->mapping == mapping)
			name_location(n, l, frames,
				      jit_find(&jit, l->address, frames));
	}
	jit_close(&jit);
}

static void name_anonymous(struct namer *n, const struct recorder *r)
{
	const struct interner *in = &r->interner;

	for (uint32_t i = 1; i < in->anonymous.count; i++)
		if (in->anonymous.at[i])
			name_compiled(n, &r->binaries, i, in->anonymous.at[i]);
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

		if (l->mapping && l->mapping == vdso->segment[0].mapping)
			name_location(n, l, frames,
				      module_find(&m, l->address, frames));
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

int names_find(struct recorder *r, struct kernel_names *kernel)
{
	struct namer n = { .p = &r->profile };
	struct profile_symbols how = { 0 };
	int code;

	name_kernel(&n, r->interner.kernel, kernel);
	name_anonymous(&n, r);
	name_vdso(&n, r->binaries.vdso);
	how.paths = make_paths(r, &n.scratch);
	code = profile_symbolize(&r->profile, &how);
	if (n.scratch.failed || r->arena.failed)
		code = -ENOMEM;
	arena_release(&n.scratch);
	return code;
}
