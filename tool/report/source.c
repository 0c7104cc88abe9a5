/* SPDX-License-Identifier: MIT */
/*
 * Finding source files.  Names come from profiles and so from strangers, but
 * what is opened is only shown to the person who asked for it.
 */
#include "report/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "report/path.h"
#include "report/view.h"

enum { LONGEST_PATH = 4096 };

/* The text of a file, or a negative errno.  A folder opens, but has none. */
static int map_file(struct span *text, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *at = NULL;
	int r = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (S_ISDIR(st.st_mode))
		st.st_size = 0;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r == 0 && st.st_size > 0) {
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			  0);
		if (at == MAP_FAILED)
			r = -errno;
	}
	close(fd);
	if (r == 0)
		*text = span_of(at, (size_t)st.st_size);
	return r;
}

/* Looks in folder and all above it, by its text. */
static int search_up(struct span *text, struct span folder, const char *name)
{
	char path[LONGEST_PATH];

	for (;;) {
		bool root = folder.len == 1 && folder.at[0] == '/';
		size_t len = fmt_text(path, sizeof(path), "%.*s%s%s",
				      (int)folder.len, folder.at,
				      root || !folder.len ? "" : "/", name);

		if (len < sizeof(path) && map_file(text, path) == 0)
			return 0;
		if (root || !folder.len)
			return -ENOENT;
		while (folder.len && folder.at[folder.len - 1] != '/')
			folder.len--;
		/* "/a" has "/" above it, "a" the current folder. */
		if (folder.len > 1)
			folder.len--;
	}
}

static int search(struct span *text, const char *list, const char *name)
{
	while (*list) {
		size_t len = strcspn(list, ":");

		if (search_up(text, span_of(list, len), name) == 0)
			return 0;
		list += len + (list[len] == ':');
	}
	return -ENOENT;
}

static int find_lines(struct source_file *f, struct arena *arena)
{
	struct span rest = f->text;

	if (!VEC_RESERVE(&f->lines, arena, 1))
		return -ENOMEM;
	f->lines.count = 1;
	while (rest.len) {
		const uint8_t *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;
		struct span *line = VEC_PUSH(&f->lines, arena);

		if (!line)
			return -ENOMEM;
		*line = span_of(rest.at, len);
		if (line->len && line->at[line->len - 1] == '\r')
			line->len--;
		len += end != NULL;
		rest = span_of(rest.at + len, rest.len - len);
	}
	return 0;
}

static int open_text(struct span *text, const char *name,
		     const struct view *view, struct arena *arena,
		     struct error *err)
{
	char here[LONGEST_PATH];
	const char *path = view->source_path;
	struct view look = *view;
	struct span short_name;
	int r;

	if (!path || !*path) {
		if (!getcwd(here, sizeof(here)))
			return error_set_errno(err, -errno,
					       "could not stat current dir");
		path = here;
	}
	look.source_path = path;
	short_name = path_trim(span_text(name), &look);
	name = arena_text(arena, (const char *)short_name.at, short_name.len);
	if (!name)
		return error_set(err, -ENOMEM, "out of memory");
	if (*name == '/') {
		r = map_file(text, name);
		return r < 0 ? error_set_reason(err, r, "open %s", name) : 0;
	}
	if (search(text, path, name) < 0)
		return error_set(err, -ENOENT,
				 "could not find file %s on path %s", name,
				 path);
	return 0;
}

int source_open(struct source_file *f, const char *name,
		const struct view *view, struct arena *arena, struct error *err)
{
	int r;

	*f = (struct source_file){ 0 };
	r = open_text(&f->text, name, view, arena, err);
	if (r < 0)
		return r;
	r = find_lines(f, arena);
	if (r < 0) {
		source_release(f);
		return error_set(err, r, "out of memory");
	}
	return 0;
}

void source_release(struct source_file *f)
{
	if (f->text.len)
		munmap((void *)f->text.at, f->text.len);
	*f = (struct source_file){ 0 };
}
