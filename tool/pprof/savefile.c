/* SPDX-License-Identifier: MIT */
/* See savefile.h. */
#include "pprof/savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "pprof/talk.h"

#define NUMBER_MAX 9999

const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* What a new file's permissions would be. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_as_it_is(struct savefile *f)
{
	f->as_it_is = true;
	f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
	return f->fd < 0 ? -errno : 0;
}

/* The folder of a path, with "/." at its end or nothing but that. */
static int folder_of(char *folder, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 0;

	return fmt_text(folder, size, "%.*s.", len, path) < size
		       ? 0
		       : -ENAMETOOLONG;
}

/* A file without a name, which it can get through /proc; see open(2). */
static int open_unnamed(struct savefile *f)
{
	char folder[PATH_MAX];
	int r = folder_of(folder, sizeof(folder), f->path);

	if (r < 0)
		return r;
	if (access("/proc/self/fd", X_OK) < 0)
		return -errno;
	f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	return f->fd < 0 ? -errno : 0;
}

static int open_named(struct savefile *f)
{
	if (fmt_text(f->temporary, sizeof(f->temporary), "%s.XXXXXX",
		     f->path) >= sizeof(f->temporary))
		return -ENAMETOOLONG;
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	return f->fd < 0 ? -errno : 0;
}

/* Not every file system has files without a name. */
static int open_beside(struct savefile *f)
{
	return open_unnamed(f) == 0 ? 0 : open_named(f);
}

/*
 * A file in a folder where nothing can be added may be writable itself; it is
 * not touched before all that it gets is known.
 */
static int open_elsewhere(struct savefile *f)
{
	char path[PATH_MAX];

	if (fmt_text(path, sizeof(path), "%s/wick.XXXXXX",
		     temporary_folder()) >= sizeof(path))
		return -ENAMETOOLONG;
	f->target = open(f->path, O_WRONLY | O_CLOEXEC);
	if (f->target < 0)
		return -errno;
	f->fd = mkostemp(path, O_CLOEXEC);
	if (f->fd < 0) {
		int r = -errno;

		close(f->target);
		return r;
	}
	unlink(path);
	return 0;
}

static int open_existing(struct savefile *f, const struct stat *st)
{
	int r;

	if (!S_ISREG(st->st_mode))
		return open_as_it_is(f);
	if (!realpath(f->name, f->path))
		return -errno;
	f->mode = st->st_mode & 07777;
	r = open_beside(f);
	if (r != -EACCES && r != -EPERM && r != -EROFS)
		return r;
	f->temporary[0] = '\0';
	return open_elsewhere(f);
}

static int open_any(struct savefile *f)
{
	struct stat st;

	if (fmt_text(f->path, sizeof(f->path), "%s", f->name) >=
	    sizeof(f->path))
		return -ENAMETOOLONG;
	if (stat(f->name, &st) == 0)
		return open_existing(f, &st);
	if (errno != ENOENT)
		return -errno;
	f->mode = usual_mode();
	return open_beside(f);
}

int savefile_open(struct savefile *f, const char *path, struct error *err)
{
	int r;

	f->name = path;
	f->target = -1;
	f->as_it_is = false;
	f->temporary[0] = '\0';
	r = open_any(f);
	return r < 0 ? error_set_errno(err, r, "cannot write '%s'", path) : 0;
}

/* Puts what was written elsewhere into the file itself. */
static int fill_target(struct savefile *f)
{
	enum { AT_A_TIME = 1 << 30 };
	off_t from = 0;
	ssize_t n;

	if (ftruncate(f->target, 0) < 0)
		return -errno;
	do {
		n = sendfile(f->target, f->fd, &from, AT_A_TIME);
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

/* A new name, since no file can be linked to one that is taken. */
static int give_name(struct savefile *f)
{
	enum { TRIES = 100 };
	char self[32];
	int r = -EEXIST;

	fmt_text(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	for (unsigned i = 0; i < TRIES && r == -EEXIST; i++) {
		if (fmt_text(f->temporary, sizeof(f->temporary), "%s.%d-%u",
			     f->path, (int)getpid(), i) >= sizeof(f->temporary))
			r = -ENAMETOOLONG;
		else
			r = linkat(AT_FDCWD, self, AT_FDCWD, f->temporary,
				   AT_SYMLINK_FOLLOW) < 0
				    ? -errno
				    : 0;
	}
	if (r < 0)
		f->temporary[0] = '\0';
	return r;
}

static int complete(struct savefile *f)
{
	if (f->as_it_is)
		return 0;
	if (f->target >= 0)
		return fill_target(f);
	if (fchmod(f->fd, f->mode) < 0)
		return -errno;
	return f->temporary[0] ? 0 : give_name(f);
}

static int close_both(struct savefile *f)
{
	int r = close(f->fd) < 0 ? -errno : 0;

	if (f->target >= 0 && close(f->target) < 0)
		r = -errno;
	return r;
}

int savefile_commit(struct savefile *f, struct error *err)
{
	int r = complete(f);
	int closing = close_both(f);

	if (r == 0)
		r = closing;
	if (r == 0 && f->temporary[0] && rename(f->temporary, f->path) < 0)
		r = -errno;
	if (r < 0 && f->temporary[0])
		unlink(f->temporary);
	return r < 0 ? error_set_errno(err, r, "cannot write '%s'", f->name)
		     : 0;
}

void savefile_drop(struct savefile *f)
{
	(void)close_both(f); /* it is not wanted any more */
	if (f->temporary[0])
		unlink(f->temporary);
}

int savefile_write(const char *path, struct span bytes, struct error *err)
{
	struct savefile f;
	int r = savefile_open(&f, path, err);

	if (r < 0)
		return r;
	r = fd_write(f.fd, bytes);
	if (r == 0)
		return savefile_commit(&f, err);
	savefile_drop(&f);
	return error_set_errno(err, r, "cannot write '%s'", path);
}

int numbered_reserve(struct numbered *n, struct error *err)
{
	for (unsigned i = 1; i <= NUMBER_MAX; i++) {
		int fd;

		if (fmt_text(n->path, sizeof(n->path), "%s%s%s%03u%s",
			     n->folder, n->folder[0] ? "/" : "", n->prefix, i,
			     n->suffix) >= sizeof(n->path))
			return error_set_errno(err, -ENAMETOOLONG,
					       "cannot create '%s...'",
					       n->prefix);
		fd = open(n->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  n->mode);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (errno != EEXIST)
			return error_set_errno(err, -errno,
					       "cannot create '%s'", n->path);
	}
	return error_set(err, -EEXIST,
			 "could not create file of the form %s001%s", n->prefix,
			 n->suffix);
}

static int make_folder(const char *path)
{
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* As mkdir -p; path is changed on the way and restored. */
static int make_folders(char *path)
{
	struct stat st;
	char *slash = path;
	int r = 0;

	while (r == 0 && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		r = make_folder(path);
		*slash = '/';
	}
	if (r == 0)
		r = make_folder(path);
	if (r < 0)
		return r;
	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static bool try_folder(char *path, const char *folder, const char *below)
{
	int r;

	if (!folder || !*folder ||
	    fmt_text(path, PATH_MAX, "%s%s", folder, below) >= PATH_MAX)
		return false;
	r = make_folders(path);
	if (r < 0)
		talk("Could not use temp dir %s: %s", path,
		     strerrordesc_np(-r));
	return r == 0;
}

const char *saved_folder(char *path)
{
	if (try_folder(path, getenv("PPROF_TMPDIR"), "") ||
	    try_folder(path, getenv("HOME"), "/pprof") ||
	    try_folder(path, temporary_folder(), ""))
		return path;
	return NULL;
}
