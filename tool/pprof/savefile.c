/* SPDX-License-Identifier: MIT */
/* See savefile.h. */
#include "pprof/savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "pprof/talk.h"

#define NUMBER_MAX 9999

static int write_all(int fd, struct span bytes)
{
	char buf[1];
	struct sink s = sink_to_fd(fd, buf, sizeof(buf));

	sink_span(&s, bytes);
	return sink_flush(&s);
}

static int write_in_place(const char *path, struct span bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, bytes);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

/* What a new file's permissions would be. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_temporary(char *path, struct span bytes, mode_t mode)
{
	int fd = mkostemp(path, O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, bytes);
	if (fchmod(fd, mode) < 0 && r == 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0)
		unlink(path);
	return r;
}

/* path names a regular file, and no link, or nothing. */
static int replace(const char *path, struct span bytes, mode_t mode)
{
	char temporary[PATH_MAX];
	int r;

	if (fmt_text(temporary, sizeof(temporary), "%s.XXXXXX", path) >=
	    sizeof(temporary))
		return -ENAMETOOLONG;
	r = write_temporary(temporary, bytes, mode);
	if (r < 0)
		return r;
	if (rename(temporary, path) < 0) {
		r = -errno;
		unlink(temporary);
	}
	return r;
}

static int save(const char *path, struct span bytes)
{
	char real[PATH_MAX];
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? replace(path, bytes, usual_mode())
				       : -errno;
	if (!S_ISREG(st.st_mode))
		return write_in_place(path, bytes);
	if (!realpath(path, real))
		return -errno;
	r = replace(real, bytes, st.st_mode & 07777);
	/* A file in a folder where nothing can be added may be writable. */
	if (r == -EACCES || r == -EPERM || r == -EROFS)
		r = write_in_place(real, bytes);
	return r;
}

int savefile_write(const char *path, struct span bytes, struct error *err)
{
	int r = save(path, bytes);

	return r < 0 ? error_set_errno(err, r, "cannot write '%s'", path) : 0;
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

const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
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
