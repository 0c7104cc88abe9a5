/* SPDX-License-Identifier: MIT */
/*
 * Index files in the user's cache directory.  Everything here may fail without
 * harm: a cache that cannot be read is built anew, one that cannot be written
 * is not there next time.
 */
#include "symbolize/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sink.h"
#include "elf/note.h"
#include "symbol/module.h"

enum {
	PATH_LEN = 4096,
	BUFFER = 64 * 1024,
	/* Less than this is not worth a file. */
	LEAST_NEW = 16 * 1024,
	TEMPORARY_AGE = 3600, /* seconds after which one is a leftover */
};

static const uint64_t most_bytes = 1ull << 30;

bool store_directory(char *path, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int n;

	if (cache && cache[0] == '/')
		n = snprintf(path, size, "%s/wick", cache);
	else if (home && home[0] == '/')
		n = snprintf(path, size, "%s/.cache/wick", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

static bool file_path(const struct build_id *id, char *path, size_t size)
{
	char hex[BUILD_ID_TEXT];
	size_t len;
	int n;

	if (!store_directory(path, size))
		return false;
	len = strlen(path);
	n = snprintf(path + len, size - len, "/%s.wsi", build_id_text(id, hex));
	return n > 0 && (size_t)n < size - len;
}

bool store_map(const struct build_id *id, struct mapped_file *ret)
{
	char path[PATH_LEN];

	if (!file_path(id, path, sizeof(path)) || file_map(ret, path, NULL) < 0)
		return false;
	/* The time says when it was last of use; see trim(). */
	(void)utimensat(AT_FDCWD, path, NULL, 0);
	return true;
}

/* Makes the directory and those above it. */
static int make_directory(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST) {
			*slash = '/';
			return -errno;
		}
		*slash = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int write_temporary(const struct module *m, const char *path)
{
	static char buffer[BUFFER];
	struct sink out;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	out = sink_to_fd(fd, buffer, sizeof(buffer));
	module_write_cache(m, &out);
	r = sink_flush(&out);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

struct entry {
	char name[256];
	time_t used;
	uint64_t size;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

/* Lists the directory; removes what a killed writer left. */
static size_t list_entries(DIR *d, struct entry **list)
{
	size_t count = 0, room = 0;
	struct dirent *e;
	struct stat st;

	*list = NULL;
	while ((e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &st, 0) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (strstr(e->d_name, ".wsi.tmp") &&
		    st.st_mtime + TEMPORARY_AGE < time(NULL)) {
			(void)unlinkat(dirfd(d), e->d_name, 0);
			continue;
		}
		if (count == room) {
			struct entry *more;

			room = room ? 2 * room : 64;
			more = realloc(*list, room * sizeof(**list));
			if (!more)
				break;
			*list = more;
		}
		(*list)[count] = (struct entry){
			.used = st.st_mtime,
			.size = (uint64_t)st.st_size,
		};
		snprintf((*list)[count++].name, sizeof((*list)->name), "%s",
			 e->d_name);
	}
	return count;
}

/* Removes what was not used for longest, until the rest is small enough. */
static void trim(const char *directory)
{
	DIR *d = opendir(directory);
	struct entry *list;
	uint64_t sum = 0;
	size_t count;

	if (!d)
		return;
	count = list_entries(d, &list);
	for (size_t i = 0; i < count; i++)
		sum += list[i].size;
	if (sum > most_bytes)
		qsort(list, count, sizeof(*list), compare_entries);
	for (size_t i = 0; i < count && sum > most_bytes; i++) {
		(void)unlinkat(dirfd(d), list[i].name, 0);
		sum -= list[i].size;
	}
	free(list);
	closedir(d);
}

/* Whether a new file would be worth writing. */
static bool worth_saving(const struct module *m)
{
	uint64_t new_bytes = module_new_bytes(m);

	return m->id.len && new_bytes >= LEAST_NEW &&
	       new_bytes >= m->cache.bytes.len / 8;
}

int store_save(const struct module *m)
{
	char directory[PATH_LEN];
	char path[PATH_LEN];
	char temporary[PATH_LEN + 32];
	int r;

	if (!worth_saving(m) ||
	    !store_directory(directory, sizeof(directory)) ||
	    !file_path(&m->id, path, sizeof(path)))
		return 0;
	r = make_directory(directory);
	if (r < 0)
		return r;
	snprintf(temporary, sizeof(temporary), "%s.tmp.%d", path, getpid());
	r = write_temporary(m, temporary);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary);
	else
		trim(directory);
	return r;
}
