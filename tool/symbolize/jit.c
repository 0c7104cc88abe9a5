/* SPDX-License-Identifier: MIT */
/*
 * Perf maps and jitdumps.  They grow while they are read and may be cut by
 * their writer, so they are copied, not mapped.  /tmp is everybody's: a perf
 * map that somebody else put there for the process is not believed.
 */
#include "symbolize/jit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "symbol/file.h"
#include "symbol/module.h"
#include "symbolize/procfs.h"

enum {
	PATH_LEN = 64,
};

/* Adds the table made of what is at path; the caller fills it in. */
static struct jit_table *new_table(struct jit_code *j, const char *path)
{
	struct jit_table *t = &j->table[j->count];

	*t = (struct jit_table){
		.path = arena_text(&j->arena, path, strlen(path)),
	};
	return t->path ? t : NULL;
}

/* Makes the table count. */
static void finish(struct jit_code *j, struct jit_table *t,
		   const struct addrmap *map)
{
	t->map = map;
	t->name = ARENA_ARRAY(&j->arena, const char *, map->entries.count);
	if (map->entries.count && t->name)
		j->count++;
}

/* Reads the file at path under root if it is owner's or root's. */
static bool read_owned(struct jit_code *j, const char *root, const char *path,
		       const uid_t *owner, struct span *ret)
{
	int fd = file_open_in(root, path);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (ok && owner && st.st_uid && st.st_uid != *owner) {
		j->refused = arena_text(&j->arena, path, strlen(path));
		ok = false;
	}
	ok = ok && procfs_read_fd(fd, &j->arena, ret) == 0;
	close(fd);
	return ok;
}

void jit_read_perfmap(struct jit_code *j, pid_t pid, const char *root)
{
	pid_t inner = procfs_inner_pid(pid);
	char path[PATH_LEN];
	struct jit_table *t;
	struct span text;
	struct stat st;
	uint32_t skipped;

	fmt_text(path, sizeof(path), "/proc/%d", pid);
	if (j->count == JIT_DUMPS || stat(path, &st) < 0)
		return;
	fmt_text(path, sizeof(path), "/tmp/perf-%d.map", inner ? inner : pid);
	if (!read_owned(j, root, path, &st.st_uid, &text))
		return;
	t = new_table(j, path);
	if (t && perfmap_read(&t->plain, text, &j->arena, &skipped) == 0)
		finish(j, t, &t->plain);
}

bool jit_is_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	return len > 9 && !strncmp(base, "jit-", 4) &&
	       !strcmp(base + len - 5, ".dump");
}

void jit_read_dump(struct jit_code *j, const char *root, const char *path)
{
	struct jit_table *t;
	struct span dump;

	for (uint32_t i = 0; i < j->count; i++)
		if (!strcmp(j->table[i].path, path))
			return;
	if (j->count == JIT_DUMPS || !read_owned(j, root, path, NULL, &dump))
		return;
	t = new_table(j, path);
	if (t && jitdump_read(&t->dump, dump, &j->arena, NULL) == 0)
		finish(j, t, &t->dump.map);
}

static const char *keep_span(struct jit_code *j, struct span text)
{
	const char *kept = arena_text(&j->arena, (const char *)text.at,
				      text.len);

	return kept ? kept : "";
}

static void set_frame(struct jit_code *j, struct jit_table *t,
		      const struct addrmap_entry *e, uint64_t address,
		      struct symbol_frame *frame)
{
	const char **name = &t->name[e - t->map->entries.at];
	const struct jit_line *line = jitdump_line(&t->dump, e, address);

	if (!*name)
		*name = keep_span(j, e->name);
	*frame = (struct symbol_frame){
		.function = *name,
		.directory = "",
		.file = "",
	};
	if (!line)
		return;
	frame->file = keep_span(j, line->file);
	frame->line = line->line;
}

uint32_t jit_find(struct jit_code *j, uint64_t address,
		  struct symbol_frame *frames)
{
	for (uint32_t i = 0; i < j->count; i++) {
		struct jit_table *t = &j->table[i];
		const struct addrmap_entry *e = addrmap_find(t->map, address,
							     UINT64_MAX);

		if (!e)
			continue;
		set_frame(j, t, e, address, frames);
		return 1;
	}
	return 0;
}

void jit_close(struct jit_code *j)
{
	arena_release(&j->arena);
	*j = (struct jit_code){ 0 };
}
