/* SPDX-License-Identifier: MIT */
/* See sourcefile.h.  The kernel sees to it that a path stays below its root. */
#include "serve/sourcefile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

enum { LOOKED_AT = 8192 };

static int open_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* The text of an open file, or a negative errno. */
static int read_text(struct span *ret, int fd, struct arena *arena)
{
	struct stat st;
	size_t len = 0;
	char *text;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	if (st.st_size > SOURCEFILE_MOST)
		return -EFBIG;
	text = arena_alloc(arena, (size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (len < (size_t)st.st_size) {
		ssize_t n = pread(fd, text + len, (size_t)st.st_size - len,
				  (off_t)len);

		if (n <= 0)
			break; /* shorter than it was: then that is it */
		len += (size_t)n;
	}
	if (memchr(text, '\0', len < LOOKED_AT ? len : LOOKED_AT))
		return -EACCES;
	*ret = span_of(text, len);
	return 0;
}

/* Tries path, then what is left of it without its first folders. */
static int read_below(struct span *ret, int root, const char *path,
		      struct arena *arena)
{
	int r = -ENOENT;

	while (*path && r < 0) {
		int fd = open_below(root, path);
		const char *slash;

		if (fd >= 0) {
			r = read_text(ret, fd, arena);
			close(fd);
			if (r != -EACCES)
				return r;
		}
		slash = strchr(path, '/');
		path = slash ? slash + 1 : "";
	}
	return r;
}

/* Where in name the part below root begins. */
static const char *part_below(const char *root, const char *name)
{
	char real[PATH_MAX];
	size_t len;

	if (name[0] != '/')
		return name;
	if (realpath(root, real)) {
		len = strlen(real);
		if (!strncmp(name, real, len) && name[len] == '/')
			name += len;
	}
	while (*name == '/')
		name++;
	return name;
}

static int read_from(struct span *ret, const char *root, const char *name,
		     struct arena *arena)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = read_below(ret, fd, part_below(root, name), arena);
	close(fd);
	return r;
}

int sourcefile_read(struct span *ret, const char *roots, const char *name,
		    struct arena *arena, struct error *err)
{
	int r = -ENOENT;

	if (!roots || !*roots)
		roots = ".";
	while (*roots && r < 0) {
		size_t len = strcspn(roots, ":");
		char *root = arena_text(arena, roots, len);

		if (!root)
			return error_set(err, -ENOMEM, "out of memory");
		if (len)
			r = read_from(ret, root, name, arena);
		roots += len + (roots[len] == ':');
	}
	if (r < 0)
		return error_set(err, r,
				 "'%s' is not below the folders of sources; "
				 "see --source-path",
				 name);
	return 0;
}
