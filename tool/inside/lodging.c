/* SPDX-License-Identifier: MIT */
/* See lodging.h. */
#include "inside/lodging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/visit.h"

/* libwick.so, as the linker puts it into the command. */
extern const char agent_image[] __asm__("_binary_agent_image_start");
extern const char agent_image_end[] __asm__("_binary_agent_image_end");

/* By the process's root, unless it is ours: a process may end. */
static void root_of(pid_t pid, char root[LODGING_PATH])
{
	struct stat ours, theirs;

	*root = '\0';
	if (!pid)
		return;
	fmt_text(root, LODGING_PATH, "/proc/%d/root", (int)pid);
	if (stat("/", &ours) == 0 && stat(root, &theirs) == 0 &&
	    ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		*root = '\0';
}

static int make_folder(struct lodging *l, pid_t pid, struct error *err)
{
	const char *root = l->root;
	char path[2 * LODGING_PATH];

	root_of(pid, l->root);
	fmt_text(path, sizeof(path), "%s/tmp", root);
	l->parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fmt_text(path, sizeof(path), "%s/tmp/wick-XXXXXX", root);
	if (l->parent < 0 || !mkdtemp(path))
		return error_set_errno(
			err, -errno, "cannot make a folder in '%s/tmp'", root);
	fmt_text(l->path, sizeof(l->path), "%s", path + strlen(root));
	l->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->fd < 0)
		return error_set_errno(err, -errno, "cannot open '%s'", path);
	fmt_text(l->here, sizeof(l->here), "/proc/self/fd/%d", l->fd);
	return 0;
}

/* Whoever is to write there must own it: it is closed to all others. */
static int hand_over(const struct lodging *l, pid_t pid, struct error *err)
{
	char path[LODGING_PATH];
	struct stat st;

	fmt_text(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == 0 && (st.st_uid == geteuid() ||
				     fchown(l->fd, st.st_uid, st.st_gid) == 0))
		return 0;
	return error_set_errno(err, -errno,
			       "cannot make a folder for process %d", (int)pid);
}

static int write_all(int fd, const char *at, size_t left)
{
	while (left) {
		ssize_t n = write(fd, at, left);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

static int unpack(const struct lodging *l, struct error *err)
{
	int fd = openat(l->fd, VISIT_LIBRARY,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555);
	int r = fd < 0 ? -errno
		       : write_all(fd, agent_image,
				   (size_t)(agent_image_end - agent_image));

	if (fd >= 0)
		close(fd);
	if (r < 0)
		return error_set_errno(
			err, r, "cannot write '%s/" VISIT_LIBRARY "'", l->path);
	return 0;
}

int lodging_make(struct lodging *l, pid_t pid, struct error *err)
{
	int r;

	*l = (struct lodging){ .parent = -1, .fd = -1 };
	r = make_folder(l, pid, err);
	if (r == 0)
		r = unpack(l, err);
	if (r == 0 && pid)
		r = hand_over(l, pid, err);
	return r;
}

static void empty(int folder)
{
	DIR *files = fdopendir(dup(folder));
	struct dirent *entry;

	while (files && (entry = readdir(files)))
		(void)unlinkat(folder, entry->d_name, 0); /* not "." */
	if (files)
		closedir(files);
}

void lodging_remove(struct lodging *l)
{
	const char *name = strrchr(l->path, '/');

	if (l->fd >= 0) {
		empty(l->fd);
		close(l->fd);
	}
	if (l->parent >= 0) {
		/* The process may have done it, when it thought us dead. */
		if (name)
			(void)unlinkat(l->parent, name + 1, AT_REMOVEDIR);
		close(l->parent);
	}
	*l = (struct lodging){ .parent = -1, .fd = -1 };
}
