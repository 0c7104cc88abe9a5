/* SPDX-License-Identifier: MIT */
/* See binary_open.h. */
#include "collect/binary_open.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "collect/binary.h"

enum { PATH_SIZE = 4096 + 64 };

static int open_file(const char *path)
{
	/* Devices may do anything when they are opened. */
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool has_inode(int fd, uint64_t inode)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == inode;
}

static bool is_deleted(struct span path)
{
	static const char mark[] = " (deleted)";
	size_t len = sizeof(mark) - 1;

	return path.len > len && !memcmp(path.at + path.len - len, mark, len);
}

int binary_open(const struct binary_place *p)
{
	char path[PATH_SIZE];
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", p->pid,
		 (unsigned long long)p->lo, (unsigned long long)p->hi);
	fd = open_file(path);
	if (fd >= 0 || is_deleted(p->path))
		return fd;

	fmt_text(path, sizeof(path), "/proc/%d/root%.*s", p->pid,
		 (int)p->path.len, (const char *)p->path.at);
	fd = open_file(path);
	if (fd >= 0)
		return fd;

	/* The process has ended, so its root is unknown; ours may do. */
	fd = open_file(strchr(path + 6, '/') + 5);
	if (fd >= 0 && p->inode && !has_inode(fd, p->inode)) {
		close(fd);
		return -1;
	}
	return fd;
}
