/* SPDX-License-Identifier: MIT */
/*
 * Finding source files.  Names come from profiles and so from strangers, but
 * what is opened is only shown to the person who asked for it.  Files are read,
 * not mapped: of one that shrinks meanwhile, a mapping would end the program.
 */
#include "report/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "report/path.h"
#include "report/view.h"

enum {
	LONGEST_PATH = 4096,
	LARGEST_FILE = 256 << 20, /* no source is larger */
	KEEP_MOST = 64 << 20,	  /* bytes of files and their lines */
};

/* What places say of a name; from FIRST_FILE on, that it is a file that is
 * read, and which. */
enum { NOT_ASKED_FOR, NOT_READ, FIRST_FILE };

/* As much of an open file as there is. */
static int read_text(struct span *text, int fd, size_t len, struct arena *arena)
{
	uint8_t *at = arena_alloc(arena, len + 1);
	size_t done = 0;

	if (!at)
		return -ENOMEM;
	while (done < len) {
		ssize_t n = read(fd, at + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*text = span_of(at, done);
	return 0;
}

static int read_open_file(struct span *text, int fd, struct arena *arena)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	/* A folder opens, but has no text. */
	if (S_ISDIR(st.st_mode))
		return 0;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > LARGEST_FILE)
		return -EFBIG;
	return read_text(text, fd, (size_t)st.st_size, arena);
}

/* The text of a file, or a negative errno. */
static int read_file(struct sources *s, struct span *text, const char *path)
{
	int fd, r;

	if (absent_below(&s->absent, path))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		r = -errno;
		if (r == -ENOENT)
			absent_note(&s->absent, path);
		return r;
	}
	r = read_open_file(text, fd, &s->kept);
	close(fd);
	return r;
}

/* Looks in folder and all above it, by its text. */
static int search_up(struct sources *s, struct span *text, struct span folder,
		     const char *name)
{
	char path[LONGEST_PATH];

	for (;;) {
		bool root = folder.len == 1 && folder.at[0] == '/';
		size_t len = fmt_text(path, sizeof(path), "%.*s%s%s",
				      (int)folder.len, folder.at,
				      root || !folder.len ? "" : "/", name);

		if (len < sizeof(path) && read_file(s, text, path) == 0)
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

static int search(struct sources *s, struct span *text, const char *name)
{
	const char *list = s->path;

	while (*list) {
		size_t len = strcspn(list, ":");

		if (search_up(s, text, span_of(list, len), name) == 0)
			return 0;
		list += len + (list[len] == ':');
	}
	return -ENOENT;
}

static int find_path(struct sources *s, struct error *err)
{
	char here[LONGEST_PATH];

	s->path = s->view->source_path;
	if (s->path && *s->path)
		return 0;
	s->path = getcwd(here, sizeof(here))
			  ? arena_text(&s->arena, here, strlen(here))
			  : NULL;
	if (!s->path)
		return error_set_errno(err, -errno,
				       "could not stat current dir");
	return 0;
}

static int find_text(struct sources *s, struct span *text, str_id id,
		     struct error *err)
{
	struct view look = *s->view;
	struct span short_name;
	const char *name;
	int r = s->path ? 0 : find_path(s, err);

	if (r < 0)
		return r;
	look.source_path = s->path;
	short_name = path_trim(str_span(s->strings, id), &look);
	name = arena_text(&s->kept, (const char *)short_name.at,
			  short_name.len);
	if (!name)
		return error_set(err, -ENOMEM, "out of memory");
	if (*name == '/') {
		r = read_file(s, text, name);
		return r < 0 ? error_set_reason(err, r, "open %s", name) : 0;
	}
	if (search(s, text, name) < 0)
		return error_set(err, -ENOENT,
				 "could not find file %s on path %s", name,
				 s->path);
	return 0;
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

/* Lets go of all files, if they have become too much. */
static void make_room(struct sources *s)
{
	if (s->kept.mapped <= KEEP_MOST)
		return;
	for (uint32_t i = 0; i < s->files.count; i++)
		s->places[s->files.at[i].name] = NOT_ASKED_FOR;
	arena_release(&s->kept);
	s->files.at = NULL;
	s->files.count = s->files.capacity = 0;
}

static const struct source_file *read_source(struct sources *s, str_id name,
					     struct error *err)
{
	struct source_file f = { .name = name };
	struct source_file *kept;

	make_room(s);
	if (find_text(s, &f.text, name, err) < 0)
		return NULL;
	kept = find_lines(&f, &s->kept) == 0 ? VEC_PUSH(&s->files, &s->kept)
					     : NULL;
	if (!kept) {
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	*kept = f;
	s->places[name] = FIRST_FILE + s->files.count - 1;
	return kept;
}

int sources_make(struct sources *s, const struct view *view,
		 const struct strtab *strings)
{
	*s = (struct sources){ .view = view, .strings = strings };
	absent_init(&s->absent, &s->arena);
	s->places = ARENA_ARRAY(&s->arena, uint32_t, strings->strings.count);
	return s->places ? 0 : -ENOMEM;
}

void sources_release(struct sources *s)
{
	arena_release(&s->kept);
	arena_release(&s->arena);
}

const struct source_file *sources_get(struct sources *s, str_id name,
				      struct error *err)
{
	const struct source_file *f;

	if (s->places[name] >= FIRST_FILE)
		return &s->files.at[s->places[name] - FIRST_FILE];
	f = read_source(s, name, err);
	if (!f)
		s->places[name] = NOT_READ;
	return f;
}

bool sources_lack(const struct sources *s, str_id name)
{
	return s->places[name] == NOT_READ;
}
