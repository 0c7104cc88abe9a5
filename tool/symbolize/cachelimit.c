/* SPDX-License-Identifier: MIT */
/* See cachelimit.h. */
#include "symbolize/cachelimit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fmt.h"
#include "base/vec.h"

enum {
	TEMPORARY_AGE = 3600, /* seconds after which one is a leftover */
	NAME_LEN = 600,
};

/* A file of the cache; its name is relative to the directory. */
struct cached_file {
	const char *name;
	int64_t used;
	uint64_t size;
};

struct listing {
	struct arena arena;
	VEC(struct cached_file) files;
	uint64_t sum;
	int directory;
};

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name);
	size_t end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

static bool is_ours(const char *name)
{
	static const char *const ends[] = { ".wsi", ".unwind" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

/* What a writer renames when it is done; a killed one could not. */
static bool is_leftover(const char *name, const struct stat *st)
{
	return strstr(name, ".tmp") &&
	       st->st_mtime + TEMPORARY_AGE < time(NULL);
}

static int64_t last_use(const struct stat *st)
{
	return st->st_atime > st->st_mtime ? st->st_atime : st->st_mtime;
}

static void list_file(struct listing *l, const char *name,
		      const struct stat *st)
{
	struct cached_file *f;

	if (is_leftover(name, st)) {
		(void)unlinkat(l->directory, name, 0);
		return;
	}
	if (!is_ours(name))
		return;
	f = VEC_PUSH(&l->files, &l->arena);
	if (!f)
		return;
	*f = (struct cached_file){
		.name = arena_text(&l->arena, name, strlen(name)),
		.used = last_use(st),
		.size = (uint64_t)st->st_size,
	};
	if (f->name)
		l->sum += f->size;
	else
		l->files.count--;
}

/* Lists a folder; folder is "" for the directory itself, else with a '/'. */
static void list_folder(struct listing *l, const char *folder)
{
	int fd = openat(l->directory, *folder ? folder : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d))) {
		char name[NAME_LEN];

		if (e->d_name[0] == '.' ||
		    fmt_text(name, sizeof(name), "%s%s", folder, e->d_name) >=
			    sizeof(name) - 1 ||
		    fstatat(l->directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode)) {
			list_file(l, name, &st);
		} else if (S_ISDIR(st.st_mode) && !*folder) {
			strcat(name, "/");
			list_folder(l, name);
		}
	}
	closedir(d);
}

static int compare_use(const void *a, const void *b)
{
	const struct cached_file *x = a;
	const struct cached_file *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static void remove_oldest(struct listing *l, uint64_t limit)
{
	if (l->sum <= limit)
		return;
	qsort(l->files.at, l->files.count, sizeof(*l->files.at), compare_use);
	for (uint32_t i = 0; i < l->files.count && l->sum > limit; i++) {
		(void)unlinkat(l->directory, l->files.at[i].name, 0);
		l->sum -= l->files.at[i].size;
	}
}

void cache_trim(const char *directory, uint64_t limit)
{
	struct listing l = {
		.directory = open(directory,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};

	if (l.directory < 0)
		return;
	/* Two at once would each remove as much as is too much. */
	if (flock(l.directory, LOCK_EX | LOCK_NB) == 0) {
		list_folder(&l, "");
		remove_oldest(&l, limit);
	}
	close(l.directory);
	arena_release(&l.arena);
}
