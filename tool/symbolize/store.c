/* SPDX-License-Identifier: MIT */
/*
 * Index files in the user's cache directory.  Everything here may fail without
 * harm: a cache that cannot be read is built anew, one that cannot be written
 * is not there next time.
 */
#include "symbolize/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sink.h"
#include "elf/note.h"
#include "symbol/module.h"
#include "symbolize/cachelimit.h"

enum {
	PATH_LEN = 4096,
	BUFFER = 64 * 1024,
	/* Less than this is not worth a file. */
	LEAST_NEW = 16 * 1024,
};

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
	/* The time says when it was last of use; see cachelimit.h. */
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

/* Whether a new file would be worth writing. */
static bool worth_saving(const struct module *m)
{
	uint64_t new_bytes = module_new_bytes(m);

	if (!m->id.len)
		return false;
	return module_cache_is_damaged(m) ||
	       (new_bytes >= LEAST_NEW && new_bytes >= m->cache.bytes.len / 8);
}

/*
 * A name that nobody else uses: numbers of processes are not enough, since
 * containers may share the directory.
 */
static bool temporary_name(const char *path, char *name, size_t size)
{
	uint64_t random;
	int n;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	n = snprintf(name, size, "%s.tmp.%016llx", path,
		     (unsigned long long)random);
	return n > 0 && (size_t)n < size;
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
	if (!temporary_name(path, temporary, sizeof(temporary)))
		return -EAGAIN;
	r = write_temporary(m, temporary);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary);
	else
		cache_trim(directory, cache_limit);
	return r;
}
